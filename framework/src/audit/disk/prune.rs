//! [`DiskLog::prune`]: old files of the log go, and what only they referred to.
//!
//! Files go under the lock, oldest first, each once its [`Anchor`] is on the device: stopped at any
//! point, the log still verifies, and the next to prune goes on from there.
//!
//! Blobs go afterwards. Reading what is left of the log takes long, so that is done without the
//! lock; a blob goes only if nothing was found that refers to it *and* its time lies more than an
//! hour before the pruning began. Whoever uses a blob that is already there sets its time under the
//! lock, and again once he has known it for ten minutes; the record or intent that refers to it
//! follows at once. So a blob that a record refers to which was not yet there to be read is too
//! young to go.

use std::{
    collections::{HashMap, HashSet},
    fs,
    io::{self, BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{DiskLog, anchors::Anchors, intents::OpenFile, tail::End};
use crate::{
    audit::{Kept, RunsFile, SinkError, blob_path, open_regular},
    clock,
};

/// How long a blob that nothing refers to is kept.
const UNUSED_FOR: Duration = Duration::from_secs(3600);

/// What pruning removed, or would remove.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pruned {
    /// Oldest first.
    pub files: Vec<PrunedFile>,
    /// How many blobs nothing refers to any more.
    pub blobs: u64,
    /// The length of files and blobs together.
    pub bytes: u64,
    /// The first file that is old enough and was kept because the runs of a terminal that is still
    /// alive may stand in it or behind it: should it die, its runs are looked for there.
    pub held_back: Option<String>,
}

impl Pruned {
    /// How many records the files held.
    pub fn records(&self) -> u64 {
        self.files.iter().map(|file| file.records).sum()
    }
}

/// A file of `audit/runs/` that was removed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PrunedFile {
    /// `<UTC day>.<nnnn>.jsonl`.
    pub name: String,
    /// How many records it held.
    pub records: u64,
}

impl DiskLog {
    /// Removes whole files that were begun before the day `before` (`YYYY-MM-DD`, UTC), and the
    /// blobs that neither a remaining record nor an open intent refers to.
    ///
    /// The newest file stays, and so does the newest that holds a record, with all behind it: the
    /// log goes on from there. What is removed leaves its end in `audit/anchors.jsonl`, from where
    /// the rest verifies. A blob stays for an hour after its last use.
    ///
    /// What was changed in those files goes with them, and nothing tells of it afterwards: have
    /// them verified before, and use [`prune_files`](Self::prune_files).
    ///
    /// # Errors
    /// That is no day, or the log cannot be read or written, or its lock was not had within 5 s.
    /// What was removed before stays removed, and the log is whole.
    pub fn prune(&self, before: &str) -> Result<Pruned, SinkError> {
        self.prune_or_tell(before, Files::All, Then::Remove { damaged: &[] })
    }

    /// As [`prune`](Self::prune), but removes none but the first of these files, as
    /// [`prunable_files`](Self::prunable_files) gave them. Where one is among `damaged`, its anchor
    /// says so, and `verify` with it.
    ///
    /// # Errors
    /// As [`prune`](Self::prune).
    pub fn prune_files(
        &self,
        before: &str,
        files: &[RunsFile],
        damaged: &[RunsFile],
    ) -> Result<Pruned, SinkError> {
        self.prune_or_tell(before, Files::Among(files), Then::Remove { damaged })
    }

    /// The files that [`prune`](Self::prune) would remove now, oldest first.
    ///
    /// # Errors
    /// As [`prune`](Self::prune).
    pub fn prunable_files(&self, before: &str) -> Result<Vec<RunsFile>, SinkError> {
        check_day(before)?;
        self.with_lock(|_, _| {
            let (files, _) = old_files(self.dir(), before).map_err(|error| self.failed(error))?;
            Ok(files)
        })
    }

    /// What [`prune`](Self::prune) would remove now.
    ///
    /// # Errors
    /// As [`prune`](Self::prune).
    pub fn prunable(&self, before: &str) -> Result<Pruned, SinkError> {
        self.prune_or_tell(before, Files::All, Then::Tell)
    }

    fn prune_or_tell(
        &self,
        before: &str,
        which: Files<'_>,
        then: Then<'_>,
    ) -> Result<Pruned, SinkError> {
        check_day(before)?;
        let started = clock::file_time();
        let failed = |error| self.failed(error);
        let (mut pruned, old) =
            self.with_lock(|_, _| take_files(self, before, which, then).map_err(failed))?;
        let unused = unused_blobs(self.dir(), &old, started).map_err(failed)?;
        self.with_lock(|_, _| {
            for path in unused {
                // Its time may have been set since, by somebody who is about to refer to it.
                let Some(bytes) = unused_bytes(&path, started).map_err(failed)? else { continue };
                if let Then::Remove { .. } = then {
                    fs::remove_file(&path).map_err(failed)?;
                }
                pruned.blobs += 1;
                pruned.bytes += bytes;
            }
            Ok(())
        })?;
        Ok(pruned)
    }

    fn failed(&self, error: io::Error) -> SinkError {
        SinkError::new(format!("prune the log in `{}`", self.dir().display()), error)
    }
}

/// Of the files that are old enough.
#[derive(Clone, Copy)]
enum Files<'a> {
    All,
    /// Up to the first that is not among these: what is left must be in one piece.
    Among(&'a [RunsFile]),
}

/// What to do with files and blobs.
#[derive(Clone, Copy)]
enum Then<'a> {
    Tell,
    Remove { damaged: &'a [RunsFile] },
}

fn check_day(before: &str) -> Result<(), SinkError> {
    match before.len() == 10 && before.parse::<jiff::civil::Date>().is_ok() {
        true => Ok(()),
        false => Err(SinkError::refused(format!(
            "prune what is older than `{before}`: a day is `YYYY-MM-DD`"
        ))),
    }
}

/// The files that may go, and the first that is held back. The caller has the lock.
fn old_files(audit: &Path, before: &str) -> io::Result<(Vec<RunsFile>, Option<String>)> {
    let mut files = RunsFile::list(audit)?;
    // The newest and the newest with a record; the next record is chained to what they hold.
    while let Some(file) = files.pop() {
        if End::read(&open_regular(&file.path(audit))?)?.record.is_some() {
            break;
        }
    }
    files.retain(|file| file.day() < before);
    let mut held_back = None;
    if let Some(oldest) = oldest_needed(audit)? {
        held_back = files.iter().find(|file| **file >= oldest).map(ToString::to_string);
        files.retain(|file| *file < oldest);
    }
    Ok((files, held_back))
}

/// The caller has the lock. Gives the names of the files, too.
fn take_files(
    log: &DiskLog,
    before: &str,
    which: Files<'_>,
    then: Then<'_>,
) -> io::Result<(Pruned, HashSet<RunsFile>)> {
    let audit = log.dir();
    let (mut files, held_back) = old_files(audit, before)?;
    if let Files::Among(these) = which {
        let others = files.iter().position(|file| !these.contains(file));
        files.truncate(others.unwrap_or(files.len()));
    }
    let mut pruned = Pruned { held_back, ..Pruned::default() };
    let mut anchors = Anchors::read(audit)?;
    for file in &files {
        let path = file.path(audit);
        let opened = open_regular(&path)?;
        let end = End::read(&opened)?;
        pruned.bytes += opened.metadata()?.len();
        // Windows removes no file that is open.
        drop(opened);
        let head = end.head(anchors.head);
        let is_anchored = anchors.last.as_ref().is_some_and(|last| last >= file);
        // Nobody knows what the one before held where the log does not begin with its first file
        // and no anchor says why; numbers alone must do then.
        let records = match is_anchored {
            true => records_in(&path)?,
            false => head.seq.saturating_sub(anchors.head.seq),
        };
        pruned.files.push(PrunedFile { name: file.to_string(), records });
        match then {
            Then::Remove { damaged } => {
                if !is_anchored {
                    anchors.append(log.file_system(), file, head, damaged.contains(file))?;
                }
                // Whoever wrote it may not have come that far.
                anchors.sync(log.file_system())?;
                fs::remove_file(path)?;
            }
            Then::Tell if !is_anchored => anchors.head = head,
            Then::Tell => {}
        }
    }
    Ok((pruned, files.into_iter().collect()))
}

/// Whoever finds the intents of a dead process looks for their records from this file on.
fn oldest_needed(audit: &Path) -> io::Result<Option<RunsFile>> {
    #[derive(Deserialize)]
    struct Begun {
        file: Option<String>,
    }

    let mut oldest: Option<RunsFile> = None;
    for path in intents(audit)? {
        let mut header = Vec::new();
        match open_regular(&path) {
            Ok(file) => BufReader::new(file).take(64 * 1024).read_until(b'\n', &mut header)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        let begun = serde_json::from_slice::<Begun>(&header).ok().and_then(|begun| begun.file);
        // Without a file it may be any.
        let since = begun.and_then(|file| RunsFile::parse(&file));
        let since = since.unwrap_or_else(|| RunsFile::first_of("0000-00-00"));
        oldest = Some(oldest.map_or(since.clone(), |oldest| oldest.min(since)));
    }
    Ok(oldest)
}

fn intents(audit: &Path) -> io::Result<Vec<PathBuf>> {
    fs::read_dir(OpenFile::dir(audit))?.map(|entry| Ok(entry?.path())).collect()
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Torn lines, too.
fn each_line(path: &Path, mut each: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut reader = BufReader::with_capacity(64 * 1024, open_regular(path)?);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        each(&line)?;
        line.clear();
    }
    Ok(())
}

fn records_in(path: &Path) -> io::Result<u64> {
    let mut records = 0;
    each_line(path, |line| {
        #[derive(Deserialize)]
        struct Place {
            #[serde(rename = "seq")]
            _seq: u64,
        }

        records += u64::from(serde_json::from_slice::<Place>(line).is_ok());
        Ok(())
    })?;
    Ok(records)
}

/// The blobs that were not used for an hour and that nothing outside `old` refers to.
fn unused_blobs(
    audit: &Path,
    old: &HashSet<RunsFile>,
    started: SystemTime,
) -> io::Result<Vec<PathBuf>> {
    let mut candidates = HashMap::new();
    for shard in fs::read_dir(audit.join("blobs"))? {
        let shard = shard?.path();
        if !shard.is_dir() {
            continue;
        }
        for blob in fs::read_dir(shard)? {
            let blob = blob?;
            let Ok(name) = blob.file_name().into_string() else { continue };
            let path = blob.path();
            let is_blob = blob_path(audit, &name).as_ref() == Some(&path);
            if is_blob && unused_bytes(&path, started)?.is_some() {
                candidates.insert(name, path);
            }
        }
    }
    if candidates.is_empty() {
        return Ok(Vec::new());
    }
    let mut used = Used { audit, candidates, tapes: HashSet::new() };
    for path in intents(audit)? {
        match each_line(&path, |line| used.by_line(line)) {
            // Its owner ended since; the records of its runs are there.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            read => read?,
        }
    }
    // After the intents: a run that has ended in between has its record by now.
    for file in RunsFile::list(audit)? {
        if !old.contains(&file) {
            each_line(&file.path(audit), |line| used.by_line(line))?;
        }
    }
    let mut unused: Vec<_> = used.candidates.into_values().collect();
    unused.sort();
    Ok(unused)
}

/// The length of a blob that was not used for an hour; `None` for others and where there is none.
fn unused_bytes(path: &Path, started: SystemTime) -> io::Result<Option<u64>> {
    let metadata = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        metadata => metadata?,
    };
    let unused_for = started.duration_since(metadata.modified()?).unwrap_or_default();
    Ok((metadata.is_file() && unused_for > UNUSED_FOR).then_some(metadata.len()))
}

/// Goes through what refers to blobs. What looks like a reference counts as one: a blob too many
/// costs some bytes, one too few a run.
struct Used<'a> {
    audit: &'a Path,
    /// Those that nothing refers to, so far.
    candidates: HashMap<String, PathBuf>,
    /// Tapes that were looked through.
    tapes: HashSet<String>,
}

impl Used<'_> {
    fn by_line(&mut self, line: &[u8]) -> io::Result<()> {
        #[derive(Deserialize)]
        struct Taped {
            tape: Option<Box<RawValue>>,
        }

        self.by_text(line);
        // Only a tape that is a blob itself refers to others.
        let taped = serde_json::from_slice::<Taped>(line).ok().and_then(|taped| taped.tape);
        let Some(tape) = taped.and_then(|tape| Kept::raw(tape).blob()) else { return Ok(()) };
        let Some(path) = blob_path(self.audit, &tape.sha256) else { return Ok(()) };
        if self.tapes.insert(tape.sha256) {
            match read(&path) {
                Ok(text) => self.by_text(&text),
                // Missing it is for `verify` to tell, not a reason to keep others for ever.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn by_text(&mut self, text: &[u8]) {
        for behind in text.split(|byte| *byte == b'$').skip(1) {
            let name = behind
                .strip_prefix(br#"blob":""#)
                .and_then(|name| name.get(..64))
                .and_then(|name| std::str::from_utf8(name).ok());
            if let Some(name) = name {
                self.candidates.remove(name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{fs::File, sync::Arc};

    use sha2::{Digest as _, Sha256};

    use super::*;
    use crate::{
        audit::{
            Anchor, Sink as _,
            disk::{
                Durability,
                faulty::Faulty,
                file_system::FileSystem,
                log::Bounds,
                sample::{file_names, intent, lines, record_on},
            },
        },
        hex::hex,
    };

    const OLD: &str = "2026-11-20";
    const NEW: &str = "2026-11-27";
    const BEFORE: &str = "2026-11-27";

    struct World {
        _dir: tempfile::TempDir,
        audit: PathBuf,
        log: DiskLog,
    }

    impl World {
        /// Three records on an old day, one on a new.
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let audit = dir.path().join("audit");
            let world = Self { _dir: dir, log: DiskLog::new(audit.clone()), audit };
            for number in 1..=3 {
                world.append(OLD, number, None);
            }
            world.append(NEW, 4, None);
            world
        }

        fn append(&self, day: &str, number: u32, tape: Option<&str>) {
            let mut record = record_on(day, number);
            if let Some(sha256) = tape {
                record.tape = Kept::raw(serde_json::from_str(&reference(sha256)).unwrap());
            }
            self.log.append(&mut record).unwrap();
        }

        /// A blob that was last used two hours ago.
        fn old_blob(&self, text: &str) -> String {
            let sha256 = hex(&Sha256::digest(text));
            DiskLog::new(self.audit.clone()).blob(&sha256, text.as_bytes()).unwrap();
            self.age(&sha256);
            sha256
        }

        fn age(&self, sha256: &str) {
            let path = blob_path(&self.audit, sha256).unwrap();
            let then = clock::file_time() - Duration::from_secs(2 * 3600);
            File::options().write(true).open(path).unwrap().set_modified(then).unwrap();
        }

        fn has(&self, sha256: &str) -> bool {
            blob_path(&self.audit, sha256).unwrap().exists()
        }
    }

    fn reference(sha256: &str) -> String {
        format!(r#"{{"$blob":"{sha256}","bytes":1}}"#)
    }

    #[test]
    fn old_files_go_and_the_writer_goes_on_behind_them() {
        let world = World::new();
        let would = world.log.prunable(BEFORE).unwrap();
        assert!(!Anchor::path(&world.audit).exists());
        assert_eq!(lines(&world.audit).len(), 4);
        let last = lines(&world.audit)[2].clone();

        let pruned = world.log.prune(BEFORE).unwrap();
        assert_eq!(pruned, would);
        assert_eq!((pruned.records(), pruned.held_back), (3, None));
        assert_eq!(file_names(&world.audit.join("runs")), ["2026-11-27.0001.jsonl"]);
        let anchor: Anchor =
            serde_json::from_slice(&fs::read(Anchor::path(&world.audit)).unwrap()).unwrap();
        let sha256 = hex(&Sha256::digest(last));
        assert_eq!((anchor.last_seq, anchor.sha256), (3, sha256));
        world.append(NEW, 5, None);
        let next: crate::audit::Record = serde_json::from_str(&lines(&world.audit)[1]).unwrap();
        assert_eq!(next.seq, 5);
    }

    #[test]
    fn a_file_of_the_day_itself_stays() {
        let world = World::new();
        world.append("2026-11-28", 5, None);
        assert_eq!(world.log.prune(BEFORE).unwrap().records(), 3);
        let left = ["2026-11-27.0001.jsonl", "2026-11-28.0001.jsonl"];
        assert_eq!(file_names(&world.audit.join("runs")), left);
    }

    #[test]
    fn a_file_goes_once_its_anchor_is_on_the_device() {
        let dir = tempfile::tempdir().unwrap();
        let audit = dir.path().join("audit");
        let disk = Arc::new(Faulty::new(&audit, None));
        let file_system: Arc<dyn FileSystem> = disk.clone();
        let log = DiskLog::with(audit.clone(), Bounds::default(), Durability::Sync, file_system);
        for (day, number) in [("2026-11-19", 1), (OLD, 2), (NEW, 3)] {
            log.append(&mut record_on(day, number)).unwrap();
        }
        disk.fail_syncs();
        // The second finds the anchor that the first has written, and cannot sync it either.
        for _ in 0..2 {
            log.prune(BEFORE).unwrap_err();
            assert_eq!(file_names(&audit.join("runs")).len(), 3);
            assert_eq!(fs::read_to_string(Anchor::path(&audit)).unwrap().lines().count(), 1);
        }
        disk.heal();
        assert_eq!(log.prune(BEFORE).unwrap().records(), 2);
        assert_eq!(file_names(&audit.join("runs")), ["2026-11-27.0001.jsonl"]);
        assert_eq!(disk.at_risk("anchors.jsonl".as_ref()), [""; 0].map(PathBuf::from));
    }

    #[test]
    fn the_newest_file_and_the_newest_with_a_record_stay() {
        let world = World::new();
        fs::write(world.audit.join("runs/2026-11-28.0001.jsonl"), "{\"torn").unwrap();
        world.log.prune("2027-01-01").unwrap();
        let left = ["2026-11-27.0001.jsonl", "2026-11-28.0001.jsonl"];
        assert_eq!(file_names(&world.audit.join("runs")), left);
        let log = DiskLog::new(world.audit.clone());
        let mut record = record_on("2026-11-29", 5);
        let before = lines(&world.audit);
        log.append(&mut record).unwrap();
        let both = before.iter().rev().take(2).rev().map(Sha256::digest);
        let both: Vec<u8> = both.flatten().collect();
        assert_eq!((record.seq, record.prev), (5, hex(&Sha256::digest(both))));
    }

    #[test]
    fn files_stay_that_the_intents_of_a_living_log_may_need() {
        let world = World::new();
        fs::remove_dir_all(&world.audit).unwrap();
        let living = DiskLog::new(world.audit.clone());
        living.append(&mut record_on("2026-11-19", 1)).unwrap();
        living.begin(&intent(2)).unwrap();
        living.append(&mut record_on(OLD, 2)).unwrap();
        living.append(&mut record_on(NEW, 3)).unwrap();
        let pruner = DiskLog::new(world.audit.clone());
        let pruned = pruner.prune(BEFORE).unwrap();
        assert_eq!(pruned.files, []);
        assert_eq!(pruned.held_back.as_deref(), Some("2026-11-19.0001.jsonl"));
        // Its process dies, and nobody takes the run for one that was interrupted.
        std::mem::forget(living);
        drop(pruner);
        let open = fs::read_dir(world.audit.join("open")).unwrap().next().unwrap().unwrap().path();
        let copy = fs::read(&open).unwrap();
        fs::remove_file(&open).unwrap();
        fs::write(open, copy).unwrap();
        let pruned = DiskLog::new(world.audit.clone()).prune(BEFORE).unwrap();
        assert_eq!(pruned.files.len(), 2);
        assert_eq!(lines(&world.audit).len(), 1);
    }

    #[test]
    fn blobs_go_that_nothing_refers_to_and_nobody_used_for_an_hour() {
        let world = World::new();
        let body = world.old_blob("a body on a tape that is a blob itself");
        let tape = world.old_blob(&format!("{{\"events\":[{{\"body\":{}}}]}}", reference(&body)));
        let of_intent = world.old_blob("a long line");
        let gone = world.old_blob("of a record that goes");
        let unused = world.old_blob("of nothing");
        let reused = world.old_blob("of a run that has no record yet");
        world.append(NEW, 5, Some(&tape));
        let mut begun = intent(6);
        begun.command = Kept::raw(serde_json::from_str(&reference(&of_intent)).unwrap());
        let other = DiskLog::new(world.audit.clone());
        other.begin(&begun).unwrap();
        other.blob(&reused, b"of a run that has no record yet").unwrap();
        let path = world.audit.join("runs/2026-11-20.0001.jsonl");
        let mut text = fs::read_to_string(&path).unwrap();
        text = text.replacen("\"tape\":null", &format!("\"tape\":{}", reference(&gone)), 1);
        fs::write(&path, text).unwrap();

        let would = world.log.prunable(BEFORE).unwrap();
        assert_eq!((would.files.len(), would.blobs), (1, 2));
        let pruned = world.log.prune(BEFORE).unwrap();
        assert_eq!(pruned, would);
        for kept in [&body, &tape, &of_intent, &reused] {
            assert!(world.has(kept), "{kept}");
        }
        assert!(!world.has(&gone) && !world.has(&unused));
        // Nothing that was used within the hour goes, known to a process or not.
        other.blob(&unused, b"of nothing").unwrap();
        assert_eq!(world.log.prune(BEFORE).unwrap().blobs, 0);
        assert!(world.has(&unused));
    }

    #[test]
    fn only_the_files_that_were_looked_at_go_and_the_anchor_says_what_was_damaged() {
        let world = World::new();
        world.append("2026-11-28", 5, None);
        world.append("2026-11-29", 6, None);
        let old = world.log.prunable_files("2026-11-29").unwrap();
        let names =
            |files: &[RunsFile]| -> Vec<String> { files.iter().map(ToString::to_string).collect() };
        let all = ["2026-11-20.0001.jsonl", "2026-11-27.0001.jsonl", "2026-11-28.0001.jsonl"];
        assert_eq!(names(&old), all);
        assert_eq!(lines(&world.audit).len(), 6);

        // Whatever is behind a file that stays stays as well.
        let [first, second, third] = &*old else { panic!("{old:?}") };
        let none = world.log.prune_files("2026-11-29", std::slice::from_ref(second), &[]).unwrap();
        assert_eq!(none.files, []);
        let these = [first.clone(), second.clone()];
        let pruned =
            world.log.prune_files("2026-11-29", &these, std::slice::from_ref(second)).unwrap();
        assert_eq!(pruned.files.len(), 2);
        assert!(third.path(&world.audit).exists());
        let text = fs::read_to_string(Anchor::path(&world.audit)).unwrap();
        let anchors: Vec<Anchor> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(anchors.iter().map(|anchor| anchor.damaged).collect::<Vec<_>>(), [false, true]);
        assert!(!text.lines().next().unwrap().contains("damaged"));
    }

    #[test]
    fn what_is_no_day_is_refused() {
        let world = World::new();
        for day in ["", "2026", "2026-13-01", "2026-02-30", "2026-11-27T"] {
            let error = world.log.prune(day).unwrap_err();
            assert!(error.to_string().contains("YYYY-MM-DD"), "{error}");
        }
        assert_eq!(lines(&world.audit).len(), 4);
    }
}

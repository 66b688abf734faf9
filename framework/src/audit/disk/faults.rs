//! Whatever call to the disk fails: no run is said to be recorded that is not, and the log goes on.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, OpenOptions},
    io::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use super::{
    DiskLog, Durability,
    faulty::{Call, Fault, Faulty, How},
    file_system::FileSystem,
    log::Bounds,
    sample::{assert_chained, file_names, hex, intent, open_files, record_on, records, run_id},
};
use crate::audit::{FORMAT, RunsFile, Sink, blob_path};

/// A log, and what the host was told of its runs.
struct Story {
    _dir: TempDir,
    audit: PathBuf,
    disk: Arc<Faulty>,
    durability: Durability,
    log: DiskLog,
    begun: BTreeSet<u32>,
    recorded: BTreeSet<u32>,
    kept: BTreeMap<String, Vec<u8>>,
}

impl Story {
    fn new(durability: Durability, fault: Option<Fault>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let audit = dir.path().join("root").join("audit");
        let disk = Arc::new(Faulty::new(&audit, fault));
        let log = open(&audit, durability, &disk);
        let (begun, recorded, kept) = Default::default();
        Self { _dir: dir, audit, disk, durability, log, begun, recorded, kept }
    }

    /// Everything a log ever does: new, torn, a new day, full files, emptied intents, a death, what
    /// others put among the intents.
    fn told(durability: Durability, fault: Option<Fault>) -> Self {
        let mut story = Self::new(durability, fault);
        story.run("2026-11-27", 1);
        story.tear();
        story.run("2026-11-27", 2);
        story.run("2026-11-28", 3);
        for number in 4..=6 {
            story.begin(number);
        }
        for number in [6, 4, 5] {
            story.end("2026-11-28", number);
        }
        story.begin(7);
        // Where there is such a directory.
        let _ = fs::write(story.audit.join("open/junk.jsonl"), "not ours\n");
        story.log = story.die();
        story.run("2026-11-28", 8);
        story
    }

    fn run(&mut self, day: &str, number: u32) {
        self.keep(format!("given {number}").as_bytes());
        self.begin(number);
        self.keep(b"the same for all");
        self.end(day, number);
    }

    fn begin(&mut self, number: u32) {
        if self.log.begin(&intent(number)).is_ok() {
            self.begun.insert(number);
            self.assert_durable("open".as_ref());
        }
    }

    /// A run that could not begin has a record, too.
    fn end(&mut self, day: &str, number: u32) {
        if self.log.append(&mut record_on(day, number)).is_ok() {
            self.recorded.insert(number);
            self.assert_durable("runs".as_ref());
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        let sha256 = hex(&Sha256::digest(bytes));
        if self.log.blob(&sha256, bytes).is_ok() {
            self.assert_durable(&blob_path("".as_ref(), &sha256).unwrap());
            self.kept.insert(sha256, bytes.to_vec());
        }
    }

    fn tear(&self) {
        if let Some(newest) = RunsFile::list(&self.audit).unwrap().last() {
            let mut options = OpenOptions::new();
            let mut file = options.append(true).open(newest.path(&self.audit)).unwrap();
            file.write_all(b"torn").unwrap();
        }
    }

    /// The process is killed; another takes its place.
    fn die(&mut self) -> DiskLog {
        let next = open(&self.audit, self.durability, &self.disk);
        std::mem::replace(&mut self.log, next).die();
        open(&self.audit, self.durability, &self.disk)
    }

    fn assert_durable(&self, place: &Path) {
        if self.durability == Durability::Sync {
            assert_eq!(self.disk.at_risk(place), [""; 0].map(PathBuf::from));
        }
    }

    /// The disk works again: the log goes on, here and in the next process, and all holds.
    fn goes_on(mut self) {
        self.disk.heal();
        self.run("2026-11-28", 20);
        assert!(self.begun.contains(&20) && self.recorded.contains(&20), "the same process");
        let last = DiskLog::new(self.audit.clone());
        drop(std::mem::replace(&mut self.log, last));
        self.durability = Durability::Os;
        self.run("2026-11-28", 21);
        assert!(self.begun.contains(&21) && self.recorded.contains(&21), "the next process");
        drop(self.log);

        let records = records(&self.audit);
        assert_chained(&self.audit, records.len());
        let mut of_runs: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for record in &records {
            of_runs.entry(&*record.run_id).or_default().push(record.error_code.as_deref());
        }
        for number in 1..=21 {
            let of_run = of_runs.remove(&*run_id(number)).unwrap_or_default();
            let is_begun = self.begun.contains(&number);
            match (self.recorded.contains(&number), is_begun) {
                (true, _) => assert_eq!(of_run, [None], "run {number}"),
                (false, true) => assert_eq!(of_run.len(), 1, "run {number}"),
                (false, false) => assert!(of_run.len() <= 1, "run {number}"),
            }
        }
        assert!(of_runs.is_empty());
        assert!(open_files(&self.audit).is_empty());
        assert_eq!(fs::read_to_string(self.audit.join("format")).unwrap(), FORMAT);
        let names = ["blobs", "format", "lock", "locks", "open", "runs"];
        let mut found = file_names(&self.audit);
        found.retain(|name| name != "junk.jsonl.aside");
        assert_eq!(found, names);
        assert_blobs(&self.audit, &self.kept);
    }
}

fn open(audit: &Path, durability: Durability, disk: &Arc<Faulty>) -> DiskLog {
    let bounds = Bounds { max_file_bytes: 2000, max_open_bytes: 1500, ..Bounds::default() };
    let disk: Arc<dyn FileSystem> = disk.clone();
    DiskLog::with(audit.to_owned(), bounds, durability, disk)
}

/// Those that were kept are there, and each that is there is whole.
fn assert_blobs(audit: &Path, kept: &BTreeMap<String, Vec<u8>>) {
    let mut found = BTreeMap::new();
    for shard in file_names(&audit.join("blobs")) {
        let shard = audit.join("blobs").join(shard);
        for name in file_names(&shard) {
            let bytes = fs::read(shard.join(&name)).unwrap();
            assert_eq!(hex(&Sha256::digest(&bytes)), name);
            found.insert(name, bytes);
        }
    }
    assert!(kept.iter().all(|(name, bytes)| found.get(name) == Some(bytes)));
}

fn fails_at_every_call(durability: Durability, stages: &[(Call, &str)]) {
    let story = Story::told(durability, None);
    let calls = story.disk.calls();
    let made: BTreeSet<_> = calls.iter().map(|(call, place)| (*call, &**place)).collect();
    assert_eq!(made, stages.iter().copied().collect());
    assert_eq!(story.recorded.len(), 7);
    story.goes_on();

    for (at, (call, place)) in calls.iter().enumerate() {
        let hows: &[How] = match call {
            Call::Write => &[How::Nothing, How::Some(1), How::Some(40), How::AllButOne],
            _ => &[How::Nothing],
        };
        for how in hows {
            for lasts in [false, true] {
                eprintln!("{call:?} {place} ({at}): {how:?}, lasts: {lasts}");
                Story::told(durability, Some(Fault { at, how: *how, lasts })).goes_on();
            }
        }
    }
}

const STAGES: [(Call, &str); 18] = [
    (Call::CreateDirectories, "locks"),
    (Call::CreateDirectories, "open"),
    (Call::CreateDirectories, "runs"),
    (Call::CreateDirectories, "blobs"),
    (Call::CreateDirectories, "blobs/shard"),
    (Call::Open, "lock"),
    (Call::Open, "format.tmp"),
    (Call::Open, "runs/file"),
    (Call::Open, "open/file"),
    (Call::Open, "blobs/tmp"),
    (Call::Write, "format.tmp"),
    (Call::Write, "runs/file"),
    (Call::Write, "open/file"),
    (Call::Write, "blobs/tmp"),
    (Call::SetLen, "lock"),
    (Call::SetLen, "open/file"),
    (Call::Rename, "format"),
    (Call::Rename, "junk.jsonl.aside"),
];

const RENAMED_BLOB: (Call, &str) = (Call::Rename, "blobs/shard/blob");

#[test]
fn a_full_disk_at_any_stage_loses_no_record_and_leaves_no_half_file() {
    let stages: Vec<_> = STAGES.into_iter().chain([RENAMED_BLOB]).collect();
    fails_at_every_call(Durability::Os, &stages);
}

#[test]
fn a_full_disk_or_a_failed_sync_at_any_stage_loses_no_record_that_was_said_to_be_safe() {
    let syncs = [
        RENAMED_BLOB,
        (Call::Sync, "format.tmp"),
        (Call::Sync, "runs/file"),
        (Call::Sync, "open/file"),
        (Call::Sync, "blobs/tmp"),
        (Call::Sync, "blobs/shard/blob"),
        (Call::SyncDirectory, "above"),
        (Call::SyncDirectory, "audit"),
        (Call::SyncDirectory, "runs"),
        (Call::SyncDirectory, "open"),
        (Call::SyncDirectory, "blobs"),
        (Call::SyncDirectory, "blobs/shard"),
    ];
    let stages: Vec<_> = STAGES.into_iter().chain(syncs).collect();
    fails_at_every_call(Durability::Sync, &stages);
}

#[test]
fn what_cannot_be_finished_is_not_left_behind() {
    let calls = Story::told(Durability::Sync, None).disk.calls();
    for stage in [
        (Call::Write, "format.tmp"),
        (Call::Sync, "format.tmp"),
        (Call::Rename, "format"),
        (Call::Write, "open/file"),
        (Call::Write, "blobs/tmp"),
        (Call::Rename, "blobs/shard/blob"),
    ] {
        let at = calls.iter().position(|(call, place)| (*call, &**place) == stage).unwrap();
        // Nothing comes after it that would tidy up.
        let fault = Fault { at, how: How::Nothing, lasts: true };
        let mut story = Story::new(Durability::Sync, Some(fault));
        story.run("2026-11-27", 1);
        assert!(!story.audit.join("format.tmp").exists(), "{stage:?}");
        assert!(open_files(&story.audit).is_empty(), "{stage:?}");
        let blobs = file_names(&story.audit.join("blobs"));
        assert!(!blobs.iter().any(|name| name.ends_with(".tmp")), "{stage:?}");
    }
}

#[test]
fn what_a_log_that_does_not_sync_has_left_is_synced_with_what_comes_after_it() {
    let mut story = Story::new(Durability::Os, None);
    story.run("2026-11-27", 1);
    for directory in ["runs", "blobs", "open", ""] {
        assert!(!story.disk.at_risk(directory.as_ref()).is_empty(), "{directory}");
    }
    // Another process, which begins the file that the next one appends to.
    story.run("2026-11-28", 2);
    story.durability = Durability::Sync;
    story.log = open(&story.audit, Durability::Sync, &story.disk);
    story.keep(b"the same for all");
    story.end("2026-11-28", 3);
    assert!(story.recorded.contains(&3));
}

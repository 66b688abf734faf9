//! [`DiskLog`]: the audit log of a host, under one directory.

use std::{
    fs::{self, OpenOptions},
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use super::{
    blobs::Blobs,
    commit::{Appended, Durability, GroupCommit},
    file_system::{FileSystem, OperatingSystem, write_all},
    intents::OpenFile,
    lock::{AuditLock, Held, Taken},
    place,
    recover::close_interrupted,
    runs::{Runs, Standing},
};
use crate::audit::{FORMAT, Intent, Obstacle, Record, RunsFile, Sink, SinkError};

/// Between two tries to have the lock.
const FIRST_PAUSE: Duration = Duration::from_micros(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(5);

/// More than that of another format is not looked at.
const MAX_FORMAT_BYTES: u64 = 240;

/// A log in a directory, which any number of processes may share.
///
/// Nothing is created before the first use, which opens the log: it checks `format`, creates what
/// is missing, and gives the runs of processes that died their `Interrupted` records. Where that
/// fails the next use tries again. So it is after an append that failed: whether its run has a
/// record is looked for then, and where it has none it gets an `Interrupted` one.
///
/// What intents and records survive once [`begin`](Sink::begin) and [`append`](Sink::append) return
/// is said with [`durability`](Self::durability).
#[derive(Debug)]
pub struct DiskLog {
    dir: PathBuf,
    bounds: Bounds,
    // Whoever needs both takes `intents` first.
    intents: Mutex<Option<OpenFile>>,
    opened: Mutex<Option<Opened>>,
    blobs: Blobs,
    /// With [`Durability::Sync`].
    commit: Option<GroupCommit>,
    file_system: Arc<dyn FileSystem>,
}

/// Tests set their own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// How long a run may wait for others that append.
    pub(super) lock_wait: Duration,
    /// A file of `runs/` this long is followed by another: small enough to ship and to read whole.
    pub(super) max_file_bytes: u64,
    /// A file of intents longer than this is emptied as soon as none is needed.
    pub(super) max_open_bytes: u64,
    /// How long a log that was moved away may still be written to, where it is now.
    pub(super) look_apart: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            lock_wait: Duration::from_secs(5),
            max_file_bytes: 64 * 1024 * 1024,
            max_open_bytes: 1024 * 1024,
            look_apart: Duration::from_millis(50),
        }
    }
}

#[derive(Debug)]
struct Opened {
    lock: AuditLock,
    runs: Runs,
}

impl DiskLog {
    /// A log in `dir`, `<root>/audit` by custom. Touches nothing.
    pub fn new(dir: PathBuf) -> Self {
        Self::with_bounds(dir, Bounds::default())
    }

    /// As it is, with another durability than [`Durability::Os`].
    #[must_use]
    pub fn durability(self, durability: Durability) -> Self {
        Self::with(self.dir.clone(), self.bounds, durability, Arc::clone(&self.file_system))
    }

    pub(super) fn with_bounds(dir: PathBuf, bounds: Bounds) -> Self {
        Self::with(dir, bounds, Durability::Os, Arc::new(OperatingSystem))
    }

    pub(super) fn with(
        dir: PathBuf,
        bounds: Bounds,
        durability: Durability,
        file_system: Arc<dyn FileSystem>,
    ) -> Self {
        let commit = match durability {
            Durability::Os => None,
            Durability::Sync => Some(GroupCommit::new(Arc::clone(&file_system))),
        };
        Self {
            bounds,
            intents: Mutex::default(),
            opened: Mutex::default(),
            blobs: Blobs::new(dir.clone(), Arc::clone(&file_system), durability),
            commit,
            file_system,
            dir,
        }
    }

    /// As if the process were killed: nothing is tidied up.
    #[cfg(test)]
    pub(super) fn die(self) {
        drop(lock(&self.intents).take());
    }

    /// How many runs wait for the next sync.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.commit.as_ref().map_or(0, GroupCommit::waiting)
    }

    /// Where the log lies.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Where the locks of the workspace lie. It exists once the log is open.
    pub fn locks_dir(&self) -> PathBuf {
        self.dir.join("locks")
    }

    pub(super) fn file_system(&self) -> &dyn FileSystem {
        &*self.file_system
    }

    /// Does something under the lock, with the log open.
    pub(super) fn with_lock<T>(
        &self,
        attempt: impl FnOnce(&mut Runs, &mut Held) -> Result<T, SinkError>,
    ) -> Result<T, SinkError> {
        let deadline = self.deadline(Duration::MAX);
        self.with_lock_until(deadline, deadline, attempt)
    }

    /// Until when a call waits that may wait for so long.
    fn deadline(&self, wait: Duration) -> Instant {
        Instant::now() + wait.min(self.bounds.lock_wait)
    }

    /// The same, trying at least once. Waiting for other threads counts too, so that a queue of runs
    /// fails together. Once the lock is had others wait, so reading has its end, too.
    fn with_lock_until<T>(
        &self,
        deadline: Instant,
        read_until: Instant,
        attempt: impl FnOnce(&mut Runs, &mut Held) -> Result<T, SinkError>,
    ) -> Result<T, SinkError> {
        let mut pause = FIRST_PAUSE;
        let mut fresh: Option<AuditLock> = None;
        loop {
            // Not kept while we wait: other threads may have less time.
            let mut opened = lock(&self.opened);
            let busy = match &mut *opened {
                Some(Opened { lock, runs }) => match lock.take()? {
                    Taken::Held(mut held) => {
                        if !runs.knows_all_files(&held) {
                            self.blobs.forget();
                        }
                        runs.read_until(read_until);
                        return attempt(runs, &mut held);
                    }
                    Taken::Busy => lock.attempted(),
                    // Somebody moved the log away under us.
                    Taken::Replaced => {
                        *opened = None;
                        continue;
                    }
                },
                None => {
                    let lock = match fresh.take() {
                        Some(lock) => lock,
                        None => self.prepare()?,
                    };
                    match lock.take()? {
                        Taken::Held(mut held) => {
                            let mut runs = self.open(read_until, &mut held)?;
                            let outcome = attempt(&mut runs, &mut held);
                            *opened = Some(Opened { lock, runs });
                            return outcome;
                        }
                        Taken::Busy => fresh.insert(lock).attempted(),
                        Taken::Replaced => {
                            return Err(SinkError::refused(format!(
                                "open the log in `{}`: somebody moves it away",
                                self.dir.display()
                            )));
                        }
                    }
                }
            };
            drop(opened);
            if Instant::now() >= deadline {
                return Err(SinkError::new(busy, Obstacle::Busy.into()));
            }
            thread::sleep(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// What is done before the lock can be had.
    fn prepare(&self) -> Result<AuditLock, SinkError> {
        self.blobs.forget();
        self.check_format()?;
        for dir in [
            self.locks_dir(),
            OpenFile::dir(&self.dir),
            RunsFile::dir(&self.dir),
            self.blobs.dir().to_owned(),
        ] {
            place::create_directory(&self.dir, &dir, &*self.file_system).map_err(|error| {
                SinkError::new(format!("create the directory `{}`", dir.display()), error)
            })?;
        }
        AuditLock::open(&self.dir, self.bounds.look_apart, &*self.file_system)
    }

    fn open(&self, read_until: Instant, held: &mut Held) -> Result<Runs, SinkError> {
        if !self.check_format()? {
            self.write_format()?;
        }
        if self.commit.is_some() {
            self.sync_directories().map_err(|error| {
                SinkError::new(format!("sync the directory `{}`", self.dir.display()), error)
            })?;
        }
        self.blobs.remove_unfinished().map_err(|error| {
            SinkError::new(format!("list `{}`", self.blobs.dir().display()), error)
        })?;
        let mut runs = Runs::new(
            self.dir.clone(),
            self.bounds.max_file_bytes,
            self.bounds.look_apart,
            Arc::clone(&self.file_system),
        );
        runs.read_until(read_until);
        close_interrupted(&self.dir, &mut runs, held, self.commit.as_ref(), &*self.file_system)?;
        Ok(runs)
    }

    /// Whether the format is written down; an error if it is another.
    fn check_format(&self) -> Result<bool, SinkError> {
        let path = self.format_path();
        match place::read_short(&self.dir, &path, MAX_FORMAT_BYTES) {
            Ok(format) if format == FORMAT.as_bytes() => Ok(true),
            // All that a loss of power may have left of a new one.
            Ok(format) if format.is_empty() => Ok(false),
            Ok(format) => Err(SinkError::refused(format!(
                "use the log in `{}`: `format` says `{}`, this build writes `{}`",
                self.dir.display(),
                String::from_utf8_lossy(&format)
                    .chars()
                    .take(60)
                    .collect::<String>()
                    .escape_debug(),
                FORMAT.trim_end(),
            ))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(SinkError::new(format!("read `{}`", path.display()), error)),
        }
    }

    /// The caller has the lock.
    fn write_format(&self) -> Result<(), SinkError> {
        let path = self.format_path();
        let unfinished = path.with_extension("tmp");
        let mut options = OpenOptions::new();
        let options = options.write(true).create(true).truncate(true);
        let failed = |error| SinkError::new(format!("write `{}`", path.display()), error);
        let file =
            place::open(&self.dir, &unfinished, options, &*self.file_system).map_err(failed)?;
        let written = || {
            write_all(&*self.file_system, &unfinished, &file, FORMAT.as_bytes())?;
            if self.commit.is_some() {
                self.file_system.sync(&unfinished, &file)?;
            }
            // Windows renames no file that is open.
            drop(file);
            self.file_system.rename(&unfinished, &path)
        };
        written().map_err(|error| {
            // If it stays, the next to try writes over it.
            let _ = fs::remove_file(&unfinished);
            failed(error)
        })
    }

    /// The log's own directories, and those above as far as they can be opened: any of them may be
    /// new, whoever made it, and who may not open one has made nothing in it.
    fn sync_directories(&self) -> io::Result<()> {
        for directory in self.dir.ancestors() {
            let directory = match directory.as_os_str().is_empty() {
                true => Path::new("."),
                false => directory,
            };
            match self.file_system.sync_directory(directory) {
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => break,
                synced => synced?,
            }
        }
        Ok(())
    }

    /// Waits until the device has what was written, where that was asked for.
    fn sync(&self, file: Arc<Appended>, what: &str, run_id: &str) -> Result<(), SinkError> {
        match &self.commit {
            None => Ok(()),
            Some(commit) => commit.sync(file).map_err(|error| {
                SinkError::new(format!("sync the {what} of run `{run_id}`"), error)
            }),
        }
    }

    fn format_path(&self) -> PathBuf {
        self.dir.join("format")
    }

    /// The run is over, its record written or not.
    fn end(&self, record: &Record, is_written: bool) {
        let mut intents = lock(&self.intents);
        let Some(open) = &mut *intents else { return };
        if is_written {
            let standing = || match &*lock(&self.opened) {
                Some(opened) => opened.runs.remembered_standing(),
                None => Standing { file: None, seq: 0 },
            };
            let ended = open.end(record, self.bounds.max_open_bytes, standing);
            if ended.is_ok() && !open.is_spent() {
                return;
            }
            // The record is written, so this is no failure of the run: the next one gets a new file.
        } else {
            open.lose(&record.run_id);
            if !open.is_spent() {
                return;
            }
        }
        if let Some(open) = intents.take() {
            open.close();
        }
        // The next use opens the log again, and gives runs that lack a record theirs.
        *lock(&self.opened) = None;
    }

    fn write_intent(&self, intent: &Intent, deadline: Instant) -> Result<Arc<Appended>, SinkError> {
        let mut pause = FIRST_PAUSE;
        loop {
            // Not kept while we wait: other threads may have less time.
            let mut intents = lock(&self.intents);
            let in_place = intents.take_if(|open| !open.is_in_place()).is_none();
            let created = match &mut *intents {
                Some(open) if in_place => return open.begin(intent),
                _ => self.with_lock_until(Instant::now(), deadline, |runs, held| {
                    let standing = runs.standing(held)?;
                    OpenFile::create(
                        &self.dir,
                        &standing,
                        &intent.timestamp,
                        self.bounds.look_apart,
                        &self.file_system,
                    )
                }),
            };
            match created {
                Ok(open) => return intents.insert(open).begin(intent),
                Err(error)
                    if Obstacle::of(&error) == Some(&Obstacle::Busy)
                        && Instant::now() < deadline => {}
                Err(error) => return Err(error),
            }
            drop(intents);
            thread::sleep(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    fn begin_until(&self, intent: &Intent, deadline: Instant) -> Result<(), SinkError> {
        let file = self.write_intent(intent, deadline)?;
        self.sync(file, "intent", &intent.run_id)
    }

    fn blob_until(&self, sha256: &str, bytes: &[u8], deadline: Instant) -> Result<(), SinkError> {
        if self.blobs.is_known(sha256) {
            return Ok(());
        }
        let is_open = lock(&self.opened).is_some();
        if !is_open {
            self.with_lock_until(deadline, deadline, |_, _| Ok(()))?;
        }
        if self.blobs.is_there(sha256) {
            self.with_lock_until(deadline, deadline, |_, _| self.blobs.refresh(sha256))?;
        }
        self.blobs.keep(sha256, bytes)
    }

    fn append_until(&self, record: &mut Record, deadline: Instant) -> Result<(), SinkError> {
        let appended = self
            .with_lock_until(deadline, deadline, |runs, held| runs.append(held, record))
            .and_then(|file| self.sync(file, "record", &record.run_id));
        self.end(record, appended.is_ok());
        appended
    }
}

impl Sink for DiskLog {
    fn begin(&self, intent: &Intent) -> Result<(), SinkError> {
        self.begin_until(intent, self.deadline(Duration::MAX))
    }

    fn blob(&self, sha256: &str, bytes: &[u8]) -> Result<(), SinkError> {
        self.blob_until(sha256, bytes, self.deadline(Duration::MAX))
    }

    fn append(&self, record: &mut Record) -> Result<(), SinkError> {
        self.append_until(record, self.deadline(Duration::MAX))
    }

    fn within(&self, wait: Duration) -> Option<Box<dyn Sink + '_>> {
        Some(Box::new(Within { log: self, deadline: self.deadline(wait) }))
    }
}

/// A log for a run whose time runs out: all its calls share one wait.
struct Within<'a> {
    log: &'a DiskLog,
    deadline: Instant,
}

impl Sink for Within<'_> {
    fn begin(&self, intent: &Intent) -> Result<(), SinkError> {
        self.log.begin_until(intent, self.deadline)
    }

    fn blob(&self, sha256: &str, bytes: &[u8]) -> Result<(), SinkError> {
        self.log.blob_until(sha256, bytes, self.deadline)
    }

    fn append(&self, record: &mut Record) -> Result<(), SinkError> {
        self.log.append_until(record, self.deadline)
    }
}

impl Drop for DiskLog {
    fn drop(&mut self) {
        if let Some(open) = lock(&self.intents).take() {
            open.close();
        }
    }
}

/// What is remembered of the log is compared with its files at each use, so a panic in the middle
/// leaves nothing that would mislead.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

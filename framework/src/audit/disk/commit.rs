//! [`GroupCommit`]: many appenders, few syncs.
//!
//! Whoever has written a line hands its file over and waits. One thread takes all that wait, syncs
//! each file once, and tells them. While it does, the next ones gather.

use std::{
    fs::{File, OpenOptions},
    io,
    path::{Path, PathBuf},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread::{self, JoinHandle},
};

use super::{file_system::FileSystem, place};

/// What an intent or record survives, once it counts as written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// The end of the process: it is in the operating system's hands. The default; an append takes
    /// microseconds.
    #[default]
    Os,
    /// The loss of power: the device has it, and whatever it refers to. Each run waits for the
    /// device twice, before it starts and at its end, and again for each value that is kept apart
    /// for the first time; runs at the same time share the wait.
    Sync,
}

/// A file that lines are appended to.
#[derive(Debug)]
pub(super) struct Appended {
    pub(super) path: PathBuf,
    pub(super) file: File,
    /// The file whose lines come before those of this one.
    before: Option<PathBuf>,
    /// The name of the file and the lines before it are on the device.
    is_rooted: AtomicBool,
}

impl Appended {
    pub(super) fn new(path: PathBuf, file: File, before: Option<PathBuf>) -> Arc<Self> {
        Arc::new(Self { path, file, before, is_rooted: AtomicBool::new(false) })
    }

    fn sync(&self, file_system: &dyn FileSystem) -> io::Result<()> {
        file_system.sync(&self.path, &self.file)?;
        // Another process may have begun the file, and may not care for the device.
        if !self.is_rooted.load(Ordering::Acquire) {
            if let Some(before) = &self.before {
                // Both lie in a directory of the log.
                let audit = before.ancestors().nth(2).unwrap_or(before);
                match sync_file(file_system, audit, before) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    synced => synced?,
                }
            }
            if let Some(directory) = self.path.parent() {
                file_system.sync_directory(directory)?;
            }
            self.is_rooted.store(true, Ordering::Release);
        }
        Ok(())
    }
}

/// Syncs a file that is not open.
pub(super) fn sync_file(file_system: &dyn FileSystem, audit: &Path, path: &Path) -> io::Result<()> {
    // Windows syncs no file that is open for reading only.
    let mut options = OpenOptions::new();
    let file = place::open_there(audit, path, options.read(true).write(cfg!(windows)))?;
    file_system.sync(path, &file)
}

/// The thread starts when it is first needed and ends with this.
#[derive(Debug)]
pub(super) struct GroupCommit {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug)]
struct Shared {
    file_system: Arc<dyn FileSystem>,
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: Vec<Waiting>,
    is_over: bool,
}

#[derive(Debug)]
struct Waiting {
    file: Arc<Appended>,
    answer: mpsc::SyncSender<Synced>,
}

type Synced = Result<(), Arc<io::Error>>;

impl GroupCommit {
    pub(super) fn new(file_system: Arc<dyn FileSystem>) -> Self {
        let (queue, changed) = (Mutex::default(), Condvar::new());
        Self { shared: Arc::new(Shared { file_system, queue, changed }), thread: Mutex::default() }
    }

    /// Waits until all that was written to the file before this call is on the device. An error
    /// says that it may not be.
    pub(super) fn sync(&self, file: Arc<Appended>) -> io::Result<()> {
        self.start()?;
        let (answer, answered) = mpsc::sync_channel(1);
        lock(&self.shared.queue).waiting.push(Waiting { file, answer });
        self.shared.changed.notify_all();
        match answered.recv() {
            Ok(synced) => synced.map_err(|error| io::Error::new(error.kind(), error)),
            Err(_) => Err(io::Error::other("the thread that syncs is gone")),
        }
    }

    /// How many wait for the next group.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        lock(&self.shared.queue).waiting.len()
    }

    fn start(&self) -> io::Result<()> {
        let mut thread = lock(&self.thread);
        if thread.is_none() {
            let shared = Arc::clone(&self.shared);
            let started = thread::Builder::new().name("tapeline-sync".to_owned());
            *thread = Some(started.spawn(move || shared.serve())?);
        }
        Ok(())
    }
}

impl Drop for GroupCommit {
    fn drop(&mut self) {
        lock(&self.shared.queue).is_over = true;
        self.shared.changed.notify_all();
        // Nobody waits any more, so it ends at once.
        if let Some(thread) = lock(&self.thread).take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn serve(&self) {
        while let Some(group) = self.next_group() {
            let mut synced: Vec<(Arc<Appended>, Synced)> = Vec::new();
            for Waiting { file, answer } in group {
                let known = synced.iter().find(|(other, _)| Arc::ptr_eq(other, &file));
                let outcome = match known {
                    Some((_, outcome)) => outcome.clone(),
                    None => {
                        let outcome = file.sync(&*self.file_system).map_err(Arc::new);
                        synced.push((file, outcome.clone()));
                        outcome
                    }
                };
                // Whoever asked waits for it.
                let _ = answer.send(outcome);
            }
        }
    }

    fn next_group(&self) -> Option<Vec<Waiting>> {
        let mut queue = lock(&self.queue);
        loop {
            if !queue.waiting.is_empty() {
                return Some(std::mem::take(&mut queue.waiting));
            }
            if queue.is_over {
                return None;
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// No panic leaves a queue half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::audit::{
        Sink,
        disk::{
            DiskLog,
            faulty::{Call, Faulty},
            file_system::OperatingSystem,
            log::Bounds,
            sample::{assert_chained, intent, open_files, record, records},
        },
    };

    const RUNS: u32 = 24;

    struct World {
        _dir: TempDir,
        audit: PathBuf,
        disk: Arc<Faulty>,
        log: DiskLog,
    }

    fn world() -> World {
        let dir = tempfile::tempdir().unwrap();
        let audit = dir.path().join("audit");
        let disk = Arc::new(Faulty::new(&audit, None));
        let file_system: Arc<dyn FileSystem> = disk.clone();
        let log = DiskLog::with(audit.clone(), Bounds::default(), Durability::Sync, file_system);
        World { _dir: dir, audit, disk, log }
    }

    /// Appends all at once. The first sync stands until all others wait for the next.
    fn append_together(World { disk, log, .. }: &World) -> Vec<bool> {
        disk.let_syncs_stand();
        thread::scope(|scope| {
            let append = |number| scope.spawn(move || log.append(&mut record(number)).is_ok());
            let first = append(1);
            wait_until(|| disk.standing() == 1);
            let mut runs: Vec<_> = (2..=RUNS).map(append).collect();
            wait_until(|| log.waiting() == runs.len());
            runs.push(first);
            disk.let_syncs_go();
            runs.into_iter().map(|run| run.join().unwrap()).collect()
        })
    }

    fn wait_until(is_there: impl Fn() -> bool) {
        while !is_there() {
            thread::yield_now();
        }
    }

    #[test]
    fn runs_that_end_together_share_a_sync() {
        let world = world();
        for number in 1..=RUNS {
            world.log.begin(&intent(number)).unwrap();
        }
        world.log.append(&mut record(100)).unwrap();
        let before = world.disk.count(Call::Sync);
        assert!(append_together(&world).into_iter().all(|is_safe| is_safe));
        assert_eq!(world.disk.count(Call::Sync) - before, 2);
        assert_chained(&world.audit, 25);
    }

    #[test]
    fn a_sync_that_fails_is_said_to_all_that_wait_and_the_next_append_goes_on() {
        let world = world();
        for number in 1..=RUNS {
            world.log.begin(&intent(number)).unwrap();
        }
        world.disk.fail_syncs();
        assert!(append_together(&world).into_iter().all(|is_safe| !is_safe));
        world.disk.heal();
        world.log.begin(&intent(50)).unwrap();
        world.log.append(&mut record(50)).unwrap();
        // Their lines were written all the same, so none of them is said to be interrupted.
        assert_chained(&world.audit, 25);
        assert!(records(&world.audit).iter().all(|record| record.error_code.is_none()));
        drop(world.log);
        assert!(open_files(&world.audit).is_empty());
    }

    #[test]
    fn an_intent_that_is_not_on_the_device_starts_no_run() {
        let world = world();
        world.log.append(&mut record(1)).unwrap();
        world.disk.fail_syncs();
        let error = world.log.begin(&intent(2)).unwrap_err();
        assert!(error.to_string().contains("sync the intent of run"), "{error}");
        assert_eq!(error.source.unwrap().to_string(), "the device is gone");
    }

    #[test]
    fn the_thread_that_syncs_starts_when_it_is_needed_and_ends_with_the_log() {
        let dir = tempfile::tempdir().unwrap();
        let commit = GroupCommit::new(Arc::new(OperatingSystem));
        assert!(lock(&commit.thread).is_none());
        let path = dir.path().join("file");
        let file = Appended::new(path.clone(), File::create(&path).unwrap(), None);
        commit.sync(Arc::clone(&file)).unwrap();
        assert!(lock(&commit.thread).is_some());
        let shared = Arc::downgrade(&commit.shared);
        drop(commit);
        assert!(shared.upgrade().is_none());
        // It kept no file open either.
        assert_eq!(Arc::strong_count(&file), 1);
    }
}

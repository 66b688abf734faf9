//! A log that somebody holds, or has put something into: the run is told so, and what to do.

use std::{
    fs::{self, File, OpenOptions},
    os::unix::fs::{DirBuilderExt as _, PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use serde_json::Value;
use tapeline::{Envelope, Request, Terminal, audit::RunsFile};
use tempfile::TempDir;

use crate::{audit::records_in, commands, world::check_schema};

/// A root with a log of one run, and a place outside.
struct Log {
    folder: TempDir,
}

impl Log {
    fn new() -> Self {
        let log = Self { folder: tempfile::tempdir().unwrap() };
        assert_eq!(log.exec("echo --text a").error_code, None);
        fs::create_dir(log.outside()).unwrap();
        log
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    fn audit(&self) -> PathBuf {
        self.root().join("audit")
    }

    fn outside(&self) -> PathBuf {
        self.folder.path().join("outside")
    }

    fn newest(&self) -> PathBuf {
        RunsFile::list(&self.audit()).unwrap().pop().unwrap().path(&self.audit())
    }

    /// In a process of its own, as far as the log can tell.
    fn exec(&self, line: &str) -> Envelope {
        self.start(Request::new(line))
    }

    fn start(&self, request: Request) -> Envelope {
        let builder = Terminal::builder().registry(commands::registry());
        let envelope = builder.root(self.root()).build().unwrap().start(request).wait();
        check_schema(&envelope);
        assert!(!envelope.to_json().contains(self.folder.path().to_str().unwrap()), "a host path");
        envelope
    }

    /// What is put there is named, and nothing is written.
    #[track_caller]
    fn is_in_the_way(&self, line: &str, name: &str) {
        for _ in 0..2 {
            let envelope = self.exec(line);
            assert_unavailable(
                &envelope,
                &[&format!("`{name}` in the audit folder is ")],
                &["who put it there", "remove it"],
            );
        }
    }
}

#[track_caller]
fn assert_unavailable(envelope: &Envelope, message: &[&str], hint: &[&str]) {
    let text = envelope.to_json();
    assert_eq!(envelope.error_code.as_deref(), Some("AuditUnavailable"), "{text}");
    let result: Value = serde_json::from_str(envelope.result.get()).unwrap();
    assert_eq!(result["ran"], false, "{text}");
    let (said, advised) = (envelope.error_message.as_ref(), envelope.hint.as_ref());
    assert!(message.iter().all(|words| said.unwrap().contains(words)), "{text}: {message:?}");
    assert!(hint.iter().all(|words| advised.unwrap().contains(words)), "{text}: {hint:?}");
}

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Every file below, with its bytes.
fn files_below(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files.extend(files_below(&path)),
            false => files.push((path.clone(), fs::read(&path).unwrap())),
        }
    }
    files.sort();
    files
}

#[test]
fn a_newest_file_that_is_no_regular_file_takes_no_record() {
    let places: [fn(&Log, &Path); 6] = [
        |_, path| symlink("/dev/null", path).unwrap(),
        |log, path| {
            fs::write(log.outside().join("file"), "").unwrap();
            symlink(log.outside().join("file"), path).unwrap();
        },
        |log, path| symlink(log.outside().join("nowhere"), path).unwrap(),
        |log, path| symlink(log.newest(), path).unwrap(),
        |_, path| fifo(path),
        |_, path| fs::create_dir(path).unwrap(),
    ];
    for put in places {
        let log = Log::new();
        let name = "runs/2999-01-01.0001.jsonl";
        put(&log, &log.audit().join(name));
        let before = files_below(&log.outside());
        log.is_in_the_way("file write b.txt --text b", name);
        assert_eq!(files_below(&log.outside()), before);
        assert!(!log.root().join(".agents/b.txt").exists());

        let path = log.audit().join(name);
        fs::remove_file(&path).or_else(|_| fs::remove_dir(&path)).unwrap();
        assert_eq!(log.exec("echo --text b").error_code, None);
        assert_eq!(records_in(&log.audit()).len(), 2);
    }
}

#[test]
fn a_part_of_the_log_that_lies_elsewhere_is_not_written_to() {
    for name in ["runs", "open", "blobs", "locks", "lock", "format"] {
        let log = Log::new();
        let (path, elsewhere) = (log.audit().join(name), log.outside().join("elsewhere"));
        fs::rename(&path, &elsewhere).unwrap();
        symlink(&elsewhere, &path).unwrap();
        let before = files_below(&log.outside());
        log.is_in_the_way("echo --text b", name);
        assert_eq!(files_below(&log.outside()), before, "{name}");

        fs::remove_file(&path).unwrap();
        fs::rename(&elsewhere, &path).unwrap();
        assert_eq!(log.exec("echo --text b").error_code, None);
        assert_eq!(records_in(&log.audit()).len(), 2);
    }
}

#[test]
fn blobs_are_not_kept_elsewhere() {
    let log = Log::new();
    let long = format!("echo --text {}", "b".repeat(5000));
    fs::remove_dir_all(log.audit().join("blobs")).unwrap();
    fs::create_dir(log.audit().join("blobs")).unwrap();
    for shard in 0..=255 {
        symlink(log.outside(), log.audit().join(format!("blobs/{shard:02x}"))).unwrap();
    }
    let envelope = log.exec(&long);
    assert_unavailable(&envelope, &["`blobs/", "in the audit folder is a link"], &["remove it"]);
    assert_eq!(files_below(&log.outside()), []);
    for shard in 0..=255 {
        fs::remove_file(log.audit().join(format!("blobs/{shard:02x}"))).unwrap();
    }
    assert_eq!(log.exec(&long).error_code, None);

    // A link in the place of the blob itself: another's bytes would be taken for it.
    let mut blobs = files_below(&log.audit().join("blobs"));
    blobs.retain(|(_, bytes)| bytes.starts_with(b"\"echo --text"));
    let (blob, bytes) = blobs.pop().unwrap();
    fs::remove_file(&blob).unwrap();
    fs::write(log.outside().join("blob"), bytes).unwrap();
    symlink(log.outside().join("blob"), &blob).unwrap();
    let name = blob.strip_prefix(log.audit()).unwrap();
    log.is_in_the_way(&long, name.to_str().unwrap());
}

#[test]
fn the_audit_folder_itself_and_what_is_above_it_may_be_links() {
    let log = Log::new();
    fs::rename(log.audit(), log.outside().join("audit")).unwrap();
    symlink(log.outside().join("audit"), log.audit()).unwrap();
    assert_eq!(log.exec("echo --text b").error_code, None);
    fs::rename(log.root(), log.outside().join("root")).unwrap();
    symlink(log.outside().join("root"), log.root()).unwrap();
    assert_eq!(log.exec("echo --text c").error_code, None);
    assert_eq!(records_in(&log.audit()).len(), 3);
}

#[test]
fn a_log_that_another_process_holds_is_waited_for_once_and_no_longer_than_the_run_may_last() {
    let log = Log::new();
    let lock = File::open(log.audit().join("lock")).unwrap();
    lock.lock().unwrap();
    let started = Instant::now();
    // The second line needs the log for its blob first.
    let long = format!("echo --text {}", "b".repeat(5000));
    for line in ["file write b.txt --text b", "help", &long] {
        let envelope = log.start(Request::new(line).timeout_ms(100));
        assert_unavailable(&envelope, &["did not start"], &["another process", "again"]);
    }
    // Far below what one wait of 5 s would take.
    assert!(started.elapsed() < Duration::from_secs(4), "{:?}", started.elapsed());
    assert!(!log.root().join(".agents/b.txt").exists());
    lock.unlock().unwrap();
    assert_eq!(log.exec("echo --text b").error_code, None);
    assert_eq!(records_in(&log.audit()).len(), 2);
}

#[test]
fn a_long_torn_tail_is_covered_by_the_next_record() {
    let log = Log::new();
    let grow = |bytes| {
        let file = OpenOptions::new().write(true).open(log.newest()).unwrap();
        file.set_len(file.metadata().unwrap().len() + bytes).unwrap();
    };
    grow(3 << 20);
    assert_eq!(log.exec("echo --text b").error_code, None);
    grow(1 << 20);
    assert_eq!(log.exec("echo --text c").error_code, None);
    assert_eq!(records_in(&log.audit()).len(), 3);
}

#[test]
fn a_torn_tail_that_cannot_be_read_in_the_time_of_a_run_is_said() {
    let log = Log::new();
    let file = OpenOptions::new().write(true).open(log.newest()).unwrap();
    let length = file.metadata().unwrap().len();
    // A hole: it takes no room, and days to read.
    file.set_len(1 << 42).unwrap();
    let name = log.newest().strip_prefix(log.audit()).unwrap().to_str().unwrap().to_owned();
    let envelope = log.start(Request::new("echo --text b").timeout_ms(100));
    assert_unavailable(&envelope, &[&name, "did not start"], &["no record", "cut"]);
    file.set_len(length).unwrap();
    assert_eq!(log.exec("echo --text b").error_code, None);
    assert_eq!(records_in(&log.audit()).len(), 2);
}

#[test]
fn what_others_put_among_the_intents_is_put_aside_and_kept() {
    let log = Log::new();
    let name = "01234567-0123-4123-8123-0123456789ab.jsonl";
    fs::write(log.audit().join("open").join(name), "not\nof the log\n").unwrap();
    assert_eq!(log.exec("echo --text b").error_code, None);
    assert_eq!(fs::read_dir(log.audit().join("open")).unwrap().count(), 0);
    let kept = fs::read(log.audit().join(format!("{name}.aside"))).unwrap();
    assert_eq!(kept, b"not\nof the log\n");
}

#[test]
fn who_may_use_a_log_is_said_by_the_mode_of_its_folder() {
    let modes = |audit: &Path| {
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let runs = RunsFile::list(audit).unwrap().pop().unwrap().path(audit);
        let blob = files_below(&audit.join("blobs")).pop().unwrap().0;
        let directories = ["runs", "open", "blobs", "locks"].map(|name| mode(&audit.join(name)));
        (
            directories,
            [runs, blob, audit.join("lock"), audit.join("format")].map(|path| mode(&path)),
        )
    };
    let long = format!("echo --text {}", "b".repeat(5000));
    let log = Log::new();
    assert_eq!(log.exec(&long).error_code, None);
    let mode = fs::metadata(log.audit()).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o700);
    assert_eq!(modes(&log.audit()), ([0o700; 4], [0o600; 4]));

    // As the operator made it; the umask only takes away.
    fs::remove_dir_all(log.audit()).unwrap();
    fs::DirBuilder::new().mode(0o750).create(log.audit()).unwrap();
    assert_eq!(log.exec(&long).error_code, None);
    assert_eq!(modes(&log.audit()), ([0o750; 4], [0o640; 4]));
}

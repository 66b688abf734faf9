//! Whoever does what in which order: one chain, and one record for each run.

use std::{
    collections::BTreeMap,
    fs::OpenOptions,
    io::Write as _,
    path::{Path, PathBuf},
    time::Duration,
};

use proptest::{collection::vec, prelude::*, sample::select};

use super::{
    DiskLog,
    log::Bounds,
    sample::{assert_chained, intent, open_files, record_on, records, run_id},
};
use crate::audit::{RunsFile, Sink};

/// What one of two processes does, or somebody else.
#[derive(Clone, Debug)]
enum Step {
    Begin(usize),
    /// Ends the oldest run that is not ended.
    End(usize),
    Kill(usize),
    /// Ends the process in good order, whatever its runs do.
    Restart(usize),
    Tear(&'static [u8]),
    LaterDay,
    /// The clock steps back.
    EarlierDay,
}

fn step() -> impl Strategy<Value = Step> {
    let torn: [&[u8]; 6] =
        [b"{\"v\":1,\"seq\":3,\"run", b"x", b"\n", b"whole\n", b"{\"a\":1}", b"y\nz"];
    prop_oneof![
        6 => (0usize..2).prop_map(Step::Begin),
        6 => (0usize..2).prop_map(Step::End),
        1 => (0usize..2).prop_map(Step::Kill),
        1 => (0usize..2).prop_map(Step::Restart),
        2 => select(torn.to_vec()).prop_map(Step::Tear),
        1 => Just(Step::LaterDay),
        1 => Just(Step::EarlierDay),
    ]
}

struct Process {
    log: DiskLog,
    runs: Vec<u32>,
}

impl Process {
    fn start(audit: &Path) -> Self {
        let log = DiskLog::with_bounds(
            audit.to_owned(),
            Bounds {
                max_file_bytes: 3000,
                max_open_bytes: 1500,
                look_apart: Duration::ZERO,
                ..Bounds::default()
            },
        );
        Self { log, runs: Vec::new() }
    }
}

fn tear(audit: &Path, bytes: &[u8]) {
    if let Some(newest) = RunsFile::list(audit).unwrap().last() {
        let mut options = OpenOptions::new();
        options.append(true).open(newest.path(audit)).unwrap().write_all(bytes).unwrap();
    }
}

fn check(audit: &Path, steps: Vec<Step>) {
    let mut processes = [Process::start(audit), Process::start(audit)];
    let (mut begun, mut ended, mut year) = (Vec::new(), Vec::new(), 2026);
    for step in steps {
        match step {
            Step::Begin(at) => {
                let number = u32::try_from(begun.len()).unwrap() + 1;
                processes[at].log.begin(&intent(number)).unwrap();
                processes[at].runs.push(number);
                begun.push(number);
            }
            Step::End(at) => {
                let Process { log, runs } = &mut processes[at];
                if !runs.is_empty() {
                    let number = runs.remove(0);
                    log.append(&mut record_on(&format!("{year}-11-27"), number)).unwrap();
                    ended.push(number);
                }
            }
            Step::Kill(at) => {
                std::mem::replace(&mut processes[at], Process::start(audit)).log.die();
            }
            Step::Restart(at) => processes[at] = Process::start(audit),
            Step::Tear(bytes) => tear(audit, bytes),
            Step::LaterDay => year += 1,
            Step::EarlierDay => year -= 1,
        }
    }
    drop(processes);
    let last = Process::start(audit).log;
    last.append(&mut record_on("2026-11-10", 999)).unwrap();
    drop(last);

    let mut of_runs: BTreeMap<String, Vec<Option<String>>> = BTreeMap::new();
    let records = records(audit);
    assert_chained(audit, records.len());
    for record in records {
        of_runs.entry(record.run_id).or_default().push(record.error_code);
    }
    for number in &begun {
        let interrupted = (!ended.contains(number)).then(|| "Interrupted".to_owned());
        assert_eq!(of_runs.remove(&run_id(*number)), Some(vec![interrupted]), "run {number}");
    }
    assert_eq!(of_runs.into_keys().collect::<Vec<_>>(), [run_id(999)]);
    assert_eq!(open_files(audit), [""; 0].map(PathBuf::from));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..Default::default() })]

    #[test]
    fn two_processes_that_come_and_go_leave_one_chain_and_one_record_for_each_run(
        steps in vec(step(), 0..60)
    ) {
        let dir = tempfile::tempdir().unwrap();
        check(&dir.path().join("audit"), steps);
    }
}

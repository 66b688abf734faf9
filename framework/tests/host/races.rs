//! The workspace while another process exchanges names under it as fast as it can.
//!
//! Each test starts itself a second time; the second one only flips, until it is killed. What the
//! names lead to changes between any two calls of the operating system, and still nothing outside
//! is read, created, changed or listed.

use std::{
    collections::BTreeMap,
    env, fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Arc,
};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::Value;
use tapeline::workspace::DiskWorkspace;
use tempfile::TempDir;

use crate::{escapes::snapshot, world::World};

/// Calls in each test, and the most it makes until each of its outcomes was seen.
const CALLS: usize = 2_000;
const MOST_CALLS: usize = 200_000;

/// What the second process does: a verb and two names, separated by line breaks.
const FLIPS: &str = "TAPELINE_TEST_FLIPS";

struct Flipper(Child);

impl Flipper {
    /// Starts this test again, there to exchange the two names without end.
    fn exchanges(test: &str, one: &Path, other: &Path) -> Self {
        Self::start(test, "exchange", one, other)
    }

    /// Starts this test again, there to put a file and a link in turn at a name, each in one step.
    fn replaces(test: &str, name: &Path, target: &Path) -> Self {
        Self::start(test, "replace", name, target)
    }

    fn start(test: &str, verb: &str, one: &Path, other: &Path) -> Self {
        let flips = [verb, one.to_str().unwrap(), other.to_str().unwrap()].join("\n");
        let child = Command::new(env::current_exe().unwrap())
            .args(["--exact", &format!("races::{test}"), "--nocapture"])
            .env(FLIPS, flips)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        Self(child)
    }

    /// The whole life of the second process: it never returns there, and ends by being killed.
    fn be() {
        let Ok(flips) = env::var(FLIPS) else { return };
        let [verb, one, other] = flips.split('\n').collect::<Vec<_>>().try_into().unwrap();
        loop {
            if verb == "exchange" {
                renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
                continue;
            }
            let next = format!("{one}-next");
            fs::write(&next, "inside").unwrap();
            fs::rename(&next, one).unwrap();
            symlink(other, &next).unwrap();
            fs::rename(&next, one).unwrap();
        }
    }

    fn is_at_it(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }
}

impl Drop for Flipper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

struct Place {
    folder: TempDir,
    world: World,
    before: BTreeMap<PathBuf, (String, std::time::SystemTime)>,
}

const SECRET: &str = "nobody inside may see this";

impl Place {
    /// `outside/` has what `dir/` has inside, by the same names and with other contents.
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let outside = folder.path().join("outside");
        fs::create_dir_all(outside.join("dir")).unwrap();
        for name in ["file", "only-outside", "dir/file", "dir/only-outside"] {
            fs::write(outside.join(name), SECRET).unwrap();
        }
        let agents = folder.path().join("root/.agents");
        fs::create_dir_all(agents.join("dir/dir")).unwrap();
        let workspace = DiskWorkspace::new(agents, folder.path().join("locks"));
        let world = World::with(|builder| builder.workspace(Arc::new(workspace)).without_tape());
        // The root is opened by the first call: from then on its name means nothing.
        world.exec("file write first --text inside").ok();
        let before = snapshot(&outside, &[]);
        Self { folder, world, before }
    }

    fn outside(&self) -> PathBuf {
        self.folder.path().join("outside")
    }

    fn agents(&self) -> PathBuf {
        self.folder.path().join("root/.agents")
    }

    /// Reads, lists, writes and removes these while their names change, until so many outcomes
    /// were seen: each of the four calls going well, or being refused for a link.
    fn hold(&self, flipper: Flipper, file: &str, directory: &str, outcomes: usize) {
        let lines = [
            format!("file write {file} --text inside"),
            format!("file read {file}"),
            format!("file list {directory}"),
            format!("file remove {file}"),
        ];
        self.hold_lines(flipper, &lines, outcomes);
    }

    fn hold_lines(&self, mut flipper: Flipper, lines: &[String], outcomes: usize) {
        let mut seen: BTreeMap<(&str, bool), usize> = BTreeMap::new();
        for call in 0..MOST_CALLS {
            if call >= CALLS && seen.len() == outcomes {
                break;
            }
            let line = lines[call % lines.len()].as_str();
            let envelope = self.world.terminal.exec_blocking(line);
            let json = envelope.to_json();
            let told = json.contains(SECRET) || json.contains("only-outside");
            assert!(!told, "{line} has seen outside: {json}");
            let code = envelope.error_code.as_deref();
            if let Some(code) = code {
                let known = ["PathEscapesAgentsRoot", "NotFound", "WorkspaceError"];
                assert!(known.contains(&code), "{line}: {json}");
            }
            if line.contains("read") && code.is_none() {
                let result: Value = serde_json::from_str(envelope.result.get()).unwrap();
                assert_eq!(result["text"], "inside", "{line}");
            }
            let refused = code == Some("PathEscapesAgentsRoot");
            if code.is_none() || refused {
                *seen.entry((line, refused)).or_default() += 1;
            }
        }
        assert!(flipper.is_at_it());
        drop(flipper);
        assert_eq!(seen.len(), outcomes, "{seen:?}");
        assert_eq!(snapshot(&self.outside(), &[]), self.before, "outside is as it was");
        println!("{seen:?}");
    }
}

#[test]
fn a_directory_that_turns_into_a_link_and_back() {
    Flipper::be();
    let place = Place::new();
    let (one, other) = (place.agents().join("dir"), place.agents().join("other"));
    symlink(place.outside(), &other).unwrap();
    let flipper = Flipper::exchanges("a_directory_that_turns_into_a_link_and_back", &one, &other);
    place.hold(flipper, "dir/file", "dir", 8);
}

#[test]
fn a_directory_on_the_way_that_turns_into_a_link_and_back() {
    Flipper::be();
    let place = Place::new();
    let (one, other) = (place.agents().join("dir"), place.agents().join("other"));
    symlink("../../outside", &other).unwrap();
    let test = "a_directory_on_the_way_that_turns_into_a_link_and_back";
    place.hold(Flipper::exchanges(test, &one, &other), "dir/dir/file", "dir/dir", 8);
}

#[test]
fn a_root_that_is_exchanged_for_a_link_stays_the_one_it_was() {
    Flipper::be();
    let place = Place::new();
    let other = place.folder.path().join("root/other");
    symlink(place.outside(), &other).unwrap();
    let test = "a_root_that_is_exchanged_for_a_link_stays_the_one_it_was";
    place.hold(Flipper::exchanges(test, &place.agents(), &other), "dir/file", "dir", 4);
}

#[test]
fn a_folder_above_the_root_that_is_exchanged_moves_nothing() {
    Flipper::be();
    let place = Place::new();
    let (one, other) = (place.folder.path().join("root"), place.folder.path().join("other"));
    fs::create_dir(&other).unwrap();
    symlink(place.outside(), other.join(".agents")).unwrap();
    let test = "a_folder_above_the_root_that_is_exchanged_moves_nothing";
    place.hold(Flipper::exchanges(test, &one, &other), "dir/file", "dir", 4);
}

#[test]
fn a_file_that_turns_into_a_link_and_back_is_read_or_refused() {
    Flipper::be();
    let place = Place::new();
    let (one, other) = (place.agents().join("file"), place.agents().join("other"));
    fs::write(&one, "inside").unwrap();
    symlink(place.outside().join("file"), &other).unwrap();
    // Nothing is written or removed here, so the two can be exchanged, which is fastest.
    let test = "a_file_that_turns_into_a_link_and_back_is_read_or_refused";
    let flipper = Flipper::exchanges(test, &one, &other);
    place.hold_lines(flipper, &["file read file".to_owned()], 2);
}

#[test]
fn a_file_that_turns_into_a_link_and_back() {
    Flipper::be();
    let place = Place::new();
    let test = "a_file_that_turns_into_a_link_and_back";
    let flipper =
        Flipper::replaces(test, &place.agents().join("file"), &place.outside().join("file"));
    // The directory itself is always there, and its listing never refused.
    place.hold(flipper, "file", ".agents", 7);
}

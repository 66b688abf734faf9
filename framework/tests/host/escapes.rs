//! Ways out of the workspace, one by one: a path, what each call on it answers, and that nothing
//! outside was read, created, changed or listed by it.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs,
    os::unix::{ffi::OsStrExt, fs::symlink, net::UnixListener},
    path::{Path, PathBuf},
    process::Command,
    time::SystemTime,
};

use serde_json::Value;
use tapeline::{ApprovalAnswer, Terminal};
use tempfile::TempDir;

use crate::{commands::registry, world::Asked};

/// What reading, listing, writing and removing a path answer, in that order.
type Answers = [&'static str; 4];

const ESCAPES: Answers = ["PathEscapesAgentsRoot"; 4];
/// Not even a command line.
const NO_LINE: Answers = ["InvalidCommandLine"; 4];
/// Odd, but a name like any other: it is not there, then it is.
const A_NAME: Answers = ["NotFound", "NotFound", "ok", "ok"];
/// There, and not what was asked for.
const NO_FILE: Answers = ["WorkspaceError"; 4];
const A_DIRECTORY: Answers = ["WorkspaceError", "ok", "WorkspaceError", "WorkspaceError"];
const A_FILE: Answers = ["ok", "WorkspaceError", "ok", "ok"];

/// Links of every kind, by name and target. `OUTSIDE` stands for the folder outside.
const LINKS: &[(&str, &str)] = &[
    ("to-file", "kept.txt"),
    ("to-dir", "dir"),
    ("to-nested-file", "dir/inner.txt"),
    ("to-here", "."),
    ("to-itself", "to-itself"),
    ("to-the-root", "../.agents"),
    ("round-a", "round-b"),
    ("round-b", "round-a"),
    ("chain", "to-chain"),
    ("to-chain", "out-dir"),
    ("dangling", "nothing"),
    ("up", ".."),
    ("up-and-back", "../.agents/kept.txt"),
    ("out-file", "../../outside/secret.txt"),
    ("out-dir", "../../outside"),
    ("out-empty", "../../outside/empty"),
    ("out-dangling", "../../outside/made"),
    ("absolute-file", "OUTSIDE/secret.txt"),
    ("absolute-dir", "OUTSIDE"),
    ("absolute-dangling", "OUTSIDE/made"),
    ("to-audit", "../audit"),
    ("slash", "/"),
    ("passwd", "/etc/passwd"),
    ("descriptors", "/proc/self/fd"),
    ("working-directory", "/proc/self/cwd"),
    ("stdin", "/dev/stdin"),
    ("null", "/dev/null"),
    ("dir/up", "../.."),
    ("dir/beside", "../kept.txt"),
];

const PATHS: &[(&str, Answers)] = &[
    // `..` in every place and spelling.
    ("..", ESCAPES),
    ("../outside/secret.txt", ESCAPES),
    ("../../outside/secret.txt", ESCAPES),
    ("dir/..", ESCAPES),
    ("dir/../kept.txt", ESCAPES),
    ("dir/../../../outside/secret.txt", ESCAPES),
    ("nothing/../kept.txt", ESCAPES),
    (".agents/..", ESCAPES),
    (".agents/../.agents/kept.txt", ESCAPES),
    (".agents/../../outside/secret.txt", ESCAPES),
    ("..\\outside\\secret.txt", ESCAPES),
    ("dir\\..\\..\\outside", ESCAPES),
    ("../", ESCAPES),
    (".../kept.txt", ESCAPES),
    (".. /kept.txt", ESCAPES),
    (".. ./kept.txt", ESCAPES),
    ("....//kept.txt", ESCAPES),
    // `.` and nothing.
    (".", ESCAPES),
    ("./kept.txt", ESCAPES),
    ("dir/.", ESCAPES),
    ("dir/./inner.txt", ESCAPES),
    ("", ESCAPES),
    ("dir//inner.txt", ESCAPES),
    ("dir/", ESCAPES),
    ("kept.txt/", ESCAPES),
    (".agents/", ESCAPES),
    (".agents//kept.txt", ESCAPES),
    // Absolute, on any platform.
    ("/", ESCAPES),
    ("/etc/passwd", ESCAPES),
    ("//etc/passwd", ESCAPES),
    ("/proc/self/environ", ESCAPES),
    (".agents//etc/passwd", ESCAPES),
    ("//server/share/x", ESCAPES),
    ("\\\\server\\share\\x", ESCAPES),
    ("\\\\?\\C:\\x", ESCAPES),
    ("\\\\.\\pipe\\x", ESCAPES),
    ("\\x", ESCAPES),
    ("C:/x", ESCAPES),
    ("C:x", ESCAPES),
    ("c:", ESCAPES),
    ("z:\\x", ESCAPES),
    ("file:///etc/passwd", ESCAPES),
    // Streams, devices and names that Windows shortens.
    ("kept.txt:stream", ESCAPES),
    ("kept.txt::$DATA", ESCAPES),
    ("dir:x/inner.txt", ESCAPES),
    ("NUL", ESCAPES),
    ("con", ESCAPES),
    ("aux.txt", ESCAPES),
    ("dir/prn", ESCAPES),
    ("Com1", ESCAPES),
    ("lpt9.tar.gz", ESCAPES),
    ("COM¹", ESCAPES),
    ("CONIN$", ESCAPES),
    ("nul .txt", ESCAPES),
    ("kept.txt.", ESCAPES),
    ("kept.txt ", ESCAPES),
    ("dir./inner.txt", ESCAPES),
    // Half-written files are nobody's to name.
    (".tapeline-draft-0", ESCAPES),
    ("dir/.Tapeline-Draft-x", ESCAPES),
    // What cannot be seen.
    ("a\0b", NO_LINE),
    ("kept.txt\0.json", NO_LINE),
    ("a\nb", NO_LINE),
    ("a\r", NO_LINE),
    ("a\u{1b}[31m", NO_LINE),
    ("a\u{7f}", NO_LINE),
    ("a\u{85}", NO_LINE),
    ("a\u{202e}txt.exe", NO_LINE),
    ("a\u{2066}b", NO_LINE),
    ("a\tb", ESCAPES),
    ("a\u{2028}b", NO_LINE),
    ("a\u{200f}b", NO_LINE),
    // What others would decode, expand or fold, and nobody does here.
    ("%2e%2e/outside/secret.txt", A_NAME),
    ("..%2foutside%2fsecret.txt", A_NAME),
    ("%2fetc%2fpasswd", A_NAME),
    ("．．/outside/secret.txt", A_NAME),
    ("‥/outside", A_NAME),
    ("..／outside／secret.txt", A_NAME),
    ("..∕outside", A_NAME),
    ("\u{2024}\u{2024}/outside", A_NAME),
    ("~/secret.txt", A_NAME),
    ("~root", A_NAME),
    ("$HOME/secret.txt", A_NAME),
    ("${HOME}", A_NAME),
    ("*", A_NAME),
    ("`id`", A_NAME),
    ("-rf", A_NAME),
    ("--text", A_NAME),
    (" leading", A_NAME),
    ("..hidden", A_NAME),
    (".agents/.agents/kept.txt", A_NAME),
    (".AGENTS/kept.txt", A_NAME),
    (".Agents", A_NAME),
    ("KEPT.TXT", A_NAME),
    ("a\u{200b}b", A_NAME),
    // What is there.
    (".agents", A_DIRECTORY),
    ("dir", A_DIRECTORY),
    (".agents/dir", A_DIRECTORY),
    ("kept.txt", A_FILE),
    (".agents/kept.txt", A_FILE),
    ("kept.txt/x", NO_FILE),
    ("kept.txt/x/y", NO_FILE),
    ("pipe", NO_FILE),
    ("pipe/x", NO_FILE),
    ("socket", NO_FILE),
    ("socket/x", NO_FILE),
    // Both names of a hard link are the file: reads follow, a write replaces this name.
    ("hard.txt", A_FILE),
];

/// A root with a workspace in it, and a folder beside it that is none of a command's business.
struct Place {
    folder: TempDir,
    terminal: Terminal,
    _socket: UnixListener,
}

const SECRET: &str = "nobody inside may see this";

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let outside = folder.path().join("outside");
        fs::create_dir_all(outside.join("empty")).unwrap();
        fs::write(outside.join("secret.txt"), SECRET).unwrap();
        fs::write(outside.join("x"), SECRET).unwrap();
        fs::write(outside.join("hard.txt"), "shared").unwrap();
        let agents = folder.path().join("root/.agents");
        fs::create_dir_all(agents.join("dir")).unwrap();
        fs::write(agents.join("kept.txt"), "kept").unwrap();
        fs::write(agents.join("dir/inner.txt"), "inner").unwrap();
        fs::hard_link(outside.join("hard.txt"), agents.join("hard.txt")).unwrap();
        fs::write(agents.join(OsStr::from_bytes(b"\xff\xfe")), "no UTF-8").unwrap();
        for (name, target) in LINKS {
            let target = target.replace("OUTSIDE", outside.to_str().unwrap());
            symlink(target, agents.join(name)).unwrap();
        }
        let made = Command::new("mkfifo").arg(agents.join("pipe")).status().unwrap();
        assert!(made.success());
        let socket = UnixListener::bind(agents.join("socket")).unwrap();
        let terminal = Terminal::builder()
            .registry(registry())
            .root(folder.path().join("root"))
            .approver(Asked::says(ApprovalAnswer::Approved))
            .build()
            .unwrap();
        Self { folder, terminal, _socket: socket }
    }

    /// All there is but the workspace and the log.
    fn outside(&self) -> BTreeMap<PathBuf, (String, SystemTime)> {
        let root = self.folder.path().join("root");
        snapshot(self.folder.path(), &[root.join(".agents"), root.join("audit")])
    }

    fn links(&self) -> Vec<PathBuf> {
        let inside = snapshot(&self.folder.path().join("root/.agents"), &[]);
        inside.into_keys().filter(|path| path.is_symlink()).collect()
    }

    /// The code that a line ends with, or `ok`. Nothing from outside is in what it says.
    #[track_caller]
    fn code(&self, line: &str) -> String {
        let envelope = self.terminal.exec_blocking(line);
        let json = envelope.to_json();
        let host = self.folder.path().to_str().unwrap();
        // Of a file outside, of `/etc/passwd`, and where on this machine all that lies.
        for hidden in [SECRET, "root:", host] {
            assert!(!json.contains(hidden), "{line:?}: {json}");
        }
        envelope.error_code.unwrap_or_else(|| "ok".to_owned())
    }

    #[track_caller]
    fn answers(&self, path: &str) -> [String; 4] {
        ["file read", "file list", "file write --text new", "file remove"]
            .map(|command| self.code(&format!("{command} -- '{path}'")))
    }
}

/// Everything below a folder, with what it is and when that changed.
pub(crate) fn snapshot(folder: &Path, but: &[PathBuf]) -> BTreeMap<PathBuf, (String, SystemTime)> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if but.contains(&path) {
                continue;
            }
            let metadata = path.symlink_metadata().unwrap();
            let content = if metadata.is_symlink() {
                format!("link to {:?}", fs::read_link(&path).unwrap())
            } else if metadata.is_dir() {
                open.push(path.clone());
                "directory".to_owned()
            } else if metadata.is_file() {
                format!("{:?}", fs::read(&path).unwrap())
            } else {
                "other".to_owned()
            };
            found.insert(path, (content, metadata.modified().unwrap()));
        }
    }
    found
}

/// Every probe with a workspace of its own; says all that are wrong at once.
#[track_caller]
fn check(probes: &[(String, Answers)]) {
    let mut wrong = Vec::new();
    for (path, expected) in probes {
        let place = Place::new();
        let (before, links) = (place.outside(), place.links());
        let answers = place.answers(path);
        if answers != *expected {
            wrong.push(format!("{path:?} answers {answers:?}, not {expected:?}"));
        }
        // The root is the host's folder, and its log is made there.
        let after = place.outside();
        let root = place.folder.path().join("root");
        let changed: Vec<_> = after
            .iter()
            .filter(|(path, state)| before.get(*path) != Some(state) && **path != root)
            .chain(before.iter().filter(|(path, _)| !after.contains_key(*path)))
            .collect();
        if !changed.is_empty() {
            wrong.push(format!("{path:?} changed outside: {changed:?}"));
        }
        if place.links() != links {
            wrong.push(format!("{path:?} changed a link"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_path_leads_out_and_each_says_why() {
    let named = PATHS.iter().map(|(path, answers)| ((*path).to_owned(), *answers));
    let links = LINKS.iter().flat_map(|(name, _)| {
        // At the end, on the way to what is there, and on the way to what is not.
        [name.to_string(), format!("{name}/secret.txt"), format!("{name}/made/x")]
            .map(|path| (path, ESCAPES))
    });
    let long = |bytes: usize| "n".repeat(bytes);
    let deep = |names: usize| vec!["d"; names].join("/");
    let measured = [
        (long(255), A_NAME),
        (format!("{}/{}", long(255), long(255)), A_NAME),
        (long(256), NO_FILE),
        (format!("dir/{}", long(256)), NO_FILE),
        (format!("{}/x", long(256)), NO_FILE),
        // 256 bytes in 86 characters.
        (format!("{}n", "汉".repeat(85)), NO_FILE),
        (long(4097), ESCAPES),
        (deep(1000), A_NAME),
        (format!("{}/..", deep(1000)), ESCAPES),
        (deep(2100), ESCAPES),
    ];
    let probes: Vec<_> = named.chain(links).chain(measured).collect();
    assert!(probes.len() >= 60);
    println!("{} paths, {} probes", probes.len(), probes.len() * 4);
    check(&probes);
}

#[test]
fn a_listing_names_what_a_path_can_hold_and_follows_nothing() {
    let place = Place::new();
    let envelope = place.terminal.exec_blocking("file list .agents");
    let result: Value = serde_json::from_str(envelope.result.get()).unwrap();
    let names: Vec<_> =
        result["names"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let mut expected: Vec<_> = LINKS.iter().map(|(name, _)| *name).collect();
    expected.retain(|name| !name.contains('/'));
    expected.extend(["kept.txt", "dir", "hard.txt", "pipe", "socket"]);
    expected.sort_unstable();
    assert_eq!(names, expected);
}

#[test]
fn a_hard_link_is_read_through_and_a_write_leaves_the_other_name_alone() {
    let place = Place::new();
    let other = place.folder.path().join("outside/hard.txt");
    let before = place.outside();
    let read = place.terminal.exec_blocking("file read hard.txt");
    assert!(read.result.get().contains("shared"), "{}", read.to_json());
    for line in ["file write --text new hard.txt", "file read hard.txt"] {
        let envelope = place.terminal.exec_blocking(line);
        assert!(envelope.result.get().contains("new"), "{}", envelope.to_json());
    }
    assert_eq!(fs::read_to_string(&other).unwrap(), "shared");
    assert_eq!(place.code("file remove hard.txt"), "ok");
    assert_eq!(fs::read_to_string(&other).unwrap(), "shared");
    assert_eq!(place.outside().get(&other), before.get(&other));
}

#[test]
fn what_the_framework_itself_writes_follows_no_link_either() {
    let place = Place::new();
    let agents = place.folder.path().join("root/.agents");
    symlink("../../outside/empty", agents.join("artifacts")).unwrap();
    let before = place.outside();
    // An output that is cut is kept whole in `artifacts/`.
    let envelope = place.terminal.exec_blocking("print --to stdout --times 100000");
    assert_eq!(envelope.exit_code, 0, "{}", envelope.to_json());
    assert_eq!(envelope.truncated.len(), 1);
    assert!(envelope.artifacts.is_empty());
    // Where `--out` says, new or over what is there.
    for line in [
        "save --text x --out out-dangling",
        "save --text x --out out-dir/made.txt",
        "save --text x --out out-file --overwrite",
        "save --text x --out absolute-file --overwrite",
        "save --text x --out artifacts/made.txt",
    ] {
        assert_eq!(place.code(line), "PathEscapesAgentsRoot", "{line}");
    }
    let root = place.folder.path().join("root");
    let unchanged = |mut all: BTreeMap<_, _>| {
        all.remove(&root);
        all
    };
    assert_eq!(unchanged(place.outside()), unchanged(before));
}

/// Where this process may make them: a device is no file, and a mount is a directory as any other.
#[test]
fn devices_are_no_files() {
    let place = Place::new();
    let agents = place.folder.path().join("root/.agents");
    let made = Command::new("mknod").arg(agents.join("null-device")).args(["c", "1", "3"]).output();
    if !made.unwrap().status.success() {
        println!("skipped: this process may make no device");
        return;
    }
    assert_eq!(place.answers("null-device"), NO_FILE);
    assert_eq!(place.answers("null-device/x"), NO_FILE);
}

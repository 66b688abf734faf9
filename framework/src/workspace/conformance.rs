//! What every [`Workspace`] does alike, and what only a disk can be asked.

use std::{
    fs,
    io::{Read, Seek, SeekFrom, Write},
    path::PathBuf,
    time::SystemTime,
};

use proptest::prelude::*;
use tempfile::TempDir;

use super::{
    DiskWorkspace, Draft, EntryKind, IfExists, MemoryWorkspace, Workspace, WorkspaceFault,
    WorkspaceFaultKind as Kind, WorkspacePath, WriteStage, path::DRAFT_PREFIX,
};

/// Runs one test over both workspaces, each empty. The name is printed for the one that fails.
fn on_both(test: impl Fn(&dyn Workspace)) {
    println!("in memory");
    test(&MemoryWorkspace::new());
    println!("on disk");
    test(&Disk::new().workspace);
}

/// A workspace in a directory of its own, with room outside it.
struct Disk {
    outside: TempDir,
    workspace: DiskWorkspace,
}

impl Disk {
    fn new() -> Self {
        let outside = TempDir::new().unwrap();
        let workspace =
            DiskWorkspace::new(outside.path().join("root"), outside.path().join("locks"));
        Self { outside, workspace }
    }

    /// With its root there already, so that a test can put things into it.
    fn with_root() -> Self {
        let disk = Self::new();
        fs::create_dir(disk.root()).unwrap();
        disk
    }

    fn root(&self) -> PathBuf {
        self.outside("root")
    }

    fn outside(&self, name: &str) -> PathBuf {
        self.outside.path().join(name)
    }
}

fn path(text: &str) -> WorkspacePath {
    if text == "." { WorkspacePath::root() } else { text.parse().unwrap() }
}

fn read(workspace: &dyn Workspace, text: &str) -> Result<String, Kind> {
    let mut file = workspace.open(&path(text)).map_err(kind)?;
    let mut content = String::new();
    file.content.read_to_string(&mut content).unwrap();
    assert_eq!(file.len, content.len() as u64);
    Ok(content)
}

fn write(workspace: &dyn Workspace, text: &str, content: &str) -> Result<(), Kind> {
    put(workspace, text, content, IfExists::Replace)
}

fn put(
    workspace: &dyn Workspace,
    text: &str,
    content: &str,
    if_exists: IfExists,
) -> Result<(), Kind> {
    start(workspace, text, content, if_exists)?.commit().map_err(kind)
}

fn start(
    workspace: &dyn Workspace,
    text: &str,
    content: &str,
    if_exists: IfExists,
) -> Result<Box<dyn Draft>, Kind> {
    let mut draft = workspace.create(&path(text), if_exists).map_err(kind)?;
    draft.write_all(content.as_bytes()).map_err(|error| Kind::from_io(&error))?;
    draft.flush().unwrap();
    Ok(draft)
}

fn remove(workspace: &dyn Workspace, text: &str) -> Result<(), Kind> {
    workspace.remove(&path(text)).map_err(kind)
}

fn list(workspace: &dyn Workspace, text: &str) -> Result<Vec<(String, EntryKind)>, Kind> {
    let entries = workspace.list(&path(text)).map_err(kind)?;
    Ok(entries.into_iter().map(|entry| (entry.name, entry.kind)).collect())
}

fn names(workspace: &dyn Workspace, text: &str) -> Vec<String> {
    list(workspace, text).unwrap().into_iter().map(|(name, _)| name).collect()
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn kind(fault: WorkspaceFault) -> Kind {
    fault.kind
}

#[test]
fn gives_back_what_was_written() {
    on_both(|workspace| {
        write(workspace, "a/b/c.txt", "content").unwrap();
        write(workspace, "empty", "").unwrap();
        assert_eq!(read(workspace, "a/b/c.txt").unwrap(), "content");
        assert_eq!(read(workspace, "empty").unwrap(), "");
    });
}

#[test]
fn nothing_is_there_at_first() {
    on_both(|workspace| {
        assert_eq!(read(workspace, "a").unwrap_err(), Kind::NotFound);
        assert_eq!(list(workspace, ".").unwrap_err(), Kind::NotFound);
        assert_eq!(remove(workspace, "a/b").unwrap_err(), Kind::NotFound);
    });
}

#[test]
fn replaces_the_whole_content_at_commit() {
    on_both(|workspace| {
        write(workspace, "a", "a long old content").unwrap();
        let draft = start(workspace, "a", "new", IfExists::Replace).unwrap();
        assert_eq!(read(workspace, "a").unwrap(), "a long old content");
        draft.commit().unwrap();
        assert_eq!(read(workspace, "a").unwrap(), "new");
    });
}

#[test]
fn an_open_file_keeps_the_content_it_was_opened_with() {
    on_both(|workspace| {
        write(workspace, "a", "old").unwrap();
        let mut file = workspace.open(&path("a")).unwrap();
        write(workspace, "a", "the new one").unwrap();
        let mut content = String::new();
        file.content.read_to_string(&mut content).unwrap();
        assert_eq!(content, "old");
    });
}

#[test]
fn refuses_an_existing_file_when_told_so() {
    on_both(|workspace| {
        put(workspace, "a", "first", IfExists::Refuse).unwrap();
        assert_eq!(put(workspace, "a", "second", IfExists::Refuse).unwrap_err(), Kind::Exists);
        assert_eq!(read(workspace, "a").unwrap(), "first");
        assert_eq!(names(workspace, "."), ["a"]);
    });
}

#[test]
fn a_refusing_draft_loses_to_whoever_came_first() {
    on_both(|workspace| {
        let late = start(workspace, "a", "late", IfExists::Refuse).unwrap();
        let early = start(workspace, "a", "early", IfExists::Refuse).unwrap();
        early.commit().unwrap();
        assert_eq!(kind(late.commit().unwrap_err()), Kind::Exists);
        assert_eq!(read(workspace, "a").unwrap(), "early");
        assert_eq!(names(workspace, "."), ["a"]);
    });
}

#[test]
fn a_draft_says_what_took_its_place_meanwhile() {
    for if_exists in [IfExists::Replace, IfExists::Refuse] {
        on_both(|workspace| {
            let draft = start(workspace, "a", "content", if_exists).unwrap();
            write(workspace, "a/b", "").unwrap();
            assert_eq!(kind(draft.commit().unwrap_err()), Kind::Directory);
            assert_eq!(names(workspace, "."), ["a"]);
        });
    }
}

#[test]
fn a_dropped_draft_leaves_the_old_content_and_nothing_else() {
    on_both(|workspace| {
        write(workspace, "a", "old").unwrap();
        drop(start(workspace, "a", "new", IfExists::Replace).unwrap());
        drop(start(workspace, "dir/b", "new", IfExists::Refuse).unwrap());
        assert_eq!(read(workspace, "a").unwrap(), "old");
        assert_eq!(list(workspace, "dir").unwrap(), []);
        assert_eq!(names(workspace, "."), ["a", "dir"]);
    });
}

#[test]
fn a_draft_is_not_listed() {
    on_both(|workspace| {
        let draft = start(workspace, "a", "new", IfExists::Replace).unwrap();
        assert_eq!(list(workspace, ".").unwrap(), []);
        draft.commit().unwrap();
        assert_eq!(names(workspace, "."), ["a"]);
    });
}

#[test]
fn makes_the_directories_above_a_file_once() {
    on_both(|workspace| {
        write(workspace, "a/b/one", "").unwrap();
        write(workspace, "a/b/two", "").unwrap();
        assert_eq!(list(workspace, "a").unwrap(), [("b".to_owned(), EntryKind::Directory)]);
        assert_eq!(names(workspace, "a/b"), ["one", "two"]);
    });
}

#[test]
fn a_directory_is_no_file() {
    on_both(|workspace| {
        write(workspace, "a/b", "").unwrap();
        for directory in ["a", "."] {
            assert_eq!(read(workspace, directory).unwrap_err(), Kind::Directory);
            assert_eq!(remove(workspace, directory).unwrap_err(), Kind::Directory);
            assert_eq!(write(workspace, directory, "").unwrap_err(), Kind::Directory);
            assert_eq!(
                put(workspace, directory, "", IfExists::Refuse).unwrap_err(),
                Kind::Directory
            );
        }
    });
}

#[test]
fn a_file_is_no_directory() {
    on_both(|workspace| {
        write(workspace, "a", "").unwrap();
        assert_eq!(list(workspace, "a").unwrap_err(), Kind::NotADirectory);
        for below in ["a/b", "a/b/c"] {
            assert_eq!(read(workspace, below).unwrap_err(), Kind::NotADirectory);
            assert_eq!(list(workspace, below).unwrap_err(), Kind::NotADirectory);
            assert_eq!(remove(workspace, below).unwrap_err(), Kind::NotADirectory);
            assert_eq!(write(workspace, below, "").unwrap_err(), Kind::NotADirectory);
        }
    });
}

#[test]
fn says_not_found_for_files_and_for_directories_on_the_way() {
    on_both(|workspace| {
        write(workspace, "a/b", "").unwrap();
        for missing in ["c", "a/c", "c/b", "c/d/e"] {
            assert_eq!(read(workspace, missing).unwrap_err(), Kind::NotFound);
            assert_eq!(list(workspace, missing).unwrap_err(), Kind::NotFound);
            assert_eq!(remove(workspace, missing).unwrap_err(), Kind::NotFound);
        }
    });
}

#[test]
fn a_name_has_255_bytes_at_most() {
    on_both(|workspace| {
        let longest = "n".repeat(255);
        write(workspace, &longest, "fits").unwrap();
        assert_eq!(read(workspace, &longest).unwrap(), "fits");

        let longer = "n".repeat(256);
        let below = format!("{longer}/x");
        for too_long in [&longer, &below] {
            assert_eq!(read(workspace, too_long).unwrap_err(), Kind::NameTooLong);
            assert_eq!(list(workspace, too_long).unwrap_err(), Kind::NameTooLong);
            assert_eq!(remove(workspace, too_long).unwrap_err(), Kind::NameTooLong);
            assert_eq!(write(workspace, too_long, "").unwrap_err(), Kind::NameTooLong);
        }
        assert_eq!(names(workspace, "."), [longest]);
    });
}

#[test]
fn removes_files_and_leaves_their_directory() {
    on_both(|workspace| {
        write(workspace, "a/b", "").unwrap();
        remove(workspace, "a/b").unwrap();
        assert_eq!(read(workspace, "a/b").unwrap_err(), Kind::NotFound);
        assert_eq!(list(workspace, "a").unwrap(), []);
    });
}

#[test]
fn lists_sorted_by_bytes_with_kinds() {
    on_both(|workspace| {
        for file in ["c", "a/x", "a-b", "B", "é", "z"] {
            write(workspace, file, "").unwrap();
        }
        let file = |name: &str| (name.to_owned(), EntryKind::File);
        let directory = ("a".to_owned(), EntryKind::Directory);
        assert_eq!(
            list(workspace, ".").unwrap(),
            [file("B"), directory, file("a-b"), file("c"), file("z"), file("é")]
        );
        assert_eq!(list(workspace, "a").unwrap(), [file("x")]);
    });
}

#[test]
fn seeks_within_files() {
    on_both(|workspace| {
        write(workspace, "a", "0123456789").unwrap();
        let mut file = workspace.open(&path("a")).unwrap();
        assert_eq!(file.len, 10);
        let mut two = [0; 2];
        file.content.seek(SeekFrom::Start(4)).unwrap();
        file.content.read_exact(&mut two).unwrap();
        assert_eq!(&two, b"45");
        assert_eq!(file.content.seek(SeekFrom::End(-1)).unwrap(), 9);
        assert_eq!(file.content.read(&mut two).unwrap(), 1);
        assert_eq!(file.content.seek(SeekFrom::Current(-4)).unwrap(), 6);
        file.content.read_exact(&mut two).unwrap();
        assert_eq!(&two, b"67");
    });
}

#[test]
fn a_lock_is_held_by_one_until_it_is_dropped() {
    on_both(|workspace| {
        let held = workspace.try_lock("feeds").unwrap();
        assert!(held.is_some());
        assert!(workspace.try_lock("feeds").unwrap().is_none());
        assert!(workspace.try_lock("rates").unwrap().is_some());
        drop(held);
        assert!(workspace.try_lock("feeds").unwrap().is_some());
        assert_eq!(list(workspace, ".").unwrap_err(), Kind::NotFound, "locks lie outside");
    });
}

#[test]
fn memory_refuses_links_and_others_like_a_disk() {
    let workspace = MemoryWorkspace::new()
        .with_link("link")
        .with_other("pipe")
        .with_directory("dir/empty")
        .with_file("dir/file", "content");
    for (name, expected, as_directory) in
        [("link", Kind::Link, Kind::Link), ("pipe", Kind::NotAFile, Kind::NotADirectory)]
    {
        assert_eq!(read(&workspace, name).unwrap_err(), expected);
        assert_eq!(write(&workspace, name, "").unwrap_err(), expected);
        assert_eq!(put(&workspace, name, "", IfExists::Refuse).unwrap_err(), expected);
        assert_eq!(remove(&workspace, name).unwrap_err(), expected);
        assert_eq!(list(&workspace, name).unwrap_err(), as_directory);
        assert_eq!(read(&workspace, &format!("{name}/x")).unwrap_err(), as_directory);
        assert_eq!(write(&workspace, &format!("{name}/x"), "").unwrap_err(), as_directory);
    }
    assert_eq!(
        list(&workspace, ".").unwrap(),
        [
            ("dir".to_owned(), EntryKind::Directory),
            ("link".to_owned(), EntryKind::Link),
            ("pipe".to_owned(), EntryKind::Other),
        ]
    );
    assert_eq!(list(&workspace, "dir/empty").unwrap(), []);
}

#[test]
fn memory_shows_a_test_what_is_there() {
    let workspace = MemoryWorkspace::new().with_file(".agents/a/b", "given");
    write(&workspace.clone(), "c", "written").unwrap();
    assert_eq!(workspace.read("a/b"), Some(b"given".to_vec()));
    assert_eq!(workspace.read("a"), None);
    assert_eq!(workspace.read("../c"), None);
    let files: Vec<_> = workspace.files().into_iter().collect();
    assert_eq!(
        files,
        [("a/b".to_owned(), b"given".to_vec()), ("c".to_owned(), b"written".to_vec())]
    );
    assert_eq!(
        format!("{workspace:?}"),
        r#"{"": Directory, "a": Directory, "a/b": File, "c": File}"#
    );
}

#[test]
fn memory_fails_to_open_on_demand() {
    let workspace = MemoryWorkspace::new().with_file("dir/a", "content").with_file("b", "");
    workspace.fail_open("dir/a", Kind::Permission);
    workspace.fail_open("dir", Kind::Io);
    assert_eq!(read(&workspace, "dir/a").unwrap_err(), Kind::Permission);
    assert_eq!(list(&workspace, "dir").unwrap_err(), Kind::Io);
    assert_eq!(read(&workspace, "b").unwrap(), "");
    assert_eq!(workspace.read("dir/a"), Some(b"content".to_vec()));
    workspace.stop_failing();
    assert_eq!(read(&workspace, "dir/a").unwrap(), "content");
    assert_eq!(names(&workspace, "dir"), ["a"]);
}

#[test]
fn memory_fails_to_write_at_the_stage_it_is_told() {
    let workspace = MemoryWorkspace::new().with_file("a", "old");

    workspace.fail_write("a", WriteStage::Create, Kind::Permission);
    assert_eq!(
        kind(workspace.create(&path("a"), IfExists::Replace).err().unwrap()),
        Kind::Permission
    );

    workspace.fail_write("a", WriteStage::AfterBytes(3), Kind::NotAFile);
    let mut draft = workspace.create(&path("a"), IfExists::Replace).unwrap();
    assert_eq!(draft.write(b"12345").unwrap(), 3);
    assert_eq!(Kind::from_io(&draft.write(b"45").unwrap_err()), Kind::NotAFile);
    assert_eq!(draft.write(b"").unwrap(), 0);

    workspace.fail_write("a", WriteStage::Commit, Kind::Io);
    let draft = start(&workspace, "a", "new", IfExists::Replace).unwrap();
    assert_eq!(kind(draft.commit().unwrap_err()), Kind::Io);

    assert_eq!(workspace.read("a"), Some(b"old".to_vec()));
    workspace.stop_failing();
    write(&workspace, "a", "new").unwrap();
    assert_eq!(workspace.read("a"), Some(b"new".to_vec()));
}

#[test]
fn memory_is_full_after_so_many_bytes_over_all_files() {
    let workspace = MemoryWorkspace::new();
    workspace.full_after(5);
    write(&workspace, "a", "123").unwrap();
    assert_eq!(write(&workspace, "b", "456").unwrap_err(), Kind::Full);
    assert_eq!(write(&workspace, "c", "7").unwrap_err(), Kind::Full);
    write(&workspace, "empty", "").unwrap();
    assert_eq!(workspace.files().into_keys().collect::<Vec<_>>(), ["a", "empty"]);
    workspace.stop_failing();
    write(&workspace, "b", "456").unwrap();
}

#[test]
fn memory_fails_to_lock_on_demand() {
    let workspace = MemoryWorkspace::new();
    workspace.fail_lock("feeds", Kind::Io);
    assert_eq!(kind(workspace.try_lock("feeds").err().unwrap()), Kind::Io);
    assert!(workspace.try_lock("rates").unwrap().is_some());
}

#[test]
fn memory_outlives_a_panic_that_held_it() {
    let workspace = MemoryWorkspace::new().with_file("a", "content");
    workspace.poison();
    assert_eq!(read(&workspace, "a").unwrap(), "content");
}

#[test]
fn disk_creates_nothing_before_something_is_put_there() {
    let disk = Disk::new();
    read(&disk.workspace, "a").unwrap_err();
    list(&disk.workspace, ".").unwrap_err();
    remove(&disk.workspace, "a").unwrap_err();
    assert!(!disk.root().exists());
    assert!(!disk.outside("locks").exists());
    write(&disk.workspace, "a", "").unwrap();
    assert!(!disk.outside("locks").exists());
    drop(disk.workspace.try_lock("feeds").unwrap());
    assert!(disk.outside("locks/feeds").is_file());
}

#[test]
fn disk_leaves_no_draft_behind() {
    let disk = Disk::new();
    let on_disk = || fs::read_dir(disk.root()).unwrap().count();
    let draft = start(&disk.workspace, "a", "", IfExists::Replace).unwrap();
    assert_eq!(on_disk(), 1);
    draft.commit().unwrap();
    assert_eq!(on_disk(), 1);
    put(&disk.workspace, "b", "", IfExists::Refuse).unwrap();
    assert_eq!(on_disk(), 2);
    let refused = start(&disk.workspace, "c", "", IfExists::Refuse).unwrap();
    write(&disk.workspace, "c", "").unwrap();
    refused.commit().unwrap_err();
    drop(start(&disk.workspace, "d", "", IfExists::Refuse).unwrap());
    assert_eq!(on_disk(), 3);
}

#[test]
fn disk_removes_old_drafts_of_dead_processes_where_it_writes() {
    let disk = Disk::with_root();
    let left_over = |directory: &str, modified| {
        let path = disk.root().join(directory).join(format!("{DRAFT_PREFIX}{modified:?}"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let file = fs::File::create(&path).unwrap();
        if let Some(modified) = modified {
            file.set_modified(modified).unwrap();
        }
        path
    };
    let long_ago = Some(SystemTime::UNIX_EPOCH);
    let [old, elsewhere] = ["dir", "other"].map(|directory| left_over(directory, long_ago));
    let young = left_over("dir", None);
    let file = disk.root().join("dir/file");
    fs::File::create(&file).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
    #[cfg(unix)]
    let link = disk.root().join("dir").join(format!("{DRAFT_PREFIX}link"));
    #[cfg(unix)]
    std::os::unix::fs::symlink(&elsewhere, &link).unwrap();

    write(&disk.workspace, "dir/a", "").unwrap();
    assert!(!old.exists());
    assert!(young.exists() && elsewhere.exists() && file.exists());
    #[cfg(unix)]
    assert!(link.is_symlink());
}

#[test]
fn disk_starts_again_in_a_root_that_was_deleted() {
    let disk = Disk::new();
    write(&disk.workspace, "a", "").unwrap();
    fs::remove_dir_all(disk.root()).unwrap();
    assert_eq!(list(&disk.workspace, ".").unwrap_err(), Kind::NotFound);
    write(&disk.workspace, "b", "").unwrap();
    assert_eq!(names(&disk.workspace, "."), ["b"]);
}

#[test]
fn disk_says_so_when_a_file_stands_where_its_root_should() {
    let disk = Disk::new();
    for blocked in ["root", "root/below"] {
        fs::write(disk.root(), "").unwrap();
        let workspace = DiskWorkspace::new(disk.outside(blocked), disk.outside(blocked));
        assert_eq!(read(&workspace, "a").unwrap_err(), Kind::NotADirectory);
        assert_eq!(list(&workspace, ".").unwrap_err(), Kind::NotADirectory);
        assert_eq!(write(&workspace, "a", "").unwrap_err(), Kind::NotADirectory);
        assert_eq!(kind(workspace.try_lock("feeds").err().unwrap()), Kind::NotADirectory);

        // The failure is not kept.
        fs::remove_file(disk.root()).unwrap();
        write(&workspace, "a", "").unwrap();
        fs::remove_dir_all(disk.root()).unwrap();
    }
}

#[cfg(unix)]
mod unix {
    use std::{
        os::unix::{ffi::OsStrExt, fs::symlink, net::UnixListener},
        path::Path,
        process::Command,
    };

    use super::*;

    /// Every call on that name, and the kind that each answers with.
    fn answers(workspace: &dyn Workspace, name: &str) -> [Kind; 5] {
        [
            read(workspace, name).unwrap_err(),
            list(workspace, name).unwrap_err(),
            remove(workspace, name).unwrap_err(),
            write(workspace, name, "replaced").unwrap_err(),
            put(workspace, name, "replaced", IfExists::Refuse).unwrap_err(),
        ]
    }

    /// A file and a directory with a file in it, inside and outside, and links to each of them.
    fn disk_with_links() -> Disk {
        let disk = Disk::with_root();
        for place in [disk.root(), disk.outside("elsewhere")] {
            fs::create_dir_all(place.join("dir")).unwrap();
            fs::write(place.join("file"), "kept").unwrap();
            fs::write(place.join("dir/file"), "kept").unwrap();
        }
        let elsewhere = disk.outside("elsewhere");
        let links: [(&str, &Path); 10] = [
            ("to-file", Path::new("file")),
            ("to-dir", Path::new("dir")),
            ("to-here", Path::new(".")),
            ("to-itself", Path::new("to-itself")),
            ("dangling", Path::new("nothing")),
            ("up", Path::new("..")),
            ("out-to-file", Path::new("../elsewhere/file")),
            ("out-to-dir", Path::new("../elsewhere/dir")),
            ("out-absolute", &elsewhere),
            ("out-dangling", Path::new("../elsewhere/new")),
        ];
        for (name, target) in links {
            symlink(target, disk.root().join(name)).unwrap();
        }
        disk
    }

    fn assert_nothing_followed(disk: &Disk) {
        for place in [disk.root(), disk.outside("elsewhere")] {
            assert_eq!(fs::read_to_string(place.join("file")).unwrap(), "kept");
            assert_eq!(fs::read_to_string(place.join("dir/file")).unwrap(), "kept");
            assert_eq!(fs::read_dir(place.join("dir")).unwrap().count(), 1);
        }
        assert_eq!(fs::read_dir(disk.outside("elsewhere")).unwrap().count(), 2);
        let links = fs::read_dir(disk.root()).unwrap();
        let links = links.filter(|entry| entry.as_ref().unwrap().file_type().unwrap().is_symlink());
        assert_eq!(links.count(), 10);
    }

    #[test]
    fn refuses_a_link_wherever_it_leads() {
        let disk = disk_with_links();
        let entries = list(&disk.workspace, ".").unwrap();
        for (name, kind) in
            entries.iter().filter(|(name, _)| !matches!(name.as_str(), "file" | "dir"))
        {
            assert_eq!(*kind, EntryKind::Link, "{name}");
            assert_eq!(answers(&disk.workspace, name), [Kind::Link; 5], "{name}");
        }
        assert_eq!(entries.len(), 12);
        assert_nothing_followed(&disk);
    }

    #[test]
    fn refuses_a_link_on_the_way() {
        let disk = disk_with_links();
        for name in [
            "to-dir/file",
            "to-here/file",
            "to-here/dir/file",
            "out-to-dir/file",
            "out-absolute/file",
            "out-absolute/dir/file",
            "up/elsewhere/file",
            "dangling/file",
            "to-file/x",
            "to-itself/x",
            "out-dangling/x/y",
        ] {
            assert_eq!(answers(&disk.workspace, name), [Kind::Link; 5], "{name}");
        }
        symlink("../dir", disk.root().join("dir/link")).unwrap();
        assert_eq!(answers(&disk.workspace, "dir/link/file"), [Kind::Link; 5]);
        fs::remove_file(disk.root().join("dir/link")).unwrap();
        assert_nothing_followed(&disk);
    }

    #[test]
    fn a_draft_does_not_replace_a_link_that_came_meanwhile() {
        for if_exists in [IfExists::Replace, IfExists::Refuse] {
            let disk = Disk::with_root();
            let draft = start(&disk.workspace, "a", "new", if_exists).unwrap();
            fs::write(disk.outside("target"), "kept").unwrap();
            symlink("../target", disk.root().join("a")).unwrap();
            assert_eq!(kind(draft.commit().unwrap_err()), Kind::Link);
            assert_eq!(fs::read_to_string(disk.outside("target")).unwrap(), "kept");
            assert!(disk.root().join("a").is_symlink());
        }
    }

    #[test]
    fn a_draft_stays_in_its_directory_when_a_link_takes_the_name() {
        let disk = Disk::with_root();
        let draft = start(&disk.workspace, "dir/a", "new", IfExists::Replace).unwrap();
        fs::create_dir(disk.outside("elsewhere")).unwrap();
        fs::rename(disk.root().join("dir"), disk.root().join("moved")).unwrap();
        symlink("../elsewhere", disk.root().join("dir")).unwrap();
        draft.commit().unwrap();
        assert_eq!(read(&disk.workspace, "moved/a").unwrap(), "new");
        assert_eq!(fs::read_dir(disk.outside("elsewhere")).unwrap().count(), 0);
    }

    #[test]
    fn a_draft_goes_where_its_directory_goes_even_out_of_the_workspace() {
        // Whoever can move a directory out can put things there anyway: what is promised is that a
        // draft keeps to its directory and touches nothing else where that has come to.
        for commits in [true, false] {
            let disk = Disk::with_root();
            let draft = start(&disk.workspace, "dir/a", "new", IfExists::Replace).unwrap();
            fs::create_dir(disk.outside("elsewhere")).unwrap();
            fs::write(disk.outside("elsewhere/a"), "kept").unwrap();
            fs::rename(disk.root().join("dir"), disk.outside("elsewhere/moved")).unwrap();
            if commits {
                draft.commit().unwrap();
                let content = fs::read_to_string(disk.outside("elsewhere/moved/a")).unwrap();
                assert_eq!(content, "new");
            } else {
                drop(draft);
            }
            let left = fs::read_dir(disk.outside("elsewhere/moved")).unwrap().count();
            assert_eq!(left, usize::from(commits));
            assert_eq!(fs::read_dir(disk.outside("elsewhere")).unwrap().count(), 2);
            assert_eq!(fs::read_to_string(disk.outside("elsewhere/a")).unwrap(), "kept");
            // By its name it is not reached any more, and the next write makes it anew inside.
            assert_eq!(read(&disk.workspace, "dir/a").unwrap_err(), Kind::NotFound);
            write(&disk.workspace, "dir/a", "inside").unwrap();
            assert_eq!(fs::read_to_string(disk.root().join("dir/a")).unwrap(), "inside");
        }
    }

    #[test]
    fn refuses_a_link_among_the_locks() {
        let disk = Disk::new();
        fs::create_dir(disk.outside("locks")).unwrap();
        for target in ["../made", "made"] {
            symlink(target, disk.outside("locks/feeds")).unwrap();
            assert_eq!(kind(disk.workspace.try_lock("feeds").err().unwrap()), Kind::Link);
            fs::remove_file(disk.outside("locks/feeds")).unwrap();
        }
        assert!(!disk.outside("made").exists());
        assert!(!disk.outside("locks/made").exists());
    }

    #[test]
    fn a_dangling_link_in_place_of_the_root_is_no_directory() {
        let disk = Disk::new();
        symlink("nothing", disk.root()).unwrap();
        assert_eq!(write(&disk.workspace, "a", "").unwrap_err(), Kind::NotADirectory);
        assert!(!disk.outside("nothing").exists());
    }

    #[test]
    fn the_host_may_name_its_root_through_a_link() {
        let disk = Disk::new();
        fs::create_dir(disk.outside("real")).unwrap();
        symlink("real", disk.root()).unwrap();
        write(&disk.workspace, "a", "content").unwrap();
        assert_eq!(fs::read_to_string(disk.outside("real/a")).unwrap(), "content");
    }

    #[test]
    fn pipes_sockets_and_devices_are_no_files_and_nothing_waits_for_them() {
        let disk = Disk::with_root();
        let made = Command::new("mkfifo").arg(disk.root().join("pipe")).status().unwrap();
        assert!(made.success());
        let _socket = UnixListener::bind(disk.root().join("socket")).unwrap();
        for name in ["pipe", "socket"] {
            let [opened, listed, removed, written, refused] = answers(&disk.workspace, name);
            assert_eq!([opened, removed, written, refused], [Kind::NotAFile; 4], "{name}");
            assert_eq!(listed, Kind::NotADirectory, "{name}");
            assert_eq!(
                read(&disk.workspace, &format!("{name}/x")).unwrap_err(),
                Kind::NotADirectory
            );
        }
        let other = |name: &str| (name.to_owned(), EntryKind::Other);
        assert_eq!(list(&disk.workspace, ".").unwrap(), [other("pipe"), other("socket")]);

        drop(disk.workspace.try_lock("feeds").unwrap());
        let made = Command::new("mkfifo").arg(disk.outside("locks/pipe")).status().unwrap();
        assert!(made.success());
        assert_eq!(kind(disk.workspace.try_lock("pipe").err().unwrap()), Kind::NotAFile);
    }

    #[test]
    fn a_write_leaves_the_other_name_of_a_hard_link_alone() {
        let disk = Disk::with_root();
        fs::write(disk.outside("other-name"), "kept").unwrap();
        fs::hard_link(disk.outside("other-name"), disk.root().join("a")).unwrap();
        write(&disk.workspace, "a", "new").unwrap();
        assert_eq!(read(&disk.workspace, "a").unwrap(), "new");
        assert_eq!(fs::read_to_string(disk.outside("other-name")).unwrap(), "kept");
    }

    #[test]
    fn lists_only_names_that_a_path_can_hold() {
        let disk = Disk::with_root();
        let names_on_disk: [&[u8]; 6] =
            [b"fine", b"\xff", b"a\nb", b"c:d", b"nul", b".tapeline-draft-1"];
        for name in names_on_disk {
            fs::write(disk.root().join(std::ffi::OsStr::from_bytes(name)), "").unwrap();
        }
        assert_eq!(names(&disk.workspace, "."), ["fine"]);
    }

    #[test]
    fn a_full_disk_is_full() {
        // What the kernel answers with; `/dev/full` is no place for a workspace.
        let error =
            fs::OpenOptions::new().write(true).open("/dev/full").unwrap().write(b"x").unwrap_err();
        assert_eq!(Kind::from_io(&error), Kind::Full);
    }
}

/// One step of a random story, over a few names that get into each other's way.
#[derive(Clone, Debug)]
enum Step {
    Read(String),
    Write(String, String),
    WriteNew(String, String),
    GiveUp(String),
    Remove(String),
    List(String),
}

fn step() -> impl Strategy<Value = Step> {
    let name = "(a|b|a/a|a/b|a/a/b|b/a|b/b/a)";
    prop_oneof![
        name.prop_map(Step::Read),
        (name, "[a-z]{0,3}").prop_map(|(name, content)| Step::Write(name, content)),
        (name, "[a-z]{0,3}").prop_map(|(name, content)| Step::WriteNew(name, content)),
        name.prop_map(Step::GiveUp),
        name.prop_map(Step::Remove),
        "(\\.|a|b|a/a|b/b)".prop_map(Step::List),
    ]
}

fn answer(workspace: &dyn Workspace, step: &Step) -> String {
    match step {
        Step::Read(name) => format!("{:?}", read(workspace, name)),
        Step::Write(name, content) => format!("{:?}", write(workspace, name, content)),
        Step::WriteNew(name, content) => {
            format!("{:?}", put(workspace, name, content, IfExists::Refuse))
        }
        Step::GiveUp(name) => {
            format!("{:?}", start(workspace, name, "given up", IfExists::Replace).map(drop))
        }
        Step::Remove(name) => format!("{:?}", remove(workspace, name)),
        Step::List(name) => format!("{:?}", list(workspace, name)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn memory_and_disk_tell_the_same_story(steps in prop::collection::vec(step(), 1..30)) {
        let (memory, disk) = (MemoryWorkspace::new(), Disk::new());
        for step in &steps {
            prop_assert_eq!(answer(&memory, step), answer(&disk.workspace, step), "{:?}", step);
        }
    }
}

//! [`open_regular`]: how the files of a log are opened by whoever only reads them.

use std::{
    fs::File,
    io,
    path::{Component, Path},
};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::{
    ambient_authority,
    fs::{Dir, OpenOptions},
};

/// Opens a file of a log to read it: a regular file, reached by its own name.
///
/// Nothing else is ever in a log. A pipe would keep its reader waiting for ever, and a link lead
/// him elsewhere.
///
/// # Errors
/// It cannot be opened, or is a link, a directory, a pipe or the like.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let refused = || {
        io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is no regular file but a link, a directory or the like",
        )
    };
    let (Some(dir), Some(Component::Normal(name))) = (path.parent(), path.components().next_back())
    else {
        return Err(refused());
    };
    let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    let dir = Dir::open_ambient_dir(dir, ambient_authority())?;
    let mut options = OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No).nonblock(true);
    let file = dir.open_with(name, &options).map_err(|error| {
        // The systems' answers to what is no file differ, and some mean other things as well.
        match dir.symlink_metadata(name) {
            Ok(metadata) if !metadata.is_file() => refused(),
            _ => error,
        }
    })?;
    match file.metadata()?.is_file() {
        true => Ok(file.into_std()),
        false => Err(refused()),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::{fs, io::Read as _, os::unix, process::Command};

    use super::*;

    #[test]
    fn a_regular_file_is_opened_and_nothing_else_waited_for_or_followed() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::write(path("file"), "text").unwrap();
        let mut text = String::new();
        open_regular(&path("file")).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "text");

        unix::fs::symlink("file", path("link")).unwrap();
        unix::fs::symlink("nowhere", path("dangling")).unwrap();
        fs::create_dir(path("directory")).unwrap();
        assert!(Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
        let _socket = unix::net::UnixListener::bind(path("socket")).unwrap();
        for name in ["link", "dangling", "directory", "pipe", "socket"] {
            let error = open_regular(&path(name)).unwrap_err();
            assert!(error.to_string().contains("no regular file"), "{name}: {error}");
        }
        let error = open_regular(&path("absent")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}

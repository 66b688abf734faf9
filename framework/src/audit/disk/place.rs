//! Opening what lies in the audit folder: regular files in real directories.
//!
//! A link would make the log write outside of its folder, or to a device that swallows it; a pipe
//! would block whoever opens it. The audit folder itself, and what is above it, may be a link: that
//! is the host's to decide.
//!
//! What is created may be used by those who may use the audit folder, and a new folder by its owner
//! alone, since a log holds what the runs have read.

use std::{
    fs::{self, File, FileType, OpenOptions},
    io::{self, Read as _},
    path::Path,
};

use super::file_system::FileSystem;
use crate::audit::obstacle::Obstacle;

/// Opens a file of the log, which may create it.
pub(super) fn open(
    audit: &Path,
    path: &Path,
    options: &OpenOptions,
    file_system: &dyn FileSystem,
) -> io::Result<File> {
    check_directories(audit, path.parent().unwrap_or(audit))?;
    checked(audit, path, options, |options| file_system.open(path, options))
}

/// Opens a file of the log that is only read, or is there already.
pub(super) fn open_there(audit: &Path, path: &Path, options: &OpenOptions) -> io::Result<File> {
    check_directories(audit, path.parent().unwrap_or(audit))?;
    checked(audit, path, options, |options| options.open(path))
}

/// The same, for reading.
pub(super) fn read(audit: &Path, path: &Path) -> io::Result<File> {
    open_there(audit, path, OpenOptions::new().read(true))
}

/// The first bytes of a small file.
pub(super) fn read_short(audit: &Path, path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    read(audit, path)?.take(max_bytes).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Creates a directory of the log and those above it.
pub(super) fn create_directory(
    audit: &Path,
    path: &Path,
    file_system: &dyn FileSystem,
) -> io::Result<()> {
    let created = file_system.create_directories(path, audit, mode(audit));
    check_directories(audit, path)?;
    created
}

/// Whether a regular file lies there, and of what length; not the one a link leads to.
pub(super) fn length(audit: &Path, path: &Path) -> io::Result<Option<u64>> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => {
            expect(metadata.file_type(), metadata.is_file(), audit, path)?;
            Ok(Some(metadata.len()))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// What the log's users may do, as the mode of its folder says.
#[cfg(unix)]
fn mode(audit: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;

    fs::metadata(audit).map_or(0o700, |metadata| metadata.permissions().mode() & 0o777)
}

/// Elsewhere what is created inherits from its folder.
#[cfg(not(unix))]
fn mode(_: &Path) -> u32 {
    0o700
}

/// The directory and those between it and the audit folder, as far as they are there.
fn check_directories(audit: &Path, directory: &Path) -> io::Result<()> {
    let below = directory.ancestors().take_while(|path| *path != audit && path.starts_with(audit));
    for path in below {
        if let Ok(metadata) = fs::symlink_metadata(path) {
            expect(metadata.file_type(), metadata.is_dir(), audit, path)?;
        }
    }
    Ok(())
}

fn checked(
    audit: &Path,
    path: &Path,
    options: &OpenOptions,
    open: impl FnOnce(&OpenOptions) -> io::Result<File>,
) -> io::Result<File> {
    let mut options = options.clone();
    if cfg!(not(unix)) {
        length(audit, path)?;
    }
    only_regular(&mut options, mode(audit));
    let file = open(&options).map_err(|error| match length(audit, path) {
        Err(foreign) if foreign.get_ref().is_some() => foreign,
        Err(_) | Ok(_) => error,
    })?;
    let metadata = file.metadata()?;
    expect(metadata.file_type(), metadata.is_file(), audit, path)?;
    Ok(file)
}

/// A link is not followed, and nothing is waited for.
#[cfg(unix)]
fn only_regular(options: &mut OpenOptions, mode: u32) {
    use std::os::unix::fs::OpenOptionsExt as _;

    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    options.custom_flags(flags.bits().cast_signed()).mode(mode & 0o666);
}

#[cfg(not(unix))]
fn only_regular(_: &mut OpenOptions, _: u32) {}

fn expect(is: FileType, is_expected: bool, audit: &Path, path: &Path) -> io::Result<()> {
    if is_expected {
        return Ok(());
    }
    let is = if is.is_symlink() {
        "a link"
    } else if is.is_dir() {
        "a directory"
    } else if is.is_file() {
        "a file"
    } else {
        "a pipe, socket or device"
    };
    let name = path.strip_prefix(audit).unwrap_or(path).iter();
    let name: Vec<_> = name.map(|part| part.to_string_lossy()).collect();
    Err(Obstacle::Foreign { name: name.join("/"), is }.into())
}

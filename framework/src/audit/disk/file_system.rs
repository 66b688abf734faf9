//! [`FileSystem`]: the calls by which the log changes a disk.
//!
//! Tests put their own in its place, to make any of these calls fail.

use std::{
    fmt,
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::Path,
};

/// The paths say which file a call is about.
pub(super) trait FileSystem: fmt::Debug + Send + Sync {
    /// Creates a directory and those above it; from `audit` on with this mode, where there are modes.
    fn create_directories(&self, path: &Path, audit: &Path, mode: u32) -> io::Result<()> {
        if let Some(above) = audit.parent() {
            fs::create_dir_all(above)?;
        }
        let mut builder = fs::DirBuilder::new();
        set_mode(&mut builder, mode);
        builder.recursive(true).create(path)
    }

    /// Opens a file, which may create it.
    fn open(&self, path: &Path, options: &OpenOptions) -> io::Result<File> {
        options.open(path)
    }

    /// Writes as many of the bytes as one call takes.
    fn write(&self, _path: &Path, mut file: &File, bytes: &[u8]) -> io::Result<usize> {
        file.write(bytes)
    }

    fn set_len(&self, _path: &Path, file: &File, length: u64) -> io::Result<()> {
        file.set_len(length)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    /// Brings to the device what was written to a file, and its length.
    fn sync(&self, _path: &Path, file: &File) -> io::Result<()> {
        file.sync_data()
    }

    /// Brings the names in a directory to the device.
    #[cfg(unix)]
    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        // Not `sync_data`: ext4 leaves new names out of that.
        File::open(path)?.sync_all()
    }

    /// Elsewhere no directory can be opened to be synced; the file system keeps a journal of names.
    #[cfg(not(unix))]
    fn sync_directory(&self, _path: &Path) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(unix)]
fn set_mode(builder: &mut fs::DirBuilder, mode: u32) {
    use std::os::unix::fs::DirBuilderExt as _;

    builder.mode(mode);
}

#[cfg(not(unix))]
fn set_mode(_: &mut fs::DirBuilder, _: u32) {}

/// The operating system's.
#[derive(Debug)]
pub(super) struct OperatingSystem;

impl FileSystem for OperatingSystem {}

/// One write of all bytes. A part of them is an error: between two writes a reader, or the process
/// that comes after a crash, would find half a line.
pub(super) fn write_once(
    file_system: &dyn FileSystem,
    path: &Path,
    file: &File,
    bytes: &[u8],
) -> io::Result<u64> {
    let written = write(file_system, path, file, bytes)?;
    if written < bytes.len() {
        let message = format!("{written} of {} bytes were written", bytes.len());
        return Err(io::Error::new(io::ErrorKind::WriteZero, message));
    }
    Ok(u64::try_from(written).unwrap_or(u64::MAX))
}

/// All bytes, in as many writes as it takes: for a file that nobody looks at yet.
pub(super) fn write_all(
    file_system: &dyn FileSystem,
    path: &Path,
    file: &File,
    mut bytes: &[u8],
) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = write(file_system, path, file, bytes)?;
        bytes = match bytes.get(written..) {
            Some(rest) if written > 0 => rest,
            Some(_) | None => return Err(io::ErrorKind::WriteZero.into()),
        };
    }
    Ok(())
}

fn write(
    file_system: &dyn FileSystem,
    path: &Path,
    file: &File,
    bytes: &[u8],
) -> io::Result<usize> {
    loop {
        match file_system.write(path, file, bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            written => return written,
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::fd::OwnedFd;

    use super::*;

    /// What lies on no device cannot be synced, and Linux says so: who asks for nothing hears nothing.
    #[test]
    fn a_sync_reaches_the_operating_system() {
        let (reader, _writer) = io::pipe().unwrap();
        let pipe = File::from(OwnedFd::from(reader));
        let error = OperatingSystem.sync("pipe".as_ref(), &pipe).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        let error = OperatingSystem.sync_directory("/proc".as_ref()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    }
}

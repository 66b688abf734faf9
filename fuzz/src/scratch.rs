//! A folder to write to, in memory where the system has such a place.

use std::{fs, path::Path};

use tempfile::TempDir;

/// Gives an empty folder, gone with what it is in when it is dropped.
pub fn scratch() -> TempDir {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
    let folder = folder.expect("a temporary folder can be made");
    // What a crash left behind is of no use to anyone.
    debug_assert!(fs::read_dir(folder.path()).is_ok_and(|mut entries| entries.next().is_none()));
    folder
}

//! A terminal, at whose other end a test sits.
#![cfg(unix)]

use std::{
    ffi::OsStr,
    fs::{File, OpenOptions},
    io::Read,
    os::unix::ffi::OsStrExt,
};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// The two ends of a new terminal: ours, and the program's.
pub(crate) fn terminal() -> (File, File) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let theirs =
        OpenOptions::new().read(true).write(true).open(OsStr::from_bytes(name.as_bytes())).unwrap();
    (ours.into(), theirs)
}

/// What is shown at our end, up to a text.
pub(crate) fn shown_until(ours: &mut File, until: &str) -> String {
    let mut shown = String::new();
    let mut buffer = [0; 1024];
    while !shown.contains(until) {
        let read = ours.read(&mut buffer).unwrap();
        shown.push_str(&String::from_utf8_lossy(&buffer[..read]));
    }
    shown
}

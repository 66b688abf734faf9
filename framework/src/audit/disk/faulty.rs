//! [`Faulty`]: a disk whose calls fail on demand, and which knows what a loss of power would take.

use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::{Condvar, Mutex},
};

use super::file_system::{FileSystem, OperatingSystem};

#[derive(Debug)]
pub(super) struct Faulty {
    audit: PathBuf,
    state: Mutex<State>,
    opened: Condvar,
}

#[derive(Debug, Default)]
struct State {
    calls: Vec<(Call, String)>,
    fault: Option<Fault>,
    syncs_fail: bool,
    syncs_stand: bool,
    standing: usize,
    /// Written to since they were last synced.
    unsynced: BTreeSet<PathBuf>,
    /// Names that are not on the device.
    unnamed: BTreeSet<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Call {
    CreateDirectories,
    Open,
    Write,
    SetLen,
    Rename,
    Sync,
    SyncDirectory,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Fault {
    /// Which call.
    pub(super) at: usize,
    pub(super) how: How,
    /// Every call after it fails as well, with nothing written.
    pub(super) lasts: bool,
}

/// What comes of the call: always `ENOSPC`, but for a write that takes a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    Nothing,
    /// So many bytes are written.
    Some(usize),
    AllButOne,
}

impl Faulty {
    pub(super) fn new(audit: &Path, fault: Option<Fault>) -> Self {
        let state = Mutex::new(State { fault, ..State::default() });
        Self { audit: audit.to_owned(), state, opened: Condvar::new() }
    }

    /// All calls so far, and what each was about.
    pub(super) fn calls(&self) -> Vec<(Call, String)> {
        self.state.lock().unwrap().calls.clone()
    }

    pub(super) fn count(&self, call: Call) -> usize {
        self.calls().iter().filter(|(made, _)| *made == call).count()
    }

    /// From now on nothing fails.
    pub(super) fn heal(&self) {
        let mut state = self.state.lock().unwrap();
        (state.fault, state.syncs_fail) = (None, false);
    }

    pub(super) fn fail_syncs(&self) {
        self.state.lock().unwrap().syncs_fail = true;
    }

    /// From now on syncs do not return until [`Self::let_syncs_go`].
    pub(super) fn let_syncs_stand(&self) {
        self.state.lock().unwrap().syncs_stand = true;
    }

    pub(super) fn let_syncs_go(&self) {
        self.state.lock().unwrap().syncs_stand = false;
        self.opened.notify_all();
    }

    /// How many syncs do not return.
    pub(super) fn standing(&self) -> usize {
        self.state.lock().unwrap().standing
    }

    /// What a loss of power would take of a place in the log: content or name of what lies there,
    /// or of a directory it lies in.
    pub(super) fn at_risk(&self, place: &Path) -> Vec<PathBuf> {
        let state = self.state.lock().unwrap();
        let place = self.audit.join(place);
        let counts = |path: &&PathBuf| path.starts_with(&place) || place.starts_with(path);
        let at_risk = state.unsynced.iter().chain(&state.unnamed).filter(counts);
        at_risk.filter(|path| path.exists()).cloned().collect()
    }

    /// What a path is to the log.
    fn place(&self, path: &Path) -> String {
        let Ok(path) = path.strip_prefix(&self.audit) else { return "above".to_owned() };
        let parts: Vec<_> = path.iter().map(|part| part.to_str().unwrap()).collect();
        match parts[..] {
            [] => "audit".to_owned(),
            ["blobs", name] if name.ends_with(".tmp") => "blobs/tmp".to_owned(),
            ["blobs", _] => "blobs/shard".to_owned(),
            ["blobs", _, _] => "blobs/shard/blob".to_owned(),
            [directory, _] => format!("{directory}/file"),
            [name] => name.to_owned(),
            _ => panic!("{parts:?}"),
        }
    }

    /// Counts a call; `Some` where it is to fail.
    fn count_call(&self, call: Call, path: &Path) -> Option<How> {
        let place = self.place(path);
        let mut state = self.state.lock().unwrap();
        let number = state.calls.len();
        state.calls.push((call, place));
        match state.fault {
            Some(Fault { at, how, .. }) if at == number => Some(how),
            Some(Fault { at, lasts: true, .. }) if at < number => Some(How::Nothing),
            _ => None,
        }
    }

    fn call(&self, call: Call, path: &Path) -> io::Result<()> {
        match self.count_call(call, path) {
            Some(_) => Err(no_space()),
            None => Ok(()),
        }
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().unwrap());
    }
}

fn no_space() -> io::Error {
    io::ErrorKind::StorageFull.into()
}

impl FileSystem for Faulty {
    fn create_directories(&self, path: &Path, audit: &Path, mode: u32) -> io::Result<()> {
        self.call(Call::CreateDirectories, path)?;
        let new: Vec<_> = path.ancestors().take_while(|path| !path.exists()).collect();
        OperatingSystem.create_directories(path, audit, mode)?;
        self.change(|state| state.unnamed.extend(new.into_iter().map(Path::to_owned)));
        Ok(())
    }

    fn open(&self, path: &Path, options: &OpenOptions) -> io::Result<File> {
        self.call(Call::Open, path)?;
        let is_new = !path.exists();
        let file = OperatingSystem.open(path, options)?;
        if is_new {
            self.change(|state| {
                state.unnamed.insert(path.to_owned());
            });
        }
        Ok(file)
    }

    fn write(&self, path: &Path, mut file: &File, bytes: &[u8]) -> io::Result<usize> {
        let how = self.count_call(Call::Write, path);
        self.change(|state| {
            state.unsynced.insert(path.to_owned());
        });
        let part = match how {
            None => bytes.len(),
            Some(How::Nothing) => return Err(no_space()),
            Some(How::Some(part)) => part.min(bytes.len() - 1),
            Some(How::AllButOne) => bytes.len() - 1,
        };
        file.write_all(&bytes[..part])?;
        if part == 0 && !bytes.is_empty() { Err(no_space()) } else { Ok(part) }
    }

    fn set_len(&self, path: &Path, file: &File, length: u64) -> io::Result<()> {
        self.call(Call::SetLen, path)?;
        self.change(|state| {
            state.unsynced.insert(path.to_owned());
        });
        OperatingSystem.set_len(path, file, length)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.call(Call::Rename, to)?;
        OperatingSystem.rename(from, to)?;
        self.change(|state| {
            state.unnamed.remove(from);
            state.unnamed.insert(to.to_owned());
            if state.unsynced.remove(from) {
                state.unsynced.insert(to.to_owned());
            }
        });
        Ok(())
    }

    fn sync(&self, path: &Path, file: &File) -> io::Result<()> {
        self.call(Call::Sync, path)?;
        let mut state = self.state.lock().unwrap();
        state.standing += 1;
        let mut state = self.opened.wait_while(state, |state| state.syncs_stand).unwrap();
        state.standing -= 1;
        if state.syncs_fail {
            return Err(io::Error::other("the device is gone"));
        }
        assert!(file.metadata().unwrap().is_file());
        state.unsynced.remove(path);
        Ok(())
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        self.call(Call::SyncDirectory, path)?;
        assert!(fs::metadata(path).unwrap().is_dir());
        self.change(|state| state.unnamed.retain(|name| name.parent() != Some(path)));
        Ok(())
    }
}

//! Closing the runs of processes that died.

use std::{
    collections::HashSet,
    fs::{self, File, OpenOptions},
    io::{self, BufReader, Read as _, Seek as _},
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{
    commit::{Appended, GroupCommit},
    file_system::FileSystem,
    intents::{Header, MAX_INTENT_BYTES, OpenFile},
    lines::for_each_line,
    lock::Held,
    place,
    runs::Runs,
};
use crate::{
    ErrorCode,
    audit::{Intent, Kept, Record, RunsFile, SinkError, layout::day_of},
};

/// Gives each run that a dead process left open a record that says so. The caller has the lock.
///
/// If this stops half-way it can be done again: a run that has its record gets no second one.
pub(super) fn close_interrupted(
    audit: &Path,
    runs: &mut Runs,
    held: &mut Held,
    commit: Option<&GroupCommit>,
    file_system: &dyn FileSystem,
) -> Result<(), SinkError> {
    let open = OpenFile::dir(audit);
    let abandoned = find_abandoned(audit, file_system).map_err(|error| {
        SinkError::new(format!("read the intents in `{}`", open.display()), error)
    })?;
    let mut unended: HashSet<String> = abandoned
        .iter()
        .flat_map(|file| &file.intents)
        .map(|intent| intent.run_id.clone())
        .collect();
    if !unended.is_empty() {
        // Without a header it is not known where to begin, and `None` is the least.
        let since = abandoned.iter().map(|file| file.since.clone()).min().flatten();
        drop_ended(audit, since.as_ref(), &mut unended)
            .map_err(|error| SinkError::new("look for the records of runs left open", error))?;
    }
    let mut appended: Vec<Arc<Appended>> = Vec::new();
    for intent in abandoned.iter().flat_map(|file| &file.intents) {
        if unended.remove(&intent.run_id) {
            let file = runs.append(held, &mut interrupted(intent))?;
            if appended.last().is_none_or(|last| !Arc::ptr_eq(last, &file)) {
                appended.push(file);
            }
        }
    }
    // The intents go, so the records must be where they cannot be lost.
    if let Some(commit) = commit {
        for file in appended {
            commit
                .sync(file)
                .map_err(|error| SinkError::new("sync the records of runs left open", error))?;
        }
    }
    for Abandoned { path, file, .. } in abandoned {
        // Windows removes no file that is open; the audit lock keeps others from it meanwhile.
        drop(file);
        // If it stays, all its runs have records, and the next to open the log tries again.
        let _ = fs::remove_file(path);
    }
    Ok(())
}

/// A file of intents whose owner is gone.
struct Abandoned {
    path: PathBuf,
    /// Locked by us.
    file: File,
    since: Option<RunsFile>,
    intents: Vec<Intent>,
}

fn find_abandoned(audit: &Path, file_system: &dyn FileSystem) -> io::Result<Vec<Abandoned>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(OpenFile::dir(audit))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            paths.push(path);
        }
    }
    paths.sort();

    let mut abandoned = Vec::new();
    for path in paths {
        let file = match place::open_there(audit, &path, OpenOptions::new().read(true).write(true))
        {
            Ok(file) => file,
            // Its owner ended properly since.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        if file.try_lock().is_ok() {
            let Intents { since, intents, is_ours } = read_intents(&file)?;
            if is_ours {
                abandoned.push(Abandoned { path, file, since, intents });
            } else {
                // Windows renames no file that is open.
                drop(file);
                put_aside(audit, &path, file_system);
            }
        }
    }
    Ok(abandoned)
}

/// What no log has written is nobody's run, and not ours to remove. Where it cannot be moved it
/// stays, and the next to open the log tries again.
fn put_aside(audit: &Path, path: &Path, file_system: &dyn FileSystem) {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".aside");
    let aside = audit.join(name);
    let moved = match fs::symlink_metadata(&aside) {
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        Err(_) => file_system.rename(path, &aside),
    };
    let (path, aside) = (path.display(), aside.display());
    match moved {
        Ok(()) => tracing::warn!(
            target: "tapeline::audit",
            "`{path}` holds no intents: it was moved to `{aside}`; see who put it there"
        ),
        Err(error) => tracing::warn!(
            target: "tapeline::audit",
            cause = %error,
            "`{path}` holds no intents, and cannot be moved to `{aside}`; see who put it there"
        ),
    }
}

/// What a file of intents holds.
struct Intents {
    since: Option<RunsFile>,
    intents: Vec<Intent>,
    /// Whether a log has written it, as far as that can be told.
    is_ours: bool,
}

/// A line that is no intent, or does not end, was torn before its run had any effect.
fn read_intents(mut file: &File) -> io::Result<Intents> {
    /// What the first line of each begins with.
    const BEGINNING: &[u8] = b"{\"v\":";

    let mut read = Intents { since: None, intents: Vec::new(), is_ours: false };
    let mut beginning = Vec::new();
    file.rewind()?;
    file.take(u64::try_from(BEGINNING.len()).unwrap_or(u64::MAX)).read_to_end(&mut beginning)?;
    // A loss of power leaves less, or zeros.
    if BEGINNING.starts_with(&beginning) || beginning.iter().all(|byte| *byte == 0) {
        read.is_ours = true;
    }
    file.rewind()?;
    for_each_line(BufReader::new(file), |line, ends| {
        if !ends {
            return ControlFlow::Continue(());
        }
        if let Ok(intent) = serde_json::from_slice::<Intent>(line) {
            if line.len() <= MAX_INTENT_BYTES && day_of(&intent.timestamp).is_some() {
                read.is_ours = true;
                read.intents.push(intent);
            }
        } else if let Ok(Header { file, .. }) = serde_json::from_slice(line) {
            read.is_ours = true;
            if let Some(file) = file {
                read.since = RunsFile::parse(&file);
            }
        }
        ControlFlow::Continue(())
    })?;
    Ok(read)
}

/// Drops the runs that have a record in `since` or a later file. As for
/// [`Tail`](super::tail::Tail), a record that lacks only its newline is one.
fn drop_ended(
    audit: &Path,
    since: Option<&RunsFile>,
    unended: &mut HashSet<String>,
) -> io::Result<()> {
    #[derive(Deserialize)]
    struct Ended {
        run_id: String,
    }

    for file in RunsFile::list(audit)? {
        if since.is_some_and(|since| file < *since) {
            continue;
        }
        let reader = BufReader::with_capacity(64 * 1024, place::read(audit, &file.path(audit))?);
        for_each_line(reader, |line, _| {
            if let Ok(Ended { run_id }) = serde_json::from_slice(line) {
                unended.remove(&run_id);
            }
            if unended.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
    }
    Ok(())
}

fn interrupted(intent: &Intent) -> Record {
    #[derive(Deserialize)]
    struct Parsed {
        path: Box<RawValue>,
    }

    #[derive(Serialize)]
    struct Failed<'a> {
        ok: bool,
        command: Option<&'a RawValue>,
        error_code: ErrorCode,
        error_message: &'a str,
    }

    let code = ErrorCode::INTERRUPTED;
    let message = "the run left no record: its process ended before it did, or could not write one";
    let parsed = intent.parsed_command.read::<Parsed>().ok();
    let command = parsed.as_ref().map(|parsed| &*parsed.path);
    Record {
        v: Record::VERSION,
        seq: 0,
        run_id: intent.run_id.clone(),
        timestamp: intent.timestamp.clone(),
        command: intent.command.clone(),
        parsed_command: intent.parsed_command.clone(),
        labels: intent.labels.clone(),
        stdin: Kept::null(),
        timeout_ms: intent.timeout_ms,
        capabilities: intent.capabilities.clone(),
        exit_code: code.exit_code(),
        error_code: Some(code.name().to_owned()),
        error_message: Kept::inline(message),
        hint: Kept::null(),
        truncated: Kept::inline(&[(); 0]),
        duration_ms: 0,
        artifacts: Kept::inline(&[(); 0]),
        stdout: Kept::inline(""),
        stderr: Kept::inline(""),
        result: Kept::inline(&Failed {
            ok: false,
            command,
            error_code: code,
            error_message: message,
        }),
        tape: Kept::null(),
        host: intent.host.clone(),
        framework: intent.framework.clone(),
        specs: intent.specs.clone(),
        prev: String::new(),
    }
}

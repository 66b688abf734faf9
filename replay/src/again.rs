//! Running again in a second process, which has other hash seeds, another time zone, locale and
//! directory: what depends on one of them comes out otherwise.
//!
//! The second process is this program, started with the same arguments; a variable of its
//! environment names the job, and [`cli`](crate::cli) then does that and nothing else.

use std::{
    collections::BTreeMap,
    env, fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde::{Deserialize, Serialize};
use tempfile::{NamedTempFile, TempDir};
use thiserror::Error;

use crate::{
    CaseName, Json, Kit, Log,
    cases::{on_all_cores, replay_case},
    outcome::Outcome,
    player::play,
    record::given,
    verdict::chain,
};

const VARIABLE: &str = "TAPELINE_REPLAY_JOB";

/// What the second process is to run, and where it says what came of it.
#[derive(Debug, Serialize, Deserialize)]
struct Job {
    into: PathBuf,
    /// A folder and names.
    cases: Option<(PathBuf, Vec<String>)>,
    /// An audit log and a run.
    record: Option<(PathBuf, String)>,
}

/// By name of a case, or id of a run: all that came of it, as one document.
pub(crate) type Documents = BTreeMap<String, Json>;

/// Why there is no second process to compare with.
#[derive(Debug, Error)]
pub(crate) enum AgainError {
    #[error("the second process cannot be started")]
    Start(#[source] io::Error),
    #[error(
        "the second process ({status}) said nothing: started again with the same arguments, this \
         program must come to `tapeline_replay::cli`\n{stderr}"
    )]
    Silent { status: String, stderr: String },
    #[error("the second process said what cannot be read")]
    Unfit(#[source] serde_json::Error),
}

/// What came of cases in a second process.
pub(crate) fn cases(golden: &Path, names: &[CaseName]) -> Result<Documents, AgainError> {
    let golden = std::path::absolute(golden).map_err(AgainError::Start)?;
    let names = names.iter().map(ToString::to_string).collect();
    again(Some((golden, names)), None)
}

/// What came of a record in a second process.
pub(crate) fn record(audit: &Path, run_id: &str) -> Result<Documents, AgainError> {
    let audit = std::path::absolute(audit).map_err(AgainError::Start)?;
    again(None, Some((audit, run_id.to_owned())))
}

fn again(
    cases: Option<(PathBuf, Vec<String>)>,
    record: Option<(PathBuf, String)>,
) -> Result<Documents, AgainError> {
    let folder = TempDir::new().map_err(AgainError::Start)?;
    let job = Job { into: folder.path().join("documents.json"), cases, record };
    let (into, path) = (job.into.clone(), folder.path().join("job.json"));
    let job = serde_json::to_vec(&job).map_err(AgainError::Unfit)?;
    fs::write(&path, job).map_err(AgainError::Start)?;
    let output = Command::new(env::current_exe().map_err(AgainError::Start)?)
        .args(env::args_os().skip(1))
        .current_dir(folder.path())
        .env(VARIABLE, &path)
        .env("TZ", "Pacific/Kiritimati")
        .env("LANG", "tr_TR.UTF-8")
        .env("LC_ALL", "tr_TR.UTF-8")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .output()
        .map_err(AgainError::Start)?;
    let Ok(documents) = fs::read(into) else {
        return Err(AgainError::Silent {
            status: output.status.to_string(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        });
    };
    let documents: BTreeMap<String, String> =
        serde_json::from_slice(&documents).map_err(AgainError::Unfit)?;
    let parsed = documents.into_iter().map(|(name, text)| Ok((name, Json::parse(&text)?)));
    parsed.collect::<Result<_, _>>().map_err(AgainError::Unfit)
}

/// Does the job of a second process, if this is one; then there is nothing else to do.
pub(crate) fn is_second_process(kit: &Kit) -> bool {
    let Some(path) = env::var_os(VARIABLE) else { return false };
    let job = fs::read(path).ok().and_then(|job| serde_json::from_slice::<Job>(&job).ok());
    if let Some(job) = job {
        let documents: BTreeMap<String, String> =
            done(kit, &job).into_iter().map(|(name, json)| (name, json.to_string())).collect();
        // Without one the first process says that this one came to nothing.
        let _ = said(&job.into, &documents);
    }
    true
}

/// At once: a test runner may come here on several threads, and end with the first that is done.
fn said(into: &Path, documents: &BTreeMap<String, String>) -> io::Result<()> {
    let mut file = NamedTempFile::new_in(into.parent().unwrap_or(Path::new("")))?;
    serde_json::to_writer(&mut file, documents)?;
    file.persist(into)?;
    Ok(())
}

fn done(kit: &Kit, job: &Job) -> Documents {
    let mut documents = Documents::new();
    if let Some((golden, names)) = &job.cases {
        let names: Vec<CaseName> = names.iter().filter_map(|name| name.parse().ok()).collect();
        let document = |name: &CaseName| {
            let replayed = replay_case(kit, golden, name);
            replayed.came.map_or(Json::Text(replayed.verdict.to_string()), |came| {
                came.outcome.whole_document()
            })
        };
        let came = on_all_cores(&names, &document, &|_, _| {});
        documents.extend(names.iter().map(ToString::to_string).zip(came));
    }
    if let Some((audit, run_id)) = &job.record {
        documents.insert(run_id.clone(), record_document(kit, audit, run_id));
    }
    documents
}

fn record_document(kit: &Kit, audit: &Path, run_id: &str) -> Json {
    let document = || {
        let log = Log::open(audit).map_err(|error| chain(&error))?;
        let record = log.find(run_id).map_err(|error| chain(&error))?;
        let record = record.ok_or_else(|| "no such run".to_owned())?;
        let given = given(&log, &record).map_err(|verdict| verdict.to_string())?;
        let played = play(given, kit.registry.clone(), kit.patience)
            .map_err(|not_played| format!("{not_played:?}"))?;
        Ok::<_, String>(Outcome::of_played(&played)?.whole_document())
    };
    document().unwrap_or_else(Json::Text)
}

//! `log`: the records of a whole log, run again.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use tapeline::clap;

use super::{
    Stop,
    log_json::json,
    log_said::{Said, text},
    progress::Progress,
    said::quoted,
};
use crate::{
    CaseName, Kit,
    log_replay::{Example, Meant, Place, Since, Told, examples, promote_examples, replay_log},
};

/// Run the records of a log again, and see what this build would answer otherwise.
///
/// What differs is told by command, by the code that was recorded and by place, with how many runs
/// and the first of them. Apart from it stands what needs more than its tape holds: there nobody can
/// say what this build would answer. Nothing outside is read, written or reached.
#[derive(Clone, Debug, clap::Args)]
#[command(
    after_help = "Exit code: 0 all the same, 1 something differs or needs more than its tape holds, \
        2 something could not be run or read, or nothing was run."
)]
pub(super) struct LogReplay {
    /// The directory of an audit log or its `runs/`, a root with one in `audit/`, or one file of it;
    /// this host's own log unless said.
    path: Option<PathBuf>,
    /// Only runs that began then or later: `2026-11-27`, or `2026-11-27T09:30:00Z`.
    #[arg(long, value_name = "TIME")]
    since: Option<Since>,
    /// Only runs of that command or group: `"exchange-rate latest"`.
    #[arg(long, value_name = "PATH")]
    command: Option<String>,
    /// Only the newest so many of these.
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(super) json: bool,
    /// Make cases of the examples, named GROUP/…, which expect what was recorded.
    #[arg(long, value_name = "GROUP", value_parser = group)]
    promote_examples: Option<String>,
}

impl LogReplay {
    pub(super) fn run(&self, kit: &Kit, golden: &Path, out: &mut dyn Write) -> Result<u8, Stop> {
        let own = kit.root.join("audit");
        let words = self.command.iter().flat_map(|path| path.split_whitespace());
        let meant = Meant {
            since: self.since,
            command: words.map(str::to_owned).collect(),
            limit: self.limit,
        };
        let place = Place::find(self.path.as_ref().unwrap_or(&own))?;
        let stretch = meant.stretch(&place)?;
        let progress = Progress::new(0);
        let (of_bytes, mut shown) = (stretch.bytes().max(1), None);
        let replayed = replay_log(kit, &place.log, &meant, stretch, &mut |tally, bytes| {
            let percent = bytes.saturating_mul(100) / of_bytes;
            if shown.replace(percent) != Some(percent) {
                progress.show(&format!("{percent} %, {} runs", tally.records));
            }
        });
        progress.clear();
        let tally = replayed
            .map_err(|error| Stop::Said(format!("no thread can be had to replay on: {error}")))?;
        let groups = tally.groups();
        let examples = examples(&groups, &tally, Said::MOST_SHOWN);
        let promoted = match &self.promote_examples {
            Some(group) => promote_examples(kit, golden, &place.log, group, &examples)
                .map_err(|invalid| Stop::Said(invalid.to_string()))?,
            None => Vec::new(),
        };
        let is_refused = promoted.iter().any(|promoted| promoted.refusal.is_some());
        let said = Said {
            tally: &tally,
            groups: &groups,
            promoted: &promoted,
            next: self.next(kit, &examples),
        };
        match self.json {
            true => writeln!(out, "{}", json(&said).map_err(std::io::Error::from)?)?,
            false => write!(out, "{}", text(&said))?,
        }
        Ok(match tally.told() {
            Told::Same => 0,
            Told::Differs if !is_refused => 1,
            Told::Differs | Told::Unable => 2,
        })
    }

    /// What to call next, one a line.
    fn next(&self, kit: &Kit, examples: &[Example]) -> Vec<String> {
        let Some(example) = examples.first() else { return Vec::new() };
        let mut next = Vec::new();
        // A single run is found in the host's own log alone.
        if self.path.is_none() {
            // What option names the root is the host's to say.
            let look = if kit.has_usual_root() { "look" } else { "look, with the same root" };
            next.push(format!("{look}: {}", kit.call(&format!("run {}", example.run_id))));
        }
        if self.promote_examples.is_none() {
            let own = (!kit.has_usual_root()).then(|| kit.root.join("audit"));
            let path = self.path.clone().or(own).map(|path| quoted(&path.to_string_lossy()));
            let since = self.since.map(|since| format!("--since {since}"));
            let command = self.command.as_ref().map(|words| format!("--command {}", quoted(words)));
            let limit = self.limit.map(|limit| format!("--limit {limit}"));
            let mut line = "log".to_owned();
            for part in [path, since, command, limit].into_iter().flatten() {
                line.push_str(&format!(" {part}"));
            }
            line.push_str(" --promote-examples GROUP");
            next.push(format!("make cases of the examples: {}", kit.call(&line)));
        }
        next
    }
}

fn group(name: &str) -> Result<String, String> {
    match format!("{name}/case").parse::<CaseName>() {
        Ok(_) => Ok(name.to_owned()),
        Err(_) => Err("a group is called by lower-case letters, digits and hyphens".to_owned()),
    }
}

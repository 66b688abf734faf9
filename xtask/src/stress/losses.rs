//! [`Losses`]: what writers that were killed must not have taken with them.
#![expect(clippy::print_stdout, reason = "a task talks to whoever called it")]

use std::{collections::HashSet, path::Path};

use anyhow::ensure;

use super::{
    check::{check, intents, leftovers},
    process::Process,
    said::Said,
    service::Service,
    writer,
};

/// What was said, and what was seen to be under way.
#[derive(Debug, Default)]
pub(super) struct Losses {
    said: Said,
    /// Runs that had an intent on disk.
    opened: HashSet<String>,
}

impl Losses {
    pub(super) fn hear(&mut self, said: Said) {
        self.said.add(said);
    }

    pub(super) fn look_at_intents(&mut self, audit: &Path) -> anyhow::Result<()> {
        self.opened.extend(intents(audit)?);
        Ok(())
    }

    pub(super) fn begun(&self) -> u64 {
        self.said.begun
    }

    /// Opens the log once more, which closes what the last ones left, and counts.
    pub(super) fn settle(&self, root: &Path, service: &Service, seed: u64) -> anyhow::Result<()> {
        let (_, status) =
            Process::start(writer(root, service, seed)?.args(["--runs", "1"]))?.end()?;
        ensure!(status.success(), "the last writer ended with {status}");
        self.count(root)
    }

    fn count(&self, root: &Path) -> anyhow::Result<()> {
        let audit = root.join("audit");
        let found = check(&audit)?;
        let missing = |runs: &mut dyn Iterator<Item = &String>| {
            runs.filter(|run_id| !found.has(run_id)).count()
        };
        let lost = missing(&mut self.said.answered.iter());
        let unclosed = missing(&mut self.opened.iter());
        let left = intents(&audit)?.len();
        println!(
            "{} runs begun, {} answered, {} intents seen open\n\
             {} records in {} files ({} Interrupted), {} torn lines, unreadable whole lines 0, \
             chain verified, {} blobs whole\n\
             answered and lost {lost}, intents without a record {unclosed}, intents still open \
             {left}, unfinished files left {}",
            self.said.begun,
            self.said.answered.len(),
            self.opened.len(),
            found.records,
            found.files,
            found.interrupted,
            found.torn,
            found.blobs,
            leftovers(root)?,
        );
        ensure!(lost == 0 && unclosed == 0 && left == 0, "something was lost");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const RECORD: &str = r#"{"seq":1,"run_id":"run-1","prev":"PREV"}"#;

    /// What is said of a log with the record of one run, and what its intents are.
    fn count(answered: &str, opened: &str, intent: &str) -> anyhow::Result<()> {
        let root = tempfile::tempdir()?;
        let audit = root.path().join("audit");
        for (folder, file, text) in [
            ("runs", "2026-11-27.0001.jsonl", RECORD.replace("PREV", &"0".repeat(64))),
            ("open", "1.jsonl", intent.to_owned()),
        ] {
            fs::create_dir_all(audit.join(folder))?;
            fs::write(audit.join(folder).join(file), text + "\n")?;
        }
        let said = Said { begun: 1, answered: vec![answered.to_owned()] };
        Losses { said, opened: HashSet::from([opened.to_owned()]) }.count(root.path())
    }

    #[test]
    fn each_kind_of_loss_is_told() {
        count("run-1", "run-1", "{}").unwrap();
        for [answered, opened, intent] in [
            ["run-2", "run-1", "{}"],
            ["run-1", "run-2", "{}"],
            ["run-1", "run-1", r#"{"run_id":"run-1"}"#],
        ] {
            let error = count(answered, opened, intent).unwrap_err();
            assert_eq!(error.to_string(), "something was lost");
        }
    }
}

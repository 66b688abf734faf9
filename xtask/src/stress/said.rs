//! [`Said`]: what writers tell on their stdout.

use std::io::{BufRead as _, BufReader, Read};

use super::writer::{ANSWERED, BEGUN};

/// Which runs there were, as far as their writers lived to tell.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) begun: u64,
    pub(super) answered: Vec<String>,
}

impl Said {
    pub(super) fn add(&mut self, said: Self) {
        self.begun += said.begun;
        self.answered.extend(said.answered);
    }

    /// A line that its writer did not live to finish says nothing.
    fn line(&mut self, line: &str) {
        let Some(line) = line.strip_suffix('\n') else { return };
        if line.starts_with(BEGUN) {
            self.begun += 1;
        } else if let Some(run_id) = line.strip_prefix(ANSWERED) {
            self.answered.push(run_id.to_owned());
        }
    }
}

/// Listens until the writer ends, however it ends.
pub(super) fn hear(stdout: impl Read) -> anyhow::Result<Said> {
    let mut said = Said::default();
    let mut reader = BufReader::new(stdout);
    let mut line = String::new();
    while reader.read_line(&mut line)? > 0 {
        said.line(&line);
        line.clear();
    }
    Ok(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_not_finished_says_nothing() {
        let said = hear(&b"begun a\nanswered a\nbegun b\nanswered b"[..]).unwrap();
        assert_eq!((said.begun, said.answered), (2, vec!["a".to_owned()]));
    }
}

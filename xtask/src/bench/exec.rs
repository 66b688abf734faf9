//! `cargo xtask bench exec`: what a run costs, against one that is not written down and a shell.
//!
//! What is compared is a ratio: both sides saw the same machine in the same minute. Rounds
//! alternate, so that a slow spell hits all contenders alike, and the median forgives the rest.
#![expect(clippy::print_stdout, reason = "a task talks to whoever called it")]

use std::{
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use tapeline::{
    Terminal,
    audit::{Intent, Record, Sink, SinkError},
};
use tapeline_commands as _;

pub(super) fn run() -> anyhow::Result<()> {
    let folder = tempfile::tempdir().context("make a folder for the log")?;
    let audited = Terminal::builder().root(folder.path().join("audited")).build()?;
    let discarded = Terminal::builder()
        .root(folder.path().join("discarded"))
        .audit(Arc::new(Discards))
        .build()?;
    let mut contenders = vec![
        hello("intent, record and tape", &audited),
        hello("a sink that discards", &discarded),
        spawned_shell(),
    ];
    let medians = measure(60, &mut contenders)?;
    let micros: Vec<f64> = medians.iter().map(|median| median.as_secs_f64() * 1e6).collect();
    for (contender, micros) in contenders.iter().zip(&micros) {
        println!("{:<40} p50 {micros:>10.2} µs", contender.name);
    }
    if let [audited, discarded, shell] = *micros {
        println!("\n{LINE}, audited ÷ discarded: {:.2} (at most 2.5)", audited / discarded);
        println!("{LINE}, spawned shell ÷ audited: {:.0} (at least 60)", shell / audited);
    }
    Ok(())
}

const LINE: &str = "hello --name x";

fn hello<'a>(name: &'static str, terminal: &'a Terminal) -> Contender<'a> {
    Contender {
        name,
        calls: 200,
        call: Box::new(|| {
            let envelope = terminal.exec_blocking(LINE);
            ensure!(envelope.exit_code == 0, "{}", envelope.to_json());
            Ok(envelope.stdout.into_bytes())
        }),
        check: Box::new(|output| {
            let text = std::str::from_utf8(output)?;
            ensure!(text.lines().count() == 6 && text.ends_with("lemonhall\n"), "{text}");
            Ok(())
        }),
    }
}

/// What a log costs is measured against this.
pub(super) struct Discards;

impl Sink for Discards {
    fn begin(&self, _intent: &Intent) -> Result<(), SinkError> {
        Ok(())
    }

    fn blob(&self, _sha256: &str, _bytes: &[u8]) -> Result<(), SinkError> {
        Ok(())
    }

    fn append(&self, _record: &mut Record) -> Result<(), SinkError> {
        Ok(())
    }
}

fn spawned_shell() -> Contender<'static> {
    Contender {
        name: "spawn `bash -c true`",
        calls: 10,
        call: Box::new(|| {
            let output =
                Command::new("bash").args(["-c", "true"]).output().context("start bash")?;
            ensure!(output.status.success(), "bash ended with {}", output.status);
            Ok(output.stdout)
        }),
        check: Box::new(|output| {
            ensure!(output.is_empty(), "`bash -c true` said something");
            Ok(())
        }),
    }
}

/// Something that is called over and over.
struct Contender<'a> {
    name: &'static str,
    /// Calls in one round: many for a quick one, so that it settles before others take over.
    calls: usize,
    /// The timed part. What it returns is kept out of the time it takes to drop and to check.
    call: Box<Call<'a>>,
    /// Whether the output of a call is right; a wrong answer is not worth timing.
    check: Box<Check<'a>>,
}

type Call<'a> = dyn FnMut() -> anyhow::Result<Vec<u8>> + 'a;
type Check<'a> = dyn Fn(&[u8]) -> anyhow::Result<()> + 'a;

/// The median time of one call of each contender. A round before the first is not counted.
fn measure(rounds: usize, contenders: &mut [Contender<'_>]) -> anyhow::Result<Vec<Duration>> {
    let mut times = vec![Vec::new(); contenders.len()];
    for round in 0..=rounds {
        for (contender, times) in contenders.iter_mut().zip(&mut times) {
            for _ in 0..contender.calls {
                let start = Instant::now();
                let output = (contender.call)();
                let time = start.elapsed();
                let output = output.with_context(|| format!("call {}", contender.name))?;
                (contender.check)(&output)
                    .with_context(|| format!("check what {} returned", contender.name))?;
                if round > 0 {
                    times.push(time);
                }
            }
        }
    }
    Ok(times.into_iter().map(median).collect())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    fn contender<'a>(name: &'static str, log: &'a RefCell<Vec<&'static str>>) -> Contender<'a> {
        Contender {
            name,
            calls: 1,
            call: Box::new(move || {
                log.borrow_mut().push(name);
                Ok(name.into())
            }),
            check: Box::new(|output| {
                ensure!(output != b"wrong", "not this");
                Ok(())
            }),
        }
    }

    #[test]
    fn leaves_the_first_round_out() {
        let log = RefCell::default();
        let mut cold = true;
        let slow_at_first = Contender {
            call: Box::new(move || {
                if std::mem::take(&mut cold) {
                    std::thread::sleep(Duration::from_millis(200));
                }
                Ok(Vec::new())
            }),
            ..contender("slow at first", &log)
        };
        let medians = measure(1, &mut [slow_at_first]).unwrap();
        assert!(medians[0] < Duration::from_millis(100), "{medians:?}");
    }

    #[test]
    fn takes_turns() {
        let log = RefCell::default();
        let medians = measure(2, &mut [contender("a", &log), contender("b", &log)]).unwrap();
        assert_eq!(medians.len(), 2);
        assert_eq!(*log.borrow(), ["a", "b", "a", "b", "a", "b"]);
    }

    #[test]
    fn a_wrong_output_ends_the_measurement() {
        let log = RefCell::default();
        let error = measure(1, &mut [contender("wrong", &log)]).unwrap_err();
        assert_eq!(format!("{error:#}"), "check what wrong returned: not this");
    }

    #[test]
    fn the_median_is_the_middle_whatever_the_order() {
        let times = [9, 1, 5].map(Duration::from_millis).to_vec();
        assert_eq!(median(times), Duration::from_millis(5));
        assert_eq!(median(Vec::new()), Duration::ZERO);
    }
}

//! Progress on a terminal: one line on stderr that is written over until the run ends.

use std::{
    io::{self, Write as _},
    thread,
};

use tapeline::{Events, Progress, RunEvent};

/// Shows what comes until the run ends, and leaves an empty line.
pub(crate) fn show(mut events: Events) -> thread::JoinHandle<()> {
    const CLEAR_LINE: &str = "\r\u{1b}[K";
    thread::spawn(move || {
        let mut shown = false;
        while let Some(event) = events.next_blocking() {
            match event {
                RunEvent::Progress { progress, .. } => {
                    shown = true;
                    let _ = write!(io::stderr(), "{CLEAR_LINE}{}", line(&progress));
                }
                RunEvent::Finished { .. } => break,
                _ => {}
            }
        }
        if shown {
            let _ = write!(io::stderr(), "{CLEAR_LINE}");
        }
    })
}

/// A bar where the end is known, a count else.
fn line(progress: &Progress) -> String {
    const CELLS: u64 = 30;

    let Progress { done, total, what } = progress;
    let Some(total) = total.filter(|total| *total > 0) else { return format!("{what} {done}") };
    let done = (*done).min(total);
    let part = |of: u64| u128::from(done) * u128::from(of) / u128::from(total);
    let full: String =
        (0..CELLS).map(|cell| if u128::from(cell) < part(CELLS) { '#' } else { '-' }).collect();
    format!("{what} [{full}] {:>3} %  {done}/{total}", part(100))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_fills_up() {
        let check = |done, total, expected: &str| {
            assert_eq!(line(&Progress { done, total, what: "reading".to_owned() }), expected);
        };
        check(7, None, "reading 7");
        check(0, Some(0), "reading 0");
        check(0, Some(4), "reading [------------------------------]   0 %  0/4");
        check(1, Some(2), "reading [###############---------------]  50 %  1/2");
        check(9, Some(3), "reading [##############################] 100 %  3/3");
        check(
            u64::MAX,
            Some(u64::MAX),
            &format!("reading [{}] 100 %  {m}/{m}", "#".repeat(30), m = u64::MAX),
        );
    }
}

//! What is said of a log that was run again, as text for people.

use crate::{
    groups::{Group, Place, Subject},
    log_replay::{Cause, Causes, Promoted, Reason, Reasons, Tally},
};

/// All that there is to say.
pub(super) struct Said<'a> {
    pub(super) tally: &'a Tally,
    pub(super) groups: &'a [Group],
    pub(super) promoted: &'a [Promoted],
    /// What to call next.
    pub(super) next: Vec<String>,
}

impl Said<'_> {
    /// Groups of a kind that people are shown, and of which examples are promoted.
    pub(super) const MOST_SHOWN: usize = 20;
}

/// For people: what was found, then how much of it, then what to do.
pub(super) fn text(said: &Said<'_>) -> String {
    let Said { tally, groups, promoted, next } = said;
    let mut text = String::new();
    changed(tally, groups, &mut text);
    let missing =
        |(subject, missing): &(Subject, String)| (subject.to_string(), Some(missing.clone()));
    let alone = |subject: &Subject| (subject.to_string(), None);
    causes("needs more than the tape holds", &tally.needs_more, &missing, "run", &mut text);
    causes("panicked", &tally.panicked, &alone, "run", &mut text);
    causes("did not end", &tally.stuck, &alone, "run", &mut text);
    reasons("skipped", &tally.skipped, "run", &mut text);
    reasons("broken", &tally.broken, "run", &mut text);
    reasons("no records", &tally.no_records, "line", &mut text);
    for Promoted { name, run_id, refusal } in *promoted {
        text.push_str(&match refusal {
            None => format!("{name}: made of run {run_id}\n"),
            Some(refusal) => format!("{name}: not made of run {run_id}: {refusal}\n"),
        });
    }
    summary(tally, &mut text);
    next.iter().for_each(|line| text.push_str(&format!("{line}\n")));
    text
}

/// Values of a place that people are shown.
const MOST_VALUES: usize = 3;

fn changed(tally: &Tally, groups: &[Group], text: &mut String) {
    if tally.changed == 0 {
        return;
    }
    text.push_str(&format!("changed: {}\n", counted(tally.changed, "run")));
    for Group { subject, places, count, members } in groups.iter().take(Said::MOST_SHOWN) {
        let first = members.first().map_or("", String::as_str);
        let count = counted(*count as u64, "run");
        text.push_str(&format!("  {subject}: {count}, the first {first}\n"));
        places.iter().for_each(|place| changed_place(place, text));
    }
    let more = groups.len().saturating_sub(Said::MOST_SHOWN);
    left_out(more as u64, tally.beyond_groups() as u64, text);
}

fn changed_place(Place { path, values, others }: &Place, text: &mut String) {
    let more = values.iter().skip(MOST_VALUES).map(|(_, count)| count).sum::<usize>() + others;
    match values.as_slice() {
        // The path says it all where a field is called otherwise.
        [(values, _)] if more == 0 => {
            let line = format!("    {path}  {values}");
            text.push_str(&format!("{}\n", line.trim_end()));
        }
        values => {
            text.push_str(&format!("    {path}\n"));
            for (values, count) in values.iter().take(MOST_VALUES) {
                text.push_str(&format!("      {count} × {values}\n"));
            }
            if more > 0 {
                text.push_str(&format!("      {more} × something else\n"));
            }
        }
    }
}

/// `told` gives what a cause is called, and what to say below that.
fn causes<K: Ord>(
    heading: &str,
    causes: &Causes<K>,
    told: &dyn Fn(&K) -> (String, Option<String>),
    of: &str,
    text: &mut String,
) {
    if causes.count == 0 {
        return;
    }
    text.push_str(&format!("{heading}: {}\n", counted(causes.count, of)));
    let ranked = causes.ranked();
    for (cause, Cause { count, example }) in ranked.iter().take(Said::MOST_SHOWN) {
        let (called, below) = told(cause);
        text.push_str(&format!("  {called}: {}, the first {example}\n", counted(*count, of)));
        text.extend(below.map(|below| format!("    {below}\n")));
    }
    let more = ranked.len().saturating_sub(Said::MOST_SHOWN);
    left_out(more as u64, causes.beyond, text);
}

fn reasons(heading: &str, reasons: &Reasons, of: &str, text: &mut String) {
    let told = |kind: &String| {
        let Reason { why, first } = reasons.told(kind);
        (why.to_owned(), first.map(|first| format!("first: {first}")))
    };
    causes(heading, reasons.kinds(), &told, of, text);
}

fn left_out(groups: u64, beyond: u64, text: &mut String) {
    if groups > 0 {
        text.push_str(&format!("  and {} more: see --json\n", counted(groups, "group")));
    }
    if beyond > 0 {
        text.push_str(&format!("  and {beyond} that were too many to be told apart\n"));
    }
}

fn summary(tally: &Tally, text: &mut String) {
    let counts = [
        (tally.changed, "changed"),
        (tally.needs_more.count, "need more than their tapes hold"),
        (tally.panicked.count, "panicked"),
        (tally.stuck.count, "did not end"),
        (tally.skipped.count(), "skipped"),
        (tally.broken.count(), "broken"),
    ];
    text.push_str(&format!("{}: {} the same", counted(tally.records, "run"), tally.same));
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    text.extend(counts.map(|(count, word)| format!(", {count} {word}")));
    text.push('\n');
    if tally.torn > 0 {
        let torn = counted(tally.torn, "line");
        text.push_str(&format!(
            "{torn} torn: a write did not come to its end, which is no damage\n"
        ));
    }
    if tally.gave_up {
        text.push_str("so many runs did not end that the rest of the log was left\n");
    }
    if tally.records == 0 {
        text.push_str("no run is meant: look at the path, `--since` and `--command`\n");
    } else if tally.replayed() == 0 {
        text.push_str("none of them could be run again\n");
    }
}

fn counted(count: u64, word: &str) -> String {
    let many = if count == 1 { "" } else { "s" };
    format!("{count} {word}{many}")
}

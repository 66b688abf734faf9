//! What is said of a log that was run again: text for people, one JSON object for programs.

use serde::Serialize;

use crate::{
    groups::{Group, Place, Subject},
    log_replay::{Cause, Causes, Promoted, Tally},
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
    let why = |why: &String| (why.clone(), None);
    causes("needs more than the tape holds", &tally.needs_more, &missing, "run", &mut text);
    causes("panicked", &tally.panicked, &alone, "run", &mut text);
    causes("did not end", &tally.stuck, &alone, "run", &mut text);
    causes("skipped", &tally.skipped, &why, "run", &mut text);
    causes("broken", &tally.broken, &why, "run", &mut text);
    causes("no records", &tally.no_records, &why, "line", &mut text);
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
        (tally.skipped.count, "skipped"),
        (tally.broken.count, "broken"),
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

#[derive(Serialize)]
struct Report<'a> {
    records: u64,
    same: u64,
    changed: ReportOf<ReportGroup<'a>>,
    needs_more: ReportOf<ReportCause<'a>>,
    panicked: ReportOf<ReportCause<'a>>,
    stuck: ReportOf<ReportCause<'a>>,
    skipped: ReportOf<ReportCause<'a>>,
    broken: ReportOf<ReportCause<'a>>,
    no_records: ReportOf<ReportCause<'a>>,
    torn_lines: u64,
    gave_up: bool,
    promoted: Vec<ReportPromoted<'a>>,
}

/// Records of a kind, by groups.
#[derive(Serialize)]
struct ReportOf<T> {
    records: u64,
    groups: Vec<T>,
    /// What found no group.
    beyond: u64,
}

#[derive(Serialize)]
struct ReportGroup<'a> {
    command: &'a str,
    code: Option<&'a str>,
    records: usize,
    example: Option<&'a str>,
    places: Vec<ReportPlace<'a>>,
}

#[derive(Serialize)]
struct ReportPlace<'a> {
    path: &'a str,
    values: Vec<ReportValues<'a>>,
    others: usize,
}

#[derive(Serialize)]
struct ReportValues<'a> {
    expected: Option<&'a str>,
    actual: Option<&'a str>,
    records: usize,
}

#[derive(Serialize)]
struct ReportCause<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    records: u64,
    example: &'a str,
}

#[derive(Serialize)]
struct ReportPromoted<'a> {
    case: &'a str,
    run_id: &'a str,
    refusal: Option<String>,
}

/// For programs: the same, all groups.
///
/// # Errors
/// A value that JSON cannot hold.
pub(super) fn json(said: &Said<'_>) -> Result<String, serde_json::Error> {
    let Said { tally, groups, promoted, next: _ } = said;
    let promoted = promoted.iter().map(|promoted| ReportPromoted {
        case: promoted.name.as_str(),
        run_id: &promoted.run_id,
        refusal: promoted.refusal.as_ref().map(ToString::to_string),
    });
    serde_json::to_string(&Report {
        records: tally.records,
        same: tally.same,
        changed: ReportOf {
            records: tally.changed,
            groups: groups.iter().map(ReportGroup::of).collect(),
            beyond: tally.beyond_groups() as u64,
        },
        needs_more: ReportOf::of(&tally.needs_more, |(subject, missing)| ReportCause {
            missing: Some(missing),
            ..ReportCause::of(subject)
        }),
        panicked: ReportOf::of(&tally.panicked, ReportCause::of),
        stuck: ReportOf::of(&tally.stuck, ReportCause::of),
        skipped: ReportOf::of(&tally.skipped, |why| ReportCause::because(why)),
        broken: ReportOf::of(&tally.broken, |why| ReportCause::because(why)),
        no_records: ReportOf::of(&tally.no_records, |why| ReportCause::because(why)),
        torn_lines: tally.torn,
        gave_up: tally.gave_up,
        promoted: promoted.collect(),
    })
}

impl<'a> ReportOf<ReportCause<'a>> {
    fn of<K: Ord>(causes: &'a Causes<K>, report: impl Fn(&'a K) -> ReportCause<'a>) -> Self {
        let groups = causes.ranked().into_iter().map(|(cause, Cause { count, example })| {
            ReportCause { records: *count, example, ..report(cause) }
        });
        Self { records: causes.count, groups: groups.collect(), beyond: causes.beyond }
    }
}

impl<'a> ReportCause<'a> {
    const NONE: Self =
        Self { command: None, code: None, missing: None, why: None, records: 0, example: "" };

    fn of(subject: &'a Subject) -> Self {
        Self { command: Some(&subject.command), code: subject.code.as_deref(), ..Self::NONE }
    }

    fn because(why: &'a str) -> Self {
        Self { why: Some(why), ..Self::NONE }
    }
}

impl<'a> ReportGroup<'a> {
    fn of(group: &'a Group) -> Self {
        Self {
            command: &group.subject.command,
            code: group.subject.code.as_deref(),
            records: group.count,
            example: group.members.first().map(String::as_str),
            places: group.places.iter().map(ReportPlace::of).collect(),
        }
    }
}

impl<'a> ReportPlace<'a> {
    fn of(place: &'a Place) -> Self {
        let values = place.values.iter().map(|(values, count)| ReportValues {
            expected: values.expected.as_deref(),
            actual: values.actual.as_deref(),
            records: *count,
        });
        Self { path: &place.path, values: values.collect(), others: place.others }
    }
}

//! What is said of a log that was run again, as one JSON object for programs.

use serde::Serialize;

use super::log_said::Said;
use crate::{
    groups::{Group, Place, Subject},
    log_replay::{Cause, Causes, Reason, Reasons},
};

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
    /// Of reasons that differ in names or numbers the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_why: Option<&'a str>,
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
        skipped: ReportOf::reasons(&tally.skipped),
        broken: ReportOf::reasons(&tally.broken),
        no_records: ReportOf::reasons(&tally.no_records),
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

    fn reasons(reasons: &'a Reasons) -> Self {
        Self::of(reasons.kinds(), |kind| {
            let Reason { why, first } = reasons.told(kind);
            ReportCause { why: Some(why), first_why: first, ..ReportCause::NONE }
        })
    }
}

impl<'a> ReportCause<'a> {
    const NONE: Self = Self {
        command: None,
        code: None,
        missing: None,
        why: None,
        first_why: None,
        records: 0,
        example: "",
    };

    fn of(subject: &'a Subject) -> Self {
        Self { command: Some(&subject.command), code: subject.code.as_deref(), ..Self::NONE }
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

//! [`Groups`]: what changed alike in many cases or runs, told once.

use std::{
    collections::{BTreeMap, btree_map::Entry, hash_map::DefaultHasher},
    fmt,
    hash::{Hash, Hasher},
};

use similar::{ChangeTag, TextDiff};
use tapeline::scrub::sweep;

use crate::{Difference, Json};

/// A value is shown up to so many characters.
const MOST_SHOWN: usize = 120;
/// Pairs of values that a place keeps apart.
const MOST_VALUES: usize = 20;
/// Places that are kept apart: names of fields may be data.
const MOST_PLACES: usize = 2000;

/// Said of a group before the places where some of its cases differ besides.
pub(crate) const SETTLED_WHOLE: &str =
    "a case is settled whole, and some of these differ elsewhere, too:";

/// Differences, gathered by what they are of and where they are. However many are added, it keeps
/// a bounded part of them.
#[derive(Clone, Debug)]
pub(crate) struct Groups {
    most_members: usize,
    places: BTreeMap<(Subject, String), Gathered>,
    /// Differences that found no place left.
    pub(crate) beyond: usize,
}

/// What a difference is of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Subject {
    /// The path of a command: `exchange-rate latest`; empty where the line named none.
    pub(crate) command: String,
    /// The error it was to end in, where that tells groups apart.
    pub(crate) code: Option<String>,
}

/// One cause, as far as can be seen: places of a subject that differ in the very same members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) subject: Subject,
    /// In order of their paths; at least one.
    pub(crate) places: Vec<Place>,
    /// How many cases or runs differ there.
    pub(crate) count: usize,
    /// Their names in the order added; the first of them where they are many.
    pub(crate) members: Vec<String>,
}

/// Where they differ, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// JSON Pointer with `*` for places in arrays: `/result/items/*/title`. Of a field that is
    /// called otherwise: `/result/items/*/{title → name}`.
    pub(crate) path: String,
    /// What became of what, most frequent first.
    pub(crate) values: Vec<(Values, usize)>,
    /// Members whose values are none of these.
    pub(crate) others: usize,
}

/// What was expected and what came, short; of texts of several lines those that differ.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Values {
    pub(crate) expected: Option<String>,
    pub(crate) actual: Option<String>,
}

/// All that differs in a case or run, by places, short: what is left of it in [`Groups`].
#[derive(Clone, Debug)]
pub(crate) struct Alike(BTreeMap<String, Values>);

impl Alike {
    pub(crate) fn of(differences: &[Difference]) -> Self {
        let mut places = BTreeMap::new();
        for (path, values) in alike(differences) {
            // The first of an array stands for all of it.
            places.entry(path).or_insert(values);
        }
        Self(places)
    }
}

#[derive(Clone, Debug, Default)]
struct Gathered {
    count: usize,
    /// Of the names of all members, in whatever order.
    signature: u64,
    members: Vec<String>,
    values: BTreeMap<Values, usize>,
    others: usize,
}

impl Groups {
    /// Keeps the names of so many members of each group.
    pub(crate) fn new(most_members: usize) -> Self {
        Self { most_members, places: BTreeMap::new(), beyond: 0 }
    }

    /// Adds all that differs in a case or run. A name is added once.
    pub(crate) fn add(&mut self, name: &str, subject: &Subject, differences: &[Difference]) {
        self.add_alike(name, subject, Alike::of(differences));
    }

    /// As [`add`](Self::add), with what was made of the differences elsewhere.
    pub(crate) fn add_alike(&mut self, name: &str, subject: &Subject, Alike(places): Alike) {
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        let signature = hasher.finish();
        for (path, values) in places {
            let key = (subject.clone(), path);
            if self.places.len() >= MOST_PLACES && !self.places.contains_key(&key) {
                self.beyond += 1;
                continue;
            }
            let gathered = self.places.entry(key).or_default();
            gathered.count += 1;
            gathered.signature = gathered.signature.wrapping_add(signature);
            if gathered.members.len() < self.most_members {
                gathered.members.push(name.to_owned());
            }
            let has_room = gathered.values.len() < MOST_VALUES;
            match gathered.values.entry(values) {
                Entry::Occupied(mut counted) => *counted.get_mut() += 1,
                Entry::Vacant(new) if has_room => drop(new.insert(1)),
                Entry::Vacant(_) => gathered.others += 1,
            }
        }
    }

    /// The places of what is one's own, and the other paths, with how many members differ there.
    pub(crate) fn split(self, is_own: &dyn Fn(&str) -> bool) -> (Vec<Place>, Vec<(String, usize)>) {
        let (mut own, mut elsewhere) = (Vec::new(), Vec::new());
        for Group { places, count, .. } in self.finish() {
            for place in places {
                match is_own(&place.path) {
                    true => own.push(place),
                    false => elsewhere.push((place.path, count)),
                }
            }
        }
        (own, elsewhere)
    }

    /// The largest group first.
    pub(crate) fn finish(self) -> Vec<Group> {
        let mut groups: BTreeMap<(Subject, usize, u64), Group> = BTreeMap::new();
        for ((subject, path), gathered) in self.places {
            let Gathered { count, signature, members, values, others } = gathered;
            let mut values: Vec<_> = values.into_iter().collect();
            values.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
            let group = groups.entry((subject.clone(), count, signature)).or_insert(Group {
                subject,
                places: Vec::new(),
                count,
                members,
            });
            group.places.push(Place { path, values, others });
        }
        let mut groups: Vec<Group> = groups.into_values().collect();
        groups.sort_by(|one, other| {
            let first = |group: &Group| group.places.first().map(|place| place.path.clone());
            (other.count, &one.subject, first(one)).cmp(&(one.count, &other.subject, first(other)))
        });
        groups
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.command.as_str() {
            "" => formatter.write_str("(no command)")?,
            command => formatter.write_str(command)?,
        }
        match &self.code {
            Some(code) => write!(formatter, ", {code}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Values {
    /// `161 → 162`; `+ 162` for what was not there, `- 161` for what is gone. A line that would
    /// not be seen whole stands between quotes.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |text: &String| match text.is_empty() || text.trim() != text {
            true => format!("\"{text}\""),
            false => text.clone(),
        };
        match (self.expected.as_ref().map(shown), self.actual.as_ref().map(shown)) {
            (Some(expected), Some(actual)) => write!(formatter, "{expected} → {actual}"),
            (Some(expected), None) => write!(formatter, "- {expected}"),
            (None, Some(actual)) => write!(formatter, "+ {actual}"),
            (None, None) => Ok(()),
        }
    }
}

/// The places of differences, with those that are one: a field that is called otherwise.
fn alike(differences: &[Difference]) -> Vec<(String, Values)> {
    let mut came: Vec<&Difference> =
        differences.iter().filter(|difference| difference.expected.is_none()).collect();
    let mut found = Vec::new();
    for difference in differences.iter().filter(|difference| difference.expected.is_some()) {
        let is_its = |other: &&Difference| {
            difference.actual.is_none()
                && other.actual == difference.expected
                && parent(&other.path).0 == parent(&difference.path).0
        };
        let renamed = came.iter().position(is_its).map(|place| came.remove(place));
        found.push(match renamed {
            Some(other) => {
                let (above, name) = parent(&difference.path);
                let path = format!("{}/{{{name} → {}}}", starred(above), parent(&other.path).1);
                (path, Values { expected: None, actual: None })
            }
            None => (starred(&difference.path), Values::of(difference)),
        });
    }
    found.extend(came.into_iter().map(|other| (starred(&other.path), Values::of(other))));
    found
}

/// A pointer's last name, and the pointer before it.
fn parent(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// A pointer with `*` in place of numbers.
fn starred(path: &str) -> String {
    let is_number =
        |name: &str| !name.is_empty() && name.bytes().all(|digit| digit.is_ascii_digit());
    let names = path.split('/').map(|name| if is_number(name) { "*" } else { name });
    sweep(&names.collect::<Vec<_>>().join("/")).into_owned()
}

impl Values {
    fn of(difference: &Difference) -> Self {
        let [expected, actual] =
            [&difference.expected, &difference.actual].map(|json| json.as_ref().map(Json::swept));
        let (expected, actual) = match (expected, actual) {
            (Some(Json::Text(expected)), Some(Json::Text(actual)))
                if expected.contains('\n') || actual.contains('\n') =>
            {
                changed_lines(&expected, &actual)
            }
            (expected, actual) => {
                let shown = |json: Json| json.to_string();
                (expected.map(shown), actual.map(shown))
            }
        };
        let shown = |text: String| short(&text, MOST_SHOWN);
        Self { expected: expected.map(shown), actual: actual.map(shown) }
    }
}

/// The lines that are gone and those that came; the first of each.
fn changed_lines(expected: &str, actual: &str) -> (Option<String>, Option<String>) {
    let diff = TextDiff::from_lines(expected, actual);
    let first = |tag| {
        let line = diff.iter_all_changes().find(|change| change.tag() == tag)?;
        Some(line.value().trim_end_matches('\n').to_owned())
    };
    (first(ChangeTag::Delete), first(ChangeTag::Insert))
}

/// The beginning of a text, so many characters.
pub(crate) fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff;

    fn subject(command: &str) -> Subject {
        Subject { command: command.to_owned(), code: None }
    }

    /// Groups of cases, each given by a name, a command, what was expected and what came.
    fn grouped(cases: &[(&str, &str, &str, &str)]) -> Vec<String> {
        let mut groups = Groups::new(10);
        for (name, command, expected, actual) in cases {
            let [expected, actual] = [expected, actual].map(|json| Json::parse(json).unwrap());
            groups.add(name, &subject(command), &diff(&expected, &actual));
        }
        let shown = |group: &Group| {
            let places = group.places.iter().map(|place| {
                let values =
                    place.values.iter().map(|(values, count)| format!("{values} x{count}"));
                format!("{}: {}", place.path, values.collect::<Vec<_>>().join("; "))
            });
            let places = places.collect::<Vec<_>>().join(" | ");
            format!("{} {} {:?} {places}", group.count, group.subject, group.members)
        };
        groups.finish().iter().map(shown).collect()
    }

    #[test]
    fn what_changed_alike_is_one_group() {
        let groups = grouped(&[
            ("a/1", "latest", r#"{"total":161}"#, r#"{"total":162}"#),
            ("a/2", "latest", r#"{"total":161}"#, r#"{"total":162}"#),
            ("a/3", "latest", r#"{"total":7}"#, r#"{"total":8}"#),
            ("b/1", "convert", r#"{"total":161}"#, r#"{"total":162}"#),
        ]);
        assert_eq!(
            groups,
            [
                r#"3 latest ["a/1", "a/2", "a/3"] /total: 161 → 162 x2; 7 → 8 x1"#,
                r#"1 convert ["b/1"] /total: 161 → 162 x1"#,
            ]
        );
    }

    #[test]
    fn places_that_differ_in_the_same_cases_are_one_group() {
        let (both, one) = (r#"{"a":1,"b":1}"#, r#"{"a":2,"b":2}"#);
        let groups = grouped(&[("x", "c", both, one), ("y", "c", both, one)]);
        assert_eq!(groups, [r#"2 c ["x", "y"] /a: 1 → 2 x2 | /b: 1 → 2 x2"#]);
        let only_a = r#"{"a":2,"b":1}"#;
        let groups = grouped(&[("x", "c", both, one), ("y", "c", both, only_a)]);
        assert_eq!(groups, [r#"2 c ["x", "y"] /a: 1 → 2 x2"#, r#"1 c ["x"] /b: 1 → 2 x1"#]);
    }

    #[test]
    fn a_field_that_is_called_otherwise_is_one_place() {
        let rows = |name: &str| format!(r#"{{"rows":[{{"{name}":1}},{{"{name}":2}}],"n":2}}"#);
        let groups = grouped(&[("x", "c", &rows("rate"), &rows("value"))]);
        assert_eq!(groups, [r#"1 c ["x"] /rows/*/{rate → value}:  x1"#]);
    }

    #[test]
    fn texts_are_told_by_their_first_changed_lines() {
        let text = |line: &str| format!(r#"{{"stdout":"1 CNY\n  {line}\n  USD\n"}}"#);
        let groups = grouped(&[("x", "c", &text("code"), &text("name"))]);
        assert_eq!(groups, [r#"1 c ["x"] /stdout: "  code" → "  name" x1"#]);
    }

    #[test]
    fn however_much_is_added_little_is_kept() {
        let mut groups = Groups::new(3);
        let [nothing, long] = ["{}", r#"{"a":1}"#].map(|json| Json::parse(json).unwrap());
        for number in 0..5000 {
            let one = Json::parse(&format!(r#"{{"name{number}":{number}}}"#)).unwrap();
            groups.add(&number.to_string(), &subject("c"), &diff(&nothing, &one));
            groups.add(&format!("b{number}"), &subject("b"), &diff(&nothing, &long));
        }
        assert_eq!(groups.beyond, 5000 - 1999);
        let groups = groups.finish();
        assert_eq!(groups.len(), 2000);
        assert_eq!((groups[0].count, groups[0].members.len()), (5000, 3));
    }
}

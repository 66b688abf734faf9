//! [`examples`]: a run of each group, and [`promote_examples`], which makes cases of them.

use std::{collections::BTreeSet, path::Path};

use crate::{
    CaseName, InvalidCaseName, Kit, Log,
    groups::{Group, Subject},
    log_replay::Tally,
    promote::{Expects, Refusal, promote},
};

/// The first run of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Example {
    pub(crate) run_id: String,
    /// What its group is, in lower-case letters, digits and hyphens.
    pub(crate) slug: String,
}

/// What became of an example.
#[derive(Debug)]
pub(crate) struct Promoted {
    pub(crate) name: CaseName,
    pub(crate) run_id: String,
    /// Why it is no case.
    pub(crate) refusal: Option<Refusal>,
}

/// A run of each group that this build answers otherwise, of the largest so many of each kind. A
/// run that stands for several comes once.
pub(crate) fn examples(groups: &[Group], tally: &Tally, most: usize) -> Vec<Example> {
    let example = |run_id: &str, subject: &Subject, what: &str| Example {
        run_id: run_id.to_owned(),
        slug: slug(&format!("{} {what}", subject.command)),
    };
    let changed = groups.iter().take(most).filter_map(|group| {
        let place = group.places.first()?;
        Some(example(group.members.first()?, &group.subject, &place.path))
    });
    let needs_more = tally.needs_more.ranked().into_iter().take(most);
    let needs_more = needs_more.map(|((subject, missing), cause)| {
        example(&cause.example, subject, &format!("needs {missing}"))
    });
    let panicked = tally.panicked.ranked().into_iter().take(most);
    let panicked = panicked.map(|(subject, cause)| example(&cause.example, subject, "panics"));
    let mut seen = BTreeSet::new();
    let mut examples: Vec<Example> = changed.chain(needs_more).chain(panicked).collect();
    examples.retain(|example| seen.insert(example.run_id.clone()));
    examples
}

/// Makes a case of each example, in that group of cases. Each expects what was recorded, so that it
/// differs as the run did.
///
/// # Errors
/// The group has no name that one can have.
pub(crate) fn promote_examples(
    kit: &Kit,
    golden: &Path,
    log: &Log,
    group: &str,
    examples: &[Example],
) -> Result<Vec<Promoted>, InvalidCaseName> {
    let mut taken = BTreeSet::new();
    let mut promoted = Vec::new();
    for Example { run_id, slug } in examples {
        // Of groups that are called alike the second is `…-2`.
        let slug = (1..)
            .map(|number| if number == 1 { slug.clone() } else { format!("{slug}-{number}") })
            .find(|slug| taken.insert(slug.clone()))
            .unwrap_or_default();
        let name: CaseName = format!("{group}/{slug}").parse()?;
        let made = promote(kit, golden, log, run_id, &name, None, Expects::Recorded);
        promoted.push(Promoted { name, run_id: run_id.clone(), refusal: made.err() });
    }
    Ok(promoted)
}

fn slug(text: &str) -> String {
    const LONGEST: usize = 80;

    let mut slug = String::new();
    for character in text.chars() {
        match character.to_ascii_lowercase() {
            plain if plain.is_ascii_lowercase() || plain.is_ascii_digit() => slug.push(plain),
            _ if slug.is_empty() || slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
    }
    slug.truncate(LONGEST);
    slug.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_part_of_a_case_name_whatever_the_text() {
        for (text, slugged) in [
            ("exchange-rate latest /result/rates/*/rate", "exchange-rate-latest-result-rates-rate"),
            (" needs file `.agents/Ü.txt`", "needs-file-agents-txt"),
        ] {
            assert_eq!(slug(text), slugged);
        }
        let long = slug(&"wörter ".repeat(50));
        assert!(format!("group/{long}").parse::<CaseName>().is_ok(), "{long}");
    }
}

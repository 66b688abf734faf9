//! [`words`]: cases, as the words of a line that means them and no others.

use std::collections::{BTreeMap, BTreeSet};

use super::model::AllPending;
use crate::CaseName;

/// Of more words nobody reads a line.
const MOST_WORDS: usize = 50;

/// What to give `accept` so that it takes these of all that waits: `'*'` where that is all there can
/// be, else their names, else the names of their groups as far as nothing else of these waits;
/// `None` where that is too long a line.
pub(super) fn words(names: &BTreeSet<&CaseName>, pending: &AllPending) -> Option<String> {
    let AllPending { names: all, is_all } = pending;
    if *is_all && names.len() > 1 && all.len() == names.len() {
        return Some("'*'".to_owned());
    }
    let mut words: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
    if words.len() > MOST_WORDS {
        let mut of_groups: BTreeMap<&str, usize> = BTreeMap::new();
        for name in all {
            *of_groups.entry(name.group()).or_default() += 1;
        }
        for name in names {
            *of_groups.entry(name.group()).or_default() -= usize::from(all.contains(*name));
        }
        for word in &mut words {
            let group = word.split_once('/').map_or(*word, |(group, _)| group);
            if of_groups.get(group) == Some(&0) {
                *word = group;
            }
        }
        words.dedup();
    }
    (words.len() <= MOST_WORDS).then(|| words.join(" "))
}

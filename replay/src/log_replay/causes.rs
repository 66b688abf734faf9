//! [`Causes`]: the same reason in many records, told once.

use std::{cmp::Reverse, collections::BTreeMap};

/// Causes that are kept apart: names of files and servers may be part of one.
const MOST_CAUSES: usize = 1000;

/// Reasons, each with how many have it and the first that has. However many are added, it keeps a
/// bounded part of them.
#[derive(Clone, Debug)]
pub(crate) struct Causes<K> {
    causes: BTreeMap<K, Cause>,
    /// All that were added.
    pub(crate) count: u64,
    /// Those whose cause found no place left.
    pub(crate) beyond: u64,
}

/// How often, and an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cause {
    pub(crate) count: u64,
    /// The first that was added.
    pub(crate) example: String,
}

impl<K> Default for Causes<K> {
    fn default() -> Self {
        Self { causes: BTreeMap::new(), count: 0, beyond: 0 }
    }
}

impl<K: Ord> Causes<K> {
    pub(crate) fn add(&mut self, cause: K, example: &str) {
        self.count += 1;
        let has_room = self.causes.len() < MOST_CAUSES;
        match self.causes.get_mut(&cause) {
            Some(known) => known.count += 1,
            None if has_room => {
                self.causes.insert(cause, Cause { count: 1, example: example.to_owned() });
            }
            None => self.beyond += 1,
        }
    }

    /// Whether it found a place.
    pub(crate) fn holds(&self, cause: &K) -> bool {
        self.causes.contains_key(cause)
    }

    /// The most frequent first.
    pub(crate) fn ranked(&self) -> Vec<(&K, &Cause)> {
        let mut ranked: Vec<_> = self.causes.iter().collect();
        ranked.sort_by_key(|(_, cause)| Reverse(cause.count));
        ranked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_each_is_its_example_and_the_most_frequent_comes_first() {
        let mut causes = Causes::default();
        for (cause, example) in [("b", "1"), ("a", "2"), ("c", "3"), ("c", "4")] {
            causes.add(cause, example);
        }
        let told = |(cause, Cause { count, example }): &(&&str, &Cause)| {
            format!("{cause} {count} {example}")
        };
        let told: Vec<String> = causes.ranked().iter().map(told).collect();
        assert_eq!(told, ["c 2 3", "a 1 2", "b 1 1"]);
        assert_eq!((causes.count, causes.beyond), (4, 0));
    }

    #[test]
    fn however_many_are_added_few_are_kept() {
        let mut causes = Causes::default();
        for number in 0..3000 {
            causes.add(number, "");
            causes.add(7, "");
        }
        assert_eq!((causes.count, causes.beyond), (6000, 2000));
        assert_eq!(causes.ranked().len(), 1000);
        assert_eq!(causes.ranked()[0].1.count, 3001);
    }
}

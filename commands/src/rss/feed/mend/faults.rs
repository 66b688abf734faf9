//! How often each kind of fault was mended.

use super::super::Warning;

#[derive(Debug, Default)]
pub(super) struct Faults {
    /// Characters before the root that are no white space.
    pub(super) before_root: usize,
    /// Control characters, and references to such.
    pub(super) controls: usize,
    pub(super) bare_ampersands: usize,
    pub(super) undeclared_entities: usize,
    /// The first entity that is used and is made of others. Nothing is expanded twice, so that a
    /// small text stays small, and nobody but an attacker does that.
    pub(super) nested_entity: Option<String>,
    /// Tags that were no XML, and `<` that begin no tag.
    pub(super) broken_tags: usize,
    /// Elements without an end, and ends without an element.
    pub(super) unclosed: usize,
}

impl Faults {
    pub(super) fn warn(&self, warnings: &mut Vec<Warning>) {
        let kinds = [
            ("BytesBeforeProlog", self.before_root, "characters dropped before the feed"),
            (
                "ControlCharacters",
                self.controls,
                "control characters taken out or read as windows-1252",
            ),
            ("BareAmpersands", self.bare_ampersands, "bare `&` read as `&amp;`"),
            (
                "UndeclaredEntities",
                self.undeclared_entities,
                "entities that XML does not know, replaced or left as text",
            ),
            ("BrokenTags", self.broken_tags, "broken tags mended or read as text"),
            ("UnclosedElements", self.unclosed, "elements not closed, or closed and never begun"),
        ];
        for (code, count, what) in kinds {
            if count > 0 {
                warnings.push(Warning { code, message: format!("{what}: {count}") });
            }
        }
    }
}

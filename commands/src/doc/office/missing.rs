//! [`missing`]: parts that a document refers to, and that are not in its package; and whether a part
//! refers to others at all, so that the list of those is missed.

use std::collections::BTreeSet;

use memchr::memmem;
use office_oxide::core::{
    opc::PartName,
    relationships::{Relationships, TargetMode},
};

/// What holds words, or says how they are shown.
const KINDS: [&str; 12] = [
    "chart",
    "comments",
    "diagramData",
    "endnotes",
    "footer",
    "footnotes",
    "header",
    "notesSlide",
    "numbering",
    "slide",
    "slideLayout",
    "slideMaster",
];

/// The paths that a list of relations, a part itself, leads to, and that are none of `there`, in
/// lower case.
pub(super) fn missing(list: &str, content: &[u8], there: &BTreeSet<String>) -> Vec<String> {
    let Some(source) = source_of(list) else { return Vec::new() };
    let Ok(relations) = Relationships::parse(content) else { return Vec::new() };
    let is_meant = |kind: &str| KINDS.contains(&kind.rsplit('/').next().unwrap_or_default());
    let inside = relations
        .all()
        .iter()
        .filter(|found| found.target_mode == TargetMode::Internal && is_meant(&found.rel_type));
    let parts = inside.filter_map(|found| source.resolve_relative(&found.target).ok());
    let is_there = |part: &PartName| {
        there.contains(&part.as_str().trim_start_matches('/').to_ascii_lowercase())
    };
    parts.filter(|part| !is_there(part)).map(|part| part.as_str().to_owned()).collect()
}

/// The part that a list of relations belongs to.
fn source_of(list: &str) -> Option<PartName> {
    let (folder, file) = list.trim_start_matches('/').rsplit_once("_rels/")?;
    let file = file.strip_suffix(".rels").filter(|file| !file.is_empty())?;
    PartName::new(&format!("/{folder}{file}")).ok()
}

/// Whether a part refers to others, by the ids in its list of relations. An empty id leads nowhere,
/// and is usual on slides.
pub(super) fn refers(part: &[u8]) -> bool {
    const ID: &[u8] = b" r:id=";

    memmem::find_iter(part, ID).any(|at| {
        let value = part.get(at + ID.len()..).unwrap_or_default();
        matches!(value, [quote @ (b'"' | b'\''), first, ..] if first != quote)
    })
}

/// The list of relations that belongs to a part.
pub(super) fn list_of(part: &str) -> String {
    let part = part.trim_start_matches('/');
    let (folder, file) = part.split_at(part.rfind('/').map_or(0, |at| at + 1));
    format!("{folder}_rels/{file}.rels")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_holds_words_is_missed() {
        let relation = |kind: &str, target: &str| {
            format!("<Relationship Id=\"{target}\" Type=\"http://x/{kind}\" Target=\"{target}\"/>")
        };
        let list = [
            relation("footnotes", "footnotes.xml"),
            relation("header", "/word/HEADER1.xml"),
            relation("image", "media/1.png"),
            relation("footer", "../footer.xml"),
        ];
        let schema = "http://schemas.openxmlformats.org/package/2006/relationships";
        let list = format!("<Relationships xmlns=\"{schema}\">{}</Relationships>", list.concat());
        let there = BTreeSet::from(["word/header1.xml".to_owned()]);
        let found = missing("word/_rels/document.xml.rels", list.as_bytes(), &there);
        assert_eq!(found, ["/word/footnotes.xml", "/footer.xml"]);
        assert_eq!(missing("_rels/.rels", list.as_bytes(), &there), [""; 0]);
    }
}

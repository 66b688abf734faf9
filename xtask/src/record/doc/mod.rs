//! Scenarios of `doc` and `table`. Their documents are made from text that stands in
//! `commands/tests/doc/documents.rs`; only those that unpack to too much are compressed.

mod errors;
mod formats;
mod limits;
mod tables;
mod warnings;

#[allow(
    dead_code,
    clippy::cast_possible_truncation,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "it is a part of tests, which use more of it"
)]
#[path = "../../../../commands/tests/doc/documents.rs"]
pub(crate) mod documents;

use super::scenario::Scenario;

pub(super) fn scenarios() -> Vec<Scenario> {
    let groups = [
        formats::scenarios(),
        warnings::scenarios(),
        errors::scenarios(),
        limits::scenarios(),
        tables::scenarios(),
    ];
    groups.into_iter().flatten().collect()
}

fn scenario(case: &str, title: &'static str) -> Scenario {
    Scenario::new("doc", case, title)
}

/// A document of one paragraph.
fn note() -> Vec<u8> {
    documents::docx(&documents::paragraph("All is well."))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::cargo::workspace_root;

    #[test]
    fn the_sample_is_the_report_of_the_cases() {
        let sample = fs::read(workspace_root().join("docs/samples/report.docx")).unwrap();
        // Made by nobody's hand: `cargo xtask record doc/docx-as-markdown --again` leaves it in the case.
        assert!(sample == documents::report(), "docs/samples/report.docx is another document");
    }
}

//! [`Warning`]: what a caller should know of text that stands all the same.

use std::fmt;

use serde::Serialize;

/// One element of `result.warnings`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// Stable; see [`Code`].
    pub code: Code,
    /// For people.
    pub message: String,
    /// The page, slide, sheet or part it is about.
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

/// Stable codes of warnings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub enum Code {
    /// The text was cut at `--max-chars`.
    Truncated,
    /// More than 5,000 pages: the others are not read.
    PageLimit,
    /// Pages without text: pictures of text, most likely.
    ScannedPages,
    /// Fonts that do not say which characters their glyphs are: the text may be wrong.
    UnmappedGlyphs,
    /// A sheet that is not shown; its text is given.
    HiddenSheet,
    /// A formula that was never computed: its cell is empty here.
    FormulaWithoutValue,
    /// The document has macros. They are neither run nor read.
    MacrosIgnored,
    /// Another document inside this one, which is not read.
    EmbeddedObject,
    /// A part that cannot be read; the others are given.
    DamagedPart,
    /// A document type declaration or an entity, which is not followed.
    ExternalEntityIgnored,
    /// `table to-csv`: an integer over 2^53, which programs that compute in doubles change.
    LargeInteger,
    /// `table to-csv`: a text cell that begins as a formula does, which spreadsheets would compute.
    FormulaLikeText,
}

impl Warning {
    pub(super) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), place: None }
    }

    pub(super) fn at(mut self, place: impl Into<String>) -> Self {
        self.place = Some(place.into());
        self
    }
}

impl fmt::Display for Warning {
    /// The message, and the place where the message does not name it.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)?;
        match self.place.as_deref().filter(|place| !self.message.contains(*place)) {
            Some(place) => write!(formatter, " ({place})"),
            None => Ok(()),
        }
    }
}

//! What `doc extract` and `doc ocr` say alike of a text: [`Status`] and [`say`].

use serde::Serialize;
use tapeline::Context;

/// Whether there was text, and whether that is all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    Extracted,
    Truncated,
    Empty,
}

impl Status {
    pub(super) fn of(chars: usize, is_cut: bool) -> Self {
        match chars {
            _ if is_cut => Self::Truncated,
            0 => Self::Empty,
            _ => Self::Extracted,
        }
    }
}

/// A summary of one line, and where the text is or, in no file, the text of `chars` characters.
pub(super) fn say(door: &Context, summary: &str, out: Option<&str>, chars: usize, text: &str) {
    let stdout = door.stdout();
    stdout.line(summary);
    match out {
        Some(out) => stdout.line(&format!("the text is in {out}")),
        None if chars > 0 => {
            stdout.line("");
            stdout.text(text);
        }
        None => {}
    }
}

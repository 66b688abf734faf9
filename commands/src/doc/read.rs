//! [`extract`]: from a document's bytes to its text.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::Serialize;
use tapeline::{ErrorCode, Failure};

use super::{
    block::{Sink, Stop},
    docx,
    extraction::{Finished, Mode, Text},
    format::{Format, unreadable},
    pdf, pptx, sheets,
    warning::{Code, Warning},
};

/// The stack that [`extract`] takes at most: readers recurse as deep as a document is nested.
pub const STACK_BYTES: usize = 64 << 20;

/// What is wanted of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// What the document has to be; `None` for what its bytes say.
    pub format: Option<Format>,
    /// How its text is written down.
    pub mode: Mode,
    /// So many Unicode scalar values at most, from 1.
    pub max_chars: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { format: None, mode: Mode::Md, max_chars: 200_000 }
    }
}

/// A document's text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Extraction {
    /// What the document is.
    pub format: Format,
    /// The text, by [`Options::mode`].
    pub text: String,
    /// Unicode scalar values of the text. Those of a JSON object are of the strings in its blocks.
    pub extracted_chars: usize,
    /// There is more in the document.
    pub truncated: bool,
    /// How long the document is.
    pub count: Count,
    /// What the caller should know.
    pub warnings: Vec<Warning>,
}

/// How long a document is: the one of these that its format counts in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Count {
    /// Of a PDF; those beyond 5,000 are counted and not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<u32>,
    /// Of a text, with those in the cells of tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paragraphs: Option<u32>,
    /// Of a presentation, hidden ones too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slides: Option<u32>,
    /// Of a workbook, hidden ones too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sheets: Option<u32>,
}

/// Reads a document. `go_on` is told how far the reader is, in pages, slides, paragraphs or bytes,
/// and ends it with `false`.
///
/// Readers recurse: call it on a thread with a stack of [`STACK_BYTES`]. Nothing but the bytes
/// decides what comes out.
///
/// ```
/// use tapeline::ErrorCode;
/// use tapeline_commands::doc::{Options, extract};
///
/// let failure = extract(b"no document", &Options::default(), |_, _| true).unwrap_err();
/// assert_eq!(failure.code(), ErrorCode::PARSE_ERROR);
/// ```
///
/// # Errors
/// `InvalidArgs` where the document is another one than [`Options::format`]; `NotSupported`,
/// `Encrypted`, `LimitExceeded`, `ParseError`; `Cancelled` when `go_on` said so.
pub fn extract(
    bytes: &[u8],
    options: &Options,
    mut go_on: impl FnMut(u64, Option<u64>) -> bool,
) -> Result<Extraction, Failure> {
    let format = Format::of(bytes)?;
    if let Some(named) = options.format.filter(|named| *named != format) {
        let (named, found) = (named.name(), format.name());
        let message = format!("the document is no {named}: its bytes are those of a {found}");
        return Err(Failure::new(ErrorCode::INVALID_ARGS, message)
            .hint("leave `--format` away: the bytes decide"));
    }
    let mut watch = |done, total| match go_on(done, total) {
        true => Ok(()),
        false => Err(Stop::Cancelled),
    };
    let mut text = Text::new(options.mode, options.max_chars, &mut watch);
    let read = catch_unwind(AssertUnwindSafe(|| read(bytes, format, &mut text)))
        // Other people's code, at work on a stranger's file: no fault of the run's.
        .unwrap_or_else(|_| Err(unreadable("its reader gave up on it").into()));
    match read {
        Ok(()) => {}
        Err(Stop::Full) => text.mark_cut(),
        Err(Stop::Cancelled) => {
            return Err(Failure::new(ErrorCode::CANCELLED, "the reading was stopped"));
        }
        Err(Stop::Failed(failure)) => return Err(failure),
    }
    let Finished { text, chars, is_cut, count, warnings } = text.finish(format.name());
    let is_short = warnings.iter().any(|warning| warning.code == Code::PageLimit);
    Ok(Extraction {
        format,
        text,
        extracted_chars: chars,
        truncated: is_cut || is_short,
        count: Count::of(format, count),
        warnings,
    })
}

/// # Errors
/// [`Stop`], whatever it was that stopped the reader.
fn read(bytes: &[u8], format: Format, sink: &mut dyn Sink) -> Result<(), Stop> {
    match format {
        Format::Pdf => pdf::read(bytes, sink),
        Format::Docx => docx::read(bytes, sink),
        Format::Pptx => pptx::read(bytes, sink),
        Format::Xlsx => sheets::read(bytes, sink),
    }
}

impl Count {
    fn of(format: Format, count: u32) -> Self {
        let count = Some(count);
        match format {
            Format::Pdf => Self { pages: count, ..Self::default() },
            Format::Docx => Self { paragraphs: count, ..Self::default() },
            Format::Pptx => Self { slides: count, ..Self::default() },
            Format::Xlsx => Self { sheets: count, ..Self::default() },
        }
    }
}

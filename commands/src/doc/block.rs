//! [`Block`], [`Sink`] and [`Watch`]: what readers give, and whom they give it to.

use tapeline::Failure;

use super::{markdown, warning::Warning};

/// A paragraph, heading, table …, in reading order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) kind: Kind,
    pub(super) place: Place,
    /// What it says, by [`Sink::rendering`]: plain, or Markdown inside a line (escaped, emphasis,
    /// links, `[^1]`), without the marks of its kind. Lines are divided by `\n`. Empty for a table.
    pub(super) text: String,
    /// The cells of a table, row by row, rendered as `text` is; all rows are of one length.
    pub(super) rows: Vec<Vec<String>>,
}

/// What a block is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// 1 to 6.
    Heading(u8),
    Paragraph,
    /// `depth` from 0. The marker as shown (`1.`, `a)`, `2.3`); `None` for a bullet, and in plain
    /// text for a number that nobody typed.
    ListItem {
        depth: u8,
        marker: Option<String>,
    },
    Table,
    /// The text of a note that `[^label]` refers to.
    Footnote {
        label: String,
    },
    /// A remark beside the text.
    Comment {
        author: Option<String>,
    },
    /// What stands at the head of each page; given once.
    Header,
    /// What stands at the foot of each page; given once.
    Footer,
    /// What the speaker of a slide reads.
    Notes,
}

/// Where a block stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In a document without pages, or beside them all.
    Document,
    /// From 1.
    Page(u32),
    /// From 1.
    Slide(u32),
    /// From 1, in the order of the workbook, hidden ones counted.
    Sheet(u32),
}

/// How the text of blocks is rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rendering {
    /// The words that somebody wrote, and nothing that only their form tells.
    Plain,
    Markdown,
    /// Plain text in blocks that say what they are.
    Blocks,
}

impl Rendering {
    /// Words as they stand.
    pub(super) fn text(self, text: &str) -> String {
        match self {
            Self::Plain | Self::Blocks => text.to_owned(),
            Self::Markdown => markdown::escape(text),
        }
    }

    pub(super) fn is_markdown(self) -> bool {
        self == Self::Markdown
    }

    /// Nothing tells of a block what it is.
    pub(super) fn is_plain(self) -> bool {
        self == Self::Plain
    }
}

/// Who is asked whether to go on, and told of what is wrong.
pub(super) trait Watch {
    /// Asked before each page, slide, sheet, and a few times a second in between; says how far the
    /// reader is.
    ///
    /// # Errors
    /// [`Stop::Cancelled`] at the deadline or when the run was cancelled.
    fn go_on(&mut self, done: u64, total: Option<u64>) -> Result<(), Stop>;

    fn warn(&mut self, warning: Warning);
}

/// Whom blocks are given to.
pub(super) trait Sink: Watch {
    fn rendering(&self) -> Rendering;

    /// How long the document is, in what its format counts in: pages, paragraphs, slides or sheets.
    /// Said before the first block, so that it is known of what is cut, too.
    fn count(&mut self, count: u32);

    /// # Errors
    /// [`Stop::Full`] when nothing more is wanted: the reader returns it as it is.
    fn take(&mut self, block: Block) -> Result<(), Stop>;

    /// Characters that are still wanted. A reader that gathers a big table stops when it has more.
    fn room(&self) -> usize;
}

/// Why a reader ends before its end.
#[derive(Debug)]
pub(super) enum Stop {
    Full,
    Cancelled,
    Failed(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl Block {
    pub(super) fn new(kind: Kind, place: Place, text: impl Into<String>) -> Self {
        Self { kind, place, text: text.into(), rows: Vec::new() }
    }

    pub(super) fn table(place: Place, rows: Vec<Vec<String>>) -> Self {
        Self { kind: Kind::Table, place, text: String::new(), rows }
    }
}

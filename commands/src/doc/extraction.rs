//! [`Text`]: the blocks of a document written down, until it is full.

use std::{collections::BTreeSet, fmt::Write as _};

use serde::Serialize;

use super::{
    block::{Block, Kind, Place, Rendering, Sink, Stop, Watch},
    cut, markdown,
    warning::{Code, Warning},
};

/// How text is written down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Mode {
    /// Plain text: paragraphs apart by an empty line, the cells of a table by tabs.
    Text,
    /// Markdown: headings, lists, tables, links, `[^1]`.
    #[default]
    Md,
    /// A JSON object with the blocks, each on a line, with the page, slide or sheet it stands on.
    Json,
}

impl Mode {
    /// As in `--mode` and in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Md => "md",
            Self::Json => "json",
        }
    }
}

/// The text as far as it is written.
pub(super) struct Text<'a> {
    mode: Mode,
    /// Characters that may be there, and those that are.
    max_chars: usize,
    chars: usize,
    text: String,
    is_cut: bool,
    count: u32,
    warnings: Vec<Warning>,
    /// The kind of the last block, and how deep its item lay.
    last: Option<Last>,
    /// Where the last block stood.
    place: Place,
    watch: &'a mut dyn FnMut(u64, Option<u64>) -> Result<(), Stop>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Item { depth: u8 },
    Other,
}

/// Text that is finished.
pub(super) struct Finished {
    pub(super) text: String,
    pub(super) chars: usize,
    pub(super) is_cut: bool,
    pub(super) count: u32,
    pub(super) warnings: Vec<Warning>,
}

impl<'a> Text<'a> {
    pub(super) fn new(
        mode: Mode,
        max_chars: usize,
        watch: &'a mut dyn FnMut(u64, Option<u64>) -> Result<(), Stop>,
    ) -> Self {
        let text = String::new();
        let warnings = Vec::new();
        Self {
            mode,
            max_chars,
            chars: 0,
            text,
            is_cut: false,
            count: 0,
            warnings,
            last: None,
            place: Place::Document,
            watch,
        }
    }

    /// There is more than was given.
    pub(super) fn mark_cut(&mut self) {
        self.is_cut = true;
    }

    /// The whole of it. What was cut says so in its last line, which does not count as characters
    /// of the document.
    pub(super) fn finish(mut self, format: &str) -> Finished {
        let max_chars = self.max_chars;
        match self.mode {
            Mode::Text | Mode::Md => {
                if !self.text.is_empty() {
                    self.text.push('\n');
                }
                if self.is_cut {
                    let _ = writeln!(self.text, "\n[cut here, at {max_chars} characters]");
                }
            }
            Mode::Json => {
                let truncated = self.is_cut;
                let head =
                    format!("{{\"format\":\"{format}\",\"truncated\":{truncated},\"blocks\":[");
                let tail = if self.text.is_empty() { "]}\n" } else { "\n]}\n" };
                self.text = format!("{head}{}{tail}", self.text);
            }
        }
        if self.is_cut {
            let message = format!(
                "the text was cut at {max_chars} characters: `--max-chars` takes up to 5000000"
            );
            self.warnings.push(Warning::new(Code::Truncated, message));
        }
        // One of a kind is enough, in the order in which they came.
        let mut seen = BTreeSet::new();
        self.warnings.retain(|warning| {
            seen.insert((warning.code, warning.message.clone(), warning.place.clone()))
        });
        Finished {
            text: self.text,
            chars: self.chars,
            is_cut: self.is_cut,
            count: self.count,
            warnings: self.warnings,
        }
    }

    /// Adds a piece as it is, and gives whether it was there whole. Where it is too long it is cut
    /// between words, or between characters where no blank is near. Its first `lead` bytes are the
    /// marks of a block.
    fn push(&mut self, piece: &str, lead: usize) -> bool {
        let room = self.max_chars - self.chars;
        let chars = piece.chars().count();
        if chars <= room {
            self.text.push_str(piece);
            self.chars += chars;
            return true;
        }
        self.is_cut = true;
        let kept = match self.mode {
            Mode::Md => cut::markdown(piece, room, lead),
            Mode::Text | Mode::Json => cut::plain(piece, room).to_owned(),
        };
        self.text.push_str(&kept);
        self.chars += kept.chars().count();
        false
    }

    /// Adds a row of a table behind `gap`, as [`push`](Self::push) does; one that is too long is cut
    /// inside a cell.
    fn push_row(&mut self, row: &[String], gap: &str, is_first: bool) -> bool {
        let is_markdown = self.mode == Mode::Md;
        let written = |row: &[String]| match is_markdown {
            true => format!("{gap}{}", markdown::row(row, is_first)),
            false => format!("{gap}{}", plain_row(row)),
        };
        let whole = written(row);
        let room = self.max_chars - self.chars;
        if whole.chars().count() <= room {
            return self.push(&whole, 0);
        }
        self.is_cut = true;
        let room = room.saturating_sub(gap.len());
        let kept = if is_markdown {
            let (of_row, of_cell) = markdown::row_marks(is_first);
            let cells: Vec<String> = row.iter().map(|cell| markdown::cell(cell)).collect();
            let cut = |cell: &str, room| cut::markdown(cell, room, 0);
            cut::row(&cells, room.saturating_sub(of_row), of_cell, cut)
        } else {
            // A tab between two: one less than cells.
            cut::row(row, room + 1, 1, |cell, room| cut::plain(cell, room).to_owned())
        };
        if !kept.is_empty() {
            self.push(&written(&kept), 0);
        }
        false
    }

    fn push_json(&mut self, block: &Block) -> Result<(), Stop> {
        let mut json = Json::of(block);
        let (text, rows);
        let chars = block.text.chars().count()
            + block.rows.iter().flatten().map(|cell| cell.chars().count()).sum::<usize>();
        let room = self.max_chars - self.chars;
        if chars <= room {
            self.chars += chars;
        } else {
            self.is_cut = true;
            text = cut::plain(&block.text, room);
            json.text = json.text.map(|_| text);
            rows = first_rows(&block.rows, room.saturating_sub(text.chars().count()));
            json.rows = json.rows.map(|_| rows.as_slice());
            let kept = json.text.unwrap_or_default().chars().count() + json.cells();
            self.chars += kept;
            if kept == 0 {
                return Err(Stop::Full);
            }
        }
        self.text.push_str(if self.text.is_empty() { "\n" } else { ",\n" });
        // Strings, numbers and lists of them: no value of these fails to be written.
        self.text.push_str(&serde_json::to_string(&json).unwrap_or_default());
        if self.is_cut { Err(Stop::Full) } else { Ok(()) }
    }
}

impl Watch for Text<'_> {
    fn go_on(&mut self, done: u64, total: Option<u64>) -> Result<(), Stop> {
        (self.watch)(done, total)
    }

    fn warn(&mut self, warning: Warning) {
        self.warnings.push(warning);
    }
}

impl Sink for Text<'_> {
    fn rendering(&self) -> Rendering {
        match self.mode {
            Mode::Text => Rendering::Plain,
            Mode::Md => Rendering::Markdown,
            Mode::Json => Rendering::Blocks,
        }
    }

    fn take(&mut self, mut block: Block) -> Result<(), Stop> {
        if self.is_cut {
            return Err(Stop::Full);
        }
        block.text = tidy(&block.text);
        block.rows.iter_mut().flatten().for_each(|cell| *cell = tidy(cell));
        let is_empty = block.text.is_empty() && block.rows.iter().flatten().all(String::is_empty);
        if is_empty {
            return Ok(());
        }
        if self.mode == Mode::Json {
            return self.push_json(&block);
        }
        let depth = match &block.kind {
            // Deeper than one below the last it would be taken for code.
            Kind::ListItem { depth, .. } => Some(match self.last {
                Some(Last::Item { depth: last }) => (*depth).min(last.saturating_add(1)),
                Some(Last::Other) | None => 0,
            }),
            _ => None,
        };
        let place = std::mem::replace(&mut self.place, block.place);
        let begins_slide = matches!(block.place, Place::Slide(_)) && place != block.place;
        let is_titled = matches!(block.kind, Kind::Heading(_));
        let gap = match (self.last, depth) {
            (None, _) => "",
            // Nothing else tells where a slide without a title begins.
            _ if begins_slide && !is_titled && self.mode == Mode::Md => "\n\n---\n\n",
            (Some(Last::Item { .. }), Some(_)) => "\n",
            (Some(_), _) => "\n\n",
        };
        self.last = Some(depth.map_or(Last::Other, |depth| Last::Item { depth }));
        let is_markdown = self.mode == Mode::Md;
        if block.kind == Kind::Table {
            let mut lead = gap;
            for (index, row) in block.rows.iter().enumerate() {
                if !self.push_row(row, lead, index == 0) {
                    return Err(Stop::Full);
                }
                lead = "\n";
            }
            return Ok(());
        }
        let depth = depth.unwrap_or_default();
        let written = |text: &str| match is_markdown {
            true => markdown::block(&block.kind, text, depth),
            false => plain(&block.kind, text, depth),
        };
        let lead = gap.len() + written("").len();
        match self.push(&format!("{gap}{}", written(&block.text)), lead) {
            true => Ok(()),
            false => Err(Stop::Full),
        }
    }

    fn room(&self) -> usize {
        self.max_chars - self.chars
    }

    fn count(&mut self, count: u32) {
        self.count = count;
    }
}

/// Without control characters, blanks at the ends of lines, and lines that are empty in a row.
fn tidy(text: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    let mut empty = 0;
    for line in text.split(['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}']) {
        let start = tidy.len();
        let shown = |character: &char| *character == '\t' || !character.is_control();
        tidy.extend(line.chars().filter(shown));
        tidy.truncate(start + tidy.get(start..).unwrap_or_default().trim_end().len());
        empty = if tidy.len() == start { empty + 1 } else { 0 };
        if empty < 2 {
            tidy.push('\n');
        }
    }
    tidy.truncate(tidy.trim_end().len());
    let lead = tidy.len() - tidy.trim_start_matches('\n').len();
    tidy.drain(..lead);
    tidy
}

fn plain(kind: &Kind, text: &str, depth: u8) -> String {
    let indented = |indent: usize, text: &str| text.replace('\n', &format!("\n{:indent$}", ""));
    match kind {
        Kind::ListItem { marker, .. } => {
            let marker = marker.as_deref().unwrap_or("-");
            let indent = usize::from(depth) * 2;
            let hang = indent + marker.chars().count() + 1;
            format!("{:indent$}{marker} {}", "", indented(hang, text))
        }
        Kind::Footnote { label } => format!("[{label}] {text}"),
        Kind::Heading(_)
        | Kind::Paragraph
        | Kind::Table
        | Kind::Comment { .. }
        | Kind::Header
        | Kind::Footer
        | Kind::Notes => text.to_owned(),
    }
}

/// Cells apart by tabs: what is in them stays on the line.
fn plain_row(row: &[String]) -> String {
    let mut line = String::new();
    for (index, cell) in row.iter().enumerate() {
        if index > 0 {
            line.push('\t');
        }
        line.extend(cell.chars().map(|character| match character {
            '\n' | '\t' => ' ',
            other => other,
        }));
    }
    line
}

/// The first rows of a table, of one length, the last of them cut inside a cell.
fn first_rows(rows: &[Vec<String>], most: usize) -> Vec<Vec<String>> {
    let mut left = most;
    let mut first = Vec::new();
    for row in rows {
        let chars: usize = row.iter().map(|cell| cell.chars().count()).sum();
        if let Some(rest) = left.checked_sub(chars) {
            left = rest;
            first.push(row.clone());
            continue;
        }
        let mut cut = cut::row(row, left, 0, |cell, room| cut::plain(cell, room).to_owned());
        if !cut.is_empty() {
            cut.resize(row.len(), String::new());
            first.push(cut);
        }
        break;
    }
    first
}

/// A block in the JSON of `--mode json`.
#[derive(Serialize)]
struct Json<'a> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    slide: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sheet: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    marker: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<&'a [Vec<String>]>,
}

impl<'a> Json<'a> {
    fn of(block: &'a Block) -> Self {
        let mut json = Self {
            kind: "paragraph",
            page: None,
            slide: None,
            sheet: None,
            level: None,
            depth: None,
            marker: None,
            label: None,
            author: None,
            text: Some(&block.text),
            rows: None,
        };
        match block.place {
            Place::Document => {}
            Place::Page(number) => json.page = Some(number),
            Place::Slide(number) => json.slide = Some(number),
            Place::Sheet(number) => json.sheet = Some(number),
        }
        match &block.kind {
            Kind::Paragraph => {}
            Kind::Heading(level) => (json.kind, json.level) = ("heading", Some(*level)),
            Kind::ListItem { depth, marker } => {
                (json.kind, json.depth, json.marker) =
                    ("list_item", Some(*depth), marker.as_deref());
            }
            Kind::Table => {
                (json.kind, json.text, json.rows) = ("table", None, Some(block.rows.as_slice()))
            }
            Kind::Footnote { label } => {
                (json.kind, json.label) = ("footnote", Some(label.as_str()))
            }
            Kind::Comment { author } => (json.kind, json.author) = ("comment", author.as_deref()),
            Kind::Header => json.kind = "header",
            Kind::Footer => json.kind = "footer",
            Kind::Notes => json.kind = "notes",
        }
        json
    }

    /// Characters in the cells.
    fn cells(&self) -> usize {
        let rows = self.rows.unwrap_or_default();
        rows.iter().flatten().map(|cell| cell.chars().count()).sum()
    }
}

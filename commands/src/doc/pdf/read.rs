//! [`read`]: the way of a document through the room.

use std::collections::{BTreeMap, BTreeSet};

use tapeline::{ErrorCode, Failure};

use super::super::block::{Block, Place, Sink, Stop};
use super::super::warning::{Code, Warning};
use super::annotations::{self, rectangle};
use super::column::{self, Part};
use super::content::Painter;
use super::file::File;
use super::filters::Undecoded;
use super::fonts::Fonts;
use super::line;
use super::mark::Sheet;
use super::matrix::Matrix;
use super::object::{Dictionary, Id, Object};
use super::pages::{Page, Pages};
use super::paragraph;
use super::remarks::Remarks;

/// Pages that are read.
const MAX_PAGES: u32 = 5_000;
/// Directions that a page is written in, beyond which it is a drawing.
const MAX_ANGLES: usize = 24;
/// A picture that covers so much of a page can be the page.
const SCAN: f64 = 0.15;

/// Reads all pages, the first 5,000 at most.
pub(in super::super) fn read(bytes: &[u8], sink: &mut dyn Sink) -> Result<(), Stop> {
    let file = File::open(bytes)?;
    let mut remarks = Remarks::default();
    let mut fonts = Fonts::default();
    let hidden = hidden_layers(&file);
    let mut sizes = Sizes::default();
    let mut count: u32 = 0;
    let ended = read_pages(&file, sink, &mut remarks, &mut fonts, &hidden, &mut sizes, &mut count);
    match ended {
        Ok(()) | Err(Stop::Full) => remarks.give(&file, &mut fonts, MAX_PAGES, sink),
        Err(Stop::Cancelled | Stop::Failed(_)) => {}
    }
    sink.count(count);
    ended?;
    file.overdrawn()?;
    Ok(())
}

fn read_pages(
    file: &File<'_>,
    sink: &mut dyn Sink,
    remarks: &mut Remarks,
    fonts: &mut Fonts,
    hidden: &BTreeSet<Id>,
    sizes: &mut Sizes,
    count: &mut u32,
) -> Result<(), Stop> {
    let mut pages = Pages::new(file);
    let said = pages.said();
    let mut page = pages.next(&mut || sink.go_on(0, said))?;
    if page.is_none() {
        // The tree leads nowhere: pages are looked for one by one.
        file.look_for_objects()?;
        pages = Pages::loose(file);
        page = pages.next(&mut || sink.go_on(0, said))?;
    }
    if page.is_none() {
        file.overdrawn()?;
        let failure =
            Failure::new(ErrorCode::PARSE_ERROR, "the document is broken: it has no pages");
        return Err(failure.hint("open it in a PDF viewer and save it again").into());
    }
    while let Some(next) = page {
        *count += 1;
        sink.go_on(u64::from(*count - 1), said)?;
        file.overdrawn()?;
        if *count > MAX_PAGES {
            remarks.is_cut = true;
            let rest = pages.count_rest(&mut || sink.go_on(u64::from(MAX_PAGES), said))?;
            *count = count.saturating_add(rest);
            return Ok(());
        }
        let number = *count;
        let mut pulse = || sink.go_on(u64::from(number - 1), said);
        let (sheet, area) = match sheet(file, &next, fonts, hidden, &mut pulse)? {
            Ok(sheet) => sheet,
            Err(Undecoded::TooLarge) => {
                file.overdrawn()?;
                let message = format!("what draws page {number} unpacks to more than 64 MiB");
                return Err(Failure::limit_exceeded(
                    "part",
                    super::file::MAX_PART_BYTES as u64,
                    message,
                )
                .into());
            }
            Err(Undecoded::Unreadable) => (Sheet { is_damaged: true, ..Sheet::default() }, 1.0),
        };
        if sheet.is_damaged {
            let message = "a part of the page cannot be read";
            sink.warn(Warning::new(Code::DamagedPart, message).at(format!("page {number}")));
        }
        let has_text = sheet.marks.iter().any(|mark| !mark.text.trim().is_empty());
        if !has_text && sheet.picture_area > area * SCAN {
            remarks.scanned(number);
        }
        for block in blocks(&sheet, sizes, number, sink) {
            if let Err(stop) = sink.take(block) {
                if matches!(stop, Stop::Full) {
                    let rest = pages.count_rest(&mut || sink.go_on(u64::from(number), said))?;
                    *count = count.saturating_add(rest);
                }
                return Err(stop);
            }
        }
        page = pages.next(&mut || sink.go_on(u64::from(number), said))?;
    }
    sink.go_on(u64::from(*count), Some(u64::from(*count)))
}

/// The characters of a page, and its area.
fn sheet(
    file: &File<'_>,
    page: &Page,
    fonts: &mut Fonts,
    hidden: &BTreeSet<Id>,
    pulse: &mut dyn FnMut() -> Result<(), Stop>,
) -> Result<Result<(Sheet, f64), Undecoded>, Stop> {
    fonts.turn_page();
    let (matrix, width, height) = upright(file, &page.dictionary);
    let content = match content(file, &page.dictionary) {
        Ok(content) => content,
        Err(undecoded) => return Ok(Err(undecoded)),
    };
    let resources = file.entry(&page.dictionary, "Resources");
    let empty = Dictionary::new();
    let mut painter = Painter::new(file, fonts, hidden, (width, height), pulse);
    if content.is_damaged {
        painter.damage();
    }
    painter.run(&content.bytes, resources.dictionary().unwrap_or(&empty), matrix)?;
    annotations::draw(file, &page.dictionary, &mut painter, matrix)?;
    Ok(Ok((painter.finish(), width * height)))
}

struct Content {
    bytes: Vec<u8>,
    is_damaged: bool,
}

/// All that draws a page, as one.
fn content(file: &File<'_>, page: &Dictionary) -> Result<Content, Undecoded> {
    let contents = file.entry(page, "Contents");
    let mut content = Content { bytes: Vec::new(), is_damaged: false };
    let parts = match contents.as_ref() {
        Object::Array(parts) => parts.as_slice(),
        other => std::slice::from_ref(other),
    };
    for part in parts {
        let part = file.resolve(part);
        let Some(stream) = part.stream() else { continue };
        match file.decode(stream) {
            Ok(bytes) if content.bytes.len() + bytes.len() > super::file::MAX_PART_BYTES => {
                return Err(Undecoded::TooLarge);
            }
            Ok(bytes) if content.bytes.is_empty() => content.bytes = bytes,
            Ok(bytes) => {
                content.bytes.push(b'\n');
                content.bytes.extend(bytes);
            }
            Err(Undecoded::TooLarge) => return Err(Undecoded::TooLarge),
            Err(Undecoded::Unreadable) => content.is_damaged = true,
        }
    }
    Ok(content)
}

/// From the page's own places to those of somebody who looks at it; width and height then.
fn upright(file: &File<'_>, page: &Dictionary) -> (Matrix, f64, f64) {
    let whole = rectangle(file, page, "MediaBox").unwrap_or([0.0, 0.0, 612.0, 792.0]);
    let [left, bottom, right, top] = whole;
    let (width, height) = ((right - left).clamp(1.0, 1e6), (top - bottom).clamp(1.0, 1e6));
    let turn = file.entry(page, "Rotate").integer().unwrap_or(0).rem_euclid(360);
    let (e, f) = (-left, -bottom);
    let shift = Matrix::shift(e, f);
    let (turned, width, height) = match turn {
        90 => (Matrix { a: 0.0, b: -1.0, c: 1.0, d: 0.0, e: 0.0, f: width }, height, width),
        180 => (Matrix { a: -1.0, b: 0.0, c: 0.0, d: -1.0, e: width, f: height }, width, height),
        270 => (Matrix { a: 0.0, b: 1.0, c: -1.0, d: 0.0, e: height, f: 0.0 }, height, width),
        _ => (Matrix::IDENTITY, width, height),
    };
    (shift.then(turned), width, height)
}

/// Layers that are off when the document is opened.
fn hidden_layers(file: &File<'_>) -> BTreeSet<Id> {
    let root = file.root();
    let Some(root) = root.dictionary() else { return BTreeSet::new() };
    let layers = file.entry(root, "OCProperties");
    let Some(layers) = layers.dictionary() else { return BTreeSet::new() };
    let default = file.entry(layers, "D");
    let Some(default) = default.dictionary() else { return BTreeSet::new() };
    let references = |of: &Dictionary, name: &str| -> Vec<Id> {
        file.entry(of, name)
            .array()
            .unwrap_or_default()
            .iter()
            .filter_map(Object::reference)
            .collect()
    };
    let mut hidden = BTreeSet::new();
    if file.entry(default, "BaseState").name() == Some("OFF") {
        hidden.extend(references(layers, "OCGs"));
        for on in references(default, "ON") {
            hidden.remove(&on);
        }
    }
    hidden.extend(references(default, "OFF"));
    hidden
}

/// How many letters of each size the document had so far, in tenths of a point.
#[derive(Debug, Default)]
struct Sizes {
    letters: BTreeMap<u32, usize>,
}

impl Sizes {
    fn add(&mut self, size: f64, letters: usize) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "sizes are below 5,000"
        )]
        let tenths = (size * 10.0).round() as u32;
        *self.letters.entry(tenths).or_default() += letters;
    }

    /// The size that most of the text has.
    fn body(&self) -> f64 {
        let most = self
            .letters
            .iter()
            .max_by_key(|(size, letters)| (**letters, std::cmp::Reverse(**size)));
        most.map_or(10.0, |(size, _)| f64::from(*size) / 10.0)
    }
}

/// Blocks of a page: what is written in the direction of most of it first.
fn blocks(sheet: &Sheet, sizes: &mut Sizes, number: u32, sink: &dyn Sink) -> Vec<Block> {
    let (marks, rendering) = (&sheet.marks, sink.rendering());
    let mut by_angle: BTreeMap<u16, usize> = BTreeMap::new();
    for mark in marks {
        *by_angle.entry(mark.angle).or_default() += 1;
    }
    let mut angles: Vec<(u16, usize)> = by_angle.into_iter().collect();
    angles.sort_by_key(|&(angle, count)| (std::cmp::Reverse(count), angle));
    let mut parts = Vec::new();
    for &(angle, _) in angles.iter().take(MAX_ANGLES) {
        let links =
            if angle == 0 && rendering.is_markdown() { sheet.links.as_slice() } else { &[] };
        let lines = line::lines(marks.iter().filter(|mark| mark.angle == angle), links);
        for line in &lines {
            sizes.add(line.size, line.text.chars().count());
        }
        parts.extend(column::parts(lines));
    }
    let body = sizes.body();
    let place = Place::Page(number);
    let mut blocks = Vec::new();
    for part in parts {
        match part {
            Part::Column(column) => {
                blocks.extend(paragraph::blocks(&column, body, place, rendering))
            }
            Part::Table(rows) => blocks.push(paragraph::table(rows, place, rendering)),
        }
    }
    blocks
}

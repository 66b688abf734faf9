//! [`read`]: the way of a document through the room.

use std::collections::{BTreeMap, BTreeSet};

use tapeline::{ErrorCode, Failure};

use super::super::block::{Block, Kind, Place, Sink, Stop};
use super::annotations::{self, rectangle};
use super::column::{self, Part};
use super::content::Painter;
use super::damage::Damage;
use super::file::{File, MAX_PART_BYTES};
use super::filters::Undecoded;
use super::fonts::Fonts;
use super::line;
use super::mark::{Comment, Sheet};
use super::matrix::Matrix;
use super::object::{Dictionary, Id, Object};
use super::pages::{Page, Pages};
use super::paragraph;
use super::remarks::Remarks;
use super::running::Running;
use super::work;

/// Pages that are read.
const MAX_PAGES: u32 = 5_000;
/// Directions that a page is written in, beyond which it is a drawing.
const MAX_ANGLES: usize = 24;
/// Steps that are counted for links of a page: beyond that they are not looked for.
const MAX_LINKED: usize = 2_000_000;
/// The part of the height of a page above and below its text, at least.
const MARGIN: f64 = 0.04;
/// A picture that covers so much of a page can be the page.
const SCAN: f64 = 0.15;

/// Reads all pages, the first 5,000 at most.
pub(in super::super) fn read(bytes: &[u8], sink: &mut dyn Sink) -> Result<(), Stop> {
    let file = File::open(bytes)?;
    let mut remarks = Remarks::default();
    let mut fonts = Fonts::default();
    let hidden = hidden_layers(&file);
    let mut seen = Seen::default();
    let mut count: u32 = 0;
    let ended = read_pages(&file, sink, &mut remarks, &mut fonts, &hidden, &mut seen, &mut count);
    match ended {
        Ok(()) | Err(Stop::Full) => remarks.give(&file, &mut fonts, (count, MAX_PAGES), sink),
        Err(Stop::Cancelled | Stop::Failed(_)) => {}
    }
    sink.count(count);
    ended?;
    file.work.check()?;
    Ok(remarks.check()?)
}

fn read_pages(
    file: &File<'_>,
    sink: &mut dyn Sink,
    remarks: &mut Remarks,
    fonts: &mut Fonts,
    hidden: &BTreeSet<Id>,
    seen: &mut Seen,
    count: &mut u32,
) -> Result<(), Stop> {
    let mut pages = Pages::new(file);
    let said = pages.said();
    let mut page = pages.next(&mut || sink.go_on(0, said))?;
    let mut missing = 0;
    while page.as_ref().is_some_and(|page| page.is_missing) {
        missing += 1;
        page = pages.next(&mut || sink.go_on(0, said))?;
    }
    if page.is_none() {
        // The tree leads nowhere: pages are looked for one by one.
        file.look_for_objects()?;
        remarks.is_loose = true;
        missing = 0;
        pages = Pages::loose(file);
        page = pages.next(&mut || sink.go_on(0, said))?;
    }
    if page.is_none() {
        file.work.check()?;
        let failure =
            Failure::new(ErrorCode::PARSE_ERROR, "the document is broken: it has no pages");
        return Err(failure.hint("open it in a PDF viewer and save it again").into());
    }
    for number in 1..=missing {
        remarks.damaged(number, Damage::Missing, sink);
    }
    *count = missing;
    while let Some(next) = page {
        *count += 1;
        sink.go_on(u64::from(*count - 1), said)?;
        file.work.add(1, work::PAGE);
        file.work.check()?;
        if *count > MAX_PAGES {
            remarks.is_cut = true;
            let rest = pages.count_rest(&mut || sink.go_on(u64::from(MAX_PAGES), said))?;
            *count = count.saturating_add(rest);
            return Ok(());
        }
        let number = *count;
        let mut pulse = || sink.go_on(u64::from(number - 1), said);
        let (mut sheet, area) = match next.is_missing {
            true => (Sheet { damage: Some(Damage::Missing), ..Sheet::default() }, 1.0),
            false => sheet(file, &next, number, fonts, hidden, &mut pulse)?,
        };
        if let Some(damage) = sheet.damage {
            remarks.damaged(number, damage, sink);
        }
        if sheet.has_attachment {
            remarks.attached(number);
        }
        let has_text = sheet.marks.iter().any(|mark| !mark.text.trim().is_empty());
        if !has_text && sheet.picture_area > area * SCAN {
            remarks.scanned(number);
        }
        if has_text || !sheet.comments.is_empty() {
            remarks.text();
        }
        let comments = comments(std::mem::take(&mut sheet.comments), number, sink);
        for block in blocks(&sheet, seen, number, file, sink).into_iter().chain(comments) {
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
    if !remarks.is_loose {
        remarks.short(*count, said, sink);
    }
    sink.go_on(u64::from(*count), Some(u64::from(*count)))
}

/// The characters of a page, and its area.
fn sheet(
    file: &File<'_>,
    page: &Page,
    number: u32,
    fonts: &mut Fonts,
    hidden: &BTreeSet<Id>,
    pulse: &mut dyn FnMut() -> Result<(), Stop>,
) -> Result<(Sheet, f64), Stop> {
    fonts.turn_page(number);
    let (matrix, width, height) = upright(file, &page.dictionary);
    let resources = file.entry(&page.dictionary, "Resources");
    let empty = Dictionary::new();
    let mut painter = Painter::new(file, fonts, hidden, (width, height), pulse);
    let content = content(file, &page.dictionary, number, &mut painter)?;
    painter.run(&content, resources.dictionary().unwrap_or(&empty), matrix)?;
    annotations::draw(file, &page.dictionary, &mut painter, matrix)?;
    Ok((painter.finish(), width * height))
}

/// All that draws a page, as one.
///
/// # Errors
/// `LimitExceeded` where it is more than is read.
fn content(
    file: &File<'_>,
    page: &Dictionary,
    number: u32,
    painter: &mut Painter<'_, '_, '_>,
) -> Result<Vec<u8>, Failure> {
    let too_large = || {
        let message = format!("what draws page {number} unpacks to more than 64 MiB");
        Failure::limit_exceeded("part", MAX_PART_BYTES as u64, message)
            .hint("print the other pages to a new PDF, and extract that")
    };
    let Some(named) = page.get("Contents") else { return Ok(Vec::new()) };
    if file.is_missing(named) {
        painter.damage(Damage::NoContent);
    }
    let contents = file.resolve(named);
    let parts = match contents.as_ref() {
        Object::Array(parts) => parts.as_slice(),
        other => std::slice::from_ref(other),
    };
    let mut content = Vec::new();
    for part in parts {
        if file.is_missing(part) {
            painter.damage(Damage::Content);
        }
        let part = file.resolve(part);
        let Some(stream) = part.stream() else { continue };
        match file.decode(stream) {
            Ok(decoded) if content.len() + decoded.bytes.len() > MAX_PART_BYTES => {
                return Err(too_large());
            }
            Ok(decoded) => {
                if !decoded.is_whole {
                    painter.damage(Damage::Content);
                }
                if content.is_empty() {
                    content = decoded.bytes;
                } else {
                    content.push(b'\n');
                    content.extend(decoded.bytes);
                }
            }
            Err(Undecoded::TooLarge) => {
                file.work.check()?;
                return Err(too_large());
            }
            Err(Undecoded::Unreadable) => painter.damage(Damage::Content),
        }
    }
    Ok(content)
}

/// Remarks that somebody made on the page.
fn comments(comments: Vec<Comment>, number: u32, sink: &dyn Sink) -> Vec<Block> {
    let rendering = sink.rendering();
    let block = |Comment { author, text }: Comment| {
        Block::new(Kind::Comment { author }, Place::Page(number), rendering.text(&text))
    };
    comments.into_iter().map(block).collect()
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

/// What pages so far tell of the next one.
#[derive(Debug, Default)]
struct Seen {
    sizes: Sizes,
    running: Running,
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
fn blocks(
    sheet: &Sheet,
    seen: &mut Seen,
    number: u32,
    file: &File<'_>,
    sink: &dyn Sink,
) -> Vec<Block> {
    let (marks, rendering) = (&sheet.marks, sink.rendering());
    let mut by_angle: BTreeMap<u16, usize> = BTreeMap::new();
    for mark in marks {
        *by_angle.entry(mark.angle).or_default() += 1;
    }
    let mut angles: Vec<(u16, usize)> = by_angle.into_iter().collect();
    angles.sort_by_key(|&(angle, count)| (std::cmp::Reverse(count), angle));
    let mut parts = Vec::new();
    for (at, &(angle, _)) in angles.iter().take(MAX_ANGLES).enumerate() {
        let links =
            if angle == 0 && rendering.is_markdown() { sheet.links.as_slice() } else { &[] };
        file.work.add(links.len().saturating_mul(marks.len()).min(MAX_LINKED), 1);
        let mut lines = line::lines(marks.iter().filter(|mark| mark.angle == angle), links);
        for line in &mut lines {
            let height = -line.base / sheet.height.max(1.0);
            line.is_marginal = angle == 0 && !(MARGIN..1.0 - MARGIN).contains(&height);
            seen.sizes.add(line.size, line.text.chars().count());
        }
        let lines = if at == 0 { seen.running.without(lines, number) } else { lines };
        parts.extend(column::parts(lines));
    }
    let body = seen.sizes.body();
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

//! Marks into [`Line`]s: what stands side by side on one height and close enough to be read on.

use std::collections::HashMap;
use std::rc::Rc;

use super::accents;
use super::bidi;
use super::mark::{Link, Mark};
use super::spaces;

/// A gap of so many sizes ends a line: what follows is another column.
const MAX_GAP: f64 = 1.2;
/// So many sizes a letter that is smaller may stand above or below the others of its word.
const MAX_SHIFT: f64 = 0.6;
/// So many one that is as large.
const MAX_SHIFT_OF_EQUALS: f64 = 0.35;
/// Letters of one width that are no accident.
const MIN_MONO: usize = 4;
/// Lines that make an edge.
const MIN_ALIGNED: usize = 6;
/// Lines times links of a page, beyond which links are left out.
const MAX_LINKED: usize = 2_000_000;
/// Lines on one height that a piece is compared with.
const MAX_COMPARED: usize = 12;

/// A line, or the part of one that lies in a column.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) text: String,
    pub(super) left: f64,
    pub(super) right: f64,
    /// Where its letters stand, counted downwards.
    pub(super) base: f64,
    pub(super) size: f64,
    pub(super) is_bold: bool,
    pub(super) is_right_to_left: bool,
    /// Parts of the text, and where they lead, in the order of the text.
    pub(super) links: Vec<(String, Rc<str>)>,
    /// It ends with the number of a page, set apart.
    pub(super) ends_apart: bool,
    pub(super) start: Start,
    /// It stands in the margin above or below the text, where the heads and feet of pages are.
    pub(super) is_marginal: bool,
    /// Its letters are all of one width, as those of code are.
    pub(super) is_mono: bool,
    /// From where to where its words go, in the order of the text; empty where that is another.
    pub(super) words: Vec<(f64, f64)>,
}

/// How a line begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// As text, which may go on from the line before.
    Text,
    /// With the label of an item, which stands apart.
    Label,
    /// As a row of cells.
    Row,
}

impl Line {
    pub(super) fn top(&self) -> f64 {
        self.base - self.size * 0.75
    }

    /// Of a list of contents: the number of a page is at the end, with dots that lead there or apart.
    pub(super) fn is_entry(&self) -> bool {
        if self.ends_apart {
            return true;
        }
        let title = self.text.trim_end_matches(|character: char| character.is_alphanumeric());
        let has_number = title.len() < self.text.len() && self.text.len() - title.len() < 8;
        let dots = title.chars().rev().take_while(|character| ". …".contains(*character));
        has_number && dots.filter(|character| *character != ' ').count() > 2
    }

    /// No more than the number of a page.
    pub(super) fn is_page_number(&self) -> bool {
        let is_roman = |letter: char| "ivxlcIVXLC".contains(letter);
        self.text.chars().count() < 6
            && (self.text.chars().all(char::is_numeric) || self.text.chars().all(is_roman))
    }

    pub(super) fn bottom(&self) -> f64 {
        self.base + self.size * 0.25
    }

    /// Parts on one height as one line.
    pub(super) fn of_row(mut row: Vec<Self>) -> Option<Self> {
        let right_to_left = row.iter().filter(|line| line.is_right_to_left).count() * 2 > row.len();
        row.sort_by(|one, other| one.left.total_cmp(&other.left));
        if right_to_left {
            row.reverse();
        }
        Self::joined(row)
    }

    /// Lines one after the other, as one.
    pub(super) fn joined(lines: Vec<Self>) -> Option<Self> {
        let mut lines = lines.into_iter();
        let mut line = lines.next()?;
        for part in lines {
            // A number at the end of the row, with room before it.
            line.ends_apart = part.is_page_number()
                && !line.is_right_to_left
                && part.left - line.right > part.size * 1.5
                && line.text.chars().any(char::is_alphabetic);
            line.links.extend(part.links.iter().cloned());
            line.text.push(' ');
            line.text.push_str(&part.text);
            line.left = line.left.min(part.left);
            line.right = line.right.max(part.right);
            line.size = line.size.max(part.size);
            line.is_bold &= part.is_bold;
            line.is_mono &= part.is_mono;
            line.words.clear();
        }
        Some(line)
    }
}

/// A mark in the frame of its own direction: `u` along the writing, `v` from line to line.
#[derive(Clone, Debug)]
pub(super) struct Placed<'m> {
    pub(super) mark: &'m Mark,
    pub(super) text: Rc<str>,
    pub(super) u: f64,
    pub(super) v: f64,
}

impl Placed<'_> {
    pub(super) fn end(&self) -> f64 {
        self.u + self.mark.width
    }

    pub(super) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }
}

/// Marks that follow one another in drawing and in place.
struct Piece<'m> {
    marks: Vec<Placed<'m>>,
    left: f64,
    right: f64,
    v: f64,
    size: f64,
    /// Some of its marks are raised or lowered.
    is_uneven: bool,
}

/// All lines of marks of one direction, in which `links` lead elsewhere.
pub(super) fn lines<'m>(marks: impl Iterator<Item = &'m Mark>, links: &[Link]) -> Vec<Line> {
    let mut pieces = pieces(marks);
    pieces.sort_by(|one, other| one.left.total_cmp(&other.left));
    let joined = join(pieces);
    let links = if joined.len() * links.len() > MAX_LINKED { &[] } else { links };
    joined.into_iter().filter_map(|piece| finished(piece, links)).collect()
}

fn placed(mark: &Mark) -> Placed<'_> {
    let (sine, cosine) = f64::from(mark.angle).to_radians().sin_cos();
    Placed {
        mark,
        text: Rc::clone(&mark.text),
        u: mark.x * cosine + mark.y * sine,
        v: mark.x * sine - mark.y * cosine,
    }
}

fn pieces<'m>(marks: impl Iterator<Item = &'m Mark>) -> Vec<Piece<'m>> {
    let mut pieces: Vec<Piece<'m>> = Vec::new();
    for mark in marks {
        let placed = placed(mark);
        if let Some(piece) = pieces.last_mut()
            && let Some(last) = piece.marks.last()
        {
            let size = piece.size.max(mark.size);
            let gap = placed.u - last.end();
            let is_near = gap < size * MAX_GAP * 0.9 && placed.u > last.u - size * 0.3;
            let drop = (placed.v - piece.v).abs();
            let is_level = drop < size * 0.12 && mark.size > piece.size * 0.6;
            // What is raised or lowered within a word follows at once.
            let is_small = piece.size.min(mark.size) < size * 0.88;
            let is_moved = drop < size * if is_small { MAX_SHIFT } else { MAX_SHIFT_OF_EQUALS }
                && gap < size * 0.25
                && mark.size > piece.size * 0.4;
            if is_near && (is_level || is_moved) && mark.size < piece.size * 1.7 {
                piece.is_uneven |= !is_level;
                piece.right = piece.right.max(placed.end());
                piece.left = piece.left.min(placed.u);
                piece.marks.push(placed);
                continue;
            }
        }
        pieces.push(Piece {
            left: placed.u,
            right: placed.end(),
            v: placed.v,
            size: mark.size,
            marks: vec![placed],
            is_uneven: false,
        });
    }
    // Blanks hold nothing together, but tell words apart.
    for piece in &mut pieces {
        if piece.is_uneven {
            settle(piece);
        }
        let seen = piece.marks.iter().filter(|placed| !placed.is_blank());
        if let Some(right) = seen.clone().map(Placed::end).reduce(f64::max) {
            piece.right = right;
        }
        if let Some(left) = seen.map(|placed| placed.u).reduce(f64::min) {
            piece.left = left;
        }
    }
    pieces
}

/// A piece stands where most of its large marks stand.
fn settle(piece: &mut Piece<'_>) {
    let size = piece.marks.iter().map(|placed| placed.mark.size).fold(0.0, f64::max);
    let large = || piece.marks.iter().filter(|placed| placed.mark.size > size * 0.9);
    let mut heights: Vec<f64> = large().map(|placed| placed.v).collect();
    heights.sort_by(f64::total_cmp);
    let mut best = (0, piece.v);
    let mut run = 0;
    let mut before = f64::NEG_INFINITY;
    for height in heights {
        run = if height - before < size * 0.05 { run + 1 } else { 1 };
        before = height;
        if run > best.0 {
            best = (run, height);
        }
    }
    piece.size = size;
    piece.v = best.1;
}

/// Pieces from left to right, each added to the line that it continues.
fn join(pieces: Vec<Piece<'_>>) -> Vec<Piece<'_>> {
    let mut sizes: Vec<f64> = pieces.iter().map(|piece| piece.size).collect();
    sizes.sort_by(f64::total_cmp);
    let row_height = sizes.get(sizes.len() / 2).copied().unwrap_or(10.0).max(1.0);
    let edges = Edges::of(&pieces);
    let mut lines: Vec<Piece<'_>> = Vec::new();
    let mut rows: HashMap<i64, Vec<usize>> = HashMap::new();
    'pieces: for piece in pieces {
        #[expect(clippy::cast_possible_truncation, reason = "it saturates")]
        let row = (piece.v / row_height).floor() as i64;
        let mut best: Option<(f64, usize)> = None;
        for row in row.saturating_sub(1)..=row.saturating_add(1) {
            let known = rows.get(&row).map(Vec::as_slice).unwrap_or_default();
            for &index in known.iter().rev().take(MAX_COMPARED) {
                let Some(line) = lines.get(index) else { continue };
                if is_shadow(line, &piece) {
                    continue 'pieces;
                }
                if let Some(distance) = distance(line, &piece)
                    && !edges.are_of_columns(line, &piece)
                    && best.is_none_or(|(least, _)| distance < least)
                {
                    best = Some((distance, index));
                }
            }
        }
        match best.and_then(|(_, index)| lines.get_mut(index)) {
            Some(line) if piece.marks.iter().all(Placed::is_blank) => {
                line.marks.extend(piece.marks)
            }
            Some(line) => {
                line.right = line.right.max(piece.right);
                // The line is as high as most of it.
                if piece.size > line.size * 1.05
                    || piece.marks.len() > line.marks.len() && piece.size > line.size * 0.95
                {
                    line.size = piece.size;
                    line.v = piece.v;
                }
                line.marks.extend(piece.marks);
            }
            None => {
                rows.entry(row).or_default().push(lines.len());
                lines.push(piece);
            }
        }
    }
    lines
}

/// Where the pieces of a page begin and end, from left to right.
struct Edges {
    lefts: Vec<f64>,
    rights: Vec<f64>,
}

impl Edges {
    fn of(pieces: &[Piece<'_>]) -> Self {
        let sorted = |edge: fn(&Piece<'_>) -> f64| {
            let mut edges: Vec<f64> = pieces.iter().map(edge).collect();
            edges.sort_by(f64::total_cmp);
            edges
        };
        Self { lefts: sorted(|piece| piece.left), rights: sorted(|piece| piece.right) }
    }

    /// Whether a gap that could be one between words is the narrow gutter between two columns of
    /// justified text: many end where the line ends, and many begin where the piece begins.
    fn are_of_columns(&self, line: &Piece<'_>, piece: &Piece<'_>) -> bool {
        let size = line.size.min(piece.size);
        let count = |edges: &[f64], at: f64| {
            let before = |limit: f64| edges.partition_point(|edge| *edge < limit);
            before(at + size * 0.1) - before(at - size * 0.1)
        };
        piece.left - line.right > size * 0.7
            && line.right - line.left > size * 8.0
            && count(&self.lefts, piece.left) >= MIN_ALIGNED
            && count(&self.rights, line.right) >= MIN_ALIGNED
    }
}

/// How far a piece is from the line that it would continue; `None` where it does not.
fn distance(line: &Piece<'_>, piece: &Piece<'_>) -> Option<f64> {
    let (small, large) = (line.size.min(piece.size), line.size.max(piece.size));
    let gap = piece.left - line.right;
    if gap > large.min(small * 1.6) * MAX_GAP || gap < -small * 0.6 {
        return None;
    }
    let drop = (piece.v - line.v).abs();
    let is_level = drop < small * 0.2;
    // Smaller letters may be raised or lowered, when they follow at once.
    let is_raised = small < large * 0.88 && drop < large * 0.6 && gap < large * 0.35;
    // So may letters of one size, when they touch.
    let is_moved = drop < small * MAX_SHIFT_OF_EQUALS && gap.abs() < small * 0.2;
    (is_level || is_raised || is_moved).then(|| gap.max(0.0) + drop)
}

/// Whether the line has the piece already: drawn twice, to look bold or to throw a shadow.
fn is_shadow(line: &Piece<'_>, piece: &Piece<'_>) -> bool {
    if piece.right > line.right + piece.size
        || (piece.v - line.v).abs() > piece.size * 0.3
        || piece.marks.len() > 400
    {
        return false;
    }
    let is_same = |placed: &Placed<'_>| {
        let near = placed.mark.size * 0.15;
        line.marks.iter().any(|other| {
            (other.u - placed.u).abs() < near
                && (other.v - placed.v).abs() < near
                && other.text == placed.text
        })
    };
    piece.right - line.left > 0.0 && line.right > piece.left && piece.marks.iter().all(is_same)
}

fn finished(piece: Piece<'_>, links: &[Link]) -> Option<Line> {
    let Piece { mut marks, left, right, v, size, .. } = piece;
    marks.sort_by(|one, other| one.u.total_cmp(&other.u));
    marks.dedup_by(|next, kept| {
        let near = (kept.mark.size * 0.12).min(kept.mark.width * 0.4);
        next.text == kept.text
            && !kept.is_blank()
            && (next.u - kept.u).abs() < near
            && (next.v - kept.v).abs() < kept.mark.size * 0.2
    });
    let bold = marks.iter().filter(|placed| placed.mark.is_bold).count();
    let is_bold = bold * 10 >= marks.len() * 9;
    let marks = accents::joined(marks);
    let spaced = spaces::spaced(&marks);
    let (text, is_right_to_left) = bidi::text(&spaced);
    if text.is_empty() {
        return None;
    }
    let words = words(&marks, &spaced);
    let is_in_order = !is_right_to_left && words.len() == text.split(' ').count();
    Some(Line {
        left,
        right,
        base: v,
        size,
        is_bold,
        is_right_to_left,
        links: links.iter().filter_map(|link| linked(link, &marks, v, size)).collect(),
        ends_apart: false,
        start: Start::Text,
        is_marginal: false,
        is_mono: is_mono(&marks),
        words: if is_in_order { words } else { Vec::new() },
        text,
    })
}

/// From where to where the words of a line go.
fn words(marks: &[Placed<'_>], spaced: &[&str]) -> Vec<(f64, f64)> {
    let mut words: Vec<(f64, f64)> = Vec::new();
    let mut seen = marks.iter().filter(|placed| !placed.is_blank());
    let mut is_start = true;
    for text in spaced {
        if *text == " " {
            is_start = true;
            continue;
        }
        let Some(placed) = seen.next() else { break };
        match words.last_mut() {
            Some(word) if !std::mem::take(&mut is_start) => word.1 = word.1.max(placed.end()),
            _ => words.push((placed.u, placed.end())),
        }
        is_start = false;
    }
    words
}

/// Whether letters of Latin, Greek or Cyrillic have one width.
fn is_mono(marks: &[Placed<'_>]) -> bool {
    let mut seen = marks.iter().filter(|placed| !placed.is_blank());
    let Some(first) = seen.next() else { return false };
    let is_like_first = |placed: &Placed<'_>| {
        placed.text.as_ref() < "\u{1100}"
            && (placed.mark.width - first.mark.width).abs() < first.mark.size * 0.005
    };
    let has_letter = |placed: &Placed<'_>| placed.text.starts_with(char::is_alphabetic);
    first.mark.width > first.mark.size * 0.45
        && marks.iter().any(has_letter)
        && marks.iter().filter(|placed| !placed.is_blank()).count() >= MIN_MONO
        && is_like_first(first)
        && seen.all(is_like_first)
}

/// What a line has in the rectangle of a link.
fn linked(link: &Link, marks: &[Placed<'_>], v: f64, size: f64) -> Option<(String, Rc<str>)> {
    let height = size * 0.25 - v;
    if height < link.bottom || height > link.top {
        return None;
    }
    let is_in = |placed: &Placed<'_>| {
        let middle = placed.u + placed.mark.width / 2.0;
        placed.mark.angle == 0 && middle > link.left && middle < link.right
    };
    let first = marks.iter().position(is_in)?;
    let last = marks.iter().rposition(is_in)?;
    let (text, _) = bidi::text(&spaces::spaced(marks.get(first..=last)?));
    let text = text.trim_end_matches(['-', '\u{AD}']);
    (text.chars().count() > 1).then(|| (text.to_owned(), Rc::clone(&link.address)))
}

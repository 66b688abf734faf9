//! [`Line`]s: what stands side by side on one height and close enough to be read on.

use std::rc::Rc;

use super::accents;
use super::bidi;
use super::mark::{Link, Mark};
use super::piece::{self, Piece, Placed};
use super::spaces;

/// Letters of one width that are no accident.
const MIN_MONO: usize = 4;
/// Lines times links of a page, beyond which links are left out.
const MAX_LINKED: usize = 2_000_000;

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
    /// From where to where its words go, in the order of the text, each with the gap behind it where
    /// that is known to be one between words; empty where the order is another.
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

/// All lines of marks of one direction, in which `links` lead elsewhere.
pub(super) fn lines<'m>(marks: impl Iterator<Item = &'m Mark>, links: &[Link]) -> Vec<Line> {
    let joined = piece::joined(marks);
    let links = if joined.len() * links.len() > MAX_LINKED { &[] } else { links };
    joined.into_iter().filter_map(|piece| finished(piece, links)).collect()
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
            Some(word) if !std::mem::take(&mut is_start) => word.1 = word.1.max(placed.reach),
            _ => words.push((placed.u, placed.reach)),
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

//! Marks into [`Line`]s: what stands side by side on one height and close enough to be read on.

use std::collections::HashMap;
use std::rc::Rc;

use super::accents;
use super::bidi;
use super::mark::Mark;

/// A gap of so many sizes ends a line: what follows is another column.
const MAX_GAP: f64 = 1.2;
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
}

impl Line {
    pub(super) fn top(&self) -> f64 {
        self.base - self.size * 0.75
    }

    pub(super) fn bottom(&self) -> f64 {
        self.base + self.size * 0.25
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
}

/// All lines of marks of one direction.
pub(super) fn lines<'m>(marks: impl Iterator<Item = &'m Mark>) -> Vec<Line> {
    let mut pieces = pieces(marks);
    pieces.sort_by(|one, other| one.left.total_cmp(&other.left));
    join(pieces).into_iter().filter_map(finished).collect()
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
            let is_level = (placed.v - piece.v).abs() < size * 0.12 && mark.size > piece.size * 0.6;
            if is_near && is_level && mark.size < piece.size * 1.7 {
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
        });
    }
    // Blanks hold nothing together, but tell words apart.
    for piece in &mut pieces {
        let seen = piece.marks.iter().filter(|placed| !placed.is_blank());
        if let Some(right) = seen.map(Placed::end).reduce(f64::max) {
            piece.right = right;
        }
    }
    pieces
}

/// Pieces from left to right, each added to the line that it continues.
fn join(pieces: Vec<Piece<'_>>) -> Vec<Piece<'_>> {
    let mut sizes: Vec<f64> = pieces.iter().map(|piece| piece.size).collect();
    sizes.sort_by(f64::total_cmp);
    let row_height = sizes.get(sizes.len() / 2).copied().unwrap_or(10.0).max(1.0);
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
    (is_level || is_raised).then(|| gap.max(0.0) + drop)
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

fn finished(piece: Piece<'_>) -> Option<Line> {
    let Piece { mut marks, left, right, v, size } = piece;
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
    let (text, is_right_to_left) = bidi::text(&marks);
    if text.is_empty() {
        return None;
    }
    Some(Line { text, left, right, base: v, size, is_bold, is_right_to_left })
}

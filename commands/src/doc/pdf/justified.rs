//! Justified text, whose words can stand as far apart as columns do.
//!
//! A gap is one between words where the line fills the width of its text, as those around it do,
//! its words stand equally far apart, and lines above and below go across. A gutter is empty in
//! nearly all of them.

use super::piece::Piece;

/// Lines above, and as many below, that a gap is compared with.
const AROUND: usize = 6;
/// Lines that fill a width, with the one in question.
const MIN_FLUSH: usize = 3;
/// A gap of so many sizes is one between words in any text.
const MIN_GAP: f64 = 0.15;
/// One of so many can be taken for more.
const WIDE: f64 = 0.5;
/// None between words is wider.
const MAX_GAP: f64 = 16.0;
/// From the narrowest gap of a line to the widest.
const EQUAL: f64 = 1.8;
/// So much of a gap, in sizes, is a gutter where it is empty in the lines around.
const STRIP: f64 = 0.3;
/// Lines above and below that follow one another without going across a gutter, where there are as
/// many.
const MIN_RUN: usize = 3;
/// So far from one another, in sizes, lines begin and end at one edge.
const EDGE: f64 = 0.3;
/// So far below one another, in sizes, stand lines of one text.
const MAX_STEP: f64 = 2.6;

/// The pieces in the order of drawing, those of one line of justified text as one.
pub(super) fn joined(pieces: Vec<Piece<'_>>) -> Vec<Piece<'_>> {
    let rows = rows(&pieces);
    let are_justified = are_justified(&rows);
    let mut joined: Vec<Piece<'_>> = Vec::with_capacity(pieces.len());
    let mut rest = pieces.into_iter();
    for (row, is_justified) in rows.iter().zip(are_justified) {
        let mut parts = rest.by_ref().take(row.pieces);
        if is_justified {
            joined.extend(parts.next().map(|first| whole(first, parts)));
        } else {
            joined.extend(parts);
        }
    }
    joined
}

/// Pieces that were drawn one after the other from left to right on one height.
struct Row {
    pieces: usize,
    left: f64,
    right: f64,
    v: f64,
    size: f64,
    /// Amounts stand apart in tables.
    has_digit: bool,
    /// Between its words, from left to right.
    gaps: Vec<(f64, f64)>,
}

fn rows(pieces: &[Piece<'_>]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for piece in pieces {
        let gaps = gaps(piece);
        match rows.last_mut() {
            Some(row) if row.goes_on(piece) => {
                row.pieces += 1;
                row.gaps.push((row.right, piece.left));
                row.gaps.extend(gaps);
                row.right = piece.right;
                row.has_digit |= has_digit(piece);
            }
            _ => rows.push(Row {
                pieces: 1,
                left: piece.left,
                right: piece.right,
                v: piece.v,
                size: piece.size,
                has_digit: has_digit(piece),
                gaps,
            }),
        }
    }
    rows
}

impl Row {
    fn goes_on(&self, piece: &Piece<'_>) -> bool {
        (piece.v - self.v).abs() < self.size * 0.12
            && (piece.size - self.size).abs() < self.size * 0.1
            && piece.left > self.right
            && piece.left - self.right < self.size * MAX_GAP
    }

    /// Whether a strip lies in one of its gaps; `None` where it lies beside the line.
    fn is_empty_at(&self, strip: (f64, f64)) -> Option<bool> {
        if strip.1 < self.left || strip.0 > self.right {
            return None;
        }
        let next = self.gaps.partition_point(|gap| gap.1 < strip.1 - 0.01);
        Some(self.gaps.get(next).is_some_and(|gap| gap.0 <= strip.0 + 0.01))
    }

    /// Whether it has wide gaps, which are all about as wide.
    fn has_equal_gaps(&self) -> bool {
        let widths = || self.gaps.iter().map(|gap| gap.1 - gap.0);
        let widest = widths().fold(0.0, f64::max);
        let narrowest = widths().fold(f64::INFINITY, f64::min);
        widest > self.size * WIDE && widest < narrowest * EQUAL
    }

    /// Whether both begin and end at the same edges, in letters of one size.
    fn is_flush(&self, other: &Self) -> bool {
        let near = self.size * EDGE;
        (self.left - other.left).abs() < near && (self.right - other.right).abs() < near
    }
}

fn has_digit(piece: &Piece<'_>) -> bool {
    piece.marks.iter().any(|placed| placed.text.contains(char::is_numeric))
}

/// The gaps within a piece that could be between words.
fn gaps(piece: &Piece<'_>) -> Vec<(f64, f64)> {
    let mut gaps = Vec::new();
    let mut end = f64::INFINITY;
    for placed in piece.marks.iter().filter(|placed| !placed.is_blank()) {
        if placed.u - end > piece.size * MIN_GAP {
            gaps.push((end, placed.u));
        }
        end = placed.end();
    }
    gaps
}

/// Whether each line is one of justified text. Those of two words have no other gap to be compared
/// with: they are told by those above and below, which are known first.
fn are_justified(rows: &[Row]) -> Vec<bool> {
    let has_many = |row: &Row| row.gaps.len() > 1;
    let judge = |row: &Row, at: usize, known: &[bool]| {
        row.has_equal_gaps() && is_justified(rows, at, known)
    };
    let of_many: Vec<bool> =
        rows.iter().enumerate().map(|(at, row)| has_many(row) && judge(row, at, &[])).collect();
    let known = |(at, row): (usize, &Row)| {
        of_many.get(at) == Some(&true) || !has_many(row) && judge(row, at, &of_many)
    };
    rows.iter().enumerate().map(known).collect()
}

/// Whether all gaps of line `at` are gaps between words; `known` are lines of which that is known.
fn is_justified(rows: &[Row], at: usize, known: &[bool]) -> bool {
    let Some(row) = rows.get(at) else { return false };
    let above = rows.get(..at).unwrap_or_default().iter().rev();
    let below = rows.get(at + 1..).unwrap_or_default().iter();
    let above = around(row, above, -1.0);
    let below = around(row, below, 1.0);
    let all = || above.iter().chain(&below).copied();
    if all().filter(|other| other.is_flush(row)).count() + 1 < MIN_FLUSH {
        return false;
    }
    let is_gutter = |strip: (f64, f64)| {
        let count = |state| all().filter(|other| other.is_empty_at(strip) == Some(state)).count();
        let (empty, crossed) = (count(true), count(false));
        // Lines that follow one another, before one goes across or is known to have no gutter.
        let run = |rows: &[&Row], step: isize| {
            let is_known = |by: usize| {
                let at = by
                    .checked_add(1)
                    .and_then(|by| at.checked_add_signed(step * isize::try_from(by).ok()?));
                at.and_then(|at| known.get(at)) == Some(&true)
            };
            let goes_on = |(by, other): &(usize, &&Row)| {
                other.is_empty_at(strip) != Some(false) && !is_known(*by)
            };
            rows.iter().enumerate().take_while(goes_on).count()
        };
        let (up, down) = (run(&above, -1), run(&below, 1));
        let is_tall = empty * 4 >= (empty + crossed) * 3 && up + down >= empty.min(MIN_RUN);
        let is_beside = up >= above.len().min(1) && down >= below.len().min(1);
        let has_rows = row.has_digit || up + down >= all().count().min(MIN_RUN);
        is_tall || row.gaps.len() == 1 && is_beside && has_rows
    };
    let wide = row.gaps.iter().filter(|gap| gap.1 - gap.0 > row.size * WIDE);
    wide.flat_map(|gap| strips(*gap, row.size * STRIP)).all(|strip| !is_gutter(strip))
}

/// A gap in strips of one width.
fn strips(gap: (f64, f64), width: f64) -> impl Iterator<Item = (f64, f64)> {
    std::iter::successors(Some(gap.0), move |left| Some(left + width))
        .take_while(move |left| left + width <= gap.1)
        .map(move |left| (left, left + width))
}

/// A line as one piece.
fn whole<'m>(first: Piece<'m>, rest: impl Iterator<Item = Piece<'m>>) -> Piece<'m> {
    let mut whole = first;
    for piece in rest {
        whole.right = piece.right;
        whole.is_uneven |= piece.is_uneven;
        whole.marks.extend(piece.marks);
    }
    let mut next: Option<f64> = None;
    for placed in whole.marks.iter_mut().rev().filter(|placed| !placed.is_blank()) {
        if let Some(next) = next.replace(placed.u) {
            placed.reach = placed.reach.max(next);
        }
    }
    whole
}

/// The lines that follow one another from `row` on, up or down, in one text.
fn around<'r>(row: &Row, rows: impl Iterator<Item = &'r Row>, sign: f64) -> Vec<&'r Row> {
    let mut before = row.v;
    let goes_on = |other: &&Row| {
        let step = (other.v - before) * sign;
        before = other.v;
        step > row.size * 0.8
            && step < row.size * MAX_STEP
            && (other.size - row.size).abs() < row.size * 0.1
            && other.left < row.right
            && other.right > row.left
    };
    rows.take(AROUND).take_while(goes_on).collect()
}

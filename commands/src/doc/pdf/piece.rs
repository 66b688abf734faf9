//! Marks into [`Piece`]s: what follows in drawing and in place, and those that go on one line.

use std::collections::HashMap;
use std::rc::Rc;

use super::justified;
use super::mark::Mark;

/// A gap of so many sizes ends a line: what follows is another column.
const MAX_GAP: f64 = 1.2;
/// So many sizes a letter that is smaller may stand above or below the others of its word.
const MAX_SHIFT: f64 = 0.6;
/// So many one that is as large.
const MAX_SHIFT_OF_EQUALS: f64 = 0.35;
/// Lines that make an edge.
const MIN_ALIGNED: usize = 6;
/// Lines on one height that a piece is compared with.
const MAX_COMPARED: usize = 12;

/// A mark in the frame of its own direction: `u` along the writing, `v` from line to line.
#[derive(Clone, Debug)]
pub(super) struct Placed<'m> {
    pub(super) mark: &'m Mark,
    pub(super) text: Rc<str>,
    pub(super) u: f64,
    pub(super) v: f64,
    /// Up to where it goes with the gap behind it, which is known to be one between words.
    pub(super) reach: f64,
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
pub(super) struct Piece<'m> {
    pub(super) marks: Vec<Placed<'m>>,
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) v: f64,
    pub(super) size: f64,
    /// Some of its marks are raised or lowered.
    pub(super) is_uneven: bool,
}

/// The marks of each line.
pub(super) fn joined<'m>(marks: impl Iterator<Item = &'m Mark>) -> Vec<Piece<'m>> {
    let mut pieces = justified::joined(pieces(marks));
    pieces.sort_by(|one, other| one.left.total_cmp(&other.left));
    join(pieces)
}

fn placed(mark: &Mark) -> Placed<'_> {
    let (sine, cosine) = f64::from(mark.angle).to_radians().sin_cos();
    let u = mark.x * cosine + mark.y * sine;
    let v = mark.x * sine - mark.y * cosine;
    let reach = u + mark.width + mark.word_space;
    Placed { mark, text: Rc::clone(&mark.text), u, v, reach }
}

fn pieces<'m>(marks: impl Iterator<Item = &'m Mark>) -> Vec<Piece<'m>> {
    let mut pieces: Vec<Piece<'m>> = Vec::new();
    for mark in marks {
        let placed = placed(mark);
        if let Some(piece) = pieces.last_mut()
            && let Some(last) = piece.marks.last()
        {
            let size = piece.size.max(mark.size);
            let gap = placed.u - last.reach;
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
                if let [.., word, blank] = piece.marks.as_mut_slice()
                    && blank.mark.word_space > 0.0
                    && !word.is_blank()
                {
                    word.reach = word.reach.max(placed.u);
                }
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

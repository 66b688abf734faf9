//! [`Dots`]: bullets that are drawn as shapes instead of characters: small, filled or outlined, and
//! as wide as they are high, at the left of a line.

use std::rc::Rc;

use super::mark::Mark;
use super::matrix::Matrix;
use super::object::Object;

/// Shapes of a page that can be bullets; a page with more of them is a drawing.
const MAX_DOTS: usize = 100;
/// How wide and high they are, in points and in sizes of the letters beside them.
const POINTS: std::ops::Range<f64> = 1.0..12.0;
const SIZES: std::ops::Range<f64> = 0.15..0.7;
/// How far the letters are, in sizes, and how high the middle is above the line they stand on.
const GAP: std::ops::Range<f64> = 0.1..2.2;
const MIDDLE: std::ops::Range<f64> = 0.1..0.6;

/// Shapes while a page is drawn.
#[derive(Debug, Default)]
pub(super) struct Dots {
    /// What the path covers so far.
    path: Option<Area>,
    found: Vec<Area>,
}

#[derive(Clone, Copy, Debug)]
struct Area {
    left: f64,
    bottom: f64,
    right: f64,
    top: f64,
}

impl Dots {
    /// A line, a curve or a rectangle of a path.
    pub(super) fn extend(&mut self, word: &[u8], operands: &[Object], matrix: Matrix) {
        let number = |operand: &Object| operand.number().unwrap_or(0.0);
        if let (b"re", [x, y, width, height]) = (word, operands) {
            let (x, y) = (number(x), number(y));
            self.add(matrix.point(x, y));
            self.add(matrix.point(x + number(width), y + number(height)));
            return;
        }
        for point in operands.chunks_exact(2) {
            if let [x, y] = point {
                self.add(matrix.point(number(x), number(y)));
            }
        }
    }

    fn add(&mut self, (x, y): (f64, f64)) {
        let area = self.path.get_or_insert(Area { left: x, bottom: y, right: x, top: y });
        area.left = area.left.min(x);
        area.bottom = area.bottom.min(y);
        area.right = area.right.max(x);
        area.top = area.top.max(y);
    }

    /// The path is drawn, or only thrown away.
    pub(super) fn end(&mut self, is_drawn: bool) {
        let Some(area) = self.path.take().filter(|_| is_drawn) else { return };
        let (width, height) = (area.right - area.left, area.top - area.bottom);
        if POINTS.contains(&width)
            && (width - height).abs() < width * 0.2
            && self.found.len() <= MAX_DOTS
        {
            self.found.push(area);
        }
    }

    /// The marks of a page, with bullets before the lines that have one.
    pub(super) fn marked(self, marks: Vec<Mark>) -> Vec<Mark> {
        if self.found.is_empty() || self.found.len() > MAX_DOTS {
            return marks;
        }
        let bullet: Rc<str> = "•".into();
        let mut bullets: Vec<(usize, Mark)> = Vec::new();
        for area in self.found {
            let Some((at, mark)) = first_beside(area, &marks) else { continue };
            let text = Rc::clone(&bullet);
            let width = area.right - area.left;
            bullets.push((at, Mark { text, x: area.left, width, ..mark.clone() }));
        }
        bullets.sort_by_key(|(at, _)| *at);
        // Drawn twice is seen once.
        bullets.dedup_by_key(|(at, _)| *at);
        let mut bullets = bullets.into_iter().peekable();
        let mut marked = Vec::with_capacity(marks.len() + bullets.len());
        for (at, mark) in marks.into_iter().enumerate() {
            marked.extend(bullets.next_if(|(before, _)| *before == at).map(|(_, bullet)| bullet));
            marked.push(mark);
        }
        marked
    }
}

/// The letter to the right of a dot, where there is nothing to the left.
fn first_beside(area: Area, marks: &[Mark]) -> Option<(usize, &Mark)> {
    let middle = f64::midpoint(area.bottom, area.top);
    let is_beside = |mark: &Mark| {
        mark.angle == 0
            && MIDDLE.contains(&((middle - mark.y) / mark.size))
            && !mark.text.trim().is_empty()
    };
    let beside = || marks.iter().enumerate().filter(|(_, mark)| is_beside(mark));
    let (at, mark) = beside()
        .filter(|(_, mark)| mark.x > area.right)
        .min_by(|(_, one), (_, other)| one.x.total_cmp(&other.x))?;
    let is_alone = beside().all(|(_, other)| {
        other.x > area.right || other.x + other.width < area.left - mark.size * 2.0
    });
    (is_alone
        && GAP.contains(&((mark.x - area.right) / mark.size))
        && SIZES.contains(&((area.right - area.left) / mark.size)))
    .then_some((at, mark))
}

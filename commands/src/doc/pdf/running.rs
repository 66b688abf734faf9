//! [`Running`]: heads and feet that pages share, which are given once.

use super::line::Line;
use super::page_label::PageLabel;

/// Lines one below the other at the edge of a page, and lines that are kept of a page.
const MAX_ROWS: usize = 3;
const MAX_LINES: usize = 16;
/// White that sets them apart from the text, as a distance of lines in sizes.
const APART: f64 = 1.8;
/// Points between the places of one line on two pages.
const SHIFT: f64 = 2.0;
/// A head that has more than the number of the page is at most so much larger than half of the rest.
const LARGER: f64 = 1.05;
/// Pages that are looked back: heads of left and right pages differ.
const PAGES: u32 = 2;

/// What stood at the edges of the last pages.
#[derive(Debug, Default)]
pub(super) struct Running {
    seen: Vec<Edge>,
}

/// A line at the edge of a page.
#[derive(Debug)]
struct Edge {
    page: u32,
    base: f64,
    /// It is set no larger than the rest of the page.
    is_small: bool,
    words: Vec<String>,
}

impl Running {
    /// The lines of a page without those that a page before has at the same place, word for word
    /// but for the number of the page.
    pub(super) fn without(&mut self, lines: Vec<Line>, page: u32) -> Vec<Line> {
        let edges = edges(&lines);
        let found: Vec<(usize, Edge)> =
            edges.into_iter().filter_map(|at| Some((at, Edge::new(&lines, at, page)?))).collect();
        let is_known = |edge: &Edge| self.seen.iter().any(|seen| edge.goes_on(seen));
        let known: Vec<usize> =
            found.iter().filter(|(_, edge)| is_known(edge)).map(|(at, _)| *at).collect();
        self.seen.retain(|edge| edge.page + PAGES > page);
        self.seen.extend(found.into_iter().map(|(_, edge)| edge));
        // A page that would have nothing left is no page with a head.
        if known.is_empty() || known.len() == lines.len() {
            return lines;
        }
        let kept = |(at, line): (usize, Line)| (!known.contains(&at)).then_some(line);
        lines.into_iter().enumerate().filter_map(kept).collect()
    }
}

impl Edge {
    fn new(lines: &[Line], at: usize, page: u32) -> Option<Self> {
        let line = lines.get(at)?;
        let (mut all, mut as_large) = (0, 0);
        for (_, other) in lines.iter().enumerate().filter(|(other, _)| *other != at) {
            all += other.text.len();
            as_large += if other.size * LARGER < line.size { 0 } else { other.text.len() };
        }
        let words = line.text.split_whitespace().map(str::to_owned).collect();
        Some(Self { page, base: line.base, is_small: as_large * 2 >= all, words })
    }

    fn goes_on(&self, before: &Self) -> bool {
        if (self.base - before.base).abs() >= SHIFT || self.words.len() != before.words.len() {
            return false;
        }
        let pairs = self.words.iter().zip(&before.words).enumerate();
        let mut others = pairs.filter(|(_, (one, other))| one != other);
        match (others.next(), others.next()) {
            (None, _) => true,
            (Some((at, (one, other))), None) => {
                let pages = u64::from(self.page.saturating_sub(before.page));
                let labels = PageLabel::of(one).zip(PageLabel::of(other));
                labels.is_some_and(|(one, other)| {
                    other.after(pages) == Some(one)
                        && one.is_of_page(&self.words, at, self.is_small)
                })
            }
            (Some(_), Some(_)) => false,
        }
    }
}

/// The lines at the top and at the bottom that are set apart from the others.
fn edges(lines: &[Line]) -> Vec<usize> {
    let mut order: Vec<(usize, &Line)> = lines.iter().enumerate().collect();
    order.sort_by(|one, other| one.1.base.total_cmp(&other.1.base));
    let mut edges = edge(order.iter().copied());
    edges.extend(edge(order.iter().rev().copied()));
    edges
}

/// The first lines of an order, up to the white that sets them apart.
fn edge<'l>(lines: impl Iterator<Item = (usize, &'l Line)>) -> Vec<usize> {
    let mut edge = Vec::new();
    let mut rows = 1;
    let mut before: Option<&Line> = None;
    for (at, line) in lines {
        if let Some(before) = before {
            let step = (line.base - before.base).abs();
            if step > line.size.max(before.size) * APART {
                return edge;
            }
            rows += usize::from(step > before.size * 0.5);
        }
        edge.push(at);
        before = Some(line);
        if rows > MAX_ROWS || edge.len() > MAX_LINES {
            break;
        }
    }
    Vec::new()
}

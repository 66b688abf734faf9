//! Lines into [`Column`]s: what is read from top to bottom, in the order of reading.
//!
//! A page is cut where white runs through all of it: first from top to bottom, since what stands in
//! columns is read one column after the other; and where nothing does, the tallest stretch of it is
//! looked for that can be cut so, such as the two columns under a title.

use super::band::{self, Band, Span};
use super::line::Line;
use super::rows::{self, Stretch};
use super::table;

/// Cuts within cuts.
const MAX_DEPTH: usize = 24;
/// White between columns, in sizes of letters.
const GUTTER: f64 = 0.8;
/// Bands of lines on one page that are tried as the first of a stretch.
const MAX_BANDS: usize = 400;

/// Lines of a list of contents that are compared with its numbers.
const MAX_CONTENTS: usize = 400;

/// What a page is made of.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Column(Column),
    /// Cells, row by row.
    Table(Vec<Vec<String>>),
}

/// Lines that are read one after the other.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) lines: Vec<Line>,
    pub(super) left: f64,
    pub(super) right: f64,
}

/// The parts of a page as they are read.
pub(super) fn parts(lines: Vec<Line>) -> Vec<Part> {
    let mut sizes: Vec<f64> = lines.iter().map(|line| line.size).collect();
    sizes.sort_by(f64::total_cmp);
    let size = sizes.get(sizes.len() / 2).copied().unwrap_or(10.0);
    let right_to_left = lines.iter().filter(|line| line.is_right_to_left).count();
    let mut cutter = Cutter {
        gutter: size * GUTTER,
        is_right_to_left: right_to_left * 2 > lines.len(),
        parts: Vec::new(),
    };
    cutter.cut(lines, 0);
    cutter.parts
}

struct Cutter {
    gutter: f64,
    is_right_to_left: bool,
    parts: Vec<Part>,
}

impl Cutter {
    fn cut(&mut self, lines: Vec<Line>, depth: usize) {
        if lines.len() < 2 || depth > MAX_DEPTH {
            self.parts.extend(Column::new(lines).map(Part::Column));
            return;
        }
        let bands = band::bands(lines, self.gutter);
        match self.stretch(&bands) {
            Some((first, last)) => {
                let mut rest = bands.into_iter();
                let before: Vec<Line> =
                    rest.by_ref().take(first).flat_map(|band| band.lines).collect();
                let within: Vec<Band> = rest.by_ref().take(last - first + 1).collect();
                let after: Vec<Line> = rest.flat_map(|band| band.lines).collect();
                match rows::stretches(&within, self.gutter) {
                    Some(stretches) => self.by_rows(before, stretches, after, depth),
                    None => {
                        self.cut_some(before, depth);
                        self.side_by_side(&within, depth);
                        self.cut_some(after, depth);
                    }
                }
            }
            None => {
                let lines = bands.into_iter().flat_map(|band| band.lines).collect();
                self.parts.extend(Column::new(lines).map(Part::Column));
            }
        }
    }

    fn cut_some(&mut self, lines: Vec<Line>, depth: usize) {
        if !lines.is_empty() {
            self.cut(lines, depth + 1);
        }
    }

    /// Text between rows goes with the text around them.
    fn by_rows(
        &mut self,
        before: Vec<Line>,
        stretches: Vec<Stretch>,
        after: Vec<Line>,
        depth: usize,
    ) {
        let mut text = before;
        for stretch in stretches {
            match stretch {
                Stretch::Text(lines) => text.extend(lines),
                Stretch::Rows(part) => {
                    self.cut_some(std::mem::take(&mut text), depth);
                    self.parts.push(part);
                }
            }
        }
        text.extend(after);
        self.cut_some(text, depth);
    }

    /// The first and the last band of the stretch with most lines that has a gutter.
    fn stretch(&self, bands: &[Band]) -> Option<(usize, usize)> {
        let mut best: Option<(usize, usize, usize)> = None;
        let mut start = 0;
        while start < bands.len().min(MAX_BANDS) {
            let Some(first) = bands.get(start).filter(|band| band.is_cut()) else {
                start += 1;
                continue;
            };
            let mut spans = first.spans.clone();
            let (mut from, mut to) = (start, start);
            while let Some(next) = bands.get(to + 1).and_then(|band| self.together(&spans, band)) {
                spans = next;
                to += 1;
            }
            while let Some(next) =
                from.checked_sub(1).and_then(|at| self.together(&spans, bands.get(at)?))
            {
                spans = next;
                from -= 1;
            }
            // What stands on one side only, and apart, is no part of it.
            let apart = |one: usize, other: usize| match (bands.get(one), bands.get(other)) {
                (Some(one), Some(other)) => other.top - one.bottom > self.gutter * 1.2,
                _ => false,
            };
            while from < start
                && bands.get(from).is_some_and(|band| !band.is_cut())
                && apart(from, from + 1)
            {
                from += 1;
            }
            while to > start
                && bands.get(to).is_some_and(|band| !band.is_cut())
                && apart(to - 1, to)
            {
                to -= 1;
            }
            let within = bands.get(from..=to).unwrap_or_default();
            let count = within.iter().map(|band| band.lines.len()).sum();
            if self.is_worth_it(&spans, within) && best.is_none_or(|(_, _, most)| count > most) {
                best = Some((from, to, count));
            }
            start = to.max(start) + 1;
        }
        best.map(|(from, to, _)| (from, to))
    }

    /// What a stretch covers with one more band, where a gutter is left.
    fn together(&self, spans: &[Span], band: &Band) -> Option<Vec<Span>> {
        let spans = band::together([spans, &band.spans].concat(), self.gutter);
        (spans.len() > 1).then_some(spans)
    }

    /// A single line with a gap is a line.
    fn is_worth_it(&self, spans: &[Span], bands: &[Band]) -> bool {
        let mut counts = vec![0_usize; spans.len()];
        for line in bands.iter().flat_map(|band| &band.lines) {
            if let Some(count) = counts.get_mut(band::side(spans, line)) {
                *count += 1;
            }
        }
        if counts.iter().filter(|count| **count > 1).count() < 2 {
            return false;
        }
        // Titles and the pages that they are on are one list.
        !(spans.len() == 2 && self.is_contents(spans, bands))
    }

    /// Whether one of two sides is nothing but numbers of pages, each beside a line of the other.
    fn is_contents(&self, spans: &[Span], bands: &[Band]) -> bool {
        let Some(right) = spans.iter().map(|span| span.0).reduce(f64::max) else { return false };
        let side = |line: &&Line| (line.left >= right - 0.01) != self.is_right_to_left;
        let lines = || bands.iter().flat_map(|band| &band.lines);
        let titles: Vec<&Line> = lines().filter(|line| !side(line)).collect();
        if lines().count() > MAX_CONTENTS {
            return false;
        }
        lines().filter(side).all(|number| {
            number.is_page_number()
                && titles.iter().any(|title| (title.base - number.base).abs() < number.size * 0.5)
        })
    }

    fn side_by_side(&mut self, bands: &[Band], depth: usize) {
        let mut sides = labelled(band::sides(bands, self.gutter), self.gutter);
        if self.is_right_to_left {
            sides.reverse();
        }
        if let Some(rows) = table::of_sides(&sides) {
            self.parts.push(Part::Table(rows));
            return;
        }
        if sides.len() == 1 {
            self.parts.extend(sides.into_iter().filter_map(Column::new).map(Part::Column));
            return;
        }
        for side in sides {
            self.cut(side, depth + 1);
        }
    }
}

/// Sides that are nothing but the labels of items, each with the items to the right of it.
fn labelled(sides: Vec<Vec<Line>>, gutter: f64) -> Vec<Vec<Line>> {
    let mut together: Vec<Vec<Line>> = Vec::with_capacity(sides.len());
    for side in sides {
        let is_near = |labels: &Vec<Line>| {
            let left = side.iter().map(|line| line.left).fold(f64::INFINITY, f64::min);
            let is_label = |line: &Line| line.is_label() && left - line.right < gutter * 6.0;
            labels.iter().all(is_label)
        };
        match together.last_mut() {
            Some(labels) if is_near(labels) => labels.extend(side),
            _ => together.push(side),
        }
    }
    together
}

impl Column {
    /// Lines in rows from top to bottom, and in a row as they are read.
    fn new(mut lines: Vec<Line>) -> Option<Self> {
        lines.sort_by(|one, other| one.base.total_cmp(&other.base));
        let mut rows: Vec<Vec<Line>> = Vec::new();
        for line in lines {
            match rows.last_mut() {
                Some(row)
                    if row.iter().all(|other| {
                        (line.base - other.base).abs() < line.size.min(other.size) * 0.5
                            && (line.left >= other.right - line.size
                                || line.right <= other.left + line.size)
                    }) =>
                {
                    row.push(line);
                }
                _ => rows.push(vec![line]),
            }
        }
        Self::of(rows.into_iter().filter_map(Line::of_row).collect())
    }

    /// Lines as they are read.
    pub(super) fn of(lines: Vec<Line>) -> Option<Self> {
        Some(Self {
            left: lines.iter().map(|line| line.left).reduce(f64::min)?,
            right: lines.iter().map(|line| line.right).reduce(f64::max)?,
            lines,
        })
    }
}

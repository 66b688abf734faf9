//! What stands side by side and is read row by row: small tables, forms, dates beside what happened.
//!
//! Columns of running text fill their width, line for line; cells do not. Rows have their cells on
//! one height, or one cell in the middle of the lines of another.

use super::band::{self, Band, Span};
use super::column::{Column, Part};
use super::line::{Line, Start};
use super::table;

/// Columns of one table.
const MAX_SIDES: usize = 64;
/// Lines of one cell.
const MAX_CELL: usize = 12;
/// Letters and words of a line of running text, in the mean, and how much of its width it fills.
const MIN_LETTERS: usize = 18;
const MIN_WORDS: usize = 3;
const FILLED: f64 = 0.7;
/// The part of the lines of justified text that begin and end at its edges, of so many lines at
/// least, with so many words in two of them; and how far from the edges, in sizes.
const FLUSH: f64 = 0.5;
const MIN_FLUSH: usize = 6;
const MIN_WORDS_OF_TWO: usize = 3;
const EDGE: f64 = 0.3;
/// Lines of running text that are more than what stands beside a label.
const MAX_BESIDE: usize = 8;
/// Letters of a label beside them.
const MAX_LABEL: usize = 16;
/// Rows of two columns of words, beyond which these are columns of short lines, such as an index.
const MAX_PAIRS: usize = 20;
const MIN_PAIR: usize = 12;
/// The part of a gutter that lies between the columns of a table.
const NARROW: f64 = 0.2;
/// Bands of one table that are compared when columns of it become one.
const MAX_BANDS: usize = 400;
/// White above a row, in sizes, with which something else begins.
const APART: f64 = 2.0;
/// What is larger is a heading.
const OF_ONE_SIZE: f64 = 1.3;
/// The part of the usual distance of rows, at which a line goes on with the row above.
const CLOSE: f64 = 0.85;

/// A part of what stands side by side.
pub(super) enum Stretch {
    Text(Vec<Line>),
    Rows(Part),
}

/// Parts from top to bottom; `None` where nothing is read by rows.
pub(super) fn stretches(bands: &[Band], gutter: f64) -> Option<Vec<Stretch>> {
    let sides = band::sides(bands, gutter);
    if sides.len() > MAX_SIDES || are_columns(&sides) {
        return None;
    }
    // Cells stand apart in their rows; their columns need not.
    let gutter = gutter * NARROW;
    let narrow = |band: &Band| Band {
        spans: band::covered(std::slice::from_ref(band), gutter),
        ..band.clone()
    };
    let bands: Vec<Band> = bands.iter().map(narrow).collect();
    let mut stretches = Vec::new();
    let mut has_rows = false;
    for group in groups(&bands, gutter) {
        match group.trimmed() {
            Some((before, grid, after)) if let Some(part) = grid.part(gutter) => {
                has_rows = true;
                stretches.push(Stretch::Text(lines_of(before)));
                stretches.push(Stretch::Rows(part));
                stretches.push(Stretch::Text(lines_of(after)));
            }
            _ => stretches.push(Stretch::Text(lines_of(group.bands))),
        }
    }
    has_rows.then_some(stretches)
}

fn lines_of(bands: &[Band]) -> Vec<Line> {
    bands.iter().flat_map(|band| band.lines.iter().cloned()).collect()
}

/// Whether sides are columns of text, each of which is read by itself.
fn are_columns(sides: &[Vec<Line>]) -> bool {
    let (prose, others): (Vec<_>, Vec<_>) = sides.iter().partition(|side| is_prose(side));
    match prose.as_slice() {
        [] => {
            let is_of_words = |side: &Vec<Line>| {
                side.len() > MAX_PAIRS
                    && letters(side) >= side.len() * MIN_PAIR
                    && side.iter().filter(|line| line.text.starts_with(char::is_alphabetic)).count()
                        * 2
                        > side.len()
            };
            sides.len() == 2 && sides.iter().all(is_of_words)
        }
        [side] => {
            let is_wide = |other: &Vec<Line>| letters(other) > other.len() * MAX_LABEL;
            side.len() > MAX_BESIDE && others.into_iter().any(is_wide)
        }
        _ => true,
    }
}

fn letters(lines: &[Line]) -> usize {
    lines.iter().map(|line| line.text.chars().count()).sum()
}

/// Lines of several words, most of which go to the end.
fn is_prose(lines: &[Line]) -> bool {
    let words: usize = lines.iter().map(|line| line.text.split_whitespace().count()).sum();
    let Some((_, before_last)) = lines.split_last().filter(|(_, before)| !before.is_empty()) else {
        return false;
    };
    let left = lines.iter().map(|line| line.left).fold(f64::INFINITY, f64::min);
    let right = lines.iter().map(|line| line.right).fold(f64::NEG_INFINITY, f64::max);
    let is_filled = |line: &&Line| line.right - line.left > (right - left) * FILLED;
    let is_flush = |line: &&Line| (line.left - left).max(right - line.right) < line.size * EDGE;
    #[expect(clippy::cast_precision_loss, reason = "a page has fewer lines")]
    let is_justified = lines.len() >= MIN_FLUSH
        && words * 2 >= lines.len() * MIN_WORDS_OF_TWO
        && lines.iter().filter(is_flush).count() as f64 > lines.len() as f64 * FLUSH;
    letters(lines) >= lines.len() * MIN_LETTERS
        && (words >= lines.len() * MIN_WORDS || is_justified)
        && before_last.iter().filter(is_filled).count() * 10 >= before_last.len() * 6
}

/// Bands whose columns go through all of them.
struct Group<'b> {
    bands: &'b [Band],
    spans: Vec<Span>,
}

/// Bands that follow one another, in groups: a table below a letterhead is another group, since its
/// columns are others.
fn groups(bands: &[Band], gutter: f64) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut start = 0;
    let mut spans: Vec<Span> = Vec::new();
    let mut bottom = f64::NEG_INFINITY;
    for (at, band) in bands.iter().enumerate() {
        let together = band::together([&*spans, &band.spans].concat(), gutter);
        let size = band.size();
        let above = at.checked_sub(1).and_then(|above| bands.get(above)).map_or(size, Band::size);
        let is_like = size.max(above) < size.min(above) * OF_ONE_SIZE;
        let above = bands.get(start..=at).unwrap_or_default();
        let fits = together.len() >= spans.len().max(band.spans.len())
            || above.len() <= MAX_BANDS && are_apart(above, &together);
        if at > start && !(fits && is_like && band.top - bottom < size * APART) {
            groups.extend(bands.get(start..at).map(|bands| Group::new(bands, gutter)));
            start = at;
            spans.clone_from(&band.spans);
        } else {
            spans = together;
        }
        bottom = band.bottom;
    }
    groups.extend(bands.get(start..).map(|bands| Group::new(bands, gutter)));
    groups
}

/// Whether no two pieces of a band lie in the same one of `spans`.
fn are_apart(bands: &[Band], spans: &[Span]) -> bool {
    bands.iter().all(|band| {
        let place = |span: &Span| spans.partition_point(|other| other.0 <= span.0 + 0.01);
        let mut places: Vec<usize> = band.spans.iter().map(place).collect();
        places.sort_unstable();
        places.dedup();
        places.len() == band.spans.len()
    })
}

impl<'b> Group<'b> {
    fn new(bands: &'b [Band], gutter: f64) -> Self {
        Self { bands, spans: band::covered(bands, gutter) }
    }

    /// What is read by rows, and the lines of text above and below it.
    fn trimmed(&self) -> Option<(&'b [Band], Grid<'b>, &'b [Band])> {
        let first = self.bands.iter().position(Band::is_cut)?;
        let last = self.bands.iter().rposition(Band::is_cut)?;
        let step = usual_step(self.bands);
        let is_of_cell = |band: &Band| {
            band.lines.iter().all(|line| band::side(&self.spans, line) > 0) && self.spans.len() > 1
        };
        let above = self.bands.get(..first)?;
        let kept = above.iter().rev().take_while(|band| is_of_cell(band)).count();
        let below = self.bands.get(last..)?;
        let follows = |pair: &[Band]| match pair {
            [one, other] => {
                is_of_cell(other) || step.is_some_and(|step| other.base() - one.base() < step)
            }
            _ => false,
        };
        let more = below.windows(2).take_while(|pair| follows(pair)).count();
        let (above, rest) = self.bands.split_at_checked(first - kept)?;
        let (bands, below) = rest.split_at_checked(last + 1 + more - (first - kept))?;
        Some((above, Grid { bands, step }, below))
    }
}

/// The distance of a row from the one above, at which it is none of its own.
fn usual_step(bands: &[Band]) -> Option<f64> {
    let bases: Vec<f64> = bands.iter().filter(|band| band.is_cut()).map(Band::base).collect();
    let mut steps: Vec<f64> =
        bases.iter().zip(bases.iter().skip(1)).map(|(one, other)| other - one).collect();
    steps.sort_by(f64::total_cmp);
    steps.get(steps.len() / 2).map(|step| step * CLOSE)
}

impl Band {
    fn size(&self) -> f64 {
        self.lines.iter().map(|line| line.size).fold(0.0, f64::max)
    }

    /// Where its first line stands.
    fn base(&self) -> f64 {
        self.lines.iter().map(|line| line.base).fold(f64::INFINITY, f64::min)
    }
}

/// Bands that may be rows.
struct Grid<'b> {
    bands: &'b [Band],
    /// What is as close as that to the row above goes on with it.
    step: Option<f64>,
}

/// The lines of a row by column.
type Row = Vec<Vec<Line>>;

impl Grid<'_> {
    /// `None` where its bands are no rows.
    fn part(&self, gutter: f64) -> Option<Part> {
        let spans = band::covered(self.bands, gutter);
        let cut = self.bands.iter().filter(|band| band.is_cut()).count();
        let rows = self.rows(&spans);
        let has_labels = spans.len() == 2
            && rows.iter().filter_map(|row| row.first()).flatten().all(Line::is_label);
        if spans.len() < 2 || cut < 2 && !has_labels || !are_level(&rows, spans.len()) {
            return None;
        }
        if has_labels {
            return Column::of(items(rows)).map(Part::Column);
        }
        if let Some(cells) = table::of_rows(&rows) {
            return Some(Part::Table(cells));
        }
        Column::of(rows.into_iter().filter_map(line_of).collect()).map(Part::Column)
    }

    fn rows(&self, spans: &[Span]) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        let mut above: Option<f64> = None;
        for band in self.bands {
            let base = band.base();
            let is_close =
                self.step.is_some_and(|step| above.is_some_and(|above| base - above < step));
            let goes_on = is_close
                && (!band.is_cut() || band.lines.iter().all(|line| band::side(spans, line) > 0));
            if rows.is_empty() || !goes_on {
                rows.push(vec![Vec::new(); spans.len()]);
            }
            above = Some(base);
            let Some(row) = rows.last_mut() else { continue };
            for line in &band.lines {
                if let Some(cell) = row.get_mut(band::side(spans, line)) {
                    cell.push(line.clone());
                }
            }
        }
        for cell in rows.iter_mut().flatten() {
            cell.sort_by(|one, other| {
                one.base.total_cmp(&other.base).then(one.left.total_cmp(&other.left))
            });
        }
        rows
    }
}

/// Whether the cells of nearly all columns have another one on their height: not those of the column
/// with most of them.
fn are_level(rows: &[Row], columns: usize) -> bool {
    let mut counts = vec![(0_usize, 0_usize); columns];
    for row in rows {
        if row.iter().any(|cell| cell.len() > MAX_CELL) {
            return false;
        }
        for (index, (cell, count)) in row.iter().zip(&mut counts).enumerate() {
            if cell.is_empty() {
                continue;
            }
            count.0 += 1;
            let has_other = row.iter().enumerate().any(|(other_index, other)| {
                other_index != index && !other.is_empty() && is_level(cell, other)
            });
            count.1 += usize::from(has_other);
        }
    }
    let most = counts.iter().map(|(all, _)| *all).max().unwrap_or_default();
    let fullest = counts.iter().position(|(all, _)| *all == most);
    let is_good = |(index, (all, level)): (usize, &(usize, usize))| {
        Some(index) == fullest || level * 4 >= all * 3
    };
    counts.iter().enumerate().all(is_good)
}

/// Whether two cells begin, end or have their middle on one height.
fn is_level(one: &[Line], other: &[Line]) -> bool {
    let heights = |cell: &[Line]| {
        let first = cell.first().map_or(f64::NAN, |line| line.base);
        let last = cell.last().map_or(f64::NAN, |line| line.base);
        [first, last, f64::midpoint(first, last)]
    };
    let size = one.first().zip(other.first()).map_or(0.0, |(one, other)| one.size.min(other.size));
    heights(one).iter().zip(heights(other)).any(|(one, other)| (one - other).abs() < size * 0.35)
}

/// A row as one line.
fn line_of(row: Row) -> Option<Line> {
    let mut line = Line::of_row(row.into_iter().filter_map(Line::joined).collect())?;
    line.start = Start::Row;
    Some(line)
}

/// Items with their labels before their first lines.
fn items(rows: Vec<Row>) -> Vec<Line> {
    let mut items: Vec<Line> = Vec::new();
    for row in rows {
        let mut cells = row.into_iter();
        let mut labels = cells.next().unwrap_or_default().into_iter().peekable();
        for line in cells.flatten() {
            let mut parts = Vec::new();
            while let Some(label) = labels.next_if(|label| label.base < line.base + line.size * 0.5)
            {
                parts.push(label);
            }
            let start = if parts.is_empty() { Start::Text } else { Start::Label };
            let (size, is_bold) = (line.size, line.is_bold);
            parts.push(line);
            items.extend(Line::joined(parts).map(|line| Line { start, size, is_bold, ..line }));
        }
        items.extend(labels);
    }
    items
}

//! [`reading_order`]: lines from top to bottom, column by column.

use super::strip::Strip;

/// A line on a page that is set upright.
#[derive(Clone, Copy)]
struct Placed {
    line: Strip,
    left: f32,
    top: f32,
    right: f32,
    bottom: f32,
}

/// Lines in the order that they are read in: rows from the top, from the left in each. Where running
/// text stands in columns, one column after the other.
pub(super) fn reading_order(lines: Vec<Strip>, skew: f32) -> Vec<Vec<Strip>> {
    let mut placed: Vec<Placed> = lines
        .into_iter()
        .map(|line| {
            let [left, top, right, bottom] = line.bounds(skew);
            // Strips are larger than the text in them.
            let margin = MARGIN * line.height.min(line.length);
            Placed { line, left: left + margin, top, right: right - margin, bottom }
        })
        .collect();
    placed.sort_by(|a, b| a.top.total_cmp(&b.top).then(a.left.total_cmp(&b.left)));
    let mut ordered = Vec::with_capacity(placed.len());
    columns(placed, 0, &mut ordered);
    ordered
}

/// What lies on each side of the text in a strip, in heights.
const MARGIN: f32 = 0.25;

/// Parts of a page are divided no deeper than this.
const MAX_DEPTH: u8 = 6;

/// Lines above this number are not looked over for columns, which takes their square.
const MAX_LINES: usize = 1_500;

fn columns(lines: Vec<Placed>, depth: u8, ordered: &mut Vec<Vec<Strip>>) {
    let gutter = if depth < MAX_DEPTH && lines.len() <= MAX_LINES { gutter(&lines) } else { None };
    let Some(gutter) = gutter else { return rows(lines, ordered) };
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for line in lines {
        if line.right <= gutter {
            left.push(line);
        } else if line.left >= gutter {
            right.push(line);
        } else {
            // What spans both columns ends them and begins new ones.
            columns(std::mem::take(&mut left), depth + 1, ordered);
            columns(std::mem::take(&mut right), depth + 1, ordered);
            rows(vec![line], ordered);
        }
    }
    columns(left, depth + 1, ordered);
    columns(right, depth + 1, ordered);
}

/// Where running text is divided into columns, if it is.
fn gutter(lines: &[Placed]) -> Option<f32> {
    /// Lines on each side, at least.
    const ENOUGH: usize = 4;
    /// Cells of a table are shorter for their height than lines of running text.
    const RUNNING: f32 = 7.0;
    let mut best: Option<(usize, f32)> = None;
    for line in lines {
        let from = line.right;
        let width = 0.5 * (line.bottom - line.top);
        let is_in = |other: &Placed| other.left < from + width && other.right > from;
        let (left, right) = (
            lines.iter().filter(|other| other.right <= from),
            lines.iter().filter(|other| other.left >= from + width),
        );
        let spanning = lines.iter().filter(|other| is_in(other)).count();
        let running = |side: &mut dyn Iterator<Item = &Placed>| {
            side.filter(|it| it.right - it.left > RUNNING * (it.bottom - it.top)).count()
        };
        let (all_left, all_right) = (left.clone().count(), right.clone().count());
        let (left, right) = (running(&mut { left }), running(&mut { right }));
        let fewest = left.min(right);
        if fewest < ENOUGH
            || spanning * 4 > left + right
            || left * 2 < all_left
            || right * 2 < all_right
        {
            continue;
        }
        let worth = fewest.saturating_sub(spanning);
        if worth > 0 && best.is_none_or(|(most, _)| worth > most) {
            best = Some((worth, from));
        }
    }
    best.map(|(_, from)| from)
}

/// Lines whose middles are within half of their height stand in one row.
fn rows(lines: Vec<Placed>, ordered: &mut Vec<Vec<Strip>>) {
    let mut rows: Vec<Vec<Placed>> = Vec::new();
    for line in lines {
        let middle = |line: &Placed| f32::midpoint(line.top, line.bottom);
        let fits = |row: &&mut Vec<Placed>| {
            row.iter().all(|other| {
                let low = (other.bottom - other.top).min(line.bottom - line.top);
                (middle(other) - middle(&line)).abs() < 0.5 * low
                    && (other.right <= line.left + low || line.right <= other.left + low)
            })
        };
        /// Rows that a line may still belong to.
        const RECENT: usize = 6;
        match rows.iter_mut().rev().take(RECENT).find(fits) {
            Some(row) => row.push(line),
            None => rows.push(vec![line]),
        }
    }
    for mut row in rows {
        row.sort_by(|a, b| a.left.total_cmp(&b.left));
        ordered.push(row.into_iter().map(|placed| placed.line).collect());
    }
}

#[cfg(test)]
mod tests {
    use super::{Strip, reading_order};

    fn line(x: f32, y: f32, length: f32) -> Strip {
        Strip { x: x + length / 2.0, y, length, height: 10.0, angle: 0.0 }
    }

    fn starts(rows: &[Vec<Strip>]) -> Vec<Vec<(f32, f32)>> {
        rows.iter()
            .map(|row| row.iter().map(|line| (line.x - line.length / 2.0, line.y)).collect())
            .collect()
    }

    #[test]
    fn rows_are_read_across() {
        let rows = reading_order(
            vec![line(200.0, 11.0, 40.0), line(0.0, 30.0, 90.0), line(0.0, 10.0, 90.0)],
            0.0,
        );
        assert_eq!(starts(&rows), [vec![(0.0, 10.0), (200.0, 11.0)], vec![(0.0, 30.0)]]);
    }

    #[test]
    fn columns_are_read_down_between_headings() {
        let mut lines = vec![line(0.0, 0.0, 220.0), line(0.0, 100.0, 220.0)];
        for at in 0..5 {
            lines.push(line(0.0, 15.0 + 15.0 * at as f32, 100.0));
            lines.push(line(120.0, 15.0 + 15.0 * at as f32, 100.0));
        }
        let lefts: Vec<f32> =
            starts(&reading_order(lines, 0.0)).iter().map(|row| row[0].0).collect();
        assert_eq!(lefts, [[0.0; 6].as_slice(), &[120.0; 5], &[0.0]].concat());
    }

    #[test]
    fn a_table_is_read_across() {
        let cells = (0..8).flat_map(|row| {
            [line(0.0, 15.0 * row as f32, 30.0), line(100.0, 15.0 * row as f32, 30.0)]
        });
        assert!(reading_order(cells.collect(), 0.0).iter().all(|row| row.len() == 2));
    }
}

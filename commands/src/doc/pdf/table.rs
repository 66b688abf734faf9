//! Columns that are the columns of a table: short cells, on the same heights.

use super::line::Line;

const MIN_COLUMNS: usize = 3;
const MIN_ROWS: usize = 3;
/// Letters of a cell, in the mean. Lines of prose in narrow columns have more.
const MAX_LETTERS: usize = 22;

/// The rows of what stands side by side, where it is surely a table.
pub(super) fn of_sides(sides: &[Vec<Line>]) -> Option<Vec<Vec<String>>> {
    if sides.len() < MIN_COLUMNS {
        return None;
    }
    let mut cells: Vec<(usize, &Line)> = sides
        .iter()
        .enumerate()
        .flat_map(|(side, lines)| lines.iter().map(move |line| (side, line)))
        .collect();
    cells.sort_by(|one, other| one.1.base.total_cmp(&other.1.base).then(one.0.cmp(&other.0)));
    let mut rows: Vec<(f64, Vec<String>)> = Vec::new();
    for &(side, line) in &cells {
        let is_same = |base: f64| (line.base - base).abs() < line.size * 0.45;
        if !rows.last().is_some_and(|(base, _)| is_same(*base)) {
            rows.push((line.base, vec![String::new(); sides.len()]));
        }
        let cell = rows.last_mut().and_then(|(_, row)| row.get_mut(side));
        if let Some(cell) = cell {
            add(cell, line);
        }
    }
    let rows: Vec<Vec<String>> = rows.into_iter().map(|(_, row)| row).collect();
    // Nearly all rows have a cell in most columns; else these are lists that happen to be neighbours.
    (is_short(cells.iter().map(|(_, line)| *line)) && full(&rows) * 10 >= rows.len() * 8)
        .then_some(rows)
        .filter(|rows| rows.len() >= MIN_ROWS)
}

/// The cells of rows that are known as such, where they are those of a table.
pub(super) fn of_rows(rows: &[Vec<Vec<Line>>]) -> Option<Vec<Vec<String>>> {
    let columns = rows.first()?.len();
    let text = |cell: &Vec<Line>| {
        let mut text = String::new();
        cell.iter().for_each(|line| add(&mut text, line));
        text
    };
    let cells: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(text).collect()).collect();
    let is_table = columns >= MIN_COLUMNS
        && rows.len() >= MIN_ROWS
        && is_short(rows.iter().flatten().flatten())
        && full(&cells) * 2 >= cells.len();
    is_table.then_some(cells)
}

fn add(cell: &mut String, line: &Line) {
    if !cell.is_empty() {
        cell.push(' ');
    }
    cell.push_str(&line.text);
}

fn is_short<'l>(lines: impl Iterator<Item = &'l Line>) -> bool {
    let (mut count, mut letters) = (0, 0);
    for line in lines {
        count += 1;
        letters += line.text.chars().count();
    }
    letters <= count * MAX_LETTERS
}

/// Rows that have a cell in most columns.
fn full(rows: &[Vec<String>]) -> usize {
    let is_full =
        |row: &&Vec<String>| row.iter().filter(|cell| !cell.is_empty()).count() * 2 > row.len();
    rows.iter().filter(is_full).count()
}

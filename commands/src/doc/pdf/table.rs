//! Columns that are the columns of a table: short cells, on the same heights.

use super::line::Line;

const MIN_COLUMNS: usize = 3;
const MIN_ROWS: usize = 3;
/// Letters of a cell, in the mean. Lines of prose in narrow columns have more.
const MAX_LETTERS: usize = 22;

/// The rows of what stands side by side, where it is surely a table.
pub(super) fn rows(sides: &[Vec<Line>]) -> Option<Vec<Vec<String>>> {
    if sides.len() < MIN_COLUMNS {
        return None;
    }
    let mut cells: Vec<(usize, &Line)> = sides
        .iter()
        .enumerate()
        .flat_map(|(side, lines)| lines.iter().map(move |line| (side, line)))
        .collect();
    let letters: usize = cells.iter().map(|(_, line)| line.text.chars().count()).sum();
    if letters > cells.len() * MAX_LETTERS {
        return None;
    }
    cells.sort_by(|one, other| one.1.base.total_cmp(&other.1.base).then(one.0.cmp(&other.0)));
    let mut rows: Vec<(f64, Vec<String>, usize)> = Vec::new();
    for (side, line) in cells {
        let is_same = |base: f64| (line.base - base).abs() < line.size * 0.45;
        if !rows.last().is_some_and(|(base, ..)| is_same(*base)) {
            rows.push((line.base, vec![String::new(); sides.len()], 0));
        }
        let Some((_, row, filled)) = rows.last_mut() else { continue };
        let Some(cell) = row.get_mut(side) else { continue };
        match cell.is_empty() {
            true => *filled += 1,
            false => cell.push(' '),
        }
        cell.push_str(&line.text);
    }
    if rows.len() < MIN_ROWS {
        return None;
    }
    // Nearly all rows have a cell in most columns; else these are lists that happen to be neighbours.
    let is_full = |filled: &usize| *filled * 2 > sides.len();
    let full = rows.iter().filter(|(.., filled)| is_full(filled)).count();
    (full * 10 >= rows.len() * 8).then(|| rows.into_iter().map(|(_, row, _)| row).collect())
}

//! Lines of a column into paragraphs, headings and items of lists.

use super::super::block::{Block, Kind, Place, Rendering};
use super::super::markdown;
use super::column::Column;
use super::item::{label, marker};
use super::line::{Line, Start};

/// Letters of a line, in the mean of a paragraph. Longer ones run on, whatever stands below them.
const MAX_SHORT: usize = 40;
const HYPHENS: [char; 3] = ['-', '\u{2010}', '\u{AD}'];

/// Blocks of one column.
pub(super) fn blocks(
    column: &Column,
    body_size: f64,
    place: Place,
    rendering: Rendering,
) -> Vec<Block> {
    let mut blocks = Vec::new();
    let leading = usual_leading(&column.lines);
    let mut paragraph: Vec<&Line> = Vec::new();
    let mut lines = column.lines.iter().peekable();
    let mut step_before = None;
    while let Some(line) = lines.next() {
        if let Some(&last) = paragraph.last() {
            let step = line.base - last.base;
            let step_after = lines.peek().map(|next| next.base - line.base);
            // Lines that are set wide stand as far from one another as from other paragraphs.
            let least =
                [step_before, step_after].into_iter().flatten().fold(leading, f64::min).max(1.0);
            let beside =
                [step_before, step_after].into_iter().flatten().reduce(f64::min).unwrap_or(leading);
            let is_far = step > line.size.max(last.size) * 4.0;
            let is_gap =
                is_far || step > least * 1.25 && step > beside * 1.15 && step > line.size * 1.3;
            step_before = Some(step);
            if is_gap || is_new(last, line, &paragraph, column) {
                blocks.push(block(&paragraph, column, body_size, place, rendering));
                paragraph.clear();
                step_before = None;
            }
        }
        paragraph.push(line);
    }
    if !paragraph.is_empty() {
        blocks.push(block(&paragraph, column, body_size, place, rendering));
    }
    blocks
}

/// A table, whose cells are rendered as text is.
pub(super) fn table(rows: Vec<Vec<String>>, place: Place, rendering: Rendering) -> Block {
    let rows = match rendering {
        Rendering::Plain | Rendering::Blocks => rows,
        Rendering::Markdown => rows
            .into_iter()
            .map(|row| row.iter().map(|cell| markdown::escape(cell)).collect())
            .collect(),
    };
    Block::table(place, rows)
}

/// The distance that most lines have.
fn usual_leading(lines: &[Line]) -> f64 {
    let mut steps: Vec<f64> = lines
        .windows(2)
        .filter_map(|pair| match pair {
            [one, other] => Some(other.base - one.base),
            _ => None,
        })
        .collect();
    steps.sort_by(f64::total_cmp);
    steps.get(steps.len() / 2).copied().unwrap_or(0.0)
}

/// Whether `line` begins another paragraph than that which `last` ends so far.
fn is_new(last: &Line, line: &Line, paragraph: &[&Line], column: &Column) -> bool {
    let ends_early = ends_early(last, column, line);
    if line.start == Start::Label {
        return true;
    }
    if let Some((marker, _)) = marker(&line.text).filter(|_| line.start == Start::Text) {
        // A dash or a number can stand at the start of a line by chance.
        let is_bullet = marker.is_none() && !line.text.starts_with(['-', '–', '*']);
        let is_next = paragraph
            .first()
            .and_then(|first| self::marker(&first.text))
            .is_some_and(|(before, _)| before.is_some() == marker.is_some());
        if is_bullet
            || is_next
            || ends_early
            || ends_sentence(&last.text)
            || last.text.ends_with([';', ','])
        {
            return true;
        }
    }
    let (small, large) = (last.size.min(line.size), last.size.max(line.size));
    if large > small * 1.12 || last.is_bold != line.is_bold && ends_early {
        return true;
    }
    if line.is_right_to_left != last.is_right_to_left && ends_early {
        return true;
    }
    if line.is_right_to_left {
        return ends_early && line.right > column.right - line.size;
    }
    // An indent, unless the line hangs under the marker of an item.
    let is_indented =
        line.left > column.left + line.size * 0.8 && last.left < column.left + line.size * 0.5;
    let is_item = paragraph
        .first()
        .is_some_and(|first| first.start == Start::Label || marker(&first.text).is_some());
    if line.start == Start::Row || last.is_mono && line.is_mono {
        return false;
    }
    is_indented && !is_item && line.left < column.left + line.size * 4.0
        || ends_early && ends_sentence(&last.text)
}

/// Whether the line has room left for the first word of the next one.
fn ends_early(last: &Line, column: &Column, line: &Line) -> bool {
    let first_word = line.text.split_whitespace().next().map_or(0, |word| word.chars().count());
    #[expect(clippy::cast_precision_loss, reason = "a word is short")]
    let needed = (first_word as f64 + 1.0) * line.size * 0.55;
    let room =
        if line.is_right_to_left { last.left - column.left } else { column.right - last.right };
    room > needed + line.size
}

fn ends_sentence(text: &str) -> bool {
    text.trim_end_matches(['”', '"', '\'', '’', ')', ']'])
        .ends_with(['.', '!', '?', ':', '。', '！', '？', '：', '؟'])
}

fn block(
    lines: &[&Line],
    column: &Column,
    body_size: f64,
    place: Place,
    rendering: Rendering,
) -> Block {
    let text = joined(lines, column);
    let size = lines.iter().map(|line| line.size).fold(0.0, f64::max);
    let rendered = |text: &str| match rendering {
        Rendering::Plain | Rendering::Blocks => text.to_owned(),
        Rendering::Markdown => linked(text, lines),
    };
    let item = match lines.first().map(|line| line.start) {
        Some(Start::Label) => label(&text),
        _ => marker(&text),
    };
    if let Some(level) = level(lines, &text, size, body_size) {
        return Block::new(Kind::Heading(level), place, rendered(&text.replace('\n', " ")));
    }
    if let Some((marker, rest)) = item {
        return Block::new(Kind::ListItem { depth: 0, marker }, place, rendered(rest));
    }
    Block::new(Kind::Paragraph, place, rendered(&text))
}

/// As Markdown, with the links of the lines that it is made of.
fn linked(text: &str, lines: &[&Line]) -> String {
    let mut rendered = String::with_capacity(text.len());
    let mut rest = text;
    for (label, address) in lines.iter().flat_map(|line| &line.links) {
        if let Some((before, after)) = rest.split_once(label.as_str()) {
            rendered.push_str(&markdown::escape(before));
            rendered.push_str(&markdown::link(&markdown::escape(label), address));
            rest = after;
        }
    }
    rendered.push_str(&markdown::escape(rest));
    rendered
}

/// Headings are larger than the text, or bold and alone.
fn level(lines: &[&Line], text: &str, size: f64, body_size: f64) -> Option<u8> {
    let letters = text.chars().filter(|character| character.is_alphabetic()).count();
    let is_of_rows = lines.iter().any(|line| line.start == Start::Row);
    if lines.len() > 4 || letters < 2 || text.chars().count() > 200 || is_of_rows {
        return None;
    }
    let ratio = size / body_size.max(1.0);
    let is_marginal = lines.iter().all(|line| line.is_marginal);
    match ratio {
        _ if ratio > 1.7 => Some(1),
        _ if is_marginal => None,
        _ if ratio > 1.3 => Some(2),
        _ if ratio > 1.12 => Some(3),
        _ if ratio > 0.98
            && lines.len() <= 2
            && lines.iter().all(|line| line.is_bold)
            && !ends_sentence(text)
            && !text.ends_with(',') =>
        {
            Some(4)
        }
        _ => None,
    }
}

/// Lines as one: a word that was divided is put together again.
fn joined(lines: &[&Line], column: &Column) -> String {
    let mut text = String::new();
    let letters: usize = lines.iter().map(|line| line.text.chars().count()).sum();
    let words: usize = lines.iter().map(|line| line.text.split(' ').count()).sum();
    // Lines that are short enough to have been ended by somebody.
    let is_narrow = letters <= lines.len() * MAX_SHORT;
    let are_short = is_narrow && words > lines.len();
    let is_all_mono = column.lines.iter().all(|line| line.is_mono);
    let mut before: Option<&Line> = None;
    for &line in lines {
        let next = line.text.as_str();
        let Some(last) = before.replace(line) else {
            text.push_str(next);
            continue;
        };
        let is_code = last.is_mono
            && line.is_mono
            && (!is_all_mono || is_narrow || (line.left - last.left).abs() > line.size * 0.3);
        if last.is_entry()
            || line.start == Start::Row
            || is_code
            || are_short && !text.ends_with(HYPHENS) && ends_early(last, column, line)
        {
            text.push('\n');
        } else if text.ends_with('\u{AD}') || is_divided(&text, next) {
            text.pop();
        } else if !(text.ends_with('-')
            || text.ends_with(is_unspaced) && next.starts_with(is_unspaced))
        {
            text.push(' ');
        }
        text.push_str(next);
    }
    text.retain(|character| character != '\u{AD}');
    text
}

/// Letters, a hyphen, and small letters on the next line.
fn is_divided(text: &str, next: &str) -> bool {
    let Some(before) = text.strip_suffix(['-', '\u{2010}']) else { return false };
    let is_word = before.ends_with(char::is_alphabetic) && next.starts_with(char::is_lowercase);
    // A word in capitals, of which more than one stands on both lines.
    is_word || are_capitals(before.chars().rev()) && are_capitals(next.chars())
}

fn are_capitals(mut letters: impl Iterator<Item = char>) -> bool {
    (0..2).all(|_| letters.next().is_some_and(char::is_uppercase))
}

/// Scripts that put no blanks between words.
fn is_unspaced(character: char) -> bool {
    matches!(character, '\u{2E80}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF00}'..='\u{FFEF}' | '\u{20000}'..='\u{3FFFF}' | '\u{0E00}'..='\u{0EFF}')
}

//! Blanks between marks, where they were drawn and where only a gap tells of them.

use super::piece::Placed;

/// Sizes that are a blank, in a line without drawn ones.
const GAP: f64 = 0.13;
/// In a line with drawn ones, where letters are often set wider apart.
const GAP_BESIDE_BLANKS: f64 = 0.18;
/// Dots that lead to a page number stand no farther apart.
const LEADER: f64 = 1.5;
/// Between characters that are as wide as they are high, which stand apart by themselves.
const GAP_OF_WIDE: f64 = 0.6;

/// The texts of the marks from left to right, and blanks as texts of their own.
pub(super) fn spaced<'m>(marks: &'m [Placed<'_>]) -> Vec<&'m str> {
    // One blank of a hundred characters says nothing of the others.
    let blanks = marks.iter().filter(|placed| is_drawn_blank(placed)).count();
    let has_blanks = blanks * 16 > marks.len();
    let usual = usual_gap(marks);
    let mut texts: Vec<&'m str> = Vec::with_capacity(marks.len() + marks.len() / 4);
    let mut before: Option<&Placed<'_>> = None;
    let mut is_after_blank = false;
    let mut is_start = true;
    for placed in marks {
        if placed.is_blank() {
            // A blank that lies on a letter is none.
            is_after_blank |=
                before.is_none_or(|before| placed.end() > before.end() - before.mark.size * 0.05);
            continue;
        }
        if let Some(before) = before {
            let size = before.mark.size.min(placed.mark.size);
            let gap = (placed.u - before.end()) / size;
            let wide = [before, placed].into_iter().filter(|placed| is_wide(&placed.text)).count();
            let least = match (wide, has_blanks) {
                (2, _) => GAP_OF_WIDE,
                (0, true) => GAP_BESIDE_BLANKS,
                _ => GAP,
            };
            let is_leader = before.text.as_ref() == "." && placed.text.as_ref() == ".";
            let is_gap = gap > least + usual.max(0.0) && !(is_leader && gap < LEADER)
                || is_note(before, placed, is_start);
            // Among letters that are joined, one that takes no room only keeps them apart.
            let are_joining =
                [before, placed].into_iter().all(|placed| placed.text.chars().any(is_joining));
            let is_drawn = is_after_blank && gap > if are_joining { 0.04 } else { -0.3 };
            if is_gap || is_drawn && !(wide == 2 && gap < 0.1) {
                texts.push(" ");
            }
        }
        is_start &= is_note_mark(&placed.text);
        texts.push(&placed.text);
        before = Some(placed);
        is_after_blank = false;
    }
    texts
}

fn is_drawn_blank(placed: &Placed<'_>) -> bool {
    placed.is_blank() && placed.mark.width > placed.mark.size * 0.06
}

/// The gap that most letters of a line have: more than nothing where a line is set wide.
fn usual_gap(marks: &[Placed<'_>]) -> f64 {
    let mut gaps: Vec<f64> = marks
        .windows(2)
        .filter_map(|pair| match pair {
            // Dots that lead to a page number are set as wide as somebody liked.
            [one, other]
                if ![one, other]
                    .iter()
                    .any(|placed| placed.is_blank() || is_leader(&placed.text)) =>
            {
                Some((other.u - one.end()) / one.mark.size)
            }
            _ => None,
        })
        .collect();
    if gaps.len() < 4 {
        return 0.0;
    }
    gaps.sort_by(f64::total_cmp);
    // A third of the way: lines of short words have many gaps that are blanks.
    gaps.get(gaps.len() / 3).copied().filter(|gap| *gap > 0.04 && *gap < 1.0).unwrap_or(0.0)
}

fn is_leader(text: &str) -> bool {
    matches!(text, "." | "·" | "…" | "_" | "․")
}

/// Whether a small raised mark, with which the line starts, is that of a note, and the text of the
/// note follows.
fn is_note(mark: &Placed<'_>, next: &Placed<'_>, is_start: bool) -> bool {
    is_start
        && next.mark.size > mark.mark.size * 1.15
        && next.v - mark.v > next.mark.size * 0.15
        && next.text.starts_with(char::is_alphabetic)
}

fn is_note_mark(text: &str) -> bool {
    text.chars().all(|character| character.is_ascii_digit() || "*†‡§¶∗".contains(character))
}

/// Arabic letters and the shapes that they take.
fn is_joining(character: char) -> bool {
    matches!(character, '\u{600}'..='\u{77F}' | '\u{FB50}'..='\u{FEFC}')
}

/// Of scripts without blanks between words: not of Hangul.
fn is_wide(text: &str) -> bool {
    text.chars().next().is_some_and(|character| {
        matches!(character, '\u{2E80}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF00}'..='\u{FFEF}' | '\u{20000}'..)
    })
}

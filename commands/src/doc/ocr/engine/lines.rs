//! [`lines`]: from pieces of text to lines, on a page that may be skewed.

use super::strip::Strip;

/// Strips that are so much longer than high tell which way lines run.
const TELLING: f32 = 4.0;

/// How the lines of a page run: the median angle, weighed by length.
pub(super) fn skew(strips: &[Strip]) -> f32 {
    let mut angles: Vec<(f32, f32)> = strips
        .iter()
        .filter(|strip| strip.length > TELLING * strip.height)
        .map(|strip| (strip.angle, strip.length))
        .collect();
    angles.sort_by(|a, b| a.0.total_cmp(&b.0));
    median(&angles).unwrap_or_default()
}

/// Short pieces, whose own angle tells little, are turned as the page is, and heights that differ a
/// little become one: text of one size is then read in one scale.
pub(super) fn aligned(strips: &[Strip], skew: f32) -> Vec<Strip> {
    /// A strip that differs more from the page is no line of it, or the angle is wrong.
    const MAX_DEVIATION: f32 = 0.05;
    let tells = |strip: &Strip| {
        strip.length > TELLING * strip.height && (strip.angle - skew).abs() < MAX_DEVIATION
    };
    let mut aligned: Vec<Strip> =
        strips.iter().map(|strip| if tells(strip) { *strip } else { strip.along(skew) }).collect();
    let mut heights: Vec<(f32, f32)> =
        aligned.iter().map(|strip| (strip.height, strip.length)).collect();
    heights.sort_by(|a, b| a.0.total_cmp(&b.0));
    for strip in &mut aligned {
        strip.height = common(&heights, strip.height);
    }
    aligned
}

/// The median, weighed by length, of the heights near one.
fn common(heights: &[(f32, f32)], height: f32) -> f32 {
    const NEAR: f32 = 1.25;
    let first = heights.partition_point(|(other, _)| *other < height / NEAR);
    let last = heights.partition_point(|(other, _)| *other <= height * NEAR);
    median(heights.get(first..last).unwrap_or_default()).unwrap_or(height)
}

/// Of values that are sorted, with their weights.
fn median(values: &[(f32, f32)]) -> Option<f32> {
    let half = values.iter().map(|(_, weight)| weight).sum::<f32>() / 2.0;
    let mut passed = 0.0;
    values
        .iter()
        .find(|(_, weight)| {
            passed += weight;
            passed >= half
        })
        .map(|(value, _)| *value)
}

/// Joins the pieces of a row that are no further apart than words are.
pub(super) fn joined(row: Vec<Strip>) -> Vec<Strip> {
    let mut lines: Vec<Strip> = Vec::new();
    for piece in row {
        match lines.last_mut().filter(|line| is_beside(line, &piece)) {
            Some(line) => *line = line.with(&piece),
            None => lines.push(piece),
        }
    }
    lines
}

/// `piece` goes on where `line` ends.
fn is_beside(line: &Strip, piece: &Strip) -> bool {
    /// In heights.
    const GAP: f32 = 0.6;
    /// The smaller height to the larger.
    const ALIKE: f32 = 0.5;
    let long = if line.length > piece.length { line } else { piece };
    let (right, _) = long.offset(line.x, line.y, piece.x, piece.y);
    let (low, high) = (line.height.min(piece.height), line.height.max(piece.height));
    low > ALIKE * high && right - (line.length + piece.length) / 2.0 < GAP * high
}

#[cfg(test)]
mod tests {
    use super::{Strip, aligned, joined, skew};

    fn strip(x: f32, length: f32, height: f32, angle: f32) -> Strip {
        Strip { x, y: 50.0, length, height, angle }
    }

    #[test]
    fn long_lines_tell_the_skew() {
        let strips = [
            strip(0.0, 400.0, 10.0, 0.04),
            strip(0.0, 300.0, 10.0, 0.05),
            strip(0.0, 20.0, 10.0, -0.5),
            strip(0.0, 60.0, 10.0, -0.4),
        ];
        assert!((skew(&strips) - 0.04).abs() < 1e-6);
        assert!(skew(&strips[2..3]).abs() < 1e-6, "no line is long enough to tell");
    }

    #[test]
    fn text_of_one_size_gets_one_height() {
        let lines = [
            strip(0.0, 400.0, 10.0, 0.0),
            strip(0.0, 500.0, 11.0, 0.0),
            strip(0.0, 300.0, 12.0, 0.0),
            strip(0.0, 400.0, 30.0, 0.0),
        ];
        let heights: Vec<f32> = aligned(&lines, 0.0).iter().map(|line| line.height).collect();
        assert_eq!(heights, [11.0, 11.0, 11.0, 30.0]);
    }

    #[test]
    fn words_are_joined_and_columns_are_not() {
        let row = vec![
            strip(50.0, 100.0, 10.0, 0.0),
            strip(130.0, 52.0, 10.0, 0.0),
            strip(300.0, 100.0, 10.0, 0.0),
        ];
        let lines = joined(row);
        assert_eq!(lines.len(), 2);
        assert!((lines[0].length - 156.0).abs() < 1e-3 && (lines[0].x - 78.0).abs() < 1e-3);
    }
}

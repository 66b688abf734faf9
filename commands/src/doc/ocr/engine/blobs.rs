//! [`blobs`]: from a map of how likely each pixel is text to strips of text.

use super::strip::Strip;

/// Above it a pixel is text.
const TEXT: f32 = 0.3;
/// What a blob's pixels must reach on average.
const SURE: f32 = 0.5;
/// The models are trained to mark the middle of a line of text: its box is so much larger, as area
/// over circumference.
const GROWTH: f32 = 1.6;
/// Blobs lower than that are specks.
const MIN_HEIGHT: f32 = 3.0;

/// A run of text pixels in one row.
#[derive(Clone, Copy)]
struct Run {
    row: usize,
    start: usize,
    end: usize,
    sum: f32,
    /// Its own number or that of an earlier run which it touches.
    parent: usize,
}

/// The strips in a map of rows of `width`, in the order of their first pixels.
pub(super) fn blobs(map: &[f32], width: usize) -> Vec<Strip> {
    let mut runs = Vec::new();
    let mut above = 0..0;
    for (row, values) in map.chunks_exact(width.max(1)).enumerate() {
        let first = runs.len();
        find_runs(row, values, &mut runs);
        join(&mut runs, above, first);
        above = first..runs.len();
    }
    let mut found: Vec<Vec<Run>> = Vec::new();
    // A run's parent comes before it, so its place is known by then.
    let mut places: Vec<usize> = Vec::with_capacity(runs.len());
    for (at, &run) in runs.iter().enumerate() {
        let place = places.get(run.parent).copied().unwrap_or(found.len());
        places.push(place);
        match found.get_mut(place) {
            Some(blob) => blob.push(run),
            None => {
                debug_assert_eq!(run.parent, at);
                found.push(vec![run]);
            }
        }
    }
    found.iter().filter_map(|blob| strip(blob)).collect()
}

fn find_runs(row: usize, values: &[f32], runs: &mut Vec<Run>) {
    let mut open: Option<Run> = None;
    for (x, &value) in values.iter().enumerate() {
        if value > TEXT {
            let run =
                open.get_or_insert(Run { row, start: x, end: x, sum: 0.0, parent: runs.len() });
            run.end = x + 1;
            run.sum += value;
        } else {
            runs.extend(open.take());
        }
    }
    runs.extend(open);
}

/// Joins the runs from `first` on with those of the row above that they touch, corners counted.
fn join(runs: &mut [Run], above: std::ops::Range<usize>, first: usize) {
    let mut upper = above.start;
    for at in first..runs.len() {
        let Some(&run) = runs.get(at) else { return };
        while runs.get(upper).is_some_and(|other| upper < above.end && other.end < run.start) {
            upper += 1;
        }
        let mut other = upper;
        while other < above.end && runs.get(other).is_some_and(|other| other.start <= run.end) {
            let (one, two) = (root(runs, at), root(runs, other));
            if let Some(late) = runs.get_mut(one.max(two)) {
                late.parent = one.min(two);
            }
            other += 1;
        }
    }
}

/// The first run of those that `at` is joined with; the way there is halved for the next call.
fn root(runs: &mut [Run], mut at: usize) -> usize {
    while let Some(parent) = runs.get(at).map(|run| run.parent).filter(|&parent| parent != at) {
        let grandparent = runs.get(parent).map_or(parent, |run| run.parent);
        if let Some(run) = runs.get_mut(at) {
            run.parent = grandparent;
        }
        at = grandparent;
    }
    at
}

#[expect(clippy::cast_precision_loss, reason = "pixels of a page")]
fn strip(blob: &[Run]) -> Option<Strip> {
    let pixels: usize = blob.iter().map(|run| run.end - run.start).sum();
    let sum: f32 = blob.iter().map(|run| run.sum).sum();
    if sum < SURE * pixels as f32 {
        return None;
    }
    let points = blob.iter().flat_map(|run| {
        let (top, left, right) = (run.row as f32, run.start as f32, run.end as f32);
        [(left, top), (right, top), (left, top + 1.0), (right, top + 1.0)]
    });
    let strip = smallest_around(&hull(points.collect()))?;
    if strip.height.min(strip.length) < MIN_HEIGHT {
        return None;
    }
    let more = strip.length * strip.height * GROWTH / (strip.length + strip.height);
    Some(Strip { length: strip.length + more, height: strip.height + more, ..strip })
}

type Point = (f32, f32);

/// The convex hull, by Andrew's monotone chain.
fn hull(mut points: Vec<Point>) -> Vec<Point> {
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    points.dedup();
    let mut around = half(points.iter().copied());
    around.extend(half(points.into_iter().rev()));
    around
}

fn half(points: impl Iterator<Item = Point>) -> Vec<Point> {
    let mut chain: Vec<Point> = Vec::new();
    for point in points {
        while let [.., a, b] = chain.as_slice() {
            if (b.0 - a.0) * (point.1 - a.1) - (b.1 - a.1) * (point.0 - a.0) > 0.0 {
                break;
            }
            chain.pop();
        }
        chain.push(point);
    }
    chain.pop();
    chain
}

/// The rectangle of the smallest area around a convex hull; one of its sides lies along the hull.
/// Its text runs at most an eighth of a turn from the right.
fn smallest_around(hull: &[Point]) -> Option<Strip> {
    let next = hull.iter().cycle().skip(1);
    let boxes =
        hull.iter().zip(next).map(|(from, to)| around(hull, (to.1 - from.1).atan2(to.0 - from.0)));
    boxes.min_by(|a, b| (a.length * a.height).total_cmp(&(b.length * b.height)))
}

fn around(hull: &[Point], angle: f32) -> Strip {
    use std::f32::consts::FRAC_PI_2;
    let angle = angle - (angle / FRAC_PI_2).round() * FRAC_PI_2;
    let (sin, cos) = angle.sin_cos();
    let mut bounds = [f32::INFINITY, f32::NEG_INFINITY, f32::INFINITY, f32::NEG_INFINITY];
    for &(x, y) in hull {
        let (along, across) = (x * cos + y * sin, y * cos - x * sin);
        let [left, right, top, bottom] = bounds;
        bounds = [left.min(along), right.max(along), top.min(across), bottom.max(across)];
    }
    let [left, right, top, bottom] = bounds;
    let (along, across) = (f32::midpoint(left, right), f32::midpoint(top, bottom));
    Strip {
        x: along * cos - across * sin,
        y: along * sin + across * cos,
        length: right - left,
        height: bottom - top,
        angle,
    }
}

#[cfg(test)]
mod tests {
    use super::blobs;

    fn map(rows: &[&str]) -> (Vec<f32>, usize) {
        let values =
            rows.iter().flat_map(|row| row.chars()).map(|c| if c == '#' { 0.9 } else { 0.0 });
        (values.collect(), rows[0].len())
    }

    #[test]
    fn pieces_that_touch_are_one_strip() {
        let (map, width) = map(&[
            "................",
            ".#..#....#####..",
            ".####....#####..",
            ".####....#####..",
            ".###...#.#####..",
            "................",
        ]);
        let strips = blobs(&map, width);
        assert_eq!(strips.len(), 2, "the speck is dropped: {strips:?}");
        assert_eq!((strips[0].x, strips[0].y), (3.0, 3.0));
        let more = 4.0 * 4.0 * 1.6 / 8.0;
        assert!((strips[0].length - (4.0 + more)).abs() < 1e-4);
    }

    #[test]
    fn a_slope_is_found() {
        let mut map = vec![0.0; 200 * 60];
        for x in 10..190 {
            for y in 0..8 {
                map[(20 + x / 10 + y) * 200 + x] = 0.8;
            }
        }
        let strips = blobs(&map, 200);
        assert_eq!(strips.len(), 1);
        assert!((strips[0].angle - 0.1_f32.atan()).abs() < 0.01, "{strips:?}");
        assert!(strips[0].length > strips[0].height * 5.0);
    }

    #[test]
    fn what_is_unsure_is_no_text() {
        assert_eq!(blobs(&[0.4; 100], 10), []);
        assert_eq!(blobs(&[], 0), []);
    }
}

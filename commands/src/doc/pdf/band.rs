//! [`Band`]: lines between two stripes of white that run from side to side of what is cut.

use super::line::Line;

/// Pieces of a band, beyond which nothing is compared with what is below it.
const MAX_PIECES: usize = 64;
/// Lines that overlap by so many sizes stand side by side.
const MIN_OVERLAP: f64 = 0.1;
/// So many sizes between words are a gap between cells, where the row beside has one, too: in a line
/// by itself, and in one beside others.
const APART: f64 = 0.55;
const APART_IN_ROW: f64 = 0.35;
/// So much of a gap lies over that of the next band, in sizes, where both are one gutter.
const MIN_SHARED: f64 = 0.25;

#[derive(Clone, Debug)]
pub(super) struct Band {
    pub(super) lines: Vec<Line>,
    /// What its lines cover, from left to right, without gaps that are no gutter.
    pub(super) spans: Vec<Span>,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

/// From left to right.
pub(super) type Span = (f64, f64);

/// Bands from top to bottom.
pub(super) fn bands(mut lines: Vec<Line>, gutter: f64) -> Vec<Band> {
    lines.sort_by(|one, other| {
        one.top().total_cmp(&other.top()).then(one.left.total_cmp(&other.left))
    });
    let mut bands: Vec<Band> = Vec::new();
    for line in lines {
        match bands.last_mut() {
            Some(band) if line.top() < band.bottom - line.size * MIN_OVERLAP => {
                band.bottom = band.bottom.max(line.bottom());
                band.lines.push(line);
            }
            _ => bands.push(Band {
                spans: Vec::new(),
                top: line.top(),
                bottom: line.bottom(),
                lines: vec![line],
            }),
        }
    }
    for band in &mut bands {
        band.spans = covered(std::slice::from_ref(band), gutter);
    }
    for at in 1..bands.len() {
        split(&mut bands, at - 1, at, gutter);
    }
    for at in (1..bands.len()).rev() {
        split(&mut bands, at, at - 1, gutter);
    }
    bands
}

/// The lines of `bands` by what they cover together, from left to right.
pub(super) fn sides(bands: &[Band], gutter: f64) -> Vec<Vec<Line>> {
    let spans = covered(bands, gutter);
    let mut sides: Vec<Vec<Line>> = vec![Vec::new(); spans.len()];
    for line in bands.iter().flat_map(|band| &band.lines) {
        if let Some(side) = sides.get_mut(side(&spans, line)) {
            side.push(line.clone());
        }
    }
    sides
}

/// What `bands` cover together, from left to right.
pub(super) fn covered(bands: &[Band], gutter: f64) -> Vec<Span> {
    let lines = bands.iter().flat_map(|band| &band.lines);
    together(lines.map(|line| (line.left, line.right)).collect(), gutter)
}

/// Which of the spans a line lies in.
pub(super) fn side(spans: &[Span], line: &Line) -> usize {
    spans.partition_point(|span| span.0 <= line.left + 0.01).saturating_sub(1)
}

/// Spans from left to right, without gaps that are narrower than a gutter.
pub(super) fn together(mut spans: Vec<Span>, gutter: f64) -> Vec<Span> {
    spans.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut together: Vec<Span> = Vec::new();
    for (left, right) in spans {
        match together.last_mut() {
            Some(last) if left <= last.1 + gutter => last.1 = last.1.max(right),
            _ => together.push((left, right)),
        }
    }
    together
}

/// Gaps of one band that could be between words are those between columns where the band beside it
/// has them, too.
fn split(bands: &mut [Band], known: usize, at: usize, gutter: f64) {
    let Some(gutters) = bands.get(known).map(Band::gutters).filter(|gutters| !gutters.is_empty())
    else {
        return;
    };
    let Some(band) = bands.get_mut(at).filter(|band| band.lines.len() <= MAX_PIECES) else {
        return;
    };
    let apart = if band.is_cut() { APART_IN_ROW } else { APART };
    if !band.lines.iter().any(|line| line.cuts(&gutters, apart).next().is_some()) {
        return;
    }
    let lines = std::mem::take(&mut band.lines);
    band.lines = lines.into_iter().flat_map(|line| line.split(&gutters, apart)).collect();
    band.spans = covered(std::slice::from_ref(band), gutter);
}

impl Band {
    pub(super) fn is_cut(&self) -> bool {
        self.spans.len() > 1
    }

    /// The gaps between its spans; none where it has too many.
    fn gutters(&self) -> Vec<Span> {
        if !self.is_cut() || self.spans.len() > MAX_PIECES {
            return Vec::new();
        }
        let spans = self.spans.iter();
        spans.clone().zip(spans.skip(1)).map(|(one, other)| (one.1, other.0)).collect()
    }
}

impl Line {
    /// The words before which it is cut: where a gap of so many sizes lies in a gutter.
    fn cuts<'a>(
        &'a self,
        gutters: &'a [Span],
        apart: f64,
    ) -> impl Iterator<Item = usize> + use<'a> {
        let size = self.size;
        let is_cut = move |gap: Span| {
            let is_in = |gutter: &&Span| {
                gap.1.min(gutter.1) - gap.0.max(gutter.0) > size * MIN_SHARED
                    && gap.1 - gap.0 > size * apart
            };
            // The gutters go from left to right.
            let first = gutters.partition_point(|gutter| gutter.1 <= gap.0);
            gutters.get(first..).unwrap_or_default().iter().take(2).any(|gutter| is_in(&gutter))
        };
        let words = self.words.iter().zip(self.words.iter().skip(1)).enumerate();
        words.filter(move |(_, (one, other))| is_cut((one.1, other.0))).map(|(at, _)| at + 1)
    }

    /// The line in as many as it is cut into.
    fn split(self, gutters: &[Span], apart: f64) -> Vec<Self> {
        let starts: Vec<usize> = self.cuts(gutters, apart).collect();
        if starts.is_empty() {
            return vec![self];
        }
        let words: Vec<&str> = self.text.split(' ').collect();
        let ends = starts.iter().copied().chain([words.len()]);
        let part = |(start, end): (usize, usize)| {
            let text = words.get(start..end)?.join(" ");
            let spans = self.words.get(start..end)?;
            let links = self.links.iter().filter(|(label, _)| text.contains(label.as_str()));
            Some(Self {
                left: spans.first()?.0,
                right: spans.last()?.1,
                links: links.cloned().collect(),
                words: spans.to_vec(),
                text,
                ..self.clone()
            })
        };
        [0].into_iter().chain(starts.iter().copied()).zip(ends).filter_map(part).collect()
    }
}

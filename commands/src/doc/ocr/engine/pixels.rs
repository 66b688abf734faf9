//! [`Pixels`]: a page as a grid of colours, and the copies of it that reading needs.

/// A page: rows from the top, three bytes (red, green, blue) for each pixel.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Pixels {
    width: usize,
    height: usize,
    data: Vec<u8>,
}

/// Bytes of one pixel.
pub(super) const CHANNELS: usize = 3;

impl Pixels {
    /// `None` when `data` is not `width` times `height` pixels, or one of them is 0.
    pub(crate) fn new(width: usize, height: usize, data: Vec<u8>) -> Option<Self> {
        let bytes = width.checked_mul(height)?.checked_mul(CHANNELS)?;
        (bytes > 0 && data.len() == bytes).then_some(Self { width, height, data })
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    pub(crate) fn height(&self) -> usize {
        self.height
    }

    pub(super) fn rows(&self) -> impl DoubleEndedIterator<Item = &[u8]> {
        self.data.chunks_exact(self.width * CHANNELS)
    }

    pub(super) fn row(&self, y: usize) -> &[u8] {
        let bytes = self.width * CHANNELS;
        self.data.get(y * bytes..(y + 1) * bytes).unwrap_or_default()
    }

    /// Red, green and blue of a pixel and of the next to its right; black where one of them is beyond
    /// the page.
    pub(super) fn pair(&self, x: usize, y: usize) -> [u8; 2 * CHANNELS] {
        let start = (y * self.width + x) * CHANNELS;
        let found = self.data.get(start..start + 2 * CHANNELS);
        found.and_then(|pair| pair.try_into().ok()).unwrap_or_default()
    }

    /// Each number by its place and value.
    pub(super) fn map(mut self, of: impl Fn(usize, usize, u8) -> f32) -> Self {
        for (y, row) in self.data.chunks_exact_mut(self.width * CHANNELS).enumerate() {
            for (x, pixel) in row.chunks_exact_mut(CHANNELS).enumerate() {
                pixel.iter_mut().for_each(|value| *value = byte(of(x, y, *value)));
            }
        }
        self
    }

    /// In half the size each way, four pixels into one; a last odd row or column is dropped.
    /// `None` below 2 by 2.
    pub(super) fn halved(&self) -> Option<Self> {
        let (width, height) = (self.width / 2, self.height / 2);
        let mut data = Vec::with_capacity(width * height * CHANNELS);
        for pair in self.data.chunks_exact(2 * self.width * CHANNELS) {
            let (above, below) = pair.split_at(self.width * CHANNELS);
            for (above, below) in
                above.chunks_exact(2 * CHANNELS).zip(below.chunks_exact(2 * CHANNELS))
            {
                if let (&[r0, g0, b0, r1, g1, b1], &[r2, g2, b2, r3, g3, b3]) = (above, below) {
                    data.extend([
                        mean([r0, r1, r2, r3]),
                        mean([g0, g1, g2, g3]),
                        mean([b0, b1, b2, b3]),
                    ]);
                }
            }
        }
        Self::new(width, height, data)
    }

    /// Turned clockwise by so many quarters.
    pub(super) fn turned(&self, quarters: u8) -> Self {
        match quarters % 4 {
            1 => self
                .transposed(|data| data.chunks_exact_mut(self.height * CHANNELS).for_each(mirror)),
            2 => {
                let mut turned = self.clone();
                mirror(&mut turned.data);
                turned
            }
            3 => self.transposed(|data| {
                // A transposed page turned by a half and mirrored row by row is one with its rows reversed.
                mirror(data);
                data.chunks_exact_mut(self.height * CHANNELS).for_each(mirror);
            }),
            _ => self.clone(),
        }
    }

    fn transposed(&self, finish: impl Fn(&mut [u8])) -> Self {
        let mut data = vec![0; self.data.len()];
        for (y, row) in self.rows().enumerate() {
            let column = data.chunks_exact_mut(CHANNELS).skip(y).step_by(self.height);
            for (to, from) in column.zip(row.chunks_exact(CHANNELS)) {
                to.copy_from_slice(from);
            }
        }
        finish(&mut data);
        Self { width: self.height, height: self.width, data }
    }

    /// Scaled to `width` by `height`: each pixel is the mean of the area that it stands for, or lies
    /// on the line between its neighbours when the page grows.
    pub(super) fn scaled(&self, width: usize, height: usize) -> Self {
        let (width, height) = (width.max(1), height.max(1));
        let columns = spans(self.width, width);
        let mut data = Vec::with_capacity(width * height * CHANNELS);
        let mut sums = vec![0.0_f32; self.width * CHANNELS];
        for span in spans(self.height, height) {
            sums.fill(0.0);
            for (y, &weight) in (span.first..).zip(&span.weights) {
                for (sum, &value) in sums.iter_mut().zip(self.row(y)) {
                    *sum += weight * f32::from(value);
                }
            }
            for span in &columns {
                let mut pixel = [0.5_f32; CHANNELS];
                let from = sums.get(span.first * CHANNELS..).unwrap_or_default();
                for (values, &weight) in from.chunks_exact(CHANNELS).zip(&span.weights) {
                    for (sum, &value) in pixel.iter_mut().zip(values) {
                        *sum += weight * value;
                    }
                }
                data.extend(pixel.map(byte));
            }
        }
        Self { width, height, data }
    }
}

impl std::fmt::Debug for Pixels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pixels({} x {})", self.width, self.height)
    }
}

/// A page and its halves, so that a copy of a part of it in any smaller scale is cheap and smooth.
#[derive(Debug)]
pub(super) struct Pyramid {
    levels: Vec<Pixels>,
}

impl Pyramid {
    pub(super) fn new(page: Pixels) -> Self {
        /// Text is at most some hundreds of pixels high.
        const LEVELS: usize = 6;
        let mut levels = vec![page];
        while let Some(half) =
            levels.last().filter(|_| levels.len() < LEVELS).and_then(Pixels::halved)
        {
            levels.push(half);
        }
        Self { levels }
    }

    /// The page as it came.
    pub(super) fn page(&self) -> Option<&Pixels> {
        self.levels.first()
    }

    /// The smallest copy that still is as fine as a page scaled down by `factor`, and by how much it
    /// is smaller than the page.
    pub(super) fn level(&self, factor: f32) -> Option<(&Pixels, f32)> {
        let mut scale = 1.0;
        let mut found = None;
        for level in &self.levels {
            if scale > 1.0 && scale > factor {
                break;
            }
            found = Some((level, scale));
            scale *= 2.0;
        }
        found
    }
}

/// Which pixels of one row or column a scaled pixel is made of.
struct Span {
    first: usize,
    weights: Vec<f32>,
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "sides of pages are small and not negative"
)]
fn spans(from: usize, to: usize) -> Vec<Span> {
    let step = from as f32 / to as f32;
    let reach = step.max(1.0);
    (0..to)
        .map(|at| {
            let centre = (at as f32 + 0.5) * step;
            if reach > 1.0 {
                let (start, end) = (centre - reach / 2.0, centre + reach / 2.0);
                let first = (start.floor().max(0.0) as usize).min(from - 1);
                let last = (end.ceil() as usize).clamp(first + 1, from);
                let weights = (first..last)
                    .map(|x| ((x as f32 + 1.0).min(end) - (x as f32).max(start)).max(0.0));
                normal(first, weights.collect())
            } else {
                let left = (centre - 0.5).max(0.0);
                let first = (left.floor() as usize).min(from - 1);
                let share = if first + 1 < from { left - left.floor() } else { 0.0 };
                normal(first, vec![1.0 - share, share])
            }
        })
        .collect()
}

fn normal(first: usize, mut weights: Vec<f32>) -> Span {
    let sum: f32 = weights.iter().sum();
    for weight in &mut weights {
        *weight /= sum.max(f32::MIN_POSITIVE);
    }
    Span { first, weights }
}

fn mean(values: [u8; 4]) -> u8 {
    let sum: u16 = values.into_iter().map(u16::from).sum();
    u8::try_from((sum + 2) / 4).unwrap_or(u8::MAX)
}

/// Reverses the pixels, not the bytes in them.
fn mirror(pixels: &mut [u8]) {
    pixels.reverse();
    for pixel in pixels.chunks_exact_mut(CHANNELS) {
        pixel.reverse();
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` holds floats at the bounds, which is meant"
)]
fn byte(value: f32) -> u8 {
    value as u8
}

#[cfg(test)]
mod tests {
    use super::{Pixels, Pyramid};

    /// One byte for each pixel: the red.
    fn page(width: usize, rows: &[u8]) -> Pixels {
        let data: Vec<u8> = rows.iter().flat_map(|&red| [red, 0, 1]).collect();
        Pixels::new(width, rows.len() / width, data).unwrap()
    }

    fn reds(page: &Pixels) -> Vec<u8> {
        page.rows().flatten().copied().step_by(3).collect()
    }

    #[test]
    fn quarters_are_turned_clockwise() {
        let page = page(3, &[1, 2, 3, 4, 5, 6]);
        assert_eq!(reds(&page.turned(1)), [4, 1, 5, 2, 6, 3]);
        assert_eq!(reds(&page.turned(2)), [6, 5, 4, 3, 2, 1]);
        assert_eq!(reds(&page.turned(3)), [3, 6, 2, 5, 1, 4]);
        assert_eq!(page.turned(1).turned(3), page);
        assert_eq!(page.turned(5).width(), 2);
    }

    #[test]
    fn scaling_down_takes_the_mean_of_an_area() {
        let page = page(4, &[0, 100, 200, 200, 0, 100, 200, 200]);
        assert_eq!(reds(&page.scaled(2, 1)), [50, 200]);
        assert_eq!(reds(&page.halved().unwrap()), [50, 200]);
        assert_eq!(page.scaled(4, 2), page);
    }

    #[test]
    fn scaling_up_keeps_the_ends() {
        let up = reds(&page(2, &[0, 100]).scaled(4, 1));
        assert_eq!(up, [0, 25, 75, 100]);
    }

    #[test]
    fn a_level_is_never_coarser_than_wanted() {
        let pyramid = Pyramid::new(page(8, &[7; 64]));
        let scales: Vec<f32> = [0.4, 1.0, 1.9, 2.0, 3.9, 4.0]
            .iter()
            .map(|&factor| pyramid.level(factor).unwrap().1)
            .collect();
        assert_eq!(scales, [1.0, 1.0, 1.0, 2.0, 2.0, 4.0]);
    }

    #[test]
    fn a_page_has_pixels() {
        assert!(Pixels::new(0, 4, Vec::new()).is_none());
        assert!(Pixels::new(2, 2, vec![0; 11]).is_none());
    }
}

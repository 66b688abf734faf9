//! [`Strip`]: where a piece of text stands on a page, and the pixels under it set upright.

use super::pixels::{CHANNELS, Pixels, Pyramid};

/// A turned rectangle around a piece of text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Strip {
    /// The centre.
    pub(super) x: f32,
    pub(super) y: f32,
    /// Along the text.
    pub(super) length: f32,
    /// Across it.
    pub(super) height: f32,
    /// Which way the text runs, in radians from the right, growing clockwise.
    pub(super) angle: f32,
}

impl Strip {
    /// From the start of the upper edge, clockwise.
    pub(super) fn corners(&self) -> [(f32, f32); 4] {
        [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]
            .map(|(along, across)| self.point(along, across))
    }

    /// `along` and `across` in lengths and heights from the centre.
    fn point(&self, along: f32, across: f32) -> (f32, f32) {
        let (sin, cos) = self.angle.sin_cos();
        let (right, down) = (along * self.length, across * self.height);
        (self.x + right * cos - down * sin, self.y + right * sin + down * cos)
    }

    /// On a page whose sides are so much longer.
    pub(super) fn scaled(&self, factor: f32) -> Self {
        Self {
            x: self.x * factor,
            y: self.y * factor,
            length: self.length * factor,
            height: self.height * factor,
            ..*self
        }
    }

    /// With the text running the other way.
    pub(super) fn reversed(&self) -> Self {
        Self { angle: self.angle + std::f32::consts::PI, ..*self }
    }

    /// Where it is when a page of this size is turned by two quarters.
    #[expect(clippy::cast_precision_loss, reason = "sides of a page are small")]
    pub(super) fn opposite(&self, width: usize, height: usize) -> Self {
        Self { x: width as f32 - self.x, y: height as f32 - self.y, ..*self }
    }

    /// How far a point lies from another, along the text and across it.
    pub(super) fn offset(&self, from_x: f32, from_y: f32, x: f32, y: f32) -> (f32, f32) {
        let (sin, cos) = self.angle.sin_cos();
        let (right, down) = (x - from_x, y - from_y);
        (right * cos + down * sin, down * cos - right * sin)
    }

    /// The smallest one around it with text that runs by `angle`.
    pub(super) fn along(&self, angle: f32) -> Self {
        Self { angle, length: 0.0, height: 0.0, ..*self }.around(self.corners())
    }

    /// Both as one piece: along the text around them, across it where they are on average.
    pub(super) fn with(&self, other: &Self) -> Self {
        let (long, short) = if self.length >= other.length { (self, other) } else { (other, self) };
        let both = long.around(self.corners().into_iter().chain(other.corners()));
        let (_, down) = long.offset(long.x, long.y, short.x, short.y);
        let (_, middle) = long.offset(long.x, long.y, both.x, both.y);
        let share = short.length / (long.length + short.length);
        let (sin, cos) = long.angle.sin_cos();
        let across = down * share - middle;
        Self {
            x: both.x - across * sin,
            y: both.y + across * cos,
            height: long.height.max(short.height),
            ..both
        }
    }

    fn around(&self, points: impl IntoIterator<Item = (f32, f32)>) -> Self {
        let mut bounds = [f32::INFINITY, f32::NEG_INFINITY, f32::INFINITY, f32::NEG_INFINITY];
        for (x, y) in points {
            let (along, across) = self.offset(self.x, self.y, x, y);
            let [left, right, top, bottom] = bounds;
            bounds = [left.min(along), right.max(along), top.min(across), bottom.max(across)];
        }
        let [left, right, top, bottom] = bounds;
        let (sin, cos) = self.angle.sin_cos();
        let (along, across) = (f32::midpoint(left, right), f32::midpoint(top, bottom));
        Self {
            x: self.x + along * cos - across * sin,
            y: self.y + along * sin + across * cos,
            length: right - left,
            height: bottom - top,
            angle: self.angle,
        }
    }

    /// Left, top, right and bottom on a page that is turned back by `angle`.
    pub(super) fn bounds(&self, angle: f32) -> [f32; 4] {
        let upright = self.along(angle);
        let (x, y) = upright.offset(0.0, 0.0, upright.x, upright.y);
        [
            x - upright.length / 2.0,
            y - upright.height / 2.0,
            x + upright.length / 2.0,
            y + upright.height / 2.0,
        ]
    }

    /// The pixels under it as `height` rows of `width`: blue, green and red of each from -1 to 1, as
    /// the models were trained. Beyond the page its edge goes on.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "held within the page, whose sides are small"
    )]
    pub(super) fn cut(&self, pyramid: &Pyramid, width: usize, height: usize) -> Vec<f32> {
        /// Places are in whole parts of a pixel: what a step is off by adds up to less than a twentieth.
        const PARTS: f32 = 65_536.0;
        const BITS: u32 = 16;
        let mut picture = vec![0.0; CHANNELS * width * height];
        let Some((level, scale)) = pyramid.level(self.height / height as f32) else {
            return picture;
        };
        let parts = |pixels: f32| (pixels * PARTS) as i64;
        let end = |pixels: usize| (pixels as i64 - 1) << BITS;
        let (right, bottom) = (end(level.width()), end(level.height()));
        // The last pixel that has one to its right.
        let last = level.width().saturating_sub(2);
        let step = 1.0 / width as f32;
        for (row, line) in picture.chunks_exact_mut((CHANNELS * width).max(1)).enumerate() {
            let across = (row as f32 + 0.5) / height as f32 - 0.5;
            let (from, to) = (self.point(-0.5, across), self.point(0.5, across));
            let (step_x, step_y) = ((to.0 - from.0) / scale * step, (to.1 - from.1) / scale * step);
            let mut x = parts(from.0 / scale - 0.5 + step_x / 2.0);
            let mut y = parts(from.1 / scale - 0.5 + step_y / 2.0);
            let (step_x, step_y) = (parts(step_x), parts(step_y));
            for place in line.chunks_exact_mut(CHANNELS) {
                let (inside_x, inside_y) = (x.clamp(0, right), y.clamp(0, bottom));
                let (left, top) =
                    (((inside_x >> BITS) as usize).min(last), (inside_y >> BITS) as usize);
                let share =
                    |parts: i64, whole: usize| (parts - ((whole as i64) << BITS)) as f32 / PARTS;
                let pixel = between(level, left, top, share(inside_x, left), share(inside_y, top));
                for (place, value) in place.iter_mut().zip(pixel.into_iter().rev()) {
                    *place = value * (1.0 / 127.5) - 1.0;
                }
                (x, y) = (x + step_x, y + step_y);
            }
        }
        picture
    }
}

/// What lies `right` and `down` (0 to 1) of the middle of a pixel.
fn between(page: &Pixels, left: usize, top: usize, right: f32, down: f32) -> [f32; CHANNELS] {
    let mix = |a: f32, b: f32, share: f32| a + (b - a) * share;
    let across = |pair: [u8; 2 * CHANNELS]| {
        let [r0, g0, b0, r1, g1, b1] = pair.map(f32::from);
        [mix(r0, r1, right), mix(g0, g1, right), mix(b0, b1, right)]
    };
    let [above, below] =
        [top, (top + 1).min(page.height() - 1)].map(|y| across(page.pair(left, y)));
    let ([r0, g0, b0], [r1, g1, b1]) = (above, below);
    [mix(r0, r1, down), mix(g0, g1, down), mix(b0, b1, down)]
}

#[cfg(test)]
mod tests {
    use std::f32::consts::FRAC_PI_2;

    use super::{Pixels, Pyramid, Strip};

    #[test]
    fn a_strip_that_runs_down_is_cut_upright() {
        // Two columns; red reads 10, 20, 30, 40 from the top of the left one.
        let reds = [10, 0, 20, 0, 30, 0, 40, 0];
        let data: Vec<u8> = reds.iter().flat_map(|red| [0, 1, 2].map(|more| red + more)).collect();
        let pyramid = Pyramid::new(Pixels::new(2, 4, data).unwrap());
        let strip = Strip { x: 0.5, y: 2.0, length: 4.0, height: 1.0, angle: FRAC_PI_2 };
        let read = |strip: Strip| -> Vec<String> {
            let picture = strip.cut(&pyramid, 4, 1);
            picture.iter().map(|value| format!("{:.0}", (value + 1.0) * 127.5)).collect()
        };
        assert_eq!(read(strip).join(" "), "12 11 10 22 21 20 32 31 30 42 41 40");
        assert_eq!(read(strip.reversed()).join(" "), "42 41 40 32 31 30 22 21 20 12 11 10");
    }

    #[test]
    fn corners_begin_at_the_start_of_the_text() {
        let strip = Strip { x: 5.0, y: 5.0, length: 4.0, height: 2.0, angle: 0.0 };
        assert_eq!(strip.corners(), [(3.0, 4.0), (7.0, 4.0), (7.0, 6.0), (3.0, 6.0)]);
    }
}

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

    /// The pixels under it as `height` rows of `width`, in planes of blue, green and red from -1 to
    /// 1, as the models were trained. Beyond the page its edge goes on.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "held within the page, whose sides are small"
    )]
    pub(super) fn cut(
        &self,
        pyramid: &Pyramid,
        width: usize,
        height: usize,
        planes: &mut Vec<f32>,
    ) {
        let start = planes.len();
        planes.resize(start + CHANNELS * width * height, 0.0);
        let Some((level, scale)) = pyramid.level(self.height / height as f32) else { return };
        let Some((blue, green, red)) = planes.get_mut(start..).and_then(|planes| {
            let (blue, rest) = planes.split_at_mut_checked(width * height)?;
            let (green, red) = rest.split_at_mut_checked(width * height)?;
            Some((blue, green, red))
        }) else {
            return;
        };
        let (right, bottom) = (level.width() as f32 - 1.0, level.height() as f32 - 1.0);
        let lines = blue
            .chunks_exact_mut(width)
            .zip(green.chunks_exact_mut(width))
            .zip(red.chunks_exact_mut(width));
        for (v, ((blue, green), red)) in lines.enumerate() {
            let across = (v as f32 + 0.5) / height as f32 - 0.5;
            let (from, to) = (self.point(-0.5, across), self.point(0.5, across));
            for (u, ((blue, green), red)) in blue.iter_mut().zip(green).zip(red).enumerate() {
                let share = (u as f32 + 0.5) / width as f32;
                let x = ((from.0 + (to.0 - from.0) * share) / scale - 0.5).clamp(0.0, right);
                let y = ((from.1 + (to.1 - from.1) * share) / scale - 0.5).clamp(0.0, bottom);
                let (left, top) = (x as usize, y as usize);
                let pixel = between(level, left, top, x - left as f32, y - top as f32);
                (*red, *green, *blue) =
                    (pixel[0] / 127.5 - 1.0, pixel[1] / 127.5 - 1.0, pixel[2] / 127.5 - 1.0);
            }
        }
    }
}

/// What lies `right` and `down` (0 to 1) of the middle of a pixel.
fn between(page: &Pixels, left: usize, top: usize, right: f32, down: f32) -> [f32; CHANNELS] {
    let above = page.row(top);
    let below = page.row((top + 1).min(page.height() - 1));
    let next = (left + 1).min(page.width() - 1);
    let at = |row: &[u8], x: usize| match row.get(x * CHANNELS..(x + 1) * CHANNELS) {
        Some(&[red, green, blue]) => [f32::from(red), f32::from(green), f32::from(blue)],
        _ => [0.0; CHANNELS],
    };
    let ([r0, g0, b0], [r1, g1, b1]) = (at(above, left), at(above, next));
    let ([r2, g2, b2], [r3, g3, b3]) = (at(below, left), at(below, next));
    let mix = |a: f32, b: f32, c: f32, d: f32| {
        let (upper, lower) = (a + (b - a) * right, c + (d - c) * right);
        upper + (lower - upper) * down
    };
    [mix(r0, r1, r2, r3), mix(g0, g1, g2, g3), mix(b0, b1, b2, b3)]
}

#[cfg(test)]
mod tests {
    use std::f32::consts::FRAC_PI_2;

    use super::{Pixels, Pyramid, Strip};

    #[test]
    fn a_strip_that_runs_down_is_cut_upright() {
        // Two columns; the left one reads 10, 20, 30, 40 from the top.
        let data: Vec<u8> =
            [10, 0, 20, 0, 30, 0, 40, 0].iter().flat_map(|&value| [value; 3]).collect();
        let pyramid = Pyramid::new(Pixels::new(2, 4, data).unwrap());
        let strip = Strip { x: 0.5, y: 2.0, length: 4.0, height: 1.0, angle: FRAC_PI_2 };
        let mut planes = Vec::new();
        strip.cut(&pyramid, 4, 1, &mut planes);
        let read: Vec<String> =
            planes.iter().map(|value| format!("{:.0}", (value + 1.0) * 127.5)).collect();
        assert_eq!(read, ["10", "20", "30", "40"].repeat(3));
        planes.clear();
        strip.reversed().cut(&pyramid, 4, 1, &mut planes);
        assert!((planes[0] - (40.0 / 127.5 - 1.0)).abs() < 1e-4);
    }

    #[test]
    fn corners_begin_at_the_start_of_the_text() {
        let strip = Strip { x: 5.0, y: 5.0, length: 4.0, height: 2.0, angle: 0.0 };
        assert_eq!(strip.corners(), [(3.0, 4.0), (7.0, 4.0), (7.0, 6.0), (3.0, 6.0)]);
    }
}

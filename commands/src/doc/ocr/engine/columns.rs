//! [`cut`]: a strip as the picture that it is read in, with as many columns as its letters need.

use super::{
    pixels::{CHANNELS, Pyramid},
    strip::Strip,
};

/// Rows of the picture that a strip is cut to. The models were trained with 48 rows, which they halve
/// again and again down to 3; the fewest rows of which 3 are left take two thirds of the time, and
/// are read as well. With 32, of which 2 would be left, some words in a hundred are lost.
pub(super) const HEIGHT: usize = 34;

/// Columns for each row, if strips were as high as the text in them is.
const ASPECT: f32 = 48.0 / 34.0;

/// Strips are a little higher than the text in them needs.
const TIGHTNESS: f32 = 0.9;

/// Columns are squeezed by as much: so each letter has as many as in a strip of the full height.
const SQUEEZE: f32 = 0.9;

/// A strip that is longer for its height is squeezed.
const MAX_WIDTH: usize = 6400;

/// Letters that stand close, as those of a narrow font do, are given more columns: so many for each of
/// the strokes along a line.
const ROOM: f32 = 10.0;

/// The columns of the picture, and its pixels row by row.
pub(super) fn cut(pyramid: &Pyramid, strip: &Strip) -> (usize, Vec<f32>) {
    let strip = Strip { height: strip.height * TIGHTNESS, ..*strip };
    let width = width(&strip);
    let picture = strip.cut(pyramid, width, HEIGHT);
    let wanted = wanted(&picture, width);
    if wanted > width { (wanted, strip.cut(pyramid, wanted, HEIGHT)) } else { (width, picture) }
}

/// How many columns the strokes in a picture want; no more than half as many again.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "held within bounds"
)]
fn wanted(picture: &[f32], width: usize) -> usize {
    let (low, high) =
        picture.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), &value| {
            (low.min(value), high.max(value))
        });
    let middle = f32::midpoint(low, high);
    // Rows in which small letters stand.
    let rows = picture.chunks_exact(CHANNELS * width).skip(HEIGHT / 3).take(HEIGHT / 2);
    let strokes = rows.map(|row| {
        let is_dark = |pixel: &[f32]| pixel.iter().sum::<f32>() < middle * CHANNELS as f32;
        let dark: Vec<bool> = row.chunks_exact(CHANNELS).map(is_dark).collect();
        dark.windows(2).filter(|pair| **pair == [false, true]).count()
    });
    let columns = strokes.max().unwrap_or_default() as f32 * ROOM;
    let columns = (columns as usize).next_multiple_of(8);
    columns.clamp(width, width * 3 / 2).min(MAX_WIDTH.max(width))
}

/// In the model's picture.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "held within bounds"
)]
fn width(strip: &Strip) -> usize {
    let width = strip.length / strip.height.max(1.0) * HEIGHT as f32 * ASPECT * SQUEEZE;
    ((width / 8.0).ceil() as usize * 8).clamp(HEIGHT, MAX_WIDTH)
}

#[cfg(test)]
mod tests {
    use super::{CHANNELS, HEIGHT, MAX_WIDTH, Pyramid, Strip, cut};
    use crate::doc::ocr::engine::pixels::Pixels;

    /// The columns for a line ten times as long as it is high, with a stroke every `pitch` pixels.
    fn columns(pitch: usize) -> usize {
        let (width, height) = (800, 80);
        let pixels = (0..width * height)
            .flat_map(|at| [if (at % width) % pitch < pitch / 2 { 0 } else { 255 }; CHANNELS]);
        let pyramid = Pyramid::new(Pixels::new(width, height, pixels.collect()).unwrap());
        let strip = Strip { x: 400.0, y: 40.0, length: 800.0, height: 80.0, angle: 0.0 };
        cut(&pyramid, &strip).0
    }

    #[test]
    fn letters_that_stand_close_are_given_more_columns() {
        let (wide, close) = (columns(40), columns(16));
        assert_eq!(wide, columns(80), "letters that stand apart get what the height says");
        assert!((490..=510).contains(&close) && close > wide, "{close} for fifty strokes, {wide}");
        assert_eq!(columns(8), wide * 3 / 2, "but no more than half as many again");
    }

    #[test]
    fn a_picture_is_as_long_as_its_columns_say() {
        let page = Pyramid::new(Pixels::new(90, 4, vec![7; 90 * 4 * CHANNELS]).unwrap());
        let long = Strip { x: 0.0, y: 0.0, length: 9000.0, height: 4.0, angle: 0.0 };
        let (width, picture) = cut(&page, &long);
        assert_eq!((width, picture.len()), (MAX_WIDTH, MAX_WIDTH * HEIGHT * CHANNELS));
    }
}

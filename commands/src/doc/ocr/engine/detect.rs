//! [`Detector`]: where the text on a page is.

use super::{
    blobs::blobs,
    network::Network,
    pixels::{CHANNELS, Pixels},
    problem::Problem,
    strip::Strip,
};

/// The model that marks text.
pub(super) struct Detector {
    network: Network,
}

/// The model halves its picture so often that the sides must be multiples of this.
const SIDE_STEP: usize = 32;

/// What a page's longer side is scaled to: a hundred lines are then some ten pixels apart, of which
/// the model needs about eight.
const LONG_SIDE: f32 = 1120.0;

/// Small pages are not enlarged more than that.
const MAX_FACTOR: f32 = 1.5;

impl Detector {
    pub(super) fn load(bytes: &[u8]) -> Result<Self, Problem> {
        Ok(Self { network: Network::load("det", bytes)? })
    }

    /// Strips on the page, in its pixels.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "sides of a page are small and positive"
    )]
    pub(super) fn find(&self, page: &Pixels) -> Result<Vec<Strip>, Problem> {
        let long = page.width().max(page.height()) as f32;
        let factor = LONG_SIDE / long;
        let factor = factor.min(MAX_FACTOR);
        let side = |pixels: usize| ((pixels as f32 * factor).round() as usize).max(1);
        let small = page.scaled(side(page.width()), side(page.height()));
        let (width, height) =
            (small.width().next_multiple_of(SIDE_STEP), small.height().next_multiple_of(SIDE_STEP));
        let ([_, _, rows, columns], map) =
            self.network.run::<4>(width, height, picture(&small, width, height))?;
        if (rows, columns) != (height, width) {
            let cause = format!("its answer has {columns} x {rows} pixels for {width} x {height}");
            return Err(Problem::Model { which: "det", cause });
        }
        Ok(blobs(&map, width).into_iter().map(|strip| strip.scaled(1.0 / factor)).collect())
    }
}

/// Blue, green and red of each pixel from -1 to 1, as the models were trained; to the right of the
/// page and below it, its edge goes on.
fn picture(page: &Pixels, width: usize, height: usize) -> Vec<f32> {
    let mut picture = Vec::with_capacity(CHANNELS * width * height);
    for y in 0..height {
        let row = page.row(y.min(page.height() - 1));
        let pixels = row.chunks_exact(CHANNELS);
        let last = row.len().saturating_sub(CHANNELS);
        let edge = row.get(last..).unwrap_or_default().chunks_exact(CHANNELS).cycle();
        for pixel in pixels.chain(edge).take(width) {
            picture.extend(pixel.iter().rev().map(|&value| f32::from(value) / 127.5 - 1.0));
        }
    }
    picture
}

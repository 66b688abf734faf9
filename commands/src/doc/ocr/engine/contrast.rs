//! [`cleared`]: a page that is dark or pale, as photos are, made black on white.

use super::pixels::{CHANNELS, Pixels};

/// Brightness of pixels, counted.
#[derive(Clone)]
struct Histogram {
    counts: [u32; 256],
}

/// Tiles along each side of a page: light falls on it alike within one.
const TILES: usize = 12;

/// Pixels are looked at in steps of so many.
const STEP: usize = 3;

/// A page whose ink and paper are further apart is well as it is.
const ENOUGH: u8 = 160;

/// What is closer is no text but the grain of a blank page.
const GRAIN: u8 = 24;

/// The page itself where nothing is to be done.
pub(super) fn cleared(page: Pixels) -> Pixels {
    let tiles = tiles(&page);
    let mut all = Histogram { counts: [0; 256] };
    for tile in &tiles {
        for (sum, count) in all.counts.iter_mut().zip(tile.counts) {
            *sum += count;
        }
    }
    let (ink, paper) = (all.level(0.01), all.level(0.99));
    if !(GRAIN..ENOUGH).contains(&paper.saturating_sub(ink)) {
        return page;
    }
    let is_told = |tile: &&Histogram| tile.level(0.98).saturating_sub(tile.level(0.02)) >= GRAIN;
    let told: Vec<&Histogram> = tiles.iter().filter(is_told).collect();
    let dark_ink = told.iter().filter(|tile| tile.has_dark_ink()).count();
    if 2 * dark_ink < told.len() {
        // White on black: light that falls unevenly is left as it is.
        let factor = 255.0 / f32::from(paper - ink);
        return page.map(|_, _, value| (f32::from(value) - f32::from(ink)) * factor);
    }
    let papers: Vec<f32> = tiles.iter().map(|tile| f32::from(tile.level(0.9).max(1))).collect();
    let shares =
        told.iter().map(|tile| f32::from(tile.level(0.02)) / f32::from(tile.level(0.9).max(1)));
    let ink = mean(shares);
    let factor = 255.0 / (1.0 - ink).max(0.1);
    let (width, height) = (page.width(), page.height());
    page.map(|x, y, value| {
        let paper = between(&papers, place(x, width), place(y, height));
        (f32::from(value) / paper - ink) * factor
    })
}

#[expect(clippy::cast_precision_loss, reason = "a page has few tiles")]
fn mean(values: impl Iterator<Item = f32>) -> f32 {
    let (sum, count) = values.fold((0.0, 0_usize), |(sum, count), value| (sum + value, count + 1));
    sum / count.max(1) as f32
}

/// Row by row.
fn tiles(page: &Pixels) -> Vec<Histogram> {
    let mut tiles = vec![Histogram { counts: [0; 256] }; TILES * TILES];
    for (y, row) in page.rows().enumerate().step_by(STEP) {
        let down = y * TILES / page.height();
        for (x, pixel) in row.chunks_exact(CHANNELS).enumerate().step_by(STEP) {
            let across = x * TILES / page.width();
            let sum: usize = pixel.iter().map(|&value| usize::from(value)).sum();
            let tile = tiles.get_mut(down * TILES + across);
            let count = tile.and_then(|tile| tile.counts.get_mut(sum / CHANNELS));
            count.into_iter().for_each(|count| *count += 1);
        }
    }
    tiles
}

/// In tiles, from the middle of the first.
#[expect(clippy::cast_precision_loss, reason = "sides of a page are small")]
fn place(at: usize, side: usize) -> f32 {
    let last = TILES as f32 - 1.0;
    ((at as f32 + 0.5) * TILES as f32 / side as f32 - 0.5).clamp(0.0, last)
}

/// On the plane between the four tiles around a place.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "held within the tiles"
)]
fn between(levels: &[f32], x: f32, y: f32) -> f32 {
    let (left, top) = ((x as usize).min(TILES - 2), (y as usize).min(TILES - 2));
    let (right, down) = (x - left as f32, y - top as f32);
    let level = |x, y| levels.get(y * TILES + x).copied().unwrap_or(255.0);
    let across = |y| level(left, y) + (level(left + 1, y) - level(left, y)) * right;
    across(top) + (across(top + 1) - across(top)) * down
}

impl Histogram {
    /// As bright as this share of the pixels at most.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "a share of a count"
    )]
    fn level(&self, share: f32) -> u8 {
        let wanted = (self.counts.iter().sum::<u32>() as f32 * share) as u32;
        let mut passed = 0;
        let level = self.counts.iter().position(|count| {
            passed += count;
            passed > wanted
        });
        level.and_then(|level| u8::try_from(level).ok()).unwrap_or(u8::MAX)
    }

    /// Most pixels are paper, and they are nearer to the brightest.
    fn has_dark_ink(&self) -> bool {
        let [ink, most, paper] = [0.02, 0.5, 0.98].map(|share| self.level(share));
        paper - most < most - ink
    }
}

#[cfg(test)]
mod tests {
    use super::{CHANNELS, Pixels, cleared};

    /// Lines of text, as it were: ink in every third row and second column of a tenth of the page.
    fn page(ink: impl Fn(usize) -> u8, paper: impl Fn(usize) -> u8) -> Pixels {
        let (width, height) = (240, 240);
        let mut data = Vec::new();
        for y in 0..height {
            for x in 0..width {
                let is_ink = y % 6 < 2 && x % 4 == 0;
                data.extend([if is_ink { ink(x) } else { paper(x) }; CHANNELS]);
            }
        }
        Pixels::new(width, height, data).unwrap()
    }

    #[test]
    fn dark_paper_is_made_white_and_ink_black_wherever_the_light_falls() {
        // From 60 on the left to 120 on the right; ink is a quarter of the paper.
        let paper = |x: usize| u8::try_from(60 + x / 4).unwrap();
        let cleared = cleared(page(|x| paper(x) / 4, paper));
        for x in (0..240).step_by(20) {
            let (ink, paper) = (cleared.pair(x, 0)[0], cleared.pair(x + 1, 0)[0]);
            assert!(ink < 20 && paper > 225, "{x}: {ink} on {paper}");
        }
    }

    #[test]
    fn pale_white_on_black_stays_white_on_black() {
        let cleared = cleared(page(|_| 140, |_| 80));
        assert!(cleared.pair(0, 0)[0] > 235 && cleared.pair(1, 0)[0] < 20);
    }

    #[test]
    fn a_good_page_and_a_blank_one_stay_as_they_are() {
        for page in [page(|_| 30, |_| 230), page(|_| 200, |_| 210)] {
            assert_eq!(cleared(page.clone()), page);
        }
    }
}

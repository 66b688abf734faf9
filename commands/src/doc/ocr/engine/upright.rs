//! [`Upright`]: which way a page is turned.

use super::{
    detect::Detector,
    pixels::{Pixels, Pyramid},
    problem::Problem,
    recognise::Recogniser,
    strip::Strip,
};

/// A page set upright, as far as quarters go, and its pieces of text.
pub(super) struct Upright {
    pub(super) pyramid: Pyramid,
    pub(super) strips: Vec<Strip>,
    /// Quarters by which the page was turned clockwise.
    pub(super) quarters: u8,
}

/// Strips that are read to see whether a page stands on its head.
const SAMPLE: usize = 3;

/// A sample that is read as surely as this is upright: on their heads, strips are read less surely.
const SURE: f32 = 0.93;

pub(super) fn set_upright(
    page: &Pixels,
    detector: &Detector,
    recogniser: &Recogniser,
) -> Result<Upright, Problem> {
    let mut strips = detector.find(page)?;
    let mut quarters = 0;
    let mut turned = page.clone();
    if lies(&strips) {
        quarters = 1;
        turned = turned.turned(1);
        strips = detector.find(&turned)?;
    }
    let mut pyramid = Pyramid::new(turned);
    if stands_on_its_head(&pyramid, &strips, recogniser)? {
        quarters += 2;
        if let Some(page) = pyramid.page() {
            let (width, height) = (page.width(), page.height());
            strips = strips.iter().map(|strip| strip.opposite(width, height)).collect();
            pyramid = Pyramid::new(page.turned(2));
        }
    }
    Ok(Upright { pyramid, strips, quarters })
}

/// Most of the text, by length, runs up or down.
fn lies(strips: &[Strip]) -> bool {
    let (mut along, mut across) = (0.0, 0.0);
    for strip in strips {
        if strip.length > 1.5 * strip.height {
            along += strip.length;
        } else if strip.height > 1.5 * strip.length {
            across += strip.height;
        }
    }
    across > along
}

fn stands_on_its_head(
    pyramid: &Pyramid,
    strips: &[Strip],
    recogniser: &Recogniser,
) -> Result<bool, Problem> {
    let sample = sample(strips);
    let mut upright = 0.0;
    for strip in &sample {
        upright += recogniser.read(pyramid, strip)?.confidence();
    }
    if sample.is_empty() || upright >= SURE * sample.len() as f32 {
        return Ok(false);
    }
    let mut reversed = 0.0;
    for strip in &sample {
        reversed += recogniser.read(pyramid, &strip.reversed())?.confidence();
    }
    Ok(reversed > upright)
}

/// Strips of about ten to twenty letters, the longest first.
fn sample(strips: &[Strip]) -> Vec<Strip> {
    const LONGEST: f32 = 10.0;
    let shape = |strip: &Strip| {
        (strip.length / strip.height).min(2.0 * LONGEST - strip.length / strip.height)
    };
    let mut sample = strips.to_vec();
    sample.sort_by(|a, b| shape(b).total_cmp(&shape(a)));
    sample.truncate(SAMPLE);
    sample
}

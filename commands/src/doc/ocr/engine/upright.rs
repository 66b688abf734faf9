//! [`Upright`]: which way a page is turned.

use super::{
    contrast::cleared,
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

/// A sample that is read as surely as this is upright. Measured: upright strips are read with 0.92 and
/// more, those on their heads with 0.8 and less.
const SURE: f32 = 0.93;

pub(super) fn set_upright(
    page: Pixels,
    detector: &Detector,
    recogniser: &Recogniser,
) -> Result<Upright, Problem> {
    let mut page = cleared(page);
    let mut strips = detector.find(&page)?;
    let mut quarters = 0;
    if lies(&strips) {
        quarters = 1;
        page = page.turned(1);
        strips = detector.find(&page)?;
    }
    let mut pyramid = Pyramid::new(page);
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
    let sureness = |of: &dyn Fn(&Strip) -> Strip| {
        let mut confidences = Vec::new();
        for strip in &sample {
            confidences.extend(
                recogniser
                    .read(pyramid, &of(strip))?
                    .glyphs
                    .into_iter()
                    .map(|glyph| glyph.confidence),
            );
        }
        Ok::<f32, Problem>(mean(&confidences))
    };
    let upright = sureness(&|strip| *strip)?;
    Ok(upright < SURE && sureness(&Strip::reversed)? > upright)
}

/// Over all characters, so that a piece that is no text has no say.
#[expect(clippy::cast_precision_loss, reason = "a sample has few characters")]
fn mean(confidences: &[f32]) -> f32 {
    confidences.iter().sum::<f32>() / confidences.len().max(1) as f32
}

/// The longest strips, which are lines of text if anything on the page is, and as much of each as some
/// twenty letters take.
fn sample(strips: &[Strip]) -> Vec<Strip> {
    /// In heights.
    const ENOUGH: f32 = 12.0;
    let mut sample: Vec<Strip> =
        strips.iter().filter(|strip| strip.length > strip.height).copied().collect();
    sample.sort_by(|a, b| b.length.total_cmp(&a.length));
    sample.truncate(SAMPLE);
    sample
        .iter()
        .map(|strip| Strip { length: strip.length.min(ENOUGH * strip.height), ..*strip })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Strip, lies, sample};

    fn strip(length: f32, height: f32) -> Strip {
        Strip { x: 0.0, y: 0.0, length, height, angle: 0.0 }
    }

    #[test]
    fn most_of_the_text_decides_whether_a_page_lies() {
        assert!(lies(&[strip(10.0, 200.0), strip(10.0, 150.0), strip(100.0, 10.0)]));
        assert!(!lies(&[strip(10.0, 90.0), strip(100.0, 10.0)]));
        assert!(!lies(&[]));
    }

    #[test]
    fn long_lines_are_sampled_in_part() {
        let sample = sample(&[
            strip(30.0, 9.0),
            strip(500.0, 10.0),
            strip(10.0, 90.0),
            strip(70.0, 10.0),
            strip(400.0, 20.0),
        ]);
        let lengths: Vec<f32> = sample.iter().map(|strip| strip.length).collect();
        assert_eq!(lengths, [120.0, 240.0, 70.0]);
    }
}

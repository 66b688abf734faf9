//! [`Engine`]: reads pages with the models that the host names.

use super::{
    detect::Detector,
    lines::{aligned, joined, skew},
    order::reading_order,
    pixels::Pixels,
    problem::{Halt, Problem},
    recognise::{Language, Reading, Recogniser},
    strip::Strip,
    text::{Part, tidy},
    upright::{Upright, set_upright},
};

/// Models that are loaded. It may read pages one after the other, and keeps nothing of them.
pub(crate) struct Engine {
    detector: Detector,
    recogniser: Recogniser,
    language: Language,
}

/// What was read of a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Page {
    /// In reading order.
    pub(crate) lines: Vec<Line>,
    /// By how many quarters the page has to be turned clockwise to stand upright.
    pub(crate) quarters: u8,
    /// How much lines fall to the right then, in radians.
    pub(crate) skew: f32,
}

/// A line of text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    /// Not empty.
    pub(crate) text: String,
    /// The mean over its characters, 0 to 1.
    pub(crate) confidence: f32,
    /// Its corners on the page as it came, from the start of the upper edge, clockwise.
    pub(crate) quad: [(f32, f32); 4],
}

/// What is read less surely is a picture, not text.
const MIN_CONFIDENCE: f32 = 0.5;

impl Engine {
    /// From the bytes of two ONNX files of the PP-OCR family.
    pub(crate) fn load(det: &[u8], rec: &[u8], language: Language) -> Result<Self, Problem> {
        Ok(Self {
            detector: Detector::load(det)?,
            recogniser: Recogniser::load(rec, language)?,
            language,
        })
    }

    /// `watch` is asked before each line, some tens of times a second, with how many of how many are
    /// read; its error ends the reading.
    pub(crate) fn read<S>(
        &self,
        page: Pixels,
        watch: &mut dyn FnMut(u64, u64) -> Result<(), S>,
    ) -> Result<Page, Halt<S>> {
        watch(0, 0).map_err(Halt::Stopped)?;
        let (width, height) = (page.width(), page.height());
        let Upright { pyramid, strips, quarters } =
            set_upright(page, &self.detector, &self.recogniser)?;
        let skew = skew(&strips);
        let rows: Vec<Vec<Strip>> =
            reading_order(aligned(&strips, skew), skew).into_iter().map(joined).collect();
        let total = rows.iter().flatten().count() as u64;
        let mut done = 0;
        let mut lines = Vec::new();
        for row in rows {
            let mut parts: Vec<(Strip, Reading)> = Vec::new();
            for strip in row {
                watch(done, total).map_err(Halt::Stopped)?;
                done += 1;
                let reading = self.recogniser.read(&pyramid, &strip)?;
                if !reading.glyphs.is_empty() && reading.confidence() >= MIN_CONFIDENCE {
                    parts.push((strip, reading));
                }
            }
            lines.extend(line(&parts, self.language, |corner| {
                from_turned(corner, quarters, width, height)
            }));
        }
        Ok(Page { lines, quarters, skew })
    }
}

/// `None` when nothing was read.
#[expect(clippy::cast_precision_loss, reason = "a line has few characters")]
fn line(
    parts: &[(Strip, Reading)],
    language: Language,
    place: impl Fn((f32, f32)) -> (f32, f32),
) -> Option<Line> {
    let text = tidy(
        parts.iter().map(|(strip, reading)| Part { text: reading.text(), strip: *strip }),
        language,
    );
    if text.is_empty() {
        return None;
    }
    let confidences =
        parts.iter().flat_map(|(_, reading)| &reading.glyphs).map(|glyph| glyph.confidence);
    let count = confidences.clone().count();
    let whole = parts.iter().map(|(strip, _)| *strip).reduce(|one, other| one.with(&other))?;
    Some(Line {
        text,
        confidence: confidences.sum::<f32>() / count.max(1) as f32,
        quad: whole.corners().map(place),
    })
}

/// From a page that was turned by so many quarters back to the page as it came.
#[expect(clippy::cast_precision_loss, reason = "sides of a page are small")]
fn from_turned((x, y): (f32, f32), quarters: u8, width: usize, height: usize) -> (f32, f32) {
    let (width, height) = (width as f32, height as f32);
    match quarters % 4 {
        1 => (y, height - x),
        2 => (width - x, height - y),
        3 => (width - y, x),
        _ => (x, y),
    }
}

#[cfg(test)]
mod tests {
    use super::from_turned;

    #[test]
    fn corners_are_given_on_the_page_as_it_came() {
        assert_eq!(
            from_turned((2.0, 0.0), 1, 3, 2),
            (0.0, 0.0),
            "the upper left corner is turned to the upper right"
        );
        assert_eq!(from_turned((3.0, 2.0), 2, 3, 2), (0.0, 0.0));
        assert_eq!(from_turned((0.0, 3.0), 3, 3, 2), (0.0, 0.0));
    }
}

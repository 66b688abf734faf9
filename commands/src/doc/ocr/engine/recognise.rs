//! [`Recogniser`]: what a strip of text says.

use super::{
    ctc::{Alphabet, Glyph, decode},
    network::Network,
    pixels::{CHANNELS, Pyramid},
    problem::Problem,
    strip::Strip,
};

/// The model that reads a line.
pub(super) struct Recogniser {
    network: Network,
    alphabet: Alphabet,
}

/// What is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// Latin letters, digits and signs: no other is taken for them.
    Latin,
    /// Whatever the model can read.
    Any,
}

/// What a strip says.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    pub(super) glyphs: Vec<Glyph>,
}

/// Rows of the picture that a strip is cut to. The models were trained with 48 rows, which they halve
/// again and again down to 3; the fewest rows of which 3 are left take two thirds of the time, and
/// are read as well. With 32, of which 2 would be left, some words in a hundred are lost.
const HEIGHT: usize = 34;

/// Columns for each row, if strips were as high as the text in them is.
const ASPECT: f32 = 48.0 / 34.0;

/// Strips are a little higher than the text in them needs.
const TIGHTNESS: f32 = 0.9;

/// Columns are squeezed by as much: so each letter has as many as in a strip of the full height.
const SQUEEZE: f32 = 0.9;

/// A strip that is longer for its height is squeezed.
const MAX_WIDTH: usize = 3200;

impl Recogniser {
    pub(super) fn load(bytes: &[u8], language: Language) -> Result<Self, Problem> {
        /// What models are given the list of their characters under.
        const KEY: &str = "character";
        let problem = |cause: String| Problem::Model { which: "rec", cause };
        let choose = |list: &str, classes: usize| match language {
            Language::Latin => Alphabet::new(list, classes).map(|alphabet| alphabet.latin()),
            Language::Any => None,
        };
        let (network, kept) = Network::load_classes("rec", bytes, KEY, choose)?;
        // How many classes there are is told by an answer.
        let ([_, _, classes], _) =
            network.run::<3>(HEIGHT, HEIGHT, vec![0.0; CHANNELS * HEIGHT * HEIGHT])?;
        let list = network.note(KEY).ok_or_else(|| {
            problem(format!("it does not carry its list of characters (key `{KEY}`)"))
        })?;
        let alphabet = match kept {
            Some(kept) => Alphabet::full(list).kept(&kept),
            None => Alphabet::new(list, classes).ok_or_else(|| {
                problem(format!("its list of characters does not fit its {classes} classes"))
            })?,
        };
        Ok(Self { network, alphabet })
    }

    pub(super) fn read(&self, pyramid: &Pyramid, strip: &Strip) -> Result<Reading, Problem> {
        let strip = Strip { height: strip.height * TIGHTNESS, ..*strip };
        let width = width(&strip);
        let picture = strip.cut(pyramid, width, HEIGHT);
        let (_, answers) = self.network.run::<3>(width, HEIGHT, picture)?;
        Ok(Reading { glyphs: decode(&answers, &self.alphabet) })
    }
}

impl Reading {
    /// The mean of the characters' confidences; 0 for nothing.
    #[expect(clippy::cast_precision_loss, reason = "a line has few characters")]
    pub(super) fn confidence(&self) -> f32 {
        let sum: f32 = self.glyphs.iter().map(|glyph| glyph.confidence).sum();
        sum / self.glyphs.len().max(1) as f32
    }

    pub(super) fn text(&self) -> String {
        self.glyphs.iter().map(|glyph| glyph.text.as_str()).collect()
    }
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

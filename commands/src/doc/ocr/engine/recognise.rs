//! [`Recogniser`]: what a strip of text says.

use super::{
    columns::{HEIGHT, cut},
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
        let (width, picture) = cut(pyramid, strip);
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

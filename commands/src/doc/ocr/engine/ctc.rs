//! [`decode`]: from the answers of a recogniser, one for each step along a line, to characters.

/// A character that was read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Glyph {
    pub(super) text: String,
    /// The step that it was surest at.
    pub(super) step: usize,
    /// 0 to 1.
    pub(super) confidence: f32,
}

/// What the classes of a recogniser mean: class 0 is "nothing here", the others are these in turn.
#[derive(Debug)]
pub(super) struct Alphabet {
    characters: Vec<String>,
}

impl Alphabet {
    /// From the list in a model file, one a line; `None` unless it makes so many classes. The blank
    /// is the last class of models that were trained with one, and not in the list.
    pub(super) fn new(list: &str, classes: usize) -> Option<Self> {
        let mut characters: Vec<String> = list.lines().map(str::to_owned).collect();
        if characters.len() + 2 == classes {
            characters.push(" ".to_owned());
        }
        (characters.len() + 1 == classes).then_some(Self { characters })
    }

    /// With a blank at the end, whether the model has one or not.
    pub(super) fn full(list: &str) -> Self {
        Self { characters: list.lines().map(str::to_owned).chain([" ".to_owned()]).collect() }
    }

    /// Only these of its classes, in this order; "nothing here" is one of them.
    pub(super) fn kept(&self, classes: &[usize]) -> Self {
        let characters = classes
            .iter()
            .skip(1)
            .map(|&class| self.character(class).unwrap_or_default().to_owned());
        Self { characters: characters.collect() }
    }

    /// The classes that Latin script is written with, "nothing here" first: letters, digits, signs.
    pub(super) fn latin(&self) -> Vec<usize> {
        let is_latin = |text: &String| {
            text.chars().all(|c| matches!(c, ..'\u{250}' | '\u{2010}'..'\u{2040}' | '\u{20A0}'..'\u{20C0}' | '\u{2100}'..'\u{2200}' | '●' | '■' | '□' | '○' | '◆' | '★'))
        };
        let found = self.characters.iter().enumerate().filter(|(_, text)| is_latin(text));
        std::iter::once(0).chain(found.map(|(at, _)| at + 1)).collect()
    }

    fn character(&self, class: usize) -> Option<&str> {
        self.characters.get(class.checked_sub(1)?).map(String::as_str)
    }
}

/// `answers` holds the likelihoods of all classes, step by step. The likeliest class of each step is
/// taken; the same one in steps that follow each other is one character.
pub(super) fn decode(answers: &[f32], alphabet: &Alphabet) -> Vec<Glyph> {
    let classes = alphabet.characters.len() + 1;
    let mut glyphs: Vec<Glyph> = Vec::new();
    let mut last = 0;
    for (step, likelihoods) in answers.chunks_exact(classes).enumerate() {
        let (class, confidence) = likeliest(likelihoods);
        if let Some(text) = alphabet.character(class) {
            match glyphs.last_mut().filter(|_| class == last) {
                Some(glyph) if confidence > glyph.confidence => {
                    (glyph.step, glyph.confidence) = (step, confidence)
                }
                Some(_) => {}
                None => glyphs.push(Glyph { text: text.to_owned(), step, confidence }),
            }
        }
        last = class;
    }
    glyphs
}

fn likeliest(likelihoods: &[f32]) -> (usize, f32) {
    let mut best = (0, f32::NEG_INFINITY);
    for (class, &likelihood) in likelihoods.iter().enumerate() {
        if likelihood > best.1 {
            best = (class, likelihood);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::{Alphabet, decode};

    #[test]
    fn repeats_are_one_character_unless_nothing_lies_between() {
        let alphabet = Alphabet::new("a\nb\n", 4).unwrap();
        #[rustfmt::skip]
        let answers = [
            0.1, 0.8, 0.1, 0.0,
            0.1, 0.9, 0.0, 0.0,
            0.9, 0.1, 0.0, 0.0,
            0.3, 0.7, 0.0, 0.0,
            0.2, 0.0, 0.8, 0.0,
            0.2, 0.0, 0.0, 0.8,
        ];
        let glyphs = decode(&answers, &alphabet);
        let read: Vec<(&str, usize)> =
            glyphs.iter().map(|glyph| (glyph.text.as_str(), glyph.step)).collect();
        assert_eq!(read, [("a", 1), ("a", 3), ("b", 4), (" ", 5)]);
        assert!((glyphs[0].confidence - 0.9).abs() < 1e-6);
    }

    #[test]
    fn an_alphabet_must_fit_the_model() {
        assert!(Alphabet::new("a\nb", 3).is_some(), "without a blank");
        assert!(Alphabet::new("a\nb", 4).is_some(), "with one");
        assert!(Alphabet::new("a\nb", 5).is_none());
    }
}

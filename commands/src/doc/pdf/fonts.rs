//! [`Fonts`]: fonts and forms of a document that were read once, as many as memory allows.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use super::file::File;
use super::filters::Undecoded;
use super::font::Font;
use super::object::{Dictionary, Id, Object, Stream};

const MAX_FONTS: usize = 128;
/// What the fonts of one page may take in memory; the others are read as if nothing was known.
const MAX_WEIGHT: usize = 48 << 20;
/// Forms that are drawn on every page are small.
const MAX_FORM_BYTES: usize = 4 << 20;

/// What pages share.
#[derive(Debug, Default)]
pub(super) struct Fonts {
    loaded: HashMap<Id, Rc<Font>>,
    /// Fonts that have no number.
    unnumbered: Vec<Rc<Font>>,
    weight: usize,
    forms: HashMap<Id, Rc<Vec<u8>>>,
    form_bytes: usize,
    doubtful: BTreeSet<String>,
}

impl Fonts {
    pub(super) fn load(&mut self, file: &File<'_>, font: &Object) -> Rc<Font> {
        let id = font.reference();
        if let Some(font) = id.and_then(|id| self.loaded.get(&id)) {
            return Rc::clone(font);
        }
        let dictionary = file.resolve(font);
        let empty = Dictionary::new();
        let known = if self.weight < MAX_WEIGHT {
            dictionary.dictionary().unwrap_or(&empty)
        } else {
            &empty
        };
        let font = Rc::new(Font::new(file, known));
        self.weight = self.weight.saturating_add(font.weight);
        match id {
            Some(id) => {
                self.loaded.insert(id, Rc::clone(&font));
            }
            None => self.unnumbered.push(Rc::clone(&font)),
        }
        font
    }

    /// Makes room, before a page is drawn.
    pub(super) fn turn_page(&mut self) {
        self.unnumbered.iter().filter(|font| font.is_doubtful()).for_each(|font| {
            self.doubtful.insert(font.name.clone());
        });
        self.unnumbered.clear();
        if self.loaded.len() > MAX_FONTS || self.weight > MAX_WEIGHT / 2 {
            self.note_doubtful();
            self.loaded.clear();
            self.weight = 0;
        }
    }

    /// What draws a form.
    pub(super) fn content(
        &mut self,
        file: &File<'_>,
        stream: &Stream,
    ) -> Result<Rc<Vec<u8>>, Undecoded> {
        if let Some(content) = self.forms.get(&stream.id) {
            return Ok(Rc::clone(content));
        }
        let content = Rc::new(file.decode(stream)?);
        if self.form_bytes + content.len() > MAX_FORM_BYTES {
            self.forms.clear();
            self.form_bytes = 0;
        }
        if content.len() < MAX_FORM_BYTES {
            self.form_bytes += content.len();
            self.forms.insert(stream.id, Rc::clone(&content));
        }
        Ok(content)
    }

    /// The names of fonts whose text may be wrong.
    pub(super) fn doubtful(&mut self) -> &BTreeSet<String> {
        self.note_doubtful();
        &self.doubtful
    }

    fn note_doubtful(&mut self) {
        let names = self
            .loaded
            .values()
            .chain(&self.unnumbered)
            .filter(|font| font.is_doubtful())
            .map(|font| font.name.clone());
        self.doubtful.extend(names);
    }
}

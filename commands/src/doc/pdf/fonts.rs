//! [`Fonts`]: fonts and forms of a document that were read once, as many as memory allows.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use super::file::{Decoded, File};
use super::filters::Undecoded;
use super::font::Font;
use super::object::{Dictionary, Id, Object, Stream};
use super::work;

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
    forms: HashMap<Id, Rc<Decoded>>,
    form_bytes: usize,
    /// Pages by the names of fonts whose text may be wrong.
    doubtful: BTreeMap<String, BTreeSet<u32>>,
    page: u32,
}

impl Fonts {
    pub(super) fn load(&mut self, file: &File<'_>, font: &Object) -> Rc<Font> {
        let id = font.reference();
        if let Some(font) = id.and_then(|id| self.loaded.get(&id)) {
            font.used_on(self.page);
            return Rc::clone(font);
        }
        if self.weight >= MAX_WEIGHT {
            self.keep_those_of(self.page);
        }
        let dictionary = file.resolve(font);
        let empty = Dictionary::new();
        let known = if self.weight < MAX_WEIGHT {
            dictionary.dictionary().unwrap_or(&empty)
        } else {
            &empty
        };
        file.work.add(1, work::FONT);
        let font = Rc::new(Font::new(file, known));
        font.used_on(self.page);
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
    pub(super) fn turn_page(&mut self, page: u32) {
        self.page = page;
        if !self.unnumbered.is_empty() {
            self.note_doubtful();
            self.unnumbered.clear();
        }
        if self.loaded.len() > MAX_FONTS || self.weight > MAX_WEIGHT / 2 {
            self.keep_those_of(page.saturating_sub(1));
        }
    }

    /// Forgets the fonts that were not used on a page, or since.
    fn keep_those_of(&mut self, page: u32) {
        self.note_doubtful();
        self.loaded.retain(|_, font| font.last_page() >= Some(page));
        self.weight = self.loaded.values().chain(&self.unnumbered).map(|font| font.weight).sum();
    }

    /// What draws a form.
    pub(super) fn content(
        &mut self,
        file: &File<'_>,
        stream: &Stream,
    ) -> Result<Rc<Decoded>, Undecoded> {
        if let Some(content) = self.forms.get(&stream.id) {
            return Ok(Rc::clone(content));
        }
        let content = Rc::new(file.decode(stream)?);
        let length = content.bytes.len();
        if self.form_bytes + length > MAX_FORM_BYTES {
            self.forms.clear();
            self.form_bytes = 0;
        }
        if length < MAX_FORM_BYTES {
            self.form_bytes += length;
            self.forms.insert(stream.id, Rc::clone(&content));
        }
        Ok(content)
    }

    /// The names of fonts whose text may be wrong, and the pages that they are used on.
    pub(super) fn doubtful(&mut self) -> &BTreeMap<String, BTreeSet<u32>> {
        self.note_doubtful();
        &self.doubtful
    }

    fn note_doubtful(&mut self) {
        for font in self.loaded.values().chain(&self.unnumbered) {
            if font.is_doubtful() {
                self.doubtful.entry(font.name.clone()).or_default().extend(font.pages());
            }
        }
    }
}

//! [`Painter`]: runs what draws a page, and notes the characters.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use super::super::block::Stop;
use super::damage::Damage;
use super::dots::Dots;
use super::file::File;
use super::font::{Font, Glyph};
use super::fonts::Fonts;
use super::inline_image;
use super::lexer::{Lexer, Token};
use super::mark::{Comment, Link, Mark, Sheet};
use super::matrix::Matrix;
use super::object::{Dictionary, Id, Object};
use super::parse;
use super::state::{Pen, State};
use super::strings;
use super::work;

/// Forms within forms.
const MAX_FORMS: usize = 12;
const MAX_STATES: usize = 256;
const MAX_OPERANDS: usize = 64;
/// Characters of one page; a page of a telephone book has 20,000.
const MAX_MARKS: usize = 300_000;
/// Operators between two looks at the clock.
const PULSE: usize = 20_000;

/// Runs the content of one page.
pub(super) struct Painter<'p, 'f, 'a> {
    file: &'f File<'a>,
    fonts: &'p mut Fonts,
    /// Layers that are not shown.
    hidden: &'p BTreeSet<Id>,
    /// Asked now and then whether to go on.
    pulse: &'p mut dyn FnMut() -> Result<(), Stop>,
    sheet: Sheet,
    dots: Dots,
    bounds: (f64, f64),
    operators: usize,
    forms: Vec<Id>,
    tagged: Vec<Tagged>,
    /// How many of them are not shown.
    hidden_tags: usize,
}

/// A stretch of content between `BDC` and `EMC`.
struct Tagged {
    /// What it says, whatever it draws.
    actual: Option<String>,
    first_mark: usize,
    is_hidden: bool,
}

impl<'p, 'f, 'a> Painter<'p, 'f, 'a> {
    pub(super) fn new(
        file: &'f File<'a>,
        fonts: &'p mut Fonts,
        hidden: &'p BTreeSet<Id>,
        bounds: (f64, f64),
        pulse: &'p mut dyn FnMut() -> Result<(), Stop>,
    ) -> Self {
        Self {
            file,
            fonts,
            hidden,
            pulse,
            sheet: Sheet::default(),
            dots: Dots::default(),
            bounds,
            operators: 0,
            forms: Vec::new(),
            tagged: Vec::new(),
            hidden_tags: 0,
        }
    }

    pub(super) fn finish(mut self) -> Sheet {
        self.sheet.height = self.bounds.1;
        self.sheet.marks = self.dots.marked(self.sheet.marks);
        self.sheet
    }

    pub(super) fn damage(&mut self, damage: Damage) {
        self.sheet.damage(damage);
    }

    /// What is written in the rectangle leads to the address.
    pub(super) fn link(&mut self, rectangle: [f64; 4], matrix: Matrix, address: &str) {
        let [left, bottom, right, top] = rectangle;
        let (one, other) = (matrix.point(left, bottom), matrix.point(right, top));
        self.sheet.links.push(Link {
            left: one.0.min(other.0),
            right: one.0.max(other.0),
            bottom: one.1.min(other.1),
            top: one.1.max(other.1),
            address: address.into(),
        });
    }

    /// What somebody wrote beside the text.
    pub(super) fn comment(&mut self, comment: Comment) {
        self.sheet.comments.push(comment);
    }

    /// A file is attached to the page.
    pub(super) fn attach(&mut self) {
        self.sheet.has_attachment = true;
    }

    /// Marks that were drawn so far.
    pub(super) fn count(&self) -> usize {
        self.sheet.marks.len()
    }

    pub(super) fn has_text_since(&self, count: usize) -> bool {
        self.sheet.marks.iter().skip(count).any(|mark| !mark.text.trim().is_empty())
    }

    /// A line of text that nothing draws, such as the value of a field without an appearance.
    pub(super) fn write(&mut self, text: &str, matrix: Matrix, x: f64, y: f64, size: f64) {
        let mut x = x;
        self.file.work.add(text.len(), work::GLYPH);
        for character in text.chars() {
            let (at_x, at_y) = matrix.point(x, y);
            let width = if character < '\u{2000}' { size * 0.5 } else { size };
            let text = Rc::from(character.encode_utf8(&mut [0; 4]) as &str);
            let mark = Mark {
                text,
                x: at_x,
                y: at_y,
                width,
                word_space: 0.0,
                size,
                angle: 0,
                is_bold: false,
            };
            self.put(mark);
            x += width;
        }
    }

    /// Draws `content`, where names mean what `resources` says.
    pub(super) fn run(
        &mut self,
        content: &[u8],
        resources: &Dictionary,
        matrix: Matrix,
    ) -> Result<(), Stop> {
        self.file.work.add(content.len(), work::CONTENT);
        let mut lexer = Lexer::new(content, 0);
        let mut operands: Vec<Object> = Vec::new();
        let mut state = State::new(matrix);
        let mut states: Vec<State> = Vec::new();
        let mut pen = Pen { matrix: Matrix::IDENTITY, line: Matrix::IDENTITY };
        let mut named = HashMap::new();
        let tagged = self.tagged.len();
        while let Some(token) = lexer.next() {
            let word = match token {
                Token::Word(word) if !matches!(word, b"true" | b"false" | b"null") => word,
                token => {
                    if operands.len() >= MAX_OPERANDS {
                        operands.clear();
                    }
                    let is_compound = matches!(token, Token::DictionaryStart | Token::ArrayStart);
                    let before = lexer.position();
                    operands.extend(parse::operand(&mut lexer, token));
                    if is_compound {
                        self.file.work.add(lexer.position() - before, work::PARSE);
                    }
                    continue;
                }
            };
            self.operators += 1;
            self.file.work.add(1, work::OPERATOR);
            self.file.work.check()?;
            if self.operators.is_multiple_of(PULSE) {
                (self.pulse)()?;
            }
            match word {
                b"q" if states.len() < MAX_STATES => states.push(state.clone()),
                b"Q" => {
                    if let Some(kept) = states.pop() {
                        state = kept;
                    }
                }
                b"cm" => {
                    if let Some(matrix) = Matrix::new(&numbers(&operands)) {
                        state.matrix = matrix.then(state.matrix);
                    }
                }
                b"BT" => pen = Pen { matrix: Matrix::IDENTITY, line: Matrix::IDENTITY },
                b"Tf" => {
                    if let [.., Object::Name(name), size] = operands.as_slice() {
                        state.size = size.number().unwrap_or(0.0);
                        state.font = self.font(name, resources, &mut named)?;
                    }
                }
                b"gs" => self.graphics_state(&operands, resources, &mut state),
                b"Tc" => state.char_space = last_number(&operands),
                b"Tw" => state.word_space = last_number(&operands),
                b"Tz" => state.stretch = last_number(&operands) / 100.0,
                b"TL" => state.leading = last_number(&operands),
                b"Ts" => state.rise = last_number(&operands),
                b"Tm" => {
                    if let Some(matrix) = Matrix::new(&numbers(&operands)) {
                        pen = Pen { matrix, line: matrix };
                    }
                }
                b"Td" | b"TD" => {
                    if let [.., x, y] = *numbers(&operands).as_slice() {
                        if word == b"TD" {
                            state.leading = -y;
                        }
                        pen.next_line(x, y);
                    }
                }
                b"T*" => pen.next_line(0.0, -state.leading),
                b"Tj" => {
                    if let Some(Object::String(string)) = operands.last() {
                        self.show(string, &state, &mut pen);
                    }
                }
                b"'" | b"\"" => {
                    if let [.., words, characters, Object::String(_)] = operands.as_slice()
                        && word == b"\""
                    {
                        state.word_space = words.number().unwrap_or(0.0);
                        state.char_space = characters.number().unwrap_or(0.0);
                    }
                    pen.next_line(0.0, -state.leading);
                    if let Some(Object::String(string)) = operands.last() {
                        self.show(string, &state, &mut pen);
                    }
                }
                b"TJ" => {
                    for item in operands.last().and_then(Object::array).unwrap_or_default() {
                        match item {
                            Object::String(string) => self.show(string, &state, &mut pen),
                            other => pen.kern(other.number().unwrap_or(0.0), &state),
                        }
                    }
                }
                b"Do" => {
                    if let Some(Object::Name(name)) = operands.last() {
                        self.draw(name, resources, &state)?;
                    }
                }
                b"m" | b"l" | b"c" | b"v" | b"y" | b"re" if !self.is_hidden() => {
                    self.dots.extend(word, &operands, state.matrix);
                }
                b"f" | b"F" | b"f*" | b"B" | b"B*" | b"b" | b"b*" | b"S" | b"s" => {
                    self.dots.end(true);
                }
                b"n" => self.dots.end(false),
                b"BI" => inline_image::skip(&mut lexer),
                b"BMC" => self.tag(None, false),
                b"BDC" => self.begin_tagged(&operands, resources),
                b"EMC" if self.tagged.len() > tagged => self.end_tagged(),
                _ => {}
            }
            operands.clear();
            if self.sheet.marks.len() >= MAX_MARKS {
                self.sheet.damage(Damage::Crowded);
                return Ok(());
            }
        }
        while self.tagged.len() > tagged {
            self.end_tagged();
        }
        Ok(())
    }

    fn font(
        &mut self,
        name: &str,
        resources: &Dictionary,
        named: &mut HashMap<String, Option<Rc<Font>>>,
    ) -> Result<Option<Rc<Font>>, Stop> {
        if let Some(font) = named.get(name) {
            return Ok(font.clone());
        }
        (self.pulse)()?;
        let fonts = self.file.entry(resources, "Font");
        let font = fonts.dictionary().and_then(|fonts| fonts.get(name));
        let is_missing = font.is_some_and(|font| self.file.is_missing(font));
        let font = font.map(|font| self.fonts.load(self.file, font));
        if is_missing || font.as_ref().is_some_and(|font| font.is_damaged) {
            self.sheet.damage(Damage::Part);
        }
        if named.len() < 4096 {
            named.insert(name.to_owned(), font.clone());
        }
        Ok(font)
    }

    fn graphics_state(&mut self, operands: &[Object], resources: &Dictionary, state: &mut State) {
        let Some(Object::Name(name)) = operands.last() else { return };
        self.file.work.add(1, work::RESOURCE);
        let states = self.file.entry(resources, "ExtGState");
        let Some(entry) = states.dictionary().and_then(|states| states.get(name)) else { return };
        let entry = self.file.resolve(entry);
        let Some(font) = entry.dictionary().and_then(|entry| entry.get("Font")?.array()) else {
            return;
        };
        if let [font, size] = font {
            state.font = Some(self.fonts.load(self.file, font));
            state.size = size.number().unwrap_or(0.0);
        }
    }

    fn show(&mut self, string: &[u8], state: &State, pen: &mut Pen) {
        let Some(font) = state.font.clone() else { return };
        for glyph in font.glyphs(string) {
            if self.sheet.marks.len() >= MAX_MARKS {
                return;
            }
            self.file.work.add(1, work::GLYPH);
            self.place(&glyph, &font, state, pen.matrix);
            let space = state.char_space + if glyph.is_space { state.word_space } else { 0.0 };
            let step = glyph.advance * state.size + space;
            pen.matrix = match font.is_vertical {
                true => Matrix::shift(0.0, step).then(pen.matrix),
                false => Matrix::shift(step * state.stretch, 0.0).then(pen.matrix),
            };
        }
    }

    fn place(&mut self, glyph: &Glyph, font: &Font, state: &State, pen: Matrix) {
        if glyph.text.is_empty() || self.is_hidden() {
            return;
        }
        let size = Matrix {
            a: state.size * state.stretch,
            d: state.size,
            f: state.rise,
            ..Matrix::IDENTITY
        };
        let to_page = size.then(pen).then(state.matrix);
        // Letters that are written downwards hang from the pen by their middle; a page that is turned
        // would have their line to the left of it.
        let (x, y) =
            if font.is_vertical { to_page.point(-0.35, 0.0) } else { to_page.point(0.0, 0.0) };
        let height = to_page.c.hypot(to_page.d);
        // A size of nothing is no text; nor is one that no page has room for.
        if !(x.is_finite() && y.is_finite() && (0.05..5_000.0).contains(&height)) {
            return;
        }
        let sign = if state.size < 0.0 && pen.a * state.matrix.a > 0.0 { -1.0 } else { 1.0 };
        let (along_x, along_y, step) = match font.is_vertical {
            true => (-to_page.c, -to_page.d, glyph.advance.abs() * height),
            false => {
                (sign * to_page.a, sign * to_page.b, glyph.advance * to_page.a.hypot(to_page.b))
            }
        };
        let word_space = match glyph.is_space && state.word_space > 0.0 && !font.is_vertical {
            true => state.word_space / state.size.abs() * to_page.a.hypot(to_page.b),
            false => 0.0,
        };
        let mut angle = angle_of(along_x, along_y);
        let (mut x, mut y) = (x, y);
        // A letter that is shown as in a mirror, such as an E turned around, stands to the left of
        // the pen.
        if angle == 180 && to_page.d > 0.0 && to_page.determinant() < 0.0 && !font.is_vertical {
            angle = 0;
            (x, y) = to_page.point(glyph.advance, 0.0);
        }
        let mark = Mark {
            text: Rc::clone(&glyph.text),
            x,
            y,
            width: step.abs(),
            word_space,
            size: height,
            angle,
            is_bold: font.is_bold,
        };
        self.put(mark);
    }

    /// What lies beside the page is not seen, and not read.
    fn put(&mut self, mark: Mark) {
        let (width, height) = self.bounds;
        let slack = mark.size;
        if mark.x < -slack || mark.x > width + slack || mark.y < -slack || mark.y > height + slack {
            return;
        }
        if self.sheet.marks.len() >= MAX_MARKS {
            return self.sheet.damage(Damage::Crowded);
        }
        self.file.work.add(1, work::MARK);
        self.sheet.marks.push(mark);
    }

    fn is_hidden(&self) -> bool {
        self.hidden_tags > 0
    }

    fn draw(&mut self, name: &str, resources: &Dictionary, state: &State) -> Result<(), Stop> {
        self.file.work.add(1, work::RESOURCE);
        let objects = self.file.entry(resources, "XObject");
        let Some(object) = objects.dictionary().and_then(|objects| objects.get(name)) else {
            return Ok(());
        };
        if self.file.is_missing(object) {
            self.sheet.damage(Damage::Part);
        }
        let object = self.file.resolve(object);
        let Some(dictionary) = object.stream().map(|stream| &stream.dictionary) else {
            return Ok(());
        };
        if self.is_hidden() || dictionary.get("OC").is_some_and(|layer| self.is_off(layer)) {
            return Ok(());
        }
        if self.file.entry(dictionary, "Subtype").name() == Some("Image") {
            self.sheet.picture_area += state.matrix.determinant().abs();
            return Ok(());
        }
        self.form(&object, resources, state.matrix)
    }

    /// Draws what stands for itself: a form, or how a field looks.
    pub(super) fn form(
        &mut self,
        object: &Object,
        resources: &Dictionary,
        matrix: Matrix,
    ) -> Result<(), Stop> {
        let Some(stream) = object.stream() else { return Ok(()) };
        if self.forms.len() >= MAX_FORMS || self.forms.contains(&stream.id) {
            return Ok(());
        }
        (self.pulse)()?;
        self.file.work.add(1, work::FORM);
        let Ok(content) = self.fonts.content(self.file, stream) else {
            self.file.work.check()?;
            self.sheet.damage(Damage::Part);
            return Ok(());
        };
        if !content.is_whole {
            self.sheet.damage(Damage::Part);
        }
        let own = self.file.entry(&stream.dictionary, "Matrix");
        let own = own.array().map(|own| {
            own.iter().map(|item| self.file.resolve(item).number().unwrap_or(0.0)).collect()
        });
        let own = own.and_then(|own: Vec<f64>| Matrix::new(&own)).unwrap_or(Matrix::IDENTITY);
        let own_resources = self.file.entry(&stream.dictionary, "Resources");
        self.forms.push(stream.id);
        let ended = self.run(
            &content.bytes,
            own_resources.dictionary().unwrap_or(resources),
            own.then(matrix),
        );
        self.forms.pop();
        ended
    }

    fn begin_tagged(&mut self, operands: &[Object], resources: &Dictionary) {
        let [.., Object::Name(tag), properties] = operands else { return self.tag(None, false) };
        self.file.work.add(1, work::RESOURCE);
        let all = self.file.entry(resources, "Properties");
        let named = match properties {
            Object::Name(name) => all.dictionary().and_then(|all| all.get(name)),
            other => Some(other),
        };
        let Some(named) = named else { return self.tag(None, false) };
        if tag == "OC" {
            let is_off = self.is_off(named);
            return self.tag(None, is_off);
        }
        let entry = self.file.resolve(named);
        let actual = entry.dictionary().map(|entry| self.file.entry(entry, "ActualText"));
        let actual = actual.as_ref().and_then(|actual| actual.string());
        self.file.work.add(actual.map_or(0, <[u8]>::len), work::LOOK);
        let actual = actual.map(strings::decoded);
        self.tag(actual, false);
    }

    fn tag(&mut self, actual: Option<String>, is_hidden: bool) {
        if self.tagged.len() < 4096 {
            self.hidden_tags += usize::from(is_hidden);
            self.tagged.push(Tagged { actual, first_mark: self.sheet.marks.len(), is_hidden });
        }
    }

    /// What was drawn since the tag began gives way to what the tag says.
    fn end_tagged(&mut self) {
        let Some(Tagged { actual, first_mark, is_hidden }) = self.tagged.pop() else { return };
        self.hidden_tags -= usize::from(is_hidden);
        let Some(actual) = actual else { return };
        let Some(first) = self.sheet.marks.get(first_mark).cloned() else { return };
        let end = self
            .sheet
            .marks
            .iter()
            .skip(first_mark)
            .take_while(|mark| (mark.y - first.y).abs() < first.size)
            .last();
        let width = match end {
            Some(end) if first.angle == 0 && end.angle == 0 => {
                (end.x + end.width - first.x).max(first.width)
            }
            _ => first.width,
        };
        self.sheet.marks.truncate(first_mark);
        if !actual.is_empty() {
            self.sheet.marks.push(Mark { text: actual.into(), width, ..first });
        }
    }

    fn is_off(&self, layer: &Object) -> bool {
        if let Some(id) = layer.reference()
            && self.hidden.contains(&id)
        {
            return true;
        }
        // A group of layers: off when all of them are.
        let group = self.file.resolve(layer);
        let Some(members) = group.dictionary().and_then(|group| group.get("OCGs")) else {
            return false;
        };
        match members {
            Object::Reference(id) => self.hidden.contains(id),
            other => {
                let ids: Vec<Id> = other
                    .array()
                    .unwrap_or_default()
                    .iter()
                    .filter_map(Object::reference)
                    .collect();
                self.file.work.add(ids.len(), work::LOOK);
                !ids.is_empty() && ids.iter().all(|id| self.hidden.contains(id))
            }
        }
    }
}

/// Whole degrees, and right angles for what is close to one.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 360")]
fn angle_of(x: f64, y: f64) -> u16 {
    let degrees = y.atan2(x).to_degrees().rem_euclid(360.0);
    let right = (degrees / 90.0).round() * 90.0;
    let degrees = if (degrees - right).abs() < 3.0 { right } else { degrees.round() };
    degrees as u16 % 360
}

fn numbers(operands: &[Object]) -> Vec<f64> {
    operands.iter().filter_map(Object::number).collect()
}

fn last_number(operands: &[Object]) -> f64 {
    operands.last().and_then(Object::number).filter(|number| number.is_finite()).unwrap_or(0.0)
}

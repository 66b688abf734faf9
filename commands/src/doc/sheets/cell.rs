//! [`Cell`]: what the elements of one cell say together.

use quick_xml::events::BytesStart;

use super::{
    number_format::{Form, Format},
    reference, serial,
    strings::{Strings, decode},
    styles::Styles,
    value::Value,
    xml::unescape,
};

/// What the cells of all sheets refer to.
#[derive(Debug, Default)]
pub(super) struct Shared {
    pub(super) strings: Strings,
    pub(super) styles: Styles,
    pub(super) is_1904: bool,
}

#[derive(Default)]
pub(super) struct Cell {
    pub(super) column: u32,
    pub(super) style: Option<usize>,
    pub(super) kind: CellKind,
    pub(super) has_formula: bool,
    pub(super) has_value: bool,
    pub(super) value: String,
    pub(super) inline: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum CellKind {
    #[default]
    Number,
    Shared,
    Inline,
    Formula,
    Bool,
    Error,
    Date,
}

impl Cell {
    /// Starts over, and gives what the element says of its place: none where it says nothing, and
    /// no place where what it says is none.
    pub(super) fn begin(&mut self, element: &BytesStart<'_>) -> Option<Option<(u32, Option<u32>)>> {
        self.value.clear();
        self.inline.clear();
        (self.has_formula, self.has_value) = (false, false);
        (self.style, self.kind) = (None, CellKind::Number);
        let mut place = None;
        let mut attributes = element.attributes();
        attributes.with_checks(false);
        for attribute in attributes.flatten() {
            match attribute.key.as_ref() {
                "r" => place = Some(reference::parse(&unescape(attribute.value))),
                "s" => self.style = unescape(attribute.value).trim().parse().ok(),
                "t" => {
                    self.kind = match &*unescape(attribute.value) {
                        "s" => CellKind::Shared,
                        "inlineStr" => CellKind::Inline,
                        "str" => CellKind::Formula,
                        "b" => CellKind::Bool,
                        "e" => CellKind::Error,
                        "d" => CellKind::Date,
                        _ => CellKind::Number,
                    }
                }
                _ => {}
            }
        }
        place
    }

    /// Whether it has a formula that no program has computed. An empty text is a result.
    pub(super) fn is_uncomputed(&self) -> bool {
        let is_text = self.kind == CellKind::Formula && self.has_value;
        self.has_formula && self.value.is_empty() && self.inline.is_empty() && !is_text
    }

    pub(super) fn value(&self, shared: &Shared) -> Value {
        // Some producers write the texts of one kind the way of the other.
        if !self.inline.is_empty() {
            return Value::text(decode(&self.inline));
        }
        let stored = self.value.trim();
        if stored.is_empty() && self.kind != CellKind::Formula {
            return Value::Empty;
        }
        let format = self.style.map_or(Format::default(), |style| shared.styles.format(style));
        match self.kind {
            CellKind::Number => {
                if format.form == Form::Number {
                    return Value::number(stored);
                }
                let serial = stored.parse().ok();
                let date = serial.and_then(|serial| serial::iso(serial, format, shared.is_1904));
                date.map_or_else(|| Value::number(stored), Value::Date)
            }
            CellKind::Bool => match stored {
                "1" | "true" | "TRUE" => Value::Bool(true),
                "0" | "false" | "FALSE" => Value::Bool(false),
                other => Value::text(decode(other)),
            },
            CellKind::Error => Value::Error(decode(stored).into_owned()),
            CellKind::Date => Value::Date(iso_date(stored, format.form).to_owned()),
            CellKind::Shared | CellKind::Inline | CellKind::Formula => {
                Value::text(decode(&self.value))
            }
        }
    }
}

/// A date that is stored as text: the midnight of a format without times says nothing.
fn iso_date(stored: &str, form: Form) -> &str {
    let stored = stored.strip_suffix('Z').unwrap_or(stored);
    match stored.split_once('T') {
        Some((date, "00:00:00" | "00:00:00.000" | "00:00")) if form != Form::DateTime => date,
        _ => stored,
    }
}

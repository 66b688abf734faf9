//! [`Xml`]: one part of the package as a stream of tags and texts, within limits.
//!
//! Names are told apart without their prefixes: producers choose any, and strict files have other
//! namespaces. References to entities that XML itself does not define give nothing; a document type
//! declaration is noted and never followed.

use std::{
    borrow::Cow,
    io::{self, BufRead, BufReader, Read},
    mem,
};

use quick_xml::{
    Error, Reader,
    events::{BytesEnd, BytesStart, Event},
};

use super::{Watch, fault::Fault, limits};

/// Nodes, and bytes, between two questions whether to go on.
const NODES: u64 = 4096;
const BYTES: u64 = 4 << 20;

/// Longer names are made up, and the XML reader keeps those of all open elements.
const MAX_NAME_BYTES: usize = 1024;

pub(super) struct Xml<'a> {
    part: String,
    reader: Reader<Metered<'a>>,
    buffer: Vec<u8>,
    depth: usize,
    /// Whether the end of an empty element is still to be given, and its name.
    is_closing: bool,
    closing: String,
    has_root: bool,
    has_doctype: bool,
    nodes: u64,
    elements: u64,
    asked_at: u64,
    total: Option<u64>,
}

pub(super) enum Node<'x> {
    /// An empty element opens and closes too.
    Open(BytesStart<'x>),
    Close(BytesEnd<'x>),
    Text(Cow<'x, str>),
    /// A comment and the like.
    Other,
    End,
}

impl<'a> Xml<'a> {
    /// `total` is what the package says of the unpacked size, for the progress alone.
    pub(super) fn new(part: &str, bytes: impl Read + 'a, max: u64, total: Option<u64>) -> Self {
        let inner = BufReader::with_capacity(64 << 10, Box::new(bytes) as Box<dyn Read + 'a>);
        let metered = Metered { inner, max, read: 0, token: 0, over: None };
        let mut reader = Reader::from_reader(metered);
        reader.config_mut().allow_dangling_amp = true;
        Self {
            part: part.to_owned(),
            reader,
            buffer: Vec::new(),
            depth: 0,
            is_closing: false,
            closing: String::new(),
            has_root: false,
            has_doctype: false,
            nodes: 0,
            elements: 0,
            asked_at: 0,
            total,
        }
    }

    pub(super) fn part(&self) -> &str {
        &self.part
    }

    pub(super) fn has_doctype(&self) -> bool {
        self.has_doctype
    }

    /// # Errors
    /// [`Fault::Damaged`] where the XML breaks off, or is none.
    pub(super) fn next(&mut self, watch: &mut dyn Watch) -> Result<Node<'_>, Fault> {
        self.nodes += 1;
        let position = self.reader.buffer_position();
        if self.nodes.is_multiple_of(NODES) || position - self.asked_at > BYTES {
            self.asked_at = position;
            watch.go_on(position, self.total)?;
        }
        if mem::take(&mut self.is_closing) {
            return Ok(Node::Close(BytesEnd::new(self.closing.as_str())));
        }
        self.buffer.clear();
        self.reader.get_mut().token = 0;
        let event = match self.reader.read_event_into(&mut self.buffer) {
            Ok(event) => event,
            Err(error) => {
                let over = self.reader.get_ref().over;
                return Err(fault(&self.part, over, self.reader.get_ref().max, position, &error));
            }
        };
        if !matches!(event, Event::End(_) | Event::Text(_) | Event::GeneralRef(_)) {
            self.elements += 1;
            if self.elements > limits::MAX_ELEMENTS {
                return Err(limits::too_many_elements(&self.part).into());
            }
        }
        match event {
            Event::Start(start) => {
                self.has_root = true;
                self.depth += 1;
                if self.depth > limits::MAX_DEPTH {
                    return Err(limits::too_deep(&self.part).into());
                }
                if start.name().as_ref().len() > MAX_NAME_BYTES {
                    return Err(Fault::Damaged(format!("is no XML from byte {position} on")));
                }
                Ok(Node::Open(start))
            }
            Event::Empty(start) => {
                self.has_root = true;
                self.is_closing = true;
                self.closing.clear();
                self.closing.push_str(start.local_name().into_inner());
                Ok(Node::Open(start))
            }
            Event::End(end) => {
                self.depth = self.depth.saturating_sub(1);
                Ok(Node::Close(end))
            }
            Event::Text(text) => Ok(Node::Text(text.into_inner())),
            Event::CData(text) => Ok(Node::Text(text.into_inner())),
            Event::GeneralRef(name) => Ok(match reference(&name) {
                Some(character) => Node::Text(Cow::Owned(character.to_string())),
                None => Node::Other,
            }),
            Event::DocType(_) => {
                self.has_doctype = true;
                Ok(Node::Other)
            }
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) => Ok(Node::Other),
            Event::Eof if self.depth > 0 || !self.has_root => {
                Err(Fault::Damaged(format!("ends too early, at byte {position}")))
            }
            Event::Eof => Ok(Node::End),
        }
    }
}

/// The value of an attribute without a prefix; the first, where it is there twice.
pub(super) fn attribute<'e>(element: &'e BytesStart<'_>, name: &str) -> Option<Cow<'e, str>> {
    let mut attributes = element.attributes();
    // The check compares each name with all before it.
    attributes.with_checks(false);
    let found = attributes.flatten().find(|attribute| attribute.key.as_ref() == name)?;
    Some(unescape(found.value))
}

/// The value of `r:id`, whatever the prefix is.
pub(super) fn relation_id<'e>(element: &'e BytesStart<'_>) -> Option<Cow<'e, str>> {
    let mut attributes = element.attributes();
    attributes.with_checks(false);
    let found = attributes.flatten().find(|attribute| {
        let (name, prefix) = attribute.key.decompose();
        name.as_ref() == "id" && prefix.is_some_and(|prefix| prefix.as_ref() != "xmlns")
    })?;
    Some(unescape(found.value))
}

/// Whether an attribute says yes.
pub(super) fn is_true(value: &str) -> bool {
    matches!(value.trim(), "1" | "true" | "on")
}

pub(super) fn unescape(value: Cow<'_, str>) -> Cow<'_, str> {
    if !value.contains('&') {
        return value;
    }
    let mut rest = &*value;
    let mut text = String::with_capacity(rest.len());
    while let Some((before, after)) = rest.split_once('&') {
        text.push_str(before);
        match after.split_once(';') {
            Some((name, after)) if !name.contains('&') => {
                text.extend(reference(name));
                rest = after;
            }
            _ => {
                text.push('&');
                rest = after;
            }
        }
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// The character that `&name;` stands for; none for an entity that XML itself does not define.
fn reference(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "apos" => Some('\''),
        "quot" => Some('"'),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?).filter(|character| *character != '\0')
        }
    }
}

fn fault(part: &str, over: Option<Over>, max: u64, position: u64, error: &Error) -> Fault {
    match (over, error) {
        (Some(Over::Part), _) => limits::too_big_part(part, max).into(),
        (Some(Over::Token), _) => limits::too_long_token(part).into(),
        (None, Error::Io(_)) => Fault::Damaged(format!("cannot be unpacked past byte {position}")),
        (None, _) => Fault::Damaged(format!("is no XML from byte {position} on")),
    }
}

/// Bytes, counted: the XML reader itself takes any number.
struct Metered<'a> {
    inner: BufReader<Box<dyn Read + 'a>>,
    max: u64,
    read: u64,
    /// Since the last node.
    token: u64,
    over: Option<Over>,
}

#[derive(Clone, Copy)]
enum Over {
    Part,
    Token,
}

impl Read for Metered<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.inner.read(buffer)
    }
}

impl BufRead for Metered<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.read > self.max {
            self.over = Some(Over::Part);
        } else if self.token > limits::MAX_TOKEN_BYTES {
            self.over = Some(Over::Token);
        }
        match self.over {
            Some(_) => Err(io::Error::other("a limit was reached")),
            None => self.inner.fill_buf(),
        }
    }

    fn consume(&mut self, count: usize) {
        self.inner.consume(count);
        self.token += count as u64;
        self.read += count as u64;
    }
}

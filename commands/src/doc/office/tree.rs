//! [`Node`]: a piece of XML in memory, to be changed and written again.

use quick_xml::{
    Reader, Writer,
    events::{BytesEnd, BytesStart, BytesText, Event},
};

/// An element, or what stands between elements.
pub(super) enum Node {
    Element(Element),
    Other(Event<'static>),
}

pub(super) struct Element {
    pub(super) tag: BytesStart<'static>,
    pub(super) children: Vec<Node>,
}

impl Node {
    pub(super) fn element(self) -> Result<Element, Self> {
        match self {
            Self::Element(element) => Ok(element),
            Self::Other(_) => Err(self),
        }
    }

    pub(super) fn as_element(&self) -> Option<&Element> {
        match self {
            Self::Element(element) => Some(element),
            Self::Other(_) => None,
        }
    }

    pub(super) fn write(self, writer: &mut Writer<Vec<u8>>) -> Option<()> {
        let Element { tag, children } = match self {
            Self::Other(event) => return writer.write_event(event).ok(),
            Self::Element(element) => element,
        };
        if children.is_empty() {
            return writer.write_event(Event::Empty(tag)).ok();
        }
        let end = BytesEnd::new(tag.name().as_ref().to_owned());
        writer.write_event(Event::Start(tag)).ok()?;
        for child in children {
            child.write(writer)?;
        }
        writer.write_event(Event::End(end)).ok()
    }
}

impl Element {
    /// Reads all that stands before the end of an element whose tag was read. What was looked over
    /// is not nested deeply.
    pub(super) fn read(tag: &BytesStart<'_>, reader: &mut Reader<&[u8]>) -> Option<Self> {
        let mut element = Self { tag: tag.to_owned(), children: Vec::new() };
        loop {
            element.children.push(match reader.read_event().ok()? {
                Event::Start(tag) => Node::Element(Self::read(&tag, reader)?),
                Event::Empty(tag) => {
                    Node::Element(Self { tag: tag.into_owned(), children: Vec::new() })
                }
                Event::End(_) => return Some(element),
                Event::Eof => return None,
                other => Node::Other(other.into_owned()),
            });
        }
    }

    pub(super) fn new(name: &'static str, children: Vec<Node>) -> Self {
        Self { tag: BytesStart::new(name), children }
    }

    pub(super) fn text(name: &'static str, text: &str) -> Self {
        let mut element =
            Self::new(name, vec![Node::Other(Event::Text(BytesText::new(text).into_owned()))]);
        element.tag.push_attribute(("xml:space", "preserve"));
        element
    }

    pub(super) fn is(&self, name: &str) -> bool {
        self.tag.name().as_ref() == name
    }

    pub(super) fn elements(&self) -> impl Iterator<Item = &Self> {
        self.children.iter().filter_map(Node::as_element)
    }

    pub(super) fn child(&self, name: &str) -> Option<&Self> {
        self.elements().find(|child| child.is(name))
    }

    /// An attribute's value, as it is written.
    pub(super) fn attribute(&self, name: &str) -> Option<String> {
        let attribute = self.tag.try_get_attribute(name).ok()??;
        Some(attribute.value.into_owned())
    }
}

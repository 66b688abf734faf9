//! [`Strings`]: the texts that cells share, in one piece of memory; and how a text is written down.

use std::borrow::Cow;

use super::{
    Watch,
    fault::Fault,
    limits,
    xml::{Node, Xml},
};

/// Each from the end of the one before it to its own.
#[derive(Debug, Default)]
pub(super) struct Strings {
    text: String,
    ends: Vec<u32>,
}

impl Strings {
    /// Reads them all; what was read before a fault stays. No count that the part gives is believed.
    pub(super) fn read(&mut self, part: &mut Xml<'_>, watch: &mut dyn Watch) -> Result<(), Fault> {
        let mut run = Run::default();
        let mut gathered = String::new();
        loop {
            match part.next(watch)? {
                Node::Open(element) => run.open(element.local_name().as_ref()),
                Node::Text(text) if run.is_text() => gathered.push_str(&text),
                Node::Close(end) if end.local_name().as_ref() == "si" => {
                    run = Run::default();
                    self.text.push_str(&decode(&gathered));
                    gathered.clear();
                    // Always fits: the text is shorter than the limit.
                    self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
                }
                Node::Close(end) => run.close(end.local_name().as_ref()),
                Node::End => return Ok(()),
                Node::Text(_) | Node::Other => continue,
            }
            let held = self.text.len() + gathered.len() + self.ends.len() * size_of::<u32>();
            if held as u64 > limits::MAX_PART_BYTES {
                return Err(limits::too_big_part(part.part(), limits::MAX_PART_BYTES).into());
            }
        }
    }

    pub(super) fn get(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)?;
        let start = match index.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        self.text.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
    }
}

/// Where in a rich text the reader is: its runs say one thing, phonetic ones how to read it.
#[derive(Debug, Default)]
pub(super) struct Run {
    phonetic: usize,
    is_text: bool,
}

impl Run {
    pub(super) fn open(&mut self, name: &str) {
        match name {
            "rPh" => self.phonetic += 1,
            "t" => self.is_text = true,
            _ => {}
        }
    }

    pub(super) fn close(&mut self, name: &str) {
        match name {
            "rPh" => self.phonetic = self.phonetic.saturating_sub(1),
            "t" => self.is_text = false,
            _ => {}
        }
    }

    pub(super) fn is_text(&self) -> bool {
        self.is_text && self.phonetic == 0
    }
}

/// A text as it is meant: `_x000D_` is a character, lines end in `\n`, and there are no other
/// control characters but tabs.
pub(super) fn decode(text: &str) -> Cow<'_, str> {
    let is_clean = !text.contains("_x") && !text.contains(is_unwanted);
    if is_clean {
        return Cow::Borrowed(text);
    }
    let mut units = Vec::new();
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        if let Some((unit, after)) = escape(rest) {
            units.push(unit);
            rest = after;
        } else {
            units.extend_from_slice(character.encode_utf16(&mut [0; 2]));
            rest = rest.get(character.len_utf8()..).unwrap_or_default();
        }
    }
    let decoded = String::from_utf16_lossy(&units).replace("\r\n", "\n").replace('\r', "\n");
    Cow::Owned(decoded.replace(is_unwanted, ""))
}

fn is_unwanted(character: char) -> bool {
    character.is_control() && character != '\n' && character != '\t'
}

/// A unit of UTF-16 written as `_xHHHH_`, and what follows it.
fn escape(text: &str) -> Option<(u16, &str)> {
    let digits = text.strip_prefix("_x")?;
    let (digits, rest) = digits.split_at_checked(4)?;
    let rest = rest.strip_prefix('_')?;
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    Some((u16::from_str_radix(digits, 16).ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_characters() {
        for (text, meant) in [
            ("a_x000D_\nb", "a\nb"),
            ("_x005F_x000D_", "_x000D_"),
            ("_xD83D__xDE00_", "😀"),
            ("_x00e4_", "ä"),
            ("my_xml_x12_ _x000g_", "my_xml_x12_ _x000g_"),
            ("tab\tbell\u{7}", "tab\tbell"),
            ("_x+123_", "_x+123_"),
        ] {
            assert_eq!(decode(text), meant, "{text}");
        }
    }
}

//! One font as a file of its own, without filters, references to pages and maps to Unicode: what
//! the library is given to read.
//!
//! So it meets only what was bounded and unpacked before, inflates nothing, and asks nobody how
//! much it may inflate.

use std::collections::HashMap;

use pdf_oxide::PdfDocument;
use pdf_oxide::fonts::FontInfo;
use pdf_oxide::object::ObjectRef;

use super::file::File;
use super::object::{Dictionary, Id, Object};

/// Objects that one font is made of.
const MAX_OBJECTS: usize = 64;
const MAX_BYTES: usize = 16 << 20;
const MAX_DEPTH: usize = 8;
/// What leads away from the font, or is read here.
const LEFT_OUT: [&str; 10] = [
    "ToUnicode",
    "CharProcs",
    "Resources",
    "Parent",
    "Metadata",
    "Filter",
    "DecodeParms",
    "Length",
    "W",
    "W2",
];

/// The bytes of the file. `encoding` stands in for what the font says; a program is left out where
/// characters are known without it.
pub(super) fn with(
    file: &File<'_>,
    font: &Dictionary,
    encoding: Option<&str>,
    is_mapped: bool,
) -> Vec<u8> {
    let mut writer =
        Writer { file, encoding, is_mapped, numbers: HashMap::new(), pending: Vec::new() };
    let mut bytes = b"%PDF-1.7\n".to_vec();
    let mut starts = vec![bytes.len()];
    bytes.extend(b"1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n");
    starts.push(bytes.len());
    bytes.extend(b"2 0 obj <</Type/Pages/Kids[]/Count 0>> endobj\n");
    starts.push(bytes.len());
    bytes.extend(b"3 0 obj ");
    writer.dictionary(font, &mut bytes, 0);
    bytes.extend(b" endobj\n");
    let mut next = 0;
    while let Some(&id) = writer.pending.get(next) {
        next += 1;
        starts.push(bytes.len());
        bytes.extend(format!("{} 0 obj ", next + 3).bytes());
        let object = file.load(id);
        match object.stream() {
            Some(stream) => {
                let data = file.decode(stream).map(|decoded| decoded.bytes).unwrap_or_default();
                let is_small = bytes.len() + data.len() < MAX_BYTES;
                writer.stream(&stream.dictionary, if is_small { &data } else { &[] }, &mut bytes);
            }
            None => writer.object(&object, &mut bytes, 0),
        }
        bytes.extend(b" endobj\n");
    }
    let table = bytes.len();
    bytes.extend(format!("xref\n0 {}\n0000000000 65535 f \n", starts.len() + 1).bytes());
    for start in &starts {
        bytes.extend(format!("{start:010} 00000 n \n").bytes());
    }
    bytes.extend(
        format!("trailer <</Size {}/Root 1 0 R>>\nstartxref\n{table}\n%%EOF\n", starts.len() + 1)
            .bytes(),
    );
    bytes
}

/// What the library makes of it.
pub(super) fn read(source: Vec<u8>) -> Option<FontInfo> {
    let document = PdfDocument::from_bytes(source).ok()?;
    let font = document.load_object(ObjectRef::new(3, 0)).ok()?;
    FontInfo::from_dict(&font, &document).ok()
}

struct Writer<'f, 'a> {
    file: &'f File<'a>,
    encoding: Option<&'f str>,
    is_mapped: bool,
    numbers: HashMap<Id, usize>,
    pending: Vec<Id>,
}

impl Writer<'_, '_> {
    fn stream(&self, dictionary: &Dictionary, data: &[u8], bytes: &mut Vec<u8>) {
        let lengths = ["Length1", "Length2", "Length3", "Subtype"];
        bytes.extend(b"<<");
        for name in lengths {
            match self.file.entry(dictionary, name).as_ref() {
                Object::Integer(length) => bytes.extend(format!("/{name} {length}").bytes()),
                Object::Name(subtype) => {
                    bytes.extend(format!("/{name}").bytes());
                    write_name(subtype, bytes);
                }
                _ => {}
            }
        }
        // The library looks for the end by the word, wherever it stands.
        let is_plain = memchr::memmem::find(data, b"endobj").is_none();
        let length = if is_plain { data.len() } else { data.len() * 2 };
        let filter = if is_plain { "" } else { "/Filter/ASCIIHexDecode" };
        bytes.extend(format!("{filter}/Length {length}>>\nstream\n").bytes());
        match is_plain {
            true => bytes.extend_from_slice(data),
            false => data.iter().for_each(|byte| bytes.extend(format!("{byte:02x}").bytes())),
        }
        bytes.extend(b"\nendstream");
    }

    fn dictionary(&mut self, dictionary: &Dictionary, bytes: &mut Vec<u8>, depth: usize) {
        bytes.extend(b"<<");
        for (name, entry) in dictionary {
            let is_left_out =
                LEFT_OUT.contains(&name.as_str()) || self.is_mapped && name.starts_with("FontFile");
            if is_left_out {
                continue;
            }
            write_name(name, bytes);
            bytes.push(b' ');
            match self.encoding {
                Some(encoding) if name == "Encoding" => write_name(encoding, bytes),
                _ => self.object(entry, bytes, depth + 1),
            }
        }
        bytes.extend(b">>");
    }

    fn object(&mut self, object: &Object, bytes: &mut Vec<u8>, depth: usize) {
        if depth > MAX_DEPTH || bytes.len() > MAX_BYTES {
            bytes.extend(b"null");
            return;
        }
        match object {
            Object::Null => bytes.extend(b"null"),
            Object::Boolean(value) => bytes.extend(value.to_string().bytes()),
            Object::Integer(value) => bytes.extend(value.to_string().bytes()),
            Object::Real(value) => bytes.extend(format!("{value:.6}").bytes()),
            Object::String(string) => {
                bytes.push(b'<');
                string.iter().for_each(|byte| bytes.extend(format!("{byte:02x}").bytes()));
                bytes.push(b'>');
            }
            Object::Name(name) => write_name(name, bytes),
            Object::Array(items) => {
                bytes.push(b'[');
                for item in items {
                    self.object(item, bytes, depth + 1);
                    bytes.push(b' ');
                }
                bytes.push(b']');
            }
            Object::Dictionary(dictionary) => self.dictionary(dictionary, bytes, depth),
            Object::Stream(stream) => self.object(&Object::Reference(stream.id), bytes, depth),
            Object::Reference(id) => {
                // Small things are written where they are meant: the library does not follow
                // everywhere.
                let target = self.file.resolve(object);
                if !matches!(*target, Object::Stream(_) | Object::Dictionary(_) | Object::Array(_))
                {
                    return self.object(&target, bytes, depth + 1);
                }
                if !self.numbers.contains_key(id) && self.pending.len() >= MAX_OBJECTS {
                    bytes.extend(b"null");
                    return;
                }
                let number = *self.numbers.entry(*id).or_insert_with(|| {
                    self.pending.push(*id);
                    self.pending.len() + 3
                });
                bytes.extend(format!("{number} 0 R").bytes());
            }
        }
    }
}

fn write_name(name: &str, bytes: &mut Vec<u8>) {
    bytes.push(b'/');
    for byte in name.bytes() {
        match byte {
            b'!'..=b'~' if super::lexer::is_regular(byte) && byte != b'#' => bytes.push(byte),
            _ => bytes.extend(format!("#{byte:02x}").bytes()),
        }
    }
}

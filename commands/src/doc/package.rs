//! [`Package`]: the container of an Office document, looked over before a reader is given its parts.
//!
//! What a part says of its size is not believed: it is inflated, once, and counted. Ratios are not
//! looked at, since honest files that repeat themselves pack a thousand to one, too.

use std::io::{Cursor, Read};

use memchr::memmem;
use quick_xml::{Reader, events::Event};
use tapeline::{ErrorCode, Failure};
use zip::{ZipArchive, ZipWriter, read::ZipFile, result::ZipError};

use super::{
    depth,
    format::{Format, elsewhere, encrypted, unreadable},
};

/// Files in a package.
const MOST_ENTRIES: usize = 10_000;
/// All of it, unpacked.
const MOST_BYTES: u64 = 2 << 30;
/// One part that readers hold in memory, unpacked.
const MOST_PART_BYTES: u64 = 64 << 20;
/// Elements inside each other: readers recurse, and a stack that overflows takes the host down.
const MOST_NESTED: usize = 256;

/// Whether bytes begin as a package does.
pub(super) fn is_package(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

/// A file of a package, unpacked.
pub(super) struct Part {
    pub(super) content: Vec<u8>,
    /// Nothing behind the content is damaged.
    pub(super) is_whole: bool,
    /// It declares a document type.
    pub(super) has_doctype: bool,
}

/// An open container.
pub(super) struct Package<'a>(ZipArchive<Cursor<&'a [u8]>>);

impl<'a> Package<'a> {
    /// # Errors
    /// `LimitExceeded` for too many entries, `ParseError`.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, Failure> {
        // Counted in the bytes, since opening reads all that the directory lists, and the number in
        // front of it may lie.
        let entries = memmem::find_iter(bytes, b"PK\x01\x02").take(MOST_ENTRIES + 1).count();
        if entries > MOST_ENTRIES {
            let message = format!("the document is a package of more than {MOST_ENTRIES} files");
            return Err(Failure::limit_exceeded("entries", MOST_ENTRIES as u64, message)
                .hint("split the document, or take pictures out of it"));
        }
        let archive = ZipArchive::new(Cursor::new(bytes))
            .map_err(|_| unreadable("it begins as a zip package and does not end as one"))?;
        Ok(Self(archive))
    }

    /// What document it is, by its main part.
    ///
    /// # Errors
    /// `NotSupported` for other packages that are documents; `Encrypted`, `ParseError`.
    pub(super) fn format(&mut self) -> Result<Format, Failure> {
        if let Some(mimetype) = self.text("mimetype")? {
            let is_encrypted = self
                .text("META-INF/manifest.xml")?
                .is_some_and(|manifest| manifest.contains("encryption-data"));
            return Err(match mimetype.trim() {
                _ if is_encrypted => encrypted("document"),
                "application/vnd.oasis.opendocument.text" => elsewhere("odt"),
                "application/vnd.oasis.opendocument.spreadsheet" => elsewhere("ods"),
                "application/vnd.oasis.opendocument.presentation" => elsewhere("odp"),
                "application/epub+zip" => elsewhere("epub"),
                _ => unreadable("it is a zip package without an Office document in it"),
            });
        }
        let types = self.text("[Content_Types].xml")?.unwrap_or_default();
        if let Some(format) = by_content_types(&types) {
            return format;
        }
        // Some programs write types that nobody knows, and the usual names.
        let usual = [
            ("word/document.xml", Format::Docx),
            ("ppt/presentation.xml", Format::Pptx),
            ("xl/workbook.xml", Format::Xlsx),
        ];
        usual
            .into_iter()
            .find(|(name, _)| self.index_of(name).is_some())
            .map(|(_, format)| format)
            .ok_or_else(|| unreadable("it is a zip package without an Office document in it"))
    }

    /// Looks at what the container says of its files.
    ///
    /// # Errors
    /// `LimitExceeded` for one that says to unpack to more than 2 GiB, `Encrypted`.
    pub(super) fn check(&mut self) -> Result<(), Failure> {
        let mut declared = 0_u64;
        for index in 0..self.0.len() {
            let Ok(entry) = self.0.by_index_raw(index) else { continue };
            if entry.encrypted() {
                return Err(encrypted("document"));
            }
            declared = declared.saturating_add(entry.size());
        }
        if declared > MOST_BYTES {
            let message = "the document unpacks to more than 2 GiB";
            return Err(Failure::limit_exceeded("package", MOST_BYTES, message)
                .hint("split the document, or take large pictures out of it"));
        }
        Ok(())
    }

    /// The files, to be streamed: their reader counts what it unpacks.
    pub(super) fn into_archive(self) -> ZipArchive<Cursor<&'a [u8]>> {
        self.0
    }

    /// The names of its files, by number.
    pub(super) fn names(&self) -> Vec<String> {
        let name = |index| match self.0.name_for_index(index) {
            Some(Ok(name)) => name.into_owned(),
            Some(Err(_)) | None => String::new(),
        };
        (0..self.0.len()).map(name).collect()
    }

    /// Unpacks a file, and looks at how deep its elements lie; `None` where it is damaged from its
    /// beginning.
    ///
    /// # Errors
    /// `LimitExceeded`.
    pub(super) fn unpack(&mut self, index: usize, name: &str) -> Result<Option<Part>, Failure> {
        // The reader meets it, too, and says which part is damaged.
        let Ok(mut entry) = self.0.by_index(index) else { return Ok(None) };
        let part = inflate(&mut entry, name)?;
        let scan = match is_xml(name) {
            true => depth::scan(&part.content, MOST_NESTED),
            false => depth::Scan { depth: 0, has_doctype: false },
        };
        if scan.depth > MOST_NESTED {
            let message =
                format!("elements of `{name}` lie more than {MOST_NESTED} inside each other");
            return Err(Failure::limit_exceeded("nesting", MOST_NESTED as u64, message)
                .hint("open it in an office program, take tables and boxes out of each other, and save it anew"));
        }
        Ok(Some(Part { has_doctype: scan.has_doctype, ..part }))
    }

    /// Puts a file into another package as it is, compressed.
    ///
    /// # Errors
    /// `ParseError`.
    pub(super) fn copy(
        &mut self,
        index: usize,
        into: &mut ZipWriter<Cursor<Vec<u8>>>,
    ) -> Result<(), Failure> {
        let Ok(entry) = self.0.by_index_raw(index) else { return Ok(()) };
        into.raw_copy_file(entry).map_err(|error| damaged(&error))
    }

    fn index_of(&self, name: &str) -> Option<usize> {
        let wanted = key(name);
        let is_wanted = |name: &str| key(name) == wanted;
        (0..self.0.len()).find(|index| {
            self.0.name_for_index(*index).and_then(Result::ok).is_some_and(|name| is_wanted(&name))
        })
    }

    /// A small part as text; `None` where it is not there or cannot be inflated.
    fn text(&mut self, name: &str) -> Result<Option<String>, Failure> {
        let Some(index) = self.index_of(name) else { return Ok(None) };
        match self.0.by_index(index) {
            Ok(mut entry) => {
                let content = inflate(&mut entry, name)?.content;
                Ok(Some(String::from_utf8_lossy(&content).into_owned()))
            }
            Err(ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED)) => {
                Err(encrypted("document"))
            }
            Err(_) => Ok(None),
        }
    }
}

/// A name as packages compare them: some programs write them in lower case, or with backslashes.
fn key(name: &str) -> String {
    name.trim_start_matches(['/', '\\']).replace('\\', "/").to_ascii_lowercase()
}

/// Reads an entry as far as it goes: what is damaged behind that is told by the reader.
fn inflate(entry: &mut ZipFile<'_, Cursor<&[u8]>>, name: &str) -> Result<Part, Failure> {
    let too_large = || {
        let message = format!("`{name}` in the document unpacks to more than 64 MiB");
        Failure::limit_exceeded("part", MOST_PART_BYTES, message)
            .hint("split the document, or take large pictures out of it")
    };
    if entry.size() > MOST_PART_BYTES {
        return Err(too_large());
    }
    let mut content = Vec::new();
    // An error leaves what came before it.
    let read = entry.by_ref().take(MOST_PART_BYTES + 1).read_to_end(&mut content);
    if content.len() as u64 > MOST_PART_BYTES {
        return Err(too_large());
    }
    Ok(Part { content, is_whole: read.is_ok(), has_doctype: false })
}

/// What a package that cannot be taken apart, or put together anew, is answered with.
pub(super) fn damaged(error: &ZipError) -> Failure {
    let why: String = error.to_string().chars().take(200).collect();
    Failure::new(ErrorCode::PARSE_ERROR, format!("the document is damaged: {why}"))
        .hint("open it in an office program, save it anew and try that copy")
}

fn is_xml(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    [".xml", ".rels"].iter().any(|end| name.ends_with(end))
}

/// What the types of a package's parts say it is; `None` where none of them is known.
fn by_content_types(types: &str) -> Option<Result<Format, Failure>> {
    let mut reader = Reader::from_str(types);
    loop {
        let element = match reader.read_event() {
            Ok(Event::Empty(element) | Event::Start(element)) => element,
            Ok(Event::Eof) | Err(_) => return None,
            Ok(_) => continue,
        };
        for attribute in element.attributes().with_checks(false).flatten() {
            if attribute.key.local_name().as_ref() != "ContentType" {
                continue;
            }
            let value = attribute.value.to_ascii_lowercase();
            let Some(main) = value.strip_suffix(".main+xml").or(value.strip_suffix(".main")) else {
                continue;
            };
            let has = |part: &str| main.contains(part);
            return Some(match () {
                () if has("sheet.binary") => Err(elsewhere("xlsb")),
                () if has("wordprocessingml") || has("ms-word") => Ok(Format::Docx),
                () if has("presentationml") || has("ms-powerpoint") => Ok(Format::Pptx),
                () if has("spreadsheetml") || has("ms-excel") => Ok(Format::Xlsx),
                () => continue,
            });
        }
    }
}

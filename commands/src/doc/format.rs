//! [`Format`]: what a document is, by its bytes. Names of files are not asked.

use memchr::memmem;
use serde::Serialize;
use tapeline::{ErrorCode, Failure};

use super::package::{self, Package};

/// The documents that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Format {
    /// PDF, whatever its version.
    Pdf,
    /// WordprocessingML: documents and templates, with and without macros.
    Docx,
    /// PresentationML: presentations, slide shows and templates.
    Pptx,
    /// SpreadsheetML: workbooks and templates, not the binary kind.
    Xlsx,
}

impl Format {
    /// As in `--format` and in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pdf => "pdf",
            Self::Docx => "docx",
            Self::Pptx => "pptx",
            Self::Xlsx => "xlsx",
        }
    }

    /// What the bytes are; a package was looked over then.
    ///
    /// # Errors
    /// `NotSupported` for documents and pictures of other kinds, `Encrypted`, `LimitExceeded`,
    /// `ParseError` for whatever is none of these.
    pub(super) fn of(bytes: &[u8]) -> Result<Self, Failure> {
        /// So far into a file the mark of a PDF may stand, as readers have always taken it.
        const HEAD_BYTES: usize = 1024;

        let head = bytes.get(..HEAD_BYTES).unwrap_or(bytes);
        if bytes.is_empty() {
            return Err(unreadable("the file is empty"));
        }
        // The first of all: a PDF may hide in what looks like something else, never the reverse.
        if memmem::find(head, b"%PDF-").is_some() && !head.starts_with(b"PK\x03\x04") {
            return Ok(Self::Pdf);
        }
        if package::is_package(bytes) {
            return Package::open(bytes)?.format();
        }
        if head.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") {
            return Err(compound(bytes));
        }
        match magic(head) {
            Some(Other::Picture(name)) => Err(not_supported(name, "a picture").hint(format!(
                "`doc ocr` reads pictures of text; a {name} has no text of its own"
            ))),
            Some(Other::Document(name)) => Err(elsewhere(name)),
            None => {
                let failure = unreadable("it is neither a PDF nor an Office document");
                Err(match is_text(bytes) {
                    true => failure.hint("it is text already: read it as it is"),
                    false => failure,
                })
            }
        }
    }
}

/// What is known and not read.
enum Other {
    Picture(&'static str),
    Document(&'static str),
}

fn magic(head: &[u8]) -> Option<Other> {
    const KNOWN: &[(&[u8], Other)] = &[
        (b"\x89PNG\r\n\x1a\n", Other::Picture("png")),
        (b"\xff\xd8\xff", Other::Picture("jpg")),
        (b"GIF8", Other::Picture("gif")),
        (b"II*\0", Other::Picture("tif")),
        (b"MM\0*", Other::Picture("tif")),
        (b"{\\rtf", Other::Document("rtf")),
        (b"%!PS", Other::Document("ps")),
    ];
    // The size of the file stands between the two.
    if head.starts_with(b"BM") && head.get(6..10) == Some(&[0; 4]) {
        return Some(Other::Picture("bmp"));
    }
    let is_webp = head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WEBP");
    if is_webp {
        return Some(Other::Picture("webp"));
    }
    KNOWN.iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, other)| match other {
        Other::Picture(name) => Other::Picture(name),
        Other::Document(name) => Other::Document(name),
    })
}

fn is_text(bytes: &[u8]) -> bool {
    let is_shown = |byte: &u8| *byte >= b' ' || byte.is_ascii_whitespace();
    std::str::from_utf8(bytes).is_ok() && bytes.iter().all(is_shown)
}

/// A compound file: the container of Office up to 2003, and of encrypted documents since.
fn compound(bytes: &[u8]) -> Failure {
    // Streams are named in UTF-16, little end first.
    let holds = |name: &str| {
        let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        memmem::find(bytes, &name).is_some()
    };
    if holds("EncryptedPackage") {
        return encrypted("document");
    }
    match () {
        () if holds("WordDocument") => elsewhere("doc"),
        () if holds("PowerPoint Document") => elsewhere("ppt"),
        () if holds("Workbook") || holds("Book") => elsewhere("xls"),
        () => unreadable("it is a compound file without a document in it"),
    }
}

/// A document that only its password opens.
pub(super) fn encrypted(what: &str) -> Failure {
    Failure::new(ErrorCode::ENCRYPTED, format!("the {what} is encrypted: its password opens it"))
        .hint("save a copy without a password, and extract that")
}

/// A document of a kind that is not read.
pub(super) fn elsewhere(name: &'static str) -> Failure {
    let way = match name {
        "doc" => "save it as docx, or export it to PDF or text",
        "xls" | "xlsb" | "ods" => "save it as xlsx, or export it to CSV",
        "ppt" | "odp" => "save it as pptx, or export it to PDF",
        _ => "export it to PDF or text",
    };
    not_supported(name, "a document of a kind that is not read").hint(way)
}

/// Whether `doc ocr` may read the bytes: what else they are is said here, and not what is wrong with
/// a PDF or picture.
///
/// # Errors
/// `NotSupported` for documents with a text of their own and for pictures of other kinds,
/// `Encrypted`.
pub(super) fn check_scan(bytes: &[u8]) -> Result<(), Failure> {
    match (Format::of(bytes), magic(bytes)) {
        (Ok(Format::Pdf), _) | (Err(_), Some(Other::Picture("png" | "jpg" | "tif"))) => Ok(()),
        (Ok(format), _) => Err(not_supported(format.name(), "a document with a text of its own")
            .hint("`doc extract` gives it")),
        (Err(_), Some(Other::Picture(name))) => {
            Err(not_supported(name, "a picture of a kind that is not read")
                .hint("save it as png, jpg or tif"))
        }
        (Err(failure), _) => match failure.code() {
            ErrorCode::NOT_SUPPORTED | ErrorCode::ENCRYPTED => Err(failure),
            _ => Ok(()),
        },
    }
}

/// Bytes that are no document, or no longer one.
pub(super) fn unreadable(why: &str) -> Failure {
    Failure::new(ErrorCode::PARSE_ERROR, format!("the document cannot be read: {why}"))
        .hint("it may be cut off or damaged: open it in its program, and save it anew")
}

fn not_supported(name: &'static str, what: &str) -> Failure {
    Failure::new(ErrorCode::NOT_SUPPORTED, format!("the file is {what}: {name}"))
        .detail("platform", std::env::consts::OS)
        .detail("format", name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], expected: Result<Format, (ErrorCode, &str)>) {
        let found = Format::of(bytes);
        match expected {
            Ok(format) => assert_eq!(found.unwrap(), format),
            Err((code, part)) => {
                let failure = found.unwrap_err();
                assert_eq!(failure.code(), code, "{failure:?}");
                assert!(failure.message().contains(part), "{failure:?}");
            }
        }
    }

    #[test]
    fn bytes_decide() {
        check(b"%PDF-1.4\n", Ok(Format::Pdf));
        check(b"\xef\xbb\xbf\r\njunk\r\n%PDF-1.7\n", Ok(Format::Pdf));
        check(b"", Err((ErrorCode::PARSE_ERROR, "empty")));
        check(b"just text", Err((ErrorCode::PARSE_ERROR, "neither")));
        check(b"PK\x03\x04 and no more", Err((ErrorCode::PARSE_ERROR, "cannot be read")));
        check(b"{\\rtf1\\ansi hello}", Err((ErrorCode::NOT_SUPPORTED, "rtf")));
        check(b"\x89PNG\r\n\x1a\n\0\0", Err((ErrorCode::NOT_SUPPORTED, "png")));
        check(b"BM\x36\0\x0c\0\0\0\0\0\x36", Err((ErrorCode::NOT_SUPPORTED, "bmp")));
        check(b"RIFF\x01\x02\x03\x04WEBPVP8 ", Err((ErrorCode::NOT_SUPPORTED, "webp")));
    }

    #[test]
    fn what_is_text_already_is_told_so() {
        let hint = |bytes: &[u8]| Format::of(bytes).unwrap_err().hint_text().unwrap().to_owned();
        assert!(hint("<p>déjà vu</p>\r\n".as_bytes()).contains("text already"));
        assert!(hint(b"\0\x01\x02").contains("damaged"));
    }

    #[test]
    fn a_compound_file_is_told_by_its_streams() {
        let compound = |stream: &str| {
            let mut bytes = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec();
            bytes.extend([0; 512]);
            bytes.extend(stream.encode_utf16().flat_map(u16::to_le_bytes));
            bytes
        };
        check(&compound("EncryptedPackage"), Err((ErrorCode::ENCRYPTED, "password")));
        check(&compound("WordDocument"), Err((ErrorCode::NOT_SUPPORTED, "doc")));
        check(&compound("Workbook"), Err((ErrorCode::NOT_SUPPORTED, "xls")));
        check(&compound("PowerPoint Document"), Err((ErrorCode::NOT_SUPPORTED, "ppt")));
        check(&compound("Something"), Err((ErrorCode::PARSE_ERROR, "compound")));
    }
}

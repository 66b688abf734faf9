//! [`Package`]: the parts of a package that hold text, without pictures, fonts and other documents.
//!
//! The library unpacks and keeps every picture, and reads documents inside the document as if they
//! were its text. It is given a package of its own, in which none of that is: the parts go over as
//! they are, compressed.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Cursor,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use office_oxide::core::{
    opc::{OpcReader, PartName},
    relationships::{Relationships, TargetMode},
};
use tapeline::{ErrorCode, Failure};
use zip::{ZipArchive, ZipWriter};

use super::{
    super::{
        block::{Sink, Stop},
        warning::{Code, Warning},
    },
    cost::{self, Schema},
};

/// At most so many warnings of one kind: an archive of thousands of objects says it once more.
const MOST_WARNINGS: usize = 20;

pub(in super::super) struct Package {
    bytes: Arc<[u8]>,
    left_out: BTreeSet<String>,
    reader: Option<OpcReader<Cursor<Arc<[u8]>>>>,
}

impl Package {
    /// # Errors
    /// `ParseError` for what is no archive, `LimitExceeded` (`document_memory`) for one whose text
    /// would take too much memory, and the sink's.
    pub(in super::super) fn open(
        bytes: &[u8],
        schema: Schema,
        sink: &mut dyn Sink,
    ) -> Result<Self, Stop> {
        let mut archive =
            ZipArchive::new(Cursor::new(bytes)).map_err(|error| unreadable(&error))?;
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        let mut left_out = BTreeSet::new();
        let mut objects = Vec::new();
        let mut has_macros = false;
        let most =
            cost::DOCUMENT_BYTES.saturating_sub(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        let mut left = most;
        let total = u64::try_from(archive.len()).ok();

        for index in 0..archive.len() {
            sink.go_on(u64::try_from(index).unwrap_or_default(), total)?;
            let Some(Ok(name)) = archive.name_for_index(index) else { continue };
            let name = name.into_owned();
            match kind_of(&name.to_ascii_lowercase()) {
                Entry::Text => {}
                kind => {
                    has_macros |= kind == Entry::Macros;
                    if kind == Entry::Object {
                        objects.push(name.clone());
                    }
                    left_out.insert(format!("/{}", name.trim_start_matches('/')));
                    continue;
                }
            }
            if let Ok(mut part) = archive.by_index(index) {
                // Charts and diagrams are read one by one, and little of them is kept.
                let share =
                    if name.contains("charts/") || name.contains("diagrams/") { 4 } else { 1 };
                let cost = cost::of_part(&mut part, schema, left.saturating_mul(share)) / share;
                left = left.checked_sub(cost).ok_or_else(|| too_big(most))?;
            }
            // One that is damaged so far is missing, and the library says so.
            if let Ok(part) = archive.by_index_raw(index) {
                writer.raw_copy_file(part).map_err(|error| unreadable(&error))?;
            }
        }
        let bytes = writer.finish().map_err(|error| unreadable(&error))?.into_inner().into();
        drop(archive);

        let mut package = Self { bytes, left_out, reader: None };
        if has_macros {
            sink.warn(Warning::new(
                Code::MacrosIgnored,
                "the document has macros, which are neither run nor read",
            ));
        }
        package.warn_of_objects(&objects, sink);
        Ok(package)
    }

    pub(in super::super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Says which parts the library could not use. What was left out here is none of them.
    pub(in super::super) fn warn_of_damage<'a>(
        &self,
        damaged: impl IntoIterator<Item = (&'a str, &'a str)>,
        omitted: usize,
        sink: &mut dyn Sink,
    ) {
        let mut said = BTreeSet::new();
        let mut unsaid = omitted;
        for (part, why) in damaged {
            if self.left_out.contains(part) || !said.insert(part) {
                continue;
            }
            if said.len() > MOST_WARNINGS {
                unsaid += 1;
                continue;
            }
            let why: String = why.chars().take(200).collect();
            let part: String = part.trim_start_matches('/').chars().take(200).collect();
            sink.warn(
                Warning::new(Code::DamagedPart, format!("a part could not be read whole: {why}"))
                    .at(part),
            );
        }
        if unsaid > 0 {
            let message = format!("{unsaid} more parts could not be read whole");
            sink.warn(Warning::new(Code::DamagedPart, message));
        }
    }

    /// The relationships of a part that lead to other parts, by id: their type (its last word) and
    /// the part.
    pub(in super::super) fn relations(&mut self, part: &str) -> BTreeMap<String, (String, String)> {
        let relations = |package: &mut Self| {
            let part = PartName::new(part).ok()?;
            let found: Relationships = package.reader()?.read_rels_for(&part).ok()?;
            let inside =
                found.all().iter().filter(|found| found.target_mode == TargetMode::Internal);
            let resolved = inside.filter_map(|found| {
                let target = part.resolve_relative(&found.target).ok()?;
                let kind = found.rel_type.rsplit('/').next().unwrap_or_default();
                Some((found.id.clone(), (kind.to_owned(), target.as_str().to_owned())))
            });
            Some(resolved.collect())
        };
        relations(self).unwrap_or_default()
    }

    /// The part that the package is about.
    pub(in super::super) fn main_part(&mut self) -> Option<String> {
        Some(self.reader()?.main_document_part().ok()?.as_str().to_owned())
    }

    /// The text of a part, if it is there and UTF-8 (or becomes it).
    pub(in super::super) fn text(&mut self, part: &str) -> Option<String> {
        let part = PartName::new(part).ok()?;
        let bytes = self.reader()?.read_part(&part).ok()?;
        Some(
            String::from_utf8(bytes)
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
        )
    }

    /// Opened when something is first asked for: most documents have no charts.
    fn reader(&mut self) -> Option<&mut OpcReader<Cursor<Arc<[u8]>>>> {
        if self.reader.is_none() {
            self.reader = OpcReader::new(Cursor::new(Arc::clone(&self.bytes))).ok();
        }
        self.reader.as_mut()
    }

    /// The workbook behind a chart is none: the chart says what is in it.
    fn warn_of_objects(&mut self, objects: &[String], sink: &mut dyn Sink) {
        if objects.is_empty() {
            return;
        }
        let charts: Vec<String> = self.reader().map_or_else(Vec::new, |reader| {
            let names = reader.part_names();
            let charts = names.iter().filter(|name| name.as_str().contains("/charts/"));
            charts.map(|name| name.as_str().to_owned()).collect()
        });
        let mut behind_charts = BTreeSet::new();
        for chart in charts {
            behind_charts.extend(self.relations(&chart).into_values().map(|(_, target)| target));
        }
        let mut shown: Vec<&str> =
            objects.iter().map(|name| name.trim_start_matches('/')).collect();
        shown.retain(|name| !behind_charts.contains(&format!("/{name}")));
        for name in shown.iter().take(MOST_WARNINGS) {
            let name: String = name.chars().take(200).collect();
            sink.warn(
                Warning::new(
                    Code::EmbeddedObject,
                    "another document inside this one is not read; extract it from a copy saved on its own",
                )
                .at(name),
            );
        }
        if let Some(more @ 1..) = shown.len().checked_sub(MOST_WARNINGS) {
            let message = format!("{more} more documents inside this one are not read");
            sink.warn(Warning::new(Code::EmbeddedObject, message));
        }
    }
}

/// Runs a reader that may panic on made-up input.
///
/// # Errors
/// `ParseError`.
pub(in super::super) fn caught<T>(read: impl FnOnce() -> T) -> Result<T, Stop> {
    catch_unwind(AssertUnwindSafe(read)).map_err(|_panic| {
        let message = "the document could not be read: its reader gave up on it";
        Failure::new(ErrorCode::PARSE_ERROR, message)
            .hint("open it in an office program, save it anew and try that copy")
            .into()
    })
}

fn unreadable(error: &dyn std::fmt::Display) -> Failure {
    let why: String = error.to_string().chars().take(200).collect();
    Failure::new(ErrorCode::PARSE_ERROR, format!("the document is damaged: {why}"))
        .hint("open it in an office program, save it anew and try that copy")
}

fn too_big(most: u64) -> Failure {
    Failure::limit_exceeded(
        "memory",
        most,
        "the document has more paragraphs and marks than can be held in memory",
    )
    .hint("split the document, or export it to text")
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Entry {
    Text,
    Macros,
    /// A document inside the document.
    Object,
    /// Pictures, fonts, themes, what programs keep for themselves.
    Other,
}

/// By the name in lower case.
fn kind_of(name: &str) -> Entry {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    if name.ends_with("vbaproject.bin") {
        return Entry::Macros;
    }
    if name.contains("embeddings/") && !name.ends_with(".rels") && !name.ends_with('/') {
        return Entry::Object;
    }
    match extension {
        "rels" => Entry::Text,
        "xml" => {
            const OTHER: &[&str] = &[
                "activex/",
                "charts/colors",
                "charts/style",
                "customxml/",
                "diagrams/colors",
                "diagrams/drawing",
                "diagrams/layout",
                "diagrams/quickstyle",
                "docprops/",
                "fonttable.xml",
                "glossary/",
                "handoutmasters/",
                "notesmasters/",
                "printersettings/",
                "ppt/tags/",
                "styleswitheffects.xml",
                "theme/",
            ];
            let is_other = OTHER.iter().any(|folder| name.contains(folder));
            if is_other { Entry::Other } else { Entry::Text }
        }
        // Text that was put into a document as it came (`w:altChunk`).
        "htm" | "html" | "xhtml" | "txt" => Entry::Text,
        "doc" | "docm" | "docx" | "mht" | "mhtml" | "odt" | "pdf" | "ppt" | "pptx" | "rtf"
        | "xls" | "xlsx" => Entry::Object,
        _ => Entry::Other,
    }
}

//! [`Package`]: the parts of a package that hold text, without pictures, fonts and other documents.
//!
//! The library unpacks and keeps every picture, and reads documents inside the document as if they
//! were its text. It is given a package of its own, in which none of that is: the parts go over
//! unpacked, so that each is inflated once.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{Cursor, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use memchr::memmem;
use office_oxide::core::{
    opc::{OpcReader, PartName},
    relationships::{Relationships, TargetMode},
};
use tapeline::{ErrorCode, Failure};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use super::{
    super::{
        block::{Sink, Stop},
        package::{self, damaged},
        warning::{Code, Warning},
    },
    cost::{Memory, Schema},
    missing::{list_of, missing, refers},
    prefixes::usual,
    repair::repaired,
    words::said,
};

/// At most so many warnings of one kind: an archive of thousands of objects says it once more.
const MOST_WARNINGS: usize = 20;

pub(in super::super) struct Package {
    bytes: Arc<[u8]>,
    left_out: BTreeSet<String>,
    /// Parts that are referred to and are not there.
    missing: BTreeSet<String>,
    reader: Option<OpcReader<Cursor<Arc<[u8]>>>>,
}

impl Package {
    /// # Errors
    /// Those of the container; `LimitExceeded` (`memory`) for one whose text would take too much
    /// memory, and the sink's.
    pub(in super::super) fn open(
        bytes: &[u8],
        schema: Schema,
        sink: &mut dyn Sink,
    ) -> Result<Self, Stop> {
        let mut gathered = Gathered::of(bytes, schema, sink.rendering().is_plain())?;
        let mut left_out = BTreeSet::new();
        let mut objects = Vec::new();
        let mut layouts = Vec::new();
        let mut has_macros = false;
        let names = gathered.container.names();
        let there = names.iter().map(|name| name.trim_start_matches('/').to_ascii_lowercase());
        let there: BTreeSet<String> = there.collect();
        let total = u64::try_from(names.len()).ok();

        for (index, name) in names.into_iter().enumerate() {
            sink.go_on(u64::try_from(index).unwrap_or_default(), total)?;
            let kind = kind_of(&name.to_ascii_lowercase());
            match kind {
                Entry::Text => gathered.put(index, &name)?,
                Entry::Layout => layouts.push((index, name)),
                Entry::Macros | Entry::Object | Entry::Other => {
                    has_macros |= kind == Entry::Macros;
                    left_out.insert(format!("/{}", name.trim_start_matches('/')));
                    if kind == Entry::Object {
                        objects.push(name);
                    }
                }
            }
        }
        for (index, name) in layouts {
            sink.go_on(u64::try_from(index).unwrap_or_default(), total)?;
            if gathered.is_named_by_a_slide(&name) {
                gathered.put(index, &name)?;
            }
        }
        let lists = gathered.relations.iter();
        let mut missing: BTreeSet<String> =
            lists.flat_map(|(list, content)| missing(list, content, &there)).collect();
        let lists = gathered.referring.iter().map(|part| list_of(part));
        missing.extend(lists.filter(|list| !there.contains(&list.to_ascii_lowercase())));
        let bytes = gathered.writer.finish().map_err(|error| damaged(&error))?.into_inner().into();

        for part in gathered.with_doctype {
            let message =
                format!("`{part}` declares a document type: what it refers to is not read");
            sink.warn(Warning::new(Code::ExternalEntityIgnored, message).at(part));
        }
        let mut package = Self { bytes, left_out, missing, reader: None };
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

    /// Puts empty parts in place of side parts that cannot be read, and says so; whether there was
    /// one.
    pub(in super::super) fn repair(&mut self, sink: &mut dyn Sink) -> bool {
        let Some((bytes, damaged)) = repaired(&self.bytes) else { return false };
        self.bytes = bytes.into();
        for part in damaged {
            let message = "the part cannot be read, and the text is given without it";
            sink.warn(Warning::new(Code::DamagedPart, message).at(part));
        }
        true
    }

    /// Says which parts are not there, and which the library could not use. What was left out here
    /// is none of them.
    pub(in super::super) fn warn_of_damage<'a>(
        &'a self,
        damaged: impl IntoIterator<Item = (&'a str, &'a str)>,
        omitted: usize,
        sink: &mut dyn Sink,
    ) {
        let mut said = BTreeSet::new();
        let mut unsaid = omitted;
        let gone = self.missing.iter().map(|part| (part.as_str(), "it is missing"));
        for (part, why) in gone.chain(damaged) {
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

/// The package for the library, as far as it is made.
struct Gathered<'a> {
    container: package::Package<'a>,
    writer: ZipWriter<Cursor<Vec<u8>>>,
    memory: Memory,
    /// Plain text is wanted.
    is_plain: bool,
    with_doctype: BTreeSet<String>,
    /// Lists of relations, by their names; not those of masters, which name every layout.
    relations: Vec<(String, Vec<u8>)>,
    /// Parts that refer to others.
    referring: Vec<String>,
    /// Those of slides, in lower case.
    of_slides: Vec<u8>,
}

impl<'a> Gathered<'a> {
    fn of(bytes: &'a [u8], schema: Schema, is_plain: bool) -> Result<Self, Failure> {
        let mut container = package::Package::open(bytes)?;
        container.check()?;
        Ok(Self {
            container,
            writer: ZipWriter::new(Cursor::new(Vec::new())),
            memory: Memory::besides(bytes, schema),
            is_plain,
            with_doctype: BTreeSet::new(),
            relations: Vec::new(),
            referring: Vec::new(),
            of_slides: Vec::new(),
        })
    }

    fn put(&mut self, index: usize, name: &str) -> Result<(), Failure> {
        let Some(part) = self.container.unpack(index, name)? else {
            return self.container.copy(index, &mut self.writer);
        };
        // Charts and diagrams are read one by one, and little of them is kept.
        let share = if name.contains("charts/") || name.contains("diagrams/") { 4 } else { 1 };
        self.memory.take(&part.content, share)?;
        if part.has_doctype {
            self.with_doctype.insert(name.to_owned());
        }
        if !part.is_whole {
            // As it is: the library says what is wrong with it.
            return self.container.copy(index, &mut self.writer);
        }
        let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        self.writer.start_file(name, stored).map_err(|error| damaged(&error))?;
        let content = match self.memory.schema() {
            Schema::Text => said(usual(part.content), self.is_plain),
            Schema::Slides => usual(part.content),
        };
        self.writer.write_all(&content).map_err(|error| damaged(&error.into()))?;
        if refers(&content) {
            self.referring.push(name.to_owned());
        }
        if name.to_ascii_lowercase().contains("ppt/slides/_rels/") {
            self.of_slides.extend(content.to_ascii_lowercase());
        }
        if name.ends_with(".rels") && !name.contains("slideMasters/") {
            self.relations.push((name.to_owned(), content));
        }
        Ok(())
    }

    /// A presentation carries a dozen layouts, most of which no slide has.
    fn is_named_by_a_slide(&self, layout: &str) -> bool {
        let layout = layout.to_ascii_lowercase();
        let file = layout.rsplit('/').next().unwrap_or_default();
        let part = file.strip_suffix(".rels").unwrap_or(file);
        memmem::find(&self.of_slides, part.as_bytes()).is_some()
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Entry {
    Text,
    /// What a slide of a presentation may have in common with others, and its relations.
    Layout,
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
    if name.contains("ppt/slidelayouts/") {
        return Entry::Layout;
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

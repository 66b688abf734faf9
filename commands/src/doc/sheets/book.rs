//! [`Book`]: the workbook, its sheets by name, and what their cells refer to.

use std::collections::BTreeSet;

use super::{
    super::{
        block::Stop,
        warning::{Code, Warning},
    },
    Watch,
    cell::Shared,
    cells::Cells,
    count,
    fault::{Fault, unreadable},
    limits,
    package::{Package, Relation, tell_doctype},
    strings::decode,
    xml::{self, Node, Xml},
};

pub(in crate::doc) struct Book<'a> {
    pub(super) package: Package<'a>,
    pub(super) sheets: Vec<Sheet>,
    /// The list of persons who wrote threaded comments.
    pub(super) persons: Option<String>,
    shared: Shared,
}

/// A sheet, in the order of the workbook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::doc) struct Sheet {
    pub(in crate::doc) name: String,
    pub(in crate::doc) is_hidden: bool,
    /// Where its cells are; none for a sheet of another kind: a chart, a dialog, a macro.
    pub(super) part: Option<String>,
}

/// Which sheets of a workbook are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meant {
    All,
    /// The one that is chosen later.
    One,
}

impl Sheet {
    /// Says that it is hidden, if it is.
    pub(in crate::doc) fn tell_if_hidden(&self, watch: &mut dyn Watch) {
        if self.is_hidden {
            let name = self.name.as_str();
            let message = format!("the sheet `{name}` is hidden; its text is given all the same");
            watch.warn(Warning::new(Code::HiddenSheet, message).at(name));
        }
    }

    /// Whether it has cells at all.
    pub(in crate::doc) fn has_cells(&self) -> bool {
        self.part.is_some()
    }
}

impl<'a> Book<'a> {
    /// Reads all but the sheets themselves, and warns of macros and damage, and of hidden sheets where
    /// all are `meant`.
    pub(super) fn open(bytes: &'a [u8], meant: Meant, watch: &mut dyn Watch) -> Result<Self, Stop> {
        let mut package = Package::open(bytes)?;
        let path = workbook_path(&mut package, watch)?;
        let relations = package.relations(&path, watch)?;
        let target = |kind: &str| relations.iter().find(|relation| relation.kind == kind);

        let mut shared = Shared::default();
        let mut sheets = Vec::new();
        let mut part =
            package.part(&path, limits::MAX_PART_BYTES).map_err(|fault| match fault {
                Fault::Stop(stop) => stop,
                Fault::Damaged(why) => unreadable(format!("`{path}` {why}")).into(),
            })?;
        if let Err(fault) = read_workbook(&mut part, &relations, &mut sheets, &mut shared, watch) {
            fault.tell(&path, watch)?;
        }
        tell_doctype(&part, watch);
        drop(part);
        if sheets.is_empty() {
            return Err(unreadable(format!("`{path}` names no sheets")).into());
        }
        if meant == Meant::All {
            tell_of_hidden(&sheets, watch);
        }
        without_doubles(&package, &mut sheets, watch);
        let is_macro =
            |kind: &str| matches!(kind, "vbaProject" | "xlMacrosheet" | "xlIntlMacrosheet");
        if package.has("xl/vbaProject.bin") || relations.iter().any(|it| is_macro(&it.kind)) {
            let message = "the workbook has macros, which are neither run nor read";
            watch.warn(Warning::new(Code::MacrosIgnored, message));
        }

        for (kind, path) in [("styles", "xl/styles.xml"), ("sharedStrings", "xl/sharedStrings.xml")]
        {
            let path = match target(kind) {
                Some(relation) => relation.target.clone(),
                None if package.has(path) => path.to_owned(),
                None => continue,
            };
            let read = |part: &mut Xml<'_>, watch: &mut dyn Watch| match kind {
                "styles" => shared.styles.read(part, watch),
                _ => shared.strings.read(part, watch),
            };
            let max =
                if kind == "styles" { limits::MAX_PART_BYTES } else { limits::MAX_SHEET_BYTES };
            read_part(&mut package, &path, max, watch, read)?;
        }
        let persons = target("person").map(|relation| relation.target.clone());
        Ok(Self { package, sheets, persons, shared })
    }

    /// How many cells a sheet has, at least.
    pub(super) fn count_cells(&mut self, sheet: usize, watch: &mut dyn Watch) -> Result<u64, Stop> {
        let path = self.sheets.get(sheet).and_then(|sheet| sheet.part.as_deref());
        let Some(bytes) = path.and_then(|path| self.package.bytes(path)) else { return Ok(0) };
        count::cells(bytes, watch)
    }

    /// The cells of a sheet, from its first row; none where it has no cells.
    ///
    /// # Errors
    /// [`Fault::Damaged`] when its part cannot be opened.
    pub(super) fn cells(&mut self, sheet: usize) -> Result<Option<Cells<'_>>, Fault> {
        let Some(path) = self.sheets.get(sheet).and_then(|sheet| sheet.part.as_deref()) else {
            return Ok(None);
        };
        let part = self.package.part(path, limits::MAX_SHEET_BYTES)?;
        Ok(Some(Cells::new(part, &self.shared)))
    }
}

/// Reads a part that the others can do without: what is wrong with it becomes a warning.
pub(super) fn read_part(
    package: &mut Package<'_>,
    path: &str,
    max: u64,
    watch: &mut dyn Watch,
    read: impl FnOnce(&mut Xml<'_>, &mut dyn Watch) -> Result<(), Fault>,
) -> Result<(), Stop> {
    let mut part = match package.part(path, max) {
        Ok(part) => part,
        Err(fault) => return fault.tell(path, watch),
    };
    if let Err(fault) = read(&mut part, watch) {
        fault.tell(path, watch)?;
    }
    tell_doctype(&part, watch);
    Ok(())
}

fn workbook_path(package: &mut Package<'_>, watch: &mut dyn Watch) -> Result<String, Stop> {
    let relations = package.relations("", watch)?;
    let document = relations.into_iter().find(|relation| relation.kind == "officeDocument");
    let path = document.map(|relation| relation.target).filter(|path| package.has(path));
    Ok(path.unwrap_or_else(|| "xl/workbook.xml".to_owned()))
}

fn read_workbook(
    part: &mut Xml<'_>,
    relations: &[Relation],
    sheets: &mut Vec<Sheet>,
    shared: &mut Shared,
    watch: &mut dyn Watch,
) -> Result<(), Fault> {
    let mut is_list = false;
    loop {
        match part.next(watch)? {
            Node::Open(element) => match element.local_name().as_ref() {
                // Extensions have an element of that name, too, which says nothing of dates.
                "workbookPr" => {
                    if let Some(is_1904) = xml::attribute(&element, "date1904") {
                        shared.is_1904 = xml::is_true(&is_1904);
                    }
                }
                "sheets" => is_list = true,
                "sheet" if is_list => {
                    let id = xml::relation_id(&element);
                    let relation =
                        relations.iter().find(|relation| Some(&*relation.id) == id.as_deref());
                    let name = xml::attribute(&element, "name").unwrap_or_default();
                    let state = xml::attribute(&element, "state");
                    let is_hidden = matches!(state.as_deref(), Some("hidden" | "veryHidden"));
                    let part_path = match relation {
                        Some(relation) if relation.kind == "worksheet" => {
                            Some(relation.target.clone())
                        }
                        Some(_) => None,
                        None => Some(format!("xl/worksheets/sheet{}.xml", sheets.len() + 1)),
                    };
                    let name = decode(&name).replace('\n', " ").chars().take(MAX_NAME).collect();
                    let sheet = Sheet { name, is_hidden, part: part_path };
                    if sheets.len() >= limits::MAX_LISTED {
                        return Err(limits::too_many("sheets", part.part()).into());
                    }
                    sheets.push(sheet);
                }
                _ => {}
            },
            Node::Close(end) if end.local_name().as_ref() == "sheets" => is_list = false,
            Node::End => return Ok(()),
            Node::Close(_) | Node::Text(_) | Node::Other => {}
        }
    }
}

/// Characters of a sheet's name. Spreadsheet programs allow 31; it is said in many places.
const MAX_NAME: usize = 255;

/// Of sheets that are hidden, and of those that are not there, so many are warned of one by one.
const TOLD: usize = 20;

fn tell_of_hidden(sheets: &[Sheet], watch: &mut dyn Watch) {
    let hidden = || sheets.iter().filter(|sheet| sheet.is_hidden);
    hidden().take(TOLD).for_each(|sheet| sheet.tell_if_hidden(watch));
    if let Some(others @ 1..) = hidden().count().checked_sub(TOLD) {
        let message = format!("{others} more sheets are hidden; their text is given all the same");
        watch.warn(Warning::new(Code::HiddenSheet, message));
    }
}

/// Takes the part from a sheet that shares it with one before, and says so: read twice and more, one
/// part would unpack to any size.
fn without_doubles(package: &Package<'_>, sheets: &mut [Sheet], watch: &mut dyn Watch) {
    let mut parts = BTreeSet::new();
    let mut without = Vec::new();
    for sheet in sheets {
        let Some(part) = &sheet.part else { continue };
        if !package.has(part) || !parts.insert(part.to_lowercase()) {
            sheet.part = None;
            without.push(sheet.name.as_str());
        }
    }
    for name in without.iter().take(TOLD) {
        let message = format!(
            "the sheet `{name}` has no cells of its own in the package; its name alone is given"
        );
        watch.warn(Warning::new(Code::DamagedPart, message).at(*name));
    }
    if let Some(others @ 1..) = without.len().checked_sub(TOLD) {
        let message = format!("{others} more sheets have no cells of their own in the package");
        watch.warn(Warning::new(Code::DamagedPart, message));
    }
}

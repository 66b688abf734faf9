//! [`Package`]: the parts of the zip, by their paths, and the relations between them.

use std::{
    collections::BTreeMap,
    io::{Cursor, Read},
};

use zip::ZipArchive;

use super::{
    super::{
        block::Stop,
        package,
        warning::{Code, Warning},
    },
    Watch,
    fault::Fault,
    limits,
    xml::{self, Node, Xml},
};

pub(super) struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    /// By [`key`].
    entries: BTreeMap<String, usize>,
}

/// What one part says of another.
#[derive(Debug)]
pub(super) struct Relation {
    pub(super) id: String,
    /// The last segment of its type: `worksheet`, `sharedStrings`. Strict files differ before it.
    pub(super) kind: String,
    /// The path of the other part.
    pub(super) target: String,
}

impl<'a> Package<'a> {
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, Stop> {
        let mut container = package::Package::open(bytes)?;
        container.check()?;
        let archive = container.into_archive();
        let mut entries = BTreeMap::new();
        for index in 0..archive.len() {
            if let Some(Ok(name)) = archive.name_for_index(index) {
                entries.entry(key(&name)).or_insert(index);
            }
        }
        Ok(Self { archive, entries })
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.entries.contains_key(&key(path))
    }

    /// A part, to be streamed; `max` is in bytes, unpacked.
    ///
    /// # Errors
    /// [`Fault::Damaged`] when it is not there or cannot be opened.
    pub(super) fn part(&mut self, path: &str, max: u64) -> Result<Xml<'_>, Fault> {
        let missing = || Fault::Damaged("is missing".to_owned());
        let index = *self.entries.get(&key(path)).ok_or_else(missing)?;
        let file = self
            .archive
            .by_index(index)
            .map_err(|error| Fault::Damaged(format!("cannot be unpacked: {error}")))?;
        let size = file.size();
        Ok(Xml::new(path, file, max, Some(size)))
    }

    /// A part as bytes; `None` where it is not there or cannot be opened.
    pub(super) fn bytes(&mut self, path: &str) -> Option<impl Read> {
        let index = *self.entries.get(&key(path))?;
        self.archive.by_index(index).ok()
    }

    /// The relations of a part to others inside the package; none where it has no such list.
    pub(super) fn relations(
        &mut self,
        path: &str,
        watch: &mut dyn Watch,
    ) -> Result<Vec<Relation>, Stop> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let list = format!("{folder}/_rels/{name}.rels");
        let list = list.trim_start_matches('/');
        let mut relations = Vec::new();
        if self.has(list) {
            let mut list = match self.part(list, limits::MAX_PART_BYTES) {
                Ok(part) => part,
                Err(fault) => {
                    fault.tell(list, watch)?;
                    return Ok(relations);
                }
            };
            if let Err(fault) = read_relations(&mut list, folder, &mut relations, watch) {
                fault.tell(list.part(), watch)?;
            }
            tell_doctype(&list, watch);
        }
        Ok(relations)
    }
}

/// Warns of a document type declaration in a part that was read.
pub(super) fn tell_doctype(part: &Xml<'_>, watch: &mut dyn Watch) {
    if part.has_doctype() {
        let name = part.part();
        let message = format!("the document type declaration of `{name}` is not followed");
        watch.warn(Warning::new(Code::ExternalEntityIgnored, message).at(name));
    }
}

fn read_relations(
    list: &mut Xml<'_>,
    folder: &str,
    relations: &mut Vec<Relation>,
    watch: &mut dyn Watch,
) -> Result<(), Fault> {
    loop {
        let too_many = relations.len() >= limits::MAX_LISTED;
        match list.next(watch)? {
            Node::Open(element) if element.local_name().as_ref() == "Relationship" => {
                let attribute = |name| xml::attribute(&element, name);
                let mode = attribute("TargetMode");
                if mode.is_some_and(|mode| mode.eq_ignore_ascii_case("external")) {
                    continue;
                }
                let (Some(kind), Some(target)) = (attribute("Type"), attribute("Target")) else {
                    continue;
                };
                let id = attribute("Id").unwrap_or_default().into_owned();
                let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
                let target = resolve(folder, &target);
                if too_many {
                    return Err(limits::too_many("relations", list.part()).into());
                }
                relations.push(Relation { id, kind, target });
            }
            Node::End => return Ok(()),
            Node::Open(_) | Node::Close(_) | Node::Text(_) | Node::Other => {}
        }
    }
}

/// Producers differ in case and slashes between what they name a part and how they refer to it.
fn key(path: &str) -> String {
    path.replace('\\', "/").trim_start_matches('/').to_lowercase()
}

/// The path that a target means, seen from a folder.
fn resolve(folder: &str, target: &str) -> String {
    let target = target.replace('\\', "/");
    let target = target.split('#').next().unwrap_or_default();
    let mut segments: Vec<&str> = Vec::new();
    if !target.starts_with('/') {
        segments.extend(folder.split('/').filter(|segment| !segment.is_empty()));
    }
    for segment in target.split('/') {
        match segment {
            "" | "." => {}
            ".." => drop(segments.pop()),
            other => segments.push(other),
        }
    }
    segments.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_relative_to_their_part_or_to_the_root() {
        for (target, path) in [
            ("worksheets/sheet1.xml", "xl/worksheets/sheet1.xml"),
            ("/xl/styles.xml", "xl/styles.xml"),
            ("../comments1.xml", "comments1.xml"),
            ("../../../../x.xml", "x.xml"),
            (".\\worksheets\\sheet1.xml", "xl/worksheets/sheet1.xml"),
        ] {
            assert_eq!(resolve("xl", target), path, "{target}");
        }
    }
}

//! Remarks at cells, of both kinds: notes, and threaded comments.
//!
//! A threaded comment is stored a second time as a note, with an explanation for older programs.

use std::collections::BTreeMap;

use super::{
    Watch,
    bounded::Bounded,
    fault::Fault,
    limits,
    strings::{Run, decode},
    xml::{self, Node, Xml},
};

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Remark {
    /// `B3`
    pub(super) cell: String,
    pub(super) author: Option<String>,
    pub(super) text: String,
}

/// Characters of a person's name.
const MAX_NAME: usize = 255;

/// What older programs show in place of a thread begins so.
const STANDS_FOR_THREAD: &str = "[Threaded comment]";

pub(super) fn read_notes(
    part: &mut Xml<'_>,
    remarks: &mut Bounded<Remark>,
    watch: &mut dyn Watch,
) -> Result<(), Fault> {
    let mut authors: Vec<String> = Vec::new();
    let mut cell = String::new();
    let mut author = None;
    let mut gathered = String::new();
    let mut run = Run::default();
    while !remarks.is_full() {
        match part.next(watch)? {
            Node::Open(element) => match element.local_name().as_ref() {
                "author" => run.open("t"),
                "comment" => {
                    cell = xml::attribute(&element, "ref").unwrap_or_default().into_owned();
                    let index = xml::attribute(&element, "authorId");
                    let index = index.and_then(|index| index.trim().parse::<usize>().ok());
                    author = index.and_then(|index| authors.get(index).cloned());
                    gathered.clear();
                }
                other => run.open(other),
            },
            Node::Text(text) if run.is_text() => gathered.push_str(&text),
            Node::Close(end) => match end.local_name().as_ref() {
                "author" => {
                    run.close("t");
                    if authors.len() < limits::MAX_LISTED {
                        authors.push(name(&gathered));
                    }
                    gathered.clear();
                }
                "comment" => {
                    run = Run::default();
                    let text = decode(gathered.trim()).trim().to_owned();
                    if !text.is_empty() && !text.starts_with(STANDS_FOR_THREAD) {
                        let author = author.take().filter(|author| !author.is_empty());
                        let text = without_author(&text, author.as_deref()).to_owned();
                        add(remarks, Remark { cell: cell.clone(), author, text });
                    }
                    gathered.clear();
                }
                other => run.close(other),
            },
            Node::End => return Ok(()),
            Node::Text(_) | Node::Other => {}
        }
    }
    Ok(())
}

fn add(remarks: &mut Bounded<Remark>, remark: Remark) {
    let author = remark.author.as_deref().unwrap_or_default();
    let characters = remark.text.chars().count() + author.chars().count();
    remarks.push(remark, characters);
}

/// A name, of a length that names have: it is said with each remark.
fn name(text: &str) -> String {
    decode(text.trim()).chars().take(MAX_NAME).collect()
}

/// Spreadsheet programs begin a note with a line of its author, which is said already.
fn without_author<'t>(text: &'t str, author: Option<&str>) -> &'t str {
    let rest =
        author.and_then(|author| text.strip_prefix(author)).and_then(|text| text.strip_prefix(':'));
    rest.map(str::trim_start).filter(|rest| !rest.is_empty()).unwrap_or(text)
}

pub(super) fn read_threads(
    part: &mut Xml<'_>,
    persons: &BTreeMap<String, String>,
    remarks: &mut Bounded<Remark>,
    watch: &mut dyn Watch,
) -> Result<(), Fault> {
    let mut remark: Option<Remark> = None;
    let mut is_text = false;
    while !remarks.is_full() {
        match part.next(watch)? {
            Node::Open(element) => match element.local_name().as_ref() {
                "threadedComment" => {
                    let cell = xml::attribute(&element, "ref").unwrap_or_default().into_owned();
                    let person = xml::attribute(&element, "personId").unwrap_or_default();
                    let author = persons.get(&*person).cloned();
                    remark = Some(Remark { cell, author, text: String::new() });
                }
                "text" => is_text = true,
                _ => {}
            },
            Node::Text(text) if is_text => {
                if let Some(remark) = &mut remark {
                    remark.text.push_str(&text);
                }
            }
            Node::Close(end) => match end.local_name().as_ref() {
                "threadedComment" => {
                    if let Some(mut remark) = remark.take() {
                        remark.text = decode(remark.text.trim()).trim().to_owned();
                        if !remark.text.is_empty() {
                            add(remarks, remark);
                        }
                    }
                }
                "text" => is_text = false,
                _ => {}
            },
            Node::End => return Ok(()),
            Node::Text(_) | Node::Other => {}
        }
    }
    Ok(())
}

/// Their names, by their ids.
pub(super) fn read_persons(
    part: &mut Xml<'_>,
    persons: &mut BTreeMap<String, String>,
    watch: &mut dyn Watch,
) -> Result<(), Fault> {
    loop {
        match part.next(watch)? {
            Node::Open(element) if element.local_name().as_ref() == "person" => {
                let id = xml::attribute(&element, "id").unwrap_or_default().into_owned();
                if let Some(shown) = xml::attribute(&element, "displayName")
                    && persons.len() < limits::MAX_LISTED
                {
                    persons.insert(id, name(&shown));
                }
            }
            Node::End => return Ok(()),
            Node::Open(_) | Node::Close(_) | Node::Text(_) | Node::Other => {}
        }
    }
}

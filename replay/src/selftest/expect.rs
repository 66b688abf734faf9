//! Mutations of `expect/`: all of them must be seen.

use super::{
    bytes::of_text,
    edit::{Edit, another},
    mutation::{Demand, Files, Mutation},
};
use crate::Json;

const DOCUMENTS: [&str; 3] =
    ["expect/envelope.json", "expect/requests.json", "expect/workspace.json"];

pub(super) fn mutations(files: &Files) -> impl Iterator<Item = Mutation> {
    let expected = || files.iter().filter(|(file, _)| file.starts_with("expect/"));
    let documents = expected().filter(|(file, _)| DOCUMENTS.contains(&file.as_str()));
    let texts = expected().filter(|(file, _)| !DOCUMENTS.contains(&file.as_str()));
    let removed = expected().map(|(file, _)| Mutation::of_file(file, "removed", Demand::Red, None));
    documents
        .flat_map(|(file, bytes)| of_document(file, bytes))
        .chain(texts.flat_map(|(file, bytes)| of_text_file(file, bytes)))
        .chain(removed)
        .chain(added(files))
        .chain(all_removed(files))
}

fn of_document<'a>(file: &'a str, bytes: &[u8]) -> impl Iterator<Item = Mutation> + use<'a> {
    let document = std::str::from_utf8(bytes).ok().and_then(|text| Json::parse(text).ok());
    let document = document.unwrap_or(Json::Object(Vec::new()));
    let edits = Edit::all(&document);
    edits.into_iter().map(move |edit| {
        let new = edit.node(&document).map_or(Json::Object(Vec::new()), another);
        Mutation::of_document(file, &edit, Demand::Red, &edit.apply(&document, new))
    })
}

fn of_text_file<'a>(file: &'a str, text: &[u8]) -> impl Iterator<Item = Mutation> + use<'a> {
    let edits = of_text(text).into_iter();
    edits.map(move |(what, text)| Mutation::of_file(file, what, Demand::Red, Some(text)))
}

/// Files that are not there and then are.
fn added(files: &Files) -> impl Iterator<Item = Mutation> {
    const ADDED: [(&str, &str, Demand); 6] = [
        ("expect/stdout.txt", "added\n", Demand::Red),
        ("expect/stderr.txt", "added\n", Demand::Red),
        ("expect/requests.json", r#"["added"]"#, Demand::Red),
        ("expect/workspace.json", r#"[{"path":".agents/added","change":"removed"}]"#, Demand::Red),
        ("expect/workspace/added", "added\n", Demand::Red),
        ("expect/added", "added\n", Demand::Broken),
    ];

    let absent = ADDED.into_iter().filter(|(file, _, _)| !files.contains_key(*file));
    absent.map(|(file, text, demand)| {
        Mutation::of_file(file, "added", demand, Some(text.as_bytes().to_vec()))
    })
}

fn all_removed(files: &Files) -> Option<Mutation> {
    let gone = files.keys().filter(|file| file.starts_with("expect/"));
    let contents = gone.map(|file| (file.clone(), None)).collect();
    Some(Mutation { contents, ..Mutation::of_file("expect", "removed", Demand::Red, None) })
}

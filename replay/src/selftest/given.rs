//! Mutations of `given/` and of the blobs it refers to.

use super::{
    bytes::of_bytes,
    edit::{Act, Edit},
    mutation::{Demand, Files, Mutation},
    rules::{self, CASE, HTTP, WORKSPACE, field},
};
use crate::Json;

pub(super) fn mutations(files: &Files) -> impl Iterator<Item = Mutation> {
    const LISTS: [&str; 5] = ["files", "reads", "lists", "writes", "locks"];

    let parsed = |file: &str| {
        let text = files.get(file).and_then(|bytes| std::str::from_utf8(bytes).ok());
        text.and_then(|text| Json::parse(text).ok())
    };
    let object = |file: &str| parsed(file).unwrap_or(Json::Object(Vec::new()));
    let case = object(CASE);
    let documents = match field(&case, "base") {
        Some(_) => vec![(CASE, case)],
        None => vec![
            (CASE, with_lists(case, &["approvals"])),
            (HTTP, parsed(HTTP).unwrap_or(Json::Array(Vec::new()))),
            (WORKSPACE, with_lists(object(WORKSPACE), &LISTS)),
        ],
    };
    let documents =
        documents.into_iter().flat_map(|(file, document)| of_document(files, file, document));
    documents.chain(pinned(files)).chain(strays())
}

fn of_document(
    files: &Files,
    file: &'static str,
    document: Json,
) -> impl Iterator<Item = Mutation> {
    let edits = Edit::all(&document).into_iter();
    edits.filter_map(move |edit| {
        let node = edit.node(&document)?;
        let demand = rules::demand(file, &edit.path, edit.act, node)?;
        let new = rules::new(file, &edit.path, node);
        let mut mutation = Mutation::of_document(file, &edit, demand, &edit.apply(&document, new));
        if edit.act == Act::Removed {
            // With what it alone refers to, which would be a stray.
            let file = content_of(file, &document, node);
            let file = file.filter(|file| files.contains_key(file));
            mutation.contents.extend(file.map(|file| (file, None)));
        }
        Some(mutation)
    })
}

/// The file that an entry of a document alone refers to.
fn content_of(file: &str, document: &Json, entry: &Json) -> Option<String> {
    let body = |entry| field(field(field(entry, "response")?, "body")?, "file");
    match (file, document) {
        (HTTP, Json::Array(answers)) => {
            let Json::Text(name) = body(entry)? else { return None };
            let named = answers.iter().filter(|answer| body(answer) == body(entry)).count();
            (named == 1).then(|| format!("given/{name}"))
        }
        (WORKSPACE, _) => match (field(entry, "sha256"), field(entry, "path")?) {
            (Some(_), Json::Text(path)) => {
                Some(format!("given/workspace/{}", path.strip_prefix(".agents/")?))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Contents that a hash pins: whatever is not a document, and blobs.
fn pinned(files: &Files) -> impl Iterator<Item = Mutation> {
    let pinned = files.iter().filter(|(file, _)| {
        !file.starts_with("expect/") && ![CASE, HTTP, WORKSPACE].contains(&file.as_str())
    });
    pinned.flat_map(|(file, bytes)| {
        let altered = of_bytes(bytes).into_iter().map(|(what, bytes)| (what, Some(bytes)));
        let all = altered.chain([("removed", None)]);
        all.map(|(what, content)| Mutation {
            kind: what.to_owned(),
            ..Mutation::of_file(file, what, Demand::Broken, content)
        })
    })
}

/// Files that nothing names.
fn strays() -> impl Iterator<Item = Mutation> {
    let strays = ["added", "given/added", "given/http/added", "given/workspace/added"];
    let content = || Some(b"added\n".to_vec());
    strays.into_iter().map(move |file| Mutation::of_file(file, "added", Demand::Broken, content()))
}

/// An object with these lists, empty where there was none: then something can be added to them.
fn with_lists(mut object: Json, lists: &[&str]) -> Json {
    for list in lists {
        if field(&object, list).is_none()
            && let Json::Object(fields) = &mut object
        {
            fields.push(((*list).to_owned(), Json::Array(Vec::new())));
        }
    }
    object
}

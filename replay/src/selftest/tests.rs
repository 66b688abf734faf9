//! What each kind of file is changed to.

use proptest::prelude::*;

use super::{
    Score, bytes,
    edit::{Edit, another},
    mutation::{Demand, Mutation},
};
use crate::{Json, Verdict, json::tests::documents};

fn edited(document: &Json, edit: &Edit) -> Json {
    edit.apply(document, another(edit.node(document).unwrap()))
}

#[test]
fn values_fields_and_elements_are_edited_each_by_itself() {
    let document = Json::parse(r#"{"a":[1,"x"],"b":{"c":null}}"#).unwrap();
    let edits = Edit::all(&document)
        .into_iter()
        .map(|edit| format!("{} {}: {}", edit.pointer, edit.act.word(), edited(&document, &edit)));
    assert_eq!(
        edits.collect::<Vec<_>>(),
        [
            r#" added to: {"a":[1,"x"],"b":{"c":null},"added":"added"}"#,
            r#"/a removed: {"b":{"c":null}}"#,
            r#"/a added to: {"a":[1,"x","added"],"b":{"c":null}}"#,
            r#"/a/0 removed: {"a":["x"],"b":{"c":null}}"#,
            r#"/a/0 doubled: {"a":[1,"x",1],"b":{"c":null}}"#,
            r#"/a/0 altered: {"a":[2,"x"],"b":{"c":null}}"#,
            r#"/a/1 removed: {"a":[1],"b":{"c":null}}"#,
            r#"/a/1 doubled: {"a":[1,"x","x"],"b":{"c":null}}"#,
            r#"/a/1 altered: {"a":[1,"x~"],"b":{"c":null}}"#,
            r#"/b removed: {"a":[1,"x"]}"#,
            r#"/b added to: {"a":[1,"x"],"b":{"c":null,"added":"added"}}"#,
            r#"/b/c removed: {"a":[1,"x"],"b":{}}"#,
            r#"/b/c altered: {"a":[1,"x"],"b":{"c":"null"}}"#,
        ]
    );
}

#[test]
fn texts_are_edited_by_line_and_bytes_by_place() {
    let lines = |text: &str| {
        let edits = bytes::of_text(text.as_bytes()).into_iter();
        edits.map(|(what, text)| format!("{what}: {:?}", String::from_utf8(text).unwrap()))
    };
    assert_eq!(
        lines("aaa\nbbb\nccc\n").collect::<Vec<_>>(),
        [
            r#"first line altered: "aa`\nbbb\nccc\n""#,
            r#"middle line altered: "aaa\nbbc\nccc\n""#,
            r#"last line altered: "aaa\nbbb\nccb\n""#,
            r#"line removed: "aaa\nccc\n""#,
            r#"line added: "aaa\nadded\nbbb\nccc\n""#,
            r#"newline at the end removed: "aaa\nbbb\nccc""#,
        ]
    );
    assert_eq!(lines("a").count(), 4, "a line is altered once, whether it is first or last");
    let bytes: Vec<_> = bytes::of_bytes(&[0, 2, 4, 6]);
    assert_eq!(
        bytes,
        [
            ("first byte altered", vec![1, 2, 4, 6]),
            ("middle byte altered", vec![0, 2, 5, 6]),
            ("last byte altered", vec![0, 2, 4, 7]),
            ("truncated", vec![0, 2, 4]),
        ]
    );
}

#[test]
fn what_must_be_seen_counts_and_survives_where_it_is_not() {
    let add = |demand, verdict: &Verdict| {
        let mut score = Score::default();
        score.add(Mutation::of_file("expect/stdout.txt", "removed", demand, None), verdict);
        (score.counted, score.survivors.len(), score.unobserved.len())
    };
    let broken = Verdict::Broken("why".to_owned());
    assert_eq!(add(Demand::Red, &Verdict::Ok), (1, 1, 0));
    assert_eq!(add(Demand::Red, &Verdict::Panic), (1, 0, 0));
    assert_eq!(add(Demand::Broken, &broken), (1, 0, 0));
    assert_eq!(add(Demand::Broken, &Verdict::Panic), (1, 1, 0), "red, and for another reason");
    assert_eq!(add(Demand::Nothing, &Verdict::Ok), (0, 0, 1));
    assert_eq!(add(Demand::Nothing, &Verdict::Panic), (1, 0, 0));
}

proptest! {
    #[test]
    fn no_edit_of_a_document_leaves_it_as_it_is(document in documents()) {
        for edit in Edit::all(&document) {
            prop_assert_ne!(&edited(&document, &edit), &document);
        }
    }

    #[test]
    fn no_edit_of_bytes_leaves_them_as_they_are(content in any::<Vec<u8>>()) {
        for (what, edited) in bytes::of_text(&content).into_iter().chain(bytes::of_bytes(&content)) {
            prop_assert_ne!(&edited, &content, "{}", what);
        }
    }
}

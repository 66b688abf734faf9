//! [`Change`]: a difference, as the texts that stand side by side.

use tapeline::scrub::sweep;

use crate::{Difference, Json, cli::place};

/// One place of a case that differs. Nothing in it looks like a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    /// The file of the case, and where in it.
    pub(super) place: String,
    pub(super) expected: Option<String>,
    pub(super) actual: Option<String>,
}

impl Change {
    pub(super) fn of(difference: &Difference) -> Self {
        let [expected, actual] =
            [&difference.expected, &difference.actual].map(|json| json.as_ref().map(Json::swept));
        let has_lines =
            |json: &Option<Json>| matches!(json, Some(Json::Text(text)) if text.contains('\n'));
        let as_lines = has_lines(&expected) || has_lines(&actual);
        let text = |json: Json| match json {
            Json::Text(text) if as_lines => text,
            json => json.pretty(),
        };
        Self {
            place: sweep(&place(&difference.path)).into_owned(),
            expected: expected.map(text),
            actual: actual.map(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_lines_stand_as_they_are_and_others_as_json() {
        let text = |text: &str| Some(Json::Text(text.to_owned()));
        let check = |path: &str, expected, actual| {
            Change::of(&Difference { path: path.to_owned(), expected, actual })
        };
        let lines = check("/stdout", text("a\nb"), text("c"));
        assert_eq!(lines.place, "expect/stdout.txt");
        assert_eq!((lines.expected.as_deref(), lines.actual.as_deref()), (Some("a\nb"), Some("c")));
        let plain = check("/result/rate", text("1"), Some(Json::Plain("1".to_owned())));
        assert_eq!(plain.place, "expect/envelope.json /result/rate");
        assert_eq!(plain.expected.as_deref(), Some("\"1\"\n"));
        assert_eq!(plain.actual.as_deref(), Some("1\n"));
        assert_eq!(check("/stderr", None, text("a\n")).expected, None);
    }
}

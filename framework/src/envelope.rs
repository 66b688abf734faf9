//! [`Envelope`]: what every run returns.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The answer of a run: always all fields, in this order, whatever happened.
///
/// `exit_code == 0` exactly when `error_code` is `None`. The JSON Schema is
/// [`Envelope::SCHEMA`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Envelope {
    /// [`Envelope::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// UUIDv7, also in the audit log.
    pub run_id: String,
    /// 0, or the error code's.
    pub exit_code: u8,
    /// For people; without control sequences; cut at the limit with a last line saying so.
    pub stdout: String,
    /// As `stdout`.
    pub stderr: String,
    /// An object with `ok` and `command`, then the command's own fields, or the error's.
    pub result: Box<RawValue>,
    /// Files the run left in the workspace.
    pub artifacts: Vec<Artifact>,
    /// Stable code of a failure.
    pub error_code: Option<String>,
    /// What was attempted, on which input.
    pub error_message: Option<String>,
    /// What to do about it.
    pub hint: Option<String>,
    /// What was cut from this envelope; empty if nothing was.
    pub truncated: Vec<Truncation>,
    /// Milliseconds from start to end.
    pub duration_ms: u64,
}

impl Envelope {
    /// Grows when a reader of the old schema would misread an envelope.
    pub const SCHEMA_VERSION: u32 = 1;
    /// JSON Schema (2020-12) of the envelope.
    pub const SCHEMA: &'static str = include_str!("envelope.schema.json");

    /// The envelope as one line of JSON, fields in order.
    ///
    /// # Panics
    /// Never: every field is plain data.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("plain data serialises")
    }
}

/// A file a run left in the workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// Begins with `.agents/`.
    pub path: String,
    /// Media type.
    pub mime: String,
    /// One phrase.
    pub description: String,
    /// Length.
    pub bytes: u64,
    /// Lower-case hex.
    pub sha256: String,
}

/// Something that was cut from an envelope and is kept whole as an artifact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Truncation {
    /// `stdout`, `stderr` or `result`.
    pub what: String,
    /// How long it was.
    pub bytes: u64,
}

#[cfg(test)]
mod tests {
    use jsonschema::Validator;
    use serde_json::{Value, json};

    use super::*;

    fn schema() -> Value {
        serde_json::from_str(Envelope::SCHEMA).expect("the schema is JSON")
    }

    fn validator() -> Validator {
        jsonschema::draft202012::options().build(&schema()).expect("the schema is a schema")
    }

    fn envelope(result: &str) -> Envelope {
        Envelope {
            schema_version: Envelope::SCHEMA_VERSION,
            run_id: "01890a5d-ac96-774b-bcce-b302099a8057".to_owned(),
            exit_code: 0,
            stdout: "hi\n".to_owned(),
            stderr: String::new(),
            result: RawValue::from_string(result.to_owned()).expect("the result is JSON"),
            artifacts: vec![Artifact {
                path: ".agents/out.json".to_owned(),
                mime: "application/json".to_owned(),
                description: "the whole answer".to_owned(),
                bytes: 2,
                sha256: "ab".repeat(32),
            }],
            error_code: None,
            error_message: None,
            hint: None,
            truncated: vec![Truncation { what: "stdout".to_owned(), bytes: 70_000 }],
            duration_ms: 3,
        }
    }

    fn success() -> Envelope {
        envelope(r#"{"ok":true,"command":"hello","text":"hi"}"#)
    }

    fn failure() -> Envelope {
        Envelope {
            exit_code: 127,
            error_code: Some("UnknownCommand".to_owned()),
            error_message: Some("no command is named `helo`".to_owned()),
            hint: Some("did you mean `hello`".to_owned()),
            ..envelope(
                r#"{"ok":false,"command":null,"error_code":"UnknownCommand","suggestions":["hello"]}"#,
            )
        }
    }

    fn json_of(envelope: &Envelope) -> Value {
        serde_json::from_str(&envelope.to_json()).expect("an envelope is JSON")
    }

    #[test]
    fn schema_accepts_what_runs_return() {
        for envelope in [success(), failure()] {
            let value = json_of(&envelope);
            let errors: Vec<_> =
                validator().iter_errors(&value).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{errors:?}");
        }
    }

    #[test]
    fn schema_requires_the_fields_of_the_envelope_in_their_order() {
        let required: Vec<String> =
            serde_json::from_value(schema()["required"].clone()).expect("a list of names");
        let json = success().to_json();
        let places: Vec<_> = required
            .iter()
            .map(|name| json.find(&format!("\"{name}\":")).expect("a field"))
            .collect();
        assert!(places.is_sorted(), "{required:?}");
        assert_eq!(json_of(&success()).as_object().map(serde_json::Map::len), Some(required.len()));

        for name in &required {
            let mut value = json_of(&success());
            value.as_object_mut().expect("an object").remove(name);
            assert!(!validator().is_valid(&value), "without {name}");
        }
    }

    #[test]
    fn schema_refuses_what_no_run_returns() {
        let (success, failure) = (json_of(&success()), json_of(&failure()));
        for (base, pointer, wrong) in [
            (&success, "/schema_version", json!(2)),
            (&success, "/run_id", json!("01890a5d-ac96-474b-bcce-b302099a8057")),
            (&success, "/run_id", json!("01890A5D-AC96-774B-BCCE-B302099A8057")),
            (&success, "/exit_code", json!(2)),
            (&success, "/exit_code", json!(-1)),
            (&success, "/error_code", json!("InvalidArgs")),
            (&success, "/error_message", json!("went wrong")),
            (&success, "/result", json!([])),
            (&success, "/result", json!({"ok": true})),
            (&success, "/result", json!({"command": "hello"})),
            (&success, "/result/ok", json!(false)),
            (&success, "/result/command", json!(1)),
            (&success, "/artifacts/0/path", json!("out.json")),
            (&success, "/artifacts/0/path", json!("/etc/.agents/x")),
            (&success, "/artifacts/0/path", json!(".agents/")),
            (&success, "/artifacts/0/path", json!(".agents/../out.json")),
            (&success, "/artifacts/0/path", json!(".agents/a/..")),
            (&success, "/artifacts/0/sha256", json!("AB".repeat(32))),
            (&success, "/artifacts/0/bytes", json!(-1)),
            (&success, "/truncated/0/what", json!("artifacts")),
            (&success, "/duration_ms", json!(0.5)),
            (&success, "/hint", json!(1)),
            (&failure, "/exit_code", json!(0)),
            (&failure, "/exit_code", json!(256)),
            (&failure, "/error_code", json!(null)),
            (&failure, "/error_code", json!("unknown_command")),
            (&failure, "/error_message", json!(null)),
            (&failure, "/result/ok", json!(true)),
        ] {
            let mut value = base.clone();
            *value.pointer_mut(pointer).expect("the field is there") = wrong.clone();
            assert!(!validator().is_valid(&value), "{pointer} = {wrong}");
        }

        let mut value = success;
        value["extra"] = json!(1);
        assert!(!validator().is_valid(&value), "another field");
    }

    #[test]
    fn schema_holds_no_type_lists_and_describes_every_field() {
        fn visit(schema: &Value) {
            match schema {
                Value::Object(fields) => {
                    assert!(!fields.get("type").is_some_and(Value::is_array), "{schema}");
                    if let Some(title) = fields.get("description").and(fields.get("title")) {
                        assert!(title.is_string(), "{schema}");
                    }
                    fields.values().for_each(visit);
                }
                Value::Array(items) => items.iter().for_each(visit),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
        let schema = schema();
        visit(&schema);
        for (name, field) in schema["properties"].as_object().expect("fields") {
            assert!(field["title"].is_string() && field["description"].is_string(), "{name}");
        }
    }
}

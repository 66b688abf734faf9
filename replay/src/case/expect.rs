//! [`Expected`]: what `expect/` says, as one document.

use std::collections::BTreeMap;

use super::{CaseError, CaseErrorKind, folder::Folder, format::ChangedFile, read::below_root};
use crate::Json;

/// What a case is to come to. A file that is not there stands for nothing: no output, no request,
/// no change.
#[derive(Clone, Debug)]
pub(crate) struct Expected {
    /// Field by field, without stdout and stderr.
    envelope: Vec<(String, Json)>,
    stdout: String,
    stderr: String,
    requests: Json,
    workspace: Vec<ChangedFile>,
    /// By path below the workspace.
    texts: BTreeMap<String, String>,
}

impl Expected {
    /// Reads `expect/`; `None` where there is none.
    pub(super) fn read(folder: &mut Folder) -> Result<Option<Self>, CaseError> {
        const WORKSPACE: &str = "expect/workspace/";

        if folder.unread_below("expect/").is_empty() {
            return Ok(None);
        }
        let mut text = |file: &str| match folder.holds(file) {
            true => folder.text(file).map(Some),
            false => Ok(None),
        };
        let (envelope, requests) = (text("expect/envelope.json")?, text("expect/requests.json")?);
        let (stdout, stderr) = (text("expect/stdout.txt")?, text("expect/stderr.txt")?);
        let json = |file: &str, text: &str| {
            let path = folder.path.join(file);
            Json::parse(text).map_err(|error| CaseError::at(path, CaseErrorKind::Json(error)))
        };
        let envelope = match envelope {
            None => Vec::new(),
            Some(text) => match json("expect/envelope.json", &text)? {
                Json::Object(fields) => fields,
                _ => {
                    let path = folder.path.join("expect/envelope.json");
                    let why = "an envelope is an object".to_owned();
                    return Err(CaseError::at(path, CaseErrorKind::Value(why)));
                }
            },
        };
        let requests = match requests {
            None => Json::Array(Vec::new()),
            Some(text) => json("expect/requests.json", &text)?,
        };
        let workspace = folder.optional_json("expect/workspace.json")?.unwrap_or_default();
        let mut texts = BTreeMap::new();
        for file in folder.unread_below(WORKSPACE) {
            let path = file.strip_prefix(WORKSPACE).unwrap_or(&file).to_owned();
            texts.insert(path, folder.text(&file)?);
        }
        Ok(Some(Self {
            envelope,
            stdout: stdout.unwrap_or_default(),
            stderr: stderr.unwrap_or_default(),
            requests,
            workspace,
            texts,
        }))
    }

    /// As [`Outcome::case_document`](crate::outcome::Outcome::case_document).
    pub(crate) fn document(&self) -> Json {
        let mut fields = Vec::new();
        let outputs = [("stdout", &self.stdout), ("stderr", &self.stderr)];
        let mut outputs: Vec<_> = outputs
            .map(|(name, text)| (name.to_owned(), Json::Text(text.clone())))
            .into_iter()
            .collect();
        for field in &self.envelope {
            fields.push(field.clone());
            if field.0 == "exit_code" {
                fields.append(&mut outputs);
            }
        }
        fields.append(&mut outputs);
        fields.push(("requests".to_owned(), self.requests.clone()));
        fields.push(("workspace".to_owned(), Json::Object(self.changes())));
        Json::Object(fields)
    }

    fn changes(&self) -> Vec<(String, Json)> {
        let mut texts: BTreeMap<&str, &String> =
            self.texts.iter().map(|(path, text)| (path.as_str(), text)).collect();
        let text = |text: &str| Json::Text(text.to_owned());
        let mut changes = Vec::new();
        for changed in &self.workspace {
            let mut fields = vec![("change".to_owned(), text(&changed.change))];
            if let Some(bytes) = changed.bytes {
                fields.push(("bytes".to_owned(), Json::Plain(bytes.to_string())));
            }
            if let Some(sha256) = &changed.sha256 {
                fields.push(("sha256".to_owned(), text(sha256)));
            }
            if let Some(content) = texts.remove(below_root(&changed.path)) {
                fields.push(("text".to_owned(), text(content)));
            }
            changes.push((changed.path.clone(), Json::Object(fields)));
        }
        for (path, content) in texts {
            let fields = vec![("text".to_owned(), text(content))];
            changes.push((format!(".agents/{path}"), Json::Object(fields)));
        }
        changes
    }

    /// The code of the error it is to end in.
    pub(crate) fn error_code(&self) -> Option<&str> {
        text(&self.envelope, "error_code")
    }

    /// The path of the command that ran; `None` where the line named none.
    pub(crate) fn command(&self) -> Option<&str> {
        self.envelope.iter().find_map(|(name, value)| match value {
            Json::Object(fields) if name == "result" => text(fields, "command"),
            _ => None,
        })
    }

    /// What was asked, in order.
    pub(crate) fn requests(&self) -> &[Json] {
        match &self.requests {
            Json::Array(requests) => requests,
            Json::Plain(_) | Json::Text(_) | Json::Object(_) => &[],
        }
    }
}

fn text<'a>(fields: &'a [(String, Json)], of: &str) -> Option<&'a str> {
    fields.iter().find_map(|(name, value)| match value {
        Json::Text(text) if name == of => Some(text.as_str()),
        _ => None,
    })
}

//! [`Outcome`]: what a run comes to, as it is compared: one document.

use std::collections::BTreeMap;

use tapeline::{
    Envelope,
    audit::{Kept, Record, Tape},
    scrub::sweep,
    workspace::WorkspaceFaultKind,
};

use crate::{
    Json,
    digest::sha256_hex,
    player::Played,
    taped::{TapedFile, Written, plain},
    verdict::chain,
};

/// The parts of a run that are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Fields of the envelope in order, all of them.
    pub(crate) envelope: Vec<(String, Json)>,
    /// Of a record: what the line was understood as.
    pub(crate) parsed_command: Json,
    /// What was asked, in order: method, URL, headers, body.
    pub(crate) requests: Vec<Json>,
    /// What became of the workspace, by path.
    pub(crate) workspace: BTreeMap<String, Change>,
}

/// What became of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// `created`, `changed`, `removed`, or `written` where it is not known what was there before.
    pub(crate) change: String,
    /// Length and SHA-256 of what it holds now.
    pub(crate) holds: Option<(u64, String)>,
    /// The content, where it is text up to [`Change::MOST_TEXT`].
    pub(crate) text: Option<String>,
}

impl Change {
    /// Longer texts are compared by their hash alone.
    pub(crate) const MOST_TEXT: usize = 64 * 1024;

    fn of(written: &Written) -> Option<Self> {
        let Some(after) = &written.after else {
            return Some(Self { change: "removed".to_owned(), holds: None, text: None });
        };
        // A build of today may write what the one that was recorded did not.
        let swept = std::str::from_utf8(after).ok().map(sweep);
        let after = swept.as_ref().map_or(&**after, |text| text.as_bytes());
        let change = match &written.before {
            None => "written",
            Some(TapedFile::Bytes(before)) if **before == *after => return None,
            Some(TapedFile::Fault(WorkspaceFaultKind::NotFound)) => "created",
            Some(_) => "changed",
        };
        let text = swept.as_deref().filter(|text| text.len() <= Self::MOST_TEXT);
        Some(Self {
            change: change.to_owned(),
            holds: Some((after.len() as u64, sha256_hex(after))),
            text: text.map(str::to_owned),
        })
    }

    fn json(&self) -> Json {
        let mut fields = vec![("change".to_owned(), Json::Text(self.change.clone()))];
        if let Some((bytes, sha256)) = &self.holds {
            fields.push(("bytes".to_owned(), Json::Plain(bytes.to_string())));
            fields.push(("sha256".to_owned(), Json::Text(sha256.clone())));
        }
        if let Some(text) = &self.text {
            fields.push(("text".to_owned(), Json::Text(text.clone())));
        }
        Json::Object(fields)
    }
}

impl Outcome {
    /// What a run came to when it was replayed.
    ///
    /// # Errors
    /// The record of the replay cannot be read, in words.
    pub(crate) fn of_played(played: &Played) -> Result<Self, String> {
        let mut outcome = Self::of_record(&played.record, &|kept| played.kept(kept))?;
        let changes = played.written.iter();
        outcome.workspace = changes
            .filter_map(|(path, written)| Some((path.clone(), Change::of(written)?)))
            .collect();
        Ok(outcome)
    }

    /// What a record says; of the workspace it says nothing but what the artifacts are.
    ///
    /// # Errors
    /// A value of it cannot be had or read, in words.
    pub(crate) fn of_record(
        record: &Record,
        json: &dyn Fn(&Kept) -> Result<String, String>,
    ) -> Result<Self, String> {
        // A secret that a URL spelled percent-encoded is scrubbed all the same; in a replay its
        // placeholder stands there percent-encoded.
        let parse = |text: &str| {
            let json = Json::parse(text).map_err(|error| chain(&error))?;
            Ok::<_, String>(json.map_texts(&plain))
        };
        let kept = |kept: &Kept| parse(&json(kept)?);
        let text = |text: &Option<String>| match text {
            Some(text) => Json::Text(text.clone()),
            None => Json::Plain("null".to_owned()),
        };
        let tape: Option<Tape> =
            serde_json::from_str(&json(&record.tape)?).map_err(|error| chain(&error))?;
        let requests = tape
            .into_iter()
            .flat_map(|tape| tape.events)
            .filter_map(|event| event.http)
            .map(|http| {
                let request =
                    serde_json::to_string(&http.request).map_err(|error| chain(&error))?;
                parse(&request)
            })
            .collect::<Result<_, String>>()?;
        let envelope = [
            ("schema_version", Json::Plain(Envelope::SCHEMA_VERSION.to_string())),
            ("run_id", Json::Text(record.run_id.clone())),
            ("exit_code", Json::Plain(record.exit_code.to_string())),
            ("stdout", kept(&record.stdout)?),
            ("stderr", kept(&record.stderr)?),
            ("result", kept(&record.result)?),
            ("artifacts", kept(&record.artifacts)?),
            ("error_code", text(&record.error_code)),
            ("error_message", kept(&record.error_message)?),
            ("hint", kept(&record.hint)?),
            ("truncated", kept(&record.truncated)?),
            ("duration_ms", Json::Plain(record.duration_ms.to_string())),
        ];
        let envelope = envelope.into_iter().map(|(name, value)| (name.to_owned(), value));
        Ok(Self {
            envelope: envelope.collect(),
            parsed_command: kept(&record.parsed_command)?,
            requests,
            workspace: BTreeMap::new(),
        })
    }

    /// As a record is compared.
    pub(crate) fn record_document(&self) -> Json {
        let mut fields = self.envelope.clone();
        fields.push(("parsed_command".to_owned(), self.parsed_command.clone()));
        fields.push(("requests".to_owned(), Json::Array(self.requests.clone())));
        Json::Object(fields)
    }

    /// As a case is compared.
    pub(crate) fn case_document(&self) -> Json {
        let mut fields = self.envelope.clone();
        fields.push(("requests".to_owned(), Json::Array(self.requests.clone())));
        let workspace = self.workspace.iter().map(|(path, change)| (path.clone(), change.json()));
        fields.push(("workspace".to_owned(), Json::Object(workspace.collect())));
        Json::Object(fields)
    }

    /// Everything, to tell two replays apart.
    pub(crate) fn whole_document(&self) -> Json {
        let mut document = self.case_document();
        if let Json::Object(fields) = &mut document {
            fields.push(("parsed_command".to_owned(), self.parsed_command.clone()));
        }
        document
    }
}

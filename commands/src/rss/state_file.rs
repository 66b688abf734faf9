//! [`StateFile`]: an array of named entries in the workspace, read as a whole and replaced as a
//! whole.
//!
//! Fields that are not known here stay as they are: a later version may have written them. So the
//! entries are read field by field, and written the same way.

use std::{
    collections::{BTreeMap, BTreeSet},
    str::FromStr,
    time::Duration,
};

use serde::{Serialize, de::DeserializeOwned, ser::SerializeMap};
use serde_json::value::RawValue;
use tapeline::{Context, ErrorCode, Failure, Lock, WorkspacePath, json};

use super::name::Name;

/// Where the state files are: no place for what a caller wants written.
const FOLDER: &str = "workspace/rss";

/// Orders the runs that change a state file, of whichever process.
///
/// # Errors
/// `LimitExceeded` (`lock_wait_ms`) where another run holds it for so long, and the door's.
pub(super) async fn lock(door: &Context) -> Result<Lock, Failure> {
    door.lock("rss", Duration::from_secs(5)).await
}

/// Refuses to write over the state by `--out`.
///
/// # Errors
/// `InvalidArgs`.
pub(super) fn check_target(flag: &str, path: &WorkspacePath) -> Result<(), Failure> {
    // Names that a file system may take for the same count as the same.
    let path_text = path.as_str().to_ascii_lowercase();
    let is_state =
        path_text.strip_prefix(FOLDER).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if is_state {
        let message = format!("`{flag}` cannot be `{path}`: the subscriptions are kept there");
        return Err(Failure::new(ErrorCode::INVALID_ARGS, message)
            .hint("name another file, such as `artifacts/rss/items.json`"));
    }
    Ok(())
}

/// What one file holds entries of.
pub(super) trait Entry: Serialize + Sized {
    /// The file, below the state's folder.
    const FILE: &'static str;

    /// An entry from its fields, all of which it takes or keeps.
    fn from_fields(fields: Fields<'_>) -> Result<Self, String>;

    fn name(&self) -> &Name;

    /// The URL in it, which may hold a secret of its owner's.
    fn url(&self) -> Option<&str> {
        None
    }
}

/// The entries of a file, one for each name.
#[derive(Debug)]
pub(super) struct StateFile<E> {
    entries: BTreeMap<Name, E>,
}

impl<E: Entry> StateFile<E> {
    /// What the file holds; nothing where there is none.
    ///
    /// # Errors
    /// `StateCorrupt` for a file that is not what was written there, and the door's.
    pub(super) fn read(door: &Context) -> Result<Self, Failure> {
        let path = path::<E>()?;
        match door.workspace()?.read(&path) {
            Ok(content) => {
                // Of a file that nobody can read, too: it is in the record.
                let text = String::from_utf8_lossy(&content);
                let pieces = text.split(['"', '\'', ' ', '\t', '\r', '\n']);
                pieces.filter(|piece| piece.contains('?')).for_each(|url| door.scrub_url(url));
                let file = Self::parse(&content).map_err(|why| corrupt(&path, &why))?;
                file.entries().filter_map(Entry::url).for_each(|url| door.scrub_url(url));
                Ok(file)
            }
            Err(failure) if failure.code() == ErrorCode::NOT_FOUND => {
                Ok(Self { entries: BTreeMap::new() })
            }
            Err(failure) => Err(failure),
        }
    }

    /// Replaces the file. For whoever holds the [`lock`] and has read it since.
    ///
    /// # Errors
    /// The door's.
    pub(super) fn write(&self, door: &Context) -> Result<(), Failure> {
        door.workspace()?.write(&path::<E>()?, &self.to_json()?)?;
        Ok(())
    }

    /// The array as the file has it.
    ///
    /// # Errors
    /// `Internal`: none, as JSON can hold every entry.
    pub(super) fn to_json(&self) -> Result<Vec<u8>, Failure> {
        let entries: Vec<&E> = self.entries().collect();
        pretty(&entries)
    }

    pub(super) fn put(&mut self, entry: E) {
        self.entries.insert(entry.name().clone(), entry);
    }

    pub(super) fn remove(&mut self, name: &Name) -> Option<E> {
        self.entries.remove(name)
    }

    pub(super) fn of(&self, name: &Name) -> Option<&E> {
        self.entries.get(name)
    }

    /// Sorted by name.
    pub(super) fn entries(&self) -> impl ExactSizeIterator<Item = &E> {
        self.entries.values()
    }

    fn parse(content: &[u8]) -> Result<Self, String> {
        let text = str::from_utf8(content).map_err(|_| "it is not UTF-8".to_owned())?;
        // Some editors put it there.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let array: Vec<&RawValue> =
            serde_json::from_str(text).map_err(|error| match error.classify() {
                serde_json::error::Category::Data => "it is no JSON array".to_owned(),
                _ => format!(
                    "it is not valid JSON (line {}, column {})",
                    error.line(),
                    error.column()
                ),
            })?;
        let mut entries = BTreeMap::new();
        for (index, element) in array.into_iter().enumerate() {
            let number = index + 1;
            let entry = Fields::of(element.get())
                .and_then(E::from_fields)
                .map_err(|why| format!("entry {number}: {why}"))?;
            let name = entry.name().clone();
            if entries.insert(name.clone(), entry).is_some() {
                return Err(format!("entry {number}: `{name}` is there already"));
            }
        }
        Ok(Self { entries })
    }
}

/// JSON for a file that people may look at.
///
/// # Errors
/// `Internal`: none, for what JSON can hold.
pub(super) fn pretty(value: &impl Serialize) -> Result<Vec<u8>, Failure> {
    let mut content = serde_json::to_vec_pretty(value)
        .map_err(|error| Failure::new(ErrorCode::INTERNAL, error.to_string()))?;
    content.push(b'\n');
    Ok(content)
}

fn path<E: Entry>() -> Result<WorkspacePath, Failure> {
    Ok(format!("{FOLDER}/{}", E::FILE).parse::<WorkspacePath>()?)
}

fn corrupt(path: &WorkspacePath, why: &str) -> Failure {
    Failure::new(ErrorCode::STATE_CORRUPT, format!("`{path}` cannot be read: {why}"))
        .hint("mend the file, or move it away to begin anew; nothing is written over it")
        .detail("path", path)
}

/// The fields of one entry, taken out one by one.
pub(super) struct Fields<'a>(Vec<(String, &'a RawValue)>);

impl<'a> Fields<'a> {
    fn of(text: &'a str) -> Result<Self, String> {
        let fields = json::fields(text).map_err(|_| "it is no JSON object".to_owned())?;
        let mut names = BTreeSet::new();
        match fields.iter().find(|(name, _)| !names.insert(name)) {
            Some((name, _)) => Err(format!("`{name}` stands there twice")),
            None => Ok(Self(fields)),
        }
    }

    /// A field that is written as text.
    pub(super) fn parsed<T: FromStr<Err: std::fmt::Display>>(
        &mut self,
        name: &str,
    ) -> Result<T, String> {
        let text: String = self.required(name)?;
        text.parse().map_err(|why| format!("`{name}`: {why}"))
    }

    pub(super) fn required<T: DeserializeOwned>(&mut self, name: &str) -> Result<T, String> {
        self.optional(name)?.ok_or_else(|| format!("`{name}` is missing"))
    }

    /// A field that may be missing or `null`.
    pub(super) fn optional<T: DeserializeOwned>(
        &mut self,
        name: &str,
    ) -> Result<Option<T>, String> {
        let Some(index) = self.0.iter().position(|(known, _)| known == name) else {
            return Ok(None);
        };
        let (_, value) = self.0.remove(index);
        serde_json::from_str(value.get())
            .map_err(|_| format!("`{name}` has a value of another kind"))
    }

    /// All that was not taken.
    pub(super) fn rest(self) -> Rest {
        Rest(self.0.into_iter().map(|(name, value)| (name, value.to_owned())).collect())
    }
}

/// Fields of an entry that are not known here, as they were.
#[derive(Clone, Debug, Default)]
pub(super) struct Rest(Vec<(String, Box<RawValue>)>);

impl Rest {
    pub(super) fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        self.0.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::subscriptions::Subscription, *};

    fn parse(text: &str) -> Result<StateFile<Subscription>, String> {
        StateFile::parse(text.as_bytes())
    }

    const DAILY: &str =
        r#"{"name":"daily","url":"https://a.example/","created_at_ms":1,"updated_at_ms":2}"#;

    #[test]
    fn says_what_is_wrong_with_a_file() {
        for (text, why) in [
            ("", "it is not valid JSON (line 1, column 0)"),
            ("[{]", "it is not valid JSON (line 1, column 3)"),
            ("[] []", "it is not valid JSON (line 1, column 4)"),
            ("{}", "it is no JSON array"),
            ("null", "it is no JSON array"),
            ("[1]", "entry 1: it is no JSON object"),
            ("[{}]", "entry 1: `name` is missing"),
            (r#"[{"name":7}]"#, "entry 1: `name` has a value of another kind"),
            (r#"[{"name":"a","name":"b"}]"#, "entry 1: `name` stands there twice"),
            (&format!("[{DAILY},{DAILY}]"), "entry 2: `daily` is there already"),
            (
                &format!("[{}]", DAILY.replace("daily", "Daily")),
                "entry 1: `name`: `D` is not allowed in a name: lower-case letters, digits and \
                 hyphens are",
            ),
            (
                &format!("[{}]", DAILY.replace("https", "ftp")),
                "entry 1: `url`: `ftp` URLs cannot be fetched; `http` and `https` URLs can",
            ),
        ] {
            assert_eq!(parse(text).unwrap_err(), why, "{text}");
        }
        let latin = StateFile::<Subscription>::parse(b"[\"\xe9\"]").unwrap_err();
        assert_eq!(latin, "it is not UTF-8");
    }

    #[test]
    fn keeps_what_it_does_not_know() {
        let later = DAILY.replace('}', r#","tags":["a", 1.50],"muted":null}"#);
        let written = parse(&format!("[{later}]")).unwrap().to_json().unwrap();
        let written = String::from_utf8(written).unwrap();
        assert!(written.contains("\"tags\": [\"a\", 1.50],\n    \"muted\": null\n"), "{written}");
        assert_eq!(parse(&written).unwrap().to_json().unwrap(), written.as_bytes());
    }

    #[test]
    fn writes_sorted_by_name_and_for_people() {
        let other = DAILY.replace("daily", "a");
        let written = parse(&format!("[{DAILY},{other}]")).unwrap().to_json().unwrap();
        let expected = "\
[
  {
    \"name\": \"a\",
    \"url\": \"https://a.example/\",
    \"created_at_ms\": 1,
    \"updated_at_ms\": 2
  },
  {
    \"name\": \"daily\",
    \"url\": \"https://a.example/\",
    \"created_at_ms\": 1,
    \"updated_at_ms\": 2
  }
]
";
        assert_eq!(String::from_utf8(written).unwrap(), expected);
        assert_eq!(parse("[]").unwrap().to_json().unwrap(), b"[]\n");
        assert_eq!(parse("\u{feff}[]").unwrap().to_json().unwrap(), b"[]\n");
    }

    #[test]
    fn its_own_folder_is_no_target() {
        for (path, allowed) in [
            ("workspace/rss/subscriptions.json", false),
            (".agents/workspace/RSS/x", false),
            ("workspace/rss", false),
            ("workspace/rss-items.json", true),
            ("artifacts/workspace/rss/x", true),
        ] {
            assert_eq!(check_target("--out", &path.parse().unwrap()).is_ok(), allowed, "{path}");
        }
    }

    proptest! {
        #[test]
        fn what_is_read_is_written_the_same(
            names in prop::collection::btree_set("[a-z0-9-]{1,8}", 0..6),
            times in prop::collection::vec(any::<i64>(), 6),
        ) {
            let entries: Vec<_> = names.iter().zip(&times).map(|(name, time)| format!(
                r#"{{"name":"{name}","url":"https://a.example/{name}","created_at_ms":{time},"updated_at_ms":0,"x":{{"y":{time}.0}}}}"#
            )).collect();
            let once = parse(&format!("[{}]", entries.join(","))).unwrap().to_json().unwrap();
            let twice = parse(str::from_utf8(&once).unwrap()).unwrap().to_json().unwrap();
            prop_assert_eq!(once, twice);
        }

        #[test]
        fn no_file_panics(content: Vec<u8>) {
            let _ = StateFile::<Subscription>::parse(&content);
        }
    }
}

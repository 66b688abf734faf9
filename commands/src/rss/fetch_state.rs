//! `fetch_state.json`: what is known of the last fetch of each subscription.

use serde::{Serialize, Serializer, ser::SerializeMap};
use tapeline::{Context, Failure, http::Response};

use super::{
    name::Name,
    state_file::{Entry, Fields, Rest, StateFile},
};

pub(super) type FetchStates = StateFile<FetchState>;

/// What a subscription's server said last.
#[derive(Clone, Debug)]
pub(super) struct FetchState {
    name: Name,
    pub(super) validators: Validators,
    pub(super) last_fetch_ms: Option<i64>,
    last_status: Option<u16>,
    /// The end of the pause it asked for.
    pub(super) not_before_ms: Option<i64>,
    rest: Rest,
}

impl FetchState {
    /// Of a subscription that was never fetched.
    pub(super) fn new(name: Name) -> Self {
        Self {
            name,
            validators: Validators::default(),
            last_fetch_ms: None,
            last_status: None,
            not_before_ms: None,
            rest: Rest::default(),
        }
    }

    /// Takes down an answer, with the end of the pause it asked for. An earlier pause is over: the
    /// server has answered.
    pub(super) fn answered(&mut self, status: u16, now_ms: i64, not_before_ms: Option<i64>) {
        self.last_status = Some(status);
        self.last_fetch_ms = Some(now_ms);
        self.not_before_ms = not_before_ms;
    }
}

impl Entry for FetchState {
    const FILE: &'static str = "fetch_state.json";

    fn from_fields(mut fields: Fields<'_>) -> Result<Self, String> {
        Ok(Self {
            name: fields.parsed("name")?,
            validators: Validators {
                etag: fields.optional("etag")?,
                last_modified: fields.optional("last_modified")?,
            },
            last_fetch_ms: fields.optional("last_fetch_ms")?,
            last_status: fields.optional("last_status")?,
            not_before_ms: fields.optional("not_before_ms")?,
            rest: fields.rest(),
        })
    }

    fn name(&self) -> &Name {
        &self.name
    }
}

impl Serialize for FetchState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        fn optional<M: SerializeMap>(
            map: &mut M,
            name: &str,
            value: Option<&impl Serialize>,
        ) -> Result<(), M::Error> {
            value.map_or(Ok(()), |value| map.serialize_entry(name, value))
        }

        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &self.name)?;
        optional(&mut map, "etag", self.validators.etag.as_ref())?;
        optional(&mut map, "last_modified", self.validators.last_modified.as_ref())?;
        optional(&mut map, "last_fetch_ms", self.last_fetch_ms.as_ref())?;
        optional(&mut map, "last_status", self.last_status.as_ref())?;
        optional(&mut map, "not_before_ms", self.not_before_ms.as_ref())?;
        self.rest.write(&mut map)?;
        map.end()
    }
}

/// What a server knows a version of a feed by: given back as it was received, `W/` and all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Validators {
    etag: Option<String>,
    last_modified: Option<String>,
}

impl Validators {
    /// Those of an answer.
    pub(super) fn of(response: &Response) -> Self {
        let header = |name| response.header(name).filter(|value| can_be_sent(value));
        Self {
            etag: header("etag").map(str::to_owned),
            last_modified: header("last-modified").map(str::to_owned),
        }
    }

    /// Those that were, with what a 304 says anew.
    #[must_use]
    pub(super) fn refreshed(self, by: Self) -> Self {
        Self { etag: by.etag.or(self.etag), last_modified: by.last_modified.or(self.last_modified) }
    }

    /// The headers of a conditional request. Whoever edited the file may have put there what no
    /// header holds.
    pub(super) fn headers(&self) -> impl Iterator<Item = (&'static str, &str)> {
        [("if-none-match", &self.etag), ("if-modified-since", &self.last_modified)]
            .into_iter()
            .filter_map(|(name, value)| Some((name, value.as_deref()?)))
            .filter(|(_, value)| can_be_sent(value))
    }
}

/// A value that arrives as it came: one whose bytes were no UTF-8 is not known any more.
fn can_be_sent(value: &str) -> bool {
    const MOST_BYTES: usize = 4096;
    let is_odd = |character: char| character.is_control() || character == '\u{fffd}';
    !value.is_empty() && value.len() <= MOST_BYTES && !value.contains(is_odd)
}

/// Drops what is known of the last fetch. For whoever holds the lock.
///
/// # Errors
/// `StateCorrupt`, and the door's.
pub(super) fn forget(door: &Context, name: &Name) -> Result<(), Failure> {
    let mut states = FetchStates::read(door)?;
    match states.remove(name) {
        Some(_) => states.write(door),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(headers: &[(&str, &str)]) -> Validators {
        let headers = headers.iter().map(|(name, value)| (name.to_string(), value.to_string()));
        Validators::of(&Response {
            url: "https://a.example/".to_owned(),
            redirects: Vec::new(),
            status: 200,
            headers: headers.collect(),
            body: Vec::new(),
        })
    }

    fn sent(validators: &Validators) -> Vec<(&'static str, &str)> {
        validators.headers().collect()
    }

    #[test]
    fn validators_go_back_as_they_came() {
        let validators = answer(&[("etag", r#"W/"x y""#), ("last-modified", "yesterday, maybe")]);
        assert_eq!(
            sent(&validators),
            [("if-none-match", r#"W/"x y""#), ("if-modified-since", "yesterday, maybe")]
        );
        assert_eq!(sent(&answer(&[])), []);
    }

    #[test]
    fn what_no_header_can_hold_is_not_sent() {
        for odd in ["", "a\nb", "a\u{0}", "caf\u{fffd}", &"x".repeat(4097)] {
            assert_eq!(sent(&answer(&[("etag", odd)])), [], "{odd:?}");
            let edited = Validators { etag: Some(odd.to_owned()), last_modified: None };
            assert_eq!(sent(&edited), [], "{odd:?}");
        }
    }

    #[test]
    fn a_304_refreshes_what_it_names() {
        let kept = answer(&[("etag", "1"), ("last-modified", "then")]);
        let refreshed = kept.refreshed(answer(&[("etag", "2")]));
        assert_eq!(sent(&refreshed), [("if-none-match", "2"), ("if-modified-since", "then")]);
    }
}

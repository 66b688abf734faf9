//! `subscriptions.json`: the feeds that have a name.

use serde::{Serialize, Serializer, ser::SerializeMap};
use tapeline::{ErrorCode, Failure};

use super::{
    feed_url::FeedUrl,
    name::Name,
    state_file::{Entry, Fields, Rest, StateFile},
};

pub(super) type Subscriptions = StateFile<Subscription>;

/// A feed with a name.
#[derive(Clone, Debug)]
pub(super) struct Subscription {
    pub(super) name: Name,
    pub(super) url: FeedUrl,
    pub(super) created_at_ms: i64,
    pub(super) updated_at_ms: i64,
    rest: Rest,
}

impl Subscription {
    pub(super) fn new(name: Name, url: FeedUrl, now_ms: i64) -> Self {
        Self { name, url, created_at_ms: now_ms, updated_at_ms: now_ms, rest: Rest::default() }
    }

    /// The same subscription, to what may be another URL.
    #[must_use]
    pub(super) fn updated(&self, url: FeedUrl, now_ms: i64) -> Self {
        Self { url, updated_at_ms: now_ms, ..self.clone() }
    }
}

impl Entry for Subscription {
    const FILE: &'static str = "subscriptions.json";

    fn from_fields(mut fields: Fields<'_>) -> Result<Self, String> {
        Ok(Self {
            name: fields.parsed("name")?,
            url: fields.parsed("url")?,
            created_at_ms: fields.required("created_at_ms")?,
            updated_at_ms: fields.required("updated_at_ms")?,
            rest: fields.rest(),
        })
    }

    fn name(&self) -> &Name {
        &self.name
    }

    fn url(&self) -> Option<&str> {
        Some(self.url.as_str())
    }
}

impl Serialize for Subscription {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &self.name)?;
        map.serialize_entry("url", &self.url)?;
        map.serialize_entry("created_at_ms", &self.created_at_ms)?;
        map.serialize_entry("updated_at_ms", &self.updated_at_ms)?;
        self.rest.write(&mut map)?;
        map.end()
    }
}

/// For a name that has no subscription.
pub(super) fn not_found(name: &Name) -> Failure {
    Failure::new(ErrorCode::NOT_FOUND, format!("no subscription is named `{name}`"))
        .hint("`rss list` shows the names, `rss add` subscribes")
        .detail("name", name)
}

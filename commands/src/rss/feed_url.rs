//! [`FeedUrl`]: where a feed is.

use std::{fmt, str::FromStr};

use serde::Serialize;
use url::Url;

/// An `http` or `https` URL with a host and without credentials, as the caller wrote it: what is
/// subscribed to is what was given. The gateway asks for its normal form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(super) struct FeedUrl(String);

impl FeedUrl {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether both lead to the same place, however they are written.
    pub(super) fn is_same_place(&self, other: &str) -> bool {
        let place = |text: &str| {
            let mut url = Url::parse(text).ok()?;
            url.set_fragment(None);
            Some(url)
        };
        self.0 == other || place(&self.0) == place(other)
    }
}

impl FromStr for FeedUrl {
    type Err = InvalidFeedUrl;

    fn from_str(text: &str) -> Result<Self, InvalidFeedUrl> {
        let text = text.trim();
        // What browsers make something of, and nobody means: `https:///path`, `https:\\host`.
        let authority = text.split_once(':').map(|(_, rest)| rest).map(|rest| {
            let rest = rest.strip_prefix("//").unwrap_or_default();
            rest.split(['/', '?', '#', '\\']).next().unwrap_or_default()
        });
        let url = Url::parse(text).map_err(|error| match error {
            url::ParseError::EmptyHost => InvalidFeedUrl::Host,
            url::ParseError::RelativeUrlWithoutBase => InvalidFeedUrl::Relative,
            other => InvalidFeedUrl::Broken(other),
        })?;
        match url.scheme() {
            "http" | "https" => {}
            "feed" => return Err(InvalidFeedUrl::Feed),
            // `localhost:8080/feed` reads as one of a scheme `localhost`.
            _ if url.path().starts_with(|first: char| first.is_ascii_digit()) => {
                return Err(InvalidFeedUrl::Relative);
            }
            other => return Err(InvalidFeedUrl::Scheme(other.to_owned())),
        }
        if authority.is_some_and(|authority| authority.contains('@')) {
            return Err(InvalidFeedUrl::Credentials);
        }
        match authority {
            None | Some("") => Err(InvalidFeedUrl::Host),
            Some(_) => Ok(Self(text.to_owned())),
        }
    }
}

impl fmt::Display for FeedUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Why a text is no URL of a feed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum InvalidFeedUrl {
    #[error("`{0}` URLs cannot be fetched; `http` and `https` URLs can")]
    Scheme(String),
    #[error("`feed` URLs cannot be fetched; write `https://` in place of `feed:`")]
    Feed,
    #[error("a URL must not carry credentials; leave out `user:password@`")]
    Credentials,
    #[error("the URL has no host")]
    Host,
    #[error("it is no whole URL, such as `https://example.com/feed.xml`")]
    Relative,
    #[error("it is no URL: {0}")]
    Broken(url::ParseError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_was_given() {
        for text in [
            "https://a.example/feed.xml",
            "HTTP://A.Example:80/feed?x=1&y#z",
            "https://例え.example/フィード",
            "http://[2606:4700::1111]/",
        ] {
            assert_eq!(text.parse::<FeedUrl>().unwrap().as_str(), text);
        }
        assert_eq!(" https://a.example ".parse::<FeedUrl>().unwrap().as_str(), "https://a.example");
    }

    #[test]
    fn says_what_is_wrong_with_others() {
        let scheme = |scheme: &str| InvalidFeedUrl::Scheme(scheme.to_owned());
        for (text, why) in [
            ("file:///etc/passwd", scheme("file")),
            ("ftp://a.example/", scheme("ftp")),
            ("feed:https://a.example/", InvalidFeedUrl::Feed),
            ("feed://a.example/", InvalidFeedUrl::Feed),
            ("localhost:8080/feed", InvalidFeedUrl::Relative),
            ("localhost:8080", InvalidFeedUrl::Relative),
            ("mailto:a@b.example", scheme("mailto")),
            ("data:text/xml,<rss/>", scheme("data")),
            ("https:///feed", InvalidFeedUrl::Host),
            ("https:a.example/feed", InvalidFeedUrl::Host),
            ("https:\\\\a.example\\feed", InvalidFeedUrl::Host),
            ("https://@a.example/", InvalidFeedUrl::Credentials),
            ("javascript:alert(1)", scheme("javascript")),
            ("https://user@a.example/", InvalidFeedUrl::Credentials),
            ("https://:secret@a.example/", InvalidFeedUrl::Credentials),
            ("https://", InvalidFeedUrl::Host),
            ("", InvalidFeedUrl::Relative),
            ("a.example/feed", InvalidFeedUrl::Relative),
            ("/feed.xml", InvalidFeedUrl::Relative),
            ("http://[::1", InvalidFeedUrl::Broken(url::ParseError::InvalidIpv6Address)),
        ] {
            assert_eq!(text.parse::<FeedUrl>(), Err(why), "{text:?}");
        }
    }

    #[test]
    fn one_place_has_many_spellings() {
        let url: FeedUrl = "https://a.example/feed".parse().unwrap();
        for (other, same) in [
            ("https://a.example/feed", true),
            ("HTTPS://A.example:443/feed#top", true),
            ("https://a.example/feed/", false),
            ("http://a.example/feed", false),
            ("no url", false),
        ] {
            assert_eq!(url.is_same_place(other), same, "{other}");
        }
    }
}

//! [`Files`]: what a fetch writes for its caller, the items and the feed as received.

use tapeline::{Context, ErrorCode, Failure, Out, OutFile, OutPart, WorkspacePath, http::Response};

use super::{
    feed::{Feed, Format},
    state_file, text,
};

/// The files that were asked for, open.
pub(super) struct Files {
    out: Option<OutFile>,
    raw_out: Option<OutFile>,
}

impl Files {
    /// Before any work is done for them.
    ///
    /// # Errors
    /// `InvalidArgs` for files that are one, or that hold the state.
    pub(super) fn check(out: &Out, raw_out: Option<&WorkspacePath>) -> Result<(), Failure> {
        if let Some(path) = &out.out {
            state_file::check_target("--out", path)?;
        }
        if let Some(path) = raw_out {
            state_file::check_target("--raw-out", path)?;
        }
        match (&out.out, raw_out) {
            (Some(out), Some(raw_out)) if is_in(out, raw_out) || is_in(raw_out, out) => {
                let message = format!("`{out}` and `{raw_out}` cannot both be files");
                Err(Failure::new(ErrorCode::INVALID_ARGS, message)
                    .hint("name a file for each, such as `items.json` and `feed.xml`"))
            }
            _ => Ok(()),
        }
    }

    /// # Errors
    /// Those of [`Out::open`].
    pub(super) async fn open(
        out: &Out,
        raw_out: Option<&WorkspacePath>,
        door: &Context,
    ) -> Result<Self, Failure> {
        let items = out.open(door).await?;
        let raw_out = match raw_out {
            Some(path) => Some(out.open_also(path, door).await?),
            None => None,
        };
        Ok(Self { out: items, raw_out })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.out.is_none() && self.raw_out.is_none()
    }

    /// Writes all or none, the feed by the name `label`; gives the paths of both.
    ///
    /// # Errors
    /// The door's.
    pub(super) fn write(
        self,
        label: &str,
        feed: &Feed,
        response: &Response,
    ) -> Result<(Option<String>, Option<String>), Failure> {
        let Self { out, raw_out } = self;
        let (has_out, has_raw_out) = (out.is_some(), raw_out.is_some());
        let items = match has_out {
            true => state_file::pretty(&feed.items)?,
            false => Vec::new(),
        };
        let of_items = format!("{} of {}", text::count(feed.items.len(), "item"), label);
        let of_raw = format!("the feed {} as received", label);
        let mime = media_type(response, feed.format);
        let out = out.map(|file| OutPart {
            file,
            content: &items,
            mime: "application/json",
            description: &of_items,
        });
        let raw_out = raw_out.map(|file| OutPart {
            file,
            content: &response.body,
            mime: &mime,
            description: &of_raw,
        });
        let paths = OutFile::finish_all(out.into_iter().chain(raw_out).collect())?;
        let mut paths = paths.into_iter();
        let mut next = |is_there: bool| if is_there { paths.next() } else { None };
        Ok((next(has_out), next(has_raw_out)))
    }
}

/// Whether a path is another one, or below it. On some file systems those are one that differ in
/// case only.
fn is_in(path: &WorkspacePath, other: &WorkspacePath) -> bool {
    let (path, other) = (path.as_str().to_lowercase(), other.as_str().to_lowercase());
    path.strip_prefix(&other).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// What the server calls it, where that is a media type; else what such a feed is called.
fn media_type(response: &Response, format: Format) -> String {
    const MOST_BYTES: usize = 128;
    let declared = response.header("content-type").map(str::trim).unwrap_or_default();
    let essence = declared.split(';').next().unwrap_or_default().trim_end();
    let token = |part: &str| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&byte);
        !part.is_empty() && part.bytes().all(is_plain)
    };
    let is_type = essence.split_once('/').is_some_and(|(top, sub)| token(top) && token(sub));
    let is_line = declared.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if is_type && is_line && declared.len() <= MOST_BYTES {
        return declared.to_owned();
    }
    let usual = match format {
        Format::Rss => "application/rss+xml",
        Format::Rdf => "application/rdf+xml",
        Format::Atom => "application/atom+xml",
        Format::Json => "application/feed+json",
    };
    usual.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_media_type(declared: Option<&str>, format: Format, expected: &str) {
        let headers = declared.map(|value| ("content-type".to_owned(), value.to_owned()));
        let response = Response {
            url: "https://a.example/".to_owned(),
            redirects: Vec::new(),
            status: 200,
            headers: headers.into_iter().collect(),
            body: Vec::new(),
        };
        assert_eq!(media_type(&response, format), expected);
    }

    #[test]
    fn a_feed_as_received_is_of_the_type_that_was_declared() {
        check_media_type(Some(" text/xml; charset=gbk"), Format::Rss, "text/xml; charset=gbk");
        for declared in
            [None, Some(""), Some("xml"), Some("a b/c"), Some("text/"), Some("t/x;\u{1}")]
        {
            check_media_type(declared, Format::Rss, "application/rss+xml");
        }
        check_media_type(
            Some(&format!("text/{}", "x".repeat(200))),
            Format::Json,
            "application/feed+json",
        );
    }
}

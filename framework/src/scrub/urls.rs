//! URLs: where user, password and the values of secret keys stand.
//!
//! They are found by hand, not with a URL parser: a text that no parser takes may hold a secret too,
//! and the rest of it has to stay byte for byte.

use std::ops::Range;

use super::{
    Scrubber, encodings::percent_decode, placeholders, replaced, secret_names::is_secret_key,
};

impl Scrubber {
    /// What stands where a URL holds secrets is learned, nothing else looked for.
    pub(super) fn url_positions(&mut self, url: &str) -> String {
        let mut secrets = userinfo(url);
        secrets.extend(secret_values(url));
        secrets.sort_by_key(|range| (range.start, usize::MAX - range.end));

        let mut scrubbed = String::with_capacity(url.len());
        let mut written = 0;
        for secret in secrets {
            // A secret inside a secret, such as a URL in a secret value, is gone with the outer one.
            if secret.start >= written {
                scrubbed.push_str(url.get(written..secret.start).unwrap_or_default());
                let value = url.get(secret.clone()).unwrap_or_default();
                scrubbed.push_str(&self.learn_encoded(value));
                written = secret.end;
            }
        }
        scrubbed.push_str(url.get(written..).unwrap_or_default());
        scrubbed
    }

    /// [`learn`](Self::learn) of a value that may be percent-encoded: one secret with its plain form.
    fn learn_encoded(&mut self, value: &str) -> String {
        let Some(decoded) = percent_decode(value) else {
            return self.learn(value);
        };
        if decoded.trim().is_empty() {
            return value.to_owned();
        }
        self.learn_written(&decoded, value.to_owned())
    }

    /// A short argument that is the whole value of a query key, whichever key that is.
    pub(super) fn short_values(&self, url: &str) -> String {
        if self.short_arguments.is_empty() {
            return url.to_owned();
        }
        let values = pairs(url).into_iter().filter_map(|(_, range)| {
            let value = url.get(range.clone())?;
            let decoded = percent_decode(value);
            Some((range, self.short_argument(decoded.as_deref().unwrap_or(value))?))
        });
        replaced(url, values)
    }
}

/// The parts of each userinfo in a URL and in URLs within it: user, and password if there is one.
fn userinfo(url: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut next_start = authority_start(url);
    while let Some(start) = next_start {
        let in_query = url.get(..start).is_some_and(|before| before.contains(['?', '#']));
        let ends: &[char] =
            if in_query { &['/', '?', '#', '\\', '&'] } else { &['/', '?', '#', '\\'] };
        let rest = url.get(start..).unwrap_or_default();
        let mut end = rest.find(ends).unwrap_or(rest.len());
        let authority = rest.get(..end).unwrap_or_default();
        // `user:pa/ss@host` is no URL, but its password is one: the text before the slash has no port.
        let misread = || has_odd_port(authority).then(|| rest.rfind('@')).flatten();
        if let Some(at) = authority.rfind('@').or_else(misread) {
            match colon_outside_placeholders(rest.get(..at).unwrap_or_default()) {
                Some(colon) => parts.extend([start..start + colon, start + colon + 1..start + at]),
                None => parts.push(start..start + at),
            }
            end = end.max(at);
        }
        let after = rest.get(end..).unwrap_or_default();
        next_start = after.find(SCHEME_END).map(|at| start + end + at + SCHEME_END.len());
    }
    parts
}

const SCHEME_END: &str = "://";

/// Where the first authority begins. `https:host` and `https:///host` have one too, as every browser
/// and URL library reads them.
fn authority_start(url: &str) -> Option<usize> {
    let is_blank = |character: char| character.is_whitespace() || character.is_control();
    let trimmed = url.trim_start_matches(is_blank);
    let is_special = |scheme: &str| {
        ["http", "https", "ws", "wss", "ftp"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
    };
    let rest = match trimmed.split_once(':') {
        Some((scheme, rest)) if is_special(scheme) => rest,
        _ if trimmed.starts_with("//") => trimmed,
        _ => url.split_once(SCHEME_END)?.1,
    };
    Some(url.len() - rest.trim_start_matches(['/', '\\']).len())
}

fn has_odd_port(authority: &str) -> bool {
    let host =
        authority.rfind(']').and_then(|bracket| authority.get(bracket..)).unwrap_or(authority);
    colon_outside_placeholders(host)
        .and_then(|colon| host.get(colon + 1..))
        .is_some_and(|port| !port.bytes().all(|byte| byte.is_ascii_digit()))
}

fn colon_outside_placeholders(text: &str) -> Option<usize> {
    let taken: Vec<_> = placeholders(text).map(|(range, _)| range).collect();
    text.match_indices(':')
        .map(|(at, _)| at)
        .find(|at| !taken.iter().any(|range| range.contains(at)))
}

/// The values of secret keys.
fn secret_values(url: &str) -> Vec<Range<usize>> {
    let mut pairs = pairs(url);
    // A `code` may be a currency or a country. It is a secret as part of an OAuth answer, which comes
    // with the `state` of its question (RFC 6749 §4.1.2).
    let is_oauth = pairs.iter().any(|(key, _)| key == "state");
    pairs.retain(|(key, _)| is_secret_key(key) || (is_oauth && key == "code"));
    pairs.into_iter().map(|(_, value)| value).collect()
}

/// Keys, and where their values are, in a query, in a fragment, in path parameters (`;jsessionid=…`),
/// or in a bare `a=b&c=d`.
fn pairs(url: &str) -> Vec<(String, Range<usize>)> {
    let path_end = url.find(['?', '#']).unwrap_or(url.len());
    let mut pairs = Vec::new();
    let mut key_start = Some(0);
    let mut from = 0;
    while let Some(at) =
        url.get(from..).and_then(|rest| rest.find(['?', '#', '&', ';', '='])).map(|at| from + at)
    {
        from = at + 1;
        let rest = url.get(from..).unwrap_or_default();
        if !url.get(at..).is_some_and(|rest| rest.starts_with('=')) {
            key_start = Some(from);
            continue;
        }
        let Some(start) = key_start.take() else { continue };
        let in_path = start > 0
            && from <= path_end
            && url.get(..start).is_some_and(|before| before.ends_with(';'));
        let ends: &[char] = if in_path { &['/', '?', '#', '&', ';'] } else { &['&', '#'] };
        let end = from + rest.find(ends).unwrap_or(rest.len());
        pairs.push((normal_key(url.get(start..at).unwrap_or_default()), from..end));
    }
    pairs
}

/// A key as [`is_secret_key`] takes it: without case, hyphens and underscores; of `auth[token]` the inner name.
fn normal_key(key: &str) -> String {
    let decoded = percent_decode(key);
    let key = decoded.as_deref().unwrap_or(key).trim();
    let key = key.strip_suffix("[]").unwrap_or(key);
    let key = key.strip_suffix(']').and_then(|key| key.rsplit('[').next()).unwrap_or(key);
    key.chars()
        .filter(|character| !matches!(character, '-' | '_'))
        .flat_map(char::to_lowercase)
        .collect()
}

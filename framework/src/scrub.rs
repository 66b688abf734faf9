//! [`Scrubber`]: secrets leave a run's texts before anything is written.
//!
//! A secret is known by where it stands: a credential header, the userinfo of a URL, the value of a
//! secret query key, a secret argument. There it is *learned* and becomes `{{secret:N}}`, N by first
//! appearance in the run; every other text is then searched for what was learned. Looking for
//! secrets by their shape is another step, over texts that have been through this one.
//!
//! Scrubbing is idempotent. Three rules make it so, and a change must keep them: a placeholder is
//! never learned, nothing is searched for inside one, and no match reaches across one.

use std::{borrow::Cow, fmt, ops::Range};

use crate::line::{self, Word};

/// The secrets of one run and the placeholders that stand for them.
///
/// Learn first, then rewrite: [`header`](Self::header), [`url`](Self::url) and
/// [`argument`](Self::argument) learn from their position; [`text`](Self::text) and
/// [`command_line`](Self::command_line) replace what is known by then.
#[derive(Default)]
pub(crate) struct Scrubber {
    /// Every known way to write a secret, longest first.
    spellings: Vec<Spelling>,
    /// Arguments too short to be searched for, which only the command line is held against.
    short_arguments: Vec<Spelling>,
    /// The highest number given or seen.
    last: u32,
}

impl Scrubber {
    /// Learns the value of a secret argument.
    pub(crate) fn argument(&mut self, value: &str) {
        self.notice(value);
        self.learn(value);
        if !is_searchable(value)
            && let Some(number) = self.number_of(value)
            && !self.short_arguments.iter().any(|known| known.text == value)
        {
            self.short_arguments.push(Spelling { text: value.to_owned(), number });
        }
    }

    /// The value of a header as it may be written. Learns from credential headers, in which the
    /// scheme of an authorization and the names (and attributes) of cookies stay.
    pub(crate) fn header(&mut self, name: &str, value: &str) -> String {
        self.notice(value);
        let kind = HeaderKind::of(name);
        settle(value, |value| match kind {
            HeaderKind::Authorization => self.authorization(value),
            HeaderKind::Cookie => self.cookies(value),
            HeaderKind::SetCookie => self.set_cookie(value),
            HeaderKind::Credential => self.learn_trimmed(value),
            HeaderKind::Url => self.url(value),
            HeaderKind::Link => self.link(value),
            HeaderKind::Other => self.text(value).into_owned(),
        })
    }

    /// A URL, or anything that was meant as one, as it may be written. Learns user, password and the
    /// values of secret keys in query and fragment; what else is known is replaced too, the rest
    /// stays byte for byte.
    pub(crate) fn url(&mut self, url: &str) -> String {
        self.notice(url);
        settle(url, |url| {
            let scrubbed = self.url_positions(url);
            self.text(&scrubbed).into_owned()
        })
    }

    /// A text with every learned secret replaced, however it is spelled: as it is, percent-encoded,
    /// or escaped for JSON. Borrowed where nothing was found.
    ///
    /// Give it texts and string values. In raw JSON a secret that is a number would leave a bare
    /// placeholder behind.
    pub(crate) fn text<'text>(&self, text: &'text str) -> Cow<'text, str> {
        let found = self.find(text);
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut scrubbed = String::with_capacity(text.len());
        let mut written = 0;
        for (range, number) in found {
            scrubbed.push_str(text.get(written..range.start).unwrap_or_default());
            scrubbed.push_str(&placeholder(number));
            written = range.end;
        }
        scrubbed.push_str(text.get(written..).unwrap_or_default());
        Cow::Owned(scrubbed)
    }

    /// A command line as it may be written: [`text`](Self::text), and also secret arguments too short
    /// for it where one is a whole word or the value of `--flag=value`. A line that parses still
    /// does, as long as placeholders do not make it longer than [`line::MAX_LINE_BYTES`].
    pub(crate) fn command_line(&self, line: &str) -> String {
        settle(line, |line| match line::words(line) {
            Ok(words) => self.words(line, &words),
            Err(_) => self.text(line).into_owned(),
        })
    }

    /// Whether no secret is known, so that nothing needs rewriting.
    pub(crate) fn is_empty(&self) -> bool {
        self.spellings.is_empty() && self.short_arguments.is_empty()
    }

    /// Whether a learned secret occurs in bytes that may be no text at all.
    pub(crate) fn contains_secret(&self, bytes: &[u8]) -> bool {
        // A spelling is valid UTF-8, so it never crosses from one valid stretch into the next.
        self.searched().next().is_some()
            && bytes.utf8_chunks().any(|chunk| !self.find(chunk.valid()).is_empty())
    }

    /// Replaces a value that stands where secrets stand. Placeholders in it stay as they are.
    fn learn(&mut self, value: &str) -> String {
        let mut scrubbed = String::new();
        let mut written = 0;
        for (range, _) in placeholders(value) {
            scrubbed
                .push_str(&self.learn_piece(value.get(written..range.start).unwrap_or_default()));
            scrubbed.push_str(value.get(range.clone()).unwrap_or_default());
            written = range.end;
        }
        scrubbed.push_str(&self.learn_piece(value.get(written..).unwrap_or_default()));
        scrubbed
    }

    fn learn_piece<'value>(&mut self, value: &'value str) -> Cow<'value, str> {
        // Blanks hide nothing, and searching for them would tear every text apart.
        if value.trim().is_empty() {
            return Cow::Borrowed(value);
        }
        let number = match self.number_of(value) {
            Some(number) => number,
            None => {
                self.last = self.last.saturating_add(1);
                self.remember(value, self.last);
                self.last
            }
        };
        Cow::Owned(placeholder(number))
    }

    /// [`learn`](Self::learn) without the blanks around the value, which stay.
    fn learn_trimmed(&mut self, value: &str) -> String {
        let trimmed = value.trim();
        let before = value.len() - value.trim_start().len();
        let [start, end] = [value.get(..before), value.get(before + trimmed.len()..)]
            .map(Option::unwrap_or_default);
        format!("{start}{}{end}", self.learn(trimmed))
    }

    /// [`learn`](Self::learn) of a value that may be percent-encoded: one secret with its plain form.
    fn learn_encoded(&mut self, value: &str) -> String {
        let Some(decoded) = percent_decode(value) else {
            return self.learn(value);
        };
        if decoded.trim().is_empty() {
            return value.to_owned();
        }
        let scrubbed = self.learn(&decoded);
        if is_searchable(&decoded)
            && let Some(number) = self.number_of(&decoded)
        {
            self.spell(value.to_owned(), number);
        }
        scrubbed
    }

    fn url_positions(&mut self, url: &str) -> String {
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

    fn authorization(&mut self, value: &str) -> String {
        let trimmed = value.trim_start();
        let scheme_end = value.len() - trimmed.len()
            + trimmed.find(char::is_whitespace).unwrap_or(trimmed.len());
        let (scheme, credentials) = value.split_at_checked(scheme_end).unwrap_or(("", value));
        // An unknown word in front may be the secret itself.
        if SCHEMES.contains(&&*scheme.trim().to_ascii_lowercase()) {
            format!("{scheme}{}", self.learn_trimmed(credentials))
        } else {
            self.learn_trimmed(value)
        }
    }

    fn cookies(&mut self, value: &str) -> String {
        let scrubbed = value.split(';').map(|pair| self.cookie(pair)).collect::<Vec<_>>().join(";");
        self.text(&scrubbed).into_owned()
    }

    fn set_cookie(&mut self, value: &str) -> String {
        let parts = value.split(';').enumerate().map(|(place, part)| {
            let name = part.split('=').next().unwrap_or_default().trim().to_ascii_lowercase();
            if place > 0 && COOKIE_ATTRIBUTES.contains(&&*name) {
                part.to_owned()
            } else {
                self.cookie(part)
            }
        });
        let scrubbed = parts.collect::<Vec<_>>().join(";");
        self.text(&scrubbed).into_owned()
    }

    fn cookie(&mut self, pair: &str) -> String {
        match pair.split_once('=') {
            Some((name, value)) => {
                let value = value.trim_end();
                let quoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
                match quoted {
                    Some(value) => format!("{name}=\"{}\"", self.learn(value)),
                    None => format!("{name}={}", self.learn_trimmed(value)),
                }
            }
            None => self.learn_trimmed(pair),
        }
    }

    /// `<url>; rel="next", <url>…`
    fn link(&mut self, value: &str) -> String {
        let mut scrubbed = String::with_capacity(value.len());
        let mut rest = value;
        while let Some((before, after)) = rest.split_once('<') {
            let (url, after) = after.split_once('>').unwrap_or((after, ""));
            let closed = if rest.len() > before.len() + 1 + url.len() { ">" } else { "" };
            scrubbed.extend([before, "<", &self.url(url), closed]);
            rest = after;
        }
        scrubbed.push_str(rest);
        self.text(&scrubbed).into_owned()
    }

    /// Keeps numbers apart from those of placeholders that were there before.
    fn notice(&mut self, text: &str) {
        self.last = placeholders(text).map(|(_, number)| number).fold(self.last, u32::max);
    }

    fn number_of(&self, value: &str) -> Option<u32> {
        self.spellings.iter().find(|known| known.text == value).map(|known| known.number)
    }

    fn remember(&mut self, value: &str, number: u32) {
        self.spell(value.to_owned(), number);
        if is_searchable(value) {
            for spelling in encoded(value) {
                self.spell(spelling, number);
            }
        }
    }

    fn spell(&mut self, text: String, number: u32) {
        // An earlier secret keeps a spelling that both could have.
        if self.number_of(&text).is_none() {
            let place = self.spellings.partition_point(|known| known.text.len() >= text.len());
            self.spellings.insert(place, Spelling { text, number });
        }
    }

    fn searched(&self) -> impl Iterator<Item = &Spelling> {
        self.spellings.iter().filter(|known| is_searchable(&known.text))
    }

    /// Where learned secrets occur outside placeholders, from left to right, without overlap. Longest
    /// first, so that a secret within another does not leave the rest of it behind.
    fn find(&self, text: &str) -> Vec<(Range<usize>, u32)> {
        let mut found = Vec::new();
        if !self.searched().any(|known| text.contains(&known.text)) {
            return found;
        }
        let mut gaps = Vec::new();
        let mut start = 0;
        for (range, _) in placeholders(text) {
            gaps.push(start..range.start);
            start = range.end;
        }
        gaps.push(start..text.len());

        for known in self.searched() {
            let mut rest = Vec::with_capacity(gaps.len());
            for gap in gaps {
                let mut start = gap.start;
                let piece = text.get(gap.clone()).unwrap_or_default();
                for (at, hit) in piece.match_indices(&known.text) {
                    let at = gap.start + at;
                    rest.push(start..at);
                    start = at + hit.len();
                    found.push((at..start, known.number));
                }
                rest.push(start..gap.end);
            }
            gaps = rest;
        }
        found.sort_by_key(|(range, _)| range.start);
        found
    }

    fn words(&self, line: &str, words: &[Word]) -> String {
        let mut scrubbed = String::with_capacity(line.len());
        let mut written = 0;
        for word in words {
            scrubbed.push_str(line.get(written..word.start).unwrap_or_default());
            let as_written = line.get(word.start..word.end).unwrap_or_default();
            scrubbed.push_str(&self.word(&word.text, as_written));
            written = word.end;
        }
        scrubbed.push_str(line.get(written..).unwrap_or_default());

        // What is left reaches over blanks or over the quotes of a word.
        match self.text(&scrubbed) {
            Cow::Borrowed(_) => scrubbed,
            Cow::Owned(swept) if line::parse(&swept).is_ok() => swept,
            Cow::Owned(_) => self.whole_words(&scrubbed),
        }
    }

    /// One word of a command line, in the way it was written where that still reads the same.
    fn word(&self, word: &str, written: &str) -> String {
        let short = |value: &str| {
            let known = self.short_arguments.iter().find(|known| known.text == value)?;
            Some(placeholder(known.number))
        };
        let flag = word.split_once('=').filter(|(flag, _)| flag.starts_with('-'));
        let scrubbed = short(word)
            .or_else(|| {
                flag.and_then(|(flag, value)| {
                    Some(format!("{}={}", self.text(flag), short(value)?))
                })
            })
            .unwrap_or_else(|| self.text(word).into_owned());
        if scrubbed == word {
            return written.to_owned();
        }
        let rewritten = self.text(written);
        if line::parse(&rewritten).is_ok_and(|words| words == [&*scrubbed]) {
            return rewritten.into_owned();
        }
        line::quote(&scrubbed)
    }

    /// A line that parses, with each run of words that a secret touches replaced as a whole.
    fn whole_words(&self, line: &str) -> String {
        let words = line::words(line).unwrap_or_default();
        let mut scrubbed = String::with_capacity(line.len());
        let mut written = 0;
        for (secret, number) in self.find(line) {
            let touched =
                || words.iter().filter(|word| word.start < secret.end && secret.start < word.end);
            let start = touched().map(|word| word.start).fold(secret.start, usize::min);
            let end = touched().map(|word| word.end).fold(secret.end, usize::max);
            if start >= written {
                scrubbed.push_str(line.get(written..start).unwrap_or_default());
                scrubbed.push_str(&placeholder(number));
            }
            written = written.max(end);
        }
        scrubbed.push_str(line.get(written..).unwrap_or_default());
        scrubbed
    }
}

impl fmt::Debug for Scrubber {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Scrubber").field("last", &self.last).finish_non_exhaustive()
    }
}

/// Repeats a step until it changes nothing: a placeholder can swallow a delimiter, after which the
/// text reads differently. Each change leaves less text outside placeholders, so it ends.
fn settle(text: &str, mut step: impl FnMut(&str) -> String) -> String {
    let mut settled = text.to_owned();
    loop {
        let next = step(&settled);
        if next == settled {
            return settled;
        }
        settled = next;
    }
}

struct Spelling {
    text: String,
    number: u32,
}

/// Whether a secret may be looked for in any text. One of up to three bytes, or one that is a word of
/// JSON, occurs by chance: replacing `1` or `true` everywhere would ruin the record and hide nothing.
/// Such a secret is replaced where it was learned and nowhere else.
fn is_searchable(secret: &str) -> bool {
    secret.len() >= 4 && !secret.trim().is_empty() && !matches!(secret, "true" | "false" | "null")
}

enum HeaderKind {
    Authorization,
    Cookie,
    SetCookie,
    Credential,
    Url,
    Link,
    Other,
}

impl HeaderKind {
    fn of(name: &str) -> Self {
        match &*name.trim().to_ascii_lowercase() {
            "authorization"
            | "proxy-authorization"
            | "x-authorization"
            | "x-forwarded-authorization"
            | "x-amzn-remapped-authorization" => Self::Authorization,
            "cookie" | "cookie2" => Self::Cookie,
            "set-cookie" | "set-cookie2" => Self::SetCookie,
            "location" | "content-location" | "referer" | "refresh" | "origin"
            | "x-original-url" | "x-rewrite-url" => Self::Url,
            "link" => Self::Link,
            name if CREDENTIAL_HEADERS.contains(&name) => Self::Credential,
            _ => Self::Other,
        }
    }
}

/// Headers whose whole value is a credential. Challenges (`www-authenticate`) are none: they say what
/// is asked for.
const CREDENTIAL_HEADERS: &[&str] = &[
    "access-token",
    "api-key",
    "api-token",
    "apikey",
    "auth-token",
    "authentication-info",
    "cf-access-client-secret",
    "cf-access-jwt-assertion",
    "csrf-token",
    "dd-api-key",
    "dd-application-key",
    "dpop",
    "job-token",
    "ocp-apim-subscription-key",
    "private-token",
    "proxy-authentication-info",
    "x-access-token",
    "x-amz-security-token",
    "x-api-key",
    "x-api-secret",
    "x-api-token",
    "x-apikey",
    "x-auth",
    "x-auth-key",
    "x-auth-token",
    "x-client-secret",
    "x-csrf-token",
    "x-csrftoken",
    "x-forwarded-access-token",
    "x-functions-key",
    "x-gitlab-token",
    "x-goog-api-key",
    "x-goog-iam-authorization-token",
    "x-hub-signature",
    "x-hub-signature-256",
    "x-id-token",
    "x-password",
    "x-plex-token",
    "x-rapidapi-key",
    "x-refresh-token",
    "x-secret",
    "x-secret-key",
    "x-session",
    "x-session-id",
    "x-session-token",
    "x-shopify-access-token",
    "x-signature",
    "x-subscription-token",
    "x-token",
    "x-vault-token",
    "x-xsrf-token",
];

/// Authentication schemes that stay in front of their credentials: IANA's registry and those in wide
/// use beside it.
const SCHEMES: &[&str] = &[
    "api-key",
    "apikey",
    "aws4-hmac-sha256",
    "basic",
    "bearer",
    "concealed",
    "digest",
    "dpop",
    "gnap",
    "googlelogin",
    "hmac",
    "hoba",
    "key",
    "mutual",
    "negotiate",
    "ntlm",
    "oauth",
    "privatetoken",
    "scram-sha-1",
    "scram-sha-256",
    "sharedkey",
    "signature",
    "token",
    "vapid",
];

const COOKIE_ATTRIBUTES: &[&str] = &[
    "domain",
    "expires",
    "httponly",
    "max-age",
    "partitioned",
    "path",
    "priority",
    "samesite",
    "secure",
    "version",
];

/// Query keys whose values are secrets, without case, hyphens and underscores.
const SECRET_KEYS: &[&str] = &[
    "accesskey",
    "accesstoken",
    "apikey",
    "apisecret",
    "apitoken",
    "appid",
    "appkey",
    "appsecret",
    "assertion",
    "auth",
    "authkey",
    "authorization",
    "authtoken",
    "awsaccesskeyid",
    "bearertoken",
    "clientassertion",
    "clientsecret",
    "codeverifier",
    "consumersecret",
    "credential",
    "credentials",
    "csrftoken",
    "hmac",
    "idtoken",
    "jsessionid",
    "jwt",
    "key",
    "oauthsignature",
    "oauthtoken",
    "oauthverifier",
    "pass",
    "passphrase",
    "passwd",
    "password",
    "phpsessid",
    "privatekey",
    "privatetoken",
    "pwd",
    "refreshtoken",
    "samlresponse",
    "secret",
    "secretkey",
    "securitytoken",
    "session",
    "sessionid",
    "sessiontoken",
    "sig",
    "sign",
    "signature",
    "subscriptionkey",
    "token",
    "xamzcredential",
    "xamzsecuritytoken",
    "xamzsignature",
    "xapikey",
    "xgoogcredential",
    "xgoogsignature",
    "xsrftoken",
];

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

/// The values of secret keys in a query, in a fragment, in path parameters (`;jsessionid=…`), or in a
/// bare `a=b&c=d`.
fn secret_values(url: &str) -> Vec<Range<usize>> {
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

    // A `code` may be a currency or a country. It is a secret as part of an OAuth answer, which comes
    // with the `state` of its question (RFC 6749 §4.1.2).
    let is_oauth = pairs.iter().any(|(key, _)| key == "state");
    pairs.retain(|(key, _)| SECRET_KEYS.contains(&&**key) || (is_oauth && key == "code"));
    pairs.into_iter().map(|(_, value)| value).collect()
}

/// A key as [`SECRET_KEYS`] spells it; of `auth[token]` the inner name.
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

/// A percent-encoded text in plain form, if it is one and the plain form is UTF-8.
fn percent_decode(text: &str) -> Option<String> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    while let Some((&first, after)) = rest.split_first() {
        let escape = after.split_first_chunk().filter(|_| first == b'%');
        let (byte, after) = escape
            .and_then(|(&[high, low], after)| Some((digit(high)? * 16 + digit(low)?, after)))
            .unwrap_or((first, after));
        decoded.push(byte);
        rest = after;
    }
    (decoded.len() < text.len()).then(|| String::from_utf8(decoded).ok())?
}

/// Other ways in which writers spell a secret in URLs, forms and JSON.
fn encoded(secret: &str) -> Vec<String> {
    let component = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let script = |byte: u8| component(byte) || b"!*'()".contains(&byte);
    let query = |byte: u8| byte.is_ascii_graphic() && !b"\"#<>'".contains(&byte);
    let userinfo = |byte: u8| query(byte) && !b"?`{}/:;=@[\\]^|".contains(&byte);
    let form = |byte: u8| byte.is_ascii_alphanumeric() || b"-._*".contains(&byte);

    let mut spellings = vec![
        percent_encode(secret, component),
        percent_encode(secret, script),
        percent_encode(secret, query),
        percent_encode(secret, userinfo),
        percent_encode(secret, form).replace("%20", "+"),
    ];
    // Lower-case digits are as good: only the two characters after a `%` differ.
    let lower: Vec<_> = spellings.iter().map(|spelling| lower_case_escapes(spelling)).collect();
    spellings.extend(lower);

    let json = serde_json::to_string(secret).unwrap_or_default();
    let json = json.strip_prefix('"').and_then(|json| json.strip_suffix('"')).unwrap_or_default();
    let ascii: String = json
        .chars()
        .map(|character| match character {
            ' '..='~' => character.to_string(),
            _ => character
                .encode_utf16(&mut [0; 2])
                .iter()
                .map(|unit| format!("\\u{unit:04x}"))
                .collect(),
        })
        .collect();
    spellings.extend([json.to_owned(), json.replace('/', "\\/"), ascii.replace('/', "\\/"), ascii]);
    spellings.retain(|spelling| is_searchable(spelling));
    spellings
}

fn percent_encode(text: &str, keep: impl Fn(u8) -> bool) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if keep(byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

fn lower_case_escapes(encoded: &str) -> String {
    let mut digits = 0;
    encoded
        .chars()
        .map(|character| {
            if character == '%' {
                digits = 2;
            } else if digits > 0 {
                digits -= 1;
                return character.to_ascii_lowercase();
            }
            character
        })
        .collect()
}

const OPEN: &str = "{{secret:";
const CLOSE: &str = "}}";

fn placeholder(number: u32) -> String {
    format!("{OPEN}{number}{CLOSE}")
}

/// The placeholders in a text, with their numbers.
fn placeholders(text: &str) -> impl Iterator<Item = (Range<usize>, u32)> {
    text.match_indices(OPEN).filter_map(|(start, _)| {
        let rest = text.get(start + OPEN.len()..)?;
        // Ten digits hold every number there is; a longer row is no placeholder of ours.
        let length = rest.bytes().take(11).take_while(u8::is_ascii_digit).count();
        let number = rest.get(..length).filter(|digits| !digits.starts_with('0'))?.parse().ok()?;
        rest.get(length..)?.starts_with(CLOSE).then_some(())?;
        Some((start..start + OPEN.len() + length + CLOSE.len(), number))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What a new scrubber makes of one header.
    fn check_header(name: &str, value: &str, expected: &str) {
        assert_eq!(Scrubber::default().header(name, value), expected, "{name}: {value}");
    }

    /// What a new scrubber makes of one URL.
    fn check_url(url: &str, expected: &str) {
        assert_eq!(Scrubber::default().url(url), expected, "{url}");
    }

    fn knowing(secrets: &[&str]) -> Scrubber {
        let mut scrubber = Scrubber::default();
        for secret in secrets {
            scrubber.argument(secret);
        }
        scrubber
    }

    #[test]
    fn keeps_known_schemes_of_an_authorization() {
        for (value, expected) in [
            ("Bearer abc", "Bearer {{secret:1}}"),
            ("bearer  abc ", "bearer  {{secret:1}} "),
            ("Basic dXNlcjpwYXNz", "Basic {{secret:1}}"),
            ("Digest username=\"a\", response=\"b\"", "Digest {{secret:1}}"),
            ("abc", "{{secret:1}}"),
            ("correct horse", "{{secret:1}}"),
            ("Bearer", "Bearer"),
            ("Bearer ", "Bearer "),
            ("", ""),
        ] {
            check_header("Authorization", value, expected);
            check_header("proxy-authorization", value, expected);
        }
    }

    #[test]
    fn keeps_names_and_attributes_of_cookies() {
        check_header(
            "Cookie",
            "sid=abc; theme=dark;x=\"y\"; sid=abc",
            "sid={{secret:1}}; theme={{secret:2}};x=\"{{secret:3}}\"; sid={{secret:1}}",
        );
        check_header("cookie", "bare; a=; b=c=d", "{{secret:1}}; a=; b={{secret:2}}");
        check_header(
            "Set-Cookie",
            "sid=abc; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT; HttpOnly; SameSite=Lax",
            "sid={{secret:1}}; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT; HttpOnly; SameSite=Lax",
        );
        check_header("Set-Cookie", "path=abc; token=def", "path={{secret:1}}; token={{secret:2}}");
    }

    #[test]
    fn replaces_credential_headers_and_no_others() {
        for name in ["X-Api-Key", "api-key", "X-AUTH-TOKEN", "x-csrf-token", "Private-Token"] {
            check_header(name, " abc ", " {{secret:1}} ");
        }
        for name in ["www-authenticate", "accept", "etag", "x-request-id", "content-type"] {
            check_header(name, "Bearer abc", "Bearer abc");
        }
        let mut scrubber = knowing(&["hunter22"]);
        assert_eq!(scrubber.header("x-note", "is hunter22"), "is {{secret:1}}");
    }

    #[test]
    fn reads_headers_that_hold_urls() {
        for name in ["Location", "content-location", "Referer", "refresh"] {
            check_header(name, "https://a/b?token=abc&c=d", "https://a/b?token={{secret:1}}&c=d");
        }
        check_header(
            "refresh",
            "5; url=https://u:p@a/",
            "5; url=https://{{secret:1}}:{{secret:2}}@a/",
        );
        check_header("refresh", "5; url=/a?key=b", "5; url=/a?key={{secret:1}}");
        check_header(
            "Link",
            "<https://a/?page=2&token=abc>; rel=next, <https://a/?token=def>; rel=last",
            "<https://a/?page=2&token={{secret:1}}>; rel=next, <https://a/?token={{secret:2}}>; rel=last",
        );
        check_header("link", "<https://a/?token=abc", "<https://a/?token={{secret:1}}");
    }

    #[test]
    fn replaces_user_and_password_of_a_url() {
        for (url, expected) in [
            ("https://user:pass@host:80/a@b", "https://{{secret:1}}:{{secret:2}}@host:80/a@b"),
            ("https://token@host", "https://{{secret:1}}@host"),
            ("https://u:p@ss:w@host/", "https://{{secret:1}}:{{secret:2}}@host/"),
            ("https://u:pa/ss?x@host/", "https://{{secret:1}}:{{secret:2}}@host/"),
            ("//u:p@host", "//{{secret:1}}:{{secret:2}}@host"),
            ("HTTPS:u:p@host", "HTTPS:{{secret:1}}:{{secret:2}}@host"),
            ("https:\\\\u:p@host\\a", "https:\\\\{{secret:1}}:{{secret:2}}@host\\a"),
            ("postgres://u:p@[::1]:5/db", "postgres://{{secret:1}}:{{secret:2}}@[::1]:5/db"),
            (
                "https://a/?u=https://u:p@b/&m=x@y",
                "https://a/?u=https://{{secret:1}}:{{secret:2}}@b/&m=x@y",
            ),
            ("https://u:@host", "https://{{secret:1}}:@host"),
            ("https://[::1]:80/@x", "https://[::1]:80/@x"),
            ("https://host//x@y", "https://host//x@y"),
            ("https://a/?u=https://b&m=x@y", "https://a/?u=https://b&m=x@y"),
            ("mailto:someone@host", "mailto:someone@host"),
        ] {
            check_url(url, expected);
        }
    }

    #[test]
    fn replaces_values_of_secret_keys() {
        let secret = [
            "token",
            "access_token",
            "refresh_token",
            "id_token",
            "key",
            "api_key",
            "apikey",
            "api-key",
            "ACCESS-KEY",
            "secret",
            "client_secret",
            "Password",
            "passwd",
            "pwd",
            "sig",
            "signature",
            "auth",
            "session",
            "sessionid",
            "X-Amz-Signature",
            "x-amz-credential",
            "X-Amz-Security-Token",
            "X-Goog-Signature",
            "app_id",
            "user[password]",
            "token[]",
            "%74oken",
        ];
        for key in secret {
            check_url(
                &format!("https://a/?{key}=abc&b=c#d"),
                &format!("https://a/?{key}={{{{secret:1}}}}&b=c#d"),
            );
            check_url(&format!("/x?b=c&{key}=ab?c=d"), &format!("/x?b=c&{key}={{{{secret:1}}}}"));
        }
        for key in ["page", "tokens", "keyword", "code", "state", "", "monkey"] {
            check_url(&format!("https://a/?{key}=abc"), &format!("https://a/?{key}=abc"));
        }
        for (url, expected) in [
            ("https://a/#access_token=abc&x=y", "https://a/#access_token={{secret:1}}&x=y"),
            ("https://a/#/b?token=abc", "https://a/#/b?token={{secret:1}}"),
            ("https://a/b;jsessionid=abc/c;d?e=f", "https://a/b;jsessionid={{secret:1}}/c;d?e=f"),
            ("https://a/?b=c&amp;token=d", "https://a/?b=c&amp;token={{secret:1}}"),
            ("https://a/?code=CNYX&state=xyz", "https://a/?code={{secret:1}}&state=xyz"),
            ("https://a/?token=&b=c", "https://a/?token=&b=c"),
            ("https://a/?token=%20", "https://a/?token=%20"),
            ("https://a/?token", "https://a/?token"),
            ("token=abc&b=c", "token={{secret:1}}&b=c"),
            ("not a url ?key=a b", "not a url ?key={{secret:1}}"),
            (
                "https://a/?token=abc&key=abc&sig=x",
                "https://a/?token={{secret:1}}&key={{secret:1}}&sig={{secret:2}}",
            ),
        ] {
            check_url(url, expected);
        }
    }

    #[test]
    fn replaces_what_was_learned_in_texts_however_it_is_spelled() {
        let scrubber = knowing(&["pä/ss \"w\\+d'"]);
        for spelled in [
            "pä/ss \"w\\+d'",
            "p%C3%A4%2Fss%20%22w%5C%2Bd%27",
            "p%c3%a4%2fss%20%22w%5c%2bd%27",
            "p%C3%A4%2Fss+%22w%5C%2Bd%27",
            "p%C3%A4%2Fss%20%22w%5C%2Bd'",
            "p%C3%A4/ss%20%22w\\+d%27",
            r#"pä/ss \"w\\+d'"#,
            r#"pä\/ss \"w\\+d'"#,
            r#"p\u00e4/ss \"w\\+d'"#,
        ] {
            assert_eq!(scrubber.text(&format!("<{spelled}>")), "<{{secret:1}}>", "{spelled}");
            assert!(scrubber.contains_secret(spelled.as_bytes()));
        }
    }

    #[test]
    fn gives_one_number_to_a_secret_and_its_percent_encoded_form() {
        let mut scrubber = Scrubber::default();
        assert_eq!(scrubber.url("/?token=a%2fb%2Bc%7E"), "/?token={{secret:1}}");
        assert_eq!(scrubber.header("x-api-key", "a/b+c~"), "{{secret:1}}");
        assert_eq!(scrubber.url("/?key=a%2fb%2Bc%7E"), "/?key={{secret:1}}");
        assert_eq!(scrubber.text("a/b+c~ a%2fb%2Bc%7E other"), "{{secret:1}} {{secret:1}} other");
    }

    #[test]
    fn replaces_the_longest_secret_first() {
        let scrubber = knowing(&["abcd", "abcdef", "bcde"]);
        assert_eq!(scrubber.text("abcdefabcdxbcde"), "{{secret:2}}{{secret:1}}x{{secret:3}}");
    }

    #[test]
    fn leaves_short_secrets_to_the_places_they_were_learned_in() {
        let mut scrubber = knowing(&["abc", "true"]);
        assert_eq!(scrubber.text("abc true"), "abc true");
        assert!(!scrubber.contains_secret(b"abc true"));
        assert_eq!(scrubber.url("https://a/?key=abc&x=abc"), "https://a/?key={{secret:1}}&x=abc");
    }

    #[test]
    fn borrows_a_text_without_secrets() {
        assert!(matches!(
            Scrubber::default().text("nothing to hide"),
            Cow::Borrowed("nothing to hide")
        ));
        assert!(matches!(knowing(&["hunter22"]).text("a {{secret:1}}"), Cow::Borrowed(_)));
    }

    #[test]
    fn finds_secrets_in_bytes_that_are_no_text() {
        let scrubber = knowing(&["hunter22", "secret"]);
        assert!(scrubber.contains_secret(b"\xff\xe4hunter22\x80"));
        assert!(!scrubber.contains_secret(b"hunter\xff22"));
        assert!(!scrubber.contains_secret(b"{{secret:1}}"));
        assert!(!Scrubber::default().contains_secret(b"hunter22"));
    }

    #[test]
    fn replaces_arguments_in_a_command_line_that_still_parses() {
        for (secrets, line, expected) in [
            (&["hunter22"][..], "x --key hunter22 -v", "x --key {{secret:1}} -v"),
            (
                &["hunter22"],
                "x  \"--key=hunter22\"\t'a hunter22'",
                "x  \"--key={{secret:1}}\"\t'a {{secret:1}}'",
            ),
            (&["hunter22"], "x $hunter22", "x '${{secret:1}}'"),
            (&["hun ter"], "x 'hun ter' hun ter", "x '{{secret:1}}' {{secret:1}}"),
            (&["a\"b\\c"], r#"x "a\"b\\c" 'a"b\c'"#, "x \"{{secret:1}}\" '{{secret:1}}'"),
            (&["it's"], "x it\"'\"s", "x {{secret:1}}"),
            (&["\"abcd", "q"], "x a\"abcd\"y z", "x {{secret:1}} z"),
            (&["d\" \"e"], "x \"abcd\" \"efgh\" z", "x \"abc{{secret:1}}fgh\" z"),
            (&["b\" e"], "x \"ab\" ef z", "x {{secret:1}} z"),
            (
                &["abc"],
                "abc x=abc --k=abc --k='abc' \"abc\" abcd -- abc",
                "{{secret:1}} x=abc --k={{secret:1}} --k={{secret:1}} {{secret:1}} abcd -- {{secret:1}}",
            ),
            (&["true"], "x --k true nottrue", "x --k {{secret:1}} nottrue"),
            (&["hunter22"], "x | hunter22", "x | {{secret:1}}"),
            (&[""], "x ''", "x ''"),
        ] {
            let scrubbed = knowing(secrets).command_line(line);
            assert_eq!(scrubbed, expected, "{line}");
            assert_eq!(line::parse(&scrubbed).is_ok(), line::parse(line).is_ok(), "{scrubbed}");
        }
    }

    #[test]
    fn replaces_short_secrets_of_the_line_alone_in_the_line() {
        let mut scrubber = Scrubber::default();
        scrubber.header("cookie", "limit=20");
        assert_eq!(scrubber.command_line("x --limit 20"), "x --limit 20");
    }

    #[test]
    fn never_learns_a_placeholder_and_counts_on_behind_it() {
        let mut scrubber = Scrubber::default();
        assert_eq!(scrubber.header("authorization", "Bearer {{secret:7}}"), "Bearer {{secret:7}}");
        assert_eq!(scrubber.header("x-api-key", "abcd"), "{{secret:8}}");
        assert_eq!(scrubber.header("x-note", "{{secret:9}}"), "{{secret:9}}");
        assert_eq!(
            scrubber.url("/?key={{secret:3}}xyz&sig=%7B%7Bsecret:8%7D%7D"),
            "/?key={{secret:3}}{{secret:10}}&sig={{secret:8}}"
        );
        assert_eq!(
            scrubber.url("https://{{secret:1}}:{{secret:2}}@a/"),
            "https://{{secret:1}}:{{secret:2}}@a/"
        );
        for other in [
            "{{secret:0}}",
            "{{secret:01}}",
            "{{secret:}}",
            "{{secret:99999999999}}",
            "{{secret:1}",
        ] {
            assert_eq!(Scrubber::default().header("x-api-key", other), "{{secret:1}}", "{other}");
        }
    }

    #[test]
    fn looks_for_nothing_inside_a_placeholder() {
        let scrubber = knowing(&["secret", "{{secret", "}} a"]);
        assert_eq!(scrubber.text("{{secret:1}} a {{secret:x"), "{{secret:1}} a {{secret:2}}:x");
    }

    #[test]
    fn debug_output_shows_no_secret() {
        assert!(!format!("{:?}", knowing(&["hunter22"])).contains("hunter22"));
    }

    /// Characters that mean something in one of the positions, and parts of placeholders.
    fn text() -> impl Strategy<Value = String> {
        const PARTS: &[&str] = &[
            "a",
            "b",
            "ab",
            "abcd",
            "bc",
            ":",
            "/",
            "?",
            "#",
            "&",
            "=",
            ";",
            "@",
            "://",
            "http:",
            "token=",
            "key",
            " ",
            "\"",
            "'",
            "\\",
            "$",
            "%",
            "%61",
            "<",
            ">",
            "{",
            "}",
            "{{secret:",
            "{{secret:2}}",
            "1",
            "Bearer ",
            "--k=",
            "你",
            "\n",
        ];
        prop::collection::vec(prop::sample::select(PARTS).prop_map(str::to_owned), 0..16)
            .prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2048))]

        #[test]
        fn scrubbing_again_changes_nothing(
            arguments in prop::collection::vec(text(), 0..3),
            value in text(),
            name in prop::sample::select(&["authorization", "cookie", "set-cookie", "x-api-key", "location", "link", "accept"][..]),
        ) {
            let mut scrubber = Scrubber::default();
            arguments.iter().for_each(|argument| scrubber.argument(argument));

            let header = scrubber.header(name, &value);
            prop_assert_eq!(scrubber.header(name, &header), header.clone());
            prop_assert_eq!(Scrubber::default().header(name, &header), header);
            let url = scrubber.url(&value);
            prop_assert_eq!(scrubber.url(&url), url.clone());
            prop_assert_eq!(Scrubber::default().url(&url), url);
            let text = scrubber.text(&value).into_owned();
            prop_assert_eq!(scrubber.text(&text), &*text);
            prop_assert!(!scrubber.contains_secret(text.as_bytes()));
        }

        #[test]
        fn a_scrubbed_line_parses_and_holds_no_secret(
            arguments in prop::collection::vec(text(), 0..3),
            line in text(),
        ) {
            let mut scrubber = Scrubber::default();
            arguments.iter().for_each(|argument| scrubber.argument(argument));
            let scrubbed = scrubber.command_line(&line);
            prop_assert_eq!(line::parse(&scrubbed).is_ok(), line::parse(&line).is_ok(), "{}", scrubbed);
            prop_assert!(!scrubber.contains_secret(scrubbed.as_bytes()));
            prop_assert_eq!(scrubber.command_line(&scrubbed), scrubbed);
        }

        #[test]
        fn any_string_is_taken_as_a_url(url in any::<String>()) {
            let mut scrubber = Scrubber::default();
            let scrubbed = scrubber.url(&url);
            prop_assert_eq!(scrubber.url(&scrubbed), scrubbed);
        }
    }
}

//! Headers: which of them hold secrets, and where in the value those stand.

use super::{Scrubber, secret_names::CREDENTIAL_HEADERS};

/// What the value of a header is, by its name.
#[derive(Clone, Copy)]
pub(super) enum HeaderKind {
    Authorization,
    Cookie,
    SetCookie,
    Credential,
    Url,
    Link,
    Other,
}

impl HeaderKind {
    pub(super) fn of(name: &str) -> Self {
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

impl Scrubber {
    /// What is secret in a value of this kind is learned; what else is known is replaced too.
    pub(super) fn header_positions(&mut self, kind: HeaderKind, value: &str) -> String {
        match kind {
            HeaderKind::Authorization => self.authorization(value),
            HeaderKind::Cookie => self.cookies(value),
            HeaderKind::SetCookie => self.set_cookie(value),
            HeaderKind::Credential => self.learn_trimmed(value),
            HeaderKind::Url => self.url(value),
            HeaderKind::Link => self.link(value),
            HeaderKind::Other => self.text(value).into_owned(),
        }
    }

    fn authorization(&mut self, value: &str) -> String {
        let trimmed = value.trim_start();
        let scheme_end = value.len() - trimmed.len()
            + trimmed.find(char::is_whitespace).unwrap_or(trimmed.len());
        let (scheme, credentials) = value.split_at_checked(scheme_end).unwrap_or(("", value));
        // An unknown word in front may be the secret itself.
        if is_scheme(scheme.trim()) {
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

    /// [`learn`](Self::learn) without the blanks around the value, which stay.
    fn learn_trimmed(&mut self, value: &str) -> String {
        let trimmed = value.trim();
        let before = value.len() - value.trim_start().len();
        let [start, end] = [value.get(..before), value.get(before + trimmed.len()..)]
            .map(Option::unwrap_or_default);
        format!("{start}{}{end}", self.learn(trimmed))
    }
}

/// Whether credentials come behind the word.
pub(super) fn is_scheme(word: &str) -> bool {
    SCHEMES.contains(&&*word.to_ascii_lowercase())
}

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

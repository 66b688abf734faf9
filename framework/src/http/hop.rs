//! [`Hop`]: what is asked of one host, and what a redirect makes of it.

use url::{Host, Url};

use super::{HttpResponse, Request};
use crate::{ErrorCode, Failure};

/// One request to one host. Its URL is http or https, has a host and carries neither credentials
/// nor a fragment.
#[derive(Clone, Debug)]
pub(super) struct Hop {
    pub(super) method: String,
    pub(super) url: Url,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Hop {
    /// What the command asked for.
    ///
    /// # Errors
    /// `Internal` for a method or header that no command may set, `NetworkDenied` for a URL that
    /// is not to be asked.
    pub(super) fn first(request: Request) -> Result<Self, Failure> {
        check_method(&request.method)?;
        for (name, value) in &request.headers {
            check_header(name, value)?;
        }
        let url = Url::parse(&request.url)
            .map_err(|error| denied(format!("not an absolute URL: {error}")))?;
        let Request { method, url: _, headers, body } = request;
        Ok(Self { method, url: checked(url)?, headers, body })
    }

    /// What a redirect with this status to `target` asks for, as fetch and curl have it: 303, and
    /// 301 or 302 after `POST`, go on with a `GET` without body.
    ///
    /// Another origin gets none of the command's headers, which may hold its credentials, but
    /// those that say nothing of them.
    ///
    /// # Errors
    /// `NetworkDenied` for a step from https to http, or a URL that is not to be asked.
    pub(super) fn redirected(mut self, status: u16, target: Url) -> Result<Self, Failure> {
        let refused = |where_to: &str| {
            denied(format!("`{}` redirects {where_to}", self.host()))
                .hint("the service leads there, not the caller: try another URL of it")
        };
        let target = checked(target)
            .map_err(|failure| refused(&format!("elsewhere: {}", failure.message())))?;
        if self.url.scheme() == "https" && target.scheme() == "http" {
            return Err(refused("from https to http"));
        }
        let becomes_get = match status {
            303 => self.method != "HEAD",
            301 | 302 => self.method == "POST",
            _ => false,
        };
        if becomes_get {
            "GET".clone_into(&mut self.method);
            self.body.clear();
            self.headers.retain(|(name, _)| !name.to_ascii_lowercase().starts_with("content-"));
        }
        if target.origin() != self.url.origin() {
            self.headers.retain(|(name, _)| kept_across_origins(name));
        }
        self.url = target;
        Ok(self)
    }

    /// Where the answer sends us, if it is a redirect with a `Location` that is a URL.
    pub(super) fn redirect_target(&self, response: &HttpResponse) -> Option<Url> {
        if !matches!(response.status, 301 | 302 | 303 | 307 | 308) {
            return None;
        }
        let location = super::header(&response.headers, "location")?;
        self.url.join(location).ok()
    }

    /// The host as messages name it.
    pub(super) fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }
}

/// The URL as it is asked: host without a final dot, no fragment.
fn checked(mut url: Url) -> Result<Url, Failure> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(denied(format!("`{}` URLs cannot be asked", url.scheme()))
            .hint("use an `https` or `http` URL"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(denied("a URL must not carry credentials").hint("leave out `user:password@`"));
    }
    url.set_fragment(None);
    // `example.com.` is the same host and must not slip past a list that says `example.com`.
    let undotted = match url.host() {
        Some(Host::Domain(name)) => name.strip_suffix('.').map(str::to_owned),
        _ => None,
    };
    if let Some(name) = undotted {
        url.set_host(Some(&name)).map_err(|error| denied(error.to_string()))?;
    }
    match url.host() {
        None => return Err(denied("the URL has no host")),
        Some(Host::Domain(name)) if name.is_empty() || name.ends_with('.') => {
            return Err(denied("the URL's host is not a name"));
        }
        Some(_) => {}
    }
    // No service has it, and transports take it for "the usual one".
    if url.port() == Some(0) {
        return Err(denied("port 0 cannot be asked"));
    }
    Ok(url)
}

/// Headers a redirect to another origin keeps: what the answer may look like, and what the body is.
fn kept_across_origins(name: &str) -> bool {
    ["accept", "accept-language", "content-type", "user-agent"]
        .iter()
        .any(|kept| name.eq_ignore_ascii_case(kept))
}

fn check_method(method: &str) -> Result<(), Failure> {
    let word = !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_uppercase());
    // One makes a tunnel of the connection, the other shows a proxy's credentials.
    if !word || matches!(method, "CONNECT" | "TRACE") {
        return Err(bug("the command asked with an HTTP method that is not allowed"));
    }
    Ok(())
}

fn check_header(name: &str, value: &str) -> Result<(), Failure> {
    const CLIENTS: [&str; 9] = [
        "accept-encoding",
        "connection",
        "content-length",
        "host",
        "keep-alive",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    ];

    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(token) {
        return Err(bug("the command set a header with a name that is not one"));
    }
    let lower = name.to_ascii_lowercase();
    if CLIENTS.contains(&&*lower) || lower.starts_with("proxy-") {
        return Err(bug(format!("the command set the header `{lower}`, which is the client's")));
    }
    if value.bytes().any(|byte| byte.is_ascii_control() && byte != b'\t') {
        return Err(bug(format!("the command set the header `{lower}` to a text of many lines")));
    }
    Ok(())
}

fn denied(message: impl Into<String>) -> Failure {
    Failure::new(ErrorCode::NETWORK_DENIED, message)
        .hint("give a public `http` or `https` URL without credentials")
}

fn bug(message: impl Into<String>) -> Failure {
    Failure::new(ErrorCode::INTERNAL, message).hint("this is a bug in the command")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(url: &str) -> Result<Hop, Failure> {
        Hop::first(Request::get(url))
    }

    fn post() -> Hop {
        let mut request = Request::get("https://a.example/x")
            .header("Authorization", "secret")
            .header("Content-Type", "text/plain")
            .header("Content-Language", "en")
            .header("Accept", "text/html")
            .header("If-None-Match", "\"1\"");
        request.method = "POST".to_owned();
        request.body = b"body".to_vec();
        Hop::first(request).unwrap()
    }

    fn names(hop: &Hop) -> Vec<&str> {
        hop.headers.iter().map(|(name, _)| &**name).collect()
    }

    fn to(hop: Hop, status: u16, url: &str) -> Result<Hop, Failure> {
        hop.redirected(status, url.parse().unwrap())
    }

    #[test]
    fn refuses_urls_that_are_not_to_be_asked() {
        for (url, message) in [
            ("a.example", "not an absolute URL: relative URL without a base"),
            ("http://", "not an absolute URL: empty host"),
            ("http://[::1", "not an absolute URL: invalid IPv6 address"),
            ("ftp://a.example/", "`ftp` URLs cannot be asked"),
            ("file:///etc/passwd", "`file` URLs cannot be asked"),
            ("data:text/plain,x", "`data` URLs cannot be asked"),
            ("https://user@a.example/", "a URL must not carry credentials"),
            ("https://:password@a.example/", "a URL must not carry credentials"),
            ("https://a.example../", "the URL's host is not a name"),
            ("https://a.example:0/", "port 0 cannot be asked"),
        ] {
            let failure = first(url).expect_err(url);
            assert_eq!(failure.code(), ErrorCode::NETWORK_DENIED, "{url}");
            assert_eq!(failure.message(), message, "{url}");
        }
    }

    #[test]
    fn one_host_has_one_spelling() {
        for (url, asked) in [
            ("HTTPS://A.Example.:443/x?y#z", "https://a.example/x?y"),
            ("http://2130706433/", "http://127.0.0.1/"),
            ("http://0x7f.1./", "http://127.0.0.1/"),
            ("http://1../", "http://0.0.0.1/"),
            ("http://[::FFFF:127.0.0.1]/", "http://[::ffff:7f00:1]/"),
        ] {
            assert_eq!(first(url).unwrap().url.as_str(), asked);
        }
    }

    #[test]
    fn a_header_of_the_client_is_a_bug_of_the_command() {
        for (name, value) in [
            ("Host", "b.example"),
            ("content-length", "1"),
            ("Connection", "close"),
            ("Transfer-Encoding", "chunked"),
            ("Accept-Encoding", "identity"),
            ("Upgrade", "h2c"),
            ("TE", "trailers"),
            ("Trailer", "x"),
            ("Keep-Alive", "1"),
            ("Proxy-Authorization", "x"),
            ("", "x"),
            ("a b", "x"),
            ("a:b", "x"),
            ("x", "a\r\nb: c"),
            ("x", "a\0"),
        ] {
            let request = Request::get("https://a.example/").header(name, value);
            let failure = Hop::first(request).expect_err(name);
            assert_eq!(failure.code(), ErrorCode::INTERNAL, "{name}");
            assert!(!failure.message().contains('\n'));
        }
        let request = Request::get("https://a.example/").header("X-Note", "tab\tand ü");
        assert!(Hop::first(request).is_ok());
    }

    #[test]
    fn a_method_is_an_upper_case_word() {
        for method in ["", "get", "GET /", "CONNECT", "TRACE"] {
            let mut request = Request::get("https://a.example/");
            request.method = method.to_owned();
            assert_eq!(Hop::first(request).expect_err(method).code(), ErrorCode::INTERNAL);
        }
    }

    #[test]
    fn method_and_body_change_as_in_fetch() {
        let asked = |method: &str, status| {
            let mut hop = post();
            method.clone_into(&mut hop.method);
            let hop = to(hop, status, "https://a.example/y").unwrap();
            (hop.method.clone(), !hop.body.is_empty(), names(&hop).contains(&"Content-Type"))
        };
        let expect = |method: &str, body: bool| (method.to_owned(), body, body);
        for status in [301, 302] {
            assert_eq!(asked("POST", status), expect("GET", false));
            assert_eq!(asked("PUT", status), expect("PUT", true));
            assert_eq!(asked("HEAD", status), expect("HEAD", true));
        }
        assert_eq!(asked("POST", 303), expect("GET", false));
        assert_eq!(asked("PUT", 303), expect("GET", false));
        assert_eq!(asked("HEAD", 303), expect("HEAD", true));
        for status in [307, 308] {
            assert_eq!(asked("POST", status), expect("POST", true));
        }
    }

    #[test]
    fn another_origin_gets_none_of_the_commands_secrets() {
        let all = ["Authorization", "Content-Type", "Content-Language", "Accept", "If-None-Match"];
        assert_eq!(names(&to(post(), 307, "https://a.example/y").unwrap()), all);
        assert_eq!(names(&to(post(), 307, "https://a.example.:443/y").unwrap()), all);
        for other in ["https://b.example/", "https://a.example:8443/", "https://www.a.example/"] {
            let hop = to(post(), 307, other).unwrap();
            assert_eq!(names(&hop), ["Content-Type", "Accept"], "{other}");
            // Once dropped they stay dropped on the way back.
            let back = to(hop, 307, "https://a.example/").unwrap();
            assert_eq!(names(&back), ["Content-Type", "Accept"], "{other}");
        }
        let hop = to(post(), 303, "https://b.example/").unwrap();
        assert_eq!(names(&hop), ["Accept"]);
    }

    #[test]
    fn a_plain_request_may_become_a_secret_one_but_not_back() {
        let plain = first("http://a.example/").unwrap();
        assert!(to(plain, 301, "https://a.example/").is_ok());
        let failure = to(post(), 301, "http://a.example/").unwrap_err();
        assert_eq!(failure.code(), ErrorCode::NETWORK_DENIED);
        assert_eq!(failure.message(), "`a.example` redirects from https to http");
        assert!(failure.hint_text().unwrap().contains("another URL"));
    }

    #[test]
    fn a_redirect_that_cannot_be_followed_names_who_leads_there() {
        for url in ["file:///etc/passwd", "https://me:secret@b.example/", "http://b.example:0/"] {
            let failure = to(post(), 301, url).unwrap_err();
            assert_eq!(failure.code(), ErrorCode::NETWORK_DENIED);
            assert!(
                failure.message().starts_with("`a.example` redirects elsewhere: "),
                "{}",
                failure.message()
            );
        }
    }

    #[test]
    fn a_redirect_is_a_status_with_a_location_that_is_a_url() {
        let target = |status, location: Option<&str>| {
            let headers = location.map(|at| ("location".to_owned(), at.to_owned()));
            let response =
                HttpResponse { status, headers: headers.into_iter().collect(), body: Vec::new() };
            post().redirect_target(&response).map(String::from)
        };
        let is = |url: &str| Some(url.to_owned());
        for status in [301, 302, 303, 307, 308] {
            assert_eq!(target(status, Some("/y?z")), is("https://a.example/y?z"));
        }
        assert_eq!(target(302, Some("y")), is("https://a.example/y"));
        assert_eq!(target(302, Some("//b.example/y")), is("https://b.example/y"));
        assert_eq!(target(302, Some("http://[bad")), None);
        assert_eq!(target(302, None), None);
        for status in [200, 201, 300, 304, 305, 306] {
            assert_eq!(target(status, Some("/y")), None);
        }
    }
}

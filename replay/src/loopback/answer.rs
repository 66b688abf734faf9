//! [`Answer`]: what the server sends back, and where it misbehaves while doing so.

use std::sync::Arc;

/// About what an endless body sends at a time.
const ENDLESS_BYTES: usize = 16 * 1024;

/// One scripted answer. Cheap to clone: the last answer of a target is given again and again.
#[derive(Clone, Debug)]
pub struct Answer {
    pub(super) script: Script,
}

/// What happens on the wire once a request has been read.
#[derive(Clone, Debug)]
pub(super) enum Script {
    /// Say nothing, not even a status line.
    Silent(Ending),
    /// Bytes as given, whatever they mean, then close.
    Raw(Arc<[u8]>),
    /// A response with head and body.
    Response(Response),
}

#[derive(Clone, Debug)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Body,
    pub(super) chunked: bool,
    /// Where the body breaks off, and how.
    pub(super) breaks: Option<(usize, Ending)>,
}

#[derive(Clone, Debug)]
pub(super) enum Body {
    Whole(Arc<[u8]>),
    /// These bytes over and over, until the client has had enough.
    Endless(Arc<[u8]>),
}

/// How a connection ends before its answer does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// Stay open and send nothing more.
    Stall,
    /// Close in an orderly way.
    Close,
    /// Close with a reset.
    Reset,
}

impl Answer {
    /// 200 with `application/json`.
    pub fn ok_json(body: impl AsRef<[u8]>) -> Self {
        Self::ok("application/json", body)
    }

    /// 200 with a content type and a body.
    pub fn ok(content_type: &str, body: impl AsRef<[u8]>) -> Self {
        Self::status(200).header("content-type", content_type).body(body)
    }

    /// A status with an empty body; [`Answer::header`] and [`Answer::body`] add the rest.
    pub fn status(status: u16) -> Self {
        Self::response(status, Body::Whole(Arc::from([])), false)
    }

    /// A redirect with an empty body. The location is sent as given, relative or absolute.
    pub fn redirect(status: u16, location: &str) -> Self {
        Self::status(status).header("location", location)
    }

    /// These bytes instead of a response, then the connection is closed.
    pub fn raw(bytes: impl AsRef<[u8]>) -> Self {
        Self { script: Script::Raw(Arc::from(bytes.as_ref())) }
    }

    /// 200 with a chunked body that repeats `bytes` until the client hangs up.
    ///
    /// Nothing at all is sent after the head where `bytes` is empty.
    pub fn endless(bytes: impl AsRef<[u8]>) -> Self {
        // Repeated here, so that short ones do not travel one by one.
        let bytes = bytes.as_ref();
        let times = ENDLESS_BYTES.checked_div(bytes.len()).unwrap_or_default().max(1);
        Self::response(200, Body::Endless(Arc::from(bytes.repeat(times))), true)
    }

    /// The request is read and never answered; the connection stays open until either side goes.
    pub fn stall_before_head() -> Self {
        Self { script: Script::Silent(Ending::Stall) }
    }

    /// The request is read, then the connection is closed without a word.
    pub fn close_before_head() -> Self {
        Self { script: Script::Silent(Ending::Close) }
    }

    /// The request is read, then the connection is reset.
    pub fn reset_before_head() -> Self {
        Self { script: Script::Silent(Ending::Reset) }
    }

    /// Adds a header, after those that are there. A `content-length` given here is sent in place of
    /// the true one. Without effect on answers that have no head.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        if let Script::Response(response) = &mut self.script {
            response.headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    /// Sets the body, sent byte for byte: a compressed one is given compressed, together with its
    /// `content-encoding` header. Without effect on answers that have no head.
    #[must_use]
    pub fn body(mut self, bytes: impl AsRef<[u8]>) -> Self {
        if let Script::Response(response) = &mut self.script {
            response.body = Body::Whole(Arc::from(bytes.as_ref()));
        }
        self
    }

    /// Sends the body in chunks instead of with its length.
    #[must_use]
    pub fn chunked(mut self) -> Self {
        if let Script::Response(response) = &mut self.script {
            response.chunked = true;
        }
        self
    }

    /// Sends `bytes` of the body, then nothing more; the connection stays open.
    #[must_use]
    pub fn stall_after(self, bytes: usize) -> Self {
        self.breaks(bytes, Ending::Stall)
    }

    /// Sends `bytes` of the body, then closes: shorter than its length says, or without a last chunk.
    #[must_use]
    pub fn cut_after(self, bytes: usize) -> Self {
        self.breaks(bytes, Ending::Close)
    }

    /// Sends `bytes` of the body, then resets the connection.
    #[must_use]
    pub fn reset_after(self, bytes: usize) -> Self {
        self.breaks(bytes, Ending::Reset)
    }

    fn response(status: u16, body: Body, chunked: bool) -> Self {
        let response = Response { status, headers: Vec::new(), body, chunked, breaks: None };
        Self { script: Script::Response(response) }
    }

    fn breaks(mut self, bytes: usize, ending: Ending) -> Self {
        if let Script::Response(response) = &mut self.script {
            response.breaks = Some((bytes, ending));
        }
        self
    }
}

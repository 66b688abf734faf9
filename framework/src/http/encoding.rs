//! [`Encoding`]: what a body travels as (RFC 9110, 8.4), and what undoes it.
//!
//! The client could do this too, but it leaves out all members of a gzip stream but the first,
//! knows an encoding in lower case only, undoes one where two are named, and lets a stream of zstd
//! ask for a window of 128 MiB.

use std::io;

use async_compression::{
    tokio::bufread::{BrotliDecoder, DeflateDecoder, GzipDecoder, ZlibDecoder, ZstdDecoder},
    zstd::DParameter,
};
use reqwest::header::{CONTENT_ENCODING, HeaderMap};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead};

/// The `Accept-Encoding` of each request.
pub(super) const ACCEPTED: &str = "gzip, deflate, br, zstd";

/// The window of 8 MiB that RFC 9659 allows zstd in this place, as a power of two.
const ZSTD_WINDOW_LOG: u32 = 23;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Identity,
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

impl Encoding {
    /// None where it is another than those accepted, or more than one: several `Content-Encoding`
    /// are one list, of which each was laid over the one before.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        let mut only = Self::Identity;
        let values = headers.get_all(CONTENT_ENCODING).iter();
        for name in values.flat_map(|value| value.as_bytes().split(|byte| *byte == b',')) {
            let encoding = match name.trim_ascii().to_ascii_lowercase().as_slice() {
                b"" | b"identity" => continue,
                b"gzip" | b"x-gzip" => Self::Gzip,
                b"deflate" => Self::Deflate,
                b"br" => Self::Brotli,
                b"zstd" => Self::Zstd,
                _ => return None,
            };
            if only != Self::Identity {
                return None;
            }
            only = encoding;
        }
        Some(only)
    }

    /// What was encoded; of a body of no bytes nothing, whatever the encoding. Its errors are those
    /// of the body, and its own where that is malformed.
    pub(super) async fn decoded<'a>(
        self,
        mut body: impl AsyncBufRead + Send + Unpin + 'a,
    ) -> io::Result<Box<dyn AsyncRead + Send + Unpin + 'a>> {
        let begin = body.fill_buf().await?;
        if begin.is_empty() {
            return Ok(Box::new(tokio::io::empty()));
        }
        let is_zlib = begins_as_zlib(begin);
        Ok(match self {
            Self::Identity => Box::new(body),
            Self::Gzip => {
                let mut decoder = GzipDecoder::new(body);
                decoder.multiple_members(true);
                Box::new(decoder)
            }
            // The format is zlib's, says RFC 9110; some servers send what lies inside of it.
            Self::Deflate if is_zlib => Box::new(ZlibDecoder::new(body)),
            Self::Deflate => Box::new(DeflateDecoder::new(body)),
            Self::Brotli => Box::new(BrotliDecoder::new(body)),
            Self::Zstd => {
                let window = DParameter::window_log_max(ZSTD_WINDOW_LOG);
                let mut decoder = ZstdDecoder::with_params(body, &[window]);
                decoder.multiple_members(true);
                Box::new(decoder)
            }
        })
    }
}

/// RFC 1950, 2.2: the method is 8, the window is at most 32 KiB. Where there is a second byte already,
/// both together are a multiple of 31.
fn begins_as_zlib(bytes: &[u8]) -> bool {
    let is_method = |first: u8| first & 0x0f == 8 && first >> 4 <= 7;
    match *bytes {
        [first, second, ..] => {
            is_method(first) && u16::from_be_bytes([first, second]).is_multiple_of(31)
        }
        [first] => is_method(first),
        [] => false,
    }
}

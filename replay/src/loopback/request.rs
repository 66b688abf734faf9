//! Reading one request off a connection, as bluntly as HTTP/1.1 allows.

use std::io::{self, Read, Write};

/// A head longer than this ends the connection.
const MAX_HEAD_BYTES: usize = 64 * 1024;
/// A body longer than this ends the connection: a client that runs away must not take the tests along.
const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;
const MAX_HEADERS: usize = 128;

/// A request the server has read to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Seen {
    /// As sent: `GET`.
    pub method: String,
    /// As sent, with its query: `/v6/latest/CNY?x=1`.
    pub target: String,
    /// In order of arrival, names as sent. Values that are not UTF-8 show the replacement character.
    pub headers: Vec<(String, String)>,
    /// Without the chunk framing.
    pub body: Vec<u8>,
    /// Whether the client asked for the connection to be closed, in words or by its version.
    pub(super) last: bool,
}

impl Seen {
    /// The first value of a header, whatever the case of its name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let (_, value) = self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name))?;
        Some(value)
    }
}

/// Reads the next request. `Ok(None)` is a client that hung up between requests.
///
/// `buffer` holds what was read beyond the previous request and is left with what lies beyond this one.
pub(super) fn read(
    stream: &mut (impl Read + Write),
    buffer: &mut Vec<u8>,
) -> io::Result<Option<Seen>> {
    let (mut seen, head_bytes) = loop {
        if let Some(parsed) = parse_head(buffer)? {
            break parsed;
        }
        if buffer.len() > MAX_HEAD_BYTES {
            return Err(malformed("the head is too long"));
        }
        if fill(stream, buffer)? == 0 {
            return if buffer.is_empty() { Ok(None) } else { Err(cut_short()) };
        }
    };
    buffer.drain(..head_bytes);

    if seen.header("expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue")) {
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        stream.flush()?;
    }
    let chunked = seen
        .header("transfer-encoding")
        .is_some_and(|value| value.to_ascii_lowercase().ends_with("chunked"));
    seen.body = if chunked {
        read_chunks(stream, buffer)?
    } else {
        let length = match seen.header("content-length") {
            Some(value) => value.trim().parse().map_err(|_| malformed("content-length"))?,
            None => 0,
        };
        take(stream, buffer, length)?
    };
    Ok(Some(seen))
}

fn parse_head(buffer: &[u8]) -> io::Result<Option<(Seen, usize)>> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let httparse::Status::Complete(head_bytes) =
        request.parse(buffer).map_err(|error| malformed(&error.to_string()))?
    else {
        return Ok(None);
    };
    let mut seen = Seen {
        method: request.method.unwrap_or_default().to_owned(),
        target: request.path.unwrap_or_default().to_owned(),
        headers: request
            .headers
            .iter()
            .map(|header| {
                (header.name.to_owned(), String::from_utf8_lossy(header.value).into_owned())
            })
            .collect(),
        body: Vec::new(),
        last: false,
    };
    seen.last = match seen.header("connection") {
        Some(value) => value.eq_ignore_ascii_case("close"),
        None => request.version == Some(0),
    };
    Ok(Some((seen, head_bytes)))
}

fn read_chunks(stream: &mut impl Read, buffer: &mut Vec<u8>) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = take_line(stream, buffer)?;
        let digits = line.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(digits, 16).map_err(|_| malformed("chunk size"))?;
        if size == 0 {
            // Trailers, up to and with the empty line.
            while !take_line(stream, buffer)?.is_empty() {}
            return Ok(body);
        }
        if size > MAX_BODY_BYTES - body.len() {
            return Err(malformed("the body is too long"));
        }
        body.extend(take(stream, buffer, size)?);
        take_line(stream, buffer)?;
    }
}

fn take(stream: &mut impl Read, buffer: &mut Vec<u8>, length: usize) -> io::Result<Vec<u8>> {
    if length > MAX_BODY_BYTES {
        return Err(malformed("the body is too long"));
    }
    while buffer.len() < length {
        if fill(stream, buffer)? == 0 {
            return Err(cut_short());
        }
    }
    Ok(buffer.drain(..length).collect())
}

fn take_line(stream: &mut impl Read, buffer: &mut Vec<u8>) -> io::Result<String> {
    loop {
        if let Some(end) = buffer.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = buffer.drain(..=end).collect();
            return Ok(String::from_utf8_lossy(&line).trim_end().to_owned());
        }
        if buffer.len() > MAX_HEAD_BYTES {
            return Err(malformed("a line is too long"));
        }
        if fill(stream, buffer)? == 0 {
            return Err(cut_short());
        }
    }
}

fn fill(stream: &mut impl Read, buffer: &mut Vec<u8>) -> io::Result<usize> {
    let mut piece = [0; 8 * 1024];
    let count = stream.read(&mut piece)?;
    buffer.extend(piece.iter().take(count));
    Ok(count)
}

fn malformed(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("malformed request: {what}"))
}

fn cut_short() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the client hung up inside a request")
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    /// What `read` makes of these bytes, and what it leaves for the next request.
    fn check(bytes: &str) -> (io::Result<Option<Seen>>, String) {
        let mut stream = Cursor::new(bytes.as_bytes().to_vec());
        let mut buffer = Vec::new();
        let seen = read(&mut stream, &mut buffer);
        (seen, String::from_utf8(buffer).unwrap())
    }

    #[test]
    fn leaves_a_pipelined_request_in_the_buffer() {
        let (seen, rest) =
            check("POST /a HTTP/1.1\r\nContent-Length: 2\r\n\r\nhiGET /b HTTP/1.1\r\n");
        assert_eq!(seen.unwrap().unwrap().body, b"hi");
        assert_eq!(rest, "GET /b HTTP/1.1\r\n");
    }

    #[test]
    fn joins_chunks_and_drops_their_framing() {
        let (seen, rest) = check(
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n1\r\nd\r\n0\r\nT: v\r\n\r\n!",
        );
        assert_eq!(seen.unwrap().unwrap().body, b"abcd");
        assert_eq!(rest, "!");
    }

    #[test]
    fn tells_a_hang_up_between_requests_from_one_inside() {
        assert_eq!(check("").0.unwrap(), None);
        let (seen, _) = check("GET / HT");
        assert_eq!(seen.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn refuses_lengths_nobody_means() {
        for head in ["Content-Length: 99999999999999999999", "Content-Length: 9999999999"] {
            let (seen, _) = check(&format!("POST / HTTP/1.1\r\n{head}\r\n\r\n"));
            assert_eq!(seen.unwrap_err().kind(), io::ErrorKind::InvalidData, "{head}");
        }
        let (seen, _) =
            check("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n");
        assert_eq!(seen.unwrap_err().kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn an_old_client_wants_the_connection_closed() {
        assert!(check("GET / HTTP/1.0\r\n\r\n").0.unwrap().unwrap().last);
        assert!(!check("GET / HTTP/1.1\r\n\r\n").0.unwrap().unwrap().last);
    }
}

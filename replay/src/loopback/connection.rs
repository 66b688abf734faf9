//! One connection, from the handshake to its end, in a thread of its own.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use super::answer::{Answer, Body, Ending, Response, Script};
use super::request::{self, Seen};

const CHUNK_BYTES: usize = 16 * 1024;

/// Serves requests until the client, the script or the server's end stops it.
///
/// `answer` is asked once per request. Errors are the client's business and end the connection.
pub(super) fn serve(
    stream: &Arc<TcpStream>,
    tls: Option<&Arc<rustls::ServerConfig>>,
    answer: impl FnMut(&Seen) -> Answer,
) -> io::Result<()> {
    // Without it a head and a body written apart wait for each other.
    stream.set_nodelay(true)?;
    let mut socket = Socket(Arc::clone(stream));
    let ending = match tls {
        None => converse(&mut socket, answer)?,
        Some(config) => {
            let session =
                rustls::ServerConnection::new(Arc::clone(config)).map_err(io::Error::other)?;
            let mut secured = rustls::StreamOwned::new(session, socket);
            let ending = converse(&mut secured, answer)?;
            if ending.is_none() {
                secured.conn.send_close_notify();
                secured.flush()?;
            }
            socket = secured.sock;
            ending
        }
    };
    match ending {
        None | Some(Ending::Close) => Ok(()),
        // Ends when the client hangs up or the server's end shuts the socket down.
        Some(Ending::Stall) => io::copy(&mut socket, &mut io::sink()).map(|_| ()),
        Some(Ending::Reset) => {
            socket2::SockRef::from(stream.as_ref()).set_linger(Some(Duration::ZERO))
        }
    }
}

/// A connection that the server's end can reach too.
struct Socket(Arc<TcpStream>);

impl Read for Socket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.as_ref().read(buffer)
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.as_ref().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Requests and answers, one after another. `None` is an end in good order.
fn converse(
    stream: &mut (impl Read + Write),
    mut answer: impl FnMut(&Seen) -> Answer,
) -> io::Result<Option<Ending>> {
    let mut buffer = Vec::new();
    while let Some(seen) = request::read(stream, &mut buffer)? {
        match answer(&seen).script {
            Script::Silent(ending) => return Ok(Some(ending)),
            Script::Raw(bytes) => {
                stream.write_all(&bytes)?;
                stream.flush()?;
                return Ok(None);
            }
            Script::Response(response) => {
                let ending = respond(stream, &response, &seen)?;
                if ending.is_some() || seen.last {
                    return Ok(ending);
                }
            }
        }
    }
    Ok(None)
}

fn respond(
    stream: &mut impl Write,
    response: &Response,
    seen: &Seen,
) -> io::Result<Option<Ending>> {
    let mut head = head(response, seen.last);
    let bodiless = seen.method == "HEAD" || matches!(response.status, 100..=199 | 204 | 304);
    if bodiless {
        stream.write_all(&head)?;
        stream.flush()?;
        return Ok(response.breaks.map(|(_, ending)| ending));
    }

    let (bytes, endless) = match &response.body {
        Body::Whole(bytes) => (bytes, false),
        Body::Endless(bytes) => (bytes, true),
    };
    let mut left = response.breaks.map_or(usize::MAX, |(after, _)| after);
    loop {
        for piece in bytes.chunks(CHUNK_BYTES) {
            let piece = piece.get(..left).unwrap_or(piece);
            if piece.is_empty() {
                break;
            }
            left -= piece.len();
            // The head travels with the first piece.
            frame(&mut head, piece, response.chunked);
            stream.write_all(&head)?;
            head.clear();
        }
        if !endless || bytes.is_empty() || left == 0 {
            break;
        }
    }
    let ending = match response.breaks {
        Some((_, ending)) => Some(ending),
        None if endless => Some(Ending::Stall),
        None => {
            if response.chunked {
                head.extend(b"0\r\n\r\n");
            }
            None
        }
    };
    stream.write_all(&head)?;
    stream.flush()?;
    Ok(ending)
}

fn head(response: &Response, last: bool) -> Vec<u8> {
    let Response { status, headers, body, chunked, .. } = response;
    let mut text = format!("HTTP/1.1 {status} {}\r\n", reason(*status));
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    let named = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    match body {
        _ if *chunked => text.push_str("transfer-encoding: chunked\r\n"),
        Body::Whole(bytes) if !named && !matches!(status, 100..=199 | 204 | 304) => {
            text.push_str(&format!("content-length: {}\r\n", bytes.len()));
        }
        Body::Whole(_) | Body::Endless(_) => {}
    }
    if last {
        text.push_str("connection: close\r\n");
    }
    text.push_str("\r\n");
    text.into_bytes()
}

fn frame(out: &mut Vec<u8>, piece: &[u8], chunked: bool) {
    if chunked {
        out.extend(format!("{:x}\r\n", piece.len()).into_bytes());
        out.extend(piece);
        out.extend(b"\r\n");
    } else {
        out.extend(piece);
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        404 => "Not Found",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        // The phrase may be empty, and nobody may rely on it.
        _ => "",
    }
}

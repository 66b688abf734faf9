//! The server driven as a client drives it: bytes over a socket, with and without TLS.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};

use super::{Answer, Loopback};

const PATIENCE: Duration = Duration::from_secs(10);

fn plain() -> Loopback {
    Loopback::builder().start().unwrap()
}

fn connect(server: &Loopback) -> TcpStream {
    let stream = TcpStream::connect(server.addr()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Sends a request that asks for the connection to be closed, and reads to the end.
fn exchange(mut stream: impl Read + Write, request: &str) -> (String, io::Result<()>) {
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let mut piece = [0; 1024];
    let end = loop {
        match stream.read(&mut piece) {
            Ok(0) => break Ok(()),
            Ok(count) => answer.extend(&piece[..count]),
            Err(error) => break Err(error),
        }
    };
    (String::from_utf8_lossy(&answer).into_owned(), end)
}

fn get(server: &Loopback, target: &str) -> (String, io::Result<()>) {
    exchange(connect(server), &format!("GET {target} HTTP/1.1\r\nConnection: close\r\n\r\n"))
}

/// Asserts what a client reads, to an end without an error, for one answer.
fn check(answer: Answer, expected: &str) {
    let server = plain();
    server.answer("GET", "/", answer);
    let (text, end) = get(&server, "/");
    end.unwrap();
    assert_eq!(text, expected);
}

#[test]
fn answers_with_length_and_headers_in_order() {
    check(
        Answer::ok_json("{}").header("etag", "\"1\"").header("x", "y"),
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\netag: \"1\"\r\nx: y\r\n\
         content-length: 2\r\nconnection: close\r\n\r\n{}",
    );
}

#[test]
fn redirects_and_bare_statuses_have_no_body() {
    check(
        Answer::redirect(302, "http://169.254.169.254/"),
        "HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\
         connection: close\r\n\r\n",
    );
    check(Answer::status(304), "HTTP/1.1 304 Not Modified\r\nconnection: close\r\n\r\n");
}

#[test]
fn sends_raw_bytes_and_nothing_else() {
    check(Answer::raw("not http at all\n"), "not http at all\n");
}

#[test]
fn frames_a_chunked_body() {
    check(
        Answer::ok("text/plain", "hello").chunked(),
        "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\
         connection: close\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    );
}

#[test]
fn cuts_a_body_short_of_its_length_or_last_chunk() {
    check(
        Answer::status(200).body("hello").cut_after(2),
        "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhe",
    );
    check(
        Answer::status(200).body("hello").chunked().cut_after(2),
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n2\r\nhe\r\n",
    );
    check(
        Answer::status(200).header("Content-Length", "9").body("hello"),
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nconnection: close\r\n\r\nhello",
    );
}

#[test]
fn closes_without_a_word() {
    check(Answer::close_before_head(), "");
}

#[test]
fn resets_before_the_head_and_inside_the_body() {
    let server = plain();
    server.answer("GET", "/head", Answer::reset_before_head());
    server.answer("GET", "/body", Answer::status(200).body("hello").reset_after(2));
    for target in ["/head", "/body"] {
        let (_, end) = get(&server, target);
        assert_eq!(end.unwrap_err().kind(), ErrorKind::ConnectionReset, "{target}");
    }
}

#[test]
fn stalls_until_the_client_hangs_up() {
    let server = plain();
    server.answer("GET", "/head", Answer::stall_before_head());
    server.answer("GET", "/body", Answer::status(200).body("hello").stall_after(2));
    for (target, ending) in [("/head", ""), ("/body", "\r\n\r\nhe")] {
        let stream = connect(&server);
        stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        let (text, end) = exchange(stream, &format!("GET {target} HTTP/1.1\r\n\r\n"));
        assert!(text.ends_with(ending), "{text}");
        assert!(
            matches!(end.unwrap_err().kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
            "{target}"
        );
    }
}

#[test]
fn an_endless_body_lasts_as_long_as_the_client() {
    let server = plain();
    server.answer("GET", "/", Answer::endless("abc"));
    let mut stream = connect(&server);
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    let mut read = vec![0; 4 * 1024 * 1024];
    stream.read_exact(&mut read).unwrap();
    let text = String::from_utf8(read).unwrap();
    assert!(text.matches("abcabc").count() > 500_000);
}

#[test]
fn gives_answers_in_order_and_keeps_the_last() {
    let server = plain();
    for body in ["one", "two"] {
        server.answer("GET", "/n", Answer::status(200).body(body));
    }
    let bodies: Vec<String> =
        (0..3).map(|_| get(&server, "/n").0.rsplit("\r\n").next().unwrap().to_owned()).collect();
    assert_eq!(bodies, ["one", "two", "two"]);
    assert_eq!(server.hits("/n"), 3);
}

#[test]
fn what_is_not_scripted_is_404_and_seen() {
    let server = plain();
    server.answer("GET", "/here", Answer::status(200));
    for target in ["/here?q=1", "/there"] {
        assert!(get(&server, target).0.starts_with("HTTP/1.1 404 "), "{target}");
        assert_eq!(server.hits(target), 1);
    }
    let (text, _) = exchange(connect(&server), "POST /here HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert!(text.ends_with("nothing is scripted for POST /here\n"), "{text}");
}

#[test]
fn keeps_the_connection_and_remembers_whole_requests() {
    let server = plain();
    server.answer("POST", "/p", Answer::status(200).body("a"));
    server.answer("HEAD", "/p", Answer::status(200).body("abc"));
    let (text, end) = exchange(
        connect(&server),
        "POST /p HTTP/1.1\r\nX-One: 1\r\nContent-Length: 5\r\n\r\nhello\
         HEAD /p HTTP/1.1\r\nConnection: close\r\n\r\n",
    );
    end.unwrap();
    assert_eq!(
        text,
        "HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na\
         HTTP/1.1 200 OK\r\ncontent-length: 3\r\nconnection: close\r\n\r\n"
    );
    let requests = server.requests();
    assert_eq!((requests[0].method.as_str(), requests[0].target.as_str()), ("POST", "/p"));
    assert_eq!(requests[0].header("x-one"), Some("1"));
    assert_eq!(requests[0].body, b"hello");
    assert_eq!(requests[1].method, "HEAD");
}

#[test]
fn invites_a_body_that_waits_for_it() {
    let server = plain();
    server.answer("PUT", "/", Answer::status(200));
    let mut stream = connect(&server);
    stream
        .write_all(b"PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut invitation = [0; 25];
    stream.read_exact(&mut invitation).unwrap();
    assert_eq!(&invitation, b"HTTP/1.1 100 Continue\r\n\r\n");
    assert!(exchange(stream, "hi").0.starts_with("HTTP/1.1 200 OK"));
}

#[test]
fn dropping_it_releases_stalled_and_idle_connections_and_the_port() {
    let server = Loopback::builder().tls(&["example.org"]).start().unwrap();
    server.answer("GET", "/", Answer::stall_before_head());
    let mut stalled = secure(&server, "example.org").unwrap();
    stalled.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    let mut mute = connect(&server);
    while server.hits("/") == 0 {
        std::thread::yield_now();
    }
    let addr = server.addr();
    drop(server);
    assert!(stalled.read(&mut [0]).is_err());
    assert!(!matches!(mute.read(&mut [0]), Ok(1..)));
    assert_eq!(TcpStream::connect(addr).unwrap_err().kind(), ErrorKind::ConnectionRefused);
}

#[test]
fn dropping_it_ends_a_write_that_nobody_reads() {
    let server = plain();
    server.answer("GET", "/", Answer::endless([7; 1024]));
    let mut stream = connect(&server);
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    while server.hits("/") == 0 {
        std::thread::yield_now();
    }
    drop(server);
}

type Secured = rustls::StreamOwned<rustls::ClientConnection, TcpStream>;

/// A client that trusts this server's authority and nothing else, with the handshake done.
fn secure(server: &Loopback, host: &str) -> io::Result<Secured> {
    let mut roots = rustls::RootCertStore::empty();
    let pem = server.ca_pem().unwrap();
    roots.add(CertificateDer::from_pem_slice(pem.as_bytes()).unwrap()).unwrap();
    let config = rustls::ClientConfig::builder_with_provider(Arc::new(
        rustls::crypto::ring::default_provider(),
    ))
    .with_safe_default_protocol_versions()
    .unwrap()
    .with_root_certificates(roots)
    .with_no_client_auth();
    let name = ServerName::try_from(host.to_owned()).unwrap();
    let session = rustls::ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = rustls::StreamOwned::new(session, connect(server));
    while stream.conn.is_handshaking() {
        stream.conn.complete_io(&mut stream.sock)?;
    }
    Ok(stream)
}

#[test]
fn speaks_tls_for_the_names_asked_for_and_no_other() {
    let server = Loopback::builder().tls(&["example.org", "127.0.0.1"]).start().unwrap();
    server.answer("GET", "/", Answer::ok("text/plain", "hi"));
    for host in ["example.org", "127.0.0.1"] {
        let (text, end) =
            exchange(secure(&server, host).unwrap(), "GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
        end.unwrap();
        assert!(text.ends_with("\r\n\r\nhi"), "{text}");
    }
    let refused = secure(&server, "example.com").unwrap_err();
    assert!(refused.to_string().contains("certificate"), "{refused}");
}

#[test]
fn a_cut_under_tls_is_no_orderly_close() {
    let server = Loopback::builder().tls(&["example.org"]).start().unwrap();
    server.answer("GET", "/", Answer::status(200).body("hello").cut_after(2));
    let (text, end) = exchange(
        secure(&server, "example.org").unwrap(),
        "GET / HTTP/1.1\r\nConnection: close\r\n\r\n",
    );
    assert!(text.ends_with("\r\n\r\nhe"), "{text}");
    assert_eq!(end.unwrap_err().kind(), ErrorKind::UnexpectedEof);
}

#[test]
fn says_how_to_be_reached_and_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let server = Loopback::builder().tls(&["example.org"]).start().unwrap();
    server.write_ca(folder.path().join("ca.pem")).unwrap();
    let written = std::fs::read_to_string(folder.path().join("ca.pem")).unwrap();
    assert!(written.starts_with("-----BEGIN CERTIFICATE-----"), "{written}");
    assert_eq!(
        server.connect_to("example.org", 443),
        format!("example.org:443:127.0.0.1:{}", server.addr().port())
    );
    assert!(plain().write_ca(folder.path().join("none.pem")).is_err());
}

#[test]
fn many_clients_at_once_are_all_served() {
    let server = plain();
    server.answer("GET", "/", Answer::ok_json("{}"));
    std::thread::scope(|scope| {
        for _ in 0..32 {
            scope.spawn(|| assert!(get(&server, "/").0.ends_with("{}")));
        }
    });
    assert_eq!(server.hits("/"), 32);
}

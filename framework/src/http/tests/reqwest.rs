//! [`ReqwestHttp`] against sockets on loopback: every way an exchange goes wrong, and the few it
//! goes well.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, mpsc},
    thread,
    time::{Duration, Instant},
};

use rustls::{ServerConfig, ServerConnection, StreamOwned, crypto::ring, pki_types::PrivateKeyDer};

use crate::http::{
    Http, HttpFault, HttpFaultKind, HttpRequest, HttpResponse, HttpSetupError, NetworkOptions,
    ReqwestHttp,
};

/// 64 KiB of zeros.
const ZEROS_GZIP: &[u8] = &[
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xed, 0xc1, 0x01, 0x01, 0x00, 0x00,
    0x00, 0x80, 0x90, 0xfe, 0xaf, 0xee, 0x08, 0x0a, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x6a, 0xeb, 0x8e, 0x97, 0xd7, 0x00, 0x00, 0x01, 0x00,
];
/// `hello`.
const HELLO_GZIP: &[u8] = &[
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x07,
    0x00, 0x86, 0xa6, 0x10, 0x36, 0x05, 0x00, 0x00, 0x00,
];
/// Long enough that a machine under load is no fault, short enough to wait for where it is one.
const PATIENT_MS: u64 = 5_000;
const HASTY_MS: u64 = 150;

/// A server of one connection, whose `answer` gets the stream once the request's head is read.
/// What was asked comes out of the channel.
fn serve(
    answer: impl FnOnce(&mut TcpStream) + Send + 'static,
) -> (SocketAddr, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (asked, seen) = mpsc::channel();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        asked.send(read_head(&mut stream)).ok();
        answer(&mut stream);
    });
    (address, seen)
}

fn read_head(stream: &mut impl Read) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|read| read == 1) {
        head.push(byte[0]);
    }
    String::from_utf8(head).unwrap()
}

fn until_closed(stream: &mut TcpStream) {
    std::io::copy(stream, &mut std::io::sink()).ok();
}

/// A server that writes these bytes and closes.
fn bytes(answer: impl Into<Vec<u8>>) -> SocketAddr {
    let answer = answer.into();
    serve(move |stream| stream.write_all(&answer).unwrap()).0
}

/// A server that writes these bytes and then nothing, until the client is gone.
fn stalls(answer: &'static str) -> SocketAddr {
    serve(move |stream| {
        stream.write_all(answer.as_bytes()).unwrap();
        until_closed(stream);
    })
    .0
}

fn encoded(encoding: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let mut answer = format!(
        "HTTP/1.1 200 OK\r\nContent-Encoding: {encoding}\r\nContent-Length: {length}\r\n\r\n"
    )
    .into_bytes();
    answer.extend_from_slice(body);
    answer
}

fn request(url: &str, connect_to: &[SocketAddr], timeout_ms: u64) -> HttpRequest {
    HttpRequest {
        method: "GET".to_owned(),
        url: url.to_owned(),
        headers: Vec::new(),
        body: Vec::new(),
        connect_to: connect_to.to_vec(),
        max_body_bytes: 4096,
        connect_timeout_ms: timeout_ms,
        timeout_ms,
    }
}

fn send(options: &NetworkOptions, request: HttpRequest) -> Result<HttpResponse, HttpFault> {
    let transport = ReqwestHttp::new(options).unwrap();
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(transport.send(request))
}

fn get(server: SocketAddr) -> Result<HttpResponse, HttpFault> {
    send(&NetworkOptions::default(), request("http://a.example/", &[server], PATIENT_MS))
}

fn hasty(server: SocketAddr) -> Result<HttpResponse, HttpFault> {
    let started = Instant::now();
    let outcome =
        send(&NetworkOptions::default(), request("http://a.example/", &[server], HASTY_MS));
    assert!(started.elapsed() < Duration::from_secs(2));
    outcome
}

#[track_caller]
fn check_fault(outcome: Result<HttpResponse, HttpFault>, kind: HttpFaultKind, after: Option<u64>) {
    let fault = outcome.unwrap_err();
    assert_eq!((fault.kind, fault.after_bytes), (kind, after), "{fault}");
}

mod plain {
    use super::*;

    #[test]
    fn an_answer_comes_back_with_its_repeated_headers() {
        let server = bytes(
            "HTTP/1.1 418 \r\nSet-Cookie: a=1\r\nX-Note: caf\u{e9}\r\nSet-Cookie: b=2\r\n\
             Content-Length: 2\r\n\r\nhi",
        );
        let response = get(server).unwrap();
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(response.status, 418);
        assert_eq!(response.body, b"hi");
        assert_eq!(
            response.headers,
            [
                header("set-cookie", "a=1"),
                header("set-cookie", "b=2"),
                header("x-note", "caf\u{e9}"),
                header("content-length", "2"),
            ]
        );
    }

    #[test]
    fn the_request_is_what_was_asked_and_little_more() {
        let (server, asked) = serve(|stream| stream.write_all(b"HTTP/1.1 204 \r\n\r\n").unwrap());
        let mut request = request("http://a.example/x?y", &[server], PATIENT_MS);
        request.method = "POST".to_owned();
        request.headers =
            vec![("X-A".to_owned(), "1".to_owned()), ("X-A".to_owned(), "2".to_owned())];
        request.body = b"body".to_vec();
        send(&NetworkOptions::default(), request).unwrap();
        let version = env!("CARGO_PKG_VERSION");
        let head = asked.recv().unwrap();
        let mut lines: Vec<_> = head.trim_end().split("\r\n").collect();
        lines.sort_unstable();
        assert_eq!(
            lines,
            [
                "POST /x?y HTTP/1.1",
                "accept-encoding: zstd,gzip,deflate,br",
                "accept: */*",
                "content-length: 4",
                "host: a.example",
                &format!("user-agent: tapeline/{version}"),
                "x-a: 1",
                "x-a: 2",
            ]
        );
    }

    #[test]
    fn connects_to_the_given_address_whatever_the_url_says() {
        for (url, host) in [
            ("http://a.example/", "a.example"),
            ("http://a.example:8080/", "a.example:8080"),
            ("http://8.8.8.8/", "8.8.8.8"),
            ("http://8.8.8.8:8080/", "8.8.8.8:8080"),
            ("http://[2001:4860:4860::8888]:81/", "[2001:4860:4860::8888]:81"),
        ] {
            let (server, asked) =
                serve(|stream| stream.write_all(b"HTTP/1.1 204 \r\n\r\n").unwrap());
            send(&NetworkOptions::default(), request(url, &[server], PATIENT_MS)).unwrap();
            let head = asked.recv().unwrap();
            assert!(head.contains(&format!("\r\nhost: {host}\r\n")), "{head}");
        }
    }

    #[test]
    fn tries_each_address() {
        let refusing = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let server = bytes("HTTP/1.1 204 \r\n\r\n");
        let request = request("http://a.example/", &[refusing, server], PATIENT_MS);
        assert_eq!(send(&NetworkOptions::default(), request).unwrap().status, 204);
    }

    #[test]
    fn without_an_address_it_connects_nowhere() {
        let server = bytes("");
        let request = request(&format!("http://{server}/"), &[], PATIENT_MS);
        check_fault(send(&NetworkOptions::default(), request), HttpFaultKind::ConnectRefused, None);
    }

    #[test]
    fn follows_nothing() {
        let server = bytes("HTTP/1.1 302 \r\nLocation: /x\r\nContent-Length: 0\r\n\r\n");
        assert_eq!(get(server).unwrap().status, 302);
    }

    #[test]
    fn a_proxy_is_asked_for_the_url_by_name() {
        let (proxy, asked) = serve(|stream| stream.write_all(b"HTTP/1.1 204 \r\n\r\n").unwrap());
        let options =
            NetworkOptions { proxy: Some(format!("http://{proxy}")), ..NetworkOptions::default() };
        assert!(ReqwestHttp::new(&options).unwrap().resolves_itself());
        send(&options, request("http://a.example:81/x", &[], PATIENT_MS)).unwrap();
        assert!(asked.recv().unwrap().starts_with("GET http://a.example:81/x HTTP/1.1\r\n"));
    }

    #[test]
    fn a_proxy_of_another_kind_is_refused_at_once() {
        for proxy in ["", "proxy.example", "socks5://proxy.example"] {
            let options =
                NetworkOptions { proxy: Some(proxy.to_owned()), ..NetworkOptions::default() };
            assert!(matches!(ReqwestHttp::new(&options), Err(HttpSetupError::Proxy)), "{proxy}");
        }
    }
}

mod faults {
    use super::*;

    #[test]
    fn nobody_listens() {
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        check_fault(get(free), HttpFaultKind::ConnectRefused, None);
    }

    #[test]
    fn closed_or_reset_before_the_head() {
        check_fault(get(bytes("")), HttpFaultKind::Reset, None);
        check_fault(get(bytes("HTTP/1.1 200 OK\r\nContent-")), HttpFaultKind::Reset, None);
        // Closing with the request unread resets.
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = listener.local_addr().unwrap();
        thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            stream.peek(&mut [0]).unwrap();
        });
        check_fault(get(server), HttpFaultKind::Reset, None);
    }

    #[test]
    fn no_head_in_time() {
        check_fault(hasty(stalls("")), HttpFaultKind::ReadTimeout, None);
        check_fault(hasty(stalls("HTTP/1.1 200 OK\r\n")), HttpFaultKind::ReadTimeout, None);
    }

    #[test]
    fn a_head_that_is_none() {
        check_fault(get(bytes("SSH-2.0-x\r\n")), HttpFaultKind::Decode, None);
        let long = format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "x".repeat(1 << 20));
        let (server, _asked) = serve(move |stream| {
            stream.write_all(long.as_bytes()).ok();
            until_closed(stream);
        });
        check_fault(get(server), HttpFaultKind::Decode, None);
    }

    #[test]
    fn the_body_stops_coming() {
        let server = stalls("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
        check_fault(hasty(server), HttpFaultKind::Stall, Some(4));
    }

    #[test]
    fn the_body_ends_early() {
        let half = bytes("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
        check_fault(get(half), HttpFaultKind::Truncated, Some(4));
        let chunk = bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n");
        check_fault(get(chunk), HttpFaultKind::Truncated, Some(4));
    }

    #[test]
    fn chunks_that_are_none() {
        let server =
            bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nzz\r\n");
        check_fault(get(server), HttpFaultKind::Decode, Some(4));
    }

    #[test]
    fn more_than_the_cap_whatever_the_length_says() {
        let body = "x".repeat(100_000);
        for head in ["", "Content-Length: 100000\r\n"] {
            let answer = format!("HTTP/1.1 200 OK\r\n{head}\r\n{body}");
            let (server, _asked) = serve(move |stream| {
                stream.write_all(answer.as_bytes()).ok();
            });
            let fault = get(server).unwrap_err();
            assert_eq!(fault.kind, HttpFaultKind::TooLarge, "{fault}");
            assert!(fault.after_bytes.is_some_and(|seen| seen > 4096 && seen < 100_000), "{fault}");
        }
        let exactly = bytes(format!("HTTP/1.1 200 OK\r\n\r\n{}", "x".repeat(4096)));
        assert_eq!(get(exactly).unwrap().body.len(), 4096);
    }
}

mod encodings {
    use super::*;

    #[test]
    fn gzip_is_decoded_and_its_headers_dropped() {
        let response = get(bytes(encoded("gzip", HELLO_GZIP))).unwrap();
        assert_eq!(response.body, b"hello");
        assert_eq!(response.headers, []);
    }

    #[test]
    fn corrupt_gzip() {
        let mut corrupt = HELLO_GZIP.to_vec();
        corrupt[12] ^= 0xff;
        let fault = get(bytes(encoded("gzip", &corrupt))).unwrap_err();
        assert_eq!(fault.kind, HttpFaultKind::Decode, "{fault}");
        // The answer is whole, what is in it is not.
        let cut = &HELLO_GZIP[..HELLO_GZIP.len() - 9];
        assert_eq!(get(bytes(encoded("gzip", cut))).unwrap_err().kind, HttpFaultKind::Decode);
    }

    #[test]
    fn gzip_of_an_answer_that_ends_early() {
        let mut answer = encoded("gzip", HELLO_GZIP);
        answer.truncate(answer.len() - 9);
        assert_eq!(get(bytes(answer)).unwrap_err().kind, HttpFaultKind::Truncated);
    }

    #[test]
    fn a_bomb_is_cut_while_it_streams() {
        assert!(ZEROS_GZIP.len() < 200);
        let fault = get(bytes(encoded("gzip", ZEROS_GZIP))).unwrap_err();
        assert_eq!(fault.kind, HttpFaultKind::TooLarge, "{fault}");
        assert!(fault.after_bytes.is_some_and(|seen| seen < 65_536), "{fault}");
    }

    #[test]
    fn an_encoding_nobody_asked_for() {
        for encoding in ["compress", "gzip, gzip"] {
            check_fault(get(bytes(encoded(encoding, HELLO_GZIP))), HttpFaultKind::Decode, None);
        }
        assert_eq!(get(bytes(encoded("identity", b"hello"))).unwrap().body, b"hello");
    }

    #[test]
    fn what_has_no_body_is_not_decoded() {
        let not_modified = "HTTP/1.1 304 \r\nContent-Encoding: gzip\r\nETag: \"1\"\r\n\r\n";
        let response = get(bytes(not_modified)).unwrap();
        assert_eq!((response.status, response.body.len()), (304, 0));
        assert_eq!(response.headers, [("etag".to_owned(), "\"1\"".to_owned())]);

        // Nor is one missed in an encoding we do not know.
        let server =
            bytes("HTTP/1.1 200 \r\nContent-Encoding: compress\r\nContent-Length: 9\r\n\r\n");
        let mut head = request("http://a.example/", &[server], PATIENT_MS);
        head.method = "HEAD".to_owned();
        assert_eq!(send(&NetworkOptions::default(), head).unwrap().status, 200);
    }
}

mod secret {
    use super::*;

    /// A TLS server for `names` that answers once, and the certificate that vouches for it. The
    /// channel gives the server name it was sent.
    fn serve_tls(names: &[&str]) -> (SocketAddr, Vec<u8>, mpsc::Receiver<Option<String>>) {
        let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
        let made = rcgen::generate_simple_self_signed(names).unwrap();
        let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (sent, seen) = mpsc::channel();
        thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let connection = ServerConnection::new(Arc::new(config)).unwrap();
            let mut stream = StreamOwned::new(connection, stream);
            read_head(&mut stream);
            sent.send(stream.conn.server_name().map(str::to_owned)).ok();
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi").ok();
        });
        (address, made.cert.pem().into_bytes(), seen)
    }

    fn trusting(pem: Vec<u8>) -> NetworkOptions {
        NetworkOptions { ca_pem: Some(pem), ..NetworkOptions::default() }
    }

    #[test]
    fn the_server_is_held_to_the_name_in_the_url() {
        for (url, name, sent) in [
            ("https://a.example/", "a.example", Some("a.example")),
            ("https://a.example:8443/", "a.example", Some("a.example")),
            ("https://8.8.8.8/", "8.8.8.8", None),
            ("https://[2001:4860:4860::8888]/", "2001:4860:4860::8888", None),
        ] {
            let (server, pem, seen) = serve_tls(&[name]);
            let response = send(&trusting(pem), request(url, &[server], PATIENT_MS)).unwrap();
            assert_eq!(response.body, b"hi", "{url}");
            assert_eq!(seen.recv().unwrap().as_deref(), sent, "{url}");
        }
    }

    #[test]
    fn another_name_is_refused() {
        for (url, name) in [
            ("https://a.example/", "b.example"),
            ("https://a.example/", "127.0.0.1"),
            ("https://8.8.8.8/", "127.0.0.1"),
            ("https://8.8.8.8/", "address.invalid"),
        ] {
            let (server, pem, _seen) = serve_tls(&[name]);
            let outcome = send(&trusting(pem), request(url, &[server], PATIENT_MS));
            check_fault(outcome, HttpFaultKind::Tls, None);
        }
    }

    #[test]
    fn an_unknown_authority_is_refused() {
        let (server, _pem, _seen) = serve_tls(&["a.example"]);
        let (_other, pem, _seen) = serve_tls(&["a.example"]);
        let asked = || request("https://a.example/", &[server], PATIENT_MS);
        check_fault(send(&trusting(pem), asked()), HttpFaultKind::Tls, None);
        // Nor does the platform know it, with roots or without.
        let (server, _pem, _seen) = serve_tls(&["a.example"]);
        let asked = request("https://a.example/", &[server], PATIENT_MS);
        check_fault(send(&NetworkOptions::default(), asked), HttpFaultKind::Tls, None);
    }

    #[test]
    fn a_handshake_that_is_cut_or_none() {
        let (_server, pem, _seen) = serve_tls(&["a.example"]);
        for answer in ["", "HTTP/1.1 400 \r\n\r\n"] {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let server = listener.local_addr().unwrap();
            thread::spawn(move || {
                let (mut stream, _) = listener.accept().unwrap();
                let _hello = stream.read(&mut [0; 4096]).unwrap();
                stream.write_all(answer.as_bytes()).unwrap();
            });
            let asked = request("https://a.example/", &[server], PATIENT_MS);
            check_fault(send(&trusting(pem.clone()), asked), HttpFaultKind::Tls, None);
        }
    }

    #[test]
    fn a_handshake_that_stalls_is_no_connection() {
        let (_server, pem, _seen) = serve_tls(&["a.example"]);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let asked = request("https://a.example/", &[listener.local_addr().unwrap()], HASTY_MS);
        check_fault(send(&trusting(pem), asked), HttpFaultKind::ConnectTimeout, None);
    }
}

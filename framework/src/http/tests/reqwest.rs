//! [`ReqwestHttp`] against sockets on loopback: every way an exchange goes wrong, and the few it
//! goes well. What bodies are encoded in has a file of its own.

use std::{
    env,
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    process::Command,
    sync::{Arc, mpsc},
    thread,
    time::{Duration, Instant},
};

use rustls::{ServerConfig, ServerConnection, StreamOwned, crypto::ring, pki_types::PrivateKeyDer};

use crate::http::{
    Http, HttpFault, HttpFaultKind, HttpRequest, HttpResponse, HttpSetupError, NetworkOptions,
    ReqwestHttp,
};

/// Long enough that a machine under load is no fault, short enough to wait for where it is one.
pub(super) const PATIENT_MS: u64 = 5_000;
const HASTY_MS: u64 = 150;

/// A server of one connection, whose `answer` gets the stream once the request's head is read.
/// What was asked comes out of the channel.
pub(super) fn serve(
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
pub(super) fn bytes(answer: impl Into<Vec<u8>>) -> SocketAddr {
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

pub(super) fn request(url: &str, connect_to: &[SocketAddr], timeout_ms: u64) -> HttpRequest {
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

pub(super) fn send(
    options: &NetworkOptions,
    request: HttpRequest,
) -> Result<HttpResponse, HttpFault> {
    let transport = ReqwestHttp::new(options).unwrap();
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(transport.send(request))
}

pub(super) fn get(server: SocketAddr) -> Result<HttpResponse, HttpFault> {
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
pub(super) fn check_fault(
    outcome: Result<HttpResponse, HttpFault>,
    kind: HttpFaultKind,
    after: Option<u64>,
) {
    let fault = outcome.unwrap_err();
    assert_eq!((fault.kind, fault.after_bytes), (kind, after), "{fault}");
}

mod plain {
    use super::*;

    /// The test is started again, with proxies in its environment at which nobody listens.
    #[test]
    fn a_proxy_of_the_environment_is_not_asked() {
        const AGAIN: &str = "TAPELINE_TEST_PROXY_OF_THE_ENVIRONMENT";

        if env::var_os(AGAIN).is_some() {
            let server = bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
            assert_eq!(get(server).unwrap().body, b"hi");
            return;
        }
        let test = concat!(module_path!(), "::a_proxy_of_the_environment_is_not_asked");
        let (_, test) = test.split_once("::").unwrap();
        let mut again = Command::new(env::current_exe().unwrap());
        again.args(["--exact", test]).env(AGAIN, "yes");
        for name in ["NO_PROXY", "no_proxy", "REQUEST_METHOD"] {
            again.env_remove(name);
        }
        for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
            again.env(name, "http://127.0.0.1:1");
        }
        let output = again.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
    }

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
                "accept-encoding: gzip, deflate, br, zstd",
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
    fn a_detour_through_a_proxy_is_refused_at_once() {
        let options = NetworkOptions {
            proxy: Some("http://proxy.example:3128".to_owned()),
            connect_to: vec!["a.example:443:127.0.0.1:8443".parse().unwrap()],
            ..NetworkOptions::default()
        };
        assert!(matches!(ReqwestHttp::new(&options), Err(HttpSetupError::DetourByProxy)));
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
    fn more_headers_than_anybody_needs() {
        let many = |count: usize| {
            let headers: String = (0..count).map(|at| format!("X-{at}: {at}\r\n")).collect();
            let head = format!("HTTP/1.1 200 OK\r\n{headers}Content-Length: 2\r\n\r\nhi");
            serve(move |stream| {
                // The client closes before it has read them all.
                let _ = stream.write_all(head.as_bytes());
                until_closed(stream);
            })
            .0
        };
        assert_eq!(get(many(90)).unwrap().headers.len(), 91);
        check_fault(get(many(10_000)), HttpFaultKind::Decode, None);
        // Nor do they end by coming without end.
        let (server, _asked) = serve(|stream| {
            let head = b"HTTP/1.1 200 OK\r\n";
            let _ = stream.write_all(head);
            while stream.write_all(&b"X: x\r\n".repeat(1000)).is_ok() {}
        });
        check_fault(get(server), HttpFaultKind::Decode, None);
    }

    #[test]
    fn header_values_that_are_none() {
        for value in ["a\0b", "a\rb", "a\u{1b}[31mb", "a\u{7f}b"] {
            let answer = format!("HTTP/1.1 200 OK\r\nX: {value}\r\nContent-Length: 2\r\n\r\nhi");
            check_fault(get(bytes(answer)), HttpFaultKind::Decode, None);
        }
        // A line feed ends the header, and what follows is the next one.
        let answer = "HTTP/1.1 200 OK\r\nX: a\nY: b\r\nContent-Length: 2\r\n\r\nhi";
        assert_eq!(get(bytes(answer)).unwrap().headers.len(), 3);
        // Not UTF-8, and not refused: servers of old wrote Latin-1.
        let mut answer = b"HTTP/1.1 200 OK\r\nX: caf\xe9\r\nContent-Length: 2\r\n\r\nhi".to_vec();
        let response = get(bytes(std::mem::take(&mut answer))).unwrap();
        assert_eq!(response.headers[0], ("x".to_owned(), "caf\u{fffd}".to_owned()));
    }

    #[test]
    fn lengths_that_contradict_each_other() {
        for lengths in ["Content-Length: 2\r\nContent-Length: 3", "Content-Length: -1"] {
            let answer = format!("HTTP/1.1 200 OK\r\n{lengths}\r\n\r\nhi!");
            check_fault(get(bytes(answer)), HttpFaultKind::Decode, None);
        }
        // Less than there is: what is over is no part of the answer.
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi, and more";
        assert_eq!(get(bytes(answer)).unwrap().body, b"hi");
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
    fn what_went_wrong_behind_the_head_is_told_with_its_status() {
        let head = "HTTP/1.1 203 Yes\r\n";
        let long = "x".repeat(5000);
        for (rest, kind) in [
            ("Content-Length: 9\r\n\r\nhalf".to_owned(), HttpFaultKind::Truncated),
            ("Transfer-Encoding: chunked\r\n\r\nzz\r\n".to_owned(), HttpFaultKind::Decode),
            ("Content-Encoding: gzip\r\n\r\nnone".to_owned(), HttpFaultKind::Decode),
            ("Content-Encoding: x\r\n\r\nnone".to_owned(), HttpFaultKind::Decode),
            (format!("\r\n{long}"), HttpFaultKind::TooLarge),
        ] {
            let fault = get(bytes(format!("{head}{rest}"))).unwrap_err();
            assert_eq!((fault.kind, fault.status), (kind, Some(203)), "{rest:.40}");
        }
        let fault = hasty(stalls("HTTP/1.1 203 Yes\r\n\r\n")).unwrap_err();
        assert_eq!((fault.kind, fault.status), (HttpFaultKind::Stall, Some(203)));
        for before in ["", "HTTP/1.1 203 Yes\r\nContent-"] {
            assert_eq!(get(bytes(before)).unwrap_err().status, None, "{before}");
        }
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

    /// A proxy that reads one head, says yes, and carries bytes to the server from then on.
    fn tunnel_to(server: SocketAddr) -> (SocketAddr, mpsc::Receiver<String>) {
        serve(move |client| {
            client.write_all(b"HTTP/1.1 200 Established\r\n\r\n").unwrap();
            let mut up = TcpStream::connect(server).unwrap();
            let (mut from, mut to) = (client.try_clone().unwrap(), up.try_clone().unwrap());
            thread::spawn(move || {
                let _ = std::io::copy(&mut from, &mut to);
            });
            let _ = std::io::copy(&mut up, client);
        })
    }

    #[test]
    fn through_a_proxy_the_server_is_still_held_to_its_name() {
        for (name, expected) in [("a.example", Ok(())), ("b.example", Err(HttpFaultKind::Tls))] {
            let (server, pem, seen) = serve_tls(&[name]);
            let (proxy, asked) = tunnel_to(server);
            let options =
                NetworkOptions { proxy: Some(format!("http://me:pass@{proxy}")), ..trusting(pem) };
            let mut request = request("https://a.example:8443/x", &[], PATIENT_MS);
            request.headers = vec![("Authorization".to_owned(), "Bearer t0ken".to_owned())];
            let outcome = send(&options, request);
            assert_eq!(outcome.map(drop).map_err(|fault| fault.kind), expected);
            // The proxy is told where to, and who asks; the request is not its business.
            let head = asked.recv().unwrap().to_ascii_lowercase();
            assert!(head.starts_with("connect a.example:8443 http/1.1\r\n"), "{head}");
            assert!(head.contains("\r\nproxy-authorization: basic "), "{head}");
            assert!(!head.contains("t0ken") && !head.contains("/x"), "{head}");
            if expected.is_ok() {
                assert_eq!(seen.recv().unwrap().as_deref(), Some("a.example"));
            }
        }
    }

    #[test]
    fn a_proxy_may_be_spoken_to_in_secret_and_is_held_to_its_own_name() {
        for (name, expected) in [("127.0.0.1", Ok(())), ("b.example", Err(HttpFaultKind::Tls))] {
            let (proxy, pem, _seen) = serve_tls(&[name]);
            let options =
                NetworkOptions { proxy: Some(format!("https://{proxy}")), ..trusting(pem) };
            let outcome = send(&options, request("http://a.example/", &[], PATIENT_MS));
            assert_eq!(outcome.map(drop).map_err(|fault| fault.kind), expected, "{name}");
        }
    }

    #[test]
    fn a_proxy_that_refuses_is_not_the_answer() {
        for (answer, kind) in [
            ("HTTP/1.1 407 \r\nContent-Length: 0\r\n\r\n", HttpFaultKind::ConnectRefused),
            ("HTTP/1.1 502 \r\nContent-Length: 0\r\n\r\n", HttpFaultKind::ConnectRefused),
        ] {
            let proxy = bytes(answer);
            let options = NetworkOptions {
                proxy: Some(format!("http://{proxy}")),
                ..trusting(serve_tls(&["a.example"]).1)
            };
            let outcome = send(&options, request("https://a.example/", &[], PATIENT_MS));
            check_fault(outcome, kind, None);
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

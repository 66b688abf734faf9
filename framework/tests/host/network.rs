//! The network as a run has it: real sockets on loopback, the default transport, and no exchange
//! that outlives its run.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use serde_json::json;
use tapeline::{
    Canceller, NetworkOptions, Request, TerminalBuilder, async_trait,
    http::{Http, HttpFault, HttpRequest, HttpResponse, ReqwestHttp, Resolver},
};

use crate::{
    commands::{found, open_gate},
    world::{Ran, World, ok, poll_once, wait_until},
};

/// Says what it saw of each connection: what was asked, and then that the client is gone.
struct Server {
    address: SocketAddr,
    saw: mpsc::Receiver<String>,
}

const GONE: &str = "gone";

impl Server {
    /// Answers each connection with these bytes, and then waits for the client to go.
    fn says(answer: &'static [u8]) -> Self {
        Self::does(move |stream| stream.write_all(answer).unwrap())
    }

    fn does(answer: impl Fn(&mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (tell, saw) = mpsc::channel();
        let answer = Arc::new(answer);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, tell, answer) = (stream.unwrap(), tell.clone(), answer.clone());
                thread::spawn(move || {
                    let mut head = Vec::new();
                    let mut byte = [0];
                    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap() == 1 {
                        head.push(byte[0]);
                    }
                    tell.send(String::from_utf8(head).unwrap()).unwrap();
                    answer(&mut stream);
                    // An end in good order or a reset: either way nobody is there any more.
                    let _ = std::io::copy(&mut stream, &mut std::io::sink());
                    let _ = tell.send(GONE.to_owned());
                });
            }
        });
        Self { address, saw }
    }

    /// Leads `a.example` here.
    fn options(&self) -> NetworkOptions {
        let detour = format!("a.example:80:{}", self.address);
        NetworkOptions { connect_to: vec![detour.parse().unwrap()], ..NetworkOptions::default() }
    }

    /// What it saw next.
    #[track_caller]
    fn next(&self) -> String {
        self.saw.recv_timeout(Duration::from_secs(20)).expect("the server sees something")
    }
}

/// A world with the default transport.
fn real(options: NetworkOptions, and: impl FnOnce(TerminalBuilder) -> TerminalBuilder) -> World {
    let transport = Arc::new(ReqwestHttp::new(&options).unwrap());
    World::with(|builder| and(builder.network(options).http(transport)))
}

/// What the host decided, as the tape keeps it.
fn setup_of(world: &World, ran: &Ran) -> String {
    let bytes = world.sink.blob_bytes(&ran.tape().setup.sha256).unwrap();
    String::from_utf8(bytes.to_vec()).unwrap()
}

const FETCH: &str = "fetch --url http://a.example/";

/// Everything a service can do to keep an exchange alive.
fn endless() -> Vec<(&'static str, Server)> {
    let drips = |head: &'static [u8], drop: &'static [u8]| {
        Server::does(move |stream| {
            stream.write_all(head).unwrap();
            while stream.write_all(drop).is_ok() {
                thread::sleep(Duration::from_millis(20));
            }
        })
    };
    vec![
        ("silence", Server::says(b"")),
        ("half a head", Server::says(b"HTTP/1.1 200 OK\r\nX: ")),
        ("half a body", Server::says(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")),
        ("a head drop by drop", drips(b"HTTP/1.1 200 OK\r\nX: ", b"x")),
        ("a body drop by drop", drips(b"HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n", b"x")),
        (
            "a chunked body drop by drop",
            drips(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
        ),
        ("one interim answer after another", drips(b"", b"HTTP/1.1 100 Continue\r\n\r\n")),
    ]
}

#[test]
fn whatever_the_service_does_a_timeout_closes_the_connection() {
    for (name, server) in endless() {
        let world = real(server.options(), |builder| builder);
        let ran = world.start(Request::new(FETCH).timeout_ms(600));
        // The exchange ends a little before the run, which is told so.
        let ran = ran.fails("NetworkError", 69, &["`a.example`"]);
        let fault = ran.result["fault"].as_str().unwrap();
        assert!(["read_timeout", "stall"].contains(&fault), "{name}: {fault}");
        assert!(server.next().starts_with("GET / HTTP/1.1\r\n"), "{name}");
        assert_eq!(server.next(), GONE, "{name}");
    }
}

#[test]
fn whatever_the_service_does_a_cancel_closes_the_connection() {
    for (name, server) in endless() {
        let world = real(server.options(), |builder| builder);
        let run = world.terminal.exec(FETCH);
        let canceller: Canceller = run.canceller();
        let running = thread::spawn(move || run.wait());
        assert!(server.next().starts_with("GET / HTTP/1.1\r\n"), "{name}");
        canceller.cancel();
        let ran = world.ended(running.join().unwrap()).fails("Cancelled", 130, &[]);
        assert!(ran.events().is_empty(), "{name}");
        assert_eq!(server.next(), GONE, "{name}");
    }
}

#[test]
fn whatever_the_service_does_a_dropped_run_closes_the_connection() {
    for (name, server) in endless() {
        let world = real(server.options(), |builder| builder);
        let mut run = world.terminal.exec(FETCH);
        // The connection itself lives in the terminal's runtime, so asking goes on by itself once
        // the run was polled until the head was sent.
        let head = loop {
            assert!(poll_once(&mut run).is_pending(), "{name}");
            match server.saw.recv_timeout(Duration::from_millis(5)) {
                Ok(head) => break head,
                Err(_) => continue,
            }
        };
        assert!(head.starts_with("GET / HTTP/1.1\r\n"), "{name}");
        drop(run);
        assert_eq!(server.next(), GONE, "{name}");
    }
}

#[test]
fn an_exchange_a_command_left_behind_ends_with_its_run() {
    for (name, server) in endless() {
        let world = real(server.options(), |builder| builder);
        let key = server.address.to_string();
        let run = world.terminal.exec(format!("leave --url http://a.example/ --key {key}"));
        let running = thread::spawn(move || run.wait());
        // The command returns when its service has the request.
        assert!(server.next().starts_with("GET / HTTP/1.1\r\n"), "{name}");
        open_gate(&key);
        let ran = world.ended(running.join().unwrap()).ok();
        assert_eq!(server.next(), GONE, "{name}");
        wait_until(|| found(&key).is_some());
        assert_eq!(found(&key).unwrap(), ["Cancelled"], "{name}");
        assert!(ran.events().is_empty(), "{name}");
        // The record that was written is the record that stays.
        assert_eq!(world.sink.records().len(), 1);
    }
}

#[test]
fn a_name_that_never_resolves_ends_with_the_runs_time() {
    struct Never;
    #[async_trait]
    impl Resolver for Never {
        async fn resolve(
            &self,
            _host: &str,
            _port: u16,
            _request: &HttpRequest,
        ) -> Result<Vec<SocketAddr>, HttpFault> {
            std::future::pending().await
        }
    }
    let world = World::with(|builder| builder.resolver(Arc::new(Never)));
    let ran = world.start(Request::new(FETCH).timeout_ms(400));
    let ran = ran.fails("NetworkError", 69, &["does not resolve"]);
    assert_eq!(ran.result["fault"], json!("dns"));
    let run = world.terminal.exec(FETCH);
    run.canceller().cancel();
    world.ended(run.wait()).fails("Cancelled", 130, &[]);
    assert_eq!(world.service.requests(), 0);
}

#[test]
fn a_secret_header_goes_to_the_origin_it_was_set_for_and_never_back_there_from_another() {
    let here =
        Server::says(b"HTTP/1.1 307 \r\nLocation: http://b.example/x\r\nContent-Length: 0\r\n\r\n");
    let there =
        Server::says(b"HTTP/1.1 307 \r\nLocation: //a.example/y\r\nContent-Length: 0\r\n\r\n");
    let mut options = here.options();
    options.connect_to.push(format!("b.example:80:{}", there.address).parse().unwrap());
    let world = real(options, |builder| builder);
    let line = "fetch --url http://a.example/ --token t0ken-t0ken";
    // It is sent in a circle, and that has an end.
    let ran = world.exec(line).fails("NetworkError", 69, &["more than 5 redirects"]);
    // Every exchange got its answer, so there is no fault to name, on the tape or to the caller.
    assert_eq!(ran.result.get("fault"), None);
    assert!(ran.tape().events.iter().all(|event| event.http.as_ref().unwrap().fault.is_none()));
    assert_eq!(ran.events(), ["http"; 6]);
    let asked = |server: &Server| {
        let seen = std::iter::from_fn(|| server.saw.recv_timeout(Duration::from_secs(20)).ok());
        seen.filter(|saw| saw != GONE).take(3).collect::<Vec<_>>()
    };
    let (at_a, at_b) = (asked(&here), asked(&there));
    let secret = |head: &String| head.contains("t0ken-t0ken");
    assert_eq!(at_a.iter().map(secret).collect::<Vec<_>>(), [true, false, false]);
    assert!(!at_b.iter().any(secret), "{at_b:?}");
    assert!(at_b.iter().all(|head| head.to_ascii_lowercase().contains("host: b.example\r\n")));
    assert!(!world.log().contains("t0ken-t0ken"));
}

/// Public at first, loopback whenever it is asked again.
struct Rebinding {
    asked: AtomicUsize,
    second: SocketAddr,
}

#[async_trait]
impl Resolver for Rebinding {
    async fn resolve(
        &self,
        _host: &str,
        port: u16,
        _request: &HttpRequest,
    ) -> Result<Vec<SocketAddr>, HttpFault> {
        match self.asked.fetch_add(1, Ordering::SeqCst) {
            0 => Ok(vec![SocketAddr::from(([93, 184, 215, 14], port))]),
            _ => Ok(vec![self.second]),
        }
    }
}

/// Hands the request to a transport, with what the gateway checked led to a server on loopback:
/// the one thing that stands in for the public network here.
struct Led {
    transport: ReqwestHttp,
    to: SocketAddr,
    connect_to: Mutex<Vec<Vec<SocketAddr>>>,
}

#[async_trait]
impl Http for Led {
    async fn send(&self, mut request: HttpRequest) -> Result<HttpResponse, HttpFault> {
        self.connect_to.lock().unwrap().push(request.connect_to.clone());
        request.connect_to = vec![self.to];
        self.transport.send(request).await
    }
}

#[test]
fn a_name_that_turns_to_loopback_is_looked_up_once_and_refused_at_the_next_hop() {
    let public = Server::says(
        b"HTTP/1.1 302 \r\nLocation: http://a.example/inside\r\nContent-Length: 0\r\n\r\n",
    );
    let inside = Server::says(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret");
    let resolver = Arc::new(Rebinding { asked: AtomicUsize::new(0), second: inside.address });
    let led = Arc::new(Led {
        transport: ReqwestHttp::new(&NetworkOptions::default()).unwrap(),
        to: public.address,
        connect_to: Mutex::default(),
    });
    let world = World::with(|builder| builder.resolver(resolver.clone()).http(led.clone()));
    let ran = world.exec(FETCH).fails("NetworkDenied", 126, &["outside the public network"]);
    assert_eq!(resolver.asked.load(Ordering::SeqCst), 2);
    assert_eq!(*led.connect_to.lock().unwrap(), [["93.184.215.14:80".parse().unwrap()]]);
    assert!(public.next().starts_with("GET / HTTP/1.1\r\n"));
    assert!(inside.saw.try_recv().is_err(), "nobody came inside");
    // Host and record know where it would have led, the caller does not.
    assert_eq!(ran.events(), ["http", "http"]);
    assert!(!ran.envelope.to_json().contains("127.0.0.1"));
    let denied = ran.tape().events[1].http.as_ref().unwrap();
    assert_eq!(denied.resolved, ["127.0.0.1"]);
}

#[test]
fn the_operator_opens_loopback_for_one_pair_or_for_all_that_is_private() {
    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";
    let server = Server::says(answer);
    let url = format!("fetch --url http://{}/", server.address);
    // Nothing but the pair that was named.
    let world = real(server.options(), |builder| builder);
    assert_eq!(world.exec(FETCH).ok().result["body"], json!("hi"));
    world.exec(&url).fails("NetworkDenied", 126, &["public"]);
    // All that is private, and no more.
    let options = NetworkOptions { allow_private: true, ..NetworkOptions::default() };
    let world = real(options, |builder| builder);
    let ran = world.exec(&url).ok();
    assert_eq!(ran.result["body"], json!("hi"));
    let setup = setup_of(&world, &ran);
    assert!(setup.contains(r#""allow_private":true"#), "{setup}");
    for host in ["169.254.169.254", "[fe80::1]", "0.0.0.0", "[64:ff9b::7f00:1]", "[2002:7f00:1::]"]
    {
        let line = format!("fetch --url http://{host}:{}/", server.address.port());
        world.exec(&line).fails("NetworkDenied", 126, &["public"]);
    }
}

#[test]
fn a_proxy_is_told_the_name_and_the_record_that_only_host_rules_held() {
    let proxy = Server::says(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
    let options = NetworkOptions {
        proxy: Some(format!("http://me:hunter2@{}", proxy.address)),
        ..NetworkOptions::default()
    };
    struct Nobody;
    #[async_trait]
    impl Resolver for Nobody {
        async fn resolve(
            &self,
            host: &str,
            _port: u16,
            _request: &HttpRequest,
        ) -> Result<Vec<SocketAddr>, HttpFault> {
            panic!("`{host}` is the proxy's to resolve")
        }
    }
    let world = real(options, |builder| builder.resolver(Arc::new(Nobody)));
    // A name that is private wherever it is known at all.
    let ran = world.exec("fetch --url http://private.example/x --token t0ken-t0ken").ok();
    let head = proxy.next().to_ascii_lowercase();
    assert!(head.starts_with("get http://private.example/x http/1.1\r\n"), "{head}");
    assert!(head.contains("\r\nproxy-authorization: basic "), "{head}");
    assert!(head.contains("\r\nauthorization: bearer t0ken-t0ken\r\n"), "{head}");

    let setup = setup_of(&world, &ran);
    assert!(setup.contains(r#""resolves_itself":true"#), "{setup}");
    assert!(setup.contains(&proxy.address.to_string()) && !setup.contains("hunter2"), "{setup}");
    let exchange = ran.tape().events[0].http.as_ref().unwrap();
    assert!(exchange.resolved.is_empty());
    assert!(!world.log().contains("hunter2"));

    // The rules that need no resolution hold as ever.
    for (url, part) in [
        ("http://169.254.169.254/latest/", "public"),
        ("http://2130706433/", "public"),
        ("ftp://a.example/", "ftp"),
        ("http://u:p@a.example/", "credentials"),
    ] {
        world.exec(&format!("fetch --url {url}")).fails("NetworkDenied", 126, &[part]);
    }
    assert_eq!(proxy.next(), GONE);
    assert!(proxy.saw.try_recv().is_err(), "the proxy was asked once");
}

#[test]
fn a_transport_that_resolves_itself_is_said_to_on_the_record() {
    struct Own;
    #[async_trait]
    impl Http for Own {
        async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpFault> {
            assert!(request.connect_to.is_empty());
            ok("hi")
        }
        fn resolves_itself(&self) -> bool {
            true
        }
    }
    let world = World::with(|builder| builder.http(Arc::new(Own)));
    let ran = world.exec("fetch --url http://private.example/").ok();
    let setup = setup_of(&world, &ran);
    assert!(setup.contains(r#""resolves_itself":true"#), "{setup}");
    world.exec("fetch --url http://10.0.0.1/").fails("NetworkDenied", 126, &["public"]);
    // One that does not is not.
    let world = World::new();
    world.service.answers(200, &[], "hi");
    let ran = world.exec(FETCH).ok();
    assert!(setup_of(&world, &ran).contains(r#""resolves_itself":false"#));
}

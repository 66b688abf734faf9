//! [`Loopback`]: the server itself, its script and its memory.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::answer::Answer;
use super::certificates::{self, Certificates};
use super::connection;
use super::request::Seen;
use super::stop::Stop;

/// A running server on a free port of 127.0.0.1. Dropping it ends its connections, waits for its
/// threads and then gives the port back, so whoever connects later is refused.
#[derive(Debug)]
pub struct Loopback {
    addr: SocketAddr,
    certificates: Option<Certificates>,
    script: Arc<Mutex<Script>>,
    stop: Arc<Stop>,
    acceptor: Option<JoinHandle<()>>,
    /// Held until the threads are gone: a freed port may at once be somebody else's.
    _listener: Arc<TcpListener>,
}

/// What to serve, before it runs. See [`Loopback::builder`].
#[derive(Clone, Debug, Default)]
pub struct Builder {
    tls_hosts: Option<Vec<String>>,
}

impl Builder {
    /// Speaks TLS under a certificate for these hosts, from an authority made for this server.
    #[must_use]
    pub fn tls(mut self, hosts: &[&str]) -> Self {
        self.tls_hosts = Some(hosts.iter().map(|host| (*host).to_owned()).collect());
        self
    }

    /// Binds a free port and starts to serve.
    ///
    /// # Errors
    /// When no port can be bound, no thread started, or a host is no name for a certificate.
    pub fn start(self) -> io::Result<Loopback> {
        let certificates = self.tls_hosts.as_deref().map(certificates::issue).transpose()?;
        let listener = Arc::new(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?);
        let addr = listener.local_addr()?;
        let script = Arc::<Mutex<Script>>::default();
        let stop = Arc::<Stop>::default();
        let acceptor = {
            let tls = certificates.as_ref().map(|certificates| Arc::clone(&certificates.config));
            let (listener, script, stop) =
                (Arc::clone(&listener), Arc::clone(&script), Arc::clone(&stop));
            std::thread::Builder::new()
                .name("loopback".to_owned())
                .spawn(move || accept(&listener, tls.as_ref(), &script, &stop))?
        };
        Ok(Loopback {
            addr,
            certificates,
            script,
            stop,
            acceptor: Some(acceptor),
            _listener: listener,
        })
    }
}

impl Loopback {
    /// Plain HTTP unless [`Builder::tls`] is called.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Scripts an answer for a method and a target, the target with its query and exactly as sent.
    ///
    /// Called again for the same pair, it queues: the first request gets the first answer, and the
    /// last answer stays. What nothing was scripted for is answered 404, and seen all the same.
    pub fn answer(&self, method: &str, target: &str, answer: Answer) {
        let key = (method.to_owned(), target.to_owned());
        lock(&self.script).answers.entry(key).or_default().push_back(answer);
    }

    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The authority's certificate in PEM; `None` without TLS.
    pub fn ca_pem(&self) -> Option<&str> {
        self.certificates.as_ref().map(|certificates| certificates.ca_pem.as_str())
    }

    /// Writes the authority's certificate where `--cacert` can read it.
    ///
    /// # Errors
    /// When the file cannot be written, or the server does not speak TLS.
    pub fn write_ca(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let pem = self.ca_pem().ok_or_else(|| {
            io::Error::new(io::ErrorKind::Unsupported, "a plain server has no certificate")
        })?;
        std::fs::write(path, pem)
    }

    /// The value of `--connect-to` that leads a host and port here: `HOST:PORT:127.0.0.1:PORT`.
    pub fn connect_to(&self, host: &str, port: u16) -> String {
        format!("{host}:{port}:{}", self.addr)
    }

    /// Every request so far, in order of arrival.
    pub fn requests(&self) -> Vec<Seen> {
        lock(&self.script).seen.clone()
    }

    /// How many requests came for a target, by any method.
    pub fn hits(&self, target: &str) -> usize {
        lock(&self.script).seen.iter().filter(|seen| seen.target == target).count()
    }
}

impl Drop for Loopback {
    fn drop(&mut self) {
        self.stop.stop();
        let Some(acceptor) = self.acceptor.take() else {
            return;
        };
        // A blocked accept ends by being given something to accept. The port is still ours, so
        // nobody else is disturbed; again, in case a full backlog refused the first try.
        while !acceptor.is_finished() {
            let _ = TcpStream::connect_timeout(&self.addr, Duration::from_millis(100));
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = acceptor.join();
    }
}

/// What to say, and what was asked.
#[derive(Debug, Default)]
struct Script {
    answers: HashMap<(String, String), VecDeque<Answer>>,
    seen: Vec<Seen>,
}

impl Script {
    fn next(&mut self, seen: &Seen) -> Answer {
        self.seen.push(seen.clone());
        let key = (seen.method.clone(), seen.target.clone());
        let queued = self.answers.get_mut(&key).and_then(|queue| match queue.len() {
            0 | 1 => queue.front().cloned(),
            _ => queue.pop_front(),
        });
        queued.unwrap_or_else(|| {
            Answer::status(404)
                .header("content-type", "text/plain")
                .body(format!("nothing is scripted for {} {}\n", seen.method, seen.target))
        })
    }
}

fn accept(
    listener: &TcpListener,
    tls: Option<&Arc<rustls::ServerConfig>>,
    script: &Arc<Mutex<Script>>,
    stop: &Stop,
) {
    let mut threads: Vec<JoinHandle<()>> = Vec::new();
    while !stop.stopped() {
        let Ok((stream, _)) = listener.accept() else {
            // Out of file handles, or a client that was gone before it was accepted.
            std::thread::sleep(Duration::from_millis(10));
            continue;
        };
        let stream = Arc::new(stream);
        if !stop.admit(&stream) {
            break;
        }
        let (tls, script) = (tls.cloned(), Arc::clone(script));
        threads.retain(|thread| !thread.is_finished());
        // A thread that cannot be started drops its connection: the client sees it closed.
        threads.extend(std::thread::Builder::new().name("loopback connection".to_owned()).spawn(
            move || {
                let answer = |seen: &Seen| lock(&script).next(seen);
                // What a client did wrong shows at the client.
                let _ = connection::serve(&stream, tls.as_ref(), answer);
            },
        ));
    }
    for thread in threads {
        let _ = thread.join();
    }
}

fn lock(script: &Mutex<Script>) -> MutexGuard<'_, Script> {
    script.lock().unwrap_or_else(PoisonError::into_inner)
}

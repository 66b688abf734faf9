//! Names and HTTP answers as they were, found by method, URL and ordinal.

use std::{
    collections::{HashMap, VecDeque},
    net::{IpAddr, SocketAddr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use tapeline::{
    async_trait,
    http::{Http, HttpFault, HttpFaultKind, HttpRequest, HttpResponse, Resolver},
};

use super::{Misses, lock};

/// What one exchange came to.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) at_ms: u64,
    pub(crate) resolved: Vec<IpAddr>,
    pub(crate) outcome: Result<HttpResponse, HttpFault>,
}

type Key = (String, String);

/// Answers each exchange once, in the order recorded for its method and URL.
#[derive(Debug)]
pub(crate) struct TapedNetwork {
    answers: Mutex<Answers>,
    at_ms: Arc<AtomicU64>,
    misses: Misses,
    resolves_itself: bool,
}

#[derive(Debug, Default)]
struct Answers {
    waiting: HashMap<Key, VecDeque<Answer>>,
    /// Taken when the name was resolved, for the exchange that follows.
    claimed: HashMap<Key, Answer>,
}

impl TapedNetwork {
    pub(crate) fn new(
        answers: Vec<(String, String, Answer)>,
        at_ms: Arc<AtomicU64>,
        misses: Misses,
        resolves_itself: bool,
    ) -> Self {
        let mut waiting: HashMap<Key, VecDeque<Answer>> = HashMap::new();
        for (method, url, answer) in answers {
            waiting.entry((method, plain(&url))).or_default().push_back(answer);
        }
        let answers = Mutex::new(Answers { waiting, claimed: HashMap::new() });
        Self { answers, at_ms, misses, resolves_itself }
    }

    /// Answers that nothing asked for, sorted.
    pub(crate) fn unused(&self) -> Vec<String> {
        let answers = lock(&self.answers);
        let mut unused: Vec<String> = answers
            .waiting
            .iter()
            .flat_map(|((method, url), waiting)| {
                waiting.iter().map(move |_| format!("answer to {method} {url}"))
            })
            .collect();
        unused.sort();
        unused
    }

    fn next(&self, request: &HttpRequest) -> Option<Answer> {
        let key = (request.method.clone(), plain(&request.url));
        let answer = lock(&self.answers).waiting.get_mut(&key).and_then(VecDeque::pop_front);
        if let Some(answer) = &answer {
            self.at_ms.fetch_max(answer.at_ms, Ordering::Relaxed);
        }
        answer
    }

    fn miss(&self, request: &HttpRequest) -> HttpFault {
        self.misses.note(format!("answer to {} {}", request.method, plain(&request.url)));
        HttpFault::new(HttpFaultKind::Dns, "not on the tape")
    }
}

#[async_trait]
impl Resolver for TapedNetwork {
    async fn resolve(
        &self,
        _host: &str,
        port: u16,
        request: &HttpRequest,
    ) -> Result<Vec<SocketAddr>, HttpFault> {
        let Some(answer) = self.next(request) else { return Err(self.miss(request)) };
        // A name that led nowhere: it did not resolve, or the time was up before it did.
        if let Err(fault) = &answer.outcome
            && answer.resolved.is_empty()
        {
            return Err(fault.clone());
        }
        let resolved =
            answer.resolved.iter().map(|address| SocketAddr::new(*address, port)).collect();
        let key = (request.method.clone(), plain(&request.url));
        lock(&self.answers).claimed.insert(key, answer);
        Ok(resolved)
    }
}

#[async_trait]
impl Http for TapedNetwork {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpFault> {
        let key = (request.method.clone(), plain(&request.url));
        let claimed = lock(&self.answers).claimed.remove(&key);
        match claimed.or_else(|| self.next(&request)) {
            Some(answer) => answer.outcome,
            None => Err(self.miss(&request)),
        }
    }

    fn resolves_itself(&self) -> bool {
        self.resolves_itself
    }
}

/// A URL with its placeholders spelled one way: a command may have percent-encoded them.
fn plain(url: &str) -> String {
    ["{{secret:", "}}"].iter().fold(url.to_owned(), |url, mark| {
        let encoded: String = mark
            .chars()
            .map(|mark| match mark {
                '{' => "%7B".to_owned(),
                '}' => "%7D".to_owned(),
                ':' => "%3A".to_owned(),
                other => other.to_string(),
            })
            .collect();
        url.replace(&encoded, mark).replace(&encoded.replace("%3A", ":"), mark)
    })
}

//! Names and HTTP answers as they were, found by method, URL and ordinal.

use std::{
    collections::{BTreeSet, HashMap, VecDeque},
    future::poll_fn,
    net::{IpAddr, SocketAddr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    task::Poll,
};

use tapeline::{
    async_trait,
    http::{Http, HttpFault, HttpFaultKind, HttpRequest, HttpResponse, Resolver},
};

use super::{Watch, lock};
use crate::{
    given::{GivenAnswer, Unused},
    miss::{Miss, Misses},
};

/// What one exchange came to.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) at_ms: u64,
    pub(crate) resolved: Vec<IpAddr>,
    pub(crate) outcome: Result<HttpResponse, HttpFault>,
}

/// Method and URL.
type Key = (String, String);

/// Polls that nothing comes of before a request no longer waits for others: the build that is run
/// does not make the ones it waits for.
const PATIENCE: u32 = 64;

/// Answers each exchange once, in the order recorded for its method and URL. Of exchanges under way
/// at once each ends in its turn, as it did when it was recorded.
#[derive(Debug)]
pub(crate) struct TapedNetwork {
    answers: Mutex<Answers>,
    at_ms: Arc<AtomicU64>,
    misses: Misses,
    watch: Watch,
    resolves_itself: bool,
    /// The run was stopped: what is not on the tape may have been under way then.
    stopped: bool,
}

#[derive(Debug, Default)]
struct Answers {
    waiting: HashMap<Key, VecDeque<Taken>>,
    /// Taken when the name was resolved, for the exchange that follows.
    claimed: HashMap<Key, VecDeque<Taken>>,
    /// Turns that have not ended.
    open: BTreeSet<usize>,
}

#[derive(Debug)]
struct Taken {
    /// Place on the tape.
    turn: usize,
    answer: Answer,
}

impl TapedNetwork {
    pub(crate) fn new(
        answers: Vec<GivenAnswer>,
        at_ms: Arc<AtomicU64>,
        misses: Misses,
        watch: Watch,
        resolves_itself: bool,
        stopped: bool,
    ) -> Self {
        let open = (0..answers.len()).collect();
        let mut waiting: HashMap<Key, VecDeque<Taken>> = HashMap::new();
        for (turn, GivenAnswer { method, url, answer }) in answers.into_iter().enumerate() {
            waiting.entry((method, plain(&url))).or_default().push_back(Taken { turn, answer });
        }
        let answers = Mutex::new(Answers { waiting, claimed: HashMap::new(), open });
        Self { answers, at_ms, misses, watch, resolves_itself, stopped }
    }

    /// Answers that nothing asked for.
    pub(crate) fn unused(&self) -> Vec<Unused> {
        let answers = lock(&self.answers);
        // A claimed one was not sent for, and the tape does not say that its address was denied.
        let is_unused = |taken: &&Taken| {
            let fault = taken.answer.outcome.as_ref().err();
            fault.is_none_or(|fault| fault.kind != HttpFaultKind::AddressDenied)
        };
        let waiting = answers.waiting.values().flatten().map(|taken| Unused::Answer(taken.turn));
        let claimed = answers.claimed.values().flatten().filter(is_unused);
        let claimed = claimed.map(|taken| match self.stopped {
            true => Unused::Answer(taken.turn),
            false => Unused::Outcome(taken.turn),
        });
        waiting.chain(claimed).collect()
    }

    fn next(&self, key: &Key) -> Option<Taken> {
        lock(&self.answers).waiting.get_mut(key).and_then(VecDeque::pop_front)
    }

    /// What an exchange came to, once those before it on the tape have ended.
    async fn end(&self, taken: Taken) -> Result<HttpResponse, HttpFault> {
        let Taken { turn, answer } = taken;
        self.wait(|open| open.first().is_none_or(|first| *first >= turn)).await;
        lock(&self.answers).open.remove(&turn);
        self.at_ms.fetch_max(answer.at_ms, Ordering::Relaxed);
        answer.outcome
    }

    /// There is no answer. In a run that was stopped the request may have been under way: then
    /// the stop strikes while it waits here.
    async fn miss(&self, (method, url): &Key) -> HttpFault {
        if self.stopped {
            self.wait(|_| false).await;
        }
        self.misses.note(Miss::Answer { method: method.clone(), url: url.clone() });
        HttpFault::new(HttpFaultKind::Dns, "not on the tape")
    }

    async fn wait(&self, is_over: impl Fn(&BTreeSet<usize>) -> bool) {
        let (mut patience, mut seen) = (PATIENCE, usize::MAX);
        poll_fn(|context| {
            let open = &lock(&self.answers).open;
            if open.len() != seen {
                (patience, seen) = (PATIENCE, open.len());
            }
            if patience == 0 || is_over(open) {
                return Poll::Ready(());
            }
            patience -= 1;
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
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
        let key = key(request);
        self.watch.asked(|| format!("resolution for {} {}", key.0, key.1));
        let Some(taken) = self.next(&key) else { return Err(self.miss(&key).await) };
        let resolved: Vec<SocketAddr> =
            taken.answer.resolved.iter().map(|address| SocketAddr::new(*address, port)).collect();
        match &taken.answer.outcome {
            // A name that led nowhere: it did not resolve, or the time was up before it did.
            Err(_) if resolved.is_empty() => {
                self.end(taken).await?;
            }
            // Ends here, since the gateway sends nothing to such an address.
            Err(fault) if fault.kind == HttpFaultKind::AddressDenied => {
                let again = Taken { turn: taken.turn, answer: taken.answer.clone() };
                lock(&self.answers).claimed.entry(key).or_default().push_back(again);
                let _ = self.end(taken).await;
            }
            Ok(_) | Err(_) => {
                lock(&self.answers).claimed.entry(key).or_default().push_back(taken);
            }
        }
        Ok(resolved)
    }
}

#[async_trait]
impl Http for TapedNetwork {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpFault> {
        let key = key(&request);
        self.watch.asked(|| format!("request {} {}", key.0, key.1));
        let claimed = lock(&self.answers).claimed.get_mut(&key).and_then(VecDeque::pop_front);
        match claimed.or_else(|| self.next(&key)) {
            Some(taken) => self.end(taken).await,
            None => Err(self.miss(&key).await),
        }
    }

    fn resolves_itself(&self) -> bool {
        self.resolves_itself
    }
}

fn key(request: &HttpRequest) -> Key {
    (request.method.clone(), plain(&request.url))
}

/// A text with its placeholders spelled one way: a URL may have percent-encoded them.
pub(crate) fn plain(text: &str) -> String {
    const OPENS: &str = "%7B%7Bsecret";
    const CLOSES: &str = "%7D%7D";

    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(OPENS) {
        let number = after.strip_prefix(':').or_else(|| after.strip_prefix("%3A"));
        let number = number.and_then(|number| number.split_once(CLOSES));
        let is_number =
            |number: &str| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        plain.push_str(before);
        match number {
            Some((number, after)) if is_number(number) => {
                plain.push_str(&format!("{{{{secret:{number}}}}}"));
                rest = after;
            }
            _ => {
                plain.push_str(OPENS);
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    plain
}

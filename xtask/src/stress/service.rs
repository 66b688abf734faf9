//! [`Service`]: what the writers' commands ask, on loopback, in good and in bad moods.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use anyhow::Context;
use fastrand::Rng;
use tapeline_replay::loopback::{Answer, Loopback};
use tempfile::TempDir;

use crate::rates::{HOST, Table, target};

/// A server that lives as long as this does.
pub(super) struct Service {
    server: Arc<Loopback>,
    folder: TempDir,
    over: Arc<AtomicBool>,
    moods: Option<JoinHandle<()>>,
}

impl Service {
    /// One that always answers.
    pub(super) fn steady() -> anyhow::Result<Self> {
        let mut dice = Rng::with_seed(0);
        let server =
            Loopback::builder().tls(&[HOST, FEEDS_HOST]).start().context("start the server")?;
        for asked in ASKED {
            server.answer("GET", &asked.target(), asked.answer(&mut dice));
        }
        let folder = tempfile::tempdir().context("make a folder for the certificate")?;
        server.write_ca(folder.path().join("ca.pem"))?;
        Ok(Self { server: Arc::new(server), folder, over: Arc::default(), moods: None })
    }

    /// One whose next answer is often none.
    pub(super) fn moody(seed: u64) -> anyhow::Result<Self> {
        let mut service = Self::steady()?;
        let (server, over) = (Arc::clone(&service.server), Arc::clone(&service.over));
        let mut dice = Rng::with_seed(seed);
        service.moods = Some(thread::Builder::new().name("moods".to_owned()).spawn(move || {
            let mut seen = [0; ASKED.len()];
            while !over.load(Ordering::Relaxed) {
                for (asked, seen) in ASKED.iter().zip(&mut seen) {
                    // The last answer stays until another is queued behind it.
                    let hits = server.hits(&asked.target());
                    if hits > *seen {
                        *seen = hits;
                        server.answer("GET", &asked.target(), asked.mood(&mut dice));
                    }
                }
                thread::sleep(Duration::from_millis(5));
            }
        })?);
        Ok(service)
    }

    /// The options by which a writer comes here.
    pub(super) fn arguments(&self) -> [String; 4] {
        let ca: PathBuf = self.folder.path().join("ca.pem");
        [
            "--connect-to".to_owned(),
            // Whatever host a line names: none of them is asked for real.
            self.server.connect_to("", 443),
            "--cacert".to_owned(),
            ca.to_string_lossy().into_owned(),
        ]
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(moods) = self.moods.take() {
            let _ = moods.join();
        }
    }
}

/// The feed of the examples of `rss`.
const FEEDS_HOST: &str = "www.washingtonpost.com";
const FEED: &str = "/arcio/rss/category/politics/";

const ASKED: [Asked; 4] =
    [Asked::Rates("CNY"), Asked::Rates("EUR"), Asked::Rates("USD"), Asked::Feed];

/// What is asked for.
#[derive(Clone, Copy)]
enum Asked {
    Rates(&'static str),
    Feed,
}

impl Asked {
    fn target(self) -> String {
        match self {
            Self::Rates(base) => target(base),
            Self::Feed => FEED.to_owned(),
        }
    }

    /// As it should be.
    fn answer(self, dice: &mut Rng) -> Answer {
        match self {
            Self::Rates(base) => table(base, dice),
            Self::Feed => feed(dice),
        }
    }

    fn mood(self, dice: &mut Rng) -> Answer {
        let after = dice.usize(..400);
        match dice.u8(0..16) {
            0 => Answer::status(503),
            1 => Answer::status(429).header("retry-after", "3"),
            2 => Answer::reset_before_head(),
            3 => Answer::close_before_head(),
            4 => self.answer(dice).cut_after(after),
            5 => self.answer(dice).reset_after(after),
            6 => Answer::endless("[1,2,3,"),
            7 => Answer::raw("SSH-2.0-OpenSSH_9.9\r\n"),
            8 => self.answer(dice).header("content-encoding", "gzip"),
            9 => Answer::redirect(302, "https://169.254.169.254/latest/meta-data/"),
            10 => Answer::ok_json("{\"result\":\"error\",\"error-type\":\"quota-reached\"}"),
            // Stalls cost the run its whole time, so they are rare.
            11 if dice.u8(0..20) == 0 => self.answer(dice).stall_after(after),
            12 => Answer::status(304),
            _ => self.answer(dice),
        }
    }
}

/// Now and then one that ends in the middle.
fn feed(dice: &mut Rng) -> Answer {
    let item = |number: u32| {
        format!("<item><title>{number}</title><link>https://a.example/{number}</link></item>")
    };
    let items: String = (0..200).map(|_| item(dice.u32(..))).collect();
    let end = if dice.u8(0..8) == 0 { "" } else { "</channel></rss>" };
    let body = format!("<rss version=\"2.0\"><channel><title>Made up</title>{items}{end}");
    Answer::ok("application/rss+xml", body).header("etag", &format!("\"{}\"", dice.u8(..)))
}

/// A table so long that it is kept as a blob, and another one each time.
fn table(base: &str, dice: &mut Rng) -> Answer {
    let mut rates = vec![("USD".to_owned(), "0.123456".to_owned())];
    for number in 0..250_u32 {
        let letter = |at: u32| char::from(b'A' + u8::try_from(at % 26).unwrap_or_default());
        let code: String = ['X', letter(number / 26), letter(number)].iter().collect();
        rates.push((code, format!("{}.{:06}", dice.u8(..), dice.u32(..1_000_000))));
    }
    let rates: Vec<_> = rates.iter().map(|(code, rate)| (&**code, &**rate)).collect();
    Answer::ok_json(Table::new(base, &rates).body())
}

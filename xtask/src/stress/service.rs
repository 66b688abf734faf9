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
        let server = Loopback::builder().tls(&[HOST]).start().context("start the server")?;
        for base in BASES {
            server.answer("GET", &target(base), table(base, &mut dice));
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
            let mut seen = [0; BASES.len()];
            while !over.load(Ordering::Relaxed) {
                for (base, seen) in BASES.iter().zip(&mut seen) {
                    // The last answer stays until another is queued behind it.
                    let hits = server.hits(&target(base));
                    if hits > *seen {
                        *seen = hits;
                        server.answer("GET", &target(base), mood(base, &mut dice));
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
            self.server.connect_to(HOST, 443),
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

const BASES: [&str; 3] = ["CNY", "EUR", "USD"];

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

fn mood(base: &str, dice: &mut Rng) -> Answer {
    let after = dice.usize(..400);
    match dice.u8(0..16) {
        0 => Answer::status(503),
        1 => Answer::status(429).header("retry-after", "3"),
        2 => Answer::reset_before_head(),
        3 => Answer::close_before_head(),
        4 => table(base, dice).cut_after(after),
        5 => table(base, dice).reset_after(after),
        6 => Answer::endless("[1,2,3,"),
        7 => Answer::raw("SSH-2.0-OpenSSH_9.9\r\n"),
        8 => table(base, dice).header("content-encoding", "gzip"),
        9 => Answer::redirect(302, "https://169.254.169.254/latest/meta-data/"),
        10 => Answer::ok_json("{\"result\":\"error\",\"error-type\":\"quota-reached\"}"),
        // Stalls cost the run its whole time, so they are rare.
        11 if dice.u8(0..20) == 0 => table(base, dice).stall_after(after),
        _ => table(base, dice),
    }
}

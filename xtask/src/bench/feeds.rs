//! `cargo xtask bench feeds`: the whole way from a feed's bytes to its items, against `feed-rs`
//! alone, over the real feeds that both read.
#![expect(clippy::print_stdout, reason = "a task talks to whoever called it")]

use std::{
    env, fs,
    hint::black_box,
    panic::catch_unwind,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use tapeline_commands::rss::feed::{Origin, read};

const ROUNDS: usize = 15;
const URL: &str = "https://feeds.example/feed.xml";

pub(super) fn run() -> anyhow::Result<()> {
    let corpus = env::var_os("TAPELINE_CORPUS").map(PathBuf::from);
    let corpus = corpus.context("set TAPELINE_CORPUS to the folder of real input")?;
    let feeds = read_by_both(&corpus.join("feeds"))?;
    ensure!(!feeds.is_empty(), "no feed in `{}` is read by both", corpus.display());
    let bytes: usize = feeds.iter().map(Vec::len).sum();
    println!("{} feeds, {:.1} MB", feeds.len(), bytes as f64 / 1e6);

    let (mut alone, mut whole) = (Vec::new(), Vec::new());
    // They alternate, so that a slow spell hits both.
    for _ in 0..ROUNDS {
        alone.push(timed(&feeds, |feed| {
            black_box(alone_reads(feed));
        }));
        whole.push(timed(&feeds, |feed| {
            black_box(whole_reads(feed));
        }));
    }
    let speed = |mut times: Vec<Duration>| {
        times.sort_unstable();
        let median = times.get(times.len() / 2).copied().unwrap_or_default();
        bytes as f64 / 1e6 / median.as_secs_f64()
    };
    let (alone, whole) = (speed(alone), speed(whole));
    println!("feed-rs alone         {alone:>7.1} MB/s");
    println!("rss::feed::read       {whole:>7.1} MB/s");
    println!("\nthe whole way ÷ feed-rs alone: {:.2} (at least 0.6)", whole / alone);
    Ok(())
}

fn read_by_both(folder: &Path) -> anyhow::Result<Vec<Vec<u8>>> {
    let entries = fs::read_dir(folder).with_context(|| format!("read `{}`", folder.display()))?;
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<_>>()?;
    paths.retain(|path| path.file_name().is_some_and(|name| name != "reference.json"));
    paths.sort();
    let feeds = paths.iter().map(fs::read).collect::<Result<Vec<_>, _>>()?;
    // It panics on some, and says so on stderr.
    Ok(feeds.into_iter().filter(|feed| alone_reads(feed) > 0 && whole_reads(feed) > 0).collect())
}

fn alone_reads(feed: &[u8]) -> usize {
    let parsed = catch_unwind(|| feed_rs::parser::parse(feed));
    parsed.ok().and_then(Result::ok).map_or(0, |feed| feed.entries.len())
}

fn whole_reads(feed: &[u8]) -> usize {
    let origin = Origin { url: URL, content_type: None };
    read(feed, origin).map_or(0, |feed| feed.items.len())
}

fn timed(feeds: &[Vec<u8>], reads: impl Fn(&[u8])) -> Duration {
    let start = Instant::now();
    for feed in feeds {
        reads(feed);
    }
    start.elapsed()
}

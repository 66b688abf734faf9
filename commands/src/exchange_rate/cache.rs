//! The cache: the last answer for each base, below `.agents/cache/exchange-rate/`.
//!
//! Nothing here fails a run: an entry that cannot be used is a warning and counts as absent, one
//! that cannot be written is a warning. Files are replaced as a whole, so two runs that miss at
//! the same time make two requests and leave one whole entry; a lock would spare one request in a
//! rare case, and make a run wait for another one's network.

use serde::{Deserialize, Serialize};
use tapeline::{Context, ErrorCode, Failure, WorkspacePath};

use super::{currency::Currency, rates::Rates, warning::Warning};

const MINUTE_MS: i64 = 60_000;
/// How far a clock may be behind the service's before it is not trusted.
const MAX_SKEW_MS: i64 = 5 * MINUTE_MS;
/// However late the next update is said to be, an entry does not stay fresh longer than this.
const MAX_FRESH_MS: i64 = 48 * 60 * MINUTE_MS;

/// An answer that was kept, whole and fit for use.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) rates: Rates,
    fetched_at_ms: i64,
}

/// What an entry is worth at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Freshness {
    /// It answers without a request.
    Fresh,
    /// Not expired, by a clock that cannot be right: it answers if nobody else does.
    Doubtful,
    /// It answers, as stale, if nobody else does.
    Expired,
}

/// The file. Its two fields are a promise, and a reader ignores others: a version would be one.
#[derive(Serialize, Deserialize)]
struct File {
    fetched_at_ms: i64,
    /// The answer as received, as one string: re-serialising it would change its numbers.
    body: String,
}

impl Entry {
    pub(super) fn freshness(&self, now_ms: i64) -> Freshness {
        let last_update_ms = self.rates.last_update_ms();
        // A time in the future is of no use as a beginning.
        let begin_ms =
            if self.fetched_at_ms <= now_ms { self.fetched_at_ms } else { last_update_ms };
        let end_ms = self.rates.next_update_ms().min(begin_ms.saturating_add(MAX_FRESH_MS));
        if now_ms >= end_ms {
            Freshness::Expired
        } else if now_ms < last_update_ms.saturating_sub(MAX_SKEW_MS) {
            Freshness::Doubtful
        } else {
            Freshness::Fresh
        }
    }
}

/// The entry of `base`, if there is one; the rates of `used` in it are fit for use.
pub(super) fn read(
    door: &Context,
    base: &Currency,
    used: &[Currency],
) -> Result<Option<Entry>, Warning> {
    let content = door.workspace().and_then(|files| files.read(&path(base)?));
    match content {
        Ok(content) => match parse(base, used, &content) {
            Ok(entry) => Ok(Some(entry)),
            Err(why) => Err(Warning::cache_read(base, &why)),
        },
        Err(failure) if failure.code() == ErrorCode::NOT_FOUND => Ok(None),
        Err(failure) => Err(Warning::cache_read(base, failure.message())),
    }
}

/// Keeps an answer that came in at `now_ms`.
pub(super) fn write(door: &Context, rates: &Rates, now_ms: i64) -> Result<(), Warning> {
    let file = File { fetched_at_ms: now_ms, body: rates.body().to_owned() };
    let written = door.workspace().and_then(|files| {
        let content = serde_json::to_vec(&file)
            .map_err(|error| Failure::new(ErrorCode::INTERNAL, error.to_string()))?;
        files.write(&path(rates.base())?, &content)
    });
    match written {
        Ok(_) => Ok(()),
        Err(failure) => Err(Warning::cache_write(rates.base(), &failure)),
    }
}

/// Three letters can be a name that some file systems reserve, such as `CON`: no place then.
fn path(base: &Currency) -> Result<WorkspacePath, Failure> {
    format!("cache/exchange-rate/{base}.json")
        .parse::<WorkspacePath>()
        .map_err(|escape| Failure::new(ErrorCode::PATH_ESCAPES_AGENTS_ROOT, escape.to_string()))
}

fn parse(base: &Currency, used: &[Currency], content: &[u8]) -> Result<Entry, String> {
    let file: File =
        serde_json::from_slice(content).map_err(|_| "the file is not whole".to_owned())?;
    let rates = Rates::parse(base, file.body).and_then(|rates| {
        rates.check(used)?;
        Ok(rates)
    });
    match rates {
        Ok(rates) => Ok(Entry { rates, fetched_at_ms: file.fetched_at_ms }),
        Err(failure) => Err(failure.message().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR_MS: i64 = 60 * MINUTE_MS;
    const UPDATE_MS: i64 = 1_700_000_000_000;

    fn body(next_update_unix: i64) -> String {
        format!(
            r#"{{"result":"success","base_code":"CNY","rates":{{"CNY":1,"USD":0.25,"EUR":0}},
            "time_last_update_unix":1700000000,"time_last_update_utc":"then",
            "time_next_update_unix":{next_update_unix},"time_next_update_utc":"soon"}}"#
        )
    }

    fn entry(fetched_at_ms: i64, next_update_ms: i64) -> Entry {
        let rates = Rates::parse(&"CNY".parse().unwrap(), body(next_update_ms / 1000)).unwrap();
        Entry { rates, fetched_at_ms }
    }

    #[test]
    fn is_fresh_until_the_next_update() {
        let entry = entry(UPDATE_MS + HOUR_MS, UPDATE_MS + 24 * HOUR_MS);
        assert_eq!(entry.freshness(UPDATE_MS + HOUR_MS), Freshness::Fresh);
        assert_eq!(entry.freshness(UPDATE_MS + 24 * HOUR_MS - 1), Freshness::Fresh);
        assert_eq!(entry.freshness(UPDATE_MS + 24 * HOUR_MS), Freshness::Expired);
        assert_eq!(entry.freshness(UPDATE_MS + 365 * 24 * HOUR_MS), Freshness::Expired);
    }

    #[test]
    fn is_doubtful_to_a_clock_that_is_behind() {
        let entry = entry(UPDATE_MS, UPDATE_MS + 24 * HOUR_MS);
        assert_eq!(entry.freshness(UPDATE_MS - MAX_SKEW_MS), Freshness::Fresh);
        assert_eq!(entry.freshness(UPDATE_MS - MAX_SKEW_MS - 1), Freshness::Doubtful);
    }

    #[test]
    fn is_never_fresh_for_more_than_two_days() {
        let year = UPDATE_MS + 365 * 24 * HOUR_MS;
        let entry_of_today = entry(UPDATE_MS, year);
        assert_eq!(entry_of_today.freshness(UPDATE_MS + 48 * HOUR_MS - 1), Freshness::Fresh);
        assert_eq!(entry_of_today.freshness(UPDATE_MS + 48 * HOUR_MS), Freshness::Expired);
        // Written by a clock that ran ahead: the service's own time counts instead.
        let entry_of_the_future = entry(year - 1, year);
        assert_eq!(entry_of_the_future.freshness(UPDATE_MS + 47 * HOUR_MS), Freshness::Fresh);
        assert_eq!(entry_of_the_future.freshness(UPDATE_MS + 48 * HOUR_MS), Freshness::Expired);
    }

    #[test]
    fn extreme_times_do_not_overflow() {
        for fetched_at_ms in [i64::MIN, 0, i64::MAX] {
            for next_update_ms in [i64::MIN, 0, i64::MAX] {
                for now_ms in [i64::MIN, 0, i64::MAX] {
                    entry(fetched_at_ms, next_update_ms).freshness(now_ms);
                }
            }
        }
    }

    #[test]
    fn a_file_gives_back_what_was_kept() {
        let base = "CNY".parse().unwrap();
        let file = File { fetched_at_ms: 7, body: body(1_700_086_400) };
        let content = serde_json::to_vec(&file).unwrap();
        let entry = parse(&base, &["USD".parse().unwrap()], &content).unwrap();
        assert_eq!(entry.fetched_at_ms, 7);
        assert_eq!(entry.rates.body(), file.body);
        assert!(parse(&"USD".parse().unwrap(), &[], &content).is_err());
        assert!(parse(&base, &["EUR".parse().unwrap()], &content).is_err(), "a rate of 0");
        for end in 0..content.len() {
            assert!(parse(&base, &[], &content[..end]).is_err(), "cut at {end}");
        }
    }
}

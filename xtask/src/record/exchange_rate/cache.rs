//! The cache of `exchange-rate`: when it spares a request, when it stands in, when it is in the way.

use tapeline_replay::loopback::Answer;

use super::{CONVERT, LATEST, scenario};
use crate::rates::{Table, cny};
use crate::record::scenario::{Provider, Scenario};

const ENTRY: &str = "cache/exchange-rate/CNY.json";
const YEAR: i64 = 365 * 24;

pub(super) fn scenarios() -> Vec<Scenario> {
    let mut scenarios = fresh();
    scenarios.extend(standing_in());
    scenarios.extend(in_the_way());
    scenarios
}

fn fresh() -> Vec<Scenario> {
    vec![
        scenario("convert-from-cache", "kept rates answer without a request")
            .line(CONVERT)
            .kept(&cny(), 1)
            .shows("/result/cached", true)
            .shows("/result/stale", false),
        scenario("latest-from-cache", "kept rates are shown without a request")
            .line(LATEST)
            .kept(&cny(), 1)
            .shows("/result/cached", true),
        scenario("cache-skipped", "`--no-cache` asks though the kept rates are fresh")
            .line(format!("{CONVERT} --no-cache"))
            .kept(&Table::new("CNY", &[("USD", "0.5")]), 1)
            .rates(&cny())
            .shows("/result/cached", false)
            .shows("/result/rate", "0.123456"),
        scenario("cache-expired", "rates past their time are asked for again")
            .line(CONVERT)
            .kept(&Table::new("CNY", &[("USD", "0.5")]).updated(30), 29)
            .rates(&cny())
            .shows("/result/cached", false)
            .shows("/result/rate", "0.123456"),
        scenario("cache-older-than-two-days", "no entry is fresh for more than 48 hours")
            .line(CONVERT)
            .kept(&cny().updated(50).due(24), 49)
            .rates(&cny())
            .shows("/result/cached", false),
        scenario("cache-from-the-future", "an update after now: the clock is not to be trusted")
            .line(CONVERT)
            .kept(&cny().updated(-1), 0)
            .rates(&cny())
            .shows("/result/cached", false),
        scenario("cache-fetched-in-the-future", "an entry of a clock that ran ahead is fresh")
            .line(CONVERT)
            .kept(&cny(), -2)
            .shows("/result/cached", true),
        scenario("cache-of-an-ending-service", "the end of the service is told from the cache too")
            .line(CONVERT)
            .kept(&cny().end_of_life(2_208_988_800), 1)
            .shows("/result/warnings/0/code", "EndOfLife")
            .shows("/result/warnings/0/time_eol_unix", 2_208_988_800_u32),
    ]
}

fn standing_in() -> Vec<Scenario> {
    let expired = |case, title| scenario(case, title).kept(&cny().updated(30), 29);
    let skipped =
        |case, title| scenario(case, title).line(format!("{CONVERT} --no-cache")).kept(&cny(), 1);
    vec![
        expired("stale-rates", "rates past their time answer where nobody else does")
            .line(CONVERT)
            .shows("/result/stale", true)
            .shows("/result/warnings/0/code", "StaleRates"),
        expired("latest-stale-rates", "a table past its time is shown as such")
            .line(LATEST)
            .shows("/result/stale", true)
            .shows("/result/warnings/0/code", "StaleRates"),
        expired("stale-rates-after-503", "a service out of order counts as no answer")
            .line(CONVERT)
            .answer("CNY", Answer::status(503))
            .shows("/result/stale", true),
        expired("stale-rates-after-429", "a service that wants a pause counts as no answer")
            .line(CONVERT)
            .answer("CNY", Answer::status(429))
            .shows("/result/stale", true),
        expired("stale-rates-after-a-web-page", "an answer that is no JSON counts as no answer")
            .line(CONVERT)
            .answer("CNY", Answer::ok("text/html", "<html><h1>Busy</h1></html>"))
            .shows("/result/stale", true),
        expired("stale-rates-after-a-stall", "time is left for the cache")
            .line(CONVERT)
            .answer("CNY", Answer::stall_before_head())
            .timeout_ms(600)
            .shows("/result/stale", true),
        expired("no-stale-rates-after-404", "a service that says no has answered")
            .line(CONVERT)
            .answer("CNY", Answer::status(404))
            .fails("RemoteHttpError"),
        scenario("stale-rates-of-a-year-ago", "by a clock a year ahead all is old")
            .line(CONVERT)
            .kept(&cny().updated(YEAR), YEAR - 1)
            .shows("/result/stale", true)
            .shows("/result/warnings/0/code", "StaleRates"),
        scenario("cache-older-than-two-days-stale", "an entry of 49 hours answers as stale")
            .line(CONVERT)
            .kept(&cny().updated(50).due(24), 49)
            .shows("/result/stale", true),
        scenario("cache-from-the-future-unanswered", "rates of a doubtful time are not stale")
            .line(CONVERT)
            .kept(&cny().updated(-1), 0)
            .shows("/result/cached", true)
            .shows("/result/stale", false),
        skipped("cache-skipped-unanswered", "fresh rates stand in for a service that is down")
            .shows("/result/cached", true)
            .shows("/result/stale", false),
        skipped("cache-skipped-after-503", "fresh rates stand in for a service out of order")
            .answer("CNY", Answer::status(503))
            .shows("/result/cached", true),
        skipped("cache-skipped-unresolved", "fresh rates stand in where no name resolves")
            .provider(Provider::Unresolved)
            .shows("/result/cached", true),
        scenario("nothing-kept", "no answer and no kept rates")
            .line(CONVERT)
            .fails("NetworkError")
            .shows("/result/fault", "connect_refused"),
    ]
}

fn in_the_way() -> Vec<Scenario> {
    let cut = cny().kept(1);
    let cut = cut.get(..cut.len() / 2).unwrap_or_default();
    vec![
        scenario("cache-entry-cut", "half an entry counts as none and is replaced")
            .line(CONVERT)
            .file(ENTRY, cut)
            .rates(&cny())
            .shows("/result/cached", false)
            .shows("/result/warnings/0/code", "CacheReadError"),
        scenario("cache-entry-cut-unanswered", "half an entry is no answer")
            .line(CONVERT)
            .file(ENTRY, cut)
            .fails("NetworkError"),
        scenario("cache-entry-empty", "an empty entry counts as none")
            .line(CONVERT)
            .file(ENTRY, "")
            .rates(&cny())
            .shows("/result/warnings/0/code", "CacheReadError"),
        scenario("cache-entry-of-another-base", "an entry under a wrong name counts as none")
            .line(CONVERT)
            .file(ENTRY, Table::new("EUR", &[("USD", "1.11")]).kept(1))
            .rates(&cny())
            .shows("/result/rate", "0.123456")
            .shows("/result/warnings/0/code", "CacheReadError"),
        scenario("cache-entry-is-a-folder", "a folder in the place of the entry")
            .line(CONVERT)
            .file(&format!("{ENTRY}/in-the-way"), "")
            .rates(&cny())
            .shows("/result/warnings/0/code", "CacheReadError")
            .shows("/result/warnings/1/code", "CacheWriteError"),
        scenario("cache-is-a-file", "a file in the place of the cache's folder")
            .line(CONVERT)
            .file("cache", "a file in the way\n")
            .rates(&cny())
            .shows("/result/cached", false)
            .shows("/result/warnings/1/code", "CacheWriteError"),
        scenario("cache-name-reserved", "a code that no file may be named after is not kept")
            .line("exchange-rate latest --base CON --symbols USD")
            .rates(&Table::new("CON", &[("USD", "0.125")]))
            .shows("/result/warnings/0/code", "CacheReadError")
            .shows("/result/warnings/1/code", "CacheWriteError"),
    ]
}

//! The way to a table of rates: a fresh cache entry, else the service, else what the cache has.

use tapeline::{Context, Failure};

use super::{
    age::Age,
    cache::{self, Entry, Freshness},
    currency::Currency,
    rates::Rates,
    upstream,
    warning::Warning,
};

/// Whether a fresh cache entry spares the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CacheUse {
    /// It does.
    First,
    /// It does not: the cache only stands in for a service that does not answer.
    Fallback,
}

impl CacheUse {
    pub(super) fn from_flag(no_cache: bool) -> Self {
        if no_cache { Self::Fallback } else { Self::First }
    }
}

/// A table of rates and how it was come by.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) rates: Rates,
    /// No request was answered.
    pub(super) cached: bool,
    /// The table is past its time.
    pub(super) stale: bool,
    pub(super) age: Age,
    pub(super) warnings: Vec<Warning>,
}

impl Found {
    /// Where the table is from, as the end of a line about its age.
    pub(super) fn origin(&self) -> &'static str {
        match (self.cached, self.stale) {
            (false, _) => "",
            (true, false) => ", from the cache",
            (true, true) => ", from the cache and out of date",
        }
    }
}

/// Finds the rates of `base`, those of `used` fit for use. Warnings also go to stderr.
///
/// # Errors
/// Those of [`upstream::ERROR_CODES`] but `UnknownCurrency`, and the door's.
pub(super) async fn look_up(
    door: &Context,
    base: &Currency,
    used: &[Currency],
    cache_use: CacheUse,
) -> Result<Found, Failure> {
    let mut warnings = Vec::new();
    let mut kept = None;
    if cache_use == CacheUse::First {
        kept = read_cache(door, base, used, &mut warnings);
        if let Some(entry) = kept.take_if(|entry| freshness(door, entry) == Freshness::Fresh) {
            return Ok(found(door, entry.rates, Source::Cache, warnings));
        }
    }
    let unanswered = match upstream::fetch(door, base, used).await {
        Ok(rates) => {
            if let Err(warning) = cache::write(door, &rates, door.clock().now_ms()) {
                warn(door, &mut warnings, warning);
            }
            return Ok(found(door, rates, Source::Service, warnings));
        }
        Err(unanswered) => unanswered,
    };
    if !unanswered.passing {
        return Err(unanswered.failure);
    }
    if cache_use == CacheUse::Fallback {
        kept = read_cache(door, base, used, &mut warnings);
    }
    let Some(entry) = kept else {
        return Err(unanswered.failure);
    };
    let source = match freshness(door, &entry) {
        Freshness::Fresh | Freshness::Doubtful => {
            let why = unanswered.failure.message();
            door.stderr().line(&format!("the rates are from the cache, no answer: {why}"));
            Source::Cache
        }
        Freshness::Expired => {
            let age = entry.rates.age(door.clock().now_ms());
            warn(door, &mut warnings, Warning::stale(base, age, &unanswered.failure));
            Source::ExpiredCache
        }
    };
    Ok(found(door, entry.rates, source, warnings))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Service,
    Cache,
    ExpiredCache,
}

fn found(door: &Context, rates: Rates, source: Source, mut warnings: Vec<Warning>) -> Found {
    if let Some(end_unix) = rates.end_of_life_unix() {
        warn(door, &mut warnings, Warning::end_of_life(end_unix));
    }
    Found {
        age: rates.age(door.clock().now_ms()),
        rates,
        cached: source != Source::Service,
        stale: source == Source::ExpiredCache,
        warnings,
    }
}

fn read_cache(
    door: &Context,
    base: &Currency,
    used: &[Currency],
    warnings: &mut Vec<Warning>,
) -> Option<Entry> {
    cache::read(door, base, used).unwrap_or_else(|warning| {
        warn(door, warnings, warning);
        None
    })
}

fn freshness(door: &Context, entry: &Entry) -> Freshness {
    entry.freshness(door.clock().now_ms())
}

/// Said on stderr at once: a run that fails after it has no `result.warnings`.
pub(super) fn warn(door: &Context, warnings: &mut Vec<Warning>, warning: Warning) {
    door.stderr().line(&format!("warning: {}", warning.message));
    warnings.push(warning);
}

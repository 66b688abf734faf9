//! `exchange-rate`: daily rates and conversion, from a public service that needs no key.
//!
//! The service is asked as seldom as its data changes: [`lookup`] takes a table of rates from the
//! [`cache`] while it is fresh, from [`upstream`] else, and falls back to the cache when nobody
//! answers. Numbers are decimals from the first digit to the last; no binary float is involved.
//!
//! The provider's terms ask for attribution and forbid redistribution: no answer of theirs may
//! stand in this repository. Tests and cases use made-up numbers in the real shape.

mod convert;
mod latest;

mod lookup;

mod cache;
mod rates;
mod retry_after;
mod upstream;

mod age;
mod amount;
mod currency;
mod exact;
mod warning;
mod wide;

use tapeline::{Group, Registration};

/// All that is registered here.
pub(crate) const REGISTRATIONS: &[Registration] =
    &[GROUP_REGISTRATION, convert::REGISTRATION, latest::REGISTRATION];

const GROUP_REGISTRATION: Registration = tapeline::group(GROUP);

tapeline::inventory::submit! { GROUP_REGISTRATION }

const GROUP: Group = Group {
    path: "exchange-rate",
    summary: "latest exchange rates and conversion, without an API key",
    long_help: "\
Rates come from open.er-api.com, which publishes a new table about once a day: they are no
real-time rates, and no basis for trading. A table is kept in `.agents/cache/exchange-rate/` until
the next one is due, so most lines make no request.

Currencies are named by their three-letter codes (`USD`, `CNY`), in upper or lower case. Symbols
such as a dollar sign are no codes.",
};

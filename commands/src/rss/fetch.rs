//! `rss fetch`: the items of a feed.

use std::{
    fmt::Write as _,
    panic::{AssertUnwindSafe, catch_unwind},
};

use serde::Serialize;
use tapeline::{
    Capabilities, Command, Context, ErrorCode, Failure, Limits, NetworkScope, Out, Registration,
    Spec, WorkspacePath, async_trait, clap,
    http::{Request, Response},
};

use super::{
    answer::{self, Answer, Condition},
    asked::{Asked, Learned},
    feed::{self, Feed, Format, Item, Origin, Unreadable, Warning},
    feed_url::FeedUrl,
    fetch_state::Validators,
    files::Files,
    name::Name,
    text,
};

pub(super) const REGISTRATION: Registration = tapeline::registration::<Fetch>();

tapeline::inventory::submit! { REGISTRATION }

/// The largest feed that is read, decoded: one that is a bomb is cut while it streams.
const MAX_BODY_BYTES: u64 = 2 << 20;

/// Feeds by their own names first, then what feeds are often called; a server that looks at none of
/// it is not turned away.
const ACCEPT: &str = "application/rss+xml, application/atom+xml, application/feed+json, \
    application/rdf+xml, application/xml;q=0.9, text/xml;q=0.9, application/json;q=0.8, */*;q=0.1";

#[derive(Default)]
struct Fetch;

#[derive(clap::Args, Serialize)]
struct FetchArgs {
    #[command(flatten)]
    #[serde(flatten)]
    source: Source,

    /// Show so many items at most, 1 to 500.
    #[arg(
        long,
        value_name = "K",
        default_value_t = 20,
        allow_negative_numbers = true,
        value_parser = text::parse_count
    )]
    max_items: u16,

    #[command(flatten)]
    #[serde(flatten)]
    out: Out,

    /// Write the feed as received to this file in the workspace.
    #[arg(long, value_name = "PATH", group = Out::FILES)]
    raw_out: Option<WorkspacePath>,

    /// Ask for the whole feed, and during a pause that the server asked for, too.
    #[arg(long)]
    force: bool,
}

#[derive(clap::Args, Serialize)]
#[group(id = "rss-fetch-source", required = true, multiple = false)]
struct Source {
    /// A subscription's name.
    #[arg(long, value_name = "NAME")]
    name: Option<Name>,

    /// The URL of a feed; nothing is remembered of it.
    #[arg(long, value_name = "URL")]
    url: Option<FeedUrl>,
}

#[derive(Serialize)]
struct FetchOutput {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<Name>,
    url: FeedUrl,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// `null` for an answer without a feed in it.
    format: Option<Format>,
    count_total: usize,
    count_emitted: usize,
    items: Vec<Row>,
    not_modified: bool,
    /// The feed ends in the middle.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    partial: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    out: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw_out: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moved_to: Option<String>,
    warnings: Vec<Warning>,
}

/// An item in brief.
#[derive(Serialize)]
struct Row {
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    published_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<String>,
}

#[async_trait]
impl Command for Fetch {
    type Args = FetchArgs;
    type Output = FetchOutput;

    fn spec() -> Spec {
        Spec::new("rss fetch", "the items of a feed: by subscription, or by URL")
            .long_help(
                "\
Reads RSS 0.90 to 2.0, RDF, Atom and JSON Feed in any common encoding. Feeds are often damaged:
what was mended is said in `warnings`, and a feed that ends in the middle gives the items before
that with `partial: true`. A date that cannot be read without doubt is given as in the feed.

`items` has title, date and link of the first `--max-items`. `--out` writes all items to a file as
a JSON array, whole: with author, summary, categories, enclosures and content. `--raw-out` keeps the
feed as received. `--overwrite` counts for both files.

With `--name` the server is asked only for what has changed since the last fetch: if nothing has,
the answer is `not_modified: true` and no items. `--out`, `--raw-out` and `--force` ask for the
whole feed. A server that asks for a pause (`Retry-After`) is not asked again before its end
(`RateLimited`), unless with `--force`. A feed that has moved for good is followed, and `moved_to`
says where it is: the subscription is left alone.

A page of HTML is no feed (`ParseError`), but may name some: `discovered` lists them. A feed may
have 2 MiB, has to come within 15 s, and may send on five times.",
            )
            .example("rss fetch --name wapo-politics --max-items 20", "what is new in a subscription")
            .example(
                "rss fetch --name wapo-politics --max-items 100 --out artifacts/rss/wapo-politics-items.json",
                "all items, whole, in a file",
            )
            .example(
                "rss fetch --url https://www.washingtonpost.com/arcio/rss/category/politics/ --max-items 20",
                "a feed without a subscription",
            )
            .capabilities(
                Capabilities::none().read_files().write_files().network(NetworkScope::AnyPublic),
            )
            .limits(Limits { http_body_bytes: MAX_BODY_BYTES, ..Limits::UNBOUNDED })
            .error_codes(&[
                ErrorCode::NOT_FOUND,
                ErrorCode::NETWORK_ERROR,
                ErrorCode::HTTP_ERROR,
                ErrorCode::RATE_LIMITED,
                ErrorCode::PARSE_ERROR,
                ErrorCode::STATE_CORRUPT,
            ])
    }

    async fn run(&self, args: FetchArgs, door: &Context) -> Result<FetchOutput, Failure> {
        Files::check(&args.out, args.raw_out.as_ref())?;
        let asked = match &args.source {
            Source { name: Some(name), .. } => Asked::by_name(name, door).await?,
            Source { url: Some(url), .. } => Asked::by_url(url.clone()),
            Source { name: None, url: None } => {
                let message = "neither `--name` nor `--url` is given: a bug in the command";
                return Err(Failure::new(ErrorCode::INTERNAL, message));
            }
        };
        if !args.force {
            asked.check_pause(door.clock().now_ms())?;
        }
        let files = Files::open(&args.out, args.raw_out.as_ref(), door).await?;
        let is_whole = args.force || !files.is_empty();
        let validators = match is_whole {
            true => Validators::default(),
            false => asked.validators(),
        };
        let mut request = Request::get(asked.url.as_str()).header("accept", ACCEPT);
        let mut condition = Condition::None;
        for (name, value) in validators.headers() {
            request = request.header(name, value);
            condition = Condition::Sent;
        }
        let response = match door.http()?.send(request).await {
            Ok(response) => response,
            Err(failure) => {
                if let Some(status) = answer::status_of(&failure) {
                    let learned = asked.learned_of_broken(status, door.clock().now_ms());
                    keep(door, &asked, learned).await;
                }
                return Err(failure);
            }
        };

        let now_ms = door.clock().now_ms();
        let pause_ms = answer::pause_ms(&response, now_ms);
        let mut learned = Learned {
            status: response.status,
            now_ms,
            not_before_ms: pause_ms.map(|pause_ms| now_ms.saturating_add_unsigned(pause_ms)),
            validators: None,
        };
        let output = match answer::of(&response, condition, pause_ms) {
            Ok(Answer::Body) => {
                let fresh = Validators::of(&response);
                let output = read(door, &args, &asked, files, response).await;
                // Of a feed that was cut off, the missing items would never be asked for again.
                learned.validators =
                    output.as_ref().is_ok_and(|output| !output.partial).then_some(fresh);
                output
            }
            Ok(Answer::NotModified) => {
                learned.validators = Some(validators.refreshed(Validators::of(&response)));
                Ok(not_modified(&asked, &response, door))
            }
            Err(failure) => Err(failure),
        };
        // Last: validators of items that reached nobody would keep them from the next caller, too.
        let unwritten = keep(door, &asked, learned).await;
        output.map(|mut output| {
            output.warnings.extend(unwritten);
            output
        })
    }
}

/// Keeps what an answer taught; the warning where that fails, which is said already.
async fn keep(door: &Context, asked: &Asked, learned: Learned) -> Option<Warning> {
    let why = asked.remember(door, learned).await.err()?;
    let warning = Warning {
        code: "StateNotWritten",
        message: format!("what was learned of the feed is not kept: {why}"),
    };
    warn(door, &warning);
    Some(warning)
}

/// Reads the feed in an answer, and writes it down where that was asked for.
///
/// # Errors
/// `ParseError`, and the door's.
async fn read(
    door: &Context,
    args: &FetchArgs,
    asked: &Asked,
    files: Files,
    response: Response,
) -> Result<FetchOutput, Failure> {
    let (response, feed) = parse(door, response).await?;
    let feed = feed.map_err(|why| {
        why.discovered.iter().for_each(|feed| door.scrub_url(&feed.url));
        answer::parse_error(&response, &why)
    })?;
    let (out, raw_out) = files.write(asked.label(), &feed, &response)?;
    for warning in &feed.warnings {
        warn(door, warning);
    }
    let most = usize::from(args.max_items);
    let shown = feed.items.get(..most).unwrap_or(&feed.items);
    let output = FetchOutput {
        name: asked.name().cloned(),
        url: asked.url.clone(),
        format: Some(feed.format),
        count_total: feed.items.len(),
        count_emitted: shown.len(),
        items: shown.iter().map(Row::of).collect(),
        not_modified: false,
        partial: feed.partial,
        out,
        raw_out,
        moved_to: moved_to(asked, &response),
        title: feed.title,
        warnings: feed.warnings,
    };
    let title = output.title.as_deref().unwrap_or(asked.label());
    door.stdout().line(title);
    door.stdout().text(&text::items(shown));
    door.stdout().text(&summary(&output));
    door.stdout().text(&moved(asked, &output));
    Ok(output)
}

/// Looks for the feed on a thread of its own, since it takes a while and goes deep.
async fn parse(
    door: &Context,
    response: Response,
) -> Result<(Response, Result<Feed, Unreadable>), Failure> {
    const STACK_BYTES: usize = 8 << 20;
    door.worker(STACK_BYTES, move |_| {
        let feed = catch_unwind(AssertUnwindSafe(|| {
            let origin =
                Origin { url: &response.url, content_type: response.header("content-type") };
            feed::read(&response.body, origin)
        }));
        // What a stranger sent is no fault of the run's.
        let feed = feed.unwrap_or_else(|_| {
            Err(Unreadable {
                message: "the parser gave up on it".to_owned(),
                line: None,
                column: None,
                discovered: Vec::new(),
            })
        });
        (response, feed)
    })
    .await
}

/// The result of an answer without a body.
fn not_modified(asked: &Asked, response: &Response, door: &Context) -> FetchOutput {
    let label = asked.label();
    door.stdout().line(&format!(
        "{label}: nothing new since its items were last fetched; `--force` shows them again"
    ));
    let output = FetchOutput {
        name: asked.name().cloned(),
        url: asked.url.clone(),
        title: None,
        format: None,
        count_total: 0,
        count_emitted: 0,
        items: Vec::new(),
        not_modified: true,
        partial: false,
        out: None,
        raw_out: None,
        moved_to: moved_to(asked, response),
        warnings: Vec::new(),
    };
    door.stdout().text(&moved(asked, &output));
    output
}

fn moved_to(asked: &Asked, response: &Response) -> Option<String> {
    let moved_to = answer::moved_to(response)?;
    (!asked.url.is_same_place(moved_to)).then(|| moved_to.to_owned())
}

/// What people are told of a move.
fn moved(asked: &Asked, output: &FetchOutput) -> String {
    match (&output.moved_to, asked.name()) {
        (Some(url), Some(_)) => {
            format!("the feed has moved for good, `rss add` follows it: {url}\n")
        }
        (Some(url), None) => format!("the feed has moved for good: {url}\n"),
        (None, _) => String::new(),
    }
}

/// The lines below the items: how many there are, and where the others are.
fn summary(output: &FetchOutput) -> String {
    let items = text::count(output.count_total, "item");
    let is_all = output.count_emitted == output.count_total;
    let count = if is_all { items } else { format!("{} of {items}", output.count_emitted) };
    let mut text = match &output.out {
        Some(out) => format!("{count}; all are whole in {out}\n"),
        None if is_all => format!("{count}\n"),
        None => format!("{count}; `--out` writes all to a file\n"),
    };
    if let Some(raw_out) = &output.raw_out {
        let _ = writeln!(text, "as received: {raw_out}");
    }
    if output.partial {
        text.push_str("the feed ends in the middle: there may be more items\n");
    }
    text
}

/// Said on stderr at once: a run that fails after it has no `result.warnings`.
fn warn(door: &Context, warning: &Warning) {
    door.stderr().line(&format!("warning: {}", warning.message));
}

impl Row {
    fn of(item: &Item) -> Self {
        Self {
            title: item.title.clone(),
            published_at: item.published_at.clone(),
            link: item.link.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_say_what_is_left_out_and_where_it_is() {
        let check = |emitted, out: Option<&str>, raw_out: Option<&str>, partial| {
            summary(&FetchOutput {
                name: None,
                url: "https://a.example/".parse().unwrap(),
                title: None,
                format: None,
                count_total: 35,
                count_emitted: emitted,
                items: Vec::new(),
                not_modified: false,
                partial,
                out: out.map(str::to_owned),
                raw_out: raw_out.map(str::to_owned),
                moved_to: None,
                warnings: Vec::new(),
            })
        };
        assert_eq!(check(35, None, None, false), "35 items\n");
        assert_eq!(check(20, None, None, false), "20 of 35 items; `--out` writes all to a file\n");
        assert_eq!(
            check(20, Some("P"), Some("Q"), true),
            "20 of 35 items; all are whole in P\nas received: Q\n\
             the feed ends in the middle: there may be more items\n"
        );
    }
}

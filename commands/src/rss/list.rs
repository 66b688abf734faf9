//! `rss list`: the subscriptions.

use serde::Serialize;
use tapeline::{
    Capabilities, Command, Context, ErrorCode, Failure, Out, Registration, Spec, async_trait, clap,
};

use super::{
    feed_url::FeedUrl,
    name::Name,
    state_file,
    subscriptions::{Subscription, Subscriptions},
    text,
};

pub(super) const REGISTRATION: Registration = tapeline::registration::<List>();

tapeline::inventory::submit! { REGISTRATION }

#[derive(Default)]
struct List;

#[derive(clap::Args, Serialize)]
struct ListArgs {
    /// Show so many at most, 1 to 500.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 50,
        allow_negative_numbers = true,
        value_parser = text::parse_count
    )]
    max: u16,

    #[command(flatten)]
    #[serde(flatten)]
    out: Out,
}

#[derive(Serialize)]
struct ListOutput {
    count_total: usize,
    count_emitted: usize,
    items: Vec<Row>,
    #[serde(skip_serializing_if = "Option::is_none")]
    out: Option<String>,
}

#[derive(Serialize)]
struct Row {
    name: Name,
    url: FeedUrl,
    updated_at_ms: i64,
}

#[async_trait]
impl Command for List {
    type Args = ListArgs;
    type Output = ListOutput;

    fn spec() -> Spec {
        Spec::new("rss list", "the subscriptions, sorted by name")
            .long_help(
                "\
`count_total` says how many there are, `count_emitted` how many are shown. `--out` writes the whole
array to a file, whatever `--max` says: with the time of each one's creation, and in the form of
`.agents/workspace/rss/subscriptions.json`.",
            )
            .example("rss list --max 50", "the first fifty")
            .example("rss list --out artifacts/rss/subscriptions.json", "all of them in a file")
            .capabilities(Capabilities::none().read_files())
            .error_codes(&[ErrorCode::STATE_CORRUPT])
    }

    async fn run(&self, args: ListArgs, door: &Context) -> Result<ListOutput, Failure> {
        if let Some(path) = &args.out.out {
            state_file::check_target("--out", path)?;
        }
        let subscriptions = Subscriptions::read(door)?;
        let count_total = subscriptions.entries().len();
        let shown: Vec<&Subscription> =
            subscriptions.entries().take(usize::from(args.max)).collect();
        let out = match args.out.open(door).await? {
            Some(out) => {
                let description = text::count(count_total, "subscription");
                Some(out.finish(&subscriptions.to_json()?, "application/json", &description)?)
            }
            None => None,
        };
        door.stdout().text(&text::subscriptions(&shown));
        door.stdout().line(&summary(count_total, shown.len(), out.as_deref()));
        Ok(ListOutput {
            count_total,
            count_emitted: shown.len(),
            items: shown.into_iter().map(Row::of).collect(),
            out,
        })
    }
}

impl Row {
    fn of(subscription: &Subscription) -> Self {
        Self {
            name: subscription.name.clone(),
            url: subscription.url.clone(),
            updated_at_ms: subscription.updated_at_ms,
        }
    }
}

fn summary(total: usize, shown: usize, out: Option<&str>) -> String {
    let count = match total {
        0 => "no subscriptions; `rss add` makes one".to_owned(),
        _ if shown == total => text::count(total, "subscription"),
        _ => format!("{shown} of {}", text::count(total, "subscription")),
    };
    match out {
        Some(out) => format!("{count}; all are in {out}"),
        None if shown < total => {
            format!("{count}; `--out` writes all to a file")
        }
        None => count,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_is_left_out_and_where_it_is() {
        for (total, shown, out, said) in [
            (0, 0, None, "no subscriptions; `rss add` makes one"),
            (1, 1, None, "1 subscription"),
            (2, 2, Some("P"), "2 subscriptions; all are in P"),
            (9, 5, Some("P"), "5 of 9 subscriptions; all are in P"),
            (9, 5, None, "5 of 9 subscriptions; `--out` writes all to a file"),
        ] {
            assert_eq!(summary(total, shown, out), said);
        }
    }
}

//! `rss add`: give a feed a name.

use serde::Serialize;
use tapeline::{
    Capabilities, Command, Context, ErrorCode, Failure, Registration, Spec, async_trait, clap,
};

use super::{
    feed_url::FeedUrl,
    fetch_state::forget,
    name::Name,
    state_file,
    subscriptions::{Subscription, Subscriptions},
};

pub(super) const REGISTRATION: Registration = tapeline::registration::<Add>();

tapeline::inventory::submit! { REGISTRATION }

#[derive(Default)]
struct Add;

#[derive(clap::Args, Serialize)]
struct AddArgs {
    /// What to call it: lower-case letters, digits and hyphens, 64 at most.
    #[arg(long, value_name = "NAME")]
    name: Name,

    /// Where the feed is: an `http` or `https` URL without credentials.
    #[arg(long, value_name = "URL")]
    url: FeedUrl,
}

#[derive(Serialize)]
struct AddOutput {
    name: Name,
    url: FeedUrl,
    /// The name is new.
    created: bool,
}

#[async_trait]
impl Command for Add {
    type Args = AddArgs;
    type Output = AddOutput;

    fn spec() -> Spec {
        Spec::new("rss add", "subscribe to a feed, under a name")
            .long_help(
                "\
A name that is taken gets the new URL; `created` says whether it was new. With another URL, what
was known of the old feed's last fetch is forgotten. No request is made: `rss fetch --name` shows
whether a feed is there.

Subscriptions are kept in `.agents/workspace/rss/subscriptions.json`. A file there that cannot be
read ends in `StateCorrupt` and is left as it is.",
            )
            .example(
                "rss add --name wapo-politics --url https://www.washingtonpost.com/arcio/rss/category/politics/",
                "a feed by the name `wapo-politics`",
            )
            .example(
                "rss add --name releases --url \"https://example.com/feed?tag=release&lang=en\"",
                "a URL with `&` in quotes",
            )
            .capabilities(Capabilities::none().read_files().write_files())
            .error_codes(&[ErrorCode::STATE_CORRUPT])
    }

    async fn run(&self, args: AddArgs, door: &Context) -> Result<AddOutput, Failure> {
        let AddArgs { name, url } = args;
        let _lock = state_file::lock(door).await?;
        let mut subscriptions = Subscriptions::read(door)?;
        let now_ms = door.clock().now_ms();
        let known = subscriptions.of(&name);
        let created = known.is_none();
        let is_other_feed = known.is_none_or(|known| !known.url.is_same_place(url.as_str()));
        if is_other_feed {
            // Before the subscription is written: between the two, a feed without its state is
            // fetched whole, while another feed's validators would hide its items. A name that is
            // new may have a state, too, where somebody took it out of the other file alone.
            forget(door, &name)?;
        }
        let entry = match known {
            Some(known) => known.updated(url.clone(), now_ms),
            None => Subscription::new(name.clone(), url.clone(), now_ms),
        };
        subscriptions.put(entry);
        subscriptions.write(door)?;
        let did = if created { "added" } else { "updated" };
        door.stdout().line(&format!("{did} {name}: {url}"));
        Ok(AddOutput { name, url, created })
    }
}

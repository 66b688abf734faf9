//! `rss remove`: end a subscription.

use serde::Serialize;
use tapeline::{
    Capabilities, Command, Context, ErrorCode, Failure, Registration, Spec, async_trait, clap,
};

use super::{
    fetch_state::forget,
    name::Name,
    state_file,
    subscriptions::{Subscriptions, not_found},
};

pub(super) const REGISTRATION: Registration = tapeline::registration::<Remove>();

tapeline::inventory::submit! { REGISTRATION }

#[derive(Default)]
struct Remove;

#[derive(clap::Args, Serialize)]
struct RemoveArgs {
    /// The subscription's name.
    #[arg(long, value_name = "NAME")]
    name: Name,
}

#[derive(Serialize)]
struct RemoveOutput {
    name: Name,
}

#[async_trait]
impl Command for Remove {
    type Args = RemoveArgs;
    type Output = RemoveOutput;

    fn spec() -> Spec {
        Spec::new("rss remove", "end a subscription")
            .long_help(
                "\
Removes the subscription and what is known of its last fetch. Files that `--out` wrote stay. A name
that is not subscribed to is `NotFound`, and nothing is changed.",
            )
            .example("rss remove --name wapo-politics", "the subscription `wapo-politics`")
            .capabilities(Capabilities::none().read_files().write_files())
            .error_codes(&[ErrorCode::NOT_FOUND, ErrorCode::STATE_CORRUPT])
    }

    async fn run(&self, args: RemoveArgs, door: &Context) -> Result<RemoveOutput, Failure> {
        let RemoveArgs { name } = args;
        let _lock = state_file::lock(door).await?;
        let mut subscriptions = Subscriptions::read(door)?;
        if subscriptions.remove(&name).is_none() {
            return Err(not_found(&name));
        }
        // First, so that a run that ends between the two can be made again.
        forget(door, &name)?;
        subscriptions.write(door)?;
        door.stdout().line(&format!("removed {name}"));
        Ok(RemoveOutput { name })
    }
}

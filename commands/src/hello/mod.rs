//! `hello`: a word as ASCII art. The smallest command there is, and the first one to try.

mod glyphs;
mod word;

use serde::Serialize;
use tapeline::{Command, Context, Failure, Registration, Spec, async_trait, clap};

use self::word::Word;

/// Whoever draws signs.
const SIGNATURE: &str = "lemonhall";

/// All that is registered here.
pub(crate) const REGISTRATIONS: &[Registration] = &[REGISTRATION];

const REGISTRATION: Registration = tapeline::registration::<Hello>();

tapeline::inventory::submit! { REGISTRATION }

#[derive(Default)]
struct Hello;

#[derive(clap::Args, Serialize)]
struct HelloArgs {
    /// The word to draw: letters, digits and blanks, at most 20.
    #[arg(long, value_name = "TEXT", default_value = "HELLO")]
    name: Word,
}

#[derive(Serialize)]
struct HelloOutput {
    text: Word,
    signature: &'static str,
    art: Vec<String>,
}

#[async_trait]
impl Command for Hello {
    type Args = HelloArgs;
    type Output = HelloOutput;

    fn spec() -> Spec {
        Spec::new("hello", "draw a word as ASCII art")
            .long_help(
                "The letters are five rows high. Lower-case letters are drawn as upper-case ones.",
            )
            .example("hello", "the word HELLO")
            .example("hello --name \"agent 7\"", "another word; quotes keep the blank")
    }

    async fn run(&self, args: HelloArgs, door: &Context) -> Result<HelloOutput, Failure> {
        let art = glyphs::draw(args.name.as_str());
        for row in &art {
            door.stdout().line(row);
        }
        door.stdout().line(SIGNATURE);
        Ok(HelloOutput { text: args.name, signature: SIGNATURE, art })
    }
}

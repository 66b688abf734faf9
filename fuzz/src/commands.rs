//! The whitelist of the targets: the built-in commands, and `do`, which uses every door as the line
//! says.

use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};

use serde::Serialize;
use tapeline::{
    Capabilities, Command, Context, ErrorCode, Failure, NetworkScope, Out, Registry, Spec,
    WorkspacePath, async_trait, clap, http::Request, registration,
};

/// The commands that the targets run.
pub fn registry() -> Arc<Registry> {
    static REGISTRY: LazyLock<Arc<Registry>> = LazyLock::new(|| {
        let registry = Registry::builder()
            .register_all(tapeline_commands::registrations())
            .register(registration::<Do>())
            .build();
        Arc::new(registry.expect("the commands can be registered"))
    });
    REGISTRY.clone()
}

#[derive(Default)]
struct Do;

#[derive(clap::Args, Serialize)]
struct DoArgs {
    /// What to do, one after the other; what fails is said, and the next one done.
    steps: Vec<String>,
    /// A secret.
    #[arg(long, short)]
    token: Option<String>,
    /// No secret.
    #[arg(long)]
    note: Option<String>,
    #[command(flatten)]
    #[serde(flatten)]
    out: Out,
}

#[derive(Serialize)]
struct Done {
    came: Vec<String>,
}

#[async_trait]
impl Command for Do {
    type Args = DoArgs;
    type Output = Done;

    fn spec() -> Spec {
        let may = Capabilities::none()
            .read_files()
            .write_files()
            .high_risk()
            .network(NetworkScope::AnyPublic);
        Spec::new("do", "do the steps on the line")
            .capabilities(may)
            .error_codes(&[ErrorCode::NOT_FOUND])
            .takes_stdin()
            .audit_secret(&["token"])
    }

    async fn run(&self, args: DoArgs, door: &Context) -> Result<Done, Failure> {
        const MOST: usize = 40;

        let mut came = Vec::new();
        for step in args.steps.iter().take(MOST) {
            let (verb, rest) = step.split_once(' ').unwrap_or((step, ""));
            if verb == "fail" {
                let token = args.token.unwrap_or_default();
                return Err(Failure::new(ErrorCode::NOT_FOUND, rest).hint(token));
            }
            let text = match does(verb, rest, &args, door).await {
                Ok(text) => text,
                Err(failure) => failure.to_string(),
            };
            door.stdout().line(&text);
            came.push(text);
        }
        Ok(Done { came })
    }
}

async fn does(verb: &str, rest: &str, args: &DoArgs, door: &Context) -> Result<String, Failure> {
    let token = args.token.as_deref().unwrap_or("no token");
    let path = |text: &str| Ok::<WorkspacePath, Failure>(text.parse()?);
    let (first, second) = rest.split_once(' ').unwrap_or((rest, ""));
    Ok(match verb {
        "print" => rest.to_owned(),
        "token" => token.to_owned(),
        "stdin" => door.stdin().unwrap_or("nothing").to_owned(),
        "warn" => {
            door.stderr().line(&format!("{rest}{token}"));
            String::new()
        }
        "now" => door.clock().now_ms().to_string(),
        "sleep" => {
            let ms = rest.parse::<u8>().unwrap_or(0);
            door.clock().sleep(Duration::from_millis(ms.into())).await;
            String::new()
        }
        "uuid" => door.new_uuid(),
        "read" => String::from_utf8_lossy(&door.workspace()?.read(&path(rest)?)?).into_owned(),
        "list" => {
            let entries = door.workspace()?.list(&path(rest)?)?.into_iter();
            entries.map(|entry| format!("{}:{:?} ", entry.name, entry.kind)).collect()
        }
        "write" => {
            let written = door.workspace()?.write(&path(first)?, second.as_bytes())?;
            written.path.to_string()
        }
        "keep" => {
            let written = door.workspace()?.write(&path(first)?, token.as_bytes())?;
            door.artifact(written, "text/plain", second);
            String::new()
        }
        "remove" => {
            door.workspace()?.remove(&path(rest)?)?;
            String::new()
        }
        "save" => match args.out.open(door).await? {
            Some(file) => file.finish(rest.as_bytes(), "text/plain", "what was saved")?,
            None => "nowhere".to_owned(),
        },
        "lock" => {
            door.lock(rest, Duration::from_millis(10)).await?;
            "locked".to_owned()
        }
        "approve" => {
            door.approve(rest).await?;
            "approved".to_owned()
        }
        "get" => {
            let request = Request::get(rest).header("Authorization", format!("Bearer {token}"));
            let response = door.http()?.send(request).await?;
            String::from_utf8_lossy(&response.body).into_owned()
        }
        "post" => {
            let request = Request {
                method: "POST".to_owned(),
                body: second.as_bytes().to_vec(),
                ..Request::get(first)
            };
            let response = door.http()?.send(request).await?;
            String::from_utf8_lossy(&response.body).into_owned()
        }
        _ => format!("no step `{verb}`"),
    })
}

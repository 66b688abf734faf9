//! The commands in a library that C links, static or shared: those of the program, no fewer.
//!
//! What is built is a copy of `host/fixtures/embedded`, with the versions of the workspace's own
//! lock file. Of its dependencies only ours are compiled again, and those once for all copies, since
//! they are the workspace's and stay where they are.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Output},
};

use anyhow::{Context, ensure};
use serde_json::Value;
use tapeline::RegistryError;
use tempfile::TempDir;

use crate::{
    scratch::{cargo, copy_folder, replace, succeed, workspace_root},
    world::World,
};

const FIXTURE: &str = "host/fixtures/embedded";
/// Of what rustc names for a static library on Linux, what a C compiler does not add by itself.
const NATIVE_LIBRARIES: [&str; 5] = ["-lpthread", "-lm", "-ldl", "-lrt", "-lgcc_s"];

#[test]
fn a_library_that_c_links_has_the_commands_of_the_program() {
    let application = Application::copy().unwrap();
    application.build().unwrap();
    let expected = World::new().exec("help");
    assert_eq!(expected["exit_code"], 0, "{expected:#}");

    for program in [application.link_static().unwrap(), application.link_shared().unwrap()] {
        let output = run(&program, &["help", "hello --name C", "no such command"]);
        let [help, hello, unknown] = envelopes(&output).try_into().unwrap();
        assert_eq!(help["result"], expected["result"], "{}", program.display());
        assert_eq!(help["stdout"], expected["stdout"]);
        assert_eq!(hello["result"]["text"], "C", "{hello:#}");
        assert_eq!(unknown["error_code"], "UnknownCommand", "{unknown:#}");
    }
}

#[test]
fn what_registers_itself_is_there_in_a_shared_library_and_lost_in_a_static_one() {
    let application = Application::copy().unwrap();
    // Cargo takes two packages of one name, version and place for the same.
    application.replace("Cargo.toml", "\"0.0.0\"", "\"0.0.0-collected\"").unwrap();
    application
        .replace(
            "src/lib.rs",
            "    let registry = Registry::builder().register_all(tapeline_commands::registrations());\n    \
             Ok(Arc::new(registry.build()?))",
            "    use tapeline_commands as _;\n    \
             Ok(Registry::collected()?)",
        )
        .unwrap();
    application.build().unwrap();

    let output = run(&application.link_shared().unwrap(), &["help"]);
    assert_eq!(envelopes(&output)[0]["result"], World::new().exec("help")["result"]);

    let output = run(&application.link_static().unwrap(), &["help"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    let reason = RegistryError::Empty.to_string();
    assert_eq!(String::from_utf8_lossy(&output.stderr).trim_end(), reason);
    assert!(reason.contains("register_all(tapeline_commands::registrations())"), "{reason}");
}

/// A copy of the fixture in a folder that goes when it is dropped.
struct Application {
    folder: TempDir,
    /// One copy at a time, for the reason `Scratch` has.
    _turn: File,
}

impl Application {
    fn copy() -> anyhow::Result<Self> {
        let made = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let turn = File::create(made.join("embedded.lock"))?;
        turn.lock().context("wait for another build")?;
        // Beside the intermediate files, so that cargo links large files rather than copy them.
        let folder = tempfile::tempdir_in(made).context("make a folder for the copy")?;
        let root = workspace_root();
        copy_folder(&root.join(FIXTURE), folder.path())?;
        fs::copy(root.join("Cargo.lock"), folder.path().join("Cargo.lock"))?;
        let application = Self { folder, _turn: turn };
        for member in ["framework", "commands"] {
            let (from, to) = (format!("\"../../../{member}\""), format!("{:?}", root.join(member)));
            application.replace("Cargo.toml", &from, &to)?;
        }
        Ok(application)
    }

    fn replace(&self, file: &str, from: &str, to: &str) -> anyhow::Result<()> {
        replace(self.folder.path(), file, from, to)
    }

    fn build(&self) -> anyhow::Result<()> {
        let cargo = || cargo(self.folder.path());
        // Takes out of the lock file what is not needed here, puts the fixture in, and no more.
        succeed(cargo().args(["update", "--workspace", "--quiet", "--offline"]))?;
        let ours = locked(&self.folder.path().join("Cargo.lock"))?;
        let workspaces = locked(&workspace_root().join("Cargo.lock"))?;
        ensure!(!ours.is_empty(), "nothing is read from the lock file");
        let strangers: Vec<_> = ours.difference(&workspaces).collect();
        ensure!(strangers.is_empty(), "not as in the workspace's lock file: {strangers:?}");
        succeed(cargo().args(["build", "--quiet", "--offline", "--locked"]))
    }

    fn link_static(&self) -> anyhow::Result<PathBuf> {
        let mut arguments = vec![self.made("libembedded.a").into_os_string()];
        arguments.extend(NATIVE_LIBRARIES.map(OsString::from));
        self.link("static", &arguments)
    }

    fn link_shared(&self) -> anyhow::Result<PathBuf> {
        let [mut search, mut load] = ["-L", "-Wl,-rpath,"].map(OsString::from);
        search.push(self.made(""));
        load.push(self.made(""));
        self.link("shared", &[search, "-lembedded".into(), load])
    }

    fn link(&self, name: &str, arguments: &[OsString]) -> anyhow::Result<PathBuf> {
        let program = self.folder.path().join(name);
        let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
        let mut command = Command::new(compiler);
        command.current_dir(self.folder.path()).args(["-Wall", "-Wextra", "-Werror", "main.c"]);
        succeed(command.args(arguments).arg("-o").arg(&program))?;
        Ok(program)
    }

    fn made(&self, name: &str) -> PathBuf {
        self.folder.path().join("target/debug").join(name)
    }
}

/// What a lock file takes from a registry: name, version, source and checksum of each.
fn locked(file: &Path) -> anyhow::Result<BTreeSet<String>> {
    let text = fs::read_to_string(file).with_context(|| format!("read {}", file.display()))?;
    let packages = text.split("[[package]]").filter(|package| package.contains("\nsource = "));
    Ok(packages
        .map(|package| {
            let lines = package.trim().lines();
            lines.take_while(|line| line.contains(" = \"")).collect::<Vec<_>>().join(" ")
        })
        .collect())
}

fn run(program: &Path, lines: &[&str]) -> Output {
    Command::new(program).args(lines).output().unwrap()
}

fn envelopes(output: &Output) -> Vec<Value> {
    assert!(output.status.success(), "{output:?}");
    let stdout = String::from_utf8_lossy(&output.stdout);
    stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

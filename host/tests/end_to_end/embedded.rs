//! The commands in a library that C links, static or shared: those of the program, no fewer.
//!
//! What is built is a copy of `host/fixtures/embedded`.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value;
use tapeline::RegistryError;

use crate::{fixture::Fixture, scratch::succeed, world::World};

const FIXTURE: &str = "host/fixtures/embedded";
/// Of what rustc names for a static library on Linux, what a C compiler does not add by itself.
const NATIVE_LIBRARIES: [&str; 5] = ["-lpthread", "-lm", "-ldl", "-lrt", "-lgcc_s"];

#[test]
fn a_library_that_c_links_has_the_commands_of_the_program() {
    let application = Application::copy().unwrap();
    application.0.build(&[]).unwrap();
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
fn what_registers_itself_is_there_in_a_shared_library_and_by_chance_in_a_static_one() {
    let application = Application::copy().unwrap();
    // Cargo takes two packages of one name, version and place for the same.
    application.0.replace("Cargo.toml", "\"0.0.0\"", "\"0.0.0-collected\"").unwrap();
    application
        .0
        .replace(
            "src/lib.rs",
            "    let registry = Registry::builder().register_all(tapeline_commands::registrations());\n    \
             Ok(Arc::new(registry.build()?))",
            "    use tapeline_commands as _;\n    \
             Ok(Registry::collected()?)",
        )
        .unwrap();
    application.0.build(&[]).unwrap();

    let output = run(&application.link_shared().unwrap(), &["help"]);
    assert_eq!(envelopes(&output)[0]["result"], World::new().exec("help")["result"]);

    // Which objects a static link takes along is the linker's choice: none, or some for other
    // reasons. Whoever has none is told what to write.
    let reason = RegistryError::Empty.to_string();
    assert!(reason.contains("register_all(tapeline_commands::registrations())"), "{reason}");
    let output = run(&application.link_static().unwrap(), &["help"]);
    match output.status.code() {
        Some(0) => assert_eq!(envelopes(&output)[0]["error_code"], Value::Null),
        _ => assert_eq!(String::from_utf8_lossy(&output.stderr).trim_end(), reason),
    }
}

/// The fixture, and the programs that C's linker makes with it.
struct Application(Fixture);

impl Application {
    fn copy() -> anyhow::Result<Self> {
        Ok(Self(Fixture::copy(FIXTURE)?))
    }

    fn link_static(&self) -> anyhow::Result<PathBuf> {
        let mut arguments = vec![self.0.made("libembedded.a").into_os_string()];
        arguments.extend(NATIVE_LIBRARIES.map(OsString::from));
        self.link("static", &arguments)
    }

    fn link_shared(&self) -> anyhow::Result<PathBuf> {
        let [mut search, mut load] = ["-L", "-Wl,-rpath,"].map(OsString::from);
        search.push(self.0.made(""));
        load.push(self.0.made(""));
        self.link("shared", &[search, "-lembedded".into(), load])
    }

    fn link(&self, name: &str, arguments: &[OsString]) -> anyhow::Result<PathBuf> {
        let program = self.0.path().join(name);
        let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
        let mut command = Command::new(compiler);
        command.current_dir(self.0.path()).args(["-Wall", "-Wextra", "-Werror", "main.c"]);
        succeed(command.args(arguments).arg("-o").arg(&program))?;
        Ok(program)
    }
}

fn run(program: &Path, lines: &[&str]) -> Output {
    Command::new(program).args(lines).output().unwrap()
}

fn envelopes(output: &Output) -> Vec<Value> {
    assert!(output.status.success(), "{output:?}");
    let stdout = String::from_utf8_lossy(&output.stdout);
    stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

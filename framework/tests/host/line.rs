//! From a line to a command, a form of help, or a refusal that says what to do.

use serde_json::json;
use tapeline::Request;

use crate::world::World;

const REFUSED_EVERYWHERE: &[char] = &[
    '\0', '\u{1}', '\u{7}', '\u{8}', '\n', '\u{B}', '\u{C}', '\r', '\u{1B}', '\u{1F}', '\u{7F}',
    '\u{80}', '\u{85}', '\u{9B}', '\u{9F}', '\u{61C}', '\u{200E}', '\u{200F}', '\u{2028}',
    '\u{2029}', '\u{202A}', '\u{202E}', '\u{2066}', '\u{2069}',
];
const REFUSED_OUTSIDE_QUOTES: &[&str] = &[
    ";", "|", "<", ">", "&", "`", "$(", "${", "\\ ", "\\\t", "\\\"", "\\'", "\u{3000}", "\u{A0}",
    "‘", "’", "“", "”", "„", "«", "»", "＂", "＇",
];

#[test]
fn an_unknown_command_is_told_up_to_three_that_look_like_it() {
    let world = World::new();
    for (line, suggestions) in [
        ("ehco --text hi", json!(["echo"])),
        ("file raed x", json!(["file read"])),
        ("read x", json!(["file read"])),
        ("rm -rf /", json!([])),
        ("curl https://example.com", json!([])),
        ("ls", json!([])),
        ("回声", json!([])),
    ] {
        let ran = world.exec(line).fails("UnknownCommand", 127, &["`help` lists the commands"]);
        assert_eq!(ran.result["suggestions"], suggestions, "{line}");
        assert_eq!(ran.result["command"], json!(null));
        assert_eq!(world.value_of(&ran.record.parsed_command), json!(null));
        assert_eq!(world.value_of(&ran.record.command), json!(line));
    }
    let many = world.exec("file rite x");
    assert!(many.result["suggestions"].as_array().unwrap().len() <= 3);
}

#[test]
fn characters_refused_everywhere_are_refused_with_their_column() {
    let world = World::new();
    for &character in REFUSED_EVERYWHERE {
        for (before, after) in
            [("echo --text 你", ""), ("echo --text \"你", "\""), ("echo --text '你", "'")]
        {
            let ran = world.exec(&format!("{before}{character}{after}"));
            let ran = ran.fails("InvalidCommandLine", 2, &[]);
            let column = before.chars().count() + 1;
            assert_eq!(ran.result["column"], json!(column), "{character:?}");
            assert_eq!(ran.result["command"], json!(null));
        }
    }
}

#[test]
fn what_a_shell_would_act_on_is_refused_outside_quotes_and_taken_within() {
    let world = World::new();
    for refused in REFUSED_OUTSIDE_QUOTES {
        let ran = world.exec(&format!("echo --text 你{refused}b"));
        let ran = ran.fails("InvalidCommandLine", 2, &["outside quotes"]);
        assert_eq!(ran.result["column"], json!(14), "{refused:?}");
        assert!(ran.envelope.hint.is_some(), "{refused:?}");
        if !refused.contains('\'') {
            let ran = world.exec(&format!("echo --text '你{refused}b'")).ok();
            assert_eq!(ran.result["text"], json!(format!("你{refused}b")));
        }
    }
    world.exec("echo --text a&b").fails("InvalidCommandLine", 2, &["quote URLs"]);
    world.exec("echo --text 'open").fails("InvalidCommandLine", 2, &["never closed"]);
    world.exec("").fails("InvalidCommandLine", 2, &["empty"]);
    world.exec(" \t ").fails("InvalidCommandLine", 2, &["empty"]);
}

#[test]
fn nothing_is_expanded() {
    let world = World::new();
    let ran = world.exec("echo --text $HOME ~ * {a,b} $$ !1 #x C:\\x").ok();
    assert_eq!(ran.result["text"], json!("$HOME"));
    assert_eq!(ran.result["words"], json!(["~", "*", "{a,b}", "$$", "!1", "#x", "C:\\x"]));
}

#[test]
fn a_line_of_nine_kibibytes_is_refused_and_recorded() {
    let world = World::new();
    let line = format!("echo --text {}", "汇".repeat(3 << 10));
    let ran = world.exec(&line).fails("InvalidCommandLine", 2, &["8192 bytes", "stdin"]);
    assert!(ran.record.command.blob().is_some());
    assert_eq!(world.value_of(&ran.record.command), json!(line));
    world.exec(&format!("echo --text {}", "x".repeat((8 << 10) - 12))).ok();
}

#[test]
fn text_of_any_script_goes_through_unchanged() {
    let world = World::new();
    let text = "汇率 「引号」 🎉👩‍👩‍👧 é 한국어";
    let request = Request::new("stdin").stdin(text).label("会话", text);
    let ran = world.start(request).ok();
    assert_eq!(ran.result["stdin"], json!(text));
    assert_eq!(world.value_of(&ran.record.labels), json!({ "会话": text }));
    assert_eq!(world.value_of(&ran.record.stdin), json!(text));

    let ran = world.exec(&format!("echo --text \"{text}\" --path 报告/🎉.md")).ok();
    assert_eq!(ran.envelope.stdout, format!("{text}\n"));
    assert_eq!(ran.result["path"], json!(".agents/报告/🎉.md"));

    let ran = world.exec(&format!("file write 报告/🎉.md --text '{text}'")).ok();
    assert_eq!(ran.envelope.artifacts[0].path, ".agents/报告/🎉.md");
    assert_eq!(world.read("报告/🎉.md").as_deref(), Some(text));
    assert_eq!(world.exec("file list 报告").ok().result["names"], json!(["🎉.md"]));
}

#[test]
fn help_in_every_form_exits_0_and_is_recorded() {
    let world = World::new();
    for (line, command, path) in [
        ("help", "help", ""),
        ("--help", "help", ""),
        ("-h", "help", ""),
        ("help help", "help", ""),
        ("help echo", "echo", "echo"),
        ("echo --help", "echo", "echo"),
        ("echo -h", "echo", "echo"),
        ("echo help", "echo", "echo"),
        ("file", "file", "file"),
        ("file --help", "file", "file"),
        ("file -h", "file", "file"),
        ("file help", "file", "file"),
        ("help file", "file", "file"),
        ("help file read", "file read", "file read"),
        ("file help read", "file read", "file read"),
        ("file read --help", "file read", "file read"),
        ("file read help", "file read", "file read"),
    ] {
        let ran = world.exec(line).ok();
        assert_eq!(ran.result["command"], json!(command), "{line}");
        assert!(ran.envelope.stdout.contains("Usage:"), "{line}: {}", ran.envelope.stdout);
        assert!(ran.record.capabilities.is_empty());
        let parsed = json!({ "path": "help", "args": { "path": path } });
        assert_eq!(world.value_of(&ran.record.parsed_command), parsed, "{line}");
    }
    assert_eq!(world.sink.intents().len(), world.sink.records().len());
}

#[test]
fn help_says_what_an_agent_needs_to_write_the_line() {
    let world = World::new();
    let help = world.exec("help echo").ok().envelope.stdout;
    for part in ["say it again", "--text <TEXT>", "[default: plain]", "echo --text hi"] {
        assert!(help.contains(part), "no `{part}` in {help}");
    }
    assert!(world.exec("help stdin").ok().envelope.stdout.contains("Reads stdin."));
    let touches = world.exec("help save").ok().envelope.stdout;
    assert!(touches.contains("May touch: WriteFiles, HighRisk"), "{touches}");
    let group = world.exec("file").ok();
    assert_eq!(group.result["subcommands"], json!(["list", "read", "remove", "write"]));
    assert!(!group.envelope.stdout.contains("echo"));
}

#[test]
fn help_for_what_is_not_there_is_an_unknown_command() {
    let world = World::new();
    let ran = world.exec("help ehco").fails("UnknownCommand", 127, &["did you mean `echo`"]);
    assert_eq!(ran.result["suggestions"], json!(["echo"]));
    world.exec("file help nothing").fails("UnknownCommand", 127, &[]);
    world.exec("file --all").fails("InvalidArgs", 2, &["`file` is a group", "file --help"]);
}

#[test]
fn arguments_that_do_not_fit_are_explained_in_one_line() {
    let world = World::new();
    for (line, parts) in [
        ("echo", &["`--text <TEXT>` is required", "`echo --help`"][..]),
        ("echo --text", &["`--text <TEXT>` needs a value"]),
        ("echo --text a --txet b", &["`--txet` is not an argument of `echo`", "`--text`"]),
        ("echo --text a --zzz", &["`--zzz` is not an argument of `echo`", "`echo --help`"]),
        ("echo --text a --style lowd", &["cannot be `lowd`", "one of `plain`, `loud`", "`loud`?"]),
        ("echo --text a --times 999", &["`--times <TIMES>` cannot be `999`", "255"]),
        ("echo --text a --times 几", &["`--times <TIMES>` cannot be `几`"]),
        ("echo --text a --quiet --both", &["cannot be used with"]),
        ("echo --text a --text b", &["`--text <TEXT>` is given more than once"]),
        ("panic lines", &["`<WHERE>` cannot be `lines`: two lines"]),
        ("chance extra", &["`extra` is not an argument of `chance`"]),
        ("save --text a --overwrite", &["`--out <PATH>` is required"]),
        ("keep", &["`--text <TEXT>` or `--number <N>` is required", "`keep --help`"]),
        ("keep --out a", &["`--text <TEXT>` or `--number <N>` is required"]),
        ("keep --text a --number 1", &["`--text <TEXT>` cannot be used with `--number <N>`"]),
        ("keep --text a --overwrite", &["`--out <PATH>` or `--raw-out <PATH>` is required"]),
    ] {
        let ran = world.exec(line).fails("InvalidArgs", 2, parts);
        let path = line.split(' ').next().unwrap();
        assert_eq!(ran.result["command"], json!(path));
        let parsed = json!({ "path": path, "args": null });
        assert_eq!(world.value_of(&ran.record.parsed_command), parsed);
    }
}

#[test]
fn a_path_out_of_the_workspace_is_refused_by_its_own_code() {
    let world = World::new();
    for path in ["../x", "/etc/passwd", "a/../../x", "C:x", "'a\\b'", "CON", ".agents/../x"] {
        for line in [format!("save --text a --out {path}"), format!("file read {path}")] {
            let ran =
                world.exec(&line).fails("PathEscapesAgentsRoot", 2, &["inside the workspace"]);
            assert!(ran.result["command"].is_string(), "{line}");
        }
    }
    assert!(world.workspace.files().is_empty());
}

#[test]
fn the_longest_path_wins_and_its_name_is_in_the_result() {
    let world = World::new();
    world.put("read", "text");
    let ran = world.exec("file read read").ok();
    assert_eq!(ran.result, json!({ "ok": true, "command": "file read", "text": "text" }));
    let parsed = json!({ "path": "file read", "args": { "path": ".agents/read" } });
    assert_eq!(world.value_of(&ran.record.parsed_command), parsed);
}

//! What looks like a secret reaches no log, no case and no report, wherever it stood.

use std::{fs, path::Path};

use tapeline::{Request, audit::Record, line};

use crate::{
    commands::{RECORDED, TELLS_SECRETS, registry},
    secret_samples::{base64, samples},
    world::{World, answer, body, files, sealed, tape},
};

/// The part of a secret that stands on one line.
fn core(secret: &str) -> &str {
    secret.lines().max_by_key(|line| line.len()).unwrap()
}

fn percent_encoded(text: &str) -> String {
    let encoded = text.bytes().map(|byte| match byte {
        byte if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => {
            char::from(byte).to_string()
        }
        byte => format!("%{byte:02X}"),
    });
    encoded.collect()
}

/// The ways in which a secret may be written.
fn spellings(secret: &str) -> [Vec<u8>; 5] {
    let core = core(secret);
    let whole_groups = base64(core.get(..core.len() / 3 * 3).unwrap());
    let wide = |bytes: fn(u16) -> [u8; 2]| core.encode_utf16().flat_map(bytes).collect();
    [
        core.into(),
        percent_encoded(core).into(),
        whole_groups.into(),
        wide(u16::to_le_bytes),
        wide(u16::to_be_bytes),
    ]
}

fn all_secrets() -> Vec<String> {
    samples().into_iter().map(|(_, _, secret)| secret).collect()
}

/// No secret is in any byte of these files.
#[track_caller]
fn nowhere(files: &[std::path::PathBuf], secrets: &[String]) {
    let contents: Vec<_> = files.iter().map(|path| (path, fs::read(path).unwrap())).collect();
    assert!(!contents.is_empty());
    for secret in secrets {
        for spelling in spellings(secret) {
            for (path, bytes) in &contents {
                let text = String::from_utf8_lossy(&spelling);
                assert!(!holds(bytes, &spelling), "`{text}` is in {}", path.display());
            }
        }
    }
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    let first = part[0];
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|byte| *byte == first) {
        if rest[at..].starts_with(part) {
            return true;
        }
        rest = &rest[at + 1..];
    }
    false
}

#[track_caller]
fn said_nowhere(said: &str) {
    for (shape, _, secret) in samples() {
        for spelling in spellings(&secret) {
            assert!(!holds(said.as_bytes(), &spelling), "{shape}: {said}");
        }
    }
}

fn steps(steps: &[String]) -> String {
    let words: Vec<&str> = ["do"].into_iter().chain(steps.iter().map(String::as_str)).collect();
    // One with a line break is no line; it is recorded all the same.
    line::print(&words).unwrap_or_else(|_| format!("do '{}'", steps.join("' '")))
}

const URL: &str = "https://a.example/";

#[test]
fn no_secret_of_any_shape_reaches_the_log_from_any_place() {
    let mut runs = 0;
    for (shape, text, secret) in samples() {
        let mut world = World::new();
        let encoded = percent_encoded(&text);
        let one_line = text.replace('\n', "\\n");
        let long = format!("{text}\n{}", "x".repeat(5000));
        let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let wide_long = [wide.clone(), vec![0xff; 5000]].concat();
        // What is shown of a body ends before it: a secret that was cut is none.
        let in_base64 = ".".repeat(40) + &base64(&secret.replace('\n', "\\n"));
        let in_query = format!("{URL}?q={encoded}");
        let in_path = format!("{URL}{encoded}");
        world = world
            .file("short.txt", &text)
            .file("line.txt", &one_line)
            .file("long.txt", &long)
            .file("wide.txt", &wide_long)
            .answers(&in_query, body("1"))
            .answers(&in_path, body("2"));
        let run = |world: &World, steps_of: &[String], stdin: &str, label: &str| -> Record {
            let request = Request::new(steps(steps_of)).stdin(stdin).label("note", label);
            world.request(request).record
        };
        let given = |answer| {
            world.outside.answers_next(URL, answer);
            format!("get {URL}")
        };
        let rewritten = [
            run(&world, &[format!("print {text}"), format!("warn {text}")], "", ""),
            run(&world, &[format!("?fail {text}"), format!("fail {text}")], "", ""),
            run(&world, &[format!("get {in_query}")], "", ""),
            run(&world, &[format!("get {in_path}")], "", ""),
            run(&world, &[format!("?get https://user:{encoded}@a.example/")], "", ""),
            run(&world, &[given(body(&text))], "", ""),
            run(&world, &[given(answer(200, &[("x-note", &one_line)], ""))], "", ""),
            run(&world, &[given(body(&in_base64)), format!("print {one_line}")], "", ""),
            run(&world, &[given(body(&wide))], "", ""),
            run(&world, &["print a".to_owned()], &text, ""),
            run(&world, &["print a".to_owned()], "", &text),
            run(&world, &["read short.txt".to_owned()], "", ""),
            run(&world, &[format!("artifact out.txt {text}")], "", ""),
            run(&world, &[given(body("")).replace("get ", "get-with-file ") + " line.txt"], "", ""),
            run(&world, &[given(body("")).replace("get ", "post-file ") + " short.txt"], "", ""),
        ];
        for record in &rewritten {
            let tape = world.log().kept_json(&record.tape).unwrap();
            let written = format!("{record:?}{tape}");
            assert!(written.contains("{{secret:1}}"), "{shape}: {written}");
        }
        let dropped = [
            run(&world, &[given(body(&long))], "", ""),
            run(&world, &[given(body(&wide_long))], "", ""),
            run(&world, &["read long.txt".to_owned()], "", ""),
            run(&world, &["read wide.txt".to_owned()], "", ""),
            run(&world, &[given(body("")).replace("get ", "post-file ") + " long.txt"], "", ""),
        ];
        for record in &dropped {
            let tape = tape(record, &world);
            assert!(!tape.complete, "{shape}");
            assert!(tape.why.unwrap().contains("secret"), "{shape}");
        }
        runs += rewritten.len() + dropped.len();
        nowhere(&files(&world.path("audit")), &[secret]);
        // The workspace's own files stay as they are.
        assert_eq!(fs::read_to_string(world.path(".agents/short.txt")).unwrap(), text);
    }
    assert!(runs >= 30 * 10);
}

#[test]
fn no_secret_of_any_shape_reaches_a_case() {
    let mut world = World::new();
    for (number, (_, text, _)) in samples().into_iter().enumerate() {
        let one_line = text.replace('\n', "\\n");
        let in_body = format!("{}{text}", ".".repeat(40));
        world = world.answers(URL, answer(200, &[("x-note", &one_line)], in_body));
        let line = steps(&[
            format!("print {one_line}"),
            format!("warn {one_line}"),
            format!("artifact out.txt {one_line}"),
            format!("get {URL}"),
        ]);
        let request = Request::new(line).stdin(&text).label("note", &text);
        let ran = world.request(request);
        assert_eq!(ran.envelope.error_code, None);
        world.promoted(&ran.record, &format!("group/case-{number}"));
    }
    nowhere(&files(&world.path("golden")), &all_secrets());
    let (exit, out) = world.cli(&["check"], registry::<RECORDED>());
    assert_eq!(exit, 0, "{out}");
    let (exit, out) = world.cli(&[], registry::<RECORDED>());
    assert_eq!(exit, 0, "{out}");
}

#[test]
fn a_build_that_tells_secrets_tells_none_to_what_is_pending_and_reported() {
    let world = World::new();
    let ran = world.run(&["print a", "artifact out.txt hi"]);
    world.promoted(&ran.record, "group/case");
    for arguments in [&["group"][..], &["--json"], &["diff", "group"], &["run", &ran.record.run_id]]
    {
        let (exit, out) = world.cli(arguments, registry::<TELLS_SECRETS>());
        assert_eq!(exit, 1, "{out}");
        assert!(out.contains("{{secret:1}}"), "{out}");
        said_nowhere(&out);
    }
    let in_workspace = world.path(".agents");
    let others = |path: &std::path::PathBuf| !path.starts_with(&in_workspace);
    let written: Vec<_> = files(&world.path("")).into_iter().filter(others).collect();
    let is_pending = |path: &&std::path::PathBuf| path.ends_with("expect/workspace/out.txt");
    assert_eq!(written.iter().filter(is_pending).count(), 2, "{written:?}");
    nowhere(&written, &all_secrets());
}

fn token() -> (&'static str, String) {
    let (shape, text, _) = samples().swap_remove(0);
    (shape, text)
}

/// The file now holds the secret, in place of a text that was there.
fn spoil(path: &Path, text: &str, secret: &str) {
    let content = fs::read_to_string(path).unwrap();
    assert!(content.contains(text), "{content}");
    fs::write(path, content.replace(text, secret)).unwrap();
}

#[test]
fn a_title_with_a_secret_is_refused() {
    let (shape, token) = token();
    let world = World::new();
    let ran = world.run(&["print a"]);
    let arguments = ["promote", &ran.record.run_id, "--as", "group/case", "--title", &token];
    let (exit, out) = world.cli(&arguments, registry::<RECORDED>());
    assert_eq!(exit, 2, "{out}");
    assert!(out.contains("group/case/given/case.json") && out.contains(shape), "{out}");
    assert!(!world.path("golden/group/case").exists());
}

#[test]
fn an_amendment_with_a_secret_is_refused() {
    let (shape, token) = token();
    let world = World::new().answers(URL, body("1"));
    let ran = world.run(&[&format!("get {URL}")]);
    world.promoted(&ran.record, "group/case");
    fs::remove_file(world.path("golden/group/case/given/http.json")).unwrap();
    fs::remove_dir_all(world.path("golden/group/case/given/http")).unwrap();
    let before = files(&world.path("golden"));
    fs::write(world.path("answer.txt"), format!("token: {token}")).unwrap();
    let from = format!("{URL}={}", world.path("answer.txt").display());
    let (exit, out) = world.cli(&["amend", "group", "--answer", &from], registry::<RECORDED>());
    assert_eq!(exit, 2, "{out}");
    assert!(out.contains("given/http/01.txt") && out.contains(shape), "{out}");
    assert_eq!(files(&world.path("golden")), before);
}

#[test]
fn what_is_pending_with_a_secret_is_not_accepted() {
    let (shape, token) = token();
    let world = World::new();
    let ran = world.run(&["print a"]);
    world.promoted(&ran.record, "group/case");
    world.cli(&[], registry::<{ crate::commands::MORE_LINES }>());
    let pending = files(&world.path("")).into_iter().find(|path| {
        path.ends_with("expect/stdout.txt") && !path.starts_with(world.path("golden"))
    });
    spoil(&pending.unwrap(), "one line more", &token);
    sealed(&world.path("target/replay-pending/group/case"));
    let (exit, out) = world.cli(&["accept", "group"], registry::<RECORDED>());
    assert_eq!(exit, 2, "{out}");
    assert!(out.contains("expect/stdout.txt") && out.contains(shape), "{out}");
    said_nowhere(&fs::read_to_string(world.path("golden/group/case/expect/stdout.txt")).unwrap());
}

#[test]
fn a_case_that_holds_a_secret_is_a_finding() {
    let (shape, token) = token();
    let world = World::new();
    let ran = world.run(&["print a"]);
    world.promoted(&ran.record, "group/case");
    spoil(&world.path("golden/group/case/given/case.json"), "do 'print a'", &token);
    let (exit, out) = world.cli(&["check"], registry::<RECORDED>());
    assert_eq!(exit, 2, "{out}");
    assert!(out.contains("group/case/given/case.json") && out.contains(shape), "{out}");
    said_nowhere(&out);
}

#[test]
fn a_secret_that_quotes_part_in_the_line_of_a_case_is_a_finding() {
    let (shape, token) = token();
    let (start, end) = token.split_at(12);
    for (line, shape) in [
        (format!("{start}'{end}'"), shape),
        (format!("{start}\\\"{end}\\\" | cat"), shape),
        (format!("{start}'{end}"), shape),
        ("--password correct-horse".to_owned(), "secret behind a flag or label"),
    ] {
        let world = World::new();
        let ran = world.run(&["print a"]);
        world.promoted(&ran.record, "group/case");
        let case = world.path("golden/group/case/given/case.json");
        let written = fs::read_to_string(&case).unwrap();
        for field in ["command", "title"] {
            fs::write(&case, &written).unwrap();
            spoil(&case, &format!("\"{field}\": \"do 'print a'\""), "\0");
            spoil(&case, "\0", &format!("\"{field}\": \"do {line}\""));
            let (exit, out) = world.cli(&["check"], registry::<RECORDED>());
            // A title is prose: what it says of a flag is none of its secrets.
            let found = field == "command" || !line.starts_with("--");
            assert_eq!(exit, if found { 2 } else { 0 }, "{field}: {line}: {out}");
            assert_eq!(out.contains(shape), found, "{field}: {line}: {out}");
            assert!(!out.contains(end), "{out}");
        }
    }
}

#[test]
fn a_secret_that_quotes_part_in_a_refused_line_reaches_no_case() {
    let (_, token) = token();
    let (start, end) = token.split_at(12);
    let world = World::new();
    let ran = world.request(Request::new(format!("x | do 'print a' {start}\"{end}\"")));
    world.promoted(&ran.record, "group/case");
    nowhere(&files(&world.path("golden")), std::slice::from_ref(&token));
    nowhere(&files(&world.path("audit")), &[end.to_owned()]);
    let case = fs::read_to_string(world.path("golden/group/case/given/case.json")).unwrap();
    assert!(case.contains("x | do 'print a' {{secret:1}}\""), "{case}");
    // Where it stood before the place that was refused, no replay is the same.
    let ran = world.request(Request::new(format!("do {start}\"{end}\" | x")));
    let verdict = world.replayed(&ran.record);
    assert!(matches!(verdict, tapeline_replay::Verdict::Skipped(_)), "{verdict:?}");
}

/// A world whose policy refuses this argument.
fn refusing(path: &str, name: &str, value: &str) -> World {
    let rule = tapeline::Rule {
        path: path.to_owned(),
        args: [(name.to_owned(), value.to_owned())].into(),
        decision: tapeline::Decision::Deny,
        examples: Vec::new(),
    };
    World::with(|builder| builder.policy(tapeline::Policy::default().rule(rule)))
}

#[test]
fn a_rule_over_a_secret_decides_in_a_replay_as_it_did() {
    let (_, token) = token();
    let step = format!("print {token}");
    let world = refusing("do", "steps", &step);
    let ran = world.run(&[&step]);
    world.check(&ran, "CapabilityDenied");
    world.promoted(&ran.record, "group/case");
    let ran = world.run(&["print a"]);
    world.check(&ran, "");
    world.promoted(&ran.record, "group/other");
    nowhere(&files(&world.path("audit")), std::slice::from_ref(&token));
    nowhere(&files(&world.path("golden")), &[token]);
    let (exit, out) = world.cli(&[], registry::<RECORDED>());
    assert_eq!(exit, 0, "{out}");
}

#[test]
fn a_validator_that_looks_alike_stays() {
    let validator = format!("ke{}{}", "y-", "0123456789abcdef".repeat(2));
    let headers = [("etag", &*validator), ("x-note", &*validator)];
    let world = World::new().answers(URL, answer(200, &headers[..1], "1"));
    let ran = world.run(&[&format!("get {URL}")]);
    assert!(ran.record.tape.json().contains(&validator));
    world.check(&ran, "");
    let world = world.answers(URL, answer(200, &headers[1..], "1"));
    let ran = world.run(&[&format!("get {URL}")]);
    assert!(!ran.record.tape.json().contains(&validator));
    world.check(&ran, "");
}

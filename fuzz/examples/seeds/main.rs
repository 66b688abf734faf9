//! Seeds for the targets, made of what the repository holds: `seeds OUT` writes `OUT/<target>/` and
//! a dictionary of the words in them, `OUT/<target>.dict`.

mod documents;
mod pdfs;

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    error::Error,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::Value;
use tapeline::{
    Policy, Request, Terminal, async_trait,
    http::{Http, HttpFault, HttpRequest, HttpResponse},
};
use tapeline_fuzz::{Echo, File, Yes, input, registry, scratch, sha256_hex};

type Done<T = ()> = Result<T, Box<dyn Error>>;
type Seeds = Vec<Vec<u8>>;

/// Longer inputs cost more than they find.
const LONGEST: usize = 32 * 1024;

/// Lines for `do`, which no golden case has. Each is run, in this order, in one workspace.
const LINES: &[&str] = &[
    "do now uuid 'sleep 3' now stdin",
    "do 'write a/b.txt hello' 'read a/b.txt' 'list a' 'remove a/b.txt' 'read a/b.txt' 'list .'",
    "do 'read a' 'list nowhere' 'read ../outside' 'write con x'",
    "do --token s3cr3t-Value token 'warn is ' 'get https://a.example/x?q=1' 'keep t.txt a token'",
    "do --token=s3cr3t-Value 'get https://u:s3cr3t-Value@a.example/?key=s3cr3t-Value' 'read t.txt'",
    "do -t 's3cr3t Value \"x\"' token --note 's3cr3t Value \"x\"' 'post https://a.example/long {\"a\":1}'",
    "do 'get https://a.example/long' 'get http://b.example/' 'get https://10.0.0.1/'",
    "do 'approve something grave' 'save the text' --out out.txt --overwrite",
    "do 'lock one' 'lock two' 'print 你好 🎉'",
    "do --token s3cr3t-Value 'fail as the line says'",
    "do --token s3cr3t-Value --zzz",
    "dO --token s3cr3t-Value",
    "do --token s3cr3t-Value; x",
    "do \"say \\\"hi\\\" \\\\\" 'it''s' a\"b\"'c'",
];

fn main() -> Done {
    let out = PathBuf::from(std::env::args_os().nth(1).ok_or("give the folder to write to")?);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("the repository is gone")?;
    let cases = [root.join("golden"), root.join("replay/tests/format-1")];
    let mut lines: BTreeSet<String> = LINES.iter().map(|&line| line.to_owned()).collect();
    for spec in registry().specs() {
        lines.extend(spec.examples.iter().map(|example| example.command.to_owned()));
    }

    let mut of_cases = Vec::new();
    for golden in &cases {
        for case in case_names(golden)? {
            let files = case_files(golden, &case)?;
            lines.extend(line_of(&files));
            of_cases.push(input(&files));
        }
    }
    let (of_records, of_replays) = recorded(root, &lines)?;
    let scrubbed = |line: &String| {
        let line = line.replace("s3cr3t-Value", "§");
        format!("s3cr3t-Value\n{line}\nis § here").into_bytes()
    };
    write(&out, "case", of_cases)?;
    write(&out, "feed", feeds(root)?)?;
    write(&out, "line", lines.iter().map(|line| line.clone().into_bytes()).collect())?;
    write(&out, "record", of_records)?;
    write(&out, "replay", of_replays)?;
    write(&out, "scrub", lines.iter().map(scrubbed).collect())?;
    for (target, seeds) in documents::seeds(root)? {
        write(&out, target, seeds)?;
    }
    Ok(())
}

/// The answers in cases of `rss`, and the real feeds where `TAPELINE_CORPUS` is set.
fn feeds(root: &Path) -> Done<Seeds> {
    let mut folders = vec![root.join("golden/rss")];
    folders.extend(std::env::var_os("TAPELINE_CORPUS").map(|path| Path::new(&path).join("feeds")));
    let mut seeds = Seeds::new();
    for folder in folders {
        for file in files_below(&folder)? {
            let is_answer = file.contains("/given/http/") || !file.contains('/');
            if is_answer && !file.ends_with("reference.json") {
                let body = fs::read(folder.join(&file))?;
                seeds.push([b"application/xml\n".as_slice(), &body].concat());
            }
        }
    }
    Ok(seeds)
}

/// The cases in a folder, as `<group>/<case>`.
fn case_names(golden: &Path) -> Done<Vec<String>> {
    let mut names = Vec::new();
    for file in files_below(golden)? {
        names.extend(file.strip_suffix("/given/case.json").map(str::to_owned));
    }
    Ok(names)
}

/// A case and what it is a variation of: what knows hashes before what is hashed.
fn case_files(golden: &Path, case: &str) -> Done<Vec<File>> {
    let mut files = Vec::new();
    for below in files_below(&golden.join(case))? {
        let content = fs::read(golden.join(case).join(&below))?;
        files.push(File { path: format!("{case}/{below}"), content });
    }
    let json: Value =
        serde_json::from_slice(&fs::read(golden.join(case).join("given/case.json"))?)?;
    if let Some(base) = json["base"].as_str() {
        let base = case_files(golden, base)?;
        files.extend(base.into_iter().filter(|file| file.path.contains("/given/")));
    }
    let text: String = files.iter().map(|file| String::from_utf8_lossy(&file.content)).collect();
    for blob in files_below(&golden.join("_blobs"))? {
        let (shard, sha256) = blob.split_once('/').ok_or("a blob without a shard")?;
        if text.contains(sha256) {
            let content = fs::read(golden.join("_blobs").join(&blob))?;
            files.push(File { path: format!("_blobs/{shard}{}", files.len()), content });
        }
    }
    let knows = |file: &File| {
        !matches!(depth(&file.path), "case.json" | "http.json" | "workspace.json" | "envelope.json")
    };
    files.sort_by_key(knows);
    Ok(files)
}

fn depth(path: &str) -> &str {
    path.splitn(4, '/').nth(3).unwrap_or(path)
}

fn line_of(files: &[File]) -> Option<String> {
    let case = files.iter().find(|file| depth(&file.path) == "case.json")?;
    let json: Value = serde_json::from_slice(&case.content).ok()?;
    let command = [json.pointer("/run/command"), json.pointer("/change/command")];
    command.into_iter().flatten().next()?.as_str().map(str::to_owned)
}

/// Runs all lines and gives what the log holds of each: the line of it, and the line with its blobs.
fn recorded(root: &Path, lines: &BTreeSet<String>) -> Done<(Seeds, Seeds)> {
    let folder = scratch();
    let rates = root.join("golden/exchange-rate/convert-from-network/given/http/01.json");
    let terminal = Terminal::builder()
        .root(folder.path())
        .registry(registry())
        .policy(Policy::default().allow_declared_network())
        .http(Arc::new(Provider { rates: fs::read(rates)? }))
        .resolver(Arc::new(Echo))
        .approver(Arc::new(Yes))
        .host("seeds", "0")
        .build()?;
    for line in LINES.iter().map(|&line| line.to_owned()).chain(lines.iter().cloned()) {
        terminal.start(Request::new(line.clone()).label("actor", "seeds")).wait();
        let mut with_stdin = Request::new(line);
        with_stdin.stdin = Some("a text\nof lines".to_owned());
        terminal.start(with_stdin).wait();
    }

    let audit = folder.path().join("audit");
    let mut blobs = BTreeMap::new();
    for blob in files_below(&audit.join("blobs"))? {
        let content = fs::read(audit.join("blobs").join(blob))?;
        blobs.insert(sha256_hex(&content), content);
    }
    let (mut of_records, mut of_replays) = (Vec::new(), Vec::new());
    for file in files_below(&audit.join("runs"))? {
        let text = fs::read_to_string(audit.join("runs").join(file))?;
        let mut chunk = String::new();
        for line in text.split_inclusive('\n') {
            of_records.push(line.as_bytes().to_vec());
            of_replays.push(input(&with_blobs(line, &blobs)));
            let _ = write!(chunk, "{line}");
            if chunk.len() > LONGEST / 2 {
                of_records.push(std::mem::take(&mut chunk).into_bytes());
            }
        }
    }
    Ok((of_records, of_replays))
}

fn with_blobs(line: &str, blobs: &BTreeMap<String, Vec<u8>>) -> Vec<File> {
    let mut files = vec![File { path: "records.jsonl".to_owned(), content: line.into() }];
    let mut known = BTreeSet::new();
    let mut open = VecDeque::from([line.as_bytes()]);
    while let Some(content) = open.pop_front() {
        let text = String::from_utf8_lossy(content);
        for (sha256, content) in blobs {
            if text.contains(sha256.as_str()) && known.insert(sha256) {
                let path = format!("blob{}", files.len());
                files.push(File { path, content: content.clone() });
                open.push_back(content);
            }
        }
    }
    files
}

/// Rates for who asks for them, an echo for all others.
struct Provider {
    rates: Vec<u8>,
}

#[async_trait]
impl Http for Provider {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpFault> {
        if !request.url.contains("er-api") {
            return Echo.send(request).await;
        }
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Ok(HttpResponse { status: 200, headers, body: self.rates.clone() })
    }
}

/// Named by content, so that the same seed has the same name.
fn write(out: &Path, target: &str, seeds: Seeds) -> Done {
    const MOST_WORDS: usize = 600;

    let folder = out.join(target);
    fs::create_dir_all(&folder)?;
    let mut words = BTreeMap::<String, usize>::new();
    for seed in seeds.iter().filter(|seed| seed.len() <= LONGEST) {
        fs::write(folder.join(sha256_hex(seed)), seed)?;
        let text = String::from_utf8_lossy(seed);
        let is_part = |character: char| !character.is_alphanumeric() && !"-_./".contains(character);
        let tags = text.split_inclusive('>').filter_map(|piece| piece.get(piece.rfind('<')?..));
        for word in text.split(is_part).chain(tags).filter(|word| (2..=24).contains(&word.len())) {
            *words.entry(word.to_owned()).or_default() += 1;
        }
    }
    // What stands in many seeds is of the format, what stands in one is of that seed.
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"\"\\".contains(&byte);
    let mut words: Vec<_> =
        words.into_iter().filter(|(word, _)| word.bytes().all(is_plain)).collect();
    words.sort_by_key(|(word, count)| (usize::MAX - count, word.clone()));
    let mut dictionary = String::new();
    for (word, _) in words.iter().take(MOST_WORDS) {
        let _ = writeln!(dictionary, "\"{word}\"");
    }
    fs::write(out.join(format!("{target}.dict")), dictionary)?;
    Ok(())
}

/// All files below a folder, relative to it, sorted; none where there is no folder.
fn files_below(folder: &Path) -> Done<Vec<String>> {
    let mut files = Vec::new();
    let mut open = vec![String::new()];
    while let Some(below) = open.pop() {
        let path = folder.join(&below);
        if !path.is_dir() {
            continue;
        }
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            let name = format!("{below}{}", entry.file_name().to_string_lossy());
            match entry.file_type()?.is_dir() {
                true => open.push(format!("{name}/")),
                false => files.push(name),
            }
        }
    }
    files.sort();
    Ok(files)
}

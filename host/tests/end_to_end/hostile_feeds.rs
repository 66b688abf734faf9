//! What a server may send in place of a feed to take time or memory: the run ends in time, as it
//! should, and the process is little larger than one that fetched nothing.

use std::{
    fs::{self, File},
    process::Child,
    thread,
    time::Duration,
};

use serde_json::Value;
use tapeline_replay::loopback::{Answer, Loopback};

use crate::world::World;

/// How much larger the process may become.
const MOST_BYTES: u64 = 64 << 20;

const LIMIT: usize = 2 << 20;
const RSS: &str = "<rss version=\"2.0\" xmlns:media=\"http://search.yahoo.com/mrss/\"><channel>\
    <title>a</title><item><title>";
const RSS_END: &str = "</title></item></channel></rss>";

#[test]
fn entities_that_multiply_are_not_followed() {
    let laughs: String = (1..40)
        .map(|it| format!("<!ENTITY a{it} \"{}\">", format!("&a{};", it - 1).repeat(10)))
        .collect();
    let laughs = format!("<!DOCTYPE rss [<!ENTITY a0 \"ha\">{laughs}]>{RSS}&a39;{RSS_END}");
    check("billion laughs", feed(laughs), Some("ParseError"));

    let long = "a".repeat(1000);
    let start = format!("<!DOCTYPE rss [<!ENTITY a \"{long}\">]>{RSS}");
    check("one long entity, often", feed(filled(&start, "&a;", RSS_END)), None);
}

#[test]
fn tags_of_any_depth_and_number_are_a_feed_or_none() {
    let nested = |start: &str, end: &str, count: usize| {
        feed(format!(
            "{RSS}</title>{}{}</item></channel></rss>",
            start.repeat(count),
            end.repeat(count)
        ))
    };
    let refused = Some("ParseError");
    check("200000 tags in each other", nested("<a>", "</a>", 200_000), refused);
    check("media groups in each other", nested("<media:group>", "</media:group>", 70_000), refused);
    check("bases in each other", nested("<a xml:base='b/'>", "</a>", 90_000), refused);
    check("200000 open tags", feed(format!("{RSS}{}", "<a>".repeat(200_000))), refused);
    check("4000 tags in each other", nested("<a>", "</a>", 4000), None);
    check("4000 media groups", nested("<media:group>", "</media:group>", 4000), None);
    check("4000 bases", nested("<a xml:base='b/'>", "</a>", 4000), None);

    let items = format!("<rss version=\"2.0\"><channel>{}", "<item/>".repeat(250_000));
    check("250000 items", feed(items), refused);
    let base = format!(
        "<feed xmlns=\"http://www.w3.org/2005/Atom\" xml:base=\"/{}/\">",
        "a".repeat(1 << 20)
    );
    let entry = format!("<entry><link href='b'/><title>{}</title></entry>", "c".repeat(100));
    check("one long base", feed(filled(&base, &entry, "</feed>")), None);
    let item = "<item><link>b</link><category>c</category><category>d</category></item>";
    check(
        "20000 items",
        feed(format!("<rss><channel>{}", item.repeat(20_000))),
        Some("ParseError"),
    );
    check("16000 items", feed(format!("<rss><channel>{}", item.repeat(16_000))), None);
}

#[test]
fn text_that_grows_as_it_is_mended_stays_small() {
    check("ampersands", feed(filled(RSS, "&", RSS_END)), None);
    let atom = "<feed xmlns=\"http://www.w3.org/2005/Atom\"><entry><content type=\"xhtml\"><div>";
    let atom_end = "</div></content></entry></feed>";
    check("ampersands in XHTML", feed(filled(atom, "&", atom_end)), None);
    check("angle brackets in XHTML", feed(filled(atom, "<", atom_end)), None);
    // Each byte is three in UTF-8.
    let euros = |start: &str, end: &str| {
        let declaration = "<?xml version=\"1.0\" encoding=\"windows-1252\"?>";
        let count = LIMIT - declaration.len() - start.len() - end.len();
        feed(
            [declaration.as_bytes(), start.as_bytes(), &vec![0x80; count], end.as_bytes()].concat(),
        )
    };
    check("a long title", euros(RSS, RSS_END), None);
    check("a long text", euros(atom, atom_end), None);
    let json = "{\"items\":[{\"id\":1,\"tags\":[";
    check("a list", feed(filled(json, "1,", "1]}]}")), Some("ParseError"));
    check(
        "lists in each other",
        feed(filled("{\"items\":[{\"title\":\"a\"}],\"a\":", "[", "")),
        None,
    );
}

#[test]
fn bodies_that_are_too_long_are_cut_as_they_come() {
    let long = filled(RSS, "a", RSS_END);
    check("3 MiB", feed(long.clone() + &" ".repeat(1 << 20)), Some("LimitExceeded"));
    check("2 MiB", feed(long), None);
    check("a body without an end", Answer::endless(RSS), Some("LimitExceeded"));
}

#[test]
fn bodies_that_decode_to_much_more_are_cut_as_they_come() {
    const ZEROS: [u8; 63] = [0; 63];
    const GZIP_START: [u8; 10] = *b"\x1f\x8b\x08\0\0\0\0\0\x02\x03";
    // 64 KiB of zeros each; the first of a stream, one more, one that is the last as well.
    let first =
        [b"\xec\xc1\x01\x01\0\0\0\x80\x90\xfe\xaf\xee\x08\x0a", &ZEROS[..], b"\x6a\0\0\0\xff\xff"]
            .concat();
    let more =
        [b"\xec\xc1\x01\x09\0\0\0\x80\xa0\xff\xaf\xa3\x1f\x2a", &ZEROS[..], b"\x2c\0\0\0\xff\xff"]
            .concat();
    let only =
        [b"\xed\xc1\x01\x01\0\0\0\x80\x90\xfe\xaf\xee\x08\x0a", &ZEROS[..], b"\x6a"].concat();
    let member = [&GZIP_START[..], &only, b"\xeb\x8e\x97\xd7\0\0\x01\0"].concat();
    // 256 MiB each.
    let bombs = [
        ("gzip", [&GZIP_START[..], &first, &more.repeat(4096)].concat()),
        ("gzip", member.repeat(4096)),
        (
            "br",
            [
                &b"\x83\xff\x7f\0\x24\0\xe2\xb1\x40\x72\xef\x01\x0c"[..],
                &b"\xf8\xff\x07\x40\x02\x20\x0e\x0b\x40\xf7\x1e\xc0\0"[..].repeat(4096),
            ]
            .concat(),
        ),
        // A window of 128 KiB, then blocks of 128 KiB of one byte.
        ("zstd", [&b"\x28\xb5\x2f\xfd\0\x38"[..], &b"\x02\0\x10\0".repeat(2048)].concat()),
    ];
    for (encoding, bomb) in bombs {
        let answer = feed(bomb).header("content-encoding", encoding);
        check(encoding, answer, Some("LimitExceeded"));
    }
}

fn feed(body: impl AsRef<[u8]>) -> Answer {
    Answer::ok("application/rss+xml", body)
}

/// As long as a body may be.
fn filled(start: &str, unit: &str, end: &str) -> String {
    let count = (LIMIT - start.len() - end.len()) / unit.len();
    format!("{start}{}{end}", unit.repeat(count))
}

/// Fetches an answer; all items are written to a file, too.
#[track_caller]
fn check(what: &str, answer: Answer, code: Option<&str>) {
    let world = World::new();
    let server = Loopback::builder().start().unwrap();
    server.answer("GET", "/feed", answer);
    let (idle, _) = run(&world, "hello");
    let url = format!("http://{}/feed", server.addr());
    let line = format!("rss fetch --url {url} --out artifacts/a.json --raw-out artifacts/a.xml");
    let (peak, envelope) = run(&world, &line);

    let message = &envelope["error_message"];
    assert_eq!(envelope["error_code"].as_str(), code, "{what}: {message}");
    let more = peak.saturating_sub(idle);
    assert!(more <= MOST_BYTES, "{what}: {} KiB more than idle", more >> 10);
    println!("{what}: {} KiB more than idle", more >> 10);
}

/// The most memory that the process had, and the envelope.
fn run(world: &World, line: &str) -> (u64, Value) {
    let said = world.path("said.json");
    // Not a pipe, which nobody would empty while the process is watched.
    let mut child = world
        .command(&["--allow-private", "exec", "--json", line])
        .stdout(File::create(&said).unwrap())
        .spawn()
        .unwrap();
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        peak = peak.max(most_bytes(&child).unwrap_or_default());
        thread::sleep(Duration::from_millis(1));
    }
    (peak, serde_json::from_slice(&fs::read(said).unwrap()).unwrap())
}

fn most_bytes(child: &Child) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib << 10)
}

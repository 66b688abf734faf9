//! A feed's URL may hold its reader's secret: it stays in the state, and out of the log.
#![expect(clippy::disallowed_methods, reason = "a test looks at what is on disk")]

use std::{fs, path::Path};

use super::together::{ok, terminal};

const SECRET: &str = "geheim-4711";

#[test]
fn what_is_secret_in_a_subscription_is_in_no_record() {
    let root = tempfile::tempdir().unwrap();
    let terminal = terminal(root.path(), || ());
    let exec = |line: &str| terminal.exec_blocking(line);
    ok(&exec(&format!("rss add --name news --url \"https://feeds.example/?feed_token={SECRET}\"")));
    let listed = ok(&exec("rss list"));
    assert!(listed.to_string().contains(SECRET), "who asks for it gets it: {listed}");
    for line in [
        "rss list --out artifacts/rss/subscriptions.json",
        "rss fetch --name news",
        "rss add --name other --url https://feeds.example/other",
        "rss fetch --name other",
        "rss remove --name other",
    ] {
        ok(&exec(line));
    }
    assert_eq!(exec("rss remove --name nobody").error_code.as_deref(), Some("NotFound"));
    let log = everything_in(&root.path().join("audit"));
    assert!(log.contains("feed_token={{secret:1}}"), "{log}");
    assert!(!log.contains(SECRET), "{log}");
}

#[test]
fn what_is_secret_in_a_state_that_nobody_can_read_is_in_no_record() {
    let url = format!("https://feeds.example/?feed_token={SECRET}");
    let entry = format!(r#"{{"name":"news","url":"{url}","created_at_ms":1,"updated_at_ms":2}}"#);
    for content in [
        format!("[{entry},]"),
        format!(r#"[{entry},{{"name":"B"}}]"#),
        format!("[{}]", entry.replace("https://", "")),
        format!("[{}", entry.replace('"', "'")),
    ] {
        let root = tempfile::tempdir().unwrap();
        let terminal = terminal(root.path(), || ());
        let folder = root.path().join(".agents/workspace/rss");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("subscriptions.json"), &content).unwrap();
        let envelope = terminal.exec_blocking("rss list");
        assert_eq!(envelope.error_code.as_deref(), Some("StateCorrupt"), "{content}");
        let log = everything_in(&root.path().join("audit"));
        assert!(log.contains("feed_token={{secret:1}}") && !log.contains(SECRET), "{log}");
    }
}

#[test]
fn what_is_secret_in_a_url_with_a_mistake_is_in_no_record() {
    for url in ["localhost:8080/feed", "feeds.example/feed", "/feed", "https:feeds.example/"] {
        let root = tempfile::tempdir().unwrap();
        let terminal = terminal(root.path(), || ());
        let line = format!("rss fetch --url \"{url}?token={SECRET}\"");
        let envelope = terminal.exec_blocking(&*line);
        assert_eq!(envelope.error_code.as_deref(), Some("InvalidArgs"), "{url}");
        let log = everything_in(&root.path().join("audit"));
        assert!(!log.contains(SECRET), "{log}");
    }
}

fn everything_in(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => text.push_str(&everything_in(&path)),
            false => text.push_str(&String::from_utf8_lossy(&fs::read(&path).unwrap())),
        }
    }
    text
}

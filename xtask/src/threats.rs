//! The threat model of `SECURITY.md` and the tests it names, held together.
//!
//! A threat is a heading `### TL-001 …`, a paragraph that begins with `Defence:`, and a list of
//! tests, a file on each line: ``- `path`: `test`, `test` ``.

use std::{collections::BTreeSet, fs, path::Path};

use anyhow::Context;

/// What does not fit: a threat without defence or test, a number out of its row, a test that is not
/// there, and a number that `mentions` names and no threat has.
pub(crate) fn findings(root: &Path, mentions: &[(String, String)]) -> anyhow::Result<Vec<String>> {
    let page = fs::read_to_string(root.join(PAGE)).with_context(|| format!("read {PAGE}"))?;
    let threats = threats(&page);
    let mut findings = Vec::new();
    if threats.is_empty() {
        findings.push(format!("{PAGE} has no threats"));
    }
    for (threat, number) in threats.iter().zip(1..) {
        let id = threat.id;
        if id != format!("TL-{number:03}") {
            findings.push(format!("`{id}` stands where TL-{number:03} should"));
        }
        if !threat.has_defence {
            findings.push(format!("{id} has no paragraph that begins with `Defence:`"));
        }
        if threat.tests.is_empty() {
            findings.push(format!("{id} names no test"));
        }
        for (file, test) in &threat.tests {
            match fs::read_to_string(root.join(file)) {
                Ok(source) if has_test(&source, test) => {}
                Ok(_) => findings.push(format!("{id}: `{file}` has no test `{test}`")),
                Err(_) => findings.push(format!("{id}: there is no file `{file}`")),
            }
        }
    }
    let known: BTreeSet<_> = threats.iter().map(|threat| threat.id).collect();
    for (file, text) in mentions {
        for id in mentioned(text).filter(|id| !known.contains(id)) {
            findings.push(format!("`{file}` names {id}, and {PAGE} does not"));
        }
    }
    Ok(findings)
}

const PAGE: &str = "SECURITY.md";

#[derive(Debug)]
struct Threat<'page> {
    id: &'page str,
    has_defence: bool,
    /// File and test.
    tests: Vec<(&'page str, &'page str)>,
}

fn threats(page: &str) -> Vec<Threat<'_>> {
    let mut threats: Vec<Threat<'_>> = Vec::new();
    let mut file = None;
    let mut is_open = false;
    for line in page.lines() {
        if line.starts_with('#') {
            is_open = false;
        }
        if let Some(heading) = line.strip_prefix("### ")
            && heading.starts_with("TL-")
        {
            let id = heading.split(' ').next().unwrap_or_default();
            threats.push(Threat { id, has_defence: false, tests: Vec::new() });
            (file, is_open) = (None, true);
        }
        let Some(threat) = threats.last_mut().filter(|_| is_open) else { continue };
        threat.has_defence |= line.starts_with("Defence:");
        // A list item goes on where the next line is indented.
        let item = line.strip_prefix("- ");
        if item.is_none() && !line.starts_with("  ") {
            file = None;
        }
        let mut names = line.split('`').skip(1).step_by(2);
        if item.is_some() {
            file = names.next();
        }
        if let Some(file) = file {
            threat.tests.extend(names.map(|test| (file, test)));
        }
    }
    threats
}

/// Whether the source has a function of that name under a test attribute.
fn has_test(source: &str, name: &str) -> bool {
    let lines: Vec<_> = source.lines().map(str::trim).collect();
    let opens = format!("fn {name}(");
    lines.iter().enumerate().any(|(at, line)| {
        let is_named = line.starts_with(&opens) || line.starts_with(&format!("async {opens}"));
        let above = lines.get(..at).unwrap_or_default().iter().rev();
        is_named
            && above
                .take_while(|line| line.starts_with("#[") || line.starts_with("//"))
                .any(|line| *line == "#[test]" || line.starts_with("#[tokio::test"))
    })
}

/// Every `TL-` with three digits in a text.
fn mentioned(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("TL-").filter_map(|(at, _)| {
        let id = text.get(at..at + 6)?;
        id.get(3..)?.bytes().all(|byte| byte.is_ascii_digit()).then_some(id)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "#[test]\n// Why.\nfn holds() {}\n\nfn helper() {}\n";

    fn found(page: &str, source: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(PAGE), page).unwrap();
        fs::write(folder.path().join("a.rs"), SOURCE).unwrap();
        findings(folder.path(), &[("b.rs".to_owned(), source.to_owned())]).unwrap()
    }

    #[test]
    fn a_threat_with_defence_and_test_is_in_order() {
        let page = "# S\n\n### TL-001 One\n\nX.\n\nDefence: a wall.\n\n- `a.rs`:\n  `holds`\n";
        assert_eq!(found(page, "// TL-001 here"), Vec::<String>::new());
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let page = "### TL-001 One\n\nDefence: a wall.\n\n- `a.rs`: `helper`, `gone`\n- `c.rs`: `x`\n\
                    ### TL-003 Two\n";
        assert_eq!(
            found(page, "// TL-009"),
            [
                "TL-001: `a.rs` has no test `helper`",
                "TL-001: `a.rs` has no test `gone`",
                "TL-001: there is no file `c.rs`",
                "`TL-003` stands where TL-002 should",
                "TL-003 has no paragraph that begins with `Defence:`",
                "TL-003 names no test",
                "`b.rs` names TL-009, and SECURITY.md does not",
            ]
        );
        assert_eq!(found("# Nothing\n", ""), ["SECURITY.md has no threats"]);
    }
}

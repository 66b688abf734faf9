//! [`junit`]: a report as the XML that test reports are read as.

use super::{
    model::Report,
    reported::Reported,
    text::{Escaped, beginning},
};
use crate::CaseName;

/// Of each case so much is said.
const MOST_TEXT: usize = 64 * 1024;

/// One suite, a test for each case: its class is its group.
pub(crate) fn junit(report: &Report) -> String {
    let ok = report.ok.iter().map(|name| (name, None));
    let mut cases: Vec<(&CaseName, Option<&Reported>)> =
        ok.chain(report.cases.iter().map(|case| (&case.name, Some(case)))).collect();
    cases.sort_by_key(|(name, _)| *name);
    let count = |element: &str| {
        report.cases.iter().filter(|case| element_of(case.verdict) == element).count()
    };
    let counts = format!(
        "name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"",
        Escaped(&report.kit.called),
        cases.len(),
        count("failure"),
        count("error"),
        count("skipped")
    );
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n  <testsuite {counts}>\n"
    );
    for (name, reported) in cases {
        let (group, case) = name.as_str().split_once('/').unwrap_or(("", name.as_str()));
        let begin = format!("    <testcase classname=\"{group}\" name=\"{case}\"");
        let element = match reported {
            None => "/>\n".to_owned(),
            Some(reported) => format!(">{}</testcase>\n", why(reported)),
        };
        xml.push_str(&begin);
        xml.push_str(&element);
    }
    xml + "  </testsuite>\n</testsuites>\n"
}

fn element_of(verdict: &str) -> &'static str {
    match verdict {
        "broken" => "error",
        "skipped" => "skipped",
        _ => "failure",
    }
}

fn why(case: &Reported) -> String {
    let element = element_of(case.verdict);
    let message = match case.reasons.join(", ") {
        none if none.is_empty() => case.verdict.to_owned(),
        reasons => format!("{}: {reasons}", case.verdict),
    };
    let message = Escaped(&message).to_string().replace('\n', "&#10;");
    let said = beginning(&case.said, MOST_TEXT);
    let cut = if said.len() < case.said.len() { "…\n" } else { "" };
    format!(
        "<{element} message=\"{message}\" type=\"{}\">{}{cut}</{element}>",
        case.verdict,
        Escaped(said)
    )
}

//! A case on the page: old and new side by side, exchanges, where it comes from.

use super::{
    super::{
        changes::Change,
        exchanges::Exchange,
        model::Report,
        reported::Reported,
        rows::{Line, Row, Rows, rows},
        text::{beginning, language},
    },
    element::Markup,
};

/// Of a case so much is shown; then places are named alone.
const MOST_BYTES: usize = 256 * 1024;
/// Requests are shown so far.
const MOST_REQUESTS: usize = 16 * 1024;
const MOST_EXCHANGES: usize = 20;

/// The whole case, folded.
pub(super) fn case_element(report: &Report, case: &Reported, page: &mut Markup) {
    let name = case.name.as_str();
    page.line_break();
    page.element("details", &[("class", "case"), ("id", name), ("data-name", name)], |page| {
        page.element("summary", &[], |page| summary(case, page));
        if !case.line.is_empty() {
            page.say("pre", &[("class", "line"), ("lang", language(&case.line))], &case.line);
        }
        for reason in &case.reasons {
            page.say("p", &[("class", "reason"), ("lang", language(reason))], reason);
        }
        let begin = page.len();
        for change in &case.changes {
            match page.len() - begin < MOST_BYTES {
                true => change_element(change, page),
                false => page.say("h3", &[], &format!("{}, not shown", change.place)),
            }
        }
        exchanges(case, page);
        if !case.provenance.is_empty() {
            page.element("details", &[("class", "more")], |page| {
                page.say("summary", &[], "Provenance");
                page.element("dl", &[], |page| {
                    for (name, value) in &case.provenance {
                        page.say("dt", &[], name);
                        page.say("dd", &[], value);
                    }
                });
            });
        }
        let look = report.kit.call(&format!("diff {name}"));
        page.say("pre", &[("class", "command")], &look);
    });
}

/// Its name, and what it shows.
pub(super) fn summary(case: &Reported, page: &mut Markup) {
    page.say("code", &[("class", "name")], case.name.as_str());
    page.text(" ");
    page.say("span", &[("class", "title"), ("lang", language(&case.title))], &case.title);
}

fn change_element(change: &Change, page: &mut Markup) {
    let Rows { rows, cut } = rows(change.expected.as_deref(), change.actual.as_deref());
    let texts = [&change.expected, &change.actual];
    let language = texts.into_iter().flatten().map(|text| language(text)).max().unwrap_or("");
    page.say("h3", &[], &change.place);
    page.element("table", &[("class", "diff"), ("lang", language)], |page| {
        page.element("colgroup", &[], |page| {
            for class in ["number", "text", "number", "text"] {
                page.open("col", &[("class", class)]);
            }
        });
        page.element("thead", &[("lang", "en")], |page| {
            page.element("tr", &[], |page| {
                for (text, title, nothing) in [
                    (&change.expected, "expected", "expected: nothing"),
                    (&change.actual, "came", "came: nothing"),
                ] {
                    let title = if text.is_some() { title } else { nothing };
                    page.say("th", &[("scope", "col"), ("colspan", "2")], title);
                }
            });
        });
        page.element("tbody", &[], |page| rows.iter().for_each(|row| row_element(row, page)));
    });
    if cut > 0 {
        let note = format!("{cut} bytes more are not shown");
        page.say("p", &[("class", "note")], &note);
    }
}

fn row_element(row: &Row, page: &mut Markup) {
    match row {
        Row::Alike(count) => page.element("tr", &[("class", "alike")], |page| {
            let lines = if *count == 1 { "line" } else { "lines" };
            page.say("td", &[("colspan", "4"), ("lang", "en")], &format!("{count} {lines} alike"));
        }),
        Row::Same(line, number) => page.element("tr", &[("class", "same")], |page| {
            cell("td", Some((line.number, line)), page);
            cell("td", Some((*number, line)), page);
        }),
        Row::Changed(old, new) => page.element("tr", &[], |page| {
            cell("del", old.as_ref().map(|line| (line.number, line)), page);
            cell("ins", new.as_ref().map(|line| (line.number, line)), page);
        }),
    }
    page.line_break();
}

/// A line's number and text; `tag` is what the text is, `td` where it is nothing of note.
fn cell(tag: &'static str, line: Option<(usize, &Line)>, page: &mut Markup) {
    let Some((number, line)) = line else {
        page.say("td", &[("class", "none"), ("colspan", "2")], "");
        return;
    };
    let pieces = |page: &mut Markup| {
        for (is_changed, piece) in &line.parts {
            match is_changed {
                true => page.say("mark", &[], piece),
                false => page.text(piece),
            }
        }
        if line.is_unended && tag != "td" {
            page.say("i", &[("lang", "en")], "no line break");
        }
    };
    page.say("td", &[("class", "number")], &number.to_string());
    match tag {
        "td" => page.element("td", &[], pieces),
        tag => page.element("td", &[("class", tag)], |page| page.element(tag, &[], pieces)),
    }
}

fn exchanges(case: &Reported, page: &mut Markup) {
    if case.exchanges.is_empty() && case.requests.is_empty() {
        return;
    }
    page.element("details", &[("class", "more")], |page| {
        page.say("summary", &[], "Exchanges");
        if !case.requests.is_empty() {
            let shown = beginning(&case.requests, MOST_REQUESTS);
            page.say("h3", &[], "asked");
            page.say("pre", &[("lang", language(shown))], shown);
            note_if_cut(shown.len(), case.requests.len(), page);
        }
        for exchange in case.exchanges.iter().take(MOST_EXCHANGES) {
            exchange_element(exchange, page);
        }
        let left = case.exchanges.len().saturating_sub(MOST_EXCHANGES);
        if left > 0 {
            page.say("p", &[("class", "note")], &format!("{left} more answers are not shown"));
        }
    });
}

fn exchange_element(exchange: &Exchange, page: &mut Markup) {
    let Exchange { request, outcome, headers, body, .. } = exchange;
    page.element("h3", &[], |page| {
        page.text("answer to ");
        page.say("code", &[], request);
        page.text(": ");
        page.say("b", &[], outcome);
    });
    if !headers.is_empty() {
        page.say("pre", &[], headers);
    }
    page.say("p", &[("class", "note")], &exchange.extent());
    if !body.is_empty() {
        page.say("pre", &[("lang", language(body))], body);
    }
}

fn note_if_cut(shown: usize, of: usize, page: &mut Markup) {
    if shown < of {
        let note = format!("{} bytes more are not shown", of - shown);
        page.say("p", &[("class", "note")], &note);
    }
}

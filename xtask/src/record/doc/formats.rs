//! Each format in each mode.

use super::{documents, note, scenario};
use crate::record::scenario::Scenario;

pub(super) fn scenarios() -> Vec<Scenario> {
    let mut scenarios = vec![
        scenario("docx-as-markdown", "a report in Word becomes Markdown in a file")
            .line("doc extract --in inbox/report.docx --out artifacts/doc/report.md")
            .file("inbox/report.docx", documents::report())
            .shows("/result/format", "docx")
            .shows("/result/status", "extracted"),
        scenario("pdf-first-characters", "the beginning of a PDF is shown as plain text")
            .line("doc extract --in inbox/report.pdf --mode text --max-chars 2000")
            .file("inbox/report.pdf", documents::letter())
            .shows("/result/format", "pdf")
            .shows("/result/pages", 2),
        scenario("pptx-as-json", "the blocks of a presentation say on which slide they stand")
            .line("doc extract --in inbox/slides.pptx --mode json --out artifacts/doc/slides.json")
            .file("inbox/slides.pptx", documents::talk())
            .shows("/result/format", "pptx")
            .shows("/result/slides", 2),
        scenario("group-help", "the group alone is its help").line("doc"),
        scenario("ocr-help", "`--help` says where the models come from").line("doc ocr --help"),
        scenario("extract-help", "`--help` says what is read and what it means")
            .line("doc extract --help"),
    ];
    let documents = [
        ("docx", documents::report()),
        ("pdf", documents::letter()),
        ("pptx", documents::talk()),
        ("xlsx", documents::sales()),
    ];
    let modes = [
        ("md", "markdown", "md", "a document becomes Markdown"),
        ("text", "text", "txt", "a document becomes plain text"),
        ("json", "json", "json", "a document becomes a JSON object of blocks"),
    ];
    for (format, document) in documents {
        for (mode, name, suffix, title) in modes {
            let case = format!("{format}-as-{name}");
            if scenarios.iter().any(|scenario| scenario.name.ends_with(&format!("/{case}"))) {
                continue;
            }
            let line = format!("doc extract --in a.{format} --mode {mode} --out a.{suffix}");
            scenarios.push(
                scenario(&case, title)
                    .line(line)
                    .file(&format!("a.{format}"), document.clone())
                    .shows("/result/status", "extracted")
                    .shows("/result/format", format),
            );
        }
    }
    scenarios.extend([
        scenario("format-by-bytes", "the bytes decide what a document is, not its name")
            .line("doc extract --in letter.pdf")
            .file("letter.pdf", note())
            .shows("/result/format", "docx"),
        scenario("overwrite", "an older text is replaced when that is approved")
            .line("doc extract --in note.docx --out note.md --overwrite")
            .file("note.docx", note())
            .file("note.md", "older\n")
            .yes()
            .shows("/result/status", "extracted"),
        scenario("no-text", "a document without text is empty, and no error")
            .line("doc extract --in empty.docx")
            .file("empty.docx", documents::docx(""))
            .shows("/result/status", "empty"),
        scenario("long-text-on-stdout", "what stdout does not hold is kept whole as an artifact")
            .line("doc extract --in long.docx --mode text")
            .file(
                "long.docx",
                documents::docx(&documents::paragraph("Line after line of it. ").repeat(800)),
            )
            .shows("/result/status", "extracted")
            .shows("/truncated/0/what", "stdout"),
    ]);
    scenarios
}

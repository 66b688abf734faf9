//! `doc extract`: a document's text.

use std::fmt::Write as _;

use serde::Serialize;
use tapeline::{
    Capabilities, Command, Context, ErrorCode, Failure, Limits, Out, Progress, Registration, Spec,
    WorkspacePath, async_trait, clap,
};

use super::{
    input,
    read::{self, Count, Extraction, Options, STACK_BYTES},
    said::{Status, say},
    warning::Warning,
};

pub(super) const REGISTRATION: Registration = tapeline::registration::<Extract>();

tapeline::inventory::submit! { REGISTRATION }

#[derive(Default)]
struct Extract;

#[derive(clap::Args, Serialize)]
struct ExtractArgs {
    /// The document: pdf, docx, pptx or xlsx in the workspace.
    #[arg(long = "in", value_name = "PATH")]
    #[serde(rename = "in")]
    input: WorkspacePath,

    #[command(flatten)]
    #[serde(flatten)]
    out: Out,

    /// What the document has to be.
    #[arg(long, value_name = "FORMAT", default_value = "auto")]
    format: Format,

    /// How the text is written down.
    #[arg(long, value_name = "MODE", default_value = "md")]
    mode: Mode,

    /// Cut the text at so many characters, 1 to 5,000,000.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 200_000,
        allow_negative_numbers = true,
        value_parser = parse_max_chars
    )]
    max_chars: u32,
}

#[derive(Clone, Copy, clap::ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum Format {
    /// What its bytes say.
    Auto,
    Pdf,
    Docx,
    Pptx,
    Xlsx,
}

#[derive(Clone, Copy, clap::ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    /// Plain text.
    Text,
    /// Markdown.
    Md,
    /// A JSON object of blocks, with page, slide and sheet numbers.
    Json,
}

#[derive(Serialize)]
struct ExtractOutput {
    status: Status,
    format: super::Format,
    mode: super::Mode,
    extracted_chars: usize,
    truncated: bool,
    #[serde(flatten)]
    count: Count,
    warnings: Vec<Warning>,
    #[serde(skip_serializing_if = "Option::is_none")]
    out: Option<String>,
}

#[async_trait]
impl Command for Extract {
    type Args = ExtractArgs;
    type Output = ExtractOutput;

    fn spec() -> Spec {
        Spec::new("doc extract", "the text of a PDF, Word, PowerPoint or Excel document")
            .long_help(
                "\
Reads pdf, docx, pptx and xlsx; the bytes decide which it is. `--mode md` gives headings, lists,
tables, links, footnotes and comments as Markdown, `--mode text` plain text, `--mode json` an object
`{format, truncated, blocks}` whose blocks say on which page, slide or sheet they stand.

The text goes to `--out`, a file named `.md`, `.txt` or `.json`, or else to stdout, which is cut at
its limit and then kept whole as an artifact. A text longer than `--max-chars` is cut: `truncated:
true`, and its last line says so. Of a PDF the first 5,000 pages are read.

`warnings` tell what the text does not: pages without text (`ScannedPages`), fonts that do not say
what their glyphs mean (`UnmappedGlyphs`), hidden sheets, formulas that were never computed, macros,
embedded objects, damaged parts, entities that are not followed.

A document may have 64 MiB, each part of it that is held in memory 64 MiB unpacked, a sheet 1 GiB,
all of it 2 GiB, 10,000 files, 256 elements inside each other and 20 million cells
(`LimitExceeded`). With a password: `Encrypted`. Documents of other kinds are `NotSupported`, and
the hint says what to do.",
            )
            .example(
                "doc extract --in inbox/report.docx --out artifacts/doc/report.md",
                "a document as Markdown in a file",
            )
            .example(
                "doc extract --in inbox/report.pdf --mode text --max-chars 2000",
                "the beginning of a PDF as plain text",
            )
            .example(
                "doc extract --in inbox/slides.pptx --mode json --out artifacts/doc/slides.json",
                "the blocks of a presentation, with the slides they stand on",
            )
            .capabilities(Capabilities::none().read_files())
            .limits(Limits::UNBOUNDED)
            .error_codes(&[ErrorCode::NOT_FOUND, ErrorCode::ENCRYPTED, ErrorCode::PARSE_ERROR])
    }

    async fn run(&self, args: ExtractArgs, door: &Context) -> Result<ExtractOutput, Failure> {
        input::check_out(Some(&args.input), &args.out, input::TEXT_SUFFIXES)?;
        let bytes = input::read(&args.input, door)?;
        let file = args.out.open(door).await?;
        let options = Options {
            format: args.format.named(),
            mode: args.mode.into(),
            max_chars: usize::try_from(args.max_chars).unwrap_or(usize::MAX),
        };
        let extraction = door
            .worker(STACK_BYTES, move |door| {
                read::extract(&bytes, &options, |done, total| {
                    door.progress(Progress { done, total, what: "reading".to_owned() });
                    !door.cancelled()
                })
            })
            .await??;
        let Extraction { format, text, extracted_chars, truncated, count, warnings } = extraction;
        for warning in &warnings {
            door.stderr().line(&format!("warning: {warning}"));
        }
        let out = match file {
            Some(file) => {
                let description = format!("the text of {}", args.input);
                Some(file.finish(text.as_bytes(), args.mode.mime(), &description)?)
            }
            None => None,
        };
        let status = Status::of(extracted_chars, truncated);
        let mode = args.mode.into();
        let output = ExtractOutput {
            status,
            format,
            mode,
            extracted_chars,
            truncated,
            count,
            warnings,
            out,
        };
        let summary = summary(&args.input, &output);
        say(door, &summary, output.out.as_deref(), extracted_chars, &text);
        Ok(output)
    }
}

/// The value of `--max-chars`.
///
/// # Errors
/// It is no number from 1 to 5,000,000.
fn parse_max_chars(text: &str) -> Result<u32, &'static str> {
    text.parse()
        .ok()
        .filter(|count| (1..=5_000_000).contains(count))
        .ok_or("it is no whole number from 1 to 5000000")
}

/// What is said above the text, or instead of it.
fn summary(input: &WorkspacePath, output: &ExtractOutput) -> String {
    let count = &output.count;
    let counts = [
        (count.pages, "page"),
        (count.paragraphs, "paragraph"),
        (count.slides, "slide"),
        (count.sheets, "sheet"),
    ];
    let mut text = format!("{input}: {}", output.format.name());
    for (number, one) in counts.into_iter().filter_map(|(count, one)| Some((count?, one))) {
        let _ = write!(text, ", {number} {one}{}", if number == 1 { "" } else { "s" });
    }
    let chars = output.extracted_chars;
    let _ = match output.status {
        Status::Empty => write!(text, ", no text"),
        Status::Truncated => {
            write!(text, ", the first {chars} characters as {}", output.mode.name())
        }
        Status::Extracted => write!(text, ", {chars} characters as {}", output.mode.name()),
    };
    match output.warnings.len() {
        0 => {}
        1 => text.push_str(", 1 warning"),
        warnings => {
            let _ = write!(text, ", {warnings} warnings");
        }
    }
    text
}

impl Format {
    fn named(self) -> Option<super::Format> {
        match self {
            Self::Auto => None,
            Self::Pdf => Some(super::Format::Pdf),
            Self::Docx => Some(super::Format::Docx),
            Self::Pptx => Some(super::Format::Pptx),
            Self::Xlsx => Some(super::Format::Xlsx),
        }
    }
}

impl Mode {
    fn mime(self) -> &'static str {
        match self {
            Self::Text => "text/plain; charset=utf-8",
            Self::Md => "text/markdown; charset=utf-8",
            Self::Json => "application/json",
        }
    }
}

impl From<Mode> for super::Mode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Text => Self::Text,
            Mode::Md => Self::Md,
            Mode::Json => Self::Json,
        }
    }
}

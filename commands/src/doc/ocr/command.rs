//! `doc ocr`: the text of scanned pages.

use serde::Serialize;
use tapeline::{
    Capabilities, Command, Context, ErrorCode, Failure, Limits, Out, Registration, Spec,
    WorkspacePath, async_trait, clap,
};

use super::{
    super::{
        format, input,
        said::{Status, say},
        warning::Warning,
    },
    scan::{self, Scanned},
};

pub(in crate::doc) const REGISTRATION: Registration = tapeline::registration::<Ocr>();

tapeline::inventory::submit! { REGISTRATION }

#[derive(Default)]
struct Ocr;

#[derive(clap::Args, Serialize)]
struct OcrArgs {
    /// The pages: a PDF, png, jpg or tif in the workspace.
    #[arg(long = "in", value_name = "PATH")]
    #[serde(rename = "in")]
    input: WorkspacePath,

    #[command(flatten)]
    #[serde(flatten)]
    out: Out,

    /// What the text is written in.
    #[arg(long, value_name = "LANG", default_value = "eng")]
    lang: Lang,

    /// How the text is written down.
    #[arg(long, value_name = "MODE", default_value = "text")]
    mode: Mode,

    /// Read so many pages at most, 1 to 500.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 50,
        allow_negative_numbers = true,
        value_parser = parse_max_pages
    )]
    max_pages: u32,
}

/// What the text is written in, by the names that tesseract has made usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
#[clap(rename_all = "snake_case")]
pub(super) enum Lang {
    /// English, and what else is written in its letters.
    Eng,
    /// Simplified Chinese, with English in it.
    ChiSim,
}

/// How the text is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Mode {
    /// Lines of text, pages apart by an empty line.
    Text,
    /// A JSON object of pages, their lines with confidence and place.
    Json,
}

#[derive(Serialize)]
struct OcrOutput {
    status: Status,
    pages: u32,
    extracted_chars: usize,
    /// Over characters, from 0 to 1, to two places.
    mean_confidence: f64,
    warnings: Vec<Warning>,
    #[serde(skip_serializing_if = "Option::is_none")]
    out: Option<String>,
}

#[async_trait]
impl Command for Ocr {
    type Args = OcrArgs;
    type Output = OcrOutput;

    fn spec() -> Spec {
        Spec::new("doc ocr", "the text of scanned pages and pictures of text")
            .long_help(
                "\
Reads the pages of a PDF as pictures, and png, jpg and tif, by models that the host names: text is
found, pages that lie on a side or are skewed are set right, and lines are read from top to bottom.

The models are PP-OCR's, and no part of this program. Its feature `ocr` has to be built in, and the
host's configuration to name them:

    [models.ocr]
    det = \"ch_PP-OCRv4_det_infer.onnx\"
    rec = \"ch_PP-OCRv4_rec_infer.onnx\"

The PyPI wheel `rapidocr-onnxruntime` has both in `rapidocr_onnxruntime/models/`. Without feature or
models the answer is `NotSupported`.

`mean_confidence` is over the characters that were read. A page has at most 100 megapixels. Other
machines may read a letter otherwise: a run that used models is not replayed.",
            )
            .example(
                "doc ocr --in inbox/scan.pdf --out artifacts/doc/scan.txt",
                "the text of a scanned PDF in a file",
            )
            .example("doc ocr --in inbox/receipt.jpg --lang chi_sim", "a photograph in Chinese")
            .capabilities(Capabilities::none().read_files())
            .limits(Limits::UNBOUNDED)
            .error_codes(&[ErrorCode::NOT_FOUND, ErrorCode::ENCRYPTED, ErrorCode::PARSE_ERROR])
    }

    async fn run(&self, args: OcrArgs, door: &Context) -> Result<OcrOutput, Failure> {
        input::check_out(Some(&args.input), &args.out, input::TEXT_SUFFIXES)?;
        let bytes = input::read(&args.input, door)?;
        format::check_scan(&bytes)?;
        let file = args.out.open(door).await?;
        let (lang, mode) = (args.lang, args.mode);
        let scanned = scan::read(door, bytes, lang, mode, args.max_pages).await?;
        let Scanned { text, pages, chars, mean_confidence, is_cut, warnings } = scanned;
        for warning in &warnings {
            door.stderr().line(&format!("warning: {warning}"));
        }
        let out = match file {
            Some(file) => {
                let description = format!("the text of {}, read from its pixels", args.input);
                Some(file.finish(text.as_bytes(), mode.mime(), &description)?)
            }
            None => None,
        };
        let status = Status::of(chars, is_cut);
        let output =
            OcrOutput { status, pages, extracted_chars: chars, mean_confidence, warnings, out };
        let summary = summary(&args.input, &output);
        say(door, &summary, output.out.as_deref(), chars, &text);
        Ok(output)
    }
}

/// # Errors
/// It is no number from 1 to 500.
fn parse_max_pages(text: &str) -> Result<u32, &'static str> {
    text.parse()
        .ok()
        .filter(|count| (1..=500).contains(count))
        .ok_or("it is no whole number from 1 to 500")
}

/// What is said above the text, or instead of it.
fn summary(input: &WorkspacePath, output: &OcrOutput) -> String {
    let OcrOutput { status, pages, extracted_chars, mean_confidence, .. } = output;
    let of_pages = if *pages == 1 { "page" } else { "pages" };
    let first = match status {
        Status::Empty => return format!("{input}: {pages} {of_pages}, no text"),
        Status::Truncated => "the first ",
        Status::Extracted => "",
    };
    format!(
        "{input}: {first}{pages} {of_pages}, {extracted_chars} characters, confidence \
         {mean_confidence:.2}"
    )
}

impl Mode {
    fn mime(self) -> &'static str {
        match self {
            Self::Text => "text/plain; charset=utf-8",
            Self::Json => "application/json",
        }
    }
}

//! [`read`]: the pages of a document through the engine, where there is one.

use tapeline::{Context, ErrorCode, Failure};

use super::{
    super::warning::Warning,
    command::{Lang, Mode},
};

/// What was read of a document.
pub(super) struct Scanned {
    pub(super) text: String,
    /// Those that were read.
    pub(super) pages: u32,
    pub(super) chars: usize,
    /// From 0 to 1, to two places.
    pub(super) mean_confidence: f64,
    /// There are more pages.
    pub(super) is_cut: bool,
    pub(super) warnings: Vec<Warning>,
}

/// # Errors
/// `NotSupported`.
#[cfg(not(feature = "ocr"))]
pub(super) async fn read(
    _door: &Context,
    _bytes: Vec<u8>,
    _lang: Lang,
    _mode: Mode,
    _max_pages: u32,
) -> Result<Scanned, Failure> {
    Err(without_models())
}

#[cfg(feature = "ocr")]
pub(super) use self::with_engine::read;

#[cfg(feature = "ocr")]
mod with_engine {
    use serde::Serialize;
    use tapeline::Progress;

    use super::{
        super::{
            super::{
                format::{encrypted, unreadable},
                read::STACK_BYTES,
                warning::Code,
            },
            engine::{Engine, Halt, Language, Line, Page, Pages, Problem},
        },
        Context, ErrorCode, Failure, Lang, Mode, Scanned, Warning, not_supported, without_models,
    };

    /// Reads pages with the models that the host names.
    ///
    /// # Errors
    /// `NotSupported` without models; `Encrypted`, `ParseError`, `LimitExceeded`.
    pub(in super::super) async fn read(
        door: &Context,
        bytes: Vec<u8>,
        lang: Lang,
        mode: Mode,
        max_pages: u32,
    ) -> Result<Scanned, Failure> {
        let model = |name| door.model(name).map_err(|_| without_models());
        let (det, rec) = (model("ocr.det")?, model("ocr.rec")?);
        door.worker(STACK_BYTES, move |door| {
            let engine =
                Engine::load(&det, &rec, language(lang)).map_err(|problem| failure(&problem))?;
            scan(door, &engine, bytes, mode, max_pages)
        })
        .await?
    }

    fn scan(
        door: &Context,
        engine: &Engine,
        bytes: Vec<u8>,
        mode: Mode,
        max_pages: u32,
    ) -> Result<Scanned, Failure> {
        let document = Pages::open(bytes).map_err(|problem| failure(&problem))?;
        let total = document.count();
        let count = total.min(usize::try_from(max_pages).unwrap_or(usize::MAX));
        let mut warnings = Vec::new();
        let mut pages = Vec::new();
        for index in 0..count {
            let go_on = || {
                let progress = Progress {
                    done: index as u64,
                    total: Some(count as u64),
                    what: "pages".into(),
                };
                door.progress(progress);
                if door.cancelled() { Err(()) } else { Ok(()) }
            };
            let stopped = || Failure::new(ErrorCode::CANCELLED, "the reading was stopped");
            go_on().map_err(|()| stopped())?;
            let read = document
                .page(index)
                .map_err(Halt::Problem)
                .and_then(|pixels| engine.read(pixels, &mut |_, _| go_on()));
            let lines = match read {
                Ok(Page { lines, .. }) => lines,
                Err(Halt::Stopped(())) => return Err(stopped()),
                Err(Halt::Problem(problem)) if count == 1 => return Err(failure(&problem)),
                Err(Halt::Problem(problem)) => {
                    let message = format!("the page cannot be read: {problem}");
                    let place = format!("page {}", index + 1);
                    warnings.push(Warning::new(Code::DamagedPart, message).at(place));
                    Vec::new()
                }
            };
            pages.push(lines);
        }
        door.progress(Progress {
            done: count as u64,
            total: Some(count as u64),
            what: "pages".into(),
        });
        if count < total {
            let message = format!(
                "the document has {total} pages: `--max-pages` takes up to 500, and {count} were read"
            );
            warnings.push(Warning::new(Code::PageLimit, message));
        }
        let lines = || pages.iter().flatten();
        let chars: usize = lines().map(|line| line.text.chars().count()).sum();
        let weighed: f64 =
            lines().map(|line| f64::from(line.confidence) * line.text.chars().count() as f64).sum();
        let mean = if chars == 0 { 0.0 } else { weighed / chars as f64 };
        Ok(Scanned {
            text: match mode {
                Mode::Text => text(&pages),
                Mode::Json => json(&pages),
            },
            pages: u32::try_from(count).unwrap_or(u32::MAX),
            chars,
            mean_confidence: (mean * 100.0).round() / 100.0,
            is_cut: count < total,
            warnings,
        })
    }

    fn language(lang: Lang) -> Language {
        match lang {
            Lang::Eng => Language::Latin,
            Lang::ChiSim => Language::Any,
        }
    }

    /// Lines, pages apart by an empty one.
    fn text(pages: &[Vec<Line>]) -> String {
        let mut text = String::new();
        for lines in pages.iter().filter(|lines| !lines.is_empty()) {
            if !text.is_empty() {
                text.push('\n');
            }
            for line in lines {
                text.push_str(&line.text);
                text.push('\n');
            }
        }
        text
    }

    /// `{"pages": [{"page", "lines": [{"text", "confidence", "quad"}]}]}`, a page on each line.
    fn json(pages: &[Vec<Line>]) -> String {
        #[derive(Serialize)]
        struct JsonPage<'a> {
            page: usize,
            lines: Vec<JsonLine<'a>>,
        }
        #[derive(Serialize)]
        struct JsonLine<'a> {
            text: &'a str,
            /// To two places.
            confidence: f64,
            /// The corners of the line on the page, in pixels, clockwise from the start of its
            /// upper edge.
            quad: [(i64, i64); 4],
        }
        let pages: Vec<String> = pages
            .iter()
            .enumerate()
            .map(|(index, lines)| {
                let lines = lines.iter().map(|line| JsonLine {
                    text: &line.text,
                    confidence: (f64::from(line.confidence) * 100.0).round() / 100.0,
                    quad: line.quad.map(|(x, y)| (whole(x), whole(y))),
                });
                let page = JsonPage { page: index + 1, lines: lines.collect() };
                // Strings and numbers: no value of these fails to be written.
                serde_json::to_string(&page).unwrap_or_default()
            })
            .collect();
        format!("{{\"pages\":[\n{}\n]}}\n", pages.join(",\n"))
    }

    /// A place in pixels.
    fn whole(place: f32) -> i64 {
        #[expect(clippy::cast_possible_truncation, reason = "a float that is too large saturates")]
        let whole = place.round() as i64;
        whole
    }

    fn failure(problem: &Problem) -> Failure {
        let message = problem.to_string();
        match problem {
            Problem::Encrypted => encrypted("document"),
            Problem::TooLarge { .. } => {
                Failure::limit_exceeded("pixels", super::super::engine::MAX_PIXELS, message)
                    .hint("make the picture smaller: 300 dots per inch are enough")
            }
            Problem::Model { .. } => not_supported(&message)
                .hint("`doc ocr --help` says which models are meant, and where they come from"),
            Problem::NotAPicture | Problem::Damaged { .. } | Problem::TooIntricate => {
                unreadable(&message)
            }
        }
    }
}

/// The same with the feature and without it: what to do is the same, and so are the cases.
fn without_models() -> Failure {
    not_supported("pictures are not read here: that takes the cargo feature `ocr`, and models that the host names")
        .hint("build with the feature `ocr` and name the models: `doc ocr --help` says how")
}

fn not_supported(message: &str) -> Failure {
    Failure::new(ErrorCode::NOT_SUPPORTED, message)
        .detail("platform", std::env::consts::OS)
        .detail("format", "ocr")
}

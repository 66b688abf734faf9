//! [`Paper`]: the pages of a PDF, drawn.

use hayro::{
    PixmapSettings, RenderCache, RenderSettings,
    hayro_interpret::InterpreterSettings,
    hayro_syntax::{LoadPdfError, Pdf},
    vello_cpu::color::palette::css::WHITE,
};

use super::{
    effort::is_bearable,
    pages::{PAGE_PIXELS, from_samples},
    pixels::Pixels,
    problem::Problem,
};

/// Pixels for each point, of which there are 72 to the inch: 200 to the inch.
const SCALE: f32 = 200.0 / 72.0;

/// Of one side, whatever the other is.
const MAX_SIDE: f32 = 16_000.0;

/// A PDF that is open.
pub(super) struct Paper {
    pdf: Pdf,
}

impl Paper {
    pub(super) fn open(bytes: Vec<u8>) -> Result<Self, Problem> {
        match Pdf::new(bytes) {
            Ok(pdf) => Ok(Self { pdf }),
            Err(LoadPdfError::Decryption(_)) => Err(Problem::Encrypted),
            Err(LoadPdfError::Invalid) => Err(Problem::Damaged {
                what: "PDF",
                cause: "it has no readable structure".to_owned(),
            }),
        }
    }

    pub(super) fn count(&self) -> usize {
        self.pdf.pages().len()
    }

    pub(super) fn page(&self, number: usize) -> Result<Pixels, Problem> {
        let damaged = |cause: &str| Problem::Damaged { what: "PDF", cause: cause.to_owned() };
        let page = self.pdf.pages().get(number).ok_or_else(|| damaged("a page is missing"))?;
        let (width, height) = page.render_dimensions();
        if !(width >= 1.0 && height >= 1.0) {
            return Err(damaged("a page has no size"));
        }
        let scale =
            SCALE.min((PAGE_PIXELS / (width * height)).sqrt()).min(MAX_SIDE / width.max(height));
        if !is_bearable(page, scale) {
            return Err(Problem::TooIntricate);
        }
        let settings = PixmapSettings { x_scale: scale, y_scale: scale, bg_color: WHITE };
        let drawn = hayro::render(
            page,
            &RenderCache::new(),
            &InterpreterSettings::default(),
            &RenderSettings::default(),
            &settings,
        );
        from_samples(
            "PDF",
            drawn.width().into(),
            drawn.height().into(),
            drawn.data_as_u8_slice(),
            4,
        )
    }
}

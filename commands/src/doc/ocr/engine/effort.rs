//! [`is_bearable`]: whether drawing a page of a PDF comes to an end soon.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use hayro::{
    hayro_interpret::{
        BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps,
        InterpreterCache, InterpreterSettings, SoftMask, font::GlyphRun, interpret_page,
        util::TransformExt,
    },
    hayro_syntax::page::Page,
    kurbo::{BezPath, Rect},
};

/// Acts that a page may take. A scanned page takes a few, a page full of text some thousands; a form
/// that holds others, which hold others, takes more than there is time for.
const MAX_ACTS: usize = 150_000;

/// Segments of a path that count as one act more.
const SEGMENTS_PER_ACT: usize = 8;

/// Goes through the page without drawing anything. The interpreter cannot be told to stop, so that a
/// panic of our own ends it, which no hook hears of.
pub(super) fn is_bearable(page: &Page<'_>) -> bool {
    let go_through = || {
        let (width, height) = page.render_dimensions();
        let bounds = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
        let cache = InterpreterCache::new();
        let mut context = Context::new(
            page.initial_transform(true).to_kurbo(),
            bounds,
            &cache,
            page.xref(),
            InterpreterSettings::default(),
        );
        interpret_page(page, &mut context, &mut Effort { left: MAX_ACTS });
    };
    match catch_unwind(AssertUnwindSafe(go_through)) {
        Ok(()) => true,
        Err(cause) if cause.is::<TooMuch>() => false,
        Err(cause) => resume_unwind(cause),
    }
}

struct TooMuch;

/// A device that only counts.
struct Effort {
    left: usize,
}

impl Effort {
    fn spend(&mut self, acts: usize) {
        match self.left.checked_sub(acts) {
            Some(left) => self.left = left,
            None => resume_unwind(Box::new(TooMuch)),
        }
    }

    fn spend_on(&mut self, path: &BezPath) {
        self.spend(1 + path.elements().len() / SEGMENTS_PER_ACT);
    }
}

impl<'a> Device<'a> for Effort {
    fn draw_path(&mut self, path: &BezPath, _: DrawProps<'a>, _: &DrawMode) {
        self.spend_on(path);
    }

    fn draw_rect(&mut self, _: &Rect, _: DrawProps<'a>, _: &DrawMode) {
        self.spend(1);
    }

    fn push_clip_path(&mut self, clip_path: &ClipPath) {
        self.spend_on(&clip_path.path);
    }

    fn push_clip_rect(&mut self, _: &Rect) {
        self.spend(1);
    }

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {
        self.spend(1);
    }

    fn draw_glyph_run(&mut self, glyph_run: &GlyphRun<'_, 'a>, _: DrawProps<'a>, _: &DrawMode) {
        self.spend(glyph_run.glyphs().len());
    }

    fn draw_image(&mut self, _: Image<'a, '_>, _: ImageDrawProps<'a>) {
        self.spend(1);
    }

    fn pop_clip(&mut self) {
        self.spend(1);
    }

    fn pop_transparency_group(&mut self) {
        self.spend(1);
    }

    fn begin_marked_content(
        &mut self,
        _: &[u8],
        _: Option<&hayro::hayro_syntax::object::Dict<'_>>,
    ) {
        self.spend(1);
    }
}

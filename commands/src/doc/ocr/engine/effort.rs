//! [`is_bearable`]: whether drawing a page of a PDF comes to an end soon.

use std::{
    collections::BTreeSet,
    mem,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
};

use hayro::{
    hayro_interpret::{
        BlendMode, CacheKey, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps,
        InterpreterCache, InterpreterSettings, Paint, SoftMask,
        font::{Glyph, GlyphRun},
        interpret_page,
        pattern::{Pattern, TilingPattern},
        util::TransformExt,
    },
    hayro_syntax::page::Page,
    kurbo::{Affine, BezPath, Rect},
};

/// Acts that a page may take. A scanned page takes a few, a page full of text some thousands; a form
/// that holds others, which hold others, takes more than there is time for.
const MAX_ACTS: usize = 150_000;

/// Segments of a path that count as one act more.
const SEGMENTS_PER_ACT: usize = 8;

/// Pixels of a picture or of a layer that count as one act more.
const PIXELS_PER_ACT: f64 = 16_384.0;

/// Goes through the page, which will be drawn larger by `scale`, without drawing anything. The
/// interpreter cannot be told to stop, so that a panic of our own ends it, which no hook hears of.
pub(super) fn is_bearable(page: &Page<'_>, scale: f32) -> bool {
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
        let area_scale = f64::from(scale) * f64::from(scale);
        let mut effort = Effort {
            left: MAX_ACTS,
            masks: BTreeSet::new(),
            area_scale,
            page_pixels: bounds.area() * area_scale,
        };
        interpret_page(page, &mut context, &mut effort);
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
    /// Those that are drawn already, and kept, of the layer that is drawn.
    masks: BTreeSet<u128>,
    /// Pixels for each unit of area.
    area_scale: f64,
    page_pixels: f64,
}

impl Effort {
    fn spend(&mut self, acts: usize) {
        match self.left.checked_sub(acts) {
            Some(left) => self.left = left,
            None => resume_unwind(Box::new(TooMuch)),
        }
    }

    fn spend_on_path(&mut self, path: &BezPath) {
        self.spend(1 + path.elements().len() / SEGMENTS_PER_ACT);
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "`as` holds floats at the bounds, which is meant"
    )]
    fn spend_on_pixels(&mut self, pixels: f64) {
        self.spend(1 + (pixels / PIXELS_PER_ACT) as usize);
    }

    /// What is drawn with `props` besides the shape itself.
    fn spend_on_props(&mut self, props: &DrawProps<'_>, draw_mode: &DrawMode) {
        self.spend_on_mask(props.soft_mask.as_ref());
        if let Paint::Pattern(pattern) = &props.paint
            && let Pattern::Tiling(tiling) = &**pattern
        {
            self.spend_on_tile(tiling, matches!(draw_mode, DrawMode::Stroke(_)));
        }
    }

    /// A mask is a layer as large as the page.
    fn spend_on_mask(&mut self, mask: Option<&SoftMask<'_>>) {
        if let Some(mask) = mask
            && self.masks.insert(mask.cache_key())
        {
            self.spend_on_pixels(self.page_pixels);
            self.on_layer(|effort| mask.interpret(effort));
        }
    }

    /// A tile is a layer of its own, drawn as often as it reaches into its neighbours.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "`as` holds floats at the bounds, which is meant"
    )]
    fn spend_on_tile(&mut self, tile: &TilingPattern<'_>, is_stroke: bool) {
        let (across, down) = (f64::from(tile.x_step).abs(), f64::from(tile.y_step).abs());
        let pixels = tile.matrix.determinant().abs() * across * down * self.area_scale;
        self.spend_on_pixels(pixels.min(self.page_pixels));
        let copies =
            (tile.bbox.width().abs() / across).ceil() * (tile.bbox.height().abs() / down).ceil();
        let before = self.left;
        self.on_layer(|effort| tile.interpret(effort, Affine::IDENTITY, is_stroke));
        let spent = before - self.left;
        self.spend(spent.saturating_mul((copies as usize).saturating_sub(1)));
    }

    fn on_layer<T>(&mut self, draw: impl FnOnce(&mut Self) -> T) {
        let masks = mem::take(&mut self.masks);
        draw(self);
        self.masks = masks;
    }
}

impl<'a> Device<'a> for Effort {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, draw_mode: &DrawMode) {
        self.spend_on_path(path);
        self.spend_on_props(&props, draw_mode);
    }

    fn draw_rect(&mut self, _: &Rect, props: DrawProps<'a>, draw_mode: &DrawMode) {
        self.spend(1);
        self.spend_on_props(&props, draw_mode);
    }

    fn push_clip_path(&mut self, clip_path: &ClipPath) {
        self.spend_on_path(&clip_path.path);
    }

    fn push_clip_rect(&mut self, _: &Rect) {
        self.spend(1);
    }

    fn push_transparency_group(&mut self, _: f32, mask: Option<SoftMask<'a>>, _: BlendMode) {
        self.spend(1);
        self.spend_on_mask(mask.as_ref());
    }

    fn draw_glyph_run(
        &mut self,
        glyph_run: &GlyphRun<'_, 'a>,
        props: DrawProps<'a>,
        draw_mode: &DrawMode,
    ) {
        for glyph in glyph_run.glyphs() {
            self.spend(1);
            match &**glyph {
                Glyph::Outline(_) => self.spend_on_props(&props, draw_mode),
                Glyph::Type3(drawing) => {
                    drawing.interpret(self, props.transform, glyph.transform(), &props.paint);
                }
            }
        }
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        self.spend_on_pixels(f64::from(image.width()) * f64::from(image.height()));
        self.spend_on_mask(props.soft_mask.as_ref());
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

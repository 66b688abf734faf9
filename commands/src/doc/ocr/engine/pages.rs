//! [`Pages`]: a scanned document as pages of pixels.

use std::borrow::Cow;

use super::{
    paper, picture,
    pixels::Pixels,
    problem::{Problem, guarded},
    tif,
};

/// Of a picture, by its header.
pub(crate) const MAX_PIXELS: u64 = 100_000_000;

/// Pages that are read have at most so many pixels; larger ones are scaled down.
pub(super) const PAGE_PIXELS: f32 = 12_000_000.0;

/// A document that is open.
pub(crate) struct Pages {
    source: Source,
    count: usize,
}

enum Source {
    Png(Vec<u8>),
    Jpeg(Vec<u8>),
    Tiff(Vec<u8>),
    Paper(paper::Paper),
}

impl Pages {
    /// The bytes decide what it is.
    pub(crate) fn open(bytes: Vec<u8>) -> Result<Self, Problem> {
        let head = bytes.get(..1024.min(bytes.len())).unwrap_or_default();
        let (source, count) = if head.starts_with(b"\x89PNG\r\n\x1a\n") {
            (Source::Png(bytes), 1)
        } else if head.starts_with(b"\xff\xd8\xff") {
            (Source::Jpeg(bytes), 1)
        } else if [b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"]
            .iter()
            .any(|&magic| head.starts_with(magic))
        {
            let count = guarded("tif", || tif::count(&bytes))?;
            (Source::Tiff(bytes), count)
        } else if head.windows(5).any(|window| window == b"%PDF-") {
            let paper = guarded("PDF", || paper::Paper::open(bytes))?;
            let count = paper.count();
            (Source::Paper(paper), count)
        } else {
            return Err(Problem::NotAPicture);
        };
        if count == 0 {
            return Err(Problem::Damaged { what: "PDF", cause: "it has no pages".to_owned() });
        }
        Ok(Self { source, count })
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The page with this number, from 0.
    pub(crate) fn page(&self, number: usize) -> Result<Pixels, Problem> {
        match &self.source {
            Source::Png(bytes) => guarded("png", || picture::png(bytes)),
            Source::Jpeg(bytes) => guarded("jpg", || picture::jpeg(bytes)),
            Source::Tiff(bytes) => guarded("tif", || tif::page(bytes, number)),
            Source::Paper(paper) => guarded("PDF", || paper.page(number)),
        }
    }
}

/// A picture may be this large.
pub(super) fn allowed(width: u64, height: u64) -> Result<(), Problem> {
    if width.saturating_mul(height) > MAX_PIXELS {
        Err(Problem::TooLarge { width, height })
    } else {
        Ok(())
    }
}

/// From rows of so many samples of 8 bits for each pixel.
pub(super) fn from_samples<'a>(
    what: &'static str,
    width: usize,
    height: usize,
    samples: impl Into<Cow<'a, [u8]>>,
    channels: usize,
) -> Result<Pixels, Problem> {
    let samples = samples.into();
    let data: Vec<u8> = match channels {
        1 => samples.iter().flat_map(|&grey| [grey; 3]).collect(),
        2 => samples
            .chunks_exact(2)
            .flat_map(|pixel| {
                if let &[grey, opacity] = pixel { [on_white(grey, opacity); 3] } else { [0; 3] }
            })
            .collect(),
        3 => samples.into_owned(),
        _ => samples
            .chunks_exact(channels.max(1))
            .flat_map(|pixel| {
                if let &[red, green, blue, opacity, ..] = pixel {
                    [red, green, blue].map(|value| on_white(value, opacity))
                } else {
                    [0; 3]
                }
            })
            .collect(),
    };
    let page = Pixels::new(width, height, data)
        .ok_or_else(|| Problem::Damaged { what, cause: "it has no pixels".to_owned() })?;
    Ok(held(page))
}

/// Text on nothing is on white paper.
fn on_white(value: u8, opacity: u8) -> u8 {
    let (value, opacity) = (u16::from(value), u16::from(opacity));
    u8::try_from((value * opacity + 255 * (255 - opacity) + 127) / 255).unwrap_or(u8::MAX)
}

/// Scaled down when it is large.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "sides of pictures are small and positive"
)]
fn held(page: Pixels) -> Pixels {
    let (width, height) = (page.width() as f32, page.height() as f32);
    if width * height <= PAGE_PIXELS {
        return page;
    }
    let factor = (PAGE_PIXELS / (width * height)).sqrt();
    page.scaled((width * factor) as usize, (height * factor) as usize)
}

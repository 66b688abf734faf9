//! [`page`]: pictures of several pages, of one bit for each pixel up to several bytes.

use std::io::Cursor;

use tiff::{
    ColorType, TiffError,
    decoder::{Decoder, DecodingResult, Limits},
    tags::Tag,
};

use super::{
    pages::{MAX_PIXELS, allowed, from_samples},
    pixels::Pixels,
    problem::Problem,
};

/// Pages that are counted at all.
const MAX_PAGES: usize = 10_000;

pub(super) fn count(bytes: &[u8]) -> Result<usize, Problem> {
    let mut decoder = open(bytes)?;
    let mut count = 1;
    while count < MAX_PAGES && decoder.more_images() && decoder.next_image().is_ok() {
        count += 1;
    }
    Ok(count)
}

pub(super) fn page(bytes: &[u8], number: usize) -> Result<Pixels, Problem> {
    let mut decoder = open(bytes)?;
    if number > 0 {
        decoder.seek_to_image(number).map_err(damaged)?;
    }
    let (width, height) = decoder.dimensions().map_err(damaged)?;
    allowed(width.into(), height.into())?;
    let color = decoder.colortype().map_err(damaged)?;
    let (width, height) =
        (usize::try_from(width).unwrap_or_default(), usize::try_from(height).unwrap_or_default());
    let palette = match color {
        ColorType::Palette(_) => Some(decoder.get_tag_u16_vec(Tag::ColorMap).map_err(damaged)?),
        _ => None,
    };
    let samples = bytes_of(decoder.read_image().map_err(damaged)?, color.bit_depth());
    let channels = match color {
        ColorType::Gray(_) | ColorType::Palette(_) => 1,
        ColorType::GrayA(_) => 2,
        ColorType::RGB(_) | ColorType::YCbCr(_) | ColorType::Lab(_) => 3,
        ColorType::RGBA(_) | ColorType::CMYK(_) => 4,
        ColorType::CMYKA(_) => 5,
        ColorType::Multiband { num_samples, .. } => usize::from(num_samples),
        _ => 0,
    };
    // Planes that are stored one after the other: the first is enough to read by.
    let per_pixel = if samples.len() < width * height * channels && color.bit_depth() >= 8 {
        1
    } else {
        channels
    };
    let samples =
        if color.bit_depth() < 8 { unpacked(&samples, width * per_pixel, color) } else { samples };
    match color {
        ColorType::Palette(_) => {
            let palette = palette.unwrap_or_default();
            let colors: Vec<u8> =
                samples.iter().flat_map(|&index| entry(&palette, index)).collect();
            from_samples("tif", width, height, colors, 3)
        }
        ColorType::CMYK(_) | ColorType::CMYKA(_) if per_pixel == channels => {
            let colors: Vec<u8> = samples.chunks_exact(channels).flat_map(from_inks).collect();
            from_samples("tif", width, height, colors, 3)
        }
        // The first band is taken for grey.
        ColorType::Multiband { .. } | ColorType::Lab(_) if per_pixel == channels => {
            let grey: Vec<u8> = samples.iter().copied().step_by(channels.max(1)).collect();
            from_samples("tif", width, height, grey, 1)
        }
        _ => from_samples("tif", width, height, samples, per_pixel),
    }
}

fn open(bytes: &[u8]) -> Result<Decoder<Cursor<&[u8]>>, Problem> {
    let most = usize::try_from(MAX_PIXELS).unwrap_or(usize::MAX);
    let mut limits = Limits::default();
    limits.decoding_buffer_size = most.saturating_mul(4);
    limits.intermediate_buffer_size = most.saturating_mul(4);
    Ok(Decoder::new(Cursor::new(bytes)).map_err(damaged)?.with_limits(limits))
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` gives it")]
fn damaged(cause: TiffError) -> Problem {
    Problem::Damaged { what: "tif", cause: cause.to_string() }
}

/// The upper 8 bits of each sample, or the packed samples of fewer bits as they are.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the upper bits are meant"
)]
fn bytes_of(samples: DecodingResult, bits: u8) -> Vec<u8> {
    match samples {
        DecodingResult::U8(samples) => samples,
        DecodingResult::U16(samples) => {
            // Samples of 9 to 15 bits lie in the lower ones.
            let drop = bits.clamp(8, 16) - 8;
            samples.into_iter().map(|value| (value >> drop) as u8).collect()
        }
        DecodingResult::U32(samples) => {
            samples.into_iter().map(|value| (value >> 24) as u8).collect()
        }
        DecodingResult::U64(samples) => {
            samples.into_iter().map(|value| (value >> 56) as u8).collect()
        }
        DecodingResult::F32(samples) => {
            samples.into_iter().map(|value| (value * 255.0) as u8).collect()
        }
        DecodingResult::F64(samples) => {
            samples.into_iter().map(|value| (value * 255.0) as u8).collect()
        }
        _ => Vec::new(),
    }
}

/// One byte for each sample; rows begin at whole bytes. Grey is stretched to 255, an index is not.
fn unpacked(packed: &[u8], samples_per_row: usize, color: ColorType) -> Vec<u8> {
    let bits = usize::from(color.bit_depth().max(1));
    let row_bytes = (samples_per_row * bits).div_ceil(8).max(1);
    let top = u8::MAX >> (8 - bits.min(8));
    let stretch = if matches!(color, ColorType::Palette(_)) { 1 } else { u8::MAX / top };
    let mut samples = Vec::with_capacity(packed.len() * 8 / bits);
    for row in packed.chunks_exact(row_bytes) {
        let values = row
            .iter()
            .flat_map(|&byte| (1..=8 / bits).map(move |at| (byte >> (8 - at * bits)) & top));
        samples.extend(values.take(samples_per_row).map(|value| value * stretch));
    }
    samples
}

/// The table holds all reds, then all greens, then all blues, of 16 bits.
fn entry(palette: &[u16], index: u8) -> [u8; 3] {
    let size = palette.len() / 3;
    [0, size, 2 * size].map(|start| {
        palette.get(start + usize::from(index)).map_or(0, |value| value.to_be_bytes()[0])
    })
}

fn from_inks(pixel: &[u8]) -> [u8; 3] {
    let &[cyan, magenta, yellow, black, ..] = pixel else { return [0; 3] };
    [cyan, magenta, yellow].map(|ink| {
        u8::try_from(u16::from(255 - ink) * u16::from(255 - black) / 255).unwrap_or(u8::MAX)
    })
}

//! [`png`] and [`jpeg`]: pictures of one page.

use std::io::Cursor;

use zune_jpeg::{
    JpegDecoder,
    zune_core::{bytestream::ZCursor, colorspace::ColorSpace, options::DecoderOptions},
};

use super::{
    pages::{MAX_PIXELS, allowed, from_samples},
    pixels::Pixels,
    problem::Problem,
};

/// Memory that a decoder may take beside the picture itself.
const DECODER_BYTES: usize = 64 << 20;

pub(super) fn png(bytes: &[u8]) -> Result<Pixels, Problem> {
    let problem =
        |cause: png::DecodingError| Problem::Damaged { what: "png", cause: cause.to_string() };
    let mut decoder =
        png::Decoder::new_with_limits(Cursor::new(bytes), png::Limits { bytes: DECODER_BYTES });
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let header = decoder.read_header_info().map_err(problem)?;
    allowed(header.width.into(), header.height.into())?;
    let mut reader = decoder.read_info().map_err(problem)?;
    let mut samples = vec![0; reader.output_buffer_size().unwrap_or_default()];
    let frame = reader.next_frame(&mut samples).map_err(problem)?;
    let (width, height) = (side(frame.width), side(frame.height));
    samples.truncate(frame.buffer_size());
    from_samples("png", width, height, samples, frame.color_type.samples())
}

pub(super) fn jpeg(bytes: &[u8]) -> Result<Pixels, Problem> {
    let damaged = |cause: String| Problem::Damaged { what: "jpg", cause };
    let side_limit = usize::from(u16::MAX);
    let options = DecoderOptions::default()
        .set_max_width(side_limit)
        .set_max_height(side_limit)
        .jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(|cause| damaged(cause.to_string()))?;
    let header = decoder.info().ok_or_else(|| damaged("it has no header".to_owned()))?;
    allowed(header.width.into(), header.height.into())?;
    if decoder.output_buffer_size().is_none_or(|bytes| bytes as u64 > 4 * MAX_PIXELS) {
        return Err(Problem::TooLarge { width: header.width.into(), height: header.height.into() });
    }
    let samples = decoder.decode().map_err(|cause| damaged(cause.to_string()))?;
    let (width, height) = (usize::from(header.width), usize::from(header.height));
    let channels = decoder.output_colorspace().map_or(3, |space| space.num_components());
    from_samples("jpg", width, height, samples, channels)
}

fn side(pixels: u32) -> usize {
    usize::try_from(pixels).unwrap_or_default()
}

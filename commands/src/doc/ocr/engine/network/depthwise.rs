//! [`depthwise`]: convolutions in which each channel is weighed by itself.

use rten_simd::{
    Isa, SimdOp,
    ops::{BitOps, NumOps},
};

use super::{
    feature_map::{FeatureMap, Shape},
    finish::Finish,
    memory::Memory,
    vector::{load, store},
    window::Window,
};

/// `weights` are a number for each channel, tap by tap.
pub(super) fn depthwise(
    input: &FeatureMap,
    window: Window,
    weights: &[f32],
    bias: &[f32],
    finish: Finish,
    memory: &mut Memory,
    output: &mut FeatureMap,
) {
    Pass { input, window, weights, bias, finish, memory, output }.dispatch();
}

struct Pass<'a> {
    input: &'a FeatureMap,
    window: Window,
    weights: &'a [f32],
    bias: &'a [f32],
    finish: Finish,
    memory: &'a mut Memory,
    output: &'a mut FeatureMap,
}

/// Pixels that are summed up side by side: what is loaded is of use for all of them, and a sum waits
/// for its last addend, others need not.
const ABREAST: usize = 8;

impl SimdOp for Pass<'_> {
    type Output = ();

    /// A vector of channels of all pixels, then the next. It is copied into a frame of zeros: so no
    /// pixel is at an edge, and what is summed up lies side by side.
    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let ops = isa.f32();
        let Self { input, window, weights, bias, finish, memory, output } = self;
        let Shape { height, width, channels } = input.shape;
        let [rows, columns] = window.kernel;
        let [down, along] = window.stride;
        let [above, left, ..] = window.pads;
        let length = ops.len();
        let out_width = output.shape.width.max(1);
        let covered = (out_width.next_multiple_of(ABREAST) - 1) * along + columns;
        let row_length = covered.max(left + width) * length;
        let mut frame = memory.take(height * row_length);
        frame.fill(0.0);
        let mut taps = memory.take(rows * columns * length);
        for channel in (0..channels).step_by(length) {
            let lines = input.data.chunks_exact(width * channels);
            for (row, line) in frame.chunks_exact_mut(row_length).zip(lines) {
                let inside = row.get_mut(left * length..).unwrap_or_default();
                copy(isa, line, channels, channel, inside);
            }
            copy(isa, weights, channels, channel, &mut taps);
            let bias = load(isa, bias.get(channel..).unwrap_or_default());
            for (y, line) in output.data.chunks_exact_mut(out_width * channels).enumerate() {
                let inside = window.rows_inside(y, height);
                let from_y = (y * down + inside.start).saturating_sub(above);
                let values = frame.chunks_exact(row_length).skip(from_y);
                let taps = taps.chunks_exact(columns * length).skip(inside.start);
                let rows = values.zip(taps).take(inside.len());
                for (block, pixels) in line.chunks_mut(ABREAST * channels).enumerate() {
                    let start = block * ABREAST * along * length;
                    let rows = rows
                        .clone()
                        .map(|(values, taps)| (values.get(start..).unwrap_or_default(), taps));
                    let sums = match (columns, along) {
                        (3, 1) => sums::<I, 3, 1>(isa, rows, bias),
                        (3, 2) => sums::<I, 3, 2>(isa, rows, bias),
                        (5, 1) => sums::<I, 5, 1>(isa, rows, bias),
                        (5, 2) => sums::<I, 5, 2>(isa, rows, bias),
                        _ => any_sums(isa, rows, along, bias),
                    };
                    for (pixel, sum) in pixels.chunks_exact_mut(channels).zip(sums) {
                        store(
                            isa,
                            finish.of(isa, sum),
                            pixel.get_mut(channel..).unwrap_or_default(),
                        );
                    }
                }
            }
        }
        memory.give(frame);
        memory.give(taps);
    }
}

/// A vector of channels of each pixel.
#[inline(always)]
fn copy<I: Isa>(isa: I, from: &[f32], channels: usize, channel: usize, to: &mut [f32]) {
    let ops = isa.f32();
    for (place, pixel) in to.chunks_exact_mut(ops.len()).zip(from.chunks_exact(channels)) {
        ops.store(load(isa, pixel.get(channel..).unwrap_or_default()), place);
    }
}

/// For `ABREAST` pixels the sums over rows of numbers with the kernel's rows, of `COLUMNS` taps, which
/// go on by `STEP`. What is in an array is to be in registers, so that all loops are of a fixed length.
#[inline(always)]
fn sums<'a, I: Isa, const COLUMNS: usize, const STEP: usize>(
    isa: I,
    rows: impl Iterator<Item = (&'a [f32], &'a [f32])>,
    bias: I::F32,
) -> [I::F32; ABREAST] {
    let ops = isa.f32();
    let mut sums = [bias; ABREAST];
    for (values, taps) in rows {
        let taps = ops.load_many::<COLUMNS>(taps);
        let mut values = values.chunks_exact(ops.len());
        for at in 0..(ABREAST - 1) * STEP + COLUMNS {
            let Some(value) = values.next() else { break };
            let value = ops.load(value);
            for (pixel, sum) in sums.iter_mut().enumerate() {
                if at >= pixel * STEP
                    && let Some(tap) = taps.get(at - pixel * STEP)
                {
                    *sum = ops.mul_add(value, *tap, *sum);
                }
            }
        }
    }
    sums
}

/// The same for a kernel of any width that goes on by any step.
#[inline(always)]
fn any_sums<'a, I: Isa>(
    isa: I,
    rows: impl Iterator<Item = (&'a [f32], &'a [f32])>,
    step: usize,
    bias: I::F32,
) -> [I::F32; ABREAST] {
    let ops = isa.f32();
    let mut sums = [bias; ABREAST];
    for (values, taps) in rows {
        for (column, tap) in taps.chunks_exact(ops.len()).enumerate() {
            let tap = ops.load(tap);
            let values = values.chunks_exact(ops.len()).skip(column).step_by(step);
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum = ops.mul_add(ops.load(value), tap, *sum);
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::{FeatureMap, Finish, Memory, Shape, Window, depthwise};

    /// As the definition has it.
    fn plainly(input: &FeatureMap, window: Window, weights: &[f32], bias: &[f32]) -> Vec<f32> {
        let Shape { height, width, channels } = input.shape;
        let [out_height, out_width] = window.over(height, width).unwrap();
        let [rows, columns] = window.kernel;
        let mut output = Vec::new();
        for y in 0..out_height {
            for x in 0..out_width {
                for channel in 0..channels {
                    let mut sum = bias[channel];
                    for row in 0..rows {
                        for column in 0..columns {
                            let from_y = (y * window.stride[0] + row)
                                .checked_sub(window.pads[0])
                                .filter(|&y| y < height);
                            let from_x = (x * window.stride[1] + column)
                                .checked_sub(window.pads[1])
                                .filter(|&x| x < width);
                            if let (Some(from_y), Some(from_x)) = (from_y, from_x) {
                                sum += input.data[(from_y * width + from_x) * channels + channel]
                                    * weights[(row * columns + column) * channels + channel];
                            }
                        }
                    }
                    output.push(sum);
                }
            }
        }
        output
    }

    #[test]
    fn any_window_gives_what_the_definition_says() {
        for (size, channels, kernel, stride, pads) in [
            ([7, 9], 2, [3, 3], [1, 1], [1, 1, 1, 1]),
            ([12, 70], 16, [5, 5], [1, 1], [2, 2, 2, 2]),
            ([12, 65], 37, [5, 5], [2, 1], [2, 2, 2, 2]),
            ([6, 31], 112, [3, 3], [1, 2], [1, 1, 1, 1]),
            ([8, 8], 240, [5, 5], [2, 2], [2, 2, 2, 2]),
            ([9, 10], 21, [2, 3], [2, 3], [0, 1, 1, 0]),
            ([1, 2], 48, [5, 5], [1, 1], [2, 2, 2, 2]),
        ] {
            let [height, width] = size;
            let window = Window { kernel, stride, pads };
            let shape = Shape { height, width, channels };
            let data = (0..shape.numbers()).map(|at| (at * 7 % 13) as f32 - 6.0).collect();
            let input = FeatureMap { shape, data };
            let weights: Vec<f32> =
                (0..channels * kernel[0] * kernel[1]).map(|at| (at * 5 % 7) as f32 - 3.0).collect();
            let bias: Vec<f32> = (0..channels).map(|at| at as f32 - 0.5).collect();
            let [height, width] = window.over(height, width).unwrap();
            let shape = Shape { height, width, channels };
            let mut output =
                FeatureMap { shape, data: vec![0.0; shape.numbers()].into_iter().collect() };
            let memory = &mut Memory::default();
            depthwise(&input, window, &weights, &bias, Finish::NONE, memory, &mut output);
            assert_eq!(
                output.data.to_vec(),
                plainly(&input, window, &weights, &bias),
                "{window:?}"
            );
        }
    }
}

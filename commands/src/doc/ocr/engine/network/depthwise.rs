//! [`depthwise`]: convolutions in which each plane is weighed by itself.

use rten_simd::{
    Isa, SimdOp,
    ops::{BitOps, NumOps},
};

use super::{
    finish::Finish,
    trunk::{Memory, Planes},
};

/// How a window is moved over a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    /// Height and width.
    pub(super) kernel: [usize; 2],
    /// Down and right.
    pub(super) stride: [usize; 2],
    /// Above, left, below, right.
    pub(super) pads: [usize; 4],
}

impl Window {
    pub(super) const POINT: Self = Self { kernel: [1, 1], stride: [1, 1], pads: [0; 4] };

    /// Height and width of what comes of planes; `None` when the window does not fit into them.
    pub(super) fn over(&self, height: usize, width: usize) -> Option<[usize; 2]> {
        let [above, left, below, right] = self.pads;
        let [rows, columns] = self.kernel;
        let [down, along] = self.stride;
        let height = (height + above + below).checked_sub(rows)? / down.max(1) + 1;
        let width = (width + left + right).checked_sub(columns)? / along.max(1) + 1;
        Some([height, width])
    }
}

/// `weights` are a kernel for each plane.
pub(super) fn depthwise(
    input: &Planes,
    window: Window,
    weights: &[f32],
    bias: &[f32],
    finish: Finish,
    memory: &mut Memory,
    output: &mut Planes,
) {
    Pass { input, window, weights, bias, finish, memory, output }.dispatch();
}

struct Pass<'a> {
    input: &'a Planes,
    window: Window,
    weights: &'a [f32],
    bias: &'a [f32],
    finish: Finish,
    memory: &'a mut Memory,
    output: &'a mut Planes,
}

/// Vectors that are summed up side by side: a sum waits for its last addend, others need not.
const ABREAST: usize = 4;

impl SimdOp for Pass<'_> {
    type Output = ();

    /// A plane is copied into a frame of zeros. Where the window moves by two, even and odd columns
    /// are kept apart, so that what is weighed alike lies side by side.
    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let ops = isa.f32();
        let Self { input, window, weights, bias, finish, memory, output } = self;
        let [above, left, below, _] = window.pads;
        let [rows, columns] = window.kernel;
        let [down, along] = window.stride;
        let block = ABREAST * ops.len();
        let out_width = output.width.next_multiple_of(block);
        let phase_length =
            (out_width + columns.div_ceil(along)).max((input.width + left).div_ceil(along));
        let row_length = phase_length * along;
        let mut frame = memory.take((input.height + above + below) * row_length);
        frame.fill(0.0);
        let mut lines = memory.take(2 * out_width);
        let planes = input
            .data
            .chunks_exact(input.height * input.width)
            .zip(output.data.chunks_exact_mut(output.height * output.width));
        // Where the values for each column of the kernel begin in a row.
        let offsets: Vec<usize> =
            (0..columns).map(|column| column % along * phase_length + column / along).collect();
        let kernels = weights.chunks_exact(rows * columns).zip(bias);
        for ((from, to), (kernel, &bias)) in planes.zip(kernels) {
            for (row, values) in
                frame.chunks_exact_mut(row_length).skip(above).zip(from.chunks_exact(input.width))
            {
                if along == 1 {
                    if let Some(row) = row.get_mut(left..left + input.width) {
                        row.copy_from_slice(values);
                    }
                } else {
                    for phase in 0..along {
                        // The first column of this phase is `first`, and stands at `start` in it.
                        let first = (phase + along - left % along) % along;
                        let start = phase * phase_length + (first + left) / along;
                        let places = row.get_mut(start..).unwrap_or_default();
                        for (place, value) in
                            places.iter_mut().zip(values.iter().skip(first).step_by(along))
                        {
                            *place = *value;
                        }
                    }
                }
            }
            for (pair, to) in to.chunks_mut(2 * output.width).enumerate() {
                // Two rows at once: most of what one of them is made of is at hand for the other.
                let top = frame.get(2 * pair * down * row_length..).unwrap_or_default();
                let (one, two) = lines.split_at_mut(out_width);
                for (x, (one, two)) in
                    one.chunks_exact_mut(block).zip(two.chunks_exact_mut(block)).enumerate()
                {
                    let mut sums = [ops.splat(bias); ABREAST];
                    let mut lower = sums;
                    for (row, values) in top.chunks_exact(row_length).take(rows + down).enumerate()
                    {
                        let values = |offset: usize| {
                            ops.load_many::<ABREAST>(
                                values.get(offset + x * block..).unwrap_or_default(),
                            )
                        };
                        let of_row = |row: usize| kernel.get(row * columns..(row + 1) * columns);
                        match (of_row(row), row.checked_sub(down).and_then(of_row)) {
                            (Some(weights), Some(lower_weights)) => {
                                for ((&offset, &weight), &lower_weight) in
                                    offsets.iter().zip(weights).zip(lower_weights)
                                {
                                    let values = values(offset);
                                    add(isa, &mut sums, values, weight);
                                    add(isa, &mut lower, values, lower_weight);
                                }
                            }
                            (Some(weights), None) => {
                                for (&offset, &weight) in offsets.iter().zip(weights) {
                                    add(isa, &mut sums, values(offset), weight);
                                }
                            }
                            (None, Some(weights)) => {
                                for (&offset, &weight) in offsets.iter().zip(weights) {
                                    add(isa, &mut lower, values(offset), weight);
                                }
                            }
                            (None, None) => {}
                        }
                    }
                    for (place, sums) in [(one, sums), (two, lower)] {
                        for (place, sum) in place.chunks_exact_mut(ops.len()).zip(sums) {
                            ops.store(finish.of(isa, sum), place);
                        }
                    }
                }
                for (to, line) in
                    to.chunks_exact_mut(output.width).zip(lines.chunks_exact(out_width))
                {
                    to.copy_from_slice(line.get(..to.len()).unwrap_or_default());
                }
            }
        }
        memory.give(frame);
        memory.give(lines);
    }
}

/// Adds `weight` times each of the values to its sum.
#[inline(always)]
fn add<I: Isa>(isa: I, sums: &mut [I::F32; ABREAST], values: [I::F32; ABREAST], weight: f32) {
    let ops = isa.f32();
    let weight = ops.splat(weight);
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum = ops.mul_add(value, weight, *sum);
    }
}

#[cfg(test)]
mod tests {
    use super::{Finish, Memory, Planes, Window, depthwise};

    /// As the definition has it.
    fn plainly(input: &Planes, window: Window, weights: &[f32], bias: &[f32]) -> Vec<f32> {
        let [height, width] = window.over(input.height, input.width).unwrap();
        let [rows, columns] = window.kernel;
        let mut output = Vec::new();
        for plane in 0..input.channels {
            for y in 0..height {
                for x in 0..width {
                    let mut sum = bias[plane];
                    for row in 0..rows {
                        for column in 0..columns {
                            let from_y = (y * window.stride[0] + row)
                                .checked_sub(window.pads[0])
                                .filter(|&y| y < input.height);
                            let from_x = (x * window.stride[1] + column)
                                .checked_sub(window.pads[1])
                                .filter(|&x| x < input.width);
                            if let (Some(from_y), Some(from_x)) = (from_y, from_x) {
                                sum += input.data
                                    [(plane * input.height + from_y) * input.width + from_x]
                                    * weights[(plane * rows + row) * columns + column];
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
        for (size, kernel, stride, pads) in [
            ([7, 9], [3, 3], [1, 1], [1, 1, 1, 1]),
            ([12, 70], [5, 5], [1, 1], [2, 2, 2, 2]),
            ([12, 65], [5, 5], [2, 1], [2, 2, 2, 2]),
            ([6, 131], [3, 3], [1, 2], [1, 1, 1, 1]),
            ([8, 8], [5, 5], [2, 2], [2, 2, 2, 2]),
            ([9, 10], [2, 3], [2, 3], [0, 1, 1, 0]),
        ] {
            let [height, width] = size;
            let window = Window { kernel, stride, pads };
            let data = (0..2 * height * width).map(|at| (at * 7 % 13) as f32 - 6.0).collect();
            let input = Planes { channels: 2, height, width, data };
            let weights: Vec<f32> =
                (0..2 * kernel[0] * kernel[1]).map(|at| (at * 5 % 7) as f32 - 3.0).collect();
            let [out_height, out_width] = window.over(height, width).unwrap();
            let mut output = Planes {
                channels: 2,
                height: out_height,
                width: out_width,
                data: vec![0.0; 2 * out_height * out_width],
            };
            depthwise(
                &input,
                window,
                &weights,
                &[0.5, -1.0],
                Finish::NONE,
                &mut Memory::default(),
                &mut output,
            );
            assert_eq!(output.data, plainly(&input, window, &weights, &[0.5, -1.0]), "{window:?}");
        }
    }
}

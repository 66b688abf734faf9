//! [`Convolution`]: planes in, planes out, by weights.

use rten_gemm::{BiasVector, GemmExecutor, GemmInputA, GemmInputB, GemmOptions, PackedAMatrix};
use rten_tensor::NdTensorView;

use super::{
    depthwise::{Window, depthwise},
    finish::Finish,
    quick::Quick,
    trunk::{Memory, Planes},
};

/// A convolution with what is done to each number of its outcome.
pub(super) struct Convolution {
    kind: Kind,
    window: Window,
    pub(super) outputs: usize,
    inputs: usize,
    bias: Vec<f32>,
    finish: Finish,
}

enum Kind {
    /// One kernel for each plane.
    Depthwise(Vec<f32>),
    /// Each plane that comes out is made of all that go in: a row of weights for each.
    Dense { product: GemmExecutor, weights: PackedAMatrix<f32> },
    /// The same in bytes, for each row of the kernel: a row of weights for each plane that comes out
    /// and each column of the kernel.
    Quick(Vec<Quick>),
}

/// Floats that are laid out at once for a product: a few megabytes.
const MAX_LAID_OUT: usize = 1 << 20;

impl Convolution {
    pub(super) fn depthwise(
        window: Window,
        planes: usize,
        weights: Vec<f32>,
        bias: Vec<f32>,
        finish: Finish,
    ) -> Self {
        Self {
            kind: Kind::Depthwise(weights),
            window,
            outputs: planes,
            inputs: planes,
            bias,
            finish,
        }
    }

    pub(super) fn dense(
        window: Window,
        outputs: usize,
        inputs: usize,
        weights: &[f32],
        bias: Vec<f32>,
        finish: Finish,
    ) -> Option<Self> {
        let [rows, columns] = window.kernel;
        let quick = quick(window, outputs, inputs, weights);
        let kind = match quick {
            Some(quick) => Kind::Quick(quick),
            None => {
                let product = GemmExecutor::default();
                let matrix =
                    NdTensorView::try_from_data([outputs, inputs * rows * columns], weights)
                        .ok()?;
                let weights = product.prepack_a(matrix);
                Kind::Dense { product, weights }
            }
        };
        Some(Self { kind, window, outputs, inputs, bias, finish })
    }

    pub(super) fn run(&self, input: &Planes, memory: &mut Memory) -> Result<Planes, String> {
        if input.channels != self.inputs {
            return Err(format!(
                "a convolution of {} planes meets {}",
                self.inputs, input.channels
            ));
        }
        let [height, width] =
            self.window.over(input.height, input.width).ok_or("the picture is too small")?;
        let mut output = Planes {
            channels: self.outputs,
            height,
            width,
            data: memory.take(self.outputs * height * width),
        };
        match &self.kind {
            Kind::Depthwise(weights) => {
                depthwise(input, self.window, weights, &self.bias, self.finish, memory, &mut output)
            }
            Kind::Quick(rows) => match rows.as_slice() {
                [quick] if self.window == Window::POINT => quick.run(
                    &input.data,
                    height * width,
                    &self.bias,
                    self.finish,
                    &mut memory.scratch,
                    &mut output.data,
                )?,
                rows => self.multiply_shifted(rows, input, memory, &mut output)?,
            },
            Kind::Dense { product, weights } => {
                if self.window == Window::POINT {
                    self.multiply(product, weights, &input.data, height * width, &mut output.data)?;
                } else {
                    self.multiply_windows(product, weights, input, memory, &mut output)?;
                }
                self.finish.apply(&mut output.data);
            }
        }
        Ok(output)
    }

    /// Multiplies the planes as they are, and adds up the outcome for each place in the kernel, shifted
    /// by that place: cheaper than laying out windows where more planes go in than come out.
    fn multiply_shifted(
        &self,
        rows: &[Quick],
        input: &Planes,
        memory: &mut Memory,
        output: &mut Planes,
    ) -> Result<(), String> {
        let columns = self.window.kernel[1];
        let [above, left, ..] = self.window.pads;
        let (pixels, width) = (input.height * input.width, input.width);
        let mut products = memory.take(self.outputs * columns * pixels);
        let no_bias = vec![0.0; self.outputs * columns];
        memory.scratch.narrow(&input.data, pixels);
        for (plane, &bias) in
            output.data.chunks_exact_mut(output.height * output.width).zip(&self.bias)
        {
            plane.fill(bias);
        }
        for (row, quick) in rows.iter().enumerate() {
            quick.multiply(pixels, &no_bias, Finish::NONE, &mut memory.scratch, &mut products)?;
            let planes = output
                .data
                .chunks_exact_mut(output.height * output.width)
                .zip(products.chunks_exact(columns * pixels));
            for (plane, products) in planes {
                for (column, product) in products.chunks_exact(pixels).enumerate() {
                    // The first row and column of the outcome at which this place of the kernel is inside.
                    let (top, start) = (above.saturating_sub(row), left.saturating_sub(column));
                    let (from_y, from_x) = (row.saturating_sub(above), column.saturating_sub(left));
                    let lines = plane
                        .chunks_exact_mut(output.width)
                        .skip(top)
                        .zip(product.chunks_exact(width).skip(from_y));
                    for (to, from) in lines {
                        for (to, from) in to.iter_mut().skip(start).zip(from.iter().skip(from_x)) {
                            *to += from;
                        }
                    }
                }
            }
        }
        memory.give(products);
        self.finish.apply(&mut output.data);
        Ok(())
    }

    /// `columns` pixels at once.
    fn multiply(
        &self,
        product: &GemmExecutor,
        weights: &PackedAMatrix<f32>,
        input: &[f32],
        columns: usize,
        output: &mut [f32],
    ) -> Result<(), String> {
        let [rows, across] = self.window.kernel;
        let input = NdTensorView::try_from_data([self.inputs * rows * across, columns], input)
            .map_err(|cause| cause.to_string())?;
        let options =
            GemmOptions { bias: Some(BiasVector::Column(&self.bias)), ..GemmOptions::default() };
        product
            .gemm(output, GemmInputA::Packed(weights), GemmInputB::Unpacked(input), options)
            .map_err(|cause| format!("{cause:?}"))
    }

    /// Lays out what the window covers at each place, some rows at a time, and multiplies that.
    fn multiply_windows(
        &self,
        product: &GemmExecutor,
        weights: &PackedAMatrix<f32>,
        input: &Planes,
        memory: &mut Memory,
        output: &mut Planes,
    ) -> Result<(), String> {
        let [rows, columns] = self.window.kernel;
        let taps = self.inputs * rows * columns;
        let (out_height, out_width) = (output.height, output.width);
        let at_once = (MAX_LAID_OUT / (taps * out_width).max(1)).clamp(1, out_height.max(1));
        let mut laid_out = memory.take(taps * at_once * out_width);
        let mut part = memory.take(self.outputs * at_once * out_width);
        for first in (0..out_height).step_by(at_once) {
            let last = (first + at_once).min(out_height);
            let pixels = (last - first) * out_width;
            laid_out.clear();
            laid_out.resize(taps * pixels, 0.0);
            self.lay_out(input, first, out_width, pixels, &mut laid_out);
            part.resize(self.outputs * pixels, 0.0);
            self.multiply(product, weights, &laid_out, pixels, &mut part)?;
            for (plane, part) in
                output.data.chunks_exact_mut(out_height * out_width).zip(part.chunks_exact(pixels))
            {
                if let Some(place) = plane.get_mut(first * out_width..last * out_width) {
                    place.copy_from_slice(part);
                }
            }
        }
        memory.give(laid_out);
        memory.give(part);
        Ok(())
    }

    /// A row for each tap of the kernel, over the pixels from row `first` of the outcome on.
    fn lay_out(
        &self,
        input: &Planes,
        first: usize,
        out_width: usize,
        pixels: usize,
        laid_out: &mut [f32],
    ) {
        let [rows, columns] = self.window.kernel;
        let [down, along] = self.window.stride;
        let [above, left, ..] = self.window.pads;
        let mut taps = laid_out.chunks_exact_mut(pixels);
        for plane in input.data.chunks_exact(input.height * input.width) {
            for row in 0..rows {
                for column in 0..columns {
                    let Some(tap) = taps.next() else { return };
                    // The first place at which this tap is inside.
                    let skipped = left.saturating_sub(column).div_ceil(along);
                    let from_x = (skipped * along + column).saturating_sub(left);
                    for (y, place) in tap.chunks_exact_mut(out_width).enumerate() {
                        let Some(from_y) = ((first + y) * down + row)
                            .checked_sub(above)
                            .filter(|&y| y < input.height)
                        else {
                            continue;
                        };
                        let line = plane
                            .get(from_y * input.width..(from_y + 1) * input.width)
                            .unwrap_or_default();
                        let (place, line) = (
                            place.get_mut(skipped..).unwrap_or_default(),
                            line.get(from_x..).unwrap_or_default(),
                        );
                        if along == 1 {
                            for (to, from) in place.iter_mut().zip(line) {
                                *to = *from;
                            }
                        } else {
                            for (to, from) in place.iter_mut().zip(line.iter().step_by(along)) {
                                *to = *from;
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The weights in bytes, where that is of use.
fn quick(window: Window, outputs: usize, inputs: usize, weights: &[f32]) -> Option<Vec<Quick>> {
    let [rows, columns] = window.kernel;
    if window != Window::POINT && (window.stride != [1, 1] || outputs > inputs) {
        return None;
    }
    let mut quick = Vec::with_capacity(rows);
    for row in 0..rows {
        let mut of_row = Vec::with_capacity(outputs * columns * inputs);
        for kernels in weights.chunks_exact(inputs * rows * columns) {
            for column in 0..columns {
                of_row.extend(
                    kernels
                        .chunks_exact(rows * columns)
                        .filter_map(|kernel| kernel.get(row * columns + column)),
                );
            }
        }
        quick.push(Quick::new(outputs * columns, inputs, &of_row)?);
    }
    Some(quick)
}

#[cfg(test)]
mod tests {
    use super::{Convolution, Finish, GemmExecutor, Kind, Memory, NdTensorView, Planes, Window};

    #[test]
    fn a_dense_convolution_sees_all_planes_and_nothing_beyond_the_edge() {
        let window = Window { kernel: [3, 3], stride: [2, 2], pads: [1, 1, 1, 1] };
        let mut weights = vec![1.0; 2 * 9];
        weights.extend((0..18).map(|at| if at == 13 { 2.0 } else { 0.0 }));
        let convolution =
            Convolution::dense(window, 2, 2, &weights, vec![0.0, 1.0], Finish::NONE).unwrap();
        let input = Planes {
            channels: 2,
            height: 3,
            width: 4,
            data: (0..24).map(|at| at as f32).collect(),
        };
        let output = convolution.run(&input, &mut Memory::default()).unwrap();
        assert_eq!((output.channels, output.height, output.width), (2, 2, 2));
        let square = |rows: [usize; 2], columns: std::ops::Range<usize>| {
            rows.iter()
                .flat_map(|row| columns.clone().map(move |column| row * 4 + column))
                .map(|at| (at + at + 12) as f32)
                .sum::<f32>()
        };
        assert_eq!(
            output.data[..4],
            [
                square([0, 1], 0..2),
                square([0, 1], 1..4),
                square([1, 2], 0..2),
                square([1, 2], 1..4)
            ]
        );
        assert_eq!(output.data[4..], [12.0, 14.0, 20.0, 22.0].map(|value: f32| 2.0 * value + 1.0));
    }

    #[test]
    fn shifted_products_give_what_laid_out_windows_give() {
        let window = Window { kernel: [3, 3], stride: [1, 1], pads: [1, 1, 1, 1] };
        let (outputs, inputs) = (24, 96);
        let weights: Vec<f32> =
            (0..outputs * inputs * 9).map(|at| ((at * 37 % 101) as f32 - 50.0) / 500.0).collect();
        let input = Planes {
            channels: inputs,
            height: 4,
            width: 5,
            data: (0..inputs * 20).map(|at| (at * 53 % 97) as f32 / 97.0).collect(),
        };
        let bias: Vec<f32> = (0..outputs).map(|at| at as f32).collect();
        let quick =
            Convolution::dense(window, outputs, inputs, &weights, bias.clone(), Finish::NONE)
                .unwrap();
        let product = GemmExecutor::default();
        let packed =
            product.prepack_a(NdTensorView::from_data([outputs, inputs * 9], weights.as_slice()));
        let plain = Convolution {
            kind: Kind::Dense { product, weights: packed },
            window,
            outputs,
            inputs,
            bias,
            finish: Finish::NONE,
        };
        let [quick, plain] =
            [quick, plain].map(|it| it.run(&input, &mut Memory::default()).unwrap().data);
        for (quick, plain) in quick.iter().zip(&plain) {
            assert!((quick - plain).abs() < 0.3, "{quick} for {plain}");
        }
    }

    #[test]
    fn other_planes_than_the_weights_are_for_are_refused() {
        let convolution =
            Convolution::dense(Window::POINT, 1, 2, &[1.0, 1.0], vec![0.0], Finish::NONE).unwrap();
        assert!(
            convolution
                .run(
                    &Planes { channels: 1, height: 1, width: 1, data: vec![0.0] },
                    &mut Memory::default()
                )
                .is_err()
        );
        assert!(Convolution::dense(Window::POINT, 1, 2, &[1.0], vec![0.0], Finish::NONE).is_none());
    }
}

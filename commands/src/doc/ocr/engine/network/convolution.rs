//! [`Convolution`]: a feature map in, a feature map out, by weights.

use super::{
    dense::Dense,
    depthwise::depthwise,
    feature_map::{FeatureMap, Shape},
    finish::Finish,
    memory::{Buffer, Memory},
    quick::Quick,
    window::Window,
};

/// A convolution with what is done to each number of its outcome.
pub(super) struct Convolution {
    kind: Kind,
    window: Window,
    pub(super) outputs: usize,
    inputs: usize,
    bias: Buffer,
    finish: Finish,
}

enum Kind {
    /// A kernel for each channel: a weight for each channel, tap by tap.
    Depthwise(Buffer),
    Dense(Dense),
    Quick(Quick),
}

impl Convolution {
    /// `weights` are a kernel for each channel, as ONNX has them; `None` when they are not.
    pub(super) fn depthwise(
        window: Window,
        channels: usize,
        weights: &[f32],
        bias: Vec<f32>,
        finish: Finish,
    ) -> Option<Self> {
        let taps = window.kernel[0] * window.kernel[1];
        let weights = transposed(weights, channels, taps)?.into_iter().collect();
        let kind = Kind::Depthwise(weights);
        Some(Self {
            kind,
            window,
            outputs: channels,
            inputs: channels,
            bias: bias.into_iter().collect(),
            finish,
        })
    }

    /// `weights` are for each channel that comes out a kernel for each that goes in, as ONNX has them;
    /// `None` when they are not.
    pub(super) fn dense(
        window: Window,
        outputs: usize,
        inputs: usize,
        weights: &[f32],
        bias: Vec<f32>,
        finish: Finish,
    ) -> Option<Self> {
        /// Channels that go in, and weights that each of them has in a row of kernels, at least:
        /// smaller products cost little.
        const LARGE: usize = 64;
        let taps = window.kernel[0] * window.kernel[1];
        let mut rows = Vec::with_capacity(weights.len());
        for kernels in weights.chunks_exact((inputs * taps).max(1)) {
            if taps == 1 {
                rows.extend_from_slice(kernels);
            } else {
                rows.extend(transposed(kernels, inputs, taps)?);
            }
        }
        let is_large = inputs >= LARGE && outputs * window.kernel[1] >= LARGE;
        let quick = is_large.then(|| Quick::new(outputs, inputs * taps, &rows)).flatten();
        let kind = match quick {
            Some(quick) => Kind::Quick(quick),
            None => Kind::Dense(Dense::new(outputs, inputs * taps, &rows)?),
        };
        Some(Self { kind, window, outputs, inputs, bias: bias.into_iter().collect(), finish })
    }

    /// Adds 1 to each number of its outcome.
    pub(super) fn raise(&mut self) {
        self.finish = self.finish.then(1.0, 1.0);
    }

    pub(super) fn run(
        &self,
        input: &FeatureMap,
        memory: &mut Memory,
    ) -> Result<FeatureMap, String> {
        let Self { kind, window, outputs, inputs, bias, finish } = self;
        let Shape { height, width, channels } = input.shape;
        if channels != *inputs {
            return Err(format!("a convolution of {inputs} channels meets {channels}"));
        }
        let [height, width] = window.over(height, width).ok_or("the picture is too small")?;
        let shape = Shape { height, width, channels: *outputs };
        let mut output = FeatureMap { shape, data: memory.take(shape.numbers()) };
        match kind {
            Kind::Depthwise(weights) => {
                depthwise(input, *window, weights, bias, *finish, memory, &mut output);
            }
            Kind::Dense(dense) => {
                dense.run(input, *window, bias, *finish, &mut memory.laid_out, &mut output)?;
            }
            Kind::Quick(quick) => {
                quick.run(input, *window, bias, *finish, &mut memory.bytes, &mut output)?;
            }
        }
        Ok(output)
    }
}

/// Rows as columns; `None` when these are not so many numbers.
pub(super) fn transposed(numbers: &[f32], rows: usize, columns: usize) -> Option<Vec<f32>> {
    (numbers.len() == rows * columns).then(|| {
        (0..columns)
            .flat_map(|column| numbers.iter().skip(column).step_by(columns.max(1)))
            .copied()
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::{Convolution, FeatureMap, Finish, Memory, Shape, Window};

    #[test]
    fn a_dense_convolution_sees_all_channels_and_nothing_beyond_the_edge() {
        let window = Window { kernel: [3, 3], stride: [2, 2], pads: [1, 1, 1, 1] };
        let mut weights = vec![1.0; 2 * 9];
        weights.extend((0..18).map(|at| if at == 13 { 2.0 } else { 0.0 }));
        let convolution =
            Convolution::dense(window, 2, 2, &weights, vec![0.0, 1.0], Finish::NONE).unwrap();
        // The second channel has 12 more than the first.
        let input = FeatureMap {
            shape: Shape { height: 3, width: 4, channels: 2 },
            data: (0..24).map(|at| (at / 2 + at % 2 * 12) as f32).collect(),
        };
        let output = convolution.run(&input, &mut Memory::default()).unwrap();
        assert_eq!(output.shape, Shape { height: 2, width: 2, channels: 2 });
        let square = |rows: [usize; 2], columns: std::ops::Range<usize>| {
            rows.iter()
                .flat_map(|row| columns.clone().map(move |column| row * 4 + column))
                .map(|at| (at + at + 12) as f32)
                .sum::<f32>()
        };
        let sums = [
            square([0, 1], 0..2),
            square([0, 1], 1..4),
            square([1, 2], 0..2),
            square([1, 2], 1..4),
        ];
        let middles = [12.0, 14.0, 20.0, 22.0].map(|value: f32| 2.0 * value + 1.0);
        assert_eq!(
            output.data.to_vec(),
            sums.into_iter().zip(middles).flat_map(<[f32; 2]>::from).collect::<Vec<f32>>()
        );
    }

    #[test]
    fn other_channels_than_the_weights_are_for_are_refused() {
        let convolution =
            Convolution::dense(Window::POINT, 1, 2, &[1.0, 1.0], vec![0.0], Finish::NONE).unwrap();
        let shape = Shape { height: 1, width: 1, channels: 1 };
        let input = FeatureMap { shape, data: [0.0].into_iter().collect() };
        assert!(convolution.run(&input, &mut Memory::default()).is_err());
        assert!(Convolution::dense(Window::POINT, 1, 2, &[1.0], vec![0.0], Finish::NONE).is_none());
    }
}

//! [`Quick`]: large products in bytes, a third of the cost of those in floats.

use rten_gemm::{GemmExecutor, GemmInputA, GemmInputB, GemmOptions, PackedBMatrix, QuantParams};
use rten_simd::{
    Isa, Simd, SimdOp,
    ops::{BitOps, NumOps, ToFloat},
};
use rten_tensor::{MatrixLayout, NdTensorView};

use super::{
    feature_map::FeatureMap,
    finish::Finish,
    memory::Bytes,
    vector::{load, store},
    window::Window,
};

/// Weights in bytes: a column for each channel that comes out, with a scale of its own.
pub(super) struct Quick {
    product: GemmExecutor<u8, i8, i32>,
    weights: PackedBMatrix<i8>,
    scales: Vec<f32>,
}

impl Quick {
    /// `weights` are a row for each channel that comes out: a number for each that goes in, tap by
    /// tap. `None` when they are not, or bytes overflow on this processor.
    pub(super) fn new(outputs: usize, taps: usize, weights: &[f32]) -> Option<Self> {
        let product = GemmExecutor::<u8, i8, i32>::default();
        if product.may_saturate() {
            return None;
        }
        let (mut bytes, mut scales) = (Vec::with_capacity(weights.len()), Vec::new());
        for row in weights.chunks_exact(taps.max(1)) {
            let reach = row.iter().fold(0.0_f32, |reach, weight| reach.max(weight.abs()));
            let scale = if reach > 0.0 { reach / 127.0 } else { 1.0 };
            bytes.extend(row.iter().map(|weight| byte(weight / scale)));
            scales.push(scale);
        }
        let rows = NdTensorView::try_from_data([outputs, taps], bytes.as_slice()).ok()?;
        let weights = product.prepack_b(rows.transposed());
        Some(Self { product, weights, scales })
    }

    /// What the product in floats would give, nearly.
    pub(super) fn run(
        &self,
        input: &FeatureMap,
        window: Window,
        bias: &[f32],
        finish: Finish,
        memory: &mut Bytes,
        output: &mut FeatureMap,
    ) -> Result<(), String> {
        let Bytes { input: bytes, laid_out, zeros, sums, scales } = memory;
        bytes.resize(input.data.len(), 0);
        let (scale, zero) = Narrow { input: &input.data, output: bytes }.dispatch();
        scales.resize(self.scales.len());
        for (scale_here, of_column) in scales.iter_mut().zip(&self.scales) {
            *scale_here = of_column * scale;
        }
        zeros.clear();
        window.blocks(input.shape, bytes, zero, laid_out, output, |rows, output| {
            zeros.resize(rows.rows(), zero);
            sums.resize(output.len());
            let options = GemmOptions {
                a_quant: Some(QuantParams { zero_point: zeros }),
                ..GemmOptions::default()
            };
            self.product
                .gemm(sums, GemmInputA::Unpacked(rows), GemmInputB::Packed(&self.weights), options)
                .map_err(|cause| format!("{cause:?}"))?;
            Widen { sums, scales, bias, finish, output }.dispatch();
            Ok(())
        })
    }
}

#[expect(clippy::cast_possible_truncation, reason = "`as` holds floats at the bounds")]
fn byte(value: f32) -> i8 {
    value.round() as i8
}

/// Floats into bytes; gives the scale and the byte that stands for 0.
struct Narrow<'a> {
    input: &'a [f32],
    output: &'a mut [u8],
}

impl SimdOp for Narrow<'_> {
    type Output = (f32, u8);

    #[inline(always)]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "held within a byte"
    )]
    fn eval<I: Isa>(self, isa: I) -> (f32, u8) {
        /// Vectors that are compared side by side.
        const ABREAST: usize = 4;
        let ops = isa.f32();
        let (mut lows, mut highs) = ([ops.zero(); ABREAST], [ops.zero(); ABREAST]);
        let blocks = self.input.chunks_exact(ABREAST * ops.len());
        let rest = blocks.remainder();
        for block in blocks {
            let values = ops.load_many::<ABREAST>(block);
            for ((low, high), value) in lows.iter_mut().zip(&mut highs).zip(values) {
                (*low, *high) = (ops.min(*low, value), ops.max(*high, value));
            }
        }
        let low = rest.iter().copied().fold(0.0, f32::min);
        let high = rest.iter().copied().fold(0.0, f32::max);
        let low = lows.into_iter().flat_map(Simd::to_array).fold(low, f32::min);
        let high = highs.into_iter().flat_map(Simd::to_array).fold(high, f32::max);
        let scale = if high > low { (high - low) / 255.0 } else { 1.0 };
        let zero = (-low / scale).round().clamp(0.0, 255.0);
        /// Floats of this size have no bits for fractions: adding it rounds.
        const ROUNDER: f32 = 12_582_912.0;
        let (factor, shift) = (1.0 / scale, zero + ROUNDER);
        for (byte, &value) in self.output.iter_mut().zip(self.input) {
            let value = (value * factor + shift).clamp(ROUNDER, ROUNDER + 255.0);
            *byte = (value.to_bits() & 0xff) as u8;
        }
        (scale, zero as u8)
    }
}

/// Sums of products of bytes into floats, pixel by pixel, and finished.
struct Widen<'a> {
    sums: &'a [i32],
    scales: &'a [f32],
    bias: &'a [f32],
    finish: Finish,
    output: &'a mut [f32],
}

impl SimdOp for Widen<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let (floats, integers) = (isa.f32(), isa.i32());
        let (channels, length) = (self.scales.len().max(1), floats.len());
        let whole = channels - channels % length;
        let (scales, last_scales) = self.scales.split_at(whole);
        let (bias, last_bias) = self.bias.split_at(whole);
        let pixels = self.output.chunks_exact_mut(channels).zip(self.sums.chunks_exact(channels));
        for (output, sums) in pixels {
            let ((output, last_output), (sums, last_sums)) =
                (output.split_at_mut(whole), sums.split_at(whole));
            let vectors = output.chunks_exact_mut(length).zip(sums.chunks_exact(length));
            let lines = scales.chunks_exact(length).zip(bias.chunks_exact(length));
            for ((output, sums), (scales, bias)) in vectors.zip(lines) {
                let sums = integers.to_float(integers.load(sums));
                let value = floats.mul_add(sums, floats.load(scales), floats.load(bias));
                floats.store(self.finish.of(isa, value), output);
            }
            if whole < channels {
                let sums = integers.to_float(integers.load_pad(last_sums).0);
                let (scales, bias) = (load(isa, last_scales), load(isa, last_bias));
                let value = floats.mul_add(sums, scales, bias);
                store(isa, self.finish.of(isa, value), last_output);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{dense::Dense, feature_map::Shape},
        Bytes, FeatureMap, Finish, Quick, Window,
    };

    #[test]
    fn bytes_give_nearly_what_floats_give() {
        let (inputs, outputs) = (96, 70);
        for window in [Window::POINT, Window { kernel: [3, 3], stride: [2, 1], pads: [1, 1, 1, 1] }]
        {
            let taps = inputs * window.kernel[0] * window.kernel[1];
            let weights: Vec<f32> =
                (0..taps * outputs).map(|at| ((at * 37 % 101) as f32 - 50.0) / 500.0).collect();
            let shape = Shape { height: 5, width: 8, channels: inputs };
            let data = (0..shape.numbers()).map(|at| (at * 53 % 97) as f32 / 97.0 - 0.1).collect();
            let input = FeatureMap { shape, data };
            let bias: Vec<f32> = (0..outputs).map(|at| at as f32 / 10.0).collect();
            let Some(quick) = Quick::new(outputs, taps, &weights) else { return };
            let [height, width] = window.over(5, 8).unwrap();
            let shape = Shape { height, width, channels: outputs };
            let output =
                || FeatureMap { shape, data: vec![0.0; shape.numbers()].into_iter().collect() };
            let (mut nearly, mut exactly) = (output(), output());
            quick
                .run(&input, window, &bias, Finish::NONE, &mut Bytes::default(), &mut nearly)
                .unwrap();
            Dense::new(outputs, taps, &weights)
                .unwrap()
                .run(&input, window, &bias, Finish::NONE, &mut Vec::new(), &mut exactly)
                .unwrap();
            for (nearly, exactly) in nearly.data.iter().zip(exactly.data.iter()) {
                assert!((nearly - exactly).abs() < 0.1, "{nearly} for {exactly}");
            }
        }
    }
}

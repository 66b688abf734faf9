//! [`Quick`]: large products in bytes, a third of the cost of those in floats.

use rten_gemm::{GemmExecutor, GemmInputA, GemmInputB, GemmOptions, QuantParams};
use rten_simd::{Isa, SimdOp, functional::simd_map};
use rten_tensor::NdTensorView;

use super::finish::Finish;

/// Memory that is used again for the next product.
#[derive(Default)]
pub(super) struct Scratch {
    bytes: Vec<i8>,
    zeros: Vec<i8>,
    sums: Vec<i32>,
    scale: f32,
}

/// Weights in bytes: each row with a scale and a zero of its own.
pub(super) struct Quick {
    product: GemmExecutor<u8, i8, i32>,
    weights: Vec<u8>,
    zeros: Vec<u8>,
    scales: Vec<f32>,
    inputs: usize,
}

impl Quick {
    /// `None` where bytes would be no faster or overflow on this processor, or the product is small.
    pub(super) fn new(outputs: usize, inputs: usize, weights: &[f32]) -> Option<Self> {
        /// Rows and columns of weights, at least: smaller products cost little.
        const LARGE: usize = 64;
        let product = GemmExecutor::<u8, i8, i32>::default();
        if outputs < LARGE
            || inputs < LARGE
            || product.may_saturate()
            || weights.len() != outputs * inputs
        {
            return None;
        }
        let (mut bytes, mut zeros, mut scales) =
            (Vec::with_capacity(weights.len()), Vec::new(), Vec::new());
        for row in weights.chunks_exact(inputs) {
            let reach = row.iter().fold(0.0_f32, |reach, weight| reach.max(weight.abs()));
            let scale = if reach > 0.0 { reach / 127.0 } else { 1.0 };
            bytes.extend(row.iter().map(|weight| byte(weight / scale + 128.0)));
            zeros.push(128);
            scales.push(scale);
        }
        Some(Self { product, weights: bytes, zeros, scales, inputs })
    }

    /// What the product in floats would give, nearly.
    pub(super) fn run(
        &self,
        input: &[f32],
        columns: usize,
        bias: &[f32],
        finish: Finish,
        scratch: &mut Scratch,
        output: &mut [f32],
    ) -> Result<(), String> {
        scratch.narrow(input, columns);
        self.multiply(columns, bias, finish, scratch, output)
    }

    /// The product with what `scratch` was given last.
    pub(super) fn multiply(
        &self,
        columns: usize,
        bias: &[f32],
        finish: Finish,
        scratch: &mut Scratch,
        output: &mut [f32],
    ) -> Result<(), String> {
        let Scratch { bytes, zeros, sums, scale } = scratch;
        sums.resize(output.len(), 0);
        let view = |cause: rten_tensor::errors::FromDataError| cause.to_string();
        let weights =
            NdTensorView::try_from_data([self.scales.len(), self.inputs], self.weights.as_slice())
                .map_err(view)?;
        let matrix =
            NdTensorView::try_from_data([self.inputs, columns], bytes.as_slice()).map_err(view)?;
        let options = GemmOptions {
            a_quant: Some(QuantParams { zero_point: &self.zeros }),
            b_quant: Some(QuantParams { zero_point: zeros }),
            ..GemmOptions::default()
        };
        // The weights are not packed before: what is packed forgets the zeros.
        self.product
            .gemm(sums, GemmInputA::Unpacked(weights), GemmInputB::Unpacked(matrix), options)
            .map_err(|cause| format!("{cause:?}"))?;
        Widen { sums, scales: &self.scales, scale: *scale, bias, columns, finish, output }
            .dispatch();
        Ok(())
    }
}

impl Scratch {
    /// Takes the right side of a product.
    pub(super) fn narrow(&mut self, input: &[f32], columns: usize) {
        self.bytes.resize(input.len(), 0);
        let (scale, zero) = Narrow { input, output: &mut self.bytes }.dispatch();
        self.scale = scale;
        self.zeros.clear();
        self.zeros.resize(columns, zero);
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` holds floats at the bounds, which is meant"
)]
fn byte(value: f32) -> u8 {
    value.round() as u8
}

/// Floats into bytes; gives the scale and the byte that stands for 0.
struct Narrow<'a> {
    input: &'a [f32],
    output: &'a mut [i8],
}

impl SimdOp for Narrow<'_> {
    type Output = (f32, i8);

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "held within a byte")]
    fn eval<I: Isa>(self, _: I) -> (f32, i8) {
        let mut lows = [0.0_f32; 32];
        let mut highs = [0.0_f32; 32];
        for values in self.input.chunks(32) {
            for ((low, high), &value) in lows.iter_mut().zip(&mut highs).zip(values) {
                *low = if value < *low { value } else { *low };
                *high = if value > *high { value } else { *high };
            }
        }
        let low = lows.into_iter().fold(0.0, f32::min);
        let high = highs.into_iter().fold(0.0, f32::max);
        let scale = if high > low { (high - low) / 255.0 } else { 1.0 };
        let zero = (-128.0 - low / scale).round().clamp(-128.0, 127.0);
        /// Floats of this size have no bits for fractions: adding it rounds.
        const ROUNDER: f32 = 12_582_912.0;
        let (factor, shift) = (1.0 / scale, zero + ROUNDER);
        for (byte, &value) in self.output.iter_mut().zip(self.input) {
            let value = (value * factor + shift).clamp(ROUNDER - 128.0, ROUNDER + 127.0);
            *byte = (value.to_bits() & 0xff) as u8 as i8;
        }
        (scale, zero as i8)
    }
}

/// Sums of products of bytes into floats, row by row, and finished.
struct Widen<'a> {
    sums: &'a [i32],
    scales: &'a [f32],
    scale: f32,
    bias: &'a [f32],
    columns: usize,
    finish: Finish,
    output: &'a mut [f32],
}

impl SimdOp for Widen<'_> {
    type Output = ();

    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "bytes are less exact")]
    fn eval<I: Isa>(self, isa: I) {
        /// Numbers that stay in the nearest memory between the two loops over them.
        const NEAR: usize = 1024;
        let rows =
            self.output.chunks_exact_mut(self.columns).zip(self.sums.chunks_exact(self.columns));
        for ((output, sums), (&scale, &bias)) in rows.zip(self.scales.iter().zip(self.bias)) {
            let scale = scale * self.scale;
            for (output, sums) in output.chunks_mut(NEAR).zip(sums.chunks(NEAR)) {
                for (output, &sum) in output.iter_mut().zip(sums) {
                    *output = sum as f32 * scale + bias;
                }
                simd_map(
                    isa.f32(),
                    output,
                    #[inline(always)]
                    |x| self.finish.of(isa, x),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Finish, Quick, Scratch};

    #[test]
    fn bytes_give_nearly_what_floats_give() {
        let (outputs, inputs, columns) = (64, 96, 40);
        let weights: Vec<f32> =
            (0..outputs * inputs).map(|at| ((at * 37 % 101) as f32 - 50.0) / 50.0).collect();
        let input: Vec<f32> =
            (0..inputs * columns).map(|at| (at * 53 % 97) as f32 / 20.0 - 0.4).collect();
        let bias: Vec<f32> = (0..outputs).map(|at| at as f32 / 10.0).collect();
        let Some(quick) = Quick::new(outputs, inputs, &weights) else { return };
        let mut output = vec![0.0; outputs * columns];
        quick
            .run(&input, columns, &bias, Finish::NONE, &mut Scratch::default(), &mut output)
            .unwrap();
        for row in 0..outputs {
            for column in 0..columns {
                let sum: f32 = (0..inputs)
                    .map(|at| weights[row * inputs + at] * input[at * columns + column])
                    .sum();
                let difference = (sum + bias[row] - output[row * columns + column]).abs();
                assert!(
                    difference < 0.5,
                    "{row} {column}: {} for {}",
                    output[row * columns + column],
                    sum + bias[row]
                );
            }
        }
    }
}

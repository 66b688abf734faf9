//! [`Dense`]: convolutions in which each channel that comes out is made of all that go in.

use rten_gemm::{BiasVector, GemmExecutor, GemmInputA, GemmInputB, GemmOptions, PackedBMatrix};
use rten_tensor::NdTensorView;

use super::{feature_map::FeatureMap, finish::Finish, window::Window};

/// Weights that are ready to be multiplied: a column for each channel that comes out.
pub(super) struct Dense {
    product: GemmExecutor,
    weights: PackedBMatrix<f32>,
}

impl Dense {
    /// `weights` are a row for each channel that comes out: a number for each that goes in, tap by
    /// tap. `None` when they are not.
    pub(super) fn new(outputs: usize, taps: usize, weights: &[f32]) -> Option<Self> {
        let product = GemmExecutor::default();
        let rows = NdTensorView::try_from_data([outputs, taps], weights).ok()?;
        let weights = product.prepack_b(rows.transposed());
        Some(Self { product, weights })
    }

    pub(super) fn run(
        &self,
        input: &FeatureMap,
        window: Window,
        bias: &[f32],
        finish: Finish,
        laid_out: &mut Vec<f32>,
        output: &mut FeatureMap,
    ) -> Result<(), String> {
        window.blocks(input.shape, &input.data, 0.0, laid_out, output, |rows, output| {
            let options =
                GemmOptions { bias: Some(BiasVector::Row(bias)), ..GemmOptions::default() };
            self.product
                .gemm(
                    output,
                    GemmInputA::Unpacked(rows),
                    GemmInputB::Packed(&self.weights),
                    options,
                )
                .map_err(|cause| format!("{cause:?}"))?;
            finish.apply(output);
            Ok(())
        })
    }
}

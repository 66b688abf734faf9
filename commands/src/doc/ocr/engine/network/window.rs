//! [`Window`]: how the kernel of a convolution is moved over a feature map.

use std::ops::Range;

use rten_tensor::NdTensorView;

use super::feature_map::{FeatureMap, Shape};

/// A kernel's size and its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    /// Height and width.
    pub(super) kernel: [usize; 2],
    /// Down and right.
    pub(super) stride: [usize; 2],
    /// Above, left, below, right.
    pub(super) pads: [usize; 4],
}

/// Numbers that are laid out at once: they stay in the nearer memory until they are multiplied.
const LAID_OUT: usize = 1 << 17;

impl Window {
    pub(super) const POINT: Self = Self { kernel: [1, 1], stride: [1, 1], pads: [0; 4] };

    /// Height and width of what comes of a map; `None` when the window does not fit into it.
    pub(super) fn over(&self, height: usize, width: usize) -> Option<[usize; 2]> {
        let [above, left, below, right] = self.pads;
        let [rows, columns] = self.kernel;
        let [down, along] = self.stride;
        let height = (height + above + below).checked_sub(rows)? / down.max(1) + 1;
        let width = (width + left + right).checked_sub(columns)? / along.max(1) + 1;
        Some([height, width])
    }

    /// The rows of the kernel that are inside for row `y` of the outcome, of so many rows.
    pub(super) fn rows_inside(&self, y: usize, height: usize) -> Range<usize> {
        inside(y * self.stride[0], self.pads[0], self.kernel[0], height)
    }

    /// The columns of the kernel that are inside for column `x` of the outcome, of so many columns.
    pub(super) fn columns_inside(&self, x: usize, width: usize) -> Range<usize> {
        inside(x * self.stride[1], self.pads[1], self.kernel[1], width)
    }

    /// Gives `multiply` a row of numbers for each pixel of `output`, block by block: all that the
    /// window covers there, tap by tap, and `zero` beyond the edge; with it the block of the output.
    pub(super) fn blocks<T: Copy>(
        self,
        shape: Shape,
        data: &[T],
        zero: T,
        laid_out: &mut Vec<T>,
        output: &mut FeatureMap,
        mut multiply: impl FnMut(NdTensorView<'_, T, 2>, &mut [f32]) -> Result<(), String>,
    ) -> Result<(), String> {
        let taps = self.kernel[0] * self.kernel[1] * shape.channels;
        let (out_width, outputs) = (output.shape.width.max(1), output.shape.channels.max(1));
        let at_once = (LAID_OUT / taps.max(outputs).max(1)).max(1);
        for (block, output) in output.data.chunks_mut(at_once * outputs).enumerate() {
            let pixels = block * at_once..block * at_once + output.len() / outputs;
            let count = pixels.len();
            let rows = if self == Self::POINT {
                data.get(pixels.start * taps..pixels.end * taps).unwrap_or_default()
            } else {
                laid_out.clear();
                for pixel in pixels {
                    self.lay_out(shape, data, zero, pixel / out_width, pixel % out_width, laid_out);
                }
                laid_out.as_slice()
            };
            let rows = NdTensorView::try_from_data([count, taps], rows)
                .map_err(|cause| cause.to_string())?;
            multiply(rows, output)?;
        }
        Ok(())
    }

    /// Appends what is covered for the pixel of the outcome in row `y` and column `x`.
    fn lay_out<T: Copy>(
        &self,
        shape: Shape,
        data: &[T],
        zero: T,
        y: usize,
        x: usize,
        laid_out: &mut Vec<T>,
    ) {
        let Shape { height, width, channels } = shape;
        let inside = self.columns_inside(x, width);
        let from_x = (x * self.stride[1] + inside.start).saturating_sub(self.pads[1]);
        let rows_inside = self.rows_inside(y, height);
        for row in 0..self.kernel[0] {
            let end = laid_out.len() + self.kernel[1] * channels;
            if rows_inside.contains(&row) {
                let from_y = y * self.stride[0] + row - self.pads[0];
                let start = (from_y * width + from_x) * channels;
                laid_out.resize(laid_out.len() + inside.start * channels, zero);
                laid_out.extend_from_slice(
                    data.get(start..start + inside.len() * channels).unwrap_or_default(),
                );
            }
            laid_out.resize(end, zero);
        }
    }
}

/// Of `taps` in a row, of which the first lies `pad` before `start`: those from 0 to before `end`.
fn inside(start: usize, pad: usize, taps: usize, end: usize) -> Range<usize> {
    let first = pad.saturating_sub(start).min(taps);
    first..(end + pad).saturating_sub(start).clamp(first, taps)
}

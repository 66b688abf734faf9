//! [`FeatureMap`]: what goes from one step of a network to the next.

use super::memory::Buffer;

/// The sides of a feature map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) height: usize,
    pub(super) width: usize,
    pub(super) channels: usize,
}

impl Shape {
    pub(super) fn pixels(self) -> usize {
        self.height * self.width
    }

    pub(super) fn numbers(self) -> usize {
        self.pixels() * self.channels
    }
}

/// Numbers for each pixel, one for each channel side by side; pixels row by row. So a step takes all
/// that it needs of a pixel from one place, and the edge of a picture is never within a vector.
pub(super) struct FeatureMap {
    pub(super) shape: Shape,
    pub(super) data: Buffer,
}

impl FeatureMap {
    /// Channel by channel, as ONNX has it.
    pub(super) fn channels_first(self) -> Vec<f32> {
        let channels = self.shape.channels.max(1);
        if channels == 1 || self.shape.pixels() == 1 {
            return self.data.to_vec();
        }
        let mut first = Vec::with_capacity(self.data.len());
        for channel in 0..channels {
            first.extend(self.data.iter().skip(channel).step_by(channels));
        }
        first
    }

    /// Pixel by pixel.
    pub(super) fn pixels(&self) -> impl Iterator<Item = &[f32]> {
        self.data.chunks_exact(self.shape.channels.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::{FeatureMap, Shape};

    #[test]
    fn onnx_has_channels_one_after_the_other() {
        let shape = Shape { height: 1, width: 3, channels: 2 };
        let map =
            FeatureMap { shape, data: [1.0, 10.0, 2.0, 20.0, 3.0, 30.0].into_iter().collect() };
        assert_eq!(map.channels_first(), [1.0, 2.0, 3.0, 10.0, 20.0, 30.0]);
    }
}

//! [`Trunk`]: the part of a model that is run here, step by step.

use super::{
    convolution::Convolution,
    feature_map::{FeatureMap, Shape},
    memory::Memory,
};

/// Steps in order. Values are known by number; the picture is 0, and step `n` gives value `n + 1`.
pub(super) struct Trunk {
    pub(super) steps: Vec<Step>,
    /// What comes out, under the names that the rest of the model knows it by.
    pub(super) outputs: Vec<(String, usize)>,
}

/// One step of a trunk.
pub(super) enum Step {
    Convolve {
        input: usize,
        convolution: Box<Convolution>,
    },
    /// The mean of each channel.
    Average {
        input: usize,
    },
    /// Each channel times a number of its own, or each number times its peer.
    Multiply {
        input: usize,
        by: usize,
    },
    Add {
        input: usize,
        to: usize,
    },
    /// Each number `by` times across and down.
    Enlarge {
        input: usize,
        by: usize,
    },
    /// A quarter of the channels of each pixel for each of two by two.
    Spread {
        input: usize,
    },
    /// The channels of one after those of the other.
    Stack {
        inputs: Vec<usize>,
    },
}

impl Step {
    pub(super) fn inputs(&self) -> Vec<usize> {
        match self {
            Self::Convolve { input, .. }
            | Self::Average { input }
            | Self::Spread { input }
            | Self::Enlarge { input, .. } => vec![*input],
            Self::Multiply { input, by } => vec![*input, *by],
            Self::Add { input, to } => vec![*input, *to],
            Self::Stack { inputs } => inputs.clone(),
        }
    }
}

impl Trunk {
    pub(super) fn run(
        &self,
        picture: FeatureMap,
        memory: &mut Memory,
    ) -> Result<Vec<(&str, FeatureMap)>, String> {
        let mut last_use = vec![0; self.steps.len() + 1];
        for (at, step) in self.steps.iter().enumerate() {
            for input in step.inputs() {
                last_use.get_mut(input).into_iter().for_each(|last| *last = at);
            }
        }
        for (_, output) in &self.outputs {
            last_use.get_mut(*output).into_iter().for_each(|last| *last = usize::MAX);
        }
        let mut values = Values { held: vec![Some(picture)], last_use, now: 0 };
        for (at, step) in self.steps.iter().enumerate() {
            values.now = at;
            let outcome = step.run(&mut values, memory)?;
            values.held.push(Some(outcome));
            for input in step.inputs() {
                if let Some(map) = values.take_last(input) {
                    memory.give(map.data);
                }
            }
        }
        let mut outputs = Vec::new();
        for (name, output) in &self.outputs {
            let map = values.held.get_mut(*output).and_then(Option::take);
            outputs.push((name.as_str(), map.ok_or("a value is missing")?));
        }
        Ok(outputs)
    }
}

/// What steps take and give.
struct Values {
    held: Vec<Option<FeatureMap>>,
    /// The last step that takes each of them.
    last_use: Vec<usize>,
    /// The step that is run.
    now: usize,
}

impl Values {
    fn get(&self, value: usize) -> Result<&FeatureMap, String> {
        let held = self.held.get(value).and_then(Option::as_ref);
        held.ok_or_else(|| "a value is missing".to_owned())
    }

    /// One that no later step takes.
    fn take_last(&mut self, value: usize) -> Option<FeatureMap> {
        let is_last = self.last_use.get(value) == Some(&self.now);
        self.held.get_mut(value).filter(|_| is_last).and_then(Option::take)
    }

    fn copy(&self, value: usize, memory: &mut Memory) -> Result<FeatureMap, String> {
        let FeatureMap { shape, data } = self.get(value)?;
        let mut copy = memory.take(data.len());
        copy.copy_from_slice(data);
        Ok(FeatureMap { shape: *shape, data: copy })
    }

    /// Both number by number; the smaller one may have a single pixel.
    fn combine(
        &mut self,
        one: usize,
        other: usize,
        memory: &mut Memory,
        combine: impl Fn(f32, f32) -> f32,
    ) -> Result<FeatureMap, String> {
        let is_larger = self.get(one)?.data.len() >= self.get(other)?.data.len();
        let (large, small) = if is_larger { (one, other) } else { (other, one) };
        let (shape, small_shape) = (self.get(large)?.shape, self.get(small)?.shape);
        if small_shape != shape && small_shape != (Shape { height: 1, width: 1, ..shape }) {
            return Err("two values do not fit together".to_owned());
        }
        // In place, where that is nobody's loss.
        let taken = if large == small { None } else { self.take_last(large) };
        let mut output = match taken {
            Some(map) => map,
            None => self.copy(large, memory)?,
        };
        let small = self.get(small)?;
        for part in output.data.chunks_exact_mut(small.data.len().max(1)) {
            for (number, peer) in part.iter_mut().zip(small.data.iter()) {
                *number = combine(*number, *peer);
            }
        }
        Ok(output)
    }
}

impl Step {
    fn run(&self, values: &mut Values, memory: &mut Memory) -> Result<FeatureMap, String> {
        match self {
            Self::Convolve { input, convolution } => convolution.run(values.get(*input)?, memory),
            Self::Average { input } => Ok(average(values.get(*input)?)),
            Self::Multiply { input, by } => values.combine(*input, *by, memory, |a, b| a * b),
            Self::Add { input, to } => values.combine(*input, *to, memory, |a, b| a + b),
            Self::Enlarge { input, by } => Ok(enlarge(values.get(*input)?, *by, memory)),
            Self::Spread { input } => Ok(spread(values.get(*input)?, memory)),
            Self::Stack { inputs } => {
                let inputs = inputs.iter().map(|&input| values.get(input));
                stack(&inputs.collect::<Result<Vec<_>, _>>()?, memory)
            }
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "pixels of a page")]
fn average(input: &FeatureMap) -> FeatureMap {
    let Shape { width, channels, .. } = input.shape;
    let mut sums = vec![0.0; channels];
    // By rows, so that the sum of many small numbers stays exact enough.
    let mut of_row = vec![0.0; channels];
    for row in input.data.chunks_exact((width * channels).max(1)) {
        of_row.fill(0.0);
        for pixel in row.chunks_exact(channels) {
            for (sum, value) in of_row.iter_mut().zip(pixel) {
                *sum += value;
            }
        }
        for (sum, of_row) in sums.iter_mut().zip(&of_row) {
            *sum += of_row;
        }
    }
    let pixels = input.shape.pixels().max(1) as f32;
    sums.iter_mut().for_each(|sum| *sum /= pixels);
    FeatureMap { shape: Shape { height: 1, width: 1, channels }, data: sums.into_iter().collect() }
}

fn enlarge(input: &FeatureMap, by: usize, memory: &mut Memory) -> FeatureMap {
    let Shape { height, width, channels } = input.shape;
    let shape = Shape { height: height * by, width: width * by, channels };
    let mut data = memory.take(shape.numbers());
    let row = (shape.width * channels).max(1);
    let rows = data.chunks_exact_mut(row * by).zip(input.data.chunks_exact(width * channels));
    for (output, input) in rows {
        let (first, others) = output.split_at_mut(row);
        let pixels = first.chunks_exact_mut(channels * by).zip(input.chunks_exact(channels));
        for (output, pixel) in pixels {
            output.chunks_exact_mut(channels).for_each(|output| output.copy_from_slice(pixel));
        }
        others.chunks_exact_mut(row).for_each(|output| output.copy_from_slice(first));
    }
    FeatureMap { shape, data }
}

fn spread(input: &FeatureMap, memory: &mut Memory) -> FeatureMap {
    let Shape { height, width, channels } = input.shape;
    let channels = channels / 4;
    let shape = Shape { height: height * 2, width: width * 2, channels };
    let mut data = memory.take(shape.numbers());
    let pair = (width * 2 * channels).max(1);
    let rows = data.chunks_exact_mut(2 * pair).zip(input.data.chunks_exact(2 * pair));
    for (output, input) in rows {
        let (upper, lower) = output.split_at_mut(pair);
        let places = upper.chunks_exact_mut(2 * channels).zip(lower.chunks_exact_mut(2 * channels));
        for ((upper, lower), pixel) in places.zip(input.chunks_exact(4 * channels)) {
            let (above, below) = pixel.split_at(2 * channels);
            upper.copy_from_slice(above);
            lower.copy_from_slice(below);
        }
    }
    FeatureMap { shape, data }
}

fn stack(inputs: &[&FeatureMap], memory: &mut Memory) -> Result<FeatureMap, String> {
    let Shape { height, width, .. } = inputs.first().ok_or("nothing is stacked")?.shape;
    if inputs.iter().any(|input| (input.shape.height, input.shape.width) != (height, width)) {
        return Err("two values do not fit together".to_owned());
    }
    let channels = inputs.iter().map(|input| input.shape.channels).sum();
    let shape = Shape { height, width, channels };
    let mut data = memory.take(shape.numbers());
    let mut start = 0;
    for input in inputs {
        let end = start + input.shape.channels;
        for (output, pixel) in data.chunks_exact_mut(channels).zip(input.pixels()) {
            if let Some(place) = output.get_mut(start..end) {
                place.copy_from_slice(pixel);
            }
        }
        start = end;
    }
    Ok(FeatureMap { shape, data })
}

#[cfg(test)]
mod tests {
    use super::{FeatureMap, Memory, Shape, Step, Trunk};

    fn map(channels: usize, height: usize, width: usize) -> FeatureMap {
        let shape = Shape { height, width, channels };
        FeatureMap { shape, data: (0..shape.numbers()).map(|at| at as f32).collect() }
    }

    #[test]
    fn steps_take_what_earlier_ones_gave() {
        let steps = vec![
            Step::Average { input: 0 },
            Step::Multiply { input: 0, by: 1 },
            Step::Add { input: 2, to: 0 },
            Step::Enlarge { input: 1, by: 2 },
            Step::Stack { inputs: vec![4, 4] },
        ];
        let trunk = Trunk { steps, outputs: vec![("sum".to_owned(), 3), ("stack".to_owned(), 5)] };
        let mut memory = Memory::default();
        for _ in 0..2 {
            let outputs = trunk.run(map(2, 1, 2), &mut memory).unwrap();
            let found: Vec<(&str, Shape, &[f32])> =
                outputs.iter().map(|(name, it)| (*name, it.shape, &*it.data)).collect();
            // The picture is 0 1, 2 3; the means of its channels are 1 and 2.
            let sum = [0.0, 3.0, 4.0, 9.0];
            let stack = [1.0, 2.0].repeat(8);
            assert_eq!(
                found,
                [
                    ("sum", Shape { height: 1, width: 2, channels: 2 }, sum.as_slice()),
                    ("stack", Shape { height: 2, width: 2, channels: 4 }, &stack)
                ]
            );
        }
    }

    #[test]
    fn values_that_do_not_fit_are_refused() {
        let trunk = Trunk {
            steps: vec![Step::Enlarge { input: 0, by: 2 }, Step::Add { input: 0, to: 1 }],
            outputs: Vec::new(),
        };
        assert!(trunk.run(map(2, 2, 2), &mut Memory::default()).is_err());
    }
}

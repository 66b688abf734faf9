//! [`Trunk`]: the part of a model that is run here, step by step.

use super::{convolution::Convolution, quick::Scratch};

/// Planes of numbers, one after the other, row by row.
pub(super) struct Planes {
    pub(super) channels: usize,
    pub(super) height: usize,
    pub(super) width: usize,
    pub(super) data: Vec<f32>,
}

/// Memory that is used again from run to run: pages of fresh memory cost as much as a convolution.
#[derive(Default)]
pub(super) struct Memory {
    spare: Vec<Vec<f32>>,
    pub(super) scratch: Scratch,
}

impl Memory {
    /// So many numbers, of any value.
    pub(super) fn take(&mut self, count: usize) -> Vec<f32> {
        // What a buffer has to grow by is set to 0 first, which is to be spared.
        let best = self
            .spare
            .iter()
            .enumerate()
            .min_by_key(|(_, data)| (count.saturating_sub(data.len()), data.len()))
            .map(|(at, _)| at);
        let mut data = best.map(|at| self.spare.swap_remove(at)).unwrap_or_default();
        data.resize(count, 0.0);
        data
    }

    pub(super) fn give(&mut self, data: Vec<f32>) {
        /// More buffers than that are not wanted at once.
        const MOST: usize = 16;
        if self.spare.len() < MOST {
            self.spare.push(data);
        }
    }
}

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
    /// The mean of each plane.
    Average {
        input: usize,
    },
    /// Each plane times a number of its own, or each number times its peer.
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
    /// The planes of one after those of the other.
    Stack {
        inputs: Vec<usize>,
    },
}

impl Step {
    pub(super) fn inputs(&self) -> Vec<usize> {
        match self {
            Self::Convolve { input, .. }
            | Self::Average { input }
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
        picture: Planes,
        memory: &mut Memory,
    ) -> Result<Vec<(&str, Planes)>, String> {
        let mut last_use = vec![0; self.steps.len() + 1];
        for (at, step) in self.steps.iter().enumerate() {
            for input in step.inputs() {
                last_use.get_mut(input).into_iter().for_each(|last| *last = at);
            }
        }
        for (_, output) in &self.outputs {
            last_use.get_mut(*output).into_iter().for_each(|last| *last = usize::MAX);
        }
        let mut values = vec![Some(picture)];
        for (at, step) in self.steps.iter().enumerate() {
            let outcome = step.run(&values, memory)?;
            values.push(Some(outcome));
            for input in step.inputs() {
                if last_use.get(input) == Some(&at)
                    && let Some(planes) = values.get_mut(input).and_then(Option::take)
                {
                    memory.give(planes.data);
                }
            }
        }
        let mut outputs = Vec::new();
        for (name, output) in &self.outputs {
            let planes =
                values.get_mut(*output).and_then(Option::take).ok_or("a value is missing")?;
            outputs.push((name.as_str(), planes));
        }
        Ok(outputs)
    }
}

impl Step {
    fn run(&self, values: &[Option<Planes>], memory: &mut Memory) -> Result<Planes, String> {
        let value = |at: usize| {
            values.get(at).and_then(Option::as_ref).ok_or_else(|| "a value is missing".to_owned())
        };
        match self {
            Self::Convolve { input, convolution } => convolution.run(value(*input)?, memory),
            Self::Average { input } => Ok(average(value(*input)?)),
            Self::Multiply { input, by } => {
                pair(value(*input)?, value(*by)?, memory, Pairing::Product)
            }
            Self::Add { input, to } => pair(value(*input)?, value(*to)?, memory, Pairing::Sum),
            Self::Enlarge { input, by } => Ok(enlarge(value(*input)?, *by)),
            Self::Stack { inputs } => {
                stack(&inputs.iter().map(|&input| value(input)).collect::<Result<Vec<_>, _>>()?)
            }
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "pixels of a page")]
fn average(input: &Planes) -> Planes {
    let pixels = (input.height * input.width).max(1);
    let data = input.data.chunks_exact(pixels).map(|plane| {
        // By rows, so that the sum of many small numbers stays exact enough.
        let rows = plane.chunks(input.width.max(1)).map(|row| row.iter().sum::<f32>());
        rows.sum::<f32>() / pixels as f32
    });
    Planes { channels: input.channels, height: 1, width: 1, data: data.collect() }
}

fn enlarge(input: &Planes, by: usize) -> Planes {
    let mut data = Vec::with_capacity(input.data.len() * by * by);
    for row in input.data.chunks_exact(input.width.max(1)) {
        let start = data.len();
        data.extend(row.iter().flat_map(|&value| std::iter::repeat_n(value, by)));
        for _ in 1..by {
            data.extend_from_within(start..start + row.len() * by);
        }
    }
    Planes { channels: input.channels, height: input.height * by, width: input.width * by, data }
}

fn stack(inputs: &[&Planes]) -> Result<Planes, String> {
    let first = inputs.first().ok_or("nothing is stacked")?;
    if inputs.iter().any(|input| (input.height, input.width) != (first.height, first.width)) {
        return Err("two values do not fit together".to_owned());
    }
    Ok(Planes {
        channels: inputs.iter().map(|input| input.channels).sum(),
        height: first.height,
        width: first.width,
        data: inputs.iter().flat_map(|input| &input.data).copied().collect(),
    })
}

#[derive(Clone, Copy)]
enum Pairing {
    Product,
    Sum,
}

/// The smaller one may have a single number for each plane.
fn pair(
    one: &Planes,
    other: &Planes,
    memory: &mut Memory,
    pairing: Pairing,
) -> Result<Planes, String> {
    let (large, small) =
        if one.data.len() >= other.data.len() { (one, other) } else { (other, one) };
    let fits = large.channels == small.channels
        && (small.data.len() == large.data.len() || small.data.len() == small.channels);
    if !fits {
        return Err("two values do not fit together".to_owned());
    }
    let mut data = memory.take(large.data.len());
    if small.data.len() == large.data.len() {
        let peers = data.iter_mut().zip(&large.data).zip(&small.data);
        match pairing {
            Pairing::Product => peers.for_each(|((output, a), b)| *output = a * b),
            Pairing::Sum => peers.for_each(|((output, a), b)| *output = a + b),
        }
    } else {
        let pixels = (large.height * large.width).max(1);
        let planes = data.chunks_exact_mut(pixels).zip(large.data.chunks_exact(pixels));
        for ((output, plane), b) in planes.zip(&small.data) {
            let pixels = output.iter_mut().zip(plane);
            match pairing {
                Pairing::Product => pixels.for_each(|(output, a)| *output = a * b),
                Pairing::Sum => pixels.for_each(|(output, a)| *output = a + b),
            }
        }
    }
    Ok(Planes { channels: large.channels, height: large.height, width: large.width, data })
}

#[cfg(test)]
mod tests {
    use super::{Memory, Planes, Step, Trunk};

    fn planes(channels: usize, height: usize, width: usize) -> Planes {
        Planes {
            channels,
            height,
            width,
            data: (0..channels * height * width).map(|at| at as f32).collect(),
        }
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
            let outputs = trunk.run(planes(2, 1, 2), &mut memory).unwrap();
            let found: Vec<(&str, [usize; 3], &[f32])> = outputs
                .iter()
                .map(|(name, it)| (*name, [it.channels, it.height, it.width], it.data.as_slice()))
                .collect();
            let stack = [0.5, 0.5, 0.5, 0.5, 2.5, 2.5, 2.5, 2.5].repeat(2);
            assert_eq!(
                found,
                [
                    ("sum", [2, 1, 2], [0.0, 1.5, 7.0, 10.5].as_slice()),
                    ("stack", [4, 2, 2], &stack)
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
        assert!(trunk.run(planes(2, 2, 2), &mut Memory::default()).is_err());
    }
}

//! [`Trunk`]: the part of a model that is run here, step by step.

use super::{convolution::Convolution, quick::Scratch};

/// Planes of numbers, one after the other, row by row.
pub(super) struct Planes {
    pub(super) channels: usize,
    pub(super) height: usize,
    pub(super) width: usize,
    pub(super) data: Vec<f32>,
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
}

impl Step {
    pub(super) fn inputs(&self) -> [usize; 2] {
        match *self {
            Self::Convolve { input, .. } | Self::Average { input } => [input, input],
            Self::Multiply { input, by } => [input, by],
            Self::Add { input, to } => [input, to],
        }
    }
}

impl Trunk {
    pub(super) fn run(&self, picture: Planes) -> Result<Vec<(&str, Planes)>, String> {
        let mut last_use = vec![0; self.steps.len() + 1];
        for (at, step) in self.steps.iter().enumerate() {
            for input in step.inputs() {
                last_use.get_mut(input).into_iter().for_each(|last| *last = at);
            }
        }
        for (_, output) in &self.outputs {
            last_use.get_mut(*output).into_iter().for_each(|last| *last = usize::MAX);
        }
        let mut scratch = Scratch::default();
        let mut values = vec![Some(picture)];
        // Memory of values that nobody takes any more.
        let mut spare: Vec<Vec<f32>> = Vec::new();
        for (at, step) in self.steps.iter().enumerate() {
            let outcome = step.run(&values, spare.pop().unwrap_or_default(), &mut scratch)?;
            values.push(Some(outcome));
            for input in step.inputs() {
                if last_use.get(input) == Some(&at) {
                    spare.extend(
                        values.get_mut(input).and_then(Option::take).map(|planes| planes.data),
                    );
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
    fn run(
        &self,
        values: &[Option<Planes>],
        spare: Vec<f32>,
        scratch: &mut Scratch,
    ) -> Result<Planes, String> {
        let value = |at: usize| {
            values.get(at).and_then(Option::as_ref).ok_or_else(|| "a value is missing".to_owned())
        };
        match self {
            Self::Convolve { input, convolution } => {
                convolution.run(value(*input)?, spare, scratch)
            }
            Self::Average { input } => Ok(average(value(*input)?)),
            Self::Multiply { input, by } => {
                pair(value(*input)?, value(*by)?, spare, Pairing::Product)
            }
            Self::Add { input, to } => pair(value(*input)?, value(*to)?, spare, Pairing::Sum),
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

#[derive(Clone, Copy)]
enum Pairing {
    Product,
    Sum,
}

/// The smaller one may have a single number for each plane.
fn pair(
    one: &Planes,
    other: &Planes,
    mut data: Vec<f32>,
    pairing: Pairing,
) -> Result<Planes, String> {
    let (large, small) =
        if one.data.len() >= other.data.len() { (one, other) } else { (other, one) };
    let fits = large.channels == small.channels
        && (small.data.len() == large.data.len() || small.data.len() == small.channels);
    if !fits {
        return Err("two values do not fit together".to_owned());
    }
    let pixels = large.data.len() / small.data.len().max(1);
    data.resize(large.data.len(), 0.0);
    let numbers = small.data.chunks(if pixels > 1 { 1 } else { small.data.len().max(1) });
    let span = large.data.len() / numbers.len().max(1);
    for ((output, plane), numbers) in
        data.chunks_mut(span.max(1)).zip(large.data.chunks(span.max(1))).zip(numbers)
    {
        let peers = output.iter_mut().zip(plane).zip(numbers.iter().cycle());
        match pairing {
            Pairing::Product => peers.for_each(|((output, a), b)| *output = a * b),
            Pairing::Sum => peers.for_each(|((output, a), b)| *output = a + b),
        }
    }
    Ok(Planes { channels: large.channels, height: large.height, width: large.width, data })
}

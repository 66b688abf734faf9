//! [`Tail`]: what follows a convolution number by number, and is done with it.

use rten_onnx::onnx::NodeProto;

use super::{
    finish::Finish,
    graph::{Graph, Numbers, attribute, op},
};

/// A convolution with all that it takes in of what follows it.
pub(super) struct Tail {
    /// A kernel for each channel that comes out.
    pub(super) weights: Vec<f32>,
    /// A number for each channel that comes out.
    pub(super) bias: Vec<f32>,
    pub(super) finish: Finish,
    /// The name of the last value.
    pub(super) output: String,
    /// The nodes that are taken in.
    pub(super) absorbed: Vec<usize>,
}

impl Tail {
    /// Of the node `at` with `outputs` channels; `None` when its bias is not for so many.
    pub(super) fn of(graph: &Graph, at: usize, weights: Vec<f32>, outputs: usize) -> Option<Self> {
        let node = graph.node(at)?;
        let bias = match node.input.get(2) {
            Some(name) => graph.numbers(name)?.values.clone(),
            None => vec![0.0; outputs],
        };
        if bias.len() != outputs {
            return None;
        }
        let output = only_output(node)?.to_owned();
        let mut tail = Self { weights, bias, finish: Finish::NONE, output, absorbed: vec![at] };
        while tail.follow(graph).is_some() {}
        Some(tail)
    }

    /// Takes the next node into the convolution; `None` when it cannot.
    fn follow(&mut self, graph: &Graph) -> Option<()> {
        if self.finish == Finish::NONE
            && let Some((output, absorbed)) = hard_swish(graph, &self.output)
        {
            return self.activate(Finish::HARD_SWISH, output, absorbed);
        }
        let &[taker] = graph.takers(&self.output) else { return None };
        let node = graph.node(taker)?;
        let [output] = node.output.as_slice() else { return None };
        let number =
            |name: &str, default: f32| attribute(node, name).and_then(|it| it.f).unwrap_or(default);
        let of = |at: usize| graph.numbers(node.input.get(at)?);
        let activation = match op(node) {
            "Relu" => Finish::RELU,
            "HardSwish" => Finish::HARD_SWISH,
            "HardSigmoid" => Finish::hard_sigmoid(number("alpha", 0.2), number("beta", 0.5)),
            "Mul" => return self.affine(&of(0).or_else(|| of(1))?.values, &[0.0], output, taker),
            "Add" => {
                return self.affine(
                    &[1.0],
                    &of(0).or_else(|| of(1)).filter(|it| by_channel(it))?.values,
                    output,
                    taker,
                );
            }
            "BatchNormalization" => {
                let (scale, shift, mean, variance) = (of(1)?, of(2)?, of(3)?, of(4)?);
                let epsilon = number("epsilon", 1e-5);
                let factors: Vec<f32> = scale
                    .values
                    .iter()
                    .zip(&variance.values)
                    .map(|(scale, variance)| scale / (variance + epsilon).sqrt())
                    .collect();
                let shifts: Vec<f32> = shift
                    .values
                    .iter()
                    .zip(&mean.values)
                    .zip(&factors)
                    .map(|((shift, mean), factor)| shift - mean * factor)
                    .collect();
                return self.affine(&factors, &shifts, output, taker);
            }
            _ => return None,
        };
        self.activate(activation, output.clone(), vec![taker])
    }

    fn activate(&mut self, activation: Finish, output: String, absorbed: Vec<usize>) -> Option<()> {
        if self.finish != Finish::NONE {
            return None;
        }
        self.finish = activation;
        self.output = output;
        self.absorbed.extend(absorbed);
        Some(())
    }

    /// Each channel times a factor and a shift more, or all alike.
    fn affine(
        &mut self,
        factors: &[f32],
        shifts: &[f32],
        output: &str,
        absorbed: usize,
    ) -> Option<()> {
        let channels = self.bias.len();
        let fits = |values: &[f32]| values.len() == 1 || values.len() == channels;
        if !fits(factors) || !fits(shifts) {
            return None;
        }
        if self.finish == Finish::NONE {
            let taps = self.weights.len() / channels.max(1);
            let kernels = self.weights.chunks_exact_mut(taps.max(1)).zip(&mut self.bias);
            for ((kernel, bias), (factor, shift)) in
                kernels.zip(factors.iter().cycle().zip(shifts.iter().cycle()))
            {
                kernel.iter_mut().for_each(|weight| *weight *= factor);
                *bias = *bias * factor + shift;
            }
        } else {
            let (&[factor], &[shift]) = (factors, shifts) else { return None };
            self.finish = self.finish.then(factor, shift);
        }
        self.output = output.to_owned();
        self.absorbed.push(absorbed);
        Some(())
    }
}

/// `x * clip(x + 3, 0, 6) / 6`, as older exporters write it in four nodes.
fn hard_swish(graph: &Graph, x: &str) -> Option<(String, Vec<usize>)> {
    let &[first, second] = graph.takers(x) else { return None };
    let is = |at: usize, name: &str| graph.node(at).filter(|node| op(node) == name);
    let (add_at, product_at) =
        if is(first, "Add").is_some() { (first, second) } else { (second, first) };
    let sum = only_output(is(add_at, "Add").filter(|node| constant(graph, node) == Some(3.0))?)?;
    let &[clip_at] = graph.takers(sum) else { return None };
    let clip = is(clip_at, "Clip").filter(|node| bounds(graph, node) == Some((0.0, 6.0)))?;
    let clipped = only_output(clip)?;
    let product =
        is(product_at, "Mul").filter(|node| node.input.iter().any(|name| name == clipped))?;
    let &[only] = graph.takers(clipped) else { return None };
    let product = only_output(product).filter(|_| only == product_at)?;
    let &[last] = graph.takers(product) else { return None };
    let output = match (is(last, "Div"), is(last, "Mul")) {
        (Some(node), _) => Some(node).filter(|node| constant(graph, node) == Some(6.0)),
        (_, Some(node)) => Some(node)
            .filter(|node| constant(graph, node).is_some_and(|by| (by - 1.0 / 6.0).abs() < 1e-6)),
        _ => None,
    };
    Some((only_output(output?)?.to_owned(), vec![add_at, clip_at, product_at, last]))
}

fn only_output(node: &NodeProto) -> Option<&str> {
    let [output] = node.output.as_slice() else { return None };
    Some(output)
}

/// The one number that a node combines a value with.
fn constant(graph: &Graph, node: &NodeProto) -> Option<f32> {
    let mut numbers = node.input.iter().filter_map(|name| graph.numbers(name));
    let (found, others) = (numbers.next()?, numbers.next());
    if let (&[value], None) = (found.values.as_slice(), others) { Some(value) } else { None }
}

fn bounds(graph: &Graph, node: &NodeProto) -> Option<(f32, f32)> {
    let bound = |at: usize, name: &str| match node.input.get(at) {
        Some(input) => graph.numbers(input).and_then(|it| it.values.first().copied()),
        None => attribute(node, name).and_then(|it| it.f),
    };
    Some((bound(1, "min")?, bound(2, "max")?))
}

/// One number, or one for each channel: not one for each column, which would look the same by length.
fn by_channel(numbers: &Numbers) -> bool {
    let mut sides = numbers.shape.iter().rev();
    numbers.values.len() == 1 || (sides.next() == Some(&1) && sides.next() == Some(&1))
}

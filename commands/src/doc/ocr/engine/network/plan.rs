//! [`plan`]: how much of a model can be run as a [`Trunk`], and its steps.

use std::collections::{BTreeMap, BTreeSet};

use rten_onnx::onnx::NodeProto;

use super::{
    convolution::{Convolution, transposed},
    finish::Finish,
    graph::{Graph, Numbers, attribute, op},
    trunk::{Step, Trunk},
    window::Window,
};

/// A trunk, and what the rest of the model has to know of it.
pub(super) struct Plan {
    pub(super) trunk: Trunk,
    /// Nodes that it takes the place of.
    pub(super) absorbed: BTreeSet<usize>,
    /// Values that it gives to the rest.
    pub(super) handed_on: Vec<String>,
}

/// `None` when it is better to leave the model whole.
pub(super) fn plan(graph: &Graph) -> Option<Plan> {
    let mut planner =
        Planner { graph, steps: Vec::new(), known: BTreeMap::new(), absorbed: BTreeSet::new() };
    planner.known.insert(graph.input()?.to_owned(), 0);
    for (at, node) in graph.nodes().iter().enumerate() {
        if !planner.absorbed.contains(&at) {
            planner.try_step(at, node);
        }
    }
    let Planner { steps, known, absorbed, .. } = planner;
    let mut outputs = Vec::new();
    for (name, &value) in &known {
        if graph.takers(name).iter().any(|taker| !absorbed.contains(taker)) {
            outputs.push((name.clone(), value));
        }
    }
    let ends_there =
        outputs.iter().any(|(name, value)| *value == 0 || graph.takers(name).contains(&usize::MAX));
    if steps.is_empty() || ends_there {
        return None;
    }
    let handed_on = outputs.iter().map(|(name, _)| name.clone()).collect();
    Some(Plan { trunk: Trunk { steps, outputs }, absorbed, handed_on })
}

struct Planner<'a> {
    graph: &'a Graph,
    steps: Vec<Step>,
    /// Values that the steps so far give, by name.
    known: BTreeMap<String, usize>,
    absorbed: BTreeSet<usize>,
}

impl Planner<'_> {
    fn try_step(&mut self, at: usize, node: &NodeProto) {
        let value = |name: Option<&String>| name.and_then(|name| self.known.get(name)).copied();
        let (first, second) = (value(node.input.first()), value(node.input.get(1)));
        let [output] = node.output.as_slice() else { return };
        let step = match (op(node), first, second, node.input.len()) {
            ("Conv", Some(input), None, _) => {
                let Some((convolution, output, absorbed)) = self.convolution(at, node, output)
                else {
                    return;
                };
                self.absorbed.extend(absorbed);
                self.add(output, Step::Convolve { input, convolution: Box::new(convolution) });
                return;
            }
            ("GlobalAveragePool", Some(input), _, 1) => Step::Average { input },
            ("AveragePool", Some(input), _, 1) => {
                let Some(convolution) = self.pool(node, input) else { return };
                Step::Convolve { input, convolution: Box::new(convolution) }
            }
            ("ConvTranspose", Some(input), None, _) => {
                let Some((convolution, output, absorbed)) = self.growth(at, node, output) else {
                    return;
                };
                self.absorbed.extend(absorbed);
                self.steps.push(Step::Convolve { input, convolution: Box::new(convolution) });
                self.add(output, Step::Spread { input: self.steps.len() });
                return;
            }
            ("Mul", Some(input), Some(by), 2) => Step::Multiply { input, by },
            ("Add", Some(input), Some(to), 2) => {
                if self.raise(input, to) {
                    self.absorbed.insert(at);
                    self.known.insert(output.clone(), input.max(to));
                    return;
                }
                Step::Add { input, to }
            }
            ("Resize", Some(input), None, 3) => {
                let Some(by) = self.enlargement(node) else { return };
                Step::Enlarge { input, by }
            }
            ("Concat", Some(_), _, _) if attribute(node, "axis").and_then(|it| it.i) == Some(1) => {
                let inputs: Option<Vec<usize>> =
                    node.input.iter().map(|name| value(Some(name))).collect();
                let Some(inputs) = inputs else { return };
                Step::Stack { inputs }
            }
            _ => return,
        };
        self.absorbed.insert(at);
        self.add(output.clone(), step);
    }

    /// The mean of what a window covers of what a convolution gave: a convolution with even weights.
    #[expect(clippy::cast_precision_loss, reason = "a window is small")]
    fn pool(&self, node: &NodeProto, input: usize) -> Option<Convolution> {
        let Step::Convolve { convolution, .. } = self.steps.get(input.checked_sub(1)?)? else {
            return None;
        };
        let &[rows, columns] = attribute(node, "kernel_shape")?.ints.as_slice() else {
            return None;
        };
        let (rows, columns) = (usize::try_from(rows).ok()?, usize::try_from(columns).ok()?);
        let window = window(node, rows, columns)?;
        let rounds_up = attribute(node, "ceil_mode").and_then(|it| it.i).unwrap_or(0) != 0;
        if window.pads != [0; 4] || rounds_up {
            return None;
        }
        let (channels, taps) = (convolution.outputs, rows * columns);
        let weights = vec![1.0 / taps as f32; channels * taps];
        Convolution::depthwise(window, channels, &weights, vec![0.0; channels], Finish::NONE)
    }

    /// A transposed convolution of which each pixel makes two by two of its own: a convolution with
    /// four times the channels, which are spread after. With all that follows it, as others.
    fn growth(
        &self,
        at: usize,
        node: &NodeProto,
        output: &str,
    ) -> Option<(Convolution, String, Vec<usize>)> {
        let kernel = self.graph.numbers(node.input.get(1)?)?;
        let &[inputs, outputs, 2, 2] = kernel.shape.as_slice() else { return None };
        let window = window(node, 2, 2)?;
        let groups = attribute(node, "group").and_then(|it| it.i).unwrap_or(1);
        let is_plain = ["output_padding", "output_shape"].iter().all(|name| {
            attribute(node, name).is_none_or(|it| it.ints.iter().all(|&side| side == 0))
        });
        if window.stride != [2, 2] || window.pads != [0; 4] || groups != 1 || !is_plain {
            return None;
        }
        let places = 4;
        let bias = match node.input.get(2) {
            Some(name) => self.graph.numbers(name)?.values.clone(),
            None => vec![0.0; outputs],
        };
        // A kernel for each channel that comes out, of a row for each of the four places.
        let by_output = transposed(&kernel.values, inputs, outputs * places)?;
        let mut tail = Tail {
            weights: by_output,
            bias,
            finish: Finish::NONE,
            output: output.to_owned(),
            absorbed: vec![at],
        };
        if tail.bias.len() != outputs {
            return None;
        }
        while self.follow(&mut tail).is_some() {}
        let Tail { weights, bias, finish, output, absorbed } = tail;
        let place_first = |values: &[f32], each: usize| -> Vec<f32> {
            let rows = values.chunks_exact(each);
            (0..places)
                .flat_map(|place| rows.clone().skip(place).step_by(places))
                .flatten()
                .copied()
                .collect()
        };
        let weights = place_first(&weights, inputs);
        let convolution = Convolution::dense(
            Window::POINT,
            outputs * places,
            inputs,
            &weights,
            bias.repeat(places),
            finish,
        )?;
        Some((convolution, output, absorbed))
    }

    /// `x * gate + x` is `x` times a gate that is raised by 1, which costs nothing: so a residual is
    /// added, where nobody else takes the product or the gate. Whether it was.
    fn raise(&mut self, one: usize, other: usize) -> bool {
        let (product, x) = (one.max(other), one.min(other));
        let gate = match product.checked_sub(1).and_then(|at| self.steps.get(at)) {
            Some(&Step::Multiply { input, by }) if input == x => by,
            Some(&Step::Multiply { input, by }) if by == x => input,
            _ => return false,
        };
        let takers = |value: usize| {
            let names = self.known.iter().filter(|(_, known)| **known == value);
            names.map(|(name, _)| self.graph.takers(name).len()).sum::<usize>()
        };
        let are_alone = gate != x && takers(product) == 1 && takers(gate) == 1;
        match gate.checked_sub(1).and_then(|at| self.steps.get_mut(at)) {
            Some(Step::Convolve { convolution, .. }) if are_alone => {
                convolution.raise();
                true
            }
            _ => false,
        }
    }

    fn add(&mut self, output: String, step: Step) {
        self.steps.push(step);
        self.known.insert(output, self.steps.len());
    }

    /// By how much each number is repeated across and down, if that is what a `Resize` does.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "compared after"
    )]
    fn enlargement(&self, node: &NodeProto) -> Option<usize> {
        let is = |name: &str, what: &str| {
            attribute(node, name).and_then(|it| it.s.as_deref()) == Some(what)
        };
        let repeats = is("mode", "nearest")
            && is("coordinate_transformation_mode", "asymmetric")
            && is("nearest_mode", "floor");
        let &[batch, channels, down, along] =
            self.graph.numbers(node.input.get(2)?)?.values.as_slice()
        else {
            return None;
        };
        let by = down.clamp(1.0, 16.0) as usize;
        let exact = [batch, channels, down, along].map(f32::to_bits)
            == [1.0, 1.0, by as f32, by as f32].map(f32::to_bits);
        (repeats && exact).then_some(by)
    }

    /// A convolution with all that follows it number by number, under the name of the last.
    fn convolution(
        &self,
        at: usize,
        node: &NodeProto,
        output: &str,
    ) -> Option<(Convolution, String, Vec<usize>)> {
        let kernel = self.graph.numbers(node.input.get(1)?)?;
        let &[outputs, per_group, rows, columns] = kernel.shape.as_slice() else { return None };
        let window = window(node, rows, columns)?;
        let groups = attribute(node, "group").and_then(|it| it.i).unwrap_or(1);
        let is_depthwise = per_group == 1 && usize::try_from(groups) == Ok(outputs) && outputs > 1;
        if !is_depthwise && groups != 1 {
            return None;
        }
        let bias = match node.input.get(2) {
            Some(name) => self.graph.numbers(name)?.values.clone(),
            None => vec![0.0; outputs],
        };
        let mut tail = Tail {
            weights: kernel.values.clone(),
            bias,
            finish: Finish::NONE,
            output: output.to_owned(),
            absorbed: vec![at],
        };
        if tail.bias.len() != outputs {
            return None;
        }
        while self.follow(&mut tail).is_some() {}
        let Tail { weights, bias, finish, output, absorbed } = tail;
        let convolution = if is_depthwise {
            Convolution::depthwise(window, outputs, &weights, bias, finish)?
        } else {
            Convolution::dense(window, outputs, per_group, &weights, bias, finish)?
        };
        Some((convolution, output, absorbed))
    }

    /// Takes the next node into the convolution; `None` when it cannot.
    fn follow(&self, tail: &mut Tail) -> Option<()> {
        if tail.finish == Finish::NONE
            && let Some((output, absorbed)) = self.hard_swish(&tail.output)
        {
            return tail.activate(Finish::HARD_SWISH, output, absorbed);
        }
        let &[taker] = self.graph.takers(&tail.output) else { return None };
        let node = self.graph.node(taker)?;
        let [output] = node.output.as_slice() else { return None };
        let number =
            |name: &str, default: f32| attribute(node, name).and_then(|it| it.f).unwrap_or(default);
        let of = |at: usize| self.graph.numbers(node.input.get(at)?);
        let activation = match op(node) {
            "Relu" => Finish::RELU,
            "HardSwish" => Finish::HARD_SWISH,
            "HardSigmoid" => Finish::hard_sigmoid(number("alpha", 0.2), number("beta", 0.5)),
            "Mul" => return tail.affine(&of(0).or_else(|| of(1))?.values, &[0.0], output, taker),
            "Add" => {
                return tail.affine(
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
                return tail.affine(&factors, &shifts, output, taker);
            }
            _ => return None,
        };
        tail.activate(activation, output.clone(), vec![taker])
    }

    /// `x * clip(x + 3, 0, 6) / 6`, as older exporters write it in four nodes.
    fn hard_swish(&self, x: &str) -> Option<(String, Vec<usize>)> {
        let &[first, second] = self.graph.takers(x) else { return None };
        let is = |at: usize, name: &str| self.graph.node(at).filter(|node| op(node) == name);
        let (add_at, product_at) =
            if is(first, "Add").is_some() { (first, second) } else { (second, first) };
        let sum =
            self.only_output(is(add_at, "Add").filter(|node| self.constant(node) == Some(3.0))?)?;
        let &[clip_at] = self.graph.takers(sum) else { return None };
        let clip = is(clip_at, "Clip").filter(|node| self.bounds(node) == Some((0.0, 6.0)))?;
        let clipped = self.only_output(clip)?;
        let product =
            is(product_at, "Mul").filter(|node| node.input.iter().any(|name| name == clipped))?;
        let &[only] = self.graph.takers(clipped) else { return None };
        let product = self.only_output(product).filter(|_| only == product_at)?;
        let &[last] = self.graph.takers(product) else { return None };
        let output = match (is(last, "Div"), is(last, "Mul")) {
            (Some(node), _) => Some(node).filter(|node| self.constant(node) == Some(6.0)),
            (_, Some(node)) => Some(node)
                .filter(|node| self.constant(node).is_some_and(|by| (by - 1.0 / 6.0).abs() < 1e-6)),
            _ => None,
        };
        Some((self.only_output(output?)?.to_owned(), vec![add_at, clip_at, product_at, last]))
    }

    #[expect(clippy::unused_self, reason = "reads beside its peers")]
    fn only_output<'a>(&self, node: &'a NodeProto) -> Option<&'a str> {
        let [output] = node.output.as_slice() else { return None };
        Some(output)
    }

    /// The one number that a node combines a value with.
    fn constant(&self, node: &NodeProto) -> Option<f32> {
        let mut numbers = node.input.iter().filter_map(|name| self.graph.numbers(name));
        let (found, others) = (numbers.next()?, numbers.next());
        if let (&[value], None) = (found.values.as_slice(), others) { Some(value) } else { None }
    }

    fn bounds(&self, node: &NodeProto) -> Option<(f32, f32)> {
        let bound = |at: usize, name: &str| match node.input.get(at) {
            Some(input) => self.graph.numbers(input).and_then(|it| it.values.first().copied()),
            None => attribute(node, name).and_then(|it| it.f),
        };
        Some((bound(1, "min")?, bound(2, "max")?))
    }
}

/// A convolution while it takes in what follows it.
struct Tail {
    weights: Vec<f32>,
    bias: Vec<f32>,
    finish: Finish,
    output: String,
    absorbed: Vec<usize>,
}

impl Tail {
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

/// One number, or one for each channel: not one for each column, which would look the same by length.
fn by_channel(numbers: &Numbers) -> bool {
    let mut sides = numbers.shape.iter().rev();
    numbers.values.len() == 1 || (sides.next() == Some(&1) && sides.next() == Some(&1))
}

fn window(node: &NodeProto, rows: usize, columns: usize) -> Option<Window> {
    let sides = |name: &str| -> Vec<usize> {
        let found = attribute(node, name).map(|it| it.ints.as_slice()).unwrap_or_default();
        found.iter().map(|&side| usize::try_from(side).unwrap_or(usize::MAX)).collect()
    };
    let is_plain = sides("dilations").iter().all(|&side| side == 1)
        && attribute(node, "auto_pad")
            .is_none_or(|it| matches!(it.s.as_deref(), None | Some("NOTSET")));
    let stride = match *sides("strides").as_slice() {
        [] => [1, 1],
        [down, along] => [down, along],
        _ => return None,
    };
    let pads = match *sides("pads").as_slice() {
        [] => [0; 4],
        [above, left, below, right] => [above, left, below, right],
        _ => return None,
    };
    let is_small = |sides: &[usize]| sides.iter().all(|&side| side <= 64);
    let fits = is_plain
        && is_small(&stride)
        && is_small(&pads)
        && is_small(&[rows, columns])
        && stride.iter().chain(&[rows, columns]).all(|&side| side > 0);
    fits.then_some(Window { kernel: [rows, columns], stride, pads })
}

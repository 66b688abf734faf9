//! [`plan`]: how much of a model can be run as a [`Trunk`], and its steps.

use std::collections::{BTreeMap, BTreeSet};

use rten_onnx::onnx::NodeProto;

use super::{
    convolution::{Convolution, transposed},
    finish::Finish,
    graph::{Graph, attribute, op},
    tail::Tail,
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
                let Some((convolution, output, absorbed)) = self.convolution(at, node) else {
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
                let Some((convolution, output, absorbed)) = self.growth(at, node) else {
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
    fn growth(&self, at: usize, node: &NodeProto) -> Option<(Convolution, String, Vec<usize>)> {
        const PLACES: usize = 4;
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
        // A kernel for each channel that comes out: a row for each of the four places.
        let kernels = transposed(&kernel.values, inputs, outputs * PLACES)?;
        let tail = Tail::of(self.graph, at, kernels, outputs)?;
        let Tail { weights, bias, finish, output, absorbed } = tail;
        // All channels of a place, then of the next.
        let rows = weights.chunks_exact(inputs.max(1));
        let weights: Vec<f32> = (0..PLACES)
            .flat_map(|place| rows.clone().skip(place).step_by(PLACES).flatten())
            .copied()
            .collect();
        let (outputs, bias) = (outputs * PLACES, bias.repeat(PLACES));
        let convolution =
            Convolution::dense(Window::POINT, outputs, inputs, &weights, bias, finish)?;
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
    ) -> Option<(Convolution, String, Vec<usize>)> {
        let kernel = self.graph.numbers(node.input.get(1)?)?;
        let &[outputs, per_group, rows, columns] = kernel.shape.as_slice() else { return None };
        let window = window(node, rows, columns)?;
        let groups = attribute(node, "group").and_then(|it| it.i).unwrap_or(1);
        let is_depthwise = per_group == 1 && usize::try_from(groups) == Ok(outputs) && outputs > 1;
        if !is_depthwise && groups != 1 {
            return None;
        }
        let tail = Tail::of(self.graph, at, kernel.values.clone(), outputs)?;
        let Tail { weights, bias, finish, output, absorbed } = tail;
        let convolution = if is_depthwise {
            Convolution::depthwise(window, outputs, &weights, bias, finish)?
        } else {
            Convolution::dense(window, outputs, per_group, &weights, bias, finish)?
        };
        Some((convolution, output, absorbed))
    }
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

//! A made model, run with a trunk and whole.

use rten::{ModelOptions, Value};
use rten_onnx::onnx::{
    AttributeProto, DataType, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, TensorProto,
    TypeProto, TypeProtoTensor, ValueInfoProto,
};

use super::{Network, graph::Graph, plan::plan};

/// A graph that grows node by node; each node gives a value of its own name.
#[derive(Default)]
struct Made {
    graph: GraphProto,
}

impl Made {
    fn numbers(&mut self, name: &str, dims: &[i64], values: Vec<f32>) {
        self.graph.initializer.push(TensorProto {
            name: Some(name.to_owned()),
            dims: dims.to_vec(),
            data_type: Some(DataType::FLOAT),
            float_data: values,
            ..TensorProto::default()
        });
    }

    fn node(&mut self, op: &str, name: &str, inputs: &[&str], attribute: Vec<AttributeProto>) {
        self.graph.node.push(NodeProto {
            op_type: Some(op.to_owned()),
            name: Some(name.to_owned()),
            input: inputs.iter().map(|&input| input.to_owned()).collect(),
            output: vec![name.to_owned()],
            attribute,
            ..NodeProto::default()
        });
    }

    /// `kernel` is what goes out, what goes in for each group, rows and columns.
    fn convolve(
        &mut self,
        name: &str,
        input: &str,
        kernel: [i64; 4],
        stride: [i64; 2],
        group: i64,
    ) {
        let [outputs, inputs, rows, columns] = kernel;
        let count = usize::try_from(outputs * inputs * rows * columns).unwrap();
        let weights = (0..count).map(|at| ((at * 37 % 101) as f32 - 50.0) / 200.0).collect();
        let bias = (0..outputs).map(|at| (at % 5) as f32 / 10.0).collect();
        let (weights_name, bias_name) = (format!("{name}.weights"), format!("{name}.bias"));
        self.numbers(&weights_name, &kernel, weights);
        self.numbers(&bias_name, &[outputs], bias);
        let (above, left) = (rows / 2, columns / 2);
        let attributes = vec![
            ints("kernel_shape", &[rows, columns]),
            ints("strides", &stride),
            ints("pads", &[above, left, above, left]),
            AttributeProto { i: Some(group), ..named("group") },
        ];
        self.node("Conv", name, &[input, &weights_name, &bias_name], attributes);
    }

    /// Twice as large.
    fn grow(&mut self, name: &str, input: &str, [inputs, outputs]: [i64; 2]) {
        let count = usize::try_from(inputs * outputs * 4).unwrap();
        let weights = (0..count).map(|at| ((at * 41 % 103) as f32 - 50.0) / 200.0).collect();
        let (weights_name, bias_name) = (format!("{name}.weights"), format!("{name}.bias"));
        self.numbers(&weights_name, &[inputs, outputs, 2, 2], weights);
        self.numbers(&bias_name, &[outputs], (0..outputs).map(|at| at as f32 / 10.0).collect());
        let attributes = vec![ints("kernel_shape", &[2, 2]), ints("strides", &[2, 2])];
        self.node("ConvTranspose", name, &[input, &weights_name, &bias_name], attributes);
    }

    fn bytes(mut self, output: &str) -> Vec<u8> {
        self.graph.input = vec![value_info("x")];
        self.graph.output = vec![value_info(output)];
        let opset = OperatorSetIdProto { version: Some(14), ..OperatorSetIdProto::default() };
        let model = ModelProto {
            ir_version: Some(8),
            graph: Some(self.graph),
            opset_import: vec![opset],
            ..ModelProto::default()
        };
        model.write_buf().unwrap()
    }
}

fn named(name: &str) -> AttributeProto {
    AttributeProto { name: Some(name.to_owned()), ..AttributeProto::default() }
}

fn ints(name: &str, ints: &[i64]) -> AttributeProto {
    AttributeProto { ints: ints.to_vec(), ..named(name) }
}

fn text(name: &str, text: &str) -> AttributeProto {
    AttributeProto { s: Some(text.to_owned()), ..named(name) }
}

fn value_info(name: &str) -> ValueInfoProto {
    let tensor = TypeProtoTensor { elem_type: Some(DataType::FLOAT), shape: None };
    ValueInfoProto {
        name: Some(name.to_owned()),
        r#type: Some(TypeProto { tensor_type: Some(tensor), ..TypeProto::default() }),
    }
}

/// All that a trunk takes in: convolutions of each kind with what follows them, a gate with and
/// without its residual, a sum, two ways to grow, a pool and a stack; and a sigmoid, which it does not.
fn made() -> Vec<u8> {
    let mut made = Made::default();
    made.convolve("stem", "x", [16, 3, 3, 3], [2, 2], 1);
    made.node("HardSwish", "swished", &["stem"], Vec::new());
    made.convolve("depthwise", "swished", [16, 1, 5, 5], [1, 1], 16);
    made.node("Relu", "rectified", &["depthwise"], Vec::new());
    made.convolve("wide", "rectified", [96, 16, 1, 1], [1, 1], 1);
    made.convolve("quick", "wide", [70, 96, 1, 1], [1, 1], 1);
    for (gate, input) in [("gate", "quick"), ("second", "gated")] {
        let name = |part: &str| format!("{gate}.{part}");
        made.node("GlobalAveragePool", &name("mean"), &[input], Vec::new());
        made.convolve(&name("narrow"), &name("mean"), [8, 70, 1, 1], [1, 1], 1);
        made.node("Relu", &name("relu"), &[&name("narrow")], Vec::new());
        made.convolve(&name("broad"), &name("relu"), [70, 8, 1, 1], [1, 1], 1);
        made.node("HardSigmoid", gate, &[&name("broad")], Vec::new());
        let product = name("product");
        match gate {
            "gate" => made.node("Mul", "gated", &[input, gate], Vec::new()),
            _ => {
                made.node("Mul", &product, &[input, gate], Vec::new());
                made.node("Add", "raised", &[input, &product], Vec::new());
            }
        }
    }
    made.convolve("halved", "raised", [24, 70, 3, 3], [2, 2], 1);
    made.numbers("scales", &[4], vec![1.0, 1.0, 2.0, 2.0]);
    let nearest = vec![
        text("mode", "nearest"),
        text("coordinate_transformation_mode", "asymmetric"),
        text("nearest_mode", "floor"),
    ];
    made.node("Resize", "enlarged", &["halved", "", "scales"], nearest);
    made.convolve("side", "raised", [24, 70, 1, 1], [1, 1], 1);
    made.node("Add", "sum", &["enlarged", "side"], Vec::new());
    let axis = AttributeProto { i: Some(1), ..named("axis") };
    let halves = vec![ints("kernel_shape", &[2, 2]), ints("strides", &[2, 2])];
    made.node("AveragePool", "pooled", &["side"], halves);
    made.grow("grown", "pooled", [24, 20]);
    made.node("Relu", "rectified growth", &["grown"], Vec::new());
    made.node("Concat", "stack", &["sum", "rectified growth"], vec![axis]);
    made.node("Sigmoid", "y", &["stack"], Vec::new());
    made.bytes("y")
}

#[test]
fn a_model_gives_with_a_trunk_what_it_gives_whole() {
    let bytes = made();
    let (width, height) = (28, 20);
    let pixels: Vec<f32> =
        (0..3 * width * height).map(|at| (at * 53 % 97) as f32 / 48.0 - 1.0).collect();

    let network = Network::load("made", &bytes).unwrap();
    let (shape, with_trunk) = network.run::<4>(width, height, pixels.clone()).unwrap();
    assert_eq!(shape, [1, 44, 10, 14]);

    let planes: Vec<f32> =
        (0..3).flat_map(|channel| pixels.iter().skip(channel).step_by(3)).copied().collect();
    let whole = ModelOptions::with_all_ops().load(bytes).unwrap();
    let input = Value::from_shape([1, 3, height, width], planes).unwrap();
    let (x, y) = (whole.input_ids()[0], whole.output_ids()[0]);
    let output = whole.run(vec![(x, input.into())], &[y], None).unwrap().remove(0);
    let (_, whole) = output.into_shape_vec::<f32, 4>().unwrap();

    let furthest =
        with_trunk.iter().zip(&whole).map(|(one, other)| (one - other).abs()).fold(0.0, f32::max);
    assert!(furthest < 0.02, "{furthest} apart");
    let spread = whole.iter().fold(0.0_f32, |spread, value| spread.max((value - 0.5).abs()));
    assert!(spread > 0.1, "nothing to compare: {spread}");
}

#[test]
fn all_but_the_sigmoid_is_in_the_trunk() {
    let graph = Graph::parse(&made()).unwrap();
    let plan = plan(&graph).unwrap();
    assert_eq!(plan.handed_on, ["stack"]);
    assert_eq!(plan.absorbed.len(), graph.nodes().len() - 1);
    // What follows a convolution is a part of it, a residual is a part of its gate, and what grows is
    // spread after: ten convolutions, two means, two products, a pool and a growth of two steps, an
    // enlargement, a sum and a stack.
    assert_eq!(plan.trunk.steps.len(), 20);
}

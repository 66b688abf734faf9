//! [`Graph`]: the nodes of a model and the numbers in it, as the ONNX file has them.

use std::collections::{BTreeMap, BTreeSet};

use rten_onnx::onnx::{
    AttributeProto, DataType, GraphProto, ModelProto, NodeProto, TensorProto, TypeProto,
    TypeProtoTensor, ValueInfoProto,
};

/// A parsed model.
pub(super) struct Graph {
    model: ModelProto,
    numbers: BTreeMap<String, Numbers>,
    /// Which nodes take a value, by its name.
    takers: BTreeMap<String, Vec<usize>>,
}

/// A tensor of floats that is part of the model.
pub(super) struct Numbers {
    pub(super) shape: Vec<usize>,
    pub(super) values: Vec<f32>,
}

impl Graph {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let model = ModelProto::parse_buf(bytes).map_err(|cause| cause.to_string())?;
        let mut numbers = BTreeMap::new();
        let mut takers: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for tensor in model.graph.iter().flat_map(|graph| &graph.initializer) {
            if let (Some(name), Some(found)) = (&tensor.name, floats(tensor)) {
                numbers.insert(name.clone(), found);
            }
        }
        for (at, node) in nodes_of(&model).iter().enumerate() {
            if let ("Constant", [name], Some(tensor)) = (
                op(node),
                node.output.as_slice(),
                attribute(node, "value").and_then(|it| it.t.as_ref()),
            ) {
                numbers.extend(floats(tensor).map(|found| (name.clone(), found)));
            }
            for name in &node.input {
                takers.entry(name.clone()).or_default().push(at);
            }
        }
        // What a graph gives is taken by someone beyond its last node.
        for output in model.graph.iter().flat_map(|graph| &graph.output) {
            takers.entry(output.name.clone().unwrap_or_default()).or_default().push(usize::MAX);
        }
        Ok(Self { model, numbers, takers })
    }

    /// What the model's maker stored beside the graph, by key.
    pub(super) fn notes(&self) -> Vec<(String, String)> {
        let pairs = self.model.metadata_props.iter();
        pairs
            .map(|pair| {
                (pair.key.clone().unwrap_or_default(), pair.value.clone().unwrap_or_default())
            })
            .collect()
    }

    pub(super) fn nodes(&self) -> &[NodeProto] {
        nodes_of(&self.model)
    }

    pub(super) fn node(&self, at: usize) -> Option<&NodeProto> {
        self.nodes().get(at)
    }

    /// The one value that is not part of the model.
    pub(super) fn input(&self) -> Option<&str> {
        let inputs = self.model.graph.iter().flat_map(|graph| &graph.input);
        let mut names = inputs
            .filter_map(|input| input.name.as_deref())
            .filter(|name| !self.numbers.contains_key(*name));
        names.next().filter(|_| names.next().is_none())
    }

    pub(super) fn numbers(&self, name: &str) -> Option<&Numbers> {
        self.numbers.get(name)
    }

    pub(super) fn takers(&self, name: &str) -> &[usize] {
        self.takers.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// How many classes a recogniser tells apart, if it ends as they usually do: a product with a
    /// column of weights for each class, a shift for each, and a softmax.
    pub(super) fn classes(&self) -> Option<usize> {
        let (weights, shifts) = self.head()?;
        let (&[_, classes], &[count]) =
            (self.numbers(weights)?.shape.as_slice(), self.numbers(shifts)?.shape.as_slice())
        else {
            return None;
        };
        (classes == count).then_some(classes)
    }

    /// Leaves the model with these of its classes only, in this order.
    pub(super) fn keep_classes(&mut self, keep: &[usize]) -> Option<()> {
        let (weights, shifts) =
            self.head().map(|(weights, shifts)| (weights.to_owned(), shifts.to_owned()))?;
        for name in [weights, shifts] {
            let numbers = self.numbers.get_mut(&name)?;
            let classes = numbers.shape.pop()?;
            numbers.values = numbers
                .values
                .chunks_exact(classes)
                .flat_map(|row| keep.iter().filter_map(|&class| row.get(class).copied()))
                .collect();
            numbers.shape.push(keep.len());
            let tensor = tensor_mut(&mut self.model, &name)?;
            tensor.dims =
                numbers.shape.iter().map(|&side| i64::try_from(side).unwrap_or_default()).collect();
            tensor.raw_data = None;
            tensor.float_data.clone_from(&numbers.values);
        }
        Some(())
    }

    /// The names of the weights and the shifts before the last softmax.
    fn head(&self) -> Option<(&str, &str)> {
        let output = self.model.graph.as_ref()?.output.first()?.name.as_deref()?;
        let maker = |name: &str, kind: &str| {
            self.nodes()
                .iter()
                .find(|node| op(node) == kind && node.output.iter().any(|output| output == name))
        };
        let sum = maker(maker(output, "Softmax")?.input.first()?, "Add")?;
        let [one, other] = sum.input.as_slice() else { return None };
        let (product, shifts) =
            if self.numbers(one).is_some() { (other, one) } else { (one, other) };
        let weights = maker(product, "MatMul")?.input.get(1)?;
        Some((weights, shifts))
    }

    /// The model as a file, without some of its nodes: the values named by `handed_on` are its input.
    pub(super) fn without(
        mut self,
        absorbed: &BTreeSet<usize>,
        handed_on: &[String],
    ) -> Result<Vec<u8>, String> {
        let graph = self.model.graph.as_mut().ok_or("it has no graph")?;
        let nodes = std::mem::take(&mut graph.node).into_iter().enumerate();
        graph.node = nodes.filter(|(at, _)| !absorbed.contains(at)).map(|(_, node)| node).collect();
        let taken: BTreeSet<&String> = graph.node.iter().flat_map(|node| &node.input).collect();
        graph
            .initializer
            .retain(|tensor| tensor.name.as_ref().is_some_and(|name| taken.contains(name)));
        graph.input = handed_on.iter().map(|name| floats_named(name)).collect();
        graph.value_info.clear();
        self.model.write_buf().map_err(|cause| cause.to_string())
    }
}

pub(super) fn op(node: &NodeProto) -> &str {
    node.op_type.as_deref().unwrap_or_default()
}

pub(super) fn attribute<'a>(node: &'a NodeProto, name: &str) -> Option<&'a AttributeProto> {
    node.attribute.iter().find(|attribute| attribute.name.as_deref() == Some(name))
}

fn tensor_mut<'a>(model: &'a mut ModelProto, name: &str) -> Option<&'a mut TensorProto> {
    let graph = model.graph.as_mut()?;
    if let Some(tensor) =
        graph.initializer.iter_mut().find(|tensor| tensor.name.as_deref() == Some(name))
    {
        return Some(tensor);
    }
    let node = graph
        .node
        .iter_mut()
        .find(|node| op(node) == "Constant" && node.output.iter().any(|output| output == name))?;
    node.attribute
        .iter_mut()
        .find(|attribute| attribute.name.as_deref() == Some("value"))?
        .t
        .as_mut()
}

fn nodes_of(model: &ModelProto) -> &[NodeProto] {
    model.graph.as_ref().map(|graph: &GraphProto| graph.node.as_slice()).unwrap_or_default()
}

/// `None` for other numbers than floats, and such as lie outside of the file.
fn floats(tensor: &TensorProto) -> Option<Numbers> {
    if tensor.data_type != Some(DataType::FLOAT) {
        return None;
    }
    let shape: Vec<usize> =
        tensor.dims.iter().map(|&side| usize::try_from(side).ok()).collect::<Option<_>>()?;
    let count = shape.iter().try_fold(1_usize, |count, &side| count.checked_mul(side))?;
    let values = match &tensor.raw_data {
        Some(raw) if tensor.float_data.is_empty() => {
            let raw = raw.try_borrow().ok()?;
            raw.chunks_exact(4)
                .filter_map(|bytes| bytes.try_into().ok().map(f32::from_le_bytes))
                .collect()
        }
        _ => tensor.float_data.clone(),
    };
    (values.len() == count).then_some(Numbers { shape, values })
}

fn floats_named(name: &str) -> ValueInfoProto {
    let tensor = TypeProtoTensor { elem_type: Some(DataType::FLOAT), shape: None };
    ValueInfoProto {
        name: Some(name.to_owned()),
        r#type: Some(TypeProto { tensor_type: Some(tensor), ..TypeProto::default() }),
    }
}

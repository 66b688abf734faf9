//! [`Network`]: a model that is loaded, with one picture in and one table of numbers out.

use std::sync::{Arc, Mutex, PoisonError};

use rten::{ModelOptions, NodeId, RunOptions, ThreadPool, Value, ValueOrView};

use super::{
    super::problem::{Problem, guarded},
    feature_map::{FeatureMap, Shape},
    graph::Graph,
    memory::Memory,
    plan::plan,
    trunk::Trunk,
};

/// A model from an ONNX file.
pub(in super::super) struct Network {
    which: &'static str,
    trunk: Option<Trunk>,
    rest: rten::Model,
    notes: Vec<(String, String)>,
    pool: Arc<ThreadPool>,
    memory: Mutex<Memory>,
}

impl Network {
    pub(in super::super) fn load(which: &'static str, bytes: &[u8]) -> Result<Self, Problem> {
        guarded(which, || {
            Self::of(
                which,
                bytes,
                Graph::parse(bytes).map_err(|cause| Problem::Model { which, cause })?,
            )
        })
    }

    /// A recogniser with less to tell apart than it was trained for: `choose` is given what the
    /// model's maker stored under `key` and the number of classes, and names those that stay. Also
    /// says which these are; `None` for all.
    pub(in super::super) fn load_classes(
        which: &'static str,
        bytes: &[u8],
        key: &str,
        choose: impl FnOnce(&str, usize) -> Option<Vec<usize>>,
    ) -> Result<(Self, Option<Vec<usize>>), Problem> {
        guarded(which, || {
            let mut graph = Graph::parse(bytes).map_err(|cause| Problem::Model { which, cause })?;
            let list =
                graph.notes().into_iter().find(|(name, _)| name == key).map(|(_, list)| list);
            let chosen =
                list.zip(graph.classes()).and_then(|(list, classes)| choose(&list, classes));
            let kept = chosen.filter(|chosen| graph.keep_classes(chosen).is_some());
            Ok((Self::of(which, bytes, graph)?, kept))
        })
    }

    fn of(which: &'static str, bytes: &[u8], graph: Graph) -> Result<Self, Problem> {
        let problem = |cause: String| Problem::Model { which, cause };
        let notes = graph.notes();
        let (trunk, rest) = match plan(&graph) {
            Some(plan) => {
                (Some(plan.trunk), graph.without(&plan.absorbed, &plan.handed_on).map_err(problem)?)
            }
            None => (None, bytes.to_vec()),
        };
        let mut options = ModelOptions::with_all_ops();
        options.prepack_weights(true);
        let rest = options.load(rest).map_err(|cause| problem(cause.to_string()))?;
        // One thread: the host's other work needs the cores as well, and two make a page no cheaper.
        let pool = Arc::new(ThreadPool::with_num_threads(1));
        Ok(Self { which, trunk, rest, notes, pool, memory: Mutex::default() })
    }

    /// The text that the model's maker stored under `key`.
    pub(in super::super) fn note(&self, key: &str) -> Option<&str> {
        self.notes.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// `picture` is three numbers for each pixel, row by row; the answer has `N` dimensions.
    pub(in super::super) fn run<const N: usize>(
        &self,
        width: usize,
        height: usize,
        picture: Vec<f32>,
    ) -> Result<([usize; N], Vec<f32>), Problem> {
        guarded(self.which, || {
            let problem = |cause: String| Problem::Model { which: self.which, cause };
            let shape = Shape { height, width, channels: 3 };
            let picture = FeatureMap { shape, data: picture.into_iter().collect() };
            let output = self.pool.run(|| self.answer(picture)).map_err(problem)?;
            output.into_shape_vec::<f32, N>().map_err(|cause| problem(cause.to_string()))
        })
    }

    fn answer(&self, picture: FeatureMap) -> Result<Value, String> {
        let Some(trunk) = &self.trunk else {
            let id = self.rest.input_ids().first().copied().ok_or("it has no input")?;
            return self.run_rest(vec![(id, value(picture)?)]);
        };
        let mut inputs = Vec::new();
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, map) in trunk.run(picture, &mut memory)? {
            inputs.push((self.rest.node_id(name).map_err(|cause| cause.to_string())?, value(map)?));
        }
        drop(memory);
        self.run_rest(inputs)
    }

    fn run_rest(&self, inputs: Vec<(NodeId, ValueOrView)>) -> Result<Value, String> {
        let output = self.rest.output_ids().first().copied().ok_or("it has no output")?;
        let options = RunOptions::default().with_thread_pool(Some(self.pool.clone()));
        let outputs =
            self.rest.run(inputs, &[output], Some(options)).map_err(|cause| cause.to_string())?;
        outputs.into_iter().next().ok_or_else(|| "it gives no answer".to_owned())
    }
}

fn value(map: FeatureMap) -> Result<ValueOrView<'static>, String> {
    let Shape { height, width, channels } = map.shape;
    Value::from_shape([1, channels, height, width], map.channels_first())
        .map(ValueOrView::Value)
        .map_err(|cause| cause.to_string())
}

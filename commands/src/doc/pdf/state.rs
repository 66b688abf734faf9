//! [`State`] and [`Pen`]: what the next character depends on.

use std::rc::Rc;

use super::font::Font;
use super::matrix::Matrix;

/// What `q` keeps.
#[derive(Clone)]
pub(super) struct State {
    pub(super) matrix: Matrix,
    pub(super) font: Option<Rc<Font>>,
    pub(super) size: f64,
    pub(super) char_space: f64,
    pub(super) word_space: f64,
    pub(super) stretch: f64,
    pub(super) leading: f64,
    pub(super) rise: f64,
}

/// Text that is being shown.
#[derive(Clone, Copy)]
pub(super) struct Pen {
    pub(super) matrix: Matrix,
    pub(super) line: Matrix,
}

impl State {
    pub(super) fn new(matrix: Matrix) -> Self {
        Self {
            matrix,
            font: None,
            size: 0.0,
            char_space: 0.0,
            word_space: 0.0,
            stretch: 1.0,
            leading: 0.0,
            rise: 0.0,
        }
    }
}

impl Pen {
    pub(super) fn next_line(&mut self, x: f64, y: f64) {
        self.line = Matrix::shift(x, y).then(self.line);
        self.matrix = self.line;
    }

    pub(super) fn kern(&mut self, thousandths: f64, state: &State) {
        let step = -thousandths / 1000.0 * state.size;
        self.matrix = match state.font.as_ref().is_some_and(|font| font.is_vertical) {
            true => Matrix::shift(0.0, step).then(self.matrix),
            false => Matrix::shift(step * state.stretch, 0.0).then(self.matrix),
        };
    }
}

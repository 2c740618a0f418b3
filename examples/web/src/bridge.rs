//! The functions that the page calls.

use crate::arithmetic;
use crate::data::{FRAME, NAMES, POINTS, RANGES, STARTS};
use crate::fit::{Fit, Method};
use wasm_bindgen::prelude::wasm_bindgen;

/// The source of the model, as it was compiled.
#[wasm_bindgen]
pub fn model_source() -> String {
    include_str!("model.rs").to_string()
}

/// The names of the parameters.
#[wasm_bindgen]
pub fn names() -> Vec<String> {
    NAMES.map(String::from).to_vec()
}

/// The ends of the sliders, in pairs.
#[wasm_bindgen]
pub fn ranges() -> Vec<f64> {
    RANGES.into_iter().flat_map(<[f64; 2]>::from).collect()
}

/// The ends of the times, and those of the heights.
#[wasm_bindgen]
pub fn frame() -> Vec<f64> {
    FRAME.into_iter().flat_map(<[f64; 2]>::from).collect()
}

/// Values and gradients whose bits are the same on every machine.
#[wasm_bindgen]
pub fn exact_arithmetic() -> Vec<f64> {
    arithmetic()
}

/// A fit, as the page holds it.
#[wasm_bindgen]
pub struct Session {
    fit: Fit,
    start: usize,
}

impl Default for Session {
    fn default() -> Session {
        Session::new()
    }
}

#[wasm_bindgen]
impl Session {
    /// The default points, at the first start.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Session {
        Session {
            fit: Fit::new(STARTS[0], &POINTS),
            start: 0,
        }
    }

    /// Goes back to the default points and the first start.
    pub fn reset(&mut self) {
        *self = Session::new();
    }

    /// Goes to the next start, with the same points.
    pub fn next_start(&mut self) {
        self.start = (self.start + 1) % STARTS.len();
        self.fit = Fit::new(STARTS[self.start], self.fit.points());
    }

    /// The points, in pairs of time and height.
    pub fn points(&self) -> Vec<f64> {
        let points = self.fit.points().iter();
        points.flat_map(|&(t, y)| [t, y]).collect()
    }

    /// Replaces the points. The iterations start anew.
    pub fn set_points(&mut self, pairs: &[f64]) {
        let points: Vec<(f64, f64)> = pairs.chunks_exact(2).map(|p| (p[0], p[1])).collect();
        self.fit = Fit::new(*self.fit.parameters(), &points);
    }

    /// The parameters.
    pub fn parameters(&self) -> Vec<f64> {
        self.fit.parameters().to_vec()
    }

    /// Moves one parameter. The iterations start anew.
    pub fn set_parameter(&mut self, index: usize, value: f64) {
        let mut parameters = *self.fit.parameters();
        if let Some(parameter) = parameters.get_mut(index) {
            *parameter = value;
        }
        self.fit = Fit::new(parameters, self.fit.points());
    }

    /// One iteration, by Levenberg and Marquardt or by gradient descent.
    pub fn step(&mut self, by_marquardt: bool) {
        self.fit.step(if by_marquardt {
            Method::Marquardt
        } else {
            Method::Descent
        });
    }

    /// The number of iterations since the start.
    pub fn iterations(&self) -> usize {
        self.fit.iterations()
    }

    /// Set if the last step found nothing lower.
    pub fn is_at_rest(&self) -> bool {
        self.fit.is_at_rest()
    }

    /// The sum of squares.
    pub fn value(&self) -> f64 {
        self.fit.value()
    }

    /// Its gradient, by chainrule.
    pub fn gradient(&self) -> Vec<f64> {
        self.fit.gradient().to_vec()
    }

    /// Its gradient, by finite differences.
    pub fn differences(&self) -> Vec<f64> {
        self.fit.differences().to_vec()
    }

    /// The heights of the curve at several times.
    pub fn curve(&self, times: &[f64]) -> Vec<f64> {
        times.iter().map(|&t| self.fit.curve(t)).collect()
    }
}

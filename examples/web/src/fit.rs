//! The fit: parameters that follow the gradient of the sum of squares, one iteration at a time.

use crate::model::{curve, loss};
use crate::solve::{Matrix, solve};
use std::array;

/// The amplitude, the decay, the frequency and the offset of the curve.
pub type Parameters = [f64; 4];

/// The norm of the gradient, relative to the sum of squares and 1, at which the fit rests.
const TOLERANCE: f64 = 1e-9;
/// The number of lengths of a step that are tried before the fit rests.
const TRIES: usize = 60;
/// The share of the promised decrease that a step has to reach: promised by the slope, or by the linear curve.
const PROMISED: f64 = 0.3;
/// The range of the damping of Levenberg and Marquardt, relative to the diagonal of the matrix.
const DAMPING: (f64, f64) = (1e-12, 1e12);

/// The rule for a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Gradient descent: a step against the gradient, halved until the sum of squares decreases as the slope promises.
    Descent,
    /// The method of Levenberg and Marquardt: the minimum of the sum of squares of a linear curve, whose slopes are the gradients of
    /// the curve at each point. The damping keeps the step short where the curve isn't linear.
    Marquardt,
}

/// Parameters on their way to a minimum.
#[derive(Debug, Clone)]
pub struct Fit {
    points: Vec<(f64, f64)>,
    parameters: Parameters,
    value: f64,
    gradient: Parameters,
    iterations: usize,
    is_at_rest: bool,
    /// The length of the next step of gradient descent, in units of the gradient.
    length: f64,
    /// The damping of the next step of Levenberg and Marquardt.
    damping: f64,
}

impl Fit {
    /// A fit at its start. Points and parameters that aren't finite are left out, and replaced by zero.
    pub fn new(parameters: Parameters, points: &[(f64, f64)]) -> Fit {
        let is_finite = |(t, y): &(f64, f64)| t.is_finite() && y.is_finite();
        let mut fit = Fit {
            points: points.iter().copied().filter(is_finite).collect(),
            parameters: parameters.map(|p| if p.is_finite() { p } else { 0.0 }),
            value: 0.0,
            gradient: [0.0; 4],
            iterations: 0,
            is_at_rest: false,
            length: 0.01,
            damping: 1e-2,
        };
        (fit.value, fit.gradient) = fit.value_and_gradient(&fit.parameters);
        fit
    }

    /// The points `(t, y)`.
    pub fn points(&self) -> &[(f64, f64)] {
        &self.points
    }

    /// The parameters after the last iteration.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The sum of squares.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// The gradient of the sum of squares.
    pub fn gradient(&self) -> &Parameters {
        &self.gradient
    }

    /// The number of steps since the start.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// Set if the last step found nothing lower. Then no further step will.
    pub fn is_at_rest(&self) -> bool {
        self.is_at_rest
    }

    /// The heights of the curve.
    pub fn curve(&self, t: f64) -> f64 {
        let [amplitude, decay, frequency, offset] = self.parameters;
        curve(amplitude, decay, frequency, offset, t)
    }

    /// One iteration: the parameters move to where the sum of squares is lower, or the fit is at rest.
    pub fn step(&mut self, method: Method) {
        let norm = self.gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
        let is_moved = norm > TOLERANCE * (1.0 + self.value)
            && match method {
                Method::Descent => self.descend(norm * norm),
                Method::Marquardt => self.solve(),
            };
        self.is_at_rest = !is_moved;
        self.iterations += usize::from(is_moved);
    }

    /// A step against the gradient.
    fn descend(&mut self, slope: f64) -> bool {
        for _ in 0..TRIES {
            let step = self.gradient.map(|g| -self.length * g);
            if self.moves(&step, PROMISED * self.length * slope) {
                self.length *= 2.0;
                return true;
            }
            self.length *= 0.5;
        }
        // Points that are moved may need a longer one.
        self.length = 0.01;
        false
    }

    /// A step to the minimum of the damped linear problem.
    fn solve(&mut self) -> bool {
        let (least, most) = DAMPING;
        let matrix = self.normal_matrix();
        let largest = (0..4).map(|i| matrix[i][i]).fold(0.0, f64::max);
        // Half the gradient is the product of the transposed Jacobian and the residuals.
        let right = self.gradient.map(|g| -0.5 * g);
        for _ in 0..TRIES {
            let diagonal: Parameters =
                array::from_fn(|i| self.damping * matrix[i][i].max(1e-2 * largest));
            let mut damped = matrix;
            for i in 0..4 {
                damped[i][i] += diagonal[i];
            }
            if let Some(step) = solve(&damped, &right) {
                // The decrease of the sum of squares of the linear curve.
                let decrease: f64 = (0..4)
                    .map(|i| step[i] * (right[i] + diagonal[i] * step[i]))
                    .sum();
                if self.moves(&step, PROMISED * decrease) {
                    self.damping = (self.damping / 5.0).max(least);
                    return true;
                }
            }
            self.damping = (self.damping * 4.0).min(most);
        }
        self.damping = 1e-2;
        false
    }

    /// Moves the parameters if that makes the sum of squares less by more than `decrease`.
    fn moves(&mut self, step: &Parameters, decrease: f64) -> bool {
        let mut at = self.parameters;
        for (p, step) in at.iter_mut().zip(step) {
            *p += step;
        }
        let (value, gradient) = self.value_and_gradient(&at);
        let is_finite = value.is_finite() && at.iter().chain(&gradient).all(|x| x.is_finite());
        let is_lower = is_finite && value < self.value - decrease;
        if is_lower {
            (self.parameters, self.value, self.gradient) = (at, value, gradient);
        }
        is_lower
    }

    fn value_and_gradient(&self, parameters: &Parameters) -> (f64, Parameters) {
        let [amplitude, decay, frequency, offset] = *parameters;
        let (value, gradient) =
            loss::value_and_gradient(amplitude, decay, frequency, offset, &self.points);
        (value, gradient.into())
    }

    /// The product of the transposed Jacobian of the residuals and the Jacobian. A row of it is the gradient of the curve at a point.
    fn normal_matrix(&self) -> Matrix<4> {
        let [amplitude, decay, frequency, offset] = self.parameters;
        let mut matrix = [[0.0; 4]; 4];
        for &(t, _) in &self.points {
            let (by_amplitude, by_decay, by_frequency, by_offset, _) =
                curve::gradient(amplitude, decay, frequency, offset, t);
            let row = [by_amplitude, by_decay, by_frequency, by_offset];
            for (entries, a) in matrix.iter_mut().zip(row) {
                for (entry, b) in entries.iter_mut().zip(row) {
                    *entry += a * b;
                }
            }
        }
        matrix
    }

    /// The gradient by central differences at four points for each parameter, which the page compares with the exact one.
    pub fn differences(&self) -> Parameters {
        let mut all = [0.0; 4];
        for (i, difference) in all.iter_mut().enumerate() {
            let h = 2e-4 * self.parameters[i].abs().max(1.0);
            let at = |steps: f64| {
                let mut moved = self.parameters;
                moved[i] += steps * h;
                let [amplitude, decay, frequency, offset] = moved;
                loss(amplitude, decay, frequency, offset, &self.points)
            };
            *difference = (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * h);
        }
        all
    }
}

#[cfg(test)]
mod tests;

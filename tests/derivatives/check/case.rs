//! [`Case`]: one function at one point, and all comparisons of its rules.

use super::differences::{Estimate, differences};

/// How many points nearby the bits of values are compared at: at one point, sums in another order may be the same.
const MOVED: usize = 8;

/// What a forward rule gives.
pub(crate) struct Forward {
    /// The result, then what is left in each `&mut` argument.
    pub(crate) outputs: Vec<f64>,
    /// The tangents of these.
    pub(crate) tangents: Vec<f64>,
}

/// What a reverse rule gives.
pub(crate) struct Reverse {
    /// The result, then what was in each `&mut` argument before the pullback ran.
    pub(crate) outputs: Vec<f64>,
    /// Returned cotangents and shadows, one for each input.
    pub(crate) cotangents: Vec<f64>,
    /// The arguments, after the pullback.
    pub(crate) arguments: Vec<f64>,
}

/// What a driver gives.
pub(crate) struct Driven {
    /// The result.
    pub(crate) value: Vec<f64>,
    /// The result's tangent, or one cotangent for each input.
    pub(crate) derivative: Vec<f64>,
    /// The arguments, afterwards.
    pub(crate) arguments: Vec<f64>,
}

/// A function at a point. Inputs are the floats of all arguments that are differentiated; outputs are those of the result
/// and of what is left in `&mut` arguments.
pub(crate) struct Case<'a> {
    pub(crate) name: &'a str,
    pub(crate) arguments: Vec<f64>,
    /// Whether a shadow is added to, for each input: those behind a `&`.
    pub(crate) accumulates: Vec<bool>,
    pub(crate) roundoff: f64,
    /// The outputs, at arguments moved by this.
    pub(crate) primal: &'a dyn Fn(&[f64]) -> Vec<f64>,
    /// Takes a direction.
    pub(crate) frule: &'a dyn Fn(&[f64]) -> Forward,
    /// Takes the cotangents of the outputs, and what shadows hold.
    pub(crate) rrule: &'a dyn Fn(&[f64], &[f64]) -> Reverse,
    /// Takes a direction.
    pub(crate) jvp: &'a dyn Fn(&[f64]) -> Driven,
    /// Takes the cotangent of the result.
    pub(crate) vjp: &'a dyn Fn(&[f64]) -> Driven,
    /// Where the result is a scalar.
    pub(crate) scalar: Option<&'a Scalar<'a>>,
}

/// The drivers of a function whose result is a scalar.
pub(crate) struct Scalar<'a> {
    /// Takes what the arguments are moved by.
    pub(crate) value_and_gradient: &'a dyn Fn(&[f64]) -> Driven,
    /// The gradient alone.
    pub(crate) gradient: &'a dyn Fn() -> Vec<f64>,
    /// Takes what the buffers hold.
    pub(crate) into: &'a dyn Fn(&[f64]) -> Driven,
    /// Takes a direction.
    pub(crate) hvp: &'a dyn Fn(&[f64]) -> Driven,
}

/// What was checked, for comparison with closed forms.
#[derive(Debug)]
pub(crate) struct Checked {
    /// One row for each output.
    pub(crate) jacobian: Vec<Vec<f64>>,
    /// One row for each input; empty for functions whose result isn't a scalar.
    pub(crate) hessian: Vec<Vec<f64>>,
}

impl Checked {
    /// The gradient of the first output.
    pub(crate) fn gradient(&self) -> &[f64] {
        &self.jacobian[0]
    }

    /// The gradient of the first output is this, up to a few roundings in `f64`.
    pub(crate) fn assert_gradient(&self, want: &[f64]) {
        assert_close(self.gradient(), want);
    }
}

impl Case<'_> {
    /// All comparisons.
    pub(crate) fn check(&self) -> Checked {
        let value = (self.primal)(&self.zeros());
        let jacobian = self.check_frule(&value);
        self.check_rrule(&value, &jacobian);
        self.check_jvp_and_vjp(&value, &jacobian);
        let mut hessian = Vec::new();
        if let Some(scalar) = self.scalar {
            self.check_gradients(&value, &jacobian, scalar);
            hessian = self.check_hvp(scalar);
        }
        Checked { jacobian, hessian }
    }

    fn check_gradients(&self, value: &[f64], jacobian: &[Vec<f64>], scalar: &Scalar<'_>) {
        let (value, gradient, scale) = (&value[..1], &jacobian[0], largest(jacobian));
        let got = (scalar.value_and_gradient)(&self.zeros());
        self.same("value_and_gradient: the value", &got.value, value);
        self.close(
            "value_and_gradient against frule",
            &got.derivative,
            gradient,
            scale,
        );
        self.same(
            "value_and_gradient: the arguments",
            &got.arguments,
            &self.arguments,
        );
        for k in 0..MOVED {
            let mut shift = irregular(self.arguments.len(), 9.0 + k as f64);
            shift.iter_mut().for_each(|by| *by *= 1e-3);
            let value = (self.primal)(&shift);
            let got = (scalar.value_and_gradient)(&shift);
            self.same(
                "value_and_gradient nearby: the value",
                &got.value,
                &value[..1],
            );
        }
        self.same("gradient", &(scalar.gradient)(), &got.derivative);
        let buffers = irregular(self.arguments.len(), 5.0);
        let into = (scalar.into)(&buffers);
        self.same("value_and_gradient_into: the value", &into.value, value);
        self.same(
            "value_and_gradient_into: the buffers",
            &into.derivative,
            &got.derivative,
        );
        self.same(
            "value_and_gradient_into: the arguments",
            &into.arguments,
            &self.arguments,
        );
    }

    /// `frule` against differences, in each direction; the Jacobian.
    fn check_frule(&self, value: &[f64]) -> Vec<Vec<f64>> {
        let n = self.arguments.len();
        let mut jacobian = vec![vec![0.0; n]; value.len()];
        for j in 0..n {
            let along = |step: f64| (self.primal)(&self.unit(j, step));
            let got = (self.frule)(&self.unit(j, 1.0));
            self.same("frule: the value", &got.outputs, value);
            let want = differences(&along);
            self.near(
                &format!("frule with respect to input {j}"),
                &got.tangents,
                &want,
            );
            for (row, tangent) in jacobian.iter_mut().zip(&got.tangents) {
                row[j] = *tangent;
            }
        }
        // It is linear.
        let direction = irregular(n, 1.0);
        let got = (self.frule)(&direction);
        self.same("frule: the value", &got.outputs, value);
        let want: Vec<f64> = jacobian.iter().map(|row| dot(row, &direction)).collect();
        self.close(
            "frule in a mixed direction",
            &got.tangents,
            &want,
            largest(&jacobian) * total(&direction),
        );
        let still = (self.frule)(&self.zeros());
        self.close(
            "frule in no direction",
            &still.tangents,
            &vec![0.0; value.len()],
            0.0,
        );
        jacobian
    }

    /// `rrule` against `frule`, from each output, and with shadows that hold something.
    fn check_rrule(&self, value: &[f64], jacobian: &[Vec<f64>]) {
        let scale = largest(jacobian);
        for i in 0..value.len() {
            let mut seed = vec![0.0; value.len()];
            seed[i] = 1.0;
            let got = (self.rrule)(&seed, &self.zeros());
            self.same("rrule: the value", &got.outputs, value);
            self.close(
                &format!("rrule of output {i} against frule"),
                &got.cotangents,
                &jacobian[i],
                scale,
            );
            self.same(
                "rrule: the arguments after the pullback",
                &got.arguments,
                &self.arguments,
            );
        }
        let seed = irregular(value.len(), 2.0);
        let shadows = irregular(self.arguments.len(), 3.0);
        let got = (self.rrule)(&seed, &shadows);
        self.same("rrule: the value", &got.outputs, value);
        self.same(
            "rrule: the arguments after the pullback",
            &got.arguments,
            &self.arguments,
        );
        let added = self.without(&got.cotangents, &shadows);
        for (j, added) in added.iter().enumerate() {
            let want: f64 = seed
                .iter()
                .zip(jacobian)
                .map(|(seed, row)| seed * row[j])
                .sum();
            let scale = 1.0 + scale * total(&seed);
            self.close(
                &format!("rrule, cotangent of input {j}"),
                &[*added],
                &[want],
                scale,
            );
        }
        // The inner products agree.
        let direction = irregular(self.arguments.len(), 4.0);
        let forward = (self.frule)(&direction);
        let left = dot(&seed, &forward.tangents);
        let right = dot(&added, &direction);
        let size = scale * total(&seed) * total(&direction) + total(&shadows);
        self.close(
            "the inner products of frule and rrule",
            &[right],
            &[left],
            size,
        );
        // Nothing is left over from the first use.
        let again = (self.rrule)(&seed, &shadows);
        self.same("rrule, used again", &again.cotangents, &got.cotangents);
    }

    fn check_jvp_and_vjp(&self, value: &[f64], jacobian: &[Vec<f64>]) {
        let direction = irregular(self.arguments.len(), 6.0);
        let got = (self.jvp)(&direction);
        let m = got.value.len();
        let want = (self.frule)(&direction);
        self.same("jvp: the value", &got.value, &value[..m]);
        self.same("jvp against frule", &got.derivative, &want.tangents[..m]);
        self.same("jvp: the arguments", &got.arguments, &self.arguments);
        let seed = irregular(m, 7.0);
        let got = (self.vjp)(&seed);
        self.same("vjp: the value", &got.value, &value[..m]);
        let want: Vec<f64> = (0..self.arguments.len())
            .map(|j| {
                seed.iter()
                    .zip(jacobian)
                    .map(|(seed, row)| seed * row[j])
                    .sum()
            })
            .collect();
        self.close(
            "vjp against frule",
            &got.derivative,
            &want,
            largest(jacobian) * total(&seed),
        );
        self.same("vjp: the arguments", &got.arguments, &self.arguments);
    }

    /// `hvp` against differences of the gradient, in each direction; the Hessian.
    fn check_hvp(&self, scalar: &Scalar<'_>) -> Vec<Vec<f64>> {
        let n = self.arguments.len();
        let mut hessian = Vec::new();
        for j in 0..n {
            let along = |step: f64| (scalar.value_and_gradient)(&self.unit(j, step)).derivative;
            let got = (scalar.hvp)(&self.unit(j, 1.0));
            self.near(
                &format!("hvp in direction {j}"),
                &got.derivative,
                &differences(&along),
            );
            self.same("hvp: the arguments", &got.arguments, &self.arguments);
            hessian.push(got.derivative);
        }
        let scale = largest(&hessian);
        for (j, row) in hessian.iter().enumerate() {
            let column: Vec<f64> = hessian.iter().map(|row| row[j]).collect();
            self.close(&format!("symmetry of hvp, {j}"), row, &column, scale);
        }
        let direction = irregular(n, 8.0);
        let got = (scalar.hvp)(&direction).derivative;
        let want: Vec<f64> = (0..n).map(|j| dot(&hessian[j], &direction)).collect();
        self.close(
            "hvp in a mixed direction",
            &got,
            &want,
            scale * total(&direction),
        );
        hessian
    }

    fn zeros(&self) -> Vec<f64> {
        vec![0.0; self.arguments.len()]
    }

    fn unit(&self, j: usize, length: f64) -> Vec<f64> {
        let mut unit = self.zeros();
        unit[j] = length;
        unit
    }

    /// What a pullback added to shadows; owned arguments have none, and those of `&mut` arguments are outputs.
    fn without(&self, cotangents: &[f64], shadows: &[f64]) -> Vec<f64> {
        let each = cotangents.iter().zip(shadows).zip(&self.accumulates);
        each.map(|((bar, shadow), accumulates)| if *accumulates { bar - shadow } else { *bar })
            .collect()
    }

    /// Equal, bit for bit.
    fn same(&self, what: &str, got: &[f64], want: &[f64]) {
        let bits = |all: &[f64]| all.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(
            bits(got),
            bits(want),
            "{}: {what}: got {got:?}, expected {want:?}",
            self.name
        );
    }

    /// Equal up to rounding of sums whose terms are as large as `scale`.
    fn close(&self, what: &str, got: &[f64], want: &[f64], scale: f64) {
        assert_eq!(
            got.len(),
            want.len(),
            "{}: {what}: got {got:?}, expected {want:?}",
            self.name
        );
        for (i, (got, want)) in got.iter().zip(want).enumerate() {
            assert!(
                (got - want).abs() <= self.agreement() * scale,
                "{}: {what}: got {got:e} at {i}, expected {want:e}",
                self.name
            );
        }
    }

    /// Equal up to the error of differences.
    fn near(&self, what: &str, got: &[f64], want: &[Estimate]) {
        assert_eq!(
            got.len(),
            want.len(),
            "{}: {what}: got {got:?}, expected {want:?}",
            self.name
        );
        let (rounding, most) = if self.in_f64() {
            (1e-10, 1e-6)
        } else {
            (1e-4, 1e-2)
        };
        for (i, (got, Estimate { value, error })) in got.iter().zip(want).enumerate() {
            let size = value.abs().max(1.0);
            assert!(
                *error <= most * size,
                "{}: {what}: inconclusive, differences give {value:e} at {i}, with an error of {error:e}",
                self.name
            );
            assert!(
                (got - value).abs() <= 10.0 * error + rounding * size,
                "{}: {what}: got {got:e} at {i}, differences give {value:e}, with an error of {error:e}",
                self.name
            );
        }
    }

    fn in_f64(&self) -> bool {
        self.roundoff <= f64::EPSILON
    }

    /// How well two rules agree.
    fn agreement(&self) -> f64 {
        if self.in_f64() { 1e-12 } else { 1e-5 }
    }
}

/// Equal up to a few roundings in `f64`.
pub(crate) fn assert_close(got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len(), "got {got:?}, expected {want:?}");
    for (g, w) in got.iter().zip(want) {
        assert!(
            g == w || (g - w).abs() <= 1e-12 * w.abs(),
            "got {got:?}, expected {want:?}"
        );
    }
}

/// Numbers between a quarter and one in absolute value, of both signs, the same at each call.
pub(crate) fn irregular(n: usize, start: f64) -> Vec<f64> {
    let mut state = start * 0.754_877_666_246_693;
    let mut next = || {
        state = (state + 0.618_033_988_749_895).fract();
        let size = 0.25 + 0.75 * (state * 7.0).fract();
        if state < 0.5 { size } else { -size }
    };
    (0..n).map(|_| next()).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn total(a: &[f64]) -> f64 {
    a.iter().map(|v| v.abs()).sum()
}

fn largest(rows: &[Vec<f64>]) -> f64 {
    rows.iter().flatten().fold(0.0, |most, v| v.abs().max(most))
}

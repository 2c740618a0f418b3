//! Parameters and locals with the names that generated code uses itself.

use ::ad::differentiable;

/// The names of tangents and cotangents.
#[differentiable]
pub fn tangents(x: f64, x_dot: f64, x_bar: f64) -> f64 {
    let y_dot = x * x_dot;
    let y_bar = y_dot * x_bar;
    y_bar * x + x_bar * x_bar
}

/// The names of a rule's parts.
#[differentiable]
pub fn parts(y: f64, pullback: f64, tape: f64, modes: f64, t: f64) -> f64 {
    let tape_1 = y * pullback;
    let pullback = tape_1 * tape;
    pullback * modes.sin() + t * y
}

/// Raw identifiers.
#[differentiable]
pub fn raw(r#type: f64, r#fn: &[f64], r#match: &mut f64) -> f64 {
    let r#loop = r#type * r#fn[0];
    *r#match *= r#loop;
    *r#match * r#loop
}

/// A function with a raw name.
#[differentiable]
pub fn r#move(r#in: f64) -> f64 {
    r#in * r#in
}

/// The names of counters, lengths and temporaries.
#[differentiable]
pub fn counters(i: &[f64], n: usize, j: f64, value: f64) -> f64 {
    let mut m = value;
    for i in &i[..n] {
        let direction = i * m;
        m = direction + j;
    }
    let (shadow, seed, result) = (m * j, m + j, m * m);
    shadow * seed + result
}

/// The names of a rule's variables, as memory.
#[differentiable]
pub fn memory(x: &[f64], x_bar: &mut [f64], x_dot: &mut [f64]) -> f64 {
    let mut y_bar = [0.0; 2];
    for argument in 0..x.len() {
        x_bar[argument] *= x[argument];
        x_dot[argument] += x_bar[argument];
        y_bar[argument % 2] += x_dot[argument] * x_bar[argument];
    }
    y_bar[0] * y_bar[1]
}

/// One vector to a scalar: the names of the loops over columns and rows.
#[differentiable]
pub fn hessian(hessian: &[f64]) -> f64 {
    let (bar, column) = (hessian[0], hessian[1]);
    bar * bar * column
}

/// One vector to a vector.
#[differentiable]
pub fn jacobian(jacobian: [f64; 2]) -> [f64; 2] {
    let (m, n) = (jacobian[0], jacobian[1]);
    [m * n, m + n]
}

/// Calls, with arguments under these names.
#[differentiable]
pub fn calls(x_bar: f64, pullback: f64, shadow: &[f64]) -> f64 {
    let modes = tangents(x_bar, pullback, shadow[0]);
    let y_bar = counters(shadow, 1, pullback, x_bar);
    let y_dot = r#move(x_bar);
    modes * y_bar * y_dot
}

/// Branches, loops with exits, and residuals under these names.
#[differentiable]
pub fn control(tape: f64, taken: usize, exit: bool) -> f64 {
    let mut z = tape;
    for branch in 0..taken {
        if exit {
            if branch == 2 {
                return z * tape;
            }
            z = z.sin();
        } else {
            z *= tape;
        }
    }
    z
}

/// One letter only.
#[differentiable]
pub fn f(f: f64) -> f64 {
    f * f
}

/// The names of the drivers and rules.
pub mod rules {
    use ::ad::differentiable;

    /// As a driver.
    #[differentiable]
    pub fn gradient(gradient: f64, hvp: f64) -> f64 {
        gradient * hvp
    }

    /// As a rule.
    #[differentiable]
    pub fn rrule(frule: f64) -> f64 {
        let rrule = gradient(frule, frule);
        rrule * frule
    }

    /// As a hidden rule.
    #[differentiable]
    pub fn __rrule(__frule: f64) -> f64 {
        rrule(__frule)
    }

    /// Without parameters that are used, and with one that isn't read.
    #[differentiable]
    pub fn unused(_x: f64, #[constant] _y: f64, _n: usize) -> f64 {
        1.0
    }
}

#[differentiable]
fn private(x: f64) -> f64 {
    x
}

/// Uses a private function, whose other rules nobody uses.
#[differentiable]
pub fn public(x: f64) -> f64 {
    private(x) * x
}

/// A result that must be used.
///
/// # Errors
/// If `x` is negative.
#[differentiable]
pub fn root(x: f64) -> ::core::result::Result<f64, ::core::fmt::Error> {
    if x < 0.0 {
        return ::core::result::Result::Err(::core::fmt::Error);
    }
    ::core::result::Result::Ok(x.sqrt())
}

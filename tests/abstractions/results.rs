//! Results of which nothing but an annotation says what an error would be.

use chainrule::prelude::*;

use crate::check::table;

#[derive(Clone, Debug)]
enum Failure {
    NotPositive,
}

#[differentiable]
fn without_errors(x: f64) -> f64 {
    let fine: Result<f64, String> = Ok(x);
    let pair: Result<(f64, f64), ()> = Ok((x, x * x));
    let both: Result<f64, String> = if x > 1.0 { Ok(x) } else { Ok(0.5) };
    let pair = pair.map_or(0.0, |(a, b)| a * b);
    fine.unwrap() * both.unwrap_or(1.0) + pair
}
#[differentiable]
fn errors_by_into(x: f64) -> f64 {
    let text: Result<f64, String> = if x > 0.0 {
        Ok(x.sqrt())
    } else {
        Err("negative".into())
    };
    let boxed: Result<f64, Box<dyn std::error::Error>> =
        if x > 1.0 { Err("large".into()) } else { Ok(x) };
    let length = match &text {
        Ok(root) => *root,
        Err(message) => x * message.len() as f64,
    };
    length * boxed.unwrap_or(2.0)
}
#[differentiable]
fn assigned(x: f64) -> f64 {
    let mut list: Result<Vec<f64>, Failure> = Ok(vec![x, 2.0]);
    if x < 0.0 {
        list = Err(Failure::NotPositive);
    }
    list.map_or(x * x, |list| list[0] * list[1])
}

/// Methods of results whose errors aren't `Copy`.
#[differentiable]
fn owned_errors(x: f64) -> f64 {
    let r: Result<f64, String> = if x > 0.0 {
        Ok(x * x)
    } else {
        Err("negative".into())
    };
    let twice = r.as_ref().map(|v| v * 2.0).unwrap_or(x);
    let positive = r.as_ref().map_or(1.0, |v| v.sqrt());
    let default = r.clone().unwrap_or_default();
    let seen = match &r {
        Ok(v) => v * x,
        Err(message) => x * message.len() as f64,
    };
    let last = r.unwrap_or_default() + make(x).unwrap_or_default();
    twice * positive + default + seen + last
}

#[differentiable]
#[inline(never)]
fn make(x: f64) -> Result<f64, String> {
    if x > 1.0 {
        Err("large".into())
    } else {
        Ok(x.sin())
    }
}

/// An error that can't be cloned, as most people write them.
#[derive(Debug)]
enum Refusal {
    Negative(String),
    Empty,
}

#[differentiable]
#[inline(never)]
fn roots(x: &[f64]) -> Result<Vec<f64>, Refusal> {
    if x.is_empty() {
        return Err(Refusal::Empty);
    }
    let mut roots = Vec::with_capacity(x.len());
    for (k, x) in x.iter().enumerate() {
        if *x < 0.0 {
            return Err(Refusal::Negative(format!("element {k}")));
        }
        roots.push(x.sqrt());
    }
    Ok(roots)
}

#[differentiable]
fn early_errors(x: &[f64]) -> f64 {
    match roots(x) {
        Ok(roots) => roots[0] * roots[roots.len() - 1] + x[0],
        Err(_) => x[0] * x[0],
    }
}

/// What has been handed to a function as a slice is the list that it was.
#[differentiable]
#[inline(never)]
fn residuals(f: impl Fn(&[f64]) -> Vec<f64>, start: &[f64], n: usize) -> Result<Vec<f64>, Refusal> {
    if n == 0 {
        return Err(Refusal::Empty);
    }
    let x = start.to_vec();
    let r = f(&x);
    if r[0] > 1.0 {
        return Ok(x);
    }
    Ok(r)
}

#[differentiable]
fn returned_lists(x: &[f64], n: usize) -> f64 {
    let k = x[0];
    let found = residuals(|x| vec![x[0] * x[1] * k, x[1]], x, n);
    match found {
        Ok(r) => r[0] * r[1],
        Err(_) => k,
    }
}

/// A constructor with types of its own.
#[differentiable]
#[inline(never)]
fn iterated(f: impl Fn(f64) -> Result<f64, std::convert::Infallible>, x: f64) -> f64 {
    let y = f(x).unwrap();
    f(y).unwrap() * y
}

#[differentiable]
fn written_types(x: f64) -> f64 {
    let squared = Option::<f64>::Some(x * x);
    let value: f64 = iterated(|t| Ok::<_, std::convert::Infallible>(t * x), x);
    value * squared.map_or(1.0, |s| s * x)
}

/// An error that isn't `Clone`, beside a result that a loop returns early.
#[derive(Debug)]
enum NotConverged {
    After(usize),
}

#[differentiable]
#[inline(never)]
fn converged(x: f64, y: &[f64], most: usize) -> Result<(f64, Vec<f64>), NotConverged> {
    let mut w = vec![0.0; y.len()];
    for k in 0..most {
        for (w, y) in w.iter_mut().zip(y) {
            *w += x * y;
        }
        if w[0] > 9.0 {
            return Err(NotConverged::After(k));
        }
        if w[0] > 2.0 {
            return Ok((w[0] * x, w));
        }
    }
    Err(NotConverged::After(most))
}
#[differentiable]
fn or_not_converged(x: f64, y: &[f64], most: usize) -> f64 {
    match converged(x, y, most) {
        Ok((first, all)) => all.iter().sum::<f64>() * first,
        Err(_) => x * y[0],
    }
}

enum Side {
    Left(usize),
    Right { name: String },
    Both(Pair),
}
struct Pair(usize, i32);

use Side::Left;

#[differentiable]
#[inline(never)]
fn sided(x: f64, y: &[f64], k: usize) -> Result<f64, Side> {
    match k {
        0 => Err(Left(y.len())),
        1 => Err(Side::Right { name: "ab".into() }),
        2 => Err(Side::Both(Pair(k, -3))),
        _ => Ok(x * x * y[0]),
    }
}
/// The error's type has no tangent type, and is taken apart.
#[differentiable]
fn errors_taken_apart(x: f64, y: &[f64], k: usize) -> f64 {
    let scale = match sided(x, y, k) {
        Ok(value) => value * x,
        Err(Left(n)) => x * n as f64,
        Err(Side::Right { name }) => y[1] * name.len() as f64,
        Err(Side::Both(Pair(a, b))) => x * y[0] * (a as f64 + f64::from(b)),
    };
    scale.sin() * x
}
#[differentiable]
fn local_errors(x: f64, k: usize) -> f64 {
    let mut sum = 0.0;
    for i in 0..k {
        let part: Result<f64, Pair> = if i == 1 { Err(Pair(i, 4)) } else { Ok(x * x) };
        sum += match part {
            Ok(y) => y * x,
            Err(Pair(n, m)) => x * (n as f64) * f64::from(m),
        };
    }
    sum
}

table! {
    errors_taken_apart: for k in 0..4, (0.7, &[1.1, 0.4], const k);
    local_errors: for k in 0..4, (0.7, const k);
    or_not_converged: (0.7, &[1.1, 0.4], const 5), (0.7, &[1.1, 0.4], const 2), (9.7, &[1.1], const 2);
    written_types: (0.7);
    early_errors: (&vec![0.7, 0.4]), (&vec![0.7, -0.4, 0.1]), (&vec![0.7]);
    returned_lists: (&vec![0.7, 0.4], const 0), (&vec![0.7, 0.4], const 2), (&vec![1.7, 1.4], const 2);
    without_errors: for k in 0..3, ([-0.7, 0.4, 1.3][k]);
    errors_by_into: for k in 0..3, ([-0.7, 0.4, 1.3][k]);
    owned_errors: for k in 0..3, ([-0.7, 0.4, 1.3][k]);
    assigned: for k in 0..3, ([-0.7, 0.4, 1.3][k]);
}

#[test]
fn errors_that_are_not_clone_come_through() {
    let (value, _) = converged::jvp(9.7, &[1.1], 2, 1.0, &[0.0]);
    assert!(matches!(value, Err(NotConverged::After(0))));
}

/// Aliases with parameters: of `Result` with an error, of lists, with defaults.
mod generic_aliases {
    use std::error::Error;
    use std::fmt;

    use chainrule::prelude::*;

    use crate::check::check;

    #[derive(Debug)]
    enum FitError {
        Empty,
        Long(usize),
    }

    impl fmt::Display for FitError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{self:?}")
        }
    }

    impl Error for FitError {}

    type Result<T, E = Box<dyn Error>> = std::result::Result<T, E>;
    type Own<T> = Result<T, FitError>;
    type Triple<T> = [T; 3];
    type Pair<A, B = A> = (A, Vec<B>);

    #[differentiable]
    fn boxed(x: &[f64]) -> Result<f64> {
        if x.is_empty() {
            return Err(Box::new(FitError::Empty));
        }
        for (i, v) in x.iter().enumerate() {
            if *v > 100.0 {
                return Err(format!("element {i} is large").into());
            }
        }
        if x.len() > 3 {
            Err("too many".into())
        } else {
            Ok(x[0] * x[1].sin())
        }
    }

    #[differentiable]
    fn own(x: &[f64]) -> Own<f64> {
        if x.len() > 2 {
            return Err(FitError::Long(x.len()));
        }
        let value = boxed(x).map_err(|_| FitError::Empty)?;
        Ok(value * value)
    }

    #[differentiable]
    fn lists(x: &Triple<f64>, y: Pair<f64>) -> f64 {
        let mut t: Triple<Pair<f64, f64>> = [y.clone(), y.clone(), y];
        t[1].0 *= x[0];
        t[0].1[1] += x[1] * x[2];
        t.iter().map(|(a, b)| a * b[0] * b[1]).sum()
    }

    #[differentiable]
    fn value(x: &[f64]) -> f64 {
        boxed(x).unwrap_or(0.0) + own(x).unwrap_or(x[0])
    }

    #[test]
    fn derivatives() {
        check!(value(&[0.7, 0.4]));
        check!(value(&[0.7, 0.4, 0.1]));
        check!(value(&[0.7, 0.4, 0.1, 0.3]));
        check!(lists(&[0.7, 0.4, 1.2], (0.3, vec![1.5, 0.2])));
        assert_eq!(boxed::gradient(&[]).unwrap_err().to_string(), "Empty");
        let gradient = boxed::gradient(&[1.0, 200.0]);
        assert_eq!(gradient.unwrap_err().to_string(), "element 1 is large");
    }
}

mod errors {
    use chainrule::prelude::*;
    use chainrule::testing::check_rules;

    #[differentiable]
    fn positions_in_errors(x: &[f64]) -> f64 {
        let found: Result<f64, usize> = if x[0] > 0.0 { Ok(x[1]) } else { Err(2) };
        match found {
            Ok(v) => v * v * x[0] * x[2],
            Err(i) => x[i] * x[0] * x[1],
        }
    }

    #[test]
    fn that_are_integers_are_indices() {
        check_rules!(positions_in_errors, &[0.3, 0.7, 1.1]);
        check_rules!(positions_in_errors, &[-0.3, 0.7, 1.1]);
    }
}

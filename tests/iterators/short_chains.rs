//! Chains of `Option`s and `Result`s, which end at the first item without a value: `collect`, `sum` and `product` to one of these,
//! `try_fold`, `try_for_each`.

use chainrule::prelude::*;

use crate::check::check;

const ALL: [&[f64]; 7] = [
    &[],
    &[0.8],
    &[-0.8],
    &[0.8, 1.3],
    &[0.8, -1.3, 2.0],
    &[0.8, 1.3, 2.5, 0.1],
    &[0.8, 9.5, 11.0],
];

macro_rules! tests {
    ($($f:ident)*) => {
        mod all {
            use super::{ALL, check};

            $(#[test]
            fn $f() {
                for x in ALL {
                    let x = x.to_vec();
                    check!(super::$f(&x));
                }
            })*
        }
    };
}
tests! {
    all_or_none
    all_or_an_error
    annotated_outside
    from_the_result_type
    sum_or_none
    product_or_none
    sum_or_an_error
    folded
    folded_by_question_marks
    for_each
    for_each_by_name
    without_clones
    of_structs
    guarded
}

#[differentiable]
fn logarithm(a: f64) -> Option<f64> {
    if a > 0.0 { Some(a.ln()) } else { None }
}

#[derive(Clone, Debug, PartialEq)]
enum Error {
    Negative(usize),
    Large,
}

#[differentiable]
fn root(a: f64, i: usize) -> Result<f64, Error> {
    if a < 0.0 {
        Err(Error::Negative(i))
    } else if a > 10.0 {
        Err(Error::Large)
    } else {
        Ok(a.sqrt())
    }
}

/// What stands in for an error: it shows where the chain ended.
#[differentiable]
fn or_position(result: Result<f64, Error>, x: &[f64]) -> f64 {
    match result {
        Ok(v) => v,
        Err(Error::Negative(i)) => x[i] * x[0],
        Err(Error::Large) => x[0].sin(),
    }
}

#[differentiable]
fn all_or_none(x: &[f64]) -> f64 {
    let all: Option<Vec<f64>> = x.iter().map(|a| logarithm(*a)).collect();
    match all {
        Some(all) => all.iter().map(|a| a * a).sum::<f64>() + 1.0,
        None => x[0],
    }
}

#[differentiable]
fn roots(x: &[f64]) -> Result<f64, Error> {
    let all = x
        .iter()
        .enumerate()
        .map(|(i, a)| root(*a, i))
        .collect::<Result<Vec<f64>, Error>>()?;
    Ok(all.iter().product())
}

#[differentiable]
fn all_or_an_error(x: &[f64]) -> f64 {
    or_position(roots(x), x)
}

#[differentiable]
fn annotated_outside(x: &[f64]) -> f64 {
    let run = |x: &[f64]| -> Option<f64> {
        let all: Vec<f64> = x.iter().map(|a| logarithm(*a)).collect::<Option<_>>()?;
        Some(all.iter().sum())
    };
    run(x).unwrap_or(x.iter().sum::<f64>() * 2.0)
}

#[differentiable]
fn every_logarithm(x: &[f64]) -> Option<Vec<f64>> {
    x.iter().map(|a| logarithm(*a)).collect()
}

#[differentiable]
fn from_the_result_type(x: &[f64]) -> f64 {
    match every_logarithm(x) {
        Some(all) => all.iter().map(|a| a.sin()).sum(),
        None => x[0] * x[0],
    }
}

#[differentiable]
fn sum_or_none(x: &[f64]) -> f64 {
    let sum: Option<f64> = x
        .iter()
        .zip(x.iter().skip(1))
        .map(|(a, b)| (*a > 0.0).then(|| a * b))
        .sum();
    sum.unwrap_or(x.iter().sum::<f64>())
}

#[differentiable]
fn product_of_logarithms(x: &[f64]) -> Option<f64> {
    x.iter().map(|a| logarithm(*a)).product()
}

#[differentiable]
fn product_or_none(x: &[f64]) -> f64 {
    product_of_logarithms(x).unwrap_or(x.iter().sum::<f64>())
}

#[differentiable]
fn sum_or_an_error(x: &[f64]) -> f64 {
    let sum = x
        .iter()
        .enumerate()
        .filter(|(i, _)| *i != 1)
        .map(|(i, a)| root(*a, i))
        .sum::<Result<f64, Error>>();
    or_position(sum, x)
}

#[differentiable]
fn in_an_arm(x: &[f64], mode: usize) -> Result<f64, Error> {
    match mode {
        0 => x.iter().enumerate().map(|(i, a)| root(*a, i)).sum(),
        1 if x[0] > 0.5 => {
            let y = x[1] * x[0];
            if y > 0.0 {
                x.iter().map(|a| root(*a * y, 7)).product()
            } else {
                Ok(y)
            }
        }
        2 => return x.iter().map(|a| root(a + 1.0, 2)).sum(),
        _ => Ok(x[0]),
    }
}

#[differentiable]
fn in_arms(x: &[f64], mode: usize) -> f64 {
    let total: Option<f64> = if mode == 0 {
        x.iter().map(|a| logarithm(*a)).sum()
    } else {
        let of = |k: f64| -> Option<f64> {
            if k > 0.0 {
                x.iter().map(|a| logarithm(k + a * a)).sum()
            } else {
                None
            }
        };
        of(1.5)
    };
    total.unwrap_or(0.0) + or_position(in_an_arm(x, mode), x)
}

#[test]
fn the_wanted_type_is_that_of_arms_and_branches() {
    for x in ALL.into_iter().filter(|x| x.len() > 1) {
        for mode in 0..4 {
            let x = x.to_vec();
            check!(in_arms(&x, const mode));
        }
    }
}

#[differentiable]
fn folded(x: &[f64]) -> f64 {
    let folded = x.iter().try_fold(
        1.0,
        |product, a| {
            if *a > 0.0 { Some(product * a) } else { None }
        },
    );
    folded.unwrap_or(x.iter().sum::<f64>())
}

#[differentiable]
fn sum_of_roots(x: &[f64]) -> Result<f64, Error> {
    let total = x
        .iter()
        .enumerate()
        .try_fold(0.5, |sum, (i, a)| -> Result<f64, Error> {
            let r = root(*a, i)?;
            Ok(sum * r + a)
        })?;
    Ok(total * total)
}

#[differentiable]
fn folded_by_question_marks(x: &[f64]) -> f64 {
    or_position(sum_of_roots(x), x)
}

#[differentiable]
fn sum_of_squares(x: &[f64]) -> (f64, bool) {
    let mut sum = 0.0;
    let r = x.iter().try_for_each(|a| {
        sum += a * a;
        if sum > 5.0 { None } else { Some(()) }
    });
    (sum, r.is_none())
}

#[differentiable]
fn for_each(x: &[f64]) -> f64 {
    let (sum, short) = sum_of_squares(x);
    if short { 0.5 * sum } else { sum.sin() }
}

#[differentiable]
fn positive(a: f64) -> Result<(), Error> {
    if a < 0.0 { Err(Error::Large) } else { Ok(()) }
}

#[differentiable]
fn product_of_positive(x: &[f64]) -> Result<f64, Error> {
    x.iter().try_for_each(|a| positive(*a))?;
    Ok(x.iter().product())
}

#[differentiable]
fn for_each_by_name(x: &[f64]) -> f64 {
    or_position(product_of_positive(x), x)
}

/// An error that can't be cloned.
#[derive(Debug, PartialEq)]
struct Refused(usize);

#[differentiable]
fn accepted(a: f64, i: usize) -> Result<f64, Refused> {
    if a < 0.0 {
        return Err(Refused(i));
    }
    Ok(a.sqrt())
}

#[differentiable]
fn accepted_roots(x: &[f64]) -> Result<f64, Refused> {
    let items = || x.iter().enumerate();
    let all = items()
        .map(|(i, a)| accepted(*a, i))
        .collect::<Result<Vec<_>, _>>()?;
    let folded = items().try_fold(1.0, |t, (i, a)| Ok(t * accepted(*a, i)?))?;
    Ok(folded + all.iter().sum::<f64>())
}

#[differentiable]
fn without_clones(x: &[f64]) -> f64 {
    match accepted_roots(x) {
        Ok(v) => v,
        Err(refused) => refused.0 as f64 * x[0],
    }
}

#[derive(Clone, Differentiable)]
struct Point {
    a: f64,
    b: f64,
}

#[differentiable]
fn point(a: f64, i: usize) -> Result<Point, Error> {
    let r = root(a, i)?;
    Ok(Point { a: a * a, b: r })
}

#[differentiable]
fn points(x: &[f64]) -> Result<f64, Error> {
    let points: Result<Vec<Point>, Error> =
        x.iter().enumerate().map(|(i, a)| point(*a, i)).collect();
    let points = points?;
    points.iter().try_fold(0.0, |t, p| {
        if p.b > 3.0 {
            Err(Error::Large)
        } else {
            Ok(t + p.a * p.b)
        }
    })
}

#[differentiable]
fn of_structs(x: &[f64]) -> f64 {
    or_position(points(x), x)
}

/// The same name for what the user has and for what the chain needs.
#[differentiable]
fn guarded(x: &[f64]) -> f64 {
    let error = 2.0 * x.iter().sum::<f64>();
    let items = x.len() as f64;
    let all = x
        .iter()
        .enumerate()
        .map(|(i, a)| root(*a + items, i).map(|r| r * error))
        .collect::<Result<Vec<f64>, Error>>();
    match all {
        Ok(all) => all.iter().sum(),
        Err(_) => error * items,
    }
}

/// What has no derivatives ends in the same way.
#[differentiable]
fn parsed(x: &[f64], #[constant] text: &str) -> Result<f64, std::num::ParseIntError> {
    let places: Result<Vec<usize>, _> = text.split(',').map(|p| p.parse::<usize>()).collect();
    let places = places?;
    let sum: usize = text
        .split(',')
        .map(|p| p.parse::<usize>())
        .sum::<Result<usize, _>>()?;
    let twice = text
        .split(',')
        .map(|p| p.parse::<usize>().map(|k| x[k] * 2.0))
        .collect::<Result<Vec<f64>, _>>()?;
    Ok(places.iter().map(|k| x[*k]).sum::<f64>() * sum as f64 + twice[0] * twice[1])
}

#[differentiable]
fn parsed_or_not(x: &[f64], #[constant] text: &str) -> f64 {
    parsed(x, text).unwrap_or(x[1])
}

#[test]
fn text() {
    for text in ["1,0", "1,q", "2,2,1"] {
        check!(parsed_or_not(&[0.8, 0.3, 1.5], const &*text));
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Pair(f64, f64);

#[differentiable]
impl Pair {
    fn sum(&self) -> Option<f64> {
        (self.0 > 0.0).then_some(self.0 * self.1)
    }
}

/// A method of a type of one's own has the name of the end of a chain.
#[differentiable]
fn sum_of_pair(x: &[f64], which: usize) -> Option<f64> {
    let pair = Pair(x[0], x[1]);
    match which {
        0 => pair.sum(),
        1 => x.iter().map(|v| (*v > 0.0).then_some(v * v)).sum(),
        _ => None,
    }
}

#[differentiable]
fn sums_of_pairs(x: &[f64], which: usize) -> f64 {
    sum_of_pair(x, which).unwrap_or(x[1])
}

#[test]
fn methods_named_like_ends() {
    for which in 0..3 {
        check!(sums_of_pairs(&[0.8, 0.3], const which));
        check!(sums_of_pairs(&[-0.8, 0.3], const which));
    }
}

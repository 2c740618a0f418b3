//! `jacobian` and its kin of functions whose result may not be there.

use chainrule::prelude::*;

/// Three numbers from two parameters.
#[differentiable]
fn scaled(x: &[f64], k: f64) -> Result<Vec<f64>, String> {
    if k < 0.0 {
        return Err(format!("{k} is negative"));
    }
    Ok(x.iter().map(|x| k * x * x).collect())
}

#[differentiable]
fn polar(x: f64, y: f64, #[constant] least: f64) -> Option<[f64; 2]> {
    let r = x.hypot(y);
    if r < least {
        return None;
    }
    Some([r, y.atan2(x)])
}

#[differentiable]
fn of_io(x: &[f64; 2], n: usize) -> std::io::Result<(f64, f64)> {
    if n == 0 {
        return Err(std::io::Error::other("nothing"));
    }
    Ok((x[0] * x[1], x[1].powi(2)))
}

#[derive(Clone, Debug, PartialEq)]
struct Refused(u32);

type Solved = Result<[f64; 2], Refused>;
type Or<E> = Result<f64, E>;

#[differentiable]
fn by_alias(x: &[f64]) -> Solved {
    if x.len() == 2 {
        Ok([x[0] * x[1], x[0] + x[1]])
    } else {
        Err(Refused(2))
    }
}

#[differentiable]
fn by_alias_of_errors(x: f64) -> Or<Refused> {
    if x < 0.0 { Err(Refused(0)) } else { Ok(x * x) }
}

#[differentiable]
fn generic<T: Real, const N: usize>(x: [T; N], #[constant] limit: T) -> Option<[T; N]> {
    for x in &x {
        if *x > limit {
            return None;
        }
    }
    Some(x.map(|x| x * x))
}

/// An error that borrows from an argument.
#[differentiable]
fn named<'a>(x: &[f64], #[constant] name: &'a str) -> Result<Vec<f64>, &'a str> {
    if x.is_empty() {
        return Err(name);
    }
    Ok(vec![x[0] * 2.0])
}

#[derive(Clone, Debug, Differentiable, PartialEq)]
struct Line {
    a: f64,
    b: f64,
}

#[differentiable]
impl Line {
    fn values(&self, #[constant] t: &[f64]) -> Option<Vec<f64>> {
        if t.is_empty() {
            return None;
        }
        Some(t.iter().map(|t| self.a + self.b * t).collect())
    }
}

/// A number that may be absent has both a gradient and a matrix of one row.
#[differentiable]
fn root(x: f64, y: f64) -> Result<f64, Refused> {
    if x < 0.0 {
        return Err(Refused(1));
    }
    Ok(x.sqrt() * y)
}

#[test]
fn matrices_of_values() {
    let (of_x, of_k) = scaled::jacobian(&[2.0, 3.0, 5.0], 0.5).expect("a value");
    assert_eq!((of_x.nrows(), of_x.ncols()), (3, 3));
    assert_eq!(
        of_x.as_slice(),
        [2.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 5.0]
    );
    assert_eq!(of_k.as_slice(), [4.0, 9.0, 25.0]);
    let (value, (again, _)) = scaled::value_and_jacobian(&[2.0, 3.0, 5.0], 0.5).expect("a value");
    assert_eq!((value, again), (vec![2.0, 4.5, 12.5], of_x));

    let (value, (of_x, of_y)) = polar::value_and_jacobian(3.0, 4.0, 1.0).expect("a value");
    assert_eq!(value[0], 5.0);
    assert!((of_x[(0, 0)] - 0.6).abs() < 1e-15 && (of_x[(1, 0)] + 4.0 / 25.0).abs() < 1e-15);
    assert!((of_y[(0, 0)] - 0.8).abs() < 1e-15 && (of_y[(1, 0)] - 3.0 / 25.0).abs() < 1e-15);

    let matrix = of_io::jacobian(&[2.0, 3.0], 1).expect("a value");
    assert_eq!(matrix.as_slice(), [3.0, 2.0, 0.0, 6.0]);
    let matrix = generic::jacobian([2.0_f32, 3.0], 4.0).expect("a value");
    assert_eq!(matrix.as_slice(), [4.0, 0.0, 0.0, 6.0]);
    let matrix = named::jacobian(&[1.0, 7.0], "x").expect("a value");
    assert_eq!(matrix.as_slice(), [2.0, 0.0]);
    let matrix = Line { a: 1.0, b: 2.0 }.values_jacobian(&[0.0, 3.0]);
    assert_eq!(matrix.expect("a value").as_slice(), [1.0, 0.0, 1.0, 3.0]);
    let (by_x, by_y) = root::jacobian(4.0, 2.0).expect("a value");
    assert_eq!((by_x.as_slice(), by_y.as_slice()), (&[0.5][..], &[2.0][..]));
}

#[test]
fn what_is_not_there_comes_back() {
    let negative = "-1 is negative".to_owned();
    assert_eq!(scaled::jacobian(&[2.0, 3.0], -1.0), Err(negative.clone()));
    assert_eq!(scaled::value_and_jacobian(&[2.0, 3.0], -1.0), Err(negative));
    assert_eq!(polar::jacobian(0.0, 0.5, 1.0), None);
    assert_eq!(polar::value_and_jacobian(0.0, 0.5, 1.0), None);
    let error = of_io::jacobian(&[2.0, 3.0], 0).expect_err("no value");
    assert_eq!(error.to_string(), "nothing");
    assert_eq!(generic::jacobian([2.0, 3.0], 1.0), None);
    assert_eq!(named::jacobian(&[], "x"), Err("x"));
    assert_eq!(Line { a: 1.0, b: 2.0 }.values_jacobian(&[]), None);
    assert_eq!(root::jacobian(-4.0, 2.0), Err(Refused(1)));
}

#[test]
fn aliases() {
    let matrix = by_alias::jacobian(&[2.0, 3.0]).expect("a value");
    assert_eq!(matrix.as_slice(), [3.0, 2.0, 1.0, 1.0]);
    let (value, again) = by_alias::value_and_jacobian(&[2.0, 3.0]).expect("a value");
    assert_eq!((value, again), ([6.0, 5.0], matrix));
    assert_eq!(by_alias::jacobian(&[]), Err(Refused(2)));
    assert_eq!(by_alias_of_errors::gradient(3.0), Ok(6.0));
    assert_eq!(by_alias_of_errors::value_and_gradient(3.0), Ok((9.0, 6.0)));
    assert_eq!(by_alias_of_errors::hvp(3.0, 1.0), Ok(2.0));
    assert_eq!(by_alias_of_errors::gradient(-3.0), Err(Refused(0)));
}

#[test]
fn buffers() {
    let (mut of_x, mut of_k) = ([9.0; 4], [9.0; 2]);
    let value = scaled::jacobian_into(&[2.0, 3.0], 0.5, &mut of_x, &mut of_k);
    assert_eq!(value, Ok(vec![2.0, 4.5]));
    assert_eq!((of_x, of_k), ([2.0, 0.0, 0.0, 3.0], [4.0, 9.0]));
    // Without a value the Jacobian has no shape, and nothing is written.
    let value = scaled::jacobian_into(&[2.0, 3.0], -1.0, &mut of_x, &mut of_k);
    assert!(value.is_err());
    assert_eq!((of_x, of_k), ([2.0, 0.0, 0.0, 3.0], [4.0, 9.0]));
    let (mut of_x, mut of_y) = ([9.0; 2], [9.0; 2]);
    assert_eq!(
        polar::jacobian_into(0.0, 0.5, 1.0, &mut of_x, &mut of_y),
        None
    );
    assert_eq!((of_x, of_y), ([9.0; 2], [9.0; 2]));
}

#[test]
#[should_panic(expected = "scaled: the buffer `k_jacobian` has length 3, the Jacobian 2 rows of 1")]
fn a_buffer_of_another_length() {
    let _ = scaled::jacobian_into(&[2.0, 3.0], 0.5, &mut [0.0; 4], &mut [0.0; 3]);
}

#[test]
fn closures() {
    let limit = 4.0;
    let squares = chainrule::closure!(|x: &[f64]| -> Option<Vec<f64>> {
        if x[0] > limit {
            return None;
        }
        Some(x.iter().map(|x| x * x).collect())
    });
    let matrix = squares.jacobian(&[2.0, 3.0]).expect("a value");
    assert_eq!(matrix.as_slice(), [4.0, 0.0, 0.0, 6.0]);
    assert_eq!(squares.jacobian(&[5.0, 3.0]), None);
    assert_eq!(squares.value_and_jacobian(&[5.0, 3.0]), None);
}

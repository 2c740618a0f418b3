//! Functions that use several mechanisms at once: names that shadow, `#[cfg]` in inlined bodies, exits from loops over borrowing methods, lists
//! that are assigned from their own parts, buffers that swap and change their shapes.

use chainrule::prelude::*;

use crate::check::check;

mod imported {
    pub(super) static WEIGHTS: [f64; 2] = [1.0, 2.0];
}

static WEIGHTS: [f64; 2] = [3.0, 4.0];

/// The import shadows the file's static variable.
#[differentiable]
fn shadowed_static(x: f64) -> f64 {
    use imported::WEIGHTS;
    WEIGHTS.iter().map(|w| w * x).sum::<f64>() + WEIGHTS[0] * x
}

#[differentiable]
fn static_of_the_file(x: f64) -> f64 {
    WEIGHTS.iter().map(|w| w * x * x).sum::<f64>()
}

#[derive(Clone, Debug, Differentiable)]
struct Table {
    entries: Vec<f64>,
    width: usize,
}

#[differentiable]
impl Table {
    fn parts(&self) -> impl Iterator<Item = &[f64]> + '_ {
        #[cfg(any())]
        let width = 1;
        #[cfg(not(any()))]
        let width = self.width;
        self.entries.chunks(width)
    }

    fn scaled(&self, k: f64) -> impl Iterator<Item = f64> + '_ {
        let k = k * k;
        self.entries.iter().map(move |v| v * k)
    }

    fn first_above(&self, k: f64) -> Result<f64, String> {
        for part in self.parts() {
            if part[0] > k {
                return Ok(part[0] * k);
            }
            if part[0] < 0.0 {
                return Err(String::from("negative"));
            }
        }
        Err(String::from("none"))
    }
}

#[differentiable]
fn by_methods(entries: &[f64], x: f64) -> f64 {
    let table = Table {
        entries: entries.to_vec(),
        width: 2,
    };
    let k = x + 1.0;
    table.parts().map(|p| p[0] * p[p.len() - 1]).sum::<f64>() * x
        + table.scaled(k).map(|v| v * k).sum::<f64>()
        + table.first_above(k).unwrap_or(7.0)
}

#[differentiable]
fn assigned_from_its_parts(x: f64) -> f64 {
    let mut v = vec![x, x * x];
    v = [&v[1..], &v[..], &[x * 3.0]].concat();
    v[0] = v[1] * v[0];
    v.iter()
        .enumerate()
        .map(|(i, a)| a * (i as f64 + 1.0))
        .sum()
}

#[differentiable]
fn swapped_and_reshaped(start: &[f64], n: usize) -> f64 {
    let mut u = start.chunks(2).map(|row| row.to_vec()).collect::<Vec<_>>();
    let mut v = u.clone();
    for k in 0..n {
        for i in 0..u.len() {
            if u[i][0] > 5.0 {
                break;
            }
            v[i][0] = u[i][0] * u[i][1];
        }
        std::mem::swap(&mut u, &mut v);
        if k == 1 {
            v = vec![vec![u[0][0]; 3]; u.len()];
        }
    }
    u[0][0] * v[1][1]
}

/// Nothing that the result depends on goes through the list, whose length changes.
#[differentiable]
#[inline(never)]
fn grown_for_nothing(x: f64, mut v: Vec<f64>, k: usize) -> f64 {
    v.push(x.abs());
    v.extend_from_within(..1);
    if k == 1 {
        v.clear();
    }
    x * x * v.len() as f64
}

#[differentiable]
#[inline(never)]
fn grown_and_left(x: f64, mut v: Vec<f64>, k: usize) -> Option<f64> {
    v.extend_from_within(..1);
    let y = v.get(k).copied()?;
    v.truncate(1);
    Some(x.sin() * y)
}

#[differentiable]
fn hands_over_lists(x: &[f64], k: usize) -> f64 {
    let grown = grown_for_nothing(x[0], x.to_vec(), k);
    grown * x[1] + grown_and_left(x[1], x.to_vec(), k * 2).unwrap_or(0.3)
}

#[derive(Clone, Debug, Differentiable)]
enum Input {
    Measured(f64),
    Missing,
}

/// The payload has the name of the parameter in one arm, and not in the other.
#[differentiable]
fn shadowed_payload(input: &Input, x: f64) -> f64 {
    match input {
        Input::Measured(x) if *x > 1.0 => x * x,
        Input::Measured(y) => y * x,
        Input::Missing => x * x * x,
    }
}

#[differentiable]
fn matched(is_measured: bool, value: f64, x: f64) -> f64 {
    let input = if is_measured {
        Input::Measured(value)
    } else {
        Input::Missing
    };
    shadowed_payload(&input, x)
}

#[test]
fn names_that_shadow() {
    check!(shadowed_static(1.3)).assert_gradient(&[4.0]);
    check!(static_of_the_file(1.5)).assert_gradient(&[21.0]);
    check!(matched(const true, 2.0, 0.7)).assert_gradient(&[4.0, 0.0]);
    check!(matched(const true, 0.5, 0.7)).assert_gradient(&[0.7, 0.5]);
    check!(matched(const false, 2.0, 0.5)).assert_gradient(&[0.0, 0.75]);
}

#[test]
fn methods_with_attributes_and_exits() {
    for first in [4.0, 0.5, -1.0] {
        check!(by_methods(&[first, 2.5, 3.5, 4.0, 0.3], 2.0));
        check!(by_methods(&[first, 2.5, 3.5, 4.0, 0.3], 0.3));
    }
}

#[test]
fn lists_from_their_own_parts() {
    check!(assigned_from_its_parts(1.2));
    for n in 0..5 {
        check!(swapped_and_reshaped(&[1.5, 2.0, 0.5, 3.0], const n));
        check!(swapped_and_reshaped(&[0.5, 1.2, 0.5, 3.0], const n));
    }
}

#[test]
fn lists_that_grow_for_nothing() {
    for k in 0..3 {
        check!(grown_for_nothing(1.3, vec![0.4, 0.7], const k));
        check!(hands_over_lists(&[0.5, 0.6, 0.7], const k));
    }
    let (_, (_, v)) = grown_for_nothing::value_and_gradient(1.3, vec![0.4, 0.7], 0);
    assert_eq!(v, [0.0, 0.0]);
}

//! The checker finds what is wrong: a right program agrees, and one with a single wrong rule, wrong in a single way, doesn't.
//!
//! The rules are made from numbers of the oracle, so that nothing of the compiler is in this.

use hunt::check::{Outcome, Program, check};
use hunt::number::{self, Number};
use hunt::oracle::{D, broken};

type Entry = fn(&[D], &mut [D], D, &[D], usize) -> D;

fn right(x: &[D], y: &mut [D], s: D, c: &[D], n: usize) -> D {
    y[n % 4] -= (x[0] * s.tanh() + c[1]).sin();
    let r = y[0] / (D::c(1.5) + x[1] * x[1]) + (x[2] * x[3] * s).exp();
    y[2] *= r;
    r + y.iter().sum::<D>()
}

/// Wrong in the derivative of `tanh`, which goes through a store, another function, and a sum.
fn tanh(x: &[D], y: &mut [D], s: D, c: &[D], n: usize) -> D {
    broken("tanh", || right(x, y, s, c, n))
}

fn division(x: &[D], y: &mut [D], s: D, c: &[D], n: usize) -> D {
    broken("div", || right(x, y, s, c, n))
}

/// A derivative that is lost, of one input.
fn lost(x: &[D], y: &mut [D], s: D, c: &[D], n: usize) -> D {
    let mut x = x.to_vec();
    x[3] = x[3].stop();
    right(&x, y, s, c, n)
}

/// Wrong in what is left in an argument alone.
fn left(x: &[D], y: &mut [D], s: D, c: &[D], n: usize) -> D {
    let r = right(x, y, s, c, n);
    y[2].u *= 1.001;
    y[2].v *= 1.001;
    r
}

/// Wrong in the second derivative alone.
fn second(x: &[D], y: &mut [D], s: D, c: &[D], n: usize) -> D {
    let r = right(x, y, s, c, n);
    D {
        uv: r.uv * 1.001,
        ..r
    }
}

/// The numbers of a point, with derivatives.
fn dual(x: &[f64], u: &[f64], v: &[f64]) -> Vec<D> {
    let directions = u.iter().zip(v);
    let numbers = x.iter().zip(directions);
    numbers
        .map(|(x, (u, v))| D {
            x: *x,
            u: *u,
            v: *v,
            uv: 0.0,
        })
        .collect()
}

/// A direction along one of the inputs: `x`, then `y`, then `s`.
fn unit(k: usize, n: usize) -> Vec<f64> {
    (0..n).map(|i| if i == k { 1.0 } else { 0.0 }).collect()
}

/// Result and `y`, with derivatives along two directions.
fn outputs(
    f: Entry,
    (x, y, s, c, n): (&[f64], &[f64], f64, &[f64], usize),
    u: &[f64],
    v: &[f64],
) -> Vec<D> {
    let input = dual(&[x, y, &[s]].concat(), u, v);
    let c: Vec<D> = c.iter().map(|c| D::c(*c)).collect();
    let mut y_left = input[x.len()..x.len() + y.len()].to_vec();
    let r = f(
        &input[..x.len()],
        &mut y_left,
        input[input.len() - 1],
        &c,
        n,
    );
    let mut all = vec![r];
    all.extend(y_left);
    all
}

/// The program whose rules are made from `$frule`, `$rrule`, `$gradient` and `$hvp`, and whose oracle is [`right`].
macro_rules! program {
    ($frule:ident, $rrule:ident, $gradient:ident, $hvp:ident) => {
        Program {
            primal: |x, y, s, c, n| {
                let m = x.len() + y.len() + 1;
                let zero = vec![0.0; m];
                let out = outputs(right, (x, y, s, c, n), &zero, &zero);
                y.iter_mut().zip(&out[1..]).for_each(|(y, d)| *y = d.x);
                out[0].x
            },
            oracle: right,
            frule: |x, x_dot, y, y_dot, s, s_dot, c, n| {
                let u = [x_dot, &*y_dot, &[s_dot]].concat();
                let out = outputs($frule, (x, y, s, c, n), &u, &u);
                y.iter_mut().zip(&out[1..]).for_each(|(y, d)| *y = d.x);
                y_dot.iter_mut().zip(&out[1..]).for_each(|(y, d)| *y = d.u);
                (out[0].x, out[0].u)
            },
            rrule: |x, x_bar, y, y_bar, s, c, n, r_bar, y_final| {
                let m = x.len() + y.len() + 1;
                let seeds = [&[r_bar], &*y_bar].concat();
                let mut bars = Vec::new();
                let mut value = 0.0;
                for k in 0..m {
                    let out = outputs($rrule, (x, y, s, c, n), &unit(k, m), &unit(k, m));
                    bars.push(
                        out.iter()
                            .zip(&seeds)
                            .map(|(d, seed)| d.u * seed)
                            .sum::<f64>(),
                    );
                    value = out[0].x;
                    *y_final = out[1..].iter().map(|d| d.x).collect();
                }
                x_bar.iter_mut().zip(&bars).for_each(|(x, b)| *x += b);
                y_bar.copy_from_slice(&bars[x.len()..m - 1]);
                (value, bars[m - 1])
            },
            gradient: |x, y, s, c, n| {
                let m = x.len() + y.len() + 1;
                let along = |k| outputs($gradient, (x, y, s, c, n), &unit(k, m), &unit(k, m))[0];
                let bars: Vec<f64> = (0..m).map(|k| along(k).u).collect();
                let (x_bar, y_bar) = bars[..m - 1].split_at(x.len());
                (along(0).x, (x_bar.to_vec(), y_bar.to_vec(), bars[m - 1]))
            },
            hvp: Some(|x, y, s, c, n, x_dot, y_dot, s_dot| {
                let m = x.len() + y.len() + 1;
                let v = [x_dot, &*y_dot, &[s_dot]].concat();
                let along = |k| outputs($hvp, (x, y, s, c, n), &unit(k, m), &v)[0].uv;
                let bars: Vec<f64> = (0..m).map(along).collect();
                let (x_bar, y_bar) = bars[..m - 1].split_at(x.len());
                (x_bar.to_vec(), y_bar.to_vec(), bars[m - 1])
            }),
            captured: None,
            drivers: false,
        }
    };
}

const RIGHT: Program = program!(right, right, right, right);

fn outcome(program: &Program, seed: u64) -> Outcome {
    check(program, seed, &mut Vec::new())
}

fn found(program: &Program, rule: &str) {
    for seed in 1..6 {
        let outcome = outcome(program, seed);
        assert!(
            matches!(&outcome, Outcome::Mismatch(what) if what.starts_with(rule)),
            "{rule}: {outcome:?}"
        );
    }
}

#[test]
fn right_rules_agree_and_every_operation_would_be_missed() {
    for seed in 1..6 {
        let Outcome::Agrees(seen) = outcome(&RIGHT, seed) else {
            panic!("{:?}", outcome(&RIGHT, seed));
        };
        assert!(seen.differences);
        assert_eq!(
            seen.used.iter().copied().collect::<Vec<_>>(),
            ["div", "exp", "mul", "sin", "tanh"]
        );
        assert!(seen.blind.is_empty(), "{seen:?}");
    }
}

#[test]
fn wrong_partials_are_found_in_each_mode() {
    found(&program!(tanh, right, right, right), "frule");
    found(&program!(right, tanh, right, right), "rrule");
    found(&program!(right, right, tanh, right), "value_and_gradient");
    found(&program!(right, right, right, tanh), "hvp");
    found(&program!(division, right, right, right), "frule");
    found(&program!(right, division, right, right), "rrule");
    found(
        &program!(right, right, division, right),
        "value_and_gradient",
    );
    found(&program!(right, right, right, division), "hvp");
}

#[test]
fn lost_derivatives_are_found_in_each_mode() {
    found(&program!(lost, right, right, right), "frule");
    found(&program!(right, lost, right, right), "rrule");
    found(&program!(right, right, lost, right), "value_and_gradient");
    found(&program!(right, right, right, lost), "hvp");
}

#[test]
fn what_is_left_in_arguments_is_compared() {
    found(
        &program!(left, right, right, right),
        "frule, the tangent of y[2]",
    );
    found(&program!(right, left, right, right), "rrule");
}

#[test]
fn second_derivatives_are_compared() {
    found(&program!(right, right, right, second), "hvp");
}

#[test]
fn arguments_have_to_be_put_back_and_shadows_added_to() {
    let overwritten = Program {
        rrule: |x, x_bar, y, y_bar, s, c, n, r_bar, y_final| {
            x_bar.fill(0.0);
            (RIGHT.rrule)(x, x_bar, y, y_bar, s, c, n, r_bar, y_final)
        },
        ..RIGHT
    };
    found(&overwritten, "rrule, <x_bar, x_dot>");
    let left_behind = Program {
        rrule: |x, x_bar, y, y_bar, s, c, n, r_bar, y_final| {
            let result = (RIGHT.rrule)(x, x_bar, y, y_bar, s, c, n, r_bar, y_final);
            y[1] += 1e-9;
            result
        },
        ..RIGHT
    };
    found(&left_behind, "rrule, y after the pullback");
}

/// A value that reaches no output: whatever is wrong with it isn't seen, and the checker says so.
#[test]
fn blindness_is_reported() {
    fn unseen(x: &[D], y: &mut [D], s: D, c: &[D], n: usize) -> D {
        let _ = s.cosh();
        right(x, y, s, c, n)
    }
    let program = Program {
        oracle: unseen,
        ..RIGHT
    };
    let Outcome::Agrees(seen) = outcome(&program, 1) else {
        panic!("it agrees");
    };
    assert_eq!(seen.blind.iter().copied().collect::<Vec<_>>(), ["cosh"]);
}

/// A closure whose derivatives are those of the oracle, wrong on purpose by `$operation`, has to be found out.
macro_rules! captured {
    ($operation:literal) => {
        Program {
            captured: Some((
                |x, s, c, n, x_dot| {
                    let along = |u: &[f64]| {
                        broken($operation, || {
                            let c: Vec<D> = c.iter().map(|c| D::c(*c)).collect();
                            body(&dual(x, u, x_dot), D::c(s), &c, n)
                        })
                    };
                    let m = x.len();
                    let all: Vec<D> = (0..m).map(|k| along(&unit(k, m))).collect();
                    let gradient = all.iter().map(|d| d.u).collect();
                    (all[0].x, gradient, all.iter().map(|d| d.uv).collect())
                },
                body,
            )),
            ..RIGHT
        }
    };
}

fn body(x: &[D], s: D, c: &[D], n: usize) -> D {
    (x[n] * s).atan() * x[0] + c[1] * x[1]
}

#[test]
fn derivatives_of_closures_are_compared() {
    found(&captured!("atan"), "closure!");
    assert!(matches!(outcome(&captured!("none"), 1), Outcome::Agrees(_)));
}

/// The drivers of the oracle, against what is known of `a³b + sin(ab)`.
#[test]
fn derivatives_inside_of_others_have_derivatives() {
    fn f<T: Number>(a: T, b: T) -> T {
        a * a * a * b + (a * b).sin()
    }
    let (a, b) = (0.7, -1.3);
    let along = |x: f64, u: f64, v: f64| D { x, u, v, uv: 0.0 };
    let (by_a, by_b) = number::gradient(f)(along(a, 1.0, 0.0), along(b, 0.0, 1.0));
    let (sin, cos) = (a * b).sin_cos();
    let close = |got: f64, want: f64| assert!((got - want).abs() < 1e-14, "{got} {want}");
    close(by_a.x, 3.0 * a * a * b + b * cos);
    close(by_a.u, 6.0 * a * b - b * b * sin);
    close(by_a.v, 3.0 * a * a + cos - a * b * sin);
    // Of third order.
    close(by_a.uv, 6.0 * a - 2.0 * b * sin - a * b * b * cos);
    close(by_b.u, by_a.v);
    close(by_b.v, -a * a * sin);
    let (value, slope) = number::jvp(f, f)(D::c(a), D::c(b), D::c(2.0), D::c(0.5));
    close(value.x, a * a * a * b + sin);
    close(slope.x, 2.0 * by_a.x + 0.5 * by_b.x);
    // A comparison looks at values alone.
    let kink = |x, y| if x > y { y } else { x };
    let (left, right) = number::gradient(kink)(D::c(0.5), D::c(0.5));
    assert_eq!((left.x, right.x), (1.0, 0.0));
}

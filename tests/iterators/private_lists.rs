//! Scratch lists: what a trip of a loop fills before it reads it is private to the trip; what only looks like that isn't.

use chainrule::prelude::*;

use crate::check::{irregular, map_table, table};

#[differentiable]
fn filled_by_each_trip(x: &[f64], w: &[f64]) -> f64 {
    let n = w.len();
    let mut z = vec![0.0; n];
    let mut total = 0.0;
    for p in 0..x.len() / n {
        for i in 0..n {
            z[i] = (x[p * n + i] - w[i]).sin();
        }
        for i in 1..n {
            z[i] = z[i] * z[i - 1] + w[i];
        }
        for i in 0..n {
            total += z[i] * z[i] * z[0];
        }
    }
    total
}

/// Both are filled, one of them from the other one, and one backwards.
#[differentiable]
fn one_from_the_other(x: &[f64], w: &[f64]) -> f64 {
    let n = w.len();
    let mut a = vec![1.0; n];
    let mut b = vec![2.0; n];
    let mut total = 0.0;
    for x in x.chunks_exact(n) {
        for i in (0..n).rev() {
            a[i] = x[i] * w[i];
        }
        for (b, a) in b.iter_mut().zip(&a) {
            *b = a * a;
        }
        total += a.iter().zip(&b).map(|(a, b)| a * b).sum::<f64>();
    }
    total
}

/// The first element is from the trip before.
#[differentiable]
fn all_but_one(x: &[f64], w: &[f64]) -> f64 {
    let n = w.len();
    let mut z = vec![1.5; n];
    let mut total = 0.0;
    for p in 0..x.len() / n {
        for i in 1..n {
            z[i] = x[p * n + i] * w[i] * z[0];
        }
        total += z[n - 1] * z[n - 1];
        z[0] = z[n - 1] * 0.5;
    }
    total
}

/// The last element is from the trip before.
#[differentiable]
fn all_but_the_end(x: &[f64], w: &[f64]) -> f64 {
    let n = w.len();
    let mut z = vec![1.5; n];
    let mut total = 0.0;
    for p in 0..x.len() / n {
        for i in 0..n - 1 {
            z[i] = x[p * n + i] * w[i];
        }
        for i in 0..n {
            total += z[i] * z[i];
        }
        z[n - 1] = x[p * n] * w[n - 1];
    }
    total
}

/// What follows the break is from the trips before.
#[differentiable]
fn stored_before_a_break(x: &[f64]) -> f64 {
    let n = x.len();
    let mut z = vec![0.5; n];
    let mut total = 0.0;
    for p in 0..3 {
        for i in 0..n {
            z[i] = x[i] * x[i] * (p + 1) as f64;
            if z[i] > 1.5 {
                break;
            }
        }
        for i in 0..n {
            total += z[i] * z[i];
        }
    }
    total
}

/// The last element is what the list was made with.
#[differentiable]
fn all_but_the_last(x: &[f64]) -> f64 {
    let n = 3;
    let mut z = vec![0.7; n];
    let mut total = 0.0;
    for v in x {
        for i in 0..n - 1 {
            z[i] = v * v * (i + 1) as f64;
        }
        total += z[0] * z[1] * z[2];
    }
    total
}

#[differentiable]
fn filled_in_some_trips(x: &[f64]) -> f64 {
    let mut z = vec![0.5; 2];
    let mut total = 0.0;
    for (p, v) in x.iter().enumerate() {
        if p % 2 == 0 {
            for i in 0..2 {
                z[i] = v * v + i as f64;
            }
        }
        total += z[0] * z[1] * v;
    }
    total
}

#[differentiable]
fn filled_up_to_a_break(x: &[f64]) -> f64 {
    let n = x.len();
    let mut z = vec![0.5; n];
    let mut total = 0.0;
    for p in 0..3 {
        for i in 0..n {
            if i + p > 3 {
                break;
            }
            z[i] = x[i] * x[i] * (p + 1) as f64;
        }
        for i in 0..n {
            total += z[i] * z[i];
        }
    }
    total
}

#[differentiable]
fn read_after_the_loop(x: &[f64]) -> f64 {
    let n = 2;
    let mut z = vec![0.25; n];
    let mut total = 0.0;
    for v in x {
        for i in 0..n {
            z[i] = v * (i + 1) as f64;
        }
        total += z[0] * z[1];
    }
    total * z[0] + z[1] * z[1]
}

#[differentiable]
fn filled_twice(x: &[f64], w: &[f64]) -> f64 {
    let n = w.len();
    let mut z = vec![0.0; n];
    let mut total = 0.0;
    for v in x {
        for i in 0..n {
            z[i] = v * w[i];
        }
        let s: f64 = z.iter().map(|z| z * z).sum();
        for i in 0..n {
            z[i] = s.sqrt() * w[i];
        }
        total += z.iter().map(|z| z.sin()).sum::<f64>() * s;
    }
    total
}

#[differentiable]
fn in_loops_of_loops(x: &[f64], w: &[f64]) -> f64 {
    let n = w.len();
    let mut row = vec![0.0; n];
    let mut sums = vec![0.0; n];
    let mut total = 0.0;
    for u in x {
        for j in 0..n {
            for i in 0..n {
                row[i] = u * w[i] + w[j];
            }
            sums[j] = 0.0;
            for i in 0..n {
                sums[j] += row[i] * row[i] * w[j];
            }
        }
        for j in 0..n {
            total += sums[j] * sums[j] * 0.1;
        }
    }
    total
}

#[differentiable]
fn by_while(x: &[f64], w: &[f64]) -> f64 {
    let n = w.len();
    let mut z = vec![0.0; n];
    let mut state = 1.0;
    let mut p = 0;
    while p < x.len() && state < 50.0 {
        for i in 0..n {
            z[i] = state * w[i] + x[p];
        }
        for i in 0..n {
            state += 0.1 * z[i] * z[i];
        }
        p += 1;
    }
    state
}

#[differentiable]
fn scale(w: &[f64], by: f64, z: &mut [f64]) {
    for i in 0..z.len() {
        z[i] = w[i] * by;
    }
}

#[differentiable]
fn by_a_helper(x: &[f64], w: &[f64]) -> f64 {
    let mut z = vec![0.0; w.len()];
    let mut total = 0.0;
    for v in x {
        scale(w, v * v, &mut z);
        total += z.iter().map(|z| z * z * z).sum::<f64>();
    }
    total
}

/// The list that grows has another length in each trip.
#[differentiable]
fn grows(x: &[f64]) -> f64 {
    let n = 2;
    let mut z = vec![0.5; n];
    let mut total = 0.0;
    for v in x {
        for i in 0..n {
            z[i] = v * v;
        }
        z.push(*v);
        total += z.len() as f64 * z.iter().sum::<f64>();
    }
    total
}

#[differentiable]
fn exchanged(x: &[f64]) -> f64 {
    let n = 2;
    let mut old = vec![1.0; n];
    let mut new = vec![0.0; n];
    let mut total = 0.0;
    for v in x {
        for i in 0..n {
            new[i] = old[n - 1 - i] * v + 0.1;
        }
        std::mem::swap(&mut old, &mut new);
        total += old[0] * old[1];
    }
    total
}

/// Lists of the same length in all trips, and of other lengths.
#[differentiable]
fn declared_inside(x: &[f64], w: &[f64]) -> f64 {
    let n = w.len();
    let mut total = 0.0;
    for (p, x) in x.chunks(n).enumerate() {
        let mut counts = vec![0.0; n];
        let mut some = vec![1.0; p + 1];
        for i in 0..x.len() {
            counts[i] += x[i] * w[i];
            counts[n - 1] += x[i];
        }
        some[p] = counts[0] * counts[n - 1];
        total += some.iter().sum::<f64>() * counts.iter().map(|c| c * c).sum::<f64>();
    }
    total
}

/// The length of a list is the counter of the loop around it.
#[differentiable]
fn as_long_as_a_counter(x: &[f64]) -> f64 {
    let mut total = 0.0;
    for v in x {
        for n in 1..4 {
            for w in x {
                let mut powers = vec![0.0; n];
                for i in 0..n {
                    powers[i] = v * w * i as f64 + v;
                }
                total += powers.iter().map(|p| p * p).sum::<f64>() + powers[n - 1];
            }
        }
    }
    total
}

/// Quotients of a loop that has no trips, with a divisor of zero.
#[differentiable]
fn never_divided(x: &[f64], d: usize) -> f64 {
    let mut total = x[0] * x[0];
    for k in 0..d {
        for j in 0..x.len() / d {
            total += x[j * d + k].sin();
        }
        total *= (x.len() % d + 1) as f64;
    }
    total
}

#[differentiable]
fn collected_inside(x: &[f64], w: &[f64]) -> f64 {
    let mut total = 0.0;
    for x in x.chunks(w.len()) {
        let d: Vec<f64> = x.iter().zip(w).map(|(x, w)| x - w).collect();
        let mut e: Vec<f64> = d.iter().map(|d| d * d).collect();
        for i in 1..e.len() {
            e[i] += e[i - 1] * d[i];
        }
        let d = e.iter().map(|e| e.sin()).collect::<Vec<f64>>();
        total += d.iter().sum::<f64>() * d.len() as f64;
    }
    total
}

/// A list of a length that no trip could have.
#[differentiable]
fn never_made(x: &[f64], n: usize) -> f64 {
    let mut total = 0.0;
    let trips = if n > 1000 { 0 } else { 2 };
    for p in 0..trips {
        let mut z = vec![0.0; n];
        for i in 0..n {
            z[i] = x[0] * x[1] + p as f64;
        }
        total += z.iter().map(|z| z * z).sum::<f64>();
    }
    total + x[0]
}

#[differentiable]
fn lengths(x: &[f64], n: usize) -> f64 {
    let mut a = vec![x[0]; n];
    let before = a.len();
    a.push(x[1]);
    a.truncate(n + 1);
    let mut b = vec![x[1] * x[0]; n + 2];
    let part = &b[1..1 + n];
    let inner = part.len() as f64 * part.iter().sum::<f64>();
    std::mem::swap(&mut a, &mut b);
    let c = vec![x[0].sin(); n + 4];
    b = c;
    (before * 1000 + a.len() * 100 + b.len() * 10) as f64 * x[0] + inner + b[n] * a[n]
}

/// An exit leaves the function, with a part of the list filled.
#[differentiable]
fn left_early(x: &[f64], w: &[f64]) -> f64 {
    let n = w.len();
    let mut z = vec![0.0; n];
    let mut total = 0.0;
    for v in x {
        for i in 0..n {
            z[i] = w[i] * v;
            if z[i] > 3.0 {
                return total + z[i] * z[0];
            }
        }
        total += z.iter().product::<f64>();
    }
    total
}

/// Exponentials, which the reverse half reads from the list.
#[differentiable]
fn stays(x: &[f64]) -> f64 {
    let n = x.len();
    let mut e = vec![0.0; n];
    let mut total = 0.0;
    for i in 0..n {
        e[i] = x[i].exp();
    }
    for i in 0..n {
        total += e[i] * e[n - 1 - i] * x[i];
    }
    total
}

#[differentiable]
fn overwritten_afterwards(x: &[f64]) -> f64 {
    let n = x.len();
    let mut e = vec![0.0; n];
    let mut total = 0.0;
    for i in 0..n {
        e[i] = x[i].exp();
        total += e[i] * x[i];
    }
    for i in 0..n {
        e[i] = total * x[i];
    }
    e.iter().sum::<f64>() + total
}

#[differentiable]
fn overwritten_by_another_trip(x: &[f64]) -> f64 {
    let n = x.len();
    let mut e = vec![0.0; n + 1];
    let mut total = 0.0;
    for i in 0..n {
        e[i + 1] = (x[i] + e[i]).sin();
        total += e[i + 1] * x[i];
        e[i] = 0.5 * x[i];
    }
    for i in 1..=n {
        e[i] = x[i - 1].exp();
        total += e[i] * x[0];
        e[i - 1] = 0.1;
    }
    for i in 0..n {
        e[i] = x[i].exp();
        total += e[i] * x[0];
        e[0] = 0.1;
    }
    total * e[n]
}

#[differentiable]
fn overwritten_by_the_next_round(x: &[f64]) -> f64 {
    let n = x.len();
    let mut e = vec![0.3; n];
    let mut total = 0.0;
    for p in 0..3 {
        for i in 0..n {
            e[i] = (x[i] * (p + 1) as f64 + 0.1 * e[i]).sin();
        }
        total += e[0] * e[n - 1] * total.cos();
    }
    total
}

#[differentiable]
fn exchanged_afterwards(x: &[f64]) -> f64 {
    let n = x.len();
    let mut a = vec![0.0; n];
    let mut b = vec![1.0; n];
    let mut total = 0.0;
    for i in 0..n {
        a[i] = x[i].exp();
        total += a[i] * a[i];
    }
    std::mem::swap(&mut a, &mut b);
    b[0] *= 2.0;
    for i in 0..n {
        a[i] = b[i].sin();
    }
    a.reverse();
    total * a[0] + b[0]
}

#[differentiable]
fn returned(x: &[f64]) -> Vec<f64> {
    let mut e = vec![0.0; x.len()];
    for i in 0..x.len() {
        e[i] = x[i].exp();
    }
    e
}

#[differentiable]
fn written_out(x: &[f64], y: &mut [f64]) {
    for i in 0..y.len() {
        y[i] = x[i].exp() * 0.5;
    }
}

#[differentiable]
fn written_out_twice(x: &[f64]) -> f64 {
    let mut y = vec![0.0; x.len()];
    written_out(x, &mut y);
    let first: f64 = y.iter().map(|y| y * y).sum();
    y[0] = first;
    written_out(&[first], &mut y[..1]);
    y.iter().sum::<f64>() * first
}

map_table! {
    returned: (&irregular(4, 0.3));
    written_out: (&irregular(4, 0.3), &mut [0.1, 0.7, 1.3]);
}

table! {
    stays: (&irregular(5, 0.3));
    overwritten_afterwards: (&irregular(5, 0.3));
    overwritten_by_another_trip: (&irregular(5, 0.3));
    overwritten_by_the_next_round: (&irregular(5, 0.3));
    exchanged_afterwards: (&irregular(5, 0.3));
    written_out_twice: (&irregular(4, 0.3));
    filled_by_each_trip: (&irregular(6, 0.3), &[0.4, 1.1]), (&irregular(9, 0.2), &[0.3, 0.9, 1.4]), (&[], &[0.5]);
    one_from_the_other: (&irregular(6, 0.3), &[0.4, 1.1]), (&irregular(5, 0.1), &[0.3, 0.9, 1.4]);
    all_but_one: (&irregular(6, 0.3), &[0.4, 1.1]), (&irregular(9, 0.2), &[0.3, 0.9, 1.4]);
    all_but_the_end: (&irregular(6, 0.3), &[0.4, 1.1]), (&irregular(9, 0.2), &[0.3, 0.9, 1.4]);
    stored_before_a_break: (&irregular(5, 0.4)), (&[0.3, 0.6, 0.8, 1.1]);
    all_but_the_last: (&irregular(4, 0.3));
    filled_in_some_trips: (&irregular(5, 0.4));
    filled_up_to_a_break: (&irregular(5, 0.4)), (&[0.3]);
    read_after_the_loop: (&irregular(4, 0.3)), (&[0.8]);
    filled_twice: (&irregular(3, 0.3), &[0.4, 1.1]);
    in_loops_of_loops: (&irregular(3, 0.3), &[0.4, 1.1, 0.7]), (&[0.3], &[0.2]);
    by_while: (&irregular(4, 0.3), &[0.4, 1.1]), (&irregular(6, 2.0), &[0.9, 1.6]);
    by_a_helper: (&irregular(4, 0.3), &[0.4, 1.1, 0.6]);
    grows: (&irregular(4, 0.3));
    exchanged: (&irregular(4, 0.3));
    declared_inside: (&irregular(6, 0.3), &[0.4, 1.1]), (&irregular(5, 0.3), &[0.4, 1.1]);
    as_long_as_a_counter: (&irregular(3, 0.3));
    never_divided: (&irregular(6, 0.3), const 2), (&irregular(7, 0.3), const 3), (&[0.5], const 0) => [1.0];
    collected_inside: (&irregular(6, 0.3), &[0.4, 1.1]), (&irregular(5, 0.3), &[0.4, 1.1]);
    never_made: (&[0.3, 1.2], const 3), (&[0.3, 1.2], const usize::MAX) => [1.0, 0.0];
    lengths: for n in 1..4, (&[0.3, 1.2], const n);
    left_early: (&irregular(4, 0.3), &[0.4, 1.1]), (&irregular(4, 2.0), &[0.4, 2.1]);
}

/// Lists in fields: the reverse half may run through them in any order, or only backwards.
mod in_fields {
    use super::*;

    #[derive(Clone, Differentiable)]
    struct Grid {
        n: usize,
        u: Vec<f64>,
        v: Vec<f64>,
    }

    #[differentiable]
    fn own_elements(x: &[f64]) -> f64 {
        let mut g = Grid {
            n: x.len(),
            u: x.to_vec(),
            v: vec![1.0; x.len()],
        };
        for i in 0..g.n {
            g.v[i] = g.u[i] * g.u[i] + x[0];
            g.u[i] = g.v[i].sin();
        }
        for i in 0..g.n {
            g.v[i] *= g.u[i];
        }
        g.v.iter().sum::<f64>() * g.u[0]
    }

    #[differentiable]
    fn from_the_element_before(x: &[f64]) -> f64 {
        let mut g = Grid {
            n: x.len(),
            u: x.to_vec(),
            v: vec![1.0; x.len()],
        };
        for i in 1..g.n {
            g.u[i] = g.u[i - 1] * x[i];
            g.v[i] = g.v[i - 1] + g.u[i] * g.v[i];
        }
        g.u[g.n - 1] * g.v[g.n - 1]
    }

    #[differentiable]
    fn one_element_again_and_again(x: &[f64]) -> f64 {
        let mut g = Grid {
            n: x.len(),
            u: x.to_vec(),
            v: vec![1.0; x.len()],
        };
        for i in 0..g.n {
            g.v[0] = g.v[0] * g.u[i] + 0.1;
            g.u[i] = g.v[0] * x[i];
            g.v[i / 2] = g.u[i];
        }
        g.v.iter().zip(&g.u).map(|(u, v)| u * v).sum()
    }

    #[differentiable]
    fn an_element_for_two_trips(x: &[f64], steps: usize) -> f64 {
        let mut g = Grid {
            n: x.len(),
            u: x.to_vec(),
            v: vec![1.0; x.len()],
        };
        for _ in 0..steps {
            let old = g.clone();
            for i in 0..g.n {
                g.v[i / 2] = old.u[i] * old.u[i];
            }
        }
        g.v.iter().zip(&g.u).map(|(u, v)| u * v).sum()
    }

    #[differentiable]
    fn stepped(x: &[f64], steps: usize) -> f64 {
        let mut g = Grid {
            n: x.len(),
            u: x.to_vec(),
            v: vec![1.0; x.len()],
        };
        for _ in 0..steps {
            let mut next = g.clone();
            for i in 1..g.n - 1 {
                next.u[i] = g.u[i] + 0.3 * (g.u[i - 1] - 2.0 * g.u[i] * g.v[i] + g.u[i + 1]);
                next.v[i] = g.v[i] * next.u[i];
            }
            g = next;
        }
        g.u.iter().zip(&g.v).map(|(u, v)| u * u * v).sum()
    }

    table! {
        own_elements: (&irregular(5, 0.3));
        from_the_element_before: (&irregular(5, 0.3));
        one_element_again_and_again: (&irregular(5, 0.3));
        an_element_for_two_trips: (&irregular(5, 0.3), const 1);
        stepped: (&irregular(5, 0.3), const 3), (&irregular(4, 0.3), const 0);
    }
}

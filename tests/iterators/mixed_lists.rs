//! Lists in loops, mixed with other constructs: references, exits, closures, fields, helpers, `#[cfg]`.

use crate::check::{irregular, table};
use chainrule::prelude::*;

/// Statements that `#[cfg]` removes, beside one that fills the list.
#[differentiable]
fn cfg_fill(x: &[f64]) -> f64 {
    let mut z = vec![0.5; x.len()];
    let mut t = 0.0;
    for p in 0..x.len() {
        for i in 0..z.len() {
            #[cfg(any())]
            {
                z[i] = 0.0;
            }
            #[cfg(test)]
            {
                z[i] = x[i] * x[p];
            }
        }
        #[cfg(any())]
        {
            z[0] = 7.0;
        }
        for i in 0..z.len() {
            t += z[i] * z[i];
        }
    }
    t
}
/// Elements are changed by what is read of others.
#[differentiable]
fn reads_changed(x: &[f64]) -> f64 {
    let n = x.len();
    let mut z = vec![0.0; n];
    let mut t = 0.0;
    for p in 0..n {
        for i in 0..n {
            z[i] = x[i] * (p as f64 + 1.0);
        }
        z[0] = z[0] * z[n - 1];
        let k = (z[0] > 0.5) as usize;
        z[k] += z[1 - k] * z[k];
        t += z[0] * z[1];
    }
    t
}
/// Exits in the loop that fills the list, and after it.
#[differentiable]
fn early(x: &[f64]) -> Result<f64, String> {
    let n = x.len();
    let mut z = vec![0.0; n];
    let mut t = 0.0;
    for p in 0..n {
        for i in 0..n {
            z[i] = x[i] * x[p];
            if z[i] > 50.0 {
                return Err(format!("{i}"));
            }
        }
        if z[0] > 1.0 {
            return Ok(t + z[n - 1] * z[0]);
        }
        t += z.iter().sum::<f64>();
    }
    Ok(t)
}
#[differentiable]
fn early_ok(x: &[f64]) -> f64 {
    early(x).unwrap_or(0.0)
}
/// Equal values at a kink.
#[differentiable]
fn kinks(x: &[f64]) -> f64 {
    let n = x.len();
    let mut z = vec![0.0; n];
    let mut t = 0.0;
    for p in 0..n {
        for i in 0..n {
            z[i] = (x[i] - x[p]).abs() + x[i];
        }
        let m = z.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        t += m * m;
    }
    t
}
/// Names that are used again.
#[differentiable]
fn shadowed(x: &[f64]) -> f64 {
    let z: Vec<f64> = x.iter().map(|v| v * v).collect();
    let z: Vec<f64> = z.iter().map(|v| v.sin()).collect();
    let mut t = 0.0;
    for x in &z {
        let z: Vec<f64> = z.iter().map(|v| v * x).collect();
        let x: Vec<f64> = z.iter().map(|z| z + x).collect();
        t += x.iter().sum::<f64>() * z[0];
    }
    t + z[1]
}
/// A list that grows through a reference.
#[differentiable]
fn aliased(x: &[f64]) -> f64 {
    let n = x.len();
    let mut z = vec![0.0; n];
    let r = &mut z;
    r.push(x[0]);
    r.push(x[1] * x[0]);
    let m = r.len();
    z.truncate(m - 1);
    let l = z.len() as f64;
    let mut s = 0.0;
    for i in 0..z.len() {
        z[i] += x[0];
        s += z[i] * z[i];
    }
    s * l
}
/// Lists of different lengths change places.
#[differentiable]
fn swapped(x: &[f64]) -> f64 {
    let mut a = vec![x[0]; 2];
    let mut b = vec![x[1]; 4];
    let mut t = 0.0;
    for _ in 0..3 {
        t += a.len() as f64 * a.iter().sum::<f64>();
        std::mem::swap(&mut a, &mut b);
        for i in 0..a.len() {
            a[i] = x[0] * x[1] + a[i];
        }
    }
    t
}
/// An element that is written in the loop beside it.
#[differentiable]
fn tri(x: &[f64]) -> f64 {
    let n = x.len();
    let mut y = x.to_vec();
    for j in 0..n {
        for i in j + 1..n {
            y[i] -= y[j] * x[i];
            y[j] *= 1.1;
        }
    }
    for j in 0..n {
        for i in 0..j {
            y[i] += y[j] * y[i] * 0.1;
        }
    }
    y.iter().map(|v| v * v).sum()
}
#[differentiable]
fn tri2(x: &[f64]) -> f64 {
    let n = x.len();
    let mut y = x.to_vec();
    for j in 0..n {
        let k = j;
        for i in j..n {
            y[i] -= y[j] * x[i] * 0.3;
        }
        for i in j + 2..n {
            y[i] += y[j + 1] * y[j] * x[k];
        }
        for i in (j + 1..n).rev() {
            y[i] *= y[j];
            if y[i] > 2.0 {
                break;
            }
        }
    }
    y.iter().map(|v| v * v).sum()
}
/// A list that a function writes and a sort moves, after its values were used.
#[differentiable]
fn zero_first(y: &mut [f64]) {
    y[0] = 0.25;
}
#[differentiable]
fn kept(x: &[f64]) -> f64 {
    let n = x.len();
    let mut e = vec![0.0; n];
    let mut s = 0.0;
    for i in 0..n {
        e[i] = x[i].exp();
        s += e[i] * e[i];
    }
    zero_first(&mut e[1..]);
    e.sort_by(|a, b| b.total_cmp(a));
    s * e[0] + e[n - 1]
}
/// A list that the caller changes after a function has written it.
#[differentiable]
fn out(x: &[f64], y: &mut Vec<f64>) {
    for i in 0..x.len() {
        y[i] = x[i].exp();
    }
    let s: f64 = y.iter().sum();
    y.push(s);
}
#[differentiable]
fn call_out(x: &[f64]) -> f64 {
    let mut y = vec![0.0; x.len()];
    out(x, &mut y);
    let t = y[x.len()] * y[0];
    y[0] = 3.0;
    y.clear();
    y.resize(x.len(), 0.1);
    out(x, &mut y);
    y.reverse();
    t * y[0] * y[1]
}
/// A loop that isn't counted.
#[differentiable]
fn newton(x: &[f64]) -> f64 {
    let n = x.len();
    let mut d = vec![0.0; n];
    let mut y = x.to_vec();
    let mut k = 0;
    loop {
        for i in 0..n {
            d[i] = y[i] * y[i] - x[i].abs() - 1.0;
        }
        let r: f64 = d.iter().map(|v| v * v).sum();
        if r < 1e-3 || k > 5 {
            break;
        }
        for i in 0..n {
            y[i] -= 0.3 * d[i];
        }
        k += 1;
    }
    y.iter().sum::<f64>() + d[0]
}
/// A closure that reads the list.
#[differentiable]
fn captured(x: &[f64]) -> f64 {
    let n = x.len();
    let mut z = vec![0.0; n];
    let mut t = 0.0;
    for p in 0..n {
        for i in 0..n {
            z[i] = x[i] + x[p];
        }
        let dot = |k: usize| z.iter().map(|v| v * x[k]).sum::<f64>();
        t += dot(0) * dot(n - 1);
    }
    t
}
/// Lists of integers.
#[differentiable]
fn ints(x: &[f64]) -> f64 {
    let n = x.len();
    let mut at = vec![0usize; n];
    let mut t = 0.0;
    for p in 0..n {
        for i in 0..n {
            at[i] = (i + p) % n;
        }
        at[0] = at[n - 1];
        for i in 0..n {
            t += x[at[i]] * x[i];
        }
    }
    for i in 0..n {
        at[i] = n - 1 - i;
    }
    for i in 0..n {
        t *= 1.0 + x[at[i]];
    }
    at.reverse();
    t * x[at[0]]
}
/// Lists in fields, and `mem::replace` of an element.
#[derive(Differentiable, Clone)]
struct G {
    u: Vec<f64>,
    w: [f64; 4],
    #[constant]
    n: usize,
}
#[differentiable]
fn step(g: &mut G, k: f64) {
    for i in 0..g.n {
        g.u[i] = g.u[g.n - 1 - i] * k + 0.1;
    }
    for i in 0..4 {
        g.w[i] *= g.u[i % g.n];
    }
    for i in 0..g.n {
        let o = std::mem::replace(&mut g.u[i], k);
        g.w[0] += o * o;
    }
}
#[differentiable]
fn fields(x: &[f64]) -> f64 {
    let mut g = G {
        u: x.to_vec(),
        w: [1.0, x[0], 2.0, x[1]],
        n: x.len(),
    };
    step(&mut g, x[1]);
    step(&mut g, x[0]);
    g.u.iter().sum::<f64>() * g.w.iter().sum::<f64>()
}
/// The sign of a zero that no trip overwrites.
#[differentiable]
fn zeros(x: &[f64]) -> f64 {
    let mut z = vec![-0.0; 3];
    let mut t = 1.0;
    for v in x {
        for i in 0..2 {
            z[i] = v * 0.0;
        }
        t += (1.0 / z[2]).max(-5.0) * v;
    }
    t
}
/// An array of any length.
#[differentiable]
fn arr<const N: usize>(x: &[f64; N]) -> f64 {
    let mut z = [0.0; N];
    let mut t = 0.0;
    for p in 0..N {
        for i in 0..N {
            z[i] = x[i] * x[p].sin();
        }
        for i in 0..N {
            t += z[i] * z[N - 1 - i];
        }
    }
    t
}
#[differentiable]
fn arr5(x: &[f64]) -> f64 {
    let a: [f64; 5] = x.try_into().unwrap();
    arr::<5>(&a)
}
/// A quotient behind an exit.
#[differentiable]
fn quotient(x: &[f64], d: usize) -> f64 {
    let mut t = 0.0;
    for k in 0..x.len() {
        if d == 0 {
            break;
        }
        let c = x.len() / d;
        t += x[k] * (c as f64) + x[k % d];
    }
    t
}
/// Trips that leave the loop that fills the list.
#[differentiable]
fn continued(x: &[f64]) -> f64 {
    let n = x.len();
    let mut z = vec![0.3; n];
    let mut t = 0.0;
    'o: for p in 0..n {
        for i in 0..n {
            if i == 2 && p == 1 {
                continue 'o;
            }
            z[i] = x[i] * x[p] + t * 0.0;
        }
        t += z.iter().map(|v| v * v).sum::<f64>();
    }
    t
}
#[differentiable]
fn continued2(x: &[f64]) -> f64 {
    let n = x.len();
    let mut z = vec![0.3; n];
    let mut t = 0.0;
    for p in 0..n {
        for i in 0..n {
            if i == p {
                continue;
            }
            z[i] = x[i] * x[p];
        }
        t += z.iter().map(|v| v * v).sum::<f64>();
    }
    t
}
/// Lists that some trips move away.
#[differentiable]
fn moved(x: &[f64]) -> f64 {
    let mut rows: Vec<Vec<f64>> = Vec::new();
    let mut t = 0.0;
    for p in 0..x.len() {
        let mut z = vec![0.0; x.len()];
        for i in 0..x.len() {
            z[i] = x[i] * x[p];
        }
        t += z[0];
        if p % 2 == 0 {
            rows.push(z);
        } else {
            z[0] = 1.0;
            t += z[0] * z[1];
        }
    }
    rows.iter().map(|r| r.iter().sum::<f64>()).sum::<f64>() * t
}
/// A list of constants, handed to a `#[constant]` parameter.
#[differentiable]
fn weigh(x: f64, #[constant] w: &[f64]) -> f64 {
    x * w[0] + w[w.len() - 1]
}
#[differentiable]
fn constants(x: &[f64], #[constant] data: &[f64]) -> f64 {
    let n = data.len();
    let mut w = vec![0.0; n];
    let mut t = 0.0;
    for v in x {
        for i in 0..n {
            w[i] = data[i] * 2.0;
        }
        t += weigh(*v * v, &w);
        w[0] = 9.0;
    }
    t
}
/// Elements at a distance from the one that is read.
#[differentiable]
fn at_a_distance(x: &[f64]) -> f64 {
    let n = x.len();
    let mut y = x.to_vec();
    for j in 0..n {
        for k in 0..n - 1 - j {
            y[j + 1 + k] -= y[j] * x[j + 1 + k];
        }
        for y in y[j + 1..].iter_mut() {
            *y *= x[j];
        }
        let (head, tail) = y.split_at_mut(j + 1);
        for (k, t) in tail.iter_mut().enumerate() {
            *t += head[j] * head[0] * x[k];
        }
    }
    y.iter().map(|v| v * v).sum()
}

/// The distance may be zero.
#[differentiable]
fn at_no_distance(x: &[f64]) -> f64 {
    let n = x.len();
    let mut y = x.to_vec();
    for j in 0..n {
        for k in 0..n - j {
            y[j + k] -= y[j] * x[k] * 0.5;
        }
        for k in 0..n - j {
            y[j..][k] -= y[j] * x[k] * 0.3;
        }
        for i in 0..=j {
            y[i] += y[j] * x[i];
        }
        for k in 0..n {
            y[(j + k) % n] *= 1.0 + 0.1 * y[j];
        }
    }
    y.iter().map(|v| v * v).sum()
}

table! {
    cfg_fill: (&irregular(3, 0.4));
    reads_changed: (&irregular(3, 0.4)), (&[0.2, 0.9]);
    early_ok: (&irregular(3, 0.4)), (&[0.2, 0.9, 0.4]), (&[0.3, 9.0, 1.0]), (&[2.0, 0.4]);
    kinks: (&irregular(4, 0.4));
    shadowed: (&irregular(3, 0.4));
    aliased: (&irregular(3, 0.4));
    swapped: (&irregular(2, 0.4));
    at_a_distance: (&irregular(5, 0.4)), (&[0.7]);
    at_no_distance: (&irregular(4, 0.4));
    tri: (&irregular(4, 0.4));
    tri2: (&irregular(5, 0.4));
    kept: (&irregular(4, 0.4));
    call_out: (&irregular(3, 0.4));
    newton: (&irregular(3, 0.4));
    captured: (&irregular(3, 0.4));
    ints: (&irregular(4, 0.4));
    fields: (&irregular(3, 0.4));
    zeros: (&irregular(3, 0.4));
    arr5: (&irregular(5, 0.4));
    quotient: (&irregular(4, 0.4), const 2), (&irregular(4, 0.4), const 0);
    continued: (&irregular(4, 0.4));
    continued2: (&irregular(4, 0.4));
    moved: (&irregular(4, 0.4));
    constants: (&irregular(3, 0.4), const &[0.3, 1.2]);
}

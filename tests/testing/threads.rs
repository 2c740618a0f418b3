//! Rules go to other threads, and give the same there.

use std::thread;

use chainrule::prelude::*;

#[differentiable]
fn chain(x: &[f64], k: f64) -> f64 {
    let mut z = k;
    for v in x {
        if z > 0.5 {
            z = (z * v).sin() + v;
        } else {
            z += v.exp();
        }
    }
    helper(x, z)
}

#[differentiable]
fn helper(x: &[f64], z: f64) -> f64 {
    let mut total = z * z;
    for v in x {
        total += v * z;
    }
    total
}

#[differentiable]
fn power(x: f64, n: usize) -> f64 {
    if n == 0 { 1.0 } else { x * power(x, n - 1) }
}

#[differentiable]
fn in_place(x: &mut [f64]) -> f64 {
    let mut total = 0.0;
    for i in 1..x.len() {
        x[i] *= x[i - 1];
        total += x[i];
    }
    total
}

#[derive(Clone, Debug, Differentiable)]
struct Params {
    weights: Vec<f64>,
}

#[differentiable]
impl Params {
    fn loss(&self, t: f64) -> f64 {
        let mut total = 0.0;
        for w in &self.weights {
            total += (w * t).cos();
        }
        total
    }
}

fn assert_send_and_sync<T: Send + Sync>(_: &T) {}

#[test]
fn pullbacks_are_send_and_sync() {
    let x = [0.5, 1.5];
    assert_send_and_sync(&chain::rrule(&x, 0.3).1);
    assert_send_and_sync(&in_place::rrule(&mut x.clone()).1);
    let params = Params { weights: vec![1.0] };
    assert_send_and_sync(&params.loss_rrule(0.3).1);
    // Those of recursive functions are boxed.
    assert_send_and_sync(&power::rrule(0.3, 4).1);
}

#[test]
fn a_pullback_may_be_applied_in_another_thread() {
    let x = [0.5, 1.5];
    let (_, pullback) = chain::rrule(&x, 0.3);
    let (_, recursive) = power::rrule(1.5, 4);
    let (x_bar, k_bar, power_bar) = thread::scope(|scope| {
        let task = scope.spawn(|| {
            let mut x_bar = [0.0; 2];
            let k_bar = pullback(1.0, CoDual(&x, &mut x_bar));
            (x_bar, k_bar, recursive(1.0))
        });
        task.join().expect("no panic")
    });
    let (want, want_k) = chain::gradient(&x, 0.3);
    assert_eq!((&x_bar[..], k_bar), (&want[..], want_k));
    assert_eq!(power_bar, 4.0 * 1.5 * 1.5 * 1.5);
}

#[test]
fn many_threads_give_what_one_gives() {
    let points: Vec<Vec<f64>> = (0..64_u32)
        .map(|i| {
            (0..20_u32)
                .map(|j| f64::from((i * 7 + j * 3) % 11) * 0.1 - 0.4)
                .collect()
        })
        .collect();
    let all = |x: &Vec<f64>| {
        let params = Params { weights: x.clone() };
        let (value, gradient) = chain::value_and_gradient(x, 0.3);
        let state = in_place::gradient(&mut x.clone());
        let product = chain::hvp(x, 0.3, x, 1.0);
        let (params_bar, t_bar) = params.loss_gradient(0.7);
        (
            value,
            gradient,
            state,
            product,
            params_bar,
            t_bar,
            power::derivative(x[0], 5),
        )
    };
    let serial: Vec<_> = points.iter().map(all).collect();
    let parallel: Vec<_> = thread::scope(|scope| {
        let tasks: Vec<_> = points
            .chunks(8)
            .map(|chunk| scope.spawn(move || chunk.iter().map(all).collect::<Vec<_>>()))
            .collect();
        tasks
            .into_iter()
            .flat_map(|task| task.join().expect("no panic"))
            .collect()
    });
    assert_eq!(serial, parallel);
}

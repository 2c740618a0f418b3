//! `#[checkpoint(k)]`: loops that keep few of their states.

use chainrule::prelude::*;

use crate::check::{map_table, table};

/// Of a logistic map, whose derivative has no other form than the product over the trips.
#[differentiable]
fn scalar(x: f64, rate: f64, #[constant] n: usize, #[constant] states: usize) -> f64 {
    let mut s = x;
    let mut above = 0;
    #[checkpoint(states)]
    for i in 0..n {
        s += 0.1 * rate * s * (1.0 - s) + 0.01 * (i as f64).sin() * s.cos();
        if s > 0.6 {
            above += i;
        }
    }
    s * (1.0 + above as f64)
}

#[differentiable]
fn scalar_plain(x: f64, rate: f64, #[constant] n: usize) -> f64 {
    let mut s = x;
    let mut above = 0;
    for i in 0..n {
        s += 0.1 * rate * s * (1.0 - s) + 0.01 * (i as f64).sin() * s.cos();
        if s > 0.6 {
            above += i;
        }
    }
    s * (1.0 + above as f64)
}

/// `x (1 + a)^n`.
#[differentiable(explain)]
fn power(x: f64, a: f64, #[constant] n: usize, #[constant] states: usize) -> f64 {
    let mut s = x;
    #[checkpoint(states)]
    for _ in 2..n + 2 {
        s = s + a * s;
    }
    s
}

/// A tuple that is taken apart, an array, and captured slices.
#[differentiable]
fn oscillators(
    start: [f64; 4],
    theta: &[f64],
    #[constant] n: usize,
    #[constant] states: usize,
) -> f64 {
    let mut state = start;
    let (mut energy, mut last) = (0.0, start[0]);
    let pull = theta[0] * theta[1];
    #[checkpoint(states)]
    for i in 0..n {
        let force = |k: usize| -theta[k % theta.len()] * state[k] * pull;
        let [f, g] = [force(0), force(1)];
        state[2] += 0.1 * f;
        state[3] += 0.1 * g;
        state[0] += 0.1 * state[2] + 0.01 * last;
        state[1] += 0.1 * state[3] * theta[i % theta.len()];
        (energy, last) = (energy + state[0] * last, state[1]);
    }
    energy + state[0] * state[3]
}

/// A local list, with inner loops, that is returned.
#[differentiable]
fn diffusion(start: &[f64], k: f64, #[constant] n: usize, #[constant] states: usize) -> Vec<f64> {
    let mut u = start.to_vec();
    let m = u.len();
    #[checkpoint(states)]
    for _ in 0..n {
        let mut next = u.clone();
        for j in 1..m - 1 {
            let flux = (u[j + 1] - u[j]).sin() - (u[j] - u[j - 1]).sin();
            next[j] += k * flux;
        }
        u = next;
    }
    u
}

/// Memory of the caller's, updated in place.
#[differentiable]
fn in_place(u: &mut [f64], k: f64, #[constant] n: usize, #[constant] states: usize) -> f64 {
    let first = u[0] * u[1];
    u[0] = first;
    #[checkpoint(states)]
    for i in 0..n {
        for j in 1..u.len() {
            u[j] = u[j] * k + u[j - 1].cos();
        }
        u[0] += 0.1 * u[i % u.len()];
    }
    let last = u[u.len() - 1];
    u[1] *= last;
    last * first + u[1]
}

/// A list of the caller's that grows and shrinks.
#[differentiable]
fn growing(list: &mut Vec<f64>, a: f64, #[constant] n: usize, #[constant] states: usize) -> f64 {
    #[checkpoint(states)]
    for i in 0..n {
        if i % 3 == 2 {
            let last = list.pop().unwrap_or(1.0);
            list[0] += a * last;
        } else {
            list.push(list[0] * a + 0.3);
        }
    }
    let mut s = 0.0;
    for v in list.iter() {
        s += v * v;
    }
    s
}

#[derive(Clone, Differentiable)]
struct Particle {
    at: [f64; 2],
    speed: Vec<f64>,
    #[constant]
    trips: usize,
}

#[differentiable]
fn moved(particle: Particle, drag: f64) -> Particle {
    let mut at = particle.at;
    let mut speed = particle.speed.clone();
    for k in 0..2 {
        speed[k] -= drag * speed[k] * speed[k].abs() + 0.1 * at[k];
        at[k] += 0.1 * speed[k];
    }
    Particle {
        at,
        speed,
        trips: particle.trips + 1,
    }
}

/// A struct that a call moves.
#[differentiable]
fn flight(x: f64, drag: f64, #[constant] n: usize, #[constant] states: usize) -> f64 {
    let mut particle = Particle {
        at: [x, x * x],
        speed: vec![1.0, drag],
        trips: 0,
    };
    #[checkpoint(states)]
    for _ in 0..n {
        particle = moved(particle, drag);
    }
    particle.at[0] * particle.at[1] * (1.0 + particle.trips as f64)
}

mod far {
    use chainrule::prelude::*;

    #[derive(Clone, Differentiable)]
    pub(super) struct Model {
        pub(super) rate: f64,
        pub(super) level: f64,
    }

    #[differentiable]
    impl Model {
        pub(super) fn step(&self, x: f64) -> f64 {
            x + 0.1 * self.rate * (self.level - x)
        }

        pub(super) fn finished(self) -> f64 {
            self.rate * self.level
        }

        pub(super) fn decay(&mut self, x: f64) {
            self.level -= 0.1 * x * self.level;
        }
    }

    #[differentiable]
    pub(super) fn next(pair: (f64, f64), model: &Model, i: usize) -> (f64, f64) {
        let k = 1.0 + i as f64;
        (model.step(pair.1) / k, pair.0 * model.rate + 0.2)
    }
}

/// States of types that only rustc knows.
#[differentiable]
fn deferred(model: &far::Model, x: f64, #[constant] n: usize, #[constant] states: usize) -> f64 {
    let mut pair = far::next((x, x * x), model, 0);
    let mut own = model.clone();
    #[checkpoint(states)]
    for i in 0..n {
        pair = far::next(pair, &own, i);
        own.decay(pair.0);
    }
    pair.0 * pair.1 + own.level
}

/// Within a loop, a branch, and a loop of the same kind; an inner slice is an alias.
#[differentiable]
fn nested(x: &[f64], a: f64, #[constant] n: usize, #[constant] states: usize) -> f64 {
    let mut total = 0.0;
    for row in x.chunks(2) {
        let weight = a * row[0];
        let mut s = row[0];
        if row[1] > 0.0 {
            let part = &row[1..];
            let mut local = vec![s, a];
            #[checkpoint(states)]
            for i in 0..n {
                s = s * weight + part[0].sin() + local[i % 2];
                #[checkpoint(2)]
                for j in 0..3 {
                    s += 0.1 * (s * local[1]).cos() * j as f64;
                }
                local[i % 2] *= 0.5 * s;
            }
            total += local[0];
        }
        total += s * s;
    }
    total
}

/// The loop reads lists, and a struct, that are overwritten and moved afterwards.
#[differentiable]
fn overwritten(start: &[f64], a: f64, #[constant] n: usize, #[constant] states: usize) -> Vec<f64> {
    let mut table = start.to_vec();
    let mut weights = vec![a, a * a];
    let mut order = vec![1usize, 0];
    let mut pair = far::Model {
        rate: a,
        level: 0.5,
    };
    let mut s = start[0];
    table[1] *= a;
    let (part, first) = (&table[1..], &weights);
    #[checkpoint(states)]
    for i in 0..n {
        for j in 0..part.len() {
            s += 0.1 * part[j].sin() * part[j] * first[j] * s.cos();
        }
        s = pair.step(s) * weights[order[i % 2]] + table[i % table.len()].sin() * s;
    }
    order.reverse();
    order.pop();
    pair.decay(s);
    weights.push(s * weights[0]);
    weights.remove(0);
    for i in 0..table.len() {
        table[i] = table[i] * s + pair.level + weights[order[0]];
    }
    table.push(s);
    table
}

/// Through a reference that was made before the loop, and that is used after it.
#[differentiable]
fn by_reference(x: &[f64], #[constant] n: usize, #[constant] states: usize) -> f64 {
    let mut u = x.to_vec();
    let row = &mut u[1..];
    #[checkpoint(states)]
    for _ in 0..n {
        for j in 1..row.len() {
            row[j] = (row[j] * row[j - 1]).sin() + 0.3 * row[j];
        }
    }
    row[1] *= 2.0;
    u[1] * u[2]
}

/// The state goes away in a call.
#[differentiable]
fn consumed(x: f64, drag: f64, #[constant] n: usize, #[constant] states: usize) -> f64 {
    let mut particle = Particle {
        at: [x, x * x],
        speed: vec![1.0, drag],
        trips: 0,
    };
    let mut own = far::Model {
        rate: x,
        level: drag,
    };
    let mut list = vec![x];
    #[checkpoint(states)]
    for i in 0..n {
        particle = moved(particle, own.level);
        own.decay(particle.at[0]);
        list.push(own.rate * list[i]);
    }
    let last = moved(particle, own.level);
    let total = own.finished() + list.into_iter().sum::<f64>();
    last.at[0] * last.speed[1] + total
}

/// A generator that the function owns: it is copied with the state.
#[derive(Clone)]
struct Noise(u64);

impl Noise {
    fn draw(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 40) as f64 / (1u64 << 24) as f64
    }
}

#[differentiable]
fn random(x: f64, a: f64, #[constant] n: usize, #[constant] states: usize) -> f64 {
    let mut noise = Noise(7);
    let mut s = x;
    #[checkpoint(states)]
    for _ in 0..n {
        let draw = noise.draw();
        s = s * (a + draw).sin() + draw;
    }
    s
}

#[differentiable]
impl Particle {
    fn run(&mut self, drag: f64, #[constant] n: usize, #[constant] states: usize) -> f64 {
        #[checkpoint(states)]
        for _ in 0..n {
            let speed = self.speed[0];
            self.speed[0] -= drag * speed * speed;
            self.at[0] += self.speed[0] * self.at[1];
        }
        self.at[0]
    }
}

#[differentiable]
fn by_method(x: f64, drag: f64, #[constant] n: usize, #[constant] states: usize) -> f64 {
    let mut particle = Particle {
        at: [x, 0.3],
        speed: vec![drag],
        trips: 0,
    };
    particle.run(drag, n, states) * x + particle.speed[0]
}

table! {
    scalar: for n in [0, 1, 2, 5, 12], (0.3, 1.7, const n, const 0), (0.3, 1.7, const n, const 2), (0.3, 1.7, const n, const 3), (0.3, 1.7, const n, const 100);
    power:
        (0.7, 0.2, const 0, const 3) => [1.0, 0.0],
        (0.7, 0.2, const 6, const 2) => [1.2f64.powi(6), 0.7 * 6.0 * 1.2f64.powi(5)],
        (0.7, 0.2, const 9, const 3) => [1.2f64.powi(9), 0.7 * 9.0 * 1.2f64.powi(8)];
    oscillators: for n in [0, 1, 7], ([0.3, -0.2, 0.5, 0.1], &vec![0.7, 1.1, 0.9], const n, const 2);
    in_place: for n in [0, 1, 6], (&mut vec![0.3, 0.8, -0.4], 0.7, const n, const 2);
    growing: for n in [0, 1, 8], (&mut vec![0.3, 0.8], 0.7, const n, const 3);
    flight: for n in [0, 1, 6], (0.4, 0.2, const n, const 2);
    nested: for n in [0, 1, 5], (&vec![0.3, 0.5, -0.7, 0.4, 0.2, -0.1], 0.8, const n, const 2);
    by_reference: for n in [0, 1, 6], (&vec![0.3, 0.7, 0.9], const n, const 2);
    consumed: for n in [0, 1, 6], (0.4, 0.3, const n, const 2);
    random: for n in [0, 1, 6], (0.4, 0.3, const n, const 2);
    by_method: for n in [0, 1, 6], (0.4, 0.3, const n, const 2);
}

map_table! {
    overwritten: for n in [0, 1, 6], (&vec![0.4, 0.3, -0.5], 0.8, const n, const 2);
    diffusion: for n in [0, 1, 6], (&vec![0.1, 0.9, -0.3, 0.4, 0.7], 0.2, const n, const 3);
}

#[test]
fn of_a_deferred_type() {
    for n in [0, 1, 6] {
        let model = far::Model {
            rate: 0.7,
            level: 0.4,
        };
        let h = 1e-6;
        let f = |rate: f64, level: f64, x: f64| deferred(&far::Model { rate, level }, x, n, 2);
        let (value, (model_bar, x_bar)) = deferred::value_and_gradient(&model, 0.3, n, 2);
        assert_eq!(value, f(0.7, 0.4, 0.3));
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-8, "{a} {b}");
        close(
            model_bar.rate,
            (f(0.7 + h, 0.4, 0.3) - f(0.7 - h, 0.4, 0.3)) / (2.0 * h),
        );
        close(
            model_bar.level,
            (f(0.7, 0.4 + h, 0.3) - f(0.7, 0.4 - h, 0.3)) / (2.0 * h),
        );
        close(
            x_bar,
            (f(0.7, 0.4, 0.3 + h) - f(0.7, 0.4, 0.3 - h)) / (2.0 * h),
        );
    }
}

/// Bit for bit as without the attribute.
#[test]
fn same_bits() {
    for n in [0, 1, 2, 3, 10, 57] {
        let plain = scalar_plain::value_and_gradient(0.7, 1.3, n);
        let product = scalar_plain::hvp(0.7, 1.3, n, 1.0, 0.5);
        for states in [0, 1, 2, 3, 8, 100] {
            assert_eq!(scalar::value_and_gradient(0.7, 1.3, n, states), plain);
            assert_eq!(scalar::vjp(0.7, 1.3, n, states, 1.0), plain);
            assert_eq!(scalar::hvp(0.7, 1.3, n, states, 1.0, 0.5), product);
        }
    }
}

mod counted {
    use std::cell::Cell;

    use chainrule::prelude::*;

    thread_local! {
        static RUNS: Cell<usize> = const { Cell::new(0) };
    }

    fn note() -> f64 {
        RUNS.with(|runs| runs.set(runs.get() + 1));
        1.0
    }

    #[differentiable]
    pub(super) fn cubes(x: f64, #[constant] n: usize, #[constant] states: usize) -> f64 {
        let mut s = x;
        #[checkpoint(states)]
        for _ in 0..n {
            let one = note();
            s += 0.1 * one * s * s * s;
        }
        s
    }

    pub(super) fn runs(f: impl FnOnce()) -> usize {
        RUNS.set(0);
        f();
        RUNS.get()
    }
}

/// `r n - beta(k + 1, r - 1)` runs before a trip is reversed, at most `r + 1` more for the result, and one of each trip with its reverse half.
#[cfg_attr(
    feature = "checked",
    ignore = "checked drivers run their function several times"
)]
#[test]
fn trips_run_as_often_as_the_formula_says() {
    for (n, states, r, expected) in [(10, 3, 2, 15), (20, 3, 3, 45), (100, 4, 5, 374)] {
        let gradient = counted::runs(|| _ = counted::cubes::gradient(0.3, n, states));
        let more = gradient - n - expected;
        assert!((1..=r + 1).contains(&more), "{n} in {states}: {more} more");
        let pullback = counted::runs(|| _ = counted::cubes::vjp(0.3, n, states, 1.0));
        let second = counted::runs(|| _ = counted::cubes::hvp(0.3, n, states, 1.0));
        assert_eq!([pullback, second], [gradient; 2]);
        assert_eq!(
            counted::runs(|| _ = counted::cubes::jvp(0.3, n, states, 1.0)),
            n
        );
    }
}

#[test]
fn explained() {
    let text = power::explain();
    assert!(
        text.contains("states are stored, by `#[checkpoint]`"),
        "{text}"
    );
}

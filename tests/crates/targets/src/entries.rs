//! The calls that are compared.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::report::{Entry, Exactness, of_matrix};
use crate::structures::{Figure, FigureTangent, Spring};
use crate::{arithmetic, elementary, integers, plans, steps, structures};

/// All numbers, on the target that this runs on.
pub fn entries() -> Vec<Entry> {
    let mut all = Vec::new();
    exact_loops(&mut all);
    exact_structures(&mut all);
    exact_steps(&mut all);
    exact_integers(&mut all);
    sparse(&mut all);
    close(&mut all);
    all
}

/// Fractions that no power of two divides, so that operations round.
fn fractions(n: usize) -> Vec<f64> {
    (0..n)
        .map(|i| {
            let k = (i * 37 + 11) % 23;
            (k as f64 - 9.0) / 7.0 + i as f64 / 13.0
        })
        .collect()
}

/// An entry with exact numbers.
fn exact(name: &str) -> Entry {
    Entry::new(name, Exactness::Exact)
}

fn exact_loops(all: &mut Vec<Entry>) {
    let x = fractions(9);
    let (value, gradient, hessian) = arithmetic::rosenbrock::value_gradient_and_hessian(&x);
    all.push(
        exact("rosenbrock")
            .with(&value)
            .with(&gradient)
            .with(of_matrix(&hessian)),
    );
    // More trips than lanes, and a rest.
    let long = fractions(103);
    all.push(exact("rosenbrock-long").with(&arithmetic::rosenbrock::value_and_gradient(&long)));

    let along = arithmetic::stencil::value_gradient_and_hvp(&x, 1.7, &fractions(9), 0.3);
    all.push(exact("stencil").with(&along));

    let weights = fractions(4 * 3 + 4);
    let (inputs, direction) = (fractions(3), fractions(16));
    all.push(
        exact("layers")
            .with(&arithmetic::layers::value_and_gradient(
                &weights, &inputs, 4,
            ))
            .with(&arithmetic::layers::hvp(
                &weights, &inputs, 4, &direction, &inputs,
            )),
    );

    all.push(exact("iterated").with(&arithmetic::iterated::value_and_gradient(&x)));

    let (mut fused, mut not_fused) = (exact("mul_add"), exact("no-contraction"));
    for at in [0.77, 1.37, -0.6, 2.3, 0.91] {
        let y = fractions(9);
        fused = fused.with(&arithmetic::fused::value_gradient_and_hvp(&x, at, &y, 1.3));
        not_fused = not_fused.with(&arithmetic::not_fused::value_gradient_and_hvp(
            &x, at, &y, 1.3,
        ));
    }
    all.push(fused);
    all.push(not_fused);

    let single = [0.3_f32, -1.7, 2.2, 0.01, 5.5];
    all.push(exact("mixed").with(&arithmetic::mixed::value_and_gradient(
        &single,
        &fractions(5),
    )));
    let (value, gradient) = arithmetic::single::value_and_gradient(&single, 0.6);
    all.push(
        exact("single")
            .with(&value)
            .with(&gradient)
            .with(&arithmetic::single::hvp(&single, 0.6, &single, 1.0)),
    );

    let mut pieces = exact("pieces");
    for (x, y) in [
        (7.3, 2.1),
        (-7.3, 2.1),
        (0.4, -0.9),
        (-0.0, 3.0),
        (5.5, 0.5),
    ] {
        pieces = pieces.with(&arithmetic::pieces::value_and_gradient(x, y));
        pieces = pieces.with(&arithmetic::pieces::jvp(x, y, 0.3, -0.7));
    }
    all.push(pieces);

    let n = 5;
    let a: Vec<f64> = (0..n * n)
        .map(|k| {
            let (i, j) = (k / n, k % n);
            1.0 / (i + j + 1) as f64 + if i == j { 3.0 } else { 0.0 }
        })
        .collect();
    all.push(
        exact("cholesky")
            .with(&arithmetic::cholesky::value_and_gradient(&a, n))
            .with(&arithmetic::cholesky::hvp(&a, n, &fractions(n * n))),
    );
    let along = arithmetic::captured::value_gradient_and_hvp(&x, 0.7, &fractions(9), -1.1);
    all.push(exact("captured").with(&along));
    let (value, gradient, hessian) = arithmetic::grown::value_gradient_and_hessian(&x);
    all.push(
        exact("grown")
            .with(&value)
            .with(&gradient)
            .with(of_matrix(&hessian)),
    );
    let mut extreme = exact("extreme");
    for (x, y) in [(1e3, 3.0), (1e-3, -1e-3), (0.3, 1e300), (1e5, 0.0)] {
        extreme = extreme.with(&arithmetic::extreme::value_and_gradient(x, y));
    }
    all.push(extreme);
}

fn exact_structures(all: &mut Vec<Entry>) {
    let x = fractions(8);
    let springs: Vec<Spring> = (0..7)
        .map(|i| Spring {
            stiffness: 1.0 + i as f64 / 3.0,
            length: 0.9,
            ends: (i, (i * 3 + 1) % 8),
        })
        .collect();
    let (value, (spring_bars, x_bar)) = structures::springs::value_and_gradient(&springs, &x);
    let mut entry = exact("springs").with(&value).with(&x_bar);
    for bar in &spring_bars {
        entry = entry.with(&(bar.stiffness, bar.length));
    }
    all.push(entry);

    let figures = [
        Figure::Circle(0.7),
        Figure::Rectangle {
            width: -1.1,
            height: 0.3,
        },
        Figure::Copies(
            Box::new(Figure::Rectangle {
                width: 2.3,
                height: 0.9,
            }),
            3,
        ),
    ];
    let (value, (bars, scale_bar)) = structures::areas::value_and_gradient(&figures, 1.3);
    let mut entry = exact("areas").with(&value).with(&scale_bar);
    for bar in &bars {
        entry = with_figure(entry, bar);
    }
    all.push(entry);

    let single: Vec<f32> = x.iter().map(|v| *v as f32).collect();
    all.push(
        exact("norm")
            .with(&structures::norm::value_and_gradient(&x, 0.4))
            .with(&structures::norm::value_and_gradient(&single, 0.4))
            .with(&structures::norm::hvp(&x, 0.4, &fractions(8), 1.0)),
    );
    let along = structures::laws::value_gradient_and_hvp(0.7, 1.9, &x, 1.0, -1.0, &fractions(8));
    all.push(exact("laws").with(&along));

    let table: BTreeMap<usize, f64> = (0..8)
        .step_by(2)
        .map(|i| (i, 1.0 / (i + 3) as f64))
        .collect();
    all.push(
        exact("prices")
            .with(&structures::prices::value_and_gradient(&x, &table))
            .with(&structures::prices::hvp(&x, &table, &fractions(8))),
    );

    let mut entry = exact("bounded");
    for bound in [0.75, 1.5, 0.01] {
        if let Some(found) = structures::bounded::value_and_gradient(&x, bound) {
            entry = entry.with(&found);
        }
    }
    all.push(entry);
    let (value, gradient, hessian) = structures::halves::value_gradient_and_hessian(&x);
    all.push(
        exact("halves")
            .with(&value)
            .with(&gradient)
            .with(of_matrix(&hessian)),
    );
    let along = structures::queue::value_gradient_and_hvp(&x, &fractions(8));
    all.push(exact("queue").with(&along));
    let along = structures::forces::value_gradient_and_hvp(&x, 0.45, &fractions(8), 1.0);
    all.push(exact("forces").with(&along));
    let along = structures::descended::value_and_gradient(0.4, 1.3, 12);
    all.push(exact("descended").with(&along));
}

fn with_figure(entry: Entry, bar: &FigureTangent) -> Entry {
    match bar {
        FigureTangent::Circle(radius) => entry.with(radius),
        FigureTangent::Rectangle { width, height } => entry.with(&(*width, *height)),
        FigureTangent::Copies(figure, _) => with_figure(entry, figure),
    }
}

fn exact_steps(all: &mut Vec<Entry>) {
    let theta = [1.1, 0.4, 0.1, 0.4];
    all.push(
        exact("lotka-volterra")
            .with(&steps::lotka_volterra::value_and_gradient(&theta, 40))
            .with(&steps::lotka_volterra::hvp(
                &theta,
                40,
                &[0.3, -0.1, 0.7, 1.0],
            )),
    );
    let mut entry = exact("checkpoints");
    for trips in [0, 1, 3, 50] {
        let from = 5_000_000_000;
        let map = steps::map::value_gradient_and_hvp(0.3, 3.7, from, trips, 1.0, 0.1);
        entry = entry.with(&map);
    }
    all.push(entry);
    let u = fractions(7);
    all.push(
        exact("heat")
            .with(&steps::heat::value_and_gradient(&u, 0.2, 23))
            .with(&steps::heat::hvp(&u, 0.2, 23, &fractions(7), 1.0)),
    );
    all.push(
        exact("swapped")
            .with(&steps::swapped::value_and_gradient(&u, 0.01, 9))
            .with(&steps::swapped::hvp(&u, 0.01, 9, &fractions(7), 1.0)),
    );
}

fn exact_integers(all: &mut Vec<Entry>) {
    let x = fractions(11);
    let (value, gradient, hessian) = integers::scattered::value_gradient_and_hessian(&x, 42, 60);
    all.push(
        exact("scattered")
            .with(&value)
            .with(&gradient)
            .with(of_matrix(&hessian)),
    );
    all.push(
        exact("positions").with(&integers::positions::value_gradient_and_hvp(
            &x,
            &fractions(11),
        )),
    );
    all.push(exact("counted").with(&integers::counted::value_and_gradient(0.3, 1_000_003)));
    let mut entry = exact("ranges");
    for (first, end) in [
        (0, 4),
        (0, (1 << 32) - 1),
        (5_000_000_000, 5_000_000_006),
        (7, 2),
    ] {
        entry = entry.with(&integers::ranges::value_and_gradient(&x, first, end));
    }
    all.push(entry);
    let bits = integers::bits::value_gradient_and_hvp(&x, 0x0b5a_93c7, &fractions(11));
    all.push(exact("bits").with(&bits));
}

fn sparse(all: &mut Vec<Entry>) {
    let x = fractions(12);
    for (name, (counts, values)) in [
        ("sparse-hessian", plans::hessian(&x)),
        ("sparse-jacobian", plans::jacobian(&x)),
    ] {
        let counts: Vec<f64> = counts.into_iter().map(|n| n as f64).collect();
        all.push(exact(name).with(&counts).with(&values));
    }
    all.push(exact("sparse-changed").with(&(plans::changed(&x) as f64)));
}

/// The numbers of a function at many points.
fn sampled(name: &str, exactness: Exactness, numbers: fn(f64) -> [f64; 3]) -> Entry {
    let mut entry = Entry::new(name, exactness);
    for k in 1..60_u8 {
        entry.numbers.extend(numbers(f64::from(k) / 9.7));
    }
    entry
}

fn close(all: &mut Vec<Entry>) {
    macro_rules! functions {
        ($exactness:ident, $t:ident: $($name:ident)*) => {$(
            let numbers = |x: f64| -> [f64; 3] {
                let x = x as $t;
                let (value, slope) = (elementary::$name(x), elementary::$name::derivative(x));
                [value, slope, elementary::$name::second_derivative(x)].map(f64::from)
            };
            all.push(sampled(stringify!($name), Exactness::$exactness, numbers));
        )*};
    }
    functions! { Close, f64: sin cos tan atan exp exp_m1 ln ln_1p log10 tanh sinh cbrt powi powf hypot atan2 }
    functions! { CloseSingle, f32: sin_f32 exp_f32 ln_f32 tanh_f32 powf_f32 }
    let close = |name| Entry::new(name, Exactness::Close);
    let (w, x) = (fractions(3), fractions(12));
    let y = [1.0, 0.0, 1.0, 1.0];
    all.push(
        close("regression")
            .with(&elementary::regression::value_and_gradient(&w, &x, &y))
            .with(&elementary::regression::hvp(&w, &x, &y, &[1.0, 0.5, -0.3])),
    );
    let pendulum = elementary::pendulum::value_gradient_and_hvp(0.7, 9.81, 40, 1.0, 0.5);
    all.push(close("pendulum").with(&pendulum));
    let theta = [0.1, 0.8, 1.9, 0.6];
    all.push(
        close("mixture")
            .with(&elementary::mixture::value_and_gradient(&theta, &x))
            .with(&elementary::mixture::hvp(
                &theta,
                &x,
                &[1.0, 0.2, -0.4, 0.7],
            )),
    );
}

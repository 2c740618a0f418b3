//! A logistic regression whose data is spread over the processes of an MPI program, fitted by Newton's method on all of them.
//!
//! ```text
//! cargo build --release -p chainrule-examples --features mpi --example mpi_likelihood
//! mpirun -n 4 target/release/examples/mpi_likelihood
//! ```
//!
//! Each rank makes its part of the data, so that the whole is the same for any number of ranks. All ranks compute the same steps; each prints its estimates.
//! With `--measure` it also measures a sum over all ranks.

use std::time::Instant;

use chainrule::mpi::{Ranks, World, agreed, all_reduce, all_reduce_vec, join_vec};
use chainrule::prelude::*;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

const OBSERVATIONS: usize = 20_000;
const TRUTH: [f64; 3] = [0.5, -1.0, 2.0];

/// The negative log likelihood of this rank's part, and the sum over all ranks.
#[differentiable]
fn nll(
    theta: &[f64],
    #[constant] x: &[[f64; 2]],
    #[constant] y: &[f64],
    #[constant] world: &World,
) -> f64 {
    let (theta, mut ranks): (Vec<f64>, Ranks) = join_vec(theta, world);
    let mut part = 0.0;
    for i in 0..y.len() {
        let z = theta[0] + theta[1] * x[i][0] + theta[2] * x[i][1];
        part += z.exp().ln_1p() - y[i] * z;
    }
    let total = all_reduce(part, &mut ranks);
    agreed(total, &mut ranks)
}

/// Nothing but a sum of `n` numbers, to measure it.
#[differentiable]
fn only_communication(theta: &[f64], #[constant] world: &World) -> f64 {
    let (theta, mut ranks): (Vec<f64>, Ranks) = join_vec(theta, world);
    let sums: Vec<f64> = all_reduce_vec(&theta, &mut ranks);
    agreed(sums[0], &mut ranks)
}

/// Observation `i` of all: two covariates and a label.
fn observation(i: usize) -> ([f64; 2], f64) {
    let mut rng = StdRng::seed_from_u64(i as u64);
    let x = [rng.random_range(-1.0..1.0), rng.random_range(-1.0..1.0)];
    let z = TRUTH[0] + TRUTH[1] * x[0] + TRUTH[2] * x[1];
    let label = f64::from(rng.random_range(0.0..1.0) < 1.0 / (1.0 + (-z).exp()));
    (x, label)
}

fn main() {
    let world = World::start();
    let (rank, size) = (world.rank(), world.size());
    let part = OBSERVATIONS * rank / size..OBSERVATIONS * (rank + 1) / size;
    let (x, y): (Vec<[f64; 2]>, Vec<f64>) = part.map(observation).unzip();

    let mut theta = vec![0.0; 3];
    for step in 0..20 {
        let (value, gradient, hessian) = nll::value_gradient_and_hessian(&theta, &x, &y, &world);
        let norm = gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
        if rank == 0 {
            println!("step {step}: {value:.6}, norm of the gradient {norm:.1e}");
        }
        if norm < 1e-8 * OBSERVATIONS as f64 {
            break;
        }
        let matrix = nalgebra::Matrix3::from_fn(|i, j| hessian[(i, j)]);
        let right = nalgebra::Vector3::from_column_slice(&gradient);
        let move_by = matrix
            .lu()
            .solve(&right)
            .expect("the data determines the parameters");
        theta
            .iter_mut()
            .zip(&move_by)
            .for_each(|(theta, d)| *theta -= d);
    }
    println!(
        "rank {rank} of {size}, {} observations: {theta:.6?}",
        y.len()
    );
    assert!(world.is_same(&theta));

    if !std::env::args().any(|arg| arg == "--measure") {
        return;
    }
    for n in [1, 1_000, 1_000_000] {
        let theta = vec![1.0; n];
        let runs = if n < 1_000_000 { 200 } else { 5 };
        let time = |run: &dyn Fn()| {
            run();
            let start = Instant::now();
            (0..runs).for_each(|_| run());
            start.elapsed().as_secs_f64() / f64::from(runs) * 1e6
        };
        let value = time(&|| {
            std::hint::black_box(only_communication(&theta, &world));
        });
        let gradient = time(&|| {
            std::hint::black_box(only_communication::gradient(&theta, &world));
        });
        if rank == 0 {
            println!("sum of {n} numbers: value {value:.1} µs, gradient {gradient:.1} µs");
        }
    }
}

//! Communication between ranks: each test starts a program of this file under `mpirun`, on two and on four ranks.
//!
//! Without `mpirun` the tests say that they are skipped. A program that doesn't end within a minute is stopped, and fails its test: a deadlock.

#![allow(
    clippy::cast_precision_loss,
    clippy::needless_range_loop,
    clippy::range_plus_one,
    reason = "the functions under test are written as users may write them"
)]

use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use std::{env, io, thread};

use chainrule::mpi::{
    Ranks, RanksTangent, World, agreed, agreed_vec, all_gather, all_gather_vec, all_reduce,
    all_reduce_vec, broadcast, broadcast_vec, exchange, exchange_vec, gather, gather_vec, join,
    join_vec, receive, receive_vec, scatter, scatter_vec, send, send_vec,
};
use chainrule::prelude::*;

/// Tells a program how many ranks it has to have.
const RANKS: &str = "CHAINRULE_TEST_RANKS";

/// Settings of Open MPI, which other MPI libraries ignore: more ranks than cores, which let each other run while they wait, and tests in a container,
/// where every user is root.
const OPEN_MPI: [&str; 4] = [
    "OMPI_MCA_rmaps_base_oversubscribe",
    "OMPI_MCA_mpi_yield_when_idle",
    "OMPI_ALLOW_RUN_AS_ROOT",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
];

/// Runs a program of this file, which is an ignored test, on so many ranks. `None` without `mpirun`.
fn run(name: &str, ranks: usize) -> Option<Output> {
    let mut command = Command::new("mpirun");
    command
        .args(["-n", &ranks.to_string()])
        .arg(env::current_exe().unwrap())
        .args([
            name,
            "--exact",
            "--ignored",
            "--nocapture",
            "--test-threads=1",
        ])
        .envs(OPEN_MPI.map(|name| (name, "1")))
        .env(RANKS, ranks.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            println!("skipped: there is no `mpirun`, which starts the ranks");
            return None;
        }
        Err(error) => panic!("mpirun: {error}"),
    };
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!(
                "`{name}` on {ranks} ranks doesn't end: {:?}",
                child.wait_with_output()
            );
        }
        thread::sleep(Duration::from_millis(20));
    }
    Some(child.wait_with_output().unwrap())
}

/// The program passes on each of two and of four ranks.
fn passes(name: &str) {
    for ranks in [2, 4] {
        let Some(output) = run(name, ranks) else {
            return;
        };
        assert!(
            output.status.success(),
            "{name} on {ranks} ranks: {}\n{}\n{}",
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

/// The program ends on two ranks, with a message.
fn panics(name: &str, message: &str) {
    let Some(output) = run(name, 2) else { return };
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && text.contains(message),
        "{name}: {}\n{text}",
        output.status
    );
}

macro_rules! on_ranks {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            let _is_there: fn() = on_ranks::$name;
            passes(concat!("on_ranks::", stringify!($name)));
        }
    )*};
}
on_ranks! {
    likelihood operations_and_differences inner_products branches unused loops neighbours_in_a_ring single_precision vector_results forgotten_parameters compositions
}

macro_rules! loud {
    ($($name:ident: $message:literal)*) => {$(
        #[test]
        fn $name() {
            let _is_there: fn() = on_ranks::$name;
            panics(concat!("on_ranks::", stringify!($name)), $message);
        }
    )*};
}
loud! {
    no_join: "`ranks` that belong to the value: call `join(parameter, world)` inside"
    constant_ranks: "`all_reduce` runs without its rule inside of a derivative"
    not_shared: "the argument of `join`, or its tangent, is not the same on all ranks"
    direction_not_shared: "the argument of `join`, or its tangent, is not the same on all ranks"
    not_agreed: "the argument of `agreed`, or its tangent, is not the same on all ranks"
    agreed_is_missing: "return `agreed(result, &mut ranks)`"
    cotangents_differ: "the cotangent of `agreed` is not the same on all ranks"
    different_lengths: "rank 0: `all_reduce` of 1 numbers (f64); rank 1: `all_reduce` of 2 numbers (f64)"
    different_operations: "rank 0: `all_reduce` of 1 numbers (f64); rank 1: `all_gather` (f64)"
    different_rules: "rank 1 expects a value with its tangent (f64) from rank 0, which sent a value (f64)"
    different_roots: "`broadcast` names different ranks as its root: [0, 1]"
    no_such_rank: "`broadcast` names rank 7, of 2 ranks"
    to_itself: "`send` names its own rank 0"
    uneven_parts: "`scatter` of 3 numbers to 2 ranks"
    list_for_a_number: "a list of 2 numbers arrived where one number was expected"
    forgotten_and_checked: "forward rule"
    joined_twice: "is called between `join` and `agreed` takes `ranks: &mut Ranks`"
    pullbacks_out_of_order: "the pullback of `all_reduce` ran out of order"
}

/// The terms of a negative log likelihood with a nonlinear mean.
#[differentiable]
fn terms(theta: &[f64], sigma: f64, #[constant] x: &[f64], #[constant] y: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..y.len() {
        let r = y[i] - theta[0] * (theta[1] * x[i]).exp();
        sum += 0.5 * r * r / (sigma * sigma) + sigma.ln();
    }
    sum
}

/// The same for all ranks' data, with a prior.
#[differentiable]
fn nll(
    theta: &[f64],
    sigma: f64,
    #[constant] x: &[f64],
    #[constant] y: &[f64],
    #[constant] world: &World,
) -> f64 {
    let (all, mut ranks): (Vec<f64>, Ranks) = join_vec(&[theta[0], theta[1], sigma], world);
    let part = terms(&all[..2], all[2], x, y);
    let total = all_reduce(part, &mut ranks) + all[2] * all[0];
    agreed(total, &mut ranks)
}

#[differentiable]
fn serial(theta: &[f64], sigma: f64, #[constant] x: &[f64], #[constant] y: &[f64]) -> f64 {
    terms(theta, sigma, x, y) + sigma * theta[0]
}

/// Each operation once, for numbers and lists, with nonlinear functions between them.
#[differentiable]
fn everything(theta: &[f64], #[constant] world: &World) -> f64 {
    let (theta, mut ranks): (Vec<f64>, Ranks) = join_vec(theta, world);
    let (r, n) = (world.rank(), world.size());
    let mine: f64 = (theta[0] * (r as f64 + 1.0)).sin() + theta[1];
    let list = [mine * theta[1], mine * mine, theta[2].exp()];
    // An uneven part.
    let part = &list[..1 + r % 3];

    let a: f64 = all_reduce(mine, &mut ranks);
    let b: Vec<f64> = all_reduce_vec(&list, &mut ranks);
    let c: f64 = broadcast(mine * a, 1, &mut ranks);
    let d: Vec<f64> = broadcast_vec(part, n - 1, &mut ranks);
    let e: Vec<f64> = all_gather(mine * c, &mut ranks);
    let f: Vec<f64> = all_gather_vec(part, &mut ranks);
    let g: Vec<f64> = gather(mine * d[0], 1, &mut ranks);
    let h: Vec<f64> = gather_vec(part, 0, &mut ranks);
    let i: f64 = scatter(&g, 1, &mut ranks);
    let twice: Vec<f64> = all_gather_vec(&[mine, a * mine], &mut ranks);
    let j: Vec<f64> = scatter_vec(&twice, 0, &mut ranks);
    let k: f64 = exchange(mine * i, (r + 1) % n, (r + n - 1) % n, &mut ranks);
    let l: Vec<f64> = exchange_vec(part, (r + n - 1) % n, (r + 1) % n, &mut ranks);

    let mut sum = a * b[2] + c * c + e[0] * e[1] + i * j[1] + k * theta[1];
    for v in f {
        sum += v * v;
    }
    for v in h {
        sum += v * v * v;
    }
    for v in l {
        sum += v * v * k;
    }
    if r == 0 {
        send(sum * mine, 1, &mut ranks);
        send_vec(&[sum, mine], 1, &mut ranks);
    } else if r == 1 {
        let x: f64 = receive(0, &mut ranks);
        let y: Vec<f64> = receive_vec(0, &mut ranks);
        sum += x * y[0] * y[1];
    }
    let total = all_reduce(sum, &mut ranks) * b[0];
    agreed(total, &mut ranks)
}

/// Two functions that join, one after the other, outside of each other.
#[differentiable]
fn composed(x: f64, #[constant] world: &World) -> f64 {
    let y = cubes(x, world);
    cubes(y.sin(), world) + y * x
}

/// `size² x³`.
#[differentiable]
fn cubes(x: f64, #[constant] world: &World) -> f64 {
    let (x, mut ranks): (f64, Ranks) = join(x, world);
    let total: f64 = all_reduce(x * x, &mut ranks);
    let other: f64 = all_reduce(x, &mut ranks);
    agreed(total * other, &mut ranks)
}

#[differentiable]
fn composed_alone(x: f64, n: f64) -> f64 {
    let y = n * n * x * x * x;
    n * n * y.sin().powi(3) + y * x
}

/// Rank 0 sends in a loop that adds up a sum, rank 1 receives in another one.
#[differentiable]
fn branching(x: f64, n: usize, #[constant] world: &World) -> f64 {
    let (x, mut ranks): (f64, Ranks) = join(x, world);
    let mut sum = 0.0;
    if world.rank() == 0 {
        let mut last = x;
        for i in 0..n {
            last = last * x + i as f64;
            send(last, 1, &mut ranks);
            sum += x;
        }
    } else if world.rank() == 1 {
        for _ in 0..n {
            let y: f64 = receive(0, &mut ranks);
            sum += y * y;
        }
    }
    let total = all_reduce(sum, &mut ranks);
    agreed(total, &mut ranks)
}

#[differentiable]
fn branching_alone(x: f64, n: usize) -> f64 {
    let mut sum = 0.0;
    let mut last = x;
    for i in 0..n {
        last = last * x + i as f64;
        sum += x + last * last;
    }
    sum
}

/// Results that nothing is made of, on some ranks or on all, sent constants, and a function called for its effects.
#[differentiable]
fn careless(x: f64, #[constant] world: &World) -> f64 {
    let (x, mut ranks): (f64, Ranks) = join(x, world);
    let _unused: f64 = all_reduce(x * x, &mut ranks);
    let mut sum = x;
    if world.rank() == 0 {
        sum += all_reduce(x, &mut ranks);
        send(3.0, 1, &mut ranks);
    } else {
        let _: f64 = all_reduce(2.0, &mut ranks);
        if world.rank() == 1 {
            let y: f64 = receive(0, &mut ranks);
            sum *= y;
        }
    }
    ignored(x, &mut ranks);
    let total = broadcast(sum, 1, &mut ranks);
    let other = broadcast(sum, 0, &mut ranks);
    agreed(total * other, &mut ranks)
}

#[differentiable]
fn ignored(x: f64, ranks: &mut Ranks) {
    let y: f64 = all_reduce(x, ranks);
    let z: f64 = broadcast(y * 0.0, 0, ranks);
    let _ = z * y;
}

/// Communications in loops of every form: of sums, of products, `while`, and left early.
#[differentiable]
fn looping(x: &[f64], n: usize, #[constant] world: &World) -> f64 {
    let (x, mut ranks): (Vec<f64>, Ranks) = join_vec(x, world);
    let weight = 1.0 + world.rank() as f64;
    let mut sum = 0.0;
    for i in 0..n {
        sum += all_reduce(x[0] * weight * i as f64, &mut ranks).sin();
    }
    let mut product: f64 = x[1];
    let mut k = 0;
    while k < n {
        product = all_reduce(product * weight, &mut ranks) * 0.3;
        if product > 5.0 {
            break;
        }
        k += 1;
    }
    let mut list = vec![0.0; n];
    for i in 0..n {
        list[i] = step(x[0], i, &mut ranks);
    }
    let total: f64 = list.iter().sum();
    agreed(sum * product + total, &mut ranks)
}

#[differentiable]
fn step(x: f64, i: usize, ranks: &mut Ranks) -> f64 {
    let own = x * (ranks.rank() + i) as f64;
    all_reduce(own * own, ranks)
}

#[differentiable]
fn looping_alone(x: &[f64], n: usize, size: usize) -> f64 {
    let mut weights = 0.0;
    for r in 0..size {
        weights += 1.0 + r as f64;
    }
    let mut sum = 0.0;
    for i in 0..n {
        sum += (x[0] * weights * i as f64).sin();
    }
    let mut product: f64 = x[1];
    let mut k = 0;
    while k < n {
        product = product * weights * 0.3;
        if product > 5.0 {
            break;
        }
        k += 1;
    }
    let mut total = 0.0;
    for i in 0..n {
        for r in 0..size {
            total += (x[0] * (r + i) as f64).powi(2);
        }
    }
    sum * product + total
}

/// Heat in a ring of cells, of which each rank has some of its own.
#[differentiable]
fn ring(cells: &[f64], rate: f64, #[constant] steps: usize, #[constant] world: &World) -> f64 {
    let (rate, mut ranks): (f64, Ranks) = join(rate, world);
    let (r, size) = (world.rank(), world.size());
    let (left, right) = ((r + size - 1) % size, (r + 1) % size);
    let n = cells.len();
    let mut now = cells.to_vec();
    for _ in 0..steps {
        let from_left: f64 = exchange(now[n - 1], right, left, &mut ranks);
        let from_right: f64 = exchange(now[0], left, right, &mut ranks);
        let mut next = vec![0.0; n];
        for i in 0..n {
            let before = if i > 0 { now[i - 1] } else { from_left };
            let after = if i + 1 < n { now[i + 1] } else { from_right };
            next[i] = now[i] + rate * (before - 2.0 * now[i] + after) * now[i];
        }
        now = next;
    }
    let mut energy = 0.0;
    for i in 0..n {
        energy += now[i] * now[i];
    }
    let total = all_reduce(energy, &mut ranks);
    agreed(total, &mut ranks)
}

#[differentiable]
fn ring_alone(cells: &[f64], rate: f64, #[constant] steps: usize) -> f64 {
    let n = cells.len();
    let mut now = cells.to_vec();
    for _ in 0..steps {
        let mut next = vec![0.0; n];
        for i in 0..n {
            next[i] =
                now[i] + rate * (now[(i + n - 1) % n] - 2.0 * now[i] + now[(i + 1) % n]) * now[i];
        }
        now = next;
    }
    let mut energy = 0.0;
    for i in 0..n {
        energy += now[i] * now[i];
    }
    energy
}

#[differentiable]
fn single(x: f32, #[constant] world: &World) -> f32 {
    let (x, mut ranks): (f32, Ranks) = chainrule::mpi::single::join(x, world);
    let r = world.rank() as f32;
    let y = chainrule::mpi::single::all_reduce(x * x * r, &mut ranks);
    chainrule::mpi::single::agreed(y, &mut ranks)
}

#[differentiable]
fn moments(x: &[f64], #[constant] world: &World) -> Vec<f64> {
    let (x, mut ranks): (Vec<f64>, Ranks) = join_vec(x, world);
    let r = world.rank() as f64;
    let sums: Vec<f64> = all_reduce_vec(&[x[0] * r, x[0] * x[1], x[1]], &mut ranks);
    agreed_vec(&sums, &mut ranks)
}

mod wrong {
    use super::*;

    /// Joins inside of a function that has joined.
    #[differentiable]
    pub(super) fn nested(x: f64, #[constant] world: &World) -> f64 {
        let (x, mut ranks): (f64, Ranks) = join(x, world);
        agreed(cubes(x, world), &mut ranks)
    }

    /// The second parameter doesn't go through `join`.
    #[differentiable]
    pub(super) fn forgotten(x: f64, y: f64, #[constant] world: &World) -> f64 {
        let (x, mut ranks): (f64, Ranks) = join(x, world);
        let total = all_reduce(x * y * (1.0 + world.rank() as f64), &mut ranks);
        agreed(total, &mut ranks)
    }

    #[differentiable(checked)]
    pub(super) fn forgotten_checked(x: f64, y: f64, #[constant] world: &World) -> f64 {
        let (x, mut ranks): (f64, Ranks) = join(x, world);
        let total = all_reduce(x * y * (1.0 + world.rank() as f64), &mut ranks);
        agreed(total, &mut ranks)
    }

    #[differentiable]
    pub(super) fn helper(x: f64, ranks: &mut Ranks) -> f64 {
        all_reduce(x, ranks)
    }

    #[differentiable]
    pub(super) fn own_direction(x: f64, #[constant] world: &World) -> f64 {
        let (x, mut ranks): (f64, Ranks) = join(x, world);
        agreed(x * x, &mut ranks)
    }

    #[differentiable]
    pub(super) fn part_only(x: f64, #[constant] world: &World) -> f64 {
        let (x, mut ranks): (f64, Ranks) = join(x, world);
        agreed(x * world.rank() as f64, &mut ranks)
    }

    #[differentiable]
    pub(super) fn not_returned(x: f64, #[constant] world: &World) -> f64 {
        let (x, mut ranks): (f64, Ranks) = join(x, world);
        all_reduce(x, &mut ranks)
    }

    #[differentiable]
    pub(super) fn scaled_after(x: f64, #[constant] world: &World) -> f64 {
        let (x, mut ranks): (f64, Ranks) = join(x, world);
        agreed(x, &mut ranks) * world.rank() as f64
    }

    #[differentiable]
    pub(super) fn lengths(x: f64, #[constant] world: &World) -> f64 {
        let (x, mut ranks): (f64, Ranks) = join(x, world);
        let list = [x, x];
        let sums: Vec<f64> = all_reduce_vec(&list[..=world.rank()], &mut ranks);
        agreed(sums[0], &mut ranks)
    }

    #[differentiable]
    pub(super) fn operations(x: f64, #[constant] world: &World) -> f64 {
        let (x, mut ranks): (f64, Ranks) = join(x, world);
        let mut sum = 0.0;
        if world.rank() == 0 {
            sum += all_reduce(x, &mut ranks);
        } else {
            let all: Vec<f64> = all_gather(x, &mut ranks);
            sum += all[0];
        }
        agreed(sum, &mut ranks)
    }

    #[differentiable]
    pub(super) fn roots(x: f64, #[constant] world: &World) -> f64 {
        let (x, mut ranks): (f64, Ranks) = join(x, world);
        agreed(broadcast(x, world.rank(), &mut ranks), &mut ranks)
    }
}

fn data() -> (Vec<f64>, Vec<f64>) {
    let x: Vec<f64> = (0..23).map(|i| f64::from(i) * 0.1).collect();
    let y = x
        .iter()
        .map(|x| 1.5 * (0.3 * x).exp() + (7.0 * x).sin() * 0.1)
        .collect();
    (x, y)
}

#[track_caller]
fn close(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() <= tolerance * (1.0 + y.abs()), "{a:?} {b:?}");
    }
}

/// The programs.
mod on_ranks {
    use chainrule::Matrix;

    use super::*;

    /// The ranks of this program, which are as many as its test wants.
    fn started() -> World {
        let world = World::start();
        assert_eq!(env::var(RANKS).as_deref(), Ok(&*world.size().to_string()));
        world
    }

    #[test]
    #[ignore = "runs on several ranks"]
    pub(super) fn likelihood() {
        let world = started();
        let (x, y) = data();
        let (r, n) = (world.rank(), world.size());
        let part = x.len() * r / n..x.len() * (r + 1) / n;
        let (xs, ys) = (&x[part.clone()], &y[part]);
        let (theta, sigma) = ([1.2, 0.4], 0.7);

        let whole = serial::value_and_gradient(&theta, sigma, &x, &y);
        let (value, (theta_bar, sigma_bar)) =
            nll::value_and_gradient(&theta, sigma, xs, ys, &world);
        assert_eq!(
            value.to_bits(),
            nll(&theta, sigma, xs, ys, &world).to_bits()
        );
        close(&[value, sigma_bar], &[whole.0, whole.1.1], 1e-12);
        close(&theta_bar, &whole.1.0, 1e-12);
        let (theta_bar, _) = nll::gradient(&theta, sigma, xs, ys, &world);
        close(&theta_bar, &whole.1.0, 1e-12);
        let (value, (theta_bar, sigma_bar)) = nll::vjp(&theta, sigma, xs, ys, &world, 2.0);
        assert_eq!(
            value.to_bits(),
            nll(&theta, sigma, xs, ys, &world).to_bits()
        );
        close(
            &theta_bar,
            &whole.1.0.iter().map(|x| 2.0 * x).collect::<Vec<_>>(),
            1e-12,
        );
        close(&[sigma_bar], &[2.0 * whole.1.1], 1e-12);

        let (v, s) = ([0.3, -0.2], 0.1);
        let (value, dot) = nll::jvp(&theta, sigma, xs, ys, &world, &v, s);
        assert_eq!(
            value.to_bits(),
            nll(&theta, sigma, xs, ys, &world).to_bits()
        );
        close(
            &[dot],
            &[serial::jvp(&theta, sigma, &x, &y, &v, s).1],
            1e-12,
        );
        let (h, k) = nll::hvp(&theta, sigma, xs, ys, &world, &v, s);
        let expected = serial::hvp(&theta, sigma, &x, &y, &v, s);
        close(&h, &expected.0, 1e-12);
        close(&[k], &[expected.1], 1e-12);
        let blocks = |((a, b), (c, d)): ((Matrix, Matrix), (Matrix, Matrix))| {
            [a, b, c, d]
                .iter()
                .flat_map(|m| m.as_slice().to_vec())
                .collect::<Vec<f64>>()
        };
        let hessian = blocks(nll::hessian(&theta, sigma, xs, ys, &world));
        close(
            &hessian,
            &blocks(serial::hessian(&theta, sigma, &x, &y)),
            1e-12,
        );
    }

    #[test]
    #[ignore = "runs on several ranks"]
    pub(super) fn operations_and_differences() {
        let world = started();
        let (theta, v) = ([0.3, 0.7, -0.4], [0.5, -0.25, 1.0]);
        let along = |h: f64| [0, 1, 2].map(|i| theta[i] + h * v[i]);
        let h = 1e-5;
        let value = everything(&theta, &world);
        let (reverse, gradient) = everything::value_and_gradient(&theta, &world);
        let (forward, dot) = everything::jvp(&theta, &world, &v);
        assert_eq!([reverse.to_bits(), forward.to_bits()], [value.to_bits(); 2]);
        let slope = (everything(&along(h), &world) - everything(&along(-h), &world)) / (2.0 * h);
        close(&[dot], &[slope], 1e-7);
        close(
            &[gradient.iter().zip(v).map(|(g, v)| g * v).sum()],
            &[dot],
            1e-12,
        );
        let hvp = everything::hvp(&theta, &world, &v);
        let (up, down) = (
            everything::gradient(&along(h), &world),
            everything::gradient(&along(-h), &world),
        );
        let curvature: Vec<f64> = up
            .iter()
            .zip(&down)
            .map(|(a, b)| (a - b) / (2.0 * h))
            .collect();
        close(&hvp, &curvature, 1e-6);
    }

    /// The inner products of both sides, summed over ranks, and the values of both rules.
    fn compare(world: &World, values: [&[f64]; 3], y: (&[f64], &[f64]), x: (&[f64], &[f64])) {
        let bits = |list: &[f64]| list.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(
            [bits(values[1]), bits(values[2])],
            [bits(values[0]), bits(values[0])]
        );
        let product = |(a, b): (&[f64], &[f64])| {
            assert_eq!(a.len(), b.len());
            a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>()
        };
        let (_, mut ranks) = join(0.0, world);
        let sums = all_reduce_vec(&[product(y), product(x)], &mut ranks);
        assert!(sums[0].abs() > 1e-3);
        close(&[sums[0]], &[sums[1]], 1e-13);
    }

    /// Numbers that differ between ranks and places.
    fn numbers(world: &World, n: usize, seed: f64) -> Vec<f64> {
        let r = world.rank() as f64;
        (0..n)
            .map(|i| (seed + 1.7 * r + 0.6 * i as f64).sin())
            .collect()
    }

    fn ranks_of_rules(world: &World) -> (Ranks, Ranks, Ranks) {
        let (_, value) = join(0.0, world);
        let Dual((_, forward), _) = join::frule(Dual(0.0, 0.0), world);
        let ((_, reverse), _) = join::rrule(0.0, world);
        (value, forward, reverse)
    }

    macro_rules! number {
        ($world:ident, $f:ident($($c:expr),*)) => {{
            let (mut value, mut forward, mut reverse) = ranks_of_rules(&$world);
            let (x, x_dot) = (numbers(&$world, 1, 0.1)[0], numbers(&$world, 1, 0.4)[0]);
            let y0 = $f(x, $($c,)* &mut value).all();
            let Dual(y1, y_dot) = $f::frule(Dual(x, x_dot), $($c,)* Dual(&mut forward, &mut RanksTangent));
            let (y2, pullback) = $f::rrule(x, $($c,)* &mut reverse);
            let (y1, y2, y_dot) = (y1.all(), y2.all(), y_dot.all());
            let y_bar = numbers(&$world, y_dot.len(), 0.9);
            let x_bar = pullback(All::from_all(&y_bar), CoDual(&mut reverse, &mut RanksTangent));
            compare(&$world, [&y0, &y1, &y2], (&y_bar, &y_dot), (&[x_bar], &[x_dot]));
        }};
    }

    macro_rules! list {
        ($world:ident, $f:ident($n:expr $(, $c:expr)*)) => {{
            let (mut value, mut forward, mut reverse) = ranks_of_rules(&$world);
            let (x, x_dot) = (numbers(&$world, $n, 0.1), numbers(&$world, $n, 0.4));
            let y0 = $f(&x, $($c,)* &mut value).all();
            let Dual(y1, y_dot) = $f::frule(Dual(&x, &x_dot), $($c,)* Dual(&mut forward, &mut RanksTangent));
            let (y2, pullback) = $f::rrule(&x, $($c,)* &mut reverse);
            let (y1, y2, y_dot) = (y1.all(), y2.all(), y_dot.all());
            let y_bar = numbers(&$world, y_dot.len(), 0.9);
            // The pullback adds.
            let mut x_bar = vec![1.0; x.len()];
            pullback(All::from_all(&y_bar), CoDual(&x, &mut x_bar), CoDual(&mut reverse, &mut RanksTangent));
            x_bar.iter_mut().for_each(|x_bar| *x_bar -= 1.0);
            compare(&$world, [&y0, &y1, &y2], (&y_bar, &y_dot), (&x_bar, &x_dot));
        }};
    }

    /// Numbers and lists as lists.
    trait All {
        fn all(self) -> Vec<f64>;
        fn from_all(list: &[f64]) -> Self;
    }

    impl All for f64 {
        fn all(self) -> Vec<f64> {
            vec![self]
        }
        fn from_all(list: &[f64]) -> Self {
            list[0]
        }
    }

    impl All for Vec<f64> {
        fn all(self) -> Vec<f64> {
            self
        }
        fn from_all(list: &[f64]) -> Self {
            list.to_vec()
        }
    }

    #[test]
    #[ignore = "runs on several ranks"]
    pub(super) fn inner_products() {
        let world = started();
        let (r, n) = (world.rank(), world.size());
        number!(world, all_reduce());
        list!(world, all_reduce_vec(3));
        for root in 0..n {
            number!(world, broadcast(root));
            list!(world, broadcast_vec(2 + r, root));
            number!(world, gather(root));
            list!(world, gather_vec(r + 1, root));
            list!(world, scatter(n, root));
            list!(world, scatter_vec(3 * n, root));
        }
        number!(world, all_gather());
        list!(world, all_gather_vec(r + 1));
        number!(world, exchange((r + 1) % n, (r + n - 1) % n));
        list!(world, exchange_vec(r + 2, (r + 1) % n, (r + n - 1) % n));

        // One side sends, the other one receives: the sums over ranks count both.
        let (mut value, mut forward, mut reverse) = ranks_of_rules(&world);
        let (x, x_dot) = (numbers(&world, 3, 0.1), numbers(&world, 3, 0.4));
        if r == 0 {
            send_vec(&x, 1, &mut value);
            let _ = send_vec::frule(Dual(&x, &x_dot), 1, Dual(&mut forward, &mut RanksTangent));
            let ((), pullback) = send_vec::rrule(&x, 1, &mut reverse);
            let mut x_bar = vec![0.0; 3];
            pullback(
                NoTangent,
                CoDual(&x, &mut x_bar),
                CoDual(&mut reverse, &mut RanksTangent),
            );
            compare(&world, [&[]; 3], (&[], &[]), (&x_bar, &x_dot));
        } else if r == 1 {
            let y0 = receive_vec(0, &mut value);
            let Dual(y1, y_dot) = receive_vec::frule(0, Dual(&mut forward, &mut RanksTangent));
            let (y2, pullback) = receive_vec::rrule(0, &mut reverse);
            let y_bar = numbers(&world, 3, 0.9);
            pullback(y_bar.clone(), CoDual(&mut reverse, &mut RanksTangent));
            compare(&world, [&y0, &y1, &y2], (&y_bar, &y_dot), (&[], &[]));
        } else {
            compare(&world, [&[]; 3], (&[], &[]), (&[], &[]));
        }
    }

    #[test]
    #[ignore = "runs on several ranks"]
    pub(super) fn branches() {
        let world = started();
        for n in 0..4 {
            close(
                &[branching(0.7, n, &world)],
                &[branching_alone(0.7, n)],
                1e-13,
            );
            close(
                &[branching::gradient(0.7, n, &world)],
                &[branching_alone::gradient(0.7, n)],
                1e-13,
            );
            close(
                &[branching::derivative(0.7, n, &world)],
                &[branching_alone::derivative(0.7, n)],
                1e-13,
            );
            close(
                &[branching::hvp(0.7, n, &world, 1.5)],
                &[branching_alone::hvp(0.7, n, 1.5)],
                1e-13,
            );
        }
    }

    #[test]
    #[ignore = "runs on several ranks"]
    pub(super) fn unused() {
        let world = started();
        // On rank 1: 3 x. On rank 0: x + (x + 2 (n - 1)).
        let n = world.size() as f64;
        let (x, c) = (0.7, 2.0 * (n - 1.0));
        close(&[careless(x, &world)], &[3.0 * x * (2.0 * x + c)], 1e-13);
        close(
            &[careless::gradient(x, &world)],
            &[12.0 * x + 3.0 * c],
            1e-13,
        );
        close(
            &[careless::vjp(x, &world, 1.0).1],
            &[12.0 * x + 3.0 * c],
            1e-13,
        );
        close(
            &[careless::derivative(x, &world)],
            &[12.0 * x + 3.0 * c],
            1e-13,
        );
        close(&[careless::hvp(x, &world, 1.0)], &[12.0], 1e-13);
    }

    #[test]
    #[ignore = "runs on several ranks"]
    pub(super) fn loops() {
        let world = started();
        let size = world.size();
        for n in 0..5 {
            let x = [0.2, 0.9];
            close(
                &[looping(&x, n, &world)],
                &[looping_alone(&x, n, size)],
                1e-12,
            );
            close(
                &looping::gradient(&x, n, &world),
                &looping_alone::gradient(&x, n, size),
                1e-12,
            );
            let v = [1.0, -0.5];
            close(
                &[looping::jvp(&x, n, &world, &v).1],
                &[looping_alone::jvp(&x, n, size, &v).1],
                1e-12,
            );
            close(
                &looping::hvp(&x, n, &world, &v),
                &looping_alone::hvp(&x, n, size, &v),
                1e-11,
            );
        }
    }

    #[test]
    #[ignore = "runs on several ranks"]
    pub(super) fn neighbours_in_a_ring() {
        let world = started();
        let (r, size) = (world.rank(), world.size());
        let all: Vec<f64> = (0..3 * size).map(|i| 1.0 + (i as f64).sin()).collect();
        let own = 3 * r..3 * r + 3;
        let (own_bar, rate_bar) = ring::gradient(&all[own.clone()], 0.1, 4, &world);
        let (all_bar, rate_alone) = ring_alone::gradient(&all, 0.1, 4);
        close(&own_bar, &all_bar[own.clone()], 1e-12);
        close(&[rate_bar], &[rate_alone], 1e-12);
        let v: Vec<f64> = (0..3 * size).map(|i| (i as f64).cos()).collect();
        let (h, k) = ring::hvp(&all[own.clone()], 0.1, 4, &world, &v[own.clone()], 0.5);
        let (h_alone, k_alone) = ring_alone::hvp(&all, 0.1, 4, &v, 0.5);
        close(&h, &h_alone[own], 1e-11);
        close(&[k], &[k_alone], 1e-11);
    }

    #[test]
    #[ignore = "runs on several ranks"]
    pub(super) fn single_precision() {
        let world = started();
        let sum: f32 = (0..world.size()).map(|r| r as f32).sum();
        assert_eq!(
            single::value_and_gradient(1.5, &world),
            (2.25 * sum, 3.0 * sum)
        );
        assert_eq!(single::hvp(1.5, &world, 1.0), 2.0 * sum);
    }

    #[test]
    #[ignore = "runs on several ranks"]
    pub(super) fn vector_results() {
        let world = started();
        let n = world.size() as f64;
        let ranks = n * (n - 1.0) / 2.0;
        let jacobian = moments::jacobian(&[2.0, 3.0], &world);
        close(
            jacobian.as_slice(),
            &[ranks, 0.0, 3.0 * n, 2.0 * n, 0.0, n],
            1e-14,
        );
        let (_, x_bar) = moments::vjp(&[2.0, 3.0], &world, vec![1.0, 2.0, 3.0]);
        close(&x_bar, &[ranks + 6.0 * n, 4.0 * n + 3.0 * n], 1e-14);
    }

    #[test]
    #[ignore = "runs on several ranks"]
    pub(super) fn forgotten_parameters() {
        let world = started();
        let (x_bar, y_bar) = wrong::forgotten::gradient(2.0, 3.0, &world);
        assert!(world.is_same(&[x_bar]) && !world.is_same(&[y_bar]));
    }

    #[test]
    #[ignore = "runs on several ranks"]
    pub(super) fn forgotten_and_checked() {
        let world = started();
        let _ = wrong::forgotten_checked::gradient(2.0, 3.0, &world);
    }

    #[test]
    #[ignore = "runs on several ranks"]
    pub(super) fn compositions() {
        let world = started();
        let n = world.size() as f64;
        close(
            &[composed::gradient(0.4, &world)],
            &[composed_alone::gradient(0.4, n).0],
            1e-12,
        );
        close(
            &[composed::hvp(0.4, &world, 1.0)],
            &[composed_alone::hvp(0.4, n, 1.0, 0.0).0],
            1e-12,
        );
    }

    #[test]
    #[ignore = "runs on several ranks"]
    pub(super) fn joined_twice() {
        let world = started();
        let _ = wrong::nested::gradient(0.4, &world);
    }

    #[test]
    #[ignore = "runs on several ranks"]
    pub(super) fn no_join() {
        let world = started();
        let (_, mut ranks) = join(0.0, &world);
        let _ = wrong::helper::gradient(1.0, &mut ranks);
    }

    #[test]
    #[ignore = "runs on several ranks"]
    pub(super) fn constant_ranks() {
        let world = started();
        let ((_, mut ranks), _) = join::rrule(0.0, &world);
        all_reduce(1.0, &mut ranks);
    }

    #[test]
    #[ignore = "runs on several ranks"]
    pub(super) fn not_shared() {
        let world = started();
        let _ = wrong::own_direction::gradient(world.rank() as f64, &world);
    }

    #[test]
    #[ignore = "runs on several ranks"]
    pub(super) fn direction_not_shared() {
        let world = started();
        let _ = wrong::own_direction::jvp(1.0, &world, world.rank() as f64);
    }

    #[test]
    #[ignore = "runs on several ranks"]
    pub(super) fn not_agreed() {
        let world = started();
        let _ = wrong::part_only::gradient(1.0, &world);
    }

    #[test]
    #[ignore = "runs on several ranks"]
    pub(super) fn agreed_is_missing() {
        let world = started();
        let _ = wrong::not_returned::gradient(1.0, &world);
    }

    #[test]
    #[ignore = "runs on several ranks"]
    pub(super) fn cotangents_differ() {
        let world = started();
        let _ = wrong::scaled_after::gradient(1.0, &world);
    }

    #[test]
    #[ignore = "runs on several ranks"]
    pub(super) fn different_lengths() {
        let world = started();
        let _ = wrong::lengths::gradient(1.0, &world);
    }

    #[test]
    #[ignore = "runs on several ranks"]
    pub(super) fn different_operations() {
        let world = started();
        let _ = wrong::operations::gradient(1.0, &world);
    }

    #[test]
    #[ignore = "runs on several ranks"]
    pub(super) fn different_rules() {
        let world = started();
        let (_, mut value) = join(0.0, &world);
        if world.rank() == 0 {
            let _ = join::frule(Dual(0.0, 0.0), &world);
            send(1.0, 1, &mut value);
        } else {
            let Dual((_, mut forward), _) = join::frule(Dual(0.0, 0.0), &world);
            let _ = receive::frule(0, Dual(&mut forward, &mut RanksTangent));
        }
    }

    #[test]
    #[ignore = "runs on several ranks"]
    pub(super) fn different_roots() {
        let world = started();
        let _ = wrong::roots::gradient(1.0, &world);
    }

    #[test]
    #[ignore = "runs on several ranks"]
    pub(super) fn no_such_rank() {
        let world = started();
        let (_, mut ranks) = join(0.0, &world);
        broadcast(1.0, 7, &mut ranks);
    }

    #[test]
    #[ignore = "runs on several ranks"]
    pub(super) fn to_itself() {
        let world = started();
        let (_, mut ranks) = join(0.0, &world);
        send(1.0, 0, &mut ranks);
    }

    #[test]
    #[ignore = "runs on several ranks"]
    pub(super) fn uneven_parts() {
        let world = started();
        let (_, mut ranks) = join(0.0, &world);
        scatter_vec(&[1.0, 2.0, 3.0], 0, &mut ranks);
    }

    #[test]
    #[ignore = "runs on several ranks"]
    pub(super) fn list_for_a_number() {
        let world = started();
        let (_, mut ranks) = join(0.0, &world);
        if world.rank() == 0 {
            send_vec(&[1.0, 2.0], 1, &mut ranks);
        } else {
            receive(0, &mut ranks);
        }
    }

    #[test]
    #[ignore = "runs on several ranks"]
    pub(super) fn pullbacks_out_of_order() {
        let world = started();
        let ((_, mut ranks), _) = join::rrule(0.0, &world);
        let (_, first) = all_reduce::rrule(1.0, &mut ranks);
        let (_, _second) = all_reduce::rrule(1.0, &mut ranks);
        first(1.0, CoDual(&mut ranks, &mut RanksTangent));
    }
}

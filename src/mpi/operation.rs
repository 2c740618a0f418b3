//! The communications as linear maps between the sums of all ranks' spaces, and their adjoints.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use core::ops::AddAssign;

use ::mpi::collective::SystemOperation;
use ::mpi::datatype::{Partition, PartitionMut};
use ::mpi::point_to_point::send_receive_into_with_tags;
use ::mpi::traits::{
    Communicator, CommunicatorCollectives, Destination, Equivalence, Root, Source,
};

use super::world::{Inner, zeros};

/// `f32` or `f64`.
pub(super) trait Number: Equivalence + Copy + Default + AddAssign + 'static {
    const BITS: i32;
    fn bits(self) -> u64;
}

impl Number for f64 {
    const BITS: i32 = 64;
    fn bits(self) -> u64 {
        self.to_bits()
    }
}

impl Number for f32 {
    const BITS: i32 = 32;
    fn bits(self) -> u64 {
        self.to_bits().into()
    }
}

/// Values, or values with their tangents, which travel together.
pub(super) type Lanes<'a, F, const N: usize> = [&'a [F]; N];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Value,
    Adjoint,
}

/// A communication. The numbers are ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Join,
    Agreed,
    AllReduce,
    Broadcast { root: usize },
    AllGather,
    Gather { root: usize },
    Scatter { root: usize },
    Send { to: usize },
    Receive { from: usize },
    Exchange { to: usize, from: usize },
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NAMES[self.code()])
    }
}

const NAMES: [&str; 10] = [
    "join",
    "agreed",
    "all_reduce",
    "broadcast",
    "all_gather",
    "gather",
    "scatter",
    "send",
    "receive",
    "exchange",
];

impl Operation {
    fn code(self) -> usize {
        match self {
            Operation::Join => 0,
            Operation::Agreed => 1,
            Operation::AllReduce => 2,
            Operation::Broadcast { .. } => 3,
            Operation::AllGather => 4,
            Operation::Gather { .. } => 5,
            Operation::Scatter { .. } => 6,
            Operation::Send { .. } => 7,
            Operation::Receive { .. } => 8,
            Operation::Exchange { .. } => 9,
        }
    }

    /// The result on this rank.
    #[track_caller]
    pub(super) fn apply<F: Number, const N: usize>(
        self,
        phase: Phase,
        x: Lanes<'_, F, N>,
        at: &Inner,
    ) -> [Vec<F>; N] {
        self.check_ranks(at);
        let n = x[0].len();
        for lane in &x {
            assert!(
                lane.len() == n,
                "the tangent of `{self}`'s argument has length {}, the value {n}",
                lane.len()
            );
        }
        match self {
            Operation::Join | Operation::Agreed => {
                self.meet(phase, x, Some(n), content(&x), at);
                x.map(<[F]>::to_vec)
            }
            Operation::AllReduce => {
                self.meet(phase, x, Some(n), 0, at);
                x.map(|x| sum(x, at))
            }
            Operation::Broadcast { root } => {
                self.meet(phase, x, None, root as u64, at);
                let n = from_root(n, root, at);
                x.map(|x| broadcast(x, n, root, at))
            }
            Operation::AllGather => {
                self.meet(phase, x, None, 0, at);
                let counts = counts(n, at);
                x.map(|x| {
                    let mut y = zeros(total(&counts));
                    let places = offsets(&counts);
                    let mut parts = PartitionMut::new(&mut y[..], &counts[..], &places[..]);
                    at.communicator.all_gather_varcount_into(x, &mut parts);
                    y
                })
            }
            Operation::Gather { root } => {
                self.meet(phase, x, None, root as u64, at);
                let counts = counts(n, at);
                x.map(|x| gather(x, &counts, root, at))
            }
            Operation::Scatter { root } => {
                self.meet(phase, x, None, root as u64, at);
                let n = from_root(n, root, at);
                let size = at.size();
                assert!(
                    n.is_multiple_of(size),
                    "`scatter` of {n} numbers to {size} ranks: the length has to be a multiple of the number of ranks"
                );
                let counts = vec![count(n / size); size];
                x.map(|x| scatter(x, &counts, root, at))
            }
            Operation::Send { to } => x.map(|x| {
                send(x, to, self.tag::<F>(phase, N), at);
                Vec::new()
            }),
            Operation::Receive { from } => x.map(|_| receive(from, self.tag::<F>(phase, N), at)),
            Operation::Exchange { to, from } => {
                let tag = self.tag::<F>(phase, N);
                let n_from = exchange(&[n as u64], 1, to, from, tag, at)[0];
                let n_from = usize::try_from(n_from).expect("lengths fit");
                x.map(|x| exchange(x, n_from, to, from, tag, at))
            }
        }
    }

    /// The cotangent of the argument on this rank, which had `n` numbers.
    #[track_caller]
    pub(super) fn adjoint<F: Number, const N: usize>(
        self,
        y_bar: Lanes<'_, F, N>,
        n: usize,
        at: &Inner,
    ) -> [Vec<F>; N] {
        let phase = Phase::Adjoint;
        match self {
            // All ranks have the same value: each contributes its part.
            Operation::Join | Operation::AllReduce => {
                self.meet(phase, y_bar, Some(n), 0, at);
                y_bar.map(|y_bar| sum(y_bar, at))
            }
            // The result is that of rank 0, which the others only have copies of.
            Operation::Agreed => {
                self.meet(phase, y_bar, Some(n), content(&y_bar), at);
                y_bar.map(|y_bar| {
                    if at.rank() == 0 {
                        y_bar.to_vec()
                    } else {
                        zeros(n)
                    }
                })
            }
            Operation::Broadcast { root } => {
                self.meet(phase, y_bar, Some(y_bar[0].len()), root as u64, at);
                y_bar.map(|y_bar| {
                    let process = at.communicator.process_at_rank(rank(root));
                    if at.rank() == root {
                        let mut x_bar = zeros(n);
                        process.reduce_into_root(y_bar, &mut x_bar[..], SystemOperation::sum());
                        x_bar
                    } else {
                        process.reduce_into(y_bar, SystemOperation::sum());
                        zeros(n)
                    }
                })
            }
            Operation::AllGather => {
                self.meet(phase, y_bar, Some(y_bar[0].len()), 0, at);
                let counts = counts(n, at);
                let start = total(&counts[..at.rank()]);
                y_bar.map(|y_bar| sum(y_bar, at)[start..start + n].to_vec())
            }
            Operation::Gather { root } => {
                self.meet(phase, y_bar, None, root as u64, at);
                let counts = counts(n, at);
                y_bar.map(|y_bar| scatter(y_bar, &counts, root, at))
            }
            Operation::Scatter { root } => {
                self.meet(phase, y_bar, Some(y_bar[0].len()), root as u64, at);
                let counts = vec![count(y_bar[0].len()); at.size()];
                y_bar.map(|y_bar| {
                    let gathered = gather(y_bar, &counts, root, at);
                    // What other ranks passed was not used.
                    if at.rank() == root {
                        gathered
                    } else {
                        zeros(n)
                    }
                })
            }
            Operation::Send { to } => y_bar.map(|_| {
                let x_bar = receive(to, self.tag::<F>(phase, N), at);
                assert!(
                    x_bar.len() == n,
                    "rank {to} returned a cotangent of length {} for {n} numbers that were sent",
                    x_bar.len()
                );
                x_bar
            }),
            Operation::Receive { from } => y_bar.map(|y_bar| {
                send(y_bar, from, self.tag::<F>(phase, N), at);
                Vec::new()
            }),
            Operation::Exchange { to, from } => {
                let tag = self.tag::<F>(phase, N);
                y_bar.map(|y_bar| exchange(y_bar, n, from, to, tag, at))
            }
        }
    }

    /// A message of another kind is an error, not a number.
    fn tag<F: Number>(self, phase: Phase, lanes: usize) -> i32 {
        let exchange = i32::from(matches!(self, Operation::Exchange { .. }));
        let lanes = i32::from(lanes != 1);
        F::BITS * 8 + exchange * 4 + lanes * 2 + i32::from(phase == Phase::Adjoint)
    }

    #[track_caller]
    fn check_ranks(self, at: &Inner) {
        let size = at.size();
        let check = |r: usize| assert!(r < size, "`{self}` names rank {r}, of {size} ranks");
        match self {
            Operation::Broadcast { root }
            | Operation::Gather { root }
            | Operation::Scatter { root } => check(root),
            Operation::Send { to: r } | Operation::Receive { from: r } => {
                check(r);
                assert!(
                    r != at.rank(),
                    "`{self}` names its own rank {r}: a message to oneself would never arrive"
                );
            }
            Operation::Exchange { to, from } => {
                check(to);
                check(from);
            }
            _ => {}
        }
    }

    /// Makes sure that all ranks are at the same communication.
    #[track_caller]
    fn meet<F: Number, const N: usize>(
        self,
        phase: Phase,
        _: Lanes<'_, F, N>,
        n: Option<usize>,
        more: u64,
        at: &Inner,
    ) {
        let own = [
            self.code() as u64,
            u64::from(phase == Phase::Adjoint),
            N as u64,
            F::BITS.unsigned_abs().into(),
            n.map_or(u64::MAX, |n| n as u64),
            more,
        ];
        let code = own.iter().fold(FNV_START, |hash, word| mixed(hash, *word));
        let mut extremes = [0_u64; 2];
        at.communicator.all_reduce_into(
            &[code, !code][..],
            &mut extremes[..],
            SystemOperation::max(),
        );
        if extremes[0] == !extremes[1] {
            return;
        }
        let mut all = vec![0_u64; own.len() * at.size()];
        at.communicator.all_gather_into(&own[..], &mut all[..]);
        let all: Vec<&[u64]> = all.chunks(own.len()).collect();
        if all.iter().all(|other| other[..5] == own[..5]) {
            match (self, phase) {
                (Operation::Join, _) => panic!(
                    "the argument of `{self}`, or its tangent, is not the same on all ranks; a parameter that each rank has for itself \
                     doesn't go through `join`"
                ),
                (Operation::Agreed, Phase::Value) => panic!(
                    "the argument of `agreed`, or its tangent, is not the same on all ranks: sum it by `all_reduce`, or take that of one rank by \
                     `broadcast`"
                ),
                (Operation::Agreed, Phase::Adjoint) => panic!(
                    "the cotangent of `agreed` is not the same on all ranks: call `vjp` with the same cotangent everywhere; let nothing that \
                     depends on the rank follow on `agreed`; a function that is called between `join` and `agreed` takes `ranks: &mut Ranks` and doesn't \
                     join itself"
                ),
                _ => panic!(
                    "`{self}` names different ranks as its root: {:?}",
                    all.iter().map(|a| a[5]).collect::<Vec<_>>()
                ),
            }
        }
        let lines: Vec<String> = all
            .iter()
            .enumerate()
            .map(|(r, words)| described(r, words))
            .collect();
        panic!(
            "the ranks don't do the same communication: {}",
            lines.join("; ")
        );
    }
}

/// "rank 1: the adjoint of `all_reduce` of 3 numbers (f64), with tangents".
fn described(rank: usize, words: &[u64]) -> String {
    let name = usize::try_from(words[0])
        .ok()
        .and_then(|code| NAMES.get(code))
        .unwrap_or(&"?");
    let adjoint = if words[1] == 1 { "the adjoint of " } else { "" };
    let length = if words[4] == u64::MAX {
        String::new()
    } else {
        format!(" of {} numbers", words[4])
    };
    let tangents = if words[2] == 2 { ", with tangents" } else { "" };
    format!(
        "rank {rank}: {adjoint}`{name}`{length} (f{}){tangents}",
        words[3]
    )
}

const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

/// One step of the hash function FNV-1a, by words, with the high bits mixed in.
fn mixed(hash: u64, word: u64) -> u64 {
    let product = (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3);
    (product ^ (product >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Whether all ranks have the same bits.
pub(super) fn is_same(x: &[f64], at: &Inner) -> bool {
    let code = mixed(content(&[x]), x.len() as u64);
    let mut extremes = [0_u64; 2];
    at.communicator.all_reduce_into(
        &[code, !code][..],
        &mut extremes[..],
        SystemOperation::max(),
    );
    extremes[0] == !extremes[1]
}

/// A number that differs where the values do.
fn content<F: Number, const N: usize>(x: &Lanes<'_, F, N>) -> u64 {
    x.iter()
        .flat_map(|lane| lane.iter())
        .fold(FNV_START, |hash, x| mixed(hash, x.bits()))
}

fn rank(r: usize) -> i32 {
    i32::try_from(r).expect("a rank fits")
}

fn count(n: usize) -> i32 {
    i32::try_from(n).expect("MPI counts up to 2147483647 numbers")
}

fn total(counts: &[i32]) -> usize {
    counts
        .iter()
        .map(|c| usize::try_from(*c).expect("a count isn't negative"))
        .sum()
}

fn offsets(counts: &[i32]) -> Vec<i32> {
    (0..counts.len())
        .map(|r| count(total(&counts[..r])))
        .collect()
}

/// How many numbers each rank has.
fn counts(n: usize, at: &Inner) -> Vec<i32> {
    let mut counts = vec![0; at.size()];
    at.communicator.all_gather_into(&count(n), &mut counts[..]);
    counts
}

fn from_root(n: usize, root: usize, at: &Inner) -> usize {
    let mut n = n as u64;
    at.communicator
        .process_at_rank(rank(root))
        .broadcast_into(&mut n);
    usize::try_from(n).expect("lengths fit")
}

fn sum<F: Number>(x: &[F], at: &Inner) -> Vec<F> {
    let mut y = zeros(x.len());
    at.communicator
        .all_reduce_into(x, &mut y[..], SystemOperation::sum());
    y
}

fn broadcast<F: Number>(x: &[F], n: usize, root: usize, at: &Inner) -> Vec<F> {
    let mut y = if at.rank() == root {
        x.to_vec()
    } else {
        zeros(n)
    };
    at.communicator
        .process_at_rank(rank(root))
        .broadcast_into(&mut y[..]);
    y
}

/// All parts on the root, nothing elsewhere.
fn gather<F: Number>(x: &[F], counts: &[i32], root: usize, at: &Inner) -> Vec<F> {
    let process = at.communicator.process_at_rank(rank(root));
    if at.rank() != root {
        process.gather_varcount_into(x);
        return Vec::new();
    }
    let mut y = zeros(total(counts));
    let places = offsets(counts);
    let mut parts = PartitionMut::new(&mut y[..], counts, &places[..]);
    process.gather_varcount_into_root(x, &mut parts);
    y
}

/// This rank's part of what the root has.
fn scatter<F: Number>(x: &[F], counts: &[i32], root: usize, at: &Inner) -> Vec<F> {
    let process = at.communicator.process_at_rank(rank(root));
    let mut y = zeros(total(&counts[at.rank()..=at.rank()]));
    if at.rank() == root {
        let places = offsets(counts);
        let parts = Partition::new(x, counts, &places[..]);
        process.scatter_varcount_into_root(&parts, &mut y[..]);
    } else {
        process.scatter_varcount_into(&mut y[..]);
    }
    y
}

fn send<F: Number>(x: &[F], to: usize, tag: i32, at: &Inner) {
    at.communicator
        .process_at_rank(rank(to))
        .send_with_tag(x, tag);
}

#[track_caller]
fn receive<F: Number>(from: usize, tag: i32, at: &Inner) -> Vec<F> {
    let process = at.communicator.process_at_rank(rank(from));
    let (message, status) = process.matched_probe();
    assert!(
        status.tag() == tag,
        "rank {} expects {} from rank {from}, which sent {}",
        at.rank(),
        meaning(tag),
        meaning(status.tag())
    );
    let mut y = zeros(
        usize::try_from(status.count(F::equivalent_datatype())).expect("a count isn't negative"),
    );
    message.matched_receive_into(&mut y[..]);
    y
}

fn exchange<T: Equivalence + Copy + Default>(
    x: &[T],
    n: usize,
    to: usize,
    from: usize,
    tag: i32,
    at: &Inner,
) -> Vec<T> {
    let mut y = vec![T::default(); n];
    let (to, from) = (
        at.communicator.process_at_rank(rank(to)),
        at.communicator.process_at_rank(rank(from)),
    );
    send_receive_into_with_tags(x, &to, tag, &mut y[..], &from, tag);
    y
}

/// The content of a message, from its tag.
fn meaning(tag: i32) -> String {
    let kind = match tag & 3 {
        0 => "a value",
        1 => "a cotangent",
        2 => "a value with its tangent",
        _ => "a cotangent with its tangent",
    };
    let exchange = if tag & 4 == 0 { "" } else { " of `exchange`" };
    format!("{kind}{exchange} (f{})", tag >> 3)
}

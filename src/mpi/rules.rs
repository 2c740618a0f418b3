//! The public functions, and their rules: those of a linear map.

use alloc::vec::Vec;

use super::operation::Number;
use super::world::{Ranks, RanksTangent};
use crate::{CoDual, Dual, NoTangent};

pub(super) type RanksDual<'a> = Dual<&'a mut Ranks, &'a mut RanksTangent>;
pub(super) type RanksBar<'a> = CoDual<&'a mut Ranks, &'a mut RanksTangent>;
pub(super) type RanksBar2<'a> =
    CoDual<RanksDual<'a>, Dual<&'a mut RanksTangent, &'a mut RanksTangent>>;

/// A result, or its tangent, as a list.
pub(super) trait Output<F: Number>: Sized {
    fn joined(list: Vec<F>) -> Self;
    fn split(self) -> Vec<F>;
}

impl<F: Number> Output<F> for Vec<F> {
    fn joined(list: Vec<F>) -> Self {
        list
    }

    fn split(self) -> Vec<F> {
        self
    }
}

impl<F: Number> Output<F> for NoTangent {
    fn joined(_: Vec<F>) -> Self {
        NoTangent
    }

    fn split(self) -> Vec<F> {
        Vec::new()
    }
}

impl<F: Number> Output<F> for () {
    fn joined(_: Vec<F>) -> Self {}

    fn split(self) -> Vec<F> {
        Vec::new()
    }
}

macro_rules! number {
    ($($float:ident)*) => {$(
        impl Output<$float> for $float {
            #[track_caller]
            fn joined(list: Vec<$float>) -> Self {
                assert!(list.len() == 1, "a list of {} numbers arrived where one number was expected", list.len());
                list[0]
            }

            fn split(self) -> Vec<$float> {
                alloc::vec![self]
            }
        }
    )*};
}
number!(f32 f64);

/// A communication with its rules. First the kind of its argument: `number`, `list` or `none`.
macro_rules! communication {
    (
        $float:ident number $name:ident [$frule:ident $rrule:ident $second:ident] ($($c:ident),*) -> $Out:ty, $Tan:ty = $operation:expr,
        $(#[$doc:meta])*
    ) => {
        $(#[$doc])*
        #[$crate::primitive(frule = $frule, rrule = $rrule, rrule_frule = $second)]
        #[track_caller]
        pub fn $name(x: $float, $($c: usize,)* ranks: &mut Ranks) -> $Out {
            Output::joined(ranks.value($operation, &[x]))
        }

        #[track_caller]
        fn $frule(x: Dual<$float, $float>, $($c: usize,)* ranks: RanksDual<'_>) -> Dual<$Out, $Tan> {
            let [y, y_dot] = ranks.0.forward($operation, [&[x.0], &[x.1]]);
            Dual(Output::joined(y), <$Tan as Output<$float>>::joined(y_dot))
        }

        #[track_caller]
        fn $rrule(x: $float, $($c: usize,)* ranks: &mut Ranks) -> ($Out, impl FnOnce($Tan, RanksBar<'_>) -> $float + use<>) {
            let (y, pullback) = ranks.reverse($operation, &[x]);
            (Output::joined(y), move |y_bar: $Tan, _: RanksBar<'_>| {
                let [x_bar] = pullback.run(&[Output::<$float>::split(y_bar)]);
                x_bar[0]
            })
        }

        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn $second(
            x: Dual<$float, $float>,
            $($c: usize,)*
            ranks: RanksDual<'_>,
        ) -> (Dual<$Out, $Tan>, impl FnOnce(Dual<$Tan, $Tan>, RanksBar2<'_>) -> Dual<$float, $float> + use<>) {
            let ([y, y_dot], pullback) = ranks.0.second($operation, [&[x.0], &[x.1]]);
            let y = Dual(Output::joined(y), <$Tan as Output<$float>>::joined(y_dot));
            (y, move |y_bar: Dual<$Tan, $Tan>, _: RanksBar2<'_>| {
                let [x_bar, x_bar_dot] = pullback.run(&[Output::<$float>::split(y_bar.0), Output::<$float>::split(y_bar.1)]);
                Dual(x_bar[0], x_bar_dot[0])
            })
        }
    };
    (
        $float:ident list $name:ident [$frule:ident $rrule:ident $second:ident] ($($c:ident),*) -> $Out:ty, $Tan:ty = $operation:expr,
        $(#[$doc:meta])*
    ) => {
        $(#[$doc])*
        #[$crate::primitive(frule = $frule, rrule = $rrule, rrule_frule = $second)]
        #[track_caller]
        pub fn $name(x: &[$float], $($c: usize,)* ranks: &mut Ranks) -> $Out {
            Output::joined(ranks.value($operation, x))
        }

        #[track_caller]
        fn $frule(x: Dual<&[$float], &[$float]>, $($c: usize,)* ranks: RanksDual<'_>) -> Dual<$Out, $Tan> {
            let [y, y_dot] = ranks.0.forward($operation, [x.0, x.1]);
            Dual(Output::joined(y), <$Tan as Output<$float>>::joined(y_dot))
        }

        #[track_caller]
        fn $rrule(
            x: &[$float],
            $($c: usize,)*
            ranks: &mut Ranks,
        ) -> ($Out, impl FnOnce($Tan, CoDual<&[$float], &mut [$float]>, RanksBar<'_>) + use<>) {
            let (y, pullback) = ranks.reverse($operation, x);
            (Output::joined(y), move |y_bar: $Tan, x: CoDual<&[$float], &mut [$float]>, _: RanksBar<'_>| {
                let [more] = pullback.run(&[Output::<$float>::split(y_bar)]);
                add(x.1, &more);
            })
        }

        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn $second(
            x: Dual<&[$float], &[$float]>,
            $($c: usize,)*
            ranks: RanksDual<'_>,
        ) -> (
            Dual<$Out, $Tan>,
            impl FnOnce(
                Dual<$Tan, $Tan>,
                CoDual<Dual<&[$float], &[$float]>, Dual<&mut [$float], &mut [$float]>>,
                RanksBar2<'_>,
            ) + use<>,
        ) {
            let ([y, y_dot], pullback) = ranks.0.second($operation, [x.0, x.1]);
            let y = Dual(Output::joined(y), <$Tan as Output<$float>>::joined(y_dot));
            (
                y,
                move |y_bar: Dual<$Tan, $Tan>,
                      x: CoDual<Dual<&[$float], &[$float]>, Dual<&mut [$float], &mut [$float]>>,
                      _: RanksBar2<'_>| {
                    let [more, more_dot] =
                        pullback.run(&[Output::<$float>::split(y_bar.0), Output::<$float>::split(y_bar.1)]);
                    add(x.1.0, &more);
                    add(x.1.1, &more_dot);
                },
            )
        }
    };
    (
        $float:ident none $name:ident [$frule:ident $rrule:ident $second:ident] ($($c:ident),*) -> $Out:ty, $Tan:ty = $operation:expr,
        $(#[$doc:meta])*
    ) => {
        $(#[$doc])*
        #[$crate::primitive(frule = $frule, rrule = $rrule, rrule_frule = $second)]
        #[track_caller]
        pub fn $name($($c: usize,)* ranks: &mut Ranks) -> $Out {
            Output::<$float>::joined(ranks.value($operation, &[]))
        }

        #[track_caller]
        fn $frule($($c: usize,)* ranks: RanksDual<'_>) -> Dual<$Out, $Tan> {
            let [y, y_dot] = ranks.0.forward::<$float>($operation, [&[], &[]]);
            Dual(Output::joined(y), Output::joined(y_dot))
        }

        #[track_caller]
        fn $rrule($($c: usize,)* ranks: &mut Ranks) -> ($Out, impl FnOnce($Tan, RanksBar<'_>) + use<>) {
            let (y, pullback) = ranks.reverse::<$float>($operation, &[]);
            (Output::joined(y), move |y_bar: $Tan, _: RanksBar<'_>| {
                pullback.run(&[Output::<$float>::split(y_bar)]);
            })
        }

        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn $second(
            $($c: usize,)*
            ranks: RanksDual<'_>,
        ) -> (Dual<$Out, $Tan>, impl FnOnce(Dual<$Tan, $Tan>, RanksBar2<'_>) + use<>) {
            let ([y, y_dot], pullback) = ranks.0.second::<$float>($operation, [&[], &[]]);
            (Dual(Output::joined(y), Output::joined(y_dot)), move |y_bar: Dual<$Tan, $Tan>, _: RanksBar2<'_>| {
                pullback.run(&[Output::<$float>::split(y_bar.0), Output::<$float>::split(y_bar.1)]);
            })
        }
    };
}

pub(super) fn add<F: Number>(x_bar: &mut [F], more: &[F]) {
    for (x_bar, more) in x_bar.iter_mut().zip(more) {
        *x_bar += *more;
    }
}

/// All communications of one type of numbers.
macro_rules! communications {
    ($float:ident) => {
        communication! { $float number all_reduce [all_reduce_frule all_reduce_rrule all_reduce_second] () -> $float, $float = Operation::AllReduce,
            /// The sum of all ranks' `x`, on all ranks.
            ///
            /// Its adjoint is the sum of all ranks' cotangents, on all ranks.
        }
        communication! { $float list all_reduce_vec [all_reduce_vec_frule all_reduce_vec_rrule all_reduce_vec_second] () -> Vec<$float>, Vec<$float> = Operation::AllReduce,
            /// [`all_reduce`](fn@all_reduce) of each entry.
            ///
            /// # Panics
            /// If the lengths differ.
        }
        communication! { $float number broadcast [broadcast_frule broadcast_rrule broadcast_second] (root) -> $float, $float = Operation::Broadcast { root },
            /// The root's `x`, on all ranks. That of other ranks isn't used.
            ///
            /// Its adjoint is the sum of all ranks' cotangents, on the root.
        }
        communication! { $float list broadcast_vec [broadcast_vec_frule broadcast_vec_rrule broadcast_vec_second] (root) -> Vec<$float>, Vec<$float> = Operation::Broadcast { root },
            /// [`broadcast`](fn@broadcast) of a list. Other ranks can pass an empty one.
        }
        communication! { $float number all_gather [all_gather_frule all_gather_rrule all_gather_second] () -> Vec<$float>, Vec<$float> = Operation::AllGather,
            /// The `x` of all ranks, in their order, on all ranks.
            ///
            /// Its adjoint is the sum of all ranks' cotangents, of which each rank gets its entry.
        }
        communication! { $float list all_gather_vec [all_gather_vec_frule all_gather_vec_rrule all_gather_vec_second] () -> Vec<$float>, Vec<$float> = Operation::AllGather,
            /// The lists of all ranks, one after another, on all ranks. They may have different lengths.
        }
        communication! { $float number gather [gather_frule gather_rrule gather_second] (root) -> Vec<$float>, Vec<$float> = Operation::Gather { root },
            /// The `x` of all ranks, in their order, on the root. Other ranks get an empty list.
            ///
            /// Its adjoint is [`scatter`](fn@scatter).
        }
        communication! { $float list gather_vec [gather_vec_frule gather_vec_rrule gather_vec_second] (root) -> Vec<$float>, Vec<$float> = Operation::Gather { root },
            /// The lists of all ranks, one after another, on the root. They may have different lengths. Other ranks get an empty list.
        }
        communication! { $float list scatter [scatter_frule scatter_rrule scatter_second] (root) -> $float, $float = Operation::Scatter { root },
            /// The entry of the root's `x` that has this rank's number. The list of other ranks isn't used, and can be empty.
            ///
            /// Its adjoint is [`gather`](fn@gather).
            ///
            /// # Panics
            /// If the root's list doesn't have an entry for each rank.
        }
        communication! { $float list scatter_vec [scatter_vec_frule scatter_vec_rrule scatter_vec_second] (root) -> Vec<$float>, Vec<$float> = Operation::Scatter { root },
            /// This rank's part of the root's `x`: all parts have the same length. The list of other ranks isn't used, and can be empty.
            ///
            /// # Panics
            /// If the root's length isn't a multiple of the number of ranks.
        }
        communication! { $float number send [send_frule send_rrule send_second] (to) -> (), NoTangent = Operation::Send { to },
            /// Sends `x` to a rank, which has to call [`receive`](fn@receive).
            ///
            /// Its adjoint receives the cotangent from that rank. It may wait until the other rank receives: two ranks that both send first can wait
            /// forever, so take [`exchange`](fn@exchange).
        }
        communication! { $float list send_vec [send_vec_frule send_vec_rrule send_vec_second] (to) -> (), NoTangent = Operation::Send { to },
            /// [`send`](fn@send) of a list, for [`receive_vec`](fn@receive_vec).
        }
        communication! { $float none receive [receive_frule receive_rrule receive_second] (from) -> $float, $float = Operation::Receive { from },
            /// The number that a rank sends by [`send`](fn@send).
            ///
            /// Its adjoint sends the cotangent back.
            ///
            /// # Panics
            /// If the message isn't one number, or comes from another kind of rule.
        }
        communication! { $float none receive_vec [receive_vec_frule receive_vec_rrule receive_vec_second] (from) -> Vec<$float>, Vec<$float> = Operation::Receive { from },
            /// The list that a rank sends by [`send_vec`](fn@send_vec).
        }
        communication! { $float number exchange [exchange_frule exchange_rrule exchange_second] (to, from) -> $float, $float = Operation::Exchange { to, from },
            /// Sends `x` to one rank and receives a number from another one, which sends it by `exchange`, too.
            ///
            /// Its adjoint exchanges the cotangents the other way.
        }
        communication! { $float list exchange_vec [exchange_vec_frule exchange_vec_rrule exchange_vec_second] (to, from) -> Vec<$float>, Vec<$float> = Operation::Exchange { to, from },
            /// [`exchange`](fn@exchange) of lists, which may have different lengths.
        }
        communication! { $float number agreed [agreed_frule agreed_rrule agreed_second] () -> $float, $float = Operation::Agreed,
            /// `x`, a result that is the same on all ranks. Each function that calls [`join`](fn@join) returns its result through it.
            ///
            /// It counts as the result of rank 0: its adjoint is the cotangent on rank 0, and zero elsewhere.
            ///
            /// # Panics
            /// If the value, its tangent, or its cotangent isn't the same on all ranks.
        }
        communication! { $float list agreed_vec [agreed_vec_frule agreed_vec_rrule agreed_vec_second] () -> Vec<$float>, Vec<$float> = Operation::Agreed,
            /// [`agreed`](fn@agreed) for a list.
        }

        /// `x`, a parameter that has the same value on all ranks, and the right to communicate.
        ///
        /// All ranks have to call it. Its adjoint is the sum of all ranks' cotangents, on all ranks. All parameters that the ranks share go into one call, as a
        /// list: see [`join_vec`](fn@join_vec). A parameter that doesn't go through `join` counts as one that each rank has for itself.
        ///
        /// # Panics
        /// If the value, or its tangent, isn't the same on all ranks. In reverse mode also if the result isn't [`agreed`](fn@agreed).
        #[$crate::primitive(frule = join_frule, rrule = join_rrule, rrule_frule = join_second)]
        #[track_caller]
        pub fn join(x: $float, #[constant] world: &World) -> ($float, Ranks) {
            Operation::Join.apply(Phase::Value, [&[x]], &world.0);
            (x, Ranks::new(&world.0, Rule::Value))
        }

        #[track_caller]
        fn join_frule(x: Dual<$float, $float>, world: &World) -> Dual<($float, Ranks), ($float, RanksTangent)> {
            Operation::Join.apply(Phase::Value, [&[x.0], &[x.1]], &world.0);
            Dual((x.0, Ranks::new(&world.0, Rule::Forward)), (x.1, RanksTangent))
        }

        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn join_rrule(
            x: $float,
            world: &World,
        ) -> (($float, Ranks), impl FnOnce(($float, RanksTangent), &World) -> $float + use<>) {
            Operation::Join.apply(Phase::Value, [&[x]], &world.0);
            let trace = Rc::<RefCell<Trace>>::default();
            let ranks = Ranks::new(&world.0, Rule::Reverse(Rc::clone(&trace)));
            ((x, ranks), move |y_bar: ($float, RanksTangent), world: &World| {
                trace.borrow().end();
                let [x_bar] = Operation::Join.adjoint([&[y_bar.0]], 1, &world.0);
                x_bar[0]
            })
        }

        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn join_second(
            x: Dual<$float, $float>,
            world: &World,
        ) -> (
            Dual<($float, Ranks), ($float, RanksTangent)>,
            impl FnOnce(Dual<($float, RanksTangent), ($float, RanksTangent)>, &World) -> Dual<$float, $float> + use<>,
        ) {
            Operation::Join.apply(Phase::Value, [&[x.0], &[x.1]], &world.0);
            let trace = Rc::<RefCell<Trace>>::default();
            let ranks = Ranks::new(&world.0, Rule::Second(Rc::clone(&trace)));
            (
                Dual((x.0, ranks), (x.1, RanksTangent)),
                move |y_bar: Dual<($float, RanksTangent), ($float, RanksTangent)>, world: &World| {
                    trace.borrow().end();
                    let [x_bar, x_bar_dot] = Operation::Join.adjoint([&[y_bar.0.0], &[y_bar.1.0]], 1, &world.0);
                    Dual(x_bar[0], x_bar_dot[0])
                },
            )
        }

        /// [`join`](fn@join) for a list of parameters.
        #[$crate::primitive(frule = join_vec_frule, rrule = join_vec_rrule, rrule_frule = join_vec_second)]
        #[track_caller]
        pub fn join_vec(x: &[$float], #[constant] world: &World) -> (Vec<$float>, Ranks) {
            Operation::Join.apply(Phase::Value, [x], &world.0);
            (x.to_vec(), Ranks::new(&world.0, Rule::Value))
        }

        #[track_caller]
        fn join_vec_frule(
            x: Dual<&[$float], &[$float]>,
            world: &World,
        ) -> Dual<(Vec<$float>, Ranks), (Vec<$float>, RanksTangent)> {
            let [y, y_dot] = Operation::Join.apply(Phase::Value, [x.0, x.1], &world.0);
            Dual((y, Ranks::new(&world.0, Rule::Forward)), (y_dot, RanksTangent))
        }

        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn join_vec_rrule(
            x: &[$float],
            world: &World,
        ) -> (
            (Vec<$float>, Ranks),
            impl FnOnce((Vec<$float>, RanksTangent), CoDual<&[$float], &mut [$float]>, &World) + use<>,
        ) {
            let [y] = Operation::Join.apply(Phase::Value, [x], &world.0);
            let trace = Rc::<RefCell<Trace>>::default();
            let ranks = Ranks::new(&world.0, Rule::Reverse(Rc::clone(&trace)));
            (
                (y, ranks),
                move |y_bar: (Vec<$float>, RanksTangent), x: CoDual<&[$float], &mut [$float]>, world: &World| {
                    trace.borrow().end();
                    let [more] = Operation::Join.adjoint([&y_bar.0], x.0.len(), &world.0);
                    add(x.1, &more);
                },
            )
        }

        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn join_vec_second(
            x: Dual<&[$float], &[$float]>,
            world: &World,
        ) -> (
            Dual<(Vec<$float>, Ranks), (Vec<$float>, RanksTangent)>,
            impl FnOnce(
                Dual<(Vec<$float>, RanksTangent), (Vec<$float>, RanksTangent)>,
                CoDual<Dual<&[$float], &[$float]>, Dual<&mut [$float], &mut [$float]>>,
                &World,
            ) + use<>,
        ) {
            let [y, y_dot] = Operation::Join.apply(Phase::Value, [x.0, x.1], &world.0);
            let trace = Rc::<RefCell<Trace>>::default();
            let ranks = Ranks::new(&world.0, Rule::Second(Rc::clone(&trace)));
            (
                Dual((y, ranks), (y_dot, RanksTangent)),
                move |y_bar: Dual<(Vec<$float>, RanksTangent), (Vec<$float>, RanksTangent)>,
                      x: CoDual<Dual<&[$float], &[$float]>, Dual<&mut [$float], &mut [$float]>>,
                      world: &World| {
                    trace.borrow().end();
                    let [more, more_dot] =
                        Operation::Join.adjoint([&y_bar.0.0, &y_bar.1.0], x.0.0.len(), &world.0);
                    add(x.1.0, &more);
                    add(x.1.1, &more_dot);
                },
            )
        }
    };
}

pub(super) use {communication, communications};

//! The references that every derivative is checked against.
//!
//! [`check!`] takes a call of a differentiable function, `check!(nll(&w, const &x, const 3, &mut scratch, 0.5))`. Arguments
//! are borrowed as written; `const` marks those that are not differentiated. It calls the plain function, `frule`, `rrule`
//! and all drivers, and compares
//! - the value: bit for bit, of `value_and_gradient` also at points nearby;
//! - `frule`: with extrapolated central differences, for each input;
//! - `rrule`: with `frule`, for each output and by inner products, also where shadows hold something already;
//! - `value_and_gradient`, `value_and_gradient_into`, `jvp`, `vjp`: with these;
//! - `hvp`: with differences of gradients, and with its transpose;
//! - arguments behind `&mut`: after each pullback and driver they are what they were.
//!
//! [`check_map!`] does the same for functions whose result isn't a scalar.

mod arg;
mod case;
mod differences;
mod flat;
mod jet;
mod table;

pub(crate) use arg::{Arg, Feed, concat, entries, fill};
pub(crate) use case::{Case, Driven, Forward, Reverse, Scalar, assert_close, irregular};
pub(crate) use flat::{Flat, flat, roundoff, without_floats};
pub(crate) use jet::Jet;
pub(crate) use table::{map_table, row, rows, table};

/// Checks all rules and drivers of a function whose result is a scalar.
macro_rules! check {
    ($($f:ident)::+ ($($args:tt)*)) => {
        $crate::check::arguments!(scalar [$($f)::+] $($args)*)
    };
}
pub(crate) use check;

/// Checks all rules and drivers of a function whose result is no scalar.
macro_rules! check_map {
    ($($f:ident)::+ ($($args:tt)*)) => {
        $crate::check::arguments!(map [$($f)::+] $($args)*)
    };
}
pub(crate) use check_map;

/// Sorts arguments: what each becomes in calls of the function, its rules, and its drivers.
macro_rules! arguments {
    ($result:ident $f:tt $($args:tt)*) => {
        $crate::check::arguments!(@ $result $f
            [(a a_bar) (b b_bar) (c c_bar) (d d_bar) (e e_bar) (f f_bar) (g g_bar) (h h_bar)]
            all[] call[] dual[] pull[] dirs[] bufs[] owned[] muts[] $($args)*)
    };
    (@ $result:ident $f:tt [($x:ident $bar:ident) $($pool:tt)*]
        all[$($all:tt)*] call[$($call:tt)*] dual[$($dual:tt)*] pull[$($pull:tt)*] dirs[$($dirs:tt)*] bufs[$($bufs:tt)*]
        owned[$($owned:tt)*] muts[$($muts:tt)*] &mut $e:expr $(, $($rest:tt)*)?
    ) => {
        $crate::check::arguments!(@ $result $f [$($pool)*]
            all[$($all)* ($x $bar false $e)]
            call[$($call)* (&mut $x.x)]
            dual[$($dual)* ($crate::ad::Dual(&mut $x.x, &mut $x.dot))]
            pull[$($pull)* ($crate::ad::CoDual(&mut $x.x, &mut $x.bar))]
            dirs[$($dirs)* (&mut $x.dot)]
            bufs[$($bufs)* (&mut $x.bar)]
            owned[$($owned)*]
            muts[$($muts)* $x] $($($rest)*)?)
    };
    (@ $result:ident $f:tt [($x:ident $bar:ident) $($pool:tt)*]
        all[$($all:tt)*] call[$($call:tt)*] dual[$($dual:tt)*] pull[$($pull:tt)*] dirs[$($dirs:tt)*] bufs[$($bufs:tt)*]
        owned[$($owned:tt)*] muts[$($muts:tt)*] & $e:expr $(, $($rest:tt)*)?
    ) => {
        $crate::check::arguments!(@ $result $f [$($pool)*]
            all[$($all)* ($x $bar true $e)]
            call[$($call)* (&$x.x)]
            dual[$($dual)* ($crate::ad::Dual(&$x.x, &$x.dot))]
            pull[$($pull)* ($crate::ad::CoDual(&$x.x, &mut $x.bar))]
            dirs[$($dirs)* (&$x.dot)]
            bufs[$($bufs)* (&mut $x.bar)]
            owned[$($owned)*]
            muts[$($muts)*] $($($rest)*)?)
    };
    (@ $result:ident $f:tt $pool:tt
        all[$($all:tt)*] call[$($call:tt)*] dual[$($dual:tt)*] pull[$($pull:tt)*] dirs[$($dirs:tt)*] bufs[$($bufs:tt)*]
        owned[$($owned:tt)*] muts[$($muts:tt)*] const &mut $e:expr $(, $($rest:tt)*)?
    ) => {
        $crate::check::arguments!(@ $result $f $pool
            all[$($all)*]
            call[$($call)* (&mut $e)]
            dual[$($dual)* (&mut $e)]
            pull[$($pull)*]
            dirs[$($dirs)*]
            bufs[$($bufs)*]
            owned[$($owned)*]
            muts[$($muts)*] $($($rest)*)?)
    };
    (@ $result:ident $f:tt $pool:tt
        all[$($all:tt)*] call[$($call:tt)*] dual[$($dual:tt)*] pull[$($pull:tt)*] dirs[$($dirs:tt)*] bufs[$($bufs:tt)*]
        owned[$($owned:tt)*] muts[$($muts:tt)*] const & $e:expr $(, $($rest:tt)*)?
    ) => {
        $crate::check::arguments!(@ $result $f $pool
            all[$($all)*]
            call[$($call)* (&$e)]
            dual[$($dual)* (&$e)]
            pull[$($pull)* (&$e)]
            dirs[$($dirs)*]
            bufs[$($bufs)*]
            owned[$($owned)*]
            muts[$($muts)*] $($($rest)*)?)
    };
    (@ $result:ident $f:tt $pool:tt
        all[$($all:tt)*] call[$($call:tt)*] dual[$($dual:tt)*] pull[$($pull:tt)*] dirs[$($dirs:tt)*] bufs[$($bufs:tt)*]
        owned[$($owned:tt)*] muts[$($muts:tt)*] const $e:expr $(, $($rest:tt)*)?
    ) => {
        $crate::check::arguments!(@ $result $f $pool
            all[$($all)*]
            call[$($call)* ($e)]
            dual[$($dual)* ($e)]
            pull[$($pull)*]
            dirs[$($dirs)*]
            bufs[$($bufs)*]
            owned[$($owned)*]
            muts[$($muts)*] $($($rest)*)?)
    };
    (@ $result:ident $f:tt [($x:ident $bar:ident) $($pool:tt)*]
        all[$($all:tt)*] call[$($call:tt)*] dual[$($dual:tt)*] pull[$($pull:tt)*] dirs[$($dirs:tt)*] bufs[$($bufs:tt)*]
        owned[$($owned:tt)*] muts[$($muts:tt)*] $e:expr $(, $($rest:tt)*)?
    ) => {
        $crate::check::arguments!(@ $result $f [$($pool)*]
            all[$($all)* ($x $bar false $e)]
            call[$($call)* (::core::clone::Clone::clone(&$x.x))]
            dual[$($dual)* ($crate::ad::Dual(
                ::core::clone::Clone::clone(&$x.x),
                ::core::clone::Clone::clone(&$x.dot)
            ))]
            pull[$($pull)*]
            dirs[$($dirs)* (::core::clone::Clone::clone(&$x.dot))]
            bufs[$($bufs)* (&mut $x.bar)]
            owned[$($owned)* ($x $bar)]
            muts[$($muts)*] $($($rest)*)?)
    };
    (@ map [$($f:ident)::+] $pool:tt
        all[$(($x:ident $bar:ident $accumulates:tt $e:expr))*] call $call:tt dual $dual:tt pull $pull:tt
        dirs $dirs:tt bufs $bufs:tt owned $owned:tt muts $muts:tt
    ) => {{
        $(let $x = $crate::check::Arg::new($e);)*
        $crate::check::build_case!(
            [$($f)::+] all[$(($x $bar $accumulates))*] call $call dual $dual pull $pull dirs $dirs owned $owned muts $muts, None)
    }};
    (@ scalar [$($f:ident)::+] $pool:tt
        all[$(($x:ident $bar:ident $accumulates:tt $e:expr))*] call[$(($call:expr))*] dual $dual:tt pull $pull:tt
        dirs[$(($dirs:expr))*] bufs[$(($bufs:expr))*] owned $owned:tt muts $muts:tt
    ) => {{
        use $crate::check::{Driven, Feed, Flat, Scalar, concat, entries};
        $(let $x = $crate::check::Arg::new($e);)*
        let value_and_gradient = |shift: &[f64]| {
            let mut shift = Feed::new(shift);
            $(#[allow(unused_mut)] let mut $x = $x.shifted(&mut shift);)*
            #[allow(unused_parens)]
            let (y, ($($bar),*)) = $($f)::+::value_and_gradient($($call),*);
            Driven {
                value: Flat::flat(&y),
                derivative: concat(&[$(entries(&$bar)),*]),
                arguments: concat(&[$(Flat::flat(&$x.x)),*]),
            }
        };
        let gradient = || {
            $(#[allow(unused_mut)] let mut $x = $x.again();)*
            #[allow(unused_parens)]
            let ($($bar),*) = $($f)::+::gradient($($call),*);
            concat(&[$(entries(&$bar)),*])
        };
        let into = |buffers: &[f64]| {
            let mut buffers = Feed::new(buffers);
            $(#[allow(unused_mut)] let mut $x = $x.with_bar(&mut buffers);)*
            let y = $($f)::+::value_and_gradient_into($($call,)* $($bufs),*);
            Driven {
                value: Flat::flat(&y),
                derivative: concat(&[$(entries(&$x.bar)),*]),
                arguments: concat(&[$(Flat::flat(&$x.x)),*]),
            }
        };
        let hvp = |direction: &[f64]| {
            let mut direction = Feed::new(direction);
            $(#[allow(unused_mut)] let mut $x = $x.with_dot(&mut direction);)*
            #[allow(unused_parens)]
            let ($($bar),*) = $($f)::+::hvp($($call,)* $($dirs),*);
            Driven {
                value: Vec::new(),
                derivative: concat(&[$(entries(&$bar)),*]),
                arguments: concat(&[$(Flat::flat(&$x.x)),*]),
            }
        };
        let scalar = Scalar { value_and_gradient: &value_and_gradient, gradient: &gradient, into: &into, hvp: &hvp };
        $crate::check::build_case!(
            [$($f)::+] all[$(($x $bar $accumulates))*] call[$(($call))*] dual $dual pull $pull dirs[$(($dirs))*]
            owned $owned muts $muts, Some(&scalar))
    }};
}
pub(crate) use arguments;

/// Calls the function, its rules, `jvp` and `vjp`, with arguments that have been sorted.
macro_rules! build_case {
    ([$($f:ident)::+] all[$(($x:ident $bar:ident $accumulates:tt))*] call[$(($call:expr))*] dual[$(($dual:expr))*]
        pull[$(($pull:expr))*] dirs[$(($dirs:expr))*] owned[$(($owned:ident $owned_bar:ident))*] muts[$($muts:ident)*],
        $scalar:expr
    ) => {{
        use $crate::ad::{Differentiable, Dual};
        use $crate::check::{Case, Driven, Feed, Flat, Forward, Reverse, concat, entries, fill, roundoff};
        let primal = |shift: &[f64]| {
            let mut shift = Feed::new(shift);
            $(#[allow(unused_mut)] let mut $x = $x.shifted(&mut shift);)*
            let y = $($f)::+($($call),*);
            concat(&[Flat::flat(&y) $(, Flat::flat(&$muts.x))*])
        };
        let frule = |direction: &[f64]| {
            let mut direction = Feed::new(direction);
            $(#[allow(unused_mut)] let mut $x = $x.with_dot(&mut direction);)*
            let Dual(y, y_dot) = $($f)::+::frule($($dual),*);
            Forward {
                outputs: concat(&[Flat::flat(&y) $(, Flat::flat(&$muts.x))*]),
                tangents: concat(&[entries(&y_dot) $(, entries(&$muts.dot))*]),
            }
        };
        let rrule = |seed: &[f64], shadows: &[f64]| {
            let (mut seed, mut shadows) = (Feed::new(seed), Feed::new(shadows));
            $(#[allow(unused_mut)] let mut $x = $x.with_bar(&mut shadows);)*
            let (y, pullback) = $($f)::+::rrule($($call),*);
            let outputs = concat(&[Flat::flat(&y) $(, Flat::flat(&$muts.x))*]);
            let mut y_bar = Differentiable::zero_tangent(&y);
            fill(&mut y_bar, &mut seed);
            // What comes out may have another shape than what went in.
            $($muts.bar = Differentiable::zero_tangent(&$muts.x);)*
            $(fill(&mut $muts.bar, &mut seed);)*
            #[allow(unused_parens)]
            let ($($owned_bar),*) = pullback(y_bar $(, $pull)*);
            $($owned.bar = $owned_bar;)*
            Reverse {
                outputs,
                cotangents: concat(&[$(entries(&$x.bar)),*]),
                arguments: concat(&[$(Flat::flat(&$x.x)),*]),
            }
        };
        let jvp = |direction: &[f64]| {
            let mut direction = Feed::new(direction);
            $(#[allow(unused_mut)] let mut $x = $x.with_dot(&mut direction);)*
            let (y, y_dot) = $($f)::+::jvp($($call,)* $($dirs),*);
            Driven {
                value: Flat::flat(&y),
                derivative: entries(&y_dot),
                arguments: concat(&[$(Flat::flat(&$x.x)),*]),
            }
        };
        let vjp = |seed: &[f64]| {
            let mut seed = Feed::new(seed);
            let mut y_bar = {
                $(#[allow(unused_mut)] let mut $x = $x.again();)*
                Differentiable::zero_tangent(&$($f)::+($($call),*))
            };
            fill(&mut y_bar, &mut seed);
            $(#[allow(unused_mut)] let mut $x = $x.again();)*
            #[allow(unused_parens)]
            let (y, ($($bar),*)) = $($f)::+::vjp($($call,)* y_bar);
            Driven {
                value: Flat::flat(&y),
                derivative: concat(&[$(entries(&$bar)),*]),
                arguments: concat(&[$(Flat::flat(&$x.x)),*]),
            }
        };
        let least_precise = {
            $(#[allow(unused_mut)] let mut $x = $x.again();)*
            roundoff(&$($f)::+($($call),*))
        };
        let case = Case {
            name: stringify!($($f)::+),
            arguments: concat(&[$(Flat::flat(&$x.x)),*]),
            accumulates: [$(vec![$accumulates; $x.len()]),*].concat(),
            roundoff: [$(roundoff(&$x.x)),*].into_iter().fold(least_precise, f64::max),
            primal: &primal,
            frule: &frule,
            rrule: &rrule,
            jvp: &jvp,
            vjp: &vjp,
            scalar: $scalar,
        };
        case.check()
    }};
}
pub(crate) use build_case;

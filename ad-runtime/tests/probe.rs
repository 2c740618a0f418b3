//! Probing a method on a deferred receiver, spelt out as the macro writes it.

use std::rc::Rc;

use ad_runtime::__private::mode;
use ad_runtime::__private::probe::{
    CloneRules as _, FloatRules as _, HasRule as _, Inactive, NoPeel as _, NoReceiver, NoRule,
    Peel, PeelPointer as _, Pull as _, ToOwnedRules as _, ToVecRules as _,
};
use ad_runtime::{CoDual, Differentiable, Dual, NoTangent, ShapeMismatch};

/// The user's type, with one field that has a tangent.
#[derive(Clone)]
struct Config {
    names: Vec<String>,
    k: f64,
}

impl Differentiable for Config {
    type Tangent = f64;
    type OwnedTangent = f64;
    fn zero_tangent(&self) -> f64 {
        0.0
    }
    fn matches_shape(&self, _: &f64) -> Result<(), ShapeMismatch> {
        Ok(())
    }
    fn add_scaled_tangent(&mut self, factor: f64, tangent: &f64) {
        self.k += factor * tangent;
    }
}

type At<'a> = CoDual<&'a Config, &'a mut f64>;
type At2<'a> = CoDual<Dual<&'a Config, &'a f64>, Dual<&'a mut f64, &'a mut f64>>;

#[allow(
    clippy::unused_self,
    clippy::trivially_copy_pass_by_ref,
    clippy::type_complexity,
    reason = "as generated"
)]
impl Config {
    /// Without a rule; the result has no tangent.
    fn lookup(&self, i: usize) -> usize {
        self.names[i].len()
    }

    /// With the rules that the attribute makes.
    fn scale(&self, s: f64) -> f64 {
        self.k * s
    }
    fn __scale_modes(&self) -> (mode::Ref<Config>, mode::Owned<f64>) {
        (mode::by_ref(), mode::owned())
    }
    fn __scale_frule(&self, k_dot: &f64, Dual(s, s_dot): Dual<f64, f64>) -> Dual<f64, f64> {
        Dual(self.k * s, k_dot * s + self.k * s_dot)
    }
    fn __scale_rrule(&self, s: f64) -> (f64, impl FnOnce(f64, At<'_>, ()) -> ((), f64) + use<>) {
        let pullback = move |y_bar, CoDual(this, k_bar): At<'_>, ()| {
            *k_bar += y_bar * s;
            ((), y_bar * this.k)
        };
        (self.scale(s), pullback)
    }
    fn __scale_rrule_frule(
        &self,
        k_dot: &f64,
        s: Dual<f64, f64>,
    ) -> (
        Dual<f64, f64>,
        impl FnOnce(Dual<f64, f64>, At2<'_>, ()) -> ((), Dual<f64, f64>) + use<>,
    ) {
        let pullback =
            move |Dual(y_bar, y_bar_dot), CoDual(Dual(this, k_dot), bar): At2<'_>, ()| {
                *bar.0 += y_bar * s.0;
                *bar.1 += y_bar_dot * s.0 + y_bar * s.1;
                ((), Dual(y_bar * this.k, y_bar_dot * this.k + y_bar * k_dot))
            };
        (self.__scale_frule(k_dot, s), pullback)
    }
}

/// The macro writes these methods beside each call of `receiver.method(argument)`. They are found last.
macro_rules! fallback {
    ($modes:ident $frule:ident $rrule:ident $rrule_frule:ident) => {
        #[allow(dead_code)]
        trait NoModes {
            fn $modes(&self) -> (mode::Absent, mode::Absent) {
                (mode::absent(), mode::absent())
            }
        }
        impl<T: ?Sized> NoModes for &T {}
        #[allow(dead_code)]
        trait NoRules: Sized {
            fn $frule<S, A>(self, _: S, a: A) -> NoRule<(A,)> {
                NoRule::new((a,))
            }
            fn $rrule<A>(self, a: A) -> NoRule<(A,)> {
                NoRule::new((a,))
            }
            fn $rrule_frule<S, A>(self, _: S, a: A) -> NoRule<(A,)> {
                NoRule::new((a,))
            }
        }
        impl NoRules for NoReceiver {}
    };
}

/// All modes of `receiver.method(argument)` with a shared receiver, as the macro would write them in three functions:
/// the value, `y_dot`, and what the pullbacks give to the receiver's shadow and to the argument.
macro_rules! call {
    (
        $receiver:expr, $receiver_dot:expr, $method:ident $modes:ident $frule:ident $rrule:ident $rrule_frule:ident,
        $argument:expr, $argument_dot:expr, $y_bar:expr, $zero:expr
    ) => {{
        fallback!($modes $frule $rrule $rrule_frule);
        let (receiver, receiver_dot) = (&$receiver, &$receiver_dot);
        // std's pointers are to be taken off: the fallback is found before a dereference.
        let modes = Peel(receiver).peel().peel().0.$modes();

        let (self_dot, a) = (modes.0.tangent(receiver_dot), modes.1.dual($argument, $argument_dot));
        let Dual(y, y_dot) = modes.0.receiver_shared(receiver).$frule(self_dot, a).or_inactive_frule(|| receiver, modes.0.method(receiver, &modes, |x, (a,)| x.$method(a)));

        let (y_2, pullback) =
            modes.0.receiver_shared(receiver).$rrule(modes.1.pass($argument)).or_inactive(|| receiver, modes.0.method(receiver, &modes, |x, (a,)| x.$method(a)));
        assert_eq!(y, y_2);
        let mut receiver_bar = receiver.zero_tangent();
        let arguments = (modes.0.give_shared(receiver, &mut receiver_bar), modes.1.arg());
        let (returned, a_bar) = pullback.pull($y_bar, arguments);
        modes.0.receiver_cotangent(returned, &mut receiver_bar);
        let a_bar = modes.1.cotangent(a_bar, $zero);

        let (self_dot, a) = (modes.0.tangent(receiver_dot), modes.1.dual($argument, $argument_dot));
        let (Dual(y_2, y_dot_2), pullback) =
            modes.0.receiver_shared(receiver).$rrule_frule(self_dot, a).or_inactive_rrule_frule(|| receiver, modes.0.method(receiver, &modes, |x, (a,)| x.$method(a)));
        assert_eq!((y, y_dot), (y_2, y_dot_2));
        let mut bar = receiver.zero_tangent();
        let mut bar_dot = receiver.zero_tangent();
        let arguments = (modes.0.give_shared_dual(receiver, receiver_dot, &mut bar, &mut bar_dot), modes.1.arg());
        let (returned, a_bar_2) = pullback.pull(Dual($y_bar, $y_bar), arguments);
        modes.0.receiver_cotangent_dual(returned, &mut bar, &mut bar_dot);
        let Dual(a_bar_2, a_bar_dot) = modes.1.cotangent_dual(a_bar_2, $zero, $zero);
        assert_eq!((&bar, a_bar_2), (&receiver_bar, a_bar));
        (y, y_dot, receiver_bar, a_bar, bar_dot, a_bar_dot)
    }};
}

#[test]
fn a_rule_is_found() {
    let config = Config {
        names: Vec::new(),
        k: 2.0,
    };
    let found = call!(
        config, 10.0, scale __scale_modes __scale_frule __scale_rrule __scale_rrule_frule, 5.0, 1.0, 3.0, 0.0
    );
    assert_eq!(found, (10.0, 52.0, 15.0, 6.0, 18.0, 36.0));
}

#[test]
fn a_rule_is_found_behind_references() {
    let config = Config {
        names: vec!["a".into(), "bcd".into()],
        k: 2.0,
    };
    let found = call!(
        &config, 10.0, scale __scale_modes __scale_frule __scale_rrule __scale_rrule_frule, 5.0, 1.0, 3.0, 0.0
    );
    assert_eq!(found, (10.0, 52.0, 15.0, 6.0, 18.0, 36.0));
    let found = call!(
        Rc::new(Box::new(config.clone())), Box::new(Box::new(10.0)),
        scale __scale_modes __scale_frule __scale_rrule __scale_rrule_frule, 5.0, 1.0, 3.0, 0.0
    );
    assert_eq!((found.0, found.1, **found.2), (10.0, 52.0, 15.0));
    let found = call!(
        Box::new(config), Box::new(10.0), lookup __lookup_modes __lookup_frule __lookup_rrule __lookup_rrule_frule,
        1_usize, NoTangent, NoTangent, NoTangent
    );
    assert_eq!((found.0, *found.2), (3, 0.0));
}

#[test]
fn without_a_rule_the_call_is_inactive() {
    let config = Config {
        names: vec!["a".into(), "bcd".into()],
        k: 2.0,
    };
    let found = call!(
        config, 10.0, lookup __lookup_modes __lookup_frule __lookup_rrule __lookup_rrule_frule,
        1_usize, NoTangent, NoTangent, NoTangent
    );
    assert_eq!(found, (3, NoTangent, 0.0, NoTangent, 0.0, NoTangent));
}

#[test]
fn floats_have_the_rules_of_std() {
    let found = call!(
        3.0_f64, 10.0, powf __powf_modes __powf_frule __powf_rrule __powf_rrule_frule, 2.0, 0.0, 1.0, 0.0
    );
    assert_eq!((found.0, found.1, found.2), (9.0, 60.0, 6.0));
    let found = call!(
        3.0_f64, 10.0, powi __powi_modes __powi_frule __powi_rrule __powi_rrule_frule, 2, (), 1.0, NoTangent
    );
    assert_eq!(
        (found.0, found.1, found.2, found.3),
        (9.0, 60.0, 6.0, NoTangent)
    );
}

#[test]
fn copies_add_to_the_original() {
    let v = vec![1.0, 2.0];
    let mut v_bar = vec![10.0, 10.0];
    let (copy, pullback) = v.__clone_rrule();
    let ((),) = pullback(vec![1.0, 2.0], CoDual(&v, &mut v_bar));
    assert_eq!((copy, v_bar), (v.clone(), vec![11.0, 12.0]));
    assert_eq!(
        v.__clone_frule(&vec![0.5, 0.5]),
        Dual(v.clone(), vec![0.5, 0.5])
    );
    let (mut bar, mut bar_dot) = (vec![0.0; 2], vec![0.0; 2]);
    let (Dual(_, dot), pullback) = v.__clone_rrule_frule(&vec![3.0, 4.0]);
    pullback(
        Dual(vec![1.0, 2.0], vec![5.0, 6.0]),
        CoDual(Dual(&v, &vec![3.0, 4.0]), Dual(&mut bar, &mut bar_dot)),
    );
    assert_eq!(
        (dot, bar, bar_dot),
        (vec![3.0, 4.0], vec![1.0, 2.0], vec![5.0, 6.0])
    );

    let slice = &v[..];
    let mut bar = [0.0; 2];
    let (owned, pullback) = slice.__to_vec_rrule();
    pullback(vec![1.0, 2.0], CoDual(slice, &mut bar));
    assert_eq!((owned, bar), (v.clone(), [1.0, 2.0]));
    let (owned, pullback) = slice.__to_owned_rrule();
    pullback(vec![1.0, 2.0], CoDual(slice, &mut bar));
    assert_eq!((owned, bar), (v.clone(), [2.0, 4.0]));
    assert_eq!(
        slice.__to_owned_frule(&[1.0, 1.0]),
        Dual(v.clone(), vec![1.0, 1.0])
    );
    assert_eq!(
        "text".__to_owned_frule(&NoTangent),
        Dual("text".to_owned(), NoTangent)
    );
    assert_eq!(2.5_f64.__clone_frule(&1.0), Dual(2.5, 1.0));
    assert_eq!(
        Config {
            names: Vec::new(),
            k: 1.0
        }
        .__clone_frule(&2.0)
        .1,
        2.0
    );
}

#[test]
fn inactive_pullbacks_return_nothing_for_each_argument() {
    let ((), (), ()) = Inactive.pull(NoTangent, (1, "two", 3.0));
}

/// A generic number has the methods of floats.
fn generic<T: ad_runtime::Real>(x: T, x_dot: T) -> (T, T, T) {
    let Dual(y, y_dot) = x.__sin_frule(x_dot);
    let (x_bar,) = x.__sin_rrule().1(T::ONE, ());
    (y, y_dot, x_bar)
}

#[test]
fn generic_numbers_have_rules() {
    assert_eq!(
        generic(0.5_f64, 2.0),
        (0.5_f64.sin(), 2.0 * 0.5_f64.cos(), 0.5_f64.cos())
    );
    assert_eq!(
        generic(0.5_f32, 2.0),
        (0.5_f32.sin(), 2.0 * 0.5_f32.cos(), 0.5_f32.cos())
    );
}

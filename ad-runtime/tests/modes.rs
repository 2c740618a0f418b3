//! Modes hand over what a callee wants, are coercion sites, and have no size.

use ad_runtime::__private::mode::{self, CopyReceiver as _};
use ad_runtime::{CoDual, Dual};

/// The constructors are `const`.
const MODES: (mode::Ref<[f64]>, mode::Const<usize>) = (mode::by_ref(), mode::constant());

#[test]
fn modes_have_no_size_and_are_free_to_go_anywhere() {
    fn anywhere<T: Copy + Send + Sync + 'static>(_: T) -> usize {
        size_of::<T>()
    }
    assert_eq!(anywhere(mode::owned::<std::rc::Rc<f64>>()), 0);
    assert_eq!(
        anywhere((
            mode::by_ref::<[f64]>(),
            mode::by_mut::<str>(),
            mode::constant::<*const u8>()
        )),
        0
    );
    assert_eq!(
        anywhere((
            mode::constant_ref::<dyn Fn()>(),
            mode::constant_mut::<[u8]>(),
            mode::absent()
        )),
        0
    );
    assert_eq!(format!("{:?}", MODES.1), "Const<usize>");
}

#[test]
fn owned_and_constant_values() {
    let owned = mode::owned::<f64>();
    assert_eq!(owned.dual(2.0, 1.0), Dual(2.0, 1.0));
    assert_eq!(owned.inactive(2.0), Dual(2.0, 0.0));
    assert_eq!(owned.cotangent(3.0, 0.0), 3.0);
    assert_eq!(
        owned.cotangent_dual(Dual(3.0, 4.0), 0.0, 0.0),
        Dual(3.0, 4.0)
    );
    let constant = mode::constant::<f64>();
    assert_eq!(constant.dual(2.0, 1.0), 2.0);
    assert_eq!(constant.dual(2.0, ()), 2.0);
    assert_eq!(constant.inactive(2.0), 2.0);
    assert_eq!(constant.cotangent((), 0.0), 0.0);
    assert_eq!(constant.cotangent_dual((), 0.0, 0.0), Dual(0.0, 0.0));
}

#[test]
fn shared_references_coerce() {
    let (x, mut x_bar) = (vec![1.0, 2.0], vec![0.0, 0.0]);
    let by_ref = mode::by_ref::<[f64]>();
    let Dual(_, _): Dual<&[f64], &[f64]> = by_ref.dual(&x, &x_bar);
    let CoDual(_, shadow): CoDual<&[f64], &mut [f64]> = by_ref.give(&x, &mut x_bar);
    shadow[0] = 5.0;
    let (zero, mut bar, mut bar_dot) = (by_ref.zero(&x), by_ref.zero(&x), by_ref.zero(&x));
    assert_eq!(by_ref.dual_zero(&x, &zero).1, [0.0, 0.0]);
    by_ref.give_zero(&x, &mut bar).1[1] = 7.0;
    let CoDual(Dual(_, x_dot), Dual(a, b)) =
        by_ref.give_dual_zero(&x, &zero, &mut bar, &mut bar_dot);
    assert_eq!(
        (x_dot, &*a, &*b),
        (&[0.0, 0.0][..], &[0.0, 7.0][..], &[0.0, 0.0][..])
    );
    let mut x_bar_dot = [0.0; 2];
    let CoDual(Dual(_, x_dot), Dual(a, _)) =
        by_ref.give_dual(&x, &[1.0, 1.0], &mut x_bar, &mut x_bar_dot);
    assert_eq!((x_dot, a[0]), (&[1.0, 1.0][..], 5.0));

    let constant = mode::constant_ref::<[f64]>();
    let _: [&[f64]; 4] = [
        constant.dual(&x, &x_bar),
        constant.dual(&x, ()),
        constant.give(&x, &mut *x_bar),
        constant.give(&x, ()),
    ];
    let (zero, mut a, mut b) = (constant.zero(&x), constant.zero(&x), constant.zero(&x));
    let _: &[f64] = constant.dual_zero(&x, &zero);
    let _: &[f64] = constant.give_zero(&x, &mut a);
    let _: &[f64] = constant.give_dual_zero(&x, &zero, &mut a, &mut b);
    let _: &[f64] = constant.give_dual(&x, &zero, &mut x_bar, ());
}

#[test]
fn unique_references_coerce() {
    let (mut x, mut x_bar, mut x_dot, mut x_bar_dot) = (vec![1.0], vec![0.0], vec![3.0], vec![4.0]);
    let by_mut = mode::by_mut::<[f64]>();
    by_mut.dual(&mut x, &mut x_dot).0[0] = 2.0;
    by_mut.give(&mut x, &mut x_bar).1[0] = 5.0;
    let mut zero = by_mut.zero(&x);
    assert_eq!(by_mut.dual_zero(&mut x, &mut zero).1, [0.0]);
    assert_eq!(by_mut.give_zero(&mut x, &mut zero).1, [0.0]);
    let CoDual(Dual(a, b), Dual(c, d)) =
        by_mut.give_dual(&mut x, &mut x_dot, &mut x_bar, &mut x_bar_dot);
    assert_eq!((a[0], b[0], c[0], d[0]), (2.0, 3.0, 5.0, 4.0));

    let constant = mode::constant_mut::<[f64]>();
    constant.dual(&mut x, &mut x_dot)[0] = 9.0;
    constant.dual_zero(&mut x, &mut constant.zero(&[0.0]))[0] += 1.0;
    let () = constant.give(&mut x, &mut x_bar);
    let () = constant.give_zero(&mut x, &mut ());
    let () = constant.give_dual(&mut x, &mut x_dot, (), ());
    let () = constant.give_dual_zero(&mut x, &mut (), &mut (), &mut ());
    assert_eq!(x, [10.0]);
}

/// One receiver, handed to a rule by each mode.
macro_rules! receiver {
    ($mode:expr, |$receiver:ident| $call:expr, $returned:expr) => {{
        let mut x = Some(vec![1.0, 2.0]);
        let (mut x_dot, mut x_bar, mut x_bar_dot) = (vec![3.0, 4.0], vec![0.0; 2], vec![0.0; 2]);
        let mode = $mode;
        let _ = mode.zero_of(x.as_ref().unwrap());
        let _ = mode.tangent_mut(&mut x_dot);
        let _ = mode.give_unique(x.as_mut().unwrap(), &mut x_bar);
        let _ = mode.give_unique_dual(x.as_mut().unwrap(), &mut x_dot, &mut x_bar, &mut x_bar_dot);
        let $receiver = mode.receiver(&mut x);
        $call;
        let _ = mode.give_option(&mut x, &mut x_bar);
        let _ = mode.give_option_dual(&mut x, &mut x_dot, &mut x_bar, &mut x_bar_dot);
        mode.receiver_cotangent($returned.0, &mut x_bar);
        mode.receiver_cotangent_dual($returned.1, &mut x_bar, &mut x_bar_dot);
        (x, x_bar, x_bar_dot)
    }};
}

#[test]
fn receivers_of_all_modes_have_the_same_methods() {
    let bar = || vec![1.0, 1.0];
    let (x, x_bar, x_bar_dot) = receiver!(
        mode::owned(),
        |x| drop::<Vec<f64>>(x),
        (bar(), Dual(bar(), vec![0.5, 0.5]))
    );
    assert_eq!(
        (x, x_bar, x_bar_dot),
        (None, vec![2.0, 2.0], vec![0.5, 0.5])
    );
    let (x, x_bar, _) = receiver!(mode::by_ref(), |x| assert_eq!(x, &[1.0, 2.0]), ((), ()));
    assert_eq!((x, x_bar), (Some(vec![1.0, 2.0]), vec![0.0, 0.0]));
    let (x, ..) = receiver!(mode::by_mut(), |x| x.push(3.0), ((), ()));
    assert_eq!(x, Some(vec![1.0, 2.0, 3.0]));
    let (x, ..) = receiver!(mode::constant(), |x| drop::<Vec<f64>>(x), ((), ()));
    assert_eq!(x, None);
    let (x, ..) = receiver!(
        mode::constant_ref(),
        |x| assert_eq!(x, &[1.0, 2.0]),
        ((), ())
    );
    assert!(x.is_some());
    let (x, ..) = receiver!(mode::constant_mut(), |x| x.push(3.0), ((), ()));
    assert_eq!(x, Some(vec![1.0, 2.0, 3.0]));
}

#[test]
fn receivers_in_shared_places() {
    let (x, x_dot, mut x_bar, mut x_bar_dot) = ([1.0], [2.0], [0.0], [0.0]);
    let () = mode::owned().give_shared(&x, &mut x_bar);
    let () = mode::constant().give_shared(&x, &mut x_bar);
    let CoDual(a, b) = mode::by_ref().give_shared(&x, &mut x_bar);
    assert_eq!((a, &*b), (&[1.0], &[0.0]));
    assert_eq!(mode::constant_ref().give_shared(&x, &mut x_bar), &[1.0]);
    let CoDual(Dual(a, b), _) =
        mode::by_ref().give_shared_dual(&x, &x_dot, &mut x_bar, &mut x_bar_dot);
    assert_eq!((a, b), (&[1.0], &[2.0]));
    assert_eq!(mode::owned::<[f64; 1]>().tangent(&x_dot), x_dot);
    assert_eq!(mode::by_ref::<[f64; 1]>().tangent(&x_dot), &x_dot);
    let () = mode::constant::<[f64; 1]>().tangent(&x_dot);
    assert_eq!(
        mode::by_ref::<[f64]>()
            .give_shared(&x[..], &mut x_bar[..])
            .0,
        [1.0]
    );
}

#[test]
fn a_receiver_that_is_copy_stays() {
    let mut x = Some(2.0);
    assert_eq!(mode::owned::<f64>().receiver(&mut x), 2.0);
    assert_eq!(mode::owned::<f64>().receiver(&mut x), 2.0);
    let mut v = Some(vec![2.0]);
    assert_eq!(mode::owned::<Vec<f64>>().receiver(&mut v), [2.0]);
    assert_eq!(v, None);
}

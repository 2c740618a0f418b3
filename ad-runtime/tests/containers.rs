//! The rules of methods of containers: forward and reverse are transposes of each other, in first and in second order, and
//! pullbacks give back what there was, with shadows of its shape.

use ad_runtime::__private::probe::{
    ListRules as _, OptionChoiceRules as _, OptionCloneRules as _, OptionDefaultRules as _,
    OptionRules as _, SliceCloneRules as _, SliceRules as _, VecCloneRules as _, VecDropRules as _,
    VecRules as _,
};
use ad_runtime::{CoDual, Dual, Tangent, TangentValue};

const V: [f64; 4] = [0.5, -1.5, 2.5, 4.0];

/// A tangent of the same shape with entries of its own.
fn like<T: TangentValue>(shape: &T, start: f64) -> T {
    let mut tangent = shape.clone();
    let mut next = start;
    tangent.fill_with(&mut || {
        next = next * 1.7 + 0.3;
        next
    });
    tangent
}

#[track_caller]
fn assert_equal(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-12 * (1.0 + a.abs()), "{a} is not {b}");
}

/// A method of constant arguments.
macro_rules! moves {
    ($($name:ident: $method:ident $(::<$n:literal>)? ($($c:expr),*) $frule:ident $rrule:ident $second:ident;)*) => {$(
        #[test]
        fn $name() {
            let start = V.to_vec();
            let mut after = start.clone();
            let y = after.$method $(::<$n>)? ($($c),*);

            let x_dot = like(&start, 1.0);
            let (mut v, mut v_dot) = (start.clone(), x_dot.clone());
            let Dual(y1, y_dot) = v.$frule $(::<$n>)? (&mut v_dot, $($c),*);
            assert_eq!((&v, &y1), (&after, &y));

            let (y_bar, mut v_bar) = (like(&y_dot, -2.0), like(&v_dot, 3.0));
            let expected = y_bar.inner(&y_dot) + v_bar.inner(&v_dot);
            let mut w = start.clone();
            let (y2, pullback) = w.$rrule $(::<$n>)? ($($c),*);
            assert_eq!((&w, &y2), (&after, &y));
            let _ = pullback(y_bar.clone(), CoDual(&mut w, &mut v_bar), $(moves!(@unit $c)),*);
            assert_eq!(w, start);
            assert_eq!(v_bar.len(), start.len());
            assert_equal(v_bar.inner(&x_dot), expected);

            // What is linear is its own forward transform.
            let (mut w, mut w_dot) = (start.clone(), x_dot.clone());
            let (Dual(y3, y3_dot), pullback) = w.$second $(::<$n>)? (&mut w_dot, $($c),*);
            assert_eq!((&w, &y3, &w_dot, &y3_dot), (&after, &y, &v_dot, &y_dot));
            let mut bars = (like(&v_dot, 3.0), like(&v_dot, 5.0));
            let seed = Dual(y_bar, like(&y_dot, 7.0));
            let expected_dot = seed.1.inner(&y_dot) + bars.1.inner(&v_dot);
            let shadow = CoDual(Dual(&mut w, &mut w_dot), Dual(&mut bars.0, &mut bars.1));
            let _ = pullback(seed, shadow, $(moves!(@unit $c)),*);
            assert_eq!((w, w_dot), (start, x_dot.clone()));
            assert_eq!(bars.0, v_bar);
            assert_equal(bars.1.inner(&x_dot), expected_dot);
        }
    )*};
    (@unit $c:expr) => { () };
}
moves! {
    pop: pop() __pop_frule __pop_rrule __pop_rrule_frule;
    remove: remove(1) __remove_frule __remove_rrule __remove_rrule_frule;
    swap_remove: swap_remove(1) __swap_remove_frule __swap_remove_rrule __swap_remove_rrule_frule;
    swap_remove_last: swap_remove(3) __swap_remove_frule __swap_remove_rrule __swap_remove_rrule_frule;
    split_off: split_off(1) __split_off_frule __split_off_rrule __split_off_rrule_frule;
    split_off_nothing: split_off(4) __split_off_frule __split_off_rrule __split_off_rrule_frule;
    take_array: take_array::<4>() __take_array_frule __take_array_rrule __take_array_rrule_frule;
    truncate: truncate(2) __truncate_frule __truncate_rrule __truncate_rrule_frule;
    truncate_to_more: truncate(7) __truncate_frule __truncate_rrule __truncate_rrule_frule;
    clear: clear() __clear_frule __clear_rrule __clear_rrule_frule;
    swap: swap(0, 2) __swap_frule __swap_rrule __swap_rrule_frule;
    reverse: reverse() __reverse_frule __reverse_rrule __reverse_rrule_frule;
    rotate_left: rotate_left(3) __rotate_left_frule __rotate_left_rrule __rotate_left_rrule_frule;
    rotate_right: rotate_right(3) __rotate_right_frule __rotate_right_rrule __rotate_right_rrule_frule;
    permute: permute_by(vec![2, 0, 3, 1]) __permute_by_frule __permute_by_rrule __permute_by_rrule_frule;
    permute_in_cycles: permute_by(vec![1, 0, 3, 2]) __permute_by_frule __permute_by_rrule __permute_by_rrule_frule;
    copy_range: copy_range(0..2, 2) __copy_range_frule __copy_range_rrule __copy_range_rrule_frule;
    copy_onto_itself: copy_range(0..3, 1) __copy_range_frule __copy_range_rrule __copy_range_rrule_frule;
}

#[test]
#[should_panic(expected = "4 elements for an array of 3")]
fn an_array_takes_all() {
    let _: [f64; 3] = V.to_vec().take_array();
}

#[test]
fn a_permutation_puts_what_stood_at_order_k_at_k() {
    let mut x = V.to_vec();
    x.permute_by(vec![2, 0, 3, 1]);
    assert_eq!(x, [V[2], V[0], V[3], V[1]]);
}

#[test]
fn what_is_put_in_comes_out() {
    let mut v = V.to_vec();
    let ((), pullback) = v.__insert_rrule(1, 9.0);
    assert_eq!(v, [0.5, 9.0, -1.5, 2.5, 4.0]);
    let mut v_bar = vec![1.0, 2.0, 3.0, 4.0, 5.0];
    let ((), (), x_bar) = pullback(ad_runtime::NoTangent, CoDual(&mut v, &mut v_bar), (), ());
    assert_eq!(
        (v, v_bar, x_bar),
        (V.to_vec(), vec![1.0, 3.0, 4.0, 5.0], 2.0)
    );

    let mut v = V.to_vec();
    let ((), pullback) = v.__push_rrule(9.0);
    let mut v_bar = vec![1.0, 2.0, 3.0, 4.0, 5.0];
    let ((), x_bar) = pullback(ad_runtime::NoTangent, CoDual(&mut v, &mut v_bar), ());
    assert_eq!(
        (v, v_bar, x_bar),
        (V.to_vec(), vec![1.0, 2.0, 3.0, 4.0], 5.0)
    );
}

#[test]
fn resize_sums_what_it_added_and_puts_back_what_it_dropped() {
    for (n, bars, left, x_bar) in [
        (
            6,
            vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
            vec![1.0, 2.0, 3.0, 4.0],
            11.0,
        ),
        (2, vec![1.0, 2.0], vec![1.0, 2.0, 0.0, 0.0], 0.0),
    ] {
        let (mut v, mut v_bar) = (V.to_vec(), bars);
        let ((), pullback) = v.__resize_rrule(n, 9.0);
        assert_eq!(v.len(), n);
        let ((), (), got) = pullback(ad_runtime::NoTangent, CoDual(&mut v, &mut v_bar), (), ());
        assert_eq!((v, v_bar, got), (V.to_vec(), left, x_bar));
    }
}

#[test]
fn what_is_appended_goes_back() {
    let (mut v, mut w) = (V[..2].to_vec(), V[2..].to_vec());
    let ((), pullback) = v.__append_rrule(&mut w);
    assert_eq!((&v[..], w.len()), (&V[..], 0));
    let (mut v_bar, mut w_bar) = (vec![1.0, 2.0, 3.0, 4.0], vec![]);
    pullback(
        ad_runtime::NoTangent,
        CoDual(&mut v, &mut v_bar),
        CoDual(&mut w, &mut w_bar),
    );
    assert_eq!((v, w), (V[..2].to_vec(), V[2..].to_vec()));
    assert_eq!((v_bar, w_bar), (vec![1.0, 2.0], vec![3.0, 4.0]));
}

#[test]
fn what_is_copied_to_the_end_is_added_to_the_shadow() {
    let (mut v, x) = (V[..2].to_vec(), V[2..].to_vec());
    let ((), pullback) = v.__extend_from_slice_rrule(&x);
    let (mut v_bar, mut x_bar) = (vec![1.0, 2.0, 3.0, 4.0], vec![10.0, 20.0]);
    pullback(
        ad_runtime::NoTangent,
        CoDual(&mut v, &mut v_bar),
        CoDual(&x[..], &mut x_bar[..]),
    );
    assert_eq!(
        (v, v_bar, x_bar),
        (V[..2].to_vec(), vec![1.0, 2.0], vec![13.0, 24.0])
    );
}

#[test]
fn options_give_the_cotangent_to_what_was_given() {
    let (y, pullback) = Some(2.0).__unwrap_rrule();
    assert_eq!((y, pullback(3.0, ())), (2.0, (Some(3.0),)));
    let (y, pullback) = Some(2.0).__unwrap_or_rrule(5.0);
    assert_eq!((y, pullback(3.0, (), ())), (2.0, (Some(3.0), 0.0)));
    let (y, pullback) = None.__unwrap_or_rrule(5.0);
    assert_eq!((y, pullback(3.0, (), ())), (5.0, (None, 3.0)));
    let (y, pullback) = None::<f64>.__unwrap_or_default_rrule();
    assert_eq!((y, pullback(3.0, ())), (0.0, (None,)));
    let (y, pullback) = Some(2.0).__ok_or_rrule("none");
    assert_eq!((y, pullback(Ok(3.0), (), ())), (Ok(2.0), (Some(3.0), ())));
    let (y, pullback) = None.__or_rrule(Some(5.0));
    assert_eq!(
        (y, pullback(Some(3.0), (), ())),
        (Some(5.0), (None, Some(3.0)))
    );
    let (y, pullback) = Some(2.0).__or_rrule(Some(5.0));
    assert_eq!(
        (y, pullback(Some(3.0), (), ())),
        (Some(2.0), (Some(3.0), Some(0.0)))
    );
    let (y, pullback) = Some(2.0).__xor_rrule(Some(5.0));
    assert_eq!((y, pullback(None, (), ())), (None, (Some(0.0), Some(0.0))));
}

#[test]
fn what_is_taken_is_put_back() {
    let mut x = Some(2.0);
    let (y, pullback) = x.__take_rrule();
    assert_eq!((x, y), (None, Some(2.0)));
    let mut x_bar = None;
    pullback(Some(3.0), CoDual(&mut x, &mut x_bar));
    assert_eq!((x, x_bar), (Some(2.0), Some(3.0)));

    let (y, pullback) = x.__replace_rrule(7.0);
    assert_eq!((x, y), (Some(7.0), Some(2.0)));
    let ((), new_bar) = pullback(Some(4.0), CoDual(&mut x, &mut x_bar), ());
    assert_eq!((x, x_bar, new_bar), (Some(2.0), Some(4.0), 3.0));
}

#[test]
fn second_order_of_options() {
    let (y, pullback) = Some(2.0).__unwrap_or_rrule_frule(Some(0.5), Dual(5.0, 0.25));
    assert_eq!(y, Dual(2.0, 0.5));
    let bars = pullback(Dual(3.0, 4.0), (), ());
    assert_eq!(bars, (Dual(Some(3.0), Some(4.0)), Dual(0.0, 0.0)));
    let (mut x, mut x_dot) = (Some(2.0), Some(0.5));
    let (y, pullback) = x.__replace_rrule_frule(&mut x_dot, Dual(7.0, 0.25));
    assert_eq!(
        (x, x_dot, y),
        (Some(7.0), Some(0.25), Dual(Some(2.0), Some(0.5)))
    );
    let mut bars = (Some(3.0), Some(4.0));
    let shadow = CoDual(Dual(&mut x, &mut x_dot), Dual(&mut bars.0, &mut bars.1));
    let ((), new_bar) = pullback(Dual(Some(5.0), Some(6.0)), shadow, ());
    assert_eq!((x, x_dot, new_bar), (Some(2.0), Some(0.5), Dual(3.0, 4.0)));
    assert_eq!(bars, (Some(5.0), Some(6.0)));
}

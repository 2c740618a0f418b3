//! `x.map(f)` and `x.zip_map(&z, f)`: a function of each element. The rules call that of `f`, in the order of memory, and its reverse half
//! in the opposite one.

use alloc::vec::Vec;

use ad_runtime::libraries::nalgebra::Element;

use super::{AnyMatrix, At, At2, D, Elem};
use crate::{__private::mode, CoDual, Dual};

/// The matrix of the same shape with these elements.
pub(super) fn with<X: AnyMatrix>(x: &X, elements: &[Elem<X>]) -> X {
    let mut y = x.clone();
    y.elements_mut().copy_from_slice(elements);
    y
}

/// Results and the residuals of their pullbacks.
fn split<A, B>(pairs: impl Iterator<Item = (A, B)>) -> (Vec<A>, Vec<B>) {
    pairs.unzip()
}

fn both<A: Element>(x: &[A], x_dot: &[A]) -> Vec<D<A>> {
    x.iter()
        .zip(x_dot)
        .map(|(x, x_dot)| Dual(*x, *x_dot))
        .collect()
}

fn joined<X: AnyMatrix>(x: &X, y: &[D<Elem<X>>]) -> D<X> {
    let (value, tangent) = split(y.iter().map(|y| (y.0, y.1)));
    Dual(with(x, &value), with(x, &tangent))
}

/// The rules of methods that take a function of elements.
#[allow(clippy::type_complexity)]
pub trait MapRules: AnyMatrix {
    /// `x.map(f)`: by reference, and a function.
    #[inline(always)]
    fn __map_modes(&self) -> (mode::Ref<Self>, mode::Function) {
        (mode::by_ref(), mode::Function)
    }

    /// The values and their tangents.
    #[inline]
    fn __map_frule(
        &self,
        self_dot: &Self,
        f: &mut impl FnMut((D<Elem<Self>>,)) -> D<Elem<Self>>,
    ) -> D<Self> {
        let x = both(self.elements(), self_dot.elements());
        let y: Vec<_> = x.into_iter().map(|x| f((x,))).collect();
        joined(self, &y)
    }

    /// The values and their pullback.
    #[inline]
    fn __map_rrule<P>(
        &self,
        f: &mut dyn FnMut((Elem<Self>,)) -> (Elem<Self>, P),
    ) -> (
        Self,
        impl FnOnce(
            Self,
            At<'_, Self>,
            &mut dyn FnMut(P, Elem<Self>, ((),)) -> (Elem<Self>,),
        ) -> ((), ())
        + use<Self, P>,
    ) {
        let (y, residuals) = split(self.elements().iter().map(|x| f((*x,))));
        let pullback =
            |y_bar: Self,
             CoDual(_, x_bar): At<'_, Self>,
             pull: &mut dyn FnMut(P, Elem<Self>, ((),)) -> (Elem<Self>,)| {
                let bars = x_bar.elements_mut().iter_mut().zip(y_bar.elements());
                for (residual, (x_bar, y_bar)) in residuals.into_iter().zip(bars).rev() {
                    *x_bar += pull(residual, *y_bar, ((),)).0;
                }
                ((), ())
            };
        (with(self, &y), pullback)
    }

    /// The forward transform of the same.
    #[inline]
    fn __map_rrule_frule<P>(
        &self,
        self_dot: &Self,
        f: &mut dyn FnMut((D<Elem<Self>>,)) -> (D<Elem<Self>>, P),
    ) -> (
        D<Self>,
        impl FnOnce(
            D<Self>,
            At2<'_, Self>,
            &mut dyn FnMut(P, D<Elem<Self>>, ((),)) -> (D<Elem<Self>>,),
        ) -> ((), ())
        + use<Self, P>,
    ) {
        let x = both(self.elements(), self_dot.elements());
        let (y, residuals) = split(x.into_iter().map(|x| f((x,))));
        let pullback =
            |y_bar: D<Self>,
             CoDual(_, Dual(x_bar, x_bar_dot)): At2<'_, Self>,
             pull: &mut dyn FnMut(P, D<Elem<Self>>, ((),)) -> (D<Elem<Self>>,)| {
                let y_bar = both(y_bar.0.elements(), y_bar.1.elements());
                let bars = x_bar
                    .elements_mut()
                    .iter_mut()
                    .zip(x_bar_dot.elements_mut());
                for ((residual, y_bar), (x_bar, x_bar_dot)) in
                    residuals.into_iter().zip(y_bar).zip(bars).rev()
                {
                    let (bar,) = pull(residual, y_bar, ((),));
                    *x_bar += bar.0;
                    *x_bar_dot += bar.1;
                }
                ((), ())
            };
        (joined(self, &y), pullback)
    }

    /// `x.zip_map(&z, f)`.
    #[inline(always)]
    fn __zip_map_modes(&self) -> (mode::Ref<Self>, mode::Ref<Self>, mode::Function) {
        (mode::by_ref(), mode::by_ref(), mode::Function)
    }

    /// The values and their tangents.
    #[inline]
    #[track_caller]
    fn __zip_map_frule(
        &self,
        self_dot: &Self,
        z: Dual<&Self, &Self>,
        f: &mut impl FnMut((D<Elem<Self>>, D<Elem<Self>>)) -> D<Elem<Self>>,
    ) -> D<Self> {
        assert_eq!(self.size(), z.0.size(), "matrices of different shapes");
        let x = both(self.elements(), self_dot.elements());
        let z = both(z.0.elements(), z.1.elements());
        let y: Vec<_> = x.into_iter().zip(z).map(f).collect();
        joined(self, &y)
    }

    /// The values and their pullback.
    #[inline]
    #[track_caller]
    fn __zip_map_rrule<P>(
        &self,
        z: &Self,
        f: &mut dyn FnMut((Elem<Self>, Elem<Self>)) -> (Elem<Self>, P),
    ) -> (
        Self,
        impl FnOnce(
            Self,
            At<'_, Self>,
            At<'_, Self>,
            &mut dyn FnMut(P, Elem<Self>, ((), ())) -> (Elem<Self>, Elem<Self>),
        ) -> ((), (), ())
        + use<Self, P>,
    ) {
        assert_eq!(self.size(), z.size(), "matrices of different shapes");
        let pairs = self.elements().iter().zip(z.elements());
        let (y, residuals) = split(pairs.map(|(x, z)| f((*x, *z))));
        let pullback = |y_bar: Self,
                        CoDual(_, x_bar): At<'_, Self>,
                        CoDual(_, z_bar): At<'_, Self>,
                        pull: &mut dyn FnMut(
            P,
            Elem<Self>,
            ((), ()),
        ) -> (Elem<Self>, Elem<Self>)| {
            let bars = x_bar.elements_mut().iter_mut().zip(z_bar.elements_mut());
            for ((residual, y_bar), (x_bar, z_bar)) in
                residuals.into_iter().zip(y_bar.elements()).zip(bars).rev()
            {
                let bar = pull(residual, *y_bar, ((), ()));
                *x_bar += bar.0;
                *z_bar += bar.1;
            }
            ((), (), ())
        };
        (with(self, &y), pullback)
    }

    /// The forward transform of the same.
    #[inline]
    #[track_caller]
    fn __zip_map_rrule_frule<P>(
        &self,
        self_dot: &Self,
        z: Dual<&Self, &Self>,
        f: &mut dyn FnMut((D<Elem<Self>>, D<Elem<Self>>)) -> (D<Elem<Self>>, P),
    ) -> (
        D<Self>,
        impl FnOnce(
            D<Self>,
            At2<'_, Self>,
            At2<'_, Self>,
            &mut dyn FnMut(P, D<Elem<Self>>, ((), ())) -> (D<Elem<Self>>, D<Elem<Self>>),
        ) -> ((), (), ())
        + use<Self, P>,
    ) {
        assert_eq!(self.size(), z.0.size(), "matrices of different shapes");
        let x = both(self.elements(), self_dot.elements());
        let z = both(z.0.elements(), z.1.elements());
        let (y, residuals) = split(x.into_iter().zip(z).map(f));
        let pullback = |y_bar: D<Self>,
                        x: At2<'_, Self>,
                        z: At2<'_, Self>,
                        pull: &mut dyn FnMut(
            P,
            D<Elem<Self>>,
            ((), ()),
        ) -> (D<Elem<Self>>, D<Elem<Self>>)| {
            let y_bar = both(y_bar.0.elements(), y_bar.1.elements());
            for (k, (residual, y_bar)) in residuals.into_iter().zip(y_bar).enumerate().rev() {
                let (bar, other) = pull(residual, y_bar, ((), ()));
                x.1.0.elements_mut()[k] += bar.0;
                x.1.1.elements_mut()[k] += bar.1;
                z.1.0.elements_mut()[k] += other.0;
                z.1.1.elements_mut()[k] += other.1;
            }
            ((), (), ())
        };
        (joined(self, &y), pullback)
    }
}
impl<X: AnyMatrix> MapRules for X {}

//! `x.mapv(f)` and `x.map(f)`: a function of each element. The rules call that of `f`, in logical order, and its reverse half in the
//! opposite one; the library leaves the order open.

use alloc::vec::Vec;

use ::ndarray::{Array, Dimension};

use super::{AnyArray, At, At2, Behind, D, Dim, Elem};
use crate::{CoDual, Differentiable, Dual, Tan, mode};

/// The array that the elements make up, in logical order.
fn collect<B, E: Dimension>(shape: E, elements: Vec<B>) -> Array<B, E> {
    match Array::from_shape_vec(shape, elements) {
        Ok(array) => array,
        Err(_) => unreachable!("as many elements as there were"),
    }
}

/// Splits pairs in two.
fn split<A, B>(pairs: impl Iterator<Item = (A, B)>) -> (Vec<A>, Vec<B>) {
    pairs.unzip()
}

/// The results of the function for each element.
type Mapped<X, R> = Array<R, Dim<X>>;
/// Its tangents.
type MappedTan<X, R> = Array<Tan<R>, Dim<X>>;

/// The rules of methods that take a function of an element.
pub trait ArrayMapRules: AnyArray {
    /// By reference, and a function.
    #[inline(always)]
    fn __mapv_modes(&self) -> (mode::Ref<Behind<Self>>, mode::Function) {
        (mode::by_ref(), mode::Function)
    }

    /// The values and their tangents.
    #[inline]
    #[allow(clippy::type_complexity)]
    fn __mapv_frule<R: Differentiable>(
        &self,
        self_dot: &Behind<Self>,
        f: &mut impl FnMut((D<Elem<Self>>,)) -> Dual<R, Tan<R>>,
    ) -> Dual<Mapped<Self, R>, MappedTan<Self, R>> {
        let x = self.array();
        let both = x.iter().zip(self_dot);
        let (y, y_dot) = split(both.map(|(x, x_dot)| {
            let Dual(y, y_dot) = f((Dual(*x, *x_dot),));
            (y, y_dot)
        }));
        Dual(collect(x.raw_dim(), y), collect(x.raw_dim(), y_dot))
    }

    /// The values and their pullback.
    #[inline]
    #[allow(clippy::type_complexity)]
    fn __mapv_rrule<R: Differentiable, P>(
        &self,
        f: &mut dyn FnMut((Elem<Self>,)) -> (R, P),
    ) -> (
        Mapped<Self, R>,
        impl FnOnce(
            MappedTan<Self, R>,
            At<'_, Self>,
            &mut dyn FnMut(P, Tan<R>, ((),)) -> (Elem<Self>,),
        ) -> ((), ())
        + use<Self, R, P>,
    ) {
        let x = self.array();
        let (y, residuals) = split(x.iter().map(|x| f((*x,))));
        let pullback =
            |y_bar: MappedTan<Self, R>,
             CoDual(_, x_bar): At<'_, Self>,
             pull: &mut dyn FnMut(P, Tan<R>, ((),)) -> (Elem<Self>,)| {
                let y_bar: Vec<Tan<R>> = y_bar.into_iter().collect();
                let last_first = residuals.into_iter().zip(y_bar).rev();
                let bars: Vec<_> = last_first
                    .map(|(p, y_bar)| pull(p, y_bar, ((),)).0)
                    .collect();
                for (x_bar, bar) in x_bar.iter_mut().zip(bars.into_iter().rev()) {
                    *x_bar += bar;
                }
                ((), ())
            };
        (collect(x.raw_dim(), y), pullback)
    }

    /// The forward transform of the same.
    #[inline]
    #[allow(clippy::type_complexity)]
    fn __mapv_rrule_frule<R: Differentiable, P>(
        &self,
        self_dot: &Behind<Self>,
        f: &mut dyn FnMut((D<Elem<Self>>,)) -> (Dual<R, Tan<R>>, P),
    ) -> (
        Dual<Mapped<Self, R>, MappedTan<Self, R>>,
        impl FnOnce(
            D<MappedTan<Self, R>>,
            At2<'_, Self>,
            &mut dyn FnMut(P, D<Tan<R>>, ((),)) -> (D<Elem<Self>>,),
        ) -> ((), ())
        + use<Self, R, P>,
    ) {
        let x = self.array();
        let (mut y, mut y_dot, mut residuals) = (Vec::new(), Vec::new(), Vec::new());
        for (x, x_dot) in x.iter().zip(self_dot) {
            let (Dual(one, one_dot), residual) = f((Dual(*x, *x_dot),));
            y.push(one);
            y_dot.push(one_dot);
            residuals.push(residual);
        }
        let pullback =
            |Dual(y_bar, y_bar_dot): D<MappedTan<Self, R>>,
             CoDual(_, Dual(x_bar, x_bar_dot)): At2<'_, Self>,
             pull: &mut dyn FnMut(P, D<Tan<R>>, ((),)) -> (D<Elem<Self>>,)| {
                let y_bar: Vec<_> = y_bar.into_iter().zip(y_bar_dot).collect();
                let last_first = residuals.into_iter().zip(y_bar).rev();
                let bars: Vec<_> = last_first
                    .map(|(p, (y_bar, y_bar_dot))| pull(p, Dual(y_bar, y_bar_dot), ((),)).0)
                    .collect();
                let x_bars = x_bar.iter_mut().zip(x_bar_dot);
                for ((x_bar, x_bar_dot), Dual(bar, bar_dot)) in x_bars.zip(bars.into_iter().rev()) {
                    *x_bar += bar;
                    *x_bar_dot += bar_dot;
                }
                ((), ())
            };
        let y = Dual(collect(x.raw_dim(), y), collect(x.raw_dim(), y_dot));
        (y, pullback)
    }
}
impl<X: AnyArray + ?Sized> ArrayMapRules for X {}

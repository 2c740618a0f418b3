//! Methods that are bilinear, and methods based on them: products of elements, the cross product, unit vectors.

use ad_runtime::libraries::nalgebra::Element;
use ad_runtime::libraries::nalgebra::library::{DMatrix, DVector, SMatrix};

use super::{AnyMatrix, At, At2, D, Elem};
use crate::{__private::mode, Dual, Scalar, Tangent as _};

/// Writes out the four rules of a method from its value, which is linear in both arguments, and the terms that it adds to the shadow of each.
macro_rules! bilinear {
    ($(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] <$Z:ty $(, use $captured:ident)?> -> $Y:ty;
        |$x:ident, $z:ident| $value:expr;
        |$y_bar:ident, $at:ident, $bar:ident| $pull_x:expr, $pull_z:expr;
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $modes(&self) -> (mode::Ref<Self>, mode::Ref<$Z>) {
            (mode::by_ref(), mode::by_ref())
        }

        /// The value and its tangent.
        #[inline]
        #[track_caller]
        fn $frule(&self, self_dot: &Self, z: Dual<&$Z, &$Z>) -> D<$Y> {
            let value = |$x: &Self, $z: &$Z| -> $Y { $value };
            let mut y_dot = value(self_dot, z.0);
            y_dot.accumulate(&value(self, z.1));
            Dual(value(self, z.0), y_dot)
        }

        /// The value and its pullback.
        #[inline]
        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn $rrule(&self, $z: &$Z) -> ($Y, impl FnOnce($Y, At<'_, Self>, At<'_, $Z>) -> ((), ()) + use<Self $(, $captured)?>) {
            let $x = self;
            let pullback = |y_bar: $Y, x: At<'_, Self>, z: At<'_, $Z>| {
                let pull_x = |$y_bar: &$Y, $at: &$Z, $bar: &mut Self| $pull_x;
                let pull_z = |$y_bar: &$Y, $at: &Self, $bar: &mut $Z| $pull_z;
                pull_x(&y_bar, z.0, x.1);
                pull_z(&y_bar, x.0, z.1);
                ((), ())
            };
            ($value, pullback)
        }

        /// The forward transform of the same.
        #[inline]
        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn $rrule_frule(
            &self,
            self_dot: &Self,
            z: Dual<&$Z, &$Z>,
        ) -> (D<$Y>, impl FnOnce(D<$Y>, At2<'_, Self>, At2<'_, $Z>) -> ((), ()) + use<Self $(, $captured)?>) {
            let pullback = |Dual(y_bar, y_bar_dot): D<$Y>, x: At2<'_, Self>, z: At2<'_, $Z>| {
                let pull_x = |$y_bar: &$Y, $at: &$Z, $bar: &mut Self| $pull_x;
                let pull_z = |$y_bar: &$Y, $at: &Self, $bar: &mut $Z| $pull_z;
                pull_x(&y_bar, z.0.0, x.1.0);
                pull_z(&y_bar, x.0.0, z.1.0);
                pull_x(&y_bar_dot, z.0.0, x.1.1);
                pull_x(&y_bar, z.0.1, x.1.1);
                pull_z(&y_bar_dot, x.0.0, z.1.1);
                pull_z(&y_bar, x.0.1, z.1.1);
                ((), ())
            };
            (self.$frule(self_dot, z), pullback)
        }
    )*};
}

fn inner<X: AnyMatrix>(x: &X, z: &X) -> Elem<X> {
    let mut sum = Elem::<X>::ZERO;
    for (x, z) in x.elements().iter().zip(z.elements()) {
        sum += *x * *z;
    }
    sum
}

/// `x_bar += y_bar ∘ z`
fn add_products<X: AnyMatrix>(x_bar: &mut X, y_bar: &X, z: &X) {
    x_bar.accumulate(&y_bar.zip(z, |y_bar, z| y_bar * z));
}

/// `x / |x|` and `|x|`.
fn unit<X: AnyMatrix>(x: &X) -> (X, Elem<X>) {
    let length = x.length();
    (x.zip(x, |x, _| x / length), length)
}

/// The derivative of `x / |x|`, which is its own transpose.
fn across<X: AnyMatrix>(y: &X, length: Elem<X>, direction: &X) -> X {
    let along = inner(y, direction);
    direction.zip(y, |d, y| (d - along * y) / length)
}

/// The rules of products and quotients of elements, of products with numbers, and of unit vectors.
pub trait ProductRules: AnyMatrix {
    bilinear! {
        /// `x.component_mul(&z)`.
        [__component_mul_modes __component_mul_frule __component_mul_rrule __component_mul_rrule_frule] <Self> -> Self;
        |x, z| { check_sizes(x, z); x.zip(z, |x, z| x * z) };
        |y_bar, at, bar| add_products(bar, y_bar, at), add_products(bar, y_bar, at);
    }

    /// `x.component_div(&z)`.
    #[inline(always)]
    fn __component_div_modes(&self) -> (mode::Ref<Self>, mode::Ref<Self>) {
        (mode::by_ref(), mode::by_ref())
    }

    /// The value and its tangent.
    #[inline]
    #[track_caller]
    fn __component_div_frule(&self, self_dot: &Self, z: Dual<&Self, &Self>) -> D<Self> {
        check_sizes(self, z.0);
        let y = self.zip(z.0, |x, z| x / z);
        let change = self_dot.zip(&y.zip(z.1, |y, z_dot| y * z_dot), |x_dot, y| x_dot - y);
        let y_dot = change.zip(z.0, |change, z| change / z);
        Dual(y, y_dot)
    }

    /// The value and its pullback.
    #[inline]
    #[track_caller]
    #[allow(clippy::type_complexity)]
    fn __component_div_rrule(
        &self,
        z: &Self,
    ) -> (
        Self,
        impl FnOnce(Self, At<'_, Self>, At<'_, Self>) -> ((), ()) + use<Self>,
    ) {
        check_sizes(self, z);
        let y = self.zip(z, |x, z| x / z);
        let value = y.clone();
        let pullback = move |y_bar: Self, x: At<'_, Self>, z: At<'_, Self>| {
            let w = y_bar.zip(z.0, |y_bar, z| y_bar / z);
            z.1.accumulate(&w.zip(&value, |w, y| -w * y));
            x.1.accumulate(&w);
            ((), ())
        };
        (y, pullback)
    }

    /// The forward transform of the same.
    #[inline]
    #[track_caller]
    #[allow(clippy::type_complexity)]
    fn __component_div_rrule_frule(
        &self,
        self_dot: &Self,
        z: Dual<&Self, &Self>,
    ) -> (
        D<Self>,
        impl FnOnce(D<Self>, At2<'_, Self>, At2<'_, Self>) -> ((), ()) + use<Self>,
    ) {
        let y = self.__component_div_frule(self_dot, z);
        let value = y.clone();
        let pullback =
            move |Dual(y_bar, y_bar_dot): D<Self>, x: At2<'_, Self>, z: At2<'_, Self>| {
                let w = y_bar.__component_div_frule(&y_bar_dot, z.0);
                let negative = w.0.zip(&value.0, |w, y| -w * y);
                z.1.0.accumulate(&negative);
                z.1.1.accumulate(&w.1.zip(&value.0, |w, y| -w * y));
                z.1.1.accumulate(&w.0.zip(&value.1, |w, y| -w * y));
                x.1.0.accumulate(&w.0);
                x.1.1.accumulate(&w.1);
                ((), ())
            };
        (y, pullback)
    }

    /// `x.scale(k)`.
    #[inline(always)]
    fn __scale_modes(&self) -> (mode::Ref<Self>, mode::Owned<Elem<Self>>) {
        (mode::by_ref(), mode::owned())
    }

    /// The value and its tangent.
    #[inline]
    fn __scale_frule(&self, self_dot: &Self, k: D<Elem<Self>>) -> D<Self> {
        let mut y_dot = self_dot.times_number(k.0);
        y_dot.accumulate(&self.times_number(k.1));
        Dual(self.times_number(k.0), y_dot)
    }

    /// The value and its pullback.
    #[inline]
    #[allow(clippy::type_complexity)]
    fn __scale_rrule(
        &self,
        k: Elem<Self>,
    ) -> (
        Self,
        impl FnOnce(Self, At<'_, Self>, ()) -> ((), Elem<Self>) + use<Self>,
    ) {
        let pullback = move |y_bar: Self, x: At<'_, Self>, ()| {
            x.1.accumulate(&y_bar.times_number(k));
            ((), inner(&y_bar, x.0))
        };
        (self.times_number(k), pullback)
    }

    /// The forward transform of the same.
    #[inline]
    #[allow(clippy::type_complexity)]
    fn __scale_rrule_frule(
        &self,
        self_dot: &Self,
        k: D<Elem<Self>>,
    ) -> (
        D<Self>,
        impl FnOnce(D<Self>, At2<'_, Self>, ()) -> ((), D<Elem<Self>>) + use<Self>,
    ) {
        let pullback = move |y_bar: D<Self>, x: At2<'_, Self>, ()| {
            let Dual(bar, bar_dot) = y_bar.0.__scale_frule(&y_bar.1, k);
            x.1.0.accumulate(&bar);
            x.1.1.accumulate(&bar_dot);
            let k_bar_dot = inner(&y_bar.1, x.0.0) + inner(&y_bar.0, x.0.1);
            ((), Dual(inner(&y_bar.0, x.0.0), k_bar_dot))
        };
        (self.__scale_frule(self_dot, k), pullback)
    }

    /// `x.normalize()`, which has no value at zero.
    #[inline(always)]
    fn __normalize_modes(&self) -> (mode::Ref<Self>,) {
        (mode::by_ref(),)
    }

    /// The value and its tangent.
    #[inline]
    fn __normalize_frule(&self, self_dot: &Self) -> D<Self> {
        let (y, length) = unit(self);
        let y_dot = across(&y, length, self_dot);
        Dual(y, y_dot)
    }

    /// The value and its pullback.
    #[inline]
    #[allow(clippy::type_complexity)]
    fn __normalize_rrule(&self) -> (Self, impl FnOnce(Self, At<'_, Self>) -> ((),) + use<Self>) {
        let (y, length) = unit(self);
        let value = y.clone();
        let pullback = move |y_bar: Self, x: At<'_, Self>| {
            x.1.accumulate(&across(&value, length, &y_bar));
            ((),)
        };
        (y, pullback)
    }

    /// The forward transform of the same.
    #[inline]
    #[allow(clippy::type_complexity)]
    fn __normalize_rrule_frule(
        &self,
        self_dot: &Self,
    ) -> (
        D<Self>,
        impl FnOnce(D<Self>, At2<'_, Self>) -> ((),) + use<Self>,
    ) {
        let (y, length) = unit(self);
        let y_dot = across(&y, length, self_dot);
        let both = Dual(y, y_dot);
        let Dual(y, y_dot) = both.clone();
        let length_dot = inner(&y, self_dot);
        let pullback = move |Dual(y_bar, y_bar_dot): D<Self>, x: At2<'_, Self>| {
            // Of `(y_bar - (y · y_bar) y) / |x|`.
            let bar = across(&y, length, &y_bar);
            let (along, turn) = (inner(&y, &y_bar), inner(&y_dot, &y_bar));
            let mut bar_dot = across(&y, length, &y_bar_dot);
            bar_dot.accumulate(&y.times_number(-turn / length));
            bar_dot.accumulate(&y_dot.times_number(-along / length));
            bar_dot.accumulate(&bar.times_number(-length_dot / length));
            x.1.0.accumulate(&bar);
            x.1.1.accumulate(&bar_dot);
            ((),)
        };
        (both, pullback)
    }
}
impl<X: AnyMatrix> ProductRules for X {}

/// An element that is chosen by its value: the first of those that are as large, or as small.
macro_rules! chosen {
    ($(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] |$x:ident, $best:ident| $better:expr;
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $modes(&self) -> (mode::Ref<Self>,) {
            (mode::by_ref(),)
        }

        /// The value and its tangent.
        #[inline]
        fn $frule(&self, self_dot: &Self) -> D<Elem<Self>> {
            match first(self, |$x, $best| $better) {
                Some(k) => Dual(self.elements()[k], self_dot.elements()[k]),
                None => Dual(Elem::<Self>::ZERO, Elem::<Self>::ZERO),
            }
        }

        /// The value and its pullback.
        #[inline]
        #[allow(clippy::type_complexity)]
        fn $rrule(&self) -> (Elem<Self>, impl FnOnce(Elem<Self>, At<'_, Self>) -> ((),) + use<Self>) {
            let k = first(self, |$x, $best| $better);
            let pullback = move |y_bar: Elem<Self>, x: At<'_, Self>| {
                if let Some(k) = k {
                    x.1.elements_mut()[k] += y_bar;
                }
                ((),)
            };
            (k.map_or(Elem::<Self>::ZERO, |k| self.elements()[k]), pullback)
        }

        /// The forward transform of the same.
        #[inline]
        #[allow(clippy::type_complexity)]
        fn $rrule_frule(
            &self,
            self_dot: &Self,
        ) -> (D<Elem<Self>>, impl FnOnce(D<Elem<Self>>, At2<'_, Self>) -> ((),) + use<Self>) {
            let k = first(self, |$x, $best| $better);
            let pullback = move |y_bar: D<Elem<Self>>, x: At2<'_, Self>| {
                if let Some(k) = k {
                    x.1.0.elements_mut()[k] += y_bar.0;
                    x.1.1.elements_mut()[k] += y_bar.1;
                }
                ((),)
            };
            (self.$frule(self_dot), pullback)
        }
    )*};
}

/// The position of the element that no later one is better than.
fn first<X: AnyMatrix>(x: &X, better: impl Fn(Elem<X>, Elem<X>) -> bool) -> Option<usize> {
    let x = x.elements();
    let choose = |best: usize, k: usize| if better(x[k], x[best]) { k } else { best };
    (0..x.len()).reduce(choose)
}

/// The rules of `max` and `min`, which are zero for no elements, as the library's.
pub trait ChosenRules: AnyMatrix {
    chosen! {
        /// `x.max()`.
        [__max_modes __max_frule __max_rrule __max_rrule_frule] |x, best| x > best;

        /// `x.min()`.
        [__min_modes __min_frule __min_rrule __min_rrule_frule] |x, best| x < best;
    }
}
impl<X: AnyMatrix> ChosenRules for X {}

#[track_caller]
fn check_sizes<X: AnyMatrix>(x: &X, z: &X) {
    assert_eq!(x.size(), z.size(), "matrices of different shapes");
}

/// Vectors with three elements.
pub trait Spatial: AnyMatrix {}
impl<A: Element> Spatial for SMatrix<A, 3, 1> {}
impl<A: Element> Spatial for SMatrix<A, 1, 3> {}

fn cross<X: Spatial>(x: &X, z: &X) -> X {
    let (a, b) = (x.elements(), z.elements());
    let mut y = x.clone();
    for k in 0..3 {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        y.elements_mut()[k] = a[i] * b[j] - a[j] * b[i];
    }
    y
}

/// The rules of the cross product.
pub trait CrossRules: Spatial {
    bilinear! {
        /// `x.cross(&z)`.
        [__cross_modes __cross_frule __cross_rrule __cross_rrule_frule] <Self> -> Self;
        |x, z| cross(x, z);
        |y_bar, at, bar| bar.accumulate(&cross(at, y_bar)), bar.accumulate(&cross(y_bar, at));
    }
}
impl<X: Spatial> CrossRules for X {}

/// Matrices by which others are multiplied.
pub trait Factor<Z: AnyMatrix>: AnyMatrix {
    /// The type of `xᵀ z`.
    type TrMul: AnyMatrix;

    /// The library's `tr_mul`.
    fn transpose_times(&self, z: &Z) -> Self::TrMul;
    /// `bar += z y_barᵀ`, to the shadow of `self`.
    fn add_left(bar: &mut Self, z: &Z, y_bar: &Self::TrMul);
    /// `bar += x y_bar`, to the shadow of `z`.
    fn add_right(bar: &mut Z, x: &Self, y_bar: &Self::TrMul);
}
macro_rules! factors {
    ($([$($generics:tt)*] $x:ty, $z:ty => $y:ty;)*) => {$(
        impl<A: Element, $($generics)*> Factor<$z> for $x {
            type TrMul = $y;

            #[inline]
            #[track_caller]
            fn transpose_times(&self, z: &$z) -> $y {
                self.tr_mul(z)
            }

            #[inline]
            fn add_left(bar: &mut Self, z: &$z, y_bar: &$y) {
                bar.accumulate(&(z * y_bar.transpose()));
            }

            #[inline]
            fn add_right(bar: &mut $z, x: &Self, y_bar: &$y) {
                bar.accumulate(&(x * y_bar));
            }
        }
    )*};
}
factors! {
    [] DMatrix<A>, DMatrix<A> => DMatrix<A>;
    [] DMatrix<A>, DVector<A> => DVector<A>;
    [const R: usize, const C: usize, const K: usize] SMatrix<A, R, C>, SMatrix<A, R, K> => SMatrix<A, C, K>;
}

/// The rules of `x.tr_mul(&z)`.
pub trait TrMulRules<Z: AnyMatrix>: Factor<Z> {
    bilinear! {
        /// `x.tr_mul(&z)`.
        [__tr_mul_modes __tr_mul_frule __tr_mul_rrule __tr_mul_rrule_frule] <Z, use Z> -> Self::TrMul;
        |x, z| x.transpose_times(z);
        |y_bar, at, bar| Self::add_left(bar, at, y_bar), Self::add_right(bar, at, y_bar);
    }
}
impl<Z: AnyMatrix, X: Factor<Z>> TrMulRules<Z> for X {}

/// The rules of `x.tr_dot(&z)`.
pub trait TrDotRules: AnyMatrix {
    bilinear! {
        /// `x.tr_dot(&z)`.
        [__tr_dot_modes __tr_dot_frule __tr_dot_rrule __tr_dot_rrule_frule] <Self::Turned> -> Elem<Self>;
        |x, z| tr_dot(x, z);
        |y_bar, at, bar| add_turned(bar, *y_bar, at), add_turned(bar, *y_bar, at);
    }
}
impl<X: AnyMatrix> TrDotRules for X {}

#[track_caller]
fn tr_dot<X: AnyMatrix>(x: &X, z: &X::Turned) -> Elem<X> {
    let (rows, columns) = x.size();
    assert_eq!((columns, rows), z.size(), "matrices of different shapes");
    let mut sum = Elem::<X>::ZERO;
    // In the library's order.
    for i in 0..rows {
        for j in 0..columns {
            sum += x.elements()[x.position(i, j)] * z.elements()[z.position(j, i)];
        }
    }
    sum
}

/// `bar += k atᵀ`
fn add_turned<A: Element>(bar: &mut impl AnyMatrix<Elem = A>, k: A, at: &impl AnyMatrix<Elem = A>) {
    let (rows, columns) = bar.size();
    for j in 0..columns {
        for i in 0..rows {
            let position = bar.position(i, j);
            bar.elements_mut()[position] += k * at.elements()[at.position(j, i)];
        }
    }
}

/// Matrices whose Kronecker products have a type.
pub trait Kronecker<Z: AnyMatrix<Elem = Elem<Self>>>: AnyMatrix {
    /// The type of the product.
    type Product: super::makers::Made + AnyMatrix<Elem = Elem<Self>>;
}
impl<A: Element> Kronecker<DMatrix<A>> for DMatrix<A> {
    type Product = DMatrix<A>;
}
macro_rules! kroneckers {
    ($([$r:literal $c:literal] [$i:literal $j:literal] [$rows:literal $columns:literal];)*) => {$(
        impl<A: Element> Kronecker<SMatrix<A, $i, $j>> for SMatrix<A, $r, $c> {
            type Product = SMatrix<A, $rows, $columns>;
        }
    )*};
}
kroneckers! {
    [2 1] [2 1] [4 1];
    [3 1] [3 1] [9 1];
    [2 2] [2 1] [4 2];
    [2 1] [2 2] [4 2];
    [2 2] [2 2] [4 4];
    [2 2] [3 3] [6 6];
    [3 3] [2 2] [6 6];
    [3 3] [3 3] [9 9];
    [2 2] [4 4] [8 8];
    [4 4] [2 2] [8 8];
}

/// The rules of `x.kronecker(&z)`.
pub trait KroneckerRules<Z: AnyMatrix<Elem = Elem<Self>>>: Kronecker<Z> {
    bilinear! {
        /// `x.kronecker(&z)`.
        [__kronecker_modes __kronecker_frule __kronecker_rrule __kronecker_rrule_frule] <Z, use Z> -> Self::Product;
        |x, z| {
            let ((rows, columns), (i, j)) = (x.size(), z.size());
            super::makers::Made::make((rows * i, columns * j), |r, c| {
                x.elements()[x.position(r / i, c / j)] * z.elements()[z.position(r % i, c % j)]
            })
        };
        |y_bar, at, bar| each_of_product(bar.size(), at.size(), |x, z, y| bar.elements_mut()[x] += y_bar.elements()[y] * at.elements()[z]),
        each_of_product(at.size(), bar.size(), |x, z, y| bar.elements_mut()[z] += y_bar.elements()[y] * at.elements()[x]);
    }
}
impl<Z: AnyMatrix<Elem = Elem<X>>, X: Kronecker<Z>> KroneckerRules<Z> for X {}

/// Of each element of a Kronecker product: the positions of its two factors, and its own.
fn each_of_product(
    (rows, columns): (usize, usize),
    (i, j): (usize, usize),
    mut f: impl FnMut(usize, usize, usize),
) {
    for c in 0..columns * j {
        for r in 0..rows * i {
            let (x, z) = (r / i + c / j * rows, r % i + c % j * i);
            f(x, z, r + c * rows * i);
        }
    }
}

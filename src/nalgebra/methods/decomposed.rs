//! `x.symmetric_eigen()`, `x.svd(true, true)` and `x.qr()`, and the fields and methods of their results.
//!
//! The library's decompositions have no tangent. In rules a type of this module replaces them: it has the factors as fields of the same names. The values are the library's,
//! in its order.

use alloc::vec;
use alloc::vec::Vec;

use ad_runtime::libraries::nalgebra::library::{DMatrix, DVector, SMatrix};

use super::factored::Dense;
use super::{AnyMatrix, D};
use crate::nalgebra::algebra::Pair;
use crate::nalgebra::eigen::Eigen;
use crate::nalgebra::factorisations::QrFactors;
use crate::nalgebra::rules::Function;
use crate::nalgebra::singular::Singular;
use crate::{__private::mode, CoDual, Differentiable, Dual};

/// Matrices with decompositions.
pub trait Decomposes: Dense {
    /// The type of their eigenvalues and singular values.
    type Values: Dense;

    /// The library's `symmetric_eigen`.
    fn eigen(&self) -> Eigenpairs<Self::Values, Self>;
    /// The library's `svd`, with these vectors. The singular values depend on that in their last bits.
    fn singular(&self, compute_u: bool, compute_v: bool) -> Svd<Self::Values, Self>;
    /// The library's `qr`.
    fn orthogonal(&self) -> Qr<Self>;
}
macro_rules! decomposes {
    ($([$($generics:tt)*] $t:ty, $values:ty;)*) => {$(
        impl $($generics)* Decomposes for $t {
            type Values = $values;

            #[track_caller]
            fn eigen(&self) -> Eigenpairs<$values, Self> {
                let found = self.clone().symmetric_eigen();
                Eigenpairs {
                    eigenvalues: found.eigenvalues,
                    eigenvectors: found.eigenvectors,
                }
            }

            fn singular(&self, compute_u: bool, compute_v: bool) -> Svd<$values, Self> {
                let found = self.clone().svd(compute_u, compute_v);
                Svd {
                    u: found.u,
                    v_t: found.v_t,
                    singular_values: found.singular_values,
                }
            }

            fn orthogonal(&self) -> Qr<Self> {
                let (q, r) = self.clone().qr().unpack();
                Qr { q, r }
            }
        }
    )*};
}
decomposes! {
    [] DMatrix<f64>, DVector<f64>;
    [] SMatrix<f64, 2, 2>, SMatrix<f64, 2, 1>;
    [] SMatrix<f64, 3, 3>, SMatrix<f64, 3, 1>;
    [] SMatrix<f64, 4, 4>, SMatrix<f64, 4, 1>;
    [] SMatrix<f64, 5, 5>, SMatrix<f64, 5, 1>;
    [] SMatrix<f64, 6, 6>, SMatrix<f64, 6, 1>;
}

/// Stands for `nalgebra::SymmetricEigen`.
#[derive(Clone, Differentiable)]
pub struct Eigenpairs<V, X> {
    /// The eigenvalues.
    pub eigenvalues: V,
    /// The eigenvectors, as columns.
    pub eigenvectors: X,
}

/// Stands for `nalgebra::SVD`.
#[derive(Clone, Differentiable)]
pub struct Svd<V, X> {
    /// The left singular vectors, as columns.
    pub u: Option<X>,
    /// The right singular vectors, as rows.
    pub v_t: Option<X>,
    /// The singular values.
    pub singular_values: V,
}

/// Stands for `nalgebra::QR`.
#[derive(Clone, Differentiable)]
pub struct Qr<X> {
    q: X,
    r: X,
}

/// A decomposition as the results of a function of matrices, and back.
trait Decomposition<X: Decomposes>: Differentiable + Clone {
    /// The factors.
    fn split(&self) -> Vec<DMatrix<f64>>;
    /// Their tangents.
    fn tangent(&self, factors: Vec<DMatrix<f64>>) -> Self::OwnedTangent;
    /// Their cotangents.
    fn cotangents(&self, bar: &Self::OwnedTangent) -> Vec<DMatrix<f64>>;
}

type EigenTangent<X> = <Eigenpairs<<X as Decomposes>::Values, X> as Differentiable>::OwnedTangent;
type SvdTangentOf<X> = <Svd<<X as Decomposes>::Values, X> as Differentiable>::OwnedTangent;
type QrTangentOf<X> = <Qr<X> as Differentiable>::OwnedTangent;

fn of<X: Dense>(factors: &mut impl Iterator<Item = DMatrix<f64>>) -> X {
    X::of(&factors.next().expect("a factor"))
}

impl<X: Decomposes> Decomposition<X> for Eigenpairs<X::Values, X> {
    fn split(&self) -> Vec<DMatrix<f64>> {
        vec![self.eigenvalues.dynamic(), self.eigenvectors.dynamic()]
    }

    fn tangent(&self, factors: Vec<DMatrix<f64>>) -> Self::OwnedTangent {
        let mut factors = factors.into_iter();
        EigenpairsTangent {
            eigenvalues: of(&mut factors),
            eigenvectors: of(&mut factors),
        }
    }

    fn cotangents(&self, bar: &Self::OwnedTangent) -> Vec<DMatrix<f64>> {
        vec![bar.eigenvalues.dynamic(), bar.eigenvectors.dynamic()]
    }
}

/// A factor that was asked for, or zeros.
fn or_zeros<X: Dense>(factor: Option<&X>, size: (usize, usize)) -> DMatrix<f64> {
    factor.map_or_else(|| DMatrix::zeros(size.0, size.1), Dense::dynamic)
}

impl<X: Decomposes> Decomposition<X> for Svd<X::Values, X> {
    fn split(&self) -> Vec<DMatrix<f64>> {
        vec![
            or_zeros(self.u.as_ref(), (0, 0)),
            self.singular_values.dynamic(),
            or_zeros(self.v_t.as_ref(), (0, 0)).transpose(),
        ]
    }

    fn tangent(&self, factors: Vec<DMatrix<f64>>) -> Self::OwnedTangent {
        let [u, s, v] = &factors[..] else {
            unreachable!("there are three factors")
        };
        SvdTangent {
            u: Some(X::of(u)),
            v_t: Some(X::of(&v.transpose())),
            singular_values: X::Values::of(s),
        }
    }

    fn cotangents(&self, bar: &Self::OwnedTangent) -> Vec<DMatrix<f64>> {
        let size = |factor: &Option<X>| factor.as_ref().map_or((0, 0), AnyMatrix::size);
        vec![
            or_zeros(bar.u.as_ref(), size(&self.u)),
            bar.singular_values.dynamic(),
            or_zeros(bar.v_t.as_ref(), size(&self.v_t)).transpose(),
        ]
    }
}

impl<X: Decomposes> Decomposition<X> for Qr<X> {
    fn split(&self) -> Vec<DMatrix<f64>> {
        vec![self.q.dynamic(), self.r.dynamic()]
    }

    fn tangent(&self, factors: Vec<DMatrix<f64>>) -> Self::OwnedTangent {
        let mut factors = factors.into_iter();
        QrTangent {
            q: of(&mut factors),
            r: of(&mut factors),
        }
    }

    fn cotangents(&self, bar: &Self::OwnedTangent) -> Vec<DMatrix<f64>> {
        vec![bar.q.dynamic(), bar.r.dynamic()]
    }
}

type Bar<Y> = <Y as Differentiable>::OwnedTangent;

fn frule<F: Function, X: Decomposes, Y: Decomposition<X>>(x: &X, dot: &X, y: Y) -> Dual<Y, Bar<Y>> {
    let tangents = F::tangents(&[x.dynamic()], &y.split(), &[dot.dynamic()]);
    let y_dot = y.tangent(tangents);
    Dual(y, y_dot)
}

fn pull<F: Function, X: Decomposes, Y: Decomposition<X>>(x: &X, y: &Y, bar: &Bar<Y>) -> X {
    let whole = F::pullback(&[x.dynamic()], &y.split(), &y.cotangents(bar));
    X::of(&whole[0])
}

fn pull_dual<F: Function, X: Decomposes, Y: Decomposition<X>>(
    x: Dual<&X, &X>,
    y: &Y,
    bar: Dual<&Bar<Y>, &Bar<Y>>,
) -> D<X> {
    let pair = |value, tangent| Pair { value, tangent };
    let x = pair(x.0.dynamic(), x.1.dynamic());
    let results = y.split();
    let dots = F::tangents(
        core::slice::from_ref(&x.value),
        &results,
        core::slice::from_ref(&x.tangent),
    );
    let results: Vec<Pair> = results
        .into_iter()
        .zip(dots)
        .map(|(value, tangent)| pair(value, tangent))
        .collect();
    let bars = y.cotangents(bar.0).into_iter().zip(y.cotangents(bar.1));
    let bars: Vec<Pair> = bars.map(|(value, tangent)| pair(value, tangent)).collect();
    let whole = F::pullback(&[x], &results, &bars);
    Dual(X::of(&whole[0].value), X::of(&whole[0].tangent))
}

/// Methods that decompose a matrix, by value.
macro_rules! decompositions {
    ($(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] ($($c:ident: $C:ty),*) -> $Y:ty, $Bar:ty;
        |$x:ident| $value:expr;
        |$y:ident, $bar:ident| $mask:expr;
        $function:ty;
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $modes(&self) -> (mode::Owned<Self>, $(mode::Const<$C>,)*) {
            (mode::owned(), $(decompositions!(@constant $c),)*)
        }

        /// The decomposition and its tangent.
        #[track_caller]
        fn $frule(self, self_dot: Self, $($c: $C,)*) -> Dual<$Y, $Bar> {
            let $x = &self;
            let Dual(mut $y, mut $bar) = frule::<$function, Self, $Y>($x, &self_dot, $value);
            $mask;
            Dual($y, $bar)
        }

        /// The decomposition and its pullback.
        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn $rrule(self, $($c: $C,)*) -> ($Y, impl FnOnce($Bar, (), $(decompositions!(@nothing $c),)*) -> (Self, $(decompositions!(@nothing $c),)*) + use<Self>) {
            let $x = &self;
            let whole: $Y = $value;
            let mut $y = whole.clone();
            let mut $bar = ();
            $mask;
            let y = $y;
            let pullback = move |bar: $Bar, (), $($c: decompositions!(@nothing $c),)*| {
                let () = $bar;
                (pull::<$function, Self, $Y>(&self, &whole, &bar), $($c,)*)
            };
            (y, pullback)
        }

        /// The forward transform of the same.
        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn $rrule_frule(self, self_dot: Self, $($c: $C,)*) -> (
            Dual<$Y, $Bar>,
            impl FnOnce(Dual<$Bar, $Bar>, (), $(decompositions!(@nothing $c),)*) -> (D<Self>, $(decompositions!(@nothing $c),)*) + use<Self>,
        ) {
            let $x = &self;
            let whole: $Y = $value;
            let y = self.clone().$frule(self_dot.clone(), $($c,)*);
            let pullback = move |bar: Dual<$Bar, $Bar>, (), $($c: decompositions!(@nothing $c),)*| {
                let bar = Dual(&bar.0, &bar.1);
                (pull_dual::<$function, Self, $Y>(Dual(&self, &self_dot), &whole, bar), $($c,)*)
            };
            (y, pullback)
        }
    )*};
    (@constant $c:ident) => { mode::constant() };
    (@nothing $c:ident) => { () };
}

/// Leaves out the vectors that weren't asked for.
trait Without {
    fn without(&mut self, u: bool, v_t: bool);
}
impl<V: Differentiable<OwnedTangent = V>, X: Differentiable<OwnedTangent = X>> Without
    for SvdTangent<V, X>
{
    fn without(&mut self, u: bool, v_t: bool) {
        self.u = self.u.take().filter(|_| u);
        self.v_t = self.v_t.take().filter(|_| v_t);
    }
}
impl Without for () {
    fn without(&mut self, _: bool, _: bool) {}
}

/// The rules of methods that decompose a matrix.
pub trait DecompositionRules: Decomposes {
    decompositions! {
        /// `x.symmetric_eigen()`.
        [__symmetric_eigen_modes __symmetric_eigen_frule __symmetric_eigen_rrule __symmetric_eigen_rrule_frule] ()
        -> Eigenpairs<Self::Values, Self>, EigenTangent<Self>;
        |x| x.eigen();
        |y, bar| { let _ = (&mut y, &mut bar); };
        Eigen;

        /// `x.svd(compute_u, compute_v)`.
        [__svd_modes __svd_frule __svd_rrule __svd_rrule_frule] (compute_u: bool, compute_v: bool)
        -> Svd<Self::Values, Self>, SvdTangentOf<Self>;
        |x| x.singular(true, true);
        |y, bar| {
            if !(compute_u && compute_v) {
                y = x.singular(compute_u, compute_v);
            }
            bar.without(compute_u, compute_v);
        };
        Singular;

        /// `x.qr()`, of a matrix with at least as many rows as columns.
        [__qr_modes __qr_frule __qr_rrule __qr_rrule_frule] () -> Qr<Self>, QrTangentOf<Self>;
        |x| {
            let (rows, columns) = x.size();
            assert!(rows >= columns, "derivatives of a QR decomposition with more columns than rows aren't supported");
            x.orthogonal()
        };
        |y, bar| { let _ = (&mut y, &mut bar); };
        QrFactors;
    }
}
impl<X: Decomposes> DecompositionRules for X {}

type At<'a, X> = CoDual<&'a Qr<X>, &'a mut QrTangentOf<X>>;
type At2<'a, X> = CoDual<
    Dual<&'a Qr<X>, &'a QrTangentOf<X>>,
    Dual<&'a mut QrTangentOf<X>, &'a mut QrTangentOf<X>>,
>;

/// Methods that return a factor.
macro_rules! parts {
    ($($(#[$doc:meta])* $name:ident [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident];)*) => {
        impl<X: Decomposes> Qr<X> {
            $(
                $(#[$doc])*
                pub fn $name(&self) -> X {
                    self.$name.clone()
                }
            )*
        }

        /// The rules of methods of QR decompositions.
        pub trait QrRules<X: Decomposes> {
            $(
                $(#[$doc])*
                fn $modes(&self) -> (mode::Ref<Qr<X>>,);
                /// The factor and its tangent.
                fn $frule(&self, dot: &QrTangentOf<X>) -> D<X>;
                /// The factor and its pullback.
                fn $rrule(&self) -> (X, impl FnOnce(X, At<'_, X>) -> ((),) + use<Self, X>);
                /// The forward transform of the same.
                #[allow(clippy::type_complexity)]
                fn $rrule_frule(&self, dot: &QrTangentOf<X>) -> (D<X>, impl FnOnce(D<X>, At2<'_, X>) -> ((),) + use<Self, X>);
            )*
        }
        #[allow(refining_impl_trait, clippy::type_complexity)]
        impl<X: Decomposes> QrRules<X> for Qr<X> {
            $(
                #[inline(always)]
                fn $modes(&self) -> (mode::Ref<Qr<X>>,) {
                    (mode::by_ref(),)
                }

                fn $frule(&self, dot: &QrTangentOf<X>) -> D<X> {
                    Dual(self.$name.clone(), dot.$name.clone())
                }

                fn $rrule(&self) -> (X, impl FnOnce(X, At<'_, X>) -> ((),) + use<X>) {
                    (self.$name.clone(), |bar: X, at: At<'_, X>| {
                        at.1.$name.accumulate(&bar);
                        ((),)
                    })
                }

                fn $rrule_frule(&self, dot: &QrTangentOf<X>) -> (D<X>, impl FnOnce(D<X>, At2<'_, X>) -> ((),) + use<X>) {
                    (self.$frule(dot), |bar: D<X>, at: At2<'_, X>| {
                        at.1.0.$name.accumulate(&bar.0);
                        at.1.1.$name.accumulate(&bar.1);
                        ((),)
                    })
                }
            )*
        }
    };
}
parts! {
    /// The orthogonal factor.
    q [__q_modes __q_frule __q_rrule __q_rrule_frule];
    /// The triangular factor.
    r [__r_modes __r_frule __r_rrule __r_rrule_frule];
}

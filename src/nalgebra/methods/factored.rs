//! `x.lu()` and `x.cholesky()`, and the methods of their results: `solve`, `determinant`, `inverse`, `l`.
//!
//! The library's factorisations have no tangent. In rules a type of this module replaces them: it holds the matrix, whose tangent is its own, and its methods
//! have the rules of functions of the matrix. Each of them factorises it anew.

use alloc::vec;
use alloc::vec::Vec;

use ad_runtime::libraries::nalgebra::library::{Cholesky, DMatrix, DVector, Dyn, SMatrix};

use super::{AnyMatrix, D};
use crate::nalgebra::algebra::Algebra;
use crate::nalgebra::factorisations::CholeskyFactor;
use crate::nalgebra::functions::{Determinant, Exp, Inverse};
use crate::nalgebra::rules::{self, Function, Part, Results};
use crate::nalgebra::triangular::{
    LowerSolutions, LowerTransposedSolutions, Solution, UpperSolutions, UpperTransposedSolutions,
};
use crate::{
    __private::mode, CoDual, Components, Differentiable, Dual, ShapeMismatch, Tangent as _,
    TangentValue,
};

/// Square matrices of `f64`.
pub trait Square: AnyMatrix<Elem = f64> + Dense + TangentValue {}
impl Square for DMatrix<f64> {}
impl<const N: usize> Square for SMatrix<f64, N, N> {}

/// Matrices of `f64`.
pub trait Dense: AnyMatrix<Elem = f64> {
    /// From a matrix of any size.
    fn of(matrix: &DMatrix<f64>) -> Self;

    /// As a matrix of any size.
    fn dynamic(&self) -> DMatrix<f64> {
        let (rows, columns) = self.size();
        DMatrix::from_column_slice(rows, columns, self.elements())
    }
}
impl Dense for DMatrix<f64> {
    fn of(matrix: &DMatrix<f64>) -> Self {
        matrix.clone()
    }
}
impl Dense for DVector<f64> {
    fn of(matrix: &DMatrix<f64>) -> Self {
        matrix.column(0).into_owned()
    }
}
impl<const R: usize, const C: usize> Dense for SMatrix<f64, R, C> {
    fn of(matrix: &DMatrix<f64>) -> Self {
        SMatrix::from_column_slice(matrix.as_slice())
    }
}

/// A matrix, or the replacement of its factorisation.
pub trait Holds: Differentiable<Tangent = Self::Matrix, OwnedTangent = Self::Matrix> {
    /// The type of the matrix.
    type Matrix: Square;

    /// The matrix.
    fn matrix(&self) -> &Self::Matrix;
}
impl Holds for DMatrix<f64> {
    type Matrix = Self;

    fn matrix(&self) -> &Self {
        self
    }
}
impl<const N: usize> Holds for SMatrix<f64, N, N> {
    type Matrix = Self;

    fn matrix(&self) -> &Self {
        self
    }
}

macro_rules! stand_ins {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $name<X>(X);

        impl<X: Square> Differentiable for $name<X> {
            type Tangent = X;
            type OwnedTangent = X;

            fn zero_tangent(&self) -> X {
                self.0.zero_tangent()
            }

            fn matches_shape(&self, tangent: &X) -> Result<(), ShapeMismatch> {
                self.0.matches_shape(tangent)
            }

            fn add_scaled_tangent(&mut self, factor: f64, tangent: &X) {
                self.0.add_scaled_tangent(factor, tangent);
            }

            fn visit_components(&self, components: &mut Components<'_>) {
                self.0.visit_components(components);
            }

            fn visit_floats(&self, visit: &mut dyn FnMut(f64)) {
                self.0.visit_floats(visit);
            }

            fn map_floats(&mut self, map: &mut dyn FnMut(f64) -> f64) {
                self.0.map_floats(map);
            }
        }

        impl<X: Square> Holds for $name<X> {
            type Matrix = X;

            fn matrix(&self) -> &X {
                &self.0
            }
        }
    )*};
}
stand_ins! {
    /// Stands for `nalgebra::LU`.
    Lu;
}

/// Stands for `nalgebra::Cholesky`: the matrix is positive definite.
#[derive(Clone)]
pub struct Definite<X>(X, Cholesky<f64, Dyn>);

impl<X: Square> Differentiable for Definite<X> {
    type Tangent = X;
    type OwnedTangent = X;

    fn zero_tangent(&self) -> X {
        self.0.zero_tangent()
    }

    fn matches_shape(&self, tangent: &X) -> Result<(), ShapeMismatch> {
        self.0.matches_shape(tangent)
    }

    fn add_scaled_tangent(&mut self, factor: f64, tangent: &X) {
        self.0.add_scaled_tangent(factor, tangent);
        self.1 = factor_of(&self.0.dynamic());
    }

    fn visit_components(&self, components: &mut Components<'_>) {
        self.0.visit_components(components);
    }

    fn visit_floats(&self, visit: &mut dyn FnMut(f64)) {
        self.0.visit_floats(visit);
    }

    fn map_floats(&mut self, map: &mut dyn FnMut(f64) -> f64) {
        self.0.map_floats(map);
        self.1 = factor_of(&self.0.dynamic());
    }
}

impl<X: Square> Holds for Definite<X> {
    type Matrix = X;

    fn matrix(&self) -> &X {
        &self.0
    }
}

// The methods themselves: generated code infers their result types.
impl<X: Square> Lu<X> {
    /// The library's `solve`.
    pub fn solve<B: Dense>(&self, b: &B) -> Option<B> {
        Some(B::of(&self.0.dynamic().lu().solve(&b.dynamic())?))
    }

    /// The library's `try_inverse`.
    pub fn try_inverse(&self) -> Option<X> {
        Some(X::of(&self.0.dynamic().lu().try_inverse()?))
    }

    /// The library's `determinant`.
    pub fn determinant(&self) -> f64 {
        self.0.dynamic().lu().determinant()
    }
}
impl<X: Square> Definite<X> {
    /// The library's `solve`.
    pub fn solve<B: Dense>(&self, b: &B) -> B {
        B::of(&self.1.solve(&b.dynamic()))
    }

    /// The library's `l`.
    pub fn l(&self) -> X {
        X::of(&self.1.l())
    }

    /// The library's `unpack`.
    pub fn unpack(&self) -> X {
        self.l()
    }

    /// The library's `inverse`.
    pub fn inverse(&self) -> X {
        X::of(&self.1.inverse())
    }

    /// The library's `determinant`.
    pub fn determinant(&self) -> f64 {
        self.1.determinant()
    }

    /// The library's `ln_determinant`.
    pub fn ln_determinant(&self) -> f64 {
        self.1.ln_determinant()
    }
}

type At<'a, W> = CoDual<&'a W, &'a mut <W as Holds>::Matrix>;
type At2<'a, W> = CoDual<
    Dual<&'a W, &'a <W as Holds>::Matrix>,
    Dual<&'a mut <W as Holds>::Matrix, &'a mut <W as Holds>::Matrix>,
>;
type OfReference<'a, B> = CoDual<&'a B, &'a mut B>;
type OfReference2<'a, B> = CoDual<Dual<&'a B, &'a B>, Dual<&'a mut B, &'a mut B>>;

fn zeros<X: AnyMatrix>(x: &X) -> DMatrix<f64> {
    DMatrix::zeros(x.size().0, x.size().1)
}

/// Methods that are functions of the matrix: how their result is made of that of the function, and the other way round for cotangents.
macro_rules! unary {
    ($(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] $function:ty => $Y:ty;
        |$y:ident| $result:expr;
        |$y_bar:ident| $cotangent:expr;
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $modes(&self) -> (mode::Ref<Self>,) {
            (mode::by_ref(),)
        }

        /// The value and its tangent.
        fn $frule(&self, self_dot: &Self::Matrix) -> D<$Y> {
            let (x, x_dot) = (self.matrix().dynamic(), self_dot.dynamic());
            let y = rules::frule::<$function>(Dual(&x, &x_dot));
            let result = |$y: <$function as Function>::Output| -> $Y { $result };
            Dual(result(y.0), result(y.1))
        }

        /// The value and its pullback.
        fn $rrule(&self) -> ($Y, impl FnOnce($Y, At<'_, Self>) -> ((),) + use<Self>) {
            let x = self.matrix().dynamic();
            let ($y, pullback) = rules::rrule::<$function>(&x);
            let pullback = move |$y_bar: $Y, CoDual(_, x_bar): At<'_, Self>| {
                let mut bar = zeros(x_bar);
                pullback($cotangent, CoDual(&x, &mut bar));
                x_bar.accumulate(&Dense::of(&bar));
                ((),)
            };
            ($result, pullback)
        }

        /// The forward transform of the same.
        #[allow(clippy::type_complexity)]
        fn $rrule_frule(
            &self,
            self_dot: &Self::Matrix,
        ) -> (D<$Y>, impl FnOnce(D<$Y>, At2<'_, Self>) -> ((),) + use<Self>) {
            let (x, x_dot) = (self.matrix().dynamic(), self_dot.dynamic());
            let (y, pullback) = rules::rrule_frule::<$function>(Dual(&x, &x_dot));
            let result = |$y: <$function as Function>::Output| -> $Y { $result };
            let pullback = move |y_bar: D<$Y>, CoDual(_, x_bar): At2<'_, Self>| {
                let (mut bar, mut bar_dot) = (zeros(x_bar.0), zeros(x_bar.0));
                let cotangent = |$y_bar: $Y| $cotangent;
                let y_bar = Dual(cotangent(y_bar.0), cotangent(y_bar.1));
                let shadow = Dual(&mut bar, &mut bar_dot);
                pullback(y_bar, CoDual(Dual(&x, &x_dot), shadow));
                x_bar.0.accumulate(&Dense::of(&bar));
                x_bar.1.accumulate(&Dense::of(&bar_dot));
                ((),)
            };
            (Dual(result(y.0), result(y.1)), pullback)
        }
    )*};
}

/// `solve`, by a function of the matrix and the right-hand sides.
macro_rules! solve {
    ([$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] $function:ty => $($Y:ident)? ; |$y:ident| $result:expr; |$y_bar:ident| $cotangent:expr;) => {
        /// By reference.
        #[inline(always)]
        fn $modes<B: Dense>(&self) -> (mode::Ref<Self>, mode::Ref<B>) {
            (mode::by_ref(), mode::by_ref())
        }

        /// The value and its tangent.
        fn $frule<B: Dense>(&self, self_dot: &Self::Matrix, b: Dual<&B, &B>) -> D<solve!(@ $($Y)? B)> {
            let (x, x_dot) = (self.matrix().dynamic(), self_dot.dynamic());
            let (b, b_dot) = (b.0.dynamic(), b.1.dynamic());
            let y = rules::frule_2::<$function, DMatrix<f64>>(Dual(&x, &x_dot), Dual(&b, &b_dot));
            let result = |$y: <$function as Function>::Output| $result;
            Dual(result(y.0), result(y.1))
        }

        /// The value and its pullback.
        #[allow(clippy::type_complexity)]
        fn $rrule<B: Dense>(
            &self,
            b: &B,
        ) -> (
            solve!(@ $($Y)? B),
            impl FnOnce(solve!(@ $($Y)? B), At<'_, Self>, OfReference<'_, B>) -> ((), ()) + use<Self, B>,
        ) {
            let (x, b) = (self.matrix().dynamic(), b.dynamic());
            let ($y, pullback) = rules::rrule_2::<$function, DMatrix<f64>>(&x, &b);
            let pullback = move |$y_bar: solve!(@ $($Y)? B), CoDual(_, x_bar): At<'_, Self>, CoDual(_, b_bar): OfReference<'_, B>| {
                let (mut left, mut right) = (zeros(x_bar), zeros(b_bar));
                pullback($cotangent, CoDual(&x, &mut left), CoDual(&b, &mut right));
                x_bar.accumulate(&Dense::of(&left));
                b_bar.accumulate(&Dense::of(&right));
                ((), ())
            };
            ($result, pullback)
        }

        /// The forward transform of the same.
        #[allow(clippy::type_complexity)]
        fn $rrule_frule<B: Dense>(
            &self,
            self_dot: &Self::Matrix,
            b: Dual<&B, &B>,
        ) -> (
            D<solve!(@ $($Y)? B)>,
            impl FnOnce(D<solve!(@ $($Y)? B)>, At2<'_, Self>, OfReference2<'_, B>) -> ((), ()) + use<Self, B>,
        ) {
            let (x, x_dot) = (self.matrix().dynamic(), self_dot.dynamic());
            let (b, b_dot) = (b.0.dynamic(), b.1.dynamic());
            let (y, pullback) =
                rules::rrule_frule_2::<$function, DMatrix<f64>>(Dual(&x, &x_dot), Dual(&b, &b_dot));
            let result = |$y: <$function as Function>::Output| $result;
            let pullback = move |y_bar: D<solve!(@ $($Y)? B)>, CoDual(_, x_bar): At2<'_, Self>, CoDual(_, b_bar): OfReference2<'_, B>| {
                let (mut left, mut left_dot) = (zeros(x_bar.0), zeros(x_bar.0));
                let (mut right, mut right_dot) = (zeros(b_bar.0), zeros(b_bar.0));
                let cotangent = |$y_bar: solve!(@ $($Y)? B)| $cotangent;
                pullback(
                    Dual(cotangent(y_bar.0), cotangent(y_bar.1)),
                    CoDual(Dual(&x, &x_dot), Dual(&mut left, &mut left_dot)),
                    CoDual(Dual(&b, &b_dot), Dual(&mut right, &mut right_dot)),
                );
                x_bar.0.accumulate(&Dense::of(&left));
                x_bar.1.accumulate(&Dense::of(&left_dot));
                b_bar.0.accumulate(&Dense::of(&right));
                b_bar.1.accumulate(&Dense::of(&right_dot));
                ((), ())
            };
            (Dual(result(y.0), result(y.1)), pullback)
        }
    };
    (@ Option B) => { Option<B> };
    (@ B) => { B };
}

/// The rules of functions of a matrix that is taken by reference.
pub trait DeterminantRules: Square + Holds<Matrix = Self> {
    unary! {
        /// `x.determinant()`.
        [__determinant_modes __determinant_frule __determinant_rrule __determinant_rrule_frule] Determinant => f64;
        |y| y;
        |y_bar| y_bar;

        /// The inverse, for [`InverseRules`].
        [__inverse_of_modes __inverse_of_frule __inverse_of_rrule __inverse_of_rrule_frule] Inverse => Option<Self>;
        |y| y.map(|y| Dense::of(&y));
        |y_bar| y_bar.map(|y_bar| y_bar.dynamic());
    }
}
impl<X: Square + Holds<Matrix = X>> DeterminantRules for X {}

/// The rules of `x.exp()`.
pub trait ExpRules: Square + Holds<Matrix = Self> {
    unary! {
        /// `x.exp()`.
        [__exp_modes __exp_frule __exp_rrule __exp_rrule_frule] Exp => Self;
        |y| Dense::of(&y);
        |y_bar| y_bar.dynamic();
    }
}
impl<X: Square + Holds<Matrix = X>> ExpRules for X {}

/// The rules of `x.solve_lower_triangular(&b)` and the like, which read one triangle.
pub trait TriangularRules: Square + Holds<Matrix = Self> {
    solve! {
        [__solve_lower_triangular_modes __solve_lower_triangular_frule __solve_lower_triangular_rrule __solve_lower_triangular_rrule_frule] LowerSolutions => Option;
        |y| y.map(|y| Dense::of(&y));
        |y_bar| y_bar.map(|y_bar| y_bar.dynamic());
    }

    solve! {
        [__solve_upper_triangular_modes __solve_upper_triangular_frule __solve_upper_triangular_rrule __solve_upper_triangular_rrule_frule] UpperSolutions => Option;
        |y| y.map(|y| Dense::of(&y));
        |y_bar| y_bar.map(|y_bar| y_bar.dynamic());
    }

    solve! {
        [__tr_solve_lower_triangular_modes __tr_solve_lower_triangular_frule __tr_solve_lower_triangular_rrule __tr_solve_lower_triangular_rrule_frule] LowerTransposedSolutions => Option;
        |y| y.map(|y| Dense::of(&y));
        |y_bar| y_bar.map(|y_bar| y_bar.dynamic());
    }

    solve! {
        [__tr_solve_upper_triangular_modes __tr_solve_upper_triangular_frule __tr_solve_upper_triangular_rrule __tr_solve_upper_triangular_rrule_frule] UpperTransposedSolutions => Option;
        |y| y.map(|y| Dense::of(&y));
        |y_bar| y_bar.map(|y_bar| y_bar.dynamic());
    }
}
impl<X: Square + Holds<Matrix = X>> TriangularRules for X {}

/// The rules of methods of LU factorisations.
pub trait LuRules: Holds + OfLu {
    unary! {
        /// `x.lu().try_inverse()`.
        [__try_inverse_modes __try_inverse_frule __try_inverse_rrule __try_inverse_rrule_frule] LuInverse => Option<Self::Matrix>;
        |y| y.map(|y| Dense::of(&y));
        |y_bar| y_bar.map(|y_bar| y_bar.dynamic());

        /// `x.lu().determinant()`.
        [__determinant_modes __determinant_frule __determinant_rrule __determinant_rrule_frule] LuDeterminant => f64;
        |y| y;
        |y_bar| y_bar;
    }

    solve! {
        [__solve_modes __solve_frule __solve_rrule __solve_rrule_frule] Solution => Option;
        |y| y.map(|y| Dense::of(&y));
        |y_bar| y_bar.map(|y_bar| y_bar.dynamic());
    }
}
impl<W: Holds + OfLu> LuRules for W {}

/// Stands for an LU factorisation.
pub trait OfLu {}
impl<X> OfLu for Lu<X> {}

/// Methods of Cholesky's factorisation that are functions of the matrix. The rules of first order use the factor that is there; those of second order
/// are those of the function.
macro_rules! definite {
    ($(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] $function:ty => $Y:ty;
        |$w:ident| $value:expr;
        |$result:ident| $as_matrix:expr;
        |$of:ident| $from_matrix:expr;
        |$factor:ident, $y:ident, $y_bar:ident| $pull:expr;
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub fn $modes(&self) -> (mode::Ref<Self>,) {
            (mode::by_ref(),)
        }

        /// The value and its tangent.
        pub fn $frule(&self, self_dot: &X) -> D<$Y> {
            let $w = self;
            let y: $Y = $value;
            let $result = &y;
            let results = [$as_matrix];
            let tangents = <$function>::tangents(&[self.0.dynamic()], &results, &[self_dot.dynamic()]);
            let $of = &tangents[0];
            let y_dot = $from_matrix;
            Dual(y, y_dot)
        }

        /// The value and its pullback.
        #[allow(unused_variables)]
        pub fn $rrule(&self) -> ($Y, impl FnOnce($Y, At<'_, Self>) -> ((),) + use<X>) {
            let $w = self;
            let value: $Y = $value;
            let $y = value.clone();
            let pullback = move |$y_bar: $Y, CoDual(w, x_bar): At<'_, Self>| {
                let $factor = &w.1;
                let bar: DMatrix<f64> = $pull;
                x_bar.accumulate(&Dense::of(&bar));
                ((),)
            };
            (value, pullback)
        }

        /// The forward transform of the same.
        #[allow(clippy::type_complexity)]
        pub fn $rrule_frule(&self, self_dot: &X) -> (D<$Y>, impl FnOnce(D<$Y>, At2<'_, Self>) -> ((),) + use<X>) {
            let (x, x_dot) = (self.0.dynamic(), self_dot.dynamic());
            let (_, pullback) = rules::rrule_frule::<$function>(Dual(&x, &x_dot));
            let pullback = move |y_bar: D<$Y>, CoDual(_, x_bar): At2<'_, Self>| {
                let (mut bar, mut bar_dot) = (zeros(x_bar.0), zeros(x_bar.0));
                let part = |y_bar: &$Y| {
                    let $result = y_bar;
                    Results::join(Some(vec![$as_matrix]))
                };
                let y_bar = Dual(part(&y_bar.0), part(&y_bar.1));
                let shadow = Dual(&mut bar, &mut bar_dot);
                pullback(y_bar, CoDual(Dual(&x, &x_dot), shadow));
                x_bar.0.accumulate(&Dense::of(&bar));
                x_bar.1.accumulate(&Dense::of(&bar_dot));
                ((),)
            };
            (self.$frule(self_dot), pullback)
        }
    )*};
}

/// The rules of methods of Cholesky's factorisation.
impl<X: Square> Definite<X> {
    definite! {
        /// `x.l()`.
        [__l_modes __l_frule __l_rrule __l_rrule_frule] CholeskyFactor => X;
        |w| w.l();
        |y| y.dynamic();
        |y| Dense::of(y);
        |factor, y, y_bar| pull_factor(&y.dynamic(), &y_bar.dynamic());

        /// `x.unpack()`.
        [__unpack_modes __unpack_frule __unpack_rrule __unpack_rrule_frule] CholeskyFactor => X;
        |w| w.l();
        |y| y.dynamic();
        |y| Dense::of(y);
        |factor, y, y_bar| pull_factor(&y.dynamic(), &y_bar.dynamic());

        /// `x.inverse()`.
        [__inverse_modes __inverse_frule __inverse_rrule __inverse_rrule_frule] DefiniteInverse => X;
        |w| w.inverse();
        |y| y.dynamic();
        |y| Dense::of(y);
        |factor, y, y_bar| folded(&(y.dynamic() * y_bar.dynamic() * -y.dynamic()));

        /// `x.determinant()`.
        [__determinant_modes __determinant_frule __determinant_rrule __determinant_rrule_frule] DefiniteDeterminant => f64;
        |w| w.determinant();
        |y| (*y).matrix();
        |y| y[0];
        |factor, y, y_bar| folded_symmetric(whole_inverse(&factor.l()), y * y_bar);

        /// `x.ln_determinant()`.
        [__ln_determinant_modes __ln_determinant_frule __ln_determinant_rrule __ln_determinant_rrule_frule] LnDeterminant => f64;
        |w| w.ln_determinant();
        |y| (*y).matrix();
        |y| y[0];
        |factor, y, y_bar| folded_symmetric(whole_inverse(&factor.l()), y_bar);
    }

    /// `x.solve(&b)`.
    #[inline(always)]
    #[allow(clippy::unused_self)]
    pub fn __solve_modes<B: Dense>(&self) -> (mode::Ref<Self>, mode::Ref<B>) {
        (mode::by_ref(), mode::by_ref())
    }

    /// The solution and its tangent.
    pub fn __solve_frule<B: Dense>(&self, self_dot: &X, b: Dual<&B, &B>) -> D<B> {
        let y = self.1.solve(&b.0.dynamic());
        let rest = b.1.dynamic() - self_dot.dynamic().symmetric() * &y;
        Dual(B::of(&y), B::of(&self.1.solve(&rest)))
    }

    /// The solution and its pullback.
    #[allow(clippy::type_complexity)]
    pub fn __solve_rrule<B: Dense>(
        &self,
        b: &B,
    ) -> (
        B,
        impl FnOnce(B, At<'_, Self>, OfReference<'_, B>) -> ((), ()) + use<X, B>,
    ) {
        let y = self.1.solve(&b.dynamic());
        let value = B::of(&y);
        let pullback = move |y_bar: B,
                             CoDual(x, x_bar): At<'_, Self>,
                             CoDual(_, b_bar): OfReference<'_, B>| {
            let w = x.1.solve(&y_bar.dynamic());
            b_bar.accumulate(&B::of(&w));
            // The lower triangle of `-(w yᵀ + y wᵀ)`, the diagonal once.
            for j in 0..y.nrows() {
                for i in j..y.nrows() {
                    let mut sum = 0.0;
                    for k in 0..y.ncols() {
                        sum += w[(i, k)] * y[(j, k)];
                        if i != j {
                            sum += y[(i, k)] * w[(j, k)];
                        }
                    }
                    let at = x_bar.position(i, j);
                    x_bar.elements_mut()[at] -= sum;
                }
            }
            ((), ())
        };
        (value, pullback)
    }

    /// The forward transform of the same.
    #[allow(clippy::type_complexity)]
    pub fn __solve_rrule_frule<B: Dense>(
        &self,
        self_dot: &X,
        b: Dual<&B, &B>,
    ) -> (
        D<B>,
        impl FnOnce(D<B>, At2<'_, Self>, OfReference2<'_, B>) -> ((), ()) + use<X, B>,
    ) {
        let y = self.__solve_frule(self_dot, Dual(b.0, b.1));
        let (x, x_dot) = (self.0.dynamic(), self_dot.dynamic());
        let (b, b_dot) = (b.0.dynamic(), b.1.dynamic());
        let (_, pullback) = rules::rrule_frule_2::<DefiniteSolution, DMatrix<f64>>(
            Dual(&x, &x_dot),
            Dual(&b, &b_dot),
        );
        let pullback = move |y_bar: D<B>,
                             CoDual(_, x_bar): At2<'_, Self>,
                             CoDual(_, b_bar): OfReference2<'_, B>| {
            let (mut left, mut left_dot) = (zeros(x_bar.0), zeros(x_bar.0));
            let (mut right, mut right_dot) = (zeros(b_bar.0), zeros(b_bar.0));
            pullback(
                Dual(y_bar.0.dynamic(), y_bar.1.dynamic()),
                CoDual(Dual(&x, &x_dot), Dual(&mut left, &mut left_dot)),
                CoDual(Dual(&b, &b_dot), Dual(&mut right, &mut right_dot)),
            );
            x_bar.0.accumulate(&Dense::of(&left));
            x_bar.1.accumulate(&Dense::of(&left_dot));
            b_bar.0.accumulate(&Dense::of(&right));
            b_bar.1.accumulate(&Dense::of(&right_dot));
            ((), ())
        };
        (y, pullback)
    }
}

/// The cotangent of the matrix, by that of its factor `l`. One that is diagonal, as that of a determinant is, costs less.
fn pull_factor(l: &DMatrix<f64>, l_bar: &DMatrix<f64>) -> DMatrix<f64> {
    let n = l.nrows();
    let inverse = inverse_of_lower(l);
    let is_diagonal = (0..n).all(|j| (j + 1..n).all(|i| l_bar[(i, j)] == 0.0));
    if is_diagonal {
        let scaled = DMatrix::from_fn(n, n, |i, j| {
            0.5 * l[(i, i)] * l_bar[(i, i)] * inverse[(i, j)]
        });
        return folded_symmetric(inverse.transpose() * scaled, 1.0);
    }
    let middle = l.tr_mul(&l_bar.lower()).lower_with_half_diagonal();
    folded(&(inverse.transpose() * middle * inverse))
}

/// The inverse of `L Lᵀ`, by one product, which is the fastest of the library's kernels.
fn whole_inverse(l: &DMatrix<f64>) -> DMatrix<f64> {
    let inverse = inverse_of_lower(l);
    inverse.transpose() * inverse
}

/// The inverse of a lower triangular matrix, column by column, without its zeros.
fn inverse_of_lower(l: &DMatrix<f64>) -> DMatrix<f64> {
    let n = l.nrows();
    let mut inverse = DMatrix::zeros(n, n);
    for j in 0..n {
        let column = &mut inverse.as_mut_slice()[j * n..(j + 1) * n];
        column[j] = 1.0;
        for k in j..n {
            let l = &l.as_slice()[k * n..(k + 1) * n];
            let (head, tail) = column.split_at_mut(k + 1);
            let x = head[k] / l[k];
            head[k] = x;
            for (y, l) in tail.iter_mut().zip(&l[k + 1..]) {
                *y -= x * l;
            }
        }
    }
    inverse
}

/// `k` times the cotangent of the lower triangle, by that of a symmetric matrix.
fn folded_symmetric(mut m: DMatrix<f64>, k: f64) -> DMatrix<f64> {
    let n = m.nrows();
    for j in 0..n {
        for i in 0..n {
            m[(i, j)] *= match i.cmp(&j) {
                core::cmp::Ordering::Less => 0.0,
                core::cmp::Ordering::Equal => k,
                core::cmp::Ordering::Greater => k + k,
            };
        }
    }
    m
}

/// The rules of methods that factorise a matrix, by value.
#[allow(clippy::type_complexity)]
pub trait FactorRules: Square {
    /// `x.lu()`.
    #[inline(always)]
    fn __lu_modes(&self) -> (mode::Owned<Self>,) {
        (mode::owned(),)
    }

    /// The matrix and its tangent.
    fn __lu_frule(self, self_dot: Self) -> Dual<Lu<Self>, Self> {
        Dual(Lu(self), self_dot)
    }

    /// The matrix and its pullback.
    fn __lu_rrule(self) -> (Lu<Self>, impl FnOnce(Self, ()) -> (Self,) + use<Self>) {
        (Lu(self), |y_bar: Self, ()| (y_bar,))
    }

    /// The forward transform of the same.
    fn __lu_rrule_frule(
        self,
        self_dot: Self,
    ) -> (
        Dual<Lu<Self>, Self>,
        impl FnOnce(D<Self>, ()) -> (D<Self>,) + use<Self>,
    ) {
        (Dual(Lu(self), self_dot), |y_bar: D<Self>, ()| (y_bar,))
    }

    /// `x.cholesky()`.
    #[inline(always)]
    fn __cholesky_modes(&self) -> (mode::Owned<Self>,) {
        (mode::owned(),)
    }

    /// The matrix and its tangent, if it is positive definite.
    fn __cholesky_frule(self, self_dot: Self) -> Dual<Option<Definite<Self>>, Option<Self>> {
        let y = definite(self);
        let y_dot = y.is_some().then_some(self_dot);
        Dual(y, y_dot)
    }

    /// The matrix and its pullback.
    fn __cholesky_rrule(
        self,
    ) -> (
        Option<Definite<Self>>,
        impl FnOnce(Option<Self>, ()) -> (Self,) + use<Self>,
    ) {
        let zero = self.zero_tangent();
        let pullback = |y_bar: Option<Self>, ()| (y_bar.unwrap_or(zero),);
        (definite(self), pullback)
    }

    /// The forward transform of the same.
    fn __cholesky_rrule_frule(
        self,
        self_dot: Self,
    ) -> (
        Dual<Option<Definite<Self>>, Option<Self>>,
        impl FnOnce(D<Option<Self>>, ()) -> (D<Self>,) + use<Self>,
    ) {
        let zero = self.zero_tangent();
        let pullback = |y_bar: D<Option<Self>>, ()| {
            let bar = y_bar.0.unwrap_or_else(|| zero.clone());
            (Dual(bar, y_bar.1.unwrap_or(zero)),)
        };
        (self.__cholesky_frule(self_dot), pullback)
    }
}
impl<X: Square> FactorRules for X {}

const DEFINITE: &str = "a matrix that is positive definite";

fn definite<X: Square>(x: X) -> Option<Definite<X>> {
    let factor = Cholesky::new(x.dynamic())?;
    Some(Definite(x, factor))
}

fn factor_of(a: &DMatrix<f64>) -> Cholesky<f64, Dyn> {
    Cholesky::new(a.clone()).expect(DEFINITE)
}

/// The cotangent of the lower triangle, by that of a symmetric matrix, which may have another part as well.
fn folded<M: Algebra>(m: &M) -> M {
    m.plus(&m.transposed()).scaled(0.5).folded()
}

/// A number, times each entry of a matrix.
fn times_number<M: Algebra>(m: &M, number: &M) -> M {
    let (rows, columns) = m.value().shape();
    let everywhere = number.linear(|k| DMatrix::from_element(rows, columns, k[0]));
    m.component_times(&everywhere)
}

/// Functions that are others, computed in another way.
macro_rules! as_others {
    ($($name:ident $other:ident -> $Output:ty, |$a:ident| $value:expr;)*) => {$(
        struct $name;

        impl Function for $name {
            type Output = $Output;

            fn value(args: &[DMatrix<f64>]) -> Option<Vec<DMatrix<f64>>> {
                let $a = args[0].clone();
                Some(vec![$value])
            }

            fn tangents(
                args: &[DMatrix<f64>],
                results: &[DMatrix<f64>],
                tangents: &[DMatrix<f64>],
            ) -> Vec<DMatrix<f64>> {
                $other::tangents(args, results, tangents)
            }

            fn pullback<M: Algebra>(args: &[M], results: &[M], cotangents: &[M]) -> Vec<M> {
                $other::pullback(args, results, cotangents)
            }
        }
    )*};
}
as_others! {
    LuDeterminant Determinant -> f64, |a| a.lu().determinant().matrix();
    LuInverse Inverse -> Option<DMatrix<f64>>, |a| a.lu().try_inverse()?;
}

struct DefiniteSolution;

impl Function for DefiniteSolution {
    type Output = DMatrix<f64>;

    fn value(args: &[DMatrix<f64>]) -> Option<Vec<DMatrix<f64>>> {
        Some(vec![factor_of(&args[0]).solve(&args[1])])
    }

    fn tangents(
        args: &[DMatrix<f64>],
        results: &[DMatrix<f64>],
        tangents: &[DMatrix<f64>],
    ) -> Vec<DMatrix<f64>> {
        let rest = &tangents[1] - tangents[0].symmetric() * &results[0];
        vec![factor_of(&args[0]).solve(&rest)]
    }

    fn pullback<M: Algebra>(args: &[M], results: &[M], cotangents: &[M]) -> Vec<M> {
        let w = args[0].symmetric().solution(&cotangents[0]);
        let whole = w.times(&results[0].transposed()).scaled(-1.0);
        vec![folded(&whole), w]
    }
}

struct DefiniteInverse;

impl Function for DefiniteInverse {
    type Output = DMatrix<f64>;

    fn value(args: &[DMatrix<f64>]) -> Option<Vec<DMatrix<f64>>> {
        Some(vec![factor_of(&args[0]).inverse()])
    }

    fn tangents(
        _: &[DMatrix<f64>],
        results: &[DMatrix<f64>],
        tangents: &[DMatrix<f64>],
    ) -> Vec<DMatrix<f64>> {
        vec![-&results[0] * tangents[0].symmetric() * &results[0]]
    }

    fn pullback<M: Algebra>(_: &[M], results: &[M], cotangents: &[M]) -> Vec<M> {
        let whole = results[0].times(&cotangents[0]).times(&results[0]);
        vec![folded(&whole.scaled(-1.0))]
    }
}

struct LnDeterminant;

impl Function for LnDeterminant {
    type Output = f64;

    fn value(args: &[DMatrix<f64>]) -> Option<Vec<DMatrix<f64>>> {
        Some(vec![factor_of(&args[0]).ln_determinant().matrix()])
    }

    fn tangents(
        args: &[DMatrix<f64>],
        _: &[DMatrix<f64>],
        tangents: &[DMatrix<f64>],
    ) -> Vec<DMatrix<f64>> {
        let relative = factor_of(&args[0]).solve(&tangents[0].symmetric());
        vec![relative.trace().matrix()]
    }

    fn pullback<M: Algebra>(args: &[M], _: &[M], cotangents: &[M]) -> Vec<M> {
        let inverse = args[0].symmetric().inverse();
        vec![folded(&times_number(&inverse, &cotangents[0]))]
    }
}

struct DefiniteDeterminant;

impl Function for DefiniteDeterminant {
    type Output = f64;

    fn value(args: &[DMatrix<f64>]) -> Option<Vec<DMatrix<f64>>> {
        Some(vec![factor_of(&args[0]).determinant().matrix()])
    }

    fn tangents(
        args: &[DMatrix<f64>],
        results: &[DMatrix<f64>],
        tangents: &[DMatrix<f64>],
    ) -> Vec<DMatrix<f64>> {
        let relative = factor_of(&args[0]).solve(&tangents[0].symmetric());
        vec![&results[0] * relative.trace()]
    }

    fn pullback<M: Algebra>(args: &[M], results: &[M], cotangents: &[M]) -> Vec<M> {
        let inverse = args[0].symmetric().inverse();
        let bar = cotangents[0].component_times(&results[0]);
        vec![folded(&times_number(&inverse, &bar))]
    }
}

/// The rules of `x.try_inverse()`, by value.
#[allow(clippy::type_complexity)]
pub trait InverseRules: Square + Holds<Matrix = Self> {
    /// `x.try_inverse()`.
    #[inline(always)]
    fn __try_inverse_modes(&self) -> (mode::Owned<Self>,) {
        (mode::owned(),)
    }

    /// The value and its tangent.
    fn __try_inverse_frule(self, self_dot: Self) -> D<Option<Self>> {
        self.__inverse_of_frule(&self_dot)
    }

    /// The value and its pullback.
    fn __try_inverse_rrule(
        self,
    ) -> (
        Option<Self>,
        impl FnOnce(Option<Self>, ()) -> (Self,) + use<Self>,
    ) {
        let (y, pullback) = self.__inverse_of_rrule();
        let pullback = move |y_bar: Option<Self>, ()| {
            let mut bar = self.zero_tangent();
            pullback(y_bar, CoDual(&self, &mut bar));
            (bar,)
        };
        (y, pullback)
    }

    /// The forward transform of the same.
    fn __try_inverse_rrule_frule(
        self,
        self_dot: Self,
    ) -> (
        D<Option<Self>>,
        impl FnOnce(D<Option<Self>>, ()) -> (D<Self>,) + use<Self>,
    ) {
        let (y, pullback) = self.__inverse_of_rrule_frule(&self_dot);
        let pullback = move |y_bar: D<Option<Self>>, ()| {
            let (mut bar, mut bar_dot) = (self.zero_tangent(), self.zero_tangent());
            let shadow = Dual(&mut bar, &mut bar_dot);
            pullback(y_bar, CoDual(Dual(&self, &self_dot), shadow));
            (Dual(bar, bar_dot),)
        };
        (y, pullback)
    }
}
impl<X: Square + Holds<Matrix = X>> InverseRules for X {}

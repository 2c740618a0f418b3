//! `a.llt(side)`, `a.partial_piv_lu()` and the like, and the methods of their results: `solve`, `inverse`, the factors.
//!
//! The library's factorisations have no tangent. In rules a [`Factored`] replaces them: it holds the matrix, whose tangent is its own, and the library's
//! factorisation, by which its methods and their rules solve. With `w = A⁻ᵀ x_bar`, the cotangents of `A x = b` are `b_bar = w` and `A_bar = -w xᵀ`
//! (M. Giles, An extended collection of matrix derivative results for forward and reverse mode algorithmic differentiation, 2008). Of a matrix of which
//! one side is read, the cotangent has that side alone: there an entry represents itself and the one opposite to it.

use alloc::vec;
use alloc::vec::Vec;

use ::faer::linalg::cholesky::llt::factor::LltError;
use ::faer::linalg::solvers::{
    ColPivQr, DenseSolveCore, FullPivLu, Llt, PartialPivLu, Qr, Solve as _, SolveCore,
    SolveLstsq as _,
};
use ::faer::{Col, Mat, Side};

use super::formula::Formula;
use super::{AnyMatrix, At, At2, D};
use crate::{
    CoDual, Components, Differentiable, Dual, NoTangent, ShapeMismatch, Tangent as _, mode,
};

/// A factorisation of the library.
pub trait Factor: SolveCore<f64> + DenseSolveCore<f64> + Clone {
    /// The factorisation of a matrix that has one.
    fn of(a: &Mat<f64>, side: Side) -> Self;
}
macro_rules! factor {
    ($($F:ident, |$a:ident, $side:pat_param| $value:expr;)*) => {$(
        impl Factor for $F<f64> {
            fn of($a: &Mat<f64>, $side: Side) -> Self {
                $value
            }
        }
    )*};
}
factor! {
    Llt, |a, side| a.llt(side).expect("a matrix that is positive definite");
    PartialPivLu, |a, _| a.partial_piv_lu();
    FullPivLu, |a, _| a.full_piv_lu();
    Qr, |a, _| a.qr();
    ColPivQr, |a, _| a.col_piv_qr();
}

/// Stands for a factorisation of the library.
#[derive(Clone, Debug)]
pub struct Factored<F> {
    matrix: Mat<f64>,
    factor: F,
    /// The side that is read, of factorisations of symmetric matrices.
    side: Option<Side>,
}

impl<F: Factor> Differentiable for Factored<F> {
    type Tangent = Mat<f64>;
    type OwnedTangent = Mat<f64>;

    fn zero_tangent(&self) -> Mat<f64> {
        self.matrix.zero_tangent()
    }

    fn matches_shape(&self, tangent: &Mat<f64>) -> Result<(), ShapeMismatch> {
        self.matrix.matches_shape(tangent)
    }

    fn add_scaled_tangent(&mut self, factor: f64, tangent: &Mat<f64>) {
        self.matrix.add_scaled_tangent(factor, tangent);
        self.factor = F::of(&self.matrix, self.side.unwrap_or(Side::Lower));
    }

    fn visit_components(&self, components: &mut Components<'_>) {
        self.matrix.visit_components(components);
    }

    fn visit_floats(&self, visit: &mut dyn FnMut(f64)) {
        self.matrix.visit_floats(visit);
    }

    fn map_floats(&mut self, map: &mut dyn FnMut(f64) -> f64) {
        self.matrix.map_floats(map);
        self.factor = F::of(&self.matrix, self.side.unwrap_or(Side::Lower));
    }
}

/// The symmetric matrix that has this side, or the matrix itself if both sides are read.
pub(super) fn whole<M: Formula>(side: Option<Side>, m: &M) -> M {
    let strict = match side {
        None => return m.clone(),
        Some(Side::Lower) => m.kept(|i, j| i > j),
        Some(Side::Upper) => m.kept(|i, j| i < j),
    };
    m.kept(|i, j| i == j).plus(&strict).plus(&strict.turned())
}

/// The cotangent of the side that is read, by that of the whole matrix.
pub(super) fn folded<M: Formula>(side: Option<Side>, m: &M) -> M {
    let Some(side) = side else { return m.clone() };
    let both = m.plus(&m.turned()).kept(|i, j| match side {
        Side::Lower => i > j,
        Side::Upper => i < j,
    });
    both.plus(&m.kept(|i, j| i == j))
}

/// Right-hand sides.
pub trait RightSide: AnyMatrix<Elem = f64> {
    /// The library's `solve`.
    fn solved<F: Factor>(&self, factor: &F) -> Self;
    /// The library's `solve_transpose`.
    fn solved_transposed<F: Factor>(&self, factor: &F) -> Self;
    /// The library's `solve_lstsq`.
    fn fitted(&self, factor: &Qr<f64>) -> Self;
}
macro_rules! right_sides {
    ($($t:ident)*) => {$(
        impl RightSide for $t<f64> {
            #[track_caller]
            fn solved<F: Factor>(&self, factor: &F) -> Self {
                factor.solve(self)
            }

            #[track_caller]
            fn solved_transposed<F: Factor>(&self, factor: &F) -> Self {
                factor.solve_transpose(self)
            }

            #[track_caller]
            fn fitted(&self, factor: &Qr<f64>) -> Self {
                factor.solve_lstsq(self)
            }
        }
    )*};
}
right_sides! { Mat Col }

/// `b - a x`
fn rest<B: RightSide>(b: &B, a: &Mat<f64>, x: &B) -> B {
    let mut rest = b.clone();
    rest.add_times(-1.0, B::product(a.as_ref(), x.mat()).mat());
    rest
}

/// `-w xᵀ`
fn minus_outer<B: RightSide>(w: &B, x: &B) -> Mat<f64> {
    -(w.mat() * x.mat().transpose())
}

/// True for a cotangent that no derivative depends on, also where the matrix is singular.
fn is_zero<X: AnyMatrix<Elem = f64>>(bar: &X) -> bool {
    bar.mat()
        .col_iter()
        .all(|column| column.iter().all(|x| *x == 0.0))
}

/// The argument of a pullback for a factorisation.
type Of<'a, F> = CoDual<&'a Factored<F>, &'a mut Mat<f64>>;
/// The same in second order.
type Of2<'a, F> =
    CoDual<Dual<&'a Factored<F>, &'a Mat<f64>>, Dual<&'a mut Mat<f64>, &'a mut Mat<f64>>>;

// The methods themselves: generated code infers their result types.
impl<F: Factor> Factored<F> {
    /// The number of rows.
    pub fn nrows(&self) -> usize {
        self.matrix.nrows()
    }

    /// The number of columns.
    pub fn ncols(&self) -> usize {
        self.matrix.ncols()
    }

    /// The library's `solve`.
    #[track_caller]
    pub fn solve<B: RightSide>(&self, b: &B) -> B {
        b.solved(&self.factor)
    }
}

#[allow(clippy::type_complexity)]
impl<F: Factor> Factored<F> {
    /// `x.solve(&b)`.
    #[inline(always)]
    pub fn __solve_modes<B: RightSide>(&self) -> (mode::Ref<Self>, mode::Ref<B>) {
        (mode::by_ref(), mode::by_ref())
    }

    /// The solution and its tangent.
    #[track_caller]
    pub fn __solve_frule<B: RightSide>(&self, self_dot: &Mat<f64>, b: Dual<&B, &B>) -> D<B> {
        let x = b.0.solved(&self.factor);
        let x_dot = rest(b.1, &whole(self.side, self_dot), &x).solved(&self.factor);
        Dual(x, x_dot)
    }

    /// The solution and its pullback.
    #[track_caller]
    pub fn __solve_rrule<B: RightSide>(
        &self,
        b: &B,
    ) -> (
        B,
        impl FnOnce(B, Of<'_, F>, At<'_, B>) -> ((), ()) + use<F, B>,
    ) {
        let x = b.solved(&self.factor);
        let solution = x.clone();
        let pullback = move |x_bar: B, CoDual(a, a_bar): Of<'_, F>, b: At<'_, B>| {
            if is_zero(&x_bar) {
                return ((), ());
            }
            let w = x_bar.solved_transposed(&a.factor);
            b.1.accumulate(&w);
            a_bar.accumulate(&folded(a.side, &minus_outer(&w, &solution)));
            ((), ())
        };
        (x, pullback)
    }

    /// The forward transform of the same.
    #[track_caller]
    pub fn __solve_rrule_frule<B: RightSide>(
        &self,
        self_dot: &Mat<f64>,
        b: Dual<&B, &B>,
    ) -> (
        D<B>,
        impl FnOnce(D<B>, Of2<'_, F>, At2<'_, B>) -> ((), ()) + use<F, B>,
    ) {
        let x = self.__solve_frule(self_dot, b);
        let solution = x.clone();
        let pullback = move |x_bar: D<B>, CoDual(a, a_bar): Of2<'_, F>, b: At2<'_, B>| {
            if is_zero(&x_bar.0) && is_zero(&x_bar.1) {
                return ((), ());
            }
            let Dual(a, a_dot) = a;
            let w = x_bar.0.solved_transposed(&a.factor);
            let turned = whole(a.side, a_dot).turned();
            let w_dot = rest(&x_bar.1, &turned, &w).solved_transposed(&a.factor);
            b.1.0.accumulate(&w);
            b.1.1.accumulate(&w_dot);
            let bar_dot = minus_outer(&w_dot, &solution.0) + minus_outer(&w, &solution.1);
            a_bar
                .0
                .accumulate(&folded(a.side, &minus_outer(&w, &solution.0)));
            a_bar.1.accumulate(&folded(a.side, &bar_dot));
            ((), ())
        };
        (x, pullback)
    }
}

/// `a x`
fn times<B: RightSide>(a: &Mat<f64>, x: &B) -> B {
    B::product(a.as_ref(), x.mat())
}

/// `aᵀ x`
fn transposed_times<B: RightSide>(a: &Mat<f64>, x: &B) -> B {
    B::product(a.transpose(), x.mat())
}

fn sum<B: RightSide>(mut a: B, b: &B) -> B {
    a.accumulate(b);
    a
}

// `x` with the least `|A x - b|`. With `G = Aᵀ A`, `r = b - A x` and `w = G⁻¹ x_bar`, `x_dot` is the solution for `b_dot - A_dot x`, and
// `G⁻¹ A_dotᵀ r`; `b_bar = A w`, and `A_bar = r wᵀ - A w xᵀ`.
#[allow(clippy::type_complexity)]
impl Factored<Qr<f64>> {
    /// The library's `solve_lstsq`.
    #[track_caller]
    pub fn solve_lstsq<B: RightSide>(&self, b: &B) -> B {
        b.fitted(&self.factor)
    }

    /// `G⁻¹ x`
    fn normal<B: RightSide>(&self, mut x: B) -> B {
        let r = self.factor.thin_R();
        r.transpose().solve_lower_triangular_in_place(x.mat_mut());
        r.solve_upper_triangular_in_place(x.mat_mut());
        x
    }

    /// `x.solve_lstsq(&b)`.
    #[inline(always)]
    pub fn __solve_lstsq_modes<B: RightSide>(&self) -> (mode::Ref<Self>, mode::Ref<B>) {
        (mode::by_ref(), mode::by_ref())
    }

    /// The solution and its tangent.
    #[track_caller]
    pub fn __solve_lstsq_frule<B: RightSide>(&self, self_dot: &Mat<f64>, b: Dual<&B, &B>) -> D<B> {
        let x = b.0.fitted(&self.factor);
        let along = rest(b.1, self_dot, &x).fitted(&self.factor);
        let r = rest(b.0, &self.matrix, &x);
        let x_dot = sum(along, &self.normal(transposed_times(self_dot, &r)));
        Dual(x, x_dot)
    }

    /// The solution and its pullback.
    #[track_caller]
    pub fn __solve_lstsq_rrule<B: RightSide>(
        &self,
        b: &B,
    ) -> (
        B,
        impl FnOnce(B, Of<'_, Qr<f64>>, At<'_, B>) -> ((), ()) + use<B>,
    ) {
        let x = b.fitted(&self.factor);
        let solution = x.clone();
        let pullback = move |x_bar: B, CoDual(a, a_bar): Of<'_, Qr<f64>>, b: At<'_, B>| {
            if is_zero(&x_bar) {
                return ((), ());
            }
            let r = rest(b.0, &a.matrix, &solution);
            let w = a.normal(x_bar);
            let moved = times(&a.matrix, &w);
            a_bar.accumulate(&minus_outer(&moved, &solution));
            a_bar.add_times(-1.0, minus_outer(&r, &w).as_ref());
            b.1.accumulate(&moved);
            ((), ())
        };
        (x, pullback)
    }

    /// The forward transform of the same.
    #[track_caller]
    pub fn __solve_lstsq_rrule_frule<B: RightSide>(
        &self,
        self_dot: &Mat<f64>,
        b: Dual<&B, &B>,
    ) -> (
        D<B>,
        impl FnOnce(D<B>, Of2<'_, Qr<f64>>, At2<'_, B>) -> ((), ()) + use<B>,
    ) {
        let x = self.__solve_lstsq_frule(self_dot, b);
        let Dual(y, y_dot) = x.clone();
        let pullback = move |x_bar: D<B>, CoDual(a, bars): Of2<'_, Qr<f64>>, b: At2<'_, B>| {
            if is_zero(&x_bar.0) && is_zero(&x_bar.1) {
                return ((), ());
            }
            let (Dual(a, a_dot), Dual(a_bar, a_bar_dot)) = (a, bars);
            let r = rest(b.0.0, &a.matrix, &y);
            let r_dot = rest(&rest(b.0.1, a_dot, &y), &a.matrix, &y_dot);
            let w = a.normal(x_bar.0);
            let moved = times(&a.matrix, &w);
            let turned = a.matrix.transpose().to_owned();
            let side = rest(&x_bar.1, &a_dot.transpose().to_owned(), &moved);
            let w_dot = a.normal(rest(&side, &turned, &times(a_dot, &w)));
            let moved_dot = sum(times(a_dot, &w), &times(&a.matrix, &w_dot));
            a_bar.accumulate(&minus_outer(&moved, &y));
            a_bar.add_times(-1.0, minus_outer(&r, &w).as_ref());
            a_bar_dot.accumulate(&minus_outer(&moved_dot, &y));
            a_bar_dot.accumulate(&minus_outer(&moved, &y_dot));
            a_bar_dot.add_times(-1.0, minus_outer(&r_dot, &w).as_ref());
            a_bar_dot.add_times(-1.0, minus_outer(&r, &w_dot).as_ref());
            b.1.0.accumulate(&moved);
            b.1.1.accumulate(&moved_dot);
            ((), ())
        };
        (x, pullback)
    }
}

/// The formulas of a method that returns a matrix.
trait Formulas<F> {
    /// The matrices of which the formulas are made: the result, and what else there is.
    fn parts(of: &F) -> Vec<Mat<f64>>;
    /// Their tangents, by those of the matrix.
    fn tangents(of: &F, parts: &[Mat<f64>], dot: &Mat<f64>) -> Vec<Mat<f64>>;
    /// The cotangent of the matrix, by that of the result.
    fn pullback<M: Formula>(parts: &[M], bar: &M) -> M;
}

/// Parts with their tangents.
fn pairs<F, G: Formulas<F>>(of: &Factored<F>, dot: &Mat<f64>) -> Vec<D<Mat<f64>>> {
    let parts = G::parts(&of.factor);
    let dots = G::tangents(&of.factor, &parts, &whole(of.side, dot));
    let pairs = parts.into_iter().zip(dots);
    pairs.map(|(part, dot)| Dual(part, dot)).collect()
}

/// A method without arguments that returns a matrix, and its rules.
macro_rules! matrices {
    ($($F:ty: {$(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] $method:ident $G:ty, |$w:ident| $value:expr;
    )*})*) => {$(
        #[allow(non_snake_case, reason = "they are the library's names")]
        #[allow(clippy::type_complexity)]
        impl Factored<$F> {$(
            $(#[$doc])*
            #[track_caller]
            pub fn $method(&self) -> Mat<f64> {
                let $w = &self.factor;
                $value
            }

            /// Its modes.
            #[inline(always)]
            pub fn $modes(&self) -> (mode::Ref<Self>,) {
                (mode::by_ref(),)
            }

            /// The value and its tangent.
            #[track_caller]
            pub fn $frule(&self, self_dot: &Mat<f64>) -> D<Mat<f64>> {
                let Dual(_, y_dot) = pairs::<$F, $G>(self, self_dot).swap_remove(0);
                Dual(self.$method(), y_dot)
            }

            /// The value and its pullback.
            #[track_caller]
            pub fn $rrule(&self) -> (Mat<f64>, impl FnOnce(Mat<f64>, Of<'_, $F>) -> ((),) + use<>) {
                let pullback = |y_bar: Mat<f64>, CoDual(a, a_bar): Of<'_, $F>| {
                    if is_zero(&y_bar) {
                        return ((),);
                    }
                    let parts = <$G as Formulas<$F>>::parts(&a.factor);
                    let bar = <$G as Formulas<$F>>::pullback(&parts, &y_bar);
                    a_bar.accumulate(&folded(a.side, &bar));
                    ((),)
                };
                (self.$method(), pullback)
            }

            /// The forward transform of the same.
            #[track_caller]
            pub fn $rrule_frule(
                &self,
                self_dot: &Mat<f64>,
            ) -> (D<Mat<f64>>, impl FnOnce(D<Mat<f64>>, Of2<'_, $F>) -> ((),) + use<>) {
                let pullback = |y_bar: D<Mat<f64>>, CoDual(Dual(a, a_dot), a_bar): Of2<'_, $F>| {
                    if is_zero(&y_bar.0) && is_zero(&y_bar.1) {
                        return ((),);
                    }
                    let parts = pairs::<$F, $G>(a, a_dot);
                    let bar = folded(a.side, &<$G as Formulas<$F>>::pullback(&parts, &y_bar));
                    a_bar.0.accumulate(&bar.0);
                    a_bar.1.accumulate(&bar.1);
                    ((),)
                };
                (self.$frule(self_dot), pullback)
            }
        )*}
    )*};
}

/// `Y_dot = -Y A_dot Y`, and `A_bar = -Yᵀ Y_bar Yᵀ`.
struct Inverse;

impl<F: Factor> Formulas<F> for Inverse {
    fn parts(of: &F) -> Vec<Mat<f64>> {
        vec![of.inverse()]
    }

    fn tangents(_: &F, parts: &[Mat<f64>], dot: &Mat<f64>) -> Vec<Mat<f64>> {
        vec![-(&parts[0] * dot * &parts[0])]
    }

    fn pullback<M: Formula>(parts: &[M], bar: &M) -> M {
        let turned = parts[0].turned();
        turned.times(bar).times(&turned).scaled(-1.0)
    }
}

/// With Φ for the lower triangle with half of the diagonal, `L_dot = L Φ(L⁻¹ A_dot L⁻ᵀ)`, and `A_bar` is the symmetric part of `L⁻ᵀ Φ(Lᵀ L_bar) L⁻¹`
/// (I. Murray, Differentiation of the Cholesky decomposition, 2016).
struct LowerFactor;

impl Formulas<Llt<f64>> for LowerFactor {
    fn parts(of: &Llt<f64>) -> Vec<Mat<f64>> {
        vec![of.L().to_owned()]
    }

    fn tangents(_: &Llt<f64>, parts: &[Mat<f64>], dot: &Mat<f64>) -> Vec<Mat<f64>> {
        let l = &parts[0];
        let left = l.triangular_solution(true, dot);
        let middle = l.triangular_solution(true, &left.turned());
        vec![l * middle.half()]
    }

    fn pullback<M: Formula>(parts: &[M], bar: &M) -> M {
        let upper = parts[0].turned();
        let middle = upper.times(&bar.kept(|i, j| i >= j)).half();
        // `L⁻ᵀ Φ L⁻¹`, by two solutions.
        let left = upper.triangular_solution(false, &middle);
        let all = upper.triangular_solution(false, &left.turned());
        all.plus(&all.turned()).scaled(0.5)
    }
}

/// `Q` and `R` of a matrix with at least as many rows as columns. With `M = R R_barᵀ - Q_barᵀ Q`, and `C` the symmetric matrix with the lower triangle
/// of `M`, `A_bar = (Q_bar + Q C) R⁻ᵀ` (S. F. Walter, L. Lehmann, Algorithmic differentiation of linear algebra functions, 2010).
struct Orthogonal<const IS_Q: bool>;

impl<const IS_Q: bool> Formulas<Qr<f64>> for Orthogonal<IS_Q> {
    fn parts(of: &Qr<f64>) -> Vec<Mat<f64>> {
        let (q, r) = (of.compute_thin_Q(), of.thin_R().to_owned());
        assert!(
            q.nrows() >= r.ncols(),
            "a matrix with fewer rows than columns"
        );
        if IS_Q { vec![q, r] } else { vec![r, q] }
    }

    fn tangents(_: &Qr<f64>, parts: &[Mat<f64>], dot: &Mat<f64>) -> Vec<Mat<f64>> {
        let (q, r) = (&parts[usize::from(!IS_Q)], &parts[usize::from(IS_Q)]);
        // `A_dot R⁻¹`
        let scaled = r.turned().triangular_solution(true, &dot.turned()).turned();
        let c = q.transpose() * &scaled;
        let lower = c.kept(|i, j| i > j);
        let upper = c - (&lower - lower.transpose());
        let (q_dot, r_dot) = (scaled - q * &upper, upper * r);
        if IS_Q {
            vec![q_dot, r_dot]
        } else {
            vec![r_dot, q_dot]
        }
    }

    fn pullback<M: Formula>(parts: &[M], bar: &M) -> M {
        let (q, r) = (&parts[usize::from(!IS_Q)], &parts[usize::from(IS_Q)]);
        let m = if IS_Q {
            bar.turned().times(q).scaled(-1.0)
        } else {
            r.times(&bar.kept(|i, j| i <= j).turned())
        };
        let whole = q.times(&whole(Some(Side::Lower), &m));
        let whole = if IS_Q { bar.plus(&whole) } else { whole };
        r.triangular_solution(false, &whole.turned()).turned()
    }
}

matrices! {
    Llt<f64>: {
        /// The library's `L`.
        [__L_modes __L_frule __L_rrule __L_rrule_frule] L LowerFactor, |w| w.L().to_owned();
        /// The library's `inverse`.
        [__inverse_modes __inverse_frule __inverse_rrule __inverse_rrule_frule] inverse Inverse, |w| w.inverse();
    }
    PartialPivLu<f64>: {
        /// The library's `inverse`.
        [__inverse_modes __inverse_frule __inverse_rrule __inverse_rrule_frule] inverse Inverse, |w| w.inverse();
    }
    FullPivLu<f64>: {
        /// The library's `inverse`.
        [__inverse_modes __inverse_frule __inverse_rrule __inverse_rrule_frule] inverse Inverse, |w| w.inverse();
    }
    Qr<f64>: {
        /// The library's `inverse`.
        [__inverse_modes __inverse_frule __inverse_rrule __inverse_rrule_frule] inverse Inverse, |w| w.inverse();
        /// The library's `compute_thin_Q`.
        [__compute_thin_Q_modes __compute_thin_Q_frule __compute_thin_Q_rrule __compute_thin_Q_rrule_frule]
        compute_thin_Q Orthogonal<true>, |w| w.compute_thin_Q();
        /// The library's `thin_R`.
        [__thin_R_modes __thin_R_frule __thin_R_rrule __thin_R_rrule_frule]
        thin_R Orthogonal<false>, |w| w.thin_R().to_owned();
    }
    ColPivQr<f64>: {
        /// The library's `inverse`.
        [__inverse_modes __inverse_frule __inverse_rrule __inverse_rrule_frule] inverse Inverse, |w| w.inverse();
    }
}

/// Methods that factorise: what stands for their result, of which the cotangent is that of the matrix.
macro_rules! factorising {
    ($(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] $method:ident $F:ty;
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $modes(&self) -> (mode::Ref<Self>,) {
            (mode::by_ref(),)
        }

        /// The factorisation, and the tangent of the matrix.
        #[track_caller]
        fn $frule(&self, self_dot: &Self) -> Dual<Factored<$F>, Self> {
            Dual(factored(self.matrix(), self.matrix().$method(), None), self_dot.clone())
        }

        /// The factorisation and its pullback.
        #[track_caller]
        fn $rrule(&self) -> (Factored<$F>, impl FnOnce(Self, At<'_, Self>) -> ((),) + use<Self>) {
            let pullback = |y_bar: Self, a: At<'_, Self>| {
                a.1.accumulate(&y_bar);
                ((),)
            };
            (factored(self.matrix(), self.matrix().$method(), None), pullback)
        }

        /// The forward transform of the same.
        #[track_caller]
        fn $rrule_frule(
            &self,
            self_dot: &Self,
        ) -> (Dual<Factored<$F>, Self>, impl FnOnce(D<Self>, At2<'_, Self>) -> ((),) + use<Self>) {
            let pullback = |y_bar: D<Self>, a: At2<'_, Self>| {
                a.1.0.accumulate(&y_bar.0);
                a.1.1.accumulate(&y_bar.1);
                ((),)
            };
            (self.$frule(self_dot), pullback)
        }
    )*};
}

fn factored<F>(matrix: &Mat<f64>, factor: F, side: Option<Side>) -> Factored<F> {
    let matrix = matrix.clone();
    Factored {
        matrix,
        factor,
        side,
    }
}

/// Matrices of `f64`.
pub trait Factorises: AnyMatrix<Elem = f64> {
    /// The matrix.
    fn matrix(&self) -> &Mat<f64>;
}
impl Factorises for Mat<f64> {
    fn matrix(&self) -> &Mat<f64> {
        self
    }
}

/// What stands for the result of `a.llt(side)`.
type Definite = Result<Factored<Llt<f64>>, LltError>;
/// A tangent or cotangent of it.
type DefiniteDot<X> = Result<X, NoTangent>;

/// The rules of methods that factorise a matrix.
#[allow(clippy::type_complexity)]
pub trait FactorRules: Factorises {
    factorising! {
        /// `a.partial_piv_lu()`.
        [__partial_piv_lu_modes __partial_piv_lu_frule __partial_piv_lu_rrule __partial_piv_lu_rrule_frule] partial_piv_lu PartialPivLu<f64>;
        /// `a.full_piv_lu()`.
        [__full_piv_lu_modes __full_piv_lu_frule __full_piv_lu_rrule __full_piv_lu_rrule_frule] full_piv_lu FullPivLu<f64>;
        /// `a.qr()`.
        [__qr_modes __qr_frule __qr_rrule __qr_rrule_frule] qr Qr<f64>;
        /// `a.col_piv_qr()`.
        [__col_piv_qr_modes __col_piv_qr_frule __col_piv_qr_rrule __col_piv_qr_rrule_frule] col_piv_qr ColPivQr<f64>;
    }

    /// `a.llt(side)`.
    #[inline(always)]
    fn __llt_modes(&self) -> (mode::Ref<Self>, mode::Const<Side>) {
        (mode::by_ref(), mode::constant())
    }

    /// The factorisation, and the tangent of the matrix.
    #[track_caller]
    fn __llt_frule(&self, self_dot: &Self, side: Side) -> Dual<Definite, DefiniteDot<Self>> {
        let y = definite(self.matrix(), side);
        let y_dot = if y.is_ok() {
            Ok(self_dot.clone())
        } else {
            Err(NoTangent)
        };
        Dual(y, y_dot)
    }

    /// The factorisation and its pullback.
    #[track_caller]
    fn __llt_rrule(
        &self,
        side: Side,
    ) -> (
        Definite,
        impl FnOnce(DefiniteDot<Self>, At<'_, Self>, ()) -> ((), ()) + use<Self>,
    ) {
        let pullback = |y_bar: DefiniteDot<Self>, a: At<'_, Self>, ()| {
            if let Ok(y_bar) = y_bar {
                a.1.accumulate(&y_bar);
            }
            ((), ())
        };
        (definite(self.matrix(), side), pullback)
    }

    /// The forward transform of the same.
    #[track_caller]
    fn __llt_rrule_frule(
        &self,
        self_dot: &Self,
        side: Side,
    ) -> (
        Dual<Definite, DefiniteDot<Self>>,
        impl FnOnce(D<DefiniteDot<Self>>, At2<'_, Self>, ()) -> ((), ()) + use<Self>,
    ) {
        let pullback = |y_bar: D<DefiniteDot<Self>>, a: At2<'_, Self>, ()| {
            if let Dual(Ok(y_bar), Ok(y_bar_dot)) = y_bar {
                a.1.0.accumulate(&y_bar);
                a.1.1.accumulate(&y_bar_dot);
            }
            ((), ())
        };
        (self.__llt_frule(self_dot, side), pullback)
    }
}
impl<X: Factorises> FactorRules for X {}

#[track_caller]
fn definite(a: &Mat<f64>, side: Side) -> Definite {
    Ok(factored(a, a.llt(side)?, Some(side)))
}

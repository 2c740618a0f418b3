//! Objectives for the solvers of the crate `argmin`: from a differentiable function to its `CostFunction`, `Gradient` and `Hessian`.
//!
//! ```
//! use argmin::core::Executor;
//! use argmin::solver::{linesearch::MoreThuenteLineSearch, quasinewton::LBFGS};
//! use chainrule::argmin::Objective;
//! use chainrule::prelude::*;
//!
//! #[differentiable]
//! fn rosenbrock(x: &[f64]) -> f64 {
//!     let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
//!     a * a + 100.0 * b * b
//! }
//!
//! let objective = Objective::new(rosenbrock::value_and_gradient_into);
//! let solver = LBFGS::new(MoreThuenteLineSearch::new(), 7);
//! let found = Executor::new(objective, solver)
//!     .configure(|state| state.param(vec![-1.2, 1.0]).max_iters(100))
//!     .run()?;
//! let x = found.state.best_param.unwrap();
//! assert!((x[0] - 1.0).abs() < 1e-6 && (x[1] - 1.0).abs() < 1e-6);
//! # Ok::<(), argmin::core::Error>(())
//! ```
//!
//! The chapter [`solvers`](crate::guide::solvers) has more: data, trust regions, sparse Hessians, least squares.

use ::argmin::core::{CostFunction, Error, Gradient, Hessian};
use alloc::sync::Arc;
use alloc::vec::Vec;
use argmin_math::ArgminDot;
use core::borrow::BorrowMut;
use core::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

use crate::sparse::SparseMatrix;

/// The objective that `argmin` minimises, made of a function that returns the value and overwrites its second argument with the gradient.
///
/// `P` is the type in which the solver keeps the parameters, and `Q` that which the function takes: `Vec<f64>` and `[f64]`, or both
/// `DVector<f64>`. Both are inferred. `S` represents the second derivatives, if there are any.
///
/// Solvers ask for the value and for the gradient one at a time, mostly at the same point. So they are computed together, and the last
/// evaluation is remembered; points that are equal by `==` count as the same.
///
/// # Panics
/// The solver panics where the function does.
pub struct Objective<F, P, Q: ?Sized, S = ()> {
    value_and_gradient: F,
    second: S,
    last: Mutex<Option<Evaluation<P>>>,
    argument: PhantomData<fn(&Q)>,
}

/// The value and the gradient at a point.
struct Evaluation<P> {
    at: P,
    value: f64,
    gradient: P,
}

impl<F, P, Q: ?Sized> Objective<F, P, Q>
where
    F: Fn(&Q, &mut Q) -> f64,
    P: BorrowMut<Q> + Clone + PartialEq,
{
    /// The objective of a function such as `f::value_and_gradient_into`, or `|x, gradient| f::value_and_gradient_into(x, &data, gradient)`.
    pub fn new(value_and_gradient: F) -> Self {
        Objective {
            value_and_gradient,
            second: (),
            last: Mutex::new(None),
            argument: PhantomData,
        }
    }

    /// With the Hessian by its products, such as `|x, v| f::hvp(x, v)`: all that `TrustRegion` and `NewtonCG` want of it.
    /// No matrix is made, and each product costs about as much as two gradients.
    ///
    /// ```
    /// use argmin::core::Executor;
    /// use argmin::solver::trustregion::{Steihaug, TrustRegion};
    /// use chainrule::argmin::Objective;
    /// use chainrule::prelude::*;
    ///
    /// #[differentiable]
    /// fn bowl(x: &[f64], #[constant] center: &[f64]) -> f64 {
    ///     let mut total = 0.0;
    ///     for i in 0..x.len() {
    ///         total += (x[i] - center[i]).cosh();
    ///     }
    ///     total
    /// }
    ///
    /// let center = [3.0, -2.0, 0.5];
    /// let objective = Objective::new(|x, gradient| bowl::value_and_gradient_into(x, &center, gradient))
    ///     .with_products(|x, v| bowl::hvp(x, &center, v));
    /// let found = Executor::new(objective, TrustRegion::new(Steihaug::new()))
    ///     .configure(|state| state.param(vec![0.0; 3]).max_iters(20))
    ///     .run()?;
    /// let x = found.state.best_param.unwrap();
    /// assert!(x.iter().zip(&center).all(|(x, c)| (x - c).abs() < 1e-8));
    /// # Ok::<(), argmin::core::Error>(())
    /// ```
    pub fn with_products<V>(self, products: V) -> Objective<F, P, Q, ByProducts<V>>
    where
        V: Fn(&Q, &Q) -> P,
    {
        self.with(ByProducts(Arc::new(products)))
    }

    /// With the Hessian as a matrix that the solver can work with: a [`Sparse`] one for `TrustRegion` and `NewtonCG`, for `Newton` a
    /// `DMatrix` of `nalgebra`, whose inverse it takes.
    ///
    /// ```
    /// # use chainrule::argmin::{Objective, Sparse};
    /// # use chainrule::prelude::*;
    /// # use chainrule::sparse::{HessianPlan, Pattern};
    /// # #[differentiable]
    /// # fn energy(x: &[f64]) -> f64 {
    /// #     let mut total = 0.0;
    /// #     for i in 1..x.len() {
    /// #         let stretch = x[i] - x[i - 1] - 1.0;
    /// #         total += stretch * stretch * stretch * stretch + x[i] * x[i];
    /// #     }
    /// #     total
    /// # }
    /// # use argmin::core::Hessian;
    /// let start = vec![0.0; 1000];
    /// let plan = HessianPlan::new(&Pattern::along(1000, |v| energy::hvp(&start, v)));
    /// let objective = Objective::new(energy::value_and_gradient_into)
    ///     .with_hessian(|x| Ok(Sparse(plan.hessian(|v| energy::hvp(x, v))?)));
    /// # assert_eq!(objective.hessian(&start)?.0.column(5).1, [-12.0, 26.0, -12.0]);
    /// # Ok::<(), argmin::core::Error>(())
    /// ```
    pub fn with_hessian<H, M>(self, hessian: H) -> Objective<F, P, Q, AsMatrix<H>>
    where
        H: Fn(&Q) -> Result<M, Error>,
    {
        self.with(AsMatrix(hessian))
    }

    fn with<S>(self, second: S) -> Objective<F, P, Q, S> {
        Objective {
            value_and_gradient: self.value_and_gradient,
            second,
            last: self.last,
            argument: PhantomData,
        }
    }
}

impl<F, P, Q: ?Sized, S> Objective<F, P, Q, S>
where
    F: Fn(&Q, &mut Q) -> f64,
    P: BorrowMut<Q> + Clone + PartialEq,
{
    /// The result of `take` for the value and the gradient at `x`.
    fn at<T>(&self, x: &P, take: impl FnOnce(f64, &P) -> T) -> T {
        // Nothing is locked while the function runs, which may panic, or run on several threads.
        let last = self.last().take().filter(|last| last.at == *x);
        let last = last.unwrap_or_else(|| {
            let mut gradient = x.clone();
            let value = (self.value_and_gradient)(x.borrow(), gradient.borrow_mut());
            Evaluation {
                at: x.clone(),
                value,
                gradient,
            }
        });
        let taken = take(last.value, &last.gradient);
        *self.last() = Some(last);
        taken
    }

    fn last(&self) -> impl core::ops::DerefMut<Target = Option<Evaluation<P>>> + '_ {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<F, P, Q: ?Sized, S> CostFunction for Objective<F, P, Q, S>
where
    F: Fn(&Q, &mut Q) -> f64,
    P: BorrowMut<Q> + Clone + PartialEq,
{
    type Param = P;
    type Output = f64;

    fn cost(&self, x: &P) -> Result<f64, Error> {
        Ok(self.at(x, |value, _| value))
    }
}

impl<F, P, Q: ?Sized, S> Gradient for Objective<F, P, Q, S>
where
    F: Fn(&Q, &mut Q) -> f64,
    P: BorrowMut<Q> + Clone + PartialEq,
{
    type Param = P;
    type Gradient = P;

    fn gradient(&self, x: &P) -> Result<P, Error> {
        Ok(self.at(x, |_, gradient| gradient.clone()))
    }
}

/// Second derivatives by a function that multiplies with them.
pub struct ByProducts<V>(Arc<V>);

/// Second derivatives by a function that returns a matrix.
pub struct AsMatrix<H>(H);

impl<F, P, Q: ?Sized, V> Hessian for Objective<F, P, Q, ByProducts<V>>
where
    P: Clone,
{
    type Param = P;
    type Hessian = Products<V, P, Q>;

    fn hessian(&self, x: &P) -> Result<Products<V, P, Q>, Error> {
        Ok(Products {
            with: Arc::clone(&self.second.0),
            at: x.clone(),
            argument: PhantomData,
        })
    }
}

impl<F, P, Q: ?Sized, H, M> Hessian for Objective<F, P, Q, AsMatrix<H>>
where
    H: Fn(&Q) -> Result<M, Error>,
    P: BorrowMut<Q>,
{
    type Param = P;
    type Hessian = M;

    fn hessian(&self, x: &P) -> Result<M, Error> {
        (self.second.0)(x.borrow())
    }
}

/// The Hessian at a point, of which there are only products with vectors.
pub struct Products<V, P, Q: ?Sized> {
    with: Arc<V>,
    at: P,
    argument: PhantomData<fn(&Q)>,
}

impl<V, P: Clone, Q: ?Sized> Clone for Products<V, P, Q> {
    fn clone(&self) -> Self {
        Products {
            with: Arc::clone(&self.with),
            at: self.at.clone(),
            argument: PhantomData,
        }
    }
}

impl<V, P, Q: ?Sized> ArgminDot<P, P> for Products<V, P, Q>
where
    V: Fn(&Q, &Q) -> P,
    P: BorrowMut<Q>,
{
    fn dot(&self, direction: &P) -> P {
        (self.with)(self.at.borrow(), direction.borrow())
    }
}

/// A sparse matrix that solvers can multiply with vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct Sparse(pub SparseMatrix);

impl ArgminDot<Vec<f64>, Vec<f64>> for Sparse {
    fn dot(&self, direction: &Vec<f64>) -> Vec<f64> {
        self.0.times(direction)
    }
}

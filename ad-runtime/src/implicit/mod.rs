//! Solvers for functions whose result an equation defines: [`newton`] for the equation itself, and [`gmres`] for the linear systems of its derivatives.
//!
//! `#[primitive(result = x, root = ..)]` needs neither: the function may find its result in any way, and its rules solve their linear systems by elimination
//! if no `solver` is given.

mod dense;
#[cfg(any(feature = "std", feature = "libm"))]
mod krylov;
mod newton;
#[doc(hidden)]
pub mod system;

#[cfg(any(feature = "std", feature = "libm"))]
pub use krylov::gmres;
pub use newton::newton;

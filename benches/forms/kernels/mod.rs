//! All kernels. A kernel is a file with its adjoint by hand, which all forms are compared with, and below it the forms.

mod camera;
mod chain;
mod cholesky;
mod convolution;
mod dense;
mod heat;
mod kmeans;
mod logistic;
mod lotka_volterra;
mod mahalanobis;
mod mixture;
mod recurrence;
mod rosenbrock;
mod softmax;
mod stencil;
mod triangular;

use crate::Kernel;

/// The kernels whose names are wanted, in the order of the table.
pub(crate) fn all(wanted: impl Fn(&str) -> bool) -> Vec<Kernel> {
    let kernels: [(&'static str, fn() -> Kernel); 16] = [
        ("rosenbrock", rosenbrock::kernel),
        ("stencil", stencil::kernel),
        ("cholesky", cholesky::kernel),
        ("dense", dense::kernel),
        ("camera", camera::kernel),
        ("kmeans", kmeans::kernel),
        ("softmax", softmax::kernel),
        ("lotka_volterra", lotka_volterra::kernel),
        ("mixture", mixture::kernel),
        ("mahalanobis", mahalanobis::kernel),
        ("recurrence", recurrence::kernel),
        ("logistic", logistic::kernel),
        ("triangular", triangular::kernel),
        ("heat", heat::kernel),
        ("convolution", convolution::kernel),
        ("chain", chain::kernel),
    ];
    kernels
        .iter()
        .filter(|(name, _)| wanted(name))
        .map(|(name, kernel)| Kernel { name, ..kernel() })
        .collect()
}

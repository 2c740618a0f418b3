//! All kernels. A kernel is a file with its adjoint by hand, which all forms are compared with, and below it the forms.

mod camera;
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

/// All kernels, in the order of the table.
pub(crate) fn all() -> Vec<Kernel> {
    let kernels: [fn() -> Kernel; 15] = [
        rosenbrock::kernel,
        stencil::kernel,
        cholesky::kernel,
        dense::kernel,
        camera::kernel,
        kmeans::kernel,
        softmax::kernel,
        lotka_volterra::kernel,
        mixture::kernel,
        mahalanobis::kernel,
        recurrence::kernel,
        logistic::kernel,
        triangular::kernel,
        heat::kernel,
        convolution::kernel,
    ];
    kernels.iter().map(|kernel| kernel()).collect()
}

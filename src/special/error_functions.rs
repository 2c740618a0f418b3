//! Error functions.

use core::f64::consts::FRAC_2_SQRT_PI;

#[cfg(not(feature = "std"))]
use crate::Real;
use crate::{differentiable, primitive};

/// The error function 2/√π ∫₀ˣ e^(-t²) dt.
///
/// Its derivative is 2/√π e^(-x²) (DLMF 7.2.1).
///
/// ```
/// use chainrule::special::erf;
///
/// assert!((erf(0.5) - 0.520_499_877_813_046_5).abs() < 1e-15);
/// assert_eq!(erf::derivative(0.0), core::f64::consts::FRAC_2_SQRT_PI);
/// ```
#[primitive(partials(x = FRAC_2_SQRT_PI * gauss(x)))]
pub fn erf(x: f64) -> f64 {
    libm::erf(x)
}

/// The complementary error function 1 - erf x, with all digits for large x.
///
/// Its derivative is -2/√π e^(-x²) (DLMF 7.2.2).
///
/// ```
/// use chainrule::special::erfc;
///
/// assert!((erfc(5.0) / 1.537_459_794_428_034_8e-12 - 1.0).abs() < 1e-14);
/// assert_eq!(erfc::derivative(f64::INFINITY), 0.0);
/// ```
#[primitive(partials(x = -FRAC_2_SQRT_PI * gauss(x)))]
pub fn erfc(x: f64) -> f64 {
    libm::erfc(x)
}

/// e^(-x²). Beyond the bounds it is 0, and so are its derivatives.
#[differentiable]
fn gauss(x: f64) -> f64 {
    let near = x.clamp(-30.0, 30.0);
    (-near * near).exp()
}

//! Modules that stand in the file of the module around them.

use chainrule::prelude::*;

/// Seen from where the function is called: a private module would hide its rules.
pub(super) mod beta {
    use super::super::gamma::ln_gamma;
    use chainrule::prelude::*;

    /// A type that only a path names.
    pub(in super::super) type Count = usize;

    #[differentiable]
    #[inline(never)]
    fn ln_beta(a: f64, b: f64) -> f64 {
        ln_gamma(a) + ln_gamma(b) - super::gamma(a + b).ln()
    }

    /// It calls itself.
    #[differentiable]
    pub(in super::super) fn beta(a: super::Real, b: f64, n: self::Count) -> f64 {
        if n == 0 {
            return ln_beta(a, b).exp();
        }
        beta(a + 1.0, b, n - 1) * (a + b) / a
    }

    /// The rules are found here, too.
    pub(in super::super) fn slope() -> f64 {
        beta::gradient(1.0, 2.0, 0).0
    }
}

/// The module is public, and everything is imported from it.
pub(super) mod norm {
    use chainrule::prelude::*;

    #[differentiable]
    pub(in super::super) fn norm<T: Real>(x: &[T]) -> T {
        let mut sum = T::ZERO;
        for v in x {
            sum += *v * *v;
        }
        sum.sqrt()
    }
}

type Real = f64;

mod square {
    use chainrule::prelude::*;

    #[differentiable]
    #[inline(never)]
    pub(super) fn square(x: f64) -> f64 {
        x * x
    }

    /// A driver has this name, too.
    pub(super) fn gradient(x: f64) -> f64 {
        x + 1.0
    }

    pub(super) fn twice(x: f64) -> f64 {
        gradient(x)
    }
}

pub(super) mod r#where {
    use chainrule::prelude::*;

    #[differentiable]
    pub(in super::super) fn r#where(x: f64) -> f64 {
        x.sin()
    }
}

use self::square::square;
use super::gamma;
pub(super) use beta::{beta, slope};
pub(super) use norm::*;
pub(super) use r#where::r#where;

#[differentiable]
pub(super) fn sum(x: &[f64]) -> f64 {
    square(x[0]) + self::norm::norm(x) * norm(&x[1..])
}

pub(super) fn inner() -> f64 {
    assert_eq!(slope(), beta::gradient(1.0, 2.0, 0).0);
    square::jvp(2.0, 1.0).1
}

pub(super) fn own() -> f64 {
    square::gradient(1.0) + square::twice(2.0)
}

//! Bessel functions of whole order.

use crate::primitive;

/// The functions of order 0 and 1, and of any order, of one kind.
macro_rules! bessel {
    ($zero:ident $one:ident $any:ident: $kind:literal, $domain:literal, $at_one:literal) => {
        #[doc = concat!("The Bessel function of the ", $kind, " kind and order 0", $domain, ".")]
        ///
        #[doc = concat!("Its derivative is minus [`", stringify!($one), "`](fn@", stringify!($one), ") (DLMF 10.6.3).")]
        ///
        /// ```
        #[doc = concat!("use chainrule::special::{", stringify!($zero), ", ", stringify!($one), "};")]
        ///
        #[doc = concat!("assert_eq!(", stringify!($zero), "::derivative(1.0), -", stringify!($one), "(1.0));")]
        /// ```
        #[primitive(partials(x = -$one(x)))]
        pub fn $zero(x: f64) -> f64 {
            libm::$zero(x)
        }

        #[doc = concat!("The Bessel function of the ", $kind, " kind and order 1", $domain, ".")]
        ///
        /// Its derivative is half the difference of those of order 0 and 2 (DLMF 10.6.1).
        ///
        /// ```
        #[doc = concat!("use chainrule::special::", stringify!($one), ";")]
        ///
        #[doc = concat!("assert!((", stringify!($one), "::derivative(1.0) - ", $at_one, ").abs() < 1e-14);")]
        /// ```
        #[primitive(partials(x = 0.5 * ($zero(x) - $any(2, x))))]
        pub fn $one(x: f64) -> f64 {
            libm::$one(x)
        }

        #[doc = concat!("The Bessel function of the ", $kind, " kind and order `n`", $domain, "; (-1)ⁿ times that of order -n.")]
        ///
        /// Its derivative is half the difference of those of order n - 1 and n + 1 (DLMF 10.6.1).
        ///
        /// ```
        #[doc = concat!("use chainrule::special::{", stringify!($one), ", ", stringify!($any), "};")]
        ///
        #[doc = concat!("assert_eq!(", stringify!($any), "(1, 2.0), ", stringify!($one), "(2.0));")]
        /// ```
        #[primitive(partials(x = 0.5 * ($any(n - 1, x) - $any(n + 1, x))))]
        pub fn $any(n: i32, x: f64) -> f64 {
            libm::$any(n, x)
        }
    };
}
bessel!(j0 j1 jn: "first", "", "0.325_147_100_813_033_2");
bessel!(y0 y1 yn: "second", ", for x > 0", "0.869_469_785_515_965_7");

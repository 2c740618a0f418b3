//! Functions of scalars, with their partials.

/// The functions for one type of float, and the path of the module that they are in.
macro_rules! scalar_functions {
    ($float:ident, $module:literal) => {
        /// The logistic function 1/(1 + e⁻ˣ), between 0 and 1.
        ///
        /// Its derivative is y (1 - y), where 1 - y is the logistic function of -x and keeps its digits: 1/4 at 0, and 0
        /// where the function is 0 or 1.
        ///
        /// ```
        #[doc = concat!("use ", $module, "::logistic;")]
        ///
        /// assert_eq!((logistic(0.0), logistic::derivative(0.0)), (0.5, 0.25));
        /// assert_eq!((logistic(-1000.0), logistic::derivative(-1000.0)), (0.0, 0.0));
        /// ```
        #[$crate::primitive(result = y, partials(x = y * logistic(-x)))]
        pub fn logistic(x: $float) -> $float {
            if x >= 0.0 {
                1.0 / (1.0 + (-x).exp())
            } else {
                let e = x.exp();
                e / (1.0 + e)
            }
        }

        /// The logarithm of 1 + eˣ, also called [`softplus`](fn@softplus).
        ///
        /// It is x for large x, and eˣ for large -x. Its derivative is the [`logistic`](fn@logistic) function.
        ///
        /// ```
        #[doc = concat!("use ", $module, "::log1pexp;")]
        ///
        /// assert_eq!((log1pexp(1000.0), log1pexp::derivative(1000.0)), (1000.0, 1.0));
        /// assert_eq!(log1pexp::derivative(0.0), 0.5);
        /// ```
        ///
        /// # Source
        /// M. Mächler, Accurately computing log(1 - exp(-|a|)), vignette of the R package Rmpfr (2012), equation 10.
        #[$crate::primitive(partials(x = logistic(x)))]
        pub fn log1pexp(x: $float) -> $float {
            if x > 0.0 {
                x + (-x).exp().ln_1p()
            } else {
                x.exp().ln_1p()
            }
        }

        #[doc(inline)]
        pub use log1pexp as softplus;

        /// The logarithm of eᵃ + eᵇ.
        ///
        /// The partials are the [`logistic`](fn@logistic) functions of a - b and b - a; 1/2 each where both arguments are the same
        /// infinity.
        ///
        /// ```
        #[doc = concat!("use ", $module, "::logaddexp;")]
        ///
        /// assert_eq!(logaddexp(1000.0, -1000.0), 1000.0);
        #[doc = concat!("assert_eq!(logaddexp::gradient(2.0, ", stringify!($float), "::NEG_INFINITY), (1.0, 0.0));")]
        /// ```
        #[$crate::primitive(partials(
            a = if a == b && a.is_infinite() { 0.5 } else { logistic(a - b) },
            b = if a == b && a.is_infinite() { 0.5 } else { logistic(b - a) },
        ))]
        pub fn logaddexp(a: $float, b: $float) -> $float {
            if a == b {
                return a + core::$float::consts::LN_2;
            }
            let (low, high) = if a < b { (a, b) } else { (b, a) };
            high + (low - high).exp().ln_1p()
        }

        /// x ln y, and 0 where x is 0, whatever y is (but NaN).
        ///
        /// The partials are ln y and x/y. At x = y = 0 they are -∞ and 0: where nothing moves x, its infinite partial
        /// has no effect.
        ///
        /// ```
        #[doc = concat!("use ", $module, "::xlogy;")]
        ///
        /// assert_eq!(xlogy(0.0, 0.0), 0.0);
        /// assert_eq!(xlogy::gradient(0.0, 1.0), (0.0, 0.0));
        /// assert_eq!(xlogy::jvp(0.0, 0.0, 0.0, 1.0), (0.0, 0.0));
        /// ```
        #[$crate::primitive(partials(
            x = y.ln(),
            y = if x == 0.0 && y == 0.0 { 0.0 } else { x / y },
        ))]
        pub fn xlogy(x: $float, y: $float) -> $float {
            if x == 0.0 && !y.is_nan() { 0.0 } else { x * y.ln() }
        }

        /// x ln(1 + y), with all digits for small y, and 0 where x is 0, whatever y is (but NaN).
        ///
        /// The partials are ln(1 + y) and x/(1 + y), and at x = 0, y = -1 they are -∞ and 0, as for [`xlogy`](fn@xlogy).
        ///
        /// ```
        #[doc = concat!("use ", $module, "::xlog1py;")]
        ///
        /// assert_eq!(xlog1py(0.0, -1.0), 0.0);
        /// assert_eq!(xlog1py::gradient(2.0, 0.0), (0.0, 2.0));
        /// ```
        #[$crate::primitive(partials(
            x = y.ln_1p(),
            y = if x == 0.0 && y == -1.0 { 0.0 } else { x / (1.0 + y) },
        ))]
        pub fn xlog1py(x: $float, y: $float) -> $float {
            if x == 0.0 && !y.is_nan() { 0.0 } else { x * y.ln_1p() }
        }
    };
}
pub(super) use scalar_functions;

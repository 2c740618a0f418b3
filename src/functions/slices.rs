//! Functions of slices, whose rules are derived.

/// The functions for one type of float, and the path of the module that they are in.
macro_rules! slice_functions {
    ($float:ident, $module:literal) => {
        /// The largest entry, NaN if one is NaN, and -∞ if there is none. The results that it is used for don't depend on it.
        #[$crate::primitive(zero_derivative)]
        fn largest(x: &[$float]) -> $float {
            let larger = |a: $float, b: $float| if a > b || a.is_nan() { a } else { b };
            x.iter().copied().fold($float::NEG_INFINITY, larger)
        }

        /// The largest absolute value, NaN if one entry is NaN, and 0 if there is none.
        #[$crate::primitive(zero_derivative)]
        fn largest_size(x: &[$float]) -> $float {
            let larger = |a: $float, b: $float| if a > b || a.is_nan() { a } else { b };
            x.iter().map(|v| v.abs()).fold(0.0, larger)
        }

        /// The logarithm of the sum of the exponentials of all entries; -∞ for an empty slice.
        ///
        /// The largest entry is taken out of the sum, which doesn't overflow then. The gradient is the [`softmax`](fn@softmax) of `x`. Where
        /// the largest entry is infinite, so is the value, and all entries equal to it have the same part in the gradient.
        ///
        /// ```
        #[doc = concat!("use ", $module, "::logsumexp;")]
        ///
        /// assert_eq!(logsumexp(&[1000.0, -1000.0]), 1000.0);
        /// assert_eq!(logsumexp::gradient(&[1000.0, -1000.0]), [1.0, 0.0]);
        /// ```
        #[$crate::differentiable]
        pub fn logsumexp(x: &[$float]) -> $float {
            let most: $float = largest(x);
            if most.is_infinite() {
                return infinite(x, $crate::stop_gradient(most));
            }
            let mut sum = 0.0;
            for v in x {
                sum += (*v - most).exp();
            }
            most + sum.ln()
        }

        /// The mean of the entries that are `most`, so that these have the derivative.
        #[$crate::differentiable]
        fn infinite(x: &[$float], #[constant] most: $float) -> $float {
            if x.is_empty() {
                return most;
            }
            let mut sum = 0.0;
            let mut count = 0.0;
            for v in x {
                if *v == most {
                    sum += *v;
                    count += 1.0;
                }
            }
            sum / count
        }

        /// The exponentials of all entries, divided by their sum.
        ///
        /// Nothing overflows. Entries that are infinite and the largest share the weight equally, and have no derivative.
        ///
        /// ```
        #[doc = concat!("use ", $module, "::softmax;")]
        ///
        /// assert_eq!(softmax(&[1000.0, 1000.0]), [0.5, 0.5]);
        /// let jacobian = softmax::jacobian(&[0.0, 0.0]);
        /// assert_eq!(jacobian.as_slice(), [0.25, -0.25, -0.25, 0.25]);
        /// ```
        #[$crate::differentiable]
        pub fn softmax(x: &[$float]) -> alloc::vec::Vec<$float> {
            let mut y = alloc::vec![0.0; x.len()];
            softmax_into(x, &mut y);
            y
        }

        /// [`softmax`](fn@softmax) into a buffer. The old content of the buffer has no influence.
        ///
        /// # Panics
        /// If the buffer isn't as long as `x`.
        ///
        /// ```
        #[doc = concat!("use ", $module, "::softmax_into;")]
        ///
        /// let mut y = [0.0; 2];
        /// softmax_into(&[3.0, 3.0], &mut y);
        /// assert_eq!(y, [0.5, 0.5]);
        /// ```
        #[$crate::differentiable]
        pub fn softmax_into(x: &[$float], y: &mut [$float]) {
            assert_eq!(x.len(), y.len(), "the buffer's length");
            let most: $float = largest(x);
            let mut sum = 0.0;
            for i in 0..x.len() {
                let d = if x[i] == most && most.is_infinite() {
                    0.0
                } else {
                    x[i] - most
                };
                let e = d.exp();
                y[i] = e;
                sum += e;
            }
            for i in 0..y.len() {
                y[i] /= sum;
            }
        }

        /// The Euclidean norm, the root of the sum of squares.
        ///
        /// The gradient is x/‖x‖. At 0, where the norm has a kink, it is 0, one of the subgradients: a point that is at the
        /// minimum stays there. Squares that overflow or vanish are avoided by a second pass. If entries are infinite the
        /// gradient is their direction.
        ///
        /// ```
        #[doc = concat!("use ", $module, "::norm;")]
        ///
        /// assert_eq!(norm::value_and_gradient(&[0.0, -2.0]), (2.0, vec![0.0, -1.0]));
        /// assert_eq!(norm::gradient(&[0.0, 0.0]), [0.0, 0.0]);
        /// ```
        #[$crate::differentiable]
        pub fn norm(x: &[$float]) -> $float {
            let mut square = 0.0;
            for v in x {
                // Not a product: this sum has no influence where entries are infinite.
                square += v.powi(2);
            }
            if square > $float::MIN_POSITIVE / $float::EPSILON && square < $float::INFINITY {
                square.sqrt()
            } else {
                scaled_norm(x)
            }
        }

        /// The norm by way of the largest entry.
        #[$crate::differentiable]
        fn scaled_norm(x: &[$float]) -> $float {
            let most: $float = largest_size(x);
            if most == 0.0 {
                return 0.0;
            }
            if most.is_infinite() {
                return infinite_norm(x);
            }
            let mut square = 0.0;
            for v in x {
                let ratio = *v / most;
                square += ratio * ratio;
            }
            most * square.sqrt()
        }

        /// That of the infinite entries, as if they were equally large.
        #[$crate::differentiable]
        fn infinite_norm(x: &[$float]) -> $float {
            let mut sum = 0.0;
            let mut count: $float = 0.0;
            for v in x {
                if v.is_infinite() {
                    sum += v.abs();
                    count += 1.0;
                }
            }
            sum / count.sqrt()
        }
    };
}
pub(super) use slice_functions;

//! Conventions for the derivative at kinks, at the ends of domains, and where something overflows. There is nothing in here
//! but this page.
//!
//! # Strong zeros
//!
//! The derivative of `x.sqrt()` at 0 is infinite. In `w * x.sqrt()` with `w = 0.0` the root gets the cotangent 0, and
//! `0 * ∞` would be NaN. So a product of a tangent or cotangent with the partial derivative of a *function* is zero if the
//! tangent or cotangent is, whatever the partial is: infinite, NaN, or overflowed. A value without influence gets the
//! derivative zero. It holds for all functions below, in both modes, and in second order. It doesn't hold for `*` itself:
//! forward mode reaches the root first, whose tangent is infinite if that of `x` isn't zero, and `w` times it is NaN.
//!
//! So it is with `/` and `%`: a quotient by zero that a branch discards, as in `if q.is_finite() { q } else { 0.0 }`, leaves
//! nothing behind. The operators `+ - *` and `mul_add` are arithmetic, in the primal as in the derivative: a factor that is
//! infinite makes NaN of a zero.
//!
//! A partial that is zero is no strong zero. In `x.abs().sqrt()` at 0 the cotangent of `abs` is infinite and its partial 0:
//! reverse mode returns NaN, forward mode 0. There is no derivative.
//!
//! ```
//! use chainrule::prelude::*;
//!
//! #[differentiable]
//! fn weighted_root(w: f64, x: f64) -> f64 {
//!     w * x.sqrt()
//! }
//!
//! assert_eq!(weighted_root::gradient(1.0, 0.0), (0.0, f64::INFINITY));
//! assert_eq!(weighted_root::gradient(0.0, 0.0), (0.0, 0.0));
//! ```
//!
//! # Functions of floats
//!
//! `y` is the value. Outside of its domain the value of a function is NaN, as in the standard library; there the derivative
//! is the value of the formula.
//!
//! | function | partial derivatives | domain | at its end, and at kinks |
//! |---|---|---|---|
//! | `sqrt` | 1/(2y) | x ≥ 0 | +∞ at 0 |
//! | `cbrt` | 1/(3y²) | | +∞ at 0 |
//! | `recip` | -y² | x ≠ 0 | -∞ at 0 |
//! | `powi(n)` | n xⁿ⁻¹ | | 0 for n = 0, whatever x is |
//! | `powf(a)` by x | a xᵃ⁻¹ | x ≥ 0, or a whole | 0 for a = 0. At x = 0: 0 for a > 1, 1 for a = 1, +∞ for 0 < a < 1, -∞ for a = -1 |
//! | `powf(a)` by a | y ln x | x ≥ 0 | 0 where y = 0, so at x = 0 with a > 0; NaN for x < 0, which an exponent that isn't differentiated doesn't notice |
//! | `exp`, `exp2`, `exp_m1` | eˣ, y ln 2, eˣ | | |
//! | `ln`, `log2`, `log10` | 1/x, 1/(x ln 2), 1/(x ln 10) | x > 0 | +∞ at 0 |
//! | `log(b)` | 1/(x ln b), -y/(b ln b) | x, b > 0, b ≠ 1 | |
//! | `ln_1p` | 1/(1 + x) | x > -1 | +∞ at -1 |
//! | `sin`, `cos`, `sin_cos` | cos x, -sin x | | |
//! | `tan` | 1 + y² | | |
//! | `asin`, `acos` | ±1/√(1 - x²) | \|x\| ≤ 1 | ±∞ at ±1 |
//! | `atan` | 1/(1 + x²) | | |
//! | `y.atan2(x)` | x/r², -y/r² with r = `y.hypot(x)` | | NaN at (0, 0) |
//! | `sinh`, `cosh` | cosh x, sinh x | | |
//! | `tanh` | 1/cosh² x | | |
//! | `asinh` | 1/√(x² + 1) | | |
//! | `acosh` | 1/√(x² - 1) | x ≥ 1 | +∞ at 1 |
//! | `atanh` | 1/(1 - x²) | \|x\| < 1 | +∞ at ±1 |
//! | `hypot` | a/y, b/y | | NaN at (0, 0), where [`norm`](fn@crate::functions::norm) has 0 |
//! | `mul_add(a, b)` | a, x, 1 | | |
//! | `abs` | the sign of x | | 0 at 0 |
//! | `copysign(s)` | by x the product of both signs, by s 0 | | 0 at x = 0; the sign of ±0 and of NaN is that of the bit |
//! | `max`, `min` | 1 for what is returned, 0 for the other | | at a tie the first argument: `x.max(0.0)` has derivative 1 at 0, `0.0.max(x)` has 0. If one is NaN, the other |
//! | `clamp` | 1 for what is returned, 0 for the others | | x at the bounds |
//! | `x % r` | 1, -q with q = (x - y)/r, the whole number | r ≠ 0 | at multiples as beside them: 1 and -3 for `6 % 2` |
//! | `rem_euclid` | 1, -q, in the same way | r ≠ 0 | |
//! | `fract` | 1 | | 1 at whole numbers |
//! | `to_degrees`, `to_radians` | 180/π, π/180 | | |
//!
//! Partials are computed so that they neither overflow nor lose digits where the formulas in the table would: `hypot` and
//! `atan2` without squares, `tanh` without 1 - y², `asin` from (1 - x)(1 + x). Second derivatives come from the partials.
//!
//! # Functions with derivative zero
//!
//! `floor`, `ceil`, `round`, `round_ties_even`, `trunc`, `signum` and `div_euclid` have the derivative 0 everywhere, at their
//! jumps too. A result that isn't a float has no derivative at all, and nothing flows through it: comparisons, `total_cmp`,
//! `partial_cmp`, `is_nan`, `is_finite` and the other tests, `classify`, `to_bits`.
//!
//! A float that becomes an integer (`x as usize`) would lose its derivative without a word. That is an error, unless the
//! program says so: `stop_gradient(x) as usize`.
//!
//! # Branches
//!
//! The derivative is that of the side that runs: `if x == 0.0 { 0.0 } else { x }` has the derivative 0 at 0, and
//! `if x > 0.0 { x } else { 0.0 }` too.
//!
//! # Source
//!
//! The formulas are those of M. Abramowitz and I. Stegun, *Handbook of Mathematical Functions* (1964), chapters 3 and 4,
//! rearranged where they would overflow or cancel.

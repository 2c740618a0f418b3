//! The scalar partials: one table, which forward and reverse mode share. A partial is built as operations of the IR, and so
//! can be differentiated again.
//!
//! "Strong" means that a zero tangent or cotangent times this partial is zero, even where the partial is infinite or
//! NaN. That holds for all functions but `mul_add`, which is arithmetic. Second derivatives come from the operations that a
//! partial is built of, so these are chosen to be strong as well: `recip` and `powi(2)`, where division and a product of
//! two factors that vary would make NaN of zero times infinity.
//!
//! The formulas are those of M. Abramowitz and I. Stegun, Handbook of Mathematical Functions (1964), chapters 3 and
//! 4, rearranged where the textbook form would overflow or cancel.
//!
//! Both sides of the choice that a strong product makes are computed, so it is a select, and loops vectorise. By callgrind, value and
//! gradient of `s += x[i] / y[i]` take 5.6 % more instructions than with plain products, of `u = x[i] / total; s += u * u * w[i]` 14 %, of
//! the recurrence `s = v / (1.5 + s)` 29 %. Products of `*` are plain: an infinite factor is visible in the primal, and each product would
//! pay, where most have no division beside them that hides the cost.

use super::seq::Seq;
use crate::ir::{BinaryOp, Const, MathFn, Op, OpKind, Ty, UnaryOp, Value};
use crate::types::libm::method_of;

/// `1/3`, `ln 2`, `ln 10`, `180/π`, `π/180`, to more digits than `f64` holds.
const THIRD: &str = "0.333333333333333333333333333333";
const LN_2: &str = "0.693147180559945309417232121458";
const LN_10: &str = "2.30258509299404568401799145468";
const DEGREES: &str = "57.2957795130823208767981548141";
const RADIANS: &str = "0.0174532925199432957692369076849";

/// The derivative of a function with respect to one argument.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Partial {
    Zero,
    One,
    /// One where the condition holds, zero elsewhere; selected, not multiplied, so that nothing leaks.
    Where(Value),
    /// Zero where the condition holds, one elsewhere.
    Unless(Value),
    Times(Value),
    Strong(Value),
}

impl Partial {
    /// The same of another value.
    pub(crate) fn with(self, f: impl FnOnce(Value) -> Value) -> Partial {
        match self {
            Partial::Zero => Partial::Zero,
            Partial::One => Partial::One,
            Partial::Where(v) => Partial::Where(f(v)),
            Partial::Unless(v) => Partial::Unless(f(v)),
            Partial::Times(v) => Partial::Times(f(v)),
            Partial::Strong(v) => Partial::Strong(f(v)),
        }
    }
}

/// Returns `true` if the derivative is zero wherever it exists.
pub(crate) fn is_piecewise_constant(f: &str) -> bool {
    matches!(
        f.strip_prefix("libm::").unwrap_or(f),
        "ceil" | "floor" | "round" | "round_ties_even" | "trunc" | "signum" | "div_euclid"
    )
}

/// The greatest exponent of a power that is a product or two.
const FEW: i64 = 3;

/// Returns `true` if the partials are cheap to compute, given the arguments: then the reverse half computes them, and
/// only the arguments are stored. `int` knows integer constants.
pub(crate) fn is_cheap(f: MathFn, args: &[Value], int: impl Fn(Value) -> Option<i64>) -> bool {
    let few = |v: &Value| int(*v).is_some_and(|n| (0..=FEW).contains(&n));
    let short_power = method_of(f) == "powi" && args.get(1).is_some_and(few);
    let cheap = matches!(
        method_of(f),
        "abs"
            | "clamp"
            | "copysign"
            | "fract"
            | "max"
            | "min"
            | "mul_add"
            | "to_degrees"
            | "to_radians"
    );
    cheap || short_power || is_piecewise_constant(f)
}

/// Appends the partial of `y = f(args)` with respect to argument `k`.
pub(crate) fn partial(s: &mut Seq<'_>, f: MathFn, args: &[Value], y: Value, k: usize) -> Partial {
    let ty = s.func.ty(args[0]).clone();
    let x = args[0];
    let f = method_of(f);
    match (f, k) {
        // |x|' = sign x, and 0 at 0.
        ("abs", _) => {
            let (zero, sign) = (s.zero(&ty), s.math("signum", &[x]));
            let at_zero = s.binary(BinaryOp::Eq, x, zero);
            Partial::Strong(s.select(at_zero, zero, sign))
        }
        // ±1/√(1 - x²); infinite at ±1.
        ("asin" | "acos", _) => {
            let difference = one_less_square(s, x);
            let root = s.math("sqrt", &[difference]);
            let p = s.math("recip", &[root]);
            Partial::Strong(if f == "asin" { p } else { s.neg(p) })
        }
        // 1/√(x² - 1), infinite at 1; the factors are not multiplied, since their product may overflow.
        ("acosh", _) => {
            let one = s.one(&ty);
            let (below, above) = (s.sub(x, one), s.add(x, one));
            let [below, above] = [below, above].map(|factor| {
                let root = s.math("sqrt", &[factor]);
                s.math("recip", &[root])
            });
            Partial::Strong(s.strong_mul(above, below))
        }
        // 1/√(x² + 1); the root is |x| before the square overflows.
        ("asinh", _) => {
            let (one, square) = (s.one(&ty), squared(s, x));
            let sum = s.add(one, square);
            let (root, size) = (s.math("sqrt", &[sum]), s.math("abs", &[x]));
            let large = is_large(s, x);
            let root = s.select(large, size, root);
            Partial::Strong(s.math("recip", &[root]))
        }
        // 1/(1 + x²); it is 1/x², by the square of 1/x, before that of x overflows.
        ("atan", _) => {
            let (one, square, inverse) = (s.one(&ty), squared(s, x), s.math("recip", &[x]));
            let sum = s.add(one, square);
            let (p, far) = (s.math("recip", &[sum]), squared(s, inverse));
            let large = is_large(s, x);
            Partial::Strong(s.select(large, far, p))
        }
        // y = atan2(a, b): b/(a² + b²) and -a/(a² + b²), by two divisions, since the squares may overflow; NaN at (0, 0).
        ("atan2", _) => {
            let r = s.math("hypot", &[x, args[1]]);
            let ratio = s.div(args[1 - k], r);
            let p = s.div(ratio, r);
            Partial::Strong(if k == 0 { p } else { s.neg(p) })
        }
        // 1/(1 - x²); infinite at ±1.
        ("atanh", _) => {
            let difference = one_less_square(s, x);
            Partial::Strong(s.math("recip", &[difference]))
        }
        // 1/(3 y²); infinite at 0.
        ("cbrt", _) => {
            let (third, inverse) = (s.number(THIRD, &ty), s.math("recip", &[y]));
            let square = squared(s, inverse);
            Partial::Strong(s.mul(third, square))
        }
        // The argument that is returned; x at a bound.
        ("clamp", _) => {
            let below = s.binary(BinaryOp::Lt, x, args[1]);
            let above = s.binary(BinaryOp::Gt, x, args[2]);
            match k {
                0 => Partial::Unless(s.binary(BinaryOp::BitOr, below, above)),
                1 => Partial::Where(below),
                _ => Partial::Where(above),
            }
        }
        // |x| with the sign of the other: sign x sign s, and 0 at 0, as for |x|.
        ("copysign", 0) => {
            let (zero, one) = (s.zero(&ty), s.one(&ty));
            let (a, b) = (s.math("signum", &[x]), s.math("copysign", &[one, args[1]]));
            let at_zero = s.binary(BinaryOp::Eq, x, zero);
            let product = s.mul(a, b);
            Partial::Strong(s.select(at_zero, zero, product))
        }
        ("cos", _) => {
            let sin = s.math("sin", &[x]);
            Partial::Strong(s.neg(sin))
        }
        ("cosh", _) => Partial::Strong(s.math("sinh", &[x])),
        ("exp", _) => Partial::Strong(y),
        ("exp2", _) => {
            let ln_2 = s.number(LN_2, &ty);
            Partial::Strong(s.mul(y, ln_2))
        }
        // Not y + 1, which has no digits left for large negative x.
        ("exp_m1", _) => Partial::Strong(s.math("exp", &[x])),
        ("fract", _) | ("mul_add", 2) => Partial::One,
        // a/h; NaN at (0, 0).
        ("hypot", _) => Partial::Strong(s.div(args[k], y)),
        ("ln", _) => Partial::Strong(s.math("recip", &[x])),
        ("ln_1p", _) => {
            let one = s.one(&ty);
            let sum = s.add(one, x);
            Partial::Strong(s.math("recip", &[sum]))
        }
        // ln x / ln b: 1/(x ln b) and -y/(b ln b).
        ("log", _) => {
            let ln = s.math("ln", &[args[1]]);
            let product = s.mul(args[k], ln);
            let p = s.math("recip", &[product]);
            Partial::Strong(if k == 0 {
                p
            } else {
                let p = s.strong_mul(p, y);
                s.neg(p)
            })
        }
        ("log2" | "log10", _) => {
            let ln = s.number(if f == "log2" { LN_2 } else { LN_10 }, &ty);
            let product = s.mul(x, ln);
            Partial::Strong(s.math("recip", &[product]))
        }
        // The argument that is returned; the first one at a tie; the other one where one is NaN.
        ("max" | "min", _) => {
            let op = if f == "max" {
                BinaryOp::Gt
            } else {
                BinaryOp::Lt
            };
            let beaten = s.binary(op, args[1], x);
            let nan = s.binary(BinaryOp::Ne, x, x);
            let second = s.binary(BinaryOp::BitOr, beaten, nan);
            if k == 1 {
                Partial::Where(second)
            } else {
                Partial::Unless(second)
            }
        }
        ("tied", 0) => Partial::Zero,
        ("tied", _) => Partial::One,
        // a b + c, by plain products as in `a * b + c`.
        ("mul_add", _) => Partial::Times(args[1 - k]),
        // a x^(a-1), and 0 for a = 0.
        ("powf", 0) => {
            let one = s.one(&ty);
            let less = s.sub(args[1], one);
            let power = s.math("powf", &[x, less]);
            Partial::Strong(s.strong_mul(args[1], power))
        }
        // y ln x, and 0 where y is (x = 0 with a > 0); NaN for negative x.
        ("powf", _) => {
            let ln = s.math("ln", &[x]);
            Partial::Strong(s.strong_mul(y, ln))
        }
        // n x^(n-1), and 0 for n = 0.
        ("powi", 0) => match int_const(s, args[1]) {
            Some(0) => Partial::Zero,
            Some(1) => Partial::One,
            Some(2) => Partial::Strong(s.add(x, x)),
            Some(n) => {
                let factor = s.number(&format!("{n}.0"), &ty);
                let less = s.int(&(n - 1).max(i32::MIN.into()).to_string(), "i32");
                let power = s.math("powi", &[x, less]);
                Partial::Strong(s.mul(factor, power))
            }
            None => {
                let least = s.int(&i32::MIN.to_string(), "i32");
                let none = s.int("0", "i32");
                let one = s.int("1", "i32");
                let above = s.binary(BinaryOp::Gt, args[1], least);
                let step = s.value(OpKind::Select(above, one, none), Ty::Int("i32"), "t");
                let less = s.sub(args[1], step);
                let (factor, power) = (s.cast(args[1], &ty), s.math("powi", &[x, less]));
                Partial::Strong(s.strong_mul(factor, power))
            }
        },
        // -1/x²; infinite at 0.
        ("recip", _) => {
            let square = squared(s, y);
            Partial::Strong(s.neg(square))
        }
        // a - b q with a whole q: 1 and -q, at multiples too.
        ("rem_euclid", 0) => Partial::One,
        ("rem_euclid", _) => {
            let q = quotient(s, x, args[1], y);
            Partial::Strong(s.neg(q))
        }
        ("sin", _) => Partial::Strong(s.math("cos", &[x])),
        ("sinh", _) => Partial::Strong(s.math("cosh", &[x])),
        // 1/(2 y); infinite at 0.
        ("sqrt", _) => {
            let twice = s.add(y, y);
            Partial::Strong(s.math("recip", &[twice]))
        }
        // 1 + y².
        ("tan", _) => {
            let (one, square) = (s.one(&ty), squared(s, y));
            Partial::Strong(s.add(one, square))
        }
        // 1/cosh² x: 1 - y² has no digits left for large |x|. Beyond the bounds it is zero, and so is the second derivative,
        // where cosh and sinh would overflow.
        ("tanh", _) => {
            let high = s.number(by_precision(&ty, "60.0", "400.0"), &ty);
            let low = s.neg(high);
            let near = s.math("clamp", &[x, low, high]);
            let cosh = s.math("cosh", &[near]);
            let sech = s.math("recip", &[cosh]);
            Partial::Strong(squared(s, sech))
        }
        ("to_degrees", _) => Partial::Times(s.number(DEGREES, &ty)),
        ("to_radians", _) => Partial::Times(s.number(RADIANS, &ty)),
        // The magnitude doesn't depend on the value that the sign is taken from.
        ("copysign", _) => Partial::Zero,
        (f, _) if is_piecewise_constant(f) => Partial::Zero,
        _ => crate::diagnostics::bug!("`{f}` has no partials"),
    }
}

/// x², with a strong derivative.
fn squared(s: &mut Seq<'_>, x: Value) -> Value {
    let two = s.int("2", "i32");
    s.math("powi", &[x, two])
}

/// 1 - x²: factored for large x, where the square's rounding would be all that is left, and not for small ones, whose
/// derivative -2x would be the difference of the factors.
fn one_less_square(s: &mut Seq<'_>, x: Value) -> Value {
    let ty = s.func.ty(x).clone();
    let (one, half) = (s.one(&ty), s.number("0.5", &ty));
    let (size, square) = (s.math("abs", &[x]), squared(s, x));
    let small = s.binary(BinaryOp::Lt, size, half);
    let difference = s.sub(one, square);
    let (below, above) = (s.sub(one, x), s.add(one, x));
    let product = s.mul(below, above);
    s.select(small, difference, product)
}

/// One number for `f32`, one for `f64`.
fn by_precision<'a>(ty: &Ty, single: &'a str, double: &'a str) -> &'a str {
    match ty {
        Ty::F32 => single,
        _ => double,
    }
}

/// A comparison that is true if 1 is negligible beside x².
fn is_large(s: &mut Seq<'_>, x: Value) -> Value {
    let ty = s.func.ty(x).clone();
    let size = s.math("abs", &[x]);
    let bound = s.number(by_precision(&ty, "1e5", "1e10"), &ty);
    s.binary(BinaryOp::Gt, size, bound)
}

/// The whole number `q` in `y = a - b q`, from the remainder `y`: `a / b` may round up to the next one (1 % 0.1 is not 0).
pub(crate) fn quotient(s: &mut Seq<'_>, a: Value, b: Value, y: Value) -> Value {
    let multiple = s.sub(a, y);
    let q = s.div(multiple, b);
    s.math("round", &[q])
}

/// The value of an integer constant among the operations built or given so far.
fn int_const(s: &Seq<'_>, v: Value) -> Option<i64> {
    let find = |op: &Op| match &op.kind {
        OpKind::Const(Const::Int(digits)) if op.results == [v] => {
            digits.replace('_', "").parse().ok()
        }
        OpKind::Unary(UnaryOp::Neg, a) if op.results == [v] => s.func.int_const(*a).map(|n| -n),
        _ => None,
    };
    s.ops.iter().find_map(find).or_else(|| s.func.int_const(v))
}

/// Appends the product of a tangent or cotangent with a partial; `None` is zero.
pub(crate) fn times(s: &mut Seq<'_>, g: Value, partial: Partial) -> Option<Value> {
    match partial {
        Partial::Zero => None,
        Partial::One => Some(g),
        Partial::Where(cond) => {
            let ty = s.func.ty(g).clone();
            let zero = s.zero(&ty);
            Some(s.select(cond, g, zero))
        }
        Partial::Unless(cond) => {
            let ty = s.func.ty(g).clone();
            let zero = s.zero(&ty);
            Some(s.select(cond, zero, g))
        }
        Partial::Times(p) => Some(s.mul(g, p)),
        Partial::Strong(p) => Some(s.strong_mul(g, p)),
    }
}

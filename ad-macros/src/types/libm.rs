//! The functions of the crate `libm`: each has the derivative of a method of floats, and keeps its own values, which may differ from std's in
//! the last bit.

use super::ty::Type;
use crate::ir::MathFn;

/// A function: its path, under which it is an operation, and the method that has its derivative.
pub(crate) struct Function {
    pub(crate) path: MathFn,
    pub(crate) method: MathFn,
    pub(crate) args: usize,
    single: bool,
}

impl Function {
    /// The type of its arguments and of its result.
    pub(crate) fn float(&self) -> Type {
        if self.single { Type::F32 } else { Type::F64 }
    }
}

macro_rules! functions {
    ($($double:literal $single:literal $method:literal $args:literal;)*) => {
        const FUNCTIONS: &[Function] = &[$(
            Function { path: concat!("libm::", $double), method: $method, args: $args, single: false },
            Function { path: concat!("libm::", $single), method: $method, args: $args, single: true },
        )*];
    };
}
functions! {
    "acos" "acosf" "acos" 1;
    "acosh" "acoshf" "acosh" 1;
    "asin" "asinf" "asin" 1;
    "asinh" "asinhf" "asinh" 1;
    "atan" "atanf" "atan" 1;
    "atan2" "atan2f" "atan2" 2;
    "atanh" "atanhf" "atanh" 1;
    "cbrt" "cbrtf" "cbrt" 1;
    "ceil" "ceilf" "ceil" 1;
    "copysign" "copysignf" "copysign" 2;
    "cos" "cosf" "cos" 1;
    "cosh" "coshf" "cosh" 1;
    "exp" "expf" "exp" 1;
    "exp2" "exp2f" "exp2" 1;
    "expm1" "expm1f" "exp_m1" 1;
    "fabs" "fabsf" "abs" 1;
    "floor" "floorf" "floor" 1;
    "fma" "fmaf" "mul_add" 3;
    "fmax" "fmaxf" "max" 2;
    "fmin" "fminf" "min" 2;
    "hypot" "hypotf" "hypot" 2;
    "log" "logf" "ln" 1;
    "log10" "log10f" "log10" 1;
    "log1p" "log1pf" "ln_1p" 1;
    "log2" "log2f" "log2" 1;
    "pow" "powf" "powf" 2;
    "round" "roundf" "round" 1;
    "sin" "sinf" "sin" 1;
    "sinh" "sinhf" "sinh" 1;
    "sqrt" "sqrtf" "sqrt" 1;
    "tan" "tanf" "tan" 1;
    "tanh" "tanhf" "tanh" 1;
    "trunc" "truncf" "trunc" 1;
}

/// Finds the function that a path names: `libm::sin`, or `::libm::sin`.
pub(crate) fn function(path: &syn::ExprPath) -> Option<&'static Function> {
    let mut segments = path.path.segments.iter();
    let (Some(root), Some(name), None) = (segments.next(), segments.next(), segments.next()) else {
        return None;
    };
    let name = name.ident.to_string();
    let is = |function: &&Function| function.path.strip_prefix("libm::") == Some(name.as_str());
    (path.qself.is_none() && root.ident == "libm")
        .then(|| FUNCTIONS.iter().find(is))
        .flatten()
}

/// The name of a function of the crate, if an operation is one.
pub(crate) fn name_of(f: MathFn) -> Option<&'static str> {
    f.strip_prefix("libm::")
}

/// The method of floats that has the derivatives of an operation.
pub(crate) fn method_of(f: MathFn) -> MathFn {
    if name_of(f).is_none() {
        return f;
    }
    let found = FUNCTIONS.iter().find(|function| function.path == f);
    found.map_or(f, |function| function.method)
}

//! Parameters that are functions: [`Function`].

/// The mode of a parameter that is a function. Callers write its rule where it is passed on, so the mode is never asked for
/// anything: an argument that isn't a function that the caller knows ends here, in an error.
#[derive(Clone, Copy, Debug)]
pub struct Function;

/// No type has it.
#[diagnostic::on_unimplemented(
    message = "this function value has no derivative rule",
    label = "passed to a differentiated function",
    note = "pass a closure, the name of a `#[differentiable]` function, or a parameter that is a function"
)]
pub trait HasRules {}

impl Function {
    /// No function value has a rule of its own.
    pub fn pass<F: HasRules, R>(&self, _f: F) -> R {
        unreachable!()
    }

    /// No function value has a rule of its own.
    pub fn dual<F: HasRules, S, R>(&self, _f: F, _f_dot: S) -> R {
        unreachable!()
    }

    /// No function value has a rule of its own.
    pub fn inactive<F: HasRules, R>(&self, _f: F) -> R {
        unreachable!()
    }
}

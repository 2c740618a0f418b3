//! Functions as values: parameters that are functions, and closures where they are passed on.
//!
//! A function that is passed on has no tangent. Its forward rule is a function of duals. Its reverse rule is a pair: a
//! function that returns a residual beside its result, and one that takes the residual, the result's cotangent and the
//! positions of the arguments, and returns the cotangents of the owned arguments. The first is passed to the callee's
//! rule, the second to its pullback, which calls it once for each call of the first, in the opposite order.
//!
//! ```text
//! primal    Fn(A, &B) -> R
//! forward   FnMut((Dual<A>, Dual<&B>)) -> Dual<R>
//! reverse   FnMut((A, &B)) -> (R, P)    and    FnMut(P, R_bar, ((), CoDual<&B>)) -> (A_bar, ())
//! ```

use super::{Arg, Call, Callee, PassedBy, Pattern, Region, Slot};

/// The type of a parameter that is a function.
#[derive(Clone, Debug)]
pub(crate) struct FunctionType {
    pub(crate) inputs: Vec<Input>,
    /// `()` where there is none.
    pub(crate) output: syn::Type,
    /// It keeps no state: a call whose result nobody wants needs no reverse half.
    pub(crate) stateless: bool,
}

/// A parameter of such a function.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub(crate) by: PassedBy,
    /// Without the outer reference.
    pub(crate) ty: syn::Type,
}

/// A function as an argument, as the caller has it.
#[derive(Clone, Debug)]
pub(crate) enum Function {
    /// A function item.
    Item {
        path: syn::ExprPath,
        associated: bool,
    },
    /// A parameter of the caller, passed on. In a reverse half, that of its reverse half.
    Param(Slot),
    Closure(Box<Closure>),
}

/// A closure, or one half of it.
#[derive(Clone, Debug)]
pub(crate) struct Closure {
    /// A reverse half's cotangent of the result.
    pub(crate) seed: Option<Pattern>,
    pub(crate) params: Vec<Pattern>,
    /// Stacks whose entries are passed through the callee as the residual: the forward half returns the entries that it
    /// pushes, and the reverse half pops its parameters. `None` for a closure that isn't split.
    pub(crate) links: Option<Vec<Slot>>,
    /// The region's parameters are the values in `seed` and `params`, its yields those in `results`, in order; they
    /// count, where a pattern's leaf is another value.
    pub(crate) body: Region,
    /// The result, or for a reverse half one for each parameter.
    pub(crate) results: Vec<Pattern>,
}

impl Closure {
    /// Calls `f` on each leaf that is bound on entry.
    pub(crate) fn each_bound(&self, f: &mut dyn FnMut(&Pattern)) {
        for pattern in self.seed.iter().chain(&self.params) {
            pattern.each_leaf(f);
        }
    }

    /// Lists the values that are bound on entry as the region's parameters.
    pub(crate) fn list_params(&mut self) {
        let mut params = Vec::new();
        self.each_bound(&mut |leaf| {
            if let Pattern::Value(v) = leaf {
                params.push(*v);
            }
        });
        self.body.params = params;
    }

    /// Slots that are declared on entry.
    pub(crate) fn declared(&self) -> Vec<Slot> {
        let mut slots = self.links.clone().unwrap_or_default();
        self.each_bound(&mut |leaf| {
            if let Pattern::Slot(s) = leaf {
                slots.push(*s);
            }
        });
        slots
    }

    /// The results, with the leaves that the region yields.
    pub(crate) fn yielded(&self) -> Vec<Pattern> {
        let mut yields = self.body.yields.iter().copied();
        self.results
            .iter()
            .map(|pattern| pattern.with_values(&mut yields))
            .collect()
    }
}

impl Call {
    /// Returns `true` if a function parameter is called, or a function is passed on. Such calls are
    /// only differentiated by rules.
    pub(crate) fn is_functional(&self) -> bool {
        matches!(self.callee, Callee::Function(_))
            || self.args.iter().any(|arg| matches!(arg, Arg::Function(_)))
    }
}

impl Pattern {
    /// The same pattern with other values as its leaves, in order.
    fn with_values(&self, values: &mut dyn Iterator<Item = super::Value>) -> Pattern {
        match self {
            Pattern::Value(v) => Pattern::Value(values.next().unwrap_or(*v)),
            Pattern::Dual(a, b) => {
                let a = a.with_values(values);
                Pattern::dual(a, b.with_values(values))
            }
            Pattern::CoDual(a, b) => {
                let a = a.with_values(values);
                Pattern::codual(a, b.with_values(values))
            }
            Pattern::Slot(_) | Pattern::Unit => self.clone(),
        }
    }
}

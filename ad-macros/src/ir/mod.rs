//! The intermediate representation: structured, typed SSA.
//!
//! A function is a [`Region`]: a list of operations that ends in a yield. `if`, `for` and `loop` are operations that
//! own regions. There is no φ and no goto, and no exit from the middle of a region either: lowering has turned
//! `break`, `continue` and `return` into values, so that every transform sees only regions that run from their first
//! operation to their last.
//!
//! - Scalars of known type, and temporaries of any type, are SSA *values*. A value is defined once, by an operation or as
//!   a region's parameter, and is visible in its region after its definition and in the regions nested there.
//! - Everything else that has a name is memory: a *slot*. A [`Place`] is a slot and a path of projections. The shadow of
//!   a place is the shadow of its slot under the same path.
//!
//! The invariants are listed where they are checked, in [`verify`].

mod classes;
mod declared;
mod dense;
mod function;
mod hash;
mod operator;
mod print;
mod types;
mod verify;
mod visit;

pub(crate) use classes::Classes;
pub(crate) use declared::Struct;
pub(crate) use dense::{DenseMap, DenseSet};
pub(crate) use function::{Closure, Function, FunctionType, Input};
pub(crate) use hash::{Map, Set};
pub(crate) use operator::OperatorKind;
pub(crate) use types::Ty;
pub(crate) use verify::verify;
pub(crate) use visit::{Access, Carried, is_std_variant};

use proc_macro2::{Ident, Span, TokenStream};

use crate::paths::function_name;

/// An SSA value; an index into [`Func::values`]. Prints as `%3`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Value(pub(crate) u32);

/// A variable in memory; an index into [`Func::slots`]. Prints as `$3`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Slot(pub(crate) u32);

#[allow(
    clippy::struct_excessive_bools,
    reason = "each says something of its own"
)]
#[derive(Clone, Debug)]
pub(crate) struct ValueData {
    pub(crate) ty: Ty,
    /// The user's name for it, if any. Emission derives names from it (`x`, `x_dot`, `x_bar`).
    pub(crate) name: String,
    pub(crate) span: Span,
    /// It may be a reference, and be passed as one: only rustc can resolve its type.
    pub(crate) maybe_reference: bool,
    /// A sum that a loop carries, to which terms may be added in any order: cotangents, but nothing of the primal.
    pub(crate) unordered: bool,
    /// An integer that is at least one.
    pub(crate) positive: bool,
    /// Its derivative is that of another value, so that nothing is differentiated here.
    pub(crate) constant: bool,
}

/// How a slot's variable is bound in Rust.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SlotKind {
    /// An owned local or parameter.
    Owned,
    /// A `&T` parameter, or a local alias made by [`OpKind::Borrow`].
    Ref,
    /// A `&mut T` parameter, or such an alias.
    RefMut,
}

#[allow(
    clippy::struct_excessive_bools,
    reason = "each says something of its own"
)]
#[derive(Clone, Debug)]
pub(crate) struct SlotData {
    /// The type of the stored value (of the target, for references).
    pub(crate) ty: Ty,
    pub(crate) kind: SlotKind,
    pub(crate) name: String,
    /// The user's own identifier for it, with the user's span. Verbatim code ([`OpKind::Opaque`]) may mention it, so
    /// emission binds exactly this identifier in the forward half. `None` for slots that the compiler made.
    pub(crate) ident: Option<Ident>,
    /// A local whose type is deferred and that a method call may move: it is emitted as an `Option`.
    pub(crate) in_option: bool,
    /// A variable that isn't `mut`: no method writes to it.
    pub(crate) frozen: bool,
    /// A reference into the tangent of a struct's or variant's field, which may be constant there.
    pub(crate) in_field: bool,
    /// A local whose type, or that of a part, only rustc can resolve, made by code that may have returned a reference: `let row = matrix.row(i);`
    pub(crate) may_borrow: bool,
    pub(crate) span: Span,
}

impl SlotKind {
    /// A reference.
    pub(crate) fn reference(mutable: bool) -> Self {
        if mutable {
            SlotKind::RefMut
        } else {
            SlotKind::Ref
        }
    }
}

impl SlotData {
    /// A variable that the compiler makes.
    pub(crate) fn new(ty: Ty, kind: SlotKind, name: String, span: Span) -> Self {
        SlotData {
            ty,
            kind,
            name,
            ident: None,
            in_option: false,
            frozen: false,
            in_field: false,
            may_borrow: false,
            span,
        }
    }

    /// Returns `true` if the slot is certainly there, and certainly holds its content itself.
    pub(crate) fn is_plain(&self) -> bool {
        !(self.in_option || self.in_field || self.may_borrow)
    }
}

/// A place in memory: a slot and a path into it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Place {
    pub(crate) root: Slot,
    pub(crate) path: Vec<Proj>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Proj {
    /// `.name` or `.0`.
    Field(syn::Member),
    /// `[i]` with an integer `i`, of a slice, array or `Vec`; and of other types that are known to be indexed as their tangents are.
    Index(Value),
    /// `[i]` of a type that only rustc can resolve, or a method that returns a reference. The value is the position of that part
    /// in a shadow: an [`OpKind::Locate`]. It is `None` where no shadow is made any more.
    At(Lookup, Option<Value>),
    /// `[lo..hi]`; inclusive ends have been made exclusive by lowering.
    Range(Option<Value>, Option<Value>),
    /// The payload of a variant, which the place holds: `member` in the pattern `path { member: .. }`.
    Variant(syn::Path, syn::Member),
    /// The content of a `Box`.
    Deref,
}

/// How to access a part of a value of a type that only rustc can resolve.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Lookup {
    /// `[i]`
    Index(Value),
    /// `.name(args)`, which returns a reference.
    Method {
        name: Ident,
        args: Vec<Value>,
        mutable: bool,
    },
    /// A view of a library's array, which the runtime takes: `.__name(args)`, or `.__name_mut(args)`. A shadow has the same. It is a value, or
    /// a reference to the array.
    View {
        name: String,
        args: Vec<Value>,
        by_value: bool,
    },
}

impl Lookup {
    pub(crate) fn operands(&self) -> &[Value] {
        match self {
            Lookup::Index(i) => std::slice::from_ref(i),
            Lookup::Method { args, .. } | Lookup::View { args, .. } => args,
        }
    }

    pub(crate) fn operands_mut(&mut self) -> &mut [Value] {
        match self {
            Lookup::Index(i) => std::slice::from_mut(i),
            Lookup::Method { args, .. } | Lookup::View { args, .. } => args,
        }
    }
}

impl Place {
    /// Returns `true` if it is a view of a library's array, and no part of one.
    pub(crate) fn ends_in_view(&self) -> bool {
        let last = self.path.last();
        matches!(
            last,
            Some(Proj::At(
                Lookup::View {
                    by_value: false,
                    ..
                },
                _
            ))
        )
    }

    /// Returns `true` if Rust treats two borrows as borrows of the same memory. Fields differ; elements don't, and
    /// neither do their fields where indexing is a call (`in_vec`).
    pub(crate) fn may_overlap(&self, other: &Place, in_vec: bool) -> bool {
        if self.root != other.root {
            return false;
        }
        for (own, theirs) in self.path.iter().zip(&other.path) {
            match (own, theirs) {
                (Proj::Field(own), Proj::Field(theirs)) if own != theirs => return false,
                (Proj::Field(_), Proj::Field(_)) => {}
                (Proj::At(..), _) | (_, Proj::At(..)) => return true,
                _ if in_vec => return true,
                _ => {}
            }
        }
        true
    }

    /// Returns `true` if it is behind a shared reference that a method returned.
    pub(crate) fn is_lent(&self) -> bool {
        let lent = |proj: &Proj| matches!(proj, Proj::At(Lookup::Method { mutable: false, .. }, _));
        self.path.iter().any(lent)
    }

    pub(crate) fn new(root: Slot, path: Vec<Proj>) -> Self {
        Place { root, path }
    }

    pub(crate) fn whole(root: Slot) -> Self {
        Place::new(root, Vec::new())
    }
}

/// A list of operations. `yields` are the results of the operation that owns the region (the function's result for its
/// body).
#[derive(Clone, Debug, Default)]
pub(crate) struct Region {
    pub(crate) params: Vec<Value>,
    pub(crate) ops: Vec<Op>,
    pub(crate) yields: Vec<Value>,
}

#[derive(Clone, Debug)]
pub(crate) struct Op {
    pub(crate) kind: OpKind,
    pub(crate) results: Vec<Value>,
    pub(crate) span: Span,
}

impl Region {
    /// A region without parameters.
    pub(crate) fn new(ops: Vec<Op>, yields: Vec<Value>) -> Self {
        let params = Vec::new();
        Region {
            params,
            ops,
            yields,
        }
    }
}

impl Op {
    pub(crate) fn new(kind: OpKind, results: Vec<Value>, span: Span) -> Self {
        Op {
            kind,
            results,
            span,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Const {
    /// A literal, as written, without its suffix; the value's type says which suffix is emitted (none where deferred).
    Float(String),
    Int(String),
    Bool(bool),
    /// A constant item or other expression without local variables: `core::f64::consts::PI`, `Self::N`, `LIMIT`.
    Expr(TokenStream),
    /// A value that is never used: of a variable before it is initialised, or of a result after a panic. Only known
    /// scalars may be undefined.
    Undef,
    /// The unit value.
    Unit,
    /// `None`, which is its own tangent.
    None,
    /// An additive zero of the value's type, made by transforms (known floats only).
    Zero,
    /// One, made by transforms (known floats only).
    One,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum UnaryOp {
    Neg,
    Not,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    /// Comparisons return a `bool`.
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}

/// Float functions, by their method's name in std. Which arguments are floats, and the partials, are in `partials.rs`. `tied` is the first
/// argument, with the derivative of the second one, which is the same number.
pub(crate) type MathFn = &'static str;

/// A range with the user's own adapters: `(lo..hi).rev().step_by(k)`.
#[derive(Clone, Debug)]
pub(crate) struct Range {
    pub(crate) lo: Value,
    pub(crate) hi: Value,
    pub(crate) inclusive: bool,
    pub(crate) adapters: Vec<Adapter>,
}

impl Range {
    /// `lo..hi`
    pub(crate) fn new(lo: Value, hi: Value) -> Self {
        Range {
            lo,
            hi,
            inclusive: false,
            adapters: Vec::new(),
        }
    }

    /// How many states reverse mode keeps of a loop with `#[checkpoint]`.
    pub(crate) fn checkpoints(&self) -> Option<Value> {
        self.adapters.iter().find_map(|adapter| match adapter {
            Adapter::Checkpoint(states) => Some(*states),
            _ => None,
        })
    }

    /// The same range of a loop without the attribute.
    pub(crate) fn forget_checkpoints(&mut self) {
        let keeps = |adapter: &Adapter| matches!(adapter, Adapter::Checkpoint(_));
        self.adapters.retain(|adapter| !keeps(adapter));
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Adapter {
    Rev,
    StepBy(Value),
    /// `#[checkpoint(k)]` on the loop: reverse mode keeps so many states of it. The order is the same.
    Checkpoint(Value),
}

/// The runtime's own methods, for sorting, `copy_within`, arrays of items, and indices and updates of a library's arrays.
pub(crate) const RUNTIME_METHODS: [&str; 17] = [
    "__check_order",
    "__index_at",
    "__memory_order",
    "into_deque",
    "into_list",
    "permute_by",
    "copy_range",
    "take_array",
    "put_part",
    "add_array",
    "sub_array",
    "mul_array",
    "div_array",
    "add_number",
    "sub_number",
    "mul_number",
    "div_number",
];

/// Which `impl` of an operator is meant. Its rules take copies of operands that are references, and the old value of one that
/// is assigned to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Operator {
    pub(crate) op: BinaryOp,
    /// True if the left or the right operand is a reference, respectively.
    pub(crate) refs: [bool; 2],
    /// `a += b`, which returns the new value.
    pub(crate) assign: bool,
}

/// The callee of a call.
#[derive(Clone, Debug)]
pub(crate) enum Callee {
    /// `path::f::<T>(..)`. The rules are `path::f::__rrule::<T>` and so on; a method by path, `Model::logp(..)` or
    /// `Self::logp(..)`, is `associated` and has `Model::__logp_rrule`.
    Path {
        path: syn::ExprPath,
        associated: bool,
    },
    /// `receiver.name::<T>(..)`. `args[0]` is the receiver.
    Method {
        name: Ident,
        turbofish: Option<TokenStream>,
    },
    /// An operator of `core::ops` on operands of which at least one has a deferred type.
    Operator(Operator),
    /// Unary minus or `!` on a deferred operand, or on a reference to one.
    Unary { op: UnaryOp, by_ref: bool },
    /// `x as T` on a deferred operand; the result's type is the target.
    Cast,
    /// A parameter that is a function. Of a pullback: its reverse half.
    Function(Slot),
}

/// One argument of a call, as the caller has it.
#[derive(Clone, Debug)]
pub(crate) enum Arg {
    /// By value.
    Value(Value),
    /// `&place`.
    Ref(Place),
    /// `&mut place`.
    Mut(Place),
    /// The receiver of a method call, written without `&`: autoref decides.
    Receiver(Place),
    /// A function. In a rule, its rule: `tangents` have nothing for it.
    Function(Function),
}

/// Which rule of the callee is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rule {
    /// The function itself: no argument is active. One result.
    Primal,
    /// The function itself in a program that is yet to be differentiated: some argument may be active. One result.
    Active,
    /// Results: `y`, `y_dot`.
    Frule,
    /// Results: `y`, the pullback, the callee's modes.
    Rrule,
    /// Results: `y`, `y_dot`, the pullback, the callee's modes.
    RruleFrule,
}

/// Marks an argument that is constant and that the callee may write to: an active value stored there would be lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lent {
    /// The argument isn't written to, or it is active.
    Active,
    /// Constant if its field, whose tangent is of this kind, is constant.
    Field(Value),
    Constant,
}

#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) callee: Callee,
    pub(crate) rule: Rule,
    pub(crate) args: Vec<Arg>,
    /// For `Frule` and `RruleFrule`: the tangent of each argument, in the same form; `None` where it is inactive.
    pub(crate) tangents: Vec<Option<Arg>>,
    /// For `Frule`, of each argument that comes from fields alone: the kinds of their tangents. Empty where it is active for certain.
    pub(crate) kinds: Vec<Vec<Value>>,
    /// For `Frule`, of each argument that the callee may write to: whether it is constant.
    pub(crate) lent: Vec<Lent>,
    /// Positions of references to arrays, for which the function takes views; `true` for references to views.
    pub(crate) views: Vec<(usize, bool)>,
    /// Where the arguments stand, if the user wrote them.
    pub(crate) at: Vec<Span>,
    /// The result isn't used: it is called for its effects. Of a rule: for its effects on a differentiated argument.
    pub(crate) dropped: bool,
    /// The receiver stays, even if the method takes it by value: a clone of it then.
    pub(crate) clone_receiver: bool,
    /// The callee's combined rule is made of this call, so it can't be called instead.
    pub(crate) split: bool,
}

impl Call {
    /// The capacity, if it is `Vec::new()` or `Vec::with_capacity(n)` that is called.
    pub(crate) fn empty_list(&self) -> Option<Option<Value>> {
        let (Rule::Primal, Callee::Path { path, .. }) = (self.rule, &self.callee) else {
            return None;
        };
        let names = path.path.segments.iter().rev();
        let mut names = names.map(|segment| &segment.ident);
        let (name, of) = (names.next()?, names.next()?);
        match (&self.args[..], of == "Vec") {
            ([], true) if name == "new" => Some(None),
            ([Arg::Value(n)], true) if name == "with_capacity" => Some(Some(*n)),
            _ => None,
        }
    }
}

impl Callee {
    /// Returns `true` if it is an operator or a cast of deferred operands.
    pub(crate) fn is_operator(&self) -> bool {
        matches!(
            self,
            Callee::Operator(_) | Callee::Unary { .. } | Callee::Cast
        )
    }
}

impl Call {
    /// A call of a function that isn't differentiated, or isn't yet.
    pub(crate) fn new(callee: Callee, rule: Rule, args: Vec<Arg>) -> Self {
        Call {
            callee,
            rule,
            args,
            tangents: Vec::new(),
            kinds: Vec::new(),
            lent: Vec::new(),
            views: Vec::new(),
            at: Vec::new(),
            dropped: false,
            clone_receiver: false,
            split: false,
        }
    }
}

/// One position of a pullback's arguments, as the caller has it. Where a vector has two entries, the second is the
/// tangent of the first: the call is that of a second-order rule.
#[derive(Clone, Debug)]
pub(crate) enum PullArg {
    /// An owned argument that is inactive in the caller: nothing is wanted back.
    Nothing,
    /// The same of one that may be a reference: the mode has kept its target.
    Open,
    /// An owned argument. One result for each entry: its cotangent. `zero` is taken where the callee calls it constant, or takes a
    /// reference, which it may be if it is `open`.
    Value { zero: Vec<Value>, open: bool },
    /// A reference or receiver that is inactive in the caller.
    Inactive(Arg),
    /// A reference or receiver, and its shadow.
    Shadow {
        primal: Vec<Arg>,
        shadow: Vec<Place>,
    },
    /// The reverse half of a function.
    Function(Function),
}

#[derive(Clone, Debug)]
pub(crate) struct ApplyPullback {
    pub(crate) callee: Callee,
    pub(crate) pullback: Value,
    pub(crate) modes: Value,
    /// `[y_bar]`, or `[y_bar, y_bar_dot]` for a second-order rule.
    pub(crate) seed: Vec<Value>,
    pub(crate) args: Vec<PullArg>,
}

/// A call in which the cotangent of the result is known: value and cotangents at once, by the callee's combined rule. Nothing of the
/// callee is kept. It leaves memory as the primal does, for a callee that takes no differentiated `&mut`.
#[derive(Clone, Debug)]
pub(crate) struct CombinedCall {
    pub(crate) callee: Callee,
    /// `[y_bar]`, or `[y_bar, y_bar_dot]` at second order.
    pub(crate) seed: Vec<Value>,
    pub(crate) args: Vec<CombinedArg>,
}

/// One position of a combined call. As in [`PullArg`], a second entry is the tangent of the first.
#[derive(Clone, Debug)]
pub(crate) enum CombinedArg {
    /// By value, and inactive if there is no `zero`. Else one result for each entry of that: its cotangent.
    Value { given: Vec<Value>, zero: Vec<Value> },
    /// A reference that is inactive in the caller, whatever the callee does with it.
    Inactive(Arg),
    /// `&mut` to an argument that the callee is known to declare constant.
    Constant(Arg),
    /// A reference, and its shadow.
    Shadow {
        primal: Vec<Arg>,
        shadow: Vec<Place>,
    },
}

impl CombinedArg {
    /// The places of the primal and its tangents.
    pub(crate) fn primals(&self) -> &[Arg] {
        match self {
            CombinedArg::Value { .. } => &[],
            CombinedArg::Inactive(arg) | CombinedArg::Constant(arg) => std::slice::from_ref(arg),
            CombinedArg::Shadow { primal, .. } => primal,
        }
    }

    /// The shadow, and its tangent.
    pub(crate) fn shadows(&self) -> &[Place] {
        match self {
            CombinedArg::Shadow { shadow, .. } => shadow,
            _ => &[],
        }
    }
}

/// Something that verbatim code mentions by the user's name.
#[derive(Clone, Debug)]
pub(crate) enum Use {
    Value(Ident, Value),
    /// The name represents this place itself (a variable), or a reference to it (`by_ref`: an alias such as
    /// `row = &x[a..b]` or the element of an iteration).
    Place {
        ident: Ident,
        place: Place,
        by_ref: bool,
        mutable: bool,
    },
}

impl Use {
    /// A name that represents a shared reference to the place.
    pub(crate) fn reference(ident: Ident, place: Place) -> Self {
        Use::Place {
            ident,
            place,
            by_ref: true,
            mutable: false,
        }
    }
}

/// The part of a coercion of a pointer to a trait object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Coerced {
    Value,
    /// Its tangent, on the same way.
    Tangent,
    /// The cotangent of the result, on the way back.
    Cotangent,
}

impl Coerced {
    /// The derivative is the same for all tangents: their own tangents go the same way.
    pub(crate) fn of_tangent(self) -> Self {
        match self {
            Coerced::Value => Coerced::Tangent,
            linear => linear,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum OpKind {
    // ---- Pure operations on values: one result. -------------------------------------------------------------------
    Const(Const),
    Unary(UnaryOp, Value),
    /// Operands of one known primitive type (shifts excepted).
    Binary(BinaryOp, Value, Value),
    /// `as` between known primitive types; the result's type is the target.
    Cast(Value),
    /// A float function on known floats (`powi` takes an `i32` second).
    Math(MathFn, Vec<Value>),
    /// `if c { a } else { b }` on values that are there already.
    Select(Value, Value, Value),
    /// The product of a cotangent or tangent with a partial: zero if the first is zero, whatever the second.
    StrongMul(Value, Value),
    /// The quotient of a cotangent or tangent by a primal value: zero if the first is zero, whatever the second.
    StrongDiv(Value, Value),
    Tuple(Vec<Value>),
    /// One result for each component.
    Untuple(Value),
    /// `[a, b]`, or `vec![a, b]`.
    Array {
        elems: Vec<Value>,
        vec: bool,
    },
    /// `[x; n]` (`len` as the user wrote it) or `vec![x; n]` (`len` is a value then).
    Repeat {
        elem: Value,
        len: RepeatLen,
    },
    /// `Path { field: value, ..base }`.
    Struct {
        path: syn::Path,
        /// The path may name a variant of an enum, so that fields are reached by [`Proj::Variant`].
        variant: bool,
        fields: Vec<(syn::Member, Value)>,
        base: Option<Value>,
        /// The type, with the check of the signature, if only rustc can tell whether it has a tangent.
        checked: Option<Box<syn::Type>>,
    },
    /// The tangent of a struct or other aggregate `primal`, from those of some fields; the others are zero, or `base`'s except for `zeros`.
    StructTangent {
        primal: Value,
        /// As in `Struct`, if that is a variant.
        variant: Option<syn::Path>,
        fields: Vec<(syn::Member, Value)>,
        /// Of each field, the kinds of the fields that its value comes from, as in [`Call::kinds`]. Empty where nothing is asked.
        kinds: Vec<Vec<Value>>,
        base: Option<Value>,
        /// The fields that are zero all the same.
        zeros: Vec<syn::Member>,
    },
    /// Moves fields out of a variant, which the value is known to be: one result for each member.
    Unpack {
        value: Value,
        path: syn::Path,
        members: Vec<syn::Member>,
    },
    /// `Box::new(value)`.
    Boxed(Value),
    /// `*value`, of a `Box`.
    Unboxed(Value),
    /// Coercions of pointers to pointers to trait objects, one result for each. The region never runs. It contains the uses of the
    /// pointers, so that rustc can infer the types of the objects; its parameters are the coerced pointers.
    CoercionSites(Region),
    /// The coerced pointer.
    Coerce {
        site: Value,
        value: Value,
        form: Coerced,
    },
    /// `&mut place`, where nothing runs.
    Unique(Place),
    /// Moves a field out of a struct-like value (of which other fields may be moved out too).
    Field(Value, syn::Member),
    /// A zero tangent for a value, of the same shape.
    ZeroLike(Value),
    /// The tangent of `primal`, which was loaded from (or from inside of) a field: zero where the field is constant, else
    /// `tangent`.
    FieldTangent {
        primal: Value,
        tangent: Place,
        /// Cloned, not moved.
        clone: bool,
    },
    /// The type of the tangent of a field, as a value without size that is never read. Used to check that no tangent is
    /// lost if the field is constant.
    KindOf(Place),
    /// A check by rustc, which can tell whether the field of this kind is constant, that these tangents (or kinds) aren't lost in it.
    Ask {
        kind: Value,
        of: Vec<Value>,
    },
    /// The sum of two tangents of one (deferred or aggregate) type; known floats use `Binary(Add)`.
    TangentSum(Value, Value),

    // ---- Memory. -----------------------------------------------------------------------------------------------
    /// `let mut slot = value;` Each slot but parameters has exactly one `Init` or `Borrow`, before its uses.
    Init(Slot, Value),
    /// `let alias = &place;` (or `&mut`, by the slot's kind).
    Borrow(Slot, Place),
    /// Reads a place: a copy of scalars; of any other type a copy or a move, as in Rust.
    Load(Place),
    /// `place = value;`
    Store(Place, Value),
    /// `core::mem::replace(&mut place, value)`; the result is the old content.
    Replace(Place, Value),
    /// `core::mem::swap(&mut a, &mut b)`.
    Swap(Place, Place),
    /// `place += value`, on shadows.
    Accumulate(Place, Value),
    /// Adds all of one shadow to another of the same shape.
    AccumulatePlace {
        to: Place,
        from: Place,
    },
    /// The length of a slice, array or `Vec`.
    Len(Place),
    /// The position of an element or of a method's result in shadows of the place. It depends on no element, so
    /// that it stays the same when elements are written.
    Locate {
        place: Place,
        lookup: Lookup,
        /// The element is written.
        mutable: bool,
    },
    /// A zero tangent of a place's shape (an owned one: a `Vec` for a slice).
    ZeroOf(Place),
    /// The same of a local that a call may have moved: the value, which is the zero of the value before, if it is gone.
    ZeroLeft(Place, Value),
    /// Overwrites a shadow with zero.
    SetZero(Place),
    /// A clone of the content of a place (an owned one: a `Vec` for a slice).
    CloneOf(Place),
    /// The value that the pullback of `push` needs of a list that nothing else reads: nothing of a `Vec`, a clone of other types.
    PushPlaceholder(Place),

    // ---- Control flow. -----------------------------------------------------------------------------------------
    /// Results are the yields of the region that runs. No region parameters.
    If {
        cond: Value,
        then: Region,
        other: Region,
    },
    /// A counted loop. Body parameters: the induction variable, then the carried values; `init` are their initial
    /// values. Body yields: with `stop`, first a `bool` that ends the loop, then the next carried values. Results: their final values.
    For {
        range: Range,
        init: Vec<Value>,
        stop: bool,
        body: Region,
    },
    /// The sum, in an order of its own, of the body's yields for each position of the parts, which are slices of one length. Body
    /// parameters: the entries at the position. Result: one float, zero for empty parts.
    Sum {
        parts: Vec<Place>,
        body: Region,
    },
    /// A loop that ends when its first yield is `true`. Body parameters are the carried values.
    Loop {
        init: Vec<Value>,
        body: Region,
    },

    // ---- Calls and the user's own code. -------------------------------------------------------------------------
    Call(Box<Call>),
    ApplyPullback(Box<ApplyPullback>),
    /// Results: `y`, and the cotangents of the arguments by value; each followed by its tangent at second order.
    Combined(Box<CombinedCall>),
    /// The user's own code, verbatim, in which the listed names are bound. One result, or none for a statement. Inactive.
    Opaque {
        tokens: TokenStream,
        uses: Vec<Use>,
        diverges: bool,
    },

    // ---- Residuals of loops. --------------------------------------------------------------------------------------
    /// A stack for residuals, held by the slot.
    NewTape(Slot, Capacity),
    /// Pushes all of these values as one entry.
    Push(Slot, Vec<Value>),
    /// One result for each value of an entry. The stack isn't empty: pops mirror pushes.
    Pop(Slot),
    /// Moves a slot's variable onto a tape, at the end of the region that declared it.
    PushSlot(Slot, Slot),
    /// Declares a slot with the value that was moved onto the tape.
    PopSlot(Slot, Slot),
    /// Declares a slot: the part of a tape, one entry for each trip, of the run of a counted loop that follows.
    Run {
        run: Slot,
        tape: Slot,
        /// The range that the loop counts through.
        lo: Value,
        hi: Value,
        /// In the reverse half: the entries that the last run that hasn't been reversed has stored.
        again: bool,
    },
    /// Ends a region that never runs to its end.
    Unreachable,
}

impl OpKind {
    /// A copy of the content of a place, which has the type.
    pub(crate) fn copy_of(place: Place, ty: &Ty) -> Self {
        if ty.is_float() {
            OpKind::Load(place)
        } else {
            OpKind::CloneOf(place)
        }
    }

    /// Code that no run reaches.
    pub(crate) fn unreachable() -> Self {
        OpKind::Opaque {
            tokens: quote::quote!(::core::unreachable!()),
            uses: Vec::new(),
            diverges: true,
        }
    }

    /// A counted loop that nothing stops earlier.
    pub(crate) fn counted(range: Range, init: Vec<Value>, body: Region) -> Self {
        OpKind::For {
            range,
            init,
            stop: false,
            body,
        }
    }

    /// Code of the user's, or of the compiler's, that runs to its end.
    pub(crate) fn code(tokens: TokenStream, uses: Vec<Use>) -> Self {
        OpKind::Opaque {
            tokens,
            uses,
            diverges: false,
        }
    }
}

/// How many entries a stack of residuals will hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Capacity {
    /// Only the run will tell.
    Unknown,
    Known(Value),
    /// At most this many: it needs no allocation.
    Fixed(usize),
    /// As many as the runs of a loop ask for, each when it begins ([`OpKind::Run`]).
    Runs,
}

#[derive(Clone, Debug)]
pub(crate) enum RepeatLen {
    Array(TokenStream),
    Vec(Value),
}

/// How a rule's parameter or result is put together from values and slots.
#[derive(Clone, Debug)]
pub(crate) enum Pattern {
    Value(Value),
    Slot(Slot),
    Dual(Box<Pattern>, Box<Pattern>),
    CoDual(Box<Pattern>, Box<Pattern>),
    /// `()`.
    Unit,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PassedBy {
    Value,
    Ref,
    Mut,
}

/// A parameter as the user declared it.
#[derive(Clone, Debug)]
pub(crate) struct Param {
    pub(crate) ident: Ident,
    /// The type as written, without the outer reference.
    pub(crate) ty: syn::Type,
    pub(crate) by: PassedBy,
    /// The lifetime of the outer reference, if the result may have it.
    pub(crate) lifetime: Option<syn::Lifetime>,
    pub(crate) constant: bool,
    /// A variable that the rules, which are closures, capture. It isn't in any signature.
    pub(crate) captured: bool,
    pub(crate) receiver: bool,
    /// Its type, if it is a function.
    pub(crate) function: Option<FunctionType>,
    pub(crate) pattern: Pattern,
}

#[derive(Clone, Debug)]
pub(crate) struct Func {
    pub(crate) name: Ident,
    pub(crate) params: Vec<Param>,
    /// The primal's result type as written (`()` where there is none).
    pub(crate) output: syn::Type,
    pub(crate) values: Vec<ValueData>,
    pub(crate) slots: Vec<SlotData>,
    /// References to constant fields of differentiated values.
    pub(crate) constants: Set<Slot>,
    pub(crate) body: Region,
    /// How the body's yields make the result.
    pub(crate) result: Pattern,
    pub(crate) pullback: Option<Pullback>,
    /// Parameters beside the primal's (seeds and shadows of a combined rule).
    pub(crate) extra: Vec<Pattern>,
    /// Items declared in the body; every emitted rule repeats them.
    pub(crate) items: Vec<syn::Item>,
    /// Names in its patterns that may not match, which have to be bindings.
    pub(crate) tested_names: Vec<Ident>,
    /// It is in an `impl`, so that its bare name is another function's.
    pub(crate) associated: bool,
    /// Functions beside it.
    pub(crate) siblings: Map<String, Sibling>,
    /// Structs that stand beside it and derive `Differentiable`.
    pub(crate) structs: Map<String, Struct>,
    /// The enums beside the function: parts of their variants whose types are known.
    pub(crate) enums: Map<String, Vec<(Ident, syn::Member, Ty)>>,
    /// How clones of the types that stand beside it differ from the original.
    pub(crate) clones: Map<String, Clones>,
}

/// How a clone of a type of the file differs from the original.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) enum Clones {
    /// In nothing: `Clone` is derived, or copies each member.
    Same,
    /// In nothing, it is assumed: the file doesn't show how it is cloned.
    #[default]
    Unseen,
    /// Its `Clone`, if there is one, is written where it isn't read: in another module, for an alias, or by a macro.
    Elsewhere,
    /// In no number: `Clone` is written by hand.
    SameNumbers,
    /// In numbers, too, as far as is known.
    Other,
}

/// The name of a type without its arguments, as written in the text of the type.
pub(crate) fn base_name(ty: &str) -> &str {
    ty.split('<').next().unwrap_or(ty).trim_end()
}

/// Known facts of a function in the same module.
#[derive(Clone, Debug)]
pub(crate) struct Sibling {
    /// Which of its parameters are a constant `&mut`.
    pub(crate) constant_muts: Vec<bool>,
    /// It has a combined rule for callers: its result is a float, it takes no functions, and no `&mut` that isn't constant.
    pub(crate) combined: bool,
    /// It returns nothing.
    pub(crate) unit: bool,
}

/// The second half of a reverse rule: a closure. It may use every value and owned slot of the function's body (these are
/// its residuals); slots of reference parameters only where its own parameters bind them anew.
#[derive(Clone, Debug)]
pub(crate) struct Pullback {
    pub(crate) seed: Pattern,
    /// One for each parameter of the primal.
    pub(crate) params: Vec<Pattern>,
    pub(crate) body: Region,
    /// One for each parameter: the body's yield for it, or unit.
    pub(crate) results: Vec<Pattern>,
}

/// The type of a part of a value.
fn projected<'t>(ty: &'t Ty, proj: &Proj) -> Option<&'t Ty> {
    match (proj, ty) {
        (Proj::Index(_), list) => list.element(),
        (Proj::Range(..), list) => Some(list),
        (Proj::Field(syn::Member::Unnamed(k)), Ty::Tuple(ts)) => ts.get(k.index as usize),
        (Proj::Variant(name, _), Ty::Result(_, error))
            if name.segments.last().is_some_and(|last| last.ident == "Err") =>
        {
            Some(error)
        }
        (Proj::Variant(..), Ty::Option(t) | Ty::Result(t, _)) | (Proj::Deref, Ty::Boxed(t)) => {
            Some(t)
        }
        _ => None,
    }
}

/// The type of a part of a part, as far as it is known.
pub(crate) fn part_of<'t>(ty: &'t Ty, path: &[Proj]) -> Option<&'t Ty> {
    path.iter().try_fold(ty, projected)
}

impl Func {
    pub(crate) fn ty(&self, value: Value) -> &Ty {
        &self.values[value.0 as usize].ty
    }

    pub(crate) fn value(&self, value: Value) -> &ValueData {
        &self.values[value.0 as usize]
    }

    pub(crate) fn value_mut(&mut self, value: Value) -> &mut ValueData {
        &mut self.values[value.0 as usize]
    }

    pub(crate) fn slot(&self, slot: Slot) -> &SlotData {
        &self.slots[slot.0 as usize]
    }

    /// The type of a place, as far as it is known.
    pub(crate) fn place_ty(&self, place: &Place) -> Option<&Ty> {
        part_of(&self.slot(place.root).ty, &place.path)
    }

    /// How a clone of this type differs from the original. `None` if a type isn't declared in the file.
    pub(crate) fn clones_of(&self, ty: &Ty) -> Option<Clones> {
        match ty {
            Ty::Result(t, _) => self.clones_of(t),
            Ty::Named(_) | Ty::Inactive(_) => self.clones.get(base_name(&ty.to_string())).copied(),
            Ty::Deferred => None,
            ty => {
                let parts: Vec<_> = ty.parts().map(|t| self.clones_of(t)).collect();
                let worst = parts.iter().flatten().max().copied();
                match worst {
                    None | Some(Clones::Same) if !parts.iter().all(Option::is_some) => None,
                    worst => Some(worst.unwrap_or(Clones::Same)),
                }
            }
        }
    }

    /// True for each projection of a place that applies to a tangent of a type that only rustc can resolve.
    pub(crate) fn in_tangent(&self, place: &Place) -> Vec<bool> {
        let mut ty = Some(&self.slot(place.root).ty);
        let mut all = Vec::new();
        for proj in &place.path {
            let behind = match (proj, ty) {
                (Proj::At(..), Some(ty)) => Some(ty.unboxed()),
                _ => ty,
            };
            if matches!(behind, Some(Ty::Tangent(_))) {
                all.resize(place.path.len(), true); // so is everything in it
                break;
            }
            all.push(false);
            ty = ty.and_then(|ty| projected(ty, proj));
        }
        all
    }

    /// Returns `true` if the place is in a field of the tangent of a struct or variant. It has no tangent if that field is
    /// constant, which only rustc can tell. Views are only taken of arrays that are declared to be differentiated.
    pub(crate) fn is_in_field(&self, place: &Place) -> bool {
        let is_view = |proj: &Proj| matches!(proj, Proj::At(Lookup::View { .. }, _));
        self.slot(place.root).in_field
            || place.through_field()
                && self.in_tangent(place).contains(&true)
                && !place.path.iter().any(is_view)
    }

    /// Returns `true` if the callee is known to declare its parameter `k` as a constant `&mut`: it is the function itself, or one of the
    /// same module. For a combined rule of the callee, there has to be one.
    pub(crate) fn lends_constant(&self, call: &Call, k: usize, combined: bool) -> bool {
        let Callee::Path { path, .. } = &call.callee else {
            return false;
        };
        let Some(name) = function_name(path) else {
            return false;
        };
        if self.name == name && !self.associated && self.items.is_empty() {
            let param = self.params.get(k);
            return self.params.len() == call.args.len()
                && param.is_some_and(|param| param.constant && param.by == PassedBy::Mut);
        }
        let sibling = self.siblings.get(&name);
        sibling.is_some_and(|sibling| {
            let muts = &sibling.constant_muts;
            (sibling.combined || !combined) && muts.len() == call.args.len() && muts[k]
        })
    }

    /// True if a slot is a variable that the rules capture.
    pub(crate) fn is_captured(&self, slot: Slot) -> bool {
        self.params
            .iter()
            .any(|p| p.captured && matches!(p.pattern, Pattern::Slot(s) if s == slot))
    }

    /// Returns `true` if a method may write to its receiver in this slot. Only the callee knows how it takes the
    /// receiver, but a slot that can't be borrowed uniquely is safe.
    pub(crate) fn receiver_may_write(&self, slot: Slot) -> bool {
        let data = self.slot(slot);
        match data.kind {
            SlotKind::Owned => !data.frozen,
            SlotKind::Ref => false,
            SlotKind::RefMut => true,
        }
    }

    /// The value of an integer constant (of a negated one too).
    pub(crate) fn int_const(&self, value: Value) -> Option<i64> {
        match self.definition(value)? {
            OpKind::Const(Const::Int(digits)) => digits.replace('_', "").parse().ok(),
            OpKind::Unary(UnaryOp::Neg, a) => self.int_const(*a).map(|n| -n),
            _ => None,
        }
    }

    /// All values that are integer literals.
    pub(crate) fn integers(&self) -> Map<Value, i64> {
        let mut ints = Map::default();
        self.walk(&mut |op| {
            if let (OpKind::Const(Const::Int(digits)), [v]) = (&op.kind, &op.results[..])
                && let Ok(n) = digits.replace('_', "").parse()
            {
                ints.insert(*v, n);
            }
        });
        ints
    }

    /// The operation of the body whose only result the value is.
    fn definition(&self, value: Value) -> Option<&OpKind> {
        fn within(region: &Region, value: Value) -> Option<&OpKind> {
            region.ops.iter().find_map(|op| {
                let own = op.results == [value];
                let regions = || op.regions().into_iter();
                if own {
                    Some(&op.kind)
                } else {
                    regions().find_map(|region| within(region, value))
                }
            })
        }
        within(&self.body, value)
    }

    pub(crate) fn new_value(&mut self, ty: Ty, name: impl Into<String>, span: Span) -> Value {
        self.values.push(ValueData {
            ty,
            name: name.into(),
            span,
            maybe_reference: false,
            unordered: false,
            positive: false,
            constant: false,
        });
        Value(u32::try_from(self.values.len() - 1).unwrap_or(u32::MAX))
    }

    pub(crate) fn new_slot(&mut self, data: SlotData) -> Slot {
        self.slots.push(data);
        Slot(u32::try_from(self.slots.len() - 1).unwrap_or(u32::MAX))
    }
}

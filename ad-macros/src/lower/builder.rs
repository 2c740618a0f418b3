//! State that all of lowering shares: the function under construction, the operations of the current region, and the
//! current binding of each variable.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Ident, Span};
use quote::ToTokens;

use super::activity::Activity;
use super::expand_references;
use super::points_to::Choice;
use super::storage::Storage;
use crate::diagnostics::{Errors, Mark, error};
use crate::hir::{self, Expr, ExprId, Var};
use crate::ir::{
    Clones, Const, Func, Map, Op, OpKind, Pattern, Place, Region, Sibling, Slot, SlotData,
    SlotKind, Struct, Ty, Use, Value, base_name,
};
use crate::types::{Declared, Type, Types, from_written};

/// An error has been reported; code that depends on the result is skipped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failed;

pub(super) type Lowered<T> = Result<T, Failed>;

/// The binding of a variable.
#[derive(Clone, Debug)]
pub(super) enum Binding {
    Value(Value),
    /// A variable in memory; or, with `by_ref`, a name for a place.
    Place {
        place: Place,
        by_ref: bool,
    },
    /// Memory that isn't initialised yet, declared so many regions deep.
    Late {
        depth: usize,
    },
    /// An element that may be absent.
    Optional(super::checked_access::Optional),
    /// A list of references, and their targets.
    References(Vec<Place>),
    Closure(Box<super::function::Known>),
    /// Its definition has been rejected.
    Failed,
}

impl Binding {
    /// A variable in memory.
    pub(super) fn memory(place: Place) -> Self {
        let by_ref = false;
        Binding::Place { place, by_ref }
    }

    /// A name for a place.
    pub(super) fn reference(place: Place) -> Self {
        let by_ref = true;
        Binding::Place { place, by_ref }
    }
}

/// The result of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flow {
    Value(Value),
    Unit,
    /// Control doesn't come back.
    Never,
}

pub(super) struct Lowerer<'a> {
    pub(super) hir: &'a hir::Func,
    pub(super) types: &'a Types,
    pub(super) activity: &'a Activity,
    /// The call that a statement is made for: `f(x)` in `f(x).unwrap();`.
    pub(super) dropped: Option<ExprId>,
    /// The whole of that statement. Nothing reads its value.
    pub(super) statement: Option<ExprId>,
    pub(super) storage: &'a [Storage],
    pub(super) out: Func,
    /// The operations of the current region.
    pub(super) ops: Vec<Op>,
    pub(super) env: Vec<Option<Binding>>,
    /// How many regions are around this point.
    pub(super) depth: usize,
    pub(super) errors: Errors,
    /// Variables whose late initialisation has been rejected.
    pub(super) rejected: Vec<Var>,
    /// Names that the compiler has made for places which own their content.
    pub(super) owners: HashSet<Var>,
    /// Names for items that are references, as their uses tell.
    pub(super) lent: HashSet<Var>,
    /// Temporaries that hold the result of a call, which may be a reference into something else, with the call's name; and
    /// references into them.
    pub(super) borrow_sources: HashMap<Slot, String>,
    /// Results of verbatim code that may be references.
    pub(super) lent_values: HashSet<Value>,
    /// The targets of references that are variables of their own.
    pub(super) borrows: HashMap<Slot, Place>,
    /// The places of slots that alias one of two places.
    pub(super) choices: HashMap<Slot, Choice>,
    /// Placeholders for the targets of names that aren't bound yet.
    pub(super) nowhere: HashSet<Slot>,
    /// Variables that the body of the loop that is being entered may write.
    pub(super) written: HashSet<Var>,
    /// True if that body dereferences the items.
    pub(super) dereferenced: bool,
    /// Arrays that the loop which is being entered visits in an order of the library's.
    pub(super) unordered: Vec<Place>,
    /// Casts that are only compared.
    pub(super) compared: HashSet<ExprId>,
    /// The number of operations that have been inlined.
    pub(super) inlined: usize,
}

/// A function without a body.
pub(super) fn empty(func: &hir::Func) -> Func {
    Func {
        name: func.name.clone(),
        params: Vec::new(),
        output: func.output.clone(),
        values: Vec::new(),
        slots: Vec::new(),
        constants: crate::ir::Set::default(),
        body: Region::default(),
        result: Pattern::Unit,
        pullback: None,
        extra: Vec::new(),
        items: func.items.clone(),
        tested_names: func.tested_names.clone(),
        associated: func.self_ty.is_some(),
        siblings: siblings(func),
        structs: structs(func),
        enums: enums(func),
        clones: clones(func),
    }
}

/// The structs beside it.
fn structs(func: &hir::Func) -> Map<String, Struct> {
    let mut all = Map::default();
    for (name, own) in func.siblings.types().filter(|(_, own)| own.derived) {
        let lowered = own.fields.iter().map(|(member, ty)| {
            let ty = from_written(ty, &Declared::default())?.lower();
            Some((member.clone(), ty))
        });
        let fields: Vec<_> = lowered.flatten().collect();
        let whole = own.is_open() && fields.len() == own.fields.len();
        if !func.hidden_types.contains(name) && own.is_plain_struct() {
            let constants = own.constants().map(|(member, ty)| {
                let ty = ty.and_then(|ty| from_written(ty, &Declared::default()));
                (member.clone(), ty.map(|ty| ty.lower()))
            });
            let constants = constants.collect();
            let known = Struct {
                fields,
                constants,
                whole,
            };
            all.insert(name.clone(), known);
        }
    }
    let own = func
        .self_ty
        .as_ref()
        .map(|ty| ty.to_token_stream().to_string());
    if let Some(known) = own.and_then(|own| all.get(&own)).cloned() {
        all.insert("Self".to_owned(), known);
    }
    all
}

/// The enums beside it.
fn enums(func: &hir::Func) -> Map<String, Vec<(Ident, syn::Member, Ty)>> {
    let derived = func.siblings.types().filter(|(name, own)| {
        own.derived && !own.is_generic() && !func.hidden_types.contains(name)
    });
    let all = derived.map(|(name, own)| {
        let payloads = own.payloads().filter_map(|(variant, member, ty)| {
            let ty = from_written(ty, &Declared::default())?.lower();
            Some((variant.clone(), member.clone(), ty))
        });
        (name.clone(), payloads.collect())
    });
    all.collect()
}

/// The types beside it, and how their clones differ from the original.
fn clones(func: &hir::Func) -> Map<String, Clones> {
    let types = func.siblings.types();
    let known = types.filter(|(name, _)| !func.hidden_types.contains(name));
    let mut all: Map<_, _> = known
        .map(|(name, own)| (name.clone(), own.clones))
        .collect();
    let itself = func
        .self_ty
        .as_ref()
        .map(|ty| ty.to_token_stream().to_string());
    if let Some(known) = itself.and_then(|own| all.get(base_name(&own)).copied()) {
        all.insert("Self".to_owned(), known);
    }
    all
}

/// The functions beside it that are differentiable.
fn siblings(func: &hir::Func) -> Map<String, Sibling> {
    let declared = |name: &str| {
        let mut items = func.items.iter();
        items.any(|item| matches!(item, syn::Item::Fn(item) if item.sig.ident == name))
    };
    let types = Declared::with_aliases(func.siblings.aliases())
        .with_constants(func.hidden_types.constants());
    (func.siblings.differentiable())
        .filter(|(name, _)| !declared(name))
        .map(|(name, sig)| (name.to_owned(), hir::sibling(sig, &types)))
        .collect()
}

/// The name of a result: that of the function that returned it, unless a local can't have that name.
pub(super) fn hint(function: &str) -> String {
    let plain = function.starts_with(|c: char| c.is_ascii_lowercase());
    if plain && !function.starts_with("r#") {
        function.to_string()
    } else {
        "t".to_string()
    }
}

impl<'a> Lowerer<'a> {
    pub(super) fn new(
        hir: &'a hir::Func,
        types: &'a Types,
        activity: &'a Activity,
        storage: &'a [Storage],
    ) -> Self {
        Lowerer {
            hir,
            types,
            activity,
            dropped: None,
            statement: None,
            unordered: Vec::new(),
            compared: HashSet::new(),
            inlined: 0,
            storage,
            out: empty(hir),
            ops: Vec::new(),
            env: vec![None; hir.vars.len()],
            depth: 0,
            errors: Errors::default(),
            rejected: Vec::new(),
            owners: HashSet::new(),
            lent: HashSet::new(),
            borrow_sources: HashMap::new(),
            lent_values: HashSet::new(),
            borrows: HashMap::new(),
            choices: HashMap::new(),
            nowhere: HashSet::new(),
            written: HashSet::new(),
            dereferenced: false,
        }
    }

    pub(super) fn func(mut self) -> syn::Result<Func> {
        self.params();
        let hir = self.hir;
        let value = match self.block(&hir.body) {
            Ok(Flow::Value(value)) => Some(self.as_declared(value)),
            Ok(Flow::Never) => self.never(),
            // Rustc says that a value is missing, about the primal; one message is enough.
            Ok(Flow::Unit) if self.types.output.is_scalar() => self.never(),
            Ok(Flow::Unit) | Err(Failed) => None,
        };
        self.out.body.ops = std::mem::take(&mut self.ops);
        if let Some(value) = value {
            self.out.body.yields = vec![value];
            self.out.result = Pattern::Value(value);
        }
        if self.errors.is_empty() {
            expand_references::expand(&mut self.out, self.choices, &mut self.errors);
        }
        self.errors.finish(self.out)
    }

    /// A number of another type than is declared: rustc says so, about the primal; one message is enough.
    fn as_declared(&mut self, value: Value) -> Value {
        let (given, declared) = (self.out.ty(value).clone(), self.types.output.lower());
        let same = given.to_string() == declared.to_string();
        if same || !given.is_scalar() || !declared.is_scalar() {
            return value;
        }
        self.unreached(&[declared], self.hir.body.span)[0]
    }

    /// The result of a function that never comes to its end, so that it has the right type all the same.
    fn never(&mut self) -> Option<Value> {
        let (ty, span) = (self.types.output.lower(), self.hir.body.span);
        if matches!(ty, Ty::Unit) {
            return None;
        }
        if ty.is_scalar() {
            return self.unreached(&[ty], span).pop();
        }
        self.ops.pop_if(|op| matches!(op.kind, OpKind::Unreachable));
        Some(self.emit(OpKind::unreachable(), ty, "never", span))
    }

    // ---- Errors. -------------------------------------------------------------------------------------------------

    /// Reports an error.
    pub(super) fn reject<T>(
        &mut self,
        mark: impl Mark,
        message: impl std::fmt::Display,
        help: impl std::fmt::Display,
    ) -> Lowered<T> {
        self.errors.push(error(mark, message, help));
        Err(Failed)
    }

    // ---- Operations. ---------------------------------------------------------------------------------------------

    /// Emits an operation without results.
    pub(super) fn effect(&mut self, kind: OpKind, span: Span) {
        self.check_lender(&kind, span);
        if let OpKind::Borrow(alias, place) = &kind {
            self.borrows.insert(*alias, place.clone());
            let lent = self.out.slot(place.root).may_borrow;
            self.out.slots[alias.0 as usize].may_borrow |= lent;
        }
        if let OpKind::Init(slot, value) = &kind
            && self.lent_values.contains(value)
        {
            self.out.slots[slot.0 as usize].may_borrow = true;
        }
        self.ops.push(Op::new(kind, Vec::new(), span));
    }

    /// Emits an operation with one result.
    pub(super) fn emit(&mut self, kind: OpKind, ty: Ty, name: &str, span: Span) -> Value {
        self.check_lender(&kind, span);
        let borrows = ty.has_deferred() && self.may_borrow(&kind);
        let result = self.out.new_value(ty, name, span);
        if borrows {
            self.lent_values.insert(result);
        }
        self.ops.push(Op::new(kind, vec![result], span));
        result
    }

    /// Returns `true` if the result of an operation, of a type that only rustc can resolve, may be or contain a reference.
    fn may_borrow(&self, kind: &OpKind) -> bool {
        match kind {
            OpKind::Opaque { uses, .. } => uses.iter().any(|used| match used {
                Use::Value(_, value) => self.lent_values.contains(value),
                Use::Place { place, .. } => !self.out.slot(place.root).ty.is_scalar(),
            }),
            OpKind::Load(place) | OpKind::CloneOf(place) => self.out.slot(place.root).may_borrow,
            _ => false,
        }
    }

    pub(super) fn constant(&mut self, constant: Const, ty: Ty, span: Span) -> Value {
        self.emit(OpKind::Const(constant), ty, "c", span)
    }

    pub(super) fn index_constant(&mut self, n: usize, span: Span) -> Value {
        self.constant(Const::Int(n.to_string()), Ty::Int("usize"), span)
    }

    pub(super) fn boolean(&mut self, value: bool, span: Span) -> Value {
        self.constant(Const::Bool(value), Ty::Bool, span)
    }

    /// A slot that the compiler makes, holding `value`.
    pub(super) fn spill(&mut self, value: Value, span: Span) -> Place {
        let ty = self.out.ty(value).clone();
        let slot = self.slot(ty, SlotKind::Owned, "held", None, span);
        self.effect(OpKind::Init(slot, value), span);
        Place::whole(slot)
    }

    pub(super) fn slot(
        &mut self,
        ty: Ty,
        kind: SlotKind,
        name: &str,
        ident: Option<Ident>,
        span: Span,
    ) -> Slot {
        let name = name.to_string();
        self.out.new_slot(SlotData {
            ident,
            ..SlotData::new(ty, kind, name, span)
        })
    }

    /// Runs `f` on a region of its own. Bindings and assignments in it are discarded afterwards.
    pub(super) fn region<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> (Vec<Op>, T) {
        let outer = std::mem::take(&mut self.ops);
        let env = self.env.clone();
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        self.env = env;
        (std::mem::replace(&mut self.ops, outer), result)
    }

    // ---- Variables. ----------------------------------------------------------------------------------------------

    /// The type of an expression.
    pub(super) fn ty(&self, expr: &Expr) -> &'a Type {
        self.types.expr(expr.id)
    }

    pub(super) fn name(&self, var: Var) -> String {
        let name = self.hir.var(var).ident.to_string();
        name.strip_prefix("r#")
            .map_or_else(|| name.clone(), ToString::to_string)
    }

    /// A name for code that the compiler makes: no variable of the user's has it.
    pub(super) fn private(&self, name: &str) -> Ident {
        let mut text = name.to_string();
        while self.hir.vars.iter().any(|var| var.ident == text) {
            text.push('_');
        }
        Ident::new(&text, Span::mixed_site())
    }

    pub(super) fn bind(&mut self, var: Var, binding: Binding) {
        self.env[var.0 as usize] = Some(binding);
    }

    pub(super) fn bind_value(&mut self, var: Var, value: Value) {
        self.bind(var, Binding::Value(value));
    }

    pub(super) fn bind_reference(&mut self, var: Var, place: Place) {
        self.bind(var, Binding::reference(place));
    }

    pub(super) fn binding(&mut self, var: Var, span: Span) -> Lowered<Binding> {
        match &self.env[var.0 as usize] {
            Some(Binding::Failed) => Err(Failed),
            Some(binding) => Ok(binding.clone()),
            None => self.reject(
                span,
                format!("`{}` is used before it has a value", self.name(var)),
                "initialise it where it is declared",
            ),
        }
    }

    /// The value of a variable that is one.
    pub(super) fn current(&self, var: Var) -> Option<Value> {
        match self.env[var.0 as usize] {
            Some(Binding::Value(value)) => Some(value),
            _ => None,
        }
    }

    /// Calls a fresh value by its variable's name, for readable output.
    pub(super) fn call_it(&mut self, value: Value, var: Var, first_fresh: usize) {
        if value.0 as usize >= first_fresh {
            self.out.values[value.0 as usize].name = self.name(var);
        }
    }

    /// A slot for a user's variable, not initialised.
    pub(super) fn variable_slot(&mut self, var: Var, ty: Ty, kind: SlotKind) -> Slot {
        let data = self.hir.var(var);
        let ident = (!data.synthetic).then(|| data.ident.clone());
        let frozen = !data.mutable && !data.synthetic;
        let slot = self.slot(ty, kind, &self.name(var), ident, data.ident.span());
        let lent = !self.activity.is_varied(var) && self.types.var(var).peeled().lends_copies();
        let data = &mut self.out.slots[slot.0 as usize];
        data.frozen = frozen;
        data.may_borrow |= lent;
        slot
    }
}

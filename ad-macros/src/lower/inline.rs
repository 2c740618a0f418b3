//! Inlines functions and methods: the operations of a callee's own IR replace a call of it.
//!
//! Input: a call of a function or method whose body is in the crate, and its arguments, which have been evaluated. Output: the callee's result,
//! and its operations in the caller's current region.
//!
//! The callee is lowered by itself, in the scope of its module, a method as a function of its receiver. A parameter that is a reference aliases the
//! caller's place. A parameter that is a value is the argument's value, or a variable that is initialised with it.
//!
//! The method's expansion publishes a hash of its text, in an associated constant or in the trait with the operator's rules, and the
//! caller's checks compare it. Method resolution has to find this method: a local trait offers the same name for each form of a receiver
//! for which a trait's method would come first, so a trait of the user's makes an ambiguity. `a[i]` is inlined if `Index` and `IndexMut`
//! end in the same place; where their bodies differ, an update takes a `&mut` of the element. A method that may return references isn't
//! inlined, since its receiver may lead to a local variable of the caller.

use std::rc::Rc;

use proc_macro2::Span;
use quote::ToTokens;

use super::builder::{Lowered, Lowerer};
use crate::enclosing::{Indexing, Instance, MethodBody};
use crate::hir::{self, Expr, ExprKind};
use crate::ir::{
    Arg, Callee, Const, Func, Op, OpKind, Operator, OperatorKind, Pattern, Place, Proj, Region,
    Slot, SlotKind, Ty, Value,
};
use crate::paths::{function_name, type_name};
use crate::syntax::type_path;
use crate::types::{self, Type};

/// The longest method that is inlined, in operations.
const LONGEST: usize = 300;

/// How many operations may come into one function by inlining.
const MOST: usize = 3000;

/// How deep methods are inlined in each other.
const DEEPEST: usize = 6;

/// The caller's side of a parameter.
enum Bound {
    Value(Value),
    /// A variable of this value.
    Init(Value),
    /// A variable that is a copy of the place's content.
    Copy(Place),
    Place {
        place: Place,
        /// It is of another type than the parameter, which is a slice of it.
        sliced: bool,
    },
}

impl Lowerer<'_> {
    /// True if a call is of a method that can be inlined, unless an argument is of another type than its parameter.
    pub(super) fn may_inline(&self, call: &Expr) -> bool {
        let simple = || match &call.kind {
            ExprKind::Method { receiver, args, .. } => {
                self.is_simple(args) && receiver.root().is_some()
            }
            ExprKind::Call { args, .. } => self.is_simple(args),
            _ => false,
        };
        self.callee(call).is_some() && (self.touches(call) || simple())
    }

    /// The result of a call on these arguments, if it can be inlined.
    pub(super) fn inlined(&mut self, call: &Expr, args: &[Arg]) -> Option<Value> {
        let callee = self.callee(call)?;
        let exprs: Vec<&Expr> = match &call.kind {
            ExprKind::Method { receiver, args, .. } => {
                std::iter::once(&**receiver).chain(args).collect()
            }
            ExprKind::Call { args, .. } => args.iter().collect(),
            _ => return None,
        };
        if self.loses(&callee, &exprs) {
            return None;
        }
        let types: Vec<&Type> = exprs.into_iter().map(|arg| self.ty(arg)).collect();
        let ty = self.ty(call).lower();
        self.splice(&callee, args, &types, &ty, call.span)
    }

    /// The result of an operator that the file implements for these operands, if it can be inlined. The first of an assignment is `target`.
    pub(super) fn inlined_operator(
        &mut self,
        whole: &Expr,
        kind: OperatorKind,
        operands: &[&Expr],
    ) -> Lowered<Option<Value>> {
        let simple = |expr: &&Expr| expr.root().is_some() || self.ty(expr).is_scalar();
        if !self.touches(whole) && !operands.iter().all(simple) {
            return Ok(None);
        }
        let assigns = matches!(kind, OperatorKind::Assign(_));
        let mut types: Vec<&Type> = operands.iter().map(|expr| self.ty(expr)).collect();
        if assigns {
            types[0] = types[0].peeled();
        }
        let written: Option<Vec<_>> = types.iter().map(|ty| self.hir.written(ty)).collect();
        let Some(written) = written else {
            return Ok(None);
        };
        let Some(body) = (self.hir.siblings.overload(kind, &written))
            .and_then(|overload| overload.body.as_ref())
            .filter(|body| self.can_stand_here(body))
            .cloned()
        else {
            return Ok(None);
        };
        let key = format!("{kind:?} {}", written.join(", "));
        let Some(callee) = self.lowered_method(key, &body) else {
            return Ok(None);
        };
        if self.loses(&callee, operands) {
            return Ok(None);
        }
        let output = match callee.result {
            Pattern::Value(v) => callee.ty(v).clone(),
            _ => Ty::Unit,
        };
        let bare: Vec<&Type> = types.iter().map(|ty| ty.peeled()).collect();
        let mut args = Vec::new();
        for (k, operand) in operands.iter().enumerate() {
            args.push(if assigns && k == 0 {
                Arg::Mut(self.target(operand)?)
            } else if let Type::Ref(false, _) = self.ty(operand)
                && !bare[k].is_scalar()
            {
                Arg::Ref(self.reference(operand)?)
            } else {
                Arg::Value(self.operand(operand)?)
            });
        }
        if let Some(value) = self.splice(&callee, &args, &bare, &output, whole.span) {
            return Ok(Some(value));
        }
        let mut values = Vec::new();
        for (arg, ty) in args.iter().zip(&bare) {
            values.push(match arg {
                Arg::Value(value) => *value,
                arg => {
                    let place = arg
                        .place()
                        .cloned()
                        .unwrap_or_else(|| crate::diagnostics::bug!("no place"));
                    self.emit(OpKind::CloneOf(place), ty.lower(), "operand", whole.span)
                }
            });
        }
        let is_reference = |k: usize| matches!(types.get(k), Some(Type::Ref(..)));
        let refs = [is_reference(0), is_reference(1)];
        let callee = match kind {
            OperatorKind::Unary(op) => Callee::Unary {
                op,
                by_ref: refs[0],
            },
            OperatorKind::Binary(op) | OperatorKind::Assign(op) => Callee::Operator(Operator {
                op,
                refs,
                assign: assigns,
            }),
        };
        let ty = if assigns { bare[0].lower() } else { output };
        let active = self.touches(whole);
        let result = self.operator(callee, values, ty, active, whole.span)?;
        if let Some(Arg::Mut(target)) = args.first() {
            self.effect(OpKind::Store(target.clone(), result), whole.span);
        }
        Ok(Some(result))
    }

    /// `base[index]` of a type of the file, if its methods say where the element is.
    pub(super) fn part_at(
        &mut self,
        base: &Place,
        ty: &Type,
        index: &Expr,
    ) -> Lowered<Option<Place>> {
        let (Type::Named(own) | Type::Inactive(own)) = ty else {
            return Ok(None);
        };
        let indexing = self.hir.indexing(own).cloned();
        let Some(part) = indexing
            .as_ref()
            .and_then(|indexing| indexing.part.as_ref())
        else {
            return Ok(None);
        };
        let key = format!("{}[]", self.hir.named(own).to_token_stream());
        let callee = self
            .can_stand_here(&part.body)
            .then(|| self.lowered_method(key, &part.body));
        let Some(callee) = callee.flatten() else {
            return Ok(None);
        };
        let Pattern::Value(result) = callee.result else {
            return Ok(None);
        };
        let at = self.operand(index)?;
        let args = [Arg::Ref(base.clone()), Arg::Value(at)];
        let (types, output) = ([ty, self.ty(index)], callee.ty(result).clone());
        let Some(found) = self.splice(&callee, &args, &types, &output, index.span) else {
            return Ok(Some(
                base.extended(&[self.position(base, ty, at, index.span)]),
            ));
        };
        let positions = match output {
            Ty::Tuple(types) => {
                let positions: Vec<Value> = (types.into_iter())
                    .map(|ty| self.out.new_value(ty, "at", index.span))
                    .collect();
                self.ops.push(Op::new(
                    OpKind::Untuple(found),
                    positions.clone(),
                    index.span,
                ));
                positions
            }
            _ => vec![found],
        };
        let mut positions = positions.into_iter();
        let steps = part.steps.iter().filter_map(|step| match step {
            Some(member) => Some(Proj::Field(member.clone())),
            None => positions.next().map(Proj::Index),
        });
        let steps: Vec<Proj> = steps.collect();
        Ok(Some(base.extended(&steps)))
    }

    /// The IR of the method that is called, if it may be inlined.
    fn callee(&self, call: &Expr) -> Option<Rc<Func>> {
        if let ExprKind::Call { path, .. } = &call.kind
            && let Some(name) = function_name(path)
            && let Some(body) = self.hir.siblings.inlinable(&name)
        {
            let ruled = self.hir.inlining.as_ref()?.options.ruled_elsewhere();
            let fits = !ruled.contains(&name) && self.can_stand_here(body);
            return fits.then(|| self.lowered_method(name, body))?;
        }
        let (own, name) = match &call.kind {
            ExprKind::Method {
                receiver,
                name,
                turbofish: None,
                ..
            } => match self.ty(receiver).peeled() {
                Type::Named(own) | Type::Inactive(own) => (Rc::clone(own), name),
                _ => return None,
            },
            ExprKind::Call { path, .. } => {
                let (own, name) = hir::of_type(path)?;
                (Rc::new(own), name)
            }
            _ => return None,
        };
        let name = name.to_string();
        let body = self.hir.own(&own)?.own.body(&name)?;
        self.can_stand_here(body).then(|| {
            let key = format!("{}::{name}", self.hir.named(&own).to_token_stream());
            self.lowered_method(key, body)
        })?
    }

    /// True if a differentiated value is in a constant position, which is an error of the call.
    fn loses(&self, callee: &Func, args: &[&Expr]) -> bool {
        let mut params = callee.params.iter().zip(args);
        params.any(|(param, arg)| param.constant && self.touches(arg))
    }

    /// True if the names in a body mean the same here as in its module.
    fn can_stand_here(&self, body: &MethodBody) -> bool {
        let free = |name: &str| body.free.contains(name.trim_start_matches("r#"));
        let mut hidden = self.hir.hidden_types.iter();
        let mut constants = self.hir.constants.iter();
        let mut vars = self.hir.vars.iter().filter(|var| !var.synthetic);
        let ruled = self.hir.inlining.iter();
        let mut ruled = ruled.flat_map(|inlining| inlining.options.ruled_elsewhere());
        self.hir.items.is_empty()
            && !ruled.any(|name| free(&name))
            && !hidden.any(|name| free(name))
            && !constants.any(|(name, _)| free(name))
            && !vars.any(|var| free(&var.ident.to_string()))
    }

    /// The method's own IR.
    fn lowered_method(&self, key: String, body: &MethodBody) -> Option<Rc<Func>> {
        let inlining = self.hir.inlining.as_ref()?;
        if inlining.inside.contains(&key) || inlining.inside.len() >= DEEPEST {
            return None;
        }
        if let Some(made) = inlining.made.borrow().get(&key) {
            return made.clone();
        }
        let lower = || {
            let surroundings = hir::Surroundings {
                siblings: Some(&self.hir.siblings),
                ..hir::Surroundings::default()
            };
            let mut func =
                hir::parse(&body.sig, &body.block, &surroundings, &inlining.options).ok()?;
            let mut inside = inlining.inside.clone();
            inside.push(key.clone());
            func.inlining = Some(hir::Inlining {
                inside,
                ..inlining.clone()
            });
            let types = types::resolve(&func).ok()?;
            let func = super::lower(&func, &types).ok()?;
            is_movable(&func).then(|| Rc::new(func))
        };
        let made = lower();
        inlining.made.borrow_mut().insert(key, made.clone());
        made
    }

    /// The operations of a function on these arguments.
    fn splice(
        &mut self,
        callee: &Func,
        args: &[Arg],
        types: &[&Type],
        ty: &Ty,
        span: Span,
    ) -> Option<Value> {
        let output = match callee.result {
            Pattern::Value(v) => callee.ty(v),
            _ => &Ty::Unit,
        };
        if !self.same(output, ty) || callee.params.len() != args.len() {
            return None;
        }
        let mut size = 0;
        callee.body.walk(&mut |_| size += 1);
        if self.inlined + size > MOST {
            return None;
        }
        let mut bound = Vec::new();
        for (param, (arg, ty)) in callee.params.iter().zip(args.iter().zip(types)) {
            bound.push(self.bound(callee, &param.pattern, arg, ty)?);
        }
        self.inlined += size;
        let mut at = Renumbering {
            values: self.out.values.len(),
            slots: self.out.slots.len(),
            places: Vec::new(),
            same: Vec::new(),
        };
        for data in &callee.values {
            let mut data = data.clone();
            data.span = span;
            self.out.values.push(data);
        }
        for data in &callee.slots {
            let mut data = data.clone();
            data.span = span;
            self.out.slots.push(data);
        }
        for (param, bound) in callee.params.iter().zip(bound) {
            match (&param.pattern, bound) {
                (Pattern::Value(v), Bound::Value(given)) => at.same.push((at.value(*v), given)),
                (Pattern::Slot(s), Bound::Init(given)) => {
                    self.effect(OpKind::Init(at.slot(*s), given), span);
                }
                (Pattern::Slot(s), Bound::Copy(place)) => {
                    let ty = callee.slot(*s).ty.clone();
                    let given = self.emit(OpKind::Load(place), ty, "copy", span);
                    self.effect(OpKind::Init(at.slot(*s), given), span);
                }
                (Pattern::Slot(s), Bound::Place { place, sliced }) => {
                    at.places.push((at.slot(*s), place, sliced));
                }
                _ => crate::diagnostics::bug!("an argument of another form than its parameter"),
            }
        }
        let mut body = callee.body.clone();
        at.region(&mut body, span);
        for op in body.ops {
            if let OpKind::Borrow(alias, place) = &op.kind {
                self.borrows.insert(*alias, place.clone());
            }
            self.ops.push(op);
        }
        let constants = callee.constants.iter().map(|slot| at.slot(*slot));
        self.out.constants.extend(constants);
        for (name, sibling) in &callee.siblings {
            let siblings = &mut self.out.siblings;
            siblings
                .entry(name.clone())
                .or_insert_with(|| sibling.clone());
        }
        Some(match callee.result {
            Pattern::Value(v) => at.get(at.value(v)),
            _ => self.constant(Const::Unit, Ty::Unit, span),
        })
    }

    /// Binds a parameter to an argument, if the types are the same.
    fn bound(&self, callee: &Func, param: &Pattern, arg: &Arg, ty: &Type) -> Option<Bound> {
        let peeled = ty.peeled().lower();
        let s = match (param, arg) {
            (Pattern::Value(p), Arg::Value(v)) => {
                let fits = self.same(callee.ty(*p), self.out.ty(*v));
                return fits.then_some(Bound::Value(*v));
            }
            (Pattern::Slot(s), _) => *s,
            _ => return None,
        };
        let slot = callee.slot(s);
        let whole = self.same(&slot.ty, &peeled);
        match (slot.kind, arg) {
            (SlotKind::Owned, Arg::Value(v)) => self
                .same(&slot.ty, self.out.ty(*v))
                .then_some(Bound::Init(*v)),
            (SlotKind::Owned, Arg::Receiver(place)) if whole => Some(Bound::Copy(place.clone())),
            (SlotKind::Ref, Arg::Ref(place) | Arg::Receiver(place))
            | (SlotKind::RefMut, Arg::Mut(place) | Arg::Receiver(place)) => {
                let sliced = match (&slot.ty, &peeled) {
                    (Ty::Slice(wanted), Ty::Vec(given) | Ty::Array(given, _)) => {
                        self.same(wanted, given)
                    }
                    _ => false,
                };
                let plain =
                    |proj: &Proj| matches!(proj, Proj::Field(_) | Proj::Index(_) | Proj::Range(..));
                let fits = (whole || sliced) && place.path.iter().all(plain);
                let own = self.out.slot(place.root);
                (fits && !own.in_option && !own.may_borrow).then(|| Bound::Place {
                    place: place.clone(),
                    sliced,
                })
            }
            _ => None,
        }
    }

    /// True if two types are known, and are one.
    fn same(&self, a: &Ty, b: &Ty) -> bool {
        fn is_known(ty: &Ty) -> bool {
            match ty {
                Ty::Deferred | Ty::Tangent(_) | Ty::Rule | Ty::Tape | Ty::Function => false,
                ty => ty.parts().all(is_known),
            }
        }
        let text = |ty: &Ty| match ty {
            Ty::Named(ty) | Ty::Inactive(ty) => self.hir.named(ty).to_token_stream().to_string(),
            ty => ty.to_string(),
        };
        is_known(a) && is_known(b) && text(a) == text(b)
    }
}

/// From the callee's numbers to those of the caller.
struct Renumbering {
    /// The caller's number of the callee's first value.
    values: usize,
    slots: usize,
    /// The places that parameters alias, and whether the parameter is a slice of that.
    places: Vec<(Slot, Place, bool)>,
    same: Vec<(Value, Value)>,
}

impl Renumbering {
    fn value(&self, v: Value) -> Value {
        Value(v.0 + hir::index(self.values))
    }

    fn slot(&self, s: Slot) -> Slot {
        Slot(s.0 + hir::index(self.slots))
    }

    fn get(&self, v: Value) -> Value {
        let given = self.same.iter().find(|(param, _)| *param == v);
        given.map_or(v, |(_, given)| *given)
    }

    fn region(&self, region: &mut Region, span: Span) {
        for v in &mut region.params {
            *v = self.value(*v);
        }
        for op in &mut region.ops {
            self.op(op, span);
        }
        for v in &mut region.yields {
            *v = self.get(self.value(*v));
        }
    }

    fn op(&self, op: &mut Op, span: Span) {
        op.span = span;
        op.each_operand_mut(&mut |v| *v = self.get(self.value(*v)));
        op.each_region_mut(&mut |region| self.region(region, span));
        for v in &mut op.results {
            *v = self.value(*v);
        }
        if let OpKind::Init(s, _) | OpKind::Borrow(s, _) = &mut op.kind {
            *s = self.slot(*s);
        }
        let measures = matches!(op.kind, OpKind::Len(_));
        op.each_place_mut(&mut |place| {
            place.root = self.slot(place.root);
            let given = self.places.iter().find(|(s, ..)| *s == place.root);
            if let Some((_, given, sliced)) = given {
                let mut path = given.path.clone();
                if *sliced && !measures && place.path.is_empty() {
                    path.push(Proj::Range(None, None));
                }
                path.append(&mut place.path);
                *place = Place::new(given.root, path);
            }
        });
    }
}

/// True if the operations of a function may be inlined in another one.
fn is_movable(func: &Func) -> bool {
    let mut size = 0;
    let mut movable = !func.body.diverges();
    func.body.walk(&mut |op| {
        size += 1;
        // A call or the user's own code may return a reference into a parameter's place, which may be a local of the caller.
        movable &= match &op.kind {
            OpKind::Call(_) | OpKind::Opaque { .. }
                if op.results.iter().any(|v| func.ty(*v).may_be_reference()) =>
            {
                false
            }
            OpKind::CoercionSites(_) | OpKind::Coerce { .. } | OpKind::Unique(_) => false,
            OpKind::Call(call) => {
                !matches!(call.callee, Callee::Function(_))
                    && !call.args.iter().any(|arg| matches!(arg, Arg::Function(_)))
            }
            _ => true,
        };
    });
    movable && size <= LONGEST && !func.slots.iter().any(|slot| slot.may_borrow)
}

impl hir::Func {
    /// True of a generic type of the file by its name alone.
    pub(crate) fn lacks_arguments(&self, ty: &syn::Type) -> bool {
        let named = matches!(ty, syn::Type::Path(path) if path.path.get_ident().is_some_and(|name| name != "Self"));
        named && self.own(ty).is_some_and(|own| own.own.is_generic())
    }

    /// The fields and methods of a type that stands beside this function.
    pub(crate) fn own(&self, ty: &syn::Type) -> Option<Instance<'_>> {
        let path = type_path(types::written::ungrouped(self.named(ty)))?;
        let of = path.path.segments.last().filter(|_| path.qself.is_none())?;
        let name = type_name(&path.path)?;
        let hidden = self.hidden_types.contains(&name);
        let own = self.siblings.own(&name).filter(|_| !hidden)?;
        (own.takes_arguments() || of.arguments.is_none()).then(|| Instance::new(own, &of.arguments))
    }

    /// How a type that stands beside this function is indexed.
    pub(crate) fn indexing(&self, ty: &syn::Type) -> Option<&Rc<Indexing>> {
        self.own(ty)?;
        self.siblings
            .indexing(&self.named(ty).to_token_stream().to_string())
    }

    /// A known type of an operand, as it is written.
    pub(crate) fn written(&self, ty: &Type) -> Option<String> {
        Some(match ty {
            Type::F32 | Type::F64 | Type::Int(_) | Type::Bool => ty.lower().to_string(),
            Type::Named(ty) | Type::Inactive(ty) => self.named(ty).to_token_stream().to_string(),
            Type::Ref(false, ty) => format!("& {}", self.written(ty)?),
            _ => return None,
        })
    }

    /// A type, by its name where it is `Self`.
    pub(crate) fn named<'t>(&'t self, ty: &'t syn::Type) -> &'t syn::Type {
        match (types::written::ungrouped(ty), &self.self_ty) {
            (syn::Type::Path(path), Some(own)) if path.path.is_ident("Self") => own,
            _ => ty,
        }
    }
}

//! Regions and control flow, as statements.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};

use super::buffers::of_rows;
use super::expr::{annotation, at, prec, unpacked};
use super::{Emitter, Pending, has_effect};
use crate::diagnostics::{bug, looking_at};
use crate::enclosing::has_word;
use crate::ir::{Adapter, Capacity, Const, Op, OpKind, Range, Region, SlotKind, Ty, Value};

/// The longest expression, in operations.
const LONGEST: u32 = 7;

/// The use of a region's yields.
#[derive(Clone)]
pub(super) enum Tail {
    /// They are the block's value: nothing, one value, or a tuple.
    Value,
    /// They are assigned to variables. With `stop`, the first yield comes before these and leaves the loop if it is true.
    Assign { targets: Vec<Ident>, stop: bool },
}

impl Emitter<'_> {
    /// The statements of a region, and those for its `tail`.
    pub(super) fn region(&mut self, region: &Region, tail: &Tail) -> TokenStream {
        let mut out = TokenStream::new();
        let inherited = std::mem::take(&mut self.inherited);
        let merged = self.merges(region, tail);
        let count = region.ops.len() - usize::from(merged);
        for op in &region.ops[..count] {
            self.op(op, &mut out);
        }
        if merged {
            if let Some(op) = region.ops.last() {
                self.tail_branch(op, region, tail, &mut out);
            }
        } else if !region.diverges() {
            self.keep_buffers(inherited, region, &mut out);
            self.finish(&region.yields, tail, &mut out);
        }
        out
    }

    /// Returns `true` if the last operation is a branch that yields exactly the yields of the region, so that its sides
    /// can do the work of the region's tail.
    fn merges(&self, region: &Region, tail: &Tail) -> bool {
        let yielded_once = |r: &Value| {
            region.yields.iter().filter(|y| *y == r).count() == 1 && self.once.contains(*r)
        };
        matches!(tail, Tail::Assign { .. })
            && !region.yields.is_empty()
            && region.ops.last().is_some_and(|op| {
                matches!(op.kind, OpKind::If { .. }) && op.results.iter().all(yielded_once)
            })
    }

    /// The last branch of a region: each side assigns for itself.
    fn tail_branch(&mut self, op: &Op, region: &Region, tail: &Tail, out: &mut TokenStream) {
        let OpKind::If { cond, then, other } = &op.kind else {
            bug!("not a branch")
        };
        let cond = self.tokens(*cond);
        self.flush_all(out);
        let sides = [then, other].map(|side| {
            // The region's yields, with the branch's results replaced by the yields of this side.
            let mut side = side.clone();
            let own = std::mem::take(&mut side.yields);
            if !side.diverges() {
                side.yields = region
                    .yields
                    .iter()
                    .map(|y| {
                        op.results
                            .iter()
                            .position(|r| r == y)
                            .map_or(*y, |k| own[k])
                    })
                    .collect();
            }
            self.region(&side, tail)
        });
        out.extend(if_else(&cond, &sides));
    }

    /// Appends the statements for the yields.
    fn finish(&mut self, yields: &[Value], tail: &Tail, out: &mut TokenStream) {
        match tail {
            Tail::Value => {
                let values: Vec<TokenStream> = yields.iter().map(|y| self.tokens(*y)).collect();
                self.flush_all(out);
                if !values.is_empty() {
                    out.extend(one_or_tuple(&values));
                }
            }
            Tail::Assign { targets, stop } => {
                let stop = stop.then(|| yields.first().copied()).flatten();
                let rest = &yields[usize::from(stop.is_some())..];
                let fixed = stop.and_then(|s| match self.consts.get(&s) {
                    Some(Const::Bool(b)) => Some(*b),
                    _ => None,
                });
                let stop_tokens = match (stop, fixed) {
                    (Some(s), None) => Some(self.tokens(s)),
                    _ => None,
                };
                let mut assigned: Vec<(&Ident, Pending)> = Vec::new();
                for (target, y) in targets.iter().zip(rest) {
                    let pending = self.take(*y);
                    if *target != pending.tokens.to_string() {
                        assigned.push((target, pending));
                    }
                }
                self.flush_all(out);
                // The test reads values that this iteration computed, before anything is overwritten.
                let test = stop_tokens.map(|stop| {
                    if assigned.is_empty() {
                        return quote!(if #stop { break; });
                    }
                    let ident = self.names.fresh("stop");
                    out.extend(quote!(let #ident = #stop;));
                    quote!(if #ident { break; })
                });
                assign(&assigned, out);
                out.extend(test);
                if fixed == Some(true) {
                    out.extend(quote!(break;));
                }
            }
        }
    }

    /// Emits all pending expressions, in order.
    pub(super) fn flush_all(&mut self, out: &mut TokenStream) {
        for v in std::mem::take(&mut self.order) {
            self.settle_one(v, out);
        }
    }

    fn flush_reads(&mut self, out: &mut TokenStream) {
        for v in self.order.clone() {
            if self.pending.get(&v).is_some_and(|p| p.reads) {
                self.settle(v, out);
            }
        }
    }

    /// Binds a pending value to a variable.
    pub(super) fn settle(&mut self, v: Value, out: &mut TokenStream) {
        self.order.retain(|o| *o != v);
        self.settle_one(v, out);
    }

    /// Settles a pending value that reads memory, before that memory is borrowed.
    fn settle_reads(&mut self, v: Value, out: &mut TokenStream) {
        if self.pending.get(&v).is_some_and(|p| p.reads) {
            self.settle(v, out);
        }
    }

    /// `let last = v.len() - 1; v[last] = x;`: an index that reads the list is read before that is borrowed.
    fn settle_indices(&mut self, op: &Op, out: &mut TokenStream) {
        let (OpKind::Store(place, _) | OpKind::Replace(place, _) | OpKind::Accumulate(place, _)) =
            &op.kind
        else {
            return;
        };
        let (root, mut place) = (self.slot(place.root).to_string(), place.clone());
        place.each_value_mut(&mut |index| {
            let pending = self.pending.get(index);
            if pending.is_some_and(|p| p.reads && mentions(&p.tokens, &root)) {
                self.settle(*index, out);
            }
        });
    }

    fn settle_one(&mut self, v: Value, out: &mut TokenStream) {
        if self.pending.get(&v).is_some_and(|p| p.size != 0)
            && let Some(pending) = self.pending.remove(&v)
        {
            // The value of a result may not determine the type of the error.
            let name = if is_result(self.func.ty(v)) {
                self.typed_name(v)
            } else {
                self.name(v).to_token_stream()
            };
            let tokens = pending.tokens;
            out.extend(quote!(let #name = #tokens;));
        }
    }

    /// A new variable for a value.
    pub(super) fn name(&mut self, v: Value) -> Ident {
        let ident = self.names.fresh(&self.func.value(v).name);
        self.values.insert(v, ident.clone());
        ident
    }

    pub(super) fn names_of(&mut self, values: &[Value]) -> Vec<Ident> {
        values.iter().map(|v| self.name(*v)).collect()
    }

    /// A new variable with its type, where that is known: the result of verbatim code may need it.
    pub(super) fn typed_name(&mut self, v: Value) -> TokenStream {
        let ident = self.name(v);
        match annotation(self.func.ty(v), self.rt) {
            Some(ty) => quote!(#ident: #ty),
            None => quote!(#ident),
        }
    }

    /// Where pointers become pointers to trait objects, and the code that tells rustc which.
    fn sites(&mut self, op: &Op, region: &Region, out: &mut TokenStream) {
        let rt = self.rt;
        self.flush_all(out);
        let mut inside = TokenStream::new();
        for (site, param) in op.results.iter().zip(&region.params) {
            let target = annotation(self.func.ty(*param), rt).map(|ty| quote!(::<_, #ty>));
            let (site, param) = (self.name(*site), self.name(*param));
            out.extend(quote!(let #site = #rt::object::site #target ();));
            inside.extend(quote!(let #param = #site.never();));
        }
        if region.ops.is_empty() {
            return;
        }
        let code = self.region(region, &Tail::Value);
        out.extend(quote! {
            if false {
                #rt::object::never();
                #inside
                let _ = { #code };
            }
        });
    }

    /// Emits one operation.
    fn op(&mut self, op: &Op, out: &mut TokenStream) {
        looking_at(op.span);
        if let OpKind::Const(value) = &op.kind {
            let result = op.results[0];
            let pending = self.constant(value, self.func.ty(result));
            self.pending.insert(result, pending);
            self.consts.insert(result, value.clone());
            return;
        }
        self.learn_lengths(op);
        if op.results.iter().any(|v| self.left_out.contains(v)) {
            return;
        }
        // A method that takes `&mut self` borrows all of it: earlier reads must come before.
        let unique = self.borrows_by_a_method(op);
        if unique {
            self.flush_reads(out);
        }
        let is_expression = op.results.len() == 1 && !matches!(op.kind, OpKind::Untuple(_));
        if !has_effect(op) && is_expression {
            // A load of a type other than scalars may be a move: earlier reads must come before.
            if matches!(op.kind, OpKind::Load(_)) && !self.func.ty(op.results[0]).is_scalar() {
                self.flush_reads(out);
            }
            if let Some(pending) = self.pure(op) {
                let v = op.results[0];
                let inline = self.once.contains(v)
                    && !self.is_put_back(v)
                    && pending.size <= LONGEST
                    && !is_wide(&op.kind)
                    && !unique;
                self.pending.insert(v, pending);
                if inline {
                    self.order.push(v);
                } else {
                    self.settle(v, out);
                }
                return;
            }
            bug!("a pure operation without an expression")
        }
        self.effect(op, out);
    }

    fn effect(&mut self, op: &Op, out: &mut TokenStream) {
        let rt = self.rt;
        self.settle_indices(op, out);
        match &op.kind {
            OpKind::Untuple(v) => {
                let v = self.tokens(*v);
                let names = self.names_of(&op.results);
                out.extend(quote!(let (#(#names,)*) = #v;));
            }
            OpKind::Unpack {
                value,
                path,
                members,
            } => {
                let value = self.tokens(*value);
                self.flush_reads(out);
                let names = one_or_tuple(&self.names_of(&op.results));
                let parts = unpacked(&value, path, members);
                out.extend(quote!(let #names = #parts;));
            }
            OpKind::Init(slot, v) => {
                let value = self.tokens(*v);
                self.flush_reads(out);
                let data = self.func.slot(*slot).clone();
                let ident = self.slot(*slot);
                // Nothing else determines the type of an absent value, or of an error.
                let missing =
                    matches!(self.consts.get(v), Some(Const::None)) || is_result(&data.ty);
                let ty = annotation(&data.ty, self.rt).filter(|_| missing && !data.in_option);
                if let Some(ty) = ty {
                    out.extend(quote!(let mut #ident: #ty = #value;));
                    return;
                }
                out.extend(if data.in_option {
                    quote!(let mut #ident = ::core::option::Option::Some(#value);)
                } else {
                    quote!(let mut #ident = #value;)
                });
            }
            OpKind::Borrow(alias, place) => {
                let mutable = self.func.slot(*alias).kind == SlotKind::RefMut;
                let root = self.slot(place.root).to_string();
                let mut pending = self.pending.values();
                if mutable && pending.any(|p| p.reads && mentions(&p.tokens, &root)) {
                    // While the alias is in use, nothing else can read the place.
                    self.flush_reads(out);
                }
                let place = self.reference(place, mutable);
                let ident = self.slot(*alias);
                out.extend(quote!(let #ident = #place;));
            }
            OpKind::Ask { kind, of } => {
                self.flush_reads(out);
                let kind = self.tokens(*kind);
                out.extend(self.ask(&kind, of, op.span));
            }
            OpKind::Store(place, v) if self.holds_buffer(place) => {
                self.settle_reads(*v, out);
                let value = self.take(*v).tokens;
                let (root, keep) = (self.slot(place.root), of_rows(self.func.ty(*v), "keep"));
                self.flush_reads(out);
                out.extend(
                    quote!(#rt::workspace::#keep(::core::mem::replace(&mut #root, #value));),
                );
            }
            OpKind::Store(place, v) => {
                let value = self.take(*v);
                if place.path.is_empty() && self.func.slot(place.root).in_option {
                    // The old value may have been moved.
                    let (root, value) = (self.slot(place.root), value.tokens);
                    self.flush_reads(out);
                    out.extend(quote!(#root = ::core::option::Option::Some(#value);));
                    return;
                }
                if self.is_stored_by_reference(place) {
                    self.fields = true;
                    let (place, value) = (self.reference(place, true), value.tokens);
                    self.flush_reads(out);
                    out.extend(quote!(#rt::FieldShadow(#place).set(#value);));
                    return;
                }
                let slot = self.func.slot(place.root);
                if place.path.is_empty()
                    && slot.kind == SlotKind::RefMut
                    && matches!(slot.ty, Ty::Tangent(_) | Ty::Slice(_))
                {
                    // Its size need not be known.
                    let (place, value) = (self.reference(place, true), value.tokens);
                    self.flush_reads(out);
                    out.extend(quote!(#rt::Assign::assign(#place, #value);));
                    return;
                }
                let (place, value) = (self.target(place), value.tokens);
                self.flush_reads(out);
                out.extend(quote!(#place = #value;));
            }
            OpKind::Replace(replaced, v) => {
                self.settle_reads(*v, out);
                let value = self.tokens(*v);
                let place = self.reference(replaced, true);
                self.flush_reads(out);
                let ident = self.name(op.results[0]);
                out.extend(if self.func.is_in_field(replaced) {
                    self.fields = true;
                    quote!(let #ident = #rt::FieldShadow(#place).replace(#value);)
                } else {
                    quote!(let #ident = ::core::mem::replace(#place, #value);)
                });
            }
            OpKind::Swap(a, b) => {
                self.split(op, out);
                let (a, b) = (self.reference(a, true), self.reference(b, true));
                self.flush_reads(out);
                out.extend(quote!(::core::mem::swap(#a, #b);));
                self.parts.clear();
            }
            OpKind::Accumulate(place, v) => {
                if place.through_field() && self.func.is_in_field(place) {
                    self.fields = true;
                    self.settle_reads(*v, out);
                    let (value, place) = (self.tokens(*v), self.reference(place, true));
                    self.flush_reads(out);
                    out.extend(quote!(#rt::FieldShadow(#place).add(#value);));
                    return;
                }
                let ty = self.func.ty(*v);
                let float = ty.is_float();
                if !matches!(ty, Ty::F32 | Ty::F64) {
                    // Only primitive operands are read before the place is borrowed.
                    let root = self.slot(place.root).to_string();
                    let pending = self.pending.get(v);
                    if pending.is_some_and(|p| p.reads && mentions(&p.tokens, &root)) {
                        self.settle(*v, out);
                    }
                }
                let value = self.take(*v);
                let tokens = if float {
                    self.target(place)
                } else {
                    self.reference(place, true)
                };
                self.flush_reads(out);
                let negated =
                    value.prec == prec::UNARY && value.tokens.to_string().starts_with('-');
                let value = value.tokens;
                out.extend(match (float, negated) {
                    (true, true) => {
                        let value: TokenStream = value.into_iter().skip(1).collect();
                        quote!(#tokens -= #value;)
                    }
                    (true, false) => quote!(#tokens += #value;),
                    (false, _) => quote!(#rt::Tangent::accumulate(#tokens, &#value);),
                });
            }
            OpKind::AccumulatePlace { to, from } => {
                let (to, from) = (self.reference(to, true), self.reference(from, false));
                self.flush_reads(out);
                out.extend(quote!(#rt::Tangent::accumulate(#to, #from);));
            }
            OpKind::SetZero(place) => {
                let place = self.reference(place, true);
                self.flush_reads(out);
                out.extend(quote!(#rt::Tangent::set_zero(#place);));
            }
            OpKind::CoercionSites(region) => self.sites(op, region, out),
            OpKind::If { cond, then, other } => {
                let cond = self.tokens(*cond);
                self.flush_all(out);
                let sides = [then, other].map(|side| self.region(side, &Tail::Value));
                if op.results.is_empty() {
                    out.extend(if_else(&cond, &sides));
                    return;
                }
                let (names, [then, other]) = (one_or_tuple(&self.names_of(&op.results)), sides);
                out.extend(quote!(let #names = if #cond { #then } else { #other };));
            }
            OpKind::For {
                range,
                init,
                stop,
                body,
            } => {
                let outer = self.views.len();
                let reserved = self.reserved;
                if !*stop {
                    if reserved == 0 {
                        self.reserve(range, body, out);
                    }
                    self.reserved += 1;
                    self.views(range, body, out);
                }
                let range = self.range(range);
                let targets = self.carry(&body.params[1..], init, out);
                self.flush_all(out);
                let index = self.name(body.params[0]);
                let inner = self.region(
                    body,
                    &Tail::Assign {
                        targets: targets.clone(),
                        stop: *stop,
                    },
                );
                self.views.truncate(outer);
                self.reserved = reserved;
                self.carried_out(op, targets);
                out.extend(quote!(for #index in #range { #inner }));
            }
            OpKind::Sum { parts, body } => {
                let parts: Vec<TokenStream> = parts
                    .iter()
                    .map(|part| self.reference(part, false))
                    .collect();
                self.flush_all(out);
                let names = self.names_of(&body.params);
                let term = self.region(body, &Tail::Value);
                let sum = self.name(op.results[0]);
                out.extend(quote!(let #sum = #rt::sum([#(#parts),*], |[#(#names),*]| { #term });));
            }
            OpKind::Loop { init, body } => {
                let targets = self.carry(&body.params, init, out);
                self.flush_all(out);
                let inner = self.region(
                    body,
                    &Tail::Assign {
                        targets: targets.clone(),
                        stop: true,
                    },
                );
                self.carried_out(op, targets);
                out.extend(quote!(loop { #inner }));
            }
            OpKind::Call(call) if op.results.iter().any(|v| self.is_buffer(*v)) => {
                let list = op.results[0];
                let ty = self.func.ty(list).clone();
                let capacity = call.empty_list().flatten();
                let reads = capacity.is_some_and(|n| self.pending.get(&n).is_some_and(|p| p.reads));
                let tokens = self.empty_buffer(&ty, capacity);
                let empty = Pending {
                    reads,
                    ..Pending::atom(tokens)
                };
                self.pending.insert(list, empty);
                if self.once.contains(list) && !self.is_put_back(list) {
                    self.order.push(list);
                } else {
                    self.settle(list, out);
                }
            }
            OpKind::Call(_) | OpKind::ApplyPullback(_) | OpKind::Combined(_) => {
                self.any_call(op, out);
            }
            OpKind::Opaque { tokens, uses, .. } => self.opaque(op, tokens, uses, out),
            OpKind::NewTape(tape, capacity) => {
                let new = match capacity {
                    _ if self.func.slot(*tape).in_option => quote!(::core::option::Option::None),
                    Capacity::Known(n) if self.is_kept_tape(*tape) => {
                        let n = self.tokens(*n);
                        quote!(#rt::workspace::list(#n))
                    }
                    Capacity::Known(n) => {
                        let n = self.tokens(*n);
                        quote!(#rt::Vec::with_capacity(#n))
                    }
                    Capacity::Fixed(n) => {
                        let n = proc_macro2::Literal::usize_unsuffixed(*n);
                        quote!(#rt::FixedTape::<_, #n>::new())
                    }
                    Capacity::Unknown if self.is_kept_tape(*tape) => {
                        quote!(#rt::workspace::list(0))
                    }
                    Capacity::Unknown => quote!(#rt::Vec::new()),
                    Capacity::Runs => {
                        // A type that rustc would have to infer from what comes later costs it much more than one that it reads.
                        let entry = (self.runs.get(tape))
                            .and_then(|run| self.func.slot(*run).ty.element())
                            .and_then(|ty| super::expr::annotation(ty, rt));
                        match entry {
                            Some(entry) => quote!(#rt::RunTape::<#entry>::new()),
                            None => quote!(#rt::RunTape::new()),
                        }
                    }
                };
                let ident = self.slot(*tape);
                out.extend(quote!(let mut #ident = #new;));
            }
            OpKind::Run {
                run,
                tape,
                lo,
                hi,
                again,
            } => {
                let (lo, hi) = (self.tokens(*lo), self.tokens(*hi));
                self.flush_reads(out);
                let (tape, run) = (self.slot(*tape), self.slot(*run));
                let count = quote!(#rt::trips(#lo, #hi));
                out.extend(if *again {
                    quote!(let #run = #tape.again(#count);)
                } else {
                    quote!(let #run = #tape.run(#count);)
                });
            }
            OpKind::Push(tape, values) => {
                let values: Vec<TokenStream> = values.iter().map(|v| self.tokens(*v)).collect();
                self.flush_reads(out);
                let entry = one_or_tuple(&values);
                self.push(*tape, &entry, out);
            }
            OpKind::PushSlot(tape, slot) => {
                self.flush_reads(out);
                let slot = self.slot(*slot);
                self.push(*tape, &quote!(#slot), out);
            }
            OpKind::Pop(tape) => {
                let popped = self.pop(*tape);
                let entry = one_or_tuple(&self.names_of(&op.results));
                out.extend(quote!(let #entry = #popped;));
            }
            OpKind::PopSlot(tape, slot) => {
                let popped = self.pop(*tape);
                let ident = self.slot(*slot);
                out.extend(quote!(let mut #ident = #popped;));
            }
            OpKind::Unreachable => {
                self.flush_all(out);
                out.extend(quote!(::core::unreachable!();));
            }
            _ => bug!("a pure operation among effects"),
        }
    }

    fn push(&mut self, tape: crate::ir::Slot, v: &TokenStream, out: &mut TokenStream) {
        let single = self.func.slot(tape).in_option;
        let link = self.links.contains(&tape);
        let tape = self.slot(tape);
        out.extend(if link {
            quote!(let #tape = #v;)
        } else if single {
            quote!(#tape = ::core::option::Option::Some(#v);)
        } else {
            quote!(#tape.push(#v);)
        });
    }

    fn pop(&mut self, tape: crate::ir::Slot) -> TokenStream {
        let rt = self.rt;
        let single = self.func.slot(tape).in_option;
        let link = self.links.contains(&tape);
        let tape = self.slot(tape);
        if link {
            quote!(#tape)
        } else if single {
            quote!(#rt::take(&mut #tape))
        } else {
            quote!(#rt::pop(&mut #tape))
        }
    }

    /// Declares the variables that a loop carries.
    fn carry(&mut self, params: &[Value], init: &[Value], out: &mut TokenStream) -> Vec<Ident> {
        let starts: Vec<TokenStream> = init.iter().map(|v| self.tokens(*v)).collect();
        let mut targets = Vec::new();
        for (param, start) in params.iter().zip(starts) {
            let ident = self.name(*param);
            out.extend(quote!(let mut #ident = #start;));
            targets.push(ident);
        }
        targets
    }

    fn carried_out(&mut self, op: &Op, targets: Vec<Ident>) {
        for (r, ident) in op.results.iter().zip(targets) {
            self.values.insert(*r, ident);
        }
    }

    fn range(&mut self, range: &Range) -> TokenStream {
        let lo = self.take(range.lo).at_least(6);
        let hi = self.take(range.hi).at_least(6);
        let mut tokens = if range.inclusive {
            quote!(#lo..=#hi)
        } else {
            quote!(#lo..#hi)
        };
        for adapter in &range.adapters {
            tokens = match adapter {
                Adapter::Rev => quote!(::core::iter::Iterator::rev(#tokens)),
                Adapter::StepBy(k) => {
                    let k = self.tokens(*k);
                    quote!(::core::iter::Iterator::step_by(#tokens, #k))
                }
                // Only reverse mode asks for it, and has replaced the loop.
                Adapter::Checkpoint(_) => tokens,
            };
        }
        tokens
    }
}

/// Replaces `__rt`, by which lowering means the runtime, by its path.
pub(super) fn with_runtime(tokens: &TokenStream, rt: &TokenStream) -> TokenStream {
    tokens
        .clone()
        .into_iter()
        .flat_map(|tree| match tree {
            TokenTree::Ident(ident) if ident == "__rt" => at(ident.span(), rt),
            TokenTree::Group(group) => {
                let mut new = Group::new(group.delimiter(), with_runtime(&group.stream(), rt));
                new.set_span(group.span());
                TokenTree::Group(new).into()
            }
            other => other.into(),
        })
        .collect()
}

/// A branch that yields nothing.
fn if_else(cond: &TokenStream, [then, other]: &[TokenStream; 2]) -> TokenStream {
    match (then.is_empty(), other.is_empty()) {
        (_, true) => quote!(if #cond { #then }),
        (true, false) => quote!(if !(#cond) { #other }),
        (false, false) => quote!(if #cond { #then } else { #other }),
    }
}

pub(super) fn one_or_tuple(all: &[impl ToTokens]) -> TokenStream {
    match all {
        [one] => one.to_token_stream(),
        _ => quote!((#(#all),*)),
    }
}

/// Values that fill a line of their own.
fn is_wide(kind: &OpKind) -> bool {
    matches!(
        kind,
        OpKind::Select(..)
            | OpKind::ZeroLike(_)
            | OpKind::FieldTangent { .. }
            | OpKind::KindOf(_)
            | OpKind::Struct { .. }
            | OpKind::StructTangent { .. }
            | OpKind::Boxed(_)
            // Its tangent needs to know of it.
            | OpKind::Coerce { .. }
            | OpKind::ZeroOf(_)
            | OpKind::ZeroLeft(..)
            | OpKind::CloneOf(_)
            | OpKind::PushPlaceholder(_)
            | OpKind::Locate { .. }
    )
}

/// All assignments at once: a tuple where one reads a variable that another has overwritten.
fn assign(assigned: &[(&Ident, Pending)], out: &mut TokenStream) {
    let clash = assigned.iter().enumerate().any(|(k, (target, _))| {
        let (name, mut rest) = (target.to_string(), assigned[k + 1..].iter());
        rest.any(|(_, later)| mentions(&later.tokens, &name))
    });
    if clash {
        let targets = assigned.iter().map(|(t, _)| t);
        let values = assigned.iter().map(|(_, p)| &p.tokens);
        out.extend(quote!((#(#targets),*) = (#(#values),*);));
        return;
    }
    for (target, pending) in assigned {
        match &pending.compound {
            Some((name, sign, rest)) if *name == target.to_string() => {
                out.extend(quote!(#target #sign #rest;));
            }
            _ => {
                let tokens = &pending.tokens;
                out.extend(quote!(#target = #tokens;));
            }
        }
    }
}

fn mentions(tokens: &TokenStream, name: &str) -> bool {
    has_word(tokens.clone(), &|word| word == name)
}

fn is_result(ty: &Ty) -> bool {
    match ty {
        Ty::Tangent(of) => is_result(of),
        ty => matches!(ty, Ty::Result(..)),
    }
}

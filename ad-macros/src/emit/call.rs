//! Calls of functions and of their rules, and of pullbacks.
//!
//! The *mode* of an argument tells how the callee takes it: `modes.0.dual(x, x_dot)`. Modes have no size.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::Member;

use super::expr::{annotation, at, lanes, prec, primitive};
use super::function::Form;
use super::signature::is_wide;
use super::{Emitter, Pending, operators};
use crate::diagnostics::bug;
use crate::ir::{
    ApplyPullback, Arg, Call, Callee, Op, OpKind, Place, Proj, PullArg, Rule, SlotKind, Ty, Value,
};

impl Emitter<'_> {
    /// Calls of functions, of their rules, and of pullbacks.
    pub(super) fn any_call(&mut self, op: &Op, out: &mut TokenStream) {
        self.flush_all(out);
        let shared = self.share_functions(op, out);
        match &op.kind {
            OpKind::Call(call) => self.call(op, call, out),
            OpKind::ApplyPullback(apply) => self.apply(op, apply, out),
            OpKind::Combined(call) => self.combined_call(op, call, out),
            _ => bug!("not a call"),
        }
        shared.iter().for_each(|slot| {
            self.cells.remove(slot);
        });
        self.parts.clear();
    }

    fn call(&mut self, op: &Op, call: &Call, out: &mut TokenStream) {
        match call.rule {
            Rule::Primal | Rule::Active => self.primal_call(op, call, out),
            _ if call.callee.is_operator() => self.operator_rule(op, call, out),
            Rule::Frule if is_wide(self.func) => self.wide_call(op, call, out),
            Rule::Rrule => self.rrule_call(op, call, out),
            Rule::Frule | Rule::RruleFrule => self.dual_call(op, call, out),
        }
    }

    fn primal_call(&mut self, op: &Op, call: &Call, out: &mut TokenStream) {
        let rt = self.rt;
        self.split(op, out);
        let mut args: Vec<Pending> = call.args.iter().map(|a| self.primal_arg(a)).collect();
        self.flush_all(out);
        for (k, by_reference) in &call.views {
            args[*k].tokens = view(rt, &args[*k].tokens, *by_reference);
        }
        let mut args = args.into_iter();
        let tokens = match &call.callee {
            Callee::Path { path, .. } => {
                let args = args.map(|a| a.tokens);
                match self.array_function(&path.path) {
                    Some(module) => quote!(#module::call(#(#args),*)),
                    None => quote!(#path(#(#args),*)),
                }
            }
            Callee::Method { name, turbofish } => {
                if crate::ir::RUNTIME_METHODS.iter().any(|own| name == own) {
                    self.probes.insert((unraw(name), call.args.len() - 1));
                }
                let mut receiver = args.next().map(|a| a.at_least(prec::ATOM));
                if let (true, Some(place)) = (call.clone_receiver, call.args[0].place()) {
                    self.imports.insert("probe::KeepByRef");
                    let place = self.reference(place, true);
                    receiver = Some(quote!(#rt::probe::Keep(#place).kept()));
                }
                let args = args.map(|a| a.tokens);
                quote!(#receiver.#name #turbofish(#(#args),*))
            }
            Callee::Operator(operator) => {
                let (Some(a), Some(b)) = (args.next(), args.next()) else {
                    bug!("an operator without operands")
                };
                operators::primal(*operator, a, b)
            }
            Callee::Unary { op, by_ref } => {
                let a = args.next().map(|a| a.at_least(prec::ATOM));
                operators::unary(*op, *by_ref, &quote!(#a))
            }
            Callee::Function(_) => bug!("a function parameter without its rule"),
            Callee::Cast => {
                let ty = self.func.ty(op.results[0]);
                let to = primitive(ty);
                let a = args.next().map(|a| a.at_least(prec::CAST));
                if ty.is_float() {
                    quote!(#a as #to)
                } else {
                    let whole = Ident::new("whole", Span::mixed_site());
                    quote!({ let #whole = #a; #rt::inactive_value(&#whole); #whole as #to })
                }
            }
        };
        let tokens = at(self.call_span(op, &call.callee), &tokens);
        match op.results.first() {
            // It is dropped at once, as the user's is.
            Some(r) if call.dropped && call.rule == Rule::Primal && !self.read.contains(*r) => {
                out.extend(quote!(#tokens;));
            }
            Some(r) => {
                let ident = self.typed_name(*r);
                out.extend(quote!(let #ident = #tokens;));
            }
            None => out.extend(quote!(#tokens;)),
        }
    }

    fn primal_arg(&mut self, arg: &Arg) -> Pending {
        match arg {
            Arg::Value(v) => self.take(*v),
            Arg::Ref(p) | Arg::Mut(p) => Pending {
                prec: prec::UNARY,
                ..Pending::atom(self.reference(p, arg.is_unique()))
            },
            Arg::Receiver(p) => Pending::atom(self.place(p, false)),
            Arg::Function(_) => bug!("a function that is passed on without its rule"),
        }
    }

    /// Where the callee's modes come from.
    fn modes(&mut self, call: &Call, results: &[Value], out: &mut TokenStream) -> Ident {
        let rt = self.rt;
        let ident = match results {
            [] => self.names.fresh("modes"),
            [.., modes] => self.name(*modes),
        };
        let tokens = match &call.callee {
            Callee::Path { path, associated } => {
                let mut path = path.clone();
                if call.is_functional() {
                    super::function::without_inferred(&mut path);
                }
                let path = self.rule_path(&path, *associated, "modes");
                quote!(#path())
            }
            Callee::Method { name, turbofish } => {
                let method = format_ident!("__{}_modes", unraw(name), span = name.span());
                let Some(place) = call.args[0].place() else {
                    bug!("a receiver by value")
                };
                let receiver = self.reference(place, false);
                self.probes.insert((unraw(name), call.args.len() - 1));
                quote!(#rt::probe::Peel(#receiver).peel().peel().0.#method #turbofish ())
            }
            Callee::Function(slot) => self.function_modes(*slot),
            _ => quote!(()),
        };
        out.extend(quote!(let #ident = #tokens;));
        ident
    }

    /// An argument that may be a reference is kept by its mode, if the callee takes it as one: the reverse half passes it again.
    ///
    /// ```text
    /// let modes = (modes.0, modes.1.keep(&row));
    /// ```
    fn keep_open(&mut self, call: &Call, modes: &Ident, dual: bool, out: &mut TokenStream) {
        if matches!(call.callee, Callee::Function(_))
            || !call.args.iter().any(|a| self.may_be_reference(a))
        {
            return;
        }
        let mut held = Vec::new();
        for (k, arg) in call.args.iter().enumerate() {
            let mode = Member::from(k);
            let mode = quote!(#modes.#mode);
            held.push(match (arg, call.tangents.get(k).and_then(Option::as_ref)) {
                (Arg::Value(v), dot) if self.may_be_reference(arg) => {
                    let x = self.tokens(*v);
                    match dot {
                        Some(Arg::Value(dot)) => {
                            let dot = self.tokens(*dot);
                            quote!(#mode.keep_dual(&#x, &#dot))
                        }
                        _ if dual => quote!(#mode.keep_inactive(&#x)),
                        _ => quote!(#mode.keep(&#x)),
                    }
                }
                _ => mode,
            });
        }
        out.extend(quote!(let #modes = (#(#held,)*);));
    }

    /// An argument that may be a reference, and is used again, isn't moved: the mode has a copy, unless it is a value that is `Copy`.
    fn again(&self, arg: &Arg, tokens: TokenStream, mode: &TokenStream) -> TokenStream {
        let Arg::Value(v) = arg else { return tokens };
        if !self.may_be_reference(arg) {
            return tokens;
        }
        let mut uses = 0;
        self.func.body.walk(&mut |op| {
            uses += op.operands().iter().filter(|used| *used == v).count();
        });
        if uses > 1 {
            quote!(#mode.again(&#tokens))
        } else {
            tokens
        }
    }

    fn may_be_reference(&self, arg: &Arg) -> bool {
        matches!(arg, Arg::Value(v) if self.func.value(*v).maybe_reference)
    }

    /// All that the call reads gets a variable: it may be written out twice.
    pub(super) fn settle_operands(&mut self, op: &Op, out: &mut TokenStream) {
        self.flush_all(out);
        for v in op.operands() {
            self.settle(v, out);
        }
        self.split(op, out);
    }

    fn rrule_call(&mut self, op: &Op, call: &Call, out: &mut TokenStream) {
        self.settle_operands(op, out);
        let modes = self.modes(call, &op.results, out);
        self.keep_open(call, &modes, false, out);
        let mut args: Vec<TokenStream> = Vec::new();
        for (k, arg) in call.args.iter().enumerate() {
            let mode = Member::from(k);
            args.push(match arg {
                Arg::Function(function) => self.function(function, Form::Split).tokens,
                arg => {
                    let tokens = self.primal_arg(arg).tokens;
                    let tokens = self.again(arg, tokens, &quote!(#modes.#mode));
                    quote!(#modes.#mode.pass(#tokens))
                }
            });
        }
        if matches!(call.callee, Callee::Method { .. }) {
            args.remove(0);
        }
        let tokens = self.called_rule(call, &modes, "rrule", &args);
        let pattern = self.rule_results(op, call.rule);
        let tokens = at(self.call_span(op, &call.callee), &tokens);
        out.extend(quote!(let #pattern = #tokens;));
    }

    /// The pattern of what a rule returns.
    fn rule_results(&mut self, op: &Op, rule: Rule) -> TokenStream {
        let rt = self.rt;
        let names = self.names_of(&op.results[..if rule == Rule::RruleFrule { 3 } else { 2 }]);
        match &names[..] {
            [y, y_dot] if rule == Rule::Frule => quote!(#rt::Dual(#y, #y_dot)),
            [y, y_dot, pullback] => quote!((#rt::Dual(#y, #y_dot), #pullback)),
            _ => quote!((#(#names),*)),
        }
    }

    /// The call of a function's or a method's rule. Of a method `args` are all but the receiver.
    fn called_rule(
        &mut self,
        call: &Call,
        modes: &Ident,
        rule: &str,
        args: &[TokenStream],
    ) -> TokenStream {
        match &call.callee {
            Callee::Path { path, associated } => {
                let target = self.rule_path(path, *associated, rule);
                quote!(#target(#(#args),*))
            }
            Callee::Function(slot) => {
                let function = self.called(*slot);
                quote!(#function((#(#args,)*)))
            }
            Callee::Method { name, turbofish } => {
                self.method_rule(call, name, turbofish.as_ref(), modes, rule, args)
            }
            _ => bug!("an operator among calls"),
        }
    }

    /// The rule of a method, if there is one; else the method itself, if its result has no tangent. Which receiver the
    /// rule takes, the mode knows. `args` are all but the receiver; for dual rules its tangent is the first.
    fn method_rule(
        &mut self,
        call: &Call,
        name: &Ident,
        turbofish: Option<&TokenStream>,
        modes: &Ident,
        rule: &str,
        args: &[TokenStream],
    ) -> TokenStream {
        let Some(place) = call.args[0].place() else {
            bug!("a receiver by value")
        };
        let slot = self.func.slot(place.root);
        let receiver = if slot.in_option && place.path.is_empty() {
            let root = self.slot(place.root);
            quote!(#modes.0.receiver(&mut #root))
        } else if !call.clone_receiver && self.is_shared(place, arg_places(&call.args[1..])) {
            let place = self.reference(place, false);
            quote!(#modes.0.receiver_shared(#place))
        } else {
            let place = self.reference(place, true);
            quote!(#modes.0.receiver_unique(#place))
        };
        let method = format_ident!("__{}_{}", unraw(name), rule, span = name.span());
        // The method itself can't be called with the rules of functions, and only a rule can differentiate its effects on an active argument.
        let only_rule = match (call.is_functional(), call.dropped) {
            (true, _) => Some(format_ident!("or_missing_{rule}")),
            (false, true) => Some(format_ident!("or_dropped_{rule}")),
            (false, false) => None,
        };
        if let Some(fallback) = only_rule {
            return quote!(#receiver.#method #turbofish(#(#args),*).#fallback());
        }
        let fallback = match rule {
            "rrule" => format_ident!("or_inactive"),
            // A number that a method makes of a number has a derivative, even if it is an integer.
            "frule" if place.path.is_empty() && slot.ty.is_float() => {
                format_ident!("or_ruleless_frule")
            }
            rule => format_ident!("or_inactive_{rule}"),
        };
        let shared = self.reference(place, false);
        let views = &call.views;
        let names: Vec<Ident> = (1..call.args.len())
            .map(|k| Ident::new(&format!("a{k}"), Span::mixed_site()))
            .collect();
        let this = Ident::new("this", Span::mixed_site());
        let call = Ident::new("method", Span::mixed_site());
        // The function itself calls the method on the number, too, so that rustc reports a method that doesn't exist once.
        let of = match &slot.ty {
            ty @ (Ty::F32 | Ty::F64) if place.path.is_empty() => {
                let (rt, ty) = (self.rt, primitive(ty));
                quote!(#rt::probe::ToNumber::<#ty>::to_number(#this))
            }
            _ => quote!(#this),
        };
        let rt = self.rt;
        let passed = names.iter().zip(1..).map(|(name, k)| {
            let view_of = views.iter().find(|(view, _)| *view == k);
            view_of.map_or_else(
                || quote!(#name),
                |(_, by_reference)| view(rt, name, *by_reference),
            )
        });
        let primal = quote!(#modes.0.method(#shared, &#modes, |#this, (#(#names,)*)| #of.#name #turbofish(#(#passed),*)));
        // The closure is made first: it is only typed, and a receiver that is moved by the rule must still be there for that.
        quote!({
            let #call = #primal;
            #receiver.#method #turbofish(#(#args),*).#fallback(|| #shared, #call)
        })
    }

    /// Items that replace the tangent of a constant field, which has no fields of its own.
    fn stand_ins(&self) -> TokenStream {
        let rt = self.rt;
        let mut items = TokenStream::new();
        let ident = |name| Ident::new(name, Span::mixed_site());
        if !self.inside.named.is_empty() {
            let name = ident("__Named");
            let fields = self.inside.named.iter().map(|field| {
                let name = field.strip_prefix("r#").unwrap_or(field);
                syn::parse_str(field).unwrap_or_else(|_| Ident::new_raw(name, Span::call_site()))
            });
            items.extend(quote! {
                #[derive(::core::default::Default)]
                struct #name { #(#fields: #rt::NoTangent,)* }
            });
        }
        if self.inside.unnamed > 0 {
            let name = ident("__Unnamed");
            let fields = (0..self.inside.unnamed).map(|_| quote!(#rt::NoTangent));
            items.extend(quote! {
                #[derive(::core::default::Default)]
                struct #name(#(#fields),*);
            });
        }
        if !self.inside.payloads.is_empty() {
            let name = ident("__Payloads");
            let shared = self.inside.payloads.iter().map(|[shared, _]| shared);
            let mutable = self.inside.payloads.iter().map(|[_, mutable]| mutable);
            items.extend(quote! {
                trait #name {
                    #(#[inline(always)] fn #shared(&self) -> &Self { self })*
                    #(#[inline(always)] fn #mutable(&mut self) -> &mut Self { self })*
                }
                impl #name for #rt::NoTangent {}
            });
        }
        items
    }

    /// Returns `true` if functions of types are called, whose rules may be those of a trait of the runtime.
    fn calls_associated(&self) -> bool {
        self.func.body.any(&mut |op| match &op.kind {
            OpKind::Call(call) => {
                matches!(call.callee, Callee::Path { associated, .. } if associated)
            }
            _ => false,
        })
    }

    /// Items that probes need: the traits of the runtime, and for each method, traits that answer where there is no rule.
    pub(super) fn probe_items(&self) -> TokenStream {
        let rt = self.rt;
        let mut fields = self.stand_ins();
        if self.fields {
            fields.extend(quote!(use #rt::{AnyField as _, AnyFieldTangent as _, AnyInside as _, AnyKind as _, AnyLent as _, mode::Stores as _};));
        }
        for path in &self.imports {
            let Ok(path) = syn::parse_str::<syn::Path>(path) else {
                bug!("no path")
            };
            fields.extend(quote!(use #rt::#path as _;));
        }
        if self.indexes {
            fields.extend(quote! {
                use #rt::index::{AnyWhole as _, AnyWholeMut as _, AtByRules as _, AtMutByRules as _, AtNowhere as _};
            });
        }
        fields.extend(self.lookup_items());
        if self.calls_associated() || self.takes_views || !self.probes.is_empty() {
            fields.extend(quote!(use #rt::libraries::rules::*;));
        }
        if self.probes.is_empty() {
            return quote!(#fields);
        }
        let mut traits = TokenStream::new();
        for (method, count) in &self.probes {
            let modes = format_ident!("__Modes_{method}_{count}");
            let rules = format_ident!("__Rules_{method}_{count}");
            let absent = std::iter::repeat_n(quote!(#rt::mode::Absent), count + 1);
            let values = std::iter::repeat_n(quote!(#rt::mode::absent()), count + 1);
            let of = |rule: &str| format_ident!("__{method}_{rule}");
            let (of_modes, of_frule, of_rrule, of_second) =
                (of("modes"), of("frule"), of("rrule"), of("rrule_frule"));
            let types: Vec<Ident> = (1..=*count).map(|k| format_ident!("A{k}")).collect();
            let args: Vec<Ident> = (1..=*count)
                .map(|k| Ident::new(&format!("a{k}"), Span::mixed_site()))
                .collect();
            let answer = quote!(#rt::probe::NoRule<(#(#types,)*)>);
            let give = quote!(#rt::probe::NoRule::new((#(#args,)*)));
            traits.extend(quote! {
                trait #modes {
                    #[inline(always)]
                    fn #of_modes(&self) -> (#(#absent,)*) { (#(#values,)*) }
                }
                impl<T: ?::core::marker::Sized> #modes for &T {}
                trait #rules: ::core::marker::Sized {
                    #[inline(always)]
                    fn #of_rrule<#(#types),*>(self, #(#args: #types),*) -> #answer { #give }
                    #[inline(always)]
                    fn #of_frule<S, #(#types),*>(self, _: S, #(#args: #types),*) -> #answer { #give }
                    #[inline(always)]
                    fn #of_second<S, #(#types),*>(self, _: S, #(#args: #types),*) -> #answer { #give }
                }
                impl #rules for #rt::probe::NoReceiver {}
            });
        }
        quote! {
            #fields
            use #rt::mode::CopyReceiver as _;
            use #rt::probe::{
                CloneFromRules as _, CloneRules as _, CopyRules as _, DequeCloneRules as _, DequeListRules as _, DequeRules as _, FloatRules as _, HasOnlyRule as _, HasRule as _, IntoDeque as _, IntoList as _, ListRules as _, NoPeel as _, PeelObject as _, PeelPointer as _, OptionChoiceRules as _,
                OptionCloneRules as _, OptionDefaultRules as _, OptionFlattenRules as _, OptionRules as _, OptionZipRules as _, ResultDefaultRules as _, ResultRules as _, SliceCloneRules as _, SliceRules as _,
                ToOwnedRules as _, ToVecRules as _, VecCloneRules as _, VecDropRules as _, VecRules as _,
            };
            #traits
        }
    }

    /// `frule` in several directions.
    fn wide_call(&mut self, op: &Op, call: &Call, out: &mut TokenStream) {
        let (rt, lanes) = (self.rt, lanes());
        let Callee::Path { path, associated } = &call.callee else {
            bug!("a rule in several directions of something else than a function")
        };
        self.settle_operands(op, out);
        let modes = self.modes(call, &[], out);
        let mut args = Vec::new();
        for (k, (arg, dot)) in call.args.iter().zip(&call.tangents).enumerate() {
            let mode = Member::from(k);
            let mode = quote!(#modes.#mode);
            args.push(match (arg, dot) {
                (Arg::Value(x), Some(Arg::Value(dot))) => {
                    let (x, dot) = (self.tokens(*x), self.tokens(*dot));
                    quote!(#mode.wide(#x, #dot))
                }
                (Arg::Value(x), _) => {
                    let x = self.tokens(*x);
                    quote!(#mode.inactive_wide::<#lanes>(#x))
                }
                (Arg::Ref(p) | Arg::Mut(p), Some(Arg::Ref(dot) | Arg::Mut(dot))) => {
                    let mutable = matches!(arg, Arg::Mut(_));
                    let dot = self.lent(p, dot, mutable, out);
                    let p = self.reference(p, mutable);
                    quote!(#mode.wide(#p, #dot))
                }
                (Arg::Ref(p) | Arg::Mut(p), _) => {
                    let zero = self.temporary(p, &quote!(#mode.zero_wide::<#lanes>), out);
                    let p = self.reference(p, matches!(arg, Arg::Mut(_)));
                    quote!(#mode.inactive_wide::<#lanes>(#p, &mut #zero))
                }
                _ => bug!("an argument that has no rule in several directions"),
            });
        }
        let target = self.rule_path(path, *associated, "frule_wide");
        let types = [0, 1].map(|k| {
            let ty = annotation(self.func.ty(op.results[k]), rt);
            ty.unwrap_or_else(|| quote!(_))
        });
        let (y, y_dot) = (self.name(op.results[0]), self.name(op.results[1]));
        let tokens = at(op.span, &quote!(#target(#(#args),*)));
        out.extend(quote!(let #rt::Dual(#y, #y_dot): #rt::Dual<#(#types),*> = #tokens;));
    }

    /// `frule`, and `rrule_frule`, which takes the same.
    fn dual_call(&mut self, op: &Op, call: &Call, out: &mut TokenStream) {
        self.settle_operands(op, out);
        let second = call.rule == Rule::RruleFrule;
        let modes = self.modes(call, if second { &op.results } else { &[] }, out);
        self.keep_open(call, &modes, true, out);
        if !second && !matches!(call.callee, Callee::Function(_)) {
            self.ask_modes(op, call, &modes, out);
        }
        let mut args = Vec::new();
        for (k, (arg, dot)) in call.args.iter().zip(&call.tangents).enumerate() {
            let mode = Member::from(k);
            let is_receiver = k == 0 && matches!(call.callee, Callee::Method { .. });
            args.push(if let Arg::Function(function) = arg {
                let form = if second {
                    Form::SplitDual
                } else {
                    Form::Forward
                };
                self.function(function, form).tokens
            } else if is_receiver {
                let shared = arg
                    .place()
                    .is_some_and(|p| self.is_shared(p, arg_places(&call.args[1..])));
                self.receiver_tangent(arg, dot.as_ref(), shared, &modes, out)
            } else {
                self.dual_arg(arg, dot.as_ref(), &quote!(#modes.#mode), out)
            });
        }
        let rule = if second { "rrule_frule" } else { "frule" };
        let tokens = self.called_rule(call, &modes, rule, &args);
        let pattern = self.rule_results(op, call.rule);
        let tokens = at(self.call_span(op, &call.callee), &tokens);
        out.extend(quote!(let #pattern = #tokens;));
    }

    /// True if a receiver can only be shared: it stands behind `&`, or is captured, or another argument borrows it, which a method that
    /// takes `&mut self` doesn't allow.
    fn is_shared<'p>(&self, receiver: &Place, others: impl Iterator<Item = &'p Place>) -> bool {
        if self.part(receiver).is_some() {
            return false;
        }
        let root = self.func.slot(receiver.root);
        let in_vec = !matches!(root.ty, Ty::Array(..) | Ty::Slice(_));
        root.kind == SlotKind::Ref
            || self.func.is_captured(receiver.root)
            || receiver.is_lent()
            || others.into_iter().any(|other| {
                receiver.may_overlap(other, in_vec) || self.is_viewed_by(receiver, other)
            })
    }

    /// True if a place is a view of the place that a receiver is in.
    fn is_viewed_by(&self, receiver: &Place, view: &Place) -> bool {
        let mut root = view.root;
        if self.func.slot(root).kind == SlotKind::Owned || !self.looks_up_views {
            return false;
        }
        let mut borrowed = Vec::new();
        let body = std::iter::once(&self.func.body);
        for region in body.chain(self.func.pullback.iter().map(|pullback| &pullback.body)) {
            region.walk(&mut |op| {
                if let OpKind::Borrow(alias, of) = &op.kind {
                    borrowed.push((*alias, of.root));
                }
            });
        }
        while let Some((_, of)) = borrowed.iter().find(|(alias, _)| *alias == root) {
            root = *of;
            if root == receiver.root {
                return true;
            }
        }
        false
    }

    fn dual_arg(
        &mut self,
        arg: &Arg,
        dot: Option<&Arg>,
        mode: &TokenStream,
        out: &mut TokenStream,
    ) -> TokenStream {
        match (arg, dot) {
            (Arg::Function(_), _) => bug!("a function with a tangent"),
            (Arg::Value(x), Some(Arg::Value(dot))) => {
                let (tokens, dot) = (self.tokens(*x), self.tokens(*dot));
                let tokens = self.again(arg, tokens, mode);
                let dot = self.again(arg, dot, mode);
                quote!(#mode.dual(#tokens, #dot))
            }
            (Arg::Value(x), _) => {
                let x = self.tokens(*x);
                let x = self.again(arg, x, mode);
                quote!(#mode.inactive(#x))
            }
            (Arg::Ref(p) | Arg::Receiver(p), Some(Arg::Ref(dot) | Arg::Receiver(dot))) => {
                let dot = self.lent(p, dot, false, out);
                let p = self.reference(p, false);
                quote!(#mode.dual(#p, #dot))
            }
            (Arg::Mut(p), Some(Arg::Mut(dot))) => {
                let dot = self.lent(p, dot, true, out);
                let p = self.reference(p, true);
                quote!(#mode.dual(#p, #dot))
            }
            (Arg::Ref(p) | Arg::Mut(p) | Arg::Receiver(p), _) => {
                let mutable = matches!(arg, Arg::Mut(_));
                let zero = self.temporary(p, &quote!(#mode.zero), out);
                let p = self.reference(p, mutable);
                let zero = borrow(&zero, mutable);
                quote!(#mode.dual_zero(#p, #zero))
            }
        }
    }

    /// A zero for a reference that is inactive here, as the callee's mode wants it.
    pub(super) fn temporary(
        &mut self,
        place: &Place,
        make: &TokenStream,
        out: &mut TokenStream,
    ) -> Ident {
        let ident = self.names.fresh("zero");
        let place = self.reference(place, false);
        out.extend(quote!(let mut #ident = #make(#place);));
        ident
    }

    /// A shadow that nobody reads, of a type that isn't known to have a fixed size: its memory is used again in the next call.
    pub(super) fn unread(&mut self, place: &Place, mode: &TokenStream) -> Option<TokenStream> {
        let mut ty = Some(&self.func.slot(place.root).ty);
        for proj in &place.path {
            ty = match proj {
                Proj::Range(..) => ty,
                Proj::Index(_) => ty.and_then(Ty::element),
                _ => None,
            };
        }
        let ranged = matches!(place.path.last(), Some(Proj::Range(..)));
        if ty.is_some_and(crate::analyze::has_fixed_shape) && !ranged {
            return None;
        }
        let ident = self.names.fresh("unread");
        self.unread.push(ident.clone());
        let place = self.reference(place, false);
        Some(quote!(#mode.unread(#place, &mut #ident)))
    }

    fn receiver_tangent(
        &mut self,
        arg: &Arg,
        dot: Option<&Arg>,
        shared: bool,
        modes: &Ident,
        out: &mut TokenStream,
    ) -> TokenStream {
        match (arg, dot) {
            (
                Arg::Receiver(p) | Arg::Ref(p) | Arg::Mut(p),
                Some(Arg::Receiver(dot) | Arg::Ref(dot) | Arg::Mut(dot)),
            ) => {
                let mutable = !shared && self.func.slot(dot.root).kind != SlotKind::Ref;
                let dot = self.lent(p, dot, mutable, out);
                let method = format_ident!("{}", if mutable { "tangent_mut" } else { "tangent" });
                quote!(#modes.0.#method(#dot))
            }
            (Arg::Receiver(p) | Arg::Ref(p) | Arg::Mut(p), None) => {
                let zero = self.temporary(p, &quote!(#modes.0.zero_of), out);
                quote!(#modes.0.tangent_mut(&mut #zero))
            }
            _ => bug!("a receiver by value"),
        }
    }

    /// Operators and casts of deferred operands.
    fn operator_rule(&mut self, op: &Op, call: &Call, out: &mut TokenStream) {
        let rt = self.rt;
        let rules = match &call.callee {
            Callee::Operator(operator) => {
                let marker = operators::marker(*operator, rt);
                quote!(<_ as #rt::BinaryRules<#marker, _>>)
            }
            Callee::Unary { op, by_ref } => {
                let marker = operators::unary_marker(*op, *by_ref, rt);
                quote!(<_ as #rt::UnaryRules<#marker>>)
            }
            _ => {
                let to = primitive(self.func.ty(op.results[0]));
                quote!(<_ as #rt::CastRules<#to>>)
            }
        };
        let duals = call.rule != Rule::Rrule;
        let mut args = Vec::new();
        for (k, arg) in call.args.iter().enumerate() {
            let Arg::Value(x) = arg else {
                bug!("an operand by reference")
            };
            let x = self.tokens(*x);
            args.push(match call.tangents.get(k) {
                Some(Some(Arg::Value(dot))) => {
                    let dot = self.tokens(*dot);
                    quote!(#rt::Dual(#x, #dot))
                }
                _ if duals => quote!(#rt::inactive(#x)),
                _ => x,
            });
        }
        self.flush_all(out);
        let pattern = self.rule_results(op, call.rule);
        let name = match call.rule {
            Rule::Frule => "frule",
            Rule::Rrule => "rrule",
            _ => "rrule_frule",
        };
        let tokens = match &call.callee {
            Callee::Operator(_) if call.rule == Rule::Frule => {
                let from = self.origins(call);
                quote!(#rules::frule_from(#(#args,)* (#(#from),*)))
            }
            callee => {
                let prefix = if matches!(callee, Callee::Cast) {
                    "cast_"
                } else {
                    ""
                };
                let rule = format_ident!("{prefix}{name}");
                quote!(#rules::#rule(#(#args),*))
            }
        };
        let tokens = at(op.span, &tokens);
        out.extend(quote!(let #pattern = #tokens;));
    }

    fn apply(&mut self, op: &Op, apply: &ApplyPullback, out: &mut TokenStream) {
        let rt = self.rt;
        self.settle_operands(op, out);
        let second = apply.seed.len() == 2;
        let seed = self.seed(&apply.seed);
        let pullback = self.tokens(apply.pullback);
        if apply.callee.is_operator() {
            return self.apply_operator(op, apply, &quote!(#pullback(#seed)), second, out);
        }
        let modes = self.tokens(apply.modes);
        let mut args = Vec::new();
        let mut patterns = Vec::new();
        let mut after = TokenStream::new();
        let mut results = op.results.iter();
        for (k, arg) in apply.args.iter().enumerate() {
            let mode = Member::from(k);
            let mode = quote!(#modes.#mode);
            let is_receiver = k == 0 && matches!(apply.callee, Callee::Method { .. });
            match arg {
                PullArg::Nothing => {
                    args.push(quote!(()));
                    patterns.push(quote!(_));
                }
                PullArg::Function(function) => {
                    let form = if second {
                        Form::ReverseDual
                    } else {
                        Form::Reverse
                    };
                    args.push(self.function(function, form).tokens);
                    patterns.push(quote!(_));
                }
                PullArg::Open => {
                    let bars = if second { 2 } else { 1 };
                    let bars: Vec<Ident> = (0..bars).map(|_| self.names.fresh("zero")).collect();
                    out.extend(quote!(#(let mut #bars = #mode.zero_open();)*));
                    let method = dual_name("give_open", second);
                    args.push(quote!(#mode.#method(#(&mut #bars),*)));
                    patterns.push(quote!(_));
                }
                PullArg::Value { zero, open } => {
                    let raw = self.names.fresh("returned");
                    patterns.push(quote!(#raw));
                    let mut zero: Vec<TokenStream> = zero.iter().map(|v| self.tokens(*v)).collect();
                    if *open {
                        let bars: Vec<Ident> =
                            zero.iter().map(|_| self.names.fresh("bar")).collect();
                        out.extend(quote!(#(let mut #bars = #zero;)*));
                        let method = dual_name("give_open", second);
                        args.push(quote!(#mode.#method(#(&mut #bars),*)));
                        zero = bars.iter().map(|bar| quote!(#bar)).collect();
                    } else {
                        args.push(quote!(()));
                    }
                    let bar = self.cotangents(&mut results, second);
                    let method = dual_name("cotangent", second);
                    after.extend(quote!(let #bar = #mode.#method(#raw, #(#zero),*);));
                }
                PullArg::Inactive(arg) => {
                    let (given, returned) =
                        self.give_inactive(arg, &mode, second, is_receiver, &apply.args, out);
                    args.push(given);
                    if let Some((raw, finish)) = returned {
                        patterns.push(quote!(#raw));
                        after.extend(finish);
                    } else {
                        patterns.push(quote!(_));
                    }
                }
                PullArg::Shadow { primal, shadow } => {
                    let (given, shadows) =
                        self.give(primal, shadow, &mode, is_receiver, &apply.args, out);
                    args.push(given);
                    if is_receiver {
                        let raw = self.names.fresh("returned");
                        patterns.push(quote!(#raw));
                        let method = dual_name("receiver_cotangent", second);
                        after.extend(quote!(#mode.#method(#raw, #(#shadows),*);));
                    } else {
                        patterns.push(quote!(_));
                    }
                }
            }
        }
        let call = match apply.callee {
            Callee::Method { .. } => quote!(#rt::probe::Pull::pull(#pullback, #seed, (#(#args,)*))),
            Callee::Function(slot) => {
                let reverse = self.called(slot);
                quote!(#reverse(#pullback, #seed, (#(#args,)*)))
            }
            _ => quote!(#pullback(#seed #(, #args)*)),
        };
        out.extend(quote!(let (#(#patterns,)*) = #call; #after));
    }

    /// The pullback of an operator takes the seed alone, and returns the operands' cotangents.
    fn apply_operator(
        &mut self,
        op: &Op,
        apply: &ApplyPullback,
        call: &TokenStream,
        second: bool,
        out: &mut TokenStream,
    ) {
        let mut results = op.results.iter();
        let patterns: Vec<TokenStream> = (apply.args.iter())
            .map(|arg| match arg {
                PullArg::Value { .. } => self.cotangents(&mut results, second),
                _ => quote!(_),
            })
            .collect();
        match patterns.as_slice() {
            [one] => out.extend(quote!(let #one = #call;)),
            _ => out.extend(quote!(let (#(#patterns),*) = #call;)),
        }
    }

    /// A reference or receiver, with its shadow; and the references to the shadows.
    pub(super) fn give(
        &mut self,
        primal: &[Arg],
        shadow: &[Place],
        mode: &TokenStream,
        is_receiver: bool,
        all: &[PullArg],
        out: &mut TokenStream,
    ) -> (TokenStream, Vec<TokenStream>) {
        let form = if is_receiver {
            self.receiver_form(&primal[0], all)
        } else {
            GiveForm {
                method: "give",
                mutable: matches!(primal[0], Arg::Mut(_)),
            }
        };
        let Some(place) = primal[0].place() else {
            bug!("a value with a shadow")
        };
        let shadows: Vec<TokenStream> = shadow
            .iter()
            .map(|p| self.lent_shadow(place, p, form.mutable, out))
            .collect();
        let dot = primal.get(1).and_then(Arg::place);
        let dot = dot.map(|dot| self.lent(place, dot, form.mutable, out));
        let dot = dot.iter();
        let place = self.given(place, &form);
        let method = dual_name(form.method, shadow.len() == 2);
        let given = quote!(#mode.#method(#place, #(#dot,)* #(#shadows),*));
        (given, shadows)
    }

    /// How a receiver can be handed over: in its `Option`, uniquely, or shared; its tangent goes along in the same way.
    fn receiver_form(&self, receiver: &Arg, all: &[PullArg]) -> GiveForm {
        let Some(place) = receiver.place() else {
            bug!("a receiver by value")
        };
        let slot = self.func.slot(place.root);
        let (method, mutable) = if slot.in_option && place.path.is_empty() {
            ("give_option", true)
        } else if matches!(receiver, Arg::Ref(_)) || self.is_shared(place, pull_places(&all[1..])) {
            ("give_shared", false)
        } else {
            ("give_unique", true)
        };
        GiveForm { method, mutable }
    }

    /// The expression that a form passes.
    fn given(&mut self, place: &Place, form: &GiveForm) -> TokenStream {
        if form.method == "give_option" {
            let root = self.slot(place.root);
            quote!(&mut #root)
        } else {
            self.reference(place, form.mutable)
        }
    }

    /// A reference that is inactive here: the callee may want a shadow all the same.
    pub(super) fn give_inactive(
        &mut self,
        arg: &Arg,
        mode: &TokenStream,
        second: bool,
        is_receiver: bool,
        all: &[PullArg],
        out: &mut TokenStream,
    ) -> (TokenStream, Option<(Ident, TokenStream)>) {
        let Some(place) = arg.place().cloned() else {
            bug!("a value that is inactive")
        };
        let make = if is_receiver {
            quote!(#mode.zero_of)
        } else {
            quote!(#mode.zero)
        };
        let shared = matches!(arg, Arg::Ref(_)) && !is_receiver && !second;
        let unread = shared.then(|| self.unread(&place, mode)).flatten();
        let count = match (&unread, second) {
            (Some(_), _) => 0,
            (None, true) => 3,
            (None, false) => 1,
        };
        let mut zeros: Vec<Ident> = (0..count)
            .map(|_| self.temporary(&place, &make, out))
            .collect();
        let dot = if second { Some(zeros.remove(0)) } else { None };
        if is_receiver {
            let form = self.receiver_form(arg, all);
            let primal = self.given(&place, &form);
            let method = dual_name(form.method, second);
            let dot = dot.map(|dot| borrow(&dot, form.mutable)).into_iter();
            let raw = self.names.fresh("returned");
            let finish = dual_name("receiver_cotangent", second);
            let after = quote!(#mode.#finish(#raw, #(&mut #zeros),*););
            return (
                quote!(#mode.#method(#primal, #(#dot,)* #(&mut #zeros),*)),
                Some((raw, after)),
            );
        }
        let mutable = matches!(arg, Arg::Mut(_));
        let primal = self.reference(&place, mutable);
        if let Some(shadow) = unread {
            return (quote!(#mode.give_zero(#primal, #shadow)), None);
        }
        let method = dual_name("give", second);
        let method = format_ident!("{method}_zero");
        let dot = dot.map(|dot| borrow(&dot, mutable)).into_iter();
        let given = quote!(#mode.#method(#primal, #(#dot,)* #(&mut #zeros),*));
        (given, None)
    }
}

/// How the pullback gets a reference or receiver: by a method of the mode, uniquely or shared.
struct GiveForm {
    method: &'static str,
    mutable: bool,
}

/// The places that arguments borrow.
fn arg_places(args: &[Arg]) -> impl Iterator<Item = &Place> {
    args.iter().filter_map(Arg::place)
}

/// The places of the primal that the arguments of a pullback borrow.
fn pull_places(args: &[PullArg]) -> impl Iterator<Item = &Place> {
    args.iter().filter_map(|arg| match arg {
        PullArg::Nothing | PullArg::Open | PullArg::Value { .. } | PullArg::Function(_) => None,
        PullArg::Inactive(arg) => arg.place(),
        PullArg::Shadow { primal, .. } => primal.first()?.place(),
    })
}

fn borrow(ident: &Ident, mutable: bool) -> TokenStream {
    if mutable {
        quote!(&mut #ident)
    } else {
        quote!(&#ident)
    }
}

pub(super) fn dual_name(name: &str, second: bool) -> Ident {
    if second {
        format_ident!("{name}_dual")
    } else {
        format_ident!("{name}")
    }
}

/// An identifier without `r#`.
pub(crate) fn unraw(ident: &Ident) -> String {
    ident.to_string().trim_start_matches("r#").to_owned()
}

/// The view of an array behind a reference, or a reference to it.
pub(crate) fn view(rt: &TokenStream, array: &impl ToTokens, by_reference: bool) -> TokenStream {
    let and = by_reference.then(|| quote!(&));
    quote!(#and #rt::libraries::ndarray::by_value::view(#array))
}

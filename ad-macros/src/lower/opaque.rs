//! Code that is emitted as it was written.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};

use super::branch::{by_mut, of_mem};
use super::builder::{Binding, Failed, Flow, Lowered, Lowerer};
use super::foreign::is_viewed;
use super::storage::Storage;
use crate::attributes::tokens_without_checkpoints;
use crate::hir::{Access, Code, Expr, ExprKind, Mention, Var, Verbatim};
use crate::ir::{OpKind, Use};
use crate::paths::last_name;
use crate::std_model::{READS, does, of_floats, writes_option};
use crate::types::{Type, scalar_item};

impl Lowerer<'_> {
    pub(super) fn touches(&self, expr: &Expr) -> bool {
        self.activity.touches(expr, self.types)
    }

    /// Returns `true` if an expression can be emitted as it was written, since no active value flows through it.
    pub(super) fn is_free(&self, expr: &Expr) -> bool {
        !self.touches(expr) && self.can_be_verbatim(expr)
    }

    /// Returns `true` if a place is in a container of unknown type, such as a map.
    pub(super) fn is_lookup(&self, place: &Expr) -> bool {
        match &place.kind {
            ExprKind::Index(base, _) => self.ty(base).element().is_none() || self.is_lookup(base),
            ExprKind::Field(base, _) => self.is_lookup(base),
            ExprKind::Deref(base) => {
                !matches!(self.ty(base), Type::Ref(..))
                    || matches!(base.kind, ExprKind::Method { .. })
                    || self.is_lookup(base)
            }
            _ => false,
        }
    }

    /// Returns `true` if a place in a container of unknown type can be written by verbatim code. A number in a differentiated
    /// container can't: the reverse half has to undo the write, since elements may be found by it.
    pub(super) fn is_own_lookup(&self, place: &Expr, value: &Expr) -> bool {
        let varied = place
            .root()
            .is_some_and(|root| self.activity.is_varied(root));
        self.is_lookup(place) && !(varied && self.ty(value).is_scalar())
    }

    /// Returns `true` if an expression can be replaced by its source: it assigns to no variable that is a value or a name.
    pub(super) fn can_be_verbatim(&self, expr: &Expr) -> bool {
        if expr.source.is_none() {
            return false;
        }
        let mut can = true;
        let flags = own_flags(expr);
        expr.walk(&mut |e| match &e.kind {
            ExprKind::Assign(place, _) | ExprKind::AssignOp(_, place, _) => {
                each_target(place, &mut |var| {
                    can &= flags.contains(&var)
                        || self.env[var.0 as usize].is_none()
                        || self.storage[var.0 as usize] == Storage::Memory
                            && self.optional_var(var).is_none();
                });
            }
            ExprKind::Call { path, args } if of_mem(path).is_some() => {
                let mut vars = args.iter().filter_map(by_mut);
                can &= !vars.any(|var| self.storage[var.0 as usize] == Storage::Alias);
            }
            // In rules its name is that of a method of `Real`, too.
            ExprKind::Method { receiver, name, .. } => {
                let own = self.ty(receiver).peeled();
                can &= !(self.hir.hidden_types.is_fallible(own) && of_floats(&name.to_string()));
            }
            ExprKind::Call { path, .. } => {
                let item = scalar_item(path, &self.hir.hidden_types);
                can &= !item.is_some_and(|(own, _)| self.hir.hidden_types.is_fallible(&own));
            }
            // Its source still has the exits that have been rewritten.
            ExprKind::Break(..) | ExprKind::Continue(_) | ExprKind::Return(_) => can = false,
            ExprKind::Var(var) => {
                // The compiler's own variables have no name in verbatim code, unless the code declares them.
                can &= !self.hir.var(*var).synthetic
                    || self.env[var.0 as usize].is_none()
                    || flags.contains(var);
                can &= self.optional_var(*var).is_none();
            }
            ExprKind::Verbatim(verbatim) => {
                let mut mentioned = verbatim.mentions.iter().map(|mention| mention.var);
                can &= !mentioned.any(|var| self.optional_var(var).is_some());
            }
            _ => {}
        });
        can
    }

    /// Returns `true` if an expression only reads active values: its result has no tangent, and nothing in it can write to them.
    pub(super) fn only_inspects(&self, expr: &Expr) -> bool {
        !self.ty(expr).may_have_tangent()
            && !matches!(self.ty(expr), Type::Unit)
            && self.only_reads(expr)
    }

    /// Returns `true` if nothing in an expression can write to active values.
    pub(super) fn only_reads(&self, expr: &Expr) -> bool {
        let mentions = self.mentions(expr);
        mentions
            .iter()
            .all(|mention| !self.writes(*mention) || !self.activity.is_varied(mention.var))
    }

    /// The expression's source, verbatim.
    pub(super) fn opaque(&mut self, expr: &Expr) -> Lowered<Flow> {
        if let ExprKind::Method { args, .. } | ExprKind::Call { args, .. } = &expr.kind {
            args.iter().try_for_each(|arg| self.check_cast(arg))?;
        }
        if let ExprKind::Method { receiver, name, .. } = &expr.kind
            && name == "get"
        {
            self.reject_boxes(receiver, receiver)?;
        }
        let source = expr.source.as_ref();
        let tokens = source.map(|source| tokens_without_checkpoints(source));
        let tokens = tokens.unwrap_or_default();
        let mentions = self.mentions(expr);
        let uses = self.uses(&mentions, expr.span)?;
        // A name alone is a reference that outlives the code: another reference to it would be one to the name.
        let tokens = match expr.kind {
            ExprKind::Var(_) if matches!(self.ty(expr), Type::Ref(..)) => tokens,
            _ => self.nested(tokens, &uses, &mentions, expr.span)?,
        };
        if let Some((ty, copy)) = self.lookup(expr) {
            let kind = OpKind::code(copy(tokens), uses);
            return Ok(Flow::Value(self.emit(kind, ty, "found", expr.span)));
        }
        Ok(self.emit_opaque(tokens, uses, "t", expr))
    }

    /// A name for a place is bound to one reference; the code may have been written for a reference to a reference.
    ///
    /// ```text
    /// Input:  **v > 0.0
    /// Output: { let v = &v; **v > 0.0 }
    /// ```
    ///
    /// A view of an array is a reference to the array behind it, so that the name is bound to a view again.
    ///
    /// A view of a matrix can be used any number of times. So can a reference to its copy.
    ///
    /// A value looked up in a map is kept as a copy, so that a name for it is bound to a reference again.
    ///
    /// ```text
    /// Input:  *found.unwrap_or(&0)
    /// Output: { let found = found.as_ref(); *found.unwrap_or(&0) }
    /// ```
    fn nested(
        &mut self,
        tokens: TokenStream,
        uses: &[Use],
        mentions: &[Mention],
        span: Span,
    ) -> Lowered<TokenStream> {
        let mut bindings = TokenStream::new();
        for (used, mention) in uses.iter().zip(mentions) {
            let Use::Place {
                ident,
                place,
                by_ref,
                mutable,
            } = used
            else {
                continue;
            };
            let mut ty = self.types.var(mention.var);
            if self.hir.view_copies.contains(&mention.var) && !mutable {
                bindings.extend(quote!(let #ident = &#ident;));
                continue;
            }
            if !by_ref {
                // The result of an unknown method holds the references themselves.
                let slot = self.out.slot(place.root);
                let holds_references = slot.may_borrow && slot.ty.has_deferred();
                if lends(ty) && !holds_references {
                    if *mutable {
                        return self.reject(
                            span,
                            "an `Option` of a reference into a map can't be written to here",
                            "assign to it: `found = map.get(&key);`",
                        );
                    }
                    bindings.extend(quote!(let #ident = #ident.as_ref();));
                }
                continue;
            }
            let mut references = TokenStream::new();
            while let Type::Ref(_, inner) = ty
                && matches!(**inner, Type::Ref(..))
            {
                references.extend(quote!(let #ident = &#ident;));
                ty = inner;
            }
            if is_viewed(ty) {
                let view = quote!(__rt::libraries::ndarray::by_value::view);
                bindings.extend(quote!(let #ident = #view(#ident);));
            }
            bindings.extend(references);
        }
        if bindings.is_empty() {
            return Ok(tokens);
        }
        Ok(quote!({ #bindings #tokens }))
    }

    fn emit_opaque(
        &mut self,
        tokens: TokenStream,
        uses: Vec<Use>,
        name: &str,
        expr: &Expr,
    ) -> Flow {
        let span = expr.span;
        let unread = self.statement == Some(expr.id);
        if unread && !matches!(self.ty(expr), Type::Unit | Type::Never) {
            let kind = OpKind::code(quote!({ #tokens; }), uses);
            self.effect(kind, span);
            return Flow::Unit;
        }
        match self.ty(expr) {
            Type::Unit => {
                self.effect(OpKind::code(tokens, uses), span);
                Flow::Unit
            }
            Type::Never => {
                self.effect(
                    OpKind::Opaque {
                        tokens,
                        uses,
                        diverges: true,
                    },
                    span,
                );
                Flow::Never
            }
            ty => {
                // An element that may be absent is copied, as a value that is found in a map is.
                let copied = self.is_optional_element(expr);
                let (ty, tokens) = match ty {
                    Type::Option(found)
                        if copied
                            && matches!(&**found, Type::Ref(_, of) if matches!(**of, Type::Ref(..))) =>
                    {
                        let copy = quote!(::core::clone::Clone::clone(*found));
                        (ty.lower(), quote!((#tokens).map(|found| #copy)))
                    }
                    _ if copied => (ty.lower(), quote!((#tokens).cloned())),
                    // A part of a constant, which is no value by itself.
                    _ if is_part(expr) => (ty.lower(), quote!(&(#tokens))),
                    // A number behind a reference is read at once.
                    Type::Ref(_, number) if number.is_scalar() => {
                        (number.lower(), quote!(*(#tokens)))
                    }
                    _ => (ty.lower_given(), tokens),
                };
                let kind = OpKind::code(tokens, uses);
                Flow::Value(self.emit(kind, ty, name, span))
            }
        }
    }

    /// Returns `true` if an expression is an element of a list such as `x.get(i)`, or an optional reference to a number.
    fn is_optional_element(&self, expr: &Expr) -> bool {
        let (Type::Option(found), ExprKind::Method { receiver, .. }) = (self.ty(expr), &expr.kind)
        else {
            return false;
        };
        if matches!(&**found, Type::Ref(false, number) if number.is_scalar()) {
            return true;
        }
        // The result for a range is a slice.
        let one = matches!(&**found, Type::Ref(false, found) if !matches!(**found, Type::Slice(_)));
        one && self.ty(receiver).element().is_some()
    }

    /// Everything that an expression mentions and that is defined outside of it.
    pub(super) fn mentions(&self, expr: &Expr) -> Vec<Mention> {
        let mut found: Vec<Mention> = Vec::new();
        self.collect(
            expr,
            &mut |var, access| match found.iter_mut().find(|m| m.var == var) {
                Some(known) => known.access = known.access.max(access),
                None => found.push(Mention { var, access }),
            },
        );
        found.retain(|mention| self.env[mention.var.0 as usize].is_some());
        found
    }

    fn collect(&self, expr: &Expr, add: &mut dyn FnMut(Var, Access)) {
        match &expr.kind {
            ExprKind::Var(var) => {
                let written = matches!(self.types.var(*var), Type::Ref(true, _));
                add(*var, if written { Access::Write } else { Access::Read });
                return;
            }
            // A place behind a reference is only read, even if the reference allows writing.
            ExprKind::Field(base, _) | ExprKind::Deref(base) | ExprKind::Index(base, _)
                if base.root().is_some() =>
            {
                self.collect_parts(expr, add);
                return;
            }
            ExprKind::Ref(true, place)
            | ExprKind::Assign(place, _)
            | ExprKind::AssignOp(_, place, _) => {
                if let Some(var) = place.root() {
                    add(var, Access::Write);
                }
            }
            ExprKind::Method {
                receiver,
                name,
                args,
                ..
            } if receiver.root().is_some() => {
                self.collect_parts(receiver, add);
                let of = self.ty(receiver).peeled();
                let name = name.to_string();
                let reads =
                    does(&name, READS) || of.is_scalar() || lends(of) && !writes_option(&name);
                if let Some(var) = receiver.root()
                    && self.writable(var)
                    && !reads
                {
                    add(var, Access::Write);
                }
                args.iter().for_each(|arg| self.collect(arg, add));
                return;
            }
            ExprKind::Verbatim(verbatim) => {
                verbatim
                    .mentions
                    .iter()
                    .for_each(|mention| add(mention.var, mention.access));
            }
            _ => {}
        }
        expr.each_child(&mut |child| self.collect(child, add));
    }

    /// The root of a place, which is read, and its indices.
    fn collect_parts(&self, place: &Expr, add: &mut dyn FnMut(Var, Access)) {
        match &place.kind {
            ExprKind::Var(var) => add(*var, Access::Read),
            ExprKind::Field(base, _) | ExprKind::Deref(base) | ExprKind::Ref(_, base) => {
                self.collect_parts(base, add);
            }
            ExprKind::Index(base, index) => {
                self.collect_parts(base, add);
                self.collect(index, add);
            }
            _ => self.collect(place, add),
        }
    }

    /// Returns `true` if verbatim code may write to a mentioned variable.
    pub(super) fn writes(&self, mention: Mention) -> bool {
        match mention.access {
            Access::Read => false,
            Access::Method => !self.types.var(mention.var).peeled().is_scalar(),
            Access::Write => true,
        }
    }

    pub(super) fn uses(&mut self, mentions: &[Mention], span: Span) -> Lowered<Vec<Use>> {
        let mut uses = Vec::new();
        for mention in mentions {
            let ident = self.hir.var(mention.var).ident.clone();
            self.refuse_mention(*mention, span)?;
            match self.binding(mention.var, span)? {
                Binding::Value(value) if matches!(self.types.var(mention.var), Type::Ref(..)) => {
                    let place = self.spill(value, span);
                    uses.push(Use::reference(ident, place));
                }
                Binding::Value(value) => uses.push(Use::Value(ident, value)),
                Binding::Place { place, by_ref } => {
                    let mutable = self.writes(*mention) && self.writable(mention.var);
                    uses.push(Use::Place {
                        ident,
                        place,
                        by_ref,
                        mutable,
                    });
                }
                Binding::Closure(known) => {
                    let place = self.materialised(mention.var, &known)?;
                    uses.push(Use::Place {
                        ident,
                        place,
                        by_ref: false,
                        mutable: self.hir.var(mention.var).mutable,
                    });
                }
                Binding::References(_) => return self.place_of(mention.var, span).map(|_| uses),
                Binding::Late { .. } | Binding::Optional(_) | Binding::Failed => {
                    return self.reject(
                        span,
                        format!("`{ident}` is used before it has a value"),
                        "initialise it where it is declared",
                    );
                }
            }
        }
        Ok(uses)
    }

    /// Returns `true` if a variable may be written through its name.
    pub(super) fn writable(&self, var: Var) -> bool {
        match self.types.var(var) {
            Type::Ref(mutable, _) => *mutable,
            _ => self.hir.var(var).mutable,
        }
    }

    /// Code that has no operations.
    pub(super) fn verbatim(&mut self, expr: &Expr, verbatim: &Verbatim) -> Lowered<Flow> {
        let failed = |m: &Mention| matches!(self.env[m.var.0 as usize], Some(Binding::Failed));
        if verbatim.mentions.iter().any(failed) {
            return Err(Failed);
        }
        if let (Code::Matches(pat), [mention]) = (&verbatim.code, &verbatim.mentions[..])
            && let Some(optional) = self.optional_var(mention.var)
        {
            return self.matches_optional(&optional, pat, expr.span);
        }
        let varied = |m: &&Mention| self.activity.is_varied(m.var);
        let found = verbatim.mentions.iter().find(varied).copied();
        if let Some(mention) = found
            && !verbatim.inspects
        {
            let (message, help) = verbatim.why.clone();
            let name = self.name(mention.var);
            return self.reject(expr, format!("{message} (`{name}` is active)"), help);
        }
        let written = verbatim
            .mentions
            .iter()
            .find(|m| self.writes(**m) && varied(m))
            .copied();
        if let Some(mention) = written {
            let name = self.name(mention.var);
            return self.reject(
                expr,
                format!("`{name}` is active, and written to in code that is not differentiated"),
                "write to it in a statement of its own",
            );
        }
        let tokens = match (&verbatim.code, &verbatim.mentions[..]) {
            (Code::Matches(pat), [mention]) => return self.matches(expr, pat, mention.var),
            (Code::Matches(_), _) => crate::diagnostics::bug!("a pattern for several variables"),
            (Code::Expr(source), _) => tokens_without_checkpoints(source),
            (Code::Macro(mac), _) => mac.to_token_stream(),
        };
        let uses = self.uses(&verbatim.mentions, expr.span)?;
        let tokens = self.nested(tokens, &uses, &verbatim.mentions, expr.span)?;
        Ok(self.emit_opaque(tokens, uses, "t", expr))
    }

    /// Tests if a variable matches a pattern. Its content is not moved.
    pub(super) fn matches(&mut self, expr: &Expr, pat: &syn::Pat, var: Var) -> Lowered<Flow> {
        let access = Access::Read;
        let ident = self.private("subject");
        let mut tokens = quote!(::core::matches!(#ident, #pat));
        let mut borrowed = Vec::new();
        for used in self.uses(&[Mention { var, access }], expr.span)? {
            borrowed.push(match used {
                Use::Value(_, value) => Use::Value(ident.clone(), value),
                Use::Place {
                    place,
                    by_ref,
                    mutable,
                    ..
                } => {
                    if lends(self.types.var(var)) {
                        // A value looked up in a map has been replaced by a copy.
                        tokens = quote!(::core::matches!(#ident.as_ref(), #pat));
                    } else if !by_ref || self.hir.var(var).synthetic {
                        // A reference that the user has named is matched as one, anything else where it is.
                        tokens = quote!(::core::matches!(*#ident, #pat));
                    }
                    Use::Place {
                        ident: ident.clone(),
                        place,
                        by_ref: true,
                        mutable,
                    }
                }
            });
        }
        Ok(self.emit_opaque(tokens, borrowed, &test(pat), expr))
    }
}

/// Returns `true` if a name refers to an `Option` of a reference.
fn lends(ty: &Type) -> bool {
    matches!(ty, Type::Option(of) if matches!(**of, Type::Ref(..)))
}

/// The name of a pattern's test: `is_some`.
fn test(pat: &syn::Pat) -> String {
    let path = match pat {
        syn::Pat::Paren(pat) => return test(&pat.pat),
        syn::Pat::Reference(pat) => return test(&pat.pat),
        syn::Pat::TupleStruct(pat) => &pat.path,
        syn::Pat::Struct(pat) => &pat.path,
        syn::Pat::Path(pat) => &pat.path,
        syn::Pat::Ident(pat) if pat.ident == "None" => return "is_none".to_string(),
        _ => return "t".to_string(),
    };
    let mut name = "is".to_string();
    let last = last_name(path);
    for c in last.unwrap_or_default().trim_start_matches("r#").chars() {
        if c.is_uppercase() {
            name.push('_');
        }
        name.extend(c.to_lowercase());
    }
    name
}

/// The flags that end the loops inside of an expression. As written, these loops have their `break`s instead.
pub(super) fn own_flags(expr: &Expr) -> Vec<Var> {
    let mut flags = Vec::new();
    expr.walk(&mut |e| match &e.kind {
        ExprKind::For { stop, .. } | ExprKind::Loop { stop, .. } => flags.extend(*stop),
        _ => {}
    });
    flags
}

/// Calls `f` on each variable that an assignment to `place` writes.
fn each_target(place: &Expr, f: &mut dyn FnMut(Var)) {
    match &place.kind {
        ExprKind::Tuple(elems) => elems.iter().for_each(|elem| each_target(elem, f)),
        _ => place.root().into_iter().for_each(f),
    }
}

/// Returns `true` if an expression is `x[a..b]`.
fn is_part(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Index(_, index) => matches!(index.kind, ExprKind::Range { .. }),
        _ => false,
    }
}

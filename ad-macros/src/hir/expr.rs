//! Expressions.

use syn::spanned::Spanned;

use super::closure::{bare, stripped};
use super::lets::has_let;
use super::parse::Parser;
use super::{Block, Code, Expr, ExprKind, Logic, Outcome, Stmt, Verbatim, function};
use crate::diagnostics::Whole;
use crate::ir::{BinaryOp, UnaryOp};
use crate::std_model::PARALLEL;

impl Parser {
    pub(super) fn boxed(&mut self, expr: &syn::Expr) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    pub(super) fn exprs<'a>(
        &mut self,
        exprs: impl IntoIterator<Item = &'a syn::Expr>,
    ) -> Vec<Expr> {
        exprs.into_iter().map(|expr| self.expr(expr)).collect()
    }

    pub(super) fn expr(&mut self, source: &syn::Expr) -> Expr {
        let named = self.named;
        let mut expr = self.any_expr(source);
        if self.named != named {
            // The callee in its source may have no definition any more.
            expr.source = None;
        }
        expr
    }

    fn any_expr(&mut self, source: &syn::Expr) -> Expr {
        let kind = match source {
            syn::Expr::Paren(inner) => return self.expr(&inner.expr),
            syn::Expr::Group(inner) => return self.expr(&inner.expr),
            syn::Expr::Lit(lit) => return self.literal(lit, source),
            syn::Expr::Path(path) => self.path(path),
            syn::Expr::Unary(unary) => {
                if matches!(unary.op, syn::UnOp::Deref(_))
                    && let Some(value) = self.filled_value(&unary.expr, source)
                {
                    return value;
                }
                let operand = self.boxed(&unary.expr);
                match unary.op {
                    syn::UnOp::Neg(_) => ExprKind::Unary(UnaryOp::Neg, operand),
                    syn::UnOp::Not(_) => ExprKind::Unary(UnaryOp::Not, operand),
                    _ => match operand.kind {
                        ExprKind::Ref(_, place) => return *place,
                        _ => ExprKind::Deref(operand),
                    },
                }
            }
            syn::Expr::Binary(binary) => {
                match self.filled_place(&binary.left, &binary.right, source) {
                    Some(assigned) if assigns(binary.op) => return assigned,
                    _ => self.binary(binary),
                }
            }
            syn::Expr::Assign(assign) => {
                if let Some(assigned) = self.filled_place(&assign.left, &assign.right, source) {
                    return assigned;
                }
                if let Some(stmts) = self.assign_maybe(assign) {
                    return self.finished(stmts, None, source);
                }
                if let Some(assigned) = self.destructured(assign, source) {
                    return assigned;
                }
                let place = self.boxed(&assign.left);
                ExprKind::Assign(place, self.boxed(&assign.right))
            }
            syn::Expr::Infer(_) => ExprKind::Hole,
            syn::Expr::Field(field) => {
                if let Some(part) = self.part_of_pair(field) {
                    return self.replaced(&part, source);
                }
                let base = self.expr(&field.base);
                match self.part(&base, &field.member) {
                    Some(part) => return part,
                    None => ExprKind::Field(Box::new(base), field.member.clone()),
                }
            }
            syn::Expr::Index(index) => {
                let base = self.boxed(&index.expr);
                let at = match self.held_range(&index.index) {
                    Some(range) => Box::new(range),
                    None => self.boxed(&index.index),
                };
                ExprKind::Index(base, at)
            }
            syn::Expr::Range(range) => ExprKind::Range {
                lo: range.start.as_ref().map(|end| self.boxed(end)),
                hi: range.end.as_ref().map(|end| self.boxed(end)),
                inclusive: matches!(range.limits, syn::RangeLimits::Closed(_)),
            },
            syn::Expr::Reference(reference) => {
                ExprKind::Ref(reference.mutability.is_some(), self.boxed(&reference.expr))
            }
            syn::Expr::Tuple(tuple) if tuple.elems.is_empty() => ExprKind::Unit,
            syn::Expr::Tuple(tuple) => ExprKind::Tuple(self.exprs(&tuple.elems)),
            syn::Expr::Array(array) => ExprKind::Array {
                elems: self.exprs(&array.elems),
                vec: false,
            },
            syn::Expr::Repeat(repeat) => {
                ExprKind::Repeat(self.boxed(&repeat.expr), (*repeat.len).clone().into())
            }
            syn::Expr::Struct(literal) if literal.qself.is_none() => self.struct_literal(literal),
            syn::Expr::Call(call) => return self.call(call, source),
            syn::Expr::MethodCall(call) if begins_parallel(call) => {
                let help = if cfg!(feature = "rayon") {
                    "write a function with the parallel iterator, with `#[differentiable]` on it, and call it here"
                } else {
                    "switch the feature `rayon` of `chainrule` on"
                };
                let message = "a parallel iterator over active values is not supported here";
                return self.verbatim(source, message, help);
            }
            syn::Expr::MethodCall(call) => match self
                .library_method(call, source)
                .or_else(|| self.chain_call(call, source))
                .or_else(|| self.with_default(call))
                .or_else(|| self.filled_call(call, source))
                .or_else(|| self.contained(call, source))
                .or_else(|| self.by_prelude(call, false))
            {
                Some(value) => return value,
                // The rest of a chain that isn't known is no `Option`.
                None if self.is_map(call) && !self.is_chain(&call.receiver) => {
                    return self.map_call(call, source);
                }
                None => {
                    let kind = ExprKind::Method {
                        receiver: self.boxed(&call.receiver),
                        name: call.method.clone(),
                        turbofish: call.turbofish.clone(),
                        args: if function::is_std(&call.method) {
                            self.exprs(&call.args)
                        } else {
                            call.args.iter().map(|arg| self.argument(arg)).collect()
                        },
                    };
                    let value = self.sourced(kind, source);
                    return self.copied_view(call, value);
                }
            },
            syn::Expr::Cast(cast) => ExprKind::Cast(self.boxed(&cast.expr), (*cast.ty).clone()),
            syn::Expr::Macro(mac) => {
                return self.macro_call(&mac.mac, source, false);
            }
            other => return self.control(other),
        };
        self.sourced(kind, source)
    }

    /// Control flow, which has no source: only its parts are emitted verbatim.
    fn control(&mut self, source: &syn::Expr) -> Expr {
        let span = source.span();
        let kind = match source {
            syn::Expr::Block(block) => match &block.label {
                None => ExprKind::Block(self.block(&block.block), None),
                Some(label) => self.labelled(Some(label), false, |parser, scope| {
                    ExprKind::Block(parser.block(&block.block), Some(scope))
                }),
            },
            syn::Expr::If(branch) => {
                if has_let(&branch.cond) {
                    return self.if_let(branch, source);
                }
                let cond = self.asked(&branch.cond);
                let then = self.block(&branch.then_branch);
                let other = branch.else_branch.as_ref().map(|(_, other)| {
                    let other = self.expr(other);
                    Self::as_block(other)
                });
                ExprKind::If { cond, then, other }
            }
            syn::Expr::Match(expr) => return self.match_expr(expr, source),
            syn::Expr::ForLoop(expr) => match self.loop_over_functions(expr) {
                Some(over_positions) => return self.expr(&over_positions),
                None => return self.for_loop(expr, source),
            },
            syn::Expr::While(expr) => {
                self.refuse_checkpoint(&expr.attrs);
                return self.while_loop(expr, source);
            }
            syn::Expr::Loop(expr) => {
                self.refuse_checkpoint(&expr.attrs);
                self.labelled(expr.label.as_ref(), true, |parser, scope| ExprKind::Loop {
                    scope,
                    body: parser.block(&expr.body),
                    stop: None,
                    is_while: false,
                })
            }
            syn::Expr::Break(expr) => {
                let value = expr.expr.as_ref().map(|value| self.boxed(value));
                match self.target(expr.label.as_ref(), source) {
                    Some((scope, _)) => ExprKind::Break(scope, value),
                    None => ExprKind::Unit,
                }
            }
            syn::Expr::Continue(expr) => match self.target(expr.label.as_ref(), source) {
                Some((_, next)) => ExprKind::Continue(next),
                None => ExprKind::Unit,
            },
            syn::Expr::Return(expr) => {
                let value = expr.expr.as_deref().map(|value| {
                    let collected = self.returned(value);
                    self.boxed(collected.as_ref().unwrap_or(value))
                });
                self.returning(value)
            }
            syn::Expr::Try(expr) => return self.question(expr),
            other => return self.unsupported(other),
        };
        self.node(kind, span)
    }

    pub(super) fn unsupported(&mut self, source: &syn::Expr) -> Expr {
        match source {
            syn::Expr::Closure(_) => self.closure_value(source),
            syn::Expr::Unsafe(_) => self.verbatim(
                source,
                "`unsafe` blocks on active values are not supported",
                "wrap the block in a function with a hand-written rule",
            ),
            syn::Expr::Struct(_) => self.verbatim(
                source,
                "a struct literal with a qualified path is not supported yet",
                "name the struct by an alias",
            ),
            syn::Expr::Const(_) => self.verbatim(
                source,
                "`const` blocks on active values are not supported",
                "write a plain block",
            ),
            syn::Expr::Await(_) | syn::Expr::Async(_) => self.rejected(
                Whole(source),
                "`async` code is not supported",
                "differentiate a plain function",
            ),
            other => self.rejected(
                Whole(other),
                "this expression is not supported",
                "write it with `if`, loops, operators and calls",
            ),
        }
    }

    fn literal(&mut self, lit: &syn::ExprLit, source: &syn::Expr) -> Expr {
        let suffix = |suffix: &str| (!suffix.is_empty()).then(|| suffix.to_string());
        let kind = match &lit.lit {
            syn::Lit::Float(lit) => {
                // `1.` has no digits after the point, which a suffix needs.
                let digits = lit.base10_digits();
                let zero = if digits.ends_with('.') { "0" } else { "" };
                ExprKind::Float(format!("{digits}{zero}"), suffix(lit.suffix()))
            }
            // `1f64` is an integer to the lexer.
            syn::Lit::Int(lit) if matches!(lit.suffix(), "f32" | "f64") => {
                ExprKind::Float(format!("{}.0", lit.base10_digits()), suffix(lit.suffix()))
            }
            syn::Lit::Int(lit) => ExprKind::Int(lit.base10_digits().into(), suffix(lit.suffix())),
            syn::Lit::Byte(lit) => ExprKind::Int(lit.value().to_string(), Some("u8".into())),
            syn::Lit::Bool(lit) => ExprKind::Bool(lit.value),
            // A reference to an array of numbers, unlike text.
            syn::Lit::ByteStr(lit) => {
                let span = source.span();
                let byte = |byte: u8| ExprKind::Int(byte.to_string(), Some("u8".into()));
                let bytes = lit.value().into_iter();
                let elems = bytes.map(|value| self.node(byte(value), span)).collect();
                let array = self.node(ExprKind::Array { elems, vec: false }, span);
                ExprKind::Ref(false, Box::new(array))
            }
            _ => ExprKind::Verbatim(Box::new(Verbatim::inspecting(
                Vec::new(),
                Outcome::Inactive,
                Code::Expr(source.clone().into()),
            ))),
        };
        self.sourced(kind, source)
    }

    /// A path as a value.
    fn path(&mut self, path: &syn::ExprPath) -> ExprKind {
        match (self.named(path), path.path.get_ident()) {
            (ExprKind::Path(path), Some(ident)) => match self.capture(ident) {
                Some(var) => ExprKind::Var(var),
                None => ExprKind::Path(path),
            },
            (named, _) => named,
        }
    }

    /// The variable that a path names, or the path, which may be a function's.
    pub(super) fn named(&mut self, path: &syn::ExprPath) -> ExprKind {
        let local = path.path.get_ident().filter(|_| path.qself.is_none());
        match local.and_then(|ident| self.lookup(&ident.to_string())) {
            Some(var) => match self.tuples.get(&var).cloned() {
                Some(tuple) => self.again(&tuple).kind,
                None => ExprKind::Var(var),
            },
            None => ExprKind::Path(self.in_full(path)),
        }
    }

    /// The path of a function that is imported by name.
    fn in_full(&self, path: &syn::ExprPath) -> syn::ExprPath {
        let mut path = path.clone();
        let written = &path.path;
        let is_name = written.segments.len() == 1 && written.leading_colon.is_none();
        if let Some(name) = written.segments.first()
            && is_name
            && path.qself.is_none()
            && let Some(full) = self
                .imported
                .get(crate::enclosing::bare(&name.ident.to_string()))
        {
            let mut full = full.clone();
            for segment in &mut full.segments {
                segment.ident.set_span(name.ident.span());
            }
            if let Some(last) = full.segments.last_mut() {
                last.arguments = name.arguments.clone();
            }
            path.path = full;
        }
        path
    }

    /// A condition: a macro of the user's own may be one.
    fn asked(&mut self, source: &syn::Expr) -> Box<Expr> {
        let asked = match source {
            syn::Expr::Macro(mac) => self.asking_macro(&mac.mac, source),
            syn::Expr::Paren(inner) => return self.asked(&inner.expr),
            syn::Expr::Unary(syn::ExprUnary {
                op: syn::UnOp::Not(_),
                expr,
                ..
            }) if matches!(stripped(expr), syn::Expr::Macro(_)) => {
                let asked = self.asked(expr);
                Some(self.sourced(ExprKind::Unary(UnaryOp::Not, asked), source))
            }
            _ => None,
        };
        match asked {
            Some(asked) => Box::new(asked),
            None => self.boxed(source),
        }
    }

    fn binary(&mut self, binary: &syn::ExprBinary) -> ExprKind {
        let asks = matches!(binary.op, syn::BinOp::And(_) | syn::BinOp::Or(_));
        let [left, right] = [&binary.left, &binary.right].map(|operand| {
            if asks {
                self.asked(operand)
            } else {
                self.boxed(operand)
            }
        });
        match binary.op {
            syn::BinOp::And(_) => ExprKind::Logic(Logic::And, left, right),
            syn::BinOp::Or(_) => ExprKind::Logic(Logic::Or, left, right),
            op => match operator(op) {
                Some((op, false)) => ExprKind::Binary(op, left, right),
                Some((op, true)) => ExprKind::AssignOp(op, left, right),
                None => {
                    self.error(
                        Whole(&op),
                        "this operator is not supported",
                        "write it differently",
                    );
                    ExprKind::Unit
                }
            },
        }
    }

    fn struct_literal(&mut self, literal: &syn::ExprStruct) -> ExprKind {
        let fields = literal.fields.iter();
        let mut fields: Vec<_> = fields
            .map(|f| (f.member.clone(), self.expr(&f.expr)))
            .collect();
        let copied = literal
            .rest
            .as_ref()
            .and_then(|base| self.copied_fields(base, literal));
        let base = match &copied {
            Some(_) => None,
            None => literal.rest.as_ref().map(|base| self.boxed(base)),
        };
        for field in copied.into_iter().flatten() {
            let value = self.expr(&syn::Expr::Field(field.clone()));
            fields.push((field.member, value));
        }
        ExprKind::Struct {
            path: literal.path.clone(),
            variant: is_variant(&literal.path),
            fields,
            base,
        }
    }

    /// The fields of `..*p`: behind a reference, they are copied one by one, since the struct as a whole may be no `Copy`.
    fn copied_fields(
        &self,
        base: &syn::Expr,
        literal: &syn::ExprStruct,
    ) -> Option<Vec<syn::ExprField>> {
        let own = self.siblings.own(&literal.path.get_ident()?.to_string())?;
        if !self.is_behind_reference(base) || !own.is_plain_struct() {
            return None;
        }
        let is_given = |member: &&syn::Member| {
            let mut given = literal.fields.iter();
            given.any(|field| field.member == **member)
        };
        let copied = own.members().filter(|member| !is_given(member));
        let fields = copied.map(|member| syn::parse_quote!((#base).#member));
        Some(fields.collect())
    }

    fn is_behind_reference(&self, place: &syn::Expr) -> bool {
        match bare(place) {
            syn::Expr::Field(field) => self.is_behind_reference(&field.base),
            syn::Expr::Unary(of) => {
                matches!(of.op, syn::UnOp::Deref(_))
                    && self.variable_named(bare(&of.expr)).is_some()
            }
            place => {
                let var = self.variable_named(place);
                let written = var.and_then(|var| self.written.get(&var));
                matches!(written, Some(syn::Type::Reference(_)))
            }
        }
    }

    fn call(&mut self, call: &syn::ExprCall, source: &syn::Expr) -> Expr {
        if let syn::Expr::Path(path) = &*call.func
            && let Some(function) = self.constant_function(path)
        {
            let args = self.exprs(&call.args);
            return self.apply(&function, args, source.span());
        }
        let syn::Expr::Path(path) = bare(&call.func) else {
            return self.call_value(call, source);
        };
        if let ExprKind::Var(var) = self.named(path) {
            if self.functions.contains(&var) {
                return self.apply_variable(var, call, source);
            }
            return self.call_value(call, source);
        }
        let path = &self.in_full(path);
        if let Some(array) = self
            .array_from_fn(path, call, source)
            .or_else(|| self.array_made(path, call, source))
        {
            return array;
        }
        if let Some(method) = self.of_foreign_float(path, call) {
            return self.sourced(method, source);
        }
        if let Some(value) = self.library_call(path, call, source) {
            return value;
        }
        if let Some(body) = self.body_of(path)
            && body.takes(&call.args)
            && self.knows_functions(&body, call)
        {
            return self.in_place(path, &body, call);
        }
        let mut stmts = Vec::new();
        let args = match self.constructor(path, call.args.len()) {
            Some(_) => self.exprs(&call.args),
            None => self.arguments_of(call, &mut stmts),
        };
        let kind = self.called(path, args);
        let value = self.sourced(kind, source);
        self.after(stmts, value)
    }

    /// `Float::sqrt(x)`, where `Float` is the trait of `num_traits`: the method of the same name.
    fn of_foreign_float(&mut self, path: &syn::ExprPath, call: &syn::ExprCall) -> Option<ExprKind> {
        let mut of = path.path.clone();
        let name = of.segments.pop()?;
        of.segments.pop_punct();
        let mut args = call.args.iter();
        if path.qself.is_some() || !name.arguments.is_empty() || !self.foreign_floats.is(&of) {
            return None;
        }
        Some(ExprKind::Method {
            receiver: self.boxed(args.next()?),
            name: name.ident,
            turbofish: None,
            args: args.map(|arg| self.argument(arg)).collect(),
        })
    }

    fn while_loop(&mut self, expr: &syn::ExprWhile, source: &syn::Expr) -> Expr {
        if let Some(stepping) = self.stepping_loop(expr) {
            return self.for_loop(&stepping, source);
        }
        // Input:  while c { body }
        // Output: loop { if c { body } else { break } }
        let kind = self.labelled(expr.label.as_ref(), true, |parser, scope| {
            let span = source.span();
            if has_let(&expr.cond) {
                return ExprKind::endless(scope, parser.while_let(expr, scope, span));
            }
            let cond = parser.asked(&expr.cond);
            let then = parser.block(&expr.body);
            let other = Some(Block::statements(vec![parser.leave(scope, span)], span));
            let branch = parser.node(ExprKind::If { cond, then, other }, span);
            ExprKind::endless(scope, Block::statements(vec![Stmt::Expr(branch)], span))
        });
        self.node(kind, source.span())
    }

    /// A call by path, of a function or a constructor.
    pub(super) fn called(&self, path: &syn::ExprPath, mut args: Vec<Expr>) -> ExprKind {
        match self.constructor(path, args.len()) {
            Some(Constructor::Box) => ExprKind::Boxed(Box::new(args.remove(0))),
            Some(Constructor::Variant) => ExprKind::Struct {
                path: path.path.clone(),
                // Accessors are called as the struct is, not `Self`.
                variant: !path.path.is_ident("Self"),
                fields: args
                    .into_iter()
                    .enumerate()
                    .map(|(k, arg)| (syn::Member::from(k), arg))
                    .collect(),
                base: None,
            },
            None => ExprKind::Call {
                path: path.clone(),
                args,
            },
        }
    }

    /// Types and variants begin with a capital, functions don't, but for those that are known. Nothing is constructed of nothing: `T::PI()` is a function.
    fn constructor(&self, path: &syn::ExprPath, args: usize) -> Option<Constructor> {
        if path.qself.is_some() || args == 0 {
            return None;
        }
        let mut segments = path.path.segments.iter().rev();
        let last = segments.next()?;
        let parent = segments.next();
        if last.ident == "new" && parent.is_some_and(|parent| parent.ident == "Box") {
            return (args == 1).then_some(Constructor::Box);
        }
        let name = last.ident.to_string();
        (name.starts_with(char::is_uppercase) && !self.capitals.contains(&name))
            .then_some(Constructor::Variant)
    }

    /// The loop or block that a `break` or `continue` names.
    fn target(
        &mut self,
        label: Option<&syn::Lifetime>,
        source: &syn::Expr,
    ) -> Option<(super::Scope, super::Scope)> {
        let mut labels = self.labels.iter().rev();
        let found = match label {
            None => labels.find(|l| l.is_loop),
            Some(name) => labels.find(|l| l.name.as_ref() == Some(&name.ident)),
        };
        let found = found.map(|l| (l.scope, l.next));
        if found.is_none() {
            self.error(
                Whole(source),
                "no loop or block around this has that label",
                "name a label that is in reach",
            );
        }
        found
    }
}

/// A value that is written as a call.
enum Constructor {
    /// `Some(x)`, `Expr::Add(a, b)`, `V3(x, y, z)`, `Self(x)`.
    Variant,
    /// `Box::new(x)`.
    Box,
}

/// Returns `true` if a struct literal's path names a variant: `Shape::Circle`, not `geometry::Circle`.
pub(super) fn is_variant(path: &syn::Path) -> bool {
    let mut segments = path.segments.iter().rev().map(|segment| &segment.ident);
    let capital = |ident: Option<&proc_macro2::Ident>| {
        ident.is_some_and(|ident| ident.to_string().starts_with(char::is_uppercase))
    };
    capital(segments.next()) && capital(segments.next())
}

/// An operator, and whether it assigns; `None` for `&&` and `||`.
pub(crate) fn operator(op: syn::BinOp) -> Option<(BinaryOp, bool)> {
    use syn::BinOp as Op;
    let known = match op {
        Op::Add(_) | Op::AddAssign(_) => BinaryOp::Add,
        Op::Sub(_) | Op::SubAssign(_) => BinaryOp::Sub,
        Op::Mul(_) | Op::MulAssign(_) => BinaryOp::Mul,
        Op::Div(_) | Op::DivAssign(_) => BinaryOp::Div,
        Op::Rem(_) | Op::RemAssign(_) => BinaryOp::Rem,
        Op::BitXor(_) | Op::BitXorAssign(_) => BinaryOp::BitXor,
        Op::BitAnd(_) | Op::BitAndAssign(_) => BinaryOp::BitAnd,
        Op::BitOr(_) | Op::BitOrAssign(_) => BinaryOp::BitOr,
        Op::Shl(_) | Op::ShlAssign(_) => BinaryOp::Shl,
        Op::Shr(_) | Op::ShrAssign(_) => BinaryOp::Shr,
        Op::Eq(_) => BinaryOp::Eq,
        Op::Lt(_) => BinaryOp::Lt,
        Op::Le(_) => BinaryOp::Le,
        Op::Ne(_) => BinaryOp::Ne,
        Op::Ge(_) => BinaryOp::Ge,
        Op::Gt(_) => BinaryOp::Gt,
        _ => return None,
    };
    Some((known, assigns(op)))
}

/// True for `+=` and its like.
pub(crate) fn assigns(op: syn::BinOp) -> bool {
    use syn::BinOp as Op;
    matches!(
        op,
        Op::AddAssign(_)
            | Op::SubAssign(_)
            | Op::MulAssign(_)
            | Op::DivAssign(_)
            | Op::RemAssign(_)
            | Op::BitXorAssign(_)
            | Op::BitAndAssign(_)
            | Op::BitOrAssign(_)
            | Op::ShlAssign(_)
            | Op::ShrAssign(_)
    )
}

/// True if a chain of calls begins with a parallel iterator.
pub(crate) fn begins_parallel(call: &syn::ExprMethodCall) -> bool {
    PARALLEL.iter().any(|word| call.method == word)
        || matches!(bare(&call.receiver), syn::Expr::MethodCall(inner) if begins_parallel(inner))
}

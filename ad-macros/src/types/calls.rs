//! Types of calls and methods.

use super::infer::Infer;
use super::known::scalar_item;
use super::solve::Constraint;
use super::ty::{Type, from_written};
use super::written::primitive_named;
use crate::hir::{self, Expr, ExprKind};
use crate::paths::{last_name, of_std};
use crate::std_model::{self, ITERATES, Of, UNWRAPS, does, takes_element};

impl Infer<'_> {
    pub(super) fn call(&mut self, path: &syn::ExprPath, args: &[Expr]) -> Type {
        let last = last_name(&path.path).unwrap_or_default();
        if let Some(function) = super::libm::function(path)
            && args.len() == function.args
        {
            for arg in args {
                let ty = self.expr(arg);
                self.table.unify(&ty, &function.float());
            }
            return function.float();
        }
        if let Some((own, name)) = scalar_item(path, &self.func.hidden_types) {
            if own.is_float()
                && let Some((receiver, rest)) = args.split_first()
                && std_model::called(Of::Float, &name, rest.len()).is_some()
            {
                let ty = self.expr(receiver);
                self.table.unify(&ty, &own);
                return self.method_of(ty, &name, rest);
            }
            let fallible = self.func.hidden_types.is_fallible(&own);
            let types = args.iter().map(|arg| {
                // Literals of any type are converted: those here have the types that they have by themselves.
                if fallible {
                    self.expr(arg)
                } else {
                    self.handed_over(arg)
                }
            });
            let types: Vec<Type> = types.collect();
            let made = if fallible {
                Type::Option(own.clone().into())
            } else {
                own.clone()
            };
            let from = name.strip_prefix("from_").and_then(primitive_named);
            if let (Some(from), [arg]) = (from, &types[..]) {
                self.table.unify(arg, &from);
                return made;
            }
            return match (name.as_str(), &types[..]) {
                ("default", _) => own,
                ("from", _) => made,
                ("to_f64", [_]) => Type::F64,
                (_, []) if matches!(own, Type::Real(_)) => own,
                ("max" | "min", [a, b]) if own.is_int() => {
                    self.table.unify(a, &own);
                    self.table.unify(b, &own);
                    own
                }
                _ => self.table.deferred(),
            };
        }
        if let Some((receiver, rest)) = args.split_first()
            && let Some(name) = super::methods::of_operator_trait(path)
            && super::methods::operator(&name, rest.len()).is_some()
        {
            let receiver = self.expr(receiver);
            return self.method_of(receiver, &name, rest);
        }
        if last == "stop_gradient"
            && let [arg] = args
        {
            return self.expr(arg);
        }
        if let Some(ty) = self.memory_function(path, args) {
            return ty;
        }
        if self.is_of(path, "Vec") && matches!(&*last, "new" | "with_capacity") {
            for arg in args {
                let ty = self.expr(arg);
                self.table.unify(&ty, &Type::Int("usize"));
            }
            return Type::Vec(self.table.fresh().into());
        }
        if let Some(ty) = self.generic_call(path, args) {
            return ty;
        }
        let args = args.iter().enumerate();
        let args: Vec<Type> = args
            .map(|(k, arg)| match self.parameter_of(path, k) {
                Some(wanted) => self.handed_to(arg, &wanted),
                None => self.handed_over(arg),
            })
            .collect();
        if self.is_of(path, "VecDeque")
            && let Some(ty) = self.made_deque(&last, &args)
        {
            return ty;
        }
        if let Some(ty) = Self::made_container(path, &last) {
            return ty;
        }
        if let Some(ty) = self.result_of(path) {
            return ty;
        }
        match self.foreign_made(path, &args) {
            Some(ty) => ty,
            None => self.table.deferred(),
        }
    }

    /// An argument of a parameter whose type is known. A list may be coerced from another, whose elements agree.
    pub(super) fn handed_to(&mut self, arg: &Expr, wanted: &Type) -> Type {
        // Nothing else becomes an array by coercion.
        if wanted.is_scalar() || matches!(wanted, Type::Array(..)) {
            let ty = self.expr(arg);
            self.table.unify(&ty, wanted);
            return ty;
        }
        let ty = self.handed_over(arg);
        let own = self.table.peeled(&ty);
        let wanted = wanted.peeled();
        if own.element().is_some() && wanted.element().is_some() {
            self.table.unify(&own, wanted);
        }
        ty
    }

    /// Returns `true` if a path names an item of one of std's lists, without generic arguments.
    fn is_of(&self, path: &syn::ExprPath, list: &str) -> bool {
        let parent = path.path.segments.iter().rev().nth(1);
        path.qself.is_none()
            && parent.is_some_and(|parent| parent.ident == list && parent.arguments.is_none())
            && !self.func.hidden_types.iter().any(|hidden| hidden == list)
    }

    /// `VecDeque::new()`, `VecDeque::with_capacity(n)`, `VecDeque::default()` and `VecDeque::from(list)`.
    fn made_deque(&mut self, last: &str, args: &[Type]) -> Option<Type> {
        let elem = self.table.fresh();
        match (last, args) {
            ("new" | "default", []) => {}
            ("with_capacity", [n]) => self.table.unify(n, &Type::Int("usize")),
            ("from", [list]) => {
                let (of, item) = (list.clone(), elem.clone());
                self.constraints.push(Constraint::Iterate(of, item));
            }
            _ => return None,
        }
        Some(Type::Deque(elem.into()))
    }

    /// `core::mem::{swap, replace, take}`.
    fn memory_function(&mut self, path: &syn::ExprPath, args: &[Expr]) -> Option<Type> {
        let name = of_std(&path.path, "mem")?.to_string();
        match (name.as_str(), args) {
            ("swap", [a, b]) => {
                let (a, b) = (self.expr(a), self.expr(b));
                self.table.unify(&a, &b);
                Some(Type::Unit)
            }
            ("replace", [place, value]) => {
                let (place, value) = (self.expr(place), self.expr(value));
                let old = self.dereferenced(place);
                self.table.unify(&old, &value);
                Some(old)
            }
            ("take", [place]) => {
                let place = self.expr(place);
                Some(self.dereferenced(place))
            }
            _ => None,
        }
    }

    pub(super) fn method(
        &mut self,
        receiver: &Expr,
        name: &str,
        turbofish: Option<&syn::AngleBracketedGenericArguments>,
        args: &[Expr],
    ) -> Type {
        // `x.first().unwrap()` is a place.
        if let (true, Some((of, mutable))) = (does(name, UNWRAPS), hir::end_of(receiver)) {
            let of = self.expr(of);
            if let Type::Named(_) | Type::Inactive(_) = self.table.peeled(&of) {
                // A map's, or whatever else.
                self.expr(receiver);
                self.each(args);
                let found = super::keyed::found(&self.table.peeled(&of), &self.func.hidden_types);
                return match found {
                    Some(found) if !mutable => Type::Ref(false, found.into()),
                    _ => self.table.deferred(),
                };
            }
            if let ExprKind::Method { args, .. } = &receiver.kind {
                for arg in args {
                    let ty = self.expr(arg);
                    self.table.unify(&ty, &Type::Int("usize"));
                }
            }
            self.each(args);
            let elem = self.table.fresh();
            let base = of;
            self.constraints.push(Constraint::Index {
                base,
                index: Some(Type::Int("usize")),
                out: elem.clone(),
            });
            return Type::Ref(mutable, elem.into());
        }
        if let Some((of, mutable)) = hir::payload_of(receiver, name) {
            return self.unwrapped(of, mutable, args);
        }
        let chain = self.is_chain(receiver);
        let receiver = self.expr(receiver);
        if let Some(part) = self.lent_by_sibling(&receiver, name) {
            for arg in args {
                self.handed_over(arg);
            }
            return part;
        }
        let ends = match name {
            "any" | "all" => Some(Type::Bool),
            "count" => Some(Type::Int("usize")),
            "position" | "rposition" => Some(Type::Option(Type::Int("usize").into())),
            _ => None,
        };
        if let Some(ty) = ends.filter(|_| chain) {
            self.each(args);
            return ty;
        }
        // `.sum::<f64>()`.
        if let Some(written) = turbofish
            && let ("sum" | "product" | "collect" | "into", Some(arg)) =
                (name, written.args.first())
            && let syn::GenericArgument::Type(ty) = arg
            && let Some(ty) = from_written(ty, &self.func.hidden_types)
        {
            self.each(args);
            return ty;
        }
        let range = args.first().map(|arg| &arg.kind);
        let named = match (name, range) {
            ("get", Some(ExprKind::Range { .. })) => "get_part",
            ("get_mut", Some(ExprKind::Range { .. })) => "get_part_mut",
            _ => name,
        };
        let out = self.method_of(receiver, named, args);
        if let ("copy_within" | "get" | "get_mut", Some(ExprKind::Range { lo, hi, .. })) =
            (name, range)
        {
            for end in lo.iter().chain(hi) {
                let end = self.type_of(end).clone();
                self.table.unify(&end, &Type::Int("usize"));
            }
        }
        out
    }

    /// The target of a reference that another method of the same `impl` returns.
    fn lent_by_sibling(&mut self, receiver: &Type, name: &str) -> Option<Type> {
        let func = self.func;
        let (_, part) = func
            .borrow_sources
            .iter()
            .find(|(lender, _)| lender == name)?;
        let own = match self.table.peeled(receiver) {
            Type::Named(ty) => func.self_ty.as_ref() == Some(&*ty) || is_self(&ty),
            _ => false,
        };
        own.then(|| from_written(part, &func.hidden_types))?
    }

    /// `o.as_ref().unwrap()` is a place, too.
    fn unwrapped(&mut self, of: &Expr, mutable: bool, args: &[Expr]) -> Type {
        let of = self.expr(of);
        self.each(args);
        let out = self.table.fresh();
        self.constraints.push(Constraint::Payload {
            of: Type::Ref(mutable, of.into()),
            path: syn::parse_quote!(Some),
            member: syn::Member::from(0),
            out: out.clone(),
        });
        out
    }

    /// Returns `true` if an expression is an iterator of std over a slice, array or `Vec`.
    fn is_chain(&mut self, expr: &Expr) -> bool {
        let ExprKind::Method { receiver, name, .. } = &expr.kind else {
            return false;
        };
        if does(&name.to_string(), ITERATES) {
            let of = self.expr(receiver);
            return self.table.peeled(&of).element().is_some();
        }
        self.is_chain(receiver)
    }

    fn each(&mut self, args: &[Expr]) {
        for arg in args {
            self.expr(arg);
        }
    }

    fn method_of(&mut self, receiver: Type, name: &str, args: &[Expr]) -> Type {
        // A value that becomes an element of a list has the type of its elements. Of other receivers all arguments stay open.
        let elements = takes_element(name);
        let args: Vec<Type> = args
            .iter()
            .map(|arg| {
                if elements {
                    self.expr(arg)
                } else {
                    self.handed_over(arg)
                }
            })
            .collect();
        let out = self.table.fresh();
        self.constraints.push(Constraint::Method {
            receiver,
            name: name.to_string(),
            args,
            out: out.clone(),
        });
        out
    }
}

fn is_self(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Path(path) if path.path.is_ident("Self"))
}

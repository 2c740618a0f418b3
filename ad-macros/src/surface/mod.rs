//! The public surface: the functions that users call. Everything here is a few lines on top of the hidden rules, and is the
//! same for every function; nothing here looks into a body.

mod checked;
mod combined;
mod drivers;
mod fallible;
pub(crate) mod hidden;
pub(crate) mod implicit;
mod matrices;
mod modes;
pub(crate) mod nested;
pub(crate) mod parallel;
mod rules;
mod second;
mod wide;

use std::cell::Cell;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::spanned::Spanned;

use hidden::Order;

use crate::emit::{
    by_type, is_made, is_own_tangent, output_tangent, output_ty, own, param_ty, tangent_type,
};
use crate::enclosing::{lists, view_behind};
use crate::ir::{Func, Param, PassedBy, Ty};
use crate::paths::last_name;
use crate::syntax::parameter_names;

/// Functions that a differentiable function may call, besides the function itself.
const DRIVERS: &str = "derivative gradient hessian hvp jacobian jvp value_and_gradient vjp";

/// Functions without rules, with the ones to call instead. Names that a function in a user's module may well have are left
/// out, such as `spline::second_derivative`: by its path it can't be told from a driver.
const WITHOUT_RULES: &[(&str, &str)] = &[
    ("frule", "`jvp`"),
    ("jacobian_into", "`jacobian`"),
    ("rrule", "`vjp`"),
    ("value_and_gradient_into", "`value_and_gradient`"),
    ("value_and_jacobian", "the function, and `jacobian`"),
    (
        "value_gradient_and_hessian",
        "`value_and_gradient`, and `jacobian` of a function that returns the gradient",
    ),
    (
        "value_gradient_and_hvp",
        "`value_and_gradient`, and `jvp` of a function that returns the gradient",
    ),
];

/// The error for a driver that has no rules, if the path is that of one.
pub(crate) fn without_rules(path: &syn::ExprPath) -> Option<syn::Error> {
    let function = function_of_driver(path)?;
    let driver = last_name(&path.path)?;
    let (_, instead) = WITHOUT_RULES.iter().find(|(name, _)| *name == driver)?;
    let name = &function.segments.last()?.ident;
    Some(crate::diagnostics::error(
        path.span(),
        format!("`{name}::{driver}` has no derivative rules"),
        format!("differentiated functions can call {instead}"),
    ))
}

/// The function of whose driver this is the path: `nll` of `nll::gradient`.
pub(crate) fn function_of_driver(path: &syn::ExprPath) -> Option<syn::Path> {
    let mut function = path.path.clone();
    let driver = function.segments.pop()?.ident.to_string();
    function.segments.pop_punct();
    let parent = last_name(&function)?;
    let is_type = path.qself.is_some() || parent.starts_with(char::is_uppercase);
    let is_driver =
        lists(DRIVERS, &driver) || WITHOUT_RULES.iter().any(|(name, _)| *name == driver);
    (!is_type && is_driver).then_some(function)
}

/// A parameter, as the drivers see it.
pub(crate) struct Argument {
    /// The user's name for it.
    pub(crate) name: Ident,
    pub(crate) written: syn::Type,
    pub(crate) known: Ty,
    pub(crate) by: PassedBy,
    /// The lifetime of the outer reference, if the result may have it.
    pub(crate) lifetime: Option<syn::Lifetime>,
    pub(crate) constant: bool,
    pub(crate) receiver: bool,
    pub(crate) function: bool,
}

impl Argument {
    pub(crate) fn again(&self) -> Self {
        Argument {
            name: self.name.clone(),
            written: self.written.clone(),
            known: self.known.clone(),
            lifetime: self.lifetime.clone(),
            ..*self
        }
    }

    /// Its type in rules.
    fn in_rules(&self) -> TokenStream {
        let written = &self.written;
        by_type(self.by, self.lifetime.as_ref(), &quote!(#written))
    }

    /// Its type, as the primal has it.
    pub(super) fn declared(&self) -> TokenStream {
        match view_behind(&self.written) {
            Some((view, true)) => quote!(#view),
            Some((view, false)) => quote!(&#view),
            None => self.in_rules(),
        }
    }

    /// The expression by which a rule passes its own argument to the primal.
    pub(super) fn as_declared(&self, given: TokenStream, rt: &TokenStream) -> TokenStream {
        match view_behind(&self.written) {
            Some((_, by_value)) => crate::emit::view(rt, &given, !by_value),
            None => given,
        }
    }

    /// The reference that rules take, of an argument that is a view or a reference to a view.
    pub(super) fn behind_view(&self, view: &TokenStream) -> Option<TokenStream> {
        let (_, by_value) = view_behind(&self.written)?;
        Some(if by_value {
            quote!(&*#view)
        } else {
            quote!(&**#view)
        })
    }
}

/// The owner of a function.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Of {
    /// A type, or a module.
    Type,
    /// A trait, whose methods are emitted alike in each `impl`.
    Trait,
}

/// The input of the drivers.
pub(crate) struct Surface<'a> {
    pub(crate) rt: &'a TokenStream,
    pub(crate) vis: &'a syn::Visibility,
    pub(crate) generics: &'a syn::Generics,
    /// With the type parameters that represent functions, which rules have.
    pub(crate) declared: &'a syn::Generics,
    pub(crate) outer: &'a [syn::GenericArgument],
    pub(crate) receiver: Option<&'a syn::Receiver>,
    /// `Some(name)` for methods: their rules are called `name_gradient` and so on.
    pub(crate) method: Option<String>,
    /// The function's name in messages and docs.
    pub(crate) title: String,
    /// How the primal is called: `f`, or `Self::m`.
    pub(crate) primal: TokenStream,
    pub(crate) of: Of,
    /// The rules are closures, in fields of the type whose methods the drivers are.
    pub(crate) in_fields: bool,
    /// The primal is mentioned: its signature is this one.
    pub(crate) mentions: bool,
    /// The drivers check their results.
    pub(crate) checked: bool,
    /// The highest order of the rules.
    pub(crate) highest: Order,
    /// There are rules in several directions, of first and of second order.
    pub(crate) forward_wide: Cell<bool>,
    pub(crate) second_wide: Cell<bool>,
    pub(crate) args: Vec<Argument>,
    pub(crate) output: syn::Type,
    pub(crate) output_known: Ty,
    pub(crate) output_tangent: TokenStream,
}

impl<'a> Surface<'a> {
    pub(crate) fn new(
        func: &Func,
        rt: &'a TokenStream,
        vis: &'a syn::Visibility,
        generics: &'a syn::Generics,
        outer: &'a [syn::GenericArgument],
        receiver: Option<&'a syn::Receiver>,
        method: bool,
    ) -> Self {
        let name = &func.name;
        let text = crate::emit::unraw(name);
        let params = func.params.iter().filter(|p| !p.captured);
        let args = params.map(|p| argument(func, p)).collect();
        Surface {
            rt,
            vis,
            generics,
            declared: generics,
            outer,
            receiver,
            title: text.clone(),
            primal: if method {
                quote!(Self::#name)
            } else {
                quote!(#name)
            },
            of: Of::Type,
            in_fields: false,
            mentions: true,
            highest: Order::Second,
            checked: false,
            forward_wide: Cell::new(false),
            second_wide: Cell::new(false),
            method: method.then_some(text),
            args,
            output: func.output.clone(),
            output_known: output_ty(func),
            output_tangent: output_tangent(func, rt),
        }
    }

    /// All public items; those that call the primal only if that `has` this signature.
    pub(crate) fn emit(&self, has: bool) -> TokenStream {
        let mut items = self.modes();
        if self.args.iter().any(|a| a.function) {
            return items;
        }
        items.extend(self.combined_calls());
        items.extend(self.public_frule());
        items.extend(self.public_rrule());
        items.extend(self.drivers());
        if self.highest == Order::Second {
            items.extend(self.second());
        }
        if self.checked {
            items.extend(self.check_function());
        }
        if has {
            items.extend(self.matrices());
        }
        items
    }

    /// The drivers of a closure, whose rules are in fields.
    pub(crate) fn of_closure(&self) -> TokenStream {
        let mut items = self.drivers();
        items.extend(self.second());
        items.extend(self.matrices());
        if self.checked {
            items.extend(self.check_function());
        }
        items
    }

    /// Makes the drivers check their results, if they are to. A result that borrows from memory that a function may write leaves no copies to
    /// run it on.
    pub(crate) fn check_if(&mut self, wanted: bool) {
        let mut args = self.args.iter();
        let borrows = args.any(|a| a.by == PassedBy::Mut && a.lifetime.is_some());
        self.checked = wanted && !borrows && self.differentiated().next().is_some();
    }

    /// Why there are no rules of second order, if there are none: the message of an error where one is used.
    pub(crate) fn missing_second(&self) -> Option<String> {
        (self.highest == Order::First).then(|| {
            format!(
                "`{}` has no rules of second order; leave out its option `order = 1`",
                self.title
            )
        })
    }

    /// The name of a public rule or driver.
    pub(crate) fn public(&self, name: &str) -> Ident {
        match &self.method {
            Some(method) => format_ident!("{method}_{name}"),
            None => format_ident!("{name}"),
        }
    }

    /// The name of a hidden rule.
    pub(crate) fn hidden_name(&self, name: &str) -> Ident {
        match &self.method {
            Some(method) => format_ident!("__{method}_{name}"),
            None => format_ident!("__{name}"),
        }
    }

    /// The name of a rule whose receiver is an argument as any other.
    pub(crate) fn path_name(&self, name: &str) -> Ident {
        crate::emit::path_name(self.method.as_deref().unwrap_or_default(), name)
    }

    /// The path of a hidden rule.
    pub(super) fn hidden(&self, name: &str) -> TokenStream {
        if self.in_fields {
            let name = format_ident!("{name}");
            return quote!((self.#name));
        }
        self.path(&self.hidden_name(name))
    }

    /// The path of a public rule or driver.
    pub(super) fn public_path(&self, name: &str) -> TokenStream {
        self.path(&self.public(name))
    }

    /// The path of an item beside the drivers, with the generic arguments that are given here.
    pub(super) fn path(&self, name: &Ident) -> TokenStream {
        if self.in_fields {
            return quote!(self.#name);
        }
        let generics = self.turbofish();
        quote!(Self::#name #generics)
    }

    /// The type and const parameters, as arguments: `::<T, N>`.
    pub(super) fn turbofish(&self) -> TokenStream {
        let names = arguments(self.generics);
        if names.is_empty() {
            TokenStream::new()
        } else {
            quote!(::<#(#names),*>)
        }
    }

    /// The primal, to be called: with its generic arguments, but for those that are inferred from arguments.
    pub(super) fn primal_path(&self) -> TokenStream {
        let primal = &self.primal;
        let given_by_arguments = self.generics.type_params().any(|p| is_made(&p.ident));
        if self.in_fields || given_by_arguments {
            return quote!(#primal);
        }
        let generics = self.turbofish();
        quote!(#primal #generics)
    }

    /// The differentiated parameters.
    pub(super) fn differentiated(&self) -> impl Iterator<Item = &Argument> {
        self.args.iter().filter(|a| !a.constant)
    }

    /// The primal's parameters as declared, for a signature: the receiver as such.
    pub(crate) fn primal_params(&self) -> Vec<TokenStream> {
        self.params(&Argument::declared)
    }

    /// The same of a rule.
    pub(crate) fn rule_params(&self) -> Vec<TokenStream> {
        self.params(&Argument::in_rules)
    }

    fn params(&self, ty: &dyn Fn(&Argument) -> TokenStream) -> Vec<TokenStream> {
        let this = self.in_fields.then(|| quote!(&self));
        this.into_iter()
            .chain(self.args.iter().map(|a| {
                if a.receiver
                    && let Some(receiver) = self.receiver
                {
                    let mut receiver = receiver.clone();
                    receiver.attrs.clear();
                    if matches!(receiver.kind, syn::ReceiverKind::Value) {
                        receiver.mutability = None;
                    }
                    return quote!(#receiver);
                }
                let (name, ty) = (&a.name, ty(a));
                quote!(#name: #ty)
            }))
            .collect()
    }

    /// The expression for an argument in a driver's body.
    pub(crate) fn expr(&self, a: &Argument) -> TokenStream {
        match (a.receiver, self.receiver) {
            (true, Some(receiver)) => {
                let this = Ident::new("self", receiver.self_token.span);
                quote!(#this)
            }
            _ => {
                let name = &a.name;
                quote!(#name)
            }
        }
    }

    /// `x`, or `&mut *x` where it is used again, or the reference that rules take for a view.
    pub(super) fn reborrowed(&self, a: &Argument) -> TokenStream {
        let expr = self.expr(a);
        if a.by == PassedBy::Mut {
            quote!(&mut *#expr)
        } else {
            a.behind_view(&expr).unwrap_or(expr)
        }
    }

    /// An argument of a rule that a driver with the same parameters takes.
    fn passed_on(&self, a: &Argument) -> TokenStream {
        let expr = self.expr(a);
        match a.by {
            PassedBy::Mut => quote!(&mut *#expr),
            _ => a.as_declared(expr, self.rt),
        }
    }

    /// The tangent type of an argument.
    pub(crate) fn tangent(&self, a: &Argument) -> TokenStream {
        tangent_type(&a.written, &a.known, a.by, self.rt)
    }

    /// The owned tangent type of an argument: a `Vec` for a slice.
    pub(super) fn owned_tangent(&self, a: &Argument) -> TokenStream {
        let (rt, written) = (self.rt, &a.written);
        let owned = tangent_type(written, &a.known, PassedBy::Value, rt);
        match &a.known {
            Ty::Slice(elem) if is_own_tangent(elem) => {
                let syn::Type::Slice(slice) = written else {
                    return owned;
                };
                let elem = &slice.elem;
                quote!(#rt::Vec<#elem>)
            }
            _ => owned,
        }
    }

    /// One type bare, several as a tuple.
    pub(crate) fn bare(all: &[TokenStream]) -> TokenStream {
        match all {
            [one] => one.clone(),
            _ => quote!((#(#all),*)),
        }
    }

    /// The type and value of one and zero of the result's tangent, and the bounds that they need.
    pub(super) fn unit_seed(&self) -> (TokenStream, TokenStream, TokenStream) {
        // On the tangent: a bound on the result itself would contradict the tangent type that rustc knows.
        let (rt, output) = (self.rt, &self.output_tangent);
        if self.output_known.is_float() {
            let bounds = self.where_clause(&[]);
            let (one, zero) = unit(Some(&self.output_known), rt);
            return (one, zero, bounds);
        }
        let bounds = self.where_clause(&self.scalar_bound());
        (
            quote!(<#output as #rt::Scalar>::ONE),
            quote!(<#output as #rt::Scalar>::ZERO),
            bounds,
        )
    }

    /// The bound of drivers for functions with a number as their result, where only rustc can tell whether it is one.
    pub(super) fn scalar_bound(&self) -> Vec<TokenStream> {
        let (rt, output) = (self.rt, &self.output_tangent);
        let unknown = !self.output_known.is_float() && self.perhaps().is_none();
        unknown
            .then(|| quote!(for<'scalar> #output: #rt::Scalar))
            .into_iter()
            .collect()
    }

    /// The where clause of the primal with more predicates.
    pub(crate) fn where_clause(&self, more: &[TokenStream]) -> TokenStream {
        let mut predicates: Vec<TokenStream> = Vec::new();
        if let Some(clause) = &self.generics.where_clause {
            predicates.extend(clause.predicates.iter().map(|p| quote!(#p)));
        }
        predicates.extend(more.iter().cloned());
        if predicates.is_empty() {
            TokenStream::new()
        } else {
            quote!(where #(#predicates),*)
        }
    }

    pub(crate) fn impl_generics(&self) -> TokenStream {
        let (generics, _, _) = self.generics.split_for_impl();
        quote!(#generics)
    }

    /// Returns `true` if the result may be a scalar.
    pub(crate) fn may_be_scalar(&self) -> bool {
        match &self.output_known {
            Ty::F32 | Ty::F64 | Ty::Real(_) => true,
            // A type with parameters is none, and bounds on it would want them to be `'static`.
            Ty::Named(_) | Ty::Deferred => !self.has_parameters(&self.output),
            _ => false,
        }
    }

    /// Returns `true` if the result of a trait's method may be a scalar for all that an `impl` sees of its type: `V<f64>`, or an alias of that, for `V<T>`.
    /// A lifetime is one in both.
    pub(crate) fn may_be_scalar_elsewhere(&self) -> bool {
        matches!(self.output_known, Ty::Named(_) | Ty::Deferred) && !has_lifetimes(&self.output)
    }

    /// Returns `true` if a type's arguments mention parameters.
    fn has_parameters(&self, ty: &syn::Type) -> bool {
        if has_lifetimes(ty) {
            return true;
        }
        let syn::Type::Path(ty) = ty else {
            return false;
        };
        if ty.path.is_ident("Self") && !self.outer.is_empty() && self.of == Of::Type {
            return true;
        }
        let arguments = ty.path.segments.last().map(|last| &last.arguments);
        let mut mentioned = std::collections::HashSet::new();
        crate::enclosing::words(quote!(#arguments), &mut mentioned);
        let own = self.generics.type_params().map(|param| {
            let name = &param.ident;
            quote!(#name)
        });
        let outer = self.outer.iter().map(|argument| quote!(#argument));
        let mut all = own.chain(outer).map(|name| name.to_string());
        all.any(|name| mentioned.contains(&name))
    }
}

/// Returns `true` if a type's arguments are lifetimes, among others.
fn has_lifetimes(ty: &syn::Type) -> bool {
    let syn::Type::Path(ty) = ty else {
        return false;
    };
    let arguments = ty.path.segments.last().map(|last| &last.arguments);
    matches!(arguments, Some(syn::PathArguments::AngleBracketed(arguments))
        if (arguments.args.iter()).any(|arg| matches!(arg, syn::GenericArgument::Lifetime(_))))
}

/// Type and const parameters, as arguments.
pub(crate) fn arguments(generics: &syn::Generics) -> Vec<TokenStream> {
    let names = parameter_names(generics);
    names.map(|ident| quote!(#ident)).collect()
}

/// One and zero of a known float.
pub(super) fn unit(ty: Option<&Ty>, rt: &TokenStream) -> (TokenStream, TokenStream) {
    match ty {
        Some(Ty::Real(name)) => (
            quote!(<#name as #rt::Scalar>::ONE),
            quote!(<#name as #rt::Scalar>::ZERO),
        ),
        _ => (quote!(1.0), quote!(0.0)),
    }
}

fn argument(func: &Func, param: &Param) -> Argument {
    // The user's own identifier: hygiene keeps it apart from the drivers' variables.
    let name = match param.ident.to_string().as_str() {
        "self" | "_" => own("argument"),
        // It would hide the primal from the drivers.
        text if func.name == text => own(&format!("{text}_argument")),
        _ => param.ident.clone(),
    };
    Argument {
        name,
        written: param.ty.clone(),
        known: param_ty(func, param),
        by: param.by,
        lifetime: param.lifetime.clone(),
        constant: param.constant,
        receiver: param.receiver,
        function: param.function.is_some(),
    }
}

//! What stands beside a function in its module: signatures of functions, types of constants, aliases of types.
//!
//! In: where the attribute stands, and the function. Out: [`Siblings`], of which types are inferred, and [`Siblings::checks`], by which rustc
//! compares them with what the names mean: a file that isn't what is being compiled makes an error, never another derivative. Of short
//! functions that are differentiable, also the body, which may stand for a call; rustc compares a hash of its text.
//!
//! Only what needs no more than the file is taken: no generics, no references in aliases, nothing under a `#[cfg]` or an attribute that might
//! make something else of it, no name that is declared twice, and nothing if the function imports names of its own.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::visit::Visit;
use syn::visit_mut::VisitMut;

use super::callees::{function, is_unmarked};
use super::index::Entry;
use super::methods::{Indexing, Overload};
use super::scan::Block;
use super::structs::Own;
use super::{Imports, Place, Site, Source, bare, located};
use crate::configured::first_cfg;
use crate::ir::OperatorKind;
use crate::types::written::{constant_items, is_of_std};
use crate::types::{Declared, Type, from_written, primitive};

/// What is known of the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Siblings {
    functions: HashMap<String, Rc<syn::Signature>>,
    /// Functions whose rules are made from what they say here.
    differentiable: HashSet<String>,
    constants: HashMap<String, syn::Type>,
    aliases: Rc<HashMap<String, syn::Type>>,
    bodies: HashMap<String, Rc<Body>>,
    types: HashMap<String, Own>,
    overloads: Vec<Rc<Overload>>,
    indexing: Vec<Rc<Indexing>>,
}

/// A function whose body may stand for a call of it.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    /// The function as a closure, which captures nothing.
    pub(crate) closure: syn::ExprClosure,
    /// Its result borrows from its arguments, or is an iterator or a closure.
    pub(crate) lends: bool,
    /// It has no rules: it lends, or takes an iterator.
    pub(crate) has_no_rules: bool,
    /// Which of the parameters have names only: what the call hands over stands where the body uses them.
    handed: Vec<Option<Handed>>,
    /// How long it is, in tokens.
    pub(crate) length: usize,
    fingerprint: u64,
    imports: Imports,
}

/// An argument that the macro hands over as syntax.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Handed {
    /// A function, which the body only calls.
    Function,
    /// An iterator, which the body consumes.
    Iterator,
}

/// The longest function whose body stands for its calls, in tokens.
const LONGEST: usize = 250;

impl Siblings {
    /// The body of a function.
    pub(crate) fn body(&self, name: &str) -> Option<&Rc<Body>> {
        self.bodies.get(name)
    }

    /// Without the bodies of functions that can be called, if there are any.
    pub(crate) fn without_bodies(&self) -> Option<Siblings> {
        let mut bodies = self.bodies.clone();
        bodies.retain(|_, body| body.has_no_rules);
        (bodies.len() < self.bodies.len()).then(|| Siblings {
            bodies,
            ..self.clone()
        })
    }

    /// The bodies as closures.
    pub(crate) fn closures(&self) -> impl Iterator<Item = &syn::ExprClosure> {
        self.bodies.values().map(|body| &body.closure)
    }

    /// The functions whose bodies depend on the configuration.
    pub(crate) fn with_cfg(&self) -> impl Iterator<Item = &str> {
        let has_cfg = |body: &Body| match &*body.closure.body {
            syn::Expr::Block(body) => first_cfg(&body.block).is_some(),
            _ => false,
        };
        let bodies = self.bodies.iter();
        bodies.filter_map(move |(name, body)| has_cfg(body).then_some(name.as_str()))
    }

    /// With bodies as one configuration has them.
    pub(crate) fn configured(&self, configure: impl Fn(&mut syn::ExprClosure)) -> Siblings {
        let mut siblings = self.clone();
        for body in siblings.bodies.values_mut() {
            let mut closure = body.closure.clone();
            configure(&mut closure);
            *body = Rc::new(Body {
                closure,
                ..(**body).clone()
            });
        }
        siblings
    }

    /// The signature of a function.
    pub(crate) fn function(&self, name: &str) -> Option<&syn::Signature> {
        self.functions.get(name).map(|signature| &**signature)
    }

    /// The functions whose rules are made from their signatures.
    pub(crate) fn differentiable(&self) -> impl Iterator<Item = (&str, &syn::Signature)> {
        let functions = self.functions.iter();
        functions
            .filter(|(name, _)| self.differentiable.contains(*name))
            .map(|(name, sig)| (name.as_str(), &**sig))
    }

    /// The type of a constant.
    pub(crate) fn constant(&self, name: &str) -> Option<&syn::Type> {
        self.constants.get(name)
    }

    /// The fields and methods of a type.
    pub(crate) fn own(&self, name: &str) -> Option<&Own> {
        self.types.get(name)
    }

    /// True if there are methods whose bodies may be inlined.
    pub(crate) fn has_methods(&self) -> bool {
        let mut operators = self.overloads.iter().filter_map(|overload| overload.body());
        let mut parts = self.indexing.iter().filter_map(|indexing| indexing.part());
        let mut methods = self.types.values().flat_map(Own::bodies);
        operators.next().is_some() || parts.next().is_some() || methods.next().is_some()
    }

    /// How a type is indexed, if it is in one way.
    pub(crate) fn indexing(&self, own: &str) -> Option<&Rc<Indexing>> {
        let mut all = self.indexing.iter().filter(|indexing| indexing.is_of(own));
        let found = all.next().filter(|_| all.next().is_none())?;
        found.mark_used();
        Some(found)
    }

    /// The structs that derive `Differentiable`.
    pub(crate) fn structs(&self) -> impl Iterator<Item = (&String, &Own)> {
        self.types.iter().filter(|(_, own)| own.is_derived())
    }

    /// The operator that is implemented here for operands of these types, as written with `&`.
    pub(crate) fn overload(
        &self,
        kind: OperatorKind,
        operands: &[String],
    ) -> Option<&Rc<Overload>> {
        let mut overloads = self.overloads.iter();
        let found = overloads.find(|overload| overload.is(kind, operands))?;
        found.mark_used();
        Some(found)
    }

    /// The types that names stand for.
    pub(crate) fn aliases(&self) -> Rc<HashMap<String, syn::Type>> {
        Rc::clone(&self.aliases)
    }

    /// Items that compile if all of it is so.
    pub(crate) fn checks(&self, rt: &TokenStream) -> TokenStream {
        let ident = |name: &str| syn::parse_str::<syn::Ident>(name).ok();
        let mut checks: Vec<(String, TokenStream)> = Vec::new();
        for (name, signature) in &self.functions {
            let inputs = signature.inputs.iter().filter_map(|input| match input {
                syn::FnArg::Typed(input) => Some(&input.ty),
                syn::FnArg::Receiver(_) => None,
            });
            let (function, output) = (&signature.ident, &signature.output);
            checks.push((
                name.clone(),
                quote!(const _: fn(#(#inputs),*) #output = #function;),
            ));
        }
        for (name, body) in &self.bodies {
            if let Some(function) = ident(name) {
                checks.push((name.clone(), body.check(&function)));
            }
        }
        for (name, ty) in &self.constants {
            let constant = ident(name);
            checks.push((name.clone(), quote!(const _: #ty = #constant;)));
        }
        for (name, ty) in self.aliases.iter() {
            let alias = ident(name);
            checks.push((name.clone(), quote!(const _: fn(#alias) -> #ty = |x| x;)));
        }
        for (name, own) in &self.types {
            let check = ident(name).map(|ident| own.check(&ident, rt));
            checks.extend(check.map(|check| (name.clone(), check)));
        }
        checks.sort_by(|(a, _), (b, _)| a.cmp(b));
        let checks = checks.into_iter().map(|(_, check)| check);
        let overloads = self.overloads.iter().filter(|overload| overload.is_used());
        let overloads = overloads.map(|overload| overload.check(rt));
        let indexing = self.indexing.iter().filter(|indexing| indexing.is_used());
        let indexing = indexing.map(|indexing| indexing.check(rt));
        quote!(#(#checks)* #(#overloads)* #(#indexing)*)
    }

    /// Keeps what is known of types for certain.
    fn settled(mut self) -> Siblings {
        // An alias is known if those that it names are.
        let mut known = HashMap::new();
        loop {
            let declared = Declared::with_aliases(Rc::new(known.clone()));
            let next = (self.aliases.iter())
                .find(|(_, ty)| is_list(ty, &declared))
                .map(|(name, _)| name.clone());
            let Some(next) = next else { break };
            known.extend(Rc::make_mut(&mut self.aliases).remove_entry(&next));
        }
        self.aliases = Rc::new(known);
        self.constants
            .retain(|_, ty| primitive(ty, &Declared::default()).is_some());
        self
    }
}

/// True if a type is made of scalars, lists, and types of these names.
fn consists_of(ty: &syn::Type, own: &HashSet<String>) -> bool {
    fn of(ty: &Type, own: &HashSet<String>) -> bool {
        match ty {
            Type::Slice(t) | Type::Array(t, _) | Type::Vec(t) | Type::Option(t) => of(t, own),
            Type::Tuple(types) => types.iter().all(|ty| of(ty, own)),
            Type::Named(ty) | Type::Inactive(ty) => match &**ty {
                syn::Type::Path(path) => {
                    (path.path.get_ident()).is_some_and(|name| own.contains(&name.to_string()))
                }
                _ => false,
            },
            ty => ty.is_structural(),
        }
    }
    from_written(ty, &Declared::default()).is_some_and(|ty| of(&ty, own))
}

/// Whether a type is a float, or made of floats.
fn is_list(ty: &syn::Type, declared: &Declared) -> bool {
    from_written(ty, declared).is_some_and(|ty| ty.is_plain() && ty.may_have_tangent())
}

/// Reads what stands beside the function that the attribute at `site` stands on, as far as the function mentions it,
/// with bodies for calls in as many bodies in each other as `depth`.
pub(crate) fn siblings(site: Option<&Site>, item: &syn::ItemFn, depth: usize) -> Siblings {
    let Some((source, offset)) = site.and_then(|site| located(site, &item.sig.ident)) else {
        return Siblings::default();
    };
    let inside = match source.around(offset).next() {
        None => None,
        Some(block) if is_module(&block.header) => Some(block.open),
        Some(_) => return Siblings::default(),
    };
    let Some(mut mentioned) = mentioned_by(item) else {
        return Siblings::default();
    };
    mentioned.remove(bare(&item.sig.ident.to_string()));
    let module = Module {
        site,
        source: &source,
        inside,
    };
    let mut all = module.declared(mentioned, depth);
    let own = bare(&item.sig.ident.to_string()).to_owned();
    all.functions.remove(&own);
    all.bodies.remove(&own);
    all.leave_what_is_hidden(item);
    all.settled()
}

/// Reads what stands beside an `impl` with the attribute, or beside that of a method with it. Calls in methods stay calls.
pub(crate) fn beside_an_impl(site: Option<&Site>, item: &(impl ToTokens + Hiding)) -> Siblings {
    let mut inside = None;
    let source = site.and_then(|site| {
        let source = super::source(&site.file)?;
        let is_impl = |block: &Block| matches!(super::read(&block.header), Place::Impl(_));
        let around = source
            .around(source.offset(site)?)
            .find(|block| !is_impl(block));
        inside = around.map(|block| block.open);
        around
            .is_none_or(|block| is_module(&block.header))
            .then_some(Arc::clone(&source))
    });
    match (source, mentioned_by(item)) {
        (Some(source), Some(mentioned)) => {
            let module = Module {
                site,
                source: &source,
                inside,
            };
            let mut all = module.declared(mentioned, 0);
            all.leave_what_is_hidden(item);
            all.settled()
        }
        _ => Siblings::default(),
    }
}

/// The names that an item mentions, unless it imports some, which may be others.
fn mentioned_by(item: &impl ToTokens) -> Option<HashSet<String>> {
    let mut mentioned = HashSet::new();
    words(item.to_token_stream(), &mut mentioned);
    (!mentioned.contains("use")).then_some(mentioned)
}

/// A number that tells a function's text from others: FNV-1a over its tokens, which spaces and comments between them don't change.
pub(crate) fn fingerprint(sig: &syn::Signature, block: &syn::Block) -> u64 {
    fn add(tokens: TokenStream, hash: &mut u64) {
        for token in tokens {
            let (text, inner) = match token {
                TokenTree::Group(group) => {
                    (format!("{:?}", group.delimiter()), Some(group.stream()))
                }
                token => (token.to_string(), None),
            };
            for byte in text.bytes().chain([0]) {
                *hash = (*hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
            if let Some(inner) = inner {
                add(inner, hash);
                add(quote!(;), hash);
            }
        }
    }
    let mut hash = 0xcbf2_9ce4_8422_2325;
    add(quote!(#sig #block), &mut hash);
    hash
}

/// Whether what a function gives borrows from its arguments, or has a type without a name.
pub(crate) fn lends(sig: &syn::Signature) -> bool {
    #[derive(Default)]
    struct Lends(bool);
    impl<'ast> Visit<'ast> for Lends {
        fn visit_type_reference(&mut self, ty: &'ast syn::TypeReference) {
            let lifetime = ty.lifetime.as_ref();
            let is_text = matches!(&*ty.elem, syn::Type::Path(path) if path.path.is_ident("str"));
            self.0 |= !is_text && lifetime.is_none_or(|lifetime| lifetime.ident != "static");
        }

        // Errors have no tangents, and may borrow.
        fn visit_path_segment(&mut self, segment: &'ast syn::PathSegment) {
            match &segment.arguments {
                syn::PathArguments::AngleBracketed(args) if segment.ident == "Result" => {
                    let value = args.args.iter().take(1);
                    value.for_each(|value| self.visit_generic_argument(value));
                }
                _ => syn::visit::visit_path_segment(self, segment),
            }
        }

        fn visit_type_impl_trait(&mut self, _: &'ast syn::TypeImplTrait) {
            self.0 = true;
        }

        fn visit_parenthesized_generic_arguments(
            &mut self,
            _: &'ast syn::ParenthesizedGenericArguments,
        ) {
            self.0 = true;
        }
    }
    let mut lends = Lends::default();
    lends.visit_return_type(&sig.output);
    lends.0
}

/// True if a function has no rules, so that its body stands for its calls: what it gives can't be said, or it takes an iterator.
pub(crate) fn has_no_rules(sig: &syn::Signature) -> bool {
    lends(sig) || Functions::of(sig).take(Handed::Iterator)
}

/// Whether the body of a differentiable function can stand for its calls: what it does is what its tokens say, and it is short, or it has no rules
/// that could be called.
pub(crate) fn may_stand(sig: &syn::Signature, block: &syn::Block) -> bool {
    let lends = lends(sig);
    let has_rules = !has_no_rules(sig);
    let params = sig.inputs.iter().all(|param| match param {
        syn::FnArg::Typed(param) => {
            let is_constant = |attr: &syn::Attribute| attr.path().is_ident("constant");
            let plain = param.attrs.is_empty()
                || !has_rules
                    && param.attrs.iter().all(is_constant)
                    && primitive(&param.ty, &Declared::default())
                        .is_some_and(|ty| !ty.may_have_tangent());
            plain && matches!(&*param.pat, syn::Pat::Ident(pat) if pat.by_ref.is_none())
        }
        syn::FnArg::Receiver(_) => false,
    });
    let functions = Functions::of(sig);
    let only_used_as_such = || {
        functions
            .params
            .iter()
            .flatten()
            .all(|(name, handed)| match handed {
                Handed::Function => {
                    is_only_called(block.to_token_stream(), bare(&name.to_string()))
                }
                Handed::Iterator => crate::hir::only_consumes(name, &block.stmts),
            })
    };
    let mut text = HashSet::new();
    words(block.to_token_stream(), &mut text);
    // A function that takes an iterator can only be inlined; rustc checks its lifetimes and types.
    let iterates = functions.take(Handed::Iterator);
    let others = || {
        let others = functions.left_out(sig);
        if iterates {
            without_loans(&others)
        } else {
            others
        }
    };
    // An argument becomes an object where it is handed over, which a `let` of a value whose type isn't known may not show.
    let takes_objects = || {
        let mut params = HashSet::new();
        let others = functions.left_out(sig).inputs;
        words(others.to_token_stream(), &mut params);
        params.contains("dyn")
    };
    // Patterns take apart what the parameters' types say, which may be more than what is behind them.
    let patterns = ["match", "ref"];
    let params_in_body = sig.generics.params.iter().any(|param| match param {
        syn::GenericParam::Lifetime(param) => {
            names_lifetime(block.to_token_stream(), &param.lifetime.ident)
        }
        syn::GenericParam::Type(param) => text.contains(bare(&param.ident.to_string())),
        syn::GenericParam::Const(_) => true,
    });
    let tokens = block.to_token_stream();
    let is_simple = || {
        first_cfg(block).is_none()
            && !patterns.iter().any(|word| text.contains(*word))
            && length(tokens.clone()) <= LONGEST
            && !leaves_or_expands(tokens.clone())
            && !takes_lists_apart(tokens.clone())
            && !loops_over_results(block)
    };
    params
        && (is_plain(sig)
            || !params_in_body
                && (lends && is_plain(&without_loans(sig))
                    || is_plain(&others()) && only_used_as_such()))
        && !DECLARING.iter().any(|word| text.contains(*word))
        && !mentions(tokens.clone(), bare(&sig.ident.to_string()))
        && (!has_rules || is_simple() && !takes_objects())
}

/// True if the body of a differentiable method can be inlined: what it does is what its tokens say, and it isn't long.
pub(crate) fn may_be_inlined(sig: &syn::Signature, block: &syn::Block) -> bool {
    let mut text = HashSet::new();
    words(block.to_token_stream(), &mut text);
    let mut params = HashSet::new();
    words(sig.to_token_stream(), &mut params);
    let is_name = |param: &syn::FnArg| match param {
        syn::FnArg::Typed(param) => {
            param.attrs.is_empty()
                && matches!(&*param.pat, syn::Pat::Ident(pat) if pat.by_ref.is_none())
        }
        syn::FnArg::Receiver(receiver) => {
            receiver.attrs.is_empty()
                && matches!(
                    receiver.kind,
                    syn::ReceiverKind::Value | syn::ReceiverKind::Reference(_, None, _)
                )
        }
    };
    let special = ["unsafe", "async", "extern", "impl", "where", "dyn"];
    sig.inputs.iter().all(is_name)
        && sig.generics.params.is_empty()
        && !special.iter().any(|word| params.contains(*word))
        && !lends(sig)
        && !DECLARING.iter().any(|word| text.contains(*word))
        && first_cfg(block).is_none()
        && !mentions(block.to_token_stream(), bare(&sig.ident.to_string()))
        && length(block.to_token_stream()) <= LONGEST
}

/// Words of bodies that declare items, or do what no rule does.
const DECLARING: [&str; 12] = [
    "async",
    "const",
    "enum",
    "fn",
    "impl",
    "macro_rules",
    "static",
    "struct",
    "trait",
    "type",
    "unsafe",
    "use",
];

/// The parameters of a function that are functions, `impl Fn(..)`, `&dyn Fn(..)`, or of a type that is one; and iterators by value.
struct Functions {
    /// What each parameter is called that is one.
    params: Vec<Option<(syn::Ident, Handed)>>,
    /// Type parameters that are functions or iterators.
    types: Vec<syn::Ident>,
}

impl Functions {
    fn of(sig: &syn::Signature) -> Self {
        let mut types: Vec<(syn::Ident, Handed)> = Vec::new();
        for param in sig.generics.type_params() {
            let of_where = sig.generics.where_clause.iter().flat_map(|clause| {
                clause
                    .predicates
                    .iter()
                    .filter_map(|predicate| match predicate {
                        syn::WherePredicate::Type(predicate) => match &predicate.bounded_ty {
                            syn::Type::Path(path) if path.path.is_ident(&param.ident) => {
                                Some(&predicate.bounds)
                            }
                            _ => None,
                        },
                        _ => None,
                    })
            });
            let handed = of_where.chain([&param.bounds]).flatten().find_map(handed);
            types.extend(handed.map(|handed| (param.ident.clone(), handed)));
        }
        let of_type = |ty: &syn::Type| match ty {
            syn::Type::ImplTrait(ty) => ty.bounds.iter().find_map(handed),
            syn::Type::TraitObject(ty) => ty.bounds.iter().find_map(handed),
            syn::Type::Path(path) => types
                .iter()
                .find_map(|(name, handed)| path.path.is_ident(name).then_some(*handed)),
            _ => None,
        };
        let params = sig.inputs.iter().map(|param| {
            let syn::FnArg::Typed(param) = param else {
                return None;
            };
            let handed = of_type(behind_reference(&param.ty))?;
            let borrowed = handed == Handed::Iterator && of_type(&param.ty).is_none();
            match &*param.pat {
                syn::Pat::Ident(pat) if !borrowed => Some((pat.ident.clone(), handed)),
                _ => None,
            }
        });
        let params = params.collect();
        let types = types.into_iter().map(|(name, _)| name).collect();
        Functions { params, types }
    }

    fn take(&self, handed: Handed) -> bool {
        self.params
            .iter()
            .flatten()
            .any(|(_, param)| *param == handed)
    }

    /// The signature without them.
    fn left_out(&self, sig: &syn::Signature) -> syn::Signature {
        let mut sig = sig.clone();
        let others = std::mem::take(&mut sig.inputs)
            .into_iter()
            .zip(&self.params);
        sig.inputs = others
            .filter(|(_, function)| function.is_none())
            .map(|(param, _)| param)
            .collect();
        let other = |param: &syn::GenericParam| !matches!(param, syn::GenericParam::Type(param) if self.types.contains(&param.ident));
        let params = std::mem::take(&mut sig.generics.params);
        sig.generics.params = params.into_iter().filter(other).collect();
        if sig.generics.params.is_empty() {
            sig.generics.where_clause = None;
        }
        sig
    }
}

/// The kind of a parameter whose type has a bound such as `Fn(..)` or `Iterator<Item = f64>`.
fn handed(bound: &syn::TypeParamBound) -> Option<Handed> {
    let syn::TypeParamBound::Trait(bound) = bound else {
        return None;
    };
    match bound.path.segments.last()?.ident.to_string().as_str() {
        "Fn" => Some(Handed::Function),
        "Iterator" | "IntoIterator" | "ExactSizeIterator" | "DoubleEndedIterator" => {
            Some(Handed::Iterator)
        }
        _ => None,
    }
}

/// What a shared reference leads to.
fn behind_reference(ty: &syn::Type) -> &syn::Type {
    match ty {
        syn::Type::Reference(ty) if ty.mutability.is_none() => behind_reference(&ty.elem),
        syn::Type::Paren(ty) => behind_reference(&ty.elem),
        ty => ty,
    }
}

/// Whether a name only stands in front of arguments.
fn is_only_called(tokens: TokenStream, name: &str) -> bool {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    (0..tokens.len()).all(|k| match &tokens[k] {
        TokenTree::Ident(word) if bare(&word.to_string()) == name => {
            matches!(tokens.get(k + 1), Some(TokenTree::Group(group)) if group.delimiter() == proc_macro2::Delimiter::Parenthesis)
        }
        TokenTree::Group(group) => is_only_called(group.stream(), name),
        _ => true,
    })
}

/// A signature without lifetimes and type parameters, and without a result that has no name.
fn without_loans(sig: &syn::Signature) -> syn::Signature {
    let mut sig = sig.clone();
    let mut anonymous = Anonymous::default();
    let types = sig.generics.type_params();
    anonymous
        .params
        .extend(types.map(|param| param.ident.clone()));
    sig.generics.where_clause = None;
    let params = std::mem::take(&mut sig.generics.params);
    let others = params.into_iter();
    let others = others.filter(|param| matches!(param, syn::GenericParam::Const(_)));
    sig.generics.params = others.collect();
    anonymous.visit_return_type_mut(&mut sig.output);
    if anonymous.unnamed {
        sig.output = syn::ReturnType::Default;
    }
    let inputs = sig.inputs.iter_mut();
    inputs.for_each(|input| anonymous.visit_fn_arg_mut(input));
    sig
}

/// Leaves lifetimes and parameters of types to rustc.
#[derive(Default)]
struct Anonymous {
    params: Vec<syn::Ident>,
    /// There was a type that `let` can't say.
    unnamed: bool,
}

impl VisitMut for Anonymous {
    fn visit_type_mut(&mut self, ty: &mut syn::Type) {
        match ty {
            syn::Type::Path(path) if self.params.iter().any(|param| path.path.is_ident(param)) => {
                *ty = syn::parse_quote!(_);
            }
            ty => syn::visit_mut::visit_type_mut(self, ty),
        }
    }

    fn visit_type_impl_trait_mut(&mut self, _: &mut syn::TypeImplTrait) {
        self.unnamed = true;
    }

    fn visit_parenthesized_generic_arguments_mut(
        &mut self,
        _: &mut syn::ParenthesizedGenericArguments,
    ) {
        self.unnamed = true;
    }

    fn visit_lifetime_mut(&mut self, lifetime: &mut syn::Lifetime) {
        if lifetime.ident != "static" {
            lifetime.ident = syn::Ident::new("_", lifetime.ident.span());
        }
    }

    fn visit_fn_arg_mut(&mut self, arg: &mut syn::FnArg) {
        if let syn::FnArg::Typed(arg) = arg {
            arg.attrs.clear();
        }
        syn::visit_mut::visit_fn_arg_mut(self, arg);
    }
}

/// Whether there is this lifetime, or a label of its name.
fn names_lifetime(tokens: TokenStream, name: &syn::Ident) -> bool {
    let mut quoted = false;
    tokens.into_iter().any(|token| match token {
        TokenTree::Punct(mark) => {
            quoted = mark.as_char() == '\'';
            false
        }
        TokenTree::Ident(word) => std::mem::take(&mut quoted) && word == *name,
        TokenTree::Group(group) => names_lifetime(group.stream(), name),
        TokenTree::Literal(_) => false,
    })
}

/// Whether a name stands for something other than a method or a field.
fn mentions(tokens: TokenStream, name: &str) -> bool {
    let mut of_value = false;
    tokens.into_iter().any(|token| {
        let is_member = std::mem::replace(
            &mut of_value,
            matches!(&token, TokenTree::Punct(mark) if mark.as_char() == '.'),
        );
        match token {
            TokenTree::Ident(word) => !is_member && bare(&word.to_string()) == name,
            TokenTree::Group(group) => mentions(group.stream(), name),
            _ => false,
        }
    })
}

fn length(tokens: TokenStream) -> usize {
    let inner = |token| match token {
        TokenTree::Group(group) => 2 + length(group.stream()),
        _ => 1,
    };
    tokens.into_iter().map(inner).sum()
}

/// Whether there is a `?`, or a macro other than `vec!`.
fn leaves_or_expands(tokens: TokenStream) -> bool {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is_macro = tokens.windows(3).any(|window| {
        matches!(window, [TokenTree::Ident(name), TokenTree::Punct(mark), TokenTree::Group(_)]
            if mark.as_char() == '!' && name != "vec")
    });
    is_macro
        || tokens.into_iter().any(|token| match token {
            TokenTree::Punct(mark) => mark.as_char() == '?',
            TokenTree::Group(group) => leaves_or_expands(group.stream()),
            _ => false,
        })
}

/// True if a loop runs over what a method gives that isn't one of std's lists or iterators: that borrows an argument, which the caller may
/// write to later.
fn loops_over_results(block: &syn::Block) -> bool {
    struct Heads(bool);
    impl<'ast> Visit<'ast> for Heads {
        fn visit_expr_for_loop(&mut self, expr: &'ast syn::ExprForLoop) {
            let mut head = &*expr.expr;
            while let syn::Expr::MethodCall(call) = head {
                self.0 |= !crate::hir::is_of_lists(&call.method.to_string());
                head = &call.receiver;
            }
            syn::visit::visit_expr_for_loop(self, expr);
        }
    }
    let mut heads = Heads(false);
    heads.visit_block(block);
    heads.0
}

/// Whether there is `let [..]`, or a `let` in a condition.
fn takes_lists_apart(tokens: TokenStream) -> bool {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let here = tokens.windows(2).any(|window| {
        let word = |token: &TokenTree, words: &[&str]| matches!(token, TokenTree::Ident(word) if words.iter().any(|w| word == w));
        word(&window[1], &["let"]) && word(&window[0], &["if", "while"])
            || word(&window[0], &["let"])
                && matches!(&window[1], TokenTree::Group(group) if group.delimiter() == proc_macro2::Delimiter::Bracket)
    });
    here || tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => takes_lists_apart(group.stream()),
        _ => false,
    })
}

impl Body {
    /// The body of a function, unless something in it depends on where it stands.
    fn new(site: &Site, item: &syn::ItemFn) -> Option<Body> {
        if !may_stand(&item.sig, &item.block) {
            return None;
        }
        let tokens = item.to_token_stream();
        let imports = super::imports(Some(site), &tokens);
        let block = imports.in_full(&item.sig, &item.block);
        let functions = Functions::of(&item.sig);
        let sig = without_loans(&item.sig);
        let inputs = sig.inputs.iter().zip(&functions.params);
        let inputs = inputs.filter_map(|(input, function)| match (input, function) {
            (_, Some((name, _))) => Some(syn::parse_quote!(#name)),
            (syn::FnArg::Typed(input), None) => Some(syn::Pat::Type(input.clone())),
            (syn::FnArg::Receiver(_), None) => None,
        });
        let output = &sig.output;
        let closure = match output {
            syn::ReturnType::Default => syn::parse2(quote!(|#(#inputs),*| #block)),
            output @ syn::ReturnType::Type(..) => {
                syn::parse2(quote!(|#(#inputs),*| #output #block))
            }
        };
        Some(Body {
            closure: closure.ok()?,
            lends: lends(&item.sig),
            has_no_rules: has_no_rules(&item.sig),
            handed: (functions.params.iter())
                .map(|param| param.as_ref().map(|(_, handed)| *handed))
                .collect(),
            length: length(block.to_token_stream()),
            fingerprint: fingerprint(&item.sig, &item.block),
            imports,
        })
    }

    /// True if the argument at this position is a function that the body calls, or an iterator that it consumes.
    pub(crate) fn handed(&self, position: usize) -> Option<Handed> {
        self.handed.get(position).copied().flatten()
    }

    /// Whether the body can work on the arguments themselves: what it writes is a variable of the caller's as a whole, not a part that has a name.
    pub(crate) fn takes<'e>(&self, args: impl IntoIterator<Item = &'e syn::Expr>) -> bool {
        self.closure.inputs.iter().zip(args).all(|(param, arg)| {
            let unique = matches!(param, syn::Pat::Type(param)
                if matches!(&*param.ty, syn::Type::Reference(ty) if ty.mutability.is_some()));
            let variable = matches!(arg, syn::Expr::Reference(arg)
                if matches!(&*arg.expr, syn::Expr::Path(path) if path.path.get_ident().is_some()));
            !unique || variable
        })
    }

    /// That the text is that of the function as it is compiled.
    fn check(&self, function: &syn::Ident) -> TokenStream {
        let (fingerprint, imports) = (self.fingerprint, self.imports.checks());
        quote!(const _: () = ::core::assert!(#function::__TEXT == #fingerprint); #imports)
    }
}

/// A module, as text.
struct Module<'a> {
    site: Option<&'a Site>,
    source: &'a Source,
    /// The brace that opens it.
    inside: Option<usize>,
}

/// How deep methods are inlined in each other.
const DEEPEST_METHOD: usize = 4;

/// An item, as far as it is read: of a function that isn't differentiable, or is only called, without the body.
struct Read<'a> {
    item: syn::Item,
    body: Option<&'a Block>,
}

impl Module<'_> {
    /// The items that are mentioned, and those that they mention. Bodies stand for calls in as many bodies in each other as `depth`;
    /// those that can't be called, in any.
    fn declared(&self, mentioned: HashSet<String>, depth: usize) -> Siblings {
        let mut all = Siblings::default();
        let (mut seen, mut known) = (HashSet::new(), HashSet::new());
        let mut level: Vec<String> = mentioned.into_iter().collect();
        for bodies in 0.. {
            let mut deeper = HashSet::new();
            while let Some(name) = level.pop() {
                if !seen.contains(&name)
                    && let Some(read) = self.only(&name)
                {
                    let mut here = HashSet::new();
                    match &read.item {
                        syn::Item::Const(_) => {}
                        syn::Item::Fn(item) => words(item.sig.to_token_stream(), &mut here),
                        item => words(item.to_token_stream(), &mut here),
                    }
                    level.extend(here);
                    all.take(&name, &read.item);
                    if let Some(body) = self.body(&read, bodies < depth) {
                        words(body.closure.body.to_token_stream(), &mut deeper);
                        all.bodies.insert(name.clone(), Rc::new(body));
                    }
                }
                seen.insert(name);
            }
            for (of, own) in &mut all.types {
                self.add_methods(of, own, &seen, bodies < DEEPEST_METHOD, &mut known);
                deeper.extend(own.bodies().flat_map(|body| body.words.iter().cloned()));
            }
            self.add_overloads(&mut all, bodies < DEEPEST_METHOD, &mut known);
            let operators = all.overloads.iter().filter_map(|overload| overload.body());
            deeper.extend(operators.flat_map(|body| body.words.iter().cloned()));
            let parts = all.indexing.iter().filter_map(|indexing| indexing.part());
            for part in parts {
                deeper.extend(part.body.words.iter().cloned());
                deeper.extend(part.steps.iter().flatten().map(|member| match member {
                    syn::Member::Named(name) => bare(&name.to_string()).to_owned(),
                    syn::Member::Unnamed(_) => String::new(),
                }));
            }
            level.extend(deeper.difference(&seen).cloned());
            if level.is_empty() {
                break;
            }
        }
        let mut own: HashSet<String> = all.types.keys().cloned().collect();
        own.retain(|name| !is_of_std(name));
        for ty in all.types.values_mut() {
            ty.keep(&seen);
            ty.leave(&|ty| {
                let iterates = constant_items(ty, &Declared::default()).is_some();
                !iterates && !consists_of(ty, &own) || self.hides(ty.to_token_stream(), &own)
            });
        }
        (all.indexing).retain(|indexing| !self.hides(indexing.output().to_token_stream(), &own));
        all.overloads.retain(|overload| {
            let types = overload.operands().iter().chain([overload.output()]);
            types
                .map(behind_reference)
                .all(|ty| !self.hides(ty.to_token_stream(), &own))
        });
        all
    }

    /// Adds the operators that are implemented for the types that are known.
    fn add_overloads(&self, all: &mut Siblings, bodies: bool, known: &mut HashSet<usize>) {
        let (items, index) = (&self.source.items, &self.source.index);
        let mut indexing = Vec::new();
        for at in index.impls(self.inside) {
            let block = &items.blocks[*at];
            let header = &block.header;
            let is_operator = |word: &str| {
                OperatorKind::of_trait(word).is_some() || ["Index", "IndexMut"].contains(&word)
            };
            let may_be = header.contains(" for ")
                && all.types.keys().any(|of| header.contains(of.as_str()))
                && super::scan::words(header).flatten().any(is_operator);
            if !may_be || !known.insert(*at) {
                continue;
            }
            let text = self.source.text.get(block.open..=block.close);
            let item = text.and_then(|text| super::parsed(&format!("{header}{text}")));
            if let Some(syn::Item::Impl(item)) = item {
                let has_rules = bodies && item.attrs.iter().any(is_bare_attribute);
                let site = self.site.filter(|_| has_rules);
                let overload = Overload::new(&item, site);
                all.overloads.extend(overload.map(Rc::new));
                indexing.push((item, site));
            }
        }
        let indexing = Indexing::all(&indexing).into_iter().map(Rc::new);
        all.indexing.extend(indexing);
    }

    /// True if a name in a type may be another one's here than std's, or than one of these, which are the file's own.
    fn hides(&self, ty: TokenStream, own: &HashSet<String>) -> bool {
        let mut names = HashSet::new();
        words(ty, &mut names);
        names.retain(|name| !own.contains(name));
        let (items, index) = (&self.source.items, &self.source.index);
        let imports = items.statements.iter().filter(|statement| {
            let text = &statement.text;
            let of_std = ["std::", "core::", "alloc::"]
                .iter()
                .any(|root| text.contains(root));
            statement.inside == self.inside && text.contains("use ") && !of_std
        });
        let mut imported =
            imports.flat_map(|statement| super::scan::words(&statement.text).flatten());
        names
            .iter()
            .any(|name| !index.named(self.inside, name).is_empty())
            || imported.any(|name| names.contains(bare(name)))
    }

    /// Adds the methods of a type that are mentioned, those of traits left out.
    fn add_methods(
        &self,
        of: &str,
        own: &mut Own,
        mentioned: &HashSet<String>,
        bodies: bool,
        known: &mut HashSet<usize>,
    ) {
        let (items, index) = (&self.source.items, &self.source.index);
        for at in index.impls(self.inside) {
            let block = &items.blocks[*at];
            if !block.header.contains(of) {
                continue;
            }
            let Some(syn::Item::Impl(item)) = super::parsed(&format!("{}{{}}", block.header))
            else {
                continue;
            };
            let is_own = matches!(&*item.self_ty, syn::Type::Path(path) if path.path.is_ident(of));
            let is_plain = item.trait_.is_none() && item.generics.params.is_empty();
            if !is_own || !is_plain || !is_as_written(&item.attrs) {
                continue;
            }
            let in_impl = item.attrs.iter().any(is_bare_attribute);
            for name in mentioned {
                for entry in index.named(Some(block.open), name) {
                    let Entry::Block(at) = *entry else { continue };
                    let method = &items.blocks[at];
                    if !known.insert(at) {
                        continue;
                    }
                    let has_rules = bodies && (in_impl || method.header.contains("differentiable"));
                    let text = self.source.text.get(method.open..=method.close);
                    let text = text.filter(|_| has_rules).unwrap_or("{}");
                    let parsed = syn::parse_str(&format!("{}{text}", method.header));
                    if let Ok(method) = parsed {
                        let method: syn::ImplItemFn = method;
                        let has_rules =
                            has_rules && (in_impl || method.attrs.iter().any(is_bare_attribute));
                        own.add(of, &method, self.site.filter(|_| has_rules));
                    }
                }
            }
        }
    }

    /// The item of a name, if there is one.
    fn only(&self, wanted: &str) -> Option<Read<'_>> {
        let items = &self.source.items;
        let called = self.source.called.lock().ok()?;
        let mut found = None;
        for entry in self.source.index.named(self.inside, wanted) {
            let (text, end, body) = match *entry {
                Entry::Statement(at) => (&items.statements[at].text, ";", None),
                Entry::Block(at) => {
                    let block = &items.blocks[at];
                    let header = &block.header;
                    let may_stand = header.contains("fn")
                        && header.contains("differentiable")
                        && !called.contains(&block.open);
                    let text = self.source.text.get(block.open..=block.close);
                    match text.filter(|_| may_stand || header.contains("struct")) {
                        Some(text) => (header, text, may_stand.then_some(block)),
                        None => (header, "{}", None),
                    }
                }
            };
            if let Some(item) = super::parsed(&format!("{text}{end}"))
                && name(&item).as_deref() == Some(wanted)
                && found.replace(Read { item, body }).is_some()
            {
                return None;
            }
        }
        found
    }

    /// True if a body mentions a function of the module that has no rules.
    fn calls_unmarked(&self, body: &Body) -> bool {
        let mut mentioned = HashSet::new();
        words(body.closure.body.to_token_stream(), &mut mentioned);
        mentioned.iter().any(|name| {
            let mut entries = self.source.index.named(self.inside, name).iter();
            entries.any(|entry| match *entry {
                Entry::Block(at) => {
                    let header = self.source.items.blocks[at].header.trim_start();
                    function(header) == Some(name) && is_unmarked(header)
                }
                Entry::Statement(_) => false,
            })
        })
    }

    /// The body of a function that may stand for its calls; for those that can't be called only, unless `for_all`.
    fn body(&self, read: &Read<'_>, for_all: bool) -> Option<Body> {
        let (syn::Item::Fn(item), Some(block), Some(site)) = (&read.item, read.body, self.site)
        else {
            return None;
        };
        let has_no_rules = has_no_rules(&item.sig);
        if !for_all && !has_no_rules {
            return None;
        }
        let attrs = &item.attrs;
        let may = is_as_written(attrs)
            && attrs.iter().any(is_bare_attribute)
            && (has_no_rules || !attrs.iter().any(keeps_calls));
        let body = may.then(|| Body::new(site, item)).flatten();
        // The error of a call without rules belongs to the function that makes it.
        let body = body.filter(|body| has_no_rules || !self.calls_unmarked(body));
        if body.is_none()
            && let Ok(mut called) = self.source.called.lock()
        {
            called.insert(block.open);
        }
        body
    }
}

impl Siblings {
    fn take(&mut self, name: &str, item: &syn::Item) {
        match item {
            syn::Item::Fn(item) if is_as_written(&item.attrs) && is_plain(&item.sig) => {
                if item.attrs.iter().any(makes_rules) {
                    self.differentiable.insert(name.to_owned());
                }
                let sig = Rc::new(item.sig.clone());
                self.functions.insert(name.to_owned(), sig);
            }
            syn::Item::Struct(item) => {
                let own = self.types.entry(name.to_owned());
                own.or_default().declare(item);
            }
            syn::Item::Const(item) if is_as_written(&item.attrs) => {
                self.constants.insert(name.to_owned(), (*item.ty).clone());
            }
            syn::Item::Type(item)
                if is_as_written(&item.attrs) && item.generics.params.is_empty() =>
            {
                let aliases = Rc::make_mut(&mut self.aliases);
                aliases.insert(name.to_owned(), (*item.ty).clone());
            }
            _ => {}
        }
    }
}

impl Siblings {
    /// Drops the bodies in which a name might be that of something in `item`.
    /// Without bodies that may mean something else where they stand for a call.
    fn leave_what_is_hidden(&mut self, item: &impl Hiding) {
        let declaring = [
            "const",
            "enum",
            "fn",
            "macro_rules",
            "static",
            "struct",
            "trait",
            "type",
            "union",
        ];
        let (mut inside, mut generics) = (HashSet::new(), HashSet::new());
        item.each_function(&mut |params, block| {
            words(params.to_token_stream(), &mut generics);
            words(block.to_token_stream(), &mut inside);
        });
        if declaring.iter().any(|word| inside.contains(*word)) {
            self.bodies.clear();
        }
        if generics.is_empty() {
            return;
        }
        self.bodies.retain(|_, body| {
            let mut text = HashSet::new();
            words(body.closure.to_token_stream(), &mut text);
            text.is_disjoint(&generics)
        });
    }
}

/// An item whose functions may give names another meaning.
pub(crate) trait Hiding {
    /// Generic parameters, and bodies.
    fn each_function(&self, visit: &mut dyn FnMut(&Params, &syn::Block));
}

type Params = syn::punctuated::Punctuated<syn::GenericParam, syn::Token![,]>;

impl Hiding for syn::ItemFn {
    fn each_function(&self, visit: &mut dyn FnMut(&Params, &syn::Block)) {
        visit(&self.sig.generics.params, &self.block);
    }
}

impl Hiding for syn::ItemImpl {
    fn each_function(&self, visit: &mut dyn FnMut(&Params, &syn::Block)) {
        for item in &self.items {
            if let syn::ImplItem::Fn(method) = item {
                visit(&self.generics.params, &method.block);
                visit(&method.sig.generics.params, &method.block);
            }
        }
    }
}

/// What an item is called, if that may be mentioned.
fn name(item: &syn::Item) -> Option<String> {
    let ident = match item {
        syn::Item::Fn(item) => &item.sig.ident,
        syn::Item::Const(item) => &item.ident,
        syn::Item::Static(item) => &item.ident,
        syn::Item::Type(item) => &item.ident,
        syn::Item::Struct(item) => &item.ident,
        syn::Item::Enum(item) => &item.ident,
        syn::Item::Trait(item) => &item.ident,
        _ => return None,
    };
    Some(bare(&ident.to_string()).to_owned())
}

/// Whether a function is what its signature says, for any arguments of one type each.
fn is_plain(sig: &syn::Signature) -> bool {
    let mut text = HashSet::new();
    words(sig.to_token_stream(), &mut text);
    let special = ["unsafe", "async", "extern", "impl", "self", "where"];
    sig.generics.params.is_empty()
        && sig.variadic.is_none()
        && !special.iter().any(|word| text.contains(*word))
}

/// Whether attributes leave an item as it is, whatever the configuration.
pub(super) fn is_as_written(attrs: &[syn::Attribute]) -> bool {
    let known = [
        "allow",
        "cold",
        "deprecated",
        "doc",
        "expect",
        "inline",
        "must_use",
        "warn",
    ];
    (attrs.iter())
        .all(|attr| makes_rules(attr) || known.iter().any(|name| attr.path().is_ident(name)))
}

/// Whether it is `#[differentiable]`, with rules under the function's own name.
fn makes_rules(attr: &syn::Attribute) -> bool {
    let last = attr.path().segments.last();
    let mut options = HashSet::new();
    words(attr.meta.to_token_stream(), &mut options);
    last.is_some_and(|last| last.ident == "differentiable") && !options.contains("rules")
}

/// Whether it is `#[differentiable]` without options.
fn is_bare_attribute(attr: &syn::Attribute) -> bool {
    makes_rules(attr) && matches!(attr.meta, syn::Meta::Path(_))
}

/// Whether it is `#[inline(never)]` or `#[cold]`.
fn keeps_calls(attr: &syn::Attribute) -> bool {
    let mut text = HashSet::new();
    words(attr.meta.to_token_stream(), &mut text);
    attr.path().is_ident("cold") || attr.path().is_ident("inline") && text.contains("never")
}

pub(super) fn is_module(header: &str) -> bool {
    matches!(
        syn::parse_str(&format!("{header}{{}}")),
        Ok(syn::Item::Mod(_))
    )
}

/// All identifiers of tokens.
pub(crate) fn words(tokens: TokenStream, all: &mut HashSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(word) => {
                all.insert(bare(&word.to_string()).to_owned());
            }
            TokenTree::Group(group) => words(group.stream(), all),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, mentioned: &[&str]) -> Siblings {
        let path = std::path::Path::new("");
        let source = Source::new(path, (None, 0), text.to_owned());
        let mentioned = mentioned.iter().map(|name| (*name).to_owned()).collect();
        let module = Module {
            site: None,
            source: &source,
            inside: None,
        };
        module.declared(mentioned, 3).settled()
    }

    #[test]
    fn what_is_mentioned_is_taken() {
        let text = "use a::B; type V = [f64; 3]; type M = [V; 3]; const N: usize = 3; const S: &str = \"\";
            #[differentiable] pub fn f(x: &M) -> f64 { 1.0 } fn g() -> V { V } mod m { fn h() -> f64 { 1.0 } }";
        let all = of(text, &["f", "N", "S", "h"]);
        assert_eq!(
            all.checks(&quote!(rt)).to_string(),
            quote!(
                const _: fn(M) -> [V; 3] = |x| x;
                const _: usize = N;
                const _: fn(V) -> [f64; 3] = |x| x;
                const _: fn(&M) -> f64 = f;
            )
            .to_string()
        );
        let differentiable: Vec<&str> = all.differentiable().map(|(name, _)| name).collect();
        assert_eq!(differentiable, ["f"]);
        assert!(all.function("g").is_none());
    }

    #[test]
    fn what_the_file_does_not_say_is_left() {
        let text = "#[cfg(a)] type V = f64; #[cfg(not(a))] type W = f32; #[cached] fn f() -> f64 { 1.0 }
            fn g<T>(x: T) -> T { x } fn h() -> impl Fn() { || () } type I = usize; type R = &'static [f64]; type O = Other;
            const N: usize = 1; #[cfg(b)] const N: usize = 2; type Own = f64; struct Own; ";
        let all = of(text, &["V", "W", "f", "g", "h", "I", "R", "O", "N", "Own"]);
        assert_eq!(all.checks(&quote!(rt)).to_string(), "");
    }
}

//! Finds the types of a file that hold no floats, and those that hold some but have no tangent.
//!
//! In: the position of an attribute, and its item. Out: [`FileTypes`]. A type that holds no floats is a constant without an annotation, and
//! [`FileTypes::checks`] takes one apart, so that rustc compares its fields with the file. A type without a tangent is an error
//! where one is needed.
//!
//! A name is looked up in the module of the attribute, and in the modules around it where a `use super::..` leads there. Nothing is known of
//! a name that is declared twice or imported, of items under a `#[cfg]` or an attribute that may rewrite them, and of generic types.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::attributes::{is_packed, leaves_type, makes_rules};
use super::module::{Import, Module};
use super::scan;
use super::source::Site;
use super::tokens::{bare, words_of};
use super::whole;
use crate::syntax::type_arguments;
use crate::types::written::{self, INTEGERS};

/// Types of std that hold a value of their parameter's type.
const OF_STD: [&str; 7] = ["Arc", "Box", "Option", "Rc", "Result", "Vec", "VecDeque"];

/// The types that an item mentions: which hold no floats, and which have no tangent.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileTypes {
    /// Hold no floats.
    constants: Rc<HashSet<String>>,
    without_tangent: Rc<HashSet<String>>,
    checks: TokenStream,
    /// Where they are declared.
    at: Option<Module>,
    /// Of which a tangent was missing.
    missing: Rc<RefCell<BTreeSet<String>>>,
}

impl FileTypes {
    /// The types that hold no floats.
    pub(crate) fn constants(&self) -> Rc<HashSet<String>> {
        Rc::clone(&self.constants)
    }

    /// Items that compile if these types are as the file declares them.
    pub(crate) fn checks(&self) -> &TokenStream {
        &self.checks
    }

    /// The first name in a type that refers to a type without a tangent. Of a `Result` only the value has a tangent.
    pub(crate) fn without_tangent<'t>(
        &self,
        ty: &'t syn::Type,
        hidden: &[String],
    ) -> Option<&'t syn::Ident> {
        match written::ungrouped(ty) {
            syn::Type::Reference(ty) => self.without_tangent(&ty.elem, hidden),
            syn::Type::Slice(ty) => self.without_tangent(&ty.elem, hidden),
            syn::Type::Array(ty) => self.without_tangent(&ty.elem, hidden),
            syn::Type::Tuple(ty) => ty
                .elems
                .iter()
                .find_map(|ty| self.without_tangent(ty, hidden)),
            syn::Type::Path(path) if path.qself.is_none() => {
                let last = path.path.segments.last()?;
                if path.path.segments.len() == 1 {
                    let name = last.ident.to_string();
                    if self.without_tangent.contains(bare(&name))
                        && !hidden.contains(&name)
                        && !self.is_recovered(&name)
                    {
                        return Some(&last.ident);
                    }
                }
                // Other types may have a parameter for their constant parts.
                let first = *type_arguments(last).first()?;
                let known = OF_STD.iter().any(|name| last.ident == name);
                known.then(|| self.without_tangent(first, hidden))?
            }
            _ => None,
        }
    }

    /// True if a type holds no floats because of one that the file declares.
    pub(crate) fn is_constant(&self, ty: &syn::Type) -> bool {
        let hidden = crate::types::Declared::default().with_constants(self.constants());
        !words_of(ty).is_disjoint(&self.constants) && !written::may_have_tangent(ty, &hidden)
    }
}

/// The error for a type that would need a tangent; `or`: the alternative.
pub(crate) fn missing_tangent(name: &syn::Ident, or: &str) -> syn::Error {
    crate::diagnostics::error(
        name.span(),
        format!("`{name}` has no tangent type"),
        format!("write `#[derive(Differentiable)]` on `{name}`{or}"),
    )
}

impl FileTypes {
    /// Forgets of which types a tangent was missing: the item is looked at once more.
    pub(crate) fn begin(&self) {
        self.missing.borrow_mut().clear();
    }

    /// The error for a type that would need a tangent, once for each type; `or`: the alternative.
    pub(crate) fn missing_tangent(&self, name: &syn::Ident, or: &str) -> Option<syn::Error> {
        let first = self.missing.borrow_mut().insert(name.to_string());
        first.then(|| missing_tangent(name, or))
    }

    /// True if an expansion has emitted the items that the derive of a type would emit, beside the error.
    fn is_recovered(&self, name: &str) -> bool {
        self.at.as_ref().is_some_and(|module| {
            let recovered = module.source.recovered.lock();
            recovered.is_ok_and(|all| all.contains(&(module.inside, bare(name).to_owned())))
        })
    }

    /// After such errors: the types as if they were derived, and the items that the derive would emit for them, so that one mistake is one
    /// message. Each is emitted once.
    pub(crate) fn recovered(&self, rt: &TokenStream) -> Option<(FileTypes, TokenStream)> {
        let module = self.at.as_ref()?;
        let mut next = std::mem::take(&mut *self.missing.borrow_mut());
        let (mut derived, mut emitted) = (BTreeSet::new(), TokenStream::new());
        while let Some(name) = next.pop_first() {
            let Some((at, item)) = declaration(module, &name) else {
                continue;
            };
            if at.inside != module.inside || !derived.insert(name.clone()) {
                continue;
            }
            let (input, lacking) = derivable(module, &item, rt)?;
            next.extend(lacking.into_iter().filter(|name| !derived.contains(name)));
            if (module.source.recovered.lock().ok()?).insert((module.inside, name)) {
                emitted.extend(crate::derive::expand(input, None));
            }
        }
        (!derived.is_empty()).then(|| (self.with_tangents(&derived), emitted))
    }

    /// These types with tangents of some that have none.
    fn with_tangents(&self, derived: &BTreeSet<String>) -> FileTypes {
        let mut types = self.clone();
        Rc::make_mut(&mut types.constants).retain(|name| !derived.contains(name));
        Rc::make_mut(&mut types.without_tangent).retain(|name| !derived.contains(name));
        types
    }

    /// Of an `impl` of a trait for a type that holds no floats: the types, of which that one has a tangent as the trait wants it, and
    /// the items that the derive would emit for it. They stand beside the first such `impl`.
    pub(crate) fn implementor(
        &self,
        block: &syn::ItemImpl,
        rt: &TokenStream,
    ) -> Option<(FileTypes, TokenStream)> {
        let (module, syn::Type::Path(of)) = (self.at.as_ref()?, &*block.self_ty) else {
            return None;
        };
        let name = of.path.get_ident()?.to_string();
        let (at, item) = declaration(module, &name).filter(|_| self.constants.contains(&name))?;
        if at.inside != module.inside {
            return None;
        }
        let blocks = module
            .all("impl")
            .filter(|item| item.header.contains(&name));
        let blocks = blocks.filter_map(|item| module.parsed::<syn::ItemImpl>(item, false));
        let same = |other: &syn::ItemImpl| other.self_ty == block.self_ty;
        let mut blocks = blocks.filter(|other| same(other) && other.trait_.is_some());
        let first = blocks.find(|other| other.attrs.iter().any(makes_rules))?;
        let is_as_written = |attr| makes_rules(attr) || leaves_type(attr);
        if !first.attrs.iter().all(is_as_written) {
            return None;
        }
        let emitted = if first.trait_ == block.trait_ {
            crate::derive::expand(derivable(module, &item, rt)?.0, None)
        } else {
            TokenStream::new()
        };
        Some((self.with_tangents(&BTreeSet::from([name])), emitted))
    }
}

/// The declaration of a type as if it were to be derived: fields that hold no floats are constant. Second, the types of other fields that
/// have no tangent.
fn derivable(
    module: &Module,
    item: &syn::Item,
    rt: &TokenStream,
) -> Option<(syn::DeriveInput, Vec<String>)> {
    let mut input = syn::parse2::<syn::DeriveInput>(quote!(#item)).ok()?;
    let mut mentioned = words_of(item);
    mentioned.remove(&input.ident.to_string());
    let inside = in_module(module, &mentioned, rt);
    let parameters: Vec<String> = (input.generics.type_params())
        .map(|param| param.ident.to_string())
        .collect();
    let mut lacking = Vec::new();
    each_field(&mut input.data, &mut |field| {
        if inside.is_constant(&field.ty) {
            field.attrs.push(syn::parse_quote!(#[constant]));
        } else if let Some(lacks) = inside.without_tangent(&field.ty, &parameters) {
            lacking.push(lacks.to_string());
        }
    });
    Some((input, lacking))
}

fn each_field(data: &mut syn::Data, visit: &mut dyn FnMut(&mut syn::Field)) {
    match data {
        syn::Data::Struct(data) => data.fields.iter_mut().for_each(visit),
        syn::Data::Enum(data) => {
            let fields = data.variants.iter_mut().map(|variant| &mut variant.fields);
            fields.flatten().for_each(visit);
        }
        syn::Data::Union(_) => {}
    }
}

/// Reads the file for the types that `item` mentions.
pub(crate) fn file_types(site: Option<&Site>, item: &TokenStream, rt: &TokenStream) -> FileTypes {
    let found = Module::and_names(site, item);
    found.map_or_else(FileTypes::default, |(module, mentioned)| FileTypes {
        at: Some(module.clone()),
        ..in_module(&module, &mentioned, rt)
    })
}

fn in_module(module: &Module, mentioned: &HashSet<String>, rt: &TokenStream) -> FileTypes {
    let mut file = File {
        module,
        rt,
        known: BTreeMap::new(),
    };
    let (mut constants, mut without) = (HashSet::new(), HashSet::new());
    let may_be_types = |name: &&String| name.starts_with(char::is_uppercase);
    for name in mentioned.iter().filter(may_be_types) {
        // A constant of which a tangent is wanted all the same has none either.
        if file.is_constant(name) {
            constants.insert(name.clone());
            without.insert(name.clone());
        } else if matches!(file.known.get(name), Some(Kind::WithoutTangent)) {
            without.insert(name.clone());
        }
    }
    FileTypes {
        constants: Rc::new(constants),
        without_tangent: Rc::new(without),
        checks: file.checks(),
        at: None,
        missing: Rc::default(),
    }
}

enum Kind {
    /// It certainly holds no floats, and has no tangent. These arms take a value apart, and the types that it holds.
    Constant(TokenStream),
    /// It may hold floats, and has no tangent.
    WithoutTangent,
    Unknown,
}

struct File<'s> {
    /// The module of the attribute.
    module: &'s Module,
    /// The path of the runtime's hidden module.
    rt: &'s TokenStream,
    known: BTreeMap<String, Kind>,
}

impl File<'_> {
    fn is_constant(&mut self, name: &str) -> bool {
        if !self.known.contains_key(name) {
            // Of a type that holds itself nothing is known.
            self.known.insert(name.to_owned(), Kind::Unknown);
            let kind = self.read(name);
            self.known.insert(name.to_owned(), kind);
        }
        matches!(self.known.get(name), Some(Kind::Constant(_)))
    }

    fn read(&mut self, name: &str) -> Kind {
        let Some((at, item)) = declaration(self.module, name) else {
            // Of a type of another module only the missing tangent is known.
            let here = is_imported_from_file(self.module, name);
            let lacks = |here| whole::lacks_tangent(name, &self.module.source, here);
            return match here {
                Some(here) if lacks(here) => Kind::WithoutTangent,
                _ => Kind::Unknown,
            };
        };
        let (attrs, generics) = match &item {
            syn::Item::Struct(item) => (&item.attrs, &item.generics),
            syn::Item::Enum(item) => (&item.attrs, &item.generics),
            _ => return Kind::Unknown,
        };
        if !attrs.iter().all(leaves_type) || has_implementation(self.module, name) {
            return Kind::Unknown;
        }
        if !generics.params.is_empty() || attrs.iter().any(is_packed) {
            return Kind::WithoutTangent;
        }
        let arms = match &item {
            syn::Item::Struct(item) => self.fields(&at, &quote!(), &item.ident, &item.fields),
            syn::Item::Enum(item) => {
                let arms = item.variants.iter().map(|variant| {
                    let ident = &variant.ident;
                    let arm = self.fields(&at, &quote!(::#ident), &item.ident, &variant.fields)?;
                    variant.attrs.iter().all(leaves_type).then_some(arm)
                });
                arms.collect::<Option<TokenStream>>()
            }
            _ => None,
        };
        arms.map_or(Kind::WithoutTangent, Kind::Constant)
    }

    /// Takes values of the constant types apart.
    fn checks(&self) -> TokenStream {
        let checks = self.known.iter().filter_map(|(name, kind)| match kind {
            Kind::Constant(arms) => {
                let name = syn::parse_str::<syn::Ident>(name).ok()?;
                Some(quote!(const _: fn(&#name) = |x| match *x { #arms };))
            }
            _ => None,
        });
        let checks: TokenStream = checks.collect();
        if checks.is_empty() {
            return checks;
        }
        quote! {
            const _: () = {
                fn same<T: ?::core::marker::Sized>(_: &T, _: ::core::marker::PhantomData<T>) {}
                #checks
            };
        }
    }

    /// The arm of a `match` for a struct or a variant, unless it may hold floats.
    fn fields(
        &mut self,
        at: &Module,
        variant: &TokenStream,
        ident: &syn::Ident,
        fields: &syn::Fields,
    ) -> Option<TokenStream> {
        let (mut patterns, mut checks) = (Vec::new(), Vec::new());
        for (k, field) in fields.iter().enumerate() {
            if !field.attrs.iter().all(leaves_type) {
                return None;
            }
            let ty = self.without_floats(at, &field.ty)?;
            let local = format_ident!("field_{k}");
            let member = field
                .ident
                .clone()
                .map_or_else(|| syn::Member::from(k), syn::Member::Named);
            patterns.push(quote!(#member: ref #local));
            checks.push(quote!(same(#local, ::core::marker::PhantomData::<#ty>);));
        }
        Some(quote!(#ident #variant { #(#patterns),* } => { #(#checks)* }))
    }

    /// A type with the names of std in full, unless it may hold floats.
    fn without_floats(&mut self, at: &Module, ty: &syn::Type) -> Option<TokenStream> {
        match written::ungrouped(ty) {
            syn::Type::Reference(ty) if ty.mutability.is_none() => {
                let lifetime = ty.lifetime.as_ref().filter(|l| l.ident == "static")?;
                let inner = self.without_floats(at, &ty.elem)?;
                Some(quote!(&#lifetime #inner))
            }
            syn::Type::Slice(ty) => {
                let inner = self.without_floats(at, &ty.elem)?;
                Some(quote!([#inner]))
            }
            syn::Type::Array(ty) => {
                let (inner, len) = (self.without_floats(at, &ty.elem)?, &ty.len);
                let literal = matches!(len, syn::Expr::Lit(_));
                (self.is_here(at) || literal).then(|| quote!([#inner; #len]))
            }
            syn::Type::Tuple(ty) => {
                let inner: Option<Vec<_>> = ty
                    .elems
                    .iter()
                    .map(|ty| self.without_floats(at, ty))
                    .collect();
                let inner = inner?;
                Some(quote!((#(#inner,)*)))
            }
            syn::Type::Path(path) if path.qself.is_none() => {
                let ident = path.path.get_ident();
                let last = path.path.segments.last()?;
                if path.path.segments.len() > 1 || path.path.leading_colon.is_some() {
                    return None;
                }
                let name = last.ident.to_string();
                if let (Some(ident), Some(declared)) = (ident, self.of_file(at, &name)) {
                    return declared.then(|| quote!(#ident));
                }
                self.of_std(at, &name, last)
            }
            _ => None,
        }
    }

    /// True if a type that the file declares holds no floats.
    fn of_file(&mut self, at: &Module, name: &str) -> Option<bool> {
        let (of, _) = declaration(at, name)?;
        Some(self.is_here(at) && self.is_here(&of) && self.is_constant(name))
    }

    /// True if types are declared in the module of the attribute: its names alone are those of the fields' types.
    fn is_here(&self, at: &Module) -> bool {
        at.inside == self.module.inside
    }

    /// A type of std's under its own name, of which the file has no other.
    fn of_std(
        &mut self,
        at: &Module,
        name: &str,
        segment: &syn::PathSegment,
    ) -> Option<TokenStream> {
        // Anything in the module may declare a name that std's prelude has.
        if at.named(name).any(scan::Item::is_type)
            || at.imports(&[name]).any(|import| import.is(name))
        {
            return None;
        }
        let ident = &segment.ident;
        if INTEGERS.contains(&name) || ["bool", "char", "str"].contains(&name) {
            return segment
                .arguments
                .is_none()
                .then(|| quote!(::core::primitive::#ident));
        }
        let args = type_arguments(segment).into_iter();
        let args: Option<Vec<_>> = args.map(|ty| self.without_floats(at, ty)).collect();
        let rt = self.rt;
        match (name, &args?[..]) {
            ("String", []) => Some(quote!(#rt::String)),
            ("Vec", [ty]) => Some(quote!(#rt::Vec<#ty>)),
            ("Box", [ty]) => Some(quote!(#rt::Box<#ty>)),
            ("Option", [ty]) => Some(quote!(::core::option::Option<#ty>)),
            _ => None,
        }
    }
}

/// True if a name is that of a type of the module, or of one that the module around brings in.
pub(super) fn declares_type(module: &Module, name: &str) -> bool {
    declaration(module, name).is_some()
}

/// The only type of this name that can be meant, and the module that it is in.
fn declaration(module: &Module, name: &str) -> Option<(Module, syn::Item)> {
    let mut types = module.named(name).filter(|item| item.is_type());
    let found = types.next();
    if types.next().is_some() {
        return None;
    }
    if let Some(item) = found {
        let imported = module.imports(&[name]).any(|import| import.is(name));
        let item = module.parsed(item, true)?;
        return (!imported).then(|| (module.clone(), item));
    }
    // The module around may have it, if a `use` brings it in and nothing else may bring another.
    let may_bring = |import: &Import| import.is(name) || import.is_glob() && import.is_of("super");
    let (ours, others): (Vec<_>, Vec<_>) = (module.imports(&[name, "super"]))
        .filter(may_bring)
        .partition(|import| import.is_of("super"));
    if ours.is_empty() || !others.is_empty() {
        return None;
    }
    declaration(&module.parent()?, name)
}

/// True if a name is imported from a module of this file; `None` if it isn't imported from one of the crate's, by its name or by `*`.
fn is_imported_from_file(module: &Module, name: &str) -> Option<bool> {
    let words = [name];
    let by_name = module.imports(&words).filter(|import| import.is(name));
    let of_prelude = |import: &Import| import.path.iter().any(|part| part == "chainrule");
    let by_glob = (module.imports(&["*"])).filter(|import| import.is_glob() && !of_prelude(import));
    let mut imports: Vec<Import> = by_name.collect();
    if imports.is_empty() {
        imports.extend(by_glob);
    }
    let from = |import: &Import| {
        let (root, is_own) = (import.root()?, import.is_own());
        let modules = import.path.len() - usize::from(!import.is_glob());
        let next = import.path.get(1).filter(|_| modules > 1);
        let from = match next {
            Some(next) if is_own => next.to_string(),
            _ => root.clone(),
        };
        (is_own || module.has_module(&root)).then_some(from)
    };
    let from: Vec<String> = imports.iter().map(from).collect::<Option<_>>()?;
    let is_here = |item: &scan::Item| {
        item.keyword == "mod" && item.braces.is_some() && from.contains(&item.name)
    };
    (!from.is_empty()).then(|| module.source.items.iter().any(is_here))
}

/// True if a tangent is written for a type, here or in another file of the crate.
pub(super) fn has_implementation(module: &Module, name: &str) -> bool {
    let implements = |item: &scan::Item| {
        let of = item.header.split_once("Differentiable");
        of.is_some_and(|(_, of)| scan::words(of).flatten().any(|word| word == name))
    };
    let mut blocks = module
        .source
        .items
        .iter()
        .filter(|item| item.braces.is_some());
    blocks.any(implements)
        || whole::is_given_to_a_macro(&module.source.text, name)
        || whole::is_implemented(name)
}

//! The types that a file declares: which of them hold no floats, and which hold some but have no tangent.
//!
//! In: where an attribute stands, and what it stands on. Out: [`FileTypes`]. A type that holds no floats is a constant without an annotation,
//! and [`FileTypes::checks`] takes one apart, so that rustc compares its fields with what the file says. A type without a tangent is an error
//! where one is needed.
//!
//! A name is looked up in the module of the attribute, and in the modules around it where a `use super::..` leads there. Nothing is known of
//! a name that is declared twice or imported, of what stands under a `#[cfg]` or an attribute that may rewrite it, and of generic types.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::read::{brings, declared_name, implements, import, is_inert, mentions};
use super::siblings::{is_module, words};
use super::{Site, Source, bare, first_word, source, whole};
use crate::types::written::{self, INTEGERS};

/// Types of std that hold what their parameter is.
const OF_STD: [&str; 7] = ["Arc", "Box", "Option", "Rc", "Result", "Vec", "VecDeque"];

/// The types that an item mentions: which hold no floats, and which have no tangent.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileTypes {
    /// Hold no floats.
    constants: Rc<HashSet<String>>,
    /// Have no tangent.
    without_tangent: Rc<HashSet<String>>,
    checks: TokenStream,
    /// Where they are declared: the file, and the module in it.
    at: Option<(Arc<Source>, Option<usize>)>,
    /// Of which a tangent was missing.
    missing: Rc<RefCell<BTreeSet<String>>>,
}

impl FileTypes {
    /// The types that hold no floats.
    pub(crate) fn constants(&self) -> Rc<HashSet<String>> {
        Rc::clone(&self.constants)
    }

    /// Items that compile if these types are what the file says.
    pub(crate) fn checks(&self) -> &TokenStream {
        &self.checks
    }

    /// The first name in a type that stands for one without a tangent, and what to write. Of a `Result` only the value has a tangent.
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
                // Other types may take a parameter for what is constant in them.
                let first = generic_of(last)?.1.into_iter().next()?;
                let known = OF_STD.iter().any(|name| last.ident == name);
                known.then(|| self.without_tangent(first, hidden))?
            }
            _ => None,
        }
    }

    /// True if a type holds no floats because of one that the file declares.
    pub(crate) fn is_constant(&self, ty: &syn::Type) -> bool {
        let mut mentioned = HashSet::new();
        words(quote!(#ty), &mut mentioned);
        let hidden = crate::types::Declared::default().with_constants(self.constants());
        !mentioned.is_disjoint(&self.constants) && !written::may_have_tangent(ty, &hidden)
    }
}

/// The error for a type that would need a tangent; `or`: what else there is to write.
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

    /// The error for a type that would need a tangent, once for each type; `or`: what else there is to write.
    pub(crate) fn missing_tangent(&self, name: &syn::Ident, or: &str) -> Option<syn::Error> {
        let first = self.missing.borrow_mut().insert(name.to_string());
        first.then(|| missing_tangent(name, or))
    }

    /// True if an expansion has emitted what the derive of a type would, beside the error.
    fn is_recovered(&self, name: &str) -> bool {
        self.at.as_ref().is_some_and(|(source, module)| {
            let recovered = source.recovered.lock();
            recovered.is_ok_and(|all| all.contains(&(*module, bare(name).to_owned())))
        })
    }

    /// After such errors: the types as if they were derived, and what the derive emits for them, so that one mistake is one message. Each is
    /// emitted once.
    pub(crate) fn recovered(&self, rt: &TokenStream) -> Option<(FileTypes, TokenStream)> {
        let (source, module) = self.at.as_ref()?;
        let mut next = std::mem::take(&mut *self.missing.borrow_mut());
        let (mut derived, mut emitted) = (BTreeSet::new(), TokenStream::new());
        while let Some(name) = next.pop_first() {
            let file = File {
                source,
                rt,
                known: BTreeMap::new(),
            };
            let Some((at, item)) = file.declaration(*module, &name) else {
                continue;
            };
            if at != *module || !derived.insert(name.clone()) {
                continue;
            }
            let mut mentioned = HashSet::new();
            words(quote!(#item), &mut mentioned);
            mentioned.remove(&name);
            let inside = in_module(source, *module, &mentioned, rt);
            let mut input = syn::parse2::<syn::DeriveInput>(quote!(#item)).ok()?;
            let parameters: Vec<String> = (input.generics.type_params())
                .map(|param| param.ident.to_string())
                .collect();
            each_field(&mut input.data, &mut |field| {
                if inside.is_constant(&field.ty) {
                    field.attrs.push(syn::parse_quote!(#[constant]));
                } else if let Some(lacks) = inside.without_tangent(&field.ty, &parameters)
                    && !derived.contains(&lacks.to_string())
                {
                    next.insert(lacks.to_string());
                }
            });
            if source.recovered.lock().ok()?.insert((*module, name)) {
                emitted.extend(crate::derive::expand(input, None));
            }
        }
        if derived.is_empty() {
            return None;
        }
        let mut types = self.clone();
        Rc::make_mut(&mut types.constants).retain(|name| !derived.contains(name));
        Rc::make_mut(&mut types.without_tangent).retain(|name| !derived.contains(name));
        Some((types, emitted))
    }
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

fn generic_of(segment: &syn::PathSegment) -> Option<(&syn::Ident, Vec<&syn::Type>)> {
    match &segment.arguments {
        syn::PathArguments::AngleBracketed(args) => {
            let types = args.args.iter().filter_map(|arg| match arg {
                syn::GenericArgument::Type(ty) => Some(ty),
                _ => None,
            });
            Some((&segment.ident, types.collect()))
        }
        _ => None,
    }
}

/// Reads the file for the types that `item` mentions.
pub(crate) fn file_types(site: Option<&Site>, item: &TokenStream, rt: &TokenStream) -> FileTypes {
    let mut mentioned = HashSet::new();
    words(item.clone(), &mut mentioned);
    let mut found = || {
        let source = source(&site?.file)?;
        let offset = source.offset(site?)?;
        let mut module = None;
        for block in source.around(offset) {
            match first_word(&block.header).as_deref() {
                // The type of a method's receiver is written here.
                Some("impl" | "trait") => {
                    let header: TokenStream = block.header.parse().ok()?;
                    words(header, &mut mentioned);
                }
                _ => {
                    module = Some(block);
                    break;
                }
            }
        }
        if module.is_some_and(|block| !is_module(&block.header)) {
            // A function may have types of its own.
            return None;
        }
        let module = module.map(|block| block.open);
        let mut types = in_module(&source, module, &mentioned, rt);
        types.at = Some((source, module));
        Some(types)
    };
    found().unwrap_or_default()
}

fn in_module(
    source: &Source,
    module: Option<usize>,
    mentioned: &HashSet<String>,
    rt: &TokenStream,
) -> FileTypes {
    let mut file = File {
        source,
        rt,
        known: BTreeMap::new(),
    };
    let (mut constants, mut without) = (HashSet::new(), HashSet::new());
    for name in mentioned {
        if !name.starts_with(char::is_uppercase) {
            continue;
        }
        match file.kind(module, name) {
            Kind::Constant => {
                constants.insert(name.clone());
            }
            Kind::WithoutTangent => {
                without.insert(name.clone());
            }
            Kind::Unknown => {}
        }
    }
    let checks = file.checks(&constants);
    // A constant of which a tangent is wanted all the same has none either.
    without.extend(constants.iter().cloned());
    FileTypes {
        constants: Rc::new(constants),
        without_tangent: Rc::new(without),
        checks,
        at: None,
        missing: Rc::default(),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// It certainly holds no floats, and has no tangent.
    Constant,
    /// It may hold floats, and has no tangent.
    WithoutTangent,
    Unknown,
}

/// A type that is being looked at, or has been.
struct Known {
    kind: Kind,
    /// Takes a value apart, and the types that it finds.
    check: TokenStream,
    /// The types of the file that it holds.
    inside: BTreeSet<String>,
}

struct File<'s> {
    source: &'s Source,
    /// The path of the runtime's hidden module.
    rt: &'s TokenStream,
    known: BTreeMap<String, Known>,
}

impl File<'_> {
    fn kind(&mut self, module: Option<usize>, name: &str) -> Kind {
        if let Some(known) = self.known.get(name) {
            return known.kind;
        }
        // Of a type that holds itself nothing is known.
        self.known.insert(
            name.to_owned(),
            Known {
                kind: Kind::Unknown,
                check: TokenStream::new(),
                inside: BTreeSet::new(),
            },
        );
        let known = self.read(module, name);
        let kind = known.kind;
        self.known.insert(name.to_owned(), known);
        kind
    }

    fn read(&mut self, module: Option<usize>, name: &str) -> Known {
        let unknown = |kind| Known {
            kind,
            check: TokenStream::new(),
            inside: BTreeSet::new(),
        };
        let Some((at, item)) = self.declaration(module, name) else {
            // Of a type of another module only the missing tangent is known.
            let here = self.is_imported(module, name);
            let lacks = |here| whole::lacks_tangent(name, &self.source.text, here);
            return unknown(if here.is_some_and(lacks) {
                Kind::WithoutTangent
            } else {
                Kind::Unknown
            });
        };
        let (attrs, generics) = match &item {
            syn::Item::Struct(item) => (&item.attrs, &item.generics),
            syn::Item::Enum(item) => (&item.attrs, &item.generics),
            _ => return unknown(Kind::Unknown),
        };
        if !attrs.iter().all(is_inert) || self.has_implementation(name) {
            return unknown(Kind::Unknown);
        }
        let packed =
            |attr: &syn::Attribute| attr.path().is_ident("repr") && mentions(attr, "packed");
        if !generics.params.is_empty() || attrs.iter().any(packed) {
            return unknown(Kind::WithoutTangent);
        }
        let mut holds = Holds {
            file: self,
            module: at,
            here: module == at,
            inside: BTreeSet::new(),
        };
        let check = match &item {
            syn::Item::Struct(item) => holds.fields(&quote!(), &item.ident, &item.fields),
            syn::Item::Enum(item) => {
                let arms = item.variants.iter().map(|variant| {
                    let inert = variant.attrs.iter().all(is_inert);
                    let ident = &variant.ident;
                    let arm = holds.fields(&quote!(::#ident), &item.ident, &variant.fields)?;
                    inert.then_some(arm)
                });
                arms.collect::<Option<TokenStream>>()
            }
            _ => None,
        };
        let inside = holds.inside;
        match check {
            Some(check) => Known {
                kind: Kind::Constant,
                check,
                inside,
            },
            None => unknown(Kind::WithoutTangent),
        }
    }

    /// The only item of this name that can be meant, and the module that it is in.
    fn declaration(&self, module: Option<usize>, name: &str) -> Option<(Option<usize>, syn::Item)> {
        let blocks = self.source.items.blocks.iter();
        let blocks = blocks.filter(|block| block.inside == module);
        let named_block = |block: &&super::scan::Block| {
            block.header.contains(name) && declared_name(&block.header) == Some(name)
        };
        let blocks: Vec<_> = blocks.filter(named_block).collect();
        let statements = self.source.items.statements.iter();
        let statements: Vec<&str> = statements
            .filter(|statement| statement.inside == module)
            .map(|statement| statement.text.as_str())
            .collect();
        let uses = |word: &'static str| {
            let mentioning = statements
                .iter()
                .filter(move |text| text.contains(name) || !word.is_empty() && text.contains(word));
            mentioning.filter_map(|text| import(text))
        };
        let structs: Vec<_> = statements
            .iter()
            .filter(|text| text.contains(name) && declared_name(text) == Some(name))
            .collect();
        match (&blocks[..], &structs[..]) {
            ([block], []) => {
                let body = self.source.text.get(block.open..=block.close)?;
                let imported = uses("").any(|tree| brings(&tree, name, false));
                let item = syn::parse_str(&format!("{}{body}", block.header)).ok()?;
                (!imported).then_some((module, item))
            }
            ([], [text]) => {
                let imported = uses("").any(|tree| brings(&tree, name, false));
                let item = syn::parse_str(&format!("{text};")).ok()?;
                (!imported).then_some((module, item))
            }
            ([], []) => {
                // The module around may have it, if a `use` brings it in and nothing else may bring another.
                let open = module?;
                let from_super = |tree: &syn::UseTree| {
                    matches!(tree, syn::UseTree::Path(path)
                        if path.ident == "super" && brings(&path.tree, name, true))
                };
                let (ours, others): (Vec<_>, Vec<_>) = uses("super").partition(from_super);
                if ours.is_empty() || others.iter().any(|tree| brings(tree, name, false)) {
                    return None;
                }
                let blocks = &self.source.items.blocks;
                let block = blocks.iter().find(|block| block.open == open)?;
                let around = block.inside;
                let is_known = around.is_none_or(|around| {
                    blocks
                        .iter()
                        .any(|block| block.open == around && is_module(&block.header))
                });
                is_known.then(|| self.declaration(around, name))?
            }
            _ => None,
        }
    }

    /// The import of a name from a module of the crate, and whether that is one of this file.
    fn is_imported(&self, module: Option<usize>, name: &str) -> Option<bool> {
        let here = |inside: &Option<usize>| *inside == module;
        let statements = self.source.items.statements.iter();
        let statements = statements.filter(|statement| here(&statement.inside));
        let statements = statements.filter(|statement| statement.text.contains(name));
        let trees = statements.filter_map(|statement| import(&statement.text));
        let mut trees = trees.filter(|tree| brings(tree, name, false));
        let (Some(syn::UseTree::Path(tree)), None) = (trees.next(), trees.next()) else {
            return None;
        };
        let mut blocks = self.source.items.blocks.iter();
        let mut declares = |module: &syn::Ident| {
            blocks.any(|block| {
                is_module(&block.header) && {
                    let mut all = HashSet::new();
                    words(block.header.parse().unwrap_or_default(), &mut all);
                    all.contains(&module.to_string())
                }
            })
        };
        let is_own = |root: &syn::Ident| root == "self" || root == "super" || root == "crate";
        let in_file = match &*tree.tree {
            syn::UseTree::Path(next) if is_own(&tree.ident) => declares(&next.ident),
            _ => declares(&tree.ident),
        };
        (in_file || is_own(&tree.ident)).then_some(in_file)
    }

    /// True if a tangent is written for a type, here or in another file of the crate.
    fn has_implementation(&self, name: &str) -> bool {
        let blocks = self.source.items.blocks.iter();
        let headers = blocks.map(|block| block.header.as_str());
        headers
            .filter(|header| header.contains("Differentiable"))
            .any(|header| implements(header, name))
            || whole::is_given_to_a_macro(&self.source.text, name)
            || whole::is_implemented(name)
    }

    /// Takes values apart, with the types that are in them.
    fn checks(&self, constants: &HashSet<String>) -> TokenStream {
        let mut all: BTreeSet<&str> = BTreeSet::new();
        let mut next: Vec<&str> = constants.iter().map(String::as_str).collect();
        while let Some(name) = next.pop() {
            if all.insert(name)
                && let Some(known) = self.known.get(name)
            {
                next.extend(known.inside.iter().map(String::as_str));
            }
        }
        if all.is_empty() {
            return TokenStream::new();
        }
        let checks = all.iter().filter_map(|name| {
            let arms = &self.known.get(*name)?.check;
            let name = syn::parse_str::<syn::Ident>(name).ok()?;
            Some(quote!(const _: fn(&#name) = |x| match *x { #arms };))
        });
        quote! {
            const _: () = {
                fn same<T: ?::core::marker::Sized>(_: &T, _: ::core::marker::PhantomData<T>) {}
                #(#checks)*
            };
        }
    }
}

/// Reads the fields of one type.
struct Holds<'f, 's> {
    file: &'f mut File<'s>,
    module: Option<usize>,
    /// The type is declared in the module of the attribute, whose names are those of the fields' types.
    here: bool,
    inside: BTreeSet<String>,
}

impl Holds<'_, '_> {
    /// The arm of a `match` for a struct or a variant, unless it may hold floats.
    fn fields(
        &mut self,
        variant: &TokenStream,
        ident: &syn::Ident,
        fields: &syn::Fields,
    ) -> Option<TokenStream> {
        let (mut patterns, mut checks) = (Vec::new(), Vec::new());
        for (k, field) in fields.iter().enumerate() {
            if !field.attrs.iter().all(is_inert) {
                return None;
            }
            let ty = self.without_floats(&field.ty)?;
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
    fn without_floats(&mut self, ty: &syn::Type) -> Option<TokenStream> {
        match written::ungrouped(ty) {
            syn::Type::Reference(ty) if ty.mutability.is_none() => {
                let lifetime = ty.lifetime.as_ref().filter(|l| l.ident == "static")?;
                let inner = self.without_floats(&ty.elem)?;
                Some(quote!(&#lifetime #inner))
            }
            syn::Type::Slice(ty) => {
                let inner = self.without_floats(&ty.elem)?;
                Some(quote!([#inner]))
            }
            syn::Type::Array(ty) => {
                let (inner, len) = (self.without_floats(&ty.elem)?, &ty.len);
                let literal = matches!(len, syn::Expr::Lit(_));
                (self.here || literal).then(|| quote!([#inner; #len]))
            }
            syn::Type::Tuple(ty) => {
                let inner: Option<Vec<_>> =
                    ty.elems.iter().map(|ty| self.without_floats(ty)).collect();
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
                if let (Some(ident), Some(declared)) = (ident, self.of_file(&name)) {
                    return declared.then(|| {
                        self.inside.insert(name.clone());
                        quote!(#ident)
                    });
                }
                self.of_std(&name, last)
            }
            _ => None,
        }
    }

    /// True if a type that the file declares holds no floats.
    fn of_file(&mut self, name: &str) -> Option<bool> {
        let (at, _) = self.file.declaration(self.module, name)?;
        // The names that the fields have are known to the attribute's module alone.
        let known = self.here && at == self.module;
        Some(known && self.file.kind(self.module, name) == Kind::Constant)
    }

    /// A type of std's under its own name, of which the file has no other.
    fn of_std(&mut self, name: &str, segment: &syn::PathSegment) -> Option<TokenStream> {
        if self.is_given(name) {
            return None;
        }
        let ident = &segment.ident;
        if INTEGERS.contains(&name) || ["bool", "char", "str"].contains(&name) {
            return segment
                .arguments
                .is_none()
                .then(|| quote!(::core::primitive::#ident));
        }
        let args = match generic_of(segment) {
            Some((_, args)) => args,
            None => Vec::new(),
        };
        let args: Option<Vec<_>> = args.into_iter().map(|ty| self.without_floats(ty)).collect();
        let rt = self.file.rt;
        match (name, &args?[..]) {
            ("String", []) => Some(quote!(#rt::String)),
            ("Vec", [ty]) => Some(quote!(#rt::Vec<#ty>)),
            ("Box", [ty]) => Some(quote!(#rt::Box<#ty>)),
            ("Option", [ty]) => Some(quote!(::core::option::Option<#ty>)),
            _ => None,
        }
    }

    /// True if anything in the module may give a name that std's prelude has to something else.
    fn is_given(&self, name: &str) -> bool {
        let source = self.file.source;
        let here = |inside: &Option<usize>| *inside == self.module;
        let blocks = source.items.blocks.iter();
        let mut blocks = blocks.filter(|block| here(&block.inside));
        let statements = source.items.statements.iter();
        let mut statements =
            statements.filter(|statement| here(&statement.inside) && statement.text.contains(name));
        blocks.any(|block| declared_name(&block.header) == Some(name))
            || statements.any(|statement| {
                declared_name(&statement.text) == Some(name)
                    || import(&statement.text).is_some_and(|tree| brings(&tree, name, false))
            })
    }
}

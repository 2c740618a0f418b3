//! What stands beside a function in its module: signatures of functions, types of constants, aliases of types.
//!
//! In: where the attribute stands, and the function. Out: [`Siblings`], of which types are inferred, and [`Siblings::checks`], by which rustc
//! compares them with what the names mean: a file that isn't what is being compiled makes an error, never another derivative.
//!
//! Only what needs no more than the file is taken: no generics, no references in aliases, nothing under a `#[cfg]` or an attribute that might
//! make something else of it, no name that is declared twice, and nothing if the function imports names of its own.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};

use super::{Site, Source, bare, located};
use crate::types::{Declared, from_written, primitive};

/// What is known of the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Siblings {
    functions: HashMap<String, Rc<syn::Signature>>,
    /// Functions whose rules are made from what they say here.
    differentiable: HashSet<String>,
    constants: HashMap<String, syn::Type>,
    aliases: Rc<HashMap<String, syn::Type>>,
}

impl Siblings {
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

    /// The types that names stand for.
    pub(crate) fn aliases(&self) -> Rc<HashMap<String, syn::Type>> {
        Rc::clone(&self.aliases)
    }

    /// Items that compile if all of it is so.
    pub(crate) fn checks(&self) -> TokenStream {
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
        for (name, ty) in &self.constants {
            let constant = ident(name);
            checks.push((name.clone(), quote!(const _: #ty = #constant;)));
        }
        for (name, ty) in self.aliases.iter() {
            let alias = ident(name);
            checks.push((name.clone(), quote!(const _: fn(#alias) -> #ty = |x| x;)));
        }
        checks.sort_by(|(a, _), (b, _)| a.cmp(b));
        let checks = checks.into_iter().map(|(_, check)| check);
        quote!(#(#checks)*)
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

/// Whether a type is a float, or made of floats.
fn is_list(ty: &syn::Type, declared: &Declared) -> bool {
    from_written(ty, declared).is_some_and(|ty| ty.is_plain() && ty.may_have_tangent())
}

/// What stands beside the function that the attribute at `site` stands on, as far as the function mentions it.
pub(crate) fn siblings(site: Option<&Site>, item: &syn::ItemFn) -> Siblings {
    let Some((source, offset)) = site.and_then(|site| located(site, &item.sig.ident)) else {
        return Siblings::default();
    };
    let inside = match source.around(offset).next() {
        None => None,
        Some(block) if is_module(&block.header) => Some(block.open),
        Some(_) => return Siblings::default(),
    };
    let mut mentioned = HashSet::new();
    words(item.to_token_stream(), &mut mentioned);
    // Names that the body imports may be others.
    if mentioned.contains("use") {
        return Siblings::default();
    }
    let mut all = declared(&source, inside, mentioned);
    all.functions.remove(bare(&item.sig.ident.to_string()));
    all.settled()
}

/// The items of a block that are mentioned, and those that they mention.
fn declared(source: &Source, inside: Option<usize>, mut mentioned: HashSet<String>) -> Siblings {
    let blocks = source.items.blocks.iter();
    let headers = blocks
        .filter(|block| block.inside == inside)
        .map(|block| format!("{}{{}}", block.header));
    let statements = source.items.statements.iter();
    let statements = statements
        .filter(|statement| statement.inside == inside)
        .map(|statement| format!("{};", statement.text));
    let items: Vec<(String, syn::Item)> = headers
        .chain(statements)
        .filter_map(|text| {
            let item = syn::parse_str(&text).ok()?;
            Some((name(&item)?, item))
        })
        .collect();
    loop {
        let before = mentioned.len();
        for (name, item) in &items {
            if mentioned.contains(name) && !matches!(item, syn::Item::Const(_)) {
                words(item.to_token_stream(), &mut mentioned);
            }
        }
        if mentioned.len() == before {
            break;
        }
    }
    let mut all = Siblings::default();
    for (name, item) in &items {
        let once = items.iter().filter(|(other, _)| other == name).count() == 1;
        if once && mentioned.contains(name) {
            all.take(name, item);
        }
    }
    all
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
fn is_as_written(attrs: &[syn::Attribute]) -> bool {
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

pub(super) fn is_module(header: &str) -> bool {
    matches!(
        syn::parse_str(&format!("{header}{{}}")),
        Ok(syn::Item::Mod(_))
    )
}

/// All identifiers of tokens.
pub(super) fn words(tokens: TokenStream, all: &mut HashSet<String>) {
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
    use crate::enclosing::scan;

    fn of(text: &str, mentioned: &[&str]) -> Siblings {
        let source = Source {
            path: std::path::PathBuf::new(),
            modified: None,
            items: scan::items(text),
            text: text.to_owned(),
        };
        let mentioned = mentioned.iter().map(|name| (*name).to_owned()).collect();
        declared(&source, None, mentioned).settled()
    }

    #[test]
    fn what_is_mentioned_is_taken() {
        let text = "use a::B; type V = [f64; 3]; type M = [V; 3]; const N: usize = 3; const S: &str = \"\";
            #[differentiable] pub fn f(x: &M) -> f64 { 1.0 } fn g() -> V { V } mod m { fn h() -> f64 { 1.0 } }";
        let all = of(text, &["f", "N", "S", "h"]);
        assert_eq!(
            all.checks().to_string(),
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
        assert_eq!(all.checks().to_string(), "");
    }
}

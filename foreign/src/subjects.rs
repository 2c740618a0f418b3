//! What of a crate can bear an attribute: functions that have floating point in their signature, operators of the crate's own types, and the
//! types themselves.
//!
//! In: the texts of the files. Out: [`Function`]s and [`Type`]s with their places. What a signature says of a parameter is a [`Kind`], which
//! depends on the types that can be derived: `Known`.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use proc_macro2::Span;
use quote::ToTokens;
use syn::visit::Visit;

/// What is known of a type, by what is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Integers, text: constant by itself.
    Inert,
    /// Something with floats.
    Active,
    /// A function of floats.
    Function,
    /// A foreign type, or one that can't be derived.
    Unknown,
}

/// A place in a file.
#[derive(Clone, Debug)]
pub(crate) struct At {
    pub(crate) file: String,
    pub(crate) lines: RangeInclusive<usize>,
    /// Where an attribute goes, in bytes.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// A struct or an enum.
#[derive(Clone, Debug)]
pub(crate) struct Type {
    pub(crate) name: String,
    pub(crate) at: At,
    pub(crate) fields: Vec<(usize, syn::Type)>,
    /// The fields' names or numbers, of a struct.
    pub(crate) names: Vec<String>,
    pub(crate) generics: Vec<String>,
    pub(crate) is_enum: bool,
}

/// A function, a method, or an operator with its `impl`.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) at: At,
    /// Where the body begins, behind its brace.
    pub(crate) body: usize,
    pub(crate) sig: syn::Signature,
    /// Where an attribute of each parameter goes.
    pub(crate) parameters: Vec<usize>,
    pub(crate) self_ty: Option<syn::Type>,
    /// Parameters of types, with their bounds.
    pub(crate) generics: Vec<syn::Generics>,
    pub(crate) operator: bool,
}

/// What a crate has.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) types: Vec<Type>,
    pub(crate) functions: Vec<Function>,
    pub(crate) aliases: BTreeMap<String, syn::Type>,
    file: String,
    path: Vec<String>,
    lines: Vec<usize>,
}

impl Found {
    pub(crate) fn of(files: &BTreeMap<String, String>) -> Self {
        let mut found = Self::default();
        for (name, text) in files {
            let Ok(parsed) = syn::parse_file(text) else {
                continue;
            };
            found.file.clone_from(name);
            found.lines = std::iter::once(0)
                .chain(text.match_indices('\n').map(|(at, _)| at + 1))
                .collect();
            // Columns count characters.
            found.visit_file_with(&parsed, text);
        }
        found
    }

    fn visit_file_with(&mut self, file: &syn::File, text: &str) {
        let start = (self.functions.len(), self.types.len());
        self.visit_file(file);
        let lines = self.lines.clone();
        let bytes = |at: &mut usize| {
            let (line, column) = (*at >> 20, *at & 0xf_ffff);
            let from = lines[line - 1];
            let inner = text[from..].char_indices().nth(column);
            *at = inner.map_or(text.len(), |(inner, _)| from + inner);
        };
        for function in &mut self.functions[start.0..] {
            bytes(&mut function.at.start);
            bytes(&mut function.at.end);
            bytes(&mut function.body);
            function.parameters.iter_mut().for_each(bytes);
        }
        for ty in &mut self.types[start.1..] {
            bytes(&mut ty.at.start);
            bytes(&mut ty.at.end);
            ty.fields.iter_mut().for_each(|(at, _)| bytes(at));
        }
    }

    fn at(&self, bare: &impl ToTokens, whole: &impl ToTokens) -> At {
        let (first, _) = ends(bare);
        let (_, last) = ends(whole);
        let outer = ends(whole).0;
        At {
            file: self.file.clone(),
            lines: outer.start().line..=last.end().line,
            start: packed(first.start()),
            end: packed(last.end()),
        }
    }

    fn named(&self, name: &str) -> String {
        let mut path = self.path.clone();
        path.push(name.to_owned());
        path.join("::")
    }

    fn function(
        &mut self,
        at: At,
        sig: &syn::Signature,
        block: &syn::Block,
        around: Option<&syn::ItemImpl>,
        operator: bool,
    ) {
        let name = match around {
            Some(block) => self.named(&format!("{}::{}", squeezed(&block.self_ty), sig.ident)),
            None => self.named(&sig.ident.to_string()),
        };
        let parameters = sig
            .inputs
            .iter()
            .map(|input| packed(ends(input).0.start()))
            .collect();
        let mut generics = vec![sig.generics.clone()];
        generics.extend(around.map(|block| block.generics.clone()));
        self.functions.push(Function {
            name,
            at,
            body: packed(block.brace_token.span.open().end()),
            sig: sig.clone(),
            parameters,
            self_ty: around.map(|block| (*block.self_ty).clone()),
            generics,
            operator,
        });
    }
}

fn packed(at: proc_macro2::LineColumn) -> usize {
    at.line << 20 | at.column
}

fn ends(syntax: &impl ToTokens) -> (Span, Span) {
    let mut tokens = syntax.to_token_stream().into_iter();
    let first = tokens
        .next()
        .map_or_else(Span::call_site, |token| token.span());
    (first, tokens.last().map_or(first, |token| token.span()))
}

fn squeezed(ty: &syn::Type) -> String {
    ty.to_token_stream().to_string().replace(' ', "")
}

/// Whether an item is only there in tests.
fn only_tested(attrs: &[syn::Attribute]) -> bool {
    attrs.iter().any(|attr| {
        let text = attr.to_token_stream().to_string().replace(' ', "");
        text.contains("cfg(test")
            || text.contains("cfg(all(test")
            || text == "#[test]"
            || text.contains("proc_macro")
    })
}

fn plain(sig: &syn::Signature) -> bool {
    !matches!(sig.safety, syn::Safety::Unsafe(_)) && sig.asyncness.is_none() && sig.abi.is_none()
}

const OPERATORS: [&str; 15] = [
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Rem",
    "Neg",
    "AddAssign",
    "SubAssign",
    "MulAssign",
    "DivAssign",
    "RemAssign",
    "Index",
    "IndexMut",
    "BitXor",
    "BitAnd",
];

impl<'ast> Visit<'ast> for Found {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if only_tested(&item.attrs) {
            return;
        }
        self.path.push(item.ident.to_string());
        syn::visit::visit_item_mod(self, item);
        self.path.pop();
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if only_tested(&item.attrs) || !plain(&item.sig) || item.sig.ident == "main" {
            return;
        }
        let mut bare = item.clone();
        bare.attrs.clear();
        let at = self.at(&bare, item);
        self.function(at, &item.sig, &item.block, None, false);
    }

    fn visit_item_impl(&mut self, block: &'ast syn::ItemImpl) {
        if only_tested(&block.attrs) {
            return;
        }
        let operator = block
            .trait_
            .as_ref()
            .and_then(|(path, ..)| path.segments.last());
        let operator =
            operator.is_some_and(|last| OPERATORS.contains(&last.ident.to_string().as_str()));
        let methods = block.items.iter().filter_map(|item| match item {
            syn::ImplItem::Fn(method) if plain(&method.sig) && !only_tested(&method.attrs) => {
                Some(method)
            }
            _ => None,
        });
        for method in methods {
            if operator {
                let mut bare = block.clone();
                bare.attrs.clear();
                let at = self.at(&bare, block);
                self.function(at, &method.sig, &method.block, Some(block), true);
            } else if block.trait_.is_none() {
                let mut bare = method.clone();
                bare.attrs.clear();
                let at = self.at(&bare, method);
                self.function(at, &method.sig, &method.block, Some(block), false);
            }
        }
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        if only_tested(&item.attrs) {
            return;
        }
        let mut bare = item.clone();
        bare.attrs.clear();
        let at = self.at(&bare, item);
        self.types.push(Type {
            name: item.ident.to_string(),
            at,
            fields: fields(&item.fields),
            names: names(&item.fields),
            generics: item
                .generics
                .type_params()
                .map(|param| param.ident.to_string())
                .collect(),
            is_enum: false,
        });
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        if only_tested(&item.attrs) {
            return;
        }
        let mut bare = item.clone();
        bare.attrs.clear();
        let at = self.at(&bare, item);
        self.types.push(Type {
            name: item.ident.to_string(),
            at,
            fields: item
                .variants
                .iter()
                .flat_map(|variant| fields(&variant.fields))
                .collect(),
            names: Vec::new(),
            generics: item
                .generics
                .type_params()
                .map(|param| param.ident.to_string())
                .collect(),
            is_enum: true,
        });
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        if item.generics.params.is_empty() {
            self.aliases
                .insert(item.ident.to_string(), (*item.ty).clone());
        }
    }
}

fn fields(fields: &syn::Fields) -> Vec<(usize, syn::Type)> {
    fields
        .iter()
        .map(|field| (packed(ends(field).0.start()), field.ty.clone()))
        .collect()
}

fn names(fields: &syn::Fields) -> Vec<String> {
    let named = fields.iter().enumerate().map(|(k, field)| {
        field
            .ident
            .as_ref()
            .map_or_else(|| k.to_string(), ToString::to_string)
    });
    named.collect()
}

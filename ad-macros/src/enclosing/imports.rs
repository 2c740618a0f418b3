//! Functions of std that a module imports by name, `use std::mem::swap;`, and which a body calls by that name alone; and the macros of the
//! file's own, which may have the names of std's.
//!
//! In: where the attribute stands, and the item. Out: [`Imports`], by which a body is rewritten to name them in full, so that they are known
//! wherever paths are; and [`Imports::checks`], by which rustc compares the two, as for [`super::Siblings`].

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};

use super::scan::Items;
use super::siblings::{is_module, words};
use super::{Site, bare, first_word, source};
use crate::hir::matrices::is_view_method;
use crate::types::libm;

/// The functions that have a meaning of their own to the compiler, with generic arguments to name one instance by.
const KNOWN: [(&str, &str); 14] = [
    ("array::from_fn", "<f64, 1, fn(usize) -> f64>"),
    ("convert::identity", "<f64>"),
    ("hint::black_box", "<f64>"),
    ("iter::from_fn", "<f64, fn() -> Option<f64>>"),
    ("iter::once", "<f64>"),
    ("iter::repeat", "<f64>"),
    ("iter::repeat_n", "<f64>"),
    ("iter::repeat_with", "<f64, fn() -> f64>"),
    ("iter::successors", "<f64, fn(&f64) -> Option<f64>>"),
    ("iter::zip", "<[f64; 1], [f64; 1]>"),
    ("mem::drop", "<f64>"),
    ("mem::replace", "<f64>"),
    ("mem::swap", "<f64>"),
    ("mem::take", "<f64>"),
];

/// What names stand for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Imports {
    functions: HashMap<String, Import>,
    pub(crate) foreign_floats: ForeignFloats,
    /// The macros that the file defines, or imports from elsewhere than std.
    pub(crate) own_macros: HashSet<String>,
    /// The file imports `nalgebra`, and declares no function with the name of one of its views.
    pub(crate) matrices: bool,
}

/// The names under which the module imports the traits of `num_traits` that stand for floats.
#[derive(Clone, Debug, Default)]
pub(crate) struct ForeignFloats(HashSet<String>);

impl ForeignFloats {
    /// Whether a path names one.
    pub(crate) fn is(&self, path: &syn::Path) -> bool {
        let mut names = path
            .segments
            .iter()
            .rev()
            .map(|segment| segment.ident.to_string());
        match (names.next(), names.next()) {
            (Some(name), None) => self.0.contains(&name),
            (Some(name), Some(parent)) => is_foreign_float(&parent, &name),
            _ => false,
        }
    }

    fn take(&mut self, tree: &syn::UseTree, parent: &str) {
        match tree {
            syn::UseTree::Path(tree) => self.take(&tree.tree, &tree.ident.to_string()),
            syn::UseTree::Name(leaf) if is_foreign_float(parent, &leaf.ident.to_string()) => {
                self.0.insert(leaf.ident.to_string());
            }
            syn::UseTree::Rename(leaf) if is_foreign_float(parent, &leaf.ident.to_string()) => {
                self.0.insert(leaf.rename.to_string());
            }
            syn::UseTree::Glob(_) if is_foreign_float(parent, "Float") => {
                self.0.insert("Float".to_owned());
            }
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.take(tree, parent);
                }
            }
            _ => {}
        }
    }
}

fn is_foreign_float(parent: &str, name: &str) -> bool {
    ["num_traits", "num", "float"].contains(&parent) && ["Float", "FloatCore"].contains(&name)
}

#[derive(Clone, Debug)]
struct Import {
    path: syn::Path,
    /// Of one instance, if it is generic.
    arguments: &'static str,
}

impl Imports {
    /// Items that compile if all of it is so.
    pub(crate) fn checks(&self) -> TokenStream {
        let mut names: Vec<&String> = self.functions.keys().collect();
        names.sort();
        let checks = names.into_iter().filter_map(|name| {
            let Import { path, arguments } = &self.functions[name];
            let name = syn::parse_str::<Ident>(name).ok()?;
            if arguments.is_empty() {
                return Some(quote!(same(#name, #path);));
            }
            let arguments: TokenStream = arguments.parse().ok()?;
            Some(quote!(same(#name::#arguments, #path::#arguments);))
        });
        let checks: TokenStream = checks.collect();
        if checks.is_empty() {
            return checks;
        }
        quote! {
            const _: fn() = || {
                fn same<F>(_: F, _: F) {}
                #checks
            };
        }
    }

    /// A body with the names in full, except for those that are something else there.
    pub(crate) fn in_full<'b>(
        &self,
        sig: &syn::Signature,
        block: &'b syn::Block,
    ) -> Cow<'b, syn::Block> {
        let mut all = self.functions.clone();
        for stmt in &block.stmts {
            if let syn::Stmt::Item(syn::Item::Use(item)) = stmt {
                known(&item.tree, Vec::new(), &mut all);
            }
        }
        if all.is_empty() {
            return Cow::Borrowed(block);
        }
        let mut bound = Bound::default();
        bound.visit_signature(sig);
        bound.visit_block(block);
        all.retain(|name, _| !bound.names.contains(name));
        if all.is_empty() || bound.globs {
            return Cow::Borrowed(block);
        }
        let mut block = block.clone();
        InFull(&all).visit_block_mut(&mut block);
        Cow::Owned(block)
    }
}

/// What the module imports in which the attribute at `site` stands, as far as the item mentions it.
pub(crate) fn imports(site: Option<&Site>, item: &TokenStream) -> Imports {
    let mut all = HashMap::new();
    let mut foreign_floats = ForeignFloats::default();
    let mut own_macros = HashSet::new();
    let mut matrices = false;
    if let Some(site) = site
        && let Some(source) = source(&site.file)
        && let Some(offset) = source.offset(site)
    {
        own_macros.clone_from(&source.own_macros);
        matrices = source.matrices;
        let mut around = source.around(offset);
        let module = around.find(|block| {
            first_word(&block.header).is_none_or(|word| word != "impl" && word != "trait")
        });
        if module.is_some_and(|block| !is_module(&block.header)) {
            // Bodies have imports of their own.
            return Imports {
                own_macros,
                matrices,
                ..Imports::default()
            };
        }
        let module = module.map(|block| block.open);
        for at in source.index.imports(module) {
            let statement = &source.items.statements[*at];
            if let Ok(syn::Item::Use(item)) = syn::parse_str(&format!("{};", statement.text))
                && item.attrs.is_empty()
            {
                known(&item.tree, Vec::new(), &mut all);
                foreign_floats.take(&item.tree, "");
            }
        }
    }
    if !all.is_empty() {
        let mut mentioned = HashSet::new();
        words(item.clone(), &mut mentioned);
        all.retain(|name, _| mentioned.contains(name));
    }
    Imports {
        functions: all,
        foreign_floats,
        own_macros,
        matrices,
    }
}

/// True if a statement may import a function of [`KNOWN`], or a trait that stands for floats.
pub(super) fn may_be_known(statement: &str) -> bool {
    let has = |word: &str| statement.contains(word);
    let modules = ["array", "convert", "hint", "iter", "libm", "mem"];
    has("use") && (modules.into_iter().any(has) || has("Float") || has("num") || has("float"))
}

/// True if a file imports `nalgebra`, and declares no function with the name of one of its views.
pub(super) fn has_matrices(items: &Items) -> bool {
    let mut statements = items.statements.iter();
    let imports = statements.any(|statement| {
        let text = &statement.text;
        text.contains("use") && text.contains("nalgebra")
    });
    let mut blocks = items.blocks.iter();
    imports && !blocks.any(|block| function(&block.header).is_some_and(is_view_method))
}

/// The name of the function that a block is the body of.
fn function(header: &str) -> Option<&str> {
    let (_, name) = header.split_once("fn ")?;
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    Some(&name[..end])
}

/// The names of the macros that a file defines, and all names that it imports from elsewhere than std, anywhere in it.
pub(super) fn macros(items: &Items) -> HashSet<String> {
    fn leaves(tree: &syn::UseTree, all: &mut HashSet<String>) {
        match tree {
            syn::UseTree::Path(tree) => leaves(&tree.tree, all),
            syn::UseTree::Name(leaf) => all.extend([leaf.ident.to_string()]),
            syn::UseTree::Rename(leaf) => all.extend([leaf.rename.to_string()]),
            syn::UseTree::Glob(_) => {}
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, all)),
        }
    }
    let mut all = HashSet::new();
    let blocks = items.blocks.iter();
    for header in blocks.map(|block| &block.header) {
        if let Some((_, name)) = header.split_once("macro_rules!") {
            let name = name.trim();
            // Users of these only look, as those of `log` and `tracing` do.
            if !["trace", "debug", "info", "warn", "error"].contains(&name) {
                all.insert(name.to_owned());
            }
        }
    }
    let statements = items.statements.iter();
    for statement in statements.filter(|statement| statement.text.contains("use")) {
        if let Ok(syn::Item::Use(item)) = syn::parse_str(&format!("{};", statement.text)) {
            let known = ["std", "core", "alloc", "log", "tracing"];
            let is_known = matches!(&item.tree, syn::UseTree::Path(tree)
                if known.iter().any(|root| tree.ident == root));
            if !is_known {
                leaves(&item.tree, &mut all);
            }
        }
    }
    all
}

/// The known functions that a `use` names.
fn known(tree: &syn::UseTree, mut path: Vec<Ident>, all: &mut HashMap<String, Import>) {
    let mut take = |name: &Ident, path: &[Ident]| {
        if let [root, function] = path
            && root == "libm"
            && libm::function(&syn::parse_quote!(#root::#function)).is_some()
        {
            let path = syn::parse_quote!(::#root::#function);
            let name = bare(&name.to_string()).to_owned();
            let arguments = "";
            all.insert(name, Import { path, arguments });
        }
        let [root, parent, function] = path else {
            return;
        };
        let tail = format!("{parent}::{function}");
        let entry = KNOWN.iter().find(|(name, _)| *name == tail);
        if let Some((_, arguments)) = entry
            && (root == "std" || root == "core")
        {
            let path = syn::parse_quote!(::#root::#parent::#function);
            let name = bare(&name.to_string()).to_owned();
            all.insert(name, Import { path, arguments });
        }
    };
    match tree {
        syn::UseTree::Path(tree) => {
            path.push(tree.ident.clone());
            known(&tree.tree, path, all);
        }
        syn::UseTree::Name(leaf) => {
            path.push(leaf.ident.clone());
            take(&leaf.ident, &path);
        }
        syn::UseTree::Rename(leaf) => {
            path.push(leaf.ident.clone());
            take(&leaf.rename, &path);
        }
        syn::UseTree::Glob(_) => {}
        syn::UseTree::Group(group) => {
            for tree in &group.items {
                known(tree, path.clone(), all);
            }
        }
    }
}

/// The names that a body gives to something.
#[derive(Default)]
pub(super) struct Bound {
    pub(super) names: HashSet<String>,
    /// It imports what isn't named.
    globs: bool,
    depth: usize,
}

impl Bound {
    fn imported(&mut self, tree: &syn::UseTree) {
        match tree {
            syn::UseTree::Path(tree) => self.imported(&tree.tree),
            syn::UseTree::Name(leaf) => self.bind(&leaf.ident),
            syn::UseTree::Rename(leaf) => self.bind(&leaf.rename),
            syn::UseTree::Glob(_) => self.globs = true,
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.imported(tree)),
        }
    }

    fn bind(&mut self, name: &Ident) {
        self.names.insert(bare(&name.to_string()).to_owned());
    }
}

impl<'ast> Visit<'ast> for Bound {
    fn visit_block(&mut self, block: &'ast syn::Block) {
        self.depth += 1;
        visit::visit_block(self, block);
        self.depth -= 1;
    }

    fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
        self.bind(&pat.ident);
        visit::visit_pat_ident(self, pat);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.bind(&item.sig.ident);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let mut known_here = HashMap::new();
        known(&item.tree, Vec::new(), &mut known_here);
        // A known function that the body imports for all of it is what it says.
        if self.depth > 1 || known_here.is_empty() {
            self.imported(&item.tree);
        }
    }
}

struct InFull<'a>(&'a HashMap<String, Import>);

impl VisitMut for InFull<'_> {
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_expr_path_mut(&mut self, path: &mut syn::ExprPath) {
        visit_mut::visit_expr_path_mut(self, path);
        if path.qself.is_some() || path.path.leading_colon.is_some() || path.path.segments.len() > 1
        {
            return;
        }
        let Some(last) = path.path.segments.pop() else {
            return;
        };
        let name = last.ident.to_string();
        let Some(import) = self.0.get(bare(&name)) else {
            path.path.segments.push(last);
            return;
        };
        let span = last.ident.span();
        path.path = import.path.clone();
        for segment in &mut path.path.segments {
            segment.ident.set_span(span);
        }
        if let Some(named) = path.path.segments.last_mut() {
            named.arguments = last.arguments;
        }
    }
}

#[cfg(test)]
mod tests {
    use quote::ToTokens as _;

    use super::*;

    fn in_full(imports: &str, body: &str) -> String {
        let mut functions = HashMap::new();
        let file: syn::File = syn::parse_str(imports).unwrap();
        for item in &file.items {
            if let syn::Item::Use(item) = item {
                known(&item.tree, Vec::new(), &mut functions);
            }
        }
        let block: syn::Block = syn::parse_str(body).unwrap();
        let sig: syn::Signature = syn::parse_quote!(fn f(x: f64));
        let imports = Imports {
            functions,
            ..Imports::default()
        };
        let block = imports.in_full(&sig, &block).into_owned();
        block.to_token_stream().to_string().replace(' ', "")
    }

    #[test]
    fn names_in_full() {
        for (imports, body, expected) in [
            (
                "use std::mem::swap;",
                "{ swap(a, b) }",
                "{::std::mem::swap(a,b)}",
            ),
            (
                "use std::{array::from_fn, mem::{self, take as taken}};",
                "{ from_fn::<_, 3, _>(|i| taken(x)) }",
                "{::std::array::from_fn::<_,3,_>(|i|::std::mem::take(x))}",
            ),
            ("use other::mem::swap;", "{ swap(a, b) }", "{swap(a,b)}"),
            (
                "use std::mem::swap;",
                "{ let swap = g; swap(a, b) }",
                "{letswap=g;swap(a,b)}",
            ),
            (
                "use std::mem::swap;",
                "{ a.swap(0, 1); mem::swap(a, b) }",
                "{a.swap(0,1);mem::swap(a,b)}",
            ),
            (
                "use std::mem::swap;",
                "{ fn swap() {} swap(a, b) }",
                "{fnswap(){}swap(a,b)}",
            ),
            (
                "use std::mem::swap;",
                "{ use own::*; swap(a, b) }",
                "{useown::*;swap(a,b)}",
            ),
            (
                "",
                "{ use core::mem::swap; swap(a, b) }",
                "{usecore::mem::swap;::core::mem::swap(a,b)}",
            ),
            (
                "use std::mem::swap;",
                "{ { use own::swap; swap(a, b) } swap(a, b) }",
                "{{useown::swap;swap(a,b)}swap(a,b)}",
            ),
        ] {
            assert_eq!(in_full(imports, body), expected, "{body}");
        }
    }
}

//! Functions that certainly have no derivative rules, by what the file says: those that stand in it without an attribute, and those of crates
//! that have none.
//!
//! In: where an attribute stands, and what it stands on. Out: [`Callees`], by which a call with something differentiated is one error that
//! names the function. What isn't known here is left to rustc, which finds no rules under the callee's name.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use proc_macro2::TokenStream;
use quote::ToTokens as _;

use super::scan::Block;
use super::siblings::{is_module, words};
use super::{Site, Source, bare, first_word, source};

/// Crates without rules of their own. What `chainrule` knows of their types are associated functions, [`KNOWN`], and methods.
const WITHOUT_RULES: [&str; 9] = [
    "alloc",
    "core",
    "libm",
    "nalgebra",
    "ndarray",
    "num",
    "num_complex",
    "num_traits",
    "std",
];

/// The associated functions that the runtime has rules for.
const KNOWN: [&str; 28] = [
    "cis",
    "eye",
    "from",
    "from_angle",
    "from_axis_angle",
    "from_column_slice",
    "from_columns",
    "from_diag",
    "from_diagonal",
    "from_elem",
    "from_element",
    "from_euler_angles",
    "from_fn",
    "from_iterator",
    "from_parts",
    "from_polar",
    "from_quaternion",
    "from_row_slice",
    "from_rows",
    "from_scaled_axis",
    "from_shape_vec",
    "from_vec",
    "identity",
    "new",
    "new_normalize",
    "new_unchecked",
    "ones",
    "zeros",
];

/// The functions of `ndarray` that the runtime has rules for.
const FUNCTIONS: [&str; 8] = [
    "__like",
    "arr1",
    "arr2",
    "arr3",
    "concatenate",
    "general_mat_mul",
    "general_mat_vec_mul",
    "stack",
];

/// True if a type is called as one of arrays is; how many axes it has, if the name tells.
fn is_array(name: &str) -> Option<Option<usize>> {
    let rest = match name {
        "CowArray" | "ArcArray" => "",
        name => name.strip_prefix("Array")?,
    };
    let rest = ["ViewMut", "View", "Ref", "Base"]
        .iter()
        .find_map(|form| rest.strip_prefix(form))
        .unwrap_or(rest);
    match rest {
        "" | "D" => Some(None),
        digits => digits.parse().ok().map(Some),
    }
}

/// A file's functions: which have no rules.
#[derive(Clone, Debug, Default)]
pub(crate) struct Callees {
    /// Functions of the module without an attribute.
    functions: HashSet<String>,
    /// Functions of types, `Type::function`, without an attribute.
    associated: HashSet<(String, String)>,
    /// The crate that a name is imported from.
    imports: HashMap<String, String>,
    /// Variables of `thread_local!`.
    thread_locals: HashSet<String>,
    /// Modules, which a path may begin with.
    modules: HashSet<String>,
    /// Something is imported from modules of the crate that isn't named.
    globs: bool,
    /// Types with lifetimes, and how many they have.
    borrowing: HashMap<String, usize>,
    /// The first call of each function without rules.
    first: Rc<RefCell<HashMap<String, syn::Path>>>,
    /// Names may come from a library with arrays by `*`.
    arrays: bool,
}

impl Callees {
    /// Why a call of this path can't be differentiated, and what to write instead. `own` is the type of the `impl`.
    pub(crate) fn without_rules(
        &self,
        path: &syn::Path,
        own: Option<&syn::Type>,
    ) -> Option<(String, String)> {
        let names: Vec<String> = path
            .segments
            .iter()
            .map(|segment| bare(&segment.ident.to_string()).to_owned())
            .collect();
        let title = names.join("::");
        let unmarked = || {
            let last = &names[names.len() - 1];
            (
                format!("`{title}` has no derivative rules"),
                format!(
                    "write `#[differentiable]` on `{last}`, or `stop_gradient({title}(..))` if its result shall count as a constant"
                ),
            )
        };
        match &names[..] {
            [name] if self.functions.contains(name) => return Some(unmarked()),
            [of, name] => {
                let of = match own {
                    Some(syn::Type::Path(own)) if of == "Self" => {
                        own.path.segments.last()?.ident.to_string()
                    }
                    _ => of.clone(),
                };
                if self.associated.contains(&(of, name.clone())) {
                    return Some(unmarked());
                }
            }
            _ => {}
        }
        let first = names.first()?;
        let root = match self.imports.get(first) {
            Some(root) => root,
            None if names.len() > 1 && !self.globs && !self.modules.contains(first) => first,
            None => return None,
        };
        let last = names.last()?;
        let parent = names.iter().rev().nth(1);
        let associated = parent.is_some_and(|parent| parent.starts_with(char::is_uppercase));
        if self.array_function(path) {
            return None;
        }
        if !WITHOUT_RULES.contains(&root.as_str()) || associated && KNOWN.contains(&last.as_str()) {
            return None;
        }
        if root == "std" || root == "core" || root == "alloc" {
            // Types of std have messages of their own.
            let std = associated && self.imports.contains_key(first);
            return std.then(|| {
                (
                    format!("`{title}` of `{root}` has no derivative rules"),
                    format!(
                        "write `{title}(stop_gradient(..))` if its result shall count as a constant"
                    ),
                )
            });
        }
        Some((
            format!("`{title}` of `{root}` has no derivative rules"),
            "write what it does with functions that have some, or give it rules with `#[primitive]` on a function of your own that calls it; \
             `stop_gradient(..)` around its arguments makes its result a constant"
                .to_owned(),
        ))
    }

    /// The path in the first call of a function without rules: the error stands there for all of its calls.
    pub(crate) fn first_call(&self, path: &syn::Path) -> syn::Path {
        let name = path.to_token_stream().to_string();
        let mut first = self.first.borrow_mut();
        first.entry(name).or_insert_with(|| path.clone()).clone()
    }

    /// True if a path is a variable of `thread_local!`.
    pub(crate) fn is_thread_local(&self, path: &syn::Path) -> bool {
        path.get_ident()
            .is_some_and(|name| self.thread_locals.contains(&name.to_string()))
    }

    /// The parameters with `'_` where a type that borrows is written without its lifetimes.
    pub(crate) fn with_lifetimes(&self, sig: &syn::Signature) -> syn::Signature {
        struct Insert<'a>(&'a Callees);
        impl syn::visit_mut::VisitMut for Insert<'_> {
            fn visit_type_path_mut(&mut self, ty: &mut syn::TypePath) {
                syn::visit_mut::visit_type_path_mut(self, ty);
                let Some(count) = self.0.lifetimes(&ty.path) else {
                    return;
                };
                let Some(last) = ty.path.segments.last_mut() else {
                    return;
                };
                let lifetimes = std::iter::repeat_with(|| -> syn::GenericArgument {
                    let mut lifetime = syn::Lifetime::new("'_", last.ident.span());
                    lifetime.apostrophe = last.ident.span();
                    syn::GenericArgument::Lifetime(lifetime)
                });
                let lifetimes = lifetimes.take(count);
                let args = match &last.arguments {
                    syn::PathArguments::None => lifetimes.collect::<Vec<_>>(),
                    syn::PathArguments::AngleBracketed(args) => {
                        let written = args.args.iter();
                        let has = |arg: &syn::GenericArgument| {
                            matches!(arg, syn::GenericArgument::Lifetime(_))
                        };
                        if written.clone().any(has) {
                            return;
                        }
                        lifetimes.chain(written.cloned()).collect()
                    }
                    syn::PathArguments::Parenthesized(_) => return,
                };
                last.arguments =
                    syn::PathArguments::AngleBracketed(syn::parse_quote!(<#(#args),*>));
            }
        }
        let mut sig = sig.clone();
        for input in &mut sig.inputs {
            if let syn::FnArg::Typed(param) = input {
                syn::visit_mut::VisitMut::visit_type_mut(&mut Insert(self), &mut param.ty);
            }
        }
        sig
    }

    /// How many lifetimes a type has.
    fn lifetimes(&self, path: &syn::Path) -> Option<usize> {
        let last = path.segments.last()?.ident.to_string();
        if path.segments.len() == 1
            && let Some(count) = self.borrowing.get(&last)
        {
            return Some(*count);
        }
        (self.is_of_arrays(path) && last.starts_with("ArrayView")).then_some(1)
    }

    /// True if a path leads into the library with arrays, by what the file imports.
    fn is_of_arrays(&self, path: &syn::Path) -> bool {
        let Some(first) = path.segments.first() else {
            return false;
        };
        let first = first.ident.to_string();
        match self.imports.get(&first) {
            Some(root) => root == "ndarray",
            None if path.segments.len() > 1 && first == "ndarray" => true,
            None => self.arrays && is_array(&first).is_some(),
        }
    }

    /// The elements of a type of arrays, and how many axes it has, as far as the type says that.
    pub(crate) fn array<'t>(
        &self,
        ty: &'t syn::Type,
    ) -> Option<(Option<&'t syn::Type>, Option<usize>)> {
        let syn::Type::Path(path) = crate::types::written::ungrouped(ty) else {
            return None;
        };
        if path.qself.is_some() {
            return None;
        }
        self.array_by_path(&path.path)
    }

    fn array_by_path<'t>(
        &self,
        path: &'t syn::Path,
    ) -> Option<(Option<&'t syn::Type>, Option<usize>)> {
        let last = path.segments.last()?;
        let rank = is_array(&last.ident.to_string())?;
        if !self.is_of_arrays(path) {
            return None;
        }
        let syn::PathArguments::AngleBracketed(args) = &last.arguments else {
            return Some((None, rank));
        };
        let mut types = args.args.iter().filter_map(|arg| match arg {
            syn::GenericArgument::Type(ty) => Some(ty),
            _ => None,
        });
        let elem = types.next();
        let by_type = types.next().and_then(|dim| match dim {
            syn::Type::Path(path) => {
                let name = path.path.segments.last()?.ident.to_string();
                name.strip_prefix("Ix")?.parse().ok()
            }
            _ => None,
        });
        Some((elem, rank.or(by_type)))
    }

    /// The function that a path names, if it makes arrays; their elements and axes, as far as the path says that.
    pub(crate) fn made_array<'p>(
        &self,
        path: &'p syn::ExprPath,
    ) -> Option<(String, Option<&'p syn::Type>, Option<usize>)> {
        if let Some(syn::Type::Path(of)) = path.qself.as_ref().map(|qself| &*qself.ty) {
            let last = path.path.segments.last()?.ident.to_string();
            let (elem, rank) = self.array_by_path(&of.path)?;
            return Some((last, elem, rank));
        }
        let (last, before) = {
            let mut segments = path.path.segments.iter().rev();
            (segments.next()?, segments.next())
        };
        let name = last.ident.to_string();
        if let Some(before) = before
            && let Some(rank) = is_array(&before.ident.to_string())
        {
            if !self.is_of_arrays(&path.path) {
                return None;
            }
            let elem = match &before.arguments {
                syn::PathArguments::AngleBracketed(args) => match args.args.first() {
                    Some(syn::GenericArgument::Type(elem)) => Some(elem),
                    _ => None,
                },
                _ => None,
            };
            return Some((name, elem, rank));
        }
        let rank = match name.as_str() {
            "arr1" | "arr2" | "arr3" => name.strip_prefix("arr")?.parse().ok(),
            "__like" | "stack" | "concatenate" => None,
            _ => return None,
        };
        self.array_function(&path.path)
            .then_some((name, None, rank))
    }

    /// True if the module uses a library with arrays.
    pub(crate) fn uses_arrays(&self) -> bool {
        self.arrays || self.imports.values().any(|root| root == "ndarray")
    }

    /// True if the module imports a macro of the library with arrays by its name.
    pub(crate) fn imports_array_macro(&self, name: &syn::Ident) -> bool {
        let root = self.imports.get(&name.to_string());
        root.is_some_and(|root| root == "ndarray")
    }

    /// True if a path names a macro of the library with arrays.
    pub(crate) fn array_macro(&self, path: &syn::Path) -> bool {
        let Some(first) = path.segments.first() else {
            return false;
        };
        let first = first.ident.to_string();
        match self.imports.get(&first) {
            Some(root) => root == "ndarray",
            None => first == "ndarray" || path.segments.len() == 1 && self.arrays,
        }
    }

    /// True if a path names a function of the library with arrays that the runtime has rules for.
    pub(crate) fn array_function(&self, path: &syn::Path) -> bool {
        let names: Vec<_> = path.segments.iter().map(|segment| &segment.ident).collect();
        let Some(last) = names.last().map(ToString::to_string) else {
            return false;
        };
        if !FUNCTIONS.contains(&last.as_str()) {
            return false;
        }
        match self.imports.get(&names[0].to_string()) {
            Some(root) => root == "ndarray",
            None => names.len() > 1 && names[0] == "ndarray" || names.len() == 1 && self.arrays,
        }
    }
}

/// Reads the file for the functions that `item` mentions.
pub(crate) fn callees(site: Option<&Site>, item: &TokenStream) -> Callees {
    let mut mentioned = HashSet::new();
    words(item.clone(), &mut mentioned);
    let mut found = || {
        let source = source(&site?.file)?;
        let offset = source.offset(site?)?;
        let mut module = None;
        for block in source.around(offset) {
            match first_word(&block.header).as_deref() {
                Some("impl" | "trait") => words(block.header.parse().ok()?, &mut mentioned),
                _ => {
                    module = Some(block);
                    break;
                }
            }
        }
        if module.is_some_and(|block| !is_module(&block.header)) {
            return None;
        }
        Some(in_module(
            &source,
            module.map(|block| block.open),
            &mentioned,
        ))
    };
    found().unwrap_or_default()
}

fn in_module(source: &Source, module: Option<usize>, mentioned: &HashSet<String>) -> Callees {
    let mut all = Callees::default();
    let blocks = &source.items.blocks;
    let here = || blocks.iter().filter(|block| block.inside == module);
    let mut counts: HashMap<&str, (usize, bool)> = HashMap::new();
    let mut types: HashMap<String, (usize, usize)> = HashMap::new();
    for block in here() {
        let header = block.header.trim_start();
        if let Some(name) = function(header).filter(|name| mentioned.contains(*name)) {
            let entry = counts.entry(name).or_insert((0, true));
            *entry = (entry.0 + 1, entry.1 && is_unmarked(header));
        } else if header.contains("thread_local!") {
            let body = source.text.get(block.open..block.close).unwrap_or("");
            let statics = body.split("static ").skip(1);
            let names = statics.filter_map(|text| text.split(':').next());
            all.thread_locals
                .extend(names.map(|name| name.trim().to_owned()));
        } else if header.contains("mod ")
            && let Ok(syn::Item::Mod(item)) = syn::parse_str(&format!("{header}{{}}"))
        {
            all.modules.insert(item.ident.to_string());
        }
        if header.contains("struct") && header.contains('\'') {
            take_lifetimes(&format!("{header}{{}}"), &mut types);
        }
    }
    let statements = source.items.statements.iter();
    for statement in statements.filter(|statement| statement.inside == module) {
        let text = &statement.text;
        if text.contains("struct") && text.contains('\'') {
            take_lifetimes(&format!("{text};"), &mut types);
        } else if text.contains("use") || text.contains("mod") {
            match syn::parse_str(&format!("{text};")) {
                Ok(syn::Item::Use(item)) => {
                    if let syn::UseTree::Path(path) = &item.tree {
                        let root = path.ident.to_string();
                        take_imports(&path.tree, &root, mentioned, &mut all.imports);
                        let own = ["self", "super", "crate"].contains(&root.as_str());
                        all.globs |= own && has_glob(&path.tree);
                        all.arrays |= root == "ndarray" && has_glob(&path.tree);
                    }
                }
                Ok(syn::Item::Mod(item)) => {
                    all.modules.insert(item.ident.to_string());
                }
                _ => {}
            }
        }
    }
    // The module around may have what `super::*` brings from the library.
    let uses_arrays = |statement: &super::scan::Statement| {
        let text = statement.text.trim_start();
        text.contains("use ndarray") || text.contains("use ::ndarray")
    };
    all.arrays |= all.globs && source.items.statements.iter().any(uses_arrays);
    let modules = &all.modules;
    all.imports.retain(|_, root| !modules.contains(root));
    let once = |(count, unmarked): &(usize, bool)| *count == 1 && *unmarked;
    let functions = counts.into_iter().filter(|(_, entry)| once(entry));
    all.functions = functions.map(|(name, _)| name.to_owned()).collect();
    let modules = &all.modules;
    all.functions.retain(|name| !modules.contains(name));
    let borrowing = types.into_iter().filter(|(_, (count, _))| *count == 1);
    all.borrowing = borrowing.map(|(name, (_, count))| (name, count)).collect();
    all.associated = associated(blocks, module, mentioned);
    all
}

/// The functions in blocks `impl Type`, of which none has an attribute that makes rules.
fn associated(
    blocks: &[Block],
    module: Option<usize>,
    mentioned: &HashSet<String>,
) -> HashSet<(String, String)> {
    let mut found: HashMap<(String, String), bool> = HashMap::new();
    let impls = blocks.iter().filter(|block| {
        block.inside == module && first_word(&block.header).as_deref() == Some("impl")
    });
    for outer in impls {
        let Ok(syn::Item::Impl(item)) = syn::parse_str(&format!("{}{{}}", outer.header)) else {
            continue;
        };
        let syn::Type::Path(of) = &*item.self_ty else {
            continue;
        };
        let Some(of) = of.path.segments.last() else {
            continue;
        };
        let of = of.ident.to_string();
        if !mentioned.contains(&of) {
            continue;
        }
        let inner = blocks
            .iter()
            .filter(|block| block.inside == Some(outer.open));
        for block in inner {
            if let Some(name) = function(block.header.trim_start())
                && mentioned.contains(name)
            {
                let plain = item.trait_.is_none()
                    && is_unmarked(&outer.header)
                    && is_unmarked(&block.header);
                let entry = found.entry((of.clone(), name.to_owned())).or_insert(true);
                *entry &= plain;
            }
        }
    }
    let unmarked = found.into_iter().filter(|(_, unmarked)| *unmarked);
    unmarked.map(|(name, _)| name).collect()
}

/// The name of a function, by its header.
pub(super) fn function(header: &str) -> Option<&str> {
    let (before, after) = header.split_once("fn ")?;
    let plain = before.rsplit(']').next()?.split_whitespace().all(|word| {
        word.starts_with("pub") || ["const", "crate", "(crate)", "(super)"].contains(&word)
    });
    let end = after.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    plain.then_some(&after[..end])
}

/// True if no attribute may give a function rules, or leave it out.
pub(super) fn is_unmarked(header: &str) -> bool {
    const INERT: [&str; 8] = [
        "allow",
        "cold",
        "deprecated",
        "doc",
        "expect",
        "inline",
        "must_use",
        "track_caller",
    ];
    let attributes = header.trim_start().split('#').skip(1);
    attributes.into_iter().all(|attribute| {
        let name = attribute.trim_start().trim_start_matches('[').trim_start();
        INERT.iter().any(|known| name.starts_with(known))
    })
}

fn take_imports(
    tree: &syn::UseTree,
    root: &str,
    mentioned: &HashSet<String>,
    all: &mut HashMap<String, String>,
) {
    let mut take = |name: &syn::Ident| {
        let name = bare(&name.to_string()).to_owned();
        if mentioned.contains(&name) {
            all.insert(name, root.to_owned());
        }
    };
    match tree {
        syn::UseTree::Path(path) => take_imports(&path.tree, root, mentioned, all),
        syn::UseTree::Name(leaf) => take(&leaf.ident),
        // Under another name it may be anything.
        syn::UseTree::Rename(_) | syn::UseTree::Glob(_) => {}
        syn::UseTree::Group(group) => {
            for tree in &group.items {
                take_imports(tree, root, mentioned, all);
            }
        }
    }
}

fn has_glob(tree: &syn::UseTree) -> bool {
    match tree {
        syn::UseTree::Path(path) => has_glob(&path.tree),
        syn::UseTree::Glob(_) => true,
        syn::UseTree::Group(group) => group.items.iter().any(has_glob),
        _ => false,
    }
}

/// A struct with lifetimes: how often it is declared, and how many it has.
fn take_lifetimes(text: &str, all: &mut HashMap<String, (usize, usize)>) {
    if let Ok(syn::Item::Struct(item)) = syn::parse_str::<syn::Item>(text) {
        let count = item.generics.lifetimes().count();
        if count > 0 {
            let entry = all.entry(item.ident.to_string()).or_insert((0, count));
            entry.0 += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    fn of(text: &str, mentioned: &[&str]) -> Callees {
        let source = Source::new(std::path::Path::new(""), (None, 0), text.to_owned());
        let mentioned = mentioned.iter().map(|name| (*name).to_owned()).collect();
        in_module(&source, None, &mentioned)
    }

    fn is_known(all: &Callees, path: &str) -> bool {
        let path = syn::parse_str(path).unwrap();
        all.without_rules(&path, None).is_some()
    }

    #[test]
    fn functions_without_attributes() {
        let all = of(
            "#[inline] pub fn plain(x: f64) -> f64 { x } #[differentiable] fn marked() {} #[cfg(a)] fn twice() {} #[cfg(b)] fn twice() {}
             #[primitive(zero_derivative)] fn zero() {} mod module { fn inner() {} } struct P; impl P { fn new() {} #[differentiable] fn of() {} }
             #[differentiable] impl P { fn all() {} } impl Trait for P { fn by_trait() {} }",
            &["plain", "marked", "twice", "zero", "inner", "module", "P", "new", "of", "all", "by_trait"],
        );
        for path in ["plain", "P::new"] {
            assert!(is_known(&all, path), "{path}");
        }
        for path in [
            "marked",
            "twice",
            "zero",
            "inner",
            "module::inner",
            "P::of",
            "P::all",
            "P::by_trait",
        ] {
            assert!(!is_known(&all, path), "{path}");
        }
    }

    #[test]
    fn functions_of_crates() {
        let all = of(
            "use ndarray::{aview1, Array1}; use std::time::Duration; use other::f; mod nalgebra;",
            &["aview1", "Array1", "Duration", "f"],
        );
        for path in [
            "aview1",
            "ndarray::aview2",
            "Array1::linspace",
            "Duration::from_secs_f64",
            "libm::erf",
        ] {
            assert!(is_known(&all, path), "{path}");
        }
        for path in [
            "f",
            "Array1::zeros",
            "nalgebra::f",
            "other::f",
            "std::mem::swap",
        ] {
            assert!(!is_known(&all, path), "{path}");
        }
    }

    #[test]
    fn lifetimes_of_types() {
        let all = of(
            "use ndarray::ArrayView1; struct Table<'a> { x: &'a [f64] }",
            &["ArrayView1", "Table"],
        );
        let sig = syn::parse_quote!(fn f(x: ArrayView1<f64>, y: &Table, z: Table<'_>, w: Vec<f64>));
        assert_eq!(
            all.with_lifetimes(&sig).to_token_stream().to_string(),
            quote!(fn f(x: ArrayView1<'_, f64>, y: &Table<'_>, z: Table<'_>, w: Vec<f64>))
                .to_string()
        );
    }

    #[test]
    fn known_functions_are_those_of_the_runtime() {
        fn read(folder: &std::path::Path, all: &mut HashSet<String>) {
            for entry in std::fs::read_dir(folder).unwrap().flatten() {
                if entry.path().is_dir() {
                    read(&entry.path(), all);
                } else if let Ok(text) = std::fs::read_to_string(entry.path()) {
                    let before = text.split("_path_modes").collect::<Vec<_>>();
                    for part in &before[..before.len() - 1] {
                        if let Some((_, name)) = part.rsplit_once("__") {
                            all.insert(name.to_owned());
                        }
                    }
                }
            }
        }
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut all = HashSet::new();
        for folder in ["../ad-runtime/src/libraries", "../src/nalgebra"] {
            read(&root.join(folder), &mut all);
        }
        let mut all: Vec<String> = all.into_iter().collect();
        all.sort();
        assert_eq!(all, KNOWN);
    }
}

//! Finds functions that certainly have no derivative rules: those that are in the file without an attribute, and those of crates that have none.
//!
//! In: the position of an attribute, and its item. Out: [`Callees`], by which a call with a differentiated argument is one error that
//! names the function. Other functions are left to rustc, which reports a missing rule under the callee's name.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::visit::{self, Visit};

use super::attributes::{are_without_rules, makes_rules, mentions};
use super::elsewhere::Elsewhere;
use super::module::Module;
use super::names::is_unmarked_trait;
use super::scan::Item;
use super::source::{Site, Source};
use super::tokens::{bare, lists};
use super::tree::Found;
use super::whole;
use crate::paths::{ends_in, last_name};

/// Crates without rules of their own. `chainrule` has rules for some of their associated functions, [`KNOWN`], and for methods.
pub(super) const WITHOUT_RULES: &str =
    "alloc core faer libm nalgebra ndarray num num_complex num_traits std";

/// Types of std that need no import.
const OF_STD: &str = "f32 f64 i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize bool char Box Option Result String Vec";

/// Where a path to a type begins of which something is known.
const KNOWN_CRATES: &str =
    "ad_runtime chainrule crate faer nalgebra ndarray num_complex self super Self";

/// The associated functions that the runtime has rules for.
const KNOWN: &str = "cis eye from from_angle from_axis_angle from_column_slice from_columns from_diag \
    from_diagonal from_elem from_element from_euler_angles from_fn from_iterator \
    from_parts from_polar from_quaternion from_row_slice from_rows from_scaled_axis \
    from_shape_vec from_vec full identity new new_normalize new_unchecked ones zeros";

/// A file's functions: which have no rules.
#[derive(Clone, Debug, Default)]
pub(crate) struct Callees {
    /// Functions of the module without an attribute.
    functions: HashSet<String>,
    /// Differentiable functions of the module whose drivers have no rules.
    without_drivers: HashSet<String>,
    /// Functions of types, `Type::function`, without an attribute.
    associated: HashSet<(String, String)>,
    /// Types with an `impl From` that has rules.
    converted: HashSet<String>,
    /// Traits of the module without an attribute.
    traits: HashSet<String>,
    /// The crate that a name is imported from.
    pub(super) imports: HashMap<String, String>,
    /// The paths of functions that are imported from modules of this crate.
    imported: HashMap<String, Vec<String>>,
    /// Variables of `thread_local!`.
    thread_locals: HashSet<String>,
    /// Static variables of the module.
    statics: HashSet<String>,
    /// Modules, which a path may begin with.
    modules: HashSet<String>,
    /// Something is imported from modules of the crate that isn't named.
    globs: bool,
    /// Types with lifetimes, and how many they have.
    pub(super) borrowing: HashMap<String, usize>,
    /// The first call of each function without rules.
    first: Rc<RefCell<HashMap<String, syn::Path>>>,
    /// Names may come from a library with arrays by `*`.
    pub(super) arrays: bool,
    file: Option<Arc<Source>>,
}

impl Callees {
    /// The reason why a call of this path can't be differentiated, and a replacement. `own` is the type of the `impl`.
    pub(crate) fn without_rules(
        &self,
        path: &syn::Path,
        own: Option<&syn::Type>,
    ) -> Option<(String, String)> {
        let segments = path.segments.iter();
        let names = segments.map(|segment| bare(&segment.ident.to_string()).to_owned());
        let names: Vec<String> = names.collect();
        let (title, last) = (names.join("::"), names.last()?);
        let unmarked = || Some(unmarked(&title, last));
        match &names[..] {
            [name] if self.functions.contains(name) => return unmarked(),
            [name] => {
                let path = self.imported.get(name);
                if let Some(path) =
                    path.filter(|path| self.is_function_without_rules(path, &path[0]))
                {
                    return Some(self::unmarked(&title, path.last()?));
                }
            }
            [of, name] => {
                let of = match own {
                    Some(syn::Type::Path(own)) if of == "Self" => last_name(&own.path)?,
                    _ => of.clone(),
                };
                if self.associated.contains(&(of, name.clone())) {
                    return unmarked();
                }
            }
            _ => {}
        }
        if let Some(error) = self.of_trait_without_rules(path) {
            return Some(error);
        }
        let first = names.first()?;
        let root = match self.imports.get(first) {
            Some(root) => root,
            None if names.len() > 1 && (!self.globs || self.is_module(first)) => first,
            None => return None,
        };
        let parent = names.iter().rev().nth(1);
        if self.is_function_without_rules(&names, root) {
            return unmarked();
        }
        if self.modules.contains(root) {
            return None;
        }
        let associated = parent.is_some_and(|parent| parent.starts_with(char::is_uppercase));
        let has_rules = associated && lists(KNOWN, last) || self.array_function(path);
        if has_rules || !lists(WITHOUT_RULES, root) {
            return None;
        }
        let help = if ["std", "core", "alloc"].contains(&root.as_str()) {
            if !associated || !self.imports.contains_key(first) {
                // Types of std have messages of their own.
                return None;
            }
            format!("write `{title}(stop_gradient(..))` if its result shall count as a constant")
        } else {
            "write the same computation with functions that have rules, or call it in a function of your own that has rules by `#[primitive]`; \
             `stop_gradient(..)` around its arguments makes its result a constant"
                .to_owned()
        };
        Some((
            format!("`{title}` of `{root}` has no derivative rules"),
            help,
        ))
    }

    /// True for a name that certainly is one of a module of this crate.
    fn is_module(&self, name: &str) -> bool {
        self.modules.contains(name) || ["crate", "self", "super"].contains(&name)
    }

    /// True for a function of another module of this crate, if no function of its name has rules.
    fn is_function_without_rules(&self, names: &[String], root: &str) -> bool {
        let Some((function, modules)) = names.split_last() else {
            return false;
        };
        let is_type = |name: &String| name.starts_with(char::is_uppercase);
        let (Some(module), Some(file)) = (modules.last(), &self.file) else {
            return false;
        };
        self.is_module(root)
            && !modules.iter().any(is_type)
            && !is_type(function)
            && whole::is_function_without_rules(module, function, file)
    }

    /// The same of the method of a trait, `Trait::method`.
    pub(crate) fn of_trait_without_rules(&self, path: &syn::Path) -> Option<(String, String)> {
        let [of, name] = [0, 1].map(|k| path.segments.iter().nth(k));
        let (of, name) = (&of?.ident, &name?.ident);
        let found = path.segments.len() == 2 && self.traits.contains(bare(&of.to_string()));
        let help = format!(
            "write `#[differentiable]` on the trait `{of}` and on its `impl`s, or `stop_gradient({of}::{name}(..))` if its result shall count as a constant"
        );
        found.then(|| (format!("`{of}::{name}` has no derivative rules"), help))
    }

    /// True if a function certainly is differentiable, and its drivers have no rules.
    pub(crate) fn is_without_drivers(&self, function: &syn::Path) -> bool {
        let name = function.get_ident().map(ToString::to_string);
        name.is_some_and(|name| self.without_drivers.contains(bare(&name)))
    }

    /// True if the `From` of a type has rules: in this module, or those for complex numbers.
    pub(crate) fn converts(&self, path: &syn::Path) -> bool {
        let Some(last) = last_name(path) else {
            return false;
        };
        if !self.may_be_of_this_crate(path) {
            return last.starts_with("Complex");
        }
        path.segments.len() == 1 && self.converted.contains(bare(&last))
    }

    /// False if a type certainly is of another crate.
    pub(crate) fn may_be_of_this_crate(&self, path: &syn::Path) -> bool {
        let Some(first) = path.segments.first() else {
            return false;
        };
        let first = first.ident.to_string();
        let root = self
            .imports
            .get(bare(&first))
            .map_or(first.as_str(), String::as_str);
        !lists(WITHOUT_RULES, root) && !lists(OF_STD, root)
    }

    /// True if a type is of a crate of which nothing is known.
    pub(crate) fn is_of_unknown_crate(&self, path: &syn::Path) -> bool {
        let Some(first) = path.segments.first() else {
            return false;
        };
        let first = first.ident.to_string();
        let root = match self.imports.get(bare(&first)) {
            Some(root) => root,
            None if path.segments.len() > 1 && !self.globs && !self.modules.contains(&first) => {
                &first
            }
            None => return false,
        };
        !lists(KNOWN_CRATES, root) && !self.modules.contains(root)
    }

    /// The path in the first call of a function without rules: the error stands there for all of its calls.
    pub(crate) fn first_call(&self, path: &syn::Path) -> syn::Path {
        let name = path.to_token_stream().to_string();
        let mut first = self.first.borrow_mut();
        first.entry(name).or_insert_with(|| path.clone()).clone()
    }

    /// True if a body makes values of types of the file that have lifetimes.
    pub(crate) fn makes_borrowing(&self, body: &syn::Block) -> bool {
        struct Makes<'a>(&'a Callees, bool);
        impl Makes<'_> {
            fn look(&mut self, path: &syn::Path) {
                let is_one = |name: &syn::PathSegment| {
                    let name = name.ident.to_string();
                    self.0.borrowing.contains_key(bare(&name))
                };
                self.1 |= path.segments.iter().any(is_one);
            }
        }
        impl<'ast> Visit<'ast> for Makes<'_> {
            fn visit_expr_struct(&mut self, made: &'ast syn::ExprStruct) {
                self.look(&made.path);
                visit::visit_expr_struct(self, made);
            }

            fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
                self.look(&path.path);
            }

            fn visit_item(&mut self, _: &'ast syn::Item) {}
        }
        let mut makes = Makes(self, false);
        if !self.borrowing.is_empty() {
            makes.visit_block(body);
        }
        makes.1
    }

    /// True if a path is a static variable of the module.
    pub(crate) fn is_static(&self, path: &syn::Path) -> bool {
        path.get_ident()
            .is_some_and(|name| self.statics.contains(bare(&name.to_string())))
    }

    /// True if a path is a variable of `thread_local!`.
    pub(crate) fn is_thread_local(&self, path: &syn::Path) -> bool {
        path.get_ident()
            .is_some_and(|name| self.thread_locals.contains(&name.to_string()))
    }
}

/// The error for a function without an attribute.
pub(crate) fn unmarked(title: &str, last: &str) -> (String, String) {
    let of = title.strip_suffix("::from");
    let declared = of.map_or_else(|| last.to_owned(), |of| format!("impl From<..> for {of}"));
    let help = format!(
        "write `#[differentiable]` on `{declared}`, or `stop_gradient({title}(..))` if its result shall count as a constant"
    );
    (format!("`{title}` has no derivative rules"), help)
}

/// Reads the file for the functions that `item` mentions.
pub(crate) fn callees(site: Option<&Site>, item: &TokenStream) -> Callees {
    let found = Module::and_names(site, item);
    found.map_or_else(Callees::default, |(module, mentioned)| {
        in_module(&module, &mentioned)
    })
}

/// The imports of a module: the names of libraries with arrays, and of other crates those that are mentioned.
pub(super) fn imports(module: &Module, mentioned: &HashSet<String>) -> Callees {
    let mut all = Callees {
        file: Some(Arc::clone(&module.source)),
        ..Callees::default()
    };
    for import in module.imports(&[""]) {
        let Some(root) = import.root() else { continue };
        let own = import.is_own() || module.has_module(&root);
        if import.is_glob() {
            all.globs |= import.is_own();
            all.arrays |= root == "ndarray";
            continue;
        }
        if let Some(name) = (import.name.as_ref()).filter(|_| own) {
            let path = import
                .path
                .iter()
                .map(|name| bare(&name.to_string()).to_owned());
            all.imported
                .insert(bare(&name.to_string()).to_owned(), path.collect());
        }
        if import.name.as_ref() == import.path.last()
            && let Some(name) = &import.name
        {
            // Under another name it may be anything.
            let name = bare(&name.to_string()).to_owned();
            // Fields of types that are mentioned may be arrays.
            if (root == "ndarray" || mentioned.contains(&name)) && !module.has_module(&root) {
                all.imports.insert(name, root);
            }
        }
    }
    // The module around may have the names that `super::*` imports from the library.
    let uses_arrays = |item: &Item| {
        let text = item.header.trim_start();
        text.contains("use ndarray") || text.contains("use ::ndarray")
    };
    all.arrays |= all.globs && module.source.items.iter().any(uses_arrays);
    all
}

fn in_module(module: &Module, mentioned: &HashSet<String>) -> Callees {
    let mut all = imports(module, mentioned);
    let modules = module.all("mod").map(|item| item.name.clone());
    all.modules.extend(modules);
    for name in mentioned {
        if !module.has_module(name)
            && let Some(function) = only(module, name, "fn")
            && is_without_rules(module, function)
        {
            all.functions.insert(name.clone());
        }
        if !module.has_module(name)
            && let Some(function) = only(module, name, "fn")
            && let Some(function) = module.parsed::<syn::ItemFn>(function, false)
            && function.attrs.iter().any(is_without_drivers)
        {
            all.without_drivers.insert(name.clone());
        }
        if only(module, name, "static").is_some() {
            all.statics.insert(name.clone());
        }
        if let Some(item) = only(module, name, "struct").filter(|item| item.header.contains('\''))
            && let Some(item) = module.parsed::<syn::ItemStruct>(item, false)
            && item.generics.lifetimes().next().is_some()
        {
            let count = item.generics.lifetimes().count();
            all.borrowing.insert(name.clone(), count);
        }
    }
    for block in module.all("") {
        if block.header.contains("thread_local!") {
            let statics = module.body(block).split("static ").skip(1);
            let names = statics.filter_map(|text| text.split(':').next());
            all.thread_locals
                .extend(names.map(|name| name.trim().to_owned()));
        }
    }
    all.associated = associated(module, mentioned, &mut all.converted);
    if mentioned.contains("into") {
        let elsewhere = Elsewhere::of(module, HashSet::new());
        let found = mentioned.iter().filter_map(|name| elsewhere.find(name));
        let converted = found.filter(is_converted).map(|found| found.name);
        all.converted.extend(converted);
    }
    let blocks = module
        .all("trait")
        .filter(|block| mentioned.contains(&block.name));
    let unmarked = blocks.filter(|block| is_unmarked_trait(module, &block.name));
    let unmarked = unmarked.filter(|block| !module.body(block).contains("differentiable"));
    all.traits = unmarked.map(|block| block.name.clone()).collect();
    all
}

/// True for a type if its module has an `impl From` with rules for it.
fn is_converted(of: &Found) -> bool {
    let blocks = of
        .module
        .all("impl")
        .filter(|block| block.header.contains("From"));
    let mut blocks = blocks.filter_map(|block| of.module.parsed::<syn::ItemImpl>(block, false));
    blocks.any(|block| {
        let is_from =
            (block.trait_.as_ref()).is_some_and(|(of_trait, _)| ends_in(of_trait, "From"));
        is_from
            && matches!(&*block.self_ty, syn::Type::Path(own) if ends_in(&own.path, &of.name))
            && !are_without_rules(&block.attrs)
    })
}

/// The item of a name, if it is the only one of its kind.
fn only<'m>(module: &'m Module, name: &str, keyword: &str) -> Option<&'m Item> {
    let mut items = module.named(name).filter(|item| item.keyword == keyword);
    items.next().filter(|_| items.next().is_none())
}

/// True if it is `#[differentiable]` without `nested` and `order`, with which drivers have rules.
fn is_without_drivers(attr: &syn::Attribute) -> bool {
    makes_rules(attr)
        && !["nested", "order"]
            .iter()
            .any(|option| mentions(attr, option))
}

/// The functions in blocks `impl Type`, of which none has an attribute that makes rules. `converted`: the types whose `From` has one.
fn associated(
    module: &Module,
    mentioned: &HashSet<String>,
    converted: &mut HashSet<String>,
) -> HashSet<(String, String)> {
    let mut found: HashMap<(String, String), bool> = HashMap::new();
    for block in module.all("impl") {
        let Some(item) = module.parsed::<syn::ItemImpl>(block, false) else {
            continue;
        };
        let syn::Type::Path(of) = &*item.self_ty else {
            continue;
        };
        let of = last_name(&of.path);
        let Some(of) = of.filter(|of| mentioned.contains(of)) else {
            continue;
        };
        let inner = module.within(block);
        // An `impl From` without an attribute has no rules, whoever declares the types.
        let of_trait = item
            .trait_
            .as_ref()
            .is_some_and(|(path, _)| !ends_in(path, "From"));
        let plain = !of_trait && are_without_rules(&item.attrs);
        if item.trait_.is_some() && !of_trait && !plain {
            converted.insert(of.clone());
        }
        // `into` calls it.
        let by_into = mentioned.contains("into").then_some("from");
        for name in mentioned.iter().map(String::as_str).chain(by_into) {
            for function in inner.named(name).filter(|item| item.keyword == "fn") {
                let entry = found.entry((of.clone(), name.to_owned())).or_insert(true);
                *entry &= plain && is_without_rules(&inner, function);
            }
        }
    }
    let unmarked = found.into_iter().filter(|(_, unmarked)| *unmarked);
    unmarked.map(|(name, _)| name).collect()
}

/// True for a function that can be called like any other, if no attribute may add rules to it, or remove it.
pub(super) fn is_without_rules(module: &Module, item: &Item) -> bool {
    let function = (item.keyword == "fn").then(|| module.parsed::<syn::Item>(item, false));
    matches!(function, Some(Some(syn::Item::Fn(item)))
        if item.sig.asyncness.is_none()
            && item.sig.abi.is_none()
            && matches!(item.sig.safety, syn::Safety::Default)
            && are_without_rules(&item.attrs))
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    fn of(text: &str, mentioned: &[&str]) -> Callees {
        let mentioned = mentioned.iter().map(|name| (*name).to_owned()).collect();
        in_module(&Module::of(text), &mentioned)
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
             #[differentiable] impl P { fn all() {} } impl Trait for P { fn by_trait() {} }
             trait Plain { fn root(self) -> Self; } #[differentiable] trait Marked { fn root(self) -> Self; }",
            &["Plain", "Marked", "root", "plain", "marked", "twice", "zero", "inner", "module", "P", "new", "of", "all", "by_trait"],
        );
        for path in ["plain", "P::new", "Plain::root", "module::inner"] {
            assert!(is_known(&all, path), "{path}");
        }
        for path in [
            "marked",
            "twice",
            "zero",
            "inner",
            "P::of",
            "P::all",
            "P::by_trait",
            "Marked::root",
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
        assert_eq!(all, KNOWN.split(' ').collect::<Vec<_>>());
    }
}

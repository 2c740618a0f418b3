//! Follows paths through the modules of a crate: `crate::a::b`, `super::c`.
//!
//! In: a module and a path. Out: the module, or the item, that it leads to. A module of another file is found where cargo and rustc look for it
//! without `#[path]`. Nothing is found where the configuration decides, or where there are several.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use proc_macro2::Ident;

use super::attributes::leaves_module;
use super::module::Module;
use super::scan::Item;
use super::source::source;

/// An item of a module.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) module: Module,
    pub(super) name: String,
}

impl Found {
    pub(super) fn is(&self, other: &Found) -> bool {
        self.name == other.name && self.module.is(&other.module)
    }

    /// Returns `true` if it is of a kind, whatever else has its name.
    pub(super) fn is_one(&self, test: impl Fn(&Item) -> bool) -> bool {
        self.module.named(&self.name).any(test)
    }
}

/// Finds items by paths, for one expansion.
#[derive(Default)]
pub(super) struct Tree {
    /// The modules from which modules import everything.
    globs: RefCell<Vec<(Module, Rc<[Module]>)>>,
}

impl Tree {
    /// The item that a path leads to, by `pub use` too.
    pub(super) fn item_at(&self, from: &Module, path: &[String]) -> Option<Found> {
        self.behind(from, path, &mut Vec::new())
    }

    /// The item of a name that a module imports by `*`, if all such imports that bring one bring the same.
    pub(super) fn by_globs(&self, module: &Module, name: &str) -> Option<Found> {
        self.of_globs(module, name, &mut Vec::new())
    }

    fn behind(&self, from: &Module, path: &[String], seen: &mut Vec<Found>) -> Option<Found> {
        let (name, modules) = path.split_last()?;
        if modules.is_empty() {
            return None;
        }
        self.item(&from.module_at(modules)?, name, seen)
    }

    /// The item of a name that a module declares or imports. `seen`: where it has been looked for, since imports may lead in a circle.
    fn item(&self, module: &Module, name: &str, seen: &mut Vec<Found>) -> Option<Found> {
        let found = Found {
            module: module.clone(),
            name: name.to_owned(),
        };
        if seen.iter().any(|seen| seen.is(&found)) {
            return None;
        }
        if module.may_have(name) {
            return Some(found);
        }
        seen.push(found);
        let mut imports = module.brought().iter();
        match imports.find(|import| import.name.as_deref() == Some(name)) {
            Some(import) => self.behind(module, &import.path, seen),
            None => self.of_globs(module, name, seen),
        }
    }

    fn of_globs(&self, module: &Module, name: &str, seen: &mut Vec<Found>) -> Option<Found> {
        let globs = self.globs(module);
        let mut found = globs.iter().filter_map(|glob| self.item(glob, name, seen));
        let first = found.next()?;
        found.all(|other| other.is(&first)).then_some(first)
    }

    fn globs(&self, module: &Module) -> Rc<[Module]> {
        let known = self.globs.borrow();
        if let Some((_, globs)) = known.iter().find(|(known, _)| known.is(module)) {
            return Rc::clone(globs);
        }
        drop(known);
        let globs = module
            .brought()
            .iter()
            .filter(|import| import.name.is_none());
        let globs: Rc<[Module]> = globs
            .filter_map(|glob| module.module_at(&glob.path))
            .collect();
        let known = (module.clone(), Rc::clone(&globs));
        self.globs.borrow_mut().push(known);
        globs
    }
}

impl Module {
    pub(super) fn is(&self, other: &Module) -> bool {
        self.inside == other.inside && self.source.path == other.source.path
    }

    /// The module that a path leads to.
    fn module_at(&self, path: &[String]) -> Option<Module> {
        let (first, rest) = path.split_first()?;
        let mut module = match first.as_str() {
            "crate" => self.root(),
            "self" => self.clone(),
            "super" => self.outer()?,
            name => match self.child(name) {
                Some(child) => child,
                None if is_package(name) => library()?,
                None => return None,
            },
        };
        for name in rest {
            module = match name.as_str() {
                "super" => module.outer()?,
                name => module.child(name)?,
            };
        }
        Some(module)
    }

    /// The root of the crate.
    fn root(&self) -> Module {
        let mut root = self.clone();
        while let Some(outer) = root.outer() {
            root = outer;
        }
        root
    }

    /// A module that is declared in this one.
    fn child(&self, name: &str) -> Option<Module> {
        let item = self.declaration(name)?;
        if item.braces.is_some() {
            return Some(self.within(item));
        }
        let mut names = self.names_in_file()?;
        names.push(name.to_owned());
        let own = &self.source.path;
        let folder = own.parent()?;
        // The file may be the root of a program that has any name.
        let mut folders = vec![folder.to_owned()];
        if !is_first_of_folder(own) {
            folders.push(folder.join(own.file_stem()?));
        }
        let paths = folders.into_iter().flat_map(|folder| {
            let path = folder.join(names.iter().collect::<PathBuf>());
            [path.with_extension("rs"), path.join("mod.rs")]
        });
        let mut files = paths.filter_map(|path| source(&path));
        let file = files.next()?;
        files.next().is_none().then(|| Module::file(file))
    }

    /// The declaration of a module, `mod name;` or `mod name { .. }`, if it is the same in each configuration.
    fn declaration(&self, name: &str) -> Option<&Item> {
        let mut all = self.named(name).filter(|item| item.keyword == "mod");
        let item = all.next()?;
        let parsed = syn::parse_str::<syn::ItemMod>(&item.without_body()).ok()?;
        (all.next().is_none() && parsed.attrs.iter().all(leaves_module)).then_some(item)
    }

    /// The names of the modules around this one in its file.
    fn names_in_file(&self) -> Option<Vec<String>> {
        let mut names = Vec::new();
        let mut module = self.clone();
        while let Some(open) = module.inside {
            names.insert(0, module.source.opened_at(open)?.name.clone());
            module = module.parent()?;
        }
        Some(names)
    }

    /// The module around this one, in this file or another.
    fn outer(&self) -> Option<Module> {
        if self.inside.is_some() {
            return self.parent();
        }
        let own = &self.source.path;
        if ["lib.rs", "main.rs"].iter().any(|root| own.ends_with(root)) {
            return None;
        }
        let (folder, name) = name_of(own)?;
        let program = std::env::var_os("CARGO_BIN_NAME").is_some();
        let roots = ["lib.rs", "main.rs"].map(|root| folder.join(root));
        let [first, second] = if program {
            [&roots[1], &roots[0]]
        } else {
            [&roots[0], &roots[1]]
        };
        let paths = [
            &folder.join("mod.rs"),
            &folder.with_extension("rs"),
            first,
            second,
        ];
        let mut files = paths.into_iter().filter_map(|path| source(path));
        files.find_map(|file| {
            let module = Module::file(file);
            let is_declared = module
                .declaration(name)
                .is_some_and(|item| item.braces.is_none());
            is_declared.then_some(module)
        })
    }

    /// True if code of this module may use an item of module `of` with this visibility.
    pub(super) fn may_use(&self, visibility: &syn::Visibility, of: &Module) -> bool {
        match visibility {
            syn::Visibility::Public(_) => true,
            syn::Visibility::Inherited => self.is_in(of),
            syn::Visibility::Restricted(only) if only.path.is_ident("crate") => {
                self.is_of_the_crate_of(of)
            }
            syn::Visibility::Restricted(only) if only.path.is_ident("super") => {
                of.outer().is_some_and(|outer| self.is_in(&outer))
            }
            syn::Visibility::Restricted(_) => false,
        }
    }

    /// The names of the modules that lead from the root of the crate to this one, if code of `here` may use them.
    pub(super) fn path_for(&self, here: &Module) -> Option<Vec<Ident>> {
        let mut names = Vec::new();
        let mut module = self.clone();
        while let Some(outer) = module.outer() {
            let name = module.name()?;
            let item = outer.declaration(&name)?;
            let item = syn::parse_str::<syn::ItemMod>(&item.without_body()).ok()?;
            if !here.may_use(&item.vis, &outer) {
                return None;
            }
            names.insert(0, item.ident);
            module = outer;
        }
        Some(names)
    }

    fn name(&self) -> Option<String> {
        match self.inside {
            Some(open) => Some(self.source.opened_at(open)?.name.clone()),
            None => Some(name_of(&self.source.path)?.1.to_owned()),
        }
    }

    /// Returns `false` for modules of the package's library in a program, test or example beside it.
    pub(super) fn is_of_the_crate_of(&self, other: &Module) -> bool {
        self.root().is(&other.root())
    }

    fn is_in(&self, other: &Module) -> bool {
        let mut module = Some(self.clone());
        while let Some(here) = module {
            if here.is(other) {
                return true;
            }
            module = here.outer();
        }
        false
    }
}

/// The library of the package.
fn library() -> Option<Module> {
    let folder = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR")?);
    Some(Module::file(source(&folder.join("src/lib.rs"))?))
}

/// True for the name of the package's library, by which programs, tests and examples beside it refer to it. Rules have their own names in this
/// project's libraries.
pub(super) fn is_package(name: &str) -> bool {
    const OURS: [&str; 2] = ["ad_runtime", "chainrule"];
    let package = std::env::var("CARGO_PKG_NAME");
    let package = package.map(|package| package.replace('-', "_"));
    package.is_ok_and(|package| package == name) && !OURS.contains(&name)
}

/// The folder in which the module around that of a file is looked for, and the name that it has there.
fn name_of(file: &Path) -> Option<(&Path, &str)> {
    let (folder, name) = if file.ends_with("mod.rs") {
        let folder = file.parent()?;
        (folder.parent()?, folder.file_name()?)
    } else {
        (file.parent()?, file.file_stem()?)
    };
    Some((folder, name.to_str()?))
}

/// True for a file whose modules are in its own folder.
fn is_first_of_folder(file: &Path) -> bool {
    ["lib.rs", "main.rs", "mod.rs"]
        .iter()
        .any(|name| file.ends_with(name))
}

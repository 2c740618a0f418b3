//! Decides whether a method of another module means the same where it is inlined.
//!
//! In: a method, and the module that declares it. Out: `true` if all names in its body refer to the same items in both modules, and if this module
//! may use the fields and methods that the body uses.

use std::collections::{HashMap, HashSet};

use syn::visit::{self, Visit};

use super::elsewhere::Elsewhere;
use super::imports::Bound;
use super::module::Module;
use super::tokens::bare;
use crate::paths::last_name;
use crate::std_model;
use crate::syntax::path_of;

/// The fields and methods of the types of a module, and whether another module may use them.
#[derive(Debug, Default)]
pub(super) struct Members(HashMap<String, HashMap<String, bool>>);

impl Members {
    pub(super) fn of(module: &Module, here: &Module) -> Members {
        let mut all = Members::default();
        for item in module.all("struct") {
            let Some(item) = module.parsed::<syn::ItemStruct>(item, true) else {
                continue;
            };
            let own = item.ident.to_string();
            for (member, field) in item.fields.members().zip(&item.fields) {
                all.add(&own, name_of(&member), here.may_use(&field.vis, module));
            }
        }
        for block in module.all("impl") {
            let Some(item) = module.parsed::<syn::ItemImpl>(block, false) else {
                continue;
            };
            if item.trait_.is_some() {
                continue;
            }
            let own = match &*item.self_ty {
                syn::Type::Path(own) => last_name(&own.path),
                _ => None,
            };
            let inner = module.within(block);
            for method in inner.all("fn") {
                let parsed = inner.parsed::<syn::ImplItemFn>(method, false);
                let usable = parsed.is_some_and(|method| here.may_use(&method.vis, module));
                all.add(own.as_deref().unwrap_or(""), method.name.clone(), usable);
            }
        }
        all
    }

    fn add(&mut self, own: &str, name: String, usable: bool) {
        let known = self.0.entry(own.to_owned()).or_default();
        *known.entry(name).or_insert(true) &= usable;
    }

    /// Returns `true` if a field or method can be used: of this type, or of any if the type isn't known.
    fn may_use(&self, (own, name): &(Option<String>, String)) -> Option<bool> {
        match own {
            Some(own) => self.0.get(own)?.get(name).copied(),
            None => {
                let all = self.0.values().filter_map(|members| members.get(name));
                all.copied().reduce(|all, one| all && one)
            }
        }
    }
}

fn name_of(member: &syn::Member) -> String {
    match member {
        syn::Member::Named(name) => bare(&name.to_string()).to_owned(),
        syn::Member::Unnamed(k) => k.index.to_string(),
    }
}

/// Returns `true` if the body of a function, or of a method of a type, means the same here as in its module, and may be written here.
pub(super) fn is_portable(
    elsewhere: &Elsewhere,
    from: &Module,
    members: &Members,
    own: &str,
    sig: &syn::Signature,
    block: &syn::Block,
) -> bool {
    let uses = Uses::of(own, sig, block);
    let is_index = |name: &str| name.starts_with(|c: char| c.is_ascii_digit());
    let of_std = |name: &str| std_model::named(name).next().is_some();
    !uses.unknown
        && !uses.bound.iter().any(|name| from.may_have(name))
        && uses.names.iter().all(|name| elsewhere.is_same(from, name))
        && (uses.members.iter()).all(|of| members.may_use(of).unwrap_or(is_index(&of.1)))
        && (uses.methods.iter()).all(|of| members.may_use(of).unwrap_or(of_std(&of.1)))
        // Another trait may be in scope here.
        && !uses.methods.iter().any(|(_, name)| elsewhere.may_be_of_trait(from, name))
        && !uses.associated.iter().any(|name| elsewhere.may_be_of_trait(from, name))
}

/// The first name in the body of a function that refers to something else here, or to nothing.
pub(super) fn unknown_name(
    elsewhere: &Elsewhere,
    from: &Module,
    sig: &syn::Signature,
    block: &syn::Block,
) -> Option<String> {
    let names = Uses::of("", sig, block).names.into_iter();
    names.filter(|name| !elsewhere.is_same(from, name)).min()
}

/// The parameters of a method that are of the type itself, or references to it.
fn own_params(own: &str, sig: &syn::Signature) -> HashSet<String> {
    let names = sig.inputs.iter().filter_map(|input| match input {
        syn::FnArg::Receiver(_) => Some("self".to_owned()),
        syn::FnArg::Typed(input) => {
            let ty = match &*input.ty {
                syn::Type::Reference(ty) => &ty.elem,
                ty => ty,
            };
            match (&*input.pat, ty) {
                (syn::Pat::Ident(name), syn::Type::Path(ty))
                    if ty.path.is_ident(own) || ty.path.is_ident("Self") =>
                {
                    Some(name.ident.to_string())
                }
                _ => None,
            }
        }
    });
    names.collect()
}

/// The names in a body that refer to items.
struct Uses<'a> {
    own: &'a str,
    /// The variables of that type.
    of_own: HashSet<String>,
    /// All variables.
    bound: HashSet<String>,
    names: HashSet<String>,
    /// With the type, if it is known.
    members: HashSet<(Option<String>, String)>,
    methods: HashSet<(Option<String>, String)>,
    /// The names behind types and modules.
    associated: HashSet<String>,
    /// There is code that isn't looked into.
    unknown: bool,
}

impl<'a> Uses<'a> {
    fn of(own: &'a str, sig: &syn::Signature, block: &syn::Block) -> Uses<'a> {
        let mut bound = Bound::default();
        bound.visit_signature(sig);
        bound.visit_block(block);
        let mut uses = Uses {
            own,
            of_own: own_params(own, sig),
            bound: bound.names,
            names: HashSet::new(),
            members: HashSet::new(),
            methods: HashSet::new(),
            associated: HashSet::new(),
            unknown: false,
        };
        uses.visit_block(block);
        uses
    }

    /// The type of an expression, if it is the method's own.
    fn type_of(&self, expr: &syn::Expr) -> Option<String> {
        let path = path_of(expr)?;
        let name = path.path.get_ident()?.to_string();
        self.of_own.contains(&name).then(|| self.own.to_owned())
    }

    /// The type of a literal or a pattern.
    fn named(&self, path: &syn::Path) -> Option<String> {
        let name = path.get_ident()?.to_string();
        Some(if name == "Self" {
            self.own.to_owned()
        } else {
            name
        })
    }
}

impl<'ast> Visit<'ast> for Uses<'_> {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        let first = path
            .segments
            .first()
            .filter(|_| path.leading_colon.is_none());
        let first = first.map(|first| bare(&first.ident.to_string()).to_owned());
        let is_own = |name: &String| name == "self" || name == "Self";
        let first = first.filter(|first| !self.bound.contains(first) && !is_own(first));
        self.names.extend(first);
        let behind = path.segments.iter().skip(1);
        self.associated
            .extend(behind.map(|of| bare(&of.ident.to_string()).to_owned()));
        visit::visit_path(self, path);
    }

    fn visit_expr_field(&mut self, field: &'ast syn::ExprField) {
        self.members
            .insert((self.type_of(&field.base), name_of(&field.member)));
        visit::visit_expr_field(self, field);
    }

    fn visit_expr_struct(&mut self, made: &'ast syn::ExprStruct) {
        let own = self.named(&made.path);
        for field in &made.fields {
            self.members.insert((own.clone(), name_of(&field.member)));
        }
        visit::visit_expr_struct(self, made);
    }

    fn visit_pat_struct(&mut self, pat: &'ast syn::PatStruct) {
        let own = self.named(&pat.path);
        for field in &pat.fields {
            self.members.insert((own.clone(), name_of(&field.member)));
        }
        visit::visit_pat_struct(self, pat);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let name = bare(&call.method.to_string()).to_owned();
        self.methods.insert((self.type_of(&call.receiver), name));
        visit::visit_expr_method_call(self, call);
    }

    fn visit_macro(&mut self, _: &'ast syn::Macro) {
        self.unknown = true;
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {
        self.unknown = true;
    }

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {
        self.unknown = true;
    }
}

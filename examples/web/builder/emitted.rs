//! The code that the macro emits: the library is expanded as it was compiled, and single rules are picked.

use crate::Result;
use crate::compile::{Build, TARGET, tool};
use std::path::Path;
use std::process::Command;
use syn::visit_mut::{self, VisitMut};
use syn::{File, ImplItem, Item, ItemImpl, Lit, LitFloat, LitInt, Path as Name, Type, Visibility};

/// The rules that are shown: the function, its rule, and a title.
const SHOWN: [(&str, &str, &str); 3] = [
    ("loss", "__combined", "Gradient of loss"),
    ("curve", "__combined", "Gradient of curve"),
    ("loss", "__frule", "Forward rule of loss"),
];

/// A rule, as the macro emits it but for paths and attributes.
pub(crate) struct Rule {
    pub(crate) title: &'static str,
    pub(crate) code: String,
}

/// Expands the library and picks the rules that are shown.
pub(crate) fn rules(package: &Path, build: &Build) -> Result<Vec<Rule>> {
    let file = syn::parse_file(&expanded(package, build)?)
        .map_err(|error| format!("the expanded library can't be read: {error}"))?;
    let rules = SHOWN.iter().map(|&(function, rule, title)| {
        let found = find(&file.items, function, rule);
        let code = found.map(print);
        code.map(|code| Rule { title, code })
            .ok_or_else(|| format!("the macro emits no {rule} of {function}").into())
    });
    rules.collect()
}

/// The library with its macros expanded, by the compiler and with the crates of the build.
fn expanded(package: &Path, build: &Build) -> Result<String> {
    let mut command = Command::new(tool("RUSTC", "rustc"));
    // Printing it is an option of nightly compilers, which stable ones have under this variable.
    command
        .env("RUSTC_BOOTSTRAP", "1")
        .arg("-Zunpretty=expanded");
    command.args([
        "--edition",
        "2024",
        "--crate-type",
        "lib",
        "--target",
        TARGET,
    ]);
    command.args(["--crate-name", "chainrule_web"]);
    for (name, file) in &build.crates {
        command
            .arg("--extern")
            .arg(format!("{name}={}", file.display()));
    }
    for folder in &build.folders {
        command
            .arg("-L")
            .arg(format!("dependency={}", folder.display()));
    }
    // The macros ask cargo's variables which package they are in.
    command.env("CARGO_MANIFEST_DIR", package);
    command.env("CARGO_PKG_NAME", env!("CARGO_PKG_NAME"));
    command.env("CARGO_PKG_VERSION", env!("CARGO_PKG_VERSION"));
    command.env("CARGO_CRATE_NAME", "chainrule_web");
    let output = command.arg(package.join("src/lib.rs")).output()?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(format!("rustc doesn't expand the library:\n{message}").into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// The implementation block of `function` in any module, with `rule` as its only function.
fn find(items: &[Item], function: &str, rule: &str) -> Option<ItemImpl> {
    items.iter().find_map(|item| match item {
        Item::Mod(module) => find(&module.content.as_ref()?.1, function, rule),
        Item::Impl(block) if block.trait_.is_none() && is_named(&block.self_ty, function) => {
            let mut only = block.clone();
            only.items
                .retain(|item| matches!(item, ImplItem::Fn(f) if f.sig.ident == rule));
            (!only.items.is_empty()).then_some(only)
        }
        _ => None,
    })
}

fn is_named(ty: &Type, name: &str) -> bool {
    matches!(ty, Type::Path(ty) if ty.path.is_ident(name))
}

/// The block as one would read it: without attributes, `pub`, suffixes of numbers, and the paths of the library's internals.
fn print(mut block: ItemImpl) -> String {
    block.attrs.clear();
    for item in &mut block.items {
        if let ImplItem::Fn(rule) = item {
            rule.attrs.clear();
            rule.vis = Visibility::Inherited;
        }
    }
    Short.visit_item_impl_mut(&mut block);
    prettyplease::unparse(&File {
        shebang: None,
        frontmatter: None,
        attrs: Vec::new(),
        items: vec![Item::Impl(block)],
    })
}

/// Leaves only the last part of paths into the library's internals, and of numbers what their type doesn't need.
struct Short;

impl VisitMut for Short {
    fn visit_lit_mut(&mut self, number: &mut Lit) {
        let span = number.span();
        match number {
            Lit::Float(x) => *x = LitFloat::new(x.base10_digits(), span),
            Lit::Int(k) => *k = LitInt::new(k.base10_digits(), span),
            _ => {}
        }
    }

    fn visit_path_mut(&mut self, path: &mut Name) {
        visit_mut::visit_path_mut(self, path);
        let mut names = path.segments.iter();
        let is_internal = names.next().is_some_and(|name| name.ident == "chainrule")
            && names.next().is_some_and(|name| name.ident == "__private");
        if is_internal {
            path.leading_colon = None;
            path.segments = path.segments.iter().skip(2).cloned().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{find, print};

    #[test]
    fn picks_a_rule_and_shortens_it() {
        let source = "
            mod model {
                impl Other for f { fn rule() {} }
                impl f {
                    #[inline]
                    pub fn rule(x: f64) -> ::chainrule::__private::Dual<f64, f64> {
                        ::chainrule::__private::strong_mul(x, 2.0f64)
                    }
                    pub fn another() {}
                }
            }
        ";
        let file = syn::parse_file(source).expect("source");
        let expected = "\
impl f {
    fn rule(x: f64) -> Dual<f64, f64> {
        strong_mul(x, 2.0)
    }
}
";
        assert_eq!(
            find(&file.items, "f", "rule").map(print).as_deref(),
            Some(expected)
        );
        assert!(find(&file.items, "f", "absent").is_none());
        assert!(find(&file.items, "g", "rule").is_none());
    }
}

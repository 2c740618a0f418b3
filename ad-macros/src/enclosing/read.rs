//! Reads headers and statements, one at a time: the type that one declares, what a `use` brings, which attributes leave an item as it is.

use std::collections::HashSet;

use quote::quote;

use super::bare;
use super::siblings::words;

/// True if a `use` brings a name; with `globs`, whatever it doesn't name counts, too.
pub(super) fn brings(tree: &syn::UseTree, name: &str, globs: bool) -> bool {
    match tree {
        syn::UseTree::Path(path) => brings(&path.tree, name, globs),
        syn::UseTree::Name(leaf) => bare(&leaf.ident.to_string()) == name,
        syn::UseTree::Rename(leaf) => bare(&leaf.rename.to_string()) == name,
        syn::UseTree::Glob(_) => globs,
        syn::UseTree::Group(group) => group.items.iter().any(|tree| brings(tree, name, globs)),
    }
}

pub(super) fn import(text: &str) -> Option<syn::UseTree> {
    if !text.contains("use") {
        return None;
    }
    match syn::parse_str(&format!("{text};")).ok()? {
        syn::Item::Use(item) => Some(item.tree),
        _ => None,
    }
}

/// The name of a type that a header or a statement declares.
pub(super) fn declared_name(text: &str) -> Option<&str> {
    let mut rest = text.trim_start();
    while let Some(attribute) = rest.strip_prefix('#') {
        let (mut depth, mut end) = (0_usize, None);
        let mut quoted = false;
        for (k, c) in attribute.char_indices() {
            match c {
                '"' => quoted = !quoted,
                '[' if !quoted => depth += 1,
                ']' if !quoted => depth = depth.saturating_sub(1),
                _ => continue,
            }
            if depth == 0 && c == ']' && !quoted {
                end = Some(k + 1);
                break;
            }
        }
        rest = attribute[end?..].trim_start();
    }
    if let Some(after) = rest.strip_prefix("pub") {
        rest = after.trim_start();
        if rest.starts_with('(') {
            rest = rest[rest.find(')')? + 1..].trim_start();
        }
    }
    let keywords = ["struct", "enum", "union", "type", "trait"];
    let after = keywords.iter().find_map(|word| {
        let after = rest.strip_prefix(word)?;
        after.starts_with(char::is_whitespace).then_some(after)
    })?;
    let name = after.trim_start().trim_start_matches("r#");
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_');
    Some(&name[..end.unwrap_or(name.len())])
}

/// True if an attribute leaves a type as it is, and gives it no tangent.
pub(super) fn is_inert(attr: &syn::Attribute) -> bool {
    const DERIVES: [&str; 11] = [
        "Clone",
        "Copy",
        "Debug",
        "Default",
        "Deserialize",
        "Eq",
        "Hash",
        "Ord",
        "PartialEq",
        "PartialOrd",
        "Serialize",
    ];
    const KNOWN: [&str; 10] = [
        "allow",
        "default",
        "deprecated",
        "doc",
        "expect",
        "must_use",
        "non_exhaustive",
        "repr",
        "serde",
        "warn",
    ];
    if attr.path().is_ident("derive") {
        let paths = attr.parse_args_with(
            syn::punctuated::Punctuated::<syn::Path, syn::Token![,]>::parse_terminated,
        );
        return paths.is_ok_and(|paths| {
            paths.iter().all(|path| {
                let last = path.segments.last();
                last.is_some_and(|last| DERIVES.iter().any(|name| last.ident == name))
            })
        });
    }
    KNOWN.iter().any(|name| attr.path().is_ident(name))
}

pub(super) fn mentions(attr: &syn::Attribute, word: &str) -> bool {
    let mut all = HashSet::new();
    words(quote!(#attr), &mut all);
    all.contains(word)
}

/// True if a header is `impl Differentiable for Name`.
pub(super) fn implements(header: &str, name: &str) -> bool {
    let Some((_, of)) = header.split_once("Differentiable") else {
        return false;
    };
    let mut found = of.split(|c: char| !c.is_alphanumeric() && c != '_');
    found.any(|word| word == name)
}

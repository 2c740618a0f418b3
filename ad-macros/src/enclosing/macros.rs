//! Reads the macros of a file: which names they have, and which of them declare names where they are called.
//!
//! In: the file's items. Out: sets of names. A macro of another crate isn't seen.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::module::{imports_of, parsed_use};
use super::scan::Item;
use super::tokens::lists;

/// Keywords of items.
const ITEMS: &str = "const enum extern fn macro_rules mod static struct trait type union use";

/// The names of the macros that a file defines, and all names that it imports from elsewhere than std, anywhere in it.
pub(super) fn own(items: &[Item]) -> HashSet<String> {
    // Users of these only look, as those of `log` and `tracing` do.
    let looks = ["trace", "debug", "info", "warn", "error"];
    let own = definitions(items).map(|item| item.name.clone());
    let mut all: HashSet<String> = own.filter(|name| !looks.contains(&name.as_str())).collect();
    let uses = items.iter().filter(|item| item.is_use_of(&[""]));
    for import in uses
        .filter_map(parsed_use)
        .flat_map(|item| imports_of(&item.tree))
    {
        let known = ["std", "core", "alloc", "log", "tracing"];
        if !known.iter().any(|root| import.is_of(root)) {
            all.extend(import.name.map(|name| name.to_string()));
        }
    }
    all
}

/// The macros that declare names where they are called: by an item, by `let` with a name that is passed to them, or by another such macro.
pub(super) fn declaring(items: &[Item], text: &str) -> HashSet<String> {
    let mut calls: HashMap<&str, HashSet<String>> = HashMap::new();
    let mut all = HashSet::new();
    for item in definitions(items) {
        let body = item
            .braces
            .and_then(|(open, close)| text.get(open + 1..close));
        let Ok(body) = body.unwrap_or_default().parse::<TokenStream>() else {
            continue;
        };
        let groups = body.into_iter().filter_map(|tree| match tree {
            TokenTree::Group(group) => Some(group),
            _ => None,
        });
        // A pattern, and what it expands to.
        for expansion in groups.skip(1).step_by(2) {
            let called = calls.entry(&item.name).or_default();
            if declares(expansion.stream(), called) {
                all.insert(item.name.clone());
            }
        }
    }
    loop {
        let before = all.len();
        for (name, called) in &calls {
            if !called.is_disjoint(&all) {
                all.insert((*name).to_owned());
            }
        }
        if all.len() == before {
            return all;
        }
    }
}

fn definitions(items: &[Item]) -> impl Iterator<Item = &Item> {
    items.iter().filter(|item| item.keyword == "macro_rules")
}

/// True if code declares names for the code behind it, as far as it doesn't call macros, which are added to `called`.
fn declares(code: TokenStream, called: &mut HashSet<String>) -> bool {
    let mut trees = code.into_iter().peekable();
    let mut before = String::new();
    let mut found = false;
    while let Some(tree) = trees.next() {
        match &tree {
            TokenTree::Ident(word) if word == "let" => {
                // `if let` and `a && let` open a scope of their own; a name of the macro's own is another one outside of it.
                let opens = ["if", "while", "&"].contains(&before.as_str());
                let mut names = false;
                while let Some(next) =
                    trees.next_if(|next| !matches!(next, TokenTree::Punct(p) if p.as_char() == '=' || p.as_char() == ';'))
                {
                    names |= mentions_argument(&next);
                }
                found |= names && !opens;
            }
            TokenTree::Ident(word) if lists(ITEMS, &word.to_string()) => {
                // `const { .. }` is an expression, and `fn(..)` a type.
                found |= matches!(trees.peek(), Some(TokenTree::Ident(_)))
                    || matches!(trees.peek(), Some(TokenTree::Punct(p)) if p.as_char() == '$' || p.as_char() == '!');
            }
            TokenTree::Punct(p) if p.as_char() == '!' => {
                called.insert(before.clone());
            }
            TokenTree::Group(group)
                if group.delimiter() == Delimiter::Parenthesis && before == "$" =>
            {
                found |= declares(group.stream(), called);
            }
            _ => {}
        }
        before = tree.to_string();
    }
    found
}

/// True if a part of the code is one of the macro's arguments.
fn mentions_argument(tree: &TokenTree) -> bool {
    match tree {
        TokenTree::Group(group) => group
            .stream()
            .into_iter()
            .any(|tree| mentions_argument(&tree)),
        TokenTree::Punct(p) => p.as_char() == '$',
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::source::Source;

    #[test]
    fn which_macros_declare_names() {
        for (rules, expected) in [
            ("($n:ident, $v:expr) => { let $n = $v; }", true),
            ("($n:ident) => { const $n: f64 = 3.0; }", true),
            ("() => { mod inner {} }", true),
            ("($($n:ident)*) => { $(let ($n, _) = (1.0, 2.0);)* }", true),
            ("(a) => { 1.0 }; ($n:ident) => { set!($n) }", true),
            ("($v:expr) => { let v = $v; }", false),
            ("($n:ident, $v:expr) => {{ let $n = $v; $n }}", false),
            (
                "($n:ident, $v:expr) => { if let Some($n) = $v { f($n) } }",
                false,
            ),
            (
                "($v:expr) => { return const { f($v) } as fn(f64) -> f64 }",
                false,
            ),
        ] {
            let text = format!(
                "macro_rules! tried {{ {rules} }} macro_rules! set {{ ($n:ident) => {{ let $n = 1.0; }} }}"
            );
            let source = Source::of(&text);
            assert_eq!(source.declaring.contains("tried"), expected, "{rules}");
        }
    }
}

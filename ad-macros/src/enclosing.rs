//! Finds the context of a function with an attribute, which the attribute itself isn't told: whether it is a free function or one of an `impl`,
//! whose generics its rules need; and the other items of its module.
//!
//! In: the position of the attribute. Out: a [`Place`], from the source file. The file only decides between kinds of expansions that rustc
//! checks: where it can't be read, or isn't the one being compiled, the place is unknown, and the names in the function have to do.

mod arrays;
mod attributes;
mod callees;
mod calls;
mod clones;
mod declared;
mod elsewhere;
mod imports;
mod inlined;
mod macros;
mod methods;
mod module;
mod names;
mod operators;
mod portable;
mod scan;
mod siblings;
mod signatures;
mod source;
mod structs;
mod tokens;
mod traits;
mod tree;
mod whole;

pub(crate) use arrays::{view_behind, views};
pub(crate) use attributes::make_rules;
pub(crate) use callees::{Callees, callees, unmarked};
pub(crate) use calls::{Calls, calls};
pub(crate) use declared::{FileTypes, file_types, missing_tangent};
pub(crate) use imports::{ForeignFloats, Imports, declared_names, imports};
pub(crate) use inlined::{Body, has_no_rules, may_be_inlined, may_replace_calls, replaces_calls};
pub(crate) use methods::{MethodBody, text_of_method};
pub(crate) use names::{Clash, capitals, clash, has_rival};
pub(crate) use names::{OfPlainTrait, of_plain_trait};
pub(crate) use operators::{Indexing, Total};
pub(crate) use siblings::{Borrowing, Siblings, beside_a_method, beside_an_impl, siblings};
pub(crate) use signatures::{SyntaxArgument, is_iterator_of_std};
pub(crate) use source::Site;
pub(crate) use structs::Instance;
pub(crate) use tokens::{
    any_token, bare, fingerprint, first_names, has_word, lists, mentions_self, names_lifetime,
    words,
};
pub(crate) use traits::{has_rules, needs_tangents, ruled_methods, trait_named};
pub(crate) use whole::has_declaring_macro;

use std::sync::Arc;

use source::Source;

/// The item around a function.
pub(crate) enum Place {
    /// A module or a function.
    Free,
    Impl(Box<syn::ItemImpl>),
    Trait,
    /// An `impl` that a macro writes, so that its type is unknown.
    MadeImpl,
    Unknown,
}

/// The item around the function `name`, on which the attribute at `site` stands.
pub(crate) fn place(site: Option<&Site>, name: &syn::Ident) -> Place {
    let Some((source, offset)) = located(site, name) else {
        return Place::Unknown;
    };
    let block = source.around(offset).next();
    block.map_or(Place::Free, read)
}

/// The file, and where in it the attribute is, if it stands on a function of that name.
fn located(site: Option<&Site>, name: &syn::Ident) -> Option<(Arc<Source>, usize)> {
    let (source, offset) = site?.located()?;
    let found = scan::function_after(&source.text, offset)?;
    (bare(found) == bare(&name.to_string())).then_some((source, offset))
}

/// The kind of a block, by its header.
fn read(block: &scan::Item) -> Place {
    match block.keyword {
        "mod" | "fn" => Place::Free,
        "trait" => Place::Trait,
        "impl" => syn::parse_str(&block.without_body()).map_or(Place::MadeImpl, Place::Impl),
        _ => Place::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(header: &str) -> &'static str {
        let text = format!("{header}{{}}");
        match read(&scan::items(&text)[0]) {
            Place::Free => "free",
            Place::Impl(_) => "impl",
            Place::Trait => "trait",
            Place::MadeImpl => "made",
            Place::Unknown => "unknown",
        }
    }

    #[test]
    fn blocks_by_their_headers() {
        for (header, expected) in [
            ("mod m ", "free"),
            ("#[cfg(test)] pub(crate) mod tests ", "free"),
            ("pub fn f() -> impl Fn(f64) -> f64 ", "free"),
            (
                "impl<T: Real, const N: usize> Model<T, N> where T: Copy ",
                "impl",
            ),
            ("unsafe impl Trait for [f64; 3] ", "impl"),
            ("impl $name ", "made"),
            ("#[cfg(x)] impl<$t> Model<$t> ", "made"),
            ("pub trait Trait: Copy ", "trait"),
            ("($name:ident) => ", "unknown"),
            ("if x ", "unknown"),
        ] {
            assert_eq!(kind(header), expected, "{header}");
        }
    }
}

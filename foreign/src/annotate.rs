//! The texts of a crate with attributes.
//!
//! In: what was found, and what has been decided of it: [`Plan`]. Out: texts whose lines are those of the published ones.

use std::collections::{BTreeMap, BTreeSet};

use crate::kinds::Known;
use crate::subjects::{Found, Kind};

/// What gets an attribute.
#[derive(Clone, Default)]
pub(crate) struct Plan {
    /// Functions, by number, with what their parameters are.
    pub(crate) functions: BTreeMap<usize, Vec<Kind>>,
    /// Types that can't be derived.
    pub(crate) refused: BTreeSet<String>,
    /// Calls of the rule tester, by the functions' numbers.
    pub(crate) checks: BTreeMap<usize, String>,
}

/// Something to write at a place.
struct Insert<'a> {
    file: &'a str,
    at: usize,
    text: String,
}

fn apply(
    files: &BTreeMap<String, String>,
    mut inserts: Vec<Insert<'_>>,
) -> BTreeMap<String, String> {
    let mut texts = files.clone();
    // Backwards, so that places stay where they are.
    inserts.sort_by_key(|insert| std::cmp::Reverse(insert.at));
    for insert in inserts {
        let text = texts.get_mut(insert.file).expect("it was found in a file");
        text.insert_str(insert.at, &insert.text);
    }
    texts
}

/// Each function with an error in its body that bears its number: rustc tells which of them are compiled at all.
pub(crate) fn probes(files: &BTreeMap<String, String>, found: &Found) -> BTreeMap<String, String> {
    let inserts = found
        .functions
        .iter()
        .enumerate()
        .map(|(number, function)| Insert {
            file: &function.at.file,
            at: function.body,
            text: format!(" ::core::compile_error!(\"subject {number}\");"),
        });
    apply(files, inserts.collect())
}

/// The texts with attributes.
pub(crate) fn annotated(
    files: &BTreeMap<String, String>,
    found: &Found,
    plan: &Plan,
) -> BTreeMap<String, String> {
    let known = Known::new(found, &plan.refused);
    let mut inserts = Vec::new();
    for ty in &found.types {
        if !known.is_derived(&ty.name) {
            continue;
        }
        inserts.push(Insert {
            file: &ty.at.file,
            at: ty.at.start,
            text: "#[derive(::chainrule::Differentiable)] ".to_owned(),
        });
        for (at, field) in &ty.fields {
            if matches!(known.field(ty, field), Kind::Unknown | Kind::Function) {
                inserts.push(Insert {
                    file: &ty.at.file,
                    at: *at,
                    text: "#[constant] ".to_owned(),
                });
            }
        }
    }
    for (number, kinds) in &plan.functions {
        let function = &found.functions[*number];
        let file = &function.at.file;
        inserts.push(Insert {
            file,
            at: function.at.start,
            text: "#[::chainrule::differentiable] ".to_owned(),
        });
        for (at, kind) in function.parameters.iter().zip(kinds) {
            if *kind == Kind::Unknown && !function.operator {
                inserts.push(Insert {
                    file,
                    at: *at,
                    text: "#[constant] ".to_owned(),
                });
            }
        }
        if let Some(check) = plan.checks.get(number) {
            inserts.push(Insert {
                file,
                at: function.at.end,
                text: format!(" {check}"),
            });
        }
    }
    apply(files, inserts)
}

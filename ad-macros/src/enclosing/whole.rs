//! Reads the files of the crate for its types: which implement `Differentiable`, and how they are declared.
//!
//! In: a name. Out: whether a type of that name certainly has no tangent. Only code below `src` is read, and the file of the attribute.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use super::attributes::{are_without_rules, leaves_type};
use super::scan::Item;
use super::source::{Source, source};
use super::tokens::lists;

/// The files below `src`.
struct Whole {
    /// An editor's server lives longer than the text that it has read.
    read: Instant,
    files: Vec<(PathBuf, String)>,
    /// The text that follows each `Differentiable for`.
    implemented: Vec<String>,
    /// See [`traits_with`].
    of_traits: OnceLock<HashMap<String, HashSet<String>>>,
}

const VALID: Duration = Duration::from_secs(10);

impl Whole {
    fn new() -> Whole {
        let mut files = Vec::new();
        if let Some(root) = std::env::var_os("CARGO_MANIFEST_DIR") {
            walk(PathBuf::from(root).join("src"), &mut files);
        }
        let texts = files.iter().map(|(_, text): &(PathBuf, String)| text);
        let all = texts.flat_map(|text| text.split("Differentiable for ").skip(1));
        Whole {
            read: Instant::now(),
            implemented: all.map(|after| after.chars().take(100).collect()).collect(),
            of_traits: OnceLock::new(),
            files,
        }
    }

    fn get() -> Option<Arc<Whole>> {
        static KNOWN: Mutex<Option<Arc<Whole>>> = Mutex::new(None);
        let mut known = KNOWN.lock().ok()?;
        known.take_if(|whole| whole.read.elapsed() > VALID);
        Some(Arc::clone(
            known.get_or_insert_with(|| Arc::new(Whole::new())),
        ))
    }
}

fn walk(folder: PathBuf, files: &mut Vec<(PathBuf, String)>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if is_other_program(&path) {
            continue;
        }
        if path.is_dir() {
            walk(path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.extend(std::fs::read_to_string(&path).map(|text| (path, text)));
        }
    }
}

/// True if a file or a folder is another program of the package, which cargo finds in `src/bin`.
fn is_other_program(path: &Path) -> bool {
    let inside = path
        .parent()
        .is_some_and(|folder| folder.ends_with("src/bin"));
    let own = std::env::var_os("CARGO_BIN_NAME");
    if !inside || path.file_stem() == own.as_deref() {
        return false;
    }
    let is_program =
        |root: &Path| std::fs::read_to_string(root).is_ok_and(|text| text.contains("fn main("));
    is_program(path) || is_program(&path.join("main.rs"))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// True if a file may implement `Differentiable` for a type of this name.
pub(super) fn is_implemented(name: &str) -> bool {
    let Some(whole) = Whole::get() else {
        return true;
    };
    whole.implemented.iter().any(|after| {
        let end = after.find('{').unwrap_or(after.len());
        after[..end].split(|c| !is_word(c)).any(|word| word == name)
    })
}

/// True if the only type of this name has no tangent, for an attribute in a file. `here`: it is declared in that file.
pub(super) fn lacks_tangent(name: &str, file: &Source, here: bool) -> bool {
    let Some(whole) = Whole::get() else {
        return false;
    };
    let mut declared: Vec<String> = Vec::new();
    if whole.files.iter().any(|(_, text)| *text == file.text) {
        let files = whole
            .files
            .iter()
            .filter(|(_, text)| may_declare(text, name));
        for source in files.filter_map(|(path, _)| source(path)) {
            declared.extend(declarations(&source.items, name));
        }
    } else if here {
        declared.extend(declarations(&file.items, name));
    }
    let mut texts = whole.files.iter().map(|(_, text)| text);
    matches!(&declared[..], [only] if is_inert(only))
        && !is_implemented(name)
        && !is_given_to_a_macro(&file.text, name)
        && !texts.any(|text| is_given_to_a_macro(text, name))
}

/// The functions in `impl Type` without rules, in the file of an attribute and anywhere in the crate.
pub(super) fn functions_without_rules(of: &str, file: &Source) -> BTreeSet<String> {
    let mut all = own_functions(&file.items, of);
    if let Some(whole) = Whole::get() {
        let is_mentioned = |text: &str| text.contains("impl") && text.contains(of);
        let files = whole.files.iter().filter(|(_, text)| is_mentioned(text));
        for file in files.filter_map(|(path, _)| source(path)) {
            all.extend(own_functions(&file.items, of));
        }
    }
    all
}

/// True if modules of this name, in a file or below `src`, have such a function, and none of these has rules.
pub(super) fn is_function_without_rules(module: &str, name: &str, file: &Source) -> bool {
    let mut functions = Vec::new();
    let mut take = |items: &[Item], inside: Option<usize>| {
        let named =
            |item: &&Item| item.keyword == "fn" && item.name == name && item.inside == inside;
        functions.extend(items.iter().filter(named).map(Item::without_body));
    };
    for block in file
        .items
        .iter()
        .filter(|item| item.keyword == "mod" && item.name == module)
    {
        if let Some((open, _)) = block.braces {
            take(&file.items, Some(open));
        }
    }
    let files = [format!("{module}.rs"), format!("{module}/mod.rs")];
    let folder = file.path.parent().map(PathBuf::from).unwrap_or_default();
    let below = file.path.file_stem().map(|stem| folder.join(stem));
    let folders = [Some(folder), below].into_iter().flatten();
    let mut paths: BTreeSet<PathBuf> = folders
        .flat_map(|folder| files.each_ref().map(|file| folder.join(file)))
        .collect();
    let whole = Whole::get();
    let all = whole.iter().flat_map(|whole| &whole.files);
    let is_one = |path: &&PathBuf| files.iter().any(|file| path.ends_with(file));
    paths.extend(all.map(|(path, _)| path).filter(is_one).cloned());
    for file in paths.iter().filter_map(|path| source(path)) {
        take(&file.items, None);
    }
    !functions.is_empty()
        && functions.iter().all(|text| {
            let parsed = syn::parse_str::<syn::ImplItemFn>(text);
            parsed.is_ok_and(|function| are_without_rules(&function.attrs))
        })
}

fn own_functions(items: &[Item], of: &str) -> BTreeSet<String> {
    let is_own = |block: &&Item| {
        let parsed = (block.keyword == "impl").then(|| syn::parse_str(&block.without_body()));
        matches!(parsed, Some(Ok(syn::Item::Impl(block)))
            if block.trait_.is_none()
                && are_without_rules(&block.attrs)
                && matches!(&*block.self_ty, syn::Type::Path(own)
                    if own.path.segments.last().is_some_and(|last| last.ident == of)))
    };
    let blocks: Vec<usize> = (items.iter().filter(is_own))
        .filter_map(|block| Some(block.braces?.0))
        .collect();
    let inside = items
        .iter()
        .filter(|item| item.inside.is_some_and(|at| blocks.contains(&at)));
    let functions = inside.filter(|item| {
        let parsed = syn::parse_str::<syn::ImplItemFn>(&item.without_body());
        item.keyword == "fn" && parsed.is_ok_and(|function| are_without_rules(&function.attrs))
    });
    functions.map(|function| function.name.clone()).collect()
}

/// True if a macro of this name, anywhere in the crate, declares names where it is called.
pub(crate) fn has_declaring_macro(name: &str) -> bool {
    let defines = |text: &str| {
        let mut found = text.match_indices(name);
        found.any(|(at, _)| text[..at].trim_end().ends_with("macro_rules!"))
    };
    Whole::get().is_some_and(|whole| {
        let files = whole.files.iter().filter(|(_, text)| defines(text));
        let mut files = files.filter_map(|(path, _)| source(path));
        files.any(|file| file.declaring.contains(name))
    })
}

/// Traits of std that are in scope everywhere, or whose methods operators call.
const IN_SCOPE: &str = "Add AddAssign AsRef Clone Debug Default Deref DerefMut Display Div DivAssign Drop Eq Error Extend From FromIterator \
    Hash Index IndexMut Into IntoIterator Iterator Mul MulAssign Neg Ord PartialEq PartialOrd Product Rem RemAssign Sub SubAssign Sum \
    ToString TryFrom TryInto";

/// The traits that have a function of this name, and that are declared in the crate, or implemented in it, but for those that are in scope everywhere.
/// The package's tests and examples are read, too.
pub(super) fn traits_with(name: &str) -> Vec<String> {
    let Some(whole) = Whole::get() else {
        return Vec::new();
    };
    let all = whole.of_traits.get_or_init(|| {
        let mut files = whole.files.clone();
        if let Some(root) = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from) {
            let folders = ["benches", "examples", "tests"];
            (folders.iter()).for_each(|folder| walk(root.join(folder), &mut files));
        }
        let mut all: HashMap<String, HashSet<String>> = HashMap::new();
        let may_have = |text: &str| text.contains("trait ") || text.contains(" for ");
        let files = files.iter().filter(|(_, text)| may_have(text));
        for source in files.filter_map(|(path, _)| source(path)) {
            for (function, of) in functions_of_traits(&source.items) {
                all.entry(function).or_default().insert(of);
            }
        }
        all
    });
    let traits = all.get(name).into_iter().flatten();
    traits.cloned().collect()
}

/// The functions in traits, and in `impl`s of traits, with the traits.
fn functions_of_traits(items: &[Item]) -> Vec<(String, String)> {
    let name_of = |block: &Item| match block.keyword {
        "trait" => Some(block.name.clone()),
        "impl" if block.header.contains(" for ") => {
            let block = syn::parse_str::<syn::ItemImpl>(&block.without_body()).ok()?;
            let last = block.trait_?.0.segments.last()?.ident.to_string();
            (!lists(IN_SCOPE, &last)).then_some(last)
        }
        _ => None,
    };
    let blocks = items
        .iter()
        .filter_map(|block| Some((block.braces?.0, name_of(block)?)));
    let blocks: HashMap<usize, String> = blocks.collect();
    let functions = items.iter().filter(|item| item.is_function());
    let of_traits = functions.filter_map(|function| {
        let of = blocks.get(&function.inside?)?;
        Some((function.name.clone(), of.clone()))
    });
    of_traits.collect()
}

/// True if a type of this name may be declared in a text.
fn may_declare(text: &str, name: &str) -> bool {
    let mut found = text.match_indices(name);
    found.any(|(at, _)| {
        let before = text[..at].trim_end();
        let keywords = ["struct", "enum", "union", "trait", "type"];
        keywords.iter().any(|word| before.ends_with(word))
    })
}

/// The types of a name as they are declared, without the content of their braces.
fn declarations(items: &[Item], name: &str) -> impl Iterator<Item = String> {
    let types = items
        .iter()
        .filter(move |item| item.is_type() && item.name == name);
    types.map(Item::without_body)
}

/// True if a declaration is that of a type without a tangent: aliases and traits say nothing of tangents.
fn is_inert(declaration: &str) -> bool {
    let item = syn::parse_str::<syn::DeriveInput>(declaration);
    item.is_ok_and(|item| item.attrs.iter().all(leaves_type))
}

/// True if a macro that isn't std's gets the name first: `tangent!(Name)` may write an `impl`.
pub(super) fn is_given_to_a_macro(text: &str, name: &str) -> bool {
    const OF_STD: &str = "assert assert_eq assert_ne dbg debug_assert matches println vec";
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].trim_end();
        let called = before
            .strip_suffix(['(', '[', '{'])
            .and_then(|call| call.trim_end().strip_suffix('!'));
        let Some(called) = called else {
            return false;
        };
        let start = called.rfind(|c| !is_word(c)).map_or(0, |k| k + 1);
        !text[at + name.len()..].starts_with(is_word) && !lists(OF_STD, &called[start..])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enclosing::scan;

    #[test]
    fn attributes_of_declarations() {
        let items = scan::items(
            "use a::B;\n#[derive(Clone)]\n/// Text; with a\n/// mark.\n#[derive(\n    Differentiable,\n)]\npub struct P {\n    a: f64,\n}\n\n\
             #[derive(Debug)] pub(crate) enum K { A }\n// struct Q;\nlet text = \"the struct P\";\n    struct P;\n\
             pub type Result<T> = core::result::Result<T, K>;\n",
        );
        let of = |name: &str| -> Vec<bool> {
            let found = declarations(&items, name);
            found.map(|declaration| is_inert(&declaration)).collect()
        };
        assert_eq!(of("P"), [false, true]);
        assert_eq!(of("K"), [true]);
        assert_eq!(of("Result"), [false]);
        assert!(of("Q").is_empty());
    }

    #[test]
    fn names_that_macros_get() {
        assert!(is_given_to_a_macro("tangent!(P, f64);", "P"));
        assert!(is_given_to_a_macro("make! { P }", "P"));
        assert!(!is_given_to_a_macro(
            "vec![P { a: 1.0 }]; tangent!(Params)",
            "P"
        ));
    }
}

//! Reads the files of the crate for its types, without parsing them: which implement `Differentiable`, and how they are declared.
//!
//! In: a name. Out: whether a type of that name certainly has no tangent. Only code below `src` is read, and the file of the attribute.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::read::is_inert;

/// The files below `src`.
struct Whole {
    /// An editor's server lives longer than what it has read.
    read: Instant,
    texts: Vec<String>,
    /// The text that follows each `Differentiable for`.
    implemented: Vec<String>,
    /// The attributes of each type, by its name.
    declared: Declared,
}

const VALID: Duration = Duration::from_secs(10);

impl Whole {
    fn new() -> Whole {
        let mut texts = Vec::new();
        if let Some(root) = std::env::var_os("CARGO_MANIFEST_DIR") {
            walk(PathBuf::from(root).join("src"), &mut texts);
        }
        let mut implemented = Vec::new();
        let mut declared = HashMap::new();
        for text in &texts {
            let all = text.split("Differentiable for ").skip(1);
            implemented.extend(all.map(|after| after.chars().take(100).collect()));
            declarations(text, &mut declared);
        }
        Whole {
            read: Instant::now(),
            texts,
            implemented,
            declared,
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

fn walk(folder: PathBuf, texts: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            walk(path, texts);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            texts.extend(std::fs::read_to_string(&path));
        }
    }
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

/// True if the only type of this name has no tangent, for an attribute in a file with this text. `here`: it is declared in that file.
pub(super) fn lacks_tangent(name: &str, text: &str, here: bool) -> bool {
    let Some(whole) = Whole::get() else {
        return false;
    };
    let known = whole.texts.iter().any(|other| other == text);
    let mut own = HashMap::new();
    let declared = if known {
        whole.declared.get(name)
    } else if here {
        declarations(text, &mut own);
        own.get(name)
    } else {
        None
    };
    let Some([Some(attributes)]) = declared.map(Vec::as_slice) else {
        return false;
    };
    let inert = syn::parse_str::<syn::ItemStruct>(&format!("{attributes} struct {name};"))
        .is_ok_and(|item| item.attrs.iter().all(is_inert));
    inert
        && !is_implemented(name)
        && !is_given_to_a_macro(text, name)
        && !whole
            .texts
            .iter()
            .any(|text| is_given_to_a_macro(text, name))
}

/// What stands under a name: the attributes of a struct or enum, nothing for an alias or a trait, which say nothing of tangents.
type Declared = HashMap<String, Vec<Option<String>>>;

/// The types that a text declares, with their attributes.
fn declarations(text: &str, all: &mut Declared) {
    for keyword in ["struct ", "enum ", "union ", "trait ", "type "] {
        for (at, _) in text.match_indices(keyword) {
            let start = text[..at].rfind('\n').map_or(0, |k| k + 1);
            let before = text[start..at].trim();
            let own = before.rsplit(']').next().unwrap_or("").trim();
            let visible = own.is_empty() || own == "pub" || own.starts_with("pub(");
            if before.contains("//") || !visible {
                continue;
            }
            let name: String = text[at + keyword.len()..]
                .trim_start()
                .chars()
                .take_while(|c| is_word(*c))
                .collect();
            let attributes = before[..before.len() - own.len()].trim_end();
            let is_type = !["trait ", "type "].contains(&keyword);
            let attributes = is_type.then(|| format!("{}{attributes}", above(&text[..start])));
            all.entry(name).or_default().push(attributes);
        }
    }
}

/// The attributes in the lines above an item.
fn above(text: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    for line in text.lines().rev() {
        let line = line.trim();
        if line.starts_with("//") {
            continue;
        }
        if line.is_empty() || line.ends_with([';', '{', '}']) {
            break;
        }
        lines.push(line);
    }
    lines.reverse();
    lines.join(" ")
}

/// True if a macro that isn't std's gets the name first: `tangent!(Name)` may write an `impl`.
pub(super) fn is_given_to_a_macro(text: &str, name: &str) -> bool {
    const OF_STD: [&str; 8] = [
        "assert",
        "assert_eq",
        "assert_ne",
        "dbg",
        "debug_assert",
        "matches",
        "println",
        "vec",
    ];
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].trim_end();
        let called = before
            .strip_suffix(['(', '[', '{'])
            .and_then(|call| call.trim_end().strip_suffix('!'));
        let Some(called) = called else {
            return false;
        };
        let start = called.rfind(|c| !is_word(c)).map_or(0, |k| k + 1);
        !text[at + name.len()..].starts_with(is_word) && !OF_STD.contains(&&called[start..])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_of_declarations() {
        let mut all = HashMap::new();
        declarations(
            "use a::B;\n#[derive(Clone)]\n/// Text; with a\n/// mark.\n#[derive(\n    Differentiable,\n)]\npub struct P {\n    a: f64,\n}\n\n\
             #[derive(Debug)] pub(crate) enum K { A }\n// struct Q;\nlet text = \"the struct P\";\n    struct P;\n\
             pub type Result<T> = core::result::Result<T, K>;\n",
            &mut all,
        );
        let of = |name: &str| all.get(name).cloned().unwrap_or_default();
        let is = |text: &str| Some(text.to_owned());
        assert_eq!(
            of("P"),
            [is("#[derive(Clone)] #[derive( Differentiable, )]"), is("")]
        );
        assert_eq!(of("K"), [is("#[derive(Debug)]")]);
        assert_eq!(of("Result"), [None]);
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

//! The crate's documentation, as rustdoc wrote it: where the page of an item is.

use crate::Result;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What rustdoc's files are called, besides the name of the item. Derive macros come last: such a macro has the name of its trait.
const KINDS: [&str; 12] = [
    "struct",
    "enum",
    "trait",
    "fn",
    "type",
    "constant",
    "static",
    "union",
    "primitive",
    "macro",
    "attr",
    "derive",
];
/// What rustdoc writes before the name of a part of an item, to make the name of an anchor.
const PARTS: [&str; 7] = [
    "method",
    "tymethod",
    "variant",
    "structfield",
    "associatedtype",
    "associatedconstant",
    "field",
];

/// Modules that exist with a feature only that needs more than cargo. The documentation may be without them.
const OPTIONAL: [&str; 1] = ["crate::mpi"];
/// The features that need no more than cargo.
const FEATURES: &str =
    "special,ndarray,nalgebra,faer,argmin,levenberg-marquardt,num-complex,rayon,checked,libm";

/// The folder of the crate's pages.
pub(crate) struct Documentation {
    folder: PathBuf,
}

impl Documentation {
    /// The documentation that is in the target folder. Without one, rustdoc writes it.
    pub(crate) fn find(package: &Path, target: &Path) -> Result<Documentation> {
        let folder = target.join("doc/chainrule");
        if !folder.join("index.html").is_file() {
            let status = Command::new(env!("CARGO"))
                .args([
                    "doc",
                    "--package",
                    "chainrule",
                    "--features",
                    FEATURES,
                    "--no-deps",
                ])
                .arg("--target-dir")
                .arg(target)
                .current_dir(package)
                .status()?;
            if !status.success() {
                return Err("cargo doc fails".into());
            }
        }
        Ok(Documentation { folder })
    }

    #[cfg(test)]
    pub(crate) fn at(folder: &Path) -> Documentation {
        Documentation {
            folder: folder.to_path_buf(),
        }
    }

    /// The address of an item relative to the crate's folder, such as `sparse/struct.Pattern.html`, for a path as rustdoc reads it, such as
    /// `crate::sparse::Pattern` or `fn@crate::nalgebra::solve`.
    pub(crate) fn page(&self, path: &str) -> Result<String> {
        let unknown = || {
            format!(
                "no item `{path}` in the documentation at {}; if the item is new, run `cargo doc --features {FEATURES} --no-deps`",
                self.folder.display()
            )
        };
        let (kind, item) = match path.split_once('@') {
            Some((kind, item)) => (Some(kind), item),
            None => (None, path),
        };
        if item == "crate" {
            return Ok("index.html".to_owned());
        }
        let item = item.strip_prefix("crate::").ok_or_else(unknown)?;
        let item = item.trim_end_matches("()").trim_end_matches('!');
        let names: Vec<&str> = item.split("::").collect();
        if let Some(page) = self.item(&names, kind) {
            return Ok(page);
        }
        // A part of an item: a method, a variant, a field.
        let (last, parent) = names.split_last().ok_or_else(unknown)?;
        let page = self.item(parent, None).ok_or_else(unknown)?;
        let text = fs::read_to_string(self.folder.join(&page))?;
        PARTS
            .iter()
            .map(|part| format!("{part}.{last}"))
            .find(|id| text.contains(&format!("id=\"{id}\"")))
            .map(|id| format!("{page}#{id}"))
            .ok_or_else(|| unknown().into())
    }

    /// True for the path of an item whose module this documentation doesn't have, since the feature of the module is off.
    pub(crate) fn is_without(&self, path: &str) -> bool {
        let item = path.split_once('@').map_or(path, |(_, item)| item);
        OPTIONAL.iter().any(|module| {
            let rest = item.strip_prefix(module);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
                && self.page(module).is_err()
        })
    }

    /// The page of an item or of a module.
    fn item(&self, names: &[&str], kind: Option<&str>) -> Option<String> {
        let (last, parents) = names.split_last()?;
        let folder: String = parents.iter().flat_map(|name| [*name, "/"]).collect();
        let module = format!("{folder}{last}/index.html");
        let pages = KINDS
            .iter()
            .filter(|of| kind.is_none_or(|kind| kind == **of))
            .map(|kind| format!("{folder}{kind}.{last}.html"));
        let module = kind.is_none_or(|kind| kind == "mod").then_some(module);
        module
            .into_iter()
            .chain(pages)
            .find(|page| self.folder.join(page).is_file())
    }
}

#[cfg(test)]
mod tests {
    use super::Documentation;
    use std::{env, fs};

    #[test]
    fn finds_modules_items_and_parts() {
        let folder = env::temp_dir().join(format!("chainrule-book-{}", std::process::id()));
        fs::create_dir_all(folder.join("sparse")).expect("a folder");
        for (page, text) in [
            ("sparse/index.html", ""),
            ("fn.sparse.html", ""),
            ("trait.Place.html", "<section id=\"tymethod.put\">"),
            ("derive.Place.html", ""),
        ] {
            fs::write(folder.join(page), text).expect("a page");
        }
        let documentation = Documentation::at(&folder);
        let page = |path: &str| documentation.page(path).ok();
        assert_eq!(page("crate::sparse").as_deref(), Some("sparse/index.html"));
        assert_eq!(page("fn@crate::sparse").as_deref(), Some("fn.sparse.html"));
        assert_eq!(page("crate::Place").as_deref(), Some("trait.Place.html"));
        assert_eq!(
            page("crate::Place::put").as_deref(),
            Some("trait.Place.html#tymethod.put")
        );
        for unknown in [
            "crate::Place::get",
            "crate::Absent",
            "Place",
            "fn@crate::Place",
        ] {
            assert_eq!(page(unknown), None, "{unknown}");
        }
        assert!(documentation.is_without("fn@crate::mpi::join"));
        assert!(!documentation.is_without("crate::mpi_like"));
        assert!(!documentation.is_without("crate::absent"));
        fs::create_dir_all(folder.join("mpi")).expect("a folder");
        fs::write(folder.join("mpi/index.html"), "").expect("a page");
        assert!(!documentation.is_without("crate::mpi"));
        fs::remove_dir_all(folder).expect("removed");
    }
}

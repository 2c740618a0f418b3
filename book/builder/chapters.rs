//! The chapters, written where mdBook reads them, and the book of them.

use crate::Result;
use crate::documentation::Documentation;
use crate::rewrite::{self, Titles};
use mdbook_driver::MDBook;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Builds the book into the folder `book`, and returns the names and titles of its chapters.
pub(crate) fn build(
    package: &Path,
    target: &Path,
    book: &Path,
    documentation: &Documentation,
) -> Result<Titles> {
    let (own, guide) = (package.join("src"), package.join("../src/guide"));
    let summary = fs::read_to_string(own.join("SUMMARY.md"))?;
    let (summary, titles) = listed(&summary, &own, &guide)?;
    all_are_listed(&titles, &own, &guide)?;

    let root = target.join("book-source");
    clear(&root)?;
    let source = root.join("src");
    fs::create_dir_all(&source)?;
    fs::write(source.join("SUMMARY.md"), summary)?;
    for file in ["book.toml", "book.css"] {
        fs::copy(package.join(file), root.join(file))?;
    }
    for (name, _) in &titles.0 {
        let file = file(name, &own, &guide).ok_or_else(|| format!("no chapter {name}.md"))?;
        let mut text = fs::read_to_string(&file)?;
        if let Ok(svg) = fs::read_to_string(file.with_extension("svg")) {
            text = format!("{}\n{text}", figure(name, &svg)?);
        }
        let page = rewrite::chapter(name, &text, &titles, documentation)?;
        fs::write(source.join(name).with_extension("md"), page)?;
    }

    clear(book)?;
    let mut whole = MDBook::load(&root).map_err(|error| format!("{error:#}"))?;
    whole.config.build.build_dir = book.to_path_buf();
    whole.build().map_err(|error| format!("{error:#}"))?;
    if !book.join("index.html").is_file() {
        return Err(format!("mdBook wrote no page to {}", book.display()).into());
    }
    Ok(titles)
}

/// The lines of SUMMARY.md, and the chapters with their titles.
fn listed(summary: &str, own: &Path, guide: &Path) -> Result<(String, Titles)> {
    let (mut lines, mut titles) = (String::new(), Vec::new());
    for line in summary.lines() {
        if let Some((title, name)) = entry(line) {
            if file(name, own, guide).is_none() {
                return Err(format!("{name}.md isn't there").into());
            }
            titles.push((name.to_owned(), title.to_owned()));
        }
        lines.push_str(line);
        lines.push('\n');
    }
    Ok((lines, Titles(titles)))
}

/// Title and name of the chapter in a line of SUMMARY.md.
fn entry(line: &str) -> Option<(&str, &str)> {
    let (title, rest) = line.split_once('[')?.1.split_once("](")?;
    Some((title, rest.strip_suffix(".md)")?))
}

/// A chapter of the book alone, or of the guide.
fn file(name: &str, own: &Path, guide: &Path) -> Option<PathBuf> {
    let mut files = [own, guide].map(|folder| folder.join(format!("{name}.md")));
    files.iter_mut().find(|file| file.is_file()).cloned()
}

/// An error if a chapter isn't in SUMMARY.md, or if both folders have one of the same name.
fn all_are_listed(titles: &Titles, own: &Path, guide: &Path) -> Result<()> {
    let mut names = BTreeSet::new();
    for folder in [own, guide] {
        for entry in fs::read_dir(folder)? {
            let file = entry?.path();
            let name = file.file_stem().and_then(|name| name.to_str());
            let (Some(name), Some("md")) = (name, file.extension().and_then(|of| of.to_str()))
            else {
                continue;
            };
            if name == "SUMMARY" {
                continue;
            }
            if !titles.0.iter().any(|(of, _)| of == name) {
                return Err(format!("{} isn't in book/src/SUMMARY.md", file.display()).into());
            }
            if !names.insert(name.to_owned()) {
                return Err(format!("there are two chapters {name}.md").into());
            }
        }
    }
    Ok(())
}

/// The drawing of a chapter. rustdoc reads it before the text, too.
fn figure(name: &str, svg: &str) -> Result<String> {
    if svg.trim().lines().any(|line| line.trim().is_empty()) {
        return Err(format!("{name}.svg has an empty line, at which Markdown ends it").into());
    }
    Ok(format!("<div class=\"figure\">\n{}\n</div>\n", svg.trim()))
}

/// Removes a folder that an earlier run wrote.
fn clear(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{entry, figure};
    use std::fs;
    use std::path::Path;

    #[test]
    fn reads_the_summary() {
        assert_eq!(entry("    - [A b](c_d.md)"), Some(("A b", "c_d")));
        assert_eq!(entry("[A](b.md)"), Some(("A", "b")));
        assert_eq!(entry("# Part"), None);
    }

    #[test]
    fn drawings_have_no_empty_lines() {
        assert!(figure("a", "<svg>\n</svg>\n").is_ok());
        assert!(figure("a", "<svg>\n\n</svg>").is_err());
    }

    /// The guide's chapters are tested by `chainrule`, the book's own by the library of this package.
    #[test]
    fn examples_of_all_chapters_are_tested() {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        for (folder, tests, path) in [
            ("src", "builder/lib.rs", "../src/"),
            ("../src/guide", "../src/guide.rs", "guide/"),
        ] {
            let tests = fs::read_to_string(package.join(tests)).expect("tests");
            for entry in fs::read_dir(package.join(folder)).expect("chapters") {
                let name = entry.expect("a chapter").file_name();
                let name = name.to_str().expect("a name");
                let is_tested = tests.contains(&format!("include_str!(\"{path}{name}\")"));
                assert!(is_tested || name == "SUMMARY.md", "{folder}/{name}");
            }
        }
    }
}

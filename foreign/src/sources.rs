//! The sources of a published crate, as a package of its own below `target/foreign`.
//!
//! In: a name and a version. Out: a [`struct@Copy`]: its folder and the files with Rust, as they were published. Cargo gets the sources, and they stay
//! where it puts them; the copy depends on `chainrule` of this checkout and has no tests, examples and benchmarks, whose dependencies nobody needs.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A line of `crates.txt`.
#[derive(Clone, Debug)]
pub(crate) struct Pinned {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) features: Vec<String>,
}

impl Pinned {
    pub(crate) fn list(text: &str) -> Vec<Self> {
        let lines = text
            .lines()
            .map(|line| line.split('#').next().unwrap_or_default());
        lines
            .filter_map(|line| {
                let mut words = line.split_whitespace().map(str::to_owned);
                Some(Self {
                    name: words.next()?,
                    version: words.next()?,
                    features: words.collect(),
                })
            })
            .collect()
    }
}

/// Where things are.
pub(crate) struct Folders {
    /// The checkout.
    pub(crate) root: PathBuf,
    /// What this tool writes.
    pub(crate) work: PathBuf,
}

impl Folders {
    pub(crate) fn here() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .expect("a member of the workspace")
            .to_owned();
        let work = root.join("target").join("foreign");
        Self { root, work }
    }
}

/// The program that runs the rule tester.
pub(crate) const CHECKS: &str = "examples/chainrule_checks.rs";

/// A crate's sources, where they may be changed.
pub(crate) struct Copy {
    pub(crate) folder: PathBuf,
    /// By their paths in `folder`, with `/`.
    pub(crate) files: BTreeMap<String, String>,
    /// What other crates call it.
    pub(crate) name: String,
    pub(crate) features: Vec<String>,
}

/// Copies a crate, with sources that cargo has or gets.
pub(crate) fn copy(folders: &Folders, pinned: &Pinned) -> io::Result<Copy> {
    let published = published(folders, pinned)?;
    let folder = folders
        .work
        .join("crates")
        .join(format!("{}-{}", pinned.name, pinned.version));
    let _ = fs::remove_dir_all(&folder);
    let mut files = BTreeMap::new();
    copy_folder(&published, &published, &folder, &mut files)?;
    let program = folder.join(CHECKS);
    let _ = fs::remove_dir_all(folder.join("examples"));
    files.retain(|path, _| !path.starts_with("examples/"));
    fs::create_dir_all(folder.join("examples"))?;
    fs::write(program, "fn main() {}")?;
    let manifest = fs::read_to_string(published.join("Cargo.toml"))?;
    let library = of_library(&manifest, "path").unwrap_or_else(|| "src/lib.rs".to_owned());
    let name = of_library(&manifest, "name").unwrap_or_else(|| pinned.name.replace('-', "_"));
    let old = !manifest.lines().any(|line| line.starts_with("edition"));
    if old {
        modernise(&mut files, &library);
        for (path, text) in &files {
            fs::write(folder.join(path), text)?;
        }
    }
    fs::write(
        folder.join("Cargo.toml"),
        with_chainrule(&manifest, old, &folders.root),
    )?;
    // With the checkout's versions the macro is compiled once for all crates.
    fs::copy(folders.root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    Ok(Copy {
        folder,
        files,
        name,
        features: pinned.features.clone(),
    })
}

impl Copy {
    /// Writes other texts for the files.
    pub(crate) fn write(&self, texts: &BTreeMap<String, String>) -> io::Result<()> {
        for (path, text) in texts {
            let path = self.folder.join(path);
            // What is as it was isn't compiled again.
            if fs::read_to_string(&path).ok().as_deref() != Some(text) {
                fs::write(path, text)?;
            }
        }
        Ok(())
    }
}

/// Where cargo keeps the published sources: it is asked for the packages of a package that depends on them.
fn published(folders: &Folders, pinned: &Pinned) -> io::Result<PathBuf> {
    let folder = folders.work.join("fetch").join(&pinned.name);
    fs::create_dir_all(folder.join("src"))?;
    fs::write(folder.join("src/lib.rs"), "")?;
    let Pinned { name, version, .. } = pinned;
    fs::write(
        folder.join("Cargo.toml"),
        format!(
            "[package]\nname = \"fetch\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n\"{name}\" = \"={version}\"\n"
        ),
    )?;
    for offline in [true, false] {
        let mut cargo = Command::new("cargo");
        cargo
            .args(["metadata", "--format-version", "1", "--quiet"])
            .current_dir(&folder);
        if offline {
            cargo.arg("--offline");
        }
        let output = cargo.output()?;
        let Ok(metadata) = serde_json::from_slice::<serde_json::Value>(&output.stdout) else {
            continue;
        };
        let packages = metadata["packages"].as_array().into_iter().flatten();
        let mut packages =
            packages.filter(|package| package["name"] == **name && package["version"] == **version);
        if let Some(manifest) = packages
            .next()
            .and_then(|package| package["manifest_path"].as_str())
        {
            let folder = Path::new(manifest)
                .parent()
                .expect("a manifest is in a folder");
            return Ok(folder.to_owned());
        }
    }
    Err(io::Error::other(format!(
        "cargo can't get {name} {version}"
    )))
}

fn copy_folder(
    base: &Path,
    from: &Path,
    to: &Path,
    files: &mut BTreeMap<String, String>,
) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let inner = path.strip_prefix(base).expect("it is inside");
        let target = to.join(inner);
        if path.is_dir() {
            copy_folder(base, &path, to, files)?;
            continue;
        }
        let name = inner.to_string_lossy().replace('\\', "/");
        if name == "Cargo.lock" || name.starts_with(".cargo") || name == "rust-toolchain.toml" {
            continue;
        }
        fs::create_dir_all(target.parent().expect("a file is in a folder"))?;
        match fs::read_to_string(&path) {
            // rustc's lines and columns are those without marks and carriage returns.
            Ok(text) if path.extension().is_some_and(|ending| ending == "rs") => {
                let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
                fs::write(&target, &text)?;
                files.insert(name, text);
            }
            _ => {
                fs::copy(&path, &target)?;
            }
        }
    }
    Ok(())
}

/// The sections of a manifest, each with its header.
fn sections(manifest: &str) -> Vec<String> {
    let mut sections = vec![String::new()];
    for line in manifest.lines() {
        if line.starts_with('[') {
            sections.push(String::new());
        }
        let last = sections.last_mut().expect("one was there");
        last.push_str(line);
        last.push('\n');
    }
    sections
}

/// What the manifest says of the library.
fn of_library(manifest: &str, key: &str) -> Option<String> {
    let sections = sections(manifest);
    let section = sections
        .iter()
        .find(|section| section.starts_with("[lib]"))?;
    let line = section.lines().find(|line| line.starts_with(key))?;
    Some(line.split('"').nth(1)?.to_owned())
}

fn with_chainrule(manifest: &str, old: bool, root: &Path) -> String {
    let superfluous = [
        "[[",
        "[profile",
        "[workspace",
        "[lints",
        "[badges",
        "[target.\"cfg(criterion",
    ];
    let mut text = String::new();
    for section in sections(manifest) {
        let header = section.lines().next().unwrap_or_default();
        let of_tests = header.contains("dev-dependencies");
        // A feature may name a dependency of the tests.
        let named = header
            .trim_end_matches(']')
            .rsplit('.')
            .next()
            .is_some_and(|name| manifest.contains(&format!("\"{}/", name.trim_matches('"'))));
        if superfluous.iter().any(|start| header.starts_with(start)) || of_tests && !named {
            continue;
        }
        // The edition is a matter of the language, the oldest compiler one of the crate's own tests; all crates have one resolver, see below.
        for line in section
            .lines()
            .filter(|line| !line.starts_with("rust-version") && !line.starts_with("resolver"))
        {
            text.push_str(line);
            text.push('\n');
            if line == "[package]" && old {
                text.push_str("edition = \"2018\"\n");
            }
        }
    }
    // Types of these have tangents, if the version is the one that chainrule knows.
    let known = ["nalgebra", "ndarray", "num-complex"];
    let libraries: Vec<String> = known
        .iter()
        .filter(|name| text.contains(&format!("[dependencies.{name}]")))
        .map(|name| format!("{name:?}"))
        .collect();
    format!(
        "{text}\n[[example]]\nname = \"chainrule_checks\"\npath = \"{CHECKS}\"\n\n[dependencies.chainrule]\npath = '{}'\nfeatures = [{}]\n\n[workspace]\nresolver = \"2\"\n",
        root.display(),
        libraries.join(", ")
    )
}

/// Paths of the edition 2015, of which `::chainrule` isn't one, as those of 2018.
fn modernise(files: &mut BTreeMap<String, String>, library: &str) {
    let Some(root) = files
        .get(library)
        .and_then(|text| syn::parse_file(text).ok())
    else {
        return;
    };
    let own: Vec<String> = root
        .items
        .iter()
        .filter_map(|item| match item {
            syn::Item::Mod(item) => Some(item.ident.to_string()),
            syn::Item::Fn(item) => Some(item.sig.ident.to_string()),
            syn::Item::Struct(item) => Some(item.ident.to_string()),
            syn::Item::Enum(item) => Some(item.ident.to_string()),
            syn::Item::Trait(item) => Some(item.ident.to_string()),
            _ => None,
        })
        .collect();
    for text in files.values_mut() {
        let lines = text.lines().map(|line| {
            let start = line.trim_start();
            let indent = &line[..line.len() - start.len()];
            let (keywords, path) = match start.split_once("use ") {
                Some((keywords, path)) if keywords.is_empty() || keywords.starts_with("pub") => {
                    (keywords, path)
                }
                _ => return line.to_owned(),
            };
            let path = path.trim_start_matches("::");
            let first: String = path
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            if own.contains(&first) {
                format!("{indent}{keywords}use crate::{path}")
            } else {
                format!("{indent}{keywords}use {path}")
            }
        });
        *text = lines.map(|line| line + "\n").collect();
    }
}

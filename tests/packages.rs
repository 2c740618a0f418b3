//! The three published packages contain what they need, and what the documents say of them is true.

use std::path::Path;
use std::process::Command;

const PACKAGES: [&str; 3] = ["ad-macros", "ad-runtime", "chainrule"];

/// A file of the repository.
fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files of a package, as `cargo package` collects them.
fn packaged(package: &str) -> Vec<String> {
    let output = Command::new(env!("CARGO"))
        .args(["package", "--list", "--offline", "--allow-dirty"])
        .args(["--package", package])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{package}: {errors}");
    let list = String::from_utf8(output.stdout).unwrap();
    list.lines().map(|line| line.replace('\\', "/")).collect()
}

/// The value of a key in `Cargo.toml`, the first one.
fn value(manifest: &str, key: &str) -> String {
    let mut values = manifest.lines().filter_map(|line| {
        let (left, right) = line.split_once(" = ")?;
        (left == key).then(|| right.trim_matches('"').to_owned())
    });
    values
        .next()
        .unwrap_or_else(|| panic!("no `{key}` in Cargo.toml"))
}

#[test]
fn packages_have_a_licence_and_a_readme() {
    for package in PACKAGES {
        let files = packaged(package);
        for file in ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "src/lib.rs"] {
            assert!(
                files.iter().any(|f| f == file),
                "`{file}` isn't in {package}"
            );
        }
    }
}

/// Files that the documentation includes.
#[test]
fn the_package_has_all_chapters_of_the_guide() {
    let files = packaged("chainrule");
    let guide = read("src/guide.rs");
    let included = guide.split("include_str!(\"").skip(1);
    let chapters: Vec<_> = included.filter_map(|rest| rest.split('"').next()).collect();
    assert!(chapters.len() > 10, "{chapters:?}");
    for chapter in chapters {
        let file = format!("src/{chapter}");
        assert!(files.contains(&file), "`{file}` isn't in the package");
    }
    let is_test = |file: &String| file.starts_with("tests/") || file.starts_with("examples/");
    assert!(
        !files.iter().any(is_test),
        "tests depend on packages that aren't published"
    );
}

#[test]
fn documents_name_the_versions_of_the_manifest() {
    let manifest = read("Cargo.toml");
    let (version, oldest) = (
        value(&manifest, "version"),
        value(&manifest, "rust-version"),
    );
    for package in ["ad-macros", "ad-runtime"] {
        let dependency = format!("{package} = {{ path = \"{package}\", version = \"{version}\"");
        assert!(manifest.contains(&dependency), "{dependency}");
    }
    for document in ["README.md", "src/guide/first_gradient.md"] {
        let said = format!("Rust {oldest} or later");
        assert!(read(document).contains(&said), "{document}: {said}");
    }
}

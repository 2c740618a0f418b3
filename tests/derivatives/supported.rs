//! The guide's tables of what is supported, held against the tests that there are.

use std::path::Path;

/// The tables' rows: the construct, whether it is supported, and its tests.
fn rows() -> Vec<(String, String, Vec<String>)> {
    let lines = include_str!("../../src/guide/language.md")
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| construct"));
    lines
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').rsplitn(3, '|').collect();
            let names = cells[0]
                .split(',')
                .map(|name| name.trim().trim_matches('`').to_owned());
            (
                cells[2].trim().to_owned(),
                cells[1].trim().to_owned(),
                names.collect(),
            )
        })
        .collect()
}

#[test]
fn every_row_of_the_guide_has_its_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let binaries = [
        ("derivatives", include_str!("main.rs")),
        ("iterators", include_str!("../iterators/main.rs")),
        ("abstractions", include_str!("../abstractions/main.rs")),
        ("libraries", include_str!("../libraries/main.rs")),
        ("programs", include_str!("../programs/main.rs")),
    ];
    assert!(rows().len() > 60, "the tables have been read");
    for (construct, supported, tests) in rows() {
        for test in tests {
            let found = match supported.as_str() {
                "yes" => binaries.iter().any(|(binary, modules)| {
                    let file = root.join(binary).join(&test);
                    modules.contains(&format!("\nmod {test};"))
                        && (file.with_extension("rs").exists() || file.join("mod.rs").exists())
                }),
                "no" => root
                    .join("ui")
                    .join(&test)
                    .with_extension("stderr")
                    .exists(),
                other => panic!("`{construct}` is `{other}`"),
            };
            assert!(found, "`{construct}` ({supported}) names `{test}`");
        }
    }
}

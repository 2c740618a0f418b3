//! Compiles the library to WebAssembly, and makes the JavaScript that calls it.

use crate::Result;
use serde_json::Value;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use wasm_bindgen_cli_support::Bindgen;

/// The platform of browsers.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";
/// The name by which JavaScript knows the library.
pub(crate) const GLOBAL: &str = "chainrule_web";

/// The files of a finished build.
pub(crate) struct Build {
    /// The library, as cargo leaves it.
    pub(crate) wasm: PathBuf,
    /// The crates that the library names: name and file.
    pub(crate) crates: Vec<(String, PathBuf)>,
    /// The folders with the crates that those need: of the target, and of the macros.
    pub(crate) folders: Vec<PathBuf>,
}

/// The library as browsers take it.
pub(crate) struct Module {
    pub(crate) wasm: Vec<u8>,
    pub(crate) js: String,
}

/// The program that cargo names in a variable, or that of the path.
pub(crate) fn tool(variable: &str, name: &str) -> OsString {
    env::var_os(variable).unwrap_or_else(|| name.into())
}

/// Builds the library of `package` for browsers.
pub(crate) fn library(package: &Path) -> Result<Build> {
    require_target()?;
    let output = Command::new(tool("CARGO", "cargo"))
        .args(["rustc", "--lib", "--target", TARGET])
        .args([
            "--crate-type",
            "cdylib",
            "--message-format",
            "json-render-diagnostics",
        ])
        .arg("--manifest-path")
        .arg(package.join("Cargo.toml"))
        // The profile `dev`, but for its level, so that the macros aren't compiled once more: they are those of the builder.
        .env("CARGO_PROFILE_DEV_OPT_LEVEL", "3")
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err("the library doesn't compile to WebAssembly, see above".into());
    }
    let artifacts = artifacts(&String::from_utf8(output.stdout)?)?;
    let with_extension = |name: &str, extension: &str| {
        artifacts
            .iter()
            .find(|(of, file)| of == name && file.extension().is_some_and(|e| e == extension))
            .map(|(_, file)| file.clone())
            .ok_or_else(|| {
                format!("cargo doesn't name the file of {name} that ends in .{extension}")
            })
    };
    let mut build = Build {
        wasm: with_extension("chainrule_web", "wasm")?,
        crates: Vec::new(),
        folders: Vec::new(),
    };
    for name in ["chainrule", "wasm_bindgen"] {
        build
            .crates
            .push((name.to_string(), with_extension(name, "rlib")?));
    }
    for (name, file) in &artifacts {
        let is_needed = name == "chainrule" || name == "ad_macros";
        if let (true, Some(folder)) = (is_needed, file.parent()) {
            build.folders.push(folder.to_path_buf());
        }
    }
    Ok(build)
}

/// The names of all targets of a build, with their files.
fn artifacts(messages: &str) -> Result<Vec<(String, PathBuf)>> {
    let mut all = Vec::new();
    for line in messages.lines() {
        let message: Value = serde_json::from_str(line)?;
        if message["reason"] != "compiler-artifact" {
            continue;
        }
        let name = message["target"]["name"].as_str().unwrap_or_default();
        for file in message["filenames"].as_array().into_iter().flatten() {
            all.push((
                name.replace('-', "_"),
                file.as_str().unwrap_or_default().into(),
            ));
        }
    }
    Ok(all)
}

/// An error that says how to install the target if it isn't there.
fn require_target() -> Result<()> {
    let output = Command::new(tool("RUSTC", "rustc"))
        .args(["--print", "target-libdir", "--target", TARGET])
        .output()?;
    let folder = String::from_utf8(output.stdout)?;
    if output.status.success() && Path::new(folder.trim()).is_dir() {
        return Ok(());
    }
    Err(format!("the target {TARGET} isn't installed; this command installs it:\n\n    rustup target add {TARGET}\n").into())
}

/// The finished WebAssembly and its JavaScript, for a page without modules, which browsers also open from a file.
pub(crate) fn bindings(wasm: &Path) -> Result<Module> {
    let mut output = Bindgen::new()
        .input_path(wasm)
        .no_modules(true)?
        .no_modules_global(GLOBAL)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate_output()?;
    Ok(Module {
        wasm: output.wasm_mut().emit_wasm(),
        js: output.js().to_string(),
    })
}

impl Build {
    /// The folder that cargo builds in: `wasm32-unknown-unknown/debug/` is in it.
    pub(crate) fn target_folder(&self) -> Result<&Path> {
        let mut folders = self.wasm.ancestors();
        folders.find(|folder| folder.file_name().is_some_and(|name| name == TARGET));
        Ok(folders.next().ok_or("cargo builds in an unknown folder")?)
    }
}

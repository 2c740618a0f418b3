//! Builds the program `numbers` for targets.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Result;
use crate::list::{Functions, How, Target};

/// Optimised, since that is where an operation could be fused or moved. One unit of code needs no optimisation across units.
const PROFILE: [&str; 2] = [
    "profile.dev.package.targets.opt-level=2",
    "profile.dev.package.targets.codegen-units=1",
];

/// The program that cargo names in a variable, or that of the path.
pub(crate) fn tool(variable: &str, name: &str) -> OsString {
    env::var_os(variable).unwrap_or_else(|| name.into())
}

/// The target of this machine.
pub(crate) fn host() -> Result<String> {
    let output = Command::new(tool("RUSTC", "rustc")).arg("-vV").output()?;
    let text = String::from_utf8(output.stdout)?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.ok_or("rustc doesn't name its host")?.to_string())
}

/// Where cargo builds: this program is in `target/debug`.
fn folder() -> Result<PathBuf> {
    let program = env::current_exe()?;
    let folder = program.ancestors().nth(2).map(Path::to_path_buf);
    Ok(folder.ok_or("this program isn't in a folder of cargo")?)
}

/// The finished program.
pub(crate) fn program(target: &Target) -> Result<PathBuf> {
    let name = match target.how {
        How::Node => "numbers.wasm",
        _ => "numbers",
    };
    Ok(folder()?.join(&target.triple).join("debug").join(name))
}

/// Builds the programs, and the libraries of targets where nothing runs.
pub(crate) fn all(targets: &[Target], functions: Functions) -> Result<()> {
    let (built, run): (Vec<_>, Vec<_>) = targets
        .iter()
        .partition(|target| matches!(target.how, How::Built));
    for (what, targets) in [(["--bin", "numbers"].as_slice(), run), (&["--lib"], built)] {
        if !targets.is_empty() {
            cargo(what, &targets, functions)?;
        }
    }
    Ok(())
}

fn cargo(what: &[&str], targets: &[&Target], functions: Functions) -> Result<()> {
    let mut cargo = Command::new(tool("CARGO", "cargo"));
    cargo.arg("build").args(what).arg("--manifest-path");
    cargo.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"));
    cargo.arg("--target-dir").arg(folder()?);
    for setting in PROFILE {
        cargo.args(["--config", setting]);
    }
    if functions == Functions::Libm {
        cargo.args(["--no-default-features", "--features", "libm"]);
    }
    for target in targets {
        cargo.args(["--target", &target.triple]);
        if let Some(linker) = target.linker {
            let name = target.triple.to_uppercase().replace('-', "_");
            cargo.env(format!("CARGO_TARGET_{name}_LINKER"), linker);
        }
    }
    if !cargo.status()?.success() {
        return Err("the functions don't compile for all targets, see above".into());
    }
    Ok(())
}

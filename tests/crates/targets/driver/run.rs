//! Runs the program `numbers` of a target.

use std::path::Path;
use std::process::{Command, Stdio};

use targets::Entry;

use crate::build::{program, tool};
use crate::list::{How, Target};
use crate::{Result, build};

/// Prints the report of a WebAssembly module, byte by byte.
const SCRIPT: &str = r#"
const bytes = require("fs").readFileSync(process.argv[1]);
const { report_length, report_byte } = new WebAssembly.Instance(new WebAssembly.Module(bytes), {}).exports;
const text = Buffer.from(Array.from({ length: report_length() }, (_, k) => report_byte(k)));
process.stdout.write(text);
"#;

/// What a target needs that isn't here.
pub(crate) fn missing(target: &Target) -> Option<String> {
    if !has_library(&target.triple) {
        let triple = &target.triple;
        return Some(format!("`rustup target add {triple}` installs it"));
    }
    if let Some(linker) = target.linker
        && linker != "rust-lld"
        && !is_there(linker)
    {
        return Some(format!("there is no `{linker}`"));
    }
    match &target.how {
        How::Node => (!is_there("node")).then(|| "there is no `node`".to_string()),
        How::Emulated { emulator, .. } => {
            (!is_there(emulator)).then(|| format!("there is no `{emulator}`"))
        }
        How::Native => {
            let host = build::host().unwrap_or_default();
            let runs =
                host == target.triple || host.starts_with("x86_64") && host.contains("linux");
            (!runs).then(|| "this machine doesn't run it".to_string())
        }
        How::Built => None,
    }
}

/// The standard library of the target is installed.
fn has_library(triple: &str) -> bool {
    let output = Command::new(tool("RUSTC", "rustc"))
        .args(["--print", "target-libdir", "--target", triple])
        .output();
    output.is_ok_and(|output| {
        let folder = String::from_utf8_lossy(&output.stdout).into_owned();
        output.status.success() && Path::new(folder.trim()).is_dir()
    })
}

fn is_there(program: &str) -> bool {
    let status = Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

/// The numbers of a target.
pub(crate) fn run(target: &Target) -> Result<Vec<Entry>> {
    let program = program(target)?;
    let mut command = match &target.how {
        How::Node => {
            let mut node = Command::new("node");
            node.args(["--eval", SCRIPT]).arg(program);
            node
        }
        How::Emulated {
            emulator,
            libraries,
        } => {
            let mut emulator = Command::new(emulator);
            emulator.args(["-L", libraries]).arg(program);
            emulator
        }
        How::Native | How::Built => Command::new(program),
    };
    let output = command
        .output()
        .map_err(|error| format!("{}: {error}", target.triple))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{} fails:\n{message}", target.triple).into());
    }
    let text = String::from_utf8(output.stdout)?;
    targets::parse(&text)
        .map_err(|line| format!("{} prints a line without numbers: {line}", target.triple).into())
}

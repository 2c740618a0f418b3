//! What rustc says of a copy.

use std::io;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::sources::{Copy, Folders};

/// One error.
#[derive(Clone, Debug)]
pub(crate) struct Error {
    pub(crate) code: Option<String>,
    pub(crate) message: String,
    /// All of it, as it is printed.
    pub(crate) rendered: String,
    /// Files and lines, the primary ones first.
    pub(crate) places: Vec<(String, usize)>,
}

/// `cargo check`, or another command, on a copy: the errors, and whether it went through.
pub(crate) fn cargo(
    folders: &Folders,
    copy: &Copy,
    arguments: &[&str],
) -> io::Result<(bool, Vec<Error>)> {
    let mut command = Command::new("cargo");
    command
        .args(arguments)
        .args(["--message-format", "json", "--quiet"])
        .current_dir(&copy.folder)
        .env("CARGO_TARGET_DIR", folders.work.join("build"))
        // The crate's own lints are no concern of the attribute's.
        .env("RUSTFLAGS", "--cap-lints warn")
        // The macro expands a thousand functions, again and again.
        .env("CARGO_PROFILE_DEV_BUILD_OVERRIDE_OPT_LEVEL", "2")
        .env("CARGO_PROFILE_DEV_DEBUG", "none");
    if !copy.features.is_empty() {
        command.arg("--features").arg(copy.features.join(","));
    }
    let mut output = command.arg("--offline").output()?;
    if !output.status.success() && output.stdout.is_empty() {
        let arguments: Vec<_> = command
            .get_args()
            .filter(|word| *word != "--offline")
            .map(ToOwned::to_owned)
            .collect();
        let mut online = Command::new("cargo");
        online.args(arguments).current_dir(&copy.folder);
        for (name, value) in command.get_envs() {
            online.env(name, value.expect("nothing is removed"));
        }
        output = online.output()?;
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let mut errors = Vec::new();
    for line in text.lines() {
        let Ok(line) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let message = &line["message"];
        if message["level"]
            .as_str()
            .is_some_and(|level| level.starts_with("error"))
            && message["spans"].as_array().is_some()
        {
            let target = line["target"]["src_path"].as_str().unwrap_or_default();
            if Path::new(target).starts_with(&copy.folder) {
                errors.push(error(message));
            } else {
                return Err(io::Error::other(format!(
                    "a dependency: {}",
                    message["rendered"]
                )));
            }
        }
    }
    if !output.status.success() && errors.is_empty() {
        return Err(io::Error::other(
            String::from_utf8_lossy(&output.stderr).into_owned(),
        ));
    }
    errors
        .retain(|error| !error.message.starts_with("aborting due to") && !error.places.is_empty());
    Ok((output.status.success(), errors))
}

fn error(message: &Value) -> Error {
    let mut places = Vec::new();
    let spans = || message["spans"].as_array().into_iter().flatten();
    for primary in [true, false] {
        for span in spans().filter(|span| span["is_primary"] == primary) {
            let mut span = span;
            while span.is_object() {
                let file = span["file_name"].as_str().unwrap_or_default();
                let line = span["line_start"].as_u64().unwrap_or_default();
                places.push((
                    file.replace('\\', "/"),
                    usize::try_from(line).unwrap_or_default(),
                ));
                span = &span["expansion"]["span"];
            }
        }
    }
    Error {
        code: message["code"]["code"].as_str().map(ToOwned::to_owned),
        message: message["message"].as_str().unwrap_or_default().to_owned(),
        rendered: message["rendered"].as_str().unwrap_or_default().to_owned(),
        places,
    }
}

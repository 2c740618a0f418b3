//! Many programs as one crate: written, built, run. What rustc says of a program takes it out, and the rest goes on.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::tree::{Node, Numbers};
use crate::without_names;

/// The three texts of a program.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// The points that it is evaluated at.
    pub(crate) seed: u64,
    pub(crate) plain: String,
    pub(crate) bare: Option<String>,
    pub(crate) oracle: String,
}

impl Candidate {
    pub(crate) fn new(seed: u64, program: &Node) -> Self {
        let print = |numbers| program.print(numbers);
        Self {
            seed,
            plain: format!("use chainrule::prelude::*;\n\n{}", print(Numbers::Plain)),
            bare: Some(print(Numbers::Bare)),
            oracle: format!(
                "use hunt::number::Number;\nuse hunt::oracle::*;\n\n{}",
                print(Numbers::Oracle)
            ),
        }
    }
}

/// What came of a program.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// All derivatives are right. Whether differences say so, too, what a release build should give as well, the operations that are
    /// differentiated, and those of them whose derivatives could be wrong without being found out.
    Agrees {
        differences: bool,
        digest: Vec<f64>,
        used: Vec<String>,
        blind: Vec<String>,
    },
    /// A wrong derivative, or a panic of a rule.
    Mismatch(String),
    /// At a kink, or lost to cancellation.
    Unclear(String),
    /// The program is wrong by itself: the generator's fault.
    Invalid(String),
    /// The macro says no, in its own words.
    Refused(String),
    /// What the macro emits isn't accepted by rustc.
    Rustc(String),
    /// The macro panics.
    Panic(String),
    /// The checks crash or don't end.
    Crash,
}

impl Verdict {
    /// A valid program that doesn't compile.
    pub(crate) fn is_compile_error(&self) -> bool {
        matches!(self, Self::Rustc(_) | Self::Panic(_))
    }

    pub(crate) fn is_failure(&self) -> bool {
        matches!(
            self,
            Self::Mismatch(_) | Self::Rustc(_) | Self::Panic(_) | Self::Crash
        )
    }

    /// The part that it has in common with other failures that probably have the same cause.
    pub(crate) fn kind(&self) -> String {
        match self {
            // The numbers differ.
            Self::Mismatch(what) => what.split(['[', ':']).next().unwrap_or(what).to_owned(),
            other => without_names(&format!("{other:?}")),
        }
    }

    /// The same kind of failure, for the shrinker.
    pub(crate) fn resembles(&self, other: &Self) -> bool {
        let start = |text: &str| text.chars().take(24).collect::<String>();
        match (self, other) {
            (Self::Rustc(a), Self::Rustc(b)) | (Self::Panic(a), Self::Panic(b)) => {
                start(a) == start(b)
            }
            (Self::Mismatch(a), Self::Mismatch(b)) => a.contains("panics") == b.contains("panics"),
            (Self::Crash, Self::Crash) => true,
            _ => false,
        }
    }
}

/// The libraries that programs are linked with, and where crates of programs are written.
#[derive(Clone, Debug)]
pub(crate) struct Workshop {
    dir: PathBuf,
    /// The library that is tested, and what it needs.
    chainrule: PathBuf,
    dependencies: PathBuf,
    hunt: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Build {
    /// No code is generated.
    Check,
    Debug,
    Release,
}

impl Workshop {
    /// Builds the libraries of the workspace at `root` with one of its profiles.
    pub(crate) fn new(root: &Path, dir: PathBuf, profile: &str) -> io::Result<Self> {
        fs::create_dir_all(&dir)?;
        let mut cargo = Command::new("cargo");
        cargo.current_dir(root).env("CARGO_INCREMENTAL", "0");
        cargo.args(["build", "--offline", "--package", "chainrule", "--lib"]);
        cargo.args(["--profile", profile, "--message-format", "json"]);
        let output = cargo.stderr(Stdio::inherit()).output()?;
        // A message for each library; the last is that of the package itself.
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut files = text.split('"').map(PathBuf::from);
        let chainrule = files.rfind(|file| file.extension().is_some_and(|end| end == "rlib"));
        let Some(chainrule) = chainrule.filter(|_| output.status.success()) else {
            return Err(io::Error::other("the library can't be built"));
        };
        let beside = chainrule.parent().unwrap_or(root);
        let dependencies = if beside.ends_with("deps") {
            beside.to_owned()
        } else {
            beside.join("deps")
        };
        let hunt = dir.join("libhunt.rlib");
        let status = Command::new("rustc")
            .args([
                "--edition",
                "2024",
                "--crate-type",
                "rlib",
                "--crate-name",
                "hunt",
                "-O",
            ])
            .args(["--cap-lints", "allow"])
            .arg(root.join("hunt/src/lib.rs"))
            .arg("-o")
            .arg(&hunt)
            .status()?;
        if !status.success() {
            return Err(io::Error::other("the oracle can't be built"));
        }
        Ok(Self {
            dir,
            chainrule,
            dependencies,
            hunt,
        })
    }

    /// The same libraries, with a directory of its own for crates: for another thread.
    pub(crate) fn beside(&self, name: &str) -> Self {
        Self {
            dir: self.dir.join(name),
            ..self.clone()
        }
    }

    /// What comes of each program, in a debug or a release build.
    pub(crate) fn run(&self, programs: &[Candidate], release: bool) -> io::Result<Vec<Verdict>> {
        let mut verdicts: Vec<Option<Verdict>> = vec![None; programs.len()];
        loop {
            let open: Vec<usize> = (0..programs.len())
                .filter(|i| verdicts[*i].is_none())
                .collect();
            if open.is_empty() {
                break;
            }
            self.write(programs, &open)?;
            let errors = self.build(if release {
                Build::Release
            } else {
                Build::Debug
            })?;
            if errors.is_empty() {
                self.execute(&open, &mut verdicts)?;
                break;
            }
            for (i, verdict) in errors {
                verdicts[i] = Some(verdict);
            }
        }
        Ok(verdicts
            .into_iter()
            .map(|v| v.unwrap_or(Verdict::Crash))
            .collect())
    }

    /// The first found of the programs that fail in a way like this.
    pub(crate) fn like(
        &self,
        programs: &[Candidate],
        wanted: &Verdict,
    ) -> io::Result<Option<usize>> {
        let mut open: Vec<usize> = (0..programs.len()).collect();
        // Of an error of rustc only the first half of a build is needed.
        let level = match wanted {
            Verdict::Rustc(_) | Verdict::Panic(_) => Build::Check,
            _ => Build::Debug,
        };
        while !open.is_empty() {
            self.write(programs, &open)?;
            let errors = self.build(level)?;
            if let Some((i, _)) = errors.iter().find(|(_, v)| v.resembles(wanted)) {
                return Ok(Some(*i));
            }
            if errors.is_empty() {
                if level == Build::Check {
                    return Ok(None);
                }
                let mut verdicts = vec![None; programs.len()];
                self.execute(&open, &mut verdicts)?;
                let alike = |v: &Option<Verdict>| v.as_ref().is_some_and(|v| v.resembles(wanted));
                return Ok(verdicts.iter().position(alike));
            }
            open.retain(|i| !errors.contains_key(i));
        }
        Ok(None)
    }

    fn write(&self, programs: &[Candidate], open: &[usize]) -> io::Result<()> {
        let src = self.dir.join("src");
        let _ = fs::remove_dir_all(&src);
        fs::create_dir_all(&src)?;
        let mut main = "#![allow(warnings)]\n".to_owned();
        let mut table = "fn main() {\n    hunt::check::main(&[\n".to_owned();
        for i in open {
            let program = &programs[*i];
            let _ = write!(main, "mod p{i};\nmod o{i};\n");
            fs::write(src.join(format!("p{i}.rs")), &program.plain)?;
            fs::write(src.join(format!("o{i}.rs")), &program.oracle)?;
            if let Some(bare) = &program.bare {
                let _ = writeln!(main, "mod b{i};");
                let text = format!("use chainrule::prelude::Real;\n\n{bare}");
                fs::write(src.join(format!("b{i}.rs")), text)?;
            }
            // Without third derivatives of a function whose gradient is in it, the program has no second ones.
            let first = if program.plain.contains("#[differentiable(nested)]") {
                ", first order"
            } else {
                ""
            };
            let captured = if program.plain.contains("pub fn captured(") {
                format!("Some((p{i}::captured, o{i}::captured))")
            } else {
                "None".to_owned()
            };
            let drivers = program.plain.contains("order = 3") || !first.is_empty();
            let _ = writeln!(
                table,
                "(\"{i}\", {}, hunt::check::Program {{ drivers: {drivers}, captured: {captured}, ..hunt::program!(p{i}, o{i}{first}) }}),",
                program.seed
            );
        }
        table.push_str("    ]);\n}\n");
        fs::write(src.join("main.rs"), main + &table)
    }

    /// Builds. Gives what is wrong with which program.
    fn build(&self, level: Build) -> io::Result<BTreeMap<usize, Verdict>> {
        let external = |name: &str, path: &Path| format!("{name}={}", path.display());
        let mut rustc = Command::new("rustc");
        rustc
            .current_dir(&self.dir)
            .args([
                "--edition",
                "2024",
                "--crate-name",
                "batch",
                "--error-format",
                "short",
            ])
            .args(["src/main.rs", "-C", "debuginfo=0"])
            .args(match level {
                Build::Check => ["--emit=metadata", "-obatch.rmeta"],
                Build::Debug => ["-Copt-level=0", "-obatch"],
                Build::Release => ["-Copt-level=2", "-obatch"],
            })
            .args(["--extern", &external("chainrule", &self.chainrule)])
            .args(["--extern", &external("hunt", &self.hunt)])
            .args(["-L", &external("dependency", &self.dependencies)]);
        let output = rustc.output()?;
        if output.status.success() {
            return Ok(BTreeMap::new());
        }
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let mut verdicts = BTreeMap::new();
        for line in text.lines() {
            let Some((file, i, message)) = error_line(line) else {
                continue;
            };
            let verdict = if file != 'p' {
                Verdict::Invalid(message.to_owned())
            } else if message.contains("panicked")
                || message.contains("bug of the compiler")
                || message.contains("bug in")
                // The verifier's words about what lowering made of a valid program.
                || message.contains("this can't be differentiated: ")
            {
                Verdict::Panic(message.to_owned())
            } else if is_ours(message) {
                Verdict::Refused(message.to_owned())
            } else {
                Verdict::Rustc(message.to_owned())
            };
            let keeps = match verdicts.get(&i) {
                None => false,
                // A program that isn't valid says nothing; the first error is the one that counts.
                Some(Verdict::Invalid(_)) => true,
                Some(_) => !matches!(verdict, Verdict::Invalid(_)),
            };
            if !keeps {
                verdicts.insert(i, verdict);
            }
        }
        if verdicts.is_empty() {
            let end: Vec<&str> = text.lines().rev().take(30).collect();
            let end: Vec<&str> = end.into_iter().rev().collect();
            return Err(io::Error::other(format!(
                "the crate of programs can't be built:\n{}",
                end.join("\n")
            )));
        }
        Ok(verdicts)
    }

    fn execute(&self, open: &[usize], verdicts: &mut [Option<Verdict>]) -> io::Result<()> {
        let program = self.dir.join("batch");
        loop {
            let names: Vec<String> = open
                .iter()
                .filter(|i| verdicts[**i].is_none())
                .map(usize::to_string)
                .collect();
            if names.is_empty() {
                return Ok(());
            }
            let text = within(&program, &names, Duration::from_secs(60))?;
            let mut running = None;
            let mut ended = 0;
            for line in text.lines() {
                if let Some(name) = line.strip_prefix("start ") {
                    running = name.parse::<usize>().ok();
                } else if let Some((i, verdict)) = end_line(line) {
                    verdicts[i] = Some(verdict);
                    running = None;
                    ended += 1;
                }
            }
            match running {
                Some(i) => verdicts[i] = Some(Verdict::Crash),
                None if ended == 0 => return Err(io::Error::other("the programs don't run")),
                None => {}
            }
        }
    }
}

/// The standard output of a program, as far as it got.
fn within(program: &Path, arguments: &[String], limit: Duration) -> io::Result<String> {
    let out = program.with_extension("out");
    let mut child = Command::new(program)
        .args(arguments)
        .stdout(Stdio::from(fs::File::create(&out)?))
        .stderr(Stdio::null())
        .spawn()?;
    let start = Instant::now();
    while child.try_wait()?.is_none() {
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    fs::read_to_string(out)
}

/// `src/p3.rs:1:2: error[E0308]: message`
fn error_line(line: &str) -> Option<(char, usize, &str)> {
    let rest = line.strip_prefix("src/")?;
    let (file, rest) = rest.split_once(".rs:")?;
    let at = rest.find(": error")?;
    let kind = file.chars().next()?;
    Some((kind, file[1..].parse().ok()?, &rest[at + 2..]))
}

/// `end 3 1.0,2.0<TAB>agrees differ;sin,mul;mul`
fn end_line(line: &str) -> Option<(usize, Verdict)> {
    let rest = line.strip_prefix("end ")?;
    let (head, outcome) = rest.split_once('\t')?;
    let (name, digest) = head.split_once(' ')?;
    let digest = digest.split(',').filter_map(|x| x.parse().ok()).collect();
    let (word, what) = outcome.split_once(' ').unwrap_or((outcome, ""));
    let verdict = match word {
        "agrees" => {
            let mut parts = what.split(';');
            let differences = parts.next() == Some("");
            let mut list = || -> Vec<String> {
                let names = parts.next().unwrap_or_default().split(',');
                names.filter(|n| !n.is_empty()).map(str::to_owned).collect()
            };
            Verdict::Agrees {
                differences,
                digest,
                used: list(),
                blind: list(),
            }
        }
        "mismatch" => Verdict::Mismatch(what.to_owned()),
        "unclear" => Verdict::Unclear(what.to_owned()),
        _ => Verdict::Invalid(what.to_owned()),
    };
    Some((name.parse().ok()?, verdict))
}

/// Whether a message is the macro's. rustc's have a code, except for a few.
fn is_ours(message: &str) -> bool {
    const RUSTC: [&str; 8] = [
        "lifetime may not live long enough",
        "implementation of",
        "cannot find",
        "overflow evaluating",
        "recursion limit",
        "expected",
        "higher-ranked",
        "unused",
    ];
    // The runtime's words for a trait that isn't implemented.
    message.contains("has no derivative rules")
        || message
            .strip_prefix("error: ")
            .is_some_and(|text| !RUSTC.iter().any(|start| text.starts_with(start)))
}

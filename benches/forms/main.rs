//! The same kernels written in several natural ways, each form beside one adjoint by hand for its kernel:
//!
//! ```text
//! cargo bench --bench forms
//! cargo bench --bench forms -- rosenbrock dense/iterators
//! cargo bench --bench forms -- --markdown forms.md --svg forms.svg
//! ```
//!
//! Speed must not depend on how a kernel is written. The adjoints by hand add up the value in the order of the forms, as
//! chainrule must; the rest is as fast as their author can make it. Gradients of all forms are compared with theirs before
//! anything is measured.
//!
//! Forms are what somebody new to the library would write, and aren't rewritten when they are slow: that is what is
//! measured. `--list` and `--run` are those of `ratios`.

// Forms are written as they occur.
#![allow(
    clippy::cloned_instead_of_copied,
    clippy::needless_range_loop,
    clippy::redundant_closure_for_method_calls,
    clippy::useless_vec
)]
#![allow(
    clippy::cast_precision_loss,
    clippy::range_plus_one,
    clippy::too_many_arguments,
    clippy::type_complexity
)]

mod kernels;
mod report;

use clap::Parser;
use rows::harness::case::{Case, Which};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A kernel in all of its forms.
struct Kernel {
    name: &'static str,
    forms: Vec<Case>,
}

impl Kernel {
    /// Its name is in the list of all kernels.
    fn new(forms: Vec<Case>) -> Kernel {
        Kernel { name: "", forms }
    }
}

/// Measures value and gradient in units of an adjoint by hand.
#[derive(Parser)]
struct Options {
    /// Only the forms whose names, `KERNEL/FORM`, contain one of these
    names: Vec<String>,

    /// Print the names of the forms and stop
    #[arg(long)]
    list: bool,

    /// Run this form without measuring anything
    #[arg(long, value_name = "KERNEL/FORM", conflicts_with = "list")]
    run: Option<String>,

    /// Which side of the form to run
    #[arg(long, requires = "run", default_value = "ours")]
    which: Which,

    /// How often to run it
    #[arg(long, requires = "run", default_value_t = 1)]
    calls: u32,

    /// Write the table to this file as Markdown
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,

    /// Write a plot to this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Passed by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let mut all = options.kernels();
    if all.is_empty() {
        return fail("no form has such a name; --list names them");
    }
    if options.list {
        for kernel in &all {
            for form in &kernel.forms {
                println!("{}/{}", kernel.name, form.name());
            }
        }
    } else if options.run.is_some() {
        all[0].forms[0].run_counted(options.which, options.calls);
    } else {
        for kernel in &mut all {
            kernel.forms.iter_mut().for_each(Case::check);
        }
        return table(&options);
    }
    ExitCode::SUCCESS
}

impl Options {
    /// The kernels, each with those of its forms that are asked for.
    fn kernels(&self) -> Vec<Kernel> {
        let mut all = kernels::all(|name| {
            let form = self.run.as_deref();
            form.is_none_or(|form| form.split('/').next() == Some(name))
        });
        for kernel in &mut all {
            let name = kernel.name;
            let asked = |case: &Case| {
                let full = format!("{name}/{}", case.name());
                match &self.run {
                    Some(run) => *run == full,
                    None => {
                        self.names.is_empty() || self.names.iter().any(|name| full.contains(name))
                    }
                }
            };
            kernel.forms.retain(asked);
        }
        all.retain(|kernel| !kernel.forms.is_empty());
        all
    }
}

fn table(options: &Options) -> ExitCode {
    let measured = report::measured(|| options.kernels());
    report::summary(&measured);
    let files = [
        (
            &options.markdown,
            report::markdown as fn(&[report::Measured]) -> String,
        ),
        (&options.svg, report::svg),
    ];
    for (path, text) in files {
        if let Some(path) = path
            && let Err(error) = write(path, &text(&measured))
        {
            return fail(&error);
        }
    }
    ExitCode::SUCCESS
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

fn fail(message: &str) -> ExitCode {
    eprintln!("error: {message}");
    ExitCode::FAILURE
}

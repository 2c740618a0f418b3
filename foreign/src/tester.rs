//! The rule tester on what compiles: `frule` and `rrule` against extrapolated differences, second order against differences of the first.
//!
//! In: a crate whose accepted functions have the attribute. Out: for each function with arguments that can be made up, whether its rules are right
//! at a few points. A check stands beside its function, where private names are in scope, and is found by the linker. What doesn't compile loses its
//! check; each function is a process, since far from home loops may have no end.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use quote::ToTokens;

use crate::annotate;
use crate::rounds::{Done, blame};
use crate::rustc::cargo;
use crate::sources::{CHECKS, Folders};
use crate::subjects::{Found, Function};

/// What the rule tester says.
#[derive(Default)]
pub(crate) struct Checks {
    pub(crate) right: usize,
    /// The function's name and what the tester prints.
    pub(crate) wrong: Vec<String>,
    /// The same, where all that is wrong is that one mode gives a number and another doesn't.
    pub(crate) not_finite: Vec<String>,
    /// No derivative where it was looked at, saturated, or without an end.
    pub(crate) unclear: usize,
}

/// How long the checks of one function may take.
const PATIENCE: Duration = Duration::from_secs(4);
/// Numbers for arguments, one list for each point.
const POINTS: [[f64; 6]; 4] = [
    [0.7, 1.3, 0.45, 2.1, 0.9, 1.7],
    [0.31, 0.62, 0.17, 0.83, 0.23, 0.55],
    [2.4, 3.7, 1.9, 5.3, 4.1, 2.9],
    [-0.6, 0.8, -1.4, 0.35, -2.2, 1.15],
];
const INTEGERS: [u8; 4] = [2, 3, 1, 4];

pub(crate) fn check(folders: &Folders, done: &mut Done) -> io::Result<()> {
    for number in done.plan.functions.keys() {
        if let Some(check) = text(*number, &done.found) {
            done.plan.checks.insert(*number, check);
        }
    }
    let program = done.copy.folder.join(CHECKS);
    let arguments = ["build", "-j1", "--example", "chainrule_checks"];
    loop {
        done.copy.write(&annotate::annotated(
            &done.copy.files,
            &done.found,
            &done.plan,
        ))?;
        fs::write(&program, main(&done.copy.name, done.plan.checks.keys()))?;
        let (fine, errors) = cargo(folders, &done.copy, &arguments)?;
        eprintln!(
            "  {} checks, {} errors",
            done.plan.checks.len(),
            errors.len()
        );
        if fine {
            break;
        }
        let (hit, _) = blame(&done.found, &done.plan, &errors);
        let before = done.plan.checks.len();
        done.plan
            .checks
            .retain(|number, _| !hit.contains_key(number));
        if done.plan.checks.len() == before {
            let first = errors.first().map_or("", |error| &error.rendered);
            eprintln!("  no checks: {first}");
            return Ok(());
        }
    }
    let program = folders.work.join("build/debug/examples/chainrule_checks");
    for number in done.plan.checks.keys() {
        let said = run(&program, *number)?;
        let name = &done.found.functions[*number].name;
        let says = |word: &str| said.lines().any(|line| line.starts_with(word));
        if says("wrong:") {
            done.checks.wrong.push(format!("{name}\n{said}"));
        } else if says("not finite:") {
            done.checks.not_finite.push(format!("{name}\n{said}"));
        } else if says("passed:") {
            done.checks.right += 1;
        } else {
            done.checks.unclear += 1;
        }
    }
    Ok(())
}

/// What the checks of a function print.
fn run(program: &Path, number: usize) -> io::Result<String> {
    let mut child = Command::new(program)
        .arg(number.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut stdout = child.stdout.take().expect("it is piped");
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = stdout.read_to_end(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    });
    let start = Instant::now();
    while child.try_wait()?.is_none() {
        if start.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(reader.join().unwrap_or_default())
}

/// The program that runs the checks of a function.
fn main<'a>(library: &str, numbers: impl Iterator<Item = &'a usize> + Clone) -> String {
    let mut text = format!("extern crate {library} as _;\nunsafe extern \"C-unwind\" {{\n");
    for number in numbers.clone() {
        let _ = writeln!(text, "    fn chainrule_check_{number}(point: usize);");
    }
    text.push_str("}\nfn main() {\n    let number: usize = std::env::args().nth(1).unwrap().parse().unwrap();\n");
    let _ = writeln!(
        text,
        "    for point in 0..{} {{\n        let _ = std::panic::catch_unwind(|| match number {{",
        POINTS.len()
    );
    for number in numbers {
        let _ = writeln!(
            text,
            "            {number} => unsafe {{ chainrule_check_{number}(point) }},"
        );
    }
    text.push_str("            _ => {}\n        });\n    }\n}\n");
    text
}

/// A function with the checks of another, if there are arguments for it.
fn text(number: usize, found: &Found) -> Option<String> {
    let function = &found.functions[number];
    let simple = function.generics.iter().all(|generics| {
        generics.type_params().next().is_none() && generics.const_params().next().is_none()
    });
    if !simple || function.operator {
        return None;
    }
    let path = match &function.self_ty {
        None => function.sig.ident.to_string(),
        Some(ty) => format!("{}::{}", ty.to_token_stream(), function.sig.ident),
    };
    let mut arms = String::new();
    for point in 0..POINTS.len() {
        let mut maker = Maker {
            found,
            function,
            point,
            made: 0,
        };
        let arguments: Option<Vec<String>> = function
            .sig
            .inputs
            .iter()
            .map(|input| maker.input(input))
            .collect();
        let _ = write!(
            arms,
            "{point} => ::chainrule::testing::examine_rules!({path}, {}), ",
            arguments?.join(", ")
        );
    }
    Some(format!(
        "#[allow(warnings)] #[doc(hidden)] #[unsafe(no_mangle)] pub extern \"C-unwind\" fn chainrule_check_{number}(point: usize) {{ extern crate std; use std::prelude::rust_2021::*; let report = match point {{ {arms} _ => return }}; let word = match report.outcome() {{ ::chainrule::testing::Outcome::Passed => \"passed:\", ::chainrule::testing::Outcome::Failed if report.findings().iter().all(|found| found.outcome != ::chainrule::testing::Outcome::Failed || found.values.iter().any(|(_, value)| !value.is_finite())) => \"not finite:\", ::chainrule::testing::Outcome::Failed => \"wrong:\", _ => \"unclear:\" }}; std::println!(\"{{word}} at point {{point}}\\n{{report}}\"); }}"
    ))
}

/// Makes arguments up.
struct Maker<'a> {
    found: &'a Found,
    function: &'a Function,
    point: usize,
    made: usize,
}

impl Maker<'_> {
    fn input(&mut self, input: &syn::FnArg) -> Option<String> {
        match input {
            syn::FnArg::Typed(typed) => self.value(&typed.ty, 0),
            syn::FnArg::Receiver(receiver) => {
                let value = self.value(self.function.self_ty.as_ref()?, 0)?;
                Some(match &receiver.kind {
                    syn::ReceiverKind::Reference(_, _, mutable) => {
                        let mutable = if mutable.is_some() { "mut " } else { "" };
                        format!("&{mutable}{value}")
                    }
                    _ => value,
                })
            }
        }
    }

    fn number(&mut self) -> String {
        self.made += 1;
        let list = POINTS[self.point];
        format!("{:?}", list[(self.made - 1) % list.len()])
    }

    fn list(&mut self, element: &syn::Type, length: usize, depth: usize) -> Option<String> {
        let values: Option<Vec<String>> = (0..length)
            .map(|_| self.value(element, depth + 1))
            .collect();
        Some(values?.join(", "))
    }

    fn value(&mut self, ty: &syn::Type, depth: usize) -> Option<String> {
        if depth > 6 {
            return None;
        }
        match ty {
            syn::Type::Reference(reference) => {
                let mutable = if reference.mutability.is_some() {
                    "mut "
                } else {
                    ""
                };
                if let syn::Type::Slice(slice) = &*reference.elem {
                    return Some(format!(
                        "&{mutable}[{}][..]",
                        self.list(&slice.elem, 4, depth)?
                    ));
                }
                Some(format!(
                    "&{mutable}{}",
                    self.value(&reference.elem, depth + 1)?
                ))
            }
            syn::Type::Array(array) => match &array.len {
                syn::Expr::Lit(length) => {
                    let length: usize = length
                        .to_token_stream()
                        .to_string()
                        .trim_end_matches("usize")
                        .parse()
                        .ok()?;
                    Some(format!("[{}]", self.list(&array.elem, length, depth)?))
                }
                _ => None,
            },
            syn::Type::Tuple(tuple) => {
                let values: Option<Vec<String>> = tuple
                    .elems
                    .iter()
                    .map(|ty| self.value(ty, depth + 1))
                    .collect();
                Some(format!("({},)", values?.join(", ")))
            }
            syn::Type::Path(path) if path.qself.is_none() => self.path(&path.path, depth),
            _ => None,
        }
    }

    fn path(&mut self, path: &syn::Path, depth: usize) -> Option<String> {
        let last = path.segments.last()?;
        let argument = match &last.arguments {
            syn::PathArguments::AngleBracketed(arguments) => {
                arguments.args.iter().find_map(|argument| match argument {
                    syn::GenericArgument::Type(ty) => Some(ty),
                    _ => None,
                })
            }
            _ => None,
        };
        let name = last.ident.to_string();
        match name.as_str() {
            "f64" | "f32" => Some(format!("({} as {name})", self.number())),
            "bool" => Some(self.point.is_multiple_of(2).to_string()),
            "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64"
            | "i128" | "isize" => Some(format!("({} as {name})", INTEGERS[self.point])),
            "Vec" => Some(format!("vec![{}]", self.list(argument?, 4, depth)?)),
            "Option" => Some(format!("Some({})", self.value(argument?, depth + 1)?)),
            "Box" => Some(format!("Box::new({})", self.value(argument?, depth + 1)?)),
            "Self" => {
                let own = self.function.self_ty.as_ref()?;
                self.value(own, depth + 1)
            }
            _ => {
                if let Some(alias) = self.found.aliases.get(&name) {
                    return self.value(&alias.clone(), depth + 1);
                }
                let mut types = self.found.types.iter().filter(|ty| ty.name == name);
                let (Some(ty), None) = (types.next(), types.next()) else {
                    return None;
                };
                let plain = ty.generics.is_empty() && !ty.is_enum && last.arguments.is_empty();
                if !plain {
                    return None;
                }
                let fields: Option<Vec<String>> = ty
                    .fields
                    .iter()
                    .zip(&ty.names)
                    .map(|((_, field), name)| {
                        Some(format!("{name}: {}", self.value(field, depth + 1)?))
                    })
                    .collect();
                Some(format!(
                    "{} {{ {} }}",
                    path.to_token_stream(),
                    fields?.join(", ")
                ))
            }
        }
    }
}

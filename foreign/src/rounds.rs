//! A crate is annotated, compiled, and what has errors loses its attribute, until it compiles.
//!
//! In: a crate. Out: [`Done`], a verdict for each function. The first error decides: rustc doesn't look at types before all names are
//! found, nor at borrows before all types are right, so that errors come in rounds.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::time::Instant;

use crate::annotate::{self, Plan};
use crate::judge::{Class, class, reason};
use crate::kinds::Known;
use crate::rustc::{Error, cargo};
use crate::sources::{self, Copy, Folders, Pinned};
use crate::subjects::Found;

/// A crate that ends in this many rounds no sooner has something of its own.
const ROUNDS: usize = 40;

/// What came of a function that is not accepted.
#[derive(Clone)]
pub(crate) struct Fall {
    pub(crate) class: Class,
    pub(crate) reason: String,
    pub(crate) rendered: String,
}

/// What came of a crate.
pub(crate) struct Done {
    pub(crate) copy: Copy,
    pub(crate) found: Found,
    /// What compiles.
    pub(crate) plan: Plan,
    pub(crate) fallen: BTreeMap<usize, Fall>,
    pub(crate) types: BTreeMap<String, Fall>,
    pub(crate) checks: crate::tester::Checks,
}

const CHECK: [&str; 3] = ["check", "--lib", "-j1"];

/// The crate's verdicts. An error, if rounds are to be done after `end`.
pub(crate) fn run(folders: &Folders, pinned: &Pinned, end: Option<Instant>) -> io::Result<Done> {
    let copy = sources::copy(folders, pinned)?;
    let (fine, errors) = cargo(folders, &copy, &CHECK)?;
    if !fine {
        let first = errors.first().map_or("", |error| &error.rendered);
        return Err(io::Error::other(format!(
            "doesn't compile as it is: {first}"
        )));
    }
    let found = Found::of(&copy.files);
    let compiled = compiled(folders, &copy, &found)?;
    let mut plan = Plan::default();
    let mut fallen = BTreeMap::new();
    let mut types = BTreeMap::new();
    let candidates: Vec<usize> = compiled.into_iter().collect();
    let choose =
        |plan: &mut Plan, fallen: &mut BTreeMap<usize, Fall>, types: &BTreeMap<String, Fall>| {
            let known = Known::new(&found, &plan.refused);
            let before = std::mem::take(&mut plan.functions);
            for number in &candidates {
                if fallen.contains_key(number) {
                    continue;
                }
                match known.parameters(&found.functions[*number]) {
                    Some(kinds) => {
                        plan.functions.insert(*number, kinds);
                    }
                    None if before.contains_key(number) => {
                        let cause = types.values().last().cloned();
                        fallen.extend(cause.map(|fall| (*number, fall)));
                    }
                    None => {}
                }
            }
        };
    choose(&mut plan, &mut fallen, &types);
    for round in 0.. {
        copy.write(&annotate::annotated(&copy.files, &found, &plan))?;
        let (fine, errors) = cargo(folders, &copy, &CHECK)?;
        eprintln!(
            "  round {round}: {} functions, {} errors",
            plan.functions.len(),
            errors.len()
        );
        if fine {
            break;
        }
        if end.is_some_and(|end| end < Instant::now()) {
            return Err(io::Error::other("given up: it takes too long"));
        }
        let (hit, derived) = blame(&found, &plan, &errors);
        if round == ROUNDS || hit.is_empty() && derived.is_empty() {
            let first = errors.first().map_or("", |error| &error.rendered);
            return Err(io::Error::other(format!("nobody's error: {first}")));
        }
        if derived.is_empty() {
            // Rustc's own words may come from what another function, which falls, has left behind.
            let told = hit.values().any(|fall| fall.class != Class::Rustc);
            for (number, fall) in hit {
                if told && fall.class == Class::Rustc {
                    continue;
                }
                plan.functions.remove(&number);
                fallen.insert(number, fall);
            }
        } else {
            plan.refused.extend(derived.keys().cloned());
            types.extend(derived);
            choose(&mut plan, &mut fallen, &types);
        }
    }
    Ok(Done {
        copy,
        found,
        plan,
        fallen,
        types,
        checks: crate::tester::Checks::default(),
    })
}

/// The functions that rustc sees: others are configured away.
fn compiled(folders: &Folders, copy: &Copy, found: &Found) -> io::Result<BTreeSet<usize>> {
    copy.write(&annotate::probes(&copy.files, found))?;
    let (_, errors) = cargo(folders, copy, &CHECK)?;
    Ok(errors
        .iter()
        .filter_map(|error| error.message.strip_prefix("subject ")?.parse().ok())
        .collect())
}

/// Whose errors these are.
pub(crate) fn blame(
    found: &Found,
    plan: &Plan,
    errors: &[Error],
) -> (BTreeMap<usize, Fall>, BTreeMap<String, Fall>) {
    let mut hit: BTreeMap<usize, Fall> = BTreeMap::new();
    let mut derived: BTreeMap<String, Fall> = BTreeMap::new();
    let known = Known::new(found, &plan.refused);
    for error in errors {
        let fall = Fall {
            class: class(error),
            reason: reason(error),
            rendered: error.rendered.clone(),
        };
        let culprit = error.places.iter().find_map(|(file, line)| {
            let ty = found.types.iter().find(|ty| {
                known.is_derived(&ty.name) && ty.at.file == *file && ty.at.lines.contains(line)
            });
            if let Some(ty) = ty {
                return Some(Err(ty.name.clone()));
            }
            let inside = plan.functions.keys().filter(|number| {
                let at = &found.functions[**number].at;
                at.file == *file && at.lines.contains(line)
            });
            inside
                .min_by_key(|number| found.functions[**number].at.lines.clone().count())
                .map(|number| Ok(*number))
        });
        match culprit {
            Some(Ok(number)) => {
                let kept = hit.entry(number).or_insert_with(|| fall.clone());
                if fall.class < kept.class {
                    *kept = fall;
                }
            }
            Some(Err(name)) => {
                derived.entry(name).or_insert(fall);
            }
            None => eprintln!("  nobody's: {}", error.rendered),
        }
    }
    (hit, derived)
}

//! Finds out which functions of a module call which, by name: those that call each other need pullbacks that are boxed.
//!
//! In: where an attribute stands. Out: [`Calls`]. A call is a name before a parenthesis, alone, or behind a dot or `Self::`. Functions of a module
//! that share a name count as one, so that a cycle may be seen where there is none; then a pullback is boxed that need not be.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::scan;
use super::source::{Site, Source};
use super::tokens::bare;

/// The calls of a file's functions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calls(Arc<HashMap<String, HashSet<String>>>);

impl Calls {
    /// True if `from` calls `to`, itself or by others.
    pub(crate) fn reach(&self, from: &str, to: &str) -> bool {
        let (mut open, mut seen) = (vec![from], HashSet::from([from]));
        while let Some(name) = open.pop() {
            let Some(called) = self.0.get(name) else {
                continue;
            };
            if called.contains(to) {
                return true;
            }
            let names = called.iter().map(String::as_str);
            open.extend(names.filter(|name| seen.insert(name)));
        }
        false
    }
}

/// The calls in the module in which the attribute at `site` stands.
pub(crate) fn calls(site: Option<&Site>) -> Calls {
    let found = || {
        let (source, at) = site?.located()?;
        let all = source.calls.get_or_init(|| all(&source));
        all.get(&module_at(&source, at)).cloned()
    };
    found().unwrap_or_default()
}

/// The calls of each module of a file, by where its brace is opened.
pub(super) fn all(source: &Source) -> HashMap<Option<usize>, Calls> {
    let mut modules: HashMap<Option<usize>, HashMap<String, HashSet<String>>> = HashMap::new();
    for function in source.functions() {
        let Some((open, close)) = function.braces else {
            continue;
        };
        let of = modules.entry(module_at(source, open)).or_default();
        let called = scan::called(&source.text[open..close]).map(|name| bare(name).to_owned());
        of.entry(function.name.clone()).or_default().extend(called);
    }
    let modules = modules.into_iter().map(|(module, mut calls)| {
        let names: HashSet<String> = calls.keys().cloned().collect();
        for called in calls.values_mut() {
            called.retain(|name| names.contains(name));
        }
        (module, Calls(Arc::new(calls)))
    });
    modules.collect()
}

/// Where the module around a position is opened.
fn module_at(source: &Source, at: usize) -> Option<usize> {
    let module = source.around(at).find(|block| block.keyword == "mod");
    module.and_then(|block| Some(block.braces?.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_found() {
        let text = "fn a(x: f64) -> f64 { b(x) } impl S { fn b(&self) -> f64 { self.c(1) + x::d() } fn c(y: S) -> f64 { Self::a (2) + y.b() } fn d() {} } \
             fn e() { m::a() } // d()\n mod m { fn a() { e() } }";
        let source = Source::of(text);
        let all = all(&source);
        let calls = &all[&None];
        assert!(calls.reach("b", "a") && calls.reach("a", "c") && calls.reach("a", "a"));
        assert!(!calls.reach("a", "d") && !calls.reach("e", "a") && !calls.reach("x", "a"));
    }
}

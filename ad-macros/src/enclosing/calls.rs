//! Which functions of a module call which, by name: those that call each other need pullbacks that are boxed.
//!
//! In: where an attribute stands. Out: [`Calls`]. A call is a name before a parenthesis, alone, or behind a dot or `Self::`. Functions of a module
//! that share a name count as one, so that a cycle may be seen where there is none; then a pullback is boxed that need not be.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::siblings::is_module;
use super::{Site, Source, scan, source};

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
            open.extend(
                called
                    .iter()
                    .map(String::as_str)
                    .filter(|name| seen.insert(name)),
            );
        }
        false
    }
}

/// The calls in the module in which the attribute at `site` stands.
pub(crate) fn calls(site: Option<&Site>) -> Calls {
    let found = || {
        let site = site?;
        let source = source(&site.file)?;
        let at = source.offset(site)?;
        let module = source.around(at).find(|block| is_mod(block));
        let all = source.calls.get_or_init(|| all(&source));
        all.get(&module.map(|block| block.open)).cloned()
    };
    found().unwrap_or_default()
}

/// The calls of each module of a file, by where its brace is opened.
pub(super) fn all(source: &Source) -> HashMap<Option<usize>, Calls> {
    let mut modules: HashMap<Option<usize>, HashMap<String, HashSet<String>>> = HashMap::new();
    for block in &source.items.blocks {
        let Some((_, rest)) = block.header.split_once("fn ") else {
            continue;
        };
        let rest = rest.trim_start();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        let name = &rest[..end.unwrap_or(rest.len())];
        let module = source.around(block.open).find(|block| is_mod(block));
        let of = modules.entry(module.map(|module| module.open)).or_default();
        let called = scan::called(&source.text[block.open..block.close]);
        of.entry(name.to_owned())
            .or_default()
            .extend(called.map(ToOwned::to_owned));
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

fn is_mod(block: &scan::Block) -> bool {
    block.header.contains("mod ") && is_module(&block.header)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_found() {
        let text = "fn a(x: f64) -> f64 { b(x) } impl S { fn b(&self) -> f64 { self.c(1) + x::d() } fn c(y: S) -> f64 { Self::a (2) + y.b() } fn d() {} } \
             fn e() { m::a() } // d()\n mod m { fn a() { e() } }";
        let source = Source::new(std::path::Path::new(""), (None, 0), text.to_owned());
        let all = all(&source);
        let calls = &all[&None];
        assert!(calls.reach("b", "a") && calls.reach("a", "c") && calls.reach("a", "a"));
        assert!(!calls.reach("a", "d") && !calls.reach("e", "a") && !calls.reach("x", "a"));
    }
}

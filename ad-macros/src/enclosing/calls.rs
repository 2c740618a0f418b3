//! Which functions of a file call which, by name: those that call each other need pullbacks that are boxed.
//!
//! In: the file of an attribute. Out: [`Calls`]. A call is a name before a parenthesis, alone, or behind a dot or `Self::`. Functions that share a name
//! count as one, so that a cycle may be seen where there is none; then a pullback is boxed that need not be.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{Site, Source, scan, source};

/// The calls of a file's functions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calls(Arc<HashMap<String, HashSet<String>>>);

impl Calls {
    /// Whether `from` calls `to`, itself or by others.
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

/// The calls in the file of the attribute at `site`.
pub(crate) fn calls(site: Option<&Site>) -> Calls {
    let source = site.and_then(|site| source(&site.file));
    source.map_or_else(Calls::default, |source| {
        source.calls.get_or_init(|| all(&source)).clone()
    })
}

fn all(source: &Source) -> Calls {
    let mut calls: HashMap<String, HashSet<String>> = HashMap::new();
    for block in &source.items.blocks {
        let Some((_, rest)) = block.header.split_once("fn ") else {
            continue;
        };
        let rest = rest.trim_start();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        let body = &source.text[block.open..block.close];
        let of = calls.entry(rest[..end.unwrap_or(rest.len())].to_owned());
        of.or_default()
            .extend(scan::called(body).map(ToOwned::to_owned));
    }
    let names: HashSet<String> = calls.keys().cloned().collect();
    for called in calls.values_mut() {
        called.retain(|name| names.contains(name));
    }
    Calls(Arc::new(calls))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_are_found() {
        let text = "fn a(x: f64) -> f64 { b(x) } impl S { fn b(&self) -> f64 { self.c(1) + x::d() } fn c(y: S) -> f64 { Self::a (2) + y.b() } fn d() {} } \
             fn e() { m::a() } // d()";
        let source = Source {
            path: std::path::PathBuf::new(),
            modified: None,
            items: scan::items(text),
            own_macros: HashSet::new(),
            text: text.to_owned(),
            calls: std::sync::OnceLock::new(),
        };
        let calls = all(&source);
        assert!(calls.reach("b", "a") && calls.reach("a", "c") && calls.reach("a", "a"));
        assert!(!calls.reach("a", "d") && !calls.reach("e", "a") && !calls.reach("x", "a"));
    }
}

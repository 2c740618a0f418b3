//! What an error means for the function it is in.

use crate::rustc::Error;

/// What became of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// A panic of the macro, or a bug that it reports.
    Panic,
    /// A message of chainrule's.
    Refused,
    /// A function is called that has no rules.
    Callee,
    /// An error in rustc's own words.
    Rustc,
}

/// The messages by which the runtime's traits say that something isn't there; what stands between braces may be anything.
const RUNTIME: [&str; 11] = [
    include_str!("../../ad-runtime/src/probe/clone.rs"),
    include_str!("../../ad-runtime/src/probe/fallback.rs"),
    include_str!("../../ad-runtime/src/probe/listed.rs"),
    include_str!("../../ad-runtime/src/ops/mod.rs"),
    include_str!("../../ad-runtime/src/ops/cast.rs"),
    include_str!("../../ad-runtime/src/mode/lending.rs"),
    include_str!("../../ad-runtime/src/mode/function.rs"),
    include_str!("../../ad-runtime/src/index.rs"),
    include_str!("../../ad-runtime/src/differentiable.rs"),
    include_str!("../../ad-runtime/src/nested.rs"),
    include_str!("../../ad-runtime/src/scalar.rs"),
];

pub(crate) fn class(error: &Error) -> Class {
    let message = &error.message;
    if message.contains("panicked") || message.starts_with("a bug in chainrule") {
        return Class::Panic;
    }
    let no_rules = ["has no derivative rule", "have no derivative rule"];
    if no_rules.iter().any(|words| message.contains(words))
        || message.starts_with("no derivative rule for")
    {
        return Class::Callee;
    }
    if error.code.is_none() && message.contains("\nhelp: ") {
        return Class::Refused;
    }
    if is_the_runtimes(message) {
        return Class::Refused;
    }
    let function = error.rendered.contains("found function")
        || error.rendered.contains("is not a crate or module");
    let missing = message.contains("cannot find module or crate")
        || message.starts_with("cannot find") && function;
    let rule = message.contains("`__")
        && (message.contains("associated item named")
            || message.contains("no method named")
            || message.contains("cannot find"));
    if error.code.as_deref() == Some("E0433") && missing || rule {
        return Class::Callee;
    }
    Class::Rustc
}

fn is_the_runtimes(message: &str) -> bool {
    let texts = RUNTIME
        .iter()
        .flat_map(|source| source.split("message = \"").skip(1));
    texts
        .filter_map(|rest| rest.split('"').next())
        .any(|pattern| {
            let mut rest = message;
            let mut parts = pattern
                .split('{')
                .map(|part| part.split_once('}').map_or(part, |(_, after)| after));
            parts.all(|part| match rest.find(part) {
                Some(at) => {
                    rest = &rest[at + part.len()..];
                    true
                }
                None => false,
            })
        })
}

/// The message without what is the user's own.
pub(crate) fn reason(error: &Error) -> String {
    let first = error.message.lines().next().unwrap_or_default();
    let mut reason = error
        .code
        .as_ref()
        .map_or_else(String::new, |code| format!("{code}: "));
    for (k, part) in first.split('`').enumerate() {
        reason.push_str(if k % 2 == 0 { part } else { "`..`" });
    }
    reason.replace('|', "\\|")
}

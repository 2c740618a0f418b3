//! Other people's functions go through the compiler: every function with floating point of the sources that cargo has fetched.
//!
//! The test checks that there is no panic and no endless loop, and that every refusal has a place inside of the function and says
//! a replacement. It doesn't run rustc, so that it can't say whether accepted functions compile.
//!
//! ```text
//! cargo test -p ad-macros --lib registry -- --nocapture           # what cargo has fetched, as much as fits into the time
//! REGISTRY_SECONDS=3600 REGISTRY_REPORT=report.md cargo test ...  # all of it, and a report
//! ```

use crate::enclosing::has_word;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::visit::Visit;

/// A function that takes longer has no end, as far as a user is concerned.
const ENDLESS: Duration = Duration::from_secs(60);
/// How long the whole may take, unless the environment says otherwise.
const SECONDS: u64 = 5;
/// Recursive descents of deeply nested expressions.
const STACK: usize = 256 << 20;

/// The outcome for a function.
enum Verdict {
    Accepted { tokens: usize },
    Refused(Vec<Refusal>),
    Panicked(String),
    Endless,
}

/// One error.
struct Refusal {
    message: String,
    located: bool,
}

impl Refusal {
    /// A bug of the compiler is an error, too.
    fn is_a_bug(&self) -> bool {
        self.message.starts_with("a bug in chainrule")
    }
}

/// A function, as an item that can bear the attribute.
struct Subject {
    name: String,
    item: String,
}

/// The functions with floating point of a file.
#[derive(Default)]
struct Found {
    file: String,
    subjects: Vec<Subject>,
}

impl Found {
    fn keep(&mut self, sig: &syn::Signature, item: &TokenStream) {
        let plain = !matches!(sig.safety, syn::Safety::Unsafe(_))
            && sig.asyncness.is_none()
            && sig.abi.is_none();
        if plain && mentions_floats(item.clone()) {
            self.subjects.push(Subject {
                name: format!("{}: {}", self.file, sig.ident),
                item: item.to_string(),
            });
        }
    }
}

impl<'ast> Visit<'ast> for Found {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        let mut bare = item.clone();
        bare.attrs.clear();
        self.keep(&item.sig, &bare.to_token_stream());
        syn::visit::visit_item_fn(self, item);
    }

    fn visit_item_impl(&mut self, block: &'ast syn::ItemImpl) {
        for item in &block.items {
            if let (syn::ImplItem::Fn(method), None) = (item, &block.trait_) {
                let mut method = method.clone();
                method.attrs.clear();
                let (generics, _, clause) = block.generics.split_for_impl();
                let self_ty = &block.self_ty;
                let alone = quote!(impl #generics #self_ty #clause { #method });
                self.keep(&method.sig, &alone);
            }
        }
        syn::visit::visit_item_impl(self, block);
    }
}

fn mentions_floats(tokens: TokenStream) -> bool {
    has_word(tokens, &|word| word == "f64" || word == "f32")
}

/// The attribute on a function; its output is searched for errors.
fn verdict(item: &str) -> Verdict {
    let compiled = catch_unwind(AssertUnwindSafe(|| {
        let item: TokenStream = item.parse().expect("it was parsed before");
        crate::entry::differentiable(TokenStream::new(), &item, None)
    }));
    match compiled {
        Ok(tokens) => {
            let mut refusals = Vec::new();
            errors(tokens.clone(), &mut refusals);
            if refusals.is_empty() {
                Verdict::Accepted {
                    tokens: count(tokens),
                }
            } else {
                Verdict::Refused(refusals)
            }
        }
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
            Verdict::Panicked(text.unwrap_or_default())
        }
    }
}

fn count(tokens: TokenStream) -> usize {
    tokens
        .into_iter()
        .map(|tree| match tree {
            TokenTree::Group(group) => 1 + count(group.stream()),
            _ => 1,
        })
        .sum()
}

/// The messages of all `compile_error!`s, and whether they have a place in the source.
fn errors(tokens: TokenStream, found: &mut Vec<Refusal>) {
    let mut named = None;
    for tree in tokens {
        match tree {
            TokenTree::Ident(ident) if ident == "compile_error" => named = Some(ident.span()),
            TokenTree::Punct(punct) if punct.as_char() == '!' => {}
            TokenTree::Group(group) => {
                if let Some(span) = named.take()
                    && let Ok(text) = syn::parse2::<syn::LitStr>(group.stream())
                {
                    found.push(Refusal {
                        message: text.value(),
                        located: is_in_source(span),
                    });
                } else {
                    errors(group.stream(), found);
                }
            }
            _ => named = None,
        }
    }
}

/// Outside of a compiler's run generated tokens stand at the very beginning.
fn is_in_source(span: Span) -> bool {
    let (start, end) = (span.start(), span.end());
    (start.line, start.column) != (end.line, end.column)
}

/// The message without the user's own names.
fn kind(message: &str) -> String {
    let mut kind = String::new();
    for (k, part) in message
        .lines()
        .next()
        .unwrap_or_default()
        .split('`')
        .enumerate()
    {
        kind.push_str(if k % 2 == 0 { part } else { "`..`" });
    }
    kind
}

/// All files with Rust in a folder.
pub(crate) fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// Where cargo keeps the sources of dependencies.
fn registry() -> Option<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))?;
    Some(home.join("registry").join("src"))
}

/// Verdicts, one for each item that is sent; a function that doesn't end takes its thread with it.
struct Worker {
    items: mpsc::Sender<String>,
    verdicts: mpsc::Receiver<Verdict>,
}

impl Worker {
    fn start() -> Worker {
        let (items, received) = mpsc::channel::<String>();
        let (send, verdicts) = mpsc::channel();
        std::thread::Builder::new()
            .stack_size(STACK)
            .spawn(move || {
                for item in received {
                    if send.send(verdict(&item)).is_err() {
                        break;
                    }
                }
            })
            .expect("a thread");
        Worker { items, verdicts }
    }

    fn judge(&mut self, item: &str) -> Verdict {
        self.items.send(item.to_string()).expect("the worker waits");
        self.verdicts.recv_timeout(ENDLESS).unwrap_or_else(|_| {
            *self = Worker::start();
            Verdict::Endless
        })
    }
}

#[derive(Default)]
struct Tally {
    accepted: usize,
    refused: usize,
    reasons: BTreeMap<String, (usize, String)>,
    failures: Vec<String>,
    slowest: Vec<(Duration, usize, String)>,
}

impl Tally {
    fn add(&mut self, subject: &Subject, verdict: Verdict, took: Duration) {
        let name = &subject.name;
        match verdict {
            Verdict::Accepted { tokens } => {
                self.accepted += 1;
                self.slowest.push((took, tokens, name.clone()));
                self.slowest.sort_by(|a, b| b.cmp(a));
                self.slowest.truncate(10);
            }
            Verdict::Refused(refusals) if refusals.iter().any(Refusal::is_a_bug) => {
                let bug = refusals.iter().find(|refusal| refusal.is_a_bug());
                let text = bug.map_or("", |bug| &bug.message);
                self.failures
                    .push(format!("{name}: {text}\n{}", subject.item));
            }
            Verdict::Refused(refusals) => {
                self.refused += 1;
                let first = kind(&refusals[0].message);
                self.reasons.entry(first).or_insert((0, name.clone())).0 += 1;
                for refusal in refusals {
                    if !refusal.message.contains("help: ") {
                        self.failures
                            .push(format!("{name}: no hint in {:?}", refusal.message));
                    }
                    if !refusal.located {
                        self.failures
                            .push(format!("{name}: no place of {:?}", refusal.message));
                    }
                }
            }
            Verdict::Panicked(text) => self
                .failures
                .push(format!("{name}: panic: {text}\n{}", subject.item)),
            Verdict::Endless => self
                .failures
                .push(format!("{name}: no end\n{}", subject.item)),
        }
    }

    fn report(&self, left: usize) -> String {
        let all = self.accepted + self.refused;
        let mut text = format!(
            "{all} functions with floating point: {} accepted, {} refused, {} failures; {left} files left for want of time\n\n",
            self.accepted,
            self.refused,
            self.failures.len()
        );
        let mut reasons: Vec<_> = self.reasons.iter().collect();
        reasons.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
        text.push_str("| functions | reason | first seen in |\n|---|---|---|\n");
        for (reason, (count, name)) in reasons {
            let _ = writeln!(text, "| {count} | {reason} | {name} |");
        }
        text.push_str("\n| milliseconds | tokens | the slowest |\n|---|---|---|\n");
        for (took, tokens, name) in &self.slowest {
            let _ = writeln!(text, "| {} | {tokens} | {name} |", took.as_millis());
        }
        text.push_str("\nFailures:\n");
        for failure in &self.failures {
            let _ = writeln!(text, "- {failure}");
        }
        text
    }
}

#[test]
fn every_function_of_the_registry() {
    let mut files = Vec::new();
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for folder in ["examples", "gradbench"] {
        sources(&here.join(folder), &mut files);
    }
    if let Some(registry) = registry() {
        sources(&registry, &mut files);
    }
    let seconds = std::env::var("REGISTRY_SECONDS").ok();
    let seconds = seconds
        .and_then(|text| text.parse().ok())
        .unwrap_or(SECONDS);
    let deadline = Instant::now() + Duration::from_secs(seconds);
    // Panics are part of the report.
    std::panic::set_hook(Box::new(|_| {}));
    let (mut worker, mut tally) = (Worker::start(), Tally::default());
    let mut left = files.len();
    for file in &files {
        if Instant::now() > deadline {
            break;
        }
        left -= 1;
        let Some(parsed) = std::fs::read_to_string(file)
            .ok()
            .filter(|text| text.contains("f64") || text.contains("f32"))
            .and_then(|text| syn::parse_file(&text).ok())
        else {
            continue;
        };
        let name = file.components().rev().take(3).collect::<Vec<_>>();
        let name = name
            .iter()
            .rev()
            .map(|part| part.as_os_str().to_string_lossy());
        let mut found = Found {
            file: name.collect::<Vec<_>>().join("/"),
            subjects: Vec::new(),
        };
        found.visit_file(&parsed);
        for subject in &found.subjects {
            let start = Instant::now();
            let verdict = worker.judge(&subject.item);
            tally.add(subject, verdict, start.elapsed());
        }
    }
    let _ = std::panic::take_hook();
    let report = tally.report(left);
    if let Some(path) = std::env::var_os("REGISTRY_REPORT") {
        std::fs::write(path, &report).expect("the report can be written");
    }
    println!("{report}");
    assert!(tally.accepted > 0, "no function was found");
    assert!(tally.failures.is_empty(), "{report}");
}

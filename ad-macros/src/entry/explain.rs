//! `#[differentiable(explain)]` adds `f::explain()`, which describes the work that the gradient of a function adds to the function itself.
//! `CHAINRULE_EXPLAIN=f cargo check` prints the same text.
//!
//! In: the primal and the rule that its gradient runs, as IR. Out: a text. For each loop of the primal it tells whether both halves are in one
//! loop, and else the residuals of a trip; for each call, the callee's rule that runs and the values that are kept; and the places with types that
//! only rustc can resolve. All of that is read from the rule: loops, calls and tapes are operations, and an operation that a transform made has the
//! span of its origin.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use proc_macro2::{Span, TokenStream};
use quote::quote;

use crate::ir::{
    ApplyPullback, Arg, Call, Callee, CombinedCall, Const, Func, Op, OpKind, Region, Rule, Set,
    Slot, SlotKind, Ty, Value,
};

const HALVES: &str = "a forward and a reverse half";

/// A line and a column.
type Position = (usize, usize);

/// The function that returns the text.
pub(crate) fn item(
    name: &syn::Ident,
    vis: &syn::Visibility,
    primal: &Func,
    rule: &Func,
) -> TokenStream {
    let title = primal.name.to_string();
    let doc = format!(
        " What the gradient of `{title}` does beside `{title}` itself: what its loops store, which rules it calls, which types only rustc knows."
    );
    let text = report(primal, rule, &position);
    quote! {
        #[doc = #doc]
        #vis fn #name() -> &'static ::core::primitive::str {
            #text
        }
    }
}

/// The variable of the environment with the names of functions to describe, `logp` or `Model::logp`, separated by commas.
const ASKED: &str = "CHAINRULE_EXPLAIN";

/// Prints the text about a function, or a method of a type, if the environment asks for it.
pub(crate) fn print_if_asked(of: Option<&syn::Type>, primal: &Func, rule: &dyn Fn() -> Func) {
    let Ok(asked) = std::env::var(ASKED) else {
        return;
    };
    if is_asked_for(&asked, of, &primal.name) {
        eprintln!("{}", report(primal, &rule(), &position));
    }
}

/// True if a function is among those that are asked for.
fn is_asked_for(asked: &str, of: Option<&syn::Type>, name: &syn::Ident) -> bool {
    let own = of.map(|of| quote!(#of::#name).to_string().replace(' ', ""));
    let mut asked = asked.split(',').map(str::trim);
    asked.any(|asked| *name == asked || own.as_deref() == Some(asked))
}

/// An item that has the crate compiled again when other functions are asked for. The first expansion in a crate has it.
pub(crate) fn dependency() -> Option<TokenStream> {
    static DONE: AtomicBool = AtomicBool::new(cfg!(test));
    (!DONE.swap(true, Ordering::Relaxed)).then(|| {
        quote!(
            const _: ::core::option::Option<&::core::primitive::str> = ::core::option_env!(#ASKED);
        )
    })
}

/// The position of a span in its file.
#[cfg(not(test))]
fn position(span: Span) -> Position {
    let span = span.unwrap();
    (span.line(), span.column())
}

#[cfg(test)]
fn position(span: Span) -> Position {
    (span.start().line, span.start().column)
}

fn report(primal: &Func, rule: &Func, at: &dyn Fn(Span) -> Position) -> String {
    let report = Report {
        primal,
        rule,
        at,
        runs: runs(rule),
    };
    let mut out = String::new();
    // Writing to a string doesn't fail.
    let _ = report.write(&mut out);
    out
}

/// The parts of tapes that the forward half of a loop writes by position.
fn runs(rule: &Func) -> Set<Slot> {
    let mut runs = Set::default();
    each_op(rule, &mut |op| {
        if let OpKind::Run {
            run, again: false, ..
        } = op.kind
        {
            runs.insert(run);
        }
    });
    runs
}

/// The operations of both halves.
fn each_op<'a>(rule: &'a Func, f: &mut dyn FnMut(&'a Op)) {
    rule.body.walk(f);
    if let Some(pullback) = &rule.pullback {
        pullback.body.walk(f);
    }
}

/// The loops that one loop of the source has become.
#[derive(Default)]
struct Halves<'a> {
    /// In the primal.
    loops: usize,
    /// In the rule.
    bodies: Vec<&'a Region>,
}

struct Report<'a> {
    primal: &'a Func,
    rule: &'a Func,
    at: &'a dyn Fn(Span) -> Position,
    runs: Set<Slot>,
}

impl<'a> Report<'a> {
    fn write(&self, out: &mut String) -> fmt::Result {
        self.parameters(out)?;
        section(out, "Loops", &self.loops()?)?;
        section(out, "Calls", &self.calls())?;
        section(out, "Memory that is copied, to be put back", &self.copies())?;
        section(out, "Types that only rustc knows", &self.deferred())?;
        write!(
            out,
            "\nThe function as it is differentiated\n\n{}",
            self.primal
        )?;
        write!(out, "\nIts gradient, before emission\n\n{}", self.rule)
    }

    fn parameters(&self, out: &mut String) -> fmt::Result {
        let names = |constant: bool| {
            let params = self.primal.params.iter().filter(|p| p.constant == constant);
            let names: Vec<String> = params.map(|p| format!("`{}`", p.ident)).collect();
            names.join(", ")
        };
        write!(
            out,
            "`{}`, differentiated by {}",
            self.primal.name,
            names(false)
        )?;
        let constant = names(true);
        if !constant.is_empty() {
            write!(out, "; constant: {constant}")?;
        }
        out.push('\n');
        Ok(())
    }

    fn line(&self, span: Span) -> usize {
        (self.at)(span).0
    }

    fn loops(&self) -> Result<Vec<String>, fmt::Error> {
        let mut halves: BTreeMap<Position, Halves<'a>> = BTreeMap::new();
        self.primal.body.walk(&mut |op| {
            if op.repeats() {
                halves.entry((self.at)(op.span)).or_default().loops += 1;
            }
        });
        each_op(self.rule, &mut |op| {
            if op.repeats()
                && let Some(halves) = halves.get_mut(&(self.at)(op.span))
            {
                halves.bodies.extend(op.regions());
            }
        });
        let mut lines = Vec::new();
        self.loops_in(&self.primal.body, 0, &mut halves, &mut lines)?;
        Ok(lines)
    }

    /// The loops in this order, inner ones indented.
    fn loops_in(
        &self,
        region: &Region,
        depth: usize,
        halves: &mut BTreeMap<Position, Halves<'a>>,
        lines: &mut Vec<String>,
    ) -> fmt::Result {
        for op in &region.ops {
            let repeats = op.repeats();
            if repeats && let Some(halves) = halves.remove(&(self.at)(op.span)) {
                let mut line = "  ".repeat(depth);
                write!(line, "line {}, ", self.line(op.span))?;
                match &op.kind {
                    OpKind::For { body, .. } => {
                        write!(line, "over `{}`", self.primal.value(body.params[0]).name)?;
                    }
                    _ => line.push_str("`loop` or `while`"),
                }
                let told = self.loop_of(&halves)?;
                match &op.kind {
                    OpKind::For { range, .. }
                        if range.checkpoints().is_some() && told.starts_with(HALVES) =>
                    {
                        write!(line, ": {HALVES}; states are stored, by `#[checkpoint]`")?;
                    }
                    _ => write!(line, ": {told}")?,
                }
                lines.push(line);
            }
            for inner in op.regions() {
                self.loops_in(inner, depth + usize::from(repeats), halves, lines)?;
            }
        }
        Ok(())
    }

    fn loop_of(&self, halves: &Halves<'_>) -> Result<String, fmt::Error> {
        if halves.bodies.is_empty() {
            return Ok("not needed".into());
        }
        let stored: Vec<String> = (halves.bodies.iter())
            .map(|body| self.stored(body))
            .filter(|stored| !stored.is_empty())
            .collect();
        let mut text = String::new();
        text.push_str(match halves.bodies.len().cmp(&(halves.loops + 1)) {
            std::cmp::Ordering::Less => "one loop for everything",
            _ => HALVES,
        });
        if stored.is_empty() {
            text.push_str(", nothing is stored");
        } else {
            write!(text, "; a trip stores {}", stored.join(", "))?;
        }
        Ok(text)
    }

    /// The values that one trip stores, without those of inner loops.
    fn stored(&self, body: &Region) -> String {
        let mut values: Vec<Value> = Vec::new();
        let mut lists: Vec<Slot> = Vec::new();
        self.stores(body, &mut values, &mut lists);
        let sizes: Vec<Option<usize>> = values.iter().map(|v| bytes(self.rule.ty(*v))).collect();
        let names = values.iter().map(|v| {
            let data = self.rule.value(*v);
            match &data.ty {
                Ty::Rule => "what a call keeps".to_owned(),
                Ty::Bool => "which way it went: bool".to_owned(),
                ty => format!("`{}`: {ty}", data.name),
            }
        });
        let lists = lists.iter().map(|slot| {
            let data = self.rule.slot(*slot);
            format!("`{}`: {}", data.name, data.ty)
        });
        let names: Vec<String> = names.chain(lists).collect();
        let total: usize = sizes.iter().flatten().sum();
        match (
            names.is_empty(),
            sizes.iter().all(Option::is_some) && sizes.len() == names.len(),
        ) {
            (true, _) => String::new(),
            (false, true) => format!("{total} bytes ({})", names.join(", ")),
            (false, false) => names.join(", "),
        }
    }

    fn stores(&self, region: &Region, values: &mut Vec<Value>, lists: &mut Vec<Slot>) {
        for op in &region.ops {
            match &op.kind {
                OpKind::Push(_, entry) => values.extend(entry),
                OpKind::Store(place, value) if self.runs.contains(&place.root) => {
                    values.push(*value);
                }
                OpKind::PushSlot(_, slot) => lists.push(*slot),
                _ => {}
            }
            if !op.repeats() {
                for inner in op.regions() {
                    self.stores(inner, values, lists);
                }
            }
        }
    }

    fn calls(&self) -> Vec<String> {
        let mut found: BTreeMap<Position, String> = BTreeMap::new();
        each_op(self.rule, &mut |op| {
            let (callee, what) = match &op.kind {
                OpKind::Call(call) => match call_of(call) {
                    Some(what) => (&call.callee, what),
                    None => return,
                },
                OpKind::Combined(call) => {
                    let CombinedCall { callee, .. } = &**call;
                    (callee, "value and derivative at once, nothing is kept")
                }
                OpKind::ApplyPullback(call) => {
                    let ApplyPullback { callee, .. } = &**call;
                    (
                        callee,
                        "its pullback is kept, and called in the reverse half",
                    )
                }
                _ => return,
            };
            let name = match callee {
                Callee::Path { path, .. } => {
                    let path = quote!(#path).to_string();
                    path.replace(' ', "")
                }
                Callee::Method { name, .. } => name.to_string(),
                Callee::Function(slot) => self.rule.slot(*slot).name.clone(),
                // Where these are, is said of their operands' types.
                Callee::Operator(_) | Callee::Unary { .. } | Callee::Cast => return,
            };
            let line = self.line(op.span);
            found.insert((self.at)(op.span), format!("line {line}, `{name}`: {what}"));
        });
        found.into_values().collect()
    }

    /// Lines about copies of memory that the caller passed by `&mut`.
    fn copies(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        each_op(self.rule, &mut |op| {
            if let OpKind::CloneOf(place) = &op.kind
                && self.rule.slot(place.root).kind == SlotKind::RefMut
            {
                let name = &self.rule.slot(place.root).name;
                let line = format!("line {}, `{name}`", self.line(op.span));
                if !lines.contains(&line) {
                    lines.push(line);
                }
            }
        });
        lines
    }

    /// Operands of operators, which go through traits.
    fn deferred(&self) -> Vec<String> {
        let mut found: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        let constants = self.constants();
        self.primal.body.walk(&mut |op| {
            let OpKind::Call(call) = &op.kind else {
                return;
            };
            if !call.callee.is_operator() {
                return;
            }
            let names = found.entry(self.line(op.span)).or_default();
            for arg in &call.args {
                let (ty, name) = match arg {
                    Arg::Value(v) if !constants.contains(v) => {
                        let data = self.primal.value(*v);
                        (&data.ty, &data.name)
                    }
                    Arg::Ref(place) | Arg::Mut(place) | Arg::Receiver(place) => {
                        let data = self.primal.slot(place.root);
                        (&data.ty, &data.name)
                    }
                    Arg::Value(_) | Arg::Function(_) => continue,
                };
                let name = format!("`{name}`");
                if matches!(ty, Ty::Deferred | Ty::Named(_)) && !names.contains(&name) {
                    names.push(name);
                }
            }
        });
        found.retain(|_, names| !names.is_empty());
        let lines = found.into_iter().map(|(line, names)| {
            let names = names.join(", ");
            format!("line {line}, operators on {names}: a number gets a name with its type, `let k: f64 = ..;`")
        });
        lines.collect()
    }

    /// Literals, whose types follow from the other operand.
    fn constants(&self) -> Set<Value> {
        let mut constants = Set::default();
        self.primal.body.walk(&mut |op| {
            if let OpKind::Const(Const::Float(_) | Const::Int(_)) = op.kind {
                constants.extend(op.results.iter().copied());
            }
        });
        constants
    }
}

fn section(out: &mut String, title: &str, lines: &[String]) -> fmt::Result {
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{title}\n")?;
    lines.iter().try_for_each(|line| writeln!(out, "  {line}"))
}

/// The text about a call without a cotangent, if there is nothing else to say.
fn call_of(call: &Call) -> Option<&'static str> {
    match call.rule {
        Rule::Primal => Some("called as it is, nothing differentiated goes in"),
        // Of these the reverse half has the other part.
        Rule::Active | Rule::Frule | Rule::Rrule | Rule::RruleFrule => None,
    }
}

/// The size of a residual on a target of 64 bits, if it is known here.
fn bytes(ty: &Ty) -> Option<usize> {
    match ty {
        Ty::F64 => Some(8),
        Ty::F32 => Some(4),
        Ty::Bool => Some(1),
        Ty::Int(name) => {
            let digits = name.trim_start_matches(char::is_alphabetic);
            Some(digits.parse::<usize>().map_or(8, |bits| bits / 8))
        }
        Ty::Tuple(parts) => parts.iter().map(bytes).sum(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::pipeline;
    use crate::testing::primal;
    use crate::transform::Shape;

    fn check(source: &str, expected: &Expect) {
        let primal = primal(source);
        let text = report(
            &primal,
            &pipeline::reverse_rule(&primal, Shape::Combined),
            &position,
        );
        let (said, _) = text
            .split_once("\nThe function as")
            .expect("the IR at the end");
        expected.assert_eq(said);
    }

    #[test]
    fn functions_are_asked_for_by_their_names() {
        let of: syn::Type = syn::parse_quote!(Model<T>);
        let name = quote::format_ident!("logp");
        for asked in ["logp", "other, logp", "Model<T>::logp"] {
            assert!(is_asked_for(asked, Some(&of), &name), "{asked}");
        }
        for asked in ["", "log", "Other::logp"] {
            assert!(!is_asked_for(asked, Some(&of), &name), "{asked}");
        }
        assert!(!is_asked_for("Model::logp", None, &name));
    }

    #[test]
    fn a_sum_stores_nothing() {
        check(
            "fn f(x: &[f64], #[constant] w: &[f64]) -> f64 {
                let mut s = 0.0;
                for i in 0..x.len() {
                    s += w[i] * x[i].sin();
                }
                s
            }",
            &expect![[r#"
                `f`, differentiated by `x`; constant: `w`

                Loops

                  line 3, over `i`: one loop for everything, nothing is stored
            "#]],
        );
    }

    #[test]
    fn what_trips_store() {
        check(
            "fn f(x: &[f64], a: f64) -> f64 {
                let mut s = 1.0;
                for i in 0..x.len() {
                    let mut t = a;
                    for j in 0..i {
                        t = (t * x[j]).sin();
                    }
                    s *= t;
                }
                let mut k = 0;
                while s > 2.0 {
                    s = s.sqrt();
                    k += 1;
                }
                s
            }",
            &expect![[r#"
                `f`, differentiated by `x`, `a`

                Loops

                  line 3, over `i`: a forward and a reverse half; a trip stores 16 bytes (`t`: f64, `s`: f64)
                    line 5, over `j`: a forward and a reverse half; a trip stores 16 bytes (`cos`: f64, `t`: f64)
                  line 11, `loop` or `while`: a forward and a reverse half; a trip stores 9 bytes (`recip`: f64, which way it went: bool)
            "#]],
        );
    }

    #[test]
    fn memory_that_is_put_back() {
        check(
            "fn f(y: &mut [f64], #[constant] n: usize) -> f64 {
                for _ in 0..n {
                    for i in 1..y.len() {
                        y[i] += 0.5 * y[i - 1];
                    }
                }
                y[0] * y[1]
            }",
            &expect![[r#"
                `f`, differentiated by `y`; constant: `n`

                Loops

                  line 2, over `k`: a forward and a reverse half, nothing is stored
                    line 3, over `i`: a forward and a reverse half; a trip stores 8 bytes (`old`: f64)

                Memory that is copied, to be put back

                  line 2, `y`
            "#]],
        );
    }

    #[test]
    fn calls_copies_and_deferred_types() {
        check(
            "fn f(m: &Model, y: &mut [f64], #[constant] n: usize) -> f64 {
                let h = step(n);
                for _ in 0..n {
                    for i in 1..y.len() {
                        y[i] = y[i - 1] * y[i] * h;
                    }
                }
                let k = m.k;
                g(k * 2.0, &y[..2]) + m.value(y[0])
            }",
            &expect![[r#"
                `f`, differentiated by `m`, `y`; constant: `n`

                Loops

                  line 3, over `k`: a forward and a reverse half, nothing is stored
                    line 4, over `i`: a forward and a reverse half; a trip stores `y`: f64, what a call keeps

                Calls

                  line 2, `step`: called as it is, nothing differentiated goes in
                  line 9, `g`: its pullback is kept, and called in the reverse half
                  line 9, `value`: its pullback is kept, and called in the reverse half

                Types that only rustc knows

                  line 5, operators on `h`: a number gets a name with its type, `let k: f64 = ..;`
                  line 9, operators on `k`, `g`, `value`: a number gets a name with its type, `let k: f64 = ..;`
            "#]],
        );
    }
}

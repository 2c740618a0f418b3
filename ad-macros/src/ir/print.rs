//! The textual form of the intermediate representation, for snapshots and for people.
//!
//! One operation a line, regions indented by two spaces. A value prints as `%3`, and where it is defined with its name
//! and type: `%3 total: f64 = ...`; a slot as `$3`, and where it is declared with its name and type.

mod atoms;

use std::fmt::{self, Display, Formatter, Write};

use proc_macro2::TokenStream;
use quote::ToTokens;

use super::{
    Capacity, Coerced, Func, Op, OpKind, Param, PassedBy, Pattern, Region, RepeatLen, Slot,
    SlotKind, UnaryOp, Value,
};

impl Display for Func {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let params: Vec<String> = self.params.iter().map(|p| param(self, p)).collect();
        let extra: Vec<String> = self.extra.iter().map(Pattern::to_string).collect();
        write!(f, "fn {}({}", self.name, params.join(", "))?;
        if !extra.is_empty() {
            write!(f, "; {}", extra.join(", "))?;
        }
        write!(f, ") -> {}", tokens(&self.output))?;
        let mut printer = Printer {
            func: self,
            out: String::new(),
            depth: 1,
        };
        printer.region(&self.body)?;
        writeln!(f, " {{\n{}}} -> {}", printer.out, self.result)?;
        if let Some(pullback) = &self.pullback {
            let mut printer = Printer {
                func: self,
                out: String::new(),
                depth: 1,
            };
            printer.region(&pullback.body)?;
            let params = join(&pullback.params);
            let results = join(&pullback.results);
            writeln!(
                f,
                "pullback (seed {}, {params}) {{\n{}}} -> ({results})",
                pullback.seed, printer.out
            )?;
        }
        Ok(())
    }
}

/// Writes regions of one function.
struct Printer<'a> {
    func: &'a Func,
    out: String,
    depth: usize,
}

impl Printer<'_> {
    /// The operations and the yield of a region, without braces.
    fn region(&mut self, region: &Region) -> fmt::Result {
        for op in &region.ops {
            self.indent();
            self.op(op)?;
            self.out.push('\n');
        }
        if !region.yields.is_empty() {
            self.indent();
            writeln!(self.out, "yield {}", join(&region.yields))?;
        }
        Ok(())
    }

    fn indent(&mut self) {
        for _ in 0..self.depth {
            self.out.push_str("  ");
        }
    }

    fn nested(&mut self, region: &Region) -> fmt::Result {
        self.out.push_str(" {\n");
        self.depth += 1;
        self.region(region)?;
        self.depth -= 1;
        self.indent();
        self.out.push('}');
        Ok(())
    }

    fn op(&mut self, op: &Op) -> fmt::Result {
        if !op.results.is_empty() {
            let results: Vec<String> = op.results.iter().map(|v| self.definition(*v)).collect();
            write!(self.out, "{} = ", results.join(", "))?;
        }
        match &op.kind {
            OpKind::If { cond, then, other } => {
                write!(self.out, "if {cond}")?;
                self.nested(then)?;
                if !other.ops.is_empty() || !other.yields.is_empty() {
                    self.out.push_str(" else");
                    self.nested(other)?;
                }
                Ok(())
            }
            OpKind::For {
                range,
                init,
                stop,
                body,
            } => {
                let (induction, carried) = match body.params.split_first() {
                    Some((first, rest)) => (self.definition(*first), rest),
                    None => (String::from("?"), &[][..]),
                };
                write!(self.out, "for {induction} in {range}")?;
                if *stop {
                    self.out.push_str(" until first");
                }
                self.carried(carried, init)?;
                self.nested(body)
            }
            OpKind::Sum { parts, body } => {
                self.out.push_str("sum of");
                for part in parts {
                    write!(self.out, " {part}")?;
                }
                self.carried(&body.params, &[])?;
                self.nested(body)
            }
            OpKind::CoercionSites(region) => {
                self.out.push_str("sites");
                self.carried(&region.params, &[])?;
                self.nested(region)
            }
            OpKind::Loop { init, body } => {
                self.out.push_str("loop until first");
                self.carried(&body.params, init)?;
                self.nested(body)
            }
            kind => {
                self.simple(kind)?;
                for closure in op.kind.closures() {
                    self.nested(&closure.body)?;
                }
                Ok(())
            }
        }
    }

    fn carried(&mut self, params: &[Value], init: &[Value]) -> fmt::Result {
        if params.is_empty() && init.is_empty() {
            return Ok(());
        }
        let pairs: Vec<String> = (0..params.len().max(init.len()))
            .map(|k| {
                let param = params
                    .get(k)
                    .map_or_else(|| "?".into(), |v| self.definition(*v));
                let init = init.get(k).map_or_else(|| "?".into(), Value::to_string);
                format!("{param} = {init}")
            })
            .collect();
        write!(self.out, " carry ({})", pairs.join(", "))
    }

    /// An operation that owns no region.
    fn simple(&mut self, kind: &OpKind) -> fmt::Result {
        match kind {
            OpKind::Init(slot, value) => {
                let slot = self.declaration(*slot);
                write!(self.out, "init {slot} = {value}")
            }
            OpKind::Borrow(slot, place) => {
                let slot = self.declaration(*slot);
                write!(self.out, "borrow {slot} = {place}")
            }
            OpKind::NewTape(slot, capacity) => {
                let slot = self.declaration(*slot);
                write!(self.out, "tape {slot}")?;
                match capacity {
                    Capacity::Unknown => Ok(()),
                    Capacity::Known(n) => write!(self.out, " capacity {n}"),
                    Capacity::Fixed(n) => write!(self.out, " at most {n}"),
                    Capacity::Runs => write!(self.out, " of runs"),
                }
            }
            OpKind::Run {
                run,
                tape,
                lo,
                hi,
                again,
            } => {
                let run = self.declaration(*run);
                let again = if *again { " again" } else { "" };
                write!(self.out, "run {run} of {tape} for {lo}..{hi}{again}")
            }
            OpKind::PopSlot(tape, slot) => {
                let slot = self.declaration(*slot);
                write!(self.out, "pop {slot} from {tape}")
            }
            kind => write!(self.out, "{}", Plain(kind)),
        }
    }

    /// A value with its name and type.
    fn definition(&self, value: Value) -> String {
        match self.func.values.get(value.0 as usize) {
            Some(data) => format!("{value} {}: {}", data.name, data.ty),
            None => format!("{value} <undeclared>"),
        }
    }

    /// A slot with its name and type.
    fn declaration(&self, slot: Slot) -> String {
        declaration(self.func, slot)
    }
}

fn declaration(func: &Func, slot: Slot) -> String {
    let Some(data) = func.slots.get(slot.0 as usize) else {
        return format!("{slot} <undeclared>");
    };
    let kind = match data.kind {
        SlotKind::Owned => "",
        SlotKind::Ref => "&",
        SlotKind::RefMut => "&mut ",
    };
    let option = if data.in_option { " in option" } else { "" };
    format!("{slot} {}: {kind}{}{option}", data.name, data.ty)
}

fn param(func: &Func, param: &Param) -> String {
    let constant = if param.constant { "const " } else { "" };
    let by = match param.by {
        PassedBy::Value => "",
        PassedBy::Ref => "&",
        PassedBy::Mut => "&mut ",
    };
    format!(
        "{constant}{}: {} {by}{}",
        param.ident,
        leaf(func, &param.pattern),
        tokens(&param.ty)
    )
}

/// A parameter's pattern, with a type where the slot's isn't the parameter's.
fn leaf(func: &Func, pattern: &Pattern) -> String {
    match pattern {
        Pattern::Slot(slot) if func.slot(*slot).in_option => format!("{slot} in option"),
        other => other.to_string(),
    }
}

/// One operation without its results and regions, for messages.
pub(super) fn brief(kind: &OpKind) -> String {
    Plain(kind).to_string()
}

/// An operation that neither owns regions nor declares slots.
struct Plain<'a>(&'a OpKind);

impl Display for Plain<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            OpKind::Const(c) => write!(f, "const {c}"),
            OpKind::Unary(UnaryOp::Neg, a) => write!(f, "neg {a}"),
            OpKind::Unary(UnaryOp::Not, a) => write!(f, "not {a}"),
            OpKind::Binary(op, a, b) => write!(f, "{op} {a}, {b}"),
            OpKind::Cast(a) => write!(f, "cast {a}"),
            OpKind::Math(name, args) => write!(f, "{name} {}", join(args)),
            OpKind::Select(c, a, b) => write!(f, "select {c}, {a}, {b}"),
            OpKind::StrongMul(a, b) => write!(f, "strong_mul {a}, {b}"),
            OpKind::StrongDiv(a, b) => write!(f, "strong_div {a}, {b}"),
            OpKind::Tuple(values) => write!(f, "tuple {}", join(values)),
            OpKind::Untuple(a) => write!(f, "untuple {a}"),
            OpKind::Array { elems, vec } => {
                write!(
                    f,
                    "{} [{}]",
                    if *vec { "vec" } else { "array" },
                    join(elems)
                )
            }
            OpKind::Repeat {
                elem,
                len: RepeatLen::Array(n),
            } => write!(f, "array [{elem}; {n}]"),
            OpKind::Repeat {
                elem,
                len: RepeatLen::Vec(n),
            } => write!(f, "vec [{elem}; {n}]"),
            OpKind::Struct {
                path, fields, base, ..
            } => {
                write!(f, "struct {} {{{}}}", tokens(path), members(fields, *base))
            }
            OpKind::StructTangent {
                primal,
                fields,
                base,
                ..
            } => {
                write!(f, "struct_tangent {primal} {{{}}}", members(fields, *base))
            }
            OpKind::Unpack {
                value,
                path,
                members,
            } => {
                write!(f, "unpack {value} as {} {{", tokens(path))?;
                members
                    .iter()
                    .try_for_each(|member| write!(f, " {}", tokens(member)))?;
                f.write_str(" }")
            }
            OpKind::Boxed(a) => write!(f, "boxed {a}"),
            OpKind::Unboxed(a) => write!(f, "unboxed {a}"),
            OpKind::Coerce { site, value, form } => {
                let form = match form {
                    Coerced::Value => "coerce",
                    Coerced::Tangent => "coerce_tangent",
                    Coerced::Cotangent => "coerce_cotangent",
                };
                write!(f, "{form} {value} at {site}")
            }
            OpKind::Unique(p) => write!(f, "unique {p}"),
            OpKind::Field(a, member) => write!(f, "field {a}.{}", tokens(member)),
            OpKind::ZeroLike(a) => write!(f, "zero_like {a}"),
            OpKind::FieldTangent {
                primal, tangent, ..
            } => {
                write!(f, "field tangent {tangent} of {primal}")
            }
            OpKind::Ask { kind, of } => write!(f, "ask {kind}: {}", join(of)),
            OpKind::KindOf(p) => write!(f, "kind_of {p}"),
            OpKind::TangentSum(a, b) => write!(f, "tangent_sum {a}, {b}"),
            OpKind::Load(p) => write!(f, "load {p}"),
            OpKind::Store(p, v) => write!(f, "store {p} = {v}"),
            OpKind::Replace(p, v) => write!(f, "replace {p} = {v}"),
            OpKind::Swap(a, b) => write!(f, "swap {a}, {b}"),
            OpKind::Accumulate(p, v) => write!(f, "accumulate {p} += {v}"),
            OpKind::AccumulatePlace { to, from } => write!(f, "accumulate {to} += place {from}"),
            OpKind::Len(p) => write!(f, "len {p}"),
            OpKind::Locate {
                place,
                lookup,
                mutable,
            } => {
                let kind = if *mutable { "locate_mut" } else { "locate" };
                write!(f, "{kind} {place}{lookup}")
            }
            OpKind::ZeroOf(p) => write!(f, "zero_of {p}"),
            OpKind::ZeroLeft(p, v) => write!(f, "zero_of {p} or else {v}"),
            OpKind::SetZero(p) => write!(f, "set_zero {p}"),
            OpKind::PushPlaceholder(p) => write!(f, "placeholder_of {p}"),
            OpKind::CloneOf(p) => write!(f, "clone_of {p}"),
            OpKind::Call(call) => write!(f, "{call}"),
            OpKind::ApplyPullback(apply) => write!(f, "{apply}"),
            OpKind::Combined(call) => write!(f, "{call}"),
            OpKind::Opaque {
                tokens: code,
                uses,
                diverges,
            } => {
                write!(f, "opaque{}", if *diverges { " diverges" } else { "" })?;
                write!(f, " {{{}}}", tokens(code))?;
                if uses.is_empty() {
                    Ok(())
                } else {
                    write!(f, " use ({})", join(uses))
                }
            }
            OpKind::Push(tape, values) => write!(f, "push {tape}, {}", join(values)),
            OpKind::Pop(tape) => write!(f, "pop {tape}"),
            OpKind::PushSlot(tape, slot) => write!(f, "push {tape}, {slot}"),
            OpKind::Unreachable => f.write_str("unreachable"),
            OpKind::Init(slot, _)
            | OpKind::Borrow(slot, _)
            | OpKind::NewTape(slot, _)
            | OpKind::Run { run: slot, .. }
            | OpKind::PopSlot(_, slot) => write!(f, "declare {slot}"),
            OpKind::If { .. } => f.write_str("if"),
            OpKind::For { .. } => f.write_str("for"),
            OpKind::Loop { .. } => f.write_str("loop"),
            OpKind::CoercionSites(_) => f.write_str("sites"),
            OpKind::Sum { .. } => f.write_str("sum"),
        }
    }
}

fn join<T: Display>(items: &[T]) -> String {
    items
        .iter()
        .map(T::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}

fn members(fields: &[(syn::Member, Value)], base: Option<Value>) -> String {
    let fields = fields
        .iter()
        .map(|(member, v)| format!("{}: {v}", tokens(member)));
    let base = base.iter().map(|v| format!("..{v}"));
    fields.chain(base).collect::<Vec<_>>().join(", ")
}

/// Tokens as `quote` prints them, without the blanks that make short paths and types hard to read.
fn tokens(t: &impl ToTokens) -> String {
    tidy(&t.to_token_stream())
}

fn tidy(stream: &TokenStream) -> String {
    let mut text = stream.to_string();
    for (from, to) in [
        (" :: ", "::"),
        (" < ", "<"),
        (" >", ">"),
        ("& mut ", "&mut "),
        (" . ", "."),
        (" , ", ", "),
        (" ;", ";"),
        (" (", "("),
    ] {
        text = text.replace(from, to);
    }
    text
}

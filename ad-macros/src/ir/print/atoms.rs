//! Printing of the parts of operations.

use std::fmt::{self, Display, Formatter};

use super::{join, tidy, tokens};
use crate::ir::{
    Adapter, ApplyPullback, Arg, BinaryOp, Call, Callee, CombinedArg, CombinedCall, Const,
    Function, Lookup, Pattern, Place, Proj, PullArg, Range, Rule, Slot, UnaryOp, Use, Value,
};

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

impl Display for Slot {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "${}", self.0)
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.root)?;
        self.path.iter().try_for_each(|proj| write!(f, "{proj}"))
    }
}

impl Display for Proj {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let end = |v: &Option<Value>| v.map_or_else(String::new, |v| v.to_string());
        match self {
            Proj::Field(member) => write!(f, ".{}", tokens(member)),
            Proj::Index(i) => write!(f, "[{i}]"),
            Proj::At(lookup, Some(at)) => write!(f, "{lookup} at {at}"),
            Proj::At(lookup, None) => write!(f, "{lookup}"),
            Proj::Range(lo, hi) => write!(f, "[{}..{}]", end(lo), end(hi)),
            Proj::Variant(path, member) => write!(f, ".{{{}.{}}}", tokens(path), tokens(member)),
            Proj::Deref => f.write_str(".*"),
        }
    }
}

impl Display for Lookup {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Lookup::Index(i) => write!(f, "[{i}]"),
            Lookup::Method { args, .. } | Lookup::View { args, .. } => {
                let name = match self {
                    Lookup::Method { name, .. } => name.to_string(),
                    Lookup::View { name, .. } => name.clone(),
                    Lookup::Index(_) => String::new(),
                };
                let args: Vec<String> = args.iter().map(ToString::to_string).collect();
                write!(f, ".{name}({})", args.join(", "))
            }
        }
    }
}

impl Display for Range {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let dots = if self.inclusive { "..=" } else { ".." };
        write!(f, "{}{dots}{}", self.lo, self.hi)?;
        for adapter in &self.adapters {
            match adapter {
                Adapter::Rev => f.write_str(" rev")?,
                Adapter::StepBy(k) => write!(f, " step {k}")?,
                Adapter::Checkpoint(k) => write!(f, " in {k} states")?,
            }
        }
        Ok(())
    }
}

impl Display for Const {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Const::Float(digits) | Const::Int(digits) => f.write_str(digits),
            Const::Bool(b) => write!(f, "{b}"),
            Const::Expr(code) => write!(f, "{{{}}}", tidy(code)),
            Const::Undef => f.write_str("undef"),
            Const::Unit => f.write_str("()"),
            Const::None => f.write_str("None"),
            Const::Zero => f.write_str("zero"),
            Const::One => f.write_str("one"),
        }
    }
}

impl Display for BinaryOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BinaryOp::Add => "add",
            BinaryOp::Sub => "sub",
            BinaryOp::Mul => "mul",
            BinaryOp::Div => "div",
            BinaryOp::Rem => "rem",
            BinaryOp::BitAnd => "and",
            BinaryOp::BitOr => "or",
            BinaryOp::BitXor => "xor",
            BinaryOp::Shl => "shl",
            BinaryOp::Shr => "shr",
            BinaryOp::Lt => "lt",
            BinaryOp::Le => "le",
            BinaryOp::Gt => "gt",
            BinaryOp::Ge => "ge",
            BinaryOp::Eq => "eq",
            BinaryOp::Ne => "ne",
        })
    }
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Function::Item { path, .. } => write!(f, "item {}", tokens(path)),
            Function::Param(slot) => write!(f, "{slot}"),
            Function::Closure(closure) => {
                f.write_str("|")?;
                if let Some(seed) = &closure.seed {
                    write!(f, "seed {seed}, ")?;
                }
                write!(f, "{}|", join(&closure.params))?;
                if let Some(links) = &closure.links {
                    write!(f, " linked by ({})", join(links))?;
                }
                write!(f, " -> ({})", join(&closure.results))
            }
        }
    }
}

impl Display for Arg {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Arg::Value(v) => write!(f, "{v}"),
            Arg::Ref(p) => write!(f, "&{p}"),
            Arg::Mut(p) => write!(f, "&mut {p}"),
            Arg::Receiver(p) => write!(f, "self {p}"),
            Arg::Function(function) => write!(f, "{function}"),
        }
    }
}

impl Display for Callee {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Callee::Path { path, associated } => {
                write!(
                    f,
                    "{}{}",
                    if *associated { "associated " } else { "" },
                    tokens(path)
                )
            }
            Callee::Method { name, turbofish } => {
                write!(
                    f,
                    ".{name}{}",
                    turbofish.as_ref().map(tidy).unwrap_or_default()
                )
            }
            Callee::Operator(operator) => {
                let [left, right] = operator.refs.map(|by_ref| if by_ref { "&" } else { "" });
                let assign = if operator.assign { "=" } else { "" };
                write!(f, "operator {left}{}{assign}{right}", operator.op)
            }
            Callee::Unary { op, by_ref } => {
                let name = match op {
                    UnaryOp::Neg => "neg",
                    UnaryOp::Not => "not",
                };
                write!(f, "operator {name}{}", if *by_ref { "&" } else { "" })
            }
            Callee::Cast => f.write_str("operator cast"),
            Callee::Function(slot) => write!(f, "function {slot}"),
        }
    }
}

impl Display for Call {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let rule = match self.rule {
            Rule::Primal => "primal",
            Rule::Active => "active",
            Rule::Frule => "frule",
            Rule::Rrule => "rrule",
            Rule::RruleFrule => "rrule_frule",
        };
        write!(f, "call {rule} {}({})", self.callee, join(&self.args))?;
        if self.tangents.is_empty() {
            return Ok(());
        }
        let tangents: Vec<String> = self
            .tangents
            .iter()
            .map(|t| t.as_ref().map_or_else(|| "()".into(), Arg::to_string))
            .collect();
        write!(f, " along ({})", tangents.join(", "))
    }
}

impl Display for ApplyPullback {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (seed, args) = (join(&self.seed), join(&self.args));
        write!(
            f,
            "pull {} by {} of {}(seed {seed}",
            self.pullback, self.modes, self.callee
        )?;
        write!(f, "{}{args})", if args.is_empty() { "" } else { ", " })
    }
}

impl Display for CombinedCall {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (seed, args) = (join(&self.seed), join(&self.args));
        write!(f, "call combined {}(seed {seed}", self.callee)?;
        write!(f, "{}{args})", if args.is_empty() { "" } else { ", " })
    }
}

impl Display for CombinedArg {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            CombinedArg::Value { given, .. } => write!(f, "{}", join(given)),
            CombinedArg::Inactive(arg) => write!(f, "inactive {arg}"),
            CombinedArg::Constant(arg) => write!(f, "constant {arg}"),
            CombinedArg::Shadow { primal, shadow } => {
                write!(f, "{} / {}", join(primal), join(shadow))
            }
        }
    }
}

impl Display for PullArg {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            PullArg::Nothing => f.write_str("()"),
            PullArg::Open => f.write_str("open ()"),
            PullArg::Value { zero, open: true } => write!(f, "open value {}", join(zero)),
            PullArg::Value { zero, .. } => write!(f, "value {}", join(zero)),
            PullArg::Inactive(arg) => write!(f, "inactive {arg}"),
            PullArg::Shadow { primal, shadow } => {
                write!(f, "{} / {}", join(primal), join(shadow))
            }
            PullArg::Function(function) => write!(f, "{function}"),
        }
    }
}

impl Display for Use {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Use::Value(ident, v) => write!(f, "{ident} = {v}"),
            Use::Place {
                ident,
                place,
                by_ref,
                mutable,
            } => {
                let by = match (by_ref, mutable) {
                    (true, true) => "&mut ",
                    (true, false) => "&",
                    (false, true) => "mut ",
                    (false, false) => "",
                };
                write!(f, "{ident} = {by}{place}")
            }
        }
    }
}

impl Display for Pattern {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Pattern::Value(v) => write!(f, "{v}"),
            Pattern::Slot(s) => write!(f, "{s}"),
            Pattern::Dual(a, b) => write!(f, "dual({a}, {b})"),
            Pattern::CoDual(a, b) => write!(f, "{a}/{b}"),
            Pattern::Unit => f.write_str("()"),
        }
    }
}

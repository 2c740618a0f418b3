//! Operators of the program's structs, and expressions with them.

use super::Generator;
use super::items::Type;
use super::scope::{By, Kind, Scope};
use crate::tree::{Node, Part, Sort, Ty, tree};

/// An operator that a struct has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    /// Of references.
    Sub,
    /// By a number.
    Mul,
    Neg,
    AddAssign,
    /// By a number.
    MulAssign,
}

impl Generator {
    /// Writes an operator of a struct where it is used first.
    fn uses_operator(&mut self, operator: Operator, owner: &str) {
        let used = (operator, owner.to_owned());
        let Some(Type::Struct {
            fields, configured, ..
        }) = self.named(owner).cloned()
        else {
            return;
        };
        if !self.operators.contains(&used) {
            let literal = self.literal();
            self.items.push(implementation(
                operator, owner, &fields, configured, literal,
            ));
            self.operators.push(used);
        }
    }

    /// A value of a struct that an operator gives.
    pub(super) fn operated(&mut self, owner: &str, scope: &Scope, d: usize) -> Option<Node> {
        use Operator::{Add, Mul, Neg, Sub};

        if self.fuel < 0 {
            return None;
        }
        self.fuel -= 2;
        if !self.named(owner).is_some_and(Type::is_struct) {
            return None;
        }
        let sort = Sort::Expr(Ty::Named(owner.to_owned()));
        let operator = *self.random.pick(&[Add, Sub, Mul, Neg]);
        self.uses_operator(operator, owner);
        let a = self.named_value(owner, scope, d.saturating_sub(1));
        Some(match operator {
            Operator::Add => {
                let b = self.named_value(owner, scope, 0);
                tree!(sort, "($ + $)", a, b)
            }
            Operator::Sub => {
                let b = self.named_value(owner, scope, 0);
                tree!(sort, "(&$ - &$)", a, b)
            }
            Operator::Mul => tree!(sort, "($ * $)", a, Self::typed(self.tame(scope, d))),
            Operator::Neg => tree!(sort, "(-$)", a),
            Operator::AddAssign | Operator::MulAssign => unreachable!("of statements"),
        })
    }

    /// `s += t;` and the like.
    pub(super) fn operator_statement(&mut self, scope: &mut Scope, d: usize) -> Node {
        let structs = scope.matching(|v| matches!(v.kind, Kind::Value(Ty::Named(_))) && v.writable);
        for v in structs {
            let Kind::Value(Ty::Named(owner)) = &v.kind else {
                continue;
            };
            if !self.named(owner).is_some_and(Type::is_struct) {
                continue;
            }
            let place = if v.by == By::Own { "$" } else { "*$" };
            let place = tree!(Sort::Fixed, place, v.mention());
            let without = scope.without(std::slice::from_ref(&v.name));
            if self.random.chance(50) {
                self.uses_operator(Operator::AddAssign, owner);
                let other = self.named_value(owner, &without, d);
                return tree!(Sort::Stmt, "$ += $;\n", place, other);
            }
            self.uses_operator(Operator::MulAssign, owner);
            let k = Self::typed(self.tame(&without, d));
            return tree!(Sort::Stmt, "$ *= $;\n", place, k);
        }
        self.call_statement(scope, d)
    }
}

fn implementation(
    operator: Operator,
    owner: &str,
    fields: &[(String, Ty)],
    configured: bool,
    k: Node,
) -> Node {
    let name = || Part::Use(owner.to_owned());
    let attribute = || Part::Attribute("#[differentiable]\n".to_owned());
    // One number of a field: what it is called, and what becomes of it.
    let each = |ty: &Ty, field: &str, one: &dyn Fn(&str, &str) -> String| match ty {
        Ty::Float => one(&format!("self.{field}"), &format!("other.{field}")),
        Ty::Array(n) => {
            let items: Vec<String> = (0..*n)
                .map(|i| {
                    one(
                        &format!("self.{field}[{i}]"),
                        &format!("other.{field}[{i}]"),
                    )
                })
                .collect();
            format!("[{}]", items.join(", "))
        }
        Ty::Pair => format!(
            "({}, {})",
            one(&format!("self.{field}.0"), &format!("other.{field}.0")),
            one(&format!("self.{field}.1"), &format!("other.{field}.1"))
        ),
        _ => unreachable!("other types are treated apart"),
    };
    let literal = |item: &dyn Fn(&str, &Ty) -> String| {
        let fields: Vec<String> = fields
            .iter()
            .map(|(field, ty)| format!("{field}: {}", item(field, ty)))
            .collect();
        let absent = if configured {
            ", #[cfg(windows)] w: self.w"
        } else {
            ""
        };
        format!("{}{absent}", fields.join(", "))
    };
    match operator {
        Operator::Add => {
            let body = literal(&|field, ty| match ty {
                Ty::Vec => {
                    format!("self.{field}.iter().zip(&other.{field}).map(|(a, b)| a + b).collect()")
                }
                Ty::Int | Ty::Named(_) => format!("self.{field}"),
                ty => each(ty, field, &|a, b| format!("{a} + {b}")),
            });
            let template = format!(
                "$impl core::ops::Add for $ {{\ntype Output = $;\nfn add(self, other: $) -> $ {{\n$ {{ {body} }}\n}}\n}}\n"
            );
            tree!(
                Sort::Item,
                &template,
                attribute(),
                name(),
                name(),
                name(),
                name(),
                name()
            )
        }
        Operator::Sub => {
            let body = literal(&|field, ty| match ty {
                Ty::Vec => format!(
                    "self.{field}.iter().zip(other.{field}.iter()).map(|(a, b)| a - b * b).collect()"
                ),
                Ty::Int => format!("self.{field}"),
                Ty::Named(_) => format!("other.{field}.clone()"),
                ty => each(ty, field, &|a, b| format!("{a} - {b} * {b}")),
            });
            let template = format!(
                "$impl core::ops::Sub<&$> for &$ {{\ntype Output = $;\nfn sub(self, other: &$) -> $ {{\n$ {{ {body} }}\n}}\n}}\n"
            );
            tree!(
                Sort::Item,
                &template,
                attribute(),
                name(),
                name(),
                name(),
                name(),
                name(),
                name()
            )
        }
        Operator::Mul => {
            let body = literal(&|field, ty| match ty {
                Ty::Vec => format!("self.{field}.iter().map(|a| a * k).collect()"),
                Ty::Int | Ty::Named(_) => format!("self.{field}"),
                ty => each(ty, field, &|a, _| format!("{a} * k")),
            });
            let template = format!(
                "$impl core::ops::Mul<~> for $ {{\ntype Output = $;\nfn mul(self, k: ~) -> $ {{\n$ {{ {body} }}\n}}\n}}\n"
            );
            tree!(
                Sort::Item,
                &template,
                attribute(),
                name(),
                name(),
                name(),
                name()
            )
        }
        Operator::Neg => {
            let body = literal(&|field, ty| match ty {
                Ty::Vec => format!("self.{field}.iter().rev().map(|a| -a).collect()"),
                Ty::Int | Ty::Named(_) => format!("self.{field}"),
                ty => each(ty, field, &|a, _| format!("-{a}")),
            });
            let template = format!(
                "$impl core::ops::Neg for $ {{\ntype Output = $;\nfn neg(self) -> $ {{\n$ {{ {body} }}\n}}\n}}\n"
            );
            tree!(
                Sort::Item,
                &template,
                attribute(),
                name(),
                name(),
                name(),
                name()
            )
        }
        Operator::AddAssign => {
            let body: String = fields
                .iter()
                .map(|(field, ty)| match ty {
                    Ty::Float => format!("self.{field} += other.{field};\n"),
                    Ty::Pair => format!("self.{field}.0 += other.{field}.1;\n"),
                    Ty::Array(_) | Ty::Vec => format!(
                        "for (a, b) in self.{field}.iter_mut().zip(&other.{field}) {{ *a += b; }}\n"
                    ),
                    _ => String::new(),
                })
                .collect();
            let template = format!(
                "$impl core::ops::AddAssign for $ {{\nfn add_assign(&mut self, other: $) {{\n{body}self.z = self.z * $;\n}}\n}}\n"
            );
            tree!(Sort::Item, &template, attribute(), name(), name(), k)
        }
        Operator::MulAssign => {
            let body: String = fields
                .iter()
                .map(|(field, ty)| match ty {
                    Ty::Float => format!("self.{field} *= k;\n"),
                    Ty::Pair => format!("self.{field} = (self.{field}.1, self.{field}.0 * k);\n"),
                    Ty::Array(_) | Ty::Vec => {
                        format!("for a in self.{field}.iter_mut() {{ *a *= k; }}\n")
                    }
                    _ => String::new(),
                })
                .collect();
            let template = format!(
                "$impl core::ops::MulAssign<~> for $ {{\nfn mul_assign(&mut self, k: ~) {{\n{body}}}\n}}\n"
            );
            tree!(Sort::Item, &template, attribute(), name())
        }
    }
}

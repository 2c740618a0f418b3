//! `match` with guards, values of `Option` and `Result` taken apart, and what is configured away.

use super::Generator;
use super::items::Type;
use super::scope::{Kind, Returns, Scope};
use crate::tree::{Node, Part, Sort, Ty, tree};

const FLOAT: Sort = Sort::Expr(Ty::Float);

impl Generator {
    /// `match` with guards.
    pub(super) fn guarded(&mut self, scope: &Scope, d: usize) -> Node {
        let (p, q) = (self.fresh("p"), self.fresh("q"));
        let (limit, other) = (self.literal(), self.literal());
        let mut one = scope.clone();
        one.float(&p, false);
        let mut two = one.clone();
        two.float(&q, false);
        match self.random.below(7) {
            0 => tree!(
                FLOAT,
                "(match $ { $ if $ > $ => $, $ if $ < $ => $, $ => $ })",
                Self::typed(self.tame(scope, d)),
                Part::Def(p.clone()),
                &p,
                limit,
                self.float(&one, d),
                Part::Def(p.clone()),
                &p,
                other,
                self.float(&one, d),
                Part::Def(p),
                self.float(&one, d)
            ),
            1 => tree!(
                FLOAT,
                "(match (($) % 2, $) { (0, true) => $, (_, false) if $ => $, (1, _) => $, _ => $ })",
                self.int(scope, 4),
                self.condition(scope, 1),
                self.float(scope, d),
                self.condition(scope, 0),
                self.float(scope, d),
                self.float(scope, 0),
                self.float(scope, 0)
            ),
            2 => tree!(
                FLOAT,
                "(match $ { Some($) if $ > $ => $, Some($) => $, None => $ })",
                self.option(scope, d),
                Part::Def(p.clone()),
                &p,
                limit,
                self.float(&one, d),
                Part::Def(p),
                self.float(&one, d),
                self.float(scope, 0)
            ),
            3 => tree!(
                FLOAT,
                "(match $ { ($, $) if $ > $ => $, ($, _) => $ })",
                self.pair(scope, d),
                Part::Def(p.clone()),
                Part::Def(q.clone()),
                &p,
                &q,
                self.float(&two, d),
                Part::Def(p),
                self.float(&one, d)
            ),
            4 => {
                let mut inner = scope.clone();
                inner.int(&q, 6);
                let gone = if self.configurable && self.random.chance(30) {
                    tree!(
                        Sort::Fixed,
                        "#[cfg($)] 3 => $, ",
                        *self.random.pick(&["windows", "unix"]),
                        self.float(scope, d)
                    )
                } else {
                    tree!(Sort::Fixed, "")
                };
                tree!(
                    FLOAT,
                    "(match $ { 0..=1 => $, $2 | 4 => $, $ if $ % 2 == 0 => $, _ => $ })",
                    self.int(scope, 6),
                    self.float(scope, d),
                    gone,
                    self.float(scope, d),
                    Part::Def(q.clone()),
                    q,
                    self.float(&inner, d),
                    self.float(scope, 0)
                )
            }
            5 => self.of_struct(scope, d).unwrap_or(other),
            _ => self.of_result(scope, d),
        }
        .sized(4.0)
    }

    /// Fields of a struct, bound by a pattern.
    fn of_struct(&mut self, scope: &Scope, d: usize) -> Option<Node> {
        let structs = scope.matching(|v| matches!(v.kind, Kind::Value(Ty::Named(_))));
        let of = structs.iter().find_map(|v| match &v.kind {
            Kind::Value(Ty::Named(name)) => Some((v.clone(), name.clone())),
            _ => None,
        });
        let (v, name) = of?;
        if !self.named(&name).is_some_and(Type::is_struct) {
            return None;
        }
        let z = self.fresh("z");
        let mut inner = scope.clone();
        inner.float_by(&z, super::scope::By::Ref);
        let subject = if v.by == super::scope::By::Own {
            "&$"
        } else {
            "$"
        };
        let subject = tree!(Sort::Fixed, subject, v.mention());
        let (a, b) = (self.float(&inner, d), self.float(&inner, d));
        Some(if self.random.chance(50) {
            tree!(
                FLOAT,
                "(match $ { $ { z: $, .. } if *$ > $ => $, $ { z: $, .. } => $ })",
                subject,
                Part::Use(name.clone()),
                Part::Def(z.clone()),
                &z,
                self.literal(),
                a,
                Part::Use(name),
                Part::Def(z),
                b
            )
        } else {
            tree!(
                FLOAT,
                "{ let $ { z: $, .. } = $; $ }",
                Part::Use(name),
                Part::Def(z),
                subject,
                Self::typed(a)
            )
        })
    }

    /// A number from a `Result`.
    fn of_result(&mut self, scope: &Scope, d: usize) -> Node {
        let result = self.value(&Ty::Result, scope, d);
        // Methods that an `Option` has, too, need to know the type.
        let result = tree!(
            Sort::Expr(Ty::Result),
            "{ let r: Result<~, String> = $; r }",
            result
        );
        let o = self.fresh("o");
        let mut closed = scope.closure();
        closed.float(&o, false);
        let mut inner = scope.clone();
        inner.float(&o, false);
        let other = self.float(scope, 0);
        match self.random.below(6) {
            0 => tree!(FLOAT, "($).unwrap_or($)", result, other),
            1 => tree!(
                FLOAT,
                "(match $ { Ok($) => $, Err(_) => $ })",
                result,
                Part::Def(o),
                self.float(&inner, d),
                other
            ),
            2 => tree!(
                FLOAT,
                "(if let Ok($) = $ { $ } else { $ })",
                Part::Def(o),
                result,
                self.float(&inner, d),
                other
            ),
            3 => tree!(
                FLOAT,
                "($).map(|$| $).unwrap_or_else(|_| $)",
                result,
                Part::Def(o),
                Self::typed(self.float(&closed, d)),
                self.float(&scope.closure(), 0)
            ),
            4 => tree!(
                FLOAT,
                "($).ok().map_or($, |$| $)",
                result,
                other,
                Part::Def(o),
                Self::typed(self.float(&closed, d))
            ),
            _ => {
                let (a, b) = (self.tame(&closed, d), self.tame(&closed, 0));
                tree!(
                    FLOAT,
                    "($).and_then(|$| if $ > $ { Ok($) } else { Err(\"small\".to_string()) }).unwrap_or($)",
                    result,
                    Part::Def(o.clone()),
                    &o,
                    b,
                    a,
                    other
                )
            }
        }
    }

    /// One of two expressions, by configuration.
    pub(super) fn configured_float(&mut self, scope: &Scope, d: usize) -> Node {
        if !self.configurable {
            return self.float(scope, d);
        }
        let condition = *self.random.pick(&["unix", "windows"]);
        let (a, b) = (self.float(scope, d), self.float(scope, d));
        let size = a.size.max(b.size);
        tree!(
            FLOAT,
            "({\n#[cfg($)]\n{ $ }\n#[cfg(not($))]\n{ $ }\n})",
            condition,
            Self::typed(a),
            condition,
            Self::typed(b)
        )
        .sized(size)
    }

    /// A statement that is there, or not, by configuration.
    pub(super) fn configured(&mut self, scope: &mut Scope, depth: usize) -> Node {
        if !self.configurable {
            return self.let_float(scope, depth);
        }
        let condition = *self.random.pick(&["unix", "windows"]);
        let d = depth.min(2);
        match self.random.below(4) {
            0 => {
                let (a, b) = (self.tame(scope, d), self.tame(scope, d));
                let name = self.fresh("a");
                let keyword = if self.random.chance(50) { "mut " } else { "" };
                scope.float(&name, !keyword.is_empty());
                tree!(
                    Sort::Stmt,
                    "#[cfg($)]\nlet $$: ~ = $;\n#[cfg(not($))]\nlet $$: ~ = $;\n",
                    condition,
                    keyword,
                    Part::Def(name.clone()),
                    a,
                    condition,
                    keyword,
                    Part::Def(name),
                    b
                )
            }
            1 if !scope.closed => {
                let value = self.return_value(scope, 1);
                let c = self.condition(scope, 1);
                tree!(
                    Sort::Stmt,
                    "#[cfg($)]\nif $ { return $; }\n",
                    condition,
                    c,
                    value
                )
            }
            2 if depth > 0 => {
                let mut inner = scope.clone();
                let statement = self.counted(&mut inner, depth - 1);
                tree!(Sort::Stmt, "#[cfg($)]\n{\n$}\n", condition, statement)
            }
            _ => {
                let (mut inner, mut other) = (scope.clone(), scope.clone());
                let a = self.write(&mut inner, d);
                if self.random.chance(50) {
                    let b = self.write(&mut inner, d);
                    tree!(Sort::Stmt, "#[cfg($)]\n{\n$$}\n", condition, a, b)
                } else {
                    let b = self.write(&mut other, d);
                    tree!(
                        Sort::Stmt,
                        "#[cfg($)]\n{\n$}\n#[cfg(not($))]\n{\n$}\n",
                        condition,
                        a,
                        condition,
                        b
                    )
                }
            }
        }
    }

    /// `?`, where the function returns what it needs.
    pub(super) fn question(&mut self, scope: &mut Scope, d: usize) -> Node {
        let ty = match &scope.returns {
            Returns::Value(ty @ (Ty::Option | Ty::Result)) if !scope.closed => ty.clone(),
            _ => return self.let_float(scope, d),
        };
        let name = self.fresh("a");
        let lists = scope.matching(|v| v.is_list() && v.bound > 0);
        let (result, option) = (ty == Ty::Result, self.random.below(3));
        let e = match option {
            0 if !lists.is_empty() => {
                let v = self.random.pick(&lists).mention();
                let i = self.int(scope, 6);
                let or = if result {
                    ".ok_or(\"end\".to_string())"
                } else {
                    ""
                };
                tree!(Sort::Fixed, "*$.get($)$?", v, i, or)
            }
            1 if result => {
                let e = self.option(scope, d);
                tree!(Sort::Fixed, "$.ok_or_else(|| \"none\".to_string())?", e)
            }
            1 => {
                let e = self.value(&Ty::Result, scope, d);
                tree!(Sort::Fixed, "$.ok()?", e)
            }
            _ => tree!(Sort::Fixed, "$?", self.value(&ty, scope, d)),
        };
        scope.float(&name, false);
        tree!(Sort::Stmt, "let $ = $;\n", Part::Def(name), e)
    }
}

//! Expressions: numbers, integers, conditions, and values of the other types.

use super::Generator;
use super::items::Type;
use super::scope::{By, Kind, Scope, Variable};
use crate::tree::{Node, Part, Sort, Ty, tree};

const FLOAT: Sort = Sort::Expr(Ty::Float);

impl Generator {
    /// A number.
    pub(super) fn float(&mut self, scope: &Scope, depth: usize) -> Node {
        self.fuel -= 1;
        if depth == 0 || self.fuel < 0 {
            return self.leaf(scope);
        }
        let d = depth - 1;
        if self.random.chance(15)
            && let Some(e) = self.of_driver(scope, d.min(1))
        {
            return e;
        }
        match self.random.below(41) {
            0..=1 => self.leaf(scope),
            34 => self.of_matrix(scope, d).unwrap_or_else(|| self.leaf(scope)),
            35..=38 if !scope.generic => self.guarded(scope, d),
            39 => self.configured_float(scope, d),
            32..=33 => self.of_lent(scope).unwrap_or_else(|| self.leaf(scope)),
            2..=9 => self.binary(scope, d),
            10..=14 => self.unary(scope, d),
            15 => {
                let (c, a, b) = (
                    self.condition(scope, d),
                    self.float(scope, d),
                    self.float(scope, d),
                );
                let size = a.size.max(b.size);
                tree!(FLOAT, "(if $ { $ } else { $ })", c, a, b).sized(size)
            }
            16 => self.choice(scope, d),
            17 => {
                let (mut inner, name) = (scope.clone(), self.fresh("t"));
                let a = self.float(scope, d);
                inner.float(&name, false);
                let b = self.float(&inner, d);
                let size = b.size;
                tree!(
                    FLOAT,
                    "{ let $ = $; $ }",
                    Part::Def(name),
                    Self::typed(a),
                    b
                )
                .sized(size)
            }
            18..=21 => self.chain(scope, d),
            22..=24 => self
                .call_float(scope, d)
                .unwrap_or_else(|| self.leaf(scope)),
            25 => self.optional(scope, d),
            26 => self.of_pair(scope, d),
            27 => self.of_enum(scope, d).unwrap_or_else(|| self.leaf(scope)),
            29..=31 if !scope.generic => self.of_list(scope, d).unwrap_or_else(|| self.leaf(scope)),
            28 => {
                let i = self.int(scope, 6);
                let a = self.float(scope, d);
                let size = a.size;
                tree!(FLOAT, "(0.2 * $ * $)", Part::Cast(Box::new(i)), a)
                    .fix_number(0.2)
                    .sized(size)
            }
            _ => {
                let label = self.fresh("'b");
                let (c, a, b) = (
                    self.condition(scope, d),
                    self.float(scope, d),
                    self.float(scope, d),
                );
                tree!(
                    FLOAT,
                    "($: { if $ { break $ $; } $ })",
                    Part::Def(label.clone()),
                    c,
                    Part::Use(label),
                    a,
                    b
                )
            }
        }
    }

    /// A number of size at most about one and a half.
    pub(super) fn tame(&mut self, scope: &Scope, depth: usize) -> Node {
        let e = self.float(scope, depth);
        self.tamed(e, scope, 1.6)
    }

    pub(super) fn tamed(&mut self, e: Node, scope: &Scope, limit: f64) -> Node {
        if e.size <= limit {
            return e;
        }
        let e = self.receiver(e, scope);
        let template = *self
            .random
            .pick(&["$.tanh()", "$.sin()", "$.atan()", "$.cos()"]);
        tree!(FLOAT, template, e).sized(1.6)
    }

    /// Something that methods can be called on: not only literals, whose type nothing would say.
    fn receiver(&mut self, e: Node, scope: &Scope) -> Node {
        if scope.generic || e.is_typed() {
            let size = e.size;
            return tree!(Sort::Fixed, "($)", e).sized(size);
        }
        self.variable(scope)
            .unwrap_or_else(|| Node::number(0.5).bound())
    }

    /// Makes the type of a literal known where it is bound to a name.
    pub(super) fn typed(e: Node) -> Node {
        if e.is_typed() { e } else { e.bound() }
    }

    /// A variable or a part of one.
    fn variable(&mut self, scope: &Scope) -> Option<Node> {
        let mut options: Vec<Node> = Vec::new();
        for v in &scope.vars {
            match &v.kind {
                Kind::Value(Ty::Float) => {
                    options.push(v.number());
                    options.push(v.number());
                }
                _ if v.is_list() && v.bound > 0 => options.push(self.element(v, scope)),
                Kind::Value(Ty::Grid(n, m)) => {
                    let (i, j) = (self.int(scope, *n), self.int(scope, *m));
                    options.push(tree!(FLOAT, "$[$][$]", v.mention(), i, j));
                }
                Kind::Value(Ty::Rows) => {
                    let (i, j) = (self.int(scope, 2), self.int(scope, 2));
                    options.push(tree!(FLOAT, "$[$][$]", v.mention(), i, j));
                }
                Kind::Value(Ty::Pair) => {
                    let part = *self.random.pick(&["$.0", "$.1"]);
                    options.push(tree!(FLOAT, part, v.mention()));
                }
                Kind::Value(Ty::Named(name)) => {
                    if let Some(Type::Struct { fields, .. }) = self.named(name) {
                        let fields = fields.clone();
                        let (field, ty) = self.random.pick(&fields).clone();
                        match ty {
                            Ty::Float => options.push(tree!(FLOAT, "$.$", v.mention(), field)),
                            Ty::Array(n) => {
                                let i = self.int(scope, n);
                                options.push(tree!(FLOAT, "$.$[$]", v.mention(), field, i));
                            }
                            Ty::Vec => {
                                let i = self.int(scope, 2);
                                options.push(tree!(FLOAT, "$.$[$]", v.mention(), field, i));
                            }
                            Ty::Pair => options.push(tree!(FLOAT, "$.$.1", v.mention(), field)),
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
        if options.is_empty() {
            None
        } else {
            Some(self.random.pick(&options).clone())
        }
    }

    fn leaf(&mut self, scope: &Scope) -> Node {
        if self.random.chance(20) {
            return self.literal();
        }
        self.variable(scope).unwrap_or_else(|| self.literal())
    }

    pub(super) fn element(&mut self, v: &Variable, scope: &Scope) -> Node {
        let i = self.index(v, scope);
        tree!(FLOAT, "$[$]", v.mention(), i)
    }

    /// An index into a list that has an element.
    pub(super) fn index(&mut self, v: &Variable, scope: &Scope) -> Node {
        if self.random.chance(20) {
            let i = self.int(scope, 7);
            return tree!(Sort::Expr(Ty::Int), "($) % $.len()", i, v.mention());
        }
        self.int(scope, v.bound)
    }

    /// An integer that is not negative and below a bound.
    pub(super) fn int(&mut self, scope: &Scope, below: usize) -> Node {
        let ints = scope.matching(|v| v.kind == Kind::Value(Ty::Int));
        if ints.is_empty() || self.random.chance(35) {
            return tree!(Sort::Expr(Ty::Int), "$", self.random.below(below));
        }
        let v = self.random.pick(&ints).clone();
        let name = v.mention();
        if v.bound <= below && self.random.chance(70) {
            return tree!(Sort::Expr(Ty::Int), "$", name);
        }
        if v.bound < below {
            return tree!(Sort::Expr(Ty::Int), "$ + $", name, below - v.bound);
        }
        match self.random.below(2) {
            0 => tree!(
                Sort::Expr(Ty::Int),
                "($ + $) % $",
                name,
                1 + self.random.below(3),
                below
            ),
            _ => tree!(Sort::Expr(Ty::Int), "$ % $", name, below),
        }
    }

    pub(super) fn condition(&mut self, scope: &Scope, depth: usize) -> Node {
        const BOOL: Sort = Sort::Expr(Ty::Bool);
        let d = depth.min(1);
        match self.random.below(8) {
            0..=1 => tree!(BOOL, "$ == $", self.int(scope, 4), self.random.below(3)),
            2 => tree!(BOOL, "$ % 2 == 0", self.paren_int(scope)),
            3 => tree!(BOOL, "$ < $", self.receiver_leaf(scope), self.leaf(scope)),
            4..=5 => {
                let template = *self.random.pick(&["$ > $", "$ < $", "$ >= $"]);
                tree!(BOOL, template, self.receiver_leaf(scope), self.literal())
            }
            6 if d > 0 => {
                let template = *self.random.pick(&["$ && $", "$ || $"]);
                tree!(
                    BOOL,
                    template,
                    self.condition(scope, 0),
                    self.condition(scope, 0)
                )
            }
            _ => {
                let e = self.float(scope, d);
                tree!(BOOL, "$ > $", self.receiver(e, scope), self.literal())
            }
        }
    }

    fn paren_int(&mut self, scope: &Scope) -> Node {
        let i = self.int(scope, 5);
        tree!(Sort::Fixed, "($)", i)
    }

    fn receiver_leaf(&mut self, scope: &Scope) -> Node {
        let leaf = self.leaf(scope);
        self.receiver(leaf, scope)
    }

    fn binary(&mut self, scope: &Scope, d: usize) -> Node {
        let (a, b) = (self.float(scope, d), self.float(scope, d));
        let (x, y) = (a.size, b.size);
        match self.random.below(12) {
            0..=2 => tree!(FLOAT, "($ + $)", a, b).sized(x + y),
            3..=4 => tree!(FLOAT, "($ - $)", a, b).sized(x + y),
            5..=7 => {
                let (a, b) = if x * y > 6.0 {
                    (self.tamed(a, scope, 1.6), self.tamed(b, scope, 1.6))
                } else {
                    (a, b)
                };
                let size = a.size * b.size;
                tree!(FLOAT, "$ * $", a, b).parenthesised().sized(size)
            }
            8 => {
                let below = self.positive(b, scope);
                tree!(FLOAT, "($ / $)", a, below).sized(2.0 * x)
            }
            9 => {
                let (a, b) = (self.receiver(a, scope), self.tamed(b, scope, 1.6));
                let template = *self.random.pick(&["$.max($)", "$.min($)", "$.hypot($)"]);
                tree!(FLOAT, template, a, b).sized(x.max(1.6) * 1.5)
            }
            10 => {
                let a = self.receiver(a, scope);
                let c = self.tame(scope, 0);
                let b = self.tamed(b, scope, 1.6);
                tree!(FLOAT, "$.mul_add($, $)", a, c, b).sized(1.6 * x + 1.6)
            }
            _ => {
                let b = self.positive(b, scope);
                let a = self.receiver(a, scope);
                tree!(FLOAT, "$.atan2($)", a, b).sized(1.6)
            }
        }
    }

    /// Something that is at least about one.
    fn positive(&mut self, e: Node, scope: &Scope) -> Node {
        let e = self.tamed(e, scope, 2.5);
        let e = self.receiver(e, scope);
        let template = *self.random.pick(&[
            "(1.2 + $.abs())",
            "(2.5 + $.sin())",
            "(1.1 + $.powi(2))",
            "(0.8 + $.exp())",
        ]);
        tree!(FLOAT, template, e).fix_leading_number().sized(4.0)
    }

    fn unary(&mut self, scope: &Scope, d: usize) -> Node {
        let a = self.float(scope, d);
        if a.size > 3.0 {
            return self.tamed(a, scope, 1.6);
        }
        let a = self.receiver(a, scope);
        let size = a.size;
        match self.random.below(16) {
            0 => tree!(FLOAT, "$.sin()", a).sized(1.0),
            1 => tree!(FLOAT, "$.cos()", a).sized(1.0),
            2 => tree!(FLOAT, "$.tanh()", a).sized(1.0),
            3 => {
                let a = self.tamed(a, scope, 1.6);
                let a = self.receiver(a, scope);
                tree!(FLOAT, "$.exp()", a).sized(4.0)
            }
            4 => tree!(FLOAT, "$.sqrt()", self.positive(a, scope)),
            5 => tree!(FLOAT, "$.ln()", self.positive(a, scope)),
            6 => tree!(FLOAT, "$.abs()", a).sized(size),
            7 => tree!(FLOAT, "$.powi(2)", a).sized(size * size),
            8 => tree!(FLOAT, "$.powi(3)", a).sized(size.powi(3)),
            9 => tree!(FLOAT, "$.atan()", a).sized(1.5),
            10 => tree!(FLOAT, "$.recip()", self.positive(a, scope)).sized(1.0),
            11 => tree!(FLOAT, "(-$)", a).sized(size),
            12 => tree!(
                FLOAT,
                "$.clamp($, $)",
                a,
                Node::number(-0.7),
                Node::number(0.9)
            )
            .sized(1.0),
            13 => {
                let base = self.positive(a, scope);
                let exponent = self.tame(scope, 0);
                tree!(FLOAT, "$.powf($)", base, exponent).sized(6.0)
            }
            14 => tree!(FLOAT, "~::sin($)", a).sized(1.0),
            _ => tree!(FLOAT, "$.asinh()", a).sized(size),
        }
    }

    /// `match` on an integer.
    fn choice(&mut self, scope: &Scope, d: usize) -> Node {
        let k = 2 + self.random.below(2);
        let mut parts = vec![Part::from(self.paren_int(scope)), k.into()];
        let mut template = "(match $ % $ {".to_owned();
        for arm in 0..k {
            let pattern = if arm + 1 == k {
                "_".to_owned()
            } else {
                arm.to_string()
            };
            if arm + 1 < k && self.random.chance(30) {
                parts.push(pattern.clone().into());
                parts.push(self.condition(scope, 0).into());
                parts.push(self.float(scope, d).into());
                template.push_str("$ if $ => $,");
            }
            parts.push(pattern.into());
            parts.push(self.float(scope, d).into());
            template.push_str("$ => $,");
        }
        template.push_str("})");
        Node::new(FLOAT, &template, parts).sized(4.0)
    }

    /// A number from an `Option`.
    fn optional(&mut self, scope: &Scope, d: usize) -> Node {
        let option = self.option(scope, d);
        let other = self.float(scope, d.min(1));
        let name = self.fresh("o");
        let mut inner = scope.closure();
        inner.float(&name, false);
        match self.random.below(5) {
            0 => tree!(FLOAT, "$.unwrap_or($)", option, other),
            1 => tree!(
                FLOAT,
                "$.map_or($, |$| $)",
                option,
                other,
                Part::Def(name),
                self.float(&inner, d)
            ),
            2 => tree!(
                FLOAT,
                "$.map(|$| $).unwrap_or($)",
                option,
                Part::Def(name),
                self.float(&inner, d),
                other
            ),
            3 => {
                let mut inner = scope.clone();
                inner.float(&name, false);
                let body = self.float(&inner, d);
                tree!(
                    FLOAT,
                    "(match $ { Some($) => $, None => $ })",
                    option,
                    Part::Def(name),
                    body,
                    other
                )
            }
            _ => {
                let mut inner = scope.clone();
                inner.float(&name, false);
                let body = self.float(&inner, d);
                tree!(
                    FLOAT,
                    "(if let Some($) = $ { $ } else { $ })",
                    Part::Def(name),
                    option,
                    body,
                    other
                )
            }
        }
    }

    /// An `Option` of a number.
    pub(super) fn option(&mut self, scope: &Scope, d: usize) -> Node {
        const OPTION: Sort = Sort::Expr(Ty::Option);
        if let Some(call) = self.call_of(&Ty::Option, scope, d)
            && self.random.chance(60)
        {
            return call;
        }
        let lists = scope.matching(Variable::is_list);
        match self.random.below(4) {
            0 if !lists.is_empty() => {
                let v = self.random.pick(&lists).clone();
                let i = self.int(scope, 8);
                tree!(OPTION, "$.get($).copied()", v.mention(), i)
            }
            1 if !lists.is_empty() => {
                let v = self.random.pick(&lists).clone();
                let end = *self.random.pick(&["first", "last"]);
                tree!(OPTION, "$.$().copied()", v.mention(), end)
            }
            2 => {
                let (c, e) = (self.condition(scope, 0), self.float(scope, d));
                tree!(
                    OPTION,
                    "(if $ { Some($) } else { None })",
                    c,
                    Self::typed(e)
                )
            }
            _ => {
                let (c, e) = (self.condition(scope, 0), self.float(&scope.closure(), d));
                tree!(OPTION, "($).then(|| $)", c, Self::typed(e))
            }
        }
    }

    fn of_pair(&mut self, scope: &Scope, d: usize) -> Node {
        let (p, q) = (self.fresh("p"), self.fresh("q"));
        let pair = self.pair(scope, d);
        let mut inner = scope.clone();
        inner.float(&p, false);
        inner.float(&q, false);
        let body = self.float(&inner, d);
        tree!(
            FLOAT,
            "{ let ($, $) = $; $ }",
            Part::Def(p),
            Part::Def(q),
            pair,
            body
        )
    }

    /// Two numbers.
    pub(super) fn pair(&mut self, scope: &Scope, d: usize) -> Node {
        const PAIR: Sort = Sort::Expr(Ty::Pair);
        if let Some(call) = self.call_of(&Ty::Pair, scope, d)
            && self.random.chance(60)
        {
            return call;
        }
        let (a, b) = (self.tame(scope, d), self.tame(scope, d));
        match self.random.below(3) {
            0 => {
                let a = self.receiver(a, scope);
                tree!(PAIR, "$.sin_cos()", a)
            }
            _ => tree!(PAIR, "($, $)", Self::typed(a), Self::typed(b)),
        }
    }

    /// A value of a type.
    pub(super) fn value(&mut self, ty: &Ty, scope: &Scope, d: usize) -> Node {
        let sort = Sort::Expr(ty.clone());
        match ty {
            Ty::Float => self.tame(scope, d),
            Ty::Int => self.int(scope, 4),
            Ty::Bool => self.condition(scope, d),
            Ty::Array(n) => {
                let vars = scope.matching(|v| v.kind == Kind::Value(ty.clone()) && v.by == By::Own);
                if !vars.is_empty() && self.random.chance(30) {
                    return tree!(sort, "$", self.random.pick(&vars).mention());
                }
                match self.random.below(4) {
                    0 => tree!(sort, "[$; $]", self.tame(scope, d), *n),
                    1 => {
                        let name = self.fresh("i");
                        let mut inner = scope.closure();
                        inner.int(&name, *n);
                        let body = self.tame(&inner, d);
                        tree!(
                            sort,
                            "core::array::from_fn::<_, $, _>(|$: usize| $)",
                            *n,
                            Part::Def(name),
                            body
                        )
                    }
                    _ => {
                        let parts = (0..*n).map(|_| self.tame(scope, d.min(1)).into()).collect();
                        let mut items = vec!["$"; *n];
                        if self.configurable && self.random.chance(8) {
                            items.insert(1, "#[cfg(windows)] ~::MAX");
                        }
                        Node::new(sort, &format!("[{}]", items.join(", ")), parts)
                    }
                }
            }
            Ty::Vec => {
                if let Some(call) = self.call_of(&Ty::Vec, scope, d)
                    && self.random.chance(40)
                {
                    return call;
                }
                self.list(scope, d)
            }
            Ty::Grid(n, m) => {
                if self.random.chance(50) {
                    return tree!(sort, "[[$; $]; $]", self.tame(scope, d), *m, *n);
                }
                let row = format!("[{}]", vec!["$"; *m].join(", "));
                let parts = (0..n * m).map(|_| self.leaf(scope).into()).collect();
                Node::new(sort, &format!("[{}]", vec![row; *n].join(", ")), parts)
            }
            Ty::Rows => self.rows(scope, d),
            Ty::Pair => self.pair(scope, d),
            Ty::Option => self.option(scope, d),
            Ty::Result => {
                if let Some(call) = self.call_of(&Ty::Result, scope, d)
                    && self.random.chance(60)
                {
                    return call;
                }
                let option = self.option(scope, d);
                tree!(sort, "$.ok_or(\"none\".to_string())", option)
            }
            Ty::Named(name) => self.named_value(name, scope, d),
            Ty::Other => unreachable!("no value of another type is asked for"),
        }
    }

    /// A `Vec` of at least two numbers.
    fn list(&mut self, scope: &Scope, d: usize) -> Node {
        const VEC: Sort = Sort::Expr(Ty::Vec);
        let lists = scope.matching(|v| v.is_list() && v.bound >= 2);
        match self.random.below(5) {
            0 if !lists.is_empty() => {
                tree!(VEC, "$.to_vec()", self.random.pick(&lists).mention())
            }
            1 if !lists.is_empty() => {
                let v = self.random.pick(&lists).clone();
                let item = self.fresh("e");
                let mut inner = scope.closure();
                inner.float_by(&item, By::Ref);
                let body = self.tame(&inner, d);
                tree!(
                    VEC,
                    "$.iter().map(|$| $).collect::<Vec<~>>()",
                    v.mention(),
                    Part::Def(item),
                    body
                )
            }
            2 => {
                let item = self.fresh("i");
                let mut inner = scope.closure();
                let n = 2 + self.random.below(2);
                inner.int(&item, n);
                let body = self.tame(&inner, d);
                tree!(
                    VEC,
                    "(0..$).map(|$| $).collect::<Vec<~>>()",
                    n,
                    Part::Def(item),
                    body
                )
            }
            3 => tree!(
                VEC,
                "vec![$; $]",
                self.tame(scope, d),
                2 + self.random.below(3)
            ),
            _ => {
                let (a, b, c) = (
                    self.tame(scope, d),
                    self.tame(scope, d.min(1)),
                    self.tame(scope, 0),
                );
                tree!(VEC, "vec![$, $, $]", Self::typed(a), b, c)
            }
        }
    }

    fn of_enum(&mut self, scope: &Scope, d: usize) -> Option<Node> {
        // The program's types hold `f64`.
        if scope.generic {
            return None;
        }
        let names: Vec<String> = self
            .types
            .iter()
            .filter(|t| !t.is_struct())
            .map(|t| t.name().to_owned())
            .collect();
        let name = names.first()?.clone();
        let subject = match scope
            .matching(|v| v.kind == Kind::Value(Ty::Named(name.clone())))
            .first()
        {
            Some(v) if v.by == By::Own => tree!(Sort::Fixed, "&$", v.mention()),
            Some(v) => tree!(Sort::Fixed, "$", v.mention()),
            None => {
                let value = self.named_value(&name, scope, d.min(1));
                tree!(Sort::Fixed, "&$", value)
            }
        };
        Some(self.match_enum(&name, subject, scope, d))
    }

    /// `match` on a reference to an enum.
    pub(super) fn match_enum(
        &mut self,
        name: &str,
        subject: Node,
        scope: &Scope,
        d: usize,
    ) -> Node {
        let (a, p, q, r) = (
            self.fresh("a"),
            self.fresh("p"),
            self.fresh("q"),
            self.fresh("r"),
        );
        let mut one = scope.clone();
        one.float_by(&a, By::Ref);
        let mut two = scope.clone();
        two.float_by(&p, By::Ref);
        two.float_by(&q, By::Ref);
        let mut three = scope.clone();
        three.add(&r, Kind::Value(Ty::Array(2)), By::Ref, false, 2);
        let (e1, e2, e3, e4) = (
            self.float(&one, d),
            self.float(&two, d),
            self.float(&three, d),
            self.float(scope, d),
        );
        tree!(
            FLOAT,
            "(match $ { $::One($) => $, $::Two { p: $, q: $ } => $, $::Many($) => $, $::Nothing => $ })",
            subject,
            name,
            Part::Def(a),
            e1,
            name,
            Part::Def(p),
            Part::Def(q),
            e2,
            name,
            Part::Def(r),
            e3,
            name,
            e4
        )
    }
}

impl Node {
    /// Around a product, to stand as an operand.
    fn parenthesised(self) -> Self {
        let sort = self.sort.clone();
        tree!(
            sort,
            "($)",
            Self {
                sort: Sort::Fixed,
                ..self
            }
        )
    }

    /// The number that the template begins with becomes one that is printed for the program's type of numbers.
    fn fix_leading_number(self) -> Self {
        let Some(Part::Text(first)) = self.parts.first() else {
            return self;
        };
        let digits: String = first[1..]
            .chars()
            .take_while(|c| c.is_ascii_digit() || *c == '.')
            .collect();
        let number: f64 = digits.parse().expect("a number");
        self.fix_number(number)
    }

    fn fix_number(mut self, number: f64) -> Self {
        let Some(Part::Text(first)) = self.parts.first().cloned() else {
            return self;
        };
        let rest = first.replacen(&format!("({number:?}"), "", 1);
        self.parts.splice(
            0..1,
            [
                Part::Text("(".to_owned()),
                Part::Number(number),
                Part::Text(rest),
            ],
        );
        self
    }

    /// With its type said.
    fn bound(self) -> Self {
        let size = self.size;
        tree!(Sort::Fixed, "{ let v: ~ = $; v }", self).sized(size)
    }

    /// Whether the type of this number follows from its parts: they aren't all literals.
    fn is_typed(&self) -> bool {
        let tells = |part: &Part| match part {
            Part::Use(name) => !name.starts_with('\''),
            Part::Cast(_) | Part::Float => true,
            Part::Node(node) => {
                matches!(node.sort, Sort::Fixed | Sort::Expr(Ty::Float)) && node.is_typed()
            }
            _ => false,
        };
        if matches!(self.parts.first(), Some(Part::Text(text)) if text.starts_with("{ let (") || text.starts_with("{ let ") && self.parts.len() > 5)
        {
            // A block is of the type of what it ends with.
            return self
                .parts
                .iter()
                .rev()
                .find(|p| matches!(p, Part::Node(_)))
                .is_some_and(tells);
        }
        self.parts.iter().any(tells)
    }
}

//! Functions whose drivers are called in other differentiated functions, and closures that are differentiated where they stand.

use super::Generator;
use super::scope::Scope;
use crate::tree::{NESTED, Node, PARAMETER, Part, Sort, Ty, tree};

/// A function of two numbers with `nested` or `order = 3`.
#[derive(Clone, Debug)]
pub(super) struct Potential {
    name: String,
}

const FLOAT: Sort = Sort::Expr(Ty::Float);

impl Generator {
    /// Writes one. Whether it has third derivatives holds for the whole program: it is what decides if `entry` is differentiated twice.
    pub(super) fn potential(&mut self) {
        let name = self.fresh("u");
        let mut names = vec!["a".to_owned(), "b".to_owned()];
        let mut statements = Vec::new();
        for _ in 0..self.random.below(3) {
            let e = self.smooth(&names, 2);
            let local = self.fresh("a");
            if self.random.chance(40) {
                let more = self.smooth(&[names.clone(), vec![local.clone()]].concat(), 1);
                let trips = 1 + self.random.below(3);
                statements.push(tree!(
                    Sort::Stmt,
                    "let mut $ = $;\nfor _ in 0..$ { $ = $ * $ + $; }\n",
                    Part::Def(local.clone()),
                    e,
                    trips,
                    &local,
                    &local,
                    Node::number(0.5),
                    more
                ));
            } else {
                statements.push(tree!(
                    Sort::Stmt,
                    "let $ = $;\n",
                    Part::Def(local.clone()),
                    e
                ));
            }
            names.push(local);
        }
        let result = self.smooth(&names, 3);
        let attribute = if self.third {
            "#[differentiable(order = 3)]\n"
        } else {
            "#[differentiable(nested)]\n"
        };
        self.items.push(tree!(
            Sort::Item,
            "$$fn $$(a: ~, b: ~) -> ~ {\n$$\n}\n",
            NESTED,
            Part::Attribute(attribute.to_owned()),
            Part::Def(name.clone()),
            PARAMETER,
            Node::list(Sort::Fixed, statements),
            tree!(
                Sort::Fixed,
                "$ * (a + $ * b).sin()",
                result,
                Node::number(0.7)
            )
        ));
        self.potentials.push(Potential { name });
    }

    /// A number from operations that have derivatives of every order.
    fn smooth(&mut self, names: &[String], depth: usize) -> Node {
        if depth == 0 {
            if self.random.chance(15) {
                return self.literal();
            }
            return tree!(FLOAT, "$", Part::Use(self.random.pick(names).clone()));
        }
        let name = Part::Use(self.random.pick(names).clone());
        let (a, b) = (self.smooth(names, depth - 1), self.smooth(names, depth - 1));
        match self.random.below(11) {
            0..=1 => tree!(FLOAT, "($ + $)", a, b),
            2 => tree!(FLOAT, "($ - $)", a, b),
            3..=4 => tree!(FLOAT, "($ * $)", a, b),
            5 => tree!(
                FLOAT,
                "($ / ($ + $ * $))",
                a,
                Node::number(1.5),
                name.clone(),
                name
            ),
            6 => tree!(FLOAT, "($ * $).sin()", name, a),
            7 => tree!(FLOAT, "($ + $).cos()", name, a),
            8 => tree!(FLOAT, "($ * $).tanh()", name, a),
            9 => tree!(FLOAT, "($ * $).tanh().exp()", name, a),
            _ => tree!(
                FLOAT,
                "(if $ > $ { $ } else { $ })",
                name,
                self.literal(),
                a,
                b
            ),
        }
    }

    /// A closure that is differentiated where it stands. All but `x` is captured.
    pub(super) fn captured(&mut self) {
        self.begin(30);
        let mut scope = Scope::new();
        scope.slice("x", 4, false);
        scope.float("s", false);
        scope.slice("c", 4, false);
        scope.int("n", 4);
        scope.value("list", Ty::Vec, false, 4);
        // It is of another module to functions that lend.
        let lenders = std::mem::take(&mut self.lenders);
        self.configurable = false;
        let body = self.body(&mut scope, 2);
        self.configurable = true;
        self.lenders = lenders;
        let begin = Part::Driver {
            name: String::new(),
            plain: "pub fn captured(x: &[f64], s: f64, c: &[f64], n: usize, x_dot: &[f64]) -> (f64, Vec<f64>, Vec<f64>) {\n\
                    let list = c.to_vec();\nlet f = chainrule::closure!(|x: &[f64]| "
                .to_owned(),
            bare: "pub fn captured(x: &[f64], s: f64, c: &[f64], n: usize) -> f64 {\nlet list = c.to_vec();\n"
                .to_owned(),
            oracle: "pub fn captured(x: &[D], s: D, c: &[D], n: usize) -> D {\nlet list = c.to_vec();\n"
                .to_owned(),
        };
        let end = Part::Driver {
            name: String::new(),
            plain: ");\nlet (value, gradient) = f.value_and_gradient(x);\n(value, gradient, f.hvp(x, x_dot))\n}\n".to_owned(),
            bare: "}\n".to_owned(),
            oracle: "}\n".to_owned(),
        };
        self.items.push(tree!(Sort::Item, "$$$", begin, body, end));
    }

    /// The results of a driver: two numbers.
    pub(super) fn driven(&mut self, scope: &Scope, d: usize) -> Option<Node> {
        if self.potentials.is_empty() || scope.generic {
            return None;
        }
        let Potential { name } = self.random.pick(&self.potentials.clone()).clone();
        let driver = |plain: &str, oracle: &str| Part::Driver {
            name: name.clone(),
            plain: format!("{name}::{plain}"),
            bare: format!("(|a: f64, b: f64, _: f64, _: f64| ({name}(a, b), a))"),
            oracle: format!("hunt::number::{oracle}(|a, b| {name}(a, b), |a, b| {name}(a, b))"),
        };
        let (a, b) = (self.tame(scope, d), self.tame(scope, 0));
        let (u, v) = (self.tame(scope, 0), self.tame(scope, 0));
        let sort = Sort::Expr(Ty::Pair);
        Some(match self.random.below(3) {
            0..=1 => {
                let driver = Part::Driver {
                    name: name.clone(),
                    plain: format!("{name}::gradient"),
                    bare: format!("(|a: f64, b: f64| ({name}(a, b), a))"),
                    oracle: format!("hunt::number::gradient(|a, b| {name}(a, b))"),
                };
                tree!(sort, "$($, $)", driver, a, b)
            }
            _ if self.third => {
                // Only `gradient` has derivatives of second order.
                let driver = Part::Driver {
                    name: name.clone(),
                    plain: format!("{name}::value_and_gradient"),
                    bare: format!("(|a: f64, b: f64| ({name}(a, b), (a, b)))"),
                    oracle: format!(
                        "hunt::number::value_and_gradient(|a, b| {name}(a, b), |a, b| {name}(a, b))"
                    ),
                };
                tree!(sort, "$($, $).1", driver, a, b)
            }
            _ => tree!(sort, "$($, $, $, $)", driver("jvp", "jvp"), a, b, u, v),
        })
    }

    /// A number from a driver.
    pub(super) fn of_driver(&mut self, scope: &Scope, d: usize) -> Option<Node> {
        let pair = self.driven(scope, d)?;
        let part = self.random.below(2);
        let e = tree!(Sort::Fixed, "$.$", pair, part);
        Some(tree!(FLOAT, "($).tanh()", e))
    }

    /// A step along a slope, some times.
    pub(super) fn descent(&mut self, scope: &mut Scope, d: usize) -> Node {
        let (a, b) = (self.fresh("a"), self.fresh("a"));
        let (e, f) = (self.tame(scope, d), self.tame(scope, 0));
        let mut inner = scope.clone();
        inner.float(&a, true);
        inner.float(&b, true);
        let trips = self.int(scope, 4);
        let Some(pair) = self.driven(&inner, 1) else {
            return self.let_float(scope, d);
        };
        let (p, q) = (self.fresh("p"), self.fresh("q"));
        scope.float(&a, true);
        scope.float(&b, true);
        tree!(
            Sort::Stmt,
            "let (mut $, mut $): (~, ~) = ($, $);\nfor _ in 0..$ {\nlet ($, $) = $;\n$ -= $ * $.sin();\n$ += $ * $.sin();\n}\n",
            Part::Def(a.clone()),
            Part::Def(b.clone()),
            e,
            f,
            trips,
            Part::Def(p.clone()),
            Part::Def(q.clone()),
            pair,
            Part::Use(a),
            Node::number(0.3),
            Part::Use(p),
            Part::Use(b),
            Node::number(0.2),
            Part::Use(q)
        )
    }
}

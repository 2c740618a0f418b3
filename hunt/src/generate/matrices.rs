//! Small matrices: arrays of arrays, and lists of lists.

use super::Generator;
use super::scope::{By, Kind, Scope, Variable};
use crate::tree::{Node, Part, Sort, Ty, tree};

const FLOAT: Sort = Sort::Expr(Ty::Float);

fn is_matrix(v: &Variable) -> bool {
    matches!(v.kind, Kind::Value(Ty::Grid(..) | Ty::Rows))
}

/// The least numbers of rows and columns.
fn shape(v: &Variable) -> (usize, usize) {
    match v.kind {
        Kind::Value(Ty::Grid(n, m)) => (n, m),
        _ => (2, 2),
    }
}

impl Generator {
    /// A list of at least two rows, of at least two numbers each.
    pub(super) fn rows(&mut self, scope: &Scope, d: usize) -> Node {
        const ROWS: Sort = Sort::Expr(Ty::Rows);
        let vars = scope.matching(|v| v.kind == Kind::Value(Ty::Rows));
        match self.random.below(5) {
            0 if !vars.is_empty() => tree!(ROWS, "$.clone()", self.random.pick(&vars).mention()),
            1 => tree!(
                ROWS,
                "vec![vec![$; 2]; 2]",
                Self::typed(self.tame(scope, d))
            ),
            2 => {
                let (i, j) = (self.fresh("i"), self.fresh("j"));
                let mut inner = scope.closure();
                inner.int(&i, 2);
                inner.int(&j, 2);
                let e = self.tame(&inner, d);
                tree!(
                    ROWS,
                    "(0..2).map(|$: usize| (0..2).map(|$: usize| $).collect::<Vec<~>>()).collect::<Vec<Vec<~>>>()",
                    Part::Def(i),
                    Part::Def(j),
                    e
                )
            }
            3 => {
                let (a, b) = (
                    self.value(&Ty::Vec, scope, d),
                    self.value(&Ty::Vec, scope, 0),
                );
                tree!(ROWS, "vec![$, $]", a, b)
            }
            _ => {
                let e: Vec<Node> = (0..5).map(|_| self.tame(scope, 0)).collect();
                let [a, b, c, d, e] = <[Node; 5]>::try_from(e).expect("five");
                tree!(
                    ROWS,
                    "vec![vec![$, $], vec![$, $, $]]",
                    Self::typed(a),
                    b,
                    Self::typed(c),
                    d,
                    e
                )
            }
        }
    }

    /// A number from a matrix.
    pub(super) fn of_matrix(&mut self, scope: &Scope, d: usize) -> Option<Node> {
        let matrices = scope.matching(is_matrix);
        if matrices.is_empty() {
            return None;
        }
        let m = self.random.pick(&matrices).mention();
        let t = self.fresh("t");
        let mut inner = scope.closure();
        inner.slice(&t, 2, false);
        let e = Self::typed(self.tame(&inner, d));
        Some(
            match self.random.below(7) {
                0 => tree!(FLOAT, "$.iter().map(|r| r.iter().sum::<~>()).sum::<~>()", m),
                1 => tree!(
                    FLOAT,
                    "$.iter().map(|r| r[0] * r[1]).fold($, |a, b| a * $ + b)",
                    m,
                    self.tame(scope, 0),
                    self.literal()
                ),
                2 => tree!(FLOAT, "$.iter().flatten().map(|e| e * e).sum::<~>()", m),
                3 => tree!(FLOAT, "(0..2).map(|i| $[i][1 - i]).product::<~>()", m),
                4 => tree!(FLOAT, "$.iter().map(|$| $).sum::<~>()", m, Part::Def(t), e),
                5 => {
                    let lists = scope.matching(|v| v.is_list() && v.bound >= 2);
                    let w = self.random.pick(if lists.is_empty() {
                        return None;
                    } else {
                        &lists
                    });
                    tree!(
                        FLOAT,
                        "$.iter().zip($.iter()).map(|(r, k)| r[1] * *k).sum::<~>()",
                        m,
                        w.mention()
                    )
                }
                _ => tree!(
                    FLOAT,
                    "$.iter().map(|r| r.iter().product::<~>()).sum::<~>()",
                    m
                ),
            }
            .sized(5.0),
        )
    }

    /// A matrix is changed, multiplied, or its rows are moved.
    pub(super) fn matrix_statement(&mut self, scope: &mut Scope, d: usize) -> Node {
        const STMT: Sort = Sort::Stmt;
        let matrices = scope.matching(|v| is_matrix(v) && v.writable);
        if matrices.is_empty() || scope.generic {
            let ty = if self.random.chance(50) && !scope.generic {
                Ty::Rows
            } else {
                Ty::Grid(2, 3)
            };
            return self.let_of(&ty, scope, d);
        }
        let m = self.random.pick(&matrices).clone();
        let (name, (n, k)) = (m.mention(), shape(&m));
        let others = scope.without(std::slice::from_ref(&m.name));
        let list = m.kind == Kind::Value(Ty::Rows);
        let row = |scope: &mut Scope, name: &str| {
            if list {
                scope.add(name, Kind::Value(Ty::Vec), By::Mut, true, 2);
            } else {
                scope.slice(name, 2, true);
            }
        };
        let (i, j) = (self.fresh("i"), self.fresh("j"));
        match self.random.below(11) {
            0..=1 => {
                let mut inner = scope.clone();
                inner.int(&i, n);
                inner.int(&j, k);
                let e = self.tame(&inner, d);
                tree!(
                    STMT,
                    "for $ in 0..$ {\nfor $ in 0..$ {\n$[$][$] += $;\n}\n}\n",
                    Part::Def(i.clone()),
                    n,
                    Part::Def(j.clone()),
                    k,
                    name,
                    Part::Use(i),
                    Part::Use(j),
                    e
                )
            }
            2 => {
                let b = self.fresh("b");
                let others = scope.matching(is_matrix);
                let w = self.random.pick(&others).mention();
                scope.value(&b, Ty::Grid(2, 2), true, 0);
                tree!(
                    STMT,
                    "let mut $ = [[$; 2]; 2];\nfor i in 0..2 {\nfor j in 0..2 {\nfor k in 0..2 {\n$[i][j] += $[i][k] * $[k][j];\n}\n}\n}\n",
                    Part::Def(b.clone()),
                    Self::typed(Node::number(0.0)),
                    Part::Use(b),
                    name,
                    w
                )
            }
            3 => tree!(STMT, "$.swap(0, 1);\n", name),
            4 if list => tree!(
                STMT,
                "$[$].push($);\n",
                name,
                self.int(&others, 2),
                self.tame(&others, d)
            ),
            5 if list => {
                let row = self.value(&Ty::Vec, &others, d);
                let template =
                    *self
                        .random
                        .pick(&["$.push($);\n", "$.insert(1, $);\n", "$[0] = $;\n"]);
                tree!(STMT, template, name, row)
            }
            6 => {
                let mut inner = others.clone();
                row(&mut inner, &i);
                let (a, b) = (self.write(&mut inner, d), self.write(&mut inner, d));
                let template = *self.random.pick(&[
                    "for $ in $.iter_mut() {\n$$}\n",
                    "for $ in $.iter_mut().rev() {\n$$}\n",
                ]);
                tree!(STMT, template, Part::Def(i), name, a, b)
            }
            7 => {
                let l = self.fresh("l");
                let row = self.int(scope, 2);
                let node = tree!(STMT, "let $ = &$[$];\n", Part::Def(l.clone()), name, row);
                scope.freeze(&node);
                if list {
                    scope.add(&l, Kind::Value(Ty::Vec), By::Ref, false, 2);
                } else {
                    scope.add(&l, Kind::Value(Ty::Array(k)), By::Ref, false, k);
                }
                node
            }
            8 => {
                let mut inner = others.clone();
                row(&mut inner, &i);
                let (a, b) = (self.write(&mut inner, d), self.write(&mut inner, d));
                tree!(
                    STMT,
                    "{\nlet $ = &mut $[$];\n$$}\n",
                    Part::Def(i),
                    name,
                    self.int(&others, 2),
                    a,
                    b
                )
            }
            9 => {
                let e = self.tame(&others.closure(), 1);
                tree!(
                    STMT,
                    "for row in &mut $ {\nfor v in row.iter_mut() {\n*v = *v * $ + $;\n}\n}\n",
                    if m.by == By::Own {
                        tree!(Sort::Fixed, "$", name)
                    } else {
                        tree!(Sort::Fixed, "*$", name)
                    },
                    e,
                    self.literal()
                )
            }
            _ => {
                let b = self.fresh("b");
                let row = self.int(scope, 2);
                let ty = if list { Ty::Vec } else { Ty::Array(k) };
                scope.value(&b, ty, true, 2);
                tree!(STMT, "let mut $ = $[$].clone();\n", Part::Def(b), name, row)
            }
        }
    }
}

//! Methods of lists: statements that change one, whose arguments read it, and numbers that are made from one.

use super::Generator;
use super::scope::{By, Kind, Scope, Variable};
use crate::tree::{Node, Part, Sort, Ty, tree};

const FLOAT: Sort = Sort::Expr(Ty::Float);
const INT: Sort = Sort::Expr(Ty::Int);

impl Generator {
    /// A method that changes a list. Afterwards a `Vec` is at least as long as it was known to be.
    pub(super) fn list_statement(&mut self, scope: &mut Scope, d: usize) -> Node {
        let lists = scope.matching(|v| v.is_list() && v.writable && v.bound >= 2);
        if lists.is_empty() || scope.generic {
            return self.let_value(scope, d);
        }
        let v = self.random.pick(&lists).clone();
        if v.kind == Kind::Value(Ty::Vec) && self.random.chance(75) {
            self.vec_statement(&v, scope, d)
        } else {
            self.slice_statement(&v, scope, d)
        }
    }

    /// A position in a list, perhaps told by its length.
    fn position(&mut self, v: &Variable, scope: &Scope) -> Node {
        match self.random.below(6) {
            0 => tree!(INT, "$.len() / 2", v.mention()),
            1 => tree!(INT, "$.len() - 1", v.mention()),
            2 => tree!(INT, "$.len() - 2", v.mention()),
            3 => {
                let i = self.int(scope, 7);
                tree!(INT, "($) % $.len()", i, v.mention())
            }
            _ => self.int(scope, v.bound),
        }
    }

    /// Methods of `Vec` alone. Their arguments are evaluated before the list is borrowed, so that they may read it.
    fn vec_statement(&mut self, v: &Variable, scope: &Scope, d: usize) -> Node {
        const STMT: Sort = Sort::Stmt;
        let name = v.mention();
        let others = scope.without(std::slice::from_ref(&v.name));
        let e = self.tame(scope, d);
        // Makes up for what was taken away.
        let refill = if self.random.chance(50) {
            tree!(
                Sort::Fixed,
                "$.resize($.len().max($), $);\n",
                name.clone(),
                name.clone(),
                v.bound,
                self.tame(&others, 1)
            )
        } else {
            tree!(
                Sort::Fixed,
                "while $.len() < $ { $.push($); }\n",
                name.clone(),
                v.bound,
                name.clone(),
                self.tame(&others, 1)
            )
        };
        match self.random.below(22) {
            0 => tree!(STMT, "$.push($);\n", name, e),
            1 => tree!(STMT, "$.insert($, $);\n", name, self.position(v, scope), e),
            2..=3 => {
                let range = *self.random.pick(&[
                    "$.len() - 2..$.len() - 1",
                    "$.len() - 1..$.len()",
                    "0..$.len() / $.len()",
                ]);
                let range = range.replace('$', &v.name);
                let items = match self.random.below(3) {
                    0 => tree!(Sort::Fixed, "[$]", e),
                    1 => tree!(Sort::Fixed, "[$, $]", e, self.tame(scope, 0)),
                    _ => tree!(Sort::Fixed, "vec![$; 2]", e),
                };
                tree!(STMT, "$.splice($, $);\n", name, range, items)
            }
            4 => {
                let more = 1 + self.random.below(2);
                tree!(
                    STMT,
                    "$.resize($.len() + $, $);\n",
                    name.clone(),
                    name,
                    more,
                    e
                )
            }
            5 => {
                let range = *self.random.pick(&["..1", "1..2", "0..=0"]);
                tree!(STMT, "$.extend_from_within($);\n", name, range)
            }
            6 => tree!(
                STMT,
                "$.extend_from_within($.len() - 1..);\n",
                name.clone(),
                name
            ),
            7 => tree!(
                STMT,
                "$.extend_from_slice(&[$, $]);\n",
                name,
                e,
                self.tame(scope, 0)
            ),
            8 => {
                let lists = others.matching(|w| w.is_list() && w.bound >= 2);
                if lists.is_empty() {
                    return tree!(STMT, "$.push($);\n", name, e);
                }
                let (w, t) = (self.random.pick(&lists).clone(), self.fresh("t"));
                let mut inner = others.closure();
                inner.float_by(&t, By::Ref);
                let body = self.tame(&inner, d);
                tree!(
                    STMT,
                    "$.extend($.iter().take(2).map(|$| $));\n",
                    name,
                    w.mention(),
                    Part::Def(t),
                    Self::typed(body)
                )
            }
            9 => {
                let lists = others.matching(|w| w.is_list() && w.bound >= 2);
                if lists.is_empty() {
                    return tree!(STMT, "$.push($);\n", name, e);
                }
                let w = self.random.pick(&lists).mention();
                tree!(STMT, "$.extend_from_slice(&$[..2]);\n", name, w)
            }
            10 => {
                let state = self.fresh("k");
                tree!(
                    STMT,
                    "{\nlet mut $: ~ = $;\n$.resize_with($.len() + 1, || { $ = $.sin() + $; $ });\n}\n",
                    Part::Def(state.clone()),
                    e,
                    name.clone(),
                    name,
                    &state,
                    &state,
                    self.literal(),
                    &state
                )
            }
            11 => {
                let t = self.fresh("t");
                let mut inner = others.closure();
                inner.float_by(&t, By::Ref);
                let c = self.condition(&inner, 1);
                tree!(STMT, "$.retain(|$| $);\n$", name, Part::Def(t), c, refill)
            }
            12 => {
                let t = self.fresh("t");
                let (k, limit) = (self.tame(&others.closure(), 1), self.literal());
                tree!(
                    STMT,
                    "$.retain_mut(|$| { *$ += $; *$ < $ });\n$",
                    name,
                    Part::Def(t.clone()),
                    &t,
                    k,
                    &t,
                    limit,
                    refill
                )
            }
            13 => tree!(
                STMT,
                "$.dedup_by(|a, b| (*a - *b).abs() < $);\n$",
                name,
                self.literal(),
                refill
            ),
            14 => {
                let (taken, k) = (self.fresh("q"), self.literal());
                let range = *self
                    .random
                    .pick(&["1..", "..1", "..", "1..2", "$.len() - 1.."]);
                let range = range.replace('$', &v.name);
                tree!(
                    STMT,
                    "let $: Vec<~> = $.drain($).map(|t| t * $).collect();\n$.extend($.iter().rev().copied());\n$",
                    Part::Def(taken.clone()),
                    name.clone(),
                    range,
                    k,
                    name,
                    Part::Use(taken),
                    refill
                )
            }
            15 => {
                let taken = self.fresh("q");
                let at = self.position(v, scope);
                tree!(
                    STMT,
                    "let $ = $.split_off($);\n$.extend($.iter().map(|t| t.sin()));\n",
                    Part::Def(taken.clone()),
                    name.clone(),
                    at,
                    name,
                    Part::Use(taken)
                )
            }
            16 => tree!(
                STMT,
                "$.truncate($.len() - 1);\n$",
                name.clone(),
                name,
                refill
            ),
            17..=18 => {
                let taken = self.fresh("a");
                let at = self.position(v, scope);
                let remove = match self.random.below(3) {
                    0 => tree!(Sort::Fixed, "$.remove($)", name.clone(), at),
                    1 => tree!(Sort::Fixed, "$.swap_remove($)", name.clone(), at),
                    _ => tree!(Sort::Fixed, "$.pop().unwrap_or($)", name.clone(), e),
                };
                tree!(
                    STMT,
                    "let $ = $;\n$.push($ * $);\n$",
                    Part::Def(taken.clone()),
                    remove,
                    name,
                    Part::Use(taken),
                    self.literal(),
                    refill
                )
            }
            19 => {
                let (a, b) = (self.tame(&others, d), self.tame(&others, 0));
                let c = self.tame(&others, 0);
                let more = v.bound.saturating_sub(2);
                tree!(
                    STMT,
                    "$.clear();\n$.extend([$, $]);\n$.extend(vec![$; $]);\n",
                    name.clone(),
                    name.clone(),
                    a,
                    b,
                    name,
                    c,
                    more
                )
            }
            20 => {
                // Only what is above the least length.
                let (t, mut inner) = (self.fresh("t"), others.clone());
                inner.float(&t, false);
                let write = self.write(&mut inner, d);
                tree!(
                    STMT,
                    "while $.len() > $ {\nlet Some($) = $.pop() else { break; };\n$}\n",
                    name.clone(),
                    v.bound,
                    Part::Def(t),
                    name,
                    write
                )
            }
            _ => {
                let taken = self.fresh("a");
                tree!(
                    STMT,
                    "if $.len() > $ {\nlet $ = $.remove(0);\n$[0] += $;\n}\n",
                    name.clone(),
                    v.bound,
                    Part::Def(taken.clone()),
                    name.clone(),
                    name,
                    Part::Use(taken)
                )
            }
        }
    }

    /// Methods of slices, by which the length stays.
    fn slice_statement(&mut self, v: &Variable, scope: &Scope, d: usize) -> Node {
        const STMT: Sort = Sort::Stmt;
        let name = v.mention();
        let others = scope.without(std::slice::from_ref(&v.name));
        // A `Vec` is borrowed before the arguments are evaluated.
        let seen = if v.kind == Kind::Value(Ty::Vec) {
            &others
        } else {
            scope
        };
        let at = |g: &mut Self| {
            if v.kind == Kind::Slice {
                g.position(v, scope)
            } else {
                g.int(&others, v.bound)
            }
        };
        let (t, u) = (self.fresh("t"), self.fresh("u"));
        match self.random.below(15) {
            0..=1 => {
                let (i, j) = (at(self), at(self));
                tree!(STMT, "$.swap($, $);\n", name, i, j)
            }
            2 => {
                let by = *self.random.pick(&["rotate_left", "rotate_right"]);
                tree!(STMT, "$.$($);\n", name, by, self.int(&others, v.bound))
            }
            3 => tree!(STMT, "$.reverse();\n", name),
            4 => {
                let order = *self.random.pick(&[
                    "a.total_cmp(b)",
                    "b.total_cmp(a)",
                    "a.partial_cmp(b).unwrap()",
                    "(a * a).total_cmp(&(b * b))",
                ]);
                let sort = *self.random.pick(&["sort_by", "sort_unstable_by"]);
                tree!(STMT, "$.$(|a, b| $);\n", name, sort, order)
            }
            5 => tree!(STMT, "$.copy_within(..1, 1);\n", name),
            6 => {
                let of = *self.random.pick(&["last_mut", "first_mut"]);
                tree!(
                    STMT,
                    "if let Some($) = $.$() { *$ += $; }\n",
                    Part::Def(t.clone()),
                    name,
                    of,
                    Part::Use(t),
                    self.tame(&others, d)
                )
            }
            7 => {
                let i = self.int(&others, 5);
                tree!(
                    STMT,
                    "if let Some($) = $.get_mut($) { *$ = $.sin() + $; }\n",
                    Part::Def(t.clone()),
                    name,
                    i,
                    Part::Use(t.clone()),
                    Part::Use(t),
                    self.tame(&others, d)
                )
            }
            8 => {
                let mut inner = others.closure();
                inner.float_by(&t, By::Ref);
                let e = self.tame(&inner, d);
                let chain =
                    *self
                        .random
                        .pick(&["iter_mut()", "iter_mut().rev()", "iter_mut().skip(1)"]);
                tree!(
                    STMT,
                    "$.$.for_each(|$| *$ = $ * $);\n",
                    name,
                    chain,
                    Part::Def(t.clone()),
                    Part::Use(t),
                    e,
                    self.literal()
                )
            }
            9 => {
                let lists = others.matching(Variable::is_list);
                if lists.is_empty() {
                    return tree!(STMT, "$.reverse();\n", name);
                }
                let w = self.random.pick(&lists).mention();
                let template = *self.random.pick(&[
                    "$.iter_mut().zip($.iter()).for_each(|($, $)| *$ += $ * $);\n",
                    "for ($, $) in $.iter_mut().zip($.iter().rev()) { *$ -= $ * $; }\n",
                ]);
                let k = self.tame(&others.closure(), 0);
                let (dt, du) = (Part::Def(t.clone()), Part::Def(u.clone()));
                if template.starts_with("for") {
                    return tree!(
                        STMT,
                        template,
                        dt,
                        du,
                        name,
                        w,
                        Part::Use(t),
                        Part::Use(u),
                        k
                    );
                }
                tree!(
                    STMT,
                    template,
                    name,
                    w,
                    dt,
                    du,
                    Part::Use(t),
                    Part::Use(u),
                    k
                )
            }
            10 => {
                let e = self.tame(seen, d);
                let state = self.fresh("k");
                tree!(
                    STMT,
                    "{\nlet mut $: ~ = $;\n$.fill_with(|| { $ = $ * $ + $; $ });\n}\n",
                    Part::Def(state.clone()),
                    e,
                    name,
                    &state,
                    &state,
                    self.literal(),
                    self.literal(),
                    &state
                )
            }
            11..=12 => {
                let mut inner = others.clone();
                inner.slice(&t, 2, true);
                let (a, b) = (self.write(&mut inner, d), self.write(&mut inner, d));
                let of = *self
                    .random
                    .pick(&["chunks_exact_mut(2)", "chunks_exact_mut(2).rev()"]);
                tree!(STMT, "for $ in $.$ {\n$$}\n", Part::Def(t), name, of, a, b)
            }
            13 => {
                // The slice is written through another name.
                let mut inner = others.clone();
                inner.slice(&t, v.bound - 1, true);
                let (a, b) = (self.write(&mut inner, d), self.write(&mut inner, d));
                tree!(
                    STMT,
                    "{\nlet $ = &mut $[1..];\n$$}\n",
                    Part::Def(t),
                    name,
                    a,
                    b
                )
            }
            _ => {
                let e = self.tame(seen, d);
                tree!(STMT, "$.fill($);\n", name, e)
            }
        }
    }

    /// A number that a method of a list gives.
    pub(super) fn of_list(&mut self, scope: &Scope, d: usize) -> Option<Node> {
        let lists = scope.matching(|v| v.is_list() && v.bound >= 2);
        if lists.is_empty() {
            return None;
        }
        let v = self.random.pick(&lists).clone();
        let w = self.random.pick(&lists).mention();
        let name = v.mention();
        let t = self.fresh("t");
        let (def, mention) = (Part::Def(t.clone()), Part::Use(t.clone()));
        let mut inner = scope.closure();
        inner.float(&t, false);
        // Of an item by value.
        let body = Self::typed(self.tame(&inner, d));
        let limit = self.literal();
        let other = self.literal();
        Some(match self.random.below(26) {
            0 => tree!(
                FLOAT,
                "$[$.iter().position(|e| *e > $).unwrap_or(0)]",
                name.clone(),
                name,
                limit
            ),
            1 => {
                let by = *self.random.pick(&["skip_while", "take_while", "filter"]);
                tree!(
                    FLOAT,
                    "$.iter().copied().$(|e| *e < $).map(|$| $).sum::<~>()",
                    name,
                    by,
                    limit,
                    def,
                    body
                )
            }
            2 => tree!(
                FLOAT,
                "$.iter().copied().reduce(|a, b| a * $ + b).unwrap_or($)",
                name,
                limit,
                other
            ),
            3 => {
                let by = *self.random.pick(&[
                    "min_by(|a, b| a.total_cmp(b))",
                    "max_by(|a, b| a.partial_cmp(b).unwrap())",
                    "max_by(|a, b| (*a * *a).total_cmp(&(*b * *b)))",
                    "last()",
                    "nth(1)",
                ]);
                tree!(FLOAT, "$.iter().$.copied().unwrap_or($)", name, by, other)
            }
            4 => tree!(
                FLOAT,
                "$.iter().find(|e| **e > $).copied().unwrap_or($)",
                name,
                limit,
                other
            ),
            5 => tree!(
                FLOAT,
                "$.iter().filter_map(|e| if *e > $ { Some(*e * $) } else { None }).sum::<~>()",
                name,
                limit,
                other
            ),
            6 => tree!(
                FLOAT,
                "$.iter().flat_map(|e| [*e, e.sin()]).map(|$| $).sum::<~>()",
                name,
                def,
                body
            )
            .sized(6.0),
            7..=8 => tree!(
                FLOAT,
                "$.to_vec().into_iter().map(|$| $).sum::<~>()",
                name,
                def,
                body
            )
            .sized(5.0),
            9 => tree!(
                FLOAT,
                "$.to_vec().iter().rev().zip($.iter()).map(|(a, b)| a * b).sum::<~>()",
                name,
                w
            )
            .sized(5.0),
            10 => {
                let k = 1 + self.random.below(2);
                let side = self.random.below(2);
                tree!(FLOAT, "$.split_at($).$.iter().sum::<~>()", name, k, side).sized(4.0)
            }
            11 => {
                let (l, r) = (self.fresh("l"), self.fresh("r"));
                tree!(
                    FLOAT,
                    "{ let ($, $) = $.split_at($.len() / 2); $.iter().zip($).map(|(a, b)| a * b).sum::<~>() }",
                    Part::Def(l.clone()),
                    Part::Def(r.clone()),
                    name.clone(),
                    name,
                    Part::Use(l),
                    Part::Use(r)
                )
                .sized(4.0)
            }
            12 => {
                let chain = *self.random.pick(&[
                    "chunks(2).map(|w| w.iter().product::<~>()).sum::<~>()",
                    "windows(2).map(|w| w[0] * w[1]).sum::<~>()",
                    "windows(2).rev().map(|w| w[1] - w[0]).product::<~>()",
                    "chunks_exact(2).map(|w| w[0] + w[1].sin()).sum::<~>()",
                    "iter().rev().step_by(2).sum::<~>()",
                    "iter().skip(1).step_by(2).map(|e| e * e).sum::<~>()",
                    "rchunks(2).map(|w| w[0]).sum::<~>()",
                ]);
                Node::new(FLOAT, &format!("$.{chain}"), vec![name]).sized(5.0)
            }
            13 => tree!(
                FLOAT,
                "$.iter().try_fold($, |a, e| if *e > $ { None } else { Some(a * $ + e) }).unwrap_or($)",
                name,
                Self::typed(self.tame(scope, 0)),
                limit,
                self.literal(),
                other
            ),
            14 => {
                let start = Self::typed(self.tame(scope, d));
                tree!(
                    FLOAT,
                    "std::iter::successors(Some($), |e| Some(e.sin() + $)).take(3).sum::<~>()",
                    start,
                    limit
                )
                .sized(4.0)
            }
            15 => {
                let n = self.int(scope, 4);
                let e = Self::typed(self.tame(scope, d));
                tree!(
                    FLOAT,
                    "std::iter::repeat($).take($).sum::<~>()",
                    e,
                    n
                )
                .sized(4.0)
            }
            16 => {
                let e = Self::typed(self.tame(scope, 0));
                tree!(
                    FLOAT,
                    "std::iter::once($).chain($.iter().copied()).map(|$| $).sum::<~>()",
                    e,
                    name,
                    def,
                    body
                )
                .sized(5.0)
            }
            17 => tree!(
                FLOAT,
                "$.iter().copied().map(|$| $).collect::<Vec<~>>().windows(2).map(|w| w[0] * w[1]).sum::<~>()",
                name,
                def,
                body
            )
            .sized(5.0),
            18 => tree!(
                FLOAT,
                "{ let (a, b): (Vec<~>, Vec<~>) = $.iter().copied().map(|$| ($, $)).unzip(); a.iter().zip(&b).map(|(p, q)| p * q).sum::<~>() }",
                name,
                def,
                mention,
                body
            )
            .sized(5.0),
            19 => tree!(
                FLOAT,
                "{ let (a, b): (Vec<~>, Vec<~>) = $.iter().copied().partition(|e| *e > $); a.iter().sum::<~>() - b.iter().product::<~>() }",
                name,
                limit
            )
            .sized(5.0),
            20 => tree!(
                FLOAT,
                "(match &$[..] { [a, b] => a * b, [a, .., b] => a - b, [a] => *a, [] => $ })",
                name,
                other
            ),
            21 => tree!(
                FLOAT,
                "(if let [a, .., b] = &$[..] { a * b } else { $ })",
                name,
                other
            ),
            22 => {
                let split = *self.random.pick(&["split_first", "split_last"]);
                tree!(
                    FLOAT,
                    "(if let Some((h, r)) = $.$() { h * r.iter().sum::<~>() } else { $ })",
                    name,
                    split,
                    other
                )
                .sized(5.0)
            }
            23 => tree!(
                FLOAT,
                "$.iter().rev().enumerate().map(|(i, e)| e * $).sum::<~>()",
                name,
                Part::Cast(Box::new(tree!(INT, "i")))
            )
            .sized(6.0),
            24 => tree!(
                FLOAT,
                "$.iter().zip($.iter().skip(1)).fold($, |a, (p, q)| a.max(p * q))",
                name,
                w,
                Self::typed(self.tame(scope, 0))
            ),
            _ => {
                let k = self.fresh("k");
                tree!(
                    FLOAT,
                    "{ let mut $ = $.to_vec(); $.sort_by(|a, b| a.total_cmp(b)); $[$.len() / 2] }",
                    Part::Def(k.clone()),
                    name,
                    Part::Use(k.clone()),
                    Part::Use(k.clone()),
                    Part::Use(k)
                )
            }
        })
    }
}

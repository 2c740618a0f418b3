//! Statements, and the bodies of functions.

use std::collections::HashSet;

use super::Generator;
use super::items::{Signature, Type, length};
use super::scope::{By, Kind, Returns, Scope, Variable};
use crate::tree::{ASSIGNMENT, Node, Part, Sort, Ty, tree};

impl Generator {
    /// A body in braces with a result.
    pub(super) fn body(&mut self, scope: &mut Scope, depth: usize) -> Node {
        let mut parts = vec![Part::from("{\n")];
        let mut inner = scope.clone();
        let most = if self.scale < 50 { 3 } else { 5 };
        for _ in 0..2 + self.random.below(most) {
            parts.push(self.statement(&mut inner, depth).into());
        }
        if inner.returns != Returns::Unit {
            let used = Node {
                sort: Sort::Fixed,
                parts: parts.clone(),
                size: 2.0,
            };
            parts.push(self.result(&inner, depth, &used.uses()).into());
        }
        parts.push("\n}".into());
        Node {
            sort: Sort::Fixed,
            parts,
            size: 2.0,
        }
    }

    /// The end of a body: something that depends on what the statements changed, and what none of them used.
    fn result(&mut self, scope: &Scope, d: usize, used: &HashSet<String>) -> Node {
        if scope.returns == Returns::Value(Ty::Float) {
            // In parentheses: a block at the start of a statement would end it.
            let sum = self.tame(scope, d);
            let mut sum = tree!(Sort::Expr(Ty::Float), "($)", sum);
            let matters = |v: &Variable| v.writable || !used.contains(&v.name);
            let floats = scope.matching(|v| v.is_float() && matters(v));
            for v in floats.iter().rev().take(5) {
                sum = tree!(Sort::Expr(Ty::Float), "$ + $", sum, v.number());
            }
            let lists = scope.matching(|v| v.is_list() && matters(v));
            for v in lists.iter().rev().take(3) {
                sum = tree!(
                    Sort::Expr(Ty::Float),
                    "$ + $.iter().sum::<~>()",
                    sum,
                    v.mention()
                );
            }
            let grids = scope
                .matching(|v| matches!(v.kind, Kind::Value(Ty::Grid(..) | Ty::Rows)) && matters(v));
            for v in grids.iter().rev().take(2) {
                sum = tree!(
                    Sort::Expr(Ty::Float),
                    "$ + $[0][1] * $[1][0]",
                    sum,
                    v.mention(),
                    v.mention()
                );
            }
            for v in scope
                .vars
                .iter()
                .rev()
                .filter(|v| !used.contains(&v.name))
                .take(3)
            {
                let template = match &v.kind {
                    Kind::Value(Ty::Option | Ty::Result) => "$ + $.clone().unwrap_or($)",
                    Kind::Value(Ty::Pair) => "$ + $.0 * $",
                    Kind::Value(Ty::Named(name))
                        if self.named(name).is_some_and(Type::is_struct) =>
                    {
                        "$ + $.z * $"
                    }
                    Kind::Closure(1) if !scope.generic => "$ + $($)",
                    _ => continue,
                };
                sum = tree!(
                    Sort::Expr(Ty::Float),
                    template,
                    sum,
                    v.mention(),
                    Node::number(0.3)
                );
            }
            return sum;
        }
        self.return_value(scope, d)
    }

    /// What follows `return`.
    pub(super) fn return_value(&mut self, scope: &Scope, d: usize) -> Node {
        self.fuel = self.fuel.max(4);
        match scope.returns.clone() {
            Returns::Unit => tree!(Sort::Fixed, ""),
            Returns::Value(Ty::Option) if self.random.chance(15) => {
                tree!(Sort::Expr(Ty::Option), "None")
            }
            Returns::Value(Ty::Result) if self.random.chance(20) => {
                tree!(Sort::Expr(Ty::Result), "Err(\"early\".to_string())")
            }
            Returns::Value(Ty::Option) => {
                if self.random.chance(30) {
                    return self.option(scope, d);
                }
                tree!(Sort::Expr(Ty::Option), "Some($)", self.tame(scope, d))
            }
            Returns::Value(Ty::Result) => {
                if self.random.chance(30) {
                    return self.value(&Ty::Result, scope, d);
                }
                tree!(Sort::Expr(Ty::Result), "Ok($)", self.tame(scope, d))
            }
            Returns::Value(ty) => self.value(&ty, scope, d),
        }
    }

    /// Statements in braces.
    fn block(&mut self, scope: &Scope, depth: usize) -> Node {
        let mut inner = scope.clone();
        let n = 1 + self.random.below(3);
        self.block_of(&mut inner, depth, n, Vec::new())
    }

    fn block_of(&mut self, scope: &mut Scope, depth: usize, n: usize, first: Vec<Node>) -> Node {
        let mut parts = vec![Part::from("{\n")];
        parts.extend(first.into_iter().map(Part::Node));
        for _ in 0..n {
            parts.push(self.statement(scope, depth).into());
        }
        parts.push("}".into());
        Node {
            sort: Sort::Block,
            parts,
            size: 2.0,
        }
    }

    fn statement(&mut self, scope: &mut Scope, depth: usize) -> Node {
        self.fuel -= 1;
        let d = depth.min(if self.scale < 30 { 1 } else { 2 });
        let nested = depth > 0 && self.fuel > 0;
        if matches!(scope.returns, Returns::Value(Ty::Option | Ty::Result))
            && self.random.chance(12)
        {
            return self.question(scope, d);
        }
        // Functions are there to be called.
        if self.functions.iter().any(|f| self.is_open(f)) && self.random.chance(25) {
            return self.call_statement(scope, d);
        }
        if !self.lenders.is_empty() && self.random.chance(12) {
            return self.lent_statement(scope, d);
        }
        if !self.potentials.is_empty() && self.random.chance(20) {
            return self.descent(scope, d);
        }
        match self.random.below(60) {
            0..=4 => self.let_float(scope, d),
            5..=11 => self.write(scope, d),
            12..=14 if nested => self.branch(scope, depth - 1),
            15..=19 if nested => self.counted(scope, depth - 1),
            20..=21 if nested => self.open_loop(scope, depth - 1),
            22..=23 => self.closure(scope, d),
            24..=26 => self.call_statement(scope, d),
            27..=31 => self.let_value(scope, d),
            32..=33 => self.memory(scope, d),
            34 => self.late(scope, d),
            35 => self.early_exit(scope, d),
            36 => self.let_else(scope, d),
            37 => self.pushes(scope, d),
            38 => self.question(scope, d),
            39..=44 => self.list_statement(scope, d),
            45..=46 => self.operator_statement(scope, d),
            47..=48 => self.lent_statement(scope, d),
            49..=52 => self.matrix_statement(scope, d),
            53..=55 => self.configured(scope, depth),
            56 => self.held(scope, d),
            57 => self.selected(scope, d),
            58 => self.scratch(scope, d),
            _ => self.let_float(scope, d),
        }
    }

    pub(super) fn let_float(&mut self, scope: &mut Scope, d: usize) -> Node {
        let e = self.float(scope, d);
        let e = self.tamed(e, scope, 3.0);
        let floats = scope.matching(|v| v.is_float() && v.name != "s");
        let name = if !floats.is_empty() && self.random.chance(15) {
            self.random.pick(&floats).name.clone()
        } else {
            self.fresh("a")
        };
        let mutable = self.random.chance(50);
        scope.float(&name, mutable);
        let keyword = if mutable { "mut " } else { "" };
        let annotated = self.random.chance(40);
        if annotated {
            tree!(Sort::Stmt, "let $$: ~ = $;\n", keyword, Part::Def(name), e)
        } else {
            tree!(
                Sort::Stmt,
                "let $$ = $;\n",
                keyword,
                Part::Def(name),
                Self::typed(e)
            )
        }
    }

    /// A place that can be assigned to.
    fn place(&mut self, scope: &Scope) -> Option<(Node, String)> {
        let mut options = Vec::new();
        for v in scope.matching(|v| v.writable) {
            let name = v.name.clone();
            match &v.kind {
                Kind::Value(Ty::Float) => options.push((v.place(), name)),
                Kind::Value(Ty::Grid(n, m)) => {
                    let (i, j) = (self.int(scope, *n), self.int(scope, *m));
                    options.push((tree!(Sort::Fixed, "$[$][$]", v.mention(), i, j), name));
                }
                Kind::Value(Ty::Rows) => {
                    let (i, j) = (self.int(scope, 2), self.int(scope, 2));
                    options.push((tree!(Sort::Fixed, "$[$][$]", v.mention(), i, j), name));
                }
                Kind::Value(Ty::Pair) => {
                    let part = *self.random.pick(&["$.0", "$.1"]);
                    options.push((tree!(Sort::Fixed, part, v.mention()), name));
                }
                Kind::Value(Ty::Named(of)) => {
                    if let Some(Type::Struct { fields, .. }) = self.named(of) {
                        let fields = fields.clone();
                        let (field, ty) = self.random.pick(&fields).clone();
                        match ty {
                            Ty::Float => {
                                options.push((tree!(Sort::Fixed, "$.$", v.mention(), field), name));
                            }
                            Ty::Array(_) | Ty::Vec => {
                                let i = self.int(scope, 2);
                                options.push((
                                    tree!(Sort::Fixed, "$.$[$]", v.mention(), field, i),
                                    name,
                                ));
                            }
                            _ => {}
                        }
                    }
                }
                _ if v.is_list() && v.bound > 0 => {
                    // A `Vec` can't be asked for its length while it is indexed to be written.
                    let i = if v.kind == Kind::Value(Ty::Vec) {
                        self.int(scope, v.bound)
                    } else {
                        self.index(&v, scope)
                    };
                    options.push((tree!(Sort::Fixed, "$[$]", v.mention(), i), name));
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

    pub(super) fn write(&mut self, scope: &mut Scope, d: usize) -> Node {
        let Some((place, _)) = self.place(scope) else {
            return self.let_float(scope, d);
        };
        let e = self.tame(scope, d);
        match self.random.below(9) {
            0..=3 => tree!(Sort::Stmt, "$ = $;\n", place, e),
            4..=5 => tree!(Sort::Stmt, "$$$$;\n", ASSIGNMENT, place, " += ", e),
            6 => tree!(Sort::Stmt, "$$$$;\n", ASSIGNMENT, place, " -= ", e),
            7 => {
                let e = self.tamed(e, scope, 1.0);
                tree!(Sort::Stmt, "$$$$;\n", ASSIGNMENT, place, " *= ", e)
            }
            _ => {
                let again = place.clone();
                tree!(
                    Sort::Stmt,
                    "$ = $.sin() + $;\n",
                    place,
                    again.receiver_of(),
                    e
                )
            }
        }
    }

    fn branch(&mut self, scope: &mut Scope, depth: usize) -> Node {
        let c = self.condition(scope, 1);
        match self.random.below(5) {
            0..=1 => tree!(Sort::Stmt, "if $ $\n", c, self.block(scope, depth)),
            2..=3 => {
                tree!(
                    Sort::Stmt,
                    "if $ $ else $\n",
                    c,
                    self.block(scope, depth),
                    self.block(scope, depth)
                )
            }
            _ => {
                let i = self.int(scope, 4);
                tree!(
                    Sort::Stmt,
                    "match ($) % 3 { 0 => $, 1 if $ => $, _ => $ }\n",
                    i,
                    self.block(scope, depth),
                    c,
                    self.block(scope, depth),
                    self.block(scope, depth)
                )
            }
        }
    }

    /// `for`.
    pub(super) fn counted(&mut self, scope: &mut Scope, depth: usize) -> Node {
        let label = self.fresh("'l");
        let mut inner = scope.clone();
        inner.loops.push(label.clone());
        let n = 1 + self.random.below(3);
        let lists = scope.matching(Variable::is_list);
        let (head, exit) = match self.random.below(9) {
            0..=2 => {
                let (i, n) = (self.fresh("i"), 2 + self.random.below(2));
                inner.int(&i, n);
                let (range, end) = *self.random.pick(&[
                    ("0..$", n),
                    ("(0..$).rev()", n),
                    ("(0..$).step_by(2)", n),
                    ("0..=$", n - 1),
                ]);
                (
                    tree!(Sort::Fixed, &format!("$ in {range}"), Part::Def(i), end),
                    true,
                )
            }
            3 => {
                // As often as a runtime value says.
                let i = self.fresh("i");
                let below = self.int(scope, 4);
                inner.int(&i, 4);
                (tree!(Sort::Fixed, "$ in 0..$", Part::Def(i), below), true)
            }
            4 if !lists.is_empty() => {
                let (v, list) = (self.fresh("v"), self.random.pick(&lists).clone());
                let template =
                    *self
                        .random
                        .pick(&["$ in $.iter()", "$ in &$[..]", "$ in $.iter().rev()"]);
                inner.float_by(&v, By::Ref);
                inner
                    .vars
                    .iter_mut()
                    .filter(|v| v.name == list.name)
                    .for_each(|v| v.writable = false);
                (
                    tree!(Sort::Fixed, template, Part::Def(v), list.mention()),
                    true,
                )
            }
            5 if !lists.is_empty() => {
                let (i, v, list) = (
                    self.fresh("i"),
                    self.fresh("v"),
                    self.random.pick(&lists).clone(),
                );
                inner.float_by(&v, By::Ref);
                inner.int(&i, 1000);
                inner
                    .vars
                    .iter_mut()
                    .filter(|v| v.name == list.name)
                    .for_each(|v| v.writable = false);
                let pattern = tree!(Sort::Fixed, "($, $)", Part::Def(i), Part::Def(v));
                (
                    tree!(
                        Sort::Fixed,
                        "$ in $.iter().enumerate()",
                        pattern,
                        list.mention()
                    ),
                    true,
                )
            }
            6 if lists.iter().any(|l| l.writable) => {
                let writable: Vec<Variable> = lists.into_iter().filter(|l| l.writable).collect();
                let (v, list) = (self.fresh("v"), self.random.pick(&writable).clone());
                inner = inner.without(std::slice::from_ref(&list.name));
                inner.float_by(&v, By::Mut);
                (
                    tree!(
                        Sort::Fixed,
                        "$ in $.iter_mut()",
                        Part::Def(v),
                        list.mention()
                    ),
                    true,
                )
            }
            7 if lists.iter().any(|l| l.writable) => {
                let writable: Vec<Variable> = lists.into_iter().filter(|l| l.writable).collect();
                let (v, list) = (self.fresh("v"), self.random.pick(&writable).clone());
                inner = inner.without(std::slice::from_ref(&list.name));
                inner.slice(&v, 1, true);
                (
                    tree!(
                        Sort::Fixed,
                        "$ in $.chunks_mut(2)",
                        Part::Def(v),
                        list.mention()
                    ),
                    true,
                )
            }
            _ if !lists.is_empty() => {
                let (v, w) = (self.fresh("v"), self.fresh("w"));
                let (a, b) = (
                    self.random.pick(&lists).clone(),
                    self.random.pick(&lists).clone(),
                );
                inner.float_by(&v, By::Ref);
                inner.float_by(&w, By::Ref);
                for l in &mut inner.vars {
                    if l.name == a.name || l.name == b.name {
                        l.writable = false;
                    }
                }
                let pattern = tree!(Sort::Fixed, "($, $)", Part::Def(v), Part::Def(w));
                (
                    tree!(
                        Sort::Fixed,
                        "$ in $.iter().zip(&$[..])",
                        pattern,
                        a.mention(),
                        b.mention()
                    ),
                    true,
                )
            }
            _ => (tree!(Sort::Fixed, "_ in 0..2"), true),
        };
        let mut first = Vec::new();
        if exit && self.random.chance(40) {
            first.push(self.loop_exit(&inner));
        }
        let block = self.block_of(&mut inner, depth, n, first);
        tree!(Sort::Stmt, "$: for $ $\n", Part::Def(label), head, block)
    }

    /// `if c { continue; }` and the like.
    fn loop_exit(&mut self, scope: &Scope) -> Node {
        let c = self.condition(scope, 1);
        let label = self.random.pick(&scope.loops).clone();
        match self.random.below(5) {
            0 => tree!(Sort::Stmt, "if $ { break; }\n", c),
            1 => tree!(Sort::Stmt, "if $ { continue; }\n", c),
            2 => tree!(Sort::Stmt, "if $ { break $; }\n", c, Part::Use(label)),
            3 => tree!(Sort::Stmt, "if $ { continue $; }\n", c, Part::Use(label)),
            _ => tree!(
                Sort::Stmt,
                "if $ { return $; }\n",
                c,
                self.return_value(scope, 1)
            ),
        }
    }

    /// `while` and `loop`.
    fn open_loop(&mut self, scope: &mut Scope, depth: usize) -> Node {
        let k = self.fresh("k");
        let trips = 1 + self.random.below(3);
        let mut inner = scope.clone();
        // Where a `loop` ends, it is one more.
        inner.int(&k, trips + 2);
        // `continue` of this loop would skip nothing: its counter moves first.
        let label = self.fresh("'w");
        inner.loops.push(label.clone());
        let step = tree!(Sort::Fixed, "$ += 1;\n", &k);
        let n = 1 + self.random.below(2);
        let exit = if self.random.chance(40) {
            vec![self.loop_exit(&inner)]
        } else {
            Vec::new()
        };
        match self.random.below(3) {
            0 => {
                let c = self.condition(scope, 1);
                let first = [vec![step], exit].concat();
                let block = self.block_of(&mut inner, depth, n, first);
                tree!(
                    Sort::Stmt,
                    "let mut $ = 0;\n$: while $ < $ && ($) $\n",
                    Part::Def(k.clone()),
                    Part::Def(label),
                    k,
                    trips,
                    c,
                    block
                )
            }
            1 => {
                let first = [vec![step], exit].concat();
                let block = self.block_of(&mut inner, depth, n, first);
                tree!(
                    Sort::Stmt,
                    "let mut $ = 0;\n$: while $ < $ $\n",
                    Part::Def(k.clone()),
                    Part::Def(label),
                    k,
                    trips,
                    block
                )
            }
            _ => {
                let name = self.fresh("a");
                // Only a `break` with a value leaves it, besides `return`.
                inner.loops.clear();
                let stop = tree!(
                    Sort::Fixed,
                    "if $ > $ { break $; }\n",
                    &k,
                    trips,
                    self.tame(&inner, 1)
                );
                let block = self.block_of(&mut inner, depth, n, vec![step, stop]);
                scope.float(&name, false);
                tree!(
                    Sort::Stmt,
                    "let mut $ = 0;\nlet $: ~ = loop $;\n",
                    Part::Def(k),
                    Part::Def(name),
                    block
                )
            }
        }
    }

    fn closure(&mut self, scope: &mut Scope, d: usize) -> Node {
        let name = self.fresh("g");
        let writable = scope.matching(|v| v.is_float() && v.writable && v.by == By::Own);
        if !writable.is_empty() && self.random.chance(40) {
            // One that changes what it captured; it lives in a block.
            let captured = self.random.pick(&writable).clone();
            let mut inner = scope.without(std::slice::from_ref(&captured.name));
            let mut body = inner.closure();
            let t = self.fresh("t");
            body.float(&t, false);
            body.float(&captured.name, false);
            let e = self.tame(&body, d);
            let (one, two) = (self.tame(&inner, d), self.tame(&inner, 0));
            inner.float(&name, false);
            return tree!(
                Sort::Stmt,
                "{\nlet mut $ = |$: ~| { $ = 0.5 * $ + $; };\n$($);\n$($);\n}\n",
                Part::Def(name.clone()),
                Part::Def(t),
                captured.mention(),
                captured.mention(),
                e,
                Part::Use(name.clone()),
                one,
                Part::Use(name),
                two
            )
            .half();
        }
        let (t, u) = (self.fresh("t"), self.fresh("t"));
        let mut inner = scope.closure();
        inner.float(&t, false);
        let two = self.random.chance(30);
        let node = if two {
            inner.float(&u, false);
            let body = self.tame(&inner, d + 1);
            tree!(
                Sort::Stmt,
                "let $ = |$: ~, $: ~| $;\n",
                Part::Def(name.clone()),
                Part::Def(t),
                Part::Def(u),
                Self::typed(body)
            )
        } else {
            let body = self.tame(&inner, d + 1);
            let keyword = if self.random.chance(80) { "" } else { "move " };
            if keyword.is_empty() || scope.vars.iter().all(Variable::is_float) {
                tree!(
                    Sort::Stmt,
                    "let $ = $|$: ~| $;\n",
                    Part::Def(name.clone()),
                    keyword,
                    Part::Def(t),
                    Self::typed(body)
                )
            } else {
                tree!(
                    Sort::Stmt,
                    "let $ = |$: ~| $;\n",
                    Part::Def(name.clone()),
                    Part::Def(t),
                    Self::typed(body)
                )
            }
        };
        scope.freeze(&node);
        scope.add(
            &name,
            Kind::Closure(if two { 2 } else { 1 }),
            By::Own,
            false,
            0,
        );
        node
    }

    /// A call for what it changes, or for its result.
    pub(super) fn call_statement(&mut self, scope: &mut Scope, d: usize) -> Node {
        let functions: Vec<Signature> = self.functions.clone();
        if functions.is_empty() || scope.generic {
            return self.write(scope, d);
        }
        let changing: Vec<Signature> = functions.iter().filter(|f| f.changes()).cloned().collect();
        let f = if !changing.is_empty() && self.random.chance(60) {
            self.one_of(&changing)
        } else {
            self.one_of(&functions)
        };
        let Some(call) = self.call(&f, scope, d) else {
            return self.write(scope, d);
        };
        match &f.returns {
            Returns::Unit => tree!(Sort::Stmt, "$;\n", call),
            Returns::Value(ty) => {
                if *ty == Ty::Float
                    && self.random.chance(40)
                    && let Some((place, name)) = self.place(scope)
                    && !call.uses().contains(&name)
                {
                    return tree!(Sort::Stmt, "$ += $;\n", place, call);
                }
                let name = self.fresh("r");
                let writable = self.random.chance(40);
                scope.value(&name, ty.clone(), writable, length(ty));
                let keyword = if writable { "mut " } else { "" };
                tree!(Sort::Stmt, "let $$ = $;\n", keyword, Part::Def(name), call)
            }
        }
    }

    pub(super) fn let_value(&mut self, scope: &mut Scope, d: usize) -> Node {
        let mut types = vec![
            Ty::Array(3),
            Ty::Vec,
            Ty::Grid(2, 3),
            Ty::Pair,
            Ty::Option,
            Ty::Array(2),
        ];
        if !scope.generic {
            types.push(Ty::Rows);
            for t in &self.types {
                types.push(Ty::Named(t.name().to_owned()));
                types.push(Ty::Named(t.name().to_owned()));
            }
        }
        let ty = self.random.pick(&types).clone();
        self.let_of(&ty, scope, d)
    }

    pub(super) fn let_of(&mut self, ty: &Ty, scope: &mut Scope, d: usize) -> Node {
        const KEPT: [&str; 5] = ["c", "n", "self", "depth", "_r"];
        let shadowed = scope.matching(|v| !KEPT.contains(&v.name.as_str()));
        let name = if !shadowed.is_empty() && self.random.chance(12) {
            self.random.pick(&shadowed).name.clone()
        } else {
            self.fresh("b")
        };
        let value = self.value(ty, scope, d);
        let writable = self.random.chance(70);
        scope.value(&name, ty.clone(), writable, length(ty));
        let keyword = if writable { "mut " } else { "" };
        if self.random.chance(50) || value.uses().is_empty() {
            let written = super::items::type_name(ty);
            tree!(
                Sort::Stmt,
                "let $$: $ = $;\n",
                keyword,
                Part::Def(name),
                written,
                value
            )
        } else {
            tree!(Sort::Stmt, "let $$ = $;\n", keyword, Part::Def(name), value)
        }
    }

    /// Swaps, copies and the like.
    fn memory(&mut self, scope: &mut Scope, d: usize) -> Node {
        let lists = scope.matching(|v| v.is_list() && v.writable && v.bound >= 2);
        let floats = scope.matching(|v| v.is_float() && v.writable && v.by == By::Own);
        match self.random.below(7) {
            0 if floats.len() >= 2 => {
                let (a, b) = (floats[0].mention(), floats[floats.len() - 1].mention());
                let template = *self
                    .random
                    .pick(&["core::mem::swap(&mut $, &mut $);\n", "($, $) = ("]);
                if template.starts_with('(') {
                    return tree!(Sort::Stmt, "($, $) = ($, $);\n", a.clone(), b.clone(), b, a);
                }
                tree!(Sort::Stmt, template, a, b)
            }
            1 if !lists.is_empty() => {
                let v = self.random.pick(&lists).clone();
                tree!(
                    Sort::Stmt,
                    "$.swap($, $);\n",
                    v.mention(),
                    self.int(scope, v.bound),
                    self.int(scope, v.bound)
                )
            }
            2 if !lists.is_empty() => {
                let v = self.random.pick(&lists).clone();
                let e = self.tame(&scope.without(std::slice::from_ref(&v.name)), d);
                tree!(
                    Sort::Stmt,
                    "$[..$].fill($);\n",
                    v.mention(),
                    1 + self.random.below(v.bound),
                    e
                )
            }
            3 if !lists.is_empty() => {
                let v = self.random.pick(&lists).clone();
                let others = scope.matching(|w| w.is_list() && w.bound >= 2 && w.name != v.name);
                if others.is_empty() {
                    return self.write(scope, d);
                }
                let w = self.random.pick(&others).clone();
                tree!(
                    Sort::Stmt,
                    "$[..2].copy_from_slice(&$[..2]);\n",
                    v.mention(),
                    w.mention()
                )
            }
            4 if !lists.is_empty() => {
                let v = self.random.pick(&lists).clone();
                let (l, r) = (self.fresh("l"), self.fresh("r"));
                let mut inner = scope.without(std::slice::from_ref(&v.name));
                inner.slice(&l, 1, true);
                inner.slice(&r, v.bound - 1, true);
                let block = self.block_of(
                    &mut inner,
                    0,
                    2,
                    vec![tree!(
                        Sort::Fixed,
                        "let ($, $) = $.split_at_mut(1);\n",
                        Part::Def(l),
                        Part::Def(r),
                        v.mention()
                    )],
                );
                tree!(Sort::Stmt, "$\n", block)
            }
            5 if !floats.is_empty() => {
                let v = self.random.pick(&floats).clone();
                let name = self.fresh("a");
                let e = self.tame(&scope.without(std::slice::from_ref(&v.name)), d);
                scope.float(&name, true);
                tree!(
                    Sort::Stmt,
                    "let mut $ = core::mem::replace(&mut $, $);\n",
                    Part::Def(name),
                    v.mention(),
                    e
                )
            }
            _ => self.write(scope, d),
        }
    }

    /// Initialised in both arms of a branch.
    fn late(&mut self, scope: &mut Scope, d: usize) -> Node {
        let name = self.fresh("a");
        let (c, a, b) = (
            self.condition(scope, 1),
            self.tame(scope, d),
            self.tame(scope, d),
        );
        let node = tree!(
            Sort::Stmt,
            "let $: ~;\nif $ { $ = $; } else { $ = $; }\n",
            Part::Def(name.clone()),
            c,
            &name,
            a,
            &name,
            b
        );
        scope.float(&name, false);
        node
    }

    /// An iterator that a variable holds while something else is written.
    fn held(&mut self, scope: &mut Scope, d: usize) -> Node {
        let (iterator, name) = (self.fresh("w"), self.fresh("a"));
        let (a, b) = (self.tame(scope, d), self.tame(scope, d));
        let step = *self
            .random
            .pick(&["", ".rev()", ".skip(1)", ".map(|e| e * e)"]);
        let between = self.write(scope, d);
        let node = tree!(
            Sort::Stmt,
            "let $ = [$, $].into_iter()$;\n$let $: ~ = $.sum();\n",
            Part::Def(iterator.clone()),
            Self::typed(a),
            Self::typed(b),
            step,
            between,
            Part::Def(name.clone()),
            iterator
        );
        scope.float(&name, false);
        node
    }

    /// A loop that keeps or replaces a value: an extremum, or the last one that something holds of.
    fn selected(&mut self, scope: &mut Scope, d: usize) -> Node {
        let (best, item, new) = (self.fresh("m"), self.fresh("e"), self.fresh("v"));
        let first = self.tame(scope, d);
        let [p, q, r, s, t] = std::array::from_fn(|_| self.tame(scope, 1));
        let mut inner = scope.clone();
        inner.float(&item, false);
        let value = self.tame(&inner, d);
        inner.float(&new, false);
        let replaced = match self.random.below(4) {
            0 => tree!(Sort::Fixed, "if $ > $ { $ = $; }", &new, &best, &best, &new),
            1 => tree!(
                Sort::Fixed,
                "$ = if $ < $ { $ } else { $ * $ };",
                &best,
                &best,
                &new,
                &best,
                &new,
                &item
            ),
            2 => tree!(Sort::Fixed, "$ = $.min($);", &best, &new, &best),
            _ => {
                let c = self.condition(&inner, 1);
                tree!(Sort::Fixed, "if $ { $ = $ * $; }", c, &best, &new, &item)
            }
        };
        let node = tree!(
            Sort::Stmt,
            "let mut $: ~ = $;\nfor $ in [$, $, $, $, $] {\nlet $: ~ = $;\n$\n}\n",
            Part::Def(best.clone()),
            Self::typed(first),
            Part::Def(item),
            Self::typed(p),
            Self::typed(q),
            Self::typed(r),
            Self::typed(s),
            Self::typed(t),
            Part::Def(new),
            value,
            replaced
        );
        scope.float(&best, true);
        node
    }

    /// A list that each trip of a loop fills, or all of it but an element, before it is read.
    fn scratch(&mut self, scope: &mut Scope, d: usize) -> Node {
        let (list, sum) = (self.fresh("z"), self.fresh("t"));
        let (k, i) = (self.fresh("k"), self.fresh("i"));
        let (made, start) = (self.tame(scope, 1), self.tame(scope, d));
        let mut inner = scope.clone();
        inner.int(&k, 2);
        inner.float(&sum, false);
        let change = match self.random.below(6) {
            0 => format!("for {i} in 1..3 {{ {list}[{i}] = {list}[{i}] * {list}[0]; }}\n"),
            1 => format!("for {i} in 1..3 {{ {list}[0] = ({list}[0] + {list}[{i}]).sin(); }}\n"),
            2 => format!("if {k} == 0 {{ {list}[2] = {sum}.sin(); }}\n"),
            3 => format!("{list}[1] = {sum} * {list}[2];\n"),
            _ => String::new(),
        };
        inner.int(&i, 3);
        let value = self.tame(&inner, d);
        let ranges = ["0..3", "(0..3).rev()", "0..{}.len()", "1..3", "0..2"];
        let range = self.random.pick(&ranges).replace("{}", &list);
        let node = tree!(
            Sort::Stmt,
            "let mut $: Vec<~> = vec![$; 3];\nlet mut $: ~ = $;\nfor $ in 0..2 {\nfor $ in $ { $[$] = $; }\n$for $ in 0..3 { $ = ($ + $[$] * $[2 - $]).sin(); }\n}\n",
            Part::Def(list.clone()),
            Self::typed(made),
            Part::Def(sum.clone()),
            Self::typed(start),
            Part::Def(k),
            Part::Def(i.clone()),
            range,
            &list,
            &i,
            value,
            change,
            &i,
            &sum,
            &sum,
            &list,
            &i,
            &list,
            &i
        );
        scope.float(&sum, true);
        node
    }

    fn early_exit(&mut self, scope: &mut Scope, d: usize) -> Node {
        if scope.closed {
            return self.let_float(scope, d);
        }
        if !scope.loops.is_empty() {
            return self.loop_exit(scope);
        }
        let c = self.condition(scope, 1);
        tree!(
            Sort::Stmt,
            "if $ { return $; }\n",
            c,
            self.return_value(scope, d)
        )
    }

    fn let_else(&mut self, scope: &mut Scope, d: usize) -> Node {
        let option = self.option(scope, d);
        let name = self.fresh("a");
        let exit = match scope.loops.last() {
            Some(_) if self.random.chance(50) => tree!(Sort::Fixed, "continue"),
            _ => tree!(Sort::Fixed, "return $", self.return_value(scope, 1)),
        };
        scope.float(&name, false);
        // In parentheses: an `if` in front of `else` would be taken for a statement's.
        tree!(
            Sort::Stmt,
            "let Some($) = ($) else { $; };\n",
            Part::Def(name),
            option,
            exit
        )
    }

    /// A list that is filled, and perhaps emptied.
    fn pushes(&mut self, scope: &mut Scope, d: usize) -> Node {
        let (list, i) = (self.fresh("q"), self.fresh("i"));
        let mut inner = scope.clone();
        inner.int(&i, 3);
        let (a, b) = (self.tame(scope, d), self.tame(&inner, d));
        let end = match self.random.below(4) {
            0 => tree!(
                Sort::Stmt,
                "while let Some(e) = $.pop() { $ }\n",
                Part::Use(list.clone()),
                {
                    let mut inner = scope.clone();
                    inner.float("e", false);
                    self.write(&mut inner, d)
                }
            ),
            1 => tree!(
                Sort::Stmt,
                "$.extend([$, $]);\n",
                Part::Use(list.clone()),
                self.tame(scope, 0),
                self.tame(scope, 0)
            ),
            2 => tree!(Sort::Stmt, "let _ = $.pop();\n", Part::Use(list.clone())),
            _ => tree!(
                Sort::Stmt,
                "$.insert(1, $);\n",
                Part::Use(list.clone()),
                self.tame(scope, 0)
            ),
        };
        scope.value(&list, Ty::Vec, true, 0);
        tree!(
            Sort::Stmt,
            "let mut $: Vec<~> = Vec::new();\n$.push($);\nfor $ in 0..2 { $.push($); }\n$",
            Part::Def(list.clone()),
            Part::Use(list.clone()),
            a,
            Part::Def(i),
            Part::Use(list),
            b,
            end
        )
    }
}

impl Node {
    /// A place, to call a method on.
    fn receiver_of(self) -> Self {
        tree!(Sort::Fixed, "($)", self)
    }

    /// The text `0.5 * ` becomes a number of the program's.
    fn half(mut self) -> Self {
        let parts = std::mem::take(&mut self.parts);
        for part in parts {
            match part {
                Part::Text(text) if text.contains("0.5 * ") => {
                    let (before, after) = text.split_once("0.5").expect("it is in there");
                    self.parts.extend([
                        Part::Text(before.to_owned()),
                        Part::Number(0.5),
                        Part::Text(after.to_owned()),
                    ]);
                }
                other => self.parts.push(other),
            }
        }
        self
    }
}

//! Writes a random program: structs, enums, a trait, functions that call one another, and the function `entry`.
//!
//! What holds of each program: it is well-typed, every index is in bounds, every loop and recursion ends, and numbers stay
//! small ([`Node::size`] is a rough bound; what grows is wrapped in `tanh` and the like).

mod calls;
mod chains;
mod expressions;
mod items;
mod lent;
mod lists;
mod matches;
mod matrices;
mod nested;
mod operators;
mod scope;
mod statements;

use std::collections::HashSet;

use hunt::random::Random;

use crate::tree::{Node, Part, Sort, tree};
use items::{Signature, Type};
use lent::Lender;
use nested::Potential;
use operators::Operator;
use scope::Scope;

/// What has been generated so far.
pub(crate) struct Generator {
    random: Random,
    names: usize,
    types: Vec<Type>,
    functions: Vec<Signature>,
    /// The functions that something calls.
    called: HashSet<String>,
    /// The operators that something uses, of which type.
    operators: Vec<(Operator, String)>,
    lenders: Vec<Lender>,
    potentials: Vec<Potential>,
    /// Whether statements may be configured away.
    configurable: bool,
    /// Whether potentials have third derivatives.
    third: bool,
    has_trait: bool,
    items: Vec<Node>,
    /// How many more statements and expressions the function may have.
    fuel: isize,
    /// How large functions are, in hundredths.
    scale: isize,
}

/// The program of a seed.
pub(crate) fn program(seed: u64) -> Node {
    let mut g = Generator {
        random: Random::new(seed),
        names: 0,
        types: Vec::new(),
        functions: Vec::new(),
        called: HashSet::new(),
        operators: Vec::new(),
        lenders: Vec::new(),
        potentials: Vec::new(),
        configurable: true,
        third: false,
        has_trait: false,
        items: Vec::new(),
        fuel: 0,
        scale: 100,
    };
    // Most are small: many small programs meet more than a few large ones that take as long to compile.
    let (scale, most) = match g.random.below(20) {
        0..=7 => (8, 1),
        8..=13 => (12, 2),
        14..=16 => (16, 2),
        17..=18 => (30, 3),
        _ => (80, 6),
    };
    g.scale = scale;
    let mut some = most;
    let mut take = |g: &mut Generator, of: usize| {
        let n = g.random.below(of).min(some);
        some -= n;
        n
    };
    for _ in 0..take(&mut g, 3) {
        g.structure();
    }
    if g.random.chance(35) && take(&mut g, 2) == 1 {
        g.enumeration();
    }
    if g.random.chance(35) && g.types.iter().any(items::Type::is_struct) {
        g.contract();
    }
    if g.random.chance(12) {
        g.third = g.random.chance(50);
        g.potential();
    }
    for _ in 0..take(&mut g, 5) {
        if g.random.chance(25) {
            g.lender();
        } else {
            g.function();
        }
    }
    if g.potentials.is_empty() && g.random.chance(10) {
        g.captured();
    }
    g.entry();
    Node::list(Sort::Fixed, needed(g.items))
}

/// Without what nothing mentions.
fn needed(mut items: Vec<Node>) -> Vec<Node> {
    let name = |item: &Node| {
        item.parts.iter().find_map(|part| match part {
            Part::Def(name) if item.sort == Sort::Item => Some(name.clone()),
            _ => None,
        })
    };
    loop {
        let uses: Vec<HashSet<String>> = items.iter().map(Node::uses).collect();
        let is_used = |i: usize, name: &String| {
            let mut others = uses.iter().enumerate().filter(|(j, _)| *j != i);
            name == "Contract" || others.any(|(_, uses)| uses.contains(name))
        };
        let unused = (0..items.len()).find(|i| name(&items[*i]).is_some_and(|n| !is_used(*i, &n)));
        match unused {
            Some(i) => drop(items.remove(i)),
            None => return items,
        }
    }
}

impl Generator {
    /// A function of `most` parts, in a large program.
    fn begin(&mut self, most: isize) {
        self.fuel = (most * self.scale / 100).max(3);
    }

    fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    /// A number that is written down.
    fn literal(&mut self) -> Node {
        const LITERALS: [f64; 10] = [0.5, 0.3, 1.2, 0.7, -0.4, 0.25, 1.5, -0.8, 0.9, 0.1];
        let x = *self.random.pick(&LITERALS);
        Node::number(x)
    }

    fn entry(&mut self) {
        self.begin(60);
        let mut scope = Scope::new();
        scope.slice("x", 4, false);
        scope.slice("y", 4, true);
        scope.float("s", false);
        scope.slice("c", 4, false);
        scope.int("n", 4);
        let body = self.body(&mut scope, 3);
        // What the program left in `y` is part of the result.
        let item = tree!(
            Sort::Fixed,
            "$pub fn entry(x: &[~], y: &mut [~], s: ~, $c: &[~], $n: usize) -> ~ $\n",
            Part::Attribute("#[differentiable]\n".to_owned()),
            Part::Attribute("#[constant] ".to_owned()),
            Part::Attribute("#[constant] ".to_owned()),
            body,
        );
        self.items.push(item);
    }
}

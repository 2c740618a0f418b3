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
use scope::Scope;

/// What has been generated so far.
pub(crate) struct Generator {
    random: Random,
    names: usize,
    types: Vec<Type>,
    functions: Vec<Signature>,
    /// The functions that something calls.
    called: HashSet<String>,
    lenders: Vec<Lender>,
    potentials: Vec<Potential>,
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
        lenders: Vec::new(),
        potentials: Vec::new(),
        third: false,
        has_trait: false,
        items: Vec::new(),
        fuel: 0,
        scale: 100,
    };
    // Most are small: many small programs meet more than a few large ones that take as long to compile.
    let (scale, most) = *g.random.pick(&[
        (12, 1),
        (12, 2),
        (16, 2),
        (20, 2),
        (25, 3),
        (40, 4),
        (100, 6),
    ]);
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
    Node::list(Sort::Fixed, g.items)
}

impl Generator {
    /// A function of `most` parts, in a large program.
    fn begin(&mut self, most: isize) {
        self.fuel = (most * self.scale / 100).max(4);
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

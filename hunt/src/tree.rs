//! Programs as typed trees that print themselves, over `f64` or over the oracle's numbers.
//!
//! A node has a sort (an expression of a type, a statement, an item) and parts: text, numbers, names and nodes. The
//! shrinker knows no more of Rust than that: a node may stand for another one of its sort.

use std::collections::HashSet;

/// Types of expressions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Ty {
    Float,
    Int,
    Bool,
    /// `[f64; N]`
    Array(usize),
    Vec,
    /// `[[f64; M]; N]`
    Grid(usize, usize),
    /// `Vec<Vec<f64>>`
    Rows,
    /// `(f64, f64)`
    Pair,
    /// `Option<f64>`
    Option,
    /// `Result<f64, String>`
    Result,
    /// A struct or an enum of the program, by its name.
    Named(String),
    /// Of other types; no other node stands for it.
    Other,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sort {
    Expr(Ty),
    Stmt,
    /// Statements in braces, which may end in an expression.
    Block,
    Item,
    /// A part that always stays.
    Fixed,
}

/// What a node consists of.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    Text(String),
    /// A literal.
    Number(f64),
    /// The type of numbers.
    Float,
    /// What only the differentiated program has: attributes.
    Attribute(String),
    /// A driver of a function that is called, by what the oracle has instead, and what is of the same type without attributes.
    Driver {
        /// Of the function.
        name: String,
        plain: String,
        bare: String,
        oracle: String,
    },
    /// An integer as a number.
    Cast(Box<Node>),
    Use(String),
    Def(String),
    Node(Node),
}

impl From<Node> for Part {
    fn from(node: Node) -> Self {
        Self::Node(node)
    }
}

impl From<&str> for Part {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&String> for Part {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<String> for Part {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<usize> for Part {
    fn from(n: usize) -> Self {
        Self::Text(n.to_string())
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) sort: Sort,
    pub(crate) parts: Vec<Part>,
    /// How large a number may be, roughly.
    pub(crate) size: f64,
}

/// A node of text in which `$` stands for a part, and `~` for the type of numbers.
macro_rules! tree {
    ($sort:expr, $template:expr $(, $part:expr)* $(,)?) => {
        $crate::tree::Node::new($sort, $template, vec![$($crate::tree::Part::from($part)),*])
    };
}
pub(crate) use tree;

/// What numbers are called and how they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// `f64`, with attributes.
    Plain,
    /// `f64`, without attributes: whether the program is valid at all.
    Bare,
    /// The oracle's, without attributes.
    Oracle,
    /// A type parameter `T: Real`.
    Generic,
    /// A type parameter of the oracle's.
    Nested,
}

impl Node {
    pub(crate) fn new(sort: Sort, template: &str, parts: Vec<Part>) -> Self {
        let mut given = parts.into_iter();
        let mut parts = Vec::new();
        let mut text = String::new();
        for c in template.chars() {
            let part = match c {
                '$' => given.next().expect("a part for each `$`"),
                '~' => Part::Float,
                other => {
                    text.push(other);
                    continue;
                }
            };
            if !text.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut text)));
            }
            parts.push(part);
        }
        if !text.is_empty() {
            parts.push(Part::Text(text));
        }
        assert!(given.next().is_none(), "a `$` for each part of {template}");
        Self {
            sort,
            parts,
            size: 2.0,
        }
    }

    pub(crate) fn number(x: f64) -> Self {
        Self {
            sort: Sort::Expr(Ty::Float),
            parts: vec![Part::Number(x)],
            size: x.abs(),
        }
    }

    pub(crate) fn sized(self, size: f64) -> Self {
        Self { size, ..self }
    }

    /// Nodes in a row.
    pub(crate) fn list(sort: Sort, nodes: Vec<Self>) -> Self {
        Self {
            sort,
            parts: nodes.into_iter().map(Part::Node).collect(),
            size: 2.0,
        }
    }

    /// Calls `f` with each part, outer ones first.
    pub(crate) fn visit(&self, f: &mut dyn FnMut(&Part)) {
        for part in &self.parts {
            f(part);
            match part {
                Part::Node(node) => node.visit(f),
                Part::Cast(node) => node.visit(f),
                _ => {}
            }
        }
    }

    /// The names that are mentioned.
    pub(crate) fn uses(&self) -> HashSet<String> {
        let mut uses = HashSet::new();
        self.visit(&mut |part| {
            if let Part::Use(name) | Part::Driver { name, .. } = part {
                uses.insert(name.clone());
            }
        });
        uses
    }

    pub(crate) fn defs(&self) -> HashSet<String> {
        let mut defs = HashSet::new();
        self.visit(&mut |part| {
            if let Part::Def(name) = part {
                defs.insert(name.clone());
            }
        });
        defs
    }

    /// How many parts it has.
    pub(crate) fn weight(&self) -> usize {
        let mut weight = 0;
        self.visit(&mut |_| weight += 1);
        weight
    }

    pub(crate) fn print(&self, numbers: Numbers) -> String {
        let mut out = String::new();
        self.write(numbers, &mut out);
        out
    }

    fn write(&self, numbers: Numbers, out: &mut String) {
        use std::fmt::Write as _;
        // Functions that are printed otherwise are marked by their first part.
        let mark = match self.parts.first() {
            Some(Part::Text(mark)) => mark.as_str(),
            _ => "",
        };
        let numbers = match (mark, numbers) {
            (GENERIC, Numbers::Plain) => Numbers::Generic,
            (NESTED, Numbers::Oracle) => Numbers::Nested,
            _ => numbers,
        };
        if let (
            ASSIGNMENT,
            Numbers::Oracle | Numbers::Generic,
            [_, place, operator, number, end @ ..],
        ) = (mark, numbers, &self.parts[..])
        {
            let print = |part: &Part| {
                let parts = vec![part.clone()];
                let node = Self {
                    sort: Sort::Fixed,
                    parts,
                    size: 2.0,
                };
                node.print(numbers)
            };
            let end: String = end.iter().map(print).collect();
            let (place, operator, number) = (print(place), print(operator), print(number));
            let _ = write!(
                out,
                "{{ let number = {number}; {place}{operator}number{end} }}"
            );
            return;
        }
        for part in &self.parts {
            match part {
                Part::Text(text) if [GENERIC, NESTED, ASSIGNMENT].contains(&text.as_str()) => {}
                Part::Text(text) if text == PARAMETER => match numbers {
                    Numbers::Generic => out.push_str("<T: Real>"),
                    Numbers::Nested => out.push_str("<T: Number>"),
                    _ => {}
                },
                Part::Text(text) | Part::Use(text) | Part::Def(text) => out.push_str(text),
                Part::Number(x) => {
                    let _ = match numbers {
                        Numbers::Plain | Numbers::Bare if *x < 0.0 => write!(out, "({x:?})"),
                        Numbers::Plain | Numbers::Bare => write!(out, "{x:?}"),
                        Numbers::Oracle => write!(out, "D::c({x:?})"),
                        Numbers::Generic => write!(out, "T::from_f64({x:?})"),
                        Numbers::Nested => write!(out, "T::c({x:?})"),
                    };
                }
                Part::Float => out.push_str(match numbers {
                    Numbers::Plain | Numbers::Bare => "f64",
                    Numbers::Oracle => "D",
                    Numbers::Generic | Numbers::Nested => "T",
                }),
                Part::Attribute(text) => {
                    if matches!(numbers, Numbers::Plain | Numbers::Generic) {
                        out.push_str(text);
                    }
                }
                Part::Driver {
                    plain,
                    bare,
                    oracle,
                    ..
                } => out.push_str(match numbers {
                    Numbers::Bare => bare,
                    Numbers::Oracle | Numbers::Nested => oracle,
                    Numbers::Plain | Numbers::Generic => plain,
                }),
                Part::Cast(node) => {
                    let inner = node.print(numbers);
                    let _ = match numbers {
                        Numbers::Plain | Numbers::Bare => write!(out, "(({inner}) as f64)"),
                        Numbers::Oracle => write!(out, "D::c(({inner}) as f64)"),
                        Numbers::Generic => write!(out, "T::from_f64(({inner}) as f64)"),
                        Numbers::Nested => write!(out, "T::c(({inner}) as f64)"),
                    };
                }
                Part::Node(node) => node.write(numbers, out),
            }
        }
    }
}

/// The first part of an assignment with an operator: place, operator and number follow. Of floats the number is evaluated first; of
/// other types the place is.
pub(crate) const ASSIGNMENT: &str = "\u{1}assignment";
/// The first part of a function that the oracle differentiates inside of others.
pub(crate) const NESTED: &str = "\u{1}nested";
/// The first part of a function that is generic over its numbers.
pub(crate) const GENERIC: &str = "\u{1}generic";
/// Where its type parameter is declared.
pub(crate) const PARAMETER: &str = "\u{1}parameter";

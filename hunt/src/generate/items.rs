//! Items: structs, enums, a trait, and functions of many signatures.

use super::Generator;
use super::scope::{By, Kind, Returns, Scope};
use crate::tree::{GENERIC, Node, PARAMETER, Part, Sort, Ty, tree};

/// A type of the program.
#[derive(Clone, Debug)]
pub(super) enum Type {
    Struct {
        name: String,
        fields: Vec<(String, Ty)>,
        contract: bool,
        /// Whether it has a field that isn't configured, and `z` is one that is.
        configured: bool,
    },
    Enum {
        name: String,
    },
}

impl Type {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Struct { name, .. } | Self::Enum { name } => name,
        }
    }

    pub(super) fn is_struct(&self) -> bool {
        matches!(self, Self::Struct { .. })
    }
}

/// What a parameter takes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Takes {
    Value(Ty),
    Ref(Ty),
    Mut(Ty),
    /// `&[f64]`, of at least so many elements.
    Slice(usize),
    SliceMut(usize),
    ConstantSlice(usize),
    ConstantFloat,
    /// An integer below this.
    Int(usize),
    /// `impl Fn(f64) -> f64`
    Function,
    /// `&dyn Contract` or `&impl Contract`
    Object,
}

/// A function that can be called.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    pub(super) name: String,
    pub(super) takes: Vec<Takes>,
    pub(super) returns: Returns,
    /// Called on its first argument.
    pub(super) method: bool,
}

const DIFFERENTIABLE: &str = "#[differentiable]\n";

fn attribute(text: &str) -> Part {
    Part::Attribute(text.to_owned())
}

impl Generator {
    pub(super) fn named(&self, name: &str) -> Option<&Type> {
        self.types.iter().find(|t| t.name() == name)
    }

    /// A struct, with methods.
    pub(super) fn structure(&mut self) {
        let name = self.fresh("S");
        let mut fields = Vec::new();
        for i in 0..=self.random.below(4) {
            let earlier: Vec<String> = self
                .types
                .iter()
                .filter(|t| t.is_struct())
                .map(|t| t.name().to_owned())
                .collect();
            let ty = match self.random.below(9) {
                0..=3 => Ty::Float,
                4 => Ty::Array(2 + self.random.below(2)),
                5 => Ty::Vec,
                6 => Ty::Pair,
                7 if !earlier.is_empty() => Ty::Named(self.random.pick(&earlier).clone()),
                7 => Ty::Float,
                _ => Ty::Int,
            };
            fields.push((format!("f{i}"), ty));
        }
        // There is always a number.
        fields.push(("z".to_owned(), Ty::Float));
        let mut item = tree!(
            Sort::Item,
            "$pub struct $ {\n",
            attribute("#[derive(Differentiable)]\n"),
            Part::Def(name.clone())
        );
        item.parts.insert(0, "#[derive(Clone, Debug)]\n".into());
        let configured = self.random.chance(15);
        for (field, ty) in &fields {
            let attribute = if configured && field == "z" {
                "#[cfg(unix)]\n"
            } else {
                ""
            };
            item.parts.push(Part::Node(tree!(
                Sort::Fixed,
                "$pub $: $,\n",
                attribute,
                field,
                type_name(ty)
            )));
        }
        if configured {
            item.parts.push("#[cfg(windows)]\npub w: f64,\n".into());
        }
        item.parts.push("}\n".into());
        self.items.push(item);
        self.types.push(Type::Struct {
            name: name.clone(),
            fields,
            contract: false,
            configured,
        });
        for _ in 0..self.random.below(if self.scale < 30 { 2 } else { 3 }) {
            self.method(&name);
        }
    }

    fn method(&mut self, owner: &str) {
        self.begin(15);
        let name = self.fresh("m");
        let this = Ty::Named(owner.to_owned());
        let (receiver, takes) = match self.random.below(4) {
            0..=1 => ("&self", Takes::Ref(this.clone())),
            2 => ("&mut self", Takes::Mut(this.clone())),
            _ => ("self", Takes::Value(this.clone())),
        };
        let mut scope = Scope::new();
        scope.float("a", false);
        let (by, writable) = match takes {
            Takes::Ref(_) => (By::Ref, false),
            Takes::Mut(_) => (By::Mut, true),
            _ => (By::Own, false),
        };
        scope.add("self", Kind::Value(this), by, writable, 0);
        let returns = match self.random.below(8) {
            0..=4 => Ty::Float,
            5 => Ty::Named(owner.to_owned()),
            6 => Ty::Option,
            _ => Ty::Pair,
        };
        scope.returns = Returns::Value(returns.clone());
        let list = self.random.chance(30);
        if list {
            scope.slice("list", 2, false);
        }
        let body = self.body(&mut scope, 2);
        let item = tree!(
            Sort::Item,
            "$impl $ {\npub fn $($, a: ~$) -> $ $\n}\n",
            attribute(DIFFERENTIABLE),
            Part::Use(owner.to_owned()),
            Part::Def(name.clone()),
            receiver,
            if list {
                tree!(Sort::Fixed, ", list: &[~]")
            } else {
                tree!(Sort::Fixed, "")
            },
            type_name(&returns),
            body
        );
        self.items.push(item);
        let mut takes = vec![takes, Takes::Value(Ty::Float)];
        if list {
            takes.push(Takes::Slice(2));
        }
        self.functions.push(Signature {
            name,
            takes,
            returns: Returns::Value(returns),
            method: true,
        });
    }

    pub(super) fn enumeration(&mut self) {
        let name = self.fresh("E");
        let item = tree!(
            Sort::Item,
            "#[derive(Clone, Debug)]\n$#[allow(dead_code)]\npub enum $ { One(~), Two { p: ~, q: ~ }, Many([~; 2]), Nothing }\n",
            attribute("#[derive(Differentiable)]\n"),
            Part::Def(name.clone())
        );
        self.items.push(item);
        self.types.push(Type::Enum { name });
    }

    /// A trait, and its impls for structs.
    pub(super) fn contract(&mut self) {
        self.has_trait = true;
        let item = tree!(
            Sort::Item,
            "$pub trait $ {\nfn val(&self, a: ~) -> ~;\nfn again(&self, a: ~) -> ~ { self.val(self.val(a) + $) }\n}\n",
            attribute("#[differentiable(dyn)]\n"),
            Part::Def("Contract".to_owned()),
            Node::number(0.3)
        );
        self.items.push(item);
        for i in 0..self.types.len() {
            let Type::Struct { name, contract, .. } = &mut self.types[i] else {
                continue;
            };
            *contract = true;
            let name = name.clone();
            self.begin(10);
            let mut scope = Scope::new();
            scope.float("a", false);
            scope.add(
                "self",
                Kind::Value(Ty::Named(name.clone())),
                By::Ref,
                false,
                0,
            );
            let body = self.body(&mut scope, 1);
            let item = tree!(
                Sort::Item,
                "$impl $ for $ {\nfn val(&self, a: ~) -> ~ $\n}\n",
                attribute("#[differentiable(dyn)]\n"),
                Part::Use("Contract".to_owned()),
                Part::Use(name),
                body
            );
            self.items.push(item);
        }
    }

    /// A function that `entry` and later functions may call.
    pub(super) fn function(&mut self) {
        self.begin(30);
        let name = self.fresh("h");
        let generic = self.random.chance(15);
        let mut scope = Scope::new();
        scope.generic = generic;
        let mut takes = Vec::new();
        let mut parameters = Vec::new();
        let names: Vec<Ty> = self
            .types
            .iter()
            .map(|t| Ty::Named(t.name().to_owned()))
            .collect();
        for i in 0..=self.random.below(4) {
            let parameter = format!("p{i}");
            let by = |t: &str| t.to_owned();
            let (take, template, writable) = match self.random.below(if generic { 10 } else { 23 })
            {
                0..=2 => (Takes::Value(Ty::Float), by("~"), false),
                3..=4 => (Takes::Slice(2), by("&[~]"), false),
                5 => (Takes::SliceMut(2), by("&mut [~]"), true),
                6 => (Takes::Int(4), by("usize"), false),
                7 => (Takes::Ref(Ty::Float), by("&~"), false),
                8 => (Takes::Mut(Ty::Float), by("&mut ~"), true),
                9 => (Takes::Value(Ty::Array(3)), by("[~; 3]"), false),
                10 => (Takes::ConstantSlice(2), by("&[~]"), false),
                11 => (Takes::ConstantFloat, by("~"), false),
                12 => (Takes::Value(Ty::Vec), by("Vec<~>"), false),
                13 => (Takes::Function, by("impl Fn(~) -> ~"), false),
                14 if self.has_trait => (
                    Takes::Object,
                    (*self.random.pick(&["&dyn Contract", "&impl Contract"])).to_owned(),
                    false,
                ),
                15..=16 if !names.is_empty() => {
                    let ty = self.random.pick(&names).clone();
                    let t = type_text(&ty);
                    (Takes::Ref(ty), format!("&{t}"), false)
                }
                17 if !names.is_empty() => {
                    let ty = self.random.pick(&names).clone();
                    let t = type_text(&ty);
                    (Takes::Value(ty), t, false)
                }
                18 => (Takes::Mut(Ty::Grid(2, 3)), by("&mut [[~; 3]; 2]"), true),
                19 => (Takes::Value(Ty::Pair), by("(~, ~)"), false),
                20 => (Takes::Mut(Ty::Vec), by("&mut Vec<~>"), true),
                21 => (Takes::Ref(Ty::Rows), by("&Vec<Vec<~>>"), false),
                22 => (Takes::Mut(Ty::Rows), by("&mut Vec<Vec<~>>"), true),
                _ => (Takes::Value(Ty::Float), by("~"), false),
            };
            let mark = if matches!(take, Takes::ConstantSlice(_) | Takes::ConstantFloat) {
                attribute("#[constant] ")
            } else {
                "".into()
            };
            let mutable = matches!(take, Takes::Value(_)) && self.random.chance(30);
            let template = format!("{}$: {template}, ", if mutable { "$mut " } else { "$" });
            parameters.push(tree!(
                Sort::Fixed,
                &template,
                mark,
                Part::Def(parameter.clone())
            ));
            bring(&mut scope, &parameter, &take, writable || mutable);
            takes.push(take);
        }
        if generic && takes.iter().all(|take| matches!(take, Takes::Int(_))) {
            // From something a caller has to infer the numbers' type.
            let (take, parameter) = (Takes::Slice(2), "numbers");
            parameters.push(tree!(
                Sort::Fixed,
                "$: &[~], ",
                Part::Def(parameter.to_owned())
            ));
            bring(&mut scope, parameter, &take, false);
            takes.push(take);
        }
        let mut recursion = None;
        if self.random.chance(15) {
            takes.push(Takes::Int(3));
            parameters.push(tree!(Sort::Fixed, "depth: usize, "));
            recursion = Some("depth");
        }
        let returns = match self.random.below(14) {
            0..=5 => Returns::Value(Ty::Float),
            6 => Returns::Value(Ty::Pair),
            7 => Returns::Value(Ty::Vec),
            8 => Returns::Value(Ty::Option),
            9 | 12 => Returns::Value(Ty::Result),
            13 => Returns::Value(Ty::Option),
            10 if !names.is_empty() && !generic => Returns::Value(self.random.pick(&names).clone()),
            11 if takes
                .iter()
                .any(|t| matches!(t, Takes::Mut(_) | Takes::SliceMut(_))) =>
            {
                Returns::Unit
            }
            _ => Returns::Value(Ty::Float),
        };
        scope.returns = returns.clone();
        let signature = Signature {
            name: name.clone(),
            takes,
            returns: returns.clone(),
            method: false,
        };
        let before = recursion.map(|depth| {
            // Calls itself with a smaller depth.
            let first = self.return_value(&scope, 1);
            let exit = tree!(Sort::Fixed, "if $ == 0 { return $; }\n", depth, first);
            let call = self.recursive_call(&signature, &scope);
            (exit, call)
        });
        if let Some((_, Some(_))) = &before
            && returns == Returns::Value(Ty::Float)
        {
            scope.float("_r", false);
        }
        let mut body = self.body(&mut scope, 2);
        if let Some((exit, call)) = before {
            let at = 1.min(body.parts.len());
            body.parts.insert(at, Part::Node(exit));
            if let Some(call) = call {
                body.parts.insert(at + 1, Part::Node(call));
            }
        }
        let result = match &returns {
            Returns::Unit => tree!(Sort::Fixed, ""),
            Returns::Value(ty) => tree!(Sort::Fixed, "-> $ ", type_name(ty)),
        };
        let mut item = tree!(
            Sort::Item,
            "$pub fn $$($) $$\n",
            attribute(DIFFERENTIABLE),
            Part::Def(name),
            PARAMETER,
            Node::list(Sort::Fixed, parameters),
            result,
            body
        );
        if generic {
            item.parts.insert(0, GENERIC.into());
        }
        self.items.push(item);
        self.functions.push(signature);
    }

    /// A literal of a struct, or a variant.
    pub(super) fn named_value(&mut self, name: &str, scope: &Scope, d: usize) -> Node {
        let sort = Sort::Expr(Ty::Named(name.to_owned()));
        let vars = scope.matching(|v| v.kind == Kind::Value(Ty::Named(name.to_owned())));
        if !vars.is_empty() && self.random.chance(50) {
            return tree!(sort, "$.clone()", self.random.pick(&vars).mention());
        }
        if let Some(call) = self.call_of(&Ty::Named(name.to_owned()), scope, d)
            && self.random.chance(30)
        {
            return call;
        }
        if self.random.chance(30)
            && let Some(value) = self.operated(name, scope, d)
        {
            return value;
        }
        let Some(found) = self.named(name).cloned() else {
            unreachable!("a type of the program")
        };
        match found {
            Type::Struct {
                fields, configured, ..
            } => {
                let mut parts = vec![Part::Use(name.to_owned())];
                let mut template = "$ { ".to_owned();
                if configured {
                    template.push_str("#[cfg(windows)] w: 1.0, ");
                }
                for (field, ty) in fields {
                    if configured && field == "z" {
                        template.push_str("#[cfg(unix)] ");
                    }
                    template.push_str(&field);
                    template.push_str(": $, ");
                    parts.push(self.value(&ty, scope, d.min(1)).into());
                }
                template.push('}');
                // In parentheses, since it may stand in a condition.
                Node::new(sort, &format!("({template})"), parts)
            }
            Type::Enum { .. } => {
                let of = Part::Use(name.to_owned());
                match self.random.below(4) {
                    0 => tree!(sort, "$::One($)", of, self.tame(scope, d)),
                    1 => tree!(
                        sort,
                        "($::Two { p: $, q: $ })",
                        of,
                        self.tame(scope, d),
                        self.tame(scope, 0)
                    ),
                    2 => tree!(
                        sort,
                        "$::Many([$, $])",
                        of,
                        self.tame(scope, d),
                        self.tame(scope, 0)
                    ),
                    _ => tree!(sort, "$::Nothing", of),
                }
            }
        }
    }
}

/// Adds a parameter to the scope of its function.
fn bring(scope: &mut Scope, name: &str, takes: &Takes, writable: bool) {
    match takes {
        Takes::Value(ty) => scope.value(name, ty.clone(), writable, length(ty)),
        Takes::Ref(ty) => scope.add(name, Kind::Value(ty.clone()), By::Ref, false, length(ty)),
        Takes::Mut(ty) => scope.add(name, Kind::Value(ty.clone()), By::Mut, true, length(ty)),
        Takes::Slice(n) | Takes::ConstantSlice(n) => scope.slice(name, *n, false),
        Takes::SliceMut(n) => scope.slice(name, *n, true),
        Takes::ConstantFloat => scope.float(name, false),
        Takes::Int(below) => scope.int(name, *below),
        Takes::Function => scope.add(name, Kind::Closure(1), By::Own, false, 0),
        Takes::Object => scope.add(name, Kind::Object, By::Ref, false, 0),
    }
}

/// The least length of a list of this type.
pub(super) fn length(ty: &Ty) -> usize {
    match ty {
        Ty::Array(n) => *n,
        Ty::Vec => 2,
        _ => 0,
    }
}

fn type_text(ty: &Ty) -> String {
    match ty {
        Ty::Float => "~".to_owned(),
        Ty::Int => "usize".to_owned(),
        Ty::Bool => "bool".to_owned(),
        Ty::Array(n) => format!("[~; {n}]"),
        Ty::Vec => "Vec<~>".to_owned(),
        Ty::Rows => "Vec<Vec<~>>".to_owned(),
        Ty::Grid(n, m) => format!("[[~; {m}]; {n}]"),
        Ty::Pair => "(~, ~)".to_owned(),
        Ty::Option => "Option<~>".to_owned(),
        Ty::Result => "Result<~, String>".to_owned(),
        Ty::Named(name) => name.clone(),
        Ty::Other => "()".to_owned(),
    }
}

/// A type as it is written.
pub(super) fn type_name(ty: &Ty) -> Node {
    Node::new(Sort::Fixed, &type_text(ty), Vec::new())
}

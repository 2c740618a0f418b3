//! Emission: IR to tokens. It knows nothing of differentiation: every operation has one form, whatever made it.
//!
//! Values that are read once, right where they are, become parts of expressions; all others are `let`s. Names are the
//! user's own inside (`x`, `x_dot`, `x_bar`), made unique; generated identifiers are hygienic (`Span::mixed_site()`).

mod buffers;
mod by_path;
mod call;
mod combined;
mod constants;
mod expr;
mod field_shadows;
mod function;
mod items;
mod lookups;
mod missing;
mod names;
mod operators;
mod real;
mod region;
mod reserve;
mod rules_of;
mod signature;
mod split;
mod verbatim;
mod views;

pub(crate) use by_path::{argument_type, by_path, path_name};
pub(crate) use call::unraw;
pub(crate) use call::view;
pub(crate) use expr::at as respanned;
pub(crate) use function::{rule_generics, without_functions};
pub(crate) use items::{Items, allowed, allows, with_attribute};
pub(crate) use lookups::lookup;
pub(crate) use names::{MADE_TYPE, is_made};
pub(crate) use operators::{marker as operator_marker, operation, unary, unary_marker};
pub(crate) use signature::{
    Entry, Found, Parts, Threads, bound_by_shortest, by_type, captured, emit_entry, emit_item,
    emit_parts, emit_wide, is_own_tangent, output_tangent, output_ty, own, param_ty, parameters,
    tangent_type,
};

use std::collections::BTreeSet;

use names::Names;
use proc_macro2::{Ident, TokenStream};

use crate::ir::{Const, DenseMap, DenseSet, Func, Map, Op, Place, Region, Set, Slot, Value};

/// An expression that hasn't been emitted yet.
#[derive(Clone)]
struct Pending {
    tokens: TokenStream,
    /// How tightly its outermost operator binds; see `expr::prec`.
    prec: u8,
    /// True if it reads memory, and so may not move past a write.
    reads: bool,
    /// How many operations it has, so that no line becomes unreadable.
    size: u32,
    /// `a op rest`, where `a` is a variable: `a = a op rest` is emitted as `a op= rest`.
    compound: Option<(String, TokenStream, TokenStream)>,
}

/// Names of parts of fields, which may be constant.
#[derive(Default)]
struct Inside {
    named: BTreeSet<String>,
    /// How many fields without names.
    unnamed: u32,
    /// Accessors of payloads, shared and mutable.
    payloads: BTreeSet<[Ident; 2]>,
}

#[allow(
    clippy::struct_excessive_bools,
    reason = "each says something of its own"
)]
/// Emits the body of one function or closure.
struct Emitter<'a> {
    func: &'a Func,
    rt: &'a TokenStream,
    names: Names,
    /// Variables that have the user's own identifiers, which the user's code finds.
    named: Set<Slot>,
    values: Map<Value, Ident>,
    pending: Map<Value, Pending>,
    /// The order in which pending expressions arose.
    order: Vec<Value>,
    /// Values that are read exactly once, by an operation of the region that defines them.
    once: DenseSet<Value>,
    /// Values that are read at all.
    read: DenseSet<Value>,
    /// Of each tape of runs, one of them.
    runs: Map<Slot, Slot>,
    slots: Map<Slot, Ident>,
    /// References to places that the current operation uses together.
    parts: Vec<(Place, Ident)>,
    /// Parts that the loops around run over, the innermost last.
    views: Vec<views::View>,
    /// Indices that views replace.
    left_out: Set<Value>,
    /// The number of enclosing loops that have reserved space for the runs in them.
    reserved: usize,
    consts: Map<Value, Const>,
    /// The places of which the values are lengths.
    lens: Map<Value, Place>,
    /// The ends of aliases that start where the aliased list starts.
    cuts: Map<Slot, Value>,
    /// Methods on receivers whose type only rustc can resolve, with the number of their arguments.
    probes: BTreeSet<(String, usize)>,
    /// Methods that return references, likewise.
    borrow_sources: BTreeSet<(String, usize)>,
    /// True if views of a library's arrays are taken.
    takes_views: bool,
    /// True if places are reached by methods that take `&mut self`.
    looks_up: bool,
    /// True if views of a library's arrays are taken.
    looks_up_views: bool,
    /// Stacks whose entries go through a callee.
    links: Set<Slot>,
    /// Lists with memory of the workspace.
    buffers: buffers::Buffers,
    /// Those of the function's body that the pullback puts back.
    inherited: Vec<buffers::Owner>,
    /// Shadows that nobody reads, of the body that is being emitted.
    unread: Vec<Ident>,
    /// Function parameters that several functions of a call share.
    cells: Map<Slot, Ident>,
    /// Structs of types that have been asked for their tangents.
    checked: crate::ir::Set<Value>,
    /// True if tangents of fields occur.
    fields: bool,
    /// True if values of unknown type are indexed.
    indexes: bool,
    /// Traits of the runtime whose methods the code calls.
    imports: BTreeSet<&'static str>,
    inside: Inside,
    /// Fields of tangents that are moved out of.
    moved: Vec<Place>,
    /// Zeros of values that may have no tangent.
    perhaps: Set<Value>,
    /// Functions whose rules stand under another name.
    with: Found<'a>,
}

impl<'a> Emitter<'a> {
    fn new(func: &'a Func, rt: &'a TokenStream, with: Found<'a>) -> Self {
        let links = links(func);
        let mut emitter = Emitter {
            func,
            rt,
            names: Names::default(),
            named: Set::default(),
            values: Map::default(),
            pending: Map::default(),
            order: Vec::new(),
            once: DenseSet::default(),
            read: DenseSet::default(),
            runs: Map::default(),
            slots: Map::default(),
            parts: Vec::new(),
            views: Vec::new(),
            left_out: Set::default(),
            reserved: 0,
            consts: Map::default(),
            lens: Map::default(),
            cuts: Map::default(),
            probes: BTreeSet::new(),
            borrow_sources: BTreeSet::new(),
            takes_views: false,
            looks_up: lookups::looks_up_mutably(func),
            looks_up_views: lookups::looks_up_views(func),
            buffers: buffers::Buffers::new(func, &links),
            inherited: Vec::new(),
            links,
            unread: Vec::new(),
            cells: Map::default(),
            fields: false,
            indexes: false,
            checked: crate::ir::Set::default(),
            imports: BTreeSet::new(),
            inside: Inside::default(),
            moved: field_shadows::moved_tangents(func),
            perhaps: missing::zeros(func),
            with,
        };
        // No variable can have the name of one of these, whatever its case.
        for item in &func.items {
            if let syn::Item::Struct(syn::ItemStruct { ident, .. })
            | syn::Item::Const(syn::ItemConst { ident, .. })
            | syn::Item::Static(syn::ItemStatic { ident, .. }) = item
            {
                emitter.names.reserve(&ident.to_string());
            }
        }
        let mut reads = Reads::default();
        reads.region(&func.body);
        if let Some(pullback) = &func.pullback {
            reads.region(&pullback.body);
        }
        emitter.once = reads.once();
        emitter.read = reads.all;
        emitter.runs = reads.runs;
        emitter.bind_user_names();
        emitter
    }

    /// A user's variable keeps its identifier where no other has the same, so that verbatim code finds it.
    fn bind_user_names(&mut self) {
        let mut seen: Map<String, u32> = Map::default();
        for slot in &self.func.slots {
            if let Some(ident) = &slot.ident {
                *seen.entry(ident.to_string()).or_default() += 1;
            }
        }
        for (index, slot) in self.func.slots.iter().enumerate() {
            if let Some(ident) = &slot.ident
                && seen.get(&ident.to_string()) == Some(&1)
            {
                let slot = Slot(u32::try_from(index).unwrap_or(u32::MAX));
                self.names.reserve(&ident.to_string());
                self.named.insert(slot);
                self.slots.insert(slot, ident.clone());
            }
        }
    }
}

/// The stacks whose entries are residuals of closures.
fn links(func: &Func) -> Set<Slot> {
    let mut all = Set::default();
    let pullback = func.pullback.iter().map(|p| &p.body);
    for region in std::iter::once(&func.body).chain(pullback) {
        region.walk(&mut |op| {
            for closure in op.kind.closures() {
                all.extend(closure.links.iter().flatten());
            }
        });
    }
    all
}

/// How often values are read, and which are read by an operation (or the yield) of their own region.
#[derive(Default)]
struct Reads {
    counts: DenseMap<Value, u32>,
    /// By number, the region in which a value is defined, other than as its parameter.
    regions: DenseMap<Value, u32>,
    entered: u32,
    local: Vec<Value>,
    all: DenseSet<Value>,
    /// The tapes of runs, with one of their runs each.
    runs: Map<Slot, Slot>,
}

impl Reads {
    fn region(&mut self, region: &Region) {
        self.entered += 1;
        let here = self.entered;
        for op in &region.ops {
            op.each_operand(&mut |v| self.read(v, here));
            if let crate::ir::OpKind::Run { run, tape, .. } = &op.kind {
                self.runs.insert(*tape, *run);
            }
            for result in &op.results {
                self.regions.insert(*result, here);
            }
        }
        for y in &region.yields {
            self.read(*y, here);
        }
        for op in &region.ops {
            op.each_region(&mut |inner| self.region(inner));
        }
    }

    fn read(&mut self, v: Value, here: u32) {
        self.all.insert(v);
        let count = self.counts.get(v).unwrap_or(0);
        self.counts.insert(v, count + 1);
        if self.regions.get(v) == Some(here) {
            self.local.push(v);
        }
    }

    /// The values that are read once only, in their own region.
    fn once(&self) -> DenseSet<Value> {
        let mut once = DenseSet::default();
        for v in &self.local {
            if self.counts.get(*v) == Some(1) {
                once.insert(*v);
            }
        }
        once
    }
}

/// Returns `true` if an operation writes memory, or runs code that may.
fn has_effect(op: &Op) -> bool {
    use crate::ir::{Access, OpKind};
    match op.kind {
        OpKind::If { .. }
        | OpKind::For { .. }
        | OpKind::Loop { .. }
        | OpKind::Call(_)
        | OpKind::ApplyPullback(_)
        | OpKind::Combined(_)
        | OpKind::Opaque { .. }
        | OpKind::Unpack { .. }
        | OpKind::CoercionSites(_)
        | OpKind::Sum { .. }
        | OpKind::Unreachable => true,
        _ => op.slots().iter().any(|(_, access)| *access != Access::Read),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::pipeline::rule;
    use crate::testing::{emitted, primal};
    use crate::transform::{Shape, forward, reverse};

    const SUM: &str = "fn f(x: &[f64], a: f64) -> f64 {
        let mut s = 0.0;
        for i in 0..x.len() {
            s += (a * x[i]).sin();
        }
        s * a
    }";

    #[test]
    fn a_forward_rule_reads_as_one_would_write_it() {
        expect![[r#"
            #[doc(hidden)]
            #[inline]
            fn frule(
                rt::Dual(x, x_dot): rt::Dual<&[f64], &[f64]>,
                rt::Dual(a, a_dot): rt::Dual<f64, f64>,
            ) -> rt::Dual<f64, f64> {
                let x_dot_1 = &x_dot[..x.len()];
                let mut s = 0.0f64;
                let mut s_dot = 0.0f64;
                for i in 0usize..x.len() {
                    let x_1 = x[i];
                    let t = a * x_1;
                    let t_dot = rt::strong_mul(a_dot * x_1 + a * x_dot_1[i], t.cos());
                    s += t.sin();
                    s_dot += t_dot;
                }
                let t_1 = s * a;
                let t_dot_1 = s_dot * a + s * a_dot;
                rt::Dual(t_1, t_dot_1)
            }
        "#]]
        .assert_eq(&emitted(&rule(forward(&primal(SUM))), "frule"));
    }

    #[test]
    fn a_combined_rule_reads_as_one_would_write_it() {
        expect![[r#"
            #[doc(hidden)]
            #[inline]
            fn combined(x: &[f64], a: f64, y_bar: f64, x_bar: &mut [f64], a_bar: &mut f64) -> f64 {
                let x_bar_1 = &mut x_bar[..x.len()];
                let s_bar = y_bar * a;
                let mut s = 0.0f64;
                let mut a_bar_1 = 0.0f64;
                for i in 0usize..x.len() {
                    let x_1 = x[i];
                    let t = a * x_1;
                    let t_bar = rt::strong_mul(s_bar, t.cos());
                    x_bar_1[i] += a * t_bar;
                    s += t.sin();
                    a_bar_1 += t_bar * x_1;
                }
                *a_bar += s * y_bar + a_bar_1;
                let t_1 = s * a;
                t_1
            }
        "#]]
        .assert_eq(&emitted(
            &rule(reverse(&primal(SUM), Shape::Combined)),
            "combined",
        ));
    }

    #[test]
    fn patterns_come_out_as_tests_and_references() {
        let source = "fn f(o: &Option<Vec<f64>>, a: &f64) -> f64 {
            match o {
                Some(v) => g(v),
                None => *a,
            }
        }";
        expect![[r#"
            #[doc(hidden)]
            #[inline]
            fn combined(
                o: &Option<Vec<f64>>,
                a: &f64,
                y_bar: f64,
                o_bar: &mut <Option<Vec<f64>> as rt::Differentiable>::Tangent,
                a_bar: &mut f64,
            ) -> f64 {
                let is_some: ::core::primitive::bool = {
                    let subject = o;
                    ::core::matches!(subject, Some(_))
                };
                let t = if is_some {
                    let v = match &*o {
                        Some { 0: part_0, .. } => part_0,
                        #[allow(unreachable_patterns)]
                        _ => ::core::unreachable!(),
                    };
                    let modes = g::__modes();
                    let (g, (_,)) = g::__combined_call(
                        modes
                            .0
                            .give(
                                v,
                                match &mut *o_bar {
                                    Some { 0: part_0, .. } => part_0,
                                    #[allow(unreachable_patterns)]
                                    _ => ::core::unreachable!(),
                                },
                            ),
                        y_bar,
                    );
                    g
                } else {
                    let a_1 = *a;
                    *a_bar += y_bar;
                    a_1
                };
                t
            }
        "#]]
        .assert_eq(&emitted(
            &rule(reverse(&primal(source), Shape::Combined)),
            "combined",
        ));
    }

    #[test]
    fn exits_and_swaps_come_out_as_assignments() {
        let source = "fn f(x: f64, n: usize) -> f64 {
            let (mut a, mut b) = (x, 1.0);
            for _ in 0..n {
                if a > 10.0 {
                    break;
                }
                (a, b) = (b, a * x);
            }
            a
        }";
        expect![[r#"
            #[doc(hidden)]
            #[inline]
            #[allow(clippy::type_complexity)]
            fn rrule(
                x: f64,
                n: usize,
            ) -> (f64, impl ::core::ops::FnOnce(f64, (), ()) -> (f64, ()) + use<>) {
                let mut residuals_tape = rt::workspace::list(0);
                let mut a = x;
                let mut b = 1.0f64;
                let mut trips = 0usize;
                for k in 0usize..n {
                    let (a_1, b_1, stop) = if a > 10.0 { (a, b, true) } else { (b, a * x, false) };
                    residuals_tape.push(a);
                    let stop_1 = stop;
                    a = a_1;
                    b = b_1;
                    trips += 1;
                    if stop_1 {
                        break;
                    }
                }
                (
                    a,
                    move |y_bar: f64, _: (), _: ()| -> (f64, ()) {
                        let mut a_bar = y_bar;
                        let mut b_bar = 0.0f64;
                        let mut x_bar = 0.0f64;
                        for k_1 in ::core::iter::Iterator::rev(0usize..trips) {
                            let a_2 = rt::pop(&mut residuals_tape);
                            if !(a_2 > 10.0) {
                                (a_bar, b_bar, x_bar) = (b_bar * x, a_bar, x_bar + a_2 * b_bar);
                            }
                        }
                        let x_bar_1 = x_bar + a_bar;
                        rt::workspace::keep(residuals_tape);
                        (x_bar_1, ())
                    },
                )
            }
        "#]]
        .assert_eq(&emitted(
            &rule(reverse(&primal(source), Shape::Split)),
            "rrule",
        ));
    }

    #[test]
    fn a_multiple_of_a_row_is_reversed_as_a_scalar_product_and_an_update() {
        let func = primal(
            "fn f(a: &[f64], s: f64, k: usize, n: usize) -> f64 {
                let mut c = vec![1.0; n];
                for j in 0..n {
                    c[j] += s * a[k * n + j];
                }
                c[0]
            }",
        );
        expect![[r#"
            #[doc(hidden)]
            #[inline]
            fn combined(
                a: &[f64],
                s: f64,
                k: usize,
                n: usize,
                y_bar: f64,
                a_bar: &mut [f64],
                s_bar: &mut f64,
            ) -> f64 {
                let a_bar_1 = &mut a_bar[..a.len()];
                let mut c = rt::workspace::filled(1.0f64, n);
                let t = k * n;
                let a_1 = if 0 < n { &a[t..][..n] } else { &[] };
                let c_1 = &mut c[..n];
                for j in 0usize..n {
                    c_1[j] = c_1[j] + s * a_1[j];
                }
                let c_2 = c[0];
                let mut c_bar = rt::workspace::filled(0.0f64, n);
                c_bar[0] = y_bar;
                let sum_1 = if 0 < n {
                    let sum = rt::sum([&c_bar[..n], &a[t..t + n]], |[t_bar, a_2]| { t_bar * a_2 });
                    sum
                } else {
                    0.0f64
                };
                let c_bar_1 = &c_bar[..n];
                let a_bar_2 = if 0 < n { &mut a_bar_1[t..][..n] } else { &mut [] };
                for j_1 in 0usize..n {
                    a_bar_2[j_1] += s * c_bar_1[j_1];
                }
                *s_bar += sum_1;
                rt::workspace::keep(c_bar);
                rt::workspace::keep(c);
                c_2
            }
        "#]]
        .assert_eq(&emitted(&rule(reverse(&func, Shape::Combined)), "combined"));
    }

    /// A list that a pullback gets again may have another length, as far as rustc knows: its part is taken in front of the loop.
    #[test]
    fn lengths_in_a_pullback() {
        let source =
            "fn f(x: &[f64], y: &mut [f64]) { let n = x.len(); for i in 0..n { y[i] *= x[i]; } }";
        let emitted = emitted(&rule(reverse(&primal(source), Shape::Split)), "rrule");
        let (forwards, backwards) = emitted.split_once("move |").expect("a pullback");
        assert!(!forwards.contains("&x[..n]"), "{emitted}");
        assert!(backwards.contains("&x_1[..n]"), "{emitted}");
    }

    #[test]
    fn a_list_that_is_replaced_goes_back_to_the_workspace() {
        let f = "fn f(x: &[f64], n: usize) -> f64 { let mut u = x.to_vec(); for k in 0..n { let mut v = u.clone(); v[1] += u[0]; u = v; } u[1] }";
        let rule = emitted(&rule(reverse(&primal(f), Shape::Combined)), "__combined");
        assert!(
            rule.contains("keep(::core::mem::replace(&mut u, "),
            "{rule}"
        );
        // One that is returned is not from there.
        let g = "fn g(x: &[f64], n: usize) -> Vec<f64> { let mut u = x.to_vec(); let w = u; u = x.to_vec(); u[0] += w[n]; u }";
        let rule = emitted(&rule_of(g), "__rrule");
        assert!(rule.contains("u = copy;"), "{rule}");
    }

    fn rule_of(source: &str) -> crate::ir::Func {
        rule(reverse(&primal(source), Shape::Split))
    }
}

//! Loops of a few trips over the components of a small array, written out.
//!
//! ```text
//! for i in 0..2 carry (s) { s = s + x[i] * x[i] }     |    s = s + x[0] * x[0]; s = s + x[1] * x[1]
//! ```
//!
//! The result of such a loop is then a value that the reverse half has at hand without a tape. Valid for counted loops between
//! literals whose bodies declare no variables; done where the result is short.

use crate::ir::{Adapter, Const, Func, Map, Op, OpKind, Region, Value};

/// The most trips.
const TRIPS: i64 = 4;

/// The most operations that a loop is written out to.
const OPERATIONS: usize = 48;

/// Writes short loops of a primal out, inner ones first.
pub(crate) fn unroll(mut func: Func) -> Func {
    let mut body = std::mem::take(&mut func.body);
    let mut unroller = Unroller::default();
    unroller.region(&mut func, &mut body);
    func.body = body;
    func.result.each_value_mut(&mut |v| *v = unroller.get(*v));
    func
}

#[derive(Default)]
struct Unroller {
    ints: Map<Value, i64>,
    /// The replacements of the results of removed loops.
    same: Map<Value, Value>,
}

impl Unroller {
    fn get(&self, v: Value) -> Value {
        self.same.get(&v).copied().unwrap_or(v)
    }

    fn region(&mut self, func: &mut Func, region: &mut Region) {
        let mut ops = Vec::with_capacity(region.ops.len());
        for mut op in std::mem::take(&mut region.ops) {
            op.each_operand_mut(&mut |v| *v = self.get(*v));
            for inner in op.regions_mut() {
                self.region(func, inner);
            }
            if let (OpKind::Const(Const::Int(digits)), [v]) = (&op.kind, &op.results[..])
                && let Ok(n) = digits.replace('_', "").parse()
            {
                self.ints.insert(*v, n);
            }
            match self.trips(&op) {
                Some(trips) => self.write_out(func, &op, &trips, &mut ops),
                None => ops.push(op),
            }
        }
        region.ops = ops;
        for y in &mut region.yields {
            *y = self.get(*y);
        }
    }

    /// The values of the counter, if the loop is to be written out.
    fn trips(&self, op: &Op) -> Option<Vec<i64>> {
        let (range, _, body) = op.as_counted_loop()?;
        let (lo, hi) = (*self.ints.get(&range.lo)?, *self.ints.get(&range.hi)?);
        let hi = hi + i64::from(range.inclusive);
        let mut trips: Vec<i64> =
            (lo >= 0 && (1..=TRIPS).contains(&(hi - lo))).then(|| (lo..hi).collect())?;
        for adapter in &range.adapters {
            match adapter {
                Adapter::Rev => trips.reverse(),
                Adapter::StepBy(_) | Adapter::Checkpoint(_) => return None,
            }
        }
        let (mut size, mut plain) = (0, true);
        body.walk(&mut |op| {
            size += 1;
            plain &= is_plain(op);
        });
        (plain && size * trips.len() <= OPERATIONS).then_some(trips)
    }

    fn write_out(&mut self, func: &mut Func, op: &Op, trips: &[i64], ops: &mut Vec<Op>) {
        let OpKind::For { init, body, .. } = &op.kind else {
            crate::diagnostics::bug!("not a loop")
        };
        let mut carried = init.clone();
        for n in trips {
            let counter = body.params[0];
            let at = copy_of(func, counter);
            self.ints.insert(at, *n);
            ops.push(Op::new(
                OpKind::Const(Const::Int(n.to_string())),
                vec![at],
                op.span,
            ));
            let mut names: Map<Value, Value> = Map::default();
            names.insert(counter, at);
            names.extend(body.params[1..].iter().copied().zip(carried));
            let copy = renamed(func, body, &mut names);
            carried = copy.yields;
            ops.extend(copy.ops);
        }
        self.same.extend(op.results.iter().copied().zip(carried));
    }
}

/// Returns `true` if the operation declares no variable and contains no verbatim code.
fn is_plain(op: &Op) -> bool {
    match &op.kind {
        OpKind::Load(_) | OpKind::Store(..) | OpKind::Len(_) | OpKind::If { .. } => true,
        OpKind::For { body, .. } => !body.params.is_empty(),
        _ => op.is_arithmetic(),
    }
}

/// The region with results and parameters of its own.
pub(crate) fn renamed(func: &mut Func, region: &Region, names: &mut Map<Value, Value>) -> Region {
    let mut copy = region.clone();
    for param in &mut copy.params {
        if !names.contains_key(param) {
            names.insert(*param, copy_of(func, *param));
        }
        *param = names[param];
    }
    for op in &mut copy.ops {
        op.each_operand_mut(&mut |v| *v = names.get(v).copied().unwrap_or(*v));
        for inner in op.regions_mut() {
            *inner = renamed(func, inner, names);
        }
        for result in &mut op.results {
            let fresh = copy_of(func, *result);
            names.insert(*result, fresh);
            *result = fresh;
        }
    }
    for y in &mut copy.yields {
        *y = names.get(y).copied().unwrap_or(*y);
    }
    copy
}

pub(super) fn copy_of(func: &mut Func, v: Value) -> Value {
    let data = func.value(v).clone();
    let copy = func.new_value(data.ty, data.name, data.span);
    let own = func.value_mut(copy);
    own.maybe_reference = data.maybe_reference;
    own.unordered = data.unordered;
    own.positive = data.positive;
    own.constant = data.constant;
    copy
}

#[cfg(test)]
mod tests {
    use crate::testing::primal;

    fn loops(source: &str) -> usize {
        primal(source).to_string().matches(" in %").count()
    }

    #[test]
    fn a_loop_over_three_components_is_written_out() {
        let sum =
            "fn f(x: &[f64; 3]) -> f64 { let mut s = 0.0; for i in 0..3 { s += x[i] * x[i]; } s }";
        assert_eq!(loops(sum), 0);
        let product = "fn f(c: &mut [[f64; 2]; 2], a: &[[f64; 2]; 2]) { for i in 0..2 { for j in (0..2).rev() { c[i][j] *= a[j][i]; } } }";
        assert_eq!(loops(product), 0);
    }

    #[test]
    fn what_is_long_stays() {
        for source in [
            "fn f(x: &[f64; 9]) -> f64 { let mut s = 0.0; for i in 0..9 { s += x[i]; } s }",
            "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for i in 0..x.len() { s += x[i]; } s }",
            "fn f(x: &[f64]) -> f64 { let mut s = 0.0; for i in 0..3 { if x[i] > 1.0 { break; } s += x[i]; } s }",
        ] {
            assert_eq!(loops(source), 1, "{source}");
        }
    }
}

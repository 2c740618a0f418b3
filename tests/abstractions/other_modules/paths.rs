//! Paths of all kinds, private modules and fields, imports that export again.

use chainrule::prelude::*;
use chainrule::testing::check_rules;

use super::super::other_modules::types as renamed;
use super::{functions, types};

mod private {
    use chainrule::prelude::*;

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    pub(crate) struct Q {
        pub(super) q: f64,
        pub(in super::super) r: f64,
        s: f64,
        pub n: Vec<usize>,
    }

    #[differentiable]
    impl Q {
        pub(crate) fn new(q: f64) -> Q {
            Q {
                q,
                r: q * 2.0,
                s: q,
                n: vec![2],
            }
        }

        pub(crate) fn squared(&self) -> f64 {
            self.s * self.s
        }
    }

    pub(super) mod makers {
        use chainrule::prelude::*;

        use super::Q;

        #[differentiable]
        pub(crate) fn made(x: f64) -> Q {
            Q::new(x * x)
        }

        #[differentiable]
        pub(crate) fn perhaps(x: f64) -> Option<super::Q> {
            Some(super::Q::new(x))
        }
    }

    pub(crate) use self::makers::made as again;
}

pub(crate) use private::Q;

#[differentiable]
fn by_module(g: &types::Grid) -> f64 {
    let h: types::Grid = g.clone();
    let made = functions::grid(&[g.w, 2.0]);
    h.w.min(g.h) * h.inner.b.max(0.1) * made.inner.b.min(3.0)
}

#[differentiable]
fn by_renamed_module(g: &renamed::Grid) -> f64 {
    g.w.max(g.h) * g.n as f64
}

#[differentiable]
fn by_private_module(x: f64) -> f64 {
    let q = private::makers::made(x);
    q.q.max(q.r) * q.squared()
        + private::again(x).q
        + private::makers::perhaps(x).map_or(0.0, |q| q.q.exp()) * q.n[0] as f64
}

#[differentiable]
fn exported_again(q: &Q, s: &types::Shape) -> f64 {
    match s {
        types::Shape::Rect(a, b) => a.max(*b) * q.q,
        _ => q.r.min(2.0),
    }
}

mod inner {
    use super::*;

    #[differentiable]
    pub(super) fn squares(g: &types::Grid) -> f64 {
        let mut s = 0.0;
        for (k, row) in g.rows.iter().enumerate() {
            s += row.iter().map(|v| v.powi(2)).sum::<f64>() * g.parts[k].min(1.0);
        }
        s
    }

    #[differentiable]
    pub(super) fn by_glob(x: f64) -> f64 {
        by_private_module(x).min(100.0)
    }
}

mod outer {
    use super::super::types::{Grid, Shape};
    use super::inner::*;
    use super::*;

    #[differentiable]
    fn globs(g: &Grid) -> f64 {
        by_module(g).max(0.0) * squares(g)
    }

    #[test]
    fn rules_of_items_by_path() {
        let (g, q) = (Grid::new(1.2, 0.7), Q::new(0.7));
        check_rules!(by_module, &g);
        check_rules!(by_renamed_module, &g);
        check_rules!(by_private_module, 0.6);
        check_rules!(exported_again, &q, &Shape::Rect(0.4, 0.5));
        check_rules!(exported_again, &q, &Shape::Empty);
        check_rules!(squares, &g);
        check_rules!(by_glob, 0.6);
        check_rules!(globs, &g);
    }
}

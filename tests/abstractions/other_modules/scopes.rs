//! Names that mean something else in the caller's module: traits in scope, and imports that the configuration chooses.

use chainrule::prelude::*;
use chainrule::testing::check_rules;

mod traits {
    pub(crate) trait Long {
        fn len(&self) -> usize;
    }

    impl Long for super::declared::Pair {
        fn len(&self) -> usize {
            100
        }
    }

    pub(crate) trait Short {
        fn len(&self) -> usize;
    }

    impl Short for super::declared::Pair {
        fn len(&self) -> usize {
            1
        }
    }
}

mod declared {
    use chainrule::prelude::*;

    use super::traits::Long;

    #[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
    pub(crate) struct Pair {
        pub x: f64,
        pub y: f64,
    }

    #[differentiable]
    impl Pair {
        pub(crate) fn long(&self) -> f64 {
            self.x * self.len() as f64
        }
    }

    #[differentiable]
    pub(crate) fn free(p: Pair) -> f64 {
        p.y * p.len() as f64
    }
}

mod twice {
    use chainrule::prelude::*;

    #[differentiable]
    pub(crate) fn doubled(x: f64) -> f64 {
        x * 2.0
    }

    #[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
    pub(crate) struct Part {
        pub a: f64,
        pub b: f64,
    }
}

mod sum {
    use chainrule::prelude::*;

    #[differentiable]
    pub(crate) fn doubled(x: f64) -> f64 {
        x + x
    }

    #[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
    pub(crate) struct Part {
        pub a: f32,
        pub c: f64,
    }
}

mod chosen {
    #[cfg(any())]
    pub(crate) use super::twice::{Part, doubled};

    #[cfg(not(any()))]
    pub(crate) use super::sum::{Part, doubled};
}

use chosen::{Part, doubled};
use declared::Pair;
use traits::Short;

#[differentiable]
fn other_trait_in_scope(p: Pair) -> f64 {
    p.long() + declared::free(p) + p.x * p.len() as f64
}

#[differentiable]
fn configured_imports(x: f64, part: &Part) -> f64 {
    doubled(x) * chosen::doubled(x) * part.c
}

#[test]
fn names_with_other_meanings() {
    let p = Pair { x: 0.6, y: 0.9 };
    assert_eq!(other_trait_in_scope(p), 60.0 + 90.0 + 0.6);
    check_rules!(other_trait_in_scope, p);
    check_rules!(configured_imports, 0.5, &Part { a: 1.0, c: 2.0 });
    assert_eq!(twice::doubled(1.0), 2.0);
    assert_eq!(twice::Part { a: 1.0, b: 2.0 }.clone().b, 2.0);
}

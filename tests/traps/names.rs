//! Shadowed names, and generic functions at two types of floats.

use chainrule::prelude::*;

use crate::check::table;

const X: [f64; 4] = [1.3, 0.5, -0.8, 0.3];

#[differentiable]
fn shadowed_in_loop(x: &[f64], n: usize) -> f64 {
    let s = x[0];
    let mut out = s;
    for k in 0..n {
        let s = s * x[k % 4];
        let x = s + x[(k + 1) % 4];
        {
            let s = x * s;
            out = out * 0.5 + s;
        }
        out += s * x;
    }
    out * s
}

#[differentiable]
fn shadowed_by_patterns(x: f64, y: f64) -> f64 {
    let (x, y) = (y, x * y);
    let [x, y] = [x * y, x];
    let x = match y {
        y if y > 0.0 => y * x,
        x => x - y,
    };
    let f = |x: f64| x * y;
    let y = f(x) + f(y);
    x * y
}

#[differentiable]
fn shadowed_parameter(mut x: f64, n: usize) -> f64 {
    for n in 0..n {
        let mut x_bar = x * n as f64;
        x_bar += x;
        let x_dot = x_bar.sin();
        x = x * x_dot;
        let x = x_bar;
        if x > 100.0 {
            return x;
        }
    }
    x
}

#[differentiable]
fn names_of_rules(y_bar: f64, pullback: f64, frule: f64) -> f64 {
    let gradient = y_bar * pullback;
    let modes = gradient * frule;
    let tape = modes.sin() * y_bar;
    let zero = tape + 1.0;
    zero * zero * pullback
}

#[differentiable]
fn raw(r#type: f64, r#fn: f64) -> f64 {
    let r#loop = r#type * r#fn;
    r#loop * r#loop + r#type
}

#[differentiable]
fn shadowed_index(x: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        let v = x[i];
        for i in 0..=i {
            let i = i + 0;
            s += v * x[i];
            let v = v * s;
            s += v * 0.1;
        }
        s *= v;
    }
    s
}

#[differentiable]
fn shadowed_mut_reference(v: &mut [f64]) -> f64 {
    let len = v.len();
    let w = &mut *v;
    w[0] *= w[1];
    let v = &mut w[1..];
    v[0] += v[1];
    let v = &mut v[1..len - 1];
    v[0] *= v[1];
    v[0] * v[1]
}

#[differentiable]
fn closure_shadow(x: f64, y: f64) -> f64 {
    let mut total = 0.0;
    let mut add = |x: f64| {
        let y = x * y;
        total += y;
        y
    };
    let y = add(x) * 2.0;
    let x = add(y);
    let total = total * x;
    total + y
}

#[differentiable]
fn horner<T: Real>(c: &[T], x: T) -> T {
    let mut y = T::zero();
    for k in (0..c.len()).rev() {
        y = y * x + c[k];
    }
    y.sin() * x
}

#[differentiable]
fn norm_of<T: Real>(x: &[T]) -> T {
    let mut s = T::zero();
    for v in x {
        s = s + *v * *v;
    }
    s.sqrt()
}

#[differentiable]
fn both(c: &[f64; 4], x: f32) -> f64 {
    let single = [x, x * x];
    horner(c, x as f64) * norm_of(&single) as f64
}

table! {
    shadowed_in_loop: for n in 0..4, (&X, const n);
    shadowed_by_patterns: (1.3, 0.4), (1.3, -0.4);
    shadowed_parameter: for n in 0..4, (0.7, const n);
    names_of_rules: (0.3, 1.2, -0.7);
    raw: (0.3, 1.2);
    tuples_of_one: (0.3, 1.2);
    shadowed_index: (&X);
    shadowed_mut_reference: (&mut X);
    closure_shadow: (0.6, 1.7);
    horner: (&X, 0.4);
    norm_of: (&X);
    both: (&X, 0.375_f32);
}

mod elsewhere {
    pub(super) fn wrapped(k: usize) -> (f64,) {
        (k as f64 + 0.5,)
    }
}

/// A tuple of one component, of a type that only rustc knows.
#[differentiable]
fn tuples_of_one(x: f64, y: f64) -> f64 {
    let (k,) = elsewhere::wrapped(2);
    let (t,) = (x * y,);
    let (u,): (f64,) = (t * k,);
    let mut s = u;
    for (v,) in [(x,), (y,)] {
        s += v * k * t;
    }
    s
}

/// Names that the file imports, and that mean something else in a body.
mod imported {
    use std::f64::consts::{self, PI};

    use super::*;

    #[differentiable]
    fn constant_of_the_body(x: f64) -> f64 {
        const PI: f64 = 3.0;
        PI * x * x + consts::LN_2
    }

    #[differentiable]
    fn constant_of_a_block(x: f64) -> f64 {
        let inside = {
            const PI: f64 = 3.0;
            PI * x
        };
        inside * x * consts::E
    }

    #[differentiable]
    fn module_of_the_body(x: f64) -> f64 {
        mod consts {
            pub(super) const E: f64 = 2.0;
        }
        consts::E * x * x + PI
    }

    #[differentiable]
    fn length<const PI: usize>(x: f64) -> f64 {
        PI as f64 * x * x
    }

    #[differentiable]
    fn of_four(x: f64) -> f64 {
        length::<4>(x) * PI
    }

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    struct Powers<const PI: usize> {
        of: f64,
    }

    #[differentiable]
    impl<const PI: usize> Powers<PI> {
        fn times(&self, x: f64) -> f64 {
            PI as f64 * x * self.of
        }
    }

    #[differentiable]
    fn by_method(x: f64) -> f64 {
        Powers::<3> { of: x }.times(x)
    }

    table! {
        constant_of_the_body: (0.5) => [3.0];
        constant_of_a_block: (0.5) => [3.0 * consts::E];
        module_of_the_body: (0.5) => [2.0];
        of_four: (0.5) => [4.0 * PI];
        by_method: (0.5) => [3.0];
    }
}

/// Items of inner blocks whose names mean nothing else outside of these.
mod inner {
    use super::*;

    mod factors {
        pub(super) const HALF: f64 = 0.5;
    }

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    struct Pair {
        third: f64,
        half: f64,
    }

    #[differentiable]
    fn items_of_blocks(x: f64) -> f64 {
        let thirds = {
            const THIRD: f64 = 1.0 / 3.0;
            THIRD * x
        };
        let mut sum = Pair {
            third: thirds,
            half: 0.0,
        };
        for _ in 0..4 {
            use factors::HALF;
            sum.half += HALF * x * sum.third;
        }
        sum.half * sum.third
    }

    table! {
        items_of_blocks: (0.5) => [2.0 / 9.0 * 3.0 * 0.25];
    }
}

/// Functions of one name: rules are those of the function that a call means.
mod rivals {
    use super::*;

    mod squares {
        use super::*;

        #[differentiable]
        pub(super) fn scale(x: f64) -> f64 {
            x * x
        }
    }

    mod factors {
        use super::*;

        #[differentiable]
        pub(super) fn scale(x: f64) -> f64 {
            5.0 * x
        }

        #[differentiable]
        pub(super) fn helper(x: f64) -> f64 {
            7.0 * x
        }
    }

    use factors::scale;
    #[expect(
        unused_imports,
        reason = "the trap: its rules have the name of the other function"
    )]
    use squares::*;

    #[differentiable]
    fn named_beside_all(x: f64) -> f64 {
        scale(x) * x
    }

    /// The name is also that of a variable.
    #[differentiable]
    fn named_beside_a_variable(x: f64) -> f64 {
        let double = |scale: f64| scale * 2.0;
        double(x) * scale(x) + [x, x].iter().map(|x| scale(*x)).sum::<f64>()
    }

    #[differentiable]
    fn applied(f: impl Fn(f64) -> f64, x: f64) -> f64 {
        f(x) * x
    }

    #[differentiable]
    fn named_as_a_value(x: f64) -> f64 {
        applied(scale, x)
    }

    #[differentiable]
    fn helper(x: f64) -> f64 {
        x * 3.0
    }

    #[differentiable]
    fn calls_the_helper(x: f64) -> f64 {
        helper(x) * x
    }

    /// The function that is called has another `helper`.
    #[differentiable]
    fn beside_one_of_the_body(x: f64) -> f64 {
        #[differentiable]
        fn helper(x: f64) -> f64 {
            x * x
        }
        calls_the_helper(x) * helper(x)
    }

    #[differentiable]
    fn imported_by_the_body(x: f64) -> f64 {
        use factors::helper;
        helper(x) * x
    }

    #[differentiable]
    fn imported_by_a_block(x: f64) -> f64 {
        let inside = {
            use factors::helper;
            helper(x) * x
        };
        inside * x
    }

    #[differentiable]
    fn of_the_body(x: f64) -> f64 {
        #[differentiable]
        fn helper(x: f64) -> f64 {
            x * x
        }
        helper(x) * x
    }

    mod others {
        use super::*;

        #[derive(Clone, Debug, PartialEq, Differentiable)]
        pub(super) struct Count {
            pub(super) n: f64,
        }

        #[differentiable]
        impl Count {
            pub(super) fn of(x: f64) -> Count {
                Count { n: x * x }
            }
        }
    }

    /// Without a tangent, and with a function without rules.
    #[derive(Clone, Debug, PartialEq)]
    struct Count {
        n: usize,
    }

    impl Count {
        fn of(n: usize) -> Count {
            Count { n }
        }
    }

    #[differentiable]
    fn type_of_the_body(x: f64) -> f64 {
        use others::Count;
        Count::of(x).n * Count { n: x }.n
    }

    #[differentiable]
    fn type_of_the_module(x: f64) -> f64 {
        Count::of(3).n as f64 * x
    }

    #[differentiable]
    fn constant_of_the_body(x: f64) -> f64 {
        fn helper(n: usize) -> usize {
            n + 1
        }
        helper(3) as f64 * x
    }

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    struct Side {
        x: f64,
    }

    impl Side {
        fn count(&self) -> usize {
            2
        }
    }

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    struct Of<T: Real> {
        x: T,
    }

    mod elsewhere {
        use super::*;

        #[differentiable]
        impl super::Side {
            pub(super) fn area(&self) -> f64 {
                9.0 * self.x
            }
        }
    }

    #[differentiable]
    trait Shape {
        fn area(&self) -> f64;
        fn sqrt(&self, by: &[f64]) -> f64;
        fn set(&mut self, x: f64);

        fn doubled(&self) -> f64 {
            2.0 * self.area()
        }

        #[cfg(any())]
        fn halved(&self) -> f64 {
            0.5 * self.area()
        }
    }

    #[differentiable]
    impl Shape for Side {
        fn area(&self) -> f64 {
            self.x * self.x
        }

        fn sqrt(&self, by: &[f64]) -> f64 {
            by[0] * self.x
        }

        fn set(&mut self, x: f64) {
            self.x = x;
        }

        #[cfg(any())]
        fn halved(&self) -> f64 {
            self.x
        }
    }

    #[differentiable]
    impl Shape for f64 {
        fn area(&self) -> f64 {
            self * self
        }

        fn sqrt(&self, by: &[f64]) -> f64 {
            by[0] * self
        }

        fn set(&mut self, x: f64) {
            *self = x;
        }
    }

    #[differentiable]
    impl<T: Real> Shape for Of<T> {
        fn area(&self) -> f64 {
            self.x.to_f64() * 2.0
        }

        fn sqrt(&self, by: &[f64]) -> f64 {
            by[0] * self.x.to_f64()
        }

        fn set(&mut self, x: f64) {
            self.x = T::from_f64(x);
        }
    }

    #[differentiable]
    fn methods(x: f64) -> f64 {
        let mut s = Side { x };
        let mut of = Of { x };
        of.set(3.0 * x);
        s.set(2.0 * x);
        s.area()
            + Shape::area(&s) * of.area()
            + Shape::area(&x)
            + s.sqrt(&[x])
            + s.doubled() * s.count() as f64
    }

    table! {
        named_beside_all: (0.5) => [5.0];
        named_beside_a_variable: (0.5) => [20.0];
        named_as_a_value: (0.5) => [5.0];
        beside_one_of_the_body: (0.5) => [1.5];
        imported_by_the_body: (0.5) => [7.0];
        imported_by_a_block: (0.5) => [21.0 * 0.25];
        of_the_body: (0.5) => [0.75];
        type_of_the_body: (0.5) => [0.75];
        type_of_the_module: (0.5) => [3.0];
        constant_of_the_body: (0.5) => [4.0];
        methods: (0.5) => [18.0 + 24.0 * 3.0 * 0.25 + 1.0 + 4.0 * 0.5 + 16.0];
    }
}

/// Modules that have the names of std's.
mod modules {
    use chainrule::prelude::*;

    use crate::check::table;

    mod mem {
        use chainrule::prelude::*;

        #[differentiable]
        pub(super) fn swap(a: &mut f64, b: &mut f64) {
            *a *= 2.0;
            *b += 1.0;
        }

        #[differentiable]
        pub(super) fn replace(a: &mut f64, b: f64) -> f64 {
            *a = 2.0 * b;
            b * b
        }
    }

    mod inner {
        pub(super) mod convert {
            use chainrule::prelude::*;

            #[differentiable]
            pub(in super::super) fn identity(x: f64) -> f64 {
                x * x
            }
        }

        pub(super) mod hint {
            use chainrule::prelude::*;

            #[differentiable]
            pub(in super::super) fn black_box(x: f64) -> f64 {
                x * x * x
            }
        }
    }
    use inner::convert;

    mod std_by_glob {
        pub(super) use std::iter;
    }
    use std_by_glob::*;

    mod crates {
        pub(super) mod core {
            pub(in super::super) mod mem {
                use chainrule::prelude::*;

                #[differentiable]
                pub(in super::super::super) fn swap(a: &mut f64, b: &mut f64) {
                    *a *= 2.0;
                    *b *= 3.0;
                }
            }
        }
    }
    use crates::core;

    /// A module that has the name of the library.
    #[differentiable]
    fn of_a_module_core(x: f64) -> f64 {
        let (mut a, mut b) = (x, x * x);
        core::mem::swap(&mut a, &mut b);
        a + b
    }

    #[differentiable]
    fn of_the_module(x: f64) -> f64 {
        let (mut a, mut b) = (x, 3.0 * x);
        mem::swap(&mut a, &mut b);
        let old = mem::replace(&mut b, x);
        a * b + old
    }

    #[differentiable]
    fn imported(x: f64) -> f64 {
        convert::identity(x) + inner::convert::identity(x)
    }

    #[differentiable]
    fn imported_by_the_body(x: f64) -> f64 {
        use inner::hint;
        hint::black_box(x)
    }

    #[differentiable]
    fn imported_by_a_block(x: f64) -> f64 {
        let y = {
            use inner::hint;
            hint::black_box(x)
        };
        y * x
    }

    /// The body imports std's.
    #[differentiable]
    fn of_std(x: f64) -> f64 {
        use std::mem;
        let (mut a, mut b) = (x, 3.0 * x * x);
        mem::swap(&mut a, &mut b);
        std::mem::swap(&mut a, &mut b);
        mem::swap(&mut a, &mut b);
        a
    }

    #[differentiable]
    fn of_std_by_glob(x: f64) -> f64 {
        let mut total = 0.0;
        for v in iter::repeat(x).take(3) {
            total += v * v;
        }
        total
    }

    table! {
        of_a_module_core: (0.5) => [5.0];
        // 2 x * 2 x + x^2
        of_the_module: (0.5) => [5.0];
        imported: (0.5) => [2.0];
        imported_by_the_body: (0.5) => [0.75];
        imported_by_a_block: (0.5) => [0.5];
        of_std: (0.5) => [3.0];
        of_std_by_glob: (0.5) => [3.0];
    }
}

#[derive(Clone, Differentiable)]
struct Named {
    p: f64,
    v: f64,
}

#[differentiable]
fn taken_apart(Named { p, v }: &Named, [a, b]: [f64; 2]) -> f64 {
    p * p * a + v * b
}

#[differentiable]
fn calls_by_pattern(x: f64) -> f64 {
    let named = Named { p: x, v: 2.0 * x };
    2.0 * taken_apart(&named, [x, 3.0])
}

#[test]
fn patterns_of_parameters_are_not_bodies() {
    chainrule::testing::check_rules!(calls_by_pattern, 0.7);
}

//! Small programs that mix what the other modules test one by one: early exits, writes through `&mut`, closures that capture, shadowed
//! names, objects, indexing, values whose type only rustc knows.

use chainrule::prelude::*;

use crate::check::check;

mod leaves_early_writing {
    use super::*;
    #[derive(Clone, Debug, Default, Differentiable)]
    struct St {
        a: f64,
        v: Vec<f64>,
    }
    #[differentiable]
    #[inline(never)]
    fn f(x: &[f64]) -> f64 {
        let mut s = St::default();
        for (k, v) in x.iter().enumerate() {
            let St { a, v: list } = &mut s;
            *a += v * v;
            list.push(*a);
            if *a > 1.5 {
                break;
            }
            if k == 1 {
                continue;
            }
            *a *= x[0];
        }
        s.a * s.v.iter().sum::<f64>()
    }
    #[test]
    fn all() {
        check!(f(&[0.7, 0.9, 1.1]));
        check!(f(&[0.3, 0.4, 0.5]));
        check!(f(&[1.7, 0.4, 0.5]));
    }
}

mod returns_from_a_loop {
    use super::*;
    #[differentiable]
    #[inline(never)]
    fn g(v: &mut [f64], x: &[f64]) -> f64 {
        for i in 0..v.len() {
            let e = &mut v[i];
            *e *= x[0];
            if *e > 1.0 {
                *e += x[1];
                return *e * x[0];
            }
            let e = *e * 2.0;
            v[i] += e;
        }
        v[0]
    }
    #[differentiable]
    #[inline(never)]
    fn f(x: &[f64]) -> f64 {
        let mut v = x.to_vec();
        let y = g(&mut v, x);
        let z = v[1] * v[2];
        y * z + g(&mut v, x)
    }
    #[test]
    fn all() {
        check!(f(&[0.7, 0.9, 1.1]));
        check!(f(&[1.3, 0.9, 1.1]));
        check!(f(&[0.3, 0.2, 0.1]));
    }
}

mod captures_and_changes {
    use super::*;
    #[differentiable]
    #[inline(never)]
    fn f(x: &[f64]) -> f64 {
        let mut acc = 1.0;
        let k = x[0] * x[1];
        let mut add = |t: f64| {
            acc += k * t;
            acc
        };
        let a = add(x[0]);
        let b = add(a);
        let k = b * 2.0;
        acc * k + a
    }
    #[test]
    fn all() {
        check!(f(&[0.7, 0.9]));
    }
}

mod elements_in_a_closure {
    use super::*;
    #[differentiable]
    #[inline(never)]
    fn f(x: &[f64]) -> f64 {
        let mut v = vec![0.0; 3];
        let scale = x[0];
        v.iter_mut().enumerate().for_each(|(i, e)| {
            let t = scale * x[i];
            *e = t * t;
        });
        if let Some(e) = v.get_mut(1) {
            *e *= x[2];
        }
        v.iter().product()
    }
    #[test]
    fn all() {
        check!(f(&[0.7, 0.9, 1.2]));
    }
}

mod state_in_a_closure {
    use super::*;
    #[derive(Clone, Debug, Default, Differentiable)]
    struct St {
        a: f64,
        n: usize,
    }
    #[differentiable]
    #[inline(never)]
    fn f(x: &[f64]) -> f64 {
        let mut s = St::default();
        let mut step = |t: f64| {
            s.a += t * t;
            s.n += 1;
        };
        for v in x {
            step(*v);
        }
        s.a * s.n as f64 * x[0]
    }
    #[test]
    fn all() {
        check!(f(&[0.7, 0.9, 1.2]));
    }
}

mod shadowed_names {
    use super::*;
    #[differentiable]
    #[inline(never)]
    fn f(x: &[f64]) -> f64 {
        let s = x[0];
        let mut t = s;
        for x in x {
            let s = s * x;
            let t2 = {
                let t = s * t;
                t + s
            };
            t = t2;
            if t > 3.0 {
                let t = s;
                return t * s;
            }
        }
        let x = t * s;
        x
    }
    #[test]
    fn all() {
        check!(f(&[0.7, 0.9]));
        check!(f(&[1.7, 1.9]));
    }
}

mod labelled_break_writing {
    use super::*;
    fn mk(n: usize) -> Vec<(f64, usize)> {
        (0..n).map(|k| (1.0, k)).collect()
    }
    #[differentiable]
    #[inline(never)]
    fn f(x: &[f64]) -> f64 {
        let mut p = mk(3);
        let r = 'o: loop {
            for (w, k) in p.iter_mut() {
                *w *= x[*k % 2];
                *k += 1;
                if *k > 4 {
                    break 'o *w * x[0];
                }
            }
        };
        r + p[0].0 + p[2].0 * x[1]
    }
    #[test]
    fn all() {
        check!(f(&[0.7, 0.9]));
    }
}

mod inside_of_an_option {
    use super::*;
    #[derive(Clone, Copy, Debug, Default, Differentiable)]
    struct St {
        a: f64,
    }
    fn mk() -> Option<St> {
        Some(St { a: 1.0 })
    }
    #[differentiable]
    #[inline(never)]
    fn f(x: &[f64]) -> f64 {
        let mut o = mk();
        if let Some(s) = &mut o {
            s.a *= x[0];
        }
        if let Some(s) = o.as_mut() {
            s.a *= x[1];
        }
        match &mut o {
            Some(St { a }) => *a += x[0],
            None => {}
        }
        while let Some(s) = o {
            if s.a > 2.0 {
                break;
            }
            o = Some(St {
                a: s.a * 2.0 + x[1],
            });
        }
        o.unwrap().a
    }
    #[test]
    fn all() {
        check!(f(&[0.7, 0.9]));
    }
}

mod along_a_list {
    use super::*;
    #[derive(Clone, Debug, Differentiable)]
    enum L {
        Nil,
        Cons(f64, Box<L>),
    }
    fn mk(n: usize) -> L {
        if n == 0 {
            L::Nil
        } else {
            L::Cons(1.0, Box::new(mk(n - 1)))
        }
    }
    #[differentiable]
    #[inline(never)]
    fn scale(l: &mut L, k: f64) {
        match l {
            L::Nil => {}
            L::Cons(v, rest) => {
                *v *= k;
                scale(rest, k * k);
            }
        }
    }
    #[differentiable]
    #[inline(never)]
    fn sum(l: &L) -> f64 {
        match l {
            L::Nil => 0.0,
            L::Cons(v, r) => v + sum(r),
        }
    }
    #[differentiable]
    #[inline(never)]
    fn f(x: &[f64]) -> f64 {
        let mut l = mk(3);
        scale(&mut l, x[0]);
        if let L::Cons(v, r) = &mut l {
            *v *= x[1];
            if let L::Cons(w, _) = &mut **r {
                *w += x[1];
            }
        }
        sum(&l)
    }
    #[test]
    fn all() {
        check!(f(&[0.7, 0.9]));
    }
}

mod rows_and_halves {
    use super::*;
    fn mk(n: usize) -> Vec<Vec<f64>> {
        vec![vec![1.0; n]; n]
    }
    #[differentiable]
    #[inline(never)]
    fn f(x: &[f64]) -> f64 {
        let mut g = mk(2);
        for row in g.iter_mut() {
            for e in row.iter_mut() {
                *e *= x[0];
            }
            row[1] += x[1];
        }
        let (a, b) = g.split_at_mut(1);
        a[0][0] = b[0][1] * x[1];
        std::mem::swap(&mut a[0], &mut b[0]);
        g[0][0] * g[1][0] + g[0][1]
    }
    #[test]
    fn all() {
        check!(f(&[0.7, 0.9]));
    }
}

mod handed_on_by_mut {
    use super::*;
    #[derive(Clone, Debug, Default, Differentiable)]
    struct St {
        a: f64,
    }
    #[differentiable]
    #[inline(never)]
    fn set(s: &mut St, v: f64) {
        s.a = v * v;
    }
    fn mk() -> St {
        St { a: 1.0 }
    }
    #[differentiable]
    #[inline(never)]
    fn f(x: &[f64]) -> f64 {
        let mut s = mk();
        set(&mut s, x[0]);
        let r = &mut s;
        set(r, r.a * x[1]);
        s.a
    }
    #[test]
    fn all() {
        check!(f(&[0.7, 0.9]));
    }
}

mod indexed_with_exits {
    use super::*;
    use std::ops::{Index, IndexMut};
    #[derive(Clone, Debug, Differentiable)]
    struct M {
        d: Vec<f64>,
        n: usize,
    }
    #[differentiable]
    impl Index<(usize, usize)> for M {
        type Output = f64;
        fn index(&self, (i, j): (usize, usize)) -> &f64 {
            &self.d[i * self.n + j]
        }
    }
    #[differentiable]
    impl IndexMut<(usize, usize)> for M {
        fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
            &mut self.d[i * self.n + j]
        }
    }
    fn mk(n: usize) -> M {
        M {
            d: vec![1.0; n * n],
            n,
        }
    }
    #[differentiable]
    #[inline(never)]
    fn f(x: &[f64]) -> f64 {
        let mut m = mk(2);
        for i in 0..2 {
            for j in 0..2 {
                m[(i, j)] *= x[i] + x[j] * m[(j, i)];
                if m[(i, j)] > 2.5 {
                    m[(0, 0)] += x[1];
                    return m[(0, 0)] * m[(1, 0)];
                }
            }
        }
        let e = &mut m[(1, 1)];
        *e *= x[0];
        m[(1, 1)] * m[(0, 1)]
    }
    #[test]
    fn all() {
        check!(f(&[0.7, 0.9]));
        check!(f(&[1.4, 0.9]));
        check!(f(&[0.2, 0.3]));
    }
}

mod indexed_parts {
    use super::*;
    use std::ops::{Index, IndexMut};
    #[derive(Clone, Debug, Differentiable)]
    struct V3 {
        x: f64,
        y: f64,
        z: f64,
    }
    #[differentiable]
    impl Index<usize> for V3 {
        type Output = f64;
        fn index(&self, i: usize) -> &f64 {
            match i {
                0 => &self.x,
                1 => &self.y,
                _ => &self.z,
            }
        }
    }
    #[differentiable]
    impl IndexMut<usize> for V3 {
        fn index_mut(&mut self, i: usize) -> &mut f64 {
            match i {
                0 => &mut self.x,
                1 => &mut self.y,
                _ => &mut self.z,
            }
        }
    }
    fn mk() -> V3 {
        V3 {
            x: 1.0,
            y: 2.0,
            z: 3.0,
        }
    }
    #[differentiable]
    #[inline(never)]
    fn upd(v: &mut V3, k: f64) {
        for i in 0..3 {
            let r = &mut v[i];
            *r = *r * k + 1.0;
        }
    }
    #[differentiable]
    #[inline(never)]
    fn f(x: &[f64]) -> f64 {
        let mut v = mk();
        upd(&mut v, x[0]);
        let mut all = vec![mk(), mk()];
        all[1][2] = v[0] * x[1];
        for w in all.iter_mut() {
            w[0] *= x[1];
            upd(w, x[0]);
        }
        all[0][0] * all[1][2] * v[1]
    }
    #[test]
    fn all() {
        check!(f(&[0.7, 0.9]));
    }
}

mod object_with_exits {
    use super::*;
    #[differentiable(dyn)]
    trait L {
        fn ap(&self, x: f64) -> f64;
        fn up(&mut self, k: f64) -> Option<f64>;
    }
    #[derive(Clone, Debug, Differentiable)]
    struct A {
        a: f64,
    }
    #[differentiable]
    impl L for A {
        fn ap(&self, x: f64) -> f64 {
            self.a * x.sin()
        }
        fn up(&mut self, k: f64) -> Option<f64> {
            if self.a > 2.0 {
                return None;
            }
            self.a *= k;
            Some(self.a)
        }
    }
    #[differentiable]
    #[inline(never)]
    fn run(p: &mut dyn L, x: f64) -> f64 {
        let mut s = 0.0;
        for _ in 0..5 {
            let Some(v) = p.up(x) else {
                break;
            };
            s += v * p.ap(s + x);
        }
        s
    }
    #[differentiable]
    #[inline(never)]
    fn f(x: &[f64]) -> f64 {
        let mut a = A { a: x[0] };
        let s = run(&mut a, x[1]);
        s * a.a + run(&mut a, x[0])
    }
    #[test]
    fn all() {
        check!(f(&[0.7, 1.6]));
        check!(f(&[1.9, 1.3]));
        check!(f(&[0.5, 0.3]));
    }
}

mod objects_made_elsewhere {
    use super::*;
    #[differentiable(dyn)]
    trait L {
        fn up(&mut self, k: f64);
        fn ap(&self, x: f64) -> f64;
    }
    #[derive(Clone, Debug, Differentiable)]
    struct A {
        a: f64,
    }
    #[differentiable]
    impl L for A {
        fn up(&mut self, k: f64) {
            self.a += k * k;
        }
        fn ap(&self, x: f64) -> f64 {
            self.a * x
        }
    }
    fn mk(n: usize) -> Vec<Box<dyn L>> {
        (0..n)
            .map(|k| Box::new(A { a: k as f64 }) as Box<dyn L>)
            .collect()
    }
    #[differentiable]
    #[inline(never)]
    fn f(x: &[f64]) -> f64 {
        let mut a = mk(2);
        for p in a.iter_mut() {
            p.up(x[0]);
        }
        a[1].up(x[1]);
        let mut y = x[1];
        for p in &a {
            y = p.ap(y);
        }
        y
    }
    #[test]
    fn all() {
        check!(f(&[0.7, 1.6]));
    }
}

mod nested_chains {
    use super::*;
    #[derive(Clone, Debug, Differentiable)]
    struct P {
        q: Vec<f64>,
        m: f64,
    }
    fn mk() -> Vec<P> {
        vec![
            P {
                q: vec![1.0, 2.0],
                m: 1.0
            };
            2
        ]
    }
    #[differentiable]
    #[inline(never)]
    fn f(x: &[f64]) -> f64 {
        let mut ps = mk();
        ps.iter_mut().zip(x).for_each(|(p, v)| p.m = *v);
        ps.iter_mut()
            .for_each(|p| p.q.iter_mut().for_each(|q| *q *= p.m));
        let t = ps
            .iter()
            .map(|p| p.q.iter().sum::<f64>() * p.m)
            .fold(0.0, |a, b| a + b);
        let l = ps.last().unwrap();
        t * l.q[0]
    }
    #[test]
    fn all() {
        check!(f(&[0.7, 1.6]));
    }
}

mod parts_of_tuples {
    use super::*;
    fn mk() -> (f64, Vec<f64>) {
        (1.0, vec![1.0])
    }
    #[differentiable]
    #[inline(never)]
    fn f(x: &[f64]) -> f64 {
        let (mut a, mut v) = mk();
        a *= x[0];
        v.push(a);
        v[0] *= x[1];
        let mut t = mk();
        t.0 = a;
        t.1[0] = x[0];
        let (b, w) = &mut t;
        *b *= x[1];
        w.push(*b);
        t.0 * t.1[0] * t.1[1] * v[0] * v[1]
    }
    #[test]
    fn all() {
        check!(f(&[0.7, 1.6]));
    }
}

mod stack_of_pairs {
    use super::*;
    fn mk() -> Vec<(usize, f64)> {
        vec![(0, 1.0), (1, 2.0)]
    }
    #[differentiable]
    #[inline(never)]
    fn f(x: &[f64]) -> f64 {
        let mut st = mk();
        let mut s = 0.0;
        while let Some((k, w)) = st.pop() {
            s += w * x[k % 2];
            if k < 3 {
                st.push((k + 2, w * x[0]));
            }
        }
        s
    }
    #[test]
    fn all() {
        check!(f(&[0.7, 1.6]));
    }
}

mod function_that_pushes {
    use super::*;
    #[differentiable]
    fn each<F: FnMut(f64)>(v: &[f64], mut f: F) {
        for a in v {
            f(*a);
        }
    }
    fn mk() -> Vec<f64> {
        vec![]
    }
    #[differentiable]
    #[inline(never)]
    fn f(x: &[f64]) -> f64 {
        let mut out = mk();
        let mut s = 0.0;
        each(x, |a| {
            out.push(a * x[0]);
            s += a;
        });
        out[0] * out[1] * s
    }
    #[test]
    fn all() {
        check!(f(&[0.7, 1.6]));
    }
}

mod payloads_by_mut {
    use super::*;
    #[derive(Clone, Debug, Differentiable)]
    enum E {
        A { q: f64 },
        B(f64, f64),
    }
    fn mk(k: usize) -> E {
        if k == 0 {
            E::A { q: 1.0 }
        } else {
            E::B(1.0, 2.0)
        }
    }
    #[differentiable]
    #[inline(never)]
    fn f(x: &[f64]) -> f64 {
        let mut e = mk(1);
        let E::B(a, b) = &mut e else {
            return x[0];
        };
        *a = x[0];
        *b *= *a * x[1];
        let mut g = mk(0);
        match &mut g {
            E::A { q } => *q += x[1],
            E::B(..) => {}
        }
        match (&e, &g) {
            (E::B(a, b), E::A { q }) => a * b * q,
            _ => 0.0,
        }
    }
    #[test]
    fn all() {
        check!(f(&[0.7, 1.6]));
    }
}

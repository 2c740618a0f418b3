//! A lowered function computes the same as the function compiled by rustc.

use super::interpret::{Data, run};
use super::lowered;

#[derive(Clone, Debug)]
enum Arg {
    Float(f64),
    Int(usize),
    Bool(bool),
    List(Vec<f64>),
}

impl From<&Arg> for Data {
    fn from(arg: &Arg) -> Data {
        match arg {
            Arg::Float(x) => Data::Float(*x),
            Arg::Int(n) => Data::Int(*n as i128),
            Arg::Bool(b) => Data::Bool(*b),
            Arg::List(list) => list.clone().into_data(),
        }
    }
}

macro_rules! conversions {
    ($($ty:ty => $variant:ident),*) => {
        $(impl From<$ty> for Arg {
            fn from(x: $ty) -> Arg {
                Arg::$variant(x.into())
            }
        })*
    };
}
conversions!(f64 => Float, usize => Int, bool => Bool, Vec<f64> => List, [f64; 3] => List);

impl From<&[f64]> for Arg {
    fn from(x: &[f64]) -> Arg {
        Arg::List(x.to_vec())
    }
}

/// An argument as the function takes it.
trait Take<'a> {
    fn take(arg: &'a mut Arg) -> Self;
}

macro_rules! take {
    ($($ty:ty: $variant:ident($x:ident) => $value:expr),* $(,)?) => {
        $(impl<'a> Take<'a> for $ty {
            fn take(arg: &'a mut Arg) -> Self {
                match arg {
                    Arg::$variant($x) => $value,
                    other => panic!("{other:?}"),
                }
            }
        })*
    };
}
take! {
    f64: Float(x) => *x,
    usize: Int(x) => *x,
    bool: Bool(x) => *x,
    Vec<f64>: List(x) => x.clone(),
    [f64; 3]: List(x) => [x[0], x[1], x[2]],
    &'a [f64]: List(x) => x,
    &'a mut [f64]: List(x) => x,
    &'a f64: Float(x) => x,
    &'a mut f64: Float(x) => x,
}

trait IntoData {
    fn into_data(self) -> Data;
}

impl IntoData for f64 {
    fn into_data(self) -> Data {
        Data::Float(self)
    }
}
impl IntoData for usize {
    fn into_data(self) -> Data {
        Data::Int(self as i128)
    }
}
impl IntoData for bool {
    fn into_data(self) -> Data {
        Data::Bool(self)
    }
}
impl IntoData for () {
    fn into_data(self) -> Data {
        Data::Unit
    }
}
impl<T: IntoData> IntoData for Vec<T> {
    fn into_data(self) -> Data {
        Data::List(self.into_iter().map(IntoData::into_data).collect())
    }
}
impl<T: IntoData, const N: usize> IntoData for [T; N] {
    fn into_data(self) -> Data {
        Data::List(self.into_iter().map(IntoData::into_data).collect())
    }
}
impl<A: IntoData, B: IntoData> IntoData for (A, B) {
    fn into_data(self) -> Data {
        Data::List(vec![self.0.into_data(), self.1.into_data()])
    }
}

/// Runs a function and its lowered form on the same arguments.
macro_rules! agrees {
    (
        fn $name:ident($($param:ident in $ty:ty),* $(,)?) $(-> $result:ty)? $body:block
        $(on $($arg:expr),*;)*
    ) => {{
        #[allow(warnings, clippy::all, clippy::pedantic)]
        fn $name($($param: $ty),*) $(-> $result)? $body
        let call = |args: &mut [Arg]| {
            let mut each = args.iter_mut();
            $name($(<$ty as Take>::take(each.next().expect(stringify!($param)))),*).into_data()
        };
        let source = stringify!(fn $name($($param: $ty),*) $(-> $result)? $body);
        let by_mut = [$(stringify!($ty).replace(' ', "").starts_with("&mut")),*];
        $(compare(source, &by_mut, &[$($arg.into()),*], call);)*
    }};
}

fn compare(source: &str, by_mut: &[bool], args: &[Arg], call: impl Fn(&mut [Arg]) -> Data) {
    let func = lowered(source).unwrap_or_else(|errors| {
        panic!(
            "{:?}",
            errors
                .into_iter()
                .map(|e| e.to_string())
                .collect::<Vec<_>>()
        )
    });
    let (result, after) = run(&func, args.iter().map(Data::from).collect());
    let mut real = args.to_vec();
    let expected = call(&mut real);
    assert_eq!(result, expected, "result on {args:?} of\n{func}");
    let real: Vec<Data> = real
        .iter()
        .zip(by_mut)
        .filter(|(_, m)| **m)
        .map(|(arg, _)| Data::from(arg))
        .collect();
    assert_eq!(after, real, "memory after {args:?} of\n{func}");
}

#[test]
fn early_returns() {
    agrees! {
        fn f(x in f64, n in usize) -> f64 {
            if n == 0 {
                return 1.0;
            }
            let y = x * 2.0;
            if n > 1 {
                if y > 3.0 {
                    return y;
                }
                if n > 5 {
                    return -y;
                }
            }
            let z = if n > 3 { return y + 0.5 } else if n > 2 { y * 2.0 } else { 7.0 };
            y + z
        }
        on 1.0, 0usize; on 1.0, 1usize; on 2.0, 2usize; on 1.0, 2usize; on 1.0, 6usize;
        on 1.0, 4usize; on 1.0, 3usize;
    }
}

#[test]
fn exits_of_nested_loops() {
    agrees! {
        fn f(v in &[f64], limit in f64) -> f64 {
            let mut total = 0.0;
            'outer: for i in 0..v.len() {
                for j in 0..i {
                    if v[j] > limit {
                        continue 'outer;
                    }
                    if v[j] * v[i] > 10.0 * limit {
                        return total;
                    }
                    if v[i] < 0.0 {
                        break 'outer;
                    }
                    if v[i] == v[j] {
                        break;
                    }
                    if v[i] == 1.0 {
                        continue;
                    }
                    total += v[i] * v[j];
                }
                total += 1.0;
            }
            total + 0.25
        }
        on vec![1.0, 2.0, 3.0, 2.0, 1.0], 5.0;
        on vec![1.0, 2.0, 7.0, 2.0, 1.0], 5.0;
        on vec![1.0, 2.0, 3.0, -1.0, 4.0], 5.0;
        on vec![1.0, 8.0, 9.0], 5.0;
        on vec![4.0, 20.0, 9.0], 5.0;
        on Vec::<f64>::new(), 5.0;
    }
}

#[test]
fn while_and_loop() {
    agrees! {
        fn f(a in f64, n in usize) -> f64 {
            let mut x = a;
            let mut k = 0;
            while k < n && (x * x - a).abs() > 1e-9 {
                k += 1;
                if k == 3 {
                    continue;
                }
                x = 0.5 * (x + a / x);
            }
            let z = loop {
                x += 1.0;
                if x > 10.0 {
                    break x * 2.0;
                }
                if n == 9 {
                    return x;
                }
                let mut j = 0;
                while j < n {
                    j += 1;
                    if j == 2 {
                        break;
                    }
                    x += 0.125;
                }
            };
            z + k as f64
        }
        on 2.0, 0usize; on 2.0, 1usize; on 2.0, 5usize; on 7.0, 9usize; on 30.0, 20usize;
    }
}

#[test]
fn a_loop_that_only_returns() {
    agrees! {
        fn f(a in f64) -> f64 {
            let mut x = a;
            loop {
                x *= 2.0;
                if x > 50.0 {
                    return x;
                }
            }
        }
        on 1.0; on 60.0;
    }
}

#[test]
fn labelled_blocks() {
    agrees! {
        fn f(x in f64) -> f64 {
            let mut count = 0.0;
            let y = 'a: {
                if x > 1.0 {
                    break 'a x;
                }
                count += 1.0;
                if x < -1.0 {
                    for k in 0..3 {
                        if k == 2 {
                            break 'a -x;
                        }
                        count += 1.0;
                    }
                    count += 10.0;
                }
                0.5
            };
            'b: {
                if y > 1.5 {
                    if y > 3.0 {
                        break 'b;
                    }
                    count += 100.0;
                }
                count += 1000.0;
            }
            y * y + count
        }
        on 0.0; on 2.0; on 4.0; on -2.0; on -9.0;
    }
}

#[test]
fn returns_from_loops_of_tuples_and_units() {
    agrees! {
        fn find(x in &[f64], limit in f64) -> (f64, bool) {
            for i in 0..x.len() {
                if x[i] > limit {
                    return (x[i], true);
                }
            }
            (0.0, false)
        }
        on vec![1.0, 2.0, 3.0], 1.5; on vec![1.0], 1.5;
    }
    agrees! {
        fn clamp(x in &mut [f64]) {
            for i in 0..x.len() {
                if x[i] > 1.0 {
                    return;
                }
                x[i] = 0.0;
            }
            x[0] = 3.0;
        }
        on vec![0.5, 2.0, 0.5]; on vec![0.5, 0.25];
    }
}

#[test]
fn exits_inside_of_operands() {
    agrees! {
        fn f(x in &[f64], n in usize) -> f64 {
            let mut s = 0.0;
            for i in 0..n {
                s += x[i] * if x[i] < 0.0 { break } else { 2.0 };
                if x[i] > 2.0 && { if x[i] > 5.0 { return s; } x[i] < 4.0 } {
                    s += 100.0;
                }
            }
            s.max(if n == 1 { return -1.0 } else { 0.5 })
        }
        on vec![1.0, 2.0, 3.0], 3usize; on vec![1.0, -2.0, 3.0], 3usize; on vec![1.0, 9.0, 3.0], 3usize;
        on vec![1.0], 1usize; on vec![1.0], 0usize;
    }
}

#[test]
fn matching() {
    agrees! {
        fn f(x in f64, k in usize, b in bool) -> f64 {
            let y = match (k, b) {
                (0, true) => x,
                (1..=3, _) => {
                    if x > 0.0 {
                        return 2.0;
                    }
                    x * 2.0
                }
                (n, false) if n > 7 => n as f64,
                (4 | 5, c @ true) => if c { 11.0 } else { 12.0 },
                (n, _) => match n {
                    6 => 60.0,
                    7.. => 70.0,
                    _ => 80.0,
                },
            };
            y + 0.5
        }
        on 1.5, 0usize, true; on 1.5, 0usize, false; on 1.5, 2usize, true; on -1.5, 3usize, true;
        on 1.0, 9usize, false; on 1.0, 9usize, true; on 1.0, 4usize, true; on 1.0, 5usize, false;
        on 1.0, 6usize, true;
    }
}

#[test]
fn rotation_and_shadowing() {
    agrees! {
        fn f(x in f64, n in usize) -> f64 {
            let (mut a, mut b, mut c) = (x, 2.0, 3.0);
            for _ in 0..n {
                (a, b, c) = (b, c, a + b);
                let a = a * 2.0;
                b += a;
            }
            let x = a * x;
            let x = { let x = x + b; x * c };
            x
        }
        on 1.5, 0usize; on 1.5, 1usize; on 1.5, 2usize; on 1.5, 5usize;
    }
}

#[test]
fn iteration() {
    agrees! {
        fn f(x in &[f64], y in &mut [f64]) -> f64 {
            let mut s = 0.0;
            for (a, b) in x.iter().zip(y.iter_mut()) {
                *b += a * 2.0;
                s += *b * a;
            }
            for (i, v) in y.iter().enumerate().rev() {
                s = s * 0.5 + v * i as f64;
            }
            for &v in x.iter().rev() {
                s = s * 0.5 + v;
            }
            for (i, c) in x.chunks(2).enumerate() {
                for v in c {
                    s += v * (i + c.len()) as f64;
                }
            }
            for c in x.chunks_exact(2) {
                s += c[0] * c[1];
            }
            for w in x.windows(2) {
                s += w[1] - 0.5 * w[0];
            }
            for (k, v) in (1..4).zip(y) {
                *v += k as f64;
            }
            for k in (0..x.len()).rev().step_by(2) {
                s = s * 0.25 + x[k];
            }
            for k in 1..=x.len() {
                s += k as f64;
            }
            s
        }
        on vec![1.0, 2.0, 3.0], vec![4.0, 5.0, 6.0, 7.0];
        on vec![1.0, 2.0, 3.0, 4.0], vec![4.0, 5.0];
        on Vec::<f64>::new(), vec![1.0];
        on vec![1.0], Vec::<f64>::new();
    }
}

#[test]
fn slices() {
    agrees! {
        fn f(a in &mut [f64], b in &mut [f64], i in usize) -> f64 {
            a.swap(0, i);
            let (l, r) = a.split_at_mut(i);
            l[0] += r[0] * 2.0;
            let row = &mut b[i..];
            row[0] = 1.5;
            row[1] -= row[0];
            let inner = &b[1..=i + 1];
            let s = inner[0] + *inner.last().unwrap() + inner.len() as f64;
            b.copy_from_slice(a);
            a[1..3].fill(0.5);
            let old = std::mem::replace(&mut a[0], 9.0);
            let c = a.to_vec();
            a[2] = 4.0;
            if b.is_empty() { 0.0 } else { s + old + c[2] + b.first().unwrap() }
        }
        on vec![1.0, 2.0, 3.0, 4.0], vec![5.0, 6.0, 7.0, 8.0], 1usize;
        on vec![1.0, 2.0, 3.0, 4.0], vec![5.0, 6.0, 7.0, 8.0], 2usize;
    }
}

#[test]
fn memory_by_value() {
    agrees! {
        fn f(x in [f64; 3], mut_v in Vec<f64>, k in usize) -> Vec<f64> {
            let mut v = mut_v;
            let y = x;
            let mut z = x;
            z[k] = 7.0;
            for e in y {
                v[0] += e;
            }
            let w;
            if k == 0 {
                w = vec![1.0; 2];
            } else {
                w = v.clone();
            }
            v[1] = z[k] + x[k] + w[0];
            let t = (v[0], k);
            v[0] = t.0 * t.1 as f64;
            v
        }
        on [1.0, 2.0, 3.0], vec![1.0, 2.0], 0usize; on [1.0, 2.0, 3.0], vec![1.0, 2.0], 2usize;
    }
}

#[test]
fn scalars_behind_references() {
    agrees! {
        fn f(x in &f64, y in &mut f64, n in usize) -> f64 {
            let mut local = 1.0;
            for _ in 0..n {
                let r = &mut local;
                *r += *x;
                *y *= 2.0;
            }
            let z;
            if n > 1 {
                z = x * 2.0;
            } else {
                z = -x;
            }
            std::mem::swap(&mut local, y);
            local + z
        }
        on 1.5, 2.5, 0usize; on 1.5, 2.5, 1usize; on 1.5, 2.5, 3usize;
    }
}

#[test]
fn order_of_evaluation() {
    agrees! {
        fn f(x in &mut [f64]) -> f64 {
            let mut k = 0;
            let a = { k += 1; x[k] } - { k += 1; x[k] };
            x[{ k -= 1; k }] += { x[1] = 10.0; x[1] * 2.0 };
            let mut y = 1.0;
            y += { y = 5.0; 2.0 };
            let c = k > 0 && { k += 10; k > 5 } || { k += 100; false };
            a + y + k as f64 + if c { 0.5 } else { 0.25 }
        }
        on vec![1.0, 2.0, 4.0];
    }
}

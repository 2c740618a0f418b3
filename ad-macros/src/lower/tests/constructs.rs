//! The lowering of each construct.

use expect_test::expect;

use super::printed;

#[test]
fn a_log_likelihood() {
    expect![[r#"
        fn nll(w: $0 &[f64], const x: $1 &[f64], const y: $2 &[f64]) -> f64 {
          %0 d: usize = len $0
          %1 total: f64 = const 0.0
          %2 c: usize = const 0
          %3 len: usize = len $2
          %25 total: f64 = for %4 i: usize in %2..%3 carry (%5 total: f64 = %1) {
            %6 t: usize = mul %4, %0
            %7 c: usize = const 1
            %8 t: usize = add %4, %7
            %9 t: usize = mul %8, %0
            borrow $3 row: &[f64] = $1[%6..%9]
            %10 z: f64 = const 0.0
            %11 c: usize = const 0
            %18 z: f64 = for %12 j: usize in %11..%0 carry (%13 z: f64 = %10) {
              %14 w: f64 = load $0[%12]
              %15 row: f64 = load $3[%12]
              %16 t: f64 = mul %14, %15
              %17 z: f64 = add %13, %16
              yield %17
            }
            %19 t: f64 = exp %18
            %20 t: f64 = ln_1p %19
            %21 y: f64 = load $2[%4]
            %22 t: f64 = mul %21, %18
            %23 t: f64 = sub %20, %22
            %24 total: f64 = add %5, %23
            yield %24
          }
          yield %25
        } -> %25
    "#]]
    .assert_eq(&printed(
        r#"fn nll(w: &[f64], #[constant] x: &[f64], #[constant] y: &[f64]) -> f64 {
    let d = w.len();
    let mut total = 0.0;
    for i in 0..y.len() {
        let row = &x[i * d..(i + 1) * d];
        let mut z = 0.0;
        for j in 0..d {
            z += w[j] * row[j];
        }
        total += z.exp().ln_1p() - y[i] * z;
    }
    total
}"#,
    ));
}

#[test]
fn an_early_return_moves_the_rest() {
    expect![[r#"
        fn f(x: %0 f64, const n: %1 u32) -> f64 {
          %2 c: u32 = const 0
          %3 t: bool = eq %1, %2
          %8 t: f64 = if %3 {
            %4 c: f64 = const 1.0
            yield %4
          } else {
            %5 y: f64 = mul %0, %0
            %6 c: f64 = const 1.0
            %7 t: f64 = add %5, %6
            yield %7
          }
          yield %8
        } -> %8
    "#]]
    .assert_eq(&printed(
        r#"fn f(x: f64, n: u32) -> f64 {
    if n == 0 {
        return 1.0;
    }
    let y = x * x;
    y + 1.0
}"#,
    ));
}

#[test]
fn break_and_continue_set_flags() {
    expect![[r#"
        fn f(v: $0 &mut [f64], limit: %0 f64) -> f64 {
          %1 total: f64 = const 0.0
          %2 c: usize = const 0
          %3 len: usize = len $0
          %22 total: f64 = for %4 k: usize in %2..%3 until first carry (%5 total: f64 = %1) {
            %6 stop: bool = const false
            %7 v: f64 = load $0[%4]
            %8 c: f64 = const 0.0
            %9 t: bool = lt %7, %8
            %20 total: f64, %21 stop: bool = if %9 {
              yield %5, %6
            } else {
              %10 v: f64 = load $0[%4]
              %11 t: bool = gt %10, %0
              %16 stop: bool = if %11 {
                store $0[%4] = %0
                %12 c: f64 = const 1.0
                %13 t: bool = gt %5, %12
                %15 stop: bool = if %13 {
                  %14 stop: bool = const true
                  yield %14
                } else {
                  yield %6
                }
                yield %15
              } else {
                yield %6
              }
              %19 total: f64 = if %16 {
                yield %5
              } else {
                %17 v: f64 = load $0[%4]
                %18 total: f64 = add %5, %17
                yield %18
              }
              yield %19, %16
            }
            yield %21, %20
          }
          yield %22
        } -> %22
    "#]]
    .assert_eq(&printed(
        r#"fn f(v: &mut [f64], limit: f64) -> f64 {
    let mut total = 0.0;
    for k in 0..v.len() {
        if v[k] < 0.0 {
            continue;
        }
        if v[k] > limit {
            v[k] = limit;
            if total > 1.0 {
                break;
            }
        }
        total += v[k];
    }
    total
}"#,
    ));
}

#[test]
fn while_and_loop() {
    expect![[r#"
        fn f(a: %0 f64) -> f64 {
          %11 x: f64 = loop until first carry (%1 x: f64 = %0) {
            %2 stop: bool = const false
            %3 t: f64 = mul %1, %1
            %4 c: f64 = const 2.0
            %5 t: bool = gt %3, %4
            %9 x: f64, %10 stop: bool = if %5 {
              %6 c: f64 = const 0.5
              %7 x: f64 = mul %1, %6
              yield %7, %2
            } else {
              %8 stop: bool = const true
              yield %1, %8
            }
            yield %10, %9
          }
          %12 value: f64 = const undef
          %23 x: f64, %24 value: f64 = loop until first carry (%13 x: f64 = %11, %14 value: f64 = %12) {
            %15 stop: bool = const false
            %16 c: f64 = const 1.0
            %17 x: f64 = add %13, %16
            %18 c: f64 = const 3.0
            %19 t: bool = gt %17, %18
            %21 value: f64, %22 stop: bool = if %19 {
              %20 stop: bool = const true
              yield %17, %20
            } else {
              yield %14, %15
            }
            yield %22, %17, %21
          }
          yield %24
        } -> %24
    "#]].assert_eq(&printed(
        r#"fn f(a: f64) -> f64 {
    let mut x = a;
    while x * x > 2.0 {
        x *= 0.5;
    }
    loop {
        x += 1.0;
        if x > 3.0 {
            break x;
        }
    }
}"#,
    ));
}

#[test]
fn match_becomes_if() {
    expect![[r#"
        fn f(x: %0 f64, const k: %1 usize, kind: $0 Kind) -> f64 {
          %2 c: usize = const 0
          %3 t: bool = eq %1, %2
          %20 t: f64 = if %3 {
            yield %0
          } else {
            %4 c: usize = const 1
            %5 t: bool = ge %1, %4
            %9 t: bool = if %5 {
              %6 c: usize = const 3
              %7 t: bool = le %1, %6
              yield %7
            } else {
              %8 c: bool = const false
              yield %8
            }
            %12 t: bool = if %9 {
              %10 t: bool = opaque {:: core::matches !(* subject, Kind::A | Kind::B)} use (subject = &$0)
              yield %10
            } else {
              %11 c: bool = const false
              yield %11
            }
            %19 t: f64 = if %12 {
              %13 t: f64 = neg %0
              yield %13
            } else {
              %14 c: usize = const 7
              %15 t: bool = gt %1, %14
              %17 t: f64 = if %15 {
                %16 c: f64 = const 1.0
                yield %16
              } else {
                %18 c: f64 = const undef
                opaque diverges {unreachable !("{k}")} use (k = %1)
                unreachable
                yield %18
              }
              yield %17
            }
            yield %19
          }
          yield %20
        } -> %20
    "#]]
    .assert_eq(&printed(
        r#"fn f(x: f64, k: usize, kind: Kind) -> f64 {
    match (k, kind) {
        (0, _) => x,
        (1..=3, Kind::A | Kind::B) => -x,
        (n, _) if n > 7 => 1.0,
        _ => unreachable!("{k}"),
    }
}"#,
    ));
}

#[test]
fn parameters() {
    expect![[r#"
        fn f(self: $0 &mut Self, arg1: $1 (f64, f64), b: %3 f64, const c: $2 &[f64], const n: %4 usize, arg5: %5 f64, p: $3 &Params) -> () {
          %0 arg1: (f64, f64, ) = load $1
          %1 part: f64, %2 part: f64 = untuple %0
          %6 b: f64 = add %3, %1
          %7 c: f64 = load $2[%4]
          %8 t: f64 = mul %6, %7
          %9 t: ? = clone_of $0.sum
          %10 t: ? = call active operator add=(%9, %8)
          store $0.sum = %10
        } -> ()
    "#]].assert_eq(&printed(
        r#"fn f(&mut self, (a, _): (f64, f64), mut b: f64, #[constant] c: &[f64], n: usize, _: f64, p: &Params) {
    b += a;
    self.sum += b * c[n];
}"#,
    ));
}

#[test]
fn deferred_operands() {
    expect![[r#"
        fn f(self: $0 &Self, x: %0 f64) -> f64 {
          %1 s: ? = call active .scale(self $0, %0)
          %2 c: ? = const -2.0
          %3 t: ? = call active operator mul(%2, %1)
          %4 c: ? = const {OFFSET}
          %5 t: ? = call active operator add(%3, %4)
          init $1 t: ? = %5
          %6 self: ? = load $0.order
          %7 n: f64 = call active operator cast(%6)
          %8 z: f64 = call active .norm(self $1)
          %9 t: bool = opaque {s> t} use (s = %1, t = $1)
          %11 t: f64 = if %9 {
            %10 t: f64 = mul %8, %7
            yield %10
          } else {
            yield %8
          }
          yield %11
        } -> %11
    "#]]
    .assert_eq(&printed(
        r#"fn f(&self, x: f64) -> f64 {
    let s = self.scale(x);
    let t = -2.0 * s + OFFSET;
    let n = self.order as f64;
    let z: f64 = t.norm();
    if s > t { z * n } else { z }
}"#,
    ));
}

#[test]
fn literals_stay_open() {
    expect![[r#"
        fn f(x: $0 &[f64]) -> f64 {
          %0 c: ? = const 0.0
          %1 buffer: [?; 2] = array [%0; 2]
          init $1 buffer: [?; 2] = %1
          %2 c: ? = const 3
          %3 fill: ? = call primal fill(&mut $1, %2)
          %4 y: f64 = opaque {g(buffer [0], 1.0)} use (buffer = $1)
          %5 k: usize = const 2
          %6 x: f64 = load $0[%5]
          %7 t: f64 = mul %4, %6
          yield %7
        } -> %7
    "#]]
    .assert_eq(&printed(
        r#"fn f(x: &[f64]) -> f64 {
    let mut buffer = [0.0; 2];
    fill(&mut buffer, 3);
    let y: f64 = g(buffer[0], 1.0);
    let k = 2;
    y * x[k]
}"#,
    ));
}

#[test]
fn structs_and_tuples() {
    expect![[r#"
        fn f(p: $0 &Params, x: %0 f64) -> Params {
          %1 sin: f64 = sin %0
          %2 cos: f64 = cos %0
          %3 t: ? = clone_of $0.mu
          %4 t: ? = call active operator mul&(%1, %3)
          %5 pair: (?, f64, ) = tuple %4, %2
          init $1 pair: (?, f64, ) = %5
          %6 pair: ? = load $1.0
          %7 p: ? = load $0.inner.s
          %8 t: ? = call active operator add(%6, %7)
          opaque {__rt::probe::check_clone(cloned, Params::clone ,::core::clone::Clone::clone);} use (cloned = &$0)
          %9 copy: Params = clone_of $0
          init $2 held: Params = %9
          store $2.mu = %8
          %10 q: Params = load $2
          yield %10
        } -> %10
    "#]]
    .assert_eq(&printed(
        r#"fn f(p: &Params, x: f64) -> Params {
    let Params { mu, inner: Inner { s, .. } } = p;
    let (a, b) = x.sin_cos();
    let pair = (a * mu, b);
    let q = Params { mu: pair.0 + *s, ..p.clone() };
    q
}"#,
    ));
}

#[test]
fn aliases() {
    expect![[r#"
        fn f(x: $0 &mut [f64], y: $1 &[f64], const k: %0 usize) -> () {
          %1 c: usize = const 1
          borrow $2 a: &[f64] = $1[%1..]
          %2 c: usize = const 2
          %3 a: f64 = load $2[%2]
          %4 c: usize = const 0
          store $0[%0..][%4] = %3
          %5 c: usize = const 1
          %6 len: usize = len $2
          %7 c: usize = const 1
          %8 last: usize = sub %6, %7
          %9 a: f64 = load $2[%8]
          %10 t: f64 = load $0[%0..][%5]
          %11 t: f64 = add %10, %9
          store $0[%0..][%5] = %11
          %12 c: usize = const 0
          %13 x: f64 = load $0[%0..][%12]
          %14 c: usize = const 0
          store $0[..%0][%14] = %13
          %15 len: usize = len $0
          %16 len: usize = len $1
          %17 less: bool = lt %15, %16
          %18 len: usize = select %17, %15, %16
          %19 c: usize = const 0
          for %20 k: usize in %19..%18 {
            %21 t: f64 = load $1[%20]
            %22 t: f64 = load $0[%20]
            %23 t: f64 = mul %22, %21
            store $0[%20] = %23
          }
        } -> ()
    "#]]
    .assert_eq(&printed(
        r#"fn f(x: &mut [f64], y: &[f64], k: usize) {
    let a = &y[1..];
    let b = &mut x[k..];
    b[0] = a[2];
    let e = &mut b[1];
    *e += *a.last().unwrap();
    let (l, r) = x.split_at_mut(k);
    l[0] = r[0];
    for (v, w) in x.iter_mut().zip(y) {
        *v *= w;
    }
}"#,
    ));
}

#[test]
fn memory_functions() {
    expect![[r#"
        fn f(a: $0 &mut Vec<f64>, b: $1 &mut Vec<f64>, x: %0 f64) -> f64 {
          swap $0, $1
          %1 c: usize = const 0
          %2 old: f64 = load $0[%1]
          store $0[%1] = %0
          %3 empty: Vec<f64> = vec []
          %4 all: Vec<f64> = replace $1 = %3
          init $2 all: Vec<f64> = %4
          %5 c: usize = const 0
          %6 all: f64 = load $2[%5]
          %7 t: f64 = add %2, %6
          yield %7
        } -> %7
    "#]]
    .assert_eq(&printed(
        r#"fn f(a: &mut Vec<f64>, b: &mut Vec<f64>, x: f64) -> f64 {
    std::mem::swap(a, b);
    let old = core::mem::replace(&mut a[0], x);
    let all = std::mem::take(b);
    old + all[0]
}"#,
    ));
}

#[test]
fn late_initialisation() {
    expect![[r#"
        fn f(x: %0 f64, const c: %1 bool) -> f64 {
          %2 y: f64 = const undef
          %7 v: Vec<f64>, %8 y: f64 = if %1 {
            %3 v: Vec<f64> = vec [%0]
            %4 y: f64 = const 1.0
            yield %3, %4
          } else {
            %5 c: f64 = const 1.0
            %6 v: Vec<f64> = vec [%5, %0]
            yield %6, %0
          }
          init $0 v: Vec<f64> = %7
          %9 c: usize = const 0
          %10 v: f64 = load $0[%9]
          %11 t: f64 = mul %10, %8
          yield %11
        } -> %11
    "#]]
    .assert_eq(&printed(
        r#"fn f(x: f64, c: bool) -> f64 {
    let v;
    let y;
    if c {
        v = vec![x];
        y = 1.0;
    } else {
        v = vec![1.0, x];
        y = x;
    }
    v[0] * y
}"#,
    ));
}

#[test]
fn a_method_may_move_its_receiver() {
    expect![[r#"
        fn f(v: $0 V3, k: %0 f64) -> f64 {
          %1 v: V3 = load $0
          %2 w: ? = call active operator mul(%1, %0)
          init $1 w: ? = %2
          %3 w: ? = load $1
          %4 v: V3 = load $0
          %5 u: ? = call active operator add(%3, %4)
          init $2 u: ? = %5
          %6 norm: ? = call active .norm(self $2)
          %7 v: V3 = load $0
          %8 dot: ? = call active .dot(self $1, %7)
          %9 t: ? = call active operator add(%6, %8)
          %10 norm: ? = call active .norm(self $1)
          %11 t: f64 = call active operator add(%9, %10)
          yield %11
        } -> %11
    "#]]
    .assert_eq(&printed(
        r#"fn f(v: V3, k: f64) -> f64 {
    let w = v * k;
    let u = w + v;
    u.norm() + w.dot(v) + w.norm()
}"#,
    ));
}

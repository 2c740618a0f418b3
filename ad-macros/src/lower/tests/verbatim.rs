//! Code that stays as it was written, and the variables that it may mention.

use expect_test::expect;

use super::printed;

#[test]
fn macros_and_their_mentions() {
    expect![[r#"
        fn f(x: $0 &[f64], y: %0 f64, const k: %1 usize) -> f64 {
          opaque {assert !(y> 0.0, "{y} and {w$}", w = x [0])} use (y = %0, x = &$0)
          opaque {println !("{k} {}", x.len())} use (k = %1, x = &$0)
          %2 text: _ = opaque {format !("{y:.2}")} use (y = %0)
          init $1 text: _ = %2
          opaque {debug_assert_eq !(text.len(), k)} use (text = $1, k = %1)
          %3 t: bool = opaque {matches !(k, 1 | 2)} use (k = %1)
          %4 t: f64 = if %3 {
            yield %0
          } else {
            %5 c: f64 = const undef
            opaque diverges {panic !("{text}")} use (text = $1)
            unreachable
            yield %5
          }
          yield %4
        } -> %4
    "#]]
    .assert_eq(&printed(
        r#"fn f(x: &[f64], y: f64, k: usize) -> f64 {
    assert!(y > 0.0, "{y} and {w$}", w = x[0]);
    println!("{k} {}", x.len());
    let text = format!("{y:.2}");
    debug_assert_eq!(text.len(), k);
    if matches!(k, 1 | 2) { y } else { panic!("{text}") }
}"#,
    ));
}

#[test]
fn inactive_code() {
    expect![[r#"
        fn f(x: %0 f64, const names: $0 &[String], const table: $1 &HashMap<String, f64>) -> f64 {
          %1 counts: HashMap < & str , usize > = call primal associated HashMap::new()
          init $2 counts: HashMap < & str , usize > = %1
          %2 len: usize = len $0
          %3 c: usize = const 0
          for %4 k: usize in %3..%2 {
            opaque {* counts.entry(name.as_str()).or_insert(0) += 1} use (counts = mut $2, name = &$0[%4])
          }
          opaque {for(name, count) in counts.iter() { println !("{name} {count}"); }} use (counts = $2)
          %5 n: usize = opaque {names.iter().map(| name | name.len()).max().unwrap_or(0)} use (names = &$0)
          %6 c: usize = const 2
          %7 t: usize = mul %5, %6
          %8 t: usize = add %7, %5
          %9 t: f64 = cast %8
          %10 t: f64 = mul %0, %9
          %11 c: f64 = const {SCALE}
          %12 t: f64 = mul %10, %11
          yield %12
        } -> %12
    "#]].assert_eq(&printed(
        r#"fn f(x: f64, names: &[String], #[constant] table: &HashMap<String, f64>) -> f64 {
    use std::collections::HashMap;
    const SCALE: f64 = 2.0;
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for name in names {
        *counts.entry(name.as_str()).or_insert(0) += 1;
    }
    for (name, count) in counts.iter() {
        println!("{name} {count}");
    }
    let n = names.iter().map(|name| name.len()).max().unwrap_or(0);
    let double = |a: usize| a * 2 + n;
    x * double(n) as f64 * SCALE
}"#,
    ));
}

#[test]
fn only_what_is_inspected() {
    expect![[r#"
        fn f(x: $0 &[f64], model: $1 &Model) -> f64 {
          %0 k: usize = opaque {argmax(x)} use (x = &$0)
          %1 first: Option<usize> = opaque {x.iter().position(| v | v.is_nan())} use (x = &$0)
          %2 c: usize = const 0
          %3 x: f64 = load $0[%2]
          %4 n: u64 = opaque {v0.to_bits()} use (v0 = %3)
          %5 x: f64 = load $0[%0]
          %6 t: bool = opaque {v0.is_nan()} use (v0 = %5)
          %10 t: bool = if %6 {
            %7 c: bool = const true
            yield %7
          } else {
            %8 c: u64 = const 3
            %9 t: bool = eq %4, %8
            yield %9
          }
          %13 t: bool = if %10 {
            %11 c: bool = const true
            yield %11
          } else {
            %12 t: bool = opaque {x [0].total_cmp(& x [1]).is_lt()} use (x = &$0)
            yield %12
          }
          %20 t: f64 = if %13 {
            %14 c: f64 = const 0.0
            yield %14
          } else {
            %15 x: f64 = load $0[%0]
            %16 t: f64 = floor %15
            %17 c: usize = const 1
            %18 x: f64 = load $0[%17]
            %19 t: f64 = mul %16, %18
            yield %19
          }
          yield %20
        } -> %20
    "#]]
    .assert_eq(&printed(
        r#"fn f(x: &[f64], model: &Model) -> f64 {
    let k: usize = argmax(x);
    let first = x.iter().position(|v| v.is_nan());
    let n = x[0].to_bits();
    if x[k].is_nan() || n == 3 || x[0].total_cmp(&x[1]).is_lt() { 0.0 } else { x[k].floor() * x[1] }
}"#,
    ));
}

#[test]
fn the_end_of_the_gradient() {
    expect![[r#"
        fn f(x: %0 f64) -> f64 {
          %1 stopped: f64 = opaque {stopped} use (stopped = %0)
          %2 n: usize = cast %1
          %3 t: f64 = cast %2
          %4 t: f64 = mul %0, %3
          yield %4
        } -> %4
    "#]]
    .assert_eq(&printed(
        r#"fn f(x: f64) -> f64 {
    let n = stop_gradient(x) as usize;
    x * n as f64
}"#,
    ));
}

#[test]
fn inactive_calls() {
    expect![[r#"
        fn f(x: %0 f64, const data: $0 &[usize]) -> f64 {
          %1 n: usize = opaque {count(data, 3)} use (data = &$0)
          %2 s: f64 = opaque {load("file", & [1, 2]).sum()}
          %3 t: f64 = mul %0, %2
          %4 t: f64 = cast %1
          %5 t: f64 = add %3, %4
          yield %5
        } -> %5
    "#]]
    .assert_eq(&printed(
        r#"fn f(x: f64, data: &[usize]) -> f64 {
    let n: usize = count(data, 3);
    let s: f64 = load("file", &[1, 2]).sum();
    x * s + n as f64
}"#,
    ));
}

#[test]
fn loops_over_maps() {
    expect![[r#"
        fn f(x: %0 f64, const table: $0 &HashMap<String, usize>) -> f64 {
          %1 n: usize = const 0
          init $1 n: usize = %1
          opaque {for(name, count) in table { if name.is_empty() { continue; } n += count; }} use (table = &$0, n = mut $1)
          opaque {for count in table.values() { n += * count; }} use (table = &$0, n = mut $1)
          %2 n: usize = load $1
          %3 t: f64 = cast %2
          %4 t: f64 = mul %0, %3
          yield %4
        } -> %4
    "#]].assert_eq(&printed(
        r#"fn f(x: f64, #[constant] table: &HashMap<String, usize>) -> f64 {
    let mut n = 0;
    for (name, count) in table {
        if name.is_empty() {
            continue;
        }
        n += count;
    }
    for count in table.values() {
        n += *count;
    }
    x * n as f64
}"#,
    ));
}

#[test]
fn what_is_matched_or_compared_keeps_its_type() {
    expect![[r#"
        fn f(x: %0 f64, const word: $0 &str, const kind: $1 Kind, const left: $2 &str) -> f64 {
          %1 is_square: bool = opaque {:: core::matches !(* subject, Kind::Square)} use (subject = &$1)
          %3 y: f64 = if %1 {
            %2 t: f64 = mul %0, %0
            yield %2
          } else {
            yield %0
          }
          %4 t: bool = opaque {word == "one"} use (word = &$0)
          %7 t: bool = if %4 {
            %5 c: bool = const true
            yield %5
          } else {
            %6 t: bool = opaque {left.trim() == word} use (left = &$2, word = &$0)
            yield %6
          }
          %8 t: f64 = if %7 {
            yield %3
          } else {
            yield %0
          }
          yield %8
        } -> %8
    "#]]
    .assert_eq(&printed(
        r#"fn f(x: f64, word: &str, #[constant] kind: Kind, left: &str) -> f64 {
    let y = match kind {
        Kind::Square => x * x,
        _ => x,
    };
    if word == "one" || left.trim() == word { y } else { x }
}"#,
    ));
}

#[test]
fn what_is_taken_or_swapped_leaves_something_of_its_type() {
    expect![[r#"
        fn f(x: $0 &[f64]) -> f64 {
          %0 now: Vec<f64> = clone_of $0[..]
          init $1 now: Vec<f64> = %0
          %1 c: f64 = const 0.0
          %2 len: usize = len $0
          %3 next: Vec<f64> = vec [%1; %2]
          init $2 next: Vec<f64> = %3
          swap $1, $2
          %4 empty: Vec<f64> = vec []
          %5 old: Vec<f64> = replace $2 = %4
          init $3 old: Vec<f64> = %5
          %6 c: usize = const 0
          %7 old: f64 = load $3[%6]
          yield %7
        } -> %7
    "#]]
    .assert_eq(&printed(
        r#"fn f(x: &[f64]) -> f64 {
    let mut now = x.to_vec();
    let mut next = vec![0.0; x.len()];
    std::mem::swap(&mut now, &mut next);
    let old = std::mem::take(&mut next);
    old[0]
}"#,
    ));
}

#[test]
fn what_an_assigned_place_only_reads() {
    expect![[r#"
        fn f(x: %0 f64, const n: %1 usize) -> f64 {
          %2 counts: BTreeMap < _ , _ > = call primal associated BTreeMap::new()
          init $0 counts: BTreeMap < _ , _ > = %2
          %3 c: usize = const 0
          for %4 i: usize in %3..%1 {
            opaque {* counts.entry(i % 2).or_insert(0) += 1} use (counts = mut $0, i = %4)
          }
          %5 t: f64 = opaque {counts.len() as f64} use (counts = $0)
          %6 t: f64 = mul %0, %5
          yield %6
        } -> %6
    "#]]
    .assert_eq(&printed(
        r#"fn f(x: f64, n: usize) -> f64 {
    let mut counts = BTreeMap::new();
    for i in 0..n {
        *counts.entry(i % 2).or_insert(0) += 1;
    }
    x * counts.len() as f64
}"#,
    ));
}

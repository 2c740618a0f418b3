//! Each test runs in a thread of its own, and so has a pool of its own; the limit alone is shared.

use std::{cell::Cell, panic, rc::Rc, thread, vec, vec::Vec};

use super::memory::Memory;
use super::*;
use crate::support::RunTape;

/// Where a list's memory is.
fn address<T>(list: &[T]) -> usize {
    list.as_ptr() as usize
}

#[test]
fn memory_is_used_again() {
    let first = filled(1.0, 100);
    let at = address(&first);
    keep(first);
    assert_eq!(kept_bytes(), 800 + size_of::<Memory>());
    let second = zeros_of(&[5.0; 90]);
    assert_eq!((address(&second), second), (at, vec![0.0; 90]));
    assert_eq!(kept_bytes(), 0);
}

/// A type that nothing is known of, and that borrows.
struct Entry<'a>(#[expect(dead_code)] &'a str, #[expect(dead_code)] f64);

#[test]
fn lists_of_any_type_have_the_memory_of_others_of_their_size() {
    let text = std::string::String::from("text");
    let mut entries = list(10);
    entries.extend((0..10).map(|i| Entry(&text, f64::from(i))));
    let at = address(&entries);
    keep(entries);
    // As large as an entry, whether pointers have 64 bits or 32.
    let tuples: Vec<(usize, usize, f64)> = list(10);
    assert_eq!((address(&tuples), tuples.len()), (at, 0));
    keep(tuples);
    let others: Vec<[u64; 4]> = list(10);
    assert_ne!(address(&others), at);
}

/// Such are those of lists where pointers have 32 bits.
#[test]
fn lists_of_words_of_32_bits_are_used_again() {
    let points = filled([1.0_f32, 2.0, 3.0], 5);
    let at = address(&points);
    keep(points);
    assert_eq!(kept_bytes(), 60 + size_of::<Memory>());
    let others: Vec<[u32; 2]> = list(5);
    assert_ne!(address(&others), at);
    let entries: Vec<(u32, f32, i32)> = list(5);
    assert_eq!(address(&entries), at);

    let row = filled(1.0, 3);
    let rows = filled_rows(row, 4);
    let at = address(&rows);
    keep_rows(rows);
    let again: Vec<Vec<f64>> = list(4);
    assert_eq!((address(&again), again.capacity()), (at, 4));
}

#[test]
fn rows_are_used_again_too() {
    let addresses = |rows: &[Vec<f64>]| rows.iter().map(|row| address(row)).collect::<Vec<_>>();
    let rows = filled_rows(vec![1.0; 4], 3);
    assert_eq!(rows, vec![vec![1.0; 4]; 3]);
    let zeros = zeros_of_rows(&rows);
    assert_eq!(zeros, vec![vec![0.0; 4]; 3]);
    let (first, second) = (addresses(&rows), addresses(&zeros));
    keep_rows(zeros);
    keep_rows(rows);
    let copy = copy_of_rows(&[vec![2.0; 4], vec![3.0; 4], vec![4.0; 4]]);
    assert_eq!(copy, [vec![2.0; 4], vec![3.0; 4], vec![4.0; 4]]);
    assert_eq!(addresses(&copy), first);
    assert_eq!(
        addresses(&filled_rows(filled(5.0, 4), 3)),
        [second[1], second[2], second[0]]
    );
    assert_eq!(filled_rows(vec![1.0], 0), Vec::<Vec<f64>>::new());
}

#[test]
fn entries_are_dropped_before_memory_is_kept() {
    let watched = Rc::new(());
    keep(vec![Rc::clone(&watched); 3]);
    assert_eq!(Rc::strong_count(&watched), 1);
}

#[test]
fn an_entry_that_uses_the_pool_while_it_is_dropped_may() {
    struct Inner(Vec<f64>);
    impl Drop for Inner {
        fn drop(&mut self) {
            keep(core::mem::take(&mut self.0));
        }
    }
    keep(vec![Inner(filled(1.0, 7))]);
    assert_eq!(list::<f64>(7).capacity(), 7);
    assert_eq!(kept_bytes(), size_of::<Inner>() + size_of::<Memory>());
}

#[test]
fn a_tape_that_is_dropped_leaves_its_memory() {
    let mut tape = RunTape::new();
    tape.run(10).fill(1.0);
    let at = address(tape.again(10));
    drop(tape);
    let mut tape = RunTape::<f64>::new();
    assert_eq!(address(tape.run(10)), at);
    assert!(
        tape.again(10).iter().all(|entry| entry.is_nan()),
        "no entry is read that wasn't written"
    );
}

#[test]
fn a_tape_keeps_what_its_runs_hold_when_it_grows() {
    let mut tape = RunTape::new();
    for n in 1..50 {
        let run = tape.run(n);
        for (k, entry) in run.iter_mut().enumerate() {
            *entry = 100 * n + k;
        }
    }
    for n in (1..50).rev() {
        let run = tape.again(n).iter().copied();
        assert!(run.eq((0..n).map(|k| 100 * n + k)));
    }
}

#[test]
fn what_is_released_is_freed() {
    keep(filled(1_u8, 10));
    keep(filled(1.0_f32, 10));
    keep(filled((1.0, 2), 10));
    assert!(kept_bytes() > 0);
    release();
    assert_eq!(kept_bytes(), 0);
    assert_eq!(filled(2_u8, 3), [2; 3]);
}

#[test]
fn entries_of_any_size_and_alignment_are_kept() {
    fn is_kept<T: Copy>(entry: T) -> bool {
        let list = filled(entry, 3);
        let at = address(&list);
        keep(list);
        address(&filled(entry, 3)) == at
    }
    assert!(is_kept([0_u64; 100]) && is_kept(0_u128) && is_kept([0_u8; 3]) && is_kept([0_u32; 30]));
}

#[test]
fn lists_without_memory_are_not_kept() {
    keep(filled((), 3));
    keep(Vec::<f64>::new());
    assert_eq!(kept_bytes(), 0);
}

#[test]
fn a_panic_frees_what_is_in_use() {
    let before = kept_bytes();
    let caught = panic::catch_unwind(|| {
        let mut tape = RunTape::new();
        tape.run(10).fill(1.0);
        let _list = filled(1.0, 10);
        panic::resume_unwind(std::boxed::Box::new(()));
    });
    assert!(caught.is_err());
    // The tape has put its memory back, the list hasn't.
    assert_eq!(
        kept_bytes() - before,
        80 + size_of::<std::boxed::Box<[f64]>>()
    );
    assert_eq!(filled(2.0, 10), [2.0; 10]);
}

/// A buffer that a thread puts back while it ends is freed.
#[test]
fn threads_have_pools_of_their_own() {
    std::thread_local! {
        static LATE: Cell<Option<RunTape<f64>>> = const { Cell::new(None) };
    }
    let mut tape = RunTape::new();
    tape.run(10).fill(1.0);
    thread::spawn(move || {
        assert_eq!(kept_bytes(), 0);
        LATE.set(Some(tape));
        keep(filled(1.0, 3));
        assert_eq!(kept_bytes(), 24 + size_of::<Memory>());
    })
    .join()
    .unwrap();
    assert_eq!(kept_bytes(), 0);
}

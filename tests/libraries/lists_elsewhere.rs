//! Loops over lists in types of another module, of which only rustc can tell that they are lists.

use chainrule::prelude::*;

use crate::check::check;

mod elsewhere {
    use std::cell::RefCell;
    use std::collections::VecDeque;
    use std::ops::Deref;
    use std::rc::Rc;
    use std::sync::{Arc, Mutex, RwLock};

    use ndarray::Array1;

    #[derive(Debug)]
    pub(super) struct Weights(pub(super) Vec<f64>);

    impl Deref for Weights {
        type Target = [f64];
        fn deref(&self) -> &[f64] {
            &self.0
        }
    }

    #[derive(Debug)]
    pub(super) struct Data {
        pub(super) array: Array1<f64>,
        pub(super) weights: Weights,
        pub(super) shared: Arc<[f64]>,
        pub(super) counted: Rc<Vec<f64>>,
        pub(super) boxed: Box<[f64]>,
        pub(super) deque: VecDeque<f64>,
        pub(super) cell: RefCell<Vec<f64>>,
        pub(super) locked: Mutex<Vec<f64>>,
        pub(super) read: RwLock<Vec<f64>>,
    }
}
use elsewhere::{Data, Weights};

#[differentiable]
fn pointers(x: f64, #[constant] d: &Data) -> f64 {
    let mut total = 0.0;
    for v in &d.weights[..] {
        total += v * x;
    }
    for v in d.shared.iter() {
        total += v * x;
    }
    for v in d.counted.iter() {
        total += v * x;
    }
    for v in d.boxed.iter() {
        total += v * x;
    }
    for v in d.deque.iter() {
        total += v * x;
    }
    total
}

#[differentiable]
fn arrays(x: f64, #[constant] d: &Data) -> f64 {
    let mut total = 0.0;
    for (i, v) in d.array.iter().enumerate() {
        total += v * x * i as f64;
    }
    for v in &d.array {
        total += v * x;
    }
    total
}

#[differentiable]
fn guards(x: f64, #[constant] d: &Data) -> f64 {
    let mut total = 0.0;
    for v in d.cell.borrow().iter() {
        total += v * x;
    }
    let locked = d.locked.lock().unwrap();
    for v in locked.iter() {
        total += v * x;
    }
    let read = d.read.read().unwrap();
    for v in read.iter() {
        total += v * x;
    }
    total
}

#[test]
fn lists_of_unknown_type() {
    let d = Data {
        array: ndarray::arr1(&[1.0, 2.0]),
        weights: Weights(vec![1.0]),
        shared: [2.0].into(),
        counted: vec![3.0].into(),
        boxed: [4.0].into(),
        deque: [5.0].into(),
        cell: vec![1.0].into(),
        locked: vec![2.0].into(),
        read: vec![4.0].into(),
    };
    check!(pointers(0.7, const &d)).assert_gradient(&[15.0]);
    check!(arrays(0.7, const &d)).assert_gradient(&[5.0]);
    assert_eq!(guards::derivative(0.7, &d), 7.0);
    assert_eq!(guards::value_and_gradient(0.7, &d), (guards(0.7, &d), 7.0));
}

use chainrule::prelude::*;
use std::cell::RefCell;
use std::sync::Mutex;

#[differentiable]
fn held(x: f64) -> f64 {
    let cell = RefCell::new(x);
    *cell.borrow()
}

#[differentiable]
fn pushed(x: f64) -> f64 {
    let list = RefCell::new(Vec::new());
    list.borrow_mut().push(x);
    list.borrow()[0]
}

#[differentiable]
fn locked(x: f64) -> f64 {
    let sum = Mutex::new(0.0);
    *sum.lock().unwrap() += x;
    let sum = *sum.lock().unwrap();
    sum
}

#[differentiable]
fn guarded(x: f64) -> f64 {
    let sum = Mutex::new(0.0);
    {
        let mut guard = sum.lock().unwrap();
        *guard += x;
    }
    let sum = *sum.lock().unwrap();
    sum
}

#[differentiable]
fn parameter(cell: &RefCell<f64>) -> f64 {
    *cell.borrow()
}

fn main() {
    held::gradient(1.0);
}

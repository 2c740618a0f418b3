//! An active value that goes through a channel.

use chainrule::prelude::*;
use std::sync::mpsc;

#[differentiable]
fn sent(x: f64) -> f64 {
    let (sender, receiver) = mpsc::channel();
    sender.send(x).unwrap();
    receiver.recv().unwrap()
}

fn main() {
    sent::derivative(1.0);
}

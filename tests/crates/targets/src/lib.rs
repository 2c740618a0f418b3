//! Differentiable functions whose values, gradients and Hessians are computed on several targets, and have to agree.
//!
//! [`entries`] computes them all, [`report`] writes their bits as text. `cargo run -p targets` builds this for several targets, runs it there,
//! and compares.
//!
//! The functions need no standard library. With the feature `std` the functions of floats are those of the target, else those of the crate
//! `libm`.
#![no_std]
#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_lossless,
    reason = "casts are a part of what is compared"
)]

extern crate alloc;

pub mod arithmetic;
pub mod elementary;
mod entries;
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
pub mod export;
pub mod integers;
pub mod plans;
mod report;
pub mod steps;
pub mod structures;

pub use entries::entries;
pub use report::{Entry, Exactness, parse, report};

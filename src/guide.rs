//! Chapters on one subject each, with examples that run.

#[doc = include_str!("guide/primitives.md")]
pub mod primitives {}

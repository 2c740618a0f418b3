//! Communication between the ranks of an MPI program, with derivatives.
//!
//! The chapter [`many_machines`](crate::guide::many_machines) explains it, with examples.

mod operation;
mod rules;
mod world;

use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::RefCell;

use operation::{Operation, Phase};
use rules::{Output, RanksBar, RanksBar2, RanksDual, add, communication, communications};
pub use world::{Ranks, RanksTangent, World};
use world::{Rule, Trace};

use crate::{CoDual, Dual, NoTangent};

communications!(f64);

/// The same functions for `f32`.
pub mod single {
    use alloc::rc::Rc;
    use alloc::vec::Vec;
    use core::cell::RefCell;

    use super::operation::{Operation, Phase};
    use super::rules::{
        Output, RanksBar, RanksBar2, RanksDual, add, communication, communications,
    };
    use super::world::{Ranks, RanksTangent, Rule, Trace, World};
    use crate::{CoDual, Dual, NoTangent};

    communications!(f32);
}

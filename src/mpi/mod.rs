//! Communication between the processes of an MPI program, with derivatives.
//!
//! The data of a likelihood is spread over machines; each process, a *rank*, has its part. Each rank calls the same function, and gets the whole
//! gradient. The guide's chapter [many machines](crate::guide::many_machines) says how, and what the derivatives mean.
//!
//! ```no_run
//! use chainrule::mpi::{Ranks, World, agreed, all_reduce, join_vec};
//! use chainrule::prelude::*;
//!
//! /// The negative log likelihood of all data. `x` and `y` are this rank's part.
//! #[differentiable]
//! fn nll(theta: &[f64], #[constant] x: &[f64], #[constant] y: &[f64], #[constant] world: &World) -> f64 {
//!     let (theta, mut ranks): (Vec<f64>, Ranks) = join_vec(theta, world);
//!     let mut part = 0.0;
//!     for i in 0..x.len() {
//!         let residual = y[i] - theta[0] - theta[1] * x[i];
//!         part += 0.5 * residual * residual;
//!     }
//!     let total = all_reduce(part, &mut ranks);
//!     agreed(total, &mut ranks)
//! }
//!
//! let world = World::start();
//! let r = world.rank() as f64;
//! let gradient = nll::gradient(&[0.5, 1.0], &[r, r + 0.5], &[1.0, 2.0], &world);
//! ```

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

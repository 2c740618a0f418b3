//! What has gone wrong in other systems, by the numbers of the list of traps. A number that isn't here has its tests
//! where the feature has its own: 15 to 23 in `memory`, `arrays_vecs`, `calls` and `structs`; 24 to 33 in `scalars`, what 25 says of quotients here; 36 in `structs`; 40 in the
//! crate `hygiene`; 43 in `checker`.

mod higher_order;
mod reversal;
mod strong;
mod types;

//! Containers that grow, shrink, and are put in another order; buffers that change places.

mod buffers;
mod copies;
mod drained;
mod order;
mod places;
mod vectors;

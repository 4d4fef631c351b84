//! The tests of this crate, in one program.

mod parity_checkpoint;
mod parity_series;

//! The tests of this crate, in one program.

mod common;
mod golden_export;
mod golden_server;

//! One entry for test, ci, validate, bench and docs.

fn main() {}

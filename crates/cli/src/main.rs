//! The program `huygens`.

fn main() {}

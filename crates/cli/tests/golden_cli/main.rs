//! The program as a user meets it: exit codes, files, messages.

mod common;
mod lessons;
mod limits;
mod runs;
mod seen;
mod stopping;
mod wrong_input;

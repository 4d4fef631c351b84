//! The program as a user meets it: exit codes, files, messages.

mod common;
mod lessons;
mod runs;
mod seen;
mod stopping;
mod wrong_input;

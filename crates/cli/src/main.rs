//! The program `huygens`.

mod bench;
mod error;

use clap::{Parser, Subcommand};

#[derive(Parser, Debug)]
#[command(name = "huygens", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Time whole cases and say how accurate they are.
    Bench(bench::BenchArgs),
}

fn main() -> std::process::ExitCode {
    let done = match &Cli::parse().command {
        Command::Bench(args) => bench::bench(args),
    };
    match done {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{e}");
            std::process::ExitCode::from(1)
        }
    }
}

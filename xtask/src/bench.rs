//! Whole benchmark cases, alone or beside other programs in the same run.

use std::process::Command;

use crate::rust::Profile;
use crate::scripts;
use crate::steps::{StepFailure, Steps};
use crate::workspace::cargo_locked;

/// (case, variant, sizes); a case without variants has one size.
const CASES: [(&str, &str, &[u32]); 9] = [
    ("slider_crank", "", &[]),
    ("four_bar", "", &[]),
    ("pendulum_chain", "planar", &[32, 128, 512, 2048]),
    ("pendulum_chain", "alt3d", &[32, 128, 512, 2048]),
    ("nsc_settle", "settled", &[1000, 8000, 32_000]),
    ("smc_settle", "settled", &[1000, 8000]),
    ("sphere_settle", "settled", &[1000]),
    ("brick_wall", "static", &[500]),
    ("brick_wall", "hit", &[500]),
];

const PEERS_ENVIRONMENT: &str = ".venv-peers";
const PEERS_REQUIREMENTS: &str = "benches/peers/requirements.txt";

/// What is asked for.
#[derive(Default)]
pub struct Options<'a> {
    quick: bool,
    peers: bool,
    /// Folder with tables of settled beds of grains, for the peers.
    data: Option<&'a str>,
}

/// The options, if all of them are known.
pub fn options(arguments: &[String]) -> Option<Options<'_>> {
    let mut options = Options::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--quick" => options.quick = true,
            "--peers" => options.peers = true,
            "--data" => options.data = Some(rest.next()?),
            _ => return None,
        }
    }
    // Only the comparison has cases that are read from tables.
    (options.data.is_none() || options.peers).then_some(options)
}

pub fn run(steps: &mut Steps, Options { quick, peers, data }: Options<'_>) -> Result<(), StepFailure> {
    let mut build = cargo_locked(&["build", "--profile", Profile::Dist.name(), "-p", "huygens-cli"]);
    steps.command("build huygens", &mut build)?;
    let huygens = steps.workspace.built_program(Profile::Dist.name(), "huygens");

    if peers {
        let python = scripts::prepare(steps, PEERS_ENVIRONMENT, PEERS_REQUIREMENTS)?;
        let mut compare = Command::new(python);
        compare.arg("benches/peers/compare.py").arg("--huygens").arg(huygens);
        if quick {
            compare.arg("--quick");
        }
        if let Some(folder) = data {
            compare.arg("--data").arg(folder);
        }
        return steps.command("Huygens beside its peers", &mut compare);
    }
    for (case, variant, sizes) in CASES {
        let sizes = if quick { &sizes[..sizes.len().min(1)] } else { sizes };
        if sizes.is_empty() {
            let mut bench = Command::new(&huygens);
            bench.args(["bench", case, "--threads", "1", "--json"]);
            steps.command(case, &mut bench)?;
        }
        for size in sizes {
            let mut bench = Command::new(&huygens);
            bench.args(["bench", case, "--variant", variant, "--threads", "1", "--json"]);
            bench.arg("--size").arg(size.to_string());
            steps.command(&format!("{case} {variant} {size}"), &mut bench)?;
        }
    }
    Ok(())
}

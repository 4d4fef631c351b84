//! The one entry for everything a developer or a machine does with the workspace:
//! `cargo xtask test | ci | validate | bench | docs | gallery | generate | python | see`.

mod bench;
mod book;
mod citations;
mod documentation;
mod gallery;
mod generate;
mod programs;
mod rust;
mod scripts;
mod seeing;
mod steps;
mod workspace;

use std::process::ExitCode;

use generate::Action;
use rust::Profile;
use steps::{StepFailure, Steps};
use workspace::Workspace;

const USAGE: &str = "\
cargo xtask COMMAND

  test                  every test: Rust, laws on a device, doctests, examples, Python, the viewer's page, exports (installs what they need)
  ci                    format, lints, documentation, licences, test, quick validation
  validate [ARGS]       the published cases; ARGS go to the validation program (--quick, --json FILE)
  bench [--quick] [--peers [--data FOLDER]]
                        `huygens bench` on its cases; with --peers beside Exudyn, MuJoCo and Rapier, and with tables of
                        settled grains in FOLDER beside LAMMPS
  docs                  API documentation, and the book where mdbook is installed
  gallery               pictures of the examples and the film, into docs/src
  generate [--check]    Python classes and reference pages from the schema of scene files; with --check only compares
  python                build the Python module into .venv, run its tests, check its stubs
  see                   the viewer's page in a browser, exports in the programs they are for
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((command, rest)) = arguments.split_first() else {
        eprint!("{USAGE}");
        return ExitCode::from(2);
    };
    let mut steps = Steps::new(Workspace::find());
    let outcome = match command.as_str() {
        "test" if rest.is_empty() => test(&mut steps),
        "ci" if rest.is_empty() => ci(&mut steps),
        "validate" => rust::validate(&mut steps, Profile::Release, rest),
        "bench" => match bench::options(rest) {
            Some(options) => bench::run(&mut steps, options),
            None => return unknown(&arguments),
        },
        "docs" if rest.is_empty() => docs(&mut steps),
        "gallery" if rest.is_empty() => gallery::build(&mut steps),
        "generate" if rest.is_empty() => generate::run(&mut steps, Action::Write),
        "generate" if rest == ["--check"] => generate::run(&mut steps, Action::Check),
        "python" if rest.is_empty() => scripts::python_module(&mut steps),
        "see" if rest.is_empty() => see(&mut steps),
        "help" | "--help" | "-h" => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => return unknown(&arguments),
    };
    steps.print_summary();
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("\n{failure}");
            ExitCode::FAILURE
        }
    }
}

fn unknown(arguments: &[String]) -> ExitCode {
    eprint!("unknown: {}\n\n{USAGE}", arguments.join(" "));
    ExitCode::from(2)
}

fn test(steps: &mut Steps) -> Result<(), StepFailure> {
    rust::tests(steps)?;
    rust::device_tests(steps)?;
    rust::doctests(steps)?;
    rust::examples(steps)?;
    scripts::python_module(steps)?;
    see(steps)
}

fn see(steps: &mut Steps) -> Result<(), StepFailure> {
    seeing::export_checks(steps)?;
    seeing::page_tests(steps)
}

fn ci(steps: &mut Steps) -> Result<(), StepFailure> {
    rust::format_check(steps)?;
    book_and_citations(steps)?;
    rust::lints(steps)?;
    documentation::build(steps)?;
    rust::dependency_policy(steps)?;
    generate::run(steps, Action::Check)?;
    test(steps)?;
    rust::validate(steps, Profile::Ci, &["--quick".to_owned()])
}

fn docs(steps: &mut Steps) -> Result<(), StepFailure> {
    book_and_citations(steps)?;
    documentation::build(steps)?;
    book::build(steps)
}

fn book_and_citations(steps: &mut Steps) -> Result<(), StepFailure> {
    steps.check("citations", citations::check)?;
    steps.check("chapters of the book", book::check)
}

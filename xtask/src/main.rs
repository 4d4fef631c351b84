//! The one entry for everything a developer or a machine does with the workspace:
//! `cargo xtask test | ci | validate | bench | docs | gallery | generate | mutate | python | see | package`.

mod bench;
mod book;
mod citations;
mod documentation;
mod example_files;
mod gallery;
mod generate;
mod mutate;
mod package;
mod policy;
mod programs;
mod rust;
mod scripts;
mod seeing;
mod steps;
mod test_names;
mod workspace;

use std::process::ExitCode;

use generate::Action;
use mutate::Campaign;
use rust::Profile;
use steps::{StepFailure, Steps};
use workspace::Workspace;

const USAGE: &str = "\
cargo xtask COMMAND

  test                  every test: Rust, laws on a device, doctests, examples, Python, the viewer's page, exports (installs what they need)
  ci                    format, lints, documentation, the book, licences, test, quick validation
  validate [ARGS]       the published cases; ARGS go to the validation program (--quick, --json FILE, --pages FOLDER)
  bench [--quick] [--peers [--data FOLDER]]
                        `huygens bench` on its cases; with --peers also Exudyn, MuJoCo and Rapier, and LAMMPS if FOLDER
                        holds tables of settled grains
  docs                  API documentation and the book (installs mdbook if it is missing)
  gallery               pictures of the examples and the lessons, and the film, into docs/src
  generate [--check]    Python classes and reference pages from the schema of scene files; with --check only compares
  mutate [--scenes N] [--runs N] [--seed N] [--first N] [--jobs N] [--program FILE]
                        scenes of the examples, changed at random, must end in a result or a message
  python                build the Python module into .venv, run its tests, check its stubs
  see                   test the viewer's page in a browser and the exports in their target programs
  package [program | wheel]
                        an archive of the program and a wheel for this machine, each tried in an empty folder
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
        "mutate" => match Campaign::parse(rest) {
            Some(campaign) => mutate::run(&mut steps, &campaign),
            None => return unknown(&arguments),
        },
        "python" if rest.is_empty() => scripts::python_module(&mut steps),
        "see" if rest.is_empty() => see(&mut steps),
        "package" => match package::wanted(rest) {
            Some(wanted) => package::build(&mut steps, wanted),
            None => return unknown(&arguments),
        },
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
    rust::extending(steps)?;
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
    steps.check("dependency policy", policy::check)?;
    steps.check("tests in sources", rust::unit_tests_are_run)?;
    steps.check("files of examples", example_files::check)?;
    steps.check("files of tests", test_names::check)?;
    rust::lints(steps)?;
    documentation::build(steps)?;
    book::build(steps)?;
    generate::run(steps, Action::Check)?;
    test(steps)?;
    mutate::run(steps, &Campaign::short())?;
    rust::validate(steps, Profile::Ci, &["--quick".to_owned()])
}

fn docs(steps: &mut Steps) -> Result<(), StepFailure> {
    book_and_citations(steps)?;
    documentation::build(steps)?;
    book::build(steps)
}

fn book_and_citations(steps: &mut Steps) -> Result<(), StepFailure> {
    steps.check("citations", citations::check)?;
    steps.check("chapters of the book", book::check)?;
    steps.check("links of the book", book::check_links)
}

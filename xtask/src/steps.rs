//! Steps that announce themselves, are timed, and stop the run at the first failure.

use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::workspace::Workspace;

/// How a step ended.
enum Outcome {
    Passed(Duration),
    Failed(Duration),
    Skipped(String),
}

/// The steps run so far, and the workspace they run in.
pub struct Steps {
    pub workspace: Workspace,
    finished: Vec<(String, Outcome)>,
}

/// The step that ended the run, and why.
#[derive(Debug)]
pub struct StepFailure {
    step: String,
    reason: String,
}

impl fmt::Display for StepFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FAILED: {}: {}", self.step, self.reason)
    }
}

impl Steps {
    pub fn new(workspace: Workspace) -> Self {
        Self { workspace, finished: Vec::new() }
    }

    /// Runs a program to its end; any exit status but success is a failure.
    pub fn command(&mut self, name: &str, command: &mut Command) -> Result<(), StepFailure> {
        let shown = command_line(command);
        self.timed(name, |workspace| {
            println!("$ {shown}");
            let status = command.current_dir(&workspace.root).stdin(Stdio::null()).status();
            match status {
                Ok(status) if status.success() => Ok(()),
                Ok(status) => Err(format!("`{shown}` ended with {status}")),
                Err(error) => Err(format!("`{shown}` did not start: {error}")),
            }
        })
    }

    /// Runs a program, unless a step of that name is done.
    pub fn command_once(&mut self, name: &str, command: &mut Command) -> Result<(), StepFailure> {
        match self.finished.iter().any(|(done, _)| done == name) {
            true => Ok(()),
            false => self.command(name, command),
        }
    }

    /// Runs programs that do not depend on each other, as many at a time as there are processors; what each writes is
    /// shown when it ends.
    pub fn commands_together(
        &mut self,
        name: &str,
        commands: Vec<(String, Command)>,
    ) -> Result<(), StepFailure> {
        self.timed(name, |workspace| {
            let waiting = Mutex::new(commands.into_iter());
            let failed = Mutex::new(Vec::new());
            // The lock is free again before the program starts.
            let next = || waiting.lock().ok().and_then(|mut all| all.next());
            let work = || {
                while let Some((label, mut command)) = next() {
                    if let Err(reason) = shown_at_its_end(&label, command.current_dir(&workspace.root))
                        && let Ok(mut failed) = failed.lock()
                    {
                        failed.push(reason);
                    }
                }
            };
            let count = std::thread::available_parallelism().map_or(1, usize::from);
            std::thread::scope(|scope| (0..count).for_each(|_| drop(scope.spawn(work))));
            match failed.into_inner().unwrap_or_default() {
                failed if failed.is_empty() => Ok(()),
                failed => Err(failed.join("; ")),
            }
        })
    }

    /// Runs a check that answers with one line to print, or with what is wrong.
    pub fn check(
        &mut self,
        name: &str,
        check: impl FnOnce(&Workspace) -> Result<String, String>,
    ) -> Result<(), StepFailure> {
        self.timed(name, |workspace| check(workspace).map(|line| println!("{line}")))
    }

    /// Records that a step does not apply here, and says why.
    pub fn skip(&mut self, name: &str, reason: &str) {
        println!("\n=== {name}: skipped, {reason}");
        self.finished.push((name.to_owned(), Outcome::Skipped(reason.to_owned())));
    }

    fn timed(
        &mut self,
        name: &str,
        work: impl FnOnce(&Workspace) -> Result<(), String>,
    ) -> Result<(), StepFailure> {
        println!("\n=== {name}");
        let start = Instant::now();
        let result = work(&self.workspace);
        let elapsed = start.elapsed();
        let outcome = if result.is_ok() { Outcome::Passed(elapsed) } else { Outcome::Failed(elapsed) };
        self.finished.push((name.to_owned(), outcome));
        println!("--- {name}: {:.1} s", elapsed.as_secs_f64());
        result.map_err(|reason| StepFailure { step: name.to_owned(), reason })
    }

    /// Prints one line a step: how it ended and how long it took.
    pub fn print_summary(&self) {
        println!("\n=== summary");
        let width = self.finished.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let mut total = Duration::ZERO;
        for (name, outcome) in &self.finished {
            match outcome {
                Outcome::Passed(time) => println!("{name:width$}  ok      {:7.1} s", time.as_secs_f64()),
                Outcome::Failed(time) => println!("{name:width$}  FAILED  {:7.1} s", time.as_secs_f64()),
                Outcome::Skipped(reason) => println!("{name:width$}  skipped  {reason}"),
            }
            if let Outcome::Passed(time) | Outcome::Failed(time) = outcome {
                total += *time;
            }
        }
        println!("{:width$}          {:7.1} s", "total", total.as_secs_f64());
    }
}

/// Runs a program to its end, then shows its name, its time and what it wrote.
fn shown_at_its_end(label: &str, command: &mut Command) -> Result<(), String> {
    let shown = command_line(command);
    let start = Instant::now();
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("`{shown}` did not start: {error}"))?;
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    println!("$ {shown}\n{out}{err}--- {label}: {:.1} s", start.elapsed().as_secs_f64());
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("`{shown}` ended with {}", output.status)),
    }
}

/// The command as one would type it: the program by its name, without its folder.
fn command_line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let words = std::iter::once(program.file_name().unwrap_or_default()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

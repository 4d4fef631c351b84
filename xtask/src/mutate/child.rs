//! Runs of the program under limits of memory and time.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Address space of a run [KiB], and how much of it the program is told of [GiB].
const MEMORY_KIB: u64 = 4 << 20;
const MEMORY_TOLD: &str = "3";
/// Time between looks at a run.
const POLL: Duration = Duration::from_millis(2);
/// The most that is read of what a run writes [bytes].
const OUTPUT_LIMIT: u64 = 1 << 20;

/// How a run ended.
pub struct Ending {
    /// None where a signal, or we, ended it.
    pub code: Option<i32>,
    pub signal: Option<i32>,
    /// Whether it needed more time than allowed.
    pub hung: bool,
    pub out: String,
    pub err: String,
}

/// Time that a run may need: `work` on the processor, and `wall` on the clock, since the machine may be busy.
#[derive(Clone, Copy)]
pub struct TimeLimit {
    pub work: Duration,
    pub wall: Duration,
}

/// Runs a program to its end or its limits; `log` is the stem of files for what it writes.
pub fn run(program: &Path, arguments: &[&str], log: &Path, limit: TimeLimit) -> Result<Ending, String> {
    let [out, err] = [log.with_extension("out"), log.with_extension("err")];
    let create = |path: &Path| File::create(path).map_err(|error| format!("{}: {error}", path.display()));
    let mut command = limited(program, limit);
    command
        .args(arguments)
        .env("HUYGENS_MEMORY_GIB", MEMORY_TOLD)
        .stdin(Stdio::null())
        .stdout(create(&out)?)
        .stderr(create(&err)?);
    let mut child =
        command.spawn().map_err(|error| format!("{} did not start: {error}", program.display()))?;
    let end = Instant::now() + limit.wall;
    let mut pause = POLL;
    let (status, late) = loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            break (status, false);
        }
        if Instant::now() >= end {
            // It may have ended by itself in between.
            let _ = child.kill();
            break (child.wait().map_err(|error| error.to_string())?, true);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(50 * POLL);
    };
    let signal = signal_of(status);
    // SIGXCPU, and the SIGKILL of its hard limit.
    let hung = late || matches!(signal, Some(9 | 24));
    Ok(Ending { code: status.code(), signal, hung, out: head_of(&out), err: head_of(&err) })
}

/// The program under limits, where the system has a shell that sets them.
fn limited(program: &Path, limit: TimeLimit) -> Command {
    if !cfg!(unix) {
        return Command::new(program);
    }
    let seconds = limit.work.as_secs().max(1);
    let script = format!("ulimit -c 0; ulimit -v {MEMORY_KIB}; ulimit -t {seconds}; exec nice -n 10 \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, "sh"]).arg(program);
    command
}

fn signal_of(status: ExitStatus) -> Option<i32> {
    #[cfg(unix)]
    return std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    return status.code().is_none().then_some(0);
}

fn head_of(path: &Path) -> String {
    let mut bytes = Vec::new();
    if let Ok(file) = File::open(path) {
        // What cannot be read is as good as not written.
        let _ = file.take(OUTPUT_LIMIT).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

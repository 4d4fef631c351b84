//! Programs of other projects that some checks need: looked for, and installed by Debian's `apt-get` where that is
//! possible without asking.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::workspace::succeeds;

/// Path of a program that the shell would find.
pub fn on_path(program: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&folders).map(|folder| folder.join(&name)).find(|path| path.is_file())
}

/// Path of a program, installed from a Debian package of the same name if it is missing.
pub fn provided(program: &str) -> Option<PathBuf> {
    on_path(program).or_else(|| install(program).then(|| on_path(program)).flatten())
}

/// Installs a Debian package; whether that was possible.
pub fn install(package: &str) -> bool {
    let Some(prefix) = administrator() else { return false };
    println!("\n$ {}", install_command(package));
    let apt = |arguments: &[&str]| {
        let words: Vec<&str> =
            prefix.iter().copied().chain(["apt-get"]).chain(arguments.iter().copied()).collect();
        succeeds(Command::new(words[0]).args(&words[1..]))
    };
    apt(&["update"]) && apt(&["install", "-y", "--no-install-recommends", package])
}

/// What one would type to install a package.
pub fn install_command(package: &str) -> String {
    format!("apt-get install -y --no-install-recommends {package}")
}

/// Words before a command that needs the administrator's rights, where they can be had without a password.
fn administrator() -> Option<Vec<&'static str>> {
    on_path("apt-get")?;
    let user = Command::new("id").arg("-u").stdin(Stdio::null()).output().ok()?;
    if user.stdout.trim_ascii() == b"0" {
        return Some(Vec::new());
    }
    succeeds(Command::new("sudo").args(["-n", "true"])).then(|| vec!["sudo", "-n"])
}

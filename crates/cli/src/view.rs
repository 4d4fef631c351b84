//! `huygens view`: a run in the browser.

use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;
use huygens_viewer::{Control, Server, ServerSettings};

use crate::error::{CliError, Exit};
use crate::output;
use crate::run::Signals;

/// Where the viewer listens.
#[derive(Args, Clone, Debug)]
pub struct ListenArgs {
    /// Port of the viewer; 0 picks a free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Address to listen on. Anything but 127.0.0.1 admits other computers, and the token is sent unencrypted.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    address: IpAddr,
    /// Name under which browsers reach this computer, in addition to localhost; repeatable.
    #[arg(long = "host")]
    hosts: Vec<String>,
}

/// Options of `huygens view`.
#[derive(Args, Debug)]
#[command(after_long_help = "\
The page plays the recording; a run in progress is followed live. The address contains a random token: whoever has it
can watch but not change anything. On a cluster: ssh -L 8123:localhost:8123 NODE, then run huygens view RUN --port 8123
there.")]
pub struct ViewArgs {
    /// Folder of a run, or its recording.
    source: PathBuf,
    #[command(flatten)]
    listen: ListenArgs,
}

impl ListenArgs {
    fn settings(&self, control: Option<Control>) -> ServerSettings {
        ServerSettings {
            control,
            address: self.address,
            port: self.port,
            hosts: self.hosts.clone(),
            ..ServerSettings::default()
        }
    }

    /// Whether a viewer could listen there, asked before hours of computing.
    pub fn check(&self) -> Result<(), CliError> {
        Ok(Server::check(&self.settings(None))?)
    }
}

/// Starts a viewer of a run and prints its address.
pub fn start(source: &Path, listen: &ListenArgs, control: Option<Control>) -> Result<Server, CliError> {
    let server = Server::start(source, listen.settings(control))?;
    output::note(format!("huygens: open {} in a browser; Ctrl-C ends the viewer", server.url()));
    Ok(server)
}

/// Waits for a signal.
pub fn wait(stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Shows a run until a signal comes.
pub fn view(args: &ViewArgs) -> Result<Exit, CliError> {
    let signals = Signals::watch()?;
    signals.keep_results();
    let server = start(&args.source, &args.listen, None)?;
    wait(&signals.stop);
    server.stop();
    Ok(Exit::Done)
}

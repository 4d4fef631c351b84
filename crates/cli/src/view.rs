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
    /// Port of the viewer; any free one if 0.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Address the viewer listens on. Anything but 127.0.0.1 lets other computers in, and the token travels in clear.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    address: IpAddr,
    /// Name under which browsers reach this computer, besides localhost; may be given several times.
    #[arg(long = "host")]
    hosts: Vec<String>,
}

/// Options of `huygens view`.
#[derive(Args, Debug)]
#[command(after_long_help = "\
The page plays the recording; a run that still computes is followed live. The address holds a random token: whoever has
it can look, nobody can change anything. On a cluster: ssh -L 8123:localhost:8123 NODE, then huygens view RUN --port 8123
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

/// Starts a viewer of a run and says where it is.
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

//! The errors of this crate; each says what is wrong and what helps.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use huygens_record::RecordError;

/// What can go wrong while a recording is shown or exported.
#[derive(Debug, thiserror::Error)]
pub enum ViewerError {
    /// There is no recording where one was expected.
    #[error(
        "no recording at '{}'; name a file `run.hrec`, or the folder of a run that was recorded",
        path.display()
    )]
    MissingRecording {
        /// The file looked for.
        path: PathBuf,
    },
    /// The recording cannot be read, or the exported file not written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Another program listens on the port.
    #[error("port {} of {} is in use; choose another one, or 0 for any that is free", address.port(), address.ip())]
    PortInUse {
        /// Address and port asked for.
        address: SocketAddr,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}; choose an address of this computer, such as 127.0.0.1")]
    Listen {
        /// Address and port asked for.
        address: SocketAddr,
        /// What the operating system said.
        source: io::Error,
    },
    /// The operating system gives no random numbers for the token.
    #[error("the operating system gives no random numbers ({reason}), without which no token can be made")]
    Random {
        /// What it said.
        reason: String,
    },
    /// The server's thread cannot be started.
    #[error("cannot start the server: {source}")]
    Start {
        /// What the operating system said.
        source: io::Error,
    },
    /// A recording without frames cannot be exported.
    #[error("recording '{}' holds no frames to export", path.display())]
    NoFrames {
        /// The recording.
        path: PathBuf,
    },
    /// The exported file would be larger than allowed.
    #[error(
        "the page would take about {needed} bytes, {limit} are allowed; allow more{}", stride_advice(*stride)
    )]
    ExportLimit {
        /// Estimate for the whole file [bytes].
        needed: u64,
        /// The limit [bytes].
        limit: u64,
        /// Distance of frames with which it is likely to fit, if there is one.
        stride: Option<usize>,
    },
    /// The caller ended an export; no file was left.
    #[error("export ended before it was complete; no file was written")]
    Cancelled,
}

fn stride_advice(stride: Option<usize>) -> String {
    stride.map_or(String::new(), |stride| format!(", or take one frame of {stride}"))
}

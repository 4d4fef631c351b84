//! The local web viewer of recordings: a server with its page, and the same page with its data in one HTML file.
//!
//! [`Server`] shows a recording that is complete or still grows, to browsers that know its token. It listens on
//! 127.0.0.1 unless asked otherwise, and only shows; with a [`Control`] the page may also steer the run.
//! [`export_html`] writes one file that opens from disk, without any server.
//!
//! The viewer knows recordings and never the engine.

mod connection;
mod control;
mod error;
mod export;
mod feed;
mod gate;
mod lines;
mod page;
mod ranges;
mod server;
mod socket;

pub use control::{Command, CommandRefusal, Control, Input};
pub use error::ViewerError;
pub use export::{HtmlOptions, HtmlSummary, export_html};
pub use server::{Server, ServerLimits, ServerLoad, ServerSettings, recording_path};

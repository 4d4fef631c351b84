//! Charts of series and drawings of mechanisms, as SVG and PNG.
//!
//! ```no_run
//! use huygens_plot::{Panel, Plot};
//! # fn main() -> Result<(), huygens_plot::PlotError> {
//! let time: Vec<f64> = (0..500).map(|i| f64::from(i) * 0.01).collect();
//! let angle: Vec<f64> = time.iter().map(|t| t.sin()).collect();
//! Plot::new("Pendulum")
//!     .panel(Panel::new("time [s]", "angle [rad]").line("pendulum", &time, &angle))
//!     .write_svg("pendulum.svg".as_ref())?;
//! # Ok(())
//! # }
//! ```
//!
//! A [`Plot`] is laid out once, as a list of marks in pixels, and written twice: as SVG text and as painted pixels.
//! Text is drawn from an embedded typeface (DejaVu Sans Condensed, see `FONT-LICENSE.txt`), so both
//! forms look the same on a machine without fonts. [`Overlay`] puts the same text and figures over the pixels of a
//! picture that something else has made.

mod axis;
mod decimate;
mod error;
mod font;
mod layout;
mod marks;
mod overlay;
mod panel;
mod plot;
mod raster;
mod svg;
mod theme;

pub use error::{PlotError, PlotFault};
pub use overlay::{Overlay, TextAlign, ticks};
pub use panel::{Dash, Panel, Style};
pub use plot::Plot;
pub use theme::{Color, Theme};

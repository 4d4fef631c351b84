//! The errors of this crate.

use huygens_record::RecordError;

/// Why a plot cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum PlotError {
    /// The plot cannot be drawn.
    #[error("plot '{title}': {fault}")]
    Drawing {
        /// Title of the plot.
        title: String,
        /// Why not.
        #[source]
        fault: PlotFault,
    },
    /// The series lacks a column, or the file of the plot cannot be written.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// What makes a plot impossible to draw.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PlotFault {
    /// There is nothing to draw.
    #[error("it has no panel")]
    NoPanel,
    /// The width is out of range.
    #[error("the width must be between 200 and 10000")]
    Width {
        /// The width asked for [px].
        width: f64,
    },
    /// The scale of a PNG is out of range.
    #[error("the pixel scale must be between 0.1 and 16")]
    PixelScale {
        /// PNG pixels for each picture pixel.
        scale: f64,
    },
    /// The PNG would be too large.
    #[error("the picture would be longer than 20000 pixels on a side")]
    TooLarge {
        /// Its longer side [px].
        side: f64,
    },
    /// The ends of an axis are in the wrong order, or have no place on it.
    #[error("{axis} range {low} … {high} is not possible")]
    Range {
        /// `x` or `y`.
        axis: &'static str,
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
    },
    /// The height of a panel is out of range.
    #[error("panel height {height} is not between 20 and 10000")]
    PanelHeight {
        /// The height asked for [px].
        height: f64,
    },
    /// Equal scales are asked for on a logarithmic axis.
    #[error("equal aspect needs linear axes")]
    EqualAspect,
    /// A line has not as many x as y values.
    #[error("line '{label}' has {x_count} x values and {y_count} y values")]
    LineLengths {
        /// The line's name in the legend.
        label: String,
        /// Values along x.
        x_count: usize,
        /// Values along y.
        y_count: usize,
    },
    /// The typeface in the program cannot be read.
    #[error("the embedded font is damaged")]
    Typeface,
    /// The pixels cannot be written as PNG.
    #[error("the picture cannot be encoded")]
    Encoding,
}

//! Files a run leaves behind: chunked checkpoints, CSV series, plots.

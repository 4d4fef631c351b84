//! Huygens, a multi-physics dynamics engine: worlds, scene files, runs.

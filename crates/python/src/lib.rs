//! Python bindings of Huygens: the extension module `huygens._huygens`.
//!
//! The module is small on purpose: it turns dictionaries into the structures of [`huygens::spec`], lends the world to
//! Python and back, and carries errors across. What a user types is the pure-Python package `huygens` above it.

mod arguments;
mod callable;
mod cell;
mod contact;
mod core;
mod error;
mod export;
mod fluids;
mod functions;
mod grains;
mod record;
mod recorder;
mod recording;
mod scene;
mod structures;
mod travel;
mod viewer;
mod views;

use pyo3::prelude::*;

#[pymodule]
mod _huygens {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::contact::{ContactPoint, PairMaterial};
    #[pymodule_export]
    use crate::core::Core;
    #[pymodule_export]
    use crate::fluids::{
        fluid_at, fluid_count, fluid_field, fluid_force, fluid_numbers, fluid_pressure_on, fluid_status,
        measure_fluid,
    };
    #[pymodule_export]
    use crate::grains::{
        add_particles, clump_states, grain_count, grain_field, grain_ids, grain_step, grain_table,
        measure_grains, remove_particles, wall_force,
    };
    #[pymodule_export]
    use crate::recording::RecordingFile;
    #[pymodule_export]
    use crate::scene::{run_scene, scene_schema};
    #[pymodule_export]
    use crate::structures::{
        buckling, load_path, natural_modes, node_field, section_forces, solid_stresses, structure_elements,
        structure_energy, structure_labels, structure_nodes, structure_size,
    };
    #[pymodule_export]
    use crate::viewer::ViewerServer;
    #[pymodule_export]
    use crate::views::StateLease;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

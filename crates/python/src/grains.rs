//! Granular matter as Python sees it: fields as arrays, in the order of ids.

use huygens::prelude::*;
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::structure;
use crate::core::Core;

/// A row of three for each grain.
fn rows(name: &str, array: &PyReadonlyArray2<'_, f64>) -> PyResult<Vec<[f64; 3]>> {
    if array.shape()[1] != 3 {
        let shape = array.shape();
        return Err(PyValueError::new_err(format!("{name} must have the shape (n, 3), not {shape:?}")));
    }
    let view = array.as_array();
    Ok(view.rows().into_iter().map(|row| [row[0], row[1], row[2]]).collect())
}

fn field(name: &str) -> PyResult<GrainField> {
    Ok(match name {
        "position" => GrainField::Position,
        "velocity" => GrainField::Velocity,
        "angular_velocity" => GrainField::AngularVelocity,
        "force" => GrainField::Force,
        "torque" => GrainField::Torque,
        "radius" => GrainField::Radius,
        "mass" => GrainField::Mass,
        _ => return Err(PyValueError::new_err(format!("grains have no field '{name}'"))),
    })
}

/// One field of all grains, the components of a grain side by side.
#[pyfunction]
pub fn grain_field<'py>(
    core: &Bound<'py, Core>,
    grains: &str,
    name: &str,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let field = field(name)?;
    let values = core.get().read(core.py(), |world| world.grain_field(world.grains(grains)?, field))?;
    Ok(PyArray1::from_vec(core.py(), values))
}

/// Ids of all grains, rising.
#[pyfunction]
pub fn grain_ids<'py>(core: &Bound<'py, Core>, grains: &str) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let ids = core.get().read(core.py(), |world| world.grain_ids(world.grains(grains)?))?;
    Ok(PyArray1::from_vec(core.py(), ids))
}

/// Number of grains.
#[pyfunction]
pub fn grain_count(core: &Bound<'_, Core>, grains: &str) -> PyResult<usize> {
    core.get().read(core.py(), |world| world.grain_count(world.grains(grains)?))
}

/// Longest step of the grains.
#[pyfunction]
pub fn grain_step(core: &Bound<'_, Core>, grains: &str) -> PyResult<f64> {
    core.get().read(core.py(), |world| world.grain_step(world.grains(grains)?))
}

/// Adds grains: the ids of the first and the one after the last.
#[pyfunction]
#[pyo3(signature = (core, grains, positions, radii, density, velocities=None, angular_velocities=None, material=None))]
#[allow(clippy::too_many_arguments)]
pub fn add_particles(
    core: &Bound<'_, Core>,
    grains: &str,
    positions: PyReadonlyArray2<'_, f64>,
    radii: PyReadonlyArray1<'_, f64>,
    density: f64,
    velocities: Option<PyReadonlyArray2<'_, f64>>,
    angular_velocities: Option<PyReadonlyArray2<'_, f64>>,
    material: Option<String>,
) -> PyResult<(u64, u64)> {
    let list = |name: &str, array: &Option<PyReadonlyArray2<'_, f64>>| {
        array.as_ref().map_or(Ok(Vec::new()), |array| rows(name, array))
    };
    let spec = ParticlesSpec {
        positions: rows("positions", &positions)?,
        radii: radii.as_array().to_vec(),
        density,
        velocities: list("velocities", &velocities)?,
        angular_velocities: list("angular_velocities", &angular_velocities)?,
        material,
        ..ParticlesSpec::default()
    };
    let ids = core.get().change(core.py(), |world| world.add_particles(world.grains(grains)?, &spec))?;
    Ok((ids.start, ids.end))
}

/// Mean force on a wall over the last step, and torque about its origin.
#[pyfunction]
pub fn wall_force(core: &Bound<'_, Core>, grains: &str, wall: &str) -> PyResult<([f64; 3], [f64; 3])> {
    core.get().read(core.py(), |world| world.wall_force(world.grains(grains)?, wall))
}

/// Numbers of a quantity of grains or of a wall.
#[pyfunction]
pub fn measure_grains(core: &Bound<'_, Core>, of: &str, quantity: &str) -> PyResult<Vec<f64>> {
    core.get().read(core.py(), |world| world.measure_grains(of, quantity))
}

/// Removes grains by their ids.
#[pyfunction]
pub fn remove_particles(core: &Bound<'_, Core>, grains: &str, ids: Vec<u64>) -> PyResult<()> {
    core.get().change(core.py(), |world| world.remove_particles(world.grains(grains)?, &ids))
}

/// A table measured of grains: names of its columns, and its rows as one array.
#[pyfunction]
pub fn grain_table<'py>(
    core: &Bound<'py, Core>,
    grains: &str,
    spec: &Bound<'py, PyDict>,
) -> PyResult<(Vec<&'static str>, Bound<'py, PyArray1<f64>>)> {
    let spec: GrainTableSpec = structure("measure", spec, &core.get().callables)?;
    let table = core.get().read(core.py(), |world| world.grain_table(world.grains(grains)?, &spec))?;
    let names = table.columns.iter().map(|(name, _)| *name).collect();
    Ok((names, PyArray1::from_vec(core.py(), table.values)))
}

/// Fields of all clumps by name, the components of a clump side by side.
#[pyfunction]
pub fn clump_states<'py>(core: &Bound<'py, Core>, grains: &str) -> PyResult<Bound<'py, PyDict>> {
    let py = core.py();
    let states = core.get().read(py, |world| world.clump_states(world.grains(grains)?))?;
    let made = PyDict::new(py);
    made.set_item("kind", states.kinds)?;
    made.set_item("position", PyArray1::from_vec(py, states.positions.concat()))?;
    made.set_item("rotation", PyArray1::from_vec(py, states.rotations.concat()))?;
    made.set_item("velocity", PyArray1::from_vec(py, states.velocities.concat()))?;
    made.set_item("angular_velocity", PyArray1::from_vec(py, states.angular_velocities.concat()))?;
    made.set_item("mass", PyArray1::from_vec(py, states.masses))?;
    Ok(made)
}

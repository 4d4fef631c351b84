//! Fluids as Python sees them: fields as arrays, in the order of numbers.

use huygens::prelude::*;
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::core::Core;

/// One field of all particles, the components of a particle side by side.
#[pyfunction]
pub fn fluid_field<'py>(
    core: &Bound<'py, Core>,
    fluid: &str,
    name: &str,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let field = match name {
        "position" => FluidField::Position,
        "velocity" => FluidField::Velocity,
        "density" => FluidField::Density,
        "pressure" => FluidField::Pressure,
        _ => return Err(PyValueError::new_err(format!("fluids have no field '{name}'"))),
    };
    let values = core.get().read(core.py(), |world| world.fluid_field(world.fluid(fluid)?, field))?;
    Ok(PyArray1::from_vec(core.py(), values))
}

/// Numbers of all particles, rising.
#[pyfunction]
pub fn fluid_numbers<'py>(core: &Bound<'py, Core>, fluid: &str) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let numbers = core.get().read(core.py(), |world| world.fluid_numbers(world.fluid(fluid)?))?;
    Ok(PyArray1::from_vec(core.py(), numbers))
}

/// Number of particles.
#[pyfunction]
pub fn fluid_count(core: &Bound<'_, Core>, fluid: &str) -> PyResult<usize> {
    core.get().read(core.py(), |world| world.fluid_count(world.fluid(fluid)?))
}

/// Force and torque on a wall, body or structure.
#[pyfunction]
pub fn fluid_force(core: &Bound<'_, Core>, fluid: &str, on: &str) -> PyResult<([f64; 3], [f64; 3])> {
    core.get().read(core.py(), |world| world.fluid_force(world.fluid(fluid)?, on))
}

/// Pressure and velocity at a point.
#[pyfunction]
pub fn fluid_at(core: &Bound<'_, Core>, fluid: &str, point: [f64; 3]) -> PyResult<Option<(f64, [f64; 3])>> {
    core.get().read(core.py(), |world| world.fluid_at(world.fluid(fluid)?, point))
}

/// Pressure on a wall, body or structure.
#[pyfunction]
#[pyo3(signature = (core, fluid, on, point, radius=None))]
pub fn fluid_pressure_on(
    core: &Bound<'_, Core>,
    fluid: &str,
    on: &str,
    point: [f64; 3],
    radius: Option<f64>,
) -> PyResult<f64> {
    core.get().read(core.py(), |world| world.fluid_pressure_on(world.fluid(fluid)?, on, point, radius))
}

/// How a fluid does.
#[pyfunction]
pub fn fluid_status<'py>(core: &Bound<'py, Core>, fluid: &str) -> PyResult<Bound<'py, PyDict>> {
    let status = core.get().read(core.py(), |world| world.fluid_status(world.fluid(fluid)?))?;
    let dictionary = PyDict::new(core.py());
    dictionary.set_item("particles", status.particles)?;
    dictionary.set_item("markers", status.markers)?;
    dictionary.set_item("lost", status.lost)?;
    dictionary.set_item("step", status.step)?;
    dictionary.set_item("sound_speed", status.sound)?;
    dictionary.set_item("max_speed", status.speed)?;
    dictionary.set_item("compressibility", status.compressibility)?;
    Ok(dictionary)
}

/// Numbers of a quantity of a fluid or of a part of it.
#[pyfunction]
#[pyo3(signature = (core, of, quantity, point=None))]
pub fn measure_fluid(
    core: &Bound<'_, Core>,
    of: &str,
    quantity: &str,
    point: Option<[f64; 3]>,
) -> PyResult<Vec<f64>> {
    core.get().read(core.py(), |world| world.measure_fluid(of, quantity, point))
}

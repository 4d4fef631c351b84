//! Flexible structures as Python sees them: nodes and elements as arrays, in the order of the mesh.

use std::ops::ControlFlow;

use huygens::prelude::*;
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::core::Core;

type Array<'py> = Bound<'py, PyArray1<f64>>;
/// Steps, cuts, iterations, load factor and residual at the end.
type PathNumbers = (usize, usize, usize, f64, f64);

/// Number of nodes and of elements.
#[pyfunction]
pub fn structure_size(core: &Bound<'_, Core>, structure: &str) -> PyResult<(usize, usize)> {
    core.get().read(core.py(), |world| {
        let model = world.structure_model(world.structure(structure)?)?;
        Ok((model.nodes.len(), model.elements.len()))
    })
}

/// Numbers of the nodes and of the elements in the mesh.
#[pyfunction]
pub fn structure_labels(core: &Bound<'_, Core>, structure: &str) -> PyResult<(Vec<u64>, Vec<u64>)> {
    core.get().read(core.py(), |world| {
        let labels = &world.structure_model(world.structure(structure)?)?.labels;
        Ok((labels.nodes.clone(), labels.elements.clone()))
    })
}

/// Places of the nodes of each element among all nodes.
#[pyfunction]
pub fn structure_elements(core: &Bound<'_, Core>, structure: &str) -> PyResult<Vec<Vec<u32>>> {
    core.get().read(core.py(), |world| {
        let model = world.structure_model(world.structure(structure)?)?;
        Ok(model.elements.iter().map(|e| e.nodes().to_vec()).collect())
    })
}

/// Places of the nodes that a word names among all nodes.
#[pyfunction]
pub fn structure_nodes(core: &Bound<'_, Core>, structure: &str, name: &str) -> PyResult<Vec<u32>> {
    core.get().read(core.py(), |world| {
        let model = world.structure_model(world.structure(structure)?)?;
        model.find_nodes(name).ok_or_else(|| WorldError::Unknown {
            kind: "node or node set",
            name: name.to_owned(),
            suggestion: None,
        })
    })
}

/// A field of all nodes, the components of a node side by side.
#[pyfunction]
pub fn node_field<'py>(core: &Bound<'py, Core>, structure: &str, name: &str) -> PyResult<Array<'py>> {
    let pick: fn(&NodeMotion) -> Vec<f64> = match name {
        "position" => |m| m.position.to_array().to_vec(),
        "velocity" => |m| m.velocity.to_array().to_vec(),
        "angular_velocity" => |m| m.angular_velocity.to_array().to_vec(),
        "rotation" => |m| vec![m.rotation.w, m.rotation.x, m.rotation.y, m.rotation.z],
        _ => return Err(PyValueError::new_err(format!("nodes have no field '{name}'"))),
    };
    let values = core.get().read(core.py(), |world| {
        Ok(world.node_motions(world.structure(structure)?)?.iter().flat_map(pick).collect())
    })?;
    Ok(PyArray1::from_vec(core.py(), values))
}

/// Place (3), strain (6), section force (6) and energy per length of each line at a place along it.
#[pyfunction]
pub fn section_forces<'py>(core: &Bound<'py, Core>, structure: &str, at: f64) -> PyResult<Array<'py>> {
    let values = core.get().read(core.py(), |world| {
        let id = world.structure(structure)?;
        let lines: Vec<bool> = world.structure_model(id)?.elements.iter().map(|e| e.is_line()).collect();
        let mut out = Vec::with_capacity(16 * lines.len());
        for (k, _) in lines.iter().enumerate().filter(|(_, line)| **line) {
            let s = world.section_forces(id, k, at)?;
            out.extend(s.point);
            out.extend(s.strain);
            out.extend([
                s.axial_force,
                s.shear[0],
                s.shear[1],
                s.torsion,
                s.moment[0],
                s.moment[1],
                s.energy,
            ]);
        }
        Ok(out)
    })?;
    Ok(PyArray1::from_vec(core.py(), values))
}

/// Strain (9), stress (9), stress of von Mises and energy of each solid element.
#[pyfunction]
pub fn solid_stresses<'py>(core: &Bound<'py, Core>, structure: &str) -> PyResult<Array<'py>> {
    let values = core.get().read(core.py(), |world| {
        let id = world.structure(structure)?;
        let solids: Vec<bool> = world.structure_model(id)?.elements.iter().map(|e| !e.is_line()).collect();
        let mut out = Vec::with_capacity(20 * solids.len());
        for (k, _) in solids.iter().enumerate().filter(|(_, solid)| **solid) {
            let s = world.solid_stress(id, k)?;
            out.extend(s.strain.concat());
            out.extend(s.stress.concat());
            out.extend([s.von_mises, s.energy]);
        }
        Ok(out)
    })?;
    Ok(PyArray1::from_vec(core.py(), values))
}

/// Elastic energy of a structure.
#[pyfunction]
pub fn structure_energy(core: &Bound<'_, Core>, structure: &str) -> PyResult<f64> {
    core.get().read(core.py(), |world| world.structure_energy(world.structure(structure)?))
}

/// Follows the equilibria under rising loads: load factors, the probes at each, and what it took.
#[pyfunction]
pub fn load_path<'py>(core: &Bound<'py, Core>) -> PyResult<(Array<'py>, Array<'py>, PathNumbers)> {
    let (factors, rows, report) = core.get().moved(core.py(), |world| {
        let (mut factors, mut rows, mut failed) = (Vec::new(), Vec::new(), None);
        let report = world.load_path(&mut |world, factor| {
            factors.push(factor);
            match world.probe_values(&mut rows) {
                Ok(()) => ControlFlow::Continue(()),
                Err(e) => {
                    failed = Some(e);
                    ControlFlow::Break(())
                }
            }
        })?;
        failed.map_or(Ok((factors, rows, report)), Err)
    })?;
    let took = (report.steps, report.cuts, report.iterations, report.factor, report.residual);
    Ok((PyArray1::from_vec(core.py(), factors), PyArray1::from_vec(core.py(), rows), took))
}

/// Squares of circular frequencies, frequencies, and shapes row by row.
#[pyfunction]
pub fn natural_modes<'py>(
    core: &Bound<'py, Core>,
    count: usize,
    near: f64,
) -> PyResult<(Array<'py>, Array<'py>, Array<'py>)> {
    let modes = core.get().moved(core.py(), |world| world.natural_modes(ModesSpec { count, near }))?;
    let array = |values: Vec<f64>| PyArray1::from_vec(core.py(), values);
    Ok((array(modes.squares), array(modes.frequency_hz), array(modes.shapes.concat())))
}

/// Load factors at which the world buckles, and shapes row by row.
#[pyfunction]
pub fn buckling<'py>(core: &Bound<'py, Core>, count: usize) -> PyResult<(Array<'py>, Array<'py>)> {
    let modes = core.get().moved(core.py(), |world| world.buckling(count))?;
    let array = |values: Vec<f64>| PyArray1::from_vec(core.py(), values);
    Ok((array(modes.factors), array(modes.shapes.concat())))
}

//! Straight and bent lines of elements, built and bent through worlds.

use std::ops::ControlFlow;

use glam::DVec3;
use huygens::prelude::*;
use huygens::spec::Matrix6;

use crate::error::Result;

/// Lines whose nodes have a rotation, with the names they have in reports.
pub const ROTATING: [(ElementType, &str); 3] =
    [(ElementType::Beam, "corotational"), (ElementType::Rod, "rod"), (ElementType::Rod3, "rod3")];

/// A section by its stiffness (stretch and shear [N], twist and bending [N·m²]) and its inertia per length.
pub fn section(stretch: [f64; 3], bending: [f64; 3], mass: f64, rotary: [f64; 3]) -> SectionSpec {
    let diagonal = |a: [f64; 3], b: [f64; 3]| {
        let mut m = [[0.0; 6]; 6];
        (0..3).for_each(|k| (m[k][k], m[k + 3][k + 3]) = (a[k], b[k]));
        Matrix6(m)
    };
    let (stiffness, inertia) = (diagonal(stretch, bending), diagonal([mass; 3], rotary));
    SectionType::User { stiffness, inertia }.into()
}

/// A section of which only the stiffness matters.
pub fn elastic_section(stretch: [f64; 3], bending: [f64; 3]) -> SectionSpec {
    section(stretch, bending, 1.0, [1e-3; 3])
}

/// A line along x, clamped where it starts.
pub fn cantilever(element: ElementType, length: f64, pieces: usize, section: SectionSpec) -> StructureSpec {
    StructureSpec {
        section: Some(section),
        fixed: vec![FixedSpec::all("start")],
        ..StructureSpec::beam("line", element, [0.0; 3], [length, 0.0, 0.0], pieces)
    }
}

/// Where the end of a structure goes when its loads rise in equal steps, with the load factor at each [m].
pub fn load_path(spec: StructureSpec, gravity: [f64; 3], steps: usize) -> Result<Vec<(f64, NodeMotion)>> {
    let mut world = World::new(gravity);
    world.settings_mut().load_path = Some(LoadPathSpec { steps, ..LoadPathSpec::default() });
    let line = world.add_structure(spec)?;
    let mut path = Vec::new();
    let mut trouble = Ok(());
    world.load_path(&mut |world, factor| match world.node_motion(line, "end") {
        Ok(motion) => {
            path.push((factor, motion));
            ControlFlow::Continue(())
        }
        Err(error) => {
            trouble = Err(error);
            ControlFlow::Break(())
        }
    })?;
    trouble?;
    path.push((1.0, world.node_motion(line, "end")?));
    Ok(path)
}

/// Where the end of a structure is under its full loads.
pub fn loaded_end(spec: StructureSpec, steps: usize) -> Result<NodeMotion> {
    loaded_end_in(spec, [0.0; 3], steps)
}

/// Where the end of a structure is under its full loads and gravity.
pub fn loaded_end_in(spec: StructureSpec, gravity: [f64; 3], steps: usize) -> Result<NodeMotion> {
    let path = load_path(spec, gravity, steps)?;
    Ok(path[path.len() - 1].1)
}

/// The largest component of a vector without its sign.
pub fn largest(v: DVec3) -> f64 {
    v.abs().max_element()
}

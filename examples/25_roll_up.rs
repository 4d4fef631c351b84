//! A strip is rolled up by a moment at its end: at 2π E I / L it is a full circle.
//!
//! Run:  cargo run --release --example 25_roll_up -p huygens
//! See:  the end comes back to the start, and every place has the same moment.

use std::f64::consts::PI;
use std::ops::ControlFlow;

use huygens::prelude::*;

fn main() -> Result<(), WorldError> {
    let (length, width, height, young) = (1.0, 0.1, 0.002, 1e9);
    let moment = 2.0 * PI * young * width * f64::powi(height, 3) / 12.0 / length;
    let mut world = World::new([0.0; 3]);
    world.settings_mut().load_path = Some(LoadPathSpec { steps: 20, ..LoadPathSpec::default() });
    let strip = world.add_structure(StructureSpec {
        section: Some(SectionSpec::rectangle(width, height)),
        material: Some(ElasticSpec::new(young, 0.3, 1000.0)),
        fixed: vec![FixedSpec::all("start")],
        loads: vec![StructureLoadSpec::moment("end", [0.0, -moment, 0.0])],
        ..StructureSpec::beam("strip", ElementType::Rod, [0.0; 3], [length, 0.0, 0.0], 24)
    })?;
    world.load_path(&mut |world, factor| {
        if let Ok(end) = world.node_motion(strip, "end") {
            println!("load factor {factor:.3}: end at {:.4}", end.position);
        }
        ControlFlow::Continue(())
    })?;
    assert!(world.node_motion(strip, "end")?.position.length() < 1e-6);
    for element in 0..24 {
        let own = world.section_forces(strip, element, 0.5)?.moment[0];
        assert!((own.abs() / moment - 1.0).abs() < 1e-6);
    }
    Ok(())
}

//! Flexible beams stand on the bed of a stream and bend with it.
//!
//! Run:  cargo run --release --example 36_beams_in_stream -p huygens
//! See:  how far the tips go downstream, beside what beams do under the pull that they feel.

use huygens::prelude::*;

const LENGTH: f64 = 0.1;
const RADIUS: f64 = 0.006;
const YOUNG: f64 = 1.5e6;
const PUSH: f64 = 0.5; // m/s², of a slope of 1 to 20

fn main() -> Result<(), WorldError> {
    let mut world = World::default();
    world.settings_mut().dt = 5e-4;
    let reed = world.add_structure(StructureSpec {
        copies: Some(CopiesSpec { count: [3, 2, 1], spacing: [0.12, 0.06, 0.0] }),
        section: Some(SectionSpec::circle(RADIUS)),
        material: Some(ElasticSpec::new(YOUNG, 0.3, 1200.0)),
        damping: StructureDampingSpec { stiffness: 0.01, ..StructureDampingSpec::default() },
        fixed: vec![FixedSpec::all("start")],
        contact: Some(StructureContactSpec::default()),
        ..StructureSpec::beam("reed", ElementType::Beam, [0.06, 0.03, 0.0], [0.06, 0.03, LENGTH], 5)
    })?;
    let stream = FluidFillSpec::between([0.0; 3], [0.36, 0.12, 0.12]);
    let water = world.add_fluid(FluidSpec {
        artificial: 0.05,
        sound_speed: Some(10.0),
        acceleration: [PUSH, 0.0, 0.0],
        periodic: PeriodicSpec { x: Some([0.0, 0.36]), y: Some([0.0, 0.12]), z: None },
        structures: vec!["reed".into()],
        fills: vec![FluidFillSpec { velocity: [0.5, 0.0, 0.0], ..stream }],
        walls: vec![FluidWallSpec::plane("bed", [0.18, 0.06, 0.0], [0.0, 0.0, 1.0], [0.36, 0.12])],
        ..FluidSpec::new("water", 0.01)
    })?;
    let drive = PUSH * world.measure_fluid("water", "mass", None)?[0];
    let start = world.measure_fluid("water", "momentum", None)?[0];
    let (mut held, mut pull, mut count, mut bend, mut least) = (0.0, 0.0, 0.0, 0.0, f64::INFINITY);
    while let Some(h) = world.next_step(0.4) {
        world.advance(h)?;
        let force = world.fluid_force(water, "reed")?.0[0];
        held += h * (force + world.fluid_force(water, "bed")?.0[0]);
        if world.time() > 0.3 {
            for beam in world.node_motions(reed)?.chunks(6) {
                let tip = beam[5].position.x - beam[0].position.x;
                (bend, least) = (bend + tip / 6.0, least.min(tip));
            }
            (pull, count) = (pull + force / 6.0, count + 1.0);
        }
    }
    let gained = world.measure_fluid("water", "momentum", None)?[0] - start;
    let (pull, bend) = (pull / count, bend / count);
    let stiffness = YOUNG * std::f64::consts::PI * RADIUS.powi(4) / 4.0;
    let [even, at_tip] = [8.0, 3.0].map(|factor| pull * LENGTH.powi(3) / (factor * stiffness));
    println!("the tips go {bend:.4} m downstream; {even:.4} to {at_tip:.4} m are right");
    // The drive is what the stream gains and what beams and bed hold back; the pull is not even, nor all at the tip.
    assert!((gained + held - drive * world.time()).abs() < 1e-9 * drive);
    assert!(least > 0.0 && (even..at_tip).contains(&bend));
    Ok(())
}

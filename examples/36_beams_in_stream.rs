//! Flexible beams stand on the bed of a stream and bend with it.
//!
//! Run:  cargo run --release --example 36_beams_in_stream -p huygens
//! See:  how far the tips go downstream, beside what beams do under the pull that they feel.

use huygens::prelude::*;

const LENGTH: f64 = 0.1;
const RADIUS: f64 = 0.006;
const YOUNG: f64 = 1.5e6;
/// Push of a slope of 1 to 20 [m/s²].
const PUSH: f64 = 0.5;
const UNTIL: f64 = 0.4;

fn main() -> Result<(), WorldError> {
    let mut world = World::default();
    world.settings_mut().dt = 5e-4;
    let reed = world.add_structure(StructureSpec {
        copies: Some(CopiesSpec { count: [3, 2, 1], spacing: [0.12, 0.06, 0.0] }),
        section: Some(SectionSpec::circle(RADIUS)),
        material: Some(ElasticSpec::new(YOUNG, 0.3, 1200.0)),
        damping: StructureDampingSpec { stiffness: 0.01, ..StructureDampingSpec::default() },
        node_sets: [("tip".into(), "12".into())].into(),
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
    let (mut held, mut pull, mut count) = (0.0, 0.0, 0.0);
    let (mut bend, mut least) = (0.0, f64::INFINITY);
    while let Some(h) = world.next_step(UNTIL) {
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
    println!(
        "the tips go {:.1} mm downstream; {:.1} to {:.1} mm are right",
        1e3 * bend,
        1e3 * even,
        1e3 * at_tip
    );
    println!("{}", world.fluid_status(water)?);
    // What drives the stream is what it gains and what beams and bed hold back.
    assert!((gained + held - drive * UNTIL).abs() < 1e-9 * drive);
    // The stream is slow at the bed: its pull is not even, nor all at the tip.
    assert!(least > 0.0 && (even..at_tip).contains(&bend));
    Ok(())
}

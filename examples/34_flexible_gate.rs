//! Water stands behind an elastic gate at the end of its tank and bends it outwards.
//!
//! Run:  cargo run --release --example 34_flexible_gate -p huygens
//! See:  how far the gate gives way, beside what a clamped plate does under the pressure of water at rest.

use huygens::prelude::*;

const LENGTH: f64 = 0.16;
const THICK: f64 = 0.02;
const YOUNG: f64 = 2e6;
const DENSITY: f64 = 400.0;
/// Metres of the gate that are drawn; the flow in the plane meets one metre of it.
const SEEN: f64 = 0.04;

fn main() -> Result<(), WorldError> {
    let mut world = World::default();
    world.settings_mut().dt = 2e-4;
    let gate = world.add_structure(StructureSpec {
        section: Some(SectionSpec::rectangle(SEEN, THICK)),
        up: Some([1.0, 0.0, 0.0]),
        material: Some(ElasticSpec::new(YOUNG / SEEN, 0.0, DENSITY / SEEN)),
        damping: StructureDampingSpec { stiffness: 0.03, ..StructureDampingSpec::default() },
        fixed: vec![FixedSpec::all("start")],
        contact: Some(StructureContactSpec { radius: Some(0.5 * THICK), ..StructureContactSpec::default() }),
        ..StructureSpec::beam("gate", ElementType::Beam, [0.31, 0.0, 0.0], [0.31, 0.0, LENGTH], 6)
    })?;
    let open = [WallFace::UpperX, WallFace::UpperZ, WallFace::LowerY, WallFace::UpperY];
    let tank = FluidWallSpec::tank("tank", [0.0, -0.5 * SEEN, 0.0], [0.5, 0.5 * SEEN, 0.2], &open);
    let water = world.add_fluid(FluidSpec {
        plane: Some(FlowPlane::Xz),
        artificial: 0.2,
        structures: vec!["gate".into()],
        bounds: Some(FluidBoundsSpec { low: [-0.1, -1.0, -0.1], high: [0.6, 1.0, 0.4], closed: false }),
        fills: vec![FluidFillSpec::between([0.0; 3], [0.3, 0.0, 0.14])],
        walls: vec![tank.visible(true)],
        ..FluidSpec::new("water", 0.01)
    })?;
    world.run(0.9)?;
    // The mean over a swing of the water.
    let (mut bend, mut level, mut count) = (0.0, 0.0, 0.0);
    while let Some(h) = world.next_step(1.5) {
        world.advance(h)?;
        bend += world.node_motion(gate, "end")?.position.x - 0.31;
        level += world.measure_fluid("water", "surface_height", Some([0.15, 0.0, 0.0]))?[0];
        count += 1.0;
    }
    let (bend, level) = (bend / count, level / count);

    // A clamped plate under a pressure that falls to zero at the surface; above it the plate is straight.
    let stiffness = YOUNG * THICK.powi(3) / 12.0;
    let shape = level.powi(5) / 30.0 + level.powi(4) / 24.0 * (LENGTH - level);
    let expected = 1000.0 * 9.81 / stiffness * shape;
    println!(
        "the edge gives way by {:.2} mm, a plate under water at rest by {:.2} mm",
        1e3 * bend,
        1e3 * expected
    );
    println!("{}", world.fluid_status(water)?);
    // Its own weight and its shear, which the formula leaves out, add about 5 %.
    assert!((bend / expected - 1.05).abs() < 0.05);
    assert_eq!(world.measure_fluid("water", "lost", None)?, [0.0]);
    Ok(())
}

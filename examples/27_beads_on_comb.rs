//! Beads fall onto a comb of flexible rods, which bends down under them until they run off and springs back.
//!
//! Run:  cargo run --release --example 27_beads_on_comb -p huygens
//! See:  how deep the tip goes, and how many of the beads have run off.

use huygens::prelude::*;

fn main() -> Result<(), WorldError> {
    let mut world = World::default();
    world.settings_mut().dt = 5e-4;
    world.add_material(MaterialSpec {
        friction: 0.3,
        restitution: 0.4,
        ..MaterialSpec::elastic("default", 2e6, 0.3)
    })?;
    let comb = world.add_structure(StructureSpec {
        copies: Some(CopiesSpec { count: [1, 6, 1], spacing: [0.0, 0.009, 0.0] }),
        section: Some(SectionSpec::circle(0.004)),
        material: Some(ElasticSpec::new(1e7, 0.3, 1100.0)),
        damping: StructureDampingSpec { stiffness: 2e-3, ..StructureDampingSpec::default() },
        node_sets: [("tip".into(), "9".into())].into(),
        fixed: vec![FixedSpec::all("start")],
        contact: Some(StructureContactSpec::default()),
        ..StructureSpec::beam("comb", ElementType::Rod, [0.0, -0.0225, 0.0], [0.15, -0.0225, 0.0], 8)
    })?;
    let (rolling, spinning, adhesion) = (ResistanceLaw::None, ResistanceLaw::None, AdhesionLaw::None);
    let laws = Some(CompliantModel { rolling, spinning, adhesion, ..CompliantModel::default() });
    let region = RegionSpec::between([0.07, -0.02, 0.02], [0.14, 0.02, 0.06]);
    let pattern = PatternSpec::Random { solid_fraction: 0.4 };
    let below = PlaneSpec { position: [0.0, 0.0, -0.25], normal: [0.0, 0.0, -1.0] };
    let beads = world.add_grains(GrainsSpec {
        laws,
        walls: vec![WallSpec::structure("comb", "comb")],
        fills: vec![GrainFillSpec::new(region, pattern, 3e-3, 2500.0)],
        outlets: vec![OutletSpec { name: "out".into(), plane: Some(below), ..OutletSpec::default() }],
        ..GrainsSpec::new("beads")
    })?;

    world.initialize()?;
    let dropped = world.grain_count(beads)?;
    let mut lowest = 0.0f64;
    while let Some(h) = world.next_step(0.6) {
        world.advance(h)?;
        lowest = lowest.min(world.node_motion(comb, "tip")?.position.z);
    }
    let left = world.grain_count(beads)?;
    println!("the tip went down by {:.1} mm; {left} of {dropped} beads are left", -1e3 * lowest);
    assert!((-0.1..-0.02).contains(&lowest));
    assert!(5 * left < dropped);
    Ok(())
}

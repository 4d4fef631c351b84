//! Pairs of balls meet head on and part again: each keeps the share of its speed that its material says.
//!
//! Run:  cargo run --release --example 19_bouncing_pair -p huygens
//! See:  the table of the coefficients of restitution, asked for and found.

use huygens::prelude::*;

fn main() -> Result<(), WorldError> {
    let mut world = World::new([0.0; 3]);
    world.settings_mut().dt = 2e-4;
    let (tangential, rolling) = (TangentialLaw::None, ResistanceLaw::None);
    let (spinning, adhesion) = (ResistanceLaw::None, AdhesionLaw::None);
    let laws = Some(CompliantModel { tangential, rolling, spinning, adhesion, ..CompliantModel::default() });
    let mut pairs = Vec::new();
    for (k, restitution) in [0.1, 0.3, 0.5, 0.7, 0.9].into_iter().enumerate() {
        let name = format!("e0{:.0}", 10.0 * restitution);
        world.add_material(MaterialSpec { restitution, ..MaterialSpec::elastic(&name, 1e7, 0.25) })?;
        let y = 0.03 * k as f64;
        let balls = ParticlesSpec {
            velocities: vec![[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]],
            ..ParticlesSpec::spheres(vec![[-0.02, y, 0.0], [0.02, y, 0.0]], 0.01, 2500.0)
        };
        let material = Some(name.clone());
        world.add_grains(GrainsSpec { material, laws, ..GrainsSpec::new(&name) }.with_particles(balls))?;
        let before = world.measure_grains(&name, "kinetic_energy")?[0];
        pairs.push((restitution, name, before));
    }
    world.run(0.04)?;

    println!("  asked   found");
    for (asked, name, before) in pairs {
        let found = (world.measure_grains(&name, "kinetic_energy")?[0] / before).sqrt();
        println!("{asked:7.2} {found:7.4}");
        assert!((found - asked).abs() < 0.005);
    }
    Ok(())
}

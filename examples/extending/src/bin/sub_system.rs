//! A sub-system with steps of its own: a bead on a spring, moved by a solver of the user's, pulls a body.
//!
//! Run:  cargo run --release --bin sub_system
//! See:  body and bead swing about their common centre at the frequency of two bodies; momentum stays; a world
//!       that continues from a checkpoint ends in the same bits.

use glam::DVec3;
use huygens::prelude::*;
use huygens::world::BoundaryPlace;
use huygens_core::Result;
use huygens_core::bytes::{Reader, Writer};
use huygens_core::coupling::{Advance, Block, BoundaryId, Report, SubSystem, Wrench};
use huygens_exec::Exec;

// ANCHOR: block
/// Everything of the bead that changes: part of the state of the world.
#[derive(Clone, Copy)]
struct Bead {
    position: DVec3,
    velocity: DVec3,
}

impl Block for Bead {
    fn write(&self, out: &mut Writer) {
        out.vector(self.position);
        out.vector(self.velocity);
    }
    fn read(&mut self, input: &mut Reader<'_>) -> Result<()> {
        (self.position, self.velocity) = (input.vector()?, input.vector()?);
        Ok(())
    }
    fn copy_from(&mut self, other: &dyn Block) {
        let other: &dyn std::any::Any = other;
        other.downcast_ref().into_iter().for_each(|bead: &Bead| *self = *bead);
    }
    fn duplicate(&self) -> Option<Box<dyn Block>> {
        Some(Box::new(*self))
    }
}
// ANCHOR_END: block

// ANCHOR: system
/// A bead of `mass` [kg] on a spring of `stiffness` [N/m] and `rest` [m] to the centre of a body.
struct Tethered {
    mass: f64,
    stiffness: f64,
    rest: f64,
    substeps: u32,
    part: usize,
    boundaries: Vec<BoundaryId>,
}

impl Tethered {
    /// Force on the bead [N].
    fn force(&self, bead: DVec3, held: DVec3) -> DVec3 {
        let along = bead - held;
        along.normalize_or_zero() * (self.stiffness * (self.rest - along.length()))
    }
}

impl SubSystem for Tethered {
    fn kind(&self) -> &'static str {
        "bead"
    }
    fn owner(&self) -> &str {
        "tether"
    }
    fn boundaries(&self) -> &[BoundaryId] {
        &self.boundaries
    }

    fn advance(
        &self,
        _ex: &Exec,
        call: &Advance<'_>,
        block: &mut dyn Block,
        wrenches: &mut [&mut [Wrench]],
    ) -> Result<Report> {
        let block: &mut dyn std::any::Any = block;
        let Some(bead) = block.downcast_mut::<Bead>() else { return Ok(Report::default()) };
        let motion = &call.motion[0];
        let (start, center) = (motion.start[self.part], motion.center(self.part));
        let middle = motion.middle(self.part, center);
        let h = call.h / f64::from(self.substeps);
        for k in 0..self.substeps {
            // Half a drift, a kick, half a drift; the body moves from its start at constant velocities.
            bead.position += bead.velocity * (0.5 * h);
            let held = start.point(center) + start.velocity * ((f64::from(k) + 0.5) * h);
            let force = self.force(bead.position, held);
            bead.velocity += force * (h / self.mass);
            bead.position += bead.velocity * (0.5 * h);
            // Means over the step: each sub-step is its part of it.
            let share = force * (-h / call.h);
            wrenches[0][self.part] += Wrench { force: share, torque: (held - middle).cross(share) };
        }
        Ok(Report { substeps: self.substeps.into() })
    }

    fn energy(&self, _ex: &Exec, block: &dyn Block) -> [f64; 3] {
        let block: &dyn std::any::Any = block;
        let moving =
            block.downcast_ref().map_or(0.0, |bead: &Bead| 0.5 * self.mass * bead.velocity.length_squared());
        [moving, 0.0, 0.0]
    }
}
// ANCHOR_END: system

const BODY: f64 = 2.0;
const MASS: f64 = 0.5;
const STIFFNESS: f64 = 200.0;
const REST: f64 = 0.3;

fn build() -> std::result::Result<(World, BodyId), WorldError> {
    let mut world = World::new([0.0; 3]);
    world.settings_mut().dt = 1e-4;
    let body = world.add_body(BodySpec {
        mass: Some(BODY),
        inertia: Some(Inertia::diagonal([0.01; 3])),
        ..BodySpec::dynamic("body")
    })?;
    // ANCHOR: add
    let bead = Bead { position: DVec3::new(REST + 0.1, 0.0, 0.0), velocity: DVec3::ZERO };
    world.add_sub_system(&[body], bead, |places: &[BoundaryPlace]| Tethered {
        mass: MASS,
        stiffness: STIFFNESS,
        rest: REST,
        substeps: 4,
        part: places[0].part,
        boundaries: vec![places[0].boundary],
    })?;
    // ANCHOR_END: add
    Ok((world, body))
}

fn main() -> std::result::Result<(), WorldError> {
    let (mut world, body) = build()?;
    let rate = (STIFFNESS * (1.0 / BODY + 1.0 / MASS)).sqrt();
    // The body swings about where it would be if the spring were at rest.
    let swing = 0.1 * MASS / (BODY + MASS);
    let mut worst = [0.0f64; 2];
    let mut halfway = Vec::new();
    for k in 1..=40 {
        world.run(0.01 * f64::from(k))?;
        let exact = swing * (1.0 - (rate * world.time()).cos());
        worst[0] = worst[0].max((world.body_position(body)?[0] - exact).abs());
        let bead = world
            .state()
            .and_then(|s| s.blocks.get::<Bead>("bead", "tether"))
            .map_or(f64::NAN, |b| b.velocity.x);
        worst[1] = worst[1].max((BODY * world.body_velocity(body)?[0] + MASS * bead).abs());
        if k == 20 {
            halfway = world.save()?;
        }
    }
    println!("body off by {:.2e} m of {swing} m, momentum by {:.2e} kg·m/s", worst[0], worst[1]);
    assert!(worst[0] < 1e-4 * swing);
    assert!(worst[1] < 1e-12);

    let (mut again, _) = build()?;
    again.restore_chunks(|name| {
        halfway.iter().find(|(own, _)| *own == name).map(|(_, bytes)| bytes.as_slice())
    })?;
    for k in 21..=40 {
        again.run(0.01 * f64::from(k))?;
    }
    assert_eq!(again.state_hash(), world.state_hash());
    Ok(())
}

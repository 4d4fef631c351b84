//! Glass beads that flow out of a trough through a slit.
//!
//! The trough has an upright wall and one at 45°; a stage under the slit opens it. A thin slice stands for the trough:
//! it repeats along the slit, or lies between two walls without friction.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use huygens_core::contact::Material;
use huygens_core::integrator::Integrator;
use huygens_exec::Exec;
use huygens_geometry::Shape;
use huygens_kernel::Vec3;
use huygens_multibody::BodyId;
use huygens_particles::fill::Region;
use huygens_particles::{GrainSystem, Outlet, Traffic, Wall, WallMesh, WallMotion, Zone};

use super::bed::{self, GRAVITY, Kind, SMOOTH};
use crate::Context;
use crate::error::{CaseError, Result};
use crate::report::Check;
use crate::scene::{self, Run, Scene};

const BEADS: Kind = Kind {
    diameter: 5e-4,
    spread: 0.0,
    // 1.631e-7 kg a bead.
    density: 2492.0,
    young: 1e6,
    friction: 0.15,
    rolling: 0.0,
    restitution: 0.4,
};
/// Gaps [m]; the depth of the trough is found at the first.
const GAPS: [f64; 4] = [3e-3, 2.5e-3, 2e-3, 1.5e-3];
/// Measured weight per time at the first gap [N/s].
const MEASURED: f64 = 1.41e-2;
/// Shares of the mass between which the rate is measured.
const SHARES: [f64; 2] = [0.08, 0.5];

/// What is at the front and the back of a slice.
#[derive(Clone, Copy, PartialEq)]
enum Sides {
    /// The slice repeats.
    Repeat,
    /// Walls without friction.
    Smooth,
}

/// A slice of the trough.
#[derive(Clone, Copy)]
struct Slice {
    /// Width of the slit [m].
    gap: f64,
    /// Depth [m].
    depth: f64,
    /// Height of the bed [m].
    height: f64,
    sides: Sides,
    beads: Kind,
}

impl Slice {
    /// Six diameters deep, 33 high.
    fn thin(gap: f64, sides: Sides) -> Self {
        let d = BEADS.diameter;
        Self { gap, depth: 6.0 * d, height: 33.0 * d, sides, beads: BEADS }
    }

    /// Length of the walls in height [m].
    fn far(&self) -> f64 {
        1.8 * self.height
    }
}

/// Rates at several gaps follow one law.
pub fn gaps(context: &Context) -> Result<Vec<Check>> {
    if context.quick {
        return Err(CaseError::OnlyFull);
    }
    let flows = bed::each(context, &GAPS, |gap| {
        let ex = bed::exec(context)?;
        let mut bed = Bed::settled(&ex, Slice::thin(*gap, Sides::Repeat))?;
        bed.discharge(&ex)
    })?;
    // Weight per time and depth [N/(s·m)].
    let rates: Vec<f64> =
        flows.iter().map(|flow| flow.rate * GRAVITY / Slice::thin(0.0, Sides::Repeat).depth).collect();
    // The depth of the rig is not published: it is found where the rate was measured.
    let depth = MEASURED / rates[0];
    let law = |dead: f64, gap: f64| {
        let open = |gap: f64| gap - dead * BEADS.diameter;
        MEASURED * (open(gap) / open(GAPS[0])).powf(1.5)
    };
    let error = |dead: f64| {
        let errors = GAPS.iter().zip(&rates).map(|(gap, rate)| (rate * depth / law(dead, *gap) - 1.0).abs());
        errors.fold(0.0, f64::max)
    };
    let all = (0..200).map(|k| 0.01 * f64::from(k));
    let dead = all.min_by(|a, b| error(*a).total_cmp(&error(*b))).unwrap_or_default();
    let mut checks = Vec::new();
    for (gap, rate) in GAPS.iter().zip(&rates).skip(1) {
        let name =
            format!("{} mm, {:.2} mm deep: rate by (gap − {dead:.2} d)^1.5 [N/s]", 1e3 * gap, 1e3 * depth);
        let expected = law(dead, *gap);
        checks.push(Check::value(name, expected, rate * depth, 0.05 * expected));
    }
    let overlap = flows.iter().map(|flow| flow.overlap).fold(0.0, f64::max);
    checks.push(Check::error("mean overlap / radius", overlap, 0.01));
    Ok(checks)
}

/// A slice under this law and under the rigid law of the bodies, from the same bed.
pub fn rigid(context: &Context) -> Result<Vec<Check>> {
    if context.quick {
        return Err(CaseError::OnlyFull);
    }
    let ex = bed::exec(context)?;
    let mut bed = Bed::settled(&ex, Slice::thin(GAPS[0], Sides::Smooth))?;
    let count = bed.system.len();
    let places: Vec<Vec3> = bed.system.places().iter().map(|row| row.vector()).collect();
    let compliant = bed.discharge(&ex)?;
    let rigid = discharge_rigid(&ex, &bed.slice, &places)?;
    let weight = |rate: f64| GRAVITY * rate / bed.slice.depth;
    let name = format!("{count} grains, 3 mm: rate by both laws [N/(s·m)]");
    Ok(vec![
        Check::value(name, weight(rigid), weight(compliant.rate), 0.05 * weight(rigid)),
        Check::error("mean overlap / radius", compliant.overlap, 0.01),
    ])
}

struct Flow {
    /// Mass per time of the slice [kg/s].
    rate: f64,
    overlap: f64,
}

/// Grains in a slice, at rest on the stage.
struct Bed {
    slice: Slice,
    system: GrainSystem,
    stage: usize,
    step: f64,
}

impl Bed {
    fn settled(ex: &Exec, slice: Slice) -> Result<Self> {
        let Slice { gap, depth, height, beads, .. } = slice;
        let d = beads.diameter;
        let far = slice.far();
        let mut system = match slice.sides {
            Sides::Repeat => beads.system([None, Some([0.0, depth]), None])?,
            Sides::Smooth => beads.system([None; 3])?,
        };
        let upright = strip(Vec3::ZERO, Vec3::Z * far, depth)?;
        let sloped = strip(Vec3::X * gap, Vec3::new(gap + far, 0.0, far), depth)?;
        system.add_wall(Wall::mesh("upright", Arc::new(upright)))?;
        system.add_wall(Wall::mesh("sloped", Arc::new(sloped)))?;
        let stage = system.add_wall(Wall::plane("stage", Vec3::ZERO, Vec3::Z))?;
        if slice.sides == Sides::Smooth {
            let smooth = |wall: Wall| Wall { material: SMOOTH, ..wall };
            system.add_wall(smooth(Wall::plane("front", Vec3::ZERO, Vec3::Y)))?;
            system.add_wall(smooth(Wall::plane("back", Vec3::Y * depth, Vec3::NEG_Y)))?;
        }
        let tall = 1.1 * height;
        let region = Region::Box { low: Vec3::ZERO, high: Vec3::new(gap + tall, depth, tall) };
        beads.fill_where(&mut system, ex, region, 0.5, |x| x.z - (x.x - gap) > 0.5 * d * 2.0_f64.sqrt())?;
        let step = beads.step(&system, 0.15 * height);
        beads.settle(&mut system, ex, step, 0.15)?;
        Ok(Self { slice, system, stage, step })
    }

    /// Opens the slit and measures.
    fn discharge(&mut self, ex: &Exec) -> Result<Flow> {
        let d = self.slice.beads.diameter;
        let overlap = bed::overlap(&self.system);
        let system = &mut self.system;
        system.set_wall_motion(self.stage, WallMotion::along(Vec3::NEG_Z, Vec3::Z))?;
        let zone = Zone::Beyond { point: Vec3::NEG_Z * 2.0 * d, normal: Vec3::NEG_Z };
        let outlets = vec![Outlet { name: "scale".into(), zone }];
        system.set_traffic(Traffic { outlets, interval: 20, ..Traffic::default() })?;
        let whole = bed::masses(system).sum::<f64>();
        let mut samples: Vec<[f64; 2]> = Vec::new();
        let collected = |system: &GrainSystem| system.traffic().map_or(0.0, |t| t.outlet_counts[0].mass);
        let longest = system.time() + 8.0;
        while collected(system) < SHARES[1] * whole && system.time() < longest {
            system.run(ex, self.step, 100)?;
            if collected(system) > SHARES[0] * whole {
                samples.push([system.time(), collected(system)]);
            }
        }
        Ok(Flow { rate: bed::slope(&samples), overlap })
    }
}

/// A rectangle between two points of the plane y = 0 [m], along the whole slice and beyond it.
fn strip(a: Vec3, b: Vec3, depth: f64) -> Result<WallMesh> {
    let beyond = 2.0 * BEADS.diameter;
    let (near, far) = (Vec3::NEG_Y * beyond, Vec3::Y * (depth + beyond));
    Ok(WallMesh::new(vec![a + near, b + near, b + far, a + far], vec![[0, 1, 2], [0, 2, 3]])?)
}

/// Step of the rigid law [s], and the time it gets to take overlaps out of the bed before the slit opens [s].
const RIGID: (f64, f64) = (1e-4, 0.01);

/// Mass per time [kg/s] of the slice under the rigid law, from grains at `places` [m].
fn discharge_rigid(ex: &Exec, slice: &Slice, places: &[Vec3]) -> Result<f64> {
    let start: Vec<(DVec3, DVec3)> = places.iter().map(|x| (*x, DVec3::ZERO)).collect();
    let (mut run, ids) = trough(ex, slice, &start, true)?;
    run.advance_to(RIGID.1)?;
    let start: Vec<(DVec3, DVec3)> = ids.iter().map(|id| (run.position(*id), run.velocity(*id))).collect();
    let (mut run, ids) = trough(ex, slice, &start, false)?;
    let mass = BEADS.density * std::f64::consts::PI / 6.0 * BEADS.diameter.powi(3);
    let count = ids.len() as f64;
    let mut samples: Vec<[f64; 2]> = Vec::new();
    loop {
        run.step()?;
        let out = ids.iter().filter(|id| run.position(**id).z < -2.0 * BEADS.diameter).count() as f64;
        if out > SHARES[0] * count {
            samples.push([run.state.time, out * mass]);
        }
        if out > SHARES[1] * count || run.state.time > 8.0 {
            return Ok(bed::slope(&samples));
        }
    }
}

/// The slice as bodies, with the stage or without.
fn trough(ex: &Exec, slice: &Slice, start: &[(DVec3, DVec3)], stage: bool) -> Result<(Run, Vec<BodyId>)> {
    let (step, d) = (RIGID.0, BEADS.diameter);
    let material =
        Material { friction: BEADS.friction, restitution: BEADS.restitution, ..Material::default() };
    // A small share of the speed that gravity gives in a step.
    let mut scene = Scene::rigid(scene::GRAVITY, material, 0.002 * GRAVITY * step)?;
    scene.settings().rigid.max_iterations = 500;
    let (far, depth, thick) = (slice.far(), slice.depth, 4.0 * d);
    // Blocks whose faces are the two walls, as long as they are.
    let wall = |scene: &mut Scene, foot: DVec3, length: f64, turn: f64| {
        let half = DVec3::new(0.5 * thick, depth, 0.5 * length);
        let rotation = DQuat::from_rotation_y(turn);
        let middle = foot + rotation * DVec3::new(if turn == 0.0 { -1.0 } else { 1.0 } * half.x, 0.0, half.z);
        scene.fixed(Shape::cuboid(half)?, middle + DVec3::Y * 0.5 * depth, rotation)
    };
    wall(&mut scene, DVec3::ZERO, far, 0.0)?;
    wall(&mut scene, DVec3::X * slice.gap, far * 2.0_f64.sqrt(), std::f64::consts::FRAC_PI_4)?;
    if stage {
        scene.ground()?;
    }
    let mass = BEADS.density * std::f64::consts::PI / 6.0 * d.powi(3);
    let balls = start.iter().map(|(x, v)| scene.ball(0.5 * d, mass, *x, *v)).collect::<Result<Vec<_>>>()?;
    scene.change_material(Material { friction: 0.0, ..material })?;
    scene.wall(DVec3::ZERO, DVec3::Y)?;
    scene.wall(DVec3::Y * depth, DVec3::NEG_Y)?;
    Ok((scene.start_on(ex.clone(), Integrator::Euler, step)?, balls))
}

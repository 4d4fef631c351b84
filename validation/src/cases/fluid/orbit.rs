//! A spheroid that turns in a shear flow: Jeffery's orbit.

use std::f64::consts::PI;

use huygens_geometry::{Pose, Shape, query};
use huygens_kernel::{Quat, Vec3};
use huygens_particles::fill::Region;
use huygens_particles::sph::{
    FlowSpace, FluidSettings, FluidSystem, MarkerLayout, SolidMotion, ViscousForm, WallFace,
};

use super::measure::{Flow, FreeBody, PLANE, Trace, exec};
use crate::Context;
use crate::error::{CaseError, Result};
use crate::figure::Comparison;
use crate::report::Check;

/// Length of the body over its width.
const ASPECT: f64 = 2.0;

/// Reynolds number of the shear and the longer half axis.
const REYNOLDS: f64 = 0.04;

/// A box of fluid between plates that move against each other, with a body in its middle; lengths in spacings, and the
/// shear is 1/s.
struct Orbit {
    space: FlowSpace,
    /// Shorter half axis.
    half: f64,
    /// Length along the flow, across, and between the plates, in longer half axes.
    room: Vec3,
}

/// An ellipse in the plane.
pub fn plane(context: &Context) -> Result<Vec<Check>> {
    compare(context, "plane", &Orbit { space: PLANE, half: 3.0, room: Vec3::new(10.0, 0.0, 10.0) })
}

/// A spheroid.
pub fn space(context: &Context) -> Result<Vec<Check>> {
    compare(context, "space", &Orbit { space: FlowSpace::Space, half: 3.0, room: Vec3::new(6.0, 5.0, 6.0) })
}

fn compare(context: &Context, name: &str, orbit: &Orbit) -> Result<Vec<Check>> {
    if context.quick {
        return Err(CaseError::OnlyFull);
    }
    let trace = orbit.run(context)?;
    let exact = 2.0 * PI * (ASPECT + 1.0 / ASPECT);
    let quarter = trace.time.last().copied().unwrap_or(f64::NAN);
    let angles: Vec<f64> = trace.time.iter().map(|t| jeffery(*t)).collect();
    let line = Comparison::sampled("angle", &trace.time, &trace.value, &angles);
    context.figures.compare(&format!("fluid_jeffery_{name}"), "G t", &[line])?;
    Ok(vec![Check::value("period G T".to_owned(), exact, 4.0 * quarter, 0.03 * exact)])
}

/// Angle from the direction across the plates at the time t: tan φ = r tan(2πt/T).
fn jeffery(t: f64) -> f64 {
    let turn = t / (ASPECT + 1.0 / ASPECT);
    (ASPECT * turn.sin()).atan2(turn.cos())
}

impl Orbit {
    /// Angle over time of a quarter turn, from the direction across the plates on; the others are mirror images of it.
    fn run(&self, context: &Context) -> Result<Trace> {
        let long = ASPECT * self.half;
        let size = (self.room * long).round();
        let viscosity = long * long / REYNOLDS;
        let flow = Flow {
            space: self.space,
            density: 1.0,
            viscosity,
            gravity: Vec3::ZERO,
            filled: true,
            periodic: [Some([0.0, size.x]), (self.space == FlowSpace::Space).then_some([0.0, size.y]), None],
            // Pressures of a few μG squeeze the fluid by a percent.
            ..Flow::water(1.0, viscosity.sqrt().max(0.5 * size.z))
        };
        // Forces that are not along the line of centres would leave out a part of the torque.
        let settings = FluidSettings { viscous_form: ViscousForm::Central, ..flow.settings() };
        let layout = MarkerLayout::new(&settings);
        let mut system = FluidSystem::new(settings)?;
        let middle = 0.5 * size;
        let shape = Shape::ellipsoid(Vec3::new(self.half, self.half, long))?;
        let pose = Pose { position: middle, ..Pose::IDENTITY };
        for at in layout.fill_region(&Region::Box { low: Vec3::ZERO, high: size })? {
            // The markers of the body are on the same lattice.
            if query::closest_point(&shape, &pose, at).distance > 0.0 {
                system.add(at, Vec3::X * (at.z - middle.z))?;
            }
        }
        for (name, other, speed) in
            [("lower plate", WallFace::UpperZ, -middle.z), ("upper plate", WallFace::LowerZ, middle.z)]
        {
            let open = [WallFace::LowerX, WallFace::UpperX, WallFace::LowerY, WallFace::UpperY, other];
            let motion = SolidMotion { velocity: Vec3::X * speed, ..SolidMotion::default() };
            system.add_solid(name, &layout.box_walls(Vec3::ZERO, size, &open)?, motion, false)?;
        }
        let square = ASPECT * ASPECT;
        let motion = SolidMotion {
            position: middle,
            rotation: Quat::IDENTITY,
            angular_velocity: Vec3::Y * square / (square + 1.0),
            ..SolidMotion::default()
        };
        let solid = system.add_solid("body", &layout.solid_shape(&shape)?, motion, false)?;
        let (mass, inertia) = match self.space {
            FlowSpace::Plane { .. } => (PI * self.half * long, 0.25),
            FlowSpace::Space => (4.0 / 3.0 * PI * self.half * self.half * long, 0.2),
        };
        let inertia = inertia * mass * (self.half * self.half + long * long);
        let mut body = FreeBody { solid, mass, inertia, weight: Vec3::ZERO, motion };
        let ex = exec(context)?;
        let mut trace = Trace::default();
        trace.push(0.0, 0.0);
        loop {
            let step = body.step(&mut system, &ex)?;
            let axis = body.motion.rotation * Vec3::Z;
            let before = trace.value.last().copied().unwrap_or(0.0);
            let angle = axis.x.atan2(axis.z);
            let time = system.time();
            if angle >= 0.5 * PI {
                trace.push(time - step * (angle - 0.5 * PI) / (angle - before), 0.5 * PI);
                return Ok(trace);
            }
            if time > 10.0 {
                let what = "a quarter turn of the body".into();
                return Err(CaseError::NoEvent { what, time });
            }
            trace.push(time, angle);
        }
    }
}

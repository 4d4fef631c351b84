//! Slider–crank and four-bar: planar closed loops as three bodies in space, without redundant rows.
//!
//! Three hinges (or two and a slide) hold every body in the plane; the loop is closed by two rows only: a point
//! stays on the axis of its neighbour's joint. So 17 rows leave one of 18 freedoms.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

use glam::{DMat3, DQuat, DVec3};
use huygens_core::LinearSolver;
use huygens_multibody::{Assembly, Attachment, Body, BodyId, Carrier, Joint, JointKind, MultibodyError};

use crate::workload::{Workload, tracked};

const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);
/// Inertia of a bar about its own axis [kg·m²]; any value gives the same plane motion.
const AXIAL_INERTIA: f64 = 1e-4;
const STEPS: usize = 5000;

/// Slider positions from the exact reduction to one degree of freedom, eighth-order Runge–Kutta at a relative
/// tolerance of 1e-13.
const SLIDER: &[(f64, DVec3)] = &[
    (1.0, DVec3::new(0.5078157446, 0.0, 0.0)),
    (2.0, DVec3::new(0.3996426313, 0.0, 0.0)),
    (5.0, DVec3::new(0.4878180493, 0.0, 0.0)),
];

/// Joint between coupler and rocker, from the same kind of reduction.
const COUPLER_END: &[(f64, DVec3)] = &[
    (1.0, DVec3::new(0.8561074953, 0.5983923863, 0.0)),
    (2.0, DVec3::new(0.9219600329, 0.5995979961, 0.0)),
    (5.0, DVec3::new(0.4873259198, 0.4355457537, 0.0)),
];

/// A bar between two points of the plane.
struct Bar {
    name: &'static str,
    length: f64,
    mass: f64,
    start: DVec3,
    angle: f64,
    start_velocity: DVec3,
    speed: f64,
}

impl Bar {
    fn half(&self) -> DVec3 {
        DVec3::new(0.5 * self.length, 0.0, 0.0)
    }

    fn direction(&self) -> DVec3 {
        DVec3::new(self.angle.cos(), self.angle.sin(), 0.0)
    }

    fn end(&self) -> DVec3 {
        self.start + self.direction() * self.length
    }

    fn end_velocity(&self) -> DVec3 {
        self.start_velocity + DVec3::Z.cross(self.direction()) * (self.speed * self.length)
    }

    fn body(&self) -> Body {
        let across = self.mass * self.length * self.length / 12.0;
        Body {
            name: self.name.into(),
            position: 0.5 * (self.start + self.end()),
            rotation: DQuat::from_rotation_z(self.angle),
            velocity: 0.5 * (self.start_velocity + self.end_velocity()),
            angular_velocity: DVec3::Z * self.speed,
            mass: self.mass,
            inertia: DMat3::from_diagonal(DVec3::new(AXIAL_INERTIA, across, across)),
            ..Body::default()
        }
    }
}

fn on(body: BodyId, position: DVec3) -> Attachment {
    Attachment { carrier: Carrier::Body(body), position, rotation: DQuat::IDENTITY }
}

fn joint(name: &str, kind: JointKind, a: Attachment, b: Attachment) -> Joint {
    Joint { name: name.into(), kind, a, b, limits: vec![] }
}

fn workload(
    case: &'static str,
    assembly: &Assembly,
    tip: (BodyId, DVec3),
    reference: &'static [(f64, DVec3)],
) -> Result<Workload, MultibodyError> {
    let energy_scale = assembly
        .bodies()
        .iter()
        .map(|(_, b)| {
            let omega = b.angular_velocity;
            0.5 * (b.mass * b.velocity.length_squared() + omega.dot(b.inertia * omega))
        })
        .sum();
    let (model, tip) = tracked(assembly, tip.0, tip.1)?;
    Ok(Workload {
        case,
        variant: "",
        size: 3,
        steps: STEPS,
        model,
        tip,
        reference,
        energy_scale,
        linear: LinearSolver::Block,
    })
}

/// Crank 0.2 m and 1 kg, rod 0.5 m and 2 kg, slider 3 kg on the x axis; crank at 45° and 10 rad/s.
pub fn slider_crank() -> Result<Workload, MultibodyError> {
    let crank = Bar {
        name: "crank",
        length: 0.2,
        mass: 1.0,
        start: DVec3::ZERO,
        angle: FRAC_PI_4,
        start_velocity: DVec3::ZERO,
        speed: 10.0,
    };
    let (pin, pin_velocity) = (crank.end(), crank.end_velocity());
    let length = 0.5;
    let angle = -(pin.y / length).asin();
    let rod = Bar {
        name: "rod",
        length,
        mass: 2.0,
        start: pin,
        angle,
        start_velocity: pin_velocity,
        // The end of the rod does not move along y.
        speed: -pin_velocity.y / (length * angle.cos()),
    };
    let slider = Body {
        name: "slider".into(),
        position: DVec3::new(rod.end().x, 0.0, 0.0),
        velocity: DVec3::new(rod.end_velocity().x, 0.0, 0.0),
        mass: 3.0,
        inertia: DMat3::IDENTITY * 1e-3,
        ..Body::default()
    };
    let mut assembly = Assembly::new(GRAVITY);
    let (c, r) = (assembly.add_body(crank.body())?, assembly.add_body(rod.body())?);
    let s = assembly.add_body(slider)?;
    let ground = Attachment::ground(DVec3::ZERO, DQuat::IDENTITY);
    assembly.add_joint(joint("crank pivot", JointKind::Revolute, ground, on(c, -crank.half())))?;
    assembly.add_joint(joint("crank pin", JointKind::Revolute, on(c, crank.half()), on(r, -rod.half())))?;
    let along_x = DQuat::from_rotation_y(FRAC_PI_2);
    let guide = Attachment::ground(DVec3::ZERO, along_x);
    let shoe = Attachment { carrier: Carrier::Body(s), position: DVec3::ZERO, rotation: along_x };
    assembly.add_joint(joint("guide", JointKind::Prismatic, guide, shoe))?;
    assembly.add_joint(joint("wrist pin", JointKind::PointOnLine, on(s, DVec3::ZERO), on(r, rod.half())))?;
    workload("slider_crank", &assembly, (s, DVec3::ZERO), SLIDER)
}

/// Ground pivots 0.9 m apart; crank 0.3 m and 0.3 kg, coupler 0.8 m and 0.8 kg, rocker 0.6 m and 0.6 kg; crank at
/// 90° and 8 rad/s, open branch.
pub fn four_bar() -> Result<Workload, MultibodyError> {
    let bar = |name, length, start, angle, start_velocity, speed| Bar {
        name,
        length,
        mass: length,
        start,
        angle,
        start_velocity,
        speed,
    };
    let pivot = DVec3::new(0.9, 0.0, 0.0);
    let crank = bar("crank", 0.3, DVec3::ZERO, FRAC_PI_2, DVec3::ZERO, 8.0);
    let (a, v) = (crank.end(), crank.end_velocity());
    let b = four_bar_joint(a, pivot, 0.8, 0.6);
    let (coupler_angle, rocker_angle) = ((b - a).y.atan2((b - a).x), (b - pivot).y.atan2((b - pivot).x));
    // v_A + ω_b z × AB = ω_c z × DB; the product with DB leaves ω_b, the one with AB leaves ω_c.
    let (ab, db) = (b - a, b - pivot);
    let turn = DVec3::Z.cross(ab).dot(db);
    let coupler_speed = -v.dot(db) / turn;
    let rocker_speed = v.dot(ab) / DVec3::Z.cross(db).dot(ab);
    let coupler = bar("coupler", 0.8, a, coupler_angle, v, coupler_speed);
    let rocker = bar("rocker", 0.6, pivot, rocker_angle, DVec3::ZERO, rocker_speed);
    let mut assembly = Assembly::new(GRAVITY);
    let bodies = [crank.body(), coupler.body(), rocker.body()].map(|body| assembly.add_body(body));
    let [k, c, r] = bodies;
    let (k, c, r) = (k?, c?, r?);
    let ground = |p| Attachment::ground(p, DQuat::IDENTITY);
    let revolute = || JointKind::Revolute;
    assembly.add_joint(joint("O", revolute(), ground(DVec3::ZERO), on(k, -crank.half())))?;
    assembly.add_joint(joint("A", revolute(), on(k, crank.half()), on(c, -coupler.half())))?;
    assembly.add_joint(joint("D", revolute(), ground(pivot), on(r, -rocker.half())))?;
    assembly.add_joint(joint("B", JointKind::PointOnLine, on(r, rocker.half()), on(c, coupler.half())))?;
    let tip = (c, coupler.half());
    workload("four_bar", &assembly, tip, COUPLER_END)
}

/// The joint of coupler and rocker: the intersection of two circles above the line from `a` to `pivot`.
fn four_bar_joint(a: DVec3, pivot: DVec3, coupler: f64, rocker: f64) -> DVec3 {
    let base = pivot - a;
    let distance = base.length();
    let along = (coupler * coupler - rocker * rocker + distance * distance) / (2.0 * distance);
    let height = (coupler * coupler - along * along).sqrt();
    a + base * (along / distance) + DVec3::Z.cross(base) * (height / distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_bar_starts_on_the_open_branch() {
        let (a, pivot) = (DVec3::new(0.0, 0.3, 0.0), DVec3::new(0.9, 0.0, 0.0));
        let b = four_bar_joint(a, pivot, 0.8, 0.6);
        assert!((b.distance(a) - 0.8).abs() < 1e-14 && (b.distance(pivot) - 0.6).abs() < 1e-14);
        // The published start closes the loop to 3e-9 m.
        assert!((b - DVec3::new(0.7491295773, 0.5807220613, 0.0)).length() < 1e-8);
    }
}

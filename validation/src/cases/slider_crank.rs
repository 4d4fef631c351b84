//! Slider–crank to 5 s against the exact equation of its one freedom.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

use glam::{DMat3, DQuat, DVec3};
use huygens_multibody::{Assembly, Body, BodyId, JointId, JointKind};

use crate::Context;
use crate::error::Result;
use crate::figure::Comparison;
use crate::report::Check;
use crate::simulation::{ALPHA, Simulation, add_hinge, add_joint, rod};

/// Step [s].
const STEP: f64 = 1e-3;
/// Largest position error of Exudyn at the same step [m].
const BOUND: f64 = 9e-4;
const CRANK: f64 = 0.2;
const ROD: f64 = 0.5;
/// t, crank angle [rad], slider position [m], crank pin x and y [m].
const TABLE: [[f64; 5]; 8] = [
    [0.10, 1.6577910185, 0.4412099161, -0.0173770006, 0.1992436695],
    [0.25, 4.0746631572, 0.3544010755, -0.1190739582, -0.1606903621],
    [0.50, 7.3541446763, 0.5640321691, 0.0958564898, 0.1755321434],
    [0.75, 10.7921324330, 0.4196274035, -0.0404082788, -0.1958753966],
    [1.00, 13.8992283344, 0.5078157446, 0.0471399627, 0.1943651819],
    [1.50, 20.4474871867, 0.4528633738, -0.0054263217, 0.1999263740],
    [2.00, 27.0235381097, 0.3996426313, -0.0629134173, 0.1898470488],
    [5.00, 67.6880615165, 0.4878180493, 0.0286648365, -0.1979351590],
];

struct SliderCrank {
    assembly: Assembly,
    crank: BodyId,
    slider: BodyId,
    bearing: JointId,
}

fn assemble() -> Result<SliderCrank> {
    let mut assembly = Assembly::new(DVec3::new(0.0, -9.81, 0.0));
    let (angle, speed) = (FRAC_PI_4, 10.0);
    let along = DVec3::new(angle.cos(), angle.sin(), 0.0);
    let pin = along * CRANK;
    let pin_velocity = DVec3::Z.cross(pin) * speed;
    let tilt = -(pin.y / ROD).asin();
    let rod_speed = -pin_velocity.y / (ROD * tilt.cos());
    let rod_vector = DVec3::new(tilt.cos(), tilt.sin(), 0.0) * ROD;
    let mut crank = rod("crank", 1.0, CRANK, pin * 0.5, DQuat::from_rotation_z(angle));
    (crank.velocity, crank.angular_velocity) = (pin_velocity * 0.5, DVec3::Z * speed);
    let mut link = rod("rod", 2.0, ROD, pin + rod_vector * 0.5, DQuat::from_rotation_z(tilt));
    link.velocity = pin_velocity + DVec3::Z.cross(rod_vector * 0.5) * rod_speed;
    link.angular_velocity = DVec3::Z * rod_speed;
    let end = pin + rod_vector;
    let slider = Body {
        name: "slider".into(),
        position: end,
        velocity: pin_velocity + DVec3::Z.cross(rod_vector) * rod_speed,
        mass: 3.0,
        inertia: DMat3::IDENTITY * 1e-2,
        ..Body::default()
    };
    let (crank, link) = (assembly.add_body(crank)?, assembly.add_body(link)?);
    let slider = assembly.add_body(slider)?;
    let bearing = add_hinge(&mut assembly, "bearing", [None, Some(crank)], DVec3::ZERO)?;
    add_hinge(&mut assembly, "crank pin", [Some(crank), Some(link)], pin)?;
    add_hinge(&mut assembly, "slider pin", [Some(link), Some(slider)], end)?;
    let turn = DQuat::from_rotation_y(FRAC_PI_2);
    add_joint(&mut assembly, "guide", JointKind::Prismatic, [None, Some(slider)], DVec3::ZERO, turn)?;
    Ok(SliderCrank { assembly, crank, slider, bearing })
}

pub fn run(context: &Context) -> Result<Vec<Check>> {
    let m = assemble()?;
    let mut s = Simulation::new(&m.assembly, ALPHA, STEP)?;
    let kinetic = 0.5 * 10f64.powi(2) * (1.0 * CRANK * CRANK / 3.0);
    let mut checks = Vec::new();
    let (mut time, mut x) = (Vec::new(), Vec::new());
    for [t, angle, position, ax, ay] in TABLE {
        while s.state.time < t - 0.5 * STEP {
            time.push(s.state.time);
            x.push(s.position(m.slider, DVec3::ZERO).x);
            s.step()?;
        }
        let slider = (s.position(m.slider, DVec3::ZERO).x - position).abs();
        let pin = (s.position(m.crank, DVec3::X * (0.5 * CRANK)) - DVec3::new(ax, ay, 0.0)).length();
        checks.push(Check::error(format!("slider and pin at {t:.2} s, error [m]"), slider.max(pin), BOUND));
        if t == 5.0 {
            let turned = FRAC_PI_4 + s.coordinate(m.bearing, 0)[0];
            checks.push(Check::value("crank angle at 5 s [rad]", angle, turned, BOUND / CRANK));
        }
    }
    let drift = s.largest_energy_change() / kinetic;
    checks.push(Check::error("energy drift / crank's kinetic energy", drift, 1e-2));
    checks.push(s.residual_check());
    let column = |k: usize| -> Vec<f64> { TABLE.iter().map(|row| row[k]).collect() };
    let (rt, rx) = (column(0), column(2));
    let comparison = [Comparison { label: "slider x [m]", got: (&time, &x), reference: (&rt, &rx) }];
    context.figures.compare("slider_crank", "time [s]", &comparison)?;
    Ok(checks)
}

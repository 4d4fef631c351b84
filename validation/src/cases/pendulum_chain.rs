//! A chain of 32 rods released from the horizontal, against two independent exact reductions.

use std::f64::consts::FRAC_PI_2;

use glam::{DMat3, DQuat, DVec3};
use huygens_multibody::{Assembly, Body, BodyId, JointKind};

use crate::Context;
use crate::error::Result;
use crate::figure::Comparison;
use crate::report::Check;
use crate::simulation::{ALPHA, Simulation, add_joint, largest};

const LINKS: usize = 32;
const LENGTH: f64 = 0.1;
/// Energy scale m g n² l / 2 [J].
const ENERGY_SCALE: f64 = 50.227;
/// Step [s].
const STEP: f64 = 1e-3;
/// Tip error of Exudyn's generalized-α at the same step, to 1 s and to 2 s [m].
const TIP_BOUND: [f64; 2] = [2.9e-4, 6.4e-4];
/// Position of the tip with all hinge axes along y [m]: t, x, y, z.
const PLANAR: [[f64; 4]; 8] = [
    [0.25, 3.123350196, 0.0, -0.306562500],
    [0.50, 2.655731131, 0.0, -1.226249929],
    [0.75, 1.158372707, 0.0, -2.762081990],
    [1.00, -1.710218419, 0.0, -2.284372710],
    [1.25, -2.794428815, 0.0, -1.510599753],
    [1.50, -2.933579940, 0.0, -0.801539877],
    [1.75, -2.885557957, 0.0, -0.547198782],
    [2.00, -2.759792219, 0.0, -0.776988041],
];
/// The same with axes along y and z in turn and gravity (0, 3, −9.81).
const ALTERNATING: [[f64; 4]; 8] = [
    [0.25, 3.118890911, 0.093750009, -0.306562528],
    [0.50, 2.617522235, 0.374971017, -1.226165020],
    [0.75, 0.949469940, 0.852136215, -2.773896647],
    [1.00, -1.858216570, 0.588373212, -2.155253071],
    [1.25, -2.840685890, 0.351293269, -1.393370832],
    [1.50, -2.919758179, 0.154520859, -0.713562988],
    [1.75, -2.861018244, 0.094900162, -0.494815080],
    [2.00, -2.653926414, 0.172707767, -0.741288319],
];

fn assemble(alternating: bool) -> Result<(Assembly, BodyId)> {
    let gravity = DVec3::new(0.0, if alternating { 3.0 } else { 0.0 }, -9.81);
    let mut assembly = Assembly::new(gravity);
    let (mass, width) = (0.1, 0.02);
    let along = mass * 2.0 * width * width / 12.0;
    let across = mass * (LENGTH * LENGTH + width * width) / 12.0;
    let mut previous = None;
    for i in 0..LINKS {
        let body = assembly.add_body(Body {
            name: format!("link{i}"),
            position: DVec3::X * (LENGTH * (i as f64 + 0.5)),
            mass,
            inertia: DMat3::from_diagonal(DVec3::new(along, across, across)),
            ..Body::default()
        })?;
        let about_z = alternating && i % 2 == 1;
        let turn = if about_z { DQuat::IDENTITY } else { DQuat::from_rotation_x(-FRAC_PI_2) };
        let point = DVec3::X * (LENGTH * i as f64);
        add_joint(
            &mut assembly,
            &format!("hinge{i}"),
            JointKind::Revolute,
            [previous, Some(body)],
            point,
            turn,
        )?;
        previous = Some(body);
    }
    let last = previous.ok_or(crate::error::CaseError::NoCase { names: vec![] })?;
    Ok((assembly, last))
}

pub fn run(context: &Context, alternating: bool) -> Result<Vec<Check>> {
    let (assembly, last) = assemble(alternating)?;
    let table = if alternating { &ALTERNATING } else { &PLANAR };
    let mut s = Simulation::new(&assembly, ALPHA, STEP)?;
    let mut checks = Vec::new();
    let (mut time, mut x, mut z) = (Vec::new(), Vec::new(), Vec::new());
    for [t, rx, ry, rz] in table {
        while s.state.time < t - 0.5 * STEP {
            let tip = s.position(last, DVec3::X * (0.5 * LENGTH));
            time.push(s.state.time);
            x.push(tip.x);
            z.push(tip.z);
            s.step()?;
        }
        let error = (s.position(last, DVec3::X * (0.5 * LENGTH)) - DVec3::new(*rx, *ry, *rz)).length();
        let bound = if *t <= 1.0 { TIP_BOUND[0] } else { TIP_BOUND[1] };
        checks.push(Check::error(format!("tip at {t:.2} s, error [m]"), error, bound));
    }
    let energy = s.energy_change();
    checks.push(Check::error("energy / scale, largest over 2 s", largest(energy) / ENERGY_SCALE, 1e-3));
    let end = energy.last().map_or(f64::NAN, |e| e.abs());
    checks.push(Check::error("energy / scale at 2 s", end / ENERGY_SCALE, 1e-5));
    checks.push(s.residual_check());
    let column = |k: usize| -> Vec<f64> { table.iter().map(|row| row[k]).collect() };
    let (rt, rx, rz) = (column(0), column(1), column(3));
    let comparisons = [
        Comparison { label: "tip x [m]", got: (&time, &x), reference: (&rt, &rx) },
        Comparison { label: "tip z [m]", got: (&time, &z), reference: (&rt, &rz) },
    ];
    let name = if alternating { "chain_alternating" } else { "chain_planar" };
    context.figures.compare(name, "time [s]", &comparisons)?;
    Ok(checks)
}

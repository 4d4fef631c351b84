//! Fluids of constraints against closed forms and measurements.

use std::sync::Arc;

use huygens_core::contact::{ContactModel, ContactSettings, RigidSettings};
use huygens_core::integrator::{Integrator, Stepper, StepperSettings};
use huygens_core::{Model, State};
use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_particles::constraint_fluid::{
    ConstraintFluid, ConstraintFluidSettings, FluidPlace, FluidWall, WallCarrier,
};
use huygens_particles::fluid::FlowSpace;

const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);

/// Markers of a plane tank from x = 0 to `width` [m], open above `height` [m].
fn tank(d: f64, width: f64, height: f64) -> Vec<Vec3> {
    let layers = 3;
    let (nx, nz) = ((width / d).round() as i32, (height / d).round() as i32);
    let mut points = Vec::new();
    for k in -layers..nz {
        for i in -layers..nx + layers {
            if k < 0 || i < 0 || i >= nx {
                points.push(Vec3::new((f64::from(i) + 0.5) * d, 0.0, (f64::from(k) + 0.5) * d));
            }
        }
    }
    points
}

fn settings(d: f64) -> ConstraintFluidSettings {
    ConstraintFluidSettings { space: FlowSpace::Plane { normal: 1 }, spacing: d, ..Default::default() }
}

/// A column of water in a tank.
fn column(settings: ConstraintFluidSettings, size: [f64; 2], tank_size: [f64; 2]) -> ConstraintFluid {
    let d = settings.spacing;
    let mut fluid = ConstraintFluid::new("water", settings).unwrap();
    for k in 0..(size[1] / d).round() as i32 {
        for i in 0..(size[0] / d).round() as i32 {
            fluid
                .add(Vec3::new((f64::from(i) + 0.5) * d, 0.0, (f64::from(k) + 0.5) * d), Vec3::ZERO)
                .unwrap();
        }
    }
    let points = tank(d, tank_size[0], tank_size[1]);
    fluid.add_wall(FluidWall { name: "tank".into(), points, carrier: WallCarrier::World }).unwrap();
    fluid
}

fn stepper(mut fluid: ConstraintFluid, iterations: usize) -> (Stepper, State, FluidPlace) {
    let mut model = Model::new(GRAVITY);
    let place = fluid.place(&mut model);
    let rigid = RigidSettings { max_iterations: iterations, ..RigidSettings::default() };
    model.set_contact(ContactModel::new(ContactSettings { rigid, ..ContactSettings::default() })).unwrap();
    let state = State::new(&model);
    let settings = StepperSettings { integrator: Integrator::Euler, ..StepperSettings::default() };
    (Stepper::new(Arc::new(model), Exec::serial(), settings).unwrap(), state, place)
}

#[test]
fn explore_tank() {
    let d = 0.01;
    let n: usize = std::env::var("ITER").map_or(50, |s| s.parse().unwrap());
    let (mut stepper, mut state, place) = stepper(column(settings(d), [0.2, 0.2], [0.2, 0.3]), n);
    for k in 0..2000 {
        let report = stepper.step(&mut state, 1e-3).unwrap();
        if k < 5 || (k + 1) % 200 == 0 {
            let top = place.markers(&state).map(|m| m.position.z).fold(0.0, f64::max) + 0.5 * d;
            let speed = place.markers(&state).map(|m| m.velocity.length()).fold(0.0, f64::max);
            let mean_z = place.markers(&state).map(|m| m.position.z).sum::<f64>() / place.len() as f64;
            let worst = place
                .markers(&state)
                .map(|m| (m.pressure - 9810.0 * (0.2 - m.position.z)).abs())
                .fold(0.0, f64::max);
            let bottom: f64 =
                place.markers(&state).filter(|m| m.position.z < d).map(|m| m.pressure).sum::<f64>() / 20.0;
            println!(
                "{k} it {} res {:.2e} comp {:.2e} top {top:.4} meanz {mean_z:.5} speed {speed:.2e} worst p {worst:.1} bottom {bottom:.1} force {:?}",
                report.contact_iterations,
                report.contact_residual,
                place.compression(&state),
                place.wall_wrench(&state, 0).unwrap()[0].z
            );
        }
    }
    let mut rows: Vec<(f64, f64, f64)> = place
        .markers(&state)
        .filter(|m| (m.position.x - 0.1).abs() < 0.012)
        .map(|m| (m.position.z, m.pressure, m.density))
        .collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (z, p, rho) in rows {
        println!("z {z:.4} p {p:.1} exact {:.1} rho {rho:.2}", 9810.0 * (0.2 - z));
    }
}

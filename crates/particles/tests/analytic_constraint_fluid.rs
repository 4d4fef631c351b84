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
    let base = ConstraintFluidSettings::default();
    let env = |name: &str, value: f64| std::env::var(name).map_or(value, |s| s.parse().unwrap());
    ConstraintFluidSettings {
        space: FlowSpace::Plane { normal: 1 },
        spacing: d,
        xsph: env("XSPH", base.xsph),
        compliance: env("COMP", base.compliance),
        stabilization: env("STAB", base.stabilization),
        length_ratio: env("LEN", base.length_ratio),
        viscosity: env("VISC", 0.0),
        ..base
    }
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
    let rigid = RigidSettings {
        max_iterations: iterations,
        tolerance: std::env::var("TOL").ok().map(|s| s.parse().unwrap()),
        ..RigidSettings::default()
    };
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
    for k in 0..1000 {
        let report = stepper.step(&mut state, 1e-3).unwrap();
        if k < 5 || (k + 1) % 200 == 0 {
            let top = place.markers(&state).map(|m| m.position.z).fold(0.0, f64::max) + 0.5 * d;
            let speed = place.markers(&state).map(|m| m.velocity.length()).fold(0.0, f64::max);
            let mean_z = place.markers(&state).map(|m| m.position.z).sum::<f64>() / place.len() as f64;
            let mut worst = 0.0_f64;
            for i in 1..10 {
                for k in 1..9 {
                    let at = Vec3::new(0.02 * f64::from(i), 0.0, 0.02 * f64::from(k));
                    worst = worst.max((place.at(&state, at).unwrap().0 / 9810.0 - (0.2 - at.z)).abs() / 0.2);
                }
            }
            let bottom: f64 =
                place.markers(&state).filter(|m| m.position.z < d).map(|m| m.pressure).sum::<f64>() / 20.0;
            println!(
                "{k} it {} res {:.2e} comp {:.2e} top {top:.4} meanz {mean_z:.5} speed {speed:.2e} worst p {worst:.4} bottom {bottom:.1} force {:?}",
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

/// Front of a collapsing column against Martin and Moyce.
#[test]
fn explore_dam() {
    let a = 0.05715;
    let n: f64 = std::env::var("RES").map_or(20.0, |s| s.parse().unwrap());
    let h: f64 = std::env::var("DT").map_or(1e-3, |s| s.parse().unwrap());
    let d = a / n;
    let it: usize = std::env::var("ITER").map_or(50, |s| s.parse().unwrap());
    let (mut stepper, mut state, place) = stepper(column(settings(d), [a, 2.0 * a], [8.0 * a, 2.2 * a]), it);
    let table = [
        (0.832, 1.217),
        (1.219, 1.474),
        (1.997, 2.292),
        (2.547, 2.995),
        (3.345, 4.134),
        (4.034, 4.944),
        (4.418, 5.881),
    ];
    let mut next = 0;
    let begin = std::time::Instant::now();
    let mut its = 0;
    while next < table.len() {
        let before = front(&place, &state, a, d);
        let t0 = state.time * (2.0 * 9.81 / a).sqrt();
        let r = stepper.step(&mut state, h).unwrap();
        its += r.contact_iterations;
        let t1 = state.time * (2.0 * 9.81 / a).sqrt();
        let after = front(&place, &state, a, d);
        while next < table.len() && t1 >= table[next].0 {
            let (t, z) = table[next];
            let got = before + (after - before) * (t - t0) / (t1 - t0);
            println!(
                "t* {t} Z {got:.3} exp {z} error {:.1} % comp {:.2e} E {:.4}",
                100.0 * (got / z - 1.0),
                place.compression(&state),
                place.kinetic_energy(&state)
            );
            next += 1;
        }
    }
    println!("steps {} iterations {its} time {:?}", state.step, begin.elapsed());
}

fn front(place: &FluidPlace, state: &State, a: f64, d: f64) -> f64 {
    (place.markers(state).map(|m| m.position.x).fold(0.0, f64::max) + 0.5 * d) / a
}

#[test]
fn explore_speed() {
    use huygens_particles::fluid::{FluidSettings, FluidSystem};
    let d = 0.01;
    let n: i32 = std::env::var("N").map_or(46, |s| s.parse().unwrap());
    let it: usize = std::env::var("ITER").map_or(20, |s| s.parse().unwrap());
    let place_of =
        |i: i32, j: i32, k: i32| (Vec3::new(f64::from(i), f64::from(j), f64::from(k)) + Vec3::splat(0.5)) * d;
    let mut fluid =
        ConstraintFluid::new("water", ConstraintFluidSettings { spacing: d, ..Default::default() }).unwrap();
    let mut system = FluidSystem::new(FluidSettings { spacing: d, ..Default::default() }).unwrap();
    for k in 0..n {
        for j in 0..n {
            for i in 0..n {
                fluid.add(place_of(i, j, k), Vec3::ZERO).unwrap();
                system.add(place_of(i, j, k), Vec3::ZERO).unwrap();
            }
        }
    }
    let mut floor = Vec::new();
    for k in -3..0 {
        for j in 0..n {
            for i in 0..n {
                floor.push(place_of(i, j, k));
            }
        }
    }
    system.add_solid("floor", &floor, Default::default(), false).unwrap();
    fluid.add_wall(FluidWall { name: "tank".into(), points: floor, carrier: WallCarrier::World }).unwrap();
    let ex = Exec::serial();
    system.run(&ex, 1e-5, 5).unwrap();
    let t = std::time::Instant::now();
    system.run(&ex, 1e-5, 20).unwrap();
    let one = t.elapsed().as_secs_f64() / 20.0;
    let (mut stepper, mut state, _) = stepper(fluid, it);
    stepper.step(&mut state, 1e-3).unwrap();
    let t = std::time::Instant::now();
    let mut its = 0;
    for _ in 0..3 {
        its += stepper.step(&mut state, 1e-3).unwrap().contact_iterations;
    }
    let two = t.elapsed().as_secs_f64() / 3.0;
    println!(
        "{} markers: wcsph step {one:.4} constraint {two:.4} ratio {:.1} iterations {}",
        n * n * n,
        two / one,
        its / 3
    );
}

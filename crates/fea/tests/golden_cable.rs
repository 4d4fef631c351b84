//! Cables in motion: the pendulum of the tables, and the swinging cable of Project Chrono.

use crate::line;
use std::sync::Arc;

use crate::motion::{name, place, stepper, vector_nodes};
use huygens_core::Model;
use huygens_core::integrator::Integrator;
use huygens_fea::element::batch::ElementItem;
use huygens_fea::element::cable::Cable;
use huygens_fea::element::cable_batch::Cables;
use huygens_fea::section::material::Damping;
use huygens_kernel::Vec3;
use huygens_kernel::cable::StrainMeasure;

/// A straight cable along x, hinged at the origin, in `gravity` [m/s²] along −y; `speed` [rad/s] gives its nodes a start.
fn hinged(cable: Cable, count: usize, speed: f64, gravity: f64) -> Model {
    let nodes: Vec<_> = (0..=count)
        .map(|k| {
            let x = cable.length * k as f64;
            ([Vec3::X * x, Vec3::X], [Vec3::Z * (-speed * x), Vec3::ZERO])
        })
        .collect();
    let mut model = Model::new(Vec3::NEG_Y * gravity);
    let at = model.add_coordinates(Box::new(vector_nodes(&nodes)));
    let items = (0..count).map(|k| ElementItem {
        element: cable,
        nodes: vec![place(&at, k, 6, 6), place(&at, k + 1, 6, 6)],
        damping: Damping::default(),
        name: name(k),
    });
    model.add_elements(Arc::new(Cables::new(items)));
    model.fix_columns(0..3);
    model
}

/// Set A (EA = 1000 N) or B (1e5 N) of the pendulum, 1 m long.
fn pendulum(stretch: f64, count: usize) -> Model {
    let cable = Cable {
        length: 1.0 / count as f64,
        stretch,
        bending: 1e7 * 0.01_f64.powi(4) / 12.0,
        density: 0.1,
        measure: StrainMeasure::Material,
    };
    hinged(cable, count, 0.0, 9.81)
}

fn tip(model: Model, count: usize, h: f64, time: f64) -> Vec3 {
    let (mut stepper, mut state) = stepper(model, Integrator::GeneralizedAlpha { rho: 0.9 });
    let steps = (time / h).round() as usize;
    let mut iterations = 0;
    for _ in 0..steps {
        iterations += stepper.step(&mut state, h).unwrap().iterations;
    }
    println!("{:.2} iterations a step", iterations as f64 / steps as f64);
    Vec3::from_slice(&state.q[6 * count..])
}

/// Nearly inextensible: 1e-4 m at 1 s with 64 elements.
#[test]
fn pendulum_of_the_tables() {
    let end = tip(pendulum(1e5, 64), 64, 1e-4, 1.0);
    let error = (end - Vec3::new(-0.924875, 0.102549, 0.0)).length();
    println!("set B, 64 elements: {end}, {error:.2e} m from the table");
    assert!(error < 1e-4, "{end}: {error}");
    let end = tip(pendulum(1e3, 32), 32, 1e-3, 1.0);
    let error = (end - Vec3::new(-0.928359, 0.100015, 0.0)).length();
    println!("set A, 32 elements: {end}, {error:.2e} m from the table");
    // What the program of the tables leaves with as many elements and steps as long.
    assert!(error < 8.8e-5, "{end}: {error}");
}

/// Four cables with an initial spin, linearly implicit Euler: the series to its digits.
#[test]
fn swinging_cable() {
    let Some(rows) = line::table("chrono_timeseries/ancf_cable_swing.csv") else { return };
    assert!(rows.len() > 400);
    let (radius, young, density) =
        (5.0 * (1e-6_f64 / std::f64::consts::PI).sqrt(), 1e9 / 625.0, 8000.0 / 25.0);
    let area = std::f64::consts::PI * radius * radius;
    let cable = Cable {
        length: 0.25,
        stretch: young * area,
        bending: young * area * radius * radius / 4.0,
        density: density * area,
        measure: StrainMeasure::Green,
    };
    // The first rows of the series, where gravity alone acts on the slope, are those of 9.8 m/s².
    let (mut stepper, mut state) = stepper(hinged(cable, 4, 4.0, 9.8), Integrator::Euler);
    let (h, mut worst, mut early): (f64, f64, f64) = (1e-4, 0.0, 0.0);
    for row in &rows {
        while state.time < row[0] - 0.5 * h {
            stepper.step(&mut state, h).unwrap();
        }
        let q = &state.q;
        // Slope of the first node, height of the middle, x and z of the tip.
        let got = [q[3], q[4], q[5], q[13], q[24], q[26]];
        let error = got.iter().zip(&row[1..]).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
        worst = worst.max(error);
        if row[0] < 0.0201 {
            early = early.max(error);
        }
    }
    println!("swinging cable: {early:.2e} in the first 200 steps, {worst:.2e} over {} s", state.time);
    // The series has six digits.
    assert!(early < 1e-5 && worst < 1e-5, "{early} {worst}");
}

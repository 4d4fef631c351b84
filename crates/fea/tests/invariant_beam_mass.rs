//! The mass of corotational beams: its tangent, and what it conserves in free flight.

use std::sync::Arc;

use crate::motion::{chain, chain_inertia, name, stepper};
use glam::DQuat;
use huygens_core::contract::{InertiaWeights, Slots};
use huygens_core::integrator::Integrator;
use huygens_core::{Model, State, System};
use huygens_exec::Exec;
use huygens_fea::element::batch::{ElementItem, Elements, NodePlace};
use huygens_fea::element::beam_corotational::BeamCorotational;
use huygens_fea::element::frame::RodNode;
use huygens_fea::node::{FrameNode, FrameNodes};
use huygens_fea::section::SectionValues;
use huygens_fea::section::material::Damping;
use huygens_kernel::{Mat3, Quat, Vec3};

const DENSITY: f64 = 1.3;

fn section() -> SectionValues {
    SectionValues {
        mass: DENSITY,
        inertia: Mat3::from_diagonal(Vec3::new(2e-3, 1e-3, 1e-3)),
        ..SectionValues::elastic([4e4, 1e4, 1e4], [30.0, 40.0, 60.0])
    }
}

fn beams(count: usize, length: f64) -> Vec<BeamCorotational> {
    let node = |x: f64| RodNode { place: [x, 0.0, 0.0], turn: [0.0, 0.0, 0.0, 1.0] };
    vec![BeamCorotational::new(&[node(0.0), node(length / count as f64)], &[section(); 2]); count]
}

/// A free beam of 2 m that flies and tumbles.
fn flying(count: usize, gravity: Vec3) -> Model {
    let (beams, length) = (beams(count, 2.0), 2.0);
    let mut nodes = FrameNodes::new();
    let (omega, drift) = (Vec3::new(0.7, 3.0, -4.0), Vec3::new(0.3, -0.2, 0.5));
    for (k, inertia) in chain_inertia(&beams).into_iter().enumerate() {
        let position = Vec3::X * (length * k as f64 / count as f64);
        nodes.push(FrameNode {
            name: name(k),
            position,
            rotation: Quat::IDENTITY,
            velocity: drift + omega.cross(position - Vec3::X * 0.5 * length),
            angular_velocity: omega,
            mass: 0.0,
            inertia,
            frame: false,
        });
    }
    let mut model = Model::new(gravity);
    let at = model.add_coordinates(Box::new(nodes));
    model.add_elements(chain(&at, &beams, 6, Damping::default()));
    model
}

/// Momentum, angular momentum about the origin and energy.
fn invariants(system: &mut System, state: &State) -> (Vec3, Vec3, f64) {
    system.load(state);
    system.update(&state.history);
    let mut p = vec![0.0; state.v.len()];
    system.add_mass_product(&state.v, &mut p);
    let (mut linear, mut angular) = (Vec3::ZERO, Vec3::ZERO);
    for (q, p) in state.q.chunks_exact(7).zip(p.chunks_exact(6)) {
        let (own, spin) = (Vec3::from_slice(p), Vec3::from_slice(&p[3..]));
        linear += own;
        angular += Vec3::from_slice(q).cross(own) + DQuat::from_slice(&q[3..]) * spin;
    }
    (linear, angular, system.energy(&state.history).iter().sum())
}

/// A rigid tumble has the mass, the inertia and the energy of a thin rod, whatever the number of pieces.
#[test]
fn a_rigid_motion_has_the_inertia_of_the_rod() {
    for count in [1, 3, 8] {
        let model = Arc::new(flying(count, Vec3::ZERO));
        let state = State::new(&model);
        let mut system = System::new(model, Exec::serial());
        let (linear, angular, energy) = invariants(&mut system, &state);
        let (omega, drift) = (Vec3::new(0.7, 3.0, -4.0), Vec3::new(0.3, -0.2, 0.5));
        let (mass, across) = (2.0 * DENSITY, 2.0 * DENSITY * 4.0 / 12.0);
        let inertia = Vec3::new(4e-3, across + 2e-3, across + 2e-3);
        let spin = inertia * omega;
        assert!((linear - mass * drift).length() < 1e-12, "{linear}");
        assert!((angular - Vec3::X.cross(mass * drift) - spin).length() < 1e-12, "{angular} {spin}");
        let wanted = 0.5 * (mass * drift.length_squared() + omega.dot(spin));
        assert!((energy - wanted).abs() < 1e-12 * wanted, "{energy} {wanted}");
    }
}

/// Force and moment of the line's inertia are the derivatives of its energy: tangent by differences, with weight.
#[test]
fn the_tangent_of_the_turning_mass_is_exact() {
    let beam = beams(1, 0.8)[0];
    let mut numbers = (0..200).map(|k| ((k * k) as f64 * 0.37).sin());
    let mut next = |n: usize| -> Vec<f64> { numbers.by_ref().take(n).collect() };
    let turn = |x: &[f64]| Quat::from_xyzw(x[0], x[1], x[2], 1.0 + x[3]).normalize().to_array();
    let (a, b) = (next(4), next(4));
    let (x, y) = (next(3), next(3));
    let q: Vec<f64> = [&x[..], &turn(&a), &y, &turn(&b)].concat();
    let (v, acceleration) = (next(12), next(12));
    let gravity = Vec3::new(0.3, -0.8, 9.0);
    let nodes = [0, 1].map(|k| NodePlace { block: k as u32, q: 7 * k, v: 6 * k, columns: 6 });
    let item =
        ElementItem { element: beam, nodes: nodes.to_vec(), damping: Damping::default(), name: name(0) };
    let batch = Elements::new([item]);
    let batch: &dyn huygens_core::contract::ElementBatch = &batch;
    let turning = batch.turning_inertia().unwrap();
    let force = |q: &[f64], v: &[f64], a: &[f64]| {
        let (mut f, mut weight) = (vec![0.0; 12], vec![0.0; 12]);
        turning.add_force(q, Some(v), a, &mut f);
        turning.add_gravity(gravity, q, &mut weight);
        f.iter().zip(weight).map(|(f, w)| f - w).collect::<Vec<f64>>()
    };
    let moved = |j: usize, by: f64| {
        let mut q = q.clone();
        let first = 7 * (j / 6);
        if j % 6 < 3 {
            q[first + j % 6] += by;
        } else {
            let mut w = Vec3::ZERO;
            w[j % 6 - 3] = by;
            let turned = Quat::from_slice(&q[first + 3..]) * Quat::from_scaled_axis(w);
            q[first + 3..first + 7].copy_from_slice(&turned.normalize().to_array());
        }
        q
    };
    let slots = Slots { values: vec![0, 12], tangents: vec![0, 144], columns: vec![12], ..Slots::default() };
    let h = 1e-6;
    let plus = |x: &[f64], j: usize, by: f64| {
        let mut x = x.to_vec();
        x[j] += by;
        x
    };
    let weights = |k: usize| InertiaWeights {
        mass: f64::from(u8::from(k == 0)),
        damping: f64::from(u8::from(k == 1)),
        stiffness: f64::from(u8::from(k == 2)),
    };
    for kind in 0..3 {
        let mut tangent = vec![0.0; 144];
        turning.add_tangent(&q, &v, &acceleration, gravity, &weights(kind), &slots, &mut tangent);
        for j in 0..12 {
            let at = |by: f64| match kind {
                0 => force(&q, &v, &plus(&acceleration, j, by)),
                1 => force(&q, &plus(&v, j, by), &acceleration),
                _ => force(&moved(j, by), &v, &acceleration),
            };
            let (more, less) = (at(h), at(-h));
            for i in 0..12 {
                let slope = (more[i] - less[i]) / (2.0 * h);
                let got = tangent[12 * i + j];
                assert!((got - slope).abs() < 1e-7, "{kind}: {i} {j}: {got} {slope}");
            }
        }
    }
    // The moment of the weight is minus the derivative of its energy.
    let mut weight = vec![0.0; 12];
    turning.add_gravity(gravity, &q, &mut weight);
    for j in (0..12).filter(|j| j % 6 > 2) {
        let energy = |by: f64| turning.energy(gravity, &moved(j, by), &v).1;
        let slope = (energy(-h) - energy(h)) / (2.0 * h);
        assert!((weight[j] - slope).abs() < 1e-7, "{j}: {} {slope}", weight[j]);
    }
}

/// In free flight momentum stays to rounding; angular momentum and energy stay to the second order of the step.
#[test]
fn free_flight_keeps_momentum_and_energy() {
    let drift = |h: f64| {
        let (mut stepper, mut state) =
            stepper(flying(6, Vec3::ZERO), Integrator::Newmark { beta: 0.25, gamma: 0.5 });
        let mut system = System::new(Arc::new(flying(6, Vec3::ZERO)), Exec::serial());
        let first = invariants(&mut system, &state);
        let (mut linear, mut angular, mut energy) = (0.0_f64, 0.0_f64, 0.0_f64);
        let (mut most, mut steps) = (0, 0);
        while state.time < 1.0 - 0.5 * h {
            let report = stepper.step(&mut state, h).unwrap();
            most = most.max(report.iterations);
            steps += 1;
            let now = invariants(&mut system, &state);
            linear = linear.max((now.0 - first.0).length() / first.0.length());
            angular = angular.max((now.1 - first.1).length() / first.1.length());
            energy = energy.max((now.2 / first.2 - 1.0).abs());
        }
        println!("h {h}: {steps} steps, {most} iterations, {linear:.2e} {angular:.2e} {energy:.2e}");
        assert!(most <= 6, "{most}");
        assert!(linear < 1e-9, "{linear}");
        (angular, energy)
    };
    let (coarse, fine) = (drift(2e-3), drift(1e-3));
    for (coarse, fine, most) in [(coarse.0, fine.0, 1e-3), (coarse.1, fine.1, 1e-3)] {
        assert!(fine < most && coarse / fine > 3.0, "{coarse} {fine}");
    }
}

/// Thrown in gravity, the mean of the line falls as a stone does.
#[test]
fn a_thrown_beam_falls() {
    let gravity = Vec3::new(0.0, 0.0, -9.81);
    let (mut stepper, mut state) =
        stepper(flying(4, gravity), Integrator::Newmark { beta: 0.25, gamma: 0.5 });
    let mut system = System::new(Arc::new(flying(4, gravity)), Exec::serial());
    let (start, _, energy) = invariants(&mut system, &state);
    for _ in 0..500 {
        stepper.step(&mut state, 1e-3).unwrap();
    }
    let (end, _, after) = invariants(&mut system, &state);
    let wanted = start + gravity * (2.0 * DENSITY * state.time);
    assert!((end - wanted).length() < 1e-8 * wanted.length(), "{end} {wanted}");
    assert!((after - energy).abs() < 1e-3 * energy.abs(), "{after} {energy}");
}

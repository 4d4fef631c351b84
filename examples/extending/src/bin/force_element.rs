//! A force element: Newton's attraction between every two of some bodies.
//!
//! Run:  cargo run --release --bin force_element
//! See:  two bodies come back to where they were after the period of Kepler; momentum and energy stay.

use std::sync::Arc;

use glam::{DMat3, DVec3};
use huygens::prelude::*;
use huygens_core::builder::{self, FrameKey, Part, Places};
use huygens_core::contract::{ElementBatch, Layout, NO_BLOCK, Slots, StateView, Weights};
use huygens_core::{Model, Subject};
use huygens_exec::Exec;

// ANCHOR: batch
/// One attraction: the frames of two centres of mass, and $G m_a m_b$ [N·m²].
struct Pair {
    frames: [u32; 2],
    blocks: [u32; 2],
    strength: f64,
}

/// All attractions.
struct Attractions(Vec<Pair>);

impl Attractions {
    /// From the first body to the second.
    fn between(x: &StateView<'_>, pair: &Pair) -> DVec3 {
        let [a, b] = pair.frames.map(|f| x.frames[f as usize].origin);
        b - a
    }
}

impl ElementBatch for Attractions {
    fn layout(&self) -> Layout {
        let mut layout = Layout::default();
        self.0.iter().for_each(|pair| layout.push(&pair.blocks, 0));
        layout
    }

    fn item_name(&self, item: usize) -> Subject {
        Subject::object("attraction", item.to_string())
    }

    fn evaluate(
        &self,
        _ex: &Exec,
        x: &StateView<'_>,
        _history: &[f64],
        slots: &Slots,
        values: &mut [f64],
        mut tangent: Option<(&Weights, &mut [f64])>,
    ) {
        for (k, pair) in self.0.iter().enumerate() {
            let r = Self::between(x, pair);
            let distance = r.length();
            let force = r * (pair.strength / distance.powi(3));
            // Six columns for each body: force in world axes, torque in body axes.
            let slot = &mut values[slots.values[k]..slots.values[k + 1]];
            slot.fill(0.0);
            slot[..3].copy_from_slice(&force.to_array());
            slot[6..9].copy_from_slice(&(-force).to_array());
            let Some((weights, tangents)) = &mut tangent else { continue };
            // −∂f_a/∂r_a = G m m (1/r³ − 3 r rᵀ/r⁵); the other blocks differ by their sign.
            let outer = DMat3::from_cols(r * r.x, r * r.y, r * r.z);
            let cube = distance.powi(3);
            let block = (DMat3::IDENTITY - outer * (3.0 / distance.powi(2)))
                * (weights.stiffness * pair.strength / cube);
            let slot = &mut tangents[slots.tangents[k]..slots.tangents[k + 1]];
            slot.fill(0.0);
            for (row, column) in [(0, 0), (0, 6), (6, 0), (6, 6)] {
                let sign = if row == column { 1.0 } else { -1.0 };
                for i in 0..3 {
                    (0..3).for_each(|j| slot[12 * (row + i) + column + j] = sign * block.col(j)[i]);
                }
            }
        }
    }

    fn energy(&self, _ex: &Exec, x: &StateView<'_>, _history: &[f64]) -> f64 {
        self.0.iter().map(|pair| -pair.strength / Self::between(x, pair).length()).sum()
    }
}
// ANCHOR_END: batch

// ANCHOR: part
/// Attraction of bodies, given by handle and mass [kg].
struct Gravitation {
    constant: f64,
    bodies: Vec<(BodyId, f64)>,
}

impl Part for Gravitation {
    fn place_coordinates(&mut self, _model: &mut Model) -> builder::Result<()> {
        Ok(())
    }

    fn place_batches(&mut self, model: &mut Model, places: &Places<'_>) -> builder::Result<()> {
        let asker = Subject::object("part", "gravitation");
        let mut pairs = Vec::new();
        for (i, (a, mass_a)) in self.bodies.iter().enumerate() {
            for (b, mass_b) in &self.bodies[i + 1..] {
                let place = |id: &BodyId| places.frame(&asker, FrameKey::body(id.index() as u32));
                let (a, b) = (place(a)?, place(b)?);
                let block = |blocks: &[u32]| blocks.first().copied().unwrap_or(NO_BLOCK);
                pairs.push(Pair {
                    frames: [a.frame, b.frame],
                    blocks: [block(&a.blocks), block(&b.blocks)],
                    strength: self.constant * mass_a * mass_b,
                });
            }
        }
        model.add_elements(Arc::new(Attractions(pairs)));
        Ok(())
    }
}
// ANCHOR_END: part

fn main() -> Result<(), WorldError> {
    // Nearest at the start, at the distance (1 − e) of an ellipse with the half axis 1 m.
    const ECCENTRICITY: f64 = 0.3;
    let (masses, constant) = ([3.0, 1.0], 2.0);
    let total = masses[0] + masses[1];
    let distance = 1.0 - ECCENTRICITY;
    let speed = (constant * total * (1.0 + ECCENTRICITY) / distance).sqrt();

    let mut world = World::new([0.0; 3]);
    world.settings_mut().dt = 1e-4;
    world.settings_mut().integrator = Some(Integrator::Leapfrog);
    let mut bodies = Vec::new();
    for (k, name) in ["sun", "planet"].into_iter().enumerate() {
        // About the common centre of mass.
        let part = [-masses[1] / total, masses[0] / total][k];
        let body = BodySpec {
            position: [part * distance, 0.0, 0.0],
            velocity: [0.0, part * speed, 0.0],
            mass: Some(masses[k]),
            inertia: Some(Inertia::diagonal([0.1; 3])),
            ..BodySpec::dynamic(name)
        };
        bodies.push((world.add_body(body)?, masses[k]));
    }
    let planet = bodies[1].0;
    // ANCHOR: add
    world.add_part("gravitation", Gravitation { constant, bodies: bodies.clone() })?;
    // ANCHOR_END: add
    let (start, energy) = (world.body_position(planet)?, world.energy()?.total());
    let expected =
        0.5 * masses[0] * masses[1] / total * speed.powi(2) - constant * masses[0] * masses[1] / distance;
    assert!((energy - expected).abs() < 1e-12 * expected.abs());

    let period = std::f64::consts::TAU / (constant * total).sqrt();
    world.run(period)?;
    let end = world.body_position(planet)?;
    let missed = DVec3::from_array(end).distance(DVec3::from_array(start));
    let lost = (world.energy()?.total() - energy) / energy;
    let mut momentum = DVec3::ZERO;
    for (body, mass) in &bodies {
        momentum += DVec3::from_array(world.body_velocity(*body)?) * *mass;
    }
    println!(
        "after one period: {missed:.2e} m from the start, energy {lost:.2e}, momentum {:.2e}",
        momentum.length()
    );
    assert!(missed < 1e-5);
    assert!(lost.abs() < 1e-7);
    assert!(momentum.length() < 1e-12);
    Ok(())
}

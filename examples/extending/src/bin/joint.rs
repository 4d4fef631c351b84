//! A joint: the centre of mass of a body stays on the paraboloid $z = (x^2 + y^2)/2p$.
//!
//! Run:  cargo run --release --bin joint
//! See:  a body circles at $\sqrt{g/p}$, whatever its radius, and the joint carries its weight.

use std::f64::consts::TAU;
use std::sync::Arc;

use glam::DVec3;
use huygens::prelude::*;
use huygens_core::builder::{self, BuildError, FrameKey, Part, Places};
use huygens_core::contract::{ConstraintBatch, Layout, RowRequest, Slots, StateView};
use huygens_core::{Model, Subject};
use huygens_exec::Exec;

// ANCHOR: batch
/// Bodies on paraboloids: frame, column block and parameter p [m] of each.
struct OnParaboloids(Vec<(u32, u32, f64)>);

impl ConstraintBatch for OnParaboloids {
    fn layout(&self) -> Layout {
        let mut layout = Layout::default();
        self.0.iter().for_each(|(_, block, _)| layout.push(&[*block], 1));
        layout
    }

    fn item_name(&self, item: usize) -> Subject {
        Subject::object("paraboloid", item.to_string())
    }

    fn row_name(&self, _item: usize, _row: usize) -> String {
        "height over the paraboloid".into()
    }

    fn evaluate(
        &self,
        _ex: &Exec,
        x: &StateView<'_>,
        _history: &[f64],
        request: RowRequest,
        slots: &Slots,
        values: &mut [f64],
    ) {
        for (k, (frame, _, p)) in self.0.iter().enumerate() {
            let frame = &x.frames[*frame as usize];
            let (r, v) = (frame.origin, frame.velocity);
            let gradient = DVec3::new(-r.x / p, -r.y / p, 1.0);
            // One row: residual, rate, γ, then the Jacobian by six columns.
            let slot = &mut values[slots.values[k]..slots.values[k + 1]];
            slot.fill(0.0);
            slot[0] = r.z - (r.x * r.x + r.y * r.y) / (2.0 * p);
            if request.rate {
                slot[1] = gradient.dot(v);
            }
            if request.gamma {
                slot[2] = (v.x * v.x + v.y * v.y) / p;
            }
            slot[3..6].copy_from_slice(&gradient.to_array());
        }
    }

    fn tangent(
        &self,
        _ex: &Exec,
        _x: &StateView<'_>,
        _history: &[f64],
        lambda: &[f64],
        stiffness: f64,
        slots: &Slots,
        tangent: &mut [f64],
    ) {
        for (k, (_, _, p)) in self.0.iter().enumerate() {
            let slot = &mut tangent[slots.tangents[k]..slots.tangents[k + 1]];
            slot.fill(0.0);
            // ∂(Cqᵀ λ)/∂q: only the gradient's first two entries change.
            (0..2).for_each(|i| slot[7 * i] = -stiffness * lambda[k] / p);
        }
    }
}
// ANCHOR_END: batch

// ANCHOR: part
/// A body on a paraboloid.
struct Paraboloid {
    body: BodyId,
    parameter: f64,
    /// Its row among the multipliers of the model, once it is placed.
    row: usize,
}

impl Part for Paraboloid {
    fn place_coordinates(&mut self, _model: &mut Model) -> builder::Result<()> {
        Ok(())
    }

    fn place_batches(&mut self, model: &mut Model, places: &Places<'_>) -> builder::Result<()> {
        let asker = Subject::object("part", "bowl");
        let place = places.frame(&asker, FrameKey::body(self.body.index() as u32))?;
        let Some(block) = place.blocks.first() else {
            return Err(BuildError::Refused {
                what: asker,
                reason: "its body does not move by forces".into(),
            });
        };
        self.row = model.row_count();
        model.add_constraints(Arc::new(OnParaboloids(vec![(place.frame, *block, self.parameter)])));
        Ok(())
    }
}
// ANCHOR_END: part

fn main() -> Result<(), WorldError> {
    let (mass, gravity, parameter) = (1.5, 9.81, 0.8_f64);
    let rate = (gravity / parameter).sqrt();
    for radius in [0.2, 0.7] {
        let mut world = World::new([0.0, 0.0, -gravity]);
        world.settings_mut().dt = TAU / rate / 4000.0;
        let bead = world.add_body(BodySpec {
            position: [radius, 0.0, radius * radius / (2.0 * parameter)],
            velocity: [0.0, rate * radius, 0.0],
            mass: Some(mass),
            inertia: Some(Inertia::diagonal([0.01; 3])),
            ..BodySpec::dynamic("bead")
        })?;
        world.add_part("bowl", Paraboloid { body: bead, parameter, row: 0 })?;
        let start = DVec3::from_array(world.body_position(bead)?);
        world.run(TAU / rate)?;
        let missed = DVec3::from_array(world.body_position(bead)?).distance(start);
        let residual = world.constraint_residual()?;
        let row = world.part::<Paraboloid>("bowl")?.row;
        let carried = world.state().map_or(f64::NAN, |state| -state.lambda[row]);
        println!(
            "radius {radius} m: {missed:.2e} m from the start, residual {residual:.1e} m, carries {carried:.6} N"
        );
        assert!(missed < 1e-5 * radius);
        assert!(residual < 1e-12);
        assert!((carried - mass * gravity).abs() < 1e-5 * mass * gravity);
    }
    Ok(())
}

//! Bodies as boundaries: sub-systems attach surfaces to them and exert forces on them.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use huygens_core::contract::{ElementBatch, Frame, Layout, NO_BLOCK, Slots, StateView, Weights};
use huygens_core::coupling::{Boundary, BoundaryId, BoundaryPart, BoundaryShape, Placement, Wrench};
use huygens_core::{Model, Subject};
use huygens_exec::Exec;

use crate::rows::store_tangent;
use crate::slots::for_each_item;

/// Components of a load: force [N] and torque about the centre of mass [N·m].
const WIDTH: usize = 6;

/// A body that sub-systems act on.
pub(crate) struct BoundaryBody {
    pub name: String,
    pub frame: u32,
    /// Its column block, or [`NO_BLOCK`] where its motion is prescribed.
    pub block: u32,
    /// Index of its quaternion in `q`, if it is dynamic.
    pub quaternion: Option<usize>,
    /// Centre of mass in body axes [m].
    pub center: DVec3,
    /// Inverse of its mass [1/kg]; 0 where its motion is prescribed.
    pub inverse_mass: f64,
}

/// Bodies that sub-systems act on; each is a boundary part with the axes of the body.
pub(crate) struct BodyBoundary {
    bodies: Vec<BoundaryBody>,
    /// Bodies on which forces act.
    moving: Vec<usize>,
}

impl BodyBoundary {
    /// Adds the boundary formed by these bodies, and their loads, to a model.
    pub fn place_in(bodies: Vec<BoundaryBody>, model: &mut Model) -> BoundaryId {
        let moving: Vec<usize> = (0..bodies.len()).filter(|&k| bodies[k].block != NO_BLOCK).collect();
        let load = |&k: &usize| (bodies[k].name.clone(), bodies[k].frame, bodies[k].block);
        let items: Vec<_> = moving.iter().map(load).collect();
        let loads = (!items.is_empty()).then(|| Arc::new(BodyLoads { items }) as Arc<dyn ElementBatch>);
        model.add_boundary(Arc::new(Self { bodies, moving }), loads)
    }
}

impl Boundary for BodyBoundary {
    fn part_name(&self, part: usize) -> String {
        format!("body '{}'", self.bodies[part].name)
    }

    fn shape(&self) -> BoundaryShape {
        let part = |b: &BoundaryBody| BoundaryPart {
            shape: None,
            center: b.center,
            round: false,
            inverse_mass: b.inverse_mass,
        };
        BoundaryShape::Parts(self.bodies.iter().map(part).collect())
    }

    fn place(&self, _ex: &Exec, x: &StateView<'_>, out: &mut [Placement]) {
        for (body, out) in self.bodies.iter().zip(out) {
            let frame = &x.frames[body.frame as usize];
            let arm = frame.axes * -body.center;
            *out = Placement {
                position: frame.origin + arm,
                // The quaternion of a dynamic body comes from the state, so that reading it does not round it.
                rotation: match body.quaternion {
                    Some(at) => DQuat::from_slice(&x.q[at..]),
                    None => DQuat::from_mat3(&frame.axes),
                },
                velocity: frame.velocity + frame.omega.cross(arm),
                omega: frame.omega,
            };
        }
    }

    fn pull_back(&self, _ex: &Exec, _x: &StateView<'_>, wrenches: &[Wrench], loads: &mut [f64]) {
        for (&body, out) in self.moving.iter().zip(loads.chunks_exact_mut(WIDTH)) {
            let Wrench { force, torque } = wrenches[body];
            out[..3].copy_from_slice(&force.to_array());
            out[3..].copy_from_slice(&torque.to_array());
        }
    }

    fn restarts(&self) -> bool {
        true
    }
}

/// Loads that sub-systems exert on bodies: forces and torques whose directions are constant during a step.
struct BodyLoads {
    /// Name, frame and block of each body.
    items: Vec<(String, u32, u32)>,
}

fn wrench(history: &[f64], item: usize) -> (DVec3, DVec3) {
    let own = &history[WIDTH * item..][..WIDTH];
    (DVec3::from_slice(own), DVec3::from_slice(&own[3..]))
}

impl ElementBatch for BodyLoads {
    fn does_work(&self, _x: &StateView<'_>) -> bool {
        false
    }

    fn layout(&self) -> Layout {
        let mut layout = Layout { history: WIDTH * self.items.len(), ..Layout::default() };
        self.items.iter().for_each(|(_, _, block)| layout.push(&[*block], 0));
        layout
    }

    fn item_name(&self, item: usize) -> Subject {
        let body = Subject::object("body", &self.items[item].0);
        body.map(|body| format!("load of sub-systems on {body}"))
    }

    fn evaluate(
        &self,
        ex: &Exec,
        x: &StateView<'_>,
        history: &[f64],
        slots: &Slots,
        values: &mut [f64],
        tangent: Option<(&Weights, &mut [f64])>,
    ) {
        for_each_item(ex, &slots.values, values, |i, out| {
            let (force, torque) = wrench(history, i);
            x.frames[self.items[i].1 as usize].pull_back(force, torque, out);
        });
        let Some((w, tangents)) = tangent else { return };
        let none = [[DMat3::ZERO; 4]; 4];
        for_each_item(ex, &slots.tangents, tangents, |i, out| {
            let torque = wrench(history, i).1 * -w.stiffness;
            let frame = &x.frames[self.items[i].1 as usize];
            store_tangent(frame, &Frame::GROUND, &none, [torque, DVec3::ZERO], 1.0, out);
        });
    }
}

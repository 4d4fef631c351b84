//! A face with sixteen nodes as one carried frame with 48 columns: it turns with the rigid motion that fits them best.

use std::sync::Arc;

use glam::{DMat3, DVec3};
use huygens_core::builder::{
    self, FrameKey, FrameKind, FramePlace, MaterialNumbers, Part, PartContact, Places,
};
use huygens_core::carrier::{Carriers, Twist, TwistRows};
use huygens_core::contact::{Proxy, ProxySource};
use huygens_core::contract::{Coordinates, CoordinatesShape, Frame, FrameMotion, ItemKind, StateView};
use huygens_core::{Model, Subject};
use huygens_exec::Exec;
use huygens_geometry::{Pose, Shape};
use huygens_kernel::rotation::skew;

const NODES: usize = 16;
/// Mass of a node [kg].
pub const MASS: f64 = 0.1;
/// Sphere with which the face collides [m], and its place in the frame.
pub const RADIUS: f64 = 0.1;
pub const OFFSET: DVec3 = DVec3::new(0.02, 0.05, 0.0);

fn start(node: usize) -> DVec3 {
    let (i, j) = ((node % 4) as f64, (node / 4) as f64);
    DVec3::new(0.1 * i - 0.15, 0.12 * j - 0.18, 0.01 * i * j - 0.0225)
}

/// Nodes with three columns.
struct Nodes;

impl Coordinates for Nodes {
    fn shape(&self) -> CoordinatesShape {
        CoordinatesShape { items: NODES, q_per_item: 3, v_per_item: 3, frames: 0, kind: ItemKind::Node }
    }
    fn item_name(&self, item: usize) -> Subject {
        format!("node {item}").into()
    }
    fn initialize(&self, q: &mut [f64], v: &mut [f64]) {
        (0..NODES).for_each(|k| q[3 * k..3 * k + 3].copy_from_slice(&start(k).to_array()));
        v.fill(0.0);
    }
    fn retract(&self, _ex: &Exec, q0: &[f64], x: &[f64], q: &mut [f64]) {
        (0..q.len()).for_each(|i| q[i] = q0[i] + x[i]);
    }
    fn retract_tangent_inverse(&self, _x: &[f64]) -> Option<(usize, DMat3)> {
        None
    }
    fn frames(&self, _: &Exec, _: f64, _q: &[f64], _v: &[f64], _block: u32, _out: &mut [Frame]) {}
    fn add_inertia_force(&self, ex: &Exec, q: &[f64], _v: &[f64], acceleration: &[f64], f: &mut [f64]) {
        self.add_mass_product(ex, q, acceleration, f);
    }
    fn add_mass_product(&self, _ex: &Exec, _q: &[f64], x: &[f64], y: &mut [f64]) {
        y.iter_mut().zip(x).for_each(|(y, x)| *y += MASS * x);
    }
    fn mass_block(&self, _item: usize, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        (0..3).for_each(|k| out[4 * k] = MASS);
    }
    fn add_bias_tangent(&self, _item: usize, _q: &[f64], _v: &[f64], _damping: f64, _out: &mut [f64]) {}
    fn add_gravity(&self, _ex: &Exec, g: DVec3, _q: &[f64], f: &mut [f64]) {
        f.chunks_exact_mut(3).for_each(|f| (0..3).for_each(|k| f[k] += MASS * g[k]));
    }
    fn energy(&self, _ex: &Exec, g: DVec3, q: &[f64], v: &[f64]) -> (f64, f64) {
        let weight: f64 = q.chunks_exact(3).map(|q| -MASS * g.dot(DVec3::from_slice(q))).sum();
        (v.iter().map(|v| 0.5 * MASS * v * v).sum(), weight)
    }
}

struct Frames {
    first_q: usize,
    first_v: usize,
    first_block: u32,
}

impl Carriers for Frames {
    fn count(&self) -> usize {
        1
    }
    fn columns(&self, _frame: usize, out: &mut Vec<u32>) {
        out.extend(self.first_v as u32..(self.first_v + 3 * NODES) as u32);
    }
    fn place(&self, _ex: &Exec, x: &StateView<'_>, frames: &mut [Frame], mut twists: TwistRows<'_>) {
        let place = |k: usize| DVec3::from_slice(&x.q[self.first_q + 3 * k..]);
        let rate = |k: usize| DVec3::from_slice(&x.v[self.first_v + 3 * k..]);
        let middle = (0..NODES).map(place).sum::<DVec3>() / NODES as f64;
        let mut moment = DMat3::ZERO;
        for k in 0..NODES {
            let s = skew(place(k) - middle);
            moment += s.transpose() * s;
        }
        let inverse = moment.inverse();
        let (mut velocity, mut omega) = (DVec3::ZERO, DVec3::ZERO);
        for k in 0..NODES {
            let turn = inverse * skew(place(k) - middle);
            velocity += rate(k) / NODES as f64;
            omega += turn * rate(k);
            for c in 0..3 {
                let velocity = DVec3::AXES[c] / NODES as f64;
                twists.row(0)[3 * k + c] = Twist { velocity, omega: turn.col(c) };
            }
        }
        frames[0] = Frame {
            origin: middle,
            velocity,
            omega,
            block: self.first_block,
            motion: FrameMotion::Carried,
            ..Frame::GROUND
        };
    }
}

struct Proxies(Vec<Proxy>);

impl ProxySource for Proxies {
    fn proxies(&self) -> Vec<Proxy> {
        self.0.clone()
    }
    fn proxy_name(&self, _proxy: usize) -> String {
        "face".into()
    }
}

/// The face as a part of a mechanism.
pub struct Face {
    material: Option<usize>,
    frame: u32,
    first_block: u32,
    first_q: usize,
    first_v: usize,
}

impl Face {
    pub fn new(material: Option<usize>) -> Self {
        Self { material, frame: 0, first_block: 0, first_q: 0, first_v: 0 }
    }

    pub fn mass(&self) -> f64 {
        MASS * NODES as f64
    }

    pub fn center(&self) -> DVec3 {
        (0..NODES).map(start).sum::<DVec3>() / NODES as f64
    }

    /// Inertia of the nodes about their centre.
    pub fn inertia(&self) -> DMat3 {
        let one = |k: usize| {
            let s = skew(start(k) - self.center());
            s.transpose() * s * MASS
        };
        (0..NODES).fold(DMat3::ZERO, |sum, k| sum + one(k))
    }
}

impl Part for Face {
    fn place_coordinates(&mut self, model: &mut Model) -> builder::Result<()> {
        let place = model.add_coordinates(Box::new(Nodes));
        (self.first_block, self.first_q, self.first_v) = (place.first_block, place.first_q, place.first_v);
        Ok(())
    }
    fn place_frames(&mut self, model: &mut Model) -> builder::Result<()> {
        let Self { first_q, first_v, first_block, .. } = *self;
        self.frame = model.add_carriers(Box::new(Frames { first_q, first_v, first_block }));
        Ok(())
    }
    fn frame(&self, key: FrameKey) -> Option<FramePlace> {
        (key == FrameKey { kind: FrameKind::NODE, item: 0, piece: 0 }).then(|| FramePlace {
            frame: self.frame,
            blocks: (self.first_block..self.first_block + NODES as u32).collect(),
            offset: DVec3::ZERO,
            pose: Some((self.center(), DMat3::IDENTITY)),
        })
    }
    fn frame_name(&self, _key: FrameKey) -> Option<String> {
        Some("face".into())
    }
    fn place_batches(&mut self, _model: &mut Model, _places: &Places<'_>) -> builder::Result<()> {
        Ok(())
    }
    fn contact(
        &self,
        _places: &Places<'_>,
        materials: &MaterialNumbers,
    ) -> builder::Result<Option<PartContact>> {
        let Some(material) = self.material else { return Ok(None) };
        let proxy = Proxy {
            shape: Shape::sphere(RADIUS).unwrap(),
            pose: Pose { position: OFFSET, ..Pose::IDENTITY },
            frame: self.frame,
            material: materials.number(&"face".into(), material as u32)?,
            group: 1,
            mask: u32::MAX,
            family: 0,
        };
        Ok(Some(PartContact { source: Arc::new(Proxies(vec![proxy])), exclusions: Vec::new() }))
    }
}

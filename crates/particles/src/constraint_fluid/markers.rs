//! Markers as coordinates: three columns each, one mass for all.

use huygens_core::contract::{Coordinates, CoordinatesShape, Frame, FrameMotion, ItemKind};
use huygens_core::{ObjectRef, Subject};
use huygens_exec::Exec;
use huygens_kernel::{Mat3, Vec3};

/// Numbers a parallel chunk works on.
const CHUNK: usize = 3 * 1024;

/// Fluid markers in the model.
pub(super) struct FluidMarkers {
    pub name: String,
    pub mass: f64,
    pub positions: Vec<Vec3>,
    pub velocities: Vec<Vec3>,
    /// Whether each has a frame that contacts attach to.
    pub frames: bool,
    /// Acceleration besides gravity [m/s²].
    pub acceleration: Vec3,
    /// Normal of the plane of the flow.
    pub normal: Option<usize>,
}

impl FluidMarkers {
    /// Gravity and the other acceleration together, in the plane of the flow.
    fn pull(&self, g: Vec3) -> Vec3 {
        let mut sum = g + self.acceleration;
        self.normal.into_iter().for_each(|normal| sum[normal] = 0.0);
        sum
    }
}

impl Coordinates for FluidMarkers {
    fn shape(&self) -> CoordinatesShape {
        let items = self.positions.len();
        CoordinatesShape {
            items,
            q_per_item: 3,
            v_per_item: 3,
            frames: if self.frames { items } else { 0 },
            kind: ItemKind::Marker,
        }
    }

    fn item_name(&self, item: usize) -> Subject {
        Subject::part(format!("marker {item}"), ObjectRef::new("fluid", &self.name))
    }

    fn initialize(&self, q: &mut [f64], v: &mut [f64]) {
        for (item, (x, u)) in self.positions.iter().zip(&self.velocities).enumerate() {
            q[3 * item..3 * item + 3].copy_from_slice(&x.to_array());
            v[3 * item..3 * item + 3].copy_from_slice(&u.to_array());
        }
    }

    fn retract(&self, ex: &Exec, q0: &[f64], x: &[f64], q: &mut [f64]) {
        ex.for_each_chunk(q, CHUNK, |chunk, q| {
            let first = chunk * CHUNK;
            let (q0, x) = (&q0[first..][..q.len()], &x[first..][..q.len()]);
            q.iter_mut().zip(q0).zip(x).for_each(|((q, q0), x)| *q = q0 + x);
        });
    }

    fn retract_tangent_inverse(&self, _x: &[f64]) -> Option<(usize, Mat3)> {
        None
    }

    fn frames(&self, ex: &Exec, _time: f64, q: &[f64], v: &[f64], first_block: u32, out: &mut [Frame]) {
        ex.for_each_chunk(out, CHUNK, |chunk, out| {
            for (item, frame) in (chunk * CHUNK..).zip(out) {
                *frame = Frame {
                    origin: Vec3::from_slice(&q[3 * item..]),
                    velocity: Vec3::from_slice(&v[3 * item..]),
                    block: first_block + item as u32,
                    motion: FrameMotion::Point { columns: 3 },
                    ..Frame::GROUND
                };
            }
        });
    }

    fn add_inertia_force(&self, ex: &Exec, q: &[f64], _v: &[f64], acceleration: &[f64], f: &mut [f64]) {
        self.add_mass_product(ex, q, acceleration, f);
    }

    fn add_mass_product(&self, ex: &Exec, _q: &[f64], x: &[f64], y: &mut [f64]) {
        ex.for_each_chunk(y, CHUNK, |chunk, y| {
            y.iter_mut().zip(&x[chunk * CHUNK..]).for_each(|(y, x)| *y += self.mass * x);
        });
    }

    fn mass_block(&self, _item: usize, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        (0..3).for_each(|k| out[4 * k] = self.mass);
    }

    fn add_bias_tangent(&self, _item: usize, _q: &[f64], _v: &[f64], _damping: f64, _out: &mut [f64]) {}

    fn add_gravity(&self, ex: &Exec, g: Vec3, _q: &[f64], f: &mut [f64]) {
        let g = self.pull(g);
        ex.for_each_chunk(f, CHUNK, |_, f| {
            for f in f.chunks_exact_mut(3) {
                (0..3).for_each(|k| f[k] += self.mass * g[k]);
            }
        });
    }

    fn energy(&self, ex: &Exec, g: Vec3, q: &[f64], v: &[f64]) -> (f64, f64) {
        let sum =
            |of: &(dyn Fn(usize) -> f64 + Sync)| ex.sum(q.len() / 3, CHUNK, |range| range.map(of).sum());
        let g = self.pull(g);
        let kinetic = sum(&|i| Vec3::from_slice(&v[3 * i..]).length_squared());
        let potential = sum(&|i| -g.dot(Vec3::from_slice(&q[3 * i..])));
        (0.5 * self.mass * kinetic, self.mass * potential)
    }
}

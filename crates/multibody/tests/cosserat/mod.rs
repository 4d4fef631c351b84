//! Cosserat points as a part of a mechanism: affine bodies $x = r + X^N d_N$ with twelve columns each.
//!
//! They show that the contracts carry frames that deform; the engine knows nothing of them.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use huygens_core::builder::{
    self, FrameKey, FrameKind, FramePlace, MaterialNumbers, Part, PartContact, Places,
};
use huygens_core::carrier::{Carriers, Deformation, MaterialPoint, Twist, TwistRows};
use huygens_core::contact::{PlacedShape, Proxy, ProxySource};
use huygens_core::contract::{
    Coordinates, CoordinatesShape, ElementBatch, Frame, FrameMotion, ItemKind, Layout, Slots, StateView,
    Weights,
};
use huygens_core::{Model, Subject};
use huygens_exec::Exec;
use huygens_geometry::{Pose, Shape};
use huygens_kernel::rotation::skew;

/// One point with its start.
#[derive(Clone, Debug)]
pub struct Point {
    pub mass: f64,
    /// Semi-axes of its ellipsoid [m].
    pub radii: DVec3,
    /// Lamé's constants [Pa]; without them it is an affine body without stiffness.
    pub lame: [f64; 2],
    pub position: DVec3,
    pub directors: DMat3,
    pub velocity: DVec3,
    pub director_rates: DMat3,
}

impl Default for Point {
    fn default() -> Self {
        Self {
            mass: 1.0,
            radii: DVec3::new(0.3, 0.2, 0.15),
            lame: [0.0; 2],
            position: DVec3::ZERO,
            directors: DMat3::IDENTITY,
            velocity: DVec3::ZERO,
            director_rates: DMat3::ZERO,
        }
    }
}

impl Point {
    /// Masses of the four vectors.
    pub fn masses(&self) -> [f64; 4] {
        let part = |a: f64| self.mass * a * a / 5.0;
        [self.mass, part(self.radii.x), part(self.radii.y), part(self.radii.z)]
    }

    pub fn volume(&self) -> f64 {
        4.0 / 3.0 * std::f64::consts::PI * self.radii.x * self.radii.y * self.radii.z
    }
}

/// Position and directors, or velocity and their rates.
fn read(x: &[f64]) -> (DVec3, DMat3) {
    (DVec3::from_slice(x), DMat3::from_cols_slice(&x[3..12]))
}

/// The coordinates of all points.
struct Batch(Arc<Vec<Point>>);

impl Coordinates for Batch {
    fn shape(&self) -> CoordinatesShape {
        let kind = ItemKind::Node;
        CoordinatesShape { items: self.0.len(), q_per_item: 12, v_per_item: 12, frames: 0, kind }
    }
    fn item_name(&self, item: usize) -> Subject {
        format!("point {item}").into()
    }
    fn initialize(&self, q: &mut [f64], v: &mut [f64]) {
        for (k, point) in self.0.iter().enumerate() {
            q[12 * k..12 * k + 3].copy_from_slice(&point.position.to_array());
            q[12 * k + 3..12 * k + 12].copy_from_slice(&point.directors.to_cols_array());
            v[12 * k..12 * k + 3].copy_from_slice(&point.velocity.to_array());
            v[12 * k + 3..12 * k + 12].copy_from_slice(&point.director_rates.to_cols_array());
        }
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
        for (k, point) in self.0.iter().enumerate() {
            let masses = point.masses();
            (0..12).for_each(|i| y[12 * k + i] += masses[i / 3] * x[12 * k + i]);
        }
    }
    fn mass_block(&self, item: usize, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let masses = self.0[item].masses();
        (0..12).for_each(|i| out[13 * i] = masses[i / 3]);
    }
    fn add_bias_tangent(&self, _item: usize, _q: &[f64], _v: &[f64], _damping: f64, _out: &mut [f64]) {}
    fn add_gravity(&self, _ex: &Exec, g: DVec3, _q: &[f64], f: &mut [f64]) {
        for (k, point) in self.0.iter().enumerate() {
            (0..3).for_each(|i| f[12 * k + i] += point.mass * g[i]);
        }
    }
    fn energy(&self, _ex: &Exec, g: DVec3, q: &[f64], v: &[f64]) -> (f64, f64) {
        let (mut kinetic, mut potential) = (0.0, 0.0);
        for (k, point) in self.0.iter().enumerate() {
            let masses = point.masses();
            kinetic += (0..12).map(|i| 0.5 * masses[i / 3] * v[12 * k + i].powi(2)).sum::<f64>();
            potential -= point.mass * g.dot(DVec3::from_slice(&q[12 * k..]));
        }
        (kinetic, potential)
    }
}

/// Strain energy $V_0[\frac\lambda8(d_K\cdot d_K - 3)^2 + \frac\mu4\|F^TF - I\|^2]$ of each point.
struct Elastic {
    points: Arc<Vec<Point>>,
    first_block: u32,
    first: usize,
}

impl Elastic {
    /// Director forces $k^N$ as columns.
    fn forces(point: &Point, d: DMat3) -> DMat3 {
        let ([lambda, mu], c) = (point.lame, d.transpose() * d);
        let trace = c.x_axis.x + c.y_axis.y + c.z_axis.z - 3.0;
        (d * (0.5 * lambda * trace) + d * (c - DMat3::IDENTITY) * mu) * point.volume()
    }
}

impl ElementBatch for Elastic {
    fn layout(&self) -> Layout {
        let mut layout = Layout::default();
        (0..self.points.len()).for_each(|k| layout.push(&[self.first_block + k as u32], 0));
        layout
    }
    fn item_name(&self, item: usize) -> Subject {
        format!("strain of point {item}").into()
    }
    fn evaluate(
        &self,
        _ex: &Exec,
        x: &StateView<'_>,
        _history: &[f64],
        slots: &Slots,
        values: &mut [f64],
        tangent: Option<(&Weights, &mut [f64])>,
    ) {
        let directors = |k: usize| read(&x.q[self.first + 12 * k..]).1;
        for (k, point) in self.points.iter().enumerate() {
            let force = -Self::forces(point, directors(k));
            let slot = &mut values[slots.values[k]..slots.values[k + 1]];
            slot[..3].fill(0.0);
            slot[3..].copy_from_slice(&force.to_cols_array());
        }
        let Some((w, tangent)) = tangent else { return };
        let outer = |a: DVec3, b: DVec3| DMat3::from_cols(a * b.x, a * b.y, a * b.z);
        for (k, point) in self.points.iter().enumerate() {
            let ([lambda, mu], d) = (point.lame, directors(k));
            let c = d.transpose() * d;
            let trace = c.x_axis.x + c.y_axis.y + c.z_axis.z - 3.0;
            let slot = &mut tangent[slots.tangents[k]..slots.tangents[k + 1]];
            for n in 0..3 {
                for p in 0..3 {
                    let same = if n == p { 1.0 } else { 0.0 };
                    let eye = 0.5 * lambda * trace * same + mu * (c.col(p)[n] - same);
                    let block = DMat3::IDENTITY * eye
                        + outer(d.col(n), d.col(p)) * lambda
                        + (d * d.transpose() * same + outer(d.col(p), d.col(n))) * mu;
                    for column in 0..3 {
                        for row in 0..3 {
                            slot[(3 + 3 * n + row) * 12 + 3 + 3 * p + column] +=
                                w.stiffness * point.volume() * block.col(column)[row];
                        }
                    }
                }
            }
        }
    }
    fn energy(&self, _ex: &Exec, x: &StateView<'_>, _history: &[f64]) -> f64 {
        let one = |(k, point): (usize, &Point)| {
            let d = read(&x.q[self.first + 12 * k..]).1;
            let strain = d.transpose() * d - DMat3::IDENTITY;
            let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
            let square: f64 = strain.to_cols_array().iter().map(|e| e * e).sum();
            point.volume() * (point.lame[0] / 8.0 * trace * trace + point.lame[1] / 4.0 * square)
        };
        self.points.iter().enumerate().map(one).sum()
    }
}

/// The rotation R and the stretch U of $F = RU$.
pub fn polar(f: DMat3) -> (DMat3, DMat3) {
    let mut r = f;
    for _ in 0..60 {
        let next = (r + r.inverse().transpose()) * 0.5;
        let change = (next - r).to_cols_array().iter().fold(0.0f64, |m, x| m.max(x.abs()));
        r = next;
        if change < 1e-16 {
            break;
        }
    }
    (r, r.transpose() * f)
}

/// The vector w of the skew matrix $B - B^T = \tilde w$.
fn axial(b: DMat3) -> DVec3 {
    DVec3::new(b.y_axis.z - b.z_axis.y, b.z_axis.x - b.x_axis.z, b.x_axis.y - b.y_axis.x)
}

fn trace(m: DMat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}

/// Frames at the centres with the axes of the polar decomposition.
struct Frames {
    count: usize,
    first_q: usize,
    first_v: usize,
    first_block: u32,
}

impl Frames {
    fn state(&self, x: &StateView<'_>, k: usize) -> [(DVec3, DMat3); 2] {
        [read(&x.q[self.first_q + 12 * k..]), read(&x.v[self.first_v + 12 * k..])]
    }
}

impl Carriers for Frames {
    fn count(&self) -> usize {
        self.count
    }
    fn columns(&self, frame: usize, out: &mut Vec<u32>) {
        let first = (self.first_v + 12 * frame) as u32;
        out.extend(first..first + 12);
    }
    fn place(&self, ex: &Exec, x: &StateView<'_>, frames: &mut [Frame], twists: TwistRows<'_>) {
        twists.for_each_frame(ex, frames, 16, |k, frame, row| {
            let [(origin, f), (velocity, rate)] = self.state(x, k);
            // (tr U I − U) ω = ax(RᵀḞ) in the axes of R.
            let (r, u) = polar(f);
            let inverse = (DMat3::from_diagonal(DVec3::splat(trace(u))) - u).inverse();
            let turn = |rate: DMat3| inverse * axial(r.transpose() * rate);
            let (b, omega) = (r.transpose() * rate, turn(rate));
            let stretching = b - skew(omega) * u;
            let change = DMat3::from_diagonal(DVec3::splat(trace(stretching))) - stretching;
            let alpha = inverse * (axial(-(skew(omega) * b)) - change * omega);
            for (i, twist) in row.iter_mut().enumerate() {
                let axis = DVec3::AXES[i % 3];
                *twist = if i < 3 {
                    Twist { velocity: axis, omega: DVec3::ZERO }
                } else {
                    let mut unit = DMat3::ZERO;
                    *unit.col_mut(i / 3 - 1) = axis;
                    Twist { velocity: DVec3::ZERO, omega: r * turn(unit) }
                };
            }
            *frame = Frame {
                origin,
                axes: r,
                velocity,
                omega: r * omega,
                alpha_bias: r * alpha,
                block: self.first_block + k as u32,
                motion: FrameMotion::Deforming,
                ..Frame::GROUND
            };
        });
    }
    fn deformation(&self, _frame: usize) -> Option<&dyn Deformation> {
        Some(self)
    }
}

impl Deformation for Frames {
    fn material(&self, x: &StateView<'_>, frame: usize, point: DVec3) -> DVec3 {
        let [(origin, f), _] = self.state(x, frame);
        f.inverse() * (point - origin)
    }
    fn point(&self, x: &StateView<'_>, frame: usize, material: DVec3) -> MaterialPoint {
        let [(origin, f), (velocity, rate)] = self.state(x, frame);
        MaterialPoint {
            position: origin + f * material,
            velocity: velocity + rate * material,
            acceleration_bias: DVec3::ZERO,
        }
    }
    fn at_point(&self, _x: &StateView<'_>, _frame: usize, material: DVec3, out: &mut [Twist]) {
        let weights = [1.0, material.x, material.y, material.z];
        out.iter_mut().enumerate().for_each(|(i, t)| t.velocity = DVec3::AXES[i % 3] * weights[i / 3]);
    }
}

/// Semi-axes and their directions of the ellipsoid that `a` makes of the unit ball, by Jacobi's rotations of $AA^T$.
pub fn ellipsoid(a: DMat3) -> (DVec3, DMat3) {
    let (mut m, mut axes) = (a * a.transpose(), DMat3::IDENTITY);
    for _ in 0..30 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if m.col(q)[p].abs() < 1e-300 {
                continue;
            }
            let angle = 0.5 * (2.0 * m.col(q)[p]).atan2(m.col(q)[q] - m.col(p)[p]);
            let mut turn = DMat3::IDENTITY;
            let (s, c) = angle.sin_cos();
            (turn.col_mut(p)[p], turn.col_mut(q)[q]) = (c, c);
            (turn.col_mut(q)[p], turn.col_mut(p)[q]) = (s, -s);
            m = turn.transpose() * m * turn;
            axes *= turn;
        }
    }
    if axes.determinant() < 0.0 {
        axes.z_axis = -axes.z_axis;
    }
    (DVec3::new(m.x_axis.x.sqrt(), m.y_axis.y.sqrt(), m.z_axis.z.sqrt()), axes)
}

/// The ellipsoids of all points.
struct Ellipsoids {
    points: Arc<Vec<Point>>,
    first_q: usize,
    first_v: usize,
    proxies: Vec<Proxy>,
}

impl ProxySource for Ellipsoids {
    fn proxies(&self) -> Vec<Proxy> {
        self.proxies.clone()
    }
    fn proxy_name(&self, proxy: usize) -> String {
        format!("point {proxy}")
    }
    fn reshapes(&self) -> bool {
        true
    }
    fn shape_at(&self, proxy: usize, x: &StateView<'_>) -> Option<PlacedShape> {
        let scale = DMat3::from_diagonal(self.points[proxy].radii);
        let f = read(&x.q[self.first_q + 12 * proxy..]).1;
        let rate = read(&x.v[self.first_v + 12 * proxy..]).1;
        let (radii, axes) = ellipsoid(f * scale);
        let rotation = DQuat::from_mat3(&(polar(f).0.transpose() * axes)).normalize();
        let stretch_speed = (rate * scale).to_cols_array().iter().map(|v| v * v).sum::<f64>().sqrt();
        let pose = Pose { position: DVec3::ZERO, rotation };
        Some(PlacedShape { shape: Shape::Ellipsoid { radii }, pose, stretch_speed })
    }
}

/// Cosserat points among the bodies of a mechanism; [`huygens_multibody::Carrier::External`] is the number of a point.
pub struct Points {
    points: Arc<Vec<Point>>,
    /// Number of the contact material, where they collide.
    material: Option<usize>,
    pub first_block: u32,
    pub first_frame: u32,
    pub first_q: usize,
    pub first_v: usize,
}

impl Points {
    pub fn new(points: Vec<Point>, material: Option<usize>) -> Self {
        let points = Arc::new(points);
        Self { points, material, first_block: 0, first_frame: 0, first_q: 0, first_v: 0 }
    }
}

impl Part for Points {
    fn place_coordinates(&mut self, model: &mut Model) -> builder::Result<()> {
        let place = model.add_coordinates(Box::new(Batch(self.points.clone())));
        (self.first_block, self.first_q, self.first_v) = (place.first_block, place.first_q, place.first_v);
        Ok(())
    }
    fn place_frames(&mut self, model: &mut Model) -> builder::Result<()> {
        let Self { first_block, first_q, first_v, .. } = *self;
        let count = self.points.len();
        self.first_frame = model.add_carriers(Box::new(Frames { count, first_q, first_v, first_block }));
        Ok(())
    }
    fn frame(&self, key: FrameKey) -> Option<FramePlace> {
        let point = self.points.get(key.item as usize).filter(|_| key.kind == FrameKind::NODE)?;
        Some(FramePlace {
            frame: self.first_frame + key.item,
            blocks: vec![self.first_block + key.item],
            offset: DVec3::ZERO,
            pose: Some((point.position, polar(point.directors).0)),
        })
    }
    fn place_batches(&mut self, model: &mut Model, _places: &Places<'_>) -> builder::Result<()> {
        if self.points.iter().any(|p| p.lame != [0.0; 2]) {
            let (points, first_block, first) = (self.points.clone(), self.first_block, self.first_q);
            model.add_elements(Arc::new(Elastic { points, first_block, first }));
        }
        Ok(())
    }
    fn contact(
        &self,
        _places: &Places<'_>,
        materials: &MaterialNumbers,
    ) -> builder::Result<Option<PartContact>> {
        let Some(material) = self.material else { return Ok(None) };
        let material = materials.number(&"Cosserat points".into(), material as u32)?;
        let proxy = |(k, p): (usize, &Point)| Proxy {
            shape: Shape::Ellipsoid { radii: p.radii },
            pose: Pose::IDENTITY,
            frame: self.first_frame + k as u32,
            material,
            group: 1,
            mask: u32::MAX,
            family: 0,
        };
        let proxies = self.points.iter().enumerate().map(proxy).collect();
        let (points, first_q, first_v) = (self.points.clone(), self.first_q, self.first_v);
        let source = Arc::new(Ellipsoids { points, first_q, first_v, proxies });
        Ok(Some(PartContact { source, exclusions: Vec::new() }))
    }
}

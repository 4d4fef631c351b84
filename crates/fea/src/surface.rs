//! Contact surfaces: segments of lines and facets of skins, as frames that their nodes carry.
//!
//! A point of a line between two nodes moves with all vectors of both: $r = \sum_k w_k x_k$, with weights from the
//! shape functions. A segment from $r_a$ to $r_b$, chord $d = r_b - r_a$, has
//! $$ \omega = \frac{d\times\dot d}{|d|^2} + e\,e\cdot\omega_s, \qquad e = d/|d|, $$
//! where the spin $\omega_s$ about its axis comes from nodes with a rotation or with gradients; cables have none, so
//! that friction cannot twist them. A facet turns with the rigid motion that fits its corners best. Contact forces go
//! back through the transpose of the same map: power is conserved.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use huygens_core::carrier::{Carriers, Twist, TwistRows};
use huygens_core::contact::{PlacedShape, Proxy, ProxySource};
use huygens_core::contract::{Frame, FrameMotion, StateView};
use huygens_exec::Exec;
use huygens_geometry::{Pose, Shape};
use huygens_kernel::cable::hermite;
use huygens_kernel::rotation::skew;

use crate::element::batch::NodePlace;
use crate::element::kind::LineShape;
use crate::error::{FeaError, Result, positive};
use crate::structure::{Element, NodeKind, Structure};

/// Frames a parallel chunk works on.
const CHUNK: usize = 64;
/// Most segments of an element.
const MOST_SEGMENTS: usize = 1000;

/// The form in which a structure meets others.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum SurfaceShape {
    /// Lines as capsules, `segments` to an element.
    Capsules {
        /// Segments of an element; cables bend within an element.
        segments: usize,
    },
    /// Lines as rows of balls, `segments` to an element.
    Spheres {
        /// Balls of an element.
        segments: usize,
    },
    /// Capsules for lines, one to an element, and the triangles of the skin for solids, with a border.
    #[default]
    Automatic,
}

/// How a structure touches others, and itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSurface {
    /// Number of its material among those of the model.
    pub material: usize,
    /// Radius of lines, or border of a skin [m]; lines have that of their section if absent.
    pub radius: Option<f64>,
    /// Form.
    pub shape: SurfaceShape,
    /// Whether its parts touch each other.
    pub self_contact: bool,
    /// Groups it belongs to, as bits.
    pub group: u32,
    /// Groups it touches, as bits.
    pub mask: u32,
}

/// What a node adds to the spin of a segment about its axis.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Spin {
    None,
    /// The angular velocity of a node with a rotation, whose quaternion starts here.
    Rotation(usize),
    /// The turn of a gradient across the axis.
    Gradient,
}

/// A vector of a node and what it does to a segment.
#[derive(Clone, Copy, Debug)]
struct Vector {
    block: u32,
    /// Place in `q` and in `v`; rotations are read through [`Spin::Rotation`].
    q: usize,
    v: usize,
    /// Weights at both ends of the segment.
    ends: [f64; 2],
    spin: Spin,
    /// Weight of the spin.
    share: f64,
}

/// A piece of a line.
#[derive(Clone, Debug)]
struct Segment {
    vectors: Vec<Vector>,
    /// Whether supports hold all its nodes.
    rests: bool,
}

/// Segments and facets of one structure as frames.
pub struct SurfaceFrames {
    segments: Vec<Segment>,
    facets: Vec<([NodePlace; 3], bool)>,
}

/// Makes a frame that rests part of the ground.
fn settle(rests: bool, frame: &mut Frame) {
    if rests {
        *frame = Frame { origin: frame.origin, axes: frame.axes, ..Frame::GROUND };
    }
}

/// Twists of the three columns of a vector: $v = w\,\dot x$, $\omega = A\,\dot x$. A frame that rests has no row.
fn write_twists(row: &mut [Twist], vector: usize, linear: f64, angular: DMat3) {
    if let Some(row) = row.get_mut(3 * vector..3 * vector + 3) {
        for (k, twist) in row.iter_mut().enumerate() {
            *twist = Twist { velocity: linear * DVec3::AXES[k], omega: angular.col(k) };
        }
    }
}

impl Segment {
    fn new(
        structure: &Structure,
        element: &Element,
        place: &dyn Fn(u32) -> NodePlace,
        from: f64,
        to: f64,
    ) -> Self {
        let mut vectors = Vec::new();
        let nodes = element.nodes();
        // A line with three nodes is two with two.
        let (nodes, from, to) = match nodes {
            [a, b, _] if to <= 0.5 => (vec![*a, *b], 2.0 * from, 2.0 * to),
            [_, b, c] => (vec![*b, *c], 2.0 * from - 1.0, 2.0 * to - 1.0),
            _ => (nodes.to_vec(), from, to),
        };
        let length = structure.rest_length(element);
        let shape = element.kind().line();
        let bent = matches!(shape, Some(LineShape::Cubic { .. }));
        let [a, b] = [from, to].map(|t| if bent { hermite(t, length)[0] } else { [1.0 - t, 0.0, t, 0.0] });
        let middle = 0.5 * (from + to);
        for (k, &node) in nodes.iter().enumerate() {
            let (at, share) = (place(node), if k == 0 { 1.0 - middle } else { middle });
            let vector = |index: usize, ends: [f64; 2], spin: Spin| Vector {
                block: at.block,
                q: at.q + 3 * index,
                v: at.v + 3 * index,
                ends,
                spin,
                share,
            };
            vectors.push(vector(0, [a[2 * k], b[2 * k]], Spin::None));
            match structure.nodes[node as usize].kind {
                NodeKind::Frame => vectors.push(vector(1, [0.0; 2], Spin::Rotation(at.q + 3))),
                NodeKind::Slope | NodeKind::Slopes | NodeKind::Gradients if bent => {
                    vectors.push(vector(1, [a[2 * k + 1], b[2 * k + 1]], Spin::None));
                    if shape == Some(LineShape::Cubic { turns: true }) {
                        vectors.push(vector(2, [0.0; 2], Spin::Gradient));
                    }
                }
                _ => {}
            }
        }
        Self { vectors, rests: false }
    }

    fn place(&self, x: &StateView<'_>, frame: &mut Frame, row: &mut [Twist]) {
        let read = |from: &[f64], at: usize| DVec3::from_slice(&from[at..at + 3]);
        let (mut start, mut end) = (DVec3::ZERO, DVec3::ZERO);
        for v in self.vectors.iter().filter(|v| v.ends != [0.0; 2]) {
            let value = read(x.q, v.q);
            start += v.ends[0] * value;
            end += v.ends[1] * value;
        }
        let chord = end - start;
        let length2 = chord.length_squared().max(f64::MIN_POSITIVE);
        let axis = chord / length2.sqrt();
        let along = DMat3::from_cols(axis * axis.x, axis * axis.y, axis * axis.z);
        // A gradient that leans along the axis turns with the chord too: that part is not spin.
        let mut lean = DVec3::ZERO;
        for v in self.vectors.iter().filter(|v| v.spin == Spin::Gradient) {
            let g = read(x.q, v.q);
            let across = g - axis * axis.dot(g);
            lean += across * (v.share * axis.dot(g) / across.length_squared().max(f64::MIN_POSITIVE));
        }
        let turned = DMat3::IDENTITY + DMat3::from_cols(axis * lean.x, axis * lean.y, axis * lean.z);
        let (mut velocity, mut omega) = (DVec3::ZERO, DVec3::ZERO);
        for (k, v) in self.vectors.iter().enumerate() {
            let linear = 0.5 * (v.ends[0] + v.ends[1]);
            let angular = match v.spin {
                Spin::None => turned * skew(chord) * ((v.ends[1] - v.ends[0]) / length2),
                Spin::Rotation(at) => {
                    let r = DQuat::from_slice(&x.q[at..at + 4]);
                    along * DMat3::from_quat(r) * v.share
                }
                Spin::Gradient => {
                    let g = read(x.q, v.q);
                    let across = g - axis * axis.dot(g);
                    along * skew(across) * (v.share / across.length_squared().max(f64::MIN_POSITIVE))
                }
            };
            let rate = read(x.v, v.v);
            velocity += linear * rate;
            omega += angular * rate;
            write_twists(row, k, linear, angular);
        }
        let (u, w) = axis.any_orthonormal_pair();
        *frame = Frame {
            origin: 0.5 * (start + end),
            axes: DMat3::from_cols(u, w, axis),
            velocity,
            omega,
            alpha_bias: self.turning_bias(x, chord, lean),
            block: self.vectors[0].block,
            motion: FrameMotion::Carried,
            ..Frame::GROUND
        };
        settle(self.rests, frame);
    }

    /// Angular acceleration while all velocities stay: with $\theta = d\times\dot d/|d|^2$, lean $l$ and spin $s$,
    /// $\omega = \theta + e\,(l\cdot\theta + s)$ and $\dot e = \theta\times e$.
    fn turning_bias(&self, x: &StateView<'_>, chord: DVec3, lean: DVec3) -> DVec3 {
        let read = |from: &[f64], at: usize| DVec3::from_slice(&from[at..at + 3]);
        let length2 = chord.length_squared().max(f64::MIN_POSITIVE);
        let axis = chord / length2.sqrt();
        let straight = self.vectors.iter().filter(|v| v.ends != [0.0; 2]);
        let chord_rate: DVec3 = straight.map(|v| (v.ends[1] - v.ends[0]) * read(x.v, v.v)).sum();
        let swing = chord.cross(chord_rate) / length2;
        let swing_rate = swing * (-2.0 * chord.dot(chord_rate) / length2);
        let axis_rate = swing.cross(axis);
        let (mut lean_rate, mut spin, mut spin_rate) = (DVec3::ZERO, 0.0, 0.0);
        for v in &self.vectors {
            let rate = read(x.v, v.v);
            match v.spin {
                Spin::None => {}
                Spin::Rotation(at) => {
                    // Turned by itself the node's angular velocity stays.
                    let omega = DQuat::from_slice(&x.q[at..at + 4]) * rate;
                    spin += v.share * axis.dot(omega);
                    spin_rate += v.share * axis_rate.dot(omega);
                }
                Spin::Gradient => {
                    let g = read(x.q, v.q);
                    let (along, along_rate) = (axis.dot(g), axis_rate.dot(g) + axis.dot(rate));
                    let across = g - axis * along;
                    let across_rate = rate - axis_rate * along - axis * along_rate;
                    let size = across.length_squared().max(f64::MIN_POSITIVE);
                    let shrink = 2.0 * across.dot(across_rate) / size;
                    let tilt = across_rate * along + across * (along_rate - along * shrink);
                    lean_rate += tilt * (v.share / size);
                    let turn = across.cross(rate);
                    let turn_rate = axis_rate.dot(turn) + axis.dot(across_rate.cross(rate) - turn * shrink);
                    spin += v.share * axis.dot(turn) / size;
                    spin_rate += v.share * turn_rate / size;
                }
            }
        }
        let about = lean.dot(swing) + spin;
        let about_rate = lean_rate.dot(swing) + lean.dot(swing_rate) + spin_rate;
        swing_rate + axis_rate * about + axis * about_rate
    }
}

/// Corners of a facet, their middle, and the inverse of their second moment about it.
fn facet_motion(corners: [DVec3; 3]) -> (DVec3, DMat3) {
    let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
    let mut moment = DMat3::ZERO;
    for corner in corners {
        let s = skew(corner - middle);
        moment += s.transpose() * s;
    }
    (middle, moment.inverse())
}

fn place_facet(nodes: &[NodePlace; 3], x: &StateView<'_>, frame: &mut Frame, row: &mut [Twist]) {
    let read = |from: &[f64], at: usize| DVec3::from_slice(&from[at..at + 3]);
    let corners = nodes.map(|n| read(x.q, n.q));
    let (middle, inverse) = facet_motion(corners);
    let (mut velocity, mut omega) = (DVec3::ZERO, DVec3::ZERO);
    for (k, (node, corner)) in nodes.iter().zip(corners).enumerate() {
        let angular = inverse * skew(corner - middle);
        let rate = read(x.v, node.v);
        velocity += rate / 3.0;
        omega += angular * rate;
        write_twists(row, k, 1.0 / 3.0, angular);
    }
    // With the second moment M about the middle: d(Mω) = Σ ṡ × v = 0 while the velocities stay.
    let mut bias = DVec3::ZERO;
    for (node, corner) in nodes.iter().zip(corners) {
        let (s, rate) = (corner - middle, read(x.v, node.v) - velocity);
        bias += rate.cross(s.cross(omega)) + s.cross(rate.cross(omega));
    }
    *frame = Frame {
        origin: middle,
        velocity,
        omega,
        alpha_bias: inverse * bias,
        block: nodes[0].block,
        motion: FrameMotion::Carried,
        ..Frame::GROUND
    };
}

impl Carriers for SurfaceFrames {
    fn count(&self) -> usize {
        self.segments.len() + self.facets.len()
    }

    fn columns(&self, frame: usize, out: &mut Vec<u32>) {
        let mut add = |first: usize| out.extend((first..first + 3).map(|c| c as u32));
        match self.segments.get(frame) {
            Some(segment) if segment.rests => {}
            Some(segment) => segment.vectors.iter().for_each(|v| add(v.v)),
            None => {
                let (nodes, rests) = &self.facets[frame - self.segments.len()];
                nodes.iter().filter(|_| !rests).for_each(|node| add(node.v));
            }
        }
    }

    fn place(&self, ex: &Exec, x: &StateView<'_>, frames: &mut [Frame], twists: TwistRows<'_>) {
        twists.for_each_frame(ex, frames, CHUNK, |k, frame, row| match self.segments.get(k) {
            Some(segment) => segment.place(x, frame, row),
            None => {
                let (nodes, rests) = &self.facets[k - self.segments.len()];
                place_facet(nodes, x, frame, row);
                settle(*rests, frame);
            }
        });
    }
}

/// Proxies of one structure.
pub struct SurfaceProxies {
    name: String,
    proxies: Vec<Proxy>,
    /// Nodes of the facets; they come after the lines.
    facets: Vec<[NodePlace; 3]>,
    border: f64,
    /// Nodes of the structure that each proxy moves with.
    nodes: Vec<Vec<u32>>,
}

impl SurfaceProxies {
    /// Nodes of the structure that move a piece.
    pub fn nodes_of(&self, piece: u32) -> Option<&[u32]> {
        self.nodes.get(piece as usize).map(Vec::as_slice)
    }

    /// Frames of the pieces that a node of the structure moves.
    pub fn frames_at(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        self.proxies.iter().zip(&self.nodes).filter(move |(_, n)| n.contains(&node)).map(|(p, _)| p.frame)
    }

    /// Shapes of the pieces, in the axes of their frames.
    pub(crate) fn shapes(&self) -> Vec<Shape> {
        self.proxies.iter().map(|p| p.shape.clone()).collect()
    }

    /// Nodes of the structure on its skin, rising, and triangles over them; none for lines.
    pub(crate) fn skin(&self) -> Option<(Vec<u32>, Vec<[u32; 3]>)> {
        let lines = self.proxies.len() - self.facets.len();
        if self.facets.is_empty() || lines > 0 {
            return None;
        }
        let mut nodes: Vec<u32> = self.nodes.iter().flatten().copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        let place = |node: u32| nodes.partition_point(|n| *n < node) as u32;
        let faces = self.nodes.iter().map(|face| [face[0], face[1], face[2]].map(place)).collect();
        Some((nodes, faces))
    }
}

impl ProxySource for SurfaceProxies {
    fn proxies(&self) -> Vec<Proxy> {
        self.proxies.clone()
    }

    fn proxy_name(&self, _proxy: usize) -> String {
        format!("structure '{}'", self.name)
    }

    fn shape_at(&self, proxy: usize, x: &StateView<'_>) -> Option<PlacedShape> {
        let nodes = self.facets.get(proxy.checked_sub(self.proxies.len() - self.facets.len())?)?;
        let corners = nodes.map(|n| DVec3::from_slice(&x.q[n.q..n.q + 3]));
        let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
        let corners = corners.map(|c| c - middle);
        Some(PlacedShape::at_origin(Shape::Triangle { corners, border: self.border }))
    }

    fn reshapes(&self) -> bool {
        !self.facets.is_empty()
    }
}

/// Frames and proxies of a structure's surface, before they have a place among all frames.
pub struct Surface {
    frames: SurfaceFrames,
    shapes: Vec<Shape>,
    border: f64,
    /// Pairs of frames that never touch, counted from the first.
    apart: Vec<[u32; 2]>,
    settings: ContactSurface,
    name: String,
    /// Nodes of each piece.
    nodes: Vec<Vec<u32>>,
}

impl Surface {
    /// The surface of `structure`; `place` says where its nodes are in the model.
    pub fn new(
        structure: &Structure,
        settings: ContactSurface,
        place: &dyn Fn(u32) -> NodePlace,
    ) -> Result<Self> {
        let what = format!("contact of structure '{}'", structure.name);
        if let Some(radius) = settings.radius {
            positive(&what, "radius", radius)?;
        }
        let mut surface = Self {
            frames: SurfaceFrames { segments: Vec::new(), facets: Vec::new() },
            shapes: Vec::new(),
            border: settings.radius.unwrap_or(0.0),
            apart: Vec::new(),
            settings,
            name: structure.name.clone(),
            nodes: Vec::new(),
        };
        // Start of each piece with its nodes, to keep neighbours apart.
        let mut pieces: Vec<(Vec<u32>, DVec3, f64)> = Vec::new();
        for element in structure.elements.iter().filter(|e| e.is_line()) {
            surface.add_line(structure, element, place, &mut pieces, &what)?;
        }
        surface.add_skin(structure, place, &mut pieces, &what)?;
        surface.keep_apart(&pieces);
        surface.nodes = pieces.into_iter().map(|p| p.0).collect();
        let held = structure.held_nodes();
        let rests = |nodes: &[u32]| nodes.iter().all(|&n| held[n as usize]);
        let lines = surface.frames.segments.len();
        for (segment, nodes) in surface.frames.segments.iter_mut().zip(&surface.nodes) {
            segment.rests = rests(nodes);
        }
        for (facet, nodes) in surface.frames.facets.iter_mut().zip(&surface.nodes[lines..]) {
            facet.1 = rests(nodes);
        }
        Ok(surface)
    }

    fn add_line(
        &mut self,
        structure: &Structure,
        element: &Element,
        place: &dyn Fn(u32) -> NodePlace,
        pieces: &mut Vec<(Vec<u32>, DVec3, f64)>,
        what: &str,
    ) -> Result<()> {
        let own = element.section().and_then(|s| structure.sections[s as usize].section.radius());
        let radius = self.settings.radius.or(own).ok_or_else(|| FeaError::Mismatch {
            what: what.into(),
            reason: "sections given by their numbers have no outline: give a contact radius".into(),
        })?;
        let (segments, balls) = match self.settings.shape {
            SurfaceShape::Capsules { segments } => (segments, false),
            SurfaceShape::Spheres { segments } => (segments, true),
            SurfaceShape::Automatic => (1, false),
        };
        if !(1..=MOST_SEGMENTS).contains(&segments) {
            return Err(FeaError::Value {
                what: what.into(),
                name: "segments",
                value: segments as f64,
                expected: "it must be from 1 to 1000",
            });
        }
        let segments = if element.nodes().len() == 3 { segments.next_multiple_of(2) } else { segments };
        let step = structure.rest_length(element) / segments as f64;
        for k in 0..segments {
            let (from, to) = (k as f64 / segments as f64, (k + 1) as f64 / segments as f64);
            let segment = Segment::new(structure, element, place, from, to);
            let nodes = element.nodes();
            let near = |node: u32| structure.nodes[node as usize].position;
            let (first, last) = (near(nodes[0]), near(nodes[nodes.len() - 1]));
            let middle = first.lerp(last, 0.5 * (from + to));
            pieces.push((nodes.to_vec(), middle, 0.5 * step + radius));
            self.frames.segments.push(segment);
            self.shapes.push(if balls {
                Shape::Sphere { radius }
            } else {
                Shape::Capsule { radius, half_length: 0.5 * step }
            });
        }
        Ok(())
    }

    fn add_skin(
        &mut self,
        structure: &Structure,
        place: &dyn Fn(u32) -> NodePlace,
        pieces: &mut Vec<(Vec<u32>, DVec3, f64)>,
        what: &str,
    ) -> Result<()> {
        let facets: Vec<[u32; 3]> = structure.skin().triangles().collect();
        if facets.is_empty() {
            return Ok(());
        }
        let near = |node: u32| structure.nodes[node as usize].position;
        if self.border == 0.0 {
            // A twentieth of the typical edge: thin, but thick enough to be found in time.
            let edges = facets.iter().map(|[a, b, _]| near(*a).distance(near(*b)));
            self.border = 0.05 * edges.sum::<f64>() / facets.len().max(1) as f64;
            positive(what, "radius", self.border)?;
        }
        for facet in facets {
            let corners = facet.map(near);
            let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
            let reach = corners.iter().fold(0.0f64, |r, c| r.max(c.distance(middle))) + self.border;
            pieces.push((facet.to_vec(), middle, reach));
            self.frames.facets.push((facet.map(place), false));
            let corners = corners.map(|c| c - middle);
            self.shapes.push(Shape::Triangle { corners, border: self.border });
        }
        Ok(())
    }

    /// Pieces that share a node, or touch at the start, never touch.
    fn keep_apart(&mut self, pieces: &[(Vec<u32>, DVec3, f64)]) {
        if !self.settings.self_contact {
            return;
        }
        let reach = pieces.iter().fold(0.0f64, |r, p| r.max(p.2));
        let cell = |p: DVec3| (p / (2.0 * reach).max(f64::MIN_POSITIVE)).floor().to_array().map(|c| c as i64);
        let mut cells: Vec<([i64; 3], u32)> =
            pieces.iter().enumerate().map(|(k, p)| (cell(p.1), k as u32)).collect();
        cells.sort_unstable();
        for (k, (nodes, middle, reach)) in pieces.iter().enumerate() {
            let [x, y, z] = cell(*middle);
            for dx in -1..=1 {
                for dy in -1..=1 {
                    let (low, high) = ([x + dx, y + dy, z - 1], [x + dx, y + dy, z + 1]);
                    let first = cells.partition_point(|c| c.0 < low);
                    for &(_, other) in cells[first..].iter().take_while(|c| c.0 <= high) {
                        let (nodes_b, middle_b, reach_b) = &pieces[other as usize];
                        let near = middle.distance(*middle_b) < reach + reach_b;
                        if other as usize > k && (near || nodes.iter().any(|n| nodes_b.contains(n))) {
                            self.apart.push([k as u32, other]);
                        }
                    }
                }
            }
        }
        // Long neighbours may lie farther apart than cells reach.
        let mut by_node: Vec<(u32, u32)> =
            pieces.iter().enumerate().flat_map(|(k, p)| p.0.iter().map(move |n| (*n, k as u32))).collect();
        by_node.sort_unstable();
        for group in by_node.chunk_by(|a, b| a.0 == b.0) {
            for (i, a) in group.iter().enumerate() {
                self.apart.extend(group[i + 1..].iter().filter(|b| b.1 != a.1).map(|b| [a.1, b.1]));
            }
        }
    }

    /// Shape of each frame: first the pieces of lines, about their middles with the axis along z, then the facets of
    /// skins.
    pub fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    /// How many frames it has.
    pub fn count(&self) -> usize {
        self.shapes.len()
    }

    /// Splits it into frames, proxies on the frames from `first_frame` on with material `material`, and pairs of
    /// frames that never touch.
    pub fn publish(
        self,
        first_frame: u32,
        material: u16,
    ) -> (SurfaceFrames, Arc<SurfaceProxies>, Vec<[u32; 2]>) {
        let proxies = self.shapes.iter().enumerate().map(|(k, shape)| Proxy {
            shape: shape.clone(),
            pose: Pose::IDENTITY,
            frame: first_frame + k as u32,
            material,
            group: self.settings.group,
            mask: self.settings.mask,
            family: if self.settings.self_contact { 0 } else { first_frame + 1 },
        });
        let source = SurfaceProxies {
            name: self.name,
            proxies: proxies.collect(),
            facets: self.frames.facets.iter().map(|f| f.0).collect(),
            border: self.border,
            nodes: self.nodes,
        };
        let apart = self.apart.iter().map(|p| p.map(|k| k + first_frame)).collect();
        (self.frames, Arc::new(source), apart)
    }
}

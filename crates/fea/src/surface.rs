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
use huygens_core::contact::{Proxy, ProxySource};
use huygens_core::contract::{CarriedFrames, Frame, FrameMotion, MotionGroup, MotionMap, StateView};
use huygens_exec::Exec;
use huygens_geometry::{Pose, Shape};
use huygens_kernel::cable::hermite;
use huygens_kernel::rotation::skew;

use crate::batch::NodePlace;
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
    /// First column within the block.
    column: u32,
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

/// Makes a frame part of the ground, and says how it moves otherwise.
fn settle(rests: bool, frame: &mut Frame, map: &mut MotionMap) {
    if rests {
        *frame = Frame { origin: frame.origin, axes: frame.axes, ..Frame::GROUND };
        *map = MotionMap::default();
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
        let (nodes, from, to) = match element {
            Element::Rod3 { nodes: [a, b, _], .. } if to <= 0.5 => (vec![*a, *b], 2.0 * from, 2.0 * to),
            Element::Rod3 { nodes: [_, b, c], .. } => (vec![*b, *c], 2.0 * from - 1.0, 2.0 * to - 1.0),
            _ => (nodes.to_vec(), from, to),
        };
        let length = structure.rest_length(element);
        let bent = matches!(element, Element::Cable { .. } | Element::BeamAncf { .. });
        let [a, b] = [from, to].map(|t| if bent { hermite(t, length)[0] } else { [1.0 - t, 0.0, t, 0.0] });
        let middle = 0.5 * (from + to);
        for (k, &node) in nodes.iter().enumerate() {
            let (at, share) = (place(node), if k == 0 { 1.0 - middle } else { middle });
            let vector = |index: usize, ends: [f64; 2], spin: Spin| Vector {
                block: at.block,
                column: 3 * index as u32,
                q: at.q + 3 * index,
                v: at.v + 3 * index,
                ends,
                spin,
                share,
            };
            vectors.push(vector(0, [a[2 * k], b[2 * k]], Spin::None));
            match structure.nodes[node as usize].kind {
                NodeKind::Frame => vectors.push(vector(1, [0.0; 2], Spin::Rotation(at.q + 3))),
                NodeKind::Slope | NodeKind::Gradients if bent => {
                    vectors.push(vector(1, [a[2 * k + 1], b[2 * k + 1]], Spin::None));
                    if matches!(element, Element::BeamAncf { .. }) {
                        vectors.push(vector(2, [0.0; 2], Spin::Gradient));
                    }
                }
                _ => {}
            }
        }
        Self { vectors, rests: false }
    }

    fn place(&self, x: &StateView<'_>, frame: &mut Frame, map: &mut MotionMap) {
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
        *map = MotionMap::default();
        // A gradient that leans along the axis turns with the chord too: that part is not spin.
        let mut lean = DVec3::ZERO;
        for v in self.vectors.iter().filter(|v| v.spin == Spin::Gradient) {
            let g = read(x.q, v.q);
            let across = g - axis * axis.dot(g);
            lean += across * (v.share * axis.dot(g) / across.length_squared().max(f64::MIN_POSITIVE));
        }
        let turned = DMat3::IDENTITY + DMat3::from_cols(axis * lean.x, axis * lean.y, axis * lean.z);
        let (mut velocity, mut omega) = (DVec3::ZERO, DVec3::ZERO);
        for v in &self.vectors {
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
            map.push(MotionGroup { block: v.block, column: v.column, linear, angular });
        }
        let (u, w) = axis.any_orthonormal_pair();
        *frame = Frame {
            origin: 0.5 * (start + end),
            axes: DMat3::from_cols(u, w, axis),
            velocity,
            omega,
            block: self.vectors[0].block,
            motion: FrameMotion::Carried,
            ..Frame::GROUND
        };
        settle(self.rests, frame, map);
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

fn place_facet(nodes: &[NodePlace; 3], x: &StateView<'_>, frame: &mut Frame, map: &mut MotionMap) {
    let read = |from: &[f64], at: usize| DVec3::from_slice(&from[at..at + 3]);
    let corners = nodes.map(|n| read(x.q, n.q));
    let (middle, inverse) = facet_motion(corners);
    *map = MotionMap::default();
    let (mut velocity, mut omega) = (DVec3::ZERO, DVec3::ZERO);
    for (node, corner) in nodes.iter().zip(corners) {
        let angular = inverse * skew(corner - middle);
        let rate = read(x.v, node.v);
        velocity += rate / 3.0;
        omega += angular * rate;
        map.push(MotionGroup { block: node.block, column: 0, linear: 1.0 / 3.0, angular });
    }
    *frame = Frame {
        origin: middle,
        velocity,
        omega,
        block: nodes[0].block,
        motion: FrameMotion::Carried,
        ..Frame::GROUND
    };
}

impl CarriedFrames for SurfaceFrames {
    fn count(&self) -> usize {
        self.segments.len() + self.facets.len()
    }

    fn place(&self, ex: &Exec, x: &StateView<'_>, frames: &mut [Frame], maps: &mut [MotionMap]) {
        let mut both: Vec<(&mut Frame, &mut MotionMap)> = frames.iter_mut().zip(maps).collect();
        ex.for_each_chunk(&mut both, CHUNK, |chunk, both| {
            for (k, (frame, map)) in both.iter_mut().enumerate() {
                let k = chunk * CHUNK + k;
                match self.segments.get(k) {
                    Some(segment) => segment.place(x, frame, map),
                    None => {
                        let (nodes, rests) = &self.facets[k - self.segments.len()];
                        place_facet(nodes, x, frame, map);
                        settle(*rests, frame, map);
                    }
                }
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
}

impl ProxySource for SurfaceProxies {
    fn proxies(&self) -> Vec<Proxy> {
        self.proxies.clone()
    }

    fn proxy_name(&self, _proxy: usize) -> String {
        format!("structure '{}'", self.name)
    }

    fn shape_at(&self, proxy: usize, x: &StateView<'_>) -> Option<Shape> {
        let nodes = self.facets.get(proxy.checked_sub(self.proxies.len() - self.facets.len())?)?;
        let corners = nodes.map(|n| DVec3::from_slice(&x.q[n.q..n.q + 3]));
        let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
        Some(Shape::Triangle { corners: corners.map(|c| c - middle), border: self.border })
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
        for element in structure.elements.iter().filter(|e| !matches!(e, Element::Tetrahedron { .. })) {
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
        let segments =
            if matches!(element, Element::Rod3 { .. }) { segments.next_multiple_of(2) } else { segments };
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
        let facets = structure.skin();
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

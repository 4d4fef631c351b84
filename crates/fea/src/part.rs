//! Structures as a part of a model.

mod build;
mod loads;
mod read;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use glam::{DMat3, DVec3};
use huygens_core::Model;
use huygens_core::Subject;
use huygens_core::builder::{
    self as placing, FrameKey, FrameKind, FramePlace, MaterialNumbers, Part, PartContact, Places,
};
use huygens_core::contact::{PlacedShape, Proxy, ProxySource};
use huygens_core::contract::{Coordinates, NO_BLOCK, StateView};
use huygens_core::coupling::BoundaryId;

use crate::boundary::{StructureBoundary, Touched};
use crate::element::batch::NodePlace;
use crate::error::{FeaError, Result};
use crate::node::joint::{Carrier, JointBatch, JointItem, JointPlan, NodeJoint, NodeRef, Rows};
use crate::node::mass_damping::{DampedNode, DampedNodes};
use crate::node::{FrameNode, FrameNodes, ItemName, VectorNode, VectorNodes};
use crate::structure::{NodeKind, Structure, check_index};
use crate::surface::{Surface, SurfaceProxies};

use crate::element::kind::Built;
use build::Batches;

/// All structures of a model and the joints of their nodes.
#[derive(Clone, Debug, Default)]
pub struct Flexible {
    /// Structures. Those that were removed may stay as [vacant](Structure::is_vacant) places, so that the numbers of the
    /// others stay.
    pub structures: Vec<Structure>,
    /// Joints of nodes with each other, with bodies and with the ground.
    pub joints: Vec<NodeJoint>,
    /// Nodes that joints, springs, forces and sensors of others attach to; the place in this list is the number of the
    /// external frame.
    pub frames: Vec<NodeRef>,
}

impl Flexible {
    /// Whether everything fits; the first thing that does not.
    pub fn check(&self) -> Result<()> {
        let mut names = BTreeSet::new();
        for structure in self.structures.iter().filter(|s| !s.is_vacant()) {
            if !names.insert(&structure.name) {
                return Err(FeaError::DuplicateName { what: "structure", name: structure.name.clone() });
            }
            structure.check().map_err(|e| e.of(&structure.name))?;
        }
        let mut names = BTreeSet::new();
        for joint in &self.joints {
            if !joint.name.is_empty() && !names.insert(&joint.name) {
                return Err(FeaError::DuplicateName { what: "joint of nodes", name: joint.name.clone() });
            }
            joint.plan(&self.structures)?;
        }
        for at in &self.frames {
            check_index("an attachment", "structure", at.structure, self.structures.len())?;
            let structure = &self.structures[at.structure as usize];
            check_index("an attachment", "node", at.node, structure.nodes.len())?;
        }
        Ok(())
    }

    /// The node of a structure by the names of both.
    pub fn find_node(&self, structure: &str, node: &str) -> Result<NodeRef> {
        let index = self.structures.iter().position(|s| s.name == structure);
        let index = index.ok_or_else(|| FeaError::UnknownStructure {
            name: structure.into(),
            known: self.structures.iter().map(|s| s.name.clone()).collect(),
        })?;
        Ok(NodeRef { structure: index as u32, node: self.structures[index].find_node(node)? })
    }

    /// All joints with the pins of the structures.
    fn plans(&self) -> Result<Vec<(String, JointPlan)>> {
        let mut out = Vec::new();
        for (index, structure) in self.structures.iter().enumerate() {
            for &nodes in &structure.pins {
                let name = format!("pin at {}", structure.node_name(nodes[0]));
                let pin = NodeJoint::pin(index as u32, nodes, name);
                let plan = pin.plan(&self.structures)?;
                out.push((pin.name, plan));
            }
        }
        for joint in &self.joints {
            out.push((joint.name.clone(), joint.plan(&self.structures)?));
        }
        Ok(out)
    }
}

/// Structures that were checked, and where they stand in a model once they are placed.
pub struct FlexiblePart {
    flexible: Flexible,
    plans: Vec<(String, JointPlan)>,
    built: Vec<Vec<Built>>,
    batches: Batches,
    /// Where each node of each structure stands.
    places: Vec<Vec<NodePlace>>,
    /// Global frame of the nodes that have one.
    frames: BTreeMap<NodeRef, u32>,
    surfaces: Vec<PlacedSurface>,
    /// Pairs of frames of bodies and of pieces joined to them.
    joined: Vec<[u32; 2]>,
    /// Structures that sub-systems touch, once they are placed as boundaries.
    boundaries: BTreeMap<usize, Option<BoundaryId>>,
}

/// The contact surface of a structure.
struct PlacedSurface {
    structure: u32,
    first_frame: u32,
    /// Number of its material.
    material: usize,
    proxies: Arc<SurfaceProxies>,
    /// Pairs of frames that never touch.
    apart: Vec<[u32; 2]>,
}

impl FlexiblePart {
    /// Checks structures and makes their elements.
    pub fn new(flexible: Flexible) -> Result<Self> {
        flexible.check()?;
        let plans = flexible.plans()?;
        let elements = |s: &Structure| build::elements(s).map_err(|e| e.of(&s.name));
        let built = flexible.structures.iter().map(elements).collect::<Result<_>>()?;
        for structure in &flexible.structures {
            if let Some(contact) = structure.contact {
                let made = Surface::new(structure, contact, &|_| NodePlace::default());
                made.map_err(|e| e.of(&structure.name))?;
            }
        }
        let mut part = Self {
            flexible,
            plans,
            built,
            batches: Batches::default(),
            places: Vec::new(),
            frames: BTreeMap::new(),
            surfaces: Vec::new(),
            joined: Vec::new(),
            boundaries: BTreeMap::new(),
        };
        part.frames.extend(part.flexible.frames.iter().map(|&at| (at, u32::MAX)));
        let carriers = part.plans.iter().filter_map(|(_, plan)| match plan.carrier {
            Carrier::Node(at) => Some((at, u32::MAX)),
            Carrier::Ground | Carrier::Body(_) => None,
        });
        part.frames.extend(carriers);
        Ok(part)
    }

    /// What was given.
    pub fn flexible(&self) -> &Flexible {
        &self.flexible
    }

    /// Where a node stands in the positions and velocities of the model; none before it is placed.
    pub fn place(&self, at: NodeRef) -> Option<NodePlace> {
        self.places.get(at.structure as usize)?.get(at.node as usize).copied()
    }

    /// Lets sub-systems touch the contact surface of a structure; before it is placed.
    pub fn add_boundary(&mut self, structure: usize) {
        if self.flexible.structures.get(structure).is_some_and(|s| s.contact.is_some()) {
            self.boundaries.insert(structure, None);
        }
    }

    /// The boundary of a structure, once it is placed.
    pub fn boundary(&self, structure: usize) -> Option<BoundaryId> {
        self.boundaries.get(&structure).copied().flatten()
    }

    /// The first frame of the contact surface of a structure, once it is placed; the others follow in the order of
    /// [`Surface::shapes`].
    pub fn surface_frame(&self, structure: usize) -> Option<u32> {
        self.surfaces.iter().find(|s| s.structure as usize == structure).map(|s| s.first_frame)
    }

    fn each_node(&self) -> impl Iterator<Item = NodeRef> + '_ {
        self.flexible.structures.iter().enumerate().flat_map(|(structure, s)| {
            (0..s.nodes.len() as u32).map(move |node| NodeRef { structure: structure as u32, node })
        })
    }

    /// Point masses, and the inertia that elements and point masses give to nodes with a rotation.
    fn masses(&self, structure: usize) -> (Vec<f64>, Vec<DMat3>) {
        let own = &self.flexible.structures[structure];
        let (mut masses, mut inertia) = (vec![0.0; own.nodes.len()], vec![DMat3::ZERO; own.nodes.len()]);
        for point in &own.masses {
            masses[point.node as usize] += point.mass;
            inertia[point.node as usize] += point.inertia;
        }
        for (element, built) in own.elements.iter().zip(&self.built[structure]) {
            for (&node, share) in element.nodes().iter().zip(built.node_inertia()) {
                inertia[node as usize] += share;
            }
        }
        (masses, inertia)
    }

    /// Nodes with masses or inertia of their own in structures whose mass is damped.
    fn damped_nodes(&self) -> Vec<DampedNode> {
        let mut out = Vec::new();
        for (index, structure) in self.flexible.structures.iter().enumerate() {
            let weight = structure.damping.mass;
            if weight == 0.0 {
                continue;
            }
            let of = Arc::new(Subject::object("structure", &structure.name));
            let (masses, inertia) = self.masses(index);
            for (n, (mass, inertia)) in masses.into_iter().zip(inertia).enumerate() {
                if mass != 0.0 || inertia != DMat3::ZERO {
                    let number = structure.labels.nodes.get(n).copied().unwrap_or(n as u64);
                    let (node, name) = (self.places[index][n], ItemName { of: of.clone(), number });
                    out.push(DampedNode { node, weight, mass, inertia, name });
                }
            }
        }
        out
    }

    /// Frames on the contact surfaces; all coordinates are placed.
    fn place_surfaces(&mut self, model: &mut Model) {
        self.surfaces.clear();
        for (index, (structure, places)) in self.flexible.structures.iter().zip(&self.places).enumerate() {
            let Some(contact) = structure.contact else { continue };
            let place = |node: u32| places[node as usize];
            // The surface was tried before; an error is not possible here.
            let Ok(surface) = Surface::new(structure, contact, &place) else { continue };
            let first_frame = model.frame_count() as u32;
            let (frames, proxies, apart) = surface.publish(first_frame, 0);
            model.add_carriers(Box::new(frames));
            let (structure, material) = (index as u32, contact.material);
            self.surfaces.push(PlacedSurface { structure, first_frame, material, proxies, apart });
        }
    }

    /// The boundaries that were asked for; all surfaces are placed.
    fn place_boundaries(&mut self, model: &mut Model) {
        for structure in self.boundaries.keys().copied().collect::<Vec<_>>() {
            let Some(surface) = self.surfaces.iter().find(|s| s.structure as usize == structure) else {
                continue;
            };
            let of = &self.flexible.structures[structure];
            let touched = match surface.proxies.skin() {
                None => {
                    let shapes = surface.proxies.shapes();
                    let mass = of.line_mass() / shapes.len().max(1) as f64;
                    Touched::Pieces { first_frame: surface.first_frame, shapes, mass }
                }
                Some((nodes, faces)) => {
                    let all = of.solid_masses();
                    let masses = nodes.iter().map(|n| all[*n as usize]).collect();
                    Touched::Skin { nodes, faces, masses }
                }
            };
            let boundary = StructureBoundary::new(&of.name, &self.places[structure], touched);
            self.boundaries.insert(structure, Some(boundary.place_in(model)));
        }
    }

    /// Frames of the contact surfaces that a node moves.
    fn frames_touching(&self, at: NodeRef) -> Vec<u32> {
        let own = self.surfaces.iter().filter(|s| s.structure == at.structure);
        own.flat_map(|s| s.proxies.frames_at(at.node)).collect()
    }

    /// The frame of a node that others attach to, by its number among those.
    fn node_frame(&self, number: u32) -> Option<FramePlace> {
        let at = *self.flexible.frames.get(number as usize)?;
        let node = &self.flexible.structures[at.structure as usize].nodes[at.node as usize];
        let turns = node.kind == NodeKind::Frame;
        let axes = if turns { DMat3::from_quat(node.rotation.normalize()) } else { DMat3::IDENTITY };
        Some(FramePlace {
            frame: *self.frames.get(&at)?,
            blocks: vec![self.place(at)?.block],
            offset: DVec3::ZERO,
            pose: Some((node.position, axes)),
        })
    }

    /// The frame of a piece of a contact surface; all nodes of the piece move it.
    fn piece_frame(&self, structure: u32, piece: u32) -> Option<FramePlace> {
        let surface = self.surfaces.iter().find(|s| s.structure == structure)?;
        let places = &self.places[structure as usize];
        let mut blocks: Vec<u32> =
            surface.proxies.nodes_of(piece)?.iter().map(|&n| places[n as usize].block).collect();
        blocks.sort_unstable();
        blocks.dedup();
        Some(FramePlace { frame: surface.first_frame + piece, blocks, offset: DVec3::ZERO, pose: None })
    }

    fn fixed_columns(&self) -> Vec<usize> {
        let mut out = Vec::new();
        for (structure, places) in self.flexible.structures.iter().zip(&self.places) {
            for fixed in &structure.fixed {
                for &node in &fixed.nodes {
                    let place = &places[node as usize];
                    if fixed.columns.is_empty() {
                        out.extend(place.v..place.v + place.columns);
                    } else {
                        out.extend(fixed.columns.iter().map(|&c| place.v + usize::from(c)));
                    }
                }
            }
        }
        out
    }
}

/// Nodes of one kind on their way into a model.
struct NodeBatches {
    /// By the number of their slopes.
    vectors: [VectorNodes; 4],
    frames: FrameNodes,
}

/// Which of the batches holds nodes of a kind; none is the one of nodes with a rotation.
fn vector_batch(kind: NodeKind) -> Option<usize> {
    (kind != NodeKind::Frame).then(|| kind.slopes())
}

impl NodeBatches {
    fn new() -> Self {
        Self { vectors: [1, 2, 3, 4].map(VectorNodes::new), frames: FrameNodes::new() }
    }

    /// Adds a node; its number in its batch, and that of its frame there.
    fn push(
        &mut self,
        node: &crate::structure::Node,
        name: ItemName,
        mass: f64,
        inertia: DMat3,
        frame: bool,
    ) -> (u32, Option<u32>) {
        let Some(batch) = vector_batch(node.kind) else {
            let rotation = node.rotation.normalize();
            return self.frames.push(FrameNode {
                name,
                position: node.position,
                rotation,
                velocity: node.velocity,
                angular_velocity: rotation.inverse() * node.angular_velocity,
                mass,
                inertia,
                frame,
            });
        };
        let (q, v) = node.numbers();
        let vectors = |x: &[f64]| {
            let mut out = [DVec3::ZERO; 4];
            out.iter_mut().zip(x.chunks_exact(3)).for_each(|(out, x)| *out = DVec3::from_slice(x));
            out
        };
        let (vectors, rates) = (vectors(&q), vectors(&v));
        self.vectors[batch].push(VectorNode { name, vectors, rates, mass, frame })
    }
}

impl Part for FlexiblePart {
    fn place_coordinates(&mut self, model: &mut Model) -> placing::Result<()> {
        let mut batches = NodeBatches::new();
        let mut items: Vec<Vec<(u32, Option<u32>)>> = Vec::new();
        for (index, structure) in self.flexible.structures.iter().enumerate() {
            let of = Arc::new(Subject::object("structure", &structure.name));
            let (masses, inertia) = self.masses(index);
            let mut own = Vec::with_capacity(structure.nodes.len());
            for (n, node) in structure.nodes.iter().enumerate() {
                let number = structure.labels.nodes.get(n).copied().unwrap_or(n as u64);
                let at = NodeRef { structure: index as u32, node: n as u32 };
                let name = ItemName { of: of.clone(), number };
                own.push(batches.push(node, name, masses[n], inertia[n], self.frames.contains_key(&at)));
            }
            items.push(own);
        }
        let NodeBatches { vectors, frames } = batches;
        let mut place =
            |empty: bool, batch: Box<dyn Coordinates>| (!empty).then(|| model.add_coordinates(batch));
        let vectors = vectors.map(|batch| place(batch.is_empty(), Box::new(batch)));
        let frames = place(frames.is_empty(), Box::new(frames));
        self.places =
            self.flexible.structures.iter().map(|s| vec![NodePlace::default(); s.nodes.len()]).collect();
        for at in self.each_node().collect::<Vec<_>>() {
            let (structure, node) = (at.structure as usize, at.node as usize);
            let kind = self.flexible.structures[structure].nodes[node].kind;
            let Some(first) = vector_batch(kind).map_or(frames, |b| vectors[b]) else { continue };
            let (item, frame) = items[structure][node];
            self.places[structure][node] = NodePlace {
                block: first.first_block + item,
                q: first.first_q + item as usize * kind.positions(),
                v: first.first_v + item as usize * kind.columns(),
                columns: kind.columns(),
            };
            if let Some(frame) = frame {
                self.frames.insert(at, first.first_frame + frame);
            }
        }
        model.fix_columns(self.fixed_columns());
        Ok(())
    }

    fn place_frames(&mut self, model: &mut Model) -> placing::Result<()> {
        self.place_surfaces(model);
        Ok(())
    }

    fn frame(&self, key: FrameKey) -> Option<FramePlace> {
        match key.kind {
            FrameKind::NODE => self.node_frame(key.item),
            FrameKind::SURFACE => self.piece_frame(key.item, key.piece),
            _ => None,
        }
    }

    fn frame_name(&self, key: FrameKey) -> Option<String> {
        let structure = |k: u32| self.flexible.structures.get(k as usize);
        match key.kind {
            FrameKind::NODE => {
                let at = self.flexible.frames.get(key.item as usize)?;
                Some(structure(at.structure)?.node_name(at.node))
            }
            FrameKind::SURFACE => {
                Some(format!("contact surface of structure '{}'", structure(key.item)?.name))
            }
            _ => None,
        }
    }

    fn place_batches(&mut self, model: &mut Model, places: &Places<'_>) -> placing::Result<()> {
        self.batches = Batches::new(&self.flexible.structures, &self.built, &self.places);
        self.batches.place(model);
        let damped = self.damped_nodes();
        if !damped.is_empty() {
            model.add_elements(Arc::new(DampedNodes::new(damped)));
        }
        loads::place(&self.flexible.structures, &self.places, model);
        self.place_boundaries(model);
        let (mut items, mut joined) = (Vec::new(), Vec::new());
        for (name, plan) in &self.plans {
            let (carrier, center) = match plan.carrier {
                Carrier::Ground => (None, DVec3::ZERO),
                Carrier::Node(at) => {
                    let frame = self.frames.get(&at).copied();
                    (frame.zip(self.place(at).map(|p| p.block)), DVec3::ZERO)
                }
                Carrier::Body(number) => {
                    let asker = Subject::object("joint", name).map(|_| format!("joint of a node '{name}'"));
                    let body = places.frame(&asker, FrameKey::body(number))?;
                    let pieces = plan.nodes.iter().flat_map(|&at| self.frames_touching(at));
                    joined.extend(pieces.map(|piece| [body.frame, piece]));
                    (Some((body.frame, body.blocks.first().copied().unwrap_or(NO_BLOCK))), body.offset)
                }
            };
            let mut rows = plan.rows.clone();
            for row in &mut rows {
                if let Rows::Place { place, .. } = row {
                    // A body's frame in the model is at its centre of mass.
                    *place -= center;
                }
            }
            let nodes = plan.nodes.iter().filter_map(|&at| self.place(at)).collect();
            items.push(JointItem { name: name.clone(), nodes, carrier, rows });
        }
        if !items.is_empty() {
            model.add_constraints(Arc::new(JointBatch::new(items)));
        }
        self.joined = joined;
        Ok(())
    }

    fn contact_frames(&self, key: FrameKey) -> Vec<u32> {
        let node = self.flexible.frames.get(key.item as usize).filter(|_| key.kind == FrameKind::NODE);
        node.map_or(Vec::new(), |&at| self.frames_touching(at))
    }

    fn contact(
        &self,
        _places: &Places<'_>,
        materials: &MaterialNumbers,
    ) -> placing::Result<Option<PartContact>> {
        let mut sources = SurfaceSources::default();
        let mut exclusions = self.joined.clone();
        for PlacedSurface { structure, material, proxies: source, apart, .. } in &self.surfaces {
            let name = &self.flexible.structures[*structure as usize].name;
            let material = materials.number(&Subject::object("structure", name), *material as u32)?;
            let first = sources.proxies.len();
            sources.proxies.extend(source.proxies().into_iter().map(|proxy| Proxy { material, ..proxy }));
            sources.sources.push((first, source.clone()));
            exclusions.extend(apart);
        }
        let any = !sources.proxies.is_empty();
        Ok(any.then(|| PartContact { source: Arc::new(sources), exclusions }))
    }
}

/// The proxies of several structures.
#[derive(Default)]
struct SurfaceSources {
    proxies: Vec<Proxy>,
    /// First proxy of each source.
    sources: Vec<(usize, Arc<SurfaceProxies>)>,
}

impl SurfaceSources {
    /// The source of a proxy, and its number there.
    fn find(&self, proxy: usize) -> (&SurfaceProxies, usize) {
        let after = self.sources.partition_point(|(first, _)| *first <= proxy);
        let (first, source) = &self.sources[after - 1];
        (source, proxy - first)
    }
}

impl ProxySource for SurfaceSources {
    fn proxies(&self) -> Vec<Proxy> {
        self.proxies.clone()
    }

    fn proxy_name(&self, proxy: usize) -> String {
        let (source, own) = self.find(proxy);
        source.proxy_name(own)
    }

    fn reshapes(&self) -> bool {
        self.sources.iter().any(|(_, source)| source.reshapes())
    }

    fn shape_at(&self, proxy: usize, x: &StateView<'_>) -> Option<PlacedShape> {
        let (source, own) = self.find(proxy);
        source.shape_at(own, x)
    }
}

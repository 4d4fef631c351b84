//! Builds the model from the description: batches, their locations, and access to results.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use huygens_core::Model;
use huygens_core::builder::{
    self as build, FrameKey, FrameKind, FramePlace, MaterialNumbers, ModelBuilder, Part, PartContact, Places,
};
use huygens_core::contract::{ElementBatch, Layout, NO_BLOCK, Sensor, Slots, StateView, Weights};
use huygens_core::coupling::BoundaryId;
use huygens_core::parameter::{Owner, ParameterBlock, ParameterRange};
use huygens_core::signal::SignalGraph;
use huygens_core::{ObjectRef, Subject};
use huygens_exec::Exec;

use crate::assembly::{
    Assembly, BodyId, CoordinateRef, Coupling, CouplingTarget, JointId, ShaftId, ToothContact,
};
use crate::body::{BodyBatch, BodyKind};
use crate::boundary::{BodyBoundary, BoundaryBody};
use crate::columns::PairColumns;
use crate::error::{MultibodyError, Result};
use crate::force::{
    BushingBatch, BushingLaw, CoordinateForceBatch, CoordinateForceItem, LoadBatch, LoadItem, LoadLaw,
    ScalarLaw,
};
use crate::joint::{
    Attachment, Carrier, Combination, CoordinateKind, CoordinateTerm, CouplingBatch, CouplingItem,
    JointBatch, JointKind, LimitBounds, LimitItem, LimitRows, Reference, SpeedReferences,
};
use crate::marker::{Marker, MarkerMotion};
use crate::measurement::{Measurement, MeasurementSensor};
use crate::shaft::ShaftBatch;
use crate::slots::{for_each_item, history_owners, push_history};

/// Parameter name of a rope's bound.
const ROPE: &[(&str, &str, ParameterRange)] = &[("upper", "length", ParameterRange::Positive)];

/// Index of nothing.
const NONE: u32 = u32::MAX;

/// A built mechanism, through which results are read: it maps each object to its batch and item.
pub struct Mechanism {
    /// The model.
    pub model: Arc<Model>,
    pub(crate) reader: Arc<Reader>,
}

/// Locations of all objects, shared with sensors.
#[derive(Clone, Default)]
pub(crate) struct Reader {
    /// Number of frames of the model.
    pub frame_count: usize,
    /// Frame of each body, by arena index.
    pub body_frame: Vec<u32>,
    /// Column of each dynamic body's velocity in `v`, by arena index.
    pub body_column: Vec<u32>,
    /// First position of each dynamic body in `q`, by arena index.
    pub body_q: Vec<u32>,
    /// Centre of mass of each body in its frame.
    pub body_center: Vec<DVec3>,
    /// The boundary of the bodies that sub-systems act on, and the part of each, by arena index.
    pub boundary: Option<BoundaryId>,
    pub boundary_part: Vec<u32>,
    /// Index in `q` and `v` of each shaft.
    pub shaft_place: Vec<(usize, usize)>,
    pub joints: Arc<JointBatch>,
    /// Item of each joint in the batch, first history of the batch, and first global row of each item.
    pub joint_item: Vec<u32>,
    pub joint_history: usize,
    pub joint_rows: Vec<(usize, usize)>,
    /// Coordinates of each joint, remembered by [`CoordinateMemory`].
    pub joint_coordinates: Vec<Vec<Combination>>,
    pub memory_history: usize,
    pub forces: Arc<CoordinateForceBatch>,
    pub force_history: usize,
    pub spring_item: Vec<u32>,
    pub coordinate_force_item: Vec<u32>,
    /// Global row of each coupling.
    pub coupling_row: Vec<u32>,
    pub bushings: Arc<BushingBatch>,
    pub bushing_item: Vec<u32>,
}

/// Counts full revolutions of joint angles that only sensors and users read.
struct CoordinateMemory {
    items: Vec<Combination>,
    /// The joint of each.
    joints: Vec<String>,
    /// Start of each item's history, and the end of the last one.
    starts: Vec<usize>,
}

impl ElementBatch for CoordinateMemory {
    fn does_work(&self, _x: &StateView<'_>) -> bool {
        false
    }

    fn layout(&self) -> Layout {
        Layout { history: self.starts.last().copied().unwrap_or(0), ..Layout::default() }
    }
    fn item_name(&self, _item: usize) -> Subject {
        "joint coordinates".into()
    }
    fn evaluate(
        &self,
        _ex: &Exec,
        _x: &StateView<'_>,
        _history: &[f64],
        _slots: &Slots,
        _values: &mut [f64],
        _tangent: Option<(&Weights, &mut [f64])>,
    ) {
    }
    fn initialize_history(&self, x: &StateView<'_>, history: &mut [f64]) {
        for_each_item(&Exec::serial(), &self.starts, history, |i, own| {
            self.items[i].remember(x, 0.0, true, own);
        });
    }
    fn commit(&self, ex: &Exec, x: &StateView<'_>, history: &mut [f64]) {
        for_each_item(ex, &self.starts, history, |i, own| self.items[i].remember(x, 0.0, false, own));
    }
    fn history_owners(&self, _layout: &Layout) -> Vec<(String, std::ops::Range<usize>)> {
        history_owners(&self.starts, |item| format!("coordinate of joint '{}'", self.joints[item]))
    }
}

/// Bodies, shafts, joints, couplings and forces as a part of a model.
///
/// It offers the frames of its bodies ([`FrameKind::BODY`](huygens_core::builder::FrameKind::BODY), by arena index),
/// and attaches to nodes of other parts through [`Carrier::External`].
pub struct MechanismPart<'a> {
    assembly: &'a Assembly,
    sensors: &'a [Measurement],
    reader: Arc<Reader>,
    body_block: Vec<u32>,
    first_shaft_block: u32,
}

impl<'a> MechanismPart<'a> {
    /// Makes a part of what `assembly` describes. `sensors` are the measurements that the signal graph reads, by index.
    pub fn new(assembly: &'a Assembly, sensors: &'a [Measurement]) -> Self {
        let reader = Arc::new(Reader::default());
        Self { assembly, sensors, reader, body_block: Vec::new(), first_shaft_block: 0 }
    }

    /// Access to results in the model in which the part was placed.
    pub fn into_mechanism(self, model: Model) -> Mechanism {
        Mechanism { model: Arc::new(model), reader: self.reader }
    }
}

impl Part for MechanismPart<'_> {
    fn place_coordinates(&mut self, model: &mut Model) -> build::Result<()> {
        // A part that is placed again starts from scratch; sensors of an earlier model keep theirs.
        let mut reader = Reader::default();
        let bodies = self.assembly.bodies();
        let place = model.add_coordinates(Box::new(BodyBatch::new(bodies.iter().map(|(_, b)| b))));
        let bound = bodies.index_bound();
        self.body_block = vec![NO_BLOCK; bound];
        reader.body_frame = vec![NONE; bound];
        reader.body_column = vec![NONE; bound];
        reader.body_q = vec![NONE; bound];
        reader.body_center = vec![DVec3::ZERO; bound];
        let mut block = place.first_block;
        for (frame, (id, body)) in bodies.iter().enumerate() {
            reader.body_frame[id.index()] = place.first_frame + frame as u32;
            reader.body_center[id.index()] = body.center_of_mass;
            if matches!(body.kind, BodyKind::Dynamic) {
                self.body_block[id.index()] = block;
                let item = (block - place.first_block) as usize;
                reader.body_column[id.index()] = (place.first_v + 6 * item) as u32;
                reader.body_q[id.index()] = (place.first_q + 7 * item) as u32;
                block += 1;
            }
        }
        let shafts = self.assembly.shafts();
        reader.shaft_place = vec![(usize::MAX, usize::MAX); shafts.index_bound()];
        if !shafts.is_empty() {
            let list = shafts.iter().map(|(_, s)| s.clone()).collect();
            let place = model.add_coordinates(Box::new(ShaftBatch::new(list)));
            self.first_shaft_block = place.first_block;
            for (k, (id, _)) in shafts.iter().enumerate() {
                reader.shaft_place[id.index()] = (place.first_q + k, place.first_v + k);
            }
        }
        self.reader = Arc::new(reader);
        Ok(())
    }

    fn frame(&self, key: FrameKey) -> Option<FramePlace> {
        if key.kind != FrameKind::BODY {
            return None;
        }
        let index = key.item as usize;
        let frame = self.reader.body_frame.get(index).copied().filter(|frame| *frame != NONE)?;
        let offset = self.reader.body_center[index];
        let block = self.body_block[index];
        let blocks = if block == NO_BLOCK { Vec::new() } else { vec![block] };
        let pose = self
            .assembly
            .bodies()
            .at(index)
            .map(|b| (b.position + b.rotation * offset, DMat3::from_quat(b.rotation)));
        Some(FramePlace { frame, blocks, offset, pose })
    }

    fn frame_name(&self, key: FrameKey) -> Option<String> {
        let body = self.assembly.bodies().at(key.item as usize).filter(|_| key.kind == FrameKind::BODY)?;
        Some(format!("body '{}'", body.name))
    }

    /// Creates a frame for each point of a deforming frame to which something is attached.
    fn attach(&mut self, model: &mut Model, places: &Places<'_>) -> build::Result<()> {
        let a = self.assembly;
        let origin = |carrier, position| Attachment { carrier, position, rotation: DQuat::IDENTITY };
        let mut all: Vec<Attachment> = Vec::new();
        a.joints().iter().for_each(|(_, j)| all.extend([j.a, j.b]));
        a.springs().iter().for_each(|(_, s)| all.extend([s.a, s.b]));
        a.ropes().iter().for_each(|(_, r)| all.extend([r.a, r.b]));
        a.bushings().iter().for_each(|(_, b)| all.extend([b.a, b.b]));
        all.extend(a.couplings().iter().filter_map(|(_, c)| c.teeth.as_ref()).flat_map(|t| [t.a, t.b]));
        all.extend(a.loads().iter().map(|(_, l)| origin(l.carrier, l.point)));
        all.extend(a.drags().iter().map(|(_, d)| origin(d.carrier, d.point)));
        for at in all {
            if let Carrier::External(key) = at.carrier
                && let Some(place) = places.find(FrameKey::node(key))
            {
                model.attach(place.frame, at.position - place.offset);
            }
        }
        Ok(())
    }

    fn place_batches(&mut self, model: &mut Model, places: &Places<'_>) -> build::Result<()> {
        let mut b = Builder {
            assembly: self.assembly,
            places,
            model,
            reader: std::mem::take(Arc::make_mut(&mut self.reader)),
            body_block: &self.body_block,
            first_shaft_block: self.first_shaft_block,
        };
        b.place_joints()?;
        b.place_couplings()?;
        b.place_forces()?;
        b.place_boundary()?;
        b.place_memory()?;
        b.reader.frame_count = b.model.frame_count();
        self.reader = Arc::new(b.reader);
        Ok(())
    }

    fn contact(
        &self,
        places: &Places<'_>,
        materials: &MaterialNumbers,
    ) -> build::Result<Option<PartContact>> {
        Ok(crate::collision::body_contact(self.assembly, &self.reader.body_frame, places, materials)?)
    }

    fn sensors(&self) -> build::Result<Vec<(usize, Box<dyn Sensor>)>> {
        let boxed = |m: &Measurement| -> Box<dyn Sensor> {
            Box::new(MeasurementSensor { measurement: m.clone(), reader: self.reader.clone() })
        };
        self.sensors.iter().try_for_each(|m| self.reader.check(m))?;
        Ok(self.sensors.iter().map(boxed).enumerate().collect())
    }
}

impl Assembly {
    /// Builds the model. `sensors` are the measurements that the signal graph reads, by index.
    pub fn build(&self, signals: SignalGraph, sensors: &[Measurement]) -> Result<Mechanism> {
        self.build_with(signals, sensors, &mut [])
    }

    /// Builds the model of the mechanism and of the parts after it, to whose nodes [`Carrier::External`] refers.
    pub fn build_with<'p>(
        &self,
        signals: SignalGraph,
        sensors: &[Measurement],
        parts: &mut [&'p mut (dyn Part + 'p)],
    ) -> Result<Mechanism> {
        let mut own = MechanismPart::new(self, sensors);
        let mut all: Vec<&mut dyn Part> = vec![&mut own];
        all.extend(parts.iter_mut().map(|part| &mut **part as &mut dyn Part));
        let builder = ModelBuilder::new(self.gravity).signals(signals).contact(self.contact_setup());
        let model = builder.build(&mut all)?;
        Ok(own.into_mechanism(model))
    }
}

/// Batches of a mechanism while they are added to a model.
struct Builder<'a> {
    assembly: &'a Assembly,
    places: &'a Places<'a>,
    model: &'a mut Model,
    reader: Reader,
    body_block: &'a [u32],
    first_shaft_block: u32,
}

impl Builder<'_> {
    fn shaft_block(&self, id: ShaftId) -> u32 {
        let first = self.assembly.shafts().iter().position(|(other, _)| other == id).unwrap_or(0);
        self.first_shaft_block + first as u32
    }

    fn marker(&self, what: &Subject, at: &Attachment) -> Result<(Marker, u32)> {
        let missing = |kind| MultibodyError::Missing { what: what.clone(), kind };
        let id = match at.carrier {
            Carrier::Ground => return Ok((Marker::new(None, at.position, at.rotation), NO_BLOCK)),
            Carrier::Body(id) => id,
            Carrier::External(key) => {
                let place = self.places.find(FrameKey::node(key)).ok_or_else(|| missing("node"))?;
                let block = place.blocks.first().copied().unwrap_or(NO_BLOCK);
                let (frame, position) = self.model.attached(place.frame, at.position - place.offset);
                return Ok((Marker::new(Some(frame), position, at.rotation), block));
            }
        };
        let Some(body) = self.assembly.body(id) else {
            return Err(missing("body"));
        };
        let frame = self.reader.body_frame[id.index()];
        let position = at.position - body.center_of_mass;
        Ok((Marker::new(Some(frame), position, at.rotation), self.body_block[id.index()]))
    }

    /// Markers and columns of a pair, at least one member of which must be able to move.
    fn pair(&self, what: &Subject, a: &Attachment, b: &Attachment) -> Result<(Marker, Marker, PairColumns)> {
        let ((ma, ba), (mb, bb)) = (self.marker(what, a)?, self.marker(what, b)?);
        let columns = PairColumns::new(self.model, [ma.frame, mb.frame], [ba, bb]);
        if columns.is_empty() {
            let reason = "neither of its bodies is dynamic; at least one must be".into();
            return Err(MultibodyError::Mismatch { what: what.clone(), reason });
        }
        Ok((ma, mb, columns))
    }

    fn place_joints(&mut self) -> Result<()> {
        let mut batch = JointBatch::default();
        self.reader.joint_item = vec![NONE; self.assembly.joints().index_bound()];
        for (id, joint) in self.assembly.joints().iter() {
            let what = Subject::object("joint", &joint.name);
            let (mut a, b, columns) = self.pair(&what, &joint.a, &joint.b)?;
            if let JointKind::Trajectory { translation, axis, angle } = &joint.kind {
                a.motion = Some(Box::new(MarkerMotion {
                    translation: translation.clone(),
                    axis: *axis,
                    angle: angle.clone(),
                }));
            }
            self.reader.joint_item[id.index()] = batch.len() as u32;
            batch.push(joint.name.clone(), a, b, joint.kind.primitives(), columns);
        }
        let batch = Arc::new(batch);
        if batch.len() > 0 {
            let place = self.model.add_constraints(batch.clone());
            self.reader.joint_history = place.first_history;
            let mut row = place.first_row;
            for (_, joint) in self.assembly.joints().iter() {
                let rows = joint.kind.primitives().iter().map(|p| p.rows()).sum::<usize>();
                self.reader.joint_rows.push((row, rows));
                row += rows;
            }
        }
        self.reader.joints = batch;
        Ok(())
    }

    fn term(&self, what: &Subject, coordinate: CoordinateRef, weight: f64) -> Result<CoordinateTerm> {
        let missing = |kind| MultibodyError::Missing { what: what.clone(), kind };
        match coordinate {
            CoordinateRef::Shaft(id) => {
                self.assembly.shaft(id).ok_or_else(|| missing("shaft"))?;
                let (q, v) = self.reader.shaft_place[id.index()];
                let ground = || Marker::new(None, DVec3::ZERO, DQuat::IDENTITY);
                let columns = PairColumns::new(self.model, [None; 2], [self.shaft_block(id), NO_BLOCK]);
                Ok(CoordinateTerm {
                    weight,
                    ..CoordinateTerm::new(CoordinateKind::Shaft(q, v), ground(), ground(), columns)
                })
            }
            CoordinateRef::Joint(id, index) => {
                let joint = self.assembly.joint(id).ok_or_else(|| missing("joint"))?;
                let kind =
                    joint.kind.coordinates().get(index).map(|c| c.1).ok_or_else(|| missing("coordinate"))?;
                let (a, b, columns) = self.pair(what, &joint.a, &joint.b)?;
                let start = self.assembly.start_angle(id, index);
                Ok(CoordinateTerm { weight, start, ..CoordinateTerm::new(kind, a, b, columns) })
            }
        }
    }

    fn length_term(&self, what: &Subject, a: &Attachment, b: &Attachment) -> Result<CoordinateTerm> {
        let (a, b, columns) = self.pair(what, a, b)?;
        Ok(CoordinateTerm::new(CoordinateKind::Length, a, b, columns))
    }

    fn terms(&self, what: &Subject, terms: &[(CoordinateRef, f64)]) -> Result<Vec<CoordinateTerm>> {
        terms.iter().map(|(c, w)| self.term(what, *c, *w)).collect()
    }

    fn coupling_terms(&self, coupling: &Coupling) -> Result<Vec<CoordinateTerm>> {
        let what = Subject::object(coupling.label, &coupling.name);
        let Some(teeth) = &coupling.teeth else { return self.terms(&what, &coupling.terms) };
        let (a, b, columns) = self.pair(&what, &teeth.a, &teeth.b)?;
        let term = |kind, weight| CoordinateTerm {
            weight,
            ..CoordinateTerm::new(kind, a.clone(), b.clone(), columns.clone())
        };
        let back = CoordinateTerm::new(CoordinateKind::Polar, b.clone(), a.clone(), columns.swapped());
        let mut terms = vec![
            term(CoordinateKind::Polar, -teeth.radius_a),
            CoordinateTerm { weight: -teeth.radius_b, ..back },
        ];
        if teeth.radial != 0.0 {
            // Teeth push the centres apart whichever flank they press on.
            terms.push(CoordinateTerm {
                follows_multiplier: true,
                rest: self.center_distance(teeth),
                ..term(CoordinateKind::Length, -teeth.radial)
            });
        }
        if teeth.axial != 0.0 {
            terms.push(term(CoordinateKind::Displacement(2), teeth.axial));
        }
        Ok(terms)
    }

    /// Initial distance of the gear centres.
    fn center_distance(&self, teeth: &ToothContact) -> f64 {
        let place = |at: &Attachment| match at.carrier {
            Carrier::Ground => at.position,
            Carrier::Body(id) => {
                self.assembly.body(id).map_or(at.position, |body| body.position + body.rotation * at.position)
            }
            Carrier::External(key) => {
                let pose = self.places.find(FrameKey::node(key)).and_then(|place| place.pose);
                pose.map_or(at.position, |(origin, axes)| origin + axes * at.position)
            }
        };
        (place(&teeth.b) - place(&teeth.a)).length()
    }

    /// Couplings, then the hidden rows of screws.
    fn place_couplings(&mut self) -> Result<()> {
        let mut references: Vec<(Owner, Reference)> = Vec::new();
        let mut speeds: Vec<String> = Vec::new();
        let mut batch = CouplingBatch { first_row: self.model.row_count(), ..CouplingBatch::default() };
        self.reader.coupling_row = vec![NONE; self.assembly.couplings().index_bound()];
        for (id, coupling) in self.assembly.couplings().iter() {
            self.reader.coupling_row[id.index()] = (batch.first_row + batch.items.len()) as u32;
            let reference = match &coupling.target {
                CouplingTarget::Start => Reference::Start,
                CouplingTarget::Position(f) => Reference::Function(f.clone()),
                CouplingTarget::Speed(drive) => {
                    speeds.push(format!("{} '{}'", coupling.label, coupling.name));
                    Reference::Speed(speeds.len() - 1, drive.clone())
                }
            };
            references.push((Owner::new(coupling.label, &coupling.name), reference));
            let sum = Combination::new(self.model, self.coupling_terms(coupling)?, batch.history);
            batch.push(CouplingItem { name: Subject::object(coupling.label, &coupling.name), sum });
        }
        for (id, joint) in self.assembly.joints().iter() {
            if let JointKind::Screw(pitch) = joint.kind {
                let name = Subject::object("joint", &joint.name);
                let lead = pitch / std::f64::consts::TAU;
                let terms = self.terms(
                    &name,
                    &[(CoordinateRef::Joint(id, 1), 1.0), (CoordinateRef::Joint(id, 0), -lead)],
                )?;
                let sum = Combination::new(self.model, terms, batch.history);
                batch.push(CouplingItem { name, sum });
                references.push((Owner::new("joint", &joint.name), Reference::Start));
            }
        }
        if !batch.items.is_empty() {
            batch.references = self.model.add_parameters(Arc::new(ParameterBlock::new(references)));
            if !speeds.is_empty() {
                let states = SpeedReferences { references: batch.references, names: speeds };
                batch.first_state = self.model.add_states(Box::new(states));
            }
            self.model.add_constraints(Arc::new(batch));
        }
        Ok(())
    }

    fn place_forces(&mut self) -> Result<()> {
        let mut batch = CoordinateForceBatch::default();
        self.reader.spring_item = vec![NONE; self.assembly.springs().index_bound()];
        self.reader.coordinate_force_item = vec![NONE; self.assembly.coordinate_forces().index_bound()];
        let mut laws: Vec<(Owner, ScalarLaw)> = Vec::new();
        let push = |batch: &mut CoordinateForceBatch, name: Subject, terms| {
            let sum = Combination::new(self.model, terms, batch.history);
            batch.push(CoordinateForceItem { name, sum });
            batch.items.len() as u32 - 1
        };
        for (id, s) in self.assembly.springs().iter() {
            let name = Subject::object("spring", &s.name);
            let term = self.length_term(&name, &s.a, &s.b)?;
            self.reader.spring_item[id.index()] = push(&mut batch, name, vec![term]);
            laws.push((Owner::new("spring", &s.name), s.law.clone()));
        }
        for (id, f) in self.assembly.coordinate_forces().iter() {
            let name = Subject::object(f.label, &f.name);
            let terms = self.terms(&name, &f.terms)?;
            self.reader.coordinate_force_item[id.index()] = push(&mut batch, name, terms);
            laws.push((Owner::new(f.label, &f.name), f.law.clone()));
        }
        let (mut rigid, mut bounds) = (LimitRows::default(), Vec::new());
        self.place_limits((&mut batch, &mut laws), (&mut rigid, &mut bounds))?;
        if !batch.items.is_empty() {
            batch.laws = self.model.add_parameters(Arc::new(ParameterBlock::new(laws)));
        }
        self.reader.forces = Arc::new(batch);
        if !self.reader.forces.items.is_empty() {
            let place = self.model.add_elements(self.reader.forces.clone());
            self.reader.force_history = place.first_history;
        }
        if !rigid.items.is_empty() {
            rigid.bounds = self.model.add_parameters(Arc::new(ParameterBlock::new(bounds)));
            self.model.add_unilaterals(Arc::new(rigid));
        }
        self.place_bushings()?;
        self.place_loads()
    }

    /// Joint limits and ropes: springs where compliant, unilateral rows where rigid.
    fn place_limits(
        &self,
        (soft, laws): (&mut CoordinateForceBatch, &mut Vec<(Owner, ScalarLaw)>),
        (rigid, values): (&mut LimitRows, &mut Vec<(Owner, LimitBounds)>),
    ) -> Result<()> {
        type Bound = (Subject, Owner, CoordinateTerm, Option<f64>, Option<f64>, Option<f64>, f64, f64);
        let mut bounds: Vec<Bound> = Vec::new();
        for (id, joint) in self.assembly.joints().iter() {
            for (k, limit) in joint.limits.iter().enumerate() {
                let owner = Owner::new("joint", &joint.name).with_prefix(format!("limits.{k}"));
                let name = Subject::part("limit", ObjectRef::new("joint", &joint.name));
                let term = self.term(&name, CoordinateRef::Joint(id, limit.coordinate), 1.0)?;
                let l = limit;
                bounds.push((name, owner, term, l.lower, l.upper, l.stiffness, l.damping, l.restitution));
            }
        }
        for (_, rope) in self.assembly.ropes().iter() {
            let name = Subject::object("rope", &rope.name);
            let term = self.length_term(&name, &rope.a, &rope.b)?;
            let owner = Owner::new("rope", &rope.name).with_names(ROPE);
            bounds.push((
                name,
                owner,
                term,
                None,
                Some(rope.length),
                rope.stiffness,
                rope.damping,
                rope.restitution,
            ));
        }
        for (name, owner, term, lower, upper, stiffness, damping, restitution) in bounds {
            match stiffness {
                Some(stiffness) => {
                    let law = ScalarLaw::Limit { lower, upper, stiffness, damping };
                    let sum = Combination::new(self.model, vec![term], soft.history);
                    soft.push(CoordinateForceItem { name, sum });
                    laws.push((owner, law));
                }
                None => {
                    let sum = Combination::new(self.model, vec![term], rigid.history);
                    let bounds = LimitBounds { lower, upper, restitution };
                    rigid.push(LimitItem { name, sum, rows: bounds.rows() });
                    values.push((owner, bounds));
                }
            }
        }
        Ok(())
    }

    fn place_bushings(&mut self) -> Result<()> {
        let mut batch = BushingBatch::default();
        self.reader.bushing_item = vec![NONE; self.assembly.bushings().index_bound()];
        for (k, (id, bushing)) in self.assembly.bushings().iter().enumerate() {
            let (a, b, columns) =
                self.pair(&Subject::object("bushing", &bushing.name), &bushing.a, &bushing.b)?;
            batch.push(bushing, a, b, columns);
            self.reader.bushing_item[id.index()] = k as u32;
        }
        if !batch.is_empty() {
            let laws = self.assembly.bushings().iter();
            let laws = laws.map(|(_, b)| (Owner::new("bushing", &b.name), BushingLaw::new(b)));
            batch.laws = self.model.add_parameters(Arc::new(ParameterBlock::new(laws)));
        }
        self.reader.bushings = Arc::new(batch);
        if !self.reader.bushings.is_empty() {
            self.model.add_elements(self.reader.bushings.clone());
        }
        Ok(())
    }

    fn place_loads(&mut self) -> Result<()> {
        let mut batch = LoadBatch::default();
        let mut laws: Vec<(Owner, LoadLaw)> = Vec::new();
        let mut push = |owner: Owner, carrier: Carrier, point: DVec3, law: LoadLaw| -> Result<()> {
            let name = Subject::object(owner.kind, &owner.name);
            let at = Attachment { carrier, position: point, rotation: DQuat::IDENTITY };
            let (marker, block) = self.marker(&name, &at)?;
            let columns = PairColumns::new(self.model, [marker.frame, None], [block, NO_BLOCK]);
            if columns.is_empty() {
                let reason = "its body is not dynamic, so a force has no effect".into();
                return Err(MultibodyError::Mismatch { what: name, reason });
            }
            batch.items.push(LoadItem { name, marker, columns });
            laws.push((owner, law));
            Ok(())
        };
        for (_, l) in self.assembly.loads().iter() {
            let law = LoadLaw::Applied { frame: l.frame, force: l.force.clone(), torque: l.torque.clone() };
            push(Owner::new("load", &l.name), l.carrier, l.point, law)?;
        }
        for (_, d) in self.assembly.drags().iter() {
            let law = LoadLaw::Drag {
                medium: d.medium_velocity,
                linear: d.linear,
                quadratic: d.quadratic,
                angular_linear: d.angular_linear,
                angular_quadratic: d.angular_quadratic,
            };
            push(Owner::new("drag", &d.name), d.carrier, d.point, law)?;
        }
        if !batch.items.is_empty() {
            batch.laws = self.model.add_parameters(Arc::new(ParameterBlock::new(laws)));
            self.model.add_elements(Arc::new(batch));
        }
        Ok(())
    }

    /// The boundary of the bodies that sub-systems act on.
    fn place_boundary(&mut self) -> Result<()> {
        let mut bodies = Vec::new();
        self.reader.boundary_part = vec![NONE; self.assembly.bodies().index_bound()];
        for &id in &self.assembly.boundary_bodies {
            let body = self
                .assembly
                .body(id)
                .ok_or_else(|| MultibodyError::Missing { what: "a sub-system".into(), kind: "body" })?;
            if matches!(body.kind, BodyKind::Fixed) || self.reader.boundary_part[id.index()] != NONE {
                continue;
            }
            let dynamic = matches!(body.kind, BodyKind::Dynamic);
            self.reader.boundary_part[id.index()] = bodies.len() as u32;
            bodies.push(BoundaryBody {
                name: body.name.clone(),
                frame: self.reader.body_frame[id.index()],
                block: self.body_block[id.index()],
                quaternion: dynamic.then(|| self.reader.body_q[id.index()] as usize + 3),
                center: body.center_of_mass,
                inverse_mass: if dynamic { 1.0 / body.mass } else { 0.0 },
            });
        }
        if !bodies.is_empty() {
            self.reader.boundary = Some(BodyBoundary::place_in(bodies, self.model));
        }
        Ok(())
    }

    fn place_memory(&mut self) -> Result<()> {
        let (mut all, mut joints, mut history, mut starts) = (Vec::new(), Vec::new(), 0, Vec::new());
        self.reader.joint_coordinates = vec![Vec::new(); self.assembly.joints().index_bound()];
        for (id, joint) in self.assembly.joints().iter() {
            for index in 0..joint.kind.coordinates().len() {
                let term =
                    self.term(&Subject::object("joint", &joint.name), CoordinateRef::Joint(id, index), 1.0)?;
                let sum = Combination::new(self.model, vec![term], history);
                history += sum.history_len();
                push_history(&mut starts, sum.history_len());
                self.reader.joint_coordinates[id.index()].push(sum.clone());
                joints.push(joint.name.clone());
                all.push(sum);
            }
        }
        if !all.is_empty() {
            let memory = CoordinateMemory { items: all, joints, starts };
            let place = self.model.add_elements(Arc::new(memory));
            self.reader.memory_history = place.first_history;
        }
        Ok(())
    }
}

impl Mechanism {
    /// Reads a measurement from a state.
    pub fn measure(&self, x: &StateView<'_>, m: &Measurement) -> f64 {
        self.reader.measure(x, m)
    }

    /// Checks that a measurement's handles exist.
    pub fn check(&self, m: &Measurement) -> Result<()> {
        self.reader.check(m)
    }

    /// Velocity column of a dynamic body, if it has one.
    pub fn body_column(&self, body: BodyId) -> Option<usize> {
        self.reader.body_column.get(body.index()).filter(|c| **c != NONE).map(|c| *c as usize)
    }

    /// The boundary part of a body, if sub-systems act on it.
    pub fn boundary_part(&self, body: BodyId) -> Option<(BoundaryId, usize)> {
        let part = self.reader.boundary_part.get(body.index()).filter(|p| **p != NONE)?;
        Some((self.reader.boundary?, *part as usize))
    }

    /// Index in `q` of a body's seven positions, centre of mass and then quaternion; none for bodies that are not
    /// dynamic.
    pub fn body_position(&self, body: BodyId) -> Option<usize> {
        self.reader.body_q.get(body.index()).filter(|q| **q != NONE).map(|q| *q as usize)
    }

    /// Index of a body's frame.
    pub fn body_frame(&self, body: BodyId) -> Option<usize> {
        self.reader.body_frame.get(body.index()).filter(|f| **f != NONE).map(|f| *f as usize)
    }

    /// Index of a shaft in `q` and `v`.
    pub fn shaft_place(&self, shaft: ShaftId) -> Option<(usize, usize)> {
        self.reader.shaft_place.get(shaft.index()).filter(|p| p.0 != usize::MAX).copied()
    }

    /// Constraint rows of a joint: first global row and count.
    pub fn joint_rows(&self, joint: JointId) -> Option<(usize, usize)> {
        let item = *self.reader.joint_item.get(joint.index())?;
        self.reader.joint_rows.get(item as usize).copied()
    }
}

//! From the description to the model: batches, their places, and where to read results.

use std::cell::Cell;
use std::sync::Arc;

use glam::{DQuat, DVec3};
use huygens_core::contract::{
    ElementBatch, Layout, NO_BLOCK, Part, PartSurroundings, Sensor, Slots, StateView, Weights,
};
use huygens_core::signal::SignalGraph;
use huygens_core::{Id, Model};
use huygens_core::{ObjectRef, Subject};
use huygens_exec::Exec;

use crate::assembly::{
    Assembly, BodyId, CoordinateRef, Coupling, CouplingTarget, JointId, ShaftId, ToothContact,
};
use crate::body::{Body, BodyBatch, BodyKind};
use crate::error::{MultibodyError, Result};
use crate::force::{
    BushingBatch, CoordinateForceBatch, CoordinateForceItem, LoadBatch, LoadItem, LoadLaw, ScalarLaw,
};
use crate::joint::{
    Attachment, Carrier, Combination, CoordinateKind, CoordinateTerm, CouplingBatch, CouplingItem,
    JointBatch, JointKind, LimitItem, LimitRows, Reference, SpeedReferences,
};
use crate::marker::{Marker, MarkerMotion};
use crate::measurement::{Measurement, MeasurementSensor};
use crate::shaft::ShaftBatch;
use crate::slots::{for_each_item, push_history};

/// Index of nothing.
const NONE: u32 = u32::MAX;

/// Results of a mechanism can be read through this: which batch and item each object became.
pub struct Mechanism {
    /// The model.
    pub model: Arc<Model>,
    pub(crate) reader: Arc<Reader>,
}

/// Places of all objects, shared with sensors.
#[derive(Default)]
pub(crate) struct Reader {
    /// Frame of each body, by arena index.
    pub body_frame: Vec<u32>,
    /// Column of each dynamic body's velocity in `v`, by arena index.
    pub body_column: Vec<u32>,
    /// Centre of mass of each body in its frame.
    pub body_center: Vec<DVec3>,
    /// Place in `q` and `v` of each shaft.
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

/// Keeps the whole turns of joint angles that only sensors and users read.
struct CoordinateMemory {
    items: Vec<Combination>,
    /// Start of each item's history, and the end of the last one.
    starts: Vec<usize>,
}

impl ElementBatch for CoordinateMemory {
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
}

/// Work in progress of a build.
struct Builder<'a, 'p> {
    assembly: &'a Assembly,
    parts: &'a mut [&'p mut (dyn Part + 'p)],
    model: Model,
    reader: Reader,
    body_block: Vec<u32>,
    first_shaft_block: u32,
}

impl Assembly {
    /// Builds the model. `sensors` are the measurements the signal graph reads, by index.
    pub fn build(&self, signals: SignalGraph, sensors: &[Measurement]) -> Result<Mechanism> {
        self.build_with(signals, sensors, &mut [])
    }

    /// Builds the model with parts from elsewhere, whose frames [`Carrier::External`] names: the first that knows the
    /// number has it. Each part finds the surfaces of those before it.
    pub fn build_with<'p>(
        &self,
        signals: SignalGraph,
        sensors: &[Measurement],
        parts: &mut [&'p mut (dyn Part + 'p)],
    ) -> Result<Mechanism> {
        let mut b = Builder {
            assembly: self,
            parts,
            model: Model::new(self.gravity),
            reader: Reader::default(),
            body_block: Vec::new(),
            first_shaft_block: 0,
        };
        b.place_coordinates();
        b.place_joints()?;
        b.place_couplings(signals.state_count())?;
        b.place_forces()?;
        b.place_memory()?;
        b.place_parts()?;
        if let Some(contact) = crate::collision::contact_model(self, &b.reader.body_frame, b.parts)? {
            b.model
                .set_contact(contact)
                .map_err(|e| MultibodyError::Mismatch { what: "contact".into(), reason: e.to_string() })?;
        }
        for sensor in sensors {
            b.reader.check(sensor)?;
        }
        let Builder { mut model, reader, .. } = b;
        let reader = Arc::new(reader);
        let boxed = |m: &Measurement| -> Box<dyn Sensor> {
            Box::new(MeasurementSensor { measurement: m.clone(), reader: reader.clone() })
        };
        let speeds: Vec<_> = self
            .couplings
            .iter()
            .filter_map(|(_, c)| match &c.target {
                CouplingTarget::Speed(drive) => Some(drive.clone()),
                _ => None,
            })
            .collect();
        model.set_signals(signals, sensors.iter().map(boxed).collect());
        if !speeds.is_empty() {
            model.add_states(Box::new(SpeedReferences(speeds)));
        }
        Ok(Mechanism { model: Arc::new(model), reader })
    }
}

impl Builder<'_, '_> {
    fn place_coordinates(&mut self) {
        let bodies = self.assembly.bodies();
        let place = self.model.add_coordinates(Box::new(BodyBatch::new(bodies.iter().map(|(_, b)| b))));
        let bound = bodies.index_bound();
        self.body_block = vec![NO_BLOCK; bound];
        self.reader.body_frame = vec![NONE; bound];
        self.reader.body_column = vec![NONE; bound];
        self.reader.body_center = vec![DVec3::ZERO; bound];
        let mut block = place.first_block;
        for (frame, (id, body)) in bodies.iter().enumerate() {
            self.reader.body_frame[id.index()] = place.first_frame + frame as u32;
            self.reader.body_center[id.index()] = body.center_of_mass;
            if matches!(body.kind, BodyKind::Dynamic) {
                self.body_block[id.index()] = block;
                self.reader.body_column[id.index()] =
                    (place.first_v + 6 * (block - place.first_block) as usize) as u32;
                block += 1;
            }
        }
        let shafts = self.assembly.shafts();
        self.reader.shaft_place = vec![(usize::MAX, usize::MAX); shafts.index_bound()];
        if !shafts.is_empty() {
            let list = shafts.iter().map(|(_, s)| s.clone()).collect();
            let place = self.model.add_coordinates(Box::new(ShaftBatch(list)));
            self.first_shaft_block = place.first_block;
            for (k, (id, _)) in shafts.iter().enumerate() {
                self.reader.shaft_place[id.index()] = (place.first_q + k, place.first_v + k);
            }
        }
        self.parts.iter_mut().for_each(|part| part.place_coordinates(&mut self.model));
        self.parts.iter_mut().for_each(|part| part.place_frames(&mut self.model));
    }

    /// Elements, constraints and rows of the parts; a body that one asks for in vain is missing.
    fn place_parts(&mut self) -> Result<()> {
        let (reader, blocks) = (&self.reader, &self.body_block);
        let missing = Cell::new(None);
        let body = |index: usize| {
            let frame = reader.body_frame.get(index).copied().filter(|frame| *frame != NONE);
            if frame.is_none() {
                missing.set(missing.get().or(Some(index)));
            }
            frame.map(|frame| (frame, blocks[index], reader.body_center[index]))
        };
        for k in 0..self.parts.len() {
            let (before, rest) = self.parts.split_at_mut(k);
            let surface = |number: usize| before.iter().find_map(|part| part.surface_frame(number));
            let around = PartSurroundings { body: &body, surface: &surface };
            rest[0].place_batches(&mut self.model, &around);
        }
        match missing.get() {
            Some(index) => Err(MultibodyError::Missing {
                what: format!("a joint of a node (with body number {index})").into(),
                kind: "body",
            }),
            None => Ok(()),
        }
    }

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
                let place = self.parts.iter().find_map(|p| p.frame(key));
                let (frame, block) = place.ok_or_else(|| missing("node"))?;
                return Ok((Marker::new(Some(frame), at.position, at.rotation), block));
            }
        };
        let Some(body) = self.assembly.body(id) else {
            return Err(missing("body"));
        };
        let frame = self.reader.body_frame[id.index()];
        let position = at.position - body.center_of_mass;
        Ok((Marker::new(Some(frame), position, at.rotation), self.body_block[id.index()]))
    }

    /// Markers and blocks of a pair that must touch something that moves.
    fn pair(&self, what: &Subject, a: &Attachment, b: &Attachment) -> Result<(Marker, Marker, [u32; 2])> {
        let ((ma, ba), (mb, bb)) = (self.marker(what, a)?, self.marker(what, b)?);
        if ba == NO_BLOCK && bb == NO_BLOCK {
            let reason = "neither of its bodies can move by forces".into();
            return Err(MultibodyError::Mismatch { what: what.clone(), reason });
        }
        Ok((ma, mb, [ba, bb]))
    }

    fn place_joints(&mut self) -> Result<()> {
        let mut batch = JointBatch::default();
        self.reader.joint_item = vec![NONE; self.assembly.joints().index_bound()];
        for (id, joint) in self.assembly.joints().iter() {
            let what = Subject::object("joint", &joint.name);
            let (mut a, b, blocks) = self.pair(&what, &joint.a, &joint.b)?;
            if let JointKind::Trajectory { translation, axis, angle } = &joint.kind {
                a.motion = Some(Box::new(MarkerMotion {
                    translation: translation.clone(),
                    axis: *axis,
                    angle: angle.clone(),
                }));
            }
            self.reader.joint_item[id.index()] = batch.len() as u32;
            batch.push(joint.name.clone(), a, b, joint.kind.primitives(), blocks);
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
                let blocks = [self.shaft_block(id), NO_BLOCK];
                Ok(CoordinateTerm {
                    weight,
                    ..CoordinateTerm::new(CoordinateKind::Shaft(q, v), ground(), ground(), blocks)
                })
            }
            CoordinateRef::Joint(id, index) => {
                let joint = self.assembly.joint(id).ok_or_else(|| missing("joint"))?;
                let kind =
                    joint.kind.coordinates().get(index).map(|c| c.1).ok_or_else(|| missing("coordinate"))?;
                let (a, b, blocks) = self.pair(what, &joint.a, &joint.b)?;
                let start = self.assembly.start_angle(id, index);
                Ok(CoordinateTerm { weight, start, ..CoordinateTerm::new(kind, a, b, blocks) })
            }
        }
    }

    fn length_term(&self, what: &Subject, a: &Attachment, b: &Attachment) -> Result<CoordinateTerm> {
        let (a, b, blocks) = self.pair(what, a, b)?;
        Ok(CoordinateTerm::new(CoordinateKind::Length, a, b, blocks))
    }

    fn terms(&self, what: &Subject, terms: &[(CoordinateRef, f64)]) -> Result<Vec<CoordinateTerm>> {
        terms.iter().map(|(c, w)| self.term(what, *c, *w)).collect()
    }

    fn coupling_terms(&self, coupling: &Coupling) -> Result<Vec<CoordinateTerm>> {
        let what = Subject::object(coupling.label, &coupling.name);
        let Some(teeth) = &coupling.teeth else { return self.terms(&what, &coupling.terms) };
        let (a, b, blocks) = self.pair(&what, &teeth.a, &teeth.b)?;
        let term = |kind, weight| CoordinateTerm {
            weight,
            ..CoordinateTerm::new(kind, a.clone(), b.clone(), blocks)
        };
        let back = CoordinateTerm::new(CoordinateKind::Polar, b.clone(), a.clone(), [blocks[1], blocks[0]]);
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

    /// Distance of the gear centres at the start.
    fn center_distance(&self, teeth: &ToothContact) -> f64 {
        let place = |at: &Attachment| match at.carrier {
            Carrier::Ground => at.position,
            Carrier::Body(id) => {
                self.assembly.body(id).map_or(at.position, |body| body.position + body.rotation * at.position)
            }
            Carrier::External(key) => {
                let pose = self.parts.iter().find_map(|p| p.frame_pose(key));
                pose.map_or(at.position, |(origin, axes)| origin + axes * at.position)
            }
        };
        (place(&teeth.b) - place(&teeth.a)).length()
    }

    /// Couplings, then the hidden rows of screws.
    fn place_couplings(&mut self, first_speed_state: usize) -> Result<()> {
        let mut batch = CouplingBatch { first_row: self.model.row_count(), ..CouplingBatch::default() };
        self.reader.coupling_row = vec![NONE; self.assembly.couplings().index_bound()];
        let mut state = first_speed_state;
        for (id, coupling) in self.assembly.couplings().iter() {
            self.reader.coupling_row[id.index()] = (batch.first_row + batch.items.len()) as u32;
            let reference = match &coupling.target {
                CouplingTarget::Start => Reference::Start,
                CouplingTarget::Position(f) => Reference::Function(f.clone()),
                CouplingTarget::Speed(drive) => {
                    state += 1;
                    Reference::Speed(state - 1, drive.clone())
                }
            };
            let sum = Combination::new(&self.model, self.coupling_terms(coupling)?, batch.history);
            batch.push(CouplingItem {
                name: Subject::object(coupling.label, &coupling.name),
                sum,
                reference,
            });
        }
        for (id, joint) in self.assembly.joints().iter() {
            if let JointKind::Screw(pitch) = joint.kind {
                let name = Subject::object("joint", &joint.name);
                let lead = pitch / std::f64::consts::TAU;
                let terms = self.terms(
                    &name,
                    &[(CoordinateRef::Joint(id, 1), 1.0), (CoordinateRef::Joint(id, 0), -lead)],
                )?;
                let sum = Combination::new(&self.model, terms, batch.history);
                batch.push(CouplingItem { name, sum, reference: Reference::Start });
            }
        }
        if !batch.items.is_empty() {
            self.model.add_constraints(Arc::new(batch));
        }
        Ok(())
    }

    fn place_forces(&mut self) -> Result<()> {
        let mut batch = CoordinateForceBatch::default();
        self.reader.spring_item = vec![NONE; self.assembly.springs().index_bound()];
        self.reader.coordinate_force_item = vec![NONE; self.assembly.coordinate_forces().index_bound()];
        let push = |batch: &mut CoordinateForceBatch, name: Subject, terms, law| {
            let sum = Combination::new(&self.model, terms, batch.history);
            batch.push(CoordinateForceItem { name, sum, law });
            batch.items.len() as u32 - 1
        };
        for (id, s) in self.assembly.springs().iter() {
            let name = Subject::object("spring", &s.name);
            let term = self.length_term(&name, &s.a, &s.b)?;
            self.reader.spring_item[id.index()] = push(&mut batch, name, vec![term], s.law.clone());
        }
        for (id, f) in self.assembly.coordinate_forces().iter() {
            let name = Subject::object(f.label, &f.name);
            let terms = self.terms(&name, &f.terms)?;
            self.reader.coordinate_force_item[id.index()] = push(&mut batch, name, terms, f.law.clone());
        }
        let mut rigid = LimitRows::default();
        self.place_limits(&mut batch, &mut rigid)?;
        self.reader.forces = Arc::new(batch);
        if !self.reader.forces.items.is_empty() {
            let place = self.model.add_elements(self.reader.forces.clone());
            self.reader.force_history = place.first_history;
        }
        if !rigid.items.is_empty() {
            self.model.add_unilaterals(Arc::new(rigid));
        }
        self.place_bushings()?;
        self.place_loads()
    }

    /// Joint limits and ropes: springs where compliant, one-sided rows where rigid.
    fn place_limits(&self, soft: &mut CoordinateForceBatch, rigid: &mut LimitRows) -> Result<()> {
        type Bound = (Subject, CoordinateTerm, Option<f64>, Option<f64>, Option<f64>, f64, f64);
        let mut bounds: Vec<Bound> = Vec::new();
        for (id, joint) in self.assembly.joints().iter() {
            for limit in &joint.limits {
                let name = Subject::part("limit", ObjectRef::new("joint", &joint.name));
                let term = self.term(&name, CoordinateRef::Joint(id, limit.coordinate), 1.0)?;
                let l = limit;
                bounds.push((name, term, l.lower, l.upper, l.stiffness, l.damping, l.restitution));
            }
        }
        for (_, rope) in self.assembly.ropes().iter() {
            let name = Subject::object("rope", &rope.name);
            let term = self.length_term(&name, &rope.a, &rope.b)?;
            bounds.push((
                name,
                term,
                None,
                Some(rope.length),
                rope.stiffness,
                rope.damping,
                rope.restitution,
            ));
        }
        for (name, term, lower, upper, stiffness, damping, restitution) in bounds {
            match stiffness {
                Some(stiffness) => {
                    let law = ScalarLaw::Limit { lower, upper, stiffness, damping };
                    let sum = Combination::new(&self.model, vec![term], soft.history);
                    soft.push(CoordinateForceItem { name, sum, law });
                }
                None => {
                    let sum = Combination::new(&self.model, vec![term], rigid.history);
                    rigid.push(LimitItem { name, sum, lower, upper, restitution });
                }
            }
        }
        Ok(())
    }

    fn place_bushings(&mut self) -> Result<()> {
        let mut batch = BushingBatch::default();
        self.reader.bushing_item = vec![NONE; self.assembly.bushings().index_bound()];
        for (k, (id, bushing)) in self.assembly.bushings().iter().enumerate() {
            let (a, b, blocks) =
                self.pair(&Subject::object("bushing", &bushing.name), &bushing.a, &bushing.b)?;
            batch.push(bushing, a, b, blocks);
            self.reader.bushing_item[id.index()] = k as u32;
        }
        self.reader.bushings = Arc::new(batch);
        if !self.reader.bushings.is_empty() {
            self.model.add_elements(self.reader.bushings.clone());
        }
        Ok(())
    }

    fn place_loads(&mut self) -> Result<()> {
        let mut batch = LoadBatch::default();
        let mut push = |name: Subject, body: Id<Body>, point: DVec3, law: LoadLaw| -> Result<()> {
            let at = Attachment { carrier: Carrier::Body(body), position: point, rotation: DQuat::IDENTITY };
            let (marker, block) = self.marker(&name, &at)?;
            if block == NO_BLOCK {
                let reason = "its body cannot move by forces".into();
                return Err(MultibodyError::Mismatch { what: name, reason });
            }
            batch.items.push(LoadItem { name, marker, block, law });
            Ok(())
        };
        for (_, l) in self.assembly.loads().iter() {
            let law = LoadLaw::Applied { frame: l.frame, force: l.force.clone(), torque: l.torque.clone() };
            push(Subject::object("load", &l.name), l.body, l.point, law)?;
        }
        for (_, d) in self.assembly.drags().iter() {
            let law = LoadLaw::Drag {
                medium: d.medium_velocity,
                linear: d.linear,
                quadratic: d.quadratic,
                angular_linear: d.angular_linear,
                angular_quadratic: d.angular_quadratic,
            };
            push(Subject::object("drag", &d.name), d.body, d.point, law)?;
        }
        if !batch.items.is_empty() {
            self.model.add_elements(Arc::new(batch));
        }
        Ok(())
    }

    fn place_memory(&mut self) -> Result<()> {
        let (mut all, mut history, mut starts) = (Vec::new(), 0, Vec::new());
        self.reader.joint_coordinates = vec![Vec::new(); self.assembly.joints().index_bound()];
        for (id, joint) in self.assembly.joints().iter() {
            for index in 0..joint.kind.coordinates().len() {
                let term =
                    self.term(&Subject::object("joint", &joint.name), CoordinateRef::Joint(id, index), 1.0)?;
                let sum = Combination::new(&self.model, vec![term], history);
                history += sum.history_len();
                push_history(&mut starts, sum.history_len());
                self.reader.joint_coordinates[id.index()].push(sum.clone());
                all.push(sum);
            }
        }
        if !all.is_empty() {
            let place = self.model.add_elements(Arc::new(CoordinateMemory { items: all, starts }));
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

    /// Index of a body's frame.
    pub fn body_frame(&self, body: BodyId) -> Option<usize> {
        self.reader.body_frame.get(body.index()).filter(|f| **f != NONE).map(|f| *f as usize)
    }

    /// Place of a shaft in `q` and `v`.
    pub fn shaft_place(&self, shaft: ShaftId) -> Option<(usize, usize)> {
        self.reader.shaft_place.get(shaft.index()).filter(|p| p.0 != usize::MAX).copied()
    }

    /// Constraint rows of a joint: first global row and count.
    pub fn joint_rows(&self, joint: JointId) -> Option<(usize, usize)> {
        let item = *self.reader.joint_item.get(joint.index())?;
        self.reader.joint_rows.get(item as usize).copied()
    }
}

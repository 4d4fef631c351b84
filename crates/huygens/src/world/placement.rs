//! Bodies, and where joints and springs attach to them.

use glam::{DMat3, DQuat, DVec3};
use huygens_fea::node::joint::NodeRef;
use huygens_fea::structure::NodeKind;
use huygens_multibody::{Attachment, Body, BodyId, BodyKind, Carrier, CollisionShape, Motion};

use super::lookup::Lookup;
use super::shapes::{ReadyShape, Weight, Wrong, check_inertia, weight};
use super::{Build, Object, Result, World, WorldError};
use crate::spec::{BodySpec, BodyType, FrameSpec, GROUND, PlaceSpec, Section, check_axis};

/// What a joint or bushing connects, and where it is, as far as its description says.
pub(super) struct Place<'a> {
    pub section: Section,
    pub name: &'a str,
    pub a: &'a str,
    pub b: &'a str,
    pub at: &'a PlaceSpec,
}

/// A body, a node or ground that a name refers to, with the marker if one is named.
#[derive(Clone, Copy)]
pub(super) struct Anchor {
    pub carrier: Carrier,
    pub marker: Option<(DVec3, DQuat)>,
}

fn mass_properties(spec: &BodySpec, shapes: &[ReadyShape]) -> std::result::Result<Weight, Wrong> {
    if shapes.is_empty() {
        let center = spec.center_of_mass.map_or(DVec3::ZERO, DVec3::from_array);
        return match solid_properties(spec) {
            Ok((mass, inertia)) => Ok(Weight { mass, inertia, center }),
            Err((key, e)) => Err((key.into(), e)),
        };
    }
    if spec.shape.is_some() {
        return Err((
            "shape".into(),
            "give shape or shapes, not both: `shape` does not collide, `shapes` do".into(),
        ));
    }
    weight(spec, shapes)
}

/// Mass and inertia of a body without collision shapes.
fn solid_properties(spec: &BodySpec) -> std::result::Result<(f64, DMat3), (&'static str, String)> {
    if let Some(shape) = &spec.shape {
        shape.check().map_err(|e| ("shape", e))?;
    }
    let mass = match (spec.mass, spec.density, &spec.shape) {
        (Some(_), Some(_), _) => return Err(("density", "give mass or density, not both".into())),
        (Some(mass), None, _) => mass,
        (None, Some(density), Some(shape)) => {
            if !(density > 0.0 && density.is_finite()) {
                let problem =
                    format!("density = {density} is not allowed; a positive finite number is needed");
                return Err(("density", problem));
            }
            density * shape.volume()
        }
        (None, Some(_), None) => return Err(("density", "a density needs a shape".into())),
        (None, None, _) if spec.kind != BodyType::Dynamic => 1.0,
        (None, None, _) => {
            return Err(("mass", "a dynamic body needs a mass, or a density and a shape".into()));
        }
    };
    if !(mass > 0.0 && mass.is_finite()) {
        return Err(("mass", format!("mass = {mass} is not allowed; a positive finite number is needed")));
    }
    let inertia = match (&spec.inertia, &spec.shape) {
        (Some(inertia), _) => {
            check_inertia(inertia).map_err(|(_, e)| ("inertia", e))?;
            inertia.0
        }
        (None, Some(shape)) => shape.inertia(mass),
        (None, None) if spec.kind != BodyType::Dynamic => DMat3::IDENTITY,
        (None, None) => {
            return Err(("inertia", "a dynamic body needs an inertia, or a shape to derive it from".into()));
        }
    };
    Ok((mass, inertia))
}

pub(super) fn body(spec: &BodySpec, shapes: &[ReadyShape]) -> std::result::Result<Body, Wrong> {
    let Weight { mass, inertia, center } = mass_properties(spec, shapes)?;
    let rotation = spec.rotation.map_or(DQuat::IDENTITY, |r| r.0);
    let angular_velocity = match (spec.angular_velocity, spec.angular_velocity_body) {
        (Some(_), Some(_)) => {
            let problem = "give angular_velocity or angular_velocity_body, not both";
            return Err(("angular_velocity_body".into(), problem.into()));
        }
        (Some(world), None) => rotation.inverse() * DVec3::from_array(world),
        (None, Some(body)) => DVec3::from_array(body),
        (None, None) => DVec3::ZERO,
    };
    let kind = match (spec.kind, &spec.motion) {
        (BodyType::Kinematic, motion) => {
            let motion = motion.clone().unwrap_or_default();
            let axis = check_axis(motion.axis).map_err(|e| ("motion".to_owned(), e))?;
            for f in motion.translation.iter().chain([&motion.angle]) {
                f.validate().map_err(|e| ("motion".to_owned(), e.to_string()))?;
            }
            BodyKind::Kinematic(Motion { translation: motion.translation, axis, angle: motion.angle })
        }
        (_, Some(_)) => return Err(("motion".into(), "only a kinematic body has a motion".into())),
        (BodyType::Dynamic, None) => BodyKind::Dynamic,
        (BodyType::Fixed, None) => BodyKind::Fixed,
    };
    let mut markers = Vec::new();
    for (name, frame) in &spec.markers {
        let wrong = |e| ("markers".to_owned(), format!("marker '{name}': {e}"));
        let rotation = frame.orientation().map_err(wrong)?;
        markers.push((name.clone(), DVec3::from_array(frame.position), rotation));
    }
    Ok(Body {
        name: spec.name.clone(),
        kind,
        position: DVec3::from_array(spec.position),
        rotation,
        velocity: DVec3::from_array(spec.velocity),
        angular_velocity,
        mass,
        center_of_mass: center,
        inertia,
        markers,
    })
}

impl Build for BodySpec {
    fn build(self, world: &mut World) -> Result<()> {
        world.add_body(self).map(drop)
    }

    fn all(world: &World) -> impl DoubleEndedIterator<Item = &Self> {
        world.objects.bodies.iter().map(|(_, spec)| spec)
    }

    /// The other bodies of its fill, if it comes from one, are bodies like any other from then on.
    fn remove(world: &mut World, name: &str) -> Result<()> {
        let objects = &mut world.objects;
        let Some(k) = objects.bodies.iter().position(|(_, spec)| spec.name == name) else { return Ok(()) };
        let (id, _) = objects.bodies.remove(k);
        objects.assembly.remove_body(id);
        objects.fills.retain(|(_, made)| !made.contains(&k));
        objects.shift_fills(k, 1);
        Ok(())
    }

    /// Those that fills did not make.
    fn saved(world: &World) -> Vec<Self> {
        world.objects.bodies[..world.listed_bodies()].iter().map(|(_, spec)| spec.clone()).collect()
    }
}

impl World {
    /// Adds a body.
    pub fn add_body(&mut self, mut spec: BodySpec) -> Result<BodyId> {
        self.claim(&mut spec)?;
        let mut shapes = Vec::with_capacity(spec.shapes.len());
        for (k, shape) in spec.shapes.iter().enumerate() {
            shapes.push(self.ready_shape(Section::Bodies, &spec.name, &format!("shapes.{k}"), shape)?);
        }
        let made = body(&spec, &shapes)
            .map_err(|(field, e)| WorldError::input(Section::Bodies, &spec.name, Some(&field), e))?;
        self.suspend();
        self.insert_body(spec, made, &shapes)
    }

    /// Adds a body that is made, with its shapes.
    pub(super) fn insert_body(
        &mut self,
        spec: BodySpec,
        made: Body,
        shapes: &[ReadyShape],
    ) -> Result<BodyId> {
        let wrong = |e| WorldError::of_engine(Section::Bodies, &spec.name, e);
        let id = self.objects.assembly.add_body(made).map_err(wrong)?;
        for shape in shapes.iter().filter(|s| s.collide) {
            let shape = CollisionShape {
                body: id,
                shape: shape.geometry.shape.clone(),
                pose: shape.pose,
                material: shape.material,
                group: shape.group,
                mask: shape.mask,
            };
            self.objects.assembly.add_shape(shape).map_err(wrong)?;
        }
        self.objects.names.insert(spec.name.clone(), Object::Body(id));
        self.objects.bodies.push((id, spec));
        Ok(id)
    }
}

impl Lookup<'_> {
    /// The body, node or ground behind `body`, `body/marker`, `structure/node` or `ground`.
    pub(super) fn anchor(&self, section: Section, owner: &str, field: &str, name: &str) -> Result<Anchor> {
        if name == GROUND {
            return Ok(Anchor { carrier: Carrier::Ground, marker: None });
        }
        let fail = |problem: String, suggestion: Option<String>| WorldError::Input {
            section,
            name: owner.into(),
            field: Some(field.into()),
            problem,
            suggestion,
        };
        if name.is_empty() {
            return Err(fail(
                format!(
                    "`{field}` is missing: it names a body, a marker as body/marker, a node as structure/node, or ground"
                ),
                None,
            ));
        }
        let (body_name, marker_name) = match name.split_once('/') {
            Some((body, marker)) => (body, Some(marker)),
            None => (name, None),
        };
        if let Some(Object::Structure(id)) = self.objects.names.get(body_name) {
            let Some(node) = marker_name else {
                let problem = format!(
                    "`{field}` refers to structure '{body_name}'; name a node of it, such as '{body_name}/end'"
                );
                return Err(fail(problem, None));
            };
            let found = self.objects.structure_set(*id)?.model().find_node(node);
            let node = found.map_err(|e| fail(format!("`{field}`: {e}"), None))?;
            let key = self.node_key(NodeRef { structure: id.index() as u32, node });
            return Ok(Anchor { carrier: Carrier::External(key), marker: None });
        }
        let Some(Object::Body(id)) = self.objects.names.get(body_name) else {
            let near =
                self.objects.suggest(body_name, |o| matches!(o, Object::Body(_) | Object::Structure(_)));
            return Err(fail(format!("`{field}` refers to body '{body_name}', which does not exist"), near));
        };
        let markers = self.objects.assembly.body(*id).map_or(&[][..], |b| &b.markers);
        let carrier = Carrier::Body(*id);
        let Some(marker_name) = marker_name else { return Ok(Anchor { carrier, marker: None }) };
        match markers.iter().find(|m| m.0 == marker_name) {
            Some(m) => Ok(Anchor { carrier, marker: Some((m.1, m.2)) }),
            None => {
                let near =
                    huygens_core::signal::closest_name(marker_name, markers.iter().map(|m| m.0.as_str()));
                let near = near.map(|m| format!("{body_name}/{m}"));
                Err(fail(format!("`{field}`: body '{body_name}' has no marker '{marker_name}'"), near))
            }
        }
    }

    /// Pose of a body, a node or ground: position [m] and orientation. Nodes without a rotation have the world's axes.
    pub(super) fn pose(&self, carrier: Carrier) -> (DVec3, DQuat) {
        match carrier {
            Carrier::Ground => (DVec3::ZERO, DQuat::IDENTITY),
            Carrier::Body(id) => self
                .objects
                .assembly
                .body(id)
                .map_or((DVec3::ZERO, DQuat::IDENTITY), |b| (b.position, b.rotation)),
            Carrier::External(key) => match self.node_of_key(key) {
                Some(node) if self.node_kind(node) == NodeKind::Frame => self.node_pose(node),
                Some(node) => (self.node_pose(node).0, DQuat::IDENTITY),
                None => (DVec3::ZERO, DQuat::IDENTITY),
            },
        }
    }

    /// Whether something is a node that has a place but no axes of its own.
    pub(super) fn is_point(&self, carrier: Carrier) -> bool {
        match carrier {
            Carrier::External(key) => {
                self.node_of_key(key).is_some_and(|n| self.node_kind(n) != NodeKind::Frame)
            }
            _ => false,
        }
    }

    /// Frames on both sides of a joint or bushing. Where one side is a node, the joint is there.
    pub(super) fn attachments(&self, place: &Place<'_>) -> Result<(Attachment, Attachment)> {
        let bad = |field: &str, e: String| WorldError::input(place.section, place.name, Some(field), e);
        let a = self.anchor(place.section, place.name, "a", place.a)?;
        let b = self.anchor(place.section, place.name, "b", place.b)?;
        let is_node = |c: Carrier| matches!(c, Carrier::External(_));
        let node = [a.carrier, b.carrier].into_iter().find(|c| is_node(*c));
        let frames = place.at.frame_a.is_some() || place.at.frame_b.is_some();
        let at_node = node.filter(|_| !frames).map(|c| self.pose(c));
        let world = match (place.at.position, place.at.rotation.is_some() || place.at.axis.is_some()) {
            (None, false) => at_node.map(|(p, r)| (Some(p), r)),
            (position, _) => {
                let field = if place.at.axis.is_some() { "axis" } else { "rotation" };
                let turn =
                    crate::spec::orientation(place.at.rotation, place.at.axis).map_err(|e| bad(field, e))?;
                Some((position.map(DVec3::from_array).or(at_node.map(|n| n.0)), turn))
            }
        };
        let own = |anchor: &Anchor, frame: &Option<FrameSpec>, field: &str| match (frame, anchor.marker) {
            (Some(_), Some(_)) => Err(bad(field, format!("give a marker or `{field}`, not both"))),
            (Some(f), None) => {
                Ok(Some((DVec3::from_array(f.position), f.orientation().map_err(|e| bad(field, e))?)))
            }
            (None, marker) => Ok(marker),
        };
        let (own_a, own_b) = (own(&a, &place.at.frame_a, "frame_a")?, own(&b, &place.at.frame_b, "frame_b")?);
        if world.is_some() && own_a.is_some() && own_b.is_some() {
            let problem = "its place is given twice: in the world, and by frames or markers on both bodies";
            return Err(bad("position", problem.into()));
        }
        let in_world = |anchor: &Anchor, own: (DVec3, DQuat)| {
            let (p, r) = self.pose(anchor.carrier);
            (p + r * own.0, r * own.1)
        };
        // Where no place is given at all, the joint is at the origin of the moved body.
        let moved = || self.pose(if b.carrier == Carrier::Ground { a.carrier } else { b.carrier });
        let fallback = match (world, own_a, own_b) {
            (Some((position, turn)), own_a, own_b) => {
                let origin = own_a.map(|f| in_world(&a, f).0).or(own_b.map(|f| in_world(&b, f).0));
                (position.or(origin).unwrap_or_else(|| moved().0), turn)
            }
            (None, Some(f), _) => in_world(&a, f),
            (None, None, Some(f)) => in_world(&b, f),
            (None, None, None) => moved(),
        };
        let attach = |anchor: &Anchor, own: Option<(DVec3, DQuat)>| {
            let (position, rotation) = own.unwrap_or_else(|| {
                let (p, r) = self.pose(anchor.carrier);
                (r.inverse() * (fallback.0 - p), (r.inverse() * fallback.1).normalize())
            });
            Attachment { carrier: anchor.carrier, position, rotation }
        };
        let (a, b) = (attach(&a, own_a), attach(&b, own_b));
        self.check_arm(place.section, place.name, "a", place.a, &a)?;
        self.check_arm(place.section, place.name, "b", place.b, &b)?;
        Ok((a, b))
    }

    /// Refuses a place beside a node that has no axes to carry it.
    fn check_arm(
        &self,
        section: Section,
        owner: &str,
        field: &str,
        name: &str,
        at: &Attachment,
    ) -> Result<()> {
        let far = at.position.length() > 1e-9 * (1.0 + self.pose(at.carrier).0.length());
        if !(far && self.is_point(at.carrier)) {
            return Ok(());
        }
        let problem = format!(
            "`{field}`: node '{name}' has no rotation, so it can only be joined at its own position, not {:.3e} m away",
            at.position.length(),
        );
        Err(WorldError::input(section, owner, Some(field), problem))
    }

    /// Point on a body, a node or ground for a spring or rope; a marker is the origin and axes of `point`.
    pub(super) fn point(
        &self,
        section: Section,
        owner: &str,
        field: &str,
        name: &str,
        point: [f64; 3],
    ) -> Result<Attachment> {
        let anchor = self.anchor(section, owner, field, name)?;
        let point = DVec3::from_array(point);
        let (position, rotation) = match anchor.marker {
            Some((origin, turn)) => (origin + turn * point, turn),
            None => (point, DQuat::IDENTITY),
        };
        let at = Attachment { carrier: anchor.carrier, position, rotation };
        self.check_arm(section, owner, field, name, &at)?;
        Ok(at)
    }

    /// World position of an attachment [m].
    pub(super) fn attachment_point(&self, at: &Attachment) -> DVec3 {
        let (p, r) = self.pose(at.carrier);
        p + r * at.position
    }
}

//! Many equal bodies on a lattice.

use glam::{DQuat, DVec3};
use huygens_geometry::Pose;
use huygens_multibody::BodyId;
use huygens_particles::fill::Random;

use super::coordinates::Owner;
use super::shapes::ReadyShape;
use super::{Build, Objects, Result, World, WorldError};
use crate::spec::{BodySpec, FillSpec, MAX_FILL, Rotation, Section};

/// Memory of a body with a shape, its name and its coordinates [bytes], measured for 64 000 spheres.
const BODY_BYTES: f64 = 4200.0;

type Wrong = (&'static str, String);

/// Where the bodies of a fill go.
struct Lattice {
    first: DVec3,
    spacing: DVec3,
    count: [u32; 3],
}

impl Lattice {
    fn new(spec: &FillSpec, shape: &ReadyShape) -> std::result::Result<Self, Wrong> {
        let rotation = spec.rotation.map_or(DQuat::IDENTITY, |r| r.0);
        let pose = Pose { position: DVec3::ZERO, rotation } * shape.pose;
        let extent = if spec.random_rotation {
            DVec3::splat(2.0 * (shape.pose.position.length() + shape.geometry.shape.bounding_radius()))
        } else {
            shape.geometry.shape.aabb(&pose).extent()
        };
        if !(extent.is_finite() && extent.max_element() < 1e15) {
            return Err(("shape", "a fill needs a shape of finite size".into()));
        }
        let spacing = spec.spacing.map_or(extent, DVec3::from_array);
        if !(spacing.is_finite() && spacing.min_element() > 0.0) {
            let value = spacing.to_array();
            return Err((
                "spacing",
                format!("spacing = {value:?} is not allowed; three positive lengths are needed"),
            ));
        }
        let lattice = match (spec.region, spec.count, spec.position) {
            (Some(_), Some(_), _) => return Err(("count", "give region or count, not both".into())),
            (Some(_), None, Some(_)) => return Err(("position", "give region or position, not both".into())),
            (Some([low, high]), None, None) => {
                let (low, high) = (DVec3::from_array(low), DVec3::from_array(high));
                let room = high - low - extent - 2.0 * spec.jitter;
                if !(room.is_finite() && room.min_element() >= -1e-9 * extent.max_element()) {
                    return Err(("region", "no shape fits into the region".into()));
                }
                let count = (room / spacing + 1e-9).floor().max(DVec3::ZERO);
                // What is left over is shared by both sides.
                let first =
                    low + 0.5 * extent + spec.jitter + 0.5 * (room - count * spacing).max(DVec3::ZERO);
                let count = count.to_array().map(|n| n.min(1e9) as u32 + 1);
                Self { first, spacing, count }
            }
            (None, Some(count), position) => {
                Self { first: DVec3::from_array(position.unwrap_or_default()), spacing, count }
            }
            (None, None, _) => {
                return Err(("count", "a fill needs `count = [nx, ny, nz]` or a `region`".into()));
            }
        };
        if !lattice.first.is_finite() {
            return Err(("position", "all components must be finite".into()));
        }
        let bodies = lattice.count.iter().try_fold(1usize, |n, c| n.checked_mul(*c as usize));
        match bodies {
            Some(n) if (1..=MAX_FILL).contains(&n) => Ok(lattice),
            _ => Err(("count", format!("{:?} bodies are not allowed; 1 to {MAX_FILL} are", lattice.count))),
        }
    }

    fn points(&self) -> impl Iterator<Item = DVec3> {
        let [nx, ny, nz] = self.count;
        let rows = (0..nz).flat_map(move |k| (0..ny).map(move |j| (j, k)));
        let steps =
            rows.flat_map(move |(j, k)| (0..nx).map(move |i| DVec3::new(i.into(), j.into(), k.into())));
        steps.map(|step| self.first + step * self.spacing)
    }
}

impl Build for FillSpec {
    fn build(self, world: &mut World) -> Result<()> {
        world.add_fill(self).map(drop)
    }

    fn all(world: &World) -> impl DoubleEndedIterator<Item = &Self> {
        world.objects.fills.iter().map(|(spec, _)| spec)
    }

    /// Its bodies go with it.
    fn remove(world: &mut World, name: &str) -> Result<()> {
        let Some(k) = world.objects.fills.iter().position(|(spec, _)| spec.name == name) else {
            return Ok(());
        };
        let made = world.objects.fills[k].1.clone();
        let named = world.objects.bodies[made.clone()].iter().map(|(_, spec)| spec.name.as_str());
        world.check_unused(Section::Bodies, &named.collect())?;
        let objects = &mut world.objects;
        objects.fills.remove(k);
        objects.shift_fills(made.start, made.len());
        let (ids, names): (Vec<BodyId>, Vec<String>) =
            objects.bodies.drain(made).map(|(id, spec)| (id, spec.name)).unzip();
        objects.assembly.remove_bodies(&ids);
        for name in &names {
            world.objects.names.remove(name);
            world.forget(name);
        }
        Ok(())
    }

    fn saved(world: &World) -> Vec<Self> {
        match world.listed_bodies() < world.objects.bodies.len() {
            true => Self::all(world).cloned().collect(),
            false => Vec::new(),
        }
    }
}

impl Objects {
    /// Moves the bodies of fills up, where `count` bodies from `first` on were removed.
    pub fn shift_fills(&mut self, first: usize, count: usize) {
        for (_, made) in self.fills.iter_mut().filter(|(_, made)| made.start > first) {
            *made = made.start - count..made.end - count;
        }
    }
}

impl World {
    /// Number of bodies that a scene lists one by one. Fills come after all other bodies in a scene; where they do not,
    /// it lists their bodies too.
    pub(super) fn listed_bodies(&self) -> usize {
        let first = self.objects.fills.first().map_or(self.objects.bodies.len(), |f| f.1.start);
        let filled: usize = self.objects.fills.iter().map(|f| f.1.len()).sum();
        if first + filled == self.objects.bodies.len() { first } else { self.objects.bodies.len() }
    }

    /// Adds many equal bodies on a lattice and returns them in order.
    pub fn add_fill(&mut self, mut spec: FillSpec) -> Result<Vec<BodyId>> {
        if spec.name.is_empty() {
            spec.name = format!("fill{}", self.objects.fills.len() + 1);
        }
        let name = spec.name.clone();
        let bad = |(field, e): (&str, String)| WorldError::input(Section::Fills, &name, Some(field), e);
        if name.contains('/') {
            return Err(bad((
                "name",
                "a name must not contain '/', which separates a body from its marker".into(),
            )));
        }
        let shape = self.ready_shape(Section::Fills, &name, "shape", &spec.shape)?;
        let shapes = [shape];
        let lattice = Lattice::new(&spec, &shapes[0]).map_err(bad)?;
        let count = lattice.count.iter().map(|n| f64::from(*n)).product();
        Owner { section: Section::Fills, name: &name }
            .require_memory("count", count, "bodies", BODY_BYTES)?;
        if !(spec.jitter >= 0.0 && spec.jitter.is_finite()) {
            let problem = format!(
                "jitter = {} is not allowed; zero or a positive finite number is needed",
                spec.jitter
            );
            return Err(bad(("jitter", problem)));
        }
        if spec.random_rotation && spec.rotation.is_some() {
            return Err(bad(("rotation", "give rotation or random_rotation, not both".into())));
        }
        let frame = spec.frame.unwrap_or_default();
        let frame = Pose {
            position: DVec3::from_array(frame.position),
            rotation: frame.orientation().map_err(|e| bad(("frame", e)))?,
        };
        let model = BodySpec {
            density: Some(spec.density),
            velocity: spec.velocity,
            shapes: vec![spec.shape.clone()],
            ..BodySpec::default()
        };
        let template = super::placement::body(&model, &shapes).map_err(|(field, e)| {
            let field = if field.starts_with("shapes") { "shape" } else { field.as_str() };
            bad((field, e))
        })?;
        let prefix = format!("{name}.");
        let taken =
            self.objects.names.range(prefix.clone()..).map(|n| n.0).take_while(|n| n.starts_with(&prefix));
        if let Some(other) = taken.into_iter().find(|n| n[prefix.len()..].parse::<usize>().is_ok()) {
            return Err(bad((
                "name",
                format!("the name '{other}' is already used; its bodies need such names"),
            )));
        }
        if self.motion.gone.iter().any(|gone| gone.starts_with(&prefix)) {
            self.initialize()?;
        }
        self.suspend();
        let start = self.objects.bodies.len();
        let mut random = Random::new(spec.seed);
        let mut made = Vec::new();
        for (k, point) in lattice.points().enumerate() {
            let mut shift = || spec.jitter * (2.0 * random.unit() - 1.0);
            let jitter = if spec.jitter > 0.0 { DVec3::new(shift(), shift(), shift()) } else { DVec3::ZERO };
            let rotation = match spec.random_rotation {
                true => random.rotation(),
                false => spec.rotation.map_or(DQuat::IDENTITY, |r| r.0),
            };
            let pose = frame * Pose { position: point + jitter, rotation };
            let rotation = pose.rotation.normalize();
            let own = BodySpec {
                name: format!("{name}.{}", k + 1),
                position: pose.position.to_array(),
                rotation: (rotation != DQuat::IDENTITY).then_some(Rotation(rotation)),
                ..model.clone()
            };
            let body = huygens_multibody::Body {
                name: own.name.clone(),
                position: pose.position,
                rotation,
                ..template.clone()
            };
            made.push(self.insert_body(own, body, &shapes)?);
        }
        self.objects.fills.push((spec, start..self.objects.bodies.len()));
        Ok(made)
    }
}

//! Joints of a world.

use huygens_multibody::{Attachment, Joint, JointId, JointKind, Limit};

use super::lookup::Lookup;
use super::objects::take;
use super::placement::Place;
use super::{Build, Object, Result, World, WorldError};
use crate::spec::tagged::Kinds;
use crate::spec::{JointSpec, LimitSpec, Section};

impl Build for JointSpec {
    fn build(self, world: &mut World) -> Result<()> {
        world.add_joint(self).map(drop)
    }

    fn all(world: &World) -> impl DoubleEndedIterator<Item = &Self> {
        world.objects.joints.iter().map(|(_, spec)| spec)
    }

    fn remove(world: &mut World, name: &str) -> Result<()> {
        let Some(id) = take(&mut world.objects.joints, name) else { return Ok(()) };
        let ends = world.joint_frames(id).map(|(a, b)| (a.carrier.body(), b.carrier.body()));
        world.objects.assembly.remove_joint(id);
        if let Some((Some(a), Some(b))) = ends {
            world.renew_pair(a, b);
        }
        Ok(())
    }
}

impl World {
    /// Adds a joint.
    pub fn add_joint(&mut self, mut spec: JointSpec) -> Result<JointId> {
        self.claim(&mut spec)?;
        self.suspend();
        let (a, b) = self.lookup().attachments(&Place {
            section: Section::Joints,
            name: &spec.name,
            a: &spec.a,
            b: &spec.b,
            at: &spec.place,
        })?;
        let bad = |(field, e): (&str, String)| WorldError::input(Section::Joints, &spec.name, Some(field), e);
        let distance = self.lookup().attachment_point(&a).distance(self.lookup().attachment_point(&b));
        let kind = JointKind::described(&spec.kind, distance).map_err(bad)?;
        self.lookup().check_points(&spec, &kind, &a, &b)?;
        let limits = spec
            .limits
            .iter()
            .map(|l| limit(&kind, l))
            .collect::<std::result::Result<Vec<Limit>, _>>()
            .map_err(bad)?;
        contradiction(&kind, &limits).map_or(Ok(()), |e| Err(bad(("limits", e))))?;
        let id = self
            .objects
            .assembly
            .add_joint(Joint { name: spec.name.clone(), kind, a, b, limits })
            .map_err(|e| WorldError::of_engine(Section::Joints, &spec.name, e))?;
        if let (true, Some(a), Some(b)) = (spec.collide, a.carrier.body(), b.carrier.body()) {
            self.set_collide(a, b, Some(true));
        }
        self.objects.names.insert(spec.name.clone(), Object::Joint(id));
        self.objects.joints.push((id, spec));
        Ok(id)
    }

    /// The two frames of a joint.
    pub fn joint_frames(&self, joint: JointId) -> Option<(Attachment, Attachment)> {
        self.objects.assembly.joint(joint).map(|j| (j.a, j.b))
    }
}

impl Lookup<'_> {
    /// Refuses joints that hold the rotation of a node that has none.
    fn check_points(&self, spec: &JointSpec, kind: &JointKind, a: &Attachment, b: &Attachment) -> Result<()> {
        let needed = kind.needs_axes();
        for (field, name, at, needed) in [("a", &spec.a, a, needed[0]), ("b", &spec.b, b, needed[1])] {
            if !(needed && self.is_point(at.carrier)) {
                continue;
            }
            let problem = format!(
                "incompatible node types: node '{name}' has no rotation, so a joint of type {} cannot hold it; use a \
                 spherical joint, or a clamp or hinge in `joints` of the structure",
                spec.kind.type_name(),
            );
            return Err(WorldError::input(Section::Joints, &spec.name, Some(field), problem));
        }
        Ok(())
    }
}

type Wrong = (&'static str, String);

/// Index of a joint coordinate by name; the first one where none is named.
pub(super) fn coordinate_index(kind: &JointKind, name: Option<&str>) -> std::result::Result<usize, String> {
    let names = kind.coordinate_names();
    if names.is_empty() {
        return Err("a joint of this type has no coordinates".into());
    }
    let Some(name) = name else { return Ok(0) };
    names
        .iter()
        .position(|n| *n == name)
        .ok_or_else(|| format!("the joint has no coordinate '{name}'; it has {}", names.join(", ")))
}

/// Two rigid limits of one coordinate that no motion can meet, in words.
fn contradiction(kind: &JointKind, limits: &[Limit]) -> Option<String> {
    let rigid = || limits.iter().enumerate().filter(|(_, l)| l.stiffness.is_none());
    for (i, a) in rigid() {
        for (j, b) in rigid().filter(|(j, b)| *j != i && b.coordinate == a.coordinate) {
            if let (Some(lower), Some(upper)) = (a.lower, b.upper)
                && lower > upper
            {
                let name = kind.coordinate_names().get(a.coordinate).copied().unwrap_or("coordinate");
                return Some(format!(
                    "limits {} and {} cannot both be met: {name} would have to be at least {lower} and at most {upper}",
                    i.min(j) + 1,
                    i.max(j) + 1,
                ));
            }
        }
    }
    None
}

fn limit(kind: &JointKind, spec: &LimitSpec) -> std::result::Result<Limit, Wrong> {
    let coordinate = coordinate_index(kind, spec.coordinate.as_deref()).map_err(|e| ("limits", e))?;
    let bound = |side: &str, plain: Option<f64>, degrees: Option<f64>| match (plain, degrees) {
        (Some(_), Some(_)) => Err(("limits", format!("give {side} or {side}_deg, not both"))),
        (plain, degrees) => Ok(plain.or(degrees.map(f64::to_radians))),
    };
    let lower = bound("lower", spec.lower, spec.lower_deg)?;
    let upper = bound("upper", spec.upper, spec.upper_deg)?;
    if lower.is_none() && upper.is_none() {
        return Err(("limits", "a limit needs lower, upper or both".into()));
    }
    Ok(Limit {
        coordinate,
        lower,
        upper,
        stiffness: spec.stiffness,
        damping: spec.damping,
        restitution: spec.restitution,
    })
}

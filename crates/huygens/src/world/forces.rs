//! Force elements of a world.

use glam::DVec3;
use huygens_core::signal::SignalGraph;
use huygens_multibody::{
    Bushing, Carrier, CoordinateForce, CoordinateRef, Drag, Drive, ForceLaw, Load, LoadFrame, Rope,
    ScalarLaw, Spring,
};

use super::coordinates::Owner;
use super::lookup::Lookup;
use super::placement::Place;
use super::{Build, ForceId, Object, Result, World, WorldError};
use crate::spec::{DriveSpec, ForceSpec, LoadAxes, SceneObject, Section};

/// A force element as the engine sees it.
pub(super) enum Force {
    Spring(Spring),
    Coordinate(CoordinateForce),
    Bushing(Box<Bushing>),
    Load(Box<Load>),
    Drag(Drag),
    Rope(Rope),
}

impl Build for ForceSpec {
    fn build(self, world: &mut World) -> Result<()> {
        world.add_force(self).map(drop)
    }

    fn all(world: &World) -> impl DoubleEndedIterator<Item = &Self> {
        world.objects.forces.iter().map(|(_, spec, _)| spec)
    }

    fn remove(world: &mut World, name: &str) -> Result<()> {
        let objects = &mut world.objects;
        let Some(k) = objects.forces.iter().position(|(_, spec, _)| spec.name() == name) else {
            return Ok(());
        };
        match objects.forces.remove(k).0 {
            ForceId::Spring(id) => objects.assembly.remove_spring(id),
            ForceId::Coordinate(id) => objects.assembly.remove_coordinate_force(id),
            ForceId::Bushing(id) => objects.assembly.remove_bushing(id),
            ForceId::Load(id) => objects.assembly.remove_load(id),
            ForceId::Drag(id) => objects.assembly.remove_drag(id),
            ForceId::Rope(id) => objects.assembly.remove_rope(id),
        };
        Ok(())
    }
}

impl World {
    /// Adds a force element.
    pub fn add_force(&mut self, spec: ForceSpec) -> Result<ForceId> {
        self.insert_force(spec, None)
    }

    /// Adds a spring or coordinate spring whose force is `law(time, coordinate, rate)` [N or N·m] along the growing
    /// coordinate, instead of its constants.
    pub fn add_force_law(&mut self, spec: ForceSpec, law: ForceLaw) -> Result<ForceId> {
        self.insert_force(spec, Some(law))
    }

    fn insert_force(&mut self, mut spec: ForceSpec, law: Option<ForceLaw>) -> Result<ForceId> {
        let name = self.claim(&mut spec)?;
        self.suspend();
        let wrong = |e| WorldError::of_engine(Section::Forces, &name, e);
        let force = self.lookup().force(&spec, law.as_ref(), None)?;
        // The length at the start belongs to this moment; later changes of the model must not move it.
        if let (ForceSpec::Spring(s), Force::Spring(made)) = (&mut spec, &force)
            && let ScalarLaw::Spring { rest, .. } = made.law
        {
            s.length = Some(rest);
        }
        let id = match force {
            Force::Spring(s) => ForceId::Spring(self.objects.assembly.add_spring(s).map_err(wrong)?),
            Force::Coordinate(s) => {
                ForceId::Coordinate(self.objects.assembly.add_coordinate_force(s).map_err(wrong)?)
            }
            Force::Bushing(s) => ForceId::Bushing(self.objects.assembly.add_bushing(*s).map_err(wrong)?),
            Force::Load(s) => ForceId::Load(self.objects.assembly.add_load(*s).map_err(wrong)?),
            Force::Drag(s) => ForceId::Drag(self.objects.assembly.add_drag(s).map_err(wrong)?),
            Force::Rope(s) => ForceId::Rope(self.objects.assembly.add_rope(s).map_err(wrong)?),
        };
        self.objects.names.insert(name, Object::Force(id));
        self.objects.forces.push((id, spec, law));
        Ok(id)
    }
}

impl Lookup<'_> {
    pub(super) fn force(
        &self,
        spec: &ForceSpec,
        law: Option<&ForceLaw>,
        graph: Option<&SignalGraph>,
    ) -> Result<Force> {
        let name = spec.name().into_owned();
        let owner = Owner { section: Section::Forces, name: &name };
        let drive = |field: &str, d: &DriveSpec| self.drive(owner, field, d, graph);
        let spring_law = |stiffness, damping, rest, actuator: Option<&DriveSpec>| -> Result<ScalarLaw> {
            match law {
                Some(law) => Ok(ScalarLaw::User(law.clone())),
                None => {
                    let actuator = actuator.map(|d| drive("actuator", d)).transpose()?;
                    Ok(ScalarLaw::Spring { stiffness, damping, rest, actuator })
                }
            }
        };
        let along =
            |label, terms, law| Force::Coordinate(CoordinateForce { name: name.clone(), label, terms, law });
        if law.is_some() && !takes_law(spec) {
            return Err(owner.error("type", "only springs and coordinate springs take a law"));
        }
        Ok(match spec {
            ForceSpec::Spring(s) => {
                let a = self.point(owner.section, &name, "a", &s.a, s.point_a)?;
                let b = self.point(owner.section, &name, "b", &s.b, s.point_b)?;
                let length = self.attachment_point(&a).distance(self.attachment_point(&b));
                let law =
                    spring_law(s.stiffness, s.damping, s.length.unwrap_or(length), s.actuator.as_ref())?;
                Force::Spring(Spring { name: name.clone(), a, b, law })
            }
            ForceSpec::CoordinateSpring(s) => {
                let (joint, coordinate, shaft) =
                    (s.joint.as_deref(), s.coordinate.as_deref(), s.shaft.as_deref());
                let mut terms = vec![(self.coordinate_of(owner, joint, coordinate, shaft)?, 1.0)];
                if let Some(second) = &s.second_shaft {
                    if shaft.is_none() {
                        return Err(owner.error("second_shaft", "`second_shaft` needs `shaft`"));
                    }
                    let second = CoordinateRef::Shaft(self.shaft_of(owner, "second_shaft", second)?);
                    if second == terms[0].0 {
                        return Err(owner.error("second_shaft", "it connects a shaft with itself"));
                    }
                    terms.push((second, -1.0));
                }
                along("spring", terms, spring_law(s.stiffness, s.damping, s.rest, s.actuator.as_ref())?)
            }
            ForceSpec::Clutch(s) => {
                let a = CoordinateRef::Shaft(self.shaft_of(owner, "shaft_a", &s.shaft_a)?);
                let b = CoordinateRef::Shaft(self.shaft_of(owner, "shaft_b", &s.shaft_b)?);
                if a == b {
                    return Err(owner.error("shaft_b", "it connects a shaft with itself"));
                }
                let limit = drive("torque", &s.torque)?;
                let law = ScalarLaw::Friction { limit, stiffness: s.stiffness, damping: s.damping };
                along("clutch", vec![(a, 1.0), (b, -1.0)], law)
            }
            ForceSpec::Brake(s) => {
                let (joint, coordinate, shaft) =
                    (s.joint.as_deref(), s.coordinate.as_deref(), s.shaft.as_deref());
                let at = self.coordinate_of(owner, joint, coordinate, shaft)?;
                let limit = drive("torque", &s.torque)?;
                let law = ScalarLaw::Friction { limit, stiffness: s.stiffness, damping: s.damping };
                along("brake", vec![(at, 1.0)], law)
            }
            ForceSpec::Bushing(s) => {
                let (a, b) = self.attachments(&Place {
                    section: Section::Forces,
                    name: &name,
                    a: &s.a,
                    b: &s.b,
                    at: &s.place,
                })?;
                for (field, at) in [("a", &a), ("b", &b)] {
                    if self.is_point(at.carrier) {
                        let problem = "the node has no rotation, so a bushing cannot hold it; use a spring";
                        return Err(owner.error(field, problem));
                    }
                }
                let (stiffness, damping, preload) = (s.stiffness.0, s.damping.0, s.preload);
                Force::Bushing(Box::new(Bushing { name: name.clone(), a, b, stiffness, damping, preload }))
            }
            ForceSpec::Load(s) => {
                let (carrier, point) = self.body_point(owner, &s.body, s.point, false)?;
                let three = |field: &str, d: &[DriveSpec; 3]| -> Result<[Drive; 3]> {
                    Ok([drive(field, &d[0])?, drive(field, &d[1])?, drive(field, &d[2])?])
                };
                let frame = match s.frame {
                    LoadAxes::World => LoadFrame::World,
                    LoadAxes::Body => LoadFrame::Body,
                };
                let (force, torque) = (three("force", &s.force)?, three("torque", &s.torque)?);
                Force::Load(Box::new(Load { name: name.clone(), carrier, point, frame, force, torque }))
            }
            ForceSpec::Drag(s) => {
                let (carrier, point) = self.body_point(owner, &s.body, s.point, true)?;
                Force::Drag(Drag {
                    name: name.clone(),
                    carrier,
                    point,
                    medium_velocity: DVec3::from_array(s.medium_velocity),
                    linear: s.linear,
                    quadratic: s.quadratic,
                    angular_linear: s.angular_linear,
                    angular_quadratic: s.angular_quadratic,
                })
            }
            ForceSpec::Rope(s) => Force::Rope(Rope {
                a: self.point(owner.section, &name, "a", &s.a, s.point_a)?,
                b: self.point(owner.section, &name, "b", &s.b, s.point_b)?,
                name: name.clone(),
                length: s.length,
                stiffness: s.stiffness,
                damping: s.damping,
                restitution: s.restitution,
            }),
        })
    }

    /// A point of a body: given, its marker, or its origin or centre of mass.
    fn body_point(
        &self,
        owner: Owner<'_>,
        body: &str,
        point: Option<[f64; 3]>,
        at_center: bool,
    ) -> Result<(Carrier, DVec3)> {
        let anchor = self.anchor(owner.section, owner.name, "body", body)?;
        let id = match anchor.carrier {
            Carrier::Body(id) => id,
            Carrier::Ground => return Err(owner.error("body", "it acts on a body, not on ground")),
            Carrier::External(_) => {
                let problem = "it acts on a body; what acts on nodes is listed in `loads` of the structure";
                return Err(owner.error("body", problem));
            }
        };
        let center =
            self.objects.assembly.body(id).filter(|_| at_center).map_or(DVec3::ZERO, |b| b.center_of_mass);
        let point = match (anchor.marker, point) {
            (Some((origin, turn)), Some(p)) => origin + turn * DVec3::from_array(p),
            (Some((origin, _)), None) => origin,
            (None, Some(p)) => DVec3::from_array(p),
            (None, None) => center,
        };
        Ok((anchor.carrier, point))
    }
}

fn takes_law(spec: &ForceSpec) -> bool {
    matches!(spec, ForceSpec::Spring(_) | ForceSpec::CoordinateSpring(_))
}

//! What a recording shows of fluids: one group a fluid, in the order of numbers, and their walls.

use glam::DQuat;
use huygens_geometry::Pose;
use huygens_record::{Group, GroupFrame, GroupKeys, GroupKind};

use super::{FluidId, FluidSet};
use crate::world::coupling::{Carrier, prescribed};
use crate::world::shown::{Numbers, Shown, StagePlan, absent, group};
use crate::world::stage::{Builder, FIXED, field, single, turned};
use crate::world::{Result, World};

/// Walls that are no shapes of a body, by fluid and wall.
struct Walls(Vec<(FluidId, usize)>);

impl Shown for Walls {
    fn groups(&self, world: &World, numbers: &Numbers) -> Vec<(Group, GroupKeys)> {
        let set = |id: &FluidId| world.fluid_of(*id).ok();
        let name = |(id, w): &(FluidId, usize)| {
            set(id).map_or(String::new(), |set| format!("{}/{}", set.spec.name, set.solids[*w].draft.name))
        };
        let fields = vec![field("position", "m", 3), field("rotation", "", 4)];
        let names = self.0.iter().map(name).collect();
        let keys =
            numbers.items(self.0.iter().map(|(id, _)| set(id).map_or("", |set| set.spec.name.as_str())));
        vec![(Group { names, ..group("walls of fluids", GroupKind::Bodies, fields) }, keys)]
    }

    fn write(&self, world: &World, groups: &mut [GroupFrame]) -> Result<()> {
        let [GroupFrame { count, fields }] = groups else { return Ok(()) };
        *count = self.0.len();
        for (s, w) in &self.0 {
            let Some(wall) = world.fluid_of(*s).ok().and_then(|set| set.solids.get(*w)) else {
                absent(fields);
                continue;
            };
            let (position, rotation): (_, DQuat) = match &wall.carrier {
                Carrier::Motion(motion) => {
                    let m = prescribed(&wall.pose, motion, world.time());
                    (m.position, m.rotation)
                }
                Carrier::Body(body) => {
                    let body = world
                        .body_motion(*body)
                        .map_or(Pose::IDENTITY, |m| Pose { position: m.position, rotation: m.rotation });
                    let Pose { position, rotation } = body * wall.pose;
                    (position, rotation)
                }
                _ => {
                    let Pose { position, rotation } = wall.pose;
                    (position, rotation)
                }
            };
            fields[0].extend(single(position));
            fields[1].extend(turned(rotation));
        }
        Ok(())
    }
}

/// One fluid.
struct Fluid(FluidId);

impl Shown for Fluid {
    fn groups(&self, world: &World, numbers: &Numbers) -> Vec<(Group, GroupKeys)> {
        let set = world.fluid_of(self.0).ok();
        set.map(|set| (set.group(world), numbers.group(&set.spec.name))).into_iter().collect()
    }

    fn write(&self, world: &World, groups: &mut [GroupFrame]) -> Result<()> {
        if let (Some(set), [group]) = (world.fluid_of(self.0).ok(), groups) {
            set.record(group, world);
        }
        Ok(())
    }
}

/// Keys of meshes that no shape and no wall of grains has.
const KEYS: usize = usize::MAX / 2;

impl World {
    /// Puts fluids and their walls on the stage, as its next groups.
    pub(in crate::world) fn stage_fluids(&self, builder: &mut Builder, plan: &mut StagePlan) {
        let look = builder.look(FIXED);
        let walls_group = builder.stage.groups.len();
        let (mut walls, mut key) = (Vec::new(), KEYS);
        for (id, set) in self.objects.fluids.iter() {
            for (w, wall) in set.solids.iter().enumerate().filter(|(_, wall)| wall.visible) {
                let carried = wall
                    .carrier
                    .body()
                    .and_then(|id| self.objects.bodies.iter().position(|b| b.0 == id))
                    .filter(|body| plan.numbers.carries(&self.objects.bodies[*body].1.name, &set.spec.name));
                let item = match carried {
                    Some(body) => body,
                    None => {
                        walls.push((FluidId(id), w));
                        walls.len() - 1
                    }
                };
                builder.group = if carried.is_some() { 0 } else { walls_group };
                for (pose, surface) in &wall.surfaces {
                    let pose = if carried.is_some() { wall.pose * *pose } else { *pose };
                    key -= 1;
                    builder.surface(item, look, surface, &pose, key);
                }
            }
        }
        builder.group = 0;
        if !walls.is_empty() {
            plan.show(self, &mut builder.stage, Walls(walls));
        }
        for fluid in self.fluid_handles() {
            plan.show(self, &mut builder.stage, Fluid(fluid));
        }
    }
}

impl FluidSet {
    /// Whether particles come and go.
    fn has_traffic(&self) -> bool {
        self.spec.bounds.is_some_and(|b| !b.closed)
            || !self.spec.inlets.is_empty()
            || !self.spec.outlets.is_empty()
    }

    fn group(&self, world: &World) -> Group {
        let radius = 0.5 * self.spec.spacing as f32;
        let mut fields = vec![
            field("position", "m", 3),
            field("velocity", "m/s", 3),
            field("pressure", "Pa", 1),
            field("density", "kg/m³", 1),
        ];
        let (mut constants, mut constant_values) = (Vec::new(), Vec::new());
        match self.has_traffic() {
            true => fields.extend([field("radius", "m", 1), field("id", "", 1)]),
            false => {
                constants.push(field("radius", "m", 1));
                constant_values.push(vec![radius; self.reading(world).map_or(0, |fluid| fluid.len())]);
            }
        }
        Group { constants, constant_values, ..group(&self.spec.name, GroupKind::Particles, fields) }
    }

    fn record(&self, GroupFrame { count, fields }: &mut GroupFrame, world: &World) {
        let Some(fluid) = self.reading(world) else {
            *count = 0;
            return;
        };
        *count = fluid.len();
        for p in fluid.particles() {
            fields[0].extend(single(p.position));
            fields[1].extend(single(p.velocity));
            fields[2].push(p.pressure as f32);
            fields[3].push(p.density as f32);
            if let [_, _, _, _, radii, ids] = &mut fields[..] {
                radii.push(0.5 * self.spec.spacing as f32);
                ids.push(p.number as f32);
            }
        }
    }
}

//! What a recording shows of fluids: one group a fluid, in the order of numbers, and their walls.

use glam::DQuat;
use huygens_geometry::Pose;
use huygens_record::{Group, GroupFrame, GroupKind};

use super::FluidSet;
use crate::world::World;
use crate::world::coupling::{Carrier, prescribed};
use crate::world::stage::{Builder, FIXED, field, single, turned};

/// What of the fluids frames hold.
#[derive(Clone, Debug, Default)]
pub(in crate::world) struct FluidView {
    /// Fluids and walls, by index, of walls that no body carries.
    walls: Vec<(usize, usize)>,
    /// Fluids.
    sets: usize,
}

/// Keys of meshes that no shape and no wall of grains has.
const KEYS: usize = usize::MAX / 2;

impl World {
    /// Puts fluids and their walls on the stage, as its next groups.
    pub(in crate::world) fn stage_fluids(&self, builder: &mut Builder) -> FluidView {
        let mut view = FluidView { sets: self.fluids.len(), ..FluidView::default() };
        let look = builder.look(FIXED);
        let walls_group = builder.stage.groups.len();
        let (mut names, mut key) = (Vec::new(), KEYS);
        for (s, set) in self.fluids.iter().enumerate() {
            for (w, wall) in set.solids.iter().enumerate().filter(|(_, wall)| wall.visible) {
                let carried = wall.carrier.body().and_then(|id| self.bodies.iter().position(|b| b.0 == id));
                let item = match carried {
                    Some(body) => body,
                    None => {
                        view.walls.push((s, w));
                        names.push(format!("{}/{}", set.spec.name, wall.name));
                        view.walls.len() - 1
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
        if !names.is_empty() {
            builder.stage.groups.push(Group {
                name: "walls of fluids".into(),
                kind: GroupKind::Bodies,
                names,
                fields: vec![field("position", "m", 3), field("rotation", "", 4)],
                constants: Vec::new(),
                constant_values: Vec::new(),
            });
        }
        for set in &self.fluids {
            builder.stage.groups.push(set.group(self));
        }
        view
    }

    /// Writes walls and fluids into the groups of a frame.
    pub(in crate::world) fn record_fluids<'a>(
        &self,
        view: &FluidView,
        groups: &mut impl Iterator<Item = &'a mut GroupFrame>,
    ) {
        if !view.walls.is_empty()
            && let Some(GroupFrame { count, fields }) = groups.next()
        {
            *count = view.walls.len();
            fields.iter_mut().for_each(Vec::clear);
            for (s, w) in &view.walls {
                let wall = &self.fluids[*s].solids[*w];
                let (position, rotation): (_, DQuat) = match &wall.carrier {
                    Carrier::Motion(motion) => {
                        let m = prescribed(&wall.pose, motion, self.time());
                        (m.position, m.rotation)
                    }
                    _ => {
                        let Pose { position, rotation } = wall.pose;
                        (position, rotation)
                    }
                };
                fields[0].extend(single(position));
                fields[1].extend(turned(rotation));
            }
        }
        for (set, group) in self.fluids.iter().take(view.sets).zip(groups) {
            set.record(group, self);
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
        let (name, kind) = (self.spec.name.clone(), GroupKind::Particles);
        Group { name, kind, names: Vec::new(), fields, constants, constant_values }
    }

    fn record(&self, GroupFrame { count, fields }: &mut GroupFrame, world: &World) {
        fields.iter_mut().for_each(Vec::clear);
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

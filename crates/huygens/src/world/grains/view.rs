//! What a recording shows of grains: one group a set, in the order of ids, and their walls.

use glam::{DQuat, DVec3};
use huygens_geometry::Pose;
use huygens_particles::shapes::bands;
use huygens_particles::{GrainBlock, Surface};
use huygens_record::{BatchKind, Group, GroupFrame, GroupKeys, GroupKind};

use super::{GrainSet, GrainsId};
use crate::world::shown::{Numbers, Shown, StagePlan, absent, group};
use crate::world::stage::{Builder, FIXED, field, single, turned};
use crate::world::{Result, World};

/// Walls that are no shapes of a body, by set and wall.
struct Walls(Vec<(GrainsId, usize)>);

impl Shown for Walls {
    fn groups(&self, world: &World, numbers: &Numbers) -> Vec<(Group, GroupKeys)> {
        let set = |id: &GrainsId| world.set_of(*id).ok();
        let name = |(id, w): &(GrainsId, usize)| {
            set(id).map_or(String::new(), |set| format!("{}/{}", set.spec.name, set.walls[*w].name))
        };
        let fields = vec![field("position", "m", 3), field("rotation", "", 4)];
        let names = self.0.iter().map(name).collect();
        let keys =
            numbers.items(self.0.iter().map(|(id, _)| set(id).map_or("", |set| set.spec.name.as_str())));
        vec![(Group { names, ..group("walls", GroupKind::Bodies, fields) }, keys)]
    }

    fn write(&self, world: &World, groups: &mut [GroupFrame]) -> Result<()> {
        let [GroupFrame { count, fields }] = groups else { return Ok(()) };
        *count = self.0.len();
        for (s, w) in &self.0 {
            let Some(wall) = world.set_of(*s).ok().and_then(|set| set.walls.get(*w)) else {
                absent(fields);
                continue;
            };
            let motion = world.wall_motion(wall);
            fields[0].extend(single(motion.position));
            fields[1].extend(turned(motion.rotation));
        }
        Ok(())
    }
}

/// One set of grains.
struct Grains {
    set: GrainsId,
    /// Number of its grains, and the highest of their ids, where grains do not come and go by themselves.
    census: Option<(usize, Option<u64>)>,
}

impl Grains {
    fn of(world: &World, set: GrainsId) -> Self {
        Self { set, census: world.set_of(set).ok().and_then(|set| set.census(world)) }
    }
}

impl Shown for Grains {
    fn groups(&self, world: &World, numbers: &Numbers) -> Vec<(Group, GroupKeys)> {
        let described = world.set_of(self.set).ok().map(|set| {
            let block = world.grain_block(&set.spec.name).filter(|_| set.traffic.is_none());
            let ids = block.map_or(Vec::new(), |block| {
                let ids = block.system.ids();
                block.system.order().iter().map(|i| ids[*i as usize]).collect()
            });
            (set.group(world), GroupKeys { items: ids, ..numbers.group(&set.spec.name) })
        });
        described.into_iter().collect()
    }

    fn is_current(&self, world: &World) -> bool {
        world.set_of(self.set).ok().is_none_or(|set| set.census(world) == self.census)
    }

    fn write(&self, world: &World, groups: &mut [GroupFrame]) -> Result<()> {
        if let (Some(set), [group]) = (world.set_of(self.set).ok(), groups) {
            set.record(world, group);
        }
        Ok(())
    }
}

/// Corners of a surface with straight edges, or of a round one in many pieces.
fn outline(surface: &Surface) -> Option<(Vec<DVec3>, Vec<u32>)> {
    let listed = |(points, triangles): (Vec<DVec3>, Vec<[u32; 3]>)| Some((points, triangles.concat()));
    let round = |circles: [[f64; 2]; 2]| listed(bands(&circles));
    match surface.clone() {
        Surface::Cylinder { radius, span, .. } => round([[radius, span[0]], [radius, span[1]]]),
        Surface::Shaped(shape) => listed(shape.triangles()),
        Surface::Disc { radius } => round([[radius, 0.0], [0.0, 0.0]]),
        Surface::Rectangle { half: [x, y] } => {
            let corners = [(-x, -y), (x, -y), (x, y), (-x, y)];
            Some((corners.map(|(x, y)| DVec3::new(x, y, 0.0)).to_vec(), vec![0, 1, 2, 0, 2, 3]))
        }
        Surface::Box { half, hollow: true } => {
            let corner = |k: u32, c: usize| if k >> c & 1 == 0 { -half[c] } else { half[c] };
            let points = (0..8).map(|k| DVec3::new(corner(k, 0), corner(k, 1), corner(k, 2))).collect();
            let faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
            Some((points, faces.iter().flat_map(|[a, b, c, d]| [*a, *b, *c, *a, *c, *d]).collect()))
        }
        Surface::ClosedCylinder { radius, span, hollow: true } => {
            round([[radius, span[0]], [radius, span[1]]])
        }
        Surface::Mesh(mesh) => {
            Some((mesh.points().to_vec(), mesh.triangles().iter().flatten().copied().collect()))
        }
        Surface::Facets(facets) => Some((
            facets.vertices().collect(),
            facets.topology().triangles().iter().flatten().copied().collect(),
        )),
        Surface::Plane
        | Surface::Sphere { .. }
        | Surface::Capsule { .. }
        | Surface::Box { hollow: false, .. }
        | Surface::ClosedCylinder { hollow: false, .. } => None,
    }
}

impl World {
    /// Puts grains and walls on the stage, as its next groups.
    pub(in crate::world) fn stage_grains(&self, builder: &mut Builder, plan: &mut StagePlan) {
        let mut walls = Vec::new();
        let look = builder.look(FIXED);
        let walls_group = builder.stage.groups.len();
        for (s, (id, set)) in self.objects.grains.iter().enumerate() {
            for (w, wall) in set.walls.iter().enumerate().filter(|(_, wall)| wall.visible) {
                let carried = wall
                    .body()
                    .and_then(|id| self.objects.bodies.iter().position(|b| b.0 == id))
                    .filter(|body| plan.numbers.carries(&self.objects.bodies[*body].1.name, &set.spec.name));
                let item = match carried {
                    Some(body) => body,
                    None => {
                        walls.push((GrainsId(id), w));
                        walls.len() - 1
                    }
                };
                builder.group = if carried.is_some() { 0 } else { walls_group };
                for (part, (pose, surface)) in wall.surfaces.iter().enumerate() {
                    let pose = if carried.is_some() { wall.pose * *pose } else { *pose };
                    let key = usize::MAX - (s * crate::spec::MAX_WALLS + wall.parts.start + part);
                    builder.surface(item, look, surface, &pose, key);
                }
            }
        }
        builder.group = 0;
        if !walls.is_empty() {
            plan.show(self, &mut builder.stage, Walls(walls));
        }
        for set in self.grain_handles() {
            plan.show(self, &mut builder.stage, Grains::of(self, set));
        }
    }
}

impl GrainSet {
    /// Number of grains and the highest of their ids, where they do not come and go by themselves.
    fn census(&self, world: &World) -> Option<(usize, Option<u64>)> {
        let GrainBlock { system, .. } = world.grain_block(&self.spec.name)?;
        let ids = system.ids();
        self.traffic.is_none().then(|| (ids.len(), ids.iter().max().copied()))
    }

    fn group(&self, world: &World) -> Group {
        let radii = world.grain_block(&self.spec.name).map_or(Vec::new(), |GrainBlock { system, .. }| {
            let places = system.places();
            system.order().iter().map(|i| places[*i as usize].0[3] as f32).collect()
        });
        let mut fields = vec![field("position", "m", 3), field("velocity", "m/s", 3)];
        let (mut constants, mut constant_values) = (Vec::new(), Vec::new());
        match self.traffic {
            // Grains come and go: what they are is written with where they are.
            Some(_) => fields.extend([field("radius", "m", 1), field("id", "", 1)]),
            None => {
                constants.push(field("radius", "m", 1));
                constant_values.push(radii);
            }
        }
        Group { constants, constant_values, ..group(&self.spec.name, GroupKind::Particles, fields) }
    }

    fn record(&self, world: &World, GroupFrame { count, fields }: &mut GroupFrame) {
        let Some(GrainBlock { system, .. }) = world.grain_block(&self.spec.name) else {
            *count = 0;
            return;
        };
        *count = system.len();
        for i in system.order() {
            fields[0].extend(single(system.places()[i as usize].vector()));
            fields[1].extend(single(system.motions()[i as usize].vector()));
            if let [_, _, radii, ids] = &mut fields[..] {
                radii.push(system.places()[i as usize].0[3] as f32);
                ids.push(system.ids()[i as usize] as f32);
            }
        }
    }
}

impl Builder {
    /// A surface of a wall.
    pub(in crate::world) fn surface(
        &mut self,
        item: usize,
        look: u32,
        surface: &Surface,
        pose: &Pose,
        key: usize,
    ) {
        match surface {
            Surface::Plane => self.push(BatchKind::HalfSpace, None, item, look, &[], pose),
            Surface::Sphere { radius, .. } => {
                let upright = Pose { position: pose.position, rotation: DQuat::IDENTITY };
                self.push(BatchKind::Sphere, None, item, look, &[*radius], &upright);
            }
            Surface::Capsule { radius, half_length } => {
                self.push(BatchKind::Capsule, None, item, look, &[*radius, *half_length], pose);
            }
            Surface::Box { half, hollow: false } => self.push(BatchKind::Box, None, item, look, half, pose),
            Surface::ClosedCylinder { radius, span, hollow: false } => {
                let middle = DVec3::Z * (0.5 * (span[0] + span[1]));
                let pose = *pose * Pose { position: middle, rotation: DQuat::IDENTITY };
                let size = [*radius, 0.5 * (span[1] - span[0])];
                self.push(BatchKind::Cylinder, None, item, look, &size, &pose);
            }
            _ => {
                let Some((points, triangles)) = outline(surface) else { return };
                let mesh = self.mesh(key, &points, triangles);
                self.push(BatchKind::Mesh, Some(mesh), item, look, &[], pose);
            }
        }
    }
}

//! Marks over the things of a picture: contact forces, frames of joints, bounding boxes.
//!
//! They take no light from each other or from things and cast no shadow; where a thing hides one, it shines through.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3, Vec3};
use huygens_exec::Exec;
use huygens_record::recording::{BatchKind, Frame, GroupKind, Stage};

use crate::camera::Framing;
use crate::color::{ColorMap, Rgb};
use crate::error::RenderError;
use crate::scene::Cut;
use crate::shapes::{ItemValues, Poses, Selection, Shape, field, for_each_shape, local_shape, reach};
use crate::solid::{Form, Solid};
use crate::surface::Surface;
use crate::tree::{NONE, Ray, Stack, Tree, TreeCost};
use crate::view::{ContactMarks, View};

/// Colours of the axes of a joint.
const AXES: [Rgb; 3] = [Rgb::hex(0xdb3333), Rgb::hex(0x299e38), Rgb::hex(0x336bf2)];
const ARROW: Rgb = Rgb::hex(0xed5c1a);
const EDGE: Rgb = Rgb::hex(0x1a4073);
/// Marks behind each other that are followed along a ray.
const LAYER_LIMIT: usize = 12;
/// Colours of chains.
pub(crate) const CHAIN_MAP: ColorMap = ColorMap::Heat;

/// Contact forces as lengths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Forces {
    /// The largest force [N].
    pub top: f64,
    /// Length of an arrow [m/N].
    pub scale: f64,
}

impl Forces {
    /// The range of the forces in some frames; none where they are not drawn, or there are none.
    pub fn of(stage: &Stage, frames: &[&Frame], view: &View, framing: &Framing) -> Option<Self> {
        if view.marks.contacts == ContactMarks::None {
            return None;
        }
        let mut top = 0.0_f64;
        for frame in frames {
            for contacts in contact_groups(stage, frame) {
                top = (0..contacts.count).map(|i| contacts.force(i).length()).fold(top, f64::max);
            }
        }
        let scale = view.marks.force_scale.unwrap_or(0.2 * framing.radius / top);
        (top > 0.0).then_some(Self { top, scale })
    }
}

/// The contacts of a frame.
struct Contacts<'a> {
    count: usize,
    positions: ItemValues<'a>,
    forces: ItemValues<'a>,
    /// Items that touch.
    ends: Option<[ItemValues<'a>; 2]>,
}

impl Contacts<'_> {
    /// The force on the second of the two [N]; zero where it is not a number.
    fn force(&self, contact: usize) -> DVec3 {
        let force = vector(&self.forces, contact);
        if force.is_finite() { force } else { DVec3::ZERO }
    }
}

fn vector(values: &ItemValues<'_>, item: usize) -> DVec3 {
    DVec3::new(
        f64::from(values.number(item, 0)),
        f64::from(values.number(item, 1)),
        f64::from(values.number(item, 2)),
    )
}

fn contact_groups<'a>(stage: &'a Stage, frame: &'a Frame) -> impl Iterator<Item = Contacts<'a>> {
    let found = stage.groups.iter().enumerate().filter(|(_, group)| group.kind == GroupKind::Contacts);
    found.filter_map(|(number, _)| {
        let of = |name: &str, components: usize| {
            field(stage, frame, number, name).filter(|f| f.components == components)
        };
        let ends = of("a", 1).zip(of("b", 1)).map(|(a, b)| [a, b]);
        let count = frame.groups.get(number)?.count;
        Some(Contacts { count, positions: of("position", 3)?, forces: of("force", 3)?, ends })
    })
}

struct Mark {
    solid: Solid,
    color: Vec3,
    /// Part of it that is seen through things.
    through: f32,
}

/// What a ray meets of the marks.
pub(crate) struct MarkHit {
    t: f32,
    /// Light that comes from it.
    color: Vec3,
    /// Part of it that is seen through things.
    through: f32,
}

/// All marks of a frame.
#[derive(Default)]
pub(crate) struct Marks {
    marks: Vec<Mark>,
    tree: Tree,
}

impl Marks {
    pub fn of(
        exec: &Exec,
        stage: &Stage,
        frame: &Frame,
        view: &View,
        framing: &Framing,
        forces: Option<Forces>,
        meshes: &[Arc<Surface>],
    ) -> Result<Self, RenderError> {
        let cut = view.clip.map(|clip| Cut::new(&clip, framing.center));
        let mut drawing = Drawing { stage, frame, framing, cut, marks: Vec::new() };
        if let Some(forces) = forces {
            match view.marks.contacts {
                ContactMarks::None => {}
                ContactMarks::Arrows => drawing.arrows(forces),
                ContactMarks::Chains => drawing.chains(forces)?,
            }
        }
        if view.marks.joints {
            drawing.joints()?;
        }
        if view.marks.bounds {
            for_each_shape(stage, frame, &Selection::new(view), &mut |shape| {
                drawing.bounds(&shape, meshes);
                Ok(())
            })?;
        }
        let marks = drawing.marks;
        let bounds: Vec<_> = marks.iter().map(|mark| mark.solid.bounds()).collect();
        let tree = Tree::build(exec, &bounds, TreeCost { thing: 0.6 });
        Ok(Self { marks, tree })
    }

    /// First mark on the ray.
    pub fn nearest(&self, ray: &Ray, stack: &mut Stack) -> Option<MarkHit> {
        let mut best: Option<(f32, u32)> = None;
        self.tree.nearest(ray, f32::INFINITY, stack, |leaf, mut reach, _| {
            for index in self.tree.leaves[leaf as usize].iter().filter(|index| **index != NONE) {
                if let Some(t) = self.marks[*index as usize].solid.enter(ray, reach) {
                    (reach, best) = (t, Some((t, *index)));
                }
            }
            reach
        });
        let (t, index) = best?;
        let mark = &self.marks[index as usize];
        let facing = -mark.solid.normal(ray.at(t)).dot(ray.direction);
        // Lit from the camera, so that they read the same from every side.
        let color = mark.color * (0.45 + 0.55 * facing.clamp(0.0, 1.0));
        Some(MarkHit { t, color, through: mark.through })
    }
}

impl Marks {
    /// Light of the marks along a ray from the first of them on, and the part of what lies behind them that is still
    /// seen; things begin at the distance `things`.
    pub fn cover(&self, ray: &Ray, first: MarkHit, things: f32, stack: &mut Stack) -> (Vec3, f32) {
        let (mut light, mut passed, mut travelled) = (Vec3::ZERO, 1.0_f32, 0.0_f32);
        let mut next = Some(first);
        for _ in 0..LAYER_LIMIT {
            let Some(hit) = next else { break };
            travelled += hit.t;
            if travelled < things {
                return (light + passed * hit.color, 0.0);
            }
            light += passed * hit.through * hit.color;
            passed *= 1.0 - hit.through;
            if passed < 0.03 {
                break;
            }
            travelled += 2e-5 * travelled;
            next = self.nearest(&Ray::new(ray.at(travelled), ray.direction), stack);
        }
        (light, passed)
    }
}

struct Drawing<'a> {
    stage: &'a Stage,
    frame: &'a Frame,
    framing: &'a Framing,
    cut: Option<Cut>,
    marks: Vec<Mark>,
}

impl Drawing<'_> {
    /// Adds a form along the way between two points.
    fn between(&mut self, [from, to]: [DVec3; 2], form: impl Fn(f32) -> Form, color: Vec3, through: f32) {
        let place = (0.5 * (from + to) - self.framing.center).as_vec3();
        let way = to - from;
        let length = way.length();
        if !(length > 0.0 && length.is_finite()) || self.cut.is_some_and(|cut| cut.removes(place)) {
            return;
        }
        let turn = DMat3::from_quat(DQuat::from_rotation_arc(DVec3::Z, way / length)).as_mat3();
        let solid = Solid { form: form(0.5 * length as f32), place, turn };
        self.marks.push(Mark { solid, color, through });
    }

    fn rod(&mut self, ends: [DVec3; 2], radius: f64, color: Vec3, through: f32) {
        let radius = radius as f32;
        self.between(ends, |half| Form::Capsule { radius, half }, color, through);
    }

    fn arrow(&mut self, from: DVec3, way: DVec3, color: Vec3, through: f32) {
        let length = way.length();
        let width = (0.006 * self.framing.radius).min(0.08 * length);
        let neck = from + way * (1.0 - (6.0 * width / length).min(0.5));
        let (shaft, head) = (width as f32, 2.6 * width as f32);
        self.between([from, neck], |half| Form::Cylinder { radius: shaft, half }, color, through);
        self.between([neck, from + way], |half| Form::Cone { radius: head, half }, color, through);
    }

    fn arrows(&mut self, forces: Forces) {
        for contacts in contact_groups(self.stage, self.frame) {
            for contact in 0..contacts.count {
                let force = contacts.force(contact);
                let way = force * forces.scale;
                // Shorter ones would be dots.
                if way.length() > 0.002 * self.framing.radius {
                    let through = 0.7 * (force.length() / forces.top).min(1.0);
                    self.arrow(vector(&contacts.positions, contact), way, ARROW.linear(), through as f32);
                }
            }
        }
    }

    fn chains(&mut self, forces: Forces) -> Result<(), RenderError> {
        let Some(group) = bodies(self.stage) else { return Ok(()) };
        let poses = Poses::new(self.stage, self.frame, group)?;
        let sizes = self.sizes(group);
        for contacts in contact_groups(self.stage, self.frame) {
            let Some(ends) = contacts.ends else { continue };
            for contact in 0..contacts.count {
                let share = (contacts.force(contact).length() / forces.top).min(1.0);
                let radius = 0.016 * self.framing.radius * share.sqrt();
                // Weaker ones would only be specks.
                if share < 0.02 {
                    continue;
                }
                let touch = vector(&contacts.positions, contact);
                let mut places = [touch; 2];
                for (place, end) in places.iter_mut().zip(&ends) {
                    let item = end.number(contact, 0);
                    let size = sizes.get(item as usize).copied().filter(|_| item >= 0.0);
                    // Chains end at the surface of what is no grain, such as a ground or a container.
                    let Some(size) = size.filter(|size| *size < 0.6 * self.framing.radius) else { continue };
                    if let Some((center, _)) = poses.find(item as usize)?
                        && center.distance(touch) < 1.5 * size
                    {
                        *place = center;
                    }
                }
                // Of the many in a heap, the strong ones are seen.
                let through = (1.5 * share).min(0.9);
                self.rod(places, radius, CHAIN_MAP.linear(share as f32), through as f32);
            }
        }
        Ok(())
    }

    /// Radii about the origins of the items of a group [m]; 0 for those that are not drawn.
    fn sizes(&self, group: usize) -> Vec<f64> {
        let mut sizes = vec![0.0_f64; self.frame.groups[group].count];
        if let Some(radii) = field(self.stage, self.frame, group, "radius").filter(|r| r.components == 1) {
            sizes.iter_mut().enumerate().for_each(|(item, size)| *size = f64::from(radii.number(item, 0)));
        }
        for batch in self.stage.batches.iter().filter(|batch| batch.group == group) {
            for index in 0..batch.items.len() {
                let shape = local_shape(batch, index);
                let size = reach(self.stage, &shape).map(|r| r + shape.position.length());
                if let Some(known) = sizes.get_mut(shape.item) {
                    *known = known.max(size.unwrap_or(f64::INFINITY));
                }
            }
        }
        sizes
    }

    /// Axes of the two frames of each joint: long on the first body, short on the second.
    fn joints(&mut self) -> Result<(), RenderError> {
        let poses = bodies(self.stage).map(|group| Poses::new(self.stage, self.frame, group)).transpose()?;
        let size = 0.12 * self.framing.radius;
        for joint in self.stage.joints.iter().filter(|joint| joint.is_there(self.frame.time)) {
            let frames = [
                (joint.a, joint.position_a, joint.rotation_a, 1.0),
                (joint.b, joint.position_b, joint.rotation_b, 0.6),
            ];
            for (item, position, rotation, share) in frames {
                let body = match (item, &poses) {
                    (Some(item), Some(poses)) => poses.find(item as usize)?,
                    (Some(_), None) => None,
                    (None, _) => Some((DVec3::ZERO, DQuat::IDENTITY)),
                };
                let Some((place, turn)) = body else { continue };
                let place = place + turn * Vec3::from(position).as_dvec3();
                let turn = turn * DQuat::from_array(rotation.map(f64::from));
                for (axis, color) in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().zip(AXES) {
                    self.arrow(place, turn * axis * (size * share), color.linear(), 0.5);
                }
            }
        }
        Ok(())
    }

    /// The twelve edges of the box around a shape.
    fn bounds(&mut self, shape: &Shape, meshes: &[Arc<Surface>]) {
        let [a, b, c, d] = shape.size;
        let around = |half: Vec3| (Vec3::ZERO, half);
        let (center, half) = match shape.kind {
            BatchKind::Sphere => around(Vec3::splat(a)),
            BatchKind::Ellipsoid | BatchKind::Box => around(Vec3::new(a, b, c)),
            BatchKind::RoundedBox => around(Vec3::new(a, b, c) + d),
            BatchKind::Capsule => around(Vec3::new(a, a, a + b)),
            BatchKind::Cylinder | BatchKind::Cone => around(Vec3::new(a, a, b)),
            BatchKind::RoundedCylinder => around(Vec3::new(a, a, b) + c),
            BatchKind::HalfSpace => return,
            BatchKind::Mesh => match shape.mesh.and_then(|mesh| meshes.get(mesh)) {
                Some(mesh) => (mesh.bounds.center(), 0.5 * (mesh.bounds.high - mesh.bounds.low)),
                None => return,
            },
        };
        let corner = |signs: [f32; 3]| {
            shape.position + shape.rotation * (center + half * Vec3::from(signs)).as_dvec3()
        };
        for axis in 0..3 {
            for (u, v) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
                let ends = [-1.0, 1.0].map(|w| {
                    let mut signs = [w; 3];
                    (signs[(axis + 1) % 3], signs[(axis + 2) % 3]) = (u, v);
                    corner(signs)
                });
                self.rod(ends, 0.0016 * self.framing.radius, EDGE.linear(), 0.3);
            }
        }
    }
}

/// The group that contacts and joints refer to.
fn bodies(stage: &Stage) -> Option<usize> {
    let of = |kind: GroupKind| stage.groups.iter().position(|group| group.kind == kind);
    of(GroupKind::Bodies).or_else(|| of(GroupKind::Particles))
}

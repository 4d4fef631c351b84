//! A frame as things that rays meet.

use std::sync::Arc;

use glam::{DMat3, DVec3, Mat3, Vec3};
use huygens_exec::Exec;
use huygens_record::recording::{BatchKind, Frame, Stage};

use crate::camera::Framing;
use crate::error::RenderError;
use crate::fields::Coloring;
use crate::fluid_surface::FluidMesh;
use crate::looks::{Finish, Paint};
use crate::shapes::{Poses, Selection, Shape, field, for_each_shape};
use crate::solid::{Balls, Form, Solid};
use crate::surface::{Surface, SurfaceHit};
use crate::tree::{Bounds, LEAF, NONE, Ray, Stack, Tree, TreeCost};
use crate::view::{ClipView, View};

/// Marks a hit on a ground instead of an item.
const GROUND_BIT: u32 = 1 << 31;
/// Cosine of the steepest half-space that is still a ground.
pub(crate) const GROUND_COSINE: f64 = 0.5;

#[derive(Clone, Copy)]
enum Body {
    Ball { center: Vec3, radius: f32 },
    Solid(u32),
    Instance(u32),
}

struct Item {
    body: Body,
    finish: u32,
    color: Vec3,
    id: u32,
}

struct Instance {
    surface: Arc<Surface>,
    place: Vec3,
    turn: Mat3,
}

/// A plane with everything below it.
pub(crate) struct Ground {
    pub normal: Vec3,
    /// Height of the plane along its normal.
    pub height: f32,
    pub color: Vec3,
    pub finish: Finish,
    /// Axes of the pattern.
    pub axes: [Vec3; 2],
    /// Distance of the origin of the pattern along its axes.
    pub offset: [f32; 2],
    pub id: u32,
}

/// A plane; what lies on the side of its normal is cut away.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    normal: Vec3,
    height: f32,
}

impl Cut {
    pub fn new(clip: &ClipView, origin: DVec3) -> Self {
        let normal = DVec3::from_array(clip.normal).normalize_or(DVec3::Z);
        let height = normal.dot(DVec3::from_array(clip.point) - origin);
        Self { normal: normal.as_vec3(), height: height as f32 }
    }

    /// Whether a point is cut away.
    pub fn removes(&self, point: Vec3) -> bool {
        self.normal.dot(point) > self.height
    }

    /// Part of a ray that is left; 0 at its start means that the ray starts there.
    fn kept(&self, ray: &Ray, reach: f32) -> Option<(f32, f32)> {
        let above = self.normal.dot(ray.origin) - self.height;
        let rise = self.normal.dot(ray.direction);
        let meeting = -above / rise;
        match above > 0.0 {
            false => Some((0.0, if rise > 0.0 { meeting.min(reach) } else { reach })),
            true => (rise < 0.0 && meeting < reach).then_some((meeting, reach)),
        }
    }
}

struct Leaf {
    balls: Balls,
    items: [u32; LEAF],
    /// Which places hold something else than a ball.
    others: u32,
}

/// Everything of a frame that is drawn, ready for rays.
pub struct Scene {
    /// World place of the origin: near the middle of the scene, where single precision is finest.
    pub(crate) origin: DVec3,
    items: Vec<Item>,
    solids: Vec<Solid>,
    instances: Vec<Instance>,
    finishes: Vec<Finish>,
    pub(crate) grounds: Vec<Ground>,
    tree: Tree,
    leaves: Vec<Leaf>,
    /// Whether anything lets light through.
    clear: bool,
    cut: Option<Cut>,
    /// First id of each group.
    first_ids: Vec<u32>,
}

/// A point that a ray met.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    pub t: f32,
    target: u32,
    surface: Option<SurfaceHit>,
    /// Whether it lies on the face where the thing was cut open.
    cut: bool,
}

/// The surface at a hit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub point: Vec3,
    /// Unit normal on the side of the viewer.
    pub normal: Vec3,
    pub color: Vec3,
    pub finish: Finish,
    pub ground: Option<u32>,
    pub id: u32,
    /// How far a new ray starts off the surface.
    pub lift: f32,
    /// How far the place may be off by rounding [m].
    pub rounding: f32,
}

/// What a ray meets first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneHit {
    /// Distance along the ray [m].
    pub distance: f64,
    /// Unit normal of the surface there, towards the start of the ray.
    pub normal: DVec3,
    /// Index of the group; none for a ground that the description added.
    pub group: Option<usize>,
    /// Index of the item in its group.
    pub item: usize,
}

/// Surfaces of the meshes of a stage.
pub(crate) fn mesh_surfaces(stage: &Stage) -> Result<Vec<Arc<Surface>>, RenderError> {
    let surface = |mesh: &huygens_record::recording::Mesh| {
        let count = mesh.vertices.len() / 3;
        if mesh.triangles.iter().any(|corner| *corner as usize >= count) {
            let what = format!("mesh '{}' has a triangle with a corner that is not there", mesh.name);
            return Err(RenderError::Stage { what });
        }
        let vertices: Vec<Vec3> = mesh.vertices.chunks_exact(3).map(Vec3::from_slice).collect();
        Ok(Arc::new(Surface::new(&vertices, &mesh.triangles, mesh.crease, Vec::new())))
    };
    stage.meshes.iter().map(surface).collect()
}

impl Scene {
    /// The scene of one frame.
    pub fn build(stage: &Stage, frame: &Frame, view: &View) -> Result<Self, RenderError> {
        view.check()?;
        let framing = Framing::of(stage, &[frame], view)?;
        let coloring = view.color_by.as_ref().map(|c| Coloring::new(stage, &[frame], c)).transpose()?;
        let exec = Exec::serial();
        Self::assemble(&exec, stage, frame, view, &framing, coloring.as_ref(), &mesh_surfaces(stage)?)
    }

    pub(crate) fn assemble(
        exec: &Exec,
        stage: &Stage,
        frame: &Frame,
        view: &View,
        framing: &Framing,
        coloring: Option<&Coloring>,
        meshes: &[Arc<Surface>],
    ) -> Result<Self, RenderError> {
        let mut builder = Builder::new(stage, frame, view, framing, coloring);
        let selection = Selection::with_surfaces(view);
        for_each_shape(stage, frame, &selection, &mut |shape| builder.add(&shape, meshes))?;
        builder.add_skins()?;
        builder.add_fluids()?;
        builder.add_missing_ground();
        Ok(builder.finish(exec))
    }

    /// What a ray meets first.
    pub fn hit(&self, origin: DVec3, direction: DVec3) -> Option<SceneHit> {
        let ray = Ray::new((origin - self.origin).as_vec3(), direction.normalize_or(DVec3::X).as_vec3());
        let hit = self.nearest(&ray, f32::INFINITY, &mut Stack::new())?;
        let touch = self.touch(&ray, &hit);
        let group = self.first_ids.iter().rposition(|first| *first <= touch.id).filter(|_| touch.id > 0);
        let item = group.map_or(0, |g| (touch.id - self.first_ids[g]) as usize);
        Some(SceneHit { distance: f64::from(hit.t), normal: touch.normal.as_dvec3(), group, item })
    }

    /// First thing on the ray before `reach`.
    #[inline]
    pub(crate) fn nearest(&self, ray: &Ray, reach: f32, stack: &mut Stack) -> Option<Hit> {
        let ground = self.ground_hit(ray, reach);
        let reach = ground.map_or(reach, |hit| hit.t);
        let item = match &self.cut {
            None => self.nearest_item(ray, reach, stack),
            Some(cut) => self.nearest_left(cut, ray, reach, stack),
        };
        item.or(ground)
    }

    /// First thing on the part of the ray that is left by a cut.
    fn nearest_left(&self, cut: &Cut, ray: &Ray, reach: f32, stack: &mut Stack) -> Option<Hit> {
        let (from, to) = cut.kept(ray, reach)?;
        if from == 0.0 {
            return self.nearest_item(ray, to, stack);
        }
        let rest = Ray::new(ray.at(from), ray.direction);
        if let Some(item) = self.holder(&rest, stack) {
            return Some(Hit { t: from, target: item, surface: None, cut: true });
        }
        let hit = self.nearest_item(&rest, to - from, stack)?;
        Some(Hit { t: hit.t + from, ..hit })
    }

    /// The first of the things that the start of a ray lies in.
    fn holder(&self, ray: &Ray, stack: &mut Stack) -> Option<u32> {
        let mut found = NONE;
        // A ray of no length enters the boxes around its start.
        self.tree.any(ray, 0.0, stack, |leaf, stack| {
            for item in self.leaves[leaf as usize].items {
                if item < found && self.holds(item, ray, stack) {
                    found = item;
                }
            }
            false
        });
        (found != NONE).then_some(found)
    }

    fn holds(&self, item: u32, ray: &Ray, stack: &mut Stack) -> bool {
        match self.items[item as usize].body {
            Body::Ball { center, radius } => (ray.origin - center).length_squared() <= radius * radius,
            Body::Solid(solid) => self.solids[solid as usize].holds(ray.origin),
            Body::Instance(instance) => {
                let instance = &self.instances[instance as usize];
                instance.surface.holds(&instance.local(ray), stack)
            }
        }
    }

    #[inline]
    fn nearest_item(&self, ray: &Ray, reach: f32, stack: &mut Stack) -> Option<Hit> {
        let mut best = None;
        self.tree.nearest(ray, reach, stack, |leaf, mut reach, stack| {
            let leaf = &self.leaves[leaf as usize];
            let (mut hits, t) = leaf.balls.enter(ray, reach);
            while hits != 0 {
                let slot = hits.trailing_zeros() as usize;
                hits &= hits - 1;
                if t[slot] < reach {
                    reach = t[slot];
                    best = Some(Hit { t: reach, target: leaf.items[slot], surface: None, cut: false });
                }
            }
            let mut others = leaf.others;
            while others != 0 {
                let slot = others.trailing_zeros() as usize;
                others &= others - 1;
                if let Some(hit) = self.meet(leaf.items[slot], ray, reach, stack) {
                    reach = hit.t;
                    best = Some(hit);
                }
            }
            reach
        });
        best
    }

    fn ground_hit(&self, ray: &Ray, reach: f32) -> Option<Hit> {
        let mut best: Option<Hit> = None;
        for (index, ground) in self.grounds.iter().enumerate() {
            let down = -ground.normal.dot(ray.direction);
            let above = ground.normal.dot(ray.origin) - ground.height;
            if down > 1e-7 && above > 0.0 {
                let t = above / down;
                if t < best.map_or(reach, |hit| hit.t) {
                    best = Some(Hit { t, target: GROUND_BIT | index as u32, surface: None, cut: false });
                }
            }
        }
        best
    }

    /// Meets an item that is not a ball.
    fn meet(&self, item: u32, ray: &Ray, reach: f32, stack: &mut Stack) -> Option<Hit> {
        match self.items[item as usize].body {
            Body::Ball { .. } => None,
            Body::Solid(solid) => {
                let t = self.solids[solid as usize].enter(ray, reach)?;
                Some(Hit { t, target: item, surface: None, cut: false })
            }
            Body::Instance(instance) => {
                let instance = &self.instances[instance as usize];
                let hit = instance.surface.nearest(&instance.local(ray), reach, stack)?;
                Some(Hit { t: hit.t, target: item, surface: Some(hit), cut: false })
            }
        }
    }

    /// Part of the light that passes along the ray before `reach`; grounds are left to the caller.
    #[inline]
    pub(crate) fn passes(&self, ray: &Ray, reach: f32, stack: &mut Stack) -> f32 {
        let Some(cut) = &self.cut else { return self.passes_items(ray, reach, stack) };
        match cut.kept(ray, reach) {
            None => 1.0,
            Some((0.0, to)) => self.passes_items(ray, to, stack),
            Some((from, to)) => {
                let rest = Ray::new(ray.at(from), ray.direction);
                let finish = self.holder(&rest, stack).map(|item| self.items[item as usize].finish);
                let entered = finish.map_or(1.0, |f| 1.0 - self.finishes[f as usize].opacity);
                if entered > 0.0 { entered * self.passes_items(&rest, to - from, stack) } else { 0.0 }
            }
        }
    }

    #[inline]
    fn passes_items(&self, ray: &Ray, reach: f32, stack: &mut Stack) -> f32 {
        let mut light = 1.0_f32;
        let blocked = self.tree.any(ray, reach, stack, |leaf, stack| {
            let leaf = &self.leaves[leaf as usize];
            let (mut hits, _) = leaf.balls.enter(ray, reach);
            if hits != 0 && !self.clear {
                return true;
            }
            let mut others = leaf.others;
            while others != 0 {
                let slot = others.trailing_zeros();
                others &= others - 1;
                if self.blocks(leaf.items[slot as usize], ray, reach, stack) {
                    hits |= 1 << slot;
                    if !self.clear {
                        return true;
                    }
                }
            }
            while hits != 0 {
                let slot = hits.trailing_zeros() as usize;
                hits &= hits - 1;
                let finish = self.items[leaf.items[slot] as usize].finish;
                light *= 1.0 - self.finishes[finish as usize].opacity;
            }
            light < 0.01
        });
        if blocked { 0.0 } else { light }
    }

    fn blocks(&self, item: u32, ray: &Ray, reach: f32, stack: &mut Stack) -> bool {
        match self.items[item as usize].body {
            Body::Ball { .. } => false,
            Body::Solid(solid) => self.solids[solid as usize].enter(ray, reach).is_some(),
            Body::Instance(instance) => {
                let instance = &self.instances[instance as usize];
                instance.surface.blocks(&instance.local(ray), reach, stack)
            }
        }
    }

    /// The surface where a ray met something.
    pub(crate) fn touch(&self, ray: &Ray, hit: &Hit) -> Touch {
        let point = ray.at(hit.t);
        let far = 2e-6 * (hit.t + point.abs().max_element());
        if hit.target & GROUND_BIT != 0 {
            let index = hit.target & !GROUND_BIT;
            let ground = &self.grounds[index as usize];
            let (color, finish, id) = (ground.color, ground.finish, ground.id);
            let normal = ground.normal;
            return Touch { point, normal, color, finish, ground: Some(index), id, lift: far, rounding: far };
        }
        let item = &self.items[hit.target as usize];
        let mut color = item.color;
        let mut lift = far;
        let cut = self.cut.filter(|_| hit.cut).map(|cut| cut.normal);
        let mut normal = match (item.body, &hit.surface) {
            _ if hit.cut => cut.unwrap_or(-ray.direction),
            (Body::Ball { center, radius }, _) => (point - center) / radius,
            (Body::Solid(solid), _) => self.solids[solid as usize].normal(point),
            (Body::Instance(instance), Some(surface_hit)) => {
                let instance = &self.instances[instance as usize];
                color = instance.surface.color(surface_hit).unwrap_or(color);
                let bounds = instance.surface.bounds;
                // Thin shells are met from inside too, so rays must clear the facets.
                lift += 1e-4 * (bounds.high - bounds.low).max_element();
                instance.turn * instance.surface.normal(surface_hit)
            }
            (Body::Instance(_), None) => -ray.direction,
        };
        if hit.surface.is_some() && normal.dot(ray.direction) > 0.0 {
            normal = -normal;
        }
        let finish = self.finishes[item.finish as usize];
        Touch {
            point,
            normal: normal.normalize_or(-ray.direction),
            color,
            finish,
            ground: None,
            id: item.id,
            lift,
            rounding: far,
        }
    }
}

impl Instance {
    #[inline]
    fn local(&self, ray: &Ray) -> Ray {
        let local = self.turn.transpose();
        Ray::new(local * (ray.origin - self.place), local * ray.direction)
    }
}

struct Builder<'a> {
    stage: &'a Stage,
    frame: &'a Frame,
    view: &'a View,
    framing: &'a Framing,
    /// Colours of items by field, one entry a group.
    colors: Vec<Option<Vec<Vec3>>>,
    bounds: Vec<Bounds>,
    scene: Scene,
}

impl<'a> Builder<'a> {
    fn new(
        stage: &'a Stage,
        frame: &'a Frame,
        view: &'a View,
        framing: &'a Framing,
        coloring: Option<&Coloring>,
    ) -> Self {
        let colors = Coloring::of_groups(coloring, stage, frame);
        let mut next = 1_u32;
        let mut first_ids = Vec::with_capacity(stage.groups.len());
        for group in &frame.groups {
            first_ids.push(next);
            next = next.saturating_add(group.count as u32);
        }
        let scene = Scene {
            origin: framing.center,
            items: Vec::new(),
            solids: Vec::new(),
            instances: Vec::new(),
            finishes: Vec::new(),
            grounds: Vec::new(),
            tree: Tree::default(),
            leaves: Vec::new(),
            clear: false,
            cut: view.clip.map(|clip| Cut::new(&clip, framing.center)),
            first_ids,
        };
        Self { stage, frame, view, framing, colors, bounds: Vec::new(), scene }
    }

    fn add(&mut self, shape: &Shape, meshes: &[Arc<Surface>]) -> Result<(), RenderError> {
        let place = (shape.position - self.scene.origin).as_vec3();
        let turn = DMat3::from_quat(shape.rotation).as_mat3();
        let [a, b, c, d] = shape.size;
        let used = &shape.size[..shape.kind.size_len()];
        if used.iter().any(|s| !s.is_finite() || *s < 0.0) {
            let what = format!(
                "a {:?} of group '{}' has the size {used:?}",
                shape.kind, self.stage.groups[shape.group].name
            );
            return Err(RenderError::Stage { what });
        }
        let form = match shape.kind {
            BatchKind::Sphere => {
                return self.add_item(
                    shape,
                    Body::Ball { center: place, radius: a },
                    Bounds::around(place, Vec3::splat(a)),
                );
            }
            BatchKind::HalfSpace => return self.add_half_space(shape),
            BatchKind::Mesh => {
                let Some(surface) = shape.mesh.and_then(|m| meshes.get(m)) else { return Ok(()) };
                return self.add_surface(shape, surface.clone(), place, turn);
            }
            BatchKind::Ellipsoid => Form::Ellipsoid { axes: Vec3::new(a, b, c) },
            BatchKind::Box => Form::Box { half: Vec3::new(a, b, c) },
            BatchKind::Capsule => Form::Capsule { radius: a, half: b },
            BatchKind::Cylinder => Form::Cylinder { radius: a, half: b },
            BatchKind::Cone => Form::Cone { radius: a, half: b },
            BatchKind::RoundedBox => Form::RoundedBox { half: Vec3::new(a, b, c), border: d },
            BatchKind::RoundedCylinder => Form::RoundedCylinder { radius: a, half: b, border: c },
        };
        let solid = Solid { form, place, turn };
        self.scene.solids.push(solid);
        self.add_item(shape, Body::Solid(self.scene.solids.len() as u32 - 1), solid.bounds())
    }

    fn add_surface(
        &mut self,
        shape: &Shape,
        surface: Arc<Surface>,
        place: Vec3,
        turn: Mat3,
    ) -> Result<(), RenderError> {
        let local = surface.bounds;
        if local.low.x > local.high.x {
            return Ok(());
        }
        let corner = |i: usize| {
            let pick =
                |bit: usize, axis: usize| if i & bit != 0 { local.high[axis] } else { local.low[axis] };
            place + turn * Vec3::new(pick(1, 0), pick(2, 1), pick(4, 2))
        };
        let bounds = (0..8).fold(Bounds::EMPTY, |all, i| all.with(corner(i)));
        self.scene.instances.push(Instance { surface, place, turn });
        self.add_item(shape, Body::Instance(self.scene.instances.len() as u32 - 1), bounds)
    }

    fn add_item(&mut self, shape: &Shape, body: Body, bounds: Bounds) -> Result<(), RenderError> {
        let Paint { color, finish } =
            self.paint(shape)?.colored(self.colors[shape.group].as_ref(), shape.item);
        if finish.opacity <= 0.0 {
            return Ok(());
        }
        self.scene.clear |= finish.opacity < 1.0;
        let finish = match self.scene.finishes.iter().rposition(|f| *f == finish) {
            Some(index) => index,
            None => {
                self.scene.finishes.push(finish);
                self.scene.finishes.len() - 1
            }
        };
        let id = self.scene.first_ids[shape.group] + shape.item as u32;
        self.scene.items.push(Item { body, finish: finish as u32, color, id });
        self.bounds.push(bounds);
        Ok(())
    }

    fn paint(&self, shape: &Shape) -> Result<Paint, RenderError> {
        Paint::of(self.stage, self.view, shape.group, shape.item, shape.look)
    }

    fn add_half_space(&mut self, shape: &Shape) -> Result<(), RenderError> {
        let normal = shape.rotation * DVec3::Z;
        if self.view.ground.show == Some(false) || normal.dot(self.framing.up) < GROUND_COSINE {
            return Ok(());
        }
        let Paint { color, finish } = self.paint(shape)?;
        let id = self.scene.first_ids[shape.group] + shape.item as u32;
        self.add_ground(normal, shape.position, color, Finish { opacity: 1.0, ..finish }, id);
        Ok(())
    }

    fn add_missing_ground(&mut self) {
        if self.view.ground.show == Some(true) && self.scene.grounds.is_empty() {
            let up = self.framing.up;
            let Paint { color, finish } = Paint::of_added_ground();
            self.add_ground(up, up * self.framing.floor, color, finish, 0);
        }
    }

    fn add_ground(&mut self, normal: DVec3, point: DVec3, color: Vec3, finish: Finish, id: u32) {
        let first = match normal.cross(DVec3::X).length() > 1e-3 {
            true => (DVec3::X - DVec3::X.dot(normal) * normal).normalize(),
            false => DVec3::Y,
        };
        let axes = [first, normal.cross(first)];
        self.scene.grounds.push(Ground {
            normal: normal.as_vec3(),
            height: normal.dot(point - self.scene.origin) as f32,
            color: self.view.ground.color.map_or(color, |c| c.linear()),
            finish,
            axes: axes.map(|axis| axis.as_vec3()),
            offset: axes.map(|axis| axis.dot(self.scene.origin) as f32),
            id,
        });
    }

    fn add_skins(&mut self) -> Result<(), RenderError> {
        for skin in &self.stage.skins {
            let poses = Poses::new(self.stage, self.frame, skin.group)?;
            let origin = self.scene.origin;
            let vertices: Vec<Vec3> = poses.places()?.iter().map(|p| (p - origin).as_vec3()).collect();
            let group = &self.stage.groups[skin.group];
            let drawn = Selection::new(self.view).skin_corners(group, skin, &poses);
            let drawn = drawn.as_flattened();
            let Some(item) = drawn.first().map(|item| *item as usize) else { continue };
            let colors = self.colors[skin.group].clone().unwrap_or_default();
            let colors = if colors.len() == vertices.len() { colors } else { Vec::new() };
            let surface = Arc::new(Surface::new(&vertices, drawn, 0.7, colors));
            let shape = Shape {
                kind: BatchKind::Mesh,
                position: self.scene.origin,
                rotation: glam::DQuat::IDENTITY,
                size: [0.0; 4],
                group: skin.group,
                item,
                look: Some(skin.look),
                mesh: None,
            };
            self.add_surface(&shape, surface, Vec3::ZERO, Mat3::IDENTITY)?;
        }
        Ok(())
    }

    /// Particles that are drawn as the surface of a fluid.
    fn add_fluids(&mut self) -> Result<(), RenderError> {
        for (g, group) in self.stage.groups.iter().enumerate() {
            let selection = Selection::with_surfaces(self.view);
            if !selection.as_surface(group) {
                continue;
            }
            let (origin, places) = (self.scene.origin, Poses::new(self.stage, self.frame, g)?.places()?);
            let drawn = |item: &usize| places[*item].is_finite() && selection.shows(group, *item);
            let items: Vec<usize> = (0..places.len()).filter(drawn).collect();
            let Some(item) = items.first().copied() else { continue };
            let local: Vec<Vec3> = items.iter().map(|k| (places[*k] - origin).as_vec3()).collect();
            let radius =
                field(self.stage, self.frame, g, "radius").map_or(0.0, |radius| radius.number(item, 0));
            let mesh = FluidMesh::new(&group.name, &local, radius)?;
            let colors = match &self.colors[g] {
                Some(colors) if colors.len() == places.len() => {
                    mesh.nearest(&local, radius).iter().map(|k| colors[items[*k]]).collect()
                }
                _ => Vec::new(),
            };
            let surface = Arc::new(Surface::new(&mesh.vertices, &mesh.corners, 3.2, colors));
            let shape = Shape {
                kind: BatchKind::Mesh,
                position: origin,
                rotation: glam::DQuat::IDENTITY,
                size: [0.0; 4],
                group: g,
                item,
                look: None,
                mesh: None,
            };
            self.add_surface(&shape, surface, Vec3::ZERO, Mat3::IDENTITY)?;
        }
        Ok(())
    }

    fn finish(mut self, exec: &Exec) -> Scene {
        let scene = &mut self.scene;
        scene.tree = Tree::build(exec, &self.bounds, TreeCost { thing: 0.3 });
        let leaf = |items: &[u32; LEAF]| {
            let mut leaf = Leaf { balls: Balls::EMPTY, items: *items, others: 0 };
            for (slot, item) in items.iter().enumerate().filter(|(_, item)| **item != NONE) {
                match scene.items[*item as usize].body {
                    Body::Ball { center, radius } => leaf.balls.set(slot, center, radius),
                    _ => leaf.others |= 1 << slot,
                }
            }
            leaf
        };
        scene.leaves = scene.tree.leaves.iter().map(leaf).collect();
        self.scene
    }
}

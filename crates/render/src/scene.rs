//! A frame as things that rays meet.

use std::sync::Arc;

use glam::{DMat3, DVec3, Mat3, Vec3};
use huygens_record::recording::{BatchKind, Frame, Look, Stage};

use crate::camera::Framing;
use crate::error::RenderError;
use crate::fields::Coloring;
use crate::shapes::{Poses, Selection, Shape, for_each_shape};
use crate::solid::{Balls, Form, Solid};
use crate::surface::{Surface, SurfaceHit};
use crate::tree::{Bounds, LEAF, NONE, Ray, Stack, Tree, TreeCost};
use crate::view::{LookRule, View, fits};

/// Marks a hit on a ground instead of an item.
const GROUND_BIT: u32 = 1 << 31;
/// Cosine of the steepest half-space that is still a ground.
pub(crate) const GROUND_COSINE: f64 = 0.5;

/// How the surface of an item takes light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Finish {
    pub roughness: f32,
    pub metal: bool,
    pub opacity: f32,
}

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
    /// First id of each group.
    first_ids: Vec<u32>,
}

/// A point that a ray met.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    pub t: f32,
    target: u32,
    surface: Option<SurfaceHit>,
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
        Self::assemble(stage, frame, view, &framing, coloring.as_ref(), &mesh_surfaces(stage)?)
    }

    pub(crate) fn assemble(
        stage: &Stage,
        frame: &Frame,
        view: &View,
        framing: &Framing,
        coloring: Option<&Coloring>,
        meshes: &[Arc<Surface>],
    ) -> Result<Self, RenderError> {
        let mut builder = Builder::new(stage, frame, view, framing, coloring)?;
        for_each_shape(stage, frame, &Selection::new(view), &mut |shape| builder.add(&shape, meshes))?;
        builder.add_skins()?;
        builder.add_missing_ground();
        Ok(builder.finish())
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
        let mut best = self.ground_hit(ray, reach);
        let reach = best.map_or(reach, |hit| hit.t);
        self.tree.nearest(ray, reach, stack, |leaf, mut reach, stack| {
            let leaf = &self.leaves[leaf as usize];
            let (mut hits, t) = leaf.balls.enter(ray, reach);
            while hits != 0 {
                let slot = hits.trailing_zeros() as usize;
                hits &= hits - 1;
                if t[slot] < reach {
                    reach = t[slot];
                    best = Some(Hit { t: reach, target: leaf.items[slot], surface: None });
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
                    best = Some(Hit { t, target: GROUND_BIT | index as u32, surface: None });
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
                Some(Hit { t, target: item, surface: None })
            }
            Body::Instance(instance) => {
                let instance = &self.instances[instance as usize];
                let hit = instance.surface.nearest(&instance.local(ray), reach, stack)?;
                Some(Hit { t: hit.t, target: item, surface: Some(hit) })
            }
        }
    }

    /// Part of the light that passes along the ray before `reach`; grounds are left to the caller.
    #[inline]
    pub(crate) fn passes(&self, ray: &Ray, reach: f32, stack: &mut Stack) -> f32 {
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
            return Touch { point, normal, color, finish, ground: Some(index), id, lift: far };
        }
        let item = &self.items[hit.target as usize];
        let mut color = item.color;
        let mut lift = far;
        let mut normal = match (item.body, &hit.surface) {
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

/// Linear colours of things without a look, by group.
pub(crate) const PLAIN: [[f32; 3]; 5] =
    [[0.22, 0.42, 0.66], [0.80, 0.42, 0.16], [0.24, 0.55, 0.40], [0.62, 0.30, 0.50], [0.55, 0.57, 0.60]];

impl<'a> Builder<'a> {
    fn new(
        stage: &'a Stage,
        frame: &'a Frame,
        view: &'a View,
        framing: &'a Framing,
        coloring: Option<&Coloring>,
    ) -> Result<Self, RenderError> {
        let colors = (0..stage.groups.len())
            .map(|group| coloring.map_or(Ok(None), |c| c.colors(stage, frame, group)))
            .collect::<Result<_, _>>()?;
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
            tree: Tree::build(&[], TreeCost { thing: 1.0 }),
            leaves: Vec::new(),
            clear: false,
            first_ids,
        };
        Ok(Self { stage, frame, view, framing, colors, bounds: Vec::new(), scene })
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
        let (color, mut finish) = self.look(shape)?;
        // A metal shows its surroundings: the colours of the legend would be lost.
        finish.metal &= self.colors[shape.group].is_none();
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
        let color = match &self.colors[shape.group] {
            Some(colors) => colors.get(shape.item).copied().unwrap_or(color),
            None => color,
        };
        let id = self.scene.first_ids[shape.group] + shape.item as u32;
        self.scene.items.push(Item { body, finish: finish as u32, color, id });
        self.bounds.push(bounds);
        Ok(())
    }

    /// Linear colour and finish of a shape, rules of the description applied.
    fn look(&self, shape: &Shape) -> Result<(Vec3, Finish), RenderError> {
        let stage = self.stage;
        let mut look_name = "";
        let (mut color, mut finish) = match shape.look {
            None => (
                Vec3::from(PLAIN[shape.group % PLAIN.len()]),
                Finish { roughness: 0.5, metal: false, opacity: 1.0 },
            ),
            Some(index) => {
                let Look { name, color, roughness, metal } = stage.looks.get(index).ok_or_else(|| {
                    let what = format!("look {index} is referred to, there are {}", stage.looks.len());
                    RenderError::Stage { what }
                })?;
                look_name = name;
                let [r, g, b, opacity] = *color;
                let roughness = roughness.clamp(0.0, 1.0);
                let opacity = opacity.clamp(0.0, 1.0);
                (crate::color::Rgb([r, g, b]).linear(), Finish { roughness, metal: *metal, opacity })
            }
        };
        let group = &stage.groups[shape.group];
        let name = group.names.get(shape.item).map_or("", String::as_str);
        let meant = |rule: &&LookRule| {
            [name, &group.name, look_name].iter().any(|n| !n.is_empty() && fits(&rule.name, n))
        };
        for rule in self.view.looks.iter().filter(meant) {
            color = rule.color.map_or(color, |c| c.linear());
            finish.roughness = rule.roughness.unwrap_or(finish.roughness);
            finish.metal = rule.metal.unwrap_or(finish.metal);
            finish.opacity = rule.opacity.unwrap_or(finish.opacity);
        }
        Ok((color.clamp(Vec3::ZERO, Vec3::ONE), finish))
    }

    fn add_half_space(&mut self, shape: &Shape) -> Result<(), RenderError> {
        let normal = shape.rotation * DVec3::Z;
        if self.view.ground.show == Some(false) || normal.dot(self.framing.up) < GROUND_COSINE {
            return Ok(());
        }
        let (color, finish) = self.look(shape)?;
        let id = self.scene.first_ids[shape.group] + shape.item as u32;
        self.add_ground(normal, shape.position, color, Finish { opacity: 1.0, ..finish }, id);
        Ok(())
    }

    fn add_missing_ground(&mut self) {
        if self.view.ground.show == Some(true) && self.scene.grounds.is_empty() {
            let up = self.framing.up;
            let color = crate::color::Rgb::hex(0xc9ccd1).linear();
            let finish = Finish { roughness: 0.9, metal: false, opacity: 1.0 };
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
            let vertices = (0..poses.count)
                .map(|item| Ok((poses.of(item)?.0 - self.scene.origin).as_vec3()))
                .collect::<Result<Vec<Vec3>, RenderError>>()?;
            if skin.triangles.iter().any(|corner| *corner as usize >= vertices.len()) {
                let what = format!(
                    "a skin of group '{}' has a corner that is not there",
                    self.stage.groups[skin.group].name
                );
                return Err(RenderError::Stage { what });
            }
            let selection = Selection::new(self.view);
            let group = &self.stage.groups[skin.group];
            let drawn: Vec<u32> = skin
                .triangles
                .chunks_exact(3)
                .filter(|t| t.iter().all(|item| selection.draws(group, *item as usize)))
                .flatten()
                .copied()
                .collect();
            let Some(item) = drawn.first().map(|item| *item as usize) else { continue };
            let colors = self.colors[skin.group].clone().unwrap_or_default();
            let colors = if colors.len() == vertices.len() { colors } else { Vec::new() };
            let surface = Arc::new(Surface::new(&vertices, &drawn, 0.7, colors));
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

    fn finish(mut self) -> Scene {
        let scene = &mut self.scene;
        scene.tree = Tree::build(&self.bounds, TreeCost { thing: 0.3 });
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

//! Walls, bodies and structures in a fluid, as markers.

use glam::{DQuat, DVec3};
use huygens_geometry::{Pose, Shape};
use huygens_multibody::BodyId;
use huygens_particles::described::{Part, fluid_wall, solid_shape};
use huygens_particles::sph::{FluidSettings, MarkerLayout, SolidDraft, SolidMarkers};

use crate::spec::{FluidSpec, FluidWallType};
use crate::world::coordinates::Owner;
use crate::world::coupling::Carrier;
use crate::world::{Result, World};

/// A wall, a body or a structure in a fluid.
pub(in crate::world) struct FluidSolid {
    /// Key of the description that it comes from.
    pub path: String,
    pub carrier: Carrier,
    /// The hidden body that carries it where functions of time move it and the fluid is a constraint fluid.
    pub body: Option<BodyId>,
    /// Its pose in the world at the start, or in the frame of its body.
    pub pose: Pose,
    /// Its markers: those of a wall at its pose, those of a body, or those of each piece of a structure.
    pub draft: SolidDraft,
    pub visible: bool,
    /// The surfaces that are seen, in the axes of the wall.
    pub surfaces: Vec<Part>,
}

impl World {
    /// Makes the walls, bodies and structures of a fluid.
    pub(super) fn fluid_solids(&mut self, owner: Owner<'_>, spec: &FluidSpec) -> Result<Vec<FluidSolid>> {
        let settings = FluidSettings::described(spec, DVec3::ZERO, 1.0);
        let layout = MarkerLayout::new(&settings);
        let mut solids = Vec::new();
        for (k, wall) in spec.walls.iter().enumerate() {
            let path = |key: &str| format!("walls.{k}.{key}");
            let wrong =
                |(key, e): (&str, String)| owner.error(&path(key), format!("wall '{}': {e}", wall.name));
            let layers = wall.layers().map_err(wrong)?.unwrap_or(layout.layers);
            let mut belt = DVec3::from_array(wall.surface_velocity);
            if !belt.is_finite() {
                return Err(wrong(("surface_velocity", "all components must be finite".into())));
            }
            let (carrier, pose) = self.carrier_of(owner, &path, &wall.mount, &wrong)?;
            let refused = |(key, e): (String, String)| wrong((&key, e));
            let shape = match &wall.kind {
                FluidWallType::Mesh { source, .. } => {
                    let made = crate::world::shapes::mesh(source, None, &mut self.objects.geometry);
                    Some(made.map_err(refused)?.shape)
                }
                FluidWallType::HeightField(source) => {
                    Some(crate::world::shapes::ground(source).map_err(refused)?)
                }
                _ => None,
            };
            let layout = MarkerLayout { layers, ..layout };
            let layout =
                layout.turned(self.carrier_rotation(&carrier)).map_err(|e| wrong(("body", e.to_string())))?;
            let made = fluid_wall(&layout, (&wall.name, &wall.kind), &pose, shape.as_ref(), settings.reach());
            let (mut made, surfaces) = made.map_err(wrong)?;
            // Markers are in the axes of what carries the wall, or in its own.
            match carrier.body() {
                Some(_) => belt = pose.rotation * belt,
                None => made = made.at(&pose.inverse()),
            }
            let SolidMarkers { points, shapes } = made;
            let (parts, slip, is_wall) = (vec![points], wall.slip, true);
            let name = wall.name.clone();
            let draft = SolidDraft { name, parts, shapes, slip, belt, is_wall, ..SolidDraft::default() };
            let visible = wall.is_visible();
            let path = format!("walls.{k}");
            solids.push(FluidSolid { path, carrier, body: None, pose, draft, visible, surfaces });
        }
        for (k, name) in spec.bodies.iter().enumerate() {
            solids.push(self.fluid_body(owner, &layout, &format!("bodies.{k}"), name)?);
        }
        for (k, name) in spec.structures.iter().enumerate() {
            let path = format!("structures.{k}");
            let wrong = |e: String| owner.error(&path, e);
            // Where its pieces are is known when the model is built.
            let (index, _) = self.line_pieces(owner, &path, name, &wrong)?;
            solids.push(inner(name, &path, Carrier::Structure(index), SolidMarkers::default()));
        }
        Ok(solids)
    }

    /// A body with markers that fill its shapes.
    fn fluid_body(
        &self,
        owner: Owner<'_>,
        layout: &MarkerLayout,
        path: &str,
        name: &str,
    ) -> Result<FluidSolid> {
        let body = owner.refer(path, "body", name, self.body(name))?;
        let wrong = |e: String| owner.error(path, format!("body '{name}': {e}"));
        let shapes = self.body_shapes(body);
        if shapes.is_empty() {
            return Err(wrong(
                "it has no shape to interact with the fluid; give it `shapes` or a `shape`".into(),
            ));
        }
        let carrier = Carrier::Body(body);
        let made = layout.body_markers(&shapes, self.carrier_rotation(&carrier));
        Ok(inner(name, path, carrier, made.map_err(|e| wrong(e.to_string()))?))
    }

    /// How the axes of what carries a wall are turned at the start.
    fn carrier_rotation(&self, carrier: &Carrier) -> DQuat {
        let body = carrier.body().and_then(|id| self.objects.assembly.body(id));
        body.map_or(DQuat::IDENTITY, |b| b.rotation)
    }

    /// The shapes that a body collides with, or else the solid that gives its mass, in its frame.
    fn body_shapes(&self, body: BodyId) -> Vec<(Pose, Shape)> {
        let all = self.objects.assembly.collision.shapes();
        let own: Vec<(Pose, Shape)> =
            all.iter().filter(|s| s.body == body).map(|s| (s.pose, s.shape.clone())).collect();
        let solid = self.objects.bodies.iter().find(|(id, _)| *id == body).and_then(|(_, spec)| spec.shape);
        match (own.is_empty(), solid) {
            (true, Some(solid)) => {
                let center = self.objects.assembly.body(body).map_or(DVec3::ZERO, |b| b.center_of_mass);
                vec![solid_shape(&solid, center)]
            }
            _ => own,
        }
    }
}

/// A body or structure, whose markers are in axes of its own.
fn inner(name: &str, path: &str, carrier: Carrier, markers: SolidMarkers) -> FluidSolid {
    let SolidMarkers { points, shapes } = markers;
    let draft = SolidDraft { name: name.to_owned(), parts: vec![points], shapes, ..SolidDraft::default() };
    let (path, pose) = (path.to_owned(), Pose::IDENTITY);
    FluidSolid { path, carrier, body: None, pose, draft, visible: false, surfaces: Vec::new() }
}

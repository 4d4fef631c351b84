//! Fills, inlets and outlets of grains.

use glam::DVec3;
use huygens_core::signal::closest_name;
use huygens_geometry::{Pose, Shape};
use huygens_particles::fill::{Amount, Fill, Pattern, Region, Sizes};
use huygens_particles::{Boundary, Inlet, Outlet, Rate, Traffic, WallMesh, Zone};

use super::rain::rain_of;
use super::{GrainSet, Owner, Result, Waiting, World};
use crate::spec::{GrainFillSpec, GrainsSpec, InletSpec, MAX_GRAINS, OutletSpec, PatternSpec};
use crate::world::shapes::pose_of_axes;

/// A mesh that grains or a fluid can fill.
pub(in crate::world) fn mesh_of(shape: &Shape, pose: &Pose) -> std::result::Result<WallMesh, String> {
    match shape {
        Shape::Mesh(mesh) => WallMesh::of(mesh, pose).map_err(|e| e.to_string()),
        _ => Err("a mesh of triangles is needed".into()),
    }
}

impl GrainSet {
    pub(super) fn material_or_common(
        &mut self,
        world: &mut World,
        owner: Owner<'_>,
        path: &str,
        name: Option<&String>,
    ) -> Result<usize> {
        match name {
            Some(name) => self.material(world, owner, &format!("{path}.material"), name),
            None => Ok(0),
        }
    }

    /// Makes the grains of a fill.
    pub(super) fn fill(
        &mut self,
        world: &mut World,
        owner: Owner<'_>,
        path: &str,
        spec: &GrainFillSpec,
    ) -> Result<()> {
        let wrong = |(key, e): (&str, String)| owner.error(&format!("{path}.{key}"), e);
        let material = self.material_or_common(world, owner, path, spec.material.as_ref())?;
        let kind = self.fill_kind(spec).map_err(wrong)?;
        let (sizes, density) = match kind.map(|k| &self.kinds[k]) {
            // A sphere about a clump stands for it while places are sought.
            Some(kind) => (Sizes::constant(kind.bounds().1), kind.density),
            None => (Sizes::of_fill(spec).map_err(wrong)?, spec.density.unwrap_or_default()),
        };
        let mesh = match &spec.mesh {
            Some(mesh) => {
                let made = crate::world::shapes::mesh(&mesh.source, None, &mut world.objects.geometry);
                let made = made.map_err(|(key, e)| wrong((&format!("mesh.{key}"), e)))?;
                let pose = pose_of_axes(mesh.frame.as_ref()).map_err(|e| wrong(("mesh.frame", e)))?;
                Some(mesh_of(&made.shape, &pose).map_err(|e| wrong(("mesh", e)))?)
            }
            None => None,
        };
        let region = match (&spec.region, &mesh) {
            (Some(region), _) => region.into(),
            (None, Some(mesh)) => Region::about(mesh),
            (None, None) => return Err(wrong(("region", "a fill needs a `region`, or a `mesh`".into()))),
        };
        let velocity = DVec3::from_array(spec.velocity);
        let Some(pattern) = Pattern::described(&spec.pattern) else {
            let rain = rain_of(spec, region, sizes, density, material).map_err(wrong)?;
            self.rains.push(rain);
            return Ok(());
        };
        let fill = Fill { region, pattern, sizes, density, material, velocity, seed: spec.seed };
        let room = MAX_GRAINS.saturating_sub(self.len(world));
        fill.check_count(mesh.as_ref(), room).map_err(|e| owner.refuse(path, e))?;
        let made = match &mesh {
            Some(mesh) => fill.make_inside(&world.exec, mesh),
            None => fill.make(&world.exec),
        };
        let made = made.map_err(|e| owner.refuse(path, e))?;
        match kind {
            Some(kind) => {
                self.check_room(world, made.grains.len() * self.kinds[kind].spheres.len(), owner, path)?;
                self.waiting.extend(self.exchange(&made.grains, kind, spec.seed));
            }
            None => {
                self.check_room(world, made.grains.len(), owner, path)?;
                self.waiting.extend(made.grains.into_iter().map(Waiting::Grain));
            }
        }
        Ok(())
    }

    /// The kind of clump that a fill names; refuses keys that clumps and rain do not have.
    fn fill_kind(&self, spec: &GrainFillSpec) -> std::result::Result<Option<usize>, (&'static str, String)> {
        let rain = matches!(spec.pattern, PatternSpec::Rainfall { .. });
        if rain && spec.mesh.is_some() {
            return Err(("mesh", "rain falls into a `region`; a mesh can be a wall of it".into()));
        }
        let Some(name) = &spec.clump else {
            return match spec.density {
                Some(_) => Ok(None),
                None => Err(("density", "a fill of grains needs a `density`".into())),
            };
        };
        if rain {
            return Err(("clump", "rain consists of single grains, not clumps".into()));
        }
        for (key, given) in [
            ("radius", spec.radius.is_some()),
            ("sizes", spec.sizes.is_some()),
            ("density", spec.density.is_some()),
            ("material", spec.material.is_some()),
        ] {
            if given {
                return Err((key, format!("`{key}` is given by the clump '{name}'")));
            }
        }
        let kind = self.kinds.iter().position(|kind| kind.name == *name);
        let names = || self.kinds.iter().map(|kind| kind.name.as_str());
        kind.map(Some).ok_or_else(|| {
            let near = closest_name(name, names()).map(|near| format!("; did you mean '{near}'?"));
            ("clump", format!("there is no clump '{name}'{}", near.unwrap_or_default()))
        })
    }

    fn inlet(&mut self, world: &mut World, owner: Owner<'_>, k: usize, spec: &InletSpec) -> Result<Inlet> {
        let path = format!("inlets.{k}");
        let wrong = |(key, e): (&str, String)| owner.error(&format!("{path}.{key}"), e);
        let (sizes, rate) = (Sizes::of_inlet(spec).map_err(wrong)?, Rate::of_inlet(spec).map_err(wrong)?);
        let limit = Amount::of_inlet(spec).map_err(wrong)?;
        let material = self.material_or_common(world, owner, &path, spec.material.as_ref())?;
        let inlet = Inlet {
            name: spec.name.clone(),
            region: (&spec.region).into(),
            rate,
            sizes,
            density: spec.density,
            material,
            velocity: DVec3::from_array(spec.velocity),
            limit,
            start: spec.start,
            seed: spec.seed,
        };
        inlet.check(self.materials.len()).map_err(|e| owner.error(&path, e.to_string()))?;
        Ok(inlet)
    }

    /// Checks inlets, outlets and the domain boundary.
    pub(super) fn add_traffic(
        &mut self,
        world: &mut World,
        owner: Owner<'_>,
        spec: &mut GrainsSpec,
    ) -> Result<()> {
        if spec.inlets.is_empty() && spec.outlets.is_empty() && spec.boundary.is_none() {
            return Ok(());
        }
        let mut taken: Vec<String> = self.walls.iter().map(|w| w.name.clone()).collect();
        let inlets = spec.inlets.iter_mut().enumerate().map(|(k, s)| ("inlet", k, &mut s.name));
        let outlets = spec.outlets.iter_mut().enumerate().map(|(k, s)| ("outlet", k, &mut s.name));
        for (noun, k, name) in inlets.chain(outlets) {
            if name.is_empty() {
                *name = format!("{noun}{}", k + 1);
            }
            if taken.contains(name) {
                let problem = format!("the name '{name}' is used twice among walls, inlets and outlets");
                return Err(owner.error(&format!("{noun}s.{k}.name"), problem));
            }
            taken.push(name.clone());
        }
        let mut traffic =
            Traffic { boundary: spec.boundary.as_ref().map(Boundary::from), ..Traffic::default() };
        for (k, inlet) in spec.inlets.iter().enumerate() {
            let made = self.inlet(world, owner, k, inlet)?;
            traffic.inlets.push(made);
        }
        for (k, OutletSpec { name, .. }) in spec.outlets.iter().enumerate() {
            let zone = Zone::of_outlet(&spec.outlets[k]);
            let zone = zone.map_err(|(key, e)| owner.error(&format!("outlets.{k}.{key}"), e))?;
            traffic.outlets.push(Outlet { name: name.clone(), zone });
        }
        self.traffic = Some(traffic);
        Ok(())
    }
}

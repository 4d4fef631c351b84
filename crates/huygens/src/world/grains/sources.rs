//! Fills, clumps, inlets and outlets of grains.

use glam::DVec3;
use huygens_core::signal::closest_name;
use huygens_geometry::Shape;
use huygens_particles::fill::{Fill, Pattern, Rain, Region, Sizes};
use huygens_particles::{ClumpKind, GrainItem, Traffic, WallMesh};

use super::{GrainSet, Owner, PartNames, Result, World};
use crate::spec::{ClumpSpec, FillMeshSpec, GrainFillSpec, GrainsSpec, MAX_GRAINS, PatternSpec};
use crate::world::shapes::pose_of_axes;

impl World {
    /// A mesh that grains or a fluid can fill; otherwise its key that is wrong.
    pub(in crate::world) fn fill_mesh(
        &mut self,
        spec: &FillMeshSpec,
    ) -> std::result::Result<WallMesh, (String, String)> {
        let at = |key: &str, e: String| (format!("mesh.{key}"), e);
        let made = crate::world::shapes::mesh(&spec.source, None, &mut self.objects.geometry);
        let made = made.map_err(|(key, e)| at(&key, e))?;
        let pose = pose_of_axes(spec.frame.as_ref()).map_err(|e| at("frame", e))?;
        match &made.shape {
            Shape::Mesh(mesh) => WallMesh::of(mesh, &pose).map_err(|e| at("file", e.to_string())),
            _ => Err(at("file", "a mesh of triangles is needed".into())),
        }
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

    /// Takes in the kinds of clumps, and those that are given one by one.
    pub(super) fn add_clumps(
        &mut self,
        world: &mut World,
        owner: Owner<'_>,
        spec: &mut GrainsSpec,
    ) -> Result<()> {
        let mut names = PartNames::default();
        for (k, clump) in spec.clumps.iter_mut().enumerate() {
            let path = format!("clumps.{k}");
            names.claim(owner, "clump", k, &mut clump.name)?;
            clump.check().map_err(|(key, e)| owner.error(&format!("{path}.{key}"), e))?;
            let material = self.material_or_common(world, owner, &path, clump.material.as_ref())?;
            self.kinds.push(ClumpKind::described(clump, material));
            self.check_room(0, clump.positions.len() * clump.spheres.len(), owner, &path)?;
            self.waiting.extend(GrainItem::clumps(clump, k));
        }
        Ok(())
    }

    /// Makes the grains of a fill, which may consist of one of the described clumps.
    pub(super) fn fill(
        &mut self,
        world: &mut World,
        owner: Owner<'_>,
        path: &str,
        spec: &GrainFillSpec,
        clumps: &[ClumpSpec],
    ) -> Result<()> {
        let wrong = |(key, e): (&str, String)| owner.error(&format!("{path}.{key}"), e);
        let material = self.material_or_common(world, owner, path, spec.material.as_ref())?;
        let kind = fill_kind(spec, clumps).map_err(wrong)?;
        let (sizes, density) = match kind.map(|k| &self.kinds[k]) {
            // A sphere about a clump stands for it while places are sought.
            Some(kind) => (Sizes::constant(kind.bounds().1), kind.density),
            None => (Sizes::of_fill(spec).map_err(wrong)?, spec.density.unwrap_or_default()),
        };
        let mesh = spec.mesh.as_ref().map(|mesh| world.fill_mesh(mesh)).transpose();
        let mesh = mesh.map_err(|(key, e)| wrong((&key, e)))?;
        let region = match (&spec.region, &mesh) {
            (Some(region), _) => region.into(),
            (None, Some(mesh)) => Region::about(mesh),
            (None, None) => return Err(wrong(("region", "a fill needs a `region`, or a `mesh`".into()))),
        };
        let velocity = DVec3::from_array(spec.velocity);
        let Some(pattern) = Pattern::described(&spec.pattern) else {
            self.rains.push(Rain::described(spec, region, sizes, density, material).map_err(wrong)?);
            return Ok(());
        };
        let fill = Fill { region, pattern, sizes, density, material, velocity, seed: spec.seed };
        let room = MAX_GRAINS.saturating_sub(self.waiting_count());
        fill.check_count(mesh.as_ref(), room).map_err(|e| owner.refuse(path, e))?;
        let made = match &mesh {
            Some(mesh) => fill.make_inside(&world.exec, mesh),
            None => fill.make(&world.exec),
        };
        let grains = made.map_err(|e| owner.refuse(path, e))?.grains;
        let items: Vec<GrainItem> = match kind {
            Some(kind) => self.kinds[kind].in_place_of(&grains, kind, spec.seed),
            None => grains.into_iter().map(GrainItem::Grain).collect(),
        };
        self.check_room(0, items.iter().map(|item| item.count(&self.kinds)).sum(), owner, path)?;
        self.waiting.extend(items);
        Ok(())
    }

    /// Checks inlets, outlets and the domain boundary.
    pub(super) fn add_traffic(
        &mut self,
        world: &mut World,
        owner: Owner<'_>,
        names: &mut PartNames,
        spec: &mut GrainsSpec,
    ) -> Result<()> {
        if spec.inlets.is_empty() && spec.outlets.is_empty() && spec.boundary.is_none() {
            return Ok(());
        }
        let inlets = spec.inlets.iter_mut().enumerate().map(|(k, s)| ("inlet", k, &mut s.name));
        let outlets = spec.outlets.iter_mut().enumerate().map(|(k, s)| ("outlet", k, &mut s.name));
        for (noun, k, name) in inlets.chain(outlets) {
            names.claim(owner, noun, k, name)?;
        }
        let mut materials = Vec::with_capacity(spec.inlets.len());
        for (k, inlet) in spec.inlets.iter().enumerate() {
            let path = format!("inlets.{k}");
            materials.push(self.material_or_common(world, owner, &path, inlet.material.as_ref())?);
        }
        let traffic = Traffic::described(spec, &materials, self.materials.len());
        self.traffic = Some(traffic.map_err(|(path, e)| owner.error(&path, e))?);
        Ok(())
    }
}

/// The kind of clump that a fill names; refuses keys that clumps and rain do not have.
fn fill_kind(
    spec: &GrainFillSpec,
    clumps: &[ClumpSpec],
) -> std::result::Result<Option<usize>, (&'static str, String)> {
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
    let kind = clumps.iter().position(|kind| kind.name == *name);
    let names = || clumps.iter().map(|kind| kind.name.as_str());
    kind.map(Some).ok_or_else(|| {
        let near = closest_name(name, names()).map(|near| format!("; did you mean '{near}'?"));
        ("clump", format!("there is no clump '{name}'{}", near.unwrap_or_default()))
    })
}

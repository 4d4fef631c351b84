//! Tables that are measured of grains.

use huygens_core::Id;
use huygens_particles::described::GrainTable;

use super::{GrainSet, GrainsId, Owner, PartNames};
use crate::spec::{GrainKind, GrainMeasureSpec, GrainTableSpec, GrainsSpec, Section};
use crate::world::{Result, World};

impl GrainSet {
    /// Checks the measures of a scene; those without a name get one.
    pub(super) fn check_measures(
        &self,
        world: &World,
        owner: Owner<'_>,
        names: &mut PartNames,
        spec: &mut GrainsSpec,
    ) -> Result<()> {
        for (k, measure) in spec.measures.iter_mut().enumerate() {
            let path = |key: &str| format!("measures.{k}.{key}");
            names.claim(owner, "measure", k, &mut measure.name)?;
            let name = &measure.name;
            if name.contains(['/', '\\', '"', '[', ']']) {
                let problem = format!("name = \"{name}\" is not allowed; it becomes the name of a file");
                return Err(owner.error(&path("name"), problem));
            }
            if let Some(every) = measure.every
                && !(every > 0.0 && every.is_finite())
            {
                let problem = format!("every = {every} is not allowed; a positive finite number is needed");
                return Err(owner.error(&path("every"), problem));
            }
            if measure.vtk && measure.quantity.cells().is_none() {
                return Err(
                    owner.error(&path("vtk"), "VTK files hold fields over `cells`; this measure has none")
                );
            }
            let checked = measure.quantity.check();
            checked.map_err(|(key, e)| owner.error(&path(&format!("quantity.{key}")), e))?;
            self.material_of_kind(world, &measure.quantity)
                .map_err(|e| owner.error(&path("quantity.first"), e))?;
        }
        Ok(())
    }

    /// Index of the material that tells two kinds apart.
    fn material_of_kind(
        &self,
        world: &World,
        spec: &GrainTableSpec,
    ) -> std::result::Result<Option<usize>, String> {
        let GrainTableSpec::Segregation { first: GrainKind::Material(name), .. } = spec else {
            return Ok(None);
        };
        let id =
            world.objects.material_ids.get(name).ok_or_else(|| format!("there is no material '{name}'"))?;
        let place = self.materials.iter().position(|m| m == id);
        place.map(Some).ok_or_else(|| format!("no grain or wall of the set is of the material '{name}'"))
    }
}

impl World {
    /// Measures a table of the grains of a set; the model is built if it is not.
    ///
    /// ```
    /// use huygens::prelude::*;
    ///
    /// let mut world = World::new([0.0, 0.0, -9.81]);
    /// let fill = GrainFillSpec::new(
    ///     RegionSpec::between([0.0; 3], [0.1; 3]),
    ///     PatternSpec::Cubic { spacing: 0.01, jitter: 0.0 },
    ///     0.005,
    ///     2500.0,
    /// );
    /// let sand = world.add_grains(GrainsSpec::new("sand").with_fill(fill))?;
    /// let region = Some(RegionSpec::between([0.0; 3], [0.1; 3]));
    /// let table = world.grain_table(sand, &GrainTableSpec::SolidFraction { region, cells: None })?;
    /// assert!((table.values[0] - std::f64::consts::PI / 6.0).abs() < 1e-6);
    /// # Ok::<(), huygens::WorldError>(())
    /// ```
    pub fn grain_table(&mut self, grains: GrainsId, spec: &GrainTableSpec) -> Result<GrainTable> {
        self.initialize()?;
        let owner = Owner { section: Section::Grains, name: &self.set_of(grains)?.spec.name };
        spec.check().map_err(|(key, e)| owner.error(key, e))?;
        self.built_table(grains, spec)
    }

    /// The same of a model that is built.
    pub(in crate::world) fn built_table(
        &self,
        grains: GrainsId,
        spec: &GrainTableSpec,
    ) -> Result<GrainTable> {
        let set = self.set_of(grains)?;
        let owner = Owner { section: Section::Grains, name: &set.spec.name };
        let material = set.material_of_kind(self, spec).map_err(|e| owner.error("first", e))?;
        match self.grain_block(&set.spec.name) {
            Some(block) => GrainTable::measure(&block.system, spec, material).map_err(set.blame()),
            None => Ok(GrainTable { columns: spec.columns(), values: Vec::new() }),
        }
    }

    /// Measures of all sets that are written to files: the set and the description.
    pub(crate) fn grain_measures(&self) -> Vec<(GrainsId, String, GrainMeasureSpec)> {
        let of = |(id, set): (Id<GrainSet>, &GrainSet)| {
            let name = set.spec.name.clone();
            let measures = set.spec.measures.clone();
            measures.into_iter().map(move |measure| (GrainsId(id), name.clone(), measure)).collect::<Vec<_>>()
        };
        self.objects.grains.iter().flat_map(of).collect()
    }
}

//! Tables measured of grains: fields over cells, profiles, stresses, flows, mixing, chains of forces.

use glam::DMat3;
use huygens_particles::fill::Region;
use huygens_particles::measure::Cells;
use huygens_particles::measure::{
    Coordination, ForceChains, Mixing, Stress, granular_temperature, mass_flow, solid_fraction,
    solid_fractions, stress, stresses, velocity_profile,
};
use huygens_particles::{GrainSystem, ParticleError};

use super::{GrainSet, GrainsId, Owner};
use crate::spec::{GrainKind, GrainMeasureSpec, GrainTableSpec, GrainsSpec, RegionSpec, Section};
use crate::world::{Result, World};

/// Numbers measured at one moment, in rows of equal length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GrainTable {
    /// Name and unit of each column.
    pub columns: Vec<(&'static str, &'static str)>,
    /// Rows one after the other.
    pub values: Vec<f64>,
}

impl GrainTable {
    /// The rows.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.columns.len().max(1))
    }

    /// One column by its name.
    pub fn column(&self, name: &str) -> Option<Vec<f64>> {
        let k = self.columns.iter().position(|(column, _)| *column == name)?;
        Some(self.rows().map(|row| row[k]).collect())
    }
}

/// xx, yy, zz, xy, yz, zx; a tensor of stress is even up to what spins carry.
fn tensor(m: &DMat3) -> [f64; 6] {
    let mean = |i: usize, j: usize| 0.5 * (m.col(j)[i] + m.col(i)[j]);
    [mean(0, 0), mean(1, 1), mean(2, 2), mean(0, 1), mean(1, 2), mean(2, 0)]
}

fn stress_row(stress: &Stress) -> [f64; 13] {
    let (contact, kinetic) = (tensor(&stress.contact), tensor(&stress.kinetic));
    let mut numbers = std::iter::once(stress.pressure()).chain(contact).chain(kinetic);
    std::array::from_fn(|_| numbers.next().unwrap_or_default())
}

type Measured = std::result::Result<Vec<f64>, ParticleError>;

/// A region that fits the kind of the table; specs are checked to have one.
fn place(region: &Option<RegionSpec>) -> Region {
    region.as_ref().map_or_else(|| Region::from(&RegionSpec::default()), Region::from)
}

impl GrainSet {
    /// The rows of a table; `first` says which grains are of the first of two kinds.
    fn rows(&self, system: &GrainSystem, spec: &GrainTableSpec, material: Option<usize>) -> Measured {
        Ok(match spec {
            GrainTableSpec::Coordination { least } => {
                let found = Coordination::of(system, *least);
                vec![found.mean, found.without_rattlers, found.rattlers as f64]
            }
            GrainTableSpec::SolidFraction { cells: Some(cells), .. } => {
                let cells = Cells::from(cells);
                with_places(&cells, solid_fractions(system, &cells)?, |x| [*x])
            }
            GrainTableSpec::SolidFraction { region, .. } => vec![solid_fraction(system, &place(region))?],
            GrainTableSpec::Stress { cells: Some(cells), .. } => {
                let cells = Cells::from(cells);
                with_places(&cells, stresses(system, &cells)?, stress_row)
            }
            GrainTableSpec::Stress { region, .. } => stress_row(&stress(system, &place(region))?).to_vec(),
            GrainTableSpec::Temperature { region } => {
                let region = region.as_ref().map(Region::from);
                region.as_ref().map_or(Ok(()), Region::check)?;
                vec![granular_temperature(system, region.as_ref())]
            }
            GrainTableSpec::VelocityProfile { axis, span, bins, region } => {
                let region = region.as_ref().map(Region::from);
                let found = velocity_profile(system, (*axis).into(), *span, *bins, region.as_ref())?;
                let row = |bin: &huygens_particles::measure::ProfileBin| {
                    let (v, w) = (bin.velocity, bin.angular_velocity);
                    [bin.at, bin.number as f64, bin.mass, v.x, v.y, v.z, w.x, w.y, w.z, bin.temperature]
                };
                found.iter().flat_map(row).collect()
            }
            GrainTableSpec::MassFlow { position, normal, thickness, radius } => {
                let layer = Region::layer(*position, *normal, *thickness, *radius);
                vec![mass_flow(system, &layer, (*normal).into(), *thickness)?]
            }
            GrainTableSpec::Segregation { cells, first, least } => {
                let first = |i: usize| match first {
                    GrainKind::SmallerThan(radius) => system.places()[i].0[3] < *radius,
                    GrainKind::IdBelow(id) => system.ids()[i] < *id,
                    GrainKind::Material(_) => Some(usize::from(system.materials()[i])) == material,
                };
                let found = Mixing::of(system, &Cells::from(cells), *least, first)?;
                vec![found.intensity, found.lacey, found.share, found.cells as f64]
            }
            GrainTableSpec::ForceChains { share } => {
                let chains = ForceChains::of(system, *share);
                let ends = chains.strong.iter().zip(&chains.chain).flat_map(|(contact, chain)| {
                    let a = system.places()[contact.indices[0]].vector();
                    let b = a + contact.branch;
                    [a.x, a.y, a.z, b.x, b.y, b.z, contact.force.length(), *chain as f64]
                });
                ends.collect()
            }
        })
    }

    /// Checks the measures of a scene; those without a name get one.
    pub(super) fn check_measures(
        &self,
        world: &World,
        owner: Owner<'_>,
        spec: &mut GrainsSpec,
    ) -> Result<()> {
        let gates = spec.inlets.iter().map(|i| &i.name).chain(spec.outlets.iter().map(|o| &o.name));
        let mut taken: Vec<String> = self.walls.iter().map(|w| &w.name).chain(gates).cloned().collect();
        for (k, measure) in spec.measures.iter_mut().enumerate() {
            let path = |key: &str| format!("measures.{k}.{key}");
            if measure.name.is_empty() {
                measure.name = format!("measure{}", k + 1);
            }
            let name = &measure.name;
            if taken.contains(name) {
                let problem = format!("the name '{name}' is used twice among walls, gates and measures");
                return Err(owner.error(&path("name"), problem));
            }
            if name.contains(['/', '\\', '"', '[', ']']) {
                let problem = format!("name = \"{name}\" is not allowed; it becomes the name of a file");
                return Err(owner.error(&path("name"), problem));
            }
            taken.push(name.clone());
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

/// Rows of cells: their middles, then their numbers.
fn with_places<T, const N: usize>(
    cells: &huygens_particles::measure::Cells,
    values: Vec<T>,
    numbers: impl Fn(&T) -> [f64; N],
) -> Vec<f64> {
    let row = |(k, value): (usize, &T)| {
        let [low, high] = cells.cell(k).bounds();
        (0.5 * (low + high)).to_array().into_iter().chain(numbers(value)).collect::<Vec<f64>>()
    };
    values.iter().enumerate().flat_map(row).collect()
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
        let values = match self.grain_block(&set.spec.name) {
            Some(block) => set.rows(&block.system, spec, material).map_err(|e| set.blame(e))?,
            None => Vec::new(),
        };
        Ok(GrainTable { columns: spec.columns(), values })
    }

    /// Measures of all sets that are written to files: the set and the description.
    pub(crate) fn grain_measures(&self) -> Vec<(GrainsId, String, GrainMeasureSpec)> {
        let of = |(k, set): (usize, &GrainSet)| {
            let name = set.spec.name.clone();
            let measures = set.spec.measures.clone();
            measures.into_iter().map(move |measure| (GrainsId(k), name.clone(), measure)).collect::<Vec<_>>()
        };
        self.objects.grains.iter().enumerate().flat_map(of).collect()
    }
}

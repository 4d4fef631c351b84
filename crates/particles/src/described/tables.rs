//! Tables measured of grains: fields over cells, profiles, stresses, flows, mixing, chains of forces.

use huygens_kernel::Mat3;
use huygens_spec::{GrainKind, GrainTableSpec, RegionSpec};

use crate::error::Result;
use crate::fill::Region;
use crate::grains::GrainSystem;
use crate::measure::{
    Cells, Coordination, ForceChains, Mixing, ProfileBin, Stress, granular_temperature, mass_flow,
    solid_fraction, solid_fractions, stress, stresses, velocity_profile,
};

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
fn tensor(m: &Mat3) -> [f64; 6] {
    let mean = |i: usize, j: usize| 0.5 * (m.col(j)[i] + m.col(i)[j]);
    [mean(0, 0), mean(1, 1), mean(2, 2), mean(0, 1), mean(1, 2), mean(2, 0)]
}

fn stress_row(stress: &Stress) -> [f64; 13] {
    let (contact, kinetic) = (tensor(&stress.contact), tensor(&stress.kinetic));
    let mut numbers = std::iter::once(stress.pressure()).chain(contact).chain(kinetic);
    std::array::from_fn(|_| numbers.next().unwrap_or_default())
}

/// A region that fits the kind of the table; specs are checked to have one.
fn place(region: &Option<RegionSpec>) -> Region {
    region.as_ref().map_or_else(|| Region::from(&RegionSpec::default()), Region::from)
}

impl GrainTable {
    /// Measures the described table of grains; `material` is the index of the one that tells two kinds of grains apart.
    pub fn measure(system: &GrainSystem, spec: &GrainTableSpec, material: Option<usize>) -> Result<Self> {
        let values = match spec {
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
                let row = |bin: &ProfileBin| {
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
        };
        Ok(Self { columns: spec.columns(), values })
    }
}

/// Rows of cells: their middles, then their numbers.
fn with_places<T, const N: usize>(
    cells: &Cells,
    values: Vec<T>,
    numbers: impl Fn(&T) -> [f64; N],
) -> Vec<f64> {
    let row = |(k, value): (usize, &T)| {
        let [low, high] = cells.cell(k).bounds();
        (0.5 * (low + high)).to_array().into_iter().chain(numbers(value)).collect::<Vec<f64>>()
    };
    values.iter().enumerate().flat_map(row).collect()
}

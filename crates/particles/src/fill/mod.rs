//! Making grains: regions, sizes, patterns, rainfall.

mod dense;
mod inside;
mod patterns;
pub(crate) mod rain;
mod rainfall;
pub(crate) mod random;
mod region;
pub(crate) mod room;
mod sizes;

use std::f64::consts::PI;

use huygens_exec::{Exec, require_memory};
use huygens_kernel::Vec3;

pub use rain::{Rain, RainProgress};
pub use rainfall::{Rainfall, RainfallReport, Settle, SettleReport};
pub use random::Random;
pub use region::Region;
pub use sizes::{Sieve, SizeLaw, SizeTable, Sizes, Weighting};

use crate::error::{ParticleError, Result};
use crate::grains::fields::Grain;
use crate::grains::list::INDEX;
use crate::walls::mesh::WallMesh;
use room::Room;

/// Memory of a grain while it is made and moved, with its share of the lists [bytes]; 450 were measured for a million
/// grains that do not touch.
const BYTES: f64 = 450.0;

/// Grains after which a loop over them asks whether it is to stop.
const LOOK: usize = 1024;

/// Gives up if the work is to stop; asks at one of many grains.
pub(crate) fn look(ex: &Exec, k: usize) -> Result<()> {
    if k.is_multiple_of(LOOK) { Ok(ex.check_stop()?) } else { Ok(()) }
}

/// Overlap of touching grains that is rounding, as a share of the sum of radii.
const ROUNDING: f64 = 1e-9;

/// How many grains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// By number.
    Number(u64),
    /// By mass [kg].
    Mass(f64),
}

impl Amount {
    pub(crate) fn check(&self, what: &str) -> Result<()> {
        let (value, fine) = match *self {
            Self::Number(n) => (n as f64, n > 0),
            Self::Mass(m) => (m, m > 0.0 && m.is_finite()),
        };
        let what = format!("the amount of {what}");
        if fine { Ok(()) } else { Err(ParticleError::range(what, value, "finite and above 0")) }
    }

    /// Whether so much is enough.
    pub(crate) fn reached(&self, number: u64, mass: f64) -> bool {
        match *self {
            Self::Number(n) => number >= n,
            Self::Mass(m) => mass >= m,
        }
    }
}

/// Where the grains of a fill go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pattern {
    /// Points of a cubic lattice in the middle of the region.
    Cubic {
        /// Distance of neighbours [m].
        spacing: f64,
        /// Greatest offset from the lattice along each axis [m].
        jitter: f64,
    },
    /// Points of a hexagonal close packing in the middle of the region, its dense planes along x and y.
    Hexagonal {
        /// Distance of neighbours [m].
        spacing: f64,
    },
    /// Random points that keep a distance, till no more find room (bridson2007): solid fractions of
    /// 0.3 for equal grains, less for mixed ones.
    Poisson {
        /// Least distance of surfaces [m].
        gap: f64,
    },
    /// Random points, pushed apart until grains do not overlap.
    ///
    /// Equal spheres reach a solid fraction of about 0.60 in regions many diameters wide, less in narrow ones;
    /// more is refused with the fraction that was reached.
    Random {
        /// Volume of the grains over that of the region.
        solid_fraction: f64,
    },
}

/// Grains that fill a region.
#[derive(Clone, Debug, PartialEq)]
pub struct Fill {
    /// Where; no grain reaches out of it.
    pub region: Region,
    /// How they are arranged.
    pub pattern: Pattern,
    /// Their sizes.
    pub sizes: Sizes,
    /// Density [kg/m³].
    pub density: f64,
    /// Index of their material.
    pub material: usize,
    /// Velocity [m/s].
    pub velocity: Vec3,
    /// Seed of the random numbers.
    pub seed: u64,
}

/// What a fill made.
#[derive(Clone, Debug, PartialEq)]
pub struct Filled {
    /// The grains.
    pub grains: Vec<Grain>,
    /// Their mass [kg].
    pub mass: f64,
    /// Their volume over that of the region.
    pub solid_fraction: f64,
}

impl Fill {
    /// Grains of the density 2500 kg/m³ at rest.
    pub fn new(region: Region, pattern: Pattern, sizes: Sizes) -> Self {
        Self { region, pattern, sizes, density: 2500.0, material: 0, velocity: Vec3::ZERO, seed: 0 }
    }

    /// How many grains the fill makes at most, about: by volumes, before any is made.
    pub fn estimate(&self) -> Result<f64> {
        self.region.check()?;
        let sizes = self.sizes.table()?;
        let volume = self.region.volume();
        Ok(match self.pattern {
            Pattern::Cubic { spacing, .. } => volume / spacing.powi(3),
            Pattern::Hexagonal { spacing } => 2.0_f64.sqrt() * volume / spacing.powi(3),
            Pattern::Random { solid_fraction } => solid_fraction * volume / sizes.mean_volume(),
            // As dense as such patterns get; a gap makes every grain take more room.
            Pattern::Poisson { gap } => {
                let grown = (1.0 + 0.5 * gap / sizes.most()).powi(3);
                0.4 * volume / (grown * sizes.mean_volume())
            }
        })
    }

    /// Refuses a fill, of the inside of a closed mesh where there is one, that makes more than `most` grains or more
    /// than fit into memory, before any is made.
    ///
    /// The estimate is of volumes, so that only what is well above is refused here.
    pub fn check_count(&self, mesh: Option<&WallMesh>, most: usize) -> Result<()> {
        let share = mesh.map_or(1.0, |mesh| mesh.signed_volume().abs() / self.region.volume());
        let count = share.min(1.0) * self.estimate()?;
        if count > 1.5 * most as f64 {
            return Err(ParticleError::FillTooMany {
                count,
                most,
                gib: count * BYTES / (1_u64 << 30) as f64,
            });
        }
        require_memory(count, BYTES).map_err(|shortage| ParticleError::FillMemory { count, shortage })
    }

    /// Makes the grains, checked for overlaps.
    pub fn make(&self, ex: &Exec) -> Result<Filled> {
        self.region.check()?;
        let sizes = self.sizes.table()?;
        let sample = Grain {
            radius: sizes.most(),
            density: self.density,
            velocity: self.velocity,
            ..Grain::default()
        };
        sample.check(1)?;
        let mut random = Random::new(self.seed);
        let spheres = match self.pattern {
            Pattern::Cubic { spacing, jitter } => {
                patterns::cubic(ex, &self.region, &sizes, spacing, jitter, &mut random)?
            }
            Pattern::Hexagonal { spacing } => {
                patterns::hexagonal(ex, &self.region, &sizes, spacing, &mut random)?
            }
            Pattern::Poisson { gap } => patterns::poisson(ex, &self.region, &sizes, gap, &mut random)?,
            Pattern::Random { solid_fraction } => {
                dense::random(ex, &self.region, &sizes, solid_fraction, &mut random)?
            }
        };
        if spheres.is_empty() {
            return Err(ParticleError::FillEmpty { radius: sizes.least() });
        }
        check_overlaps(ex, &spheres)?;
        let grain = |&(position, radius): &(Vec3, f64)| Grain {
            position,
            radius,
            density: self.density,
            velocity: self.velocity,
            angular_velocity: Vec3::ZERO,
            material: self.material,
        };
        let grains: Vec<Grain> = spheres.iter().map(grain).collect();
        let volume: f64 = spheres.iter().map(|(_, r)| 4.0 / 3.0 * PI * r.powi(3)).sum();
        Ok(Filled { grains, mass: self.density * volume, solid_fraction: volume / self.region.volume() })
    }
}

/// Refuses grains that overlap and names the two, by their places in the list.
pub fn check_no_overlap(grains: &[Grain]) -> Result<()> {
    let spheres: Vec<(Vec3, f64)> = grains.iter().map(|grain| (grain.position, grain.radius)).collect();
    check_overlaps(&Exec::serial(), &spheres)
}

fn check_overlaps(ex: &Exec, spheres: &[(Vec3, f64)]) -> Result<()> {
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    for (_, r) in spheres {
        (least, most) = (least.min(*r), most.max(*r));
    }
    if !(least > 0.0 && most.is_finite()) {
        let what = "the least radius of grains";
        return Err(ParticleError::range(what, least, "finite and above 0"));
    }
    let mut room = Room::new(least, most);
    for (b, &(centre, radius)) in spheres.iter().enumerate() {
        look(ex, b)?;
        // Touching spheres overlap by rounding.
        if let Some((a, depth)) = room.hit_beyond(centre, radius, ROUNDING, |_| false) {
            return Err(ParticleError::Overlap { a, b, depth });
        }
        room.add(centre, radius);
    }
    Ok(())
}

/// Refuses more grains than a system can hold.
fn check_count(count: f64) -> Result<()> {
    let limit = INDEX as usize;
    match count <= limit as f64 {
        true => Ok(()),
        false => Err(ParticleError::TooMany { count: count.min(1e18) as usize, limit }),
    }
}

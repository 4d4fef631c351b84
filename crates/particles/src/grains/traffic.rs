//! Inlets, outlets and the domain boundary.

use huygens_kernel::Vec3;

use crate::error::{ParticleError, Result, part_of};
use crate::fill::{Amount, Region, SizeTable, Sizes};

/// How fast an inlet works.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rate {
    /// Mass [kg/s].
    Mass(f64),
    /// Number of grains [1/s].
    Number(f64),
}

/// Grains that appear in a region.
#[derive(Clone, Debug, PartialEq)]
pub struct Inlet {
    /// What it is called in messages.
    pub name: String,
    /// Where; no grain reaches out of it when it appears.
    pub region: Region,
    /// How fast.
    pub rate: Rate,
    /// Their sizes.
    pub sizes: Sizes,
    /// Density [kg/m³].
    pub density: f64,
    /// Index of their material.
    pub material: usize,
    /// Velocity [m/s].
    pub velocity: Vec3,
    /// After how much it stops.
    pub limit: Option<Amount>,
    /// Time [s] at which it starts.
    pub start: f64,
    /// Seed of the random numbers.
    pub seed: u64,
}

impl Inlet {
    /// Refuses one that gives nothing, or grains that cannot be; `materials` is the number of materials.
    pub fn check(&self, materials: usize) -> Result<()> {
        self.table()?;
        let grain = crate::Grain {
            density: self.density,
            velocity: self.velocity,
            material: self.material,
            ..crate::Grain::default()
        };
        grain.check(materials)
    }

    /// An inlet of grains of the density 2500 kg/m³ that start at rest.
    pub fn new(name: &str, region: Region, rate: Rate, sizes: Sizes) -> Self {
        Self {
            name: name.into(),
            region,
            rate,
            sizes,
            density: 2500.0,
            material: 0,
            velocity: Vec3::ZERO,
            limit: None,
            start: 0.0,
            seed: 0,
        }
    }

    /// Refuses inlets that give nothing.
    pub(crate) fn table(&self) -> Result<SizeTable> {
        let empty = |reason: String| Err(ParticleError::EmptyInlet { name: self.name.clone(), reason });
        let (Rate::Mass(rate) | Rate::Number(rate)) = self.rate;
        if !(rate > 0.0 && rate.is_finite()) {
            return empty(format!("its rate is {rate}"));
        }
        if !(self.density > 0.0 && self.density.is_finite()) {
            return Err(ParticleError::range(
                part_of("the density", "inlet", &self.name),
                self.density,
                "finite and above 0",
            ));
        }
        self.region.check()?;
        if let Some(limit) = self.limit {
            limit.check(&format!("inlet '{}'", self.name))?;
        }
        let sizes = self.sizes.table()?;
        let [low, high] = self.region.bounds();
        let room = 0.5 * (high - low).min_element();
        if room < sizes.most() {
            let radius = sizes.most();
            return empty(format!(
                "its region is {room} m to the sides, its largest grain has a radius of {radius} m"
            ));
        }
        Ok(sizes)
    }
}

impl Inlet {
    /// Refuses a rate that a region which is emptied every `interval` [s] could not hold: trying to place so many
    /// grains would take without end.
    pub(crate) fn check_rate(&self, sizes: &SizeTable, interval: f64) -> Result<()> {
        let volume = DENSEST * self.region.volume();
        let (rate, most, unit) = match self.rate {
            Rate::Mass(rate) => (rate, volume * self.density / interval, "kg/s"),
            Rate::Number(rate) => (rate, volume / sizes.mean_volume() / interval, "grains per second"),
        };
        // One grain may be due from before.
        let single = match self.rate {
            Rate::Mass(_) => {
                4.0 / 3.0 * std::f64::consts::PI * sizes.most().powi(3) * self.density / interval
            }
            Rate::Number(_) => 1.0 / interval,
        };
        match rate <= most + single {
            true => Ok(()),
            false => Err(ParticleError::InletRate { name: self.name.clone(), rate, most, unit }),
        }
    }
}

/// Solid fraction of equal spheres that lie as closely as they can, π/√18.
const DENSEST: f64 = 0.740_480_489_693_061;

/// What an inlet has done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InletCount {
    /// Grains that appeared.
    pub number: u64,
    /// Their mass [kg].
    pub mass: f64,
    /// Grains that found no room.
    pub missed: u64,
    /// Their mass [kg].
    pub missed_mass: f64,
    /// What is due but not yet a whole grain, in the unit of the rate times seconds.
    pub due: f64,
}

/// Where an outlet takes grains away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Zone {
    /// Centres on the far side of a plane.
    Beyond {
        /// A point of the plane [m].
        point: Vec3,
        /// Normal to the far side.
        normal: Vec3,
    },
    /// Centres in a region.
    Inside(Region),
}

impl Zone {
    fn check(&self) -> Result<()> {
        match self {
            Self::Inside(region) => region.check(),
            Self::Beyond { point, normal } => {
                match point.is_finite() && normal.is_finite() && normal.length() > 0.0 {
                    true => Ok(()),
                    false => Err(ParticleError::range(
                        "the normal of an outlet",
                        normal.length(),
                        "a finite direction at a finite point",
                    )),
                }
            }
        }
    }

    pub(crate) fn contains(&self, x: Vec3) -> bool {
        match self {
            Self::Inside(region) => region.contains(x),
            Self::Beyond { point, normal } => (x - *point).dot(*normal) > 0.0,
        }
    }
}

/// Grains that disappear.
#[derive(Clone, Debug, PartialEq)]
pub struct Outlet {
    /// What it is called in messages.
    pub name: String,
    /// Where.
    pub zone: Zone,
}

/// What an outlet or the domain boundary has taken.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OutletCount {
    /// Grains.
    pub number: u64,
    /// Their mass [kg].
    pub mass: f64,
}

/// What happens to grains whose centres leave a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Boundary {
    /// They are removed and counted.
    Open {
        /// Least corner [m].
        low: Vec3,
        /// Greatest corner [m].
        high: Vec3,
    },
    /// They are an error.
    Closed {
        /// Least corner [m].
        low: Vec3,
        /// Greatest corner [m].
        high: Vec3,
    },
}

impl Boundary {
    pub(crate) fn corners(&self) -> [Vec3; 2] {
        match *self {
            Self::Open { low, high } | Self::Closed { low, high } => [low, high],
        }
    }
}

/// Inlets, outlets and the domain boundary with what they have done.
///
/// They act after every step whose number is a multiple of `interval`, wherever runs are cut.
#[derive(Clone, Debug, PartialEq)]
pub struct Traffic {
    /// Inlets.
    pub inlets: Vec<Inlet>,
    /// Outlets.
    pub outlets: Vec<Outlet>,
    /// Edge of the world, if there is one.
    pub boundary: Option<Boundary>,
    /// Steps between actions.
    pub interval: u64,
    /// What each inlet has done.
    pub inlet_counts: Vec<InletCount>,
    /// What each outlet has taken.
    pub outlet_counts: Vec<OutletCount>,
    /// What was lost over the domain boundary.
    pub lost: OutletCount,
}

impl Default for Traffic {
    fn default() -> Self {
        Self {
            inlets: Vec::new(),
            outlets: Vec::new(),
            boundary: None,
            interval: 100,
            inlet_counts: Vec::new(),
            outlet_counts: Vec::new(),
            lost: OutletCount::default(),
        }
    }
}

impl Traffic {
    /// Checks all parts and makes the counts as long as the lists.
    pub(crate) fn prepare(&mut self, materials: usize) -> Result<()> {
        if self.interval == 0 {
            let what = "the interval of inlets and outlets";
            return Err(ParticleError::range(what, 0.0, "1 step or more"));
        }
        self.inlets.iter().try_for_each(|inlet| inlet.check(materials))?;
        for outlet in &self.outlets {
            outlet.zone.check()?;
        }
        if let Some(boundary) = self.boundary {
            let [low, high] = boundary.corners();
            let side = (high - low).min_element();
            // An edge may be at infinity.
            if side.is_nan() || side <= 0.0 {
                let what = "the shortest side of a boundary";
                return Err(ParticleError::range(what, side, "above 0"));
            }
        }
        self.inlet_counts.resize(self.inlets.len(), InletCount::default());
        self.outlet_counts.resize(self.outlets.len(), OutletCount::default());
        Ok(())
    }

    /// What inlets and outlets have done, as numbers: with them and the number of the step a restart goes on.
    pub fn counts(&self) -> Vec<u64> {
        let inlets = self
            .inlet_counts
            .iter()
            .flat_map(|c| [c.number, c.mass.to_bits(), c.missed, c.missed_mass.to_bits(), c.due.to_bits()]);
        let outlets =
            self.outlet_counts.iter().chain([&self.lost]).flat_map(|c| [c.number, c.mass.to_bits()]);
        inlets.chain(outlets).collect()
    }

    /// Takes over what [`counts`](Self::counts) gave of the same inlets and outlets; whether it fits.
    pub fn set_counts(&mut self, counts: &[u64]) -> bool {
        let (inlets, outlets) = (self.inlets.len(), self.outlets.len());
        if counts.len() != 5 * inlets + 2 * (outlets + 1) {
            return false;
        }
        let (of_inlets, of_outlets) = counts.split_at(5 * inlets);
        let inlet = |c: &[u64; 5]| InletCount {
            number: c[0],
            mass: f64::from_bits(c[1]),
            missed: c[2],
            missed_mass: f64::from_bits(c[3]),
            due: f64::from_bits(c[4]),
        };
        let outlet = |c: &[u64; 2]| OutletCount { number: c[0], mass: f64::from_bits(c[1]) };
        self.inlet_counts = of_inlets.as_chunks().0.iter().map(inlet).collect();
        self.outlet_counts = of_outlets.as_chunks().0.iter().map(outlet).collect();
        self.lost = self.outlet_counts.pop().unwrap_or_default();
        true
    }
}

//! Grains and clumps on their way into a system.

use huygens_geometry::MassProperties;
use huygens_kernel::{Quat, Vec3};

use crate::error::Result;
use crate::fill::random::Random;
use crate::grains::fields::Grain;
use crate::grains::system::GrainSystem;

/// What clumps of one kind are made of.
#[derive(Clone, Debug, PartialEq)]
pub struct ClumpKind {
    /// Spheres by centre [m] and radius [m], in axes of its own; they may overlap.
    pub spheres: Vec<(Vec3, f64)>,
    /// Density [kg/m³].
    pub density: f64,
    /// Index of its material.
    pub material: usize,
}

/// A clump at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlacedClump {
    /// Index of its kind.
    pub kind: usize,
    /// Where its own axes are [m].
    pub position: Vec3,
    /// World axes from its own.
    pub rotation: Quat,
    /// Velocity of the centre of mass [m/s].
    pub velocity: Vec3,
    /// Angular velocity [rad/s], world axes.
    pub angular_velocity: Vec3,
}

/// A grain or a clump that is to be put into a system.
#[derive(Clone, Debug, PartialEq)]
pub enum GrainItem {
    /// A grain.
    Grain(Grain),
    /// A clump.
    Clump(PlacedClump),
}

impl ClumpKind {
    /// Centre of mass [m], and the radius of the sphere about it that holds all [m].
    pub fn bounds(&self) -> (Vec3, f64) {
        let center = MassProperties::of_sphere_union(&self.spheres, self.density).center;
        let reach = self.spheres.iter().map(|(x, r)| x.distance(center) + r);
        (center, reach.fold(0.0, f64::max))
    }

    /// Clumps of this kind, which has the index `kind`, turned at random, with their centres of mass where grains are.
    pub fn in_place_of(&self, grains: &[Grain], kind: usize, seed: u64) -> Vec<GrainItem> {
        let mut random = Random::new(seed);
        let (center, _) = self.bounds();
        let clump = |grain: &Grain| {
            let (rotation, velocity) = (random.rotation(), grain.velocity);
            let position = grain.position - rotation * center;
            GrainItem::Clump(PlacedClump { kind, position, rotation, velocity, angular_velocity: Vec3::ZERO })
        };
        grains.iter().map(clump).collect()
    }
}

impl GrainItem {
    /// The grain, if it is one.
    pub fn grain(&self) -> Option<&Grain> {
        match self {
            Self::Grain(grain) => Some(grain),
            Self::Clump(_) => None,
        }
    }

    /// Number of spheres.
    pub fn count(&self, kinds: &[ClumpKind]) -> usize {
        match self {
            Self::Grain(_) => 1,
            Self::Clump(clump) => kinds[clump.kind].spheres.len(),
        }
    }
}

impl GrainSystem {
    /// Adds a grain or a clump.
    pub fn add_item(&mut self, item: &GrainItem) -> Result<()> {
        match item {
            GrainItem::Grain(grain) => self.add(grain).map(drop),
            GrainItem::Clump(c) => {
                self.add_clump(c.kind, c.position, c.rotation, c.velocity, c.angular_velocity).map(drop)
            }
        }
    }
}

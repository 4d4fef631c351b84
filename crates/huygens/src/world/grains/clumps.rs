//! Clumps of a set, and what waits to be put into a particle system.

use glam::{DQuat, DVec3};
use huygens_geometry::MassProperties;
use huygens_particles::{Grain, GrainSystem, ParticleError};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::{GrainSet, GrainsId, Owner};
use crate::spec::{ClumpSpec, GrainsSpec};
use crate::world::fill::any_rotation;
use crate::world::{Result, World};

/// A kind of clump.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ClumpKind {
    pub name: String,
    /// Spheres by centre [m] and radius [m], in axes of its own.
    pub spheres: Vec<(DVec3, f64)>,
    pub density: f64,
    pub material: usize,
}

impl ClumpKind {
    /// Centre of mass [m], and the radius of the sphere about it that holds all [m].
    pub fn bounds(&self) -> (DVec3, f64) {
        let center = MassProperties::of_sphere_union(&self.spheres, self.density).center;
        let reach = self.spheres.iter().map(|(x, r)| x.distance(center) + r);
        (center, reach.fold(0.0, f64::max))
    }
}

/// A grain or a clump that waits for a particle system.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Waiting {
    Grain(Grain),
    Clump(Placed),
}

/// A clump and where its own axes are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Placed {
    pub kind: usize,
    pub position: DVec3,
    pub rotation: DQuat,
    /// Of the centre of mass [m/s].
    pub velocity: DVec3,
    pub angular_velocity: DVec3,
}

impl Waiting {
    /// Spheres it has.
    pub fn count(&self, kinds: &[ClumpKind]) -> usize {
        match self {
            Self::Grain(_) => 1,
            Self::Clump(clump) => kinds[clump.kind].spheres.len(),
        }
    }

    /// Puts it into a system.
    pub fn enter(&self, system: &mut GrainSystem) -> std::result::Result<(), ParticleError> {
        match self {
            Self::Grain(grain) => system.add(grain).map(|_| ()),
            Self::Clump(c) => {
                system.add_clump(c.kind, c.position, c.rotation, c.velocity, c.angular_velocity).map(|_| ())
            }
        }
    }
}

/// Clumps of a set: one entry each, in the order of adding.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClumpStates {
    /// Name of the kind.
    pub kinds: Vec<String>,
    /// Centres of mass [m].
    pub positions: Vec<[f64; 3]>,
    /// Orientations w, x, y, z.
    pub rotations: Vec<[f64; 4]>,
    /// Velocities of the centres of mass [m/s].
    pub velocities: Vec<[f64; 3]>,
    /// Angular velocities [rad/s], world axes.
    pub angular_velocities: Vec<[f64; 3]>,
    /// Masses [kg].
    pub masses: Vec<f64>,
}

impl GrainSet {
    /// Takes in the kinds of clumps, and those that are given one by one.
    pub(super) fn add_clumps(
        &mut self,
        world: &mut World,
        owner: Owner<'_>,
        spec: &mut GrainsSpec,
    ) -> Result<()> {
        for (k, clump) in spec.clumps.iter_mut().enumerate() {
            if clump.name.is_empty() {
                clump.name = format!("clump{}", k + 1);
            }
            let path = format!("clumps.{k}");
            if self.kinds.iter().any(|kind| kind.name == clump.name) {
                let problem = format!("there is already a clump '{}'; names must be unique", clump.name);
                return Err(owner.error(&format!("{path}.name"), problem));
            }
            clump.check().map_err(|(key, e)| owner.error(&format!("{path}.{key}"), e))?;
            let material = self.material_or_common(world, owner, &path, clump.material.as_ref())?;
            let (name, density) = (clump.name.clone(), clump.density);
            self.kinds.push(ClumpKind { name, spheres: clump.balls(), density, material });
            self.check_room(world, clump.positions.len() * clump.spheres.len(), owner, &path)?;
            self.place_clumps(clump);
        }
        Ok(())
    }

    fn place_clumps(&mut self, spec: &ClumpSpec) {
        let at = |list: &[[f64; 3]], k: usize| DVec3::from_array(list.get(k).copied().unwrap_or_default());
        for (k, position) in spec.positions.iter().enumerate() {
            self.waiting.push(Waiting::Clump(Placed {
                kind: self.kinds.len() - 1,
                position: DVec3::from_array(*position),
                rotation: spec.rotations.get(k).map_or(DQuat::IDENTITY, |r| r.0),
                velocity: at(&spec.velocities, k),
                angular_velocity: at(&spec.angular_velocities, k),
            }));
        }
    }

    /// Puts a clump, turned at random, with its centre of mass at each of the grains.
    pub(super) fn exchange(&self, grains: &[Grain], kind: usize, seed: u64) -> Vec<Waiting> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (center, _) = self.kinds[kind].bounds();
        let clump = |grain: &Grain| {
            let rotation = any_rotation(&mut rng);
            Waiting::Clump(Placed {
                kind,
                position: grain.position - rotation * center,
                rotation,
                velocity: grain.velocity,
                angular_velocity: DVec3::ZERO,
            })
        };
        grains.iter().map(clump).collect()
    }
}

impl World {
    /// Where the clumps of a set are and how they move; the model is built if it is not.
    pub fn clump_states(&mut self, grains: GrainsId) -> Result<ClumpStates> {
        self.initialize()?;
        let set = self.set_of(grains)?;
        let mut states = ClumpStates::default();
        let Some(system) = self.grain_block(&set.spec.name).map(|block| &block.system) else {
            return Ok(states);
        };
        for (k, clump) in system.clumps().iter().enumerate() {
            let q = clump.rotation;
            states.kinds.push(set.kinds[clump.shape].name.clone());
            states.positions.push(clump.position.to_array());
            states.rotations.push([q.w, q.x, q.y, q.z]);
            states.velocities.push(clump.velocity.to_array());
            let spin = system.clump_angular_velocity(k).unwrap_or_default();
            states.angular_velocities.push(spin.to_array());
            states.masses.push(system.clump_mass(k).map_or(0.0, |(mass, _)| mass));
        }
        Ok(states)
    }
}

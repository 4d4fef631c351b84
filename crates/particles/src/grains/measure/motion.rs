//! Velocities: profiles, granular temperature, flow through planes.

use std::ops::Range;

use huygens_exec::Exec;
use huygens_kernel::Vec3;

use crate::error::{ParticleError, Result, ranges};
use crate::fill::Region;
use crate::grains::list::CHUNK;
use crate::grains::system::GrainSystem;

/// Grains between two planes across an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProfileBin {
    /// Middle along the axis [m].
    pub at: f64,
    /// Number of grains with their centres in it.
    pub number: usize,
    /// Their mass [kg].
    pub mass: f64,
    /// Mean velocity by mass [m/s].
    pub velocity: Vec3,
    /// Mean angular velocity by number [rad/s].
    pub angular_velocity: Vec3,
    /// Granular temperature T = ⟨|v − ⟨v⟩|²⟩ / 3 by mass [m²/s²].
    pub temperature: f64,
}

/// Velocities and granular temperature in `bins` equal bins along `axis`, from `span[0]` to `span[1]` [m] from the
/// origin; only grains with centres in `region` where one is given.
pub fn velocity_profile(
    system: &GrainSystem,
    axis: Vec3,
    span: [f64; 2],
    bins: usize,
    region: Option<&Region>,
) -> Result<Vec<ProfileBin>> {
    let range = ranges("a profile");
    let Some(axis) = axis.try_normalize() else {
        return range("axis", axis.length(), false, "a finite direction").map(|()| Vec::new());
    };
    let length = span[1] - span[0];
    range("span", length, length > 0.0 && length.is_finite(), "finite and rising")?;
    range("number of bins", bins as f64, bins > 0, "1 or more")?;
    if let Some(region) = region {
        region.check()?;
    }
    let width = length / bins as f64;
    let mut out: Vec<ProfileBin> = (0..bins)
        .map(|k| ProfileBin { at: span[0] + (k as f64 + 0.5) * width, ..Default::default() })
        .collect();
    let mut squares = vec![0.0; bins];
    for i in 0..system.len() {
        let x = system.wrapped(system.places()[i].vector());
        let place = (x.dot(axis) - span[0]) / width;
        let inside = place >= 0.0 && place < bins as f64 && region.is_none_or(|region| region.contains(x));
        if !inside {
            continue;
        }
        let (bin, v, mass) = (place as usize, system.motions()[i].vector(), system.mass(i));
        out[bin].number += 1;
        out[bin].mass += mass;
        out[bin].velocity += v * mass;
        out[bin].angular_velocity += system.spins()[i].vector();
        squares[bin] += mass * v.length_squared();
    }
    for (bin, square) in out.iter_mut().zip(squares) {
        if bin.mass > 0.0 {
            bin.velocity /= bin.mass;
            bin.temperature = (square / bin.mass - bin.velocity.length_squared()).max(0.0) / 3.0;
        }
        bin.angular_velocity /= bin.number.max(1) as f64;
    }
    Ok(out)
}

/// Granular temperature T = ⟨|v − ⟨v⟩|²⟩ / 3 by mass [m²/s²] of the grains with centres in a region, or of all.
pub fn granular_temperature(system: &GrainSystem, region: Option<&Region>) -> f64 {
    granular_temperature_on(&Exec::serial(), system, region)
}

/// The same as [`granular_temperature`], on many threads, with bit-identical results.
pub fn granular_temperature_on(ex: &Exec, system: &GrainSystem, region: Option<&Region>) -> f64 {
    let grains = |range: Range<usize>| {
        range
            .filter(|i| {
                let x = system.wrapped(system.places()[*i].vector());
                region.is_none_or(|region| region.contains(x))
            })
            .map(|i| (system.mass(i), system.motions()[i].vector()))
    };
    let count = system.len();
    let mass = ex.sum(count, CHUNK, |range| grains(range).map(|(m, _)| m).sum());
    if mass == 0.0 {
        return 0.0;
    }
    let mean = ex.sum_vectors(count, CHUNK, |range| grains(range).map(|(m, v)| v * m).sum()) / mass;
    let square =
        ex.sum(count, CHUNK, |range| grains(range).map(|(m, v)| m * (v - mean).length_squared()).sum());
    square / (3.0 * mass)
}

/// Mass flow [kg/s] along `normal` in a region, $\sum m\,v\cdot n / L$ with its length L along the normal [m].
pub fn mass_flow(system: &GrainSystem, region: &Region, normal: Vec3, length: f64) -> Result<f64> {
    region.check()?;
    if !(length > 0.0 && length.is_finite()) {
        let what = "the length of a mass flow";
        return Err(ParticleError::range(what, length, "finite and above 0"));
    }
    let n = normal.normalize_or_zero();
    let sum = Exec::serial().sum(system.len(), CHUNK, |range| {
        let inside = range.filter(|i| region.contains(system.wrapped(system.places()[*i].vector())));
        inside.map(|i| system.mass(i) * system.motions()[i].vector().dot(n)).sum()
    });
    Ok(sum / length)
}

/// Counts grains whose centres cross a plane from one look to the next.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowMeter {
    point: Vec3,
    normal: Vec3,
    /// Window about the point [m].
    radius: f64,
    /// Grains that went along the normal.
    pub forward: u64,
    /// Their mass [kg].
    pub forward_mass: f64,
    /// Grains that went against it.
    pub backward: u64,
    /// Their mass [kg].
    pub backward_mass: f64,
    /// Places at the last look, by id.
    seen: Vec<(u64, Vec3)>,
}

impl FlowMeter {
    /// A meter in the plane through `point` across `normal`; crossings farther than `radius` [m] from the point
    /// (infinite: none) do not count.
    pub fn new(point: Vec3, normal: Vec3, radius: f64) -> Result<Self> {
        match normal.try_normalize() {
            Some(normal) if radius > 0.0 && point.is_finite() => Ok(Self {
                point,
                normal,
                radius,
                forward: 0,
                forward_mass: 0.0,
                backward: 0,
                backward_mass: 0.0,
                seen: Vec::new(),
            }),
            _ => Err(ParticleError::range(
                "the radius of a flow meter",
                radius,
                "above 0, with a finite point and normal",
            )),
        }
    }

    /// Looks where grains are. New ones count from the next look on; those that were removed do not count.
    pub fn look(&mut self, system: &GrainSystem) {
        let before = std::mem::take(&mut self.seen);
        for (i, id) in system.ids().iter().enumerate() {
            let x = system.places()[i].vector();
            self.seen.push((*id, x));
            let Ok(at) = before.binary_search_by_key(id, |(id, _)| *id) else { continue };
            let old = &before[at].1;
            // A grain that goes round between two looks is where it would be without.
            let x = *old + system.model.periodic.nearest(x - *old);
            let (a, b) = ((*old - self.point).dot(self.normal), (x - self.point).dot(self.normal));
            if (a < 0.0) == (b < 0.0) {
                continue;
            }
            let at = old.lerp(x, a / (a - b));
            if at.distance(self.point) > self.radius {
                continue;
            }
            let mass = system.mass(i);
            if b >= 0.0 {
                self.forward += 1;
                self.forward_mass += mass;
            } else {
                self.backward += 1;
                self.backward_mass += mass;
            }
        }
        self.seen.sort_unstable_by_key(|(id, _)| *id);
    }

    /// Bytes it takes.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + size_of::<(u64, Vec3)>() * self.seen.capacity()
    }

    /// Mass that went along the normal less what came back [kg].
    pub fn net_mass(&self) -> f64 {
        self.forward_mass - self.backward_mass
    }
}

//! Fills, inlets and outlets of grains.

use glam::DVec3;
use huygens_particles::fill::Fill;
use huygens_particles::{Inlet, Outlet, Traffic};

use super::{GrainSet, Owner, Result, World};
use crate::spec::{GrainFillSpec, GrainsSpec, InletSpec, MAX_GRAINS, OutletSpec};

impl GrainSet {
    fn material_or_common(
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
        let sizes = spec.size_law().map_err(wrong)?;
        let material = self.material_or_common(world, owner, path, spec.material.as_ref())?;
        let fill = Fill {
            region: spec.region.region(),
            pattern: spec.pattern.pattern(),
            sizes,
            density: spec.density,
            material,
            velocity: DVec3::from_array(spec.velocity),
            seed: spec.seed,
        };
        let made = fill.make(&world.exec).map_err(|e| owner.error(path, e.to_string()))?;
        let count = self.len() + made.grains.len();
        if count > MAX_GRAINS {
            return Err(owner.error(path, format!("{count} grains are not allowed; {MAX_GRAINS} are")));
        }
        self.waiting.extend(made.grains);
        Ok(())
    }

    fn inlet(&mut self, world: &mut World, owner: Owner<'_>, k: usize, spec: &InletSpec) -> Result<Inlet> {
        let path = format!("inlets.{k}");
        let wrong = |(key, e): (&str, String)| owner.error(&format!("{path}.{key}"), e);
        let (sizes, rate) = (spec.size_law().map_err(wrong)?, spec.speed().map_err(wrong)?);
        let limit = spec.limit().map_err(wrong)?;
        let material = self.material_or_common(world, owner, &path, spec.material.as_ref())?;
        Ok(Inlet {
            name: spec.name.clone(),
            region: spec.region.region(),
            rate,
            sizes,
            density: spec.density,
            material,
            velocity: DVec3::from_array(spec.velocity),
            limit,
            start: spec.start,
            seed: spec.seed,
        })
    }

    /// Checks inlets, outlets and the edge of the world.
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
        let mut traffic = Traffic { boundary: spec.boundary.map(|b| b.boundary()), ..Traffic::default() };
        for (k, inlet) in spec.inlets.iter().enumerate() {
            let made = self.inlet(world, owner, k, inlet)?;
            traffic.inlets.push(made);
        }
        for (k, OutletSpec { name, .. }) in spec.outlets.iter().enumerate() {
            let zone = spec.outlets[k].zone();
            let zone = zone.map_err(|(key, e)| owner.error(&format!("outlets.{k}.{key}"), e))?;
            traffic.outlets.push(Outlet { name: name.clone(), zone });
        }
        self.traffic = Some(traffic);
        Ok(())
    }
}

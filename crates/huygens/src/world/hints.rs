//! Hints at numbers and shapes that are probably mistakes: another system of units, a solid that does not collide.

use std::collections::BTreeSet;

use huygens_multibody::BodyKind;

use super::World;
use crate::spec::{ForceSpec, JointSpec, WarningKind};

/// Densities of what engineers simulate [kg/m³], from light gases to the thin slabs that stand for heavy bodies in plane
/// flows.
const DENSITIES: std::ops::RangeInclusive<f64> = 0.01..=100_000.0;
/// Densities of solids and liquids [kg/m³].
const USUAL: std::ops::RangeInclusive<f64> = 100.0..=25_000.0;
/// Units of density that other programs use, in kg/m³.
const DENSITY_UNITS: [(&str, f64); 3] = [("t/mm³", 1e12), ("kg/mm³", 1e9), ("g/cm³", 1e3)];
/// Bounds of an angle beyond which degrees were probably meant [rad].
const LARGEST_ANGLE: f64 = 4.0 * std::f64::consts::PI;
/// Gravity on Earth, in mm/s² [m/s²].
const GRAVITY_IN_MM: std::ops::RangeInclusive<f64> = 9_700.0..=9_900.0;
/// Names that a hint lists.
const NAMED: usize = 4;

/// What a density may be in another unit, if it is unusual in ours.
fn about_density(density: f64) -> Option<String> {
    if DENSITIES.contains(&density) {
        return None;
    }
    let other = DENSITY_UNITS.iter().find(|(_, unit)| USUAL.contains(&(density * unit)));
    let meant = other.map_or(String::new(), |(unit, factor)| {
        format!("; if it is in {unit}, write {}", rounded(density * factor))
    });
    Some(format!("density = {density:e} kg/m³ is unusual{meant}"))
}

/// A number without the rounding of a factor.
fn rounded(x: f64) -> f64 {
    format!("{x:.6e}").parse().unwrap_or(x)
}

impl World {
    /// Gives hints at a model that is about to move.
    pub(super) fn give_hints(&mut self) {
        if self.settings.silence.contains(&WarningKind::Hints) {
            return;
        }
        let mut hints = self.odd_densities();
        hints.extend(self.odd_limits());
        hints.extend(self.odd_gravity());
        hints.extend(self.falling_solids());
        hints.into_iter().for_each(|hint| self.reports.warnings.push_of(WarningKind::Hints, hint));
    }

    fn odd_densities(&self) -> Vec<String> {
        let o = &self.objects;
        let mut found: Vec<(String, f64)> = Vec::new();
        // The bodies of a fill have its density.
        let filled = |k: usize| o.fills.iter().any(|(_, made)| made.contains(&k));
        for (k, (_, spec)) in o.bodies.iter().enumerate() {
            let densities = spec.density.into_iter().chain(spec.shapes.iter().filter_map(|s| s.density));
            let odd = densities.filter(|d| !DENSITIES.contains(d));
            found.extend(odd.filter(|_| !filled(k)).map(|d| (format!("body '{}'", spec.name), d)));
        }
        found.extend(o.fills.iter().map(|(spec, _)| (format!("fill '{}'", spec.name), spec.density)));
        for (_, spec) in self.grain_sets() {
            let particles = spec.particles.iter().map(|p| p.density);
            let fills = spec.fills.iter().filter_map(|f| f.density);
            let others = spec.inlets.iter().map(|i| i.density).chain(spec.clumps.iter().map(|c| c.density));
            let all = particles.chain(fills).chain(others);
            found.extend(all.map(|d| (format!("grains '{}'", spec.name), d)));
        }
        found.extend(self.fluids().map(|(_, spec)| (format!("fluid '{}'", spec.name), spec.density)));
        for set in &o.structures {
            found.extend(set.density().map(|d| (format!("structure '{}'", set.name()), d)));
        }
        let words = |(what, density): (String, f64)| Some(format!("{what}: {}", about_density(density)?));
        found.into_iter().filter_map(words).collect()
    }

    /// Limits of angles that are probably in degrees.
    fn odd_limits(&self) -> Vec<String> {
        let mut hints = Vec::new();
        for (id, spec) in &self.objects.joints {
            let names =
                self.objects.assembly.joint(*id).map(|j| j.kind.coordinate_names()).unwrap_or_default();
            for limit in &spec.limits {
                let coordinate = limit.coordinate.as_deref().or(names.first().copied());
                let mut bounds = [limit.lower, limit.upper].into_iter().flatten();
                let Some(bound) = bounds.find(|b| b.is_finite() && b.abs() > LARGEST_ANGLE) else {
                    continue;
                };
                if coordinate.is_some_and(|name| name.starts_with("angle")) {
                    hints.push(format!(
                        "joint '{}': a limit of {bound} rad is {:.1} revolutions; if it is in degrees, write \
                         `lower_deg` and `upper_deg`",
                        spec.name,
                        bound.abs() / std::f64::consts::TAU
                    ));
                }
            }
        }
        hints
    }

    fn odd_gravity(&self) -> Option<String> {
        let g = self.settings.gravity.iter().map(|g| g * g).sum::<f64>().sqrt();
        GRAVITY_IN_MM.contains(&g).then(|| {
            format!(
                "settings: gravity of {g} m/s² is a thousand times that of Earth; lengths are in m, not in mm"
            )
        })
    }

    /// Free bodies that fall through the others, as they have no shapes that collide.
    fn falling_solids(&self) -> Option<String> {
        let o = &self.objects;
        let collides = |spec: &crate::spec::BodySpec| spec.shapes.iter().any(|s| s.collide);
        if self.settings.gravity == [0.0; 3] || !o.bodies.iter().any(|(_, spec)| collides(spec)) {
            return None;
        }
        let free = |(id, spec): &&(huygens_multibody::BodyId, crate::spec::BodySpec)| {
            let dynamic = o.assembly.body(*id).is_some_and(|b| matches!(b.kind, BodyKind::Dynamic));
            dynamic && spec.shapes.is_empty()
        };
        let mut free: Vec<&str> = o.bodies.iter().filter(free).map(|(_, spec)| spec.name.as_str()).collect();
        if free.is_empty() {
            return None;
        }
        let held = self.held_bodies();
        free.retain(|name| !held.contains(name));
        let shown: Vec<String> = free.iter().take(NAMED).map(|name| format!("'{name}'")).collect();
        let more = match free.len() - shown.len() {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        let (noun, verb, they) = match free.len() {
            0 => return None,
            1 => ("body", "falls", "it has"),
            _ => ("bodies", "fall", "they have"),
        };
        Some(format!(
            "{noun} {}{more} {verb} through all others, because {they} no `shapes`; `shape` gives mass and a picture, and \
             does not collide",
            shown.join(", ")
        ))
    }

    /// Names of bodies that joints, forces, walls, fluids or structures hold.
    fn held_bodies(&self) -> BTreeSet<&str> {
        let o = &self.objects;
        let mut held: Vec<&str> = Vec::new();
        held.extend(o.joints.iter().flat_map(|(_, JointSpec { a, b, .. })| [a.as_str(), b.as_str()]));
        for (_, spec, _) in &o.forces {
            match spec {
                ForceSpec::Spring(s) => held.extend([s.a.as_str(), s.b.as_str()]),
                ForceSpec::Bushing(s) => held.extend([s.a.as_str(), s.b.as_str()]),
                ForceSpec::Rope(s) => held.extend([s.a.as_str(), s.b.as_str()]),
                ForceSpec::Load(s) => held.push(&s.body),
                ForceSpec::Drag(s) => held.push(&s.body),
                ForceSpec::CoordinateSpring(_) | ForceSpec::Clutch(_) | ForceSpec::Brake(_) => {}
            }
        }
        for (_, spec) in self.grain_sets() {
            held.extend(spec.walls.iter().filter_map(|w| w.mount.body.as_deref()));
        }
        for (_, spec) in self.fluids() {
            held.extend(spec.bodies.iter().map(String::as_str));
            held.extend(spec.walls.iter().filter_map(|w| w.mount.body.as_deref()));
        }
        held.extend(o.structures.iter().flat_map(|set| set.joined_to()));
        held.into_iter().map(|name| name.split_once('/').map_or(name, |(body, _)| body)).collect()
    }
}

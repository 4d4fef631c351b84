//! Where fluid comes in and goes out, and where the world of a fluid ends.
//!
//! An inlet is a stack of layers of markers that move in with the flow. A layer that has come through gives its
//! particles to the fluid and goes back to the end of the stack. Particles that go out through an outlet keep their
//! velocity, at zero pressure, until they are a kernel away, so that those behind them feel neighbours.

use huygens_kernel::Vec3;

use super::fields::{FluidFields, coasts, is_marker, leaving};
use super::settings::FluidSettings;
use super::solid::{Carriage, MarkerMotion, SolidId};
use super::system::FluidSystem;
use crate::error::{ParticleError, Result, part_of};
use crate::row::Row;

/// A rectangle through which fluid comes in at a constant velocity.
#[derive(Clone, Debug, PartialEq)]
pub struct FluidInlet {
    /// Name.
    pub name: String,
    /// Centre [m].
    pub center: Vec3,
    /// Velocity [m/s], normal to the rectangle.
    pub velocity: Vec3,
    /// Direction of one side of the rectangle, normal to the velocity.
    pub along: Vec3,
    /// Length of this side and of the other [m]; in a plane the second is not used.
    pub sides: [f64; 2],
}

/// A plane through which fluid goes out.
#[derive(Clone, Debug, PartialEq)]
pub struct FluidOutlet {
    /// Name.
    pub name: String,
    /// A point of the plane [m].
    pub point: Vec3,
    /// Direction out of the fluid.
    pub normal: Vec3,
}

/// The box in which a fluid is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Least corner [m].
    pub low: Vec3,
    /// Greatest corner [m].
    pub high: Vec3,
    /// Whether a particle that leaves ends the run.
    pub closed: bool,
}

/// What went through a gate.
#[derive(Clone, Debug, PartialEq)]
pub struct GateCount {
    /// Name of the inlet or outlet.
    pub name: String,
    /// Particles.
    pub particles: u64,
    /// Their mass [kg, in the plane kg/m].
    pub mass: f64,
}

/// All of these.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Gates {
    /// Inlets, the solids that are their layers, and particles that came in.
    pub inlets: Vec<(FluidInlet, SolidId, u64)>,
    /// Outlets, and particles that went out.
    pub outlets: Vec<(FluidOutlet, u64)>,
    pub bounds: Option<Bounds>,
    /// Particles that left the bounds.
    pub lost: u64,
}

impl FluidInlet {
    /// Refuses inlets through which nothing can come.
    fn check(&self, settings: &FluidSettings) -> Result<()> {
        let refuse = |what: &str, value, expected| {
            Err(ParticleError::range(part_of(format!("the {what}"), "inlet", &self.name), value, expected))
        };
        let speed = self.velocity.length();
        if !(speed > 0.0 && speed.is_finite()) {
            return refuse("speed", speed, "finite and above 0");
        }
        let lean = self.along.normalize_or_zero().dot(self.velocity / speed).abs();
        if !(self.along.length() > 0.0 && self.along.is_finite()) || lean > 1e-9 {
            return refuse("side", lean, "a direction normal to the velocity");
        }
        let count = if settings.space.normal().is_some() { 1 } else { 2 };
        match self.sides[..count].iter().find(|side| !(**side >= settings.spacing && side.is_finite())) {
            Some(side) => refuse("side", *side, "finite, and the spacing or more"),
            None => Ok(()),
        }
    }

    /// Its layers, the first just behind the rectangle; and how deep they are [m].
    fn layers(&self, settings: &FluidSettings) -> (Vec<MarkerMotion>, f64) {
        let d = settings.spacing;
        let inward = self.velocity.normalize();
        let along = self.along.normalize();
        let across = inward.cross(along);
        let flat = settings.space.normal().is_some();
        let rows = |side: f64| (side / d + 1e-9).floor().max(1.0) as usize;
        let [n, m] = [rows(self.sides[0]), if flat { 1 } else { rows(self.sides[1]) }];
        // A layer goes back when it comes through: there is always a kernel of them.
        let depth = (settings.reach() / d).ceil() as usize + 1;
        let mut markers = Vec::with_capacity(n * m * depth);
        for k in 0..depth {
            for j in 0..m {
                for i in 0..n {
                    let middle = |i: usize, n: usize| (i as f64 - 0.5 * (n as f64 - 1.0)) * d;
                    let position = self.center + along * middle(i, n) + across * middle(j, m)
                        - inward * (k as f64 + 0.5) * d;
                    markers.push(MarkerMotion {
                        position,
                        velocity: self.velocity,
                        ..MarkerMotion::default()
                    });
                }
            }
        }
        (markers, depth as f64 * d)
    }
}

impl FluidSystem {
    /// Adds an inlet.
    pub fn add_inlet(&mut self, inlet: FluidInlet) -> Result<()> {
        inlet.check(&self.model.settings)?;
        let (markers, _) = inlet.layers(&self.model.settings);
        let solid = self.add_flexible(&inlet.name, &markers, true)?;
        self.gates.inlets.push((inlet, solid, 0));
        Ok(())
    }

    /// Adds an outlet.
    pub fn add_outlet(&mut self, mut outlet: FluidOutlet) -> Result<()> {
        let length = outlet.normal.length();
        if !(length > 0.0 && length.is_finite() && outlet.point.is_finite()) {
            return Err(ParticleError::range(
                part_of("the normal", "outlet", &outlet.name),
                length,
                "a finite direction at a finite point",
            ));
        }
        outlet.normal /= length;
        self.gates.outlets.push((outlet, 0));
        Ok(())
    }

    /// Sets the box in which the fluid is kept.
    pub fn set_bounds(&mut self, bounds: Bounds) -> Result<()> {
        let side = (bounds.high - bounds.low).min_element();
        // A plane has no thickness.
        if !(side >= 0.0 && bounds.low.is_finite() && bounds.high.is_finite()) {
            return Err(ParticleError::range(
                "the shortest side of the bounds of a fluid",
                side,
                "finite and not below 0",
            ));
        }
        self.gates.bounds = Some(bounds);
        Ok(())
    }

    /// What came in and went out.
    pub fn gate_counts(&self) -> Vec<GateCount> {
        let mass = self.model.settings.mass();
        let count = |name: &str, particles: u64| GateCount {
            name: name.into(),
            particles,
            mass: particles as f64 * mass,
        };
        let inlets = self.gates.inlets.iter().map(|(inlet, _, n)| count(&inlet.name, *n));
        let outlets = self.gates.outlets.iter().map(|(outlet, n)| count(&outlet.name, *n));
        inlets.chain(outlets).collect()
    }

    /// Particles that left the bounds.
    pub fn lost_count(&self) -> u64 {
        self.gates.lost
    }

    /// Lets particles in and out.
    pub(super) fn pass_gates(&mut self) -> Result<()> {
        if !self.gates.inlets.is_empty() {
            self.let_in()?;
        }
        if !self.gates.outlets.is_empty() {
            self.let_out();
        }
        self.keep_in()
    }

    fn let_in(&mut self) -> Result<()> {
        let mut gates = std::mem::take(&mut self.gates);
        for (inlet, solid, came) in &mut gates.inlets {
            let (_, depth) = inlet.layers(&self.model.settings);
            let inward = inlet.velocity.normalize();
            let made = self.solids.get(*solid)?;
            let first = made.first;
            let Carriage::Free { mut markers } = made.carriage.clone() else { continue };
            let mut moved = false;
            for (k, marker) in markers.iter_mut().enumerate() {
                if (marker.position - inlet.center).dot(inward) < 0.0 {
                    continue;
                }
                let pressure = self.solids.forces[first + k].0[3];
                self.add_with_pressure(marker.position, marker.velocity, pressure)?;
                marker.position -= inward * depth;
                (*came, moved) = (*came + 1, true);
            }
            if moved {
                self.solids.set_markers(*solid, &markers)?;
                self.solids.advance(&mut self.fields, self.model.periods, 0.0);
            }
        }
        self.gates = gates;
        Ok(())
    }

    fn let_out(&mut self) {
        let reach = self.model.settings.reach();
        let mut gone = Vec::new();
        let density = self.model.settings.density;
        let FluidFields { place, motion, tag, .. } = &mut self.fields;
        let (place, motion) = (place.write(), motion.write());
        for (i, tag) in tag.write().iter_mut().enumerate().filter(|(_, tag)| !is_marker(**tag)) {
            let at = place[i].vector();
            for (outlet, count) in &mut self.gates.outlets {
                let beyond = (at - outlet.point).dot(outlet.normal);
                if beyond > 0.0 && beyond < 4.0 * reach && !coasts(*tag) {
                    *tag = leaving(*tag);
                    *count += 1;
                    // Outside, pressure is zero.
                    place[i].0[3] = 1.0 / density;
                    motion[i].0[3] = 0.0;
                }
                if coasts(*tag) && beyond > reach && beyond < 4.0 * reach {
                    gone.push(i);
                }
            }
        }
        self.remove(&gone);
    }

    fn keep_in(&mut self) -> Result<()> {
        let Some(bounds) = self.gates.bounds else { return Ok(()) };
        let outside = |place: &Row| {
            let at = place.vector();
            at.cmplt(bounds.low).any() || at.cmpgt(bounds.high).any()
        };
        let (place, tag) = (self.fields.place.read(), self.fields.tag.read());
        let gone: Vec<usize> =
            (0..place.len()).filter(|i| !is_marker(tag[*i]) && outside(&place[*i])).collect();
        let Some(first) = gone.first() else { return Ok(()) };
        if bounds.closed {
            return Err(ParticleError::FluidEscaped {
                number: self.fields.name(*first),
                at: place[*first].vector().to_array(),
                time: self.time,
            });
        }
        self.gates.lost += gone.len() as u64;
        self.remove(&gone);
        Ok(())
    }

    /// Removes particles by rising index.
    fn remove(&mut self, gone: &[usize]) {
        if gone.is_empty() {
            return;
        }
        self.fields.retain(|i| gone.binary_search(&i).is_err());
        self.number_slots();
        self.listed = false;
    }
}

//! Shafts: bodies with one rotational degree of freedom.

use std::sync::Arc;

use glam::{DMat3, DVec3};
use huygens_core::Subject;
use huygens_core::contract::{Coordinates, CoordinatesShape, Frame};
use huygens_core::parameter::{
    Invalidates, ItemParameters, Owner, ParameterBlock, ParameterRange, ParameterValue, Parameters,
};
use huygens_exec::Exec;

/// A shaft, with one rotational degree of freedom.
#[derive(Clone, Debug)]
pub struct Shaft {
    /// Unique name.
    pub name: String,
    /// Moment of inertia [kg·m²].
    pub inertia: f64,
    /// Initial angle [rad].
    pub angle: f64,
    /// Initial speed [rad/s].
    pub speed: f64,
}

/// All shafts: one position and one velocity each.
#[derive(Clone)]
pub(crate) struct ShaftBatch {
    shafts: Arc<Vec<Shaft>>,
    inertias: Arc<ParameterBlock<ShaftInertia>>,
}

impl ShaftBatch {
    pub fn new(shafts: Vec<Shaft>) -> Self {
        let values = shafts.iter().map(|s| (Owner::new("shaft", &s.name), ShaftInertia(s.inertia)));
        Self { inertias: Arc::new(ParameterBlock::new(values)), shafts: Arc::new(shafts) }
    }

    fn inertia(&self, item: usize) -> f64 {
        self.inertias.values[item].0
    }
}

/// Moment of inertia of a shaft [kg·m²].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ShaftInertia(f64);

impl ItemParameters for ShaftInertia {
    const INVALIDATES: Invalidates = Invalidates::MASS;

    fn list(&self) -> Vec<ParameterValue> {
        vec![ParameterValue::new("inertia", "kg·m²", ParameterRange::Positive, self.0)]
    }

    fn set(&mut self, _place: usize, value: f64) {
        self.0 = value;
    }
}

impl Coordinates for ShaftBatch {
    fn shape(&self) -> CoordinatesShape {
        CoordinatesShape {
            items: self.shafts.len(),
            q_per_item: 1,
            v_per_item: 1,
            ..CoordinatesShape::default()
        }
    }

    fn item_name(&self, item: usize) -> Subject {
        Subject::object("shaft", &self.shafts[item].name)
    }

    fn initialize(&self, q: &mut [f64], v: &mut [f64]) {
        for (i, shaft) in self.shafts.iter().enumerate() {
            q[i] = shaft.angle;
            v[i] = shaft.speed;
        }
    }

    fn retract(&self, _ex: &Exec, q0: &[f64], x: &[f64], q: &mut [f64]) {
        (0..q.len()).for_each(|i| q[i] = q0[i] + x[i]);
    }

    fn retract_tangent_inverse(&self, _x: &[f64]) -> Option<(usize, DMat3)> {
        None
    }

    fn frames(&self, _ex: &Exec, _time: f64, _q: &[f64], _v: &[f64], _first_block: u32, _out: &mut [Frame]) {}

    fn add_inertia_force(&self, _ex: &Exec, _q: &[f64], _v: &[f64], acceleration: &[f64], f: &mut [f64]) {
        (0..f.len()).for_each(|i| f[i] += self.inertia(i) * acceleration[i]);
    }

    fn add_mass_product(&self, _ex: &Exec, _q: &[f64], x: &[f64], y: &mut [f64]) {
        (0..y.len()).for_each(|i| y[i] += self.inertia(i) * x[i]);
    }

    fn mass_block(&self, item: usize, _q: &[f64], out: &mut [f64]) {
        out[0] = self.inertia(item);
    }

    fn add_bias_tangent(&self, _item: usize, _q: &[f64], _v: &[f64], _damping: f64, _out: &mut [f64]) {}

    fn add_gravity(&self, _ex: &Exec, _g: DVec3, _q: &[f64], _f: &mut [f64]) {}

    fn energy(&self, _ex: &Exec, _g: DVec3, _q: &[f64], v: &[f64]) -> (f64, f64) {
        (self.inertias.values.iter().zip(v).map(|(s, v)| 0.5 * s.0 * v * v).sum(), 0.0)
    }

    fn parameters(&self) -> Option<Arc<dyn Parameters>> {
        Some(self.inertias.clone())
    }

    fn with_parameters(&self, block: &Arc<dyn Parameters>) -> Option<Arc<dyn Coordinates>> {
        let inertias = block.clone().into_any().downcast().ok()?;
        Some(Arc::new(Self { inertias, ..self.clone() }))
    }
}

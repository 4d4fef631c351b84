//! Forces along a coordinate: springs, compliant limits and ropes, motors, clutches.
//!
//! A law gives the scalar force $F(\xi, \dot\xi, t)$ along increasing ξ; the generalized force is $F\,\nabla\xi$ and its
//! tangent $-\partial f/\partial q = -F'\,\nabla\xi\nabla\xi^T - F\,\nabla^2\xi$.

use std::fmt;
use std::sync::Arc;

use huygens_core::Subject;
use huygens_core::contract::{ElementBatch, Layout, Slots, StateView, Weights};
use huygens_core::parameter::{BlockId, Invalidates, ItemParameters, ParameterRange, ParameterValue};
use huygens_exec::Exec;

use crate::drive::Drive;
use crate::joint::Combination;
use crate::slots::{CHUNK, for_each_item, history_owners, push_history};

/// A user-defined force law: `f(time, coordinate, rate)` [N or N·m].
#[derive(Clone)]
pub struct ForceLaw(pub Arc<dyn Fn(f64, f64, f64) -> f64 + Send + Sync>);

impl fmt::Debug for ForceLaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ForceLaw")
    }
}

/// The scalar law of a force along a coordinate.
#[derive(Clone, Debug)]
pub enum ScalarLaw {
    /// $F = -k(\xi - \xi_0) - c\dot\xi + a$.
    Spring {
        /// Stiffness k [N/m or N·m/rad].
        stiffness: f64,
        /// Damping c [N·s/m or N·m·s/rad].
        damping: f64,
        /// Rest value $\xi_0$ [m or rad].
        rest: f64,
        /// Actuator force a [N or N·m].
        actuator: Option<Drive>,
    },
    /// A user-defined law.
    User(ForceLaw),
    /// A driven force [N or N·m].
    Effort(Drive),
    /// Spring and damper beyond the bounds, without tension.
    Limit {
        /// Lower bound.
        lower: Option<f64>,
        /// Upper bound.
        upper: Option<f64>,
        /// Stiffness [N/m or N·m/rad].
        stiffness: f64,
        /// Damping [N·s/m or N·m·s/rad].
        damping: f64,
    },
    /// Dry friction with sticking: a spring to an anchor that slips at the limit (clutch, brake).
    Friction {
        /// Limit of the friction force [N or N·m].
        limit: Drive,
        /// Stiffness while sticking [N/m or N·m/rad].
        stiffness: f64,
        /// Damping while sticking [N·s/m or N·m·s/rad].
        damping: f64,
    },
}

/// Force and its derivatives.
struct Response {
    force: f64,
    by_value: f64,
    by_rate: f64,
}

impl ScalarLaw {
    fn respond(&self, x: &StateView<'_>, value: f64, rate: f64, anchor: f64) -> Response {
        match self {
            ScalarLaw::Spring { stiffness, damping, rest, actuator } => Response {
                force: -stiffness * (value - rest) - damping * rate
                    + actuator.as_ref().map_or(0.0, |a| a.value(x)),
                by_value: -stiffness,
                by_rate: -damping,
            },
            ScalarLaw::User(law) => {
                let at = |v: f64, r: f64| (law.0)(x.time, v, r);
                let (dv, dr) = (1e-6 * (1.0 + value.abs()), 1e-6 * (1.0 + rate.abs()));
                Response {
                    force: at(value, rate),
                    by_value: (at(value + dv, rate) - at(value - dv, rate)) / (2.0 * dv),
                    by_rate: (at(value, rate + dr) - at(value, rate - dr)) / (2.0 * dr),
                }
            }
            ScalarLaw::Effort(drive) => Response { force: drive.value(x), by_value: 0.0, by_rate: 0.0 },
            ScalarLaw::Limit { lower, upper, stiffness, damping } => {
                let over = upper.map_or(0.0, |u| (value - u).max(0.0));
                let under = lower.map_or(0.0, |l| (l - value).max(0.0));
                let depth = over - under;
                if depth == 0.0 {
                    return Response { force: 0.0, by_value: 0.0, by_rate: 0.0 };
                }
                let force = -stiffness * depth - damping * rate;
                if force * depth >= 0.0 {
                    return Response { force: 0.0, by_value: 0.0, by_rate: 0.0 };
                }
                Response { force, by_value: -stiffness, by_rate: -damping }
            }
            ScalarLaw::Friction { limit, stiffness, damping } => {
                let cap = limit.value(x).abs();
                let force = -stiffness * (value - anchor) - damping * rate;
                if force.abs() > cap {
                    return Response { force: cap.copysign(force), by_value: 0.0, by_rate: 0.0 };
                }
                Response { force, by_value: -stiffness, by_rate: -damping }
            }
        }
    }
}

/// Parameters of a law that may change between steps: constants, not functions or signals.
impl ItemParameters for ScalarLaw {
    const INVALIDATES: Invalidates = Invalidates::FACTORS;

    fn list(&self) -> Vec<ParameterValue> {
        self.clone()
            .numbers()
            .into_iter()
            .map(|(name, unit, range, x)| ParameterValue::new(name, unit, range, *x))
            .collect()
    }

    fn set(&mut self, place: usize, value: f64) {
        if let Some((.., x)) = self.numbers().into_iter().nth(place) {
            *x = value;
        }
    }

    fn check(&self) -> Result<(), String> {
        match self {
            ScalarLaw::Limit { lower: Some(lower), upper: Some(upper), .. } if lower >= upper => {
                Err(format!("the lower bound {lower} must be below the upper one {upper}"))
            }
            _ => Ok(()),
        }
    }
}

type Number<'a> = (&'static str, &'static str, ParameterRange, &'a mut f64);

impl ScalarLaw {
    /// Constant parameters with names, units and ranges, in a fixed order.
    fn numbers(&mut self) -> Vec<Number<'_>> {
        use ParameterRange::{Finite, NotNegative, Positive};
        const STIFFNESS: &str = "N/m or N·m/rad";
        const DAMPING: &str = "N·s/m or N·m·s/rad";
        let mut all: Vec<Number<'_>> = Vec::new();
        match self {
            ScalarLaw::Spring { stiffness, damping, rest, actuator } => {
                all.push(("stiffness", STIFFNESS, NotNegative, stiffness));
                all.push(("damping", DAMPING, NotNegative, damping));
                all.push(("rest", "m or rad", Finite, rest));
                if let Some(force) = actuator.as_mut().and_then(Drive::constant_mut) {
                    all.push(("actuator", "N or N·m", Finite, force));
                }
            }
            ScalarLaw::User(_) => {}
            ScalarLaw::Effort(drive) => {
                all.extend(drive.constant_mut().map(|x| ("effort", "N or N·m", Finite, x)));
            }
            ScalarLaw::Limit { lower, upper, stiffness, damping } => {
                all.extend(lower.as_mut().map(|x| ("lower", "m or rad", Finite, x)));
                all.extend(upper.as_mut().map(|x| ("upper", "m or rad", Finite, x)));
                all.push(("stiffness", STIFFNESS, Positive, stiffness));
                all.push(("damping", DAMPING, NotNegative, damping));
            }
            ScalarLaw::Friction { limit, stiffness, damping } => {
                all.extend(limit.constant_mut().map(|x| ("limit", "N or N·m", NotNegative, x)));
                all.push(("stiffness", STIFFNESS, Positive, stiffness));
                all.push(("damping", DAMPING, NotNegative, damping));
            }
        }
        all
    }
}

/// One force along a coordinate; its law is in the block of the batch.
pub(crate) struct CoordinateForceItem {
    pub name: Subject,
    pub sum: Combination,
}

/// All forces along coordinates.
#[derive(Default)]
pub(crate) struct CoordinateForceBatch {
    pub items: Vec<CoordinateForceItem>,
    pub history: usize,
    /// Laws of the items.
    pub laws: BlockId,
    /// Start of each item's history, and the end of the last one.
    starts: Vec<usize>,
}

impl CoordinateForceBatch {
    /// Adds a force; its combination must start its history at [`CoordinateForceBatch::history`].
    pub fn push(&mut self, item: CoordinateForceItem) {
        self.history += item.sum.history_len() + 1;
        push_history(&mut self.starts, item.sum.history_len() + 1);
        self.items.push(item);
    }

    fn laws<'a>(&self, x: &StateView<'a>) -> &'a [ScalarLaw] {
        x.parameters.values(self.laws)
    }

    fn anchor(item: &CoordinateForceItem) -> usize {
        item.sum.history + item.sum.history_len()
    }

    /// Coordinate, rate and force of one item.
    pub fn measure(&self, item: usize, x: &StateView<'_>, history: &[f64]) -> [f64; 3] {
        let i = &self.items[item];
        let m = i.sum.evaluate(x, history, None);
        let anchor = history.get(Self::anchor(i)).copied().unwrap_or(0.0);
        let law = &self.laws(x)[item];
        [m.value, m.rate, law.respond(x, m.value, m.rate, anchor).force]
    }
}

/// Largest number of columns for which a gradient is kept on the stack.
const SHORT: usize = 24;

/// Adds `factor` × $gg^T$ to an empty row-major matrix with `n` columns; `write` writes the gradient g. Long gradients
/// are kept in the first row of the matrix meanwhile.
fn add_outer(slot: &mut [f64], n: usize, factor: f64, write: impl FnOnce(&mut [f64])) {
    if n <= SHORT {
        let mut gradient = [0.0; SHORT];
        write(&mut gradient[..n]);
        for row in 0..n {
            for column in 0..n {
                slot[row * n + column] += factor * gradient[row] * gradient[column];
            }
        }
        return;
    }
    let (gradient, rest) = slot.split_at_mut(n);
    write(gradient);
    for (row, out) in rest.chunks_exact_mut(n).enumerate() {
        (0..n).for_each(|column| out[column] = factor * gradient[row + 1] * gradient[column]);
    }
    let own = gradient[0];
    gradient.iter_mut().for_each(|g| *g *= factor * own);
}

impl ElementBatch for CoordinateForceBatch {
    fn does_work(&self, x: &StateView<'_>) -> bool {
        let driven = |law: &ScalarLaw| match law {
            ScalarLaw::Spring { actuator, .. } => actuator.is_some(),
            ScalarLaw::User(_) | ScalarLaw::Effort(_) => true,
            ScalarLaw::Limit { .. } | ScalarLaw::Friction { .. } => false,
        };
        self.laws(x).iter().any(driven)
    }

    fn layout(&self) -> Layout {
        let mut layout = Layout { history: self.history, ..Layout::default() };
        self.items.iter().for_each(|item| layout.push(&item.sum.blocks, 0));
        layout
    }

    fn item_name(&self, item: usize) -> Subject {
        self.items[item].name.clone()
    }

    fn evaluate(
        &self,
        ex: &Exec,
        x: &StateView<'_>,
        history: &[f64],
        slots: &Slots,
        values: &mut [f64],
        tangent: Option<(&Weights, &mut [f64])>,
    ) {
        let laws = self.laws(x);
        let respond = |i: usize, gradient: &mut [f64]| {
            let item = &self.items[i];
            let m = item.sum.evaluate(x, history, Some(gradient));
            laws[i].respond(x, m.value, m.rate, history[Self::anchor(item)])
        };
        for_each_item(ex, &slots.values, values, |i, slot| {
            let force = respond(i, slot).force;
            slot.iter_mut().for_each(|s| *s *= force);
        });
        let Some((w, tangents)) = tangent else { return };
        let gradients = &*values;
        for_each_item(ex, &slots.tangents, tangents, |i, slot| {
            let item = &self.items[i];
            let n = item.sum.columns();
            let m = item.sum.evaluate(x, history, None);
            let r = laws[i].respond(x, m.value, m.rate, history[Self::anchor(item)]);
            item.sum.add_tangent(x, history, -w.stiffness * r.force, slot);
            let factor = -w.stiffness * r.by_value - w.damping * r.by_rate;
            if factor == 0.0 {
                return;
            }
            if r.force == 0.0 {
                return add_outer(slot, n, factor, |gradient| {
                    item.sum.evaluate(x, history, Some(gradient));
                });
            }
            let own = &gradients[slots.values[i]..slots.values[i + 1]];
            if n > SHORT {
                for row in 0..n {
                    for column in 0..n {
                        slot[row * n + column] += factor * (own[row] / r.force) * (own[column] / r.force);
                    }
                }
                return;
            }
            let mut gradient = [0.0; SHORT];
            gradient.iter_mut().zip(own).for_each(|(g, f)| *g = f / r.force);
            for row in 0..n {
                for column in 0..n {
                    slot[row * n + column] += factor * gradient[row] * gradient[column];
                }
            }
        });
    }

    fn initialize_history(&self, x: &StateView<'_>, history: &mut [f64]) {
        for_each_item(&Exec::serial(), &self.starts, history, |i, own| {
            let sum = &self.items[i].sum;
            sum.remember(x, 0.0, true, own);
            own[sum.history_len()] = sum.evaluate_own(x, own, None).value;
        });
    }

    fn history_owners(&self, _layout: &Layout) -> Vec<(String, std::ops::Range<usize>)> {
        history_owners(&self.starts, |item| self.item_name(item).to_string())
    }

    fn commit(&self, ex: &Exec, x: &StateView<'_>, history: &mut [f64]) {
        let laws = self.laws(x);
        for_each_item(ex, &self.starts, history, |i, own| {
            let sum = &self.items[i].sum;
            sum.remember(x, 0.0, false, own);
            if let ScalarLaw::Friction { limit, stiffness, .. } = &laws[i] {
                let value = sum.evaluate_own(x, own, None).value;
                let reach = limit.value(x).abs() / stiffness;
                let anchor = &mut own[sum.history_len()];
                *anchor = anchor.clamp(value - reach, value + reach);
            }
        });
    }

    fn energy(&self, ex: &Exec, x: &StateView<'_>, history: &[f64]) -> f64 {
        let laws = self.laws(x);
        let one = |k: usize| -> f64 {
            let (item, law) = (&self.items[k], &laws[k]);
            let value = item.sum.evaluate(x, history, None).value;
            match law {
                ScalarLaw::Spring { stiffness, rest, .. } => 0.5 * stiffness * (value - rest).powi(2),
                ScalarLaw::Limit { lower, upper, stiffness, .. } => {
                    let over = upper.map_or(0.0, |u| (value - u).max(0.0));
                    let under = lower.map_or(0.0, |l| (l - value).max(0.0));
                    0.5 * stiffness * (over * over + under * under)
                }
                ScalarLaw::Friction { stiffness, .. } => {
                    0.5 * stiffness * (value - history[Self::anchor(item)]).powi(2)
                }
                ScalarLaw::User(_) | ScalarLaw::Effort(_) => 0.0,
            }
        };
        ex.sum(self.items.len(), CHUNK, |items| items.map(one).sum())
    }
}

//! Rows on coordinates: motors, gears, racks, belts, screws, shaft gears.
//!
//! $\Phi = \sum_i c_i\xi_i - \xi_0 - r(t)$ with joint or shaft coordinates $\xi_i$ and a reference $r$: nothing, a
//! function of time, or a first-order state that integrates a speed.

use huygens_core::Subject;
use huygens_core::contract::{ConstraintBatch, Layout, RowRequest, Slots, StateBlock, StateView};
use huygens_core::function::Function;
use huygens_core::parameter::{BlockId, Invalidates, ItemParameters, ParameterRange, ParameterValue};
use huygens_exec::Exec;

use crate::drive::Drive;
use crate::joint::coordinate::Combination;
use crate::slots::{for_each_item, history_owners, push_history};

/// What the sum of coordinates must follow.
#[derive(Clone, Debug)]
pub(crate) enum Reference {
    /// Its value at the start.
    Start,
    /// A function of time.
    Function(Function),
    /// Its value at the start plus a state, by its number among the integrated speeds, whose rate is the drive.
    Speed(usize, Drive),
}

/// Constant targets may change between steps: the position of a motor, its speed.
impl ItemParameters for Reference {
    const INVALIDATES: Invalidates = Invalidates::FACTORS;

    fn list(&self) -> Vec<ParameterValue> {
        let mut copy = self.clone();
        let number = copy.number();
        number
            .map(|(name, unit, x)| ParameterValue::new(name, unit, ParameterRange::Finite, *x))
            .into_iter()
            .collect()
    }

    fn set(&mut self, _place: usize, value: f64) {
        if let Some((.., x)) = self.number() {
            *x = value;
        }
    }
}

impl Reference {
    fn number(&mut self) -> Option<(&'static str, &'static str, &mut f64)> {
        match self {
            Reference::Function(Function::Constant { value }) => Some(("position", "m or rad", value)),
            Reference::Speed(_, drive) => Some(("speed", "m/s or rad/s", drive.constant_mut()?)),
            Reference::Start | Reference::Function(_) => None,
        }
    }
}

/// One coupling row; what it follows is in the block of the batch.
pub(crate) struct CouplingItem {
    pub name: Subject,
    pub sum: Combination,
}

/// All coupling rows.
#[derive(Default)]
pub(crate) struct CouplingBatch {
    pub items: Vec<CouplingItem>,
    pub history: usize,
    /// Start of each item's history, and the end of the last one.
    pub starts: Vec<usize>,
    /// First global row, known once the model has placed the batch.
    pub first_row: usize,
    /// First integrated speed among the first-order states.
    pub first_state: usize,
    /// What the items follow.
    pub references: BlockId,
}

impl CouplingBatch {
    /// Adds a row; its combination must start its history at [`CouplingBatch::history`].
    pub fn push(&mut self, item: CouplingItem) {
        self.history += item.sum.history_len() + 1;
        push_history(&mut self.starts, item.sum.history_len() + 1);
        self.items.push(item);
    }

    fn start(&self, item: &CouplingItem, history: &[f64]) -> f64 {
        history.get(item.sum.history + item.sum.history_len()).copied().unwrap_or(0.0)
    }
}

impl ConstraintBatch for CouplingBatch {
    fn layout(&self) -> Layout {
        let mut layout = Layout { history: self.history, ..Layout::default() };
        self.items.iter().for_each(|item| layout.push(&item.sum.blocks, 1));
        layout
    }

    fn item_name(&self, item: usize) -> Subject {
        self.items[item].name.clone()
    }

    fn row_name(&self, _item: usize, _row: usize) -> String {
        "coordinate".into()
    }

    fn evaluate(
        &self,
        ex: &Exec,
        x: &StateView<'_>,
        history: &[f64],
        _request: RowRequest,
        slots: &Slots,
        values: &mut [f64],
    ) {
        let references = x.parameters.values::<Reference>(self.references);
        for_each_item(ex, &slots.values, values, |i, slot| {
            let item = &self.items[i];
            let (head, jacobian) = slot.split_at_mut(3);
            let mut m = item.sum.evaluate(x, history, Some(jacobian));
            match &references[i] {
                Reference::Start => m.value -= self.start(item, history),
                Reference::Function(f) => {
                    let [value, rate, acceleration] = f.evaluate(x.time);
                    m.value -= value;
                    m.rate -= rate;
                    m.bias -= acceleration;
                }
                Reference::Speed(k, drive) => {
                    m.value -= self.start(item, history) + x.z[self.first_state + k];
                    m.rate -= drive.value(x);
                    m.bias -= drive.rate(x);
                }
            }
            head.copy_from_slice(&[m.value, m.rate, -m.bias]);
        });
    }

    fn tangent(
        &self,
        ex: &Exec,
        x: &StateView<'_>,
        history: &[f64],
        lambda: &[f64],
        stiffness: f64,
        slots: &Slots,
        tangent: &mut [f64],
    ) {
        for_each_item(ex, &slots.tangents, tangent, |i, slot| {
            self.items[i].sum.add_tangent(x, history, stiffness * lambda[i], slot);
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
        for_each_item(ex, &self.starts, history, |i, own| {
            let multiplier = x.lambda.get(self.first_row + i).copied().unwrap_or(0.0);
            self.items[i].sum.remember(x, multiplier, false, own);
        });
    }
}

/// The integrated speeds of all speed motors.
pub(crate) struct SpeedReferences {
    /// What all couplings follow.
    pub references: BlockId,
    /// What the motors are called.
    pub names: Vec<String>,
}

impl StateBlock for SpeedReferences {
    fn len(&self) -> usize {
        self.names.len()
    }

    fn state_name(&self, state: usize) -> String {
        self.names[state].clone()
    }

    fn initialize(&self, z: &mut [f64]) {
        z.fill(0.0);
    }

    fn rate(&self, x: &StateView<'_>, _z: &[f64], z_rate: &mut [f64]) {
        for reference in x.parameters.values(self.references) {
            if let Reference::Speed(k, drive) = reference {
                z_rate[*k] = drive.value(x);
            }
        }
    }
}

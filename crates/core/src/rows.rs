//! Rows of the cone problem from sources other than joints and contacts: densities of a fluid, pairs of markers.
//!
//! A [`RowSource`] belongs to the model and does not change; its [`RowStage`] is the work space of a stepper. Rows of a
//! source are part of the same cone problem as joints, limits and contacts.

use huygens_exec::Exec;
use huygens_solve::{Cone, RowOperator};

use crate::contract::StateView;
use crate::subject::Subject;

/// Rows in addition to joints and contacts.
pub trait RowSource: Send + Sync {
    /// Name in messages, such as `fluid 'river'`.
    fn name(&self) -> Subject;
    /// Length of its history, part of the state.
    fn history(&self) -> usize;
    /// The work space of a stepper.
    fn stage(&self) -> Box<dyn RowStage>;
}

/// The work space in which the rows of a [`RowSource`] are built; it has no memory beyond the state.
pub trait RowStage: Send + Sync {
    /// Builds the rows of a step and appends their numbers; `history` is the source's own part. Returns the reason if
    /// it fails.
    fn build(
        &mut self,
        ex: &Exec,
        x: &StateView<'_>,
        step: &RowStep<'_>,
        history: &[f64],
        out: &mut RowNumbers<'_>,
    ) -> Result<(), String>;
    /// Adds further impulses to the free motion, after [`RowStage::build`]; `impulse` is over all columns, angular ones
    /// along the axes of bodies.
    fn add_impulses(&mut self, _ex: &Exec, _x: &StateView<'_>, _step: &RowStep<'_>, _impulse: &mut [f64]) {}
    /// The rows; velocities of the cone problem have angular velocities of bodies in world axes.
    fn operator(&self) -> &dyn RowOperator;
    /// Takes the impulses of its rows, writes the history, and may move positions: `motion` is the retraction of the
    /// step, h v′, over all columns.
    fn finish(
        &mut self,
        ex: &Exec,
        step: &RowStep<'_>,
        impulse: &[f64],
        motion: &mut [f64],
        history: &mut [f64],
    );
}

/// Data common to all rows of a step.
#[derive(Clone, Copy, Debug)]
pub struct RowStep<'a> {
    /// Step size [s].
    pub h: f64,
    /// Whether impulses are warm-started from those of the previous step.
    pub warm_start: bool,
    /// First column of each column block.
    pub columns: &'a [usize],
    /// First column block of the bodies, and how many bodies there are: their angular columns are along world axes,
    /// those of other blocks along the axes of their frames.
    pub bodies: [u32; 2],
}

impl RowStep<'_> {
    /// Whether the angular columns of a block are along world axes.
    pub fn is_turned(&self, block: u32) -> bool {
        block.wrapping_sub(self.bodies[0]) < self.bodies[1]
    }
}

/// Numbers of all rows, to which those of a source are appended.
pub struct RowNumbers<'a> {
    /// Bias added to the velocity of each row: gap divided by step, and prescribed motion.
    pub bias: &'a mut Vec<f64>,
    /// Compliance of each row.
    pub compliance: &'a mut Vec<f64>,
    /// Cones of consecutive rows.
    pub cones: &'a mut Vec<Cone>,
    /// Initial guess of the impulse of each row.
    pub impulse: &'a mut Vec<f64>,
}

impl RowNumbers<'_> {
    /// Appends a row of its own cone.
    pub fn push(&mut self, bias: f64, compliance: f64, cone: Cone, impulse: f64) {
        self.bias.push(bias);
        self.compliance.push(compliance);
        self.cones.push(cone);
        self.impulse.push(impulse);
    }
}

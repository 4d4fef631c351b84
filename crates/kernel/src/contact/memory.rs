//! What contacts remember from step to step.
//!
//! A new number is a field of [`ContactHistory`], its place in the array that states of bodies keep and in a row of those
//! of grains, and its rule: in [`touch_of`] where it follows from the motion alone, and in [`remembered`]. Grains keep only the
//! rows that their laws need.

use super::compliant::ContactMotion;
use super::model::{CompliantModel, CompliantPair};
use crate::laws;

/// Numbers a contact remembers from step to step.
pub const HISTORY_LENGTH: usize = 9;

#[laws]
mod laws {
    use crate::contact::compliant::Kinematics;
    use crate::contact::model::radius_or_flat;
    use crate::number::{Scalar, constant, larger};
    use crate::vector::{V3, dot};

    /// Memory of a contact; all zero where the shapes did not touch.
    ///
    /// Where a and b change places, the vectors change sign; the spinning couple does not, as the normal turns too.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct ContactHistory<S = f64> {
        /// Tangential displacement of b relative to a [m] (`History`), or tangential spring force on b [N]
        /// (`Mindlin`), world axes.
        pub tangential: V3<S>,
        /// Rolling spring couple on b [N·m], world axes.
        pub rolling: V3<S>,
        /// Spinning spring couple on b about the normal [N·m].
        pub spinning: S,
        /// Root of the overlap [√m] (`MindlinRescaled`).
        pub root: S,
        /// Impact speed [m/s], above zero while the shapes touch.
        pub impact: S,
    }

    /// How two surfaces touch, in scalars: what laws along the normal are functions of.
    #[derive(Clone, Copy, Debug)]
    pub struct Touch<S> {
        /// Overlap δ > 0 [m].
        pub depth: S,
        /// Closing speed $\dot\delta$ [m/s].
        pub closing: S,
        /// Effective mass [kg].
        pub mass: S,
        /// Effective radius [m].
        pub radius: S,
        /// Step [s].
        pub step: S,
        /// The memory with what follows from the motion alone brought up to date; the rest is that of the last step.
        pub memory: ContactHistory<S>,
    }

    /// How two surfaces touch that move like this and remember `old`.
    pub fn touch_of<S: Scalar>(
        #[comptime] model: &CompliantModel,
        motion: &Kinematics<S>,
        old: &ContactHistory<S>,
    ) -> Touch<S> {
        let closing = -dot(motion.velocity, motion.normal);
        let memory = ContactHistory {
            tangential: old.tangential,
            rolling: old.rolling,
            spinning: old.spinning,
            root: old.root,
            impact: larger(larger(old.impact, closing), constant(model.slow_impact)),
        };
        Touch {
            depth: motion.depth,
            closing,
            mass: motion.effective_mass,
            radius: radius_or_flat(model, motion.effective_radius),
            step: motion.step,
            memory,
        }
    }

    /// The new memory: that of the touch with what friction, rolling and spinning leave.
    pub fn remembered<S: Scalar>(
        touch: &Touch<S>,
        tangential: V3<S>,
        root: S,
        rolling: V3<S>,
        spinning: S,
    ) -> ContactHistory<S> {
        ContactHistory { tangential, rolling, spinning, root, impact: touch.memory.impact }
    }
}

impl Touch<f64> {
    /// Surfaces at rest with the overlap `depth` [m], else as in `motion`.
    pub(super) fn resting(
        model: &CompliantModel,
        motion: &ContactMotion,
        depth: f64,
        memory: &ContactHistory,
    ) -> Self {
        Self {
            depth,
            closing: 0.0,
            mass: motion.effective_mass,
            radius: radius_or_flat(model, motion.effective_radius),
            step: motion.step,
            memory: *memory,
        }
    }
}

impl<S: Scalar> ContactHistory<S> {
    /// No memory.
    #[inline(always)]
    pub fn empty() -> Self {
        Self::from_array([S::zero(); HISTORY_LENGTH])
    }

    /// The numbers in the order in which states of bodies keep them: tangential, rolling, spinning, root, impact.
    #[inline(always)]
    pub fn to_array(&self) -> [S; HISTORY_LENGTH] {
        let (t, r) = (self.tangential, self.rolling);
        [t.x, t.y, t.z, r.x, r.y, r.z, self.spinning, self.root, self.impact]
    }

    /// The memory whose [`to_array`](Self::to_array) is `numbers`.
    #[inline(always)]
    pub fn from_array(numbers: [S; HISTORY_LENGTH]) -> Self {
        let [a, b, c, d, e, f, spinning, root, impact] = numbers;
        Self { tangential: [a, b, c].into(), rolling: [d, e, f].into(), spinning, root, impact }
    }

    /// The numbers of one row.
    #[inline(always)]
    pub fn row(&self, row: MemoryRow) -> [S; 4] {
        let (t, r) = (self.tangential, self.rolling);
        match row {
            MemoryRow::Sliding => [t.x, t.y, t.z, self.root],
            MemoryRow::Turning => [r.x, r.y, r.z, self.spinning],
            MemoryRow::Normal => [self.impact, S::zero(), S::zero(), S::zero()],
        }
    }

    /// Takes over the numbers of one row.
    #[inline(always)]
    pub fn set_row(&mut self, row: MemoryRow, [x, y, z, last]: [S; 4]) {
        match row {
            MemoryRow::Sliding => (self.tangential, self.root) = ([x, y, z].into(), last),
            MemoryRow::Turning => (self.rolling, self.spinning) = ([x, y, z].into(), last),
            MemoryRow::Normal => self.impact = x,
        }
    }
}

/// Four numbers that contacts remember together, or not at all: the rows in which grains keep them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryRow {
    /// The spring of friction and the root of the overlap.
    Sliding,
    /// Rolling and spinning.
    Turning,
    /// What laws along the normal remember.
    Normal,
}

impl MemoryRow {
    /// All of them, in the order in which they are kept.
    pub const ALL: [Self; 3] = [Self::Sliding, Self::Turning, Self::Normal];

    /// The row seen from the other side of the contact.
    #[inline]
    pub fn turned_round(self, [x, y, z, last]: [f64; 4]) -> [f64; 4] {
        match self {
            Self::Sliding | Self::Turning => [-x, -y, -z, last],
            Self::Normal => [x, y, z, last],
        }
    }
}

impl CompliantModel {
    /// Whether contacts of these pairs of materials need a row.
    pub fn remembers(&self, row: MemoryRow, pairs: &[CompliantPair]) -> bool {
        match row {
            MemoryRow::Sliding => true,
            MemoryRow::Turning => {
                let (rolling, spinning) = (self.rolling.remembers(), self.spinning.remembers());
                pairs
                    .iter()
                    .any(|p| rolling && p.rolling_friction > 0.0 || spinning && p.spinning_friction > 0.0)
            }
            MemoryRow::Normal => self.damping.remembers(),
        }
    }

    /// The laws that give the numbers of a memory their meaning, each with the name of its kind. A memory is of use to
    /// another model with the same ones.
    pub fn meaning_of_memory(&self) -> [(&'static str, String); 3] {
        let kind = |law: &dyn std::fmt::Debug| -> String {
            format!("{law:?}").chars().take_while(|c| c.is_alphanumeric()).collect()
        };
        [
            ("the law of friction", kind(&self.tangential)),
            ("the law of rolling", kind(&self.rolling)),
            ("the law of spinning", kind(&self.spinning)),
        ]
    }
}

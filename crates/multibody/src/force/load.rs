//! Applied forces and torques, and drag.

use glam::DVec3;
use huygens_core::Subject;
use huygens_core::contract::{ElementBatch, FrameMotion, Layout, Slots, StateView, Weights};
use huygens_core::parameter::{BlockId, Invalidates, ItemParameters, ParameterRange, ParameterValue};
use huygens_exec::Exec;
use huygens_kernel::rotation::skew;

use crate::columns::PairColumns;
use crate::drive::Drive;
use crate::joint::Carrier;
use crate::marker::{Marker, MarkerState};
use crate::rows::{TA, Tangent, XA};
use crate::slots::for_each_item;

/// Axes in which an applied force is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoadFrame {
    /// World axes: the force keeps its direction.
    #[default]
    World,
    /// Body axes: the force follows the body.
    Body,
}

/// A force and torque on a body or another carrier.
#[derive(Clone, Debug)]
pub struct Load {
    /// Unique name.
    pub name: String,
    /// What it acts on.
    pub carrier: Carrier,
    /// Point of application in the carrier's frame [m]; material coordinates of a frame that deforms.
    pub point: DVec3,
    /// Axes in which force and torque are given.
    pub frame: LoadFrame,
    /// Force components [N].
    pub force: [Drive; 3],
    /// Torque components [N·m].
    pub torque: [Drive; 3],
}

/// Drag on a body or another carrier: $F = -(c_1 + c_2|v|)v$, $T = -(d_1 + d_2|\omega|)\omega$.
#[derive(Clone, Debug)]
pub struct Drag {
    /// Unique name.
    pub name: String,
    /// What it acts on.
    pub carrier: Carrier,
    /// Point where drag acts, in the carrier's frame [m]; material coordinates of a frame that deforms.
    pub point: DVec3,
    /// Velocity of the medium [m/s].
    pub medium_velocity: DVec3,
    /// Linear coefficient $c_1$ [N·s/m].
    pub linear: f64,
    /// Quadratic coefficient $c_2$ [N·s²/m²].
    pub quadratic: f64,
    /// Linear angular coefficient $d_1$ [N·m·s/rad].
    pub angular_linear: f64,
    /// Quadratic angular coefficient $d_2$ [N·m·s²/rad²].
    pub angular_quadratic: f64,
}

/// The law that acts on the marker.
#[derive(Clone)]
pub(crate) enum LoadLaw {
    Applied { frame: LoadFrame, force: [Drive; 3], torque: [Drive; 3] },
    Drag { medium: DVec3, linear: f64, quadratic: f64, angular_linear: f64, angular_quadratic: f64 },
}

/// A load without its law, which the batch stores in its block.
pub(crate) struct LoadItem {
    pub name: Subject,
    pub marker: Marker,
    pub columns: PairColumns,
}

/// Constant components and coefficients may change between steps.
impl ItemParameters for LoadLaw {
    const INVALIDATES: Invalidates = Invalidates::FACTORS;

    fn list(&self) -> Vec<ParameterValue> {
        let mut copy = self.clone();
        let numbers = copy.numbers().into_iter();
        numbers.map(|(name, unit, range, x)| ParameterValue::new(name, unit, range, *x)).collect()
    }

    fn set(&mut self, place: usize, value: f64) {
        if let Some((.., x)) = self.numbers().into_iter().nth(place) {
            *x = value;
        }
    }
}

impl LoadLaw {
    /// Constant parameters with names, units and ranges, in a fixed order.
    fn numbers(&mut self) -> Vec<(&'static str, &'static str, ParameterRange, &mut f64)> {
        use ParameterRange::{Finite, NotNegative};
        match self {
            LoadLaw::Applied { force, torque, .. } => {
                let names = ["force.x", "force.y", "force.z", "torque.x", "torque.y", "torque.z"];
                let drives = force.iter_mut().chain(torque).zip(names).enumerate();
                let unit = |k: usize| if k < 3 { "N" } else { "N·m" };
                drives
                    .filter_map(|(k, (drive, name))| Some((name, unit(k), Finite, drive.constant_mut()?)))
                    .collect()
            }
            LoadLaw::Drag { medium, linear, quadratic, angular_linear, angular_quadratic } => {
                let DVec3 { x, y, z } = medium;
                vec![
                    ("medium_velocity.x", "m/s", Finite, x),
                    ("medium_velocity.y", "m/s", Finite, y),
                    ("medium_velocity.z", "m/s", Finite, z),
                    ("linear", "N·s/m", NotNegative, linear),
                    ("quadratic", "N·s²/m²", NotNegative, quadratic),
                    ("angular_linear", "N·m·s/rad", NotNegative, angular_linear),
                    ("angular_quadratic", "N·m·s²/rad²", NotNegative, angular_quadratic),
                ]
            }
        }
    }
}

/// All loads; every item touches one carrier.
#[derive(Default)]
pub(crate) struct LoadBatch {
    pub items: Vec<LoadItem>,
    /// Laws of the items.
    pub laws: BlockId,
}

fn components(drives: &[Drive; 3], x: &StateView<'_>) -> DVec3 {
    DVec3::new(drives[0].value(x), drives[1].value(x), drives[2].value(x))
}

impl LoadLaw {
    /// Force and torque at the marker's point, world axes.
    fn wrench(&self, m: &MarkerState<'_>, x: &StateView<'_>) -> (DVec3, DVec3) {
        match self {
            LoadLaw::Applied { frame, force, torque } => {
                let (f, t) = (components(force, x), components(torque, x));
                match frame {
                    LoadFrame::World => (f, t),
                    LoadFrame::Body => (m.axes * f, m.axes * t),
                }
            }
            LoadLaw::Drag { medium, linear, quadratic, angular_linear, angular_quadratic } => {
                let v = m.velocity - *medium;
                let f = -v * (linear + quadratic * v.length());
                (f, -m.omega * (angular_linear + angular_quadratic * m.omega.length()))
            }
        }
    }

    fn tangent(&self, m: &MarkerState<'_>, x: &StateView<'_>, w: &Weights) -> (Tangent, DVec3) {
        let mut t = [[glam::DMat3::ZERO; 4]; 4];
        let (f, torque) = self.wrench(m, x);
        match self {
            LoadLaw::Applied { frame: LoadFrame::World, .. } => {
                t[TA][TA] -= huygens_kernel::rotation::skew_skew(f, m.arm) * w.stiffness;
            }
            // In body axes the generalized torque is constant and only the force turns.
            LoadLaw::Applied { frame: LoadFrame::Body, .. } => {
                t[XA][TA] += skew(f) * w.stiffness;
                t[TA][TA] += skew(torque + m.arm.cross(f)) * w.stiffness;
            }
            LoadLaw::Drag { medium, linear, quadratic, angular_linear, angular_quadratic } => {
                let part = |v: DVec3, c1: f64, c2: f64| {
                    let speed = v.length();
                    let along = if speed > 0.0 { v / speed } else { DVec3::ZERO };
                    let outer = glam::DMat3::from_cols(along * v.x, along * v.y, along * v.z);
                    glam::DMat3::IDENTITY * (c1 + c2 * speed) + outer * c2
                };
                let d = part(m.velocity - *medium, *linear, *quadratic) * w.damping;
                let r = skew(m.arm);
                t[XA][XA] += d;
                t[XA][TA] -= d * r;
                t[TA][XA] += r * d;
                t[TA][TA] -= r * d * r;
                t[TA][TA] += part(m.omega, *angular_linear, *angular_quadratic) * w.damping;
                // The force keeps its direction while its arm turns.
                t[TA][TA] -= huygens_kernel::rotation::skew_skew(f, m.arm) * w.stiffness;
            }
        }
        (t, -(torque + m.arm.cross(f)) * w.stiffness)
    }
}

impl ElementBatch for LoadBatch {
    fn does_work(&self, x: &StateView<'_>) -> bool {
        let drives = |law: &LoadLaw| match law {
            LoadLaw::Applied { .. } => true,
            LoadLaw::Drag { medium, .. } => *medium != DVec3::ZERO,
        };
        x.parameters.values::<LoadLaw>(self.laws).iter().any(drives)
    }

    fn layout(&self) -> Layout {
        let mut layout = Layout::default();
        self.items.iter().for_each(|item| layout.push(&item.columns.blocks(), 0));
        layout
    }

    fn item_name(&self, item: usize) -> Subject {
        self.items[item].name.clone()
    }

    fn evaluate(
        &self,
        ex: &Exec,
        x: &StateView<'_>,
        _history: &[f64],
        slots: &Slots,
        values: &mut [f64],
        tangent: Option<(&Weights, &mut [f64])>,
    ) {
        let ground = huygens_core::contract::Frame::GROUND;
        debug_assert_eq!(ground.motion, FrameMotion::Prescribed);
        let laws = x.parameters.values::<LoadLaw>(self.laws);
        for_each_item(ex, &slots.values, values, |i, slot| {
            let item = &self.items[i];
            let m = item.marker.at(x);
            let (force, torque) = laws[i].wrench(&m, x);
            let w = [force, torque + m.arm.cross(force), DVec3::ZERO, DVec3::ZERO];
            item.columns.store_row(x, m.carrier, &ground, &w, slot);
        });
        let Some((w, tangents)) = tangent else { return };
        for_each_item(ex, &slots.tangents, tangents, |i, slot| {
            let item = &self.items[i];
            let m = item.marker.at(x);
            let (t, torque) = laws[i].tangent(&m, x, w);
            item.columns.store_tangent(x, [m.carrier, &ground], &t, [torque, DVec3::ZERO], 1.0, slot);
        });
    }
}

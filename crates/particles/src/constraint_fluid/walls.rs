//! Walls and bodies as markers that move with frames of the model.

use std::collections::BTreeMap;

use huygens_core::contract::{FrameMotion, StateView};
use huygens_core::rows::RowStep;
use huygens_kernel::sph::Smoothing;
use huygens_kernel::{Mat3, Vec3};

use super::settings::ConstraintFluidSettings;
use crate::sph::FlowSpace;

/// What carries the markers of a wall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WallCarrier {
    /// The world: they stay where they are.
    #[default]
    World,
    /// A body, by its index in the arena of bodies; [`ConstraintFluid`](super::ConstraintFluid) as a part of a model
    /// finds its frame.
    Body(usize),
    /// A piece of the contact surface of a structure: the number of the structure, and of the piece.
    Piece(usize, u32),
    /// A frame of the model: a body, a body with a prescribed motion, a point of a flexible part.
    Frame(u32),
}

/// Markers of a wall or body.
#[derive(Clone, Debug, PartialEq)]
pub struct FluidWall {
    /// What it is called in messages.
    pub name: String,
    /// Its markers [m], in the frame that carries them.
    pub points: Vec<Vec3>,
    /// What carries them.
    pub carrier: WallCarrier,
}

/// How a wall moves in a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Carriage {
    /// Columns, and velocity and angular velocity per unit of each; mostly vectors with three columns each.
    columns: Vec<usize>,
    twists: Vec<[Vec3; 2]>,
    origin: Vec3,
    axes: Mat3,
    /// Velocity and angular velocity that no column controls.
    driven: [Vec3; 2],
    /// 1 along the axes of the flow: a flow in a plane turns nothing out of it, wherever a body is along its normal.
    flow: Vec3,
}

impl Carriage {
    /// A wall in a space or plane.
    pub fn new(space: FlowSpace) -> Self {
        let flow = space.normal().map_or(Vec3::ONE, |normal| Vec3::ONE - Vec3::AXES[normal]);
        Self { flow, ..Self::default() }
    }

    pub fn read(&mut self, carrier: WallCarrier, x: &StateView<'_>, step: &RowStep<'_>) {
        self.columns.clear();
        self.twists.clear();
        (self.origin, self.axes, self.driven) = (Vec3::ZERO, Mat3::IDENTITY, [Vec3::ZERO; 2]);
        let WallCarrier::Frame(index) = carrier else { return };
        let frame = &x.frames[index as usize];
        (self.origin, self.axes) = (frame.origin, frame.axes);
        match frame.motion {
            FrameMotion::Prescribed => {}
            FrameMotion::Rigid | FrameMotion::Point { .. } => {
                let first = step.columns[frame.block as usize];
                self.columns.extend(first..first + 3);
                self.twists.extend(Vec3::AXES.map(|axis| [axis, Vec3::ZERO]));
                if frame.motion == FrameMotion::Rigid {
                    let turn = if step.is_turned(frame.block) { Mat3::IDENTITY } else { frame.axes };
                    self.columns.extend(first + 3..first + 6);
                    self.twists.extend([0, 1, 2].map(|k| [Vec3::ZERO, turn.col(k)]));
                }
            }
            FrameMotion::Carried | FrameMotion::Deforming => {
                let (columns, twists) = x.twists.row(index);
                self.columns.extend(columns.iter().map(|c| *c as usize));
                self.twists.extend(twists.iter().map(|t| [t.velocity, t.omega]));
            }
        }
        if self.columns.is_empty() {
            self.driven = [frame.velocity, frame.omega];
        }
    }

    pub fn place(&self, local: Vec3) -> Vec3 {
        self.origin + self.axes * local
    }

    /// Velocity and angular velocity that the columns `v` give.
    pub fn twist(&self, v: &[f64]) -> [Vec3; 2] {
        let mut sum = [Vec3::ZERO; 2];
        for (columns, twists) in self.columns.chunks(3).zip(self.twists.chunks(3)) {
            let mut part = [Vec3::ZERO; 2];
            for (&column, twist) in columns.iter().zip(twists) {
                (0..2).for_each(|k| part[k] += twist[k] * v[column]);
            }
            (0..2).for_each(|k| sum[k] += part[k]);
        }
        sum
    }

    pub fn driven(&self) -> [Vec3; 2] {
        self.driven
    }

    pub fn is_free(&self) -> bool {
        !self.columns.is_empty()
    }

    /// From the origin to a marker, world axes, along the flow.
    pub fn arm(&self, local: Vec3) -> Vec3 {
        self.flow * (self.axes * local)
    }

    /// Adds a force and a torque about the origin to the columns.
    pub fn push(&self, [force, torque]: [Vec3; 2], f: &mut [f64]) {
        for (&column, twist) in self.columns.iter().zip(&self.twists) {
            f[column] += twist[0].dot(force) + twist[1].dot(torque);
        }
    }
}

/// $\sum W$ of each wall marker over those of its own wall, itself included; all walls of the world count as one.
pub(super) fn own_sums(settings: &ConstraintFluidSettings, walls: &[FluidWall]) -> Vec<f64> {
    let mut sums = Vec::new();
    let world = |wall: &FluidWall| wall.carrier == WallCarrier::World;
    let all: Vec<Vec3> =
        walls.iter().filter(|w| world(w)).flat_map(|w| images(settings, &w.points)).collect();
    let around = Neighbourhood::new(settings, &all);
    for wall in walls {
        let own = (!world(wall)).then(|| Neighbourhood::new(settings, &wall.points));
        let around = own.as_ref().unwrap_or(&around);
        sums.extend(wall.points.iter().map(|point| around.sum(settings, *point, world(wall))));
    }
    sums
}

/// Points and their images in a periodic box.
fn images(settings: &ConstraintFluidSettings, points: &[Vec3]) -> Vec<Vec3> {
    let mut all = points.to_vec();
    for (k, period) in settings.periodic.iter().enumerate() {
        let Some([low, length]) = period else { continue };
        let reach = settings.reach();
        for point in &mut all {
            point[k] -= length * ((point[k] - low) / length).floor();
        }
        for i in 0..all.len() {
            for (near, shift) in
                [(all[i][k] - low < reach, *length), (low + length - all[i][k] < reach, -length)]
            {
                if near {
                    let mut image = all[i];
                    image[k] += shift;
                    all.push(image);
                }
            }
        }
    }
    all
}

/// Points by cells as long as the cutoff.
struct Neighbourhood(BTreeMap<[i64; 3], Vec<Vec3>>);

fn cell(settings: &ConstraintFluidSettings, point: Vec3) -> [i64; 3] {
    (point / settings.reach()).floor().to_array().map(|x| x as i64)
}

impl Neighbourhood {
    fn new(settings: &ConstraintFluidSettings, points: &[Vec3]) -> Self {
        let mut cells: BTreeMap<[i64; 3], Vec<Vec3>> = BTreeMap::new();
        points.iter().for_each(|p| cells.entry(cell(settings, *p)).or_default().push(*p));
        Self(cells)
    }

    fn sum(&self, settings: &ConstraintFluidSettings, mut point: Vec3, wrapped: bool) -> f64 {
        let kernel = settings.smoothing();
        for (k, period) in settings.periodic.iter().enumerate().filter(|_| wrapped) {
            if let Some([low, length]) = period {
                point[k] -= length * ((point[k] - low) / length).floor();
            }
        }
        let [x, y, z] = cell(settings, point);
        let mut sum = 0.0;
        for n in 0..27 {
            let near = [x + n % 3 - 1, y + n / 3 % 3 - 1, z + n / 9 - 1];
            let others = self.0.get(&near).into_iter().flatten();
            sum += others.map(|other| kernel.value(point.distance(*other))).sum::<f64>();
        }
        sum
    }
}

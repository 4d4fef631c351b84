//! Places a sub-assembly in the world: everything it gives in world coordinates is turned and moved.

use std::collections::BTreeSet;

use glam::{DMat3, DQuat, DVec3};

use crate::{FrameSpec, GROUND, KeyPath, Rotation, Texts, orientation};

/// How far an axis may be turned out of an axis of the world and still count as lying along it.
const ROUNDING: f64 = 1e-12;

/// A placement: first turned, then moved [m].
#[derive(Clone, Debug)]
pub struct Placement {
    /// Where the origin goes [m].
    pub position: DVec3,
    /// How everything is turned about the origin.
    pub rotation: DQuat,
    /// Names of objects that carry nothing, whose points are points of the world.
    resting: BTreeSet<String>,
}

impl Placement {
    /// Turns by `rotation`, then moves by `position` [m].
    pub fn new(position: DVec3, rotation: DQuat) -> Self {
        Self { position, rotation, resting: BTreeSet::new() }
    }

    /// The same with the names of objects whose points are points of the world, besides the ground.
    #[must_use]
    pub fn with_resting(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.resting.extend(names);
        self
    }

    /// Whether everything stays where it is.
    pub fn is_identity(&self) -> bool {
        self.position == DVec3::ZERO && self.rotation == DQuat::IDENTITY
    }

    /// Whether one of the objects named here carries what belongs to it: all but the ground and what rests.
    pub fn is_carried(&self, by: &impl Texts) -> bool {
        let mut carried = false;
        by.each(&KeyPath::OBJECT, &mut |_, name| {
            let owner = name.split_once('/').map_or(name, |(owner, _)| owner);
            carried |= name != GROUND && !self.resting.contains(owner);
        });
        carried
    }

    /// Moves a point [m].
    pub fn point(&self, p: &mut [f64; 3]) {
        *p = (self.position + self.rotation * DVec3::from_array(*p)).to_array();
    }

    /// Turns a vector.
    pub fn vector(&self, v: &mut [f64; 3]) {
        *v = (self.rotation * DVec3::from_array(*v)).to_array();
    }

    /// An orientation, turned.
    pub fn turned(&self, q: DQuat) -> Rotation {
        Rotation((self.rotation * q).normalize())
    }

    /// Turns an orientation; one that is absent is that of the world.
    pub fn rotation_or_world(&self, rotation: &mut Option<Rotation>) {
        *rotation = Some(self.turned(rotation.map_or(DQuat::IDENTITY, |r| r.0)));
    }

    /// Turns an orientation that is given by a rotation or by the direction of the z axis. An axis becomes a rotation,
    /// because its x and y directions must turn with it. Wrong axes are left as they are and reported where the object
    /// is built.
    pub fn orient(&self, rotation: &mut Option<Rotation>, axis: &mut Option<[f64; 3]>) {
        if let Ok(q) = orientation(*rotation, *axis) {
            (*rotation, *axis) = (Some(self.turned(q)), None);
        }
    }

    /// Turns and moves a frame in the world.
    pub fn frame(&self, frame: &mut FrameSpec) {
        self.point(&mut frame.position);
        self.orient(&mut frame.rotation, &mut frame.axis);
    }

    /// Turns and moves a frame in the world; one that is absent is that of the world.
    pub fn frame_or_world(&self, frame: &mut Option<FrameSpec>) {
        self.frame(frame.get_or_insert_default());
    }

    /// Where the axes of the world are turned to, if that is along axes of the world again: to which one, and whether
    /// it points the other way.
    pub fn quarter_turn(&self) -> Option<[(usize, bool); 3]> {
        let mut to = [(0, false); 3];
        for (k, to) in to.iter_mut().enumerate() {
            let turned = self.rotation * DVec3::AXES[k];
            let along = (0..3).find(|i| turned[*i].abs() > 1.0 - ROUNDING)?;
            *to = (along, turned[along] < 0.0);
        }
        Some(to)
    }

    /// A box that moves with its middle. Quarter turns turn its sides; after other turns they have the lengths along
    /// the axes of the world that they had, or, where `around`, so long ones that the turned box is inside.
    pub fn moved_box(&self, low: &mut [f64; 3], high: &mut [f64; 3], around: bool) {
        let (from, to) = (DVec3::from_array(*low), DVec3::from_array(*high));
        let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
        let middle = self.position + self.rotation * middle;
        let half = match self.quarter_turn() {
            Some(turned) => {
                let mut sides = DVec3::ZERO;
                turned.iter().enumerate().for_each(|(k, (along, _))| sides[*along] = half[k]);
                sides
            }
            None if around => DMat3::from_quat(self.rotation).abs() * half,
            None => half,
        };
        (*low, *high) = ((middle - half).to_array(), (middle + half).to_array());
    }
}

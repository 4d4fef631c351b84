//! Where items are at every chosen frame.

use glam::{DQuat, DVec3, Quat, Vec3};
use huygens_record::recording::{Frame, Stage};

use crate::error::RenderError;
use crate::shapes::{Poses, Selection, field};

/// The way of one item through time.
#[derive(Clone, Debug, Default)]
pub(super) struct Track {
    pub group: usize,
    pub item: usize,
    pub positions: Vec<Vec3>,
    pub rotations: Vec<Quat>,
    /// 1, or the radius of a ball; 0 while the item is not there.
    pub scales: Vec<f32>,
}

impl Track {
    /// An item that was not there in the first `late` frames.
    pub fn new(group: usize, item: usize, late: usize) -> Self {
        let (positions, rotations) = (vec![Vec3::ZERO; late], vec![Quat::IDENTITY; late]);
        Self { group, item, positions, rotations, scales: vec![0.0; late] }
    }

    /// Adds the pose at the next frame.
    pub fn push(&mut self, pose: Option<(DVec3, DQuat)>, scale: f32) {
        let last = self.rotations.last().copied().unwrap_or(Quat::IDENTITY);
        match pose {
            Some((position, rotation)) => {
                let rotation = rotation.as_quat();
                // q and −q are the same rotation: players blend the short way if neighbours agree in sign.
                let rotation = if rotation.dot(last) < 0.0 { -rotation } else { rotation };
                let position = position.as_vec3();
                if self.scales.iter().all(|s| *s == 0.0) {
                    // It appears where it starts, not at the origin.
                    self.positions.fill(position);
                    self.rotations.fill(rotation);
                }
                self.positions.push(position);
                self.rotations.push(rotation);
                self.scales.push(scale);
            }
            None => {
                self.positions.push(self.positions.last().copied().unwrap_or(Vec3::ZERO));
                self.rotations.push(last);
                self.scales.push(0.0);
            }
        }
    }

    /// Whether the item is ever there.
    pub fn appears(&self) -> bool {
        self.scales.iter().any(|s| *s != 0.0)
    }

    pub fn moves(&self) -> bool {
        self.positions.iter().any(|p| *p != self.positions[0])
    }

    pub fn turns(&self) -> bool {
        self.rotations.iter().any(|r| *r != self.rotations[0])
    }

    pub fn grows(&self) -> bool {
        self.scales.iter().any(|s| *s != self.scales[0])
    }
}

/// Tracks of the items of one group.
pub(super) struct GroupTracks {
    pub group: usize,
    /// Whether items are balls of their own radius; otherwise `tracks` are those of shapes.
    pub balls: bool,
    pub tracks: Vec<Track>,
    /// Items that have been there so far.
    known: usize,
    frames: usize,
}

impl GroupTracks {
    /// Tracks of some items, or of all balls of a group where none are given.
    pub fn new(group: usize, items: Option<Vec<usize>>) -> Self {
        let balls = items.is_none();
        let tracks = items.unwrap_or_default().into_iter().map(|item| Track::new(group, item, 0)).collect();
        Self { group, balls, tracks, known: 0, frames: 0 }
    }

    /// Adds the next frame; balls that appear are taken in where they are drawn.
    pub fn push(
        &mut self,
        stage: &Stage,
        frame: &Frame,
        selection: &Selection<'_>,
    ) -> Result<(), RenderError> {
        let poses = Poses::new(stage, frame, self.group)?;
        if self.balls {
            let owner = &stage.groups[self.group];
            let new = (self.known..poses.count).filter(|item| selection.draws(owner, *item));
            self.tracks.extend(new.map(|item| Track::new(self.group, item, self.frames)));
            self.known = self.known.max(poses.count);
        }
        let radii = field(stage, frame, self.group, "radius").filter(|r| self.balls && r.components == 1);
        for track in &mut self.tracks {
            let pose = poses.find(track.item)?;
            // Grains of unknown size are not drawn.
            let scale = radii.map_or(1.0, |radii| {
                Some(radii.number(track.item, 0)).filter(|r| r.is_finite()).unwrap_or(0.0)
            });
            track.push(pose, scale);
        }
        self.frames += 1;
        Ok(())
    }
}

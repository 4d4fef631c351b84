//! A fluid as it is put together: solids as markers, and fills that keep off them and off one another.

use huygens_geometry::Pose;
use huygens_kernel::Vec3;

use super::markers::{MAX_MARKERS, MarkerLayout};
use super::solid::SolidMotion;
use super::start::FluidFill;
use super::system::FluidSystem;
use crate::error::{ParticleError, Result};

/// A wall, body or structure that is to be put into a fluid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SolidDraft {
    /// Its name.
    pub name: String,
    /// Markers of each part [m], in axes of the part.
    pub parts: Vec<Vec<Vec3>>,
    /// Points that take room from fills besides the markers [m], in the axes of its first part.
    pub room: Vec<Vec3>,
    /// Whether fluid slides along it without friction.
    pub slip: bool,
    /// Whether it is a wall, which fills must keep off; others take their room from fills.
    pub is_wall: bool,
    /// Where its parts are when the fluid is made.
    pub starts: Vec<Pose>,
    /// Number of its first part among the solids of the fluid.
    pub first: usize,
}

impl SolidDraft {
    /// Notes where its parts are; in a flow in a plane markers are put into it.
    pub fn settle(&mut self, layout: &MarkerLayout, motions: &[SolidMotion]) {
        self.starts = motions.iter().map(SolidMotion::pose).collect();
        for (part, start) in self.parts.iter_mut().zip(&self.starts) {
            layout.flatten(start, part.iter_mut().chain(&mut self.room));
        }
    }

    /// Its markers, where they are when the fluid is made [m].
    pub fn markers(&self) -> Vec<Vec3> {
        self.placed(&[]).collect()
    }

    /// Markers and more points of each part, where they are when the fluid is made [m].
    fn placed<'a>(&'a self, more: &'a [Vec3]) -> impl Iterator<Item = Vec3> + 'a {
        let parts = self.parts.iter().zip(&self.starts);
        parts.flat_map(move |(part, pose)| part.iter().chain(more).map(|p| pose.point(*p)))
    }
}

/// Fills of a fluid, one after another.
#[derive(Clone, Debug)]
pub struct FillPlan<'a> {
    layout: &'a MarkerLayout,
    walls: Vec<Vec3>,
    others: Vec<Vec3>,
    fills: Vec<FluidFill>,
    count: usize,
}

impl<'a> FillPlan<'a> {
    /// A plan without fills, of solids that are settled.
    pub fn new<'s>(layout: &'a MarkerLayout, solids: impl IntoIterator<Item = &'s SolidDraft>) -> Self {
        let (mut walls, mut others) = (Vec::new(), Vec::new());
        for solid in solids {
            let list = if solid.is_wall { &mut walls } else { &mut others };
            list.extend(solid.placed(&solid.room));
        }
        let count = walls.len() + others.len();
        Self { layout, walls, others, fills: Vec::new(), count }
    }

    /// Adds a fill less what bodies and structures take; walls take their room from it with `carve`, and are kept off by
    /// others. Refuses fills that overlap, and more particles and markers than there may be.
    pub fn add(&mut self, mut fill: FluidFill, carve: bool) -> Result<()> {
        let layout = self.layout;
        fill.points = layout.without(fill.points, &self.others);
        match carve {
            true => fill.points = layout.without(fill.points, &self.walls),
            false => layout.check_apart(&fill.points, &self.walls)?,
        }
        for before in &self.fills {
            layout.check_apart(&fill.points, &before.points).map_err(|e| match e {
                ParticleError::FluidOverlap { count, at, .. } => ParticleError::FillOverlap { count, at },
                other => other,
            })?;
        }
        self.count += fill.points.len();
        if self.count > MAX_MARKERS {
            return Err(ParticleError::TooMany { count: self.count, limit: MAX_MARKERS });
        }
        self.fills.push(fill);
        Ok(())
    }

    /// The fills.
    pub fn into_fills(self) -> Vec<FluidFill> {
        self.fills
    }
}

impl FluidSystem {
    /// Puts a solid that is settled into the fluid, with its motions at the start.
    pub fn add_draft(&mut self, solid: &mut SolidDraft, motions: &[SolidMotion]) -> Result<()> {
        let mut first = None;
        for (points, motion) in solid.parts.iter().zip(motions) {
            let id = self.add_solid(&solid.name, points, *motion, solid.slip)?;
            first.get_or_insert(id.0);
        }
        solid.first = first.unwrap_or_default();
        Ok(())
    }
}

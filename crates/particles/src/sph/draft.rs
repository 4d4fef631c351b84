//! A fluid as it is put together: solids as markers, and fills that keep off them and off one another.

use huygens_geometry::{Pose, Shape};
use huygens_kernel::Vec3;

use super::markers::{MAX_MARKERS, MarkerLayout};
use super::solid::SolidMotion;
use super::start::FluidFill;
use super::system::FluidSystem;
use crate::error::{ParticleError, Result};

/// A wall, body or structure that is to be put into a fluid.
#[derive(Clone, Debug, Default)]
pub struct SolidDraft {
    /// Its name.
    pub name: String,
    /// Markers of each part [m], in axes of the part.
    pub parts: Vec<Vec<Vec3>>,
    /// Shapes that it fills and that take their volume from fills, in the axes of its first part; none where only markers
    /// are known.
    pub shapes: Vec<(Pose, Shape)>,
    /// Whether fluid slides along it without friction.
    pub slip: bool,
    /// Velocity of its surface [m/s] while it stays where it is, in the axes of its parts.
    pub belt: Vec3,
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
            layout.flatten(start, part);
        }
    }

    /// Its markers, where they are when the fluid is made [m].
    pub fn markers(&self) -> Vec<Vec3> {
        let parts = self.parts.iter().zip(&self.starts);
        parts.flat_map(|(part, pose)| part.iter().map(|p| pose.point(*p))).collect()
    }

    /// The shapes it fills, where they are when the fluid is made.
    fn placed_shapes(&self) -> impl Iterator<Item = (Pose, Shape)> + '_ {
        let start = self.starts.first().copied().unwrap_or(Pose::IDENTITY);
        self.shapes.iter().map(move |(pose, shape)| (start * *pose, shape.clone()))
    }
}

/// Solids of one kind, where they are when the fluid is made.
#[derive(Clone, Debug, Default)]
struct Placed {
    /// Markers of those that fill shapes, and the shapes.
    markers: Vec<Vec3>,
    shapes: Vec<(Pose, Shape)>,
    /// Markers of the others.
    surfaces: Vec<Vec3>,
}

impl Placed {
    fn add(&mut self, solid: &SolidDraft) {
        let list = if solid.shapes.is_empty() { &mut self.surfaces } else { &mut self.markers };
        list.extend(solid.markers());
        self.shapes.extend(solid.placed_shapes());
    }
}

/// Fills of a fluid, one after another.
#[derive(Clone, Debug)]
pub struct FillPlan<'a> {
    layout: &'a MarkerLayout,
    walls: Placed,
    bodies: Placed,
    /// Whether walls take room from a fill.
    carved: bool,
    fills: Vec<FluidFill>,
    count: usize,
}

impl<'a> FillPlan<'a> {
    /// A plan without fills, of solids that are settled.
    pub fn new<'s>(layout: &'a MarkerLayout, solids: impl IntoIterator<Item = &'s SolidDraft>) -> Self {
        let (mut walls, mut bodies) = (Placed::default(), Placed::default());
        for solid in solids {
            if solid.is_wall { &mut walls } else { &mut bodies }.add(solid);
        }
        let of = |placed: &Placed| placed.markers.len() + placed.surfaces.len();
        let count = of(&walls) + of(&bodies);
        Self { layout, walls, bodies, carved: false, fills: Vec::new(), count }
    }

    /// Adds a fill less what bodies and structures take; walls take their room from it with `carve`, and are kept off by
    /// others. Refuses fills that overlap, and more particles and markers than there may be.
    pub fn add(&mut self, mut fill: FluidFill, carve: bool) -> Result<()> {
        let (layout, Self { walls, bodies, .. }) = (self.layout, &*self);
        let mut shapes = bodies.shapes.clone();
        if carve {
            shapes.extend(walls.shapes.iter().cloned());
            fill.points = layout.without(fill.points, &walls.surfaces);
        }
        fill.points = layout.without_shapes(fill.points, &shapes);
        fill.points = layout.without_cells(fill.points, &bodies.surfaces);
        if !carve {
            layout.check_apart(&fill.points, &walls.surfaces)?;
            layout.check_apart(&fill.points, &walls.markers)?;
            layout.check_outside(&fill.points, &walls.shapes)?;
        }
        self.carved |= carve;
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

    /// The fills, their particles at a distance from bodies.
    pub fn into_fills(self) -> Vec<FluidFill> {
        let Self { layout, walls, bodies, carved, mut fills, .. } = self;
        let (mut near, mut far) = ([bodies.markers, bodies.surfaces].concat(), walls.surfaces);
        if carved { &mut near } else { &mut far }.extend(walls.markers);
        let mut points: Vec<&mut Vec<Vec3>> = fills.iter_mut().map(|fill| &mut fill.points).collect();
        layout.spread(&mut points, &near, &far);
        fills
    }
}

impl FluidSystem {
    /// Puts a solid that is settled into the fluid, with its motions at the start.
    pub fn add_draft(&mut self, solid: &mut SolidDraft, motions: &[SolidMotion]) -> Result<()> {
        let mut first = None;
        for (points, motion) in solid.parts.iter().zip(motions) {
            let id = self.add_solid(&solid.name, points, *motion, solid.slip)?;
            self.set_belt(id, solid.belt)?;
            first.get_or_insert(id.0);
        }
        solid.first = first.unwrap_or_default();
        Ok(())
    }
}

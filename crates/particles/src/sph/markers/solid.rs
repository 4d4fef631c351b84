//! Markers of whole walls and bodies: which layers a shape needs, how its axes lie in a plane, and how many cells it takes.

use std::sync::Arc;

use huygens_geometry::{HeightField, Pose, Shape, TriangleMesh};
use huygens_kernel::{Quat, Vec3};
use huygens_spec::{WallFace, WallSide};

use super::MarkerLayout;
use crate::error::{ParticleError, Result};
use crate::sph::settings::FlowSpace;
use crate::walls::mesh::WallMesh;

/// Most particles and markers of a fluid, and most cells that are gone through to lay the markers of one shape.
pub const MAX_MARKERS: usize = huygens_spec::MAX_FLUID;

/// A wall of a fluid, in axes of its own.
#[derive(Clone, Copy, Debug)]
pub enum WallForm<'a> {
    /// A box between two corners: a tank with faces that may be open, or a block.
    Box {
        /// Least coordinates [m].
        low: Vec3,
        /// Greatest coordinates [m].
        high: Vec3,
        /// Faces of a tank that are left out.
        open: &'a [WallFace],
        /// Where the fluid is.
        side: WallSide,
    },
    /// A rectangle about the origin in the plane of x and y, with the fluid above it.
    Plane {
        /// Lengths of its sides [m].
        size: [f64; 2],
    },
    /// A cylinder about the z axis, the origin in its middle.
    Cylinder {
        /// Radius [m].
        radius: f64,
        /// Length [m].
        length: f64,
        /// Where the fluid is.
        side: WallSide,
        /// Whether the ends at lower and upper z are closed.
        closed: [bool; 2],
    },
    /// A ball about the origin.
    Sphere {
        /// Radius [m].
        radius: f64,
    },
    /// Triangles.
    Mesh {
        /// The triangles.
        mesh: &'a Arc<TriangleMesh>,
        /// Where the fluid is.
        side: WallSide,
    },
    /// Ground over the plane of x and y.
    HeightField(&'a HeightField),
}

/// Markers of a solid [m].
#[derive(Clone, Debug, Default)]
pub struct SolidMarkers {
    /// The markers.
    pub points: Vec<Vec3>,
    /// Shapes that it fills, with their poses: they take their volume from fills. None where only its surface is known.
    pub shapes: Vec<(Pose, Shape)>,
}

impl SolidMarkers {
    /// The same in axes in which those of now have a pose.
    pub fn at(self, pose: &Pose) -> Self {
        let points = self.points.into_iter().map(|p| pose.point(p)).collect();
        Self { points, shapes: self.shapes.into_iter().map(|(own, shape)| (*pose * own, shape)).collect() }
    }
}

/// Length of the sides of the box about points [m].
fn extent_of(points: &[Vec3]) -> Vec3 {
    let (low, high) =
        points.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(l, h), p| (l.min(*p), h.max(*p)));
    high - low
}

impl WallMesh {
    /// The triangles of a mesh at a pose.
    pub fn of(mesh: &TriangleMesh, pose: &Pose) -> Result<Self> {
        let points = mesh.vertices().iter().map(|x| pose.position + pose.rotation * *x).collect();
        Self::new(points, mesh.triangles().to_vec())
    }

    /// The triangles of a height field.
    pub fn of_ground(field: &HeightField) -> Result<Self> {
        let count = field.triangle_count() as u32;
        let points = (0..count).flat_map(|t| field.triangle_corners(t)).collect();
        Self::new(points, (0..count).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect())
    }

    /// Length of the sides of the box about it [m].
    pub fn sides(&self) -> Vec3 {
        extent_of(self.points())
    }
}

impl MarkerLayout {
    /// Refuses boxes of sides `extent` [m] that have more cells than there may be.
    pub fn check_cells(&self, extent: Vec3) -> Result<()> {
        let cells = |k: usize| extent[k] / self.spacing + 2.0 * self.layers as f64;
        self.limit("it takes", (0..3).filter(|k| self.space.normal() != Some(*k)).map(cells).product())
    }

    /// Number of cells of a box with these sides [m].
    pub fn cell_count(&self, sides: Vec3) -> f64 {
        (0..3).filter(|k| self.space.normal() != Some(*k)).map(|k| sides[k] / self.spacing).product()
    }

    /// Refuses more cells than there may be; `what` says who takes them.
    fn limit(&self, what: &'static str, count: f64) -> Result<()> {
        let (spacing, limit) = (self.spacing, MAX_MARKERS);
        match count <= limit as f64 {
            true => Ok(()),
            false => Err(ParticleError::FluidCells { what, count, spacing, limit }),
        }
    }

    /// Refuses lines, as pieces with their axes along z, that have more cells than there may be.
    pub fn check_pieces(&self, pieces: &[Shape]) -> Result<()> {
        let across = if self.space.normal().is_some() { 1 } else { 2 };
        let cells = |shape: &Shape| {
            let extent = shape.aabb(&Pose::IDENTITY).extent() / self.spacing;
            (1.0 + extent.z) * (1.0 + extent.x).powi(across)
        };
        self.limit("its lines take", pieces.iter().map(cells).sum())
    }

    /// Refuses tanks and blocks with more markers than there may be.
    fn check_tank(&self, extent: Vec3, side: WallSide) -> Result<()> {
        if side == WallSide::Outside || self.space.normal().is_some() {
            return self.check_cells(extent);
        }
        let cells = |more: f64| (0..3).map(|k| extent[k] / self.spacing + more).product::<f64>();
        let count = cells(2.0 * self.layers as f64) - cells(0.0);
        match count <= MAX_MARKERS as f64 {
            true => Ok(()),
            false => Err(ParticleError::FluidMarkers { count, limit: MAX_MARKERS }),
        }
    }

    /// The layout as axes see it that are turned so in those of the layout; in a plane one of them must be along its
    /// normal.
    pub fn turned(&self, rotation: Quat) -> Result<Self> {
        let Some(normal) = self.space.normal() else { return Ok(*self) };
        let own = rotation.inverse() * Vec3::AXES[normal];
        match (0..3).find(|k| own[*k].abs() > 1.0 - 1e-9) {
            Some(normal) => Ok(Self { space: FlowSpace::Plane { normal }, ..*self }),
            None => Err(ParticleError::FluidAxes),
        }
    }

    /// Markers that fill a shape whose axes are turned so.
    pub fn filled_shape(&self, shape: &Shape, rotation: Quat) -> Result<SolidMarkers> {
        if let Shape::Compound(parts) = shape {
            return self.body_markers(parts, rotation);
        }
        if !matches!(shape, Shape::HalfSpace | Shape::HeightField(_)) {
            self.check_cells(shape.aabb(&Pose::IDENTITY).extent())?;
        }
        // A ball has no axes of its own.
        let (layout, back) = match (shape, self.space.normal()) {
            (Shape::Sphere { .. }, Some(_)) => (*self, rotation.inverse()),
            _ => (self.turned(rotation)?, Quat::IDENTITY),
        };
        let points = layout.solid_shape(shape)?.into_iter().map(|p| back * p).collect();
        Ok(SolidMarkers { points, shapes: vec![(Pose::IDENTITY, shape.clone())] })
    }

    /// Markers of a body of several shapes, in the frame of the body, whose axes are turned so.
    pub fn body_markers(&self, shapes: &[(Pose, Shape)], rotation: Quat) -> Result<SolidMarkers> {
        let mut all = SolidMarkers::default();
        for (pose, shape) in shapes {
            let made = self.filled_shape(shape, rotation * pose.rotation)?.at(pose);
            all.points.extend(self.without(made.points, &all.points));
            all.shapes.extend(made.shapes);
        }
        Ok(all)
    }

    /// Markers of a wall at a pose.
    pub fn wall_markers(&self, wall: &WallForm<'_>, pose: &Pose) -> Result<SolidMarkers> {
        let only = |points| SolidMarkers { points, shapes: Vec::new() };
        let z = pose.rotation * Vec3::Z;
        Ok(match *wall {
            WallForm::Box { low, high, open, side } => {
                self.check_tank(high - low, side)?;
                match side {
                    WallSide::Inside => {
                        let points = self.turned(pose.rotation)?.box_walls(low, high, open)?;
                        only(points).at(pose)
                    }
                    WallSide::Outside => {
                        let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
                        let block = self.filled_shape(&Shape::Box { half }, pose.rotation)?;
                        block.at(&(*pose * Pose { position: middle, ..Pose::IDENTITY }))
                    }
                }
            }
            WallForm::Plane { size } => {
                self.check_cells(Vec3::new(size[0], size[1], 0.0))?;
                let half = size.map(|edge| 0.5 * edge);
                let along = match self.space.normal() {
                    Some(normal) => Vec3::AXES[normal].cross(z),
                    None => pose.rotation * Vec3::X,
                };
                only(self.plane_wall(pose.position, z, along, half)?)
            }
            WallForm::Cylinder { radius, length, side, closed } => {
                self.check_cells(Vec3::new(2.0 * radius, 2.0 * radius, length))?;
                let base = pose.point(Vec3::Z * -(0.5 * length));
                let points = self.cylinder_wall(base, z, radius, length, side, closed)?;
                let post = Shape::Cylinder { radius, half_length: 0.5 * length };
                let shapes = match side {
                    WallSide::Inside => Vec::new(),
                    WallSide::Outside => vec![(*pose, post)],
                };
                SolidMarkers { points, shapes }
            }
            WallForm::Sphere { radius } => {
                self.filled_shape(&Shape::Sphere { radius }, pose.rotation)?.at(pose)
            }
            WallForm::Mesh { mesh, side } => {
                let placed = WallMesh::of(mesh, pose)?;
                self.check_cells(placed.sides())?;
                let points = self.mesh_wall(&placed, side)?;
                let shapes = match side == WallSide::Outside && mesh.is_closed() {
                    true => vec![(*pose, Shape::Mesh(mesh.clone()))],
                    false => Vec::new(),
                };
                SolidMarkers { points, shapes }
            }
            WallForm::HeightField(field) => {
                self.check_cells(field.local_aabb().extent())?;
                only(self.heightmap_wall(field, pose)?)
            }
        })
    }

    /// Markers of lines, as pieces with their axes along z at poses: those of each piece, in its axes.
    ///
    /// Pieces that follow one another are one line, along which markers are evenly spaced.
    pub fn piece_markers(&self, pieces: &[(Pose, Shape)]) -> Result<Vec<Vec<Vec3>>> {
        let mut parts = vec![Vec::new(); pieces.len()];
        let size = |shape: &Shape| match shape {
            Shape::Capsule { radius, half_length } => (*radius, *half_length),
            Shape::Sphere { radius } => (*radius, 0.0),
            _ => (0.0, 0.0),
        };
        let ends = |(pose, shape): &(Pose, Shape)| {
            let half = size(shape).1;
            [-half, half].map(|z| pose.point(Vec3::Z * z))
        };
        let mut first = 0;
        while first < pieces.len() {
            let (radius, half) = size(&pieces[first].1);
            if half == 0.0 {
                // A ball of a row of balls.
                parts[first] = match radius <= 0.75 * self.spacing {
                    true => vec![Vec3::ZERO],
                    false => self.solid_shape(&pieces[first].1)?,
                };
                first += 1;
                continue;
            }
            let mut points = ends(&pieces[first]).to_vec();
            let mut last = first + 1;
            while let Some(next) = pieces.get(last) {
                let [from, to] = ends(next);
                let joined = points.last().is_some_and(|p| p.distance(from) < 0.25 * half);
                if !joined || size(&next.1).0 != radius {
                    break;
                }
                points.push(to);
                last += 1;
            }
            for marker in self.line_markers(&points, radius)? {
                let piece = first + marker.segment;
                parts[piece].push(pieces[piece].0.local_point(marker.position));
            }
            first = last;
        }
        Ok(parts)
    }

    /// Puts points of a frame at a pose into the plane of the flow; in space they stay.
    pub fn flatten<'a>(&self, pose: &Pose, points: impl IntoIterator<Item = &'a mut Vec3>) {
        let Some(normal) = self.space.normal() else { return };
        for point in points {
            let mut at = pose.point(*point);
            at[normal] = 0.0;
            *point = pose.local_point(at);
        }
    }

    /// Refuses markers of the wall `wall` that no other is near to, within the support radius of the kernel `reach` [m].
    pub fn check_company(&self, wall: &str, points: &[Vec3], reach: f64) -> Result<()> {
        let cell = |p: Vec3| (p / reach).floor().to_array().map(|x| x as i64);
        let mut cells: Vec<([i64; 3], u32)> =
            points.iter().enumerate().map(|(k, p)| (cell(*p), k as u32)).collect();
        cells.sort_unstable();
        for (number, point) in points.iter().enumerate() {
            let [x, y, z] = cell(*point);
            // Far away the numbers of cells end.
            let columns =
                (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| [x.saturating_add(dx), y.saturating_add(dy)]));
            let [below, above] = [z.saturating_sub(1), z.saturating_add(1)];
            let near = columns.into_iter().any(|[x, y]| {
                let first = cells.partition_point(|c| c.0 < [x, y, below]);
                cells[first..].iter().take_while(|c| c.0 <= [x, y, above]).any(|(_, k)| {
                    *k as usize != number && points[*k as usize].distance_squared(*point) <= reach * reach
                })
            });
            if !near {
                let (wall, at, spacing) = (wall.to_owned(), point.to_array(), self.spacing);
                return Err(ParticleError::FluidAlone { wall, number, at, reach, spacing });
            }
        }
        Ok(())
    }
}

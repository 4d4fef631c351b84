//! Room for bodies in a fill: as much as they have volume, without particles that are pushed at once.

use huygens_geometry::{Aabb, Pose, Shape, query};
use huygens_kernel::Vec3;

use super::{MarkerLayout, ROUNDING};
use crate::error::{ParticleError, Result};
use crate::sph::cells::Cells;

/// Points along each axis by which the part of a cell in a solid is found.
const SAMPLES: usize = 4;

/// Distance, in spacings, to which particles about bodies are pushed from markers and from one another. Markers repel
/// what is nearer than 0.85.
const APART: f64 = 0.9;

/// Distance from markers, in spacings, up to which particles are moved so.
const MOVED: f64 = 4.0;

/// Most rounds of pushing, and the overlap in spacings that ends it.
const ROUNDS: usize = 80;
const DONE: f64 = 0.005;

/// Particles that end up nearer to a marker than this, in spacings, found no room: in a plane and in space.
const CROWDED: [f64; 2] = [0.75, 0.85];

/// How a cell of a fill lies in the solids.
struct Cut {
    point: usize,
    /// Part of the cell that is inside.
    share: f64,
    /// Distance of its centre from the nearest surface [m], negative inside.
    distance: f64,
}

impl MarkerLayout {
    /// Those `points` of a fill that shapes at places leave room for: as many cells go as the part of the shapes that is
    /// within the fill has volume, the deepest first. Takes no notice of markers: [`MarkerLayout::spread`] moves what is
    /// left off them.
    pub fn without_shapes(&self, points: Vec<Vec3>, shapes: &[(Pose, Shape)]) -> Vec<Vec3> {
        if shapes.is_empty() {
            return points;
        }
        let mut cuts = self.cuts(&points, shapes);
        cuts.sort_by(|a, b| {
            let deeper = b.share.total_cmp(&a.share).then(a.distance.total_cmp(&b.distance));
            deeper.then(a.point.cmp(&b.point))
        });
        let count = cuts.iter().map(|cut| cut.share).sum::<f64>().round() as usize;
        let Some(last) = count.checked_sub(1).map(|last| &cuts[last]) else { return points };
        let alike = |cut: &Cut| {
            (cut.share - last.share).abs() < ROUNDING
                && (cut.distance - last.distance).abs() < ROUNDING * self.spacing
        };
        let first = cuts.iter().position(alike).unwrap_or(count);
        let group = cuts[first..].iter().take_while(|cut| alike(cut)).count();
        let mut kept = vec![true; points.len()];
        cuts[..first].iter().for_each(|cut| kept[cut.point] = false);
        // Of cells that lie alike, some spread evenly, so that a symmetric body is not pushed aside. The order of the points
        // of a lattice is reversed by a point reflection, and so is this choice.
        let wanted = count - first;
        let mut alike: Vec<usize> = cuts[first..first + group].iter().map(|cut| cut.point).collect();
        alike.sort_unstable();
        (0..wanted).for_each(|k| kept[alike[(2 * k + 1) * group / (2 * wanted)]] = false);
        let mut kept = kept.into_iter();
        points.into_iter().filter(|_| kept.next().unwrap_or(true)).collect()
    }

    /// Refuses fluid particles inside shapes at places.
    pub fn check_outside(&self, points: &[Vec3], shapes: &[(Pose, Shape)]) -> Result<()> {
        let inside = |cut: &Cut| cut.distance < -ROUNDING * self.spacing;
        let inside: Vec<Cut> = self.cuts(points, shapes).into_iter().filter(inside).collect();
        let Some(first) = inside.first() else { return Ok(()) };
        Err(ParticleError::FluidOverlap {
            count: inside.len(),
            of: points.len(),
            at: points[first.point].to_array(),
            distance: 0.0,
            spacing: self.spacing,
        })
    }

    /// Those `points` of a fill that bodies of shapes at places with these `markers` leave room for, at a distance from
    /// these and from the markers of `walls`.
    pub fn without_bodies(
        &self,
        points: Vec<Vec3>,
        shapes: &[(Pose, Shape)],
        markers: &[Vec3],
        walls: &[Vec3],
    ) -> Vec<Vec3> {
        let mut points = self.without_shapes(points, shapes);
        self.spread(&mut [&mut points], markers, walls);
        points
    }

    /// Cells that the shapes cut or contain.
    fn cuts(&self, points: &[Vec3], shapes: &[(Pose, Shape)]) -> Vec<Cut> {
        let d = self.spacing;
        let solids: Vec<(Pose, Shape, Aabb)> = shapes
            .iter()
            .map(|(pose, shape)| {
                let shape = self.endless(shape, pose);
                let bounds = shape.aabb(pose);
                (*pose, shape, Aabb { min: bounds.min - d, max: bounds.max + d })
            })
            .collect();
        let mut cuts = Vec::new();
        let mut near: Vec<&(Pose, Shape, Aabb)> = Vec::new();
        for (point, at) in points.iter().enumerate() {
            near.clear();
            near.extend(solids.iter().filter(|(pose, _, bounds)| {
                let at = self.beside(*at, pose);
                bounds.min.cmple(at).all() && at.cmple(bounds.max).all()
            }));
            if near.is_empty() {
                continue;
            }
            let above = |at: Vec3| {
                let distance = |(pose, shape, _): &&(Pose, Shape, Aabb)| {
                    query::closest_point(shape, pose, self.beside(at, pose)).distance
                };
                near.iter().map(distance).fold(f64::INFINITY, f64::min)
            };
            let distance = above(*at);
            let share = self.share_inside(*at, distance, above);
            if share > 0.0 {
                cuts.push(Cut { point, share, distance });
            }
        }
        cuts
    }

    /// A point, in a plane moved along its normal to the origin of a body, where that is cut.
    fn beside(&self, mut at: Vec3, pose: &Pose) -> Vec3 {
        if let Some(normal) = self.space.normal() {
            at[normal] = pose.position[normal];
        }
        at
    }

    /// Part of the cell about a point that is inside solids, whose surface is at a `distance` from its middle and which
    /// any point is so far `above` [m].
    fn share_inside(&self, middle: Vec3, distance: f64, above: impl Fn(Vec3) -> f64) -> f64 {
        let d = self.spacing;
        if distance > d || distance < -d {
            return if distance < 0.0 { 1.0 } else { 0.0 };
        }
        let steps = |k: usize| if self.space.normal() == Some(k) { 1 } else { SAMPLES };
        let place = |step: usize, of: usize| ((2 * step + 1) as f64 / of as f64 - 1.0) * 0.5 * d;
        let [nx, ny, nz] = [steps(0), steps(1), steps(2)];
        let mut inside = 0.0;
        for i in 0..nx {
            for j in 0..ny {
                for k in 0..nz {
                    let height = above(middle + Vec3::new(place(i, nx), place(j, ny), place(k, nz)));
                    // What is on the surface is half inside.
                    inside += if height.abs() < ROUNDING * d { 0.5 } else { f64::from(height < 0.0) };
                }
            }
        }
        inside / (nx * ny * nz) as f64
    }

    /// A box or cylinder without ends along the normal of the plane: a thin one has as much room as a thick one.
    fn endless(&self, shape: &Shape, pose: &Pose) -> Shape {
        const FAR: f64 = 1e6;
        let Some(normal) = self.plane_normal() else { return shape.clone() };
        let own = pose.local_vector(normal).abs();
        match shape {
            Shape::Box { half } => {
                let mut half = *half;
                (0..3).filter(|k| own[*k] > 1.0 - 1e-9).for_each(|k| half[k] = half[k].max(FAR));
                Shape::Box { half }
            }
            Shape::Cylinder { radius, half_length } if own.z > 1.0 - 1e-9 => {
                Shape::Cylinder { radius: *radius, half_length: half_length.max(FAR) }
            }
            _ => shape.clone(),
        }
    }

    /// Those `points` of a fill that single markers leave room for: the nearest one goes for each marker within the fill,
    /// since a marker stands for a cell.
    pub fn without_cells(&self, points: Vec<Vec3>, markers: &[Vec3]) -> Vec<Vec3> {
        if markers.is_empty() {
            return points;
        }
        // No point of a cell is farther from its middle.
        let dimension = self.space.dimension().number() as f64;
        let reach = (0.5 * dimension.sqrt() + ROUNDING) * self.spacing;
        let mut kept = vec![true; points.len()];
        let cells = Cells::new(&points, reach, [None; 3]);
        for marker in markers {
            let mut nearest: Option<(f64, usize)> = None;
            cells.each_near(*marker, |point, offset| {
                let distance = offset.length_squared();
                let nearer = nearest.is_none_or(|best| (distance, point) < best);
                if kept[point] && nearer {
                    nearest = Some((distance, point));
                }
            });
            if let Some((_, point)) = nearest {
                kept[point] = false;
            }
        }
        let mut kept = kept.into_iter();
        points.into_iter().filter(|_| kept.next().unwrap_or(true)).collect()
    }

    /// Pushes the points of fills that are near to `markers` of bodies apart, until they keep 0.9 spacings from one another,
    /// from these markers and from those of `walls`; those that find no room go. A fill whose lattice suits the bodies
    /// stays as it is.
    pub fn spread(&self, fills: &mut [&mut Vec<Vec3>], markers: &[Vec3], walls: &[Vec3]) {
        let d = self.spacing;
        let zone = Cells::new(markers, (MOVED + 1.0) * d, [None; 3]);
        let corners = markers.iter().copied().map(|at| [at, at]);
        let Some([low, high]) = corners.reduce(|[low, high], [a, b]| [low.min(a), high.max(b)]) else {
            return;
        };
        let [low, high] = [low - (MOVED + 1.0) * d, high + (MOVED + 1.0) * d];
        // Where each point of the zone is, and whether it may move.
        let mut owners = Vec::new();
        let (mut points, mut moves) = (Vec::new(), Vec::new());
        for (f, fill) in fills.iter().enumerate() {
            for (k, at) in fill.iter().enumerate() {
                if !(low.cmple(*at).all() && at.cmple(high).all()) {
                    continue;
                }
                let mut nearest = f64::INFINITY;
                zone.each_near(*at, |_, offset| nearest = nearest.min(offset.length_squared()));
                if nearest.is_finite() {
                    owners.push((f, k));
                    points.push(*at);
                    moves.push(nearest < (MOVED * d).powi(2));
                }
            }
        }
        let solids: Vec<Vec3> = markers.iter().chain(walls).copied().collect();
        let solids = Cells::new(&solids, APART * d, [None; 3]);
        // Where two are at one place.
        let aside = Vec3::AXES[if self.space.normal() == Some(0) { 1 } else { 0 }];
        for _ in 0..ROUNDS {
            let others = Cells::new(&points, APART * d, [None; 3]);
            let mut worst = 0.0_f64;
            let push = |at: Vec3, i: usize, worst: &mut f64| {
                let mut sum = Vec3::ZERO;
                let mut add = |offset: Vec3, share: f64| {
                    let distance = offset.length();
                    let overlap = APART * d - distance;
                    *worst = worst.max(overlap);
                    sum -= share * overlap * if distance > 0.0 { offset / distance } else { aside };
                };
                solids.each_near(at, |_, offset| add(offset, 1.0));
                others.each_near(at, |j, offset| {
                    if j != i {
                        add(offset, if moves[j] { 0.5 } else { 1.0 });
                    }
                });
                sum
            };
            let pushes: Vec<Vec3> = (points.iter().enumerate())
                .map(|(i, at)| if moves[i] { push(*at, i, &mut worst) } else { Vec3::ZERO })
                .collect();
            if worst < DONE * d {
                break;
            }
            points.iter_mut().zip(pushes).for_each(|(at, push)| *at += push.clamp_length_max(0.2 * d));
        }
        let crowded = CROWDED[self.space.dimension().number() - 2] * d;
        let mut gone: Vec<Vec<usize>> = vec![Vec::new(); fills.len()];
        for ((f, k), at) in owners.into_iter().zip(points) {
            let mut nearest = f64::INFINITY;
            solids.each_near(at, |_, offset| nearest = nearest.min(offset.length()));
            fills[f][k] = at;
            if nearest < crowded {
                gone[f].push(k);
            }
        }
        for (fill, gone) in fills.iter_mut().zip(gone) {
            for k in gone.into_iter().rev() {
                fill.remove(k);
            }
        }
    }
}

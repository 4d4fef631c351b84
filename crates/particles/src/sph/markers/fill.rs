//! The first particles of a fluid, and room for solids among them.

use huygens_exec::Exec;
use huygens_kernel::Vec3;

use super::{MarkerLayout, ROUNDING};
use crate::error::{MeshFault, ParticleError, Result};
use crate::fill::room::Room;
use crate::fill::{Region, look};
use crate::sph::system::FluidSystem;
use crate::walls::mesh::WallMesh;

/// Particles of a fill keep this share of the spacing from the boundary of its region.
///
/// First layers that follow the boundary are half a spacing from it. A lattice that does not follow it loses this share
/// of a layer, and comes no nearer than 0.8 spacings to the markers of a wall there.
const CLEARANCE: f64 = 0.3;

/// Fluid particles that are nearer than this share of the spacing to a marker overlap it.
const APART: f64 = 0.9;

impl MarkerLayout {
    /// Particles of a fluid that fills a region, on a lattice with a cell in the least corner of the box about it. In a
    /// plane the region is cut in the middle of this box.
    ///
    /// A box of whole cells is filled exactly. Refuses regions in which fewer than two layers fit.
    pub fn fill_region(&self, region: &Region) -> Result<Vec<Vec3>> {
        self.fill_region_on(&Exec::serial(), region)
    }

    /// The same as [`MarkerLayout::fill_region`], which asks whether it is to stop.
    pub fn fill_region_on(&self, ex: &Exec, region: &Region) -> Result<Vec<Vec3>> {
        self.check()?;
        let region = self.thickened(*region);
        region.check()?;
        let [low, high] = region.bounds();
        let kept = |at: &Vec3| self.cut(&region, *at) >= CLEARANCE * self.spacing;
        let mut points = Vec::new();
        for (k, at) in self.lattice(low, high)?.points().enumerate() {
            look(ex, k)?;
            if kept(&at) {
                points.push(at);
            }
        }
        self.check_layers("the region of a fill", low, high, &points)?;
        Ok(points)
    }

    /// Particles of a fluid that fills the inside of a closed mesh, as [`MarkerLayout::fill_region`] does a region. The
    /// markers of [`MarkerLayout::mesh_wall`] are on the same lattice.
    pub fn fill_mesh(&self, mesh: &WallMesh) -> Result<Vec<Vec3>> {
        self.fill_mesh_on(&Exec::serial(), mesh)
    }

    /// The same as [`MarkerLayout::fill_mesh`], which asks whether it is to stop.
    pub fn fill_mesh_on(&self, ex: &Exec, mesh: &WallMesh) -> Result<Vec<Vec3>> {
        self.check()?;
        let report = mesh.report();
        if !report.is_closed() {
            return Err(ParticleError::Mesh(MeshFault::Open { edges: report.open_edges }));
        }
        let sign = if mesh.signed_volume() < 0.0 { -1.0 } else { 1.0 };
        let [low, high] = mesh.bounds();
        let d = self.spacing;
        // A cell more before every row, which is outside.
        let lattice = self.lattice(low - Vec3::X * d, high)?;
        let [nx, ny, nz] = lattice.counts;
        let mut points = Vec::new();
        for k in 0..nz {
            for j in 0..ny {
                ex.check_stop()?;
                let mut inside = false;
                for i in 0..nx {
                    let at = lattice.at(i, j, k);
                    // Where no triangle is nearer than a spacing, none was crossed since the point before.
                    let depth = match mesh.signed_within(at, 1.5 * d) {
                        Some(distance) => -sign * distance,
                        None if inside => f64::INFINITY,
                        None => f64::NEG_INFINITY,
                    };
                    inside = depth > 0.0;
                    if depth >= CLEARANCE * d {
                        points.push(at);
                    }
                }
            }
        }
        self.check_layers("the mesh of a fill", low, high, &points)?;
        Ok(points)
    }

    /// A flat box gets a thickness along the normal of the plane.
    fn thickened(&self, region: Region) -> Region {
        match (region, self.plane_normal()) {
            (Region::Box { low, high }, Some(normal)) => {
                Region::Box { low: low - normal * self.spacing, high: high + normal * self.spacing }
            }
            (region, _) => region,
        }
    }

    /// Distance of a point from the boundary of a region; in a plane not from its ends along the normal, which a box and
    /// a cylinder along the normal have.
    fn cut(&self, region: &Region, at: Vec3) -> f64 {
        match (*region, self.space.normal()) {
            (Region::Cylinder { base, axis, radius, .. }, Some(normal))
                if axis.normalize_or_zero()[normal].abs() > 1.0 - 1e-9 =>
            {
                let mut arm = at - base;
                arm[normal] = 0.0;
                radius - arm.length()
            }
            _ => region.clearance(at),
        }
    }

    /// Refuses fills of fewer than two layers.
    fn check_layers(&self, what: &str, low: Vec3, high: Vec3, points: &[Vec3]) -> Result<()> {
        let mut axes: Vec<usize> = (0..3).filter(|k| self.space.normal() != Some(*k)).collect();
        // The narrowest first: it is to blame where nothing fits at all.
        axes.sort_by(|a, b| (high - low)[*a].total_cmp(&(high - low)[*b]));
        for k in axes {
            let least = points.iter().map(|at| at[k]).fold(f64::INFINITY, f64::min);
            let most = points.iter().map(|at| at[k]).fold(f64::NEG_INFINITY, f64::max);
            let fits = if points.is_empty() {
                0
            } else {
                ((most - least) / self.spacing + ROUNDING).round() as usize + 1
            };
            if fits < 2 {
                return Err(ParticleError::FluidGap {
                    what: what.into(),
                    gap: high[k] - low[k],
                    spacing: self.spacing,
                    fits,
                });
            }
        }
        Ok(())
    }

    /// Those `points` that are 0.9 spacings or more from all markers of `solids`. For bodies take
    /// [`MarkerLayout::without_bodies`], which leaves as much room as they have volume.
    pub fn without(&self, mut points: Vec<Vec3>, solids: &[Vec3]) -> Vec<Vec3> {
        let (room, radius) = self.room(solids);
        points.retain(|at| room.hit(*at, radius, 0.0).is_none());
        points
    }

    /// Refuses fluid particles that are nearer than 0.9 spacings to markers: says how many, and where the first is.
    pub fn check_apart(&self, points: &[Vec3], solids: &[Vec3]) -> Result<()> {
        let (room, radius) = self.room(solids);
        let mut near = points.iter().filter_map(|at| room.hit(*at, radius, 0.0).map(|hit| (*at, hit)));
        match near.next() {
            None => Ok(()),
            Some((at, (_, depth))) => Err(ParticleError::FluidOverlap {
                count: near.count() + 1,
                of: points.len(),
                at: at.to_array(),
                distance: 2.0 * radius - depth,
                spacing: self.spacing,
            }),
        }
    }

    /// Room that markers take, each a ball; and the radius of such a ball [m].
    fn room(&self, solids: &[Vec3]) -> (Room, f64) {
        // Neighbours on one lattice are no nearer than a spacing, but for rounding.
        let radius = 0.5 * APART * self.spacing;
        let mut room = Room::new(radius, radius);
        solids.iter().for_each(|at| room.add(*at, radius));
        (room, radius)
    }
}

impl FluidSystem {
    /// Adds particles at rest at `points` [m], with the pressure [Pa] of each.
    pub fn add_points(&mut self, points: &[Vec3], pressure: impl Fn(Vec3) -> f64) -> Result<()> {
        points.iter().try_for_each(|at| self.add_with_pressure(*at, Vec3::ZERO, pressure(*at)).map(|_| ()))
    }
}

//! A column of water that is let go at one end of a tank.

use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_particles::fill::Region;
use huygens_particles::sph::{FluidSystem, MarkerLayout, SolidId, SolidMotion, WallFace};

use super::measure::{Flow, GRAVITY, PLANE};
use crate::error::Result;

/// What a dam break is.
#[derive(Clone, Copy, Debug)]
pub struct Dam {
    /// Width and height of the column [m].
    pub column: [f64; 2],
    /// Length and height of the tank [m].
    pub tank: [f64; 2],
    /// Width across [m]; none for the plane.
    pub across: Option<f64>,
    /// Spacing [m].
    pub spacing: f64,
    /// Least and greatest corner of a box in its way [m].
    pub obstacle: Option<[Vec3; 2]>,
}

/// A dam break under way.
pub struct DamRun {
    /// The fluid.
    pub system: FluidSystem,
    walls: SolidId,
    /// Markers of the tank, and of the box in it.
    markers: Vec<Vec3>,
    spacing: f64,
}

impl Dam {
    /// Lets the column go.
    pub fn start(&self) -> Result<DamRun> {
        let [wide, tall] = self.column;
        let d = self.spacing;
        // The front is a little faster than √(2 g H).
        let water = Flow::water(d, (2.0 * GRAVITY * tall).sqrt());
        let space = if self.across.is_some() { Default::default() } else { PLANE };
        let settings = Flow { space, ..water }.settings();
        let layout = MarkerLayout::new(&settings);
        let across = self.across.unwrap_or(0.0);
        let mut markers = layout.box_walls(
            Vec3::ZERO,
            Vec3::new(self.tank[0], across, self.tank[1]),
            &[WallFace::UpperZ],
        )?;
        if let Some([low, high]) = self.obstacle {
            let shape = huygens_geometry::Shape::cuboid(0.5 * (high - low))?;
            let middle = 0.5 * (low + high);
            markers.extend(layout.solid_shape(&shape)?.iter().map(|at| *at + middle));
        }
        let mut system = FluidSystem::new(settings)?;
        let fill = Region::Box { low: Vec3::ZERO, high: Vec3::new(wide, across, tall) };
        let fluid = layout.fill_region(&fill)?;
        layout.check_apart(&fluid, &markers)?;
        system.add_points(&fluid, |at| 1000.0 * GRAVITY * (tall - at.z))?;
        let walls = system.add_solid("tank", &markers, SolidMotion::default(), false)?;
        Ok(DamRun { system, walls, markers, spacing: d })
    }
}

impl DamRun {
    /// Goes on by a time [s].
    pub fn run_for(&mut self, ex: &Exec, time: f64) -> Result<()> {
        self.system.run_for(ex, time)?;
        Ok(())
    }

    /// Farthest place that the water has reached [m].
    pub fn front(&self) -> f64 {
        self.system.particles().map(|p| p.position.x).fold(0.0, f64::max) + 0.5 * self.spacing
    }

    /// Markers near a place of a wall behind x, and their weights.
    pub fn probe(&self, x: f64, y: Option<f64>, z: f64) -> Vec<(usize, f64)> {
        let d = self.spacing;
        let hat = |off: f64| (1.0 - off.abs() / d).max(0.0);
        let weight = |at: &Vec3| {
            let first = at.x > x && at.x < x + 0.99 * d;
            // The lowest marker stands for all that is below it.
            let lowest = z.max(0.5 * d);
            if first { hat(at.z - lowest) * y.map_or(1.0, |y| hat(at.y - y)) } else { 0.0 }
        };
        let all = self.markers.iter().enumerate().map(|(k, at)| (k, weight(at)));
        let near: Vec<(usize, f64)> = all.filter(|(_, weight)| *weight > 0.0).collect();
        let sum: f64 = near.iter().map(|(_, weight)| weight).sum();
        near.iter().map(|(k, weight)| (*k, weight / sum)).collect()
    }

    /// Pressure at a probe [Pa].
    pub fn pressure(&self, probe: &[(usize, f64)]) -> Result<f64> {
        let forces = self.system.marker_forces(self.walls)?;
        Ok(probe.iter().map(|(k, weight)| weight * forces[*k].0[3]).sum())
    }
}

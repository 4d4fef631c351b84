//! A square whose lid moves.

use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_particles::fill::Region;
use huygens_particles::sph::{FluidSystem, MarkerLayout, SolidId, SolidMotion, WallFace};

use super::measure::{Flow, exec, linear_at};
use crate::Context;
use crate::error::{CaseError, Result};
use crate::figure::Comparison;
use crate::report::Check;

/// Samples of the mean at the end.
const SAMPLES: usize = 20;

pub fn run(context: &Context, reynolds: f64) -> Result<Vec<Check>> {
    if context.quick && reynolds > 500.0 {
        return Err(CaseError::OnlyFull);
    }
    let ex = exec(context)?;
    let count = context.full_or_quick(64.0, 40.0);
    let mut cavity = Cavity::new(1.0 / count, reynolds)?;
    // Vortices of thin fluids take longer to grow.
    cavity.run_for(&ex, if reynolds > 500.0 { 40.0 } else { context.full_or_quick(15.0, 9.0) })?;
    let u = context.reference.table("fsi/ghia_cavity_u_vs_y.csv")?;
    let v = context.reference.table("fsi/ghia_cavity_v_vs_x.csv")?;
    let (heights, across) = (u.column("y")?, v.column("x")?);
    let [us, vs] = [u.column(&format!("u_Re{reynolds}"))?, v.column(&format!("v_Re{reynolds}"))?];
    let mut mean = [vec![0.0; us.len()], vec![0.0; vs.len()]];
    for _ in 0..SAMPLES {
        cavity.run_for(&ex, 0.05)?;
        for (sum, z) in mean[0].iter_mut().zip(heights) {
            *sum += cavity.velocity(Vec3::new(0.5, 0.0, *z)).x / SAMPLES as f64;
        }
        for (sum, x) in mean[1].iter_mut().zip(across) {
            *sum += cavity.velocity(Vec3::new(*x, 0.0, 0.5)).z / SAMPLES as f64;
        }
    }
    let worst =
        |got: &[f64], exact: &[f64]| got.iter().zip(exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let bound = if reynolds > 500.0 { 0.05 } else { 0.02 };
    context.figures.compare(
        &format!("fluid_cavity_{reynolds}"),
        "place",
        &[
            Comparison::sampled("u(y)", heights, &mean[0], us),
            Comparison::sampled("v(x)", across, &mean[1], vs),
        ],
    )?;
    Ok(vec![
        Check::error(
            "u on the vertical line: worst difference / speed of the lid",
            worst(&mean[0], us),
            bound,
        ),
        Check::error(
            "v on the horizontal line: worst difference / speed of the lid",
            worst(&mean[1], vs),
            bound,
        ),
    ])
}

struct Cavity {
    system: FluidSystem,
    lid: SolidId,
}

impl Cavity {
    fn new(d: f64, reynolds: f64) -> Result<Self> {
        let flow = Flow {
            density: 1.0,
            viscosity: 1.0 / reynolds,
            gravity: Vec3::ZERO,
            filled: true,
            ..Flow::water(d, 1.0)
        };
        let settings = flow.settings();
        let layout = MarkerLayout::new(&settings);
        let mut system = FluidSystem::new(settings)?;
        let high = Vec3::new(1.0, 0.0, 1.0);
        system.add_points(&layout.fill_region(&Region::Box { low: Vec3::ZERO, high })?, |_| 0.0)?;
        let walls = layout.box_walls(Vec3::ZERO, high, &[WallFace::UpperZ])?;
        system.add_solid("walls", &walls, SolidMotion::default(), false)?;
        // Longer than the square on both sides: it is put back by a spacing at a time.
        let half = 0.5 + (layout.layers + 2) as f64 * d;
        let lid = layout.plane_wall(Vec3::new(0.5, 0.0, 1.0), Vec3::NEG_Z, Vec3::X, [half, 0.0])?;
        let lid = system.add_solid("lid", &lid, SolidMotion::default(), false)?;
        Ok(Self { system, lid })
    }

    /// Goes on, the lid at the speed 1 but never farther away than a spacing.
    fn run_for(&mut self, ex: &Exec, time: f64) -> Result<()> {
        let turn = self.system.settings().spacing;
        let turns = (time / turn).round() as usize;
        for _ in 0..turns {
            let start = SolidMotion { velocity: Vec3::X, ..SolidMotion::default() };
            self.system.set_solid_motion(self.lid, start)?;
            self.system.run_for(ex, turn)?;
        }
        Ok(())
    }

    fn velocity(&self, at: Vec3) -> Vec3 {
        match at {
            Vec3 { z: 1.0, .. } => Vec3::X,
            Vec3 { x: 0.0 | 1.0, .. } | Vec3 { z: 0.0, .. } => Vec3::ZERO,
            _ => linear_at(&self.system, at).map_or(Vec3::NAN, |(_, velocity)| velocity),
        }
    }
}

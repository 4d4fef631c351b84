//! The cone: its side, touched from outside or from both sides, with discs at its ends.

use huygens_geometry::Pose;
use huygens_kernel::Vec3;
use huygens_kernel::nearest::{ConeSide, Nearest, on_cone};
use huygens_spec::{WallEnds, WallSide};

use super::{ShapedWall, bands, length};
use crate::described::{Wrong, round};
use crate::error::{ParticleError, Result};
use crate::walls::{Shaped, Surface, SurfaceShape};

/// The side of a cone about the z axis between two circles, open at both ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    /// Radii [m] at the two ends.
    pub radii: [f64; 2],
    /// z [m] of the two ends, rising.
    pub span: [f64; 2],
    /// Whether it is a thin shell that is touched from inside and outside; else grains are outside only.
    pub hollow: bool,
}

impl From<Cone> for Surface {
    fn from(cone: Cone) -> Self {
        Surface::Shaped(Shaped::new(cone))
    }
}

impl SurfaceShape for Cone {
    fn name(&self) -> &'static str {
        "a cone"
    }

    fn check(&self) -> Result<()> {
        let refuse = |what: &str, value, expected| {
            Err(ParticleError::range(format!("the {what} of a wall"), value, expected))
        };
        let ([low, high], [a, b]) = (self.span, self.radii);
        if !(low < high && low.is_finite() && high.is_finite()) {
            return refuse("upper end", high, "finite and above the lower end");
        }
        if !(a >= 0.0 && b >= 0.0 && a + b > 0.0 && (a + b).is_finite()) {
            return refuse("radius", a.min(b), "0 or more at one end and above 0 at the other");
        }
        Ok(())
    }

    fn nearest(&self, at: Vec3) -> Nearest {
        on_cone(&ConeSide::new(self.radii, self.span), self.hollow, at.into())
    }

    fn extent(&self) -> f64 {
        let [low, high] = self.span;
        self.radii[0].max(self.radii[1]).hypot(low.abs().max(high.abs()))
    }

    fn bounds(&self) -> Option<[Vec3; 2]> {
        let radius = self.radii[0].max(self.radii[1]);
        let [low, high] = self.span;
        Some([Vec3::new(-radius, -radius, low), Vec3::new(radius, radius, high)])
    }

    fn is_round(&self) -> bool {
        true
    }

    fn triangles(&self) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        bands(&[[self.radii[0], self.span[0]], [self.radii[1], self.span[1]]])
    }
}

/// A wall between two circles of `radii` [m], `along` [m] apart.
pub(super) fn wall(
    radii: [f64; 2],
    along: f64,
    side: WallSide,
    ends: WallEnds,
) -> std::result::Result<ShapedWall, Wrong> {
    let fine = radii.iter().all(|r| *r >= 0.0 && r.is_finite()) && radii[0] + radii[1] > 0.0;
    if !fine {
        let problem = "`radii` at the lower and upper end must be zero or more, not both zero";
        return Err(("radii", problem.into()));
    }
    let (half, hollow) = (0.5 * length("length", along)?, side == WallSide::Inside);
    let surfaces: Vec<(Pose, Surface)> = round(radii, half, ends, |span| Cone { radii, span, hollow }.into());
    // A closed end is a disc down to its middle.
    let mut circles = vec![[radii[0], -half], [radii[1], half]];
    let [low, high] = ends.closed();
    if low {
        circles.insert(0, [0.0, -half]);
    }
    if high {
        circles.push([0.0, half]);
    }
    let (points, triangles) = bands(&circles);
    Ok(ShapedWall { surfaces, points, triangles, side })
}

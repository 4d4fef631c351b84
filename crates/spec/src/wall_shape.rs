//! Shapes that walls of grains and walls of fluids can have alike.

use huygens_spec::{SceneObject, Tagged};

use super::value::is_default;
use super::{FluidWallType, WallEnds, WallSide, WallType};

/// A shape about its origin; the axis of round ones is their z axis.
///
/// The engine makes walls of it by a file of its own, where grains touch them and fluids have their markers.
#[derive(Clone, Debug, PartialEq, Tagged, SceneObject)]
#[scene(tagged)]
pub enum WallShape {
    /// Cone. An open one around the particles is a thin shell.
    Cone {
        /// Radii at its lower and upper end [m].
        radii: [f64; 2],
        /// Length along z [m].
        length: f64,
        /// Where the particles are.
        #[tagged(default, skip_if = is_default)]
        side: WallSide,
        /// Which ends are closed.
        #[tagged(default, skip_if = is_default)]
        ends: WallEnds,
    },
}

impl From<WallShape> for WallType {
    fn from(shape: WallShape) -> Self {
        Self::Shape(shape)
    }
}

impl From<WallShape> for FluidWallType {
    fn from(shape: WallShape) -> Self {
        Self::Shape(shape)
    }
}

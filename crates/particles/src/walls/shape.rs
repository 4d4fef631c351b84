//! Surfaces of any shape: what a wall asks of them.

use std::fmt::Debug;
use std::ops::Deref;
use std::sync::Arc;

use huygens_kernel::Vec3;
use huygens_kernel::nearest::Nearest;

use crate::error::Result;

/// A surface in the axes of its wall that grains touch in one place at most: where it is nearest to their centre.
pub trait SurfaceShape: Debug + Send + Sync {
    /// What it is, in a word, such as "a cone".
    fn name(&self) -> &'static str;
    /// Refuses numbers that make no surface.
    fn check(&self) -> Result<()>;
    /// Its nearest point, seen from a place [m] in the axes of the wall.
    fn nearest(&self, at: Vec3) -> Nearest;
    /// Radius [m] of a ball about the origin that holds it.
    fn extent(&self) -> f64;
    /// Least and greatest corner [m] of a box that holds it with all that is behind it; none where that is without end.
    fn bounds(&self) -> Option<[Vec3; 2]>;
    /// Whether turning about the z axis leaves it where it is.
    fn is_round(&self) -> bool;
    /// Points [m] and triangles over it, for pictures.
    fn triangles(&self) -> (Vec<Vec3>, Vec<[u32; 3]>);
}

/// A surface of any shape.
#[derive(Clone, Debug)]
pub struct Shaped(Arc<dyn SurfaceShape>);

impl Shaped {
    /// A surface of a shape.
    pub fn new(shape: impl SurfaceShape + 'static) -> Self {
        Self(Arc::new(shape))
    }
}

impl Deref for Shaped {
    type Target = dyn SurfaceShape;

    fn deref(&self) -> &(dyn SurfaceShape + 'static) {
        &*self.0
    }
}

// Shapes are plain numbers, and all of them show.
impl PartialEq for Shaped {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || format!("{self:?}") == format!("{other:?}")
    }
}

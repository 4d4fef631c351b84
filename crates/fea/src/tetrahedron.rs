//! The tetrahedron with four nodes in axes that turn with it.

use huygens_kernel::corotated::{Corotated, Lame};
use huygens_kernel::{Mat3, Vec3};

/// Volume by the product of three edges below which an element is flat.
const FLAT: f64 = 1e-12;

/// One element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tetrahedron {
    /// Volume at rest [m³].
    pub volume: f64,
    /// Gradients of the shape functions at rest [1/m].
    pub gradients: [Vec3; 4],
    /// Elastic constants.
    pub lame: Lame,
    /// Density [kg/m³].
    pub density: f64,
}

impl Tetrahedron {
    /// The element with these corners at rest [m]; the volume [m³] where it is not above zero: the corners then lie in
    /// a plane, or in the wrong order.
    pub fn new(corners: &[Vec3; 4], lame: Lame, density: f64) -> Result<Self, f64> {
        let edges = edges(corners);
        let volume = edges.determinant() / 6.0;
        if !(volume > flat_volume(&edges) && volume.is_finite()) {
            return Err(volume);
        }
        let rows = edges.inverse().transpose();
        let [a, b, c] = [rows.x_axis, rows.y_axis, rows.z_axis];
        Ok(Self { volume, gradients: [-(a + b + c), a, b, c], lame, density })
    }

    /// The gradient of the deformation.
    pub fn deformation(&self, x: &[Vec3; 4]) -> Mat3 {
        let [_, a, b, c] = self.gradients;
        edges(x) * Mat3::from_cols(a, b, c).transpose()
    }

    /// The state at the corners `x` [m]; none where the element is turned inside out.
    pub fn state(&self, x: &[Vec3; 4]) -> Option<Corotated> {
        Corotated::new(&self.deformation(x))
    }

    /// Elastic energy [J] and the forces on the corners [N].
    pub fn force(&self, state: &Corotated) -> (f64, [Vec3; 4]) {
        let stress = state.piola(&self.lame) * -self.volume;
        (self.volume * state.energy(&self.lame), self.gradients.map(|g| stress * g))
    }

    /// Stiffness: minus the derivative of the force on corner i by the place of corner j, exact.
    pub fn stiffness(&self, state: &Corotated) -> [[Mat3; 4]; 4] {
        let tangent = state.tangent(&self.lame);
        self.gradients.map(|a| self.gradients.map(|b| tangent.block(a, b) * self.volume))
    }

    /// Constant mass [kg]: each number stands for a diagonal block.
    pub fn mass(&self) -> [[f64; 4]; 4] {
        let unit = self.density * self.volume / 20.0;
        std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 2.0 * unit } else { unit }))
    }
}

/// Whether the volume at these corners [m] is no more than what rounding gives a flat one.
pub fn is_flat(corners: &[Vec3; 4]) -> bool {
    let edges = edges(corners);
    // Not a number counts as flat.
    !((edges.determinant() / 6.0).abs() > flat_volume(&edges))
}

/// Rounding gives a flat one some volume.
fn flat_volume(edges: &Mat3) -> f64 {
    FLAT * edges.x_axis.length() * edges.y_axis.length() * edges.z_axis.length()
}

fn edges(x: &[Vec3; 4]) -> Mat3 {
    Mat3::from_cols(x[1] - x[0], x[2] - x[0], x[3] - x[0])
}

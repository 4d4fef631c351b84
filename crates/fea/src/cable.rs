//! The cable of the absolute nodal coordinate formulation: two nodes with position and slope, stretch and bending,
//! no twist and no shear (gerstmayr2006).

use huygens_kernel::cable::{
    StrainMeasure, bending_force, bending_stiffness, hermite, stretch_force, stretch_stiffness,
};

use crate::quadrature::Gauss;

/// Position [m] and slope at the start, position and slope at the end.
pub type CableCoordinates = [[f64; 3]; 4];

/// Derivatives of forces by coordinates: block (i, j) is `[i][j]`, rows first.
pub type CableMatrix = [[[[f64; 3]; 3]; 4]; 4];

/// One element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cable {
    /// Length at rest [m].
    pub length: f64,
    /// Stiffness of stretch EA [N].
    pub stretch: f64,
    /// Stiffness of bending EI [N·m²].
    pub bending: f64,
    /// Mass per length [kg/m].
    pub density: f64,
    /// How strains are measured.
    pub measure: StrainMeasure,
}

/// Points of the integrals of stretch and of bending.
const POINTS: [Gauss; 2] = [Gauss::Five, Gauss::Three];

impl Cable {
    /// Elastic energy [J], and the forces on the coordinates: what the element does to its nodes.
    pub fn force(&self, e: &CableCoordinates) -> (f64, CableCoordinates) {
        let mut energy = 0.0;
        let mut out = [[0.0; 3]; 4];
        for &(t, weight) in POINTS[0].points() {
            let [_, slopes, _] = hermite(t, self.length);
            let u = combined(&slopes, e);
            let weight = weight * self.length;
            let (w, by_u) = stretch_force(self.measure, self.stretch, u);
            energy += weight * w;
            for (out, s) in out.iter_mut().zip(slopes) {
                (0..3).for_each(|k| out[k] -= weight * s * by_u[k]);
            }
        }
        for &(t, weight) in POINTS[1].points() {
            let [_, slopes, bends] = hermite(t, self.length);
            let force = bending_force(self.measure, self.bending, combined(&slopes, e), combined(&bends, e));
            let weight = weight * self.length;
            energy += weight * force.energy;
            for ((out, s), b) in out.iter_mut().zip(slopes).zip(bends) {
                (0..3).for_each(|k| out[k] -= weight * (s * force.by_u[k] + b * force.by_w[k]));
            }
        }
        (energy, out)
    }

    /// Derivative of the forces by the coordinates, with the sign changed: the stiffness.
    pub fn stiffness(&self, e: &CableCoordinates) -> CableMatrix {
        let mut out = [[[[0.0; 3]; 3]; 4]; 4];
        for &(t, weight) in POINTS[0].points() {
            let [_, s, _] = hermite(t, self.length);
            let uu = stretch_stiffness(self.measure, self.stretch, combined(&s, e));
            let weight = weight * self.length;
            each(&mut out, |i, j, k, l| weight * s[i] * s[j] * uu[k][l]);
        }
        for &(t, weight) in POINTS[1].points() {
            let [_, s, b] = hermite(t, self.length);
            let m = bending_stiffness(self.measure, self.bending, combined(&s, e), combined(&b, e));
            let weight = weight * self.length;
            each(&mut out, |i, j, k, l| {
                let mixed = s[i] * b[j] * m.wu[l][k] + b[i] * s[j] * m.wu[k][l];
                weight * (s[i] * s[j] * m.uu[k][l] + mixed + b[i] * b[j] * m.ww[k][l])
            });
        }
        out
    }

    /// Constant mass [kg, kg·m, kg·m²]: each number stands for a diagonal block.
    pub fn mass(&self) -> [[f64; 4]; 4] {
        let l = self.length;
        let unit = self.density * l / 420.0;
        let rows = [
            [156.0, 22.0 * l, 54.0, -13.0 * l],
            [22.0 * l, 4.0 * l * l, 13.0 * l, -3.0 * l * l],
            [54.0, 13.0 * l, 156.0, -22.0 * l],
            [-13.0 * l, -3.0 * l * l, -22.0 * l, 4.0 * l * l],
        ];
        rows.map(|row| row.map(|x| unit * x))
    }

    /// Forces of an acceleration [m/s²] on all of the cable.
    pub fn gravity(&self, g: [f64; 3]) -> CableCoordinates {
        let mass = self.density * self.length;
        let parts = [0.5, self.length / 12.0, 0.5, -self.length / 12.0];
        parts.map(|part| g.map(|g| mass * part * g))
    }
}

/// Sum of weights times coordinates.
#[inline(always)]
fn combined(weights: &[f64; 4], e: &CableCoordinates) -> [f64; 3] {
    let mut out = [0.0; 3];
    for (w, e) in weights.iter().zip(e) {
        (0..3).for_each(|k| out[k] += w * e[k]);
    }
    out
}

/// Adds to all numbers.
#[inline(always)]
fn each(out: &mut CableMatrix, f: impl Fn(usize, usize, usize, usize) -> f64) {
    for (i, row) in out.iter_mut().enumerate() {
        for (j, block) in row.iter_mut().enumerate() {
            for (k, line) in block.iter_mut().enumerate() {
                for (l, x) in line.iter_mut().enumerate() {
                    *x += f(i, j, k, l);
                }
            }
        }
    }
}

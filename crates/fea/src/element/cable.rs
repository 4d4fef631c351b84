//! The cable of the absolute nodal coordinate formulation: two nodes with position and slope, stretch and bending,
//! no twist and no shear (gerstmayr2006).

use std::sync::Arc;

use huygens_core::contract::Weights;
use huygens_kernel::cable::{
    Matrix, StrainMeasure, bending_force, bending_stiffness, curvature, curvature_scale, hermite,
    stretch_force, stretch_stiffness,
};
use huygens_kernel::triple::{cross, dot, scaled, scaled_add};
use huygens_kernel::{Scalar, Vec3, three};

use super::batch::{Batch, Element, ElementItem, ElementState, spread_mass};
use super::cable_batch::Cables;
use super::kind::{Built, Kind, LineLimits, LineShape, MadeOf, check_line, line_mass};
use super::quadrature::Gauss;
use crate::error::{FeaError, Result};
use crate::mesh::CellKind;
use crate::output::{Station, axes_along};
use crate::section::material::Damping;
use crate::structure::{self, NodeKind, Structure};

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

/// A point on the line: its weight, and by how much the difference of places per length and the slopes of both ends
/// take part in $u$ and in $L\,w$.
#[derive(Clone, Copy)]
struct Point {
    weight: f64,
    u: [f64; 3],
    w: [f64; 3],
}

const fn point(at: (f64, f64)) -> Point {
    let (t, weight) = at;
    Point {
        weight,
        u: [6.0 * (t - t * t), 1.0 - 4.0 * t + 3.0 * t * t, 3.0 * t * t - 2.0 * t],
        w: [6.0 - 12.0 * t, 6.0 * t - 4.0, 6.0 * t - 2.0],
    }
}

static STRETCH_POINTS: [Point; 5] = {
    let p = POINTS[0].points();
    [point(p[0]), point(p[1]), point(p[2]), point(p[3]), point(p[4])]
};
static BENDING_POINTS: [Point; 3] = {
    let p = POINTS[1].points();
    [point(p[0]), point(p[1]), point(p[2])]
};

/// Difference of places per length, slope at the start, slope at the end.
pub(crate) type Line<S> = [[S; 3]; 3];

/// Numbers of an element, or of several at once.
pub(crate) struct LineLaw<S> {
    pub measure: StrainMeasure,
    pub ea: S,
    pub ei: S,
    pub length: S,
}

impl<S: Scalar> LineLaw<S> {
    /// Elastic energy, and its derivatives by the line.
    #[inline(always)]
    pub fn force(&self, e: &Line<S>) -> (S, Line<S>) {
        let mut energy = S::zero();
        let mut out = [[S::zero(); 3]; 3];
        for point in &STRETCH_POINTS {
            let weight = S::of(point.weight) * self.length;
            let stretch = stretch_force(self.measure, self.ea, combined(&point.u, e).into());
            let (w, by_u) = (stretch.energy, stretch.by_u.to_array());
            energy = weight.mul_add(w, energy);
            let by_u = scaled(weight, by_u);
            out = three!(i => scaled_add(S::of(point.u[i]), by_u, out[i]));
        }
        let inverse = S::of(1.0) / self.length;
        for point in &BENDING_POINTS {
            let w = scaled(inverse, combined(&point.w, e));
            let force = bending_force(self.measure, self.ei, combined(&point.u, e).into(), w.into());
            let by_w = scaled(S::of(point.weight), force.by_w.to_array());
            let weight = S::of(point.weight) * self.length;
            energy = weight.mul_add(force.energy, energy);
            let by_u = scaled(weight, force.by_u.to_array());
            out = three!(i => {
                scaled_add(S::of(point.u[i]), by_u, scaled_add(S::of(point.w[i]), by_w, out[i]))
            });
        }
        (energy, out)
    }

    /// Second derivatives of the energy: blocks (0,0), (0,1), (0,2), (1,1), (1,2), (2,2).
    #[inline(always)]
    pub fn stiffness(&self, e: &Line<S>) -> [Matrix<S>; 6] {
        let mut out = [[[S::zero(); 3]; 3]; 6];
        for point in &STRETCH_POINTS {
            let u = combined(&point.u, e).into();
            let uu = stretch_stiffness(self.measure, self.ea * self.length, u).to_array();
            for n in 0..6 {
                let (i, j) = PAIRS[n];
                let share = S::of(point.weight * point.u[i] * point.u[j]);
                out[n] = three!(k => scaled_add(share, uu[k], out[n][k]));
            }
        }
        let inverse = S::of(1.0) / self.length;
        for point in &BENDING_POINTS {
            let w = scaled(inverse, combined(&point.w, e));
            let ei = self.ei * S::of(point.weight);
            let m = bending_stiffness(self.measure, ei, combined(&point.u, e).into(), w.into());
            let (m_uu, m_wu, m_ww) = (m.uu.to_array(), m.wu.to_array(), m.ww.to_array());
            let uu: Matrix<S> = three!(k => scaled(self.length, m_uu[k]));
            let ww: Matrix<S> = three!(k => scaled(inverse, m_ww[k]));
            for (j, rows) in COLUMNS.iter().enumerate() {
                let (u, w) = (S::of(point.u[j]), S::of(point.w[j]));
                // What goes with u and with w of the row.
                let by_u: Matrix<S> = three!(k => three!(l => u.mul_add(uu[k][l], w * m_wu[l][k])));
                let by_w: Matrix<S> = three!(k => three!(l => u.mul_add(m_wu[k][l], w * ww[k][l])));
                for (i, n) in rows.iter().enumerate() {
                    let (u, w) = (S::of(point.u[i]), S::of(point.w[i]));
                    out[*n] = three!(k => scaled_add(u, by_u[k], scaled_add(w, by_w[k], out[*n][k])));
                }
            }
        }
        out
    }
}

/// Rows and columns of blocks on and above the diagonal.
const PAIRS: [(usize, usize); 6] = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];
/// Numbers of these blocks in each column, from the first row on.
const COLUMNS: [&[usize]; 3] = [&[0], &[1, 3], &[2, 4, 5]];

/// Sum of weights times vectors.
#[inline(always)]
fn combined<S: Scalar>(weights: &[f64; 3], e: &Line<S>) -> [S; 3] {
    let start = scaled(S::of(weights[0]), e[0]);
    scaled_add(S::of(weights[2]), e[2], scaled_add(S::of(weights[1]), e[1], start))
}

impl Cable {
    fn law(&self) -> LineLaw<f64> {
        LineLaw { measure: self.measure, ea: self.stretch, ei: self.bending, length: self.length }
    }

    /// The line between two nodes.
    #[inline(always)]
    fn line(&self, e: &CableCoordinates) -> Line<f64> {
        let inverse = 1.0 / self.length;
        [three!(k => inverse * (e[2][k] - e[0][k])), e[1], e[3]]
    }

    /// Forces on the nodes from derivatives by the line.
    #[inline(always)]
    fn on_nodes(&self, by: &Line<f64>) -> CableCoordinates {
        let pull = scaled(1.0 / self.length, by[0]);
        [pull, scaled(-1.0, by[1]), scaled(-1.0, pull), scaled(-1.0, by[2])]
    }

    /// Elastic energy [J], and the forces on the coordinates: what the element does to its nodes.
    pub fn force(&self, e: &CableCoordinates) -> (f64, CableCoordinates) {
        let (energy, by) = self.law().force(&self.line(e));
        (energy, self.on_nodes(&by))
    }

    /// Derivative of the forces by the coordinates, with the sign changed: the stiffness.
    pub fn stiffness(&self, e: &CableCoordinates) -> CableMatrix {
        let mut flat = [0.0; 144];
        self.spread(&self.law().stiffness(&self.line(e)), 1.0, &mut flat);
        std::array::from_fn(|i| {
            std::array::from_fn(|j| three!(k => three!(l => flat[(3 * i + k) * 12 + 3 * j + l])))
        })
    }

    /// Writes second derivatives by the line, times a weight, as a matrix over the coordinates, row by row.
    #[inline(always)]
    fn spread(&self, blocks: &[Matrix<f64>; 6], weight: f64, out: &mut [f64]) {
        // Places enter as their difference per length.
        let per = weight / self.length;
        let [aa, ab, ac, bb, bc, cc] = blocks;
        let scales = [per / self.length, per, per, weight, weight, weight];
        let pairs = [aa, ab, ac, bb, bc, cc];
        for k in 0..3 {
            for l in 0..3 {
                let x: [f64; 6] = std::array::from_fn(|n| scales[n] * pairs[n][k][l]);
                let y: [f64; 6] = std::array::from_fn(|n| scales[n] * pairs[n][l][k]);
                let rows = [
                    [x[0], -x[1], -x[0], -x[2]],
                    [-y[1], x[3], y[1], x[4]],
                    [-x[0], x[1], x[0], x[2]],
                    [-y[2], y[4], y[2], x[5]],
                ];
                for (i, row) in rows.iter().enumerate() {
                    (0..4).for_each(|j| out[(3 * i + k) * 12 + 3 * j + l] = row[j]);
                }
            }
        }
    }

    /// Calls `f(weight, u, w, a, b)` for the directions (a, b) in u and w along which stress follows the rate of strain:
    /// the force by u and w is the weight times (a, b) times the rate along them.
    fn for_each_rate(&self, line: &Line<f64>, mut f: impl FnMut(f64, &Point, [f64; 3], [f64; 3])) {
        for point in &STRETCH_POINTS {
            let u = combined(&point.u, line);
            let along = match self.measure {
                StrainMeasure::Material => scaled(1.0 / dot(u, u).sqrt(), u),
                StrainMeasure::Green => u,
            };
            f(self.length * point.weight * self.stretch, point, along, [0.0; 3]);
        }
        // The vector of curvature changes by a bending rate across the line, and turns with the line about its axis. Only
        // where the line is curved can the two be told apart: there the change along the curvature counts, where it is
        // straight all of it.
        let straight = (1e-6 / self.length).powi(2);
        for point in &BENDING_POINTS {
            let u = combined(&point.u, line);
            let w = scaled(1.0 / self.length, combined(&point.w, line));
            let square = dot(u, u);
            let per = curvature_scale(self.measure, square);
            let power = self.measure.exponent();
            let curvature = curvature(self.measure, u.into(), w.into()).to_array();
            let amount = dot(curvature, curvature);
            let first = Vec3::from(curvature).try_normalize();
            let first = first.unwrap_or_else(|| Vec3::from(u).normalize().any_orthonormal_vector());
            let second = Vec3::from(u).normalize().cross(first);
            let weight = self.length * point.weight * self.bending;
            let share = straight / (amount + straight);
            for (e, weight) in [(first.to_array(), weight), (second.to_array(), weight * share)] {
                let by_length = -power * dot(e, curvature) / square;
                let along = scaled_add(per, cross(w, e), scaled(by_length, u));
                f(weight, point, along, scaled(per, cross(e, u)));
            }
        }
    }

    /// Forces of stress that follows the rate of strain by one second.
    pub fn damping_force(&self, e: &CableCoordinates, rate: &CableCoordinates) -> CableCoordinates {
        let (line, rate) = (self.line(e), self.line(rate));
        let mut by = [[0.0; 3]; 3];
        self.for_each_rate(&line, |weight, point, a, b| {
            let b = scaled(1.0 / self.length, b);
            let speed = dot(a, combined(&point.u, &rate)) + dot(b, combined(&point.w, &rate));
            for (i, by) in by.iter_mut().enumerate() {
                let along = scaled_add(point.u[i], a, scaled(point.w[i], b));
                *by = scaled_add(weight * speed, along, *by);
            }
        });
        self.on_nodes(&by)
    }

    /// Adds minus the derivative of [`Cable::damping_force`] by the rates, times a weight, row by row.
    fn add_damping(&self, e: &CableCoordinates, weight: f64, out: &mut [f64]) {
        let mut blocks = [[[0.0; 3]; 3]; 6];
        self.for_each_rate(&self.line(e), |weight, point, a, b| {
            let b = scaled(1.0 / self.length, b);
            let along: Line<f64> = three!(i => scaled_add(point.u[i], a, scaled(point.w[i], b)));
            for (block, (i, j)) in blocks.iter_mut().zip(PAIRS) {
                (0..9).for_each(|n| block[n / 3][n % 3] += weight * along[i][n / 3] * along[j][n % 3]);
            }
        });
        let mut flat = [0.0; 144];
        self.spread(&blocks, weight, &mut flat);
        out.iter_mut().zip(flat).for_each(|(out, x)| *out += x);
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

impl Element for Cable {
    const NODES: usize = 2;
    const POSITIONS: usize = 6;
    const COLUMNS: usize = 6;
    type Numbers = [f64; 12];

    #[inline]
    fn evaluate(
        &self,
        at: &ElementState<'_>,
        _memory: &mut [f64],
        out: &mut [f64],
        tangent: Option<(&Weights, &mut [f64])>,
    ) {
        let (e, structural) = (coordinates(at.q), at.structural);
        out.copy_from_slice(self.force(&e).1.as_flattened());
        if structural != 0.0 {
            let damping = self.damping_force(&e, &coordinates(at.v));
            out.iter_mut().zip(damping.as_flattened()).for_each(|(out, f)| *out += structural * f);
        }
        if let Some((weights, out)) = tangent {
            self.spread(&self.law().stiffness(&self.line(&e)), weights.stiffness, out);
            if structural != 0.0 {
                self.add_damping(&e, structural * weights.damping, out);
            }
        }
    }

    fn stored_energy(&self, q: &[f64], _memory: &[f64]) -> f64 {
        self.force(&coordinates(q)).0
    }

    fn for_each_mass(&self, f: impl FnMut(usize, usize, f64)) {
        spread_mass(&self.mass(), 3, f);
    }

    fn station(&self, q: &[f64], t: f64) -> Option<Station> {
        let e = coordinates(q).map(Vec3::from);
        let [s, first, second] = hermite(t, self.length);
        let mix = |w: &[f64; 4]| e[0] * w[0] + e[1] * w[1] + e[2] * w[2] + e[3] * w[3];
        let (u, w) = (mix(&first), mix(&second));
        let (l2, l3) = (self.length.powi(2), self.length.powi(3));
        let third = mix(&[12.0 / l3, 6.0 / l2, -12.0 / l3, 6.0 / l2]);
        let axes = axes_along(u, w);
        let length = u.length();
        let (stretch, pull) = match self.measure {
            StrainMeasure::Material => (length - 1.0, self.stretch * (length - 1.0)),
            StrainMeasure::Green => {
                let strain = 0.5 * (length * length - 1.0);
                (strain, self.stretch * strain * length)
            }
        };
        let bend = Vec3::from(curvature(self.measure, u.into(), w.into())).length();
        let shear = axes.inverse() * third * -self.bending;
        let energy = 0.5 * (self.stretch * stretch * stretch + self.bending * bend * bend);
        Some(Station {
            point: mix(&s),
            axes,
            strain: [stretch, 0.0, 0.0, 0.0, 0.0, bend],
            force: [pull, shear.y, shear.z, 0.0, 0.0, self.bending * bend],
            energy,
        })
    }

    fn group(&self, damping: &Damping) -> u32 {
        u32::from(self.measure == StrainMeasure::Green) + 2 * u32::from(*damping != Damping::default())
    }

    /// Those with one measure of strain, and with damping or without, are evaluated together.
    fn into_batch(items: Vec<ElementItem<Self>>) -> Arc<dyn Batch> {
        Arc::new(Cables::new(items))
    }
}

/// Cables with a measure of strain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CableKind {
    /// How strains are measured.
    pub strain: StrainMeasure,
}

/// Cables with strains of the material.
pub static CABLE: CableKind = CableKind { strain: StrainMeasure::Material };
/// Cables with strains of Green.
pub static CABLE_GREEN: CableKind = CableKind { strain: StrainMeasure::Green };

impl Kind for CableKind {
    fn name(&self) -> &'static str {
        "cable"
    }

    fn strain(&self) -> Option<StrainMeasure> {
        Some(self.strain)
    }

    fn cell(&self) -> CellKind {
        CellKind::Line2
    }

    fn node_kinds(&self) -> &'static [NodeKind] {
        &[NodeKind::Slope]
    }

    fn made_of(&self) -> MadeOf {
        MadeOf::Section
    }

    fn line(&self) -> Option<LineShape> {
        Some(LineShape::Cubic { turns: false })
    }

    fn check(&self, of: &Structure, element: &structure::Element, name: &str) -> Result<()> {
        check_line(of, element, name, LineLimits::default())?;
        let [_, y, z] = of.section_values(element.made_of)?.bending;
        if (y - z).abs() > 1e-6 * y.max(z) {
            let what = format!("{} with cable elements", of.section_name(element.made_of));
            let reason = "it bends more easily about one axis; a cable bends equally in all directions: use rods or beams";
            return Err(FeaError::Mismatch { what, reason: reason.into() });
        }
        Ok(())
    }

    fn build(&self, of: &Structure, index: u32) -> Result<Built> {
        let element = &of.elements[index as usize];
        let values = of.section_values(element.made_of)?;
        Ok(Built::new(Cable {
            length: of.rest_length(element),
            stretch: values.stretch[0],
            bending: 0.5 * (values.bending[1] + values.bending[2]),
            density: values.mass,
            measure: self.strain,
        }))
    }

    fn mass(&self, of: &Structure, element: &structure::Element) -> f64 {
        line_mass(of, element)
    }
}

#[inline(always)]
pub(crate) fn coordinates(x: &[f64]) -> CableCoordinates {
    let x = &x[..12];
    std::array::from_fn(|k| [x[3 * k], x[3 * k + 1], x[3 * k + 2]])
}

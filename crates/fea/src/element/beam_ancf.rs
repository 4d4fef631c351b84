//! The beam 3243 of the absolute nodal coordinate formulation: two nodes with position and all three gradients, so that
//! it stretches, bends, shears, twists and changes its section (nachbagauer2013).
//!
//! The strain of Green, $E = \tfrac12(F^TF - I)$, meets a stiffness in two parts: without the coupling by Poisson's
//! ratio over the volume, with it on the axis only, as sections that stay flat would be too stiff else. Strains at rest
//! are taken off: a beam that is curved or twisted at rest has no stress there.

use huygens_core::contract::Weights;
use huygens_kernel::cable::hermite;
use huygens_kernel::point::{Stiffness, coupling_stress, uncoupled_stress};
use huygens_kernel::triple::scaled_add;
use huygens_kernel::{V3, Vec3, three};

use super::batch::{Element, ElementState, spread_mass};
use super::kind::{Built, Kind, LineLimits, LineShape, MadeOf, check_line, line_mass};
use super::quadrature::Gauss;
use crate::error::{FeaError, Result};
use crate::mesh::CellKind;
use crate::output::{Station, axes_along};
use crate::section::Section;
use crate::structure::{self, NodeKind, Structure};

/// Position [m] and gradients along x, y and z of the start, then of the end.
pub type BeamCoordinates = [[f64; 3]; 8];

/// A square matrix over the coordinates, row by row.
pub type BeamMatrix = [[f64; 24]; 24];

/// One element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamAncf {
    /// Length, height along y and width along z at rest [m].
    pub size: [f64; 3],
    /// Young's modulus [Pa].
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
    /// Density [kg/m³].
    pub density: f64,
    /// Shear correction along y and z.
    pub shear: [f64; 2],
    /// Time [s] by which stress follows the rate of strain.
    pub damping: f64,
    /// Coordinates at rest where it is not straight there along its own x.
    pub rest: Option<BeamCoordinates>,
}

/// The state at a point.
struct Point {
    weight: f64,
    /// Gradients of the shape functions.
    g: [[f64; 3]; 8],
    /// Stiffness; rows and columns xx, yy, zz, yz, xz, xy.
    d: [[f64; 6]; 6],
    /// Strain at rest.
    rest: [f64; 6],
}

impl Point {
    /// Strain by the gradient, less that at rest.
    fn strain(&self, f: &[[f64; 3]; 3]) -> [f64; 6] {
        let now = strain(f);
        std::array::from_fn(|k| now[k] - self.rest[k])
    }

    /// Adds the forces of the stress `t` of the second kind where the gradient is `f`.
    #[inline(always)]
    fn add_force(&self, f: &[[f64; 3]; 3], t: &[[f64; 3]; 3], out: &mut BeamCoordinates) {
        // Columns of the stress of the first kind.
        let p: [[f64; 3]; 3] = three!(c => three!(r => {
            -self.weight * (f[r][0] * t[0][c] + f[r][1] * t[1][c] + f[r][2] * t[2][c])
        }));
        for (i, out) in out.iter_mut().enumerate() {
            for &c in SUPPORT[i] {
                *out = scaled_add(self.g[i][c], p[c], *out);
            }
        }
    }
}

/// Strain of coordinates that is rounding only.
const NO_STRAIN: f64 = 1e-13;

/// Strain and stress at a point; rows xx, yy, zz, yz, xz, xy.
pub(crate) struct PointStress {
    pub strain: [f64; 6],
    /// Of the stiffness over the volume, and of that on the axis [Pa].
    pub plain: [f64; 6],
    pub coupled: [f64; 6],
    /// Strain times stress [J/m³].
    pub plain_work: f64,
    pub coupled_work: f64,
}

impl BeamAncf {
    /// The element that is at rest with these coordinates.
    pub fn at_rest(self, e: &BeamCoordinates) -> Self {
        let mut most = 0.0_f64;
        Self { rest: None, ..self }.for_each_point(|point| {
            most = point.strain(&gradient(&point.g, e)).iter().fold(most, |most, x| most.max(x.abs()));
        });
        Self { rest: (most > NO_STRAIN).then_some(*e), ..self }
    }

    /// Elastic energy [J] at the coordinates `e`, and the forces on them with damping by the rates `rate`.
    pub fn force(&self, e: &BeamCoordinates, rate: &BeamCoordinates) -> (f64, BeamCoordinates) {
        let mut energy = 0.0;
        let mut out = [[0.0; 3]; 8];
        self.for_each_point(|point| {
            let f = gradient(&point.g, e);
            let strain = point.strain(&f);
            let elastic = product(&point.d, &strain);
            energy += 0.5 * point.weight * strain.iter().zip(elastic).map(|(e, s)| e * s).sum::<f64>();
            let t = symmetric(&match self.damping == 0.0 {
                true => elastic,
                false => {
                    let rate = strain_rate(&f, &gradient(&point.g, rate));
                    product(&point.d, &std::array::from_fn(|k| strain[k] + self.damping * rate[k]))
                }
            });
            point.add_force(&f, &t, &mut out);
        });
        (energy, out)
    }

    /// Stiffness at the coordinates `e` without damping, and the damping matrix.
    pub fn matrices(&self, e: &BeamCoordinates) -> (Box<BeamMatrix>, Box<BeamMatrix>) {
        let still = [[0.0; 3]; 8];
        let of = |stiffness: f64, damping: f64| {
            let mut out = Box::new([[0.0; 24]; 24]);
            let weights = Weights { stiffness, damping };
            self.write_matrix(e, &still, &weights, out.as_flattened_mut());
            out
        };
        (of(1.0, 0.0), of(0.0, 1.0))
    }

    /// Stiffness and damping by their weights, and the forces; the stress of damping by the rates `rate` is part of the
    /// stiffness.
    fn write_matrix(
        &self,
        e: &BeamCoordinates,
        rate: &BeamCoordinates,
        weights: &Weights,
        out: &mut [f64],
    ) -> BeamCoordinates {
        let (time, mut forces) = (self.damping, [[0.0; 3]; 8]);
        out.fill(0.0);
        let material = weights.stiffness + time * weights.damping;
        self.for_each_point(|point| {
            let f = gradient(&point.g, e);
            let strain = point.strain(&f);
            let strain_rate = strain_rate(&f, &gradient(&point.g, rate));
            let damped: [f64; 6] = std::array::from_fn(|k| strain[k] + time * strain_rate[k]);
            let t = symmetric(&product(&point.d, &damped));
            let weight = point.weight;
            point.add_force(&f, &t, &mut forces);
            let second = second_derivatives(&f, &t, &point.d, weight * material, weight * weights.stiffness);
            for j in 0..8 {
                let mut column = [[[0.0; 3]; 3]; 3];
                for &c in SUPPORT[j] {
                    let share = point.g[j][c];
                    column = three!(a => three!(r => scaled_add(share, second[a][c][r], column[a][r])));
                }
                for i in 0..=j {
                    for &a in SUPPORT[i] {
                        let share = point.g[i][a];
                        for r in 0..3 {
                            let row = &mut out[(3 * i + r) * 24 + 3 * j..][..3];
                            row.iter_mut().zip(column[a][r]).for_each(|(out, x)| *out += share * x);
                        }
                    }
                }
            }
        });
        // The matrix is symmetric.
        for i in 0..24 {
            (0..i).for_each(|j| out[i * 24 + j] = out[j * 24 + i]);
        }
        forces
    }

    /// Constant mass: each number stands for a diagonal block.
    pub fn mass(&self) -> [[f64; 8]; 8] {
        let mut out = [[0.0; 8]; 8];
        let [length, height, width] = self.size;
        for &(t, a) in Gauss::Four.points() {
            for &(y, b) in Gauss::Two.points() {
                for &(z, c) in Gauss::Two.points() {
                    let s = shape(t, (y - 0.5) * height, (z - 0.5) * width, length);
                    let weight = a * b * c * length * height * width * self.density;
                    for (i, row) in out.iter_mut().enumerate() {
                        (0..8).for_each(|j| row[j] += weight * s[i] * s[j]);
                    }
                }
            }
        }
        out
    }

    /// Forces of an acceleration [m/s²] on all of the beam.
    pub fn gravity(&self, g: [f64; 3]) -> BeamCoordinates {
        let [length, height, width] = self.size;
        let mass = self.density * length * height * width;
        let parts = [0.5, length / 12.0, 0.0, 0.0, 0.5, -length / 12.0, 0.0, 0.0];
        parts.map(|part| g.map(|g| mass * part * g))
    }

    /// Place [m] and gradients along x, y and z of the axis.
    pub(crate) fn place(&self, e: &BeamCoordinates, t: f64) -> (Vec3, [Vec3; 3]) {
        let s = shape(t, 0.0, 0.0, self.size[0]);
        let f = gradient(&shape_gradients(t, 0.0, 0.0, self.size[0]), e);
        let point = e.iter().zip(s).map(|(e, s)| Vec3::from(*e) * s).sum();
        (point, [0, 1, 2].map(|c| Vec3::new(f[0][c], f[1][c], f[2][c])))
    }

    /// Strain and stress of the second kind (Piola and Kirchhoff) at a point.
    pub(crate) fn stress(&self, e: &BeamCoordinates, t: f64, y: f64, z: f64) -> PointStress {
        let (plain, coupled) = self.stiffnesses();
        let g = shape_gradients(t, y, z, self.size[0]);
        let (now, rest) = (strain(&gradient(&g, e)), self.rest_strain(&g));
        let strain = std::array::from_fn(|k| now[k] - rest[k]);
        let (plain, coupled) = (product(&plain, &strain), product(&coupled, &strain));
        let work = |stress: &[f64; 6]| strain.iter().zip(stress).map(|(e, s)| e * s).sum();
        PointStress { strain, plain, coupled, plain_work: work(&plain), coupled_work: work(&coupled) }
    }

    fn for_each_point(&self, mut f: impl FnMut(&Point)) {
        let [length, height, width] = self.size;
        let volume = length * height * width;
        let (plain, coupled) = self.stiffnesses();
        for &(t, a) in Gauss::Five.points() {
            for &(y, b) in Gauss::Two.points() {
                for &(z, c) in Gauss::Two.points() {
                    let g = shape_gradients(t, (y - 0.5) * height, (z - 0.5) * width, length);
                    f(&Point { weight: a * b * c * volume, rest: self.rest_strain(&g), g, d: plain });
                }
            }
            let g = shape_gradients(t, 0.0, 0.0, length);
            f(&Point { weight: a * volume, rest: self.rest_strain(&g), g, d: coupled });
        }
    }

    /// Strain at rest where the shape functions have the gradients `g`.
    fn rest_strain(&self, g: &[[f64; 3]; 8]) -> [f64; 6] {
        self.rest.map_or([0.0; 6], |rest| strain(&gradient(g, &rest)))
    }

    /// Stiffness over the volume, and that on the axis: the two parts of the law of St. Venant and Kirchhoff.
    fn stiffnesses(&self) -> ([[f64; 6]; 6], [[f64; 6]; 6]) {
        let (e, nu) = (self.young, self.poisson);
        let g = e / (2.0 * (1.0 + nu));
        let lambda = e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
        // The planes zx and xy shear along z and y.
        let shear = V3 { x: g, y: self.shear[1] * g, z: self.shear[0] * g };
        (
            by_angles(&Stiffness::of(|strain| uncoupled_stress(e, shear, strain))),
            by_angles(&Stiffness::of(|strain| coupling_stress(lambda, nu, strain))),
        )
    }
}

/// A stiffness over xx, yy, zz and the angles yz, xz, xy, which are twice the components of the strain.
fn by_angles(stiffness: &Stiffness<f64>) -> [[f64; 6]; 6] {
    let Stiffness { xx, yy, zz, xy, yz, zx } = *stiffness;
    let columns = [(xx, 1.0), (yy, 1.0), (zz, 1.0), (yz, 0.5), (zx, 0.5), (xy, 0.5)]
        .map(|(s, half)| [s.xx, s.yy, s.zz, s.yz, s.zx, s.xy].map(|x| half * x));
    std::array::from_fn(|i| std::array::from_fn(|j| columns[j][i]))
}

fn shape(t: f64, y: f64, z: f64, length: f64) -> [f64; 8] {
    let [s, ..] = hermite(t, length);
    [s[0], s[1], y * (1.0 - t), z * (1.0 - t), s[2], s[3], y * t, z * t]
}

fn shape_gradients(t: f64, y: f64, z: f64, length: f64) -> [[f64; 3]; 8] {
    let [_, s, _] = hermite(t, length);
    let (y, z) = (y / length, z / length);
    [
        [s[0], 0.0, 0.0],
        [s[1], 0.0, 0.0],
        [-y, 1.0 - t, 0.0],
        [-z, 0.0, 1.0 - t],
        [s[2], 0.0, 0.0],
        [s[3], 0.0, 0.0],
        [y, t, 0.0],
        [z, 0.0, t],
    ]
}

/// Directions along which the shape functions have gradients: those of places and slopes along x only.
const SUPPORT: [&[usize]; 8] = [&[0], &[0], &[0, 1], &[0, 2], &[0], &[0], &[0, 1], &[0, 2]];

/// $F = \sum e_i\,g_i^T$, row by row.
fn gradient(g: &[[f64; 3]; 8], e: &BeamCoordinates) -> [[f64; 3]; 3] {
    let mut columns = [[0.0; 3]; 3];
    for i in 0..8 {
        for &c in SUPPORT[i] {
            columns[c] = scaled_add(g[i][c], e[i], columns[c]);
        }
    }
    three!(r => three!(c => columns[c][r]))
}

/// Second derivatives of the energy by columns a and b of F: $t_{ab}\,I$ times the weight `geometric`, and what strains
/// add times `material`.
fn second_derivatives(
    f: &[[f64; 3]; 3],
    t: &[[f64; 3]; 3],
    d: &[[f64; 6]; 6],
    material: f64,
    geometric: f64,
) -> [[[[f64; 3]; 3]; 3]; 3] {
    let columns: [[f64; 3]; 3] = three!(c => three!(r => f[r][c]));
    // Stiffness of shear between two directions.
    let shear = |a: usize, b: usize| d[6 - a - b][6 - a - b];
    three!(a => three!(b => {
        let mut out = [[0.0; 3]; 3];
        (0..3).for_each(|k| out[k][k] = geometric * t[a][b]);
        let mut add = |share: f64, x: [f64; 3], y: [f64; 3]| {
            (0..3).for_each(|r| out[r] = scaled_add(material * share * x[r], y, out[r]));
        };
        add(d[a][b], columns[a], columns[b]);
        if a == b {
            (0..3).filter(|c| *c != a).for_each(|c| add(shear(a, c), columns[c], columns[c]));
        } else {
            add(shear(a, b), columns[b], columns[a]);
        }
        out
    }))
}

/// Which of the columns of F the six strains are products of.
const PAIRS: [[usize; 2]; 6] = [[0, 0], [1, 1], [2, 2], [1, 2], [0, 2], [0, 1]];

fn columns_product(a: &[[f64; 3]; 3], i: usize, b: &[[f64; 3]; 3], j: usize) -> f64 {
    (0..3).map(|r| a[r][i] * b[r][j]).sum()
}

/// Strains xx, yy, zz and twice yz, xz, xy.
fn strain(f: &[[f64; 3]; 3]) -> [f64; 6] {
    PAIRS.map(|[i, j]| {
        let product = columns_product(f, i, f, j);
        if i == j { 0.5 * (product - 1.0) } else { product }
    })
}

fn strain_rate(f: &[[f64; 3]; 3], rate: &[[f64; 3]; 3]) -> [f64; 6] {
    PAIRS.map(|[i, j]| match i == j {
        true => columns_product(f, i, rate, i),
        false => columns_product(f, i, rate, j) + columns_product(rate, i, f, j),
    })
}

fn product(d: &[[f64; 6]; 6], e: &[f64; 6]) -> [f64; 6] {
    std::array::from_fn(|i| (0..6).map(|j| d[i][j] * e[j]).sum())
}

/// The matrix of six stresses.
fn symmetric(s: &[f64; 6]) -> [[f64; 3]; 3] {
    [[s[0], s[5], s[4]], [s[5], s[1], s[3]], [s[4], s[3], s[2]]]
}

impl Element for BeamAncf {
    const NODES: usize = 2;
    const POSITIONS: usize = 12;
    const COLUMNS: usize = 12;
    type Numbers = [f64; 24];

    fn evaluate(
        &self,
        at: &ElementState<'_>,
        _memory: &mut [f64],
        force: &mut [f64],
        tangent: Option<(&Weights, &mut [f64])>,
    ) {
        let beam = Self { damping: self.damping + at.structural, ..*self };
        let (e, rate) = (vectors(at.q), vectors(at.v));
        let forces = match tangent {
            None => beam.force(&e, &rate).1,
            Some((weights, out)) => beam.write_matrix(&e, &rate, weights, out),
        };
        force.copy_from_slice(forces.as_flattened());
    }

    fn stored_energy(&self, q: &[f64], _memory: &[f64]) -> f64 {
        self.force(&vectors(q), &[[0.0; 3]; 8]).0
    }

    fn for_each_mass(&self, f: impl FnMut(usize, usize, f64)) {
        spread_mass(&self.mass(), 3, f);
    }

    fn fault(&self, q: &[f64], _memory: &[f64]) -> Option<(&'static str, f64)> {
        let e = vectors(q);
        [0.0, 1.0].into_iter().find_map(|t| {
            let [a, b, c] = gradient(&shape_gradients(t, 0.0, 0.0, self.size[0]), &e).map(Vec3::from);
            let ratio = a.cross(b).dot(c);
            (ratio.is_nan() || ratio <= 0.0).then_some(("is inverted (ratio of volumes)", ratio))
        })
    }

    fn station(&self, q: &[f64], t: f64) -> Option<Station> {
        let e = vectors(q);
        let [_, height, width] = self.size;
        let area = height * width;
        let (point, gradient) = self.place(&e, t);
        let axis = self.stress(&e, t, 0.0, 0.0);
        let mut force = [0.0; 6];
        let mut energy = 0.5 * area * axis.coupled_work;
        // The part on the axis pulls only: it is the same over the section.
        force[0] += area * axis.coupled[0];
        let (mut over_y, mut over_z) = ([0.0; 6], [0.0; 6]);
        for &(a, wa) in Gauss::Two.points() {
            for &(b, wb) in Gauss::Two.points() {
                let (y, z) = ((a - 0.5) * height, (b - 0.5) * width);
                let (weight, at) = (wa * wb * area, self.stress(&e, t, y, z));
                let [xx, _, _, _, xz, xy] = at.plain;
                let parts = [xx, xy, xz, y * xz - z * xy, z * xx, -y * xx];
                (0..6).for_each(|k| force[k] += weight * parts[k]);
                energy += 0.5 * weight * at.plain_work;
                // Slopes of strains across the section: Σ y ε / Σ y².
                let (yy, zz) = (height * height / 12.0, width * width / 12.0);
                (0..6).for_each(|k| over_y[k] += wa * wb * y * at.strain[k] / yy);
                (0..6).for_each(|k| over_z[k] += wa * wb * z * at.strain[k] / zz);
            }
        }
        let s = axis.strain;
        let twist = 0.5 * (over_y[4] - over_z[5]);
        Some(Station {
            point,
            axes: axes_along(gradient[0], gradient[1]),
            strain: [s[0], s[5], s[4], twist, over_z[0], -over_y[0]],
            force,
            energy,
        })
    }
}

/// Beams 3243 of the absolute nodal coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BeamAncfKind;

/// Beams 3243 of the absolute nodal coordinates.
pub static BEAM_ANCF: BeamAncfKind = BeamAncfKind;

impl Kind for BeamAncfKind {
    fn name(&self) -> &'static str {
        "beam_ancf"
    }

    fn cell(&self) -> CellKind {
        CellKind::Line2
    }

    fn node_kinds(&self) -> &'static [NodeKind] {
        &[NodeKind::Gradients]
    }

    fn made_of(&self) -> MadeOf {
        MadeOf::Section
    }

    fn line(&self) -> Option<LineShape> {
        Some(LineShape::Cubic { turns: true })
    }

    fn check(&self, of: &Structure, element: &structure::Element, name: &str) -> Result<()> {
        check_line(of, element, name, LineLimits { placed: true, coupled: true, turning: false })
    }

    fn build(&self, of: &Structure, index: u32) -> Result<Built> {
        let element = &of.elements[index as usize];
        let used = &of.sections[element.made_of as usize];
        let what = || of.element_name(index);
        let (Section::Rectangle { width, height }, Some(solid)) = (&used.section, used.solid) else {
            let reason = "it needs a rectangular section with a material; use beam or rod for others".into();
            return Err(FeaError::Mismatch { what: what(), reason });
        };
        if used.place.offset != [0.0; 2] || used.place.angle != 0.0 {
            let reason =
                "its section can have no offset and no angle; move or turn the nodes, or use beam or rod"
                    .into();
            return Err(FeaError::Mismatch { what: what(), reason });
        }
        let solid = of.solids[solid as usize];
        let beam = BeamAncf {
            size: [of.rest_length(element), *width, *height],
            young: solid.young,
            poisson: solid.poisson,
            density: solid.density,
            shear: [used.section.shear_share(solid.poisson); 2],
            damping: 0.0,
            rest: None,
        };
        let numbers: Vec<f64> =
            element.nodes().iter().flat_map(|&n| of.nodes[n as usize].numbers().0).collect();
        Ok(Built::new(beam.at_rest(&vectors(&numbers))))
    }

    fn mass(&self, of: &Structure, element: &structure::Element) -> f64 {
        line_mass(of, element)
    }
}

pub(crate) fn vectors(x: &[f64]) -> BeamCoordinates {
    std::array::from_fn(|k| std::array::from_fn(|i| x[3 * k + i]))
}

//! A thin plate of four nodes with a position and two slopes: nine columns to a node.
//!
//! The surface $r(x, y)$ is an incomplete cubic over positions and slopes. Its energy is that of the strains in the
//! surface, $\varepsilon_{xx} = \tfrac12(r_x\cdot r_x - 1)$, $\varepsilon_{yy}$, $\varepsilon_{xy} = \tfrac12 r_x\cdot
//! r_y$, under plane stress, and of bending, $\tfrac12 D\,(|r_{xx}|^2 + |r_{yy}|^2 + 2|r_{xy}|^2)$.

use std::ops::{Add, Mul};
use std::sync::Arc;

use huygens_core::contract::Weights;
use huygens_fea::element::batch::{Element, ElementState};
use huygens_fea::element::kind::{Built, Kind, MadeOf};
use huygens_fea::element::quadrature::Gauss;
use huygens_fea::mesh::CellKind;
use huygens_fea::section::material::Elastic;
use huygens_fea::structure::{self, NodeKind, Structure};
use huygens_fea::{FeaError, Result};
use huygens_kernel::Vec3;

/// A value with its derivatives x, y, xx, yy, xy.
#[derive(Clone, Copy)]
struct Jet([f64; 6]);

impl Add for Jet {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k] + other.0[k]))
    }
}

impl Mul for Jet {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let ([a, ax, ay, axx, ayy, axy], [b, bx, by, bxx, byy, bxy]) = (self.0, other.0);
        Self([
            a * b,
            ax * b + a * bx,
            ay * b + a * by,
            axx * b + 2.0 * ax * bx + a * bxx,
            ayy * b + 2.0 * ay * by + a * byy,
            axy * b + ax * by + ay * bx + a * bxy,
        ])
    }
}

/// Shape functions of place and slopes of all nodes with their derivatives, on a rectangle.
fn shapes(size: [f64; 2], at: [f64; 2]) -> Vec<[f64; 6]> {
    let one = |value: f64| Jet([value, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let x = Jet([at[0], 2.0 / size[0], 0.0, 0.0, 0.0, 0.0]);
    let y = Jet([at[1], 0.0, 2.0 / size[1], 0.0, 0.0, 0.0]);
    let mut out = Vec::new();
    for [a, b] in [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]] {
        let (u, w) = (one(a) * x, one(b) * y);
        let (right, up) = (one(1.0) + u, one(1.0) + w);
        let bow = one(2.0) + u + w + one(-1.0) * (x * x + y * y);
        out.push((one(0.125) * right * up * bow).0);
        out.push((one(size[0] / 16.0 * a) * right * right * (u + one(-1.0)) * up).0);
        out.push((one(size[1] / 16.0 * b) * up * up * (w + one(-1.0)) * right).0);
    }
    out
}

#[derive(Debug)]
struct Point {
    area: f64,
    shapes: Vec<[f64; 6]>,
}

/// One element.
#[derive(Clone, Debug)]
pub struct Plate {
    points: Arc<Vec<Point>>,
    thickness: f64,
    material: Elastic,
}

impl Plate {
    fn new(size: [f64; 2], thickness: f64, material: Elastic) -> Self {
        let line = Gauss::Four.points();
        let point = |&(x, a): &(f64, f64), &(y, b): &(f64, f64)| Point {
            area: a * b * size[0] * size[1],
            shapes: shapes(size, [2.0 * x - 1.0, 2.0 * y - 1.0]),
        };
        let points = line.iter().flat_map(|x| line.iter().map(move |y| point(x, y))).collect();
        Self { points: Arc::new(points), thickness, material }
    }

    /// Forces per strain over the thickness: along, across, shear; and the bending stiffness.
    fn stiffness(&self) -> [f64; 4] {
        let Elastic { young, poisson, .. } = self.material;
        let along = young * self.thickness / (1.0 - poisson * poisson);
        [
            along,
            poisson * along,
            0.5 * (1.0 - poisson) * along,
            along * self.thickness * self.thickness / 12.0,
        ]
    }

    /// Derivatives x, y, xx, yy, xy of the surface.
    fn derivatives(point: &Point, q: &[f64]) -> [Vec3; 5] {
        std::array::from_fn(|d| {
            point.shapes.iter().zip(q.chunks_exact(3)).map(|(s, x)| Vec3::from_slice(x) * s[d + 1]).sum()
        })
    }

    /// Forces in the surface: xx, yy, xy.
    fn tension(&self, [x, y, ..]: &[Vec3; 5]) -> [f64; 3] {
        let [along, across, shear, _] = self.stiffness();
        let (xx, yy) = (0.5 * (x.length_squared() - 1.0), 0.5 * (y.length_squared() - 1.0));
        [along * xx + across * yy, across * xx + along * yy, shear * x.dot(*y)]
    }
}

impl Element for Plate {
    const NODES: usize = 4;
    const POSITIONS: usize = 9;
    const COLUMNS: usize = 9;
    type Numbers = [f64; 36];

    fn evaluate(
        &self,
        at: &ElementState<'_>,
        _memory: &mut [f64],
        force: &mut [f64],
        mut tangent: Option<(&Weights, &mut [f64])>,
    ) {
        let [along, across, shear, bending] = self.stiffness();
        force.fill(0.0);
        if let Some((_, out)) = &mut tangent {
            out.fill(0.0);
        }
        for point in self.points.iter() {
            let r = Self::derivatives(point, at.q);
            let [xx, yy, xy] = self.tension(&r);
            for (out, s) in force.chunks_exact_mut(3).zip(&point.shapes) {
                let flat = r[0] * (xx * s[1] + xy * s[2]) + r[1] * (yy * s[2] + xy * s[1]);
                let bent = (r[2] * s[3] + r[3] * s[4] + r[4] * (2.0 * s[5])) * bending;
                let own = (flat + bent) * -point.area;
                (0..3).for_each(|k| out[k] += own[k]);
            }
            let Some((weights, out)) = &mut tangent else { continue };
            let weight = weights.stiffness * point.area;
            for (j, s) in point.shapes.iter().enumerate() {
                for (c, axis) in Vec3::AXES.into_iter().enumerate() {
                    let (dx, dy) = (axis * s[1], axis * s[2]);
                    let (exx, eyy) = (r[0].dot(dx), r[1].dot(dy));
                    let exy = dx.dot(r[1]) + r[0].dot(dy);
                    let (dxx, dyy, dxy) =
                        (along * exx + across * eyy, across * exx + along * eyy, shear * exy);
                    for (i, t) in point.shapes.iter().enumerate() {
                        let flat = r[0] * (dxx * t[1] + dxy * t[2])
                            + r[1] * (dyy * t[2] + dxy * t[1])
                            + dx * (xx * t[1] + xy * t[2])
                            + dy * (yy * t[2] + xy * t[1]);
                        let bent = axis * (bending * (s[3] * t[3] + s[4] * t[4] + 2.0 * s[5] * t[5]));
                        let own = (flat + bent) * weight;
                        (0..3).for_each(|k| out[(3 * i + k) * 36 + 3 * j + c] += own[k]);
                    }
                }
            }
        }
    }

    fn stored_energy(&self, q: &[f64], _memory: &[f64]) -> f64 {
        let bending = self.stiffness()[3];
        let one = |point: &Point| {
            let r = Self::derivatives(point, q);
            let [xx, yy, xy] = self.tension(&r);
            let [a, b] = [0, 1].map(|k| 0.5 * (r[k].length_squared() - 1.0));
            let bent = r[2].length_squared() + r[3].length_squared() + 2.0 * r[4].length_squared();
            0.5 * point.area * (xx * a + yy * b + xy * r[0].dot(r[1]) + bending * bent)
        };
        self.points.iter().map(one).sum()
    }

    fn for_each_mass(&self, mut f: impl FnMut(usize, usize, f64)) {
        for point in self.points.iter() {
            for (i, a) in point.shapes.iter().enumerate() {
                for (j, b) in point.shapes.iter().enumerate() {
                    let mass = self.material.density * self.thickness * point.area * a[0] * b[0];
                    (0..3).for_each(|k| f(3 * i + k, 3 * j + k, mass));
                }
            }
        }
    }
}

/// Plates of a thickness, rectangles at rest.
#[derive(Clone, Copy, Debug)]
pub struct PlateKind {
    /// Thickness [m].
    pub thickness: f64,
}

fn size(of: &Structure, element: &structure::Element) -> [f64; 2] {
    let place = |k: usize| of.nodes[element.nodes()[k] as usize].position;
    [place(0).distance(place(1)), place(1).distance(place(2))]
}

impl Kind for PlateKind {
    fn name(&self) -> &'static str {
        "plate"
    }

    fn cell(&self) -> CellKind {
        CellKind::Quadrilateral4
    }

    fn node_kinds(&self) -> &'static [NodeKind] {
        &[NodeKind::Slopes]
    }

    fn made_of(&self) -> MadeOf {
        MadeOf::Solid
    }

    fn check(&self, of: &Structure, element: &structure::Element, name: &str) -> Result<()> {
        let [a, b] = size(of, element);
        if a > 0.0 && b > 0.0 {
            return Ok(());
        }
        Err(FeaError::ZeroLength { element: name.into(), nodes: Vec::new(), length: a.min(b) })
    }

    fn build(&self, of: &Structure, index: u32) -> Result<Built> {
        let element = &of.elements[index as usize];
        let material = of.solids[element.made_of as usize];
        Ok(Built::new(Plate::new(size(of, element), self.thickness, material)))
    }

    fn mass(&self, of: &Structure, element: &structure::Element) -> f64 {
        let [a, b] = size(of, element);
        a * b * self.thickness * of.solids[element.made_of as usize].density
    }
}

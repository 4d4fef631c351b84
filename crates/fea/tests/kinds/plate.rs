//! A thin plate of four nodes with a position and two slopes: nine columns per node.
//!
//! The surface $r$ is an incomplete cubic over the unit square, which the bilinear map of its corners carries into the
//! plane xy; the slopes of the nodes are $r_x$ and $r_y$ there. Along an edge the surface depends on the two nodes of
//! the edge alone, so that neighbours of any shape meet. The energy is that of the strains in the surface, $\varepsilon_{xx} = \tfrac12(r_x\cdot r_x - 1)$, $\varepsilon_{yy}$, $\varepsilon_{xy} = \tfrac12 r_x\cdot
//! r_y$, under plane stress, and of bending, $\tfrac12 D\,(|r_{xx}|^2 + |r_{yy}|^2 + 2|r_{xy}|^2)$.

use std::ops::{Add, Mul};
use std::sync::Arc;

use huygens_core::contract::Weights;
use huygens_fea::element::batch::{Element, ElementState};
use huygens_fea::element::kind::{Built, Kind, MadeOf};
use huygens_fea::element::quadrature::Gauss;
use huygens_fea::mesh::CellKind;
use huygens_fea::output::{SolidState, von_mises};
use huygens_fea::section::material::Elastic;
use huygens_fea::structure::{self, NodeKind, Structure};
use huygens_fea::{FeaError, Result};
use huygens_kernel::{Mat3, Vec3};

/// A value with its derivatives by two coordinates: first, second, first twice, second twice, both.
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

/// Signs of the corners of the square.
const CORNERS: [[f64; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];

/// Where corners [m] in the plane carry the square: derivatives by its two coordinates at `at`, and the mixed one.
struct Map {
    by: [[f64; 2]; 2],
    mixed: [f64; 2],
}

impl Map {
    fn new(corners: &[[f64; 2]; 4], at: [f64; 2]) -> Self {
        let sum = |weight: &dyn Fn([f64; 2]) -> f64| -> [f64; 2] {
            std::array::from_fn(|k| CORNERS.iter().zip(corners).map(|(c, p)| 0.25 * weight(*c) * p[k]).sum())
        };
        Self {
            by: [sum(&|[a, b]| a * (1.0 + b * at[1])), sum(&|[a, b]| b * (1.0 + a * at[0]))],
            mixed: sum(&|[a, b]| a * b),
        }
    }

    fn determinant(&self) -> f64 {
        let [[a, b], [c, d]] = self.by;
        a * d - b * c
    }

    /// A value with its derivatives in the square, as one with those in the plane.
    fn carried(&self, [value, u, w, uu, ww, uw]: [f64; 6]) -> [f64; 6] {
        let [[xu, yu], [xw, yw]] = self.by;
        let per = 1.0 / self.determinant();
        // Coordinates of the square by those of the plane.
        let ([ux, wx], [uy, wy]) = ([yw * per, -yu * per], [-xw * per, xu * per]);
        let (x, y) = (ux * u + wx * w, uy * u + wy * w);
        let uw = uw - x * self.mixed[0] - y * self.mixed[1];
        [
            value,
            x,
            y,
            ux * ux * uu + 2.0 * ux * wx * uw + wx * wx * ww,
            uy * uy * uu + 2.0 * uy * wy * uw + wy * wy * ww,
            ux * uy * uu + (ux * wy + uy * wx) * uw + wx * wy * ww,
        ]
    }
}

/// Shape functions of place and slopes of all nodes with their derivatives in the plane.
fn shapes(corners: &[[f64; 2]; 4], at: [f64; 2]) -> Vec<[f64; 6]> {
    let one = |value: f64| Jet([value, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let x = Jet([at[0], 1.0, 0.0, 0.0, 0.0, 0.0]);
    let y = Jet([at[1], 0.0, 1.0, 0.0, 0.0, 0.0]);
    let here = Map::new(corners, at);
    let mut out = Vec::new();
    for [a, b] in CORNERS {
        let (u, w) = (one(a) * x, one(b) * y);
        let (right, up) = (one(1.0) + u, one(1.0) + w);
        let bow = one(2.0) + u + w + one(-1.0) * (x * x + y * y);
        // The slopes along the edges of the square are made of those in the plane.
        let along = one(0.125 * a) * right * right * (u + one(-1.0)) * up;
        let across = one(0.125 * b) * up * up * (w + one(-1.0)) * right;
        let [by_u, by_w] = Map::new(corners, [a, b]).by;
        out.push(here.carried((one(0.125) * right * up * bow).0));
        for k in 0..2 {
            out.push(here.carried((one(by_u[k]) * along + one(by_w[k]) * across).0));
        }
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
    fn new(corners: &[[f64; 2]; 4], thickness: f64, material: Elastic) -> Self {
        let line = Gauss::Four.points();
        let point = |&(x, a): &(f64, f64), &(y, b): &(f64, f64)| {
            let at = [2.0 * x - 1.0, 2.0 * y - 1.0];
            let area = 4.0 * a * b * Map::new(corners, at).determinant();
            Point { area, shapes: shapes(corners, at) }
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

    /// Strain of Green in the plane at rest; stress of Cauchy over the thickness at rest.
    fn solid_state(&self, q: &[f64], memory: &[f64]) -> Option<SolidState> {
        let area: f64 = self.points.iter().map(|point| point.area).sum();
        let (mut strain, mut stress) = (Mat3::ZERO, Mat3::ZERO);
        for point in self.points.iter() {
            let r = Self::derivatives(point, q);
            let [xx, yy, xy] = self.tension(&r);
            let [a, b] = [0, 1].map(|k| 0.5 * (r[k].length_squared() - 1.0));
            let c = 0.5 * r[0].dot(r[1]);
            let green = Mat3::from_cols(Vec3::new(a, c, 0.0), Vec3::new(c, b, 0.0), Vec3::ZERO);
            let second = Mat3::from_cols(Vec3::new(xx, xy, 0.0), Vec3::new(xy, yy, 0.0), Vec3::ZERO);
            let f = Mat3::from_cols(r[0], r[1], Vec3::ZERO);
            let share = point.area / area;
            strain += green * share;
            let ratio = r[0].cross(r[1]).length() * self.thickness;
            stress += f * second * f.transpose() * (share / ratio);
        }
        let energy = self.stored_energy(q, memory);
        Some(SolidState { strain, stress, von_mises: von_mises(&stress), energy })
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

/// Plates of a thickness; at rest they lie in the plane xy, and the slopes of their nodes along x and y.
#[derive(Clone, Copy, Debug)]
pub struct PlateKind {
    /// Thickness [m].
    pub thickness: f64,
}

fn corners(of: &Structure, element: &structure::Element) -> [[f64; 2]; 4] {
    std::array::from_fn(|k| {
        let place = of.nodes[element.nodes()[k] as usize].position;
        [place.x, place.y]
    })
}

/// Ratio of areas at the corner where it is least: above zero for a convex plate that is not upside down.
fn least_ratio(corners: &[[f64; 2]; 4]) -> f64 {
    CORNERS.iter().map(|at| Map::new(corners, *at).determinant()).fold(f64::INFINITY, f64::min)
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
        let ratio = least_ratio(&corners(of, element));
        if ratio > 0.0 {
            return Ok(());
        }
        let nodes = element.nodes().iter().map(|&n| of.node_name(n)).collect();
        Err(FeaError::Inverted { element: name.into(), nodes, volume: ratio * self.thickness })
    }

    fn build(&self, of: &Structure, index: u32) -> Result<Built> {
        let element = &of.elements[index as usize];
        let material = of.solids[element.made_of as usize];
        Ok(Built::new(Plate::new(&corners(of, element), self.thickness, material)))
    }

    fn mass(&self, of: &Structure, element: &structure::Element) -> f64 {
        let [a, b, c, d] = corners(of, element);
        let [across, along] = [[c[0] - a[0], c[1] - a[1]], [d[0] - b[0], d[1] - b[1]]];
        let area = 0.5 * (across[0] * along[1] - across[1] * along[0]);
        area * self.thickness * of.solids[element.made_of as usize].density
    }
}

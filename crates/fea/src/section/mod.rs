//! Cross-sections of beams, rods, cables and bars.
//!
//! The x axis of a section goes along the beam; y and z are its own axes through the centre.

pub mod material;

use std::f64::consts::PI;

use huygens_kernel::{Mat3, Vec3};

use crate::error::{FeaError, Result, positive};
use crate::section::material::Elastic;

/// A matrix over stretch, shear along y and z, twist, bending about y and z; row by row.
pub type SectionMatrix = [[f64; 6]; 6];

/// The shape of a cross-section.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Section {
    /// A full circle.
    Circle {
        /// Radius [m].
        radius: f64,
    },
    /// A rectangle.
    Rectangle {
        /// Size along y [m].
        width: f64,
        /// Size along z [m].
        height: f64,
    },
    /// A ring.
    Tube {
        /// Outer radius [m].
        radius: f64,
        /// Inner radius [m].
        inner_radius: f64,
    },
    /// Stiffness and inertia as they are; no material is asked.
    User {
        /// Forces and moments by strains and curvatures [N, N·m, N·m²].
        stiffness: SectionMatrix,
        /// Inertia per length [kg/m, kg, kg·m].
        inertia: SectionMatrix,
    },
}

/// Where a section lies on the line of its nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SectionPlace {
    /// Place [m] of the section's centre along y and z of the node's line.
    pub offset: [f64; 2],
    /// Turn of the section about the line [rad].
    pub angle: f64,
}

/// What elements ask of a section.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SectionValues {
    /// Stiffness of stretch and shear: EA, GA along y and z [N].
    pub stretch: [f64; 3],
    /// Stiffness of twist and bending: GJ, EI about y and z [N·m²].
    pub bending: [f64; 3],
    /// The rest of the stiffness, where it is not diagonal; its own diagonal is zero.
    pub coupling: Option<SectionMatrix>,
    /// Mass per length [kg/m].
    pub mass: f64,
    /// Inertia of rotation per length [kg·m], section axes.
    pub inertia: Mat3,
    /// Where the section lies.
    pub place: SectionPlace,
}

impl Section {
    /// Area [m²], second moments about y and z [m⁴] and the constant of twist [m⁴]; none for given matrices.
    pub fn areas(&self) -> Option<SectionAreas> {
        match *self {
            Self::Circle { radius } => Some(ring(radius, 0.0)),
            Self::Tube { radius, inner_radius } => Some(ring(radius, inner_radius)),
            Self::Rectangle { width, height } => Some(SectionAreas {
                area: width * height,
                bending: [width * height.powi(3) / 12.0, height * width.powi(3) / 12.0],
                twist: rectangle_twist(width, height),
            }),
            Self::User { .. } => None,
        }
    }

    /// Share of the area that shears (cowper1966).
    pub fn shear_share(&self, poisson: f64) -> f64 {
        let n = poisson;
        match *self {
            Self::Circle { .. } => 6.0 * (1.0 + n) / (7.0 + 6.0 * n),
            Self::Rectangle { .. } => 10.0 * (1.0 + n) / (12.0 + 11.0 * n),
            Self::Tube { radius, inner_radius } => {
                let m = (inner_radius / radius).powi(2);
                let whole = (1.0 + m).powi(2);
                6.0 * (1.0 + n) * whole / ((7.0 + 6.0 * n) * whole + (20.0 + 12.0 * n) * m)
            }
            Self::User { .. } => 1.0,
        }
    }

    /// What elements ask, from the shape and its material; `what` names the object in messages.
    pub fn values(&self, elastic: &Elastic, place: SectionPlace, what: &str) -> Result<SectionValues> {
        self.check(what)?;
        check_place(&place, what)?;
        if let Self::User { stiffness, inertia } = self {
            return user_values(stiffness, inertia, place, what);
        }
        elastic.check(what)?;
        let areas = self.areas().unwrap_or_default();
        let shear = self.shear_share(elastic.poisson) * elastic.shear() * areas.area;
        let [about_y, about_z] = areas.bending;
        Ok(SectionValues {
            stretch: [elastic.young * areas.area, shear, shear],
            bending: [elastic.shear() * areas.twist, elastic.young * about_y, elastic.young * about_z],
            coupling: None,
            mass: elastic.density * areas.area,
            inertia: Mat3::from_diagonal(Vec3::new(about_y + about_z, about_y, about_z) * elastic.density),
            place,
        })
    }

    /// Radius [m] of the round surface that stands for the section in contact; none for given matrices.
    pub fn radius(&self) -> Option<f64> {
        match *self {
            Self::Circle { radius } | Self::Tube { radius, .. } => Some(radius),
            Self::Rectangle { width, height } => Some(0.5 * width.min(height)),
            Self::User { .. } => None,
        }
    }

    fn check(&self, what: &str) -> Result<()> {
        match *self {
            Self::Circle { radius } => positive(what, "radius", radius),
            Self::Rectangle { width, height } => {
                positive(what, "width", width)?;
                positive(what, "height", height)
            }
            Self::Tube { radius, inner_radius } => {
                positive(what, "radius", radius)?;
                if inner_radius >= 0.0 && inner_radius < radius {
                    return Ok(());
                }
                Err(FeaError::Value {
                    what: what.into(),
                    name: "inner_radius",
                    value: inner_radius,
                    expected: "it must not be below zero and must be smaller than the radius",
                })
            }
            Self::User { .. } => Ok(()),
        }
    }
}

impl SectionValues {
    /// Values of the section between two, `share` from the first to the second.
    pub fn between(&self, other: &Self, share: f64) -> Self {
        let mix = |a: f64, b: f64| a + share * (b - a);
        let mix_three = |a: [f64; 3], b: [f64; 3]| std::array::from_fn(|k| mix(a[k], b[k]));
        let coupling = (self.coupling.is_some() || other.coupling.is_some()).then(|| {
            let (a, b) = (self.coupling.unwrap_or_default(), other.coupling.unwrap_or_default());
            std::array::from_fn(|i| std::array::from_fn(|j| mix(a[i][j], b[i][j])))
        });
        Self {
            stretch: mix_three(self.stretch, other.stretch),
            bending: mix_three(self.bending, other.bending),
            coupling,
            mass: mix(self.mass, other.mass),
            inertia: self.inertia + (other.inertia - self.inertia) * share,
            place: SectionPlace {
                offset: [0, 1].map(|k| mix(self.place.offset[k], other.place.offset[k])),
                angle: mix(self.place.angle, other.place.angle),
            },
        }
    }

    /// Diagonal of the stiffness: stretch and shear [N], twist and bending [N·m²].
    pub fn stiffness(&self) -> [f64; 6] {
        let ([a, b, c], [d, e, f]) = (self.stretch, self.bending);
        [a, b, c, d, e, f]
    }

    /// A section with a diagonal stiffness and no mass.
    pub fn elastic(stretch: [f64; 3], bending: [f64; 3]) -> Self {
        Self {
            stretch,
            bending,
            coupling: None,
            mass: 0.0,
            inertia: Mat3::ZERO,
            place: SectionPlace::default(),
        }
    }
}

/// Area and its second moments.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SectionAreas {
    /// Area [m²].
    pub area: f64,
    /// Second moments about y and z [m⁴].
    pub bending: [f64; 2],
    /// Constant of twist J [m⁴].
    pub twist: f64,
}

fn ring(radius: f64, inner: f64) -> SectionAreas {
    let bending = 0.25 * PI * (radius.powi(4) - inner.powi(4));
    SectionAreas { area: PI * (radius * radius - inner * inner), bending: [bending; 2], twist: 2.0 * bending }
}

/// Constant of twist of a rectangle after Saint-Venant: with the sides $s \le l$, $J = \tfrac13 l s^3 [1 -
/// \tfrac{192}{\pi^5}\tfrac sl\sum_{n\,\mathrm{odd}} n^{-5}\tanh\tfrac{n\pi l}{2s}]$.
fn rectangle_twist(width: f64, height: f64) -> f64 {
    // The sum with every tanh one is 31/32 ζ(5); what they lack of one falls off like exp(-n π).
    const ALL: f64 = 31.0 / 32.0 * 1.036_927_755_143_37;
    let (short, long) = (width.min(height), width.max(height));
    let lack: f64 = (0..8)
        .map(|k| {
            let n = f64::from(2 * k + 1);
            2.0 / ((n * PI * long / short).exp() + 1.0) / n.powi(5)
        })
        .sum();
    let share = 192.0 / PI.powi(5) * short / long * (ALL - lack);
    long * short.powi(3) / 3.0 * (1.0 - share)
}

fn check_place(place: &SectionPlace, what: &str) -> Result<()> {
    let [y, z] = place.offset;
    for (name, value) in [("offset.y", y), ("offset.z", z), ("angle", place.angle)] {
        if !value.is_finite() {
            let what = what.into();
            return Err(FeaError::Value { what, name, value, expected: "it must be a finite number" });
        }
    }
    Ok(())
}

fn user_values(
    stiffness: &SectionMatrix,
    inertia: &SectionMatrix,
    place: SectionPlace,
    what: &str,
) -> Result<SectionValues> {
    for (name, matrix) in [("stiffness", stiffness), ("inertia", inertia)] {
        let most = matrix.iter().flatten().fold(0.0, |most: f64, x| most.max(x.abs()));
        for (i, j) in (0..6).flat_map(|i| (0..i).map(move |j| (i, j))) {
            let value = matrix[i][j] - matrix[j][i];
            if value.is_nan() || value.abs() > 1e-9 * most {
                let expected =
                    "the matrix must be symmetric (this is the difference of two mirrored entries)";
                return Err(FeaError::Value { what: what.into(), name, value, expected });
            }
        }
    }
    if let Some(value) = worst_pivot(stiffness) {
        let expected = "the matrix must be positive definite (this is a pivot of it)";
        return Err(FeaError::Value { what: what.into(), name: "stiffness", value, expected });
    }
    let mass = inertia[0][0];
    let apart = (0..3)
        .all(|i| (0..6).all(|j| (inertia[i][j] - if i == j { mass } else { 0.0 }).abs() <= 1e-9 * mass));
    if !(mass >= 0.0 && apart) {
        return Err(FeaError::Mismatch {
            what: what.into(),
            reason: "inertia must have the same mass along x, y and z and no coupling of mass and rotation; \
                     put the line of the nodes through the centres of mass"
                .into(),
        });
    }
    let mut coupling = *stiffness;
    (0..6).for_each(|k| coupling[k][k] = 0.0);
    let diagonal = |k: usize| stiffness[k][k];
    let column = |j: usize| Vec3::new(inertia[3][j], inertia[4][j], inertia[5][j]);
    Ok(SectionValues {
        stretch: [0, 1, 2].map(diagonal),
        bending: [3, 4, 5].map(diagonal),
        coupling: coupling.iter().flatten().any(|x| *x != 0.0).then_some(coupling),
        mass,
        inertia: Mat3::from_cols(column(3), column(4), column(5)),
        place,
    })
}

/// The first pivot of a symmetric matrix that is not above zero.
fn worst_pivot(matrix: &SectionMatrix) -> Option<f64> {
    let mut a = *matrix;
    for k in 0..6 {
        if !(a[k][k] > 0.0 && a[k][k].is_finite()) {
            return Some(a[k][k]);
        }
        for i in k + 1..6 {
            let factor = a[i][k] / a[k][k];
            (k..6).for_each(|j| a[i][j] -= factor * a[k][j]);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALUMINIUM: Elastic = Elastic { young: 71.7e9, poisson: 0.31, density: 2700.0 };

    fn values(section: Section) -> SectionValues {
        section.values(&ALUMINIUM, SectionPlace::default(), "section 'a'").unwrap()
    }

    /// Twist of rectangles: coefficients of l s³ from tables (timoshenko1970).
    #[test]
    fn rectangles_twist_as_in_tables() {
        for (ratio, coefficient) in [(1.0, 0.1406), (1.5, 0.196), (2.0, 0.229), (4.0, 0.281), (10.0, 0.312)] {
            let j = rectangle_twist(0.3, 0.3 * ratio) / (0.3_f64.powi(4) * ratio);
            assert!((j - coefficient).abs() < 6e-4, "{ratio}: {j}");
            assert_eq!(rectangle_twist(0.3, 0.3 * ratio), rectangle_twist(0.3 * ratio, 0.3));
        }
    }

    /// The Princeton beam's published stiffnesses.
    #[test]
    fn princeton_section() {
        let v = values(Section::Rectangle { width: 12.377e-3, height: 3.2024e-3 });
        let near = |a: f64, b: f64| (a / b - 1.0).abs() < 2e-5;
        assert!(near(v.stretch[0], 2.84191e6), "{v:?}");
        // That one was taken from a formula good to 2e-4 for rectangles.
        assert!((v.bending[0] / 3.10380 - 1.0).abs() < 2e-4, "{v:?}");
        assert!(near(v.bending[1], 2.42873) && near(v.bending[2], 36.2794), "{v:?}");
    }

    #[test]
    fn a_thin_tube_is_a_ring_of_its_mean_radius() {
        let (r, t) = (0.1, 1e-5);
        let v = values(Section::Tube { radius: r + 0.5 * t, inner_radius: r - 0.5 * t });
        let area = std::f64::consts::TAU * r * t;
        assert!((v.stretch[0] / (ALUMINIUM.young * area) - 1.0).abs() < 1e-9);
        assert!((v.bending[1] / (ALUMINIUM.young * area * r * r / 2.0) - 1.0).abs() < 1e-7);
        // Half of the area shears, but for a small part (cowper1966).
        let share = v.stretch[1] / (ALUMINIUM.shear() * area);
        assert!((share - 2.0 * 1.31 / (4.0 + 3.0 * 0.31)).abs() < 1e-7);
        let full = values(Section::Tube { radius: r, inner_radius: 0.0 });
        assert_eq!(full, values(Section::Circle { radius: r }));
    }

    #[test]
    fn wrong_sections_are_refused() {
        let wrong = |section: Section| {
            section.values(&ALUMINIUM, SectionPlace::default(), "section 'a'").unwrap_err().to_string()
        };
        assert!(wrong(Section::Circle { radius: 0.0 }).contains("section 'a': radius = 0"));
        assert!(wrong(Section::Tube { radius: 1.0, inner_radius: 1.0 }).contains("inner_radius"));
        let mut stiffness = [[0.0; 6]; 6];
        (0..6).for_each(|k| stiffness[k][k] = 1.0);
        let mut inertia = stiffness;
        inertia[1][5] = 0.1;
        inertia[5][1] = 0.1;
        assert!(wrong(Section::User { stiffness, inertia }).contains("centres of mass"));
        stiffness[0][4] = 1.0;
        assert!(wrong(Section::User { stiffness, inertia }).contains("symmetric"));
        stiffness[4][0] = 1.0;
        assert!(wrong(Section::User { stiffness, inertia }).contains("positive definite"));
        let soft = Elastic { poisson: 0.5, ..ALUMINIUM };
        let error = Section::Circle { radius: 1.0 }.values(&soft, SectionPlace::default(), "section 'b'");
        assert!(error.unwrap_err().to_string().contains("poisson = 0.5"));
    }
}

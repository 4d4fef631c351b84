//! What a constraint fluid is, and how it is computed.

use huygens_kernel::Vec3;
use huygens_kernel::sph::{AnySmoothing, Smoothing, SmoothingKernel};

use crate::error::{Result, keyed_ranges};
use crate::sph::FlowSpace;

/// What keeps markers apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FluidLaw {
    /// The density of every marker.
    Density {
        /// Whether markers are also held together: every row is an equation, and free surfaces feel tension.
        bilateral: bool,
        /// Whether densities are divided by $\sum_j W_{ij}/n_j$ (shepard1968), which takes markers at a surface for
        /// those inside. The divisor counts as constant in the rows.
        normalized: bool,
    },
    /// Every pair, as balls without friction whose diameter is the spacing: the rigid-sphere fluid, for comparison.
    Spheres,
}

impl Default for FluidLaw {
    fn default() -> Self {
        Self::Density { bilateral: false, normalized: false }
    }
}

/// Moves markers apart that have come together, after the step (monaghan2000; macklin2013).
///
/// A marker is moved by $-k\,s^2\sum_j (W_{ij}/W(\Delta q))^n\,\nabla W_{ij}/n_0$, where $s^2$ is the inverse square of the
/// gradient of a lattice's density. Velocities stay, so momentum does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clumping {
    /// Strength k.
    pub strength: f64,
    /// Exponent n.
    pub exponent: i32,
    /// Distance Δq in units of the support radius of the kernel.
    pub distance: f64,
}

impl Default for Clumping {
    fn default() -> Self {
        Self { strength: 0.1, exponent: 4, distance: 0.2 }
    }
}

/// Markers as spheres of the contact stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarkerContact {
    /// Radius in units of the spacing: one half where walls have no markers, less where they have.
    pub radius: f64,
    /// Index of the material: of the contact model, or in a mechanism of its arena of materials.
    pub material: u16,
    /// Groups the balls belong to, as bits.
    pub group: u32,
    /// Groups they touch, as bits.
    pub mask: u32,
    /// Family of the contact stage: balls of one family never touch; 0 is not allowed.
    pub family: u32,
}

impl Default for MarkerContact {
    fn default() -> Self {
        Self { radius: 0.5, material: 0, group: 1, mask: u32::MAX, family: u32::MAX }
    }
}

/// Settings of a constraint fluid.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstraintFluidSettings {
    /// Space or plane.
    pub space: FlowSpace,
    /// Distance of markers [m].
    pub spacing: f64,
    /// Smoothing kernel, for values and gradients.
    pub kernel: SmoothingKernel,
    /// Length h of the kernel in units of the spacing. In space 1.1 makes pressures the smoothest, in a plane 1.6.
    pub length_ratio: f64,
    /// Density at rest [kg/m³].
    pub density: f64,
    /// Dynamic viscosity [Pa·s]: one more row per pair where it is above zero, along the line of centres, so that angular
    /// momentum stays.
    pub viscosity: f64,
    /// Share ε of the mean velocity of the neighbours that markers take on in a step (schechter2012): markers that
    /// rearrange would otherwise never come to rest. It acts as a viscosity of about $\epsilon\,\mathrm{spacing}^2/(5h)$.
    pub xsph: f64,
    /// What keeps markers apart.
    pub law: FluidLaw,
    /// Compliance of a density row in units of the inverse mass of a marker. Densities of a full fluid are nearly
    /// dependent; with e the fluid is about as soft as if sound went $\mathrm{spacing}/(h\sqrt e)$ fast.
    pub compliance: f64,
    /// Part of an excess of density that is removed in a step, above 0 and at most 1.
    pub stabilization: f64,
    /// Moves markers apart that have come together.
    pub clumping: Option<Clumping>,
    /// Markers as spheres of the contact stage.
    pub contact: Option<MarkerContact>,
    /// Least coordinate and length [m] of each periodic axis.
    pub periodic: [Option<[f64; 2]>; 3],
    /// Acceleration besides gravity [m/s²]. In a plane neither has a part along its normal.
    pub acceleration: Vec3,
}

impl Default for ConstraintFluidSettings {
    fn default() -> Self {
        Self {
            space: FlowSpace::Space,
            spacing: 0.01,
            kernel: SmoothingKernel::WendlandC2,
            length_ratio: 1.1,
            density: 1000.0,
            viscosity: 0.0,
            xsph: 0.05,
            law: FluidLaw::default(),
            compliance: 0.1,
            stabilization: 0.3,
            clumping: None,
            contact: None,
            periodic: [None; 3],
            acceleration: Vec3::ZERO,
        }
    }
}

/// Sums of a kernel over a lattice at the spacing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lattice {
    /// $n_0 = \sum W$ [1/m³].
    pub sum: f64,
    /// $s = 1/\sqrt{\sum |\nabla W/n_0|^2}$ [m].
    pub length: f64,
}

impl ConstraintFluidSettings {
    /// Length h of the kernel [m].
    pub fn length(&self) -> f64 {
        self.length_ratio * self.spacing
    }

    /// Distance [m] at which markers stop to feel each other.
    pub fn reach(&self) -> f64 {
        self.kernel.reach_ratio() * self.length()
    }

    /// Volume of a marker [m³, in the plane m²].
    pub fn volume(&self) -> f64 {
        self.spacing.powi(self.space.dimension().number() as i32)
    }

    /// Mass of a marker [kg, in the plane kg/m].
    pub fn mass(&self) -> f64 {
        self.density * self.volume()
    }

    pub(super) fn smoothing(&self) -> AnySmoothing {
        AnySmoothing::new(self.kernel, self.space.dimension(), self.length())
    }

    pub(super) fn periods(&self) -> [f64; 3] {
        std::array::from_fn(|k| self.periodic[k].map_or(0.0, |p| p[1]))
    }

    pub(super) fn lattice(&self) -> Lattice {
        let kernel = self.smoothing();
        let cells = (self.reach() / self.spacing).ceil() as i64;
        let (mut sum, mut squares) = (0.0, 0.0);
        let range = |k: usize| if self.space.normal() == Some(k) { 0..=0 } else { -cells..=cells };
        for z in range(2) {
            for y in range(1) {
                for x in range(0) {
                    let r = self.spacing * Vec3::new(x as f64, y as f64, z as f64).length();
                    sum += kernel.value(r);
                    if r > 0.0 {
                        squares += (kernel.slope(r) * r).powi(2);
                    }
                }
            }
        }
        Lattice { sum, length: sum / squares.sqrt() }
    }

    pub(super) fn check(&self) -> Result<()> {
        let range = keyed_ranges("a fluid");
        let positive = |x: f64| x > 0.0 && x.is_finite();
        for (key, value) in [("spacing", self.spacing), ("density", self.density)] {
            range(key, key, value, positive(value), "finite and above 0")?;
        }
        for (key, value) in [("viscosity", self.viscosity), ("compliance", self.compliance)] {
            range(key, key, value, value >= 0.0 && value.is_finite(), "finite and not below 0")?;
        }
        let push = self.acceleration.length();
        range("acceleration", "acceleration", push, push.is_finite(), "finite")?;
        range("xsph", "xsph", self.xsph, (0.0..=0.5).contains(&self.xsph), "0 to 0.5")?;
        let part = self.stabilization;
        range("stabilization", "stabilization", part, part > 0.0 && part <= 1.0, "above 0 and at most 1")?;
        let reach = self.kernel.reach_ratio() * self.length_ratio;
        range(
            "smoothing",
            "length of the kernel, in spacings,",
            self.length_ratio,
            (1.5..=4.5).contains(&reach),
            "such that the support radius of the kernel is 1.5 to 4.5 spacings",
        )?;
        if self.kernel == SmoothingKernel::Poly6Spiky {
            let expected = "another kernel: its gradient is not the derivative of its value, so the constraints would not reduce densities";
            return range("kernel", "kernel poly6/spiky", self.length_ratio, false, expected);
        }
        if let Some(Clumping { strength, exponent, distance }) = self.clumping {
            range(
                "clumping",
                "strength against clumping",
                strength,
                positive(strength),
                "finite and above 0",
            )?;
            range("clumping", "exponent against clumping", exponent.into(), exponent >= 1, "1 or more")?;
            let fine = distance > 0.0 && distance < 1.0;
            range(
                "clumping",
                "distance against clumping, in support radii,",
                distance,
                fine,
                "above 0 and below 1",
            )?;
        }
        if let Some(MarkerContact { radius, family, .. }) = self.contact {
            range(
                "contact",
                "radius of spheres, in spacings,",
                radius,
                positive(radius),
                "finite and above 0",
            )?;
            range(
                "contact",
                "collision family of spheres",
                family.into(),
                family != 0,
                "not 0: they would collide with each other",
            )?;
        }
        self.space.check(&self.periodic, self.reach())
    }
}

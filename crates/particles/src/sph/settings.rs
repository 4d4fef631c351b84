//! What a fluid is, and how it is computed.

use huygens_kernel::Vec3;
use huygens_kernel::sph::{Rheology, SmoothingKernel, SpaceDimension, StateEquation, StepLimits};

use crate::error::{Result, keyed_ranges};

/// Space, or a plane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FlowSpace {
    /// Three dimensions.
    #[default]
    Space,
    /// A plane along the axes; masses, forces and energies are per metre of its normal.
    Plane {
        /// Axis of the normal: 0, 1 or 2.
        normal: usize,
    },
}

impl FlowSpace {
    /// Number of dimensions.
    pub fn dimension(self) -> SpaceDimension {
        match self {
            Self::Space => SpaceDimension::Three,
            Self::Plane { .. } => SpaceDimension::Two,
        }
    }

    /// Axis of the normal of a plane.
    pub fn normal(self) -> Option<usize> {
        match self {
            Self::Space => None,
            Self::Plane { normal } => Some(normal),
        }
    }

    /// Refuses a normal that is no axis, and lower bounds and lengths of periodic axes that are out of range for a kernel
    /// that reaches so far [m].
    pub(crate) fn check(self, periodic: &[Option<[f64; 2]>; 3], reach: f64) -> Result<()> {
        let range = keyed_ranges("a fluid");
        if let Some(normal) = self.normal() {
            range("plane", "normal of the plane", normal as f64, normal < 3, "axis 0, 1 or 2")?;
            let repeats = periodic[normal].is_some();
            range("periodic", "period along the normal of the plane", 0.0, !repeats, "left out")?;
        }
        for [low, length] in periodic.iter().flatten() {
            range("periodic", "lower bound of a periodic box", *low, low.is_finite(), "finite")?;
            let fine = length.is_finite() && *length >= 2.0 * reach;
            let expected = "finite and at least twice the support radius of the kernel";
            range("periodic", "length of a periodic box", *length, fine, expected)?;
        }
        Ok(())
    }

    /// A point or vector in the plane of the flow; in space it stays as it is.
    pub fn project(self, mut vector: Vec3) -> Vec3 {
        if let Self::Plane { normal } = self {
            vector[normal] = 0.0;
        }
        vector
    }
}

/// How viscous forces between two particles are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ViscousForm {
    /// $\frac{(\mu_a + \mu_b)\,x\cdot\nabla W}{\rho_a\rho_b\,x^2}\,v$ (morris1997). Not along the line of centres: a body that
    /// turns with the fluid about it is still pushed on, by $\mu\,\omega\times n$ an area.
    #[default]
    Morris,
    /// The same with $\rho_a\rho_b$ by way of the mean of $1/\rho$ (lo2002).
    Laminar,
    /// Along the line of centres, $2(d+2)\frac{\mu\,(v\cdot x)}{\bar\rho^2(x^2 + \epsilon h^2)}\nabla W$ (cleary1998; hu2006): conserves
    /// angular momentum, and lets fluids of any bulk viscosity 5μ/3 be damped in compression.
    Central,
}

/// How walls answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WallModel {
    /// Velocity of the wall, and the mean pressure of the fluid near it.
    Projected,
    /// Velocity that makes the mean of fluid and wall that of the wall, and pressure from the balance of forces
    /// (adami2012).
    #[default]
    Balanced,
}

/// How density is reinitialized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DensityFilter {
    /// Mean of zeroth order (shepard1968): $\rho_a = \sum m W / \sum (m/\rho) W$.
    Shepard,
    /// Moving least squares: right for fields that are linear (dilts1999).
    Consistent,
}

/// Time integration scheme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeScheme {
    /// Half a kick, a drift, half a kick, with one evaluation per step.
    #[default]
    Leapfrog,
    /// Rates at the middle of the step, which is predicted from the step before (monaghan1989).
    PredictorCorrector,
}

/// Particles are moved to where there are fewer (lind2012; sun2017).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shifting {
    /// Strength A: a particle moves by $-A\,h\,v_{max}\,\Delta t\,\nabla C$ with the greatest speed of the flow, so that
    /// it also works where the flow stands still; at most at half that speed.
    pub strength: f64,
    /// Whether particles with too few neighbours stay, as at a free surface. If not given, all particles are shifted while
    /// the fluid fills its room, where gaps are to be closed, and none as soon as any has as few neighbours as at a
    /// surface.
    pub free_surface: Option<bool>,
}

impl Shifting {
    /// Whether particles are shifted in a fluid that has a free surface or fills its room.
    pub(crate) fn acts(&self, open: bool) -> bool {
        self.free_surface.is_some() || !open
    }
}

impl Default for Shifting {
    fn default() -> Self {
        Self { strength: 8.0, free_surface: None }
    }
}

/// Settings of a fluid.
#[derive(Clone, Debug, PartialEq)]
pub struct FluidSettings {
    /// Space or plane.
    pub space: FlowSpace,
    /// Distance of particles [m].
    pub spacing: f64,
    /// Smoothing kernel.
    pub kernel: SmoothingKernel,
    /// Length h of the kernel in units of the spacing. On a lattice, slopes of Wendland C² are 0.3 % too small at 1.5
    /// and 2.6 % at 1.3 in the plane, those of the quintic spline 0.1 % too large at 1.
    pub length_ratio: f64,
    /// Density at rest [kg/m³].
    pub density: f64,
    /// Speed of sound [m/s]: ten times the greatest speed of the flow keeps density within 1 %.
    pub sound: f64,
    /// Equation of state.
    pub state: StateEquation,
    /// Whether pressure may fall below zero.
    pub tension: bool,
    /// Acceleration of gravity and other body forces [m/s²].
    pub gravity: Vec3,
    /// Viscosity.
    pub rheology: Rheology,
    /// How viscous forces are found.
    pub viscous_form: ViscousForm,
    /// Artificial viscosity α: acts on particles of fluid that approach (monaghan1992), and stands for a viscosity of about
    /// $\alpha hc/(2(d+2))$. A fluid that is more viscous has none, any other what it lacks.
    pub artificial: f64,
    /// Diffusion of density δ (molteni2009; antuono2010); 0.1 is usual.
    pub diffusion: f64,
    /// Share ε of the mean velocity of the neighbours by which particles are moved (monaghan1989).
    pub xsph: f64,
    /// Particle shifting.
    pub shifting: Option<Shifting>,
    /// Filter of density, and after how many steps.
    pub density_filter: Option<(DensityFilter, u64)>,
    /// Whether gradients are corrected so that those of linear fields are exact (bonet1999).
    pub gradient_correction: bool,
    /// How walls answer.
    pub walls: WallModel,
    /// Time scheme.
    pub scheme: TimeScheme,
    /// Shares of the longest stable step.
    pub limits: StepLimits,
    /// Least coordinate and length [m] of each periodic axis.
    pub periodic: [Option<[f64; 2]>; 3],
}

impl Default for FluidSettings {
    fn default() -> Self {
        Self {
            space: FlowSpace::Space,
            spacing: 0.01,
            kernel: SmoothingKernel::WendlandC2,
            length_ratio: 1.5,
            density: 1000.0,
            sound: 30.0,
            state: StateEquation::default(),
            tension: true,
            gravity: Vec3::new(0.0, 0.0, -9.81),
            rheology: Rheology::Newtonian { viscosity: 1e-3 },
            viscous_form: ViscousForm::Morris,
            artificial: 0.005,
            diffusion: 0.1,
            xsph: 0.0,
            shifting: Some(Shifting::default()),
            density_filter: None,
            gradient_correction: false,
            walls: WallModel::Balanced,
            scheme: TimeScheme::Leapfrog,
            limits: StepLimits::default(),
            periodic: [None; 3],
        }
    }
}

impl FluidSettings {
    /// Length h of the kernel [m].
    pub fn length(&self) -> f64 {
        self.length_ratio * self.spacing
    }

    /// Distance [m] at which particles stop to feel each other.
    pub fn reach(&self) -> f64 {
        self.kernel.reach_ratio() * self.length()
    }

    /// Mass of a particle [kg, in the plane kg/m].
    pub fn mass(&self) -> f64 {
        self.density * self.volume()
    }

    /// Volume of a particle at rest [m³, in the plane m²].
    pub fn volume(&self) -> f64 {
        self.spacing.powi(self.space.dimension().number() as i32)
    }

    /// Refuses numbers out of range.
    pub fn check(&self) -> Result<()> {
        let range = keyed_ranges("a fluid");
        let positive = |x: f64| x > 0.0 && x.is_finite();
        let not_negative = |x: f64| x >= 0.0 && x.is_finite();
        for (key, what, value) in [
            ("spacing", "spacing", self.spacing),
            ("density", "density", self.density),
            ("sound_speed", "speed of sound", self.sound),
        ] {
            range(key, what, value, positive(value), "finite and above 0")?;
        }
        let ratio = self.length_ratio;
        let reach = self.kernel.reach_ratio() * ratio;
        range(
            "smoothing",
            "length of the kernel, in spacings,",
            ratio,
            (1.5..=4.5).contains(&reach),
            "such that the support radius of the kernel is 1.5 to 4.5 spacings",
        )?;
        for (key, what, value) in [
            ("artificial", "artificial viscosity", self.artificial),
            ("diffusion", "diffusion of density", self.diffusion),
            ("xsph", "xsph", self.xsph),
        ] {
            range(key, what, value, not_negative(value), "finite and not below 0")?;
        }
        if let StateEquation::Tait { exponent } = self.state {
            range(
                "state",
                "exponent of the equation of state",
                exponent,
                positive(exponent),
                "finite and above 0",
            )?;
        }
        let greatest = self.rheology.greatest();
        range("rheology", "viscosity", greatest, not_negative(greatest), "finite and not below 0")?;
        if let Rheology::PowerLaw { consistency, exponent, .. }
        | Rheology::HerschelBulkley { consistency, exponent, .. } = self.rheology
        {
            range(
                "rheology",
                "consistency",
                consistency,
                not_negative(consistency),
                "finite and not below 0",
            )?;
            range(
                "rheology",
                "exponent of the viscosity",
                exponent,
                positive(exponent),
                "finite and above 0",
            )?;
        }
        if let Rheology::HerschelBulkley { yield_stress, sharpness, .. } = self.rheology {
            range(
                "rheology",
                "yield stress",
                yield_stress,
                not_negative(yield_stress),
                "finite and not below 0",
            )?;
            range(
                "rheology",
                "sharpness of the yield stress",
                sharpness,
                positive(sharpness),
                "finite and above 0",
            )?;
        }
        if let Some(Shifting { strength, .. }) = self.shifting {
            range("shifting", "strength of shifting", strength, positive(strength), "finite and above 0")?;
        }
        if let Some((_, every)) = self.density_filter {
            range("density_filter", "number of steps between filters", every as f64, every > 0, "1 or more")?;
        }
        for (what, value) in [
            ("share of the acoustic step", self.limits.sound),
            ("share of the viscous step", self.limits.viscosity),
            ("share of the step of accelerations", self.limits.force),
        ] {
            range("courant", what, value, positive(value), "finite and above 0")?;
        }
        range("acceleration", "gravity", self.gravity.length(), self.gravity.is_finite(), "finite")?;
        self.space.check(&self.periodic, self.reach())?;
        let off = self.space.normal().map_or(0.0, |normal| self.gravity[normal]);
        range("acceleration", "gravity along the normal of the plane", off, off == 0.0, "0")
    }
}

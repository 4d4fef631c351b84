//! Settings of fluids, from what scenes say of them.

use glam::DVec3;
use huygens_kernel::sph::Rheology;
use huygens_spec::{
    ClumpingSpec, DensityFilterType, FlowPlane, FluidLawType, FluidScheme, FluidSpec, FluidWallModel,
    ViscousType,
};

use crate::constraint_fluid::{Clumping, ConstraintFluid, ConstraintFluidSettings, FluidLaw, MarkerContact};
use crate::sph::{DensityFilter, FlowSpace, FluidSettings, Shifting, TimeScheme, ViscousForm, WallModel};

impl From<Option<FlowPlane>> for FlowSpace {
    fn from(plane: Option<FlowPlane>) -> Self {
        plane.map_or(Self::Space, |plane| Self::Plane { normal: plane.normal() })
    }
}

impl FluidSettings {
    /// Settings of a weakly compressible fluid, with gravity and all [m/s²] and a speed of sound [m/s].
    pub fn described(spec: &FluidSpec, acceleration: DVec3, sound: f64) -> Self {
        let water = Rheology::Newtonian { viscosity: spec.viscosity.unwrap_or(1e-3) };
        let mut settings = FluidSettings {
            space: spec.plane.into(),
            spacing: spec.spacing,
            kernel: spec.kernel.into(),
            length_ratio: spec.length_ratio(),
            density: spec.density,
            sound,
            state: spec.state.into(),
            tension: spec.tension,
            gravity: acceleration,
            rheology: spec.rheology.map_or(water, Rheology::from),
            viscous_form: match spec.viscous {
                ViscousType::Morris => ViscousForm::Morris,
                ViscousType::Laminar => ViscousForm::Laminar,
                ViscousType::Central => ViscousForm::Central,
            },
            artificial: spec.artificial,
            diffusion: spec.diffusion,
            xsph: spec.xsph.unwrap_or(0.0),
            shifting: spec.shifting.map(|s| Shifting { strength: s.strength, free_surface: s.free_surface }),
            density_filter: spec.density_filter.map(|filter| {
                let kind = match filter.kind {
                    DensityFilterType::Shepard => DensityFilter::Shepard,
                    DensityFilterType::Consistent => DensityFilter::Consistent,
                };
                (kind, filter.every)
            }),
            gradient_correction: spec.gradient_correction,
            walls: match spec.wall_model {
                FluidWallModel::Projected => WallModel::Projected,
                FluidWallModel::Balanced => WallModel::Balanced,
            },
            scheme: match spec.scheme {
                FluidScheme::Leapfrog => TimeScheme::Leapfrog,
                FluidScheme::PredictorCorrector => TimeScheme::PredictorCorrector,
            },
            periodic: spec.periodic.axes().map(|(_, axis)| axis.map(|[low, high]| [low, high - low])),
            ..FluidSettings::default()
        };
        if let Some(courant) = spec.courant {
            settings.limits.sound = courant;
        }
        settings
    }
}

impl ConstraintFluidSettings {
    /// Settings of a constraint fluid, the contact material of whose markers has a number.
    pub fn described(spec: &FluidSpec, material: u16) -> Self {
        let usual = ConstraintFluidSettings::default();
        let law = match spec.law.unwrap_or_default() {
            FluidLawType::Spheres => FluidLaw::Spheres,
            FluidLawType::Density => FluidLaw::Density {
                bilateral: spec.bilateral.unwrap_or(false),
                normalized: spec.normalized.unwrap_or(false),
            },
        };
        ConstraintFluidSettings {
            space: spec.plane.into(),
            spacing: spec.spacing,
            kernel: spec.kernel.into(),
            length_ratio: spec.length_ratio(),
            density: spec.density,
            viscosity: spec.viscosity.unwrap_or(usual.viscosity),
            xsph: spec.xsph.unwrap_or(usual.xsph),
            law,
            compliance: spec.compliance.unwrap_or(usual.compliance),
            stabilization: spec.stabilization.unwrap_or(usual.stabilization),
            clumping: spec.clumping.map(|ClumpingSpec { strength, exponent, distance }| Clumping {
                strength,
                exponent,
                distance,
            }),
            contact: spec.contact.as_ref().map(|contact| MarkerContact {
                radius: contact.radius,
                material,
                ..MarkerContact::default()
            }),
            periodic: spec.periodic.axes().map(|(_, axis)| axis.map(|[low, high]| [low, high - low])),
            acceleration: DVec3::from_array(spec.acceleration),
        }
    }
}

/// The first key of a fluid that is wrong, and what is wrong with it; walls and fills are not looked at.
pub fn check_fluid(spec: &FluidSpec) -> Result<(), (String, String)> {
    spec.check()?;
    let (keys, refused) = if spec.is_constraint() {
        let settings = ConstraintFluidSettings::described(spec, 0);
        (&CONSTRAINT_KEYS[..], ConstraintFluid::new(&spec.name, settings).err())
    } else {
        // What the particle system will refuse in any gravity.
        let settings = FluidSettings::described(spec, DVec3::ZERO, spec.sound_speed.unwrap_or(1.0));
        (&WEAKLY_KEYS[..], settings.check().err())
    };
    let Some(refused) = refused else { return Ok(()) };
    let text = refused.to_string();
    let key = keys.iter().find(|(part, _)| text.contains(part)).map_or("name", |(_, key)| key);
    Err((key.to_owned(), text))
}

const WEAKLY_KEYS: [(&str, &str); 13] = [
    ("length of the kernel", "smoothing"),
    ("artificial", "artificial"),
    ("diffusion", "diffusion"),
    ("xsph", "xsph"),
    ("equation of state", "state"),
    ("shifting", "shifting"),
    ("filters", "density_filter"),
    ("periodic box", "periodic"),
    ("period along", "periodic"),
    ("acoustic", "courant"),
    ("viscosity", "rheology"),
    ("consistency", "rheology"),
    ("yield", "rheology"),
];

const CONSTRAINT_KEYS: [(&str, &str); 10] = [
    ("length of the kernel", "smoothing"),
    ("xsph", "xsph"),
    ("viscosity", "viscosity"),
    ("compliance", "compliance"),
    ("stabilization", "stabilization"),
    ("clumping", "clumping"),
    ("spheres, in", "contact"),
    ("periodic box", "periodic"),
    ("period along", "periodic"),
    ("kernel", "kernel"),
];

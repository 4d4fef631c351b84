//! Settings of fluids, from what scenes say of them.

use huygens_kernel::Vec3;
use huygens_kernel::sph::Rheology;
use huygens_spec::{
    ClumpingSpec, DensityFilterType, FlowPlane, FluidLawType, FluidScheme, FluidSpec, FluidWallModel,
    ShiftingSpec, ViscousType,
};

use crate::ParticleError;
use crate::constraint_fluid::{Clumping, ConstraintFluid, ConstraintFluidSettings, FluidLaw, MarkerContact};
use crate::sph::{
    Bounds, DensityFilter, FlowSpace, FluidInlet, FluidOutlet, FluidSettings, FluidSystem, MarkerLayout,
    Shifting, TimeScheme, ViscousForm, WallModel,
};

impl From<Option<FlowPlane>> for FlowSpace {
    fn from(plane: Option<FlowPlane>) -> Self {
        plane.map_or(Self::Space, |plane| Self::Plane { normal: plane.normal() })
    }
}

impl FluidSettings {
    /// Settings of a weakly compressible fluid, with gravity and all [m/s²] and a speed of sound [m/s].
    pub fn described(spec: &FluidSpec, acceleration: Vec3, sound: f64) -> Self {
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
            shifting: match spec.shifting.unwrap_or_default() {
                ShiftingSpec { strength: 0.0, .. } => None,
                ShiftingSpec { strength, free_surface } => Some(Shifting { strength, free_surface }),
            },
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
            acceleration: Vec3::from_array(spec.acceleration),
        }
    }
}

impl FluidSystem {
    /// Adds the inlets, outlets and bounds that are described; otherwise the path of the key that is wrong.
    pub fn add_described_gates(&mut self, spec: &FluidSpec) -> Result<(), (String, ParticleError)> {
        let v = Vec3::from_array;
        let space = self.settings().space;
        let flat = |vector| space.project(v(vector));
        for (k, inlet) in spec.inlets.iter().enumerate() {
            let [along, across] = inlet.size;
            MarkerLayout::new(self.settings())
                .check_cells(Vec3::new(along, across, across))
                .map_err(|e| (format!("inlets.{k}.size"), e))?;
            self.add_inlet(FluidInlet {
                name: inlet.name.clone(),
                center: flat(inlet.center),
                velocity: flat(inlet.velocity),
                along: flat(inlet.along),
                sides: inlet.size,
            })
            .map_err(|e| (format!("inlets.{k}"), e))?;
        }
        for (k, outlet) in spec.outlets.iter().enumerate() {
            let (point, normal) = (v(outlet.position), v(outlet.normal));
            self.add_outlet(FluidOutlet { name: outlet.name.clone(), point, normal })
                .map_err(|e| (format!("outlets.{k}"), e))?;
        }
        if let Some(bounds) = spec.bounds {
            let (mut low, mut high) = (v(bounds.low), v(bounds.high));
            if let Some(normal) = space.normal() {
                (low[normal], high[normal]) = (-spec.spacing, spec.spacing);
            }
            self.set_bounds(Bounds { low, high, closed: bounds.closed })
                .map_err(|e| ("bounds".to_owned(), e))?;
        }
        Ok(())
    }
}

/// The first key of a fluid that is wrong, and what is wrong with it; walls are not looked at.
pub fn check_fluid(spec: &FluidSpec) -> Result<(), (String, String)> {
    spec.check()?;
    let refused = if spec.is_constraint() {
        let settings = ConstraintFluidSettings::described(spec, 0);
        ConstraintFluid::new(&spec.name, settings).err()
    } else {
        // What the particle system will refuse in any gravity.
        let settings = FluidSettings::described(spec, Vec3::ZERO, spec.sound_speed.unwrap_or(1.0));
        settings.check().err()
    };
    if let Some(refused) = refused {
        return Err((refused.key().unwrap_or("name").to_owned(), refused.to_string()));
    }
    for (k, fill) in spec.fills.iter().enumerate() {
        let given = [fill.region.is_some(), fill.mesh.is_some(), fill.points.is_some()];
        if given.iter().filter(|x| **x).count() != 1 {
            let problem = "a fill needs exactly one of `region`, `mesh` and `points`";
            return Err((format!("fills.{k}"), problem.into()));
        }
        if !fill.velocity.iter().all(|x| x.is_finite()) {
            return Err((format!("fills.{k}.velocity"), "all components must be finite".into()));
        }
    }
    Ok(())
}

//! What grains are, apart from where they are: laws, materials, box and fields of force.

use std::sync::Arc;

use huygens_kernel::Vec3;
use huygens_kernel::contact::{CompliantComposite, CompliantMaterial, CompliantModel, CompliantPair};

use crate::error::{ParticleError, Result};
use crate::grains::contacts::Laws;
use crate::grains::history::HistoryLayout;
use crate::grains::surroundings::{ForceField, NearField};
use crate::grid::Periodic;
use crate::in_place::clone_in_place;

/// Settings of a system.
#[derive(Clone, Debug, PartialEq)]
pub struct GrainSettings {
    /// Laws of contact.
    pub model: CompliantModel,
    /// Materials of grains and walls, by index.
    pub materials: Vec<CompliantMaterial>,
    /// Acceleration of gravity [m/s²].
    pub gravity: Vec3,
    /// Least coordinate and length [m] of each periodic axis.
    pub periodic: [Option<[f64; 2]>; 3],
    /// Pairs of materials, by index, with coefficients of their own; the last counts.
    pub pairs: Vec<(usize, usize, CompliantComposite)>,
}

impl Default for GrainSettings {
    fn default() -> Self {
        Self {
            model: CompliantModel::default(),
            materials: vec![CompliantMaterial::default()],
            gravity: Vec3::new(0.0, 0.0, -9.81),
            periodic: [None; 3],
            pairs: Vec::new(),
        }
    }
}

impl GrainSettings {
    fn check(&self) -> Result<()> {
        let refuse = |what: &str, value, expected| Err(ParticleError::range(what, value, expected));
        let count = self.materials.len();
        if count > MATERIALS {
            return refuse("the number of materials", count as f64, "256 or less");
        }
        for [low, length] in self.periodic.iter().flatten() {
            if !low.is_finite() {
                return refuse("the lower bound of a periodic box", *low, "finite");
            }
            if !(*length > 0.0 && length.is_finite()) {
                return refuse("the length of a periodic box", *length, "finite and above 0");
            }
        }
        Ok(())
    }
}

/// Most materials: fields have a byte for them.
const MATERIALS: usize = 256;

/// What stays the same during steps: loops read it, and nothing in it is part of a saved state but gravity.
#[derive(Debug)]
pub(crate) struct GrainModel {
    pub settings: GrainSettings,
    pub laws: Laws,
    pub periodic: Periodic,
    /// Fields of force.
    pub surroundings: Vec<Arc<dyn ForceField>>,
    /// Forces between grains that do not touch.
    pub near: Option<NearField>,
    /// Why grains cannot have a material.
    pub refused: Vec<Option<ParticleError>>,
}

clone_in_place!(GrainModel { settings, laws, periodic, surroundings, near, refused });

impl GrainModel {
    /// A model without fields of force.
    pub fn new(settings: GrainSettings) -> Result<Self> {
        let count = settings.materials.len();
        settings.check()?;
        settings.model.check().map_err(|reason| ParticleError::Law { reason })?;
        let mut pairs = Vec::with_capacity(count * count);
        let mut refused = vec![None; count];
        for (a, of_a) in settings.materials.iter().enumerate() {
            of_a.check().map_err(|reason| ParticleError::Pair { a, b: a, reason })?;
            for (b, of_b) in settings.materials.iter().enumerate() {
                let own = settings.pairs.iter().rev().find(|p| [(a, b), (b, a)].contains(&(p.0, p.1)));
                let pair = match own {
                    Some((_, _, composite)) => CompliantPair::new(&settings.model, composite),
                    None => CompliantPair::of_materials(&settings.model, of_a, of_b),
                };
                // Materials that do not go together, as two rigid ones, are refused when a grain has one.
                if let Err(reason) = pair {
                    refused[a] = Some(ParticleError::Pair { a, b, reason });
                }
                pairs.push(pair.unwrap_or_default());
            }
        }
        let layout = HistoryLayout::new(&settings.model, &pairs);
        let laws = Laws { model: settings.model, pairs, materials: count, layout };
        let periodic = Periodic { axes: settings.periodic };
        Ok(Self { settings, laws, periodic, surroundings: Vec::new(), near: None, refused })
    }

    /// Coefficients of two materials.
    pub fn law_of(&self, a: usize, b: usize) -> &CompliantPair {
        &self.laws.pairs[a * self.laws.materials + b]
    }
}

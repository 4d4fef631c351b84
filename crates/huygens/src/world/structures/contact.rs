//! How structures touch.

use huygens_fea::element::batch::NodePlace;
use huygens_fea::structure::Structure;
use huygens_fea::surface::{ContactSurface, Surface, SurfaceShape};

use super::{StructureId, make};
use crate::spec::{DEFAULT_MATERIAL, StructureContactType, StructureSpec};
use crate::world::coordinates::Owner;
use crate::world::{Result, World, WorldError};

impl World {
    /// Gives a structure the surface that its description asks for; the number of its collision shapes.
    pub(super) fn add_surface(
        &mut self,
        owner: Owner<'_>,
        spec: &StructureSpec,
        made: &mut Structure,
    ) -> Result<usize> {
        let Some(contact) = &spec.contact else { return Ok(0) };
        let name = contact.material.as_deref().unwrap_or(DEFAULT_MATERIAL);
        let material = self.material_of(name).map_err(|suggestion| WorldError::Input {
            section: owner.section,
            name: owner.name.into(),
            field: Some("contact.material".into()),
            problem: format!("there is no material '{name}'"),
            suggestion,
        })?;
        let segments = contact.pieces.unwrap_or(1);
        let shape = match contact.shape {
            None if contact.pieces.is_none() => SurfaceShape::Automatic,
            None | Some(StructureContactType::Capsules) => SurfaceShape::Capsules { segments },
            Some(StructureContactType::Spheres) => SurfaceShape::Spheres { segments },
            Some(StructureContactType::Skin) => SurfaceShape::Automatic,
        };
        let surface = ContactSurface {
            material: material.index(),
            radius: contact.radius,
            shape,
            self_contact: contact.self_contact,
            group: 1,
            mask: u32::MAX,
        };
        made.contact = Some(surface);
        let tried = Surface::new(made, surface, &|_| NodePlace::default());
        let tried = tried.map_err(|e| match make::blame(owner, e) {
            WorldError::Input { section, name, problem, suggestion, .. } => {
                WorldError::Input { section, name, field: Some("contact".into()), problem, suggestion }
            }
            other => other,
        })?;
        Ok(tried.count())
    }

    /// The structure of each collision shape that structures have, in the order of the model.
    pub(in crate::world) fn structure_proxies(&self) -> impl Iterator<Item = StructureId> + '_ {
        let sets = self.objects.structures.iter().enumerate();
        sets.flat_map(|(k, set)| std::iter::repeat_n(StructureId(k), set.proxies))
    }
}

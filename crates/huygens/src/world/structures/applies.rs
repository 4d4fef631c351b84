//! Keys of a description that say nothing about what is there: refused, not passed over.

use huygens_fea::structure::{Element, Structure};

use super::make::{Made, Wrong};
use crate::spec::{ElementType, SectionType, StructureContactSpec, StructureContactType, StructureSpec};

fn wrong(key: &str, problem: &str) -> Wrong {
    (key.to_owned(), problem.to_owned())
}

/// The first key that does not apply to the elements of a structure.
pub(super) fn check_keys(made: &Structure, spec: &StructureSpec) -> Made<()> {
    let any = |f: fn(&Element) -> bool| made.elements.iter().any(f);
    let lines = any(|e| e.section().is_some());
    let solids = any(|e| !e.is_line());
    let turned = any(|e| e.section().is_some() && e.is_turned());
    if !lines && !matches!(spec.element, ElementType::Cable | ElementType::Tetrahedron) {
        let problem =
            "the mesh has no lines that could become it, only tetrahedra: `element = \"tetrahedron\"`";
        return Err(wrong("element", problem));
    }
    if spec.strain.is_some() && !any(|e| e.name() == "cable") {
        return Err(wrong("strain", "only cables have a choice of strain; other elements take no `strain`"));
    }
    if spec.up.is_some() && !turned {
        let problem = "bars, ropes and tetrahedra have no axes across; `up` goes with cables, beams and rods";
        return Err(wrong("up", problem));
    }
    let user = spec.section.as_ref().is_some_and(|s| matches!(s.kind, SectionType::User { .. }));
    if spec.material.is_some() && user && !solids {
        let problem = "a section of type user has its stiffness and inertia, so `material` says nothing: leave it out, \
                       or give the section's shape";
        return Err(wrong("material", problem));
    }
    spec.contact.as_ref().map_or(Ok(()), |contact| check_contact(contact, lines, solids))
}

fn check_contact(contact: &StructureContactSpec, lines: bool, solids: bool) -> Made<()> {
    use StructureContactType as T;
    match contact.shape {
        Some(T::Skin) if !solids => {
            Err(wrong("contact.shape", "only tetrahedra have a skin; lines touch by capsules or spheres"))
        }
        Some(T::Capsules | T::Spheres) if !lines => Err(wrong(
            "contact.shape",
            "only lines touch by capsules or spheres; tetrahedra touch by their skin",
        )),
        Some(T::Skin) if lines => {
            let problem = "the structure has lines too, which have no skin; leave `shape` out for both";
            Err(wrong("contact.shape", problem))
        }
        _ if contact.pieces.is_some() && !lines => {
            Err(wrong("contact.pieces", "only lines are divided; the skin of tetrahedra has no `pieces`"))
        }
        _ => Ok(()),
    }
}

//! The element that a description names, and keys that say nothing about what is there: refused, not passed over.

use huygens_fea::element::KINDS;
use huygens_fea::element::kind::{Kind, MadeOf};
use huygens_fea::structure::{Element, Structure};
use huygens_kernel::cable::StrainMeasure;

use super::make::{Made, Wrong};
use crate::spec::{
    ElementType, SectionType, StrainType, StructureContactSpec, StructureContactType, StructureSpec,
};

fn wrong(key: &str, problem: &str) -> Wrong {
    (key.to_owned(), problem.to_owned())
}

/// Names of the known kinds that something is true of.
fn names(of: impl Fn(&dyn Kind) -> bool) -> String {
    let mut names: Vec<&str> = KINDS.into_iter().filter(|kind| of(*kind)).map(|kind| kind.name()).collect();
    names.dedup();
    names.join(", ")
}

/// The kind of element that a description names.
pub(super) fn kind(spec: &StructureSpec) -> Made<&'static dyn Kind> {
    let strain = spec.strain.map(|strain| match strain {
        StrainType::Material => StrainMeasure::Material,
        StrainType::Green => StrainMeasure::Green,
    });
    let name = spec.element.name();
    <dyn Kind>::named(name, strain).ok_or_else(|| match <dyn Kind>::named(name, None) {
        Some(_) => no_strain(),
        None => wrong("element", "the engine has no such element"),
    })
}

fn no_strain() -> Wrong {
    let choice = names(|kind| kind.strain().is_some());
    wrong("strain", &format!("only elements of type {choice} have a choice of strain; leave `strain` out"))
}

/// The first key that does not apply to the elements of a structure; `kind` is what the description names.
pub(super) fn check_keys(made: &Structure, spec: &StructureSpec, kind: &dyn Kind) -> Made<()> {
    let any = |f: fn(&Element) -> bool| made.elements.iter().any(f);
    let lines = any(Element::is_line);
    let solids = any(|e| !e.is_line());
    if spec.element != ElementType::default() && !made.elements.iter().any(|e| e.name() == kind.name()) {
        let cells = if kind.is_line() { "lines" } else { "cells" };
        let others = names(|k| made.elements.iter().any(|e| e.name() == k.name()));
        let problem =
            format!("the mesh has no {cells} that could become it, only others: `element = \"{others}\"`");
        return Err(wrong("element", &problem));
    }
    if spec.strain.is_some() && !any(|e| e.kind().strain().is_some()) {
        return Err(no_strain());
    }
    if spec.up.is_some() && !any(|e| e.is_line() && e.is_turned()) {
        let problem = format!(
            "{} elements have no transverse axes; `up` belongs to {}",
            kind.name(),
            names(|kind| kind.is_line() && kind.is_turned())
        );
        return Err(wrong("up", &problem));
    }
    let user = spec.section.as_ref().is_some_and(|s| matches!(s.kind, SectionType::User { .. }));
    let with_material = any(|e| e.kind().made_of() == MadeOf::Solid);
    if spec.material.is_some() && user && !with_material {
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
            Err(wrong("contact.shape", "only solids have a skin; lines touch by capsules or spheres"))
        }
        Some(T::Capsules | T::Spheres) if !lines => {
            Err(wrong("contact.shape", "only lines touch by capsules or spheres; solids touch by their skin"))
        }
        Some(T::Skin) if lines => {
            let problem = "the structure has lines too, which have no skin; leave `shape` out for both";
            Err(wrong("contact.shape", problem))
        }
        _ if contact.pieces.is_some() && !lines => {
            Err(wrong("contact.pieces", "only lines are divided; the skin of solids has no `pieces`"))
        }
        _ => Ok(()),
    }
}

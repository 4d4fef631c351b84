//! Elements of structures, and their batches.

use std::sync::Arc;

use glam::DMat3;
use huygens_core::Model;
use huygens_core::Subject;

use crate::element::bar::Bar;
use crate::element::batch::{ElementItem, Elements, NodePlace};
use crate::element::beam_ancf::{BeamAncf, vectors};
use crate::element::beam_corotational::BeamCorotational;
use crate::element::cable::Cable;
use crate::element::cable_batch::Cables;
use crate::element::frame::{RodNode, mounts};
use crate::element::rod::Rod;
use crate::element::rod_quadratic::RodQuadratic;
use crate::element::tetrahedron::Tetrahedron;
use crate::error::{FeaError, Result};
use crate::node::ItemName;
use crate::output::{LineElement, SolidState, Station};
use crate::section::Section;
use crate::section::material::Damping;
use crate::structure::{Element, Structure};
use huygens_kernel::cable::StrainMeasure;

/// An element with its numbers.
#[derive(Clone, Debug)]
pub(super) enum Built {
    Cable(Cable),
    BeamAncf(BeamAncf),
    Beam(BeamCorotational),
    Rod(Rod),
    Rod3(RodQuadratic),
    Bar(Bar),
    Tetrahedron(Tetrahedron),
}

impl Built {
    /// Inertia of rotation [kg·m²] that it gives to its nodes, node axes; none where they have no rotation.
    pub fn node_inertia(&self) -> Vec<DMat3> {
        match self {
            Built::Beam(beam) => beam.node_inertia().to_vec(),
            Built::Rod(rod) => rod.node_inertia().to_vec(),
            Built::Rod3(rod) => rod.node_inertia().to_vec(),
            _ => Vec::new(),
        }
    }
}

/// The elements of a structure.
pub(super) fn elements(structure: &Structure) -> Result<Vec<Built>> {
    (0..structure.elements.len() as u32).map(|index| build(structure, index)).collect()
}

fn build(structure: &Structure, index: u32) -> Result<Built> {
    let element = &structure.elements[index as usize];
    let frame = |n: u32| {
        let node = &structure.nodes[n as usize];
        RodNode { place: node.position.to_array(), turn: node.rotation.normalize().to_array() }
    };
    Ok(match *element {
        Element::Cable { section, strain, .. } => {
            let values = structure.section_values(section)?;
            Built::Cable(Cable {
                length: structure.rest_length(element),
                stretch: values.stretch[0],
                bending: 0.5 * (values.bending[1] + values.bending[2]),
                density: values.mass,
                measure: strain,
            })
        }
        Element::BeamAncf { section, .. } => Built::BeamAncf(beam_ancf(structure, index, section)?),
        Element::Beam { nodes, section } => {
            let values = structure.section_values(section)?;
            Built::Beam(BeamCorotational::new(&nodes.map(frame), &[values; 2]))
        }
        Element::Rod { nodes, section } => {
            let values = structure.section_values(section)?;
            let nodes = nodes.map(frame);
            Built::Rod(Rod::new(&nodes, mounts(&nodes, [values.place; 2], false), &values))
        }
        Element::Rod3 { nodes, section } => {
            let values = structure.section_values(section)?;
            let nodes = nodes.map(frame);
            Built::Rod3(RodQuadratic::new(&nodes, mounts(&nodes, [values.place; 3], true), &values))
        }
        Element::Bar { section, rope, .. } => {
            let values = structure.section_values(section)?;
            Built::Bar(Bar {
                length: structure.rest_length(element),
                stretch: values.stretch[0],
                damping: 0.0,
                density: values.mass,
                rope,
            })
        }
        Element::Tetrahedron { nodes, solid } => {
            let corners = nodes.map(|n| structure.nodes[n as usize].position);
            let solid = structure.solids[solid as usize];
            let tetrahedron = Tetrahedron::new(&corners, solid.lame(), solid.density);
            Built::Tetrahedron(tetrahedron.map_err(|volume| FeaError::Inverted {
                element: structure.element_name(index),
                nodes: nodes.iter().map(|&n| structure.node_name(n)).collect(),
                volume,
            })?)
        }
    })
}

fn beam_ancf(structure: &Structure, index: u32, section: u32) -> Result<BeamAncf> {
    let used = &structure.sections[section as usize];
    let what = || structure.element_name(index);
    let (Section::Rectangle { width, height }, Some(solid)) = (&used.section, used.solid) else {
        let reason = "it needs a rectangular section with a material; use beam or rod for others".into();
        return Err(FeaError::Mismatch { what: what(), reason });
    };
    if used.place.offset != [0.0; 2] || used.place.angle != 0.0 {
        let reason =
            "its section can have no offset and no angle; move or turn the nodes, or use beam or rod".into();
        return Err(FeaError::Mismatch { what: what(), reason });
    }
    let solid = structure.solids[solid as usize];
    let element = &structure.elements[index as usize];
    let beam = BeamAncf {
        size: [structure.rest_length(element), *width, *height],
        young: solid.young,
        poisson: solid.poisson,
        density: solid.density,
        shear: [used.section.shear_share(solid.poisson); 2],
        damping: 0.0,
        rest: None,
    };
    let numbers: Vec<f64> =
        element.nodes().iter().flat_map(|&n| structure.nodes[n as usize].numbers().0).collect();
    Ok(beam.at_rest(&vectors(&numbers)))
}

/// The batches of all structures, and where each element is in them.
#[derive(Default)]
pub(super) struct Batches {
    /// Those with one measure of strain, and with damping or without, are evaluated together.
    pub cables: [Option<Arc<Cables>>; 4],
    pub beams_ancf: Option<Arc<Elements<BeamAncf>>>,
    pub beams: Option<Arc<Elements<BeamCorotational>>>,
    pub rods: Option<Arc<Elements<Rod>>>,
    pub rods3: Option<Arc<Elements<RodQuadratic>>>,
    pub bars: Option<Arc<Elements<Bar>>>,
    pub tetrahedra: Option<Arc<Elements<Tetrahedron>>>,
    /// Item of each element of each structure in the batch of its kind.
    pub items: Vec<Vec<u32>>,
}

/// Items of each kind.
#[derive(Default)]
struct Items {
    cables: [Vec<ElementItem<Cable>>; 4],
    beams_ancf: Vec<ElementItem<BeamAncf>>,
    beams: Vec<ElementItem<BeamCorotational>>,
    rods: Vec<ElementItem<Rod>>,
    rods3: Vec<ElementItem<RodQuadratic>>,
    bars: Vec<ElementItem<Bar>>,
    tetrahedra: Vec<ElementItem<Tetrahedron>>,
}

impl Batches {
    pub fn new(structures: &[Structure], built: &[Vec<Built>], places: &[Vec<NodePlace>]) -> Self {
        let mut all = Items::default();
        let mut numbers = Vec::new();
        for ((structure, built), places) in structures.iter().zip(built).zip(places) {
            let of = Arc::new(Subject::object("structure", &structure.name));
            let mut own = Vec::with_capacity(built.len());
            for (index, (element, built)) in structure.elements.iter().zip(built).enumerate() {
                let number = structure.labels.elements.get(index).copied().unwrap_or(index as u64);
                let name = ItemName { of: of.clone(), number };
                let nodes = element.nodes().iter().map(|&n| places[n as usize]).collect();
                let damping = structure.damping;
                macro_rules! push {
                    ($list:ident, $element:expr) => {{
                        all.$list.push(ElementItem { element: *$element, nodes, damping, name });
                        all.$list.len() as u32 - 1
                    }};
                }
                own.push(match built {
                    Built::Cable(x) => {
                        let list = &mut all.cables[cable_batch(x, &damping)];
                        list.push(ElementItem { element: *x, nodes, damping, name });
                        list.len() as u32 - 1
                    }
                    Built::BeamAncf(x) => push!(beams_ancf, x),
                    Built::Beam(x) => push!(beams, x),
                    Built::Rod(x) => push!(rods, x),
                    Built::Rod3(x) => push!(rods3, x),
                    Built::Bar(x) => push!(bars, x),
                    Built::Tetrahedron(x) => push!(tetrahedra, x),
                });
            }
            numbers.push(own);
        }
        fn batch<E: crate::element::batch::Element>(items: Vec<ElementItem<E>>) -> Option<Arc<Elements<E>>> {
            (!items.is_empty()).then(|| Arc::new(Elements::new(items)))
        }
        Self {
            cables: all.cables.map(|items| (!items.is_empty()).then(|| Arc::new(Cables::new(items)))),
            beams_ancf: batch(all.beams_ancf),
            beams: batch(all.beams),
            rods: batch(all.rods),
            rods3: batch(all.rods3),
            bars: batch(all.bars),
            tetrahedra: batch(all.tetrahedra),
            items: numbers,
        }
    }

    pub fn place(&self, model: &mut Model) {
        macro_rules! place {
            ($($kind:ident),*) => {
                $(if let Some(batch) = &self.$kind {
                    model.add_elements(batch.clone());
                })*
            };
        }
        for batch in self.cables.iter().flatten() {
            model.add_elements(batch.clone());
        }
        place!(beams_ancf, beams, rods, rods3, bars, tetrahedra);
    }

    /// Elastic energy [J] of an element at the positions of the model.
    pub fn energy(&self, at: &BuiltAt<'_>, q: &[f64]) -> f64 {
        macro_rules! of {
            ($kind:ident) => {
                self.$kind.as_ref().map_or(0.0, |batch| batch.energy_of(at.item, q))
            };
        }
        match at.built {
            Built::Cable(x) => self.cable(x, at).map_or(0.0, |batch| batch.energy_of(at.item, q)),
            Built::BeamAncf(_) => of!(beams_ancf),
            Built::Beam(_) => of!(beams),
            Built::Rod(_) => of!(rods),
            Built::Rod3(_) => of!(rods3),
            Built::Bar(_) => of!(bars),
            Built::Tetrahedron(_) => of!(tetrahedra),
        }
    }

    fn cable(&self, cable: &Cable, at: &BuiltAt<'_>) -> Option<&Elements<Cable>> {
        self.cables[cable_batch(cable, at.damping)].as_ref().map(|batch| batch.elements())
    }

    /// The state at `t` along a line.
    pub fn station(&self, at: &BuiltAt<'_>, q: &[f64], t: f64) -> Option<Station> {
        fn of<E: LineElement>(
            batch: Option<&Elements<E>>,
            item: usize,
            q: &[f64],
            t: f64,
        ) -> Option<Station> {
            Some(batch?.station(item, q, t))
        }
        match at.built {
            Built::Cable(x) => of(self.cable(x, at), at.item, q, t),
            Built::BeamAncf(_) => of(self.beams_ancf.as_deref(), at.item, q, t),
            Built::Beam(_) => of(self.beams.as_deref(), at.item, q, t),
            Built::Rod(_) => of(self.rods.as_deref(), at.item, q, t),
            Built::Rod3(_) => of(self.rods3.as_deref(), at.item, q, t),
            Built::Bar(_) => of(self.bars.as_deref(), at.item, q, t),
            Built::Tetrahedron(_) => None,
        }
    }

    /// Strain and stress of a solid.
    pub fn solid_state(&self, at: &BuiltAt<'_>, q: &[f64]) -> Option<SolidState> {
        match at.built {
            Built::Tetrahedron(_) => self.tetrahedra.as_ref()?.solid_state(at.item, q),
            _ => None,
        }
    }
}

/// An element, its damping, and its item in the batch of its kind.
pub(super) struct BuiltAt<'a> {
    pub built: &'a Built,
    pub damping: &'a Damping,
    pub item: usize,
}

/// Which of the batches of cables holds one.
fn cable_batch(cable: &Cable, damping: &Damping) -> usize {
    usize::from(cable.measure == StrainMeasure::Green) + 2 * usize::from(*damping != Damping::default())
}

//! Elements of structures, and their batches.

use std::sync::Arc;

use huygens_core::Model;
use huygens_core::Subject;

use crate::element::batch::{Batch, NodePlace};
use crate::element::kind::{Built, Sorter};
use crate::error::{FeaError, Result};
use crate::node::ItemName;
use crate::output::{SolidState, Station};
use crate::structure::Structure;

/// The elements of a structure.
pub(super) fn elements(structure: &Structure) -> Result<Vec<Built>> {
    let build = |(index, element): (usize, &crate::structure::Element)| {
        let built = element.kind().build(structure, index as u32)?;
        let (given, needed) = (element.nodes().len(), built.node_count());
        if given != needed {
            return Err(FeaError::Mismatch {
                what: structure.element_name(index as u32),
                reason: format!(
                    "its cell has {given} nodes, but the element that its kind '{}' builds has {needed}; let \
                     the kind name the cell of its element",
                    element.kind().name()
                ),
            });
        }
        Ok(built)
    };
    structure.elements.iter().enumerate().map(build).collect()
}

/// The batches of all structures, and where each element is in them.
#[derive(Default)]
pub(super) struct Batches {
    batches: Vec<Arc<dyn Batch>>,
    /// Where the history of each batch stands in that of the model.
    history: Vec<std::ops::Range<usize>>,
    /// Batch and item of each element of each structure.
    items: Vec<Vec<[u32; 2]>>,
}

impl Batches {
    pub fn new(structures: &[Structure], built: &[Vec<Built>], places: &[Vec<NodePlace>]) -> Self {
        let mut sorter = Sorter::default();
        let mut items = Vec::new();
        for ((structure, built), places) in structures.iter().zip(built).zip(places) {
            let of = Arc::new(Subject::object("structure", &structure.name));
            let mut own = Vec::with_capacity(built.len());
            for (index, (element, built)) in structure.elements.iter().zip(built).enumerate() {
                let number = structure.labels.elements.get(index).copied().unwrap_or(index as u64);
                let name = ItemName { of: of.clone(), number };
                let nodes = element.nodes().iter().map(|&n| places[n as usize]).collect();
                own.push(sorter.push(element.kind(), built, nodes, structure.damping, name));
            }
            items.push(own);
        }
        let (batches, order) = sorter.into_batches();
        items.iter_mut().flatten().for_each(|[list, _]| *list = order[*list as usize]);
        Self { batches, history: Vec::new(), items }
    }

    pub fn place(&mut self, model: &mut Model) {
        self.history.clear();
        for batch in &self.batches {
            let first = model.add_elements(batch.clone()).first_history;
            self.history.push(first..first + batch.layout().history);
        }
    }

    /// The batch of an element, its item there, and the history of the batch in that of the model.
    fn find<'a>(
        &self,
        structure: u32,
        element: u32,
        history: &'a [f64],
    ) -> Option<(&dyn Batch, usize, &'a [f64])> {
        let [batch, item] = *self.items.get(structure as usize)?.get(element as usize)?;
        let own = history.get(self.history.get(batch as usize)?.clone()).unwrap_or_default();
        Some((&**self.batches.get(batch as usize)?, item as usize, own))
    }

    /// Elastic energy [J] of an element at the positions of the model.
    pub fn energy(&self, structure: u32, element: u32, q: &[f64], history: &[f64]) -> Option<f64> {
        let (batch, item, own) = self.find(structure, element, history)?;
        Some(batch.energy_of(item, q, own))
    }

    /// The state at `t` along a line.
    pub fn station(&self, structure: u32, element: u32, q: &[f64], t: f64) -> Option<Station> {
        let (batch, item, _) = self.find(structure, element, &[])?;
        batch.station(item, q, t)
    }

    /// Strain and stress of a solid.
    pub fn solid_state(
        &self,
        structure: u32,
        element: u32,
        q: &[f64],
        history: &[f64],
    ) -> Option<SolidState> {
        let (batch, item, own) = self.find(structure, element, history)?;
        batch.solid_state(item, q, own)
    }
}

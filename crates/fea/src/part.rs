//! Structures as a part of a model.

use std::collections::BTreeSet;

use crate::error::{FeaError, Result};
use crate::joint::NodeJoint;
use crate::structure::Structure;

/// All structures of a model and the joints of their nodes.
#[derive(Clone, Debug, Default)]
pub struct Flexible {
    /// Structures.
    pub structures: Vec<Structure>,
    /// Joints of nodes with each other, with bodies and with the ground.
    pub joints: Vec<NodeJoint>,
}

impl Flexible {
    /// Whether everything fits; the first thing that does not.
    pub fn check(&self) -> Result<()> {
        let mut names = BTreeSet::new();
        for structure in &self.structures {
            if !names.insert(&structure.name) {
                return Err(FeaError::DuplicateName { what: "structure", name: structure.name.clone() });
            }
            structure.check()?;
        }
        Ok(())
    }
}

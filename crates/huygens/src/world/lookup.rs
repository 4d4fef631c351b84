//! What descriptions refer to: objects by their names, and where bodies and nodes are now.

use super::World;
use super::objects::Objects;
use super::simulation::Motion;

/// Looks at a world without changing it, and makes objects of the engine from descriptions. The model does not have to
/// be built.
#[derive(Clone, Copy)]
pub(super) struct Lookup<'a> {
    pub objects: &'a Objects,
    pub motion: &'a Motion,
}

impl World {
    pub(super) fn lookup(&self) -> Lookup<'_> {
        Lookup { objects: &self.objects, motion: &self.motion }
    }
}

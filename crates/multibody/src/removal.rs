//! Removal of objects from a mechanism.

use std::collections::HashSet;

use crate::assembly::{
    Assembly, BodyId, BushingId, CoordinateForceId, CouplingId, DragId, JointId, LoadId, RopeId, ShaftId,
    SpringId,
};
use crate::collision::MaterialId;

/// Removes objects of one kind. Remaining references to them make the next build fail with an error.
macro_rules! remove {
    ($($(#[$doc:meta])* $remove:ident, $take:ident: $id:ty;)*) => {
        impl Assembly {
            $(
                $(#[$doc])*
                ///
                /// Remaining references to it make the next build fail with an error. Returns whether it existed.
                pub fn $remove(&mut self, id: $id) -> bool {
                    self.$take(id).is_some()
                }
            )*
        }
    };
}

remove! {
    /// Removes a shaft.
    remove_shaft, take_shaft: ShaftId;
    /// Removes a coupling, position motor or speed motor.
    remove_coupling, take_coupling: CouplingId;
    /// Removes a force along coordinates.
    remove_coordinate_force, take_coordinate_force: CoordinateForceId;
    /// Removes a spring.
    remove_spring, take_spring: SpringId;
    /// Removes a rope.
    remove_rope, take_rope: RopeId;
    /// Removes a bushing.
    remove_bushing, take_bushing: BushingId;
    /// Removes a load.
    remove_load, take_load: LoadId;
    /// Removes a drag.
    remove_drag, take_drag: DragId;
    /// Removes a contact material.
    remove_material, take_material: MaterialId;
}

impl Assembly {
    /// Removes a body with its collision shapes and its entries among contact pairs.
    ///
    /// Joints and forces that refer to it make the next build fail with an error. Returns whether it existed.
    pub fn remove_body(&mut self, id: BodyId) -> bool {
        self.remove_bodies(&[id]) == 1
    }

    /// Removes many bodies at once; see [`Assembly::remove_body`]. Returns how many of them existed.
    pub fn remove_bodies(&mut self, ids: &[BodyId]) -> usize {
        let gone: HashSet<BodyId> = ids.iter().copied().filter(|id| self.take_body(*id).is_some()).collect();
        let stays = |pair: &(BodyId, BodyId)| !gone.contains(&pair.0) && !gone.contains(&pair.1);
        self.collision.shapes.retain(|shape| !gone.contains(&shape.body));
        self.collision.exclusions.retain(stays);
        self.collision.inclusions.retain(stays);
        self.boundary_bodies.retain(|id| !gone.contains(id));
        gone.len()
    }

    /// Removes a joint together with its initial angles. Returns whether it existed.
    ///
    /// Couplings and forces that refer to it make the next build fail with an error.
    pub fn remove_joint(&mut self, id: JointId) -> bool {
        let removed = self.take_joint(id).is_some();
        if removed {
            self.forget_start_angles(id);
        }
        removed
    }
}

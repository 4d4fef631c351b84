//! Fields of all grains in the order of their ids, and sums over them.

use huygens_kernel::Vec3;

use crate::grains::system::GrainSystem;
use crate::row::Row;

/// A field of all grains of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrainField {
    /// Centres [m].
    Position,
    /// Velocities [m/s].
    Velocity,
    /// Angular velocities [rad/s], world axes.
    AngularVelocity,
    /// Forces of contacts [N].
    Force,
    /// Torques of contacts about the centres [N·m].
    Torque,
    /// Radii [m].
    Radius,
    /// Masses [kg], of spheres of a clump their shares of its mass; infinite for grains that forces do not move.
    Mass,
}

impl GrainField {
    /// Numbers per grain.
    pub fn components(self) -> usize {
        if matches!(self, Self::Radius | Self::Mass) { 1 } else { 3 }
    }
}

impl GrainSystem {
    /// Present indices of the grains in the order of their ids.
    pub fn order(&self) -> Vec<u32> {
        let ids = self.ids();
        let mut order: Vec<u32> = vec![u32::MAX; ids.len()];
        // Where no grain has left, the id is the place.
        let whole = ids.iter().enumerate().all(|(i, id)| match order.get_mut(*id as usize) {
            Some(place) => {
                *place = i as u32;
                true
            }
            None => false,
        });
        if !whole {
            order.iter_mut().enumerate().for_each(|(i, place)| *place = i as u32);
            order.sort_unstable_by_key(|i| ids[*i as usize]);
        }
        order
    }

    /// One field of all grains in the order of their ids, the components of a grain side by side.
    pub fn field(&self, field: GrainField) -> Vec<f64> {
        let order = self.order();
        let mut out = Vec::with_capacity(order.len() * field.components());
        let three = |rows: &[Row], out: &mut Vec<f64>| {
            order.iter().for_each(|i| out.extend_from_slice(&rows[*i as usize].0[..3]));
        };
        match field {
            GrainField::Position => three(self.places(), &mut out),
            GrainField::Velocity => three(self.motions(), &mut out),
            GrainField::AngularVelocity => three(self.spins(), &mut out),
            GrainField::Force => three(self.forces(), &mut out),
            GrainField::Torque => three(self.torques(), &mut out),
            GrainField::Radius => out.extend(order.iter().map(|i| self.places()[*i as usize].0[3])),
            GrainField::Mass => out.extend(order.iter().map(|i| match self.mass(*i as usize) {
                0.0 => f64::INFINITY,
                mass => mass,
            })),
        }
        out
    }

    /// Mass [kg] of all grains that forces move, and the sum of mass times `of` each.
    fn weighed(&self, of: impl Fn(&Row, &Row) -> Vec3) -> (f64, Vec3) {
        let rows = self.places().iter().zip(self.motions()).enumerate();
        rows.fold((0.0, Vec3::ZERO), |(total, sum), (i, (place, motion))| {
            let mass = self.mass(i);
            (total + mass, sum + mass * of(place, motion))
        })
    }

    /// Mass of the grains that forces move [kg].
    pub fn total_mass(&self) -> f64 {
        self.weighed(|_, _| Vec3::ZERO).0
    }

    /// Centre of mass of the grains that forces move [m].
    pub fn center(&self) -> Vec3 {
        let (mass, sum) = self.weighed(|place, _| place.vector());
        sum / mass.max(f64::MIN_POSITIVE)
    }

    /// Momentum of the grains that forces move [kg·m/s].
    pub fn momentum(&self) -> Vec3 {
        self.weighed(|_, motion| motion.vector()).1
    }
}

//! The fields of the grains, one array a field.

#![expect(unsafe_code, reason = "rows are gathered without bounds checks while other fields are written")]

use std::marker::PhantomData;
use std::ops::Index;

use huygens_exec::lanes::{Wide, prefetch};
use huygens_exec::{Disjoint, Exec, Extent, Field};
use huygens_kernel::Vec3;

use crate::error::{ParticleError, Result, ranges};
use crate::grains::clump::ALONE;
use crate::in_place::clone_in_place;
use crate::row::{Row, room_in};

/// One spherical grain as it is added.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grain {
    /// Centre [m].
    pub position: Vec3,
    /// Radius [m].
    pub radius: f64,
    /// Density [kg/m³]; infinite for a grain that forces do not move.
    pub density: f64,
    /// Velocity [m/s].
    pub velocity: Vec3,
    /// Angular velocity [rad/s], world axes.
    pub angular_velocity: Vec3,
    /// Index of its material.
    pub material: usize,
}

impl Default for Grain {
    fn default() -> Self {
        Self {
            position: Vec3::ZERO,
            radius: 1e-3,
            density: 2500.0,
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            material: 0,
        }
    }
}

impl Grain {
    pub(crate) fn check(&self, materials: usize) -> Result<()> {
        let range = ranges("a grain");
        let positive = self.radius > 0.0 && self.radius.is_finite();
        range("radius", self.radius, positive, "finite and above 0")?;
        range("density", self.density, self.density > 0.0, "above 0")?;
        for (what, v) in [
            ("position", self.position),
            ("velocity", self.velocity),
            ("angular velocity", self.angular_velocity),
        ] {
            range(what, v.length(), v.is_finite(), "finite")?;
        }
        match self.material < materials {
            true => Ok(()),
            false => Err(ParticleError::UnknownMaterial {
                what: "a grain".into(),
                index: self.material,
                count: materials,
            }),
        }
    }

    /// Mass [kg]; infinite for one that forces do not move.
    pub fn mass(&self) -> f64 {
        self.density * 4.0 / 3.0 * std::f64::consts::PI * self.radius.powi(3)
    }
}

/// Grains in the order of the loops, one array for each of their properties.
///
/// Grains that the system moves come first; see [`GrainFields::extent`].
#[derive(Debug, Default)]
pub(crate) struct GrainFields {
    /// Centre and radius [m].
    pub place: Field<Row>,
    /// Velocity [m/s] and inverse mass [1/kg].
    pub motion: Field<Row>,
    /// Angular velocity [rad/s] and inverse moment of inertia [1/(kg·m²)].
    pub spin: Field<Row>,
    /// Force [N].
    pub force: Field<Row>,
    /// Torque about the centre [N·m].
    pub torque: Field<Row>,
    /// Way since the neighbour list was made [m].
    pub moved: Field<[f32; 3]>,
    /// Name that stays the same when the order changes.
    pub id: Field<u64>,
    /// Index of the material.
    pub material: Field<u8>,
    /// Clump, or [`ALONE`](crate::grains::clump::ALONE), and number in it; empty where there are no clumps.
    pub member: Field<[u32; 2]>,
}

clone_in_place!(GrainFields { place, motion, spin, force, torque, moved, id, material, member });

/// A field that is read while other parts of it may be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows<'a> {
    first: *const Row,
    count: usize,
    field: PhantomData<&'a [Row]>,
}

// SAFETY: made by an unsafe function that demands that what is read is not written.
unsafe impl Send for Rows<'_> {}
// SAFETY: as above.
unsafe impl Sync for Rows<'_> {}

impl<'a> Rows<'a> {
    /// Reads from a field that others may write to.
    ///
    /// # Safety
    /// No element may be read through this while it is being written.
    pub unsafe fn beside(field: &Disjoint<'a, Row>) -> Self {
        Self { first: field.as_ptr(), count: field.len(), field: PhantomData }
    }
}

impl<'a> From<&'a [Row]> for Rows<'a> {
    fn from(field: &'a [Row]) -> Self {
        Self { first: field.as_ptr(), count: field.len(), field: PhantomData }
    }
}

impl Index<usize> for Rows<'_> {
    type Output = Row;

    #[inline(always)]
    fn index(&self, i: usize) -> &Row {
        assert!(i < self.count);
        // SAFETY: inside the field, and not being written.
        unsafe { &*self.first.add(i) }
    }
}

impl Rows<'_> {
    /// Asks for a row before it is needed; any index will do.
    #[inline(always)]
    pub fn prefetch(&self, i: usize) {
        prefetch(self.first.wrapping_add(i));
    }

    /// Rows number by number: component c holds number c of each.
    ///
    /// # Safety
    /// All indices must be inside the field.
    #[inline(always)]
    unsafe fn columns<const N: usize, W: Wide<N>>(&self, at: &[u32; N]) -> [W; 4] {
        let mut rows = [&Row::ZERO.0; N];
        for lane in 0..N {
            // SAFETY: inside the field, as the caller promises, and not being written.
            rows[lane] = unsafe { &(*self.first.add(at[lane] as usize)).0 };
        }
        W::columns(rows)
    }
}

/// What contacts see of the particles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen<'a> {
    pub place: Rows<'a>,
    pub motion: Rows<'a>,
    pub spin: Rows<'a>,
    pub material: &'a [u8],
}

/// Some particles that are there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Picked<'a, const N: usize> {
    seen: Seen<'a>,
    pub at: [u32; N],
}

impl<'a> Seen<'a> {
    /// The particles with the indices `at`, which are checked once for all fields.
    #[inline(always)]
    pub fn pick<const N: usize>(&self, at: [u32; N]) -> Picked<'a, N> {
        let mut last = 0;
        for lane in 0..N {
            last = at[lane].max(last);
        }
        let count = self.place.count.min(self.motion.count).min(self.spin.count);
        assert!((last as usize) < count, "a particle that is not there");
        Picked { seen: *self, at }
    }
}

impl<const N: usize> Picked<'_, N> {
    /// Centres and radii, number by number.
    #[inline(always)]
    pub fn place<W: Wide<N>>(&self) -> [W; 4] {
        // SAFETY: checked when they were picked; likewise below.
        unsafe { self.seen.place.columns(&self.at) }
    }

    /// Velocities and inverse masses.
    #[inline(always)]
    pub fn motion<W: Wide<N>>(&self) -> [W; 4] {
        unsafe { self.seen.motion.columns(&self.at) }
    }

    /// Angular velocities and inverse moments of inertia.
    #[inline(always)]
    pub fn spin<W: Wide<N>>(&self) -> [W; 4] {
        unsafe { self.seen.spin.columns(&self.at) }
    }
}

impl GrainFields {
    pub fn len(&self) -> usize {
        self.place.len()
    }

    /// Grains that loops go over, and those they only read. A system alone owns all of its grains: across a box that
    /// repeats pairs take the nearest image, and need no copies.
    pub fn extent(&self) -> Extent {
        Extent::whole(self.place.len())
    }

    pub fn push(&mut self, grain: &Grain, id: u64) {
        let inverse = 1.0 / grain.mass();
        self.place.push(Row::new(grain.position, grain.radius));
        self.motion.push(Row::new(grain.velocity, inverse));
        self.spin.push(Row::new(grain.angular_velocity, 2.5 * inverse / (grain.radius * grain.radius)));
        self.force.push(Row::ZERO);
        self.torque.push(Row::ZERO);
        self.moved.push([0.0; 3]);
        self.id.push(id);
        self.material.push(grain.material as u8);
        if !self.member.is_empty() {
            self.member.push([ALONE, 0]);
        }
    }

    /// The clump that a grain is part of, or [`ALONE`].
    pub fn clump_of(&self, i: usize) -> u32 {
        self.member.read().get(i).map_or(ALONE, |[clump, _]| *clump)
    }

    /// Keeps the grains with the rising indices `stay`, but not their forces.
    pub fn select(&mut self, stay: &[u32]) {
        let stay = || stay.iter().map(|i| *i as usize);
        for field in [&mut self.place, &mut self.motion, &mut self.spin] {
            field.select(stay());
        }
        self.moved.select(stay());
        self.id.select(stay());
        self.material.select(stay());
        if !self.member.is_empty() {
            self.member.select(stay());
        }
    }

    /// Brings the fields into the order `order` (new index → old index); forces are lost, their room is used.
    pub fn reorder(&mut self, ex: &Exec, order: &[u32]) {
        let old = |i: usize| order[i] as usize;
        let scratch = &mut self.force;
        scratch.resize(order.len(), Row::ZERO);
        for field in [&mut self.place, &mut self.motion, &mut self.spin] {
            field.gather_into(ex, old, scratch.write());
            field.swap(scratch);
        }
        self.id.reorder(ex, old, room_in(scratch.write()));
        self.material.reorder(ex, old, room_in(scratch.write()));
        if !self.member.is_empty() {
            self.member.reorder(ex, old, room_in(scratch.write()));
        }
    }
}

//! Stress by the forces of contacts, and the contacts that carry most of it.

use huygens_kernel::matrix::{outer, trace};
use huygens_kernel::{Mat3, Vec3};

use super::fraction::Cells;
use crate::error::Result;
use crate::fill::Region;
use crate::grains::system::{GrainContact, GrainSystem};

/// Mean stress in a region [Pa], positive in compression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stress {
    /// $\sigma_{ij} = \frac{1}{V}\sum_c f_i l_j$ with the forces f on the second of two grains and the branch
    /// vectors l to its centre, from that of the first or from the wall; branches count by the share of their
    /// length inside.
    pub contact: Mat3,
    /// $\frac{1}{V}\sum m\,u_i u_j$ with velocities u relative to the mean in the region.
    pub kinetic: Mat3,
}

impl Stress {
    /// Mean pressure [Pa] by contacts.
    pub fn pressure(&self) -> f64 {
        trace(&self.contact) / 3.0
    }
}

/// A force along a branch.
struct Branch {
    from: Vec3,
    to: Vec3,
    force: Vec3,
}

fn branches(system: &GrainSystem) -> Vec<Branch> {
    let places = system.places();
    let pairs = system.grain_contacts();
    let walls = system.wall_contact_forces();
    let of_pairs = pairs.iter().map(|contact| {
        let from = places[contact.indices[0]].vector();
        Branch { from, to: from + contact.branch, force: contact.force }
    });
    let of_walls = walls.iter().map(|contact| Branch {
        from: contact.point,
        to: places[contact.index].vector(),
        force: contact.force,
    });
    of_pairs.chain(of_walls).collect()
}

/// Calls `f(from, to)` for a branch and its images near a box.
fn for_each_branch(system: &GrainSystem, branch: &Branch, bounds: [Vec3; 2], mut f: impl FnMut(Vec3, Vec3)) {
    let half = 0.5 * (branch.to - branch.from);
    let middle = branch.from + half;
    system.for_each_image(middle, half.length(), bounds, |x| f(x - half, x + half));
}

/// Mean stress in a region.
pub fn stress(system: &GrainSystem, region: &Region) -> Result<Stress> {
    region.check()?;
    let mut contact = Mat3::ZERO;
    for branch in branches(system) {
        let tensor = outer(branch.force, branch.to - branch.from);
        for_each_branch(system, &branch, region.bounds(), |from, to| {
            contact += tensor * region.shared_length(from, to);
        });
    }
    let mut moving = Moving::default();
    for i in 0..system.len() {
        let x = system.places()[i].vector();
        system.for_each_image(x, 0.0, region.bounds(), |x| {
            if region.contains(x) {
                moving.add(system.mass(i), system.motions()[i].vector());
            }
        });
    }
    let share = 1.0 / region.volume();
    Ok(Stress { contact: contact * share, kinetic: moving.spread() * share })
}

/// Mean stress in each cell.
pub fn stresses(system: &GrainSystem, cells: &Cells) -> Result<Vec<Stress>> {
    cells.check()?;
    let whole = [cells.low, cells.high];
    let mut contact = vec![Mat3::ZERO; cells.len()];
    for branch in branches(system) {
        let tensor = outer(branch.force, branch.to - branch.from);
        for_each_branch(system, &branch, whole, |from, to| {
            cells.for_each_near([from.min(to), from.max(to)], |at, cell| {
                contact[at] += tensor * cell.shared_length(from, to);
            });
        });
    }
    let mut moving = vec![Moving::default(); cells.len()];
    for i in 0..system.len() {
        system.for_each_image(system.places()[i].vector(), 0.0, whole, |x| {
            if let Some(at) = cells.find(x) {
                moving[at].add(system.mass(i), system.motions()[i].vector());
            }
        });
    }
    let share = 1.0 / cells.sides().element_product();
    let parts = contact.into_iter().zip(moving);
    Ok(parts.map(|(contact, m)| Stress { contact: contact * share, kinetic: m.spread() * share }).collect())
}

/// Sums of masses and momenta.
#[derive(Clone, Copy)]
struct Moving {
    mass: f64,
    momentum: Vec3,
    square: Mat3,
}

/// A matrix is the identity by default, which is no sum of nothing.
impl Default for Moving {
    fn default() -> Self {
        Self { mass: 0.0, momentum: Vec3::ZERO, square: Mat3::ZERO }
    }
}

impl Moving {
    fn add(&mut self, mass: f64, velocity: Vec3) {
        self.mass += mass;
        self.momentum += velocity * mass;
        self.square += outer(velocity, velocity) * mass;
    }

    /// Σ m u uᵀ relative to the mean.
    fn spread(&self) -> Mat3 {
        if self.mass == 0.0 {
            return Mat3::ZERO;
        }
        self.square - outer(self.momentum, self.momentum) * (1.0 / self.mass)
    }
}

/// Contacts that carry more than the mean.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ForceChains {
    /// Mean force of a contact [N].
    pub mean: f64,
    /// Contacts with more than the share asked for of the mean.
    pub strong: Vec<GrainContact>,
    /// Chain of each strong contact: those that share grains have the same number, numbered by the order of the
    /// contacts.
    pub chain: Vec<usize>,
    /// Number of chains.
    pub count: usize,
}

impl ForceChains {
    /// Contacts with more than `share` times the mean force, and how they hang together.
    pub fn of(system: &GrainSystem, share: f64) -> Self {
        let mut strong = system.grain_contacts();
        if strong.is_empty() {
            return Self::default();
        }
        let mean = strong.iter().map(|contact| contact.force.length()).sum::<f64>() / strong.len() as f64;
        strong.retain(|contact| contact.force.length() > share * mean);
        let mut root: Vec<usize> = (0..system.len()).collect();
        fn find(root: &mut [usize], mut i: usize) -> usize {
            while root[i] != i {
                root[i] = root[root[i]];
                i = root[i];
            }
            i
        }
        for contact in &strong {
            let [a, b] = contact.indices.map(|i| find(&mut root, i));
            root[a.max(b)] = a.min(b);
        }
        let mut number = vec![usize::MAX; system.len()];
        let mut count = 0;
        let mut chain = Vec::with_capacity(strong.len());
        for contact in &strong {
            let at = find(&mut root, contact.indices[0]);
            if number[at] == usize::MAX {
                number[at] = count;
                count += 1;
            }
            chain.push(number[at]);
        }
        Self { mean, strong, chain, count }
    }
}

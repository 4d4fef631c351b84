//! How many contacts grains have.

use crate::grains::system::GrainSystem;

/// Contacts of the grains of a system.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coordination {
    /// Mean number of contacts of a grain, 2 contacts between grains / grains, and contacts with walls once.
    pub mean: f64,
    /// The same of those that bear load: grains with fewer contacts than asked for are left out, again and again,
    /// until all that remain have enough.
    pub without_rattlers: f64,
    /// Number of grains that bear no load.
    pub rattlers: usize,
    /// Number of grains with 0, 1, 2, … contacts.
    pub histogram: Vec<usize>,
}

impl Coordination {
    /// Contacts of all grains; a grain needs `least` of them to bear load: 4 without friction, 2 to 3 with it.
    pub fn of(system: &GrainSystem, least: usize) -> Self {
        let count = system.len();
        if count == 0 {
            return Self::default();
        }
        let mut contacts = vec![0_usize; count];
        system.wall_contact_forces().iter().for_each(|contact| contacts[contact.index] += 1);
        let mut starts = vec![0_usize; count + 1];
        let pairs: Vec<[usize; 2]> = system.grain_contacts().iter().map(|contact| contact.indices).collect();
        for i in pairs.iter().flatten() {
            contacts[*i] += 1;
            starts[i + 1] += 1;
        }
        for i in 0..count {
            starts[i + 1] += starts[i];
        }
        let mut others = vec![0; 2 * pairs.len()];
        let mut next = starts.clone();
        for [i, j] in &pairs {
            for (a, b) in [(*i, *j), (*j, *i)] {
                others[next[a]] = b;
                next[a] += 1;
            }
        }
        let mut histogram = vec![0; 1 + contacts.iter().max().copied().unwrap_or(0)];
        contacts.iter().for_each(|n| histogram[*n] += 1);
        let mean = contacts.iter().sum::<usize>() as f64 / count as f64;
        let mut bears = vec![true; count];
        let mut loose: Vec<usize> = (0..count).filter(|i| contacts[*i] < least).collect();
        loose.iter().for_each(|i| bears[*i] = false);
        let mut rattlers = 0;
        while let Some(i) = loose.pop() {
            rattlers += 1;
            for &j in &others[starts[i]..starts[i + 1]] {
                contacts[j] -= 1;
                if bears[j] && contacts[j] < least {
                    bears[j] = false;
                    loose.push(j);
                }
            }
        }
        let left: usize = (0..count).filter(|i| bears[*i]).map(|i| contacts[i]).sum();
        let without_rattlers = if rattlers < count { left as f64 / (count - rattlers) as f64 } else { 0.0 };
        Self { mean, without_rattlers, rattlers, histogram }
    }
}

//! Colours of contacts: no two contacts of one colour move the same body.

use crate::cone::rows::{LANES, PairContact, PairRows};

/// Colours before contacts go to the last group, which runs one by one.
const COLOURS: usize = 128;

/// A place of a batch without a contact.
pub(super) const EMPTY: u32 = u32::MAX;

/// Contacts in the order of sweeps: colour after colour, each filled up to whole batches.
#[derive(Clone, Debug, Default)]
pub(super) struct Colouring {
    /// Contact of each place, or [`EMPTY`].
    pub order: Vec<u32>,
    /// First batch of each colour, and the end. The last group holds one contact per batch.
    pub starts: Vec<usize>,
    /// Place of each contact.
    pub places: Vec<u32>,
    colours: Vec<u8>,
    used: Vec<u128>,
}

impl Colouring {
    /// Each contact takes the first colour free at both of its bodies, in the order of contacts; `movable` says
    /// which bodies count.
    pub(super) fn find(&mut self, pair: &PairRows, movable: impl Fn(usize) -> bool) {
        self.used.clear();
        self.used.resize(pair.item_count(), 0);
        self.colours.clear();
        let mut counts = [0_usize; COLOURS + 1];
        let mut most = 0;
        for contact in 0..pair.contact_count() {
            let items = pair.items(contact);
            let counts_at = |item: u32| item != PairContact::GROUND && movable(item as usize);
            let mask = |item: u32| if counts_at(item) { self.used[item as usize] } else { 0 };
            let colour = (mask(items[0]) | mask(items[1])).trailing_ones() as usize;
            if colour < COLOURS {
                for item in items.into_iter().filter(|&item| counts_at(item)) {
                    self.used[item as usize] |= 1 << colour;
                }
            }
            counts[colour] += 1;
            most = most.max(colour + 1);
            self.colours.push(colour as u8);
        }
        self.place(&counts[..most]);
    }

    fn place(&mut self, counts: &[usize]) {
        self.starts.clear();
        self.starts.push(0);
        for (colour, count) in counts.iter().enumerate() {
            let batches = if colour < COLOURS { count.div_ceil(LANES) } else { *count };
            self.starts.push(self.starts[colour] + batches);
        }
        let mut next = [0_usize; COLOURS + 1];
        (0..counts.len()).for_each(|colour| next[colour] = self.starts[colour] * LANES);
        self.order.clear();
        self.order.resize(self.starts[counts.len()] * LANES, EMPTY);
        self.places.clear();
        for (contact, &colour) in self.colours.iter().enumerate() {
            let place = next[colour as usize];
            self.order[place] = contact as u32;
            self.places.push(place as u32);
            next[colour as usize] += if (colour as usize) < COLOURS { 1 } else { LANES };
        }
    }

    /// Batches of each colour.
    pub(super) fn groups(&self) -> impl DoubleEndedIterator<Item = std::ops::Range<usize>> + '_ {
        self.starts.windows(2).map(|w| w[0]..w[1])
    }

    /// Whether a group must run one by one.
    pub(super) fn is_serial(group: usize) -> bool {
        group >= COLOURS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_exec::Exec;

    fn star(items: u32, count: usize) -> PairRows {
        let axes = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        // Every fourth contact is with item 0, every seventh with the ground.
        let contact = |k: u32| {
            let a = match k {
                k if k.is_multiple_of(7) => PairContact::GROUND,
                k if k.is_multiple_of(4) => 0,
                k => 1 + k * 13 % (items - 1),
            };
            let b = 1 + (k * 5 + 3) % (items - 1);
            PairContact { items: [a, if a == b { 0 } else { b }], axes, arms: [[0.0; 3]; 2] }
        };
        let mut rows = PairRows::new(0, items as usize, false);
        rows.set(&Exec::serial(), &(0..count as u32).map(contact).collect::<Vec<_>>());
        rows
    }

    #[test]
    fn no_body_is_moved_twice_in_a_colour_and_every_contact_has_its_place() {
        // Body 0 has more contacts than there are colours.
        let (items, count) = (40, 900);
        let rows = star(items, count);
        let mut colouring = Colouring::default();
        colouring.find(&rows, |_| true);
        let mut seen = vec![0; count];
        for (group, batches) in colouring.groups().enumerate() {
            let places = &colouring.order[batches.start * LANES..batches.end * LANES];
            let contacts: Vec<u32> = places.iter().copied().filter(|&c| c != EMPTY).collect();
            contacts.iter().for_each(|&c| seen[c as usize] += 1);
            let mut bodies: Vec<u32> = contacts.iter().flat_map(|&c| rows.items(c as usize)).collect();
            bodies.retain(|&item| item != PairContact::GROUND);
            let all = bodies.len();
            bodies.sort_unstable();
            bodies.dedup();
            assert!(Colouring::is_serial(group) || bodies.len() == all);
        }
        assert!(seen.iter().all(|&times| times == 1));
        assert!(Colouring::is_serial(colouring.starts.len() - 2), "the last group is in use");
        assert!((0..count).all(|c| colouring.order[colouring.places[c] as usize] == c as u32));
    }
}

//! What contacts remember from step to step.

use huygens_kernel::contact::HISTORY_LENGTH;

use super::Contact;
use crate::bytes::{Reader, Writer};
use crate::error::Result;

/// Per contact of the last step: its key and a few numbers. Part of the state.
///
/// Keys are sorted. The numbers of a contact are the force on the second body [N] and the couple [N·m], world axes
/// (what reports show), then the first guess of both for the next step of the rigid law, or the history of the
/// compliant one.
#[derive(Debug, Default, PartialEq)]
pub struct ContactMemory {
    /// Proxies and feature of each contact.
    pub keys: Vec<[u32; 3]>,
    /// [`ContactMemory::width`] numbers per contact.
    pub values: Vec<f64>,
    /// Numbers a contact.
    pub width: usize,
}

impl ContactMemory {
    /// Force and couple.
    pub const WRENCH: usize = 6;

    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Numbers of one contact.
    #[inline]
    pub fn values_of(&self, contact: usize) -> &[f64] {
        &self.values[contact * self.width..(contact + 1) * self.width]
    }

    /// What a contact remembers under the compliant law; zeros where it is new.
    #[inline]
    pub(super) fn remembered(&self, contact: &Contact) -> [f64; HISTORY_LENGTH] {
        match contact.remembered {
            Contact::NEW => [0.0; HISTORY_LENGTH],
            k => {
                let values = &self.values_of(k as usize)[Self::WRENCH..];
                std::array::from_fn(|i| values[i])
            }
        }
    }

    /// First contact whose key is not below `key`.
    pub(crate) fn lower_bound(&self, key: [u32; 3]) -> usize {
        self.keys.partition_point(|k| *k < key)
    }

    /// Writes the memory.
    pub(crate) fn write(&self, out: &mut Writer) {
        out.number(self.width as u64);
        out.list(&self.keys, |key| -> [u8; 12] {
            let words = key.map(u32::to_le_bytes);
            std::array::from_fn(|i| words[i / 4][i % 4])
        });
        out.array(&self.values);
    }

    /// Reads what [`ContactMemory::write`] wrote.
    pub(crate) fn read(input: &mut Reader<'_>) -> Result<Self> {
        let width = input.number()?;
        let word = |b: &[u8], i: usize| u32::from_le_bytes([b[i], b[i + 1], b[i + 2], b[i + 3]]);
        let keys = input.list(12, |b| [0, 4, 8].map(|i| word(b, i)))?;
        let values = input.array()?;
        let fits = width <= 64 && values.len() as u64 == keys.len() as u64 * width;
        input.check(fits, "numbers do not fit the contacts")?;
        input.check(keys.windows(2).all(|w| w[0] < w[1]), "keys are not in order")?;
        Ok(Self { keys, values, width: width as usize })
    }
}

impl Clone for ContactMemory {
    fn clone(&self) -> Self {
        Self { keys: self.keys.clone(), values: self.values.clone(), width: self.width }
    }

    fn clone_from(&mut self, other: &Self) {
        self.keys.clone_from(&other.keys);
        self.values.clone_from(&other.values);
        self.width = other.width;
    }
}

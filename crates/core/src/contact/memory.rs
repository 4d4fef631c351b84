//! What contacts remember from step to step.

/// Per contact of the last step: its key and a few numbers. Part of the state.
///
/// Keys are sorted. The numbers of a contact are the force on the second body [N] and the couple [N·m], world axes
/// (what reports show), then the first guess of both for the next step of the rigid law, or the history of the
/// compliant one.
#[derive(Debug, Default, PartialEq)]
pub struct ContactMemory {
    /// Proxies and feature of each contact.
    pub keys: Vec<[u32; 3]>,
    /// [`ContactMemory::width`] numbers a contact.
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

    /// First contact whose key is not below `key`.
    pub(crate) fn lower_bound(&self, key: [u32; 3]) -> usize {
        self.keys.partition_point(|k| *k < key)
    }

    /// The memory as bytes.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(16 + 12 * self.keys.len() + 8 * self.values.len());
        bytes.extend((self.keys.len() as u64).to_le_bytes());
        bytes.extend((self.width as u64).to_le_bytes());
        self.keys.iter().flatten().for_each(|k| bytes.extend(k.to_le_bytes()));
        self.values.iter().for_each(|v| bytes.extend(v.to_le_bytes()));
        bytes
    }

    /// Restores what [`ContactMemory::to_bytes`] wrote; says what is wrong otherwise.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let word =
            |at: usize| bytes.get(at..at + 8).map(|b| u64::from_le_bytes(b.try_into().expect("8 bytes")));
        let (Some(count), Some(width)) = (word(0), word(8)) else {
            return Err("'contacts' is cut off".into());
        };
        let expected = count.checked_mul(width).and_then(|n| n.checked_mul(8)).and_then(|n| {
            count.checked_mul(12).and_then(|keys| n.checked_add(keys)).and_then(|n| n.checked_add(16))
        });
        if expected != Some(bytes.len() as u64) || width > 64 {
            return Err(format!(
                "'contacts' has {} bytes, which do not fit its {count} contacts",
                bytes.len()
            ));
        }
        let (keys, values) = bytes[16..].split_at(12 * count as usize);
        let keys: Vec<[u32; 3]> = keys
            .chunks_exact(12)
            .map(|c| [0, 4, 8].map(|i| u32::from_le_bytes([c[i], c[i + 1], c[i + 2], c[i + 3]])))
            .collect();
        if keys.windows(2).any(|w| w[0] >= w[1]) {
            return Err("'contacts' is not in order".into());
        }
        let values =
            values.chunks_exact(8).map(|c| f64::from_le_bytes(c.try_into().expect("8 bytes"))).collect();
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

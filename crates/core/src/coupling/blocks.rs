//! The blocks of a state, by kind and owner.

use std::any::Any;

use super::Block;
use crate::bytes::{Reader, Writer};
use crate::error::{CoreError, Result};
use crate::subject::ObjectRef;

/// A block with the names by which it is found.
pub(crate) struct OwnedBlock {
    pub kind: &'static str,
    pub owner: String,
    /// None where a block that cannot save its state was copied.
    pub block: Option<Box<dyn Block>>,
    /// Counts changes from outside a step, which invalidate older copies.
    pub generation: u64,
}

/// Blocks of sub-systems, in the order of insertion.
#[derive(Default)]
pub struct Blocks(Vec<OwnedBlock>);

impl Blocks {
    /// Inserts a block; one of the same kind and owner is replaced.
    pub fn insert(&mut self, kind: &'static str, owner: &str, block: Box<dyn Block>) {
        match self.find(kind, owner) {
            Some(k) => {
                self.0[k].block = Some(block);
                self.0[k].generation += 1;
            }
            None => self.0.push(OwnedBlock { kind, owner: owner.into(), block: Some(block), generation: 0 }),
        }
    }

    /// Takes out the block of a kind and owner.
    pub fn remove(&mut self, kind: &str, owner: &str) {
        self.0.retain(|block| block.kind != kind || block.owner != owner);
    }

    /// The block of a kind and owner, if it is of type `T`.
    pub fn get<T: Block>(&self, kind: &str, owner: &str) -> Option<&T> {
        let block: &dyn Any = self.0[self.find(kind, owner)?].block.as_deref()?;
        block.downcast_ref()
    }

    /// The same, mutable, for changes between steps.
    pub fn get_mut<T: Block>(&mut self, kind: &str, owner: &str) -> Option<&mut T> {
        let k = self.find(kind, owner)?;
        self.0[k].generation += 1;
        let block: &mut dyn Any = self.0[k].block.as_deref_mut()?;
        block.downcast_mut()
    }

    /// Whether there is a block of a kind and owner.
    pub fn contains(&self, kind: &str, owner: &str) -> bool {
        self.find(kind, owner).is_some()
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn find(&self, kind: &str, owner: &str) -> Option<usize> {
        self.0.iter().position(|b| b.kind == kind && b.owner == owner)
    }

    pub(crate) fn at_mut(&mut self, k: usize) -> &mut OwnedBlock {
        &mut self.0[k]
    }

    pub(crate) fn at(&self, k: usize) -> &OwnedBlock {
        &self.0[k]
    }

    /// The first block that cannot give its state, as an error of what was asked of it.
    pub fn check_kept(&self, asked: &'static str) -> Result<()> {
        let lacking = |b: &&OwnedBlock| b.block.as_ref().is_none_or(|block| !block.keeps_state());
        match self.0.iter().find(lacking) {
            None => Ok(()),
            Some(b) => Err(CoreError::KeepsNoState { what: b.object(), asked }),
        }
    }

    /// All blocks as bytes.
    pub(crate) fn write(&self, out: &mut Writer) {
        out.number(self.0.len() as u64);
        for b in &self.0 {
            out.bytes(b.kind.as_bytes());
            out.bytes(b.owner.as_bytes());
            let mut own = Writer::default();
            b.block.iter().for_each(|block| block.write(&mut own));
            out.bytes(&own.into_bytes());
        }
    }

    /// Reads what [`Blocks::write`] wrote of the same objects.
    pub(crate) fn read(&mut self, input: &mut Reader<'_>) -> Result<()> {
        let count = input.number()?;
        input.check(count == self.0.len() as u64, &format!("{count} sub-systems, here {}", self.0.len()))?;
        for b in &mut self.0 {
            let same = [b.kind, &b.owner].iter().try_fold(true, |same, name| -> Result<bool> {
                Ok(same & (input.bytes()? == name.as_bytes()))
            })?;
            let name = b.name();
            input.check(same, &format!("there is no {name}"))?;
            let bytes = input.bytes()?;
            if let Some(block) = &mut b.block {
                let mut own = Reader::new(bytes, &name);
                block.read(&mut own)?;
                own.end()?;
            }
            b.generation += 1;
        }
        Ok(())
    }
}

impl OwnedBlock {
    /// Name in messages, such as `grains 'sand'`.
    pub fn name(&self) -> String {
        self.object().to_string()
    }

    /// The object to which it belongs.
    pub fn object(&self) -> ObjectRef {
        ObjectRef::new(self.kind, &self.owner)
    }
}

impl Clone for Blocks {
    /// A block that cannot save its state is skipped; a step with the copy names it.
    fn clone(&self) -> Self {
        let copy = |b: &OwnedBlock| OwnedBlock {
            kind: b.kind,
            owner: b.owner.clone(),
            block: b.block.as_ref().and_then(|block| block.duplicate()),
            generation: 0,
        };
        Self(self.0.iter().map(copy).collect())
    }
}

impl PartialEq for Blocks {
    fn eq(&self, other: &Self) -> bool {
        let bytes = |blocks: &Self| {
            let mut out = Writer::default();
            blocks.write(&mut out);
            out.into_bytes()
        };
        self.len() == other.len() && bytes(self) == bytes(other)
    }
}

impl std::fmt::Debug for Blocks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.0.iter().map(OwnedBlock::name)).finish()
    }
}

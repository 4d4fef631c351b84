//! Typed generational handles and the arena that issues them.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

/// A handle to an item of kind `T`; it becomes stale when the item is removed and never refers to another one.
pub struct Id<T> {
    index: u32,
    generation: u32,
    kind: PhantomData<fn() -> T>,
}

impl<T> Id<T> {
    /// Position of the item in its arena.
    pub fn index(self) -> usize {
        self.index as usize
    }
}

impl<T> Clone for Id<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Id<T> {}
impl<T> PartialEq for Id<T> {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index && self.generation == other.generation
    }
}
impl<T> Eq for Id<T> {}
impl<T> Hash for Id<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.index, self.generation).hash(state);
    }
}
impl<T> fmt::Debug for Id<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}.{}", self.index, self.generation)
    }
}

/// Items of one kind, addressed by [`Id`] and listed in the order in which they were added; indices of removed items
/// are reused under a new generation.
#[derive(Clone, Debug)]
pub struct Arena<T> {
    slots: Vec<(u32, Option<T>)>,
    free: Vec<u32>,
    /// Index and generation of every item in the order of adding; removed ones stay until they are half of the list.
    order: Vec<(u32, u32)>,
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: Vec::new(), order: Vec::new() }
    }
}

impl<T> Arena<T> {
    /// Adds an item.
    pub fn insert(&mut self, item: T) -> Id<T> {
        let index = match self.free.pop() {
            Some(index) => {
                self.slots[index as usize].1 = Some(item);
                index
            }
            None => {
                self.slots.push((0, Some(item)));
                (self.slots.len() - 1) as u32
            }
        };
        let generation = self.slots[index as usize].0;
        self.order.push((index, generation));
        Id { index, generation, kind: PhantomData }
    }

    /// Removes an item; its handle and all copies of it become stale.
    pub fn remove(&mut self, id: Id<T>) -> Option<T> {
        let slot = self.slots.get_mut(id.index())?;
        if slot.0 != id.generation || slot.1.is_none() {
            return None;
        }
        slot.0 += 1;
        self.free.push(id.index);
        let removed = slot.1.take();
        if self.order.len() > 2 * self.len() + 8 {
            let slots = &self.slots;
            self.order.retain(|(index, generation)| slots[*index as usize].0 == *generation);
        }
        removed
    }

    /// The item behind a handle, unless the handle is stale.
    pub fn get(&self, id: Id<T>) -> Option<&T> {
        self.slots.get(id.index()).filter(|s| s.0 == id.generation)?.1.as_ref()
    }

    /// Mutable access to the item behind a handle, unless the handle is stale.
    pub fn get_mut(&mut self, id: Id<T>) -> Option<&mut T> {
        self.slots.get_mut(id.index()).filter(|s| s.0 == id.generation)?.1.as_mut()
    }

    /// The live item at an index, whatever its generation.
    pub fn at(&self, index: usize) -> Option<&T> {
        self.slots.get(index)?.1.as_ref()
    }

    /// All live items with their handles, in the order in which they were added.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Id<T>, &T)> {
        self.order.iter().filter_map(|&(index, generation)| {
            let id = Id { index, generation, kind: PhantomData };
            self.get(id).map(|item| (id, item))
        })
    }

    /// Number of live items.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Whether there are no live items.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One more than the largest index in use.
    pub fn index_bound(&self) -> usize {
        self.slots.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stale_handles_stay_stale_when_the_slot_is_reused() {
        let mut arena = Arena::default();
        let (a, b) = (arena.insert("a"), arena.insert("b"));
        assert_eq!(arena.remove(a), Some("a"));
        assert_eq!(arena.remove(a), None);
        let c = arena.insert("c");
        assert_eq!(c.index(), a.index());
        assert_eq!((arena.get(a), arena.get(b), arena.get(c)), (None, Some(&"b"), Some(&"c")));
        assert_eq!((arena.len(), arena.index_bound()), (2, 2));
        assert_eq!((arena.at(0), arena.at(2)), (Some(&"c"), None));
    }

    #[test]
    fn items_are_listed_in_the_order_of_adding() {
        let mut arena = Arena::default();
        let first: Vec<_> = (0..20).map(|k| arena.insert(k)).collect();
        first[3..19].iter().for_each(|id| assert!(arena.remove(*id).is_some()));
        (20..25).for_each(|k| {
            arena.insert(k);
        });
        let listed: Vec<i32> = arena.iter().map(|(_, item)| *item).collect();
        assert_eq!(listed, [0, 1, 2, 19, 20, 21, 22, 23, 24]);
        assert!(arena.iter().all(|(id, item)| arena.get(id) == Some(item)));
        assert_eq!(arena.index_bound(), 20);
    }
}

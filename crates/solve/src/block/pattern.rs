//! The block pattern: which blocks exist, how large they are, and where their values lie.

use std::sync::Arc;

/// Properties of the diagonal of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Unknowns with a nonsingular diagonal block (bodies, nodes, shafts).
    Column,
    /// Constraint rows whose diagonal block is zero or a small negative regularization.
    Row,
}

/// One off-diagonal block as seen from its row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neighbour {
    /// The other block.
    pub block: u32,
    /// Offset of the values of (this, other).
    pub slot: u32,
}

#[derive(Debug)]
pub(super) struct PatternData {
    pub sizes: Vec<u32>,
    pub kinds: Vec<BlockKind>,
    /// First unknown of each block, and the number of unknowns at the end.
    pub offsets: Vec<u32>,
    /// Offset of the values of each diagonal block.
    pub diagonals: Vec<u32>,
    /// Neighbours of each block, ascending; `starts[i]..starts[i + 1]` belong to block `i`.
    pub neighbours: Vec<Neighbour>,
    pub starts: Vec<u32>,
    pub value_count: usize,
}

impl PatternData {
    pub fn neighbours_of(&self, block: usize) -> &[Neighbour] {
        &self.neighbours[self.starts[block] as usize..self.starts[block + 1] as usize]
    }

    pub fn block_count(&self) -> usize {
        self.sizes.len()
    }
}

/// Sizes, kinds and couplings of the blocks of a symmetric block pattern; cheap to clone.
#[derive(Clone, Debug)]
pub struct BlockPattern {
    pub(super) data: Arc<PatternData>,
}

impl BlockPattern {
    /// Builds the pattern of blocks with the given sizes and kinds; each coupling makes the blocks (i, j) and
    /// (j, i). Couplings may repeat and come in any order.
    ///
    /// # Panics
    /// When `kinds` is not as long as `sizes` or a coupling names a block that does not exist.
    pub fn new(sizes: &[usize], kinds: &[BlockKind], couplings: &[(u32, u32)]) -> Self {
        assert_eq!(sizes.len(), kinds.len(), "one kind for each block");
        let count = sizes.len();
        let mut pairs: Vec<(u32, u32)> =
            couplings.iter().filter(|(i, j)| i != j).map(|&(i, j)| (i.min(j), i.max(j))).collect();
        pairs.sort_unstable();
        pairs.dedup();
        if let Some(&(_, j)) = pairs.iter().find(|p| p.1 as usize >= count) {
            panic!("coupling names block {j} of {count}");
        }

        let mut offsets = Vec::with_capacity(count + 1);
        offsets.push(0);
        let mut total = 0;
        for &size in sizes {
            total += size;
            offsets.push(total as u32);
        }

        // A block's diagonal is followed by its couplings to later blocks: eliminating walks through memory.
        let mut diagonals = Vec::with_capacity(count);
        let mut lists: Vec<Vec<Neighbour>> = vec![Vec::new(); count];
        let mut next = 0;
        let mut pair = pairs.iter().peekable();
        for i in 0..count {
            diagonals.push(next as u32);
            next += sizes[i] * sizes[i];
            while let Some(&&(_, j)) = pair.peek().filter(|p| p.0 as usize == i) {
                let area = sizes[i] * sizes[j as usize];
                lists[i].push(Neighbour { block: j, slot: next as u32 });
                lists[j as usize].push(Neighbour { block: i as u32, slot: (next + area) as u32 });
                next += 2 * area;
                pair.next();
            }
        }
        let mut starts = vec![0];
        let mut neighbours = Vec::with_capacity(2 * pairs.len());
        for list in &mut lists {
            list.sort_unstable_by_key(|n| n.block);
            neighbours.extend_from_slice(list);
            starts.push(neighbours.len() as u32);
        }
        let sizes = sizes.iter().map(|&s| s as u32).collect();
        let data = PatternData {
            sizes,
            kinds: kinds.to_vec(),
            offsets,
            diagonals,
            neighbours,
            starts,
            value_count: next,
        };
        Self { data: Arc::new(data) }
    }

    /// Number of blocks.
    pub fn block_count(&self) -> usize {
        self.data.block_count()
    }

    /// Number of unknowns: the length of the vectors on which the matrix acts.
    pub fn dimension(&self) -> usize {
        *self.data.offsets.last().unwrap_or(&0) as usize
    }

    /// Size of block `i`.
    pub fn size(&self, i: usize) -> usize {
        self.data.sizes[i] as usize
    }

    /// Kind of block `i`.
    pub fn kind(&self, i: usize) -> BlockKind {
        self.data.kinds[i]
    }

    /// First unknown of block `i` in a vector.
    pub fn offset(&self, i: usize) -> usize {
        self.data.offsets[i] as usize
    }

    /// Number of values a matrix with this pattern stores.
    pub fn value_count(&self) -> usize {
        self.data.value_count
    }

    /// Offset of block (i, j), row-major, in [`BlockMatrix::values`](super::BlockMatrix::values), or `None` if the
    /// pattern has no such block.
    pub fn find_slot(&self, i: usize, j: usize) -> Option<usize> {
        if i == j {
            return self.data.diagonals.get(i).map(|&s| s as usize);
        }
        let list = self.data.neighbours_of(i);
        list.binary_search_by_key(&(j as u32), |n| n.block).ok().map(|k| list[k].slot as usize)
    }

    /// Offset of block (i, j), row-major, in the values of a matrix.
    ///
    /// # Panics
    /// When the pattern has no such block.
    pub fn slot(&self, i: usize, j: usize) -> usize {
        self.find_slot(i, j).unwrap_or_else(|| panic!("blocks {i} and {j} are not coupled"))
    }

    /// Blocks coupled to block `i`, ascending, each with the offset of the values of block (i, j).
    pub fn couplings(&self, i: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.data.neighbours_of(i).iter().map(|n| (n.block as usize, n.slot as usize))
    }

    /// Whether two patterns are the same object, as required of a matrix and its factor.
    pub(super) fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.data, &other.data)
    }
}

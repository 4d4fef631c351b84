//! The order of elimination: minimum degree, with constraint rows held back until they have a pivot.

use super::pattern::{BlockKind, PatternData};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

/// How a pivot block is judged when it is factored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PivotKind {
    /// Must be nonsingular.
    Column,
    /// A row eliminated while some rows still have live columns: a small pivot is a matter of ordering.
    RowEarly,
    /// All rows so far have lost all their columns: a small pivot is a dependent row.
    RowFinal,
}

/// When a row block may be eliminated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowRule {
    /// As soon as one large eliminated column still has degrees of freedom for all its rows.
    Sponsored,
    /// Only after all its columns.
    AfterColumns,
}

/// One step of the elimination.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub block: u32,
    pub kind: PivotKind,
    /// Blocks that are coupled to it and eliminated later, ascending.
    pub later: Vec<u32>,
}

/// Columns smaller than this do not sponsor rows: a node or a shaft rarely holds a whole joint.
const SPONSOR_SIZE: u32 = 6;

struct Graph<'a> {
    pattern: &'a PatternData,
    rule: RowRule,
    adjacent: Vec<Vec<u32>>,
    edges: HashSet<(u32, u32)>,
    degree: Vec<u32>,
    alive: Vec<bool>,
    /// Row blocks: how many of their columns are alive.
    live_columns: Vec<u32>,
    /// Column blocks: degrees of freedom not yet claimed by eliminated rows. A second joint cannot use those that the
    /// first one claimed, so its pivot would be singular.
    unclaimed: Vec<u32>,
    /// Eliminated rows with live columns.
    open_rows: usize,
}

/// Orders the elimination of `pattern` under `rule`.
pub(super) fn order(pattern: &PatternData, rule: RowRule) -> Vec<Step> {
    let count = pattern.block_count();
    let mut graph = Graph::new(pattern, rule);
    let mut heap: BinaryHeap<_> = (0..count).map(|b| Reverse((graph.degree[b], b as u32))).collect();
    let mut steps = Vec::with_capacity(count);
    while let Some(Reverse((degree, block))) = heap.pop() {
        let b = block as usize;
        if !graph.alive[b] || degree != graph.degree[b] || !graph.available(b) {
            continue;
        }
        let step = graph.eliminate(b);
        // Degrees and availability change only among the neighbours of the pivot.
        heap.extend(step.later.iter().map(|&u| Reverse((graph.degree[u as usize], u))));
        steps.push(step);
    }
    steps
}

impl<'a> Graph<'a> {
    fn new(pattern: &'a PatternData, rule: RowRule) -> Self {
        let count = pattern.block_count();
        let mut graph = Self {
            pattern,
            rule,
            adjacent: Vec::with_capacity(count),
            edges: HashSet::with_capacity(pattern.neighbours.len()),
            degree: Vec::with_capacity(count),
            alive: vec![true; count],
            live_columns: vec![0; count],
            unclaimed: pattern.sizes.clone(),
            open_rows: 0,
        };
        for b in 0..count {
            let list: Vec<u32> = pattern.neighbours_of(b).iter().map(|n| n.block).collect();
            graph.degree.push(list.iter().map(|&u| pattern.sizes[u as usize]).sum());
            graph.edges.extend(list.iter().filter(|&&u| u as usize > b).map(|&u| (b as u32, u)));
            graph.live_columns[b] = list.iter().filter(|&&u| graph.is_column(u as usize)).count() as u32;
            graph.adjacent.push(list);
        }
        graph
    }

    fn is_column(&self, block: usize) -> bool {
        self.pattern.kinds[block] == BlockKind::Column
    }

    /// Columns the rows of block `row` act on, fill left aside.
    fn columns(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        let list = self.pattern.neighbours_of(row).iter().map(|n| n.block as usize);
        list.filter(|&c| self.is_column(c))
    }

    fn sponsor(&self, row: usize) -> Option<usize> {
        let rows = self.pattern.sizes[row];
        let able =
            |&c: &usize| !self.alive[c] && self.pattern.sizes[c] >= SPONSOR_SIZE && self.unclaimed[c] >= rows;
        self.columns(row).filter(able).max_by_key(|&c| self.unclaimed[c])
    }

    fn available(&self, block: usize) -> bool {
        self.is_column(block)
            || self.live_columns[block] == 0
            || (self.rule == RowRule::Sponsored && self.sponsor(block).is_some())
    }

    fn eliminate(&mut self, block: usize) -> Step {
        let mut later = std::mem::take(&mut self.adjacent[block]);
        later.retain(|&u| self.alive[u as usize]);
        later.sort_unstable();
        self.alive[block] = false;
        self.connect(&later);
        for &u in &later {
            self.degree[u as usize] -= self.pattern.sizes[block];
        }
        let kind = if self.is_column(block) {
            self.retire_column(block);
            PivotKind::Column
        } else {
            self.claim_freedoms(block);
            if self.open_rows == 0 { PivotKind::RowFinal } else { PivotKind::RowEarly }
        };
        Step { block: block as u32, kind, later }
    }

    fn connect(&mut self, clique: &[u32]) {
        for (k, &u) in clique.iter().enumerate() {
            for &w in &clique[k + 1..] {
                if self.edges.insert((u, w)) {
                    self.adjacent[u as usize].push(w);
                    self.adjacent[w as usize].push(u);
                    self.degree[u as usize] += self.pattern.sizes[w as usize];
                    self.degree[w as usize] += self.pattern.sizes[u as usize];
                }
            }
        }
    }

    fn retire_column(&mut self, column: usize) {
        for k in self.pattern.starts[column]..self.pattern.starts[column + 1] {
            let row = self.pattern.neighbours[k as usize].block as usize;
            if self.is_column(row) {
                continue;
            }
            self.live_columns[row] -= 1;
            if !self.alive[row] && self.live_columns[row] == 0 {
                self.open_rows -= 1;
            }
        }
    }

    fn claim_freedoms(&mut self, row: usize) {
        let mut wanted = self.pattern.sizes[row];
        if self.live_columns[row] > 0 {
            self.open_rows += 1;
            if let Some(column) = self.sponsor(row) {
                self.unclaimed[column] -= wanted;
            }
            return;
        }
        while wanted > 0 {
            let Some(column) = self.columns(row).max_by_key(|&c| self.unclaimed[c]) else { return };
            let taken = wanted.min(self.unclaimed[column]);
            if taken == 0 {
                return;
            }
            self.unclaimed[column] -= taken;
            wanted -= taken;
        }
    }
}

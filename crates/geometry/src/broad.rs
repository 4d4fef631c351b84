//! Broad phase: pairs of boxes that overlap.

use huygens_exec::Exec;

use crate::Aabb;

/// Finds the pairs of boxes that overlap; keeps its buffers from call to call, nothing else.
#[derive(Clone, Debug, Default)]
pub struct BroadPhase {
    order: Vec<u32>,
}

impl BroadPhase {
    /// A broad phase with empty buffers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Fills `out` with the sorted, unique pairs `[a, b]`, a < b, whose boxes overlap and for which `keep(a, b)`
    /// holds. The list is the same on any number of threads; memory is allocated only to grow.
    pub fn pairs(
        &mut self,
        _ex: &Exec,
        boxes: &[Aabb],
        keep: impl Fn(u32, u32) -> bool + Sync,
        out: &mut Vec<[u32; 2]>,
    ) {
        out.clear();
        self.order.clear();
        self.order.extend(0..boxes.len() as u32);
        self.order.sort_unstable_by(|&i, &j| {
            boxes[i as usize].min.x.total_cmp(&boxes[j as usize].min.x).then(i.cmp(&j))
        });
        for (k, &i) in self.order.iter().enumerate() {
            for &j in &self.order[k + 1..] {
                if boxes[j as usize].min.x > boxes[i as usize].max.x {
                    break;
                }
                let (a, b) = (i.min(j), i.max(j));
                if boxes[i as usize].overlaps(&boxes[j as usize]) && keep(a, b) {
                    out.push([a, b]);
                }
            }
        }
        out.sort_unstable();
    }
}

//! The unbalanced forces that rounding causes at an equilibrium.
//!
//! A coordinate $x_j$ is known to $\epsilon|x_j|$ only, so the force of an element is known to
//! $\epsilon\sum_j|K_{ij}||x_j|$. Where the loads are smaller than that, or none act, no residual can fall below this
//! bound, however it compares with the forces that act.

use crate::contract::ItemKind;
use crate::model::Model;
use crate::system::System;

/// Rounding errors of one evaluation of an element, in units of $\epsilon|K||x|$.
const OPERATIONS: f64 = 4.0;
/// Fall of the residual in one iteration from which iterations still gain something.
const FALLS: f64 = 0.5;

/// Whether the iteration has come to where only rounding is left: the residual `now` no longer falls from `previous`,
/// and each unbalanced force of `f` is within `bound` or within the rounding of the element forces at the point.
pub(super) fn at_rounding(
    system: &mut System,
    history: &[f64],
    f: &[f64],
    bound: f64,
    (now, previous): (f64, f64),
) -> bool {
    now > FALLS * previous && within_rounding(system, history, f, bound)
}

/// Whether each unbalanced force of `f` is within `bound` or within the rounding of the element forces at the point.
pub(super) fn within_rounding(system: &mut System, history: &[f64], f: &[f64], bound: f64) -> bool {
    let sizes = column_sizes(system.model(), &system.point.q);
    let mut rounding = vec![0.0; f.len()];
    system.for_each_stiffness(history, |columns, stiffness| {
        for (&row, k) in columns.iter().zip(stiffness.chunks_exact(columns.len().max(1))) {
            let moved = k.iter().zip(columns).map(|(k, &c)| k.abs() * sizes[c as usize]);
            rounding[row as usize] += moved.sum::<f64>();
        }
    });
    system.for_each_contact_stiffness(|row, column, k| rounding[row] += k.abs() * sizes[column]);
    f.iter().zip(&rounding).all(|(f, r)| f.abs() <= (OPERATIONS * f64::EPSILON * r).max(bound))
}

/// Size of the coordinate behind each velocity column: distance from the origin [m] for translations, at least 1 for
/// rotations, slopes and gradients.
fn column_sizes(model: &Model, q: &[f64]) -> Vec<f64> {
    let mut sizes = vec![1.0; model.velocity_count()];
    let top = |q: &[f64]| q.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    for e in &model.coordinates {
        let (width, length) = (e.shape.v_per_item.max(1), e.shape.q_per_item.max(1));
        // Items of other kinds may be angles or lengths; all their coordinates count alike.
        let places = if e.shape.kind == ItemKind::Other { width } else { width.min(3) };
        for (own, q) in sizes[e.v_range()].chunks_exact_mut(width).zip(q[e.q_range()].chunks_exact(length)) {
            let (linear, other) = own.split_at_mut(places);
            linear.fill(top(&q[..places.min(length)]));
            other.fill(top(&q[places.min(length)..]).max(1.0));
        }
    }
    sizes
}

//! Contact: the reference cases of both laws, and what must hold whatever the scene.

mod ellipsoids;
mod hertz;
mod impacts;
mod incline;
mod invariance;
mod painleve;
mod restitution;
mod stacks;
mod stopping;
mod surfaces;
mod tower;

use super::Case;

/// All cases of contact.
pub fn cases() -> Vec<Case> {
    const CLOSED: &str = "closed form";
    const CHRONO: &str = "test setups of Project Chrono, closed form where there is one";
    const INVARIANT: &str = "must hold exactly";
    vec![
        Case::new("contact_restitution", "two balls head-on, restitution 0 to 1", restitution::run)
            .from(CHRONO),
        Case::new("contact_sliding_block", "a block slides to rest", stopping::block).from(CHRONO),
        Case::new("contact_rolling_stop", "a ball stopped by rolling friction", stopping::rolling)
            .from(CHRONO),
        Case::new("contact_spinning_stop", "a ball stopped by spinning friction", stopping::spinning)
            .from(CHRONO),
        Case::new("contact_sphere_stack", "five balls dropped in a column", stacks::spheres).from(CHRONO),
        Case::new("contact_cohesion", "a ball held by cohesion", stacks::cohesion).from(CHRONO),
        Case::new("contact_pairings", "ball as sphere, mesh and hull: nine pairs", surfaces::pairings)
            .from(CHRONO),
        Case::new("contact_granular_column", "five balls of a granular code", stacks::granular_column)
            .from("test setup of Chrono::GPU, and balance of forces"),
        Case::new("contact_pyramid", "three balls that hold or collapse", stacks::pyramid).from(CHRONO),
        Case::new("contact_settled_weight", "a box half full of balls, weighed", stacks::settled_weight)
            .from(CHRONO),
        Case::new("contact_hertz", "elastic impacts: depth, force, time", hertz::head_on).from(CLOSED),
        Case::new("contact_oblique", "oblique impacts of alumina", hertz::oblique)
            .from("independent integration; gross sliding in closed form"),
        Case::new("contact_ellipsoids", "distance of ellipsoids", ellipsoids::run)
            .from("independent alternating projection"),
        Case::new("contact_bouncing_ball", "infinitely many bounces in finite time", impacts::bouncing_ball)
            .from(CLOSED),
        Case::new("contact_billiard", "sliding turns into rolling", stopping::billiard).from(CLOSED),
        Case::new("contact_incline_ball", "a ball on a slope rolls or slips", incline::rolling).from(CLOSED),
        Case::new("contact_incline_block", "a block sticks and slips 0.1° apart", incline::stick_and_slip)
            .from(CLOSED),
        Case::new("contact_cradle", "Newton's cradle", impacts::cradle).from(CLOSED),
        Case::new("contact_painleve", "a rod on its tip with much friction", painleve::run).from(INVARIANT),
        Case::new("contact_tower", "20 boxes, masses 1 : 1000, for 60 s", tower::stands).from(INVARIANT),
        Case::new("contact_tower_first_order", "the same, by first-order solvers", tower::first_order)
            .from("for comparison only"),
        Case::new("contact_pile_weight", "a settled pile weighed by every solver", tower::pile_weight)
            .from(INVARIANT),
        Case::new("contact_momentum", "collisions in free space", impacts::momentum).from(INVARIANT),
        Case::new("contact_units_axes", "scaled, mirrored and rotated scenes", invariance::units_and_axes)
            .from(INVARIANT),
        Case::new("contact_equal_bits", "threads and restart", invariance::equal_bits).from(INVARIANT),
        Case::new("contact_resting_mesh", "a box of triangles lies still", surfaces::resting).from(INVARIANT),
        Case::new("contact_rolling_mesh", "a ball rolls across triangles", surfaces::rolling).from(INVARIANT),
    ]
}

//! Flexible structures: cables, beams, rods and bars against exact theory, published tables and other programs.

mod aluminium_bar;
mod beam_ancf;
mod bend;
mod cable;
mod cantilever;
mod eigen_sets;
mod line;
mod modes;
mod order;
mod princeton;
mod roll_up;
mod spin_up;
mod swing;
mod wave;

use super::Case;

/// All cases of flexible structures.
pub fn cases() -> Vec<Case> {
    let mut all = statics();
    all.extend(motions());
    all.extend([
        Case::new("fea_frequencies", "a steel bar, clamped and free: lowest frequencies", modes::frequencies)
            .from("closed form"),
        Case::new("fea_buckling", "a steel bar pressed along itself", modes::buckling).from("Euler's loads"),
        Case::new("fea_eigen_sets", "small eigenproblems with rows, damping and shifts", eigen_sets::run)
            .from("sets of Project Chrono, computed with MATLAB"),
        Case::new("fea_beam_3243_tables", "mass, forces and Jacobians of one ANCF beam", beam_ancf::run)
            .from("tables of Project Chrono's tests"),
    ]);
    all
}

fn statics() -> Vec<Case> {
    vec![
        Case::new("fea_princeton", "Princeton beam: two loads at seven angles, 10 elements", princeton::run)
            .from("exact theory by shooting; experiment of dowell1977"),
        Case::new("fea_bend_45", "45° bend pushed out of its plane, 16 elements", bend::run)
            .from("exact theory; bathe1979"),
        Case::new("fea_cantilever_small", "small deflections, with and without shear", cantilever::small)
            .from("closed form"),
        Case::new("fea_cantilever_thick", "a short high beam under an end force", cantilever::thick)
            .from("Project Chrono's test of its three-node ANCF beam"),
        Case::new(
            "fea_cantilever_large",
            "end force to 0.67 of the length, whole load path",
            cantilever::large,
        )
        .from("table of shells without Poisson's effect (sze2004)"),
        Case::new("fea_aluminium_bar", "pull, side load, own weight and torque", aluminium_bar::run)
            .from("closed form"),
        Case::new("fea_roll_up", "an end moment closes a strip to a circle, whole load path", roll_up::run)
            .from("closed form; table of sze2004"),
        Case::new("fea_order", "observed orders of lines under refinement", order::run)
            .from("circle in closed form; plane rod by shooting"),
    ]
}

fn motions() -> Vec<Case> {
    vec![
        Case::new("fea_cable_pendulum_a", "a cable falls from the horizontal, EA = 1000 N", |c| {
            cable::run(c, cable::Set::A)
        })
        .from("tables of Exudyn"),
        Case::new("fea_cable_pendulum_b", "a cable falls from the horizontal, EA = 1e5 N", |c| {
            cable::run(c, cable::Set::B)
        })
        .from("tables of Exudyn"),
        Case::new("fea_cable_swing", "four cables with an initial spin, linearly implicit Euler", swing::run)
            .from("time series of Project Chrono's tests"),
        Case::new("fea_wave", "a push runs along a free bar", wave::run).from("closed form"),
        Case::new("fea_spin_up", "a beam is turned faster and faster (simo1986)", spin_up::run)
            .from("closed form of the steady state; published dip"),
    ]
}

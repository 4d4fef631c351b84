//! Fluids: flows with closed solutions, breaking dams, and bodies in them, against measurements.

mod bodies;
mod cavity;
mod channels;
mod constraint;
mod dam;
mod dam_front;
mod dam_pressure;
mod measure;
mod orbit;
mod rest;
mod vortices;

use super::Case;

/// All cases of fluids.
pub fn cases() -> Vec<Case> {
    vec![
        Case::new("fluid_poiseuille", "flow between plates, driven by a force", channels::poiseuille)
            .from("series solution; tabulated"),
        Case::new("fluid_poiseuille_order", "the same with ever more rows", channels::poiseuille_order)
            .from("series solution"),
        Case::new("fluid_poiseuille_steady", "the same until it is steady", channels::poiseuille_steady)
            .from("series solution"),
        Case::new("fluid_couette", "flow between plates, one of which starts to move", channels::couette)
            .from("series solution; tabulated (morris1997)"),
        Case::new("fluid_taylor_green", "decay of vortices in a periodic square", vortices::run)
            .from("closed solution"),
        Case::new("fluid_cavity_100", "square with a moving lid, Re 100", |c| cavity::run(c, 100.0))
            .from("tabulated (ghia1982)"),
        Case::new("fluid_cavity_1000", "square with a moving lid, Re 1000", |c| cavity::run(c, 1000.0))
            .from("tabulated (ghia1982)"),
        Case::new("fluid_tank", "water at rest in a tank", rest::run).from("p = ρ g depth"),
        Case::new("fluid_dam_martin", "front of a breaking dam, column 1 by 2", dam_front::martin)
            .from("measured (martin1952)"),
        Case::new("fluid_dam_koshizuka", "front of a breaking dam in a short tank", dam_front::koshizuka)
            .from("measured (koshizuka1996)"),
        Case::new("fluid_dam_lobovsky", "pressure on the wall that a dam break hits", dam_pressure::lobovsky)
            .from("measured (lobovsky2014)"),
        Case::new("fluid_dam_lobovsky_3d", "the same in its true width", dam_pressure::lobovsky_wide)
            .from("measured (lobovsky2014)"),
        Case::new("fluid_dam_buchner", "pressure on the wall that a dam break hits", dam_pressure::buchner)
            .from("measured (buchner2002)"),
        Case::new("fluid_dam_kleefsman", "dam break that hits a box", dam_pressure::kleefsman)
            .from("measured (kleefsman2005)"),
        Case::new("fluid_disc", "disc that settles in a channel, in the plane", bodies::disc)
            .from("published computations"),
        Case::new("fluid_sphere", "sphere that settles in a box of oil", bodies::sphere)
            .from("measured (tencate2002)"),
        Case::new("fluid_floating_box", "draught of a box that floats", bodies::floating)
            .from("balance of weights"),
        Case::new("constraint_tank", "water of constraints at rest in a tank", constraint::tank)
            .from("p = ρ g depth"),
        Case::new("constraint_dam", "front of a breaking dam of constraints, column 1 by 2", constraint::dam)
            .from("measured (martin1952)"),
        Case::new("fluid_jeffery", "ellipse that turns in a shear flow, in the plane", orbit::plane)
            .from("closed solution (jeffery1922)"),
        Case::new("fluid_jeffery_3d", "spheroid that turns in a shear flow", orbit::space)
            .from("closed solution (jeffery1922)"),
    ]
}

//! The cases. A new one is a function that measures it and an entry in [`CASES`].

mod cable;
mod chain;
pub(crate) mod contact;
pub(crate) mod fluid;
pub(crate) mod grains;
mod loops;
mod noise;
mod overlap;

use crate::error::BenchError;
use crate::measure::{MechanismLine, measure};
use crate::report::Line;
use crate::request::Request;
use crate::workload::Workload;

/// A benchmark case.
#[derive(Debug)]
pub struct Case {
    /// Its name.
    pub name: &'static str,
    /// What it is, and which options it has.
    pub about: &'static str,
    /// Its variants, the first of which is run if none is named.
    pub variants: &'static [&'static str],
    /// Heading of its rows, where they are columns of a table.
    pub heading: Option<&'static str>,
    /// Whether it comes in sizes; otherwise it is run once.
    pub(crate) has_sizes: bool,
    pub(crate) run: fn(&Request, usize) -> Result<Line, BenchError>,
}

impl Case {
    const fn new(
        name: &'static str,
        about: &'static str,
        run: fn(&Request, usize) -> Result<Line, BenchError>,
    ) -> Self {
        Self { name, about, variants: &[], heading: None, has_sizes: true, run }
    }

    const fn mechanism(
        name: &'static str,
        about: &'static str,
        run: fn(&Request, usize) -> Result<Line, BenchError>,
    ) -> Self {
        Self { heading: Some(MechanismLine::HEADING), ..Self::new(name, about, run) }
    }

    const fn variants(self, variants: &'static [&'static str]) -> Self {
        Self { variants, ..self }
    }

    const fn one_size(self) -> Self {
        Self { has_sizes: false, ..self }
    }
}

/// Every case there is.
pub const CASES: &[Case] = &[
    Case::mechanism(
        "pendulum_chain",
        "chain of rods swinging from rest; --variant planar | alt3d, --size links",
        |request, size| match request.variant.as_str() {
            "alt3d" => timed(chain::alternating(size)?, request),
            _ => timed(chain::planar(size)?, request),
        },
    )
    .variants(&["planar", "alt3d"]),
    Case::mechanism(
        "slider_crank",
        "closed loop, one degree of freedom: crank, rod and slider under gravity, 5 s",
        |request, _| timed(loops::slider_crank()?, request),
    )
    .one_size(),
    Case::mechanism(
        "ancf_cable",
        "cable pendulum, pinned at one end; --variant A (soft) | B (stiff), --size elements",
        |request, size| timed(cable::pendulum(size, if request.variant == "B" { "B" } else { "A" }), request),
    )
    .variants(&["A", "B"]),
    Case::mechanism(
        "cable_net",
        "net of cables that sags from rest, held at its border; --size elements",
        |request, size| timed(cable::net(size)?, request),
    ),
    Case::mechanism(
        "four_bar",
        "closed loop, one degree of freedom: crank, coupler and rocker under gravity, 5 s",
        |request, _| timed(loops::four_bar()?, request),
    )
    .one_size(),
    Case::new(
        "nsc_settle",
        "bed of spheres at rest, rigid contact; --size spheres, --variant settled | packed | falling",
        |request, size| contact::settled_bed(&contact::RIGID, size, request),
    )
    .variants(contact::BED_VARIANTS),
    Case::new("smc_settle", "bed of spheres at rest, compliant contact; --size spheres", |request, size| {
        contact::settled_bed(&contact::COMPLIANT, size, request)
    })
    .variants(contact::BED_VARIANTS),
    Case::new("sphere_settle", "1,000 lighter spheres in a box, rigid contact", |request, size| {
        contact::settled_bed(&contact::LIGHT, size, request)
    })
    .variants(contact::BED_VARIANTS),
    Case::new("brick_wall", "500 boxes in 20 rows, rigid contact; --variant static | hit", |request, _| {
        contact::brick_wall(request)
    })
    .variants(&["static", "hit"])
    .one_size(),
    Case::new(
        "dem_settle",
        "bed of grains at rest, Hertz with history of friction; --size grains, --data tables",
        grains::settled_bed,
    ),
    Case::new(
        "sph_dambreak",
        "dam break in a tank of 1.61 x 0.6 x 0.6 m, weakly compressible; --size fluid particles",
        fluid::dam_break,
    ),
    Case::new(
        "constraint_dambreak",
        "the same of constraints, beside weakly compressible steps with default settings; --iterations of a step (20)",
        fluid::constraint_dam_break,
    ),
];

/// The case of a name.
pub fn find_case(name: &str) -> Option<&'static Case> {
    CASES.iter().find(|case| case.name == name)
}

/// Measures a mechanism.
fn timed(workload: Workload, request: &Request) -> Result<Line, BenchError> {
    Ok(measure(&workload, request)?.into())
}

//! All cases, one file each (the joints of one family share a file, because their setups are data).

mod andrews_squeezer;
mod brachistochrone;
mod contact;
mod convergence_order;
mod double_pendulum;
mod fea;
mod fluid;
mod four_bar;
mod free_mechanism;
mod gear_pair;
mod granular;
mod heavy_top;
mod intermediate_axis;
mod joint_family;
mod n_four_bar;
mod pendulum_chain;
mod physical_pendulum;
mod prismatic_spring;
mod simple_pendulum;
mod slider_crank;

use crate::Context;
use crate::error::Result;
use crate::report::Check;

/// What runs a case.
pub type Run = Box<dyn Fn(&Context) -> Result<Vec<Check>> + Send + Sync>;

/// A case: a name, what it is, and what runs it.
pub struct Case {
    /// Name, as `--case` takes it.
    pub name: String,
    /// What it is, in a line.
    pub summary: String,
    /// Where the expected values come from, where it is one source for all checks.
    pub source: String,
    /// Runs it.
    pub run: Run,
}

impl Case {
    fn new(
        name: &str,
        summary: &str,
        run: impl Fn(&Context) -> Result<Vec<Check>> + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), summary: summary.into(), source: String::new(), run: Box::new(run) }
    }

    fn from(self, source: &str) -> Self {
        Self { source: source.into(), ..self }
    }
}

/// All cases.
pub fn all() -> Vec<Case> {
    let mut cases = joint_family::cases();
    cases.extend([
        Case::new("iftomm_a01_pendulum", "simple pendulum, IFToMM library A01", simple_pendulum::run),
        Case::new("iftomm_a02_four_bar_n2", "N four-bar through singular positions, N = 2, A02", |c| {
            n_four_bar::run(c, 2)
        }),
        Case::new("iftomm_a02_four_bar_n40", "N four-bar through singular positions, N = 40, A02", |c| {
            n_four_bar::run(c, 40)
        }),
        Case::new("iftomm_a03_andrews", "Andrews squeezing mechanism, A03", andrews_squeezer::run),
        Case::new("double_pendulum", "two bodies, exact minimal-coordinate equations", double_pendulum::run),
        Case::new("heavy_top", "fast spinning top on a ball joint", heavy_top::run),
        Case::new(
            "intermediate_axis",
            "torque-free tumbling about the intermediate axis",
            intermediate_axis::run,
        ),
        Case::new("physical_pendulum", "period of a rod that swings through 90°", physical_pendulum::run),
        Case::new("brachistochrone", "bead on a cycloid and on a straight chute", brachistochrone::run),
        Case::new("gear_pair", "bearing reactions of a helical gear pair", gear_pair::run),
        Case::new(
            "prismatic_spring",
            "slider on a spring: two methods and static equilibrium",
            prismatic_spring::run,
        ),
        Case::new("chain_planar", "pendulum chain of 32 links, all axes parallel", |c| {
            pendulum_chain::run(c, false)
        }),
        Case::new("chain_alternating", "pendulum chain of 32 links, axes alternate", |c| {
            pendulum_chain::run(c, true)
        }),
        Case::new("slider_crank", "slider–crank to 5 s, no redundant rows", |c| {
            slider_crank::run(c, false)
        }),
        Case::new("slider_crank_redundant", "slider–crank to 5 s, three redundant rows", |c| {
            slider_crank::run(c, true)
        }),
        Case::new("four_bar", "four-bar linkage to 5 s", four_bar::run),
        Case::new("free_mechanism", "momentum of a mechanism that floats freely", free_mechanism::run),
        Case::new("convergence_order", "observed orders of the index-3 methods", convergence_order::run),
    ]);
    cases.extend(contact::cases());
    cases.extend(fea::cases());
    cases.extend(fluid::cases());
    cases.extend(granular::cases());
    cases
}

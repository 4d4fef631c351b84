//! Analyses of structures: equilibria under rising loads, natural frequencies, buckling loads.

use std::ops::ControlFlow;
use std::sync::PoisonError;

use huygens_core::analysis::{self, BucklingModes, LoadPathReport, NaturalModes};
use huygens_core::analysis::{LoadPathMethod, LoadPathSettings};
use huygens_core::{LinearSolver, State, System};

use super::{Result, World};
use crate::spec::ModesSpec;
use crate::spec::{LoadPathSpec, LoadPathType};

/// Nodes above which elimination along the mechanism is no longer the fastest.
const MANY_NODES: usize = 2000;

impl World {
    /// Whether static equilibria are found along a load path.
    pub(crate) fn has_load_path(&self) -> bool {
        self.settings.load_path.is_some() || self.structures().next().is_some()
    }

    /// The linear solver of the settings; for large meshes one that suits them, if none is chosen.
    pub(super) fn linear_solver(&self) -> LinearSolver {
        let nodes: usize = self.objects.structures.iter().map(|s| s.node_count()).sum();
        match self.settings.newton.solver {
            LinearSolver::Block if nodes > MANY_NODES => LinearSolver::SparseCholesky,
            chosen => chosen,
        }
    }

    /// A work space of its own, with the linear solver of the settings, and a copy of the state.
    fn analysed(&mut self, name: &str) -> Result<(System, State)> {
        self.refuse_particles(name)?;
        let (exec, linear) = (self.exec.clone(), self.linear_solver());
        let chosen = self.settings.newton.solver != LinearSolver::Block;
        let s = self.running()?;
        let model = s.mechanism.model.clone();
        // Without mass, parts that only joints hold are singular by themselves: pivots must be sought everywhere.
        let linear = if !chosen && model.row_count() > 0 { LinearSolver::SparseLu } else { linear };
        Ok((System::with_solver(model, exec, linear), s.state.clone()))
    }

    /// Raises gravity and loads from zero and moves the world along its equilibria, as `settings.load_path` says;
    /// calls `at_step` with the load factor at each.
    ///
    /// ```
    /// use huygens::prelude::*;
    ///
    /// let mut world = World::new([0.0; 3]);
    /// let beam = world.add_structure(StructureSpec {
    ///     section: Some(SectionSpec::circle(0.01)),
    ///     material: Some(ElasticSpec::new(2.1e11, 0.3, 7850.0)),
    ///     fixed: vec![FixedSpec::all("start")],
    ///     loads: vec![StructureLoadSpec::force("end", [0.0, 0.0, -1.0])],
    ///     ..StructureSpec::beam("beam", ElementType::Beam, [0.0; 3], [1.0, 0.0, 0.0], 4)
    /// })?;
    /// world.load_path(&mut |_, _| std::ops::ControlFlow::Continue(()))?;
    /// let bending = 2.1e11 * std::f64::consts::PI / 4.0 * 1e-8;
    /// let tip = world.node_motion(beam, "end")?.position;
    /// assert!((tip.z * 3.0 * bending + 1.0).abs() < 1e-3);
    /// # Ok::<(), huygens::WorldError>(())
    /// ```
    pub fn load_path(
        &mut self,
        at_step: &mut dyn FnMut(&mut World, f64) -> ControlFlow<()>,
    ) -> Result<LoadPathReport> {
        let settings = load_path(&self.settings.load_path.unwrap_or_default());
        let (mut system, mut state) = self.analysed("statics")?;
        let report = analysis::load_path(&mut system, &mut state, &settings, &mut |now, factor| {
            self.show(now);
            at_step(self, factor).is_continue()
        });
        // The last equilibrium stays, also where the path ended early.
        let report = report.inspect_err(|_| {
            if let Some(s) = &mut self.motion.simulation {
                s.state.disturb();
            }
        })?;
        let dt = self.settings.dt;
        let s = self.running()?;
        s.state.copy_numbers_from(&state);
        s.state.disturb();
        let evaluator = s.stepper.get_mut().unwrap_or_else(PoisonError::into_inner);
        evaluator.fresh = false;
        evaluator.stepper.initialize(&mut s.state, dt)?;
        self.reports.energy.restart();
        Ok(report)
    }

    /// Makes a state visible to probes and recordings.
    fn show(&mut self, state: &State) {
        if let Some(s) = &mut self.motion.simulation {
            s.state.copy_numbers_from(state);
            s.stepper.get_mut().unwrap_or_else(PoisonError::into_inner).fresh = false;
        }
    }

    /// Natural frequencies and shapes of undamped small motions about the current state; models of any size.
    pub fn natural_modes(&mut self, wanted: ModesSpec) -> Result<NaturalModes> {
        let (mut system, state) = self.analysed("modes")?;
        Ok(analysis::modes(&mut system, &state, wanted.count, wanted.near)?)
    }

    /// The smallest factors of gravity and loads at which the world buckles.
    pub fn buckling(&mut self, count: usize) -> Result<BucklingModes> {
        let (mut system, state) = self.analysed("buckling")?;
        Ok(analysis::buckling(&mut system, &state, count)?)
    }
}

/// How the engine follows a path of loads.
fn load_path(spec: &LoadPathSpec) -> LoadPathSettings {
    LoadPathSettings {
        method: match spec.kind {
            LoadPathType::LoadSteps => LoadPathMethod::LoadSteps,
            LoadPathType::ArcLength => LoadPathMethod::ArcLength { max_length: spec.max_length },
        },
        steps: spec.steps,
        max_factor: spec.max_factor,
        max_steps: spec.max_steps,
        tolerance: spec.tolerance,
        ..LoadPathSettings::default()
    }
}

//! One mechanism on its way through time, with the checks that every run shares.

use glam::{DMat3, DQuat, DVec3};
use huygens_core::contract::RowRequest;
use huygens_core::integrator::{Integrator, Newton, Stepper, StepperSettings};
use huygens_core::signal::SignalGraph;
use huygens_core::{State, analysis};
use huygens_exec::Exec;
use huygens_multibody::{
    Assembly, Attachment, Body, BodyId, BodyQuantity, Carrier, Joint, JointId, JointKind, Measurement,
    Mechanism, ReactionAxes, Side,
};

use crate::error::Result;
use crate::report::Check;

/// The default method of the cases: generalized-α with spectral radius 0.8.
pub const ALPHA: Integrator = Integrator::GeneralizedAlpha { rho: 0.8 };
/// Hilber–Hughes–Taylor with α = −0.1.
pub const HHT: Integrator = Integrator::Hht { alpha: -0.1 };
/// Generalized-α without numerical dissipation.
pub const ALPHA_CONSERVING: Integrator = Integrator::GeneralizedAlpha { rho: 1.0 };

/// Largest constraint residual an index-3 integrator may leave [m or rad].
pub const RESIDUAL_BOUND: f64 = 1e-9;

/// Newton tolerances so small that only the method's own error is left.
pub fn tight_newton() -> Newton {
    Newton { tolerance: 1e-13, acceleration_tolerance: 1e-11, ..Newton::default() }
}

/// A run: mechanism, method and state.
pub struct Simulation {
    /// The mechanism.
    pub mechanism: Mechanism,
    /// The method.
    pub stepper: Stepper,
    /// The state.
    pub state: State,
    /// Step size [s].
    pub step_size: f64,
    rows: Vec<f64>,
    largest_residual: f64,
    largest_multiplier: f64,
    start_energy: f64,
    energies: Vec<f64>,
}

impl Simulation {
    /// Builds, assembles and initializes a mechanism.
    pub fn new(assembly: &Assembly, integrator: Integrator, step_size: f64) -> Result<Self> {
        Self::with_newton(assembly, integrator, Newton::default(), step_size)
    }

    /// As [`Simulation::new`] with settings of Newton's method.
    pub fn with_newton(
        assembly: &Assembly,
        integrator: Integrator,
        newton: Newton,
        step_size: f64,
    ) -> Result<Self> {
        let mechanism = assembly.build(SignalGraph::default(), &[])?;
        let settings = StepperSettings { integrator, newton, control: None };
        let mut stepper = Stepper::new(mechanism.model.clone(), Exec::serial(), settings)?;
        let mut state = State::new(&mechanism.model);
        analysis::assemble(stepper.system(), &mut state)?;
        stepper.initialize(&mut state, step_size)?;
        let rows = vec![0.0; state.lambda.len()];
        let mut simulation = Self {
            mechanism,
            stepper,
            state,
            step_size,
            rows,
            largest_residual: 0.0,
            largest_multiplier: 0.0,
            start_energy: 0.0,
            energies: Vec::new(),
        };
        simulation.load();
        simulation.start_energy = simulation.energy();
        simulation.watch();
        Ok(simulation)
    }

    fn load(&mut self) {
        let system = self.stepper.system();
        system.load(&self.state);
        system.update(&self.state.history);
    }

    /// Looks at the constraint residual and the energy of the state, which must be loaded.
    fn watch(&mut self) {
        let energy = self.energy();
        let system = self.stepper.system();
        system.rows(&self.state.history, RowRequest::default());
        system.residuals(&mut self.rows);
        self.largest_residual = self.largest_residual.max(largest(&self.rows));
        self.largest_multiplier = self.largest_multiplier.max(largest(&self.state.lambda));
        self.energies.push(energy - self.start_energy);
    }

    /// Takes one step.
    pub fn step(&mut self) -> Result<()> {
        self.stepper.step(&mut self.state, self.step_size)?;
        self.load();
        self.watch();
        Ok(())
    }

    /// Steps until time `t` [s], to the nearest whole step.
    pub fn advance_to(&mut self, t: f64) -> Result<()> {
        while self.state.time < t - 0.5 * self.step_size {
            self.step()?;
        }
        Ok(())
    }

    /// Steps until `value` changes from negative to positive; the time of the change by interpolation of
    /// third order with the rates that `value` gives beside.
    pub fn time_of_rise(
        &mut self,
        what: &str,
        limit: f64,
        value: impl Fn(&mut Self) -> [f64; 2],
    ) -> Result<f64> {
        let mut before = value(self);
        while self.state.time < limit {
            let start = self.state.time;
            self.step()?;
            let after = value(self);
            if before[0] < 0.0 && after[0] >= 0.0 {
                return Ok(start + hermite_root(before, after, self.state.time - start));
            }
            before = after;
        }
        Err(crate::error::CaseError::NoEvent { what: what.into(), time: limit })
    }

    /// A measurement at the state.
    pub fn measure(&mut self, m: &Measurement) -> f64 {
        self.mechanism.measure(&self.stepper.system().view(&self.state.history), m)
    }

    fn vector(&mut self, make: impl Fn(usize) -> Measurement) -> DVec3 {
        DVec3::from_array([0, 1, 2].map(|k| self.measure(&make(k))))
    }

    /// A quantity of a body at a point of its frame, world axes.
    pub fn body(&mut self, body: BodyId, quantity: BodyQuantity, point: DVec3) -> DVec3 {
        self.vector(|component| Measurement::Body { body, quantity, point, component })
    }

    /// Position of a point of a body [m].
    pub fn position(&mut self, body: BodyId, point: DVec3) -> DVec3 {
        self.body(body, BodyQuantity::Position, point)
    }

    /// Orientation of a body, scalar first.
    pub fn quaternion(&mut self, body: BodyId) -> [f64; 4] {
        [0, 1, 2, 3].map(|k| self.measure(&Measurement::Rotation(body, k)))
    }

    /// Reaction force [N] and torque [N·m] of a joint on one of its sides, world axes.
    pub fn reaction(&mut self, joint: JointId, side: Side) -> (DVec3, DVec3) {
        let force = self.vector(|k| Measurement::ReactionForce(joint, side, ReactionAxes::World, k));
        (force, self.vector(|k| Measurement::ReactionTorque(joint, side, ReactionAxes::World, k)))
    }

    /// Coordinate of a joint and its rate.
    pub fn coordinate(&mut self, joint: JointId, index: usize) -> [f64; 2] {
        [
            self.measure(&Measurement::Coordinate(joint, index)),
            self.measure(&Measurement::CoordinateRate(joint, index)),
        ]
    }

    /// Kinetic, gravitational and elastic energy [J].
    pub fn energy(&mut self) -> f64 {
        self.stepper.system().energy(&self.state.history).iter().sum()
    }

    /// Kinetic energy [J].
    pub fn kinetic_energy(&mut self) -> f64 {
        self.stepper.system().energy(&self.state.history)[0]
    }

    /// Energy less energy at the start, at the start and after each step [J].
    pub fn energy_change(&self) -> &[f64] {
        &self.energies
    }

    /// Largest change of the energy so far [J].
    pub fn largest_energy_change(&self) -> f64 {
        largest(&self.energies)
    }

    /// Largest multiplier so far [N or N·m]: with redundant rows it shows whether they share a load sensibly.
    pub fn largest_multiplier(&self) -> f64 {
        self.largest_multiplier
    }

    /// The check of the constraint residual, largest over all steps so far.
    pub fn residual_check(&self) -> Check {
        Check::error("constraint residual, largest [m, rad]", self.largest_residual, RESIDUAL_BOUND)
    }
}

/// Largest absolute value.
pub fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m: f64, v| if v.is_nan() { f64::NAN } else { m.max(v.abs()) })
}

/// Root mean square of differences.
pub fn rms(a: &[f64], b: &[f64]) -> f64 {
    let sum: f64 = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum();
    (sum / a.len().min(b.len()).max(1) as f64).sqrt()
}

/// Root of the cubic with values and rates `[y, y']` at both ends of an interval of length `h`.
fn hermite_root(start: [f64; 2], end: [f64; 2], h: f64) -> f64 {
    let cubic = |s: f64| {
        let (a, b) = ((1.0 + 2.0 * s) * (1.0 - s).powi(2), s * (1.0 - s).powi(2));
        let (c, d) = (s * s * (3.0 - 2.0 * s), s * s * (s - 1.0));
        a * start[0] + b * h * start[1] + c * end[0] + d * h * end[1]
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if cubic(middle) < 0.0 { low = middle } else { high = middle }
    }
    low * h
}

/// A slender uniform rod along its own x axis.
pub fn rod(name: &str, mass: f64, length: f64, position: DVec3, rotation: DQuat) -> Body {
    let across = mass * length * length / 12.0;
    Body {
        name: name.into(),
        position,
        rotation,
        mass,
        // The moment about the rod's own axis plays no part in planar motion.
        inertia: DMat3::from_diagonal(DVec3::new(0.01 * across, across, across)),
        ..Body::default()
    }
}

/// The frame with pose `point`, `rotation` in the world, fixed to a body at its starting pose.
pub fn frame_on(assembly: &Assembly, body: Option<BodyId>, point: DVec3, rotation: DQuat) -> Attachment {
    match body.and_then(|id| Some((id, assembly.body(id)?))) {
        Some((id, b)) => {
            let back = b.rotation.conjugate();
            Attachment {
                carrier: Carrier::Body(id),
                position: back * (point - b.position),
                rotation: back * rotation,
            }
        }
        None => Attachment::ground(point, rotation),
    }
}

/// Adds a joint whose frames coincide at the start.
pub fn add_joint(
    assembly: &mut Assembly,
    name: &str,
    kind: JointKind,
    bodies: [Option<BodyId>; 2],
    point: DVec3,
    rotation: DQuat,
) -> Result<JointId> {
    let [a, b] = bodies.map(|body| frame_on(assembly, body, point, rotation));
    Ok(assembly.add_joint(Joint { name: name.into(), kind, a, b, limits: vec![] })?)
}

/// Adds a revolute joint about world z.
pub fn add_hinge(
    assembly: &mut Assembly,
    name: &str,
    bodies: [Option<BodyId>; 2],
    point: DVec3,
) -> Result<JointId> {
    add_joint(assembly, name, JointKind::Revolute, bodies, point, DQuat::IDENTITY)
}

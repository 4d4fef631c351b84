//! Settings of a simulation: gravity, step, method, output.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::contact::ContactSettings;
use super::integration::{Integrator, Newton, StepControl};

/// A setting that is out of range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongSetting {
    /// Its key, with dots between levels.
    pub key: &'static str,
    /// Its value in words.
    pub value: String,
    /// What is expected.
    pub expected: &'static str,
}

/// What is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Analysis {
    /// Motion by forces.
    #[default]
    Dynamics,
    /// Motion of a mechanism that motors drive completely, with the forces it needs.
    Kinematics,
    /// Static equilibrium near the start; of structures by loads that rise step by step.
    Statics,
    /// Static equilibrium, then frequencies and damping about it.
    Modes,
    /// Factors of gravity and loads at which structures buckle.
    Buckling,
}

/// How the loads of structures rise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoadPathType {
    /// By load steps; stops at the first maximum of the load.
    #[default]
    LoadSteps,
    /// By arc length, through maxima and minima of the load.
    ArcLength,
}

/// How static equilibria of structures are found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LoadPathSpec {
    /// How the loads rise.
    #[serde(rename = "type")]
    pub kind: LoadPathType,
    /// The first step is `max_factor` divided by this.
    pub steps: usize,
    /// Factor of gravity and loads at which the path ends.
    pub max_factor: f64,
    /// Steps after which the path ends.
    pub max_steps: usize,
    /// Maximum arc-length step, as the mean displacement of the mass [m]. Default: ten times the first step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_length: Option<f64>,
    /// Unbalanced force, relative to the largest force that acts.
    pub tolerance: f64,
}

impl Default for LoadPathSpec {
    fn default() -> Self {
        Self {
            kind: LoadPathType::LoadSteps,
            steps: 10,
            max_factor: 1.0,
            max_steps: 1000,
            max_length: None,
            tolerance: 1e-9,
        }
    }
}

/// Which natural frequencies or buckling loads of structures are found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ModesSpec {
    /// How many.
    pub count: usize,
    /// Frequency they are nearest to [Hz].
    pub near: f64,
}

impl Default for ModesSpec {
    fn default() -> Self {
        Self { count: 10, near: 0.0 }
    }
}

/// Settings of a simulation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Gravity [m/s²].
    pub gravity: [f64; 3],
    /// Step size [s]; with step control, the first one.
    pub dt: f64,
    /// Simulated time at which a run ends [s].
    pub until: f64,
    /// What is computed.
    pub analysis: Analysis,
    /// How static equilibria of structures are found; of mechanisms too, where it is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load_path: Option<LoadPathSpec>,
    /// Which frequencies or buckling loads of structures are found; of mechanisms too, where it is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modes: Option<ModesSpec>,
    /// The method that moves the state. Default: one that supports the model, `generalized_alpha` where nothing collides;
    /// `euler` for rigid contact, rigid limits, ropes without stiffness, constraint fluids and compliant contact with
    /// joints; `hht` for compliant contact with structures, `leapfrog` for compliant contact of bodies alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub integrator: Option<Integrator>,
    /// Newton's method inside the implicit integrators.
    pub newton: Newton,
    /// Step-size control; without it every step is `dt` long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_control: Option<StepControl>,
    /// How contacts are found and resolved.
    pub contact: ContactSettings,
    /// Lowest and highest corner of the world [m]; a body whose centre of mass leaves it stops the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<[[f64; 3]; 2]>,
    /// Whether the start is moved to the nearest one that all joints allow. Without it a start that misses a
    /// joint is an error.
    pub assemble: bool,
    /// Seed of all random numbers.
    pub seed: u64,
    /// What is written while running.
    pub output: OutputSpec,
    /// Warnings that are not given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub silence: Vec<WarningKind>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            gravity: [0.0, 0.0, -9.81],
            dt: 1e-3,
            until: 1.0,
            analysis: Analysis::default(),
            load_path: None,
            modes: None,
            integrator: None,
            newton: Newton::default(),
            step_control: None,
            contact: ContactSettings::default(),
            bounds: None,
            assemble: true,
            seed: 0,
            output: OutputSpec::default(),
            silence: Vec::new(),
        }
    }
}

/// What a warning is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WarningKind {
    /// Numbers and shapes that are unusual: probably another unit, or a key that does something else.
    Hints,
    /// Meshes with a rim or a hole as walls of grains and fluids.
    OpenMesh,
    /// Bodies that overlap at the start.
    Overlap,
    /// Joints that do not fit together at the start, redundant ones, and those that open; limits that stay violated.
    Joints,
    /// Contacts that the solver or the step does not resolve.
    Contact,
    /// Bodies that pass through others within a step.
    Passage,
    /// Energy that grows without work.
    Energy,
    /// Fluids that are compressed or lose particles, and bodies too light for them.
    Fluids,
}

/// What is written while running.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OutputSpec {
    /// Interval between probe rows [s]. Default: the larger of 0.01 s and `dt`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every: Option<f64>,
    /// Interval of checkpoints in simulated time [s]. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint_every: Option<f64>,
    /// The recording that viewers and renderers play.
    #[serde(skip_serializing_if = "RecordingSpec::is_default")]
    pub recording: RecordingSpec,
}

/// The recording `run.hrec` of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RecordingSpec {
    /// Whether there is one.
    pub enabled: bool,
    /// Interval between frames in simulated time [s]. Default: the smaller of 1/60 s and 1/200 of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every: Option<f64>,
    /// Size the file stays below [MB]: when it is reached every second frame goes, and the interval doubles.
    pub budget_mb: f64,
}

impl Default for RecordingSpec {
    fn default() -> Self {
        Self { enabled: true, every: None, budget_mb: 2000.0 }
    }
}

impl RecordingSpec {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Settings {
    /// Interval of probe rows [s].
    pub fn output_interval(&self) -> f64 {
        self.output.every.unwrap_or(0.01f64.max(self.dt))
    }

    /// Interval of frames of the recording [s].
    pub fn recording_interval(&self) -> f64 {
        self.output.recording.every.unwrap_or((1.0f64 / 60.0).min(self.until / 200.0)).max(self.dt)
    }

    /// The first setting that is out of range.
    pub fn check(&self) -> Result<(), WrongSetting> {
        let wrong = |key, value, expected| Err(WrongSetting { key, value, expected });
        let positive = |key, v: f64| {
            if v > 0.0 && v.is_finite() {
                Ok(())
            } else {
                wrong(key, v.to_string(), "a positive finite number")
            }
        };
        if !self.gravity.iter().all(|g| g.is_finite()) {
            return wrong("gravity", format!("{:?}", self.gravity), "three finite numbers");
        }
        positive("dt", self.dt)?;
        if !(self.until >= 0.0 && self.until.is_finite()) {
            return wrong("until", self.until.to_string(), "zero or a positive finite number");
        }
        if let Some([low, high]) = self.bounds
            && !(0..3).all(|k| low[k] < high[k])
        {
            return wrong("bounds", format!("{:?}", [low, high]), "a lowest and, above it, a highest corner");
        }
        self.output.every.map_or(Ok(()), |v| positive("output.every", v))?;
        self.output.checkpoint_every.map_or(Ok(()), |v| positive("output.checkpoint_every", v))?;
        self.output.recording.every.map_or(Ok(()), |v| positive("output.recording.every", v))?;
        if !(self.output.recording.budget_mb >= 1.0 && self.output.recording.budget_mb <= 1e9) {
            let value = self.output.recording.budget_mb.to_string();
            return wrong("output.recording.budget_mb", value, "a number of megabytes from 1 to 1e9");
        }
        if let Some(path) = &self.load_path {
            positive("load_path.max_factor", path.max_factor)?;
            positive("load_path.tolerance", path.tolerance)?;
            path.max_length.map_or(Ok(()), |v| positive("load_path.max_length", v))?;
            if path.steps == 0 || path.max_steps == 0 {
                return wrong("load_path.steps", path.steps.min(path.max_steps).to_string(), "at least 1");
            }
        }
        if let Some(modes) = &self.modes {
            if !(1..=10_000).contains(&modes.count) {
                return wrong("modes.count", modes.count.to_string(), "a number from 1 to 10000");
            }
            if !(modes.near >= 0.0 && modes.near.is_finite()) {
                return wrong("modes.near", modes.near.to_string(), "zero or a positive finite number");
            }
        }
        if let Some(c) = &self.step_control {
            positive("step_control.tolerance", c.tolerance)?;
            positive("step_control.min_step", c.min_step)?;
            if c.max_step.is_nan() || c.max_step < c.min_step {
                return wrong("step_control.max_step", c.max_step.to_string(), "at least min_step");
            }
        }
        Ok(())
    }
}

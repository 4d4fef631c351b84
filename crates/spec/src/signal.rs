//! Signals as they are written in scene files.

use huygens_spec::{SceneObject, Tagged};

use crate::function::{Extrapolation, Function, Interpolation};

/// One signal: what it is made of, with the signals it reads by name and its sensor as `S`.
#[derive(Clone, Debug, PartialEq, Tagged, SceneObject)]
#[scene(tagged)]
#[tagged(object = "signal")]
pub enum SignalSpec<S> {
    /// Function of time, or of another signal.
    Function {
        /// The function.
        function: Function,
        /// Signal to take instead of time.
        #[scene(refers(Signals))]
        input: Option<String>,
    },
    /// Measured quantity.
    Sensor {
        /// What is measured.
        sensor: S,
    },
    /// Scaled signal `y = k u + o`.
    Gain {
        /// Signal read.
        #[scene(refers(Signals))]
        input: String,
        /// Factor `k`.
        gain: f64,
        /// Offset `o`.
        #[tagged(default)]
        offset: f64,
    },
    /// Weighted sum `y = o + Σ w_i u_i`.
    Sum {
        /// Signals read.
        #[scene(refers(Signals))]
        inputs: Vec<String>,
        /// Weights, one for each input; all 1 if absent.
        weights: Option<Vec<f64>>,
        /// Offset `o`.
        #[tagged(default)]
        offset: f64,
    },
    /// Product `y = Π u_i`.
    Product {
        /// Signals read.
        #[scene(refers(Signals))]
        inputs: Vec<String>,
    },
    /// Table of another signal.
    Lookup(LookupSpec),
    /// Signal kept between limits.
    Saturation {
        /// Signal read.
        #[scene(refers(Signals))]
        input: String,
        /// Lower limit; none if absent.
        lower: Option<f64>,
        /// Upper limit; none if absent.
        upper: Option<f64>,
    },
    /// Controller with proportional, integral and derivative terms.
    Pid(PidSpec),
    /// Linear system given by a ratio of polynomials.
    TransferFunction(TransferFunctionSpec),
    /// First-order low-pass filter `T ẏ = u − y`.
    Filter {
        /// Signal read.
        #[scene(refers(Signals))]
        input: String,
        /// Time constant `T` [s].
        time_constant: f64,
        /// Output at the start.
        #[tagged(default)]
        initial: f64,
    },
    /// A number set from outside while the simulation runs: by a program, a slider or keys.
    Input(InputSpec),
    /// One of the states of a block with memory.
    State {
        /// Name of the block.
        #[scene(refers(Signals))]
        block: String,
        /// Which of its states, from 0.
        #[tagged(default)]
        index: usize,
    },
}

/// A number set from outside; part of the state, so that a restart finds it.
#[derive(Clone, Debug, PartialEq, Tagged, SceneObject)]
#[tagged(object = "input")]
pub struct InputSpec {
    /// Value at the start.
    #[tagged(default)]
    pub value: f64,
    /// Least value.
    #[tagged(default = minus_one)]
    pub lower: f64,
    /// Greatest value.
    #[tagged(default = one)]
    pub upper: f64,
    /// Keys that lower and raise it in the viewer, named as browsers name them, such as `ArrowLeft`.
    #[scene(text)]
    pub keys: Option<[String; 2]>,
}

impl Default for InputSpec {
    fn default() -> Self {
        Self { value: 0.0, lower: minus_one(), upper: one(), keys: None }
    }
}

fn minus_one() -> f64 {
    -1.0
}

fn one() -> f64 {
    1.0
}

/// Table of another signal.
#[derive(Clone, Debug, PartialEq, Tagged, SceneObject)]
#[tagged(object = "lookup table")]
pub struct LookupSpec {
    /// Signal read.
    #[scene(refers(Signals))]
    pub input: String,
    /// Values of the input, strictly increasing.
    pub abscissae: Vec<f64>,
    /// Values of the output, as many as abscissae.
    pub values: Vec<f64>,
    /// How to fill between the points.
    #[tagged(default)]
    pub interpolation: Interpolation,
    /// What happens outside the points.
    #[tagged(default)]
    pub extrapolation: Extrapolation,
}

/// Controller `u = clamp(v)`, `v = k_p e + i + d` of the error `e = reference − measurement`.
///
/// `i` integrates `k_i e` (see [`AntiWindup`] for what happens at the limits), and
/// `d = k_d (e − x)/T_f` is the filtered derivative, with `ẋ = (e − x)/T_f`.
#[derive(Clone, Debug, PartialEq, Tagged, SceneObject)]
#[tagged(object = "controller")]
pub struct PidSpec {
    /// Signal to follow.
    #[scene(refers(Signals))]
    pub reference: String,
    /// Signal to bring there.
    #[scene(refers(Signals))]
    pub measurement: String,
    /// Proportional gain `k_p`.
    pub kp: f64,
    /// Integral gain `k_i` [1/s].
    #[tagged(default)]
    pub ki: f64,
    /// Derivative gain `k_d` [s].
    #[tagged(default)]
    pub kd: f64,
    /// Time constant `T_f` of the derivative's filter [s]; needed if `kd` is not zero.
    pub filter_time: Option<f64>,
    /// Lower limit of the output; none if absent.
    pub lower: Option<f64>,
    /// Upper limit of the output; none if absent.
    pub upper: Option<f64>,
    /// What the integral does while the output is at a limit.
    #[tagged(default)]
    pub anti_windup: AntiWindup,
    /// Integral term at the start; a constant offset if `ki` is zero.
    #[tagged(default)]
    pub initial_integral: f64,
    /// Error the derivative's filter starts from; the true first error avoids a kick.
    #[tagged(default)]
    pub initial_error: f64,
}

impl PidSpec {
    /// Proportional controller without limits.
    pub fn new(reference: impl Into<String>, measurement: impl Into<String>, kp: f64) -> Self {
        Self {
            reference: reference.into(),
            measurement: measurement.into(),
            kp,
            ki: 0.0,
            kd: 0.0,
            filter_time: None,
            lower: None,
            upper: None,
            anti_windup: AntiWindup::default(),
            initial_integral: 0.0,
            initial_error: 0.0,
        }
    }
}

/// What the integral term `i` of a PID does while its output `u` differs from the unlimited `v`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Tagged, SceneObject)]
#[scene(tagged)]
#[tagged(object = "anti-windup")]
pub enum AntiWindup {
    /// `di/dt = k_i e` always: the integral winds up.
    None,
    /// `di/dt = 0` while the output is at a limit and `k_i e` pushes it further out, else `k_i e`.
    #[default]
    Clamping,
    /// `di/dt = k_i e + (u − v)/T_t`: the excess bleeds off, without a switch (`astrom2006`).
    BackCalculation {
        /// Tracking time `T_t` [s].
        tracking_time: f64,
    },
}

/// Linear system `Y(s)/U(s) = (b_0 s^m + … + b_m)/(a_0 s^n + … + a_n)` with `m ≤ n`, at rest at the start.
#[derive(Clone, Debug, PartialEq, Tagged, SceneObject)]
#[tagged(object = "transfer function")]
pub struct TransferFunctionSpec {
    /// Signal read.
    #[scene(refers(Signals))]
    pub input: String,
    /// Coefficients of the numerator, the highest power first.
    pub numerator: Vec<f64>,
    /// Coefficients of the denominator, the highest power first.
    pub denominator: Vec<f64>,
}

impl<S> SignalSpec<S> {
    /// Replaces the sensor, if there is one, by what `map` makes of it.
    pub fn try_map_sensor<T, E>(self, map: impl FnOnce(S) -> Result<T, E>) -> Result<SignalSpec<T>, E> {
        Ok(match self {
            Self::Sensor { sensor } => SignalSpec::Sensor { sensor: map(sensor)? },
            Self::Function { function, input } => SignalSpec::Function { function, input },
            Self::Gain { input, gain, offset } => SignalSpec::Gain { input, gain, offset },
            Self::Sum { inputs, weights, offset } => SignalSpec::Sum { inputs, weights, offset },
            Self::Product { inputs } => SignalSpec::Product { inputs },
            Self::Lookup(lookup) => SignalSpec::Lookup(lookup),
            Self::Saturation { input, lower, upper } => SignalSpec::Saturation { input, lower, upper },
            Self::Pid(pid) => SignalSpec::Pid(pid),
            Self::TransferFunction(system) => SignalSpec::TransferFunction(system),
            Self::Filter { input, time_constant, initial } => {
                SignalSpec::Filter { input, time_constant, initial }
            }
            Self::Input(input) => SignalSpec::Input(input),
            Self::State { block, index } => SignalSpec::State { block, index },
        })
    }
}

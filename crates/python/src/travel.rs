//! A run: steps, callbacks between them, and Ctrl-C.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use huygens::prelude::*;
use huygens::run::{Companion, crossed, travel};
use pyo3::prelude::*;

use crate::cell::Lent;
use crate::core::Core;
use crate::error::tell_warnings;

/// Wall-clock interval at which a run looks for Ctrl-C.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(20);

/// Refuses a run to no time, or one that calls back never.
pub fn check_span(until: f64, every: Option<f64>) -> Result<(), WorldError> {
    let wrong = |what: &str, value: f64, expected: &str| {
        Err(WorldError::Value { what: what.into(), value: value.to_string(), expected: expected.into() })
    };
    match every {
        _ if !until.is_finite() => wrong("until", until, "a finite time"),
        Some(every) if !(every > 0.0 && every.is_finite()) => {
            wrong("every", every, "a positive finite interval")
        }
        _ => Ok(()),
    }
}

/// Pulls a body for the next step of `dt` [s], that of the settings if not given.
pub fn pull(
    world: &mut World,
    body: &str,
    point: [f64; 3],
    target: [f64; 3],
    dt: Option<f64>,
) -> Result<(), WorldError> {
    let step = dt.unwrap_or(world.settings().dt);
    let finite = point.iter().chain(&target).all(|x| x.is_finite());
    if !(finite && step > 0.0 && step.is_finite()) {
        return Err(WorldError::Value {
            what: format!("the pull on '{body}'"),
            value: format!("point {point:?}, target {target:?}, dt {step}"),
            expected: "finite places and a positive finite step".into(),
        });
    }
    world.pull(world.body(body)?, point, target, step)
}

impl Core {
    /// Lends the world to a callback, which may stop the run.
    pub(crate) fn call(
        &self,
        world: Box<World>,
        lent: Lent,
        callback: &Py<PyAny>,
    ) -> (Option<Box<World>>, ControlFlow<()>) {
        let lent = self.cell.lend(world, lent, || {
            Python::attach(|py| match callback.call0(py) {
                Ok(answer) if answer.bind(py).is(pyo3::types::PyBool::new(py, false)) => {
                    ControlFlow::Break(())
                }
                Ok(_) => ControlFlow::Continue(()),
                Err(error) => {
                    self.callables.fault.raise(error);
                    ControlFlow::Break(())
                }
            })
        });
        match lent {
            Ok((world, flow)) => (Some(world), flow),
            Err(error) => {
                self.callables.fault.raise(error);
                (None, ControlFlow::Break(()))
            }
        }
    }

    /// Issues new warnings of a world at hand; whether Ctrl-C was pressed, or a callable raised.
    pub(crate) fn is_interrupted(&self, world: Option<&World>, last_look: &Cell<Instant>) -> bool {
        if last_look.get().elapsed() >= SIGNAL_INTERVAL {
            last_look.set(Instant::now());
            let news = world.map_or(Vec::new(), |world| self.news(world));
            let looked = Python::attach(|py| py.check_signals().and_then(|()| tell_warnings(py, news)));
            if let Err(error) = looked {
                self.callables.fault.raise(error);
            }
        }
        self.callables.fault.is_raised()
    }

    /// Steps until `until`, and whether that was reached; the world comes back unless a callback lost it to another
    /// thread.
    pub(crate) fn travel(
        &self,
        mut world: Box<World>,
        until: f64,
        callback: Option<&Py<PyAny>>,
        every: Option<f64>,
    ) -> (Option<Box<World>>, Result<bool, WorldError>) {
        let mut errand = Errand::new(self, callback, every);
        let ended = travel(&mut world, until, &mut errand);
        ((!errand.lost).then_some(world), ended.map(|ended| ended.is_continue()))
    }

    /// Moves a driven mechanism, and whether `until` was reached; the world comes back as from [`Core::travel`].
    pub(crate) fn drive(
        &self,
        mut world: Box<World>,
        until: f64,
        dt: f64,
        callback: Option<&Py<PyAny>>,
    ) -> (Option<Box<World>>, Result<bool, WorldError>) {
        let mut errand = Errand::new(self, callback, None);
        let (mut before, mut reached, mut failed) = (f64::NEG_INFINITY, true, Ok(()));
        let started = world.initialize();
        let done = started.and_then(|_| {
            world.kinematics(until, dt, &mut |world| {
                failed = errand.observe(world, before);
                before = world.time();
                let flow = errand.call(world, Lent::ToRead);
                reached = flow.is_continue()
                    && failed.is_ok()
                    && !self.is_interrupted(Some(world), &errand.last_look);
                if reached { flow } else { ControlFlow::Break(()) }
            })
        });
        ((!errand.lost).then_some(world), done.and(failed).map(|()| reached))
    }
}

/// What Python has to do while a world moves.
struct Errand<'a> {
    core: &'a Core,
    callback: Option<&'a Py<PyAny>>,
    every: Option<f64>,
    last_look: Cell<Instant>,
    /// Stands in for the world while a callback has it.
    stand_in: Option<Box<World>>,
    /// Whether a callback lost the world to another thread.
    lost: bool,
}

impl<'a> Errand<'a> {
    fn new(core: &'a Core, callback: Option<&'a Py<PyAny>>, every: Option<f64>) -> Self {
        let last_look = Cell::new(Instant::now());
        Self { core, callback, every, last_look, stand_in: None, lost: false }
    }

    /// Lends the world to the callback, if there is one.
    fn call(&mut self, world: &mut World, lent: Lent) -> ControlFlow<()> {
        let Some(callback) = self.callback else { return ControlFlow::Continue(()) };
        let mut away = self.stand_in.take().unwrap_or_default();
        std::mem::swap(world, &mut away);
        let (back, flow) = self.core.call(away, lent, callback);
        match back {
            Some(mut back) => {
                std::mem::swap(world, &mut back);
                self.stand_in = Some(back);
            }
            None => self.lost = true,
        }
        flow
    }
}

impl Companion for Errand<'_> {
    type Stop = ();
    type Error = WorldError;

    fn before_step(&mut self, world: &mut World, h: f64) -> Result<ControlFlow<()>, WorldError> {
        let go_on = self.core.steer(world, h, &self.last_look)?;
        Ok(if go_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    }

    fn observe(&mut self, world: &mut World, before: f64) -> Result<(), WorldError> {
        match before == f64::NEG_INFINITY {
            true => self.core.keep_start(world),
            false => self.core.keep_step(world, before),
        }
    }

    fn after_step(&mut self, world: &mut World, before: f64) -> Result<ControlFlow<()>, WorldError> {
        if self.core.is_interrupted(Some(world), &self.last_look) {
            return Ok(ControlFlow::Break(()));
        }
        match self.every.is_none_or(|interval| crossed(interval, before, world.time())) {
            true => Ok(self.call(world, Lent::ToChange)),
            false => Ok(ControlFlow::Continue(())),
        }
    }
}

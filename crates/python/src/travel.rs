//! A run: steps, callbacks between them, and Ctrl-C.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use huygens::prelude::*;
use pyo3::prelude::*;

use crate::cell::Lent;
use crate::core::Core;
use crate::record::crossed;

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

    /// Whether Ctrl-C was pressed, or a callable raised.
    pub(crate) fn is_interrupted(&self, last_look: &Cell<Instant>) -> bool {
        if last_look.get().elapsed() >= SIGNAL_INTERVAL {
            last_look.set(Instant::now());
            if let Err(error) = Python::attach(|py| py.check_signals()) {
                self.callables.fault.raise(error);
            }
        }
        self.callables.fault.is_raised()
    }

    /// Steps until `until`; the world comes back unless a callback lost it to another thread.
    pub(crate) fn travel(
        &self,
        mut world: Box<World>,
        until: f64,
        callback: Option<&Py<PyAny>>,
        every: Option<f64>,
    ) -> (Option<Box<World>>, Result<bool, WorldError>) {
        let started = world.initialize().and_then(|_| self.keep_start(&mut world));
        if let Err(error) = started {
            return (Some(world), Err(error));
        }
        let last_look = Cell::new(Instant::now());
        while let Some(h) = world.next_step(until) {
            match self.steer(&mut world, h, &last_look) {
                Ok(true) => {}
                Ok(false) => return (Some(world), Ok(false)),
                Err(error) => return (Some(world), Err(error)),
            }
            let before = world.time();
            let stepped = world.advance(h).and_then(|_| self.keep_step(&mut world, before));
            if let Err(error) = stepped {
                return (Some(world), Err(error));
            }
            if self.is_interrupted(&last_look) {
                return (Some(world), Ok(false));
            }
            let Some(callback) = callback else { continue };
            if every.is_none_or(|interval| crossed(interval, before, world.time())) {
                match self.call(world, Lent::ToChange, callback) {
                    (Some(back), ControlFlow::Continue(())) => world = back,
                    (back, _) => return (back, Ok(false)),
                }
            }
        }
        (Some(world), Ok(true))
    }

    /// Moves a driven mechanism; whether `until` was reached.
    pub(crate) fn drive(
        &self,
        world: &mut World,
        until: f64,
        dt: f64,
        callback: Option<&Py<PyAny>>,
    ) -> Result<bool, WorldError> {
        world.initialize()?;
        let (mut before, mut reached, mut failed) = (f64::NEG_INFINITY, true, Ok(()));
        let last_look = Cell::new(Instant::now());
        world.kinematics(until, dt, &mut |world| {
            failed = if before == f64::NEG_INFINITY {
                self.keep_start(world)
            } else {
                self.keep_step(world, before)
            };
            before = world.time();
            let mut flow = ControlFlow::Continue(());
            if let Some(callback) = callback {
                let (back, answer) = self.call(Box::new(std::mem::take(world)), Lent::ToRead, callback);
                back.into_iter().for_each(|back| *world = *back);
                flow = answer;
            }
            if failed.is_err() || self.is_interrupted(&last_look) {
                flow = ControlFlow::Break(());
            }
            reached = flow.is_continue();
            flow
        })?;
        failed?;
        Ok(reached)
    }
}

//! The one loop that moves a world through time.
//!
//! ```text
//! start:     observe
//! each step: steer or stop → advance → observe (rows, frames) → checkpoint, progress, callback or stop
//! end:       warnings about contact
//! ```

use std::ops::ControlFlow;

use crate::world::{World, WorldError};

/// What accompanies a world through time: commands before a step, records after it, and reasons to stop.
///
/// Every method does nothing unless it is written.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use huygens::prelude::*;
/// use huygens::run::{Companion, travel};
///
/// /// Follows a ball down to the ground.
/// struct Watch {
///     ball: BodyId,
///     heights: Vec<f64>,
/// }
///
/// impl Companion for Watch {
///     type Stop = f64;
///     type Error = WorldError;
///
///     fn observe(&mut self, world: &mut World, _before: f64) -> Result<(), WorldError> {
///         self.heights.push(world.body_position(self.ball)?[2]);
///         Ok(())
///     }
///
///     fn after_step(&mut self, world: &mut World, _before: f64) -> Result<ControlFlow<f64>, WorldError> {
///         let landed = self.heights.last().is_some_and(|height| *height < 0.0);
///         Ok(if landed { ControlFlow::Break(world.time()) } else { ControlFlow::Continue(()) })
///     }
/// }
///
/// let mut world = World::new([0.0, 0.0, -9.81]);
/// let ball = BodySpec { mass: Some(1.0), position: [0.0, 0.0, 1.0], ..BodySpec::dynamic("ball") };
/// let ball = world.add_body(BodySpec { shape: Some(Solid::Sphere { radius: 0.1 }), ..ball })?;
/// let ended = travel(&mut world, 10.0, &mut Watch { ball, heights: Vec::new() })?;
/// let ControlFlow::Break(landed) = ended else { panic!("the ball falls") };
/// assert!((landed - (2.0_f64 / 9.81).sqrt()).abs() < 2e-3);
/// # Ok::<(), WorldError>(())
/// ```
pub trait Companion {
    /// Why a journey ends before its time.
    type Stop;
    /// What can go wrong.
    type Error: From<WorldError>;

    /// Called before a step of `h` [s]; the step is not taken if this breaks.
    fn before_step(&mut self, world: &mut World, h: f64) -> Result<ControlFlow<Self::Stop>, Self::Error> {
        let _ = (world, h);
        Ok(ControlFlow::Continue(()))
    }

    /// Keeps what is due since the time `before` [s]: at the start, where that is minus infinity, and after each step.
    fn observe(&mut self, world: &mut World, before: f64) -> Result<(), Self::Error> {
        let _ = (world, before);
        Ok(())
    }

    /// Called after a step that began at `before` [s] and was observed; the journey ends if this breaks.
    fn after_step(&mut self, world: &mut World, before: f64) -> Result<ControlFlow<Self::Stop>, Self::Error> {
        let _ = (world, before);
        Ok(ControlFlow::Continue(()))
    }
}

/// Moves a world to the time `until` [s], unless its companion stops it.
///
/// The last step is cut to end at `until` (see [`World::next_step`]), which must not lie before the world's time. A journey
/// in two parts is bit-identical to one in a single part only if a step ends where they meet. However the journey ends,
/// [`World::warnings`] says what contact did. After an error of a step the world is as it was before that step.
pub fn travel<C: Companion>(
    world: &mut World,
    until: f64,
    companion: &mut C,
) -> Result<ControlFlow<C::Stop>, C::Error> {
    world.initialize()?;
    world.check_until(until)?;
    world.warn_of_length(until);
    let ended = steps(world, until, companion);
    world.warn_about_contact();
    ended
}

fn steps<C: Companion>(
    world: &mut World,
    until: f64,
    companion: &mut C,
) -> Result<ControlFlow<C::Stop>, C::Error> {
    companion.observe(world, f64::NEG_INFINITY)?;
    while let Some(h) = world.next_step(until) {
        if let ControlFlow::Break(stop) = companion.before_step(world, h)? {
            return Ok(ControlFlow::Break(stop));
        }
        let before = world.time();
        world.advance(h)?;
        companion.observe(world, before)?;
        if let ControlFlow::Break(stop) = companion.after_step(world, before)? {
            return Ok(ControlFlow::Break(stop));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// Calls a closure after every step.
struct AfterStep<'a>(&'a mut dyn FnMut(&mut World) -> ControlFlow<()>);

impl Companion for AfterStep<'_> {
    type Stop = ();
    type Error = WorldError;

    fn after_step(&mut self, world: &mut World, _before: f64) -> Result<ControlFlow<()>, WorldError> {
        Ok((self.0)(world))
    }
}

impl World {
    /// Advances until the simulated time `until` [s], which must not lie before [`World::time`].
    pub fn run(&mut self, until: f64) -> Result<(), WorldError> {
        self.run_with(until, &mut |_| ControlFlow::Continue(()))
    }

    /// Advances until `until` [s], or until `after_step`, called after every step, breaks.
    ///
    /// [`travel`] offers more: what is done before a step, errors, and why the journey ended.
    pub fn run_with(
        &mut self,
        until: f64,
        after_step: &mut dyn FnMut(&mut World) -> ControlFlow<()>,
    ) -> Result<(), WorldError> {
        travel(self, until, &mut AfterStep(after_step)).map(|_| ())
    }
}

/// Whether a multiple of `interval` [s] lies in (`before`, `now`].
///
/// The two times decide alone, so that a resumed run keeps the same rows; a time that rounding leaves just below a
/// multiple counts as on it.
pub fn crossed(interval: f64, before: f64, now: f64) -> bool {
    let count = |time: f64| (time / interval + 1e-6).floor();
    count(now) > count(before)
}

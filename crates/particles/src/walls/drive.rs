//! What moves walls: their pose at any time in closed form, so that a run cut in two gives bit-identical results.

use std::f64::consts::TAU;
use std::sync::Arc;

use huygens_kernel::rotation::{exp, log};
use huygens_kernel::{Quat, Vec3};

use crate::error::{Result, refusal};
use crate::walls::wall::WallMotion;

/// What moves a wall, from the pose and the time at which it was added or last set.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum WallDrive {
    /// It stays where it is. Velocities of its [`WallMotion`] are those of its surface, as of a belt.
    #[default]
    Fixed,
    /// It continues with the velocities of its [`WallMotion`]: $p_0 + v\,t$, $e^{\omega t} q_0$.
    Velocity,
    /// It turns about a line in space.
    Rotation {
        /// Direction of the line.
        axis: Vec3,
        /// Angular speed [rad/s].
        rate: f64,
        /// A point of the line [m].
        centre: Vec3,
    },
    /// It swings to and fro, $p_0 + A\sin(2\pi f t + \varphi)$.
    Vibration {
        /// Greatest displacement A [m].
        amplitude: Vec3,
        /// Frequency f [Hz].
        frequency: f64,
        /// Phase φ at the start [rad].
        phase: f64,
    },
    /// It passes through poses at given times, straight and turning evenly in between, and rests before the first
    /// and after the last.
    Script(Arc<[WallKey]>),
    /// It has given motions at given times. In between it goes straight and turns evenly, and its velocities change
    /// evenly; before the first and after the last it continues with the velocities there.
    Track(Arc<[WallSample]>),
}

/// A motion of a [`WallDrive::Track`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallSample {
    /// Time since the wall was added or its drive set [s].
    pub time: f64,
    /// Pose and velocities at that time.
    pub motion: WallMotion,
}

/// A pose of a [`WallDrive::Script`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallKey {
    /// Time since the wall was added or its drive set [s].
    pub time: f64,
    /// Origin of its axes [m].
    pub position: Vec3,
    /// Its axes.
    pub rotation: Quat,
}

impl WallDrive {
    pub(crate) fn check(&self) -> Result<()> {
        let refuse = refusal("a wall's drive");
        match self {
            Self::Fixed | Self::Velocity => Ok(()),
            Self::Rotation { axis, rate, centre } => match () {
                () if !(axis.length() > 0.0 && axis.is_finite()) => {
                    refuse("axis", axis.length(), "finite and longer than 0")
                }
                () if !rate.is_finite() => refuse("rate", *rate, "finite"),
                () if !centre.is_finite() => refuse("centre", centre.length(), "finite"),
                () => Ok(()),
            },
            Self::Vibration { amplitude, frequency, phase } => match () {
                () if !amplitude.is_finite() => refuse("amplitude", amplitude.length(), "finite"),
                () if !frequency.is_finite() => refuse("frequency", *frequency, "finite"),
                () if !phase.is_finite() => refuse("phase", *phase, "finite"),
                () => Ok(()),
            },
            Self::Track(samples) => {
                if samples.is_empty() {
                    return refuse("number of motions", 0.0, "1 or more");
                }
                samples.iter().try_for_each(|sample| sample.motion.check())?;
                if let Some(sample) = samples.iter().find(|sample| !sample.time.is_finite()) {
                    return refuse("time of a motion", sample.time, "finite");
                }
                match samples.windows(2).find(|two| two[1].time <= two[0].time) {
                    Some(two) => refuse("time of a motion", two[1].time, "later than the one before"),
                    None => Ok(()),
                }
            }
            Self::Script(keys) => {
                if keys.is_empty() {
                    return refuse("number of poses", 0.0, "1 or more");
                }
                let broken = |key: &&WallKey| {
                    !(key.time.is_finite() && key.position.is_finite() && key.rotation.is_normalized())
                };
                if let Some(key) = keys.iter().find(broken) {
                    return refuse("pose at this time", key.time, "finite, with a unit quaternion");
                }
                match keys.windows(2).find(|two| two[1].time <= two[0].time) {
                    Some(two) => refuse("time of a pose", two[1].time, "later than the one before"),
                    None => Ok(()),
                }
            }
        }
    }

    /// Motion at the time `time` [s] since it was `rest`.
    pub(crate) fn at(&self, rest: &WallMotion, time: f64) -> WallMotion {
        match self {
            Self::Fixed => *rest,
            Self::Velocity => WallMotion {
                position: rest.position + rest.velocity * time,
                rotation: (exp(rest.angular_velocity * time) * rest.rotation).normalize(),
                ..*rest
            },
            Self::Rotation { axis, rate, centre } => {
                let spin = axis.normalize_or(Vec3::Z) * *rate;
                // Whole turns are taken off: a long run turns as exactly as a short one.
                let turn = exp(axis.normalize_or(Vec3::Z) * (rate * time % TAU));
                let arm = turn * (rest.position - *centre);
                WallMotion {
                    position: *centre + arm,
                    rotation: (turn * rest.rotation).normalize(),
                    velocity: spin.cross(arm),
                    angular_velocity: spin,
                }
            }
            Self::Vibration { amplitude, frequency, phase } => {
                let angle = TAU * (frequency * time).fract() + phase;
                WallMotion {
                    position: rest.position + *amplitude * angle.sin(),
                    velocity: *amplitude * (TAU * frequency * angle.cos()),
                    ..*rest
                }
            }
            Self::Script(keys) => scripted(keys, time).unwrap_or(*rest),
            Self::Track(samples) => tracked(samples, time).unwrap_or(*rest),
        }
    }
}

fn scripted(keys: &[WallKey], time: f64) -> Option<WallMotion> {
    let resting = |key: &WallKey| WallMotion {
        position: key.position,
        rotation: key.rotation,
        ..WallMotion::default()
    };
    let next = keys.partition_point(|key| key.time <= time);
    let (Some(before), Some(after)) = (next.checked_sub(1).and_then(|k| keys.get(k)), keys.get(next)) else {
        return if next == 0 { keys.first() } else { keys.last() }.map(resting);
    };
    let (lasts, since) = (after.time - before.time, time - before.time);
    let velocity = (after.position - before.position) / lasts;
    let angular_velocity = log(after.rotation * before.rotation.conjugate()) / lasts;
    Some(WallMotion {
        position: before.position + velocity * since,
        rotation: (exp(angular_velocity * since) * before.rotation).normalize(),
        velocity,
        angular_velocity,
    })
}

fn tracked(samples: &[WallSample], time: f64) -> Option<WallMotion> {
    let next = samples.partition_point(|sample| sample.time <= time);
    let before = next.checked_sub(1).and_then(|k| samples.get(k));
    let (before, after) = match (before, samples.get(next)) {
        (Some(before), Some(after)) => (before, after),
        (Some(end), None) | (None, Some(end)) => {
            return Some(WallDrive::Velocity.at(&end.motion, time - end.time));
        }
        (None, None) => return None,
    };
    let (a, b) = (&before.motion, &after.motion);
    let share = (time - before.time) / (after.time - before.time);
    let turn = log((b.rotation * a.rotation.conjugate()).normalize());
    Some(WallMotion {
        position: a.position.lerp(b.position, share),
        rotation: (exp(turn * share) * a.rotation).normalize(),
        velocity: a.velocity.lerp(b.velocity, share),
        angular_velocity: a.angular_velocity.lerp(b.angular_velocity, share),
    })
}

impl WallMotion {
    pub(crate) fn check(&self) -> Result<()> {
        let vectors = [
            ("position", self.position),
            ("velocity", self.velocity),
            ("angular velocity", self.angular_velocity),
        ];
        let refuse = refusal("a wall");
        if let Some((what, vector)) = vectors.into_iter().find(|(_, vector)| !vector.is_finite()) {
            return refuse(what, vector.length(), "finite");
        }
        match (self.rotation.length() - 1.0).abs() < 1e-6 {
            true => Ok(()),
            false => refuse("rotation", self.rotation.length(), "a quaternion of length 1"),
        }
    }
}

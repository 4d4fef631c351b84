//! Prediction of boundaries at the end of a step, the only place where their motion is extrapolated.

use glam::{DQuat, DVec3};
use huygens_kernel::rotation;

use super::{BoundaryMotion, BoundaryShape, Placement};

/// The memory of one part or vertex in the state: its pose after the last step, and its velocities at the start of that
/// step. A rotation of length zero means that there was no step yet.
pub(crate) struct BoundaryMemory;

impl BoundaryMemory {
    /// Numbers of a part or vertex.
    pub const WIDTH: usize = 13;

    fn read(numbers: &[f64]) -> Option<Placement> {
        let vector = |k: usize| DVec3::from_slice(&numbers[k..]);
        let rotation = DQuat::from_slice(&numbers[3..]);
        let placed = rotation.length_squared() > 0.0;
        placed.then(|| Placement { position: vector(0), rotation, velocity: vector(7), omega: vector(10) })
    }

    fn write(numbers: &mut [f64], placement: &Placement) {
        numbers[..3].copy_from_slice(&placement.position.to_array());
        numbers[3..7].copy_from_slice(&placement.rotation.to_array());
        numbers[7..10].copy_from_slice(&placement.velocity.to_array());
        numbers[10..13].copy_from_slice(&placement.omega.to_array());
    }
}

/// Motion of one boundary in a step.
pub(crate) struct Prediction {
    pub shape: BoundaryShape,
    /// Placements of the parts at the start of the step, according to the state.
    pub now: Vec<Placement>,
    start: Vec<Placement>,
    end: Vec<Placement>,
    change: Vec<[DVec3; 2]>,
}

impl Prediction {
    pub fn new(shape: BoundaryShape) -> Self {
        let blank = || vec![Placement::default(); shape.len()];
        let (now, start, end, change) = (blank(), blank(), blank(), vec![[DVec3::ZERO; 2]; shape.len()]);
        Self { shape, now, start, end, change }
    }

    pub fn motion(&self, h: f64) -> BoundaryMotion<'_> {
        BoundaryMotion { h, start: &self.start, end: &self.end, change: &self.change, shape: &self.shape }
    }

    /// Predicts all parts, whose current placements are `now`, at the end of a step of `h` [s]; `memory` is set to the
    /// prediction.
    pub fn expect(&mut self, memory: &mut [f64], h: f64) {
        for (k, numbers) in memory.chunks_exact_mut(BoundaryMemory::WIDTH).enumerate() {
            let now = self.now[k];
            let left = BoundaryMemory::read(numbers).unwrap_or(now);
            let round = match &self.shape {
                BoundaryShape::Parts(parts) => parts[k].round,
                BoundaryShape::Facets { .. } => false,
            };
            let (start, end) = if round { expect_round(&now, &left, h) } else { expect(&now, &left, h) };
            self.change[k] = [now.velocity - left.velocity, now.omega - left.omega];
            let [gained, spun] = self.change[k];
            self.start[k] = start;
            self.end[k] = Placement { velocity: now.velocity + gained, omega: now.omega + spun, ..end };
            BoundaryMemory::write(numbers, &Placement { velocity: now.velocity, omega: now.omega, ..end });
        }
    }
}

/// Displacement and turn of a step from the velocities of its start and of the start before.
fn extrapolated(now: &Placement, left: &Placement, h: f64) -> [DVec3; 2] {
    [h * (1.5 * now.velocity - 0.5 * left.velocity), h * (1.5 * now.omega - 0.5 * left.omega)]
}

fn expect(now: &Placement, left: &Placement, h: f64) -> (Placement, Placement) {
    let [way, turn] = extrapolated(now, left, h);
    let rotation = (rotation::exp(turn) * now.rotation).normalize();
    let end = Placement { position: now.position + way, rotation, ..*now };
    (between(left, &end, h), end)
}

/// The same for a part that is axisymmetric about z: its axis rotates by the smallest angle, with the spin of the part.
fn expect_round(now: &Placement, left: &Placement, h: f64) -> (Placement, Placement) {
    let [way, turn] = extrapolated(now, left, h);
    let axis = left.rotation * DVec3::Z;
    let to = (rotation::exp(turn) * (now.rotation * DVec3::Z)).normalize();
    let spin = to * turn.dot(to);
    let swing = rotation::log(DQuat::from_rotation_arc(axis.normalize(), to));
    let start = Placement {
        position: left.position,
        rotation: left.rotation,
        velocity: (now.position + way - left.position) / h,
        omega: (swing + spin) / h,
    };
    let rotation = (rotation::exp(swing + spin) * left.rotation).normalize();
    (start, Placement { position: now.position + way, rotation, ..*now })
}

/// The motion at constant velocities that goes from the pose of one placement to that of another in `h` [s].
pub fn between(from: &Placement, to: &Placement, h: f64) -> Placement {
    let turn = rotation::log((to.rotation * from.rotation.conjugate()).normalize());
    Placement {
        position: from.position,
        rotation: from.rotation.normalize(),
        velocity: (to.position - from.position) / h,
        omega: turn / h,
    }
}

#[cfg(test)]
mod tests {
    use super::super::BoundaryPart;
    use super::*;

    /// A part that accelerates evenly is expected where it will be, once two velocities are known; it never jumps.
    #[test]
    fn even_acceleration_is_expected_exactly() {
        let (h, a) = (0.1, DVec3::new(1.0, -2.0, 0.5));
        let mut prediction = Prediction::new(BoundaryShape::Parts(vec![BoundaryPart::default()]));
        let mut memory = vec![0.0; BoundaryMemory::WIDTH];
        let place =
            |t: f64| Placement { position: a * (0.5 * t * t), velocity: a * t, ..Placement::default() };
        let mut left = None;
        for n in 0..5 {
            let t = f64::from(n) * h;
            prediction.now[0] = place(t);
            prediction.expect(&mut memory, h);
            let motion = prediction.motion(h);
            let (start, end) = (motion.start[0], motion.end[0]);
            if let Some(left) = left {
                assert_eq!(start.position, left, "a boundary starts where it was left");
            }
            assert!((start.position + h * start.velocity - end.position).length() < 1e-15);
            if n > 0 {
                assert!((end.position - place(t + h).position).length() < 1e-15);
                assert!((end.velocity - place(t + h).velocity).length() < 1e-15);
            }
            left = Some(end.position);
        }
    }

    /// A round part that only spins about its axis keeps it, and turns at the rate of its spin.
    #[test]
    fn a_round_part_spins_about_its_axis() {
        let part = BoundaryPart { round: true, ..BoundaryPart::default() };
        let mut prediction = Prediction::new(BoundaryShape::Parts(vec![part]));
        let mut memory = vec![0.0; BoundaryMemory::WIDTH];
        let rotation = DQuat::from_rotation_x(0.7);
        let omega = rotation * DVec3::new(0.0, 0.0, 3.0);
        prediction.now[0] = Placement { rotation, omega, ..Placement::default() };
        prediction.expect(&mut memory, 0.01);
        let motion = prediction.motion(0.01);
        assert!((motion.start[0].omega - omega).length() < 1e-12);
        assert!((motion.end[0].rotation * DVec3::Z - rotation * DVec3::Z).length() < 1e-15);
    }
}

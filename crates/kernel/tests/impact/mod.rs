//! The oblique impact of an elastic sphere on a rigid wall in continuous time, which steps of any size should approach.

use huygens_kernel::contact::{CompliantMaterial, CompliantModel, CompliantPair, DampingLaw, TangentialLaw};

/// Steps of the reference in the duration of the contact.
const STEPS: f64 = 40_000.0;

/// A sphere that meets a wall without spin.
#[derive(Clone, Copy, Debug)]
pub struct Impact {
    pub radius: f64,
    pub density: f64,
    pub material: CompliantMaterial,
    pub tangential: TangentialLaw,
    /// Speed [m/s] and its angle from the normal of the wall [rad].
    pub speed: f64,
    pub angle: f64,
}

/// What the law knows at a time: overlap, velocities along the normal and along the wall, spin, and the memory.
type State = [f64; 5];

impl Impact {
    pub fn model(&self) -> CompliantModel {
        let tangential = self.tangential;
        CompliantModel { tangential, damping: DampingLaw::None, ..CompliantModel::default() }
    }

    pub fn wall(&self) -> CompliantMaterial {
        CompliantMaterial { young: f64::INFINITY, ..self.material }
    }

    pub fn mass(&self) -> f64 {
        self.density * 4.0 / 3.0 * std::f64::consts::PI * self.radius.powi(3)
    }

    fn pair(&self) -> CompliantPair {
        CompliantPair::of_materials(&self.model(), &self.material, &self.wall()).unwrap()
    }

    /// Duration of the contact [s], which Hertz' law gives.
    pub fn duration(&self) -> f64 {
        let (stiffness, speed) = (self.pair().stiffness * self.radius.sqrt(), self.speed * self.angle.cos());
        let depth = (1.25 * self.mass() * speed * speed / stiffness).powf(0.4);
        2.943_275 * depth / speed
    }

    /// Velocity along the wall and spin after the impact, by the classical Runge–Kutta method from first touch on.
    pub fn outcome(&self) -> [f64; 2] {
        let h = self.duration() / STEPS;
        let mut x: State = [0.0, -self.speed * self.angle.cos(), self.speed * self.angle.sin(), 0.0, 0.0];
        loop {
            let moved = |k: &State, w: f64| std::array::from_fn(|i| x[i] + w * k[i]);
            let k1 = self.rates(&x);
            let k2 = self.rates(&moved(&k1, 0.5 * h));
            let k3 = self.rates(&moved(&k2, 0.5 * h));
            let k4 = self.rates(&moved(&k3, h));
            x = std::array::from_fn(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
            if x[0] <= 0.0 {
                return [x[2], x[3]];
            }
            // Friction at its cap forgets what is beyond it.
            let (trial, cap) = self.friction(&x);
            x[4] *= (cap / trial.abs()).min(1.0);
        }
    }

    /// Tangential force without the cap, and the cap.
    fn friction(&self, x: &State) -> (f64, f64) {
        let (pair, [depth, .., memory]) = (self.pair(), *x);
        let secant = pair.stiffness * (self.radius * depth.max(0.0)).sqrt();
        let trial = match self.tangential {
            TangentialLaw::History => -pair.tangential_ratio * secant * memory,
            _ => memory,
        };
        (trial, pair.friction * secant * depth.max(0.0))
    }

    fn rates(&self, x: &State) -> State {
        let (pair, [depth, normal, along, spin, memory]) = (self.pair(), *x);
        let secant = pair.stiffness * (self.radius * depth.max(0.0)).sqrt();
        let (trial, cap) = self.friction(x);
        let force = trial.clamp(-cap, cap);
        // The force acts in the middle of the overlap; a positive spin moves that point along the wall.
        let arm = self.radius - 0.5 * depth;
        let slip = along + arm * spin;
        let stiffness = pair.tangential_ratio * secant;
        let gained = match self.tangential {
            TangentialLaw::History => slip,
            // A force that shrinks with the stiffness keeps its displacement.
            TangentialLaw::MindlinRescaled if normal > 0.0 && depth > 0.0 => {
                -stiffness * slip - memory * normal / (2.0 * depth)
            }
            _ => -stiffness * slip,
        };
        let mass = self.mass();
        let inertia = 0.4 * mass * self.radius * self.radius;
        [-normal, secant * depth.max(0.0) / mass, force / mass, arm * force / inertia, gained]
    }
}

/// Root of the mean square.
pub fn mean(errors: &[f64]) -> f64 {
    (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt()
}

/// Observed order between the errors with `steps` and with four times as many of them.
pub fn order(coarse: f64, fine: f64) -> f64 {
    (coarse / fine).log2() / 2.0
}

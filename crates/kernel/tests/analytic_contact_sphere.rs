//! A sphere on a plane: sliding, rolling, spinning and holding against closed forms.

use huygens_kernel::Vec3;
use huygens_kernel::contact::*;

/// A solid sphere of 0.5 m and 1 kg on the plane z = 0, at its static depth.
struct Sphere {
    model: CompliantModel,
    pair: CompliantPair,
    gravity: Vec3,
    step: f64,
    height: f64,
    travel: f64,
    velocity: Vec3,
    spin: Vec3,
    history: ContactHistory,
    slipping: bool,
}

const RADIUS: f64 = 0.5;
const INERTIA: f64 = 0.4 * RADIUS * RADIUS;

impl Sphere {
    fn new(model: CompliantModel, material: CompliantMaterial, slope: f64) -> Self {
        let pair = CompliantPair::of_materials(&model, &material, &material).unwrap();
        let gravity = Vec3::new(slope.sin(), 0.0, -slope.cos()) * 9.81;
        // F(δ) = weight: Hooke's stiffness is the tangent one, Hertz' force is δ/1.5 times it.
        let (mut low, mut high) = (0.0, RADIUS);
        for _ in 0..60 {
            let depth = 0.5 * (low + high);
            let share = 1.0 + model.secant_exponent();
            let force = pair.stiffness_at_depth(&model, 1.0, RADIUS, depth) * depth / share;
            if force < -gravity.z { low = depth } else { high = depth }
        }
        Self {
            model,
            pair,
            gravity,
            step: 2e-5,
            height: RADIUS - low,
            travel: 0.0,
            velocity: Vec3::ZERO,
            spin: Vec3::ZERO,
            history: ContactHistory::default(),
            slipping: false,
        }
    }

    fn advance(&mut self, time: f64) {
        for _ in 0..(time / self.step).round() as usize {
            let arm = -Vec3::Z * self.height;
            let motion = ContactMotion {
                gap: self.height - RADIUS,
                normal: Vec3::Z,
                velocity: self.velocity + self.spin.cross(arm),
                velocity_before: None,
                angular_velocity: self.spin,
                effective_mass: effective_mass(1.0, 0.0),
                effective_radius: effective_radius(RADIUS, f64::INFINITY),
                step: self.step,
            };
            let old = self.history;
            let wrench = evaluate(&self.model, &self.pair, &motion, &old, &mut self.history);
            self.slipping = wrench.slipping;
            self.velocity += (wrench.force + self.gravity) * self.step;
            self.spin += (arm.cross(wrench.force) + wrench.torque) * (self.step / INERTIA);
            self.height += self.velocity.z * self.step;
            self.travel += self.velocity.x * self.step;
        }
    }
}

fn laws() -> [CompliantModel; 4] {
    let model = CompliantModel::default();
    let hooke = NormalLaw::Hooke { speed: 1.0 };
    [
        model,
        CompliantModel { normal: hooke, ..model },
        CompliantModel { tangential: TangentialLaw::Mindlin, ..model },
        CompliantModel { normal: hooke, damping: DampingLaw::HysteresisExact, ..model },
    ]
}

fn material(friction: f64) -> CompliantMaterial {
    // Stiff enough for the static depth to be a small part of the radius.
    CompliantMaterial { young: 1e7, friction, ..CompliantMaterial::default() }
}

#[test]
fn a_sliding_ball_comes_to_roll_like_a_billiard_ball() {
    // v₀ = 1 m/s, μ = 0.3: pure rolling after 2v₀/(7μg) = 0.0970827 s at 5/7 m/s, 0.0832137 m on.
    let time = 2.0 / (7.0 * 0.3 * 9.81);
    for model in laws() {
        let mut ball = Sphere::new(model, material(0.3), 0.0);
        ball.velocity.x = 1.0;
        ball.advance(0.99 * time);
        assert!(ball.slipping, "{model:?}");
        ball.advance(0.01 * time);
        assert!((ball.travel / 0.0832137 - 1.0).abs() < 1e-2, "{model:?}: {}", ball.travel);
        ball.advance(0.1);
        assert!(!ball.slipping && (ball.velocity.x * 7.0 / 5.0 - 1.0).abs() < 5e-3, "{}", ball.velocity.x);
    }
}

#[test]
fn a_ball_on_a_slope_rolls_or_slides_by_the_friction_it_has() {
    // 20°: a = 5/7 g sin above μ = 2/7 tan = 0.103991, else g(sin − μ cos).
    let slope = 20f64.to_radians();
    let limit = 2.0 / 7.0 * slope.tan();
    for model in laws() {
        for (friction, acceleration) in [
            (limit * 1.03, 5.0 / 7.0 * 9.81 * slope.sin()),
            (limit * 0.5, 9.81 * (slope.sin() - 0.5 * limit * slope.cos())),
        ] {
            let mut ball = Sphere::new(model, material(friction), slope);
            ball.advance(0.5);
            let got = ball.velocity.x / 0.5;
            assert!((got / acceleration - 1.0).abs() < 5e-3, "{model:?} {friction}: {got} {acceleration}");
        }
    }
}

#[test]
fn rolling_and_spinning_resistance_bring_a_ball_to_rest() {
    for law in [ResistanceLaw::Constant { rate: 1e-2 }, ResistanceLaw::ElasticPlastic { ratio: 0.3 }] {
        for base in laws() {
            let model = CompliantModel { rolling: law, spinning: law, ..base };
            let resisting = CompliantMaterial {
                young: 2e5,
                rolling_friction: 0.2,
                spinning_friction: 0.2,
                ..material(0.3)
            };
            let mut pushed = Sphere::new(model, resisting, 0.0);
            pushed.velocity.x = 1.0;
            pushed.advance(1.0);
            assert!(pushed.spin.length() < 1e-3, "{model:?}: {}", pushed.spin);
            assert!(pushed.velocity.length() < 1e-3, "{model:?}: {}", pushed.velocity);
            let mut spun = Sphere::new(model, resisting, 0.0);
            spun.spin = Vec3::Z;
            spun.advance(1.0);
            assert!(spun.spin.length() < 1e-3, "{model:?}: {}", spun.spin);
        }
    }
}

#[test]
fn springs_with_memory_hold_a_ball_on_a_slope_for_good() {
    // Holds if tan(slope) < ρ/r; friction holds the contact point.
    let resisting = CompliantMaterial { rolling_friction: 0.02, ..material(0.5) };
    for (slope, holds) in [(0.9 * 0.04f64, true), (1.1 * 0.04, false)] {
        let mut ball = Sphere::new(CompliantModel::default(), resisting, slope.atan());
        // The rolling spring swings at 12.8 rad/s with damping ratio 0.3.
        ball.advance(3.0);
        let before = ball.travel;
        ball.advance(1.0);
        assert_eq!((ball.travel - before).abs() < 1e-8, holds, "{slope}: {}", ball.travel - before);
        assert!(!holds || (ball.history.rolling.y / (0.9 * 0.02 * ball.gravity.z) - 1.0).abs() < 1e-3);
    }
}

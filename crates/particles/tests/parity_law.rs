//! Grains feel what the laws of the kernel say, whatever lane of a loop they are in.

use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_kernel::contact::*;
use huygens_particles::{Grain, GrainSettings, GrainSystem, Wall};
use proptest::prelude::*;

fn vector(size: f64) -> impl Strategy<Value = Vec3> {
    [-size..size, -size..size, -size..size].prop_map(Vec3::from_array)
}

fn grain() -> impl Strategy<Value = Grain> {
    (vector(1.0), 0.3..1.0, vector(2.0), vector(3.0), 0..2_usize, 500.0..4000.0).prop_map(
        |(position, radius, velocity, angular_velocity, material, density)| Grain {
            position,
            radius,
            density,
            velocity,
            angular_velocity,
            material,
        },
    )
}

fn models() -> impl Strategy<Value = CompliantModel> {
    let normal = prop_oneof![Just(NormalLaw::Hertz), Just(NormalLaw::Hooke { speed: 1.0 })];
    let damping =
        prop_oneof![Just(DampingLaw::Restitution), Just(DampingLaw::None), Just(DampingLaw::HysteresisExact)];
    let tangential = prop_oneof![
        Just(TangentialLaw::History),
        Just(TangentialLaw::Mindlin),
        Just(TangentialLaw::MindlinRescaled),
        Just(TangentialLaw::Coulomb { speed: 0.1 })
    ];
    let turning = prop_oneof![
        Just(ResistanceLaw::None),
        Just(ResistanceLaw::Constant { rate: 0.1 }),
        Just(ResistanceLaw::ElasticPlastic { ratio: 0.3 })
    ];
    let adhesion = prop_oneof![Just(AdhesionLaw::None), Just(AdhesionLaw::Constant), Just(AdhesionLaw::Sjkr)];
    (normal, damping, tangential, turning.clone(), turning, adhesion).prop_map(
        |(normal, damping, tangential, rolling, spinning, adhesion)| CompliantModel {
            normal,
            damping,
            tangential,
            rolling,
            spinning,
            adhesion,
            ..CompliantModel::default()
        },
    )
}

fn materials() -> Vec<CompliantMaterial> {
    let one = CompliantMaterial {
        young: 1e6,
        rolling_friction: 0.02,
        spinning_friction: 0.01,
        cohesion: 3.0,
        cohesion_density: 50.0,
        ..CompliantMaterial::default()
    };
    vec![one, CompliantMaterial { young: 4e6, friction: 0.2, restitution: 0.8, ..one }]
}

/// Force and torque on each grain by the kernel's law for one pair at a time.
fn expected(model: &CompliantModel, grains: &[Grain], floor: f64, step: f64) -> Vec<[Vec3; 2]> {
    let table = materials();
    let mut out = vec![[Vec3::ZERO; 2]; grains.len()];
    let ask = |a: usize, b: usize, motion: &ContactMotion| {
        let pair = CompliantPair::of_materials(model, &table[a], &table[b]).unwrap();
        evaluate(model, &pair, motion, &ContactHistory::default(), &mut ContactHistory::default())
    };
    for (i, a) in grains.iter().enumerate() {
        for (j, b) in grains.iter().enumerate().skip(i + 1) {
            let offset = b.position - a.position;
            let normal = offset.normalize();
            let gap = offset.length() - a.radius - b.radius;
            let point = a.position + normal * (a.radius + 0.5 * gap);
            let at = |g: &Grain| g.velocity + g.angular_velocity.cross(point - g.position);
            let wrench = ask(
                a.material,
                b.material,
                &ContactMotion {
                    gap,
                    normal,
                    velocity: at(b) - at(a),
                    velocity_before: None,
                    angular_velocity: b.angular_velocity - a.angular_velocity,
                    effective_mass: effective_mass(1.0 / a.mass(), 1.0 / b.mass()),
                    effective_radius: effective_radius(a.radius, b.radius),
                    step,
                },
            );
            for (k, g, sign) in [(i, a, -1.0), (j, b, 1.0)] {
                out[k][0] += wrench.force * sign;
                out[k][1] += (point - g.position).cross(wrench.force * sign) + wrench.torque * sign;
            }
        }
        let gap = a.position.z - floor - a.radius;
        let point = a.position - Vec3::Z * (a.radius + 0.5 * gap);
        let wrench = ask(
            a.material,
            1,
            &ContactMotion {
                gap,
                normal: Vec3::Z,
                velocity: a.velocity + a.angular_velocity.cross(point - a.position),
                velocity_before: None,
                angular_velocity: a.angular_velocity,
                effective_mass: a.mass(),
                effective_radius: a.radius,
                step,
            },
        );
        out[i][0] += wrench.force;
        out[i][1] += (point - a.position).cross(wrench.force) + wrench.torque;
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn forces_are_those_of_the_kernel(
        model in models(),
        grains in prop::collection::vec(grain(), 1..12),
        uniform in any::<bool>(),
    ) {
        let (step, floor) = (1e-4, -0.6);
        let mut grains = grains;
        if uniform { grains.iter_mut().for_each(|g| g.material = 1); }
        let settings = GrainSettings { model, materials: materials(), ..GrainSettings::default() };
        let mut system = GrainSystem::new(settings).unwrap();
        for grain in &grains {
            system.add(grain).unwrap();
        }
        let wall = Wall::plane("floor", Vec3::Z * floor, Vec3::Z);
        let wall = system.add_wall(Wall { material: 1, ..wall }).unwrap();
        system.update_forces(&Exec::serial(), step);
        let expected = expected(&model, &grains, floor, step);
        let size = expected.iter().map(|[f, t]| f.length() + t.length()).fold(1e-9, f64::max);
        let mut sum = Vec3::ZERO;
        for (k, id) in system.ids().iter().enumerate() {
            let [force, torque] = expected[*id as usize];
            prop_assert!((system.forces()[k].vector() - force).length() < 1e-12 * size);
            prop_assert!((system.torques()[k].vector() - torque).length() < 1e-12 * size);
            sum += force;
        }
        prop_assert!((system.wall_wrench(wall)[0] + sum).length() < 1e-11 * size);
    }
}

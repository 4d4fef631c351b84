//! Springs along coordinates of joints and shafts oscillate with the frequencies of their closed forms.

use std::f64::consts::TAU;

use huygens::prelude::*;
use huygens::scene::{Format, load_scene_text};

/// Mass [kg] and moment of inertia about z [kg·m²] of the body on every joint.
const MASS: f64 = 2.0;
const INERTIA: f64 = 0.03;

/// A body on a joint with the ground along z, without gravity, and springs.
fn world(kind: JointType, springs: &[CoordinateSpringSpec]) -> World {
    let mut world = World::new([0.0; 3]);
    world.settings_mut().dt = 5e-4;
    let body = BodySpec {
        mass: Some(MASS),
        inertia: Some(huygens::spec::Inertia::diagonal([0.1, 0.1, INERTIA])),
        ..BodySpec::dynamic("body")
    };
    world.add_body(body).unwrap();
    world.add_joint(JointSpec::new("joint", kind, "ground", "body").at([0.0; 3], [0.0, 0.0, 1.0])).unwrap();
    for spring in springs {
        world.add_force(ForceSpec::CoordinateSpring(spring.clone())).unwrap();
    }
    world
}

fn spring(coordinate: Option<&str>, stiffness: f64, rest: f64) -> CoordinateSpringSpec {
    let coordinate = coordinate.map(str::to_owned);
    CoordinateSpringSpec { coordinate, stiffness, rest, ..CoordinateSpringSpec::on_joint("joint") }
}

/// Checks over two periods that coordinate `index` of the joint is $\xi_0(1-\cos\omega t)$.
#[track_caller]
fn oscillates(world: &mut World, index: usize, rest: f64, omega: f64) {
    let joint = world.joint("joint").unwrap();
    let mut worst = 0.0_f64;
    world
        .run_with(2.0 * TAU / omega, &mut |w| {
            let truth = rest * (1.0 - (omega * w.time()).cos());
            worst = worst.max((w.joint_coordinate(joint, index).unwrap() - truth).abs());
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
    assert!(worst < 1e-4 * rest.abs(), "off by {worst}");
}

#[test]
fn a_mass_on_a_prismatic_joint() {
    let mut world = world(JointType::Prismatic, &[spring(None, 80.0, 0.05)]);
    oscillates(&mut world, 0, 0.05, (80.0 / MASS).sqrt());
}

#[test]
fn a_mass_on_a_prismatic_joint_with_a_damper() {
    let (stiffness, damping, rest) = (80.0, 4.0, 0.05);
    let spring = CoordinateSpringSpec { damping, ..spring(Some("displacement"), stiffness, rest) };
    let mut world = world(JointType::Prismatic, &[spring]);
    let decay = 0.5 * damping / MASS;
    let omega = (stiffness / MASS - decay * decay).sqrt();
    let joint = world.joint("joint").unwrap();
    let mut worst = 0.0_f64;
    world
        .run_with(2.0, &mut |w| {
            let t = w.time();
            let wave = (omega * t).cos() + decay / omega * (omega * t).sin();
            let truth = rest * (1.0 - (-decay * t).exp() * wave);
            worst = worst.max((w.joint_coordinate(joint, 0).unwrap() - truth).abs());
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
    assert!(worst < 1e-4 * rest, "off by {worst}");
}

#[test]
fn a_wheel_on_a_revolute_joint() {
    let mut world = world(JointType::Revolute, &[spring(None, 1.2, 0.4)]);
    oscillates(&mut world, 0, 0.4, (1.2 / INERTIA).sqrt());
}

/// Rotation and translation of a cylindrical joint have springs of their own, which do not mix.
#[test]
fn both_coordinates_of_a_cylindrical_joint() {
    let springs = [spring(Some("angle"), 1.2, 0.4), spring(Some("displacement"), 80.0, 0.05)];
    let mut both = world(JointType::Cylindrical, &springs);
    oscillates(&mut both, 0, 0.4, (1.2 / INERTIA).sqrt());
    let mut both = world(JointType::Cylindrical, &springs);
    oscillates(&mut both, 1, 0.05, (80.0 / MASS).sqrt());
}

/// A screw has one degree of freedom: its inertia along the displacement is $m + I(2\pi/p)^2$, about the angle
/// $I + m(p/2\pi)^2$.
#[test]
fn either_coordinate_of_a_screw_joint() {
    let pitch = 0.2;
    let turn = TAU / pitch;
    let kind = || JointType::Screw { pitch };
    let mut along = world(kind(), &[spring(Some("displacement"), 2000.0, 0.01)]);
    oscillates(&mut along, 1, 0.01, (2000.0 / (MASS + INERTIA * turn * turn)).sqrt());
    let mut about = world(kind(), &[spring(Some("angle"), 1.2, 0.4)]);
    oscillates(&mut about, 0, 0.4, (1.2 / (INERTIA + MASS / (turn * turn))).sqrt());
}

#[test]
fn shafts_against_the_ground_and_against_each_other() {
    let scene = |second: &str| {
        format!(
            "settings = {{ gravity = [0, 0, 0], dt = 5e-4 }}\n[[shafts]]\nname = \"a\"\ninertia = 0.2\n[[shafts]]\n\
             name = \"b\"\ninertia = 0.3\n[[forces]]\nname = \"s\"\ntype = \"coordinate_spring\"\nshaft = \"a\"\n{second}\n\
             stiffness = 5\nrest = 0.1\n"
        )
    };
    for (second, inertia) in [("", 0.2), ("second_shaft = \"b\"", 0.2 * 0.3 / 0.5)] {
        let loaded = load_scene_text("shafts.toml", &scene(second), Format::Toml, &LoadOptions::default());
        let mut world = loaded.unwrap_or_else(|e| panic!("{e}")).world().unwrap_or_else(|e| panic!("{e}"));
        let (a, b) = (world.shaft("a").unwrap(), world.shaft("b").unwrap());
        let omega = f64::sqrt(5.0 / inertia);
        let mut worst = 0.0_f64;
        world
            .run_with(2.0 * TAU / omega, &mut |w| {
                let twist = w.shaft_motion(a).unwrap().0 - w.shaft_motion(b).unwrap().0;
                worst = worst.max((twist - 0.1 * (1.0 - (omega * w.time()).cos())).abs());
                std::ops::ControlFlow::Continue(())
            })
            .unwrap();
        assert!(worst < 1e-5, "off by {worst}");
    }
}

#[test]
fn what_a_spring_acts_on_must_be_clear() {
    let refused = |keys: &str| {
        let text = format!(
            "[[bodies]]\nname = \"body\"\nmass = 1\ninertia = [1, 1, 1]\n[[joints]]\nname = \"joint\"\ntype = \"prismatic\"\n\
             a = \"ground\"\nb = \"body\"\nposition = [0, 0, 0]\n[[shafts]]\nname = \"shaft\"\ninertia = 1\n[[forces]]\n\
             name = \"s\"\ntype = \"coordinate_spring\"\n{keys}\n"
        );
        let loaded = load_scene_text("spring.toml", &text, Format::Toml, &LoadOptions::default());
        loaded.and_then(|scene| scene.world()).map(drop).expect_err(keys).to_string()
    };
    for (keys, words) in [
        ("", "it needs a `joint` or a `shaft` to act on"),
        ("joint = \"joint\"\nshaft = \"shaft\"", "give joint or shaft, not both"),
        (
            "joint = \"joint\"\ncoordinate = \"angle\"",
            "the joint has no coordinate 'angle'; it has displacement",
        ),
        ("joint = \"joint\"\nsecond_shaft = \"shaft\"", "`second_shaft` needs `shaft`"),
        ("shaft = \"shaft\"\nsecond_shaft = \"shaft\"", "it connects a shaft with itself"),
    ] {
        let text = refused(keys);
        assert!(text.contains(words), "{words:?} is not in: {text}");
    }
}

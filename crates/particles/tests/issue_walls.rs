//! Walls: impulses wherever a run is cut, what comes and goes, and motions that end.

use crate::beds::{grain, on_floor, weightless};
use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_particles::{Wall, WallDrive};

#[test]
fn impulses_on_walls_do_not_know_where_a_run_is_cut() {
    let ex = Exec::serial();
    let (mut whole, mut cut) = (on_floor(), on_floor());
    whole.run(&ex, 2e-5, 300).unwrap();
    for part in [1, 99, 50, 150] {
        cut.run(&ex, 2e-5, part).unwrap();
    }
    assert_eq!(whole.places(), cut.places());
    assert_eq!(whole.take_wall_impulse(0), cut.take_wall_impulse(0));
    assert!(whole.save() == cut.save());
}

#[test]
fn walls_get_what_grains_lose_when_grains_come_and_go() {
    let ex = Exec::serial();
    let mut system = weightless([None; 3]);
    let mut one = grain(0.0, 0.0, 0.0049, 0.005);
    one.velocity = Vec3::new(0.0, 0.0, -0.2);
    system.add(&one).unwrap();
    system.add_wall(Wall::plane("floor", Vec3::ZERO, Vec3::Z)).unwrap();
    system.run(&ex, 2e-5, 20).unwrap();
    let (wrench, impulse) = (system.wall_wrench(0), system.take_wall_impulse(0)[0].z);
    assert!(wrench[0].z < 0.0 && impulse < 0.0);
    let before = system.motions()[0].0[2];
    system.insert(&ex, &[grain(0.0, 0.0, 1.0, 0.005)]).unwrap();
    assert_eq!(system.wall_wrench(0), wrench);
    system.run(&ex, 2e-5, 20).unwrap();
    let at = system.ids().iter().position(|id| *id == 0).unwrap();
    let row = system.motions()[at].0;
    let (gained, given) = ((row[2] - before) / row[3], -system.take_wall_impulse(0)[0].z);
    assert!((gained / given - 1.0).abs() < 1e-12, "{gained} {given}");
}

#[test]
fn a_wall_with_a_mass_below_zero_is_refused() {
    for inverse_mass in [-1.0, f64::NAN, f64::INFINITY] {
        let mut system = on_floor();
        let wall = Wall { inverse_mass, ..Wall::plane("lid", Vec3::Z, -Vec3::Z) };
        assert!(system.add_wall(wall).is_err(), "{inverse_mass}");
    }
}

#[test]
fn a_wall_that_stops_turning_to_shake_turns_no_more() {
    let mut system = on_floor();
    let turn = WallDrive::Rotation { axis: Vec3::Z, rate: 5.0, centre: Vec3::ZERO };
    system.set_wall_drive(0, turn).unwrap();
    system.run(&Exec::serial(), 2e-5, 10).unwrap();
    let shake = WallDrive::Vibration { amplitude: Vec3::Z * 1e-4, frequency: 30.0, phase: 0.0 };
    system.set_wall_drive(0, shake).unwrap();
    let before = system.walls()[0].motion.rotation;
    system.run(&Exec::serial(), 2e-5, 10).unwrap();
    assert_eq!(system.walls()[0].motion.rotation, before);
    assert_eq!(system.walls()[0].motion.angular_velocity, Vec3::ZERO);
}

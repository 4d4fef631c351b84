//! Small systems of grains that tests share.

use std::sync::Mutex;

use huygens_kernel::contact::CompliantMaterial;
use huygens_kernel::{Quat, Vec3};
use huygens_particles::{ForceField, Grain, GrainAt, GrainSettings, GrainSystem, Wall};

pub fn settings() -> GrainSettings {
    let material = CompliantMaterial { young: 1e6, friction: 0.4, ..CompliantMaterial::default() };
    GrainSettings { materials: vec![material], ..GrainSettings::default() }
}

pub fn weightless(periodic: [Option<[f64; 2]>; 3]) -> GrainSystem {
    GrainSystem::new(GrainSettings { gravity: Vec3::ZERO, periodic, ..settings() }).unwrap()
}

pub fn grain(x: f64, y: f64, z: f64, radius: f64) -> Grain {
    Grain { position: Vec3::new(x, y, z), radius, ..Grain::default() }
}

/// Grains that roll and rub on a floor.
pub fn on_floor() -> GrainSystem {
    let mut system = GrainSystem::new(settings()).unwrap();
    for k in 0..20 {
        let mut one = grain(0.011 * f64::from(k % 5), 0.011 * f64::from(k / 5), 0.0049, 0.005);
        one.velocity = Vec3::new(0.3, 0.1 * f64::from(k % 3), -0.2);
        system.add(&one).unwrap();
    }
    system.add_wall(Wall::plane("floor", Vec3::ZERO, Vec3::Z)).unwrap();
    system
}

pub const DUMBBELL: [(Vec3, f64); 2] =
    [(Vec3::new(-0.004, 0.0, 0.0), 0.005), (Vec3::new(0.004, 0.0, 0.0), 0.005)];

pub fn add_dumbbell(system: &mut GrainSystem, position: Vec3, velocity: Vec3, spin: Vec3) {
    let shape = system.add_clump_shape(&DUMBBELL, 2500.0, 0).unwrap();
    system.add_clump(shape, position, Quat::IDENTITY, velocity, spin).unwrap();
}

/// Notes what it is asked for.
#[derive(Debug, Default)]
pub struct Watch {
    pub seen: Mutex<Vec<(f64, f64)>>,
    pub pull: f64,
}

impl ForceField for Watch {
    fn force(&self, grain: &GrainAt) -> Vec3 {
        self.seen.lock().unwrap().push((grain.time, grain.position.x));
        Vec3::X * self.pull * grain.mass
    }
}

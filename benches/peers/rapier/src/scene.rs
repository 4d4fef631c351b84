//! The cases as Rapier worlds: the same bodies at the same places as `contact_cases.py`.

use rapier3d_f64::glamx::DVec3;
use rapier3d_f64::na::Unit;
use rapier3d_f64::prelude::*;

/// Step size of every case [s].
pub const TIME_STEP: f64 = 1e-3;

/// Boxes in a row of the wall, and rows.
pub const WALL: (usize, usize) = (25, 20);
/// Half sides of a box [m].
pub const BOX_HALF: DVec3 = DVec3::new(0.2, 0.1, 0.1);

/// Radius of a sphere of the bed [m].
pub const SPHERE_RADIUS: f64 = 0.05;
/// Distance of neighbours before they fall, and the width of the box a sphere of its base [m].
const SPHERE_SPACING: f64 = 0.105;
/// Largest displacement of a sphere from its lattice place along an axis [m].
const SPHERE_JITTER: f64 = 0.0025;

/// A world, and its bodies in the order they were added; a ball that hits the wall is not among them.
pub struct Scene {
    pub world: PhysicsWorld,
    pub bodies: Vec<RigidBodyHandle>,
}

impl Scene {
    /// An empty world; contacts have `frequency` [Hz], or Rapier's own choice.
    fn new(frequency: Option<f64>) -> Self {
        let mut world = PhysicsWorld { gravity: DVec3::new(0.0, 0.0, -9.81), ..PhysicsWorld::default() };
        world.integration_parameters.dt = TIME_STEP;
        if let Some(frequency) = frequency {
            world.integration_parameters.contact_softness.natural_frequency = frequency;
            world.integration_parameters.static_contact_softness.natural_frequency = frequency;
        }
        Self { world, bodies: Vec::new() }
    }

    fn add(
        &mut self,
        position: DVec3,
        velocity: DVec3,
        collider: ColliderBuilder,
        friction: f64,
    ) -> RigidBodyHandle {
        let body = RigidBodyBuilder::dynamic().translation(position).linvel(velocity).can_sleep(false);
        self.world.insert(body, collider.friction(friction).restitution(0.0)).0
    }

    fn add_plane(&mut self, point: DVec3, normal: DVec3, friction: f64) {
        let plane = ColliderBuilder::halfspace(Unit::new_unchecked(normal)).translation(point);
        self.world.insert_collider(plane.friction(friction).restitution(0.0), None);
    }

    /// Where the bodies are.
    pub fn poses(&self) -> Vec<Pose> {
        self.bodies.iter().map(|&body| *self.world.bodies[body].position()).collect()
    }

    /// Contact points handed to the solver in the last step.
    pub fn contact_count(&self) -> usize {
        let points = |pair: &ContactPair| match &pair.contacts {
            PairContacts::Rigid(rigid) => {
                rigid.solver_manifolds().iter().map(|manifold| manifold.data.solver_contacts.len()).sum()
            }
            PairContacts::Soft { .. } => 0,
        };
        self.world.narrow_phase.contact_pairs().map(points).sum()
    }

    /// Kinetic energy of all bodies [J].
    pub fn kinetic_energy(&self) -> f64 {
        self.world.bodies.iter().map(|(_, body)| body.kinetic_energy()).sum()
    }
}

/// The wall; with a ball flying at it where `hit`.
pub fn brick_wall(hit: bool, frequency: Option<f64>) -> Scene {
    let friction = 0.5;
    let mut scene = Scene::new(frequency);
    scene.add_plane(DVec3::ZERO, DVec3::Z, friction);
    for row in 0..WALL.1 {
        for column in 0..WALL.0 {
            let shift = if row % 2 == 1 { 0.1005 } else { 0.0 };
            let position = DVec3::new(0.2 + 0.402 * column as f64 + shift, 0.0, 0.1 + 0.2 * row as f64);
            let shape = ColliderBuilder::cuboid(BOX_HALF.x, BOX_HALF.y, BOX_HALF.z).mass(16.0);
            let body = scene.add(position, DVec3::ZERO, shape, friction);
            scene.bodies.push(body);
        }
    }
    if hit {
        let shape = ColliderBuilder::ball(0.5).mass(1000.0);
        scene.add(DVec3::new(5.0, -2.0, 2.0), DVec3::new(0.0, 15.0, 0.0), shape, friction);
    }
    scene
}

/// A cube of `side`³ spheres above the floor of an open box.
pub fn sphere_settle(side: usize, frequency: Option<f64>) -> Scene {
    let friction = 0.3;
    let mut scene = Scene::new(frequency);
    for (point, normal) in walls(side) {
        scene.add_plane(point, normal, friction);
    }
    let mut seed = 1u64;
    let mut jitter = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        SPHERE_JITTER * ((seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0)
    };
    for k in 0..side.pow(3) {
        let cell = [k % side, k / side % side, k / side / side];
        let position = DVec3::from_array(cell.map(|c| SPHERE_SPACING * (c as f64 + 0.5) + jitter()));
        let shape = ColliderBuilder::ball(SPHERE_RADIUS).density(1000.0);
        let body = scene.add(position, DVec3::ZERO, shape, friction);
        scene.bodies.push(body);
    }
    scene
}

/// Floor and four walls of the box: a point of each, and the normal into the box.
pub fn walls(side: usize) -> [(DVec3, DVec3); 5] {
    let far = DVec3::new(SPHERE_SPACING * side as f64, SPHERE_SPACING * side as f64, 0.0);
    [
        (DVec3::ZERO, DVec3::Z),
        (DVec3::ZERO, DVec3::X),
        (DVec3::ZERO, DVec3::Y),
        (far, DVec3::NEG_X),
        (far, DVec3::NEG_Y),
    ]
}

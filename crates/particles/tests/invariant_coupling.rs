//! The contracts of coupling: a boundary of facets, a partner that keeps no state, calls that are repeated.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use huygens_core::bytes::{Reader, Writer};
use huygens_core::contract::StateView;
use huygens_core::coupling::{
    Advance, Block, Boundary, BoundaryId, BoundaryMotion, BoundaryPart, BoundaryShape, Placement, Report,
    SubSystem, Wrench,
};
use huygens_core::integrator::{Stepper, StepperSettings};
use huygens_core::{CoreError, Model, Result, State};
use huygens_exec::Exec;
use huygens_geometry::Pose;
use huygens_kernel::contact::CompliantMaterial;
use huygens_kernel::{Quat, Vec3};
use huygens_particles::{
    CoupledWall, FacetTopology, Facets, Grain, GrainBlock, GrainCoupling, GrainSettings, GrainSystem, Mount,
    Surface, Wall, WallMotion,
};

const H: f64 = 1e-4;

/// Where a plate is and how it moves: it rises, slides and tilts.
fn plate(time: f64) -> Placement {
    let angle = 0.05 * (20.0 * time).sin();
    Placement {
        position: Vec3::new(0.02 * time, 0.0, 0.005 * (30.0 * time).sin()),
        rotation: Quat::from_rotation_y(angle),
        velocity: Vec3::new(0.02, 0.0, 0.15 * (30.0 * time).cos()),
        omega: Vec3::Y * (20.0 * time).cos(),
    }
}

/// The plate as one rigid part, or as the corners of its triangles.
struct Plate(Option<Vec<Vec3>>);

impl Boundary for Plate {
    fn part_name(&self, part: usize) -> String {
        format!("part {part} of the plate")
    }

    fn shape(&self) -> BoundaryShape {
        match &self.0 {
            None => BoundaryShape::Parts(vec![BoundaryPart::default()]),
            Some(corners) => BoundaryShape::Facets {
                inverse_mass: vec![0.0; corners.len()],
                faces: faces(),
                thickness: 0.0,
            },
        }
    }

    fn place(&self, _ex: &Exec, x: &StateView<'_>, out: &mut [Placement]) {
        let now = plate(x.time);
        match &self.0 {
            None => out[0] = now,
            Some(corners) => {
                for (out, corner) in out.iter_mut().zip(corners) {
                    let arm = now.rotation * *corner;
                    let velocity = now.velocity + now.omega.cross(arm);
                    *out = Placement { position: now.position + arm, velocity, ..Placement::default() };
                }
            }
        }
    }

    fn pull_back(&self, _ex: &Exec, _x: &StateView<'_>, _wrenches: &[Wrench], _loads: &mut [f64]) {}
}

/// Corners of a grid of squares of 40 mm, and their triangles.
const SIDE: u32 = 5;

fn corners() -> Vec<Vec3> {
    let at = |k: u32| Vec3::new(f64::from(k % SIDE), f64::from(k / SIDE), 0.0) - Vec3::new(2.0, 2.0, 0.0);
    (0..SIDE * SIDE).map(|k| 0.04 * at(k)).collect()
}

fn faces() -> Vec<[u32; 3]> {
    let square = |k: u32| {
        let a = k / (SIDE - 1) * SIDE + k % (SIDE - 1);
        [[a, a + 1, a + SIDE + 1], [a, a + SIDE + 1, a + SIDE]]
    };
    (0..(SIDE - 1) * (SIDE - 1)).flat_map(square).collect()
}

/// Grains that rest on and roll over the plate, away from the edges of its triangles.
fn grains(wall: Wall) -> GrainSystem {
    let rubber = CompliantMaterial {
        young: 1e6,
        poisson: 0.3,
        friction: 0.5,
        restitution: 0.5,
        ..CompliantMaterial::default()
    };
    let mut system =
        GrainSystem::new(GrainSettings { materials: vec![rubber], ..GrainSettings::default() }).unwrap();
    system.add_wall(wall).unwrap();
    for (k, [x, y]) in [[0.031, 0.011], [-0.049, 0.021], [0.011, -0.029]].into_iter().enumerate() {
        let velocity = Vec3::new(0.02, -0.01 * k as f64, 0.0);
        let position = Vec3::new(x, y, 0.0049);
        system
            .add(&Grain { position, velocity, radius: 0.005, density: 2000.0, ..Grain::default() })
            .unwrap();
    }
    system
}

struct Coupled {
    stepper: Stepper,
    state: State,
}

fn coupled(boundary: Plate, wall: Wall, mount: Mount, with: Option<Arc<dyn SubSystem>>) -> Coupled {
    let mut model = Model::new(Vec3::ZERO);
    let id = model.add_boundary(Arc::new(boundary), None);
    let model = Arc::new(model);
    let mut stepper = Stepper::new(model.clone(), Exec::serial(), StepperSettings::default()).unwrap();
    let mut state = State::new(&model);
    let wall_of = CoupledWall { mount, pose: Pose::IDENTITY, surfaces: vec![Pose::IDENTITY], parts: 0..1 };
    let sand = GrainCoupling { owner: "sand".into(), boundaries: vec![id], walls: vec![wall_of] };
    let block = GrainBlock { system: grains(wall), step: H / 4.0, wrenches: vec![[Vec3::ZERO; 2]] };
    state.blocks.insert(GrainBlock::KIND, "sand", Box::new(block));
    let mut systems: Vec<Arc<dyn SubSystem>> = vec![Arc::new(sand)];
    if let Some(partner) = with {
        state.blocks.insert("partner", "far away", Box::new(NoState));
        systems.push(partner);
    }
    stepper.attach(systems);
    Coupled { stepper, state }
}

fn on_plane(with: Option<Arc<dyn SubSystem>>) -> Coupled {
    let wall = Wall::new("plate", Surface::Plane, WallMotion::default());
    coupled(Plate(None), wall, Mount::Part { boundary: 0, part: 0 }, with)
}

impl Coupled {
    fn step(&mut self) -> Result<()> {
        self.stepper.step(&mut self.state, H).map(|_| ())
    }

    fn block(&self) -> &GrainBlock {
        self.state.blocks.get(GrainBlock::KIND, "sand").unwrap()
    }
}

#[test]
fn grains_on_a_moving_triangulated_plate_are_those_on_the_plane() {
    let mut plane = on_plane(None);
    let triangles: Vec<[u32; 4]> = faces().into_iter().map(|[a, b, c]| [a, b, c, c]).collect();
    let topology = Arc::new(FacetTopology::new(corners().len(), &triangles).unwrap());
    let wall = Wall::facets("plate", Facets::new(topology, corners()).unwrap());
    let mut facets = coupled(Plate(Some(corners())), wall, Mount::Facets { boundary: 0 }, None);
    let mut most = 0.0f64;
    for step in 0..400 {
        plane.step().unwrap();
        facets.step().unwrap();
        let (a, b) = (plane.block(), facets.block());
        for (x, y) in a.system.places().iter().zip(b.system.places()) {
            // Chords of the corners against the arc of the plane: second order in the turn of a step.
            let far = (x.vector() - y.vector()).length();
            assert!(far < 1e-8, "step {step}: {far:e} m");
        }
        most = most.max(a.wrenches[0][0].length());
        let difference = (a.wrenches[0][0] - b.wrenches[0][0]).length();
        assert!(difference < 1e-4 * most.max(1e-3), "step {step}: {difference:e} N of {most:e} N");
    }
    assert!(most > 0.01, "{most:e}");
}

#[test]
fn a_call_that_is_repeated_from_an_equal_block_gives_the_same_bits() {
    let mut world = on_plane(None);
    (0..20).for_each(|_| world.step().unwrap());
    let system = world.stepper.sub_systems()[0].clone();
    let shape = BoundaryShape::Parts(vec![BoundaryPart::default()]);
    let (start, end) = ([plate(0.01)], [plate(0.01 + H)]);
    let motion =
        [BoundaryMotion { h: H, start: &start, end: &end, change: &[[Vec3::ZERO; 2]], shape: &shape }];
    let call = Advance { time: 0.01, h: H, motion: &motion };
    let run = || {
        let mut block = world.block().duplicate().unwrap();
        let mut wrench = [Wrench::default()];
        system.advance(&Exec::serial(), &call, &mut *block, &mut [&mut wrench]).unwrap();
        let mut out = Writer::default();
        block.write(&mut out);
        (out.into_bytes(), wrench[0])
    };
    assert_eq!(run(), run());
    assert!(run().1.force.length() > 0.0);
}

/// The block of a partner whose state nobody can ask for.
struct NoState;

impl Block for NoState {
    fn write(&self, _out: &mut Writer) {}
    fn read(&mut self, _input: &mut Reader<'_>) -> Result<()> {
        Ok(())
    }
    fn copy_from(&mut self, _other: &dyn Block) {}
    fn duplicate(&self) -> Option<Box<dyn Block>> {
        None
    }
    fn keeps_state(&self) -> bool {
        false
    }
}

/// A co-simulated partner that fails when it is told to.
struct Partner(AtomicBool);

impl SubSystem for Partner {
    fn kind(&self) -> &'static str {
        "partner"
    }
    fn owner(&self) -> &str {
        "far away"
    }
    fn boundaries(&self) -> &[BoundaryId] {
        &[]
    }
    fn advance(
        &self,
        _ex: &Exec,
        call: &Advance<'_>,
        _block: &mut dyn Block,
        _wrenches: &mut [&mut [Wrench]],
    ) -> Result<Report> {
        match self.0.load(Ordering::Relaxed) {
            true => Err(CoreError::NonFinite { what: "the partner".into(), time: call.time, step: 0 }),
            false => Ok(Report { substeps: 1 }),
        }
    }
    fn energy(&self, _ex: &Exec, _block: &dyn Block) -> [f64; 3] {
        [0.0; 3]
    }
}

#[test]
fn a_partner_without_state_is_named_where_state_is_asked_for() {
    let partner = Arc::new(Partner(AtomicBool::new(false)));
    let mut world = on_plane(Some(partner.clone()));
    (0..5).for_each(|_| world.step().unwrap());
    let named = |e: CoreError, asked: &str| {
        let text = e.to_string();
        assert!(text.contains("partner 'far away'") && text.contains(asked), "{text}");
    };
    named(world.state.to_chunks().unwrap_err(), "checkpoint");
    named(world.state.copy().unwrap_err(), "copy");
    // A copy that is made all the same cannot go on.
    let mut copy = world.state.clone();
    named(world.stepper.step(&mut copy, H).unwrap_err(), "step of a copied state");
    let mut before = Writer::default();
    world.block().write(&mut before);
    let (time, steps) = (world.state.time, world.state.step);
    partner.0.store(true, Ordering::Relaxed);
    named(world.step().unwrap_err(), "rolling back");
    // All but the partner are where they were; nothing goes on as if nothing had happened.
    let mut after = Writer::default();
    world.block().write(&mut after);
    assert_eq!(before.into_bytes(), after.into_bytes());
    assert_eq!((world.state.time, world.state.step), (time, steps));
    partner.0.store(false, Ordering::Relaxed);
    named(world.step().unwrap_err(), "continuing");
}

//! What programs add of their own beside the built-in it could replace, on one thread and on several, after a restart
//! and after a change of the model; and what is refused.

use std::sync::Arc;

use glam::DVec3;
use huygens::prelude::*;
use huygens::spec::Section;
use huygens::world::BoundaryPlace;
use huygens_core::builder::{self, FrameKey, MaterialNumbers, Part, PartContact, Places};
use huygens_core::bytes::{Reader, Writer};
use huygens_core::contact::{CompliantLaw, ContactAnswer, ContactBatch, Proxy, ProxySource};
use huygens_core::contract::{ElementBatch, Layout, Slots, StateView, Weights};
use huygens_core::coupling::{Advance, Block, BoundaryId, Report, SubSystem, Wrench};
use huygens_core::{Model, Subject};
use huygens_exec::Exec;
use huygens_geometry::Pose;
use huygens_kernel::contact::{CompliantPair, ContactHistory, evaluate};

/// The composed law, as a program would write it.
struct Composed(CompliantModel);

impl CompliantLaw for Composed {
    fn evaluate(&self, batch: &ContactBatch<'_>, answers: &mut [ContactAnswer]) {
        for (point, answer) in batch.points().zip(answers) {
            let pair = CompliantPair::new(&self.0, &point.composite.surface).unwrap();
            let (old, motion) = (ContactHistory::from_array(point.memory), &point.motion);
            let mut new = ContactHistory::default();
            let wrench = evaluate(&self.0, &pair, motion, &old, &mut new);
            (answer.force, answer.couple, answer.memory) = (wrench.force, wrench.torque, new.to_array());
            let (mass, radius) = (motion.effective_mass, motion.effective_radius);
            answer.stiffness = pair.stiffness_at_depth(&self.0, mass, radius, -motion.gap);
        }
    }
}

/// Balls that fall onto a floor and each other.
fn balls(own_law: bool, integrator: Integrator, threads: usize) -> World {
    let mut world = World::new([0.3, 0.0, -9.81]);
    world.set_threads(threads).unwrap();
    let settings = world.settings_mut();
    (settings.dt, settings.integrator) = (2e-4, Some(integrator));
    settings.contact.law = ContactLaw::Compliant;
    let surface = MaterialSpec::elastic("soft", 1e6, 0.3);
    world.add_material(MaterialSpec { friction: 0.5, restitution: 0.6, ..surface }).unwrap();
    let floor = BodySpec::fixed("floor").with_shape(ShapeSpec::half_space().material("soft"));
    world.add_body(floor).unwrap();
    for k in 0..80 {
        let (x, y) = (f64::from(k % 9), f64::from(k / 9 % 3));
        let position = [0.195 * x, 0.21 * y, 0.1 + 0.23 * f64::from(k / 27)];
        let body = BodySpec { position, density: Some(1000.0), ..BodySpec::dynamic(format!("ball{k}")) };
        world.add_body(body.with_shape(ShapeSpec::sphere(0.1).material("soft"))).unwrap();
    }
    if own_law {
        world.set_contact_law(Some(Arc::new(Composed(world.settings().contact.compliant))));
    }
    world
}

#[test]
fn the_composed_law_written_by_a_program_gives_the_bits_of_the_built_in_one() {
    let [mut built_in, mut own, mut threads] =
        [(false, 1), (true, 1), (true, 3)].map(|(own, threads)| balls(own, Integrator::Leapfrog, threads));
    for world in [&mut built_in, &mut own, &mut threads] {
        world.run(0.1).unwrap();
        assert!(world.contact_statistics().most_contacts > 50);
    }
    assert_eq!(built_in.state_hash(), own.state_hash());
    assert_eq!(own.state_hash(), threads.state_hash());
    let critical = built_in.contact_statistics().critical_step;
    assert_eq!(own.contact_statistics().critical_step, critical);
}

#[test]
fn differences_of_a_law_let_implicit_methods_converge_to_the_same_motion() {
    let [mut built_in, mut own] = [false, true].map(|own| balls(own, Integrator::Hht { alpha: -0.1 }, 1));
    for world in [&mut built_in, &mut own] {
        world.run(0.02).unwrap();
    }
    for (id, _) in built_in.bodies().to_vec() {
        let [a, b] = [&built_in, &own].map(|w| DVec3::from_array(w.body_velocity(id).unwrap()));
        assert!(a.distance(b) < 1e-5, "{a} {b}");
    }
}

#[test]
fn a_law_of_ones_own_beside_the_rigid_law_is_refused() {
    let mut world = balls(true, Integrator::Euler, 1);
    world.settings_mut().contact.law = ContactLaw::Rigid;
    let error = world.step().unwrap_err();
    assert!(error.is_input() && error.to_string().contains("contact.law"), "{error}");
}

/// A constant force [N] on a body that counts its steps in its history.
struct Push {
    body: BodyId,
    force: DVec3,
    first_history: usize,
}

struct PushBatch {
    block: u32,
    force: DVec3,
}

impl ElementBatch for PushBatch {
    fn layout(&self) -> Layout {
        let mut layout = Layout { history: 1, ..Layout::default() };
        layout.push(&[self.block], 0);
        layout
    }
    fn item_name(&self, _item: usize) -> Subject {
        Subject::object("push", "push")
    }
    fn evaluate(
        &self,
        _ex: &Exec,
        _x: &StateView<'_>,
        _history: &[f64],
        _slots: &Slots,
        values: &mut [f64],
        tangent: Option<(&Weights, &mut [f64])>,
    ) {
        values.fill(0.0);
        values[..3].copy_from_slice(&self.force.to_array());
        tangent.into_iter().for_each(|(_, tangent)| tangent.fill(0.0));
    }
    fn commit(&self, _ex: &Exec, _x: &StateView<'_>, history: &mut [f64]) {
        history[0] += 1.0;
    }
}

impl Part for Push {
    fn place_coordinates(&mut self, _model: &mut Model) -> builder::Result<()> {
        Ok(())
    }
    fn place_batches(&mut self, model: &mut Model, places: &Places<'_>) -> builder::Result<()> {
        let place =
            places.frame(&Subject::object("part", "push"), FrameKey::body(self.body.index() as u32))?;
        let batch = PushBatch { block: place.blocks[0], force: self.force };
        self.first_history = model.add_elements(Arc::new(batch)).first_history;
        Ok(())
    }
}

fn body(world: &mut World, name: &str) -> BodyId {
    let inertia = Some(Inertia::diagonal([0.1; 3]));
    world.add_body(BodySpec { mass: Some(2.0), inertia, ..BodySpec::dynamic(name) }).unwrap()
}

#[test]
fn parts_keep_their_memory_when_the_model_is_rebuilt_and_belong_to_checkpoints() {
    let mut world = World::new([0.0; 3]);
    let pushed = body(&mut world, "pushed");
    let part = Push { body: pushed, force: DVec3::X, first_history: 0 };
    world.add_part("push", part).unwrap();
    let counted = |world: &World| {
        let first = world.part::<Push>("push").unwrap().first_history;
        world.state().unwrap().history[first]
    };
    world.run(0.1).unwrap();
    let steps = world.step_count();
    assert_eq!(counted(&world), steps as f64);
    body(&mut world, "another");
    world.run(0.2).unwrap();
    assert_eq!(counted(&world), world.step_count() as f64);
    // v = F t / m, whichever model it was.
    let speed = world.body_velocity(pushed).unwrap()[0];
    assert!((speed - 0.5 * 0.2).abs() < 1e-9, "{speed}");

    let chunks = world.save().unwrap();
    let mut bare = World::new([0.0; 3]);
    body(&mut bare, "pushed");
    body(&mut bare, "another");
    let find = |name: &str| chunks.iter().find(|(own, _)| *own == name).map(|(_, bytes)| bytes.as_slice());
    let error = bare.restore_chunks(find).unwrap_err();
    assert!(error.to_string().contains("'push'"), "{error}");
}

#[test]
fn names_that_are_taken_and_types_that_differ_are_refused() {
    let mut world = World::new([0.0; 3]);
    let id = body(&mut world, "pushed");
    let part = || Push { body: id, force: DVec3::X, first_history: 0 };
    world.add_part("push", part()).unwrap();
    for name in ["push", "pushed", ""] {
        assert!(world.add_part(name, part()).unwrap_err().is_input(), "{name}");
    }
    assert!(world.add_body(BodySpec::dynamic("push")).unwrap_err().to_string().contains("part"));
    assert!(world.part::<Shapes>("push").err().unwrap().to_string().contains("Shapes"));
    assert!(world.part::<Push>("pusch").err().unwrap().to_string().contains("'push'"));
    world.add_user_probe("speed", "m/s", move |world| Ok(world.body_velocity(id)?[0])).unwrap();
    assert!(world.add_user_probe("speed", "m/s", |_| Ok(0.0)).unwrap_err().is_input());
    let spec = ProbeSpec {
        of: Some("pushed".into()),
        quantity: Some("velocity.x".into()),
        name: Some("speed".into()),
        ..ProbeSpec::default()
    };
    let clash = world.add_probe(spec).and_then(|()| world.probe_columns().map(|_| ()));
    assert!(clash.unwrap_err().is_input());
}

#[test]
fn a_part_that_asks_for_a_body_that_is_not_there_is_named() {
    let mut other = World::new([0.0; 3]);
    body(&mut other, "first");
    let second = body(&mut other, "second");
    let mut world = World::new([0.0; 3]);
    body(&mut world, "only");
    world.add_part("push", Push { body: second, force: DVec3::X, first_history: 0 }).unwrap();
    let error = world.step().unwrap_err().to_string();
    assert!(error.contains("part 'push'") && error.contains("body"), "{error}");
}

/// A part with a shape of contact.
struct Shapes;

impl ProxySource for Shapes {
    fn proxies(&self) -> Vec<Proxy> {
        let shape = huygens_geometry::Shape::sphere(0.1).unwrap();
        vec![Proxy { shape, pose: Pose::IDENTITY, frame: 0, material: 0, group: 1, mask: 1, family: 0 }]
    }
    fn proxy_name(&self, _proxy: usize) -> String {
        "part 'shapes'".into()
    }
}

impl Part for Shapes {
    fn place_coordinates(&mut self, _model: &mut Model) -> builder::Result<()> {
        Ok(())
    }
    fn place_batches(&mut self, _model: &mut Model, _places: &Places<'_>) -> builder::Result<()> {
        Ok(())
    }
    fn contact(
        &self,
        _places: &Places<'_>,
        _materials: &MaterialNumbers,
    ) -> builder::Result<Option<PartContact>> {
        Ok(Some(PartContact { source: Arc::new(Shapes), exclusions: Vec::new() }))
    }
}

#[test]
fn shapes_of_a_part_are_refused() {
    let mut world = balls(false, Integrator::Leapfrog, 1);
    world.add_part("shapes", Shapes).unwrap();
    let error = world.step().unwrap_err().to_string();
    assert!(error.contains("shapes of contact"), "{error}");
}

/// A count of steps that pulls a body along x.
#[derive(Clone, Copy, Default)]
struct Count(f64);

impl Block for Count {
    fn write(&self, out: &mut Writer) {
        out.float(self.0);
    }
    fn read(&mut self, input: &mut Reader<'_>) -> huygens_core::Result<()> {
        self.0 = input.float()?;
        Ok(())
    }
    fn copy_from(&mut self, other: &dyn Block) {
        let other: &dyn std::any::Any = other;
        other.downcast_ref().into_iter().for_each(|count: &Count| *self = *count);
    }
    fn duplicate(&self) -> Option<Box<dyn Block>> {
        Some(Box::new(*self))
    }
}

struct Puller(BoundaryPlace, [BoundaryId; 1]);

impl SubSystem for Puller {
    fn kind(&self) -> &'static str {
        "puller"
    }
    fn owner(&self) -> &str {
        "tug"
    }
    fn boundaries(&self) -> &[BoundaryId] {
        &self.1
    }
    fn advance(
        &self,
        _ex: &Exec,
        _call: &Advance<'_>,
        block: &mut dyn Block,
        wrenches: &mut [&mut [Wrench]],
    ) -> huygens_core::Result<Report> {
        let block: &mut dyn std::any::Any = block;
        block.downcast_mut().into_iter().for_each(|count: &mut Count| count.0 += 1.0);
        wrenches[0][self.0.part] += Wrench { force: DVec3::X, ..Wrench::default() };
        Ok(Report { substeps: 1 })
    }
    fn energy(&self, _ex: &Exec, _block: &dyn Block) -> [f64; 3] {
        [0.0; 3]
    }
}

fn add_puller(world: &mut World, body: BodyId) -> Result<(), WorldError> {
    world.add_sub_system(&[body], Count::default(), |places: &[BoundaryPlace]| {
        Puller(places[0], [places[0].boundary])
    })
}

#[test]
fn sub_systems_keep_their_state_when_the_model_is_rebuilt() {
    let mut world = World::new([0.0; 3]);
    let pulled = body(&mut world, "pulled");
    add_puller(&mut world, pulled).unwrap();
    world.run(0.1).unwrap();
    body(&mut world, "another");
    let held = world.remove(Section::Bodies, "pulled").unwrap_err().to_string();
    assert!(held.contains("a sub-system of the program touches it"), "{held}");
    world.run(0.2).unwrap();
    let count = world.state().unwrap().blocks.get::<Count>("puller", "tug").unwrap().0;
    assert_eq!(count, world.step_count() as f64);
    let speed = world.body_velocity(pulled).unwrap()[0];
    assert!((speed - 0.5 * 0.2).abs() < 1e-9, "{speed}");
    // Two of one kind and owner cannot be told apart.
    add_puller(&mut world, pulled).unwrap();
    assert!(world.step().unwrap_err().to_string().contains("puller 'tug'"));
}

#[test]
fn sub_systems_on_fixed_bodies_and_beside_step_control_are_refused() {
    let mut world = World::new([0.0; 3]);
    let fixed = world.add_body(BodySpec::fixed("fixed")).unwrap();
    let error = add_puller(&mut world, fixed).unwrap_err().to_string();
    assert!(error.contains("'fixed'"), "{error}");
    let pulled = body(&mut world, "pulled");
    add_puller(&mut world, pulled).unwrap();
    assert!(world.modes().unwrap_err().to_string().contains("sub-systems"));
    world.settings_mut().step_control = Some(StepControl { tolerance: 1e-6, min_step: 1e-6, max_step: 1e-3 });
    assert!(world.step().unwrap_err().to_string().contains("step control"));
}

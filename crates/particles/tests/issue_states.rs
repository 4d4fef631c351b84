//! Saved states: what they hold, and what they are refused for.

use crate::beds::{DUMBBELL, add_dumbbell, grain, on_floor, settings};
use huygens_exec::Exec;
use huygens_kernel::contact::{CompliantMaterial, CompliantModel, TangentialLaw};
use huygens_kernel::{Quat, Vec3};
use huygens_particles::{GrainSettings, GrainSystem, Wall};

#[test]
fn a_state_with_grains_added_since_the_last_step_can_be_restored() {
    let mut system = on_floor();
    system.run(&Exec::serial(), 2e-5, 50).unwrap();
    system.add(&grain(0.0, 0.0, 0.5, 0.005)).unwrap();
    let saved = system.save();
    system.restore(&saved).unwrap();
    assert!(system.save() == saved);
}

#[test]
fn a_state_whose_clumps_have_left_can_be_restored() {
    let ex = Exec::serial();
    let made = || {
        let mut system = on_floor();
        add_dumbbell(&mut system, Vec3::Z, Vec3::ZERO, Vec3::ZERO);
        add_dumbbell(&mut system, Vec3::Z * 2.0, Vec3::ZERO, Vec3::ZERO);
        system
    };
    for gone in [&[20_u64][..], &[20, 22]] {
        let mut system = made();
        system.run(&ex, 2e-5, 50).unwrap();
        system.remove(&ex, gone).unwrap();
        let saved = system.save();
        // Into itself, and into the scene as it was made.
        let same = system.clone().restore(&saved);
        let mut again = made();
        let made_anew = again.restore(&saved);
        assert!(same.is_ok() && made_anew.is_ok(), "{gone:?}: {same:?} {made_anew:?}");
        assert!(again.save() == saved);
        again.run(&ex, 2e-5, 50).unwrap();
        system.run(&ex, 2e-5, 50).unwrap();
        assert!(again.save() == system.save());
    }
}

#[test]
fn a_state_that_says_its_forces_are_known_must_have_a_list() {
    let mut system = on_floor();
    let mut saved = system.save();
    // Version, rows, walls, time, step, next id, then whether forces are known.
    saved[6 * 8] = 1;
    if system.restore(&saved).is_ok() {
        system.run(&Exec::serial(), 2e-5, 10).unwrap();
    }
}

#[test]
fn gravity_that_was_changed_is_part_of_the_state() {
    let ex = Exec::serial();
    let mut system = on_floor();
    system.set_gravity(Vec3::X * 3.0);
    system.run(&ex, 2e-5, 50).unwrap();
    let mut again = on_floor();
    again.restore(&system.save()).unwrap();
    system.run(&ex, 2e-5, 50).unwrap();
    again.run(&ex, 2e-5, 50).unwrap();
    assert_eq!(system.places(), again.places());
}

#[test]
fn a_state_of_another_model_is_refused_with_the_reason() {
    let saved = on_floor().save();
    let with = |change: fn(&mut GrainSettings)| {
        let mut settings = settings();
        change(&mut settings);
        let mut other = GrainSystem::new(settings).unwrap();
        other.add_wall(Wall::plane("floor", Vec3::ZERO, Vec3::Z)).unwrap();
        other.restore(&saved).err().map_or(String::new(), |e| e.to_string())
    };
    // Other numbers are a new start from an old bed.
    assert_eq!(with(|settings| settings.materials[0].friction = 0.9), "");
    let told = with(|settings| settings.model.tangential = TangentialLaw::Mindlin);
    assert!(told.contains("the law of friction is History, here Mindlin"), "{told}");
    let told = with(|settings| settings.materials.push(CompliantMaterial::default()));
    assert!(told.contains("the number of materials is 1, here 2"), "{told}");
    let told = with(|settings| settings.periodic[0] = Some([0.0, 1.0]));
    assert!(told.contains("the periodic box"), "{told}");
    let mut other = GrainSystem::new(settings()).unwrap();
    other.add_wall(Wall::container("floor", Vec3::ZERO, Vec3::ONE)).unwrap();
    let told = other.restore(&saved).unwrap_err().to_string();
    assert!(told.contains("the surface of wall 'floor' is a plane, here a box"), "{told}");
}

#[test]
fn laws_change_under_grains_that_lie_still() {
    let ex = Exec::serial();
    // Held on a slope by what friction remembers.
    let made = || {
        let gravity = Vec3::new(1.0, 0.0, -9.81);
        let mut system = GrainSystem::new(GrainSettings { gravity, ..settings() }).unwrap();
        let shape = system.add_clump_shape(&DUMBBELL, 2500.0, 0).unwrap();
        let across = Quat::from_rotation_z(0.0);
        system.add_clump(shape, Vec3::Z * 0.005, across, Vec3::ZERO, Vec3::ZERO).unwrap();
        system.add_wall(Wall::plane("floor", Vec3::ZERO, Vec3::Z)).unwrap();
        system.run(&ex, 2e-5, 20_000).unwrap();
        system
    };
    let rest = made();
    assert!(rest.kinetic_energy() < 1e-14, "{}", rest.kinetic_energy());
    let moved = |model: CompliantModel| {
        let mut system = rest.clone();
        let GrainSettings { materials, pairs, .. } = settings();
        system.change_laws(model, materials, pairs).unwrap();
        system.run(&ex, 2e-5, 20_000).unwrap();
        assert_eq!(system.ids().len(), 2);
        system.clumps()[0].position.distance(rest.clumps()[0].position)
    };
    // The same laws with other numbers go on; another kind has to find its springs, and slips a little.
    let model = CompliantModel { slow_impact: 1e-2, ..CompliantModel::default() };
    let kept = moved(model);
    let lost = moved(CompliantModel { tangential: TangentialLaw::Mindlin, ..model });
    assert!(kept < 1e-10 && lost > 10.0 * kept && lost < 1e-4, "{kept} {lost}");
    let mut system = rest.clone();
    assert!(system.change_laws(model, Vec::new(), Vec::new()).is_err());
    assert!(system.save() == rest.save());
}

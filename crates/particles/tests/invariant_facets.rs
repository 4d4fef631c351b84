//! Sheets that deform: what grains lose their vertices get, bits do not know threads, cuts or restarts, and contacts
//! do not know how the tree of facets was made.

use std::sync::Arc;

use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_kernel::contact::*;
use huygens_particles::{FacetTopology, Facets, Grain, GrainSettings, GrainSystem, Row, Wall};

const CELLS: u32 = 24;
const SIDE: f64 = 0.5;
const STEP: f64 = 2e-5;

fn topology() -> Arc<FacetTopology> {
    let row = CELLS + 1;
    let cells = (0..CELLS * CELLS).map(|k| k % CELLS + k / CELLS * row);
    let faces: Vec<[u32; 4]> = cells.map(|k| [k, k + 1, k + 1 + row, k + row]).collect();
    Arc::new(FacetTopology::new((row * row) as usize, &faces).unwrap())
}

/// A sheet that waves, stretches and twists; at `phase` 0 it is flat.
fn waving(phase: f64, lift: f64) -> Vec<Vec3> {
    let row = CELLS + 1;
    let at = |k: u32| f64::from(k) / f64::from(CELLS) - 0.5;
    let place = |k: u32| {
        let (x, y) = (at(k % row), at(k / row));
        let wave = 0.05 * phase.sin() * (7.0 * x + 2.0 * y).sin();
        let (stretch, turn) = (1.0 + 0.1 * phase.sin(), 0.3 * phase.sin() * x);
        Vec3::new(SIDE * x * stretch, SIDE * (y + 0.1 * turn), lift + SIDE * turn * y + wave)
    };
    (0..row * row).map(place).collect()
}

fn settings(gravity: Vec3) -> GrainSettings {
    let material = CompliantMaterial {
        young: 1e6,
        friction: 0.4,
        rolling_friction: 1e-3,
        spinning_friction: 1e-3,
        ..CompliantMaterial::default()
    };
    GrainSettings { materials: vec![material], gravity, ..GrainSettings::default() }
}

/// Grains between two sheets, one of which is thick, and some below both.
fn tray(gravity: Vec3) -> GrainSystem {
    let mut system = GrainSystem::new(settings(gravity)).unwrap();
    for k in 0..2600_u32 {
        let [i, j, l] = [k % 22, k / 22 % 22, k / 484].map(f64::from);
        let radius = 0.006 + 0.003 * f64::from(k * 7 % 5) / 5.0;
        let below = if k % 484 % 9 == 0 && l == 0.0 { -0.08 } else { 0.0 };
        let position = Vec3::new(-0.22 + 0.021 * i, -0.22 + 0.021 * j, 0.015 + 0.021 * l + below);
        let velocity = Vec3::new(f64::from(k * 13 % 7) - 3.0, f64::from(k * 5 % 3) - 1.0, 0.5 - below * 20.0);
        system.add(&Grain { position, radius, velocity: 0.4 * velocity, ..Grain::default() }).unwrap();
    }
    let topology = topology();
    let facets = Facets::new(topology.clone(), waving(0.0, 0.0)).unwrap();
    system.add_wall(Wall::facets("lower", facets)).unwrap();
    let facets = Facets::new(topology, waving(0.0, 0.16)).unwrap().with_thickness(0.01).unwrap();
    let masses = (0..(CELLS + 1) * (CELLS + 1)).map(|k| 10.0 + f64::from(k % 7)).collect();
    system.add_wall(Wall::facets("upper", facets.with_inverse_masses(masses).unwrap())).unwrap();
    system.add_wall(Wall::container("box", Vec3::splat(-0.4), Vec3::splat(0.4))).unwrap();
    system
}

/// Phase of the sheets at an outer step of twenty steps.
fn phase(outer: u64) -> f64 {
    0.005 * outer as f64
}

/// Sets how the sheets move in an outer step.
fn set(system: &mut GrainSystem, outer: u64) {
    for (wall, lift) in [0.0, 0.16].into_iter().enumerate() {
        let ends = [phase(outer), phase(outer + 1)].map(|phase| waving(phase, lift));
        system.set_facet_motion(wall, &ends[0], &ends[1], 20.0 * STEP).unwrap();
    }
}

fn bits(system: &GrainSystem) -> Vec<(u64, [u64; 12])> {
    let rows = system.places().iter().zip(system.motions()).zip(system.spins());
    let numbers = rows.map(|((a, b), c)| std::array::from_fn(|k| [a, b, c][k / 4].0[k % 4].to_bits()));
    system.ids().iter().copied().zip(numbers).collect()
}

fn impulses(system: &mut GrainSystem) -> Vec<Vec3> {
    let mut all = Vec::new();
    for wall in 0..2 {
        let mut own = vec![Vec3::ZERO; ((CELLS + 1) * (CELLS + 1)) as usize];
        system.take_vertex_impulses(wall, &mut own).unwrap();
        all.extend(own);
    }
    all
}

/// Strong enough to keep grains on the lower sheet.
const DOWN: Vec3 = Vec3::new(0.0, 0.0, -100.0);

#[test]
fn bits_do_not_know_threads_or_cuts() {
    let run = |ex: &Exec, cut: u64| {
        let mut system = tray(DOWN);
        for outer in 0..100 {
            set(&mut system, outer);
            system.run(ex, STEP, cut).unwrap();
            system.run(ex, STEP, 20 - cut).unwrap();
        }
        let counts = [system.wall_contact_count(), system.contact_count()];
        assert!(counts[0] > 100 && counts[1] > 500, "{counts:?}");
        (bits(&system), impulses(&mut system), [0, 1].map(|wall| system.wall_work(wall).to_bits()))
    };
    let alone = run(&Exec::serial(), 20);
    assert!(alone.1.iter().filter(|impulse| impulse.length() > 0.0).count() > 200);
    for (threads, cut) in [(2, 20), (3, 7)] {
        assert!(run(&Exec::with_threads(threads).unwrap(), cut) == alone, "{threads} threads");
    }
}

#[test]
fn a_restart_and_a_copy_go_on() {
    let ex = Exec::serial();
    let mut whole = tray(DOWN);
    for outer in 0..60 {
        set(&mut whole, outer);
        whole.run(&ex, STEP, 20).unwrap();
    }
    // In the middle of an outer step.
    set(&mut whole, 60);
    whole.run(&ex, STEP, 7).unwrap();
    let saved = whole.save();
    let mut restarted = tray(DOWN);
    restarted.restore(&saved).unwrap();
    assert!(restarted.save() == saved);
    let mut copy = whole.clone();
    for system in [&mut whole, &mut restarted, &mut copy] {
        system.run(&ex, STEP, 13).unwrap();
        for outer in 61..90 {
            set(system, outer);
            system.run(&ex, STEP, 20).unwrap();
        }
    }
    assert!(whole.wall_contact_count() > 100, "{}", whole.wall_contact_count());
    assert!(whole.save() == restarted.save() && whole.save() == copy.save());
    assert_eq!(impulses(&mut whole), impulses(&mut restarted));
    // Bytes that lie are refused or taken, and never panic.
    for at in (0..saved.len() - 8).step_by(9973) {
        let mut bad = saved.clone();
        bad[at..at + 8].fill(0xff);
        let _ = tray(DOWN).restore(&bad);
    }
}

#[test]
fn momentum_that_grains_lose_is_what_vertices_get() {
    let ex = Exec::serial();
    let mut system = tray(Vec3::ZERO);
    let size = |v: Vec3| -> f64 { v.abs().element_sum() };
    let momentum = |system: &GrainSystem| -> [Vec3; 2] {
        let mut sum = [Vec3::ZERO; 2];
        for ((place, motion), spin) in system.places().iter().zip(system.motions()).zip(system.spins()) {
            let push = motion.vector() / motion.0[3];
            sum[0] += push;
            sum[1] += place.vector().cross(push) + spin.vector() / spin.0[3];
        }
        sum
    };
    // Force and moment about the origin on the vertices where they are, and on the box.
    let loads = |system: &GrainSystem| -> [Vec3; 2] {
        let [mut force, mut moment] = system.wall_wrench(2);
        for (wall, at) in system.walls().iter().enumerate().take(2) {
            let mut own = vec![Vec3::ZERO; ((CELLS + 1) * (CELLS + 1)) as usize];
            system.add_vertex_forces(wall, &mut own).unwrap();
            let facets = at.as_facets().unwrap();
            let sum: Vec3 = own.iter().sum();
            let about: Vec3 = facets.vertices().zip(&own).map(|(x, f)| x.cross(*f)).sum();
            let [whole, torque] = system.wall_wrench(wall);
            let scale: f64 = own.iter().map(|f| size(*f)).sum();
            assert!(size(sum - whole) <= 1e-12 * scale && size(about - torque) <= 1e-12 * scale);
            force += sum;
            moment += about;
        }
        [force, moment]
    };
    set(&mut system, 0);
    system.update_forces(&ex, STEP);
    let scale: f64 = system.motions().iter().map(|row| size(row.vector()) / row.0[3]).sum();
    let before = momentum(&system);
    let mut given = [Vec3::ZERO; 2];
    for outer in 0..60 {
        set(&mut system, outer);
        for _ in 0..20 {
            for half in 0..2 {
                let [force, moment] = loads(&system);
                given[0] += force * (0.5 * STEP);
                given[1] += moment * (0.5 * STEP);
                if half == 0 {
                    system.run(&ex, STEP, 1).unwrap();
                }
            }
        }
    }
    let after = momentum(&system);
    assert!(size(given[0]) > 1e-3 * scale && size(given[1]) > 1e-4 * scale, "{given:?}");
    assert!(size(after[0] - before[0] + given[0]) < 1e-12 * scale);
    assert!(size(after[1] - before[1] + given[1]) < 1e-12 * scale, "{}", after[1] - before[1] + given[1]);
    // The sum of what is taken by vertices is what is taken by walls, and both are what was given.
    let [mut whole, mut turning] = [Vec3::ZERO; 2];
    for wall in 0..3 {
        let [push, turn] = system.take_wall_impulse(wall);
        (whole, turning) = (whole + push, turning + turn);
        if wall == 2 {
            let vertices: Vec3 = impulses(&mut system).iter().sum();
            assert!(size(vertices + push - given[0]) < 1e-12 * scale);
        }
    }
    assert!(size(whole - given[0]) < 1e-12 * scale && size(turning - given[1]) < 1e-12 * scale);
    assert!(impulses(&mut system).iter().all(|impulse| *impulse == Vec3::ZERO));
}

/// Contacts by grain, with normals and depths as bits.
fn contacts(system: &GrainSystem, name: impl Fn(u64) -> [u64; 3]) -> Vec<([u64; 3], usize, [u64; 4])> {
    let of = |contact: huygens_particles::WallContact| {
        let [x, y, z] = contact.normal.to_array();
        (name(contact.grain), contact.wall, [x, y, z, contact.depth].map(f64::to_bits))
    };
    let mut all: Vec<_> = system.wall_contacts().map(of).collect();
    all.sort_unstable();
    all
}

#[test]
fn contacts_do_not_know_how_the_tree_was_made() {
    // A flat sheet is rolled up round the grains: boxes of the first tree end all over each other.
    let ex = Exec::serial();
    let row = CELLS + 1;
    let rolled = |share: f64| -> Vec<Vec3> {
        let place = |k: u32| {
            let (x, y) =
                (f64::from(k % row) / f64::from(CELLS) - 0.5, f64::from(k / row) / f64::from(CELLS) - 0.5);
            let angle = (6.2 * share).max(1e-9);
            let radius = 0.9 / angle;
            Vec3::new(radius * (angle * x).sin(), 0.6 * y, radius * (1.0 - (angle * x).cos()))
        };
        (0..row * row).map(place).collect()
    };
    let mut system = GrainSystem::new(settings(DOWN)).unwrap();
    for k in 0..1200_u32 {
        let [i, j, l] = [k % 10, k / 10 % 12, k / 120].map(f64::from);
        let position = Vec3::new(-0.1 + 0.021 * i, -0.12 + 0.021 * j, 0.011 + 0.021 * l);
        system.add(&Grain { position, radius: 0.01, ..Grain::default() }).unwrap();
    }
    system.add_wall(Wall::facets("sheet", Facets::new(topology(), rolled(0.0)).unwrap())).unwrap();
    let place = |row: &Row| row.vector().to_array().map(f64::to_bits);
    for outer in 0..50 {
        let ends = [0.02 * f64::from(outer), 0.02 * f64::from(outer + 1)].map(rolled);
        system.set_facet_motion(0, &ends[0], &ends[1], 100.0 * STEP).unwrap();
        system.run(&ex, STEP, 100).unwrap();
        let mut fresh = GrainSystem::new(settings(DOWN)).unwrap();
        for row in system.places() {
            let grain = Grain { position: row.vector(), radius: row.0[3], ..Grain::default() };
            fresh.add(&grain).unwrap();
        }
        let vertices = system.walls()[0].as_facets().unwrap().vertices().collect();
        fresh.add_wall(Wall::facets("sheet", Facets::new(topology(), vertices).unwrap())).unwrap();
        // Forces of a run are those of positions before they were moved on; both are asked where grains are now.
        let mut now = system.clone();
        for system in [&mut now, &mut fresh] {
            system.update_forces(&ex, STEP);
        }
        let name = |system: &GrainSystem| {
            let mut names: Vec<_> =
                system.ids().iter().copied().zip(system.places().iter().map(place)).collect();
            names.sort_unstable();
            move |id: u64| names[id as usize].1
        };
        assert!(contacts(&now, name(&now)) == contacts(&fresh, name(&fresh)), "{outer}");
    }
    assert!(system.wall_contact_count() > 100, "{}", system.wall_contact_count());
}

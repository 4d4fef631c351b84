//! What is asked from the allocator once warm.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_kernel::contact::CompliantMaterial;
use huygens_particles::{Grain, GrainSettings, GrainSystem, Wall};

struct Counting;
static COUNT: AtomicU64 = AtomicU64::new(0);

#[allow(unsafe_code)]
// SAFETY: hands everything on to the system.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A block of grains that slides as a whole over a floor: the list is made anew again and again, with as many pairs.
#[test]
fn steps_and_new_lists_allocate_nothing_once_warm() {
    let material = CompliantMaterial { friction: 0.0, ..CompliantMaterial::default() };
    let gravity = Vec3::ZERO;
    let settings = GrainSettings { materials: vec![material], gravity, ..GrainSettings::default() };
    let mut system = GrainSystem::new(settings).unwrap();
    for k in 0..5000 {
        let (x, y, z) = (k % 20, k / 20 % 20, k / 400);
        let position = Vec3::new(f64::from(x), f64::from(y), f64::from(z) + 0.5) * 0.00202;
        system.add(&Grain { position, velocity: Vec3::new(0.2, 0.1, 0.0), ..Grain::default() }).unwrap();
    }
    system.add_wall(Wall::plane("floor", Vec3::ZERO, Vec3::Z)).unwrap();
    let ex = Exec::serial();
    system.run(&ex, 1e-5, 2000).unwrap();
    let (builds, before) = (system.list_report().builds, COUNT.load(Ordering::Relaxed));
    system.run(&ex, 1e-5, 1000).unwrap();
    let (builds, asked) = (system.list_report().builds - builds, COUNT.load(Ordering::Relaxed) - before);
    assert!(builds > 5, "{builds} new lists");
    assert_eq!(asked, 0, "{asked} allocations in 1000 steps with {builds} new lists");
}

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

#[test]
#[ignore = "open: every new list allocates; steps between lists do not"]
fn steps_allocate_nothing_once_warm() {
    let material = CompliantMaterial { young: 1e5, friction: 0.4, ..CompliantMaterial::default() };
    let mut system =
        GrainSystem::new(GrainSettings { materials: vec![material], ..GrainSettings::default() }).unwrap();
    for k in 0..3000 {
        let (x, y, z) = (k % 12, k / 12 % 12, k / 144);
        let position = Vec3::new(f64::from(x), f64::from(y), f64::from(z) + 0.6) * 0.0022;
        let velocity = Vec3::new(0.2 * f64::from(k % 7), -0.1 * f64::from(k % 5), 0.0);
        system.add(&Grain { position, velocity, ..Grain::default() }).unwrap();
    }
    let low = Vec3::new(-0.002, -0.002, 0.0);
    system.add_wall(Wall::container("box", low, Vec3::new(0.027, 0.027, 0.2))).unwrap();
    let ex = Exec::serial();
    system.run(&ex, 1e-5, 4000).unwrap();
    let (builds, before) = (system.list_report().builds, COUNT.load(Ordering::Relaxed));
    system.run(&ex, 1e-5, 1000).unwrap();
    let (builds, asked) = (system.list_report().builds - builds, COUNT.load(Ordering::Relaxed) - before);
    assert_eq!(asked, 0, "{asked} allocations in 1000 steps with {builds} new lists");
}

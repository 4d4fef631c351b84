//! A warm step allocates nothing.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use common::*;
use glam::{DQuat, DVec3};
use huygens_core::integrator::{Integrator, StepControl, StepperSettings};
use huygens_multibody::*;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call is passed on to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `alloc` above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A chain of links with a spring, a damper in the first joint and a rigid limit where asked.
fn chain(constrained: bool, limit: bool) -> Mechanism {
    let mut assembly = Assembly::new(DOWN);
    let mut previous = None;
    for k in 0..8 {
        let position = DVec3::new(0.25 + 0.5 * k as f64, 0.0, 0.0);
        let body = assembly.add_body(rod(&format!("{k}"), 1.0, 0.5, position, DQuat::IDENTITY)).unwrap();
        if constrained {
            let point = DVec3::X * 0.5 * k as f64;
            let bodies = [previous, Some(body)];
            let id = joint_at(&mut assembly, &format!("{k}"), JointKind::Revolute, bodies, point, DVec3::Y);
            if limit {
                let limit = Limit {
                    coordinate: 0,
                    lower: Some(-0.1),
                    upper: Some(0.1),
                    stiffness: None,
                    damping: 0.0,
                    restitution: 0.0,
                };
                assembly.joint_mut(id).unwrap().limits.push(limit);
            }
        }
        previous = Some(body);
    }
    let spring = Spring {
        name: "spring".into(),
        a: Attachment::ground(DVec3::Z * 2.0, DQuat::IDENTITY),
        b: Attachment::origin(previous.unwrap()),
        law: ScalarLaw::Spring { stiffness: 20.0, damping: 0.5, rest: 1.0, actuator: None },
    };
    assembly.add_spring(spring).unwrap();
    build(&assembly)
}

fn check(what: &str, mechanism: &Mechanism, settings: StepperSettings) {
    let mut stepper = stepper(&mechanism.model, settings);
    let mut state = start(&mut stepper);
    for _ in 0..200 {
        stepper.step(&mut state, 1e-3).unwrap();
    }
    let before = ALLOCATIONS.get();
    for _ in 0..200 {
        stepper.step(&mut state, 1e-3).unwrap();
    }
    assert_eq!(ALLOCATIONS.get() - before, 0, "{what}");
}

#[test]
fn a_warm_step_allocates_nothing() {
    let with = |integrator| StepperSettings { integrator, ..StepperSettings::default() };
    check("generalized-α", &chain(true, false), with(Integrator::default()));
    check("HHT", &chain(true, false), with(Integrator::Hht { alpha: -0.1 }));
    let control = Some(StepControl { tolerance: 1e-6, min_step: 1e-6, max_step: 0.01 });
    check("step control", &chain(true, false), StepperSettings { control, ..with(Integrator::default()) });
    check("Euler", &chain(true, false), with(Integrator::Euler));
    check("projected Euler", &chain(true, false), with(Integrator::EulerProjected));
    check("Euler with limits", &chain(true, true), with(Integrator::Euler));
    check("RK4", &chain(false, false), with(Integrator::Rk4));
    check("leapfrog", &chain(false, false), with(Integrator::Leapfrog));
}

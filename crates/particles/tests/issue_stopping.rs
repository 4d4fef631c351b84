//! Steps are bounded, fills are counted before they are made, and all of it can be stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use huygens_exec::{Exec, Stop, Stopped};
use huygens_kernel::Vec3;
use huygens_particles::fill::{Fill, Pattern, Region, Sizes};
use huygens_particles::{GrainSettings, GrainSystem, MOST_GRAIN_STEPS, ParticleError, grain_steps};

fn heap(side: f64) -> Fill {
    let region = Region::Box { low: Vec3::ZERO, high: Vec3::splat(side) };
    Fill::new(region, Pattern::Cubic { spacing: 0.011, jitter: 0.0 }, Sizes::constant(0.005))
}

fn system() -> GrainSystem {
    let mut system = GrainSystem::new(GrainSettings::default()).unwrap();
    heap(0.1).make(&Exec::serial()).unwrap().grains.iter().for_each(|g| {
        system.add(g).unwrap();
    });
    system
}

#[test]
fn steps_are_counted_before_they_are_taken() {
    assert_eq!(grain_steps(1e-3, 1e-4), Ok(10));
    assert_eq!(grain_steps(1e-3, 1.0), Ok(1));
    assert_eq!(grain_steps(1.0, 1.0 / MOST_GRAIN_STEPS), Ok(100_000));
    for step in [0.9e-5, 1e-50, 0.0, f64::NAN] {
        let refused = grain_steps(1.0, step).unwrap_err();
        assert!(matches!(refused, ParticleError::GrainSteps { .. }), "{refused}");
    }
}

#[test]
fn a_wish_to_stop_is_heard_between_two_steps_and_changes_no_others() {
    let flag = Arc::new(AtomicBool::new(false));
    let ex = Exec::serial().with_stop(Stop::when(flag.clone()));
    let (mut plain, mut listening) = (system(), system());
    plain.run(&Exec::serial(), 1e-5, 50).unwrap();
    listening.run(&ex, 1e-5, 50).unwrap();
    assert!(plain.places().iter().zip(listening.places()).all(|(a, b)| a.0 == b.0));
    let set = flag.clone();
    let alarm = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        set.store(true, Ordering::Relaxed);
    });
    let clock = Instant::now();
    assert_eq!(listening.run(&ex, 1e-5, 1_000_000_000), Err(ParticleError::Stopped(Stopped)));
    assert!(clock.elapsed() < Duration::from_secs(20));
    alarm.join().unwrap();
}

#[test]
fn fills_are_counted_and_can_be_stopped() {
    let stopped = Exec::serial().with_stop(Stop::when(Arc::new(AtomicBool::new(true))));
    let patterns = [
        Pattern::Cubic { spacing: 0.011, jitter: 0.0 },
        Pattern::Hexagonal { spacing: 0.011 },
        Pattern::Poisson { gap: 0.0 },
        Pattern::Random { solid_fraction: 0.3 },
    ];
    for pattern in patterns {
        let fill = Fill { pattern, ..heap(0.2) };
        assert_eq!(fill.make(&stopped).unwrap_err(), ParticleError::Stopped(Stopped));
        let made = fill.make(&Exec::serial()).unwrap().grains.len();
        fill.check_count(None, made).unwrap();
        let (about, made) = (fill.estimate().unwrap(), made as f64);
        assert!(about > 0.8 * made && about < 1.8 * made, "{pattern:?}: {about} for {made}");
        let refused = fill.check_count(None, (0.5 * made) as usize).unwrap_err();
        assert!(matches!(refused, ParticleError::FillTooMany { .. }), "{refused}");
    }
}

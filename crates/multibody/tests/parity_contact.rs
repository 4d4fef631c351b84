//! Equal bits in the middle of dense contact: on one thread and on two, and after a restart.

use huygens_core::State;
use huygens_exec::Exec;

use crate::invariant_contact_scene::*;

const BODIES: usize = 150;
const STEPS: usize = 30;

fn crowd(method: (huygens_core::contact::ContactLaw, huygens_core::contact::ConeMethod)) -> Scene {
    heap(&Change::NONE, method, BODIES, 1e-6)
}

#[test]
fn two_threads_give_the_bits_of_one() {
    for method in METHODS {
        let scene = crowd(method);
        let one = scene.after(Exec::serial(), STEPS);
        let two = scene.after(Exec::with_threads(2).unwrap(), STEPS);
        assert!(one.stepper.contacts().len() > BODIES / 3, "{method:?}: {}", one.stepper.contacts().len());
        assert!(one.state == two.state, "{method:?}: the number of threads changes the result");
    }
}

#[test]
fn a_restart_gives_the_bits_of_the_uninterrupted_run() {
    for (method, weightless) in METHODS.into_iter().flat_map(|m| [(m, false), (m, true)]) {
        let mut scene = crowd(method);
        if weightless {
            // Tolerance and bounce threshold then follow from the velocities.
            scene.assembly.gravity = glam::DVec3::ZERO;
            scene.assembly.collision.settings.rigid.tolerance = None;
        }
        let whole = scene.after(Exec::serial(), STEPS);
        let half = scene.after(Exec::serial(), STEPS / 2);
        assert!(!half.state.contacts.is_empty());
        let chunks = half.state.to_chunks().unwrap();
        let find = |name: &str| chunks.iter().find(|(n, _)| *n == name).map(|(_, b)| b.as_slice());
        let mut rest = scene.start(Exec::serial());
        rest.state = State::new(&rest.mechanism.model).restored(&rest.mechanism.model, find).unwrap();
        assert!(rest.state == half.state, "{method:?}: the state does not survive being written");
        rest.advance(STEPS - STEPS / 2);
        assert!(rest.state == whole.state, "{method:?}: a restart changes the result");
    }
}

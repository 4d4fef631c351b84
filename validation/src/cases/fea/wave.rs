//! A push on one end of a free steel bar runs along it with the speed of sound.

use huygens::prelude::*;

use crate::Context;
use crate::error::{CaseError, Result};
use crate::report::Check;

const YOUNG: f64 = 2.1e11;
const DENSITY: f64 = 7850.0;
const SIDE: f64 = 0.01;
const PUSH: f64 = 1000.0;
const PIECES: usize = 400;

pub fn run(_: &Context) -> Result<Vec<Check>> {
    let speed = (YOUNG / DENSITY).sqrt();
    let plateau = PUSH / (SIDE * SIDE * DENSITY * speed);
    let h = 0.5 / PIECES as f64 / speed;
    let mut world = World::new([0.0; 3]);
    world.settings_mut().dt = h;
    world.settings_mut().integrator = Some(Integrator::Hht { alpha: -0.1 });
    let bar = world.add_structure(StructureSpec {
        section: Some(SectionSpec::rectangle(SIDE, SIDE)),
        material: Some(ElasticSpec::new(YOUNG, 0.3, DENSITY)),
        // A line of bars has no stiffness across.
        fixed: vec![FixedSpec { nodes: "all".into(), hold: vec![NodeColumn::Y, NodeColumn::Z] }],
        loads: vec![StructureLoadSpec::force("start", [PUSH, 0.0, 0.0])],
        ..StructureSpec::beam("bar", ElementType::Bar, [0.0; 3], [1.0, 0.0, 0.0], PIECES)
    })?;
    let (mut arrival, mut before) = (None, 0.0);
    let (mut middle, mut end) = (Vec::new(), Vec::new());
    while world.time() < 1.8 / speed {
        world.step()?;
        let time = world.time();
        let nodes = world.node_motions(bar)?;
        let now = nodes[PIECES].velocity.x;
        // Half of the doubled speed.
        if arrival.is_none() && now > plateau {
            arrival = Some(time - h * (now - plateau) / (now - before));
        }
        before = now;
        if time > 0.7 / speed && time < 1.3 / speed {
            middle.push(nodes[PIECES / 2].velocity.x);
        }
        if time > 1.2 / speed {
            end.push(now);
        }
    }
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let missing = || CaseError::NoEvent { what: "the front at the far end".into(), time: 1.8 / speed };
    let found = 1.0 / arrival.ok_or_else(missing)?;
    Ok(vec![
        Check::value("speed of the front [m/s]", 5172.194, found, 5e-3 * 5172.194),
        Check::value("particle speed behind the front [m/s]", plateau, mean(&middle), 0.03 * plateau),
        Check::value("at the far end [m/s]", 2.0 * plateau, mean(&end), 0.06 * plateau),
    ])
}

//! Four cables hinged at the origin swing with an initial spin: a series of Project Chrono.
//!
//! The nodes of the series start with velocities but slopes at rest, which no rigid motion of a structure gives; so the
//! model is put together by hand.

use std::f64::consts::PI;
use std::sync::Arc;

use glam::DVec3;
use huygens_core::integrator::{Integrator, Stepper, StepperSettings};
use huygens_core::{Model, State, Subject};
use huygens_exec::Exec;
use huygens_fea::element::batch::{ElementItem, NodePlace};
use huygens_fea::element::cable::Cable;
use huygens_fea::element::cable_batch::Cables;
use huygens_fea::node::{ItemName, VectorNode, VectorNodes};
use huygens_fea::section::material::Damping;
use huygens_kernel::cable::StrainMeasure;

use crate::Context;
use crate::error::Result;
use crate::figure::Comparison;
use crate::report::Check;

const PIECES: usize = 4;
const STEP: f64 = 1e-4;
/// The first rows of the series, where gravity alone acts on the slope, are those of 9.8 m/s².
const GRAVITY: f64 = 9.8;
/// Spin at the start [rad/s].
const SPIN: f64 = 4.0;
const COLUMNS: [&str; 6] = ["slope1_x", "slope1_y", "slope1_z", "mid_y", "tip_x", "tip_z"];

/// Half a unit of the last of six digits, as the series has them.
fn half_digit(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { 0.5 * 10.0_f64.powi(x.abs().log10().floor() as i32 - 5) }
}

fn model() -> Model {
    let (radius, young, density) = (5.0 * (1e-6 / PI).sqrt(), 1e9 / 625.0, 8000.0 / 25.0);
    let area = PI * radius * radius;
    let cable = Cable {
        length: 1.0 / PIECES as f64,
        stretch: young * area,
        bending: young * area * radius * radius / 4.0,
        density: density * area,
        measure: StrainMeasure::Green,
    };
    let name = |number: usize| ItemName { of: Arc::new(Subject::from("cable")), number: number as u64 };
    let mut nodes = VectorNodes::new(2);
    for k in 0..=PIECES {
        let x = cable.length * k as f64;
        let mut node = VectorNode {
            name: name(k),
            vectors: [DVec3::ZERO; 4],
            rates: [DVec3::ZERO; 4],
            mass: 0.0,
            frame: false,
        };
        node.vectors[..2].copy_from_slice(&[DVec3::X * x, DVec3::X]);
        node.rates[0] = DVec3::NEG_Z * (SPIN * x);
        nodes.push(node);
    }
    let mut model = Model::new(DVec3::NEG_Y * GRAVITY);
    let at = model.add_coordinates(Box::new(nodes));
    let place = |k: usize| NodePlace {
        block: at.first_block + k as u32,
        q: at.first_q + 6 * k,
        v: at.first_v + 6 * k,
        columns: 6,
    };
    let items = (0..PIECES).map(|k| ElementItem {
        element: cable,
        nodes: vec![place(k), place(k + 1)],
        damping: Damping::default(),
        name: name(k),
    });
    model.add_elements(Arc::new(Cables::new(items)));
    model.fix_columns(0..3);
    model
}

pub fn run(context: &Context) -> Result<Vec<Check>> {
    let table = context.reference.table("fea/chrono_timeseries/ancf_cable_swing.csv")?;
    let time = table.time()?;
    let series: Vec<&[f64]> = COLUMNS.iter().map(|name| table.column(name)).collect::<Result<_>>()?;
    let model = Arc::new(model());
    let mut state = State::new(&model);
    let settings = StepperSettings { integrator: Integrator::Euler, ..StepperSettings::default() };
    let mut stepper = Stepper::new(model, Exec::serial(), settings)?;
    let mut got = vec![Vec::new(); COLUMNS.len()];
    for t in time {
        while state.time < t - 0.5 * STEP {
            stepper.step(&mut state, STEP)?;
        }
        let q = &state.q;
        let row = [q[3], q[4], q[5], q[6 * PIECES / 2 + 1], q[6 * PIECES], q[6 * PIECES + 2]];
        got.iter_mut().zip(row).for_each(|(column, x)| column.push(x));
    }
    let shown = Comparison::sampled("tip x [m]", time, &got[4], series[4]);
    context.figures.compare("fea_cable_swing", "time [s]", &[shown])?;
    let worst = |until: f64| {
        let off = |(got, table): (&Vec<f64>, &&[f64])| {
            let pairs = got.iter().zip(*table).zip(time).filter(|(_, t)| **t < until);
            pairs.map(|((a, b), _)| ((a - b).abs() - half_digit(*b)).max(0.0)).fold(0.0, f64::max)
        };
        got.iter().zip(&series).map(off).fold(0.0, f64::max)
    };
    let end = time[time.len() - 1];
    Ok(vec![
        Check::error("six columns beyond their digits, first 200 steps [m]", worst(0.02 + 0.5 * STEP), 1e-6),
        Check::error(
            format!("six columns beyond their digits, until {end} s [m]"),
            worst(f64::INFINITY),
            1e-5,
        ),
    ])
}

//! Elements in motion against closed forms: waves, frequencies, the beam that is spun up.

use std::f64::consts::TAU;
use std::sync::Arc;

use crate::motion::{chain, frame_nodes, name, place, stepper, vector_nodes};
use huygens_core::analysis::linearize;
use huygens_core::contract::{ConstraintBatch, Layout, RowRequest, Slots, StateView};
use huygens_core::function::Function;
use huygens_core::integrator::Integrator;
use huygens_core::{CoordinatesPlace, Model, State, System};
use huygens_exec::Exec;
use huygens_fea::element::bar::Bar;
use huygens_fea::element::beam_corotational::BeamCorotational;
use huygens_fea::element::cable::Cable;
use huygens_fea::element::frame::{Mount, RodNode};
use huygens_fea::element::rod::Rod;
use huygens_fea::element::rod_quadratic::RodQuadratic;
use huygens_fea::load::{NodeAxes, NodeLoad, NodeLoads};
use huygens_fea::section::material::{Damping, Elastic};
use huygens_fea::section::{Section, SectionPlace, SectionValues};
use huygens_kernel::cable::StrainMeasure;
use huygens_kernel::{Mat3, Vec3};

const STEEL: Elastic = Elastic { young: 2.1e11, poisson: 0.3, density: 7850.0 };

/// A free bar, pushed at one end from rest: the front comes to the other end after L/c, and the speed doubles there.
#[test]
fn a_wave_runs_along_a_bar() {
    let (area, count, push) = (1e-4, 400, 1000.0);
    let length = 1.0 / count as f64;
    let bar =
        Bar { length, stretch: STEEL.young * area, damping: 0.0, density: STEEL.density * area, rope: false };
    let nodes: Vec<_> = (0..=count).map(|k| ([Vec3::X * (length * k as f64)], [Vec3::ZERO])).collect();
    let mut model = Model::new(Vec3::ZERO);
    let at = model.add_coordinates(Box::new(vector_nodes(&nodes)));
    model.add_elements(chain(&at, &vec![bar; count], 3, Damping::default()));
    model.add_elements(Arc::new(NodeLoads::new([NodeLoad {
        node: place(&at, 0, 3, 3),
        axes: NodeAxes::Point,
        force: Vec3::X * push,
        moment: Vec3::ZERO,
        slope: Vec3::ZERO,
        follower: false,
        function: Function::constant(1.0),
        name: name(0),
    }])));
    // Nothing moves them across: a line of bars has no stiffness there.
    model.fix_columns((0..=count).flat_map(|k| [3 * k + 1, 3 * k + 2]));
    let (mut stepper, mut state) = stepper(model, Integrator::Hht { alpha: -0.1 });
    let speed = (STEEL.young / STEEL.density).sqrt();
    let plateau = push / (area * STEEL.density * speed);
    let h = 0.5 * length / speed;
    let (mut arrival, mut middle, mut end) = (None, Vec::new(), Vec::new());
    while state.time < 1.8 / speed {
        let before = state.v[3 * count];
        stepper.step(&mut state, h).unwrap();
        let now = state.v[3 * count];
        // Half of the doubled speed.
        if arrival.is_none() && now > plateau {
            arrival = Some(state.time - h * (now - plateau) / (now - before));
        }
        if state.time > 0.7 / speed && state.time < 1.3 / speed {
            middle.push(state.v[3 * (count / 2)]);
        }
        if state.time > 1.2 / speed {
            end.push(state.v[3 * count]);
        }
    }
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let arrival = arrival.unwrap();
    println!("front after {arrival:.6e} s, exact {:.6e} s", 1.0 / speed);
    println!("speed {:.5} in the middle, {:.5} at the end, of {plateau:.5}", mean(&middle), mean(&end));
    assert!((arrival / 1.933415e-4 - 1.0).abs() < 5e-3, "{arrival}");
    assert!((mean(&middle) / plateau - 1.0).abs() < 0.03, "{}", mean(&middle));
    assert!((mean(&end) / (2.0 * plateau) - 1.0).abs() < 0.03, "{}", mean(&end));
}

/// Lowest frequencies [Hz] of a model at its start, with columns that stay, by inverse iteration: shear of thin beams is
/// 1e15 times as stiff as their bending, which dense methods do not resolve. Rigid motion is below 1 Hz.
fn frequencies(model: Model, fixed: impl Fn(usize) -> bool, count: usize) -> Vec<f64> {
    let model = Arc::new(model);
    let state = State::new(&model);
    let mut system = System::new(model, Exec::serial());
    let all = linearize(&mut system, &state);
    let free: Vec<usize> = (0..all.columns).filter(|c| !fixed(*c)).collect();
    let n = free.len();
    let part = |m: &[f64]| -> Vec<Vec<f64>> {
        free.iter().map(|r| free.iter().map(|c| m[r * all.columns + c]).collect()).collect()
    };
    let (mut stiffness, mass) = (part(&all.stiffness), part(&all.mass));
    // A shift keeps rigid motions solvable: 10 Hz.
    let shift = (10.0 * TAU).powi(2);
    (0..n).for_each(|i| (0..n).for_each(|j| stiffness[i][j] += shift * mass[i][j]));
    let inverse = inverted(stiffness);
    let times = |m: &[Vec<f64>], x: &[f64]| -> Vec<f64> { m.iter().map(|row| dot(row, x)).collect() };
    let mut found: Vec<Vec<f64>> = Vec::new();
    let mut out = Vec::new();
    while out.len() < count {
        let mut x: Vec<f64> = (0..n).map(|k| ((k * k) as f64 * 0.37).sin()).collect();
        let mut value = 0.0;
        for _ in 0..200 {
            for shape in &found {
                let share = dot(&times(&mass, shape), &x);
                x.iter_mut().zip(shape).for_each(|(x, s)| *x -= share * s);
            }
            let size = dot(&times(&mass, &x), &x).sqrt();
            x.iter_mut().for_each(|x| *x /= size);
            let next = times(&inverse, &times(&mass, &x));
            let now = 1.0 / dot(&times(&mass, &x), &next) - shift;
            x = next;
            if (now - value).abs() < 1e-12 * (now + shift) {
                break;
            }
            value = now;
        }
        let size = dot(&times(&mass, &x), &x).sqrt();
        found.push(x.iter().map(|x| x / size).collect());
        let frequency = value.max(0.0).sqrt() / TAU;
        if frequency > 1.0 {
            out.push(frequency);
        }
        assert!(found.len() < 20, "{out:?}");
    }
    out
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The inverse of a matrix, by elimination with pivots.
fn inverted(mut a: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = a.len();
    for (r, row) in a.iter_mut().enumerate() {
        row.extend((0..n).map(|c| f64::from(u8::from(r == c))));
    }
    for c in 0..n {
        let pivot = (c..n).max_by(|i, j| a[*i][c].abs().total_cmp(&a[*j][c].abs())).unwrap();
        a.swap(c, pivot);
        let top = a[c][c];
        a[c].iter_mut().for_each(|x| *x /= top);
        let row = a[c].clone();
        for (r, other) in a.iter_mut().enumerate() {
            let factor = other[c];
            if r != c && factor != 0.0 {
                other.iter_mut().zip(&row).for_each(|(x, y)| *x -= factor * y);
            }
        }
    }
    a.iter().map(|row| row[n..].to_vec()).collect()
}

fn steel_section() -> SectionValues {
    let section = Section::Rectangle { width: 0.01, height: 0.01 };
    section.values(&STEEL, SectionPlace::default(), "section").unwrap()
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Corotational,
    Rod,
    RodQuadratic,
}

/// A straight line of elements of a length [m] along x, `count` lengths between nodes.
fn straight(kind: Kind, section: &SectionValues, length: f64, count: usize) -> (Model, CoordinatesPlace) {
    let side = length / count as f64;
    let places: Vec<_> = (0..=count).map(|k| Vec3::X * (side * k as f64)).collect();
    let rest = |k: usize| RodNode { place: places[k].to_array(), turn: [0.0, 0.0, 0.0, 1.0] };
    let mut inertia = vec![Mat3::ZERO; count + 1];
    let mut give = |first: usize, parts: &[Mat3]| {
        parts.iter().enumerate().for_each(|(k, part)| inertia[first + k] += *part);
    };
    let mut model = Model::new(Vec3::ZERO);
    let none = Damping::default();
    let mut corotational = Vec::new();
    let mut rods = Vec::new();
    let mut quadratic = Vec::new();
    match kind {
        Kind::Corotational => (0..count).for_each(|k| {
            let beam = BeamCorotational::new(&[rest(k), rest(k + 1)], &[*section; 2]);
            give(k, &beam.node_inertia());
            corotational.push(beam);
        }),
        Kind::Rod => (0..count).for_each(|k| {
            let rod = Rod::new(&[rest(k), rest(k + 1)], [Mount::PLAIN; 2], section);
            give(k, &rod.node_inertia());
            rods.push(rod);
        }),
        Kind::RodQuadratic => (0..count).step_by(2).for_each(|k| {
            let nodes = [rest(k), rest(k + 1), rest(k + 2)];
            let rod = RodQuadratic::new(&nodes, [Mount::PLAIN; 3], section);
            give(k, &rod.node_inertia());
            quadratic.push(rod);
        }),
    }
    let at = model.add_coordinates(Box::new(frame_nodes(&places, &inertia)));
    match kind {
        Kind::Corotational => model.add_elements(chain(&at, &corotational, 6, none)),
        Kind::Rod => model.add_elements(chain(&at, &rods, 6, none)),
        Kind::RodQuadratic => model.add_elements(chain(&at, &quadratic, 6, none)),
    };
    (model, at)
}

/// A steel bar of 1 m, 10 mm square: 0.5 % with 20 elements, clamped and free.
#[test]
fn frequencies_of_a_bar() {
    let near = |what: &str, got: f64, exact: f64| {
        println!("{what}: {got:.4} Hz, exact {exact} Hz: {:+.2e}", got / exact - 1.0);
        assert!((got / exact - 1.0).abs() < 5e-3, "{what}: {got} Hz, exact {exact} Hz");
    };
    // In the plane x y: no motion along z, no turns about x and y.
    let plane = |c: usize| [2, 3, 4].contains(&(c % 6));
    for (kind, count) in [(Kind::Corotational, 20), (Kind::RodQuadratic, 40), (Kind::Rod, 40)] {
        let model = || straight(kind, &steel_section(), 1.0, count).0;
        let got = frequencies(model(), |c| c < 6 || plane(c), 2);
        near(&format!("{kind:?} clamped, first"), got[0], 8.355166);
        near(&format!("{kind:?} clamped, second"), got[1], 52.36093);
        let got = frequencies(model(), plane, 1);
        near(&format!("{kind:?} free, first"), got[0], 53.16601);
        let got = frequencies(model(), |c| c < 6 || c % 6 > 0, 1);
        near(&format!("{kind:?} along, first"), got[0], 1293.049);
    }
    let section = steel_section();
    let cable = Cable {
        length: 0.05,
        stretch: section.stretch[0],
        bending: section.bending[1],
        density: section.mass,
        measure: StrainMeasure::Material,
    };
    let nodes: Vec<_> =
        (0..=20).map(|k| ([Vec3::X * (0.05 * f64::from(k)), Vec3::X], [Vec3::ZERO; 2])).collect();
    let mut model = Model::new(Vec3::ZERO);
    let at = model.add_coordinates(Box::new(vector_nodes(&nodes)));
    model.add_elements(chain(&at, &[cable; 20], 6, Damping::default()));
    // Along x and y only.
    let got = frequencies(model, |c| c < 6 || c % 3 == 2, 2);
    near("cable clamped, first", got[0], 8.355166);
    near("cable clamped, second", got[1], 52.36093);
}

/// The first node turns about z by a function of time; the rest of its columns are fixed.
struct SpunUp;

const SPIN: f64 = 6.0;
const RISE: f64 = 15.0;

/// Angle, its rate and its acceleration.
fn spin(t: f64) -> [f64; 3] {
    if t >= RISE {
        return [SPIN * (t - 0.5 * RISE), SPIN, 0.0];
    }
    let w = TAU / RISE;
    let angle = SPIN / RISE * (0.5 * t * t + ((w * t).cos() - 1.0) / (w * w));
    [angle, SPIN / RISE * (t - (w * t).sin() / w), SPIN / RISE * (1.0 - (w * t).cos())]
}

impl ConstraintBatch for SpunUp {
    fn layout(&self) -> Layout {
        let mut layout = Layout::default();
        layout.push(&[0], 1);
        layout
    }
    fn item_name(&self, _: usize) -> huygens_core::Subject {
        "drive".into()
    }
    fn row_name(&self, _: usize, _: usize) -> String {
        "angle".into()
    }
    fn evaluate(&self, _: &Exec, x: &StateView<'_>, _: &[f64], _: RowRequest, _: &Slots, values: &mut [f64]) {
        let [angle, rate, acceleration] = spin(x.time);
        let off = 2.0 * x.q[5].atan2(x.q[6]) - angle;
        values[0] = off - TAU * (off / TAU).round();
        values[1] = x.v[5] - rate;
        values[2] = acceleration;
        values[3..].copy_from_slice(&[0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    }
    fn tangent(&self, _: &Exec, _: &StateView<'_>, _: &[f64], _: &[f64], _: f64, _: &Slots, out: &mut [f64]) {
        out.fill(0.0);
    }
}

/// The beam of Simo and Vu-Quoc (simo1986): extension at full speed 2 %, largest dip 5 %.
#[test]
fn a_beam_is_spun_up() {
    for (kind, count) in [(Kind::Rod, 10), (Kind::RodQuadratic, 10), (Kind::Corotational, 10)] {
        let section = SectionValues {
            mass: 1.2,
            inertia: Mat3::from_diagonal(Vec3::new(1.2e-3, 6e-4, 6e-4)),
            ..SectionValues::elastic([2.8e7, 1e7, 1e7], [1.4e4, 1.4e4, 1.4e4])
        };
        let (mut model, _) = straight(kind, &section, 10.0, count);
        model.fix_columns(0..5);
        model.add_constraints(Arc::new(SpunUp));
        let (mut stepper, mut state) = stepper(model, Integrator::GeneralizedAlpha { rho: 0.6 });
        let (mut dip, mut along, mut samples): (f64, f64, f64) = (0.0, 0.0, 0.0);
        while state.time < 19.99 {
            stepper.step(&mut state, 0.01).unwrap();
            let angle = spin(state.time)[0];
            let (x, y) = (state.q[7 * count], state.q[7 * count + 1]);
            dip = dip.min(y * angle.cos() - x * angle.sin());
            if state.time > 16.0 {
                along += x * angle.cos() + y * angle.sin() - 10.0;
                samples += 1.0;
            }
        }
        let along = along / samples;
        println!("{kind:?}: longer by {along:.6e} m, dip {dip:.4} m");
        assert!((along / 5.142857e-4 - 1.0).abs() < 0.02, "{kind:?}: {along}");
        assert!((dip / -0.58 - 1.0).abs() < 0.05, "{kind:?}: {dip}");
    }
}

/// A cable stretched along itself swings with the decay of its damping: $a/2$ and $b\omega^2/2$.
#[test]
fn damping_decays_as_it_should() {
    let length = 1.0;
    let cable =
        Cable { length, stretch: 300.0, bending: 0.1, density: 3.0, measure: StrainMeasure::Material };
    // One mode: the free end moves along x, both slopes stay; its mass is 156/420 of the cable's, its stiffness that of
    // the derivative 6 (t − t²), 6/5 of EA/L.
    let omega = (1.2 * cable.stretch / length / (156.0 / 420.0 * cable.density * length)).sqrt();
    let dampings = [
        (Damping { mass: 0.8, ..Damping::default() }, 0.4),
        (Damping { stiffness: 2e-3, ..Damping::default() }, 1e-3 * omega * omega),
        (Damping { structural: 2e-3, ..Damping::default() }, 1e-3 * omega * omega),
    ];
    for (damping, decay) in dampings {
        let nodes = [
            ([Vec3::ZERO, Vec3::X], [Vec3::ZERO; 2]),
            ([Vec3::X * length, Vec3::X], [Vec3::X * 1e-4, Vec3::ZERO]),
        ];
        let mut model = Model::new(Vec3::ZERO);
        let at = model.add_coordinates(Box::new(vector_nodes(&nodes)));
        model.add_elements(chain(&at, &[cable], 6, damping));
        model.fix_columns((0..12).filter(|c| *c != 6));
        let (mut stepper, mut state) = stepper(model, Integrator::Newmark { beta: 0.25, gamma: 0.5 });
        let period = TAU / (omega * omega - decay * decay).sqrt();
        let time = 4.0 * period;
        for _ in 0..4000 {
            stepper.step(&mut state, time / 4000.0).unwrap();
        }
        let got = -(state.v[6] / 1e-4).ln() / time;
        println!("{damping:?}: decay {got:.5} 1/s, exact {decay:.5} 1/s");
        assert!((got / decay - 1.0).abs() < 1e-3, "{damping:?}: {got} {decay}");
    }
}

//! Cantilevers far from straight: the Princeton beam, the 45° bend and the roll-up, on the elements alone.

use crate::motion;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, TAU};
use std::sync::Arc;

use crate::line::{EndLoad, Kind, bent, elements, node, table};
use crate::motion::{balanced, chain, name, vector_nodes};
use huygens_core::Model;
use huygens_core::function::Function;
use huygens_fea::element::beam_ancf::BeamAncf;
use huygens_fea::load::{NodeAxes, NodeLoad, NodeLoads};
use huygens_fea::section::SectionValues;
use huygens_fea::section::material::Damping;
use huygens_kernel::{Quat, Vec3};

const ALL: [Kind; 3] = [Kind::Rod, Kind::RodQuadratic, Kind::Corotational];

/// End displacement and twist of the Princeton beam with 10 lengths between nodes; `angle` is that of the load.
fn princeton(kind: Kind, load: f64, angle: f64) -> (Vec3, f64) {
    let (length, count) = (0.508, 10);
    // x along the beam, y the stiff way, z the soft way: bending about y is soft.
    let section = SectionValues::elastic([2.84191e6, 9.03915e5, 9.03915e5], [3.10380, 2.42873, 36.2794]);
    let side = length / f64::from(count);
    let nodes: Vec<_> = (0..=count).map(|k| node(Vec3::X * side * f64::from(k), Quat::IDENTITY)).collect();
    let elements = elements(kind, &nodes, &section);
    let force = -load * Vec3::new(0.0, angle.cos(), angle.sin());
    let nodes = bent(nodes, &elements, EndLoad { force, torque: Vec3::ZERO, steps: 10 });
    let end = nodes[nodes.len() - 1];
    let y = Quat::from_array(end.turn) * Vec3::Y;
    (Vec3::from(end.place) - Vec3::X * length, y.y.atan2(y.z) - FRAC_PI_2)
}

/// Exact theory, both loads, all angles: 0.5 % of the largest displacement of the load, 2 % of the twist.
#[test]
fn princeton_beam() {
    let Some(rows) = table("beams/princeton_geb.csv") else { return };
    assert!(rows.len() >= 7, "the table has loads and angles");
    for kind in ALL {
        let (mut worst, mut worst_twist): (f64, f64) = (0.0, 0.0);
        for row in &rows {
            let [load, angle, x, y, z, twist] = row[..] else { panic!("six numbers a row: {row:?}") };
            let most = rows
                .iter()
                .filter(|r| r[0] == load)
                .fold(0.0, |most: f64, r| most.max(Vec3::new(r[2], r[3], r[4]).length()));
            let most_twist =
                rows.iter().filter(|r| r[0] == load).fold(0.0, |most: f64, r| most.max(r[5].abs()));
            let (end, got) = princeton(kind, load, angle.to_radians());
            worst = worst.max((end - Vec3::new(x, y, z)).abs().max_element() / most);
            worst_twist = worst_twist.max((got.abs() - twist.abs()).abs() / most_twist);
            println!("{kind:?} {load} N {angle}°: {end:.6} {got:.6}, exact {x:.6} {y:.6} {z:.6} {twist:.6}");
        }
        println!("{kind:?}: worst displacement {worst:.2e}, twist {worst_twist:.2e} of the largest");
        assert!(worst < 5e-3 && worst_twist < 0.02, "{kind:?}: {worst}, twist {worst_twist}");
    }
}

/// A 45° arc of radius 100 in, pushed out of its plane (bathe1979): 0.2 % with 16 lengths between nodes.
#[test]
fn bend_of_45_degrees() {
    let Some(rows) = table("beams/bathe_45deg_bend.csv") else { return };
    assert!(rows.len() >= 3);
    let (radius, count) = (100.0, 16);
    let place = |k: u32| {
        let angle = FRAC_PI_4 * f64::from(k) / f64::from(count);
        (Vec3::new(radius * angle.sin(), radius * (1.0 - angle.cos()), 0.0), Quat::from_rotation_z(angle))
    };
    for row in &rows {
        let [twist, load, x, y, z] = row[..] else { panic!("five numbers a row: {row:?}") };
        let section =
            SectionValues::elastic([1e7, 4.1666667e6, 4.1666667e6], [twist, 8.333333e5, 8.333333e5]);
        for kind in ALL {
            let nodes: Vec<_> = (0..=count).map(|k| node(place(k).0, place(k).1)).collect();
            let elements = elements(kind, &nodes, &section);
            let load = EndLoad { force: Vec3::Z * load, torque: Vec3::ZERO, steps: 10 };
            let end = bent(nodes, &elements, load)[count as usize].place;
            let moved = Vec3::from(end) - place(count).0;
            let expected = Vec3::new(x, y, z);
            println!("{kind:?}: {moved:.4}, exact {expected:.4}");
            for k in 0..3 {
                // The corotational beam has no shear and sees the arc as a polygon.
                assert!((moved[k] - expected[k]).abs() < 2e-3 * expected[k].abs(), "{kind:?} {moved}");
            }
        }
    }
}

/// The same bend by 32 beams 3243, which are curved at rest: 0.2 %. Their twist stiffness is G(I_y + I_z) without shear correction.
#[test]
fn bend_of_45_degrees_by_beams_with_gradients() {
    let Some(rows) = table("beams/bathe_45deg_bend.csv") else { return };
    let (radius, count) = (100.0, 32_u32);
    let coordinates = |k: u32| {
        let angle = FRAC_PI_4 * f64::from(k) / f64::from(count);
        let (sine, cosine) = angle.sin_cos();
        let place = Vec3::new(radius * sine, radius * (1.0 - cosine), 0.0);
        [place, Vec3::new(cosine, sine, 0.0), Vec3::new(-sine, cosine, 0.0), Vec3::Z]
    };
    let beam = BeamAncf {
        size: [radius * FRAC_PI_4 / f64::from(count), 1.0, 1.0],
        young: 1e7,
        poisson: 0.0,
        density: 1.0,
        shear: [1.0; 2],
        damping: 0.0,
        rest: None,
    };
    let beams: Vec<_> = (0..count)
        .map(|k| {
            let ends = [coordinates(k), coordinates(k + 1)].concat();
            beam.at_rest(&std::array::from_fn(|i| ends[i].to_array()))
        })
        .collect();
    for row in rows.iter().filter(|row| row[0] > 8e5) {
        let [_, load, x, y, z] = row[..] else { panic!("five numbers a row: {row:?}") };
        let nodes: Vec<_> = (0..=count).map(|k| (coordinates(k), [Vec3::ZERO; 4])).collect();
        let mut model = Model::new(Vec3::ZERO);
        let at = model.add_coordinates(Box::new(vector_nodes(&nodes)));
        model.add_elements(chain(&at, &beams, 12, Damping::default()));
        model.add_elements(Arc::new(NodeLoads::new([NodeLoad {
            node: motion::place(&at, count as usize, 12, 12),
            axes: NodeAxes::Gradients,
            force: Vec3::Z * load,
            moment: Vec3::ZERO,
            slope: Vec3::ZERO,
            follower: false,
            function: Function::constant(1.0),
            name: name(0),
        }])));
        model.fix_columns(0..12);
        let state = balanced(model, 10);
        let moved = Vec3::from_slice(&state.q[12 * count as usize..]) - coordinates(count)[0];
        let expected = Vec3::new(x, y, z);
        println!("{load}: {moved:.4}, exact {expected:.4}");
        for k in 0..3 {
            assert!((moved[k] - expected[k]).abs() < 2e-3 * expected[k].abs(), "{moved} for {expected}");
        }
    }
}

/// The moment 2π EI/L closes a strip to a circle: its end comes back to the start.
#[test]
fn roll_up_to_a_circle() {
    let (length, bending) = (12.0, 1.2e6 * 0.1_f64.powi(3) / 12.0);
    let section = SectionValues::elastic([1.2e5, 5e4, 5e4], [2.0 * bending, bending, bending]);
    let end = |kind: Kind, count: u32| {
        let side = length / f64::from(count);
        let nodes: Vec<_> =
            (0..=count).map(|k| node(Vec3::X * side * f64::from(k), Quat::IDENTITY)).collect();
        let elements = elements(kind, &nodes, &section);
        let torque = Vec3::Z * TAU * bending / length;
        let nodes = bent(nodes, &elements, EndLoad { force: Vec3::ZERO, torque, steps: 60 });
        Vec3::from(nodes[count as usize].place).length() / length
    };
    for kind in ALL {
        let error = end(kind, 12);
        println!("{kind:?}: end {error:.2e} L from the start");
        assert!(error < 1e-6, "{kind:?}: {error}");
    }
}

/// Small deflections of a thick cantilever: with shear by the rods, without it by the corotational beam.
#[test]
fn a_cantilever_with_and_without_shear() {
    let (length, young, width, height) = (0.4, 2e8, 0.025, 0.012_f64);
    let (area, bending) = (width * height, young * width * height.powi(3) / 12.0);
    let (shear, poisson) = (0.38 * young, 0.5 / 0.38 - 1.0);
    let share = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson);
    let section = SectionValues::elastic(
        [young * area, share * shear * area, share * shear * area],
        [bending, bending, bending],
    );
    // So small that deflections are linear to 1e-5; the tables have 10 N.
    let load = 0.1;
    for (kind, expected) in
        [(Kind::Rod, 0.2965026), (Kind::RodQuadratic, 0.2965026), (Kind::Corotational, 0.2962963)]
    {
        let count = if kind == Kind::Rod { 40 } else { 4 };
        let nodes: Vec<_> = (0..=count)
            .map(|k| node(Vec3::X * (length * f64::from(k) / f64::from(count)), Quat::IDENTITY))
            .collect();
        let elements = elements(kind, &nodes, &section);
        let force = EndLoad { force: Vec3::Y * load, torque: Vec3::ZERO, steps: 1 };
        let end = bent(nodes, &elements, force)[count as usize].place[1] * 10.0 / load;
        println!("{kind:?}: {end:.7} m, exact {expected} m");
        assert!((end - expected).abs() < 1e-4, "{kind:?}: {end}, exact {expected}");
    }
}

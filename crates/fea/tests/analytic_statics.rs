//! Elements in balance against closed forms: cantilevers, the cable rolled up, patches, forces in sections.

use crate::line;
use std::f64::consts::PI;
use std::sync::Arc;

use crate::motion::{balanced, chain, frame_nodes, name, place, vector_nodes};
use huygens_core::Model;
use huygens_core::contract::{ElementBatch, Slots, StateView};
use huygens_core::function::Function;
use huygens_exec::Exec;
use huygens_fea::element::batch::{Batch, Element as _, ElementItem, Elements, NodePlace};
use huygens_fea::element::beam_ancf::BeamAncf;
use huygens_fea::element::beam_corotational::BeamCorotational;
use huygens_fea::element::cable::Cable;
use huygens_fea::element::cable_batch::Cables;
use huygens_fea::element::frame::{Mount, RodNode};
use huygens_fea::element::quadrature::Gauss;
use huygens_fea::element::rod_quadratic::RodQuadratic;
use huygens_fea::element::tetrahedron::Tetrahedron;
use huygens_fea::load::{NodeAxes, NodeLoad, NodeLoads, cable_shares};
use huygens_fea::output::von_mises;
use huygens_fea::section::material::{Damping, Elastic};
use huygens_fea::section::{Section, SectionPlace, SectionValues};
use huygens_kernel::cable::StrainMeasure;
use huygens_kernel::corotated::Lame;
use huygens_kernel::rotation::exp;
use huygens_kernel::{Mat3, Quat, Vec3};

fn load(node: NodePlace, axes: NodeAxes, force: Vec3, moment: Vec3) -> NodeLoad {
    NodeLoad {
        node,
        axes,
        force,
        moment,
        slope: Vec3::ZERO,
        follower: false,
        function: Function::constant(1.0),
        name: name(0),
    }
}

/// Half a circle by an end moment: the cable is of fourth order.
#[test]
fn a_cable_rolls_up_at_fourth_order() {
    let (length, bending) = (2.0, 3.0);
    let error = |count: usize| {
        let cable = Cable {
            length: length / count as f64,
            stretch: 1e3,
            bending,
            density: 1.0,
            measure: StrainMeasure::Material,
        };
        let nodes: Vec<_> =
            (0..=count).map(|k| ([Vec3::X * (cable.length * k as f64), Vec3::X], [Vec3::ZERO; 2])).collect();
        let mut model = Model::new(Vec3::ZERO);
        let at = model.add_coordinates(Box::new(vector_nodes(&nodes)));
        model.add_elements(chain(&at, &vec![cable; count], 6, Damping::default()));
        let moment = Vec3::Z * (PI * bending / length);
        let axes = NodeAxes::Slope { rest: Vec3::X };
        model.add_elements(Arc::new(NodeLoads::new([load(
            place(&at, count, 6, 6),
            axes,
            Vec3::ZERO,
            moment,
        )])));
        model.fix_columns(0..6);
        let state = balanced(model, 20);
        let end = Vec3::from_slice(&state.q[6 * count..]);
        (end - Vec3::Y * (2.0 * length / PI)).length()
    };
    let errors = [8, 16, 32].map(error);
    let orders = [(errors[0] / errors[1]).log2(), (errors[1] / errors[2]).log2()];
    println!("errors {errors:?} m, orders {orders:.2?}");
    assert!(orders.iter().all(|order| *order > 3.8), "{errors:?} {orders:?}");
}

/// The aluminium bar of the tables: pull, side load, own weight and torque.
#[test]
fn an_aluminium_bar() {
    let aluminium = Elastic { young: 71.7e9, poisson: 0.33, density: 2810.0 };
    let (length, count) = (0.508, 16_usize);
    let end = |width: f64, height: f64, force: Vec3, moment: Vec3, gravity: Vec3, quadratic: bool| {
        let section = Section::Rectangle { width, height };
        let values = section.values(&aluminium, SectionPlace::default(), "bar").unwrap();
        let side = length / count as f64;
        let places: Vec<_> = (0..=count).map(|k| Vec3::X * (side * k as f64)).collect();
        let rest = |k: usize| RodNode { place: places[k].to_array(), turn: Quat::IDENTITY.to_array() };
        let mut model = Model::new(gravity);
        let inertia = vec![Mat3::IDENTITY * 1e-6; count + 1];
        let at = model.add_coordinates(Box::new(frame_nodes(&places, &inertia)));
        if quadratic {
            let rods: Vec<_> = (0..count)
                .step_by(2)
                .map(|k| RodQuadratic::new(&[rest(k), rest(k + 1), rest(k + 2)], [Mount::PLAIN; 3], &values))
                .collect();
            model.add_elements(chain(&at, &rods, 6, Damping::default()));
        } else {
            let beams: Vec<_> =
                (0..count).map(|k| BeamCorotational::new(&[rest(k), rest(k + 1)], &[values; 2])).collect();
            model.add_elements(chain(&at, &beams, 6, Damping::default()));
        }
        model.add_elements(Arc::new(NodeLoads::new([load(
            place(&at, count, 7, 6),
            NodeAxes::Frame,
            force,
            moment,
        )])));
        model.fix_columns(0..6);
        let state = balanced(model, 1);
        let q = &state.q[7 * count..];
        (Vec3::from_slice(q) - Vec3::X * length, Quat::from_slice(&q[3..]))
    };
    let near = |what: &str, got: f64, expected: f64| {
        println!("{what}: {got:.6e}, table {expected:.6e}");
        assert!((got / expected - 1.0).abs() < 0.02, "{what}: {got}, expected {expected}");
    };
    let zero = Vec3::ZERO;
    for quadratic in [false, true] {
        let (pulled, _) = end(12.7e-3, 3.175e-3, Vec3::X * 10.0, zero, zero, quadratic);
        near("pull", pulled.x, 1.757103e-6);
        let (bent, _) = end(12.7e-3, 3.175e-3, Vec3::Y * 10.0, zero, zero, quadratic);
        near("side load", bent.y, 1.124546e-2);
        let (hanging, _) = end(12.7e-3, 3.175e-3, zero, zero, Vec3::Z * -9.80665, quadratic);
        near("own weight", -hanging.z, 3.808610e-3);
        let (_, turn) = end(12.7e-3, 12.7e-3, zero, Vec3::X * 10.0, zero, quadratic);
        near("torque", 2.0 * turn.x.atan2(turn.w), 2.951695_f64.to_radians());
    }
}

/// An irregular patch of tetrahedra in a uniform deformation: the same stress in all, no force on the node inside.
#[test]
fn a_patch_of_tetrahedra() {
    let corner = |k: usize| Vec3::new((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64);
    let mut nodes: Vec<Vec3> = (0..8).map(corner).collect();
    nodes.push(Vec3::new(0.45, 0.6, 0.38));
    // Faces of the cube as two triangles each; the node inside closes them.
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let cells: Vec<[usize; 4]> =
        quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c, 8], [*a, *c, *d, 8]]).collect();
    let lame = Lame::new(5.0, 0.3);
    let place = |k: usize| NodePlace { block: k as u32, q: 3 * k, v: 3 * k, columns: 3 };
    let batch = Elements::new(cells.iter().map(|cell| {
        let corners = cell.map(|k| nodes[k]);
        let element = Tetrahedron::new(&corners, lame, 1.0)
            .or_else(|_| Tetrahedron::new(&[corners[1], corners[0], corners[2], corners[3]], lame, 1.0));
        let flipped = Tetrahedron::new(&corners, lame, 1.0).is_err();
        let order = if flipped { [cell[1], cell[0], cell[2], cell[3]] } else { *cell };
        ElementItem {
            element: element.unwrap(),
            nodes: order.map(place).to_vec(),
            damping: Damping::default(),
            name: name(0),
        }
    }));
    let strain = Mat3::from_cols(
        Vec3::new(0.02, 0.01, 0.0),
        Vec3::new(0.01, -0.01, 0.005),
        Vec3::new(0.0, 0.005, 0.03),
    );
    let turn = Mat3::from_quat(exp(Vec3::new(0.4, -1.3, 0.8)));
    let deformed = turn * (Mat3::IDENTITY + strain);
    let q: Vec<f64> = nodes.iter().flat_map(|x| (deformed * *x + Vec3::ONE).to_array()).collect();
    let (lambda, mu) = (lame.lambda, lame.mu);
    let own = strain * (2.0 * mu) + Mat3::IDENTITY * (lambda * 0.04);
    let stress = turn * own * turn.transpose();
    for item in 0..batch.len() {
        let state = batch.solid_state(item, &q, &[]).unwrap();
        let off =
            |a: Mat3, b: Mat3| (a - b).to_cols_array().iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        assert!(off(state.stress, stress) < 1e-12);
        assert!(off(state.strain, turn * strain * turn.transpose()) < 1e-12);
        assert!((state.von_mises - von_mises(&own)).abs() < 1e-12);
    }
    let mut slots = Slots { values: vec![0], tangents: vec![0], ..Slots::default() };
    (1..=batch.len()).for_each(|k| slots.values.push(12 * k));
    let mut forces = vec![0.0; 12 * batch.len()];
    let view = StateView {
        time: 0.0,
        q: &q,
        v: &vec![0.0; q.len()],
        acceleration: &[],
        z: &[],
        z_rate: &[],
        lambda: &[],
        signals: &[],
        history: &[],
        frames: &[],
        twists: Default::default(),
        load_factor: 1.0,
        parameters: huygens_core::parameter::ParameterSet::empty(),
    };
    batch.evaluate(&Exec::serial(), &view, &[], &slots, &mut forces, None);
    let inside: Vec3 = forces.chunks(12).map(|f| Vec3::from_slice(&f[9..])).sum();
    assert!(inside.length() < 1e-12, "{inside}");
}

/// Where a section is cut, its force and moment hold the load at the end; energy along the line is that of the element.
#[test]
fn section_forces_hold_the_load() {
    let kinds = [line::Kind::Rod, line::Kind::Corotational, line::Kind::RodQuadratic];
    let section = SectionValues::elastic([2.8e5, 9e4, 9e4], [3.1, 2.4, 36.0]);
    let (count, length, force) = (10, 0.5, Vec3::new(1.0, -6.0, -5.0));
    for kind in kinds {
        let rest: Vec<_> = (0..=count)
            .map(|k| line::node(Vec3::X * (length * f64::from(k) / f64::from(count)), Quat::IDENTITY))
            .collect();
        let elements = line::elements(kind, &rest, &section);
        let load = line::EndLoad { force, torque: Vec3::ZERO, steps: 10 };
        let nodes = line::bent(rest, &elements, load);
        let end = Vec3::from(nodes[count as usize].place);
        let mut at = 0;
        for element in &elements {
            let size = if kind == line::Kind::RodQuadratic { 3 } else { 2 };
            let q: Vec<f64> =
                nodes[at..at + size].iter().flat_map(|n| n.place.into_iter().chain(n.turn)).collect();
            at += size - 1;
            // The rods are right to their order; at the points of Gauss the quadratic one is best.
            let (places, bound) = match kind {
                line::Kind::RodQuadratic => (Gauss::Two.points().iter().map(|p| p.0).collect(), 0.01),
                _ => (vec![0.0, 1.0], 1e-5),
            };
            for t in places {
                let (station, energy) = match element {
                    line::Element::Rod(rod) => (rod.station(&q, t).unwrap(), None),
                    line::Element::Corotational(beam) => (beam.station(&q, t).unwrap(), None),
                    line::Element::RodQuadratic(rod) => (rod.station(&q, t).unwrap(), Some(rod)),
                };
                let [f, m] = [0, 3].map(|k| station.axes * Vec3::from_slice(&station.force[k..]));
                let arm = (end - station.point).cross(force);
                assert!((f - force).length() < bound * force.length(), "{kind:?} {t}: {f}");
                assert!((m - arm).length() < bound * force.length() * length, "{kind:?} {t}: {m} {arm}");
                if let Some(rod) = energy {
                    let sum: f64 = Gauss::Two
                        .points()
                        .iter()
                        .map(|(t, w)| w * rod.length() * rod.station(&q, *t).unwrap().energy)
                        .sum();
                    assert!((sum - rod.stored_energy(&q, &[])).abs() < 1e-12 * sum.max(1.0));
                }
            }
        }
    }
}

/// A cable between two fixed places under a force along its length, far stiffer in stretch than in bending: a parabola
/// whose pull is p L²/8 f. The beam 3243 stretched by 1 % pulls as its material does.
#[test]
fn pull_of_a_hanging_cable_and_of_a_stretched_beam() {
    let (count, length, sag) = (40_usize, 10.0, 0.4);
    let pressure = 2.0;
    let pull = pressure * length * length / (8.0 * sag);
    // Length of the shallow parabola, by the integral of its slope.
    let slope: f64 = 4.0 * sag / length;
    let arc = 0.5 * length * ((1.0 + slope * slope).sqrt() + slope.asinh() / slope);
    let cable = Cable {
        length: arc / count as f64,
        stretch: 1e7,
        bending: 1e-3,
        density: 1.0,
        measure: StrainMeasure::Material,
    };
    let nodes: Vec<_> = (0..=count)
        .map(|k| {
            let x = length * k as f64 / count as f64;
            let t = x / length;
            let y = -4.0 * sag * t * (1.0 - t);
            let direction = Vec3::new(1.0, -4.0 * sag * (1.0 - 2.0 * t) / length, 0.0).normalize();
            ([Vec3::new(x, y, 0.0), direction], [Vec3::ZERO; 2])
        })
        .collect();
    let mut model = Model::new(Vec3::ZERO);
    let at = model.add_coordinates(Box::new(vector_nodes(&nodes)));
    let items = (0..count).map(|k| ElementItem {
        element: cable,
        nodes: vec![place(&at, k, 6, 6), place(&at, k + 1, 6, 6)],
        damping: Damping::default(),
        name: name(k),
    });
    let cables = Arc::new(Cables::new(items));
    model.add_elements(cables.clone());
    // The force is per length of the span, so the curve is a parabola.
    let shares = cable_shares(length / count as f64);
    let down = Vec3::NEG_Y * pressure;
    let loads = (0..count).flat_map(|k| {
        [0, 1].map(|end| NodeLoad {
            slope: down * shares[2 * end + 1],
            ..load(
                place(&at, k + end, 6, 6),
                NodeAxes::Slope { rest: Vec3::X },
                down * shares[2 * end],
                Vec3::ZERO,
            )
        })
    });
    model.add_elements(Arc::new(NodeLoads::new(loads)));
    let last = 6 * count;
    model.fix_columns([0, 1, 2, last, last + 1, last + 2]);
    let state = balanced(model, 1);
    let station = cables.elements().station(count / 2, &state.q, 0.0).unwrap();
    println!("pull {:.4} N, parabola {pull:.4} N; lowest {:.5} m", station.force[0], station.point.y);
    assert!((station.force[0] / pull - 1.0).abs() < 0.01, "{station:?}");
    assert!((station.point.y / -sag - 1.0).abs() < 0.01, "{station:?}");
    let beam = BeamAncf {
        size: [1.0, 0.1, 0.2],
        young: 1e6,
        poisson: 0.0,
        density: 1.0,
        shear: [1.0; 2],
        damping: 0.0,
        rest: None,
    };
    let long = 1.01;
    let [x, y, z] = [[long, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let q: Vec<f64> = [[0.0; 3], x, y, z, [long, 0.0, 0.0], x, y, z].concat();
    let station = beam.station(&q, 0.3).unwrap();
    let strain = 0.5 * (long * long - 1.0);
    assert!((station.strain[0] - strain).abs() < 1e-15);
    assert!((station.force[0] - 1e6 * 0.02 * strain).abs() < 1e-9, "{station:?}");
    assert!((station.energy - 0.5 * 1e6 * 0.02 * strain * strain).abs() < 1e-12);
}

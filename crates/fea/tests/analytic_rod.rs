//! The exact rod and the corotational beam: no energy in rigid motion, forces and stiffness as derivatives, a circle in closed form.

use std::f64::consts::TAU;

use huygens_fea::beam_corotational::BeamCorotational;
use huygens_fea::rod::{Rod, RodColumns, RodNode};
use huygens_kernel::rotation::exp;
use huygens_kernel::{Quat, Vec3};

const PLAIN: [f64; 4] = [0.0, 0.0, 0.0, 1.0];
const STRETCH: [f64; 3] = [50.0, 20.0, 30.0];
const BENDING: [f64; 3] = [2.0, 3.0, 5.0];

fn node(place: Vec3, turn: Quat) -> RodNode {
    RodNode { place: place.to_array(), turn: turn.to_array() }
}

fn moved(nodes: &[RodNode; 2], column: usize, by: f64) -> [RodNode; 2] {
    let mut nodes = *nodes;
    let (node, k) = (&mut nodes[column / 6], column % 6);
    if k < 3 {
        node.place[k] += by;
    } else {
        node.turn = (Quat::from_array(node.turn) * exp(Vec3::AXES[k - 3] * by)).to_array();
    }
    nodes
}

/// A rod that was curved at rest, with sections that are not those of the nodes, and its nodes after a large motion.
fn rod() -> (Rod, [RodNode; 2]) {
    let sections = [exp(Vec3::new(0.3, 0.2, -0.1)).to_array(), exp(Vec3::new(-0.2, 0.4, 0.3)).to_array()];
    let rest =
        [node(Vec3::ZERO, Quat::IDENTITY), node(Vec3::new(0.8, 0.2, -0.1), exp(Vec3::new(0.1, 0.3, 0.2)))];
    let now = [
        node(Vec3::new(0.2, 0.5, 1.0), exp(Vec3::new(0.4, -1.0, 0.7))),
        node(Vec3::new(-0.3, 0.9, 1.6), exp(Vec3::new(-0.3, -1.6, 1.1))),
    ];
    (Rod::new(&rest, sections, STRETCH, BENDING), now)
}

#[test]
fn rigid_motion_takes_no_energy_and_no_force() {
    let sections = [PLAIN, exp(Vec3::new(0.0, 0.2, 0.1)).to_array()];
    let rest = [(Vec3::ZERO, Quat::IDENTITY), (Vec3::new(0.8, 0.2, -0.1), exp(Vec3::new(0.1, 0.3, 0.2)))];
    let rod = Rod::new(&rest.map(|(x, q)| node(x, q)), sections, STRETCH, BENDING);
    let turn = exp(Vec3::new(1.0, -2.0, 1.5));
    let (energy, force) = rod.force(&rest.map(|(x, q)| node(turn * x + Vec3::new(4.0, 5.0, 6.0), turn * q)));
    assert!(energy < 1e-28 && force.iter().all(|f| f.abs() < 1e-13), "{energy} {force:?}");
}

fn check_derivatives(
    nodes: &[RodNode; 2],
    force: impl Fn(&[RodNode; 2]) -> (f64, RodColumns),
    stiffness: [[f64; 12]; 12],
) {
    let h = 1e-6;
    let (_, now) = force(nodes);
    for j in 0..12 {
        let (more, less) = (force(&moved(nodes, j, h)), force(&moved(nodes, j, -h)));
        assert!((now[j] + (more.0 - less.0) / (2.0 * h)).abs() < 1e-7, "{j}");
        for i in 0..12 {
            let slope = (less.1[i] - more.1[i]) / (2.0 * h);
            assert!((stiffness[i][j] - slope).abs() < 1e-6, "{i} {j}: {} {slope}", stiffness[i][j]);
        }
    }
}

#[test]
fn forces_and_stiffness_are_derivatives() {
    let (rod, nodes) = rod();
    check_derivatives(&nodes, |nodes| rod.force(nodes), rod.stiffness(&nodes));
}

fn beam() -> BeamCorotational {
    BeamCorotational { length: 0.8, stretch: 50.0, bending: BENDING, sections: [PLAIN; 2] }
}

#[test]
fn forces_and_stiffness_of_the_corotational_beam_are_derivatives() {
    let turn = exp(Vec3::new(0.7, -1.9, 0.4));
    let nodes = [
        node(Vec3::new(1.0, 2.0, 3.0), turn * exp(Vec3::new(0.3, -0.2, 0.25))),
        node(
            Vec3::new(1.0, 2.0, 3.0) + turn * Vec3::new(0.85, 0.05, -0.1),
            turn * exp(Vec3::new(-0.2, 0.1, 0.4)),
        ),
    ];
    check_derivatives(&nodes, |nodes| beam().force(nodes), beam().stiffness(&nodes));
    // Rigid motion.
    let rigid = [node(Vec3::ONE, turn), node(Vec3::ONE + turn * Vec3::X * 0.8, turn)];
    let (energy, force) = beam().force(&rigid);
    assert!(energy < 1e-28 && force.iter().all(|f| f.abs() < 1e-13), "{energy} {force:?}");
}

/// A cantilever: the stiffness at rest gives P L³/3EI, M L/EI, P L/EA and M L/GJ.
#[test]
fn a_cantilever_bends_by_the_closed_forms() {
    let rest = [node(Vec3::ZERO, Quat::IDENTITY), node(Vec3::X * 0.8, Quat::IDENTITY)];
    let k = beam().stiffness(&rest);
    let l = beam().length;
    // Deflections that the end load P along y gives: v = P L³/3EI, turn P L²/2EI about z.
    let (v, turn) = (l.powi(3) / (3.0 * BENDING[2]), l * l / (2.0 * BENDING[2]));
    let load = |row: usize| k[row][7] * v + k[row][11] * turn;
    assert!((load(7) - 1.0).abs() < 1e-12 && load(11).abs() < 1e-12);
    assert!((k[6][6] - 50.0 / l).abs() < 1e-12 && (k[9][9] - BENDING[0] / l).abs() < 1e-12);
}

/// A straight rod rolled up by the moment 2π EI/L: its nodes are the corners of a regular polygon with sides as long as
/// the elements, and all forces between them vanish.
#[test]
fn a_rolled_rod_is_in_balance() {
    let (length, count) = (3.0, 12);
    let side = length / f64::from(count);
    let straight = [node(Vec3::ZERO, Quat::IDENTITY), node(Vec3::X * side, Quat::IDENTITY)];
    let rod = Rod::new(&straight, [PLAIN; 2], STRETCH, BENDING);
    let angle = TAU / f64::from(count);
    let (mut place, mut turn) = (Vec3::ZERO, 0.0);
    let mut nodes = vec![node(place, Quat::IDENTITY)];
    for _ in 0..count {
        place += Quat::from_rotation_z(turn + 0.5 * angle) * Vec3::X * side;
        turn += angle;
        nodes.push(node(place, Quat::from_rotation_z(turn)));
    }
    assert!(place.length() < 1e-14);
    let moment = TAU * BENDING[2] / length;
    for pair in nodes.windows(2) {
        let (_, force) = rod.force(&[pair[0], pair[1]]);
        let expected = [0.0, 0.0, 0.0, 0.0, 0.0, moment, 0.0, 0.0, 0.0, 0.0, 0.0, -moment];
        assert!(force.iter().zip(expected).all(|(f, e)| (f - e).abs() < 1e-12), "{force:?}");
    }
}

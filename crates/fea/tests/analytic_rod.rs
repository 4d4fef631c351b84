//! The exact rod and the corotational beam: no energy in rigid motion, forces and stiffness as derivatives, a circle in closed form.

use std::f64::consts::TAU;

use huygens_fea::element::beam_corotational::BeamCorotational;
use huygens_fea::element::frame::{FrameColumns, FrameElement, Mount, RodNode, mounts};
use huygens_fea::element::rod::Rod;
use huygens_fea::element::rod_quadratic::RodQuadratic;
use huygens_fea::section::{SectionPlace, SectionValues};
use huygens_kernel::rotation::exp;
use huygens_kernel::{Quat, Vec3};

const STRETCH: [f64; 3] = [50.0, 20.0, 30.0];
const BENDING: [f64; 3] = [2.0, 3.0, 5.0];

fn node(place: Vec3, turn: Quat) -> RodNode {
    RodNode { place: place.to_array(), turn: turn.to_array() }
}

/// A section with all couplings.
fn section() -> SectionValues {
    let mut coupling = [[0.0; 6]; 6];
    for (i, row) in coupling.iter_mut().enumerate() {
        (0..6).filter(|j| *j != i).for_each(|j| row[j] = 0.3 / (1.0 + (i + j) as f64));
    }
    SectionValues { coupling: Some(coupling), ..SectionValues::elastic(STRETCH, BENDING) }
}

fn mount(x: f64, y: f64, z: f64, arm: [f64; 3]) -> Mount {
    Mount { turn: exp(Vec3::new(x, y, z)).to_array(), arm }
}

fn moved<const N: usize>(nodes: &[RodNode; N], column: usize, by: f64) -> [RodNode; N] {
    let mut nodes = *nodes;
    let (node, k) = (&mut nodes[column / 6], column % 6);
    if k < 3 {
        node.place[k] += by;
    } else {
        node.turn = (Quat::from_array(node.turn) * exp(Vec3::AXES[k - 3] * by)).to_array();
    }
    nodes
}

/// A rod that was curved at rest, with sections beside the nodes, and its nodes after a large motion.
fn rod() -> (Rod, [RodNode; 2]) {
    let mounts = [mount(0.3, 0.2, -0.1, [0.05, -0.1, 0.02]), mount(-0.2, 0.4, 0.3, [0.0, 0.07, 0.1])];
    let rest =
        [node(Vec3::ZERO, Quat::IDENTITY), node(Vec3::new(0.8, 0.2, -0.1), exp(Vec3::new(0.1, 0.3, 0.2)))];
    let now = [
        node(Vec3::new(0.2, 0.5, 1.0), exp(Vec3::new(0.4, -1.0, 0.7))),
        node(Vec3::new(-0.3, 0.9, 1.6), exp(Vec3::new(-0.3, -1.6, 1.1))),
    ];
    (Rod::new(&rest, mounts, &section()), now)
}

fn quadratic_rest() -> [RodNode; 3] {
    [
        node(Vec3::ZERO, Quat::IDENTITY),
        node(Vec3::new(0.4, 0.15, -0.1), exp(Vec3::new(0.1, 0.1, 0.15))),
        node(Vec3::new(0.8, 0.2, -0.1), exp(Vec3::new(0.1, 0.3, 0.2))),
    ]
}

/// Likewise with three nodes; `turn` is that between them.
fn quadratic(turn: f64) -> (RodQuadratic, [RodNode; 3]) {
    let mounts = [
        mount(0.3, 0.2, -0.1, [0.05, -0.1, 0.02]),
        mount(0.1, 0.0, -0.1, [0.0, 0.1, 0.02]),
        mount(-0.2, 0.4, 0.3, [0.0, 0.07, 0.1]),
    ];
    let base = exp(Vec3::new(-0.1, -1.2, 0.9));
    let now = [
        node(Vec3::new(0.2, 0.5, 1.0), base * exp(Vec3::new(0.6, -0.3, 0.9) * turn)),
        node(Vec3::new(0.0, 0.8, 1.2), base),
        node(Vec3::new(-0.3, 0.9, 1.6), base * exp(Vec3::new(-0.2, 0.5, 0.8) * turn)),
    ];
    (RodQuadratic::new(&quadratic_rest(), mounts, &section()), now)
}

fn carried<const N: usize>(nodes: [RodNode; N]) -> [RodNode; N] {
    let turn = exp(Vec3::new(1.0, -2.0, 1.5));
    nodes.map(|n| {
        let place = turn * Vec3::from(n.place) + Vec3::new(4.0, 5.0, 6.0);
        node(place, turn * Quat::from_array(n.turn))
    })
}

/// No energy, no force, and no damping while all turns.
fn check_rigid<const N: usize, const S: usize>(element: impl FrameElement<N, S>, rest: [RodNode; N]) {
    let nodes = carried(rest);
    let (energy, force) = element.force(&nodes);
    let none = |force: &FrameColumns<N>| force.iter().flatten().all(|f| f.abs() < 1e-13);
    assert!(energy < 1e-28 && none(&force), "{energy} {force:?}");
    let omega = Vec3::new(0.3, -0.8, 0.5);
    let velocity = nodes.map(|node| {
        let v = Vec3::ONE + omega.cross(Vec3::from(node.place));
        let w = Quat::from_array(node.turn).inverse() * omega;
        [v.x, v.y, v.z, w.x, w.y, w.z]
    });
    let damped = element.force_damped(&nodes, &velocity, 0.1);
    assert!(none(&damped), "{damped:?}");
}

#[test]
fn rigid_motion_takes_no_energy_and_no_force() {
    let rest = [quadratic_rest()[0], quadratic_rest()[2]];
    check_rigid(Rod::new(&rest, rod().0.mounts, &section()), rest);
    check_rigid(quadratic(1.0).0, quadratic_rest());
    check_rigid(offset_beam(&rest), rest);
}

fn check_derivatives<const N: usize, const S: usize, const C: usize>(
    nodes: &[RodNode; N],
    element: &impl FrameElement<N, S>,
) {
    let h = 1e-6;
    let (energy, now) = element.force(nodes);
    assert!((energy - element.energy(nodes)).abs() <= 1e-15 * energy);
    let (stiffness, damping) = element.matrices::<C>(nodes);
    assert_eq!(stiffness, element.stiffness::<C>(nodes));
    for j in 0..C {
        let (more, less) = (element.force(&moved(nodes, j, h)), element.force(&moved(nodes, j, -h)));
        let slope = (more.0 - less.0) / (2.0 * h);
        assert!((now[j / 6][j % 6] + slope).abs() < 1e-7 * (1.0 + energy), "{j}");
        let mut velocity = [[0.0; 6]; N];
        velocity[j / 6][j % 6] = 1.0;
        let damped = element.force_damped(nodes, &velocity, 0.1);
        for i in 0..C {
            let (a, b) = (i / 6, i % 6);
            let slope = (less.1[a][b] - more.1[a][b]) / (2.0 * h);
            assert!(
                (stiffness[i][j] - slope).abs() < 1e-6 * (1.0 + energy),
                "{i} {j}: {} {slope}",
                stiffness[i][j]
            );
            let resisted = (now[a][b] - damped[a][b]) / 0.1;
            assert!((damping[i][j] - resisted).abs() < 1e-11 * (1.0 + energy), "{i} {j}");
        }
    }
}

#[test]
fn forces_and_stiffness_are_derivatives() {
    let (rod, nodes) = rod();
    check_derivatives::<2, 6, 12>(&nodes, &rod);
    // Small turns, where series are used, and large ones.
    for turn in [1e-3, 0.3, 1.3] {
        let (rod, nodes) = quadratic(turn);
        check_derivatives::<3, 12, 18>(&nodes, &rod);
    }
}

fn beam() -> BeamCorotational {
    let nodes = [node(Vec3::ZERO, Quat::IDENTITY), node(Vec3::X * 0.8, Quat::IDENTITY)];
    BeamCorotational::new(&nodes, &[SectionValues::elastic(STRETCH, BENDING); 2])
}

/// A beam that gets thinner, beside its nodes and turned about its axis.
fn offset_beam(nodes: &[RodNode; 2]) -> BeamCorotational {
    let place = SectionPlace { offset: [0.1, -0.05], angle: 0.4 };
    let first = SectionValues { place, ..SectionValues::elastic(STRETCH, BENDING) };
    let thin = SectionValues::elastic([30.0, 10.0, 10.0], [1.0, 1.5, 2.0]);
    let second = SectionValues { place: SectionPlace { offset: [0.02, 0.0], angle: 0.4 }, ..thin };
    BeamCorotational::new(nodes, &[first, second])
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
    check_derivatives::<2, 7, 12>(&nodes, &beam());
    let rest = [quadratic_rest()[0], quadratic_rest()[2]];
    check_derivatives::<2, 7, 12>(&nodes, &offset_beam(&rest));
}

/// A force at the centre of an offset section bends the beam as one through the node does with the moment of its arm.
#[test]
fn an_offset_section_is_on_a_rigid_arm() {
    let rest = [node(Vec3::ZERO, Quat::IDENTITY), node(Vec3::X * 0.8, Quat::IDENTITY)];
    let place = SectionPlace { offset: [0.1, -0.05], angle: 0.0 };
    let section = SectionValues { place, ..SectionValues::elastic(STRETCH, BENDING) };
    let (straight, beside) = (beam(), BeamCorotational::new(&rest, &[section; 2]));
    assert_eq!(beside.mounts[0].arm, [0.0, 0.1, -0.05]);
    assert_eq!(mounts(&rest, [place; 2], true)[1], beside.mounts[1]);
    // Both sections move the same way; the nodes of the one beside follow its arms.
    let arm = Vec3::new(0.0, 0.1, -0.05);
    let moved = [(Vec3::ZERO, exp(Vec3::new(0.1, 0.2, -0.1))), (Vec3::new(0.85, 0.1, 0.0), Quat::IDENTITY)];
    let centres = moved.map(|(x, q)| node(x, q));
    let nodes = moved.map(|(x, q)| node(x - q * arm, q));
    let ((energy, force), (same, other)) = (straight.force(&centres), beside.force(&nodes));
    assert!((energy - same).abs() < 1e-14);
    for k in 0..2 {
        let [f, m] = [0, 3].map(|i| Vec3::from_slice(&force[k][i..i + 3]));
        let expected = m + arm.cross(moved[k].1.inverse() * f);
        assert!((Vec3::from_slice(&other[k][..3]) - f).length() < 1e-13);
        assert!((Vec3::from_slice(&other[k][3..]) - expected).length() < 1e-13);
    }
}

/// A cantilever whose bending stiffness falls from p to q along its length: P ∫ (L−x)²/EI dx, by one element to 2 % for
/// q = p/2, as the cubic is not the exact shape; the moment at the end alone is P L at the start.
#[test]
fn a_tapered_cantilever() {
    let rest = [node(Vec3::ZERO, Quat::IDENTITY), node(Vec3::X, Quat::IDENTITY)];
    let ends = [2.0, 1.0].map(|k| SectionValues::elastic([50.0, 1.0, 1.0], [1.0, k, k]));
    let beam = BeamCorotational::new(&rest, &ends);
    let k = beam.stiffness::<12>(&rest);
    // Two unknowns: deflection along y and turn about z of the end.
    let (a, b, c) = (k[7][7], k[7][11], k[11][11]);
    let deflection = c / (a * c - b * b);
    // ∫ (1−x)²/(2−x) dx = ∫ u²/(1+u) du from 0 to 1 = ln 2 − 1/2.
    let exact = 2.0_f64.ln() - 0.5;
    assert!((deflection / exact - 1.0).abs() < 0.02, "{deflection} {exact}");
}

/// A cantilever: the stiffness at rest gives P L³/3EI, M L/EI, P L/EA and M L/GJ.
#[test]
fn a_cantilever_bends_by_the_closed_forms() {
    let rest = [node(Vec3::ZERO, Quat::IDENTITY), node(Vec3::X * 0.8, Quat::IDENTITY)];
    let k = beam().stiffness::<12>(&rest);
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
    let rod = Rod::new(&straight, [Mount::PLAIN; 2], &SectionValues::elastic(STRETCH, BENDING));
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
        assert!(force.as_flattened().iter().zip(expected).all(|(f, e)| (f - e).abs() < 1e-12), "{force:?}");
    }
}

//! Cantilevers far from straight: the Princeton beam and the 45° bend, by Newton's method on the elements alone.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

use huygens_fea::beam_corotational::BeamCorotational;
use huygens_fea::rod::{Rod, RodColumns, RodNode};
use huygens_kernel::rotation::exp;
use huygens_kernel::{Quat, Vec3};

const PLAIN: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

enum Element {
    Rod(Rod),
    Beam(BeamCorotational),
}

impl Element {
    fn evaluate(&self, nodes: &[RodNode; 2]) -> (RodColumns, [[f64; 12]; 12]) {
        match self {
            Self::Rod(rod) => (rod.force(nodes).1, rod.stiffness(nodes)),
            Self::Beam(beam) => (beam.force(nodes).1, beam.stiffness(nodes)),
        }
    }
}

/// Solves a x = b by elimination with pivots.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for c in 0..n {
        let pivot = (c..n).max_by(|i, j| a[*i][c].abs().total_cmp(&a[*j][c].abs())).unwrap();
        a.swap(c, pivot);
        b.swap(c, pivot);
        for r in c + 1..n {
            let factor = a[r][c] / a[c][c];
            if factor != 0.0 {
                let (top, rest) = a.split_at_mut(r);
                (c..n).for_each(|k| rest[0][k] -= factor * top[c][k]);
                b[r] -= factor * b[c];
            }
        }
    }
    for r in (0..n).rev() {
        b[r] = (b[r] - (r + 1..n).map(|k| a[r][k] * b[k]).sum::<f64>()) / a[r][r];
    }
    b
}

/// Nodes of a line of elements, clamped at the first, under a force [N] on the last.
fn bent(mut nodes: Vec<RodNode>, elements: &[Element], load: Vec3) -> Vec<RodNode> {
    let n = 6 * (nodes.len() - 1);
    for step in 1..=10 {
        let load = load * (0.1 * f64::from(step));
        for iteration in 0..30 {
            let (mut force, mut stiffness) = (vec![0.0; n], vec![vec![0.0; n]; n]);
            (0..3).for_each(|k| force[n - 6 + k] = load[k]);
            for (at, element) in elements.iter().enumerate() {
                let (f, s) = element.evaluate(&[nodes[at], nodes[at + 1]]);
                for i in (0..12).filter(|i| at > 0 || *i > 5) {
                    let row = 6 * at + i - 6;
                    force[row] += f[i];
                    (0..12)
                        .filter(|j| at > 0 || *j > 5)
                        .for_each(|j| stiffness[row][6 * at + j - 6] += s[i][j]);
                }
            }
            let error = force.iter().map(|f| f * f).sum::<f64>().sqrt();
            // Rounding of places by 1e-16 m has forces of some 1e-8 N where EA is 3e6 N.
            if error < 1e-7 * load.length() {
                break;
            }
            assert!(iteration < 29, "no balance at step {step}: {error}");
            let change = solve(stiffness, force);
            for (node, change) in nodes[1..].iter_mut().zip(change.chunks(6)) {
                (0..3).for_each(|k| node.place[k] += change[k]);
                let turn = exp(Vec3::new(change[3], change[4], change[5]));
                node.turn = (Quat::from_array(node.turn) * turn).normalize().to_array();
            }
        }
    }
    nodes
}

fn at(place: Vec3, turn: Quat) -> RodNode {
    RodNode { place: place.to_array(), turn: turn.to_array() }
}

/// End displacement and twist of the Princeton beam with 10 elements; `angle` is that of the load.
fn princeton(exact: bool, load: f64, angle: f64) -> (Vec3, f64) {
    let (length, count) = (0.508, 10);
    // x along the beam, y the stiff way, z the soft way: bending about y is soft.
    let (stretch, bending) = ([2.84191e6, 9.03915e5, 9.03915e5], [3.10380, 2.42873, 36.2794]);
    let side = length / f64::from(count);
    let nodes: Vec<_> = (0..=count).map(|k| at(Vec3::X * side * f64::from(k), Quat::IDENTITY)).collect();
    let element = |pair: &[RodNode]| match exact {
        true => Element::Rod(Rod::new(&[pair[0], pair[1]], [PLAIN; 2], stretch, bending)),
        false => Element::Beam(BeamCorotational {
            length: side,
            stretch: stretch[0],
            bending,
            sections: [PLAIN; 2],
        }),
    };
    let elements: Vec<_> = nodes.windows(2).map(element).collect();
    let nodes = bent(nodes, &elements, -load * Vec3::new(0.0, angle.cos(), angle.sin()));
    let end = nodes[nodes.len() - 1];
    let y = Quat::from_array(end.turn) * Vec3::Y;
    (Vec3::from(end.place) - Vec3::X * length, y.y.atan2(y.z) - FRAC_PI_2)
}

/// Exact theory: 0.5 % of the largest displacement, 2 % of the twist.
#[test]
fn princeton_beam() {
    for exact in [true, false] {
        let (end, twist) = princeton(exact, 13.345, FRAC_PI_4);
        let most = 0.1565873;
        assert!((end.y + 0.0153416).abs() < 5e-3 * most && (end.z + most).abs() < 5e-3 * most, "{end}");
        assert!((twist.abs() - 0.0608116).abs() < 0.02 * 0.0608116, "{twist}");
        let (end, _) = princeton(exact, 13.345, FRAC_PI_2);
        assert!((end.z + 0.2006929).abs() < 5e-3 * 0.2006929 && end.y.abs() < 1e-9, "{end}");
    }
}

/// A 45° arc of radius 100 in, pushed out of its plane by 600 lb (bathe1979): 0.2 % with 16 rods.
#[test]
fn bend_of_45_degrees() {
    let (radius, count) = (100.0, 16);
    let place = |k: u32| {
        let angle = FRAC_PI_4 * f64::from(k) / f64::from(count);
        (Vec3::new(radius * angle.sin(), radius * (1.0 - angle.cos()), 0.0), Quat::from_rotation_z(angle))
    };
    let nodes: Vec<_> = (0..=count).map(|k| at(place(k).0, place(k).1)).collect();
    let (stretch, bending) = ([1e7, 4.1666667e6, 4.1666667e6], [7.03e5, 8.333333e5, 8.333333e5]);
    let rod = |pair: &[RodNode]| Element::Rod(Rod::new(&[pair[0], pair[1]], [PLAIN; 2], stretch, bending));
    let elements: Vec<_> = nodes.windows(2).map(rod).collect();
    let end = bent(nodes, &elements, Vec3::Z * 600.0)[count as usize].place;
    let moved = Vec3::from(end) - place(count).0;
    let expected = Vec3::new(-23.8188, -13.7315, 53.6078);
    for k in 0..3 {
        assert!((moved[k] - expected[k]).abs() < 2e-3 * expected[k].abs(), "{moved}");
    }
}

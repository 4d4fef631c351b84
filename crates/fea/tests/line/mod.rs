//! A clamped line of elements under a load at its end, by Newton's method on the elements alone.

use huygens_fea::element::beam_corotational::BeamCorotational;
use huygens_fea::element::frame::{FrameElement, Mount, RodNode};
use huygens_fea::element::rod::Rod;
use huygens_fea::element::rod_quadratic::RodQuadratic;
use huygens_fea::section::SectionValues;
use huygens_kernel::rotation::exp;
use huygens_kernel::{Quat, Vec3};
use huygens_test_support::reference;

/// Kinds of elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Rod,
    RodQuadratic,
    Corotational,
}

pub enum Element {
    Rod(Rod),
    RodQuadratic(RodQuadratic),
    Corotational(BeamCorotational),
}

pub fn node(place: Vec3, turn: Quat) -> RodNode {
    RodNode { place: place.to_array(), turn: turn.to_array() }
}

impl Element {
    /// Forces and stiffness, row by row.
    fn evaluate(&self, nodes: &[RodNode]) -> (Vec<f64>, Vec<Vec<f64>>) {
        fn flat<const C: usize>(force: &[[f64; 6]], stiffness: [[f64; C]; C]) -> (Vec<f64>, Vec<Vec<f64>>) {
            (force.as_flattened().to_vec(), stiffness.iter().map(|row| row.to_vec()).collect())
        }
        match self {
            Self::Rod(rod) => {
                let nodes = [nodes[0], nodes[1]];
                flat::<12>(&rod.force(&nodes).1, rod.stiffness(&nodes))
            }
            Self::RodQuadratic(rod) => {
                let nodes = [nodes[0], nodes[1], nodes[2]];
                flat::<18>(&rod.force(&nodes).1, rod.stiffness(&nodes))
            }
            Self::Corotational(beam) => {
                let nodes = [nodes[0], nodes[1]];
                flat::<12>(&beam.force(&nodes).1, beam.stiffness(&nodes))
            }
        }
    }
}

/// Elements that are at rest at these nodes.
pub fn elements(kind: Kind, nodes: &[RodNode], section: &SectionValues) -> Vec<Element> {
    let plain = Mount::PLAIN;
    match kind {
        Kind::Rod => nodes
            .windows(2)
            .map(|pair| Element::Rod(Rod::new(&[pair[0], pair[1]], [plain; 2], section)))
            .collect(),
        Kind::Corotational => nodes
            .windows(2)
            .map(|pair| Element::Corotational(BeamCorotational::new(&[pair[0], pair[1]], &[*section; 2])))
            .collect(),
        Kind::RodQuadratic => nodes
            .windows(3)
            .step_by(2)
            .map(|n| Element::RodQuadratic(RodQuadratic::new(&[n[0], n[1], n[2]], [plain; 3], section)))
            .collect(),
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

/// Load at the end: a force [N] in world axes, a torque [N·m] in the axes of the last node.
#[derive(Clone, Copy)]
pub struct EndLoad {
    pub force: Vec3,
    pub torque: Vec3,
    /// Steps in which it is put on.
    pub steps: u32,
}

/// Nodes of a line of elements, clamped at the first, under a load on the last.
pub fn bent(mut nodes: Vec<RodNode>, elements: &[Element], load: EndLoad) -> Vec<RodNode> {
    let n = 6 * (nodes.len() - 1);
    for step in 1..=load.steps {
        let part = f64::from(step) / f64::from(load.steps);
        let scale = part * (load.force.length() + load.torque.length());
        let mut worst = Vec::new();
        for iteration in 0..30 {
            let (mut force, mut stiffness) = (vec![0.0; n], vec![vec![0.0; n]; n]);
            (0..3).for_each(|k| force[n - 6 + k] = part * load.force[k]);
            (0..3).for_each(|k| force[n - 3 + k] = part * load.torque[k]);
            let mut at = 0;
            for element in elements {
                let count = if matches!(element, Element::RodQuadratic(_)) { 3 } else { 2 };
                let (f, s) = element.evaluate(&nodes[at..at + count]);
                for i in (0..6 * count).filter(|i| at > 0 || *i > 5) {
                    let row = 6 * at + i - 6;
                    force[row] += f[i];
                    (0..6 * count)
                        .filter(|j| at > 0 || *j > 5)
                        .for_each(|j| stiffness[row][6 * at + j - 6] += s[i][j]);
                }
                at += count - 1;
            }
            let error = force.iter().map(|f| f * f).sum::<f64>().sqrt();
            worst.push(error / scale);
            // Rounding of places by 1e-16 m has forces of some 1e-8 N where EA is 3e6 N.
            if error < 1e-7 * scale {
                break;
            }
            assert!(iteration < 29, "no balance at step {step}: {worst:?}");
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

/// Rows of numbers of a reference table, without its comments and its first line; none where the folder is not there.
pub fn table(name: &str) -> Option<Vec<Vec<f64>>> {
    let text = std::fs::read_to_string(reference(&format!("fea/{name}"))?).unwrap();
    let numbers = |line: &str| -> Option<Vec<f64>> {
        line.split([',', ' ', '\t']).filter(|x| !x.is_empty()).map(|x| x.parse().ok()).collect()
    };
    Some(text.lines().filter_map(numbers).filter(|row| !row.is_empty()).collect())
}

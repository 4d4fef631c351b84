//! An element: a cord of rubber between two nodes.
//!
//! Run:  cargo run --release --bin element
//! See:  a weight stretches the cord to the ratio that the closed form gives, and swings on it at the right frequency.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use huygens::prelude::*;
use huygens_core::contract::Weights;
use huygens_fea::element::batch::{Element, ElementState};
use huygens_fea::element::kind::{Built, Kind, LineShape, MadeOf};
use huygens_fea::mesh::CellKind;
use huygens_fea::node::joint::NodeRef;
use huygens_fea::part::{Flexible, FlexiblePart};
use huygens_fea::structure::{self, Fixed, Node, NodeKind, PointMass, Structure};
use huygens_fea::{FeaError, Result};

// ANCHOR: element
/// Rubber that keeps its volume: energy density $\frac\mu2(\Lambda^2 + 2/\Lambda - 3)$ of the stretch Λ, no mass.
#[derive(Clone, Copy, Debug)]
struct Cord {
    /// Length at rest [m].
    length: f64,
    /// Shear modulus times area at rest [N].
    stiffness: f64,
}

impl Cord {
    fn axis(&self, q: &[f64]) -> (DVec3, f64) {
        let along = DVec3::from_slice(&q[3..]) - DVec3::from_slice(q);
        (along.normalize_or_zero(), along.length() / self.length)
    }

    /// Pull [N] at a stretch.
    fn pull(&self, stretch: f64) -> f64 {
        self.stiffness * (stretch - stretch.powi(-2))
    }
}

impl Element for Cord {
    const NODES: usize = 2;
    const POSITIONS: usize = 3;
    const COLUMNS: usize = 3;
    type Numbers = [f64; 6];

    fn evaluate(
        &self,
        at: &ElementState<'_>,
        _memory: &mut [f64],
        force: &mut [f64],
        tangent: Option<(&Weights, &mut [f64])>,
    ) {
        let (n, stretch) = self.axis(at.q);
        let pull = n * self.pull(stretch);
        force[..3].copy_from_slice(&pull.to_array());
        force[3..].copy_from_slice(&(-pull).to_array());
        let Some((weights, tangent)) = tangent else { return };
        // Along the cord the pull grows with the stretch; across it the pull turns.
        let along = self.stiffness * (1.0 + 2.0 * stretch.powi(-3)) / self.length;
        let across = self.pull(stretch) / (stretch * self.length);
        let outer = DMat3::from_cols(n * n.x, n * n.y, n * n.z);
        let block = (outer * along + (DMat3::IDENTITY - outer) * across) * weights.stiffness;
        for (i, row) in tangent.chunks_exact_mut(6).enumerate() {
            for (j, entry) in row.iter_mut().enumerate() {
                let sign = if (i < 3) == (j < 3) { 1.0 } else { -1.0 };
                *entry = sign * block.col(j % 3)[i % 3];
            }
        }
    }

    fn stored_energy(&self, q: &[f64], _memory: &[f64]) -> f64 {
        let (_, stretch) = self.axis(q);
        0.5 * self.stiffness * self.length * (stretch * stretch + 2.0 / stretch - 3.0)
    }

    fn for_each_mass(&self, _f: impl FnMut(usize, usize, f64)) {}

    fn fault(&self, q: &[f64], _memory: &[f64]) -> Option<(&'static str, f64)> {
        let (_, stretch) = self.axis(q);
        (stretch < 1e-6).then_some(("has collapsed (stretch)", stretch))
    }
}
// ANCHOR_END: element

// ANCHOR: kind
/// Cords of one rubber.
#[derive(Clone, Copy, Debug)]
struct CordKind {
    /// Shear modulus [Pa].
    shear: f64,
    /// Area at rest [m²].
    area: f64,
}

impl Kind for CordKind {
    fn name(&self) -> &'static str {
        "cord"
    }
    fn cell(&self) -> CellKind {
        CellKind::Line2
    }
    fn node_kinds(&self) -> &'static [NodeKind] {
        &[NodeKind::Point]
    }
    fn made_of(&self) -> MadeOf {
        MadeOf::Kind
    }
    fn line(&self) -> Option<LineShape> {
        Some(LineShape::Straight)
    }
    fn check(&self, of: &Structure, element: &structure::Element, name: &str) -> Result<()> {
        match of.rest_length(element) > 0.0 && self.shear > 0.0 && self.area > 0.0 {
            true => Ok(()),
            false => Err(FeaError::Mismatch {
                what: name.into(),
                reason: "length, shear modulus and area must be positive".into(),
            }),
        }
    }
    fn build(&self, of: &Structure, index: u32) -> Result<Built> {
        let length = of.rest_length(&of.elements[index as usize]);
        Ok(Built::new(Cord { length, stiffness: self.shear * self.area }))
    }
    fn mass(&self, _of: &Structure, _element: &structure::Element) -> f64 {
        0.0
    }
}
// ANCHOR_END: kind

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    // The weight is the one that stretches the cord by half.
    let (kind, length, stretch, gravity) = (CordKind { shear: 4e5, area: 1e-4 }, 0.5, 1.5f64, 9.81);
    let stiffness = kind.shear * kind.area;
    let mass = stiffness * (stretch - stretch.powi(-2)) / gravity;

    // ANCHOR: add
    let node = |z: f64| Node::new(NodeKind::Point, DVec3::new(0.0, 0.0, z), DQuat::IDENTITY);
    let cord = Structure {
        name: "cord".into(),
        nodes: vec![node(0.0), node(-length)],
        elements: vec![structure::Element::new(Arc::new(kind), &[0, 1], 0)],
        fixed: vec![Fixed { nodes: vec![0], columns: Vec::new() }],
        masses: vec![PointMass { node: 1, mass, inertia: DMat3::ZERO }],
        ..Structure::default()
    };
    let mut world = World::new([0.0, 0.0, -gravity]);
    world.add_part("cord", FlexiblePart::new(Flexible { structures: vec![cord], ..Flexible::default() })?)?;
    world.equilibrium()?;
    let place = world.part::<FlexiblePart>("cord")?.place(NodeRef { structure: 0, node: 1 });
    // ANCHOR_END: add
    let (place, state) = (place.ok_or("no place")?, world.state().ok_or("no state")?);
    let found = -state.q[place.q + 2] / length;
    println!("stretch {found:.12}, expected {stretch}");
    assert!((found - stretch).abs() < 1e-9);

    // Small motions: along the cord by its stiffness there, across it as a pendulum of the stretched length.
    let along = (stiffness * (1.0 + 2.0 * stretch.powi(-3)) / length / mass).sqrt();
    let across = (gravity / (stretch * length)).sqrt();
    let modes = world.natural_modes(ModesSpec { count: 3, ..ModesSpec::default() })?;
    let mut rates: Vec<f64> = modes.squares.iter().map(|square| square.sqrt()).collect();
    rates.sort_by(f64::total_cmp);
    println!("rates {rates:.9?} rad/s, expected {across:.9} twice and {along:.9}");
    for (rate, expected) in rates.iter().zip([across, across, along]) {
        assert!((rate - expected).abs() < 1e-7 * expected);
    }
    assert_eq!(rates.len(), 3);
    Ok(())
}

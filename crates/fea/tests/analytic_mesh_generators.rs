//! Generated meshes and the structures made of them.

use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_2, TAU};

use glam::DVec3;
use huygens_fea::FeaError;
use huygens_fea::element::{beam_ancf, beam_corotational, cable, rod_quadratic};
use huygens_fea::mesh::{BlockSplit, Mesh, tetrahedron_volume};
use huygens_fea::section::material::Elastic;
use huygens_fea::section::{Section, SectionPlace};
use huygens_fea::structure::{Element, NodeKind, SectionUse, Structure};

const STEEL: Elastic = Elastic { young: 2.1e11, poisson: 0.3, density: 7800.0 };

fn with_section(mut structure: Structure) -> Structure {
    structure.solids.push(STEEL);
    let section = Section::Circle { radius: 0.01 };
    structure.sections.push(SectionUse { section, solid: Some(0), place: SectionPlace::default() });
    structure
}

#[test]
fn blocks_fill_the_box_and_their_skin_is_closed() {
    let size = DVec3::new(2.0, 0.5, 1.0);
    for (split, per_cell) in [(BlockSplit::Five, 5), (BlockSplit::Six, 6)] {
        let mesh = Mesh::block(DVec3::splat(-3.0), size, [3, 2, 4], split).unwrap();
        assert_eq!(mesh.cells.len(), 24 * per_cell);
        let corners = |nodes: &[u32]| std::array::from_fn(|k| mesh.nodes[nodes[k] as usize]);
        let volumes: Vec<_> = mesh.cells.iter().map(|c| tetrahedron_volume(&corners(c.nodes()))).collect();
        assert!(volumes.iter().all(|&v| v > 0.0));
        assert!((volumes.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        // Equal diagonals on both sides of every face: the skin has only the outer triangles, two a square.
        let skin: Vec<[u32; 3]> = mesh.skin().triangles().collect();
        assert_eq!(skin.len(), 2 * 2 * (3 * 2 + 2 * 4 + 3 * 4));
        let mut edges = BTreeMap::new();
        for [a, b, c] in &skin {
            for (a, b) in [(a, b), (b, c), (c, a)] {
                *edges.entry((a.min(b), a.max(b))).or_insert(0) += if a < b { 1 } else { -1 };
            }
        }
        assert!(edges.values().all(|&n| n == 0), "every edge is run through once each way");
        // Gauss: the volume from the outward skin.
        let volume: f64 = skin
            .iter()
            .map(|t| t.map(|n| mesh.nodes[n as usize]))
            .map(|[a, b, c]| a.dot(b.cross(c)) / 6.0)
            .sum();
        assert!((volume - 1.0).abs() < 1e-12);
        assert_eq!(mesh.node_sets["x_min"].len(), 3 * 5);
        assert_eq!(mesh.surfaces["z_max"].len(), 2 * 3 * 2);
        let mut structure = Structure::from_mesh("block", &mesh, &beam_corotational::BEAM, None).unwrap();
        structure.solids.push(STEEL);
        structure.check().unwrap();
        assert!(structure.nodes.iter().all(|n| n.kind == NodeKind::Point));
    }
}

#[test]
fn lines_on_a_circle_have_its_tangents_and_length() {
    let errors = [8, 16].map(|n| {
        // Uneven steps: the direction is exact for any three points of a circle.
        let angle = |k: i32| FRAC_PI_2 * (f64::from(k) / f64::from(n)).powf(1.2);
        let points: Vec<_> =
            (0..=n).map(|k| angle(k).sin_cos()).map(|(s, c)| DVec3::new(c, s, 0.5)).collect();
        let mesh = Mesh::polyline(&points, 1, false).unwrap();
        let kind = &cable::CABLE_GREEN;
        let structure = with_section(Structure::from_mesh("arc", &mesh, kind, None).unwrap());
        structure.check().unwrap();
        for node in &structure.nodes {
            let tangent = DVec3::new(-node.position.y, node.position.x, 0.0);
            assert!((node.rotation * DVec3::X - tangent).length() < 1e-12);
            assert!((node.rotation * DVec3::Z - DVec3::Z).length() < 1e-12);
        }
        assert_eq!(structure.find_node("end").unwrap(), n as u32);
        structure.elements.iter().map(|e| structure.rest_length(e)).sum::<f64>() - FRAC_PI_2
    });
    // Cubic curves: fourth order.
    let order = (errors[0] / errors[1]).log2();
    assert!(errors[1].abs() < 1e-6 && (order - 4.0).abs() < 0.2, "{errors:?}, order {order}");
}

#[test]
fn a_ring_is_closed_and_lines_that_run_backwards_are_turned() {
    let points: Vec<_> =
        (0..12).map(|k| (TAU * f64::from(k) / 12.0).sin_cos()).map(|(s, c)| DVec3::new(c, s, 0.0)).collect();
    let mut mesh = Mesh::polyline(&points, 2, true).unwrap();
    assert_eq!((mesh.nodes.len(), mesh.cells.len()), (24, 24));
    let nodes: Vec<_> = mesh.cells[5].nodes().iter().rev().copied().collect();
    mesh.cells[5] = huygens_fea::mesh::Cell::new(6, mesh.cells[5].kind, &nodes).unwrap();
    let structure = with_section(Structure::from_mesh("ring", &mesh, &beam_ancf::BEAM_ANCF, None).unwrap());
    structure.check().unwrap();
    assert!(structure.pins.is_empty());
    for element in &structure.elements {
        let [a, b] = element.nodes()[..] else { panic!("two nodes") };
        let [a, b] = [a, b].map(|n| structure.nodes[n as usize]);
        assert!((a.rotation * DVec3::X).dot(b.position - a.position) > 0.0);
        assert!((b.rotation * DVec3::X).dot(b.position - a.position) > 0.0);
    }
}

#[test]
fn cables_of_a_net_cross_at_pins_and_beams_share_nodes() {
    let sides = [DVec3::X * 3.0, DVec3::Y * 2.0];
    let mesh = Mesh::net(DVec3::ZERO, sides, [3, 2]).unwrap();
    assert_eq!((mesh.nodes.len(), mesh.cells.len()), (12, 3 * 3 + 4 * 2));
    let net = with_section(Structure::from_mesh("net", &mesh, &cable::CABLE, None).unwrap());
    net.check().unwrap();
    assert_eq!((net.nodes.len(), net.pins.len()), (24, 12));
    for [a, b] in &net.pins {
        let [a, b] = [a, b].map(|&n| net.nodes[n as usize]);
        assert_eq!(a.position, b.position);
        assert!((a.rotation * DVec3::X).dot(b.rotation * DVec3::X).abs() < 1e-12);
    }
    for element in &net.elements {
        let [a, b] = element.nodes()[..] else { panic!("two nodes") };
        let [a, b] = [a, b].map(|n| net.nodes[n as usize]);
        let along = b.position - a.position;
        assert!(
            (a.rotation * DVec3::X - along).length() < 1e-12
                && (b.rotation * DVec3::X - along).length() < 1e-12
        );
    }
    let beams = with_section(Structure::from_mesh("frame", &mesh, &beam_corotational::BEAM, None).unwrap());
    assert_eq!((beams.nodes.len(), beams.pins.len()), (12, 0));
    let rods = with_section(Structure::from_mesh("rods", &mesh, &rod_quadratic::ROD3, None).unwrap());
    rods.check().unwrap();
    assert_eq!(rods.nodes.len(), 12 + 17);
}

#[test]
fn wrong_structures_are_refused_by_name() {
    let beam = || {
        let mesh = Mesh::beam(DVec3::ZERO, DVec3::X, 2).unwrap();
        with_section(Structure::from_mesh("bar", &mesh, &beam_corotational::BEAM, None).unwrap())
    };
    let refused = |structure: &Structure, words: &str| {
        let text = structure.check().unwrap_err().to_string();
        assert!(text.contains(words), "'{text}' lacks '{words}'");
    };
    beam().check().unwrap();
    let mut wrong = beam();
    wrong.nodes[1].position = DVec3::X;
    refused(&wrong, "beam 2 of structure 'bar' between node 2 of structure 'bar' and node 3");
    assert!(matches!(wrong.check(), Err(FeaError::ZeroLength { length: 0.0, .. })));
    let mut wrong = beam();
    wrong.nodes[1].kind = NodeKind::Slope;
    refused(
        &wrong,
        "incompatible node types: beam 1 of structure 'bar' needs nodes with a position and a rotation, but node 2",
    );
    let mut wrong = beam();
    wrong.solids[0].density = 0.0;
    refused(&wrong, "node 1 of structure 'bar' has no mass");
    let mut wrong = beam();
    wrong.elements[1] = Element::beam([1, 9], 0);
    refused(&wrong, "refers to node 9, but there are 3");
    let mut wrong = beam();
    wrong.sections[0].solid = None;
    refused(&wrong, "needs a material");
    let block = Mesh::block(DVec3::ZERO, DVec3::ONE, [1, 1, 1], BlockSplit::Six).unwrap();
    let mut wrong = Structure::from_mesh("box", &block, &beam_corotational::BEAM, None).unwrap();
    wrong.solids.push(STEEL);
    wrong.nodes[0].position = DVec3::splat(3.0);
    refused(&wrong, "tetrahedron 1 of structure 'box' with node 1 of structure 'box', node 2");
    assert!(matches!(wrong.check(), Err(FeaError::Inverted { volume, .. }) if volume < 0.0));
    assert!(
        Mesh::polyline(&[DVec3::ZERO, DVec3::X, DVec3::X], 1, false)
            .unwrap_err()
            .to_string()
            .contains("points 1 and 2")
    );
}

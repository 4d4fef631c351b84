//! Mesh files: the same mesh in every format, what is wrong with broken ones, and that no damage makes a reader panic.

use glam::DVec3;
use huygens_fea::mesh::{CellKind, Limits, Mesh, MeshFault, MeshPlace, read_abaqus, read_gmsh};

/// Two tetrahedra on the triangle 2 3 4, a triangle and a line.
const TEXT_2: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 7 \"top face\"\n3 9 \"body\"\n\
$EndPhysicalNames\n$Comments\nanything $Nodes\n$EndComments\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n17 1 1 1.5e0\n\
$EndNodes\n$Elements\n4\n1 4 2 9 1 1 2 3 4\n2 4 2 9 1 17 2 4 3\n3 2 2 7 1 2 3 17\n4 1 2 0 1 1 17\n$EndElements\n";

const TEXT_4: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 7 \"top face\"\n3 9 \"body\"\n\
$EndPhysicalNames\n$Entities\n0 1 1 1\n5 0 0 0 1 1 1 0 0\n6 0 0 0 1 1 1 1 7 0\n8 0 0 0 1 1 1 1 9 1 6\n$EndEntities\n\
$Nodes\n2 5 1 17\n3 8 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n2 6 1 1\n17\n1 1 1.5 0.25 0.75\n$EndNodes\n\
$Elements\n3 4 1 4\n3 8 4 2\n1 1 2 3 4\n2 17 2 4 3\n2 6 2 1\n3 2 3 17\n1 5 1 1\n4 1 17\n$EndElements\n";

const ABAQUS: &str = "*HEADING\n anything\n** comment\n*Node, nset=Everything\n1, 0, 0, 0\n2, 1., 0., 0.\n3,0,1\n4,0,0,1\n\
17, 1.D0, 1, 1.5\n*Element, type=C3D4,\nelset=body\n1, 1, 2,\n3, 4\n2, 17, 2, 4, 3\n*ELEMENT, TYPE=T3D2\n4, 1, 17\n\
*NSET, NSET=low, GENERATE\n1, 3, 2\n*NSET, NSET=more\nLOW, 4\n*ELSET, ELSET=first\n1\n*SURFACE, NAME=outside, TYPE=ELEMENT\n\
first, S1\n2, S2\n*ELEMENT, TYPE=CPS3, ELSET=top\n3, 2, 3, 17\n*BOUNDARY\nlow, 1, 3\n";

fn limits() -> Limits {
    Limits { bytes: 1 << 20, nodes: 1000, cells: 1000 }
}

/// A binary file of version 2.2 or 4.1 with the mesh of the texts.
fn binary(version: u8, big: bool) -> Vec<u8> {
    let mut out = format!("$MeshFormat\n{} 1 8\n", if version == 2 { "2.2" } else { "4.1" }).into_bytes();
    let int = |x: i32| if big { x.to_be_bytes() } else { x.to_le_bytes() };
    let size = |x: u64| if big { x.to_be_bytes() } else { x.to_le_bytes() };
    let real = |x: f64| if big { x.to_be_bytes() } else { x.to_le_bytes() };
    out.extend(int(1));
    out.extend(b"\n$EndMeshFormat\n$PhysicalNames\n2\n2 7 \"top face\"\n3 9 \"body\"\n$EndPhysicalNames\n");
    let nodes = [
        (1, [0.0, 0.0, 0.0]),
        (2, [1.0, 0.0, 0.0]),
        (3, [0.0, 1.0, 0.0]),
        (4, [0.0, 0.0, 1.0]),
        (17, [1.0, 1.0, 1.5]),
    ];
    let cells: [(i32, i32, i32, &[i32]); 4] =
        [(4, 9, 1, &[1, 2, 3, 4]), (4, 9, 2, &[17, 2, 4, 3]), (2, 7, 3, &[2, 3, 17]), (1, 0, 4, &[1, 17])];
    if version == 2 {
        out.extend(b"$Nodes\n5\n");
        for (label, place) in nodes {
            out.extend(int(label));
            place.iter().for_each(|&x| out.extend(real(x)));
        }
        out.extend(b"\n$EndNodes\n$Elements\n4\n");
        for (kind, group, label, nodes) in cells {
            [kind, 1, 2, label, group, 1].iter().for_each(|&x| out.extend(int(x)));
            nodes.iter().for_each(|&n| out.extend(int(n)));
        }
    } else {
        out.extend(b"$Entities\n");
        [0, 1, 1, 1].iter().for_each(|&x| out.extend(size(x)));
        for (number, groups, bounds) in [(5, &[][..], &[][..]), (6, &[7], &[]), (8, &[9], &[6])] {
            out.extend(int(number));
            (0..6).for_each(|_| out.extend(real(0.5)));
            for list in [groups, bounds] {
                out.extend(size(list.len() as u64));
                list.iter().for_each(|&x| out.extend(int(x)));
            }
        }
        out.extend(b"\n$EndEntities\n$Nodes\n");
        [2, 5, 1, 17].iter().for_each(|&x| out.extend(size(x)));
        for (block, parametric) in [(&nodes[..4], 0), (&nodes[4..], 1)] {
            [2, 6, parametric].iter().for_each(|&x| out.extend(int(x)));
            out.extend(size(block.len() as u64));
            block.iter().for_each(|(label, _)| out.extend(size(*label as u64)));
            for (_, place) in block {
                place.iter().for_each(|&x| out.extend(real(x)));
                (0..2 * parametric).for_each(|_| out.extend(real(0.5)));
            }
        }
        out.extend(b"\n$EndNodes\n$Elements\n");
        [4, 4, 1, 4].iter().for_each(|&x| out.extend(size(x)));
        for (kind, group, label, nodes) in cells {
            let (dimension, entity) =
                [(1, 5), (2, 6), (3, 8)][[0, 7, 9].iter().position(|&g| g == group).unwrap()];
            [dimension, entity, kind].iter().for_each(|&x| out.extend(int(x)));
            out.extend(size(1));
            out.extend(size(label as u64));
            nodes.iter().for_each(|&n| out.extend(size(n as u64)));
        }
    }
    out.extend(b"\n$EndElements\n");
    out
}

#[test]
fn one_mesh_in_every_format_of_gmsh() {
    let mesh = read_gmsh("two.msh", TEXT_2.as_bytes(), &limits()).unwrap();
    assert_eq!(mesh.labels, [1, 2, 3, 4, 17]);
    assert_eq!(mesh.nodes[4], DVec3::new(1.0, 1.0, 1.5));
    let kinds: Vec<_> = mesh.cells.iter().map(|c| (c.label, c.kind)).collect();
    let tetrahedron = CellKind::Tetrahedron4;
    assert_eq!(kinds, [(1, tetrahedron), (2, tetrahedron), (3, CellKind::Triangle3), (4, CellKind::Line2)]);
    assert_eq!(mesh.cells[1].nodes(), [4, 1, 3, 2]);
    assert_eq!(mesh.node_sets["top face"], [1, 2, 4]);
    assert_eq!(mesh.surfaces["top face"].iter().collect::<Vec<_>>(), [[1, 2, 4]]);
    assert_eq!(mesh.cell_sets["body"], [0, 1]);
    // The least number has no opposite.
    let least = TEXT_2.replace("4 1 2 0 1 1 17", "4 1 2 -9223372036854775808 1 1 17");
    let least = read_gmsh("least.msh", least.as_bytes(), &limits()).unwrap();
    assert_eq!(least.cell_sets["curve_-9223372036854775808"], [3]);
    let parametric =
        TEXT_2.replace("Nodes\n", "ParametricNodes\n").replace("anything $Parametric", "anything $");
    let parametric = parametric.replace("1 0 0 0\n2", "1 0 0 0 0 5\n2").replace(
        "\n2 1 0 0\n3 0 1 0\n4 0 0 1\n17 1 1 1.5e0",
        "\n2 1 0 0 1 5 0.5\n3 0 1 0 3 8\n4 0 0 1 0 7\n17 1 1 1.5e0 2 6 0.5 0.25",
    );
    for (name, bytes) in [
        ("2.2 with parameters", parametric.into_bytes()),
        ("4.1", TEXT_4.as_bytes().to_vec()),
        ("2.2 binary", binary(2, false)),
        ("2.2 binary, other order", binary(2, true)),
        ("4.1 binary", binary(4, false)),
        ("4.1 binary, other order", binary(4, true)),
    ] {
        let other = read_gmsh(name, &bytes, &limits()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(other, mesh, "{name}");
    }
}

#[test]
fn abaqus_has_the_same_mesh_and_its_sets() {
    let gmsh = read_gmsh("two.msh", TEXT_2.as_bytes(), &limits()).unwrap();
    let mesh = read_abaqus("two.inp", ABAQUS.as_bytes(), &limits()).unwrap();
    assert_eq!(mesh.nodes, gmsh.nodes);
    assert_eq!(mesh.labels, gmsh.labels);
    assert_eq!(mesh.cells[..2], gmsh.cells[..2]);
    assert_eq!(mesh.cells[2], gmsh.cells[3]);
    assert_eq!(mesh.node_sets["low"], [0, 2]);
    assert_eq!(mesh.node_sets["more"], [0, 2, 3]);
    assert_eq!(mesh.node_sets["Everything"], [0, 1, 2, 3, 4]);
    assert_eq!(mesh.cell_sets["body"], [0, 1]);
    // S1 of the first is 1 2 3, whose outside is below; S2 of the second is 17 3 2, whose outside is opposite to 4.
    let normal = |[a, b, c]: [u32; 3]| {
        let [a, b, c] = [a, b, c].map(|n| mesh.nodes[n as usize]);
        (b - a).cross(c - a)
    };
    let outside: Vec<_> = mesh.surfaces["outside"].triangles().collect();
    let [low, side] = outside[..] else { panic!("two faces") };
    assert_eq!(normal(low), -DVec3::Z);
    let sorted = |mut t: [u32; 3]| {
        t.sort_unstable();
        t
    };
    assert_eq!(sorted(side), [1, 2, 4]);
    assert!(normal(side).dot(mesh.nodes[3] - mesh.nodes[1]) < 0.0);
    assert_eq!(mesh.surfaces["top"].iter().collect::<Vec<_>>(), [[1, 2, 4]]);
    assert_eq!(mesh.warnings.len(), 1);
    assert!(mesh.warnings[0].contains("line 28: *BOUNDARY"), "{:?}", mesh.warnings);
}

#[test]
fn a_written_mesh_is_read_back() {
    let block =
        Mesh::block(DVec3::new(-1.0, 0.5, 0.1), DVec3::new(1.0, 0.3, 0.7), [2, 3, 1], Default::default())
            .unwrap();
    let mut bytes = Vec::new();
    block.write_abaqus(&mut bytes).unwrap();
    let read = read_abaqus("block.inp", &bytes, &limits()).unwrap();
    assert_eq!(read.nodes, block.nodes);
    assert_eq!(read.cells, block.cells);
    assert_eq!(read.node_sets["x_max"], block.node_sets["x_max"]);
}

#[track_caller]
fn refused(mesh: Result<Mesh, huygens_fea::mesh::MeshError>, line: usize, words: &[&str]) {
    let error = mesh.unwrap_err();
    assert_eq!(error.place, MeshPlace::Line(line), "{error}");
    let text = error.to_string();
    words.iter().for_each(|w| assert!(text.contains(w), "'{text}' lacks '{w}'"));
}

#[test]
fn broken_files_are_refused_with_their_line() {
    let gmsh = |from: &str, to: &str| {
        assert!(TEXT_2.contains(from));
        read_gmsh("a.msh", TEXT_2.replace(from, to).as_bytes(), &limits())
    };
    refused(
        gmsh("1 4 2 9 1 1 2 3 4", "1 5 2 9 1 1 2 3 4"),
        22,
        &["a.msh", "unknown element type 5 (hexahedron)"],
    );
    refused(gmsh("3 0 1 0", "3 0 one 0"), 16, &["a coordinate", "'one'"]);
    refused(gmsh("3 0 1 0", "3 0 inf 0"), 16, &["finite"]);
    refused(gmsh("3 0 1 0", "2 0 1 0"), 16, &["node 2 is defined twice"]);
    refused(gmsh("17 2 4 3", "18 2 4 3"), 23, &["element 2 refers to node 18"]);
    refused(gmsh("$Nodes\n5", "$Nodes\n5000000000"), 13, &["5000000000 nodes are declared"]);
    refused(gmsh("2.2 0 8", "3.0 0 8"), 2, &["version 3.0", "2.2 or 4.1"]);
    refused(gmsh("$EndElements", ""), 27, &["$EndElements", "end of the file"]);
    let abaqus = |from: &str, to: &str| {
        assert!(ABAQUS.contains(from));
        read_abaqus("a.inp", ABAQUS.replace(from, to).as_bytes(), &limits())
    };
    refused(abaqus("type=C3D4", "type=C3D20R"), 10, &["a.inp", "unknown element type C3D20R", "C3D4"]);
    refused(abaqus("2, 17, 2, 4, 3", "2, 17, 2, 4, 30"), 14, &["element 2 refers to node 30"]);
    refused(abaqus("2, 17, 2, 4, 3", "2, 17, 2, 4"), 14, &["4 nodes", "3 nodes"]);
    refused(abaqus("2, 1., 0., 0.", "2, 1., 0., x"), 6, &["a coordinate", "'x'"]);
    refused(abaqus("LOW, 4", "LOWER, 4"), 20, &["set 'more'", "LOWER"]);
    refused(abaqus("1, 3, 2\n", "1, 4000000000, 2\n"), 18, &["2000000000 nodes"]);
    refused(abaqus("*BOUNDARY", "*INCLUDE, INPUT=b.inp"), 28, &["INPUT", "one file"]);
    // One inside out among others is an error, all of them are turned.
    let fault = abaqus("2, 17, 2, 4, 3", "2, 17, 2, 3, 4").unwrap_err().fault;
    assert!(
        matches!(&fault, MeshFault::Volume { label: 2, nodes, volume } if nodes == &[17, 2, 3, 4] && *volume < 0.0)
    );
    let both = ABAQUS.replace("2, 17, 2, 4, 3", "2, 17, 2, 3, 4").replace("1, 1, 2,\n3, 4", "1, 1, 2,\n4, 3");
    let turned = read_abaqus("a.inp", both.as_bytes(), &limits()).unwrap();
    assert!(turned.warnings.iter().any(|w| w.contains("all 2 tetrahedra were inside out")));
    let flat = abaqus("17, 1.D0, 1, 1.5", "17, 0.5, 0.5, 0").unwrap_err();
    assert!(
        flat.to_string().contains("tetrahedron 2 with the nodes 17, 2, 4, 3 has the volume 0e0"),
        "{flat}"
    );
}

/// Numbers that look random, the same on every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % sides.max(1)
    }
}

#[test]
fn no_damage_makes_a_reader_panic() {
    let sources = [
        TEXT_2.as_bytes().to_vec(),
        TEXT_4.as_bytes().to_vec(),
        binary(2, false),
        binary(4, true),
        ABAQUS.as_bytes().to_vec(),
    ];
    let mut dice = Dice(1);
    let mut read = [0, 0];
    for round in 0..20_000 {
        let mut bytes = sources[round % sources.len()].clone();
        for _ in 0..=dice.roll(4) {
            let at = dice.roll(bytes.len());
            match dice.roll(5) {
                0 => bytes[at] = dice.roll(256) as u8,
                1 => bytes[at] = b"0123456789-*$,.\n e\xff"[dice.roll(19)],
                2 => bytes.truncate(at),
                3 => drop(bytes.splice(at..(at + dice.roll(20)).min(bytes.len()), [])),
                _ => {
                    let piece = bytes[at..(at + dice.roll(40)).min(bytes.len())].to_vec();
                    let to = dice.roll(bytes.len() + 1);
                    drop(bytes.splice(to..to, piece));
                }
            }
            if bytes.is_empty() {
                break;
            }
        }
        for reader in [read_gmsh, read_abaqus] {
            match reader("damaged", &bytes, &limits()) {
                Ok(mesh) => {
                    read[0] += 1;
                    assert!(
                        mesh.cells.iter().flat_map(|c| c.nodes()).all(|&n| (n as usize) < mesh.nodes.len())
                    );
                    let kind = &huygens_fea::element::rod_quadratic::ROD3;
                    if let Ok(structure) =
                        huygens_fea::structure::Structure::from_mesh("x", &mesh, kind, None)
                    {
                        drop(structure.check());
                    }
                }
                Err(error) => {
                    read[1] += 1;
                    assert!(!error.to_string().is_empty());
                }
            }
        }
    }
    // The damage is neither always fatal nor never.
    assert!(read[0] > 1000 && read[1] > 1000, "{read:?}");
}

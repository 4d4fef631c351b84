//! OBJ and STL files: what is read, against independent readers, and what is refused.

use std::io::Cursor;
use std::path::Path;

use glam::DVec3;
use huygens_geometry::Shape;
use huygens_geometry::mesh_file::{
    MeshData, MeshFault, MeshFileError, MeshLimits, Place, read, read_obj, read_stl,
};

/// A box of edges 1, 2, 3 as an OBJ: quads, two groups that share vertices, texture, normals, comments.
const BOX: &str = "\
# a box
mtllib none.mtl
o box
v 0 0 0
v 1 0 0
v 1 2 0
v 0 2 0
v 0 0 3
v 1 0 3 1.0
v 1 2 3 0.5 0.5 0.5
v 0 2 3
vt 0 0
vn 0 0 1
g ends
usemtl steel
f 1 4 3 2
f 5//1 6//1 7//1 8//1
g sides
s off
f 1/1 2/1 6/1 5/1
f 2/1/1 3/1/1 7/1/1 6/1/1
f -6 -5 \\
 -1 -2
f 4 1 5 8 # the last
";

fn obj(text: &str) -> Result<MeshData, MeshFault> {
    read_obj(text.as_bytes(), &MeshLimits::default())
}

fn stl(bytes: &[u8]) -> Result<MeshData, MeshFault> {
    read_stl(bytes, &MeshLimits::default())
}

fn volume(mesh: MeshData) -> f64 {
    Shape::mesh(mesh.vertices, mesh.triangles).unwrap().mass_properties(1.0).unwrap().mass
}

fn corners(mesh: &MeshData) -> Vec<[DVec3; 3]> {
    mesh.triangles.iter().map(|t| t.map(|i| mesh.vertices[i as usize])).collect()
}

/// The triangles as an STL writes them.
fn facets(mesh: &MeshData) -> Vec<stl_io::Triangle> {
    let vertex = |p: DVec3| stl_io::Vertex::new([p.x as f32, p.y as f32, p.z as f32]);
    corners(mesh)
        .into_iter()
        .map(|t| stl_io::Triangle { normal: stl_io::Normal::new([0.0; 3]), vertices: t.map(vertex) })
        .collect()
}

fn binary(mesh: &MeshData) -> Vec<u8> {
    let mut bytes = Vec::new();
    stl_io::write_stl(&mut bytes, facets(mesh).iter()).unwrap();
    bytes
}

fn ascii(mesh: &MeshData) -> String {
    let mut text = "solid part one\n".to_owned();
    for [a, b, c] in corners(mesh) {
        text += "facet normal 0 0 0\n outer loop\n";
        for p in [a, b, c] {
            text += &format!("  vertex {:e} {} {}\n", p.x, p.y, p.z);
        }
        text += " endloop\nendfacet\n";
    }
    text + "endsolid part one\n"
}

#[test]
fn a_box_is_read_from_every_format() {
    let mesh = obj(BOX).unwrap();
    assert_eq!((mesh.vertices.len(), mesh.triangles.len(), mesh.degenerate), (8, 12, 0));
    let from_binary = stl(&binary(&mesh)).unwrap();
    let from_ascii = stl(ascii(&mesh).as_bytes()).unwrap();
    assert_eq!(from_binary, from_ascii);
    assert_eq!(corners(&from_binary), corners(&mesh));
    assert_eq!((from_binary.vertices.len(), from_binary.triangles.len()), (8, 12));
    for mesh in [mesh, from_binary] {
        assert!((volume(mesh) - 6.0).abs() < 1e-14);
    }
}

#[test]
fn other_readers_agree() {
    let mesh = obj(BOX).unwrap();
    let options = tobj::LoadOptions { triangulate: true, ..Default::default() };
    // That reader knows no joined lines, no comment behind a face, and colours only for all vertices or none.
    let text = BOX.replace("\\\n", "").replace(" 0.5 0.5 0.5", "").replace(" # the last", "");
    let no_materials = |_: &Path| Err(tobj::LoadError::OpenFileFailed);
    let (models, _) = tobj::load_obj_buf(&mut Cursor::new(text), &options, no_materials).unwrap();
    let position = |m: &tobj::Mesh, i: u32| DVec3::from_slice(&m.positions[3 * i as usize..]);
    let other: Vec<[DVec3; 3]> = models
        .iter()
        .flat_map(|m| m.mesh.indices.chunks(3).map(|t| [0, 1, 2].map(|c| position(&m.mesh, t[c]))))
        .collect();
    assert_eq!(corners(&mesh), other);

    let other = stl_io::read_stl(&mut Cursor::new(binary(&mesh))).unwrap();
    let point = |i: usize| DVec3::from_array(other.vertices[i].0.map(f64::from));
    let other: Vec<[DVec3; 3]> = other.faces.iter().map(|f| f.vertices.map(point)).collect();
    assert_eq!(corners(&stl(&binary(&mesh)).unwrap()), other);
}

#[test]
fn an_stl_may_hold_several_solids_and_odd_headers() {
    let mesh = obj(BOX).unwrap();
    let moved = MeshData { vertices: mesh.vertices.iter().map(|v| *v + 10.0).collect(), ..mesh.clone() };
    let two = format!("\u{feff}{}\n{}", ascii(&mesh).replace("solid part one", "SOLID"), ascii(&moved));
    assert_eq!(stl(two.as_bytes()).unwrap().triangles.len(), 24);
    // A binary file that begins with the word of the ASCII format.
    let mut bytes = binary(&mesh);
    bytes[..12].copy_from_slice(b"solid binary");
    assert_eq!(stl(&bytes).unwrap().triangles.len(), 12);
}

#[test]
fn concave_polygons_are_cut_inside() {
    // An L seen from above, its first corner the one from which a fan would leave the polygon.
    let outline = ["2 1", "1 1", "1 2", "0 2", "0 0", "2 0"];
    let mut text = String::new();
    for z in [0, 1] {
        for corner in outline {
            text += &format!("v {corner} {z}\n");
        }
    }
    text += "f 7 8 9 10 11 12\nf 6 5 4 3 2 1\n";
    for i in 0..6 {
        let j = (i + 1) % 6;
        text += &format!("f {} {} {} {}\n", i + 1, j + 1, j + 7, i + 7);
    }
    let mesh = obj(&text).unwrap();
    assert_eq!((mesh.triangles.len(), mesh.degenerate), (20, 0));
    let area: f64 = corners(&mesh).iter().map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length()).sum();
    assert!((area - 14.0).abs() < 1e-14, "triangles that leave the polygon cover more: {area}");
    assert!((volume(mesh) - 3.0).abs() < 1e-14);
}

#[test]
fn needles_are_removed_without_a_hole() {
    // A box whose upper rim has a point on one edge, bridged by a triangle of no area.
    let mut text = BOX.replace("f 5//1 6//1 7//1 8//1", "f 5 6 7\nf 5 7 8");
    text += "v 0.5 0 3\nf 5 9 6\nf 9 9 5\n";
    let text = text.replace("f 1/1 2/1 6/1 5/1", "f 1 2 9\nf 2 6 9\nf 1 9 5");
    // Faces above come before vertex 9 is known, so they move to the end.
    let (faces, rest): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|l| l.contains('9') && l.starts_with('f'));
    let text = format!("{}\n{}\n", rest.join("\n"), faces.join("\n"));
    let mesh = obj(&text).unwrap();
    assert_eq!(mesh.degenerate, 2);
    assert!((volume(mesh) - 6.0).abs() < 1e-14);
}

#[test]
fn wrong_obj_files_are_refused_by_line() {
    let syntax = |text: &str, line: usize, word: &str| {
        let fault = obj(text).unwrap_err();
        let MeshFault::Syntax { place, found, .. } = &fault else { panic!("{fault}") };
        assert!(*place == Place::Line(line) && found.contains(word), "{fault}");
    };
    syntax("v 0 0 0\nv 1 zero 0\n", 2, "zero");
    syntax("v 0 0\n", 1, "2 numbers");
    syntax("v 0 0 0\nf 1 1/x 1\n", 2, "1/x");
    syntax("v 0 0 0\nf 1/1/1/1 1 1\n", 2, "1/1/1/1");
    syntax("v 0 0 0\n\nf\n", 3, "none");
    syntax("# fine\ncstype bezier\n", 2, "cstype");
    syntax("solid x\nfacet normal 0 0 1\n", 1, "solid");
    let nan = obj("v 0 0 0\nv 0 nan 0\n").unwrap_err();
    assert_eq!(nan, MeshFault::NonFinite { place: Place::Line(2), found: "NaN".into() });
    assert!(matches!(obj("v 1e999 0 0\n"), Err(MeshFault::NonFinite { .. })));
    assert!(matches!(obj("v 1 1 1 0\n"), Err(MeshFault::NonFinite { .. })));
    for index in [0, 4, -4, i64::MAX, i64::MIN] {
        let fault = obj(&format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 {index}\n")).unwrap_err();
        assert_eq!(fault, MeshFault::IndexOutOfRange { place: Place::Line(4), index, vertices: 3 });
    }
    assert_eq!(obj(""), Err(MeshFault::Empty { degenerate: 0 }));
    assert_eq!(obj("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n"), Err(MeshFault::Empty { degenerate: 1 }));
}

#[test]
fn wrong_stl_files_are_refused_by_line_or_facet() {
    let mesh = obj(BOX).unwrap();
    let bytes = binary(&mesh);
    let fault = stl(&bytes[..bytes.len() - 7]).unwrap_err();
    assert_eq!(fault, MeshFault::Length { triangles: 12, expected: 684, found: 677 });
    let mut greedy = bytes.clone();
    greedy[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(matches!(stl(&greedy), Err(MeshFault::Length { triangles: u32::MAX, .. })));
    let mut broken = bytes.clone();
    broken[84 + 3 * 50 + 16..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
    assert_eq!(stl(&broken), Err(MeshFault::NonFinite { place: Place::Facet(4), found: "NaN".into() }));
    assert!(matches!(stl(b""), Err(MeshFault::Length { found: 0, .. })));
    assert!(matches!(stl(&[0; 84]), Err(MeshFault::Empty { .. })));

    let text = ascii(&mesh);
    let cut: String = text.lines().take(5).map(|l| format!("{l}\n")).collect();
    let fault = stl(cut.as_bytes()).unwrap_err().to_string();
    assert!(
        fault.starts_with("line 6: expected 'vertex'") && fault.ends_with("the end of the file"),
        "{fault}"
    );
    let fault = stl(text.replacen("endloop", "vertex 0 0 0", 1).as_bytes()).unwrap_err().to_string();
    assert!(fault.starts_with("line 7: expected 'endloop'"), "{fault}");
    let fault = stl(text.replacen("vertex 0e0", "vertex inf", 1).as_bytes()).unwrap_err();
    assert!(matches!(fault, MeshFault::NonFinite { place: Place::Line(4), .. }), "{fault}");
}

#[test]
fn limits_hold() {
    let mesh = obj(BOX).unwrap();
    let tight = MeshLimits { bytes: 1 << 20, vertices: 8, triangles: 12 };
    for (limits, what) in [
        (MeshLimits { bytes: 100, ..tight }, "bytes"),
        (MeshLimits { vertices: 7, ..tight }, "vertices"),
        (MeshLimits { triangles: 11, ..tight }, "triangles"),
    ] {
        for result in [
            read_obj(BOX.as_bytes(), &limits),
            read_stl(&binary(&mesh), &limits),
            read_stl(ascii(&mesh).as_bytes(), &limits),
        ] {
            assert!(
                matches!(&result, Err(MeshFault::Limit { what: found, .. }) if *found == what),
                "{result:?}"
            );
        }
    }
    assert!(read_obj(BOX.as_bytes(), &tight).is_ok() && read_stl(&binary(&mesh), &tight).is_ok());
    let mut star = String::new();
    for i in 0..600 {
        let (sin, cos) = (i as f64 * std::f64::consts::TAU / 600.0).sin_cos();
        let radius = 1.0 + (i % 2) as f64;
        star += &format!("v {} {} 0\n", radius * cos, radius * sin);
    }
    star += &format!("f {}\n", (1..=600).map(|i| i.to_string()).collect::<Vec<_>>().join(" "));
    assert!(matches!(obj(&star), Err(MeshFault::Polygon { corners: 600, place: Place::Line(601), .. })));
}

#[test]
fn errors_name_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("part.OBJ");
    std::fs::write(&path, BOX).unwrap();
    assert_eq!(read(&path, &MeshLimits::default()).unwrap(), obj(BOX).unwrap());
    std::fs::write(&path, "v 0 0\n").unwrap();
    let text = read(&path, &MeshLimits::default()).unwrap_err().to_string();
    assert!(text.contains("part.OBJ") && text.contains("line 1"), "{text}");
    assert!(matches!(
        read(&path, &MeshLimits { bytes: 3, ..Default::default() }),
        Err(MeshFileError::Content { .. })
    ));
    let missing = folder.path().join("none.stl");
    assert!(matches!(read(&missing, &MeshLimits::default()), Err(MeshFileError::Read { .. })));
    let other = folder.path().join("part.step");
    std::fs::write(&other, "x").unwrap();
    assert!(matches!(read(&other, &MeshLimits::default()), Err(MeshFileError::Format { .. })));
}

//! Damaged mesh files never panic: every mutation ends in a sound mesh or in an error.

use huygens_geometry::Shape;
use huygens_geometry::mesh_file::{MeshData, MeshFault, MeshLimits, read_obj, read_stl};

/// A small generator of numbers (xorshift), so that every run tries the same mutations.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

type Reader = fn(&[u8], &MeshLimits) -> Result<MeshData, MeshFault>;

const OBJ: &str = "o wedge\nv 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nv 0 0 1\nv 0 1 1\nvn 0 0 1\n\
    f 1 4 3 2\nf 1/1 2/1 5/1\nf -3//1 -2//1 -1//1 -2//1\nf 2 3 6 5\nf 4 6 3\nf 1 5 \\\n 6 4\n";

fn ascii() -> String {
    let mesh = read_obj(OBJ.as_bytes(), &MeshLimits::default()).unwrap();
    let mut text = "solid wedge\n".to_owned();
    for triangle in &mesh.triangles {
        text += "facet normal 0 0 1\nouter loop\n";
        for index in triangle {
            let p = mesh.vertices[*index as usize];
            text += &format!("vertex {} {} {}\n", p.x, p.y, p.z);
        }
        text += "endloop\nendfacet\n";
    }
    text + "endsolid wedge\n"
}

fn binary() -> Vec<u8> {
    let mesh = read_obj(OBJ.as_bytes(), &MeshLimits::default()).unwrap();
    let mut bytes = vec![0; 80];
    bytes.extend((mesh.triangles.len() as u32).to_le_bytes());
    for triangle in &mesh.triangles {
        bytes.extend([0; 12]);
        for index in triangle {
            let corner = mesh.vertices[*index as usize].to_array();
            bytes.extend(corner.iter().flat_map(|c| (*c as f32).to_le_bytes()));
        }
        bytes.extend([0; 2]);
    }
    bytes
}

/// Reads and says how far it came: an error, a mesh, a closed mesh.
fn outcome(read: Reader, bytes: &[u8]) -> usize {
    let mesh = match read(bytes, &MeshLimits::default()) {
        Ok(mesh) => mesh,
        Err(fault) => {
            assert!(!fault.to_string().is_empty());
            return 0;
        }
    };
    assert!(!mesh.triangles.is_empty());
    assert!(mesh.vertices.iter().all(|v| v.is_finite()));
    // What a reader returns must be fit for a shape.
    let shape = Shape::mesh(mesh.vertices, mesh.triangles).unwrap();
    1 + usize::from(shape.mass_properties(1.0).is_ok())
}

const WORDS: [&str; 20] = [
    "nan",
    "-inf",
    "0",
    "-1",
    "1e308",
    "1e-308",
    "99999999999999999999",
    "-9223372036854775808",
    "1/",
    "//",
    "1//2/3",
    "v",
    "f",
    "facet",
    "vertex",
    "endsolid x",
    "solid",
    "\\\n",
    "#",
    "\u{7f}\u{80}",
];

/// The text with one word replaced by another one of it, or by a word of trouble.
fn swap(text: &str, n: &mut Numbers) -> String {
    let words: Vec<&str> = text.split_inclusive([' ', '\n']).collect();
    let at = n.below(words.len());
    let other = if n.below(2) == 0 { words[n.below(words.len())] } else { WORDS[n.below(WORDS.len())] };
    let end = if words[at].ends_with('\n') { "\n" } else { " " };
    words
        .iter()
        .enumerate()
        .map(|(i, w)| if i == at { format!("{} {end}", other.trim_end()) } else { (*w).to_owned() })
        .collect()
}

#[test]
fn mutants_end_in_a_mesh_or_an_error() {
    let mut n = Numbers(0x9e37_79b9_7f4a_7c15);
    let (ascii, binary) = (ascii(), binary());
    let files: [(Reader, &[u8]); 3] =
        [(read_obj, OBJ.as_bytes()), (read_stl, ascii.as_bytes()), (read_stl, &binary)];
    for (read, original) in files {
        let mut reached = [0; 3];
        assert_eq!(outcome(read, original), 2);
        for _ in 0..1000 {
            reached[outcome(read, &original[..n.below(original.len())])] += 1;
        }
        for _ in 0..6000 {
            let mut bytes = original.to_vec();
            for _ in 0..=n.below(4) {
                let at = n.below(bytes.len());
                match n.below(3) {
                    0 => bytes[at] ^= 1 << n.below(8),
                    1 => bytes[at] = n.below(256) as u8,
                    _ => {
                        let from = n.below(bytes.len());
                        bytes[at] = bytes[from];
                    }
                }
            }
            reached[outcome(read, &bytes)] += 1;
        }
        if let Ok(text) = std::str::from_utf8(original).map(str::to_owned)
            && !text.contains('\0')
        {
            for _ in 0..6000 {
                reached[outcome(read, swap(&text, &mut n).as_bytes())] += 1;
            }
        }
        // The mutations must reach every end, or they test nothing.
        assert!(reached.iter().all(|count| *count > 20), "{reached:?}");
    }
}

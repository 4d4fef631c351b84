//! Bytes of a Gmsh `.msh` file: read into a mesh whose cells name nodes that exist, or refused. The bytes are also taken
//! as what follows the header of each version, text and binary, so that the fuzzer reaches what lies behind it.

#![no_main]

use huygens_fea::mesh::{Limits, LineKind, read_gmsh};
use huygens_fea::structure::Structure;
use libfuzzer_sys::fuzz_target;

const HEADERS: [&[u8]; 5] = [
    b"",
    b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n",
    b"$MeshFormat\n2.2 1 8\n\x01\0\0\0\n$EndMeshFormat\n",
    b"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n",
    b"$MeshFormat\n4.1 1 8\n\x01\0\0\0\n$EndMeshFormat\n",
];

fuzz_target!(|bytes: &[u8]| {
    HEADERS.iter().for_each(|header| read(&[header, bytes].concat()));
});

fn read(bytes: &[u8]) {
    let limits = Limits { bytes: 1 << 20, nodes: 10_000, cells: 10_000 };
    match read_gmsh("fuzz.msh", bytes, &limits) {
        Ok(mesh) => {
            assert!(mesh.nodes.len() <= limits.nodes && mesh.cells.len() <= limits.cells);
            assert!(mesh.cells.iter().flat_map(|c| c.nodes()).all(|&n| (n as usize) < mesh.nodes.len()));
            for kind in [LineKind::BeamAncf, LineKind::Rod3] {
                if let Ok(structure) = Structure::from_mesh("fuzz", &mesh, kind, None) {
                    let _ = structure.check();
                }
            }
        }
        Err(fault) => assert!(!fault.to_string().is_empty()),
    }
}

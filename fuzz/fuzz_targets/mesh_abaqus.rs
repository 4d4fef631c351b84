//! Bytes of an Abaqus `.inp` file: read into a mesh whose cells name nodes that exist, or refused.

#![no_main]

use huygens_fea::mesh::{Limits, LineKind, read_abaqus};
use huygens_fea::structure::Structure;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits { bytes: 1 << 20, nodes: 10_000, cells: 10_000 };
    match read_abaqus("fuzz.inp", bytes, &limits) {
        Ok(mesh) => {
            assert!(mesh.nodes.len() <= limits.nodes && mesh.cells.len() <= limits.cells);
            assert!(mesh.cells.iter().flat_map(|c| c.nodes()).all(|&n| (n as usize) < mesh.nodes.len()));
            assert!(mesh.surfaces.values().flatten().flatten().all(|&n| (n as usize) < mesh.nodes.len()));
            for kind in [LineKind::BeamAncf, LineKind::Rod3] {
                if let Ok(structure) = Structure::from_mesh("fuzz", &mesh, kind, None) {
                    let _ = structure.check();
                }
            }
        }
        Err(fault) => assert!(!fault.to_string().is_empty()),
    }
});

//! Bytes of an OBJ file: read into a mesh fit for a shape, or refused.

#![no_main]

use huygens_geometry::Shape;
use huygens_geometry::mesh_file::{MeshLimits, read_obj};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let limits = MeshLimits { bytes: 1 << 20, vertices: 10_000, triangles: 10_000 };
    match read_obj(bytes, &limits) {
        Ok(mesh) => {
            assert!(mesh.vertices.len() <= limits.vertices && mesh.triangles.len() <= limits.triangles);
            let shape = Shape::mesh(mesh.vertices, mesh.triangles).expect("a mesh that was read is sound");
            let _ = shape.mass_properties(1.0);
        }
        Err(fault) => assert!(!fault.to_string().is_empty()),
    }
});

//! Bytes of an STL file, binary or ASCII: read into a mesh fit for a shape, or refused. The bytes are
//! also taken as facets behind a sound header, so that the fuzzer reaches what lies behind it.

#![no_main]

use huygens_geometry::Shape;
use huygens_geometry::mesh_file::{MeshLimits, read_stl};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    let facets = bytes.len() / 50;
    let mut sound = vec![0; 80];
    sound.extend((facets as u32).to_le_bytes());
    sound.extend(&bytes[..50 * facets]);
    read(&sound);
});

fn read(bytes: &[u8]) {
    let limits = MeshLimits { bytes: 1 << 20, vertices: 10_000, triangles: 10_000 };
    match read_stl(bytes, &limits) {
        Ok(mesh) => {
            assert!(mesh.vertices.len() <= limits.vertices && mesh.triangles.len() <= limits.triangles);
            let shape = Shape::mesh(mesh.vertices, mesh.triangles).expect("a mesh that was read is sound");
            let _ = shape.mass_properties(1.0);
        }
        Err(fault) => assert!(!fault.to_string().is_empty()),
    }
}

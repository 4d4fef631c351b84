//! The interface through which the narrow phase uses meshes and height fields.

use glam::DVec3;

use crate::Aabb;

/// A surface of triangles with a neighbourhood. Side `i` of a triangle leads from corner `i` to corner `i + 1`.
pub(crate) trait Surface {
    /// Box along the local axes [m].
    fn bounds(&self) -> Aabb;
    /// Visits every triangle whose box touches `region`, in an order that depends on the arguments only.
    fn each_triangle(&self, region: &Aabb, visit: impl FnMut(u32));
    /// Corners of a triangle [m].
    fn triangle(&self, t: u32) -> [DVec3; 3];
    /// Outward unit normal.
    fn normal(&self, t: u32) -> DVec3;
    /// The triangle across a side; `None` at an open or non-manifold edge.
    fn neighbor(&self, t: u32, side: usize) -> Option<u32>;
    /// Name of the edge at a side, the same seen from both triangles.
    fn edge_id(&self, t: u32, side: usize) -> u32;
    /// Name of the vertex at a corner, the same seen from all its triangles.
    fn vertex_id(&self, t: u32, corner: usize) -> u32;
    /// Angle-weighted normal at a corner (not unit); `None` on the border of an open surface.
    fn vertex_normal(&self, t: u32, corner: usize) -> Option<DVec3>;
    /// Whether `test` holds for any vertex joined to this corner by an edge.
    fn any_vertex_neighbor(&self, t: u32, corner: usize, test: impl FnMut(DVec3) -> bool) -> bool;
    /// Name of the flat patch a triangle belongs to.
    fn patch(&self, t: u32) -> u32;
}

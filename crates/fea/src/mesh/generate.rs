//! Meshes of simple shapes, and how they are written for other programs.

use std::io::{self, Write};

use glam::DVec3;
use huygens_exec::Exec;

use super::{Cell, CellKind, Mesh};
use crate::error::{FeaError, Result};

/// How the cells of a block are cut into tetrahedra.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlockSplit {
    /// Five each, in two patterns that alternate like the fields of a chess board.
    Five,
    /// Six each, around the diagonal from the lowest to the highest corner.
    #[default]
    Six,
}

/// Most nodes or cells a generator makes.
const LARGEST: usize = 50_000_000;

impl Mesh {
    /// A straight line from one place to another [m] in so many pieces; the sets `start` and `end` hold its ends.
    pub fn beam(from: DVec3, to: DVec3, pieces: usize) -> Result<Mesh> {
        Self::polyline(&[from, to], pieces, false)
    }

    /// A line through points [m], each stretch between two points in so many pieces. Between more than two points it is
    /// smooth: its direction at a point is that of the circle through the point and its neighbours. The sets `start` and
    /// `end` hold its ends; a closed one has only `start`.
    pub fn polyline(points: &[DVec3], pieces: usize, closed: bool) -> Result<Mesh> {
        refuse(pieces == 0, "pieces must be at least 1")?;
        refuse(
            points.len() < 2 || closed && points.len() < 3,
            "a line needs two points, a closed one three",
        )?;
        refuse(points.iter().any(|p| !p.is_finite()), "its points must be finite")?;
        refuse(points.len().saturating_mul(pieces) > LARGEST, "it has too many pieces")?;
        let n = points.len();
        let stretches = if closed { n } else { n - 1 };
        if let Some(k) = (0..stretches).find(|&k| points[k] == points[(k + 1) % n]) {
            return Err(fault(&format!("points {k} and {} are the same", (k + 1) % n)));
        }
        let directions: Vec<_> = (0..n).map(|k| direction(points, k, closed)).collect();
        let mut mesh = Mesh::default();
        for k in 0..stretches {
            let (a, b) = (points[k], points[(k + 1) % n]);
            let length = a.distance(b);
            let (u, v) = (directions[k] * length, directions[(k + 1) % n] * length);
            for piece in 0..pieces {
                let t = piece as f64 / pieces as f64;
                let place = if n == 2 {
                    a.lerp(b, t)
                } else {
                    let [_, s1, s2, s3] =
                        [0.0, t - 2.0 * t * t + t * t * t, 3.0 * t * t - 2.0 * t * t * t, t * t * t - t * t];
                    a + u * s1 + (b - a) * s2 + v * s3
                };
                mesh.nodes.push(place);
            }
        }
        let count = mesh.nodes.len() as u32;
        mesh.node_sets.insert("start".into(), vec![0]);
        if !closed {
            mesh.nodes.push(points[n - 1]);
            mesh.node_sets.insert("end".into(), vec![count]);
        }
        let nodes = mesh.nodes.len() as u32;
        mesh.add_cells(CellKind::Line2, (0..count).map(|k| vec![k, (k + 1) % nodes]));
        Ok(mesh.numbered())
    }

    /// Lines along two directions that cross at common nodes: `sides` are the vectors along the edges [m] from the
    /// corner `origin`, `meshes` how many there are along each. The sets `corners`, `border`, `corner_00`, `corner_10`,
    /// `corner_01` and `corner_11` hold nodes.
    pub fn net(origin: DVec3, sides: [DVec3; 2], meshes: [usize; 2]) -> Result<Mesh> {
        let [nx, ny] = meshes;
        refuse(nx == 0 || ny == 0, "a net needs at least one mesh along each side")?;
        refuse(
            nx.saturating_add(1).saturating_mul(ny.saturating_add(1)) > LARGEST,
            "it has too many meshes",
        )?;
        refuse(!(origin.is_finite() && sides.iter().all(|s| s.is_finite())), "its places must be finite")?;
        let node = |i: usize, j: usize| (j * (nx + 1) + i) as u32;
        let mut mesh = Mesh::default();
        for j in 0..=ny {
            for i in 0..=nx {
                mesh.nodes
                    .push(origin + sides[0] * (i as f64 / nx as f64) + sides[1] * (j as f64 / ny as f64));
            }
        }
        let along_x = (0..=ny).flat_map(|j| (0..nx).map(move |i| vec![node(i, j), node(i + 1, j)]));
        let along_y = (0..=nx).flat_map(|i| (0..ny).map(move |j| vec![node(i, j), node(i, j + 1)]));
        mesh.add_cells(CellKind::Line2, along_x.chain(along_y));
        let corners = [node(0, 0), node(nx, 0), node(0, ny), node(nx, ny)];
        for (name, corner) in ["corner_00", "corner_10", "corner_01", "corner_11"].iter().zip(corners) {
            mesh.node_sets.insert((*name).into(), vec![corner]);
        }
        mesh.node_sets.insert("corners".into(), corners.to_vec());
        let border = (0..=ny).flat_map(|j| (0..=nx).map(move |i| (i, j)));
        let border = border.filter(|&(i, j)| i == 0 || j == 0 || i == nx || j == ny).map(|(i, j)| node(i, j));
        mesh.node_sets.insert("border".into(), border.collect());
        Ok(mesh.numbered())
    }

    /// Tetrahedra that fill a box with the edges `size` [m] along the axes from the corner `origin`, in so many cells
    /// along each. The sets `x_min`, `x_max`, `y_min`, … hold the nodes of the sides, and surfaces of the same names
    /// their triangles.
    pub fn block(origin: DVec3, size: DVec3, cells: [usize; 3], split: BlockSplit) -> Result<Mesh> {
        Self::block_on(&Exec::serial(), origin, size, cells, split)
    }

    /// The same as [`Mesh::block`], which asks whether it is to stop.
    pub fn block_on(
        ex: &Exec,
        origin: DVec3,
        size: DVec3,
        cells: [usize; 3],
        split: BlockSplit,
    ) -> Result<Mesh> {
        refuse(
            !(size.min_element() > 0.0 && size.is_finite() && origin.is_finite()),
            "its edges must be above zero",
        )?;
        refuse(cells.contains(&0), "a block needs at least one cell along each edge")?;
        let count = cells.iter().fold(6, |n: usize, c| n.saturating_mul(c.saturating_add(1)));
        refuse(count > LARGEST, "it has too many cells")?;
        let [nx, ny, nz] = cells;
        let node = move |i: usize, j: usize, k: usize| ((k * (ny + 1) + j) * (nx + 1) + i) as u32;
        let mut mesh = Mesh::default();
        let steps = DVec3::new(nx as f64, ny as f64, nz as f64);
        for k in 0..=nz {
            for j in 0..=ny {
                ex.check_stop()?;
                for i in 0..=nx {
                    let place = DVec3::new(i as f64, j as f64, k as f64) / steps;
                    let index = mesh.nodes.len() as u32;
                    mesh.nodes.push(origin + size * place);
                    let sides = [(i, nx, "x"), (j, ny, "y"), (k, nz, "z")];
                    for (at, last, axis) in sides {
                        if at == 0 {
                            mesh.node_sets.entry(format!("{axis}_min")).or_default().push(index);
                        }
                        if at == last {
                            mesh.node_sets.entry(format!("{axis}_max")).or_default().push(index);
                        }
                    }
                }
            }
        }
        for (k, j) in (0..nz).flat_map(|k| (0..ny).map(move |j| (k, j))) {
            ex.check_stop()?;
            let row = (0..nx).flat_map(|i| {
                let corner = move |c: usize| node(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
                cut(split, (i + j + k) % 2 == 1).iter().map(move |t| t.map(corner).to_vec())
            });
            mesh.add_cells(CellKind::Tetrahedron4, row);
        }
        mesh.add_side_surfaces();
        ex.check_stop()?;
        Ok(mesh.numbered())
    }

    /// Triangles of the skin whose corners all lie in a set of nodes become the surface of that name.
    fn add_side_surfaces(&mut self) {
        let skin = self.skin();
        for (name, nodes) in &self.node_sets {
            let inside = |n: &u32| nodes.binary_search(n).is_ok();
            let side = skin.iter().filter(|face| face.iter().all(inside)).collect();
            self.surfaces.insert(name.clone(), side);
        }
    }

    fn add_cells(&mut self, kind: CellKind, nodes: impl Iterator<Item = Vec<u32>>) {
        for nodes in nodes {
            let label = self.cells.len() as u64 + 1;
            self.cells.extend(Cell::new(label, kind, &nodes));
        }
    }

    /// Numbers the nodes from 1.
    fn numbered(mut self) -> Self {
        self.labels = (1..=self.nodes.len() as u64).collect();
        self
    }

    /// Writes nodes, elements and sets as an `.inp` file; lines become T3D2 elements, triangles S3.
    pub fn write_abaqus(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "*NODE, NSET=NALL")?;
        for (label, place) in self.labels.iter().zip(&self.nodes) {
            writeln!(out, "{label}, {:?}, {:?}, {:?}", place.x, place.y, place.z)?;
        }
        let kinds = [
            (CellKind::Tetrahedron4, "C3D4"),
            (CellKind::Triangle3, "S3"),
            (CellKind::Line2, "T3D2"),
            (CellKind::Line3, "B32"),
            (CellKind::Point, "MASS"),
        ];
        for (kind, name) in kinds {
            let mut cells = self.cells.iter().filter(|c| c.kind == kind).peekable();
            if cells.peek().is_some() {
                writeln!(out, "*ELEMENT, TYPE={name}, ELSET={name}_ALL")?;
            }
            for cell in cells {
                write!(out, "{}", cell.label)?;
                for &node in cell.nodes() {
                    write!(out, ", {}", self.labels[node as usize])?;
                }
                writeln!(out)?;
            }
        }
        for (name, nodes) in &self.node_sets {
            writeln!(out, "*NSET, NSET={name}")?;
            nodes.iter().try_for_each(|&node| writeln!(out, "{}", self.labels[node as usize]))?;
        }
        for (name, cells) in &self.cell_sets {
            writeln!(out, "*ELSET, ELSET={name}")?;
            cells.iter().try_for_each(|&cell| writeln!(out, "{}", self.cells[cell as usize].label))?;
        }
        Ok(())
    }
}

/// Tetrahedra of a cell whose corners are numbered by the bits x, y, z.
fn cut(split: BlockSplit, odd: bool) -> &'static [[usize; 4]] {
    const SIX: [[usize; 4]; 6] =
        [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]];
    const EVEN: [[usize; 4]; 5] = [[0, 1, 2, 4], [3, 2, 1, 7], [5, 4, 7, 1], [6, 7, 4, 2], [1, 2, 4, 7]];
    const ODD: [[usize; 4]; 5] = [[1, 3, 0, 5], [2, 0, 3, 6], [4, 6, 5, 0], [7, 5, 6, 3], [0, 5, 3, 6]];
    match (split, odd) {
        (BlockSplit::Six, _) => &SIX,
        (BlockSplit::Five, false) => &EVEN,
        (BlockSplit::Five, true) => &ODD,
    }
}

/// Direction of a smooth line at one of its points.
fn direction(points: &[DVec3], k: usize, closed: bool) -> DVec3 {
    let n = points.len();
    if n == 2 {
        return (points[1] - points[0]).normalize();
    }
    let at = |k: usize| points[k % n];
    if closed {
        return circle_direction([at(k + n - 1), at(k), at(k + 1)]);
    }
    match k {
        0 => end_direction(circle_direction([at(0), at(1), at(2)]), at(1) - at(0)),
        k if k == n - 1 => {
            end_direction(circle_direction([at(n - 3), at(n - 2), at(n - 1)]), at(n - 1) - at(n - 2))
        }
        k => circle_direction([at(k - 1), at(k), at(k + 1)]),
    }
}

/// Direction, at the middle one, of the circle through three points.
pub(super) fn circle_direction([a, b, c]: [DVec3; 3]) -> DVec3 {
    // An inversion about the middle point makes the circle a line along its tangent there.
    let (before, after) = (b - a, c - b);
    let along = before / before.length_squared() + after / after.length_squared();
    along.try_normalize().unwrap_or_else(|| after.normalize_or(DVec3::X))
}

/// Direction of a circle at the other end of a chord: the mirror image about the chord.
pub(super) fn end_direction(direction: DVec3, chord: DVec3) -> DVec3 {
    let chord = chord.normalize_or(direction);
    chord * (2.0 * direction.dot(chord)) - direction
}

fn fault(reason: &str) -> FeaError {
    FeaError::Mismatch { what: "a generated mesh".into(), reason: reason.into() }
}

fn refuse(wrong: bool, reason: &str) -> Result<()> {
    if wrong { Err(fault(reason)) } else { Ok(()) }
}

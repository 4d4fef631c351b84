//! Meshes of Gmsh, versions 2.2 and 4.1, as text and binary (geuzaine2009).

use std::collections::{BTreeMap, HashMap};

use glam::DVec3;

use super::error::{MeshError, MeshFault};
use super::text::{Cursor, Read};
use super::{Cell, CellKind, Limits, MOST_NODES, Mesh};

const KNOWN: &str = "1 (line), 2 (triangle), 4 (tetrahedron), 8 (line with three nodes) and 15 (point)";

/// Physical groups by dimension and number.
type Groups = BTreeMap<(u8, i64), Vec<u32>>;

/// Reads a mesh; `file` is its name in messages.
pub fn read_gmsh(file: &str, bytes: &[u8], limits: &Limits) -> Result<Mesh, MeshError> {
    let mut reader = Reader {
        cursor: Cursor::new(file, bytes),
        limits,
        mesh: Mesh::default(),
        index: HashMap::new(),
        seen: HashMap::new(),
        names: BTreeMap::new(),
        groups: Groups::new(),
        entities: BTreeMap::new(),
    };
    let version = reader.format()?;
    while let Some(section) = reader.cursor.word() {
        let section = String::from_utf8_lossy(section).into_owned();
        match (section.as_str(), version) {
            ("$PhysicalNames", _) => reader.physical_names()?,
            ("$Nodes", Version::Two) => reader.nodes_2(false)?,
            ("$ParametricNodes", Version::Two) => reader.nodes_2(true)?,
            ("$Elements", Version::Two) => reader.elements_2()?,
            ("$Entities", Version::Four) => reader.entities_4()?,
            ("$Nodes", Version::Four) => reader.nodes_4()?,
            ("$Elements", Version::Four) => reader.elements_4()?,
            (other, _) if other.starts_with('$') => {
                reader.cursor.skip_to(&format!("$End{}", &other[1..]))?;
                continue;
            }
            (other, _) => return Err(reader.cursor.syntax("a section such as $Nodes", other)),
        }
        reader.cursor.expect(&format!("$End{}", &section[1..]))?;
    }
    reader.finish()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    Two,
    Four,
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    limits: &'a Limits,
    mesh: Mesh,
    /// Index of each node by its number.
    index: HashMap<u64, u32>,
    /// Cells that exist: one of two groups is written twice.
    seen: HashMap<(CellKind, Vec<u32>), u32>,
    names: BTreeMap<(u8, i64), String>,
    groups: Groups,
    /// Physical groups of the entities of version 4, by dimension and number.
    entities: BTreeMap<(u8, i64), Vec<i64>>,
}

impl Reader<'_> {
    fn format(&mut self) -> Read<Version> {
        let cursor = &mut self.cursor;
        cursor.expect("$MeshFormat")?;
        let version = cursor.word().map(|w| String::from_utf8_lossy(w).into_owned()).unwrap_or_default();
        let kind = cursor.parsed::<u8>("0 (text) or 1 (binary)")?;
        let size = cursor.parsed::<u8>("8, the bytes of a number")?;
        let found = match version.as_str() {
            "2.2" | "2.1" | "2" => Version::Two,
            "4.1" => Version::Four,
            _ => {
                return Err(cursor.error(MeshFault::Unsupported {
                    what: format!("version {}", super::text::shortened(&version)),
                    instead: "save the mesh as version 2.2 or 4.1",
                }));
            }
        };
        if kind > 1 || size != 8 {
            return Err(cursor.syntax("0 8 or 1 8 behind the version", &format!("{kind} {size}")));
        }
        if kind == 1 {
            cursor.rest_of_line();
            cursor.binary = true;
            cursor.swapped = match cursor.take::<4>("the number 1 in four bytes")? {
                [1, 0, 0, 0] => false,
                [0, 0, 0, 1] => true,
                other => return Err(cursor.syntax("the number 1 in four bytes", &format!("{other:?}"))),
            };
        }
        cursor.expect("$EndMeshFormat")?;
        Ok(found)
    }

    fn physical_names(&mut self) -> Read<()> {
        let count = self.cursor.parsed::<u64>("the number of names")?;
        let count = self.cursor.count("names", count, 6, self.limits.cells)?;
        for _ in 0..count {
            let dimension = self.cursor.parsed::<u8>("a dimension")?;
            let number = self.cursor.parsed::<i64>("the number of a group")?;
            let line = String::from_utf8_lossy(self.cursor.rest_of_line()).trim().to_owned();
            let name = line.strip_prefix('"').and_then(|l| l.strip_suffix('"'));
            let Some(name) = name.filter(|n| !n.is_empty()) else {
                return Err(self.cursor.syntax("a name in quotes", &line));
            };
            self.names.insert((dimension, number), name.to_owned());
        }
        Ok(())
    }

    fn nodes_2(&mut self, parametric: bool) -> Read<()> {
        let count = self.cursor.parsed::<u64>("the number of nodes")?;
        let bytes = self.start_binary(28);
        let count = self.cursor.count("nodes", count, bytes, self.limits.nodes)?;
        for _ in 0..count {
            let label = self.cursor.label("the number of a node")?;
            self.node(label, 0)?;
            if parametric {
                let dimension = self.cursor.int("a dimension")?;
                self.cursor.int("the number of an entity")?;
                // Points and volumes have no parameters.
                for _ in 0..if matches!(dimension, 1 | 2) { dimension } else { 0 } {
                    self.cursor.real("a parameter")?;
                }
            }
        }
        Ok(())
    }

    /// Goes to the binary numbers behind a line of text; the fewest bytes of an item.
    fn start_binary(&mut self, bytes: usize) -> usize {
        if self.cursor.binary {
            self.cursor.rest_of_line();
            return bytes;
        }
        // A number and at least one blank each: a node has four.
        8
    }

    fn node(&mut self, label: u64, parameters: usize) -> Read<()> {
        let mut place = [0.0; 3];
        for x in &mut place {
            *x = self.cursor.real("a coordinate")?;
        }
        for _ in 0..parameters {
            self.cursor.real("a parameter")?;
        }
        self.named_node(label, DVec3::from_array(place))
    }

    fn named_node(&mut self, label: u64, place: DVec3) -> Read<()> {
        let limit = self.limits.nodes.min(u32::MAX as usize - 1);
        if self.mesh.nodes.len() >= limit {
            let (found, limit) = (self.mesh.nodes.len() as u64 + 1, limit as u64);
            return Err(self.cursor.error(MeshFault::Count { what: "nodes", found, limit }));
        }
        if self.index.insert(label, self.mesh.nodes.len() as u32).is_some() {
            return Err(self.cursor.error(MeshFault::Duplicate { what: "node", label: label.to_string() }));
        }
        self.mesh.nodes.push(place);
        self.mesh.labels.push(label);
        Ok(())
    }

    fn elements_2(&mut self) -> Read<()> {
        let count = self.cursor.parsed::<u64>("the number of elements")?;
        let bytes = self.start_binary(8);
        let count = self.cursor.count("elements", count, bytes, self.limits.cells)?;
        let mut done = 0;
        while done < count {
            if self.cursor.binary {
                let kind = self.kind()?;
                let follow = self.cursor.label("how many elements follow")?;
                let tags = self.tag_count()?;
                let follow = self.cursor.count("elements", follow, 4, count - done)?;
                if follow == 0 {
                    return Err(self.cursor.syntax("at least one element behind a header", "0"));
                }
                for _ in 0..follow {
                    let label = self.cursor.label("the number of an element")?;
                    self.tagged_cell(label, kind, tags)?;
                }
                done += follow;
            } else {
                let label = self.cursor.label("the number of an element")?;
                let kind = self.kind()?;
                let tags = self.tag_count()?;
                self.tagged_cell(label, kind, tags)?;
                done += 1;
            }
        }
        Ok(())
    }

    fn tag_count(&mut self) -> Read<usize> {
        let tags = self.cursor.label("the number of tags")?;
        self.cursor.count("tags", tags, if self.cursor.binary { 4 } else { 1 }, 1000)
    }

    /// A cell of version 2: tags, of which the first is the physical group, and nodes.
    fn tagged_cell(&mut self, label: u64, kind: CellKind, tags: usize) -> Read<()> {
        let mut group = 0;
        for tag in 0..tags {
            let value = self.cursor.int("a tag")?;
            if tag == 0 {
                group = value;
            }
        }
        let mut nodes = [0; MOST_NODES];
        for node in &mut nodes[..kind.nodes()] {
            *node = self.cursor.label("the number of a node")?;
        }
        let groups: &[i64] = if group == 0 { &[] } else { &[group] };
        self.cell(label, kind, &nodes[..kind.nodes()], groups)
    }

    fn kind(&mut self) -> Read<CellKind> {
        let kind = self.cursor.int("an element type")?;
        Ok(match kind {
            1 => CellKind::Line2,
            2 => CellKind::Triangle3,
            4 => CellKind::Tetrahedron4,
            8 => CellKind::Line3,
            15 => CellKind::Point,
            _ => {
                let name = match kind {
                    3 => " (quadrangle)",
                    5 => " (hexahedron)",
                    6 => " (prism)",
                    7 => " (pyramid)",
                    9 => " (triangle with six nodes)",
                    11 => " (tetrahedron with ten nodes)",
                    _ => "",
                };
                let found = format!("{kind}{name}");
                return Err(self.cursor.error(MeshFault::ElementType { found, known: KNOWN }));
            }
        })
    }

    fn cell(&mut self, label: u64, kind: CellKind, labels: &[u64], groups: &[i64]) -> Read<()> {
        let mut nodes = Vec::with_capacity(labels.len());
        for number in labels {
            nodes.push(*self.index.get(number).ok_or_else(|| {
                let object = format!("element {label}");
                self.cursor.error(MeshFault::Missing { object, what: "node", label: number.to_string() })
            })?);
        }
        if kind == CellKind::Line3 {
            // Here the middle comes last.
            nodes.swap(1, 2);
        }
        let cells = &mut self.mesh.cells;
        let index = match self.seen.get(&(kind, nodes.clone())) {
            Some(&index) => index,
            None => {
                let index = cells.len() as u32;
                cells.extend(Cell::new(label, kind, &nodes));
                self.seen.insert((kind, nodes), index);
                index
            }
        };
        for &group in groups {
            self.groups.entry((kind.dimension() as u8, group)).or_default().push(index);
        }
        Ok(())
    }

    fn entities_4(&mut self) -> Read<()> {
        self.start_binary(0);
        let mut counts = [0; 4];
        for count in &mut counts {
            let found = self.cursor.size("the number of entities")?;
            *count = self.cursor.count("entities", found, 8, usize::MAX)?;
        }
        for (dimension, count) in counts.into_iter().enumerate() {
            for _ in 0..count {
                let number = self.cursor.int("the number of an entity")?;
                for _ in 0..if dimension == 0 { 3 } else { 6 } {
                    self.cursor.real("a bound")?;
                }
                let groups = self.numbers("physical groups")?;
                if dimension > 0 {
                    self.numbers("bounding entities")?;
                }
                self.entities.insert((dimension as u8, number), groups);
            }
        }
        Ok(())
    }

    /// A count and so many numbers.
    fn numbers(&mut self, what: &'static str) -> Read<Vec<i64>> {
        let count = self.cursor.size("a count")?;
        let bytes = if self.cursor.binary { 4 } else { 2 };
        let count = self.cursor.count(what, count, bytes, usize::MAX)?;
        (0..count).map(|_| self.cursor.int("a number")).collect()
    }

    fn nodes_4(&mut self) -> Read<()> {
        let bytes = self.start_binary(32);
        let blocks = self.cursor.size("the number of blocks")?;
        let total = self.cursor.size("the number of nodes")?;
        let [_, _] = [self.cursor.size("the least number")?, self.cursor.size("the largest number")?];
        self.cursor.count("nodes", total, bytes, self.limits.nodes)?;
        let blocks = self.cursor.count("blocks", blocks, 8, usize::MAX)?;
        for _ in 0..blocks {
            let dimension = self.cursor.int("a dimension")?;
            self.cursor.int("the number of an entity")?;
            let parametric = self.cursor.int("0 or 1")?;
            if !(0..=3).contains(&dimension) || !(0..=1).contains(&parametric) {
                return Err(self
                    .cursor
                    .syntax("a dimension from 0 to 3, an entity, and 0 or 1", &dimension.to_string()));
            }
            let count = self.cursor.size("the number of nodes of a block")?;
            let count = self.cursor.count("nodes", count, bytes, self.limits.nodes)?;
            let labels: Vec<_> =
                (0..count).map(|_| self.cursor.size("the number of a node")).collect::<Read<_>>()?;
            for label in labels {
                self.node(label, if parametric == 1 { dimension as usize } else { 0 })?;
            }
        }
        self.total("nodes", self.mesh.nodes.len(), total)
    }

    fn total(&self, what: &str, found: usize, announced: u64) -> Read<()> {
        if found as u64 == announced {
            return Ok(());
        }
        Err(self.cursor.syntax(&format!("{announced} {what} in all blocks"), &found.to_string()))
    }

    fn elements_4(&mut self) -> Read<()> {
        let bytes = self.start_binary(16).min(16);
        let blocks = self.cursor.size("the number of blocks")?;
        let total = self.cursor.size("the number of elements")?;
        let [_, _] = [self.cursor.size("the least number")?, self.cursor.size("the largest number")?];
        // The number of an element and that of its node.
        let bytes = if self.cursor.binary { bytes } else { 4 };
        self.cursor.count("elements", total, bytes, self.limits.cells)?;
        let blocks = self.cursor.count("blocks", blocks, 8, usize::MAX)?;
        let mut done = 0;
        for _ in 0..blocks {
            let dimension = self.cursor.int("a dimension")?;
            let entity = self.cursor.int("the number of an entity")?;
            let kind = self.kind()?;
            let count = self.cursor.size("the number of elements of a block")?;
            let count = self.cursor.count("elements", count, bytes, self.limits.cells - done)?;
            let key = u8::try_from(dimension).map(|d| (d, entity)).unwrap_or_default();
            let groups = self.entities.get(&key).cloned().unwrap_or_default();
            for _ in 0..count {
                let label = self.cursor.size("the number of an element")?;
                let mut nodes = [0; MOST_NODES];
                for node in &mut nodes[..kind.nodes()] {
                    *node = self.cursor.size("the number of a node")?;
                }
                self.cell(label, kind, &nodes[..kind.nodes()], &groups)?;
            }
            done += count;
        }
        self.total("elements", done, total)
    }

    /// Groups become sets of cells and of nodes, and those of triangles surfaces.
    fn finish(self) -> Read<Mesh> {
        let Self { cursor, mut mesh, names, groups, .. } = self;
        for ((dimension, number), mut cells) in groups {
            let kinds = ["point", "curve", "surface", "volume"];
            let name = names.get(&(dimension, number)).cloned();
            // Gmsh gives the sign of the orientation to the number of a group.
            let unsigned = number.checked_abs().unwrap_or(number);
            let name = name.or_else(|| names.get(&(dimension, unsigned)).cloned());
            let mut name =
                name.unwrap_or_else(|| format!("{}_{number}", kinds[usize::from(dimension).min(3)]));
            while mesh.cell_sets.contains_key(&name) {
                // The same name for groups of two dimensions.
                name = format!("{name}_{}", kinds[usize::from(dimension).min(3)]);
            }
            cells.sort_unstable();
            cells.dedup();
            mesh.add_cell_set(name, cells);
        }
        mesh.orient().map_err(|fault| cursor.error(fault))?;
        Ok(mesh)
    }
}

//! Meshes of Abaqus: nodes, elements, sets and surfaces of an `.inp` file. Everything else of such a file is left out
//! with a warning.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use glam::DVec3;

use super::error::{MeshError, MeshFault, MeshPlace};
use super::text::shortened;
use super::{Cell, CellKind, Faces, Limits, Mesh};

const KNOWN: &str = "C3D4, T3D2, B31, B33, B32, S3, S3R, STRI3, M3D3, R3D3, SFM3D3, CPS3, CPE3 and MASS";

/// Keywords that make nodes or elements in a way that is not read.
const REFUSED: [&str; 9] =
    ["INCLUDE", "NGEN", "NCOPY", "NFILL", "NMAP", "ELGEN", "ELCOPY", "SYSTEM", "SUBMODEL"];

/// Reads a mesh; `file` is its name in messages.
pub fn read_abaqus(file: &str, bytes: &[u8], limits: &Limits) -> Result<Mesh, MeshError> {
    let mut reader = Reader {
        file,
        limits,
        line: 0,
        block: Block::Other,
        mesh: Mesh::default(),
        nodes: HashMap::new(),
        cells: HashMap::new(),
        open: None,
        node_sets: SetList::default(),
        cell_sets: SetList::default(),
        faces: Vec::new(),
        parts: 0,
        unread: BTreeMap::new(),
    };
    let mut lines = bytes.split(|&b| b == b'\n').enumerate().map(|(n, line)| {
        let text = String::from_utf8_lossy(line);
        (n + 1, text.trim().to_owned())
    });
    while let Some((number, mut text)) = lines.next() {
        reader.line = number;
        if text.is_empty() || text.starts_with("**") {
            continue;
        }
        if !text.starts_with('*') {
            reader.data(&text)?;
            continue;
        }
        reader.finish_element()?;
        while text.ends_with(',') {
            // A keyword goes on behind a comma.
            let Some((_, more)) = lines.next() else { break };
            text.push_str(&more);
        }
        reader.keyword(&text)?;
    }
    reader.finish()
}

/// What the lines of data belong to.
#[derive(Clone, Debug)]
enum Block {
    /// Nothing that is read.
    Other,
    Nodes(Option<String>),
    Elements(CellKind, Option<String>),
    Set {
        elements: bool,
        name: String,
        generate: bool,
    },
    Surface {
        name: String,
        elements: bool,
    },
    /// The place of an instance.
    Instance,
}

/// A member of a set.
#[derive(Clone, Debug)]
enum Member {
    Label(u64),
    Name(String),
    Range([u64; 3]),
    /// Nodes of a set of elements.
    NodesOf(String),
}

/// Members with the line they are on.
type Members = Vec<(usize, Member)>;

/// A face of an element or of a set of them.
struct Face {
    line: usize,
    surface: String,
    element: String,
    face: usize,
}

struct Reader<'a> {
    file: &'a str,
    limits: &'a Limits,
    line: usize,
    block: Block,
    mesh: Mesh,
    nodes: HashMap<u64, u32>,
    cells: HashMap<u64, u32>,
    /// Numbers of an element whose line goes on, and where it starts.
    open: Option<(usize, Vec<u64>)>,
    node_sets: SetList,
    cell_sets: SetList,
    faces: Vec<Face>,
    parts: usize,
    unread: BTreeMap<String, (usize, usize)>,
}

impl Reader<'_> {
    fn error(&self, fault: MeshFault) -> MeshError {
        self.error_at(self.line, fault)
    }

    fn error_at(&self, line: usize, fault: MeshFault) -> MeshError {
        MeshError { file: self.file.into(), place: MeshPlace::Line(line), fault }
    }

    fn syntax(&self, expected: &str, found: &str) -> MeshError {
        self.error(MeshFault::Syntax { expected: expected.into(), found: format!("'{}'", shortened(found)) })
    }

    fn refuse(&self, what: &str, instead: &'static str) -> MeshError {
        self.error(MeshFault::Unsupported { what: what.into(), instead })
    }

    fn list(&mut self, elements: bool) -> &mut SetList {
        if elements { &mut self.cell_sets } else { &mut self.node_sets }
    }

    fn keyword(&mut self, text: &str) -> Result<(), MeshError> {
        let mut words = text[1..].split(',').map(str::trim);
        let keyword = words.next().unwrap_or_default().to_ascii_uppercase();
        let parameters = Parameters::new(words);
        if parameters.has("INPUT") {
            return Err(self.refuse("data in another file (INPUT=)", "write all into one file"));
        }
        self.block = match keyword.as_str() {
            "NODE" if parameters.has("SYSTEM") => {
                return Err(self.refuse("*NODE with SYSTEM", "give rectangular coordinates"));
            }
            "NODE" => Block::Nodes(parameters.name("NSET")),
            "ELEMENT" => Block::Elements(self.cell_kind(&parameters)?, parameters.name("ELSET")),
            "NSET" | "ELSET" => self.set(&keyword, &parameters)?,
            "SURFACE" => self.surface(&parameters)?,
            "PART" => {
                self.parts += 1;
                if self.parts > 1 {
                    return Err(self.refuse("a file with several parts", "write one part into one file"));
                }
                Block::Other
            }
            "INSTANCE" => Block::Instance,
            "HEADING" | "ASSEMBLY" | "END PART" | "END ASSEMBLY" | "END INSTANCE" | "PREPRINT" => {
                Block::Other
            }
            word if REFUSED.contains(&word) => {
                return Err(
                    self.refuse(&format!("*{keyword}"), "write nodes and elements one by one into one file")
                );
            }
            _ => {
                let line = self.line;
                self.unread.entry(shortened(&keyword)).or_insert((line, 0)).1 += 1;
                Block::Other
            }
        };
        Ok(())
    }

    fn cell_kind(&self, parameters: &Parameters) -> Result<CellKind, MeshError> {
        let name = parameters.name("TYPE").unwrap_or_default().to_ascii_uppercase();
        // H marks hybrid elements: the same cells.
        Ok(match name.strip_suffix('H').unwrap_or(&name) {
            "C3D4" => CellKind::Tetrahedron4,
            "T3D2" | "B31" | "B33" => CellKind::Line2,
            "B32" => CellKind::Line3,
            "S3" | "S3R" | "STRI3" | "M3D3" | "R3D3" | "SFM3D3" | "CPS3" | "CPE3" => CellKind::Triangle3,
            "MASS" => CellKind::Point,
            "" => return Err(self.syntax("*ELEMENT with TYPE=", "no type")),
            _ => return Err(self.error(MeshFault::ElementType { found: shortened(&name), known: KNOWN })),
        })
    }

    fn set(&mut self, keyword: &str, parameters: &Parameters) -> Result<Block, MeshError> {
        let elements = keyword == "ELSET";
        let Some(name) = parameters.name(keyword) else {
            return Err(self.syntax(&format!("*{keyword} with {keyword}=name"), "no name"));
        };
        if let Some(of) = parameters.name("ELSET").filter(|_| !elements) {
            let line = self.line;
            self.node_sets.members(&name).push((line, Member::NodesOf(of)));
        } else {
            self.list(elements).members(&name);
        }
        Ok(Block::Set { elements, name, generate: parameters.has("GENERATE") })
    }

    fn surface(&mut self, parameters: &Parameters) -> Result<Block, MeshError> {
        let Some(name) = parameters.name("NAME") else {
            return Err(self.syntax("*SURFACE with NAME=", "no name"));
        };
        let kind = parameters.name("TYPE").unwrap_or("ELEMENT".into()).to_ascii_uppercase();
        match kind.as_str() {
            "ELEMENT" => Ok(Block::Surface { name, elements: true }),
            "NODE" => {
                self.node_sets.members(&name);
                Ok(Block::Surface { name, elements: false })
            }
            _ => Err(self
                .refuse(&format!("*SURFACE, TYPE={}", shortened(&kind)), "give TYPE=ELEMENT or TYPE=NODE")),
        }
    }

    fn data(&mut self, text: &str) -> Result<(), MeshError> {
        match self.block.clone() {
            Block::Other => Ok(()),
            Block::Instance => {
                Err(self.refuse("an instance that is moved", "write the nodes where they are"))
            }
            Block::Nodes(set) => self.node(text, set),
            Block::Elements(kind, _) => self.element(text, kind),
            Block::Set { elements, name, generate } => self.set_members(text, elements, &name, generate),
            Block::Surface { name, elements } => self.surface_faces(text, name, elements),
        }
    }

    fn node(&mut self, text: &str, set: Option<String>) -> Result<(), MeshError> {
        let mut words = text.split(',').map(str::trim);
        let label = self.number(words.next().unwrap_or_default(), "the number of a node")?;
        let mut place = [0.0; 3];
        for (slot, word) in place.iter_mut().zip(words.filter(|w| !w.is_empty())) {
            // Fortran writes exponents with D.
            let value: Option<f64> = word.replace(['d', 'D'], "e").parse().ok();
            *slot = value.filter(|v| v.is_finite()).ok_or_else(|| self.syntax("a coordinate", word))?;
        }
        let limit = self.limits.nodes.min(u32::MAX as usize - 1);
        if self.mesh.nodes.len() >= limit {
            let found = limit as u64 + 1;
            return Err(self.error(MeshFault::Count { what: "nodes", found, limit: limit as u64 }));
        }
        if self.nodes.insert(label, self.mesh.nodes.len() as u32).is_some() {
            return Err(self.error(MeshFault::Duplicate { what: "node", label: label.to_string() }));
        }
        self.mesh.nodes.push(DVec3::from_array(place));
        self.mesh.labels.push(label);
        if let Some(name) = set {
            let line = self.line;
            self.node_sets.members(&name).push((line, Member::Label(label)));
        }
        Ok(())
    }

    fn number(&self, word: &str, what: &str) -> Result<u64, MeshError> {
        word.parse().map_err(|_| self.syntax(what, word))
    }

    fn element(&mut self, text: &str, kind: CellKind) -> Result<(), MeshError> {
        let line = self.line;
        let (start, mut numbers) = self.open.take().unwrap_or((line, Vec::new()));
        for word in text.split(',').map(str::trim).filter(|w| !w.is_empty()) {
            let what = if numbers.is_empty() { "the number of an element" } else { "the number of a node" };
            numbers.push(self.number(word, what)?);
        }
        let wanted = kind.nodes() + 1;
        if numbers.len() > wanted {
            let expected = format!("an element and {} nodes", kind.nodes());
            return Err(self.syntax(&expected, &format!("{} numbers", numbers.len())));
        }
        self.open = Some((start, numbers));
        if self.open.as_ref().is_some_and(|(_, n)| n.len() == wanted) {
            self.finish_element()?;
        }
        Ok(())
    }

    /// Stores the element whose numbers were read.
    fn finish_element(&mut self) -> Result<(), MeshError> {
        let Some((line, numbers)) = self.open.take() else { return Ok(()) };
        let Block::Elements(kind, set) = self.block.clone() else { return Ok(()) };
        let expected = || format!("an element and {} nodes", kind.nodes());
        let [label, labels @ ..] = &numbers[..] else { return Ok(()) };
        let mut nodes = Vec::with_capacity(4);
        for number in labels {
            nodes.push(*self.nodes.get(number).ok_or_else(|| {
                let object = format!("element {label}");
                self.error_at(line, MeshFault::Missing { object, what: "node", label: number.to_string() })
            })?);
        }
        let index = self.mesh.cells.len();
        let Some(cell) = Cell::new(*label, kind, &nodes) else {
            let found = format!("{} nodes", nodes.len());
            return Err(self.error_at(line, MeshFault::Syntax { expected: expected(), found }));
        };
        if index >= self.limits.cells.min(u32::MAX as usize - 1) {
            let limit = self.limits.cells as u64;
            return Err(self.error(MeshFault::Count { what: "elements", found: limit + 1, limit }));
        }
        if self.cells.insert(*label, index as u32).is_some() {
            return Err(
                self.error_at(line, MeshFault::Duplicate { what: "element", label: label.to_string() })
            );
        }
        self.mesh.cells.push(cell);
        if let Some(name) = set {
            self.cell_sets.members(&name).push((line, Member::Label(*label)));
        }
        Ok(())
    }

    fn set_members(
        &mut self,
        text: &str,
        elements: bool,
        name: &str,
        generate: bool,
    ) -> Result<(), MeshError> {
        let words: Vec<_> = text.split(',').map(str::trim).filter(|w| !w.is_empty()).collect();
        let line = self.line;
        let mut found = Vec::new();
        if generate {
            let numbers: Vec<u64> =
                words.iter().map(|w| self.number(w, "first, last and step")).collect::<Result<_, _>>()?;
            let range = match numbers[..] {
                [first, last] => [first, last, 1],
                [first, last, step] => [first, last, step],
                _ => return Err(self.syntax("first, last and step", text)),
            };
            if range[2] == 0 || range[1] < range[0] {
                return Err(
                    self.syntax("a first number, a last one that is not less, and a step above 0", text)
                );
            }
            found.push((line, Member::Range(range)));
        } else {
            let member = |w: &&str| w.parse().map_or_else(|_| Member::Name((*w).to_owned()), Member::Label);
            found.extend(words.iter().map(|w| (line, member(w))));
        }
        self.list(elements).members(name).extend(found);
        Ok(())
    }

    fn surface_faces(&mut self, text: &str, name: String, elements: bool) -> Result<(), MeshError> {
        let mut words = text.split(',').map(str::trim);
        let first = words.next().unwrap_or_default().to_owned();
        let line = self.line;
        if !elements {
            let member = first.parse().map_or_else(|_| Member::Name(first), Member::Label);
            self.node_sets.members(&name).push((line, member));
            return Ok(());
        }
        let face = words.next().unwrap_or_default().to_ascii_uppercase();
        let face = match face.as_str() {
            "S1" | "SPOS" => 0,
            "S2" => 1,
            "S3" => 2,
            "S4" => 3,
            _ => return Err(self.syntax("an element or set, and a face S1 to S4", text)),
        };
        self.faces.push(Face { line, surface: name, element: first, face });
        Ok(())
    }

    fn finish(mut self) -> Result<Mesh, MeshError> {
        self.finish_element()?;
        if self.mesh.nodes.is_empty() {
            let fault =
                MeshFault::Missing { object: "a mesh".into(), what: "keyword", label: "*NODE".into() };
            return Err(MeshError { file: self.file.into(), place: MeshPlace::File, fault });
        }
        let mut cell_sets = Sets::default();
        for (name, list) in &self.cell_sets.list {
            self.resolve("element", &self.cells, name, list, &mut cell_sets, None)?;
        }
        let mut node_sets = Sets::default();
        for (name, list) in &self.node_sets.list {
            self.resolve("node", &self.nodes, name, list, &mut node_sets, Some(&cell_sets))?;
        }
        for face in &self.faces {
            let triangles = self.triangles(face, &cell_sets)?;
            self.mesh.surfaces.entry(face.surface.clone()).or_default().extend(triangles);
        }
        self.mesh.cell_sets = cell_sets.spelled;
        self.add_triangle_surfaces();
        self.mesh.node_sets = node_sets.spelled;
        let unread = self.unread.iter().map(|(keyword, (line, count))| {
            format!("line {line}: *{keyword} is not read ({count} times in the file)")
        });
        self.mesh.warnings.extend(unread);
        let file = self.file;
        self.mesh.orient().map_err(|fault| MeshError { file: file.into(), place: MeshPlace::File, fault })?;
        Ok(self.mesh)
    }

    /// Sets of triangles are surfaces too.
    fn add_triangle_surfaces(&mut self) {
        for (name, cells) in &self.mesh.cell_sets {
            let cells = cells.iter().map(|&c| &self.mesh.cells[c as usize]);
            let faces: Faces = cells.filter(|c| c.kind.dimension() == 2).map(Cell::nodes).collect();
            if !faces.is_empty() {
                self.mesh.surfaces.entry(name.clone()).or_insert(faces);
            }
        }
    }

    fn resolve(
        &self,
        what: &'static str,
        index: &HashMap<u64, u32>,
        name: &str,
        list: &Members,
        sets: &mut Sets,
        cells: Option<&Sets>,
    ) -> Result<(), MeshError> {
        let missing = |line: usize, what, label: String| {
            let object = format!("set '{}'", shortened(name));
            self.error_at(line, MeshFault::Missing { object, what, label })
        };
        let mut out = BTreeSet::new();
        for (line, member) in list {
            match member {
                Member::Label(label) => {
                    out.insert(*index.get(label).ok_or_else(|| missing(*line, what, label.to_string()))?);
                }
                Member::Name(other) => {
                    out.extend(sets.find(other).ok_or_else(|| missing(*line, "set", shortened(other)))?);
                }
                Member::NodesOf(other) => {
                    let cells = cells.and_then(|c| c.find(other));
                    for &cell in cells.ok_or_else(|| missing(*line, "set", shortened(other)))? {
                        out.extend(self.mesh.cells[cell as usize].nodes());
                    }
                }
                &Member::Range([first, last, step]) => {
                    let found = ((last - first) / step).saturating_add(1);
                    if found > index.len() as u64 {
                        let limit = index.len() as u64;
                        let what = if what == "node" { "nodes" } else { "elements" };
                        return Err(self.error_at(*line, MeshFault::Count { what, found, limit }));
                    }
                    for k in 0..found {
                        let label = first + k * step;
                        out.insert(
                            *index.get(&label).ok_or_else(|| missing(*line, what, label.to_string()))?,
                        );
                    }
                }
            }
        }
        sets.insert(name, out.into_iter().collect());
        Ok(())
    }

    /// Triangles of a face, turned outward.
    fn triangles(&self, face: &Face, sets: &Sets) -> Result<Vec<[u32; 3]>, MeshError> {
        let one =
            face.element.parse().ok().and_then(|label: u64| self.cells.get(&label)).map(std::slice::from_ref);
        let cells = one.or_else(|| sets.find(&face.element)).ok_or_else(|| {
            let object = format!("surface '{}'", shortened(&face.surface));
            let label = shortened(&face.element);
            self.error_at(face.line, MeshFault::Missing { object, what: "element or set", label })
        })?;
        let mut out = Vec::with_capacity(cells.len());
        for &cell in cells {
            let cell = &self.mesh.cells[cell as usize];
            match (cell.kind, cell.nodes()) {
                (CellKind::Tetrahedron4, &[a, b, c, d]) => {
                    let (mut triangle, opposite) =
                        [([a, b, c], d), ([a, d, b], c), ([b, d, c], a), ([c, d, a], b)][face.face];
                    let place = |n: u32| self.mesh.nodes[n as usize];
                    let [p, q, r] = triangle.map(place);
                    if (q - p).cross(r - p).dot(place(opposite) - p) > 0.0 {
                        triangle.swap(1, 2);
                    }
                    out.push(triangle);
                }
                (CellKind::Triangle3, &[a, b, c]) => out.push([a, b, c]),
                _ => {
                    let label = cell.label;
                    let what = format!("a face of element {label}, which has none,");
                    let instead = "name tetrahedra or triangles";
                    return Err(self.error_at(face.line, MeshFault::Unsupported { what, instead }));
                }
            }
        }
        Ok(out)
    }
}

/// Sets under the spelling of their first mention; names differ by more than case.
#[derive(Default)]
struct Sets {
    spelled: BTreeMap<String, Vec<u32>>,
    upper: BTreeMap<String, String>,
}

impl Sets {
    fn insert(&mut self, name: &str, members: Vec<u32>) {
        self.upper.insert(name.to_ascii_uppercase(), name.into());
        self.spelled.insert(name.into(), members);
    }

    fn find(&self, name: &str) -> Option<&[u32]> {
        self.spelled.get(self.upper.get(&name.to_ascii_uppercase())?).map(Vec::as_slice)
    }
}

/// Sets in the order of their first mention.
#[derive(Default)]
struct SetList {
    list: Vec<(String, Members)>,
    index: HashMap<String, usize>,
}

impl SetList {
    /// The members of a set, which is made if there is none.
    fn members(&mut self, name: &str) -> &mut Members {
        let at = *self.index.entry(name.to_ascii_uppercase()).or_insert_with(|| {
            self.list.push((name.to_owned(), Members::new()));
            self.list.len() - 1
        });
        &mut self.list[at].1
    }
}

/// What stands behind a keyword.
struct Parameters(Vec<(String, Option<String>)>);

impl Parameters {
    fn new<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let parameter = |word: &str| match word.split_once('=') {
            Some((key, value)) => {
                (key.trim().to_ascii_uppercase(), Some(value.trim().trim_matches('"').to_owned()))
            }
            None => (word.to_ascii_uppercase(), None),
        };
        Self(words.filter(|w| !w.is_empty()).map(parameter).collect())
    }

    fn has(&self, key: &str) -> bool {
        self.0.iter().any(|(k, _)| k == key)
    }

    fn name(&self, key: &str) -> Option<String> {
        self.0.iter().find(|(k, _)| k == key).and_then(|(_, v)| v.clone()).filter(|v| !v.is_empty())
    }
}

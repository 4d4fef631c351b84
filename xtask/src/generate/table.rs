//! What the schema cannot know: names of classes, which arguments may be given without their names, friendlier
//! names, and the modules that classes are in.

/// Modules of the package `huygens.spec`, and what is in them.
pub const MODULES: [(&str, &str); 16] = [
    ("values", "Values that descriptions are made of: frames, solids that give mass, functions of time."),
    ("settings", "Settings of a world: method, contact, output."),
    ("materials", "Materials of surfaces, and exceptions for pairs."),
    ("shapes", "Shapes that collide."),
    ("bodies", "Rigid bodies, one by one and in lattices."),
    ("joints", "Joints."),
    ("motors", "Motors, and limits of joints."),
    ("couplings", "Gears, belts, other relations of coordinates, and shafts."),
    ("forces", "Force elements."),
    ("control", "Signals, the sensors they read, and probes."),
    ("grains", "Granular matter."),
    ("measures", "What is measured of granular matter."),
    ("fluids", "Fluids."),
    ("walls", "Walls of granular matter and of fluids."),
    ("structures", "Flexible structures: cables, beams, rods, bars and solids."),
    (OTHER_MODULE, "Other objects of scenes."),
];

/// Module of the objects of sections that the table does not name.
pub const OTHER_MODULE: &str = "others";

/// Classes written by hand that generated classes build on.
pub const BASES: [&str; 4] = ["FluidShortcuts", "ForceWithLaw", "FunctionShortcuts", "SignalShortcuts"];

/// Definitions that stand for values of Python.
pub const VALUES: [(&str, &str); 3] = [
    ("Rotation", "Rotate | Vector | Mapping[str, Any]"),
    ("Function", "FunctionLike"),
    ("Drive", "DriveLike"),
];

/// Names of classes, where the name in the schema says too little without its place.
pub const NAMES: [(&str, &str); 18] = [
    ("BoundarySpec", "GrainBoundary"),
    ("ClumpingSpec", "FluidClumping"),
    ("CopiesSpec", "StructureCopies"),
    ("ElasticSpec", "ElasticMaterial"),
    ("FixedSpec", "FixedNodes"),
    ("FlowSpec", "DragFlow"),
    ("GenerateSpec", "StructureMesh"),
    ("InletSpec", "GrainInlet"),
    ("LoadPathSpec", "LoadPathSettings"),
    ("ModesSpec", "ModesSettings"),
    ("Newton", "NewtonSettings"),
    ("OutletSpec", "GrainOutlet"),
    ("PatternSpec", "GrainPattern"),
    ("RigidSettings", "RigidContact"),
    ("ShiftingSpec", "FluidShifting"),
    ("SizesSpec", "GrainSizes"),
    ("StateSpec", "FluidState"),
    ("StiffnessSpec", "ContactStiffness"),
];

/// Keys whose text is the name of an object, so that a handle serves as well.
pub const REFERENCES: [&str; 30] = [
    "a",
    "b",
    "block",
    "bodies",
    "body",
    "first",
    "input",
    "inputs",
    "joint",
    "joint_a",
    "joint_b",
    "material",
    "materials",
    "measurement",
    "of",
    "pinion",
    "rack",
    "reference",
    "second",
    "second_shaft",
    "shaft",
    "shaft_a",
    "shaft_b",
    "signal",
    "structure",
    "structures",
    "to",
    "with",
    "clump",
    "grains",
];

/// A class of Python.
#[derive(Clone)]
pub struct Class {
    pub name: String,
    /// Definition of the schema it describes.
    pub schema: String,
    pub module: String,
    pub base: String,
    pub form: Form,
    /// Types of keys that take more than the schema says.
    pub annotations: Vec<(String, String)>,
    pub constructors: Vec<Constructor>,
}

/// How a class is built.
#[derive(Clone)]
pub enum Form {
    /// By its keys, and by the constructors that are listed.
    Plain,
    /// By one constructor for each kind.
    Kinds,
    /// By one constructor for each word of a key; keys that belong to some of the words only.
    Flat { tag: &'static str, own: OwnKeys },
    /// By the listed constructors only.
    Listed,
    /// Not at all: keyword arguments of something else.
    Arguments,
    /// No class: what it refers to has classes.
    Unnamed,
}

/// A way to build an object.
#[derive(Clone, Default)]
pub struct Constructor {
    pub name: String,
    /// The kind it builds.
    pub word: String,
    /// What it says about itself, where the schema says something else.
    pub about: String,
    /// Arguments that may be given without their names, in this order; the required ones if nothing is said.
    pub positional: Option<Vec<String>>,
    /// Defaults of Python, for keys that the schema wants or has another one for.
    pub defaults: Vec<(String, String)>,
    /// Keys that must be given although the schema has a default.
    pub required: Vec<String>,
    /// Keys that are not arguments.
    pub omit: Vec<String>,
    /// The only keys that are arguments.
    pub only: Option<Vec<String>>,
    /// Keys that always have the same value.
    pub fixed: Vec<(String, String)>,
    /// Objects inside whose keys are arguments.
    pub spread: Vec<Spread>,
    /// Keys that may also be a path, and the key for the path.
    pub files: Vec<(String, String)>,
    /// Other names of arguments.
    pub rename: Vec<(String, String)>,
    /// Arguments that are no keys: name, type, meaning.
    pub extra: Vec<(String, String, String)>,
    /// Keys that hold two names, and the two arguments.
    pub pairs: Vec<(String, Vec<String>)>,
    /// Keys that take more than the schema says: key, type, and what becomes of the argument.
    pub convert: Vec<(String, String, String)>,
    /// Written by hand in the base class.
    pub by_hand: bool,
}

/// An object inside whose keys become arguments of the object around it.
#[derive(Clone)]
pub struct Spread {
    pub key: String,
    /// The kind, if it has kinds.
    pub word: String,
    /// Whether the whole object may be given, too.
    pub keep: bool,
}

impl Class {
    pub fn new(name: &str, schema: &str, module: &str) -> Self {
        Self {
            name: name.to_owned(),
            schema: schema.to_owned(),
            module: module.to_owned(),
            base: "Spec".to_owned(),
            form: Form::Plain,
            annotations: Vec::new(),
            constructors: Vec::new(),
        }
    }

    fn on(mut self, base: &str) -> Self {
        base.clone_into(&mut self.base);
        self
    }

    fn form(mut self, form: Form) -> Self {
        self.form = form;
        self
    }

    fn takes(mut self, key: &str, annotation: &str) -> Self {
        self.annotations.push((key.to_owned(), annotation.to_owned()));
        self
    }

    fn with(mut self, constructors: impl IntoIterator<Item = Constructor>) -> Self {
        self.constructors.extend(constructors);
        self
    }
}

impl Constructor {
    /// The constructor of a kind, by its name.
    pub fn kind(word: &str) -> Self {
        Self { name: word.to_owned(), word: word.to_owned(), ..Self::default() }
    }

    /// The constructor by keys, with these arguments first.
    fn init(positional: &[&str]) -> Self {
        Self::kind("__init__").order(positional)
    }

    fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    fn about(mut self, about: &str) -> Self {
        about.clone_into(&mut self.about);
        self
    }

    fn order(mut self, positional: &[&str]) -> Self {
        self.positional = Some(list(positional));
        self
    }

    fn default_of(mut self, key: &str, value: &str) -> Self {
        self.defaults.push((key.to_owned(), value.to_owned()));
        self
    }

    fn needs(mut self, keys: &[&str]) -> Self {
        self.required.extend(list(keys));
        self
    }

    fn without(mut self, keys: &[&str]) -> Self {
        self.omit.extend(list(keys));
        self
    }

    fn only(mut self, keys: &[&str]) -> Self {
        self.only = Some(list(keys));
        self
    }

    fn fix(mut self, key: &str, value: &str) -> Self {
        self.fixed.push((key.to_owned(), value.to_owned()));
        self
    }

    fn spread(mut self, key: &str, word: &str) -> Self {
        self.spread.push(Spread { key: key.to_owned(), word: word.to_owned(), keep: false });
        self
    }

    fn spread_or_whole(mut self, key: &str) -> Self {
        self.spread.push(Spread { key: key.to_owned(), word: String::new(), keep: true });
        self
    }

    fn or_file(mut self, key: &str) -> Self {
        self.files.push((key.to_owned(), "file".to_owned()));
        self
    }

    fn call(mut self, key: &str, name: &str) -> Self {
        self.rename.push((key.to_owned(), name.to_owned()));
        self
    }

    fn extra(mut self, name: &str, annotation: &str, about: &str) -> Self {
        self.extra.push((name.to_owned(), annotation.to_owned(), about.to_owned()));
        self
    }

    fn pair(mut self, key: &str, places: &[&str]) -> Self {
        self.pairs.push((key.to_owned(), list(places)));
        self
    }

    fn convert(mut self, key: &str, annotation: &str, expression: &str) -> Self {
        self.convert.push((key.to_owned(), annotation.to_owned(), expression.to_owned()));
        self
    }

    fn by_hand(mut self) -> Self {
        self.by_hand = true;
        self
    }
}

fn list(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Kinds of an object that the schema describes by one set of keys: the keys that some kinds do not have.
pub type OwnKeys = &'static [(&'static str, &'static [&'static str])];

const BODIES: OwnKeys = &[("kinematic", &["motion"])];

/// Joints without a coordinate, which take no limits.
const WITHOUT_COORDINATES: [&str; 9] = [
    "fixed",
    "spherical",
    "constant_velocity",
    "point_on_curve",
    "perpendicular_axes",
    "distance",
    "revolute_spherical",
    "revolute_translational",
    "trajectory",
];

/// The classes that have a name or a form of their own. Every other object that they refer to has a class by its
/// name in the schema, in the module of the class that refers to it first.
pub fn classes() -> Vec<Class> {
    [values(), settings(), surfaces(), mechanism(), control(), matter()].into_iter().flatten().collect()
}

fn values() -> Vec<Class> {
    let kind = Constructor::kind;
    vec![
        Class::new("Frame", "FrameSpec", "values").with([Constructor::init(&["position"])]),
        Class::new("Solid", "Solid", "values").form(Form::Kinds),
        Class::new("Function", "Function", "values").on("FunctionShortcuts").form(Form::Kinds).with([
            kind("step_cycloidal").order(&["start", "duration", "to"]).default_of("from", "0.0"),
            kind("step_poly345").order(&["start", "duration", "to"]).default_of("from", "0.0"),
            kind("sum").by_hand(),
            kind("product").by_hand(),
        ]),
        Class::new("Integrator", "Integrator", "settings").form(Form::Kinds).with([
            kind("generalized_alpha").order(&["rho"]),
            kind("hht").order(&["alpha"]),
            kind("newmark").order(&["beta", "gamma"]),
        ]),
    ]
}

fn settings() -> Vec<Class> {
    vec![
        Class::new("SettingsArguments", "Settings", "settings")
            .form(Form::Arguments)
            .takes("integrator", "Integrator | str | Mapping[str, Any]")
            .takes("contact", "Contact | str | Mapping[str, Any]")
            .takes("output", "OutputArguments | Mapping[str, Any]"),
        Class::new("OutputArguments", "OutputSpec", "settings")
            .form(Form::Arguments)
            .takes("recording", "RecordingArguments | Mapping[str, Any]"),
        Class::new("RecordingArguments", "RecordingSpec", "settings").form(Form::Arguments),
        Class::new("Contact", "ContactSettings", "settings")
            .with([Constructor::init(&["law"]).spread("rigid", "")]),
    ]
}

fn surfaces() -> Vec<Class> {
    let kind = Constructor::kind;
    let material = Constructor::default;
    let keys_of_pairs = [
        "materials",
        "friction",
        "restitution",
        "rolling_friction",
        "spinning_friction",
        "cohesion",
        "compliance",
        "damping",
        "stiffness",
    ];
    vec![
        Class::new("Material", "MaterialSpec", "materials").with([
            material()
                .named("rigid")
                .about("Build a material for the rigid law; what is not given has its default."),
            material()
                .named("elastic")
                .about("Build a material for the compliant law.")
                .order(&["young", "poisson"])
                .needs(&["young"])
                .default_of("poisson", "0.3"),
        ]),
        Class::new("ContactPair", "ContactPairSpec", "materials").form(Form::Listed).with([
            material()
                .named("bodies")
                .about("Take two bodies out, or let two bodies touch that a joint connects.")
                .only(&["bodies", "collide"])
                .pair("bodies", &["a", "b"])
                .needs(&["collide"])
                .order(&["a", "b"]),
            material()
                .named("materials")
                .about("Give two materials numbers of their own; what is absent follows from the materials.")
                .only(&keys_of_pairs)
                .pair("materials", &["a", "b"])
                .order(&["a", "b"]),
        ]),
        Class::new("Shape", "ShapeSpec", "shapes").form(Form::Kinds).with([
            kind("hull").order(&["points"]).or_file("points"),
            kind("mesh").order(&["points", "triangles"]).or_file("points").convert(
                "decompose",
                "Decompose | Mapping[str, Any] | bool",
                "{} if decompose is True else decompose or None",
            ),
            kind("height_field").order(&["size", "heights"]).or_file("heights"),
        ]),
    ]
}

fn mechanism() -> Vec<Class> {
    let kind = Constructor::kind;
    let body =
        |word: &str| kind(word).extra("material", "Ref", "Material of shapes that have none of their own.");
    let with_law = |word: &str| {
        kind(word).extra(
            "law",
            "Law",
            "``f(time, coordinate, rate)`` instead of the constants: the force [N or N·m] along the growing coordinate.",
        )
    };
    let motor = |word: &str| kind(word).order(&["joint", "drive"]).default_of("drive", "0.0");
    vec![
        Class::new("Body", "BodySpec", "bodies")
            .form(Form::Flat { tag: "kind", own: BODIES })
            .takes("shape", "Shape | Solid | Mapping[str, Any]")
            .with([
                body("dynamic").about(
                    "Build a body that forces move.\n\nIt needs `mass` with `inertia` or shapes, or `density` with shapes.",
                ),
                body("fixed").about("Build a body that never moves."),
                body("kinematic").about("Build a body that moves as prescribed.").spread_or_whole("motion"),
            ]),
        Class::new("Fill", "FillSpec", "bodies"),
        Class::new("Limit", "LimitSpec", "motors").with([Constructor::init(&["lower", "upper"])]),
        Class::new("Joint", "JointSpec", "joints").form(Form::Kinds).with(WITHOUT_COORDINATES.map(|word| kind(word).without(&["limits"]))),
        Class::new("Motor", "MotorSpec", "motors").form(Form::Flat { tag: "type", own: &[] }).with([
            motor("angle"),
            motor("position"),
            motor("speed"),
            motor("torque"),
            motor("force"),
        ]),
        Class::new("Coupling", "CouplingSpec", "couplings").form(Form::Kinds),
        Class::new("Shaft", "ShaftSpec", "couplings"),
        Class::new("Force", "ForceSpec", "forces").on("ForceWithLaw").form(Form::Kinds).with([
            with_law("spring"),
            with_law("coordinate_spring").order(&["joint"]),
            kind("rope").order(&["a", "b"]),
            kind("clutch").order(&["shaft_a", "shaft_b"]),
            kind("brake").order(&["joint"]),
        ]),
    ]
}

fn control() -> Vec<Class> {
    let kind = Constructor::kind;
    vec![
        Class::new("Sensor", "SensorSpec", "control"),
        Class::new("Signal", "SignalEntry", "control").on("SignalShortcuts").form(Form::Kinds).with([
            kind("sensor").spread("sensor", ""),
            kind("input").order(&["name", "value"]),
            kind("state").order(&["name", "block", "index"]).default_of("index", "0"),
        ]),
        Class::new("Probe", "ProbeSpec", "control").with([Constructor::init(&["of", "quantity"])]),
    ]
}

fn matter() -> Vec<Class> {
    let kind = Constructor::kind;
    vec![
        Class::new("Grains", "GrainsSpec", "grains").with([Constructor::init(&["name"])]),
        Class::new("Particles", "ParticlesSpec", "grains")
            .with([Constructor::init(&["positions"]).or_file("positions")]),
        Class::new("Wall", "WallSpec", "walls").form(Form::Kinds).with([
            kind("mesh").order(&["points", "triangles"]).or_file("points"),
            kind("body").named("of_body").order(&["body"]).needs(&["body"]),
            kind("structure").named("of_structure").order(&["structure"]).only(&[
                "structure",
                "name",
                "material",
            ]),
        ]),
        Class::new("GrainMeasure", "GrainMeasureSpec", "measures"),
        Class::new("Region", "RegionSpec", "values").form(Form::Kinds),
        Class::new("Motion", "MotionSpec", "values"),
        Class::new("InertiaEntries", "InertiaEntries", "values"),
        Class::new("Fluid", "FluidSpec", "fluids")
            .on("FluidShortcuts")
            .with([Constructor::init(&["name"]).needs(&["spacing"])]),
        Class::new("FluidWall", "FluidWallSpec", "walls").form(Form::Kinds).with([
            kind("box")
                .named("tank")
                .about("Box around the fluid between two corners, without the faces that are `open`.")
                .without(&["side"])
                .default_of("open", "(\"+z\",)"),
            kind("box")
                .named("block")
                .about("Block in the fluid between two corners.")
                .without(&["open"])
                .fix("side", "\"outside\""),
            kind("mesh").order(&["points", "triangles"]).or_file("points"),
            kind("height_field").order(&["size", "heights"]).or_file("heights"),
        ]),
        Class::new("Section", "SectionSpec", "structures").form(Form::Kinds),
        Class::new("Structure", "StructureSpec", "structures").form(Form::Listed).with(structures()),
    ]
}

/// A structure is built by what makes its mesh.
fn structures() -> [Constructor; 5] {
    let meshed = |word: &str| {
        Constructor::default().named(word).without(&["file"]).needs(&["element"]).spread("generate", word)
    };
    [
        meshed("beam")
            .about("Straight line between two places in so many elements; its ends are `start` and `end`.")
            .call("from", "start")
            .call("to", "end")
            .order(&["element", "start", "end", "pieces"]),
        meshed("polyline")
            .about("Smooth line through points, with so many elements between two; its ends are `start` and `end`.")
            .order(&["element", "points", "pieces"])
            .default_of("pieces", "1"),
        meshed("net")
            .about("Lines along two directions that cross; sets `corners` and `border`.")
            .order(&["element", "sides", "meshes"]),
        Constructor::default()
            .named("block")
            .about("Solid elements that fill a box; sets and surfaces `x_min`, `x_max` and so on.")
            .without(&["file"])
            .default_of("element", "\"tetrahedron\"")
            .spread("generate", "block")
            .order(&["size", "cells"]),
        Constructor::default()
            .named("from_file")
            .about("Mesh file, `.msh` of Gmsh or `.inp` of Abaqus.")
            .without(&["generate"])
            .needs(&["file"])
            .order(&["file", "element"])
            .default_of("element", "\"tetrahedron\""),
    ]
}

/// Pages of the reference: file, heading, and the sections or definitions that each describes with all that they refer
/// to. What two pages refer to is on the first.
pub const PAGES: &[(&str, &str, &[&str])] = &[
    (
        "values",
        "Values",
        &["Rotation", "Inertia", "FrameSpec", "Function", "Drive", "MotionSpec", "RegionSpec"],
    ),
    ("settings", "Settings", &["settings", "include"]),
    ("bodies", "Bodies and surfaces", &["bodies", "fills", "materials", "contact_pairs"]),
    ("joints", "Joints, motors and couplings", &["joints", "motors", "couplings", "shafts"]),
    ("forces", "Forces", &["forces"]),
    ("control", "Signals and probes", &["signals", "probes"]),
    ("grains", "Grains", &["grains"]),
    ("fluids", "Fluids", &["fluids"]),
    ("structures", "Structures", &["structures"]),
];

//! What can go wrong with particles.

use std::fmt;

use huygens_core::{CoreError, ObjectRef, Subject};
use huygens_exec::{MemoryShortage, Stopped};
use huygens_kernel::contact::ContactError;
use huygens_spec::shown;

/// Why particles are refused or a step failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParticleError {
    /// The work was asked to stop.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A number out of its range.
    #[error("{what} of {value} is out of range: it must be {expected}")]
    Range {
        /// The number, in words, and the object it belongs to where that has a name.
        what: Subject,
        /// Its key in descriptions of scenes, where it has one.
        key: Option<&'static str>,
        /// Its value.
        value: f64,
        /// Values it may have.
        expected: &'static str,
    },
    /// A material that does not exist.
    #[error("{what} has material {index}, but there are {count}")]
    UnknownMaterial {
        /// Who asks for it.
        what: String,
        /// The index.
        index: usize,
        /// Number of materials.
        count: usize,
    },
    /// A law with a parameter out of range.
    #[error("laws of contact: {reason}")]
    Law {
        /// Which, and why.
        reason: ContactError,
    },
    /// Two materials have no coefficients together.
    #[error("materials {a} and {b} do not make a pair: {reason}")]
    Pair {
        /// One.
        a: usize,
        /// The other.
        b: usize,
        /// Why not.
        reason: ContactError,
    },
    /// A number of a particle is not finite any more.
    #[error(
        "particle {id} has a {what} that is not finite at t = {time} s (step {step}); it touches {contacts}. A smaller \
         step often helps", time = shown(*.time))]
    NonFinite {
        /// Which.
        id: u64,
        /// Its field.
        what: &'static str,
        /// When [s].
        time: f64,
        /// Step number.
        step: u64,
        /// Whom it touches.
        contacts: String,
    },
    /// A fluid was put on a boundary of facets.
    #[error("a fluid cannot touch facets whose vertices move; give it the pieces of lines or rigid parts")]
    FluidFacets,
    /// Bytes that are not the state of such a system.
    #[error("the state does not fit: {what}")]
    State {
        /// What is wrong.
        what: String,
    },
    /// Two grains of a fill overlap.
    #[error("grains {a} and {b} overlap by {depth} m")]
    Overlap {
        /// One, by its place in the list.
        a: usize,
        /// The other.
        b: usize,
        /// By how much [m].
        depth: f64,
    },
    /// No grain fits.
    #[error("no grain fits into the region; the smallest has a radius of {radius} m")]
    FillEmpty {
        /// Least radius [m].
        radius: f64,
    },
    /// A solid fraction that cannot be reached.
    #[error(
        "a solid fraction of {wanted} was not reached; overlaps vanish only at {reached:.3}. Random packings of equal spheres reach about 0.60 in a wide region and less in a narrow one; rainfall and settling give denser beds"
    )]
    FillDense {
        /// Asked for.
        wanted: f64,
        /// Reached.
        reached: f64,
    },
    /// Grains did not come to rest.
    #[error("after {time} s the kinetic energy per grain is {energy_per_grain:e} J, not below {wanted:e} J", time = shown(*.time))]
    NotSettled {
        /// Kinetic energy per grain [J].
        energy_per_grain: f64,
        /// Threshold [J].
        wanted: f64,
        /// How long it was waited [s].
        time: f64,
    },
    /// Rain found no room.
    #[error("the region has no room for more rain after {number} grains of {mass} kg, for {time} s", time = shown(*.time))]
    NoRoom {
        /// Grains that rained.
        number: u64,
        /// Their mass [kg].
        mass: f64,
        /// How long it was waited [s].
        time: f64,
    },
    /// An inlet that gives nothing.
    #[error("inlet '{name}' emits nothing: {reason}")]
    EmptyInlet {
        /// Its name.
        name: String,
        /// Why.
        reason: String,
    },
    /// An inlet that is to give more than its region holds.
    #[error(
        "inlet '{name}' cannot emit {rate} {unit}: its region holds no more than {most:.4e} {unit} at this step and \
         interval"
    )]
    InletRate {
        /// Its name.
        name: String,
        /// Asked for.
        rate: f64,
        /// What would fill the region every time as closely as equal spheres can lie.
        most: f64,
        /// Unit of both.
        unit: &'static str,
    },
    /// A grain left a closed box.
    #[error("grain {id} left the closed boundary at {position:?} m, t = {time} s (step {step})", time = shown(*.time))]
    Left {
        /// Which.
        id: u64,
        /// Where [m].
        position: [f64; 3],
        /// When [s].
        time: f64,
        /// Step number.
        step: u64,
    },
    /// A grain that does not exist.
    #[error("there is no grain {id}")]
    UnknownGrain {
        /// Asked for.
        id: u64,
    },
    /// Ids would be given again.
    #[error("grain {id} has an id that the source of ids would issue again")]
    IdInUse {
        /// Id of the grain.
        id: u64,
    },
    /// A grain is to be put where it is already.
    #[error("grain {id} already exists")]
    KnownGrain {
        /// Its id.
        id: u64,
    },
    /// A sphere of a clump is to be taken out alone.
    #[error("grain {id} is part of a clump and cannot be taken out alone")]
    PartOfClump {
        /// Id of the grain.
        id: u64,
    },
    /// Memory of contacts that laws here cannot read.
    #[error("a contact of grain {id} remembers {found} rows of numbers, laws here have {expected}")]
    ContactMemory {
        /// Id of the grain.
        id: u64,
        /// Rows it has.
        found: usize,
        /// Rows of the laws of the system.
        expected: usize,
    },
    /// More particles than indices.
    #[error("{count} particles are more than the {limit} a system can hold")]
    TooMany {
        /// Asked for.
        count: usize,
        /// Most.
        limit: usize,
    },
    /// More particles near one another than a list can number.
    #[error(
        "{count} particles of a fluid are crowded around {at:?} m: far more than its spacing allows. Particles that \
         clump need a smaller step, a greater speed of sound, or a fill that does not overlap"
    )]
    TooDense {
        /// Where [m].
        at: [f64; 3],
        /// How many.
        count: usize,
    },
    /// A particle of a fluid is nowhere.
    #[error(
        "{what} {number} is at {at:?} m, which is not finite or too far away to be located. A smaller step or a \
         greater speed of sound often helps"
    )]
    FluidLost {
        /// Fluid particle or wall marker.
        what: &'static str,
        /// Its number.
        number: usize,
        /// Where [m].
        at: [f64; 3],
    },
    /// A solid that does not exist.
    #[error("there is no solid {index}: there are {count}")]
    UnknownSolid {
        /// Asked for.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A fluid whose numbers are not finite any more.
    #[error(
        "fluid particle {number} has a {what} that is not finite at t = {time} s (step {step}), near {at:?} m. A \
         smaller step or a greater speed of sound often helps", time = shown(*.time))]
    FluidNonFinite {
        /// Its number.
        number: usize,
        /// Its field.
        what: &'static str,
        /// When [s].
        time: f64,
        /// Step number.
        step: u64,
        /// Where [m].
        at: [f64; 3],
    },
    /// A marker of a constraint fluid left a container that is closed.
    #[error(
        "fluid marker {number} left the closed bounds at t = {time} s, at {at:?} m. Walls need markers as deep as the \
         kernel reaches, without gaps, or shapes and `contact`; a shorter dt keeps fast markers from passing", time = shown(*.time))]
    MarkerEscaped {
        /// Its number.
        number: usize,
        /// Where [m].
        at: [f64; 3],
        /// When [s].
        time: f64,
    },
    /// A particle left a container that is closed.
    #[error(
        "fluid particle {number} left the closed bounds at t = {time} s, at {at:?} m. Walls need markers as deep as the \
         kernel reaches, without gaps; `closed = false` counts such particles and continues", time = shown(*.time))]
    FluidEscaped {
        /// Its number.
        number: usize,
        /// Where [m].
        at: [f64; 3],
        /// When [s].
        time: f64,
    },
    /// A flow too fast for its speed of sound.
    #[error(
        "a speed of {speed:.4} m/s occurred at t = {time} s, too fast for the speed of sound of {sound} m/s: density is no \
         longer nearly constant. A `sound_speed` of at least {:.4} m/s is needed, ten times the speed of the flow",
        10.0 * speed, time = shown(*.time))]
    FluidSound {
        /// Greatest speed [m/s].
        speed: f64,
        /// Speed of sound [m/s].
        sound: f64,
        /// When [s].
        time: f64,
    },
    /// A marker without neighbours.
    #[error(
        "marker {number} of wall '{wall}' at {at:?} m has no other marker within {reach:.4} m: a wall needs markers about \
         {spacing} m apart, the spacing of the fluid"
    )]
    FluidAlone {
        /// Which wall.
        wall: String,
        /// Which marker.
        number: usize,
        /// Where [m].
        at: [f64; 3],
        /// Reach of the kernel [m].
        reach: f64,
        /// Spacing [m].
        spacing: f64,
    },
    /// A solid that takes too many cells of a fluid.
    #[error("{what} {count:.2e} cells of the spacing of {spacing} m; {limit} are allowed")]
    FluidCells {
        /// Who takes them, with the verb.
        what: &'static str,
        /// How many.
        count: f64,
        /// Spacing [m].
        spacing: f64,
        /// Most.
        limit: usize,
    },
    /// A wall of too many markers.
    #[error("it takes {count:.2e} markers; {limit} are allowed")]
    FluidMarkers {
        /// How many.
        count: f64,
        /// Most.
        limit: usize,
    },
    /// A shape that is oblique to the plane of a flow.
    #[error("in a flow in a plane, one of its axes must be along the normal of the plane")]
    FluidAxes,
    /// A gap too narrow for the spacing of a fluid.
    #[error(
        "{what} is {gap} m wide, but markers and particles are {spacing} m apart: {} across it. Take a spacing of at \
         most {:.3e} m, or make it wider",
        match fits { 0 => "none fits".to_owned(), n => format!("only {n} fits") },
        gap / 2.0
    )]
    FluidGap {
        /// What is to be filled.
        what: String,
        /// Its least width [m].
        gap: f64,
        /// Spacing [m].
        spacing: f64,
        /// Layers that fit.
        fits: usize,
    },
    /// Fluid where a solid is.
    #[error(
        "{count} of {of} fluid particles overlap a solid: the first is at {at:?} m, {distance:.3e} m from it, where the \
         spacing is {spacing} m. Move the fill or the solid, or take out such particles with `without`"
    )]
    FluidOverlap {
        /// How many.
        count: usize,
        /// Of how many.
        of: usize,
        /// Where the first is [m].
        at: [f64; 3],
        /// How far it is from a marker [m]; 0 inside.
        distance: f64,
        /// Spacing [m].
        spacing: f64,
    },
    /// Two fills of a fluid at the same place.
    #[error("{count} of its particles overlap those of an earlier fill: the first is at {at:?} m")]
    FillOverlap {
        /// How many.
        count: usize,
        /// Where the first is [m].
        at: [f64; 3],
    },
    /// Grains would cut a step of their surroundings into endlessly many.
    #[error(
        "{time} s would take {count:.1e} sub-steps of the grains, of {step:.1e} s each; at most {most:.0e} are allowed per step. The stiffest and lightest grains determine the sub-step: use a lower Young's modulus or normal stiffness, larger or denser grains, or a smaller step of the world (`dt`)", time = shown(*.time))]
    GrainSteps {
        /// Time to go [s].
        time: f64,
        /// Steps it would take.
        count: f64,
        /// Step of the grains [s].
        step: f64,
        /// Most steps.
        most: f64,
    },
    /// A fill would make more grains than there may be.
    #[error(
        "the fill would make about {count:.1e} grains, which would take about {gib:.1} GiB; at most {most} are allowed. \
         Take larger grains, a wider spacing or a smaller region"
    )]
    FillTooMany {
        /// Grains it would make, by its volume.
        count: f64,
        /// Most grains.
        most: usize,
        /// Memory they would take [GiB].
        gib: f64,
    },
    /// A fill would make more grains than fit into memory.
    #[error(
        "the fill would make about {count:.1e} grains: {shortage}. Take larger grains, a wider spacing or a smaller region"
    )]
    FillMemory {
        /// Grains it would make, by its volume.
        count: f64,
        /// What they need and what there is.
        shortage: MemoryShortage,
    },
    /// A fluid would cut a step of its surroundings into endlessly many.
    #[error(
        "{time} s would take {count:.1e} sub-steps of the fluid, of {step:.1e} s each; at most {most} are allowed per step. Use a lower speed of sound, a wider spacing, a lower viscosity, or a smaller step of the world", time = shown(*.time))]
    FluidSteps {
        /// Time to go [s].
        time: f64,
        /// Steps it would take.
        count: f64,
        /// Step of the fluid [s].
        step: f64,
        /// Most steps.
        most: f64,
    },
    /// A step that is too long for a fluid.
    #[error(
        "a step of {step} s is above the {limit:.3e} s at which this fluid is stable: sound of {sound} m/s crosses \
         its kernel in {crossing:.3e} s. Take a smaller step, or leave it out"
    )]
    FluidStep {
        /// Asked for [s].
        step: f64,
        /// Longest [s].
        limit: f64,
        /// Speed of sound [m/s].
        sound: f64,
        /// h/c [s].
        crossing: f64,
    },
    /// A mesh that cannot be a wall.
    #[error("the mesh cannot be a wall: {0}")]
    Mesh(MeshFault),
    /// A wall that does not exist.
    #[error("there is no wall {index}: there are {count}")]
    UnknownWall {
        /// Asked for.
        index: usize,
        /// Number of walls.
        count: usize,
    },
}

/// What is wrong with a mesh.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MeshFault {
    /// None or too many.
    #[error("it has {count} triangles; from 1 to {limit} are possible")]
    Count {
        /// Triangles.
        count: usize,
        /// Most.
        limit: usize,
    },
    /// A coordinate is not finite.
    #[error("a coordinate of its point {point} is not finite")]
    NotFinite {
        /// Which point.
        point: usize,
    },
    /// A corner that does not exist.
    #[error("its triangle {triangle} has a corner beyond its {points} points")]
    Index {
        /// Which triangle.
        triangle: usize,
        /// Number of points.
        points: usize,
    },
    /// A number of vertices that is not that of its faces, or too many.
    #[error("{count} vertices are given where there are {expected}")]
    Vertices {
        /// Given.
        count: usize,
        /// Expected, or most.
        expected: usize,
    },
    /// A triangle with the same corner twice.
    #[error("its triangle {triangle} has the same corner twice")]
    Repeated {
        /// Which triangle.
        triangle: usize,
    },
    /// A wall of another kind.
    #[error("wall {wall} is not a surface of facets that is moved by its vertices")]
    NoFacets {
        /// Which wall.
        wall: usize,
    },
    /// Facets that are moved as a whole.
    #[error(
        "wall '{name}' is made of facets and moves by its vertices: its axes are those of the world, at rest"
    )]
    Carried {
        /// Which wall.
        name: String,
    },
    /// A mesh with a rim has no inside.
    #[error("it is not closed: {edges} of its edges belong to one triangle only")]
    Open {
        /// Such edges.
        edges: usize,
    },
    /// No triangle has an area.
    #[error("none of its {count} triangles has an area")]
    Flat {
        /// Triangles.
        count: usize,
    },
}

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, ParticleError>;

impl ParticleError {
    /// A number that is out of its range.
    pub(crate) fn range(what: impl Into<Subject>, value: f64, expected: &'static str) -> Self {
        Self::Range { what: what.into(), key: None, value, expected }
    }

    /// The same error with the key that descriptions give the number by.
    pub(crate) fn at(mut self, name: &'static str) -> Self {
        if let Self::Range { key, .. } = &mut self {
            *key = Some(name);
        }
        self
    }

    /// The key in descriptions of scenes of the number that is refused, where it is known.
    pub fn key(&self) -> Option<&'static str> {
        match self {
            Self::Range { key, .. } => *key,
            _ => None,
        }
    }

    /// The wall, solid, inlet, outlet or fluid that is refused, where it has a name.
    pub fn object(&self) -> Option<ObjectRef> {
        match self {
            Self::Range { what, .. } => what.about().cloned(),
            Self::EmptyInlet { name, .. } | Self::InletRate { name, .. } => {
                Some(ObjectRef::new("inlet", name))
            }
            Self::FluidAlone { wall: name, .. } | Self::Mesh(MeshFault::Carried { name }) => {
                Some(ObjectRef::new("wall", name))
            }
            _ => None,
        }
    }
}

/// Refuses numbers of something, such as `a wall`: the name of the number, its value and what it must be.
pub(crate) fn refusal(of: &str) -> impl Fn(&str, f64, &'static str) -> Result<()> {
    move |what, value, expected| Err(ParticleError::range(format!("the {what} of {of}"), value, expected))
}

/// The same, unless the value is `fine`.
pub(crate) fn ranges(of: &str) -> impl Fn(&str, f64, bool, &'static str) -> Result<()> {
    let refuse = refusal(of);
    move |what, value, fine, expected| if fine { Ok(()) } else { refuse(what, value, expected) }
}

/// The same, with the keys of the numbers in descriptions of scenes first.
pub(crate) fn keyed_ranges(of: &str) -> impl Fn(&'static str, &str, f64, bool, &'static str) -> Result<()> {
    let range = ranges(of);
    move |key, what, value, fine, expected| range(what, value, fine, expected).map_err(|e| e.at(key))
}

/// Words about a part or number of an object that has a name.
pub(crate) fn part_of(what: impl fmt::Display, kind: &'static str, name: &str) -> Subject {
    Subject::part(what, ObjectRef::new(kind, name))
}

impl From<CoreError> for ParticleError {
    /// Reading a saved state is all that asks the core.
    fn from(error: CoreError) -> Self {
        match error {
            CoreError::StateMismatch { reason } => Self::State { what: reason },
            other => Self::State { what: other.to_string() },
        }
    }
}

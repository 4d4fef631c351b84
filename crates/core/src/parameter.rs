//! Parameters that may change between steps: masses, stiffnesses, loads, bounds, materials, gravity.
//!
//! The parameters of a batch are stored in a typed block ([`ParameterBlock`]), separate from its connectivity. A model
//! holds one block per batch in its [`ParameterSet`], which every [`StateView`](crate::contract::StateView) carries; a
//! batch keeps the number of its block and reads the values there. A change copies the one block it touches
//! ([`Model::with_parameters`](crate::Model::with_parameters)): layouts, slots and orderings are shared with the
//! previous model, and [`Invalidates`] states which derived data must be recomputed.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::ops::{BitOr, BitOrAssign};
use std::sync::Arc;

pub use huygens_spec::NumberRange as ParameterRange;

use crate::bytes::{Reader, Writer};
use crate::subject::ObjectRef;

/// Counts the changes of a model's parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(pub u64);

/// What depends on a parameter and must be recomputed after a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Invalidates {
    /// Mass diagonal, inverse inertias, compliances of rows.
    pub mass: bool,
    /// Newton matrix, its factors and the point at which it was evaluated.
    pub factors: bool,
    /// Coefficients of pairs of contact materials.
    pub contacts: bool,
}

impl Invalidates {
    /// Nothing.
    pub const NOTHING: Self = Self { mass: false, factors: false, contacts: false };
    /// What depends on masses; the matrix does too.
    pub const MASS: Self = Self { mass: true, factors: true, contacts: false };
    /// What depends on forces and their tangents.
    pub const FACTORS: Self = Self { mass: false, factors: true, contacts: false };
    /// What depends on contact materials; compliant contacts are in the matrix.
    pub const CONTACTS: Self = Self { mass: false, factors: true, contacts: true };
}

impl BitOr for Invalidates {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self {
            mass: self.mass || other.mass,
            factors: self.factors || other.factors,
            contacts: self.contacts || other.contacts,
        }
    }
}

impl BitOrAssign for Invalidates {
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

/// One parameter of an item: its name, unit, range and value.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterValue {
    /// Name within the object, such as `stiffness`.
    pub name: Cow<'static, str>,
    /// Unit, such as `N/m`; `1` for plain numbers.
    pub unit: &'static str,
    /// Allowed values.
    pub range: ParameterRange,
    /// Value.
    pub value: f64,
}

impl ParameterValue {
    /// A number with its unit and range.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        unit: &'static str,
        range: ParameterRange,
        value: f64,
    ) -> Self {
        Self { name: name.into(), unit, range, value }
    }
}

/// Values of one item of a batch that may change between steps.
pub trait ItemParameters: Clone + Send + Sync + 'static {
    /// What depends on the values.
    const INVALIDATES: Invalidates;
    /// The parameters that may change, in a fixed order; values given by a function or a signal are not among them.
    fn list(&self) -> Vec<ParameterValue>;
    /// Sets the parameter at that index of [`ItemParameters::list`]; its range was checked.
    fn set(&mut self, place: usize, value: f64);
    /// Whether the parameters are consistent, once all changes are made; otherwise what is required.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

/// The object to which a parameter belongs.
#[derive(Clone, Debug, PartialEq)]
pub struct Owner {
    /// Kind, such as `body` or `spring`.
    pub kind: &'static str,
    /// Name. Objects without one are identified by `#` and their number in the batch.
    pub name: String,
    /// Prefix of the parameter names, with a dot, where an object has several items.
    pub prefix: Option<String>,
    /// Parameters for which this kind has another name or a tighter range: name, other name and range.
    pub names: &'static [(&'static str, &'static str, ParameterRange)],
}

impl Owner {
    /// An object with this single item.
    pub fn new(kind: &'static str, name: impl Into<String>) -> Self {
        Self { kind, name: name.into(), prefix: None, names: &[] }
    }

    /// One of several items of an object.
    pub fn with_prefix(self, prefix: impl Into<String>) -> Self {
        Self { prefix: Some(prefix.into()), ..self }
    }

    /// An object whose kind has other names for parameters.
    pub fn with_names(self, names: &'static [(&'static str, &'static str, ParameterRange)]) -> Self {
        Self { names, ..self }
    }

    /// A parameter under the object's name for it.
    pub(crate) fn named(&self, mut value: ParameterValue) -> ParameterValue {
        if let Some((_, name, range)) = self.names.iter().find(|(own, ..)| *own == value.name) {
            (value.name, value.range) = (Cow::Borrowed(*name), *range);
        }
        if let Some(prefix) = &self.prefix {
            value.name = Cow::Owned(format!("{prefix}.{}", value.name));
        }
        value
    }
}

/// The values of all items of a batch, with their owners.
#[derive(Clone, Debug)]
pub struct ParameterBlock<T> {
    owners: Arc<Vec<Owner>>,
    /// Values by item.
    pub values: Vec<T>,
}

impl<T> Default for ParameterBlock<T> {
    fn default() -> Self {
        Self { owners: Arc::default(), values: Vec::new() }
    }
}

impl<T> ParameterBlock<T> {
    /// Values with their owners, one per item.
    pub fn new(items: impl IntoIterator<Item = (Owner, T)>) -> Self {
        let (owners, values): (Vec<Owner>, Vec<T>) = items.into_iter().unzip();
        Self { owners: Arc::new(owners), values }
    }
}

/// A block of a batch, whatever its values are: implemented by [`ParameterBlock`].
pub trait Parameters: Any + Send + Sync {
    /// Number of items.
    fn item_count(&self) -> usize;
    /// The object to which an item belongs.
    fn owner(&self, item: usize) -> &Owner;
    /// The numbers of an item, as their owner calls them.
    fn list(&self, item: usize) -> Vec<ParameterValue>;
    /// Writes a number of an item whose range was checked.
    fn set(&mut self, item: usize, place: usize, value: f64);
    /// Whether the numbers of an item fit together; otherwise what is needed.
    fn check(&self, item: usize) -> Result<(), String>;
    /// What depends on the block.
    fn invalidates(&self) -> Invalidates;
    /// A mutable copy; owners are shared.
    fn copy(&self) -> Box<dyn Parameters>;
    /// For [`ParameterSet::values`].
    fn as_any(&self) -> &dyn Any;
    /// For batches that keep their block.
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

impl<T: ItemParameters> Parameters for ParameterBlock<T> {
    fn item_count(&self) -> usize {
        self.values.len()
    }
    fn owner(&self, item: usize) -> &Owner {
        &self.owners[item]
    }
    fn list(&self, item: usize) -> Vec<ParameterValue> {
        self.values[item].list().into_iter().map(|value| self.owners[item].named(value)).collect()
    }
    fn set(&mut self, item: usize, place: usize, value: f64) {
        self.values[item].set(place, value);
    }
    fn check(&self, item: usize) -> Result<(), String> {
        self.values[item].check()
    }
    fn invalidates(&self) -> Invalidates {
        T::INVALIDATES
    }
    fn copy(&self) -> Box<dyn Parameters> {
        Box::new(self.clone())
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

/// Number of a block in the [`ParameterSet`] of its model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlockId(u32);

/// A block, what it was when the model was built, and its version.
#[derive(Clone)]
struct BlockEntry {
    current: Arc<dyn Parameters>,
    scene: Arc<dyn Parameters>,
    version: Version,
}

/// The blocks of all batches of a model.
#[derive(Clone, Default)]
pub struct ParameterSet {
    blocks: Vec<BlockEntry>,
}

static EMPTY: ParameterSet = ParameterSet { blocks: Vec::new() };

impl ParameterSet {
    /// No blocks.
    pub fn empty() -> &'static Self {
        &EMPTY
    }

    /// Adds a block.
    pub(crate) fn add(&mut self, block: Arc<dyn Parameters>) -> BlockId {
        let id = BlockId(self.blocks.len() as u32);
        self.blocks.push(BlockEntry { scene: block.clone(), current: block, version: Version::default() });
        id
    }

    /// The values of a block by item.
    ///
    /// # Panics
    /// When the block belongs to another model or has another type: a batch asks for its own.
    #[inline]
    pub fn values<T: ItemParameters>(&self, id: BlockId) -> &[T] {
        let block = self.blocks[id.0 as usize].current.as_any().downcast_ref::<ParameterBlock<T>>();
        &block.expect("a batch asks for the type of its own block").values
    }

    /// Number of changes of a block since the model was built.
    pub fn version(&self, id: BlockId) -> Version {
        self.blocks[id.0 as usize].version
    }

    /// The block itself.
    pub(crate) fn block(&self, id: BlockId) -> &Arc<dyn Parameters> {
        &self.blocks[id.0 as usize].current
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = BlockId> + use<> {
        (0..self.blocks.len() as u32).map(BlockId)
    }

    /// The block that was there when the model was built.
    pub(crate) fn scene_block(&self, id: BlockId) -> &Arc<dyn Parameters> {
        &self.blocks[id.0 as usize].scene
    }

    /// Puts a changed block in place.
    pub(crate) fn replace(&mut self, id: BlockId, block: Arc<dyn Parameters>) {
        let entry = &mut self.blocks[id.0 as usize];
        entry.current = block;
        entry.version.0 += 1;
    }
}

/// Identifies a parameter of a model.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ParameterTarget {
    /// Kind of the object, such as `body`.
    pub kind: String,
    /// Its name.
    pub owner: String,
    /// Name of the parameter, such as `mass`.
    pub parameter: String,
}

impl ParameterTarget {
    /// Kind of the gravity of a model; its owner has no name.
    pub const GRAVITY: &'static str = "gravity";
    /// Kind of contact materials.
    pub const MATERIAL: &'static str = "material";

    /// A parameter of an object.
    pub fn new(kind: impl Into<String>, owner: impl Into<String>, parameter: impl Into<String>) -> Self {
        Self { kind: kind.into(), owner: owner.into(), parameter: parameter.into() }
    }

    /// A component (`x`, `y` or `z`) of gravity.
    pub fn gravity(component: &str) -> Self {
        Self::new(Self::GRAVITY, "", component)
    }
}

impl fmt::Display for ParameterTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.owner.as_str() {
            "" => write!(f, "{} of {}", self.parameter, self.kind),
            owner => write!(f, "{} of {} '{owner}'", self.parameter, self.kind),
        }
    }
}

/// A parameter of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its names.
    pub target: ParameterTarget,
    /// Number of the item in its batch.
    pub item: u32,
    /// Unit.
    pub unit: &'static str,
    /// Allowed values.
    pub range: ParameterRange,
    /// Value.
    pub value: f64,
}

/// The reason why a parameter cannot be changed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParameterError {
    /// No object of that kind and name has parameters.
    #[error("there is no {kind} '{owner}' with parameters that may change")]
    UnknownOwner {
        /// Requested kind.
        kind: String,
        /// Requested name.
        owner: String,
    },
    /// The object has no such parameter, or it follows a function or signal.
    #[error("{kind} '{owner}' has no parameter '{parameter}' that may change; it has {}", .known.join(", "))]
    UnknownParameter {
        /// Kind of the object.
        kind: String,
        /// Its name.
        owner: String,
        /// Requested parameter.
        parameter: String,
        /// Parameters that it has.
        known: Vec<String>,
    },
    /// The value is out of range or inconsistent with other parameters of the object.
    #[error("{target} = {value} is not allowed: {expected}")]
    Range {
        /// The parameter.
        target: ParameterTarget,
        /// The value.
        value: f64,
        /// What is required.
        expected: String,
    },
}

impl ParameterError {
    /// The object that the error concerns, if any.
    pub fn object(&self) -> Option<ObjectRef> {
        let (kind, owner) = match self {
            Self::UnknownOwner { kind, owner } | Self::UnknownParameter { kind, owner, .. } => (kind, owner),
            Self::Range { target, .. } => (&target.kind, &target.owner),
        };
        (!owner.is_empty()).then(|| ObjectRef::new(kind.clone(), owner))
    }
}

/// A parameter and its new value.
#[derive(Clone, Debug)]
pub struct ParameterChange {
    /// The parameter.
    pub target: ParameterTarget,
    /// The value.
    pub value: f64,
}

/// By bits, as states are compared.
impl PartialEq for ParameterChange {
    fn eq(&self, other: &Self) -> bool {
        self.target == other.target && self.value.to_bits() == other.value.to_bits()
    }
}

impl Eq for ParameterChange {}

/// All parameters that differ from those with which the model was built, in the order of the model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParameterChanges {
    /// The changes.
    pub list: Vec<ParameterChange>,
}

impl ParameterChanges {
    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Writes the changes: three names and the value of each.
    pub(crate) fn write(&self, out: &mut Writer) {
        out.number(self.list.len() as u64);
        for ParameterChange { target, value } in &self.list {
            [&target.kind, &target.owner, &target.parameter].iter().for_each(|t| out.bytes(t.as_bytes()));
            out.float(*value);
        }
    }

    /// Reads what [`ParameterChanges::write`] wrote.
    pub(crate) fn read(input: &mut Reader<'_>) -> crate::Result<Self> {
        let mut list = Vec::new();
        for _ in 0..input.number()? {
            let mut text = || -> crate::Result<String> {
                let bytes = input.bytes()?.to_vec();
                String::from_utf8(bytes).map_err(|_| input.mismatch("a name is not UTF-8"))
            };
            let (kind, owner, parameter) = (text()?, text()?, text()?);
            let target = ParameterTarget { kind, owner, parameter };
            list.push(ParameterChange { target, value: input.float()? });
        }
        Ok(Self { list })
    }
}

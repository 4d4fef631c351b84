//! Tables whose keys depend on their `type`: what the code of `#[derive(Tagged)]` stands on.
//!
//! A value is read straight into its field, so that its errors know their place, as soon as the type is known. The
//! reader of scene files gives the `type` first, wherever it is written; other readers may give it late, and what
//! comes before it is kept until then.

use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::renamed;

/// The key that names the type.
pub const TAG: &str = "type";

/// Fields of a table that depends on its type, as a reader is told of them: it gives the value of the first one
/// first, and nothing for it if it is absent.
pub const TAG_FIRST: &[&str] = &[TAG];

/// A set of keys, which is a table or stands in one.
pub trait Keys: Sized {
    /// What has been read of it.
    type Read: Default;
    /// What messages call it.
    const OBJECT: &'static str;
    /// What it is, in words.
    const TEXT: &'static str;
    /// Its keys, in the order in which they are written, and [marks](crate::renamed) of those that have another name now.
    const KEYS: &'static [&'static str];
    /// Reads the value of one of its keys.
    fn read<'de, D: Deserializer<'de>>(read: &mut Self::Read, key: &str, value: D) -> Result<(), D::Error>;
    /// Makes it of what has been read.
    fn made<E: Error>(read: Self::Read, owner: Owner) -> Result<Self, E>;
    /// Writes its keys.
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error>;
    /// Adds its keys to a schema.
    fn describe(generator: &mut SchemaGenerator, table: &mut Table);
}

/// A type of a table.
#[derive(Clone, Copy)]
pub struct Kind {
    /// Title in the schema.
    pub title: &'static str,
    /// What it is, in words.
    pub text: &'static str,
    /// Its own keys.
    pub keys: &'static [&'static str],
}

impl Kind {
    /// A place in a list that is not filled yet.
    pub const NONE: Self = Self { title: "", text: "", keys: &[] };
}

/// The types of a table, each with keys of its own.
pub trait Kinds: Sized {
    /// What has been read of it.
    type Read;
    /// Names of the types.
    const NAMES: &'static [&'static str];
    /// Names of the types, and marks of those that have another name now.
    const KNOWN: &'static [&'static str];
    /// The types.
    const KINDS: &'static [Kind];
    /// Nothing has been read of a type yet.
    fn start(kind: usize) -> Self::Read;
    /// Place of the type in the list of all.
    fn kind(&self) -> usize;
    /// Reads the value of one of the keys of the type.
    fn read<'de, D: Deserializer<'de>>(read: &mut Self::Read, key: &str, value: D) -> Result<(), D::Error>;
    /// Makes it of what has been read.
    fn made<E: Error>(read: Self::Read, owner: Owner) -> Result<Self, E>;
    /// Writes the keys of the type.
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error>;
    /// Adds the keys of a type to a schema.
    fn describe(generator: &mut SchemaGenerator, kind: usize, table: &mut Table);
    /// Name of the type, as scene files write it.
    fn type_name(&self) -> &'static str {
        Self::NAMES[self.kind()]
    }
}

/// A table with keys that all types have, and those of its type.
pub trait Tagged: Sized {
    /// The types.
    type Kind: Kinds;
    /// What has been read of the keys that all types have.
    type Read: Default;
    /// What messages call it.
    const OBJECT: &'static str;
    /// What it is, in words.
    const TEXT: &'static str;
    /// Type of a table that names none.
    const USUAL: Option<&'static str>;
    /// Keys that all types have.
    const SHARED: &'static [&'static str];
    /// Types that do not have some of these keys.
    const EXCEPT: &'static [(&'static str, &'static [&'static str])];
    /// All keys of a type.
    fn keys(kind: usize) -> &'static [&'static str];
    /// Reads the value of a key that all types have.
    fn read<'de, D: Deserializer<'de>>(read: &mut Self::Read, key: &str, value: D) -> Result<(), D::Error>;
    /// Makes it of what has been read.
    fn made<E: Error>(read: Self::Read, kind: Self::Kind, owner: Owner) -> Result<Self, E>;
    /// Writes all keys.
    fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error>;
    /// Adds the keys that all types have to the schema of a type.
    fn describe(generator: &mut SchemaGenerator, kind: &str, table: &mut Table);
}

/// What keys belong to, as messages say it.
#[derive(Clone, Copy)]
pub struct Owner {
    object: &'static str,
    kind: Option<&'static str>,
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let vowel = self.object.starts_with(['a', 'e', 'i', 'o', 'u']);
        write!(f, "{} {}", if vowel { "an" } else { "a" }, self.object)?;
        self.kind.map_or(Ok(()), |kind| write!(f, " of type {kind}"))
    }
}

/// Number of entries of all lists.
pub const fn count<T>(parts: &[&[T]]) -> usize {
    let (mut all, mut part) = (0, 0);
    while part < parts.len() {
        all += parts[part].len();
        part += 1;
    }
    all
}

/// All lists one after the other; places are filled with `none` before.
pub const fn join<T: Copy, const N: usize>(parts: &[&[T]], none: T) -> [T; N] {
    let mut all = [none; N];
    let (mut next, mut part) = (0, 0);
    while part < parts.len() {
        let mut k = 0;
        while k < parts[part].len() {
            all[next] = parts[part][k];
            next += 1;
            k += 1;
        }
        part += 1;
    }
    all
}

/// All keys of each type of a table.
pub fn keys_by_kind<T: Tagged>() -> Vec<Vec<&'static str>> {
    let keys = |(kind, name): (&Kind, &&'static str)| {
        let shared = T::SHARED.iter().filter(|key| !is_excepted::<T>(name, key));
        [TAG].iter().chain(shared).chain(kind.keys).copied().collect()
    };
    T::Kind::KINDS.iter().zip(T::Kind::NAMES).map(keys).collect()
}

/// Whether a type does not have a key that others have.
fn is_excepted<T: Tagged>(kind: &str, key: &str) -> bool {
    T::EXCEPT.iter().any(|(name, keys)| *name == kind && keys.contains(&key))
}

/// Reads the value of a key.
pub fn fill<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    slot: &mut Option<T>,
    key: &'static str,
    value: D,
) -> Result<(), D::Error> {
    if slot.is_some() {
        return Err(D::Error::duplicate_field(key));
    }
    *slot = Some(T::deserialize(value)?);
    Ok(())
}

/// The value of a key that cannot be absent.
pub fn needed<T, E: Error>(slot: Option<T>, key: &str, owner: Owner) -> Result<T, E> {
    slot.ok_or_else(|| E::custom(format_args!("{owner} needs `{key}`")))
}

/// A key that nobody has; it is asked for only if the lists of keys and the code disagree.
pub fn stray<E: Error>(key: &str) -> Result<(), E> {
    Err(E::custom(format_args!("the key `{key}` is not known here")))
}

/// Writes the type and its keys.
pub fn write_kind<K: Kinds, M: SerializeMap>(kind: &K, map: &mut M) -> Result<(), M::Error> {
    map.serialize_entry(TAG, kind.type_name())?;
    kind.write(map)
}

/// Whose value a key is.
enum Place {
    Tag,
    Shared(&'static str),
    Own(&'static str),
    /// A key that cannot be placed before the type is known.
    Open(String),
}

/// Places a key in a table of a type, or refuses it.
fn place<T: Tagged, E: Error>(key: &str, kind: Option<usize>) -> Result<Place, E> {
    let among = |keys: &[&'static str]| keys.iter().find(|k| **k == key).copied();
    if key == TAG {
        return Ok(Place::Tag);
    }
    if let Some(key) = among(T::SHARED) {
        let open = kind.is_none() && T::EXCEPT.iter().any(|(_, keys)| keys.contains(&key));
        if open {
            return Ok(Place::Open(key.into()));
        }
        if kind.is_none_or(|kind| !is_excepted::<T>(T::Kind::NAMES[kind], key)) {
            return Ok(Place::Shared(key));
        }
    }
    let Some(kind) = kind else { return Ok(Place::Open(key.into())) };
    if let Some(key) = among(T::Kind::KINDS[kind].keys) {
        return Ok(Place::Own(key));
    }
    if renamed::name_now(key, T::keys(kind)).is_some() {
        return Err(E::unknown_field(key, T::keys(kind)));
    }
    let has = |k: &usize| T::keys(*k).contains(&key);
    let others: Vec<&str> = (0..T::Kind::NAMES.len()).filter(has).map(|k| T::Kind::NAMES[k]).collect();
    let owner = owner::<T>(Some(kind));
    Err(match others.as_slice() {
        [] => E::unknown_field(key, T::keys(kind)),
        [one] => E::custom(format_args!("{owner} has no `{key}`; {one} has")),
        [rest @ .., last] => {
            E::custom(format_args!("{owner} has no `{key}`; {} and {last} have", rest.join(", ")))
        }
    })
}

fn owner<T: Tagged>(kind: Option<usize>) -> Owner {
    Owner { object: T::OBJECT, kind: kind.map(|k| T::Kind::NAMES[k]) }
}

/// Reads a key and places it, so that an error has the place of the key.
struct KeySeed<T>(Option<usize>, PhantomData<T>);

impl<'de, T: Tagged> DeserializeSeed<'de> for KeySeed<T> {
    type Value = Place;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Place, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl<T: Tagged> Visitor<'_> for KeySeed<T> {
    type Value = Place;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }
    fn visit_str<E: Error>(self, key: &str) -> Result<Place, E> {
        place::<T, E>(key, self.0)
    }
}

/// Reads the name of a type; nothing if it is absent.
struct KindSeed<K>(PhantomData<K>);

impl<'de, K: Kinds> DeserializeSeed<'de> for KindSeed<K> {
    type Value = Option<usize>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<usize>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<K: Kinds> Visitor<'_> for KindSeed<K> {
    type Value = Option<usize>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }
    fn visit_str<E: Error>(self, name: &str) -> Result<Option<usize>, E> {
        let found = K::NAMES.iter().position(|n| *n == name);
        found.map(Some).ok_or_else(|| E::unknown_variant(name, K::KNOWN))
    }
    fn visit_unit<E: Error>(self) -> Result<Option<usize>, E> {
        Ok(None)
    }
}

/// Reads a value into what has been read of keys that all types have, or of those of a type.
struct Shared<'a, T: Tagged>(&'a mut T::Read, &'static str);
struct Own<'a, K: Kinds>(&'a mut K::Read, &'static str);

impl<'de, T: Tagged> DeserializeSeed<'de> for Shared<'_, T> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        T::read(self.0, self.1, deserializer)
    }
}

impl<'de, K: Kinds> DeserializeSeed<'de> for Own<'_, K> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        K::read(self.0, self.1, deserializer)
    }
}

/// Reads a table.
pub fn read_table<'de, T: Tagged, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_struct(T::OBJECT, TAG_FIRST, TableVisitor(PhantomData))
}

struct TableVisitor<T>(PhantomData<T>);

impl<'de, T: Tagged> Visitor<'de> for TableVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "struct {}", T::OBJECT)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let mut shared = T::Read::default();
        let mut own = None;
        let mut open = Vec::new();
        let usual = || {
            let known = |name| T::Kind::NAMES.iter().position(|n| *n == name);
            T::USUAL.and_then(known).ok_or_else(|| {
                let names: Vec<String> = T::Kind::NAMES.iter().map(|n| format!("`{n}`")).collect();
                A::Error::custom(format_args!(
                    "{} needs `{TAG}`, one of {}",
                    owner::<T>(None),
                    names.join(", ")
                ))
            })
        };
        while let Some(place) = map.next_key_seed(KeySeed::<T>(own.as_ref().map(|(k, _)| *k), PhantomData))? {
            match (place, &mut own) {
                (Place::Tag, Some(_)) => return Err(A::Error::duplicate_field(TAG)),
                (Place::Tag, None) => {
                    let kind = map.next_value_seed(KindSeed::<T::Kind>(PhantomData))?;
                    let kind = kind.map_or_else(usual, Ok)?;
                    own = Some((kind, T::Kind::start(kind)));
                }
                (Place::Shared(key), _) => map.next_value_seed(Shared::<T>(&mut shared, key))?,
                (Place::Own(key), Some((_, read))) => map.next_value_seed(Own::<T::Kind>(read, key))?,
                (Place::Own(key), None) => open.push((key.to_owned(), map.next_value::<Value>()?)),
                (Place::Open(key), _) => open.push((key, map.next_value::<Value>()?)),
            }
        }
        let (kind, mut own) = match own {
            Some(own) => own,
            None => usual().map(|kind| (kind, T::Kind::start(kind)))?,
        };
        for (key, value) in open {
            match place::<T, A::Error>(&key, Some(kind))? {
                Place::Shared(key) => T::read(&mut shared, key, value),
                _ => T::Kind::read(&mut own, &key, value),
            }
            .map_err(A::Error::custom)?;
        }
        let owner = owner::<T>(Some(kind));
        T::made(shared, T::Kind::made(own, owner)?, owner)
    }
}

/// Reads a table of keys.
pub fn read_keys<'de, T: Keys, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_struct(T::OBJECT, T::KEYS, KeysVisitor(PhantomData))
}

struct KeysVisitor<T>(PhantomData<T>);
struct KnownKey<T>(PhantomData<T>);
struct OneOf<'a, T: Keys>(&'a mut T::Read, &'static str);

impl<'de, T: Keys> DeserializeSeed<'de> for KnownKey<T> {
    type Value = &'static str;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<&'static str, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl<T: Keys> Visitor<'_> for KnownKey<T> {
    type Value = &'static str;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }
    fn visit_str<E: Error>(self, key: &str) -> Result<&'static str, E> {
        let found = T::KEYS.iter().find(|k| **k == key).copied();
        found.ok_or_else(|| E::unknown_field(key, T::KEYS))
    }
}

impl<'de, T: Keys> DeserializeSeed<'de> for OneOf<'_, T> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        T::read(self.0, self.1, deserializer)
    }
}

impl<'de, T: Keys> Visitor<'de> for KeysVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "struct {}", T::OBJECT)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let mut read = T::Read::default();
        while let Some(key) = map.next_key_seed(KnownKey::<T>(PhantomData))? {
            map.next_value_seed(OneOf::<T>(&mut read, key))?;
        }
        T::made(read, Owner { object: T::OBJECT, kind: None })
    }
}

/// Writes a table.
pub fn write_table<T: Tagged, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    value.write(&mut map)?;
    map.end()
}

/// Writes a table of keys.
pub fn write_keys<T: Keys, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    value.write(&mut map)?;
    map.end()
}

/// A value as JSON; nothing if JSON cannot hold it.
pub fn json<T: Serialize>(value: &T) -> Option<Value> {
    serde_json::to_value(value).ok()
}

/// The schema of a table as it is put together.
#[derive(Default)]
pub struct Table {
    properties: Map<String, Value>,
    required: Vec<Value>,
}

impl Table {
    /// Adds a key.
    pub fn key<T: JsonSchema>(
        &mut self,
        generator: &mut SchemaGenerator,
        key: &str,
        text: &str,
        needed: bool,
        default: Option<Value>,
    ) {
        let mut schema = generator.subschema_for::<T>();
        if !text.is_empty() {
            schema.insert("description".into(), text.into());
        }
        default.into_iter().for_each(|value| {
            schema.insert("default".into(), value);
        });
        self.properties.insert(key.into(), schema.to_value());
        if needed {
            self.required.push(key.into());
        }
    }

    fn finish(self, mut head: Map<String, Value>) -> Map<String, Value> {
        head.insert("type".into(), "object".into());
        head.insert("properties".into(), self.properties.into());
        if !self.required.is_empty() {
            head.insert("required".into(), self.required.into());
        }
        head.insert("additionalProperties".into(), false.into());
        head
    }
}

fn head(text: &str) -> Map<String, Value> {
    let mut head = Map::new();
    if !text.is_empty() {
        head.insert("description".into(), text.into());
    }
    head
}

/// The schema of a table of keys.
pub fn describe_keys<T: Keys>(generator: &mut SchemaGenerator) -> Schema {
    let mut table = Table::default();
    T::describe(generator, &mut table);
    table.finish(head(T::TEXT)).into()
}

/// The schema of a table: one for each type, of which a table fits exactly one.
pub fn describe_table<T: Tagged>(generator: &mut SchemaGenerator) -> Schema {
    let mut types = Vec::new();
    for (k, (kind, name)) in T::Kind::KINDS.iter().zip(T::Kind::NAMES).enumerate() {
        let mut table = Table::default();
        table.properties.insert(TAG.into(), serde_json::json!({ "type": "string", "const": name }));
        if T::USUAL != Some(*name) {
            table.required.push(TAG.into());
        }
        T::describe(generator, name, &mut table);
        T::Kind::describe(generator, k, &mut table);
        let mut head = head(kind.text);
        head.insert("title".into(), kind.title.into());
        types.push(Value::Object(table.finish(head)));
    }
    let mut all = head(T::TEXT);
    all.insert("oneOf".into(), types.into());
    all.into()
}

//! Reads specifications from a tree; errors know where they happened.

use std::fmt;

use huygens_spec::meant_name;
use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, Error as _, Expected, IntoDeserializer, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};

use crate::tree::{Entry, Node, Span, Value};
use huygens_spec::renamed::{ARROW, in_use, name_now};
use huygens_spec::tagged::{TAG, TAG_FIRST};

/// What could not be read, and where.
#[derive(Debug)]
pub(crate) struct ReadError {
    pub problem: String,
    pub suggestion: Option<String>,
    pub span: Option<Span>,
    /// The innermost table with a `type` and a name that is wrong, such as `wall 'floor'`.
    pub owner: Option<Box<str>>,
    /// How to find a better place: objects with a `type` are read as a whole, and only the message tells which part
    /// of them is wrong.
    hint: Hint,
}

#[derive(Debug)]
enum Hint {
    None,
    Key(String),
    Text(String),
    Value(String),
    Length(usize),
}

impl ReadError {
    fn with(problem: String, hint: Hint) -> Self {
        Self { problem, suggestion: None, span: None, owner: None, hint }
    }

    /// Takes the place of `node`, or of the part of it that the message is about.
    fn at(mut self, node: &Node) -> Self {
        if self.span.is_none() {
            self.span = Some(self.find(node).unwrap_or_else(|| node.span.clone()));
        }
        self
    }

    /// An error in a table that messages call `object`.
    fn of(mut self, object: &str, node: &Node) -> Self {
        if self.owner.is_none() {
            self.owner =
                node.get("name").and_then(Node::text).map(|name| format!("{object} '{name}'").into());
        }
        self
    }

    fn find(&self, node: &Node) -> Option<Span> {
        let mut found: Vec<Span> = Vec::new();
        node.for_each(&mut |n| match (&self.hint, &n.value) {
            (Hint::Key(key), Value::Table(entries)) => {
                found.extend(entries.iter().filter(|e| e.key == *key).map(|e| e.key_span.clone()));
            }
            (Hint::Text(text), Value::Text(t)) if t == text => found.push(n.span.clone()),
            (Hint::Value(words), _) if n.describe() == *words => found.push(n.span.clone()),
            (Hint::Length(length), Value::List(items)) if items.len() == *length => {
                found.push(n.span.clone())
            }
            _ => {}
        });
        // For values the object itself matches `map`; two candidates are no answer.
        match found.as_slice() {
            [only] => Some(only.clone()),
            [_, inner] if matches!(&self.hint, Hint::Value(w) if w == "map") => Some(inner.clone()),
            _ => None,
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)
    }
}

impl std::error::Error for ReadError {}

fn list(names: impl Iterator<Item = &'static str>) -> String {
    names.map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
}

/// What a value is, without the words of a programming language.
fn plain(unexpected: &Unexpected<'_>) -> String {
    match unexpected {
        Unexpected::Str(s) => format!("the text {s:?}"),
        Unexpected::Signed(i) => format!("the number {i}"),
        Unexpected::Unsigned(i) => format!("the number {i}"),
        Unexpected::Float(x) => format!("the number {x}"),
        Unexpected::Bool(b) => format!("{b}"),
        Unexpected::Seq => "a list".into(),
        Unexpected::Map => "a table".into(),
        Unexpected::Unit | Unexpected::Option => "nothing".into(),
        other => other.to_string(),
    }
}

fn expectation(expected: &dyn Expected) -> String {
    let words = expected.to_string();
    match words.as_str() {
        "f64" => "a number".into(),
        "u32" | "u64" | "usize" => "a whole number, not negative".into(),
        "a string" => "a text in quotes".into(),
        "a boolean" => "true or false".into(),
        "a sequence" => "a list".into(),
        "a map" => "a table".into(),
        words if words.starts_with("struct ") || words.starts_with("internally tagged enum") => {
            "a table of keys".into()
        }
        words if words.starts_with("an array of length ") => {
            words.replacen("an array of length", "a list of", 1)
        }
        words => words.into(),
    }
}

impl de::Error for ReadError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        let problem = message.to_string();
        // Functions are read through another reader, whose messages come as plain words.
        let quoted =
            |start: &str| problem.strip_prefix(start).and_then(|r| r.split('`').next()).map(str::to_owned);
        let hint = match (quoted("unknown field `"), quoted("unknown variant `")) {
            (Some(key), _) => Hint::Key(key),
            (_, Some(text)) => Hint::Text(text),
            _ => Hint::None,
        };
        Self::with(problem, hint)
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let problem = format!("{} is expected, not {}", expectation(expected), plain(&unexpected));
        Self::with(problem, Hint::Value(unexpected.to_string()))
    }

    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(unexpected, expected)
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        Self::with(
            format!("{} is expected, not {length} values", expectation(expected)),
            Hint::Length(length),
        )
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        let hint = Hint::Key(field.into());
        if let Some(now) = name_now(field, expected) {
            return Self::with(format!("the key `{field}` is now called `{now}`"), hint);
        }
        let known = list(in_use(expected));
        let mut e = Self::with(format!("the key `{field}` is not known here; known are {known}"), hint);
        e.suggestion = meant_name(field, in_use(expected)).map(str::to_owned);
        e
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        let hint = Hint::Text(variant.into());
        if let Some(now) = name_now(variant, expected) {
            return Self::with(format!("\"{variant}\" is now called \"{now}\""), hint);
        }
        let known = list(in_use(expected));
        let mut e = Self::with(format!("\"{variant}\" is not known; known are {known}"), hint);
        e.suggestion = meant_name(variant, in_use(expected)).map(str::to_owned);
        e
    }

    fn missing_field(field: &'static str) -> Self {
        Self::with(format!("the key `{field}` is missing"), Hint::None)
    }
}

impl<'de> Deserializer<'de> for &'de Node {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let result = match &self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(b) => visitor.visit_bool(*b),
            Value::Integer(i) => visitor.visit_i64(*i),
            Value::Float(x) => visitor.visit_f64(*x),
            Value::Text(text) => visitor.visit_borrowed_str(text),
            Value::List(items) => {
                let mut list = List { items: items.iter(), count: items.len() };
                visitor.visit_seq(&mut list).and_then(|value| {
                    // A visitor that stops early has been given too much.
                    match list.items.len() {
                        0 => Ok(value),
                        rest => {
                            let taken = list.count - rest;
                            let problem = format!("a list of {taken} is expected, not {} values", list.count);
                            Err(ReadError::custom(problem))
                        }
                    }
                })
            }
            Value::Table(entries) => visitor.visit_map(Table::new(entries)),
        };
        result.map_err(|e| e.at(self))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_newtype_struct(self).map_err(|e| e.at(self))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        if let Value::Table(entries) = &self.value
            && let Some(entry) = entries.iter().find(|e| e.key.contains(ARROW))
        {
            // The mark of a renamed key is no key.
            let mut error = ReadError::custom(format!("the key `{}` is not known here", entry.key));
            error.span = Some(entry.key_span.clone());
            return Err(error);
        }
        match &self.value {
            Value::Table(entries) if fields == TAG_FIRST => {
                visitor.visit_map(Table::tagged(entries)).map_err(|e| e.of(name, self).at(self))
            }
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let result = match &self.value {
            Value::Text(text) if text.contains(ARROW) => Err(ReadError::unknown_variant(text, variants)),
            Value::Text(text) => visitor.visit_enum(Choice { word: text, content: None }),
            Value::Table(entries) if entries.len() == 1 => {
                visitor.visit_enum(Choice { word: &entries[0].key, content: Some(&entries[0]) })
            }
            Value::Table(_) => Err(ReadError::with(
                format!("a table with one key is expected, one of {}", list(in_use(variants))),
                Hint::None,
            )),
            _ => Err(ReadError::with(
                format!("one of {} is expected, not {}", list(in_use(variants)), self.describe()),
                Hint::None,
            )),
        };
        result.map_err(|e| e.at(self))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq
        tuple tuple_struct map identifier ignored_any
    }
}

struct List<'a> {
    items: std::slice::Iter<'a, Node>,
    count: usize,
}

impl<'de> SeqAccess<'de> for &mut List<'de> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, ReadError> {
        self.items.next().map(|node| seed.deserialize(node).map_err(|e| e.at(node))).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

struct Table<'a> {
    /// The `type` if it is to be given first.
    first: Option<Given<'a>>,
    /// Whether the `type` has its turn before the others.
    tagged: bool,
    entries: std::slice::Iter<'a, Entry>,
    value: Option<&'a Node>,
}

/// A key and its value, and where the key stands if it is written.
struct Given<'a> {
    key: &'a str,
    key_span: Option<&'a Span>,
    node: &'a Node,
}

/// What stands for a `type` that is not written.
static ABSENT: Node = Node { value: Value::Null, span: 0..0 };

impl<'a> From<&'a Entry> for Given<'a> {
    fn from(entry: &'a Entry) -> Self {
        Self { key: &entry.key, key_span: Some(&entry.key_span), node: &entry.node }
    }
}

impl<'a> Table<'a> {
    fn new(entries: &'a [Entry]) -> Self {
        Self { first: None, tagged: false, entries: entries.iter(), value: None }
    }

    /// Gives the `type` first, wherever it is written.
    fn tagged(entries: &'a [Entry]) -> Self {
        let written = entries.iter().find(|e| e.key == TAG).map(Given::from);
        let first = Some(written.unwrap_or(Given { key: TAG, key_span: None, node: &ABSENT }));
        Self { first, tagged: true, ..Self::new(entries) }
    }

    fn next(&mut self) -> Option<Given<'a>> {
        let tagged = self.tagged;
        self.first.take().or_else(|| self.entries.find(|e| !tagged || e.key != TAG).map(Given::from))
    }
}

impl<'de> MapAccess<'de> for Table<'de> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ReadError> {
        let Some(given) = self.next() else { return Ok(None) };
        self.value = Some(given.node);
        let key: StrDeserializer<'de, ReadError> = given.key.into_deserializer();
        seed.deserialize(key).map(Some).map_err(|mut e| {
            e.span = e.span.or_else(|| given.key_span.cloned());
            e
        })
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ReadError> {
        match self.value.take() {
            Some(node) => seed.deserialize(node).map_err(|e| e.at(node)),
            None => Err(ReadError::custom("a value without a key")),
        }
    }
}

/// A word that stands for a choice, or a key with what belongs to it, such as `{ constant = { rate = 0.1 } }`.
struct Choice<'a> {
    word: &'a str,
    content: Option<&'a Entry>,
}

impl<'de> Choice<'de> {
    /// What belongs to the word.
    fn content(self) -> Result<&'de Node, ReadError> {
        let needs =
            || ReadError::custom(format!("\"{0}\" needs more than a word: {{ {0} = ... }}", self.word));
        self.content.map(|e| &e.node).ok_or_else(needs)
    }
}

/// A choice without numbers of its own, where only a table may stand.
static NOTHING: Node = Node { value: Value::Table(Vec::new()), span: 0..0 };

impl<'de> EnumAccess<'de> for Choice<'de> {
    type Error = ReadError;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), ReadError> {
        let word: StrDeserializer<'de, ReadError> = self.word.into_deserializer();
        let chosen = seed.deserialize(word).map_err(|mut e| {
            if let Some(entry) = self.content {
                e.span.get_or_insert(entry.key_span.clone());
            }
            e
        })?;
        Ok((chosen, self))
    }
}

impl<'de> VariantAccess<'de> for Choice<'de> {
    type Error = ReadError;

    fn unit_variant(self) -> Result<(), ReadError> {
        match self.content.map(|e| &e.node) {
            None => Ok(()),
            Some(Node { value: Value::Table(entries), .. }) if entries.is_empty() => Ok(()),
            Some(node) => {
                Err(ReadError::custom(format!("\"{}\" is a word and takes no value", self.word)).at(node))
            }
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, ReadError> {
        let node = self.content()?;
        seed.deserialize(node).map_err(|e| e.at(node))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, ReadError> {
        self.content()?.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        // All numbers may have defaults: then the word is enough.
        self.content.map_or(&NOTHING, |e| &e.node).deserialize_any(visitor)
    }
}

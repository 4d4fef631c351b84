//! A document as a tree of values that know where they stand in the text.

use std::ops::Range;

/// Bytes of the text.
pub(crate) type Span = Range<usize>;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub value: Value,
    pub span: Span,
}

/// A value of either format.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    List(Vec<Node>),
    Table(Vec<Entry>),
}

/// A key with its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub key: String,
    pub key_span: Span,
    pub node: Node,
}

impl Node {
    pub fn new(value: Value, span: Span) -> Self {
        Self { value, span }
    }

    /// The entry of a table.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        match &self.value {
            Value::Table(entries) => entries.iter().find(|e| e.key == key),
            _ => None,
        }
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|e| &e.node)
    }

    /// An element of a list.
    pub fn at(&self, index: usize) -> Option<&Node> {
        match &self.value {
            Value::List(items) => items.get(index),
            _ => None,
        }
    }

    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Elements of a list; nothing for other values.
    pub fn items(&self) -> &[Node] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// Calls `f` on every value, this one first.
    pub fn for_each<'a>(&'a self, f: &mut dyn FnMut(&'a Node)) {
        f(self);
        match &self.value {
            Value::List(items) => items.iter().for_each(|n| n.for_each(f)),
            Value::Table(entries) => entries.iter().for_each(|e| e.node.for_each(f)),
            _ => {}
        }
    }

    /// What the value is, in the words serde uses for it.
    pub fn describe(&self) -> String {
        match &self.value {
            Value::Null => "null".into(),
            Value::Bool(b) => format!("boolean `{b}`"),
            Value::Integer(i) => format!("integer `{i}`"),
            Value::Float(x) if x.fract() == 0.0 => format!("floating point `{x:.1}`"),
            Value::Float(x) => format!("floating point `{x}`"),
            Value::Text(text) => format!("string {text:?}"),
            Value::List(_) => "sequence".into(),
            Value::Table(_) => "map".into(),
        }
    }

    /// The tree of a JSON value; it has no places.
    pub fn from_json(value: &serde_json::Value) -> Self {
        let value = match value {
            serde_json::Value::Null => Value::Null,
            serde_json::Value::Bool(b) => Value::Bool(*b),
            serde_json::Value::Number(n) => match n.as_i64() {
                Some(i) => Value::Integer(i),
                None => Value::Float(n.as_f64().unwrap_or(f64::NAN)),
            },
            serde_json::Value::String(s) => Value::Text(s.clone()),
            serde_json::Value::Array(items) => Value::List(items.iter().map(Self::from_json).collect()),
            serde_json::Value::Object(map) => Value::Table(
                map.iter()
                    .map(|(k, v)| Entry { key: k.clone(), key_span: 0..0, node: Self::from_json(v) })
                    .collect(),
            ),
        };
        Self::new(value, 0..0)
    }
}

//! TOML documents as trees.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::tree::{Entry, Node, Span, Value};

/// What is wrong with a document, and where.
pub(crate) type Fault = (String, Span);

pub(crate) fn parse(text: &str) -> Result<Node, Fault> {
    let table = DeTable::parse(text).map_err(|e| {
        let span = e.span().unwrap_or(0..0);
        (e.message().replace('\n', "; "), span)
    })?;
    let span = table.span();
    Ok(Node::new(table_value(table.into_inner())?, span))
}

fn table_value(table: DeTable<'_>) -> Result<Value, Fault> {
    let entry = |(key, value): (Spanned<_>, Spanned<DeValue<'_>>)| {
        let key_span = key.span();
        let key: std::borrow::Cow<'_, str> = key.into_inner();
        Ok(Entry { key: key.into_owned(), key_span, node: node(value)? })
    };
    let mut entries = table.into_iter().map(entry).collect::<Result<Vec<_>, Fault>>()?;
    // The parser sorts keys; parameters and messages follow the order of the file.
    entries.sort_by_key(|e| e.key_span.start);
    Ok(Value::Table(entries))
}

fn node(value: Spanned<DeValue<'_>>) -> Result<Node, Fault> {
    let span = value.span();
    let value = match value.into_inner() {
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Integer(i) => match i64::from_str_radix(i.as_str(), i.radix()) {
            Ok(i) => Value::Integer(i),
            Err(_) => return Err(("the integer is too large".into(), span)),
        },
        DeValue::Float(x) => match x.as_str().parse::<f64>() {
            Ok(x) => Value::Float(x),
            Err(_) => return Err(("the number cannot be read".into(), span)),
        },
        DeValue::Boolean(b) => Value::Bool(b),
        DeValue::Datetime(_) => return Err(("dates and times have no meaning in a scene".into(), span)),
        DeValue::Array(items) => Value::List(items.into_iter().map(node).collect::<Result<_, _>>()?),
        DeValue::Table(table) => table_value(table)?,
    };
    Ok(Node::new(value, span))
}

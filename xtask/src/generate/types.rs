//! Types of Python for what the schema says about values.

use serde_json::Value;

use super::schema::{Definition, Schema, alternatives, is_null, reference, words};
use super::table;

/// Names of the values module that stand for more than one type.
pub const ALIASES: [&str; 8] =
    ["DriveLike", "FunctionLike", "IntegerRows", "Integers", "Law", "Matrix", "Ref", "Vector"];

/// Which class stands for a definition.
pub type ClassOf<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The type of an argument for the value of a key.
pub fn annotation(schema: &Schema, class_of: ClassOf<'_>, form: &Value, key: &str) -> Result<String, String> {
    let mut parts = Vec::new();
    collect(schema, class_of, form, key, &mut parts)?;
    Ok(join(parts))
}

fn collect(
    schema: &Schema,
    class_of: ClassOf<'_>,
    form: &Value,
    key: &str,
    parts: &mut Vec<String>,
) -> Result<(), String> {
    if let Some(name) = reference(form) {
        return named(schema, class_of, name, key, parts);
    }
    if let Some(words) = words(form) {
        let quoted: Vec<String> = words.iter().map(|word| format!("\"{}\"", word.word)).collect();
        add(parts, format!("Literal[{}]", quoted.join(", ")));
        return Ok(());
    }
    if let Some(forms) = alternatives(form) {
        return forms.iter().try_for_each(|form| collect(schema, class_of, form, key, parts));
    }
    let kinds: Vec<&str> = match form.get("type") {
        Some(Value::String(kind)) => vec![kind.as_str()],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => vec!["any"],
    };
    // Where a number may stand, a scene file may hold an expression; Python has its own.
    let is_expression = form.get("pattern").and_then(Value::as_str) == Some("^=");
    for kind in kinds {
        match kind {
            "null" => {}
            "string" if is_expression => {}
            "string" => add(parts, text(key)),
            "number" => add(parts, "float".to_owned()),
            "integer" => add(parts, "int".to_owned()),
            "boolean" => add(parts, "bool".to_owned()),
            "array" => add(parts, array(schema, class_of, form, key)?),
            "object" => {
                let item = match form.get("additionalProperties") {
                    Some(item @ Value::Object(_)) => annotation(schema, class_of, item, key)?,
                    _ => "Any".to_owned(),
                };
                add(parts, format!("Mapping[str, {item}]"));
            }
            _ => add(parts, "Any".to_owned()),
        }
    }
    Ok(())
}

fn named(
    schema: &Schema,
    class_of: ClassOf<'_>,
    name: &str,
    key: &str,
    parts: &mut Vec<String>,
) -> Result<(), String> {
    if let Some((_, python)) = table::VALUES.iter().find(|(definition, _)| *definition == name) {
        python.split(" | ").for_each(|part| add(parts, part.to_owned()));
        return Ok(());
    }
    match schema.definition(name)? {
        Definition::Object(_) | Definition::Tagged { .. } => {
            if let Some(class) = class_of(name) {
                add(parts, class);
            }
            add(parts, "Mapping[str, Any]".to_owned());
        }
        Definition::Words(words) => {
            let quoted: Vec<String> = words.iter().map(|word| format!("\"{}\"", word.word)).collect();
            add(parts, format!("Literal[{}]", quoted.join(", ")));
        }
        Definition::Forms(forms) => {
            for form in forms.iter().filter(|form| !is_null(form)) {
                collect(schema, class_of, form, key, parts)?;
            }
        }
        Definition::Alias(form) => collect(schema, class_of, &form, key, parts)?,
    }
    Ok(())
}

fn array(schema: &Schema, class_of: ClassOf<'_>, form: &Value, key: &str) -> Result<String, String> {
    let mut items = Vec::new();
    match form.get("prefixItems").and_then(Value::as_array) {
        Some(places) => {
            for place in places {
                collect(schema, class_of, place, key, &mut items)?;
            }
        }
        None => match form.get("items") {
            Some(item) => collect(schema, class_of, item, key, &mut items)?,
            None => items.push("Any".to_owned()),
        },
    }
    Ok(match join(items).as_str() {
        "float" => "Vector".to_owned(),
        "int" => "Integers".to_owned(),
        "Vector" => "Matrix".to_owned(),
        "Integers" => "IntegerRows".to_owned(),
        item => format!("Sequence[{item}]"),
    })
}

fn text(key: &str) -> String {
    match key {
        "file" => "str | os.PathLike[str]",
        key if table::REFERENCES.contains(&key) => "Ref",
        _ => "str",
    }
    .to_owned()
}

fn add(parts: &mut Vec<String>, part: String) {
    if !parts.contains(&part) {
        parts.push(part);
    }
}

fn join(mut parts: Vec<String>) -> String {
    // A float takes integers, too.
    if parts.iter().any(|part| part == "float") {
        parts.retain(|part| part != "int");
    }
    // The most general form goes last.
    parts.sort_by_key(|part| part.starts_with("Mapping["));
    if parts.iter().any(|part| part == "Any") || parts.is_empty() {
        "Any".to_owned()
    } else {
        parts.join(" | ")
    }
}

/// Names in the text of an annotation or of code.
pub fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

//! Parameters of a scene and the expressions that use them.

use std::collections::BTreeMap;

use huygens_spec::closest_name;

use crate::expression;
use crate::tree::{Entry, Node, Span, Value};

/// Deepest chain of parameters that refer to each other.
const MAX_PARAMETER_CHAIN: usize = 32;

/// A problem, what may have been meant, and the place.
type EvaluationFault = (String, Option<String>, Span);

/// Evaluates all expressions of a document and refuses numbers that are not finite.
pub(crate) fn evaluate(tree: &mut Node, overrides: &BTreeMap<String, f64>) -> Result<(), EvaluationFault> {
    let declared = match tree.get("parameters").map(|n| &n.value) {
        Some(Value::Table(entries)) => entries.clone(),
        _ => Vec::new(),
    };
    if let Some(name) = overrides.keys().find(|n| !declared.iter().any(|e| e.key == **n)) {
        let near = closest_name(name, declared.iter().map(|e| e.key.as_str())).map(str::to_owned);
        let span = tree.entry("parameters").map_or(0..0, |e| e.key_span.clone());
        return Err((format!("there is no parameter '{name}' to replace"), near, span));
    }
    let mut known: BTreeMap<String, f64> = overrides.clone();
    for entry in &declared {
        parameter(&entry.key, &declared, &mut known, 0).map_err(|e| (e, None, entry.node.span.clone()))?;
    }
    fill(tree, &known)
}

fn parameter(
    name: &str,
    declared: &[Entry],
    known: &mut BTreeMap<String, f64>,
    depth: usize,
) -> Result<f64, String> {
    if let Some(value) = known.get(name) {
        return Ok(*value);
    }
    let Some(entry) = declared.iter().find(|e| e.key == name) else {
        return Err(unknown_parameter(name, declared.iter().map(|e| e.key.as_str())));
    };
    if depth > MAX_PARAMETER_CHAIN {
        return Err(format!("parameter '{name}' depends on itself, or on too long a chain of others"));
    }
    let value = match &entry.node.value {
        Value::Integer(i) => *i as f64,
        Value::Float(x) => *x,
        Value::Text(text) if text.starts_with('=') => {
            expression::evaluate(&text[1..], &mut |n| parameter(n, declared, known, depth + 1))?
        }
        _ => return Err(format!("parameter '{name}' must be a number or an expression such as \"=2*pi\"")),
    };
    if !value.is_finite() {
        return Err(format!("parameter '{name}' is {value}, but must be a finite number"));
    }
    known.insert(name.into(), value);
    Ok(value)
}

fn unknown_parameter<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> String {
    match closest_name(name, names) {
        Some(near) => format!("there is no parameter '{name}'; did you mean '{near}'?"),
        None => format!("there is no parameter '{name}'"),
    }
}

fn fill(node: &mut Node, known: &BTreeMap<String, f64>) -> Result<(), EvaluationFault> {
    let span = node.span.clone();
    match &mut node.value {
        Value::Text(text) if text.starts_with('=') => {
            let mut value = |name: &str| {
                known
                    .get(name)
                    .copied()
                    .ok_or_else(|| unknown_parameter(name, known.keys().map(String::as_str)))
            };
            let number = expression::evaluate(&text[1..], &mut value)
                .map_err(|e| (format!("\"{text}\": {e}"), None, span))?;
            node.value = Value::Float(number);
        }
        Value::Float(x) if !x.is_finite() => {
            return Err((format!("{x} is not allowed; numbers must be finite"), None, span));
        }
        Value::List(items) => items.iter_mut().try_for_each(|n| fill(n, known))?,
        Value::Table(entries) => {
            entries
                .iter_mut()
                .filter(|e| e.key != "description")
                .try_for_each(|e| fill(&mut e.node, known))?;
        }
        _ => {}
    }
    Ok(())
}

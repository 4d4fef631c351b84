//! Sentences, defaults and lines of what is generated.

use std::fmt::Write as _;

use serde_json::Value;

/// Longest line of a docstring.
const WIDTH: usize = 110;

/// What every generated file says about itself.
pub const NOTE: &str =
    "Generated from the schema of scene files by `cargo xtask generate`; changes are lost.";

/// Code as docstrings mark it: "`x`" becomes "``x``".
pub fn code_in_double_quotes(text: &str) -> String {
    text.replace('`', "``").replace("\n\n", " ")
}

/// Breaks a paragraph into lines with a margin, but not within code.
pub fn wrapped(text: &str, margin: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in words_and_code(text) {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() + margin <= WIDTH => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines.join(&format!("\n{}", " ".repeat(margin)))
}

/// The words of a text; code counts as one.
fn words_and_code(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_inside = false;
    for part in text.split_whitespace() {
        match words.last_mut() {
            Some(word) if is_inside => {
                word.push(' ');
                word.push_str(part);
            }
            _ => words.push(part.to_owned()),
        }
        is_inside ^= part.matches("``").count() % 2 == 1;
    }
    words
}

/// A docstring: what it is, and a line for each argument.
pub fn docstring(about: &str, arguments: &[(String, String)], indent: usize) -> String {
    let margin = " ".repeat(indent);
    let about = about.replace('`', "``").replace("````", "``");
    let paragraphs: Vec<String> =
        about.split("\n\n").filter(|part| !part.is_empty()).map(|part| wrapped(part, indent)).collect();
    let mut inside = paragraphs.join(&format!("\n\n{margin}"));
    if !arguments.is_empty() {
        if inside.is_empty() {
            inside.push_str("Build the description.");
        }
        _ = write!(inside, "\n\n{margin}Args:");
        for (name, about) in arguments {
            let line = wrapped(&format!("{name}: {about}"), indent + 8);
            _ = write!(inside, "\n{margin}    {line}");
        }
    }
    let raw = if inside.contains('\\') { "r" } else { "" };
    let quotes = "\"\"\"";
    if inside.contains('\n') {
        format!("{margin}{raw}{quotes}{inside}\n{margin}{quotes}\n")
    } else {
        format!("{margin}{raw}{quotes}{inside}{quotes}\n")
    }
}

/// A default as Python shows it; nothing if there is nothing to say.
pub fn default_of(value: Option<&Value>) -> Option<String> {
    let value = value.filter(|value| !super::python::is_nothing(value))?;
    match value {
        Value::Bool(flag) => Some(if *flag { "True" } else { "False" }.to_owned()),
        Value::Array(items) => {
            let items: Option<Vec<String>> = items.iter().map(|item| default_of(Some(item))).collect();
            items.map(|items| format!("({})", items.join(", ")))
        }
        // A table of one word and nothing else is as good as the word.
        Value::Object(_) => None,
        other => Some(scalar(other)),
    }
}

/// A default as a scene file shows it; nothing if there is nothing to say.
pub fn default_in_scene(value: Option<&Value>) -> Option<String> {
    let value = value.filter(|value| !super::python::is_nothing(value))?;
    match value {
        Value::Array(items) => {
            let items: Option<Vec<String>> = items.iter().map(|item| default_in_scene(Some(item))).collect();
            items.map(|items| format!("[{}]", items.join(", ")))
        }
        // A function that is constant is written as its value.
        Value::Object(map)
            if map.len() == 2 && map.get("type").and_then(Value::as_str) == Some("constant") =>
        {
            map.get("value").map(scalar)
        }
        Value::Object(map) => {
            let simple: Option<Vec<String>> = map
                .iter()
                .map(|(key, value)| match value {
                    Value::Object(_) | Value::Array(_) => None,
                    value => Some(format!("{key} = {}", scalar(value))),
                })
                .collect();
            simple.filter(|items| items.len() <= 3).map(|items| format!("{{ {} }}", items.join(", ")))
        }
        other => Some(scalar(other)),
    }
}

fn scalar(value: &Value) -> String {
    let text = value.to_string();
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_read_as_python_and_as_scene_files_write_them() {
        let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert_eq!(default_of(Some(&value("[0.0, 0.0, -9.81]"))).unwrap(), "(0, 0, -9.81)");
        assert_eq!(default_of(Some(&value("true"))).unwrap(), "True");
        assert_eq!(default_of(Some(&value("\"rigid\""))).unwrap(), "\"rigid\"");
        assert!(default_of(Some(&value("[]"))).is_none());
        assert_eq!(
            default_in_scene(Some(&value("{\"type\": \"tait\", \"exponent\": 7.0}"))).unwrap(),
            "{ type = \"tait\", exponent = 7 }"
        );
    }

    #[test]
    fn long_paragraphs_are_broken_at_the_width() {
        let text = docstring(&"word ".repeat(40), &[("a".to_owned(), "What it is [m].".to_owned())], 8);
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH));
        assert!(text.contains("\n        Args:\n            a: What it is [m].\n"));
    }
}

//! The JSON Schema of scene files, read as descriptions of objects and their keys.

use serde_json::{Map, Value};

/// The schema that `huygens schema` prints.
pub struct Schema {
    root: Value,
}

/// One key of an object.
#[derive(Clone)]
pub struct Key {
    pub name: String,
    pub about: String,
    /// Schema of its value.
    pub form: Value,
    pub required: bool,
    pub default: Option<Value>,
}

/// One kind of an object that has several, chosen by a word.
pub struct Variant {
    pub word: String,
    pub about: String,
    /// All keys but the word itself; those shared with other kinds come first.
    pub keys: Vec<Key>,
}

/// A word and its meaning.
pub struct Word {
    pub word: String,
    pub about: String,
}

/// What a definition of the schema is.
pub enum Definition {
    /// A table with keys.
    Object(Vec<Key>),
    /// A table whose keys follow from the word under `tag`, and other ways to write it.
    Tagged { tag: String, variants: Vec<Variant>, shorthands: Vec<Value> },
    /// One of several words.
    Words(Vec<Word>),
    /// One of several forms.
    Forms(Vec<Value>),
    /// A single form with a name.
    Alias(Value),
}

impl Schema {
    pub fn parse(text: &str) -> Result<Self, String> {
        let root: Value =
            serde_json::from_str(text).map_err(|error| format!("the schema is not JSON: {error}"))?;
        match root.get("$defs") {
            Some(Value::Object(_)) => Ok(Self { root }),
            _ => Err("the schema has no `$defs`".to_owned()),
        }
    }

    /// The scene itself.
    pub fn scene(&self) -> Vec<Key> {
        self.keys(&self.root)
    }

    /// The lists of objects of a scene: the key of each and the definition of its objects.
    pub fn sections(&self) -> Vec<(String, String)> {
        let object = |key: &Key| Some((key.name.clone(), reference(key.form.get("items")?)?.to_owned()));
        self.scene().iter().filter_map(object).filter(|(key, _)| key != "include").collect()
    }

    pub fn has(&self, name: &str) -> bool {
        self.definitions().contains_key(name)
    }

    /// The text about a definition.
    pub fn about(&self, name: &str) -> String {
        self.definitions().get(name).map(about).unwrap_or_default()
    }

    pub fn definition(&self, name: &str) -> Result<Definition, String> {
        let value =
            self.definitions().get(name).ok_or_else(|| format!("the schema has no definition `{name}`"))?;
        Ok(self.classify(value))
    }

    fn classify(&self, value: &Value) -> Definition {
        if let Some(words) = words(value) {
            return Definition::Words(words);
        }
        if let Some(tagged) = self.tagged(value) {
            return tagged;
        }
        if let Some(forms) = alternatives(value) {
            return Definition::Forms(forms.iter().filter(|form| !is_null(form)).cloned().collect());
        }
        if value.get("properties").is_some() {
            return Definition::Object(self.keys(value));
        }
        Definition::Alias(value.clone())
    }

    fn tagged(&self, value: &Value) -> Option<Definition> {
        let forms = alternatives(value)?;
        let tag = forms.iter().find_map(tag_of)?.0;
        let shared = self.keys(value);
        let mut variants: Vec<Variant> = Vec::new();
        let mut shorthands = Vec::new();
        for form in forms {
            let Some((_, word)) = tag_of(form).filter(|(found, _)| *found == tag) else {
                shorthands.push(form.clone());
                continue;
            };
            let mut keys = shared.clone();
            merge(&mut keys, self.keys(form));
            keys.retain(|key| key.name != tag);
            let text = about(form);
            let text =
                if text.is_empty() { self.referenced(form).map(about).unwrap_or_default() } else { text };
            variants.push(Variant { word, about: text, keys });
        }
        Some(Definition::Tagged { tag, variants, shorthands })
    }

    /// The keys of an object, those of objects it refers to first.
    pub fn keys(&self, value: &Value) -> Vec<Key> {
        let mut keys = match self.referenced(value) {
            Some(target) => self.keys(target),
            None => Vec::new(),
        };
        for part in value.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            merge(&mut keys, self.keys(part));
        }
        let required: Vec<&str> = value
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let own = value.get("properties").and_then(Value::as_object).into_iter().flatten();
        merge(
            &mut keys,
            own.map(|(name, form)| Key {
                name: name.clone(),
                about: about(form),
                required: required.contains(&name.as_str()),
                default: form.get("default").cloned(),
                form: form.clone(),
            }),
        );
        for key in &mut keys {
            key.required |= required.contains(&key.name.as_str());
        }
        // What must be given comes first, in the order of declaration.
        keys.sort_by_key(|key| required.iter().position(|name| *name == key.name).unwrap_or(usize::MAX));
        keys
    }

    fn referenced(&self, value: &Value) -> Option<&Value> {
        self.definitions().get(reference(value)?)
    }

    fn definitions(&self) -> &Map<String, Value> {
        self.root["$defs"].as_object().expect("checked when the schema was parsed")
    }

    /// Names of the definitions that a definition refers to, in order.
    pub fn references(&self, name: &str) -> Vec<String> {
        let mut found = Vec::new();
        if let Some(value) = self.definitions().get(name) {
            collect_references(value, &mut found);
        }
        found
    }
}

/// Names of the definitions that a value refers to.
pub fn references_of(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect_references(value, &mut found);
    found
}

fn collect_references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            if let Some(name) = reference(value)
                && !found.iter().any(|known| known == name)
            {
                found.push(name.to_owned());
            }
            map.values().for_each(|item| collect_references(item, found));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_references(item, found)),
        _ => {}
    }
}

fn merge(keys: &mut Vec<Key>, more: impl IntoIterator<Item = Key>) {
    for key in more {
        match keys.iter_mut().find(|known| known.name == key.name) {
            Some(known) => *known = key,
            None => keys.push(key),
        }
    }
}

/// The definition that a value refers to.
pub fn reference(value: &Value) -> Option<&str> {
    value.get("$ref")?.as_str()?.strip_prefix("#/$defs/")
}

/// The text about a value in one line for each paragraph.
pub fn about(value: &Value) -> String {
    let text = value.get("description").and_then(Value::as_str).unwrap_or_default();
    let paragraphs = text.split("\n\n").map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    without_links(&paragraphs.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n"))
}

/// Links of rustdoc as plain code: "[`Name`](path)" and "[`Name`]" become "`Name`".
fn without_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("[`") {
        let Some(end) = rest[start..].find("`]").map(|end| start + end) else { break };
        plain.push_str(&rest[..start]);
        plain.push_str(&rest[start + 1..=end]);
        rest = &rest[end + 2..];
        if rest.starts_with('(')
            && let Some(close) = rest.find(')')
        {
            rest = &rest[close + 1..];
        }
    }
    plain + rest
}

/// The forms a value may take, if it has several.
pub fn alternatives(value: &Value) -> Option<&Vec<Value>> {
    value.get("oneOf").or_else(|| value.get("anyOf"))?.as_array()
}

/// The words a value is one of, if it is one of words.
pub fn words(value: &Value) -> Option<Vec<Word>> {
    if let Some(word) = value.get("const").and_then(Value::as_str) {
        return Some(vec![Word { word: word.to_owned(), about: about(value) }]);
    }
    if let Some(items) = value.get("enum").and_then(Value::as_array) {
        let word = |item: &Value| Some(Word { word: item.as_str()?.to_owned(), about: String::new() });
        return items.iter().map(word).collect();
    }
    let groups: Option<Vec<_>> = alternatives(value)?.iter().map(words).collect();
    Some(groups?.into_iter().flatten().collect())
}

pub fn is_null(value: &Value) -> bool {
    value.get("type").and_then(Value::as_str) == Some("null")
}

/// Whether a value may be left open by an explicit nothing.
pub fn takes_null(value: &Value) -> bool {
    let is_null_type = match value.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind.as_str() == Some("null")),
        _ => is_null(value),
    };
    is_null_type || alternatives(value).is_some_and(|forms| forms.iter().any(is_null))
}

/// The key of an object that holds one fixed word, and the word.
fn tag_of(value: &Value) -> Option<(String, String)> {
    let properties = value.get("properties")?.as_object()?;
    properties.iter().find_map(|(key, form)| {
        let word = match (form.get("const"), form.get("enum").and_then(Value::as_array)) {
            (Some(word), _) => word.as_str()?,
            (None, Some(only)) if only.len() == 1 => only[0].as_str()?,
            _ => return None,
        };
        Some((key.clone(), word.to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> Schema {
        Schema::parse(
            r##"{ "properties": {}, "$defs": {
                "Side": { "oneOf": [{ "const": "left", "description": "To the left." }, { "enum": ["right"] }] },
                "Screw": { "type": "object", "required": ["pitch"], "properties": { "pitch": { "type": "number" } } },
                "Joint": { "required": ["a"], "properties": { "a": { "type": "string" } }, "oneOf": [
                    { "properties": { "type": { "const": "fixed" } }, "required": ["type"] },
                    { "description": "See [`Screw`](super::Screw).", "$ref": "#/$defs/Screw",
                      "properties": { "type": { "const": "screw" } }, "required": ["type"] } ] },
                "Step": { "anyOf": [{ "type": "number" }, { "type": "null" }] }
            } }"##,
        )
        .unwrap()
    }

    #[test]
    fn kinds_have_the_keys_they_share_and_those_they_refer_to() {
        let Ok(Definition::Tagged { tag, variants, shorthands }) = schema().definition("Joint") else {
            panic!("a joint has kinds")
        };
        assert_eq!((tag.as_str(), shorthands.len()), ("type", 0));
        assert_eq!(variants[1].word, "screw");
        assert_eq!(variants[1].about, "See `Screw`.");
        let keys: Vec<_> = variants[1].keys.iter().map(|key| (key.name.as_str(), key.required)).collect();
        assert_eq!(keys, [("a", true), ("pitch", true)]);
        assert_eq!(variants[0].keys.len(), 1);
    }

    #[test]
    fn words_are_told_from_forms() {
        let schema = schema();
        let Ok(Definition::Words(words)) = schema.definition("Side") else { panic!("a side is a word") };
        assert_eq!(words.iter().map(|word| word.word.as_str()).collect::<Vec<_>>(), ["left", "right"]);
        assert_eq!(words[0].about, "To the left.");
        let Ok(Definition::Forms(forms)) = schema.definition("Step") else { panic!("a step has forms") };
        assert_eq!(forms.len(), 1);
        assert!(schema.definition("Shaft").is_err());
    }
}

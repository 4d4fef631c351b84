//! Reference pages of the book: a table for every object of a scene file.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::Value;

use super::python::Classes;
use super::schema::{
    Definition, Key, Schema, Variant, alternatives, is_null, reference, references_of, words,
};
use super::table;
use super::text::{NOTE, default_in_scene};

/// Where each definition is described.
struct Places {
    /// Page and heading by definition.
    found: BTreeMap<String, (&'static str, String)>,
}

impl Places {
    fn link(&self, definition: &str, from: &str) -> String {
        match self.found.get(definition) {
            Some((page, title)) => {
                let file = if *page == from { String::new() } else { format!("{page}.md") };
                format!("[{}]({file}#{})", lower(title), anchor(title))
            }
            None => "table".to_owned(),
        }
    }
}

/// All pages, by name.
pub fn pages(schema: &Schema, classes: &Classes<'_>) -> Result<BTreeMap<String, String>, String> {
    let scene = schema.scene();
    let mut places = Places { found: BTreeMap::new() };
    let mut contents: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    for (page, _, roots) in table::PAGES {
        let mut open: Vec<String> = Vec::new();
        for root in *roots {
            // A root is a section of the scene or a definition.
            match scene.iter().find(|key| key.name == *root) {
                Some(key) => open.extend(references_of(&key.form)),
                None if schema.has(root) => open.push((*root).to_owned()),
                None => {
                    return Err(format!(
                        "the page `{page}` is to describe `{root}`, which the schema does not have"
                    ));
                }
            }
        }
        let mut next = 0;
        while next < open.len() {
            let name = open[next].clone();
            next += 1;
            let is_root_elsewhere = table::PAGES.iter().any(|(other, _, roots)| {
                other != page && roots.iter().any(|root| is_root(&scene, root, &name))
            });
            if places.found.contains_key(&name) || is_root_elsewhere {
                continue;
            }
            if !matches!(schema.definition(&name)?, Definition::Words(_)) {
                let title = title(classes, &name);
                if places.found.values().any(|(known, other)| known == page && *other == title) {
                    return Err(format!("two headings of the page `{page}` are `{title}`"));
                }
                places.found.insert(name.clone(), (page, title));
                contents.entry(page).or_default().push(name.clone());
            }
            for inner in schema.references(&name) {
                if !open.contains(&inner) {
                    open.push(inner);
                }
            }
        }
    }
    let described: BTreeSet<&str> = places.found.keys().map(String::as_str).collect();
    for key in &scene {
        if let Some(missing) = references_of(&key.form).iter().find(|name| !described.contains(name.as_str()))
        {
            return Err(format!(
                "no page describes `{}` of the section `{}`; name the section in xtask/src/generate/table.rs",
                missing, key.name
            ));
        }
    }
    let mut pages = BTreeMap::new();
    for (page, heading, _) in table::PAGES {
        let mut text = format!("# {heading}\n\n<!-- {NOTE} -->\n");
        for name in contents.get(page).into_iter().flatten() {
            text.push_str(&section(schema, &places, &scene, page, name)?);
        }
        pages.insert(format!("{page}.md"), text);
    }
    pages.insert("sections.md".to_owned(), sections(&scene, &places));
    Ok(pages)
}

fn is_root(scene: &[Key], root: &str, definition: &str) -> bool {
    root == definition
        || scene
            .iter()
            .any(|key| key.name == root && references_of(&key.form).iter().any(|name| name == definition))
}

/// The sections of a scene file.
fn sections(scene: &[Key], places: &Places) -> String {
    let mut text =
        format!("# Sections of a scene\n\n<!-- {NOTE} -->\n\n| section | content | keys |\n|---|---|---|\n");
    for key in scene {
        let links: Vec<String> =
            references_of(&key.form).iter().map(|name| places.link(name, "sections")).collect();
        _ = writeln!(text, "| `{}` | {} | {} |", key.name, cell(&key.about), links.join(", "));
    }
    text
}

fn section(
    schema: &Schema,
    places: &Places,
    scene: &[Key],
    page: &str,
    name: &str,
) -> Result<String, String> {
    let (_, title) = &places.found[name];
    let mut text = format!("\n## {title}\n");
    let about = schema.about(name);
    if !about.is_empty() {
        _ = write!(text, "\n{}\n", about);
    }
    if let Some(key) = scene.iter().find(|key| references_of(&key.form).iter().any(|found| found == name)) {
        match key.form.get("type").and_then(Value::as_str) {
            Some("array") => _ = write!(text, "\nEach entry of `[[{}]]` is one.\n", key.name),
            _ => _ = write!(text, "\nThe table `[{}]`.\n", key.name),
        }
    }
    let show = Show { schema, places, page };
    match schema.definition(name)? {
        Definition::Object(keys) => text.push_str(&show.table(&keys)),
        Definition::Tagged { tag, variants, shorthands } => {
            text.push_str(&show.kinds(&tag, &variants, &shorthands))
        }
        Definition::Forms(forms) => {
            text.push_str("\n| form | meaning |\n|---|---|\n");
            for form in forms {
                let about = super::schema::about(&form);
                _ = writeln!(text, "| {} | {} |", show.kind(&form), cell(&about));
            }
        }
        Definition::Alias(form) => _ = write!(text, "\nA {}.\n", show.kind(&form)),
        Definition::Words(_) => {}
    }
    Ok(text)
}

/// What a table of a page needs to know.
struct Show<'a> {
    schema: &'a Schema,
    places: &'a Places,
    page: &'a str,
}

impl Show<'_> {
    fn table(&self, keys: &[Key]) -> String {
        if keys.is_empty() {
            return "\nNo keys.\n".to_owned();
        }
        let mut text = "\n| key | type | unit | default | meaning |\n|---|---|---|---|---|\n".to_owned();
        for key in keys {
            let (unit, about) = unit_of(&key.about);
            let default = match default_in_scene(key.default.as_ref()) {
                Some(value) => format!("`{}`", value.replace('|', "\\|")),
                None if key.required => "required".to_owned(),
                None => "–".to_owned(),
            };
            let words = self.words_of(&key.form);
            let about =
                [about, words].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
            let kind = self.kind(&key.form);
            _ = writeln!(text, "| `{}` | {kind} | {unit} | {default} | {} |", key.name, cell(&about));
        }
        text
    }

    /// The keys that all kinds have, and a table for each kind with keys of its own.
    fn kinds(&self, tag: &str, variants: &[Variant], shorthands: &[Value]) -> String {
        let mut text = String::new();
        for form in shorthands {
            let about = super::schema::about(form);
            _ = write!(text, "\nA {} instead of a table: {}\n", self.kind(form), lower(&about));
        }
        let is_shared = |key: &Key| {
            variants.len() > 1
                && variants.iter().all(|variant| {
                    variant.keys.iter().any(|other| {
                        other.name == key.name && other.about == key.about && other.required == key.required
                    })
                })
        };
        let shared: Vec<Key> = variants
            .first()
            .map(|first| first.keys.iter().filter(|key| is_shared(key)).cloned().collect())
            .unwrap_or_default();
        _ = write!(text, "\n| `{tag}` | meaning |\n|---|---|\n");
        for variant in variants {
            _ = writeln!(text, "| `{}` | {} |", variant.word, cell(&variant.about));
        }
        if !shared.is_empty() {
            text.push_str("\nKeys of every kind:\n");
            text.push_str(&self.table(&shared));
        }
        for variant in variants {
            let own: Vec<Key> = variant.keys.iter().filter(|key| !is_shared(key)).cloned().collect();
            if !own.is_empty() {
                _ = write!(text, "\n### `{}`\n", variant.word);
                text.push_str(&self.table(&own));
            }
        }
        text
    }

    /// The type of a value, in words.
    fn kind(&self, form: &Value) -> String {
        if let Some(name) = reference(form) {
            return match self.schema.definition(name) {
                Ok(Definition::Words(_)) => "word".to_owned(),
                _ => self.places.link(name, self.page),
            };
        }
        if words(form).is_some() {
            return "word".to_owned();
        }
        if let Some(forms) = alternatives(form) {
            let kinds = forms.iter().filter(|form| !is_null(form)).map(|form| self.kind(form));
            return listed(kinds.collect());
        }
        let kinds: Vec<&str> = match form.get("type") {
            Some(Value::String(kind)) => vec![kind.as_str()],
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => vec![],
        };
        let is_expression = form.get("pattern").and_then(Value::as_str) == Some("^=");
        let kinds = kinds.into_iter().filter_map(|kind| match kind {
            "null" => None,
            "string" if is_expression => None,
            "string" => Some("text".to_owned()),
            "number" => Some("number".to_owned()),
            "integer" => Some("integer".to_owned()),
            "boolean" => Some("true or false".to_owned()),
            "array" => Some(self.array(form)),
            "object" => Some(match form.get("additionalProperties") {
                Some(item @ Value::Object(_)) => format!("table of names: {}", self.kind(item)),
                _ => form.get("properties").map_or_else(|| "table".to_owned(), |_| self.inline(form)),
            }),
            _ => None,
        });
        listed(kinds.collect())
    }

    /// A table without a name of its own.
    fn inline(&self, form: &Value) -> String {
        let keys: Vec<String> = self.schema.keys(form).iter().map(|key| key.name.clone()).collect();
        format!("`{{ {} }}`", keys.join(", "))
    }

    fn array(&self, form: &Value) -> String {
        let item = match (form.get("items"), form.get("prefixItems").and_then(Value::as_array)) {
            (Some(item), _) => self.kind(item),
            (None, Some(places)) => listed(places.iter().map(|place| self.kind(place)).collect()),
            (None, None) => "value".to_owned(),
        };
        let count =
            form.get("maxItems").filter(|most| form.get("minItems") == Some(most)).and_then(Value::as_u64);
        match count {
            Some(count) if item.starts_with(|first: char| first.is_ascii_digit()) => {
                format!("{count} × {item}")
            }
            Some(count) => format!("{count} {}", plural(&item)),
            None if item.starts_with(|first: char| first.is_ascii_digit()) => {
                format!("list of rows of {item}")
            }
            None => format!("list of {}", plural(&item)),
        }
    }

    /// The words that a value may be, with their meanings.
    fn words_of(&self, form: &Value) -> String {
        let mut found = Vec::new();
        let mut forms = vec![form.clone()];
        while let Some(form) = forms.pop() {
            if let Some(name) = reference(&form) {
                match self.schema.definition(name) {
                    Ok(Definition::Words(words)) => found.extend(words),
                    Ok(Definition::Forms(_) | Definition::Alias(_)) | Err(_) => {}
                    Ok(_) => {}
                }
            } else if let Some(words) = words(&form) {
                found.extend(words);
            } else if let Some(inner) = alternatives(&form) {
                forms.extend(inner.iter().rev().cloned());
            } else if let Some(item) = form.get("items") {
                forms.push(item.clone());
            }
        }
        let shown: Vec<String> = found
            .iter()
            .map(|word| match word.about.is_empty() {
                true => format!("`{}`", word.word),
                false => format!("`{}`: {}", word.word, lower(word.about.trim_end_matches('.'))),
            })
            .collect();
        match shown.is_empty() {
            true => String::new(),
            false => format!("{}.", shown.join("; ")),
        }
    }
}

/// Several of what a text or a link names.
fn plural(kind: &str) -> String {
    let parts = kind.split(" or ").map(|kind| {
        let (name, rest) = kind.find("](").map_or((kind, ""), |end| kind.split_at(end));
        let is_plural = name.ends_with('s') || name.starts_with(|first: char| first.is_ascii_digit());
        match name.strip_suffix('y') {
            _ if is_plural || name.starts_with("list of") || name.starts_with("true") => kind.to_owned(),
            Some(stem) => format!("{stem}ies{rest}"),
            None => format!("{name}s{rest}"),
        }
    });
    parts.collect::<Vec<_>>().join(" or ")
}

/// The heading of a definition.
fn title(classes: &Classes<'_>, definition: &str) -> String {
    let name = classes.class_of(definition).unwrap_or_else(|| definition.trim_end_matches("Spec").to_owned());
    let name = name.strip_suffix("Arguments").unwrap_or(&name);
    let mut title = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !title.is_empty() {
            title.push(' ');
            title.extend(c.to_lowercase());
        } else {
            title.push(c);
        }
    }
    title
}

/// The anchor mdBook gives a heading.
fn anchor(title: &str) -> String {
    title.to_lowercase().replace(' ', "-")
}

/// A text that begins with a small letter, unless its first word is a name or a symbol.
fn lower(text: &str) -> String {
    let mut letters = text.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if first.is_uppercase() && second.is_lowercase() => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => text.to_owned(),
    }
}

fn listed(kinds: Vec<String>) -> String {
    let mut distinct: Vec<String> = Vec::new();
    for kind in kinds {
        if !distinct.contains(&kind) {
            distinct.push(kind);
        }
    }
    if distinct.is_empty() { "table".to_owned() } else { distinct.join(" or ") }
}

/// A text as a cell of a table.
fn cell(text: &str) -> String {
    let mut shown = String::new();
    let mut is_code = false;
    for c in text.replace("\n\n", " ").chars() {
        is_code ^= c == '`';
        match c {
            '|' => shown.push_str("\\|"),
            '<' if !is_code => shown.push_str("&lt;"),
            c => shown.push(c),
        }
    }
    shown
}

/// The unit in a text such as "Length [m]; the distance at the start if absent", and the text without it. A text with
/// several units keeps them.
fn unit_of(about: &str) -> (String, String) {
    let mut units = Vec::new();
    let mut is_code = false;
    let mut start = None;
    for (place, c) in about.char_indices() {
        match c {
            '`' => is_code = !is_code,
            '[' if !is_code => start = Some(place),
            ']' if !is_code => {
                if let Some(start) = start.take().filter(|start| is_unit(&about[start + 1..place])) {
                    units.push((start, place));
                }
            }
            _ => {}
        }
    }
    match units[..] {
        [(start, end)] => {
            let unit = about[start + 1..end].to_owned();
            let rest = format!("{}{}", about[..start].trim_end(), &about[end + 1..]);
            (unit, rest)
        }
        _ => (String::new(), about.to_owned()),
    }
}

fn is_unit(text: &str) -> bool {
    let words = ["or", "per", "turn"];
    !text.is_empty()
        && text.split([' ', ',']).filter(|part| !part.is_empty()).all(|part| {
            words.contains(&part)
                || (part.chars().count() <= 12
                    && part.chars().all(|c| c.is_alphanumeric() || "·/°√²³⁴⁻¹()−^".contains(c)))
        })
        && !text.contains("w, x")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_moves_from_the_text_to_its_column() {
        let (unit, text) = unit_of("Length [m]; the distance at the start if absent.");
        assert_eq!((unit.as_str(), text.as_str()), ("m", "Length; the distance at the start if absent."));
        let (unit, text) = unit_of("Bound [m or rad].");
        assert_eq!((unit.as_str(), text.as_str()), ("m or rad", "Bound."));
        assert_eq!(unit_of("Code `[m]` and a quaternion [w, x, y, z].").0, "");
        assert_eq!(unit_of("Hooke [N/m], Hertz [Pa].").0, "");
    }
}

//! Python classes for the objects of the schema, with explicit arguments.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::Value;

use super::schema::{Definition, Key, Schema, references_of, takes_null};
use super::table::{self, Class, Constructor, Form};
use super::text::{NOTE, code_in_double_quotes, default_of, docstring, wrapped};
use super::types::{ALIASES, annotation, identifiers};

/// Longest line of a file.
const WIDTH: usize = 120;

/// Words of Python that cannot be names of arguments.
const RESERVED: [&str; 12] =
    ["from", "with", "in", "is", "class", "def", "lambda", "import", "global", "as", "and", "pass"];

/// Every class: those of the table, and one for each object they refer to.
pub struct Classes<'a> {
    schema: &'a Schema,
    classes: Vec<Class>,
}

/// An argument of a constructor.
struct Argument {
    name: String,
    annotation: String,
    about: String,
    /// What it is if it is not given; nothing if it must be given.
    default: Option<String>,
    positional: bool,
}

/// A constructor: its arguments, and what each key of the description gets.
#[derive(Default)]
struct Built {
    arguments: Vec<Argument>,
    items: Vec<(String, String)>,
    /// Arguments that are dictionaries of keys.
    dictionaries: Vec<String>,
}

impl<'a> Classes<'a> {
    /// Takes the classes of the table and adds one for every object they refer to.
    pub fn new(schema: &'a Schema) -> Result<Self, String> {
        let mut classes = table::classes();
        if let Some(class) = classes.iter().find(|class| !schema.has(&class.schema)) {
            return Err(format!(
                "the table of Python classes has `{}` for the definition `{}`, which the schema does not have; \
                 correct its name in xtask/src/generate/table.rs",
                class.name, class.schema
            ));
        }
        for (_, object) in schema.sections() {
            if !classes.iter().any(|class| class.schema == object) {
                let name = object.strip_suffix("Spec").unwrap_or(&object);
                let form = match schema.definition(&object)? {
                    Definition::Tagged { .. } => Form::Kinds,
                    _ => Form::Plain,
                };
                classes.push(Class { form, ..Class::new(name, &object, table::OTHER_MODULE) });
            }
        }
        let mut next = 0;
        while next < classes.len() {
            let (definition, module) = (classes[next].schema.clone(), classes[next].module.clone());
            for name in schema.references(&definition) {
                let is_known = classes.iter().any(|class| class.schema == name);
                if is_known || table::VALUES.iter().any(|(value, _)| *value == name) {
                    continue;
                }
                let form = match schema.definition(&name)? {
                    Definition::Object(_) => Form::Plain,
                    Definition::Tagged { .. } => Form::Kinds,
                    // What forms and named values refer to has classes, too.
                    Definition::Forms(_) | Definition::Alias(_) => Form::Unnamed,
                    Definition::Words(_) => continue,
                };
                let listed = table::NAMES.iter().find(|(known, _)| *known == name).map(|(_, python)| *python);
                let python = listed.unwrap_or_else(|| name.strip_suffix("Spec").unwrap_or(&name));
                classes.push(Class { form, ..Class::new(python, &name, &module) });
            }
            next += 1;
        }
        classes.retain(|class| !matches!(class.form, Form::Unnamed));
        let mut names: BTreeMap<&str, &str> = BTreeMap::new();
        for class in &classes {
            if let Some(other) = names.insert(&class.name, &class.schema) {
                return Err(format!(
                    "the definitions `{other}` and `{}` would both be the Python class `{}`; name one of them in \
                     xtask/src/generate/table.rs",
                    class.schema, class.name
                ));
            }
        }
        Ok(Self { schema, classes })
    }

    /// A text in which definitions have the names of their classes.
    fn named(&self, text: &str) -> String {
        let mut parts: Vec<String> = text.split('`').map(str::to_owned).collect();
        for code in parts.iter_mut().skip(1).step_by(2) {
            if let Some(class) = self.class_of(code) {
                *code = class;
            }
        }
        parts.join("`")
    }

    /// The name of the class of a definition.
    pub fn class_of(&self, definition: &str) -> Option<String> {
        let class = self.classes.iter().find(|class| class.schema == definition)?;
        Some(class.name.clone())
    }

    /// All files, by name.
    pub fn files(&self) -> Result<BTreeMap<String, String>, String> {
        let mut files = BTreeMap::new();
        for (module, about) in table::MODULES {
            if self.in_module(module).next().is_none() {
                continue;
            }
            let name = format!("{module}.py");
            files.insert(name, self.module(module, about)?);
        }
        if let Some(class) = self
            .classes
            .iter()
            .find(|class| !table::MODULES.iter().any(|(module, _)| *module == class.module))
        {
            return Err(format!(
                "the class `{}` is in the module `{}`, which has no text",
                class.name, class.module
            ));
        }
        files.insert("__init__.py".to_owned(), self.package());
        Ok(files)
    }

    fn package(&self) -> String {
        let mut text = header(
            "What a world is made of: one class for each object of a scene file.\n\n\
             Every class builds the description that a scene file would hold, with the same keys, defaults and checks.\n\
             Quantities are in SI units, angles in radians unless a key ends in ``_deg``.",
        );
        let mut names: Vec<&str> = self.classes.iter().map(|class| class.name.as_str()).collect();
        for (module, _) in table::MODULES {
            let mut here: Vec<&str> = self.in_module(module).map(|class| class.name.as_str()).collect();
            here.sort_unstable();
            if !here.is_empty() {
                text.push_str(&import(&format!(".{module}"), &here));
            }
        }
        names.sort_unstable();
        text.push_str("\n__all__ = [\n");
        names.iter().for_each(|name| _ = writeln!(text, "    \"{name}\","));
        text.push_str("]\n");
        text
    }

    fn in_module(&self, module: &str) -> impl Iterator<Item = &Class> {
        self.classes.iter().filter(move |class| class.module == module)
    }

    fn module(&self, module: &str, about: &str) -> Result<String, String> {
        let mut body = String::new();
        for class in self.in_module(module) {
            body.push_str("\n\n");
            body.push_str(&self.class(class)?);
        }
        let mut names: Vec<&str> = self.in_module(module).map(|class| class.name.as_str()).collect();
        names.sort_unstable();
        let mut text = header(about);
        text.push_str("from __future__ import annotations\n\n");
        text.push_str(&self.imports(module, &body));
        text.push_str("\n__all__ = [\n");
        names.iter().for_each(|name| _ = writeln!(text, "    \"{name}\","));
        text.push_str("]\n");
        text.push_str(&body);
        Ok(text)
    }

    /// The imports that the code of a module needs.
    fn imports(&self, module: &str, body: &str) -> String {
        let code = without_docstrings(body);
        let used: BTreeSet<&str> = identifiers(&code).collect();
        let take = |words: &[&'static str]| {
            words.iter().copied().filter(|word| used.contains(word)).collect::<Vec<_>>()
        };
        let mut checked = String::new();
        if used.contains("os") {
            checked.push_str("import os\n");
        }
        let push = |text: &mut String, module: &str, names: &[&str]| {
            if !names.is_empty() {
                text.push_str(&import(module, names));
            }
        };
        push(&mut checked, "collections.abc", &take(&["Mapping", "Sequence"]));
        push(&mut checked, "typing", &take(&["Any", "Literal"]));
        if used.contains("Self") {
            checked.push_str("\nfrom typing_extensions import Self\n");
        }
        let mut local = String::new();
        push(&mut local, ".._shortcuts", &take(&["Rotate"]));
        push(&mut local, ".._values", &take(&ALIASES));
        let mut modules: Vec<&str> = table::MODULES.iter().map(|(other, _)| *other).collect();
        modules.sort_unstable();
        for other in modules.into_iter().filter(|other| *other != module) {
            let mut names: Vec<&str> = self
                .in_module(other)
                .map(|class| class.name.as_str())
                .filter(|name| used.contains(name))
                .collect();
            names.sort_unstable();
            push(&mut local, &format!(".{other}"), &names);
        }
        if !checked.is_empty() && !local.is_empty() {
            checked.push('\n');
        }
        checked.push_str(&local);
        let typing = if used.contains("TypedDict") {
            ["TYPE_CHECKING", "TypedDict"].as_slice()
        } else {
            &["TYPE_CHECKING"]
        };
        let mut text = import("typing", typing);
        let mut bases = String::new();
        push(&mut bases, ".._plain", &take(&["Spec", "either", "gathered"]));
        push(&mut bases, ".._shortcuts", &take(&table::BASES));
        if !bases.is_empty() {
            text.push('\n');
            text.push_str(&bases);
        }
        text.push_str("\nif TYPE_CHECKING:\n");
        for line in checked.lines() {
            match line.is_empty() {
                true => text.push('\n'),
                false => _ = writeln!(text, "    {line}"),
            }
        }
        text
    }

    fn class(&self, class: &Class) -> Result<String, String> {
        let problem = |reason: String| format!("the Python class `{}`: {reason}", class.name);
        let definition = self.schema.definition(&class.schema)?;
        let about = self.named(&self.schema.about(&class.schema));
        let mut text = String::new();
        if let Form::Arguments = class.form {
            let Definition::Object(keys) = definition else { return Err(problem("it has no keys".into())) };
            return self.arguments_class(class, &about, &keys).map_err(problem);
        }
        _ = writeln!(text, "class {}({}):", class.name, class.base);
        text.push_str(&docstring(&about, &[], 4));
        text.push_str("\n    __slots__ = ()\n");
        if let Some((key, _)) = self.schema.sections().iter().find(|(_, object)| *object == class.schema) {
            _ = writeln!(text, "    _section = \"{key}\"");
        }
        match definition {
            Definition::Object(keys) => {
                for constructor in self.object_constructors(class, &keys).map_err(problem)? {
                    text.push('\n');
                    text.push_str(&self.constructor(class, &constructor, &keys, None, "").map_err(problem)?);
                }
            }
            Definition::Tagged { tag, variants, .. } => {
                if let Some(unused) = class
                    .constructors
                    .iter()
                    .find(|listed| !variants.iter().any(|variant| variant.word == listed.word))
                {
                    return Err(problem(format!("no kind is called `{}`", unused.word)));
                }
                for variant in &variants {
                    let listed: Vec<_> = class
                        .constructors
                        .iter()
                        .filter(|listed| listed.word == variant.word)
                        .cloned()
                        .collect();
                    let plain = vec![Constructor::kind(&variant.word)];
                    for constructor in if listed.is_empty() { plain } else { listed } {
                        if constructor.by_hand {
                            continue;
                        }
                        text.push('\n');
                        let built =
                            self.constructor(class, &constructor, &variant.keys, Some(&tag), &variant.about);
                        text.push_str(&built.map_err(problem)?);
                    }
                }
            }
            _ => return Err(problem("it is neither a table nor one of several tables".to_owned())),
        }
        Ok(text)
    }

    /// The constructors of an object with one set of keys.
    fn object_constructors(&self, class: &Class, keys: &[Key]) -> Result<Vec<Constructor>, String> {
        let Form::Flat { tag, own } = &class.form else {
            let mut constructors = class.constructors.clone();
            if !matches!(class.form, Form::Listed)
                && !constructors.iter().any(|listed| listed.name == "__init__")
            {
                constructors.insert(0, Constructor::kind("__init__"));
            }
            return Ok(constructors);
        };
        let form =
            keys.iter().find(|key| key.name == *tag).ok_or_else(|| format!("it has no key `{tag}`"))?;
        let name = references_of(&form.form).into_iter().next().unwrap_or_default();
        let Definition::Words(words) = self.schema.definition(&name)? else {
            return Err(format!("the key `{tag}` is not one of words"));
        };
        let mut constructors = Vec::new();
        for word in words {
            let is_own = |key: &str| own.iter().any(|(kind, keys)| *kind == word.word && keys.contains(&key));
            let of_others = own.iter().flat_map(|(_, keys)| keys.iter().copied()).filter(|key| !is_own(key));
            let of_others: Vec<String> = of_others.map(str::to_owned).chain([(*tag).to_owned()]).collect();
            let listed = class.constructors.iter().find(|listed| listed.word == word.word).cloned();
            let mut constructor = listed.unwrap_or_else(|| Constructor::kind(&word.word));
            constructor.omit.extend(of_others);
            constructor.fixed.insert(0, ((*tag).to_owned(), format!("\"{}\"", word.word)));
            if constructor.about.is_empty() {
                constructor.about = word.about;
            }
            constructors.push(constructor);
        }
        Ok(constructors)
    }

    fn constructor(
        &self,
        class: &Class,
        constructor: &Constructor,
        keys: &[Key],
        tag: Option<&str>,
        about: &str,
    ) -> Result<String, String> {
        let place = |reason: String| format!("its constructor `{}`: {reason}", constructor.name);
        let mut built = self.built(class, constructor, keys).map_err(place)?;
        if let Some(tag) = tag {
            built.items.insert(0, (tag.to_owned(), format!("\"{}\"", constructor.word)));
        }
        let is_init = constructor.name == "__init__";
        let mut text = String::new();
        let (receiver, result) = if is_init { ("self", "None") } else { ("cls", "Self") };
        if !is_init {
            text.push_str("    @classmethod\n");
        }
        text.push_str(&signature(&constructor.name, receiver, &built.arguments, result));
        let about = self.named(if constructor.about.is_empty() { about } else { &constructor.about });
        let arguments: Vec<(String, String)> =
            built.arguments.iter().map(|argument| (argument.name.clone(), argument.about.clone())).collect();
        if !(is_init && arguments.is_empty()) {
            text.push_str(&docstring(&about, &arguments, 8));
        }
        let call = if is_init { "super().__init__" } else { "return cls" };
        text.push_str(&call_of(call, &built));
        Ok(text)
    }

    fn built(&self, class: &Class, constructor: &Constructor, keys: &[Key]) -> Result<Built, String> {
        let mut built = Built::default();
        let known = |name: &str| keys.iter().any(|key| key.name == name);
        if let Some(unknown) = constructor.omit.iter().find(|name| !known(name)) {
            return Err(format!("there is no key `{unknown}` to leave out"));
        }
        for (key, expression) in &constructor.fixed {
            built.items.push((key.clone(), expression.clone()));
        }
        let files: Vec<&str> = constructor.files.iter().map(|(_, file)| file.as_str()).collect();
        for key in keys {
            let is_fixed = constructor.fixed.iter().any(|(fixed, _)| *fixed == key.name);
            let is_left_out = constructor.omit.contains(&key.name)
                || constructor.only.as_ref().is_some_and(|only| !only.contains(&key.name));
            if is_fixed || is_left_out || files.contains(&key.name.as_str()) {
                continue;
            }
            if let Some(spread) = constructor.spread.iter().find(|spread| spread.key == key.name) {
                self.spread(class, constructor, key, spread, &mut built)?;
            } else if let Some((_, places)) = constructor.pairs.iter().find(|(pair, _)| *pair == key.name) {
                for place in places {
                    let about = code_in_double_quotes(&key.about);
                    built.arguments.push(Argument {
                        name: place.clone(),
                        annotation: "Ref".to_owned(),
                        about,
                        default: None,
                        positional: true,
                    });
                }
                built.items.push((key.name.clone(), format!("[{}]", places.join(", "))));
            } else {
                let argument = self.argument(class, constructor, key)?;
                match constructor.files.iter().find(|(either, _)| *either == key.name) {
                    Some((_, file)) => {
                        built
                            .dictionaries
                            .push(format!("either(\"{}\", \"{file}\", {})", key.name, argument.name));
                    }
                    None => {
                        let converted =
                            constructor.convert.iter().find(|(converted, ..)| *converted == key.name);
                        let value =
                            converted.map_or(argument.name.clone(), |(_, _, expression)| expression.clone());
                        built.items.push((key.name.clone(), value));
                    }
                }
                built.arguments.push(argument);
            }
        }
        for (name, annotation, about) in &constructor.extra {
            built.items.push((name.clone(), name.clone()));
            built.arguments.push(Argument {
                name: name.clone(),
                annotation: format!("{annotation} | None"),
                about: about.clone(),
                default: Some("None".to_owned()),
                positional: false,
            });
        }
        arrange(&mut built.arguments, constructor)?;
        Ok(built)
    }

    /// The keys of an object inside as arguments of the object around it.
    fn spread(
        &self,
        class: &Class,
        constructor: &Constructor,
        key: &Key,
        spread: &table::Spread,
        built: &mut Built,
    ) -> Result<(), String> {
        let name = references_of(&key.form).into_iter().next().unwrap_or_default();
        let (keys, word) = match self.schema.definition(&name)? {
            Definition::Object(keys) => (keys, None),
            Definition::Tagged { tag, variants, .. } => {
                let variant = variants.into_iter().find(|variant| variant.word == spread.word);
                let variant =
                    variant.ok_or_else(|| format!("`{}` has no kind `{}`", key.name, spread.word))?;
                (variant.keys, Some((tag, variant.word)))
            }
            _ => return Err(format!("`{}` has no keys", key.name)),
        };
        let mut entries: Vec<String> =
            word.into_iter().map(|(tag, word)| format!("\"{tag}\": \"{word}\"")).collect();
        for inner in &keys {
            let mut argument = self.argument(class, constructor, inner)?;
            if !key.required && word_is_empty(spread) && argument.default.is_none() {
                argument.default = Some("None".to_owned());
                argument.annotation.push_str(" | None");
            }
            entries.push(format!("\"{}\": {}", inner.name, argument.name));
            built.arguments.push(argument);
        }
        let around = if spread.keep { key.name.as_str() } else { "None" };
        if spread.keep {
            let argument = self.argument(class, constructor, key)?;
            built.arguments.push(argument);
        }
        built.items.push((key.name.clone(), format!("gathered({around}, {{{}}})", entries.join(", "))));
        Ok(())
    }

    fn argument(&self, class: &Class, constructor: &Constructor, key: &Key) -> Result<Argument, String> {
        let renamed = constructor.rename.iter().find(|(from, _)| *from == key.name);
        let name = renamed.map_or_else(|| argument_name(&key.name), |(_, to)| to.clone());
        let of_class = class.annotations.iter().find(|(known, _)| *known == key.name);
        let converted = constructor.convert.iter().find(|(converted, ..)| *converted == key.name);
        let mut annotation = match (converted, of_class) {
            (Some((_, given, _)), _) => given.clone(),
            (None, Some((_, given))) => given.clone(),
            (None, None) => {
                annotation(self.schema, &|definition| self.class_of(definition), &key.form, &key.name)?
            }
        };
        let is_file = constructor.files.iter().any(|(either, _)| *either == key.name);
        if is_file {
            annotation = format!("{annotation} | str | os.PathLike[str]");
        }
        let given = constructor.defaults.iter().find(|(known, _)| *known == key.name);
        let needed = key.required || is_file || constructor.required.contains(&key.name);
        let default = match given {
            Some((_, python)) => Some(python.clone()),
            None if needed => None,
            None => Some("None".to_owned()),
        };
        if default.as_deref() == Some("None") && annotation != "Any" {
            annotation.push_str(" | None");
        }
        let mut about = code_in_double_quotes(&self.named(&key.about));
        if is_file {
            about.push_str(" Or the path of a file that holds them.");
        }
        let said = given.map(|(_, python)| python.clone()).or_else(|| default_of(key.default.as_ref()));
        if let Some(value) = said.filter(|value| value != "None" && !needs_value(given, needed)) {
            _ = write!(about, " Default: ``{value}``.");
        }
        Ok(Argument { name, annotation, about, default, positional: false })
    }

    /// A dictionary of keyword arguments.
    fn arguments_class(&self, class: &Class, about: &str, keys: &[Key]) -> Result<String, String> {
        let mut text = format!("class {}(TypedDict, total=False):\n", class.name);
        text.push_str(&docstring(about, &[], 4));
        text.push('\n');
        for key in keys {
            let argument = self.argument(class, &Constructor::kind(""), key)?;
            let annotation = argument.annotation.trim_end_matches(" | None");
            let or_none = if takes_null(&key.form) { " | None" } else { "" };
            _ = writeln!(text, "    {}: {annotation}{or_none}", key.name);
            text.push_str(&docstring(&argument.about, &[], 4));
        }
        Ok(text)
    }
}

fn word_is_empty(spread: &table::Spread) -> bool {
    spread.word.is_empty()
}

/// Whether a default of the schema is beside the point, since the argument must be given.
fn needs_value(given: Option<&(String, String)>, needed: bool) -> bool {
    given.is_none() && needed
}

/// Puts positional arguments first, in the order of the table or of the schema; the others are keywords, those that
/// must be given before the others.
fn arrange(arguments: &mut [Argument], constructor: &Constructor) -> Result<(), String> {
    match &constructor.positional {
        Some(order) => {
            if let Some(unknown) = order.iter().find(|name| !arguments.iter().any(|a| a.name == **name)) {
                return Err(format!("there is no argument `{unknown}`"));
            }
            for argument in arguments.iter_mut() {
                argument.positional = order.contains(&argument.name);
            }
            arguments.sort_by_key(|argument| {
                (
                    order.iter().position(|name| *name == argument.name).unwrap_or(usize::MAX),
                    argument.default.is_some(),
                )
            });
        }
        None => {
            for argument in arguments.iter_mut() {
                argument.positional |= argument.default.is_none();
            }
            arguments.sort_by_key(|argument| !argument.positional);
        }
    }
    let positional: Vec<&Argument> = arguments.iter().filter(|argument| argument.positional).collect();
    match positional.windows(2).find(|pair| pair[0].default.is_some() && pair[1].default.is_none()) {
        Some(pair) => Err(format!("`{}` comes after one with a default and needs one, too", pair[1].name)),
        None => Ok(()),
    }
}

fn argument_name(key: &str) -> String {
    if RESERVED.contains(&key) { format!("{key}_") } else { key.to_owned() }
}

/// Code without the texts in it.
fn without_docstrings(code: &str) -> String {
    code.split("\"\"\"").step_by(2).collect()
}

/// The head of a function, in one line if it fits.
fn signature(name: &str, receiver: &str, arguments: &[Argument], result: &str) -> String {
    let mut parts = vec![receiver.to_owned()];
    let mut is_keyword = false;
    for argument in arguments {
        if !argument.positional && !is_keyword {
            parts.push("*".to_owned());
            is_keyword = true;
        }
        let default = argument.default.as_ref().map(|value| format!(" = {value}")).unwrap_or_default();
        parts.push(format!("{}: {}{default}", argument.name, argument.annotation));
    }
    call_lines(&format!("    def {name}"), &parts, &format!(" -> {result}:"), 4)
}

fn call_of(call: &str, built: &Built) -> String {
    let is_name = |key: &str| argument_name(key) == key;
    let mut parts: Vec<String> = built
        .items
        .iter()
        .filter(|(key, _)| is_name(key))
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    parts.extend(
        built
            .items
            .iter()
            .filter(|(key, _)| !is_name(key))
            .map(|(key, value)| format!("**{{\"{key}\": {value}}}")),
    );
    parts.extend(built.dictionaries.iter().map(|dictionary| format!("**{dictionary}")));
    call_lines(&format!("        {call}"), &parts, "", 8)
}

fn call_lines(head: &str, parts: &[String], tail: &str, indent: usize) -> String {
    let line = format!("{head}({}){tail}\n", parts.join(", "));
    if line.chars().count() <= WIDTH {
        return line;
    }
    let margin = " ".repeat(indent);
    let mut text = format!("{head}(\n");
    for part in parts {
        let part_line = format!("{margin}    {part},");
        match (part_line.chars().count() > WIDTH, part.split_once("({")) {
            (true, Some((before, inside))) => {
                let inside = inside.trim_end_matches("})");
                _ = writeln!(text, "{margin}    {before}({{\n{margin}        {inside}\n{margin}    }}),");
            }
            _ => _ = writeln!(text, "{part_line}"),
        }
    }
    _ = writeln!(text, "{margin}){tail}");
    text
}

fn import(module: &str, names: &[&str]) -> String {
    let line = format!("from {module} import {}\n", names.join(", "));
    if line.chars().count() <= WIDTH - 4 {
        return line;
    }
    let mut text = format!("from {module} import (\n");
    names.iter().for_each(|name| _ = writeln!(text, "    {name},"));
    text + ")\n"
}

fn header(about: &str) -> String {
    let note = wrapped(NOTE, 0);
    format!("\"\"\"{about}\n\n{note}\n\"\"\"\n\n")
}

/// Whether a value is nothing that a reader has to know of.
pub fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}

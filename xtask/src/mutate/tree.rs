//! Mutations of the values of a scene.

use toml::Value;
use toml::value::Table;

use super::random::Random;

/// Numbers at which something may break.
const FLOATS: [f64; 16] = [
    0.0,
    -0.0,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    1e300,
    -1e300,
    1e-300,
    5e-324,
    f64::MAX,
    1e9,
    1e-9,
    -1.0,
    1.0,
    0.5,
    1e20,
];
const INTEGERS: [i64; 12] =
    [0, -1, 1, 2, 3, 1000, 100_000, 10_000_000, 1_000_000_000, i64::MAX, i64::MIN, u32::MAX as i64];
const STRINGS: [&str; 18] = [
    "",
    " ",
    "\u{0}",
    "ü\u{202e}🦀\u{301}",
    "a\nb",
    "../../../etc/passwd",
    "/dev/zero",
    ".",
    "world",
    "ground",
    "=1/0",
    "=0/0",
    "=sqrt(-1)",
    "=((((((((1))))))))",
    "=unknown + 1",
    "=1e308*10",
    "=2^2^2^2^2^2",
    "%s{}\"'",
];
/// Values are wrapped into at most this many tables or arrays.
const DEEPEST: usize = 400;

/// One step on the way from the root to a value.
#[derive(Clone)]
enum Step {
    Key(String),
    Index(usize),
}

type Place = Vec<Step>;

/// The places of all values of a tree.
fn places(root: &Value) -> Vec<Place> {
    fn visit(value: &Value, here: &mut Place, found: &mut Vec<Place>) {
        let mut enter = |step: Step, value: &Value| {
            here.push(step);
            found.push(here.clone());
            visit(value, here, found);
            here.pop();
        };
        match value {
            Value::Table(table) => table.iter().for_each(|(key, value)| enter(Step::Key(key.clone()), value)),
            Value::Array(list) => list.iter().enumerate().for_each(|(i, value)| enter(Step::Index(i), value)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    visit(root, &mut Vec::new(), &mut found);
    found
}

fn at_mut<'a>(root: &'a mut Value, place: &[Step]) -> Option<&'a mut Value> {
    place.iter().try_fold(root, |value, step| match step {
        Step::Key(key) => value.get_mut(key),
        Step::Index(index) => value.get_mut(*index),
    })
}

fn at<'a>(root: &'a Value, place: &[Step]) -> Option<&'a Value> {
    place.iter().try_fold(root, |value, step| match step {
        Step::Key(key) => value.get(key),
        Step::Index(index) => value.get(*index),
    })
}

/// Takes a value out of the tree.
fn remove(root: &mut Value, place: &[Step]) -> Option<Value> {
    let (last, parent) = place.split_last()?;
    match (at_mut(root, parent)?, last) {
        (Value::Table(table), Step::Key(key)) => table.remove(key),
        (Value::Array(list), Step::Index(index)) if *index < list.len() => Some(list.remove(*index)),
        _ => None,
    }
}

/// Texts of a tree, which are names and references for the most part.
fn texts(root: &Value) -> Vec<String> {
    places(root).iter().filter_map(|place| at(root, place)?.as_str().map(str::to_owned)).collect()
}

/// Makes one change; `donor` is another scene.
pub fn mutate(root: &mut Value, donor: &Value, random: &mut Random) {
    let all = places(root);
    let Some(place) = random.pick(&all).cloned() else { return };
    let numbers: Vec<&Place> =
        all.iter().filter(|p| at(root, p).is_some_and(|v| v.is_float() || v.is_integer())).collect();
    match random.below(16) {
        0 => drop(remove(root, &place)),
        1 => repeat(root, &place, random),
        2 => swap(root, &all, random),
        3 => replace(root, &place, |_| any_value(random)),
        // Most scenes stay valid under other numbers, and run.
        4..=6 => {
            let place = random.pick(&numbers).map(|p| (*p).clone()).unwrap_or(place);
            replace(root, &place, |value| other_number(value, random));
        }
        7 => {
            let place = random.pick(&numbers).map(|p| (*p).clone()).unwrap_or(place);
            replace(root, &place, |_| extreme(random));
        }
        8 => {
            let names = texts(root);
            let strings: Vec<Place> =
                all.iter().filter(|p| at(root, p).is_some_and(Value::is_str)).cloned().collect();
            let place = random.pick(&strings).cloned().unwrap_or(place);
            let text = match random.below(3) {
                0 => random.pick(&STRINGS).map(|text| (*text).to_owned()),
                1 => Some(misspelt(&random.pick(&names).cloned().unwrap_or_default(), random)),
                _ => random.pick(&names).cloned(),
            };
            replace(root, &place, |_| Value::String(text.unwrap_or_default()));
        }
        9 => rename(root, &place, random),
        10 => graft(root, donor, random),
        11 => replace(root, &place, |value| nested(value, random)),
        12 => resize(root, &all, random),
        13 => cycle(root, random),
        14 => section(root, donor, random),
        _ => wrong_container(root, &place),
    }
}

fn replace(root: &mut Value, place: &[Step], other: impl FnOnce(Value) -> Value) {
    if let Some(value) = at_mut(root, place) {
        let old = std::mem::replace(value, Value::Boolean(false));
        *value = other(old);
    }
}

/// A number near another one, or of another size.
fn other_number(value: Value, random: &mut Random) -> Value {
    let powers = [0.1, 0.5, 0.9, 1.1, 2.0, 10.0, 100.0, 1e-3, 1e3, -1.0];
    let factor = random.pick(&powers).copied().unwrap_or(2.0);
    match value {
        Value::Integer(number) => Value::Integer((number as f64 * factor) as i64),
        Value::Float(number) => Value::Float(number * factor),
        other => other,
    }
}

fn extreme(random: &mut Random) -> Value {
    match random.chance(60) {
        true => Value::Float(random.pick(&FLOATS).copied().unwrap_or_default()),
        false => Value::Integer(random.pick(&INTEGERS).copied().unwrap_or_default()),
    }
}

fn any_value(random: &mut Random) -> Value {
    match random.below(8) {
        0 => Value::Boolean(random.chance(50)),
        1 => Value::Array(Vec::new()),
        2 => Value::Table(Table::new()),
        3 => Value::Array((0..random.below(6)).map(|_| extreme(random)).collect()),
        4 => Value::Array(vec![Value::Table(Table::new())]),
        5 => Value::String(random.pick(&STRINGS).copied().unwrap_or_default().to_owned()),
        _ => extreme(random),
    }
}

/// Two letters exchanged, one doubled, or one lost.
fn misspelt(text: &str, random: &mut Random) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    if letters.is_empty() {
        return "x".to_owned();
    }
    let at = random.below(letters.len());
    match random.below(3) {
        0 => letters.swap(at, 0),
        1 => letters.insert(at, letters[at]),
        _ => drop(letters.remove(at)),
    }
    letters.into_iter().collect()
}

/// Repeats an entry of a list, or a value under another key.
fn repeat(root: &mut Value, place: &[Step], random: &mut Random) {
    let Some((last, parent)) = place.split_last() else { return };
    let copy = at(root, place).cloned();
    let (Some(copy), Some(parent)) = (copy, at_mut(root, parent)) else { return };
    match (parent, last) {
        (Value::Array(list), Step::Index(index)) => list.insert(*index, copy),
        (Value::Table(table), Step::Key(key)) => drop(table.insert(misspelt(key, random), copy)),
        _ => {}
    }
}

fn swap(root: &mut Value, all: &[Place], random: &mut Random) {
    let (Some(a), Some(b)) = (random.pick(all), random.pick(all)) else { return };
    let (Some(x), Some(y)) = (at(root, a).cloned(), at(root, b).cloned()) else { return };
    replace(root, a, |_| y);
    // One may have been within the other.
    replace(root, b, |_| x);
}

fn rename(root: &mut Value, place: &[Step], random: &mut Random) {
    let keys: Vec<String> = places(root)
        .iter()
        .filter_map(|place| match place.last() {
            Some(Step::Key(key)) => Some(key.clone()),
            _ => None,
        })
        .collect();
    let Some((Step::Key(old), parent)) = place.split_last() else { return };
    let name = match random.chance(50) {
        true => misspelt(old, random),
        false => random.pick(&keys).cloned().unwrap_or_default(),
    };
    if let Some(Value::Table(table)) = at_mut(root, parent)
        && let Some(value) = table.remove(old)
    {
        table.insert(name, value);
    }
}

/// A value of another scene in place of one, or as a new key.
fn graft(root: &mut Value, donor: &Value, random: &mut Random) {
    let (theirs, ours) = (places(donor), places(root));
    let (Some(from), Some(to)) = (random.pick(&theirs), random.pick(&ours)) else { return };
    let Some(value) = at(donor, from).cloned() else { return };
    match (at_mut(root, to), from.last()) {
        (Some(Value::Table(table)), Some(Step::Key(key))) => drop(table.insert(key.clone(), value)),
        (Some(Value::Array(list)), _) => list.push(value),
        (Some(place), _) => *place = value,
        _ => {}
    }
}

/// A whole section of another scene in addition to the present ones.
fn section(root: &mut Value, donor: &Value, random: &mut Random) {
    let (Value::Table(ours), Value::Table(theirs)) = (root, donor) else { return };
    let keys: Vec<&String> = theirs.keys().collect();
    let Some(key) = random.pick(&keys) else { return };
    match (ours.get_mut(*key), &theirs[*key]) {
        (Some(Value::Array(list)), Value::Array(more)) => list.extend(more.iter().cloned()),
        (_, value) => drop(ours.insert((*key).clone(), value.clone())),
    }
}

fn nested(value: Value, random: &mut Random) -> Value {
    let depth = 1 + if random.chance(70) { random.below(3) } else { random.below(DEEPEST) };
    let tables = random.chance(50);
    (0..depth).fold(value, |inner, _| match tables {
        true => Value::Table(Table::from_iter([("a".to_owned(), inner)])),
        false => Value::Array(vec![inner]),
    })
}

/// A list that is too short, or far too long.
fn resize(root: &mut Value, all: &[Place], random: &mut Random) {
    let lists: Vec<&Place> =
        all.iter().filter(|place| at(root, place).is_some_and(Value::is_array)).collect();
    let Some(place) = random.pick(&lists) else { return };
    let Some(Value::Array(list)) = at_mut(root, place) else { return };
    let length = *random.pick(&[0, 1, 2, 3, 4, 7, 500]).unwrap_or(&0);
    match list.first().cloned() {
        Some(first) => list.resize(length, first),
        None => list.resize(length, Value::Integer(1)),
    }
}

/// Parameters that depend on each other, or names that refer to themselves.
fn cycle(root: &mut Value, random: &mut Random) {
    if random.chance(50) {
        let Value::Table(table) = root else { return };
        let parameters = table.entry("parameters").or_insert_with(|| Value::Table(Table::new()));
        if let Value::Table(parameters) = parameters {
            for (name, text) in [("loop_a", "=loop_b + 1"), ("loop_b", "=loop_a")] {
                parameters.insert(name.to_owned(), Value::String(text.to_owned()));
            }
        }
        return;
    }
    // Every reference of an object names the object itself.
    let named: Vec<Place> = places(root)
        .into_iter()
        .filter(|place| at(root, place).and_then(|value| value.get("name")).is_some_and(Value::is_str))
        .collect();
    let Some(place) = random.pick(&named) else { return };
    let Some(Value::Table(object)) = at_mut(root, place) else { return };
    let name = object["name"].clone();
    for (key, value) in object.iter_mut() {
        if value.is_str() && !["type", "kind", "quantity", "material"].contains(&key.as_str()) {
            *value = name.clone();
        }
    }
}

/// A table where a list of tables belongs, or the other way round.
fn wrong_container(root: &mut Value, place: &[Step]) {
    replace(root, &place[..1.min(place.len())], |value| match value {
        Value::Array(mut list) if !list.is_empty() => list.swap_remove(0),
        Value::Table(table) => Value::Array(vec![Value::Table(table)]),
        other => Value::Array(vec![other]),
    });
}

/// A tree as JSON. Numbers that JSON does not have are written as other programs do.
pub fn json(value: &Value) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    match value {
        Value::String(text) => quoted(text),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) if number.is_nan() => "NaN".to_owned(),
        Value::Float(number) if number.is_infinite() => {
            if *number > 0.0 { "1e999" } else { "-1e999" }.to_owned()
        }
        Value::Float(number) => format!("{number:?}"),
        Value::Boolean(value) => value.to_string(),
        Value::Datetime(time) => quoted(&time.to_string()),
        Value::Array(list) => format!("[{}]", list.iter().map(json).collect::<Vec<_>>().join(",")),
        Value::Table(table) => {
            let entry = |(key, value): (&String, &Value)| format!("{}:{}", quoted(key), json(value));
            format!("{{{}}}", table.iter().map(entry).collect::<Vec<_>>().join(",\n"))
        }
    }
}

//! Tables of quantities: everything that is known of a quantity stands in one row.

use std::fmt;

use super::{Failure, Part, Resolved, Source};
use crate::spec::meant_name;

/// Unit of a quantity.
#[derive(Clone, Copy, Debug)]
pub(in crate::world) enum Unit {
    /// The same whatever is measured.
    Fixed(&'static str),
    /// That of something that turns, and of something that slides.
    Turning(&'static str, &'static str),
}

/// One quantity of a kind of object: its name, unit, parts and where its numbers come from.
///
/// Probes, sensors, messages, Python and the reference page read the tables, so that a row is all that a new quantity
/// needs.
pub(in crate::world) struct QuantityRow<F: 'static> {
    pub name: &'static str,
    /// Other names of the same.
    pub aliases: &'static [&'static str],
    pub unit: Unit,
    /// Names of the components of a vector; none of a number.
    pub parts: &'static [&'static str],
    /// What it is, where its name does not say it.
    pub about: &'static str,
    /// Where the numbers come from.
    pub read: F,
}

pub(in crate::world) const XYZ: &[&str] = &["x", "y", "z"];

/// A row of one number.
pub(in crate::world) const fn number<F>(
    name: &'static str,
    unit: &'static str,
    about: &'static str,
    read: F,
) -> QuantityRow<F> {
    QuantityRow { name, aliases: &[], unit: Unit::Fixed(unit), parts: &[], about, read }
}

/// A row of several numbers.
pub(in crate::world) const fn vector<F>(
    name: &'static str,
    unit: &'static str,
    parts: &'static [&'static str],
    about: &'static str,
    read: F,
) -> QuantityRow<F> {
    QuantityRow { name, aliases: &[], unit: Unit::Fixed(unit), parts, about, read }
}

/// A row of one number whose unit depends on whether something turns or slides.
pub(in crate::world) const fn turning<F>(
    name: &'static str,
    aliases: &'static [&'static str],
    units: [&'static str; 2],
    about: &'static str,
    read: F,
) -> QuantityRow<F> {
    QuantityRow { name, aliases, unit: Unit::Turning(units[0], units[1]), parts: &[], about, read }
}

impl<F> QuantityRow<F> {
    /// Its parts, or the one that is asked for under the name `asked`; `turns` chooses the unit where it depends.
    pub fn parts_of_kind(
        &self,
        asked: &str,
        component: Option<&str>,
        turns: bool,
        source: impl Fn(usize) -> Source,
    ) -> Resolved {
        let unit = match self.unit {
            Unit::Fixed(unit) => unit,
            Unit::Turning(unit, _) if turns => unit,
            Unit::Turning(_, unit) => unit,
        };
        let part = |suffix, k| Part { suffix, unit, source: source(k) };
        let Some(component) = component else {
            return Ok(match self.parts {
                [] => vec![part("", 0)],
                parts => parts.iter().enumerate().map(|(k, suffix)| part(suffix, k)).collect(),
            });
        };
        match self.parts.iter().position(|name| *name == component) {
            Some(k) => Ok(vec![part("", k)]),
            None if self.parts.is_empty() => Err(Failure::quantity(
                format!("'{asked}' is one number; it has no component '{component}'"),
                None,
            )),
            None => Err(Failure::quantity(
                format!("'{asked}' has no component '{component}'; it has {}", self.parts.join(", ")),
                None,
            )),
        }
    }

    /// Its parts, or the one that is asked for.
    pub fn parts(&self, component: Option<&str>, source: impl Fn(usize) -> Source) -> Resolved {
        self.parts_of_kind(self.name, component, true, source)
    }
}

// Names are unique in a table, and a number knows what it is of.
impl<F> PartialEq for QuantityRow<F> {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl<F> fmt::Debug for QuantityRow<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The row of a quantity.
pub(in crate::world) fn find<'a, F>(table: &'a [QuantityRow<F>], name: &str) -> Option<&'a QuantityRow<F>> {
    table.iter().find(|row| row.name == name || row.aliases.contains(&name))
}

/// The row of a quantity of the object `of`, or what it has instead.
pub(in crate::world) fn row_of<'a, F>(
    table: &'a [QuantityRow<F>],
    of: &str,
    kind: &str,
    name: &str,
) -> Result<&'a QuantityRow<F>, Failure> {
    find(table, name).ok_or_else(|| unknown(of, kind, name, names(table)))
}

/// Names of the quantities of a table.
pub(in crate::world) fn names<F>(table: &[QuantityRow<F>]) -> impl Iterator<Item = &'static str> {
    table.iter().map(|row| row.name)
}

/// There is no such quantity.
pub(in crate::world) fn unknown<'a>(
    of: &str,
    kind: &str,
    quantity: &str,
    known: impl Iterator<Item = &'a str>,
) -> Failure {
    let known: Vec<&str> = known.collect();
    let problem = format!("{kind} '{of}' has no quantity '{quantity}'; it has {}", known.join(", "));
    Failure::quantity(problem, meant_name(quantity, known.iter().copied()).map(str::to_owned))
}

/// A table without its functions, for the reference page.
pub(in crate::world) struct Listed {
    /// What the quantities are of.
    pub of: &'static str,
    /// What is worth saying of all.
    pub about: &'static str,
    /// Whether sensors of signals read them too, not probes only.
    pub sensed: bool,
    /// Name with aliases, unit, parts and meaning of each.
    pub rows: Vec<[String; 4]>,
}

/// Lists a table for the reference page.
pub(in crate::world) fn listed<F>(
    of: &'static str,
    about: &'static str,
    sensed: bool,
    table: &[QuantityRow<F>],
) -> Listed {
    let unit = |unit| match unit {
        Unit::Fixed(unit) => unit.to_owned(),
        Unit::Turning(turns, slides) => format!("{turns} or {slides}"),
    };
    let code = |names: &[&str]| names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
    let row = |row: &QuantityRow<F>| {
        let all: Vec<&str> = std::iter::once(row.name).chain(row.aliases.iter().copied()).collect();
        [code(&all), unit(row.unit), code(row.parts), row.about.to_owned()]
    };
    Listed { of, about, sensed, rows: table.iter().map(row).collect() }
}

//! The reference page of quantities, made from the tables.

use std::fmt::Write as _;

use super::table::{Listed, listed};
use super::{WORLD, contact, mechanism};
use crate::world::{fluids, grains, structures};

/// What stands above the tables.
const HEAD: &str = "\
<!-- Generated from the tables of quantities in the engine; see the test `golden_quantities` of the crate `huygens`. -->

# Quantities

Sensors and probes name an object (`of`) and a `quantity`. A vector has components, as in `position.x`; a probe of a \
whole vector writes one column for each. Probes read all quantities; sensors of signals read those of bodies (but not \
of their contacts), joints, motors, couplings, forces and shafts.

For reactions of joints, `side = \"a\"` or `\"b\"` (default) chooses the body and `axes = \"joint\"` (default) or \
`\"world\"` the axes. For contacts of a body, `with` names another body: only contacts with it count.

A [measure](../scene_files.md#grains) of grains that has one row is an object too, `of = \"grains/measure\"`; its columns \
are its quantities.
";

fn tables() -> Vec<Listed> {
    use mechanism as m;
    let coordinates = "A joint also has its coordinates by name (`angle`, `displacement` ..; see [Joints](../joints.md)) in \
                       rad or m, and their rates, such as `angle_rate`, in rad/s or m/s.";
    let mut all = vec![
        listed("body, or `body/marker`", "", true, m::BODY),
        listed("contacts of a body", "", false, contact::OF_BODY),
        listed("joint", coordinates, true, m::JOINT),
        listed("motor", "", true, m::MOTOR),
        listed("coupling", "", true, m::COUPLING),
        listed("spring", "", true, m::SPRING),
        listed("coordinate spring, clutch, brake", "", true, m::COORDINATE_FORCE),
        listed("bushing", "", true, m::BUSHING),
        listed("shaft", "", true, m::SHAFT),
        listed("`world`", "", false, WORLD),
        listed("contacts of the `world`", "", false, contact::OF_WORLD),
    ];
    all.extend(grains::quantity_tables());
    all.extend(fluids::quantity_tables());
    all.extend(structures::quantity_tables());
    all
}

/// The page of the book that lists what sensors and probes can read, in Markdown.
///
/// ```
/// let page = huygens::world::quantity_reference();
/// assert!(page.contains("| `angular_velocity` | rad/s | `x`, `y`, `z` | world axes |"));
/// ```
pub fn quantity_reference() -> String {
    let mut page = HEAD.to_owned();
    for table in tables() {
        let mut title = table.of.chars();
        let title = title.next().map_or(String::new(), |c| c.to_uppercase().chain(title).collect());
        let who = if table.sensed { "" } else { " (probes only)" };
        let _ = write!(page, "\n## {title}{who}\n\n");
        if !table.about.is_empty() {
            let _ = write!(page, "{}\n\n", table.about);
        }
        page += "| quantity | unit | components | meaning |\n|---|---|---|---|\n";
        for [name, unit, parts, about] in table.rows {
            let _ = writeln!(page, "| {name} | {unit} | {parts} | {about} |");
        }
    }
    page
}

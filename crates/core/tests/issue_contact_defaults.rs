//! The record of the defaults of contact states the numbers that the code has.

use std::collections::BTreeMap;
use std::path::Path;

use huygens_core::contact::defaults;

const RECORD: &str = "0023-numbers-of-contact-defaults.md";

/// The constants of the table in a record, by name.
fn stated(record: &str) -> BTreeMap<String, f64> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/decisions").join(record);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let cells = |line: &str| line.split('|').map(|c| c.trim().to_owned()).collect::<Vec<_>>();
    let rows = text.lines().map(cells).filter(|c| c.len() == 7 && c[2].starts_with('`'));
    rows.map(|c| {
        let number = c[3].parse().unwrap_or_else(|e| panic!("{}: {e}", c[3]));
        (c[2].trim_matches('`').to_owned(), number)
    })
    .collect()
}

#[test]
fn the_record_states_the_constants() {
    let constants = BTreeMap::from(
        [
            ("TOLERANCE", defaults::TOLERANCE),
            ("BOUNCE", defaults::BOUNCE),
            ("RECOVERY", defaults::RECOVERY),
            ("ENVELOPE", defaults::ENVELOPE),
            ("RESTING_OVERLAP", defaults::RESTING_OVERLAP),
            ("GAINED", defaults::GAINED),
            ("RECOVERY_PART", defaults::RECOVERY_PART),
        ]
        .map(|(name, value)| (name.to_owned(), value)),
    );
    assert_eq!(stated(RECORD), constants);
}

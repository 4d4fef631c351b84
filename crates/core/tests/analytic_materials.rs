//! The table of coefficients: materials, their combination and exceptions for pairs agree on every row.

use huygens_core::contact::{Composite, Material, combine};
use huygens_spec::{ContactPairSpec, MaterialSpec};
use serde_json::json;

const COMBINED_BY_A_RULE: usize = 10;

fn with(key: &str, value: f64) -> Material {
    let spec: MaterialSpec = serde_json::from_value(json!({ "name": "m", key: value })).unwrap();
    spec.check().unwrap();
    spec.material()
}

/// A number given for a pair stands for what two materials with that number, or with half of it where numbers add,
/// make together.
#[test]
fn a_number_of_a_pair_is_that_of_two_equal_materials() {
    let plain: Composite = combine(&Material::default(), &Material::default()).unwrap();
    let mut found = 0;
    for coefficient in Material::COEFFICIENTS {
        let (key, value) = (coefficient.name, 0.375);
        assert_eq!(coefficient.value(&with(key, value)), value, "{key}");
        let pair = json!({ "materials": ["a", "b"], key: value });
        let Ok(pair) = serde_json::from_value::<ContactPairSpec>(pair) else { continue };
        pair.check().unwrap();
        let mut exception = plain;
        exception.take(&pair);
        assert_ne!(exception, plain, "{key} is not read");
        let share = if key == "compliance" { 0.5 } else { 1.0 };
        let equal = with(key, share * value);
        assert_eq!(exception, combine(&equal, &equal).unwrap(), "{key}");
        found += 1;
    }
    assert_eq!(found, COMBINED_BY_A_RULE);
}

#[test]
fn unequal_materials_combine_by_their_rules() {
    let of = |key, a, b| combine(&with(key, a), &with(key, b)).unwrap();
    assert_eq!(of("friction", 0.2, 0.8).surface.friction, 0.2);
    assert_eq!(of("cohesion_density", 3.0, 1.0).surface.cohesion_density, 1.0);
    assert_eq!(of("compliance", 1e-5, 3e-5).compliance, 4e-5);
    assert_eq!(of("damping", 1.0, 3.0).damping, 1.5);
    assert_eq!(of("damping", 0.0, 0.0).damping, 0.0);
    // Two equal moduli in series: E* = E/(2(1 − ν²)).
    let young = of("young", 1e6, 1e6).surface.young;
    assert!((young - 1e6 / (2.0 * (1.0 - 0.09))).abs() < 1e-6, "{young}");
}

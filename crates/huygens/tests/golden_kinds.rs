//! The words of scenes for what the engine has in tables of its own.

use huygens::prelude::*;

#[test]
fn every_element_of_scenes_is_a_kind_of_the_engine() {
    let words: Vec<&str> = ElementType::ALL.map(ElementType::name).to_vec();
    let mut kinds: Vec<&str> = huygens_fea::element::KINDS.iter().map(|kind| kind.name()).collect();
    // Kinds that differ in their measure of strain share a name.
    kinds.dedup();
    assert_eq!(words, kinds);
    for element in ElementType::ALL {
        assert_eq!(serde_json::to_value(element).unwrap(), element.name());
    }
}

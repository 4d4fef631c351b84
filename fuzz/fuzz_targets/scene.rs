//! Bytes of a scene file: read as TOML and as JSON, built and assembled; every end but a panic is allowed.

#![no_main]

use huygens::{LoadOptions, SceneWorld};
use huygens::scene::{Format, load_scene_text};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    for format in [Format::Toml, Format::Json] {
        let Ok(loaded) = load_scene_text("fuzz", &text, format, &LoadOptions::default()) else {
            continue;
        };
        match loaded.world() {
            Ok(mut world) => {
                if let Err(error) = world.initialize() {
                    let _ = loaded.explain(error).to_string();
                }
            }
            Err(error) => {
                let _ = error.to_string();
            }
        }
    }
});

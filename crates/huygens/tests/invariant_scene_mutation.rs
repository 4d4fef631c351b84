//! Damaged scenes never panic: every mutation of the examples ends in a world or in an error.

use std::fs;
use std::path::{Path, PathBuf};

use huygens::scene::{Format, load_scene_text};
use huygens::{LoadOptions, SceneWorld};

/// Bodies above which a scene takes too long to be built again and again.
const MOST_BODIES: usize = 1000;

/// A small generator of numbers (xorshift), so that every run tries the same mutations.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

/// Loads, builds and assembles; says how far it came.
fn outcome(text: &str, format: Format) -> usize {
    let Ok(loaded) = load_scene_text("mutant", text, format, &options()) else { return 0 };
    let mut world = match loaded.world() {
        Ok(world) => world,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return 1;
        }
    };
    match world.initialize() {
        Ok(_) => 3,
        Err(error) => {
            assert!(!loaded.explain(error).to_string().is_empty());
            2
        }
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn options() -> LoadOptions {
    LoadOptions { asset_root: Some(folder()), ..LoadOptions::default() }
}

fn scenes() -> Vec<(String, Format)> {
    let folder = folder();
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "toml"));
    paths.sort();
    let mut scenes = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        let loaded = load_scene_text(&path, &text, Format::Toml, &options()).unwrap();
        if loaded.world().unwrap().bodies().len() > MOST_BODIES {
            continue;
        }
        scenes.push((serde_json::to_string(&loaded.scene).unwrap(), Format::Json));
        scenes.push((text, Format::Toml));
    }
    scenes
}

const WORDS: [&str; 24] = [
    "nan",
    "-inf",
    "0",
    "-1",
    "1e308",
    "1e-308",
    "\"\"",
    "[]",
    "{}",
    "true",
    "\"ground\"",
    "\"=1/0\"",
    "\"=x\"",
    "[",
    "}",
    ",",
    ".",
    "=",
    "\n",
    "99999999999999999999",
    "'",
    "\"a/b\"",
    "null",
    "[[bodies]]\n",
];

/// The text with one token replaced by another token of it, or by a word of trouble.
fn swap(text: &str, n: &mut Numbers) -> String {
    let tokens: Vec<&str> = text.split_inclusive(|c: char| " ,[]{}\n:".contains(c)).collect();
    let at = n.below(tokens.len());
    let other = if n.below(2) == 0 { tokens[n.below(tokens.len())] } else { WORDS[n.below(WORDS.len())] };
    tokens.iter().enumerate().map(|(i, t)| if i == at { other } else { *t }).collect()
}

/// The text with one number replaced by another number of it or by an unlikely one: sound, but another model.
fn renumber(text: &str, n: &mut Numbers) -> String {
    let tokens: Vec<&str> = text.split_inclusive(|c: char| " ,[]{}\n:".contains(c)).collect();
    let number =
        |t: &&str| t.trim_end_matches([' ', ',', '[', ']', '{', '}', '\n', ':']).parse::<f64>().is_ok();
    let places: Vec<usize> = (0..tokens.len()).filter(|i| number(&tokens[*i])).collect();
    let at = places[n.below(places.len())];
    let value = tokens[at].trim_end_matches([' ', ',', '[', ']', '{', '}', '\n', ':']);
    let other = match n.below(3) {
        0 => {
            tokens[places[n.below(places.len())]].trim_end_matches([' ', ',', '[', ']', '{', '}', '\n', ':'])
        }
        _ => ["-1", "1e12", "1e-12", "0", "0.7", "1e200", "3"][n.below(7)],
    };
    let changed = tokens[at].replacen(value, other, 1);
    tokens.iter().enumerate().map(|(i, t)| if i == at { changed.as_str() } else { *t }).collect()
}

#[test]
fn mutants_end_in_a_world_or_an_error() {
    let mut n = Numbers(0x9e37_79b9_7f4a_7c15);
    let mut reached = [0usize; 4];
    for (text, format) in scenes() {
        assert_eq!(outcome(&text, format), 3);
        // Fills take their time, and a spacing that is read wrong makes millions of particles.
        let share = match () {
            _ if text.contains("fluids") => 25,
            _ if text.contains("grains") => 6,
            _ => 1,
        };
        for _ in 0..40 / share {
            let cut: String = text.chars().take(n.below(text.chars().count())).collect();
            reached[outcome(&cut, format)] += 1;
        }
        for _ in 0..60 / share {
            let mut bytes = text.clone().into_bytes();
            for _ in 0..=n.below(3) {
                let at = n.below(bytes.len());
                bytes[at] ^= 1 << n.below(8);
            }
            reached[outcome(&String::from_utf8_lossy(&bytes), format)] += 1;
        }
        for _ in 0..150 / share {
            reached[outcome(&swap(&text, &mut n), format)] += 1;
            reached[outcome(&renumber(&text, &mut n), format)] += 1;
        }
    }
    // The mutations must reach every stage, or they test nothing.
    assert!(reached.iter().all(|count| *count > 20), "{reached:?}");
}

//! The page, part of the program: its files, and its modules joined into one.

/// Markup of the page.
pub(crate) const INDEX: &str = include_str!("../page/index.html");
/// Style sheet of the page.
pub(crate) const STYLE: &str = include_str!("../page/style.css");

/// Line of the markup that loads the style sheet.
pub(crate) const STYLE_LINE: &str = "<link rel=\"stylesheet\" href=\"assets/style.css\">\n";
/// Line of the markup that loads the modules.
pub(crate) const SCRIPT_LINE: &str = "<script type=\"module\" src=\"assets/js/main.js\"></script>\n";

/// A file of the page.
pub(crate) struct Module {
    pub name: &'static str,
    pub text: &'static str,
}

macro_rules! modules {
    ($($name:literal),* $(,)?) => {
        &[$(Module { name: $name, text: include_str!(concat!("../page/js/", $name)) }),*]
    };
}

/// Modules, each after those it uses.
pub(crate) const MODULES: &[Module] = modules![
    "dom.js",
    "maths.js",
    "view.js",
    "packed.js",
    "source.js",
    "frames.js",
    "ranges.js",
    "playback.js",
    "timeline.js",
    "gl.js",
    "shaders_shape.js",
    "shaders_screen.js",
    "shaders_overlay.js",
    "colormap.js",
    "geometry.js",
    "poses.js",
    "backdrops.js",
    "scene.js",
    "camera.js",
    "overlays.js",
    "renderer.js",
    "quality.js",
    "display.js",
    "inspector.js",
    "plots.js",
    "live.js",
    "controls.js",
    "marks.js",
    "main.js",
];

/// Text and type of the file that the page asks for as `assets/NAME`.
pub(crate) fn asset(name: &str) -> Option<(&'static str, &'static str)> {
    if name == "style.css" {
        return Some((STYLE, "text/css; charset=utf-8"));
    }
    let module = name.strip_prefix("js/")?;
    let found = MODULES.iter().find(|candidate| candidate.name == module)?;
    Some((found.text, "text/javascript; charset=utf-8"))
}

/// All modules as one. Their names are unique over all files, so it is enough to drop imports and the word `export`.
pub(crate) fn joined_modules() -> String {
    let mut joined = String::new();
    for module in MODULES {
        for line in module.text.lines().filter(|line| !line.starts_with("import ")) {
            joined.push_str(line.strip_prefix("export ").unwrap_or(line));
            joined.push('\n');
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_those_of_the_page_in_its_order() {
        let order: Vec<&str> = include_str!("../page/js/order.txt").lines().collect();
        let names: Vec<&str> = MODULES.iter().map(|module| module.name).collect();
        assert_eq!(names, order);
    }

    #[test]
    fn markup_has_the_lines_that_an_export_replaces() {
        assert_eq!(INDEX.matches(STYLE_LINE).count(), 1);
        assert_eq!(INDEX.matches(SCRIPT_LINE).count(), 1);
        assert_eq!(INDEX.matches("</body>").count(), 1);
    }

    #[test]
    fn joined_modules_can_stand_within_markup() {
        let joined = joined_modules();
        let lower = joined.to_ascii_lowercase();
        assert!(!lower.contains("</script") && !lower.contains("<!--"));
        assert!(!joined.lines().any(|line| line.starts_with("import ") || line.starts_with("export ")));
        assert!(!STYLE.to_ascii_lowercase().contains("</style"));
    }
}

//! Pictures of the examples and the lessons: `docs/src/gallery.md` and the film on the front page.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use crate::rust::{self, NumberedExamples, Profile};
use crate::steps::{StepFailure, Steps};
use crate::workspace::{Workspace, files_below};

const PICTURES: &str = "docs/src/images/gallery";
const PAGE: &str = "docs/src/gallery.md";

/// Pixels of a picture: sharp on a page, and a file of some 300 kB.
const SIZE: &str = "768x432";

/// Moments that tell more than the last one [s].
const MOMENTS: [(&str, &str); 16] = [
    ("01_pendulum", "0.9"),
    ("02_slider_crank", "1.13"),
    ("04_robot_arm", "1.3"),
    ("06_limits_and_rope", "0.9"),
    ("07_dropped_ball", "0.95"),
    ("09_brick_wall", "0.6"),
    ("12_newton_cradle", "0.75"),
    ("14_crane", "4.7"),
    ("16_hopper", "0.35"),
    ("22_net", "0.45"),
    ("23_grass", "0.3"),
    ("26_jelly", "0.2"),
    ("27_beads_on_comb", "0.1"),
    ("28_dam_break_obstacle", "0.35"),
    ("29_floating_boxes", "0.28"),
    ("31_water_on_boxes", "0.3"),
];

/// The film: example, file, options of `huygens render`.
const FILM: (&str, &str, &str) =
    ("09_brick_wall", "docs/src/images/brick_wall.gif", "--size 480x270 --speed 0.5 --rate 15");

/// Runs every scene of the examples, makes its picture, and writes the page that shows them.
pub fn build(steps: &mut Steps) -> Result<(), StepFailure> {
    rust::build(steps)?;
    let program = steps.workspace.built_program(Profile::Ci.name(), "huygens");
    let runs = steps.workspace.target.join("gallery");
    let mut page = String::from(PREFACE);
    for (name, scene) in NumberedExamples::below(&steps.workspace.root.join("examples")).scenes {
        let run = runs.join(&name);
        let mut command = Command::new(&program);
        command.arg("run").arg(&scene).arg("--out").arg(&run).args(["--force", "--quiet", "--threads", "0"]);
        steps.command(&format!("run {name}"), &mut command)?;
        let options = picture_options(&name);
        let mut command = Command::new(&program);
        command.arg("render").arg(&run).arg("--out").arg(run.join("pictures")).arg("--quiet");
        steps.command(&format!("picture of {name}"), command.args(options.split(' ')))?;
        steps.check(&format!("entry of {name}"), |workspace| {
            entry(workspace, &name, &scene, &run, &mut page)
        })?;
    }
    page.push_str(&film_section());
    let mut command = Command::new(&program);
    command.arg("render").arg(runs.join(FILM.0)).args(["--quiet", "--film", FILM.1]);
    steps.command("film", command.args(FILM.2.split(' ')))?;
    lessons(steps, &program, &runs)?;
    steps.check("gallery", |workspace| {
        std::fs::write(workspace.root.join(PAGE), &page).map_err(|error| format!("{PAGE}: {error}"))?;
        Ok(PAGE.to_owned())
    })
}

/// Pages of the lessons, each of which begins with a scene.
const LESSONS: &str = "docs/src/lessons";
const LESSON_PICTURES: &str = "docs/src/images/lessons";

/// Moments of the pictures of lessons that tell more than the last one [s].
const LESSON_MOMENTS: [(&str, &str); 3] =
    [("1_pendulum", "0.3"), ("2_mechanism", "0.3"), ("3_contact", "0.3")];

/// Runs the scene of every lesson and makes its picture.
fn lessons(steps: &mut Steps, program: &Path, runs: &Path) -> Result<(), StepFailure> {
    for page in files_below(&steps.workspace.root.join(LESSONS), &["md"]) {
        let name = page.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&page).unwrap_or_default();
        let Some(scene) = first_scene(&text) else { continue };
        let (file, run) = (runs.join(format!("{name}.toml")), runs.join(&name));
        steps.check(&format!("scene of {name}"), |_| {
            let written = std::fs::create_dir_all(runs).and_then(|()| std::fs::write(&file, scene));
            written.map(|()| file.display().to_string()).map_err(|e| format!("{}: {e}", file.display()))
        })?;
        let mut command = Command::new(program);
        command.arg("run").arg(&file).arg("--out").arg(&run).args(["--force", "--quiet", "--threads", "0"]);
        steps.command(&format!("run {name}"), &mut command)?;
        let mut command = Command::new(program);
        command
            .arg("render")
            .arg(&run)
            .arg("--out")
            .arg(run.join("pictures"))
            .args(["--quiet", "--size", "640x360"]);
        if let Some((_, time)) = LESSON_MOMENTS.iter().find(|(lesson, _)| *lesson == name) {
            command.args(["--time", time]);
        }
        steps.command(&format!("picture of {name}"), &mut command)?;
        steps.check(&format!("keep {name}"), |workspace| {
            keep_picture(workspace, LESSON_PICTURES, &name, &run)
        })?;
    }
    Ok(())
}

/// The first scene on a page.
fn first_scene(page: &str) -> Option<&str> {
    let (_, rest) = page.split_once("```toml\n")?;
    rest.split_once("```").map(|(scene, _)| scene)
}

const PREFACE: &str = "\
# Gallery

Every example as Huygens draws it, with the commands that made its picture. `cargo xtask gallery` redraws all of them; \
camera and light are in the scenes, under `[view]` (see [Pictures and films](pictures.md)).
";

fn picture_options(name: &str) -> String {
    match MOMENTS.iter().find(|(example, _)| *example == name) {
        Some((_, time)) => format!("--time {time} --size {SIZE}"),
        None => format!("--size {SIZE}"),
    }
}

/// Keeps the picture of a run, and adds it to the page under the sentence that opens its scene.
fn entry(
    workspace: &Workspace,
    name: &str,
    scene: &Path,
    run: &Path,
    page: &mut String,
) -> Result<String, String> {
    let kept = keep_picture(workspace, PICTURES, name, run)?;
    let text = std::fs::read_to_string(scene).map_err(|error| format!("{}: {error}", scene.display()))?;
    let title = title(name);
    let commands = format!(
        "huygens run examples/{name}.toml\nhuygens render runs/{name} --out pictures {}",
        picture_options(name)
    );
    write!(
        page,
        "\n## {title}\n\n{}\n\n![{title}](images/gallery/{name}.png)\n\n```sh\n{commands}\n```\n",
        opening(&text)
    )
    .map_err(|error| error.to_string())?;
    Ok(kept)
}

/// Copies the picture of a run into a folder of the book.
fn keep_picture(workspace: &Workspace, folder: &str, name: &str, run: &Path) -> Result<String, String> {
    let kept = workspace.root.join(folder).join(format!("{name}.png"));
    std::fs::create_dir_all(workspace.root.join(folder)).map_err(|error| format!("{folder}: {error}"))?;
    let bytes = std::fs::copy(run.join("pictures/frame_00001.png"), &kept)
        .map_err(|error| format!("{}: {error}", kept.display()))?;
    Ok(format!("{name}.png: {} kB", bytes / 1000))
}

fn film_section() -> String {
    let (example, file, options) = FILM;
    let file_name = file.rsplit('/').next().unwrap_or(file);
    format!(
        "\n## A film\n\n![The brick wall as a film](images/{file_name})\n\n```sh\nhuygens render runs/{example} --film \
         {file_name} {options}\n```\n"
    )
}

/// `02_slider_crank` as a heading.
fn title(name: &str) -> String {
    let words = name.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_').replace('_', " ");
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// The comment that opens a scene, up to its first empty line.
fn opening(scene: &str) -> String {
    let lines = scene.lines().map_while(|line| line.strip_prefix('#')).map(str::trim);
    lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_and_openings_come_from_the_example() {
        assert_eq!(title("12_newton_cradle"), "Newton cradle");
        assert_eq!(opening("# Two\n# lines.\n#\n# Run: x\n[settings]\n"), "Two lines.");
        assert_eq!(first_scene("text\n```toml\n# a.toml\n```\nmore\n```toml\n```\n"), Some("# a.toml\n"));
    }
}

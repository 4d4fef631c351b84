//! The lessons of the book: every scene runs as printed and gives the numbers that its page promises.

use std::path::{Path, PathBuf};

use crate::common::Desk;
use huygens_record::Series;

/// A row of a page's table of results.
struct Promise {
    column: String,
    at: f64,
    value: f64,
    tolerance: f64,
}

/// A lesson: its scene, the name to save it under, and what to expect in one CSV file of the run.
struct Lesson {
    scene: String,
    file: String,
    series: String,
    promises: Vec<Promise>,
}

fn pages() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/lessons");
    let mut pages: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the lessons of the book")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.file_name().is_some_and(|name| name != "README.md"))
        .collect();
    pages.sort();
    pages
}

fn lesson(page: &str) -> Lesson {
    let (_, scene) = page.split_once("```toml\n").expect("a scene");
    let (scene, _) = scene.split_once("```\n").expect("the end of the scene");
    let file = scene.lines().next().and_then(|line| line.strip_prefix("# ")).expect("the name of the scene");
    let (_, table) = page.split_once("| column of ").expect("a table of results");
    let mut lines = table.lines();
    let series = lines.next().and_then(|head| head.split_once(' ')).expect("the file of the results").0;
    let rows = lines.skip(1).take_while(|line| line.starts_with('|'));
    let promise = |row: &str| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let number = |k: usize| cells[k].parse().unwrap_or_else(|e| panic!("'{}' in '{row}': {e}", cells[k]));
        Promise { column: cells[1].to_owned(), at: number(2), value: number(3), tolerance: number(4) }
    };
    Lesson {
        scene: scene.to_owned(),
        file: file.to_owned(),
        series: series.to_owned(),
        promises: rows.map(promise).collect(),
    }
}

/// Runs the lesson whose page begins with this number.
#[track_caller]
fn keeps_its_promises(number: char) {
    let page = pages().into_iter().find(|path| {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(number))
    });
    let page = page.unwrap_or_else(|| panic!("there is no lesson {number}"));
    let lesson = lesson(&std::fs::read_to_string(&page).expect("the page"));
    assert!(!lesson.promises.is_empty(), "{}: no row in the table of results", page.display());
    let desk = Desk::new();
    desk.write(&lesson.file, &lesson.scene);
    desk.run(&["run", &lesson.file, "--out", "run", "--quiet"]).expect(0);
    let series = Series::read(&desk.path("run").join(&lesson.series)).expect("the series of the run");
    for Promise { column, at, value, tolerance } in lesson.promises {
        let row = series.first().iter().position(|x| (x - at).abs() < 1e-9);
        let row = row.unwrap_or_else(|| panic!("{column}: there is no row at {at}"));
        let (_, values) = series.column(&column).expect("the column of the table");
        let got = values[row];
        assert!((got - value).abs() <= tolerance, "{column} at {at}: {got}, promised {value} ± {tolerance}");
    }
}

#[test]
fn every_lesson_has_a_test() {
    assert_eq!(pages().len(), 6, "one test below for each page: {:?}", pages());
}

#[test]
fn a_pendulum_keeps_its_promises() {
    keeps_its_promises('1');
}

#[test]
fn a_mechanism_keeps_its_promises() {
    keeps_its_promises('2');
}

#[test]
fn contact_keeps_its_promises() {
    keeps_its_promises('3');
}

#[test]
fn grains_keep_their_promises() {
    keeps_its_promises('4');
}

#[test]
fn a_flexible_part_keeps_its_promises() {
    keeps_its_promises('5');
}

#[test]
fn a_floating_body_keeps_its_promises() {
    keeps_its_promises('6');
}

//! Plots: the SVG is well-formed and says what it shows, the PNG has the expected size.

use huygens_plot::{Panel, Plot, Style, Theme};
use huygens_record::{Column, Series, SeriesWriter};

fn wave(count: usize) -> (Vec<f64>, Vec<f64>) {
    let x: Vec<f64> = (0..count).map(|i| i as f64 / count as f64 * 10.0).collect();
    let y = x.iter().map(|x| x.sin()).collect();
    (x, y)
}

fn labels(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).expect("well-formed XML");
    let labelled = document.descendants().filter_map(|node| node.attribute("aria-label"));
    labelled.map(str::to_owned).collect()
}

fn series() -> Series {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("probe.csv");
    let columns = [
        Column::new("time", "s"),
        Column::new("crank.angle", "rad"),
        Column::new("rod.force", "N"),
        Column::new("rod.angle", "rad"),
    ];
    let mut writer = SeriesWriter::create(&path, &columns).expect("create");
    for step in 0..100 {
        let t = f64::from(step) * 0.01;
        writer.row(&[t, t.sin(), 2e6 * t, t.cos()]).expect("row");
    }
    Series::read(&writer.finish().expect("finish")).expect("read")
}

#[test]
fn a_series_becomes_one_panel_a_unit() {
    let columns = ["crank.angle", "rod.force", "rod.angle"];
    let plot = Plot::of_series("A <& title", &series(), &columns).expect("plot");
    let svg = plot.svg().expect("svg");
    let labels = labels(&svg);
    for expected in ["A <& title", "angle [rad]", "crank", "rod", "rod.force [10⁶ N]", "time [s]"] {
        assert!(labels.iter().any(|label| label == expected), "{expected}: {labels:?}");
    }
    assert_eq!(svg.matches("<clipPath").count(), 2, "two units, two panels");
    assert_eq!(labels.iter().filter(|label| *label == "time [s]").count(), 1);
    let error = Plot::of_series("", &series(), &["nothing"]).expect_err("no such column");
    assert!(error.to_string().contains("crank.angle"), "{error}");
}

#[test]
fn the_png_has_the_size_of_the_svg_times_the_scale() {
    let (x, y) = wave(1000);
    let plot = Plot::new("wave")
        .width(500.0)
        .theme(Theme::Dark)
        .panel(Panel::new("x [m]", "y [m]").line("wave", &x, &y));
    let svg = plot.svg().expect("svg");
    let document = roxmltree::Document::parse(&svg).expect("well-formed XML");
    let side = |name| -> u32 {
        let text = document.root_element().attribute(name).expect("size");
        text.parse().expect("whole pixels")
    };
    let png = plot.pixel_scale(2.0).png().expect("png");
    let pixels = tiny_skia::Pixmap::decode_png(&png).expect("decodes");
    assert_eq!(pixels.width(), 2 * side("width"));
    assert_eq!(pixels.height(), 2 * side("height"));
    let line = Theme::Dark.series_color(0);
    let painted = pixels
        .pixels()
        .iter()
        .filter(|pixel| (pixel.red(), pixel.green(), pixel.blue()) == (line.red, line.green, line.blue));
    assert!(painted.count() > 500, "the line is visible");
}

#[test]
fn a_million_rows_make_a_small_file() {
    let (x, y) = wave(1_000_000);
    let noisy: Vec<f64> = y.iter().zip(&x).map(|(y, x)| y + 0.2 * (x * 1e5).sin()).collect();
    let plot = Plot::new("noise").panel(Panel::new("x", "y").line("", &x, &noisy));
    let svg = plot.svg().expect("svg");
    assert!(svg.len() < 300_000, "{} bytes", svg.len());
}

#[test]
fn equal_aspect_keeps_a_circle_round() {
    let circle: Vec<[f64; 2]> =
        (0..=360).map(|i| f64::from(i).to_radians()).map(|a| [3.0 * a.cos(), 3.0 * a.sin()]).collect();
    let panel = Panel::new("x [m]", "y [m]").equal_aspect().height(200.0);
    let ends = Style::default();
    let panel = panel.points("", &[circle[0], circle[180], circle[90], circle[270]], ends);
    let svg = Plot::new("").panel(panel.polyline("", &circle, ends)).svg().expect("svg");
    let document = roxmltree::Document::parse(&svg).expect("well-formed XML");
    let discs: Vec<[f64; 2]> = document
        .descendants()
        .filter(|node| node.has_tag_name("circle"))
        .map(|node| ["cx", "cy"].map(|name| node.attribute(name).expect("centre").parse().expect("number")))
        .collect();
    let across = discs[0][0] - discs[1][0];
    let upright = discs[3][1] - discs[2][1];
    assert!((across - upright).abs() < 0.05 && across > 100.0, "{across} {upright}");
}

#[test]
fn odd_data_is_drawn_or_refused_but_never_panics() {
    let odd = [f64::NAN, f64::INFINITY, -1e308, 0.0, 1e-320, 5.0, 5.0, 1e308];
    for (log, equal) in [(false, false), (true, false), (false, true)] {
        for count in 0..odd.len() {
            let mut panel = Panel::new("", "").line("a", &odd[..count], &odd[odd.len() - count..]);
            panel = panel.discs("", &[[0.0, f64::NAN], [1.0, 1.0]], f64::NAN, Style::default());
            panel =
                panel.polygon("", &[], Style::default()).text([1.0, 2.0], "\u{0}\u{1F600}", Style::default());
            panel = if log { panel.x_log().y_log() } else { panel };
            panel = if equal { panel.equal_aspect() } else { panel };
            let plot = Plot::new("odd").pixel_scale(0.5).panel(panel);
            let svg = plot.svg().expect("svg");
            assert!(!svg.contains("NaN") && !svg.contains("inf"));
            labels(&svg);
            plot.png().expect("png");
        }
    }
    let short = Panel::new("", "").line("a", &[1.0, 2.0], &[1.0]);
    let error = Plot::new("t").panel(short).svg().expect_err("lengths differ").to_string();
    assert!(error.contains("line 'a' has 2 x values and 1 y values"), "{error}");
    assert!(Plot::new("none").svg().is_err());
    assert!(Plot::new("r").panel(Panel::new("", "").x_range(1.0, 1.0)).svg().is_err());
    assert!(Plot::new("r").panel(Panel::new("", "").y_log().y_range(-1.0, 1.0)).svg().is_err());
}

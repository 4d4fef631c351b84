//! Every kind of plot, as SVG and PNG.
//!
//! Run: `cargo run -p huygens-plot --example plot_gallery -- FOLDER`
//! See: `panels`, `dark`, `log`, `trajectory` and `mechanism` in that folder.

use std::f64::consts::TAU;
use std::path::PathBuf;

use huygens_plot::{Color, Dash, Panel, Plot, PlotError, Style, Theme};
use huygens_record::RecordError;

const CRANK: f64 = 0.2;
const ROD: f64 = 0.5;

/// Crank pin and slider of a slider–crank at a crank angle [rad].
fn slider_crank(angle: f64) -> ([f64; 2], [f64; 2]) {
    let pin = [CRANK * angle.cos(), CRANK * angle.sin()];
    let slider = pin[0] + (ROD * ROD - pin[1] * pin[1]).sqrt();
    (pin, [slider, 0.0])
}

fn panels(theme: Theme) -> Plot {
    let time: Vec<f64> = (0..2000).map(|i| f64::from(i) * 1e-3).collect();
    let of = |f: &dyn Fn(f64) -> f64| time.iter().map(|t| f(*t)).collect::<Vec<_>>();
    let slider = of(&|t| slider_crank(3.0 * t).1[0]);
    let pin = of(&|t| slider_crank(3.0 * t).0[1]);
    let force = of(&|t| 4.2e5 * (3.0 * t).cos() + 3e4 * (60.0 * t).sin());
    let torque = of(&|t| 12.0 * (6.0 * t).sin() - 3.0);
    Plot::new("Slider–crank at constant speed")
        .subtitle("crank 0.2 m, rod 0.5 m, 3 rad/s, generalized-α, h = 1 ms")
        .theme(theme)
        .panel(
            Panel::new("time [s]", "position [m]")
                .line("slider.x", &time, &slider)
                .line("pin.y", &time, &pin),
        )
        .panel(Panel::new("time [s]", "slider.force [N]").line("", &time, &force))
        .panel(Panel::new("time [s]", "motor.torque [N·m]").line("", &time, &torque))
}

fn log() -> Plot {
    let step: Vec<f64> = (0..9).map(|i| 1e-2 / f64::from(1 << i)).collect();
    let error = |order: i32, scale: f64| -> Vec<f64> { step.iter().map(|h| scale * h.powi(order)).collect() };
    let marks =
        |values: &[f64]| -> Vec<[f64; 2]> { step.iter().zip(values).map(|(h, e)| [*h, *e]).collect() };
    let (first, second) = (error(1, 2.0), error(2, 30.0));
    let line = Style::default();
    Plot::new("Error of the tip position against the step size").panel(
        Panel::new("step size [s]", "error [m]")
            .x_log()
            .y_log()
            .line("semi-implicit Euler", &step, &first)
            .line("HHT, α = −0.1", &step, &second)
            .points("", &marks(&first), line.color(Theme::Light.series_color(0)).radius(4.0))
            .points("", &marks(&second), line.color(Theme::Light.series_color(1)).radius(4.0))
            .line_styled("order 2", &step, &error(2, 8.0), line.dash(Dash::Dashed).width(1.2)),
    )
}

fn trajectory() -> Plot {
    let turns: Vec<f64> = (0..200_000).map(|i| f64::from(i) * 1e-4 * TAU).collect();
    let x: Vec<f64> = turns.iter().map(|a| (1.37 * a).sin() + 0.4 * (3.1 * a).cos()).collect();
    let y: Vec<f64> = turns.iter().map(|a| (0.8 * a).cos() + 0.3 * (2.3 * a).sin()).collect();
    let style = Style::default().width(1.0).opacity(0.8);
    Plot::new("Path of a pen").width(640.0).panel(
        Panel::new("x [m]", "y [m]").equal_aspect().line_styled("", &x, &y, style).points(
            "start",
            &[[x[0], y[0]]],
            Style::default().radius(5.0),
        ),
    )
}

fn mechanism() -> Plot {
    let grey = Color::hex(0x8c97a8);
    let mut panel = Panel::new("x [m]", "y [m]").equal_aspect();
    let path: Vec<[f64; 2]> = (0..=200).map(|i| slider_crank(TAU * f64::from(i) / 200.0).0).collect();
    panel = panel.polyline("path of the pin", &path, Style::default().color(grey).width(1.0));
    let blue = Theme::Light.series_color(0);
    let orange = Theme::Light.series_color(1);
    for frame in 0..9 {
        let fade = 0.15 + 0.85 * f64::from(frame) / 8.0;
        let (pin, slider) = slider_crank(0.3 + 0.3 * f64::from(frame));
        let (w, h) = (0.05, 0.03);
        let [x, _] = slider;
        let block = [[x - w, -h], [x + w, -h], [x + w, h], [x - w, h]];
        let last = frame == 8;
        let name = |text| if last { text } else { "" };
        let link = Style::default().opacity(fade).width(5.0);
        panel = panel
            .polygon("", &block, Style::default().color(grey).opacity(fade * 0.6))
            .polyline(name("crank"), &[[0.0, 0.0], pin], link.color(blue))
            .polyline(name("rod"), &[pin, slider], link.color(orange))
            .points(
                "",
                &[pin, slider],
                Style::default()
                    .color(Color::hex(0xffffff))
                    .outline(Color::hex(0x17202e))
                    .radius(4.0)
                    .opacity(fade),
            );
    }
    panel = panel.discs("", &[[0.0, 0.0]], 0.02, Style::default().color(Color::hex(0x17202e)));
    Plot::new("Slider–crank, nine instants").panel(panel.text([0.0, -0.05], "main bearing", Style::default()))
}

fn main() -> Result<(), PlotError> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "gallery".into()));
    let created = std::fs::create_dir_all(&folder);
    created.map_err(|source| RecordError::Write { path: folder.clone(), source })?;
    let plots = [
        ("panels", panels(Theme::Light)),
        ("dark", panels(Theme::Dark)),
        ("log", log()),
        ("trajectory", trajectory()),
        ("mechanism", mechanism()),
    ];
    for (name, plot) in plots {
        plot.write_svg(&folder.join(format!("{name}.svg")))?;
        plot.write_png(&folder.join(format!("{name}.png")))?;
        assert!(folder.join(format!("{name}.png")).exists());
    }
    Ok(())
}

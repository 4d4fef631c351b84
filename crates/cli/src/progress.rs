//! Progress of a run: a bar on a terminal, lines elsewhere, JSON lines for programs.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use huygens::run::{Event, MANIFEST, Progress, RunReport};
use huygens::spec::shown;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;

use crate::output;

/// Interval of lines where there is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(5);
/// Positions of the bar.
const TICKS: u64 = 1000;

/// Where progress goes.
pub enum Display {
    /// Nowhere.
    Quiet,
    /// One JSON object per line on standard output.
    Json,
    /// Plain lines on standard error.
    Lines(Instant),
    /// A bar on standard error.
    Bar(ProgressBar),
}

impl Display {
    /// Chooses by the options and by whether standard error is a terminal.
    pub fn new(json: bool, quiet: bool) -> Self {
        if json {
            return Self::Json;
        }
        if quiet {
            return Self::Quiet;
        }
        if !std::io::stderr().is_terminal() {
            return Self::Lines(Instant::now());
        }
        let bar = ProgressBar::with_draw_target(Some(TICKS), ProgressDrawTarget::stderr());
        let template = "{bar:32.cyan/dim} {percent:>3}%  {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("━╸─"));
        }
        Self::Bar(bar)
    }

    /// Shows what just happened.
    pub fn show(&mut self, p: &Progress<'_>) {
        match self {
            Self::Quiet => {
                if let Event::Warning(text) = p.event {
                    output::note(format!("warning: {text}"));
                }
            }
            Self::Json if p.event == Event::Preparing => {}
            Self::Json => show_json(p),
            Self::Lines(last) => match p.event {
                Event::Warning(text) => output::note(format!("warning: {text}")),
                Event::Checkpoint(path) => {
                    output::note(format!("checkpoint at t = {} s: {}", shown(p.time), path.display()))
                }
                Event::Started => {
                    output::note(format!("running from t = {} s to {} s", shown(p.time), shown(p.until)))
                }
                Event::Advanced if last.elapsed() >= LINE_INTERVAL => {
                    *last = Instant::now();
                    output::note(status(p));
                }
                Event::Rain(rain) if last.elapsed() >= LINE_INTERVAL => {
                    *last = Instant::now();
                    output::note(rain.to_string());
                }
                Event::Preparing | Event::Advanced | Event::Rain(_) => {}
            },
            Self::Bar(bar) => match p.event {
                Event::Warning(text) => bar.suspend(|| output::note(format!("warning: {text}"))),
                Event::Checkpoint(_) => {}
                Event::Preparing => bar.set_message("building the model"),
                Event::Rain(rain) => {
                    bar.set_position((rain.share * TICKS as f64) as u64);
                    bar.set_message(rain.to_string());
                }
                Event::Started | Event::Advanced => {
                    let share = if p.until > 0.0 { (p.time / p.until).clamp(0.0, 1.0) } else { 1.0 };
                    bar.set_position((share * TICKS as f64) as u64);
                    bar.set_message(status(p));
                }
            },
        }
    }

    /// Reports the outcome of the run and the location of its results.
    pub fn finish(&self, report: &RunReport) {
        let m = &report.manifest;
        match self {
            Self::Quiet => {}
            Self::Json => output::line(json!({
                "event": "finished",
                "outcome": m.outcome,
                "reason": m.reason,
                "time": m.simulated_time,
                "steps": m.steps,
                "wall_time": m.wall_time,
                "warnings": m.warnings,
                "state_hash": m.state_hash,
                "contact": {
                    "steps": report.contact.steps,
                    "most_contacts": report.contact.most_contacts,
                    "iterations": report.contact.iterations,
                    "missed": report.contact.missed,
                    "worst_residual": report.contact.worst_residual,
                    "critical_step": report.contact.critical_step,
                },
                "out": report.out.display().to_string(),
                "checkpoint": report.checkpoint.as_ref().map(|p| p.display().to_string()),
                "files": m.files,
            })),
            Self::Lines(_) | Self::Bar(_) => {
                if let Self::Bar(bar) = self {
                    bar.finish_and_clear();
                }
                summary(report);
            }
        }
    }

    /// Takes the bar away before an error is shown.
    pub fn abandon(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

fn summary(report: &RunReport) {
    let m = &report.manifest;
    output::line(format!(
        "t = {} s after {} steps, {:.2} s of wall time",
        shown(m.simulated_time),
        m.steps,
        m.wall_time
    ));
    if !m.reason.is_empty() {
        output::line(&m.reason);
    }
    let c = &report.contact;
    if c.steps > 0 {
        let iterations = c.iterations as f64 / c.steps as f64;
        let solver =
            if c.iterations > 0 { format!(", {iterations:.1} iterations per step") } else { String::new() };
        let missed =
            if c.missed > 0 { format!(", {} steps above the tolerance", c.missed) } else { String::new() };
        output::line(format!("contacts up to {}{solver}{missed}", c.most_contacts));
    }
    if !m.warnings.is_empty() {
        let warnings = output::count(m.warnings.len() as u64, "warning", "warnings");
        output::line(format!("{warnings}, listed above and in {MANIFEST}"));
    }
    output::line(format!("state  {}", m.state_hash));
    output::line(format!("folder {}", report.out.display()));
    let shown: Vec<&str> = m.files.iter().filter(|f| !f.contains('/')).map(String::as_str).collect();
    if !shown.is_empty() {
        output::line(format!("files  {}", shown.join(", ")));
    }
}

fn status(p: &Progress<'_>) -> String {
    let left = p.remaining.map_or(String::new(), |s| format!(", {} left", output::duration(s)));
    let fluid = p.fluid.map_or(String::new(), |fluid| format!(", {fluid}"));
    format!("t = {} s, {} steps/s{left}{fluid}", clock(p.time, p.until), count(p.steps_per_second))
}

/// The time and the end of a run, with three decimals where these can be read.
fn clock(time: f64, until: f64) -> String {
    match (1e-2..1e9).contains(&until) {
        true => format!("{time:.3} / {until:.3}"),
        false => format!("{} / {}", shown(time), shown(until)),
    }
}

fn count(x: f64) -> String {
    match x {
        x if x >= 1e6 => format!("{:.1} M", x / 1e6),
        x if x >= 1e4 => format!("{:.0} k", x / 1e3),
        x => format!("{x:.0}"),
    }
}

fn show_json(p: &Progress<'_>) {
    let mut object = json!({
        "event": match p.event {
            Event::Started => "started",
            Event::Advanced => "progress",
            Event::Checkpoint(_) => "checkpoint",
            Event::Preparing => "preparing",
            Event::Rain(_) => "rain",
            Event::Warning(_) => "warning",
        },
        "time": p.time,
        "until": p.until,
        "step": p.step,
        "steps_per_second": p.steps_per_second,
        "wall_time": p.wall_time,
        "remaining": p.remaining,
    });
    if let Some(fluid) = p.fluid {
        object["fluid_step"] = json!(fluid.step);
        object["compressibility"] = json!(fluid.compressibility);
        object["lost"] = json!(fluid.lost);
    }
    match p.event {
        Event::Checkpoint(path) => object["path"] = json!(path.display().to_string()),
        Event::Warning(text) => object["message"] = json!(text),
        Event::Rain(rain) => object["message"] = json!(rain.to_string()),
        _ => {}
    }
    output::line(object);
}

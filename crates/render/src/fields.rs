//! Numbers of items as colours.

use glam::Vec3;
use huygens_record::recording::{Frame, Stage};

use crate::color::ColorMap;
use crate::error::RenderError;
use crate::shapes::{field, unit};
use crate::view::{ColorBy, Component};

/// A field shown by colours, with its range.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Coloring {
    pub spec: ColorBy,
    pub low: f64,
    pub high: f64,
    /// Name and unit for the legend.
    pub title: String,
}

impl Coloring {
    /// The range is that of the description, or that of the values in some frames: without the topmost and, for
    /// values of both signs, lowest two hundredths if there are many.
    pub fn new(stage: &Stage, frames: &[&Frame], spec: &ColorBy) -> Result<Self, RenderError> {
        check_names(stage, spec)?;
        let mut values: Vec<f32> = Vec::new();
        for frame in frames {
            for group in 0..stage.groups.len() {
                let of_group = item_values(stage, frame, group, spec).unwrap_or_default();
                values.extend(of_group.into_iter().filter(|v| v.is_finite()));
            }
        }
        let [low, high] = match spec.range {
            Some(range) => range,
            None => spread(values),
        };
        let name = spec.label.clone().unwrap_or_else(|| default_label(stage, spec));
        let unit = stage.groups.iter().find_map(|g| {
            unit(g, &spec.field).or_else(|| (spec.field == "speed").then(|| unit(g, "velocity")).flatten())
        });
        let title = match unit {
            Some(unit) if !unit.is_empty() => format!("{name} [{unit}]"),
            _ => name,
        };
        Ok(Self { spec: spec.clone(), low, high, title })
    }

    /// Linear colours of the items of a group; none where the field is not shown on it.
    fn colors(&self, stage: &Stage, frame: &Frame, group: usize) -> Option<Vec<Vec3>> {
        let values = item_values(stage, frame, group, &self.spec)?;
        Some(values.into_iter().map(|v| self.color(v)).collect())
    }

    /// Linear colours of the items of every group.
    pub fn of_groups(coloring: Option<&Self>, stage: &Stage, frame: &Frame) -> Vec<Option<Vec<Vec3>>> {
        (0..stage.groups.len()).map(|group| coloring?.colors(stage, frame, group)).collect()
    }

    fn color(&self, value: f32) -> Vec3 {
        self.spec.map.linear(((f64::from(value) - self.low) / (self.high - self.low)) as f32)
    }

    pub fn map(&self) -> ColorMap {
        self.spec.map
    }
}

fn spread(mut values: Vec<f32>) -> [f64; 2] {
    values.sort_unstable_by(f32::total_cmp);
    let (Some(first), Some(last)) = (values.first(), values.last()) else { return [0.0, 1.0] };
    let cut = if values.len() > 200 { values.len() / 200 } else { 0 };
    let (mut low, mut high) = (f64::from(values[cut]), f64::from(values[values.len() - 1 - cut]));
    if *first >= 0.0 && low < 0.5 * high {
        low = 0.0;
    }
    if high <= low {
        // Values that are all alike, or differ only in the cut.
        (low, high) = (f64::from(*first), f64::from(*last));
    }
    if high - low <= 1e-6 * high.abs().max(low.abs()) {
        let open = if high == 0.0 { 1.0 } else { 0.1 * high.abs() };
        (low, high) = (low - open, high + open);
    }
    [low, high]
}

fn default_label(stage: &Stage, spec: &ColorBy) -> String {
    let vector = stage
        .groups
        .iter()
        .flat_map(|g| g.fields.iter().chain(&g.constants))
        .any(|f| f.name == spec.field && f.components > 1);
    let name = spec.field.replace('_', " ");
    match spec.component {
        Component::Magnitude if vector => format!("|{name}|"),
        Component::Magnitude => name,
        Component::X => format!("{name} x"),
        Component::Y => format!("{name} y"),
        Component::Z => format!("{name} z"),
        Component::W => format!("{name} w"),
    }
}

fn check_names(stage: &Stage, spec: &ColorBy) -> Result<(), RenderError> {
    let missing = |key: &str, name: &str, present: Vec<String>| RenderError::Missing {
        key: key.into(),
        name: name.into(),
        present,
    };
    let groups: Vec<_> =
        stage.groups.iter().filter(|g| spec.group.as_ref().is_none_or(|name| *name == g.name)).collect();
    if let (Some(name), true) = (&spec.group, groups.is_empty()) {
        return Err(missing("color_by.group", name, stage.groups.iter().map(|g| g.name.clone()).collect()));
    }
    let all = || groups.iter().flat_map(|g| g.fields.iter().chain(&g.constants));
    let holds = |name: &str| all().find(|f| f.name == name);
    let found = holds(&spec.field).or_else(|| (spec.field == "speed").then(|| holds("velocity")).flatten());
    let Some(found) = found else {
        let mut present: Vec<String> = all().map(|f| f.name.clone()).collect();
        present.sort();
        present.dedup();
        return Err(missing("color_by.field", &spec.field, present));
    };
    match component_index(spec.component) {
        Some(index) if index >= found.components => Err(RenderError::value(
            "color_by.component",
            format!("{:?}", spec.component).to_lowercase(),
            format!("one of the {} components of '{}', or magnitude", found.components, found.name),
        )),
        _ => Ok(()),
    }
}

fn component_index(component: Component) -> Option<usize> {
    match component {
        Component::Magnitude => None,
        Component::X => Some(0),
        Component::Y => Some(1),
        Component::Z => Some(2),
        Component::W => Some(3),
    }
}

/// Values of the items of a group; none where the description does not mean it or it lacks the field.
fn item_values(stage: &Stage, frame: &Frame, group: usize, spec: &ColorBy) -> Option<Vec<f32>> {
    if spec.group.as_ref().is_some_and(|name| *name != stage.groups[group].name) {
        return None;
    }
    let values = field(stage, frame, group, &spec.field)
        .or_else(|| (spec.field == "speed").then(|| field(stage, frame, group, "velocity")).flatten());
    let values = values?;
    let count = frame.groups.get(group).map_or(0, |g| g.count);
    let value = |item: usize| match component_index(spec.component) {
        Some(index) if index >= values.components => f32::NAN,
        Some(index) => values.number(item, index),
        None if values.components == 1 => values.number(item, 0),
        None => values.of(item).map(|c| c * c).sum::<f32>().sqrt(),
    };
    Some((0..count).map(value).collect())
}

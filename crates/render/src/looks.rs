//! How things look, before light falls on them.

use glam::Vec3;
use huygens_record::recording::{Look, Stage};

use crate::color::Rgb;
use crate::error::RenderError;
use crate::view::{LookRule, View, fits};

/// Linear colours of things without a look, by group.
const PLAIN: [[f32; 3]; 5] =
    [[0.22, 0.42, 0.66], [0.80, 0.42, 0.16], [0.24, 0.55, 0.40], [0.62, 0.30, 0.50], [0.55, 0.57, 0.60]];

/// How the surface of an item takes light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Finish {
    pub roughness: f32,
    pub metal: bool,
    pub opacity: f32,
}

/// A look in linear light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Paint {
    pub color: Vec3,
    pub finish: Finish,
}

impl Paint {
    /// The look of an item, with the rules of a description.
    pub fn of(
        stage: &Stage,
        view: &View,
        group: usize,
        item: usize,
        look: Option<usize>,
    ) -> Result<Self, RenderError> {
        let mut paint = match look {
            Some(index) => Self::of_look(stage.looks.get(index).ok_or_else(|| {
                let what = format!("look {index} is referred to, there are {}", stage.looks.len());
                RenderError::Stage { what }
            })?),
            None => Self {
                color: Vec3::from(PLAIN[group % PLAIN.len()]),
                finish: Finish { roughness: 0.5, metal: false, opacity: 1.0 },
            },
        };
        let owner = &stage.groups[group];
        let item_name = owner.names.get(item).map_or("", String::as_str);
        let names = [item_name, &owner.name, look_name(stage, group, look)];
        let meant = |rule: &&LookRule| names.iter().any(|n| !n.is_empty() && fits(&rule.name, n));
        for rule in view.looks.iter().filter(meant) {
            let finish = &mut paint.finish;
            paint.color = rule.color.map_or(paint.color, |c| c.linear());
            finish.roughness = rule.roughness.unwrap_or(finish.roughness);
            finish.metal = rule.metal.unwrap_or(finish.metal);
            finish.opacity = rule.opacity.unwrap_or(finish.opacity);
        }
        paint.color = paint.color.clamp(Vec3::ZERO, Vec3::ONE);
        Ok(paint)
    }

    fn of_look(look: &Look) -> Self {
        let Look { color: [r, g, b, opacity], roughness, metal, .. } = *look;
        let finish = Finish { roughness: roughness.clamp(0.0, 1.0), metal, opacity: opacity.clamp(0.0, 1.0) };
        Self { color: Rgb([r, g, b]).linear(), finish }
    }

    /// The look of a ground that the description adds.
    pub fn of_added_ground() -> Self {
        let finish = Finish { roughness: 0.9, metal: false, opacity: 1.0 };
        Self { color: Rgb::hex(0xc9ccd1).linear(), finish }
    }

    /// The same, in the colour of a field where it is shown.
    pub fn colored(mut self, field_colors: Option<&Vec<Vec3>>, item: usize) -> Self {
        if let Some(colors) = field_colors {
            self.color = colors.get(item).copied().unwrap_or(self.color);
            // A metal shows its surroundings: the colours of the legend would be lost.
            self.finish.metal = false;
        }
        self
    }

    /// Bits that are equal for equal looks.
    pub fn key(&self) -> [u32; 6] {
        let [r, g, b] = self.color.to_array().map(f32::to_bits);
        let Finish { roughness, metal, opacity } = self.finish;
        [r, g, b, opacity.to_bits(), roughness.to_bits(), u32::from(metal)]
    }

    /// sRGB colour and opacity as bytes.
    pub fn bytes(&self) -> [u8; 4] {
        let Rgb([r, g, b]) = Rgb::from_linear(self.color);
        [r, g, b, self.finish.opacity].map(|c| (c.clamp(0.0, 1.0) * 255.0).round() as u8)
    }
}

/// Name of a look, or of the group that has none.
pub(crate) fn look_name(stage: &Stage, group: usize, look: Option<usize>) -> &str {
    match look.and_then(|look| stage.looks.get(look)) {
        Some(look) => &look.name,
        None => &stage.groups[group].name,
    }
}

//! How things look, for programs with their own light.

use glam::Vec3;
use huygens_record::recording::{Look, Stage};

use crate::color::Rgb;
use crate::scene::PLAIN;
use crate::view::{LookRule, View, fits};

/// A look in linear light.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Paint {
    pub name: String,
    pub color: Vec3,
    pub opacity: f32,
    pub roughness: f32,
    pub metal: bool,
}

impl Paint {
    /// The look of an item, with the rules of a description.
    pub fn of(stage: &Stage, view: &View, group: usize, item: usize, look: Option<usize>) -> Self {
        let owner = &stage.groups[group];
        let mut paint = match look.and_then(|look| stage.looks.get(look)) {
            Some(Look { name, color: [r, g, b, opacity], roughness, metal }) => Self {
                name: name.clone(),
                color: Rgb([*r, *g, *b]).linear(),
                opacity: opacity.clamp(0.0, 1.0),
                roughness: roughness.clamp(0.0, 1.0),
                metal: *metal,
            },
            None => Self {
                name: owner.name.clone(),
                color: Vec3::from(PLAIN[group % PLAIN.len()]),
                opacity: 1.0,
                roughness: 0.5,
                metal: false,
            },
        };
        let item_name = owner.names.get(item).map_or("", String::as_str);
        let look_name = paint.name.clone();
        let meant = |rule: &&LookRule| {
            [item_name, &owner.name, &look_name].iter().any(|n| !n.is_empty() && fits(&rule.name, n))
        };
        for rule in view.looks.iter().filter(meant) {
            paint.color = rule.color.map_or(paint.color, |c| c.linear());
            paint.roughness = rule.roughness.unwrap_or(paint.roughness);
            paint.metal = rule.metal.unwrap_or(paint.metal);
            paint.opacity = rule.opacity.unwrap_or(paint.opacity);
        }
        paint.color = paint.color.clamp(Vec3::ZERO, Vec3::ONE);
        paint
    }

    /// Bits that are equal for equal looks.
    pub fn key(&self) -> [u32; 6] {
        let [r, g, b] = self.color.to_array().map(f32::to_bits);
        [r, g, b, self.opacity.to_bits(), self.roughness.to_bits(), u32::from(self.metal)]
    }

    /// sRGB colour and opacity as bytes.
    pub fn bytes(&self) -> [u8; 4] {
        let Rgb([r, g, b]) = Rgb::from_linear(self.color);
        [r, g, b, self.opacity].map(|c| (c.clamp(0.0, 1.0) * 255.0).round() as u8)
    }
}

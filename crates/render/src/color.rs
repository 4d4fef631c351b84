//! Colours: sRGB and linear light, and maps from numbers to colours.

use std::fmt;

use glam::Vec3;
use schemars::JsonSchema;
use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An sRGB colour, each channel 0 … 1; written `"#rrggbb"` or `[r, g, b]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rgb(pub [f32; 3]);

impl Rgb {
    /// The colour `0xRRGGBB`.
    pub const fn hex(rgb: u32) -> Self {
        Self([
            ((rgb >> 16) & 255) as f32 / 255.0,
            ((rgb >> 8) & 255) as f32 / 255.0,
            (rgb & 255) as f32 / 255.0,
        ])
    }

    /// Linear light of the colour.
    pub fn linear(self) -> Vec3 {
        Vec3::from(self.0.map(linear_from_srgb))
    }

    /// The colour of linear light, clipped to 0 … 1.
    pub fn from_linear(light: Vec3) -> Self {
        Self(light.to_array().map(srgb_from_linear))
    }

    fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#')?;
        if !digits.is_ascii() {
            return None;
        }
        let value = u32::from_str_radix(digits, 16).ok()?;
        match digits.len() {
            6 => Some(Self::hex(value)),
            3 => Some(Self([8, 4, 0].map(|shift| ((value >> shift) & 15) as f32 / 15.0))),
            _ => None,
        }
    }
}

/// Linear light of an sRGB channel (IEC 61966-2-1).
pub fn linear_from_srgb(channel: f32) -> f32 {
    match channel {
        c if c <= 0.040_45 => c / 12.92,
        c => ((c + 0.055) / 1.055).powf(2.4),
    }
}

/// sRGB channel of linear light (IEC 61966-2-1), clipped to 0 … 1.
pub fn srgb_from_linear(light: f32) -> f32 {
    match light.clamp(0.0, 1.0) {
        c if c <= 0.003_130_8 => 12.92 * c,
        c => 1.055 * c.powf(1.0 / 2.4) - 0.055,
    }
}

impl Serialize for Rgb {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let [r, g, b] = self.0.map(|c| (c.clamp(0.0, 1.0) * 255.0).round() as u8);
        serializer.serialize_str(&format!("#{r:02x}{g:02x}{b:02x}"))
    }
}

impl<'de> Deserialize<'de> for Rgb {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RgbVisitor;
        impl<'de> Visitor<'de> for RgbVisitor {
            type Value = Rgb;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a colour such as \"#4c8bd0\" or [0.3, 0.55, 0.8]")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Rgb, E> {
                Rgb::parse(text).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Rgb, A::Error> {
                let mut channels = [0.0_f32; 3];
                for (index, channel) in channels.iter_mut().enumerate() {
                    *channel = seq.next_element()?.ok_or_else(|| de::Error::invalid_length(index, &self))?;
                    if !(0.0..=1.0).contains(channel) {
                        return Err(de::Error::invalid_value(
                            de::Unexpected::Float(f64::from(*channel)),
                            &"a channel between 0 and 1",
                        ));
                    }
                }
                match seq.next_element::<f32>()? {
                    None => Ok(Rgb(channels)),
                    Some(_) => Err(de::Error::invalid_length(4, &self)),
                }
            }
        }
        deserializer.deserialize_any(RgbVisitor)
    }
}

impl JsonSchema for Rgb {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Rgb".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A colour: \"#rrggbb\" or [red, green, blue] with channels 0 … 1.",
            "anyOf": [
                { "type": "string", "pattern": "^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$" },
                { "type": "array", "items": { "type": "number", "minimum": 0, "maximum": 1 },
                  "minItems": 3, "maxItems": 3 }
            ]
        })
    }
}

/// A map from 0 … 1 to colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ColorMap {
    /// Violet, blue, green, yellow; evenly growing lightness.
    #[default]
    Lake,
    /// Black, red, orange, pale yellow; evenly growing lightness.
    Heat,
    /// Blue, pale grey, red; for values of both signs.
    Diverging,
    /// Dark to light grey.
    Grey,
    /// Blue, cyan, green, yellow, red; for eyes used to it.
    Rainbow,
}

impl ColorMap {
    /// Places of the map in Oklab (`ottosson2020`): lightness, green–red, blue–yellow, evenly spaced.
    fn anchors(self) -> &'static [[f32; 3]] {
        match self {
            Self::Lake => &[
                [0.30, 0.075, -0.115],
                [0.41, 0.020, -0.125],
                [0.52, -0.045, -0.085],
                [0.63, -0.100, -0.015],
                [0.74, -0.130, 0.070],
                [0.84, -0.100, 0.150],
                [0.93, -0.030, 0.175],
            ],
            Self::Heat => &[
                [0.20, 0.010, -0.020],
                [0.34, 0.110, 0.010],
                [0.48, 0.165, 0.070],
                [0.62, 0.150, 0.120],
                [0.75, 0.080, 0.145],
                [0.86, 0.010, 0.145],
                [0.96, -0.020, 0.060],
            ],
            Self::Diverging => &[
                [0.40, -0.015, -0.145],
                [0.60, -0.030, -0.110],
                [0.80, -0.015, -0.050],
                [0.93, 0.000, 0.005],
                [0.80, 0.060, 0.040],
                [0.62, 0.140, 0.075],
                [0.44, 0.160, 0.080],
            ],
            Self::Grey => &[[0.25, 0.0, 0.0], [0.95, 0.0, 0.0]],
            Self::Rainbow => &[
                [0.42, 0.010, -0.190],
                [0.62, -0.050, -0.140],
                [0.78, -0.120, -0.020],
                [0.80, -0.150, 0.120],
                [0.88, -0.040, 0.170],
                [0.72, 0.090, 0.140],
                [0.55, 0.190, 0.100],
            ],
        }
    }

    /// Linear light of the colour at `x`, clipped to 0 … 1; not-a-number is mid-grey.
    pub fn linear(self, x: f32) -> Vec3 {
        if x.is_nan() {
            return Vec3::splat(0.2);
        }
        let anchors = self.anchors();
        let place = x.clamp(0.0, 1.0) * (anchors.len() - 1) as f32;
        let index = (place as usize).min(anchors.len() - 2);
        let [low, high] = [index, index + 1].map(|i| Vec3::from(anchors[i]));
        linear_from_oklab(low.lerp(high, place - index as f32)).clamp(Vec3::ZERO, Vec3::ONE)
    }
}

fn linear_from_oklab(lab: Vec3) -> Vec3 {
    let root = Vec3::new(
        lab.x + 0.396_337_78 * lab.y + 0.215_803_76 * lab.z,
        lab.x - 0.105_561_346 * lab.y - 0.063_854_17 * lab.z,
        lab.x - 0.089_484_18 * lab.y - 1.291_485_5 * lab.z,
    );
    let cone = root * root * root;
    Vec3::new(
        4.076_741_7 * cone.x - 3.307_711_6 * cone.y + 0.230_969_94 * cone.z,
        -1.268_438 * cone.x + 2.609_757_4 * cone.y - 0.341_319_38 * cone.z,
        -0.004_196_086_3 * cone.x - 0.703_418_6 * cone.y + 1.707_614_7 * cone.z,
    )
}

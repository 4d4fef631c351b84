//! The render description: what a picture shows and how, as a table in TOML or JSON.

use huygens_record::recording::Stage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::color::{ColorMap, Rgb};
use crate::error::RenderError;

/// Most pixels in a picture.
const PIXEL_LIMIT: u64 = 1 << 25;

/// How a moment of a recording is shown.
///
/// ```toml
/// size = [1280, 720]
/// hide = ["wall_*"]
/// [camera]
/// azimuth_deg = -60
/// [color_by]
/// group = "bodies"
/// field = "speed"
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct View {
    /// Width and height [px].
    pub size: [u32; 2],
    /// Rays through each pixel; more is smoother and slower.
    pub samples: u32,
    /// Whether to smooth the noise of soft light, keeping edges.
    pub smooth: bool,
    /// Brightness of the whole picture.
    pub exposure: f32,
    /// Camera.
    pub camera: CameraView,
    /// Sky: background and light from all around.
    pub sky: SkyView,
    /// Sun.
    pub sun: SunView,
    /// Ground.
    pub ground: GroundView,
    /// Colours that show a field.
    pub color_by: Option<ColorBy>,
    /// Names of groups or items, with `*` for any text, that are not drawn.
    pub hide: Vec<String>,
    /// Names of groups or items, with `*` for any text, that alone are drawn; all where empty.
    pub show: Vec<String>,
    /// Names of groups of particles, with `*` for any text, that are drawn as the surface of a fluid.
    pub surfaces: Vec<String>,
    /// Looks that replace those of the recording, later ones over earlier ones.
    pub looks: Vec<LookRule>,
    /// Forces, joints and boxes drawn over the picture.
    pub marks: MarksView,
    /// Plane that cuts things open.
    pub clip: Option<ClipView>,
    /// Blur of what is not at the distance of focus.
    pub depth_of_field: Option<DepthOfField>,
    /// Whether a picture coloured by a field has a legend.
    pub legend: bool,
    /// Whether the time is written into the picture.
    pub time: bool,
    /// Whether a bar shows a length at the distance of the camera's target.
    pub scale_bar: bool,
    /// A line of text in the picture.
    pub title: String,
    /// What is written for each moment.
    pub passes: Vec<Pass>,
}

impl Default for View {
    fn default() -> Self {
        Self {
            size: [1280, 720],
            samples: 8,
            smooth: true,
            exposure: 1.0,
            camera: CameraView::default(),
            sky: SkyView::default(),
            sun: SunView::default(),
            ground: GroundView::default(),
            color_by: None,
            hide: Vec::new(),
            show: Vec::new(),
            surfaces: Vec::new(),
            looks: Vec::new(),
            marks: MarksView::default(),
            clip: None,
            depth_of_field: None,
            legend: true,
            time: false,
            scale_bar: false,
            title: String::new(),
            passes: vec![Pass::Beauty],
        }
    }
}

/// Where the camera stands; what is not given is chosen so that the moving things fill the picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CameraView {
    /// Place of the eye [m].
    pub position: Option<[f64; 3]>,
    /// Point in the middle of the picture [m].
    pub target: Option<[f64; 3]>,
    /// Direction that is up in the picture; that of the recording if not given.
    pub up: Option<[f64; 3]>,
    /// Height of the field of view [deg].
    pub fov_deg: f64,
    /// Name of a body that stays in the middle of the picture.
    pub follow: Option<String>,
    /// Direction of an eye without a `position` seen from the target, about the up axis [deg].
    pub azimuth_deg: f64,
    /// Height of an eye without a `position` above the horizon of the target [deg].
    pub elevation_deg: f64,
    /// 2 stands at half the distance that was chosen.
    pub zoom: f64,
    /// Turn about the target [deg/s].
    pub orbit_deg_per_s: f64,
    /// Values at some times; smooth in between.
    pub path: Vec<Keyframe>,
}

impl Default for CameraView {
    fn default() -> Self {
        Self {
            position: None,
            target: None,
            up: None,
            fov_deg: 30.0,
            follow: None,
            azimuth_deg: -60.0,
            elevation_deg: 22.0,
            zoom: 1.0,
            orbit_deg_per_s: 0.0,
            path: Vec::new(),
        }
    }
}

/// The camera at one time; what is not given follows from the other keyframes, or from the camera itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Keyframe {
    /// Time [s].
    pub time: f64,
    /// Place of the eye [m].
    #[serde(default)]
    pub position: Option<[f64; 3]>,
    /// Point in the middle of the picture [m].
    #[serde(default)]
    pub target: Option<[f64; 3]>,
    /// Height of the field of view [deg].
    #[serde(default)]
    pub fov_deg: Option<f64>,
    /// See [`CameraView::azimuth_deg`].
    #[serde(default)]
    pub azimuth_deg: Option<f64>,
    /// See [`CameraView::elevation_deg`].
    #[serde(default)]
    pub elevation_deg: Option<f64>,
    /// See [`CameraView::zoom`].
    #[serde(default)]
    pub zoom: Option<f64>,
}

/// A sky that changes from the horizon to the zenith.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SkyView {
    /// Colour overhead.
    pub zenith: Rgb,
    /// Colour at the horizon.
    pub horizon: Rgb,
    /// Strength of its light; 0 for none.
    pub light: f32,
    /// Even background that the camera sees in place of the sky; the light stays.
    pub background: Option<Rgb>,
    /// How far away things still take sky light from a point [m]; half the size of what is shown if not given.
    pub reach: Option<f64>,
}

impl Default for SkyView {
    fn default() -> Self {
        Self {
            zenith: Rgb::hex(0x9bb9d8),
            horizon: Rgb::hex(0xf1f4f7),
            light: 0.62,
            background: None,
            reach: None,
        }
    }
}

/// The light that casts shadows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SunView {
    /// Direction towards the sun; behind the camera and to its left if not given.
    pub direction: Option<[f64; 3]>,
    /// Radius of its disc as seen from the scene [deg]; larger makes softer shadows.
    pub softness_deg: f64,
    /// Colour of its light.
    pub color: Rgb,
    /// Strength of its light; 0 for none.
    pub light: f32,
}

impl Default for SunView {
    fn default() -> Self {
        Self { direction: None, softness_deg: 2.5, color: Rgb::hex(0xfff4e4), light: 1.15 }
    }
}

/// How half-spaces that face up are drawn. Others, such as the walls of a container, would hide everything and are
/// not drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GroundView {
    /// `false` hides it; `true` puts one below everything where the recording has none.
    pub show: Option<bool>,
    /// Colour in place of that of its material.
    pub color: Option<Rgb>,
    /// Pattern on it.
    pub pattern: GroundPattern,
    /// Distance between lines of the pattern [m]; a round length if not given.
    pub spacing: Option<f64>,
    /// Distance, in sizes of what is shown, at which it has turned into the colour of the horizon.
    pub fade: f64,
}

impl Default for GroundView {
    fn default() -> Self {
        Self { show: None, color: None, pattern: GroundPattern::default(), spacing: None, fade: 12.0 }
    }
}

/// Pattern on the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GroundPattern {
    /// Plain.
    Plain,
    /// Thin lines.
    #[default]
    Grid,
    /// Squares of two shades.
    Checker,
}

/// Colours that show a field of a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ColorBy {
    /// Name of the group; every group that has the field if not given.
    #[serde(default)]
    pub group: Option<String>,
    /// Name of the field; `speed` is the length of `velocity`.
    pub field: String,
    /// What of a field with several numbers an item.
    #[serde(default)]
    pub component: Component,
    /// Values at the ends of the map; those of the picture, or the whole film, if not given.
    #[serde(default)]
    pub range: Option<[f64; 2]>,
    /// Colours.
    #[serde(default)]
    pub map: ColorMap,
    /// Name on the legend; that of the field if not given.
    #[serde(default)]
    pub label: Option<String>,
}

/// What of a field with several numbers an item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Component {
    /// Length of the vector; the value itself of a single number.
    #[default]
    Magnitude,
    /// First number.
    X,
    /// Second number.
    Y,
    /// Third number.
    Z,
    /// Fourth number.
    W,
}

/// A look for everything whose name, group or material fits a pattern.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LookRule {
    /// Name of an item, a group or a look of the recording, with `*` for any text.
    pub name: String,
    /// Colour.
    #[serde(default)]
    pub color: Option<Rgb>,
    /// 0 mirrors, 1 is dull.
    #[serde(default)]
    pub roughness: Option<f32>,
    /// Whether it looks like a metal.
    #[serde(default)]
    pub metal: Option<bool>,
    /// 0 is clear, 1 is solid.
    #[serde(default)]
    pub opacity: Option<f32>,
}

/// What is drawn over the things; where they hide it, it shines through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MarksView {
    /// Contact forces.
    pub contacts: ContactMarks,
    /// Length of the arrow of a force [m/N]; the largest force is a tenth of the size of the scene if not given.
    pub force_scale: Option<f64>,
    /// Whether both frames of every joint are drawn: x red, y green, z blue.
    pub joints: bool,
    /// Whether every shape has its bounding box.
    pub bounds: bool,
}

/// How contact forces are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContactMarks {
    /// Not at all.
    #[default]
    None,
    /// An arrow at each contact: the force on the second of the two.
    Arrows,
    /// A rod from centre to centre of the two, the thicker and brighter the larger the force.
    Chains,
}

/// A plane: what lies on the side its normal points to is cut away. Grounds stay whole.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClipView {
    /// A point of the plane [m].
    pub point: [f64; 3],
    /// Direction towards what is cut away.
    pub normal: [f64; 3],
}

/// A lens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DepthOfField {
    /// Distance of what is sharp [m]; that of the thing in the middle of the picture if not given.
    #[serde(default)]
    pub distance: Option<f64>,
    /// Diameter of the lens [m].
    pub aperture: f64,
}

/// A kind of picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pass {
    /// The picture itself.
    Beauty,
    /// Distance from the camera plane: white at the nearest, black at the farthest thing and beyond. Beside the
    /// picture stands a NumPy file with the distance of every pixel [m].
    Depth,
    /// Surface normals in world axes, −1 … 1 as 0 … 255.
    Normal,
    /// One plus the number of the item, counted through all groups, as red + 256 green + 65536 blue; 0 for nothing.
    Id,
}

impl Pass {
    /// Name, as in a render description.
    pub fn name(self) -> &'static str {
        match self {
            Self::Beauty => "beauty",
            Self::Depth => "depth",
            Self::Normal => "normal",
            Self::Id => "id",
        }
    }
}

impl View {
    /// What a recording asks for; the usual picture with its name where it asks for nothing.
    pub fn of_stage(stage: &Stage) -> Result<Self, RenderError> {
        match &stage.view {
            Some(value) => Self::from_value(value),
            None => Ok(Self { title: stage.name.clone(), ..Self::default() }),
        }
    }

    /// Reads a description in TOML.
    pub fn from_toml(text: &str) -> Result<Self, RenderError> {
        let view: Self = toml::from_str(text)
            .map_err(|e| RenderError::Description { reason: e.to_string().trim().to_owned() })?;
        view.check()?;
        Ok(view)
    }

    /// Reads a description in JSON.
    pub fn from_json(text: &str) -> Result<Self, RenderError> {
        let view: Self =
            serde_json::from_str(text).map_err(|e| RenderError::Description { reason: e.to_string() })?;
        view.check()?;
        Ok(view)
    }

    /// Reads a description from a JSON value, such as [`huygens_record::recording::Stage::view`].
    pub fn from_value(value: &serde_json::Value) -> Result<Self, RenderError> {
        let view =
            Self::deserialize(value).map_err(|e| RenderError::Description { reason: e.to_string() })?;
        view.check()?;
        Ok(view)
    }

    /// Whether every value makes sense.
    pub fn check(&self) -> Result<(), RenderError> {
        let pixels = u64::from(self.size[0]) * u64::from(self.size[1]);
        if pixels == 0 || pixels > PIXEL_LIMIT || self.size.iter().any(|side| *side > 16_384) {
            let expected = "[width, height] from 1 to 16384 pixels a side and at most 2²⁵ pixels in all";
            return Err(RenderError::value("size", format!("{:?}", self.size), expected));
        }
        if !(1..=4096).contains(&self.samples) {
            return Err(RenderError::value("samples", self.samples, "a number from 1 to 4096"));
        }
        if self.passes.is_empty() {
            return Err(RenderError::value("passes", "empty", "some of beauty, depth, normal, id"));
        }
        within("exposure", f64::from(self.exposure), 0.0, 1e3)?;
        within("sky.light", f64::from(self.sky.light), 0.0, 1e3)?;
        within("sun.light", f64::from(self.sun.light), 0.0, 1e3)?;
        within("sun.softness_deg", self.sun.softness_deg, 0.0, 45.0)?;
        within("ground.fade", self.ground.fade, 0.1, 1e9)?;
        positive("sky.reach", self.sky.reach)?;
        positive("ground.spacing", self.ground.spacing)?;
        direction("sun.direction", self.sun.direction)?;
        self.camera.check()?;
        for (index, rule) in self.looks.iter().enumerate() {
            for (value, name) in [(rule.roughness, "roughness"), (rule.opacity, "opacity")] {
                within(&format!("looks[{index}].{name}"), f64::from(value.unwrap_or(0.0)), 0.0, 1.0)?;
            }
        }
        positive("marks.force_scale", self.marks.force_scale)?;
        if let Some(clip) = &self.clip {
            point("clip.point", Some(clip.point))?;
            direction("clip.normal", Some(clip.normal))?;
        }
        if let Some(lens) = &self.depth_of_field {
            positive("depth_of_field.distance", lens.distance)?;
            positive("depth_of_field.aperture", Some(lens.aperture))?;
        }
        match self.color_by.as_ref().and_then(|c| c.range) {
            Some([low, high]) if !(low < high && (high - low).is_finite()) => Err(RenderError::value(
                "color_by.range",
                format!("[{low}, {high}]"),
                "[low, high] with low below high",
            )),
            _ => Ok(()),
        }
    }
}

impl CameraView {
    fn check(&self) -> Result<(), RenderError> {
        within("camera.fov_deg", self.fov_deg, 0.1, 170.0)?;
        within("camera.zoom", self.zoom, 1e-3, 1e3)?;
        within("camera.azimuth_deg", self.azimuth_deg, -1e6, 1e6)?;
        within("camera.elevation_deg", self.elevation_deg, -89.9, 89.9)?;
        within("camera.orbit_deg_per_s", self.orbit_deg_per_s, -1e9, 1e9)?;
        point("camera.position", self.position)?;
        point("camera.target", self.target)?;
        direction("camera.up", self.up)?;
        let mut last = f64::NEG_INFINITY;
        for (index, key) in self.path.iter().enumerate() {
            let name = |field: &str| format!("camera.path[{index}].{field}");
            if !(key.time > last && key.time.is_finite()) {
                return Err(RenderError::value(&name("time"), key.time, format!("a time after {last} s")));
            }
            last = key.time;
            point(&name("position"), key.position)?;
            point(&name("target"), key.target)?;
            within(&name("fov_deg"), key.fov_deg.unwrap_or(30.0), 0.1, 170.0)?;
            within(&name("azimuth_deg"), key.azimuth_deg.unwrap_or(0.0), -1e6, 1e6)?;
            within(&name("elevation_deg"), key.elevation_deg.unwrap_or(0.0), -89.9, 89.9)?;
            within(&name("zoom"), key.zoom.unwrap_or(1.0), 1e-3, 1e3)?;
        }
        Ok(())
    }
}

fn within(key: &str, value: f64, low: f64, high: f64) -> Result<(), RenderError> {
    match (low..=high).contains(&value) {
        true => Ok(()),
        false => Err(RenderError::value(key, value, format!("a number from {low} to {high}"))),
    }
}

fn positive(key: &str, value: Option<f64>) -> Result<(), RenderError> {
    match value {
        Some(value) if !(value > 0.0 && value.is_finite()) => {
            Err(RenderError::value(key, value, "a length above 0"))
        }
        _ => Ok(()),
    }
}

fn point(key: &str, value: Option<[f64; 3]>) -> Result<(), RenderError> {
    match value {
        Some(p) if p.iter().any(|c| !c.is_finite()) => {
            Err(RenderError::value(key, format!("{p:?}"), "[x, y, z] in metres"))
        }
        _ => Ok(()),
    }
}

fn direction(key: &str, value: Option<[f64; 3]>) -> Result<(), RenderError> {
    match value {
        Some(d) if !(d.iter().all(|c| c.is_finite()) && d.iter().any(|c| c.abs() > 1e-12)) => {
            Err(RenderError::value(key, format!("{d:?}"), "a direction [x, y, z] that is not zero"))
        }
        _ => Ok(()),
    }
}

/// Whether a name fits a pattern in which `*` stands for any text.
pub(crate) fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.len() >= last.len() && rest.ends_with(last)
}

//! Pictures and films of a recording, and files for other programs ([`export`]).
//!
//! A CPU ray tracer turns a [`Stage`](huygens_record::recording::Stage), a
//! [`Frame`](huygens_record::recording::Frame) and a description ([`View`]) into an [`Image`]: analytic shapes, soft
//! shadows, sky light, legends. Pixels do not depend on the number of threads.
//!
//! ```
//! use huygens_exec::Exec;
//! use huygens_record::recording::{Field, Frame, Group, GroupFrame, GroupKind, Stage};
//! use huygens_render::{Renderer, View};
//!
//! // Two balls; the stage and the frames of a run come from `huygens_record::Recording`.
//! let field = |name: &str, components| Field { name: name.into(), unit: "m".into(), components };
//! let balls = Group {
//!     name: "balls".into(),
//!     kind: GroupKind::Particles,
//!     names: Vec::new(),
//!     fields: vec![field("position", 3)],
//!     constants: vec![field("radius", 1)],
//!     constant_values: vec![vec![0.5, 0.3]],
//! };
//! let stage = Stage { up: [0.0, 0.0, 1.0], groups: vec![balls], ..Stage::default() };
//! let positions = vec![0.0, 0.0, 0.5, 1.0, 0.0, 0.3];
//! let frame = Frame { groups: vec![GroupFrame { count: 2, fields: vec![positions] }], ..Frame::default() };
//!
//! let view = View::from_toml("size = [64, 48]\nsamples = 1\ncamera = { azimuth_deg = -60 }")?;
//! let renderer = Renderer::new(&stage, &[&frame], &view)?;
//! let image = renderer.render(&Exec::serial(), &frame)?.into_image()?;
//! assert_eq!((image.width, image.height), (64, 48));
//! # Ok::<(), huygens_render::RenderError>(())
//! ```

mod camera;
mod color;
mod error;
pub mod export;
mod fields;
mod film;
mod filter;
mod fluid_surface;
mod gif_file;
mod image;
mod light;
mod looks;
mod marks;
mod mp4_file;
mod overlay;
mod picture;
mod sampler;
mod scene;
mod shapes;
mod solid;
mod surface;
mod tree;
mod view;

pub use camera::{Camera, Framing};
pub use color::{ColorMap, Rgb};
pub use error::RenderError;
pub use film::{Film, FilmFormat, FilmProgress, FrameSource, Moments, frame_at_time};
pub use image::{Depths, Image};
pub use picture::{Picture, Renderer, write_glance};
pub use scene::{Scene, SceneHit};
pub use view::{
    CameraView, ClipView, ColorBy, Component, ContactMarks, DepthOfField, GroundPattern, GroundView,
    Keyframe, LookRule, MarksView, Pass, SkyView, SunView, View,
};

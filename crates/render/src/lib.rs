//! Pictures and films of a recording, and files for other programs ([`export`]).
//!
//! A CPU ray tracer turns a [`Stage`](huygens_record::recording::Stage), a
//! [`Frame`](huygens_record::recording::Frame) and a description ([`View`]) into an [`Image`]: analytic shapes, soft
//! shadows, sky light, legends. Pixels do not depend on the number of threads.

mod camera;
mod color;
mod error;
pub mod export;
mod fields;
mod film;
mod filter;
mod gif_file;
mod image;
mod light;
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
pub use image::Image;
pub use picture::{Picture, Renderer};
pub use scene::{Scene, SceneHit};
pub use view::{
    CameraView, ColorBy, Component, DepthOfField, GroundPattern, GroundView, Keyframe, LookRule, Pass,
    SkyView, SunView, View,
};

//! From a frame to pixels.

use std::path::Path;
use std::sync::Arc;

use glam::{DVec3, Vec3};
use huygens_exec::Exec;
use huygens_record::recording::{Frame, Stage};

use crate::camera::{Camera, Framing, sun_direction};
use crate::color::srgb_from_linear;
use crate::error::RenderError;
use crate::fields::Coloring;
use crate::filter::{Pixel, smooth};
use crate::image::{Depths, Image};
use crate::light::{Light, Sample};
use crate::marks::{Forces, Marks};
use crate::overlay;
use crate::sampler::{Sampler, disc};
use crate::scene::{Scene, mesh_surfaces};
use crate::surface::Surface;
use crate::tree::{Ray, Stack};
use crate::view::{Pass, View};

/// Most pixels along the sides, and rays per pixel, of a picture that must not keep anyone waiting.
const GLANCE: ([u32; 2], u32) = ([960, 540], 4);
/// Rows of pixels that one thread takes at a time.
const ROWS: usize = 4;

/// Pictures of one moment, one a pass of the description.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// The passes, in the order of the description.
    pub images: Vec<(Pass, Image)>,
    /// Distances, where the description has that pass.
    pub depths: Option<Depths>,
    /// Time of the moment [s].
    pub time: f64,
}

impl Picture {
    /// Makes the first picture of a description; pixels do not depend on `exec`.
    pub fn render(exec: &Exec, stage: &Stage, frame: &Frame, view: &View) -> Result<Image, RenderError> {
        Self::passes(exec, stage, frame, view)?.into_image()
    }

    /// Makes all passes of a description.
    pub fn passes(exec: &Exec, stage: &Stage, frame: &Frame, view: &View) -> Result<Self, RenderError> {
        Renderer::new(stage, &[frame], view)?.render(exec, frame)
    }

    /// The first pass.
    pub fn into_image(self) -> Result<Image, RenderError> {
        self.images.into_iter().next().map(|(_, image)| image).ok_or(RenderError::NoFrames)
    }
}

/// Writes a PNG picture as the stage asks for it, but small and quick: what a run leaves of its last moment.
///
/// All cores are used: pixels do not depend on them.
pub fn write_glance(stage: &Stage, frame: &Frame, path: &Path) -> Result<(), RenderError> {
    let exec = Exec::with_threads(0).unwrap_or_default();
    let mut view = View::of_stage(stage)?;
    let [width, height] = [0, 1].map(|i| f64::from(GLANCE.0[i]) / f64::from(view.size[i]));
    let shrink = width.min(height).min(1.0);
    view.size = view.size.map(|side| ((shrink * f64::from(side)).round() as u32).max(1));
    view.samples = view.samples.min(GLANCE.1);
    view.passes = vec![Pass::Beauty];
    Picture::render(&exec, stage, frame, &view)?.write_png(path)
}

/// Makes pictures of many moments with one camera, one range of colours and one sun.
pub struct Renderer<'a> {
    stage: &'a Stage,
    view: View,
    framing: Framing,
    coloring: Option<Coloring>,
    forces: Option<Forces>,
    meshes: Vec<Arc<Surface>>,
}

impl<'a> Renderer<'a> {
    /// Prepares pictures; a few frames spread over the film settle what the camera must hold and the range of values.
    pub fn new(stage: &'a Stage, frames: &[&Frame], view: &View) -> Result<Self, RenderError> {
        view.check()?;
        if frames.is_empty() {
            return Err(RenderError::NoFrames);
        }
        let framing = Framing::of(stage, frames, view)?;
        let coloring = view.color_by.as_ref().map(|c| Coloring::new(stage, frames, c)).transpose()?;
        let forces = Forces::of(stage, frames, view, &framing);
        Ok(Self { stage, view: view.clone(), framing, coloring, forces, meshes: mesh_surfaces(stage)? })
    }

    /// The description.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// The same pictures in another size and quality.
    pub(crate) fn sketch(&self, size: [u32; 2], samples: u32) -> Self {
        let view = View { size, samples, ..self.view.clone() };
        let (framing, coloring) = (self.framing.clone(), self.coloring.clone());
        let (forces, meshes) = (self.forces, self.meshes.clone());
        Self { stage: self.stage, view, framing, coloring, forces, meshes }
    }

    /// The camera at the time of a frame.
    pub fn camera(&self, frame: &Frame) -> Result<Camera, RenderError> {
        self.framing.camera(self.stage, frame, &self.view)
    }

    /// Makes all passes of one moment.
    pub fn render(&self, exec: &Exec, frame: &Frame) -> Result<Picture, RenderError> {
        let camera = self.camera(frame)?;
        let scene = Scene::assemble(
            exec,
            self.stage,
            frame,
            &self.view,
            &self.framing,
            self.coloring.as_ref(),
            &self.meshes,
        )?;
        let lens = Lens::new(&camera, &scene, &self.view);
        let mut images = Vec::with_capacity(self.view.passes.len());
        let mut depths = None;
        for pass in &self.view.passes {
            let image = match pass {
                Pass::Beauty => {
                    let mut image = self.beauty(exec, &scene, &self.marks(exec, frame)?, &lens);
                    let keys = overlay::Keys { coloring: self.coloring.as_ref(), forces: self.forces };
                    overlay::draw(&mut image, &self.view, &camera, &keys, frame.time);
                    image
                }
                Pass::Depth => {
                    let found = seen(exec, &scene, &lens);
                    let metres = found.iter().map(|seen| seen.depth).collect();
                    let image = plain_pass(&found, &lens, *pass);
                    depths = Some(Depths { width: image.width, height: image.height, metres });
                    image
                }
                Pass::Normal | Pass::Id => plain_pass(&seen(exec, &scene, &lens), &lens, *pass),
            };
            images.push((*pass, image));
        }
        Ok(Picture { images, depths, time: frame.time })
    }

    fn marks(&self, exec: &Exec, frame: &Frame) -> Result<Marks, RenderError> {
        let Self { stage, view, framing, forces, meshes, .. } = self;
        Marks::of(exec, stage, frame, view, framing, *forces, meshes)
    }

    fn beauty(&self, exec: &Exec, scene: &Scene, marks: &Marks, lens: &Lens) -> Image {
        let view = &self.view;
        let sun = view.sun.direction.map(DVec3::from_array);
        let sun = sun.unwrap_or_else(|| sun_direction(&self.framing, &view.camera));
        let radius = self.framing.radius;
        let spacing = view.ground.spacing.unwrap_or_else(|| overlay::round_length(0.25 * radius));
        let light = Light::new(view, sun, self.framing.up, radius, spacing, f64::from(lens.pixel));
        let width = lens.width;
        let mut pixels = vec![Pixel::default(); width * lens.height];
        exec.for_each_chunk(&mut pixels, ROWS * width, |chunk, pixels| {
            let mut stack = Stack::with_capacity(128);
            for (offset, pixel) in pixels.iter_mut().enumerate() {
                let index = chunk * ROWS * width + offset;
                let samples = (0..view.samples).map(|sample| {
                    let mut sampler = Sampler::new(index as u32, sample);
                    let ray = lens.sampled_ray(index, &mut sampler);
                    light.trace(scene, marks, ray, &mut sampler, &mut stack)
                });
                *pixel = gather(samples, lens);
            }
        });
        if view.smooth {
            smooth(exec, &mut pixels, width);
        }
        let mut image = Image::filled(width as u32, lens.height as u32, [0, 0, 0, 255]);
        let exposure = view.exposure;
        exec.for_each_chunk(&mut image.pixels, 4 * ROWS * width, |chunk, bytes| {
            for (offset, bytes) in bytes.chunks_exact_mut(4).enumerate() {
                let index = chunk * ROWS * width + offset;
                bytes[..3].copy_from_slice(&developed(pixels[index].color() * exposure, index));
            }
        });
        image
    }
}

/// The camera in scene coordinates.
struct Lens {
    eye: Vec3,
    right: Vec3,
    up: Vec3,
    forward: Vec3,
    width: usize,
    height: usize,
    /// Width of a pixel at unit distance.
    pixel: f32,
    /// Radius of the opening and distance of focus.
    blur: Option<(f32, f32)>,
}

impl Lens {
    fn new(camera: &Camera, scene: &Scene, view: &View) -> Self {
        let [width, height] = view.size.map(|side| side as usize);
        let middle = || scene.hit(camera.eye, camera.forward).map(|hit| hit.distance);
        let blur = view.depth_of_field.map(|lens| {
            let distance = lens.distance.or_else(middle).unwrap_or(camera.distance);
            (0.5 * lens.aperture as f32, distance as f32)
        });
        Self {
            eye: (camera.eye - scene.origin).as_vec3(),
            right: camera.right.as_vec3(),
            up: camera.up.as_vec3(),
            forward: camera.forward.as_vec3(),
            width,
            height,
            pixel: (2.0 * camera.tan_half / height as f64) as f32,
            blur,
        }
    }

    /// The ray through a point of the picture [px].
    fn ray(&self, x: f32, y: f32) -> Ray {
        Ray::new(self.eye, self.through(x, y).normalize())
    }

    /// A point of the picture, at unit distance along the axis.
    fn through(&self, x: f32, y: f32) -> Vec3 {
        let across = (x - 0.5 * self.width as f32) * self.pixel;
        let along = (0.5 * self.height as f32 - y) * self.pixel;
        self.forward + across * self.right + along * self.up
    }

    fn sampled_ray(&self, index: usize, sampler: &mut Sampler) -> Ray {
        let jitter = sampler.pair();
        // A tent one and a half pixels wide: smoother edges than a box.
        let spread = |u: f32| match u < 0.5 {
            true => 0.75 * ((2.0 * u).sqrt() - 1.0),
            false => 0.75 * (1.0 - (2.0 - 2.0 * u).sqrt()),
        };
        let (column, row) = (index % self.width, index / self.width);
        let x = column as f32 + 0.5 + spread(jitter.x);
        let y = row as f32 + 0.5 + spread(jitter.y);
        let Some((radius, focus)) = self.blur else { return self.ray(x, y) };
        let spot = radius * disc(sampler.pair());
        let shift = spot.x * self.right + spot.y * self.up;
        Ray::new(self.eye + shift, (focus * self.through(x, y) - shift).normalize())
    }
}

/// Averages the samples of one pixel.
fn gather(samples: impl ExactSizeIterator<Item = Sample>, lens: &Lens) -> Pixel {
    let mut pixel = Pixel::default();
    let mut lit = Vec3::ZERO;
    let mut glossed = Vec3::ZERO;
    let mut plain = Vec3::ZERO;
    let mut open = 0.0;
    let (mut surfaces, mut level, mut squares) = (0.0_f32, 0.0_f32, 0.0_f32);
    let count = samples.len() as f32;
    for seen in samples {
        pixel.rest += seen.rest;
        if !seen.surface {
            continue;
        }
        surfaces += 1.0;
        pixel.albedo += seen.albedo;
        pixel.gloss += seen.gloss;
        pixel.normal += seen.normal;
        pixel.point += seen.point;
        lit += seen.albedo * seen.light;
        glossed += seen.gloss * seen.open;
        plain += seen.light;
        open += seen.open;
        let brightness = seen.light.dot(Vec3::new(0.3, 0.6, 0.1));
        level += brightness;
        squares += brightness * brightness;
    }
    let all = 1.0 / count;
    pixel.rest *= all;
    if surfaces == 0.0 {
        return pixel;
    }
    let part = 1.0 / surfaces;
    let spread = pixel.normal.length() * part;
    pixel.normal = pixel.normal.normalize_or_zero();
    pixel.point *= part;
    // One sample says nothing about noise: take as much as there is light.
    pixel.variance = match surfaces > 1.0 {
        true => (squares * part - (level * part).powi(2)).max(0.0) / (surfaces - 1.0),
        false => squares,
    };
    pixel.even = surfaces == count && spread > 0.97;
    pixel.width = lens.pixel * (pixel.point - lens.eye).length();
    if pixel.even {
        pixel.albedo *= all;
        pixel.gloss *= all;
        pixel.light = (plain * part).extend(open * part);
    } else {
        // Edges are kept as they are: nothing is left for the filter.
        pixel.albedo = Vec3::ZERO;
        pixel.gloss = Vec3::ZERO;
        pixel.rest += (lit + glossed) * all;
    }
    pixel
}

/// Film and dither: linear light to bytes.
fn developed(light: Vec3, index: usize) -> [u8; 3] {
    // Half a step of fixed noise hides bands in smooth skies.
    let noise = f32::from((crate::sampler::mix(index as u32) >> 16) as u16) / 65_536.0;
    light.to_array().map(|c| (srgb_from_linear(shoulder(c.max(0.0))) * 255.0 + noise) as u8)
}

/// Keeps tones up to a knee and bends brighter ones so that nothing burns out.
fn shoulder(x: f32) -> f32 {
    const KNEE: f32 = 0.6;
    if x <= KNEE {
        return x;
    }
    let over = (x - KNEE) / (1.0 - KNEE);
    KNEE + (1.0 - KNEE) * (over / (1.0 + over * over).sqrt())
}

/// What is seen through the middle of a pixel.
#[derive(Clone, Copy)]
struct Seen {
    /// Distance from the camera plane.
    depth: f32,
    normal: Vec3,
    id: u32,
}

/// One ray through the middle of each pixel.
fn seen(exec: &Exec, scene: &Scene, lens: &Lens) -> Vec<Seen> {
    let width = lens.width;
    let nothing = Seen { depth: f32::INFINITY, normal: Vec3::ZERO, id: 0 };
    let mut seen = vec![nothing; width * lens.height];
    exec.for_each_chunk(&mut seen, ROWS * width, |chunk, seen| {
        let mut stack = Stack::with_capacity(128);
        for (offset, seen) in seen.iter_mut().enumerate() {
            let index = chunk * ROWS * width + offset;
            let ray = lens.ray((index % width) as f32 + 0.5, (index / width) as f32 + 0.5);
            if let Some(hit) = scene.nearest(&ray, f32::INFINITY, &mut stack) {
                let touch = scene.touch(&ray, &hit);
                let depth = (touch.point - lens.eye).dot(lens.forward);
                *seen = Seen { depth, normal: touch.normal, id: touch.id };
            }
        }
    });
    seen
}

/// A picture of distances, normals or numbers of items.
fn plain_pass(seen: &[Seen], lens: &Lens, pass: Pass) -> Image {
    // Grounds reach the horizon: the farthest item sets the scale.
    let depths = || seen.iter().filter(|s| s.id != 0 && s.depth.is_finite()).map(|s| s.depth);
    let (near, far) = (depths().fold(f32::INFINITY, f32::min), depths().fold(0.0, f32::max));
    let mut image = Image::filled(lens.width as u32, lens.height as u32, [0, 0, 0, 255]);
    for (bytes, Seen { depth, normal, id }) in image.pixels.chunks_exact_mut(4).zip(seen) {
        let color = match pass {
            Pass::Depth if depth.is_finite() => {
                let level = 1.0 - (depth - near) / (far - near).max(f32::MIN_POSITIVE);
                [(level.clamp(0.0, 1.0) * 255.0).round() as u8; 3]
            }
            Pass::Normal if *normal != Vec3::ZERO => normal.to_array().map(|c| (127.5 * c + 128.0) as u8),
            Pass::Id => [*id as u8, (*id >> 8) as u8, (*id >> 16) as u8],
            _ => [0; 3],
        };
        bytes[..3].copy_from_slice(&color);
    }
    image
}

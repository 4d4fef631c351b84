//! Light: the sun, the sky, and what surfaces make of them.

use glam::{DVec3, Vec3};

use crate::looks::Finish;
use crate::marks::Marks;
use crate::sampler::{Sampler, cosine_direction, disc};
use crate::scene::{Scene, Touch};
use crate::tree::{Ray, Stack};
use crate::view::{GroundPattern, View};

/// Part of the sky's light that reaches a point through many reflections where the direct way is barred.
const BOUNCE: f32 = 0.16;
/// Layers of clear things that are followed.
const LAYER_LIMIT: usize = 64;
/// Light that a surface which is no metal mirrors head-on.
const MIRROR: f32 = 0.04;

/// Brightest glint of the sun.
const GLINT_LIMIT: f32 = 3.0;

/// Lights of a picture, in linear light and scene coordinates.
pub(crate) struct Light {
    sun: Vec3,
    sun_axes: [Vec3; 2],
    sun_radius: f32,
    sun_light: Vec3,
    up: Vec3,
    zenith: Vec3,
    horizon: Vec3,
    sky_light: f32,
    background: Option<Vec3>,
    reach: f32,
    pattern: GroundPattern,
    spacing: f32,
    fade: f32,
    center: Vec3,
    /// Width of a pixel at unit distance.
    pixel: f32,
}

/// What one ray saw: color = albedo · light + gloss · open + rest.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sample {
    pub albedo: Vec3,
    pub light: Vec3,
    pub gloss: Vec3,
    pub open: f32,
    pub rest: Vec3,
    pub normal: Vec3,
    pub point: Vec3,
    /// Whether a surface was met.
    pub surface: bool,
}

/// Light that falls on a point.
struct Incoming {
    light: Vec3,
    /// Part of the sky that is seen.
    open: f32,
    /// Part of the sun that is seen.
    sun: f32,
}

impl Light {
    pub fn new(view: &View, sun: DVec3, up: DVec3, radius: f64, spacing: f64, pixel: f64) -> Self {
        let sun = sun.normalize_or(DVec3::Z).as_vec3();
        let (a, b) = sun.any_orthonormal_pair();
        Self {
            sun,
            sun_axes: [a, b],
            sun_radius: view.sun.softness_deg.to_radians().tan() as f32,
            sun_light: view.sun.color.linear() * view.sun.light,
            up: up.as_vec3(),
            zenith: view.sky.zenith.linear(),
            horizon: view.sky.horizon.linear(),
            sky_light: view.sky.light,
            background: view.sky.background.map(|c| c.linear()),
            reach: view.sky.reach.unwrap_or(radius) as f32,
            pattern: view.ground.pattern,
            spacing: spacing as f32,
            fade: (view.ground.fade * radius) as f32,
            center: Vec3::ZERO,
            pixel: pixel as f32,
        }
    }

    /// Colour of the sky as the camera sees it.
    fn backdrop(&self, direction: Vec3) -> Vec3 {
        if let Some(even) = self.background {
            return even;
        }
        let height = direction.dot(self.up);
        self.horizon.lerp(self.zenith, (1.6 * height.max(0.0)).min(1.0).powf(0.8))
    }

    /// Light that comes from a direction of the sky.
    fn sky(&self, direction: Vec3) -> Vec3 {
        let height = direction.dot(self.up);
        let above = self.horizon.lerp(self.zenith, height.clamp(0.0, 1.0).sqrt());
        // Below the horizon there is ground, seen or not.
        let below = 0.45 * self.horizon;
        let blend = (0.5 + 10.0 * height).clamp(0.0, 1.0);
        self.sky_light * below.lerp(above, blend)
    }

    /// Follows a ray of the camera, with marks over what it sees.
    pub fn trace(
        &self,
        scene: &Scene,
        marks: &Marks,
        ray: Ray,
        sampler: &mut Sampler,
        stack: &mut Stack,
    ) -> Sample {
        let Some(first) = marks.nearest(&ray, stack) else {
            return self.trace_things(scene, ray, sampler, stack);
        };
        let things = scene.nearest(&ray, f32::INFINITY, stack).map_or(f32::INFINITY, |hit| hit.t);
        let (light, passed) = marks.cover(&ray, first, things, stack);
        if passed == 0.0 {
            return Sample { rest: light, ..Sample::default() };
        }
        let seen = self.trace_things(scene, ray, sampler, stack);
        let rest = passed * seen.rest + light;
        Sample { albedo: passed * seen.albedo, gloss: passed * seen.gloss, rest, ..seen }
    }

    fn trace_things(&self, scene: &Scene, ray: Ray, sampler: &mut Sampler, stack: &mut Stack) -> Sample {
        let mut sample = Sample::default();
        let (mut ray, mut passed, mut travelled) = (ray, 1.0_f32, 0.0);
        for layer in 0..LAYER_LIMIT {
            let Some(hit) = scene.nearest(&ray, f32::INFINITY, stack) else { break };
            let touch = scene.touch(&ray, &hit);
            travelled += hit.t;
            let seen = self.shade(scene, &ray, &touch, travelled, sampler, stack);
            let opacity = touch.finish.opacity;
            if layer == 0 && opacity >= 1.0 {
                return seen;
            }
            if layer == 0 {
                (sample.normal, sample.point) = (seen.normal, seen.point);
            }
            sample.rest += passed * opacity * (seen.albedo * seen.light + seen.open * seen.gloss + seen.rest);
            // A clear thing still mirrors and tints what is behind it.
            passed *= 1.0 - opacity;
            if passed < 0.01 {
                return sample;
            }
            // A longer step would skip things that lie close behind, such as a body in a clear fluid.
            let step = 4.0 * touch.rounding;
            travelled += step;
            ray = Ray::new(ray.at(hit.t + step), ray.direction);
        }
        sample.rest += passed * self.backdrop(ray.direction);
        sample
    }

    fn shade(
        &self,
        scene: &Scene,
        ray: &Ray,
        touch: &Touch,
        distance: f32,
        sampler: &mut Sampler,
        stack: &mut Stack,
    ) -> Sample {
        let normal = touch.normal;
        let facing = -normal.dot(ray.direction);
        let incoming = self.incoming(scene, touch, sampler, stack);
        let mut sample = Sample {
            light: incoming.light,
            open: incoming.open,
            normal,
            point: touch.point,
            surface: true,
            ..Sample::default()
        };
        let glint = self.glint(ray, normal, &touch.finish) * incoming.sun * self.sun_light;
        if touch.finish.metal {
            let mirrored = self.mirrored(scene, ray, touch, sampler, stack);
            let fresnel = touch.color + (Vec3::ONE - touch.color) * (1.0 - facing.clamp(0.0, 1.0)).powi(5);
            // What is mirrored is as noisy as what falls on dull things, and smoothed the same way.
            sample.albedo = fresnel;
            sample.light = mirrored + glint;
        } else {
            sample.albedo = match touch.ground {
                Some(ground) => touch.color * self.ground_shade(scene, ground, touch.point, distance, facing),
                None => touch.color,
            };
            let polish = 1.0 - touch.finish.roughness;
            let fresnel = MIRROR + (polish.max(MIRROR) - MIRROR) * (1.0 - facing.clamp(0.0, 1.0)).powi(5);
            let bent = ray.direction + 2.0 * facing * normal;
            sample.gloss =
                fresnel * self.sky(bent.lerp(normal, 0.5 * touch.finish.roughness).normalize_or(normal));
            sample.rest = fresnel * glint;
        }
        if touch.ground.is_some() {
            self.fade_out(&mut sample, ray, touch.point);
        }
        sample
    }

    /// Turns a far ground into the sky behind it.
    fn fade_out(&self, sample: &mut Sample, ray: &Ray, point: Vec3) {
        let far = ((point - self.center).length() / self.fade).min(1.0);
        let fade = far * far * (3.0 - 2.0 * far);
        let kept = 1.0 - fade;
        sample.albedo *= kept;
        sample.gloss *= kept;
        let level = ray.direction - ray.direction.dot(self.up).min(0.0) * self.up;
        sample.rest = sample.rest * kept + fade * self.backdrop(level.normalize_or(self.up));
    }

    fn incoming(&self, scene: &Scene, touch: &Touch, sampler: &mut Sampler, stack: &mut Stack) -> Incoming {
        let start = touch.point + touch.lift * touch.normal;
        let mut incoming = Incoming { light: Vec3::ZERO, open: 0.0, sun: 0.0 };
        let spot = self.sun_radius * disc(sampler.pair());
        let sun = (self.sun + spot.x * self.sun_axes[0] + spot.y * self.sun_axes[1]).normalize();
        let slope = touch.normal.dot(sun);
        if slope > 0.0 && self.sun_light != Vec3::ZERO {
            incoming.sun = self.passed(scene, &Ray::new(start, sun), f32::INFINITY, stack);
            incoming.light = incoming.sun * slope * self.sun_light;
        }
        if self.sky_light > 0.0 {
            let direction = cosine_direction(touch.normal, sampler.pair());
            let ray = Ray::new(start, direction);
            incoming.open = scene.passes(&ray, self.reach, stack);
            let free = match self.ground_below(scene, &ray) {
                Some(color) => 0.55 * color * self.sky_light * self.horizon,
                None => self.sky(direction),
            };
            let barred = BOUNCE * self.sky_light * self.horizon;
            incoming.light += barred.lerp(free, incoming.open);
        }
        incoming
    }

    /// Part of the light that passes, grounds included.
    fn passed(&self, scene: &Scene, ray: &Ray, reach: f32, stack: &mut Stack) -> f32 {
        match self.ground_below(scene, ray) {
            Some(_) => 0.0,
            None => scene.passes(ray, reach, stack),
        }
    }

    fn ground_below(&self, scene: &Scene, ray: &Ray) -> Option<Vec3> {
        let meets = |g: &&crate::scene::Ground| {
            g.normal.dot(ray.direction) < -1e-4 && g.normal.dot(ray.origin) - g.height > 0.0
        };
        scene.grounds.iter().find(meets).map(|g| g.color)
    }

    /// Light of the sun that a rough surface mirrors to the viewer: the microfacets of `walter2007`.
    fn glint(&self, ray: &Ray, normal: Vec3, finish: &Finish) -> f32 {
        let slope = normal.dot(self.sun);
        if slope <= 0.0 {
            return 0.0;
        }
        let half = (self.sun - ray.direction).normalize_or(normal);
        // A sun of some width and pixels of some size smear the glint.
        let alpha = (finish.roughness * finish.roughness).max(0.02);
        let square = alpha * alpha;
        let c = normal.dot(half).clamp(0.0, 1.0);
        let d = c * c * (square - 1.0) + 1.0;
        let facing = (-normal.dot(ray.direction)).max(1e-3);
        let hidden = |x: f32| x + (square + (1.0 - square) * x * x).sqrt();
        // GGX times the masking of Smith; the light already bears the π of a white surface.
        let facets = square / (d * d);
        // Capped: a few samples of a sharp glint out of focus would sparkle.
        (facets * slope / (hidden(slope) * hidden(facing))).min(GLINT_LIMIT)
    }

    /// Light along a mirrored ray.
    fn mirrored(
        &self,
        scene: &Scene,
        ray: &Ray,
        touch: &Touch,
        sampler: &mut Sampler,
        stack: &mut Stack,
    ) -> Vec3 {
        let alpha = (touch.finish.roughness * touch.finish.roughness).max(1e-3);
        let pair = sampler.pair();
        let tan = alpha * (pair.x / (1.0 - pair.x)).sqrt();
        let (a, b) = touch.normal.any_orthonormal_pair();
        let (sin, cos) = (std::f32::consts::TAU * pair.y).sin_cos();
        let facet = (touch.normal + tan * (cos * a + sin * b)).normalize();
        let mut direction = ray.direction - 2.0 * ray.direction.dot(facet) * facet;
        if direction.dot(touch.normal) <= 1e-3 {
            direction = ray.direction - 2.0 * ray.direction.dot(touch.normal) * touch.normal;
        }
        let next = Ray::new(touch.point + touch.lift * touch.normal, direction.normalize());
        let Some(hit) = scene.nearest(&next, f32::INFINITY, stack) else { return self.sky(next.direction) };
        let seen = scene.touch(&next, &hit);
        let incoming = self.incoming(scene, &seen, sampler, stack);
        let mut sample = Sample { albedo: seen.color, light: incoming.light, ..Sample::default() };
        if seen.ground.is_some() {
            self.fade_out(&mut sample, &next, seen.point);
        }
        sample.albedo * sample.light + sample.rest
    }

    /// Brightness of the pattern on the ground, averaged over the pixel.
    fn ground_shade(&self, scene: &Scene, ground: u32, point: Vec3, distance: f32, facing: f32) -> f32 {
        if self.pattern == GroundPattern::Plain {
            return 1.0;
        }
        let ground = &scene.grounds[ground as usize];
        let width = distance * self.pixel / facing.max(0.05);
        let place = [0, 1].map(|i| point.dot(ground.axes[i]) + ground.offset[i]);
        match self.pattern {
            GroundPattern::Plain => 1.0,
            GroundPattern::Grid => {
                let minor = grid_cover(place, self.spacing, 0.008 * self.spacing, width);
                let major = grid_cover(place, 5.0 * self.spacing, 0.02 * self.spacing, width);
                1.0 - (0.16 * minor).max(0.28 * major)
            }
            GroundPattern::Checker => {
                let cell = place.map(|x| (x / self.spacing).floor() as i64);
                let sharp = if (cell[0] + cell[1]).rem_euclid(2) == 0 { 1.0 } else { 0.72 };
                let blur = (2.0 * width / self.spacing).min(1.0);
                sharp + (0.86 - sharp) * blur
            }
        }
    }
}

/// Part of a pixel of this width that lines cover.
fn grid_cover(place: [f32; 2], spacing: f32, line: f32, width: f32) -> f32 {
    let thick = line.max(0.5 * width);
    let fade = (line / thick) * (1.0 - (2.0 * width / spacing).min(1.0)).max(0.0);
    let cover = place.map(|x| {
        let off = (x / spacing - (x / spacing).round()).abs() * spacing;
        ((thick - off) / width.max(1e-12) + 0.5).clamp(0.0, 1.0)
    });
    // Lines thinner than a pixel keep their share of it, but not below what the eye needs to follow them.
    cover[0].max(cover[1]) * fade.sqrt().max(0.0)
}

//! Smooths the noise of soft light and keeps the edges of things.
//!
//! Only the light that falls on surfaces is smoothed, not their colours: passes of a small kernel with growing holes
//! (`dammertz2010`), each neighbour weighted by how well its plane, its normal and, within the noise measured at the
//! pixel (`schied2017`), its light agree.

use glam::{Vec3, Vec4};
use huygens_exec::Exec;

/// What is known of a pixel.
#[derive(Clone, Copy, Default)]
pub(crate) struct Pixel {
    pub albedo: Vec3,
    /// Light on the surface, and the open part of the sky.
    pub light: Vec4,
    /// Variance of the mean light.
    pub variance: f32,
    pub gloss: Vec3,
    pub rest: Vec3,
    pub normal: Vec3,
    pub point: Vec3,
    /// Width of the pixel on the surface.
    pub width: f32,
    /// Whether one smooth surface fills the pixel.
    pub even: bool,
}

impl Pixel {
    pub fn color(&self) -> Vec3 {
        self.albedo * self.light.truncate() + self.gloss * self.light.w + self.rest
    }
}

#[derive(Clone, Copy, Default)]
struct Estimate {
    light: Vec4,
    variance: f32,
}

const STEPS: [isize; 3] = [1, 2, 4];

/// Smooths the light of a picture in place.
pub(crate) fn smooth(exec: &Exec, pixels: &mut [Pixel], width: usize) {
    if width == 0 {
        return;
    }
    let mut from: Vec<Estimate> =
        pixels.iter().map(|p| Estimate { light: p.light, variance: p.variance }).collect();
    let mut to = from.clone();
    for step in STEPS {
        let (input, known): (&[Estimate], &[Pixel]) = (&from, pixels);
        exec.for_each_chunk(&mut to, 8 * width, |chunk, out| {
            for (offset, out) in out.iter_mut().enumerate() {
                *out = average(input, known, width, chunk * 8 * width + offset, step);
            }
        });
        std::mem::swap(&mut from, &mut to);
    }
    for (pixel, estimate) in pixels.iter_mut().zip(&from) {
        pixel.light = estimate.light;
    }
}

fn average(input: &[Estimate], known: &[Pixel], width: usize, index: usize, step: isize) -> Estimate {
    let (own, center) = (&known[index], &input[index]);
    if !own.even {
        return *center;
    }
    let height = (known.len() / width) as isize;
    let (x, y) = ((index % width) as isize, (index / width) as isize);
    let noise = 1.0 / (6.0 * variance_near(input, width, index) + 1e-5);
    let plane_width = 1.0 / (own.width * step as f32);
    let level = brightness(center.light);
    let mut sum = center.light * 4.0;
    let mut variance = center.variance * 16.0;
    let mut weights = 4.0;
    for (dx, dy, kernel) in NEIGHBOURS {
        let (nx, ny) = (x + dx * step, y + dy * step);
        if nx < 0 || ny < 0 || nx >= width as isize || ny >= height {
            continue;
        }
        let at = ny as usize * width + nx as usize;
        let (other, estimate) = (&known[at], &input[at]);
        if !other.even {
            continue;
        }
        let turn = own.normal.dot(other.normal).max(0.0);
        let turn = turn * turn;
        let turn = turn * turn * turn * turn;
        let off = own.normal.dot(other.point - own.point) * plane_width;
        let differ = brightness(estimate.light) - level;
        let weight = kernel * turn * turn * turn / ((1.0 + off * off) * (1.0 + differ * differ * noise));
        sum += estimate.light * weight;
        variance += estimate.variance * weight * weight;
        weights += weight;
    }
    Estimate { light: sum / weights, variance: variance / (weights * weights) }
}

const NEIGHBOURS: [(isize, isize, f32); 8] = [
    (-1, -1, 1.0),
    (0, -1, 2.0),
    (1, -1, 1.0),
    (-1, 0, 2.0),
    (1, 0, 2.0),
    (-1, 1, 1.0),
    (0, 1, 2.0),
    (1, 1, 1.0),
];

/// The variance at one pixel is itself noisy: the mean of a few.
fn variance_near(input: &[Estimate], width: usize, index: usize) -> f32 {
    let near =
        [Some(index), index.checked_sub(1), Some(index + 1), index.checked_sub(width), Some(index + width)];
    let (mut sum, mut count) = (0.0, 0.0);
    for estimate in near.into_iter().flatten().filter_map(|i| input.get(i)) {
        sum += estimate.variance;
        count += 1.0;
    }
    sum / count
}

fn brightness(light: Vec4) -> f32 {
    0.3 * light.x + 0.6 * light.y + 0.1 * light.z
}

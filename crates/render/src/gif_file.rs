//! Animated GIF: one palette for the film, and dither that stays in place.

use std::borrow::Cow;
use std::io;
use std::path::Path;

use huygens_record::write_atomic;

use crate::error::RenderError;
use crate::film::Take;
use crate::image::Image;

/// Colours of the palette; one more place means "as before".
const COLORS: usize = 255;
const UNCHANGED: u8 = 255;
/// Bits a channel of the table from colours to the palette.
const TABLE_BITS: u32 = 6;

pub(crate) struct GifFile {
    palette: Vec<[u8; 3]>,
    table: Vec<u8>,
    /// Mean distance between neighbours in the palette, the depth of the dither.
    spread: f32,
    before: Vec<u8>,
}

impl GifFile {
    /// Writes pictures as they come; `sketches` of some of them give the palette.
    pub fn write(
        path: &Path,
        size: [u32; 2],
        rate: f64,
        sketches: &[Image],
        film: &mut dyn FnMut(&mut Take<'_>) -> Result<(), RenderError>,
    ) -> Result<(), RenderError> {
        let side = |pixels: u32| {
            u16::try_from(pixels).map_err(|_| RenderError::value("size", pixels, "at most 65535"))
        };
        let (width, height) = (side(size[0])?, side(size[1])?);
        let fail = |reason: String| RenderError::Encode { path: path.into(), reason };
        let mut file = Self::new(sketches);
        let mut failure = None;
        let written = write_atomic(path, |out| {
            let run = || -> Result<(), RenderError> {
                let mut palette: Vec<u8> = file.palette.concat();
                palette.resize(3 * 256, 0);
                let mut encoder =
                    gif::Encoder::new(out, width, height, &palette).map_err(|e| fail(e.to_string()))?;
                encoder.set_repeat(gif::Repeat::Infinite).map_err(|e| fail(e.to_string()))?;
                let mut clock = Clock { rate, index: 0 };
                film(&mut |image| {
                    let frame = file.frame(image, clock.delay());
                    encoder.write_frame(&frame).map_err(|e| fail(e.to_string()))
                })
            };
            run().map_err(|error| {
                failure = Some(error);
                io::Error::other("the film was not finished")
            })
        });
        match failure {
            Some(error) => Err(error),
            None => Ok(written?),
        }
    }

    fn new(sketches: &[Image]) -> Self {
        let palette = median_cut(sketches);
        let table = nearest_table(&palette);
        let spread = mean_gap(&palette);
        Self { palette, table, spread, before: Vec::new() }
    }

    /// The part of a picture that differs from the one before.
    fn frame(&mut self, image: &Image, delay: u16) -> gif::Frame<'static> {
        let width = image.width as usize;
        let colors: Vec<u8> = image
            .pixels
            .chunks_exact(4)
            .enumerate()
            .map(|(index, pixel)| self.color(pixel, index % width, index / width))
            .collect();
        let changed = |index: usize| self.before.get(index) != Some(&colors[index]);
        let area = Area::of(width, colors.len() / width.max(1), changed);
        let mut buffer = Vec::with_capacity(area.width * area.height);
        for y in area.y..area.y + area.height {
            for index in y * width + area.x..y * width + area.x + area.width {
                buffer.push(if changed(index) { colors[index] } else { UNCHANGED });
            }
        }
        self.before = colors;
        gif::Frame {
            delay,
            dispose: gif::DisposalMethod::Keep,
            transparent: Some(UNCHANGED),
            left: area.x as u16,
            top: area.y as u16,
            width: area.width as u16,
            height: area.height as u16,
            buffer: Cow::Owned(buffer),
            ..gif::Frame::default()
        }
    }

    fn color(&self, pixel: &[u8], x: usize, y: usize) -> u8 {
        let shift = self.spread * (threshold(x, y) - 0.5);
        let index = pixel[..3].iter().fold(0, |index, channel| {
            let value = (f32::from(*channel) + shift).clamp(0.0, 255.0) as usize;
            (index << TABLE_BITS) | (value >> (8 - TABLE_BITS))
        });
        self.table[index]
    }
}

/// Hundredths of a second that a picture stays, so that the sum keeps the rate.
struct Clock {
    rate: f64,
    index: u32,
}

impl Clock {
    fn delay(&mut self) -> u16 {
        let at = |index: u32| (100.0 * f64::from(index) / self.rate).round();
        let delay = at(self.index + 1) - at(self.index);
        self.index += 1;
        // Browsers slow down films faster than 50 pictures a second.
        delay.clamp(2.0, 65_535.0) as u16
    }
}

struct Area {
    x: usize,
    y: usize,
    width: usize,
    height: usize,
}

impl Area {
    /// The smallest area with all that fits; one pixel where nothing does.
    fn of(width: usize, height: usize, fits: impl Fn(usize) -> bool) -> Self {
        let (mut left, mut right, mut top, mut bottom) = (width, 0, height, 0);
        for y in 0..height {
            for x in 0..width {
                if fits(y * width + x) {
                    (left, right) = (left.min(x), right.max(x + 1));
                    (top, bottom) = (top.min(y), bottom.max(y + 1));
                }
            }
        }
        match left < right {
            true => Self { x: left, y: top, width: right - left, height: bottom - top },
            false => Self { x: 0, y: 0, width: 1, height: 1 },
        }
    }
}

/// Ordered dither of 8 × 8 pixels (`bayer1973`), 0 … 1.
fn threshold(x: usize, y: usize) -> f32 {
    let mut value = 0;
    for bit in 0..3 {
        let (a, b) = ((x >> bit) & 1, (y >> bit) & 1);
        value = (value << 2) | ((a ^ b) << 1) | b;
    }
    (value as f32 + 0.5) / 64.0
}

/// Colours that stand for all: the box with the widest spread of pixels is cut at its median until there are enough
/// (`heckbert1982`).
fn median_cut(images: &[Image]) -> Vec<[u8; 3]> {
    let mut counts = vec![0_u32; 1 << 18];
    for pixel in images.iter().flat_map(|image| image.pixels.chunks_exact(4)) {
        let key = pixel[..3].iter().fold(0, |key, c| (key << 6) | (*c as usize >> 2));
        counts[key] += 1;
    }
    let colors: Vec<([u8; 3], u32)> = counts
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
        .map(|(key, count)| ([12, 6, 0].map(|s| (((key >> s) & 63) << 2 | 2) as u8), *count))
        .collect();
    let mut boxes = vec![colors];
    while boxes.len() < COLORS {
        let widest = (0..boxes.len()).max_by(|a, b| spread(&boxes[*a]).1.total_cmp(&spread(&boxes[*b]).1));
        let Some(widest) = widest.filter(|i| boxes[*i].len() > 1) else { break };
        let mut whole = boxes.swap_remove(widest);
        let axis = spread(&whole).0;
        whole.sort_unstable_by_key(|(color, _)| (color[axis], *color));
        let half = whole.iter().map(|(_, count)| u64::from(*count)).sum::<u64>() / 2;
        let mut seen = 0;
        let cut = whole.iter().position(|(_, count)| {
            seen += u64::from(*count);
            seen > half
        });
        let cut = cut.unwrap_or(0).clamp(1, whole.len() - 1);
        let rest = whole.split_off(cut);
        boxes.extend([whole, rest]);
    }
    boxes.iter().filter(|b| !b.is_empty()).map(|b| mean(b)).collect()
}

/// Axis of the widest spread of a box, and its weight: variance times the square root of the number of pixels, so that
/// small things of a rare colour keep theirs.
fn spread(colors: &[([u8; 3], u32)]) -> (usize, f64) {
    if colors.len() < 2 {
        return (0, 0.0);
    }
    let total: f64 = colors.iter().map(|(_, count)| f64::from(*count)).sum();
    let center = mean(colors);
    let variance = |axis: usize| {
        let square = |(color, count): &([u8; 3], u32)| {
            (f64::from(color[axis]) - f64::from(center[axis])).powi(2) * f64::from(*count)
        };
        colors.iter().map(square).sum::<f64>() / total
    };
    let all = [0, 1, 2].map(variance);
    let axis = (0..3).max_by(|a, b| all[*a].total_cmp(&all[*b])).unwrap_or(0);
    (axis, all[axis] * total.sqrt())
}

fn mean(colors: &[([u8; 3], u32)]) -> [u8; 3] {
    let total: u64 = colors.iter().map(|(_, count)| u64::from(*count)).sum();
    [0, 1, 2].map(|axis| {
        let sum: u64 = colors.iter().map(|(color, count)| u64::from(color[axis]) * u64::from(*count)).sum();
        (sum / total.max(1)) as u8
    })
}

fn distance(a: [u8; 3], b: [u8; 3]) -> i32 {
    // The eye weighs green most.
    let weights = [2, 4, 1];
    (0..3).map(|i| weights[i] * (i32::from(a[i]) - i32::from(b[i])).pow(2)).sum()
}

/// Nearest colour of the palette for every colour of `TABLE_BITS` bits a channel.
fn nearest_table(palette: &[[u8; 3]]) -> Vec<u8> {
    let half = 1 << (7 - TABLE_BITS);
    let channel = |index: usize, place: u32| {
        (((index >> (place * TABLE_BITS)) & ((1 << TABLE_BITS) - 1)) << (8 - TABLE_BITS) | half) as u8
    };
    (0..1 << (3 * TABLE_BITS))
        .map(|index| {
            let color = [channel(index, 2), channel(index, 1), channel(index, 0)];
            let nearest = (0..palette.len()).min_by_key(|i| distance(palette[*i], color));
            nearest.unwrap_or(0) as u8
        })
        .collect()
}

fn mean_gap(palette: &[[u8; 3]]) -> f32 {
    let gap = |i: usize| {
        let others = (0..palette.len()).filter(|j| *j != i);
        others.map(|j| distance(palette[i], palette[j])).min().unwrap_or(0)
    };
    let sum: f32 = (0..palette.len()).map(|i| (gap(i) as f32 / 7.0).sqrt()).sum();
    (sum / palette.len().max(1) as f32).min(24.0)
}

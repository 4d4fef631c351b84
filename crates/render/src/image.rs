//! Pixels and PNG files.

use std::path::Path;

use huygens_record::write_atomic;

use crate::error::RenderError;
use crate::export::array_header;

/// A picture: red, green, blue (sRGB) and opacity, eight bits each, row by row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Width [px].
    pub width: u32,
    /// Height [px].
    pub height: u32,
    /// Four bytes a pixel.
    pub pixels: Vec<u8>,
}

/// How far away the things in a picture are.
#[derive(Clone, Debug, PartialEq)]
pub struct Depths {
    /// Width [px].
    pub width: u32,
    /// Height [px].
    pub height: u32,
    /// Distance of each pixel from the camera plane [m], row by row from the top; infinite where there is nothing.
    pub metres: Vec<f32>,
}

impl Depths {
    /// Writes a NumPy file of the shape (height, width), atomically.
    pub fn write_npy(&self, path: &Path) -> Result<(), RenderError> {
        let header = array_header("<f4", &[self.height as usize, self.width as usize]);
        let numbers: Vec<u8> = self.metres.iter().flat_map(|m| m.to_le_bytes()).collect();
        Ok(write_atomic(path, |out| out.write_all(&header).and_then(|()| out.write_all(&numbers)))?)
    }
}

impl Image {
    /// A picture of one colour.
    pub fn filled(width: u32, height: u32, rgba: [u8; 4]) -> Self {
        Self { width, height, pixels: rgba.repeat(width as usize * height as usize) }
    }

    /// Colour of a pixel, counted from the top left.
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 4]> {
        let at = 4 * (y as usize * self.width as usize + x as usize);
        let bytes = self.pixels.get(at..at + 4).filter(|_| x < self.width)?;
        bytes.try_into().ok()
    }

    /// The bytes of a PNG file.
    pub fn png(&self) -> Result<Vec<u8>, RenderError> {
        let fail = |e: png::EncodingError| RenderError::Encode { path: "PNG".into(), reason: e.to_string() };
        let opaque = self.pixels.chunks_exact(4).all(|p| p[3] == 255);
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(if opaque { png::ColorType::Rgb } else { png::ColorType::Rgba });
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header().map_err(fail)?;
        match opaque {
            true => writer.write_image_data(&self.rgb()).map_err(fail)?,
            false => writer.write_image_data(&self.pixels).map_err(fail)?,
        }
        writer.finish().map_err(fail)?;
        Ok(bytes)
    }

    /// Three bytes a pixel.
    pub fn rgb(&self) -> Vec<u8> {
        self.pixels.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect()
    }

    /// Writes a PNG file, atomically.
    pub fn write_png(&self, path: &Path) -> Result<(), RenderError> {
        let bytes = self.png()?;
        Ok(write_atomic(path, |out| out.write_all(&bytes))?)
    }
}

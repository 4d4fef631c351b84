//! A recording as one HTML file: page, code and data together, to be opened from disk.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::Compression;
use flate2::write::GzEncoder;
use huygens_record::{Recording, write_atomic};
use sha2::{Digest, Sha256};

use crate::error::ViewerError;
use crate::page;
use crate::ranges::Ranges;

/// Frames that the page unpacks together.
const CHUNK_FRAMES: usize = 16;
/// A chunk is closed when its frames have this many bytes, so that a page can unpack it quickly.
const CHUNK_BYTES: usize = 4 << 20;

/// How a recording is exported.
#[derive(Clone, Debug, PartialEq)]
pub struct HtmlOptions {
    /// First time taken [s]; that of the recording if not given.
    pub from: Option<f64>,
    /// Last time taken [s]; that of the recording if not given.
    pub to: Option<f64>,
    /// Every how manyth frame is taken; 1 takes all.
    pub stride: usize,
    /// Most bytes of the file; browsers become slow far above the default.
    pub limit_bytes: u64,
}

impl Default for HtmlOptions {
    fn default() -> Self {
        Self { from: None, to: None, stride: 1, limit_bytes: 256 << 20 }
    }
}

/// What was exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HtmlSummary {
    /// Frames in the file.
    pub frames: usize,
    /// Bytes of the file.
    pub bytes: u64,
}

/// Writes a recording as one HTML file that opens from disk, without a server and without the net.
///
/// `progress` is told how many frames of how many are done, and may end the export. The file appears only when it is
/// complete.
pub fn export_html(
    recording: &Recording,
    path: &Path,
    options: &HtmlOptions,
    progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Result<HtmlSummary, ViewerError> {
    let (from, to) = (options.from.unwrap_or(f64::NEG_INFINITY), options.to.unwrap_or(f64::INFINITY));
    let inside = |frame: &usize| (from..=to).contains(&recording.times()[*frame]);
    let frames: Vec<usize> =
        (0..recording.frame_count()).filter(inside).step_by(options.stride.max(1)).collect();
    if frames.is_empty() {
        return Err(ViewerError::NoFrames { path: recording.path().to_path_buf() });
    }
    // The closure can tell its caller only errors of writing; those of other kinds go this way.
    let mut failure = None;
    let mut bytes = 0;
    let written = write_atomic(path, |file| {
        let mut export = Export { recording, frames: &frames, options, file, bytes: 0 };
        let outcome = export.write(progress);
        bytes = export.bytes;
        outcome.map_err(|stop| match stop {
            Stop::Write(error) => error,
            Stop::Other(error) => {
                failure = Some(error);
                io::Error::other("export ended")
            }
        })
    });
    match (written, failure) {
        (Ok(()), _) => Ok(HtmlSummary { frames: frames.len(), bytes }),
        (Err(_), Some(error)) => Err(error),
        (Err(error), None) => Err(error.into()),
    }
}

/// Why writing ended.
enum Stop {
    Write(io::Error),
    Other(ViewerError),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

/// A file being written.
struct Export<'a> {
    recording: &'a Recording,
    frames: &'a [usize],
    options: &'a HtmlOptions,
    file: &'a mut dyn Write,
    bytes: u64,
}

impl Export<'_> {
    fn write(&mut self, progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>) -> Result<(), Stop> {
        let script = page::joined_modules();
        let policy = format!(
            "default-src 'none'; script-src {}; style-src {}; img-src data:; base-uri 'none'; form-action 'none'",
            hash(&script),
            hash(page::STYLE)
        );
        let head = format!(
            "<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n<style>{}</style>\n",
            page::STYLE
        );
        let markup = page::INDEX.replace(page::SCRIPT_LINE, "").replace(page::STYLE_LINE, &head);
        let (before, after) = markup.split_once("</body>").unwrap_or((&markup, ""));
        self.put(before)?;
        let recording = self.recording;
        self.put_data("huygens-stage", recording.stage_bytes())?;
        self.put_data("huygens-scalars", &self.scalar_rows())?;
        let (chunks, ranges) = self.put_frames(progress)?;
        let times: Vec<f64> = self.frames.iter().map(|frame| recording.times()[*frame]).collect();
        let index = serde_json::json!({ "times": times, "chunks": chunks, "ranges": ranges.groups() });
        self.put(&format!("<script type=\"application/json\" id=\"huygens-index\">{index}</script>\n"))?;
        self.put(&format!("<script type=\"module\">{script}</script>\n</body>{after}"))?;
        Ok(())
    }

    /// All frames in chunks; returns where each chunk begins and how many frames it has, and the ranges of fields.
    fn put_frames(
        &mut self,
        progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
    ) -> Result<(Vec<serde_json::Value>, Ranges), Stop> {
        let (fixed, total) = (self.bytes, self.frames.len());
        let mut ranges = Ranges::default();
        let mut chunks = Vec::new();
        let mut done = 0;
        while done < total {
            let (chunk, count) = self.chunk(done)?;
            self.put_data(&format!("huygens-frames-{}", chunks.len()), &chunk)?;
            chunks.push(serde_json::json!({ "first": done, "count": count }));
            for frame in &self.frames[done..done + count] {
                let frame = self.recording.frame(*frame).map_err(|error| Stop::Other(error.into()))?;
                ranges.take(self.recording.stage(), &frame);
            }
            done += count;
            if self.bytes > self.options.limit_bytes {
                return Err(Stop::Other(self.too_large(fixed, done)));
            }
            if progress(done, total).is_break() {
                return Err(Stop::Other(ViewerError::Cancelled));
            }
        }
        Ok((chunks, ranges))
    }

    /// Frames from one on: u32 count, u32 0, their lengths as u64, the packed frames.
    fn chunk(&self, first: usize) -> Result<(Vec<u8>, usize), Stop> {
        let mut lengths = Vec::new();
        let mut content = Vec::new();
        for frame in self.frames[first..].iter().take(CHUNK_FRAMES) {
            let bytes = self.recording.frame_bytes(*frame).map_err(|error| Stop::Other(error.into()))?;
            lengths.extend((bytes.len() as u64).to_le_bytes());
            content.extend(bytes);
            if content.len() >= CHUNK_BYTES {
                break;
            }
        }
        let count = lengths.len() / 8;
        let mut chunk = Vec::with_capacity(8 + lengths.len() + content.len());
        chunk.extend((count as u64).to_le_bytes());
        chunk.extend(lengths);
        chunk.extend(content);
        Ok((chunk, count))
    }

    /// Rows of time and scalars, as little-endian f64.
    fn scalar_rows(&self) -> Vec<u8> {
        let (times, scalars) = (self.recording.times(), self.recording.scalars());
        let width = self.recording.stage().scalars.len();
        let row = |frame: &usize| {
            let values = &scalars[width * frame..width * (frame + 1)];
            std::iter::once(&times[*frame]).chain(values).flat_map(|value| value.to_le_bytes())
        };
        self.frames.iter().flat_map(row).collect()
    }

    /// The error of a file beyond its limit, from what the first frames took.
    fn too_large(&self, fixed: u64, done: usize) -> ViewerError {
        let limit = self.options.limit_bytes;
        let frames = (self.bytes - fixed) as f64 * self.frames.len() as f64 / done as f64;
        let needed = fixed + frames as u64;
        let stride = limit.checked_sub(fixed).filter(|room| *room > 0).map(|room| {
            let factor = (frames / room as f64).ceil().max(2.0);
            self.options.stride.max(1).saturating_mul(factor as usize)
        });
        // A distance that leaves but one frame is no advice.
        let stride = stride.filter(|stride| *stride < self.recording.frame_count());
        ViewerError::ExportLimit { needed, limit, stride }
    }

    fn put(&mut self, text: &str) -> io::Result<()> {
        self.bytes += text.len() as u64;
        self.file.write_all(text.as_bytes())
    }

    /// Bytes as an element of the page: base64 of gzip.
    fn put_data(&mut self, id: &str, bytes: &[u8]) -> io::Result<()> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(bytes)?;
        let text = BASE64.encode(packed.finish()?);
        self.put(&format!("<script type=\"application/octet-stream\" id=\"{id}\">"))?;
        self.put(&text)?;
        self.put("</script>\n")
    }
}

/// How a content policy names a script or a style sheet.
fn hash(text: &str) -> String {
    format!("'sha256-{}'", BASE64.encode(Sha256::digest(text)))
}

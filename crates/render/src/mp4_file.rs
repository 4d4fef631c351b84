//! MP4 through the program `ffmpeg`.

use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::error::RenderError;
use crate::film::Take;

pub(crate) struct Mp4File;

impl Mp4File {
    /// Sends pictures to `ffmpeg` as they come; the file gets its name when it is complete.
    pub fn write(
        program: &Path,
        path: &Path,
        size: [u32; 2],
        rate: f64,
        film: &mut dyn FnMut(&mut Take<'_>) -> Result<(), RenderError>,
    ) -> Result<(), RenderError> {
        let unfinished = Unfinished::beside(path)?;
        let mut encoder = Encoder::start(program, &unfinished.path, size, rate)?;
        match film(&mut |image| encoder.send(&image.rgb())) {
            // The encoder knows better why it stopped listening.
            Err(RenderError::Ffmpeg { .. }) => return Err(encoder.failure()),
            Err(error) => {
                encoder.stop();
                return Err(error);
            }
            Ok(()) => encoder.finish()?,
        }
        let fail = |source| RenderError::Write { path: path.into(), source };
        std::fs::File::open(&unfinished.path).and_then(|f| f.sync_all()).map_err(fail)?;
        std::fs::rename(&unfinished.path, path).map_err(fail)
    }
}

/// A file that is removed unless it got its final name.
struct Unfinished {
    path: PathBuf,
}

impl Unfinished {
    fn beside(path: &Path) -> Result<Self, RenderError> {
        let name = path.file_name().ok_or_else(|| RenderError::FilmKind { path: path.into() })?;
        let name = format!(".{}.{}.tmp.mp4", name.to_string_lossy(), std::process::id());
        Ok(Self { path: path.with_file_name(name) })
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // After the rename there is nothing under this name.
        let _ = std::fs::remove_file(&self.path);
    }
}

struct Encoder {
    child: Child,
    messages: Option<std::thread::JoinHandle<String>>,
}

impl Encoder {
    fn start(program: &Path, path: &Path, [width, height]: [u32; 2], rate: f64) -> Result<Self, RenderError> {
        let mut command = Command::new(program);
        command
            .args(["-y", "-nostdin", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24"])
            .args(["-s", &format!("{width}x{height}"), "-r", &rate.to_string(), "-i", "pipe:0", "-an"])
            // Players want even sides and this form of colours.
            .args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p"])
            .args(["-c:v", "libx264", "-preset", "medium", "-crf", "18", "-movflags", "+faststart"])
            .args(["-map_metadata", "-1", "-fflags", "+bitexact", "-f", "mp4"])
            .arg(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|source| match source.kind() {
            ErrorKind::NotFound => RenderError::FfmpegMissing { program: program.into() },
            _ => RenderError::Ffmpeg { message: source.to_string() },
        })?;
        // Drained all the time: a full pipe would stop the encoder.
        let messages = child.stderr.take().map(|mut pipe| {
            std::thread::spawn(move || {
                let mut text = Vec::new();
                let _ = pipe.read_to_end(&mut text);
                String::from_utf8_lossy(&text).into_owned()
            })
        });
        Ok(Self { child, messages })
    }

    fn send(&mut self, pixels: &[u8]) -> Result<(), RenderError> {
        let closed = || RenderError::Ffmpeg { message: "it stopped taking pictures".into() };
        let pipe = self.child.stdin.as_mut().ok_or_else(closed)?;
        pipe.write_all(pixels).map_err(|_| closed())
    }

    fn finish(&mut self) -> Result<(), RenderError> {
        drop(self.child.stdin.take());
        match self.child.wait() {
            Ok(status) if status.success() => Ok(()),
            _ => Err(self.failure()),
        }
    }

    fn stop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn failure(&mut self) -> RenderError {
        self.stop();
        let text = self.messages.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        let lines: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).collect();
        let last = lines[lines.len().saturating_sub(4)..].join("; ");
        RenderError::Ffmpeg { message: if last.is_empty() { "it gave no reason".into() } else { last } }
    }
}

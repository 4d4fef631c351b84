//! Films: pictures of many moments as PNG files, a GIF or an MP4.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use huygens_exec::Exec;
use huygens_record::recording::{Frame, GroupFrame, GroupKind, Stage};
use huygens_record::{RecordError, Recording};

use crate::error::RenderError;
use crate::gif_file::GifFile;
use crate::image::Image;
use crate::mp4_file::Mp4File;
use crate::picture::{Picture, Renderer};
use crate::view::{Pass, View};

/// Frames that settle the camera and the range of colours of a film.
const SCOUTS: usize = 12;
/// Pictures in one film.
const PICTURE_LIMIT: usize = 1_000_000;

/// Where frames come from.
pub trait FrameSource {
    /// What does not change.
    fn stage(&self) -> &Stage;
    /// Times of the frames [s], growing.
    fn times(&self) -> Vec<f64>;
    /// A frame by its number.
    fn frame(&mut self, index: usize) -> Result<Frame, RecordError>;
}

impl FrameSource for Recording {
    fn stage(&self) -> &Stage {
        Recording::stage(self)
    }

    fn times(&self) -> Vec<f64> {
        Recording::times(self).to_vec()
    }

    fn frame(&mut self, index: usize) -> Result<Frame, RecordError> {
        Recording::frame(self, index)
    }
}

/// Frames in memory.
impl FrameSource for (Stage, Vec<Frame>) {
    fn stage(&self) -> &Stage {
        &self.0
    }

    fn times(&self) -> Vec<f64> {
        self.1.iter().map(|frame| frame.time).collect()
    }

    fn frame(&mut self, index: usize) -> Result<Frame, RecordError> {
        Ok(self.1.get(index).cloned().unwrap_or_default())
    }
}

/// Which moments a film shows.
#[derive(Clone, Debug, PartialEq)]
pub enum Moments {
    /// Every time [s] of a list.
    At(Vec<f64>),
    /// So many, evenly spaced from the first to the last frame.
    Count(usize),
    /// All of a span, at the rate of the film.
    Span {
        /// First time [s]; that of the recording if not given.
        from: Option<f64>,
        /// Last time [s]; that of the recording if not given.
        to: Option<f64>,
        /// Seconds of the recording in one second of film.
        speed: f64,
    },
}

/// What files a film becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilmFormat {
    /// A folder of numbered PNG pictures.
    PngFolder,
    /// An animated GIF.
    Gif,
    /// An MP4 (H.264), made by `ffmpeg`.
    Mp4,
}

impl FilmFormat {
    /// The format that a file name means.
    pub fn of(path: &Path) -> Result<Self, RenderError> {
        let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("gif") => Ok(Self::Gif),
            Some("mp4") => Ok(Self::Mp4),
            _ => Err(RenderError::FilmKind { path: path.into() }),
        }
    }
}

/// How far a film is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilmProgress {
    /// Pictures made.
    pub done: usize,
    /// Pictures to make.
    pub total: usize,
    /// Time of the last picture [s].
    pub time: f64,
}

/// A film to be made.
#[derive(Clone, Debug, PartialEq)]
pub struct Film {
    /// What pictures show.
    pub view: View,
    /// Which moments.
    pub moments: Moments,
    /// Pictures a second.
    pub rate: f64,
    /// Program that makes MP4 files; found on PATH if it has no folder.
    pub ffmpeg: PathBuf,
}

impl Film {
    /// A film of all that a recording holds, at its own speed and 30 pictures a second.
    pub fn new(view: View) -> Self {
        Self {
            view,
            moments: Moments::Span { from: None, to: None, speed: 1.0 },
            rate: 30.0,
            ffmpeg: "ffmpeg".into(),
        }
    }

    /// Makes the film and returns the files written.
    ///
    /// `progress` is told after every picture and may stop the film; a GIF or MP4 appears only when it is complete,
    /// and each PNG picture when it is.
    pub fn render(
        &self,
        exec: &Exec,
        source: &mut dyn FrameSource,
        path: &Path,
        format: FilmFormat,
        progress: &mut dyn FnMut(FilmProgress) -> ControlFlow<()>,
    ) -> Result<Vec<PathBuf>, RenderError> {
        let stage = source.stage().clone();
        let recorded = source.times();
        let times = self.times(&recorded)?;
        let scouts = scout_frames(source, &stage, &recorded, &times)?;
        let renderer = Renderer::new(&stage, &scouts.iter().collect::<Vec<_>>(), &self.view)?;
        let mut reel = Reel { exec, source, stage: &stage, recorded, times, renderer: &renderer, progress };
        match format {
            FilmFormat::PngFolder => reel.png_folder(path),
            FilmFormat::Gif => {
                let [width, height] = self.view.size;
                let small = [(width / 3).max(64).min(width), (height / 3).max(64).min(height)];
                let sketch = renderer.sketch(small, 2);
                let images = scouts
                    .iter()
                    .map(|frame| beauty(sketch.render(exec, frame)?))
                    .collect::<Result<Vec<Image>, _>>()?;
                GifFile::write(path, self.view.size, self.rate, &images, &mut |out| reel.for_each(out))?;
                Ok(vec![path.into()])
            }
            FilmFormat::Mp4 => {
                Mp4File::write(&self.ffmpeg, path, self.view.size, self.rate, &mut |out| reel.for_each(out))?;
                Ok(vec![path.into()])
            }
        }
    }

    /// Times of the pictures [s].
    fn times(&self, recorded: &[f64]) -> Result<Vec<f64>, RenderError> {
        let (Some(first), Some(last)) = (recorded.first(), recorded.last()) else {
            return Err(RenderError::NoFrames);
        };
        if !(0.01..=1000.0).contains(&self.rate) {
            return Err(RenderError::value("rate", self.rate, "pictures a second from 0.01 to 1000"));
        }
        let limit = |count: f64| match count <= PICTURE_LIMIT as f64 {
            true => Ok(count as usize),
            false => Err(RenderError::value("moments", count, format!("at most {PICTURE_LIMIT} pictures"))),
        };
        let times: Vec<f64> = match &self.moments {
            Moments::At(times) => times.clone(),
            Moments::Count(1) => vec![*last],
            Moments::Count(count) => {
                let count = limit(*count as f64)?;
                let step = (last - first) / (count as f64 - 1.0);
                (0..count).map(|i| first + i as f64 * step).collect()
            }
            Moments::Span { from, to, speed } => {
                if !(*speed > 0.0 && speed.is_finite()) {
                    return Err(RenderError::value("speed", speed, "a number above 0"));
                }
                let (from, to) = (from.unwrap_or(*first), to.unwrap_or(*last));
                let step = speed / self.rate;
                let count = limit(((to - from) / step + 1e-9).floor().max(0.0) + 1.0)?;
                (0..count).map(|i| from + i as f64 * step).collect()
            }
        };
        let outside = times.iter().find(|t| !t.is_finite() || **t < first - 1e-9 || **t > last + 1e-9);
        match outside {
            Some(time) => Err(RenderError::value("time", time, format!("a time from {first} s to {last} s"))),
            None if times.is_empty() => Err(RenderError::NoFrames),
            None => Ok(times),
        }
    }
}

/// Something that takes pictures one by one.
pub(crate) type Take<'a> = dyn FnMut(&Image) -> Result<(), RenderError> + 'a;

struct Reel<'a> {
    exec: &'a Exec,
    source: &'a mut dyn FrameSource,
    stage: &'a Stage,
    recorded: Vec<f64>,
    times: Vec<f64>,
    renderer: &'a Renderer<'a>,
    progress: &'a mut dyn FnMut(FilmProgress) -> ControlFlow<()>,
}

impl Reel<'_> {
    /// Makes the first pass of every moment.
    fn for_each(&mut self, take: &mut Take<'_>) -> Result<(), RenderError> {
        self.pictures(&mut |_, picture| take(&beauty(picture)?))
    }

    fn png_folder(&mut self, folder: &Path) -> Result<Vec<PathBuf>, RenderError> {
        std::fs::create_dir_all(folder)
            .map_err(|source| RenderError::Write { path: folder.into(), source })?;
        let mut files = Vec::new();
        self.pictures(&mut |index, picture| {
            for (pass, image) in picture.images {
                let ending = match pass {
                    Pass::Beauty => String::new(),
                    pass => format!("_{}", pass.name()),
                };
                let file = folder.join(format!("frame_{:05}{ending}.png", index + 1));
                image.write_png(&file)?;
                if let Some(depths) = picture.depths.as_ref().filter(|_| pass == Pass::Depth) {
                    let numbers = file.with_extension("npy");
                    depths.write_npy(&numbers)?;
                    files.push(numbers);
                }
                files.push(file);
            }
            Ok(())
        })?;
        Ok(files)
    }

    fn pictures(
        &mut self,
        take: &mut dyn FnMut(usize, Picture) -> Result<(), RenderError>,
    ) -> Result<(), RenderError> {
        let total = self.times.len();
        for index in 0..total {
            let time = self.times[index];
            let frame = frame_at(self.source, self.stage, &self.recorded, time)?;
            take(index, self.renderer.render(self.exec, &frame)?)?;
            let done = index + 1;
            if (self.progress)(FilmProgress { done, total, time }).is_break() && done < total {
                return Err(RenderError::Cancelled { done, total });
            }
        }
        Ok(())
    }
}

/// The picture itself, or the first pass where it was not asked for.
fn beauty(picture: Picture) -> Result<Image, RenderError> {
    let place = picture.images.iter().position(|(pass, _)| *pass == Pass::Beauty).unwrap_or(0);
    picture.images.into_iter().nth(place).map(|(_, image)| image).ok_or(RenderError::NoFrames)
}

/// A few frames spread over the film.
fn scout_frames(
    source: &mut dyn FrameSource,
    stage: &Stage,
    recorded: &[f64],
    times: &[f64],
) -> Result<Vec<Frame>, RenderError> {
    let count = times.len().min(SCOUTS);
    let place = |scout: usize| scout * (times.len() - 1) / (count - 1).max(1);
    (0..count).map(|scout| frame_at(source, stage, recorded, times[place(scout)])).collect()
}

/// The frame at a time [s], blended from two recorded ones where there is none: what a film shows then.
pub fn frame_at_time(source: &mut dyn FrameSource, time: f64) -> Result<Frame, RenderError> {
    let recorded = source.times();
    let (Some(first), Some(last)) = (recorded.first(), recorded.last()) else {
        return Err(RenderError::NoFrames);
    };
    if !(first - 1e-9..=last + 1e-9).contains(&time) {
        return Err(RenderError::value("time", time, format!("a time from {first} s to {last} s")));
    }
    let stage = source.stage().clone();
    frame_at(source, &stage, &recorded, time)
}

/// The frame at a time, between two recorded ones where there is none.
fn frame_at(
    source: &mut dyn FrameSource,
    stage: &Stage,
    recorded: &[f64],
    time: f64,
) -> Result<Frame, RenderError> {
    let next = recorded.partition_point(|t| *t < time).min(recorded.len() - 1);
    let after = source.frame(next)?;
    if next == 0 || recorded[next] <= time {
        return Ok(after);
    }
    let before = source.frame(next - 1)?;
    let span = recorded[next] - recorded[next - 1];
    Ok(between(stage, &before, &after, time, (time - recorded[next - 1]) / span))
}

/// A frame between two: places and rotations blended, where items are the same.
fn between(stage: &Stage, before: &Frame, after: &Frame, time: f64, part: f64) -> Frame {
    let near = if part < 0.5 { before } else { after };
    let mut frame = Frame { time, ..near.clone() };
    for (index, group) in stage.groups.iter().enumerate() {
        let (Some(a), Some(b)) = (before.groups.get(index), after.groups.get(index)) else { continue };
        if group.kind == GroupKind::Contacts || a.count != b.count || a.fields.len() != b.fields.len() {
            continue;
        }
        let fields = group.fields.iter().zip(a.fields.iter().zip(&b.fields));
        let blend = fields.map(|(field, (a, b))| match field.name.as_str() {
            "id" => if part < 0.5 { a } else { b }.clone(),
            "rotation" => blended_rotations(a, b, part as f32),
            _ => a.iter().zip(b).map(|(a, b)| a + (b - a) * part as f32).collect(),
        });
        let blended = GroupFrame { count: a.count, fields: blend.collect() };
        let near = std::mem::replace(&mut frame.groups[index], blended);
        // What is there in one of the two alone is not blended.
        for item in (0..a.count).filter(|item| !a.is_there(*item) || !b.is_there(*item)) {
            for (field, (values, near)) in
                group.fields.iter().zip(frame.groups[index].fields.iter_mut().zip(&near.fields))
            {
                let numbers = item * field.components..(item + 1) * field.components;
                values[numbers.clone()].copy_from_slice(&near[numbers]);
            }
        }
    }
    frame
}

fn blended_rotations(a: &[f32], b: &[f32], part: f32) -> Vec<f32> {
    let mut out = Vec::with_capacity(a.len());
    for (a, b) in a.chunks_exact(4).zip(b.chunks_exact(4)) {
        let dot: f32 = a.iter().zip(b).map(|(a, b)| a * b).sum();
        // q and −q are the same rotation: take the short way.
        let sign = 1.0_f32.copysign(dot);
        out.extend(a.iter().zip(b).map(|(a, b)| a * (1.0 - part) + sign * b * part));
    }
    out
}

//! Recordings as files of other programs: VTK, glTF, POV-Ray, OBJ, CSV and NPZ.
//!
//! All exports take frames as they were recorded, without blending, so that numbers are those of the recording. Files
//! appear under their names only when the whole export is complete.

mod error;
mod glb;
pub mod gltf;
mod gltf_tracks;
mod npz;
pub mod obj;
pub mod povray;
mod staging;
pub mod table;
mod tessellation;
pub mod vtk;
mod vtp;

use std::ops::ControlFlow;
use std::path::PathBuf;

use huygens_record::Recording;
use huygens_record::recording::{Frame, Group, GroupKind, Stage};

use crate::camera::Framing;
use crate::view::View;

pub use error::ExportError;
pub(crate) use npz::array_header;

/// Frames that settle how far grounds reach, the camera and the range of colours.
const SCOUTS: usize = 12;

/// Which frames of a recording are exported.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum FrameChoice {
    /// Every frame.
    #[default]
    All,
    /// The last frame.
    Last,
    /// The frame nearest to each of some times [s].
    At(Vec<f64>),
    /// So many frames, spread evenly from the first to the last.
    Count(usize),
    /// Frames of a span of time.
    Span {
        /// First time [s]; that of the recording if not given.
        from: Option<f64>,
        /// Last time [s]; that of the recording if not given.
        to: Option<f64>,
        /// 1 takes every frame, 2 every second one, …
        every: usize,
    },
}

impl FrameChoice {
    /// Numbers of the frames, growing and each once.
    pub fn frames(&self, recording: &Recording) -> Result<Vec<usize>, ExportError> {
        let times = recording.times();
        let (Some(first), Some(last)) = (times.first(), times.last()) else {
            return Err(ExportError::NoFrames { path: recording.path().into() });
        };
        let mut frames: Vec<usize> = match self {
            Self::All => (0..times.len()).collect(),
            Self::Last => vec![times.len() - 1],
            Self::At(wanted) => {
                let slack = 1e-9 * (last - first).abs().max(1.0);
                let outside = wanted.iter().find(|t| !(**t >= first - slack && **t <= last + slack));
                if let Some(time) = outside {
                    return Err(ExportError::Time { time: *time, first: *first, last: *last });
                }
                wanted.iter().filter_map(|time| recording.index_at(*time)).collect()
            }
            Self::Count(0) => Vec::new(),
            Self::Count(1) => vec![times.len() - 1],
            Self::Count(count) => {
                let count = (*count).min(times.len());
                (0..count).map(|i| i * (times.len() - 1) / (count - 1).max(1)).collect()
            }
            Self::Span { from, to, every } => {
                let (from, to) = (from.unwrap_or(*first), to.unwrap_or(*last));
                let inside = |i: &usize| times[*i] >= from && times[*i] <= to;
                (0..times.len()).filter(inside).step_by((*every).max(1)).collect()
            }
        };
        frames.sort_unstable();
        frames.dedup();
        match frames.is_empty() {
            true => Err(ExportError::NothingChosen { first: *first, last: *last, count: times.len() }),
            false => Ok(frames),
        }
    }
}

/// How far an export is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExportProgress {
    /// Frames done.
    pub done: usize,
    /// Frames in all.
    pub total: usize,
    /// Time of the frame done last [s].
    pub time: f64,
}

/// Is told after every frame, and may stop the export.
pub type Progress<'a> = dyn FnMut(ExportProgress) -> ControlFlow<()> + 'a;

/// What an export left behind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExportReport {
    /// Files written, sorted; the one to open comes first.
    pub files: Vec<PathBuf>,
    /// Bytes of all files.
    pub bytes: u64,
    /// What the format cannot hold and was left out, with a way out.
    pub notes: Vec<String>,
}

/// Walks through the chosen frames, telling how far it is.
struct Walk<'a> {
    recording: &'a Recording,
    frames: Vec<usize>,
    progress: &'a mut Progress<'a>,
    done: usize,
    total: usize,
}

impl<'a> Walk<'a> {
    fn new(
        recording: &'a Recording,
        choice: &FrameChoice,
        progress: &'a mut Progress<'a>,
    ) -> Result<Self, ExportError> {
        let frames = choice.frames(recording)?;
        let total = frames.len();
        Ok(Self { recording, frames, progress, done: 0, total })
    }

    /// For an export that goes through the frames several times.
    fn passes(mut self, passes: usize) -> Self {
        self.total = self.frames.len() * passes;
        self
    }

    /// Calls `take` with the number within the choice and the frame itself.
    fn each(
        &mut self,
        take: &mut dyn FnMut(usize, &Frame) -> Result<(), ExportError>,
    ) -> Result<(), ExportError> {
        for number in 0..self.frames.len() {
            let frame = self.recording.frame(self.frames[number])?;
            take(number, &frame)?;
            self.tick(frame.time)?;
        }
        Ok(())
    }

    fn tick(&mut self, time: f64) -> Result<(), ExportError> {
        self.done += 1;
        let (done, total) = (self.done, self.total);
        let stop = (self.progress)(ExportProgress { done, total, time }).is_break();
        if stop && done < total { Err(ExportError::Cancelled { done, total }) } else { Ok(()) }
    }

    /// A few frames spread over the choice.
    fn scouts(&self) -> Result<Vec<Frame>, ExportError> {
        let count = self.frames.len().min(SCOUTS);
        let place = |i: usize| self.frames[i * (self.frames.len() - 1) / (count - 1).max(1)];
        Ok((0..count).map(|i| self.recording.frame(place(i))).collect::<Result<_, _>>()?)
    }
}

/// What the scene looks like from outside: how far it reaches.
fn framing(stage: &Stage, scouts: &[Frame], view: &View) -> Result<Framing, ExportError> {
    Ok(Framing::of(stage, &scouts.iter().collect::<Vec<_>>(), view)?)
}

/// Name of an item, or its group and number.
fn item_name(group: &Group, item: usize) -> String {
    match group.names.get(item).filter(|name| !name.is_empty()) {
        Some(name) => name.clone(),
        None => format!("{}_{item}", group.name),
    }
}

/// Whether the items of a group are drawn as balls of their own.
fn drawn_as_balls(stage: &Stage, group: usize) -> bool {
    let found = &stage.groups[group];
    matches!(found.kind, GroupKind::Particles | GroupKind::Markers)
        && !stage.batches.iter().any(|batch| batch.group == group)
        && found.fields.iter().chain(&found.constants).any(|f| f.name == "radius" && f.components == 1)
}

/// A name that every file system takes.
fn file_name(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' };
    let name: String = name.chars().take(80).map(plain).collect();
    match name.trim_matches('.') {
        "" => "unnamed".into(),
        trimmed => trimmed.to_owned(),
    }
}

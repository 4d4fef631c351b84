//! Records what is given as packed stage and frames, and serves it; the tests of the page drive it.
//!
//! `serve INPUT [--shown N] [--budget BYTES] [--interactive]` prints the address to open. The recording starts with N
//! frames (all by default) and stays within the budget; each line `grow N` on standard input adds some, `replace FILE`
//! starts another recording under the same name, `extend FILE` goes on with the frames and the larger stage of another. Commands of the page are printed as they come.
//! `serve INPUT --html FILE` writes one HTML file instead. INPUT: u64 bytes of the packed stage, the stage, u64
//! number of frames, and each frame as u64 bytes and the packed frame.

use std::error::Error;
use std::io::BufRead;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use huygens_record::recording::unpack_stage;
use huygens_record::{Frame, GroupFrame, Recording, RecordingSettings, RecordingWriter, Stage};
use huygens_viewer::{Command, Control, HtmlOptions, Input, Server, ServerSettings, export_html};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let input = PathBuf::from(arguments.next().ok_or("the file of packed frames is missing")?);
    let (mut shown, mut html, mut interactive, mut budget) = (usize::MAX, None, false, None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--interactive" => interactive = true,
            "--shown" => shown = arguments.next().ok_or("--shown needs a number")?.parse()?,
            "--budget" => budget = Some(arguments.next().ok_or("--budget needs a number")?.parse()?),
            "--html" => html = Some(PathBuf::from(arguments.next().ok_or("--html needs a file")?)),
            other => return Err(format!("unknown argument '{other}'").into()),
        }
    }
    let path = input.with_extension("hrec");
    let mut source = Growing::create(&input, &path, budget)?;
    source.grow(shown, &path)?;
    match html {
        Some(html) => {
            let go_on = &mut |_, _| ControlFlow::Continue(());
            export_html(&Recording::open(&path)?, &html, &HtmlOptions::default(), go_on)?;
        }
        None => serve(&path, source, interactive)?,
    }
    Ok(())
}

fn serve(path: &Path, mut source: Growing, interactive: bool) -> Result<(), Box<dyn Error>> {
    let control = Control::new();
    if interactive {
        let keys = vec!["ArrowLeft".to_owned(), "ArrowRight".to_owned()];
        let steering = Input { name: "steering".to_owned(), value: 0.0, min: -1.0, max: 1.0, keys };
        let throttle =
            Input { name: "throttle".to_owned(), value: 0.2, min: 0.0, max: 1.0, keys: Vec::new() };
        control.show_inputs(vec![steering, throttle]);
        let control = control.clone();
        std::thread::spawn(move || obey(&control));
    }
    let control = interactive.then_some(control);
    let server = Server::start(path, ServerSettings { control, ..ServerSettings::default() })?;
    println!("{}", server.url());
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        if let Some(count) = line.strip_prefix("grow ") {
            source.grow(count.parse()?, path)?;
        }
        if let Some(input) = line.strip_prefix("extend ") {
            source.extend(Path::new(input))?;
        }
        if let Some(input) = line.strip_prefix("replace ") {
            source = Growing::create(Path::new(input), path, None)?;
            source.grow(usize::MAX, path)?;
        }
    }
    Ok(())
}

/// A run that only says what it was told, and pauses.
fn obey(control: &Control) {
    loop {
        let Some(command) = control.wait(Duration::from_secs(3600)) else { continue };
        match command {
            Command::Pause => control.show_paused(true),
            Command::Resume => control.show_paused(false),
            _ => {}
        }
        println!("{}", serde_json::to_string(&command).unwrap_or_default());
    }
}

/// A recording of which not all frames are written yet.
struct Growing {
    writer: Option<RecordingWriter>,
    frames: std::vec::IntoIter<Frame>,
    /// Frames written.
    taken: usize,
    budget: Option<u64>,
}

impl Growing {
    fn create(input: &Path, path: &Path, budget: Option<u64>) -> Result<Self, Box<dyn Error>> {
        let (stage, frames) = read_input(&std::fs::read(input)?)?;
        let settings =
            RecordingSettings { interval: 0.0, budget_bytes: budget, ..RecordingSettings::default() };
        Ok(Self { writer: Some(RecordingWriter::create(path, &stage, &settings)?), frames, taken: 0, budget })
    }

    /// Goes on with the frames of a recording of the same run whose stage shows more.
    fn extend(&mut self, input: &Path) -> Result<(), Box<dyn Error>> {
        let (stage, mut frames) = read_input(&std::fs::read(input)?)?;
        frames.by_ref().take(self.taken).for_each(drop);
        self.frames = frames;
        self.writer.as_mut().map_or(Ok(()), |writer| writer.restage(&stage))?;
        Ok(())
    }

    /// Writes some frames and waits until they can be read; ends the file after the last. Within a budget the last
    /// one may be dropped, so nothing is waited for.
    fn grow(&mut self, count: usize, path: &Path) -> Result<(), Box<dyn Error>> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        let mut last = f64::NEG_INFINITY;
        for frame in self.frames.by_ref().take(count) {
            last = frame.time;
            self.taken += 1;
            writer.push(frame)?;
        }
        if self.frames.len() == 0
            && let Some(writer) = self.writer.take()
        {
            writer.finish()?;
        }
        if self.budget.is_some() {
            return Ok(());
        }
        while Recording::open(path)?.times().last().is_none_or(|time| *time < last) {
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }
}

fn read_input(mut bytes: &[u8]) -> Result<(Stage, std::vec::IntoIter<Frame>), Box<dyn Error>> {
    let stage = sized(&mut bytes)?;
    let stage = unpack_stage(stage)?;
    let count = u64::from_le_bytes(take(&mut bytes)?);
    let mut frames = Vec::new();
    for _ in 0..count {
        let mut packed = sized(&mut bytes)?;
        frames.push(read_frame(&stage, &mut packed)?);
    }
    Ok((stage, frames.into_iter()))
}

fn read_frame(stage: &Stage, bytes: &mut &[u8]) -> Result<Frame, Box<dyn Error>> {
    let time = f64::from_le_bytes(take(bytes)?);
    let step = u64::from_le_bytes(take(bytes)?);
    let _counts: [u8; 8] = take(bytes)?;
    let mut frame = Frame { time, step, ..Frame::default() };
    for _ in &stage.scalars {
        frame.scalars.push(f64::from_le_bytes(take(bytes)?));
    }
    for group in &stage.groups {
        let [count, _zero] = [u32::from_le_bytes(take(bytes)?), u32::from_le_bytes(take(bytes)?)];
        let mut values = GroupFrame { count: count as usize, fields: Vec::new() };
        for field in &group.fields {
            let numbers = (0..values.count * field.components).map(|_| take(bytes).map(f32::from_le_bytes));
            values.fields.push(numbers.collect::<Result<_, _>>()?);
        }
        frame.groups.push(values);
    }
    Ok(frame)
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], Box<dyn Error>> {
    let (head, rest) = bytes.split_first_chunk::<N>().ok_or("the input is cut off")?;
    *bytes = rest;
    Ok(*head)
}

fn sized<'a>(bytes: &mut &'a [u8]) -> Result<&'a [u8], Box<dyn Error>> {
    let length = usize::try_from(u64::from_le_bytes(take(bytes)?))?;
    let (head, rest) = bytes.split_at_checked(length).ok_or("the input is cut off")?;
    *bytes = rest;
    Ok(head)
}

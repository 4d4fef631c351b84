//! Films and descriptions that cannot be met.

use std::ops::ControlFlow;
use std::path::Path;

use crate::common::Bodies;
use huygens_exec::Exec;
use huygens_record::recording::{BatchKind, Frame, Stage};
use huygens_render::{Film, FilmFormat, Moments, Picture, RenderError, View};

/// A ball that flies over a ground in one second.
fn flight() -> (Stage, Vec<Frame>) {
    let mut bodies = Bodies::default();
    bodies.at(BatchKind::HalfSpace, &[], [0.0; 3]).at(BatchKind::Sphere, &[0.3], [-1.0, 0.0, 0.5]);
    let (stage, first) = bodies.stage();
    let frames = (0..=10).map(|i| {
        let mut frame = Frame { time: 0.1 * f64::from(i), ..first.clone() };
        frame.groups[0].fields[0][3] = -1.0 + 0.2 * i as f32;
        frame
    });
    (stage, frames.collect())
}

fn film(size: [u32; 2]) -> Film {
    Film { rate: 10.0, ..Film::new(View { size, samples: 2, ..View::default() }) }
}

fn make(film: &Film, path: &Path, format: FilmFormat) -> Result<Vec<std::path::PathBuf>, RenderError> {
    film.render(&Exec::serial(), &mut flight(), path, format, &mut |_| ControlFlow::Continue(()))
}

#[test]
fn a_gif_plays_what_the_pictures_show() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flight.gif");
    let film = film([96, 54]);
    make(&film, &path, FilmFormat::of(&path).unwrap()).unwrap();
    let pictures = make(&film, &folder.path().join("png"), FilmFormat::PngFolder).unwrap();
    assert_eq!(pictures.len(), 11);
    assert!(pictures[10].ends_with("frame_00011.png"));

    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(std::fs::File::open(&path).unwrap()).unwrap();
    let mut canvas = vec![0_u8; 96 * 54 * 4];
    let mut delay = 0;
    for picture in &pictures {
        let frame = decoder.read_next_frame().unwrap().expect("a frame for each picture");
        delay += frame.delay;
        for (index, pixel) in frame.buffer.chunks_exact(4).enumerate().filter(|(_, p)| p[3] > 0) {
            let (x, y) = (index % usize::from(frame.width), index / usize::from(frame.width));
            let at = 4 * ((y + usize::from(frame.top)) * 96 + x + usize::from(frame.left));
            canvas[at..at + 4].copy_from_slice(pixel);
        }
        let bytes = std::io::BufReader::new(std::fs::File::open(picture).unwrap());
        let mut reader = png::Decoder::new(bytes).read_info().unwrap();
        let mut expected = vec![0; 96 * 54 * 3];
        reader.next_frame(&mut expected).unwrap();
        let pairs = canvas.chunks_exact(4).zip(expected.chunks_exact(3));
        let errors = pairs.flat_map(|(a, b)| (0..3).map(|i| f64::from(a[i].abs_diff(b[i]))));
        let mean = errors.sum::<f64>() / expected.len() as f64;
        assert!(mean < 4.0, "mean error {mean}");
    }
    assert!(decoder.read_next_frame().unwrap().is_none());
    assert_eq!(delay, 110);
}

#[test]
fn a_stopped_film_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flight.gif");
    let mut stop = |p: huygens_render::FilmProgress| match p.done < 3 {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    };
    let result = film([32, 32]).render(&Exec::serial(), &mut flight(), &path, FilmFormat::Gif, &mut stop);
    assert!(matches!(result, Err(RenderError::Cancelled { done: 3, total: 11 })), "{result:?}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_missing_encoder_is_named_with_a_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let film = Film { ffmpeg: "no-such-encoder".into(), ..film([32, 32]) };
    let message = make(&film, &folder.path().join("a.mp4"), FilmFormat::Mp4).unwrap_err().to_string();
    assert!(message.contains("no-such-encoder") && message.contains(".gif"), "{message}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    assert!(matches!(FilmFormat::of("a.avi".as_ref()), Err(RenderError::FilmKind { .. })));
}

#[cfg(unix)]
#[test]
fn the_encoder_gets_every_picture_and_its_complaints_are_passed_on() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let script = |name: &str, body: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    };
    let copies = script("copies", "for last; do :; done; cat > \"$last\"");
    let target = folder.path().join("a.mp4");
    make(&Film { ffmpeg: copies, ..film([32, 30]) }, &target, FilmFormat::Mp4).unwrap();
    assert_eq!(std::fs::metadata(&target).unwrap().len(), 11 * 32 * 30 * 3);

    let complains = script("complains", "echo 'no such codec' >&2; exit 1");
    let target = folder.path().join("b.mp4");
    let error = make(&Film { ffmpeg: complains, ..film([320, 300]) }, &target, FilmFormat::Mp4).unwrap_err();
    assert!(error.to_string().contains("no such codec"), "{error}");
    assert!(!target.exists());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[test]
fn moments_between_frames_are_blended_and_others_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut film = film([64, 48]);
    film.moments = Moments::At(vec![0.35]);
    film.view.camera.position = Some([0.0, -6.0, 2.0]);
    film.view.camera.target = Some([0.0; 3]);
    let between = make(&film, &folder.path().join("a"), FilmFormat::PngFolder).unwrap();
    // The same as a recording with a frame at that time.
    let (stage, frames) = flight();
    let mut frame = frames[3].clone();
    frame.groups[0].fields[0][3] = -0.3;
    frame.time = 0.35;
    let exact = Picture::render(&Exec::serial(), &stage, &frame, &film.view).unwrap();
    let mean = |bytes: &[u8], other: &[u8]| {
        let sum: f64 = bytes.iter().zip(other).map(|(a, b)| f64::from(a.abs_diff(*b))).sum();
        sum / bytes.len() as f64
    };
    let mut reader = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&between[0]).unwrap()))
        .read_info()
        .unwrap();
    let mut found = vec![0; 64 * 48 * 3];
    reader.next_frame(&mut found).unwrap();
    assert!(mean(&found, &exact.rgb()) < 0.5);

    film.moments = Moments::At(vec![1.5]);
    let message = make(&film, folder.path(), FilmFormat::PngFolder).unwrap_err().to_string();
    assert!(message.contains("1.5") && message.contains("0 s to 1 s"), "{message}");
}

#[test]
fn descriptions_that_cannot_be_met_name_the_key() {
    let (stage, frames) = flight();
    let try_view = |text: &str| {
        let view = View::from_toml(text)?;
        Picture::render(&Exec::serial(), &stage, &frames[0], &View { size: [8, 8], ..view })
    };
    let cases = [
        ("sampels = 3", "sampels"),
        ("camera = { fov = 3 }", "fov_deg"),
        ("camera = { fov_deg = 200 }", "camera.fov_deg"),
        ("size = [0, 10]", "size"),
        ("samples = 0", "samples"),
        ("passes = [\"beauti\"]", "beauti"),
        ("sun = { color = \"red\" }", "#4c8bd0"),
        ("sun = { direction = [0, 0, 0] }", "sun.direction"),
        ("color_by = { field = \"temperature\" }", "velocity"),
        ("color_by = { field = \"velocity\", component = \"w\" }", "3 components"),
        ("color_by = { field = \"speed\", group = \"grains\" }", "bodies"),
        ("color_by = { field = \"speed\", range = [2, 1] }", "color_by.range"),
        ("camera = { follow = \"ball\" }", "item_1"),
        ("camera = { path = [{ time = 1 }, { time = 0 }] }", "camera.path[1].time"),
        ("looks = [{ name = \"*\", opacity = 2 }]", "looks[0].opacity"),
    ];
    for (text, expected) in cases {
        let message = try_view(text).expect_err(text).to_string();
        assert!(message.contains(expected), "{text}: {message}");
    }
    assert!(try_view("").is_ok());
    let view = View::from_toml("sky = { zenith = [0.1, 0.2, 0.3] }\nhide = [\"a*\"]").unwrap();
    assert_eq!(View::from_value(&serde_json::to_value(&view).unwrap()).unwrap().hide, ["a*"]);
}

#[test]
fn recordings_that_contradict_themselves_are_refused() {
    let (stage, frames) = flight();
    let render = |stage: &Stage, frame: &Frame| {
        let view = View { size: [8, 8], ..View::default() };
        Picture::render(&Exec::serial(), stage, frame, &view).unwrap_err().to_string()
    };
    let mut lost = frames[0].clone();
    lost.groups[0].fields[0][4] = f32::NAN;
    assert!(render(&stage, &lost).contains("'item_1'"));
    let mut bad = stage.clone();
    bad.batches[1].looks[0] = 9;
    assert!(render(&bad, &frames[0]).contains("look 9"));
    bad = stage.clone();
    bad.batches[1].sizes.push(1.0);
    assert!(render(&bad, &frames[0]).contains("batch 1"));
    let mut short = frames[0].clone();
    short.groups[0].fields[0].pop();
    assert!(render(&stage, &short).contains("position"));
}

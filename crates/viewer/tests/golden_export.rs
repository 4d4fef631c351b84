//! The exported page: what it holds, checked by unpacking it again.

use std::io::Read;
use std::ops::ControlFlow;

use crate::common::*;
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use huygens_record::Recording;
use huygens_record::recording::{pack_frame, pack_stage};
use huygens_viewer::{HtmlOptions, ViewerError, export_html};

/// Text of the element with an id.
fn element<'a>(page: &'a str, id: &str) -> Option<&'a str> {
    let start = page.find(&format!("id=\"{id}\">"))? + id.len() + 6;
    page[start..].split("</script>").next()
}

fn unpacked(page: &str, id: &str) -> Vec<u8> {
    let packed = BASE64.decode(element(page, id).expect(id)).unwrap();
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut bytes).unwrap();
    bytes
}

#[test]
fn one_file_holds_page_and_data() {
    let folder = tempfile::tempdir().unwrap();
    let recording = Recording::open(&record(folder.path(), 40, 50)).unwrap();
    let path = folder.path().join("run.html");
    let mut steps = Vec::new();
    let options = HtmlOptions { stride: 2, ..HtmlOptions::default() };
    let summary = export_html(&recording, &path, &options, &mut |done, total| {
        steps.push((done, total));
        ControlFlow::Continue(())
    });
    let summary = summary.unwrap();
    let page = std::fs::read_to_string(&path).unwrap();
    assert_eq!((summary.frames, summary.bytes), (25, page.len() as u64));
    assert_eq!(steps, [(16, 25), (25, 25)]);
    assert_eq!(unpacked(&page, "huygens-stage"), pack_stage(&stage(40)).unwrap());
    let index: serde_json::Value = serde_json::from_str(element(&page, "huygens-index").unwrap()).unwrap();
    assert_eq!(index["times"][24], 6.0);
    assert_eq!(index["chunks"][1], serde_json::json!({ "first": 16, "count": 9 }));
    assert_eq!(index["ranges"], ranges_by_hand(40, (0..50).step_by(2)));
    let chunk = unpacked(&page, "huygens-frames-1");
    let packed: Vec<Vec<u8>> = (16..25).map(|index| pack_frame(&frame(40, 2 * index))).collect();
    assert_eq!(chunk[..8], 9_u64.to_le_bytes());
    assert_eq!(chunk[8..16], (packed[0].len() as u64).to_le_bytes());
    assert_eq!(chunk[8 + 8 * 9..], packed.concat());
    let scalars = unpacked(&page, "huygens-scalars");
    assert_eq!(scalars[16 * 24..], [6.0_f64, -6.0].map(f64::to_le_bytes).concat());
    // Nothing is loaded from elsewhere.
    assert!(!page.contains("src=\"") && !page.contains("href=\"assets"));
    assert!(page.contains("script-src 'sha256-") && page.contains("style-src 'sha256-"));
}

#[test]
fn limits_and_cancelling_leave_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let recording = Recording::open(&record(folder.path(), 4000, 100)).unwrap();
    let path = folder.path().join("run.html");
    let limit_bytes = 2 << 20;
    let go_on = &mut |_, _| ControlFlow::Continue(());
    let options = HtmlOptions { limit_bytes, ..HtmlOptions::default() };
    let error = export_html(&recording, &path, &options, go_on).unwrap_err();
    let ViewerError::ExportLimit { stride: Some(stride), .. } = error else { panic!("{error}") };
    // The advice holds.
    export_html(&recording, &path, &HtmlOptions { stride, limit_bytes, ..HtmlOptions::default() }, go_on)
        .unwrap();
    std::fs::remove_file(&path).unwrap();
    let stop = &mut |_, _| ControlFlow::Break(());
    let error = export_html(&recording, &path, &HtmlOptions::default(), stop).unwrap_err();
    assert!(matches!(error, ViewerError::Cancelled));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "only the recording is left");
}

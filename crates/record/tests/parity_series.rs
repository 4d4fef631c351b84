//! Time series: bits survive, crashes lose nothing that was flushed, bad files are named by line.

use std::fs;

use huygens_record::{Column, Manifest, Outcome, RecordError, Series, SeriesFault, SeriesWriter};

fn columns() -> Vec<Column> {
    vec![Column::new("time", "s"), Column::new("crank.angle", "rad"), Column::new("ratio, measured", "")]
}

#[test]
fn numbers_read_back_bit_for_bit() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("probe.csv");
    let numbers = [0.1, -0.0, 1.0 / 3.0, f64::MIN_POSITIVE, 5e-324, f64::MAX, 1e22, -123_456_789.123_456_79];
    let mut writer = SeriesWriter::create(&path, &columns()).expect("create");
    for (index, number) in numbers.iter().enumerate() {
        writer.row(&[index as f64, *number, -number]).expect("row");
    }
    // What has no value is an empty cell, but for the first column.
    writer.row(&[8.0, f64::NAN, 1.0]).expect("row");
    assert!(!path.exists(), "the final name is for complete files only");
    writer.finish().expect("finish");
    let text = fs::read_to_string(&path).expect("text");
    assert!(text.starts_with("time [s],crank.angle [rad],\"ratio, measured\"\n"), "{text}");
    assert!(text.ends_with("\n8.0,,1.0\n"), "{text}");
    let series = Series::read(&path).expect("read");
    assert_eq!(series.columns(), columns());
    let (_, values) = series.column("crank.angle").expect("column");
    assert_eq!(values.len(), numbers.len() + 1);
    assert!(values[numbers.len()].is_nan());
    fs::write(&path, text.replace("\n8.0,,", "\n,,")).expect("write");
    assert!(Series::read(&path).is_err(), "a row needs its time");
    for (found, expected) in values.iter().zip(numbers) {
        assert_eq!(found.to_bits(), expected.to_bits());
    }
}

#[test]
fn a_resumed_series_equals_an_uninterrupted_one() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let (whole, broken) = (folder.path().join("a.csv"), folder.path().join("b.csv"));
    let row = |step: i32| {
        let time = 0.1 * f64::from(step);
        [time, time.sin(), time.cos()]
    };
    let mut writer = SeriesWriter::create(&whole, &columns()).expect("create");
    (0..=20).for_each(|step| writer.row(&row(step)).expect("row"));
    writer.finish().expect("finish");

    let mut writer = SeriesWriter::create(&broken, &columns()).expect("create");
    (0..=13).for_each(|step| writer.row(&row(step)).expect("row"));
    writer.sync().expect("sync");
    let part = writer.part_path().to_path_buf();
    drop(writer);
    assert!(!broken.exists() && part.exists());
    assert_eq!(Series::read(&part).expect("readable after a crash").row_count(), 14);
    let mut cut = fs::read(&part).expect("part");
    cut.extend_from_slice(b"1.40000000001,0.9");
    fs::write(&part, cut).expect("a line cut by a crash");

    let mut writer = SeriesWriter::resume(&broken, &columns(), row(9)[0]).expect("resume");
    (10..=15).for_each(|step| writer.row(&row(step)).expect("row"));
    writer.finish().expect("finish");
    let mut writer = SeriesWriter::resume(&broken, &columns(), row(15)[0]).expect("resume");
    (16..=20).for_each(|step| writer.row(&row(step)).expect("row"));
    writer.finish().expect("finish");
    assert_eq!(fs::read(&whole).expect("whole"), fs::read(&broken).expect("broken"));
}

#[test]
fn a_series_with_other_columns_is_not_continued() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("probe.csv");
    SeriesWriter::create(&path, &columns()).and_then(SeriesWriter::finish).expect("file");
    let error = SeriesWriter::resume(&path, &columns()[..2], 1.0).expect_err("other header");
    assert!(error.to_string().contains("line 1: header is"), "{error}");
}

#[test]
fn bad_files_are_named_by_line() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("bad.csv");
    let fault = |text: &[u8]| -> (u64, SeriesFault) {
        fs::write(&path, text).expect("write");
        match Series::read(&path).expect_err("bad file") {
            RecordError::Series { line, fault, .. } => (line, fault),
            other => panic!("{other}"),
        }
    };
    assert_eq!(fault(b""), (1, SeriesFault::Empty));
    let (expected, found) = (2, 3);
    assert_eq!(fault(b"a,b\n1,2\n1,2,3\n"), (3, SeriesFault::Ragged { expected, found }));
    let column = "b".to_owned();
    let text = "two".to_owned();
    assert_eq!(fault(b"a,b [m]\n1,two\n"), (2, SeriesFault::NotNumber { column, text }));
    let column = "a".to_owned();
    assert_eq!(fault(b"a [m],a [s]\n"), (1, SeriesFault::DuplicateColumn { column }));
    assert_eq!(fault(b"a,\n"), (1, SeriesFault::UnnamedColumn { index: 2 }));
    assert!(matches!(fault(b"a\n1\n\xff\xfe\n"), (3, SeriesFault::Text { .. })));
}

#[test]
fn bad_columns_and_rows_are_refused() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("probe.csv");
    for bad in ["", "a\nb", "a]", " a", "time"] {
        let columns = [Column::new("time", "s"), Column::new(bad, "")];
        assert!(SeriesWriter::create(&path, &columns).is_err(), "{bad:?}");
    }
    let mut writer = SeriesWriter::create(&path, &columns()).expect("create");
    assert!(matches!(writer.row(&[1.0]), Err(RecordError::RowLength { expected: 3, found: 1 })));
}

#[test]
fn the_manifest_reads_back() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("manifest.json");
    let manifest = Manifest {
        version: "0.1.0".into(),
        scene_hash: "ab12".into(),
        seed: u64::MAX,
        steps: 1000,
        simulated_time: 0.1 + 0.2,
        outcome: Outcome::Signal,
        warnings: vec!["joint 'a' is redundant".into()],
        ..Manifest::default()
    };
    manifest.write(&path).expect("write");
    assert_eq!(Manifest::read(&path).expect("read"), manifest);
    assert!(!manifest.finished());
    fs::write(&path, "{\"version\": 3}").expect("damage");
    let error = Manifest::read(&path).expect_err("wrong type").to_string();
    assert!(error.contains("line 1"), "{error}");
}

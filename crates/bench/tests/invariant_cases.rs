//! Every case runs by itself, and says what is wrong with what it is asked for.

use std::fs;
use std::path::Path;

use huygens_bench::{BenchError, CASES, Line, Request, run};
use serde_json::Value;

fn lines(request: &Request) -> Result<Vec<Line>, BenchError> {
    let mut lines = Vec::new();
    run(request, &mut |line| lines.push(line.clone()))?;
    Ok(lines)
}

fn json(line: &Line) -> Value {
    serde_json::from_str(&line.json()).expect("a line is JSON")
}

fn grains(size: usize, folder: &Path) -> Request {
    Request { sizes: vec![size], steps: Some(2), data: Some(folder.into()), ..Request::new("dem_settle") }
}

#[test]
fn invariant_every_case_and_variant_runs_without_data() {
    for case in CASES {
        for variant in std::iter::once(&"").chain(case.variants) {
            let request = Request {
                variant: (*variant).into(),
                sizes: vec![8],
                steps: Some(2),
                ..Request::new(case.name)
            };
            let lines = lines(&request).unwrap_or_else(|e| panic!("{} {variant}: {e}", case.name));
            assert_eq!(lines.len(), 1, "{}", case.name);
            let found = json(&lines[0]);
            assert_eq!(found["case"], case.name);
            assert_eq!(found["steps"], 2, "{}", case.name);
            assert_eq!(found["size"], lines[0].size(), "{}", case.name);
            assert!(found["ms_per_step"].as_f64().expect("a number") > 0.0, "{}", case.name);
            assert!(lines[0].to_string().starts_with(case.name));
            if !variant.is_empty() {
                assert_eq!(found["variant"], *variant, "{}", case.name);
            }
        }
    }
}

#[test]
fn analytic_loops_end_a_second_near_their_references() {
    // Second order: with steps of 1 ms the slider is 0.16 mm off after 1 s, the four-bar's coupler 0.12 mm.
    for case in ["slider_crank", "four_bar"] {
        let found = json(&lines(&Request { steps: Some(1000), ..Request::new(case) }).expect(case)[0]);
        let error = found["tip_error_1s"].as_f64().expect("there is a reference at 1 s");
        assert!(error < 2e-4, "{case}: {error}");
        assert_eq!(found["tip_error_2s"], Value::Null, "{case} was stopped at 1 s");
    }
}

#[test]
fn invariant_beds_are_those_of_the_tables() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let missing = folder.path().join("nowhere");
    let error = lines(&grains(3, &missing)).expect_err("there is no such folder");
    assert!(matches!(&error, BenchError::NoTable { expected, .. } if expected == &["dem_settled_3.csv"]));
    assert!(error.to_string().contains("dem_settled_3.csv"), "{error}");
    assert!(error.help().is_some_and(|help| help.contains("x, y, z, radius")));
    let error = lines(&grains(20_000, folder.path())).expect_err("there is no table");
    let both = ["dem_settled_20000.csv", "dem_settled_8000.csv"];
    assert!(matches!(&error, BenchError::NoTable { expected, .. } if expected == &both), "{error}");

    // Three grains in a row on the floor of a box of 3 by 1 mm.
    let row = "x,y,z,radius\n5e-4,5e-4,5e-4,5e-4\n1.5e-3,5e-4,5e-4,5e-4\n2.5e-3,5e-4,5e-4,5e-4\n";
    fs::write(folder.path().join("dem_settled_3.csv"), row).expect("write");
    let found = json(&lines(&grains(3, folder.path())).expect("a bed")[0]);
    assert_eq!((&found["variant"], &found["size"]), (&"table".into(), &3.into()));
    // Larger beds are mirror images of the table of 8000: here 9000 / 3 of three grains.
    fs::write(folder.path().join("dem_settled_8000.csv"), row).expect("write");
    let found = json(&lines(&grains(9000, folder.path())).expect("a bed")[0]);
    assert_eq!(found["variant"], "tiled");
    assert!((found["size"].as_f64().expect("a number") - 9000.0).abs() < 0.01 * 9000.0, "{found}");
}

#[test]
fn invariant_wrong_tables_are_refused() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let table = folder.path().join("dem_settled_8000.csv");
    for wrong in ["1,2,3", "1,2,3,4,5", "1,2,x,3,4", ""] {
        fs::write(&table, format!("x,y,z,radius\n0,0,1,1\n{wrong}\n")).expect("write");
        for size in [8000, 20_000] {
            let error = lines(&grains(size, folder.path())).expect_err(wrong);
            assert!(matches!(error, BenchError::TableLine { line: 3, .. }), "{wrong}: {error}");
        }
    }
    for empty in ["", "x,y,z,radius\n"] {
        fs::write(&table, empty).expect("write");
        for size in [8000, 20_000] {
            let error = lines(&grains(size, folder.path())).expect_err("no grains");
            assert!(matches!(error, BenchError::EmptyTable { .. }), "{error}");
        }
    }
}

#[test]
fn invariant_requests_that_make_no_sense_are_refused() {
    let refused = |request: Request| lines(&request).expect_err("refused");
    let error = refused(Request::new("no_such_case"));
    assert!(error.help().is_some_and(|help| help.contains("pendulum_chain")), "{error}");
    let error = refused(Request { variant: "hit".into(), ..Request::new("pendulum_chain") });
    assert!(error.help().is_some_and(|help| help.contains("alt3d")), "{error}");
    for size in [0, huygens_bench::SIZE_LIMIT + 1] {
        let error = refused(Request { sizes: vec![size], ..Request::new("ancf_cable") });
        assert!(matches!(error, BenchError::Size { .. }), "{error}");
    }
    assert!(matches!(refused(Request { steps: Some(0), ..Request::new("four_bar") }), BenchError::NoSteps));
}

//! Functions of time against closed forms, and their derivatives against central differences.

use std::f64::consts::{PI, TAU};

use huygens_core::function::{Extrapolation, Function, FunctionError, Interpolation, Table};

fn close(got: f64, expected: f64, tolerance: f64) {
    assert!((got - expected).abs() <= tolerance, "got {got}, expected {expected}");
}

fn table(points: &[(f64, f64)], interpolation: Interpolation, extrapolation: Extrapolation) -> Table {
    let (x, y) = points.iter().copied().unzip();
    Table::new(x, y, interpolation, extrapolation).unwrap()
}

/// One of each kind, nested ones included.
fn functions() -> Vec<Function> {
    let bumps = [(0.0, 1.0), (0.7, -0.4), (1.1, 2.0), (2.0, 2.5), (2.4, 0.0), (3.3, 1.0)];
    let sine = Function::Sine { amplitude: 1.3, frequency: 0.4, phase: 0.2, offset: -0.5 };
    let step = Function::StepPoly345 { from: -1.0, to: 2.0, start: 0.4, duration: 1.9 };
    let polynomial = Function::Polynomial { coefficients: vec![0.5, -1.0, 0.3, 0.2] };
    let mut all = vec![
        Function::constant(3.0),
        Function::Ramp { start_value: 1.0, slope: -2.0, start_time: 0.5, end_time: Some(2.0) },
        Function::StepCycloidal { from: 2.0, to: -1.0, start: 0.3, duration: 2.2 },
        Function::Sum { terms: vec![sine.clone(), polynomial.clone(), step.clone()] },
        Function::Product { factors: vec![sine.clone(), polynomial.clone(), step.clone()] },
        sine.clone().of(polynomial.clone()),
        sine,
        step,
        polynomial,
    ];
    for extrapolation in [Extrapolation::Hold, Extrapolation::Linear, Extrapolation::Periodic] {
        for interpolation in [Interpolation::Linear, Interpolation::Cubic, Interpolation::Akima] {
            all.push(table(&bumps, interpolation, extrapolation).into());
        }
    }
    all
}

#[test]
fn derivatives_agree_with_central_differences() {
    let h = 1e-5;
    // Times away from every corner of the piecewise kinds.
    for function in functions() {
        for k in 0..37 {
            let t = -1.013 + 0.151 * f64::from(k);
            let [value, rate, acceleration] = function.evaluate(t);
            let (before, after) = (function.evaluate(t - h), function.evaluate(t + h));
            close(function.value(t), value, 1e-15 * value.abs());
            close(rate, (after[0] - before[0]) / (2.0 * h), 1e-7 * (1.0 + rate.abs()));
            close(acceleration, (after[1] - before[1]) / (2.0 * h), 1e-7 * (1.0 + acceleration.abs()));
        }
    }
}

#[test]
fn ramp_and_sine_have_their_closed_forms() {
    let ramp = Function::Ramp { start_value: 1.0, slope: -2.0, start_time: 0.5, end_time: Some(2.0) };
    assert_eq!(ramp.evaluate(0.0), [1.0, 0.0, 0.0]);
    assert_eq!(ramp.evaluate(1.5), [-1.0, -2.0, 0.0]);
    assert_eq!(ramp.evaluate(9.0), [-2.0, 0.0, 0.0]);
    let sine = Function::Sine { amplitude: 2.0, frequency: 3.0, phase: PI / 2.0, offset: 1.0 };
    let [value, rate, acceleration] = sine.evaluate(0.0);
    close(value, 3.0, 1e-15);
    close(rate, 0.0, 1e-14);
    close(acceleration, -2.0 * (TAU * 3.0).powi(2), 1e-10);
}

#[test]
fn steps_join_their_ends_smoothly() {
    let (from, to, start, duration) = (-1.0, 3.0, 0.5, 2.0);
    let poly = Function::StepPoly345 { from, to, start, duration };
    let cycloidal = Function::StepCycloidal { from, to, start, duration };
    let near = 1e-6;
    for step in [&poly, &cycloidal] {
        for (t, end) in [(start + near, from), (start + duration - near, to)] {
            let [value, rate, acceleration] = step.evaluate(t);
            close(value, end, 1e-14);
            close(rate, 0.0, 1e-10);
            close(acceleration, 0.0, 1e-4);
        }
        assert_eq!(step.evaluate(start), [from, 0.0, 0.0]);
        assert_eq!(step.evaluate(start + duration), [to, 0.0, 0.0]);
        close(step.value(start + 0.5 * duration), 0.5 * (from + to), 1e-15);
    }
    // Peak velocities of the two laws: 15/8 and 2 times the mean one.
    close(poly.rate(1.5), 15.0 / 8.0 * (to - from) / duration, 1e-14);
    close(cycloidal.rate(1.5), 2.0 * (to - from) / duration, 1e-14);
}

#[test]
fn tables_go_through_their_points() {
    let points = [(-1.0, 2.0), (0.3, -1.7), (0.9, 4.1), (2.0, 4.1), (3.7, 2.0)];
    for extrapolation in [Extrapolation::Hold, Extrapolation::Linear, Extrapolation::Periodic] {
        for interpolation in [Interpolation::Linear, Interpolation::Cubic, Interpolation::Akima] {
            let table = table(&points, interpolation, extrapolation);
            for (x, y) in points {
                assert_eq!(table.evaluate(x)[0], y);
            }
        }
    }
}

#[test]
fn every_interpolation_reproduces_a_line() {
    let line = |x: f64| 0.5 - 3.0 * x;
    for count in [2, 3, 4, 9] {
        let points: Vec<_> = (0..count).map(|i| f64::from(i * i) * 0.1).map(|x| (x, line(x))).collect();
        for interpolation in [Interpolation::Linear, Interpolation::Cubic, Interpolation::Akima] {
            let table = table(&points, interpolation, Extrapolation::Linear);
            for x in [-1.0, 0.03, 0.5, 3.3, 8.0] {
                let [value, rate, acceleration] = table.evaluate(x);
                close(value, line(x), 1e-13);
                close(rate, -3.0, 1e-12);
                close(acceleration, 0.0, 1e-9);
            }
        }
    }
}

#[test]
fn akima_reproduces_a_parabola_on_equal_steps() {
    let parabola = |x: f64| 1.0 + x * (2.0 - 0.7 * x);
    let points: Vec<_> = (0..6).map(|i| 0.4 * f64::from(i)).map(|x| (x, parabola(x))).collect();
    let table = table(&points, Interpolation::Akima, Extrapolation::Hold);
    for k in 0..=20 {
        let x = 0.1 * f64::from(k);
        let [value, rate, acceleration] = table.evaluate(x);
        close(value, parabola(x), 1e-14);
        close(rate, 2.0 - 1.4 * x, 1e-13);
        close(acceleration, -1.4, 1e-11);
    }
}

#[test]
fn akima_stays_flat_beside_a_step() {
    let points: Vec<_> = (0..10).map(|i| (f64::from(i), if i < 5 { 0.0 } else { 1.0 })).collect();
    let akima = table(&points, Interpolation::Akima, Extrapolation::Hold);
    let cubic = table(&points, Interpolation::Cubic, Extrapolation::Hold);
    close(akima.evaluate(2.5)[0], 0.0, 1e-15);
    assert!(cubic.evaluate(2.5)[0].abs() > 1e-3);
}

#[test]
fn natural_spline_of_three_points_has_its_closed_form() {
    // y'' at the middle of (0,0), (1,1), (2,0) is −3: y = 3x/2 − x³/2 on the first half.
    let table = table(&[(0.0, 0.0), (1.0, 1.0), (2.0, 0.0)], Interpolation::Cubic, Extrapolation::Hold);
    for x in [0.0, 0.25, 0.8] {
        let [value, rate, acceleration] = table.evaluate(x);
        close(value, 1.5 * x - 0.5 * x * x * x, 1e-15);
        close(rate, 1.5 - 1.5 * x * x, 1e-15);
        close(acceleration, -3.0 * x, 1e-15);
        close(table.evaluate(2.0 - x)[0], value, 1e-15);
    }
}

#[test]
fn cubic_splines_converge_with_order_four() {
    // sin has zero curvature at 0 and π, so the natural ends are exact; over 2π it is periodic.
    for (span, extrapolation) in [(PI, Extrapolation::Hold), (TAU, Extrapolation::Periodic)] {
        let error = |count: u32| {
            let mut points: Vec<_> =
                (0..=count).map(|i| span * f64::from(i) / f64::from(count)).map(|x| (x, x.sin())).collect();
            points.last_mut().unwrap().1 = 0.0;
            let table = table(&points, Interpolation::Cubic, extrapolation);
            (0..400)
                .map(|k| span * f64::from(k) / 400.0)
                .fold(0.0, |worst: f64, x| worst.max((table.evaluate(x)[0] - x.sin()).abs()))
        };
        let order = (error(20) / error(40)).log2();
        assert!((3.8..4.3).contains(&order), "order {order}");
    }
}

#[test]
fn tables_extrapolate_as_asked() {
    let points = [(0.0, 1.0), (1.0, 2.0), (2.0, 0.0), (3.0, 1.0)];
    let at = |extrapolation, t| table(&points, Interpolation::Linear, extrapolation).evaluate(t);
    assert_eq!(at(Extrapolation::Hold, -5.0), [1.0, 0.0, 0.0]);
    assert_eq!(at(Extrapolation::Hold, 5.0), [1.0, 0.0, 0.0]);
    assert_eq!(at(Extrapolation::Linear, -1.0), [0.0, 1.0, 0.0]);
    assert_eq!(at(Extrapolation::Linear, 5.0), [3.0, 1.0, 0.0]);
    assert_eq!(at(Extrapolation::Periodic, 4.5), [1.0, -2.0, 0.0]);
    assert_eq!(at(Extrapolation::Periodic, -0.5), [0.5, 1.0, 0.0]);
    // A periodic spline is smooth where it closes.
    for interpolation in [Interpolation::Cubic, Interpolation::Akima] {
        let table = table(&points, interpolation, Extrapolation::Periodic);
        close(table.evaluate(3.0 - 1e-9)[1], table.evaluate(1e-9)[1], 1e-7);
    }
    let cubic = table(&points, Interpolation::Cubic, Extrapolation::Periodic);
    close(cubic.evaluate(3.0 - 1e-9)[2], cubic.evaluate(1e-9)[2], 1e-7);
}

#[test]
fn closures_are_differentiated() {
    let plain = Function::custom("wave", |t: f64| (2.0 * t).sin());
    let exact = |t: f64| [(2.0 * t).sin(), 2.0 * (2.0 * t).cos(), -4.0 * (2.0 * t).sin()];
    let given = Function::custom_with_derivatives("wave", exact);
    for t in [-3.0, 0.0, 0.4, 20.0] {
        let [value, rate, acceleration] = plain.evaluate(t);
        assert_eq!(value, exact(t)[0]);
        close(rate, exact(t)[1], 1e-7);
        close(acceleration, exact(t)[2], 1e-4);
        assert_eq!(given.evaluate(t), exact(t));
    }
}

#[test]
fn wrong_parameters_are_refused() {
    let make = |x: &[f64], y: &[f64]| {
        Table::new(x.to_vec(), y.to_vec(), Interpolation::Cubic, Extrapolation::Hold).unwrap_err()
    };
    assert_eq!(make(&[0.0, 1.0], &[0.0]), FunctionError::LengthMismatch { abscissae: 2, values: 1 });
    assert_eq!(make(&[0.0], &[0.0]), FunctionError::TooFewPoints { needed: 2, found: 1 });
    let repeated = FunctionError::NotIncreasing { index: 2, previous: 1.0, value: 1.0 };
    assert_eq!(make(&[0.0, 1.0, 1.0], &[0.0; 3]), repeated);
    assert!(matches!(make(&[0.0, f64::NAN], &[0.0; 2]), FunctionError::NotFinite { .. }));
    assert_eq!(make(&[0.0, 1e-300], &[0.0, 1e300]), FunctionError::Overflow);
    let open = Table::new(vec![0.0, 1.0], vec![0.0, 2.0], Interpolation::Linear, Extrapolation::Periodic);
    assert_eq!(open.unwrap_err(), FunctionError::NotPeriodic { first: 0.0, last: 2.0 });

    let instant = Function::StepPoly345 { from: 0.0, to: 1.0, start: 0.0, duration: 0.0 };
    assert_eq!(instant.validate(), Err(FunctionError::NotPositive { parameter: "duration", value: 0.0 }));
    let nested = Function::Sum { terms: vec![1.0.into(), instant] };
    assert_eq!(
        nested.validate().unwrap_err().to_string(),
        "terms[1]: `duration` must be greater than zero, not 0"
    );
    assert_eq!(
        Function::Product { factors: vec![] }.validate(),
        Err(FunctionError::Empty { parameter: "factors" })
    );
    let backwards = Function::Ramp { start_value: 0.0, slope: 1.0, start_time: 2.0, end_time: Some(1.0) };
    assert_eq!(backwards.validate(), Err(FunctionError::EndBeforeStart { start: 2.0, end: 1.0 }));
}

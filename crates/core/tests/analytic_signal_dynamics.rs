//! Blocks with memory against closed forms, integrated by RK4.

use huygens_core::function::Function;
use huygens_core::signal::{
    AntiWindup, PidSpec, SignalGraph, SignalGraphBuilder, SignalSpec, TransferFunctionSpec,
};

/// Integrates the graph's states and calls `seen(time, signals)` at the start and after every step.
fn integrate(graph: &SignalGraph, until: f64, h: f64, mut seen: impl FnMut(f64, &[f64])) {
    let n = graph.state_count();
    let mut z = vec![0.0; n];
    graph.initialize_states(&mut z);
    let mut signals = vec![0.0; graph.len()];
    let mut slopes = vec![vec![0.0; n]; 4];
    let steps = (until / h).round() as usize;
    for step in 0..=steps {
        let time = step as f64 * h;
        graph.evaluate(time, |_| 0.0, &z, &mut signals);
        seen(time, &signals);
        for (stage, part) in [(0, 0.0), (1, 0.5), (2, 0.5), (3, 1.0)] {
            let mut at = z.clone();
            for i in 0..if stage > 0 { n } else { 0 } {
                at[i] += part * h * slopes[stage - 1][i];
            }
            graph.evaluate(time + part * h, |_| 0.0, &at, &mut signals);
            graph.rates(time + part * h, &signals, &at, &mut slopes[stage]);
        }
        for i in 0..n {
            z[i] += h / 6.0 * (slopes[0][i] + 2.0 * slopes[1][i] + 2.0 * slopes[2][i] + slopes[3][i]);
        }
    }
}

fn transfer(input: &str, numerator: &[f64], denominator: &[f64]) -> SignalSpec<usize> {
    SignalSpec::TransferFunction(TransferFunctionSpec {
        input: input.into(),
        numerator: numerator.to_vec(),
        denominator: denominator.to_vec(),
    })
}

/// Unit reference, PID and plant in a loop; the signals are `[reference, control, plant]`.
fn closed_loop(pid: PidSpec, numerator: &[f64], denominator: &[f64]) -> SignalGraph {
    let mut builder = SignalGraphBuilder::new();
    builder.add_function("reference", 1.0).unwrap();
    builder.add("control", SignalSpec::Pid(pid)).unwrap();
    builder.add("plant", transfer("control", numerator, denominator)).unwrap();
    builder.build().unwrap()
}

fn pid(kp: f64, ki: f64) -> PidSpec {
    PidSpec { ki, ..PidSpec::new("reference", "plant", kp) }
}

#[test]
fn pi_loop_on_a_first_order_plant_follows_its_closed_form() {
    // Plant 1/(s + 1), kp = 2, ki = 4: closed loop (2s + 4)/(s² + 3s + 4), poles −3/2 ± i√7/2.
    let graph = closed_loop(pid(2.0, 4.0), &[1.0], &[1.0, 1.0]);
    let omega = 7.0_f64.sqrt() / 2.0;
    integrate(&graph, 5.0, 1e-2, |t, signals| {
        // y(0) = 0 and y'(0) = 2 fix y = 1 − e^{−3t/2} (cos ωt − sin ωt/(2ω)).
        let (sin, cos) = (omega * t).sin_cos();
        let expected = 1.0 - (-1.5 * t).exp() * (cos - sin / (2.0 * omega));
        assert!((signals[2] - expected).abs() < 1e-8, "t = {t}: {} against {expected}", signals[2]);
    });
}

#[test]
fn filtered_derivative_answers_a_ramp_with_its_slope() {
    // The derivative of a ramp 3t through the filter: 3 kd (1 − e^{−t/Tf}).
    let mut builder = SignalGraphBuilder::new();
    let ramp = Function::Ramp { start_value: 0.0, slope: 3.0, start_time: 0.0, end_time: None };
    builder.add_function("reference", ramp).unwrap();
    builder.add_function("plant", 0.0).unwrap();
    let derivative = PidSpec { kd: 0.5, filter_time: Some(0.2), ..pid(0.0, 0.0) };
    builder.add("control", SignalSpec::Pid(derivative)).unwrap();
    integrate(&builder.build().unwrap(), 2.0, 1e-2, |t, signals| {
        assert!((signals[2] - 1.5 * (1.0 - (-t / 0.2).exp())).abs() < 1e-6);
    });
}

#[test]
fn anti_windup_reduces_the_overshoot() {
    let overshoot = |anti_windup| {
        let limited = PidSpec { lower: Some(-1.2), upper: Some(1.2), anti_windup, ..pid(2.0, 4.0) };
        let graph = closed_loop(limited, &[1.0], &[1.0, 1.0]);
        let mut peak: f64 = 0.0;
        integrate(&graph, 20.0, 1e-2, |_, signals| {
            assert!(signals[1].abs() <= 1.2);
            peak = peak.max(signals[2]);
        });
        peak - 1.0
    };
    let winding = overshoot(AntiWindup::None);
    let clamped = overshoot(AntiWindup::Clamping);
    let tracked = overshoot(AntiWindup::BackCalculation { tracking_time: 0.1 });
    assert!(winding > 0.1, "{winding}");
    assert!(clamped < 0.5 * winding && tracked < 0.5 * winding, "{clamped} {tracked} {winding}");
}

#[test]
fn back_calculation_settles_where_its_equation_says() {
    // Constant error 1 at the upper limit 2: di/dt = ki + (2 − kp − i)/Tt settles at i = 2 − kp + ki Tt.
    let mut builder = SignalGraphBuilder::new();
    builder.add_function("reference", 1.0).unwrap();
    builder.add_function("plant", 0.0).unwrap();
    let anti_windup = AntiWindup::BackCalculation { tracking_time: 0.3 };
    let control = PidSpec { upper: Some(2.0), anti_windup, ..pid(1.5, 5.0) };
    builder.add("control", SignalSpec::Pid(control)).unwrap();
    builder.add("integral", SignalSpec::State { block: "control".into(), index: 0 }).unwrap();
    let mut last = 0.0;
    integrate(&builder.build().unwrap(), 10.0, 1e-2, |_, signals| last = signals[3]);
    assert!((last - (2.0 - 1.5 + 5.0 * 0.3)).abs() < 1e-9, "{last}");
}

#[test]
fn step_response_of_a_second_order_system() {
    // 2·9/(2s² + 2·1.8s + 18): ω = 3, ζ = 0.3, written with a leading zero and a common factor of 2.
    let mut builder = SignalGraphBuilder::new();
    builder.add_function("input", 1.0).unwrap();
    builder.add("output", transfer("input", &[18.0], &[0.0, 2.0, 3.6, 18.0])).unwrap();
    let (zeta, omega): (f64, f64) = (0.3, 3.0);
    let damped = omega * (1.0 - zeta * zeta).sqrt();
    integrate(&builder.build().unwrap(), 4.0, 5e-3, |t, signals| {
        let (sin, cos) = (damped * t).sin_cos();
        let expected = 1.0 - (-zeta * omega * t).exp() * (cos + zeta * omega / damped * sin);
        assert!((signals[1] - expected).abs() < 1e-8, "t = {t}");
    });
}

#[test]
fn frequency_response_of_a_system_with_feed_through() {
    // G = (2s² + s + 3)/(s² + 4s + 5) at ω = 2: (−5 + 2i)/(1 + 8i) = (11 + 42i)/65.
    let mut builder = SignalGraphBuilder::new();
    let frequency = 1.0 / std::f64::consts::PI;
    builder
        .add_function("input", Function::Sine { amplitude: 1.0, frequency, phase: 0.0, offset: 0.0 })
        .unwrap();
    builder.add("output", transfer("input", &[2.0, 1.0, 3.0], &[1.0, 4.0, 5.0])).unwrap();
    integrate(&builder.build().unwrap(), 20.0, 1e-2, |t, signals| {
        if t > 15.0 {
            let expected = (11.0 * (2.0 * t).sin() + 42.0 * (2.0 * t).cos()) / 65.0;
            assert!((signals[1] - expected).abs() < 1e-8, "t = {t}");
        }
    });
}

#[test]
fn filter_and_pure_gain() {
    let mut builder = SignalGraphBuilder::new();
    builder.add_function("input", 2.0).unwrap();
    builder
        .add("low", SignalSpec::Filter { input: "input".into(), time_constant: 0.4, initial: 5.0 })
        .unwrap();
    builder.add("gain", transfer("input", &[3.0], &[2.0])).unwrap();
    integrate(&builder.build().unwrap(), 2.0, 1e-2, |t, signals| {
        assert!((signals[1] - (2.0 + 3.0 * (-t / 0.4).exp())).abs() < 1e-8);
        assert_eq!(signals[2], 3.0);
    });
}
